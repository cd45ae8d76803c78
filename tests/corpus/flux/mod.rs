//! Real Flux repositories: runs `hostnet apply` on every file with all workloads selected. No Flux variable changes,
//! nothing is lost, and only fields that host networking affects differ.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(clippy::print_stderr, clippy::string_slice, reason = "these are tests; a skipped one is loud")]

mod differ;
use crate::support::material::material;
use crate::support::patched;
use crate::support::{files_below, run};
mod variants;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use differ::{differences, objects};
use hostnet::api::HostNetworkConfig;

/// A config that selects all workloads of these kinds.
fn config(ports: &str) -> String {
    format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: all}}\nspec:\n  unmatched: Ignore\n  targets:\n  \
         - select: {{kind: Deployment|DaemonSet|StatefulSet}}\n    ports: {ports}\n"
    )
}

/// Returns the manifests of the Flux repositories, and other manifests with a variable, by path.
fn manifests() -> BTreeMap<String, String> {
    let Some(corpus) = material("corpus") else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    for path in ["flux", "workloads", "packages"].iter().flat_map(|part| files_below(&corpus.join(part))) {
        if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            let name = path.strip_prefix(&corpus).unwrap().display().to_string();
            let text = std::fs::read_to_string(&path).unwrap();
            if name.starts_with("flux/") || text.contains("${") {
                found.insert(name, text);
            }
        }
    }
    found
}

/// Returns all `${…}`, including nested ones.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("${").map(|(start, _)| {
        let mut depth = 0usize;
        let end = text[start..].find(|c| {
            depth = if c == '{' { depth + 1 } else { depth };
            let closes = c == '}' && depth == 1;
            depth = if c == '}' { depth.saturating_sub(1) } else { depth };
            closes || c == '\n'
        });
        &text[start..end.map_or(text.len(), |end| start + end + 1)]
    })
}

#[test]
fn a_variable_ends_at_its_own_brace() {
    let text = "a: ${b:=${c}} # ${d\ne: '${f}'";
    assert_eq!(variables(text).collect::<Vec<_>>(), ["${b:=${c}}", "${c}", "${d\n", "${f}"]);
}

/// Summarizes one run on one line.
fn outcome(text: &str, run: &run::Run, faults: &mut Vec<String>) -> String {
    let output = run.text();
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for line in run.stderr.lines().filter(|line| line.starts_with("warning: ")) {
        *rules.entry(line.rsplit_once(" [").map_or(line, |(_, rule)| rule.trim_end_matches(']'))).or_default() += 1;
    }
    let warnings: String = rules.iter().map(|(rule, count)| format!(", {rule} {count}")).collect();
    if run.code != Some(0) {
        if !output.is_empty() {
            faults.push("an error, and an output".to_owned());
        }
        let errors: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        return format!("refused: {}{warnings}", errors.join(" | "));
    }
    let diff = similar::TextDiff::from_lines(text, &output);
    let added =
        |line: &str| diff.iter_all_changes().any(|c| c.tag() == similar::ChangeTag::Insert && c.value() == line);
    // A hostPort is the same variable as its container port; no other line with a variable is new.
    let with_variable = |text: &str, mine: bool| -> Vec<String> {
        let kept = text.split_inclusive('\n').filter(|line| line.contains("${"));
        kept.filter(|line| !(mine && line.contains("hostPort:") && added(line))).map(str::to_owned).collect()
    };
    if with_variable(text, false) != with_variable(&output, true) {
        faults.push("a line with a variable changed".to_owned());
    }
    match (objects(text), objects(&output)) {
        (Some(before), Some(after)) => faults.extend(differences(&before, &after)),
        (None, _) if text == output => {}
        _ => faults.push("changed, and an independent reader refuses it".to_owned()),
    }
    if !run.stderr.contains("it is declared twice") {
        let twice = |text: &str| variants::declared_twice(&variants::filled_in(text));
        faults.extend(twice(&output).difference(&twice(text)).map(|port| format!("declared twice: {port}")));
    }
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal).count();
    let count = variables(&output).count();
    match changed {
        0 => format!("unchanged{warnings}"),
        _ => format!("{changed} lines, {count} variables{warnings}"),
    }
}

