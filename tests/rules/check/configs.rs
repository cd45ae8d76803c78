//! Configs of a check: errors in them, and the effects of their fields.

use super::{on_host, reported_with};
use crate::support::results::worded;
use hostnet::kinds::check::Configs;
use insta::assert_snapshot;

/// The error message for a config.
fn error(text: &str) -> String {
    Configs::default().add(text, "check.yaml").unwrap_err().to_string()
}

fn wrong(spec: &str) -> String {
    error(&format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {spec}\n"))
}

#[test]
fn errors_of_a_config_have_places() {
    assert_snapshot!(wrong("{rules: {node-prt: Error}}"), @r#"
        check.yaml:3:26: unknown rule `node-prt`: did you mean `node-port`? `hostnet explain` lists all
          |
        3 | spec: {rules: {node-prt: Error}}
          |                          ^
    "#);
    assert_snapshot!(wrong("{rules: {port-moved: Error}}"), @r#"
        check.yaml:3:28: rule `port-moved` is not one of `hostnet check`: known are admission-policy, dns-policy, document, duplicate-key, duplicate-object, function, host-name, host-port, knative, mesh, network-policy, node-port, pod-forbids, pod-security, port-called, port-conflict, port-declared, port-placeholder, probe-address, replicas-nodes, rollout-surge, runtime-config, service-target, sidecar-port, subset-patch, unused-ignore
          |
        3 | spec: {rules: {port-moved: Error}}
          |                            ^
    "#);
    assert_snapshot!(wrong("{rules: {node-port: Fatal}}"), @r#"
        check.yaml:3:27: `Fatal` is not a value of `node-port`: it takes `Error`, `Warning`, `Info`, `Disabled`
          |
        3 | spec: {rules: {node-port: Fatal}}
          |                           ^
    "#);
    assert_snapshot!(wrong("{failsOn: Error}"), @r#"
        check.yaml:3:8: unknown field `failsOn`: did you mean `failOn`? Known are `select`, `exclude`, `rules`, `suppress`, `failOn`, `apiServer`, `versions`, `nodes`
          |
        3 | spec: {failsOn: Error}
          |        ^
    "#);
    assert_snapshot!(wrong("{suppress: [{rule: node-port, select: {name: a}}]}"), @r#"
        check.yaml:3:19: `reason` is missing: write why this is accepted
          |
        3 | spec: {suppress: [{rule: node-port, select: {name: a}}]}
          |                   ^
    "#);
    assert_snapshot!(wrong("{suppress: [{rule: document, select: {name: a}, reason: x}]}"), @"
    check.yaml:3:26: `document` cannot be suppressed: it reports what was not checked
      |
    3 | spec: {suppress: [{rule: document, select: {name: a}, reason: x}]}
      |                          ^
    ");
    for (spec, is_refused) in [
        ("{rules: {document: Disabled}}", true),
        ("{rules: {document: Warning}}", false),
        ("{rules: {node-port: Disabled}}", false),
    ] {
        let text = format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {spec}\n");
        let read = Configs::default().add(&text, "check.yaml");
        assert_eq!(read.is_err(), is_refused, "{spec}");
        assert!(read.err().is_none_or(|error| error.to_string().contains("cannot be disabled: it reports")));
    }
    // A field of this name elsewhere takes another value.
    assert!(!wrong("{ports: auto}").contains("suppress: [{"));
    assert!(!wrong("{crossplane: {version: v2.3.4}}").contains("versions: {crossplane: {"));
    assert!(wrong("{crossplane: v2.3.4}").contains("write `versions: {crossplane: v2.3.4}`"));
    assert_snapshot!(wrong("{suppress: [{rule: node-port, select: {name: a}, reason: x, until: tomorrow}]}"), @r#"
        check.yaml:3:74: `tomorrow` is not a day; write it as `2027-03-31`
          |
        3 | spec: {suppress: [{rule: node-port, select: {name: a}, reason: x, until: tomorrow}]}
          |                                                                          ^
    "#);
    assert_snapshot!(wrong("{nodes: 0}"), @r#"
        check.yaml:3:15: expected at least one node; remove `nodes` if the number of nodes is not known
          |
        3 | spec: {nodes: 0}
          |               ^
    "#);
    assert_snapshot!(wrong("{nodes: []}"), @r#"
        check.yaml:3:15: expected at least one node; remove `nodes` if the number of nodes is not known
          |
        3 | spec: {nodes: []}
          |               ^
    "#);
    assert_snapshot!(wrong("{nodes: [{count: 0}]}"), @r#"
        check.yaml:3:24: expected at least one node; remove `nodes` if the number of nodes is not known
          |
        3 | spec: {nodes: [{count: 0}]}
          |                        ^
    "#);
    assert_snapshot!(wrong("{nodes: some}"), @r#"
        check.yaml:3:15: `some` is not a number: `nodes` takes a number from 1 to 4294967295, or a list
          |
        3 | spec: {nodes: some}
          |               ^
    "#);
    assert_snapshot!(wrong("{versions: {kubernetes: newest}}"), @r#"
        check.yaml:3:31: `newest` is not a version; write it as `v1.33` or `v1.8.4`
          |
        3 | spec: {versions: {kubernetes: newest}}
          |                               ^
    "#);
    assert_snapshot!(error("kind: HostNetworkChek\napiVersion: hostnet.dev/v1alpha1\n"), @r#"
        check.yaml:1:7: kind is `HostNetworkChek`: did you mean `HostNetworkCheck`?
          |
        1 | kind: HostNetworkChek
          |       ^
    "#);
}

#[test]
fn one_of_each_kind_in_one_file_or_in_two() {
    let check = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\n";
    let move_ = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec: {targets: [{select: {name: a}}]}\n";
    let mut configs = Configs::default();
    configs.add(&format!("{check}---\n{move_}"), "both.yaml").unwrap();
    assert!(configs.check.is_some() && configs.host_network.is_some());
    assert_snapshot!(configs.add(check, "check.yaml").unwrap_err(), @"check.yaml:2:7: a second HostNetworkCheck; keep one of them");
    assert_snapshot!(error(&format!("{move_}---\n{check}spec: {{nodes: 0}}\n")), @r#"
        check.yaml:7:15: expected at least one node; remove `nodes` if the number of nodes is not known
          |
        7 | spec: {nodes: 0}
          |               ^
    "#);
}

const KUBELET: &str = "ports: [{containerPort: 10250, hostPort: 10250}]";

#[test]
fn selects_and_severities() {
    let manifest = [on_host("web", KUBELET), on_host("canary", KUBELET)].concat();
    let names = |spec: &str| {
        let log = worded(reported_with("node-port", spec, &manifest));
        log.lines()
            .map(|line| {
                line.split(' ')
                    .filter(|word| {
                        word.starts_with("shop/") || word.ends_with("r:") || word.ends_with("g:") || *word == "info:"
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(names("{}"), ["error: shop/web,", "error: shop/canary,"]);
    assert_eq!(names("{select: [{name: web}]}"), ["error: shop/web,"]);
    assert_eq!(names("{exclude: [{name: web}]}"), ["error: shop/canary,"]);
    assert_eq!(names("{select: [{calledByApiServer: true}]}"), [""; 0]);
    assert_eq!(names("{rules: {node-port: Disabled}}"), [""; 0]);
    // Findings about the whole run name only selected workloads.
    let spare = reported_with("rollout-surge", "{select: [{name: web}]}", &manifest);
    assert!(spare.contains("shop/Deployment/web") && !spare.contains("canary"), "{spare}");
    assert_eq!(names("{select: [{name: web}], rules: {node-port: Warning}}"), ["warning: shop/web,"]);
    assert_eq!(names("{select: [{name: web}], rules: {node-port: Info}}"), ["info: shop/web,"]);
}

#[test]
fn findings_that_fail_a_check() {
    let fails = |spec: &str, manifest: &str| super::report(spec, manifest).fails();
    let (error, warning) = (on_host("web", KUBELET), on_host("web", "ports: [{containerPort: 9100, hostPort: 9100}]"));
    assert!(fails("{}", &error) && !fails("{}", &warning));
    assert!(fails("{failOn: Warning}", &warning) && !fails("{failOn: Never}", &error));
    assert!(fails("{rules: {node-port: Error}}", &warning) && !fails("{rules: {node-port: Warning}}", &error));
}

/// Workloads that are not selected still count as the other half of a pair.
#[test]
fn a_pair_is_found_when_one_half_is_selected() {
    let manifest = [on_host("a", super::PORT), on_host("b", super::PORT)].concat();
    assert_ne!(reported_with("port-conflict", "{select: [{name: b}]}", &manifest), "");
}

/// The findings of a rule for a manifest, with the spec of a `HostNetwork` in flow style.
fn with_host_network(rule: &str, spec: &str, manifest: &str) -> String {
    let mut configs = Configs::default();
    let config = format!(
        "{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {{targets: [{{select: {{name: nobody}}}}], {spec}}}}}"
    );
    configs.add(&config, "hostnet.yaml").unwrap();
    let text = hostnet::render::check::text(&super::report_of(&configs, &[("a.yaml", manifest)]));
    let tag = format!(" [{rule}]");
    text.lines().filter_map(|line| line.strip_suffix(&tag)).map(|line| format!("{}\n", line.trim_end())).collect()
}

const POOL: &str = "ports: [{name: http, containerPort: 20080, hostPort: 20080}]";

#[test]
fn numbers_of_a_host_network_that_others_have() {
    let web = on_host("web", POOL);
    let reported = |spec: &str| with_host_network("port-conflict", spec, &web);
    assert_snapshot!(reported("assigned: {shop/Deployment/api/http: 20080}"), @"warning: a.yaml:7:125: Deployment shop/web, container web: it has port 20080 of its node, which `assigned` of the config gives to shop/Deployment/api: on one node the second one could not start. Give it another number, or list both under `shared`");
    assert_snapshot!(reported("assigned: {shop/Deployment/api/http: 20081}"), @"warning: a.yaml:7:125: Deployment shop/web, container web: it has port 20080 of its node, which is in `portPool` of the config and not in `assigned`: `auto` may give the port to another workload in another run. Record it with `hostnet pin`, or list it under `reserved`");
    let shared = "shared: [{port: 20080, between: [shop/Deployment/api, shop/Deployment/web]}]";
    for fine in [
        "assigned: {shop/Deployment/web/http: 20080}".to_owned(),
        format!("assigned: {{shop/Deployment/api/http: 20080}}, {shared}"),
        "assigned: {shop/Deployment/api/http: 21081}, portPool: 21000-21999".to_owned(),
        "assigned: {shop/Deployment/api/http: 20081}, reserved: [20080]".to_owned(),
        "portPool: 20000-20999".to_owned(),
    ] {
        assert_eq!(reported(&fine), "", "{fine}");
    }
}

#[test]
fn nodes_and_suppressions_of_a_host_network() {
    let web = on_host("web", POOL);
    assert!(with_host_network("rollout-surge", "nodes: 1", &web).starts_with("error: "));
    let accept = "nodes: 1, suppress: [{rule: rollout-surge, select: {name: web}, reason: ours}]";
    assert_eq!(with_host_network("rollout-surge", accept, &web), "");
    // A suppression may name a rule that only the run of the HostNetwork reports.
    assert_eq!(with_host_network("unused-ignore", &accept.replace("rollout-surge", "port-guess"), &web), "");
}

#[test]
fn the_crossplane_of_a_host_network() {
    let manifest = "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: host}\nspec: {deploymentTemplate: {spec: \
                    {selector: {}, template: {spec: {hostNetwork: true, containers: [{name: package-runtime}]}}}}}\n---\napiVersion: \
                    pkg.crossplane.io/v1beta1\nkind: ImageConfig\nmetadata: {name: all}\nspec: {matchImages: [{prefix: example.org}], runtime: \
                    {configRef: {name: other}}}\n---\n";
    let package = |name: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: {name}}}\nspec: {{package: example.org/{name}:v1, runtimeConfigRef: {{name: host}}}}\n---\n"
        )
    };
    let manifest = [manifest, &package("a"), &package("b")].concat();
    assert_eq!(with_host_network("runtime-config", "crossplane: {version: v2.2.0}", &manifest), "");
    assert_ne!(with_host_network("runtime-config", "crossplane: {version: v2.1.0}", &manifest), "");
}

/// A row of `templates` applies only to its versions of the kind.
#[test]
fn versions_of_templates_count() {
    let row = "templates: [{group: example.com, kind: Fleet, versions: [v2], path: spec.template}]";
    let fleet = |version: &str| {
        on_host("web", KUBELET).replace("apps/v1\nkind: Deployment", &format!("example.com/{version}\nkind: Fleet"))
    };
    assert_eq!(with_host_network("node-port", row, &fleet("v1")), "");
    assert_ne!(with_host_network("node-port", row, &fleet("v2")), "");
}

/// The strategy of a kind that `templates` lets hostnet read.
#[test]
fn the_strategy_of_a_deployment_config_counts() {
    let row = "nodes: 3, templates: [{group: apps.openshift.io, kind: DeploymentConfig, path: spec.template}]";
    let config = |strategy: &str| {
        on_host("web", POOL)
            .replace("apps/v1\nkind: Deployment", "apps.openshift.io/v1\nkind: DeploymentConfig")
            .replace("spec:\n  template", &format!("spec:\n  replicas: 3\n  strategy: {{{strategy}}}\n  template"))
    };
    let found = |strategy: &str| with_host_network("rollout-surge", row, &config(strategy));
    let rolling = "type: Rolling, rollingParams: {maxSurge: 1, maxUnavailable: 0}";
    assert!(found(rolling).contains("DeploymentConfig shop/web"), "{}", found(rolling));
    assert_eq!(found("type: Recreate") + &found("type: Rolling, rollingParams: {maxSurge: 0, maxUnavailable: 1}"), "");
}

/// A `RayService` starts a second cluster next to the first one.
#[test]
fn the_strategy_of_a_ray_service_counts() {
    let row =
        "nodes: 1, templates: [{group: ray.io, kind: RayService, path: spec.rayClusterConfig.headGroupSpec.template}]";
    let service = |strategy: &str| {
        let head = format!(
            "{{metadata: {{labels: {{app: web}}}}, spec: {{hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{{name: head, image: a, {POOL}}}]}}}}"
        );
        format!(
            "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {{name: web, namespace: shop}}\nspec: {{{strategy}rayClusterConfig: {{headGroupSpec: {{template: {head}}}}}}}\n"
        )
    };
    for strategy in ["", "upgradeStrategy: {type: NewCluster}, "] {
        let found = with_host_network("rollout-surge", row, &service(strategy));
        assert!(found.contains("a second RayCluster runs next to the first one"), "{strategy}: {found}");
    }
    assert_eq!(with_host_network("rollout-surge", row, &service("upgradeStrategy: {type: None}, ")), "");
}
