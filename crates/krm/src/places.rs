//! Positions at which objects are added or removed, with the texts of the new objects.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::changes::{Added, Changes};
use super::chunk::Chunk;
use super::documents::{self, Documents};
use super::error::RenderError;
use super::input::Input;
use super::objects::{self, UnitKind};
use super::package::{Package, annotated};
use super::rows::{ChangedList, Rows};
use super::slot::{Slot, without_final_line_break};
use super::{copy, json, output_check};
use lossless_yaml::{Elements, NodeRef, Op, Path, Tree, Value};

/// The text of a new object, and the object's path in the first document of that text.
struct NewText {
    text: String,
    prefix: Path,
}

/// All positions and texts, collected before anything is written.
pub(super) struct Places<'i> {
    input: &'i Input,
    changes: &'i Changes,
    /// True if the documents are JSON values without `---` between them.
    pub(super) values: bool,
    pub(super) documents: Documents,
    pub(super) rows: Rows,
    pub(super) hashes: BTreeMap<usize, Vec<u64>>,
    /// Files of the objects, if objects are added to a package.
    package: Option<Package>,
}

/// An existing object, with its unit, that is removed or followed by new objects.
struct ChangedObject<'u, 't, 's> {
    object: usize,
    unit: &'u Chunk,
    node: NodeRef<'t, 's>,
}

impl<'i> Places<'i> {
    /// Collects the positions and texts for all added and removed objects.
    pub(super) fn find(input: &'i Input, changes: &'i Changes) -> Result<Self, RenderError> {
        let adds = changes.added.values().any(|added| !added.is_empty());
        let package = if adds { Package::read(input)? } else { None };
        let mut places = Self {
            input,
            changes,
            values: input.is_json() && json::values(&input.text).is_some(),
            documents: Documents::default(),
            rows: Rows::default(),
            hashes: BTreeMap::new(),
            package,
        };
        places.find_slots()?;
        Ok(places)
    }

    /// Finds the slots of all objects that are removed or followed by new objects.
    fn find_slots(&mut self) -> Result<(), RenderError> {
        let layout = self.input.layout()?;
        let mut units: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
        let added = self.changes.added.iter().filter(|(_, added)| !added.is_empty()).map(|(object, _)| object);
        for &object in self.changes.removed.iter().chain(added) {
            let Some((unit, at)) = layout.unit_of(object) else {
                return Err(self.input.render_error(Some(object), None, 0, "there is no such object in this input"));
            };
            units.entry(unit).or_default().insert((object, at));
        }
        for (number, objects) in units {
            let Some(unit) = layout.units.get(number) else { continue };
            let text = self.input.text.get(unit.range.clone()).unwrap_or_default();
            let looked = Tree::parse(text).map(|tree| {
                let found = objects::objects(&tree, unit.part).unwrap_or_default();
                let mut lists = HashMap::new();
                for (object, at) in objects {
                    let Some(node) = found.get(at).map(|found| found.node) else {
                        return Err(self.input.render_error(Some(object), Some(unit), 0, "internal error: it is gone"));
                    };
                    self.add_slot(&ChangedObject { object, unit, node }, &mut lists)?;
                }
                Ok(())
            });
            looked.map_err(|error| RenderError::from(self.input.parse_error(unit, &error)))??;
        }
        Ok(())
    }

