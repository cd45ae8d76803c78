//! `hostnet mirror script --load`: dash runs the scripts with real copiers, and containerd's own code reads the loaded
//! archives.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::script::{Place, names_of, place, tools};
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, run, text};

/// Creates replacements of kind, ctr, k3s and ssh that log their calls and keep the archives.
fn stand_ins(folder: &Path) -> std::path::PathBuf {
    let bin = folder.join("stand-ins");
    std::fs::create_dir_all(&bin).unwrap();
    let log = folder.join("log");
    let keep = format!("count=$(ls '{0}' | wc -l); cat >'{0}/archive-'$count.tar", folder.join("kept").display());
    std::fs::create_dir_all(folder.join("kept")).unwrap();
    let note = format!("#!/bin/sh\necho \"${{0##*/}} $*\" >>'{}'\n", log.display());
    let programs = [
        ("kind", format!("for last; do :; done; exec <\"$last\"; {keep}")),
        ("ctr", keep.clone()),
        ("k3s", keep.clone()),
        ("ssh", "shift; exec \"$@\"".to_owned()),
    ];
    for (name, body) in programs {
        std::fs::write(bin.join(name), format!("{note}{body}\n")).unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    bin
}

/// The logged calls, without the folder of the script.
fn calls(folder: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    let _ = std::fs::remove_file(folder.join("log"));
    let work = regex::Regex::new(r"\S*/image\.tar").unwrap();
    log.lines().map(|line| work.replace(line, "image.tar").into_owned()).collect()
}

/// Names and digests of all kept archives, as containerd's own code reads them.
fn loaded(containerd: &Path, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join("kept")).unwrap() {
        let path = entry.unwrap().path();
        let output = run(Command::new(containerd).arg("import").arg(&path), b"");
        assert!(output.status.success(), "{}: {}", path.display(), text(&output.stderr));
        found.extend(text(&output.stdout).lines().map(str::to_owned));
        std::fs::remove_file(path).unwrap();
    }
    found.sort();
    found
}

/// Expected images of these packages on a node: by tag and by digest, each with the digest of the source.
fn wanted(place: &Place, names: &[&str]) -> Vec<String> {
    let of = |name: &&str| {
        let digest = place.to.digest(&format!("{}/p/{name}:v1.0.0", place.from.host));
        let there = format!("{}/loaded/{name}", place.to.host);
        [format!("{there}:v1.0.0 {digest}"), format!("{there}@{digest} {digest}")]
    };
    let mut all: Vec<String> = names.iter().flat_map(of).collect();
    all.sort();
    all
}

#[test]
fn nodes_get_images_under_the_names_that_pods_use() {
    let Some(containerd) = find_program("containerd-hosts") else {
        return not_run("containerd-hosts is missing (`make tools` builds it with Go)");
    };
    let Some(place) = place() else { return };
    let folder = place.folder.path().to_owned();
    let bin = stand_ins(&folder);
    for tool in tools() {
        // skopeo cannot save images of Docker's format unchanged.
        let names: Vec<&str> =
            names_of(tool).into_iter().filter(|name| tool != "skopeo" || *name != "annotated-docker").collect();
        place.write("loaded", &names, &BTreeMap::new());
        for loader in ["kind", "ctr", "k3s"] {
            let script = place.script(&["--tool", tool, "--load", loader]);
            for _ in 0..2 {
                let (code, log) = place.run(&script, tool, Some(&bin));
                assert_eq!((code, log.matches("loaded: ").count()), (Some(0), names.len()), "{tool} {loader}: {log}");
                assert_eq!(loaded(&containerd, &folder), wanted(&place, &names), "{tool} {loader}");
            }
            let called = match loader {
                "kind" => "kind load image-archive image.tar",
                "ctr" => "ctr -n k8s.io images import -",
                _ => "k3s ctr -n k8s.io images import -",
            };
            assert_eq!(calls(&folder), vec![called; 2 * names.len()], "{tool} {loader}");
        }
    }
}

