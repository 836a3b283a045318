//! Bits become an id only after they were checked, although `Format` brings what skips that into
//! scope.

use rowkey::format::Format;

fn forged<F: Format>(bits: u128) -> F {
    F::from_admitted(bits)
}

fn main() {}
