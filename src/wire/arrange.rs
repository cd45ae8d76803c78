//! Objects that are added or go, as replacements in the whole input.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::yaml::{self, Elements, NodeRef, Op, Path, Splice, Tree, Value};

use super::changes::{Added, Changes};
use super::documents::{self, Documents};
use super::error::RenderError;
use super::input::Input;
use super::objects::{self, Part};
use super::print;
use super::rows::{Row, Rows};
use super::unit::{self, Unit};
use super::values;
use super::{copy, json};

/// What becomes of the place where an object is.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The object's bytes in the input, with all that belongs to it.
    pub range: Range<usize>,
    /// Whether it goes.
    pub gone: bool,
    /// What is written behind it, each without a break of its last line.
    pub added: Vec<String>,
}

/// A text that holds a new object, and where in its first document.
struct Written {
    text: String,
    prefix: Path,
}

/// The replacements, and the prints of the new objects by the one behind which they are.
pub(super) struct Arranged {
    pub splices: Vec<Splice>,
    pub prints: BTreeMap<usize, Vec<u64>>,
}

/// All that is found out before anything is written.
struct Plan<'i> {
    input: &'i Input,
    changes: &'i Changes,
    /// Whether the documents are JSON values without `---` between them.
    values: bool,
    documents: Documents,
    rows: Rows,
    prints: BTreeMap<usize, Vec<u64>>,
}

/// An object that is added to or goes, in its unit.
struct Concerned<'u, 't, 's> {
    object: usize,
    unit: &'u Unit,
    text: &'s str,
    tree: &'t Tree<'s>,
    node: NodeRef<'t, 's>,
    read_only: Option<&'u str>,
}

impl Input {
    /// The replacements that add and remove objects, together with those that edit what stays.
    pub(super) fn arrange(&self, changes: &Changes, edits: Vec<Splice>) -> Result<Arranged, RenderError> {
        let mut plan = Plan {
            input: self,
            changes,
            values: self.is_json() && json::values(&self.text).is_some(),
            documents: Documents::default(),
            rows: Rows::default(),
            prints: BTreeMap::new(),
        };
        plan.look()?;
        let Plan { values, documents, rows, prints, .. } = plan;
        let mut splices = rows.splices(&self.text);
        let mut edits = edits;
        if values && self.documents.len() == 1 {
            splices.extend(values::single(&self.text, documents, &mut edits));
        } else if values {
            let all: Vec<_> = self.documents.iter().map(|document| document.range.clone()).collect();
            splices.extend(values::several(&self.text, documents, &all));
        } else {
            splices.extend(documents.splices(&self.text));
        }
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        self.mind_missing_last_break(&mut splices, &edits);
        edits.extend(splices);
        // Stable: of two insertions at one place the object's own comes first.
        edits.sort_by_key(|splice| splice.range.start);
        Ok(Arranged { splices: edits, prints })
    }

    /// A text without a last line break stays one, unless the block scalar above would change.
    fn mind_missing_last_break(&self, splices: &mut [Splice], edits: &[Splice]) {
        let text = self.text.as_str();
        if text.ends_with('\n') {
            return;
        }
        let (mut end, mut first) = (text.len(), None);
        for (number, splice) in splices.iter().enumerate().rev() {
            if splice.range.end != end || splice.range.is_empty() || !splice.text.is_empty() {
                break;
            }
            (end, first) = (splice.range.start, Some(number));
        }
        let Some(first) = first else { return };
        if let Some(above) =
            first.checked_sub(1).and_then(|above| splices.get_mut(above)).filter(|above| above.range.end == end)
        {
            let kept = without_break(&above.text);
            if Tree::parse(kept).is_ok_and(|tree| !tree.ends_in_block_text()) {
                above.text.truncate(kept.len());
            }
            return;
        }
        let Some(splice) = splices.get_mut(first) else { return };
        let kept = without_break(text.get(..end).unwrap_or_default()).len();
        let edited = edits.iter().any(|edit| edit.range.end >= kept && edit.range.start <= end);
        if !edited && !self.ends_in_block_text(kept) {
            splice.range.start = kept;
        }
    }

    /// Whether the unit that a byte is in, cut off there, ends in a block scalar that a line break would change.
    fn ends_in_block_text(&self, end: usize) -> bool {
        let Ok(layout) = self.layout() else { return true };
        let behind = layout.units.partition_point(|unit| unit.range.start < end);
        let Some(unit) = behind.checked_sub(1).and_then(|unit| layout.units.get(unit)) else { return false };
        let text = self.text.get(unit.range.start..end).unwrap_or_default();
        Tree::parse(text).is_ok_and(|tree| tree.ends_in_block_text())
    }
}

