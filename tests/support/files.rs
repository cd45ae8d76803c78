//! Files of the corpus and the result of `hostnet` for each.

use std::path::{Path, PathBuf};

use crate::support::files_below;
use crate::support::material::material;
use crate::support::run::hostnet;

/// Files that belong to one installation, by folder. All other files of a folder are alternatives to each other.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "awslabs__crossplane-on-eks/bootstrap/terraform-fully-private/providers/aws",
        &["provider.yaml", "runtime-config.yaml"],
    ),
    (
        "awslabs__crossplane-on-eks/bootstrap/terraform-fully-private/providers/upjet-aws",
        &["provider-family-aws.yaml", "provider.yaml", "runtime-config.yaml"],
    ),
    ("awslabs__crossplane-on-eks/bootstrap/terraform/providers/upjet-aws", &["provider.yaml", "runtime-config.yaml"]),
    ("crossplane-contrib__provider-sql/examples/cluster", &["deploymentRuntimeConfig.yaml", "provider.yaml"]),
    (
        "crossplane__crossplane/test/e2e/manifests/pkg/image-config/runtime-config",
        &[
            "deployment-runtime-config.yaml",
            "function-image-config.yaml",
            "function.yaml",
            "provider-dependency.yaml",
            "provider-image-config.yaml",
        ],
    ),
    (
        "olga-mir__playground/kubernetes/namespaces/base/crossplane-system",
        &[
            "functions/function-auto-ready.yaml",
            "functions/function-environment-configs.yaml",
            "providers/gcp-provider-iam.yaml",
            "providers/provider-runtime-config.yaml",
        ],
    ),
    (
        "olga-mir__playground/kubernetes/namespaces/base/crossplane-system/providers-bootstrap",
        &["functions.yaml", "providers.yaml"],
    ),
];

/// Result of one run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// `changed`, `unchanged` or `refused`
    pub(crate) what: &'static str,
    /// The output.
    pub(crate) after: String,
    /// Errors and warnings, one per line.
    pub(crate) log: String,
}

impl Outcome {
    fn new(code: Option<i32>, before: &str, after: String, log: String) -> Self {
        let what = match code {
            Some(0) if before == after => "unchanged",
            Some(0) => "changed",
            _ => "refused",
        };
        Self { what, after, log }
    }

    pub(crate) fn errors(&self) -> impl Iterator<Item = &str> {
        self.log.lines().filter(|line| line.starts_with("error: "))
    }

    /// Formats the outcome with its errors, or with the rules that warned.
    pub(crate) fn line(&self) -> String {
        let errors: Vec<&str> = self.errors().collect();
        if !errors.is_empty() {
            return format!("{}: {}", self.what, errors.join("\n    "));
        }
        let rule = |line: &str| Some(line.strip_suffix(']')?.rsplit_once('[')?.1.to_owned());
        let mut rules: Vec<String> = self.log.lines().filter_map(rule).collect();
        rules.sort();
        rules.dedup();
        if rules.is_empty() { self.what.to_owned() } else { format!("{}; warned of {}", self.what, rules.join(", ")) }
    }
}

fn config(ports: &str) -> String {
    format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: packages}}\nspec:\n  targets:\n  \
         - select: {{group: pkg.crossplane.io, kind: Provider}}\n    ports: {ports}\n"
    )
}

/// One file of a repository.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// The path below the corpus.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl File {
    /// Runs `hostnet apply` with the file on standard input.
    pub(crate) fn applied(&self, ports: &str) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), config(ports)).unwrap();
        let run = hostnet(folder.path(), &["apply", "-c", "config.yaml"], self.text.as_bytes());
        let log = run.stderr.replace("standard input:", "");
        Outcome::new(run.code, &self.text, run.text(), log)
    }
}

/// The files of one installation.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) files: Vec<File>,
}

impl Group {
    /// Runs `hostnet apply --in-place` on all files.
    pub(crate) fn applied(&self) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::write(at.join("config.yaml"), config("auto")).unwrap();
        let mut arguments = vec!["apply", "-c", "config.yaml", "--in-place"];
        for File { name, text } in &self.files {
            std::fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
            std::fs::write(at.join(name), text).unwrap();
            arguments.push(name);
        }
        let run = hostnet(at, &arguments, b"");
        let after = self.files.iter().map(|file| File { text: read(&at.join(&file.name)), ..file.clone() });
        Outcome::new(run.code, &self.text(), stream(after), run.stderr)
    }

    /// Joins all files into one stream.
    pub(crate) fn text(&self) -> String {
        stream(self.files.iter().cloned())
    }
}

fn stream(files: impl Iterator<Item = File>) -> String {
    files.map(|file| file.text).collect::<Vec<_>>().join("\n---\n")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Returns every file of the corpus, by name. Empty, with a printed note, if the corpus is missing.
pub(crate) fn corpus() -> Vec<File> {
    let Some(root) = material("corpus/packages") else { return Vec::new() };
    let file =
        |path: &PathBuf| File { name: path.strip_prefix(&root).unwrap().display().to_string(), text: read(path) };
    let mut files: Vec<File> = files_below(&root).iter().map(file).collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// Returns the files that belong together; empty if the corpus is missing.
pub(crate) fn groups() -> Vec<Group> {
    let Some(root) = material("corpus/packages") else { return Vec::new() };
    let file = |folder: &str, name: &str| File { name: name.to_owned(), text: read(&root.join(folder).join(name)) };
    let group = |(folder, names): &(&str, &[&str])| Group {
        name: (*folder).to_owned(),
        files: names.iter().map(|name| file(folder, name)).collect(),
    };
    GROUPS.iter().map(group).collect()
}
