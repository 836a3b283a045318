//! DistributedId keys as decimal numbers.

use rowkey::{DistributedId, EntityKey, Error, UuidV7, entity_key};
use rust_decimal::Decimal;

#[entity_key(prefix = "inv")]
struct InvoiceId(DistributedId);

/// Keys over other formats have no such conversions, and compile.
#[entity_key]
struct CustomerId(UuidV7);

#[test]
fn a_key_is_a_decimal_of_at_most_28_digits() {
    for value in [
        0,
        1,
        1_088_824_355_131_185_736_905_670_087,
        10_u128.pow(28) - 1,
    ] {
        let invoice = InvoiceId::constant(value);
        let number = Decimal::from(invoice);
        assert_eq!(number.to_string(), value.to_string());
        assert_eq!(InvoiceId::try_from(number), Ok(invoice));

        let id: DistributedId = number.try_into().unwrap();
        assert_eq!(id, invoice.into_format());
    }
}

#[test]
fn zeros_after_the_decimal_point_are_accepted() {
    let number: Decimal = "42.000".parse().unwrap();
    assert_eq!(InvoiceId::try_from(number), Ok(InvoiceId::constant(42)));
}

#[test]
fn other_numbers_are_errors() {
    for (number, message) in [
        (
            "1.5",
            "stored DistributedId: expected a whole number of at most 28 digits, found the number 1.5",
        ),
        (
            "-1",
            "stored DistributedId: expected a whole number of at most 28 digits, found the number -1",
        ),
        (
            "10000000000000000000000000000",
            "not a DistributedId: the number is larger than 10^28-1",
        ),
    ] {
        let number: Decimal = number.parse().unwrap();
        let error: Error = InvoiceId::try_from(number).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(CustomerId::NAME, "CustomerId");
}
