//! Names that kustomize sets after the patches: of a Namespace by `namespace`, and of generated objects by a hash.

use crate::patch::build::Bench;
use crate::patch::carried::verified;
use crate::patch::cases::{canonical, host};
use crate::patch::guards::patches;

const OPERATOR: &str = "\
apiVersion: v1
kind: Namespace
metadata:
  name: system
  labels: {pod-security.kubernetes.io/enforce: restricted}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: system}
spec:
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec:
      containers:
      - name: manager
        image: example/op
        args: [--webhook-port=9443]
        ports: [{containerPort: 9443, name: webhook}]
";

const OPERATOR_CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: op}
spec:
  podSecurity: Privileged
  targets:
  - {select: {kind: Deployment, name: .*manager.*}, ports: {webhook: 20443}}
";

/// A kustomization file with its resources in `all.yaml`, and its build in `built.yaml`.
fn deployed(kustomize: &std::path::Path, config: &str, objects: &str, kustomization: &str) -> Bench {
    let bench = Bench::new(config, objects);
    bench.write("deploy/all.yaml", objects);
    bench.write("deploy/kustomization.yaml", &format!("resources:\n- all.yaml\n{kustomization}"));
    bench.write("before.yaml", &bench.build(kustomize, "deploy").unwrap());
    bench
}

#[test]
fn a_namespace_is_patched_before_the_kustomization_names_it() {
    let Some(kustomize) = host("kustomize") else { return };
    for names in ["namespace: op-system\nnamePrefix: op-\n", "namespace: system\n", "namePrefix: op-\n"] {
        let bench = deployed(&kustomize, OPERATOR_CONFIG, OPERATOR, names);
        let file = "deploy/kustomization.yaml";
        bench.made(&["patch", "--into", file, "--carrier", file, "before.yaml"]);
        let built = bench.build(&kustomize, "deploy").unwrap();
        assert!(built.contains("enforce: privileged"), "{names}: {built}");
        assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "before.yaml"])), "{names}");
        assert_eq!(verified(&bench, &built, &["before.yaml"]), (Some(0), String::new()));
        assert_eq!(bench.hostnet(&["patch", "--into", file, "--carrier", file, "--check", "before.yaml"]).0, Some(0));
    }
}

/// Patches of the objects before the names, verified with the names.
#[test]
fn verify_knows_that_a_namespace_gets_the_name() {
    let Some(kustomize) = host("kustomize") else { return };
    let names = "namespace: op-system\nnamePrefix: op-\n";
    let bench = deployed(&kustomize, OPERATOR_CONFIG, OPERATOR, names);
    bench.made(&["patch", "--into", "deploy/kustomization.yaml", "all.yaml"]);
    let built = bench.build(&kustomize, "deploy").unwrap();
    assert!(built.contains("enforce: privileged"), "{built}");
    let flags = ["--name-prefix", "op-", "--namespace", "op-system", "all.yaml"];
    assert_eq!(verified(&bench, &built, &flags), (Some(0), String::new()));
}

#[test]
fn a_namespace_of_another_build_is_refused() {
    let bench = Bench::new(OPERATOR_CONFIG, OPERATOR);
    bench.write("kustomization.yaml", "resources: [x.yaml]\nnamespace: op-system\n");
    let (code, _, log) = bench.hostnet(&["patch", "--as", "flux", "--carrier", "kustomization.yaml", "all.yaml"]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(log, @"
    error: all.yaml:1:1: Namespace system is not named `op-system`, as `namespace` of the kustomization with the patches names its Namespace: PATH must be the build of this kustomization [document]
    error: all.yaml:7:1: Deployment system/manager is not in namespace `op-system`, which the kustomization with the patches sets: PATH must be the build of this kustomization [document]
    2 errors, 0 warnings (-v shows all)
    ");
}

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: example/web
        args: ['--metrics-bind-address=:$(METRICS_PORT)']
        ports: [{containerPort: 9090, name: metrics}]
        envFrom: [{configMapRef: {name: NAME}}]
";

const WEB_CONFIG: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: \
    [{select: {kind: Deployment, name: .*web.*}, ports: {metrics: 20090}}]}}\n";

const GENERATOR: &str = "configMapGenerator:\n- name: env\n  literals: [METRICS_PORT=9090]\n";

/// Compares builds without the hashes, which depend on the content.
fn without_hash(built: &str) -> String {
    let line = |line: &str| match line.rsplit_once("env-") {
        Some((before, hash)) => format!("{before}env{}\n", hash.get(10..).unwrap_or_default()),
        None => format!("{line}\n"),
    };
    canonical(&built.lines().map(line).collect::<String>())
}

