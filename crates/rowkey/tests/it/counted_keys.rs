//! Keys over numbers that the database counts, without a database.

use rowkey::format::FormatKind;
use rowkey::storage::{Storage, StoredRef};
use rowkey::{Backend, DatabaseNumber, EntityKey, Uuid, entity_key};

#[entity_key]
struct AccountNumber(DatabaseNumber);

#[entity_key(prefix = "inv")]
struct InvoiceNumber(DatabaseNumber);

#[entity_key(public_id = "order")]
struct OrderNumber(DatabaseNumber);

const LARGE: i64 = (1 << 53) + 1;

#[test]
fn the_text_is_a_number_or_has_a_prefix() {
    let texts = |number: i64| {
        [
            AccountNumber::from_number(number).unwrap().to_string(),
            InvoiceNumber::from_number(number).unwrap().to_string(),
        ]
    };
    assert_eq!(texts(0), ["0", "inv_00000000000"]);
    assert_eq!(texts(42), ["42", "inv_0000000000g"]);
    assert_eq!(texts(i64::MAX), ["9223372036854775807", "inv_AzL8n0Y58m7"]);
    for number in [0, 1, LARGE, i64::MAX] {
        let [account, invoice] = texts(number);
        assert_eq!(
            account.parse::<AccountNumber>().unwrap().to_number(),
            number
        );
        assert_eq!(
            invoice.parse::<InvoiceNumber>().unwrap().to_number(),
            number
        );
    }
}

#[test]
fn texts_of_no_key_are_refused() {
    for text in [
        "",
        "-1",
        "+1",
        "1.0",
        "9223372036854775808",
        "00000000000000000001",
        "x",
    ] {
        assert!(text.parse::<AccountNumber>().is_err(), "{text}");
    }
    assert!("42".parse::<InvoiceNumber>().is_err());
    assert!("inv_AzL8n0Y58m8".parse::<InvoiceNumber>().is_err());
}

#[test]
fn numbers_outside_the_range_are_refused_with_it() {
    let refusal = |number: i64| AccountNumber::from_number(number).unwrap_err().to_string();
    assert_eq!(
        refusal(-1),
        "number of a DatabaseNumber is 0..=9223372036854775807, not -1"
    );
    assert!(refusal(i64::MIN).contains("not -9223372036854775808"));
    let above = 1_u64 << 63;
    assert!(AccountNumber::from_number(above).is_err());
    assert!(AccountNumber::from_number(above - 1).is_ok());
    let error = AccountNumber::try_from(u128::from(above)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a DatabaseNumber: the number is larger than 2^63-1"
    );
    let uuid = Uuid::from_u128(42);
    let from_uuid = AccountNumber::try_from(uuid).unwrap();
    assert_eq!((from_uuid.to_number(), from_uuid.to_uuid()), (42, uuid));
    assert!(AccountNumber::try_from(Uuid::max()).is_err());
}

#[test]
fn a_column_of_integers_is_the_only_one() {
    for backend in Backend::ALL {
        let column = AccountNumber::PLAN.column(backend);
        assert_eq!(column.storage(), Storage::Bigint);
        assert_eq!(column.literal(LARGE as u128), LARGE.to_string());
        let read = |number| column.decode(StoredRef::Integer(number));
        assert_eq!(read(LARGE.into()), Ok(LARGE as u128));
        for (number, found) in [
            (-1, "the negative number -1"),
            (1 << 63, "the number 9223372036854775808"),
        ] {
            assert_eq!(
                read(number).unwrap_err().to_string(),
                format!(
                    "stored DatabaseNumber: expected an integer from 0 to 2^63-1, found {found}"
                )
            );
        }
        // Servers would compare it as another type.
        assert!(column.decode(StoredRef::Text("42")).is_err());
        assert!(column.decode(StoredRef::Decimal(42)).is_err());
        assert!(column.decode(StoredRef::Bytes(&[0; 16])).is_err());
    }
    for format in FormatKind::ALL {
        let plan = rowkey::storage::StoragePlan::default_for(format);
        let counts = plan
            .counted_column_definition(Backend::Sqlite, "id")
            .is_ok();
        assert_eq!(counts, format == FormatKind::DatabaseNumber, "{format}");
    }
}

#[test]
fn keys_are_sorted_as_numbers() {
    let mut keys =
        [i64::MAX, 10, 9, LARGE, 0].map(|number| AccountNumber::from_number(number).unwrap());
    let mut for_sql_server = keys;
    keys.sort();
    let numbers = keys.map(EntityKey::to_number);
    assert_eq!(numbers, [0, 9, 10, LARGE, i64::MAX]);
    AccountNumber::sort_for(Backend::SqlServer, &mut for_sql_server);
    assert_eq!(for_sql_server, keys);
}

#[cfg(feature = "serde")]
#[test]
fn json_has_a_string() {
    let account = AccountNumber::from_number(LARGE).unwrap();
    let json = serde_json::to_string(&account).unwrap();
    assert_eq!(json, "\"9007199254740993\"");
    assert_eq!(
        serde_json::from_str::<AccountNumber>(&json).unwrap(),
        account
    );
    assert!(serde_json::from_str::<AccountNumber>("\"-1\"").is_err());
    assert!(serde_json::from_str::<AccountNumber>("9007199254740993").is_err());
}

#[cfg(feature = "public-id")]
#[test]
fn public_ids_hide_the_number() {
    use rowkey::public_id::{PublicId, PublicIdSecret, PublicIdSecrets};

    let secrets: PublicIdSecrets = PublicIdSecret::from_bytes(&[7; 32]).unwrap().into();
    let orders = secrets.cipher::<OrderNumber>();
    let [first, second] = [1, 2].map(|number| {
        let order = OrderNumber::from_number(number).unwrap();
        let public = orders.encode(&order).unwrap();
        assert_eq!(orders.decode(public).unwrap(), order);
        public.as_uuid()
    });
    let differing = (first.as_u128() ^ second.as_u128()).count_ones();
    assert!((32..=96).contains(&differing), "{first} and {second}");
    let guessed = PublicId::from_uuid(Uuid::from_u128(first.as_u128() + 1));
    assert!(orders.decode(guessed).is_err());
}
