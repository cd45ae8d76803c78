//! Parses decimal port numbers: whole texts, lists, and numbers at the start of a text.

use std::ops::Range;

/// Port number inside a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Port number, 1 to 65535.
    pub port: u16,
    /// Range of the digits, in bytes of the text.
    pub range: Range<usize>,
}

/// Decimal port without sign, blanks or leading zeros.
pub fn port(digits: &str) -> Option<u16> {
    let decimal = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if decimal { digits.parse().ok() } else { None }
}

/// Ports of a comma-separated list; empty if an item is not a port. A single port is also a list.
///
/// ```
/// use hostnet::model::text::listed_ports;
/// let ports = |text| listed_ports(text).into_iter().map(|number| (number.port, number.range)).collect::<Vec<_>>();
/// assert_eq!(ports("80, 81"), [(80, 0..2), (81, 4..6)]);
/// assert!(ports("80,web").is_empty());
/// ```
pub fn listed_ports(text: &str) -> Vec<Number> {
    let mut start = 0;
    let numbers = text.split(',').map(|item| {
        let at = start + item.len() - item.trim_start().len();
        start += item.len() + 1;
        let digits = item.trim();
        Some(Number { port: port(digits)?, range: at..at + digits.len() })
    });
    numbers.collect::<Option<_>>().unwrap_or_default()
}

/// Port at the start of a value, before an optional comment.
pub(super) fn leading_port(text: &str) -> Option<u16> {
    let digits = text.get(..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())).unwrap_or_default();
    let rest = text.get(digits.len()..).unwrap_or_default().trim_start();
    if rest.is_empty() || rest.starts_with('#') { port(digits) } else { None }
}

/// True if a character belongs to a word: a number, host or name next to it is only a part of that word.
pub(in crate::model) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::super::loopback::listens_on_placeholder;
    use super::super::words::words;
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("--webhookServerPort"), ["webhook", "server", "port"]);
        assert_eq!(words("WEBHOOK_SERVICE_PORT"), ["webhook", "service", "port"]);
        assert_eq!(words("-p"), ["p"]);
        assert_eq!(words("HTTPPort--metricsPORT_x2Y"), ["httpport", "metrics", "port", "x2", "y"]);
        assert_eq!(words("-"), [""; 0]);
    }

    #[test]
    fn placeholders_are_listen_addresses_after_an_own_host() {
        assert!(listens_on_placeholder("${PORT}") && listens_on_placeholder("127.0.0.1:${PORT}"));
        for own in ["$PORT", ":$PORT", "[::]:#{PORT}#", "@PORT@", "0.0.0.0:{{ .Values.port }}", ":${PORT:=:80}"] {
            assert!(listens_on_placeholder(own), "{own}");
        }
        for other in
            ["redis:${PORT}", "${PORT}/x", "x${PORT}", "8080", "{}", "$(PORT)", "$1", "a@b", "#{}#", "redis:$PORT"]
        {
            assert!(!listens_on_placeholder(other), "{other}");
        }
    }

    #[test]
    fn a_port_is_written_in_decimal_digits() {
        assert_eq!((port("1"), port("80"), port("65535")), (Some(1), Some(80), Some(65535)));
        for other in ["", "0", "080", "65536", "+80", "80a", "a80"] {
            assert_eq!(port(other), None, "{other}");
        }
        assert_eq!((leading_port("80"), leading_port("80 # x"), leading_port("80#")), (Some(80), Some(80), Some(80)));
        for other in ["", "# 80", "80 81", "80x", "x"] {
            assert_eq!(leading_port(other), None, "{other}");
        }
    }
}
