//! The listeners of one container, and how each is told its number (P1): what the config says, what is visible in command,
//! args and env, what the catalogue knows.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::config_file::Files;
use super::listener::{Binding, Hints, Listener, Told};
use super::placeholder::{has_placeholder, is_placeholder};
use super::pod::{Container, ContainerPort};
use super::port_name::label_of;
use super::program::program_of;
use super::protocol::TCP;
use super::role::Role;
use super::text::{Host, ends_as_listen_name, is_listen_name};
use super::version::ProgramVersion;
use super::visible::{Flag, TextPlace, Visible, flags, switch, visible};
use crate::catalog::{self, Program, Tell};

/// Reads the listeners of one container.
pub(super) struct Reader<'m> {
    index: usize,
    container: &'m Container,
    files: Files<'m>,
    hints: &'m Hints,
    program: Option<(Arc<Program>, ProgramVersion)>,
    flags: Vec<Flag>,
    visible: Vec<Visible>,
    /// Positions in `visible` that tell a listener its number, or that belong to one that is off.
    used: BTreeSet<usize>,
    /// Declared ports that have a listener.
    declared: BTreeSet<usize>,
}

impl<'m> Reader<'m> {
    pub(super) fn new(index: usize, container: &'m Container, files: Files<'m>, hints: &'m Hints) -> Self {
        Self {
            index,
            container,
            files,
            hints,
            program: program_of(container, files.meta, hints),
            flags: flags(container),
            visible: visible(container),
            used: BTreeSet::new(),
            declared: BTreeSet::new(),
        }
    }

    /// The listeners: declared ones first, then those that only the catalogue, the config or a flag knows.
    pub(super) fn read(mut self) -> Vec<Listener> {
        let mut found = Vec::new();
        if let Some((program, version)) = self.program.clone() {
            for row in &program.listeners {
                found.extend(self.catalogued(&program, &version, row));
            }
        }
        let container = self.container;
        for (position, port) in container.ports.iter().flatten().enumerate() {
            if let Some(number) = port.number()
                && !self.declared.contains(&position)
            {
                let binding = self.binding_of(number);
                let label = port.name.clone().unwrap_or_default();
                let mut listener = self.listener(number, Some(position), label, binding);
                listener.protocol.clone_from(&port.protocol);
                found.push(listener);
            }
        }
        self.hinted(&mut found);
        self.told(&mut found);
        for listener in found.iter_mut().filter(|listener| listener.role == Role::Other) {
            if let Binding::Visible(places) = &listener.binding {
                let role = places.iter().find_map(|place| self.scaffold_role(&place.name));
                listener.role = role.unwrap_or(Role::Other);
            }
        }
        found.sort_by_key(|listener| listener.declared.unwrap_or(usize::MAX));
        found
    }

    fn listener(&self, number: u16, declared: Option<usize>, label: String, binding: Binding) -> Listener {
        let port = declared.and_then(|position| self.container.ports.iter().flatten().nth(position));
        Listener {
            container: self.index,
            declared,
            name: port.and_then(|port| port.name.clone()),
            label: port.and_then(|port| port.name.clone()).unwrap_or(label),
            number,
            protocol: port.map_or(TCP, |port| port.protocol.clone()),
            role: Role::Other,
            binding,
        }
    }

