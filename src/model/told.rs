//! The listeners of one container, and how each is told its number: what the config says, what is visible in command,
//! args and env, what the catalogue knows.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::config_file::Files;
use super::config_map::ConfigPlace;
use super::evidence::{
    Form, Guess, Name, Objection, Others, PortSetting, Setting, Settings, Surroundings, TextPlace, Witness, Witnesses,
    listen_value, settings, switch,
};
use super::listener::{Binding, Hints, Listener, Told};
use super::map_variables::MapVariables;
use super::placeholder::{has_placeholder, is_placeholder};
use super::pod::{Container, ContainerPort};
use super::port_name::label_of;
use super::program::program_of;
use super::protocol::{TCP, protocol};
use super::role::Role;
use super::version::ProgramVersion;
use crate::catalog::{self, Program, Tell};
use crate::yaml::Path;

/// Reads the listeners of one container.
pub(super) struct Reader<'m> {
    index: usize,
    container: &'m Container,
    files: Files<'m>,
    hints: &'m Hints,
    surroundings: &'m Surroundings<'m>,
    /// What is seen of numbers from outside of the process: probes, Services, annotations, monitors.
    seen: &'m BTreeMap<u16, Witnesses>,
    program: Option<(Arc<Program>, ProgramVersion)>,
    settings: Settings,
    /// The numbers in the settings, each with the position of its setting.
    visible: Vec<(usize, PortSetting)>,
    /// Positions in `visible` of each number.
    by_number: HashMap<u16, Vec<usize>>,
    /// The variables that take a number from a `ConfigMap`, and their positions by number.
    from_maps: Vec<ConfigPlace>,
    maps_by_number: HashMap<u16, Vec<usize>>,
    /// Positions in `visible` that tell a listener its number, or that belong to one that is off.
    used: BTreeSet<usize>,
    /// Declared ports that have a listener.
    declared: BTreeSet<usize>,
}

/// What a container's own texts and the catalogue say of its listeners.
pub(super) struct Reading {
    pub(super) listeners: Vec<Listener>,
    pub(super) guesses: Vec<Guess>,
}

impl<'m> Reader<'m> {
    pub(super) fn new(
        index: usize,
        container: &'m Container,
        files: Files<'m>,
        hints: &'m Hints,
        surroundings: &'m Surroundings<'m>,
        seen: &'m BTreeMap<u16, Witnesses>,
    ) -> Self {
        let from_maps = MapVariables::of(files.model, files.meta.namespace.as_deref(), container);
        let settings = Settings::of(settings(container), from_maps.hosts());
        let numbers =
            |(index, setting): (usize, &Setting)| setting.ports().map(|port| (index, port)).collect::<Vec<_>>();
        let visible: Vec<_> = settings.iter().enumerate().flat_map(numbers).collect();
        let from_maps: Vec<ConfigPlace> = from_maps.listening().collect();
        Self {
            index,
            container,
            files,
            hints,
            surroundings,
            seen,
            program: program_of(container, files.meta, hints),
            settings,
            by_number: by_number(visible.iter().map(|(_, place)| place.port)),
            visible,
            maps_by_number: by_number(from_maps.iter().map(|place| place.port)),
            from_maps,
            used: BTreeSet::new(),
            declared: BTreeSet::new(),
        }
    }

    /// The listeners: declared ones first, then those that only the catalogue, the config or a flag knows.
    pub(super) fn read(mut self) -> Reading {
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
        let guesses = self.told(&mut found);
        for listener in found.iter_mut().filter(|listener| listener.role == Role::Other) {
            if let Binding::Visible(places) = &listener.binding {
                let role = places.iter().find_map(|place| self.scaffold_role(&place.name));
                listener.role = role.unwrap_or(Role::Other);
            }
        }
        for listener in &mut found {
            self.witnesses(listener);
        }
        found.sort_by_key(|listener| listener.declared.unwrap_or(usize::MAX));
        Reading { listeners: found, guesses }
    }

    /// Adds what else shows a listener.
    fn witnesses(&self, listener: &mut Listener) {
        if listener.declared.is_some() {
            listener.witnesses.add(Witness::Declared);
        }
        if listener.protocol == TCP || listener.declared.is_none() {
            listener.witnesses.add_all(self.seen.get(&listener.number).copied().unwrap_or_default());
        }
        match &listener.binding {
            Binding::Visible(places) => {
                for place in places {
                    listener.witnesses.add(self.weight_of_text(place));
                }
            }
            Binding::ConfigMap(_) => listener.witnesses.add(Witness::Named),
            _ => {}
        }
    }

