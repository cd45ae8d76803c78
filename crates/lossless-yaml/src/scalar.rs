//! Scalars as text: selection of the quote style, and output.

use super::decode;
use super::resolve;
use super::value::Value;

/// Context in which a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// A block collection, or the document root.
    Block,
    /// A flow collection: commas and brackets end a plain scalar.
    Flow,
    /// A flow collection that is JSON: every string is in double quotes.
    Json,
}

/// Preferred quote style of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// Plain if that is safe, otherwise double quotes.
    Needed,
    Single,
    Double,
}

/// Formats a single-line value: a scalar or an empty collection.
pub(super) fn inline(value: &Value, surroundings: Surroundings, quote: Quote) -> Option<String> {
    match value {
        Value::Seq(items) if !items.is_empty() => None,
        Value::Map(entries) if !entries.is_empty() => None,
        _ => {
            let mut out = String::new();
            push_inline(&mut out, value, surroundings, quote);
            Some(out)
        }
    }
}

/// Appends a single-line value to `out`; all collections are written as empty.
pub(super) fn push_inline(out: &mut String, value: &Value, surroundings: Surroundings, quote: Quote) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => out.push_str(&value.to_string()),
        Value::Str(text) => push_string(out, text, surroundings, quote),
        Value::Raw(raw) => match decode::quoted(raw).filter(|_| surroundings == Surroundings::Json) {
            Some(text) => push_double(out, &text),
            None => out.push_str(raw),
        },
        Value::Seq(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
    }
}

/// Formats a string as a scalar that every YAML parser reads as the same string.
pub(super) fn string(text: &str, surroundings: Surroundings, quote: Quote) -> String {
    let mut out = String::new();
    push_string(&mut out, text, surroundings, quote);
    out
}

/// Appends a string to `out` as a scalar that every YAML parser reads as the same string.
pub(super) fn push_string(out: &mut String, text: &str, surroundings: Surroundings, quote: Quote) {
    match quote {
        Quote::Needed if surroundings != Surroundings::Json && is_plain(text, surroundings) => out.push_str(text),
        Quote::Single if surroundings != Surroundings::Json && is_single(text) => {
            out.push('\'');
            out.push_str(&text.replace('\'', "''"));
            out.push('\'');
        }
        _ => push_double(out, text),
    }
}

/// True if a string can be plain: its syntax is valid and parsers read it as a string.
pub(super) fn is_plain(text: &str, surroundings: Surroundings) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    let flow = surroundings != Surroundings::Block;
    let second = chars.next();
    let starts = match first {
        // Allowed before a character that is not white space; `---` and `...` could be read as document markers.
        '-' | '?' | ':' => {
            let marker = text.starts_with("---") && !text.starts_with("----");
            let is_separated = second.is_some_and(|c| c != ' ' && !(flow && is_flow_indicator(c)));
            is_separated && !marker
        }
        '.' => !text.starts_with("..."),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' | ' ' => false,
        _ => true,
    };
    let ends = !text.ends_with([' ', ':']);
    // Most texts are ASCII, and checking bytes is faster.
    let inside = if text.is_ascii() {
        text.bytes().all(|b| matches!(b, b' '..=b'~') && !(flow && is_flow_indicator(char::from(b))))
    } else {
        text.chars().all(|c| is_printable(c) && c != '\t' && !(flow && is_flow_indicator(c)))
    };
    // In flow style parsers differ about a leading colon, and Go's YAML parser ends a plain scalar at every `?`.
    let pair = |wanted: &[u8]| text.as_bytes().windows(2).any(|pair| pair == wanted);
    let broken = || pair(b": ") || pair(b" #") || (flow && (text.starts_with(':') || text.contains('?')));
    starts && ends && inside && !broken() && resolve::is_string(text)
}

fn is_flow_indicator(c: char) -> bool {
    matches!(c, ',' | '[' | ']' | '{' | '}')
}

/// True if every parser reads the character as printable on one line. YAML 1.1 reads NEL, LS and PS
/// as line breaks, and most parsers reject a byte order mark inside of a text.
pub(super) fn is_printable(c: char) -> bool {
    match c {
        '\t' | ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => c >= '\u{a0}',
    }
}

/// True for a text that fits into single quotes.
pub(super) fn is_single(text: &str) -> bool {
    text.chars().all(is_printable)
}

/// Appends a double-quoted string, with escapes that JSON, YAML and Go's parser share.
fn push_double(out: &mut String, text: &str) {
    out.push('"');
    escape_into(out, text);
    out.push('"');
}

/// Appends the content of a double-quoted scalar.
pub(super) fn escape_into(out: &mut String, text: &str) {
    if text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\') {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            // Non-printable characters are all in the basic multilingual plane, so four digits suffice.
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Quote, Surroundings, string};

    #[test]
    fn quotes_are_written_where_they_are_needed() {
        let block = |text: &str| string(text, Surroundings::Block, Quote::Needed);
        let texts = [
            "--port=20443",
            "20443",
            ":8443",
            "a: b",
            "a #b",
            "a:",
            "- a",
            "-",
            "---",
            "...",
            "--- a",
            "[a",
            "{{x}}",
            "${PORT}",
            "yes",
            " a",
            "a ",
            "a\tb",
            "a\nb",
            "a\u{85}b",
            "*a",
            "a*",
            "it's",
            "é",
            "a,b",
            "%a",
            "@a",
            "`a",
            "\u{7f}",
            "\u{feff}",
            "🦀",
            "?a",
            "? a",
            "0.0.0.0:20443",
            "!a",
            "",
            "C:\\x",
            "--",
            "http://x:80/",
        ];
        let shown: Vec<String> = texts.into_iter().map(block).collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        --port=20443
        "20443"
        :8443
        "a: b"
        "a #b"
        "a:"
        "- a"
        "-"
        "---"
        "..."
        "--- a"
        "[a"
        "{{x}}"
        ${PORT}
        "yes"
        " a"
        "a "
        "a\tb"
        "a\nb"
        "a\u0085b"
        "*a"
        a*
        it's
        é
        a,b
        "%a"
        "@a"
        "`a"
        "\u007f"
        "\ufeff"
        🦀
        ?a
        "? a"
        0.0.0.0:20443
        "!a"
        ""
        C:\x
        --
        http://x:80/
        "#);
        let flow: Vec<String> = ["a,b", "[::]:80", ":80", "--a=b", "a: b", "${X}", "x"]
            .map(|t| string(t, Surroundings::Flow, Quote::Needed))
            .into();
        insta::assert_snapshot!(flow.join("\n"), @r#"
        "a,b"
        "[::]:80"
        ":80"
        --a=b
        "a: b"
        "${X}"
        x
        "#);
        assert_eq!(string("it's", Surroundings::Block, Quote::Single), "'it''s'");
        assert_eq!(string("a\nb", Surroundings::Block, Quote::Single), r#""a\nb""#);
        assert_eq!(string("x", Surroundings::Json, Quote::Single), r#""x""#);
    }
}
