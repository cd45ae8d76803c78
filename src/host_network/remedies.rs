//! Remedies for listeners that cannot get another port number: config lines, each once per message.

use std::fmt::Write as _;
use std::sync::Arc;

use super::bind_entry::{BindEntry, SetBy};
use super::own_target::OwnTarget;
use super::workload::Workload;
use crate::catalog::{self, KnownSetting, PackageKind, Program};
use crate::model::listener::{Binding, Listener, ObstacleRemedy, UnknownVersion};
use crate::model::pod::Container;
use crate::model::setting::{PortSetting, UnreadSetting};
use crate::model::text::is_placeholder;
use krm::shell_word;

/// Prefix of the catalogue's projects whose manifests contain placeholders that clusterctl fills in.
const CLUSTER_API: &str = "cluster-api";

/// Remedy for one listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Text that is used as it is.
    Words(String),
    /// `program` lines with a version, each with its condition.
    Version(String),
    /// An entry of `bind`.
    Bind {
        /// The entry to write.
        entry: BindEntry,
        /// Certainty of the entry.
        known: BindCertainty,
        /// True for a Crossplane package, whose program can be named in the config.
        is_package: bool,
        /// Command that reads the flag from the help of the program.
        learn: Option<String>,
    },
}

/// Certainty of an entry of `bind`, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BindCertainty {
    /// The number cannot change; the entry only records that the user accepts this.
    Fixed,
    /// The manifest or the catalogue has the setting, which may set the number of the listener.
    Seen,
    /// The entry has a placeholder for the name of a flag; a variable is possible too.
    Flag,
    /// The entry has a placeholder for the name of a variable: no flag can be added to the container.
    Variable,
}

impl Remedy {
    /// True if the port number can change with this remedy.
    pub fn may_move(&self) -> bool {
        !matches!(self, Self::Bind { known: BindCertainty::Fixed, .. })
    }

    /// Remedy for a text that is filled in after this run: render it first, with clusterctl for programs of Cluster
    /// API, else with Flux.
    pub(super) fn for_placeholder(workload: &Workload<'_>) -> Self {
        let is_cluster_api = |program: &Arc<Program>| {
            catalog::programs()
                .any(|(source, known)| known.name == program.name && source.project.starts_with(CLUSTER_API))
        };
        // kubernetes-sigs/cluster-api@v1.6.0 cmd/clusterctl/cmd/generate_yaml.go: `--from -` is standard input.
        let render = match workload.programs.iter().flatten().any(is_cluster_api) {
            true => "clusterctl generate yaml --from FILE | hostnet apply -c CONFIG",
            false => "flux build kustomization NAME --path DIR | hostnet apply -c FILE",
        };
        Self::Words(format!("Write the address out, or run hostnet on the rendered manifests, as in `{render}`"))
    }

    /// Remedy for a port number without a visible setting.
    pub(super) fn unknown(workload: &Workload<'_>, listener: &Listener) -> Self {
        Self::with_placeholder_name(workload, listener, learn_command(workload, listener))
    }

    /// Remedy for a port number with a setting of unknown name.
    pub(super) fn setting(workload: &Workload<'_>, listener: &Listener) -> Self {
        Self::with_placeholder_name(workload, listener, None)
    }

    /// Remedy for a setting whose name the user has to fill in: an entry of `bind` with a placeholder as name.
    fn with_placeholder_name(workload: &Workload<'_>, listener: &Listener, learn: Option<String>) -> Self {
        let takes_flags = workload.container(listener).is_some_and(takes_flags);
        let known = if takes_flags { BindCertainty::Flag } else { BindCertainty::Variable };
        // Placeholder names differ within a message, so that two listeners never share a flag.
        let name =
            if takes_flags { format!("--FLAG-{}", listener.number) } else { format!("NAME_{}", listener.number) };
        let set_by = SetBy::Setting { name, is_variable: !takes_flags, value: "{port}".to_owned() };
        Self::bind(workload, listener, set_by, known, learn)
    }

