//! Routing by ids: names in registries, and regions and partitions in shard keys.

use proptest::prelude::*;
use rowkey_core::error::ErrorKind;
use rowkey_core::routing::{
    Country, IuidContext, IuidRegistries, Registry, ServiceEntity, Shard, ShardLayout,
};
use rowkey_core::{HotGuid, Iuid, UnixMillis};

use crate::assert_refused;

static REGISTRIES: IuidRegistries = IuidRegistries {
    countries: Registry::new(&[(0, "Kazakhstan"), (255, "Brazil")]),
    service_entities: Registry::new(&[(10, "AyanOrder"), (11, "WalletAccount")]),
};

#[test]
fn names_become_a_context_and_an_id_tells_them() {
    let context = REGISTRIES.context("Brazil", "AyanOrder").unwrap();
    let expected = IuidContext {
        country: 255,
        service_entity: 10,
    };
    assert_eq!(context, expected);
    let id = Iuid::from_parts(UnixMillis::EPOCH, context, 1).unwrap();
    let origin = REGISTRIES.origin(id);
    assert_eq!(origin.country, Some("Brazil"));
    assert_eq!(origin.service_entity, Some("AyanOrder"));

    let foreign = IuidContext {
        country: 1,
        service_entity: 0,
    };
    let origin = REGISTRIES.origin(Iuid::from_parts(UnixMillis::EPOCH, foreign, 1).unwrap());
    assert_eq!((origin.country, origin.service_entity), (None, None));

    for (country, entity, message) in [
        (
            "brazil",
            "AyanOrder",
            "no country is called `brazil`; there are `Kazakhstan`, `Brazil`",
        ),
        (
            "Brazil",
            "AyanRide",
            "no service entity is called `AyanRide`; there are `AyanOrder`, `WalletAccount`",
        ),
    ] {
        let error = REGISTRIES.context(country, entity).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn entries_that_clash_are_refused_with_both() {
    let read =
        |entries: &[(i64, &str)]| Registry::<Country>::try_from_iter(entries.iter().copied());
    for (entries, message) in [
        (
            &[(1, "A"), (2, "B"), (1, "C")][..],
            "the country `C` has the number 1 of `A`",
        ),
        (
            &[(1, "A"), (2, "A")],
            "the country `A` is listed twice, with the numbers 1 and 2",
        ),
        (
            &[(1, "A"), (1, "A")],
            "the country `A` is listed twice, with the numbers 1 and 1",
        ),
        (
            &[(256, "A")],
            "the country `A` has the number 256; numbers are 0 to 255",
        ),
        (
            &[(-1, "A")],
            "the country `A` has the number -1; numbers are 0 to 255",
        ),
        (
            &[(1, "")],
            "\"\" is not a valid country name: it is empty or has white space around it",
        ),
        (
            &[(1, " A")],
            "\" A\" is not a valid country name: it is empty or has white space around it",
        ),
    ] {
        assert_eq!(read(entries).unwrap_err().to_string(), message);
    }
    let all = (0..=255).map(|number| (number, format!("country {number}")));
    let all = Registry::<Country>::try_from_iter(all).unwrap();
    assert_eq!(all.number("country 255"), Ok(255));
    assert_eq!(all.name(0), Some("country 0"));
}

#[test]
#[should_panic(expected = "the service entity `B` has the number 1 of `A`")]
fn a_known_registry_with_a_number_twice_is_refused() {
    let _ = Registry::<ServiceEntity>::new(&[(1, "A"), (1, "B")]);
}

#[test]
#[should_panic(expected = "the service entity `A` is listed twice")]
fn a_known_registry_with_a_name_twice_is_refused() {
    let _ = Registry::<ServiceEntity>::new(&[(1, "A"), (2, "A")]);
}

/// As one that is read: what is written by the one is read by the other.
#[test]
#[should_panic(
    expected = "\" A\" is not a valid service entity name: it is empty or has white space around it"
)]
fn a_known_registry_with_white_space_around_a_name_is_refused() {
    let _ = Registry::<ServiceEntity>::new(&[(1, " A")]);
}

