//! LUUIDs and their groups.

use crate::program::rowkey;
use crate::vectors::{cases, column, number, text};

#[test]
fn fields_of_the_vectors_are_shown() {
    let cases = cases("luuid", "make");
    let shown = rowkey("inspect --json --format luuid")
        .reading_lines(&column(&cases, "uuid"))
        .json();
    for (case, shown) in cases.iter().zip(&shown) {
        assert_eq!(shown["group"], case["group_hex"], "{case}");
        let short_key = format!("{:x}", case["key"].as_u64().unwrap());
        assert_eq!(shown["short_key"], short_key, "{case}");
        let random = i128::from_str_radix(text(case, "random60"), 16).unwrap();
        assert_eq!(number(shown, "random"), random, "{case}");
        assert_eq!(shown["random"].is_number(), random <= 1 << 53, "{case}");
        assert!(shown.get("time_unix_ms").is_none(), "{shown}");
    }
}

#[test]
fn the_vectors_are_recognised_as_luuids_first() {
    for case in cases("luuid", "make") {
        let shown = rowkey("inspect --json")
            .arg(text(&case, "uuid"))
            .run()
            .json();
        assert_eq!(shown[0]["format"], "luuid", "{case}");
    }
}

#[test]
fn new_luuids_carry_their_group_and_consecutive_numbers() {
    for case in cases("luuid", "make") {
        let new = format!(
            "new --format luuid --group 0x{} --short-key {:x}",
            text(&case, "group_hex"),
            case["key"].as_u64().unwrap()
        );
        let id = rowkey(&new).run().ok();
        let head = &text(&case, "uuid")[..20];
        assert_eq!(&id[..20], head, "{case}");
    }
    let ids =
        rowkey("new --format luuid --group com.soqqo.system.domain.Person --short-key 9 -n 3")
            .run()
            .lines();
    let heads: Vec<_> = ids.iter().map(|id| &id[..20]).collect();
    assert_eq!(
        heads,
        [
            "00000000-0009-6f47-a",
            "00000000-000a-6f47-a",
            "00000000-000b-6f47-a"
        ]
    );
}

#[test]
fn a_short_key_is_hexadecimal_in_every_command() {
    let customer = "--format luuid --group com.acme.Customer";
    for spoken in [
        "2078",
        "23122e",
        "23122E",
        "a",
        "00000000000a",
        "ffffffffffff",
    ] {
        for option in ["--short-key", "--key"] {
            let id = rowkey(&format!("new {customer} {option} {spoken}")).run();
            let id = id.ok().trim_end().to_owned();
            let number = u64::from_str_radix(spoken, 16).unwrap();
            let digits = format!("{number:012x}");
            assert_eq!(
                id[..18].replace('-', ""),
                format!("{digits}6fc1"),
                "{spoken}"
            );
            let shown = rowkey(&format!("inspect --format luuid {id}")).run().ok();
            assert!(
                shown.contains(&format!("  short_key        {number:x}\n")),
                "{shown}"
            );
            assert!(shown.contains("  group            fc1\n"), "{shown}");
            let shown = rowkey(&format!("inspect --json {id}"))
                .run()
                .json()
                .remove(0);
            assert_eq!(shown["short_key"], format!("{number:x}"));
            assert_eq!(shown["group"], "fc1");
        }
    }
}

#[test]
fn an_ambiguous_group_is_refused_with_both_readings() {
    let finished = rowkey("new --format luuid --short-key 1 --group 409").run();
    let error = finished.wrong_usage();
    let by_name = rowkey("crc12 409").run().ok();
    assert!(error.contains("0x409"), "{error}");
    assert!(
        error.contains(&format!("0x{}", by_name.trim_end())),
        "{error}"
    );
}

#[test]
fn ids_of_other_formats_are_refused() {
    let cases = cases("luuid", "invalid");
    let answers = rowkey("convert --format luuid --from public --to hex --keep-going")
        .reading_lines(&column(&cases, "uuid"))
        .answers();
    assert!(answers.iter().all(Option::is_none), "{answers:?}");
}

#[test]
fn crc12_of_arguments_and_lines() {
    let cases = cases("luuid", "crc12");
    let texts = column(&cases, "input_utf8");
    let expected = column(&cases, "hex");
    assert_eq!(rowkey("crc12").reading_lines(&texts).lines(), expected);
    let run = texts
        .iter()
        .fold(rowkey("crc12 --json"), |run, text| run.arg(text));
    for (case, answer) in cases.iter().zip(run.run().json()) {
        assert_eq!(answer["text"], case["input_utf8"]);
        assert_eq!(answer["crc12"], case["crc12"]);
        assert_eq!(answer["hex"], case["hex"]);
    }
}

#[test]
fn crc12_counts_utf8_bytes() {
    let expected = rowkey_core::luuid::LuuidGroup::of("Bücher").to_string();
    assert_eq!(
        rowkey("crc12")
            .reading("Bücher\r\n".as_bytes())
            .ok()
            .trim_end(),
        expected
    );
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_first_name() {
    let expected = rowkey("crc12 com.acme.Customer com.acme.Order").run().ok();
    let lines = "\u{feff}com.acme.Customer\r\ncom.acme.Order\r\n";
    assert_eq!(rowkey("crc12").reading(lines.as_bytes()).ok(), expected);
    let id = "00000023-122e-6aa1-a789-28ef27ab7c62";
    let marked = format!("\u{feff}{id}\n");
    let convert = "convert --format luuid --from public --to public";
    let converted = rowkey(convert).reading(marked.as_bytes()).ok();
    assert_eq!(converted, format!("{id}\n"));
}

#[test]
fn names_that_no_key_can_be_declared_with_have_no_group() {
    for (name, problem) in [
        ("\u{feff}com.acme.Customer", r"'\u{feff}' at position 0"),
        ("com.acme.Customer\u{feff}", r"'\u{feff}' at position 17"),
        (" com.acme.Customer", "' ' at position 0"),
        ("com.acme.Customer\u{a0}", r"'\u{a0}' at position 17"),
    ] {
        let finished = rowkey("crc12").arg(name).run();
        assert!(finished.bad_input().contains(problem), "{finished:?}");
        assert_eq!(finished.output, "");
        let finished = rowkey("new --format luuid --key 1 --group").arg(name).run();
        assert!(finished.bad_input().contains(problem), "{finished:?}");
    }
}