    /// Remedy for a port number that these settings contain.
    pub(super) fn for_settings(workload: &Workload<'_>, listener: &Listener, places: &[PortSetting]) -> Self {
        match places.first() {
            Some(place) => Self::seen(workload, listener, SetBy::from_setting(place)),
            None => Self::setting(workload, listener),
        }
    }

    /// Remedy for a port number in a setting whose value cannot be parsed: an entry of `bind` if the value has the
    /// number once, else an entry that accepts the number, because `bind` changes only one number of a value.
    pub(super) fn unread(workload: &Workload<'_>, listener: &Listener, setting: UnreadSetting) -> Self {
        let UnreadSetting { name, variable: is_variable, value, .. } = setting;
        match value {
            Some(value) => Self::seen(workload, listener, SetBy::Setting { name, is_variable, value }),
            None => Self::accept(workload, listener),
        }
    }

    /// Remedy for a port number that a setting of another container contains.
    pub(super) fn for_setting_in_other_container(
        workload: &Workload<'_>,
        listener: &Listener,
        container: &str,
        place: &PortSetting,
    ) -> Self {
        let mut entry = BindEntry::new(workload, listener, SetBy::from_setting(place));
        container.clone_into(&mut entry.container);
        Self::Bind { entry, known: BindCertainty::Seen, is_package: false, learn: None }
    }

    /// Replaces the port name of the entry by the name that another container declares.
    pub(super) fn with_port_name(mut self, name: Option<&str>) -> Self {
        if let (Self::Bind { entry, .. }, Some(name)) = (&mut self, name) {
            name.clone_into(&mut entry.port);
        }
        self
    }

    /// Remedy for a port number that one of these settings may set: proposes the first setting that can be added.
    pub(super) fn for_possible_settings(
        workload: &Workload<'_>,
        listener: &Listener,
        settings: &[(KnownSetting, String)],
    ) -> Self {
        let takes_flags = workload.container(listener).is_some_and(takes_flags);
        let fits = settings.iter().find(|(known, _)| takes_flags || known.env.is_some());
        let Some((known, value)) = fits else { return Self::setting(workload, listener) };
        let (name, value) = (known.name().to_owned(), value.clone());
        let set_by = SetBy::Setting { name, is_variable: known.env.is_some(), value };
        Self::seen(workload, listener, set_by)
    }

    /// Remedy for a port number that this setting may set.
    pub(super) fn seen(workload: &Workload<'_>, listener: &Listener, set_by: SetBy) -> Self {
        Self::bind(workload, listener, set_by, BindCertainty::Seen, None)
    }

    /// True if a setting can be added to a container: always for a variable, see `takes_flags` for a flag.
    pub(super) fn can_add_setting(container: &Container, known: &KnownSetting) -> bool {
        known.env.is_some() || takes_flags(container)
    }

    /// Adds the command that reads the flags from the help of the program.
    pub(super) fn with_learn_command(mut self, workload: &Workload<'_>, listener: &Listener) -> Self {
        if let Self::Bind { learn, .. } = &mut self {
            *learn = learn_command(workload, listener);
        }
        self
    }

    /// Remedy that accepts a port number which cannot change.
    pub(super) fn accept(workload: &Workload<'_>, listener: &Listener) -> Self {
        Self::bind(workload, listener, SetBy::Nothing, BindCertainty::Fixed, None)
    }

    /// Remedy that adds the program version to the target. A target names one program: for a second program of the pods
    /// the remedy is an entry of `bind`.
    pub(super) fn version(workload: &Workload<'_>, listener: &Listener, version: &UnknownVersion) -> Self {
        if let Some((known, value)) = version.setting.as_ref().filter(|_| !is_first_program(workload, version)) {
            let (name, is_variable) = (known.name().to_owned(), known.env.is_some());
            let set_by = SetBy::Setting { name, is_variable, value: value.clone() };
            return Self::seen(workload, listener, set_by);
        }
        let line = |text: &str| format!("`program: {}@{text}`", version.program);
        let newest =
            version.newest.as_deref().map(|newest| format!("{} for this release or a newer one", line(newest)));
        let label = version
            .label
            .as_ref()
            .map(|(key, text)| format!("{} if label `{key}` has the version that runs", line(text)));
        let default = version.default.as_deref();
        let default = default.map(|text| format!("{} if the default of the tag is the version that runs", line(text)));
        let lines: Vec<String> = newest.into_iter().chain(label).chain(default).collect();
        let lines = if lines.is_empty() { line("VERSION") } else { lines.join(", ") };
        Self::Version(lines)
    }

