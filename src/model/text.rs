//! Ports in texts.

use std::ops::Range;

use super::evidence::{Whose, form_of_host, of_literal};

/// A port number inside a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The number, 1 to 65535.
    pub port: u16,
    /// Its digits, in bytes of the text.
    pub range: Range<usize>,
}

/// Whether a text ends with the host and colon of a loopback address, so that what follows is its port.
pub(super) fn is_loopback_end(text: &str) -> bool {
    let host =
        text.strip_suffix(':').map(|text| text.rsplit(|c: char| !(is_word(c) || matches!(c, '[' | ']' | ':'))).next());
    host.flatten().is_some_and(|host| of_literal(host) == Some(Whose::Loopback))
}

/// Whether a value is a listen value whose number is filled in later: `${PORT}`, `HOST:${PORT}`.
///
/// ```
/// use hostnet::model::text::listens_on_placeholder;
/// assert!(listens_on_placeholder("${PORT:=8080}") && listens_on_placeholder("127.0.0.1:${PORT}"));
/// assert!(!listens_on_placeholder("redis:${PORT}") && !listens_on_placeholder("${HOST}:8080"));
/// ```
#[must_use]
pub fn listens_on_placeholder(text: &str) -> bool {
    let host = text.split_once("${").map(|(host, _)| host);
    let is_own =
        |host: &str| host.is_empty() || host.strip_suffix(':').is_some_and(|host| form_of_host(host).is_some());
    text.ends_with('}') && host.is_some_and(is_own)
}

/// Whether a text has a loopback address whose port is filled in later: `http://localhost:${PORT}/x`.
///
/// ```
/// use hostnet::model::text::has_loopback_placeholder;
/// assert!(has_loopback_placeholder("curl http://127.0.0.1:${PORT}/x"));
/// assert!(!has_loopback_placeholder("localhost:8080 ${PORT}"));
/// ```
#[must_use]
pub fn has_loopback_placeholder(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        is_loopback_end(before) && rest.starts_with("${")
    })
}

/// A decimal port without sign, blanks or leading zeros.
#[must_use]
pub fn port(digits: &str) -> Option<u16> {
    let decimal = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if decimal { digits.parse().ok() } else { None }
}

/// The ports of a list with commas between them; none when something else is in it. One port is a list too.
///
/// ```
/// use hostnet::model::text::listed_ports;
/// let ports = |text| listed_ports(text).into_iter().map(|number| (number.port, number.range)).collect::<Vec<_>>();
/// assert_eq!(ports("80, 81"), [(80, 0..2), (81, 4..6)]);
/// assert!(ports("80,web").is_empty());
/// ```
#[must_use]
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

/// The port that a value starts with, before a comment.
#[must_use]
pub fn leading_port(text: &str) -> Option<u16> {
    let digits = leading_digits(text);
    let rest = text.get(digits.len()..).unwrap_or_default().trim_start();
    if rest.is_empty() || rest.starts_with('#') { port(digits) } else { None }
}

/// The decimal digits that a text starts with.
pub(super) fn leading_digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Whether a character belongs to a word: a number, a host or a name beside it is another one.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// Whether the last word of a key is `port` or `ports`.
pub(super) fn is_port_key(key: &str) -> bool {
    words(key).last().is_some_and(|word| matches!(word.as_str(), "port" | "ports"))
}

/// The lower-case words of a flag, variable or port name: `--webhookServerPort` is webhook, server, port.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        let hump = c.is_uppercase() && lower_before;
        if (hump || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
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
    fn a_placeholder_is_where_to_listen_when_the_host_is_ones_own() {
        assert!(listens_on_placeholder("${PORT}") && listens_on_placeholder("127.0.0.1:${PORT}"));
        for other in ["redis:${PORT}", "${PORT}/x", "x${PORT}", "8080", "{}"] {
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
