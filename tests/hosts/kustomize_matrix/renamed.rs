//! Runs every kustomization test below a second kustomization that renames: with a prefix, and with a namespace if all
//! objects share one.

use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

use super::bench::{Bench, Form, difference, objects};
use super::objects::NAMES;
use crate::cases::{Case, HOSTNET, case, cases, copy, host};
use crate::support::{files_below, project, run, text};

/// Cases that cannot be tested below another kustomization, with the reason.
const LEFT_OUT: [(&str, &str); 4] = [
    ("component", "without the function its component is empty, which kustomize refuses"),
    ("configmap-config", "its config is a ConfigMap, which the overlay would rename with the others"),
    ("transformer-in-base", "its select is about names below the prefix of its own overlay"),
    ("webhook-renamed", "one more prefix leads its webhook to two Services, which kustomize refuses"),
];

/// Removes the list of functions from a kustomization.
fn without_functions(text: &str) -> String {
    let mut inside = false;
    let stays = |line: &&str| {
        if line.starts_with("transformers:") {
            inside = true;
            return false;
        }
        inside = inside && (line.starts_with("- ") || line.starts_with("  ") || line.starts_with('#'));
        !inside
    };
    text.lines().filter(stays).map(|line| format!("{line}\n")).collect()
}

fn remove_functions(folder: &Path) {
    for path in files_below(folder).iter().filter(|path| path.ends_with("kustomization.yaml")) {
        std::fs::write(path, without_functions(&std::fs::read_to_string(path).unwrap())).unwrap();
    }
}

/// Adapts the names and namespaces in `select` and `exclude` to the overlay, and removes records of former names.
fn renamed(config: &str, prefix: &str, namespace: Option<&str>) -> String {
    let select = Regex::new(r"(?m)^(\s*(?:- select:|exclude:|- ).*)$").unwrap();
    let name = Regex::new(r"\bname: ([^,}\s]+)").unwrap();
    let own = Regex::new(r"\bnamespace: ([^,}\s]+)").unwrap();
    let inside = select.replace_all(config, |line: &regex::Captures<'_>| {
        let line = name.replace_all(&line[1], format!("name: '{prefix}(?:$1)'"));
        match namespace {
            Some(namespace) => own.replace_all(&line, format!("namespace: {namespace}")).into_owned(),
            None => line.into_owned(),
        }
    });
    // Records with the former names are errors in a build: the new names get other numbers.
    let assigned = Regex::new(r"(?m)^  assigned:.*\n(?:    .*\n)*").unwrap();
    let inside = assigned.replace(&inside, "");
    let function = Regex::new(r"(?m)^  annotations:\n    config.kubernetes.io/function: \|\n      exec: .*\n").unwrap();
    function.replace(&inside, "").into_owned()
}

/// Writes a case without functions below an overlay, in two variants, without and with the function.
fn overlay(root: &Path, case: &Case, names: &str, config: &str) -> (PathBuf, PathBuf) {
    let folder = |variant: &str| root.join(variant);
    for (variant, functions) in [("plain", ""), ("with", "transformers: [hostnet.yaml]\n")] {
        let top = folder(variant);
        for tree in ["examples", "kustomization-tests"] {
            copy(&project().join(tree), &top.join("trees").join(tree));
        }
        remove_functions(&top.join("trees"));
        std::fs::write(top.join("names.yaml"), NAMES).unwrap();
        std::fs::write(top.join("hostnet.yaml"), config).unwrap();
        let kustomization = format!(
            "{names}resources: [trees/kustomization-tests/{}]\nconfigurations: [names.yaml]\n{functions}",
            case.name
        );
        std::fs::write(top.join("kustomization.yaml"), kustomization).unwrap();
    }
    (folder("plain"), folder("with"))
}

/// Returns the difference between the build with the function and the build through a pipe (`None` if they are equal),
/// and true if the function changes something.
fn fault(bench: &Bench, case: &Case, names: &str, prefix: &str, namespace: Option<&str>) -> (Option<String>, bool) {
    let root = tempfile::tempdir().unwrap();
    let config = renamed(&std::fs::read_to_string(case.config()).unwrap(), prefix, namespace);
    let (plain, with) = overlay(root.path(), case, names, &config);
    let plain = bench.build(&plain, Form::Plugin);
    if !plain.status.success() {
        return (Some(format!("without the function: {}", text(&plain.stderr))), false);
    }
    let path = with.join("hostnet.yaml");
    let piped = run(Command::new(HOSTNET).args(["apply", "-c"]).arg(&path), &plain.stdout);
    let built = bench.build(&with, Form::Plugin);
    match (piped.status.success(), built.status.success()) {
        (true, true) => {
            let (before, wanted) = (objects(&plain.stdout), objects(&piped.stdout));
            let difference = difference(&wanted, &objects(&built.stdout));
            (Some(difference).filter(|difference| !difference.is_empty()), before != wanted)
        }
        (false, false) => (None, true),
        _ => (Some(format!("pipe:\n{}build:\n{}", text(&piped.stderr), text(&built.stderr))), true),
    }
}

/// Returns the namespace of a case if all its objects share one.
fn namespace_of(case: &Case) -> Option<String> {
    let own = Regex::new(r"(?m)^  namespace: (\S+)$").unwrap();
    let mut all: Vec<String> = own.captures_iter(&case.want).map(|found| found[1].to_owned()).collect();
    all.sort();
    all.dedup();
    let [only] = <[String; 1]>::try_from(all).ok()?;
    Some(only)
}

#[test]
fn kustomization_tests_move_equally_below_renames() {
    let (Some(kustomize), Some(kubectl)) = (host("kustomize"), host("kubectl")) else { return };
    let bench = Bench::new(kustomize, kubectl);
    let (mut faults, mut idle, mut count) = (Vec::new(), Vec::new(), 0);
    let cases = cases().into_iter().filter(|case| !LEFT_OUT.iter().any(|(name, _)| *name == case.name));
    for case in cases {
        let mut layouts = vec![("namePrefix: pre-\n".to_owned(), None)];
        if namespace_of(&case).is_some() {
            layouts.push(("namePrefix: pre-\nnamespace: elsewhere\n".to_owned(), Some("elsewhere")));
        }
        for (names, namespace) in layouts {
            count += 1;
            let (fault, changed) = fault(&bench, &case, &names, "pre-", namespace);
            faults.extend(fault.map(|fault| format!("== {} below {names:?}\n{fault}", case.name)));
            idle.extend(Some(case.name.clone()).filter(|_| !changed));
        }
    }
    assert!(faults.is_empty(), "{} of {count}\n{}", faults.len(), faults.join("\n"));
    assert!(idle.is_empty(), "nothing changes in {idle:?}");
}

#[test]
fn selects_are_renamed_and_functions_removed() {
    let config = std::fs::read_to_string(case("services").config()).unwrap();
    let renamed = renamed(&config, "pre-", Some("elsewhere"));
    assert!(renamed.contains("name: 'pre-(?:web)'") && !renamed.contains("exec:"), "{renamed}");
    assert_eq!(
        without_functions("resources: [a]\ntransformers:\n- b\n- c\nnamePrefix: x\n"),
        "resources: [a]\nnamePrefix: x\n"
    );
    assert_eq!(without_functions("transformers: [a]\nresources: [b]\n"), "resources: [b]\n");
}
