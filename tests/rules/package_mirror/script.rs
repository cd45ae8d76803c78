//! `hostnet mirror script`: dash runs the scripts repeatedly, with real tools and registries.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::verify::Registry;
use crate::support::registry::LocalRegistry;
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, run, text};

const TOOLS: [&str; 3] = ["crane", "regctl", "skopeo"];

/// Packages of every form that must arrive unchanged: an image, an image of Docker's format, an index.
const NAMES: [&str; 3] = ["annotated", "annotated-docker", "index-both"];

/// The packages that a tool can copy unchanged: skopeo 1.9.3 refuses an index that it would write with other bytes.
pub(super) fn names_of(tool: &str) -> [&'static str; 3] {
    if tool == "skopeo" { ["annotated", "annotated-docker", "function"] } else { NAMES }
}

/// Registries, and a folder with a config and manifests.
pub(super) struct Place {
    pub(super) from: Registry,
    pub(super) to: LocalRegistry,
    pub(super) folder: tempfile::TempDir,
}

pub(super) fn place() -> Option<Place> {
    let Some(program) = find_program("xpkg-registry") else {
        not_run("xpkg-registry is missing (`make tools` builds it with Go)");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let to = LocalRegistry::start()?;
    let from = Registry::start(
        &program,
        "0",
        &folder.path().join("layouts"),
        "annotated,annotated-docker,index-both,needs,function",
    );
    Some(Place { from, to, folder })
}

impl Place {
    /// Writes a config whose mirror is the folder `name`, and manifests with these packages; the config has the digests
    /// of pinned packages.
    pub(super) fn write(&self, name: &str, names: &[&str], pinned: &BTreeMap<String, String>) {
        let (from, to) = (&self.from.host, &self.to.host);
        let known: String = pinned
            .iter()
            .map(|(name, digest)| format!("    {from}/p/{name}:v1.0.0: {{digest: '{digest}'}}\n"))
            .collect();
        let packages = if known.is_empty() { String::new() } else { format!("  packages:\n{known}") };
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec:\n  rules:\n  - {{from: '{from}/p', to: '{to}/{name}'}}\n{packages}"
        );
        std::fs::write(self.folder.path().join("mirror.yaml"), config).unwrap();
        let manifests: Vec<String> =
            names.iter().map(|name| super::package("Provider", name, &format!("{from}/p/{name}:v1.0.0"))).collect();
        std::fs::write(self.folder.path().join("manifests.yaml"), super::stream(&manifests)).unwrap();
    }

    pub(super) fn script(&self, arguments: &[&str]) -> PathBuf {
        let command = [&["mirror", "script", "-c", "mirror.yaml", "-q", "manifests.yaml"], arguments].concat();
        let printed = hostnet(self.folder.path(), &command, b"");
        assert_eq!(printed.code, Some(0), "{}", printed.stderr);
        let path = self.folder.path().join("copy.sh");
        std::fs::write(&path, &printed.stdout).unwrap();
        path
    }

    /// Runs a script under dash, with a folder at the start of PATH: returns the exit code and the output.
    pub(super) fn run(&self, script: &Path, tool: &str, first: Option<&Path>) -> (Option<i32>, String) {
        let hosts = [&self.from.host, &self.to.host].map(|host| format!("--host reg={host},tls=disabled")).join(" ");
        let (copy, look) = match tool {
            "skopeo" => ("--src-tls-verify=false --dest-tls-verify=false", "--tls-verify=false"),
            "regctl" => (hosts.as_str(), hosts.as_str()),
            _ => ("", ""),
        };
        let mut folders: Vec<PathBuf> = first.map(Path::to_owned).into_iter().collect();
        folders.push(crate::support::project().join(".tools/bin"));
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new("dash");
        command
            .arg(script)
            .env("COPY_FLAGS", copy)
            .env("LOOK_FLAGS", look)
            .env("PATH", std::env::join_paths(folders).unwrap());
        let output = run(command.current_dir(self.folder.path()).env("HOME", self.folder.path()), b"");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    fn arrived(&self, name: &str, names: &[&str]) {
        for package in names {
            let source = self.to.digest(&format!("{}/p/{package}:v1.0.0", self.from.host));
            assert_eq!(
                self.to.digest(&format!("{}/{name}/{package}:v1.0.0", self.to.host)),
                source,
                "{name}: {package}"
            );
        }
    }
}

/// Installed tools; a note names missing tools.
pub(super) fn tools() -> Vec<&'static str> {
    let is_there = |tool: &&str| {
        let found = find_program(tool).is_some() && find_program("dash").is_some();
        if !found {
            not_run(&format!("{tool} or dash is missing"));
        }
        found
    };
    TOOLS.into_iter().filter(is_there).collect()
}

