//! Placeholders: parts of texts that another tool fills in later.

/// True if a text may have a placeholder of any tool; a quick test.
///
/// ```
/// use krm::may_have_placeholder;
/// assert!(may_have_placeholder("web-${ENV}") && may_have_placeholder("(( grab meta.name ))"));
/// assert!(may_have_placeholder(":%DB_PORT%") && may_have_placeholder("%env.PORT%:80"));
/// assert!(!may_have_placeholder("ghcr.io/shop/web@sha256:0123"));
/// assert!(!may_have_placeholder("caf%C3%A9") && !may_have_placeholder("%d%s") && !may_have_placeholder("50% of 100%"));
/// ```
pub fn may_have_placeholder(text: &str) -> bool {
    // Most texts have none of these characters, and this test runs for every text of a workload.
    let is_sign = |byte: u8| matches!(byte, b'$' | b'<' | b'{' | b'#' | b'(' | b'[' | b'%' | b'_' | b'@' | b'+');
    if !text.bytes().any(is_sign) {
        return false;
    }
    text.contains(['$', '<'])
        || ["{{", "#{", "((", "[[", "%%", "__", "#@", "ref+"].iter().any(|mark| text.contains(mark))
        || text.matches('@').count() > 1
        || has_percent_name(text)
}

/// True for `%NAME%` in a text. Percent encoding (`%C3%A9`) is not a placeholder: two hexadecimal digits follow each
/// `%`.
fn has_percent_name(text: &str) -> bool {
    let is_encoded = |rest: &str| rest.len() > 1 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    let mut parts = text.split('%').skip(1).peekable();
    std::iter::from_fn(|| Some((parts.next()?, *parts.peek()?)))
        .any(|(name, rest)| name.len() > 1 && is_name(name) && !(is_encoded(name) && is_encoded(rest)))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// First parts of the names that Tekton fills in: `$(params.port)`.
///
/// Source: tektoncd/pipeline@v1.6.0 `docs/variables.md`.
const TEKTON: [&str; 7] = ["params.", "inputs.", "context.", "tasks.", "workspaces.", "results.", "tt.params."];

/// True if a whole text is one placeholder: `${NAME}`, `$NAME`, `{{ NAME }}`, `[[ NAME ]]`, `#{NAME}#`, `#{NAME}` of
/// Octopus Deploy, `@NAME@`, `%NAME%`, `%%NAME%%`, `__NAME__`, `<NAME>`, `<% NAME %>`, `<< inputs.NAME >>` of a
/// ResourceSet, `<path:PATH#KEY>`, `(( grab NAME ))` of spruce, `#@ NAME` of ytt, `ref+vault://PATH` of vals or
/// `$(params.NAME)` of Tekton. Another `$(NAME)` is a variable of the container, which Kubernetes fills in.
///
/// ```
/// use krm::is_whole_placeholder;
/// for text in ["#{Port}", "#{Octopus.Web[a].Port}", "<< inputs.port >>", "%PORT%", "$(params.port)"] {
///     assert!(is_whole_placeholder(text), "{text}");
/// }
/// for text in ["#{}", "$(PORT)", "$(server.port)", "%d", "50%", "<<", "#Port"] {
///     assert!(!is_whole_placeholder(text), "{text}");
/// }
/// ```
pub fn is_whole_placeholder(text: &str) -> bool {
    let between = |start: &str, end: &str| text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    between("${", "}").is_some()
        || between("{{", "}}").is_some()
        || between("$", "").is_some_and(is_name)
        || between("#{", "}#").is_some_and(is_name)
        || between("#{", "}").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        || between("$(", ")").is_some_and(|name| is_name(name) && TEKTON.iter().any(|first| name.starts_with(first)))
        || between("@", "@").is_some_and(is_name)
        || between("%%", "%%").or_else(|| between("%", "%")).is_some_and(is_name)
        || between("__", "__").is_some_and(is_name)
        || between("<", ">").is_some_and(|inside| {
            let is_within =
                |start: char, end: char| inside.len() > 2 && inside.starts_with(start) && inside.ends_with(end);
            is_name(inside) || inside.starts_with("path:") || is_within('%', '%') || is_within('<', '>')
        })
        || between("[[", "]]").or_else(|| between("$[[", "]]")).is_some()
        || between("((", "))").is_some()
        || text.starts_with("#@ ")
        || text.starts_with("ref+") && text.contains("://")
}
