//! Port numbers as ranges for firewall rules, one line per protocol: `TCP 20080-20081,20443`.

use std::collections::BTreeMap;

/// Joins ranges of numbers of each protocol; both ends count.
///
/// ```
/// use hostnet::render::ranges::ranges;
/// assert_eq!(ranges([("TCP", 80, 80), ("UDP", 53, 53), ("TCP", 81, 90)].into_iter()), "TCP 80-90\nUDP 53\n");
/// ```
pub fn ranges<'p>(numbers: impl Iterator<Item = (&'p str, u16, u16)>) -> String {
    let mut protocols: BTreeMap<&str, Vec<(u16, u16)>> = BTreeMap::new();
    for (protocol, first, last) in numbers {
        protocols.entry(protocol).or_default().push((first, last));
    }
    let line = |(protocol, numbers): (&str, Vec<(u16, u16)>)| {
        let list: Vec<String> = joined(numbers).into_iter().map(|(first, last)| range(first, last)).collect();
        format!("{protocol} {}\n", list.join(","))
    };
    protocols.into_iter().map(line).collect()
}

/// Sorts ranges and joins ranges that overlap or follow each other; ranges include both ends.
pub fn joined(mut numbers: Vec<(u16, u16)>) -> Vec<(u16, u16)> {
    numbers.sort_unstable();
    let mut joined: Vec<(u16, u16)> = Vec::new();
    for (first, last) in numbers {
        match joined.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// One range: `20080-20081`, or `20443` for one number.
pub fn range(first: u16, last: u16) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