    /// Adds the slot of an object: in a row of its list, or as a document.
    fn add_slot(
        &mut self,
        changed: &ChangedObject<'_, '_, '_>,
        lists: &mut HashMap<u32, Listed>,
    ) -> Result<(), RenderError> {
        let &ChangedObject { unit, node, .. } = changed;
        let refuse = |why: &str| Err(self.refuse(changed, why));
        let base = unit.range.start;
        let Some(sequence) = node.parent() else {
            if let UnitKind::JsonItem { number, .. } = unit.part {
                let slot =
                    Slot { range: unit.range.clone(), ..self.filled(changed, unit.range.clone(), &Path::root())? };
                let list = self.input.documents.get(unit.document).and_then(|document| document.list.as_ref());
                let items = list.map(|list| list.items.as_slice()).unwrap_or_default();
                let id = items.first().map_or(base, |first| first.start);
                let row = || ChangedList::json(&self.input.text, items.to_vec());
                self.rows.insert(id, number - 1, slot, row);
                return Ok(());
            }
            return self.document(changed);
        };
        let listed = lists.entry(sequence.number()).or_insert_with(|| Listed::read(sequence));
        let index = listed.indices.get(&node.number()).copied().unwrap_or_default();
        let shifted = |range: &Range<usize>| range.start + base..range.end + base;
        let Some(written) = &listed.written else {
            return refuse("its dash is not alone on its line: write the list on separate lines");
        };
        let (ranges, prefix) = match written {
            Elements::Lines(ranges) => (ranges, Path::root().item(0)),
            Elements::Flow { elements, .. } => (elements, Path::root()),
        };
        let Some(range) = ranges.get(index).map(&shifted) else { return refuse("internal error: it is gone") };
        let slot = self.filled(changed, range, &prefix)?;
        let cut = matches!(unit.part, UnitKind::Item { .. }) && sequence.parent().is_none();
        match (written, unit.part) {
            (Elements::Lines(_), UnitKind::Item { number, .. }) if cut => {
                let document = self.input.documents.get(unit.document);
                let list = document.and_then(|document| Some((document, document.list.as_ref()?)));
                let count = list.map_or(0, |(_, list)| list.items.len());
                let first = list.and_then(|(_, list)| list.items.first()).map_or(base, |first| first.start);
                let input = self.input;
                let emptied = move || {
                    let (document, list) = list?;
                    let shell = list.frame(&input.text, &document.range)?;
                    let tree = Tree::parse(shell.text()).ok()?;
                    let at = lossless_yaml::offset_for_empty(tree.root(0)?.get_without_merge_keys("items")?)?;
                    Some(shell.range(at..at).start)
                };
                self.rows.insert(first, number - 1, slot, || ChangedList::Lines { count, emptied: emptied() });
            }
            (Elements::Lines(ranges), _) => {
                let emptied = || lossless_yaml::offset_for_empty(sequence).map(|at| at + base);
                let row = || ChangedList::Lines { count: ranges.len(), emptied: emptied() };
                self.rows.insert(base + sequence.start(), index, slot, row);
            }
            (Elements::Flow { elements, inside }, _) => {
                let row =
                    || ChangedList::Flow { elements: elements.iter().map(shifted).collect(), inside: shifted(inside) };
                self.rows.insert(base + sequence.start(), index, slot, row);
            }
        }
        Ok(())
    }

    /// Handles an object that is a document of the stream.
    fn document(&mut self, changed: &ChangedObject<'_, '_, '_>) -> Result<(), RenderError> {
        let &ChangedObject { unit, node, .. } = changed;
        let tree = node.tree();
        let text = tree.text();
        let base = unit.range.start;
        if self.values {
            let slot = self.filled(changed, unit.range.clone(), &Path::root())?;
            self.documents.insert(slot, false);
            return Ok(());
        }
        if !super::split::can_cut(&self.input.text) {
            let why = "documents cannot be added or removed in a file with directives (`%YAML`), or with lines that end in a \
                carriage return only: remove the directives, or end the lines with a line feed";
            return Err(self.refuse(changed, why));
        }
        let several = tree.roots().count() > 1;
        let range = if several { documents::document_at(text, node.start()) } else { 0..text.len() };
        let followed = range.end < text.len();
        let slot = self.filled(changed, base + range.start..base + range.end, &Path::root())?;
        self.documents.insert(slot, followed);
        Ok(())
    }

