//! OpenKruise's webhooks, checked with the validation library that they use: `catalog/admission.yaml` predicts the same
//! rejections, and the library accepts the output of a HostNetwork.
//!
//! Source: openkruise/kruise v1.8.4 `pkg/webhook/*/validating`: they call `ValidatePodTemplateSpec` as if for a Pod
//! (`pkg/webhook/util/pod_validation.go`, `ResourceIsPod: true`; v1.6.4 and v1.9.0 without it), for a `StatefulSet`
//! `ValidatePodTemplateSpecForStatefulSet`.

use std::process::Command;

use serde_json::{Value, json};

use super::support::validation::refused;
use super::support::{judged, run, runs_slow_tests, text};

/// A kind, the path of its template, and the validation that v1.7 and v1.8 use for it. The objects that OpenKruise
/// creates are validated in any case.
const FORMS: [(&str, &str, &str); 10] = [
    ("CloneSet", "spec.template", "pod"),
    ("DaemonSet", "spec.template", "pod"),
    ("BroadcastJob", "spec.template", "pod"),
    ("StatefulSet", "spec.template", "statefulset"),
    ("AdvancedCronJob", "spec.template.jobTemplate.spec.template", "pod"),
    ("AdvancedCronJob", "spec.template.broadcastJobTemplate.spec.template", "pod"),
    ("UnitedDeployment", "spec.template.deploymentTemplate.spec.template", "pod"),
    ("UnitedDeployment", "spec.template.cloneSetTemplate.spec.template", "pod"),
    ("UnitedDeployment", "spec.template.statefulSetTemplate.spec.template", "statefulset"),
    ("UnitedDeployment", "spec.template.advancedStatefulSetTemplate.spec.template", "statefulset"),
];

fn template() -> Value {
    let container = json!({"name": "web", "image": "example/web:v1", "args": ["--port=8080"], "ports": [{"name": "http", "containerPort": 8080}]});
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"hostNetwork": true, "containers": [container]}})
}

fn object(kind: &str, path: &str) -> Value {
    let below = path.split('.').rev().fold(template(), |value, key| json!({key: value}));
    let mut object = json!({"apiVersion": "apps.kruise.io/v1alpha1", "kind": kind, "metadata": {"name": "web", "namespace": "shop"}});
    object["spec"] = below["spec"].clone();
    object
}

/// Runs a command with a config on an object and returns its output.
fn hostnet(arguments: &[&str], object: &Value, config: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("config.yaml"), config.to_string()).unwrap();
    std::fs::write(path("object.json"), object.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = run(command.args(arguments).args(["-c", &path("config.yaml"), &path("object.json")]), b"");
    text(&output.stdout)
}

/// True if a check for this version of OpenKruise reports an error of `rule`.
fn has_error(rule: &str, version: &str, object: &Value) -> bool {
    let spec = json!({"versions": {"openkruise": version}});
    let config = json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetworkCheck", "spec": spec});
    let log = hostnet(&["check"], object, &config);
    log.lines().any(|line| line.starts_with("error: ") && line.ends_with(&format!("[{rule}]")))
}

/// True if the library rejects a template, called in the given way.
fn is_refused(line: &str, by: &str, template: &Value) -> Option<bool> {
    let object = json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "web"}, "template": template});
    let answers = refused(line, &[json!({"as": by, "object": object})])?;
    let says = |error: &String| error.contains("must match `containerPort` when `hostNetwork` is true");
    assert!(answers[0].iter().all(says), "{answers:?}");
    Some(!answers[0].is_empty())
}

#[test]
fn the_table_of_webhooks_matches_their_library() {
    for (kind, path, by) in FORMS {
        let object = object(kind, path);
        let Some(is_refused_as_pod) = is_refused("v1.28", by, &template()) else { return };
        assert_eq!(is_refused("v1.28", "template", &template()), Some(false));
        for (version, wanted) in
            [("v1.6.4", false), ("v1.7.5", is_refused_as_pod), ("v1.8.4", is_refused_as_pod), ("v1.9.0", false)]
        {
            assert_eq!(has_error("host-port", version, &object), wanted, "{kind} {path} {version}");
        }
    }
    assert_eq!(FORMS.iter().filter(|form| form.2 == "pod").count(), 7);
}

/// A `WorkloadSpread` is rejected because of its target's template, whatever its patch contains.
#[test]
fn a_workload_spread_is_rejected_because_of_its_target() {
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"template": template()}});
    let spread = json!({
        "apiVersion": "apps.kruise.io/v1alpha1", "kind": "WorkloadSpread", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "subsets": [{"name": "a"}, {"name": "b", "patch": {"metadata": {"labels": {"a": "b"}}}}],
        },
    });
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [deployment, spread]});
    let Some(refused) = is_refused("v1.28", "pod", &template()) else { return };
    assert!(refused);
    for (version, wanted) in [("v1.6.4", false), ("v1.8.4", true), ("v1.9.0", false)] {
        assert_eq!(has_error("subset-patch", version, &list), wanted, "{version}");
    }
}

#[test]
fn the_output_of_a_host_network_is_accepted() {
    for (kind, path, by) in FORMS {
        let target = json!({"select": {"group": "apps.kruise.io", "kind": kind, "name": "web"}, "ports": "keep"});
        let config = json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "metadata": {"name": "a"}, "spec": {"targets": [target]}});
        let written = hostnet(&["apply"], &object(kind, path), &config);
        let written: Value = serde_json::from_str(&written).unwrap();
        let template = written.pointer(&format!("/{}", path.replace('.', "/"))).unwrap();
        assert_eq!(template["spec"]["containers"][0]["ports"][0]["hostPort"], 8080, "{kind} {path}: {written}");
        for by in ["pod", by] {
            let Some(refused) = is_refused("v1.28", by, template) else { return };
            assert!(!refused, "{kind} {path}");
        }
    }
}

#[test]
fn other_versions_of_the_library_agree() {
    if !runs_slow_tests("OpenKruise's templates under every line of Kubernetes' validation") {
        return;
    }
    for by in ["pod", "template", "statefulset"] {
        assert_eq!(is_refused("v1.30", by, &template()), is_refused("v1.28", by, &template()), "{by}");
        // Up to OpenKruise v1.6, defaulting sets the host port.
        assert_eq!(is_refused("v1.27", by, &template()), Some(false), "{by}");
    }
    judged("validation of Kubernetes v1.27, v1.28, v1.30", "templates of OpenKruise: 3", 0);
}