/// The second run copies nothing. Runs by tag, and by recorded digest.
#[test]
fn copies_have_the_same_digest() {
    let Some(place) = place() else { return };
    for tool in tools() {
        let names = names_of(tool);
        for is_pinned in [false, true] {
            let name = format!("{tool}-{is_pinned}");
            let digest =
                |name: &&str| ((*name).to_owned(), place.to.digest(&format!("{}/p/{name}:v1.0.0", place.from.host)));
            let pinned = if is_pinned { names.iter().map(digest).collect() } else { BTreeMap::new() };
            place.write(&name, &names, &pinned);
            let script = place.script(&["--tool", tool]);
            let (code, log) = place.run(&script, tool, None);
            assert_eq!((code, log.matches("copied: ").count()), (Some(0), 3), "{tool}: {log}");
            place.arrived(&name, &names);
            let (code, log) = place.run(&script, tool, None);
            assert_eq!(
                (code, log.matches("is there: ").count(), log.matches("copied").count()),
                (Some(0), 3, 0),
                "{tool}: {log}"
            );
        }
    }
}

/// The script is killed at its second copy, and the next run continues there.
#[test]
fn a_killed_script_continues() {
    let Some(place) = place() else { return };
    for tool in tools() {
        let (name, names) = (format!("killed-{tool}"), names_of(tool));
        place.write(&name, &names, &BTreeMap::new());
        let script = place.script(&["--tool", tool]);
        let programs = tempfile::tempdir().unwrap();
        let real = find_program(tool).unwrap();
        let count = programs.path().join("count");
        let wrapper = format!(
            "#!/bin/sh\ncase \" $* \" in\n*\" copy \"*)\n  echo >>'{0}'\n  if [ \"$(wc -l <'{0}')\" -eq 2 ]; then kill -9 $PPID; exit 1; fi ;;\nesac\nexec '{1}' \"$@\"\n",
            count.display(),
            real.display()
        );
        std::fs::write(programs.path().join(tool), wrapper).unwrap();
        std::fs::set_permissions(programs.path().join(tool), std::fs::Permissions::from_mode(0o755)).unwrap();
        let (code, log) = place.run(&script, tool, Some(programs.path()));
        assert_eq!((code, log.matches("copied: ").count()), (None, 1), "{tool}: {log}");
        let (code, log) = place.run(&script, tool, None);
        assert_eq!(
            (code, log.matches("is there").count(), log.matches("copied: ").count()),
            (Some(0), 1, 2),
            "{tool}: {log}"
        );
        place.arrived(&name, &names);
    }
}

/// Images that a tool would change are not copied, but reported.
#[test]
fn images_that_a_tool_would_change_are_refused() {
    let Some(place) = place() else { return };
    if find_program("skopeo").is_none() || find_program("dash").is_none() {
        return not_run("skopeo or dash is missing");
    }
    place.write("refused", &["index-both", "annotated"], &BTreeMap::new());
    let script = place.script(&["--tool", "skopeo"]);
    let (code, log) = place.run(&script, "skopeo", None);
    assert_eq!((code, log.matches("copied: ").count()), (Some(1), 1), "{log}");
    assert!(log.contains("Instructed to preserve digests") && log.contains("1 not copied"), "{log}");
    place.write("refused", &["annotated-docker", "annotated"], &BTreeMap::new());
    let script = place.script(&["--tool", "skopeo", "--via", "folder", "--part", "save"]);
    let (code, log) = place.run(&script, "skopeo", None);
    assert_eq!((code, log.matches("saved: ").count()), (Some(1), 1), "{log}");
}

/// Only the folder is carried: the source registry is gone at load time.
#[test]
fn a_folder_is_carried_over_an_air_gap() {
    for tool in tools() {
        let Some(place) = place() else { return };
        // skopeo cannot read a layout that it writes in Docker's format.
        let names: Vec<&str> =
            names_of(tool).into_iter().filter(|name| tool != "skopeo" || *name != "annotated-docker").collect();
        place.write("carried", &names, &BTreeMap::new());
        let save = place.script(&["--tool", tool, "--via", "a folder", "--part", "save"]);
        let (code, log) = place.run(&save, tool, None);
        assert_eq!((code, log.matches("saved: ").count()), (Some(0), names.len()), "{tool}: {log}");
        let digests: Vec<String> =
            names.iter().map(|name| place.to.digest(&format!("{}/p/{name}:v1.0.0", place.from.host))).collect();
        let (code, log) = place.run(&save, tool, None);
        assert_eq!((code, log.matches("is there: ").count()), (Some(0), names.len()), "{tool}: {log}");
        // An incomplete image is saved again.
        let half = std::fs::read_dir(place.folder.path().join("a folder")).unwrap().map(|entry| entry.unwrap().path());
        let half = half.filter(|path| path.extension().is_some_and(|end| end == "digest")).min().unwrap();
        std::fs::remove_file(&half).unwrap();
        let load = place.script(&["--tool", tool, "--via", "a folder", "--part", "load"]);
        let (code, log) = place.run(&load, tool, None);
        assert!(code == Some(1) && log.contains("has no complete") && log.contains("1 not copied"), "{tool}: {log}");
        let save = place.script(&["--tool", tool, "--via", "a folder", "--part", "save"]);
        let (code, log) = place.run(&save, tool, None);
        assert_eq!((code, log.matches("saved: ").count()), (Some(0), 1), "{tool}: {log}");
        let load = place.script(&["--tool", tool, "--via", "a folder", "--part", "load"]);
        let Place { from, to, folder } = place;
        let host = from.host.clone();
        drop(from);
        let place = Place { from: Registry::gone(&host), to, folder };
        for _ in 0..2 {
            let (code, log) = place.run(&load, tool, None);
            assert_eq!(code, Some(0), "{tool}: {log}");
        }
        for (name, digest) in names.iter().zip(digests) {
            assert_eq!(place.to.digest(&format!("{}/carried/{name}:v1.0.0", place.to.host)), digest, "{tool}: {name}");
        }
        let verified = hostnet(
            place.folder.path(),
            &["mirror", "verify", "--strict", &format!("{}/carried/annotated:v1.0.0", place.to.host)],
            b"",
        );
        assert_eq!(verified.code, Some(0), "{}", verified.text());
    }
}

