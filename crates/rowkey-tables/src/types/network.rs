//! PostgreSQL's network addresses, in its binary form and as text.
//!
//! ```text
//! family: 1  bits of the mask: 1  is it a cidr: 1  length: 1  address: 4 or 16
//! ```

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const V4: u8 = 2;
const V6: u8 = 3;

/// An address with the length of its mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

/// `10.1.0.0/16`. The mask of a whole address is left out, unless it is a network.
pub fn text(binary: &[u8], is_cidr: bool) -> Option<String> {
    let [_, bits, _, _, address @ ..] = binary else {
        return None;
    };
    let address = match (<[u8; 4]>::try_from(address), <[u8; 16]>::try_from(address)) {
        (Ok(four), _) => IpAddr::V4(Ipv4Addr::from(four)),
        (_, Ok(sixteen)) => IpAddr::V6(Ipv6Addr::from(sixteen)),
        _ => return None,
    };
    let network = Network {
        address,
        bits: *bits,
    };
    Some(match network.bits == network.most() && !is_cidr {
        true => address.to_string(),
        false => format!("{address}/{bits}"),
    })
}

/// The binary form of a text; nothing if the text isn't an address, or a network with bits behind
/// its mask.
pub fn binary(text: &str, is_cidr: bool) -> Option<Vec<u8>> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse().ok()?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let mut network = Network { address, bits: 0 };
    network.bits = bits.unwrap_or(network.most());
    if network.bits > network.most() || is_cidr && network.has_rest() {
        return None;
    }
    let (family, bytes) = match address {
        IpAddr::V4(four) => (V4, four.octets().to_vec()),
        IpAddr::V6(sixteen) => (V6, sixteen.octets().to_vec()),
    };
    let mut binary = vec![family, network.bits, is_cidr.into(), bytes.len() as u8];
    binary.extend(bytes);
    Some(binary)
}

impl Network {
    fn most(self) -> u8 {
        match self.address {
            IpAddr::V4(_) => 32,
            IpAddr::V6(_) => 128,
        }
    }

    /// Whether the address has bits behind its mask.
    fn has_rest(self) -> bool {
        let bits = u32::from(self.bits);
        match self.address {
            IpAddr::V4(four) => four.to_bits().checked_shl(bits).unwrap_or(0) != 0,
            IpAddr::V6(sixteen) => sixteen.to_bits().checked_shl(bits).unwrap_or(0) != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_and_read() {
        for (expected, is_cidr) in [
            ("0.0.0.0", false),
            ("255.255.255.255", false),
            ("10.1.2.3/8", false),
            ("10.0.0.0/8", true),
            ("0.0.0.0/0", true),
            ("::", false),
            ("2001:db8::1/64", false),
            ("::ffff:1.2.3.4", false),
            ("2001:db8::/32", true),
        ] {
            let binary = binary(expected, is_cidr).unwrap();
            assert_eq!(text(&binary, is_cidr).as_deref(), Some(expected));
        }
        for wrong in ["", "10.0.0", "10.0.0.0/33", "10.0.0.1/-1", "::1/129", "x"] {
            assert_eq!(binary(wrong, false), None, "{wrong}");
        }
        assert_eq!(binary("10.0.0.1/8", true), None);
        assert_eq!(text(&[2, 32, 0, 4, 1], false), None);
    }
}
