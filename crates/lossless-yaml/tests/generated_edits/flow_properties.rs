//! Properties of the documents of `flow.rs`.

use lossless_yaml::{KeyPosition, Op, Path, Tree, edit_text};
use proptest::prelude::*;
use serde_json::Value as Meaning;

use super::flow::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_edits_have_their_effect(node in document(), form in forms(), seed in any::<u64>()) {
        holds(&node, form, seed)?;
    }

    #[test]
    fn removing_an_addition_restores_the_text(node in document(), form in forms(), seed in any::<u64>(), value in values(), after in 0..KEYS.len(), before in 0..KEYS.len(), which in 0..3_u8) {
        let text = write(&node, form, seed);
        let path = root(form);
        let (op, back) = match &node.kind {
            Kind::Map(..) => {
                let (after, before) = (vec![name(after).into()], vec![name(before).into()]);
                let place = match which {
                    0 => KeyPosition { after, before },
                    1 => KeyPosition { after, before: Vec::new() },
                    _ => KeyPosition { after: Vec::new(), before },
                };
                (Op::Add { parent: path.clone(), key: "new".into(), value, place }, path.key("new"))
            }
            Kind::Seq(items, _) => (Op::Append { sequence: path.clone(), value }, path.item(items.len())),
            Kind::Scalar(_) => unreachable!(),
        };
        let longer = edit_text(&text, 0, &Path::root(), &[op]).unwrap();
        let back = edit_text(&longer, 0, &Path::root(), &[Op::Remove { path: back }]).unwrap();
        prop_assert_eq!(&back, &text, "{}", longer);
    }

    /// Text that a JSON reader accepts is parsed as JSON with the same value, and other text is not parsed as JSON.
    #[test]
    fn damaged_json_is_parsed_like_in_another_reader(node in document(), seed in any::<u64>(), damage in prop::collection::vec((any::<prop::sample::Index>(), 0..DAMAGE.len(), any::<bool>()), 0..4)) {
        let mut text = write(&node, Form::Json, seed);
        for (place, piece, over) in damage {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = place.index(places.len());
            let end = places.get(at + usize::from(over)).copied().unwrap_or(text.len());
            text.replace_range(places[at]..end, DAMAGE[piece]);
        }
        let tree = Tree::parse(&text);
        match serde_json::from_str::<Meaning>(&text) {
            Ok(value) if value.is_object() || value.is_array() => {
                let tree = tree.unwrap();
                prop_assert!(tree.is_json(), "{}", text);
                prop_assert_eq!(messages(tree.root(0).unwrap()), value, "{}", text);
                let op = match tree.root(0).unwrap().is_mapping() {
                    true => Op::Add { parent: Path::root(), key: "new".into(), value: "x".into(), place: KeyPosition::default() },
                    false => Op::Append { sequence: Path::root(), value: "x".into() },
                };
                match edit_text(&text, 0, &Path::root(), &[op]) {
                    Ok(edited) => prop_assert!(serde_json::from_str::<Meaning>(&edited).is_ok(), "{}", edited),
                    Err(error) => prop_assert!(!error.to_string().contains("internal"), "{}\n{}", error, text),
                }
            }
            // A number that is out of range for the other reader is still JSON.
            Err(error) if error.to_string().contains("out of range") => {}
            _ => prop_assert!(!tree.is_ok_and(|tree| tree.is_json()), "{}", text),
        }
    }

    /// The JSON reader and the YAML reader give the same tree, if both accept the text.
    #[test]
    fn json_is_parsed_like_yaml(node in document(), seed in any::<u64>()) {
        let text = write(&node, Form::Json, seed);
        // The comment makes the text YAML. Only the JSON reader accepts a colon on a separate line.
        let yaml = format!("# YAML\n{text}");
        if let Ok(yaml) = Tree::parse(&yaml) {
            let json = Tree::parse(&text).unwrap();
            prop_assert!(json.is_json() && !yaml.is_json());
            prop_assert_eq!(nodes(&json, 0), nodes(&yaml, "# YAML\n".len()));
        }
    }
}
