//! The first config: `hostnet ports` without a config, `hostnet init`, and `hostnet apply` with the new config.

use std::fs;

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

/// Without a name the key of a port is its number, which is written once.
#[test]
fn a_port_without_a_name_is_named_once() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: gate, namespace: x, labels: {app: gate}}\nspec: {containers: [{name: g, image: \
               r.example/gate, ports: [{containerPort: 9443}]}]}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: gate, namespace: x}\nspec: \
               {selector: {app: gate}, ports: [{port: 443, targetPort: 9443}]}\n---\napiVersion: apiregistration.k8s.io/v1\nkind: APIService\n\
               metadata: {name: v1.x.example.com}\nspec: {group: x.example.com, version: v1, groupPriorityMinimum: 1, versionPriority: 1, service: \
               {name: gate, namespace: x}}\n";
    let folder = folder(pod);
    let run = hostnet(folder.path(), &["init", "--to", "-", "web.yaml"], b"");
    assert!(run.text().contains("  # 9443 stays: neither the manifest nor"), "{}{}", run.text(), run.stderr);
}

/// The overlay has the tested draft, unless the build has other names: then the messages are those of its config.
#[test]
fn an_overlay_has_the_draft_or_its_warnings() {
    for (kustomization, keeps) in [("", true), ("namePrefix: a-\n", false)] {
        let folder = folder(&unknown_web("web"));
        std::fs::write(folder.path().join("kustomization.yaml"), format!("resources: [web.yaml]\n{kustomization}"))
            .unwrap();
        let drafted = hostnet(folder.path(), &["init", "--to", "-", "."], b"").text();
        let run = hostnet(folder.path(), &["init", "--overlay", "../over", "."], b"");
        let over = folder.path().parent().unwrap().join("over");
        let config = std::fs::read_to_string(over.join("hostnet.yaml")).unwrap();
        std::fs::remove_dir_all(over).unwrap();
        assert_eq!((run.code, config == drafted), (Some(0), keeps), "{config}{}", run.stderr);
        assert_eq!(run.stderr.contains("keeps its number"), !keeps, "{}", run.stderr);
        assert_eq!(config.contains("https: keep"), keeps, "{config}");
    }
}

/// A workload without a known flag, under this name, that the API server calls.
fn unknown_web(name: &str) -> String {
    let container = "{name: app, image: 'a.example/web:1', ports: [{name: https, containerPort: 9443}]}";
    let template = format!("template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{container}]}}}}");
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: \"{name}\", namespace: shop}}\nspec: {{selector: {{matchLabels: {{app: web}}}}, \
         {template}}}\n---\n{HOOKS}"
    )
}

/// The draft quotes names that are no plain pattern.
#[test]
fn a_name_with_a_placeholder_is_drafted_as_a_pattern() {
    for (name, pattern) in [("${APP}", "'\\$\\{APP\\}'"), ("true", "'true'"), ("web.v1", "web\\.v1"), ("web", "web")] {
        let folder = folder(&unknown_web(name));
        for command in [&["ports", "web.yaml"][..], &["init", "--to", "-", "web.yaml"]] {
            let run = hostnet(folder.path(), command, b"");
            let drafted = format!("name: {pattern}}}");
            assert!(run.code == Some(0) && run.text().contains(&drafted), "{name}: {}{}", run.stderr, run.text());
        }
    }
}

