//! Multi-line strings as literal block scalars.

use super::scalar::is_printable;

/// Formats a string as a literal block scalar (`|`) with lines at `column`. `None` if the string
/// needs quotes: without a line break, with non-printable characters, with a space at the start, or
/// with several line breaks at the end.
///
/// The line break after the block is not included.
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
