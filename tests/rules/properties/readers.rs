//! Generated manifests as Go programs parse them before and after a run, and as the API server's validation judges
//! them. `HOSTNET_GENERATED` is their number, 1,000 by default.

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

use crate::properties::{automatic, input, manifest, model};
use crate::support::judged;
use crate::support::readers::{Changed, changed, compare};
use crate::support::validation::worse;

/// Generated inputs that a run changes, out of `count`.
fn generated(count: usize) -> Vec<Changed> {
    let (mut runner, mut files) = (TestRunner::deterministic(), Vec::new());
    let (given, numbered, how) = (model::scenario(), automatic::scenario(), automatic::how());
    for index in 0..count {
        let (scenario, config) = if index % 2 == 0 {
            let scenario = given.new_tree(&mut runner).unwrap().current();
            let config = manifest::config(&scenario);
            (scenario, config)
        } else {
            let scenario = numbered.new_tree(&mut runner).unwrap().current();
            let config = automatic::config(&scenario, how.new_tree(&mut runner).unwrap().current());
            (scenario, config)
        };
        files.extend(changed(&[(format!("generated {index}"), input(&scenario))], &config));
    }
    files
}

#[test]
fn go_reads_the_planned_values_in_generated_outputs() {
    let count: usize = std::env::var("HOSTNET_GENERATED").map_or(1_000, |count| count.parse().unwrap());
    let Some(compared) = compare(|| generated(count)) else { return };
    let what =
        format!("{} of {count} generated inputs, those that change: {} objects", compared.files, compared.objects);
    judged("kyaml and sigs.k8s.io/yaml", &what, compared.differences.len());
    assert!(compared.differences.is_empty(), "{}", compared.differences.join("\n"));
    assert!(compared.unread.is_empty() && compared.files * 4 > count * 3, "{}, {:?}", compared.files, compared.unread);
    for line in ["v1.28", "v1.37"] {
        let Some((objects, worse)) = worse(line, &compared.changed) else { return };
        let what = format!("their pod templates and Services: {objects}");
        judged(&format!("validation of Kubernetes {line}"), &what, worse.len());
        assert!(objects > count && worse.is_empty(), "{objects}\n{}", worse.join("\n"));
    }
}
