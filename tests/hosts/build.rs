//! `--build`: kustomize, kubectl or helm from the PATH build the folders, and no other program starts.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cases::{HOSTNET, host};
use crate::support::{run, text};

const APP: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: system}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 9443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: system}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'example/web:v1', args: ['--webhook-port=9443'], ports: [{name: hook, containerPort: 9443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks: [{name: a.example.com, clientConfig: {service: {name: web, namespace: system}}}]
";

const HOOKS: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata:
  name: hooks
spec:
  targets: [{select: {calledByApiServer: true}, ports: auto}]
";

/// Folders and files of a test, and a PATH with one program.
struct Repository {
    folder: tempfile::TempDir,
    programs: tempfile::TempDir,
}

impl Repository {
    /// Creates the files; `program` is the only program on the PATH.
    fn with(program: &Path, files: &[(&str, &str)]) -> Self {
        let (folder, programs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(program, programs.path().join(program.file_name().unwrap())).unwrap();
        let this = Self { folder, programs };
        for (name, content) in files {
            this.write(name, content);
        }
        this
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn program(&self, name: &str, script: &str) {
        self.write(name, &format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(HOSTNET);
        command.args(arguments.split(' ')).current_dir(self.folder.path()).env("PATH", self.programs.path());
        command.env("NO_COLOR", "1");
        command
    }

    fn run(&self, arguments: &str) -> Output {
        run(&mut self.command(arguments), b"")
    }

    /// Runs a command that must fail, and returns its error output.
    fn refused(&self, arguments: &str, code: i32) -> String {
        let output = self.run(arguments);
        let log = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {}{log}", text(&output.stdout));
        assert_eq!(text(&output.stdout), "", "{arguments}");
        log
    }

    /// Runs a command that must succeed, and returns its output.
    fn printed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Runs the build with the function, as it is deployed.
    fn real_build(&self, program: &Path, folder: &str) -> Output {
        let home = self.path("plugin-home");
        assert!(run(Command::new(HOSTNET).args(["install", "--kustomize-plugin"]).arg(&home), b"").status.success());
        let verb = if program.ends_with("kubectl") { "kustomize" } else { "build" };
        let mut command = Command::new(program);
        command.args([verb, "--enable-alpha-plugins", folder]).current_dir(self.folder.path());
        run(command.env("KUSTOMIZE_PLUGIN_HOME", home), b"")
    }
}

fn builders() -> Vec<PathBuf> {
    ["kustomize", "kubectl"].into_iter().filter_map(host).collect()
}

/// A repository with kustomize of any version on the PATH.
fn kustomize(files: &[(&str, &str)]) -> Option<Repository> {
    let program = host("kustomize")?;
    Some(Repository::with(&program, files))
}

fn overlay(extra: &str) -> String {
    format!("resources: [../base]\nnamespace: ops\nnamePrefix: my-\n{extra}")
}

fn annotated(function: &str) -> String {
    HOOKS.replace(
        "  name: hooks\n",
        &format!("  name: hooks\n  annotations: {{config.kubernetes.io/function: '{function}'}}\n"),
    )
}

#[test]
fn pin_writes_the_keys_that_the_function_uses() {
    for name in ["kustomize", "kubectl"] {
        let Some(program) = host(name) else { continue };
        for (of_base, of_overlay, config, key) in [
            ("", "transformers: [hostnet.yaml]\n", "overlay/hostnet.yaml", "ops/Deployment/my-web/hook"),
            ("transformers: [hostnet.yaml]\n", "", "base/hostnet.yaml", "system/Deployment/web/hook"),
        ] {
            let repository = Repository::with(
                &program,
                &[
                    ("base/app.yaml", APP),
                    ("base/kustomization.yaml", &format!("resources: [app.yaml]\n{of_base}")),
                    ("overlay/kustomization.yaml", &overlay(of_overlay)),
                    (config, &HOOKS.replace("spec:\n", "spec:\n  requireAssigned: true\n")),
                ],
            );
            let before = repository.real_build(&program, "overlay");
            assert!(!before.status.success(), "{name}: without recorded numbers the build must fail");
            let pinned = repository.run(&format!("pin -c {config} --build overlay"));
            assert!(pinned.status.success(), "{name}: {}", text(&pinned.stderr));
            assert!(text(&pinned.stderr).contains(&format!("{key}: ")), "{name}: {}", text(&pinned.stderr));
            let after = repository.real_build(&program, "overlay");
            assert!(after.status.success(), "{name}: {}", text(&after.stderr));
            let ranges = repository.printed(&format!("ports -c {config} -o ranges --build overlay"));
            let number = ranges.trim().strip_prefix("TCP ").unwrap();
            assert!(text(&after.stdout).contains(&format!("hostPort: {number}\n")), "{ranges}{}", text(&after.stdout));
            assert_eq!(repository.run(&format!("pin -c {config} --check --build overlay")).status.code(), Some(0));
        }
    }
}

/// In a build for `--build`, hostnet's own functions return their objects unchanged, whatever their form.
#[test]
fn hostnet_functions_pass_objects_through() {
    for (form, is_top) in [
        (HOOKS.to_owned(), true),
        (annotated("exec: {path: hostnet}"), true),
        (annotated("container: {image: registry.example.com/hostnet:1}"), true),
        (annotated("container: {image: registry.example.com/hostnet:1}"), false),
    ] {
        let (top, base) = if is_top { ("transformers: [h.yaml]\n", "") } else { ("", "transformers: [h.yaml]\n") };
        let folder = if is_top { "overlay" } else { "base" };
        let files = [
            ("base/app.yaml", APP),
            ("base/kustomization.yaml", &format!("resources: [app.yaml]\n{base}")),
            ("overlay/kustomization.yaml", &overlay(top)),
            (&format!("{folder}/h.yaml"), &form),
        ];
        let Some(repository) = kustomize(&files) else { return };
        let name = if is_top { "ops/Deployment/my-web" } else { "system/Deployment/web" };
        let table = repository.printed(&format!("ports -c {folder}/h.yaml --build overlay"));
        assert!(table.contains(&format!("{name} ")), "{form}: {table}");
        let survey = repository.printed("ports --build overlay");
        assert!(survey.contains("ops/Deployment/my-web ") && survey.contains("9443/TCP"), "{form}: {survey}");
    }
}

/// kustomize skips an exec function below the folder, so the names that the function sees are unknown.
#[test]
fn an_exec_function_below_the_folder_is_refused() {
    let files = [
        ("base/app.yaml", APP),
        ("base/kustomization.yaml", "resources: [app.yaml]\ntransformers: [h.yaml]\n"),
        ("base/h.yaml", &annotated("exec: {path: hostnet}")),
        ("overlay/kustomization.yaml", &overlay("")),
    ];
    let Some(repository) = kustomize(&files) else { return };
    let log = repository.refused("pin -c base/h.yaml --build overlay", 1);
    assert!(log.contains("skips the exec function HostNetwork hooks"), "{log}");
    assert!(repository.run("pin -c base/h.yaml --check --build base").status.code() == Some(1), "it differs");
    assert!(repository.run("pin -c base/h.yaml --build overlay --allow-plugins").status.success());
    assert!(repository.run("ports -c base/h.yaml --build overlay --allow-plugins").status.success());
}

/// Every command accepts `--build` with a folder or a kustomization file.
#[test]
fn every_command_reads_the_build() {
    for program in builders() {
        let repository = Repository::with(
            &program,
            &[
                ("base/app.yaml", APP),
                ("base/kustomization.yaml", "resources: [app.yaml]\n"),
                ("overlay/kustomization.yaml", &overlay("")),
                ("hostnet.yaml", HOOKS),
            ],
        );
        for (command, shown) in [
            ("ports -c hostnet.yaml", "ops/Deployment/my-web"),
            ("explain my-web -c hostnet.yaml", "ops/Deployment/my-web"),
            ("mirror list", "Deployment ops/my-web"),
            ("proxy check", "no container has"),
            ("check", "3 objects, 1 workload"),
            ("init --to -", "calledByApiServer: true"),
        ] {
            for path in ["overlay", "overlay/kustomization.yaml"] {
                let printed = repository.printed(&format!("{command} --build {path}"));
                assert!(printed.contains(shown), "{command}: {printed}");
            }
        }
    }
}

#[test]
fn findings_are_at_the_lines_of_the_sources() {
    let on_host = APP.replace("    spec:\n      containers:", "    spec:\n      hostNetwork: true\n      containers:");
    let two =
        format!("{on_host}---\n{}", on_host.replace("name: web", "name: web-b").replace("app: web", "app: web-b"));
    let files = [
        ("base/app.yaml", two.as_str()),
        ("base/kustomization.yaml", "resources: [app.yaml]\n"),
        ("overlay/kustomization.yaml", &overlay("")),
    ];
    let Some(repository) = kustomize(&files) else { return };
    let output = repository.run("check -o json --build overlay");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let dns: Vec<_> = findings.iter().filter(|one| one["rule"] == "dns-policy").collect();
    assert_eq!(dns.len(), 2, "{report}");
    let line_of = |name: &str| {
        let of_name = |one: &&&serde_json::Value| one["resourceRef"]["name"] == name;
        let finding = dns.iter().find(of_name).unwrap();
        assert_eq!(finding["place"]["file"], "base/app.yaml", "{finding}");
        usize::try_from(finding["place"]["line"].as_u64().unwrap()).unwrap()
    };
    let lines: Vec<usize> =
        two.lines().enumerate().filter(|(_, line)| *line == "      hostNetwork: true").map(|(at, _)| at + 1).collect();
    assert_eq!(vec![line_of("my-web"), line_of("my-web-b")], lines);
    let screen = text(&repository.run("check -v --build overlay").stdout);
    assert!(screen.contains("base/app.yaml:") && !screen.contains("standard input"), "{screen}");
}

/// The command that a message suggests for a kustomization with renames reads the build, and it works.
#[test]
fn the_suggested_command_works() {
    let files = [
        ("app/base/app.yaml", APP),
        ("app/base/kustomization.yaml", "resources: [app.yaml]\nnamePrefix: my-\npatches: [{path: p.yaml}]\n"),
        (
            "app/base/p.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: system, labels: {a: b}}\n",
        ),
        ("top/kustomization.yaml", "resources: [../app/base]\n"),
        ("hostnet.yaml", HOOKS),
    ];
    let Some(repository) = kustomize(&files) else { return };
    for (command, path) in [
        ("check", "app/base"),
        ("check -c hostnet.yaml", "app"),
        ("ports --sources -c hostnet.yaml", "app"),
        ("ports --sources -o ranges -c hostnet.yaml", "app/base"),
        ("pin --sources -c hostnet.yaml", "app"),
        ("explain web --sources -c hostnet.yaml", "app"),
        ("mirror list --sources", "app/base"),
        ("proxy check --sources", "app"),
        ("init --to -", "app"),
        ("ports --sources -c hostnet.yaml", "top"),
    ] {
        let output = repository.run(&format!("{command} {path}"));
        // `check` names unread parts in its report.
        let log = format!("{}{}", text(&output.stdout), text(&output.stderr));
        let next = log.split('`').skip(1).step_by(2).find(|code| code.contains(" --build "));
        let Some(next) = next.and_then(|next| next.strip_prefix("hostnet ")) else { panic!("{command}: {log}") };
        assert_eq!(log.matches("--build").count(), 1, "{command}: {log}");
        let output = repository.run(next);
        let answer = text(&output.stderr);
        assert!(!answer.contains("the kustomization sets"), "{next}: {answer}");
        // The build no longer has an object with the original name.
        let is_gone = command.starts_with("explain") && answer.contains("system/Deployment/my-web");
        assert!(output.status.success() || is_gone, "{next}: {answer}");
    }
}

/// Programs that a kustomization or chart names never start; each would leave a marker file.
#[test]
fn nothing_of_a_folder_is_started() {
    let other = "apiVersion: example.com/v1\nkind: Evil\nmetadata:\n  name: evil\n";
    let function = |text: &str| {
        other.replace(
            "  name: evil\n",
            &format!("  name: evil\n  annotations: {{config.kubernetes.io/function: '{text}'}}\n"),
        )
    };
    let evil_own = annotated("exec: {path: ./evil.sh}");
    let indented = function("exec: {path: ./evil.sh}").replace('\n', "\n  ");
    let of_lines: Vec<(String, &str)> = vec![
        ("transformers: [evil.yaml]\n".into(), "--allow-plugins"),
        ("generators: [evil.yaml]\n".into(), "--allow-plugins"),
        ("validators: [evil.yaml]\n".into(), "--allow-plugins"),
        ("transformers: [own.yaml]\n".into(), "--allow-plugins"),
        ("transformers: [plugin.yaml]\n".into(), "--allow-plugins"),
        ("transformers: [container.yaml]\n".into(), "--allow-plugins"),
        ("transformers: [functions]\n".into(), "--allow-plugins"),
        (format!("transformers:\n- |\n  {indented}\n"), "--allow-plugins"),
        ("Transformers: [evil.yaml]\n".into(), "is not a field of a kustomization"),
        ("transformers: &a [evil.yaml]\nvalidators: *a\n".into(), "--allow-plugins"),
        ("transformers: []\ntransformers: [evil.yaml]\n".into(), "twice"),
        ("resources: [app.yaml, 'https://example.com/a.yaml']\n".into(), "--allow-remote"),
        ("resources: ['github.com/o/r']\n".into(), "--allow-remote"),
        ("resources: ['GitHub.com/o/r']\n".into(), "--allow-remote"),
        ("resources: ['git@example.com:o/r']\n".into(), "--allow-remote"),
        ("components: ['https://example.com/o/r?ref=v1']\n".into(), "--allow-remote"),
        ("patches: [{path: 'HTTPS://example.com/p.yaml'}]\n".into(), "--allow-remote"),
        ("patchesStrategicMerge: ['https://example.com/p.yaml']\n".into(), "--allow-remote"),
        ("configMapGenerator: [{name: a, files: ['k=http://example.com/f']}]\n".into(), "--allow-remote"),
        ("openapi: {path: 'http://example.com/f'}\n".into(), "--allow-remote"),
        ("helmCharts: [{name: web, repo: 'https://example.com/c'}]\n".into(), "--allow-remote"),
        ("resources: [app.yaml, missing.yaml]\n".into(), "missing.yaml is listed but does not exist"),
        ("resources: [app.yaml, ../..]\n".into(), "it has no kustomization"),
        ("resources: [app.yaml, \"a\\nb\"]\n".into(), "a\\nb"),
        ("resources: [app.yaml, \"\\e[31mx\"]\n".into(), "\\u{1b}[31mx is listed"),
        ("resources: [app.yaml]\n---\nresources: []\n".into(), "one document"),
    ];
    for (lines, log) in of_lines {
        let resources = if lines.contains("resources:") { "" } else { "resources: [app.yaml]\n" };
        for is_below in [false, true] {
            let files = [
                ("a/app/app.yaml", APP),
                ("a/app/kustomization.yaml", &format!("{resources}{lines}")),
                ("a/app/evil.yaml", &function("exec: {path: ./evil.sh}")),
                ("a/app/own.yaml", &evil_own),
                ("a/app/plugin.yaml", other),
                ("a/app/container.yaml", &function("container: {image: evil:1}")),
                ("a/app/functions/kustomization.yaml", "resources: [../evil.yaml]\nnamePrefix: a-\n"),
                ("a/top/kustomization.yaml", "resources: [../app]\n"),
            ];
            let Some(repository) = kustomize(&files) else { return };
            let mark = repository.path("mark");
            let script = format!("cat; : >{}", mark.display());
            repository.program("a/app/evil.sh", &script);
            repository.program("home/example.com/v1/evil/Evil", &script);
            repository.program("programs/docker", &script);
            repository.program("programs/git", &script);
            let folder = if is_below { "a/top" } else { "a/app" };
            let mut command = repository.command(&format!("ports --build {folder}"));
            let path =
                [repository.path("programs"), repository.programs.path().to_owned(), "/usr/bin".into(), "/bin".into()];
            command.env("PATH", std::env::join_paths(path).unwrap());
            let output = run(command.env("KUSTOMIZE_PLUGIN_HOME", repository.path("home")), b"");
            let message = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{lines}{message}{}", text(&output.stdout));
            assert!(message.contains(log), "{lines}{message}");
            assert!(!mark.exists(), "{lines}: something was started");
            assert!(!message.contains('\u{1b}'), "{message:?}");
        }
    }
}

/// Kustomizations that look similar to rejected ones, but start no program, are built.
#[test]
fn kustomizations_without_programs_are_built() {
    for lines in [
        "transformers:\n- |\n  {apiVersion: builtin, kind: PrefixTransformer, metadata: {name: p}, prefix: my-, fieldSpecs: [{path: metadata/name}]}\n",
        "configMapGenerator: [{name: a, literals: ['url=https://example.com/']}]\n",
        "commonAnnotations: {docs: 'https://example.com/'}\n",
        "patches: [{target: {kind: Deployment}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"u\": \"http\"}}]'}]\n",
        "patches:\n- target: {kind: Deployment}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {u: a=http://127.0.0.1}}\n",
        "patchesStrategicMerge:\n- |\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: web, namespace: system, annotations: {u: '--x=http://y'}}\n",
        "components: [part]\n",
        "replicas: [{name: web, count: 2}]\nlabels: [{pairs: {a: b}}]\nbuildMetadata: [originAnnotations]\n",
    ] {
        let files = [
            ("app/app.yaml", APP),
            ("app/kustomization.yaml", &format!("resources: [app.yaml]\n{lines}")),
            (
                "app/part/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -x\n",
            ),
        ];
        let Some(repository) = kustomize(&files) else { return };
        assert!(repository.printed("ports --build app").contains("9443/TCP"), "{lines}");
        assert!(repository.printed("ports --build app/").contains("9443/TCP"), "{lines}");
    }
}

/// With `--allow-plugins` the folder's programs run, so the flag is the only protection against them.
#[test]
fn allowed_plugins_run() {
    let function = "apiVersion: example.com/v1\nkind: Other\nmetadata:\n  name: o\n  annotations: {config.kubernetes.io/function: 'exec: {path: ./other.sh}'}\n";
    let files = [
        ("app/app.yaml", APP),
        ("app/kustomization.yaml", "resources: [app.yaml]\ntransformers: [other.yaml]\n"),
        ("app/other.yaml", function),
    ];
    let Some(repository) = kustomize(&files) else { return };
    let mark = repository.path("mark");
    repository.program("app/other.sh", &format!("cat; : >{}", mark.display()));
    let mut command = repository.command("ports --build --allow-plugins app");
    let path = [repository.programs.path().to_owned(), "/usr/bin".into(), "/bin".into()];
    let output = run(command.env("PATH", std::env::join_paths(path).unwrap()), b"");
    assert!(output.status.success() && mark.exists(), "{}", text(&output.stderr));
}

#[test]
fn a_missing_builder_is_reported_with_the_manual_command() {
    let Some(repository) = kustomize(&[("app/app.yaml", APP), ("app/kustomization.yaml", "resources: [app.yaml]\n")])
    else {
        return;
    };
    std::fs::remove_file(repository.programs.path().join("kustomize")).unwrap();
    let log = repository.refused("ports --build app", 1);
    assert!(log.contains("found neither") && log.contains("`kustomize build app | hostnet ports -`"), "{log}");
    // A program in the current folder is not used, even if the PATH contains `.`.
    repository.program("kustomize", "echo evil");
    let mut command = repository.command("ports --build app");
    let output = run(command.env("PATH", ".:"), b"");
    assert!(text(&output.stderr).contains("found neither"), "{}", text(&output.stderr));
}

#[test]
fn wrong_use_of_build_exits_with_2() {
    let Some(repository) = kustomize(&[("app/app.yaml", APP), ("app/kustomization.yaml", "resources: [app.yaml]\n")])
    else {
        return;
    };
    for usage in [
        "ports --build -",
        "ports --build app/app.yaml",
        "ports --build --sources app",
        "ports --allow-remote app",
        "check --allow-plugins app",
    ] {
        repository.refused(usage, 2);
    }
    repository.write("other.yaml", &APP.replace("namespace: system", "namespace: other"));
    let both = repository.printed("ports --build app other.yaml");
    assert!(both.contains("system/Deployment/web ") && both.contains("other/Deployment/web "), "{both}");
}

#[test]
fn a_failed_build_shows_the_reason() {
    let files =
        [("app/app.yaml", APP), ("app/kustomization.yaml", "resources: [app.yaml]\npatches: [{path: no.yaml}]\n")];
    let Some(repository) = kustomize(&files) else { return };
    let log = repository.refused("check --build app", 1);
    assert!(log.contains("`kustomize build app` failed") && log.contains("no.yaml"), "{log}");
}

#[test]
fn a_chart_is_rendered() {
    let Some(helm) = host("helm") else { return };
    let template = APP.replace("name: web, namespace: system", "name: '{{ .Release.Name }}-x', namespace: system");
    let files = [
        ("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("chart/templates/app.yaml", template.as_str()),
        ("chart/values.schema.json", "{\"$ref\": \"https://example.com/schema.json\"}"),
    ];
    let repository = Repository::with(&helm, &files);
    assert!(repository.printed("ports --build chart").contains("system/Deployment/shop-x "));
    std::os::unix::fs::symlink("/etc/hostname", repository.path("chart/templates/link.yaml")).unwrap();
    assert!(repository.refused("ports --build chart", 1).contains("outside of the chart"));
    std::fs::remove_file(repository.programs.path().join("helm")).unwrap();
    std::fs::remove_file(repository.path("chart/templates/link.yaml")).unwrap();
    assert!(repository.refused("ports --build chart", 1).contains("`helm template shop chart | hostnet ports -`"));
}