impl Plan<'_> {
    fn look(&mut self) -> Result<(), RenderError> {
        let layout = self.input.layout().map_err(RenderError::from)?;
        let mut units: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let added = self.changes.added.iter().filter(|(_, added)| !added.is_empty()).map(|(object, _)| object);
        for &object in self.changes.removed.iter().chain(added) {
            let Some((unit, at)) = layout.unit_of(object) else {
                return Err(self.input.render_error(Some(object), None, 0, "there is no such object in this input"));
            };
            let objects = units.entry(unit).or_default();
            if !objects.contains(&(object, at)) {
                objects.push((object, at));
            }
        }
        for (number, objects) in units {
            let Some(unit) = layout.units.get(number) else { continue };
            let text = self.input.text.get(unit.range.clone()).unwrap_or_default();
            let looked = unit::with_tree(text, |tree, read_only| {
                let found = objects::objects(tree, unit.part).unwrap_or_default();
                let reason = read_only.as_ref().map(|why| why.reason.as_str());
                for (object, at) in objects {
                    let Some(node) = found.get(at).map(|found| found.node) else {
                        return Err(self.input.render_error(Some(object), Some(unit), 0, "internal error: it is gone"));
                    };
                    self.slot(&Concerned { object, unit, text, tree, node, read_only: reason })?;
                }
                Ok(())
            });
            looked.map_err(|error| RenderError::from(self.input.parse_error(unit, &error)))??;
        }
        Ok(())
    }

    fn slot(&mut self, concerned: &Concerned<'_, '_, '_>) -> Result<(), RenderError> {
        let &Concerned { unit, node, .. } = concerned;
        let refuse = |why: &str| Err(self.refuse(concerned, why));
        let base = unit.range.start;
        let Some(sequence) = node.parent() else {
            if let Part::JsonItem { number, .. } = unit.part {
                let slot =
                    Slot { range: unit.range.clone(), ..self.filled(concerned, unit.range.clone(), Path::root())? };
                let list = self.input.documents.get(unit.document).and_then(|document| document.list.as_ref());
                let items = list.map(|list| list.items.clone()).unwrap_or_default();
                let id = items.first().map_or(base, |first| first.start);
                let row = || Row::json(&self.input.text, items);
                self.rows.insert(id, number - 1, slot, row);
                return Ok(());
            }
            return self.document(concerned);
        };
        if concerned.read_only.is_some() {
            return refuse(concerned.read_only.unwrap_or_default());
        }
        let index = sequence.children().position(|child| child == node).unwrap_or_default();
        let shifted = |range: &Range<usize>| range.start + base..range.end + base;
        let Some(written) = yaml::elements(sequence).filter(|_| yaml_sequence(sequence)) else {
            return refuse("its dash shares the line with something else: give the list lines of its own");
        };
        let (ranges, prefix) = match &written {
            Elements::Lines(ranges) => (ranges, Path::root().item(0)),
            Elements::Flow { elements, .. } => (elements, Path::root()),
        };
        let Some(range) = ranges.get(index).map(&shifted) else { return refuse("internal error: it is gone") };
        let slot = self.filled(concerned, range, prefix)?;
        let cut = matches!(unit.part, Part::Item { .. }) && sequence.parent().is_none();
        let row = match (written, unit.part) {
            (Elements::Lines(_), Part::Item { number, .. }) if cut => {
                let document = self.input.documents.get(unit.document);
                let list = document.and_then(|document| Some((document, document.list.as_ref()?)));
                let count = list.map_or(0, |(_, list)| list.items.len());
                let first = list.and_then(|(_, list)| list.items.first()).map_or(base, |first| first.start);
                let input = self.input;
                let emptied = move || {
                    let (document, list) = list?;
                    let shell = list.shell(&input.text, &document.range)?;
                    let tree = Tree::parse(shell.text()).ok()?;
                    let at = yaml::emptied_at(tree.root(0)?.get_own("items")?)?;
                    Some(shell.range(at..at).start)
                };
                self.rows.insert(first, number - 1, slot, || Row::Lines { count, emptied: emptied() });
                return Ok(());
            }
            (Elements::Lines(ranges), _) => {
                Row::Lines { count: ranges.len(), emptied: yaml::emptied_at(sequence).map(|at| at + base) }
            }
            (Elements::Flow { elements, inside }, _) => {
                Row::Flow { elements: elements.iter().map(shifted).collect(), inside: shifted(&inside) }
            }
        };
        self.rows.insert(base + sequence.start(), index, slot, || row);
        Ok(())
    }

    /// A document of the stream.
    fn document(&mut self, concerned: &Concerned<'_, '_, '_>) -> Result<(), RenderError> {
        let &Concerned { unit, text, tree, node, .. } = concerned;
        let base = unit.range.start;
        if self.values {
            let slot = self.filled(concerned, unit.range.clone(), Path::root())?;
            self.documents.insert(slot, false);
            return Ok(());
        }
        if !super::split::can_cut(&self.input.text) {
            let why = "documents are neither added nor removed where there are directives (`%YAML`), or lines that end \
                       with a carriage return alone: remove the directives, end the lines as usual";
            return Err(self.refuse(concerned, why));
        }
        let several = tree.roots().count() > 1;
        if let Some(reason) = concerned.read_only.filter(|_| several) {
            return Err(self.refuse(concerned, reason));
        }
        let range = if several { documents::around(text, node.start()) } else { 0..text.len() };
        let followed = range.end < text.len();
        let slot = self.filled(concerned, base + range.start..base + range.end, Path::root())?;
        self.documents.insert(slot, followed);
        Ok(())
    }

    /// The slot with the texts of what is added.
    fn filled(
        &mut self,
        concerned: &Concerned<'_, '_, '_>,
        range: Range<usize>,
        prefix: Path,
    ) -> Result<Slot, RenderError> {
        let gone = self.changes.removed.contains(&concerned.object);
        let mut slot = Slot { range, gone, added: Vec::new() };
        let Some(added) = self.changes.added.get(&concerned.object) else { return Ok(slot) };
        let ends_input = slot.range.end == self.input.text.len();
        if ends_input && !self.values && concerned.tree.ends_in_block_text() {
            let why = "nothing can be written behind it: the text ends inside of a block scalar, without a line break. End \
                       the last line";
            return Err(self.refuse(concerned, why));
        }
        for new in added {
            let Written { text, prefix } = self.written(concerned, &slot.range, prefix.clone(), new)?;
            let print = unit::with_tree(&text, |tree, _| copy::object(tree, &prefix).map(print::print)).ok().flatten();
            self.prints.entry(concerned.object).or_default().extend(print);
            slot.added.push(without_break(&text).to_owned());
        }
        Ok(slot)
    }

    fn written(
        &self,
        concerned: &Concerned<'_, '_, '_>,
        range: &Range<usize>,
        prefix: Path,
        new: &Added,
    ) -> Result<Written, RenderError> {
        let &Concerned { node, unit, .. } = concerned;
        let is_document = node.parent().is_none() && unit.part == Part::Document && !self.values;
        let (text, ops, start): (String, &[Op], Option<usize>) = match new {
            Added::Copy(ops) => {
                let text = self.input.text.get(range.clone()).unwrap_or_default();
                let text_of = if is_document { documents::body(text) } else { text };
                (text_of.to_owned(), ops, Some(range.start + text.len() - text_of.len()))
            }
            Added::New(value, ops) => (self.value(concerned, value, is_document), ops, None),
        };
        let done = copy::edited(&text, &prefix, ops, start.is_some());
        let text = done.map_err(|refusal| {
            let what =
                if start.is_some() { "a copy of this object cannot be made" } else { "no object can be written here" };
            let offset = start.map_or(unit.range.start, |start| start + refusal.offset);
            self.input.render_error(Some(concerned.object), Some(unit), offset, format!("{what}: {}", refusal.message))
        })?;
        Ok(Written { text, prefix })
    }

    fn value(&self, concerned: &Concerned<'_, '_, '_>, value: &Value, is_document: bool) -> String {
        if is_document {
            yaml::document_beside(concerned.node, value)
        } else {
            yaml::element_beside(concerned.node, value)
        }
    }

    fn refuse(&self, concerned: &Concerned<'_, '_, '_>, why: &str) -> RenderError {
        let &Concerned { object, unit, node, .. } = concerned;
        let start = if concerned.read_only.is_some() { 0 } else { node.start() };
        self.input.render_error(Some(object), Some(unit), unit.range.start + start, why)
    }
}

/// A text without the break of its last line.
fn without_break(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |kept| kept.strip_suffix('\r').unwrap_or(kept))
}

/// Whether a node is a sequence itself, no alias of one.
fn yaml_sequence(node: NodeRef<'_, '_>) -> bool {
    node.is_sequence() && node.resolved() == node
}
