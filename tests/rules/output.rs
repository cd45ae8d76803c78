//! Reports of all commands, by `-o FORMAT[=FILE]`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::reports::assert_reports_fit;
use crate::support::{run, text};

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: shop}
spec:
  targets:
  - select: {kind: Deployment, name: web}
    ports: {http: 10250}
";

/// A Deployment that moves to a port of a process on every node, and a DaemonSet with that port.
const MANIFEST: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: example/web:v1
        args: [--port=8080]
        ports: [{name: http, containerPort: 8080}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: shop}
spec:
  template:
    metadata: {labels: {app: agent}}
    spec:
      hostNetwork: true
      containers:
      - name: agent
        image: example/agent:v1
        ports: [{name: http, containerPort: 10250, hostPort: 10250}]
";

struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hostnet.yaml"), CONFIG).unwrap();
        std::fs::write(folder.path().join("web.yaml"), MANIFEST).unwrap();
        Self(folder)
    }

    fn hostnet(&self, arguments: &[&str]) -> Output {
        let output = run(Command::new(env!("CARGO_BIN_EXE_hostnet")).args(arguments).current_dir(self.0.path()), b"");
        assert_reports_fit(self.0.path(), arguments, &output.stdout);
        output
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }
}

#[test]
fn one_run_makes_several_reports() {
    let bench = Bench::new();
    let output = bench.hostnet(&["check", "-o", "text", "-o", "sarif=a.sarif", "--output=json=a.json", "web.yaml"]);
    assert!(text(&output.stdout).contains("[node-port]\n  web.yaml:25: "), "{}", text(&output.stdout));
    let (sarif, json) = (bench.json("a.sarif"), bench.json("a.json"));
    let found = json["findings"].as_array().unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), found.len());
    // The folder contains no other file, and nothing is printed if all reports go to files.
    assert_eq!(std::fs::read_dir(bench.0.path()).unwrap().count(), 4);
    let output = bench.hostnet(&["check", "-o", "github=a.txt", "web.yaml"]);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("", Some(1)));
    assert!(bench.read("a.txt").starts_with("::error title=node-port,file=web.yaml,line=25,"));
}

#[test]
fn an_existing_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let path = bench.0.path().join("a.json");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    bench.hostnet(&["check", "-o", "json=a.json", "web.yaml"]);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(bench.json("a.json")["summary"].is_object());
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let bench = Bench::new();
    for (arguments, log) in [
        (&["check", "-o", "sarf", "web.yaml"][..], "unknown format `sarf`: did you mean `sarif`?"),
        (&["check", "-o", "json=", "web.yaml"], "write the file after `=`"),
        (&["check", "-o", "json", "-o", "text", "web.yaml"], "two reports are for standard output"),
        (&["check", "-o", "json=a", "-o", "text=a", "web.yaml"], "two reports are for a"),
        (
            &["check", "-o", "json=no/such/a", "web.yaml"],
            "the folder no/such of a report does not exist: `mkdir -p no/such`",
        ),
        (&["check", "-o", "html=web.yaml", "web.yaml"], "web.yaml is an input or has manifests, and a report would"),
        (&["apply", "-c", "hostnet.yaml", "-o", "json", "web.yaml"], "standard output is for the manifests"),
        (&["apply", "-c", "hostnet.yaml", "--diff", "-o", "json", "web.yaml"], "standard output is for the diff"),
        (
            &["patch", "-c", "hostnet.yaml", "--as", "component", "-o", "json", "web.yaml"],
            "standard output is for the patches",
        ),
        (&["patch", "-c", "hostnet.yaml", "--as", "component", "-o", "jsn", "web.yaml"], "unknown format `jsn`"),
    ] {
        let output = bench.hostnet(arguments);
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains(log), "{arguments:?}: {error}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }
}

