//! Arbitrary keys.

use proptest::arbitrary::{Arbitrary, any};
use proptest::test_runner::{Config, TestRunner};
use renamed::{ShipId, TicketId};
use rowkey::EntityKey;
use rowkey_consumer::formats::{ItemId, PaymentId, PersonId};
use rowkey_consumer::shadowed::FerryId;
use rowkey_consumer::through_text;

fn arbitrary_keys_are_keys<K: EntityKey + Arbitrary>() {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&any::<K>(), |key| {
        assert_eq!(K::try_from(key.to_u128()), Ok(key));
        assert_eq!(through_text(key), Ok(key));
        Ok(())
    });
    assert!(outcome.is_ok(), "{}: {outcome:?}", K::NAME);
}

#[test]
fn arbitrary_keys_are_valid() {
    arbitrary_keys_are_keys::<ItemId>();
    arbitrary_keys_are_keys::<PaymentId>();
    arbitrary_keys_are_keys::<PersonId>();
    arbitrary_keys_are_keys::<FerryId>();
    arbitrary_keys_are_keys::<ShipId>();
    arbitrary_keys_are_keys::<TicketId>();
}
