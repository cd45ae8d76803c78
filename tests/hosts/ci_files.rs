//! CI files of `examples/ci` and `.github`, checked by the programs that read them: actionlint and pre-commit. GitLab's
//! jobs only run on a server, so this test runs only their scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_yaml::Value;
use tempfile::TempDir;

use crate::cases::{HOSTNET, copy, host};
use crate::support::{project, run, text};

fn read(file: &str) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(project().join(file)).unwrap()).unwrap()
}

/// A repository with the example's manifests. A bad one contains a workload whose rolling update would not finish.
fn repository(bad: bool) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join("examples/ci/manifests"), &folder.path().join("manifests"));
    if bad {
        let file = folder.path().join("manifests/web.yaml");
        let manifest = std::fs::read_to_string(&file).unwrap();
        let on_host =
            "hostNetwork: true\n      containers:\n      - {name: two, image: b, ports: [{containerPort: 9443}]}\n";
        std::fs::write(&file, manifest.replace("containers:\n", on_host)).unwrap();
    }
    folder
}

/// Runs lines in a shell as CI runners do, stopping at the first failing command, and returns the exit code.
fn shell(lines: &str, at: &Path) -> Option<i32> {
    let path = std::env::var("PATH").unwrap();
    let (stand_ins, own) = (project().join("tests/hosts/commands/stand-ins"), Path::new(HOSTNET).parent().unwrap());
    let path = format!("{}:{}:{path}", own.display(), stand_ins.display());
    run(Command::new("bash").args(["-eo", "pipefail", "-c", lines]).current_dir(at).env("PATH", path), b"")
        .status
        .code()
}

/// Returns the commands of each example's jobs, without the installation of hostnet, and the report file that they
/// keep.
fn scripts() -> Vec<(&'static str, String, &'static str)> {
    let github = read("examples/ci/github.yaml");
    let steps = github["jobs"]["check"]["steps"].as_sequence().unwrap();
    let lines: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    let upload = steps.last().unwrap();
    assert_eq!(
        (upload["if"].as_str(), upload["with"]["sarif_file"].as_str()),
        (Some("always()"), Some("hostnet.sarif"))
    );
    let gitlab = read("examples/ci/gitlab.yaml")["hostnet"].clone();
    let script = |key: &str| gitlab[key].as_sequence().unwrap().iter().map(|line| line.as_str().unwrap().to_owned());
    assert_eq!(gitlab["artifacts"]["paths"][0].as_str(), Some("hostnet.json"));
    assert_eq!(gitlab["artifacts"]["when"].as_str(), Some("always"));
    let gitlab: Vec<String> = script("script").collect();
    [("GitHub", lines.join("\n"), "hostnet.sarif"), ("GitLab", gitlab.join("\n"), "hostnet.json")].into()
}

#[test]
fn ci_jobs_pass_or_fail_and_keep_their_report() {
    for (name, lines, kept) in scripts() {
        for (bad, code) in [(false, 0), (true, 1)] {
            let folder = repository(bad);
            assert_eq!(shell(&lines, folder.path()), Some(code), "{name}: {lines}");
            assert!(folder.path().join(kept).is_file(), "{name}");
        }
    }
}

#[test]
fn actionlint_accepts_every_workflow() {
    let Some(actionlint) = host("actionlint") else { return };
    let folder = project().join(".github/workflows");
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3);
    files.extend(
        ["github", "github-mirror", "github-flux", "github-argo-cd"]
            .map(|name| project().join(format!("examples/ci/{name}.yaml"))),
    );
    // Disables the linters of other languages, which only some machines have.
    let mut command = Command::new(actionlint);
    let output = run(command.args(["-shellcheck=", "-pyflakes="]).args(&files).current_dir(project()), b"");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// Each command of a workflow is a file of the repository or a target of the Makefile.
#[test]
fn scripts_and_targets_of_workflows_exist() {
    let makefile = std::fs::read_to_string(project().join("Makefile")).unwrap();
    let mut seen = 0;
    for (file, job) in [("test", "test"), ("referees", "referees"), ("release", "build"), ("release", "publish")] {
        let workflow = read(&format!(".github/workflows/{file}.yaml"));
        for step in workflow["jobs"][job]["steps"].as_sequence().unwrap() {
            let Some(line) = step["run"].as_str() else { continue };
            if let Some(target) = line.strip_prefix("make ") {
                assert!(makefile.contains(&format!("\n{target}:")), "{file}: {line}");
                seen += 1;
            } else if line.starts_with(".ci/") {
                let script = line.split(' ').next().unwrap();
                assert!(project().join(script).is_file(), "{file}: {line}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 3, "{seen}");
}

#[test]
fn pre_commit_runs_the_hook() {
    let Some(pre_commit) = host("pre-commit") else { return };
    for (bad, passes) in [(false, true), (true, false)] {
        let folder = repository(bad);
        let at = folder.path();
        std::fs::copy(project().join("examples/ci/pre-commit.yaml"), at.join(".pre-commit-config.yaml")).unwrap();
        for arguments in [&["init", "--quiet"][..], &["add", "."]] {
            assert!(run(Command::new("git").args(arguments).current_dir(at), b"").status.success());
        }
        let mut command = crate::cases::command(&pre_commit);
        command.args(["run", "--all-files", "--verbose"]).current_dir(at).env("PRE_COMMIT_HOME", at.join("home"));
        let output = run(&mut command, b"");
        let log = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.success(), passes, "{log}");
        assert!(log.contains("host networking") && log.contains("3 objects"), "{log}");
    }
}