    /// A listener of the catalogue: where it listens in this container, if it does.
    fn catalogued(&mut self, program: &Program, version: &ProgramVersion, row: &catalog::Listener) -> Option<Listener> {
        let told: Vec<usize> = self.places(|place| row.tell.iter().any(|tell| tell.name() == place.name));
        let flag_value =
            |name: &str| self.flags.iter().rev().find(|flag| flag.name == name).and_then(|f| f.value.clone());
        let on = row.enabled_by.as_ref().is_none_or(|by| switch(&self.flags, &by.arg).unwrap_or(by.default));
        let off = row.tell.iter().filter_map(|tell| {
            let env = tell
                .env
                .as_deref()
                .and_then(|name| self.container.env_var(name)?.1.value.as_deref().map(str::to_owned));
            tell.arg.as_deref().and_then(flag_value).or(env)
        });
        if !on || off.into_iter().any(|value| row.off.contains(&value)) {
            self.used.extend(told);
            return None;
        }
        let map = if told.is_empty() { self.files.told(program, &row.tell, self.container, &self.flags) } else { None };
        if let Some(Err(field)) = &map
            && field.value.as_ref().is_some_and(|value| row.off.contains(value))
        {
            return None;
        }
        let map = map.and_then(Result::ok);
        let number = told.first().and_then(|&position| self.visible.get(position)).map(|place| place.port);
        let number = number.or(map.as_ref().map(|place| place.port));
        if row.names.iter().any(|name| self.is_filled_in_later(name)) {
            // It is that port, whatever number tells it here.
            self.used.extend(told);
            return None;
        }
        let ports = || self.container.ports.iter().flatten().enumerate();
        let free = |position: usize| !self.declared.contains(&position);
        let named = ports().find(|(position, port)| {
            free(*position) && port.name.as_ref().is_some_and(|name| row.names.contains(name))
        });
        let numbered = |number: u16| {
            ports()
                .find(|(position, port)| free(*position) && port.number() == Some(number))
                .map(|(position, _)| position)
        };
        let declared = match number {
            Some(number) => numbered(number),
            None => named.map(|(position, _)| position).or_else(|| numbered(row.default?)),
        };
        if number.is_none() && declared.is_none() {
            let too_old = row.since.as_deref().is_some_and(|since| version.has(since) == Some(false));
            let unsure = row.if_declared || row.phantom || program.images.is_empty();
            if unsure || too_old {
                return None;
            }
        }
        let declared_number = declared.and_then(|position| ports().nth(position)?.1.number());
        let number = number.or(declared_number).or(row.default)?;
        let binding = match map {
            Some(place) => Binding::of_config_map(place),
            None if told.is_empty() => self.catalogue_binding(program, version, row),
            None => Binding::Visible(self.take(&told)),
        };
        self.declared.extend(declared);
        let mut listener = self.listener(number, declared, row.names.first().cloned().unwrap_or_default(), binding);
        listener.role = Role::of_catalog(&row.role);
        Some(listener)
    }

    /// Whether a declared port of this name has a placeholder for a number.
    fn is_filled_in_later(&self, name: &str) -> bool {
        let mut ports = self.container.ports.iter().flatten();
        let later =
            |port: &ContainerPort| port.container_port.as_ref().is_some_and(|scalar| is_placeholder(&scalar.text));
        ports.any(|port| port.name.as_deref() == Some(name) && later(port))
    }

    fn catalogue_binding(&self, program: &Program, version: &ProgramVersion, row: &catalog::Listener) -> Binding {
        // Crossplane declares the ports of a package whether its program listens or not.
        let not_yet =
            || program.package.is_some() && row.since.as_deref().is_some_and(|s| version.has(s) == Some(false));
        if row.phantom || not_yet() {
            return Binding::Phantom;
        }
        if row.tell.is_empty() {
            return Binding::Fixed(format!("{} has no flag or variable for it in any version", program.name));
        }
        if let Some(why) = row.tell.iter().find_map(|tell| self.told_otherwise(tell)) {
            return Binding::Fixed(why);
        }
        if program.images.is_empty() {
            return Binding::Fixed(format!(
                "`{}` is a scaffold, and so it is unknown whether this program has `{}`",
                program.name,
                row.tell.iter().map(Tell::name).collect::<Vec<_>>().join("` or `")
            ));
        }
        let mut reasons: Vec<String> = Vec::new();
        for (index, tell) in row.tell.iter().enumerate() {
            // Ways that came together are missing together: one of them is enough to say so.
            let same = |other: &Tell| other.since == tell.since && other.config.is_some() == tell.config.is_some();
            match self.addition(program, version, row, tell) {
                Ok(addition) => return addition,
                Err(_) if row.tell.iter().take(index).any(same) => {}
                Err(why) => reasons.push(why),
            }
        }
        Binding::Fixed(reasons.join("; "))
    }

    /// The name is there with a value that is no number: a placeholder, a valueFrom, somebody else's address.
    fn told_otherwise(&self, tell: &Tell) -> Option<String> {
        let env = tell.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = tell.arg.as_deref().and_then(|name| self.flags.iter().find(|flag| flag.name == name));
        let given = match (env, flag) {
            (Some((_, var)), _) => var.value.as_deref().map(str::to_owned),
            (None, Some(flag)) => flag.value.clone(),
            (None, None) => return None,
        };
        let given = given.map_or_else(|| "a value from elsewhere".to_owned(), |value| format!("`{value}`"));
        Some(format!("`{}` is {given}, not a port number", tell.name()))
    }