/// Flags that a patch adds are only in the build; a patch of another workload, or of other fields, changes nothing.
#[test]
fn a_patch_of_flags_makes_the_build_the_next_command() {
    let next = |patch: &str| {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("config/manager/kustomization.yaml", "resources: [web.yaml]\n");
        write("config/manager/web.yaml", &called_web());
        write("config/default/kustomization.yaml", &format!("resources: [../manager]\npatches:\n- {patch}\n"));
        write(
            "config/default/flags.yaml",
            "- {op: add, path: /spec/template/spec/containers/0/args/0, value: --health=:8081}\n",
        );
        let run = hostnet(folder.path(), &["init", "config"], b"");
        let next = run.stderr.split_once("look at `").and_then(|(_, next)| next.split_once('`'));
        next.map(|(command, _)| command.to_owned()).unwrap_or_default()
    };
    let (build, sources) = (
        "kustomize build config/default | hostnet apply -c hostnet.yaml --diff -",
        "hostnet apply --diff --sources config",
    );
    let container = |fields: &str| format!("spec: {{template: {{spec: {{containers: [{{name: app, {fields}}}]}}}}}}");
    let inline = |fields: &str| {
        format!("patch: '{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, {}}}'", container(fields))
    };
    for (patch, command) in [
        ("{path: flags.yaml, target: {kind: Deployment}}".to_owned(), build),
        (inline("args: [--health=:8081]"), build),
        (inline("env: [{name: PORT, value: \"1\"}]"), build),
        (inline("imagePullPolicy: Always"), sources),
        (inline("args: [--health=:8081]").replace("name: web", "name: api"), sources),
        (
            "patch: '[{op: remove, path: /spec/template/spec/containers/0/args/0}]'\n  target: {kind: Deployment}"
                .to_owned(),
            sources,
        ),
    ] {
        assert_eq!(next(&patch), command, "{patch}");
    }
}

/// Without a call in the input, the workloads that the catalogue knows to be called are listed, and no others.
#[test]
fn workloads_called_by_their_role_are_listed_alone() {
    let image = "registry.k8s.io/cluster-api-vsphere/cluster-api-vsphere-controller:v1.13.0";
    let known = deployment("capi").replace("example.com/capi:v1", image);
    let folder = folder(&format!("{known}---\n{}", deployment("api")));
    let run = hostnet(folder.path(), &["ports", "web.yaml"], b"");
    assert!(
        run.text().contains("The workloads below have ports with the role")
            && run.text().contains("shop/Deployment/capi: "),
        "{}",
        run.text()
    );
    assert!(!run.text().contains("shop/Deployment/api: "), "{}", run.text());
    // The config names them, and `apply` accepts it.
    let written = hostnet(folder.path(), &["init", "web.yaml"], b"");
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let config = fs::read_to_string(folder.path().join("hostnet.yaml")).unwrap();
    assert!(run.text().ends_with(&config), "{}", run.text());
    assert_snapshot!(config, @"
    apiVersion: hostnet.dev/v1alpha1
    kind: HostNetwork
    metadata:
      name: webhooks
    spec:
      targets:
      # No call of the input leads here; its ports suggest one: webhook 9443
      - select: {kind: Deployment, namespace: shop, name: capi}
        ports: auto
    ");
    let applied = hostnet(folder.path(), &["apply", "--diff", "web.yaml"], b"");
    assert!(applied.code == Some(0) && applied.text().contains("+      hostNetwork: true"), "{}", applied.stderr);
    // A call of the input that leads elsewhere is still reported.
    let call = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: v}\nwebhooks: \
                [{name: a.b.c, clientConfig: {service: {name: absent, namespace: shop}}}]\n";
    fs::write(folder.path().join("web.yaml"), format!("{known}{call}")).unwrap();
    let both = hostnet(folder.path(), &["init", "--to", "-", "web.yaml"], b"");
    assert_eq!(both.text(), config);
    assert!(both.stderr.contains("call Service shop/absent"), "{}", both.stderr);
    assert!(!both.stderr.contains("select it by name"), "{}", both.stderr);
}

