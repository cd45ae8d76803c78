//! Results that must fail a kustomize build, because kustomize drops warnings. The first line of the error states the
//! reason.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cases::{HOSTNET, command_with, host};
use crate::support::{project, run, text};

/// A workload that can move, one that cannot, and the webhooks that call them.
const OBJECTS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'example/web:v1', args: ['--webhook-port=9443'], ports: [{name: hook, containerPort: 9443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: own-users, namespace: shop}
spec:
  selector: {matchLabels: {app: own-users}}
  template:
    metadata: {labels: {app: own-users}}
    spec:
      hostUsers: false
      containers:
      - {name: web, image: 'example/web:v1', args: ['--webhook-port=9443'], ports: [{name: hook, containerPort: 9443}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 9443}]}
---
apiVersion: v1
kind: Service
metadata: {name: own-users, namespace: shop}
spec: {selector: {app: own-users}, ports: [{port: 443, targetPort: 9443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
- {name: a.example.com, clientConfig: {service: {name: web, namespace: shop}}}
- {name: b.example.com, clientConfig: {service: {name: own-users, namespace: shop}}}
";

const CALLED: &str = "{select: {calledByApiServer: true}, ports: auto}";
const NOBODY: &str = "{select: {kind: Deployment, name: nobody}, ports: auto}";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plugin,
    Exec,
    Container,
}

const FORMS: [Form; 3] = [Form::Plugin, Form::Exec, Form::Container];

struct Builds {
    kustomize: PathBuf,
    scratch: tempfile::TempDir,
}

impl Builds {
    fn new() -> Option<Self> {
        let kustomize = host("kustomize")?;
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().join("home");
        assert!(run(Command::new(HOSTNET).args(["install", "--kustomize-plugin"]).arg(home), b"").status.success());
        let programs = scratch.path().join("programs");
        std::fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink(HOSTNET, programs.join("hostnet")).unwrap();
        let docker = programs.join("docker");
        std::fs::write(&docker, "#!/bin/sh\ncd /\nexec hostnet\n").unwrap();
        std::fs::set_permissions(&docker, std::fs::Permissions::from_mode(0o755)).unwrap();
        Some(Self { kustomize, scratch })
    }

    /// Builds a kustomization with these files.
    fn build(&self, kustomization: &str, files: &[(&str, String)]) -> Output {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("kustomization.yaml"), kustomization).unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        self.build_folder(folder.path())
    }

    fn build_folder(&self, folder: &Path) -> Output {
        let mut command = command_with(&self.kustomize, &self.scratch.path().join("programs"));
        command.env("KUSTOMIZE_PLUGIN_HOME", self.scratch.path().join("home"));
        run(command.args(["build", "--enable-alpha-plugins", "--enable-exec"]).arg(folder), b"")
    }

    /// Builds the objects with one config.
    fn build_with_config(&self, form: Form, kind: &str, spec: &str) -> Output {
        let files = [("objects.yaml", OBJECTS.to_owned()), ("hostnet.yaml", config(form, kind, "hooks", spec))];
        self.build("resources: [objects.yaml]\ntransformers: [hostnet.yaml]\n", &files)
    }
}

fn config(form: Form, kind: &str, name: &str, spec: &str) -> String {
    let function = match form {
        Form::Plugin => "",
        Form::Exec => "\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: hostnet}'",
        Form::Container => "\n  annotations:\n    config.kubernetes.io/function: 'container: {image: \"hostnet:x\"}'",
    };
    format!("apiVersion: hostnet.dev/v1alpha1\nkind: {kind}\nmetadata:\n  name: {name}{function}\nspec: {spec}\n")
}

/// Returns the first line of hostnet's error from a build that failed without output.
fn refused(output: &Output) -> String {
    let log = text(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{}{log}", text(&output.stdout));
    let ours = log.split_once("error: ").unwrap_or_else(|| panic!("{log}")).1;
    let first = ours.lines().next().unwrap();
    assert!(!first.contains(['%', '"']), "{first}");
    first.to_owned()
}

fn built(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_config_that_selects_nothing_fails() {
    let Some(builds) = Builds::new() else { return };
    let mirror = "rules: [{from: a.example.com, to: b.example.com}]";
    let proxy = "httpsProxy: 'http://p.example.com:3128'";
    for form in FORMS {
        for (kind, spec) in [
            ("HostNetwork", format!("{{targets: [{NOBODY}]}}")),
            ("ProxyEnvironment", format!("{{{proxy}, targets: [{{select: {{name: nobody}}}}]}}")),
            ("PackageMirror", format!("{{{mirror}, select: [{{name: nobody}}]}}")),
            ("PackageMirror", format!("{{{mirror}}}")),
            ("HostNetworkCheck", "{select: [{name: nobody}]}".to_owned()),
        ] {
            let first = refused(&builds.build_with_config(form, kind, &spec));
            let subject = format!("{kind} hooks selects no object of this build");
            assert!(first.starts_with(&subject) && first.ends_with("[unmatched]"), "{form:?}: {first}");
            // The config field that the message suggests makes the build succeed.
            let accepted = first.split('`').nth(1).unwrap();
            let spec = spec.replacen('{', &format!("{{{accepted}, "), 1);
            assert!(
                !built(&builds.build_with_config(form, kind, &spec)).contains("hostNetwork: true"),
                "{form:?} {kind}"
            );
        }
    }
}

/// A single target without a match does not fail the build, because one config may serve several builds; `unmatched`
/// decides.
#[test]
fn a_single_target_that_matches_nothing_does_not_fail() {
    let Some(builds) = Builds::new() else { return };
    let spec = format!("targets: [{{select: {{name: web}}, ports: auto}}, {NOBODY}]");
    for form in FORMS {
        assert!(
            built(&builds.build_with_config(form, "HostNetwork", &format!("{{{spec}}}"))).contains("hostNetwork: true")
        );
        let warned = builds.build_with_config(form, "HostNetwork", &format!("{{{spec}, failOn: Warning}}"));
        assert!(!warned.status.success() && text(&warned.stderr).contains("`failOn: Warning` makes warnings fail"));
        refused(&builds.build_with_config(form, "HostNetwork", &format!("{{{spec}, unmatched: Error}}")));
    }
}

#[test]
fn called_workloads_that_cannot_move_fail_until_excluded() {
    let Some(builds) = Builds::new() else { return };
    for form in FORMS {
        let first = refused(&builds.build_with_config(form, "HostNetwork", &format!("{{targets: [{CALLED}]}}")));
        assert!(first.contains("they stay on the pod network: Deployment shop/own-users."), "{first}");
        assert!(!first.contains("shop/web"), "{first}");
        let exclude = first.split('`').nth(1).unwrap();
        assert_eq!(exclude, "exclude: [{kind: Deployment, namespace: shop, name: own-users}]");
        let build =
            built(&builds.build_with_config(form, "HostNetwork", &format!("{{targets: [{CALLED}], {exclude}}}")));
        assert_eq!(build.matches("hostNetwork: true").count(), 1, "{build}");
        let never =
            built(&builds.build_with_config(form, "HostNetwork", &format!("{{targets: [{CALLED}], failOn: Never}}")));
        assert!(!never.contains("hostNetwork: true"), "a build with errors goes through unchanged");
    }
    // A workload that the API server does not call may stay on the pod network.
    let quiet = OBJECTS.split("---\napiVersion: v1\nkind: Service").next().unwrap().to_owned();
    let files = [
        ("objects.yaml", quiet),
        (
            "hostnet.yaml",
            config(Form::Plugin, "HostNetwork", "hooks", "{targets: [{select: {kind: Deployment}, ports: auto}]}"),
        ),
    ];
    let build = built(&builds.build("resources: [objects.yaml]\ntransformers: [hostnet.yaml]\n", &files));
    assert_eq!(build.matches("hostNetwork: true").count(), 1, "{build}");
}

/// The table of docs/kustomize-hides.md: since v5.4.0 kustomize drops the messages of a successful exec plugin; those
/// from functions are shown.
#[test]
fn messages_of_a_build_that_succeeds_are_shown_by_form_and_version() {
    let Some(builds) = Builds::new() else { return };
    let spec = format!("{{targets: [{{select: {{name: web}}, ports: auto}}, {NOBODY}]}}");
    for form in FORMS {
        let output = builds.build_with_config(form, "HostNetwork", &spec);
        assert!(built(&output).contains("hostNetwork: true"));
        assert_eq!(text(&output.stderr).contains("warning: HostNetwork hooks"), form != Form::Plugin, "{form:?}");
    }
    // Some installations have more versions next to kubectl: `kubectl.1.30` has kustomize v5.0.4, `kubectl.1.31`
    // v5.4.2.
    let Some(folder) = host("kubectl").and_then(|kubectl| Some(kubectl.canonicalize().ok()?.parent()?.to_owned()))
    else {
        return;
    };
    let files = [("objects.yaml", OBJECTS), ("hostnet.yaml", &config(Form::Plugin, "HostNetwork", "hooks", &spec))];
    let kustomization = "resources: [objects.yaml]\ntransformers: [hostnet.yaml]\n";
    for (minor, is_shown) in [(27, true), (30, true), (31, false), (33, false)] {
        let kubectl = folder.join(format!("kubectl.1.{minor}"));
        if !kubectl.is_file() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files.iter().copied().chain([("kustomization.yaml", kustomization)]) {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let mut command = command_with(&kubectl, &builds.scratch.path().join("programs"));
        command.env("KUSTOMIZE_PLUGIN_HOME", builds.scratch.path().join("home"));
        let output = run(command.args(["kustomize", "--enable-alpha-plugins"]).arg(folder.path()), b"");
        assert!(built(&output).contains("hostNetwork: true"));
        assert_eq!(text(&output.stderr).contains("warning: HostNetwork hooks"), is_shown, "kubectl 1.{minor}");
    }
}

/// Other hosts show warnings, so in a pipe both cases are only warnings.
#[test]
fn a_pipe_only_warns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostnet.yaml");
    for target in [CALLED, NOBODY] {
        std::fs::write(&path, config(Form::Plugin, "HostNetwork", "hooks", &format!("{{targets: [{target}]}}")))
            .unwrap();
        let output = run(Command::new(HOSTNET).args(["apply", "-c"]).arg(&path), OBJECTS.as_bytes());
        assert!(output.status.success() && text(&output.stderr).contains("warning: "), "{}", text(&output.stderr));
    }
}

#[test]
fn an_empty_build_succeeds() {
    let Some(builds) = Builds::new() else { return };
    for form in FORMS {
        for (kind, spec) in [
            ("HostNetwork", format!("{{targets: [{NOBODY}], unmatched: Error}}")),
            (
                "ProxyEnvironment",
                "{httpsProxy: 'http://p:3128', targets: [{select: {name: a}}], networkPolicy: Functions}".to_owned(),
            ),
            ("PackageMirror", "{rules: [{from: a.example.com, to: b.example.com}]}".to_owned()),
            ("HostNetworkCheck", "{select: [{name: nobody}]}".to_owned()),
        ] {
            let files = [("hostnet.yaml", config(form, kind, "hooks", &spec))];
            assert_eq!(
                built(&builds.build("resources: []\ntransformers: [hostnet.yaml]\n", &files)),
                "",
                "{form:?} {kind}"
            );
        }
    }
}

#[test]
fn a_config_under_generators_is_refused() {
    let Some(builds) = Builds::new() else { return };
    // Only without a container does the function see the kustomization.
    for form in [Form::Plugin, Form::Exec] {
        let config = config(form, "HostNetwork", "hooks", &format!("{{targets: [{CALLED}]}}"));
        let files = [("objects.yaml", OBJECTS.to_owned()), ("hostnet.yaml", config)];
        let first = refused(&builds.build("resources: [objects.yaml]\ngenerators: [hostnet.yaml]\n", &files));
        assert!(first.starts_with("HostNetwork hooks is listed under generators"), "{first}");
    }
}

#[test]
fn a_check_before_a_config_that_changes_fails() {
    let Some(builds) = Builds::new() else { return };
    for form in [Form::Plugin, Form::Exec] {
        let files = [
            ("objects.yaml", OBJECTS.to_owned()),
            ("check.yaml", config(form, "HostNetworkCheck", "last", "{}")),
            ("hostnet.yaml", config(form, "HostNetwork", "hooks", "{targets: [{select: {name: web}, ports: auto}]}")),
        ];
        let list = |order: &str| format!("resources: [objects.yaml]\ntransformers: [{order}]\n");
        let first = refused(&builds.build(&list("check.yaml, hostnet.yaml"), &files));
        assert!(first.starts_with("HostNetworkCheck last is listed before HostNetwork hooks"), "{first}");
        assert!(built(&builds.build(&list("hostnet.yaml, check.yaml"), &files)).contains("hostNetwork: true"));
    }
}

/// Returns the objects of a build, with variables sorted.
fn objects(build: &str) -> Vec<serde_json::Value> {
    fn sort(value: &mut serde_json::Value) {
        if let Some(env) = value.get_mut("env").and_then(serde_json::Value::as_array_mut) {
            env.sort_by_key(|variable| variable["name"].to_string());
        }
        match value {
            serde_json::Value::Array(items) => items.iter_mut().for_each(sort),
            serde_json::Value::Object(fields) => fields.values_mut().for_each(sort),
            _ => {}
        }
    }
    let documents = serde_yaml::Deserializer::from_str(build);
    let mut all: Vec<serde_json::Value> =
        documents.map(|document| serde::Deserialize::deserialize(document).unwrap()).collect();
    all.iter_mut().for_each(sort);
    all.sort_by_key(|object| (object["kind"].to_string(), object["metadata"]["name"].to_string()));
    all
}

const ORDERS: [[&str; 3]; 6] = [
    ["hostnet", "proxy", "mirror"],
    ["hostnet", "mirror", "proxy"],
    ["proxy", "hostnet", "mirror"],
    ["proxy", "mirror", "hostnet"],
    ["mirror", "hostnet", "proxy"],
    ["mirror", "proxy", "hostnet"],
];

#[test]
fn all_orders_of_the_three_kinds_give_one_result() {
    let Some(builds) = Builds::new() else { return };
    let core = std::fs::read_to_string(project().join("examples/crossplane-core/base/crossplane.yaml")).unwrap();
    let packages = "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: provider-aws-sqs}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-sqs:v2.6.0'}
---
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-auto-ready}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/function-auto-ready:v0.4.0'}
";
    let hostnet = "{targets: [{select: {kind: Deployment, name: crossplane}, ports: {webhook: 20443, metrics: 20080, health: 20081}}, \
                   {select: {group: pkg.crossplane.io, kind: Provider}, ports: auto}]}";
    let mirror = "{rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], select: [{group: pkg.crossplane.io}, {kind: Deployment}]}";
    let of = |nodes: &str, order: [&str; 3]| {
        let proxy = format!(
            "{{httpsProxy: 'http://p.example.com:3128', networkPolicy: Functions, cluster: {{pods: [10.244.0.0/16]{nodes}}}, \
             targets: [{{select: {{kind: Deployment, name: crossplane}}}}, {{select: {{group: pkg.crossplane.io}}}}]}}"
        );
        let files = [
            ("core.yaml", core.clone()),
            ("packages.yaml", packages.to_owned()),
            ("hostnet.yaml", config(Form::Plugin, "HostNetwork", "hooks", hostnet)),
            ("proxy.yaml", config(Form::Plugin, "ProxyEnvironment", "proxy", &proxy)),
            ("mirror.yaml", config(Form::Plugin, "PackageMirror", "mirror", mirror)),
        ];
        let order = order.map(|name| format!("{name}.yaml")).join(", ");
        builds.build(&format!("resources: [core.yaml, packages.yaml]\ntransformers: [{order}]\n"), &files)
    };
    let first = objects(&built(&of(", nodes: [10.0.0.0/16]", ORDERS[0])));
    let policy = first.iter().find(|object| object["kind"] == "NetworkPolicy").unwrap();
    assert_eq!(policy["spec"]["ingress"][0]["from"], serde_json::json!([{"ipBlock": {"cidr": "10.0.0.0/16"}}]));
    for order in &ORDERS[1..] {
        assert_eq!(objects(&built(&of(", nodes: [10.0.0.0/16]", *order))), first, "{order:?}");
    }
    // Without node addresses the build fails in every order, because policies with labels cannot match Crossplane's
    // pods on the host network.
    for order in ORDERS {
        assert!(refused(&of("", order)).contains("cluster: {nodes: [...]}"), "{order:?}");
    }
}

#[test]
fn an_overlay_builds_a_kustomization_that_renames() {
    let Some(builds) = Builds::new() else { return };
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("a base");
    std::fs::create_dir(&base).unwrap();
    let quiet = OBJECTS.replace("      hostUsers: false\n", "");
    std::fs::write(base.join("objects.yaml"), quiet).unwrap();
    std::fs::write(base.join("kustomization.yaml"), "namespace: prod\nnamePrefix: eu-\nresources: [objects.yaml]\n")
        .unwrap();
    let init = |overlay: &str| {
        let mut init = Command::new(HOSTNET);
        run(init.args(["init", "--overlay", overlay, "a base"]).current_dir(folder.path()), b"")
    };
    assert!(init("over/lay").status.success());
    let overlay = folder.path().join("over/lay");
    let kustomization = std::fs::read_to_string(overlay.join("kustomization.yaml")).unwrap();
    insta::assert_snapshot!(kustomization, @"
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    resources:
    - ../../a base
    transformers:
    - hostnet.yaml
    ");
    let build = built(&builds.build_folder(&overlay));
    assert_eq!((build.matches("hostNetwork: true").count(), build.matches("name: eu-web").count()), (2, 4), "{build}");
    let again = init("over/lay");
    assert!(!again.status.success() && text(&again.stderr).contains("already exists and is not overwritten"));
    let inside = init("a base/inside");
    assert!(!inside.status.success() && text(&inside.stderr).contains("cannot build a folder from inside of it"));
    assert!(!base.join("inside").exists());
}
