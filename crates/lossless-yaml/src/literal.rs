//! Texts of several lines as literal blocks.

use super::scalar::is_printable;

/// A text as a literal block (`|`), its lines at `column`; none where only quotes say it: one without a line break,
/// with characters that are not printable, with a blank at its very start, or with several line breaks at its end.
///
/// The line break behind the block is not part of what is returned.
///
/// ```
/// use lossless_yaml::literal;
/// assert_eq!(literal("a: |\n  b\n\nc\n", 2).unwrap(), "|\n  a: |\n    b\n\n  c");
/// assert_eq!(literal("a\nb", 0).unwrap(), "|-\na\nb");
/// assert_eq!(literal("a", 2), None);
/// assert_eq!(literal(" a\n", 2), None);
/// assert_eq!(literal("a\n\n", 2), None);
/// assert_eq!(literal("a\r\nb", 2), None);
/// ```
#[must_use]
pub fn literal(text: &str, column: usize) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let whole = !body.is_empty() && !body.starts_with([' ', '\t', '\n']) && !body.ends_with('\n');
    if !text.contains('\n') || !whole || !text.chars().all(|c| c == '\n' || is_printable(c)) {
        return None;
    }
    let mut out = if body.len() == text.len() { "|-".to_owned() } else { "|".to_owned() };
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', column));
            out.push_str(line);
        }
    }
    Some(out)
}
