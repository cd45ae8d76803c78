//! Parses addresses, ranges and `host:port` like Go's `net` and `net/netip`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Parses an address as Go compares it: an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) becomes the IPv4 address.
pub(super) fn address(text: &str) -> Option<IpAddr> {
    text.parse::<IpAddr>().ok().map(|ip| ip.to_canonical())
}

/// Parses an address with an optional IPv6 zone (`fe80::1%eth0`); the zone is not compared (`net/netip.ParseAddr`).
pub(super) fn address_with_zone(text: &str) -> Option<IpAddr> {
    match text.split_once('%') {
        Some((_, "")) => None,
        Some((ip, _)) => ip.parse::<Ipv6Addr>().ok().map(|ip| IpAddr::V6(ip).to_canonical()),
        None => address(text),
    }
}

/// A range of addresses, `10.0.0.0/8`: host bits are ignored (`net.ParseCIDR`).
///
/// ```
/// use go_no_proxy::Range;
/// let range = Range::read("10.1.2.3/8").unwrap();
/// assert!(range.contains("10.200.0.1".parse().unwrap()));
/// assert!(Range::read("010.0.0.0/8").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// IPv4 network and mask.
    V4(u32, u32),
    /// IPv6 network and mask.
    V6(u128, u128),
}

impl Range {
    /// Reads a range; `None` if Go's `net.ParseCIDR` rejects it.
    pub fn read(text: &str) -> Option<Self> {
        Self::parse(text, |address| address.parse().ok())
    }

    /// Reads a range; `parse` reads its address.
    pub(super) fn parse(text: &str, parse: impl Fn(&str) -> Option<IpAddr>) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let bits = bits.bytes().all(|b| b.is_ascii_digit()).then(|| bits.parse::<u32>().ok())??;
        match parse(address)? {
            IpAddr::V4(ip) if bits <= 32 => Some(Self::v4(ip, bits)),
            IpAddr::V6(ip) if bits <= 128 => Some(Self::v6(ip, bits)),
            _ => None,
        }
    }

    /// Range of IPv4 addresses.
    fn v4(ip: Ipv4Addr, bits: u32) -> Self {
        let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
        Self::V4(ip.to_bits() & mask, mask)
    }

    /// Range of IPv6 addresses.
    fn v6(ip: Ipv6Addr, bits: u32) -> Self {
        let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
        let network = Ipv6Addr::from_bits(ip.to_bits() & mask);
        // An IPv4-mapped IPv6 network is an IPv4 range if the mask covers the mapping prefix.
        match network.to_ipv4_mapped() {
            Some(ip) => Self::v4(ip, bits.saturating_sub(96)),
            None => Self::V6(network.to_bits(), mask),
        }
    }

    /// Returns the first and the last address.
    pub fn ends(self) -> (IpAddr, IpAddr) {
        match self {
            Self::V4(network, mask) => {
                (Ipv4Addr::from_bits(network).into(), Ipv4Addr::from_bits(network | !mask).into())
            }
            Self::V6(network, mask) => {
                (Ipv6Addr::from_bits(network).into(), Ipv6Addr::from_bits(network | !mask).into())
            }
        }
    }

    /// The first address after the network address: in a Service range the address of the API server's Service.
    pub fn first_host(self) -> IpAddr {
        match self {
            Self::V4(network, _) => Ipv4Addr::from_bits(network.saturating_add(1)).into(),
            Self::V6(network, _) => Ipv6Addr::from_bits(network.saturating_add(1)).into(),
        }
    }

    /// True if the range contains the address.
    pub fn contains(self, ip: IpAddr) -> bool {
        match (self, ip.to_canonical()) {
            (Self::V4(network, mask), IpAddr::V4(ip)) => ip.to_bits() & mask == network,
            (Self::V6(network, mask), IpAddr::V6(ip)) => ip.to_bits() & mask == network,
            _ => false,
        }
    }
}

/// Splits `host:port`, removing the brackets of an IPv6 address; `None` without port or with several colons
/// (`net.SplitHostPort`).
pub(super) fn split_host_port(text: &str) -> Option<(&str, &str)> {
    let (before, port) = text.rsplit_once(':')?;
    if let Some(inner) = before.strip_prefix('[') {
        let host = inner.strip_suffix(']')?;
        let clean = !host.contains([']', '[']) && !port.contains(['[', ']']);
        return clean.then_some((host, port));
    }
    (!before.contains([':', '[', ']']) && !port.contains(['[', ']'])).then_some((before, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_of_no_bits_takes_all_of_its_family() {
        let all = Range::read("0.0.0.0/0").unwrap();
        assert!(all.contains("255.1.2.3".parse().unwrap()) && !all.contains("fd00::1".parse().unwrap()));
        assert!(Range::read("::/0").unwrap().contains("fd00::1".parse().unwrap()));
    }

    #[test]
    fn ranges_of_mapped_addresses_are_of_ipv4_when_the_mask_allows() {
        assert_eq!(Range::read("::ffff:10.0.0.0/104"), Range::read("10.0.0.0/8"));
        assert!(matches!(Range::read("::ffff:10.0.0.0/90"), Some(Range::V6(..))));
    }

    #[test]
    fn host_and_port() {
        assert_eq!(split_host_port("[fd00::1]:443"), Some(("fd00::1", "443")));
        assert_eq!(split_host_port("a:1"), Some(("a", "1")));
        for none in ["a", "fd00::1", "[fd00::1]", "[a]b:1", "a]:1", "[a:1"] {
            assert_eq!(split_host_port(none), None, "{none}");
        }
    }
}
