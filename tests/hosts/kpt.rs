//! `kpt fn eval --exec`, and `kpt fn source | hostnet | kpt fn sink`.

use crate::cases::{
    Case, EXAMPLE, Failures, HOSTNET, canonical, case, cases, command, command_with, copy, host, refusals, unmoved,
};
use crate::kustomize_matrix::bench::{difference, objects};
use crate::support::{project, run, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn eval(kpt: &Path, package: &Path, function: &str, config: &Path, functions: &Path) -> Output {
    let mut command = command_with(kpt, functions);
    command.args(["fn", "eval"]).arg(package).args(["--truncate-output=false", "--exec", function]);
    run(command.arg("--fn-config").arg(config), b"")
}

fn binary_folder() -> &'static Path {
    Path::new(HOSTNET).parent().unwrap()
}

/// Returns the cases with the function's input from kustomize, as a kpt package of one file.
fn packages(cases: Vec<Case>) -> Vec<(Case, String)> {
    let Some(kustomize) = host("kustomize") else { return Vec::new() };
    let cases = cases.into_iter().filter(|case| !case.renames_afterwards());
    cases.map(|case| (unmoved(&kustomize, &case.folder), case)).map(|(stream, case)| (case, stream)).collect()
}

/// Joins all manifests of a package.
fn all(package: &Path) -> String {
    let entries = std::fs::read_dir(package).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| if path.is_dir() { all(&path) } else { std::fs::read_to_string(path).unwrap() };
    entries.map(text).collect::<Vec<_>>().join("\n---\n")
}

#[test]
fn every_case_evaluates_to_its_want() {
    let Some(kpt) = host("kpt") else { return };
    let mut failures = Failures::default();
    for (case, stream) in packages(cases()) {
        let package = tempfile::tempdir().unwrap();
        std::fs::write(package.path().join("all.yaml"), stream).unwrap();
        let output = eval(&kpt, package.path(), "hostnet", &case.config(), binary_folder());
        if output.status.success() {
            failures.compare(&case.name, &canonical(&case.want), &canonical(&all(package.path())));
        } else {
            failures.add(format!("{}: {}\n{}", case.name, output.status, text(&output.stderr)));
        }
    }
    failures.end();
}

#[test]
fn refused_cases_leave_the_package_unchanged() {
    let Some(kpt) = host("kpt") else { return };
    let mut failures = Failures::default();
    for (case, stream) in packages(refusals()) {
        let package = tempfile::tempdir().unwrap();
        let file = package.path().join("all.yaml");
        std::fs::write(&file, &stream).unwrap();
        failures.add(case.not_refused(&eval(&kpt, package.path(), "hostnet", &case.config(), binary_folder())));
        failures.compare(&case.name, &stream, &std::fs::read_to_string(&file).unwrap());
    }
    failures.end();
}

#[test]
fn every_case_goes_from_source_to_sink() {
    let Some(kpt) = host("kpt") else { return };
    let mut failures = Failures::default();
    for (case, stream) in packages(cases()) {
        let folder = tempfile::tempdir().unwrap();
        let (package, moved_to) = (folder.path().join("package"), folder.path().join("moved"));
        std::fs::create_dir(&package).unwrap();
        std::fs::write(package.join("all.yaml"), stream).unwrap();
        let mut source = command(&kpt);
        let list = run(source.args(["fn", "source"]).arg(&package).arg("--fn-config").arg(case.config()), b"");
        assert!(list.status.success(), "{}", text(&list.stderr));
        let moved = run(&mut Command::new(HOSTNET), &list.stdout);
        if !moved.status.success() {
            failures.add(format!("{}: {}\n{}", case.name, moved.status, text(&moved.stderr)));
            continue;
        }
        let sink = run(command(&kpt).args(["fn", "sink"]).arg(&moved_to), &moved.stdout);
        assert!(sink.status.success(), "{}: {}", case.name, text(&sink.stderr));
        failures.compare(&case.name, &canonical(&case.want), &canonical(&all(&moved_to)));
    }
    failures.end();
}

