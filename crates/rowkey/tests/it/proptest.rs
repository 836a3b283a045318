//! Arbitrary keys are valid keys.

use proptest::prelude::*;
use rowkey::format::Format;
use rowkey::{
    AnyUuid, DistributedId, DistributedId128, EntityKey, HotGuid, Iuid, Luuid, PrefixComb,
    ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4, UuidV7, entity_key,
};

#[entity_key]
struct OfferId(ShortPrefixComb<1_000>);

#[entity_key(prefix = "inv")]
struct InvoiceId(DistributedId);

#[entity_key(group = "com.acme.Customer")]
struct CustomerId(Luuid);

#[entity_key(storage(postgres = "decimal"))]
struct PaymentId(DistributedId128);

#[entity_key]
struct OrderId(AnyUuid);

fn is_sound<K: EntityKey>(key: K) -> Result<(), TestCaseError> {
    prop_assert_eq!(K::try_from(key.to_u128()), Ok(key));
    prop_assert_eq!(key.to_string().parse::<K>(), Ok(key));
    prop_assert_eq!(K::GROUP.is_some(), K::NAME == "CustomerId");
    Ok(())
}

fn is_of_format<F: Format>(id: F) -> Result<(), TestCaseError> {
    prop_assert_eq!(F::try_from(id.to_u128()), Ok(id));
    prop_assert_eq!(id.to_string().parse::<F>(), Ok(id));
    Ok(())
}

proptest! {
    #[test]
    fn keys_are_valid(
        offer: OfferId, invoice: InvoiceId, customer: CustomerId, payment: PaymentId, order: OrderId,
    ) {
        is_sound(offer)?;
        is_sound(invoice)?;
        is_sound(customer)?;
        is_sound(payment)?;
        is_sound(order)?;
        prop_assert!(payment.to_u128() < 10_u128.pow(38));
    }

    #[test]
    fn formats_are_valid(
        ids: (UuidV4, UuidV7, Iuid, Luuid, HotGuid, AnyUuid, DistributedId, DistributedId128),
        combs: (PrefixComb, SuffixComb, ShortPrefixComb, ShortSuffixComb),
    ) {
        is_of_format(ids.0)?;
        is_of_format(ids.1)?;
        is_of_format(ids.2)?;
        is_of_format(ids.3)?;
        is_of_format(ids.4)?;
        is_of_format(ids.5)?;
        is_of_format(ids.6)?;
        is_of_format(ids.7)?;
        is_of_format(combs.0)?;
        is_of_format(combs.1)?;
        is_of_format(combs.2)?;
        is_of_format(combs.3)?;
    }

    #[test]
    fn arbitrary_text_is_refused_without_a_panic(text: String) {
        if let Ok(key) = text.parse::<InvoiceId>() {
            prop_assert_eq!(&key.to_string(), &text);
        }
        let _ = text.parse::<OfferId>();
    }
}
