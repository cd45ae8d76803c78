//! Where the real texts are, and how a test reads one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::not_run;
use hostnet::wire::{Input, Origin, ReadError};
use hostnet::yaml::NodeRef;

/// A text and the name of its file.
pub(crate) struct Text {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// All files below a folder of the shared data for which `wanted` holds, in order. Nothing, loudly, when it is absent.
pub(crate) fn texts(folder: &str, wanted: impl Fn(&Path) -> bool) -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(folder);
    if !root.is_dir() {
        not_run(&format!("{} is not there", root.display()));
        return Vec::new();
    }
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    files.iter().map(|path| Text { name: name(path), bytes: std::fs::read(path).unwrap() }).collect()
}

pub(crate) fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known))
}

pub(crate) fn read(text: impl Into<Vec<u8>>) -> Input {
    Input::read(Origin::file("x.yaml"), text.into()).unwrap()
}

pub(crate) fn no_results() -> [hostnet::yaml::Value; 0] {
    []
}

/// The input as it is written when nothing is edited, through the whole path.
pub(crate) fn untouched(input: &Input) -> Vec<u8> {
    let splices = input.render(BTreeMap::new(), no_results()).unwrap();
    assert!(!input.is_changed_by(&splices));
    let mut out = Vec::new();
    input.write(&splices, &mut out).unwrap();
    assert_eq!(input.output(&splices).as_bytes(), out);
    out
}

/// What a reader learns of an object: every node's form and text, in order.
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
