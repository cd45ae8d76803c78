//! The parts of an object that change, in text order.

use std::borrow::Cow;

use super::unterminated;
use crate::plan::Edit;
use crate::render::{ops, order};
use lossless_yaml::{NodeRef, Op, Path, Value};

/// A changed part of the document. All additions to one list, and all insertions after one element, form one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Site {
    Set { path: Path, value: Value },
    Add { path: Path, value: Value },
    Append { list: Path, values: Vec<Value> },
    Insert { after: Path, values: Vec<Value> },
    Remove { path: Path },
}

/// Sort key of a site. First, insertions and removals are last and in reverse order, so that
/// earlier indexes stay valid. Second, the offset in the text. Third, the position relative to the
/// existing node: 0 before, 1 at, 2 after and 3 at its end.
type Position = (bool, usize, u8);

impl Site {
    /// Groups edits into sites, using the same operations as `hostnet apply`.
    pub(super) fn all(object: NodeRef<'_, '_>, edits: &[&Edit]) -> Result<Vec<Self>, String> {
        let mut sites: Vec<Self> = Vec::new();
        for op in ops::of_object(edits)? {
            match op {
                Op::Set { path, value } => {
                    let value = match object.lookup(&path) {
                        Some(node) => unterminated::value(node, value),
                        None => value,
                    };
                    sites.push(Self::Set { path, value });
                }
                Op::Add { parent, key, value, .. } => sites.push(Self::Add { path: parent.key(key), value }),
                Op::Remove { path } => sites.push(Self::Remove { path }),
                Op::Append { sequence, value } => {
                    let known = sites.iter_mut().find_map(|site| match site {
                        Self::Append { list, values } if *list == sequence => Some(values),
                        _ => None,
                    });
                    match known {
                        Some(values) => values.push(value),
                        None => sites.push(Self::Append { list: sequence, values: vec![value] }),
                    }
                }
                Op::Insert { after: element, value } => {
                    let known = sites.iter_mut().find_map(|site| match site {
                        Self::Insert { after, values } if *after == element => Some(values),
                        _ => None,
                    });
                    match known {
                        Some(values) => values.push(value),
                        None => sites.push(Self::Insert { after: element, values: vec![value] }),
                    }
                }
            }
        }
        sites.sort_by_cached_key(|site| site.position(object));
        Ok(sites)
    }

    /// Path of the changed value or list.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Set { path, .. }
            | Self::Add { path, .. }
            | Self::Remove { path }
            | Self::Append { list: path, .. }
            | Self::Insert { after: path, .. } => path,
        }
    }

    /// Position of the site in the text of the object.
    fn position(&self, object: NodeRef<'_, '_>) -> Position {
        let node = |path: &Path| object.lookup(path);
        match self {
            Self::Set { path, .. } => (false, node(path).map_or(0, NodeRef::start), 1),
            Self::Remove { path } | Self::Insert { after: path, .. } => {
                (true, usize::MAX - node(path).map_or(0, NodeRef::start), 0)
            }
            Self::Append { list, .. } => match node(list) {
                Some(list) => (false, list.span().end, 2),
                None => added(object, list),
            },
            Self::Add { path, .. } => added(object, path),
        }
    }
}

/// Sort key of an added key.
fn added(object: NodeRef<'_, '_>, path: &Path) -> Position {
    let enclosing = std::iter::successors(path.parent(), Path::parent).find_map(|path| object.lookup(&path));
    let enclosing = enclosing.unwrap_or(object);
    let place = order::key_position(path);
    let value = |key: &Cow<'_, str>| enclosing.get_without_merge_keys(key);
    // Neighbours that determine the position.
    let after = place.after.iter().find_map(value).map(|value| (false, value.span().end, 2));
    let before = || place.before.iter().find_map(value).map(|value| (false, value.start(), 0));
    after.or_else(before).unwrap_or((false, enclosing.span().end, 3))
}
