//! Edits of objects as replacements in the whole input, and the output.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use super::arrange::CombinedSplices;
use super::changes::Changes;
use super::chunk::Chunk;
use super::edit::{self, EditRefusal, Edited, check};
use super::error::{ReadError, RenderError};
use super::input::{Form, Input};
use super::{results, workers};
use lossless_yaml::{Op, Splice, Tree, Value};

/// Edits of the objects in one unit.
struct UnitEdits<'e> {
    unit: &'e Chunk,
    objects: Vec<Edited<'e>>,
}

impl Input {
    /// Converts changes to replacements in the input.
    ///
    /// `results` are appended to the results of a ResourceList and ignored for every other form.
    /// Each edited unit is parsed again and compared with the requested change; if objects are added
    /// or removed, the whole output is compared.
    ///
    /// ```
    /// use krm::{Input, Origin};
    /// use lossless_yaml::{Op, Path, Value};
    /// use std::collections::BTreeMap;
    ///
    /// let stream = "# first\napiVersion: v1\nkind: Pod\n---\nkind: Pod # second\napiVersion: v1\n";
    /// let input = Input::read(Origin::stdin(), stream.into()).unwrap();
    /// let kind = Op::Set { path: Path::dotted("kind"), value: Value::from("Node") };
    /// let splices = input.render(BTreeMap::from([(1, vec![kind])]), Vec::<Value>::new()).unwrap();
    /// assert_eq!(input.output(&splices), stream.replace("Pod # second", "Node # second"));
    /// ```
    pub fn render(
        &self,
        changes: impl Into<Changes>,
        results: impl IntoIterator<Item: Borrow<Value>>,
    ) -> Result<Vec<Splice>, RenderError> {
        let mut changes = changes.into();
        self.replace_removals_with_marks(&mut changes);
        // Removed objects are not edited.
        changes.edits.retain(|object, ops| !ops.is_empty() && !changes.removed.contains(object));
        let mut splices = Vec::new();
        if !changes.edits.is_empty() {
            let units = self.group_edits_by_unit(&changes.edits)?;
            let edited = workers::map_batches_in_order(
                &units,
                |edits| edits.unit.range.len(),
                |batch| batch.iter().map(|edits| self.edit_unit(edits)).collect::<Result<Vec<_>, _>>(),
            );
            for batch in edited {
                splices.extend(batch?.into_iter().flatten());
            }
        }
        if changes.adds_or_removes() {
            splices = self.add_and_verify_splices(&changes, splices)?;
        }
        // Free the memory of the changes before the results are written.
        drop(changes);
        if self.form() == Form::ResourceList {
            splices.extend(self.results(results)?);
            // If two insertions have the same offset, the edit of the object comes first.
            splices.sort_by_key(|splice| splice.range.start);
        }
        match check(&splices, &self.text) {
            Ok(()) => Ok(splices),
            Err(offset) => Err(self.render_error(None, None, offset, "two edits touch the same bytes")),
        }
    }

    /// Returns a copy of the input with edits of its objects.
    ///
    /// # Errors
    ///
    /// The first edit that cannot be written.
    pub fn with(&self, edits: BTreeMap<usize, Vec<Op>>) -> Result<Self, ReadError> {
        let splices = self.render(edits, Vec::<Value>::new()).map_err(|error| error.error)?;
        Self::read(self.origin.clone(), self.output(&splices).into_bytes())
    }

    /// Adds the replacements that add and remove objects, and verifies the output.
    fn add_and_verify_splices(&self, changes: &Changes, mut edits: Vec<Splice>) -> Result<Vec<Splice>, RenderError> {
        edits.sort_by_key(|splice| splice.range.start);
        let CombinedSplices { splices, hashes } = self.arrange(changes, edits.clone())?;
        if let Err(offset) = check(&splices, &self.text) {
            return Err(self.render_error(None, None, offset, "internal error: two changes touch the same bytes"));
        }
        self.verify(changes, &edits, &hashes, &splices)?;
        Ok(splices)
    }

    /// True if the output differs from the input.
    pub fn is_changed_by(&self, splices: &[Splice]) -> bool {
        splices.iter().any(|splice| self.text.get(splice.range.clone()) != Some(splice.text.as_str()))
    }

