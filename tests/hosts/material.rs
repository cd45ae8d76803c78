//! `.ci/material`: files of repositories by commit and hash, fetched from local bare repositories.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::cases::host;
use crate::support::{project, run, text};

const MANIFEST: &str = "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: \"a\"}";

/// A list of material, the bare repositories in it, and the folder for the fetched files.
struct Bench {
    folder: tempfile::TempDir,
    commit: String,
}

impl Bench {
    fn new() -> Option<Self> {
        let git = host("git")?;
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir_all(work.join("deploy/a folder")).unwrap();
        std::fs::create_dir_all(work.join("chart/templates")).unwrap();
        std::fs::create_dir_all(folder.path().join("list/charts/demo")).unwrap();
        std::fs::write(work.join("deploy/a folder/one.yaml"), MANIFEST).unwrap();
        std::fs::write(work.join("deploy/two.yaml"), "kind: List\n").unwrap();
        // A checkout would change line endings.
        std::fs::write(work.join(".gitattributes"), "*.yaml text eol=lf\n").unwrap();
        std::fs::write(
            work.join("chart/Chart.yaml"),
            "apiVersion: v2\nname: demo\nversion: 0.0.0\nappVersion: 0.0.0\n",
        )
        .unwrap();
        std::fs::write(
            work.join("chart/templates/pod.yaml"),
            "apiVersion: v1\nkind: Pod\nmetadata: {name: demo, labels: {v: {{ .Chart.AppVersion }}}}\nspec: {hostNetwork: {{ .Values.host }}}\n",
        )
        .unwrap();
        std::fs::write(work.join("chart/values.yaml"), "host: false\n").unwrap();
        let git = |arguments: &[&str]| {
            let output = Command::new(&git)
                .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"])
                .args(arguments)
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", text(&output.stderr));
            text(&output.stdout).trim().to_owned()
        };
        git(&["init", "--quiet", "work"]);
        // Adds the exact bytes, regardless of git attributes.
        let add = |path: &str| {
            let blob = git(&["-C", "work", "hash-object", "-w", "--no-filters", path]);
            git(&["-C", "work", "update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]);
        };
        for path in [
            "deploy/a folder/one.yaml",
            "deploy/two.yaml",
            ".gitattributes",
            "chart/Chart.yaml",
            "chart/templates/pod.yaml",
            "chart/values.yaml",
        ] {
            add(path);
        }
        git(&["-C", "work", "commit", "--quiet", "-m", "all"]);
        let commit = git(&["-C", "work", "rev-parse", "HEAD"]);
        // The requested commit need not be the last of a branch.
        git(&["-C", "work", "commit", "--quiet", "--allow-empty", "-m", "more"]);
        git(&["clone", "--quiet", "--bare", "work", "hub/acme/demo"]);
        let bench = Self { folder, commit };
        bench.list(&bench.files(&[("deploy/a folder/one.yaml", MANIFEST), ("deploy/two.yaml", "kind: List\n")]), "");
        std::fs::write(bench.path("list/charts/demo/values.yaml"), "host: true\n").unwrap();
        Some(bench)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the block of `files.txt` for files below `deploy`.
    fn files(&self, files: &[(&str, &str)]) -> String {
        let line =
            |(path, text): &(&str, &str)| format!("{} {}\n", sha256(text), path.strip_prefix("deploy/").unwrap());
        let files: String = files.iter().map(line).collect();
        format!("# a comment\n= acme/demo {} corpus/acme__demo deploy -\n{files}", self.commit)
    }

    fn list(&self, files: &str, charts: &str) {
        std::fs::write(self.path("list/files.txt"), files).unwrap();
        std::fs::write(self.path("list/charts.txt"), charts).unwrap();
    }

    fn fetch(&self) -> Output {
        let from = format!("file://{}", self.path("hub").display());
        let mut command = Command::new(project().join(".ci/material"));
        command.arg("--from").arg(from).arg("--list").arg(self.path("list")).env("HOSTNET_MATERIAL", self.path("into"));
        run(&mut command, b"")
    }

    fn fetched(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path("into/corpus").join(name)).ok()
    }
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn nothing_but(folder: &Path, names: &[&str]) {
    let mut found: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, names, "files in {}", folder.display());
}

#[test]
fn files_are_fetched_once_with_their_exact_bytes() {
    let Some(bench) = Bench::new() else { return };
    let first = bench.fetch();
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(bench.fetched("acme__demo/a folder/one.yaml").as_deref(), Some(MANIFEST));
    assert!(text(&first.stdout).contains("0 files were there, 2 were fetched"), "{}", text(&first.stdout));
    nothing_but(&bench.path("into"), &["corpus"]);
    // Existing files need no repository.
    std::fs::remove_dir_all(bench.path("hub")).unwrap();
    let second = bench.fetch();
    assert!(second.status.success(), "{}", text(&second.stderr));
    assert!(text(&second.stdout).contains("2 files were there, 0 were fetched"), "{}", text(&second.stdout));
    // A locally changed file counts as missing.
    std::fs::write(bench.path("into/corpus/acme__demo/two.yaml"), "kind: Changed\n").unwrap();
    assert_eq!(bench.fetch().status.code(), Some(1));
}

#[test]
fn files_with_another_hash_are_not_kept() {
    let Some(bench) = Bench::new() else { return };
    bench.list(&bench.files(&[("deploy/two.yaml", "kind: Other\n")]), "");
    let output = bench.fetch();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("corpus/acme__demo: other bytes"), "{}", text(&output.stderr));
    assert_eq!(bench.fetched("acme__demo/two.yaml"), None);
    nothing_but(&bench.path("into"), &[]);
}

#[test]
fn a_repository_that_cannot_be_reached_is_named_and_the_others_are_fetched() {
    let Some(bench) = Bench::new() else { return };
    let there = bench.files(&[("deploy/two.yaml", "kind: List\n")]);
    bench.list(&format!("{}{there}", there.replace("acme/demo", "acme/gone").replace("acme__demo", "acme__gone")), "");
    let output = bench.fetch();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("corpus/acme__gone: file://"), "{}", text(&output.stderr));
    assert_eq!(bench.fetched("acme__demo/two.yaml").as_deref(), Some("kind: List\n"));
}

#[test]
fn a_path_that_leads_out_of_its_folder_is_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.list(&bench.files(&[("deploy/../../out.yaml", "x")]), "");
    let output = bench.fetch();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("leads out of its folder"), "{}", text(&output.stderr));
}

#[test]
fn charts_are_rendered_twice_and_checked() {
    let (Some(bench), Some(_)) = (Bench::new(), host("helm")) else { return };
    let render = |host: bool| {
        format!(
            "---\n# Source: demo/templates/pod.yaml\napiVersion: v1\nkind: Pod\nmetadata: {{name: demo, labels: {{v: v1}}}}\nspec: {{hostNetwork: {host}}}\n"
        )
    };
    let line = |plain: &str| {
        format!(
            "demo acme/demo {} chart 1.0.0 v1 demo default {} {}\n",
            bench.commit,
            sha256(plain),
            sha256(&render(true))
        )
    };
    bench.list("", &line(&render(false)));
    let output = bench.fetch();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(bench.fetched("charts/demo/default.yaml"), Some(render(false)));
    assert_eq!(bench.fetched("charts/demo/hostnetwork.yaml"), Some(render(true)));
    bench.list("", &line("another render"));
    let output = bench.fetch();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("corpus/charts/demo: another render"), "{}", text(&output.stderr));
}
