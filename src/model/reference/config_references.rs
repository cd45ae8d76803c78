//! References to a listener's number in ConfigMaps: keys that are values of variables, and mounted files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::peers;
use super::search::Search;
use super::transports::Means;
use super::types::Reference;
use crate::model::facts::{ConfigPlace, data_path};
use crate::model::id::ObjectId;
use crate::model::listener::{Binding, Objection, Variable};
use crate::model::text::{
    Form, Name, Number, host_before, is_own_port, is_whole, literal_host_kind, port, shown_lines, transport,
};
use lossless_yaml::Path;

/// Finds the references to one listener.
struct Finder<'f, 'm> {
    search: &'f Search<'f, 'm>,
    own: Vec<&'f ConfigPlace>,
    /// The places that are already found.
    known: Vec<ConfigPlace>,
    starts: HashSet<(ObjectId, Path, usize)>,
    paths: HashSet<(ObjectId, Path)>,
}

/// Finds keys with the number that are values of the pods' variables, and mounted files with the number.
pub(in crate::model) fn references(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let own = search.listener.bindings().filter_map(|binding| match binding {
        Binding::ConfigMap(own) => Some(own.as_ref()),
        _ => None,
    });
    let own: Vec<&ConfigPlace> = own.collect();
    let mut finder = Finder {
        search,
        known: Vec::new(),
        starts: HashSet::new(),
        paths: own.iter().map(|config_place| (config_place.object, config_place.place.path.clone())).collect(),
        own,
    };
    finder.addresses(found);
    finder.ports(found);
    finder.unclear_numbers(found);
    finder.files(found);
}

impl Finder<'_, '_> {
    /// Resolves the listener of a place, by the surrounding text and by the variable with the value.
    fn means(&self, place: &ConfigPlace) -> Means {
        let of_text = || transport::of_text(&place.place.text, &place.place.range);
        self.search.transports.means(|| of_text().or_else(|| transport::of_name(&place.name)))
    }

    /// Adds a reference to a place that is not found yet: a text that moves, or a report.
    fn add(&mut self, place: ConfigPlace, means: Means, blocking: Option<Reference>, found: &mut Vec<Reference>) {
        let same = |other: &ConfigPlace| other.object == place.object && other.place == place.place;
        let start = (place.object, place.place.path.clone(), place.place.range.start);
        if self.own.iter().copied().any(same) || !self.starts.insert(start) {
            return;
        }
        let text =
            || Reference::text(place.object, place.place.clone(), place.readers(self.search.model).into(), means);
        found.extend(blocking.or_else(text));
        self.paths.insert((place.object, place.place.path.clone()));
        self.known.push(place);
    }

    /// The addresses of the pod itself with the number in variables.
    fn addresses(&mut self, found: &mut Vec<Reference>) {
        for (_, variables) in self.search.texts.map_variables() {
            for variable in variables.holding(self.search.listener.number) {
                // `ports` handles listen addresses.
                if variable.listen_value().is_some_and(|(form, _)| *form != Form::Loopback)
                    && Name::new(&variable.name).is_listen()
                    && !variable.text.contains("://")
                {
                    continue;
                }
                let own =
                    variable.numbers(self.search.listener.number).filter(|number| is_own_port(variable.text, number));
                for place in own.map(|number| variable.place(number)) {
                    let means = self.means(&place);
                    if means != Means::Another {
                        self.add(place, means, None, found);
                    }
                }
            }
        }
    }

    /// Finds variables that set a listen address.
    fn ports(&mut self, found: &mut Vec<Reference>) {
        for (index, variables) in self.search.texts.map_variables() {
            let own = index == self.search.listener.container;
            let listens = self.search.texts.listens(index, self.search.listener.number);
            if listens && !own {
                continue;
            }
            for variable in variables.holding(self.search.listener.number) {
                let Some((_, number)) = variable.listen_value() else { continue };
                let is_url = !own && variable.text.contains("://");
                if number.port != self.search.listener.number || is_url || !Name::new(&variable.name).is_listen() {
                    continue;
                }
                let place = variable.place(number);
                if (own && self.objection(&variable).is_some()) || (!own && self.means(&place) == Means::Another) {
                    continue;
                }
                let container =
                    self.search.pods.template.containers.get(index).map(|c| c.name.as_str()).unwrap_or_default();
                let why = || format!("variable `{}` of container `{container}` may mean it", place.name);
                let (object, path) = (place.object, place.place.path.clone());
                let blocking = (!own).then(|| Reference::Blocking { object, path, why: why() });
                self.add(place, Means::Own, blocking, found);
            }
        }
    }

    /// Reason not to treat a variable of the listener's container as a port setting.
    fn objection(&self, variable: &Variable<'_>) -> Option<Objection> {
        let form = variable.listen_value().map_or(Form::Bare, |(form, _)| *form);
        let own = self.search.texts.container(self.search.listener.container)?;
        let place = variable.whole_place();
        own.texts.against_variable(self.search.texts.surroundings(), &variable.name, form, self.search.listener, &place)
    }