    /// A way to tell that the manifest does not have yet; why it cannot be added, otherwise.
    fn addition(
        &self,
        program: &Program,
        version: &ProgramVersion,
        row: &catalog::Listener,
        tell: &Tell,
    ) -> Result<Binding, String> {
        let (name, program_name) = (tell.name(), &program.name);
        if let Some(field) = &tell.config {
            let found = self.files.field(program, field, self.container, &self.flags);
            return found.map(Binding::of_config_map).map_err(|field| field.why);
        }
        let doubt = match tell.since.as_deref().map(|since| (since, version.has(since))) {
            Some((since, Some(false))) => {
                return Err(format!(
                    "{program_name} {version} has no flag or variable for it: `{name}` comes with {since}"
                ));
            }
            Some((since, None)) if tell.arg.is_some() => {
                return Err(format!(
                    "the version of {program_name} is unknown, and flag `{name}` comes with {since}: say `program: \
                     {program_name}@VERSION`"
                ));
            }
            Some((since, None)) => {
                Some(format!("the version of {program_name} is unknown; `{name}` comes with {since}"))
            }
            Some((_, Some(true))) | None => None,
        };
        let value = tell.value.as_ref().unwrap_or(&row.value).clone();
        Ok(Binding::Add { tell: Box::new(tell.clone()), value, no_cmd: program.no_cmd, doubt })
    }

    /// Positions of visible values that are not used yet.
    fn places(&self, wanted: impl Fn(&Visible) -> bool) -> Vec<usize> {
        let free = self.visible.iter().enumerate().filter(|(position, _)| !self.used.contains(position));
        free.filter(|(_, place)| wanted(place)).map(|(position, _)| position).collect()
    }

    fn take(&mut self, positions: &[usize]) -> Vec<Visible> {
        self.used.extend(positions);
        let mut taken: Vec<Visible> = Vec::new();
        for place in positions.iter().filter_map(|&position| self.visible.get(position)) {
            // `--listen=:$(PORT)` and the variable PORT are one place.
            if !taken.iter().any(|known| known.place == place.place) {
                taken.push(place.clone());
            }
        }
        taken.shrink_to_fit();
        taken
    }

    /// How a declared port that the catalogue does not know is told its number.
    fn binding_of(&mut self, number: u16) -> Binding {
        let listen = self.places(|place| place.port == number && self.is_listen(&place.name));
        if !listen.is_empty() {
            return Binding::Visible(self.take(&listen));
        }
        let mut variables = self.files.variables(self.container).into_iter();
        if let Some(place) = variables.find(|place| place.port == number && self.is_listen(&place.name)) {
            return Binding::of_config_map(place);
        }
        let elsewhere = self.places(|place| place.port == number);
        // Another listener of the same number (TCP beside UDP) may be told by the same place.
        let shared: Vec<usize> = self
            .visible
            .iter()
            .enumerate()
            .filter(|(_, place)| place.port == number && self.is_listen(&place.name))
            .map(|(position, _)| position)
            .collect();
        if !shared.is_empty() {
            return Binding::Visible(self.take(&shared));
        }
        let places = elsewhere.iter().filter_map(|&position| self.visible.get(position));
        Binding::Unknown(places.map(|place| format!("`{}` ({})", place.name, place.place.path)).collect())
    }

    fn is_listen(&self, name: &str) -> bool {
        let not =
            self.program.as_ref().is_some_and(|(program, _)| program.not_listen.iter().any(|known| known == name));
        let short = name.len() == 2 && name.starts_with('-');
        !not && (is_listen_name(name) || (short && name == "-p") || self.scaffold_role(name).is_some())
    }

    /// The role of a listener that is told by a scaffold's flag or variable: such a name means the same in every program
    /// that was made of it.
    fn scaffold_role(&self, name: &str) -> Option<Role> {
        let scaffolds = self.hints.programs.iter().filter(|own| own.images.is_empty());
        let mut rows = scaffolds.flat_map(|own| &own.listeners);
        let own = rows.find(|row| row.tell.iter().any(|tell| tell.name() == name)).map(|row| row.role.as_str());
        let replaced = |name: &str| self.hints.programs.iter().any(|own| own.name == name);
        let known = || catalog::scaffolds_with(name).find(|(scaffold, _)| !replaced(scaffold)).map(|(_, role)| role);
        own.or_else(known).map(Role::of_catalog)
    }

