//! Placeholders: parts of texts that another tool fills in later.

/// True if a text may have a placeholder of any tool; a quick test.
///
/// ```
/// use krm::may_have_placeholder;
/// assert!(may_have_placeholder("web-${ENV}") && may_have_placeholder("(( grab meta.name ))"));
/// assert!(!may_have_placeholder("ghcr.io/shop/web@sha256:0123"));
/// ```
pub fn may_have_placeholder(text: &str) -> bool {
    text.contains(['$', '<'])
        || ["{{", "#{", "((", "[[", "%%", "__", "#@", "ref+"].iter().any(|mark| text.contains(mark))
        || text.matches('@').count() > 1
}

/// True if a whole text is one placeholder: `${NAME}`, `$NAME`, `{{ NAME }}`, `[[ NAME ]]`, `#{NAME}#`, `@NAME@`,
/// `%%NAME%%`, `__NAME__`, `<NAME>`, `<% NAME %>`, `<path:PATH#KEY>`, `(( grab NAME ))` of spruce, `#@ NAME` of ytt or
/// `ref+vault://PATH` of vals. `$(NAME)` is a variable of the container, which Kubernetes fills in.
pub fn is_whole_placeholder(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
    };
    let between = |start: &str, end: &str| text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    between("${", "}").is_some()
        || between("{{", "}}").is_some()
        || between("$", "").is_some_and(is_name)
        || between("#{", "}#").is_some_and(is_name)
        || between("@", "@").is_some_and(is_name)
        || between("%%", "%%").is_some_and(is_name)
        || between("__", "__").is_some_and(is_name)
        || between("<", ">").is_some_and(|inside| {
            is_name(inside) || inside.starts_with("path:") || inside.starts_with('%') && inside.ends_with('%')
        })
        || between("[[", "]]").or_else(|| between("$[[", "]]")).is_some()
        || between("((", "))").is_some()
        || text.starts_with("#@ ")
        || text.starts_with("ref+") && text.contains("://")
}
