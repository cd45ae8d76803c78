//! Rule `rollout`: `rollout: FreePortFirst` removes the surge of rollouts whose pods have ports of their node.

use super::{changes, config, results_of, run};
use crate::support::results::worded;
use insta::assert_snapshot;

/// A workload of a kind, with more fields of its spec.
fn workload(api: &str, kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: {api}
kind: {kind}
metadata: {{name: web, namespace: shop, labels: {{app: web}}}}
spec:
  replicas: 2
{spec}  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      containers:
      - name: web
        args: [--port=12080]
        ports: [{{containerPort: 12080, hostPort: 12080}}]
"
    )
}

fn deployment(strategy: &str) -> String {
    workload("apps/v1", "Deployment", strategy)
}

/// A config that moves all workloads called `web`, with this `rollout`.
fn spec(rollout: &str) -> String {
    format!(
        "{{targets: [{{select: {{name: web}}}}], rollout: {rollout}, templates: [{{group: argoproj.io, kind: Rollout, path: \
         spec.template}}, {{group: apps.kruise.io, kind: DaemonSet, path: spec.template}}, {{group: apps.kruise.io, kind: \
         UnitedDeployment, path: spec.template.deploymentTemplate.spec.template}}]}}"
    )
}

/// The changes with `FreePortFirst`. Asserts that `Keep` changes nothing and reports only `rollout-surge`.
fn frees(manifest: &str) -> String {
    let (kept, log) = run(&spec("Keep"), manifest);
    assert_eq!(kept, manifest);
    assert!(log.iter().all(|line| line.contains("[rollout-surge]")), "{log:?}");
    changes(&spec("FreePortFirst"), manifest)
}

