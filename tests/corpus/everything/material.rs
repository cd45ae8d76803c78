//! The manifests, grouped into inputs for one run: single files, and files that belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::everything::files;
use crate::support::files_below;
use crate::support::material::material;

/// Input of one run.
pub(crate) struct Unit {
    pub(crate) name: String,
    /// Path and content.
    pub(crate) files: Vec<(String, String)>,
}

/// Units that are counted together.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) units: Vec<Unit>,
}

/// Returns the corpora of the repository itself.
pub(crate) fn own() -> Vec<Corpus> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |folder: &str| yaml(root, &root.join(folder));
    let named = |files: Vec<(String, String)>, end: &str| -> Vec<(String, String)> {
        files.into_iter().filter(|(path, _)| path.ends_with(end)).collect()
    };
    let cluster = read("tests/corpus/cluster");
    let catalog = named(read("tests/corpus/catalog"), "/input.yaml");
    let example = |folder: &str| {
        let other_files = ["/hostnet.yaml", "/kustomization.yaml", "/want.yaml", "/plugin.yaml", "/Chart.yaml"];
        let is_manifest =
            |path: &str| !other_files.iter().any(|end| path.ends_with(end)) && !path.contains("/templates/");
        let files = read(&format!("examples/{folder}")).into_iter().filter(|(path, _)| is_manifest(path));
        Unit { name: format!("examples/{folder}"), files: files.collect() }
    };
    let examples: Vec<Unit> = folders(&root.join("examples")).iter().map(|folder| example(folder)).collect();
    vec![
        Corpus { name: "tests/corpus/catalog, each project", units: each(catalog.clone()) },
        Corpus {
            name: "tests/corpus/catalog, all in one input",
            units: vec![together("tests/corpus/catalog", without_copies(catalog))],
        },
        Corpus { name: "kustomization-tests", units: each(named(read("kustomization-tests"), "/input.yaml")) },
        Corpus { name: "tests/corpus/cluster, each file", units: each(cluster.clone()) },
        Corpus {
            name: "tests/corpus/cluster, all in one input",
            units: vec![together("tests/corpus/cluster", cluster)],
        },
        Corpus { name: "examples", units: examples.into_iter().filter(|unit| !unit.files.is_empty()).collect() },
    ]
}

/// Returns the kustomization tests with the config next to their input.
pub(crate) fn cases() -> Vec<(Unit, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = yaml(root, &root.join("kustomization-tests"));
    let text = |path: String| files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.clone());
    let configs = files.iter().filter(|(path, _)| path.ends_with("/hostnet.yaml"));
    let case = |(path, config): &(String, String)| {
        let folder = path.rsplit_once('/').unwrap().0;
        let around = folder.rsplit_once('/').unwrap().0;
        let inputs = [folder, around].map(|folder| format!("{folder}/input.yaml"));
        let (name, input) = inputs.into_iter().find_map(|path| Some((path.clone(), text(path)?)))?;
        Some((Unit { name: folder.to_owned(), files: vec![(name, input)] }, config.clone()))
    };
    configs.filter_map(case).collect()
}

/// Returns the corpora of the material. Empty, with a printed note, if the material is missing.
pub(crate) fn external() -> Vec<Corpus> {
    let Some(root) = material("corpus") else { return Vec::new() };
    let read = |folder: &str| yaml(&root, &root.join(folder));
    let is_render = |path: &str| path.ends_with("/default.yaml") || path.ends_with("/hostnetwork.yaml");
    let renders = read("charts").into_iter().filter(|(path, _)| is_render(path)).collect();
    let (flux, packages, workloads) = (read("flux"), read("packages"), read("workloads"));
    let groups = files::groups().into_iter();
    let groups = groups.map(|group| Unit {
        name: format!("packages/{}", group.name),
        files: group.files.into_iter().map(|file| (file.name, file.text)).collect(),
    });
    vec![
        Corpus { name: "charts, each render", units: each(renders) },
        Corpus { name: "flux, each file", units: each(flux.clone()) },
        Corpus { name: "flux, each folder", units: each_folder(flux) },
        Corpus { name: "packages, each file", units: each(packages) },
        Corpus { name: "packages, related files together", units: groups.collect() },
        Corpus { name: "workloads, each file", units: each(workloads.clone()) },
        Corpus { name: "workloads, each folder", units: each_folder(workloads) },
    ]
}

fn each(files: Vec<(String, String)>) -> Vec<Unit> {
    files.into_iter().map(|file| Unit { name: file.0.clone(), files: vec![file] }).collect()
}

fn together(name: &str, files: Vec<(String, String)>) -> Unit {
    Unit { name: name.to_owned(), files }
}

/// Returns the folders with more than one file.
fn each_folder(files: Vec<(String, String)>) -> Vec<Unit> {
    let mut folders: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in files {
        let folder = path.rsplit_once('/').unwrap().0.to_owned();
        folders.entry(folder).or_default().push((path, text));
    }
    let folders = folders.into_iter().filter(|(_, files)| files.len() > 1);
    folders.map(|(name, files)| Unit { name, files }).collect()
}

/// Removes duplicate default runtime configs: every project has a copy, but a cluster has only one.
fn without_copies(files: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let mut first =
        |document: &&str| !document.contains("\n  name: default\n") || seen.insert(document.trim().to_owned());
    let own = |text: &str, first: &mut dyn FnMut(&&str) -> bool| {
        text.split("\n---\n").filter(|document| first(document)).collect::<Vec<_>>().join("\n---\n")
    };
    files.into_iter().map(|(path, text)| (path, own(&text, &mut first))).filter(|(_, text)| !text.is_empty()).collect()
}

fn folders(root: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// Returns all YAML and JSON files below a folder, in order.
pub(crate) fn yaml(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut files = files_below(folder);
    files.retain(|path| path.extension().is_some_and(|end| ["yaml", "yml", "json"].iter().any(|known| end == *known)));
    let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    let found: BTreeMap<String, String> =
        files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect();
    found.into_iter().collect()
}