/// The error of `init` begins with the next command.
#[test]
fn without_a_config_the_error_begins_with_the_next_command() {
    let error = |text: &str| {
        let folder = folder(text);
        let run = hostnet(folder.path(), &["init", "web.yaml"], b"");
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        run.stderr.lines().last().unwrap_or_default().to_owned()
    };
    let release =
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\nspec: {chart: a, repo: 'https://a.io'}\n";
    let operand = "apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\nmetadata: {name: s}\n";
    let none = "apiVersion: v1\nkind: Namespace\nmetadata: {name: s}\n";
    let all = [release, operand, &deployment("api"), none];
    assert_snapshot!(all.map(error).join("\n"), @"
    error: run `hostnet charts web.yaml | sh`, then `hostnet init rendered`: no config was written, because the workloads may be in the charts, which were not read
    error: run `kubectl get deployments,statefulsets,daemonsets,services,validatingwebhookconfigurations,mutatingwebhookconfigurations,customresourcedefinitions,apiservices,clusterroles,clusterrolebindings -A -o yaml | hostnet init -`: no config was written, because operators create the workloads in the cluster
    error: write a config that selects workloads by name: no config was written, because no call of the API server leads to one
    error: give the manifests of the workloads and of what calls them: no config was written, because the input has no workload that listens
    ");
    // Charts come first: their render also has what operators need.
    assert!(error(&format!("{operand}---\n{release}")).starts_with("error: run `hostnet charts "));
    let folder = folder(none);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("kustomization.yaml", "resources: [web.yaml]\npatches: [{path: p.yaml}]\n");
    let run = hostnet(folder.path(), &["init", "."], b"");
    assert!(run.stderr.contains("error: run `hostnet init --build .`: no config was written"), "{}", run.stderr);
}

/// The build of a folder that no other kustomization lists is the one to read; a Component has none.
#[test]
fn the_outermost_kustomization_is_the_one_to_build() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("config/base/kustomization.yaml", "namePrefix: a-\nresources: [web.yaml]\n");
    write("config/base/web.yaml", &called_web());
    write("config/components/extra/kustomization.yaml", "kind: Component\nnamespace: x\nresources: [more.yaml]\n");
    write("config/components/extra/more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n");
    write("config/alone/kustomization.yaml", "namePrefix: b-\nresources: [one.yaml]\n");
    write("config/alone/one.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n");
    let listed = "namespace: shop\nresources: [../base]\ncomponents: [../components/extra]\n";
    write("config/default/kustomization.yaml", listed);
    let run = hostnet(folder.path(), &["ports", "config"], b"");
    assert!(run.stderr.contains("`hostnet ports --build config/default` reads the build"), "{}", run.stderr);
}

/// A build makes some warnings errors, so that its config cannot be built.
#[test]
fn an_overlay_whose_build_fails_exits_with_1() {
    let web = deployment("web").replace("name: https, ", "");
    for (operations, target, fails) in [
        // The webhook refuses pods while the Service leads to a new number.
        ("*", "8443", true),
        ("*", "https", false),
        ("configmaps", "8443", false),
    ] {
        let hook = format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec:\n  selector: {{app: web}}\n  ports: [{{port: 443, \
             targetPort: {target}}}]\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: \
             web}}\nwebhooks:\n- name: v.example.com\n  failurePolicy: Fail\n  sideEffects: None\n  admissionReviewVersions: [v1]\n  clientConfig: \
             {{service: {{name: web, namespace: shop, path: /v}}}}\n  rules: [{{apiGroups: ['*'], apiVersions: ['*'], resources: ['{operations}'], \
             operations: ['*']}}]\n"
        );
        let named = if target == "https" { deployment("web") } else { web.clone() };
        let folder = folder(&format!("{named}---\n{hook}"));
        std::fs::create_dir(folder.path().join("deploy")).unwrap();
        std::fs::rename(folder.path().join("web.yaml"), folder.path().join("deploy/web.yaml")).unwrap();
        std::fs::write(folder.path().join("deploy/kustomization.yaml"), "resources: [web.yaml]\n").unwrap();
        let run = hostnet(folder.path(), &["init", "--overlay", "over", "deploy"], b"");
        assert_eq!(run.code, Some(i32::from(fails)), "{operations} {target}: {}", run.stderr);
        assert!(folder.path().join("over/hostnet.yaml").exists(), "{}", run.stderr);
        let build = "`kustomize build --enable-alpha-plugins over`";
        let end = match fails {
            true => format!("error: over is written, and {build} fails with these errors: solve them first\n"),
            false => format!("info: over is written; build it with {build}\n"),
        };
        assert!(run.stderr.contains(&end), "{operations} {target}: {}", run.stderr);
        assert_eq!(run.stderr.matches("[service-target]").count(), usize::from(fails), "{}", run.stderr);
    }
}