    /// Number with an unclear meaning in variables of the listener's container: `JAVA_OPTS: -Dserver.port=8080`. An
    /// unchanged number would leave the move incomplete.
    fn unclear_numbers(&self, found: &mut Vec<Reference>) {
        let own = self.search.listener.container;
        let Some(container) = self.search.pods.template.containers.get(own) else { return };
        let variables = self.search.texts.map_variables_of(own);
        for variable in variables.into_iter().flat_map(|variables| variables.holding(self.search.listener.number)) {
            let path = variable.path();
            if self.paths.contains(&(variable.object, path.clone())) {
                continue;
            }
            // True if a host and a colon precede the number.
            let is_of_other_listener = |number: &Number| {
                let host = host_before(variable.text, number.range.start);
                host.is_some_and(|host| host.colon && literal_host_kind(host.text).is_none())
            };
            let mut numbers = variable.numbers(self.search.listener.number);
            if !numbers.any(|number| is_whole(variable.text, number) && !is_of_other_listener(number)) {
                continue;
            }
            let is_bare = port(variable.text.trim()).is_some();
            let explained = (is_bare && !Name::new(&variable.name).may_be_port())
                || self.objection(&variable).is_some_and(|objection| objection.explains());
            if explained {
                continue;
            }
            let holds = format!(
                "variable `{}` of container `{}` holds {}",
                variable.name, container.name, self.search.listener.number
            );
            let object = variable.object;
            // A text of several lines is a file; its readers are unknown.
            found.push(if variable.text.trim().contains('\n') {
                Reference::Seen { object, path, what: holds }
            } else {
                let why = format!("{holds} as well, and may mean this port or another one");
                Reference::Blocking { object, path, why }
            });
        }
    }

    /// Mounted files with the number in lines that do not change.
    fn files(&self, found: &mut Vec<Reference>) {
        let namespace = self.search.pods.meta.namespace.as_deref();
        let (mut edited, mut changed) = (None, None);
        let mut seen = Vec::new();
        for (name, sources) in self.search.pods.template.mounted_config_maps() {
            let Some((object, map)) = self.search.model.config_map(namespace, name) else { continue };
            let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            let mounted = |key: &str| sources.iter().any(|source| source.path(key).is_some());
            let numbers = map.index().lines(self.search.listener.number).iter().filter_map(|at| map.numbers.get(*at));
            for number in numbers.filter(|number| mounted(&number.key)) {
                let edited = edited.get_or_insert_with(|| self.edited_lines());
                if !edited.contains(&(object, data_path(&number.key), number.line)) {
                    lines.entry(&number.key).or_default().push(number.line);
                }
            }
            let peers = peers::lines(self.search.texts.peers(), map, namespace, self.search.listener.number);
            for (key, line) in peers.filter(|(key, _)| mounted(key)) {
                // Texts that also set a variable are not reported for the file.
                let changed = changed.get_or_insert_with(|| changed_texts(found));
                if !changed.contains(&(object, &data_path(key))) {
                    lines.entry(key).or_default().push(line);
                }
            }
            for (key, mut lines) in lines {
                lines.sort_unstable();
                lines.dedup();
                let what =
                    format!("the mounted file `{key}` holds {} ({})", self.search.listener.number, shown_lines(&lines));
                seen.push(Reference::Seen { object, path: data_path(key), what });
            }
        }
        found.append(&mut seen);
    }

    /// The line numbers, counted from 1, of the places that change.
    fn edited_lines(&self) -> HashSet<(ObjectId, Path, usize)> {
        // For each text, the offset up to which lines are counted, and the line number at this offset.
        let mut counted: HashMap<(ObjectId, &Path), (usize, usize)> = HashMap::new();
        let mut places: Vec<&ConfigPlace> = self.own.iter().copied().chain(&self.known).collect();
        places.sort_by_key(|place| place.place.range.start);
        let line = |place: &ConfigPlace| {
            (place.object, place.place.path.clone(), Arc::clone(&place.place.text), place.place.range.start)
        };
        let mut found = HashSet::new();
        for (place, (object, path, text, start)) in places.into_iter().map(|place| (place, line(place))) {
            let (from, line) = counted.entry((place.object, &place.place.path)).or_insert((0, 1));
            *line += text.get(*from..start).unwrap_or_default().matches('\n').count();
            *from = start;
            found.insert((object, path, *line));
        }
        found
    }
}

/// The texts that change.
fn changed_texts(found: &[Reference]) -> HashSet<(ObjectId, &Path)> {
    let changed = found.iter().filter_map(|reference| match reference {
        Reference::Text { object, place, .. } | Reference::Either { object, place, .. } => Some((*object, &place.path)),
        _ => None,
    });
    changed.collect()
}
