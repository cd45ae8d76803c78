//! Comparison of an output with added or removed objects to the expected objects.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use lossless_yaml::{Kind, NodeRef, Splice, Style};

use super::changes::Changes;
use super::error::RenderError;
use super::input::Input;
use super::json;

/// Hashes a node. Nodes with the same keys and values in the same order and the same quotes and styles hash equally.
pub(super) fn node_hash(node: NodeRef<'_, '_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let kind = match node.kind() {
            Kind::Scalar(Style::Plain) => 0_u8,
            Kind::Scalar(Style::SingleQuoted) => 1,
            Kind::Scalar(Style::DoubleQuoted) => 2,
            Kind::Scalar(Style::Literal) => 3,
            Kind::Scalar(Style::Folded) => 4,
            Kind::Sequence { flow } => 5 + u8::from(flow),
            Kind::Mapping { flow } => 7 + u8::from(flow),
            Kind::Alias => 9,
        };
        // For an alias, hash the raw text of its target; aliases inside of the target are not expanded.
        let text = if kind == 9 { Some(node.resolved().raw()) } else { node.text() };
        (kind, text).hash(&mut hasher);
        node.property_words().for_each(|word| word.hash(&mut hasher));
        let first = open.len();
        open.extend(node.children());
        open.get_mut(first..).unwrap_or_default().reverse();
        (open.len() - first).hash(&mut hasher);
    }
    hasher.finish()
}

impl Input {
    /// Checks that the output holds exactly the kept (edited) and new objects, in the expected order.
    pub(super) fn verify(
        &self,
        changes: &Changes,
        edits: &[Splice],
        new: &BTreeMap<usize, Vec<u64>>,
        splices: &[Splice],
    ) -> Result<(), RenderError> {
        let wanted = match edits {
            [] => self.object_hashes(),
            edits => self.object_hashes_of_text(self.output(edits)),
        };
        let mut expected = Vec::new();
        for (object, print) in wanted.ok_or_else(|| self.differs(None))?.into_iter().enumerate() {
            if !changes.removed.contains(&object) {
                expected.push((object, print));
            }
            expected.extend(new.get(&object).into_iter().flatten().map(|print| (object, *print)));
        }
        let output = self.output(splices);
        let was_json = self.is_json() && json::values(&self.text).is_some();
        if was_json && json::values(&output).is_none() {
            let why = "internal error: the input is JSON, and the output is not";
            return Err(self.render_error(None, None, 0, why));
        }
        let found = self.object_hashes_of_text(output).unwrap_or_default();
        let same = expected.iter().zip(&found).take_while(|((_, wanted), found)| wanted == *found).count();
        if same == expected.len() && same == found.len() {
            return Ok(());
        }
        Err(self.differs(expected.get(same).or(expected.last()).map(|(object, _)| *object)))
    }

    fn object_hashes(&self) -> Option<Vec<u64>> {
        self.objects(|_, node| node_hash(node)).ok()
    }

    fn object_hashes_of_text(&self, text: String) -> Option<Vec<u64>> {
        Self::read(self.origin.clone(), text.into_bytes()).ok()?.object_hashes()
    }

    /// Error about an output that differs from the requested changes.
    fn differs(&self, object: Option<usize>) -> RenderError {
        let layout = self.layout().ok();
        let unit = object.and_then(|object| layout?.units.get(layout?.unit_of(object)?.0));
        let why = "objects cannot be added or removed here: the result would have another meaning. Write out values that objects \
            share by an anchor; without anchors this is a bug of this program";
        self.render_error(object, unit, unit.map_or(0, |unit| unit.range.start), why)
    }
}
