//! Documents that cannot be parsed.

use crate::support::results::worded;
use crate::support::run::hostnet;
use insta::assert_snapshot;

use super::{on_host, report, reported};

#[test]
fn documents_after_an_unreadable_one_are_checked() {
    let port = "ports: [{containerPort: 10250, hostPort: 10250}]";
    let manifest = [
        on_host("a", port),
        "kind: {{ .Values.kind }}\nx: [\n---\n".to_owned(),
        on_host("b", port),
        "a: b: c\n".to_owned(),
    ]
    .concat();
    assert_snapshot!(worded(reported("document", &manifest)), @"
    error: a.yaml:9:7: a.yaml, document 2: this is a template and not YAML yet: give the output of `helm template NAME CHART`, or list the file in `.krmignore`. It was not checked
    error: a.yaml:20:5: a.yaml, document 4: a second `: ` in one line: put the value in quotes if it contains one, or write the key on a separate line. It was not checked
    ");
    let found = reported("node-port", &manifest);
    assert!(found.contains("a.yaml:7:") && found.contains("a.yaml:18:"), "{found}");
    assert!(report("{failOn: Error}", &manifest).fails());
}

/// Items of lists that kubectl refuses, or reads with the kind of the list.
#[test]
fn items_of_lists_without_a_kind() {
    let item = "- metadata: {name: a}\n  spec: {hostNetwork: true, containers: [{name: a, image: x}]}\n";
    for kind in ["List", "PodList", "DaemonSetList"] {
        let found = reported("document", &format!("apiVersion: v1\nkind: {kind}\nitems:\n{item}"));
        assert!(found.starts_with("error: document (a.yaml:4:3") && found.contains("apiVersion and kind"), "{found}");
    }
}

/// A group that no API server has had since Kubernetes v1.16.
#[test]
fn a_workload_of_a_removed_group_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = on_host("web", super::PORT);
    for (group, code) in [("apps/v1beta1", 0), ("extensions/v1beta1", 1)] {
        let run = hostnet(folder.path(), &["check", "--strict", "-"], manifest.replace("apps/v1", group).as_bytes());
        let line = "not read: Deployment shop/web: the pod template is not read: no API server since Kubernetes v1.16 has a \
                    Deployment of the group extensions. Write `apiVersion: apps/v1`\n";
        let output = String::from_utf8(run.stdout).unwrap();
        assert_eq!((run.code, output.contains(line)), (Some(code), code == 1), "{output}");
    }
}

/// A kind in one of Kubernetes' own groups that does not have it: the host ports would be judged after the remedy.
#[test]
fn a_workload_of_a_kind_that_no_api_server_has_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let checked = |manifest: &str| hostnet(folder.path(), &["check", "--strict", "-"], manifest.as_bytes());
    let manifest = on_host("web", super::PORT);
    for (head, line) in [
        ("v1\nkind: Deployment", "a Deployment in the core group. Write `apiVersion: apps/v1`\n"),
        ("apps/v1\nkind: Deploymnet", "a Deploymnet of the group apps. Write `kind: Deployment`\n"),
        ("apps/v1\nkind: Deployments", "a Deployments of the group apps. Write `kind: Deployment`\n"),
        ("Apps/v1\nkind: Deployment", "a Deployment of the group Apps. Write `apiVersion: apps/v1`\n"),
        ("batch/v1\nkind: Deployment", "a Deployment of the group batch. Write `apiVersion: apps/v1`\n"),
    ] {
        let run = checked(&manifest.replace("apps/v1\nkind: Deployment", head));
        let output = String::from_utf8(run.stdout).unwrap();
        assert!(
            output.contains(&format!("the pod template is not read: no API server has {line}")),
            "{head}: {output}"
        );
        assert!(output.contains("not read: 1 object of unknown kinds with a pod template"), "{head}: {output}");
        assert_eq!(run.code, Some(1), "{head}: {output}");
    }
    let pod = "metadata: {name: a}\nspec: {hostNetwork: true, containers: [{name: a, image: 'x:v1'}]}\n";
    let output = String::from_utf8(checked(&format!("apiVersion: apps/v1\nkind: Pod\n{pod}")).stdout).unwrap();
    assert!(output.contains("no API server has a Pod of the group apps. Write `apiVersion: v1`\n"), "{output}");
    // A revision holds the template of another object, and a CustomResourceDefinition may define the kind of a group with
    // a dot.
    let revision = "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: a}\nrevision: 1\ndata: {spec: {template: \
                    {spec: {containers: [{name: a, image: 'x:v1'}]}}}}\n";
    let bound = "apiVersion: v1\nkind: Binding\nmetadata: {name: a}\ntarget: {kind: Node, name: containers}\n";
    for other in [revision, bound] {
        let output = String::from_utf8(checked(other).stdout).unwrap();
        assert!(!output.contains("no API server"), "{output}");
    }
}

/// The only status field that counts is the phase of a Pod, in any YAML form.
#[test]
fn a_pod_that_has_ended_holds_no_port() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostNetwork: true\n  dnsPolicy: ClusterFirstWithHostNet\n  \
               containers: [{name: web, image: 'example/web:v1', ports: [{containerPort: 10250, hostPort: 10250}]}]\n";
    for status in [
        "status:\n  phase: PHASE\n  reason: a\n",
        "status: {reason: a, phase: PHASE}\n",
        "status:\n  <<: {phase: PHASE}\n",
    ] {
        let found = |phase: &str| reported("node-port", &format!("{pod}{}", status.replace("PHASE", phase)));
        assert_eq!(found("Succeeded"), "", "{status}");
        assert!(found("Running").contains("10250"), "{status}");
    }
}