fn run_all(manifests: &BTreeMap<String, String>, ports: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), config(ports)).unwrap();
    let (mut faults, mut lines, mut silent, mut variables_seen) = (Vec::new(), String::new(), 0, 0);
    for (name, text) in manifests {
        let output = apply(folder.path(), text);
        let mut own = Vec::new();
        let line = outcome(text, &output, &mut own);
        // The run prints only the first of many warnings; `-v` shows all.
        let is_reported = || {
            let all = run::hostnet(folder.path(), &["apply", "-v", "-c", "config.yaml", "-"], text.as_bytes());
            all.stderr.contains("it is declared twice")
        };
        own.retain(|fault| !(fault.starts_with("declared twice: ") && is_reported()));
        // Patches have the same result.
        if output.code == Some(0) && output.text() != *text {
            patched::same(&HostNetworkConfig::read(&config(ports), "config.yaml", 1).unwrap(), text, &output.text());
        }
        faults.extend(own.into_iter().map(|fault| format!("{name}: {fault}")));
        variables_seen += variables(text).count();
        if line == "unchanged" {
            silent += 1;
        } else {
            writeln!(lines, "{name}: {line}").unwrap();
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    format!("{} files, {variables_seen} variables, {silent} unchanged\n{lines}", manifests.len())
}

fn apply(folder: &Path, text: &str) -> run::Run {
    run::hostnet(folder, &["apply", "-c", "config.yaml", "-"], text.as_bytes())
}

#[test]
fn automatic_ports() {
    let manifests = manifests();
    if manifests.is_empty() {
        return;
    }
    insta::assert_snapshot!(run_all(&manifests, "auto"), @"
    140 files, 586 variables, 121 unchanged
    flux/DataDog__helm-charts/test/datadog/baseline/manifests/cluster-agent-deployment_default.yaml: 43 lines, 0 variables, port-setting 1, rollout-surge 1
    flux/DataDog__helm-charts/test/datadog/baseline/manifests/cluster-agent-deployment_default_advanced_AC_injection.yaml: 43 lines, 0 variables, port-setting 1, rollout-surge 1
    flux/DataDog__helm-charts/test/datadog/baseline/manifests/cluster-agent-deployment_default_minimal_AC_injection.yaml: 43 lines, 0 variables, port-setting 1, rollout-surge 1
    flux/argoproj__argo-cd/manifests/ha/base/redis-ha/chart/upstream.yaml: 5 lines, 334 variables, port-conflict 1, port-setting 1
    flux/fluxcd__flux2/cmd/flux/testdata/build-kustomization/var-substitution/deployment.yaml: 23 lines, 2 variables
    flux/fluxcd__pkg/kustomize/testdata/kustomization_expected.yaml: 2 lines, 9 variables, program-unknown 1
    flux/fluxcd__pkg/kustomize/testdata/kustomization_varsub_expected.yaml: 6 lines, 5 variables, port-setting 1
    flux/fluxcd__pkg/kustomize/testdata/resources/deployment.yaml: 2 lines, 5 variables, program-unknown 1
    flux/olga-mir__playground/kubernetes/namespaces/base/kagent/kagent/config/mcp-proxy-deployment.yaml: 3 lines, 2 variables, port-setting 1
    flux/olga-mir__playground/kubernetes/namespaces/base/team-alpha/troubleshooter/deployment.yaml: 3 lines, 2 variables, port-setting 1
    workloads/DataDog__helm-charts/test/datadog/baseline/manifests/otel-agent_config_ports.yaml: 43 lines, 1 variables, port-conflict 1, port-setting 1, rollout-surge 1
    workloads/DataDog__helm-charts/test/datadog/baseline/manifests/otel-agent_container_ports.yaml: 60 lines, 1 variables, port-reference 2, port-setting 2, program-unknown 1, rollout-surge 1
    workloads/crossplane-contrib__provider-sql/cluster/local/mariadb.server.yaml: 3 lines, 1 variables, port-setting 1
    workloads/crossplane-contrib__provider-sql/cluster/local/mariadb.tls.server.yaml: 3 lines, 1 variables, port-setting 1
    workloads/crossplane-contrib__provider-sql/cluster/local/postgres.server.yaml: 3 lines, 1 variables, port-setting 1
    workloads/kubernetes-sigs__cluster-api/test/e2e/data/cni/kindnet/kindnet.yaml: 1 lines, 2 variables
    workloads/kubernetes-sigs__kubespray/tests/files/custom_cni/cilium.yaml: 13 lines, 2 variables, port-setting 3
    workloads/openkruise__kruise-game/test/e2e/manifests/01-otel-collector-grafana.yaml: 7 lines, 6 variables, port-setting 1
    workloads/tektoncd__pipeline/test/git-resolver/gitea.yaml: 21 lines, 52 variables, port-reference 1, port-setting 2, service-target 1
    ");
}

#[test]
fn kept_ports() {
    let manifests = manifests();
    if manifests.is_empty() {
        return;
    }
    insta::assert_snapshot!(run_all(&manifests, "keep"), @"
    140 files, 586 variables, 121 unchanged
    flux/DataDog__helm-charts/test/datadog/baseline/manifests/cluster-agent-deployment_default.yaml: 14 lines, 0 variables, rollout-surge 1
    flux/DataDog__helm-charts/test/datadog/baseline/manifests/cluster-agent-deployment_default_advanced_AC_injection.yaml: 14 lines, 0 variables, rollout-surge 1
    flux/DataDog__helm-charts/test/datadog/baseline/manifests/cluster-agent-deployment_default_minimal_AC_injection.yaml: 14 lines, 0 variables, rollout-surge 1
    flux/argoproj__argo-cd/manifests/ha/base/redis-ha/chart/upstream.yaml: refused: error: standard input:1445:11: 2 workloads would use 6379/TCP of their node. 6 pods need at least 6 nodes, and the number of nodes is not known: no node is left for StatefulSet argocd/argocd-redis-ha-server. If the cluster has that many nodes, write `nodes: 6` in the spec; else give another number with `bind` [port-conflict]
    flux/fluxcd__flux2/cmd/flux/testdata/build-kustomization/var-substitution/deployment.yaml: 5 lines, 2 variables
    flux/fluxcd__pkg/kustomize/testdata/kustomization_expected.yaml: 2 lines, 9 variables, program-unknown 1
    flux/fluxcd__pkg/kustomize/testdata/kustomization_varsub_expected.yaml: 6 lines, 5 variables
    flux/fluxcd__pkg/kustomize/testdata/resources/deployment.yaml: 2 lines, 5 variables, program-unknown 1
    flux/olga-mir__playground/kubernetes/namespaces/base/kagent/kagent/config/mcp-proxy-deployment.yaml: 3 lines, 2 variables, node-port 1
    flux/olga-mir__playground/kubernetes/namespaces/base/team-alpha/troubleshooter/deployment.yaml: 3 lines, 2 variables, node-port 1
    workloads/DataDog__helm-charts/test/datadog/baseline/manifests/otel-agent_config_ports.yaml: 14 lines, 1 variables, port-conflict 1, rollout-surge 1
    workloads/DataDog__helm-charts/test/datadog/baseline/manifests/otel-agent_container_ports.yaml: 23 lines, 1 variables, node-port 1, program-unknown 1, rollout-surge 1
    workloads/crossplane-contrib__provider-sql/cluster/local/mariadb.server.yaml: 3 lines, 1 variables, node-port 1
    workloads/crossplane-contrib__provider-sql/cluster/local/mariadb.tls.server.yaml: 3 lines, 1 variables, node-port 1
    workloads/crossplane-contrib__provider-sql/cluster/local/postgres.server.yaml: 3 lines, 1 variables
    workloads/kubernetes-sigs__cluster-api/test/e2e/data/cni/kindnet/kindnet.yaml: 1 lines, 2 variables
    workloads/kubernetes-sigs__kubespray/tests/files/custom_cni/cilium.yaml: 13 lines, 2 variables
    workloads/openkruise__kruise-game/test/e2e/manifests/01-otel-collector-grafana.yaml: 7 lines, 6 variables, node-port 2
    workloads/tektoncd__pipeline/test/git-resolver/gitea.yaml: 10 lines, 52 variables, node-port 1
    ");
}

/// Numbers and names of known programs as variables: the same invariants hold. With the variables substituted, no pod
/// has a duplicate port, unless a message reports it.
#[test]
fn flux_variables_at_any_place_keep_working() {
    let variants = variants::variants();
    let log = run_all(&variants, "auto");
    assert!(variants.len() > 100, "projects are missing");
    // Without its own number, a program uses the kubelet's port, so the run is refused.
    let refused = log.lines().filter(|line| line.contains(": refused: "));
    let others: Vec<&str> = refused.filter(|line| !line.contains("keeps the port of kubelet on every node")).collect();
    assert_eq!(others, [""; 0]);
}
