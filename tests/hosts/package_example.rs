//! `examples/crossplane-packages`, and all package output of the hosts, decoded with Crossplane's and Kubernetes' own
//! types.

use crate::cases::{Failures, HOSTNET, canonical, cases, command, copy, host};
use crate::crossplane::{LINES, judged};
use crate::deployments;
use crate::kustomize::FLAGS;
use crate::support::{project, run, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

const EXAMPLE: &str = "examples/crossplane-packages";

fn hostnet(at: &Path, command: &str, arguments: &[&str]) -> Output {
    run(Command::new(HOSTNET).current_dir(at).args([command, "-c", "hostnet.yaml", "--sources"]).args(arguments), b"")
}

fn build(kustomize: &Path, at: &Path, flags: &[&str]) -> String {
    let output = run(command(kustomize).args(flags).arg(at), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn want() -> String {
    std::fs::read_to_string(project().join(EXAMPLE).join("want.yaml")).unwrap()
}

#[test]
fn the_example_builds_into_its_want() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = project().join(EXAMPLE);
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains(&format!("kustomize {} .\n", FLAGS.join(" "))), "the command is another one");
    let mut failures = Failures::default();
    failures.compare(EXAMPLE, &want(), &build(&kustomize, &folder, &FLAGS));
    failures.end();
}

/// kustomize builds files that were changed in place into the expected objects, with and without the function.
#[test]
fn files_changed_in_place_build_into_the_same() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    copy(&project().join(EXAMPLE), at);
    let output = hostnet(at, "apply", &["--in-place", "."]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut failures = Failures::default();
    failures.compare("with the function", &canonical(&want()), &canonical(&build(&kustomize, at, &FLAGS)));
    failures.compare("without it", &canonical(&want()), &canonical(&build(&kustomize, at, &FLAGS[..2])));
    failures.end();
    // The copies keep their comments.
    let configs = std::fs::read_to_string(at.join("packages/runtime-configs.yaml")).unwrap();
    assert_eq!(configs.matches("# terraform/iam/crossplane.tf;").count(), 4, "{configs}");
    assert!(hostnet(at, "apply", &["--check", "."]).status.success());
}

#[test]
fn all_numbers_are_recorded_and_the_readme_has_them() {
    let folder = project().join(EXAMPLE);
    let output = hostnet(&folder, "pin", &["--check", "--prune", "."]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    let config = std::fs::read_to_string(folder.join("hostnet.yaml")).unwrap();
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for shown in readme.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()) {
        assert!(config.contains(shown), "{shown}");
    }
    let called = hostnet(&folder, "ports", &["--called", "-o", "ranges", "."]);
    assert!(readme.contains(&format!("# {}", text(&called.stdout))), "{}", text(&called.stdout));
    // All numbers differ from each other and from the numbers that Crossplane itself uses.
    let want = want();
    let mut ports: Vec<&str> = want.lines().filter_map(|line| Some(line.split_once("hostPort: ")?.1)).collect();
    ports.extend(["20443", "20080", "20081"]);
    assert_eq!(ports.len(), 18);
    assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), 18);
}

/// True if a version of Crossplane has all kinds and fields of a stream.
fn has(line: &str, stream: &str) -> bool {
    let newer = stream.contains("kind: ImageConfig") || stream.contains("pkg.crossplane.io/v1\nkind: Function");
    match line {
        "v1.14" => !newer,
        "v1.20" => !stream.contains("  runtime:\n    configRef:"),
        _ => !stream.contains("kind: ControllerConfig"),
    }
}

/// The types of every suitable Crossplane version decode the whole output. The snapshot contains the numbers of
/// objects.
#[test]
fn crossplane_and_kubernetes_types_decode_all_output() {
    let mut streams: Vec<(String, String)> = vec![(EXAMPLE.to_owned(), want())];
    for case in cases().into_iter().filter(|case| case.name.starts_with("package-")) {
        if let Ok(stream) = std::fs::read_to_string(case.folder.join("stream.yaml")) {
            streams.push((format!("{}, a stream", case.name), stream));
        }
        streams.push((case.name, case.want));
    }
    if let Some(folder) = crate::files::repository("examples/controllerconfig-migration") {
        let output = hostnet(folder.path(), "apply", &["--in-place", "."]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        if let Some(kustomize) = host("kustomize") {
            streams
                .push(("examples/controllerconfig-migration".to_owned(), build(&kustomize, folder.path(), &["build"])));
        }
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, stream) in &streams {
        let lines: Vec<&str> = LINES.into_iter().filter(|line| has(line, stream)).collect();
        assert!(!lines.is_empty(), "{name}: no version of Crossplane has all these kinds and fields");
        for line in lines {
            let Some(judged) = judged(line, stream) else { return };
            *counts.entry(line).or_default() += judged.unwrap_or_else(|error| panic!("{name}, {line}: {error}"));
        }
        let objects = serde_yaml::Deserializer::from_str(stream);
        let objects: Vec<_> =
            objects.map(|one| <serde_yaml::Value as serde::Deserialize>::deserialize(one).unwrap()).collect();
        let (count, faults) = deployments::judged(&objects);
        assert!(faults.is_empty(), "{name}: {}", faults.join("\n"));
        *counts.entry("Deployments").or_default() += count;
    }
    insta::assert_snapshot!(format!("{counts:?}"), @r#"{"Deployments": 52, "v1.14": 69, "v1.20": 102, "v2": 96}"#);
}
