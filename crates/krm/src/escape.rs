//! Escaping of input and file system text for messages: one line, without terminal control characters.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lossless_yaml::{is_control_or_invisible, without_passwords};

/// Escapes a text for one line of a message. Terminal control characters, and marks that start a
/// command of a CI runner, are escaped; passwords in URLs are removed.
///
/// ```
/// use krm::escape_line;
/// assert_eq!(escape_line("web"), "web");
/// assert_eq!(escape_line("w\u{1b}[31meb\n"), r"w\u{1b}[31meb\n");
/// assert_eq!(escape_line("##[add-mask]a ##VSO[task.x]"), r"#\u{23}[add-mask]a #\u{23}VSO[task.x]");
/// ```
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_control_or_invisible)
}

/// Escapes a text of several lines, so that no line starts a command of a CI runner.
///
/// ```
/// use krm::shown_lines;
/// assert_eq!(shown_lines("a\n ::error::b\na::b"), "a\n \\u{3a}:error::b\na::b");
/// ```
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    let text = escaped(text, |c| is_control_or_invisible(c) && c != '\n');
    if !text.lines().any(|line| line.trim_start().starts_with("::")) {
        return text;
    }
    let line = |line: &str| match line.trim_start().strip_prefix("::") {
        Some(rest) => format!("{}\\u{{3a}}:{rest}", line.get(..line.len() - rest.len() - 2).unwrap_or_default()),
        None => line.to_owned(),
    };
    Cow::Owned(text.split_inclusive('\n').map(line).collect())
}

/// Formats JSON with the same values, escaping everything that a terminal or a CI runner would interpret.
///
/// ```
/// let value = serde_json::json!({"a": "\u{9b}##[x]\u{e0041}"});
/// let text = krm::json_text(&value);
/// assert_eq!(text, "{\n  \"a\": \"\\u009b#\\u0023[x]\\udb40\\udc41\"\n}\n");
/// assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
/// ```
pub fn json_text(value: &serde_json::Value) -> String {
    let text = format!("{value:#}\n");
    let text = without_passwords(&text);
    let marks = marks(&text);
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        // Outside of strings JSON is ASCII, without control characters except the line break.
        if is_control_or_invisible(c) && c != '\n' || marks.contains(&at) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns the offset of the second character of each mark that starts a CI command at any position of a line.
///
/// Source: actions/runner@v2.330.0 `src/Runner.Common/ActionCommand.cs`; microsoft/azure-pipelines-agent@v4.264.2
/// `src/Microsoft.VisualStudio.Services.Agent/Command.cs`.
fn marks(text: &str) -> BTreeSet<usize> {
    let starts =
        |rest: &str| rest.starts_with('[') || rest.get(..4).is_some_and(|own| own.eq_ignore_ascii_case("vso["));
    text.match_indices('#')
        .map(|(at, _)| at)
        .filter(|at| *at > 0 && text.as_bytes().get(at - 1) == Some(&b'#') && text.get(at + 1..).is_some_and(starts))
        .collect()
}

/// Quotes a word for a POSIX shell if necessary.
///
/// ```
/// use krm::shell_word;
/// assert_eq!(shell_word("oci://r.io/a:v1"), "oci://r.io/a:v1");
/// assert_eq!(shell_word("it's; $(id)"), r"'it'\''s; $(id)'");
/// assert_eq!(shell_word(""), "''");
/// ```
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Quotes a text as an operand of a command, so that it is never parsed as an option.
///
/// ```
/// use krm::shell_operand;
/// assert_eq!(shell_operand("-rf a"), "'./-rf a'");
/// assert_eq!(shell_operand("-"), "-");
/// ```
pub fn shell_operand(text: &str) -> String {
    if text.starts_with('-') && text != "-" {
        return shell_word(&format!("./{text}")).into_owned();
    }
    shell_word(text).into_owned()
}

/// Quotes a path as an operand of a command.
pub fn shell_path(path: &Path) -> String {
    shell_operand(&path.to_string_lossy())
}

/// Formats a path for messages.
pub fn shown_path(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}

/// Returns a path relative to the working folder if it is below that folder or one of its parents.
pub fn relative_to_working_dir(path: &Path) -> PathBuf {
    let Some(here) = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok()) else {
        return path.to_owned();
    };
    for (above, folder) in here.ancestors().enumerate() {
        if let Ok(rest) = path.strip_prefix(folder) {
            let is_root = folder.parent().is_none();
            let up: PathBuf = std::iter::repeat_n("..", above).collect();
            return if is_root { path.to_owned() } else { up.join(rest) };
        }
    }
    path.to_owned()
}

/// Escapes the characters that `is` accepts.
fn escaped(text: &str, is: impl Fn(char) -> bool) -> Cow<'_, str> {
    let text = without_passwords(text);
    let marks = marks(&text);
    if marks.is_empty() && !text.contains(&is) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            c if is(c) => out.extend(c.escape_default()),
            c if marks.contains(&at) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Formats a file name for a diff, quoted and escaped like git where a reader could misread it.
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
                c if is_control_or_invisible(c) => octal(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => text.push(c),
            }
        }
        octal(&mut text, chunk.invalid());
    }
    if text.as_bytes() != name || text.ends_with(' ') {
        return format!("\"{text}\"");
    }
    // Without the tab, readers end the name at the first space.
    if text.contains(' ') {
        text.push('\t');
    }
    text
}

/// Adds the bytes in octal escapes.
fn octal(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push_str(&format!("\\{byte:03o}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_are_escaped() {
        assert_eq!(escape_line("a\tb\r\u{7f}\u{9b}31m\u{202e}\u{2028}ü"), r"a\tb\r\u{7f}\u{9b}31m\u{202e}\u{2028}ü");
        assert_eq!(shown_lines("a\nb\u{1b}c"), "a\nb\\u{1b}c");
        assert!(matches!(escape_line("größe 'it' \\ \""), Cow::Borrowed(_)));
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
