//! Losses of real copiers of images, and the findings of `hostnet mirror verify` in the copies.

use std::process::Command;

use super::verify::Registry;
use crate::support::registry::LocalRegistry;
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, project, run, text};

/// A method of copying: its name, its shell commands, true if the annotation stays, true if the digest stays, and the
/// findings of `verify`.
struct Copying(&'static str, &'static str, bool, bool, &'static [&'static str]);

/// `$S` is an annotated package, `$I` an index of two platforms, `$T` the target.
const TABLE: [Copying; 15] = [
    Copying("crane copy", "crane copy $S $T", true, true, &[]),
    Copying("crane copy of an index", "crane copy $I $T", true, true, &[]),
    Copying("crane pull and push", "crane pull $S a.tar && crane push a.tar $T", false, false, &["annotation-lost"]),
    Copying("crane pull --format=oci and push", "crane pull --format=oci $S l && crane push l $T", true, true, &[]),
    Copying("crane flatten", "crane copy $S $T && crane flatten $T -t $T", false, false, &["annotation-lost"]),
    Copying("crane copy --platform linux/arm64", "crane copy --platform linux/arm64 $I $T", true, false, &["digest"]),
    Copying("regctl image copy", "regctl $REGCTL image copy $S $T", true, true, &[]),
    Copying("regctl image copy of an index", "regctl $REGCTL image copy $I $T", true, true, &[]),
    Copying("skopeo copy", "skopeo copy $SKOPEO docker://$S docker://$T", true, true, &[]),
    Copying(
        "skopeo copy --all of an index",
        "skopeo copy $SKOPEO --all docker://$I docker://$T",
        true,
        false,
        &["digest"],
    ),
    Copying("skopeo copy of an index", "skopeo copy $SKOPEO docker://$I docker://$T", true, false, &["digest"]),
    Copying(
        "skopeo copy --format v2s2",
        "skopeo copy $SKOPEO --format v2s2 docker://$S docker://$T",
        false,
        false,
        &["annotation-lost", "digest"],
    ),
    Copying(
        "skopeo copy, docker-archive",
        "skopeo copy $SKOPEO docker://$S docker-archive:d.tar:x:v1 && skopeo copy $SKOPEO docker-archive:d.tar docker://$T",
        false,
        false,
        &["annotation-lost", "digest"],
    ),
    Copying(
        "skopeo copy, oci-archive",
        "skopeo copy $SKOPEO docker://$S oci-archive:o.tar:v1 && skopeo copy $SKOPEO oci-archive:o.tar:v1 docker://$T",
        true,
        true,
        &[],
    ),
    Copying(
        "skopeo copy, dir",
        "skopeo copy $SKOPEO docker://$S dir:d && skopeo copy $SKOPEO dir:d docker://$T",
        true,
        true,
        &[],
    ),
];

#[test]
fn losses_of_copiers_are_reported() {
    if let Some(to) = LocalRegistry::start() {
        println!("{}", copied(&to));
    }
}

/// Copies to the `registry:2` server of Docker.
#[test]
fn losses_of_copies_to_docker_registry_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    if let Some(to) = LocalRegistry::from_docker(folder.path()) {
        println!("{}", copied(&to));
    }
}

/// Copies with each method, and returns a table of the results.
fn copied(to: &LocalRegistry) -> String {
    let programs = ["xpkg-registry", "crane", "regctl", "skopeo"].map(find_program);
    let [Some(program), Some(_), Some(_), Some(_)] = programs else {
        not_run("xpkg-registry, crane, regctl or skopeo is missing (`make tools`; skopeo is a package of Debian)");
        return String::new();
    };
    let layouts = tempfile::tempdir().unwrap();
    let from = Registry::start(&program, "0", layouts.path(), "annotated,index-both");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(project().join(".tools/bin")).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    let mut table = format!("{:36} {:10} {:6} said\n", "command", "annotation", "digest");
    for (at, Copying(name, script, keeps, is_same, log)) in TABLE.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let of = if script.contains("$I") { "index-both" } else { "annotated" };
        let source = format!("{}/p/{of}:v1.0.0", from.host);
        let target = format!("{}/m/copy{at}:v1.0.0", to.host);
        let mut command = Command::new("sh");
        command.args(["-euc", script]).current_dir(folder.path()).env("PATH", &path).env("HOME", folder.path());
        command.env("S", &source).env("I", &source).env("T", &target);
        command.env("REGCTL", format!("--host reg={},tls=disabled --host reg={},tls=disabled", from.host, to.host));
        // skopeo takes TLS flags for a source or target only if that side is a registry.
        let skopeo = "--insecure-policy --quiet --src-tls-verify=false --dest-tls-verify=false";
        command.env("SKOPEO", skopeo.trim_start_matches("--insecure-policy "));
        let output = run(&mut command, b"");
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let digest = to.digest(&source);
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec:\n  rules:\n  - {{from: a.io/p, to: '{}/m'}}\n  packages:\n    a.io/p/copy{at}:v1.0.0: {{digest: '{digest}'}}\n",
            to.host
        );
        std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
        std::fs::write(
            folder.path().join("a.yaml"),
            super::package("Provider", "a", &format!("a.io/p/copy{at}:v1.0.0")),
        )
        .unwrap();
        let run = hostnet(folder.path(), &["mirror", "verify", "-c", "mirror.yaml", "-o", "json", "a.yaml"], b"");
        let judged: serde_json::Value =
            serde_json::from_str(&run.text()).unwrap_or_else(|_| panic!("{name}: {}", run.stderr));
        let found = judged[0]["findings"].as_array().unwrap().iter();
        let mut found: Vec<&str> = found
            .filter(|finding| finding["severity"] != "info")
            .map(|finding| finding["about"].as_str().unwrap())
            .collect();
        found.sort_unstable();
        let lost = found.contains(&"annotation-lost");
        let same = to.digest(&target) == digest;
        table.push_str(&format!(
            "{name:36} {:10} {:6} {}\n",
            if lost { "lost" } else { "kept" },
            if same { "same" } else { "other" },
            found.join(", ")
        ));
        let mut wanted: Vec<&str> = log.to_vec();
        if !is_same && !wanted.contains(&"digest") {
            wanted.push("digest");
        }
        wanted.sort_unstable();
        assert_eq!((!lost, same, found), (*keeps, *is_same, wanted), "{name}\n{table}");
        assert_eq!(run.code, Some(i32::from(!is_same)), "{name}: {}", run.text());
    }
    table
}
