//! iUIDs.

use serde_json::json;

use crate::program::rowkey;
use crate::vectors::{cases, column, number, text};

#[test]
fn fields_of_the_vectors_are_shown() {
    let cases: Vec<_> = cases("iuid", "make")
        .into_iter()
        .filter(|case| case["ver1"] == json!(0))
        .collect();
    let shown = rowkey("inspect --json --format iuid")
        .reading_lines(&column(&cases, "uuid"))
        .json();
    for (case, shown) in cases.iter().zip(&shown) {
        assert_eq!(shown["time_unix_ms"], case["unix_ms"], "{case}");
        assert_eq!(shown["country"], case["country"], "{case}");
        assert_eq!(shown["service_entity"], case["service_entity"], "{case}");
        assert_eq!(number(shown, "random"), number(case, "random54"), "{case}");
    }
}

#[test]
fn new_iuids_carry_the_given_fields() {
    for case in cases("iuid", "make") {
        let new = format!(
            "new --format iuid --at {} --country {} --entity {}",
            case["unix_ms"], case["country"], case["service_entity"]
        );
        let id = rowkey(&new).run().ok();
        let inspect = format!("inspect --json --format iuid {id}");
        let shown = rowkey(&inspect).run().json();
        for field in ["country", "service_entity"] {
            assert_eq!(shown[0][field], case[field], "{case}");
        }
        assert_eq!(shown[0]["time_unix_ms"], case["unix_ms"], "{case}");
    }
}

#[test]
fn ids_of_other_formats_are_refused() {
    for case in cases("iuid", "invalid") {
        let finished = rowkey("convert --format iuid --from public --to hex")
            .arg(text(&case, "uuid"))
            .run();
        finished.bad_input();
    }
}

#[test]
fn ranges_begin_and_end_with_the_smallest_valid_ids() {
    for case in cases("iuid", "bounds") {
        let range = format!(
            "range --format iuid --from {} --to {} --backend postgres --json",
            case["start_unix_ms"], case["end_unix_ms_exclusive"]
        );
        let [answer] = &rowkey(&range).run().json()[..] else {
            panic!()
        };
        assert_eq!(answer["lower_public"], case["min_valid_iuid_at_start"]);
        assert!(text(answer, "lower") >= text(&case, "lower_inclusive_floor"));
        assert!(text(answer, "upper") >= text(&case, "upper_exclusive_floor"));
        assert!(text(answer, "upper") > text(&case, "max_any_ver1_iuid_before_end"));
        assert!(text(answer, "upper") > text(&case, "max_valid_ver1_0_iuid_before_end"));
    }
}
