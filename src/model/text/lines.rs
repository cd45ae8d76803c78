//! Port numbers in the lines of a file that no program of the catalogue is known to read.

use std::collections::BTreeSet;

use super::address::listen_value;
use super::name::Name;
use super::number::{Number, is_word, leading_port};
use super::numbers::numbers_alone;
use super::own_host::own_ports;

/// How many lines a message names.
const SHOWN: usize = 3;

/// The numbers of a file, each behind its line, counted from 1: the whole file, values of a whole line, values behind the name
/// of a place to listen, and addresses of the pod itself.
pub(in crate::model) fn numbers_by_line(text: &str) -> BTreeSet<(usize, u16)> {
    if let Some((_, whole)) = listen_value(text.trim()) {
        return BTreeSet::from([(1, whole.port)]);
    }
    let mut found = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        found.extend(line_value(line).into_iter().chain(named(line)).map(|port| (index + 1, port)));
    }
    let (mut line, mut from) = (1, 0);
    for number in own_ports(text) {
        let between = text.get(from..number.range.start).unwrap_or_default();
        line += between.matches('\n').count();
        from = number.range.start;
        found.insert((line, number.port));
    }
    found
}

/// How messages write lines: `line 8`, `lines 8, 9`, `lines 1, 2, 3 and 40 more`.
pub(in crate::model) fn shown_lines(lines: &[usize]) -> String {
    let first: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    let first = first.join(", ");
    match lines.len() {
        1 => format!("line {first}"),
        2..=SHOWN => format!("lines {first}"),
        all => format!("lines {first} and {} more", all - SHOWN),
    }
}

/// The listen value that a line ends with, after `:` or `=` and a name.
fn line_value(line: &str) -> Option<u16> {
    let start = line.find([':', '='])?;
    let value = line.get(start + 1..)?.trim().trim_end_matches([',', ';']).trim_matches(['"', '\'']);
    listen_value(value).map(|(_, number)| number.port).or_else(|| leading_port(value))
}

/// The numbers right behind names of places to listen: `listen 8080;`, `bind *:8080`, `{"port":8080}`, `--port=8080`.
fn named(line: &str) -> impl Iterator<Item = u16> {
    let named = |number: &Number| {
        let before = line.get(..number.range.start).unwrap_or_default();
        let until = before.trim_end_matches(|c| !is_word(c));
        let gap = before.get(until.len()..).unwrap_or_default();
        // A colon alone joins a number to its host: `http://web-server:8080`.
        let joins = gap != ":" && gap.chars().all(|c| c.is_whitespace() || matches!(c, ':' | '=' | '*' | '"' | '\''));
        let name = until.rsplit(|c| !is_word(c)).next().unwrap_or_default();
        joins && Name::of(name).is_listen()
    };
    numbers_alone(line).filter(named).map(|number| number.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_lines_are_shown() {
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