    /// What a text is a witness of by itself.
    fn weight_of_text(&self, place: &PortSetting) -> Witness {
        match place.form {
            _ if self.scaffold_role(&place.name).is_some() => Witness::Scaffold,
            Form::AnyAddress if Name::of(&place.name).is_listen() => Witness::AnyAddress,
            _ => Witness::Named,
        }
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
            is_role_by_word: false,
            binding,
            also: Vec::new(),
            witnesses: Witnesses::default(),
        }
    }

    /// A listener of the catalogue: where it listens in this container, if it does.
    fn catalogued(&mut self, program: &Program, version: &ProgramVersion, row: &catalog::Listener) -> Option<Listener> {
        let told: Vec<usize> = self.places(|place| row.tell.iter().any(|tell| tell.name() == place.name));
        let flag_value = |name: &str| self.flag(name).and_then(|flag| flag.value.clone());
        let on = row.enabled_by.as_ref().is_none_or(|by| switch(&self.settings, &by.arg).unwrap_or(by.default));
        let off = row.tell.iter().filter_map(|tell| {
            let env = tell
                .env
                .as_deref()
                .and_then(|name| self.container.env_var(name)?.1.value.as_deref().map(str::to_owned));
            tell.arg.as_deref().and_then(flag_value).or(env)
        });
        let disabled = row.disabled_by.iter().any(|flag| switch(&self.settings, flag) == Some(true));
        if !on || disabled || off.into_iter().any(|value| row.off.contains(&value)) {
            self.used.extend(told);
            return None;
        }
        let map = if told.is_empty() {
            self.files.told(program, &row.tell, self.container, &self.from_maps, &self.settings)
        } else {
            None
        };
        if let Some(Err(field)) = &map
            && field.value.as_ref().is_some_and(|value| row.off.contains(value))
        {
            return None;
        }
        let map = map.and_then(Result::ok);
        let number = told.first().and_then(|&position| self.visible.get(position)).map(|(_, place)| place.port);
        let number = number.or(map.as_ref().map(|place| place.port));
        if row.names.iter().any(|name| self.is_filled_in_later(name)) {
            // It is that port, whatever number tells it here.
            self.used.extend(told);
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
            let too_old = row.since.as_deref().is_some_and(|since| version.has(since) == Some(false));
            let taken = |number: u16| ports().any(|(_, port)| port.number() == Some(number));
            let is_seen = row.default.is_some_and(|number| self.seen.contains_key(&number) && !taken(number));
            let unsure = (row.if_declared && !is_seen) || row.phantom || program.images.is_empty();
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
        listener.protocol = protocol(Some(&row.protocol));
        listener.witnesses.add(match &listener.binding {
            Binding::ConfigMap(place) if row.tell.iter().any(|tell| tell.config.as_ref() == Some(&place.name)) => {
                Witness::ConfigFile
            }
            _ => Witness::Catalogue,
        });
        Some(listener)
    }

    /// The flag of this name; of several the last, which wins.
    fn flag(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().rev().find(|setting| !setting.variable && setting.name == name)
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

    /// The name is there with a value that is not a number: a placeholder, a valueFrom, somebody else's address.
    fn told_otherwise(&self, tell: &Tell) -> Option<String> {
        let env = tell.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = tell.arg.as_deref().and_then(|name| self.flag(name));
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
            let found = self.files.field(program, field, self.container, &self.settings);
            return found.map(Binding::of_config_map).map_err(|field| field.why);
        }
        let doubt = match tell.since.as_deref().map(|since| (since, version.has(since))) {
            Some((since, Some(false))) => {
                return Err(format!("`{name}` of {program_name} is not known before {since}, and this is {version}"));
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
    fn places(&self, wanted: impl Fn(&PortSetting) -> bool) -> Vec<usize> {
        let free = self.visible.iter().enumerate().filter(|(position, _)| !self.used.contains(position));
        free.filter(|(_, (_, place))| wanted(place)).map(|(position, _)| position).collect()
    }

    fn take(&mut self, positions: &[usize]) -> Vec<PortSetting> {
        self.used.extend(positions);
        let mut taken: Vec<PortSetting> = Vec::new();
        let mut known: HashSet<(&Path, usize)> = HashSet::new();
        for (_, place) in positions.iter().filter_map(|&position| self.visible.get(position)) {
            // `--listen=:$(PORT)` and the variable PORT are one place.
            if known.insert((&place.place.path, place.place.range.start)) {
                taken.push(place.clone());
            }
        }
        taken.shrink_to_fit();
        taken
    }

    /// The same of those with a number.
    fn places_of(&self, number: u16) -> Vec<usize> {
        let all = self.by_number.get(&number).into_iter().flatten();
        all.copied().filter(|position| !self.used.contains(position)).collect()
    }

    /// How a declared port that the catalogue does not know is told its number.
    fn binding_of(&mut self, number: u16) -> Binding {
        let tells = |position: &usize| self.is_told_by(*position, Witness::Declared);
        let listen: Vec<usize> = self.places_of(number).into_iter().filter(tells).collect();
        if !listen.is_empty() {
            return Binding::Visible(self.take(&listen));
        }
        if let Some(place) = self.variable_of_config_map(number) {
            return Binding::of_config_map(place);
        }
        // Another listener of the same number (TCP beside UDP) may be told by the same place.
        let same = self.by_number.get(&number).into_iter().flatten();
        let shared: Vec<usize> = same.copied().filter(tells).collect();
        if !shared.is_empty() {
            return Binding::Visible(self.take(&shared));
        }
        let elsewhere = self.places_of(number);
        let places = elsewhere.iter().filter_map(|&position| self.visible.get(position));
        let places = places.map(|(_, place)| format!("`{}` ({})", place.name, place.place.path));
        Binding::Unknown(places.collect())
    }

    /// A variable whose number is a key of a ConfigMap, and that tells a listener of this number where to listen.
    fn variable_of_config_map(&self, number: u16) -> Option<ConfigPlace> {
        let variables = self.maps_by_number.get(&number).into_iter().flatten();
        let tells = |place: &&ConfigPlace| {
            let port = Self::of_config_map(place);
            self.is_listen(&place.name) && self.objection_to_variable(&port, Some(Witness::Declared)).is_none()
        };
        variables.filter_map(|&position| self.from_maps.get(position)).find(tells).cloned()
    }

    /// What speaks against a variable that comes from a ConfigMap.
    fn objection_to_variable(&self, port: &PortSetting, shown: Option<Witness>) -> Option<Objection> {
        let other = Setting::named(&port.name);
        self.objection(self.settings.variable(&port.name).unwrap_or(&other), port, shown)
    }

    /// Whether a text tells a listener its number that another witness shows, in this container.
    fn is_told_by(&self, position: usize, shown: Witness) -> bool {
        let Some((setting, place)) = self.visible.get(position) else { return false };
        let Some(setting) = self.settings.get(*setting) else { return false };
        (self.is_listen(&place.name) || is_by_form(place)) && self.objection(setting, place, Some(shown)).is_none()
    }

    /// The same; of what only speaks against a name nothing counts where the catalogue knows that name.
    fn objection(&self, setting: &Setting, place: &PortSetting, shown: Option<Witness>) -> Option<Objection> {
        let known = self.scaffold_role(&place.name).is_some();
        let own = self.against(setting, place, shown).filter(|objection| !known || objection.explains());
        // The number of `-p $DB_PORT` is that of DB_PORT, which may be somebody else's.
        own.or_else(|| {
            let (source, told) = self.settings.source(setting, &place.place)?;
            self.against(source, &told, shown).filter(Objection::explains)
        })
    }

    /// What speaks against a text, when another witness shows its number, or none does.
    fn against(&self, setting: &Setting, place: &PortSetting, shown: Option<Witness>) -> Option<Objection> {
        if let Some(objection) = self.is_not_listen(&place.name) {
            return Some(objection);
        }
        let mut others = self.seen.get(&place.port).copied().unwrap_or_default();
        if let Some(witness) = shown {
            others.add(witness);
        }
        let firm = [Witness::Declared, Witness::Catalogue, Witness::Bind, Witness::Probe, Witness::Service];
        let others = Others { count: others.len(), firm: firm.into_iter().any(|witness| others.has(witness)) };
        self.surroundings.against(self.container, &self.settings, setting, place, others)
    }

    fn is_not_listen(&self, name: &str) -> Option<Objection> {
        let lists = self.program.as_ref().is_some_and(|(program, _)| program.not_listen.iter().any(|own| own == name));
        lists.then_some(Objection::NotListen)
    }

    /// Whether a flag or variable of this name may tell where to listen.
    fn is_listen(&self, name: &str) -> bool {
        self.is_not_listen(name).is_none()
            && (Name::of(name).is_listen() || name == "-p" || self.scaffold_role(name).is_some())
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
            // On a second run the number is another one, and what `bind` names tells it.
            let tells = |listener: &Listener| matches!(self.told_binding(told, listener.number), Binding::Visible(_));
            let position = found.iter().position(same).or_else(|| found.iter().position(tells));
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
            match (&mut listener.binding, binding) {
                // What the manifest shows is told as well.
                (Binding::Visible(places), Binding::Visible(more)) => {
                    for place in more {
                        if !places.iter().any(|known| known.place == place.place) {
                            places.push(place);
                        }
                    }
                }
                (Binding::Visible(_), _) => {}
                (listener, binding) => *listener = binding,
            }
            listener.witnesses.add(Witness::Bind);
            if let Some(role) = Role::of_name(&told.port) {
                listener.role = role;
            }
        }
    }

    /// A flag or variable that is there is changed, one that is not there is added.
    fn told_binding(&self, told: &Told, number: u16) -> Binding {
        let name = told.tell.name();
        // With a scheme the whole value has to be what `bind` says.
        let url = told.value.contains("://").then(|| told.value.replace("{port}", &number.to_string()));
        let is_value = |index: &usize| {
            let value = self.settings.get(*index).and_then(|setting| setting.value.as_ref());
            url.as_ref().is_none_or(|url| value == Some(url))
        };
        let same = |place: &&PortSetting| place.name == name && place.port == number;
        let places: Vec<PortSetting> = self
            .visible
            .iter()
            .filter(|(index, _)| is_value(index))
            .map(|(_, place)| place)
            .filter(same)
            .cloned()
            .collect();
        if !places.is_empty() {
            return Binding::Visible(places);
        }
        let env = told.tell.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = told.tell.arg.as_deref().and_then(|name| self.flag(name));
        let there = match (env, flag) {
            (Some((index, var)), _) => var.value.as_deref().map(|value| {
                let path = self.container.env_path(index);
                (value, TextPlace { path, text: value.into(), range: 0..value.len() })
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
                Binding::Visible(vec![PortSetting {
                    name: name.to_owned(),
                    form: Form::AnyAddress,
                    port: number,
                    variable: env.is_some(),
                    place: TextPlace { range, ..place },
                }])
            }
            None => {
                Binding::Fixed(format!("`{name}` is there with another value than `{expected}`, which `bind` tells"))
            }
        }
    }

    /// Listen values that nothing declares: those that show a listener by themselves or with a witness from outside, and
    /// those that are only guesses.
    fn told(&mut self, found: &mut Vec<Listener>) -> Vec<Guess> {
        let mut guesses: Vec<Guess> = Vec::new();
        let mut said: HashSet<(Path, usize)> = HashSet::new();
        // The listeners by number, and where each is told its own.
        let mut known: HashMap<u16, usize> = HashMap::new();
        for (position, listener) in found.iter().enumerate().filter(|(_, listener)| listener.protocol == TCP) {
            known.entry(listener.number).or_insert(position);
        }
        let mut telling: HashMap<u16, HashSet<(Path, usize)>> = HashMap::new();
        let later = has_placeholder(self.container);
        let may_tell = |place: &PortSetting| self.is_listen(&place.name) || is_guess(place);
        for position in self.places(may_tell) {
            if self.used.contains(&position) {
                continue;
            }
            let Some((setting, first)) = self.visible.get(position).cloned() else { continue };
            let at = |place: &PortSetting| (place.place.path.clone(), place.place.range.start);
            if let Some(known) = known.get(&first.port).and_then(|known| found.get_mut(*known)) {
                // A second place that tells a known listener its number.
                if !self.is_told_by(position, Witness::Catalogue) {
                    continue;
                }
                self.used.insert(position);
                match &mut known.binding {
                    Binding::Visible(places) => {
                        let telling = telling.entry(first.port).or_insert_with(|| places.iter().map(at).collect());
                        if telling.insert(at(&first)) {
                            places.push(first);
                        }
                    }
                    Binding::Add { .. } => known.also.push(first),
                    // What `bind` says of it is wrong, and is said.
                    Binding::Fixed(_) if known.witnesses.has(Witness::Bind) => {}
                    binding => *binding = Binding::Visible(vec![first]),
                }
                continue;
            }
            let is_seen = self.seen.contains_key(&first.port);
            let objection = self.settings.get(setting).and_then(|setting| self.objection(setting, &first, None));
            // A relative says less than a sibling: what nothing else shows is still said to be a guess.
            let is_weak = self.weight_of_text(&first) == Witness::Named && !is_seen;
            let is_relative = |objection: &Objection| matches!(objection, Objection::Relative(..));
            if objection.is_some_and(|objection| !(is_weak && is_relative(&objection))) {
                continue;
            }
            if later {
                // It may be the port whose number is not known yet.
                continue;
            }
            let label = label_of(&first.name);
            if is_weak {
                if is_guess(&first) && said.insert(at(&first)) {
                    guesses.push(Guess { container: self.index, setting: first, label });
                }
                continue;
            }
            let shown = if is_seen { Witness::Probe } else { Witness::Scaffold };
            let same = self.places_of(first.port).into_iter();
            let same: Vec<usize> = same.filter(|same| *same == position || self.is_told_by(*same, shown)).collect();
            let binding = Binding::Visible(self.take(&same));
            known.entry(first.port).or_insert(found.len());
            found.push(self.listener(first.port, None, label, binding));
        }
        guesses.extend(self.told_by_config_maps(&mut known, found));
        let numbers: HashSet<u16> = found.iter().map(|listener| listener.number).collect();
        guesses.retain(|guess| !numbers.contains(&guess.setting.port));
        guesses
    }

    /// The same of variables whose values are keys of ConfigMaps.
    fn told_by_config_maps(&self, known: &mut HashMap<u16, usize>, found: &mut Vec<Listener>) -> Vec<Guess> {
        let mut guesses = Vec::new();
        if has_placeholder(self.container) {
            return guesses;
        }
        for place in &self.from_maps {
            // What is seen from outside is found with what tells it later.
            if known.contains_key(&place.port) || self.seen.contains_key(&place.port) {
                continue;
            }
            let setting = Self::of_config_map(place);
            if !is_guess(&setting) || self.objection_to_variable(&setting, None).is_some() {
                continue;
            }
            let label = label_of(&place.name);
            if self.weight_of_text(&setting) == Witness::Named {
                guesses.push(Guess { container: self.index, setting, label });
            } else {
                let witness = self.weight_of_text(&setting);
                let mut listener = self.listener(place.port, None, label, Binding::of_config_map(place.clone()));
                listener.witnesses.add(witness);
                known.insert(place.port, found.len());
                found.push(listener);
            }
        }
        guesses
    }

    /// The number of a variable that comes from a `ConfigMap`, as a setting.
    fn of_config_map(place: &ConfigPlace) -> PortSetting {
        PortSetting {
            name: place.name.clone(),
            form: listen_value(place.place.text.trim()).map_or(Form::Bare, |(form, _)| form),
            port: place.port,
            variable: true,
            place: place.place.clone(),
        }
    }
}

/// The positions of each number of a list.
fn by_number(numbers: impl Iterator<Item = u16>) -> HashMap<u16, Vec<usize>> {
    let mut found: HashMap<u16, Vec<usize>> = HashMap::new();
    numbers.enumerate().for_each(|(position, number)| found.entry(number).or_default().push(position));
    found
}

/// Whether a text is said as a guess where nothing else shows its number: by its name, or by an address of all interfaces under
/// any name. `-p` is too short to guess from.
fn is_guess(place: &PortSetting) -> bool {
    let name = Name::of(&place.name);
    name.is_listen()
        || (place.form == Form::AnyAddress && !place.is_url())
        || (name.says_listen() && place.form == Form::Loopback)
}

/// Whether a text has an address that only a process that listens has, whatever its flag is called; a name that marks
/// somebody else's address is one of a client all the same.
fn is_by_form(place: &PortSetting) -> bool {
    place.form == Form::AnyAddress && !Name::of(&place.name).names_another()
}
