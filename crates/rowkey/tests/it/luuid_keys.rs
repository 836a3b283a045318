//! Several keys over LUUIDs: short keys, groups and unions.

use std::collections::HashSet;

use proptest::prelude::*;
use rowkey::Uuid;
use rowkey::error::ErrorKind;
use rowkey::format::{Format, FormatKind};
use rowkey::luuid::{KeyGroup, KeyGroups, KeyUnion, LuuidGroup, ShortKey};
use rowkey::storage::{Column, Layout, OrderPromise, Storage};
use rowkey::time_range::Bounds;
use rowkey::{Backend, EntityKey, Luuid, entity_key, key_union};

#[entity_key(group = "com.acme.Customer")]
struct CustomerId(Luuid);

#[entity_key(group = "com.acme.Order", prefix = "ord")]
struct OrderId(Luuid);

/// This name gives the last group, 0xfff.
#[entity_key(group = "com.acme.Sample737")]
struct LastId(Luuid);

/// A customer, an order or something else.
#[key_union]
#[derive(PartialOrd, Ord)]
enum AnyId {
    Customer(CustomerId),
    Order(OrderId),
}

const GROUPS: KeyGroups =
    KeyGroups::new(&[KeyGroup::of::<CustomerId>(), KeyGroup::of::<OrderId>()]);

const LAST: u64 = (1 << 48) - 1;

fn customer(number: u64, random: u64) -> CustomerId {
    let group = LuuidGroup::of("com.acme.Customer");
    CustomerId::from_format(Luuid::from_parts(group, number, random).unwrap()).unwrap()
}

fn order(number: u64) -> OrderId {
    OrderId::generate_for(&OrderId::luuid_context(number))
}

#[test]
fn a_short_key_is_lower_case_hexadecimal_without_leading_zeros() {
    let short = customer(0x23122e, 5).short_key();
    assert_eq!(short.to_string(), "23122e");
    assert_eq!(format!("{short:?}"), "ShortKey<CustomerId>(23122e)");
    assert_eq!(
        format!("{short:>8}|{short:#x}", short = short.get()),
        " 2298414|0x23122e"
    );
    // Number flags would give a string that is not a short key.
    assert_eq!(
        format!("{short:#}|{short:+}|{short:09}|{short:>8}"),
        "23122e|23122e|23122e   |  23122e"
    );
    assert_eq!(customer(0, 5).short_key().to_string(), "0");
    assert_eq!(customer(LAST, 5).short_key().to_string(), "ffffffffffff");
}

#[test]
fn a_short_key_is_parsed_strictly_except_case_and_zeros() {
    let parse = |text: &str| text.parse::<ShortKey<CustomerId>>();
    for (text, number) in [
        ("23122e", 0x23122e),
        ("23122E", 0x23122e),
        ("2078", 0x2078),
        ("0", 0),
        ("00000023122e", 0x23122e),
        ("ffffffffffff", LAST),
    ] {
        assert_eq!(parse(text).map(ShortKey::get), Ok(number), "{text}");
    }
    for (text, problem) in [
        ("", "the text is empty"),
        ("+5", "'+' at position 0"),
        ("-5", "'-' at position 0"),
        ("0x5", "'x' at position 1"),
        (" 5", "' ' at position 0"),
        ("5\n", "'\\n' at position 1"),
        ("23122g", "'g' at position 5"),
        ("23é2", "'é' at position 2"),
        ("\u{664}", "'\u{664}' at position 0"),
        ("1000000000000", "found 13 characters"),
        ("000000000000f", "found 13 characters"),
        ("ffffffffffffffffffffff", "found 22 characters"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Text);
        assert!(
            error.to_string().ends_with(&format!(": {problem}")),
            "{text:?}: {error}"
        );
    }
    assert_eq!(
        ShortKey::<CustomerId>::try_from(LAST + 1)
            .unwrap_err()
            .kind(),
        ErrorKind::OutOfRange
    );
}