#[test]
fn a_deployment_has_no_surge() {
    let rows = [
        "",
        "  strategy: {}\n",
        "  strategy: null\n",
        "  strategy: {type: RollingUpdate}\n",
        "  strategy: {rollingUpdate: null}\n",
        "  strategy: {rollingUpdate: {maxUnavailable: 0}}\n",
        "  strategy: {rollingUpdate: {maxSurge: 100%, maxUnavailable: 0%}}\n",
        "  strategy:\n    rollingUpdate:\n      maxSurge: 25%  # chart\n      maxUnavailable: 25%\n",
        "  strategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxUnavailable: \"${DOWN}\"\n",
    ];
    let text: String = rows.iter().map(|row| format!("{row}>\n{}", frees(&deployment(row)))).collect();
    assert_snapshot!(worded(text), @r#"
    >
    +  strategy:
    +    rollingUpdate:
    +      maxSurge: 0
    +      maxUnavailable: 1
      strategy: {}
    >
    -  strategy: {}
    +  strategy:
    +    rollingUpdate:
    +      maxSurge: 0
    +      maxUnavailable: 1
      strategy: null
    >
    -  strategy: null
    +  strategy:
    +    rollingUpdate:
    +      maxSurge: 0
    +      maxUnavailable: 1
      strategy: {type: RollingUpdate}
    >
    -  strategy: {type: RollingUpdate}
    +  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
      strategy: {rollingUpdate: null}
    >
    -  strategy: {rollingUpdate: null}
    +  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
      strategy: {rollingUpdate: {maxUnavailable: 0}}
    >
    -  strategy: {rollingUpdate: {maxUnavailable: 0}}
    +  strategy: {rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}
      strategy: {rollingUpdate: {maxSurge: 100%, maxUnavailable: 0%}}
    >
    -  strategy: {rollingUpdate: {maxSurge: 100%, maxUnavailable: 0%}}
    +  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
      strategy:
        rollingUpdate:
          maxSurge: 25%  # chart
          maxUnavailable: 25%
    >
    -      maxSurge: 25%  # chart
    +      maxSurge: 0  # chart
      strategy:
        type: RollingUpdate
        rollingUpdate:
          maxUnavailable: "${DOWN}"
    >
    +      maxSurge: 0
    warning: standard input:9:23: Deployment shop/web: spec.strategy.rollingUpdate.maxUnavailable is `"${DOWN}"`, which is filled in later: with `maxSurge: 0` the API server refuses 0. Fill in 1 or more [rollout]
    "#);
}

#[test]
fn rollouts_that_free_ports_first_stay() {
    for strategy in [
        "  strategy: {type: Recreate}\n",
        "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 2}}\n",
        "  strategy: {rollingUpdate: {maxSurge: 0%}}\n",
    ] {
        assert_eq!(frees(&deployment(strategy)), "", "{strategy}");
    }
    let rows = [
        ("apps/v1", "StatefulSet", "  updateStrategy: {rollingUpdate: {maxUnavailable: 1}}\n"),
        ("apps/v1", "ReplicaSet", ""),
        ("apps/v1", "DaemonSet", ""),
        ("apps/v1", "DaemonSet", "  updateStrategy: {type: OnDelete}\n"),
        ("apps/v1", "DaemonSet", "  updateStrategy: {rollingUpdate: {maxUnavailable: 3}}\n"),
        ("apps.kruise.io/v1alpha1", "CloneSet", "  updateStrategy: {type: InPlaceOnly, maxUnavailable: 1}\n"),
        ("argoproj.io/v1alpha1", "Rollout", "  strategy: {canary: {maxSurge: 0}}\n"),
        ("argoproj.io/v1alpha1", "Rollout", "  strategy: {}\n"),
    ];
    for (api, kind, strategy) in rows {
        assert_eq!(frees(&workload(api, kind, strategy)), "", "{kind} {strategy}");
    }
}

#[test]
fn other_workloads_keep_their_surge() {
    // A workload in the pod network, and a workload on the host network without a port.
    let other = deployment("").replace("web", "other").replace("      hostNetwork: true\n", "");
    let portless = deployment("")
        .replace("[--port=12080]", "[run]")
        .replace("        ports: [{containerPort: 12080, hostPort: 12080}]\n", "");
    assert_eq!(frees(&format!("{other}---\n{portless}")), "");
}

#[test]
fn a_workload_that_moves_has_no_surge_either() {
    let manifest = deployment("").replace("      hostNetwork: true\n", "");
    assert!(!run(&spec("Keep"), &manifest).0.contains("maxSurge"));
    let (output, log) = run(&spec("FreePortFirst"), &manifest);
    assert!(output.contains("hostNetwork: true") && output.contains("maxSurge: 0"), "{output}");
    assert_eq!(log, [""; 0]);
}

#[test]
fn each_kind_has_its_own_fields() {
    let rows = [
        ("apps/v1", "DaemonSet", "  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n"),
        ("apps/v1", "DaemonSet", "  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 50%}}\n"),
        ("apps.kruise.io/v1alpha1", "CloneSet", "  updateStrategy: {type: ReCreate, maxSurge: 20%}\n"),
        ("apps.kruise.io/v1alpha1", "CloneSet", "  updateStrategy: {maxSurge: 1, maxUnavailable: 0}\n"),
        (
            "apps.kruise.io/v1alpha1",
            "DaemonSet",
            "  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n",
        ),
        ("argoproj.io/v1alpha1", "Rollout", "  strategy: {canary: {}}\n"),
        (
            "argoproj.io/v1alpha1",
            "Rollout",
            "  strategy:\n    canary:\n      maxSurge: 1\n      maxUnavailable: 2\n      steps: []\n",
        ),
    ];
    let changed = |(api, kind, strategy)| format!("{api} {kind}\n{}", frees(&workload(api, kind, strategy)));
    assert_snapshot!(rows.into_iter().map(changed).collect::<String>(), @"
    apps/v1 DaemonSet
    -  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
    +  updateStrategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
    apps/v1 DaemonSet
    -  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 50%}}
    +  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0}}
    apps.kruise.io/v1alpha1 CloneSet
    -  updateStrategy: {type: ReCreate, maxSurge: 20%}
    +  updateStrategy: {type: ReCreate, maxSurge: 0}
    apps.kruise.io/v1alpha1 CloneSet
    -  updateStrategy: {maxSurge: 1, maxUnavailable: 0}
    +  updateStrategy: {maxSurge: 0, maxUnavailable: 1}
    apps.kruise.io/v1alpha1 DaemonSet
    -  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
    +  updateStrategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
    argoproj.io/v1alpha1 Rollout
    -  strategy: {canary: {}}
    +  strategy: {canary: {maxSurge: 0, maxUnavailable: 1}}
    argoproj.io/v1alpha1 Rollout
    -      maxSurge: 1
    +      maxSurge: 0
    ");
}

