//! The properties over generated cases, and a proof that the comparison can fail.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::manifest::{self, Appended, State};
use super::model::{self, Scenario, Workload};
use super::{all_or_nothing, automatic, damaged, expect, holds, input, json_layout, read};
use crate::support::run;

fn settings(cases: u32) -> ProptestConfig {
    // Failing cases become tests in this file instead of a file of seeds.
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() }
}

/// The expected output of the product, built by the test, to see that the comparison can fail.
fn perfect(scenario: &Scenario) -> Vec<Value> {
    let appended: Vec<_> = (0..).zip(&scenario.workloads).map(|(index, workload)| appended(workload, index)).collect();
    manifest::objects(scenario, State::After(&appended))
}

fn appended(workload: &Workload, index: usize) -> Appended {
    let mut out = Appended::new();
    let placed = workload.placed(manifest::base(index));
    for placed in placed.iter().filter(|placed| workload.selected && !placed.listener.declared) {
        let entry = json!({"name": format!("p-{}", placed.index), "containerPort": placed.new, "hostPort": placed.new});
        out.entry(placed.container.clone()).or_default().push(entry);
    }
    out
}

/// Changes the n-th leaf of a value; false if there are fewer leaves.
fn spoil(value: &mut Value, n: &mut usize) -> bool {
    match value {
        Value::Object(map) => map.values_mut().any(|inner| spoil(inner, n)),
        Value::Array(items) => items.iter_mut().any(|inner| spoil(inner, n)),
        leaf if *n == 0 => {
            *leaf = json!("SPOILT");
            true
        }
        _ => {
            *n -= 1;
            false
        }
    }
}

proptest! {
    #![proptest_config(settings(96))]

    #[test]
    fn the_generator_writes_its_scenario(scenario in model::scenario()) {
        prop_assert_eq!(read(scenario.form, &input(&scenario)), manifest::objects(&scenario, State::Before));
    }

    #[test]
    fn the_comparison_sees_every_leaf(scenario in model::scenario(), leaf in any::<prop::sample::Index>()) {
        let good = perfect(&scenario);
        prop_assert_eq!(expect::differences(&scenario, &good), [""; 0]);
        let mut bad = good.clone();
        let mut n = leaf.index(80);
        if bad.iter_mut().any(|object| spoil(object, &mut n)) {
            prop_assert!(!expect::differences(&scenario, &bad).is_empty());
        }
    }

    #[test]
    fn requested_changes_and_no_others(scenario in model::scenario()) {
        holds(run::apply, &scenario)?;
    }

    #[test]
    fn json_in_json_out(scenario in model::scenario(), layout in json_layout::layout()) {
        json_layout::holds(run::apply, &scenario, layout)?;
    }

    #[test]
    fn automatic_numbers_do_not_conflict_and_all_move(scenario in automatic::scenario(), how in automatic::how()) {
        automatic::holds(run::apply, &scenario, how)?;
    }

    #[test]
    fn damaged_input_is_all_or_nothing(
        scenario in model::scenario(),
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 1..4),
    ) {
        all_or_nothing(run::apply, &manifest::config(&scenario), &damaged(&input(&scenario), &damage))?;
    }

    #[test]
    fn damaged_config_is_all_or_nothing(
        scenario in model::scenario(),
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 1..3),
    ) {
        all_or_nothing(run::apply, &damaged(&manifest::config(&scenario), &damage), &input(&scenario))?;
    }
}