#[test]
fn a_short_key_in_serde_is_text_or_a_number() {
    let short = customer(0x23122e, 5).short_key();
    assert_eq!(serde_json::to_string(&short).unwrap(), "\"23122e\"");
    let read = serde_json::from_str::<ShortKey<CustomerId>>("\"23122E\"").unwrap();
    assert_eq!(read, short);
    let error = serde_json::from_str::<ShortKey<CustomerId>>("\"23122x\"").unwrap_err();
    assert!(error.to_string().contains("'x' at position 5"), "{error}");
    assert!(serde_json::from_str::<ShortKey<CustomerId>>("2078").is_err());

    let bytes = postcard::to_stdvec(&short).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&0x23122e_u64).unwrap());
    let read: ShortKey<CustomerId> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, short);
    let too_large = postcard::to_stdvec(&u64::MAX).unwrap();
    assert!(postcard::from_bytes::<ShortKey<CustomerId>>(&too_large).is_err());
}

/// Every column of LUUID keys that keeps their order.
fn columns() -> Vec<Column> {
    let mut columns = Vec::new();
    for backend in Backend::ALL {
        for storage in Storage::ALL {
            for layout in Layout::ALL {
                columns.extend(Column::new(
                    FormatKind::Luuid,
                    backend,
                    storage,
                    Some(layout),
                ));
            }
        }
    }
    // A column that gives up its order has no conditions with bounds.
    columns.retain(|column| column.order_promise() != OrderPromise::Unordered);
    columns
}

/// Whether a column sorts a value into bounds, as its database compares them.
fn is_within<K: EntityKey>(bounds: &Bounds<K>, column: Column, value: u128) -> bool {
    bounds.iter().any(|range| {
        let from = range
            .lower
            .is_none_or(|lower| column.compare(lower.to_u128(), value).is_le());
        let to = range
            .upper
            .is_none_or(|upper| column.compare(value, upper.to_u128()).is_lt());
        from && to
    })
}

#[test]
fn the_bounds_of_a_short_key_are_valid_ids_of_one_interval() {
    let bounds = customer(0x23122e, 5).short_key().bounds();
    assert_eq!(bounds.len(), 1);
    let group = CustomerId::GROUP.unwrap().get();
    let edges = [bounds[0].lower, bounds[0].upper].map(|edge| {
        let id = Luuid::try_from(edge.unwrap().to_u128()).unwrap();
        (id.number(), id.group().get(), id.random())
    });
    assert_eq!(edges, [(0x23122e, group, 0), (0x23122e, group + 1, 0)]);
    assert!(columns().len() >= 10, "{:?}", columns());
}

proptest! {
    /// In every storage and layout: exactly the ids of this number and this group, though the
    /// column may have ids of others.
    #[test]
    fn the_bounds_of_a_short_key_contain_its_ids_and_no_others(
        number in prop_oneof![0..4_u64, LAST - 3..=LAST, 0..=LAST],
        others in prop::collection::vec(
            (
                prop_oneof![0..4_u64, LAST - 3..=LAST, 0..=LAST],
                prop_oneof![Just(0_u16), Just(0xfff), 0..=0xfff_u16],
                prop_oneof![Just(0_u64), Just((1 << 60) - 1), 0..1_u64 << 60],
            ),
            20,
        ),
    ) {
        let bounds = ShortKey::<CustomerId>::new(number).unwrap().bounds();
        let own = LuuidGroup::of("com.acme.Customer");
        let near = [own.get() - 1, own.get(), own.get() + 1];
        let near = near.into_iter().flat_map(|group| {
            [number.saturating_sub(1), number, (number + 1).min(LAST)]
                .into_iter()
                .flat_map(move |key| [0, (1 << 60) - 1].map(|random| (key, group, random)))
        });
        for column in columns() {
            for (key, group, random) in near.clone().chain(others.iter().copied()) {
                let group = LuuidGroup::new(group).unwrap();
                let id = Luuid::from_parts(group, key, random).unwrap();
                prop_assert_eq!(
                    is_within(&bounds, column, id.to_u128()),
                    key == number && group == own,
                    "{:?}: {}", column, id
                );
            }
        }
    }

    #[test]
    fn a_short_key_comes_back_from_its_text(number in 0..=LAST) {
        let short = ShortKey::<OrderId>::new(number).unwrap();
        prop_assert_eq!(short.to_string().parse(), Ok(short));
        prop_assert_eq!(order(number).short_key(), short);
    }
}