    /// Returns the output as one text. [`Self::write`] does not need memory for the whole text.
    pub fn output(&self, splices: &[Splice]) -> String {
        lossless_yaml::splice(&self.text, splices)
    }

    /// Writes slices of the input and replacements in turn, and flushes. After an error the output may be incomplete.
    pub fn write(&self, splices: &[Splice], out: &mut impl Write) -> io::Result<()> {
        if check(splices, &self.text).is_err() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "edits overlap or are out of order"));
        }
        let added: usize = splices.iter().map(|splice| splice.text.len()).sum();
        let mut out = BufWriter::with_capacity((self.text.len() + added).min(1 << 16), out);
        for piece in lossless_yaml::spliced(&self.text, splices) {
            out.write_all(piece.as_bytes())?;
        }
        out.flush()
    }

    fn group_edits_by_unit<'e>(
        &'e self,
        edits: &'e BTreeMap<usize, Vec<Op>>,
    ) -> Result<Vec<UnitEdits<'e>>, RenderError> {
        let layout = self.layout()?;
        let mut units: Vec<(usize, UnitEdits<'e>)> = Vec::new();
        for (&object, ops) in edits {
            let place = layout.unit_of(object).and_then(|(unit, at)| Some((unit, layout.units.get(unit)?, at)));
            let Some((number, unit, at)) = place else {
                return Err(self.render_error(Some(object), None, 0, "there is no such object in this input"));
            };
            match units.last_mut() {
                Some((last, edits)) if *last == number => edits.objects.push(Edited { at, object, ops }),
                _ => units.push((number, UnitEdits { unit, objects: vec![Edited { at, object, ops }] })),
            }
        }
        Ok(units.into_iter().map(|(_, edits)| edits).collect())
    }

    /// Returns the replacements in one unit, as offsets in the input.
    fn edit_unit(&self, edits: &UnitEdits<'_>) -> Result<Vec<Splice>, RenderError> {
        let text = self.text.get(edits.unit.range.clone()).unwrap_or_default();
        let done = Tree::parse(text).map(|tree| edit::edit(&tree, edits.unit, &edits.objects));
        let error = match done {
            Ok(Ok(splices)) => return Ok(shifted(splices, edits.unit.range.start)),
            Ok(Err(refusal)) => refusal,
            Err(error) => EditRefusal {
                object: edits.objects.first().map(|edited| edited.object),
                offset: error.offset,
                message: error.message,
            },
        };
        Err(self.render_error(error.object, Some(edits.unit), edits.unit.range.start + error.offset, error.message))
    }

    /// Edits that write the results into the list.
    fn results(&self, entries: impl IntoIterator<Item: Borrow<Value>>) -> Result<Vec<Splice>, RenderError> {
        let Some(document) = self.documents.first() else { return Ok(Vec::new()) };
        if let Some(below) = self.below {
            return Ok(below.append(document.range.end, entries));
        }
        let layout = self.layout()?;
        let is_cut = layout.units.first().is_some_and(|unit| unit.part.item().is_some());
        let shell = document.list.as_ref().filter(|_| is_cut).and_then(|list| list.frame(&self.text, &document.range));
        let splices = if let Some(shell) = &shell {
            results::append(shell.text(), entries).and_then(|splices| shell.splices(splices))
        } else {
            let text = self.text.get(document.range.clone()).unwrap_or_default();
            results::append(text, entries).map(|splices| shifted(splices, document.range.start))
        };
        splices.map_err(|why| {
            self.render_error(None, None, document.range.start, format!("cannot write the results: {why}"))
        })
    }

    pub(super) fn render_error(
        &self,
        object: Option<usize>,
        unit: Option<&Chunk>,
        offset: usize,
        message: impl Into<String>,
    ) -> RenderError {
        let place = unit.map_or_else(|| self.origin.to_string(), |unit| self.name(unit.document, unit.part.item()));
        RenderError { object, error: ReadError::at(place, &self.text, offset, message) }
    }
}

/// Shifts replacements by `by`, the offset of their part in the input.
fn shifted(mut splices: Vec<Splice>, by: usize) -> Vec<Splice> {
    for splice in &mut splices {
        splice.range = splice.range.start + by..splice.range.end + by;
    }
    splices
}