/// If a tag moved since it was recorded, the script copies the recorded image or nothing.
#[test]
fn a_tag_that_moved_is_not_followed() {
    let Some(place) = place() else { return };
    let other = place.to.digest(&format!("{}/p/needs:v1.0.0", place.from.host));
    place.write("moved", &["annotated", "function"], &BTreeMap::from([("annotated".to_owned(), other)]));
    let script = place.script(&["--tool", "crane"]);
    let (code, log) = place.run(&script, "crane", None);
    assert_eq!((code, log.matches("copied: ").count()), (Some(1), 1), "{log}");
    assert!(log.contains("1 not copied") && log.contains("MANIFEST_UNKNOWN"), "{log}");
}

#[test]
fn images_without_a_target_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec:\n  rules: [{from: a.io, to: b.io}]\n";
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    let manifests = [
        super::package("Provider", "a", "a.io/o/a:v1"),
        super::package("Provider", "c", "c.io/o/c:v1"),
        super::package("Provider", "d", "a.io/o/d:${v}"),
    ];
    std::fs::write(folder.path().join("manifests.yaml"), super::stream(&manifests)).unwrap();
    let run = |more: &[&str]| {
        let all = [&["mirror", "script", "-c", "mirror.yaml", "--tool", "crane"], more, &["manifests.yaml"]].concat();
        let run = hostnet(folder.path(), &all, b"");
        let entries: String =
            run.text().lines().filter(|line| line.starts_with("one ")).map(|line| format!("{line}\n")).collect();
        format!("{entries}{}exit code {}\n", run.stderr, run.code.unwrap())
    };
    insta::assert_snapshot!(run(&[]), @"
    one image a.io/o/a v1 '' b.io/o/a a-v1-f0adf740 || failed=$((failed + 1))
    warning: not known: Provider a: the packages that a.io/o/a:v1 needs; record it with `hostnet mirror pin`
    warning: not known: Provider c: the packages that c.io/o/c:v1 needs; record it with `hostnet mirror pin`
    warning: not known: Provider d: the packages that a.io/o/d:${v} needs; record it with `hostnet mirror pin`
    warning: not copied: a.io/o/d:${v} is not a reference until its placeholders are filled in
    warning: not copied: c.io/o/c:v1 has no place in a mirror: no rule of the config matches it
    exit code 0
    ");
    let upper = super::package("Provider", "e", "a.io/o/E:v1");
    std::fs::write(folder.path().join("upper.yaml"), upper).unwrap();
    let upper =
        hostnet(folder.path(), &["mirror", "script", "-c", "mirror.yaml", "--tool", "crane", "upper.yaml"], b"");
    let reason = "not copied: a.io/o/E:v1 is not an image reference: a path has 2 to 255 characters out of lower-case";
    assert!(upper.stderr.contains(reason), "{}", upper.stderr);
    insta::assert_snapshot!(run(&["--complete"]), @"
    error: not known: Provider a: the packages that a.io/o/a:v1 needs; record it with `hostnet mirror pin`
    error: not known: Provider c: the packages that c.io/o/c:v1 needs; record it with `hostnet mirror pin`
    error: not known: Provider d: the packages that a.io/o/d:${v} needs; record it with `hostnet mirror pin`
    error: not copied: a.io/o/d:${v} is not a reference until its placeholders are filled in
    error: not copied: c.io/o/c:v1 has no place in a mirror: no rule of the config matches it
    exit code 1
    ");
    insta::assert_snapshot!(run(&["--via", "a:b", "--part", "save"]), @r"
    error: `--via a:b`: tools read `:` and `@` in the name of a folder as tag and digest; use another name
    exit code 2
    ");
}
