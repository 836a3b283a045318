//! Encrypting ids for the outside world.

use std::sync::LazyLock;

use aes::Aes256;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use rowkey::public_id::{PublicId, PublicIdCipher, PublicIdValue};
use rowkey_core::{AnyUuid, DistributedId};

use crate::inputs::{COUNT, distributed, wide};
use crate::operation::{Operation, operation};

const KEY: [u8; 32] = [0x5a; 32];

pub(crate) const OPERATIONS: &[Operation] = &[
    operation!(number "public-id-encode-u64", wide(), |number| cipher().encode(&(number as u64))),
    operation!(number "public-id-encode-distributed-id", distributed_ids(), |id| cipher().encode(&id)),
    operation!(number "public-id-encode-128-bits", wide(), |number| {
        cipher().encode(&AnyUuid::from_u128(number))
    }),
    operation!(bytes "public-id-decode-u64", &public_ids().word, decode::<u64>),
    operation!(
        bytes "public-id-decode-distributed-id", &public_ids().distributed, decode::<DistributedId>
    ),
    operation!(bytes "public-id-decode-128-bits", &public_ids().wide, decode::<AnyUuid>),
    operation!(plain "public-id-encode-list", || cipher().encode_all(wide())).per_round(LIST),
    // Each value is used, and none is kept.
    operation!(plain "public-id-decode-list", || {
        let values = cipher().decode_all(&public_ids().list);
        values.map(Result::unwrap_or_default).fold(0_u128, |all, one| all ^ one)
    })
    .per_round(LIST),
    operation!(number "peer-aes-encrypt", wide(), |number| {
        let mut block = number.to_be_bytes().into();
        aes().encrypt_block(&mut block);
        block
    }),
    operation!(bytes "peer-aes-decrypt", &public_ids().wide, |bytes| {
        let mut block = array(bytes).into();
        aes().decrypt_block(&mut block);
        block
    }),
    operation!(plain "peer-aes-encrypt-list", || {
        let mut blocks = wide().map(|number| number.to_be_bytes().into()).to_vec();
        aes().encrypt_blocks(&mut blocks);
        blocks
    })
    .per_round(LIST),
    operation!(plain "peer-aes-decrypt-list", || {
        let mut blocks = public_ids().wide.map(Into::into).to_vec();
        aes().decrypt_blocks(&mut blocks);
        let values = blocks.into_iter().map(|block| u128::from_be_bytes(block.into()));
        values.fold(0_u128, |all, one| all ^ one)
    })
    .per_round(LIST),
];

/// Ids in a list.
const LIST: u64 = COUNT as u64;

/// A cipher as a program has it: made once.
fn cipher() -> &'static PublicIdCipher {
    static CIPHER: LazyLock<PublicIdCipher> =
        LazyLock::new(|| PublicIdCipher::from_key(&KEY).expect("the key has 32 bytes"));
    &CIPHER
}

fn aes() -> &'static Aes256 {
    static AES: LazyLock<Aes256> = LazyLock::new(|| Aes256::new(&KEY.into()));
    &AES
}

/// Typed before they are encoded: checking their range is not part of it.
fn distributed_ids() -> &'static [DistributedId; COUNT] {
    static IDS: LazyLock<[DistributedId; COUNT]> =
        LazyLock::new(|| distributed().map(DistributedId::constant));
    &IDS
}

/// Public ids to decode.
struct PublicIds {
    word: [[u8; 16]; COUNT],
    distributed: [[u8; 16]; COUNT],
    wide: [[u8; 16]; COUNT],
    list: Vec<PublicId<u128>>,
}

fn public_ids() -> &'static PublicIds {
    static PUBLIC_IDS: LazyLock<PublicIds> = LazyLock::new(|| PublicIds {
        word: wide().map(|number| encoded(number as u64)),
        distributed: distributed_ids().map(encoded),
        wide: wide().map(|number| encoded(AnyUuid::from_u128(number))),
        list: cipher()
            .encode_all(wide())
            .expect("any number has a public id"),
    });
    &PUBLIC_IDS
}

fn encoded(value: impl PublicIdValue) -> [u8; 16] {
    let public_id = cipher().encode(&value).expect("the value has a public id");
    public_id.as_uuid().into_bytes()
}

#[inline(always)]
fn decode<T: PublicIdValue>(bytes: &[u8]) -> Option<T> {
    let public_id = PublicId::from_uuid(uuid::Uuid::from_bytes(array(bytes)));
    cipher().decode(public_id).ok()
}

#[inline(always)]
fn array(bytes: &[u8]) -> [u8; 16] {
    bytes.try_into().unwrap_or_default()
}
