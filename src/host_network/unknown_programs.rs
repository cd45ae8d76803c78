//! Reports containers of moved workloads whose programs are unknown, since hostnet may miss their listeners.

use super::bind_entry::{BindEntry, SetBy};
use super::workload::Workload;
use crate::catalog::{Library, OpenPort};
use crate::judge::libraries;
use crate::judge::mounted_files::{MountedFiles, MountedPorts};
use crate::model::Model;
use crate::model::listener::{Listener, is_image_of_catalogue, program_row};
use crate::model::pod::Container;
use crate::model::text::holds_placeholder;
use crate::plan::Finding;
use crate::rule::{self, Severity};
use oci::name::ImageRef;

/// One finding per workload that lists its containers with unknown programs; warnings for such containers with a library
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
        let (container, name) = (container.name.clone(), port.name.to_owned());
        BindEntry { container, port: name, number: port.number, set_by: set_by(port) }.to_string()
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

/// The setting of a library's port, as in an entry of `bind`.
fn set_by(port: &OpenPort) -> SetBy {
    let setting = |name: &str, is_variable: bool, value: &str| SetBy::Setting {
        name: name.to_owned(),
        is_variable,
        value: value.to_owned(),
    };
    match (port.env, port.arg) {
        (Some(env), _) => setting(env, true, "{port}"),
        (None, Some(arg)) => setting(arg, false, port.value),
        (None, None) => SetBy::Nothing,
    }
}

/// The library of an uncatalogued program that opens the port of a listener, with the setting of this port; `None` if
/// no library of the container opens the port, and for a port without a setting.
pub(super) fn library_with_setting(
    model: &Model,
    workload: &Workload<'_>,
    listener: &Listener,
) -> Option<(&'static Library, SetBy)> {
    let container = workload.container(listener).filter(|_| is_unknown(workload, listener.container))?;
    let mut libraries = libraries::shown(model, workload.meta.namespace.as_deref(), container);
    libraries.find_map(|library| {
        let port = library.opens.iter().find(|port| port.number == listener.number)?;
        (port.env.is_some() || port.arg.is_some()).then(|| (library, set_by(port)))
    })
}

/// Lists the containers of a workload whose programs are not in the catalogue: a warning for a workload that moves
/// without any known port, unless it is a Job, its commands only wait, or the catalogue knows other programs of its
/// images; else an info.
fn unknown_containers(workload: &Workload<'_>) -> Option<Finding> {
    let unknown: Vec<&Container> = workload
        .template
        .running()
        // Containers in a patch may have only a name.
        .filter(|(index, container)| is_unknown(workload, *index) && !container.image.is_empty())
        .map(|(_, container)| container)
        .collect();
    if unknown.is_empty() {
        return None;
    }
    let shown: Vec<String> =
        unknown.iter().map(|container| format!("{} ({})", container.name, container.image)).collect();
    let list = shown.join(", ");
    let has_port = !workload.listeners.is_empty() || workload.template.on_host_network();
    // The catalogue has the programs of such an image that listen.
    let listens_on_none = |container: &&Container| is_image_of_catalogue(&container.image) || is_idle(container);
    let (severity, message) = if has_port || workload.meta.is_job() || unknown.iter().all(listens_on_none) {
        let message = format!(
            "{workload}: not in the catalogue: container {list}; only listeners that the manifest shows are known. Add its other ports under \
             `bind` of the target, or to `programs`"
        );
        (Severity::Info, message)
    } else {
        let shown = unknown.iter().filter(|container| !holds_placeholder(&container.image));
        let mut rows: Vec<String> = shown.map(|container| format!("`- {}`", program_row(container, None))).collect();
        rows.dedup();
        let without = match rows.is_empty() {
            true => String::new(),
            false => format!(". If a program listens on no port, write under `programs` {}", rows.join(", ")),
        };
        let message = format!(
            "{workload}: moves to the host network, but none of its ports is known, because the catalogue does not have the programs of \
             container {list}. Other pods may take the node ports on which these programs listen, for metrics or health: declare \
             the ports under `ports` of the container{without}"
        );
        (Severity::Warning, message)
    };
    let finding = Finding::new(severity, rule::PROGRAM_UNKNOWN, message);
    Some(finding.on_object(workload.id.object).at(workload.template.spec_path()))
}

/// Commands that listen on no port.
const IDLE: [&str; 7] = ["date", "echo", "pause", "sleep", "tail", "true", "wait"];

/// Words of a shell before a command, or without one.
const KEYWORDS: [&str; 4] = ["do", "done", "until", "while"];

/// True if the command of a container, or each command of its script, listens on no port.
fn is_idle(container: &Container) -> bool {
    let is_idle = |word: &str| IDLE.contains(&word.rsplit('/').next().unwrap_or_default());
    if let Some((.., script)) = container.script() {
        return script.split(['\n', ';', '&', '|']).all(|command| {
            let mut words = command.split_ascii_whitespace();
            words.find(|word| !KEYWORDS.contains(word)).is_none_or(is_idle)
        });
    }
    let command = container.words().next().map(|(.., word)| word);
    is_idle(command.unwrap_or_else(|| ImageRef::split(&container.image).last_segment()))
}

/// True if neither the catalogue nor the config knows the program of a container.
pub(super) fn is_unknown(workload: &Workload<'_>, container: usize) -> bool {
    workload.programs.get(container).is_none_or(Option::is_none)
}
