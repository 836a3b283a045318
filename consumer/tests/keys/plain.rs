//! What needs no feature: constants, text, conversions and plans.

use rowkey::Uuid;
use rowkey::storage::{Layout, Storage, TextForm, Wire};
use rowkey::validate::CreationWindow;
use rowkey::{Backend, EntityKey, UnixMillis};
use rowkey_consumer::formats::{
    BookingId, CabinId, CustomerId, DraftId, InvoiceId, ItemId, LegacyOrderId, PaymentId, PersonId,
    ReceiptId, RouteId, SessionId, ShardRowId, SupportNumber,
};
use rowkey_consumer::{PassengerId, seat_label, through_text};

use super::{FERRY, INVOICE, LEGACY, OFFER, PASSENGER, SHIP, TERMINAL, TICKET};

#[test]
fn keys_have_their_public_text() {
    assert_eq!(OFFER.to_string(), "fff60000-0000-4000-8000-000000000001");
    assert_eq!(INVOICE.to_string(), "inv_3zfAkCP7ZtzfeQYp");
    assert_eq!(LEGACY.to_string(), "00000000-0000-0000-0000-000000000007");
    assert_eq!(
        PASSENGER.to_string(),
        "018e5f3b-ff48-4000-8000-000000000001"
    );
    assert_eq!(FERRY.to_string(), "018e5f3b-ff48-7000-8000-000000000001");
    assert_eq!(TERMINAL.to_string(), "trm_0000000000000010");
    assert_eq!(SHIP.to_string(), "00010000-0000-4000-8000-000000000001");
    assert_eq!(TICKET.to_string(), "tkt_000000000000000z");
    assert_eq!(format!("{TICKET:?}"), "TicketId(tkt_000000000000000z)");
    assert_eq!(
        seat_label(0x4000_8000_0000_0000_0000).map(|label| label.to_string()),
        Ok("seat_000000004GGAzL8n0Y58m8".into())
    );
}

#[test]
fn keys_of_every_format_come_back_from_their_text_and_their_uuid() {
    fn comes_back<K: EntityKey>(value: u128)
    where
        Uuid: From<K>,
    {
        let key = K::try_from(value).expect(K::NAME);
        assert_eq!(through_text(key), Ok(key));
        assert_eq!(K::try_from(Uuid::from(key)), Ok(key));
        assert_eq!(K::from_format(key.into_format()), Ok(key));
    }

    let v4 = 0x018e_5f3b_ff48_4abc_8123_4567_89ab_cdef;
    comes_back::<DraftId>(v4);
    comes_back::<CustomerId>(v4);
    comes_back::<CabinId>(v4);
    comes_back::<RouteId>(v4);
    comes_back::<SessionId>(v4);
    comes_back::<BookingId>(0x018e_5f3b_ff48_7abc_8123_4567_89ab_cdef);
    comes_back::<ItemId>(0x018e_5f3b_ff48_80bc_8123_4567_89ab_cdef);
    comes_back::<ReceiptId>(1_088_824_355_131_185_736_905_670_087);
    comes_back::<PaymentId>(10_u128.pow(38) - 1);
    comes_back::<ShardRowId>(u128::MAX);
    comes_back::<SupportNumber>(i64::MAX as u128);
    let group = PersonId::GROUP.expect("a LUUID key has a group").get();
    comes_back::<PersonId>(7 << 80 | 6 << 76 | u128::from(group) << 64 | 0xa << 60);
}

#[test]
fn what_is_no_key_is_refused() {
    let error = "cus_3zfAkCP7ZtzfeQYp".parse::<InvoiceId>();
    assert_eq!(
        error.expect_err("the prefix is another one").to_string(),
        "InvoiceId begins with `inv_`, but the text begins with `cus_`"
    );
    assert!(SessionId::try_from(FERRY.to_u128()).is_err());
    assert!(PaymentId::try_from(10_u128.pow(38)).is_err());
    assert!(SupportNumber::try_from(1 << 63).is_err());
    assert!(SupportNumber::from_number(-1).is_err());
}

#[test]
fn plans_are_the_declared_ones() {
    let column = |plan: rowkey::storage::StoragePlan, backend| {
        let column = plan.column(backend);
        (column.storage(), column.layout())
    };
    let invoice = InvoiceId::PLAN;
    assert_eq!(
        column(invoice, Backend::Postgres),
        (Storage::Uuid, Layout::Public)
    );
    assert_eq!(
        column(invoice, Backend::SqlServer),
        (Storage::Uuid, Layout::SqlServer)
    );
    assert_eq!(
        invoice.column(Backend::Sqlite).literal(INVOICE.to_u128()),
        "'1088824355131185736905670087'"
    );
    assert_eq!(
        column(CabinId::PLAN, Backend::MySql),
        (Storage::NativeUuid, Layout::Suffix)
    );
    assert_eq!(
        column(RouteId::PLAN, Backend::Postgres),
        (Storage::Uuid, Layout::Prefix)
    );
    assert_eq!(
        column(LegacyOrderId::PLAN, Backend::SqlServer),
        (Storage::Uuid, Layout::Public)
    );
    assert_eq!(
        PaymentId::PLAN.column(Backend::Sqlite).wire(),
        Wire::Text(TextForm::Digits38)
    );
    assert_eq!(
        BookingId::PLAN.column(Backend::Sqlite).wire(),
        Wire::Text(TextForm::Compact22)
    );
}

#[test]
fn bounds_and_windows_need_no_clock_of_their_own() {
    let hour = UnixMillis::new(1_711_000_000_000)..UnixMillis::new(1_711_003_600_000);
    let bounds = PassengerId::bounds(hour);
    assert_eq!(
        bounds[0].lower.map(rowkey::time_range::KeyBound::to_u128),
        Some(0x018e_5f8c_1600_4000_8000_0000_0000_0000)
    );

    let now = UnixMillis::new(1_647_575_040_000);
    let window = CreationWindow::default();
    assert_eq!(window.check(OFFER, now), Ok(()));
    let an_hour_later = UnixMillis::new(1_647_578_640_000);
    assert!(window.check(OFFER, an_hour_later).is_err());
}

#[test]
fn an_untyped_id_becomes_the_key_of_its_group() {
    let group = renamed::CabinId::GROUP.expect("a LUUID key has a group");
    let bits = 7 << 80 | 6 << 76 | u128::from(group.get()) << 64 | 0xa << 60;
    let cabin = renamed::CabinId::constant(bits);
    let label = renamed::LabelId::try_from(cabin.to_uuid());
    assert_eq!(label, Ok(renamed::LabelId::Cabin(cabin)));
    assert_eq!(label.map(|label| label.to_string()), Ok(cabin.to_string()));
    assert_eq!(cabin.short_key().to_string(), "7");
    assert!(renamed::LabelId::try_from(SHIP.to_uuid()).is_err());
}
