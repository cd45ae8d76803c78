//! References in a kustomize build: a function has to resolve them as in the finished build.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod added;
mod check;
mod former_names;
mod hosts;
mod in_place;
mod kinds;
mod kustomize_name;
mod overriding_patches;
mod patched_ports;
mod table;
mod unmoved_workloads;
mod vars;
mod written;

use hostnet::api::AnyConfig;
use hostnet::kinds::{Run, run};
use krm::{Input, Origin};

/// A config that moves every workload that the API server calls.
const CALLED: &str = "kind: HostNetwork
spec: {targets: [{select: {calledByApiServer: true}, ports: {'9443': 20443}}]}
";

/// The annotations of a renamed object: its former `names`, the oldest first, in these namespaces.
fn renamed(kind: &str, namespaces: &str, names: &str, prefixes: &str) -> String {
    let kinds = vec![kind; names.split(',').count()].join(",");
    let key = "internal.config.kubernetes.io/";
    format!(
        "annotations: {{{key}previousNames: '{names}', {key}previousNamespaces: '{namespaces}', {key}previousKinds: '{kinds}', \
         {key}prefixes: '{prefixes}'}}"
    )
}

/// A Deployment `ops/a-manager`, once `system/manager`, whose webhook listens on 9443, and its Service `ops/a-hook`, once `system/hook`.
fn operator() -> String {
    let own = |kind, name: &str| renamed(kind, "system,ops", &format!("{name},{name}"), "a-");
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: a-manager, namespace: ops, {}}}
spec:
  template:
    metadata: {{labels: {{app: ledger}}}}
    spec:
      containers:
      - name: manager
        args: [--webhook-port=9443]
        ports:
        - {{containerPort: 9443, name: webhook}}
---
apiVersion: v1
kind: Service
metadata: {{name: a-hook, namespace: ops, {}}}
spec:
  selector: {{app: ledger}}
  ports:
  - {{port: 443, targetPort: 9443}}
",
        own("Deployment", "manager"),
        own("Service", "hook")
    )
}

/// A webhook configuration that calls the Service `NAMESPACE/NAME`, written as `[old|new]`: the present text, and the
/// text of the finished build.
fn webhook(namespace: &str, name: &str) -> String {
    let own = renamed("ValidatingWebhookConfiguration", "_non_namespaceable_", "w", "a-");
    format!(
        "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: a-w, {own}}}
webhooks:
- name: w.example.com
  clientConfig: {{service: {{namespace: '{namespace}', name: '{name}'}}}}
"
    )
}

fn stream(objects: &[String]) -> String {
    objects.join("---\n")
}

/// The text with the first or second word of each `[old|new]`; the finished build also has no annotations.
fn version(text: &str, is_finished: bool) -> String {
    let words = regex::Regex::new(r"\[([\w.-]*)\|([\w.-]*)\]").unwrap();
    let text = words.replace_all(text, if is_finished { "$2" } else { "$1" });
    let annotations = regex::Regex::new(r"(?:, )?annotations: \{[^}]*\}").unwrap();
    if is_finished { annotations.replace_all(&text, "").into_owned() } else { text.into_owned() }
}

fn config(config: &str) -> AnyConfig {
    let text = format!("apiVersion: hostnet.dev/v1alpha1\nmetadata: {{name: mine}}\n{config}");
    AnyConfig::read(&text, "hostnet.yaml", 1).unwrap()
}

/// The output and the results of a run.
fn outcome(config: &str, manifest: &str) -> (String, Run) {
    let config = self::config(config);
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let run = run(std::slice::from_ref(&input), &config, true).unwrap();
    (input.output(&run.splices[0]), run)
}

/// The changed lines.
fn diff(before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    let lines = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    lines.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

/// The changes in a build, after asserting that the finished build has equal changes. Unchanged references keep their
/// bytes, else the diffs would differ.
fn same(config: &str, text: &str) -> String {
    let [now, finished] = [false, true].map(|is_finished| {
        let manifest = version(text, is_finished);
        let (output, run) = outcome(config, &manifest);
        assert!(!run.failed(), "{:#?}", reported(&run));
        diff(&manifest, &output)
    });
    let bare = regex::Regex::new(r"(?:, )?annotations: \{[^}]*\}").unwrap();
    // A removed line may contain a reference, whose text differs.
    let lines = |text: &str| {
        let is_old = |line: &&str| line.starts_with('-');
        let new = text.lines().filter(|line| !is_old(line)).map(str::to_owned).collect::<Vec<_>>();
        (text.lines().filter(is_old).count(), new)
    };
    assert_eq!(lines(&bare.replace_all(&now, "")), lines(&finished));
    finished
}

/// The results other than changes, with severities.
fn reported(run: &Run) -> Vec<String> {
    run.results.iter().filter(|result| !result.is_change).map(ToString::to_string).collect()
}

/// The results of rule `kustomize-name`.
fn reported_names(config: &str, text: &str) -> Vec<String> {
    let (_, run) = outcome(config, &version(text, false));
    reported(&run).into_iter().filter(|line| line.ends_with("[kustomize-name]")).collect()
}
