//! Listeners that cannot get another number, and what to write for them.

use super::assignments::{Assignment, Assignments};
use super::workload::Workload;
use crate::catalog::PackageKind;
use crate::model::Model;
use crate::model::listener::{Binding, Listener, files_with, filled_in_later, undefined};
use crate::model::text::is_placeholder;
use crate::plan::{Finding, listed};
use crate::rule::{self, Severity};
use crate::wire::shell_word;

/// Listeners with an automatic number that cannot get one: a warning, unless the config names them. They keep theirs.
pub(super) fn keep(model: &Model, workloads: &[Workload<'_>], wanted: &mut Assignments, findings: &mut Vec<Finding>) {
    for workload in workloads {
        for (position, listener) in workload.listeners.iter().enumerate() {
            let named = wanted.names(workload, position);
            let choice = wanted.choice(workload.id, position);
            if choice != Assignment::Auto && !(named && choice == Assignment::Keep) {
                continue;
            }
            let Some(why) = why(model, workload, listener) else { continue };
            if choice == Assignment::Keep {
                // `hostnet init` writes `keep` for these: the way to move them must not be forgotten.
                let message = format!("{}: keeps its number: {}. {}", workload.call(listener), why.text, why.remedy);
                let finding = Finding::new(Severity::Info, rule::PORT_SETTING, message).on(workload.id.object);
                findings.push(finding.at(workload.field(listener)).of_port(listener.number));
                continue;
            }
            // That a Function keeps its ports is what the config asks for when it moves one.
            if !named && PackageKind::of(workload.meta) == Some(PackageKind::Function) {
                wanted.keep(workload.id, position);
                continue;
            }
            let is_error = named || why.is_for_later;
            let severity = if is_error { Severity::Error } else { Severity::Warning };
            let call = workload.call(listener);
            let what = if is_error { "`auto` cannot move it" } else { "keeps its number" };
            let message = format!("{call}: {what}: {}. {}", why.text, why.remedy);
            let finding = Finding::new(severity, rule::PORT_SETTING, message);
            findings.push(finding.on(workload.id.object).at(workload.field(listener)).of_port(listener.number));
            wanted.keep(workload.id, position);
        }
    }
}

/// The remedy for a text that is filled in after this run.
const FILLED_IN: &str = "Write the address out, or run hostnet on what was filled in, as in `flux build kustomization NAME --path DIR | hostnet apply -c FILE`";

/// Why a listener cannot get another number, and what to do.
#[derive(Debug)]
pub(super) struct Why {
    pub(super) text: String,
    pub(super) remedy: String,
    /// True if kustomize will fill in the number after this run.
    pub(super) is_for_later: bool,
}

/// Why a listener cannot get another number; `None` when it can.
pub(super) fn why(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<Why> {
    let text = match &listener.binding {
        Binding::Visible(_) | Binding::ConfigMap(_) | Binding::Add { .. } | Binding::Phantom => return None,
        Binding::Fixed(why) => why.clone(),
        Binding::Later(why) => {
            return Some(Why { text: why.clone(), remedy: FILLED_IN.to_owned(), is_for_later: false });
        }
        // The text has the line to write.
        Binding::Unproven(why) => {
            return Some(Why { text: why.clone(), remedy: bind_hint(workload, listener), is_for_later: false });
        }
        Binding::Unknown(places) if places.is_empty() => {
            if let Some(undefined) = undefined_in_build(model, workload, listener) {
                return Some(undefined);
            }
            let later = workload.container(listener).map(filled_in_later).unwrap_or_default();
            let files = files_of(model, workload, listener);
            match (later.is_empty(), &files) {
                (true, None) => "nothing in the manifest or the catalogue says what sets its number".to_owned(),
                (true, Some(files)) => format!("the mounted file {files} holds the number, and may set it"),
                (false, _) => format!("{} is filled in later, and may be what sets it", later.join(", ")),
            }
        }
        Binding::Unknown(places) => {
            format!("the number stands in {}, which may or may not be where it listens", places.join(", "))
        }
    };
    let learned = match &listener.binding {
        Binding::Unknown(places) if places.is_empty() => learn_command(workload, listener),
        _ => None,
    };
    let learned =
        learned.map(|command| format!(". Or read it from the help of the program: `{command}`")).unwrap_or_default();
    let by_hand = match &listener.binding {
        Binding::Unknown(places) if places.is_empty() && files_of(model, workload, listener).is_some() => {
            "If it does, change it there and in the manifest by hand: hostnet does not edit such a file. "
        }
        _ => "",
    };
    let remedy = format!("{by_hand}{}{learned}", bind_hint(workload, listener));
    Some(Why { text, remedy, is_for_later: false })
}

/// The mounted files of a listener's container that hold its number; `None` without one.
fn files_of(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<String> {
    let files = files_with(model, &workload.pods(), workload.container(listener)?, listener.number);
    (!files.is_empty()).then(|| listed(files.into_iter(), LISTED_FILES))
}

/// How many mounted files a message names.
const LISTED_FILES: usize = 3;

/// Why a listener of a kustomize build waits for a variable that no container defines.
fn undefined_in_build(model: &Model, workload: &Workload<'_>, listener: &Listener) -> Option<Why> {
    let container = workload.container(listener).filter(|_| workload.meta.is_in_build())?;
    let undefined = undefined(model, workload.meta.namespace.as_deref(), container);
    (!undefined.is_empty()).then(|| Why {
        text: format!("{}, which no variable of the container defines", undefined.join(", ")),
        remedy: "A kustomize var is filled in after this function: write a replacement in its place, or run hostnet on the build".to_owned(),
        is_for_later: true,
    })
}

/// The command that reads the help of a container's program. Packages of Crossplane have no container in the input.
fn learn_command(workload: &Workload<'_>, listener: &Listener) -> Option<String> {
    let container = workload.container(listener)?;
    let is_known = !container.image.is_empty() && !is_placeholder(&container.image);
    if !is_known || PackageKind::of(workload.meta).is_some() {
        return None;
    }
    let program = container.command.iter().flatten().next();
    // A shell prints its own help.
    if program.is_some_and(|word| word.ends_with("sh")) {
        return None;
    }
    let entrypoint = program.map(|word| format!("--entrypoint {} ", shell_word(word))).unwrap_or_default();
    let is_subcommand = |word: &&String| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    let words = container.command.iter().flatten().skip(1).chain(container.args.iter().flatten());
    let subcommands: String = words.take_while(is_subcommand).map(|word| format!("{word} ")).collect();
    let name = match workload.meta.namespace.as_deref() {
        Some(namespace) => format!("{namespace}/{}/{}", workload.meta.name, container.name),
        None => format!("/{}/{}", workload.meta.name, container.name),
    };
    Some(format!(
        "docker run --rm {entrypoint}{} {subcommands}--help 2>&1 | hostnet learn -c hostnet.yaml {} MANIFESTS",
        shell_word(&container.image),
        shell_word(&name)
    ))
}

/// The line of the config that says how.
fn bind_hint(workload: &Workload<'_>, listener: &Listener) -> String {
    let container = workload.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
    let program = match PackageKind::of(workload.meta) {
        Some(_) => "If `spec.package` does not say what runs, say it in the target: `program: NAME@VERSION`. ",
        None => "",
    };
    format!(
        "{program}If you know the flag or variable, add to the target: `bind: [{{container: {container}, port: {}, number: {}, \
         arg: --FLAG, value: \":{{port}}\"}}]`",
        listener.label, listener.number
    )
}
