//! HotGuids.

use serde_json::Value;

use crate::program::rowkey;
use crate::vectors::{cases, column};

/// Each id of the vectors with the fields of its generator.
fn ids() -> Vec<(Value, Value)> {
    cases("hotguid", "make")
        .into_iter()
        .flat_map(|case| {
            let ids = case["ids"].as_array().unwrap().clone();
            ids.into_iter().map(move |id| (case.clone(), id))
        })
        .collect()
}

#[test]
fn fields_of_the_vectors_are_shown() {
    let (generators, ids): (Vec<_>, Vec<_>) = ids().into_iter().unzip();
    let shown = rowkey("inspect --json --format hot-guid")
        .reading_lines(&column(&ids, "uuid"))
        .json();
    for ((generator, id), shown) in generators.iter().zip(&ids).zip(&shown) {
        // The original wraps around. Such a clock is refused here, so the test only reads the id.
        let seconds = generator["unix_seconds"].as_u64().unwrap() % (1 << 32);
        assert_eq!(shown["unix_seconds"], seconds, "{id}");
        assert_eq!(shown["machine"], generator["machine_pid5"], "{id}");
        assert_eq!(shown["counter"], id["counter24"], "{id}");
        assert_eq!(shown["shard_key"], id["shard_key"], "{id}");
        assert_eq!(shown["sql_server"], id["sql_uuid"], "{id}");
        assert_eq!(shown["shard_key"], id["extracted_shard_key"], "{id}");
        assert_eq!(shown["unix_seconds"], id["extracted_timestamp"], "{id}");
        assert_eq!(shown["time_unix_ms"].as_u64(), Some(seconds * 1000));
        assert!(shown.get("random").is_none());
        assert!(shown.get("mariadb_uuid").is_none());
    }
}

#[test]
fn the_sql_server_form_of_the_vectors_converts_both_ways() {
    let (_, ids): (Vec<_>, Vec<_>) = ids().into_iter().unzip();
    let (public, stored) = (column(&ids, "uuid"), column(&ids, "sql_uuid"));
    let to = rowkey("convert --format hot-guid --from public --to sql-server");
    assert_eq!(to.reading_lines(&public).lines(), stored);
    let from = rowkey("convert --format hot-guid --from sql-server --to public");
    assert_eq!(from.reading_lines(&stored).lines(), public);
}

#[test]
fn new_ids_carry_the_shard_key_and_the_second_and_count() {
    let new = "new --format hot-guid --shard 3735928559 --at 1700000000999 -n 3";
    let ids = rowkey(new).run().lines();
    let shown = rowkey("inspect --json --format hot-guid")
        .reading_lines(&ids)
        .json();
    let first = shown[0]["counter"].as_u64().unwrap();
    let machine = shown[0]["machine"].clone();
    for (index, shown) in (0..).zip(&shown) {
        assert_eq!(shown["machine"], machine);
        assert_eq!(shown["shard_key"], 0xdead_beef_u32);
        assert_eq!(shown["unix_seconds"], 1_700_000_000);
        assert_eq!(shown["counter"], (first + index) & 0xff_ffff);
    }
}

#[test]
fn times_before_1970_and_after_the_last_second_are_refused() {
    for case in cases("hotguid", "before_epoch") {
        let millis = case["unix_seconds"].as_i64().unwrap() * 1000;
        let finished = rowkey(&format!("new --format hot-guid --shard 1 --at {millis}")).run();
        assert!(finished.bad_input().contains("1970-01-01T00:00:00.000Z"));
    }
    rowkey("new --format hot-guid --shard 1 --at 2106-02-07T06:28:15.999Z")
        .run()
        .ok();
    rowkey("new --format hot-guid --shard 1 --at 2106-02-07T06:28:16Z")
        .run()
        .bad_input();
}