/// Each node gets each image; if a node refuses an image, the script continues and then fails.
#[test]
fn each_node_is_loaded_by_ssh() {
    let Some(place) = place() else { return };
    let Some(tool) = tools().first().copied() else { return };
    let folder = place.folder.path().to_owned();
    let bin = stand_ins(&folder);
    place.write("loaded", &["annotated", "function"], &BTreeMap::new());
    let script = place.script(&["--tool", tool, "--load", "ctr"]);
    let text = std::fs::read_to_string(&script).unwrap();
    let temporary = folder.join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let with = |nodes: &str, ctr: &str| {
        let temporary = temporary.display();
        let settings = format!("export TMPDIR='{temporary}'\nNODES='{nodes}'\nSUDO='env'\nCTR='{ctr}'\n");
        std::fs::write(&script, text.replacen("set -eu\n", &format!("set -eu\n{settings}"), 1)).unwrap();
        place.run(&script, tool, Some(&bin))
    };
    let (code, log) = with("a b", "ctr --address /run/x");
    assert_eq!(code, Some(0), "{log}");
    let ssh = |node: &str| format!("ssh {node} env ctr --address /run/x -n k8s.io images import -");
    let ctr = "ctr --address /run/x -n k8s.io images import -".to_owned();
    let each = [ssh("a"), ctr.clone(), ssh("b"), ctr];
    assert_eq!(calls(&folder), [each.clone(), each].concat());
    let (code, log) = with("a b", "false");
    assert!(code == Some(1) && log.contains("2 not loaded"), "{log}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "no temporary files remain");
}

/// Nodes run images and packages, but neither Configurations nor signatures; images that no rule matches keep their
/// name.
#[test]
fn images_that_nodes_do_not_run_are_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec:\n  rules:\n  - {from: a.io, to: m.example.com/a}\n";
    let manifests = [
        super::package("Configuration", "c", "a.io/o/c:v1"),
        super::package("Function", "f", "a.io/o/f:v1"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: nginx}, {name: b, image: 'a.io/b:$(X)'}]}\n".to_owned(),
    ];
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    std::fs::write(folder.path().join("manifests.yaml"), super::stream(&manifests)).unwrap();
    let printed = |more: &[&str]| {
        let command = ["mirror", "script", "-c", "mirror.yaml", "--tool", "crane", "--load", "kind", "manifests.yaml"];
        hostnet(folder.path(), &[&command[..], more].concat(), b"")
    };
    let script = printed(&[]);
    let lines: Vec<String> =
        script.text().lines().filter(|line| line.starts_with("one image")).map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "one image a.io/o/f v1 '' m.example.com/a/o/f || failed=$((failed + 1))",
            "one image docker.io/library/nginx latest '' docker.io/library/nginx || failed=$((failed + 1))"
        ]
    );
    assert!(script.text().contains("Crossplane's core still reads each package from its registry"));
    assert!(!script.stderr.contains("no rule of the config") && script.stderr.contains("not loaded: a.io/b:$(X)"));
    assert_eq!(printed(&["--via", "d", "--part", "load"]).code, Some(2));
}

/// The recorded kind shows that a needed package is a Configuration; up to v1.20 the image of a package's metadata runs
/// instead of the package's own image.
#[test]
fn needed_packages_are_loaded_by_their_recorded_kind() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = |version: &str, kind: &str| {
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec:\n  crossplane: {{version: {version}}}\n  rules: [{{from: a.io, \
             to: m.example.com/a}}]\n  packages:\n    a.io/o/c:v1.0.0: {{dependsOn: [a.io/o/needed >=v1.0.0]}}\n    a.io/o/needed:v1.0.0: {{{kind}, dependsOn: [a.io/o/f \
             >=v1.0.0]}}\n    a.io/o/f:v1.0.0: {{kind: Function, dependsOn: [], runtimeImage: 'a.io/o/runtime:v1'}}\n"
        );
        std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
        std::fs::write(folder.path().join("manifests.yaml"), super::package("Configuration", "c", "a.io/o/c:v1.0.0"))
            .unwrap();
        let command = ["mirror", "script", "-c", "mirror.yaml", "--tool", "crane", "--load", "kind", "manifests.yaml"];
        let run = hostnet(folder.path(), &command, b"");
        let text = run.text();
        let lines = text.lines().filter_map(|line| line.strip_prefix("one image a.io/o/")).map(str::to_owned);
        lines.map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(loaded("v2.3.4", "kind: Configuration"), ["f"]);
    assert_eq!(loaded("v1.20.11", "kind: Configuration"), ["runtime"]);
    assert_eq!(loaded("v2.3.4", "kind: Provider"), ["f", "needed"]);
    assert_eq!(loaded("v2.3.4", "platforms: []"), ["f", "needed"]);
}
