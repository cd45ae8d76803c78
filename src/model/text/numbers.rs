//! Port numbers in a text, and the hosts before them.

use super::host::{literal_host_kind, variable_in_host};
use super::name::Name;
use super::number::{Number, is_word, port};

/// Maximum length of a host: 253 characters of a DNS name, and the characters around a variable.
const MAX_HOST_LENGTH: usize = 300;

/// Host before a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) struct HostBefore<'t> {
    /// Host, including the brackets of IPv6 and the characters around a variable.
    pub(in crate::model) text: &'t str,
    /// True for a colon between host and number, false for blanks, which some commands use.
    pub(in crate::model) colon: bool,
}

/// Numbers without a letter, digit, dot or hyphen directly before or after them, except for the hyphen of a shell
/// default (`${PORT:-8080}`) and the letter of a short flag (`-p8080`).
pub(in crate::model) fn whole_numbers(text: &str) -> impl Iterator<Item = Number> {
    numbers(text).filter(move |number| is_whole(text, number))
}

/// True if a number is not part of a word, as for `whole_numbers`.
pub(in crate::model) fn is_whole(text: &str, number: &Number) -> bool {
    let after = text.get(number.range.end..).and_then(|rest| rest.chars().next());
    let before = text.get(..number.range.start).unwrap_or_default();
    let starts = !before.ends_with(is_word) || is_default(before) || is_short_flag(before);
    starts && !after.is_some_and(is_word)
}

/// All runs of digits that are valid ports, also inside words.
pub(in crate::model) fn numbers(text: &str) -> impl Iterator<Item = Number> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + bytes.get(at..)?.iter().position(u8::is_ascii_digit)?;
            let length = bytes.get(start..)?.iter().take_while(|b| b.is_ascii_digit()).count();
            at = start + length;
            if let Some(port) = text.get(start..at).and_then(port) {
                return Some(Number { port, range: start..at });
            }
        }
    })
}

/// True if a text of a container may set, or call, a port of its own pod: the number is no part of a word, follows no
/// other host, and has no name such as `timeout`. `name` is the variable, key or flag before the text, or empty.
///
/// ```
/// use hostnet::model::text::may_be_own_port;
/// assert!(may_be_own_port("", "--health-probe-bind-address=:8081", 8081) && may_be_own_port("PORT", "8081", 8081));
/// assert!(!may_be_own_port("", "--upstream=http://api:8081", 8081) && !may_be_own_port("", "--timeout=8081", 8081));
/// ```
pub fn may_be_own_port(name: &str, text: &str, port: u16) -> bool {
    let is_own = |number: &Number| {
        let host = host_before(text, number.range.start).filter(|host| host.colon);
        let is_another =
            host.is_some_and(|host| literal_host_kind(host.text).is_none() && variable_in_host(host.text).is_none());
        let before = text.get(..number.range.start).unwrap_or_default();
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let has_other_name = [name, word].into_iter().any(|name| Name::new(name).not_port().is_some());
        number.port == port && !is_another && !has_other_name
    };
    whole_numbers(text).any(|number| is_own(&number))
}

/// True if a number is a separate word.
pub(in crate::model) fn is_alone(text: &str, number: &Number) -> bool {
    let before = text.get(..number.range.start).and_then(|before| before.chars().next_back());
    let after = text.get(number.range.end..).and_then(|after| after.chars().next());
    !before.into_iter().chain(after).any(is_word)
}

/// True if a text ends where a shell default starts: `${PORT:-`.
fn is_default(before: &str) -> bool {
    let Some(name) = before.strip_suffix('-').map(|rest| rest.strip_suffix(':').unwrap_or(rest)) else { return false };
    let start = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    start.len() < name.len() && start.ends_with("${")
}

/// True if a text ends with a short flag such as `-p`.
fn is_short_flag(before: &str) -> bool {
    let Some(rest) = before.strip_suffix(|c: char| c.is_ascii_alphabetic()) else { return false };
    let Some(rest) = rest.strip_suffix('-') else { return false };
    rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
}

