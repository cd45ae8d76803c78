//! Findings about duplicate keys in an object.

use crate::model::{Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use krm::DuplicateKey;

/// Findings about the duplicate keys of objects, which are in the order of the objects.
pub(super) fn findings(
    duplicates: &[(ObjectId, DuplicateKey)],
    model: &Model,
    severity: impl Fn(ObjectId) -> Severity,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for of_object in duplicates.chunk_by(|one, other| one.0 == other.0) {
        let Some((id, _)) = of_object.first() else { continue };
        let Some(object) = model.object(*id) else { continue };
        let keys: Vec<&DuplicateKey> = of_object.iter().map(|(_, key)| key).collect();
        let found = object_findings(&object.meta.to_string(), &keys, severity(*id));
        findings.extend(found.into_iter().map(|finding| finding.on_object(*id)));
    }
    findings
}

/// Findings about the duplicate keys of the object `name`, one per key. For a text that contains
/// several objects, only one finding at the start of each further object.
fn object_findings(name: &str, keys: &[&DuplicateKey], severity: Severity) -> Vec<Finding> {
    let finding = |message: String| Finding::new(severity, rule::DUPLICATE_KEY, message);
    let twice = |key: &str| {
        keys.iter().filter(|duplicate| duplicate.key == key).map(|duplicate| duplicate.second).collect::<Vec<_>>()
    };
    let (versions, kinds) = (twice("apiVersion"), twice("kind"));
    if !versions.is_empty() && versions.len() == kinds.len() {
        let begins: Vec<_> = versions.iter().zip(&kinds).map(|(one, other)| *one.min(other)).collect();
        let starts: Vec<String> = begins.iter().map(|(line, _)| line.to_string()).collect();
        let (begin, it) =
            if starts.len() == 1 { ("line", "begins another object") } else { ("lines", "begin other objects") };
        let message = format!(
            "{name}: {begin} {} {it}, with its own `apiVersion` and `kind`. Write `---` on a line before it",
            starts.join(" and ")
        );
        let brief = "write `---` between two objects: each has an `apiVersion` and a `kind`";
        let detail = format!("`apiVersion` and `kind` on {begin} {}", starts.join(" and "));
        let position = begins.first().copied();
        return vec![Finding { position, ..finding(message).brief(brief, detail) }];
    }
    let one = |key: &&DuplicateKey| {
        let message = format!(
            "{name}: key `{}` is on line {} and again on line {}; parsers differ in which one they use, and the API server's refuses \
             both. Remove one",
            key.key, key.first.0, key.second.0
        );
        let detail = format!("`{}` on lines {} and {}", key.key, key.first.0, key.second.0);
        let finding =
            finding(message).brief("remove one of the two keys: the API server refuses both together", detail);
        Finding { position: Some(key.second), ..finding }
    };
    keys.iter().map(one).collect()
}
