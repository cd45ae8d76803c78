//! Port numbers in lines of files that no program of the catalogue reads.

use std::collections::BTreeSet;

use super::address::listen_value;
use super::name::Name;
use super::number::{Number, is_word, leading_port};
use super::numbers::{host_before, is_whole, numbers, numbers_alone};
use super::own_host::own_ports;

/// Maximum number of lines in a message.
const SHOWN: usize = 3;

/// Numbers of a file that may be ports, each with its line (from 1): the whole file, the value of a line, a value after
/// a listen name, and addresses of the pod itself and of all interfaces.
pub(in crate::model) fn numbers_by_line(text: &str) -> BTreeSet<(usize, u16)> {
    if let Some((_, whole)) = listen_value(text.trim()) {
        return BTreeSet::from([(1, whole.port)]);
    }
    let mut found = BTreeSet::new();
    // Most lines have no number: skip them.
    for (index, line) in text.lines().enumerate().filter(|(_, line)| numbers(line).next().is_some()) {
        let own = own_ports(line).into_iter().map(|number| number.port);
        let ports = line_value(line)
            .into_iter()
            .chain(after_listen_names(line))
            .chain(any_addresses(line))
            .chain(by_variable(line));
        found.extend(ports.chain(own).map(|port| (index + 1, port)));
    }
    found
}

/// Ports of addresses of all interfaces in a line: `0.0.0.0:N`, `[::]:N`, `*:N`, `:N`, and `.:N` of a Corefile.
pub(in crate::model) fn any_addresses(line: &str) -> impl Iterator<Item = u16> {
    let is_any = |number: &Number| {
        let before = line.get(..number.range.start).unwrap_or_default();
        let after = line.get(number.range.end..).unwrap_or_default();
        let Some(before) = before.strip_suffix(':').filter(|_| !after.starts_with(is_word)) else { return false };
        let host = ["0.0.0.0", "[::]", "*", "."].into_iter().find_map(|host| before.strip_suffix(host));
        let rest = host.unwrap_or(before);
        // `"key" :8080` is a value of JSON.
        let is_value = host.is_none() && rest.trim_end().ends_with(['"', '\'', ']', '}']) && rest.ends_with(' ');
        !is_value && (rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || "\"'=/@,(".contains(c)))
    };
    let line = line.split_once('#').map_or(line, |(text, _)| text);
    numbers(line).filter(move |number| is_any(number)).map(|number| number.port)
}

/// Numbers after hosts that the program fills in, which may be the pod: `${env:POD_IP}:4317`.
fn by_variable(line: &str) -> impl Iterator<Item = u16> {
    let follows_variable = |number: &Number| {
        is_whole(line, number)
            && host_before(line, number.range.start).is_some_and(|host| host.colon && host.text.starts_with("${"))
    };
    numbers(line).filter(follows_variable).map(|number| number.port)
}

/// Lines for messages: `line 8`, `lines 8, 9`, `lines 1, 2, 3 and 40 more`.
pub(in crate::model) fn shown_lines(lines: &[usize]) -> String {
    let first: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    let first = first.join(", ");
    match lines.len() {
        1 => format!("line {first}"),
        2..=SHOWN => format!("lines {first}"),
        all => format!("lines {first} and {} more", all - SHOWN),
    }
}

/// Port or listen address at the end of a line, after a name and `:` or `=`.
fn line_value(line: &str) -> Option<u16> {
    let start = line.find([':', '='])?;
    let value = line.get(start + 1..)?.trim().trim_end_matches([',', ';']).trim_matches(['"', '\'']);
    listen_value(value).map(|(_, number)| number.port).or_else(|| leading_port(value))
}

/// Numbers directly after listen names: `listen 8080;`, `bind *:8080`, `{"port":8080}`, `--port=8080`.
fn after_listen_names(line: &str) -> impl Iterator<Item = u16> {
    let named = |number: &Number| {
        let before = line.get(..number.range.start).unwrap_or_default();
        let until = before.trim_end_matches(|c| !is_word(c));
        let gap = before.get(until.len()..).unwrap_or_default();
        // A single colon joins a number to its host: `http://web-server:8080`.
        let joins = gap != ":" && gap.chars().all(|c| c.is_whitespace() || matches!(c, ':' | '=' | '*' | '"' | '\''));
        let name = until.rsplit(|c| !is_word(c)).next().unwrap_or_default();
        joins && Name::new(name).is_listen()
    };
    numbers_alone(line).filter(named).map(|number| number.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_all_interfaces_are_found_in_lines() {
        let ports = |line: &str| any_addresses(line).collect::<Vec<_>>();
        for line in [
            "endpoint: 0.0.0.0:80",
            "listen [::]:80;",
            "bind *:80",
            "prometheus :80",
            ".:80 {",
            "url = \"tcp://0.0.0.0:80\"",
            "addr=:80",
            "- ':80'",
        ] {
            assert_eq!(ports(line), [80], "{line}");
        }
        for line in
            ["web:80", "a.:80", "10.0.0.0:80", "\"key\" :80", "localhost:80", "12:30", "# :80", ":80x", "key: 80"]
        {
            assert_eq!(ports(line), [0u16; 0], "{line}");
        }
    }

    #[test]
    fn at_most_three_lines_are_shown() {
        assert_eq!(shown_lines(&[8]), "line 8");
        assert_eq!(shown_lines(&[8, 9]), "lines 8, 9");
        assert_eq!(shown_lines(&[1, 2, 3]), "lines 1, 2, 3");
        assert_eq!(shown_lines(&[1, 2, 3, 4, 5]), "lines 1, 2, 3 and 2 more");
    }

    #[test]
    fn the_value_of_a_line_counts_whatever_its_name_is() {
        assert_eq!(numbers_by_line("# web\nweb: 8080\n"), BTreeSet::from([(2, 8080)]));
        assert_eq!(numbers_by_line("web='8080';"), BTreeSet::from([(1, 8080)]));
        assert_eq!(numbers_by_line("web=x8080\n8080\n"), BTreeSet::new());
        assert_eq!(numbers_by_line("\n:8080\n"), BTreeSet::from([(1, 8080)]));
    }
}
