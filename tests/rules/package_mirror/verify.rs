//! `hostnet mirror verify`, compared with Crossplane's own code: v1.20.11, and the library of v2.2 and later.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use regex::Regex;
use serde_json::Value;

use crate::support::{find_program, not_run, run, text};

/// Number of generated images, in addition to the images written by hand.
const GENERATED: &str = "600";

/// A registry on the loopback interface with images of every kind, which stops when this value is dropped.
pub(super) struct Registry {
    child: Option<Child>,
    pub(super) host: String,
    /// Name and reference.
    pub(super) images: Vec<(String, String)>,
}

impl Drop for Registry {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

impl Registry {
    pub(super) fn start(program: &Path, generated: &str, layouts: &Path, only: &str) -> Self {
        Self::start_with(program, &["-generated", generated, "-layouts", layouts.to_str().unwrap(), "-only", only])
    }

    pub(super) fn start_with(program: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut lines = lines.take_while(|line| line != "ready");
        let host = lines.next().unwrap();
        let images = lines.map(|line| {
            let (name, reference) = line.split_once(' ').unwrap();
            (name.to_owned(), reference.to_owned())
        });
        let images = images.collect();
        Self { child: Some(child), host, images }
    }

    /// A registry that has stopped.
    pub(super) fn gone(host: &str) -> Self {
        Self { child: None, host: host.to_owned(), images: Vec::new() }
    }

    /// Crossplane's message for each image.
    fn judged(&self, program: &Path, version: &str) -> Vec<String> {
        let lines: String = self.images.iter().map(|(_, reference)| format!("{version} - {reference}\n")).collect();
        let answer = run(&mut Command::new(program), lines.as_bytes());
        assert!(answer.status.success(), "{}", text(&answer.stderr));
        let reported = |line: &str| serde_json::from_str::<Value>(line).unwrap()["said"].as_str().unwrap().to_owned();
        text(&answer.stdout).lines().map(reported).collect()
    }
}

/// The message of `hostnet mirror verify` for each source; empty if the package installs.
fn verified(version: &str, sources: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for some in sources.chunks(250) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
        command.args(["mirror", "verify", "--full", "-o", "json", "--crossplane", version]).args(some);
        let answer = run(&mut command, b"");
        let answer: Value =
            serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", text(&answer.stderr)));
        let log = answer
            .as_array()
            .unwrap()
            .iter()
            .map(|package| package["verdicts"][0]["said"].as_str().unwrap_or_default().to_owned());
        all.extend(log);
    }
    all
}

/// Removes the differences between a registry and a folder from a message, and the text of the YAML parser.
struct Same {
    request: Regex,
    yaml: Regex,
}

impl Same {
    fn new() -> Self {
        let request = r"(GET|HEAD) \S*/blobs/(sha256:\w+)(: BLOB_UNKNOWN: ).*";
        Self { request: Regex::new(request).unwrap(), yaml: Regex::new("yaml: .*").unwrap() }
    }

    fn normalized(&self, log: &str, source: &str) -> String {
        let log = log.replace(source, "REF");
        let log =
            Regex::new(r"REF@sha256:\w+|\S+/p/\S+@sha256:\w+").unwrap().replace_all(&log, "REF@DIGEST").into_owned();
        let log = Regex::new(r"GET \S*/blobs/(sha256:\w+): Content")
            .unwrap()
            .replace_all(&log, "GET $1: Content")
            .into_owned();
        let log = self.request.replace_all(&log, "$1 $2$3");
        self.without_yaml(&log)
    }

    fn without_yaml(&self, log: &str) -> String {
        self.yaml.replace_all(log, "yaml").into_owned()
    }
}

/// The class of a message: the parts before its third colon.
fn class(log: &str) -> String {
    log.split(": ").take(3).collect::<Vec<_>>().join(": ")
}

/// Compares both verdicts for all images; `source` returns the location of an image.
fn compared(
    registry: &Registry,
    [old, new]: [&Path; 2],
    source: impl Fn(&str, &str) -> Option<String>,
    is_exact: bool,
) {
    let same = Same::new();
    let mut seen: BTreeMap<bool, usize> = BTreeMap::new();
    for (program, version) in [(old, "v1.20.11"), (new, "v2.3.4")] {
        let wanted = registry.judged(program, version);
        let images = registry.images.iter().zip(wanted);
        let images =
            images.filter_map(|((name, reference), want)| Some((name, reference, want, source(name, reference)?)));
        let images: Vec<_> = images.collect();
        let got = verified(version, &images.iter().map(|(.., source)| source.clone()).collect::<Vec<_>>());
        assert_eq!(got.len(), images.len());
        let mut wrong = Vec::new();
        for ((name, reference, want, source), got) in images.into_iter().zip(got) {
            let (want, got) = if is_exact {
                (same.without_yaml(&want), same.without_yaml(&got))
            } else {
                (same.normalized(&want, reference), same.normalized(&got, &source))
            };
            let is_written = !name.starts_with('g');
            let is_same =
                if is_written { want == got } else { want.is_empty() == got.is_empty() && class(&want) == class(&got) };
            if !is_same {
                wrong.push(format!("{version} {name}\n  Crossplane {want}\n  hostnet    {got}"));
            }
            *seen.entry(want.is_empty()).or_default() += 1;
        }
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
    assert!(seen[&true] > 150 && seen[&false] > 150, "{seen:?}");
}

#[test]
fn packages_are_judged_like_in_crossplane() {
    let programs = ["xpkg-registry", "xpkg-v1.20.11", "xpkg"].map(find_program);
    let [Some(registry), Some(old), Some(new)] = programs else {
        return not_run("the referees of packages are missing (`make tools` builds them with Go)");
    };
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::start(&registry, GENERATED, folder.path(), "");
    assert!(registry.host.starts_with("127.0.0.1:") && registry.images.len() > 600);
    let layout = |name: &str, _: &str| {
        let layout = folder.path().join(name);
        layout.exists().then(|| format!("oci:{}", layout.display()))
    };
    compared(&registry, [&old, &new], layout, false);
    // With hostnet's own requests, and the registry's error messages.
    compared(&registry, [&old, &new], |_, reference| Some(reference.to_owned()), true);
}

/// The first release that was examined.
#[test]
fn earlier_releases_have_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let verify = |version: &str| {
        let run = crate::support::run::hostnet(
            folder.path(),
            &["mirror", "verify", "--crossplane", version, "oci:none"],
            b"",
        );
        (run.code, run.stderr.contains("was not examined"))
    };
    assert_eq!(verify("v1.13.2"), (Some(2), true));
    assert_eq!(verify("v1.14.0"), (Some(1), false));
}
