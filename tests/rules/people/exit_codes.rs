//! Exit codes of all commands that report results, and the flags that change them.

use super::{BLOCKED, called_web, config, deployment};
use crate::support::run::{Run, hostnet};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let this = Self(tempfile::tempdir().unwrap());
        this.write("web.yaml", &called_web());
        this.write("proxy.yaml", BLOCKED);
        this.write("mirror.yaml", "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec: {rules: [{from: xpkg.crossplane.io, to: r.example/x}]}\n");
        let on_host = deployment("api").replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
        this.write("host.yaml", &on_host);
        let port = on_host.replace("containerPort: ", "hostPort: 70000, containerPort: ");
        this.write("refused.yaml", &port);
        this.write("all.yaml", &config("  targets: [{select: {kind: Deployment}, ports: auto}]\n"));
        let two = "  targets: [{select: {kind: Deployment}, ports: auto}, {select: {name: nobody}, ports: auto}]\n";
        this.write("unmatched.yaml", &config(two));
        this
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, arguments: &str) -> Run {
        hostnet(self.0.path(), &arguments.split(' ').collect::<Vec<_>>(), b"")
    }
}

/// Commands with a warning and no error.
const WARN: [&str; 8] = [
    "apply -c unmatched.yaml --check moved.yaml",
    "ports -c unmatched.yaml web.yaml",
    "pin -c unmatched.yaml --check web.yaml",
    "explain web -c unmatched.yaml web.yaml",
    "check host.yaml",
    "proxy check proxy.yaml",
    "mirror list proxy.yaml",
    "mirror script -c mirror.yaml --tool crane proxy.yaml",
];

#[test]
fn warnings_fail_with_a_flag() {
    let folder = Folder::new();
    let moved = folder.run("apply -c unmatched.yaml web.yaml");
    folder.write("moved.yaml", &moved.text());
    let pinned = folder.run("pin -c unmatched.yaml web.yaml");
    assert_eq!((moved.code, pinned.code), (Some(0), Some(0)), "{}{}", moved.stderr, pinned.stderr);
    folder.write("moved.yaml", &folder.run("apply -c unmatched.yaml web.yaml").text());
    for command in WARN {
        let (name, rest) = command.split_at(command.find(" -c").or_else(|| command.rfind(' ')).unwrap());
        for (flag, code) in
            [("", 0), (" --strict", 1), (" --fail-on warning", 1), (" --fail-on error", 0), (" --fail-on never", 0)]
        {
            let run = folder.run(&format!("{name}{flag}{rest}"));
            assert_eq!(run.code, Some(code), "{name}{flag}{rest}: {}{}", run.text(), run.stderr);
        }
        assert_eq!(folder.run(&format!("{name} --strict --fail-on never{rest}")).code, Some(2), "{command}");
        assert_eq!(folder.run(&format!("{name} --fail-on info{rest}")).code, Some(2), "{command}");
    }
}

#[test]
fn the_flag_wins_over_the_config() {
    let folder = Folder::new();
    let two = "  failOn: Warning\n  targets: [{select: {kind: Deployment}, ports: auto}, {select: {name: nobody}, ports: auto}]\n";
    folder.write("strict.yaml", &config(two));
    let refused = folder.run("apply -c strict.yaml web.yaml");
    assert!(refused.code == Some(1) && refused.text().is_empty(), "{}", refused.stderr);
    assert!(refused.stderr.contains("`failOn: Warning` makes warnings fail"), "{}", refused.stderr);
    let written = folder.run("apply -c strict.yaml --fail-on error web.yaml");
    assert!(written.code == Some(0) && written.text().contains("hostNetwork: true"), "{}", written.stderr);
    let named = folder.run("apply -c all.yaml -c strict.yaml --strict web.yaml");
    assert_eq!(named.code, Some(2), "one config: {}", named.stderr);
    let named = folder.run("apply -c strict.yaml --fail-on warning web.yaml");
    assert!(named.stderr.contains("`--fail-on warning` makes warnings fail"), "{}", named.stderr);
}

/// `failOn` of a config counts in every command that reads the config; `explain` still explains.
#[test]
fn a_config_that_fails_on_warnings_gives_no_numbers() {
    let folder = Folder::new();
    let two = "  failOn: Warning\n  targets: [{select: {kind: Deployment}, ports: auto}, {select: {name: nobody}, ports: auto}]\n";
    folder.write("strict.yaml", &config(two));
    for command in ["pin", "ports -o ranges", "ports --all -o ranges"] {
        let run = folder.run(&format!("{command} -c strict.yaml web.yaml"));
        assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{command}: {}", run.stderr);
        assert!(run.stderr.contains("`failOn: Warning` makes warnings fail"), "{command}: {}", run.stderr);
        let run = folder.run(&format!("{command} --fail-on error -c strict.yaml web.yaml"));
        assert_eq!(run.code, Some(0), "{command}: {}", run.stderr);
        folder.write("strict.yaml", &config(two));
    }
    assert_eq!(folder.run("ports -c strict.yaml web.yaml").code, Some(1));
    assert_eq!(folder.run("explain web -c strict.yaml web.yaml").code, Some(0));
}

