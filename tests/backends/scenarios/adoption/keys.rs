//! The keys that the pages declare.

use rowkey::entity_key;

#[entity_key]
pub(super) struct RandomId(rowkey::UuidV4);

#[entity_key]
pub(super) struct AnyId(rowkey::AnyUuid);

#[entity_key]
pub(super) struct PrefixId(rowkey::PrefixComb);

#[entity_key]
pub(super) struct SuffixId(rowkey::SuffixComb);

#[entity_key]
pub(super) struct ShortSuffixId(rowkey::ShortSuffixComb);

#[entity_key]
pub(super) struct NumberId(rowkey::DistributedId);

#[entity_key]
pub(super) struct ContextId(rowkey::Iuid);

#[entity_key]
pub(super) struct HotId(rowkey::HotGuid);

#[entity_key]
pub(super) struct NumberInBytesId(rowkey::DistributedId128);

#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text"))]
pub(super) struct TextId(rowkey::UuidV4);

#[entity_key(storage(postgres = "text-upper", mysql = "text-upper", sqlite = "text-upper"))]
pub(super) struct UpperTextId(rowkey::UuidV4);

#[entity_key(storage(postgres = "text-hex", mysql = "text-hex", sqlite = "text-hex"))]
pub(super) struct HexId(rowkey::UuidV4);

#[entity_key(storage(
    postgres = "text-hex-upper",
    mysql = "text-hex-upper",
    sqlite = "text-hex-upper"
))]
pub(super) struct UpperHexId(rowkey::UuidV4);

#[entity_key(storage(postgres = "binary"))]
pub(super) struct BinaryId(rowkey::UuidV4);

pub(super) mod native {
    use rowkey::entity_key;

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(in super::super) struct RandomId(rowkey::UuidV4);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(in super::super) struct TimeId(rowkey::UuidV7);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(in super::super) struct PrefixId(rowkey::PrefixComb);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(in super::super) struct ShortPrefixId(rowkey::ShortPrefixComb);

    #[entity_key(storage(mariadb = "native-uuid"))]
    pub(in super::super) struct SuffixId(rowkey::SuffixComb);
}
