//! Positions of object fields, looked up only for messages.

use std::collections::BTreeMap;

use lossless_yaml::{Finder, NodeRef, Path, Tree};

use super::input::Input;
use super::objects;

impl Input {
    /// Line and column, counted from 1, of the value at `path` of an object, or of the nearest collection around it
    /// that exists. `object` counts in the order of [`Self::objects`].
    ///
    /// ```
    /// use krm::{Input, Origin};
    /// use lossless_yaml::Path;
    /// let stream = "kind: Pod\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\nspec:\n  a: 1\n";
    /// let input = Input::read(Origin::stdin(), stream.into()).unwrap();
    /// assert_eq!(input.position(1, &Path::dotted("spec.a")), Some((7, 6)));
    /// assert_eq!(input.position(1, &Path::dotted("spec.b.c")), Some((7, 3)));
    /// ```
    pub fn position(&self, object: usize, path: &Path) -> Option<(usize, usize)> {
        self.positions(&[(object, path)]).pop()?
    }

    /// Returns the positions of many values; parses each part of the text only once.
    pub fn positions(&self, requests: &[(usize, &Path)]) -> Vec<Option<(usize, usize)>> {
        let mut positions = vec![None; requests.len()];
        let Ok(layout) = self.layout() else { return positions };
        let mut units: BTreeMap<usize, Vec<(usize, usize, &Path)>> = BTreeMap::new();
        for (index, (object, path)) in requests.iter().enumerate() {
            if let Some((unit, at)) = layout.unit_of(*object) {
                units.entry(unit).or_default().push((index, at, path));
            }
        }
        for (number, requests) in units {
            let Some(unit) = layout.units.get(number) else { continue };
            let text = self.text.get(unit.range.clone()).unwrap_or_default();
            // This text was parsed successfully before, so parsing cannot fail.
            let Ok(tree) = Tree::parse(text) else { continue };
            let found = objects::objects(&tree, unit.part).unwrap_or_default();
            let mut finder = Finder::default();
            for (index, at, path) in requests {
                let node = found.get(at).and_then(|found| nearest(&mut finder, found.node, path));
                let Some((slot, node)) = positions.get_mut(index).zip(node) else { continue };
                let (line, column) = tree.position(node.start());
                *slot = Some((unit.line + line - 1, column));
            }
        }
        positions
    }
}

/// Returns the node at a path, or its nearest existing parent.
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

#[cfg(test)]
mod tests {
    use crate::{Input, Origin};
    use lossless_yaml::Path;

    #[test]
    fn positions_found_together_equal_those_found_one_by_one() {
        let items: String = (0..40).map(|number| format!("- {{kind: A, apiVersion: v1, n: {number}}}\n")).collect();
        let text = format!("kind: A\napiVersion: v1\nx: {{y: 1}}\n---\nkind: List\napiVersion: v1\nitems:\n{items}");
        let input = Input::read(Origin::stdin(), text.into()).unwrap();
        let (known, none) = (Path::dotted("n"), Path::dotted("x.y.z"));
        let requests: Vec<(usize, &Path)> =
            (0..45).rev().flat_map(|object| [(object, &known), (object, &none)]).collect();
        let alone: Vec<_> = requests.iter().map(|(object, path)| input.position(*object, path)).collect();
        assert_eq!(input.positions(&requests), alone);
        assert_eq!((alone.first(), alone.last()), (Some(&None), Some(&Some((3, 8)))));
        assert!(alone.contains(&Some((8, 32))));
    }

    /// Line and column, counted from the start of the input.
    fn counted(text: &str, offset: usize) -> (usize, usize) {
        let before =
            text.get(..offset).unwrap().trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
        (1 + before.matches('\n').count(), 1 + before.rsplit('\n').next().unwrap().chars().count())
    }

    #[test]
    fn positions_equal_a_count_of_lines_and_columns() {
        let object = |n: usize| format!("{{\"kind\": \"A\", \"apiVersion\": \"v1\", \"é\": {n}, \"n\": \"@{n}\"}}");
        let objects: Vec<String> = (0..300).map(object).collect();
        let lines = |start: &str| objects.iter().map(|object| format!("{start}{object}\n")).collect::<String>();
        let anchor = "- &a {kind: A, apiVersion: v1, n: '@0'}\n- {<<: *a, n: '@1'}\n- {<<: *a, n: '@2'}\n";
        let broken = "- kind: A\n  apiVersion: v1\n  text: 'é\n  é'\n  n: '@0'\n";
        let texts = [
            format!("[{}]", objects.join(", ")),
            format!("[\n{}\n]\n", objects.join(",\r\n")),
            lines(""),
            lines("---\n"),
            lines("--- # é\r\n"),
            lines("--- # a\r"),
            format!("\u{feff}{}", lines("---\n")),
            format!("%YAML 1.2\n{}", lines("---\n")),
            format!("kind: List\napiVersion: v1\nitems:\n{}", lines("- ")),
            format!("kind: List\napiVersion: v1\nitems:\n{anchor}"),
            format!("kind: List\napiVersion: v1\nitems:\n{broken}"),
        ];
        for text in texts {
            let wanted: Vec<_> = text.match_indices('@').map(|(at, _)| Some(counted(&text, at - 1))).collect();
            let input = Input::read(Origin::stdin(), text.clone().into()).unwrap();
            let path = Path::dotted("n");
            let requests: Vec<(usize, &Path)> = (0..wanted.len()).map(|object| (object, &path)).collect();
            assert!(!wanted.is_empty());
            assert_eq!(input.positions(&requests), wanted, "{:?}", text.chars().take(80).collect::<String>());
        }
    }
}
