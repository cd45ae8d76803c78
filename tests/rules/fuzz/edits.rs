//! Edits of generated documents, and of any text that `serde_yaml` parses to the same value, are compared with an
//! independent model.

use lossless_yaml::{NodeRef, Tree};
use proptest::prelude::*;
use serde_yaml::Value as Meaning;

use super::{SEED, drawn, holds};
use crate::yaml_lossless::{flow, generated};

pub fn edits(data: &[u8]) {
    let Some((form, rest)) = data.split_first() else { return };
    match form % 4 {
        0 => {
            let case = drawn((generated::text(), prop::collection::vec(generated::picked(), 1..6)), rest);
            if let Some((text, picks)) = case {
                holds(generated::one_holds(&text, &picks[0], true));
                holds(generated::several_hold(&text, &picks));
            }
        }
        1 => {
            if let Some((node, form, seed)) = drawn((flow::document(), flow::forms(), any::<u64>()), rest) {
                holds(flow::holds(&node, form, seed));
            }
        }
        _ => {
            let (choices, text) = rest.split_at(rest.len().min(SEED));
            let (Ok(text), Some(picks)) =
                (std::str::from_utf8(text), drawn(prop::collection::vec(generated::picked(), 1..4), choices))
            else {
                return;
            };
            if is_read_alike(text) {
                holds(generated::one_holds(text, &picks[0], false));
                holds(generated::several_hold(text, &picks));
            }
        }
    }
}

/// True if the text is a single document without tags that `serde_yaml` and `lossless_yaml` parse to the same value.
fn is_read_alike(text: &str) -> bool {
    let (Ok(meaning), Ok(tree)) = (generated::read(text), Tree::parse(text)) else { return false };
    tree.roots().count() == 1 && tree.root(0).is_some_and(|root| says(root, &meaning))
}

fn says(node: NodeRef<'_, '_>, meaning: &Meaning) -> bool {
    match meaning {
        Meaning::Mapping(map) => {
            node.is_mapping()
                && node.entries().count() == map.len()
                && node.entries().zip(map).all(|((key, value), (other_key, other))| {
                    other_key.is_string() && says(key, other_key) && says(value, other)
                })
        }
        Meaning::Sequence(items) => {
            node.is_sequence()
                && node.items().count() == items.len()
                && node.items().zip(items).all(|(one, other)| says(one, other))
        }
        Meaning::String(text) => node.text() == Some(text),
        Meaning::Tagged(_) => false,
        Meaning::Null | Meaning::Bool(_) | Meaning::Number(_) => !node.is_mapping() && !node.is_sequence(),
    }
}