/// A group of pods has one leader, whose template is not at `spec.template`.
#[test]
fn a_leader_worker_set_has_no_surge_of_groups() {
    let strategy = "  rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}}\n";
    let plain = workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", strategy);
    let (head, template) = plain.split_once("  template:\n").unwrap();
    let template: String = template.lines().map(|line| format!("  {line}\n")).collect();
    assert_snapshot!(frees(&format!("{head}  leaderWorkerTemplate:\n    leaderTemplate:\n{template}")), @"
    -  rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}}
    +  rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 1, maxSurge: 0}}
    ");
}

#[test]
fn rollouts_that_always_surge_are_reported() {
    let rows = [
        "  strategy: {blueGreen: {activeService: web}}\n",
        "  strategy: {canary: {maxSurge: 1, trafficRouting: {nginx: {stableIngress: web}}}}\n",
    ];
    let changed = |strategy| frees(&workload("argoproj.io/v1alpha1", "Rollout", strategy));
    assert_snapshot!(worded(rows.map(changed).concat()), @"
    warning: standard input:6:25: Rollout shop/web: the preview ReplicaSet runs next to the active one, so a rollout needs, for each new pod, a node where its ports are free; `rollout: FreePortFirst` changes nothing here [rollout]
    warning: standard input:6:52: Rollout shop/web: with traffic routing the stable pods stay until the canary has taken over, so a rollout needs, for each new pod, a node where its ports are free; `rollout: FreePortFirst` changes nothing here [rollout]
    ");
}

#[test]
fn rollouts_without_a_readable_strategy_stay() {
    let rows = [
        "  strategy: \"${STRATEGY}\"\n",
        "  strategy: {type: \"${TYPE}\"}\n",
        "  strategy: Recreate\n",
        "  strategy: {rollingUpdate: \"${HOW}\"}\n",
    ];
    assert_snapshot!(worded(rows.map(|strategy| frees(&deployment(strategy))).concat()), @r#"
    warning: standard input:6:13: Deployment shop/web: spec.strategy is `"${STRATEGY}"`, which does not show whether a rollout starts new pods before old ones are gone, so it is not changed. Write `maxSurge: 0` and a `maxUnavailable` that is not 0 [rollout]
    warning: standard input:6:20: Deployment shop/web: spec.strategy.type is `"${TYPE}"`, which does not show whether a rollout starts new pods before old ones are gone, so it is not changed. Write `maxSurge: 0` and a `maxUnavailable` that is not 0 [rollout]
    warning: standard input:6:13: Deployment shop/web: spec.strategy is `Recreate`, which does not show whether a rollout starts new pods before old ones are gone, so it is not changed. Write `maxSurge: 0` and a `maxUnavailable` that is not 0 [rollout]
    warning: standard input:6:29: Deployment shop/web: spec.strategy.rollingUpdate is `"${HOW}"`, which does not show whether a rollout starts new pods before old ones are gone, so it is not changed. Write `maxSurge: 0` and a `maxUnavailable` that is not 0 [rollout]
    "#);
}

#[test]
fn a_part_that_becomes_a_deployment_has_no_surge() {
    let inner: String = deployment("").lines().skip(3).map(|line| format!("      {line}\n")).collect();
    let head =
        "apiVersion: apps.kruise.io/v1alpha1\nkind: UnitedDeployment\nmetadata: {name: web, namespace: shop}\nspec:\n";
    let manifest = format!("{head}  template:\n    deploymentTemplate:\n{inner}");
    assert_snapshot!(frees(&manifest), @"
    +        strategy:
    +          rollingUpdate:
    +            maxSurge: 0
    +            maxUnavailable: 1
    ");
}

const PACKAGES: &str = "apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: sql
spec:
  package: xpkg.upbound.io/crossplane-contrib/provider-sql:v0.15.0
  runtimeConfigRef:
    name: sql
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: sql
spec:
  deploymentTemplate:
    spec:
      selector: {}
      strategy:
        rollingUpdate:
          maxSurge: 1
      template:
        spec:
          containers:
          - name: package-runtime
";

#[test]
fn a_package_has_its_strategy_in_its_runtime_config() {
    let spec = |rollout: &str| format!("{{targets: [{{select: {{kind: Provider}}}}], rollout: {rollout}}}");
    let new = PACKAGES.split("  runtimeConfigRef").next().unwrap();
    let surge = |output: &str| {
        output
            .lines()
            .filter(|line| line.contains("max") || line.contains("strategy"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    assert!(!run(&spec("Keep"), new).0.contains("strategy"));
    let (own, made) = (run(&spec("FreePortFirst"), PACKAGES).0, run(&spec("FreePortFirst"), new).0);
    assert_snapshot!(surge(&own) + &surge(&made), @"
    strategy:
        maxSurge: 0
        maxUnavailable: 1
    strategy:
        maxSurge: 0
        maxUnavailable: 1
    ");
}

#[test]
fn a_config_map_sets_it_too() {
    let data = |value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{name: web, rollout: {value}}}\n")
    };
    assert!(hostnet::api::HostNetworkConfig::read(&data("FreePortFirst"), "c.yaml", 1).is_ok());
    let error = hostnet::api::HostNetworkConfig::read(&data("freePort"), "c.yaml", 1).unwrap_err().to_string();
    assert_snapshot!(error, @r#"
        c.yaml:4:28: unknown rollout `freePort`: did you mean `FreePortFirst`? Known are `Keep`, `FreePortFirst`
          |
        4 | data: {name: web, rollout: freePort}
          |                            ^
    "#);
    assert!(config(&spec("Recreate")).unwrap_err().contains("`FreePortFirst`"));
}

/// While the only pod is gone, the webhook does not answer.
#[test]
fn the_only_pod_of_a_required_webhook() {
    let webhook = |version: &str, rest: &str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 443, targetPort: \
             12080}}]}}\n---\napiVersion: admissionregistration.k8s.io/{version}\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: web}}\nwebhooks: [{{name: \
             a.example.com{rest}, clientConfig: {{service: {{name: web, namespace: shop}}}}}}]\n"
        )
    };
    let reported = |replicas: u8, webhook: &str| {
        let web = deployment("").replace("replicas: 2", &format!("replicas: {replicas}"));
        let (_, log) = run(&spec("FreePortFirst"), &format!("{web}{webhook}"));
        log.into_iter().filter(|line| line.ends_with("[rollout]")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(worded(reported(1, &webhook("v1", ""))), @"warning: standard input:5:3: Deployment shop/web: its only pod stops before the new one runs, and meanwhile the API server refuses requests that ValidatingWebhookConfiguration web checks (`failurePolicy: Fail`). Write `replicas: 2`, and a PodDisruptionBudget with `minAvailable: 1` [rollout]");
    assert_ne!(reported(1, &webhook("v1beta1", ", failurePolicy: Fail")), "");
    for (replicas, webhook) in [
        (2, webhook("v1", "")),
        (1, webhook("v1", ", failurePolicy: Ignore")),
        (1, webhook("v1beta1", "")),
        (1, String::new()),
    ] {
        assert_eq!(reported(replicas, &webhook), "", "{webhook}");
    }
}

/// A webhook that is called for pods of its own namespace needs a running pod to get a new one.
#[test]
fn the_only_pod_of_a_webhook_for_its_own_pods() {
    let webhook = |rest: &str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 443, targetPort: \
             12080}}]}}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: web}}\nwebhooks: [{{name: \
             a.example.com, {rest}clientConfig: {{service: {{name: web, namespace: shop}}}}, rules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], \
             resources: [pods]}}]}}]\n"
        )
    };
    let in_pod_network = |fields: &str| {
        let web = deployment(fields).replace("      hostNetwork: true\n      dnsPolicy: ClusterFirstWithHostNet\n", "");
        web.replace(", hostPort: 12080", "").replace("replicas: 2", "replicas: 1")
    };
    let reported = |rollout: &str, web: String, webhook: String| {
        let (_, log) = run(&spec(rollout), &format!("{web}{webhook}"));
        log.into_iter().filter(|line| line.ends_with("[rollout]")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(worded(reported("FreePortFirst", in_pod_network(""), webhook(""))), @"warning: standard input:5:3: Deployment shop/web: its only pod stops before the new one runs, and then the API server refuses the new pods too: ValidatingWebhookConfiguration web is called for pods with `failurePolicy: Fail`, and no pod answers, so no pod starts again. Leave out namespace shop with a `namespaceSelector`, or write `replicas: 2`, and a PodDisruptionBudget with `minAvailable: 1` [rollout]");
    let recreate = "  strategy: {type: Recreate}\n";
    let set = in_pod_network("").replace("kind: Deployment", "kind: StatefulSet");
    for (rollout, web) in [("Keep", in_pod_network(recreate)), ("Keep", set)] {
        let log = reported(rollout, web.clone(), webhook(""));
        assert!(log.contains("so no pod starts again"), "{web}{log}");
    }
    for webhook in [
        webhook("failurePolicy: Ignore, "),
        webhook(
            "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}, ",
        ),
        webhook("").replace("resources: [pods]", "resources: [configmaps]"),
        webhook("").replace("operations: [CREATE]", "operations: [DELETE]"),
    ] {
        assert!(!reported("Keep", in_pod_network(recreate), webhook.clone()).contains("no pod starts"), "{webhook}");
    }
    let two = in_pod_network(recreate).replace("replicas: 1", "replicas: 2");
    assert_eq!(reported("Keep", two, webhook("")), "");
}

/// Old pods that an apply does not replace are named; where a Service no longer reaches them, that is a warning.
#[test]
fn old_pods_that_an_apply_does_not_replace() {
    let moved = |api: &str, kind: &str, fields: &str, service: &str| {
        let web = workload(api, kind, fields).replace("      hostNetwork: true\n", "").replace(", hostPort: 12080", "");
        let service_object = format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 80, targetPort: \
             {service}}}]}}\n"
        );
        let name = if service == "http" { "name: http, " } else { "" };
        let all = web.replace("{containerPort: 12080}", &format!("{{{name}containerPort: 12080}}")) + &service_object;
        let spec = "{targets: [{select: {name: web, kind: '.*'}, ports: {12080: 21000}}]}";
        (results_of("rollout", spec, &all), run(spec, &all).1)
    };
    let by_name = |api: &str, kind: &str, fields: &str| moved(api, kind, fields, "http").0;
    assert_snapshot!([
        by_name("apps/v1", "Deployment", "  paused: true\n"),
        by_name("apps/v1", "DaemonSet", "  updateStrategy: {type: OnDelete}\n"),
        by_name("apps/v1", "StatefulSet", "  updateStrategy: {rollingUpdate: {partition: 2}}\n"),
        by_name("apps/v1", "ReplicaSet", ""),
        by_name("batch/v1", "Job", ""),
    ].join("\n"), @"
    info: rollout Deployment shop/web spec.paused
    info: rollout DaemonSet shop/web spec.updateStrategy.type
    info: rollout StatefulSet shop/web spec.updateStrategy.rollingUpdate.partition (0, 2)
    info: rollout ReplicaSet shop/web
    info: rollout Job shop/web
    ");
    let by_number = [("Deployment", "  paused: true\n"), ("ReplicaSet", "")];
    let warnings = by_number.map(|(kind, fields)| {
        let (_, log) = moved("apps/v1", kind, fields, "12080");
        log.into_iter().filter(|line| line.contains("[rollout]")).collect::<Vec<_>>().join("\n")
    });
    assert_snapshot!(worded(warnings.join("\n")), @"
    warning: standard input:6:11: Deployment shop/web: spec.paused is `true`, so its old pods stay in the pod network, and Service shop/web no longer reaches the old pods. Resume the rollout after the apply [rollout]
    warning: standard input:1:1: ReplicaSet shop/web: a ReplicaSet never replaces its pods, so they stay in the pod network, and Service shop/web no longer reaches the old pods. Delete its old pods after the apply [rollout]
    ");
    for (api, kind, fields) in [
        ("apps/v1", "Deployment", "  paused: false\n"),
        ("apps/v1", "DaemonSet", "  updateStrategy: {type: RollingUpdate}\n"),
        ("apps/v1", "StatefulSet", "  updateStrategy: {rollingUpdate: {partition: 0}}\n"),
        ("apps/v1", "StatefulSet", "  partition: 2\n"),
        ("example.com/v1", "Deployment", "  paused: true\n"),
    ] {
        assert_eq!(by_name(api, kind, fields), "", "{kind} {fields}");
    }
}