    /// Remedy that proposes an entry of `bind`.
    fn bind(
        workload: &Workload<'_>,
        listener: &Listener,
        set_by: SetBy,
        known: BindCertainty,
        learn: Option<String>,
    ) -> Self {
        let is_package = PackageKind::from_meta(workload.meta).is_some();
        Self::Bind { entry: BindEntry::new(workload, listener, set_by), known, is_package, learn }
    }
}

/// Joins remedies: each text and command once, and one list of all `bind` entries. With `may_stay` false, the config
/// sets another port number, so entries that accept the current number are omitted. `own` is the target to write for
/// the workload if its target matches others too.
pub fn remedies<'r>(all: impl Iterator<Item = &'r Remedy>, may_stay: bool, own: Option<OwnTarget>) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let target = if own.is_some() { "the new target" } else { "the target" };
    let mut versions = Vec::new();
    let (mut entries, mut commands) = (Vec::new(), Vec::new());
    let (mut least, mut of_package) = (BindCertainty::Fixed, false);
    for remedy in all {
        match remedy {
            Remedy::Words(words) if words.is_empty() || sentences.contains(words) => {}
            Remedy::Bind { known: BindCertainty::Fixed, .. } if !may_stay => {}
            Remedy::Words(words) => sentences.push(words.clone()),
            Remedy::Version(lines) if versions.contains(lines) => {}
            Remedy::Version(lines) => versions.push(lines.clone()),
            Remedy::Bind { entry, known, is_package, learn } => {
                entries.push(entry.to_string());
                least = least.max(*known);
                of_package |= *is_package && *known != BindCertainty::Fixed;
                if let Some(command) = learn.as_ref().filter(|command| !commands.contains(command)) {
                    commands.push(command);
                }
            }
        }
    }
    if let Some(mut own) = own.filter(|_| of_package || !versions.is_empty() || !entries.is_empty()) {
        if !versions.is_empty() {
            own.program = None;
        }
        if !entries.is_empty() {
            entries.splice(0..0, std::mem::take(&mut own.bind));
        }
        let (workload, own) = (&own.workload, own.written());
        sentences.push(format!(
            "The target of {workload} matches other workloads too: write before it a new target `{own}`"
        ));
    }
    sentences.extend(versions.iter().map(|lines| format!("Add to {target} the version that runs: {lines}")));
    if of_package {
        sentences.push(format!(
            "If `spec.package` does not show which program runs, name it in {target}: `program: NAME@VERSION`"
        ));
    }
    if !entries.is_empty() {
        let list = format!("`bind: [{}]`", entries.join(", "));
        let with = match may_stay {
            true => {
                "with `value: \":{port}\"` for an address, or `fixed: true` in place of the name if the number never changes"
            }
            false => "with `value: \":{port}\"` for an address",
        };
        sentences.push(match least {
            BindCertainty::Fixed => {
                let numbers = if entries.len() == 1 { "number" } else { "numbers" };
                format!("To accept the current {numbers}, add to {target} {list}")
            }
            BindCertainty::Seen => format!("If that setting sets the port, add to {target} {list}"),
            BindCertainty::Flag => format!("If you know the flag (or variable: `env`), add to {target} {list}, {with}"),
            BindCertainty::Variable => format!("If you know the variable, add to {target} {list}, {with}"),
        });
    }
    let mut text = sentences.join(". ");
    for (position, command) in commands.into_iter().enumerate() {
        let before = if position == 0 { ". Or read it from the help of the program: " } else { ", " };
        let _ = write!(text, "{before}`{command}`");
    }
    text
}

