//! Edited texts are verified by granit, not by the fast parser.

use crate::fast::READ;
use crate::{Op, Path, Tree, edit, edit_text, splice, verify};

fn read_fast(work: impl FnOnce()) -> Vec<String> {
    READ.take();
    work();
    READ.take()
}

#[test]
fn an_edited_text_is_verified_by_granit() {
    let text = "spec:\n  hostNetwork: false\n";
    let ops = [Op::Set { path: Path::dotted("spec.hostNetwork"), value: true.into() }];
    let mut edited = String::new();
    let read = read_fast(|| edited = edit_text(text, 0, &Path::root(), &ops).unwrap());
    assert_eq!(edited, "spec:\n  hostNetwork: true\n");
    assert_eq!(read, [text], "only the text before the edit may be read fast");

    let tree = Tree::parse(text).unwrap();
    let root = tree.root(0).unwrap();
    let edited = splice(text, &edit(root, &ops).unwrap());
    assert!(read_fast(|| verify(root, &ops, &edited).unwrap()).is_empty());
}
