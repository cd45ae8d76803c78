//! Rule `rollout-surge`: updates of moved workloads that never end.

use super::{changes, deployment_named, infos, run};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

fn spec(select: &str, rest: &str) -> String {
    format!("{{targets: [{{select: {{{select}}}}}]{rest}}}")
}

/// The messages of the rule, and true if the manifest changed.
fn reported(spec: &str, manifest: &str) -> (String, bool) {
    let (output, log) = run(spec, manifest);
    let own: Vec<String> = log.into_iter().filter(|line| line.contains("[rollout-surge]")).collect();
    (own.join("\n"), output != manifest)
}

/// A workload on the host network without a host port, so that its template changes.
fn on_host() -> String {
    deployment_named("web", 8000, true).replace("    spec:\n", "    spec:\n      hostNetwork: true\n")
}

#[test]
fn an_update_that_keeps_its_ports_and_never_ends_is_an_error() {
    let (error, changed) = reported(&spec("name: web", ", nodes: 1"), &on_host());
    assert_snapshot!(worded(error), @"error: standard input:5:3: Deployment shop/web: its update never finishes: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 1 of the nodes may run it, and its pod has port 8000/TCP there: the new one stays Pending, and no old one is removed. Write `rollout: FreePortFirst` in the spec, or add a node [rollout-surge]");
    assert!(!changed);
    let (warning, changed) = reported(&spec("kind: Deployment", ", nodes: 1"), &on_host());
    assert_snapshot!(brief(warning), @"warning: rollout-surge Deployment shop/web spec.strategy (5:3, 0, 1, 8000/TCP)");
    assert!(!changed);
    assert_eq!(reported(&spec("name: web", ", nodes: 2"), &on_host()), (String::new(), true));
}

#[test]
fn the_update_that_moves_the_ports_ends_and_the_one_after_it_does_not() {
    let (later, changed) = reported(&spec("name: web", ", nodes: 1"), &deployment_named("web", 8000, true));
    assert_snapshot!(worded(later), @"warning: standard input:5:3: Deployment shop/web: this update finishes, because the old pods do not have its ports of the node, and the next one never does: maxUnavailable, which is 25% rounded down, is 0, so the new pod starts first; at most 1 of the nodes may run it, and its pod has port 8000/TCP there: the new one stays Pending, and no old one is removed. Write `rollout: FreePortFirst` in the spec, or add a node [rollout-surge]");
    assert!(changed);
    let auto = "{targets: [{select: {name: web}, ports: auto}], nodes: 1}";
    let (later, changed) = reported(auto, &on_host());
    assert!(later.contains("this update finishes, because"), "{later}");
    assert!(changed);
    // The second run changes nothing, and reports the next update again.
    let (output, _) = run(&spec("name: web", ", nodes: 1"), &deployment_named("web", 8000, true));
    let (again, changed) = reported(&spec("name: web", ", nodes: 1"), &output);
    assert!(again.starts_with("warning: ") && again.contains("its update never finishes"), "{again}");
    assert!(!changed);
}

#[test]
fn freeing_the_port_first_fixes_it() {
    let free = ", nodes: 1, rollout: FreePortFirst";
    assert_eq!(reported(&spec("name: web", free), &on_host()), (String::new(), true));
    assert_eq!(reported(&spec("name: web", free), &deployment_named("web", 8000, true)), (String::new(), true));
}

#[test]
fn nodes_of_the_input_count_too() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n";
    assert!(reported(&spec("name: web", ""), &format!("{node}{}", on_host())).0.starts_with("error: "));
    let tainted = node.replace("---", "spec: {taints: [{key: only, value: db, effect: NoSchedule}]}\n---");
    let two = format!("{node}{}", tainted.replace("name: a", "name: b"));
    assert!(reported(&spec("name: web", ""), &format!("{two}{}", on_host())).0.starts_with("error: "));
    let tolerating =
        on_host().replace("    spec:\n", "    spec:\n      tolerations: [{key: only, operator: Exists}]\n");
    assert_eq!(reported(&spec("name: web", ""), &format!("{two}{tolerating}")).0, "");
}

