//! Image names in manifests and packages refer to registries only, never to files of this machine.

use std::path::Path;

use super::hostile_registries::{layout, registry_of};
use super::verify_config::meta;
use super::{package, stream};
use crate::support::run::{Run, hostnet};

fn mirror(folder: &Path, host: &str) {
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: [{{from: a.io, to: '{host}'}}], crossplane: {{version: v2.3.4}}}}\n"
    );
    std::fs::write(folder.join("mirror.yaml"), config).unwrap();
}

fn both(folder: &Path, manifests: &[String]) -> [Run; 2] {
    std::fs::write(folder.join("manifests.yaml"), stream(manifests)).unwrap();
    [
        hostnet(folder, &["mirror", "verify", "-c", "mirror.yaml", "manifests.yaml"], b""),
        hostnet(folder, &["mirror", "pin", "-c", "mirror.yaml", "--manifests", "manifests.yaml", "--check"], b""),
    ]
}

fn pod(image: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{containers: [{{name: a, image: '{image}'}}]}}\n")
}

/// Command-line sources in a manifest: existing files, and a pipe without a writer.
#[test]
fn a_manifest_names_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    mirror(at, "127.0.0.1:1");
    std::fs::write(at.join("secret.json"), "SECRET").unwrap();
    std::fs::write(at.join("a.xpkg"), "SECRET").unwrap();
    let made = std::process::Command::new("mkfifo").arg(at.join("pipe")).status().unwrap();
    assert!(made.success());
    layout(&at.join("layout"), &meta("Provider", "a", &[]));
    for place in [
        "docker-archive:PATH/secret.json",
        "oci:PATH/layout",
        "oci-archive:PATH/pipe",
        "PATH/a.xpkg",
        "a.xpkg",
        "oci:layout",
    ] {
        let place = place.replace("PATH", at.to_str().unwrap());
        for manifest in [package("Provider", "a", &place), pod(&place)] {
            for run in both(at, &[manifest]) {
                let log = format!("{}{}", run.text(), run.stderr);
                assert!(
                    !log.contains("SECRET") && !log.contains("installs") && !log.contains("SECR"),
                    "{place}: {log}"
                );
            }
        }
    }
}

/// A repository name with the file extension of a package.
#[test]
fn a_repository_name_may_end_in_xpkg() {
    let folder = tempfile::tempdir().unwrap();
    layout(&folder.path().join("layout"), &meta("Provider", "a", &[]));
    let (host, _) = registry_of(&folder.path().join("layout"));
    mirror(folder.path(), &host);
    let [verify, pin] = both(folder.path(), &[package("Provider", "a", "a.io/acme/tool.xpkg:v1")]);
    assert_eq!(verify.code, Some(0), "{}{}", verify.text(), verify.stderr);
    assert!(verify.text().contains("tool.xpkg:v1 (Provider)"), "{}", verify.text());
    assert!(!pin.stderr.contains("No such file"), "{}", pin.stderr);
}

/// A refused package is pulled once, even if manifests name it and another package needs it.
#[test]
fn pin_ends_when_a_package_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    layout(&folder.path().join("layout"), "");
    let (host, asked) = registry_of(&folder.path().join("layout"));
    mirror(folder.path(), &host);
    std::fs::write(folder.path().join("manifests.yaml"), package("Provider", "a", &format!("{host}/o/a:v1"))).unwrap();
    let run = hostnet(folder.path(), &["mirror", "pin", "-c", "mirror.yaml", "--manifests", "manifests.yaml"], b"");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.ends_with("error: 1 package refused, so nothing is written\n"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("not exactly one package meta type").count(), 1, "{}", run.stderr);
    assert!(asked.lock().unwrap().len() < 10);
}

/// An endless chain of dependencies: each answer of the registry names a new package.
#[test]
fn the_number_of_dependencies_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let (host, _) = super::hostile_registries::endless(folder.path());
    mirror(folder.path(), &host);
    let [verify, pin] = both(folder.path(), &[package("Provider", "a", &format!("{host}/o/p0:v1.0.0"))]);
    for run in [verify, pin] {
        assert_eq!(run.code, Some(1));
        let log = format!("{}{}", run.text(), run.stderr);
        assert!(log.contains("dependencies lead to more than 1000 packages"), "{log}");
    }
}
