//! Where fields of objects stand: for messages, so they are looked up only when something is said of them.

use std::collections::BTreeMap;

use crate::yaml::{self, Finder, NodeRef, Path};

use super::input::Input;
use super::{objects, unit};

impl Input {
    /// Line and column, counted from 1, of the value at `path` of an object, or of the nearest collection around it that
    /// exists. `object` counts in the order of [`Self::objects`].
    ///
    /// ```
    /// use hostnet::wire::{Input, Origin};
    /// use hostnet::yaml::Path;
    /// let stream = "kind: Pod\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nspec:\n  a: 1\n";
    /// let input = Input::read(Origin::stdin(), stream.into()).unwrap();
    /// assert_eq!(input.position(1, &Path::dotted("spec.a")), Some((7, 6)));
    /// assert_eq!(input.position(1, &Path::dotted("spec.b.c")), Some((7, 3)));
    /// ```
    #[must_use]
    pub fn position(&self, object: usize, path: &Path) -> Option<(usize, usize)> {
        self.positions(&[(object, path)]).pop()?
    }

    /// The same for many values: each part of the text is parsed once, however much is asked of it.
    #[must_use]
    pub fn positions(&self, asked: &[(usize, &Path)]) -> Vec<Option<(usize, usize)>> {
        let mut positions = vec![None; asked.len()];
        let Ok(layout) = self.layout() else { return positions };
        let mut units: BTreeMap<usize, Vec<(usize, usize, &Path)>> = BTreeMap::new();
        for (index, (object, path)) in asked.iter().enumerate() {
            if let Some((unit, at)) = layout.unit_of(*object) {
                units.entry(unit).or_default().push((index, at, path));
            }
        }
        for (number, asked) in units {
            let Some(unit) = layout.units.get(number) else { continue };
            let text = self.text.get(unit.range.clone()).unwrap_or_default();
            // What is read a second time as it was the first time cannot fail.
            let _ = unit::with_tree(text, |tree, _| {
                let found = objects::objects(tree, unit.part).unwrap_or_default();
                let mut finder = Finder::default();
                let starts = asked.into_iter().filter_map(|(index, at, path)| {
                    Some((nearest(&mut finder, found.get(at)?.node, path)?.start(), index))
                });
                let mut starts: Vec<(usize, usize)> = starts.collect();
                starts.sort_unstable();
                let mut counter = Counter::new(tree.text());
                for (start, index) in starts {
                    let (line, column) = counter.position(start);
                    if let Some(position) = positions.get_mut(index) {
                        *position = Some((unit.line + line - 1, column));
                    }
                }
            });
        }
        positions
    }
}

/// The node at a path, or the nearest one around it that exists.
fn nearest<'t, 's>(finder: &mut Finder<'t, 's>, root: NodeRef<'t, 's>, path: &Path) -> Option<NodeRef<'t, 's>> {
    let mut path = Some(path.clone());
    loop {
        let here = path?;
        if let Some(node) = finder.lookup(root, &here) {
            return Some(node);
        }
        path = here.parent();
    }
}

/// Counts lines and columns for ascending offsets, each byte once.
struct Counter<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'t> Counter<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, offset: 0, line: 1, column: 1 }
    }

    fn position(&mut self, offset: usize) -> (usize, usize) {
        let since = self.text.get(self.offset..offset).unwrap_or_default();
        let (before, last) = match since.rfind(['\n', '\r']) {
            Some(at) => (1, since.get(at + 1..).unwrap_or_default()),
            None => (self.column, since),
        };
        self.line += yaml::line_breaks(self.text, self.offset..offset);
        self.column = before + last.chars().count();
        self.offset = self.offset.max(offset);
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;
    use crate::wire::error;
    use crate::wire::{Input, Origin};
    use crate::yaml::Path;

    #[test]
    fn lines_and_columns_are_counted_on() {
        let text = "a: é\r\nb:\n  - x: ü y\rc: d\n\n\nlast: 1";
        let mut counter = Counter::new(text);
        for (offset, c) in text.char_indices().filter(|(_, c)| !matches!(c, '\n' | '\r')) {
            let (line, column, _) = error::locate(text, offset);
            assert_eq!(counter.position(offset), (line, column), "{offset} {c}");
            assert_eq!(counter.position(offset), (line, column), "{offset} {c} again");
        }
    }

    #[test]
    fn many_positions_are_those_of_each_alone() {
        let items: String = (0..40).map(|number| format!("- {{kind: A, apiVersion: v1, n: {number}}}\n")).collect();
        let text = format!("kind: A\napiVersion: v1\nx: {{y: 1}}\n---\nkind: List\napiVersion: v1\nitems:\n{items}");
        let input = Input::read(Origin::stdin(), text.into()).unwrap();
        let (known, none) = (Path::dotted("n"), Path::dotted("x.y.z"));
        let asked: Vec<(usize, &Path)> = (0..45).rev().flat_map(|object| [(object, &known), (object, &none)]).collect();
        let alone: Vec<_> = asked.iter().map(|(object, path)| input.position(*object, path)).collect();
        assert_eq!(input.positions(&asked), alone);
        assert_eq!((alone.first(), alone.last()), (Some(&None), Some(&Some((3, 8)))));
        assert!(alone.contains(&Some((8, 32))));
    }
}
