//! Reports containers of moved workloads whose programs are unknown, since hostnet may miss their listeners.

use super::bind_entry::{BindEntry, SetBy};
use super::workload::Workload;
use crate::catalog::{Library, OpenPort};
use crate::judge::libraries;
use crate::judge::mounted_files::{MountedFiles, MountedPorts};
use crate::model::Model;
use crate::model::pod::Container;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// One note per workload that lists its containers with unknown programs; warnings for such containers with a library
/// that opens ports, or with a mounted file that has an address of all interfaces.
pub(super) fn report_unknown_programs<'m>(
    model: &'m Model,
    workloads: &'m [Workload<'m>],
) -> impl Iterator<Item = Finding> + use<'m> {
    let mut mounted = MountedFiles::new(model);
    workloads.iter().flat_map(move |workload| {
        let warnings = library_warnings(model, workload).into_iter().chain(file_warnings(&mut mounted, workload));
        unknown_containers(workload).into_iter().chain(warnings)
    })
}

/// Warnings about addresses of all interfaces in mounted files of unknown programs, if their ports match no listener of
/// the workload and no declared port of another reader of the file.
fn file_warnings<'m>(mounted: &mut MountedFiles<'m>, workload: &'m Workload<'m>) -> Vec<Finding> {
    let unknown = workload.template.running().filter(|(index, _)| is_unknown(workload, *index));
    let of_container = |(_, container): (usize, &'m Container)| {
        let MountedPorts { numbers, files, .. } = mounted.ports(&workload.pods(), container)?;
        let message = format!(
            "{workload}, container {}: the program is not in the catalogue, and may also listen on {numbers}, according to the mounted file {files}. Without a hostPort, other pods may take these ports of the node: declare them under `ports` of the container",
            container.name
        );
        let finding = Finding::new(Severity::Warning, rule::PROGRAM_UNKNOWN, message).on_object(workload.id.object);
        Some(finding.at(container.path.clone()))
    };
    unknown.filter_map(of_container).collect()
}

/// Warnings about ports that libraries open in unknown programs and that match no listener of the workload.
fn library_warnings(model: &Model, workload: &Workload<'_>) -> Vec<Finding> {
    let unknown = workload.template.running().filter(|(index, _)| is_unknown(workload, *index));
    let of_container = |(_, container)| {
        let hidden = libraries::hidden_ports(model, &workload.pods(), container).into_iter();
        hidden.map(move |(library, ports)| library_ports_warning(workload, container, library, &ports))
    };
    unknown.flat_map(of_container).collect()
}

/// Warns about ports that the library of an uncatalogued program may open.
fn library_ports_warning(
    workload: &Workload<'_>,
    container: &Container,
    library: &Library,
    hidden: &[&OpenPort],
) -> Finding {
    let entry = |port: &&OpenPort| {
        let setting = |name: &str, is_variable: bool, value: &str| SetBy::Setting {
            name: name.to_owned(),
            is_variable,
            value: value.to_owned(),
        };
        let set_by = match (port.env, port.arg) {
            (Some(env), _) => setting(env, true, "{port}"),
            (None, Some(arg)) => setting(arg, false, port.value),
            (None, None) => SetBy::Nothing,
        };
        let (container, name) = (container.name.clone(), port.name.to_owned());
        BindEntry { container, port: name, number: port.number, set_by }.to_string()
    };
    let entries: Vec<String> = hidden.iter().map(entry).collect();
    let message = format!(
        "{workload}, container {}: the program is not in the catalogue. Its {} belong to {}, which may also listen on {}. Without a hostPort, other pods may take these ports of the node: if the program listens there, {}",
        container.name,
        library.settings(),
        library.name,
        libraries::format_ports(hidden),
        workload.add_bind_remedy(&entries)
    );
    let finding = Finding::new(Severity::Warning, rule::PROGRAM_UNKNOWN, message).on_object(workload.id.object);
    finding.at(container.path.clone())
}

/// Lists the containers of a workload whose programs are not in the catalogue.
fn unknown_containers(workload: &Workload<'_>) -> Option<Finding> {
    let unknown: Vec<String> = workload
        .template
        .running()
        // Containers in a patch may have only a name.
        .filter(|(index, container)| is_unknown(workload, *index) && !container.image.is_empty())
        .map(|(_, container)| format!("{} ({})", container.name, container.image))
        .collect();
    let list = unknown.join(", ");
    let message = format!(
        "{workload}: not in the catalogue: container {list}; only listeners that the manifest shows are known. Add its other ports under \
         `bind` of the target, or to `programs`"
    );
    let finding = Finding::new(Severity::Info, rule::PROGRAM_UNKNOWN, message);
    (!unknown.is_empty()).then(|| finding.on_object(workload.id.object).at(workload.template.spec_path()))
}

/// True if neither the catalogue nor the config knows the program of a container.
pub(super) fn is_unknown(workload: &Workload<'_>, container: usize) -> bool {
    workload.programs.get(container).is_none_or(Option::is_none)
}
