//! Ranges of `NO_PROXY` that may contain the addresses of nodes.

/// Longest prefix of a range that may contain both pods and nodes: private networks are often listed whole, such as
/// `10.0.0.0/8`.
const MAX_BROAD_PREFIX: u8 = 12;

/// The only range of a list, if it is too small to also contain nodes: `10.244.0.0/16`. `None` for a list that may
/// contain the nodes' addresses too: with several ranges, a broad one, `*`, or an entry that is filled in later.
pub fn only_range(list: &str) -> Option<&str> {
    let entries = || list.split(',').map(str::trim);
    if entries()
        .any(|entry| entry == "*" || entry.contains("${") || entry.contains("$(NODE") || entry.contains("$(HOST"))
    {
        return None;
    }
    let mut ranges = entries().filter_map(|entry| {
        let (address, length) = entry.split_once('/')?;
        address.parse::<std::net::Ipv4Addr>().ok()?;
        Some((entry, length.parse::<u8>().ok()?))
    });
    let (range, length) = ranges.next()?;
    let has_other = ranges.next().is_some() || entries().any(|entry| entry.contains(':') && entry.contains('/'));
    (!has_other && length > MAX_BROAD_PREFIX && length < 32).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::only_range;

    #[test]
    fn one_narrow_range_has_no_nodes() {
        let list = "localhost,$(KUBERNETES_SERVICE_HOST),.svc, 10.244.0.0/16 ,169.254.169.254";
        assert_eq!(only_range(list), Some("10.244.0.0/16"));
        for list in
            ["*", "", ".svc", "10.0.0.0/8", "10.244.0.0/16,192.168.0.0/24", "10.244.0.0/16,${NODES}", "fd00::/48"]
        {
            assert_eq!(only_range(list), None, "{list}");
        }
    }
}
