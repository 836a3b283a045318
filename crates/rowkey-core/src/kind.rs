//! The list of formats, from which all other lists are derived.

use core::fmt;

/// Calls a macro with a row for each format, in the order of the documentation: its module, its
/// type, its name on the command line, how its ids are made, and its generic parameters as declared
/// and as passed on. The argument comes before the rows.
///
/// Ids are `drawn` by the format's `FromDraw`, from a clock, random bits and the context in the
/// parentheses, `counted` by its `Counted` as well, made by the format's `own` impl of `Generate`,
/// or `assigned` by the database, without any `Generate`.
#[doc(hidden)]
#[macro_export]
macro_rules! __format_rows {
    ($callback:ident $($argument:ident)?) => {
        $callback! {
            [$($argument)?]
            {short_prefix_comb ShortPrefixComb "short-prefix-comb" drawn()
                [const INTERVAL_MS: u64] [<INTERVAL_MS>]}
            {short_suffix_comb ShortSuffixComb "short-suffix-comb" drawn()
                [const INTERVAL_MS: u64] [<INTERVAL_MS>]}
            {prefix_comb PrefixComb "prefix-comb" drawn() [] []}
            {suffix_comb SuffixComb "suffix-comb" drawn() [] []}
            {distributed_id DistributedId "distributed-id" own() [] []}
            {distributed_id128 DistributedId128 "distributed-id128" own() [] []}
            {luuid Luuid "luuid" own() [] []}
            {iuid Iuid "iuid" counted(IuidContext) [] []}
            {hot_guid HotGuid "hot-guid" own() [] []}
            {uuid_v4 UuidV4 "uuid-v4" drawn() [] []}
            {uuid_v7 UuidV7 "uuid-v7" counted() [] []}
            {any_uuid AnyUuid "any-uuid" drawn() [] []}
            {database_number DatabaseNumber "database-number" assigned() [] []}
        }
    };
}

pub(crate) use __format_rows as format_rows;

macro_rules! declare_kinds {
    ([] $({$module:ident $format:ident $name:literal $($rest:tt)*})*) => {
        /// The id algorithms by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FormatKind {
            $(
                #[doc = concat!("[`", stringify!($format), "`](crate::", stringify!($format), ").")]
                $format,
            )*
        }

        impl FormatKind {
            /// Every format, in the order of the documentation.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$format),*];

            /// The name on the command line and in messages, such as `short-prefix-comb`.
            pub const fn name(self) -> &'static str {
                const NAMES: &[&str] = &[$($name),*];
                NAMES[self as usize]
            }

            /// The name of the Rust type, such as `ShortPrefixComb`.
            pub const fn type_name(self) -> &'static str {
                const NAMES: &[&str] = &[$(stringify!($format)),*];
                NAMES[self as usize]
            }
        }
    };
}

format_rows!(declare_kinds);

impl fmt::Display for FormatKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.type_name())
    }
}