#[test]
fn unknown_nodes_are_an_information_and_an_explicit_surge_is_a_warning() {
    assert_snapshot!(worded(infos(&spec("name: web", ""), &on_host(), "rollout-surge")), @"info: 1 workload needs a spare node to update (one more than replicas, because maxUnavailable is 0 or rounds down to 0): shop/Deployment/web. Give `nodes` in the config to have it checked, or write `rollout: FreePortFirst` in the spec [rollout-surge]");
    let asked = on_host().replacen(
        "\nspec:\n  ",
        "\nspec:\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n  ",
        1,
    );
    assert_snapshot!(worded(reported(&spec("name: web", ""), &asked).0), @"warning: standard input:5:13: Deployment shop/web: its update finishes only where 2 nodes may run it: maxUnavailable is 0, so the new pod needs a node where port 8000/TCP is free. The number of nodes is not known: give `nodes` in the config, or write `rollout: FreePortFirst` in the spec [rollout-surge]");
}

#[test]
fn workloads_without_a_port_or_with_a_gap_are_not_reported() {
    let none = on_host().replace(", args: [--port=8000], ports: [{name: http, containerPort: 8000}]", "");
    assert_eq!(reported(&spec("name: web", ", nodes: 1"), &none).0, "");
    for fields in ["strategy: {type: Recreate}", "replicas: 0", "strategy: {rollingUpdate: {maxUnavailable: 1}}"] {
        let gap = on_host().replacen("\nspec:\n  ", &format!("\nspec:\n  {fields}\n  "), 1);
        assert_eq!(reported(&spec("name: web", ", nodes: 1"), &gap).0, "", "{fields}");
    }
}

#[test]
fn a_canary_needs_the_nodes_of_a_deployment_and_blue_green_twice_as_many() {
    let rollout = |strategy: &str| {
        let manifest =
            on_host().replace("apps/v1", "argoproj.io/v1alpha1").replace("kind: Deployment", "kind: Rollout");
        manifest.replacen("\nspec:\n  ", &format!("\nspec:\n  replicas: 2\n  strategy: {{{strategy}}}\n  "), 1)
    };
    let at =
        |nodes: u32, strategy: &str| reported(&spec("name: web", &format!(", nodes: {nodes}")), &rollout(strategy)).0;
    assert!(at(2, "canary: {}").starts_with("error: "));
    assert_eq!(at(3, "canary: {}"), "");
    assert_snapshot!(worded(at(3, "blueGreen: {activeService: web}")), @"error: standard input:6:13: Rollout shop/web: its update never finishes: the preview ReplicaSet runs next to the active one, and each pod uses port 8000/TCP of its node, so it needs 4 nodes; at most 3 of them may run it, and the other new pods stay Pending. Add nodes, or use another strategy [rollout-surge]");
    assert_eq!(at(4, "blueGreen: {activeService: web}"), "");
}

/// A package is updated like the Deployment in its runtime config.
#[test]
fn a_package_has_one_replica() {
    let provider = "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: aws}\nspec: {package: example.org/provider-aws:v1.0.0}\n";
    let log = changes(&spec("name: aws", ", nodes: 1, crossplane: {version: v2.0.0}"), provider);
    assert!(log.contains("and the next one never does"), "{log}");
}

/// `FreePortFirst` does not help if another controller makes a second copy of the pods.
#[test]
fn a_second_copy_of_the_pods_needs_nodes_of_its_own() {
    let canary = "apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: {name: web, namespace: shop}\nspec: {targetRef: {apiVersion: apps/v1, kind: \
                  Deployment, name: web}}\n";
    let released = format!("{}---\n{canary}", deployment_named("web", 8000, true));
    for rest in [", nodes: 1", ", nodes: 1, rollout: FreePortFirst"] {
        let (warning, _) = reported(&spec("name: web", rest), &released);
        assert!(
            warning.starts_with("warning: ") && warning.contains("with Canary shop/web the copy NAME-primary"),
            "{warning}"
        );
    }
    let other = released.replace("kind: Deployment, name: web}}", "kind: Deployment, name: api}}");
    assert!(!reported(&spec("name: web", ", nodes: 1"), &other).0.contains("Canary"));
    assert_eq!(reported(&spec("name: web", ", nodes: 2"), &released).0, "");
}
