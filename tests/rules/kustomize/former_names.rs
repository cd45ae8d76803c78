//! Names from before the renames of a build: selects match them, as patch targets of kustomize do, and numbers with them
//! are never dropped silently.

use super::{operator, outcome, reported, stream, version, webhook};

/// The operator and its webhook in a build with an id of kustomize.
fn build() -> String {
    let text = stream(&[operator(), webhook("[system|ops]", "[hook|a-hook]")]);
    let text = version(&text, false);
    text.replace("annotations: {", "annotations: {kustomize.config.k8s.io/id: x, ")
}

/// Number of moved ports, and the errors.
fn moved(spec: &str) -> (usize, Vec<String>) {
    let (_, run) = outcome(&format!("kind: HostNetwork\nspec: {{{spec}}}\n"), &build());
    let errors = reported(&run).into_iter().filter(|line| line.starts_with("error")).collect();
    (run.ports, errors)
}

const CALLED: &str = "targets: [{select: {calledByApiServer: true}, ports: auto}]";

#[test]
fn a_select_matches_the_first_name_and_namespace() {
    for (select, ports) in [
        ("name: a-manager", 1),
        ("name: manager", 1),
        ("namespace: system, name: manager", 1),
        ("namespace: ops, name: manager", 1),
        ("namespace: system", 1),
        ("name: a-manage", 0),
        ("namespace: other, name: manager", 0),
    ] {
        let select = format!("targets: [{{select: {{kind: Deployment, {select}}}, ports: auto}}], unmatched: Ignore");
        assert_eq!(moved(&select), (ports, Vec::new()), "{select}");
    }
}

#[test]
fn an_exclude_matches_the_first_name() {
    for (name, ports) in [("manager", 0), ("a-manager", 0), ("other", 1)] {
        assert_eq!(moved(&format!("{CALLED}, exclude: [{{name: {name}}}], unmatched: Ignore")).0, ports, "{name}");
    }
}

#[test]
fn a_number_under_a_former_name_is_an_error() {
    let (ports, errors) = moved(&format!("{CALLED}, assigned: {{system/Deployment/manager/webhook: 20999}}"));
    insta::assert_snapshot!(errors.join("\n"), @"error: standard input:1:1: Deployment ops/a-manager: `system/Deployment/manager/webhook: 20999` in `assigned` at hostnet.yaml:4:115 has no effect, because kustomize renamed the workload. Write `ops/Deployment/a-manager/webhook: 20999` [port-assigned]");
    assert_eq!(ports, 0);
    // The line of the message works when it is pasted, next to the former one too.
    let both = "ops/Deployment/a-manager/webhook: 20998";
    for more in ["", ", system/Deployment/manager/webhook: 20999"] {
        assert_eq!(moved(&format!("{CALLED}, assigned: {{{both}{more}}}")), (1, Vec::new()), "{more}");
    }
    assert_eq!(moved(&format!("{CALLED}, assigned: {{other/Deployment/manager/webhook: 20999}}")), (1, Vec::new()));
}

/// Outside of a build it is a warning, which kustomize would drop.
#[test]
fn a_number_without_effect_is_an_error_in_a_build() {
    let late = "{select: {name: a-manager}, ports: {webhook: 20888}}";
    let targets = |first: &str| format!("targets: [{first}, {late}]");
    let (ports, errors) = moved(&targets("{select: {kind: Deployment}, ports: auto}"));
    assert_eq!(ports, 0, "{errors:?}");
    assert!(errors.len() == 1 && errors[0].contains("`webhook: 20888` has no effect"), "{errors:?}");
    assert_eq!(moved(&targets("{select: {name: other}, ports: auto}")).0, 1);
}
