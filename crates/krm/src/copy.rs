//! New objects: a copy without identity fields of the original, or a value; edited and verified.

use crate::edit;
use lossless_yaml::{KeyPosition, NodeRef, Op, ParseErrorKind, Path, Tree, Value};

use super::edit::EditRefusal;
use super::output_check;

/// Prefixes of annotations that must not be copied: origin, host identifiers, last applied configuration.
const OWN_ANNOTATIONS: [&str; 7] = [
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "internal.config.k8s.io/",
    "kustomize.config.k8s.io/",
    "internal.kpt.dev/",
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// Fields of `metadata` that the API server sets for one object.
const OWN_METADATA: [&str; 9] = [
    "uid",
    "resourceVersion",
    "generation",
    "selfLink",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "managedFields",
];

/// Edits the object at `prefix` in the first document of a text. For a copy, first removes the
/// fields that belong to the original only and sets the annotations in `copy`; `None` if the object
/// is not a copy.
pub(super) fn edited(
    text: &str,
    prefix: &Path,
    ops: &[Op],
    copy: Option<&[(String, Value)]>,
) -> Result<String, EditRefusal> {
    let failed = |offset: usize, message: String| EditRefusal { object: None, offset, message };
    let done = Tree::parse(text).map(|tree| {
        let node =
            object(&tree, prefix).ok_or_else(|| failed(0, "internal error: the object is missing".to_owned()))?;
        let ops =
            copy.map_or_else(|| ops.to_vec(), |annotations| prepend_removals_of_own_fields(node, ops, annotations));
        let splices = edit::edit_and_verify(node, &ops).map_err(|error| edit::refusal(node, None, &error, 1))?;
        Ok(if splices.is_empty() {
            text.to_owned()
        } else {
            without_blank_end(lossless_yaml::splice(text, &splices), text, prefix)
        })
    });
    done.unwrap_or_else(|error| {
        // The object is parsed alone here for the first time; anchors of other objects are missing.
        let shares = error.kind == ParseErrorKind::UnknownAnchor;
        let remedy = if shares { ": write out the values that it shares with other objects" } else { "" };
        Err(failed(error.offset, format!("{}{remedy}", error.message)))
    })
}

/// Removes the blank lines at the end of the text that separated a removed part from the text
/// before it. Blank lines that belong to a value are kept.
fn without_blank_end(new: String, old: &str, prefix: &Path) -> String {
    let line_break = if new.ends_with("\r\n") { "\r\n" } else { "\n" };
    let length = |text: &str| text.trim_ascii_end().len() + line_break.len();
    if length(old) < old.len() || length(&new) >= new.len() {
        return new;
    }
    let trimmed = format!("{}{line_break}", new.trim_ascii_end());
    let hash =
        |text: &str| Tree::parse(text).ok().and_then(|tree| Some(output_check::node_hash(object(&tree, prefix)?)));
    if hash(&trimmed) == hash(&new) { trimmed } else { new }
}

/// Returns the object at `prefix` of a text.
pub(super) fn object<'t, 's>(tree: &'t Tree<'s>, prefix: &Path) -> Option<NodeRef<'t, 's>> {
    tree.root(0)?.lookup(prefix)
}

/// Returns the operations, preceded by operations that remove the fields of the original.
fn prepend_removals_of_own_fields(object: NodeRef<'_, '_>, ops: &[Op], set: &[(String, Value)]) -> Vec<Op> {
    let mut own: Vec<Path> = Vec::new();
    let metadata = Path::root().key("metadata");
    let here = |path: &Path| object.lookup(path).is_some();
    own.extend(OWN_METADATA.iter().map(|key| metadata.key(*key)).filter(here));
    own.extend([Path::root().key("status")].into_iter().filter(here));
    let annotations = metadata.key("annotations");
    let keys = || object.lookup(&annotations).into_iter().flat_map(NodeRef::entries).filter_map(|(key, _)| key.text());
    let is_own = |key: &str| OWN_ANNOTATIONS.iter().any(|own| key.starts_with(own));
    let replaced =
        ops.iter().any(|op| matches!(op, Op::Set { path, .. } | Op::Remove { path } if *path == annotations));
    let added = ops.iter().any(|op| matches!(op, Op::Add { parent, .. } if *parent == annotations));
    let mut new = Vec::new();
    if keys().any(is_own) && !replaced {
        for (key, value) in set {
            let (path, value) = (annotations.key(key.clone()), value.clone());
            new.push(if here(&path) {
                Op::Set { path, value }
            } else {
                Op::Add { parent: annotations.clone(), key: key.clone(), value, place: KeyPosition::default() }
            });
        }
        let is_own = |key: &str| is_own(key) && !set.iter().any(|(known, _)| known == key);
        if keys().all(is_own) && !added {
            own.push(annotations);
        } else {
            own.extend(keys().filter(|key| is_own(key)).map(|key| annotations.key(key.to_owned())));
        }
    }
    // Drop edits of fields that are removed.
    let concerns_own = |op: &&Op| own.iter().any(|own| op.path().steps().starts_with(&own.steps()));
    let mut all: Vec<Op> = ops.iter().filter(|op| !concerns_own(op)).cloned().collect();
    all.extend(new);
    all.extend(own.into_iter().map(|path| Op::Remove { path }));
    all
}
