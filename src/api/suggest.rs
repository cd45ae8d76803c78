//! Suggestions for misspelled words: "did you mean".

/// Minimum similarity (Jaro-Winkler, 0 to 1) to a word of a fixed list.
const MIN_WORD_SIMILARITY: f64 = 0.7;

/// Minimum similarity to a name of the input; higher, because missing and existing objects often have similar names.
const MIN_NAME_SIMILARITY: f64 = 0.85;

/// Minimum normalized Damerau-Levenshtein similarity (0 to 1), so that a common prefix alone is not enough.
const SAME: f64 = 0.5;

/// True if one word is a prefix of at least four bytes of the other word: an abbreviation or its long form.
fn is_part(given: &str, known: &str) -> bool {
    given.len() >= 4 && known.starts_with(given) || known.len() >= 4 && given.starts_with(known)
}

/// "unknown X, did you mean Y", with all known words.
pub(crate) fn unknown(noun: &str, given: &str, known: &[&str]) -> String {
    let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match closest(given, known, MIN_WORD_SIMILARITY) {
        Some(near) => format!("unknown {noun} `{given}`: {}? Known are {list}", did_you_mean_text(near)),
        None => format!("unknown {noun} `{given}`: known are {list}"),
    }
}

/// "unknown X, did you mean Y" for names of the catalog, which are too many to list.
pub(crate) fn unknown_name(noun: &str, given: &str, known: &[&str]) -> String {
    let near = closest(given, known, MIN_WORD_SIMILARITY)
        .map_or_else(|| ".".to_owned(), |near| format!(": {}?", did_you_mean_text(near)));
    format!("unknown {noun} `{given}`{near} `hostnet catalog` lists the programs of the catalogue")
}

/// The error for an unknown rule.
pub(crate) fn unknown_rule(given: &str, known: &[&str]) -> String {
    match closest_word(given, known) {
        Some(near) => format!("unknown rule `{given}`: did you mean `{near}`? `hostnet explain` lists all"),
        None => format!("unknown rule `{given}`: `hostnet explain` lists all"),
    }
}

/// The most similar known word with a Jaro-Winkler similarity above a threshold.
pub(crate) fn closest_word<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    closest(given, known, MIN_WORD_SIMILARITY)
}

/// "did you mean Y" for a word of a fixed list; `None` if no word is similar enough.
pub(crate) fn did_you_mean(given: &str, known: &[&str]) -> Option<String> {
    closest(given, known, MIN_WORD_SIMILARITY).map(did_you_mean_text)
}

/// "did you mean Y" for a name of the input; `None` if no name is similar enough.
pub(crate) fn did_you_mean_name(given: &str, known: &[&str]) -> Option<String> {
    closest(given, known, MIN_NAME_SIMILARITY).map(did_you_mean_text)
}

fn did_you_mean_text(suggestion: &str) -> String {
    format!("did you mean `{suggestion}`")
}

/// The most similar known word with a similarity above a threshold.
fn closest<'a>(given: &str, known: &[&'a str], above: f64) -> Option<&'a str> {
    let given = given.to_lowercase();
    known
        .iter()
        .map(|name| (name.to_lowercase(), *name))
        .filter(|(lower, _)| strsim::normalized_damerau_levenshtein(&given, lower) >= SAME || is_part(&given, lower))
        .map(|(lower, name)| (strsim::jaro_winkler(&given, &lower), name))
        .filter(|(likeness, _)| *likeness > above)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, did_you_mean_name, unknown};

    #[test]
    fn names_of_the_input_need_a_closer_match_than_known_words() {
        let known = ["metrics", "health"];
        assert_eq!(did_you_mean("Metrisc", &known).as_deref(), Some("did you mean `metrics`"));
        assert_eq!(did_you_mean("http", &known), None);
        assert_eq!(did_you_mean("foo", &["function-go-templating"]), None, "a common letter makes nothing alike");
        assert_eq!(
            did_you_mean("cert-manager", &["cert-manager-webhook"]).as_deref(),
            Some("did you mean `cert-manager-webhook`")
        );
        assert_eq!(did_you_mean("heat", &["head"]).as_deref(), Some("did you mean `head`"));
        assert_eq!(did_you_mean_name("web-front", &["front-web"]), None);
        assert_eq!(unknown("field", "zzz", &["a", "b"]), "unknown field `zzz`: known are `a`, `b`");
    }
}
