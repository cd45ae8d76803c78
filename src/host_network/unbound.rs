//! Listeners that cannot get another port number: reports the reasons and the remedies, once per workload.

use super::assignments::{Assignment, Assignments};
use super::bind_entry::SetBy;
use super::remedies::Remedy;
use super::unknown_programs::library_with_setting;
use super::workload::Workload;
use crate::catalog::PackageKind;
use crate::model::Model;
use crate::model::listener::{
    Binding, HelpName, Hints, Listener, Obstacle, ObstacleRemedy, absent_config_maps, files_with, files_with_default,
    filled_in_later, is_client_address, program_of, secret_with, settings_of_other_listeners, undefined,
};
use crate::model::setting::{PortSetting, open_addresses, port_settings, unread_setting};
use crate::model::text::Form;
use crate::plan::{Finding, listed};
use crate::rule::{self, Severity};
use crate::version::ProgramVersion;

/// Keeps the port numbers of listeners that cannot get an automatic number: a warning per workload, an error if a key
/// of the config names the listener.
pub(super) fn keep(
    model: &Model,
    workloads: &[Workload<'_>],
    assignments: &mut Assignments,
    findings: &mut Vec<Finding>,
) {
    for workload in workloads {
        let (mut errors, mut warnings, mut infos) = (Vec::new(), Vec::new(), Vec::new());
        for (position, listener) in workload.listeners.iter().enumerate() {
            let named = assignments.has_key_for(workload, position);
            let choice = assignments.choice(workload.id, position);
            if choice != Assignment::Auto && !(named && choice == Assignment::Keep) {
                continue;
            }
            let Some(reason) = stay_reason(model, workload, listener) else { continue };
            if listener.binding.is_accepted() && (choice == Assignment::Keep || !named) {
                assignments.keep(workload.id, position);
                continue;
            }
            if choice == Assignment::Keep {
                // `hostnet init` writes `keep` for these listeners: report how to move them.
                infos.push((listener, reason));
                continue;
            }
            assignments.keep(workload.id, position);
            // A config that moves a Function leaves its ports unchanged by design.
            if named || PackageKind::from_meta(workload.meta) != Some(PackageKind::Function) {
                let list = if named || reason.is_for_later { &mut errors } else { &mut warnings };
                list.push((listener, reason));
            }
        }
        // Drop the warning about a declared port on which another container listens: the finding about that listener
        // names both containers.
        let is_named_by_another = |listener: &Listener| {
            let declares = matches!(&listener.binding, Binding::Unknown(places) if places.is_empty());
            declares && workload.listeners.iter().any(|other| is_listener_of(other, listener))
        };
        warnings.retain(|(listener, _)| !is_named_by_another(listener));
        let all = [(Severity::Error, errors), (Severity::Warning, warnings), (Severity::Info, infos)];
        findings.extend(all.iter().filter_map(|(severity, kept)| finding(workload, *severity, kept)));
    }
}

/// True for a listener on a port that another container declares.
fn is_listener_of(listener: &Listener, declared: &Listener) -> bool {
    let is_elsewhere =
        matches!(&listener.binding, Binding::Fixed(obstacle) if matches!(obstacle.remedy, ObstacleRemedy::Seen(..)));
    is_elsewhere
        && declared.declared.is_some()
        && (listener.number, &listener.protocol) == (declared.number, &declared.protocol)
}

/// One finding about all listeners of a workload that keep their numbers.
fn finding(workload: &Workload<'_>, severity: Severity, kept: &[(&Listener, StayReason)]) -> Option<Finding> {
    let (first, _) = kept.first()?;
    let is_error = severity == Severity::Error;
    let statement = match kept {
        [(listener, stay_reason)] => {
            let status = if is_error { "`auto` cannot move it" } else { "keeps its number" };
            format!("{}: {status}: {}", workload.display_name(listener), stay_reason.text)
        }
        several => {
            let count = several.len();
            let reasons = reasons(workload, several);
            match is_error {
                true => format!("{workload}: `auto` cannot move {count} ports: {reasons}"),
                false => format!("{workload}: {count} ports keep their numbers: {reasons}"),
            }
        }
    };
    let remedy = workload.remedies(kept.iter().map(|(_, stay_reason)| &stay_reason.remedy), !is_error);
    let movable = kept.iter().filter(|(_, stay_reason)| severity == Severity::Info && stay_reason.remedy.may_move());
    let then: Vec<String> = movable.map(|(listener, _)| format!("`{}: auto`", Workload::key(listener))).collect();
    let message = match (remedy.is_empty(), is_error) {
        _ if !then.is_empty() => format!("{statement}. {remedy}. Then write {} in `ports`", then.join(", ")),
        (true, true) => format!("{statement}. {}", remedy_to_keep(kept.iter().map(|(listener, _)| *listener))),
        (true, false) => statement,
        (false, _) => format!("{statement}. {remedy}"),
    };
    let is_one_container = kept.iter().all(|(listener, _)| listener.container == first.container);
    let path = match workload.container(first) {
        _ if kept.len() == 1 => workload.field(first),
        Some(container) if is_one_container => container.path.clone(),
        _ => workload.template.spec_path(),
    };
    let finding = Finding::new(severity, rule::PORT_SETTING, message).on_object(workload.id.object).at(path);
    Some(kept.iter().fold(finding, |finding, (listener, _)| finding.of_port(listener.number)).one_fault_per_port())
}

/// Error text about a listener that cannot get the port number from the config. If the number cannot change, it
/// recommends `keep`.
pub(super) fn refusal(workload: &Workload<'_>, listener: &Listener, to: u16, stay_reason: &StayReason) -> String {
    let remedy = workload.remedies([&stay_reason.remedy].into_iter(), false);
    let is_fixed = matches!(&listener.binding, Binding::Fixed(_) | Binding::Later(_));
    let stay = Some(remedy_to_keep([listener].into_iter())).filter(|_| is_fixed);
    let ways: Vec<String> = stay.into_iter().chain(Some(remedy).filter(|remedy| !remedy.is_empty())).collect();
    format!("{}: cannot move to {to}: {}. {}", workload.display_name(listener), stay_reason.text, ways.join(". "))
}

/// Remedy text that keeps the port numbers of listeners named by keys.
fn remedy_to_keep<'l>(listeners: impl Iterator<Item = &'l Listener>) -> String {
    let keys: Vec<String> = listeners.map(|listener| format!("`{}: keep`", Workload::key(listener))).collect();
    let them = if keys.len() == 1 { "it" } else { "them" };
    format!("Write {}, or leave {them} out of `ports`", keys.join(", "))
}

