//! Listeners of a container that the catalogue knows.

use std::borrow::Cow;
use std::sync::Arc;

use super::evidence_kind::EvidenceKind;
use super::map_variables::MapVariables;
use super::reader::Reader;
use super::role::Role;
use super::switched_off::{RowSwitch, row_switch};
use super::types::{Binding, Listener, Obstacle, ObstacleRemedy, UnknownVersion};
use crate::catalog::{self, KnownSetting, Program};
use crate::model::pod::{ContainerPort, protocol};
use crate::model::setting::{PortSetting, Setting};
use crate::model::text::{default_of_placeholder, is_filled_in};
use crate::version::ProgramVersion;
use krm::holds_placeholder;
use oci::name::ImageRef;

/// Recommended label of Kubernetes for the version of the program.
const VERSION_LABEL: &str = "app.kubernetes.io/version";

/// Label with the name and the version of the Helm chart.
const CHART_LABEL: &str = "helm.sh/chart";

/// Placeholder for the port number in the value of a setting.
const PORT: &str = "{port}";

impl Reader<'_> {
    /// Returns a row with the default number of this version. For an unknown version, this is the former default if the
    /// manifest has only that number.
    pub(super) fn with_default_of<'r>(
        &self,
        row: &'r catalog::Listener,
        version: &ProgramVersion,
    ) -> Cow<'r, catalog::Listener> {
        let (default, former) = row.defaults_of(version);
        let is_shown = |number: &u16| {
            let mut ports = self.container.ports.iter().flatten();
            self.seen.contains_key(number) || ports.any(|port| port.number() == Some(*number))
        };
        let is_current = default.as_ref().is_some_and(is_shown);
        let default = former.filter(|former| !is_current && is_shown(former)).or(default);
        if default == row.default {
            return Cow::Borrowed(row);
        }
        Cow::Owned(catalog::Listener { default, ..row.clone() })
    }

    /// Returns a listener of the catalogue with its number in this container; `None` if the program does not listen
    /// there.
    pub(super) fn catalogued(
        &mut self,
        program: &Program,
        version: &ProgramVersion,
        row: &catalog::Listener,
    ) -> Option<Listener> {
        let removed = self.places(|place| {
            row.settings.iter().any(|known| is_setting_ignored(known, version) && known.name() == place.name)
        });
        self.used.extend(&removed);
        self.ignored.extend(removed);
        let set_by = self.set_by(program, row);
        match row_switch(row, &self.settings, self.container) {
            RowSwitch::On => {}
            switch => {
                self.used.extend(set_by);
                self.switched_off.extend((switch == RowSwitch::SetOff).then(|| row.clone()));
                return None;
            }
        }
        let map = if set_by.is_empty() {
            self.files.number_from_map(program, &row.settings, self.container, &self.from_maps, &self.settings)
        } else {
            None
        };
        if let Some(Err(field)) = &map
            && field.value.as_ref().is_some_and(|value| row.off.contains(value))
        {
            self.switched_off.push(row.clone());
            return None;
        }
        let map = map.and_then(Result::ok);
        let number = self.effective(row, &set_by).or(map.as_ref().map(|place| place.port));
        if row.names.iter().any(|name| self.is_filled_in_later(name)) {
            // Do not add a second listener: the declared port with the placeholder is this
            // listener.
            self.used.extend(set_by);
            return None;
        }
        let ports = || self.container.ports.iter().flatten().enumerate();
        let free =
            |position: usize, port: &ContainerPort| !self.declared.contains(&position) && port.protocol == row.protocol;
        let named = ports().find(|(position, port)| {
            free(*position, port) && port.name.as_ref().is_some_and(|name| row.names.contains(name))
        });
        let numbered = |number: u16| {
            ports()
                .find(|(position, port)| free(*position, port) && port.number() == Some(number))
                .map(|(position, _)| position)
        };
        let declared = match number {
            Some(number) => numbered(number),
            None => named.map(|(position, _)| position).or_else(|| numbered(row.default?)),
        };
        if number.is_none() && declared.is_none() {
            let taken = |number: u16| ports().any(|(_, port)| port.number() == Some(number));
            let is_seen = row.default.is_some_and(|number| self.seen.contains_key(&number) && !taken(number));
            // A single setting moves both protocols of a port number.
            let is_twin_declared = || {
                let is_twin =
                    |other: &catalog::Listener| other.default == row.default && other.shares_setting_with(row);
                row.default.is_some_and(taken) && program.listeners.iter().any(is_twin)
            };
            let unsure =
                (row.if_declared && !is_seen && !is_twin_declared()) || row.phantom || program.images.is_empty();
            if unsure || !exists_in(row, version) {
                return None;
            }
        }
        let declared_number = declared.and_then(|position| ports().nth(position)?.1.number());
        let number = number.or(declared_number).or(row.default)?;
        let binding = match map {
            Some(place) => Binding::from_config_map(place),
            None if set_by.is_empty() => self.catalogue_binding(program, version, row),
            None => Binding::Visible(self.mark_places_used(&set_by)),
        };
        self.declared.extend(declared);
        let mut listener = self.listener(number, declared, row.names.first().cloned().unwrap_or_default(), binding);
        listener.role = Role::from_catalog(&row.role);
        listener.protocol = protocol(Some(&row.protocol));
        listener.evidence_kinds.add(match &listener.binding {
            Binding::ConfigMap(place)
                if row.settings.iter().any(|known| known.config.as_ref() == Some(&place.name)) =>
            {
                EvidenceKind::ConfigFile
            }
            _ => EvidenceKind::Catalogue,
        });
        Some(listener)
    }

    /// Adds the listeners of scaffolds whose ports a config file sets. Skipped for programs of the catalogue with a
    /// config file of their own.
    pub(super) fn add_scaffold_file_listeners(&mut self, found: &mut Vec<Listener>) {
        if self.container.mounts.is_empty()
            || self.program.as_ref().is_some_and(|(program, _)| program.config.is_some())
        {
            return;
        }
        let own =
            self.hints.programs.iter().filter(|program| program.images.is_empty() && program.config.is_some()).cloned();
        let replaced = |name: &str| self.hints.programs.iter().any(|program| program.name == name);
        let known = catalog::scaffolds_with_file().filter(|program| !replaced(&program.name));
        let scaffolds: Vec<Arc<Program>> = own.chain(known).collect();
        for program in scaffolds {
            for row in &program.listeners {
                let fields = row.settings.iter().filter_map(|known| known.config.as_deref());
                let set_by = |field| self.files.field(&program, field, self.container, &self.settings).is_ok();
                if fields.into_iter().any(set_by) {
                    found.extend(self.catalogued(&program, &ProgramVersion::unknown(), row));
                }
            }
        }
    }

    /// Returns the number that counts among settings of a row: that of the setting that wins, else that of the first
    /// one, or of its last repetition if it is a flag.
    fn effective(&self, row: &catalog::Listener, set_by: &[usize]) -> Option<u16> {
        let places = || set_by.iter().filter_map(|&position| self.visible.get(position));
        let wins = |name: &str| row.settings.iter().any(|known| known.wins && known.name() == name);
        let (first, place) = places().find(|(_, place)| wins(&place.name)).or_else(|| places().next())?;
        let repeats =
            |(_, other): &&(usize, PortSetting)| !place.variable && !other.variable && other.name == place.name;
        let last = places().filter(repeats).map(|(setting, _)| *setting).max().unwrap_or(*first);
        places().find(|(setting, _)| *setting == last).map(|(_, place)| place.port)
    }

    /// Returns the positions of the settings of a row. One setting may set the number of two rows, for TCP and for UDP.
    fn set_by(&self, program: &Program, row: &catalog::Listener) -> Vec<usize> {
        let sets = |place: &PortSetting| row.settings.iter().any(|known| known.name() == place.name);
        let free = self.places(sets);
        if !free.is_empty() || !program.listeners.iter().any(|other| other.shares_setting_with(row)) {
            return free;
        }
        let all = self.visible.iter().enumerate().filter(|(_, (_, place))| sets(place));
        all.map(|(position, _)| position).filter(|position| !self.ignored.contains(position)).collect()
    }

    /// Returns the last flag with this name, which overrides the others.
    pub(super) fn flag(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().rev().find(|setting| !setting.variable && setting.name == name)
    }

    /// True if a declared port with this name has a number that may be filled in later.
    pub(super) fn is_filled_in_later(&self, name: &str) -> bool {
        let mut ports = self.container.ports.iter().flatten();
        ports.any(|port| port.name.as_deref() == Some(name) && port.is_filled_in_later())
    }

    /// Returns the setting to add for a listener of the catalogue, or the reason why its port number is fixed.
    fn catalogue_binding(&self, program: &Program, version: &ProgramVersion, row: &catalog::Listener) -> Binding {
        // Crossplane declares the ports of a package even if the program does not listen.
        if row.phantom || program.package.is_some() && !exists_in(row, version) {
            return Binding::Phantom;
        }
        if row.settings.is_empty() {
            let none = || format!("{} has no flag or variable for it in any version", program.name);
            return Binding::fixed(row.why.clone().unwrap_or_else(none), ObstacleRemedy::Nothing);
        }
        let mut holding = row.settings.iter().filter(|known| !is_setting_ignored(known, version));
        if let Some(otherwise) = holding.find_map(|known| self.binding_of_non_number_setting(known, row)) {
            return otherwise;
        }
        if program.images.is_empty() {
            let why = format!(
                "`{}` is a scaffold, so it is unknown if this program has `{}`",
                program.name,
                row.settings.iter().map(KnownSetting::name).collect::<Vec<_>>().join("` or `")
            );
            let flags = row.settings.iter().filter(|known| known.config.is_none());
            let flags: Vec<_> = flags.map(|known| (known.clone(), value_of(known, row))).collect();
            return Binding::fixed(
                why,
                if flags.is_empty() { ObstacleRemedy::Setting } else { ObstacleRemedy::OneOf(flags) },
            );
        }
        let mut reasons: Vec<String> = Vec::new();
        let mut is_unproven = false;
        for (index, known) in row.settings.iter().enumerate() {
            // Settings with the same first version are missing for the same reason: report it once.
            let same = |other: &KnownSetting| {
                other.known_since() == known.known_since() && other.config.is_some() == known.config.is_some()
            };
            match self.addition(program, version, row, known) {
                Ok(addition) => return addition,
                Err(why) if is_doubtful(known, version) => {
                    is_unproven = true;
                    if !row.settings.iter().take(index).any(same) {
                        reasons.push(why);
                    }
                }
                Err(_) if row.settings.iter().take(index).any(same) => {}
                Err(why) => reasons.push(why),
            }
        }
        let fields = row.settings.iter().filter_map(|known| known.config.as_deref());
        let mut unread =
            fields.filter_map(|field| self.files.field(program, field, self.container, &self.settings).err());
        if let Some(field) = unread.find(|field| field.value.as_deref().is_some_and(is_filled_in)) {
            return Binding::Later(field.why);
        }
        // The version is unknown, and in a known version one of the settings might exist: the remedy is to state the
        // version.
        let remedy = match self.config_file_remedy(program, row) {
            _ if is_unproven => {
                let doubtful = row.settings.iter().find(|known| is_doubtful(known, version));
                self.unknown_version(program, doubtful.map(|known| (known.clone(), value_of(known, row))))
            }
            Some(words) => ObstacleRemedy::Manifest(words),
            None => ObstacleRemedy::Setting,
        };
        Binding::fixed(reasons.join("; "), remedy)
    }

    /// Returns the manual step that sets a port number, if only the config file of the program can set it; `None` for
    /// other numbers.
    fn config_file_remedy(&self, program: &Program, row: &catalog::Listener) -> Option<String> {
        let known = row.settings.first().filter(|_| row.settings.iter().all(|known| known.config.is_some()))?;
        let (field, file) = (known.config.as_deref()?, program.config.as_ref()?);
        let value = value_of(known, row).replace("{port}", &row.default.map_or("PORT".to_owned(), |it| it.to_string()));
        let names_address = field.ends_with("Addr") || field.ends_with("Address");
        let value = if names_address && !value.contains(':') { format!(":{value}") } else { value };
        let value = if value.starts_with(':') { format!("\"{value}\"") } else { value };
        let text = field.rsplit('.').fold(value, |value, key| match value.contains(": ") {
            true => format!("{key}: {{{value}}}"),
            false => format!("{key}: {value}"),
        });
        let is_mounted =
            self.files.field(program, field, self.container, &self.settings).is_err_and(|no| no.is_mounted);
        Some(match (&file.arg, &file.path) {
            _ if is_mounted => format!("Write `{text}` in that file"),
            (Some(arg), _) => {
                format!("Mount a file of a ConfigMap of the input with `{text}` in it, and name its path in `{arg}`")
            }
            (None, path) => {
                let path = path.as_deref().unwrap_or_default();
                format!("Mount a file of a ConfigMap of the input with `{text}` in it as `{path}`")
            }
        })
    }

    /// Returns the binding of an existing setting whose value is not a port number: a placeholder, `valueFrom`, the
    /// address of another program.
    fn binding_of_non_number_setting(&self, known: &KnownSetting, row: &catalog::Listener) -> Option<Binding> {
        let env = known.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = known.arg.as_deref().and_then(|name| self.flag(name));
        let given = match (env, flag) {
            (Some((_, var)), _) => var.value.map(str::to_owned),
            (None, Some(flag)) => flag.value.clone(),
            (None, None) => return None,
        };
        let name = known.name();
        // A bare number is not an address: the program would not start with it.
        let wanted = match (value_of(known, row), row.default) {
            (form, Some(port)) if form != PORT => {
                format!("an address such as `{}`", form.replace(PORT, &port.to_string()))
            }
            _ => "the number".to_owned(),
        };
        Some(match given {
            Some(value) => {
                filled_in(name, &value).or_else(|| self.binding_of_later_expansion(&value)).unwrap_or_else(|| {
                    Binding::fixed(
                        format!("`{name}` is `{value}`, not a port number"),
                        ObstacleRemedy::Manifest(format!("Write {wanted} as the value of `{name}`")),
                    )
                })
            }
            None => Binding::fixed(
                format!("`{name}` is a value from elsewhere, not a port number"),
                ObstacleRemedy::Manifest(format!("Write {wanted} as the `value` of `{name}`, without `valueFrom`")),
            ),
        })
    }

    /// Returns the binding of a value that expands a variable whose own value has a placeholder; the variable may come
    /// from a ConfigMap.
    fn binding_of_later_expansion(&self, value: &str) -> Option<Binding> {
        let (_, name) = value.strip_suffix(')')?.rsplit_once("$(")?;
        let own = self.container.env_var(name).and_then(|(_, variable)| variable.value);
        let map = || {
            let namespace = self.files.meta.namespace.as_deref();
            MapVariables::for_container(self.files.model, namespace, self.container).value_of(name)
        };
        filled_in(name, own.or_else(map)?)
    }

    /// Returns the config lines that set the version of a program. Labels of charts are only suggestions: they may have
    /// the version of an older release, or of the chart.
    fn unknown_version(&self, program: &Program, setting: Option<(KnownSetting, String)>) -> ObstacleRemedy {
        let read = |key: &'static str, version: &str| {
            ProgramVersion::read_release(version).is_known().then(|| (key, version.to_owned()))
        };
        let labels = &self.files.meta.labels;
        let of_app = labels.get(VERSION_LABEL).and_then(|version| read(VERSION_LABEL, version));
        let of_chart = || {
            let chart = labels.get(CHART_LABEL)?;
            let ends = chart.match_indices('-').filter_map(|(at, _)| chart.get(at + 1..));
            let is_number = |end: &&str| end.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
            ends.filter(is_number).find_map(|end| read(CHART_LABEL, end))
        };
        let default = self.later_tag().and_then(default_of_placeholder);
        ObstacleRemedy::Version(Box::new(UnknownVersion {
            program: program.name.clone(),
            newest: program.newest_version().map(str::to_owned),
            label: of_app.or_else(of_chart),
            setting,
            default: default.filter(|tag| ProgramVersion::read_release(tag).is_known()).map(str::to_owned),
        }))
    }

    /// Returns the binding for a setting that the manifest does not have yet, or the reason why the setting cannot be
    /// added.
    fn addition(
        &self,
        program: &Program,
        version: &ProgramVersion,
        row: &catalog::Listener,
        known: &KnownSetting,
    ) -> Result<Binding, String> {
        let (name, program_name) = (known.name(), &program.name);
        if let Some(field) = &known.config {
            let found = self.files.field(program, field, self.container, &self.settings);
            return found.map(Binding::from_config_map).map_err(|field| field.why);
        }
        let since_is_there = || known.known_since().is_none_or(|since| version.has(since) == Some(true));
        match known.until.as_deref().map(|until| (until, version.has(until))) {
            Some((until, Some(true))) => {
                return Err(format!("`{name}` of {program_name} was removed in {until}, and this is {version}"));
            }
            Some((until, None)) if known.arg.is_some() && since_is_there() => {
                return Err(format!(
                    "flag `{name}` of {program_name} does not exist since {until}, and it is not known if {version} is older"
                ));
            }
            _ => {}
        }
        let doubt = match known.known_since().map(|since| (since, version.has(since))) {
            Some((since, Some(false))) => {
                let age = match known.since.as_deref() == Some(since) {
                    true => format!("does not exist before {since}"),
                    false => known.age().unwrap_or_default(),
                };
                return Err(format!("`{name}` of {program_name} {age}, and this is {version}"));
            }
            Some((_, None)) if known.arg.is_some() => {
                return Err(self.unclear(program_name, version, &format!("flag `{name}`"), known));
            }
            Some((_, None)) => {
                let why = self.unclear(program_name, version, &format!("`{name}`"), known);
                Some(Box::new(Obstacle {
                    why,
                    remedy: self.unknown_version(program, Some((known.clone(), value_of(known, row)))),
                }))
            }
            Some((_, Some(true))) | None => None,
        };
        let value = value_of(known, row);
        Ok(Binding::Add { container: self.index, known: Box::new(known.clone()), value, no_cmd: program.no_cmd, doubt })
    }

    /// Tag of the image that is filled in later.
    fn later_tag(&self) -> Option<&str> {
        ImageRef::split(&self.container.image).tag.filter(|tag| holds_placeholder(tag))
    }

    /// Text about a version that cannot be compared with `since`: an unknown one, or one of another release channel.
    fn unclear(&self, program: &str, version: &ProgramVersion, setting: &str, known: &KnownSetting) -> String {
        let (age, since) = (known.age().unwrap_or_default(), known.known_since().unwrap_or_default());
        if version.is_known() {
            return format!("{setting} of {program} {age}, and {version} cannot be compared with {since}");
        }
        let and = if setting.starts_with("flag") { ", and" } else { ";" };
        let why = self.later_tag().map(|tag| format!(", because the tag `{tag}` of its image is filled in later"));
        format!("the version of {program} is unknown{}{and} {setting} {age}", why.unwrap_or_default())
    }
}