    /// What `bind` of the config says.
    fn hinted(&self, found: &mut Vec<Listener>) {
        for told in self.hints.told.iter().filter(|told| told.container == self.container.name) {
            let same = |listener: &Listener| {
                listener.name.as_ref() == Some(&told.port) || (told.number == Some(listener.number))
            };
            let position = found.iter().position(same);
            let number = position.and_then(|p| found.get(p)).map(|l| l.number).or(told.number);
            let Some(number) = number.filter(|_| !self.is_filled_in_later(&told.port)) else { continue };
            let binding = self.told_binding(told, number);
            let listener = match position.and_then(|position| found.get_mut(position)) {
                Some(listener) => listener,
                None => {
                    found.push(self.listener(number, None, told.port.clone(), Binding::Phantom));
                    let Some(listener) = found.last_mut() else { continue };
                    listener
                }
            };
            if !matches!(listener.binding, Binding::Visible(_)) {
                listener.binding = binding;
            }
            if let Some(role) = Role::of_name(&told.port) {
                listener.role = role;
            }
        }
    }

    /// A flag or variable that is there is changed, one that is not there is added.
    fn told_binding(&self, told: &Told, number: u16) -> Binding {
        let name = told.tell.name();
        let places: Vec<Visible> =
            self.visible.iter().filter(|v| v.name == name && v.port == number).cloned().collect();
        if !places.is_empty() {
            return Binding::Visible(places);
        }
        let env = told.tell.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = self.flags.iter().rev().find(|flag| told.tell.arg.as_deref() == Some(flag.name.as_str()));
        let there = match (env, flag) {
            (Some((index, var)), _) => var.value.as_deref().map(|value| {
                let path = self.container.env_path(index);
                (value, TextPlace { path, text: value.to_owned(), range: 0..value.len() })
            }),
            (None, Some(flag)) => flag.value.as_deref().map(|value| (value, flag.place.clone())),
            (None, None) => {
                let value = told.value.clone();
                return Binding::Add { tell: Box::new(told.tell.clone()), value, no_cmd: false, doubt: None };
            }
        };
        let expected = told.value.replace("{port}", &number.to_string());
        match there.filter(|(value, _)| *value == expected) {
            Some((_, place)) => {
                let start = place.range.start + told.value.find("{port}").unwrap_or_default();
                let range = start..start + number.to_string().len();
                Binding::Visible(vec![Visible {
                    name: name.to_owned(),
                    host: Host::Any,
                    port: number,
                    address: true,
                    env: env.is_some(),
                    place: TextPlace { range, ..place },
                }])
            }
            None => {
                Binding::Fixed(format!("`{name}` is there with another value than `{expected}`, which `bind` tells"))
            }
        }
    }

    /// Visible listen values that nothing declares.
    fn told(&mut self, found: &mut Vec<Listener>) {
        let free = self.places(|place| {
            // A bare number is a port only where the name ends as a port's does: `--server-timeout=30` is none.
            let known = || ends_as_listen_name(&place.name) || self.scaffold_role(&place.name).is_some();
            self.is_listen(&place.name) && (place.address || known())
        });
        for position in free {
            if self.used.contains(&position) {
                continue;
            }
            let Some(first) = self.visible.get(position).cloned() else { continue };
            if let Some(known) = found.iter_mut().find(|l| l.number == first.port && l.protocol == "TCP") {
                // A second place that tells a known listener its number.
                if let Binding::Visible(places) = &mut known.binding {
                    self.used.insert(position);
                    if !places.iter().any(|place| place.place == first.place) {
                        places.push(first);
                    }
                    continue;
                }
                self.used.insert(position);
                known.binding = Binding::Visible(vec![first]);
                continue;
            }
            let same = self.places(|place| place.port == first.port && self.is_listen(&place.name));
            let binding = Binding::Visible(self.take(&same));
            if has_placeholder(self.container) {
                // It may be the port whose number is not known yet.
                continue;
            }
            let label = label_of(&first.name);
            found.push(self.listener(first.port, None, label, binding));
        }
    }
}
