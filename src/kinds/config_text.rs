//! Edits of a config's text: unedited text keeps its bytes.

use std::collections::BTreeSet;
use std::ops::Bound;

use lossless_yaml::{EditError, KeyPosition, NodeRef, Op, Path, Tree, Value};

/// True if the document is the config of this kind.
pub(super) fn is_config(kind: &str, root: NodeRef<'_, '_>) -> bool {
    root.get("kind").and_then(NodeRef::text) == Some(kind)
}

/// True if the config of this kind has a node at the path, even an empty one.
pub(super) fn has(kind: &str, text: &str, path: &Path) -> bool {
    Tree::parse(text).is_ok_and(|tree| tree.roots().any(|root| is_config(kind, root) && root.lookup(path).is_some()))
}

/// Edits the config of this kind in the text; no operations leave the text unchanged.
pub(super) fn apply(kind: &str, text: &mut String, ops: &[Op]) -> Result<(), EditError> {
    if ops.is_empty() {
        return Ok(());
    }
    let document = Tree::parse(text).map_err(EditError::Parse)?.roots().position(|root| is_config(kind, root));
    *text = lossless_yaml::edit_text(text, document.unwrap_or_default(), &Path::root(), ops)?;
    Ok(())
}

/// A mapping with sorted keys in the spec of a config, in which a command adds and removes entries.
pub(super) struct Records {
    /// The kind of the config.
    pub(super) kind: &'static str,
    /// The key of the mapping in the spec.
    pub(super) key: &'static str,
    /// Fields of the spec that come before the mapping, the nearest first.
    pub(super) after: &'static [&'static str],
    /// Fields of the spec that come after the mapping.
    pub(super) before: &'static [&'static str],
}

impl Records {
    /// The path of the mapping.
    pub(super) fn path(&self) -> Path {
        Path::dotted("spec").key(self.key)
    }

    /// Removes entries.
    pub(super) fn remove(&self, text: &mut String, keys: &[String]) -> Result<(), EditError> {
        let ops: Vec<Op> = keys.iter().map(|key| Op::Remove { path: self.path().key(key.clone()) }).collect();
        apply(self.kind, text, &ops)
    }

    /// Adds entries in sorted order. `keys` are the existing keys of the mapping; a missing mapping is added.
    pub(super) fn add(
        &self,
        text: &mut String,
        keys: &BTreeSet<&str>,
        new: Vec<(String, Value)>,
    ) -> Result<(), EditError> {
        let list = |keys: &[&'static str]| keys.iter().map(|key| (*key).into()).collect();
        if !new.is_empty() && !has(self.kind, text, &self.path()) {
            let place = KeyPosition { after: list(self.after), before: list(self.before) };
            let (parent, key, value) = (Path::dotted("spec"), self.key.to_owned(), Value::Map(new));
            return apply(self.kind, text, &[Op::Add { parent, key, value, place }]);
        }
        // One batch, because insertions between the same two keys keep their order.
        let between = |(key, value): (String, Value)| {
            let after = keys.range::<str, _>((Bound::Unbounded, Bound::Excluded(key.as_str()))).next_back();
            let before = keys.range::<str, _>((Bound::Excluded(key.as_str()), Bound::Unbounded)).next();
            let key_of = |key: Option<&&str>| key.map(|key| (*key).to_owned().into()).into_iter().collect();
            let place = KeyPosition { after: key_of(after), before: key_of(before) };
            Op::Add { parent: self.path(), key, value, place }
        };
        apply(self.kind, text, &new.into_iter().map(between).collect::<Vec<_>>())
    }
}
