//! Types of plain scalars in the parsers of manifests: YAML 1.1 (PyYAML, Ruby), YAML 1.2, and Go's mixture of both. A
//! string that one of them reads as another type is written in quotes.

/// True if all parsers read this plain text as a string. The syntax is not checked.
pub fn is_string(text: &str) -> bool {
    !is_word(text) && !(may_be_number(text) && (is_number(text) || is_date(text)))
}

/// True for null, the booleans of YAML 1.1, the merge key and the "value" key.
pub fn is_word(text: &str) -> bool {
    const WORDS: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"];
    if text.len() > 5 {
        return false;
    }
    text.is_empty() || text == "<<" || text == "=" || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// True if a text starts like a number or date; most texts need no further check.
fn may_be_number(text: &str) -> bool {
    text.trim_start_matches(['-', '+', '_']).starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// True for integers and floats in every base and with every separator. Go removes all underscores first.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = unsigned.replace('_', "");
    let lower = digits.to_ascii_lowercase();
    if matches!(lower.as_str(), ".inf" | ".nan") {
        return true;
    }
    let all = |digits: &str, radix: u32| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let based = [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .any(|(prefix, radix)| lower.strip_prefix(prefix).is_some_and(|digits| all(digits, radix)));
    based || is_decimal(&lower) || is_sexagesimal(&lower)
}

/// True for `12`, `1.5`, `.5`, `1.`, `1e3` and `1.5e-3`.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let some = !whole.is_empty() || !fraction.is_empty();
    some && digits(whole) && digits(fraction) && exponent.is_none_or(|e| !e.is_empty() && digits(e))
}

/// True for `12:30:45` and `1:20.5`: base 60 in YAML 1.1.
fn is_sexagesimal(text: &str) -> bool {
    let mut groups = text.split(':');
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().is_some_and(digits);
    let mut more = groups.peekable();
    let several = more.peek().is_some();
    first && several && more.all(|group| group.split_once('.').map_or(digits(group), |(whole, _)| digits(whole)))
}

/// True for `2001-01-01`, alone or followed by a time.
pub fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let digits =
        |text: &str, most: usize| !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
    let year = parts.next().is_some_and(|year| year.len() == 4 && digits(year, 4));
    let month = parts.next().is_some_and(|month| digits(month, 2));
    let rest = parts.next().unwrap_or_default();
    let day = rest.split(['T', 't', ' ', '\t']).next().is_some_and(|day| digits(day, 2));
    year && month && day
}

#[cfg(test)]
mod tests {
    use super::is_string;

    /// Covers numbers in every base, words, and the base-60 and date forms of YAML 1.1.
    #[test]
    fn texts_that_resolve_to_other_types_are_not_strings() {
        for text in [
            "017",
            "0777",
            "08",
            "0o17",
            "0x1F",
            "0b11",
            "1_000",
            "1e3",
            "+1",
            ".5",
            "1.",
            "2001-01-01",
            "~",
            "null",
            "True",
            "TRUE",
            "yes",
            "no",
            "on",
            "Off",
            "y",
            "n",
            "12:30:45",
            "<<",
            "=",
            ".inf",
            "-.INF",
            ".NaN",
            "",
            "0",
            "-0b1",
            "+_1",
            "1E5",
            "190:20:30.15",
            "2001-12-14t21:59:43.10-05:00",
            "2001-1-1 1:2:3",
            "1.5e-3",
            "0_1",
            "-12",
            "0X1f",
            "8443",
            "20443",
        ] {
            assert!(!is_string(text), "{text}");
        }
        for text in [
            "1e",
            "e3",
            "0.0.0.0:8443",
            ":8443",
            "--port=8443",
            "10.0.0.1",
            "8443/TCP",
            "nginx:1.25",
            "v1",
            "1.2.3",
            "0xyz",
            "-",
            ".",
            "2001-01",
            "12:",
            "1:a",
            "a",
            "yes!",
            "http",
            "1-2-3",
            "2001-01-011",
            "+",
            "-.",
            "25%",
        ] {
            assert!(is_string(text), "{text}");
        }
    }
}
