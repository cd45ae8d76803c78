//! Placeholders: parts of texts that another tool fills in later.

use std::ops::Range;

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
/// Octopus Deploy, `@NAME@`, `@@NAME@@`, `%NAME%`, `%%NAME%%`, `__NAME__`, `<NAME>`, `<% NAME %>`, `<< inputs.NAME >>` of a
/// ResourceSet, `<path:PATH#KEY>`, `(( grab NAME ))` of spruce, `#@ NAME` of ytt, `ref+vault://PATH` of vals or
/// `$(params.NAME)` of Tekton. Another `$(NAME)` is a variable of the container, which Kubernetes fills in.
///
/// ```
/// use krm::is_whole_placeholder;
/// for text in ["#{Port}", "#{Octopus.Web[a].Port}", "<< inputs.port >>", "%PORT%", "@@PORT@@", "$(params.port)"] {
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
        || between("@@", "@@").or_else(|| between("@", "@")).is_some_and(is_name)
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

/// Starts and ends of placeholders with any text inside.
const BRACKETS: [(&str, &str); 8] =
    [("$[[", "]]"), ("${", "}"), ("{{", "}}"), ("#{", "}"), ("[[", "]]"), ("((", "))"), ("<%", "%>"), ("<<", ">>")];

/// Starts and ends of placeholders with a name inside.
const MARKS: [(&str, &str); 6] = [("%%", "%%"), ("%", "%"), ("__", "__"), ("@@", "@@"), ("@", "@"), ("<", ">")];

/// True if a part of a text is a placeholder, as [`is_whole_placeholder`] describes them. `$(NAME)` and `$NAME` inside
/// of a text are none: Kubernetes fills in the first, and the second may be a password.
///
/// ```
/// use krm::holds_placeholder;
/// for text in ["http://${HOST:-a}:80", ".{{ .domain }}", "http://u:#{Pass}@p", "10.0.0.0/__BITS__", "a,@ZONE@", ":@@PORT@@", "$LIST"] {
///     assert!(holds_placeholder(text), "{text}");
/// }
/// for text in ["http://u:p@ss@p:1", "http://u:p#s$s%40%2F@p", "$(NAME)", "a__b", "${", "<", "a.b,[fd00::1]:80", "u:$w"] {
///     assert!(!holds_placeholder(text), "{text}");
/// }
/// ```
pub fn holds_placeholder(text: &str) -> bool {
    placeholders(text).next().is_some()
}

/// Parts of a text between commas outside of placeholders.
///
/// ```
/// use krm::split_at_commas;
/// assert_eq!(split_at_commas("a,${B:-c,d}.e,,f"), ["a", "${B:-c,d}.e", "", "f"]);
/// ```
pub fn split_at_commas(text: &str) -> Vec<&str> {
    let inside: Vec<Range<usize>> = placeholders(text).collect();
    let mut inside = inside.into_iter().peekable();
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, comma) in text.match_indices(',') {
        while inside.next_if(|placeholder| placeholder.end <= at).is_some() {}
        if inside.peek().is_none_or(|placeholder| at < placeholder.start) {
            parts.extend(text.get(start..at));
            start = at + comma.len();
        }
    }
    parts.extend(text.get(start..));
    parts
}

/// Places of the placeholders in a text, in order.
fn placeholders(text: &str) -> impl Iterator<Item = Range<usize>> {
    let end = if may_have_placeholder(text) { text.len() } else { 0 };
    let mut from = 0;
    std::iter::from_fn(move || {
        let starts = from..end;
        let found =
            starts.filter(|at| text.is_char_boundary(*at)).find_map(|at| Some(at..placeholder_end(text, at)?))?;
        from = found.end;
        Some(found)
    })
}

/// End of the placeholder that begins at a position.
fn placeholder_end(text: &str, at: usize) -> Option<usize> {
    let (before, rest) = text.split_at_checked(at)?;
    if before.is_empty() && (rest.strip_prefix('$').is_some_and(is_name) || rest.starts_with("#@ ")) {
        return Some(text.len());
    }
    if before.is_empty() && rest.starts_with("ref+") && rest.contains("://") {
        return Some(text.len());
    }
    let bracketed = |(start, end): &(&str, &str)| {
        let inside = rest.strip_prefix(start)?;
        let is_named = *start != "#{" || inside.starts_with(|c: char| c.is_ascii_alphabetic());
        Some(start.len() + closing(inside, end).filter(|_| is_named)?)
    };
    let marked = |(start, end): &(&str, &str)| {
        let inside = rest.strip_prefix(start)?;
        let (name, after) = inside.split_once(end)?;
        // `p@ss@host` is a password with an `@`, and `%AB%2F` an encoded one.
        let is_word = start.starts_with('@') && before.ends_with(|c: char| c.is_ascii_alphanumeric());
        let is_encoded = *start == "%" && !has_percent_name(&format!("%{name}%{after}"));
        let is_path = *start == "<" && name.starts_with("path:");
        (is_path || is_name(name) && !is_word && !is_encoded).then(|| start.len() + name.len() + end.len())
    };
    BRACKETS.iter().find_map(bracketed).or_else(|| MARKS.iter().find_map(marked)).map(|length| at + length)
}

/// Position after the `end` that closes a text, after the pairs inside: `${A:-${B}}`.
fn closing(inside: &str, end: &str) -> Option<usize> {
    if end != "}" {
        return inside.find(end).map(|at| at + end.len());
    }
    let mut open = 1_usize;
    inside.bytes().zip(1..).find_map(|(byte, after)| {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(after)
    })
}