/// kpt formats its input and puts new keys last. Compared with the package after a function that changes nothing, only
/// hostnet's changes differ.
#[test]
fn the_example_changes_only_its_own_lines() {
    let Some(kpt) = host("kpt") else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = project().join(EXAMPLE).join("hostnet.yaml");
    let mut files = Vec::new();
    for function in ["cat", "hostnet"] {
        let package = folder.path().join(function);
        copy(&project().join(EXAMPLE).join("base"), &package);
        let output = eval(&kpt, &package, function, &config, binary_folder());
        assert!(output.status.success(), "{}", text(&output.stderr));
        files.push(std::fs::read_to_string(package.join("crossplane.yaml")).unwrap());
    }
    insta::assert_snapshot!(changed_lines(&files[0], &files[1]), @r#"
    -    targetPort: 9443
    +    targetPort: webhooks
    -        prometheus.io/port: "8080"
    +        prometheus.io/port: "20080"
    -      hostNetwork: false
    +      hostNetwork: true
    -              containerPort: 8081
    +              containerPort: 20081
    +              hostPort: 20081
    -              containerPort: 8080 # scraped
    +              containerPort: 20080 # scraped
    +              hostPort: 20080
    -              containerPort: 9443
    +              containerPort: 20443
    +              hostPort: 20443
    +            - name: HEALTH_PROBE_PORT
    +              value: "20081"
    +            - name: METRICS_PORT
    +              value: "20080"
    +            - name: WEBHOOK_PORT
    +              value: "20443"
    +      dnsPolicy: ClusterFirstWithHostNet
    "#);
}

fn changed_lines(old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    let changes = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changes.flat_map(|change| [change.tag().to_string(), change.value().to_owned()]).collect()
}

/// kustomize drops objects with `local-config` at the end; in a package they stay and must not change.
#[test]
fn a_local_object_is_unchanged() {
    let Some(kpt) = host("kpt") else { return };
    let folder = tempfile::tempdir().unwrap();
    let case = case("local-config");
    let mut drafts = Vec::new();
    for function in ["cat", "hostnet"] {
        let package = folder.path().join(function);
        std::fs::create_dir(&package).unwrap();
        std::fs::copy(case.folder.join("input.yaml"), package.join("input.yaml")).unwrap();
        let output = eval(&kpt, &package, function, &case.config(), binary_folder());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let file = std::fs::read_to_string(package.join("input.yaml")).unwrap();
        let (web, draft) = file.split_once("\n---\n").unwrap();
        assert_eq!(web.contains("hostPort: 21080"), function == "hostnet", "{web}");
        drafts.push(draft.to_owned());
    }
    assert_eq!(drafts[0], drafts[1]);
}

/// Errors and changes appear in kpt's results file.
#[test]
fn results_are_written_to_the_results_folder() {
    let Some(kpt) = host("kpt") else { return };
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    copy(&project().join(EXAMPLE).join("base"), &package);
    let mut command = command(&kpt);
    command.args(["fn", "eval"]).arg(&package).args(["--exec", "hostnet", "--fn-config"]);
    command.arg(project().join(EXAMPLE).join("hostnet.yaml")).arg("--results-dir").arg(folder.path().join("results"));
    let output = run(&mut command, b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let results = std::fs::read_to_string(folder.path().join("results/results.yaml")).unwrap();
    let results: serde_yaml::Value = serde_yaml::from_str(&results).unwrap();
    let results = results["items"][0]["results"].as_sequence().unwrap();
    let port = results.iter().find(|result| result["field"]["proposedValue"] == 20443).unwrap();
    assert_eq!(port["severity"], "info");
    assert_eq!(port["resourceRef"]["name"], "crossplane");
    assert_eq!(port["file"]["path"], "crossplane.yaml");
    assert_eq!(port["field"]["path"], "spec.template.spec.containers[0].ports[2].containerPort");
    assert_eq!(port["field"]["currentValue"], 9443);
    assert!(port["tags"]["rule"].as_str().is_some_and(|rule| !rule.is_empty()), "{port:?}");
}

/// Asserts that a failing function leaves the package unchanged, and returns the error output.
pub(crate) fn failing_eval(kpt: &Path, config: &Path, functions: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    copy(&project().join(EXAMPLE).join("base"), &package);
    let output = eval(kpt, &package, "hostnet", config, functions);
    assert!(!output.status.success(), "kpt passed: {}", text(&output.stderr));
    for file in ["crossplane.yaml", "kustomization.yaml"] {
        let before = std::fs::read(project().join(EXAMPLE).join("base").join(file)).unwrap();
        let after = std::fs::read(package.join(file)).unwrap_or_else(|error| panic!("{file} is missing: {error}"));
        assert!(before == after, "{file} changed");
    }
    assert_eq!(std::fs::read_dir(&package).unwrap().count(), 2, "kpt left other files");
    text(&output.stderr)
}

/// Crossplane packages in two files, and a ControllerConfig in another file.
const PACKAGE: [(&str, &str); 3] = [
    (
        "providers.yaml",
        "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: ec2}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.6.0'}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: s3}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0', controllerConfigRef: {name: old}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: last}
",
    ),
    (
        "sub/more.yaml",
        "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: rds}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-rds:v2.6.0', runtimeConfigRef: {name: shared}}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: sns}
spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-sns:v2.6.0', runtimeConfigRef: {name: shared}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: shared}
spec:
  serviceAccountTemplate: {metadata: {annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/demo'}}}
",
    ),
    (
        "old.yaml",
        "apiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: old}\nspec: {args: [--debug]}\n",
    ),
];

/// Kustomizations of that package: in block and in flow style, without `kind`, and with a patch of the removed object.
const KUSTOMIZATIONS: [&str; 4] = [
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- providers.yaml\n- sub/more.yaml\n- ./old.yaml\n",
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [providers.yaml, sub/more.yaml, old.yaml]\n",
    "resources: [providers.yaml, sub/more.yaml, old.yaml]\nnamespace: ops\n",
    "resources: [providers.yaml, sub/more.yaml, old.yaml]\npatches:\n- patch: '{apiVersion: pkg.crossplane.io/v1alpha1, kind: ControllerConfig, metadata: {name: old}}'\n",
];

/// A kustomization of files changed in place builds the same objects as a pipe: it lists the files of new objects, and
/// no listed file is missing.
#[test]
fn a_kustomization_builds_changed_files_as_a_pipe_does() {
    let (Some(kpt), Some(kustomize)) = (host("kpt"), host("kustomize")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("hostnet.yaml");
    let spec = "{targets: [{select: {kind: Provider}, ports: auto}], crossplane: {version: v1.20.11}}";
    let head = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: packages}\n";
    std::fs::write(&config, format!("{head}spec: {spec}\n")).unwrap();
    for (number, kustomization) in KUSTOMIZATIONS.iter().enumerate() {
        let package = |way: &str| {
            let package = folder.path().join(format!("{way}-{number}"));
            for (name, text) in PACKAGE.iter().copied().chain([("kustomization.yaml", *kustomization)]) {
                let path = package.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            package
        };
        let build = |package: &Path| {
            let built = run(command(&kustomize).arg("build").arg(package), b"");
            assert!(built.status.success(), "{kustomization}{}", text(&built.stderr));
            built.stdout
        };
        let plain = build(&package("plain"));
        let piped = run(Command::new(HOSTNET).args(["apply", "-c"]).arg(&config), &plain);
        assert!(piped.status.success(), "{}", text(&piped.stderr));
        let wanted = objects(&piped.stdout);

        let evaluated = package("eval");
        let output = eval(&kpt, &evaluated, "hostnet", &config, binary_folder());
        assert!(output.status.success(), "{}", text(&output.stderr));

        let source =
            run(command(&kpt).args(["fn", "source"]).arg(package("source")).arg("--fn-config").arg(&config), b"");
        let moved = run(&mut Command::new(HOSTNET), &source.stdout);
        assert!(moved.status.success(), "{}", text(&moved.stderr));
        let written = folder.path().join(format!("sink-{number}"));
        let sink = run(command(&kpt).args(["fn", "sink"]).arg(&written), &moved.stdout);
        assert!(sink.status.success(), "{}", text(&sink.stderr));

        let files = package("files");
        let output =
            run(Command::new(HOSTNET).args(["apply", "--in-place", "--sources", "-c"]).arg(&config).arg(&files), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));

        for changed in [evaluated, written, files] {
            assert_eq!(difference(&wanted, &objects(&build(&changed))), "", "{}\n{kustomization}", changed.display());
        }
    }
}
