//! Every scalar's bytes match its value, and nodes are inside their parents.

use lossless_yaml::{Kind, NodeRef, Tree};

use crate::yaml::cooker::cook;
use crate::yaml::inputs;

fn nodes<'t, 's>(tree: &'t Tree<'s>) -> Vec<NodeRef<'t, 's>> {
    let mut found = Vec::new();
    let mut open: Vec<NodeRef<'t, 's>> = tree.roots().collect();
    open.reverse();
    while let Some(node) = open.pop() {
        found.push(node);
        let mut children: Vec<_> = node.children().collect();
        children.reverse();
        open.extend(children);
    }
    found
}

fn check(name: &str, tree: &Tree<'_>) -> usize {
    let mut scalars = 0;
    let mut end = 0;
    for node in nodes(tree) {
        assert!(node.start() <= node.span().start, "{name}: {node:?}");
        if let Some(parent) = node.parent() {
            assert!(
                parent.span().start <= node.start() && node.span().end <= parent.span().end,
                "{name}: {:?}",
                node.raw()
            );
        }
        if matches!(node.kind(), Kind::Scalar(_) | Kind::Alias) {
            assert!(end <= node.start(), "{name}: {:?} overlaps what is before it", node.raw());
            end = node.span().end;
        }
        if matches!(node.kind(), Kind::Scalar(_)) {
            scalars += 1;
            assert_eq!(cook(node), node.text().unwrap(), "{name}, line {}: {:?}", tree.line(node.start()), node.raw());
        }
    }
    scalars
}

#[test]
fn the_source_of_every_scalar_decodes_to_its_text() {
    let own = inputs::own();
    let trees = own.iter().filter_map(|input| Some((input, Tree::parse(&input.text).ok()?)));
    let scalars: usize = trees.map(|(input, tree)| check(&input.name, &tree)).sum();
    assert!(scalars > 1000, "{scalars} scalars in the documents of the repository");
    let corpus = inputs::corpus();
    if !corpus.is_empty() {
        let trees = corpus.iter().filter_map(|input| Some((input, Tree::parse(&input.text).ok()?)));
        let scalars: usize = trees.map(|(input, tree)| check(&input.name, &tree)).sum();
        assert_eq!(scalars, 421_910, "scalars in the corpus");
    }
    let (valid, _) = inputs::suite();
    if !valid.is_empty() {
        let scalars: usize = valid
            .iter()
            .map(|input| {
                check(&input.name, &Tree::parse(&input.text).unwrap_or_else(|e| panic!("{}: {e}", input.name)))
            })
            .sum();
        assert_eq!(scalars, 1182, "scalars in the test suite");
    }
}
