//! Placeholders in the form of Flux and of a shell, `${NAME}`, and values that any tool may fill in later.

use krm::is_whole_placeholder;
use lossless_yaml::NodeRef;

/// Characters of placeholders: `${PORT}`, `{{ .Values.port }}`, `<port>`, `%PORT%`, `@PORT@`.
pub const PLACEHOLDER_MARKS: [char; 9] = ['$', '{', '}', '<', '>', '[', ']', '%', '@'];

/// True for a text that may be replaced later where a number or boolean belongs, in the form of any tool or as a word for
/// `sed`.
///
/// ```
/// use hostnet::model::text::may_be_filled_in;
/// for text in ["${PORT}", "{{ .Values.port }}", "<port>", "PORT", "WEBHOOK_PORT", "web_port", "((port))"] {
///     assert!(may_be_filled_in(text), "{text}");
/// }
/// assert!(["http", "8080", "true# x"].iter().all(|text| !may_be_filled_in(text)));
/// ```
pub fn may_be_filled_in(text: &str) -> bool {
    let has_letter = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_upper = || text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'));
    let has_underscore = || text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && text.contains('_');
    text.contains(PLACEHOLDER_MARKS) || has_letter && (is_upper() || has_underscore()) || is_whole_placeholder(text)
}

/// True for the value of a field with the number or the name of a port that may be filled in later. A name has small
/// letters alone, so a word with `_` and without capitals is a wrong name.
///
/// ```
/// use hostnet::model::text::may_become_port;
/// assert!(["${PORT}", "{{ port }}", "$(Port)", "PORT", "__port__"].iter().all(|text| may_become_port(text)));
/// assert!(["http", "http-metrics", "http_metrics", "8080"].iter().all(|text| !may_become_port(text)));
/// ```
pub fn may_become_port(text: &str) -> bool {
    let is_no_name = || text.contains(PLACEHOLDER_MARKS) || text.bytes().any(|b| b.is_ascii_uppercase());
    is_whole_placeholder(text) || may_be_filled_in(text) && is_no_name()
}

/// True for the action of a template, such as `{{ .Values.port }}`, which YAML reads as a mapping, or `[[ .port ]]`,
/// which it reads as a list.
pub fn is_template(value: NodeRef<'_, '_>) -> bool {
    value.is_mapping() && value.raw().starts_with("{{") || value.is_sequence() && value.raw().starts_with("[[")
}

/// True if a text contains a placeholder.
pub fn is_placeholder(text: &str) -> bool {
    text.contains("${")
}

/// True if a short text, such as a version or a URL, contains a placeholder of another tool.
pub fn holds_placeholder(text: &str) -> bool {
    is_placeholder(text) || text.contains("{{") || text.split('/').any(is_whole_placeholder)
}

/// True for an empty text, and for a placeholder whose default is empty.
///
/// ```
/// use hostnet::model::text::is_empty_by_default;
/// assert!(["", "\"\"", "${ROLE:=}", "${ROLE:=\"\"}", "${ROLE:-''}"].iter().all(|text| is_empty_by_default(text)));
/// assert!(["admin", "${ROLE}", "${ROLE:=admin}", "x${ROLE:=}"].iter().all(|text| !is_empty_by_default(text)));
/// ```
pub fn is_empty_by_default(text: &str) -> bool {
    matches!(default_of_placeholder(text).unwrap_or(text), "" | "\"\"" | "''")
}

/// True if a placeholder of a line has the number as a default: `port: ${PORT:=8080}`, `{{ .Values.port | default 8080 }}`.
///
/// ```
/// use hostnet::model::text::defaults_to;
/// assert!(defaults_to("port: ${PORT:=8080}", "8080") && defaults_to("port: {{ or .Values.port 8080 }}", "8080"));
/// assert!(!defaults_to("http://web:8080/${PATH}", "8080") && !defaults_to("${PORT:=80801}", "8080"));
/// ```
pub fn defaults_to(line: &str, digits: &str) -> bool {
    let inside = |(open, close): (&str, &str)| {
        let parts = line.split(open).skip(1).filter_map(|rest| rest.split_once(close));
        parts
            .into_iter()
            .any(|(inside, _)| inside.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == digits))
    };
    [("${", "}"), ("{{", "}}")].into_iter().any(inside)
}

/// Variables of a text, without variables inside a default.
///
/// ```
/// use hostnet::model::text::variables;
/// assert_eq!(variables("${HOST}:${PORT:=${OTHER}}").collect::<Vec<_>>(), ["HOST", "PORT"]);
/// assert_eq!(variables("$PORT and $(PORT)").count(), 0);
/// ```
pub fn variables(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, from) = rest.split_once("${")?;
        let end = from.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(from.len());
        let (name, after) = from.split_at_checked(end)?;
        rest = from_closing_brace(after);
        Some(name)
    })
}

/// Default of a text that is one placeholder: `v1.2.0` of `${TAG:=v1.2.0}`.
///
/// ```
/// use hostnet::model::text::default_of_placeholder;
/// assert_eq!(["${TAG:=v1}", "${TAG:-v1}", "${TAG}", "v1"].map(default_of_placeholder), [Some("v1"), Some("v1"), None, None]);
/// ```
pub fn default_of_placeholder(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("${")?.strip_suffix('}')?;
    inside.split_once(":=").or_else(|| inside.split_once(":-")).map(|(_, default)| default)
}

/// True if filling in the variables of `text` may give `other`.
///
/// ```
/// use hostnet::model::text::can_become;
/// assert!(can_become("${NAME:=${A}}-web-${B}", "shop-web-1"));
/// assert!(!can_become("${NAME}-web", "shop-web-1") && !can_become("web-${A}-${B}", "web-1"));
/// assert!(can_become("web", "web") && !can_become("web", "web-1"));
/// ```
pub fn can_become(text: &str, other: &str) -> bool {
    let Some((start, from)) = text.split_once("${") else { return text == other };
    let literal = |from| from_closing_brace(from).strip_prefix('}').unwrap_or_default();
    let (Some(mut rest), mut from) = (other.strip_prefix(start), literal(from)) else { return false };
    while let Some((between, next)) = from.split_once("${") {
        let Some((_, after)) = rest.split_once(between) else { return false };
        (rest, from) = (after, literal(next));
    }
    rest.ends_with(from)
}

/// Rest of a text from the closing brace of a placeholder on.
fn from_closing_brace(text: &str) -> &str {
    let mut open = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return text.get(at..).unwrap_or_default(),
            '}' => open -= 1,
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn variables_inside_a_default_are_not_placeholders() {
        let names = |text: &'static str| variables(text).collect::<Vec<_>>();
        assert_eq!(names("${A_1}:${B2:=x}"), ["A_1", "B2"]);
        assert_eq!(names("${A:=${X}-${Y}}${B:={x}}${C}"), ["A", "B", "C"]);
        assert_eq!(names("${A:=${X}"), ["A"]);
        assert_eq!(names("$A $(B) {C}"), [""; 0]);
    }
}
