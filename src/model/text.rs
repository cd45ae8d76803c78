//! Ports in texts: the forms in which arguments, variables and scripts tell a process where to listen (P1).

use std::ops::Range;

use crate::catalog;

/// A port number inside a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The number, 1 to 65535.
    pub port: u16,
    /// Its digits, in bytes of the text.
    pub range: Range<usize>,
}

/// Where a listen address listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Everywhere: no host, `0.0.0.0` or `[::]`.
    Any,
    /// `127.0.0.1`, `localhost` or `[::1]`: on the host network shared with the whole node.
    Loopback,
}

const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Reads `N` or `HOST:N`; any other host is somebody else's address and none.
///
/// ```
/// use hostnet::model::text::{Host, listen_value};
/// let (host, number) = listen_value("0.0.0.0:9443").unwrap();
/// assert_eq!((host, number.port, number.range), (Host::Any, 9443, 8..12));
/// assert_eq!(listen_value("localhost:80").unwrap().0, Host::Loopback);
/// assert!(listen_value("redis:6379").is_none());
/// assert!(listen_value("${PORT}").is_none());
/// ```
#[must_use]
pub fn listen_value(text: &str) -> Option<(Host, Number)> {
    let (host, digits) = text.rsplit_once(':').unwrap_or(("", text));
    let port = port(digits)?;
    let range = text.len() - digits.len()..text.len();
    Some((listen_host(host)?, Number { port, range }))
}

/// Whether a text ends with the host and colon of a loopback address, so that what follows is its port.
pub(super) fn is_loopback_end(text: &str) -> bool {
    text.strip_suffix(':').is_some_and(|text| LOOPBACK.iter().any(|host| text.ends_with(host)))
}

/// The host of a listen address; none for somebody else's.
pub(super) fn listen_host(host: &str) -> Option<Host> {
    match host {
        "" | "0.0.0.0" | "[::]" => Some(Host::Any),
        _ if LOOPBACK.contains(&host) => Some(Host::Loopback),
        _ => None,
    }
}

/// Reads a listen value whose number is a variable: `$(VAR)` or `HOST:$(VAR)`.
#[must_use]
pub fn listen_variable(text: &str) -> Option<(Host, &str)> {
    let (host, variable) = text.split_once("$(")?;
    let variable = variable.strip_suffix(')')?;
    let host = match host {
        "" => "",
        _ => host.strip_suffix(':')?,
    };
    Some((listen_host(host)?, variable))
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
    let is_own = |host: &str| host.is_empty() || host.strip_suffix(':').is_some_and(|host| listen_host(host).is_some());
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

/// Whether a number stands in a text as a token of its own, not inside another number or word.
#[must_use]
pub fn mentions(text: &str, port: u16) -> bool {
    let digits = port.to_string();
    text.match_indices(&digits).any(|(at, _)| {
        let inside = |c: Option<char>| c.is_some_and(is_word);
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + digits.len()..).and_then(|after| after.chars().next());
        !inside(before) && !inside(after)
    })
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

/// Whether a flag or variable of this name tells a process where to listen (P1): its words decide.
#[must_use]
pub fn is_listen_name(name: &str) -> bool {
    let known = catalog::words();
    let words = words(name);
    words.iter().any(|word| known.listen.contains(&word.as_str())) && !names_another(name)
}

/// Whether a flag or variable of this name is about the port of somebody else (`--target-port`).
pub(super) fn names_another(name: &str) -> bool {
    words(name).iter().any(|word| catalog::words().other.contains(&word.as_str()))
}

/// Whether the last word of a name is one that tells where to listen, as in `metrics-port` and not in `port-range`.
#[must_use]
pub fn ends_as_listen_name(name: &str) -> bool {
    words(name).last().is_some_and(|word| catalog::words().listen.contains(&word.as_str()))
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
    fn the_last_word_may_be_one_of_listening() {
        assert!(ends_as_listen_name("--metrics-port"));
        assert!(!ends_as_listen_name("--port-range"));
        assert!(!ends_as_listen_name("-"));
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

    #[test]
    fn a_service_port_is_no_listen_address() {
        assert!(is_listen_name("--webhookServerPort"));
        assert!(!is_listen_name("--servicePort"));
        assert!(!is_listen_name("WEBHOOK_SERVICE_PORT"));
        assert!(!is_listen_name("--concurrency"));
    }

    #[test]
    fn only_own_addresses_are_listen_values() {
        assert_eq!(listen_value("9443").unwrap().1.range, 0..4);
        assert_eq!(listen_value("[::]:9443").unwrap().0, Host::Any);
        for client in ["http://127.0.0.1:80", "example.com:80", "0", ":0", "70000", "08", "8080/tcp", ""] {
            assert_eq!(listen_value(client), None, "{client}");
        }
    }

    #[test]
    fn a_number_is_mentioned_as_a_token_only() {
        assert!(mentions("[{\"port\": 8080}]", 8080));
        assert!(mentions("a:8080", 8080));
        assert!(!mentions("18080 8080Mi 10.8080", 8080));
        for yes in ["8080", ":8080/", "a 8080", "8080,9000", "18080 8080", "8080x 8080", "é8 8080"] {
            assert!(mentions(yes, 8080), "{yes}");
        }
        for no in ["80801", "x8080", "8080x", "8080.5", "5.8080", "8080_", "_8080", "8080-", "-8080", "8081"] {
            assert!(!mentions(no, 8080), "{no}");
        }
    }

    #[test]
    fn a_variable_stands_for_the_number() {
        assert_eq!(listen_variable(":$(PORT)"), Some((Host::Any, "PORT")));
        assert_eq!(listen_variable("$(PORT)"), Some((Host::Any, "PORT")));
        assert_eq!(listen_variable("[::1]:$(PORT)"), Some((Host::Loopback, "PORT")));
        for other in ["svc:$(PORT)", "0.0.0.0$(PORT)", ":$(PORT", ":PORT)", "PORT"] {
            assert_eq!(listen_variable(other), None, "{other}");
        }
    }
}