/// Value of a flag or variable, with `{port}` for the number.
fn value_of(known: &KnownSetting, row: &catalog::Listener) -> String {
    known.value.as_ref().unwrap_or(&row.value).clone()
}

/// Binding by a setting whose value is filled in after this run; `None` for a value without a placeholder.
pub(super) fn filled_in(name: &str, value: &str) -> Option<Binding> {
    is_filled_in(value).then(|| Binding::Later(format!("`{name}` is `{value}`, which is filled in later")))
}

/// True if it is unknown whether this version of the program has the flag or variable.
fn is_doubtful(known: &KnownSetting, version: &ProgramVersion) -> bool {
    let is_open = |bound: Option<&str>| bound.is_some_and(|bound| version.has(bound).is_none());
    known.config.is_none() && (is_open(known.known_since()) || is_open(known.until.as_deref()))
}

/// True if the version ignores the setting: a variable that it no longer has. A flag that it no longer has is an error.
fn is_setting_ignored(known: &KnownSetting, version: &ProgramVersion) -> bool {
    known.env.is_some() && known.until.as_deref().is_some_and(|until| version.has(until) == Some(true))
}

/// True if the version may have the listener.
fn exists_in(row: &catalog::Listener, version: &ProgramVersion) -> bool {
    let too_old = row.since.as_deref().is_some_and(|since| version.has(since) == Some(false));
    let too_new = row.until.as_deref().is_some_and(|until| version.has(until) == Some(true));
    !too_old && !too_new
}