impl Workload<'_> {
    /// Joins remedies for listeners of this workload.
    pub(super) fn remedies<'r>(&self, all: impl Iterator<Item = &'r Remedy>, may_stay: bool) -> String {
        remedies(all, may_stay, self.is_broad.then(|| self.own_target()))
    }
}

/// True if this is the first program of unknown version in the workload: `program` of a target sets one version.
fn is_first_program(workload: &Workload<'_>, version: &UnknownVersion) -> bool {
    let obstacles = workload.listeners.iter().flat_map(Listener::bindings).filter_map(|binding| match binding {
        Binding::Fixed(obstacle) | Binding::Add { doubt: Some(obstacle), .. } => Some(&obstacle.remedy),
        _ => None,
    });
    let mut programs = obstacles.filter_map(|remedy| match remedy {
        ObstacleRemedy::Version(unknown) => Some(&unknown.program),
        _ => None,
    });
    programs.next().is_none_or(|first| *first == version.program)
}

/// True if a flag can be added to the container: it has a command or arguments, and no shell script.
fn takes_flags(container: &Container) -> bool {
    (container.args.is_some() || container.command.is_some()) && container.script().is_none()
}

/// Command that reads the help of the program in a container; `None` without a known image, for shells, and for
/// Crossplane packages, which have no container in the input.
fn learn_command(workload: &Workload<'_>, listener: &Listener) -> Option<String> {
    let container = workload.container(listener)?;
    let is_known = !container.image.is_empty() && !is_placeholder(&container.image);
    if !is_known || PackageKind::from_meta(workload.meta).is_some() {
        return None;
    }
    let mut words = container.command.iter().flatten().chain(container.args.iter().flatten()).map(String::as_str);
    let has_command = container.command.iter().flatten().next().is_some();
    let (entrypoint, script) = if has_command { program_words(&mut words)? } else { ("", Vec::new()) };
    let is_subcommand = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    let subcommands = script.into_iter().map(shell_word).chain(words.take_while(is_subcommand).map(Into::into));
    let subcommands: String = subcommands.map(|word| format!("{word} ")).collect();
    let entrypoint = if has_command { format!("--entrypoint {} ", shell_word(entrypoint)) } else { String::new() };
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

/// Programs that run the program which their first argument after flags and variables names.
const STARTERS: [&str; 4] = ["catatonit", "dumb-init", "env", "tini"];

/// Programs that run a script, a module or an archive.
const INTERPRETERS: [&str; 9] = ["bun", "deno", "dotnet", "java", "node", "perl", "php", "python", "ruby"];

/// Flags of interpreters with a separate value before the script.
const VALUE_FLAGS: [&str; 3] = ["-cp", "-classpath", "--class-path"];

/// Returns the program of a command, and for an interpreter the words that select its script. `None` for an empty command,
/// for shells, which print their own help, and for an interpreter without a script.
fn program_words<'w>(words: &mut impl Iterator<Item = &'w str>) -> Option<(&'w str, Vec<&'w str>)> {
    let base = |word: &'w str| word.rsplit('/').next().unwrap_or(word);
    let mut program = words.next()?;
    if STARTERS.contains(&base(program)) {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    if program.ends_with("sh") {
        return None;
    }
    let name = base(program).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let mut script = Vec::new();
    if INTERPRETERS.contains(&name) {
        loop {
            // The program of `-c` and `-e` is in the command itself.
            let word = words.next().filter(|word| !matches!(*word, "-c" | "-e"))?;
            script.push(word);
            if VALUE_FLAGS.contains(&word) {
                script.push(words.next()?);
            } else if matches!(word, "-m" | "-jar") {
                script.push(words.next()?);
                break;
            } else if !word.starts_with('-') && word != "run" {
                break;
            }
        }
    }
    Some((program, script))
}
