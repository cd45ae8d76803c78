//! Files from ConfigMaps in a container, and the ports in them. The catalogue does not know which program reads them.

use std::collections::BTreeMap;

use super::workload_view::WorkloadView;
use crate::model::facts::{AppliesTo, ConfigMap, PodsView, PortLines, Reach};
use crate::model::index::Model;
use crate::model::pod::Container;
use crate::model::text::shown_lines;
use lossless_yaml::Step;

/// File from a ConfigMap: name of the ConfigMap, and key.
pub type File<'m> = (&'m str, &'m str);

/// Returns the files in a container, each with the lines that `of_map` finds in its ConfigMap.
fn files<'m, L>(
    model: &'m Model,
    pods: PodsView<'m>,
    container: &'m Container,
    of_map: impl Fn(&'m ConfigMap) -> BTreeMap<&'m str, L>,
) -> BTreeMap<File<'m>, L> {
    let mut found = BTreeMap::new();
    for (source, mount) in pods.template.seen_config_maps(container) {
        let Some((_, map)) = model.config_map(pods.meta.namespace.as_deref(), &source.config_map) else { continue };
        let is_seen = |key: &str| source.path(key).is_some_and(|path| mount.shows(path));
        let lines = of_map(map).into_iter().filter(|(key, _)| is_seen(key));
        found.extend(lines.map(|(key, lines)| ((source.config_map.as_str(), key), lines)));
    }
    found
}

/// Returns the files of a container that contain a port number: `Corefile` (line 3 of ConfigMap `coredns`).
pub fn files_with(model: &Model, pods: &WorkloadView<'_>, container: &Container, port: u16) -> Vec<String> {
    file_labels(model, pods, container, |map| map.lines_with(port))
}

/// Returns the files of a container that have a placeholder with a port number as its default.
pub fn files_with_default(model: &Model, pods: &WorkloadView<'_>, container: &Container, port: u16) -> Vec<String> {
    file_labels(model, pods, container, |map| map.lines_with_default(port))
}

/// Returns the scripts of a container that read the host name of their pod: `run.sh` (line 3 of ConfigMap `web`).
/// `is_set` is true if the container sets the variable `HOSTNAME`.
pub fn scripts_with_host_name(model: &Model, pods: PodsView<'_>, container: &Container, is_set: bool) -> Vec<String> {
    let found = files(model, pods, container, |map| map.lines_with_host_name(is_set));
    found.into_iter().map(|(file, lines)| file_label(file, lines)).collect()
}

/// Labels of the files in which `of_map` finds lines.
fn file_labels<'m>(
    model: &'m Model,
    pods: &WorkloadView<'m>,
    container: &'m Container,
    of_map: impl Fn(&'m ConfigMap) -> PortLines<'m>,
) -> Vec<String> {
    let pods = PodsView { meta: pods.meta, template: pods.template };
    files(model, pods, container, of_map)
        .into_iter()
        .map(|(file, lines)| file_label(file, lines.into_iter().map(|(line, _)| line)))
        .collect()
}

/// True if a file of a container contains a number.
pub(super) fn has_file_with(model: &Model, pods: PodsView<'_>, container: &Container, port: u16) -> bool {
    !files(model, pods, container, |map| map.lines_with(port)).is_empty()
}

/// Returns the key of a Secret that the pods read and that contains a number: `port` of Secret shop/web.
pub fn secret_with(model: &Model, pods: &WorkloadView<'_>, port: u16) -> Option<String> {
    let view = PodsView { meta: pods.meta, template: pods.template };
    let groups = model.field_index().groups_for_pods(model, view);
    let read = groups
        .into_iter()
        .filter(|(_, group, reach)| matches!(&*group.applies_to, AppliesTo::Readers(..)) && *reach == Reach::Sure);
    let mut fields = read.flat_map(|(_, group, _)| group.fields(model));
    let (secret, field) = fields.find(|(_, field)| field.port.has(port))?;
    let Some(Step::Key(key)) = field.path.last() else { return None };
    Some(format!("`{key}` of {}", model.object(secret)?.meta))
}

/// Returns the ports of addresses of all interfaces in the files of a container, each with the first file. Ports for
/// which `is_left` is true are left out.
pub fn ports_of_files<'m>(
    model: &'m Model,
    pods: &WorkloadView<'m>,
    container: &'m Container,
    mut is_left: impl FnMut(File<'m>, u16) -> bool,
) -> BTreeMap<u16, String> {
    let mut found = BTreeMap::new();
    let pods = PodsView { meta: pods.meta, template: pods.template };
    for (file, lines) in files(model, pods, container, ConfigMap::any_addresses) {
        for (line, port) in lines.into_iter().filter(|(_, port)| !is_left(file, *port)) {
            found.entry(port).or_insert_with(|| file_label(file, [line]));
        }
    }
    found
}

/// Display name of a mounted file with line numbers.
fn file_label((name, key): File<'_>, lines: impl IntoIterator<Item = usize>) -> String {
    let lines: Vec<usize> = lines.into_iter().collect();
    format!("`{key}` ({} of ConfigMap `{name}`)", shown_lines(&lines))
}
