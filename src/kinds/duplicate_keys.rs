//! What is said of keys that an object has twice.

use crate::plan::Finding;
use crate::rule::{self, Severity};
use crate::wire::DuplicateKey;

/// The findings about the duplicate keys of one object, which is called `name`: each key; of a text that is several objects only where the
/// next ones start.
pub(super) fn findings(name: &str, keys: &[&DuplicateKey], severity: Severity) -> Vec<Finding> {
    let finding = |message: String| Finding::new(severity, rule::DUPLICATE_KEY, message);
    let twice = |key: &str| keys.iter().filter(|own| own.key == key).map(|own| own.second).collect::<Vec<_>>();
    let (versions, kinds) = (twice("apiVersion"), twice("kind"));
    if !versions.is_empty() && versions.len() == kinds.len() {
        let starts: Vec<String> = versions.iter().zip(&kinds).map(|(one, other)| one.min(other).to_string()).collect();
        let (begin, it) =
            if starts.len() == 1 { ("line", "begins another object") } else { ("lines", "begin other objects") };
        let message = format!(
            "{name}: {begin} {} {it}, with an `apiVersion` and a `kind` of its own. Write `---` on a line before it",
            starts.join(" and ")
        );
        let brief = "write `---` between two objects";
        return vec![
            finding(message).brief(brief, format!("`apiVersion` and `kind` on {begin} {}", starts.join(" and "))),
        ];
    }
    let one = |key: &&DuplicateKey| {
        let message = format!(
            "{name}: key `{}` stands on line {} and again on line {}; readers differ in which of them counts, and the API server's \
             refuses both. Remove one",
            key.key, key.first, key.second
        );
        let detail = format!("`{}` on lines {} and {}", key.key, key.first, key.second);
        finding(message).brief("remove one of the two keys: the API server refuses both together", detail)
    };
    keys.iter().map(one).collect()
}
