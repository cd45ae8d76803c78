//! Kinds without a schema in kustomize: a strategic merge patch would replace their lists and lose containers.

use crate::patch::build::Bench;
use crate::patch::cases::{canonical, command, host};
use crate::patch::flux::{KUSTOMIZATION, build, object};
use crate::support::{run, text};
use serde::Deserialize as _;
use serde_yaml::Value;

/// A kind, its group, and the path of its template: kinds of the catalog, and kinds configured by `templates`.
const KINDS: [(&str, &str, &str); 4] = [
    ("CloneSet", "apps.kruise.io/v1alpha1", "spec.template"),
    ("Rollout", "argoproj.io/v1alpha1", "spec.template"),
    ("UnitedDeployment", "apps.kruise.io/v1alpha1", "spec.template.statefulSetTemplate.spec.template"),
    ("Widget", "widgets.example/v1", "spec.pod"),
];

const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: crds}
spec:
  targets: [{select: {name: .*-web}, ports: auto}]
  templates:
  - {group: argoproj.io, kind: Rollout, path: spec.template}
  - {group: apps.kruise.io, kind: UnitedDeployment, path: spec.template.statefulSetTemplate.spec.template}
  - {group: widgets.example, kind: Widget, path: spec.pod}
";

const TEMPLATE: &str = "\
metadata: {labels: {app: APP}}
spec:
  initContainers:
  - {name: setup, image: example/setup}
  - {name: proxy, image: example/proxy, restartPolicy: Always, args: [--listen=:8090], ports: [{name: proxy, containerPort: 8090}]}
  containers:
  - {name: first, image: example/first, env: [{name: A, value: a}, {name: B, value: b}]}
  - {name: web, image: example/web, args: [--level=1, --listen=:8080, --level=2], ports: [{name: extra, containerPort: EXTRA}, {name: http, containerPort: 8080}]}
  - {name: last, image: example/last}
  volumes: [{name: a, emptyDir: {}}, {name: b, emptyDir: {}}]
";

/// Returns an object of each kind, with its template.
fn base() -> String {
    let object = |(at, (kind, group, path)): (usize, (&str, &str, &str))| {
        let template = TEMPLATE.replace("EXTRA", &(8081 + at).to_string());
        let name = format!("{}-web", kind.to_lowercase());
        let mut text = format!("apiVersion: {group}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\n");
        let mut indent = String::new();
        for key in path.split('.') {
            text.push_str(&format!("{indent}{key}:\n"));
            indent.push_str("  ");
        }
        text.extend(template.replace("APP", &name).lines().map(|line| format!("{indent}{line}\n")));
        text
    };
    KINDS.into_iter().enumerate().map(object).collect::<Vec<_>>().join("---\n")
}

/// Returns the containers of each object with their names and images.
fn containers(stream: &str) -> Vec<Vec<String>> {
    let object = |value: Value| {
        let kind = value["kind"].as_str().unwrap().to_owned();
        let (_, _, path) = KINDS.into_iter().find(|(known, _, _)| *known == kind).unwrap();
        let template = path.split('.').fold(value, |value, key| value[key].clone());
        let all = ["initContainers", "containers"].map(|list| template["spec"][list].as_sequence().unwrap().clone());
        let reported = |container: &Value| format!("{kind} {:?} {:?}", container["name"], container["image"]);
        all.iter().flatten().map(reported).collect()
    };
    let mut found: Vec<Vec<String>> = serde_yaml::Deserializer::from_str(stream)
        .map(|document| object(Value::deserialize(document).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn no_container_of_a_custom_resource_is_lost() {
    let (Some(kustomize), Some(fluxbuild)) = (host("kustomize"), host("fluxbuild")) else { return };
    let base = base();
    let bench = Bench::new(CONFIG, &base);
    let built = bench.with_component(&kustomize).unwrap();
    let applied = bench.made(&["apply", "all.yaml"]);
    assert_eq!(
        applied.matches("hostNetwork: true").count(),
        KINDS.len(),
        "{:?}",
        bench.hostnet(&["apply", "all.yaml"])
    );
    assert_eq!(applied.matches("hostPort: ").count(), 3 * KINDS.len(), "{applied}");
    assert_eq!(canonical(&built), canonical(&applied));
    assert_eq!(containers(&built), containers(&base));
    let flux = build(&fluxbuild, &bench, &object(&bench.patches("flux"), KUSTOMIZATION), &base).unwrap();
    assert_eq!(canonical(&flux), canonical(&applied));
    let missed =
        "the patch of Widget shop/widget-web was not applied: spec.pod.spec.hostNetwork is absent, not `true`\n";
    let (code, _, log) = bench.hostnet(&["patch", "--verify", "all.yaml", "all.yaml"]);
    assert!(code == Some(1) && log.contains(missed), "{log}");
    // A strategic merge patch would lose containers.
    bench.write(
        "merge/kustomization.yaml",
        "resources: [all.yaml]\npatches:\n- patch: |\n    apiVersion: apps.kruise.io/v1alpha1\n    kind: CloneSet\n    metadata: {name: \
         cloneset-web, namespace: shop}\n    spec: {template: {spec: {hostNetwork: true, containers: [{name: web, args: []}]}}}\n",
    );
    bench.write("merge/all.yaml", &base);
    let output = run(command(&kustomize).arg("build").arg(bench.at().join("merge")), b"");
    let lost = text(&output.stdout);
    assert_eq!(lost.matches("image: example/web").count(), KINDS.len() - 1, "kustomize keeps containers now\n{lost}");
}
