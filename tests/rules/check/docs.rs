//! The docs and the example match the program.

use std::process::Command;

use hostnet::rule::{self, Rule};

use super::support::generated::assert_generated;
use super::support::{find_program, not_run, project};

/// Each page begins with a statement, followed by the component that refuses the manifest, the remedy and the sources.
#[test]
fn every_page_has_its_parts() {
    let has_version = regex::Regex::new(r"v?\d\.\d+|version|in all|depends").unwrap();
    for rule in rule::checked() {
        let page = rule.page.replace('\n', " ");
        let (title, statement) = rule.page.split_once("\n\n").unwrap();
        assert_eq!(title, format!("# {}", rule.id));
        assert!(
            statement.lines().next().is_some_and(|line| line.len() > 40 && !line.starts_with(['-', '|', '#'])),
            "{}",
            rule.id
        );
        for part in ["Who refuses: ", "Fix: ", "Source: "] {
            let (_, rest) = page.split_once(part).unwrap_or_else(|| panic!("{} lacks `{part}`", rule.id));
            assert!(rest.len() > 10, "{}: {part}", rule.id);
        }
        let (_, who) = page.split_once("Who refuses: ").unwrap();
        let without_version = ["only this program", "this program", "every reader"];
        assert!(
            has_version.is_match(who) || without_version.iter().any(|start| who.starts_with(start)),
            "{}: {who}",
            rule.id
        );
    }
}

/// The bad example of a page breaks only its rule, the good example breaks no rule. A `HostNetworkCheck` above an
/// example is its config.
#[test]
fn the_examples_of_every_page_break_its_rule_or_none() {
    for rule in rule::checked() {
        let bad = rules_of_example(rule.page, "Bad");
        assert!(!bad.is_empty() && bad.iter().all(|id| id == rule.id), "{}: {bad:?}", rule.id);
        let good = rules_of_example(rule.page, "Good");
        assert!(good.is_empty(), "{}: {good:?}", rule.id);
    }
}

/// The rules that an example of a page breaks, without suppressed findings.
fn rules_of_example(page: &str, name: &str) -> Vec<String> {
    let example = page.split_once(&format!("\n{name}:\n\n```yaml\n")).and_then(|(_, rest)| rest.split_once("```\n"));
    let (mut manifest, _) = example.unwrap_or_else(|| panic!("{page}\nlacks `{name}:` and a block of YAML"));
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    command.args(["check", "-o", "json", "example.yaml"]).current_dir(folder.path());
    if let Some((config, rest)) = manifest.split_once("---\n")
        && config.contains("\nkind: HostNetworkCheck\n")
    {
        std::fs::write(folder.path().join("check.yaml"), config).unwrap();
        command.args(["-c", "check.yaml"]);
        manifest = rest;
    }
    std::fs::write(folder.path().join("example.yaml"), manifest).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["suppressed"].is_null());
    findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// `make generated` writes the index, with two rules in each row.
#[test]
fn the_index_has_every_rule() {
    let path = project().join("docs/rules/README.md");
    let cell = |rule: &Rule| {
        let severities: Vec<&str> = rule.check.iter().map(|severity| severity.as_str()).collect();
        let severities = if severities.is_empty() { String::new() } else { format!(" ({})", severities.join(", ")) };
        format!("[{0}]({0}.md): {1}{severities}", rule.id, rule.summary)
    };
    let row = |pair: &[Rule]| format!("| {} |\n", pair.iter().map(cell).collect::<Vec<_>>().join(" | "));
    let index = format!(
        "# The rules\n\nA result names its rule in brackets, and `hostnet explain RULE` prints the page. In parentheses: the\nseverities in \
         `hostnet check`. Other commands report rules without severities.\n\n| | |\n|---|---|\n{}",
        rule::ALL.chunks(2).map(row).collect::<String>()
    );
    assert_generated(&path, &index);
}

fn check(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = command.arg("check").args(arguments).current_dir(project().join("examples/check")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_report_of_the_example_is_current() {
    let printed = check(&["-c", "check.yaml", "manifests"]);
    assert_generated(&project().join("examples/check/report.txt"), &printed);
}

/// Reports of all examples, and one with a baseline, are valid SARIF 2.1.0 with the additions of code-scanning sites,
/// by Microsoft's own validator.
#[test]
fn sarif_is_valid() {
    let Some(validator) = find_program("sarif-multitool") else {
        return not_run("sarif-multitool is missing (`make tools` gets it by npm)");
    };
    let folder = tempfile::tempdir().unwrap();
    let examples = std::fs::read_dir(project().join("examples")).unwrap();
    let mut examples: Vec<_> = examples.map(|example| example.unwrap().file_name().into_string().unwrap()).collect();
    examples.sort();
    let write_by = |command: &[&str], name: &str, arguments: &[&str]| {
        let file = folder.path().join(format!("{name}.sarif"));
        let output = format!("--output=sarif={}", file.display());
        let mut hostnet = Command::new(env!("CARGO_BIN_EXE_hostnet"));
        let command = hostnet.args(command).arg(output).args(arguments).current_dir(project());
        assert!(command.output().unwrap().status.code() < Some(2), "{name}");
        assert!(file.is_file(), "{name}");
        file
    };
    let write = |name: &str, arguments: &[&str]| write_by(&["check"], name, arguments);
    let mut files: Vec<_> =
        examples.iter().map(|example| write(example, &[format!("examples/{example}").as_str()])).collect();
    let own = ["-c", "examples/check/check.yaml", "examples/check/manifests"];
    let config = write("config", &own);
    files.push(write("baseline", &[&own[..], &["--baseline", config.to_str().unwrap()]].concat()));
    files.push(config);
    // Other commands that report findings write SARIF too.
    let core = ["-c", "examples/crossplane-core/hostnet.yaml", "examples/crossplane-core/base/crossplane.yaml"];
    for command in [&["apply", "--check"][..], &["ports"], &["patch", "--as", "component"]] {
        files.push(write_by(command, &command.concat(), &core));
    }
    let mut command = Command::new(validator);
    command.arg("validate").args(&files).args(["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"]);
    let output = command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1").output().unwrap();
    let log = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("): error ")).collect();
    assert!(output.status.success() && errors.is_empty() && log.contains("Analysis completed successfully"), "{log}");
}