/// Returns the host before the number that starts at `at`.
pub(in crate::model) fn host_before(text: &str, at: usize) -> Option<HostBefore<'_>> {
    let before = text.get(..at)?;
    let (rest, colon) = match before.strip_suffix(':') {
        Some(rest) => (rest, true),
        None => {
            let blank = before.trim_end_matches([' ', '\t']);
            let quoted = before.strip_suffix(['"', '\'']).unwrap_or(before).trim_end_matches([' ', '\t']);
            let rest = if blank.len() < before.len() { blank } else { quoted };
            let apart = rest.len() < before.len() && !before.ends_with(['"', '\'']) || quoted.len() + 1 < before.len();
            (apart.then(|| rest.trim_end_matches(['"', '\'']))?, false)
        }
    };
    // The search for the host is limited, so that a long text is not read to its start for each number.
    let from = (rest.len().saturating_sub(MAX_HOST_LENGTH)..=rest.len()).find(|at| rest.is_char_boundary(*at))?;
    let rest = rest.get(from..)?;
    let start = match rest.chars().next_back()? {
        ']' => rest.rfind('[')?,
        ')' => rest.rfind("$(")?,
        '}' => rest.rfind("${")?,
        _ => {
            let start = rest.trim_end_matches(is_word).len();
            if rest.get(..start).is_some_and(|before| before.ends_with('$')) { start - 1 } else { start }
        }
    };
    let host = rest.get(start..).filter(|host| !host.is_empty())?;
    (!is_in_path(rest.get(..start)?)).then_some(HostBefore { text: host, colon })
}

/// True if a word after this text is a segment of a path and not a host: `repo/web:8080` is an image, `http://web:8080`
/// an address.
pub(super) fn is_in_path(before: &str) -> bool {
    before.ends_with('/') && !before.ends_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Vec<u16> {
        whole_numbers(text).map(|number| number.port).collect()
    }

    #[test]
    fn numbers_between_separators_are_tokens() {
        for text in [
            "8080",
            ":8080/",
            "a 8080",
            "8080,x",
            "=8080",
            "\"8080\"",
            "${P:-8080}",
            "${P-8080}",
            "-p8080",
            "x -P8080 y",
        ] {
            assert_eq!(whole(text), [8080], "{text}");
        }
        for text in [
            "80801", "x8080", "8080x", "8080.5", "5.8080", "8080_", "_8080", "8080-", "-8080", "a-8080", "--p8080",
            "x-p8080", "080",
        ] {
            assert_eq!(whole(text), [0u16; 0], "{text}");
        }
        assert_eq!(whole("80:81 65536 é82é 83"), [80, 81, 83]);
    }

    fn host(text: &str) -> Option<(&str, bool)> {
        let number = numbers(text).last()?;
        host_before(text, number.range.start).map(|host| (host.text, host.colon))
    }

    #[test]
    fn hosts_precede_a_colon_or_blanks() {
        assert_eq!(host("http://redis.shop:80"), Some(("redis.shop", true)));
        assert_eq!(host("x [::1]:80"), Some(("[::1]", true)));
        assert_eq!(host("$(IP):80"), Some(("$(IP)", true)));
        assert_eq!(host("http://${IP}:80"), Some(("${IP}", true)));
        assert_eq!(host("$IP:80"), Some(("$IP", true)));
        assert_eq!(host("u@db:80"), Some(("db", true)));
        assert_eq!(host("nc localhost 80"), Some(("localhost", false)));
        assert_eq!(host("nc 'localhost' \t80"), Some(("localhost", false)));
        assert_eq!(host("nc localhost '80"), Some(("localhost", false)));
        for none in ["80", ":80", "=80", "/80", "\"80", "localhost'80", "localhost\n80"] {
            assert_eq!(host(none), None, "{none}");
        }
    }

    #[test]
    fn a_number_is_mentioned_as_a_token_only() {
        let mentions = |text: &str, port| numbers(text).any(|number| number.port == port && is_alone(text, &number));
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
}
