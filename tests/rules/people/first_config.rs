//! The first config: `hostnet ports` without a config, `hostnet init`, and `hostnet apply` with the new config.

use insta::assert_snapshot;

use super::{called_web, deployment};
use crate::support::manifests::HOOKS;
use crate::support::run::hostnet;

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("web.yaml"), text).unwrap();
    folder
}

#[test]
fn ports_without_a_config_answers_and_gives_the_config() {
    let folder = folder(&format!("{}---\n{}", called_web(), deployment("api")));
    let run = hostnet(folder.path(), &["ports", "web.yaml"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_snapshot!(run.text(), @r#"
    Workload             Container  Port     Role                  Number    Set by
    shop/Deployment/web  app        https    webhook (API server)  8443/TCP  --listen
    shop/Deployment/web  app        metrics  metrics               9090/TCP  --metrics-addr

    shop/Deployment/web: ValidatingWebhookConfiguration hooks calls it through Service shop/web

    This config moves the workloads that the API server calls to the host network. Put it into hostnet.yaml (`hostnet init web.yaml` does), and look at what changes with `hostnet apply --diff web.yaml`:

    apiVersion: hostnet.dev/v1alpha1
    kind: HostNetwork
    metadata:
      name: webhooks
    spec:
      targets:
      - select: {calledByApiServer: true}
        ports: auto
    "#);
    assert_snapshot!(run.stderr, @"1 workload, 2 listeners, 1 called by the API server, 0 warnings (-v shows all)");
    // The JSON output has the current numbers.
    let json = hostnet(folder.path(), &["ports", "-o", "json", "--called", "web.yaml"], b"").text();
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&rows[0]["old"], &rows[0]["new"], rows.as_array().unwrap().len()), (&8443.into(), &8443.into(), 1));
}

#[test]
fn without_called_workloads_other_listeners_are_listed() {
    let release =
        "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kyverno}\nspec: {}\n";
    let folder = folder(&format!("{}{release}", deployment("api")));
    let run = hostnet(folder.path(), &["ports", "web.yaml"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("not read: HelmRelease kyverno: "), "{}", run.stderr);
    assert_snapshot!(run.text(), @"
    The API server calls nothing here: the input has no webhook configuration, no conversion and no APIService. A dump of a cluster needs `kubectl get deployments,statefulsets,daemonsets,services,validatingwebhookconfigurations,mutatingwebhookconfigurations,customresourcedefinitions,apiservices,clusterroles,clusterrolebindings -A -o yaml`.
    Workloads that listen are moved by name, such as `select: {kind: Deployment, name: web}`:
      shop/Deployment/api: 8443, 9090
    ");
}

/// A workload that the API server calls is shown even if it cannot be changed, and the config is created.
#[test]
fn called_workloads_that_cannot_move_are_shown() {
    let web = called_web();
    let fixed = web.replace("--listen=:8443, ", "").replace("8443", "9443");
    let two = format!("{fixed}---\n{}", fixed.replace("name: web", "name: two").replace("app: web", "app: two"));
    let two = two.replace("kind: Deployment", "kind: DaemonSet");
    let restricted = format!(
        "{web}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {{pod-security.kubernetes.io/enforce: restricted}}}}\n"
    );
    for (text, workloads) in
        [(two, &["shop/DaemonSet/web", "shop/DaemonSet/two"][..]), (restricted, &["shop/Deployment/web"])]
    {
        let folder = folder(&text);
        let run = hostnet(folder.path(), &["ports", "web.yaml"], b"");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for workload in workloads {
            assert!(
                run.text().lines().any(|line| line.starts_with(workload) && line.contains("(API server)")),
                "{}",
                run.text()
            );
        }
        assert!(run.text().contains("Not changed, for the reasons above: shop/D"), "{}", run.text());
        assert!(run.stderr.contains("warning: ") && !run.stderr.contains("error: "), "{}", run.stderr);
        assert_eq!(hostnet(folder.path(), &["init", "web.yaml"], b"").code, Some(0));
    }
}

/// The API server does not call these workloads, so no move of them is planned.
#[test]
fn effects_of_unplanned_moves_are_not_reported() {
    let folder = folder(&format!("{}---\n{}", deployment("api"), deployment("two")));
    let run = hostnet(folder.path(), &["ports", "web.yaml"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.text().contains("shop/Deployment/api: 8443, 9090\n  shop/Deployment/two: 8443, 9090\n"),
        "{}",
        run.text()
    );
    assert!(!run.stderr.contains("warning: ") && !run.stderr.contains("8443"), "{}", run.stderr);
}

#[test]
fn init_writes_the_config_of_ports_and_apply_accepts_it() {
    let folder = folder(&called_web());
    let shown = hostnet(folder.path(), &["ports", "web.yaml"], b"").text();
    let run = hostnet(folder.path(), &["init", "web.yaml"], b"");
    assert_eq!((run.code, run.text().as_str()), (Some(0), ""), "{}", run.stderr);
    let config = std::fs::read_to_string(folder.path().join("hostnet.yaml")).unwrap();
    assert!(shown.ends_with(&config), "{shown}");
    let diff = hostnet(folder.path(), &["apply", "--strict", "--diff", "web.yaml"], b"");
    assert_eq!(diff.code, Some(0), "{}", diff.stderr);
    assert!(diff.text().contains("+      hostNetwork: true"), "{}", diff.text());
    let again = hostnet(folder.path(), &["init", "web.yaml"], b"");
    assert_eq!(again.code, Some(1), "an existing file is not overwritten");
    assert_eq!(std::fs::read_to_string(folder.path().join("hostnet.yaml")).unwrap(), config);
    assert_eq!(hostnet(folder.path(), &["init", "--to", "-", "web.yaml"], b"").text(), config);
}

/// The draft keeps ports that cannot move, and ports that clients use at the node, and then gives no warnings about
/// them.
#[test]
fn a_draft_keeps_ports_that_cannot_move() {
    let fixed = deployment("web").replace("--listen=:8443, ", "").replace("8443", "8543");
    let held =
        deployment("web").replace("8443", "8543").replace("containerPort: 8543", "containerPort: 8543, hostPort: 8543");
    for (text, comment) in [
        (
            fixed,
            "# https: 8543 stays: neither the manifest nor the catalogue shows the setting of its number.\n  # If you know",
        ),
        (held, "# https: 8543 is a hostPort"),
    ] {
        let folder = folder(&format!("{text}---\n{HOOKS}"));
        let run = hostnet(folder.path(), &["init", "web.yaml"], b"");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let config = std::fs::read_to_string(folder.path().join("hostnet.yaml")).unwrap();
        assert!(config.contains(comment), "{config}");
        let then = config.contains("# Then write `https: auto` in `ports`");
        assert_eq!(then, config.contains("`bind: ["), "{config}");
        let diff = hostnet(folder.path(), &["apply", "--diff", "web.yaml"], b"");
        assert_eq!(diff.code, Some(0), "{config}{}", diff.stderr);
    }
}
