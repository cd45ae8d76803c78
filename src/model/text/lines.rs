//! Port numbers in lines of files that no program of the catalogue reads.

use std::collections::BTreeSet;

use super::address::listen_value;
use super::name::Name;
use super::number::{Number, is_word, leading_port};
use super::numbers::{host_before, is_alone, is_whole, numbers};
use super::own_host::is_own_port;

/// Maximum number of lines in a message.
const MAX_SHOWN_LINES: usize = 3;

/// Numbers of a file that may be ports, each with its line (from 1): the whole file, the value of a line, a value after
/// a listen name, and addresses of the pod itself and of all interfaces. Comments are left out.
pub(in crate::model) fn numbers_by_line(text: &str) -> BTreeSet<(usize, u16)> {
    if let Some((_, whole)) = listen_value(text.trim()) {
        return BTreeSet::from([(1, whole.port)]);
    }
    let mut found = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let mut numbers = numbers(line).peekable();
        // Skip lines without a number and comments.
        if numbers.peek().is_none() || is_comment(line) {
            continue;
        }
        let comment = comment_start(line);
        let is_port = |number: &Number| {
            follows_listen_name(line, number)
                || number.range.start < comment && is_any_address(line, number)
                || follows_variable(line, number)
                || is_own_port(line, number)
        };
        let ports = port_at_line_end(line).into_iter().chain(numbers.filter(is_port).map(|number| number.port));
        found.extend(ports.map(|port| (index + 1, port)));
    }
    found
}

/// Ports of addresses of all interfaces in a line: `0.0.0.0:N`, `[::]:N`, `*:N`, `:N`, and `.:N` of a Corefile.
pub(in crate::model) fn any_addresses(line: &str) -> impl Iterator<Item = u16> {
    let comment = comment_start(line);
    let is_any = move |number: &Number| number.range.start < comment && is_any_address(line, number);
    numbers(line).filter(is_any).map(|number| number.port)
}

/// True for a line that is a comment: `#port=8080`, `; port = 8080`, `// port: 8080`.
pub(in crate::model) fn is_comment(line: &str) -> bool {
    ["#", ";", "//"].iter().any(|start| line.trim_start().starts_with(start))
}

/// Position of the first `#` of a line, or its length.
fn comment_start(line: &str) -> usize {
    line.find('#').unwrap_or(line.len())
}

/// True if a number is the port of an address of all interfaces. Reads only the text next to it: a line may be long.
fn is_any_address(line: &str, number: &Number) -> bool {
    let before = line.get(..number.range.start).unwrap_or_default();
    let after = line.get(number.range.end..).unwrap_or_default();
    let Some(before) = before.strip_suffix(':').filter(|_| !after.starts_with(is_word)) else { return false };
    let host = ["0.0.0.0", "[::]", "*", "."].into_iter().find_map(|host| before.strip_suffix(host));
    let rest = host.unwrap_or(before);
    // `"key":8080` and `"key" :8080` are values of JSON: the quote before the colon closes a text.
    let key = rest.trim_end();
    let quoted = key.strip_suffix(['"', '\'']).map(|text| text.trim_end_matches('\\'));
    let closes = quoted.is_some_and(|text| rest.len() > key.len() || text.ends_with(may_precede_closing_quote));
    let is_value = host.is_none() && (closes || rest.len() > key.len() && key.ends_with([']', '}']));
    !is_value && (rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || "\"'=/@,(".contains(c)))
}

/// True for a character after which a quote closes a text.
fn may_precede_closing_quote(c: char) -> bool {
    is_word(c) || matches!(c, '"' | '\'' | ')' | ']' | '}' | '$' | '%')
}

/// True if a number follows a host that the program fills in, which may be the pod: `${env:POD_IP}:4317`.
fn follows_variable(line: &str, number: &Number) -> bool {
    is_whole(line, number)
        && host_before(line, number.range.start).is_some_and(|host| host.colon && host.text.starts_with("${"))
}

/// Lines for messages: `line 8`, `lines 8, 9`, `lines 1, 2, 3 and 40 more`.
pub(in crate::model) fn shown_lines(lines: &[usize]) -> String {
    let first: Vec<String> = lines.iter().take(MAX_SHOWN_LINES).map(usize::to_string).collect();
    let first = first.join(", ");
    match lines.len() {
        1 => format!("line {first}"),
        2..=MAX_SHOWN_LINES => format!("lines {first}"),
        all => format!("lines {first} and {} more", all - MAX_SHOWN_LINES),
    }
}

/// Port or listen address at the end of a line, after a name and `:` or `=`.
fn port_at_line_end(line: &str) -> Option<u16> {
    let start = line.find([':', '='])?;
    let value = line.get(start + 1..)?.trim().trim_end_matches([',', ';']).trim_matches(['"', '\'']);
    listen_value(value).map(|(_, number)| number.port).or_else(|| leading_port(value))
}

/// True if a number is directly after a listen name: `listen 8080;`, `bind *:8080`, `{"port":8080}`, `--port=8080`.
fn follows_listen_name(line: &str, number: &Number) -> bool {
    let before = line.get(..number.range.start).unwrap_or_default();
    let until = before.trim_end_matches(|c| !is_word(c));
    let gap = before.get(until.len()..).unwrap_or_default();
    // A single colon joins a number to its host: `http://web-server:8080`.
    let joins = gap != ":" && gap.chars().all(|c| c.is_whitespace() || matches!(c, ':' | '=' | '*' | '"' | '\''));
    let name = until.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    joins && is_alone(line, number) && Name::new(name).is_listen()
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
            r#"{"address":":80"}"#,
            r#"\"address\":\":80\""#,
        ] {
            assert_eq!(ports(line), [80], "{line}");
        }
        for line in [
            r#""key":80"#,
            r#"\"key\":80"#,
            "'a-b':80",
            r#""a)":80"#,
            r#""":80"#,
            "web:80",
            "a.:80",
            "10.0.0.0:80",
            "\"key\" :80",
            "localhost:80",
            "12:30",
            "# :80",
            ":80x",
            "key: 80",
        ] {
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
