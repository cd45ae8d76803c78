//! Generated manifests of the property tests, intact and damaged.

use super::{SEED, drawn, holds};
use crate::properties::{all_or_nothing, automatic, damaged, input, json_layout, manifest, model};
use crate::support::in_process::apply;

pub fn plans(data: &[u8]) {
    let Some((form, rest)) = data.split_first() else { return };
    match form % 4 {
        0 => {
            if let Some(scenario) = drawn(model::scenario(), rest) {
                holds(crate::properties::holds(apply, &scenario));
            }
        }
        1 => {
            if let Some((scenario, how)) = drawn((automatic::scenario(), automatic::how()), rest) {
                holds(automatic::holds(apply, &scenario, how));
            }
        }
        2 => {
            if let Some((scenario, layout)) = drawn((model::scenario(), json_layout::layout()), rest) {
                holds(json_layout::holds(apply, &scenario, layout));
            }
        }
        _ => {
            let (seed, damage) = rest.split_at(rest.len().min(SEED));
            if let Some(scenario) = drawn(model::scenario(), seed) {
                let (for_input, of_config): (Vec<_>, Vec<_>) = damage.chunks_exact(4).partition(|one| one[0] % 4 > 0);
                let config = damaged(&manifest::config(&scenario), &places(&of_config));
                holds(all_or_nothing(apply, &config, &damaged(&input(&scenario), &places(&for_input))));
            }
        }
    }
}

/// Positions and kinds of damage, in groups of four bytes.
fn places(damage: &[&[u8]]) -> Vec<(usize, u8)> {
    damage.iter().map(|one| (usize::from(u16::from_le_bytes([one[1], one[2]])), one[3])).collect()
}