/// A run with errors writes nothing, and fails unless `--fail-on never` is given.
#[test]
fn a_run_with_errors_writes_nothing() {
    let folder = Folder::new();
    folder.write("twice.yaml", &format!("{0}---\n{0}", deployment("web")));
    let before = std::fs::read_to_string(folder.0.path().join("all.yaml")).unwrap();
    for (flag, code) in [("", 1), (" --fail-on error", 1), (" --fail-on never", 0)] {
        for command in ["pin -c all.yaml", "apply -c all.yaml --in-place", "ports -c all.yaml"] {
            let run = folder.run(&format!("{command}{flag} twice.yaml"));
            assert_eq!(run.code, Some(code), "{command}{flag}: {}{}", run.text(), run.stderr);
        }
        assert_eq!(folder.run(&format!("check{flag} refused.yaml")).code, Some(code), "check{flag}");
        let after = std::fs::read_to_string(folder.0.path().join("all.yaml")).unwrap();
        let input = std::fs::read_to_string(folder.0.path().join("twice.yaml")).unwrap();
        assert!(before == after && !input.contains("hostNetwork"), "{flag}");
    }
}

/// A check of a ResourceList accepts the flags too; `--as policy` does not.
#[test]
fn flags_work_for_every_form_of_check() {
    let folder = Folder::new();
    let on_host = deployment("api").replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    let items: String = on_host.lines().map(|line| format!("  {line}\n")).collect();
    let list = format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {}", items.trim_start());
    let check = |flags: &[&str]| hostnet(folder.0.path(), &[&["check"], flags, &["-"]].concat(), list.as_bytes());
    for (flags, code) in
        [(&[][..], 0), (&["--strict"], 1), (&["--fail-on", "warning"], 1), (&["--fail-on", "never"], 0)]
    {
        assert_eq!(check(flags).code, Some(code), "{flags:?}: {}", check(flags).stderr);
    }
    assert_eq!(folder.run("check --as policy --strict").code, Some(2));
}

/// A difference and a failure both give exit code 1; the messages and the JSON output distinguish them.
#[test]
fn a_difference_is_distinguished_from_a_failure() {
    let folder = Folder::new();
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.0.path().join(name)).unwrap()).unwrap()
    };
    let differs = folder.run("apply -c all.yaml --check -o json=out.json web.yaml");
    assert!(differs.code == Some(1) && differs.stderr.contains("web.yaml: would change"), "{}", differs.stderr);
    assert!(!differs.stderr.contains("error: "), "{}", differs.stderr);
    let summary = json("out.json")["summary"].clone();
    assert_eq!((summary["differs"].as_bool(), summary["fails"].as_bool()), (Some(true), Some(false)), "{summary}");
    folder.write("twice.yaml", &format!("{0}---\n{0}", deployment("web")));
    let failed = folder.run("apply -c all.yaml --check -o json=out.json twice.yaml");
    assert!(failed.code == Some(1) && failed.stderr.contains("error: "), "{}", failed.stderr);
    let summary = json("out.json")["summary"].clone();
    assert_eq!((summary["differs"].as_bool(), summary["fails"].as_bool()), (Some(false), Some(true)), "{summary}");
    folder.write("moved.yaml", &folder.run("apply -c all.yaml web.yaml").text());
    assert_eq!(folder.run("apply -c all.yaml --check -o json=out.json moved.yaml").code, Some(0));
    assert_eq!(json("out.json")["summary"]["differs"].as_bool(), Some(false));
    assert_eq!(folder.run("apply -c all.yaml --diff -o json=out.json web.yaml").code, Some(0), "a diff does not fail");
    assert_eq!(json("out.json")["summary"]["differs"].as_bool(), Some(true));
    folder.run("check -o json=out.json web.yaml");
    assert!(json("out.json")["summary"].get("differs").is_none(), "a check plans no changes");
}

/// An edit in place reports the kustomizations of the repository that rename the edited objects.
#[test]
fn edits_in_place_name_kustomizations_above() {
    let folder = Folder::new();
    let make = |name: &str| std::fs::create_dir_all(folder.0.path().join(name)).unwrap();
    for name in [".git", "app/base", "app/mid", "app/prod", "app/plain", "elsewhere"] {
        make(name);
    }
    folder.write("app/base/kustomization.yaml", "resources: [web.yaml]\n");
    folder.write("app/mid/kustomization.yaml", "resources: [../base]\n");
    folder.write("app/prod/kustomization.yaml", "resources: [../mid]\nnamePrefix: a-\n");
    folder.write("app/plain/kustomization.yaml", "resources: [../base]\nlabels: [{pairs: {a: b}}]\n");
    folder.write("elsewhere/kustomization.yaml", "resources: []\nnamespace: other\n");
    folder.write("app/base/web.yaml", &called_web());
    let log = folder.run("apply -c all.yaml --in-place --sources app/base");
    assert_eq!(log.code, Some(0), "{}", log.stderr);
    let line = "info: app/prod: the kustomization sets namePrefix for files of PATH";
    assert_eq!(log.stderr.matches(line).count(), 1, "{}", log.stderr);
    assert!(log.stderr.contains("`hostnet check --build app/prod`"), "{}", log.stderr);
    assert!(!log.stderr.contains("elsewhere") && !log.stderr.contains("app/plain"), "{}", log.stderr);
    folder.write("app/prod/kustomization.yaml", "resources: [../mid]\n");
    let quiet = folder.run("apply -c all.yaml --in-place --sources app/base");
    assert!(quiet.code == Some(0) && !quiet.stderr.contains("the kustomization sets"), "{}", quiet.stderr);
}
