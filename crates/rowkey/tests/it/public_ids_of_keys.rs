//! Public ids of keys that declare a label.

use rowkey::error::ErrorKind;
use rowkey::public_id::{PublicId, PublicIdLabel, PublicIdSecret, PublicIdSecrets, SealedId};
use rowkey::{AnyUuid, DistributedId, Luuid, entity_key};

#[entity_key(prefix = "inv", public_id = "invoice")]
struct InvoiceId(DistributedId);

#[entity_key(public_id = "order")]
struct OrderId(DistributedId);

#[entity_key(group = "com.acme.Customer", public_id = "customer")]
struct CustomerId(Luuid);

#[entity_key(public_id = "attachment")]
struct AttachmentId(AnyUuid);

mod renamed {
    /// A type with another name and the same label, which gives the same links.
    #[rowkey::entity_key(public_id = "order")]
    pub(super) struct PurchaseOrderId(rowkey::DistributedId);
}

fn secrets() -> PublicIdSecrets {
    PublicIdSecret::from_bytes(&[7; 32]).unwrap().into()
}

#[test]
fn the_label_is_the_declared_one() {
    assert_eq!(InvoiceId::LABEL, "invoice");
    assert_eq!(CustomerId::LABEL, "customer");
    assert_eq!(renamed::PurchaseOrderId::LABEL, "order");
}

#[test]
fn an_order_is_not_read_as_an_invoice() {
    let secrets = secrets();
    let order = OrderId::generate();
    let invoice = InvoiceId::try_from(u128::from(order)).unwrap();
    let orders = secrets.cipher::<OrderId>();
    let invoices = secrets.cipher::<InvoiceId>();
    let public_id = orders.encode(&order).unwrap();
    assert_eq!(orders.decode(public_id), Ok(order));
    assert_ne!(
        public_id.as_uuid(),
        invoices.encode(&invoice).unwrap().as_uuid()
    );
    let error = invoices
        .decode(PublicId::from_uuid(public_id.as_uuid()))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a public id of type InvoiceId with the label `invoice` under any of the secrets: made \
         up, changed, or made for another label or with another secret"
    );
}

#[test]
fn renaming_the_type_keeps_the_links() {
    let secrets = secrets();
    let order = OrderId::generate();
    let given_out = secrets.cipher::<OrderId>().encode(&order).unwrap();
    let renamed = secrets.cipher::<renamed::PurchaseOrderId>();
    let order_again = renamed.decode(PublicId::from_uuid(given_out.as_uuid()));
    assert_eq!(u128::from(order_again.unwrap()), u128::from(order));
}

/// `decode` also checks the group.
#[test]
fn a_key_with_a_group_is_recognised_by_it() {
    let customers = secrets().cipher::<CustomerId>();
    let made_up = (1..=1_000_u128).map(|bits| PublicId::from_uuid(rowkey::Uuid::from_u128(bits)));
    assert!(made_up.into_iter().all(|id| customers.decode(id).is_err()));
}

#[test]
fn sealed_ids_belong_to_one_entity() {
    let secrets = secrets();
    let attachment = AttachmentId::generate();
    let attachments = secrets.sealed_cipher::<AttachmentId>();
    let sealed = attachments.encode(&attachment).unwrap();
    assert_eq!(attachments.decode(sealed), Ok(attachment));
    let invoices = secrets.sealed_cipher::<InvoiceId>();
    let error = invoices
        .decode(SealedId::from_bytes(sealed.to_bytes()))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    let message = error.to_string();
    let beginning = "not a public id of type InvoiceId with the label `invoice` under any of";
    assert!(message.starts_with(beginning), "{message}");
}

#[test]
fn sealed_ids_are_text_for_humans_and_32_bytes_for_machines() {
    let sealed = secrets().sealed_cipher::<AttachmentId>();
    let sealed = sealed.encode(&AttachmentId::generate()).unwrap();

    let json = serde_json::to_string(&sealed).unwrap();
    assert_eq!(json, format!("\"{sealed}\""));
    let read: SealedId<AttachmentId> = serde_json::from_str(&json).unwrap();
    assert_eq!(read, sealed);

    let bytes = postcard::to_allocvec(&sealed).unwrap();
    assert_eq!(bytes[0], 32);
    assert_eq!(bytes[1..], sealed.to_bytes());
    let read: SealedId<AttachmentId> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, sealed);

    let mut bytes = Vec::new();
    ciborium::into_writer(&sealed, &mut bytes).unwrap();
    let read: SealedId<AttachmentId> = ciborium::from_reader(&*bytes).unwrap();
    assert_eq!(read, sealed);

    let short = postcard::to_allocvec(&OrderId::generate()).unwrap();
    assert!(postcard::from_bytes::<SealedId<AttachmentId>>(&short).is_err());
    let text = format!("\"{}\"", OrderId::generate());
    let error = serde_json::from_str::<SealedId<AttachmentId>>(&text).unwrap_err();
    assert!(error.to_string().contains("44 alphanumeric"), "{error}");
}