/// The smallest id behind those of the last group has the next number.
#[test]
fn the_last_group_ends_where_the_next_number_begins() {
    assert_eq!(LastId::GROUP.map(LuuidGroup::get), Some(0xfff));
    let bounds = ShortKey::<LastId>::new(7).unwrap().bounds();
    let upper = Luuid::try_from(bounds[0].upper.unwrap().to_u128()).unwrap();
    assert_eq!((upper.number(), upper.group().get()), (8, 0));
    let open = ShortKey::<LastId>::new(LAST).unwrap().bounds();
    assert!(open[0].lower.is_some() && open[0].upper.is_none());
}

#[test]
fn an_untyped_id_becomes_the_key_of_its_group() {
    let (customer, order) = (customer(7, 8), order(9));
    for (id, expected) in [
        (customer.to_uuid(), AnyId::Customer(customer)),
        (order.to_uuid(), AnyId::Order(order)),
    ] {
        assert_eq!(AnyId::try_from(id), Ok(expected));
        assert_eq!(expected.to_uuid(), id);
        assert_eq!(Uuid::from(expected), id);
        assert_eq!(AnyId::try_from(Luuid::from(expected)), Ok(expected));
    }
    assert_eq!(AnyId::from(order), AnyId::Order(order));
    assert_eq!(AnyId::from(order).group(), LuuidGroup::of("com.acme.Order"));

    let other = LastId::generate_for(&LastId::luuid_context(1));
    let unknown = AnyId::try_from(other.to_uuid()).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Format);
    assert_eq!(unknown.to_string(), "no key has the group fff");
    assert_eq!(
        AnyId::try_from(Uuid::nil()).unwrap_err().kind(),
        ErrorKind::Format
    );
}

#[test]
fn the_text_of_a_union_is_that_of_its_key() {
    let (customer, order) = (customer(7, 8), order(9));
    let texts = [AnyId::from(customer), AnyId::from(order)].map(|id| id.to_string());
    assert_eq!(texts, [customer.to_string(), order.to_string()]);
    assert!(texts[1].starts_with("ord_"));
    for (text, expected) in [
        (&texts[0], AnyId::from(customer)),
        (&texts[1], AnyId::from(order)),
        // `/any/<uuid>`: the plain form of a key with a prefix.
        (&order.to_uuid().to_string(), AnyId::from(order)),
    ] {
        assert_eq!(text.parse(), Ok(expected), "{text}");
    }

    let body = customer
        .into_format()
        .encode(rowkey::text::Encoding::Alphanumeric);
    let wrong = format!("ord_{body}").parse::<AnyId>();
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.starts_with("OrderId holds ids of group "), "{wrong}");
    // As its key, with the position in the whole text.
    let wrong = &format!("{}!", &texts[1][..texts[1].len() - 1]);
    assert_eq!(
        wrong.parse::<AnyId>().unwrap_err().to_string(),
        wrong.parse::<OrderId>().unwrap_err().to_string()
    );
    for text in ["", "ord_", "cus_", &format!("cus_{body}"), "ord", "23122e"] {
        let wrong = text.parse::<AnyId>();
        assert_eq!(wrong.unwrap_err().kind(), ErrorKind::Text);
    }
}

#[test]
fn a_union_serializes_like_its_keys() {
    let (customer, order) = (customer(7, 8), order(9));
    let all = vec![AnyId::from(customer), AnyId::from(order)];
    let json = serde_json::to_value(&all).unwrap();
    assert_eq!(json, serde_json::json!([customer, order]));
    assert_eq!(serde_json::from_value::<Vec<AnyId>>(json).unwrap(), all);

    let bytes = postcard::to_stdvec(&all).unwrap();
    assert_eq!(postcard::from_bytes::<Vec<AnyId>>(&bytes).unwrap(), all);

    let other = LastId::generate_for(&LastId::luuid_context(1));
    let error = serde_json::from_value::<AnyId>(serde_json::json!(other)).unwrap_err();
    assert_eq!(error.to_string(), "no key has the group fff");
    let error = serde_json::from_value::<AnyId>(serde_json::json!(7)).unwrap_err();
    assert!(
        error.to_string().contains("expected AnyId as a string"),
        "{error}"
    );
}

