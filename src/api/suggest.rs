//! "Did you mean": what is known that is like what was written.

/// How like a word of a fixed list has to be (Jaro-Winkler, 0 to 1) to be meant.
const LIKE: f64 = 0.7;

/// The same for what an input happens to hold: a name that is only missing is often like another one's.
const LIKE_A_NAME: f64 = 0.85;

/// How much of the longer of two words has to be the same (0 to 1): a common start alone makes nothing alike.
const SAME: f64 = 0.5;

/// Whether one of two words of some length is the start of the other: an abbreviation, or a word that is written out.
fn is_part(given: &str, known: &str) -> bool {
    given.len() >= 4 && known.starts_with(given) || known.len() >= 4 && given.starts_with(known)
}

/// "unknown X, did you mean Y", and all that is known.
pub(crate) fn unknown(what: &str, given: &str, known: &[&str]) -> String {
    let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match closest(given, known, LIKE) {
        Some(near) => format!("unknown {what} `{given}`: {}? Known are {list}", meant(near)),
        None => format!("unknown {what} `{given}`: known are {list}"),
    }
}

/// "unknown X, did you mean Y" for what the catalogue names: too many are known for a list.
pub(crate) fn unknown_name(what: &str, given: &str, known: &[&str]) -> String {
    let near = closest(given, known, LIKE).map_or_else(|| ".".to_owned(), |near| format!(": {}?", meant(near)));
    format!("unknown {what} `{given}`{near} `hostnet catalog` lists those of the catalogue")
}

/// What is said of a rule that is not one of those that are known.
pub(crate) fn unknown_rule(given: &str, known: &[&str]) -> String {
    match closest_word(given, known) {
        Some(near) => format!("unknown rule `{given}`: did you mean `{near}`? `hostnet explain` lists all"),
        None => format!("unknown rule `{given}`: `hostnet explain` lists all"),
    }
}

/// The word of those that a place takes which is like the given one.
pub(crate) fn closest_word<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    closest(given, known, LIKE)
}

/// "did you mean Y" for a word of those that a place takes, when one is like it.
pub(crate) fn did_you_mean(given: &str, known: &[&str]) -> Option<String> {
    closest(given, known, LIKE).map(meant)
}

/// "did you mean Y" for what names something of the input, when something of it has a name like that.
pub(crate) fn did_you_mean_name(given: &str, known: &[&str]) -> Option<String> {
    closest(given, known, LIKE_A_NAME).map(meant)
}

fn meant(near: &str) -> String {
    format!("did you mean `{near}`")
}

/// The known word that is most like the given one, when its likeness is above this.
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
    fn a_name_of_the_input_has_to_be_more_alike_than_a_known_word() {
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
