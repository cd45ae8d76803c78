//! Text of an input or of a file system as messages show it: nothing in it controls the terminal, and it stays on one line.

use std::borrow::Cow;
use std::path::Path;

use crate::yaml::is_obeyed;

/// A text on one line. Characters that a terminal obeys are written as escapes.
///
/// ```
/// use hostnet::wire::shown;
/// assert_eq!(shown("web"), "web");
/// assert_eq!(shown("w\u{1b}[31meb\n"), r"w\u{1b}[31meb\n");
/// ```
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// The same for a text that may have several lines.
#[must_use]
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_obeyed(c) && c != '\n')
}

/// A path as messages call it.
#[must_use]
pub fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}

fn escaped(text: &str, is: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A file's name in a diff: in quotes and with escapes where a reader would take it for another one, as git writes it.
pub(super) fn quoted(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => text.extend(['\\', c]),
                '\u{7}' => text.push_str("\\a"),
                '\u{8}' => text.push_str("\\b"),
                '\t' => text.push_str("\\t"),
                '\n' => text.push_str("\\n"),
                '\u{b}' => text.push_str("\\v"),
                '\u{c}' => text.push_str("\\f"),
                '\r' => text.push_str("\\r"),
                c if is_obeyed(c) => octal(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => text.push(c),
            }
        }
        octal(&mut text, chunk.invalid());
    }
    if text.as_bytes() != name || text.ends_with(' ') {
        return format!("\"{text}\"");
    }
    // Without the tab readers end the name at its first blank.
    if text.contains(' ') {
        text.push('\t');
    }
    text
}

fn octal(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push_str(&format!("\\{byte:03o}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_an_escape() {
        assert_eq!(shown("a\tb\r\u{7f}\u{9b}31m\u{202e}\u{2028}ü"), r"a\tb\r\u{7f}\u{9b}31m\u{202e}\u{2028}ü");
        assert_eq!(shown_lines("a\nb\u{1b}c"), "a\nb\\u{1b}c");
        assert!(matches!(shown("größe 'it' \\ \""), Cow::Borrowed(_)));
    }

    #[test]
    fn names_are_quoted_as_git_does() {
        for (name, want) in [
            (&b"a/web.yaml"[..], "a/web.yaml"),
            ("a/größe.yaml".as_bytes(), "a/größe.yaml"),
            (b"a/two words", "a/two words\t"),
            (b"a/two\twords \x1b", r#""a/two\twords \033""#),
            (b"a/\"b\"", r#""a/\"b\"""#),
            (b"a/b\\c", r#""a/b\\c""#),
            (b"a/b ", r#""a/b ""#),
            (b"a/\xff\n", r#""a/\377\n""#),
            ("a/\u{202e}".as_bytes(), r#""a/\342\200\256""#),
        ] {
            assert_eq!(quoted(name), want);
        }
    }
}
