//! Folders of Helm charts.
//!
//! Source: helm/helm@v3.19.0 `pkg/chart/metadata.go` (fields of `Chart.yaml`), `pkg/action/dependency.go` (folders and
//! archives in `charts/`).

use std::fs;
use std::path::Path;

use lossless_yaml::{NodeRef, Tree};

/// The parts of a chart folder that decide how Helm renders it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChartFolder {
    /// Name of the chart; `None` without a valid name.
    pub name: Option<String>,
    /// True for a library chart, which Helm does not render.
    pub is_library: bool,
    /// True if a dependency is missing in `charts/`, so that `helm dependency build` has to run first.
    pub needs_dependencies: bool,
}

impl ChartFolder {
    /// Reads the chart in a folder. Unreadable files count as empty: Helm reports them.
    pub fn read(folder: &Path) -> Self {
        let text = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let (chart, requirements) = (text("Chart.yaml"), text("requirements.yaml"));
        let (chart, requirements) = (Tree::parse(&chart).ok(), Tree::parse(&requirements).ok());
        let root = chart.as_ref().and_then(|tree| tree.root(0));
        let own = |key: &str| root.and_then(|root| root.get(key)).and_then(NodeRef::text);
        let listed = [root, requirements.as_ref().and_then(|tree| tree.root(0))];
        let listed = listed.into_iter().flatten().filter_map(|root| root.get("dependencies"));
        let mut names = listed.flat_map(NodeRef::items).filter_map(|one| one.get("name").and_then(NodeRef::text));
        let entries = fs::read_dir(folder.join("charts")).into_iter().flatten().flatten();
        let there: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let is_there = |name: &str| {
            there
                .iter()
                .any(|entry| entry.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
        };
        Self {
            name: own("name").filter(|name| is_release_name(name)).map(str::to_owned),
            is_library: own("type") == Some("library"),
            needs_dependencies: names.any(|name| !is_there(name)),
        }
    }
}

/// True for a chart name that is also valid as the name of a release.
fn is_release_name(name: &str) -> bool {
    name.len() <= 53
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
