//! The parts of a list around its items: kind, functionConfig.

use std::ops::Range;

use super::document::{Document, Envelope};
use super::list_frame::{ListFrame, ListKind};
use super::results::ResultsAppend;
use super::warning::InputWarning;
use lossless_yaml::{Kind, NodeRef, Tree};

/// The group of ResourceList and its versions that hosts have sent so far.
const GROUP: &str = "config.kubernetes.io/";
const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];

/// Reads the envelope of the only document of an input; `None` if the document is not a list.
pub(super) fn read(text: &str, document: &Document) -> Option<Envelope> {
    if let Some(list) = &document.list {
        let mut envelope = list.envelope.clone();
        if let Some(warning) = envelope.as_mut().and_then(|envelope| envelope.warning.as_mut()) {
            warning.line += document.line - 1;
        }
        return envelope;
    }
    // Rarely needed, so the document is parsed a second time rather than kept.
    let whole = text.get(document.range.clone()).unwrap_or_default();
    if !whole.contains("List") {
        return None;
    }
    // A document that cannot be parsed is reported when its objects are read.
    Tree::parse(whole).ok().and_then(|tree| read_whole(text, document, &tree))
}

/// Reads the envelope of a list whose items were cut out. Lines are counted from 1 at the start of its document.
pub(super) fn read_shell(text: &str, kind: ListKind, shell: &ListFrame, tree: &Tree<'_>) -> Option<Envelope> {
    let (config, line) = parts(tree)?;
    let config = config.map(|node| shell.range(node)).map(|range| with_indent(text, range));
    let warning = version_warning(tree, line, 1);
    let below = ResultsAppend::read(shell.text(), tree.root(0)?);
    Some(Envelope { kind, config, warning, below, no_items: None })
}

/// Reads the envelope of a list from its whole document.
fn read_whole(text: &str, document: &Document, tree: &Tree<'_>) -> Option<Envelope> {
    let root = tree.root(0)?;
    let kind = root.get("kind")?.text().and_then(ListKind::from_kind)?;
    let (config, line) = parts(tree)?;
    let base = document.range.start;
    let config = config.map(|node| with_indent(text, base + node.start..base + node.end));
    let items = root.get("items");
    let listed = kind != ListKind::ResourceList || items.is_some_and(NodeRef::is_sequence);
    let no_items = (!listed).then(|| base + items.map_or(root.start(), NodeRef::start));
    let below = ResultsAppend::read(tree.text(), root);
    Some(Envelope { kind, config, warning: version_warning(tree, line, document.line), below, no_items })
}

/// Returns the byte range of functionConfig in the tree's text and the offset of apiVersion.
fn parts(tree: &Tree<'_>) -> Option<(Option<Range<usize>>, usize)> {
    let root = tree.root(0).filter(|_| tree.roots().count() == 1)?;
    let is_list = root.get("kind").and_then(NodeRef::text).and_then(ListKind::from_kind);
    let config = root.get_without_merge_keys("functionConfig").filter(|config| is_list.is_some() && !config.is_null());
    // The target of an alias is a node of the same text.
    let config = config.map(|config| if config.kind() == Kind::Alias { config.resolved() } else { config });
    let version = root.get_without_merge_keys("apiVersion").map_or(0, NodeRef::start);
    Some((config.map(|config| config.start()..config.span().end), version))
}

/// Warns of an unknown ResourceList version; a newer version most likely only adds fields.
fn version_warning(tree: &Tree<'_>, offset: usize, first_line: usize) -> Option<InputWarning> {
    let root = tree.root(0)?;
    let version = root.get("apiVersion").and_then(NodeRef::text).unwrap_or_default();
    let known = version.strip_prefix(GROUP).is_some_and(|version| VERSIONS.contains(&version));
    if known || root.get("kind").and_then(NodeRef::text) != Some("ResourceList") {
        return None;
    }
    let message = format!("ResourceList has the apiVersion {version:?}; it is read as {GROUP}v1");
    Some(InputWarning { line: first_line + tree.line(offset) - 1, message })
}

/// Extends the range by the spaces before it if they start the line.
fn with_indent(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let indent = before.len() - before.trim_end_matches(' ').len();
    let starts_line =
        before.get(..before.len() - indent).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    if starts_line { range.start - indent..range.end } else { range }
}