#[test]
fn a_union_is_hashed_compared_and_shown_with_its_type() {
    let ids = [
        AnyId::from(customer(7, 8)),
        AnyId::from(order(9)),
        AnyId::from(customer(7, 8)),
    ];
    assert_eq!(HashSet::from(ids).len(), 2);
    assert!(ids[0] < ids[1]);
    assert_eq!(
        format!("{:?}", ids[0]),
        format!("Customer(CustomerId({}))", customer(7, 8))
    );
    assert_eq!(AnyId::NAME, "AnyId");
    let names: Vec<_> = AnyId::GROUPS.iter().map(KeyGroup::name).collect();
    assert_eq!(names, ["com.acme.Customer", "com.acme.Order"]);
}

#[test]
fn a_registry_knows_its_groups_by_number_and_by_id() {
    let order_group = GROUPS.group_of(order(1).to_uuid()).unwrap();
    assert_eq!(
        (order_group.name(), order_group.key(), order_group.prefix()),
        ("com.acme.Order", "OrderId", Some("ord"))
    );
    assert_eq!(
        GROUPS
            .get(LuuidGroup::of("com.acme.Customer"))
            .unwrap()
            .key(),
        "CustomerId"
    );
    assert_eq!(GROUPS.get(LuuidGroup::new(0xfff).unwrap()), None);
    let other = LastId::generate_for(&LastId::luuid_context(1)).to_uuid();
    let unknown = GROUPS.group_of(other).unwrap_err();
    assert_eq!(unknown.to_string(), "no key has the group fff");
    assert_eq!(
        GROUPS.group_of(Uuid::max()).unwrap_err().kind(),
        ErrorKind::Format
    );
    assert_eq!(GROUPS.iter().count(), 2);
}

#[test]
fn a_registry_refuses_clashes_and_names_both_groups() {
    let mut groups = GROUPS;
    groups
        .register(KeyGroup::named("com.acme.Price", "PriceId"))
        .unwrap();
    let before = groups.clone();
    let clash = groups
        .register(KeyGroup::named("com.acme.Wallet", "WalletId"))
        .unwrap_err();
    assert_eq!(
        clash.to_string(),
        "the groups `com.acme.Price` and `com.acme.Wallet` have the same CRC-12 1dd; give the newer \
         one another name"
    );
    let twice = groups
        .register(KeyGroup::named("com.acme.Order", "OrderKey"))
        .unwrap_err();
    assert_eq!(
        twice.to_string(),
        "the group `com.acme.Order` is declared twice, for OrderId and for OrderKey"
    );
    assert_eq!(groups, before);

    let known = AnyId::GROUPS.iter().copied();
    assert_eq!(KeyGroups::try_from_iter(known.clone()), Ok(GROUPS));
    let again = KeyGroups::try_from_iter(known.chain([KeyGroup::of::<CustomerId>()]));
    let again = again.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Declaration);
    assert!(again.to_string().contains("is declared twice"), "{again}");
}

proptest! {
    /// A registry refuses a name if and only if its number is already registered.
    #[test]
    fn a_registry_has_each_number_once(
        names in prop::collection::vec(prop::sample::select(NAMES), 0..12),
    ) {
        let mut groups = KeyGroups::default();
        let mut numbers = HashSet::new();
        for name in names {
            let group = KeyGroup::named(name, name);
            prop_assert_eq!(groups.register(group).is_ok(), numbers.insert(group.group()));
        }
        prop_assert_eq!(groups.iter().count(), numbers.len());
    }
}

/// Ten names, of which five have the number of another.
const NAMES: &[&str] = &[
    "com.acme.Carrier",
    "com.acme.Market",
    "com.acme.Deposit",
    "com.acme.Message",
    "com.acme.Label",
    "com.acme.Section",
    "com.acme.Position",
    "com.acme.Store",
    "com.acme.Price",
    "com.acme.Wallet",
];
