//! Printed defaults: `(default 8080)`, `(default: ":8080")`, `[default: 8080]`, `Default: 8080`.

const WORD: &str = "default";

/// All defaults that a description prints, in order.
pub(super) fn printed(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices(WORD).filter_map(|(at, _)| value_at(text, at)).collect()
}

/// Returns the value after a `default`, if it has the form of a printed default value; `None` for
/// prose.
fn value_at(text: &str, at: usize) -> Option<String> {
    let before = text.get(..at)?.chars().next_back();
    let in_bracket = matches!(before, Some('(' | '['));
    let is_word = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '['));
    let after = text.get(at + WORD.len()..)?;
    let value = match after.chars().next()? {
        ':' | '=' if is_word => after.get(1..)?,
        ' ' if in_bracket => {
            let rest = after.trim_start();
            rest.strip_prefix("is ").or_else(|| rest.strip_prefix("= ")).unwrap_or(rest)
        }
        _ => return None,
    };
    let value = unquoted(value.trim_start());
    // An empty default does not count; nor does the example `"default": value`, whose value is empty here.
    (!value.is_empty()).then_some(value)
}

/// The first word of a text without quotes, and without the punctuation that follows it.
pub(super) fn unquoted(text: &str) -> String {
    for quote in ['"', '\'', '`'] {
        if let Some((inner, _)) = text.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner.to_owned();
        }
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut word = word.split([';', ',']).next().unwrap_or_default().trim_end_matches([')', '.']);
    while word.ends_with(']') && word.matches(']').count() > word.matches('[').count() {
        word = word.strip_suffix(']').unwrap_or_default().trim_end_matches([')', '.']);
    }
    word.to_owned()
}