/// Reasons with their listeners: `container web, ports http (8080), metrics (9090): …; container …`.
fn reasons(workload: &Workload<'_>, kept: &[(&Listener, StayReason)]) -> String {
    let mut groups: Vec<(usize, &str, Vec<String>)> = Vec::new();
    for (listener, stay_reason) in kept {
        let name = Workload::name_and_number(listener);
        match groups
            .iter_mut()
            .find(|(container, text, _)| *container == listener.container && *text == stay_reason.text)
        {
            Some((.., names)) => names.push(name),
            None => groups.push((listener.container, &stay_reason.text, vec![name])),
        }
    }
    let shown = groups.into_iter().map(|(container, text, names)| {
        let container =
            workload.template.containers.get(container).map(|container| container.name.as_str()).unwrap_or_default();
        let ports = if names.len() == 1 { "port" } else { "ports" };
        format!("container {container}, {ports} {}: {text}", names.join(", "))
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// Reason why a listener cannot get another port number, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StayReason {
    /// Clause for messages.
    pub text: String,
    /// Steps that make another port number possible, or accept the current number.
    pub remedy: Remedy,
    /// True if kustomize will fill in the port number after this run.
    is_for_later: bool,
}

impl StayReason {
    fn new(text: String, remedy: Remedy) -> Self {
        Self { text, remedy, is_for_later: false }
    }
}

/// Returns the reason why a listener keeps its port number; `None` if the number can change.
pub(super) fn stay_reason(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    listener.bindings().find_map(|binding| reason_of_binding(model, workload, listener, binding))
}

/// Returns the reason why one binding of the listener keeps its port number.
fn reason_of_binding(
    model: &Model,
    workload: &Workload<'_>,
    listener: &Listener,
    binding: &Binding,
) -> Option<StayReason> {
    Some(match binding {
        Binding::Visible(_) | Binding::ConfigMap(_) | Binding::Add { .. } | Binding::Phantom => return None,
        Binding::Fixed(obstacle) => reason_of_obstacle(workload, listener, obstacle),
        Binding::Later(reason) => StayReason::new(reason.clone(), Remedy::for_placeholder(workload)),
        Binding::Unknown(places) if places.is_empty() => reason_without_setting(model, workload, listener),
        Binding::Unknown(places) => in_settings(workload, listener, places),
    })
}

/// Reason for a port number that no setting of its container has.
fn reason_without_setting(model: &Model, workload: &Workload<'_>, listener: &Listener) -> StayReason {
    let elsewhere = undefined_variable_reason(model, workload, listener)
        .or_else(|| reason_in_other_container(workload, listener))
        .or_else(|| reason_in_secret_or_placeholder(model, workload, listener));
    if let Some(reason) = elsewhere {
        return reason;
    }
    if let Some(files) = files_of(model, workload, listener) {
        let text = format!(
            "the mounted file {files} contains the number, and may set the port (then write `file` and `key` in place of a flag)"
        );
        return StayReason::new(text, Remedy::unknown(workload, listener));
    }
    reason_by_other_catalog_row(workload, listener)
        .or_else(|| reason_by_library(model, workload, listener))
        .or_else(|| unread_setting_reason(workload, listener))
        .or_else(|| in_address(workload, listener))
        .unwrap_or_else(|| {
            let note = absent_config_maps_note(model, workload, listener);
            let text = format!("neither the manifest nor the catalogue shows the setting of its number{note}");
            StayReason::new(text, Remedy::unknown(workload, listener))
        })
}

/// Reason for a port number in a setting of another container of the pod.
fn reason_in_other_container(workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let (container, place) = setting_in_other_container(workload, listener)?;
    let text =
        format!("no setting of its container has its number, but `{}` of container `{container}` has it", place.name);
    Some(StayReason::new(text, Remedy::for_setting_in_other_container(workload, listener, container, &place)))
}

/// Reason for a port number that a placeholder, a Secret, or the default of a placeholder in a mounted file may set.
fn reason_in_secret_or_placeholder(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let container = workload.container(listener);
    let namespace = workload.meta.namespace.as_deref();
    let later = container.map(|container| filled_in_later(model, namespace, container)).unwrap_or_default();
    if !later.is_empty() {
        let holds = if later.len() > 1 { "have placeholders, and one" } else { "has a placeholder, and" };
        let text = format!("{} {holds} may set the number", later.join(", "));
        return Some(StayReason::new(text, Remedy::for_placeholder(workload)));
    }
    if let Some(key) = secret_with(model, &workload.pods(), listener.number) {
        let text = format!("{key}, which its pods read, holds the number, and Secrets are not changed");
        let remedy = "Write the number as a plain `value` in place of the Secret".to_owned();
        return Some(StayReason::new(text, Remedy::Words(remedy)));
    }
    let files = files_with_default(model, &workload.pods(), container?, listener.number);
    (!files.is_empty()).then(|| {
        let files = listed(files, LISTED_FILES);
        let text = format!(
            "the mounted file {files} has a placeholder with this number as its default, which may set the port"
        );
        StayReason::new(text, Remedy::for_placeholder(workload))
    })
}

/// Reason for a port number in settings that may have another purpose.
fn in_settings(workload: &Workload<'_>, listener: &Listener, places: &[PortSetting]) -> StayReason {
    let shown = places.iter().map(|place| format!("`{}` ({})", place.name, place.place.path));
    let shown: Vec<String> = shown.collect();
    let text = format!("the number is in {}, but nothing shows that this text sets the port", shown.join(", "));
    StayReason::new(text, Remedy::for_settings(workload, listener, places))
}

/// Reason for a port number in an address of all interfaces of its own container, which clients may dial too:
/// `--liveness=http://0.0.0.0:8080/healthz`.
fn in_address(workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let places = open_addresses(workload.container(listener)?, listener.number);
    (!places.is_empty()).then(|| in_settings(workload, listener, &places))
}

/// Reason for a port that a library of an uncatalogued program opens: the setting of the library may set it.
fn reason_by_library(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let (library, set_by) = library_with_setting(model, workload, listener)?;
    let SetBy::Setting { name, .. } = &set_by else { return None };
    let text = format!(
        "its container does not set `{name}`, which sets this port in programs with {} (its {} show that library)",
        library.name,
        library.settings()
    );
    Some(StayReason::new(text, Remedy::seen(workload, listener, set_by)))
}

/// Reason for a declared port that matches no listener of its program in the catalogue: a setting of another listener
/// in the catalogue may set it.
fn reason_by_other_catalog_row(workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let program = workload.programs.get(listener.container)?.as_ref()?;
    let container = workload.container(listener)?;
    // A declared port with the port name of a catalogued listener is that listener; no other row can set it.
    let is_listener = |name: &String| program.listeners.iter().any(|row| row.names.contains(name));
    if listener.name.as_ref().is_some_and(is_listener) {
        return None;
    }
    let version =
        program_of(container, workload.meta, &Hints::default()).map_or(ProgramVersion::unknown(), |(_, it)| it);
    let known = workload.listeners.iter().filter(|other| other.container == listener.container);
    let mut found = settings_of_other_listeners(program, &version, container, &known.collect::<Vec<_>>());
    found.retain(|(_, known, _)| Remedy::can_add_setting(container, known));
    // Propose one setting per listener of the catalogue.
    found.dedup_by_key(|(name, ..)| *name);
    let shown = found.iter().map(|(name, known, _)| format!("`{}` ({name})", known.name()));
    let shown = listed(shown, LISTED_SETTINGS);
    let settings: Vec<_> = found.into_iter().map(|(_, known, value)| (known, value)).collect();
    let remedy = Remedy::for_possible_settings(workload, listener, &settings).with_learn_command(workload, listener);
    let text = format!("no setting of the manifest has its number, and the catalogue has {shown} of {}", program.name);
    (!settings.is_empty()).then(|| StayReason::new(text, remedy))
}

/// Maximum number of settings of the catalogue in a message.
const LISTED_SETTINGS: usize = 4;

/// Reason and remedy for a listener whose port number an obstacle fixes.
pub(super) fn reason_of_obstacle(workload: &Workload<'_>, listener: &Listener, obstacle: &Obstacle) -> StayReason {
    let remedy = match &obstacle.remedy {
        ObstacleRemedy::Nothing => Remedy::accept(workload, listener),
        ObstacleRemedy::Accepted => Remedy::Words(String::new()),
        ObstacleRemedy::Setting => Remedy::setting(workload, listener),
        ObstacleRemedy::OneOf(settings) => Remedy::for_possible_settings(workload, listener, settings),
        ObstacleRemedy::Seen(name, places) => {
            Remedy::for_settings(workload, listener, places).with_port_name(name.as_deref())
        }
        ObstacleRemedy::Version(version) => Remedy::version(workload, listener, version),
        ObstacleRemedy::Manifest(words) => Remedy::Words(words.clone()),
    };
    StayReason::new(obstacle.why.clone(), remedy)
}

/// Setting of another container for a listen address with the port number of a listener.
fn setting_in_other_container<'w>(workload: &'w Workload<'_>, listener: &Listener) -> Option<(&'w str, PortSetting)> {
    let others = workload.template.running().filter(|(index, _)| *index != listener.container);
    let mut settings =
        others.flat_map(|(_, container)| port_settings(container).into_iter().map(move |place| (container, place)));
    let is_match = |place: &PortSetting| {
        place.port == listener.number
            && place.form != Form::Loopback
            && !place.is_url()
            && HelpName::new(&place.name) == HelpName::Listen
    };
    let (container, place) =
        settings.find(|(container, place)| is_match(place) && !is_client_address(container, None, place))?;
    Some((&container.name, place))
}

/// Reason for a port number in a setting of its own container whose value cannot be parsed.
fn unread_setting_reason(workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let setting = unread_setting(workload.container(listener)?, listener.number)?;
    let text = format!("the number is in `{}` ({}), which may or may not set the port", setting.name, setting.path);
    Some(StayReason::new(text, Remedy::unread(workload, listener, setting)))
}

/// Mounted files of the container that hold the port number of a listener; `None` without such files.
fn files_of(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<String> {
    let files = files_with(model, &workload.pods(), workload.container(listener)?, listener.number);
    (!files.is_empty()).then(|| listed(files, LISTED_FILES))
}

/// Note about ConfigMaps that are not in the input and from which the container takes variables; empty without such
/// ConfigMaps.
fn absent_config_maps_note(model: &Model, workload: &Workload<'_>, listener: &Listener) -> String {
    let Some(container) = workload.container(listener) else { return String::new() };
    let absent = absent_config_maps(model, workload.meta.namespace.as_deref(), container);
    if absent.is_empty() {
        return String::new();
    }
    let maps = if absent.len() == 1 { "ConfigMap" } else { "ConfigMaps" };
    format!(
        ", and its variables from {maps} {} are not in the input; the build of a kustomization has generated ConfigMaps",
        listed(absent, LISTED_FILES)
    )
}

/// Maximum number of mounted files or ConfigMaps in a message.
const LISTED_FILES: usize = 3;

/// Reason for a listener that depends on a variable which its container does not define, such as a kustomize var.
fn undefined_variable_reason(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<StayReason> {
    let undefined = undefined(model, workload.meta.namespace.as_deref(), workload.container(listener)?);
    let is_in_build = workload.meta.is_in_build();
    let remedy = match is_in_build {
        true => {
            "A kustomize var is filled in after this function: write a replacement in its place, or run hostnet on the build"
        }
        false => {
            "Kubernetes passes such a text on as it is: define the variable in `env`, or run hostnet on the build if it is a \
                  kustomize var"
        }
    };
    (!undefined.is_empty()).then(|| StayReason {
        text: format!("{}, which no variable of the container defines", undefined.join(", ")),
        remedy: Remedy::Words(remedy.to_owned()),
        is_for_later: is_in_build,
    })
}