/// The report of each command contains an error with its place.
#[test]
fn commands_that_transform_report_their_results() {
    let bench = Bench::new();
    let all: [&[&str]; 4] =
        [&["apply", "--in-place"], &["apply"], &["patch", "--as", "component", "--output-dir", "out"], &["ports"]];
    for arguments in all {
        let rest = ["-c", "hostnet.yaml", "-o", "sarif=a.sarif", "web.yaml"];
        let output = bench.hostnet(&[arguments, &rest].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stderr));
        let result = &bench.json("a.sarif")["runs"][0]["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&"port-conflict".into(), &"error".into()), "{arguments:?}");
        let physical = &result["locations"][0]["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], "web.yaml");
        assert!(physical["region"]["startLine"].is_u64());
        assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_string());
        assert_eq!(text(&output.stdout), "");
    }
    assert!(!bench.has("out"));
    let output = bench.hostnet(&["apply", "-c", "hostnet.yaml", "--check", "-o", "github", "web.yaml"]);
    assert!(
        text(&output.stdout).starts_with("::error title=port-conflict,file=web.yaml,line="),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn ports_are_shown_in_several_formats() {
    let bench = Bench::new();
    std::fs::write(bench.0.path().join("hostnet.yaml"), CONFIG.replace("10250", "20080")).unwrap();
    let output = bench.hostnet(&["ports", "-c", "hostnet.yaml", "-o", "ranges", "-o", "json=a.json", "web.yaml"]);
    assert_eq!(text(&output.stdout), "TCP 20080\n");
    assert_eq!(bench.json("a.json")[0]["port"].as_u64().or(bench.json("a.json")[0]["new"].as_u64()), Some(20080));
}

#[test]
fn the_former_options_for_the_folder_of_patches_still_work() {
    let bench = Bench::new();
    std::fs::write(bench.0.path().join("hostnet.yaml"), CONFIG.replace("10250", "20080")).unwrap();
    let arguments = ["patch", "-c", "hostnet.yaml", "--as", "component", "web.yaml"];
    for (name, folder) in [("--output-dir", "a"), ("--output", "b"), ("-o", "c")] {
        let output = bench.hostnet(&[&arguments[..], &[name, folder]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(bench.read(&format!("{folder}/kustomization.yaml")), bench.read("a/kustomization.yaml"));
    }
    let twice = bench.hostnet(&[&arguments[..], &["-o", "a", "--output-dir", "b"]].concat());
    assert!(text(&twice.stderr).contains("give one folder"), "{}", text(&twice.stderr));
    assert!(!text(&bench.hostnet(&["patch", "--help"]).stdout).contains("--output <DIR>"));
}

#[test]
fn files_are_named_from_the_root() {
    let bench = Bench::new();
    let folder = bench.0.path().join("a b");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(bench.0.path().join("web.yaml"), folder.join("ü.yaml")).unwrap();
    let uri = |root: &Path| {
        let root = format!("--root={}", root.display());
        bench.hostnet(&["check", "-o", "sarif=a.sarif", &root, "a b"]);
        bench.json("a.sarif")["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].clone()
    };
    let of_bench = uri(bench.0.path());
    assert_eq!((&of_bench["uri"], &of_bench["uriBaseId"]), (&"a%20b/%C3%BC.yaml".into(), &"%SRCROOT%".into()));
    assert_eq!(uri(&folder)["uri"], "%C3%BC.yaml");
}

#[test]
fn a_baseline_contains_the_known_findings() {
    let bench = Bench::new();
    for format in ["json", "sarif"] {
        let report = format!("{format}=base");
        assert_eq!(bench.hostnet(&["check", "-o", &report, "web.yaml"]).status.code(), Some(1));
        let known = bench.hostnet(&["check", "--baseline", "base", "web.yaml"]);
        assert_eq!(known.status.code(), Some(0));
        assert!(text(&known.stdout).contains(": nothing new found; of the baseline "), "{}", text(&known.stdout));
        // Lines move, one finding is new, and one is fixed.
        let moved = format!(
            "{}{}",
            "# moved\n".repeat(40),
            MANIFEST.replace(
                "hostNetwork: true",
                "hostNetwork: true\n      hostUsers: false\n      dnsPolicy: ClusterFirstWithHostNet"
            )
        );
        std::fs::write(bench.0.path().join("new.yaml"), moved).unwrap();
        let more = bench.hostnet(&["check", "--baseline", "base", "-o", "json=now", "-o", "text", "new.yaml"]);
        let log = text(&more.stdout);
        assert!(log.contains("[pod-forbids]\n  new.yaml:") && !log.contains("[node-port]"), "{log}");
        let now = bench.json("now");
        assert_eq!((&now["summary"]["gone"], more.status.code()), (&1.into(), Some(1)));
        let states = now["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["rule"].as_str().unwrap(), one["baselineState"].as_str().unwrap()));
        let states: Vec<(&str, &str)> = states.collect();
        assert!(states.contains(&("node-port", "unchanged")) && states.contains(&("pod-forbids", "new")), "{states:?}");
    }
    for (wrong, log) in [
        ("{}", "neither `findings` nor `runs`"),
        ("{", "base:1:1: "),
        ("{\"findings\": [{}]}", "no fingerprint"),
        ("[1]", "neither"),
    ] {
        std::fs::write(bench.0.path().join("base"), wrong).unwrap();
        let output = bench.hostnet(&["check", "--baseline", "base", "web.yaml"]);
        assert!(
            text(&output.stderr).contains(log) && text(&output.stdout).is_empty(),
            "{wrong}: {}",
            text(&output.stderr)
        );
    }
}
