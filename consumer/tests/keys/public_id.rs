//! Public ids of keys with a label.

use rowkey::public_id::{PublicIdSecret, PublicIdSecrets};
use rowkey_consumer::formats::{InvoiceId, OfferId};

use crate::{INVOICE, OFFER};

#[test]
fn each_entity_has_ids_of_its_own() {
    let secret = PublicIdSecret::from_bytes(&[7; 32]).expect("32 bytes are a secret");
    let secrets = PublicIdSecrets::new(secret);
    let invoices = secrets.cipher::<InvoiceId>();
    let public_id = invoices.encode(&INVOICE).expect("every key has one");
    assert_eq!(invoices.decode(public_id), Ok(INVOICE));
    let offers = secrets.sealed_cipher::<OfferId>();
    let sealed = offers.encode(&OFFER).expect("every key has one");
    assert_eq!(sealed.to_string().parse(), Ok(sealed));
    assert_eq!(offers.decode(sealed), Ok(OFFER));
}
