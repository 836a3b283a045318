//! Bits become an id only after a check, although `Format` brings what skips it into scope.

use rowkey::format::Format;

fn forged<F: Format>(bits: u128) -> F {
    F::from_admitted(bits)
}

fn main() {}
