//! Files that commands write, and files that they must not change.

use std::fs;

use super::mirror;
use crate::support::run::hostnet;

const HOST_NETWORK: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: h}\nspec: {targets: [{select: {kind: Deployment, name: web}, ports: {http: 20443}}]}\n";
const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, args: ['--port=8080'], ports: [{containerPort: 8080, name: http}]}]}}}\n";

#[test]
fn files_of_other_programs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("mirror.yaml"), mirror("172.18.0.5:5000")).unwrap();
    fs::write(at("h.yaml"), HOST_NETWORK).unwrap();
    fs::write(at("m.yaml"), WEB).unwrap();
    let nodes = ["mirror", "node-config", "-c", "mirror.yaml", "--http", "172.18.0.5:5000", "--output", "nodes"];
    let patch = ["patch", "-c", "h.yaml", "--as", "component", "--output-dir", "patches", "m.yaml"];
    for (arguments, file) in [(&nodes[..], "nodes/config.toml"), (&patch[..], "patches/kustomization.yaml")] {
        let run = |more: &[&str]| hostnet(folder.path(), &[arguments, more].concat(), b"");
        let first = run(&[]);
        assert_eq!(first.code, Some(0), "{}", first.stderr);
        let made = fs::read_to_string(at(file)).unwrap();
        assert!(made.starts_with("# Made by `hostnet "), "{made}");
        fs::write(at(file), format!("{made}# changed\n")).unwrap();
        assert_eq!(run(&[]).code, Some(0), "a file of hostnet's own is replaced");
        assert_eq!(fs::read_to_string(at(file)).unwrap(), made);
        fs::write(at(file), "mine: true\n").unwrap();
        let refused = run(&[]);
        assert_eq!(refused.code, Some(1));
        assert!(
            refused.stderr.contains(&format!("{file}: ")) && refused.stderr.contains("--force"),
            "{}",
            refused.stderr
        );
        assert_eq!(fs::read_to_string(at(file)).unwrap(), "mine: true\n");
        assert_eq!(run(&["--force"]).code, Some(0));
        assert_eq!(fs::read_to_string(at(file)).unwrap(), made);
    }
}

/// kubectl and Flux apply hidden files of a folder. Configs of other tools have no objects, and hidden folders such as
/// `.github` are not manifests.
#[cfg(unix)]
#[test]
fn hidden_files_are_read_and_broken_links_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join("in").join(name);
    fs::create_dir_all(at(".github")).unwrap();
    fs::write(at(".web.yaml"), WEB).unwrap();
    fs::write(at(".github/web.yaml"), WEB.replace("name: web", "name: hidden")).unwrap();
    fs::write(at(".goreleaser.yaml"), "version: 2\nbuilds: []\n").unwrap();
    fs::write(at("db.yaml"), WEB.replace("name: web", "name: db")).unwrap();
    for link in ["lost.yaml", ".#db.yaml", "lost.txt"] {
        std::os::unix::fs::symlink("/nonexistent", at(link)).unwrap();
    }
    let run = hostnet(folder.path(), &["check", "in"], b"");
    let output = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<&str> = output.lines().collect();
    let counts = "2 objects, 2 workloads: nothing found; not read: 1 missing or broken file";
    assert_eq!(lines.get(..2), Some(&["not read: in/lost.yaml: a symlink to a missing file", counts][..]), "{output}");
    assert_eq!(hostnet(folder.path(), &["check", "--strict", "in"], b"").code, Some(1));
}

/// Symlinks to folders are not followed. One to a folder with manifests that are not read otherwise is named.
#[cfg(unix)]
#[test]
fn links_to_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["in/base", "real", "docs"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    fs::write(at("in/base/web.yaml"), WEB).unwrap();
    fs::write(at("real/api.yaml"), WEB.replace("name: web", "name: api")).unwrap();
    fs::write(at("docs/mkdocs.yml"), "site_name: a\n").unwrap();
    for (target, link) in [("base", "in/inside"), ("../real", "in/outside"), ("../docs", "in/docs"), (".", "in/loop")] {
        std::os::unix::fs::symlink(target, at(link)).unwrap();
    }
    let output = String::from_utf8(hostnet(folder.path(), &["check", "in"], b"").stdout).unwrap();
    let named: Vec<&str> = output.lines().filter(|line| line.starts_with("not read: ")).collect();
    assert_eq!(named, ["not read: in/outside: a symlink to a folder: give that folder as PATH too"], "{output}");
}

