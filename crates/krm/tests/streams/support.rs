//! Reads and writes a whole text.

#![allow(dead_code, reason = "the tests of corpora need the rest")]

use std::collections::BTreeMap;
use std::path::Path;

use krm::{Input, Origin, ReadError};
use lossless_yaml::NodeRef;

pub(crate) fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
}

pub(crate) fn read(text: impl Into<Vec<u8>>) -> Input {
    Input::read(Origin::file("x.yaml"), text.into()).unwrap()
}

pub(crate) fn no_results() -> [lossless_yaml::Value; 0] {
    []
}

/// The output of an input without edits.
pub(crate) fn untouched(input: &Input) -> Vec<u8> {
    let splices = input.render(BTreeMap::new(), no_results()).unwrap();
    assert!(!input.is_changed_by(&splices));
    let mut out = Vec::new();
    input.write(&splices, &mut out).unwrap();
    assert_eq!(input.output(&splices).as_bytes(), out);
    out
}

/// The kind and text of every node of an object, in order.
pub(crate) fn content(node: NodeRef<'_, '_>) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        all.push(format!("{:?} {:?}", node.kind(), node.text()));
        let children: Vec<_> = node.children().collect();
        open.extend(children.into_iter().rev());
    }
    all
}

/// The content of all objects.
pub(crate) fn contents(input: &Input) -> Result<Vec<Vec<String>>, ReadError> {
    input.objects(|_, node| content(node))
}