#[test]
fn a_generated_config_map_is_patched_before_it_gets_its_hash() {
    let Some(kustomize) = host("kustomize") else { return };
    for names in ["", "namePrefix: eu-\nnameSuffix: -b\nnamespace: prod\n", "namespace: prod\n"] {
        let bench = deployed(&kustomize, WEB_CONFIG, &WEB.replace("NAME", "env"), &format!("{GENERATOR}{names}"));
        let file = "deploy/kustomization.yaml";
        bench.made(&["patch", "--into", file, "--carrier", file, "before.yaml"]);
        let built = bench.build(&kustomize, "deploy").unwrap();
        assert!(built.contains("METRICS_PORT: \"20090\""), "{names}: {built}");
        if !names.contains("nameSuffix") {
            assert_eq!(without_hash(&built), without_hash(&bench.made(&["apply", "before.yaml"])), "{names}");
        }
        assert_eq!(verified(&bench, &built, &["before.yaml"]), (Some(0), String::new()));
        let (code, log) = verified(&bench, &built.replace("\"20090\"", "\"9090\""), &["before.yaml"]);
        assert_eq!(code, Some(1), "{log}");
    }
}

/// A file may hold the output of an earlier build, whose name with a hash stays.
#[test]
fn a_written_hash_stays_in_the_name() {
    let Some(kustomize) = host("kustomize") else { return };
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: env-chdfctb48t}\ndata: {METRICS_PORT: '9090'}\n";
    let other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {METRICS_PORT: '9090'}\n";
    let web = WEB.replace("NAME", "env-chdfctb48t");
    for (objects, target) in [
        (format!("{web}{map}"), "env(-[24-9bcdfghkmt]{10})?"),
        // With both names in the input, the target has the whole name.
        (format!("{web}{map}{other}"), "env-chdfctb48t"),
        (format!("{web}{map}").replace("env-chdfctb48t", "env-production"), "env-production"),
    ] {
        let bench = deployed(&kustomize, WEB_CONFIG, &objects, "");
        let targets: Vec<String> = patches(&bench.made(&["patch", "--as", "component", "before.yaml"]))
            .into_iter()
            .filter(|(target, _)| target["kind"] == "ConfigMap")
            .map(|(target, _)| target["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(targets, [target]);
        bench.made(&["patch", "--into", "deploy/kustomization.yaml", "before.yaml"]);
        let built = bench.build(&kustomize, "deploy").unwrap();
        assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "before.yaml"])), "{target}");
    }
}

/// kustomize applies the patches of a kustomization after its components.
#[test]
fn a_component_before_patches_of_the_same_fields_is_refused() {
    let Some(kustomize) = host("kustomize") else { return };
    let refused = |patch: &str| {
        let names = format!("namespace: op\nnamePrefix: op-\n{patch}");
        let bench = deployed(&kustomize, OPERATOR_CONFIG, OPERATOR, &names);
        let file = "deploy/kustomization.yaml";
        let (code, _, log) = bench.hostnet(&["patch", "--as", "component", "--carrier", file, "before.yaml"]);
        if code == Some(0) {
            return String::new();
        }
        // The remedy works.
        bench.made(&["patch", "--into", file, "--carrier", file, "before.yaml"]);
        let built = bench.build(&kustomize, "deploy").unwrap();
        assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "before.yaml"])), "{patch}");
        log.lines().find(|line| line.starts_with("error: ")).unwrap_or(&log).to_owned()
    };
    let merge = |spec: &str| {
        format!(
            "patches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {{name: manager, namespace: \
             system}}\n    spec: {spec}\n"
        )
    };
    let args = merge("{template: {spec: {containers: [{name: manager, args: [--webhook-port=9443]}]}}}");
    let older = args.replace("patches:\n- patch:", "patchesStrategicMerge:\n-");
    let rename = "patches:\n- target: {kind: Deployment, name: manager}\n  patch: |-\n    - {op: replace, path: /metadata/name, \
                  value: manager-ha}\n";
    insta::assert_snapshot!([refused(&args), refused(&older), refused(rename)].join("\n"), @"
    error: deploy/kustomization.yaml: its patches run after its components and may change or rename Deployment op/op-manager: write the patches into it, with `--into deploy/kustomization.yaml --carrier deploy/kustomization.yaml` in place of `--as component`
    error: deploy/kustomization.yaml: its patchesStrategicMerge run after its components and may change or rename Deployment op/op-manager: write the patches into it, with `--into deploy/kustomization.yaml --carrier deploy/kustomization.yaml` in place of `--as component`
    error: deploy/kustomization.yaml: its patches run after its components and may change or rename Deployment op/op-manager-ha: write the patches into it, with `--into deploy/kustomization.yaml --carrier deploy/kustomization.yaml` in place of `--as component`
    ");
    // Patches of other fields and other objects change nothing of this.
    let label =
        rename.replace("replace, path: /metadata/name", "add, path: /metadata/annotations, value: {a: b}}\n    #");
    let other = args.replace("name: manager, namespace: system", "name: other").replace("Deployment", "StatefulSet");
    let other = other.replace("- patch: |-", "- target: {kind: StatefulSet}\n  patch: |-");
    for patch in [label, merge("{replicas: 2}"), other] {
        assert_eq!(refused(&patch), "", "{patch}");
    }
}
