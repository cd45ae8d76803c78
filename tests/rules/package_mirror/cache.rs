//! `hostnet mirror cache`: cache files that Crossplane's own code reads without a request to any registry.

use std::path::Path;
use std::process::Command;

use super::verify_text::package_of;
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, run, text};

const PACKAGE: &str = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: p}\n";

fn cache(folder: &Path, version: &str, sources: &[&str]) -> String {
    let run =
        hostnet(folder, &[&["mirror", "cache", "--crossplane", version, "--output", "cache"], sources].concat(), b"");
    format!("{}{}exit code {}\n", run.text(), run.stderr, run.code.unwrap())
}

/// Runs Crossplane's cache on packages with pull policy Never: an empty text, or the error, for each reference.
fn judged(program: &str, folder: &Path, references: &[String]) -> Option<Vec<String>> {
    let Some(path) = find_program(program) else {
        not_run(&format!("{program} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let answer = run(Command::new(path).arg("cache").arg(folder.join("cache")), references.join("\n").as_bytes());
    assert!(answer.status.success(), "{}", text(&answer.stderr));
    let reported =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["said"].as_str().unwrap().to_owned();
    Some(text(&answer.stdout).lines().map(reported).collect())
}

#[test]
fn crossplane_reads_the_files_without_a_registry() {
    let folder = tempfile::tempdir().unwrap();
    package_of(PACKAGE).lay(&folder.path().join("mirror"));
    let packages = [
        "xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0",
        "xpkg.crossplane.io/o/a:v1",
        "xpkg.crossplane.io/o/b:v1.2.3-rc.1",
        "localhost:5000/o/c_d:V2",
        "172.18.0.5:5000/o/e-f:1.0",
        "xpkg.crossplane.io/a-very-long-organisation/and-a-very-long-name-of-a-provider-too:v10.20.30",
    ];
    let sources: Vec<String> = packages.iter().map(|package| format!("{package}=oci:mirror")).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let log = cache(folder.path(), "v1.20.11", &sources);
    assert!(log.ends_with("exit code 0\n"), "{log}");
    let references: Vec<String> = packages.iter().map(|package| (*package).to_owned()).collect();
    if let Some(log) = judged("xpkg-v1.20.11", folder.path(), &references) {
        assert_eq!(log, vec![String::new(); packages.len()]);
        let other = judged("xpkg-v1.20.11", folder.path(), &["xpkg.crossplane.io/o/other:v1".to_owned()]).unwrap();
        assert_eq!(other, ["failed to get pre-cached package with pull policy Never"]);
    }
    std::fs::remove_dir_all(folder.path().join("cache")).unwrap();
    let log = cache(folder.path(), "v2.3.4", &sources);
    assert!(log.ends_with("exit code 0\n"), "{log}");
    let index: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("mirror/index.json")).unwrap()).unwrap();
    let digest = index["manifests"][0]["digest"].as_str().unwrap();
    let by_digest = packages.iter().map(|package| format!("{}@{digest}", package.rsplit_once(':').unwrap().0));
    if let Some(log) = judged("xpkg", folder.path(), &by_digest.collect::<Vec<_>>()) {
        assert_eq!(log, vec![String::new(); packages.len()]);
        let by_tag = judged("xpkg", folder.path(), &[packages[1].to_owned()]).unwrap();
        assert!(by_tag[0].contains("a registry was asked"), "{by_tag:?}");
    }
}

#[test]
fn invalid_packages_leave_no_cache() {
    let folder = tempfile::tempdir().unwrap();
    package_of(PACKAGE).lay(&folder.path().join("mirror"));
    package_of("").lay(&folder.path().join("wrong"));
    let of = |version: &str, sources: &[&str]| {
        let log = cache(folder.path(), version, sources);
        assert!(!folder.path().join("cache").exists(), "{log}");
        regex::Regex::new("(sha256:[0-9a-f]{4})[0-9a-f]{60}").unwrap().replace_all(&log, "$1…").into_owned()
    };
    insta::assert_snapshot!(of("v1.20.11", &["a.io/o/a:v1.2.3=oci:mirror", "a.io/o/a:v1.2.4=oci:mirror"]), @r"
    error: a.io/o/a:v1.2.3 and a.io/o/a:v1.2.4 have the same file in Crossplane's cache, a.io/o/a:v1.2.gz: only one of them can be cached, so nothing is written
    exit code 1
    ");
    insta::assert_snapshot!(of("v2.3.4", &["a.io/o/a:v1=oci:mirror", "a.io/o/b:v1=oci:wrong"]), @"
    oci:wrong
      digest: sha256:ee7e…
      Crossplane v2.3.4: refuses: linting package contents failed: not exactly one package meta type
      error: package.yaml has 0 objects of meta.pkg.crossplane.io, and a package has exactly one

    error: oci:wrong cannot be cached, so nothing is written: each is refused, cannot be read, or has no digest before it is pushed
    exit code 1
    ");
    insta::assert_snapshot!(of("v1.20.11", &["a.io/../../etc/a:v1=oci:mirror"]), @r"
    error: `a.io/../../etc/a:v1` is not a package
    exit code 1
    ");
    insta::assert_snapshot!(of("newest", &["a.io/o/a:v1=oci:mirror"]), @r"
    error: `newest` is not a version of Crossplane; write it as `v1.20.11` or `v2.3.4`
    exit code 2
    ");
}
