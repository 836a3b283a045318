//! Public ids in the formats of serde.

use rowkey::public_id::{PublicId, alphanumeric};
use serde::de::value::{
    BorrowedBytesDeserializer, BytesDeserializer, Error, SeqDeserializer, U64Deserializer,
};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::ser::{Impossible, Serializer};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};

const TEXT: &str = "30322474-a954-ffa9-941c-6f038afe4ff1";

fn public_id() -> PublicId<u64> {
    TEXT.parse().unwrap()
}

#[test]
fn text_in_formats_for_humans() {
    let json = serde_json::to_string(&public_id()).unwrap();
    assert_eq!(json, format!("\"{TEXT}\""));
    assert_eq!(
        serde_json::from_str::<PublicId<u64>>(&json).unwrap(),
        public_id()
    );
    let hexadecimal = json.replace('-', "");
    assert_eq!(
        serde_json::from_str::<PublicId<u64>>(&hexadecimal).unwrap(),
        public_id()
    );
    let error = serde_json::from_str::<PublicId<u64>>("\"30322474\"").unwrap_err();
    assert!(error.to_string().contains("found 8 characters"), "{error}");
    assert!(serde_json::from_str::<PublicId<u64>>("5").is_err());
}

/// Hands over what a binary format has read.
struct Binary<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Binary<D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

fn read<'de>(input: impl Deserializer<'de, Error = Error>) -> Result<PublicId<u64>, Error> {
    PublicId::deserialize(Binary(input))
}

#[test]
fn sixteen_bytes_in_binary_formats() {
    let bytes = *public_id().as_uuid().as_bytes();
    assert_eq!(read(BytesDeserializer::new(&bytes)), Ok(public_id()));
    assert_eq!(
        read(BorrowedBytesDeserializer::new(&bytes)),
        Ok(public_id())
    );
    assert_eq!(
        read(SeqDeserializer::new(bytes.into_iter())),
        Ok(public_id())
    );
    assert_eq!(read(ByteBuf(bytes.to_vec())), Ok(public_id()));

    let long = [bytes, bytes].concat();
    for length in [0, 15, 17, 32] {
        let message = format!("invalid length {length}, expected the 16 bytes of a public id",);
        let error = read(BytesDeserializer::new(&long[..length])).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(read(SeqDeserializer::new(long[..length].iter().copied())).is_err());
    }
    let number: U64Deserializer<Error> = 5_u64.into_deserializer();
    assert!(read(number).is_err());
}

/// A deserializer of an owned buffer.
struct ByteBuf(Vec<u8>);

impl<'de> Deserializer<'de> for ByteBuf {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_byte_buf(self.0)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

/// A binary format that holds byte strings and nothing else.
struct BytesOnly;

macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $result:ident;)*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<Self::$result, Error> {
            Err(serde::ser::Error::custom(stringify!($method)))
        }
    )*};
}

impl Serializer for BytesOnly {
    type Ok = Vec<u8>;
    type Error = Error;
    type SerializeSeq = Impossible<Vec<u8>, Error>;
    type SerializeTuple = Impossible<Vec<u8>, Error>;
    type SerializeTupleStruct = Impossible<Vec<u8>, Error>;
    type SerializeTupleVariant = Impossible<Vec<u8>, Error>;
    type SerializeMap = Impossible<Vec<u8>, Error>;
    type SerializeStruct = Impossible<Vec<u8>, Error>;
    type SerializeStructVariant = Impossible<Vec<u8>, Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(bytes.to_vec())
    }

    refuse! {
        serialize_bool(bool) -> Ok;
        serialize_i8(i8) -> Ok;
        serialize_i16(i16) -> Ok;
        serialize_i32(i32) -> Ok;
        serialize_i64(i64) -> Ok;
        serialize_u8(u8) -> Ok;
        serialize_u16(u16) -> Ok;
        serialize_u32(u32) -> Ok;
        serialize_u64(u64) -> Ok;
        serialize_f32(f32) -> Ok;
        serialize_f64(f64) -> Ok;
        serialize_char(char) -> Ok;
        serialize_str(&str) -> Ok;
        serialize_none() -> Ok;
        serialize_unit() -> Ok;
        serialize_unit_struct(&'static str) -> Ok;
        serialize_unit_variant(&'static str, u32, &'static str) -> Ok;
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize)
            -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize)
            -> SerializeStructVariant;
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<Vec<u8>, Error> {
        Err(serde::ser::Error::custom("serialize_some"))
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: &T,
    ) -> Result<Vec<u8>, Error> {
        Err(serde::ser::Error::custom("serialize_newtype_struct"))
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Vec<u8>, Error> {
        Err(serde::ser::Error::custom("serialize_newtype_variant"))
    }
}

#[test]
fn binary_formats_are_given_sixteen_bytes() {
    for bytes in [
        public_id().serialize(BytesOnly).unwrap(),
        alphanumeric::serialize(&public_id(), BytesOnly).unwrap(),
    ] {
        assert_eq!(bytes, public_id().as_uuid().as_bytes());
    }
}