#[test]
fn a_registry_is_read_from_a_map_and_refuses_what_is_there_twice() {
    let text = r#"{"Kazakhstan": 0, "Brazil": 255}"#;
    let read: Registry<Country> = serde_json::from_str(text).unwrap();
    assert_eq!(read, REGISTRIES.countries);
    assert_eq!(
        serde_json::to_string(&read).unwrap(),
        r#"{"Kazakhstan":0,"Brazil":255}"#
    );
    assert_eq!(format!("{read:?}"), r#"{0: "Kazakhstan", 255: "Brazil"}"#);
    for (text, message) in [
        (
            r#"{"A": 1, "B": 1}"#,
            "the country `B` has the number 1 of `A`",
        ),
        (r#"{"A": 1, "A": 2}"#, "the country `A` is listed twice"),
        (r#"{"A": 300}"#, "the country `A` has the number 300"),
        (r#"{"A": "1"}"#, "expected i64"),
        (
            "[]",
            "expected a map of the names of each country to its number",
        ),
    ] {
        let error = serde_json::from_str::<Registry<Country>>(text).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn the_m49_layout_of_the_readme_is_read_out_of_ids() {
    const SHARDS: ShardLayout = ShardLayout::new(10, 22);
    let key = SHARDS.compose(999, 0x3f_fffe).unwrap();
    assert_eq!(key, 999 << 22 | 0x3f_fffe);
    let id = HotGuid::from_parts(1_700_000_000, [0; 5], 0, key).unwrap();
    let expected = Shard {
        region: 999,
        partition: 0x3f_fffe,
    };
    assert_eq!(SHARDS.shard_of(id), Ok(expected));
    // The lowest byte comes first in the id.
    assert!(id.to_string().ends_with("fefffff9"), "{id}");

    assert_eq!(
        SHARDS.compose(1 << 10, 0).unwrap_err().to_string(),
        "region of a HotGuid is 0..=1023, not 1024"
    );
    assert_refused(
        &SHARDS.compose(0, 1 << 22),
        "partition of a HotGuid is 0..=4194303, not 4194304",
    );
}

#[test]
fn bits_of_another_layout_are_refused() {
    const NARROW: ShardLayout = ShardLayout::new(4, 8);
    assert_eq!(
        NARROW
            .split(0xfff)
            .map(|shard| (shard.region, shard.partition)),
        Ok((15, 255))
    );
    assert_refused(
        &NARROW.split(0x1000),
        "shard key of a HotGuid is 0..=4095, not 4096",
    );
    for (region, partition) in [
        (33, 0),
        (0, 33),
        (10, 23),
        (u32::MAX, u32::MAX),
        (1, u32::MAX),
    ] {
        assert_eq!(ShardLayout::try_new(region, partition), None);
    }
}

proptest! {
    #[test]
    fn shard_keys_are_composed_and_split_without_loss(
        (region_bits, partition_bits) in (0..=32_u32).prop_flat_map(|bits| (Just(bits), 0..=32 - bits)),
        region: u32,
        partition: u32,
    ) {
        let layout = ShardLayout::new(region_bits, partition_bits);
        let fits = |value: u32, bits| u64::from(value) < 1_u64 << bits;
        match layout.compose(region, partition) {
            Ok(key) => {
                prop_assert!(fits(region, region_bits) && fits(partition, partition_bits));
                prop_assert_eq!(layout.split(key), Ok(Shard { region, partition }));
            }
            Err(_) => prop_assert!(!fits(region, region_bits) || !fits(partition, partition_bits)),
        }
        let cut = |value: u32, bits| (u64::from(value) & ((1_u64 << bits) - 1)) as u32;
        let (region, partition) = (cut(region, region_bits), cut(partition, partition_bits));
        let key = layout.compose(region, partition).unwrap();
        prop_assert_eq!(layout.split(key), Ok(Shard { region, partition }));
    }

    #[test]
    fn a_registry_has_each_number_and_name_once(
        entries in prop::collection::vec((-2_i64..6, "[ab]{0,2}"), 0..8),
    ) {
        let mut good: Vec<(u8, String)> = Vec::new();
        let mut outcome = Ok(());
        for (number, name) in &entries {
            let taken = good.iter().any(|(n, known)| i64::from(*n) == *number || known == name);
            if name.is_empty() || taken || *number < 0 {
                outcome = Err(());
                break;
            }
            good.push((*number as u8, name.clone()));
        }
        match Registry::<Country>::try_from_iter(entries) {
            Ok(registry) => {
                prop_assert!(outcome.is_ok());
                for (number, name) in &good {
                    prop_assert_eq!(registry.name(*number), Some(name.as_str()));
                    prop_assert_eq!(registry.number(name), Ok(*number));
                }
                let text = serde_json::to_string(&registry).unwrap();
                prop_assert_eq!(serde_json::from_str::<Registry<Country>>(&text).unwrap(), registry);
            }
            Err(error) => {
                prop_assert!(outcome.is_err());
                prop_assert_eq!(error.kind(), ErrorKind::Declaration);
                let message = error.to_string();
                let number = message.strip_suffix("; numbers are 0 to 255");
                let number = number.and_then(|text| text.rsplit_once("has the number "));
                let number = number.map(|(_, number)| number.parse::<u8>());
                prop_assert!(!matches!(number, Some(Ok(_))), "{}", message);
            }
        }
    }
}
