//! The docs and the example are what the program does.

use std::process::Command;

use hostnet::rule;

use super::support::{find_program, not_run, project};

/// The table of rules, and that each page has a bad and a good example.
#[test]
fn every_rule_is_in_the_docs() {
    let text = std::fs::read_to_string(project().join("docs/check.md")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("](rules/") && line.starts_with("| [")).collect();
    let wanted = rule::checked().map(|rule| {
        let severities: Vec<&str> = rule.check.iter().map(|severity| severity.as_str()).collect();
        format!("| [{0}](rules/{0}.md) | {1} | {2} |", rule.id, severities.join(", "), rule.summary)
    });
    assert_eq!(rows, wanted.collect::<Vec<_>>());
    for rule in rule::checked() {
        assert!(rule.page.contains("Bad: ") && rule.page.contains("Good: "), "{}", rule.id);
    }
}

fn check(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = command.arg("check").args(arguments).current_dir(project().join("examples/check")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_example_is_what_is_printed() {
    let kept = std::fs::read_to_string(project().join("examples/check/report.txt")).unwrap();
    let printed = check(&["-c", "check.yaml", "manifests"]);
    assert!(printed == kept, "run `hostnet check -c check.yaml manifests > report.txt` in examples/check\n{printed}");
}

/// The schema of SARIF 2.1.0, and what code-scanning sites ask for besides, by Microsoft's own validator: of each example what a check
/// says, and of one what a baseline makes of it.
#[test]
fn sarif_is_valid() {
    let Some(validator) = find_program("sarif-multitool") else {
        return not_run("sarif-multitool is missing (`make tools` gets it by npm)");
    };
    let folder = tempfile::tempdir().unwrap();
    let examples = std::fs::read_dir(project().join("examples")).unwrap();
    let mut examples: Vec<_> = examples.map(|example| example.unwrap().file_name().into_string().unwrap()).collect();
    examples.sort();
    let write = |name: &str, arguments: &[&str]| {
        let file = folder.path().join(format!("{name}.sarif"));
        let output = format!("--output=sarif={}", file.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
        command.arg("check").arg(output).args(arguments).current_dir(project());
        assert!(command.output().unwrap().status.code() < Some(2), "{name}");
        assert!(file.is_file(), "{name}");
        file
    };
    let mut files: Vec<_> =
        examples.iter().map(|example| write(example, &[format!("examples/{example}").as_str()])).collect();
    let own = ["-c", "examples/check/check.yaml", "examples/check/manifests"];
    let config = write("config", &own);
    files.push(write("baseline", &[&own[..], &["--baseline", config.to_str().unwrap()]].concat()));
    files.push(config);
    let mut command = Command::new(validator);
    command.arg("validate").args(&files).args(["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"]);
    let output = command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors: Vec<&str> = said.lines().filter(|line| line.contains("): error ")).collect();
    assert!(output.status.success() && errors.is_empty() && said.contains("Analysis completed successfully"), "{said}");
}
