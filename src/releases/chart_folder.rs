//! Chart folders that no object of the input renders.

use std::path::{Path, PathBuf};

use super::names::helm_folder_argument;
use super::release::{Chart, Release, Rendered, Renderer};
use krm::chart::ChartFolder;
use krm::{shell_path, shown_path};

impl Chart {
    /// The chart in a folder, with a display name.
    pub(super) fn in_folder(name: &str, folder: &Path) -> Self {
        Self {
            name: name.to_owned(),
            chart: helm_folder_argument(folder),
            repository: None,
            version: None,
            digest: None,
            has_dependencies: ChartFolder::read(folder).needs_dependencies,
            is_found: true,
        }
    }
}

/// The chart of a folder with its default values, as a release that has the chart's name; `None` for a library chart.
pub fn chart_with_default_values(folder: &Path) -> Option<Rendered> {
    let chart = ChartFolder::read(folder);
    let name = chart.name.unwrap_or_else(|| "NAME".to_owned());
    let release = Release {
        chart: Chart::in_folder(&name, folder),
        name,
        namespace: None,
        values: Vec::new(),
        patches_hooks: false,
        crds: true,
        remarks: vec!["no release of the input names it: it is rendered with its default values".to_owned()],
    };
    let by = Renderer::Helm(Box::new(release));
    (!chart.is_library).then(|| Rendered::without_file("Chart", None, folder.display().to_string(), by))
}

/// Resolved folder of a local chart; `None` for a chart of a repository.
pub fn local_chart(chart: &Chart) -> Option<PathBuf> {
    let folder = Path::new(&chart.chart);
    if chart.repository.is_none() { folder.canonicalize().ok().filter(|folder| folder.is_dir()) } else { None }
}

/// A Helmfile, which only the program helmfile renders.
pub fn helmfile(file: &Path) -> Rendered {
    let command = format!("`{}` renders its releases", helmfile_command(file));
    Rendered::without_file("Helmfile", None, shown_path(file), Renderer::Foreign(command))
}

/// Command that renders a Helmfile.
pub fn helmfile_command(file: &Path) -> String {
    format!("helmfile --file {} template", shell_path(file))
}
