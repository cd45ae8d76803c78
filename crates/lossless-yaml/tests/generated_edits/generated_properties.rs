//! Properties of the documents of `generated.rs`.

use lossless_yaml::{KeyPosition, Op, Path, Tree, edit, edit_text, splice};
use proptest::prelude::*;

use super::generated::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_has_only_its_effect(text in text(), picked in picked()) {
        one_holds(&text, &picked, true)?;
    }

    #[test]
    fn several_edits_have_their_effects(text in text(), picks in prop::collection::vec(picked(), 1..6)) {
        several_hold(&text, &picks)?;
    }

    #[test]
    fn removing_an_addition_restores_the_text(text in text(), pick in any::<prop::sample::Index>(), value in values(), dice in 0_usize..100) {
        let old = meaning(&text);
        let mut found = Vec::new();
        paths(&old, &Path::root(), &mut found);
        found.retain(|(_, node)| node.is_mapping() || node.is_sequence());
        let (path, target) = pick.get(&found);
        let op = an_edit(path, target, &value, dice - dice % 3, &mut old.clone());
        let back = match &op {
            Op::Add { parent, key, .. } => Op::Remove { path: parent.key(key.clone()) },
            Op::Append { sequence, .. } => Op::Remove { path: sequence.item(target.as_sequence().unwrap().len()) },
            _ => unreachable!(),
        };
        let longer = edit_text(&text, 0, &Path::root(), &[op]).unwrap();
        let edited = edit_text(&longer, 0, &Path::root(), &[back]).unwrap();
        prop_assert_eq!(edited, text);
    }

    #[test]
    fn an_inserted_element_can_be_removed_again(text in text(), pick in any::<prop::sample::Index>(), value in values(), dice in 0_usize..100) {
        let old = meaning(&text);
        let mut found = Vec::new();
        paths(&old, &Path::root(), &mut found);
        found.retain(|(_, node)| node.as_sequence().is_some_and(|items| !items.is_empty()));
        prop_assume!(!found.is_empty());
        let (path, target) = pick.get(&found);
        let index = dice % target.as_sequence().unwrap().len();
        let op = Op::Insert { after: path.item(index), value: value.clone() };
        let longer = edit_text(&text, 0, &Path::root(), std::slice::from_ref(&op)).unwrap_or_else(|error| panic!("{error}\n{op:?}\n{text}"));
        let mut expected = old.clone();
        at(&mut expected, path).as_sequence_mut().unwrap().insert(index + 1, meant(&value));
        prop_assert_eq!(meaning(&longer), expected, "{:?}\n{}", op, text);
        prop_assert_eq!(comments(&longer), comments(&text), "{:?}\n{}", op, text);
        let edited = edit_text(&longer, 0, &Path::root(), &[Op::Remove { path: path.item(index + 1) }]).unwrap();
        prop_assert_eq!(edited, text);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "[-a-c:,\\[\\]{}'\"|>&*!#?% \t\n\r]{0,60}") {
        if let Ok(tree) = Tree::parse(&text) {
            for root in tree.roots() {
                let op = Op::Add { parent: Path::root(), key: "new".into(), value: "x".into(), place: KeyPosition::default() };
                if let Ok(splices) = edit(root, std::slice::from_ref(&op)) {
                    prop_assert!(splices.iter().all(|splice| text.get(splice.range.clone()).is_some()));
                    let edited = splice(&text, &splices);
                    let verified = lossless_yaml::verify(root, &[op], &edited);
                    prop_assert!(verified.is_ok(), "{:?} {:?} {:?}", verified, text, edited);
                }
            }
        }
    }
}
