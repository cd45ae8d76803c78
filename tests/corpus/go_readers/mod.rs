//! Compares every changed file of the corpora with the plan, as Go programs read it before and after the run. The API
//! server's own validation must not reject an object that it accepted before.
#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use crate::everything::{CONFIG_TEXT, cases, external, own};
use crate::support::judged;
use crate::support::readers::{Changed, changed, compare};
use crate::support::validation::worse;

/// Returns the changed files of the corpora, and of the kustomization tests with their configs.
fn files() -> Vec<Changed> {
    let units = own().into_iter().chain(external()).flat_map(|corpus| corpus.units);
    let units = units.map(|unit| (unit, CONFIG_TEXT.to_owned())).chain(cases());
    units.flat_map(|(unit, config)| changed(&unit.files, &config)).collect()
}

#[test]
fn go_reads_the_planned_values_in_every_output() {
    let Some(compared) = compare(files) else { return };
    let what =
        format!("every file of the corpora that changes: {} files, {} objects", compared.files, compared.objects);
    judged("kyaml and sigs.k8s.io/yaml", &what, compared.differences.len());
    assert!(compared.differences.is_empty(), "{}", compared.differences.join("\n"));
    let is_known = |name: &String| name.contains("examples/traffic-management/rollout-linkerd.yaml");
    assert!(compared.unread.iter().all(is_known), "Go cannot read these before: {:#?}", compared.unread);
    assert!(compared.files > 200, "{} files", compared.files);
    for line in ["v1.28", "v1.37"] {
        let Some((count, worse)) = worse(line, &compared.changed) else { return };
        let what = format!("pod templates, Services and NetworkPolicies of the corpora that change: {count}");
        judged(&format!("validation of Kubernetes {line}"), &what, worse.len());
        assert!(count > 100 && worse.is_empty(), "{count}\n{}", worse.join("\n"));
    }
}
