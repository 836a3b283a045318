//! Text, conversions, constants and limits of declared keys.

#![deny(clippy::pedantic, clippy::nursery, missing_docs)]

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rowkey::error::ErrorKind;
use rowkey::format::{Format, FormatKind};
use rowkey::generate::DistributedIdGenerator;
use rowkey::generate::{Custom, scope};
use rowkey::luuid::{LuuidGroup, NumberCounter};
#[cfg(feature = "public-id")]
use rowkey::public_id::PublicIdCipher;
use rowkey::routing::IuidContext;
use rowkey::storage::{Layout, Storage};
use rowkey::validate::CreationWindow;
use rowkey::{
    AnyUuid, Backend, DistributedId, DistributedId128, EntityKey, Error, HotGuid, Iuid, Luuid,
    ShortPrefixComb, UnixMillis, UuidV4, UuidV7, entity_key,
};
use uuid::Uuid;

/// A booking offer.
#[entity_key]
pub struct BookingOfferId(ShortPrefixComb);

/// A booking.
#[entity_key(prefix = "bkg")]
pub struct BookingId(UuidV7);

/// An invoice.
#[entity_key(prefix = "inv", storage(postgres = "uuid", sqlserver = "uuid"))]
pub struct InvoiceId(DistributedId);

/// An order in an old table.
#[entity_key(storage(sqlserver = "uuid:public"))]
pub struct LegacyOrderId(AnyUuid);

/// A payment in 38 digits.
#[entity_key(storage(mysql = "decimal", mariadb = "decimal"))]
pub struct PaymentId(DistributedId128);

/// A customer.
#[entity_key(group = "com.acme.Customer")]
pub struct CustomerId(Luuid);

/// An item with a country.
#[entity_key]
pub struct ItemId(Iuid);

/// A row of a shard.
#[entity_key]
pub struct ShardRowId(HotGuid);

/// A draft with a counter of seconds.
#[entity_key]
pub struct DraftId(ShortPrefixComb<1_000>);

const OFFER: BookingOfferId = BookingOfferId::constant(0xfff6_0000_0000_4000_8000_0000_0000_0001);

#[test]
fn the_text_is_that_of_the_format() {
    assert_eq!(OFFER.to_string(), "fff60000-0000-4000-8000-000000000001");
    assert_eq!("fff60000-0000-4000-8000-000000000001".parse(), Ok(OFFER));
    assert_eq!("FFF60000-0000-4000-8000-000000000001".parse(), Ok(OFFER));

    // Padding is that of any text.
    assert_eq!(
        format!("[{OFFER:<40}]"),
        "[fff60000-0000-4000-8000-000000000001    ]"
    );
}

#[test]
fn a_prefix_comes_before_the_compact_text() {
    let invoice = InvoiceId::constant(1_088_824_355_131_185_736_905_670_087);
    assert_eq!(invoice.to_string(), "inv_3zfAkCP7ZtzfeQYp");
    assert_eq!("inv_3zfAkCP7ZtzfeQYp".parse(), Ok(invoice));

    let booking = BookingId::generate();
    let text = booking.to_string();
    assert_eq!((text.len(), &text[..4]), (26, "bkg_"));
    assert_eq!(text.parse(), Ok(booking));
}

