//! Reads the objects of an input, unit by unit, on two threads.

use std::sync::atomic::{AtomicBool, Ordering};

use super::chunk::{self, Chunk};
use super::error::ReadError;
use super::input::{Input, Layout};
use super::objects::{self, ObjectsError, UnitKind};
use super::place::ObjectPlace;
use super::workers;
use lossless_yaml::{LineCounter, NodeRef, ParseError, ParseErrorKind, Tree};

/// Function that reads an object at a place; `None` stops the whole reading.
trait ReadObject<T>: Fn(ObjectPlace<'_>, NodeRef<'_, '_>) -> Option<T> + Sync {}

impl<T, F: Fn(ObjectPlace<'_>, NodeRef<'_, '_>) -> Option<T> + Sync> ReadObject<T> for F {}

impl Input {
    /// Calls `look` for each Kubernetes object and returns the results in the order of the text.
    ///
    /// Two threads call `look`, and call it again for a document that has to be parsed in another
    /// way, so it should have no side effects. Spans of the node are offsets in the part of the text
    /// that was parsed with it; use the [`ObjectPlace`] for lines.
    pub fn objects<T: Send>(
        &self,
        look: impl Fn(ObjectPlace<'_>, NodeRef<'_, '_>) -> T + Sync,
    ) -> Result<Vec<T>, ReadError> {
        let found = self.object_batches(|place, node| Some(look(place, node)))?;
        Ok(found.unwrap_or_default().into_iter().flatten().collect())
    }

    /// Like [`Input::objects`], but returns the results in batches, so that a caller that converts
    /// them need not hold all of them twice. `None` as soon as `look` returns `None`; later objects
    /// are not read.
    pub fn object_batches<T: Send>(
        &self,
        look: impl Fn(ObjectPlace<'_>, NodeRef<'_, '_>) -> Option<T> + Sync,
    ) -> Result<Option<Vec<Vec<T>>>, ReadError> {
        if let Some(layout) = self.layout.get() {
            let pass = self.pass(&layout.units, &look);
            return if pass.is_stopped { Ok(None) } else { pass.into_result().map(|(found, _)| Some(found)) };
        }
        let mut whole = vec![false; self.documents.len()];
        let mut units = chunk::units(&self.text, &self.documents, &whole);
        let mut pass = self.pass(&units, &look);
        if !pass.badly_cut.is_empty() && !pass.is_stopped {
            for cut in &pass.badly_cut {
                if let Some(whole) = whole.get_mut(cut.unit.document) {
                    *whole = true;
                }
            }
            units = chunk::units(&self.text, &self.documents, &whole);
            let of_items = std::mem::take(&mut pass.badly_cut);
            pass = self.pass(&units, &look);
            if let Some((document, error)) = &mut pass.error {
                // The whole document cannot be parsed either. Report the error of its first invalid
                // item, which is more precise.
                let cut = of_items.iter().find(|cut| cut.unit.document == *document);
                if let Some((cut, of_item)) = cut.and_then(|cut| Some((cut, cut.error.as_ref()?))) {
                    *error = self.parse_error(&cut.unit, of_item);
                }
            }
        }
        if pass.is_stopped {
            return Ok(None);
        }
        let (found, firsts) = pass.into_result()?;
        // Another thread may have set the same layout first.
        let _ = self.layout.set(Layout { units, firsts });
        Ok(Some(found))
    }

    /// Reads the units, in several threads for large input.
    fn pass<T: Send>(&self, units: &[Chunk], look: &impl ReadObject<T>) -> Pass<T> {
        let is_stopped = AtomicBool::new(false);
        let batch = |batch: &[Chunk]| self.batch(batch, look, &is_stopped);
        let mut pass = Pass::default();
        for batch in workers::map_batches_in_order(units, |unit| unit.range.len(), batch) {
            pass.append(batch);
        }
        pass.is_stopped = is_stopped.into_inner();
        pass
    }

    /// Reads a range of units in one thread.
    fn batch<T>(&self, units: &[Chunk], look: &impl ReadObject<T>, is_stopped: &AtomicBool) -> Pass<T> {
        let mut pass = Pass::default();
        // Nearly all units hold one object.
        let mut found = Vec::with_capacity(units.len());
        for unit in units {
            if is_stopped.load(Ordering::Relaxed) {
                break;
            }
            match self.unit(unit, look, &mut found) {
                Ok(Some(count)) => pass.counts.push(count),
                Ok(None) => is_stopped.store(true, Ordering::Relaxed),
                Err(Failure::Cut(error)) => {
                    if pass.badly_cut.last().is_none_or(|last| last.unit.document != unit.document) {
                        pass.badly_cut.push(SplitError { unit: unit.clone(), error });
                    }
                }
                Err(Failure::Error(error)) => {
                    pass.error = Some((unit.document, error));
                    break;
                }
            }
        }
        pass.found.push(found);
        pass
    }

    /// Reads one unit and returns the number of its objects; `None` to stop.
    fn unit<T>(&self, unit: &Chunk, look: &impl ReadObject<T>, into: &mut Vec<T>) -> Result<Option<usize>, Failure> {
        match self.unit_tree(unit, look, into) {
            Ok(Ok(count)) => Ok(count),
            Ok(Err(ObjectsError::Cut)) => Err(Failure::Cut(None)),
            Ok(Err(ObjectsError::Input { offset, item, message })) => {
                Err(Failure::Error(self.error_at(unit, item, offset, &message)))
            }
            // A file of another program, such as `tsconfig.json`.
            Err(error) if error.kind == ParseErrorKind::JsonComment && !self.may_have_object(unit) => Ok(Some(0)),
            // An anchor may be defined in another item; this is not an error of the item.
            Err(error) if unit.part != UnitKind::Document && error.kind == ParseErrorKind::UnknownAnchor => {
                Err(Failure::Cut(None))
            }
            Err(error) if unit.part != UnitKind::Document => Err(Failure::Cut(Some(error))),
            Err(error) => Err(Failure::Error(self.parse_error(unit, &error))),
        }
    }

    /// False for a unit without the key that every object has.
    fn may_have_object(&self, unit: &Chunk) -> bool {
        self.text.get(unit.range.clone()).is_some_and(|text| text.contains("apiVersion"))
    }

    /// Reads the objects of one unit.
    fn unit_tree<T>(
        &self,
        unit: &Chunk,
        look: &impl ReadObject<T>,
        into: &mut Vec<T>,
    ) -> Result<Result<Option<usize>, ObjectsError>, ParseError> {
        let text = self.text.get(unit.range.clone()).unwrap_or_default();
        Tree::parse(text).map(|tree| {
            let found = objects::objects(&tree, unit.part)?;
            // Objects come in order, so each line is counted once for all objects.
            let mut lines = LineCounter::new(tree.text(), unit.line);
            for object in &found {
                let line = lines.line(object.node.start());
                let place = ObjectPlace {
                    origin: &self.origin,
                    document: unit.document + 1,
                    item: object.item,
                    line,
                    unit_line: unit.line,
                };
                match look(place, object.node) {
                    Some(seen) => into.push(seen),
                    None => return Ok(None),
                }
            }
            Ok(Some(found.len()))
        })
    }
}

enum Failure {
    /// The document cannot be read item by item. Holds the parse error of this item, if informative.
    Cut(Option<ParseError>),
    Error(ReadError),
}

/// The first unit of a document that is not a valid item, with the parse error if informative.
struct SplitError {
    unit: Chunk,
    error: Option<ParseError>,
}

/// Result of reading a range of units, which are parts of the input's text.
struct Pass<T> {
    /// Results by batch.
    found: Vec<Vec<T>>,
    counts: Vec<usize>,
    /// Documents that have to be parsed as a whole.
    badly_cut: Vec<SplitError>,
    /// First error, with the index of its document.
    error: Option<(usize, ReadError)>,
    /// True if `look` stopped the reading.
    is_stopped: bool,
}

impl<T> Default for Pass<T> {
    fn default() -> Self {
        Self { found: Vec::new(), counts: Vec::new(), badly_cut: Vec::new(), error: None, is_stopped: false }
    }
}

impl<T> Pass<T> {
    /// Adds the result of the following units.
    fn append(&mut self, next: Self) {
        self.found.extend(next.found);
        self.counts.extend(next.counts);
        self.badly_cut.extend(next.badly_cut);
        self.error = self.error.take().or(next.error);
    }

    fn into_result(self) -> Result<(Vec<Vec<T>>, Vec<usize>), ReadError> {
        if let Some((_, error)) = self.error {
            return Err(error);
        }
        // Converted in place, because a large input has very many units.
        let (mut firsts, mut first) = (self.counts, 0);
        for count in &mut firsts {
            first += std::mem::replace(count, first);
        }
        firsts.push(first);
        Ok((self.found, firsts))
    }
}