/// A symlink in the given folder to a file outside of it, and the same file given as an argument.
#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("h.yaml"), HOST_NETWORK).unwrap();
    fs::create_dir_all(at("given/in")).unwrap();
    fs::create_dir(at("other")).unwrap();
    fs::write(at("other/web.yaml"), WEB).unwrap();
    std::os::unix::fs::symlink(at("other/web.yaml"), at("given/link.yaml")).unwrap();
    fs::write(at("given/b.yaml"), WEB.replace("name: web", "name: db")).unwrap();
    let apply =
        |paths: &[&str]| hostnet(folder.path(), &[&["apply", "--in-place", "-c", "h.yaml"], paths].concat(), b"");
    for paths in [&["given"][..], &["--sources", "given"]] {
        let run = apply(paths);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(
            run.stderr.contains("given/link.yaml: a symlink that leads out of the given folders"),
            "{}",
            run.stderr
        );
        assert_eq!(fs::read_to_string(at("other/web.yaml")).unwrap(), WEB);
    }
    assert_eq!(apply(&["given", "other"]).code, Some(0));
    assert_ne!(fs::read_to_string(at("other/web.yaml")).unwrap(), WEB);
    // The target of the link has no further changes.
    assert_eq!(apply(&["given"]).code, Some(0));
    fs::write(at("other/web.yaml"), WEB).unwrap();
    assert_eq!(apply(&["given/link.yaml"]).code, Some(0), "a link given as an argument is followed");
    assert_ne!(fs::read_to_string(at("other/web.yaml")).unwrap(), WEB);
    fs::rename(at("other/web.yaml"), at("given/in/web.yaml")).unwrap();
    fs::write(at("given/in/web.yaml"), WEB).unwrap();
    fs::remove_file(at("given/link.yaml")).unwrap();
    std::os::unix::fs::symlink(at("given/in/web.yaml"), at("given/link.yaml")).unwrap();
    assert_eq!(apply(&["given"]).code, Some(0), "a link within the folder");
    assert_ne!(fs::read_to_string(at("given/in/web.yaml")).unwrap(), WEB);
}

/// A pipe of a shell is read like a file, but not written in place; a symlink loop is ignored.
#[cfg(unix)]
#[test]
fn pipes_are_read_and_circular_links_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("h.yaml"), HOST_NETWORK).unwrap();
    fs::write(at("m.yaml"), WEB).unwrap();
    let bash = |flags: &str| {
        let script = format!("'{}' apply {flags} -c h.yaml <(cat m.yaml)", env!("CARGO_BIN_EXE_hostnet"));
        let output =
            std::process::Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text, log) = bash("");
    assert_eq!(code, Some(0), "{log}");
    assert!(text.contains("containerPort: 20443"), "{text}");
    let (code, _, log) = bash("--in-place");
    assert_eq!(code, Some(1));
    assert!(log.contains("it is not a regular file, so it cannot be written in place"), "{log}");
    // Reading a pipe without a writer would block.
    assert!(std::process::Command::new("mkfifo").arg(at("p.yaml")).status().unwrap().success());
    let run = hostnet(folder.path(), &["apply", "--in-place", "-c", "h.yaml", "p.yaml"], b"");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("p.yaml: it is not a regular file"), "{}", run.stderr);
    std::fs::remove_file(at("p.yaml")).unwrap();
    std::os::unix::fs::symlink("b.yaml", at("a.yaml")).unwrap();
    std::os::unix::fs::symlink("a.yaml", at("b.yaml")).unwrap();
    let run = hostnet(folder.path(), &["apply", "--check", "-c", "h.yaml", "."], b"");
    assert!(run.stderr.contains("m.yaml: would change"), "{}", run.stderr);
}
