//! The name of a format on the command line.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use rowkey_core::format::FormatKind;

pub(crate) fn format_parser() -> impl TypedValueParser<Value = FormatKind> {
    PossibleValuesParser::new(FormatKind::ALL.map(FormatKind::name))
        .try_map(|name| name.parse::<FormatKind>())
}
