//! The fast reader held against granit: for tests, and for a fuzz target.

use super::LeavesOut;
use crate::yaml::builder::Builder;
use crate::yaml::{Kind, NodeRef, Tree};

/// What the fast reader made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// The tree that granit makes.
    Same,
    /// None.
    Declined,
}

/// What may be left out in a comparison.
pub(super) const RULES: [LeavesOut; 3] = [
    |outer, key| !matches!((outer, key), (None, "apiVersion" | "kind" | "metadata") | (Some(_), _)),
    |outer, key| matches!((outer, key), (None, "status") | (Some("metadata"), "managedFields" | "labels")),
    |outer, key| outer.is_none() == key.len().is_multiple_of(2),
];

/// A node as it is compared: where collections end depends on what they hold.
type Shown = (Kind, usize, String);

/// The nodes of a tree, without those that a rule leaves out.
fn shown(tree: &Tree<'_>, rule: Option<LeavesOut>) -> Vec<Shown> {
    let mut all = Vec::new();
    let mut depth = None;
    for root in tree.roots() {
        objects(root, 0, &mut depth, rule, &mut all);
    }
    all
}

/// What is around the objects: sequences. All objects are as deep as the first one.
fn objects(
    at: NodeRef<'_, '_>,
    level: usize,
    depth: &mut Option<usize>,
    rule: Option<LeavesOut>,
    all: &mut Vec<Shown>,
) {
    if at.kind() == (Kind::Mapping { flow: false }) && *depth.get_or_insert(level) == level {
        return entries(at, None, rule, all);
    }
    all.push((at.kind(), at.start(), at.text().unwrap_or_default().to_owned()));
    for child in at.children() {
        objects(child, level + 1, depth, rule, all);
    }
}

/// The entries of an object, or of an entry of it.
fn entries(at: NodeRef<'_, '_>, outer: Option<&str>, rule: Option<LeavesOut>, all: &mut Vec<Shown>) {
    all.push((at.kind(), at.start(), at.text().unwrap_or_default().to_owned()));
    for (key, value) in at.entries() {
        let own = key.text().unwrap_or_default();
        if own != "<<" && rule.is_some_and(|rule| rule(outer, own)) {
            continue;
        }
        let is_block = value.kind() == Kind::Mapping { flow: false };
        let rule_inside = rule.filter(|_| outer.is_none() && is_block);
        objects(key, 0, &mut Some(usize::MAX), None, all);
        match rule_inside {
            Some(_) => entries(value, Some(own), rule, all),
            None => objects(value, 0, &mut Some(usize::MAX), None, all),
        }
    }
}

/// Reads a text without some entries; an error where that is another tree than one of the whole without them, or where one is made and the other
/// is not.
fn compare_parts(text: &str, whole: Option<&Tree<'_>>) -> Result<(), String> {
    for (number, rule) in RULES.into_iter().enumerate() {
        let part = super::read_without(text, Some(rule)).map(|part| shown(&part, None));
        let whole = whole.map(|whole| shown(whole, Some(rule)));
        if part != whole {
            return Err(format!("without what rule {number} leaves out: {part:?}, of the whole: {whole:?}"));
        }
    }
    Ok(())
}

/// Reads a text by both; an error where the fast reader makes another tree than granit, or one where granit makes none.
pub fn compare(text: &str) -> Result<Read, String> {
    let fast = super::read(text);
    compare_parts(text, fast.as_ref())?;
    let Some(fast) = fast else { return Ok(Read::Declined) };
    let granit = Builder::new(text).run().map_err(|stop| format!("granit refuses it: {}", stop.error))?;
    if granit.json {
        return Err("it is JSON".to_owned());
    }
    if let Some((one, other)) = fast.nodes.iter().zip(&granit.nodes).find(|(one, other)| one != other) {
        return Err(format!("fast reader {one:?}, granit {other:?}"));
    }
    let counts = (fast.nodes.len(), &fast.roots, &fast.aliases);
    let granit = (granit.nodes.len(), &granit.roots, &granit.aliases);
    if counts == granit { Ok(Read::Same) } else { Err(format!("fast reader {counts:?}, granit {granit:?}")) }
}