    /// Returns the slot with the texts of the new objects.
    fn filled(
        &mut self,
        changed: &ChangedObject<'_, '_, '_>,
        range: Range<usize>,
        prefix: &Path,
    ) -> Result<Slot, RenderError> {
        let is_removed = self.changes.removed.contains(&changed.object);
        let mut slot = Slot { range, is_removed, added: Vec::new() };
        let Some(added) = self.changes.added.get(&changed.object) else { return Ok(slot) };
        let ends_input = slot.range.end == self.input.text.len();
        if ends_input && !self.values && changed.node.tree().ends_in_block_text() {
            let why = "nothing can be appended: the text ends inside of a block scalar, without a line break. End the last line";
            return Err(self.refuse(changed, why));
        }
        for new in added {
            let NewText { text, prefix } = self.text_of_added(changed, &slot.range, prefix.clone(), new)?;
            let hash =
                Tree::parse(&text).ok().and_then(|tree| copy::object(&tree, &prefix).map(output_check::node_hash));
            self.hashes.entry(changed.object).or_default().extend(hash);
            slot.added.push(without_final_line_break(&text).to_owned());
        }
        Ok(slot)
    }

    /// Text of a new object after the changed one: a copy of `range` with edits, or a value in the style of the object.
    fn text_of_added(
        &mut self,
        changed: &ChangedObject<'_, '_, '_>,
        range: &Range<usize>,
        prefix: Path,
        new: &Added,
    ) -> Result<NewText, RenderError> {
        let &ChangedObject { node, unit, .. } = changed;
        let is_document = node.parent().is_none() && unit.part == UnitKind::Document && !self.values;
        let annotations =
            self.package.as_mut().map(|package| package.assign_next_index_in_file_of(node)).unwrap_or_default();
        let (text, ops, start): (String, &[Op], Option<usize>) = match new {
            Added::Copy(ops) => {
                let text = self.input.text.get(range.clone()).unwrap_or_default();
                let text_of = if is_document { documents::body(text) } else { text };
                (text_of.to_owned(), ops, Some(range.start + text.len() - text_of.len()))
            }
            Added::New(value, _) if changed.node.tree().is_json() && !value.fits_json() => {
                let why = "the output here must be JSON, which cannot express a value of the new object without quotes, and quotes \
                    could change the value";
                return Err(self.refuse(changed, why));
            }
            Added::New(value, ops) => {
                let value = annotated(value.clone(), annotations.clone());
                (value_in_style_of(node, &value, is_document), ops, None)
            }
        };
        let done = copy::edited(&text, &prefix, ops, start.map(|_| annotations.as_slice()));
        let text = done.map_err(|refusal| {
            let what =
                if start.is_some() { "a copy of this object cannot be made" } else { "no object can be written here" };
            let offset = start.map_or(unit.range.start, |start| start + refusal.offset);
            self.input.render_error(Some(changed.object), Some(unit), offset, format!("{what}: {}", refusal.message))
        })?;
        Ok(NewText { text, prefix })
    }

    /// Error about a change that cannot be written.
    fn refuse(&self, changed: &ChangedObject<'_, '_, '_>, why: &str) -> RenderError {
        let &ChangedObject { object, unit, node, .. } = changed;
        self.input.render_error(Some(object), Some(unit), unit.range.start + node.start(), why)
    }
}

/// Formats a value for insertion after a document or an element.
fn value_in_style_of(node: NodeRef<'_, '_>, value: &Value, is_document: bool) -> String {
    if is_document {
        lossless_yaml::document_in_style_of(node, value)
    } else {
        lossless_yaml::element_in_style_of(node, value)
    }
}

/// A list of objects, indexed once for all of them.
struct Listed {
    /// Ranges of the elements; `None` if lines or commas do not separate them.
    written: Option<Elements>,
    /// Index of each element by node number.
    indices: HashMap<u32, usize>,
}

impl Listed {
    fn read(sequence: NodeRef<'_, '_>) -> Self {
        // An alias to a list has no elements in the text.
        let itself = sequence.is_sequence() && sequence.resolved() == sequence;
        let indices = sequence.children().enumerate().map(|(index, child)| (child.number(), index));
        Self { written: lossless_yaml::elements(sequence).filter(|_| itself), indices: indices.collect() }
    }
}
