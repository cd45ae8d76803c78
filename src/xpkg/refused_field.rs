//! Field values of objects of packages that the CRDs of a release refuse.

use crate::catalog::{REFUSED_FIELDS, RefusedField};
use crate::version::ProgramVersion;
use lossless_yaml::{NodeRef, Path};

/// A value that the CRDs of some releases refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldRefusal {
    since: &'static str,
    /// Error of the API server.
    pub(super) error: String,
}

impl FieldRefusal {
    /// True if the CRDs of the release certainly refuse the value.
    pub(super) fn applies(&self, version: &ProgramVersion) -> bool {
        version.has(self.since) == Some(true)
    }
}

/// Returns the refused values of an object of a group, version and kind, in the order in which the API server checks
/// them.
pub(super) fn field_refusals(root: NodeRef<'_, '_>, of: (&str, &str, &str)) -> Vec<FieldRefusal> {
    let rows = REFUSED_FIELDS.iter().filter(|row| (row.group, row.version, row.kind) == of);
    rows.filter_map(|row| refusal(root, row)).collect()
}

/// Refusal of a field by the CRD of a release.
fn refusal(root: NodeRef<'_, '_>, row: &RefusedField) -> Option<FieldRefusal> {
    let value = value(root, row.field);
    let is_excepted = row.unless.is_some_and(|(field, values)| values.contains(&self::value(root, field)));
    let is_accepted = row.accepts.iter().any(|accepted| *accepted == value || *accepted == ANY && !value.is_empty());
    (!is_accepted && !is_excepted).then(|| FieldRefusal { since: row.since, error: row.error.replace("VALUE", value) })
}

/// Stands for any value in the catalogue, and for a value that is not text.
const ANY: &str = "*";

/// Returns the text of a field, [`ANY`] for a collection, and `""` for a missing field. Crossplane decodes objects into
/// types that drop empty texts and lists before the API server reads them.
fn value<'t>(root: NodeRef<'t, '_>, field: &str) -> &'t str {
    let Some(node) = root.lookup(&Path::dotted(field)).filter(|node| !node.is_null()) else { return "" };
    match node.text() {
        Some(text) => text,
        None if node.is_sequence() && node.items().next().is_none() => "",
        None => ANY,
    }
}

/// Returns the text of a field; `None` for a missing field, null and a collection.
pub(super) fn field_text<'t>(root: NodeRef<'t, '_>, field: &str) -> Option<&'t str> {
    root.lookup(&Path::dotted(field)).and_then(NodeRef::non_null_text)
}