#[test]
fn a_wrong_prefix_is_an_error_that_names_both() {
    for (text, found) in [
        ("cus_3zfAkCP7ZtzfeQYp", "begins with `cus_`"),
        ("invoice_3zfAkCP7ZtzfeQYp", "begins with `invoice_`"),
        ("INV_3zfAkCP7ZtzfeQYp", "begins with `INV_`"),
        ("1088824355131185736905670087", "begins with `10888243`"),
        ("inv3zfAkCP7ZtzfeQYp", "begins with `inv3zfAk`"),
        ("", "is empty"),
    ] {
        let error = text.parse::<InvoiceId>().unwrap_err();
        let message = format!("InvoiceId begins with `inv_`, but the text {found}");
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn parse_errors_name_the_problem_and_its_position() {
    let length = "fff60000-0000-4000-8000-00000000000".parse::<BookingOfferId>();
    let length = length.unwrap_err();
    assert_eq!((length.kind(), length.position()), (ErrorKind::Text, None));
    assert!(
        length.to_string().ends_with(": found 35 characters"),
        "{length}"
    );
    let character = "fff60000-0000-4000-8000-00000000000x".parse::<BookingOfferId>();
    let character = character.unwrap_err();
    assert_eq!(
        (character.kind(), character.position()),
        (ErrorKind::Text, Some(35))
    );
    assert!(
        character.to_string().ends_with(": 'x' at position 35"),
        "{character}"
    );
    let format = "fff60000-0000-7000-8000-000000000001".parse::<BookingOfferId>();
    let format = format.unwrap_err();
    assert_eq!(format.kind(), ErrorKind::Format);
    assert!(
        format.to_string().starts_with("not a ShortPrefixComb: "),
        "{format}"
    );
    // One more than the largest 28-digit number.
    let large = "inv_6FhFpcRmXkvNCCG8".parse::<InvoiceId>();
    assert_eq!(large.unwrap_err().kind(), ErrorKind::Text);
}

#[test]
fn debug_shows_the_name_of_the_key() {
    assert_eq!(
        format!("{OFFER:?}"),
        "BookingOfferId(fff60000-0000-4000-8000-000000000001)"
    );
    assert_eq!(
        format!("{:?}", InvoiceId::constant(7)),
        "InvoiceId(inv_0000000000000007)"
    );
}

#[test]
fn keys_are_ordered_hashed_and_compared_by_their_public_value() {
    let ids = [3, 1, 2].map(LegacyOrderId::constant);
    let sorted: Vec<u128> = BTreeSet::from(ids).into_iter().map(u128::from).collect();
    assert_eq!(sorted, [1, 2, 3]);

    let by_id = HashMap::from(ids.map(|id| (id, id.to_string())));
    assert_eq!(
        by_id[&LegacyOrderId::constant(2)],
        "00000000-0000-0000-0000-000000000002"
    );

    // Constants can be patterns.
    assert!(matches!(OFFER, OFFER));
}

#[test]
fn keys_convert_through_their_format_uuid_and_u128() {
    let format: ShortPrefixComb = OFFER.into();
    assert_eq!(format, OFFER.into_format());
    assert_eq!(BookingOfferId::try_from(format), Ok(OFFER));
    assert_eq!(BookingOfferId::from_format(format), Ok(OFFER));

    let uuid: Uuid = OFFER.into();
    assert_eq!(uuid, OFFER.to_uuid());
    assert_eq!(BookingOfferId::try_from(uuid), Ok(OFFER));

    let bits: u128 = OFFER.into();
    assert_eq!(bits, OFFER.to_u128());
    assert_eq!(BookingOfferId::try_from(bits), Ok(OFFER));

    let refused = BookingOfferId::try_from(Uuid::nil()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "not a ShortPrefixComb: the version (position 14 of the hyphenated text) is 0, expected 4"
    );
    assert!(InvoiceId::try_from(u128::MAX).is_err());
}

#[test]
fn a_luuid_key_accepts_only_ids_of_its_group() {
    let group = LuuidGroup::of("com.acme.Customer");
    assert_eq!(CustomerId::GROUP, Some(group));
    assert_eq!(InvoiceId::GROUP, None);

    let customer = CustomerId::generate_for(&CustomerId::luuid_context(4711));
    let luuid = customer.into_format();
    assert_eq!((luuid.group(), luuid.number()), (group, 4711));

    let supplier = Luuid::from_parts(LuuidGroup::of("com.acme.Supplier"), 4711, 0).unwrap();
    let error = CustomerId::from_format(supplier).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(
        error
            .to_string()
            .starts_with("CustomerId holds ids of group "),
        "{error}"
    );
    assert_eq!(
        supplier.to_string().parse::<CustomerId>(),
        Err(error.clone())
    );
    assert_eq!(CustomerId::try_from(supplier.to_uuid()), Err(error));
}

#[test]
fn a_value_that_does_not_fit_the_plan_is_refused() {
    let largest = 10_u128.pow(38) - 1;
    let payment = PaymentId::try_from(largest).unwrap();
    assert_eq!(payment.to_u128(), largest);

    let error = PaymentId::try_from(largest + 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "PaymentId is stored as at most 38 decimal digits; the value has more"
    );
    let text = DistributedId128::constant(largest + 1).to_string();
    assert_eq!(text.parse::<PaymentId>(), Err(error));
}

#[test]
fn the_plan_is_the_default_with_the_declared_changes() {
    let column = InvoiceId::PLAN.column(Backend::SqlServer);
    assert_eq!(
        (column.storage(), column.layout()),
        (Storage::Uuid, Layout::SqlServer)
    );
    assert_eq!(
        InvoiceId::PLAN.column(Backend::Sqlite).storage(),
        Storage::Decimal
    );
    assert_eq!(
        LegacyOrderId::PLAN.column(Backend::SqlServer).layout(),
        Layout::Public
    );
    assert_eq!(
        BookingOfferId::PLAN.column(Backend::SqlServer).layout(),
        Layout::Suffix
    );

    let names = [BookingOfferId::NAME, InvoiceId::NAME];
    assert_eq!(names, ["BookingOfferId", "InvoiceId"]);
    assert_eq!(
        (BookingOfferId::PREFIX, InvoiceId::PREFIX),
        (None, Some("inv"))
    );
}

#[test]
fn new_keys_are_valid_and_different() {
    let offers = BookingOfferId::generate_batch(1_000);
    assert_eq!(BTreeSet::from_iter(offers).len(), 1_000);
    assert_ne!(InvoiceId::generate(), InvoiceId::generate());
    assert_ne!(PaymentId::try_generate(), PaymentId::try_generate());
    let draft = DraftId::generate();
    assert_eq!(DraftId::try_from(draft.to_uuid()), Ok(draft));
}

#[test]
fn keys_of_formats_with_a_context_are_generated_with_it() {
    let context = IuidContext {
        country: 49,
        service_entity: 7,
    };
    let item = ItemId::generate_for(&context).into_format();
    assert_eq!((item.country(), item.service_entity()), (49, 7));

    let row = ShardRowId::try_generate_for(&17).unwrap();
    assert_eq!(row.into_format().shard_key(), 17);
}

#[test]
fn keys_are_generated_by_the_generator_of_a_scope() {
    let fixed = UuidV7::constant(0x0000_0000_0000_7000_8000_0000_0000_0001);
    let _scope = scope::enter(Custom::value(fixed));
    assert_eq!(BookingId::generate().into_format(), fixed);
    assert_eq!(BookingId::try_generate(), BookingId::from_format(fixed));
}

#[test]
fn a_new_id_of_another_group_is_refused() {
    let other = CustomerId::try_generate_for(&rowkey::luuid::LuuidContext {
        group: LuuidGroup::of("com.acme.Supplier"),
        number: 1,
    });
    assert_eq!(other.unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn bounds_are_those_of_the_format() {
    let hour = UnixMillis::new(1_700_000_000_000)..UnixMillis::new(1_700_003_600_000);
    let bounds = BookingId::bounds(hour);
    assert_eq!(bounds.len(), 1);
    let lower = bounds[0].lower.unwrap();
    assert_eq!(
        format!("{lower:?}"),
        "KeyBound<BookingId>(018bcfe5-6800-7000-8000-000000000000)"
    );
}

#[test]
fn keys_that_clients_may_have_made_by_now_are_found_since_then() {
    let wrap = UnixMillis::new(1_647_575_040_000);
    // Around the wrap of the counter, on and between its steps.
    for now_ms in [0, 1, 59_999, -1, -60_000, -500_000, -1_000_000] {
        let now = UnixMillis::new(wrap.get() + now_ms);
        let since = UnixMillis::new(now.get() - 600_000);
        let bounds = BookingOfferId::bounds_since(since, now);
        for counter in 0..=u16::MAX {
            let id = ShortPrefixComb::<60_000>::from_parts(counter, [9; 14]).to_u128();
            let found = bounds.iter().any(|range| {
                range.lower.is_none_or(|lower| lower.to_u128() <= id)
                    && range.upper.is_none_or(|upper| id < upper.to_u128())
            });
            let accepted = CreationWindow::default().check(BookingOfferId::constant(id), now);
            assert_eq!(found, accepted.is_ok(), "{counter}, {now}");
        }
    }

    let since = UnixMillis::new(1_700_000_000_000);
    assert_eq!(
        BookingId::bounds_since(since, since),
        BookingId::bounds(since..)
    );
    // Later than any accepted clock, and more than a cycle ago.
    assert!(BookingOfferId::bounds_since(wrap, UnixMillis::new(wrap.get() - 600_001)).is_empty());
    let all = BookingOfferId::bounds_since(UnixMillis::EPOCH, wrap);
    assert_eq!(all, BookingOfferId::bounds(..));
}

#[test]
fn distributed_ids_are_found_by_a_time_a_second_earlier() {
    let now = UnixMillis::new(1_700_000_000_000);
    let ids = DistributedIdGenerator::new().with_clock(now);
    let id = ids.try_generate().unwrap().to_u128();
    let is_found_since = |since_ms| {
        let bounds = InvoiceId::bounds_since(UnixMillis::new(since_ms), now);
        let lower = bounds[0].lower.unwrap();
        lower.to_u128() <= id
    };
    assert!(!is_found_since(now.get()));
    assert!(!is_found_since(now.get() - 999));
    assert!(is_found_since(now.get() - 1_000));
}

#[cfg(feature = "public-id")]
#[test]
fn a_key_has_a_public_id() {
    let cipher = PublicIdCipher::from_key(&[7; 32]).unwrap();
    let invoice = InvoiceId::generate();
    let public_id = cipher.encode(&invoice).unwrap();
    assert_eq!(cipher.decode(public_id), Ok(invoice));

    // The key's own rules also apply.
    let supplier = Luuid::from_parts(LuuidGroup::of("com.acme.Supplier"), 1, 2).unwrap();
    let public_id = cipher.encode(&supplier).unwrap().to_string();
    let error = cipher
        .decode::<CustomerId>(public_id.parse().unwrap())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a public id of type CustomerId under any of the keys"
    );
}

#[test]
fn generic_code_works_for_any_key() {
    fn round_trip<K: EntityKey>(key: K) -> Result<K, Error> {
        let text = key.to_string().parse::<K>()?;
        let uuid = K::try_from(text.to_uuid())?;
        K::from_format(K::Format::try_from(uuid.to_u128())?)
    }

    assert_eq!(round_trip(OFFER), Ok(OFFER));
    let user = LegacyOrderId::generate();
    assert_eq!(round_trip(user), Ok(user));
    assert_eq!(<UuidV4 as Format>::KIND, FormatKind::UuidV4);
}

/// A column of 38 digits would truncate a bound of 39 digits and find other rows.
#[test]
fn bounds_beyond_the_plans_digits_are_open() {
    let [inside, after, later] =
        [72_000_000_000_000, 75_000_000_000_000, 76_000_000_000_000].map(rowkey::UnixMillis::new);
    let bounds = PaymentId::bounds(inside..after);
    assert!(bounds[0].lower.is_some() && bounds[0].upper.is_none());
    assert!(PaymentId::bounds(after..later).is_empty());
}

#[test]
fn a_source_numbers_the_keys_of_each_group() {
    let numbers = NumberCounter::new();
    let numbers = [(); 3].map(|()| {
        let customer = pin!(CustomerId::generate_numbered(&numbers));
        match customer.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(customer)) => customer.into_format().number(),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn a_clients_key_is_validated_with_its_own_interval() {
    let now = UnixMillis::new(1_647_575_040_000);
    let made = |ago_ms| {
        let counter = ShortPrefixComb::<1_000>::counter_at(UnixMillis::new(now.get() - ago_ms));
        DraftId::constant(ShortPrefixComb::<1_000>::from_parts(counter, [7; 14]).to_u128())
    };
    let window = CreationWindow::default();
    for (ago_ms, accepted) in [
        (0, true),
        (10_000, true),
        (-10_000, true),
        (11_000, false),
        (540_000, false),
    ] {
        assert_eq!(
            window.check(made(ago_ms), now).is_ok(),
            accepted,
            "{ago_ms}"
        );
        let read = window.parse::<DraftId>(&made(ago_ms).to_string(), now);
        assert_eq!(read.is_ok(), accepted, "{ago_ms}");
    }
}

#[test]
fn display_honours_the_width() {
    let invoice = InvoiceId::constant(1);
    assert_eq!(
        format!("{invoice:>24}"),
        format!("{:>24}", invoice.to_string())
    );
    assert_eq!(
        format!("{invoice:_<24}|"),
        format!("{:_<24}|", invoice.to_string())
    );
    assert_eq!(
        format!("{:>5}", LuuidGroup::of("com.acme.Customer")).len(),
        5
    );
    assert_eq!(format!("{:>40}", UnixMillis::EPOCH).len(), 40);
}
