//! What is left in memory of a key once its cipher is gone.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rowkey::public_id::{PublicIdCipher, PublicIdCiphers, PublicIdSecret, PublicIdSecrets};

/// Not zero, so that the bytes looked for are nowhere themselves.
const MASK: u8 = 0x5a;

/// A use of AES may copy round keys to the stack. The release profile of this workspace, which
/// optimises across crates, has none left there; Cargo's own has.
const USES_LEAVE_NOTHING: bool = !cfg!(debug_assertions);

/// How often sixteen bytes are in the memory that this process can write to.
fn count(masked: &[u8; 16]) -> usize {
    let memory = File::open("/proc/self/mem").unwrap();
    let mut page = vec![0; 4096 + 15];
    let mut found = 0;
    for line in fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let Some((range, rest)) = line.split_once(' ') else {
            continue;
        };
        if !rest.starts_with("rw") {
            continue;
        }
        let (start, end) = range.split_once('-').unwrap();
        let start = u64::from_str_radix(start, 16).unwrap();
        let end = u64::from_str_radix(end, 16).unwrap();
        for address in (start..end).step_by(4096) {
            let Ok(length) = memory.read_at(&mut page, address) else {
                continue;
            };
            found += page[..length]
                .windows(16)
                .filter(|window| window.iter().zip(masked).all(|(a, b)| a ^ MASK == *b))
                .count();
            // Or the next pages would have copies of this one.
            page.fill(0);
        }
    }
    found
}

/// A key of 32 bytes as base64, and its first half behind the mask.
fn key(seed: u8) -> (String, [u8; 16]) {
    let byte =
        |index: u8| seed.wrapping_mul(37).wrapping_add(index.wrapping_mul(91)) ^ (index >> 3);
    let mut groups = String::new();
    for first in (0..32).step_by(3) {
        let three: Vec<u8> = (first..32.min(first + 3)).map(byte).collect();
        groups += &STANDARD.encode(&three);
    }
    (
        groups,
        std::array::from_fn(|index| byte(index as u8) ^ MASK),
    )
}

#[test]
fn nothing_is_left_of_the_key_of_a_cipher() {
    for seed in 0..2 {
        let (text, masked) = key(seed);
        let cipher = PublicIdCipher::from_base64(&text).unwrap();
        // Moved around, as programs do it.
        let ciphers = Arc::new(PublicIdCiphers::new(cipher));
        if USES_LEAVE_NOTHING {
            ciphers.encode(&1_u64).unwrap();
        }
        drop(ciphers);
        assert_eq!(count(&masked), 0, "seed {seed}");
    }
}

#[test]
fn a_secret_is_at_one_place_and_nothing_is_left_of_it() {
    let (text, masked) = key(20);
    let secret = PublicIdSecret::from_base64(&text).unwrap();
    assert_eq!(count(&masked), 1);
    let secrets = Arc::new(PublicIdSecrets::new(secret));
    let cipher = secrets.cipher_for::<u64>("order").unwrap();
    let sealed = secrets.sealed_cipher_for::<u64>("order").unwrap();
    assert_eq!(count(&masked), 1);
    if USES_LEAVE_NOTHING {
        cipher.encode(&1).unwrap();
    }
    // The two halves of the subkey of sealed ids, behind the mask.
    assert_eq!(SEALED_SUBKEY.map(|half| count(&half)), [1, 1]);
    drop((secrets, cipher, sealed));
    assert_eq!(count(&masked), 0);
    assert_eq!(count(&BLOCK_SUBKEY), 0);
    assert_eq!(SEALED_SUBKEY.map(|half| count(&half)), [0, 0]);
}

/// The first sixteen bytes of the subkey that the secret of the seed 20 has for public ids.
const BLOCK_SUBKEY: [u8; 16] = [
    0x2d, 0x1f, 0xac, 0x40, 0x0b, 0xf4, 0xb9, 0xac, 0xc0, 0xcc, 0x0a, 0x06, 0xd4, 0x27, 0x09, 0xfe,
];

/// The same of each half of the subkey for sealed ids.
const SEALED_SUBKEY: [[u8; 16]; 2] = [
    [
        0x69, 0xbc, 0x7f, 0xb0, 0xce, 0x53, 0x5d, 0x6a, 0x50, 0xf6, 0xcc, 0xcc, 0x91, 0x06, 0xf8,
        0x6d,
    ],
    [
        0x44, 0xf4, 0x3c, 0x90, 0x17, 0x4d, 0x42, 0x29, 0xe7, 0xe7, 0x21, 0xb6, 0xe1, 0x79, 0x0c,
        0x09,
    ],
];
