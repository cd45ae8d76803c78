//! A release of a chart, a build of a folder, and what else is rendered from an object.

use std::path::PathBuf;

use super::names::of_parts;
use crate::catalog;

/// Something that is rendered from an object of the input, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The object's kind.
    pub kind: String,
    /// The object's namespace.
    pub namespace: Option<String>,
    /// The object's name; the folder of a kustomization, which has none.
    pub name: String,
    /// The program that renders it.
    pub by: By,
    /// The object's file; none of standard input, and of a kustomization with charts that nothing else builds.
    pub file: Option<PathBuf>,
    /// The position of the object's document in the file.
    pub document: usize,
    /// False for what is rendered from an object that another one makes (an Application of an `ApplicationSet`), and for one of several sources.
    pub is_own: bool,
}

impl Rendered {
    /// `HelmRelease shop/web`, without characters that a terminal obeys.
    #[must_use]
    pub fn object(&self) -> String {
        of_parts(&self.kind, self.namespace.as_deref(), &self.name)
    }
}

/// The program that renders an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// Helm.
    Helm(Box<Release>),
    /// kustomize.
    Kustomize(Build),
    /// Another program.
    Program {
        /// Description of its output.
        what: &'static str,
        /// The program and its first arguments.
        command: &'static str,
        /// Its last argument: a name, or a file.
        operand: String,
    },
    /// An operator in the cluster: nothing outside of it shows what it runs.
    Operator {
        /// Description of what it runs.
        what: String,
    },
    /// Nothing can be rendered from the object, for this reason.
    Nothing(String),
}

/// A release of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The release's name.
    pub name: String,
    /// The namespace into which it is installed.
    pub namespace: Option<String>,
    /// The chart.
    pub chart: Chart,
    /// Its values, the stronger behind the weaker.
    pub values: Vec<Values>,
    /// True if the chart's CRDs are installed too.
    pub crds: bool,
    /// Remarks for a person: what the rendering lacks.
    pub remarks: Vec<String>,
}

/// A chart, as `helm template` finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Its name in messages.
    pub name: String,
    /// Its name in the repository, or a path; empty where the repository's URL is that of the chart itself.
    pub chart: String,
    /// The URL of the repository; `URL` where it is not in the input.
    pub repository: Option<String>,
    /// Its version, or a range of versions.
    pub version: Option<String>,
    /// The digest of its manifest, which wins over the version.
    pub digest: Option<String>,
    /// False for one of a Git repository or a bucket that is not in the input.
    pub is_found: bool,
}

/// The text in place of a URL that is not in the input.
pub(super) const UNKNOWN_URL: &str = "URL";

impl Chart {
    /// `the chart web 1.2.3`, as it is written.
    #[must_use]
    pub fn what(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        format!("the chart {}{version}", self.short())
    }

    /// The last part of its name.
    fn short(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// True if the catalogue knows the programs that it installs.
    #[must_use]
    pub fn is_known(&self) -> bool {
        catalog::project_of_chart(self.short()).is_some()
    }

    /// True if the input says where it is.
    #[must_use]
    pub fn has_place(&self) -> bool {
        self.is_found && self.repository.as_deref() != Some(UNKNOWN_URL)
    }

    /// How `helm template` finds it: its reference, and options with their values.
    #[must_use]
    pub fn reference(&self) -> (String, Vec<(&'static str, &str)>) {
        let digest = self.digest.as_deref().map(|digest| format!("@{digest}")).unwrap_or_default();
        let mut options = Vec::new();
        let reference = match self.repository.as_deref() {
            Some(url) if self.chart.is_empty() => format!("{url}{digest}"),
            Some(url) if url.starts_with("oci://") => format!("{}/{}{digest}", url.trim_end_matches('/'), self.chart),
            Some(url) => {
                options.push(("--repo", url));
                self.chart.clone()
            }
            None => self.chart.clone(),
        };
        let version = self.version.as_deref().filter(|_| self.digest.is_none());
        options.extend(version.map(|version| ("--version", version)));
        (reference, options)
    }
}

/// Values of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// The text of a values file, and where it stands in the input.
    Text {
        /// The object and its field.
        from: String,
        /// YAML.
        text: String,
    },
    /// A file of the repository.
    File(PathBuf),
    /// A single value: the flag of `helm template`, and `KEY=VALUE`.
    Set(&'static str, String),
    /// Values that are not in the input: a Secret's, or those of a file inside of the chart.
    Missing {
        /// The object and its key.
        what: String,
        /// The name of a file for it.
        file: String,
        /// The path to which a single value goes; `None` for a values file.
        path: Option<String>,
    },
}

/// A folder that kustomize builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The folder, as seen from where the input's paths are.
    pub folder: PathBuf,
    /// True if its kustomization renders charts.
    pub has_charts: bool,
    /// Remarks for a person: what the build lacks.
    pub remarks: Vec<String>,
}
