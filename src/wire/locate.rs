//! Where a field of an object stands: for messages, so it is looked up only when something is said of it.

use crate::yaml::Path;

use super::input::Input;
use super::{error, objects, unit};

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
        let layout = self.layout().ok()?;
        let (unit, at) = layout.unit_of(object)?;
        let unit = layout.units.get(unit)?;
        let text = self.text.get(unit.range.clone())?;
        let found = unit::with_tree(text, |tree, _| {
            let found = objects::objects(tree, unit.part).ok()?;
            let root = found.get(at)?.node;
            let mut path = Some(path.clone());
            loop {
                if let Some(node) = path.as_ref().and_then(|path| root.lookup(path)) {
                    return Some(error::locate(tree.text(), node.start()));
                }
                path = path?.parent();
            }
        });
        let (line, column, _) = found.ok()??;
        Some((unit.line + line - 1, column))
    }
}
