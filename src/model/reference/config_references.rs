//! References to a listener's number in ConfigMaps: keys that are values of variables, and mounted files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::old_number::not_listen_remedy;
use super::peers;
use super::search::Search;
use super::transports::ListenerMatch;
use super::types::Reference;
use crate::model::facts::{ConfigPlace, data_path};
use crate::model::id::ObjectId;
use crate::model::listener::{Binding, Listener, RejectionReason, Variable};
use crate::model::text::{Form, Name, Number, TextPlace, is_own_port, names_own_host, shown_lines, transport};
use lossless_yaml::Path;

/// Finds the references to one listener.
struct Finder<'f, 'm> {
    search: &'f Search<'f, 'm>,
    own: Vec<&'f ConfigPlace>,
    /// The positions that are already found.
    known: Vec<ConfigPlace>,
    starts: HashSet<(ObjectId, Path, usize)>,
}

/// Positions in ConfigMaps that need no further report.
struct KnownPlaces {
    /// The positions that change.
    changed: HashSet<(ObjectId, Path, usize)>,
    /// The texts that are already reported.
    reported: HashSet<(ObjectId, Path)>,
}

/// Finds keys with the port number that are values of the pods' variables, and mounted files with the number.
pub(in crate::model) fn references(search: &Search<'_, '_>, found: &mut Vec<Reference>) {
    let own = search.listener.bindings().filter_map(|binding| match binding {
        Binding::ConfigMap(own) => Some(own.as_ref()),
        _ => None,
    });
    let own: Vec<&ConfigPlace> = own.collect();
    let mut finder = Finder { search, known: Vec::new(), starts: HashSet::new(), own };
    finder.addresses(found);
    finder.ports(found);
    finder.find_unclear_numbers(found);
    finder.files(found);
}

impl Finder<'_, '_> {
    /// Decides to which listener a position refers, by the protocol in the surrounding text or else in
    /// the name of the variable.
    fn listener_of(&self, place: &ConfigPlace) -> ListenerMatch {
        let of_text = || transport::of_text(&place.place.text, &place.place.range);
        self.search.transports.listener_of(|| of_text().or_else(|| transport::of_name(&place.name)))
    }

    /// Adds a reference to a position that has no reference yet: the text moves with the listener, or is only
    /// reported.
    fn add(
        &mut self,
        place: ConfigPlace,
        listener_match: ListenerMatch,
        blocking: Option<Reference>,
        found: &mut Vec<Reference>,
    ) {
        let same = |other: &ConfigPlace| other.object == place.object && other.place == place.place;
        let start = (place.object, place.place.path.clone(), place.place.range.start);
        if self.own.iter().copied().any(same) || !self.starts.insert(start) {
            return;
        }
        let text = || {
            Reference::text(place.object, place.place.clone(), place.readers(self.search.model).into(), listener_match)
        };
        found.extend(blocking.or_else(text));
        self.known.push(place);
    }

    /// Finds addresses of the pod itself with the port number, in variables from ConfigMaps.
    fn addresses(&mut self, found: &mut Vec<Reference>) {
        for (_, variables) in self.search.texts.map_variables() {
            for variable in variables.holding(self.search.listener.number) {
                // `ports` handles listen addresses.
                let listens = !variable.listen_values().is_empty()
                    && Name::new(&variable.name).is_listen()
                    && !variable.text.contains("://");
                let own = variable.numbers(self.search.listener.number).filter(|number| {
                    is_own_port(variable.text, number) && !(listens && variable.form(number) != Form::Loopback)
                });
                for place in own.map(|number| variable.place(number)) {
                    let listener_match = self.listener_of(&place);
                    if listener_match != ListenerMatch::Another {
                        self.add(place, listener_match, None, found);
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
                let is_url = !own && variable.text.contains("://");
                let name = Name::new(&variable.name);
                let may_mean = if own { name.is_listen() } else { name.may_be_port_of_neighbour() };
                if is_url || !may_mean {
                    continue;
                }
                let values = variable.listen_values().iter();
                for (form, number) in values.filter(|(_, number)| number.port == self.search.listener.number) {
                    let place = variable.place(number);
                    let is_of_another = || {
                        let container = self.search.texts.container(index);
                        let pod_names = self.search.texts.pod_names();
                        container.is_some_and(|other| other.texts.is_of_another(pod_names, &place.to_port_setting()))
                    };
                    let is_of_other_program =
                        || self.listener_of(&place) == ListenerMatch::Another || (!name.is_listen() && is_of_another());
                    let is_excluded =
                        if own { self.rejection_reason(&variable, *form).is_some() } else { is_of_other_program() };
                    if is_excluded {
                        continue;
                    }
                    let why = || {
                        format!(
                            "variable `{}` of container `{}` may refer to it",
                            place.name,
                            self.container_name(index)
                        )
                    };
                    let (object, path) = (place.object, place.place.path.clone());
                    let blocking = (!own).then(|| Reference::Blocking { object, path, why: why() });
                    self.add(place, ListenerMatch::Own, blocking, found);
                }
            }
        }
    }

    /// Name of the container at an index.
    fn container_name(&self, index: usize) -> &str {
        self.search.pods.template.containers.get(index).map(|c| c.name.as_str()).unwrap_or_default()
    }

    /// Reason not to treat a number in a variable of the listener's container as a port setting.
    fn rejection_reason(&self, variable: &Variable<'_>, form: Form) -> Option<RejectionReason> {
        let own = self.search.texts.container(self.search.listener.container)?;
        let place = variable.whole_place();
        own.texts.rejection_of_map_variable(
            self.search.texts.pod_names(),
            &variable.name,
            form,
            self.search.listener,
            &place,
        )
    }

    /// Finds variables in which the meaning of the port number is unclear: `JAVA_OPTS:
    /// -Dserver.port=8080` of the listener's container, which would make the move incomplete, and
    /// texts of other containers that also contain an address of the pod itself.
    fn find_unclear_numbers(&self, found: &mut Vec<Reference>) {
        let Search { pods, texts, listener, .. } = *self.search;
        let mut known = None;
        let mut left = Vec::new();
        for (index, variables) in texts.map_variables() {
            let own = index == listener.container;
            let Some(container) = texts.container(index).filter(|_| own || !texts.listens(index, listener.number))
            else {
                continue;
            };
            let program = pods.programs.get(index).and_then(Option::as_ref);
            let not_listen = program.map_or(&[][..], |program| &program.not_listen);
            for variable in variables.holding(listener.number) {
                if !own && !names_own_host(variable.text) {
                    continue;
                }
                let known = known.get_or_insert_with(|| self.known_places(found));
                let path = variable.path();
                if !known.reported.insert((variable.object, path.clone())) {
                    continue;
                }
                let is_changed = |place: &TextPlace| {
                    let number = Number { port: listener.number, range: place.range.clone() };
                    known.changed.contains(&(variable.object, place.path.clone(), place.range.start))
                        || self.listener_of(&variable.place(&number)) == ListenerMatch::Another
                };
                let is_left = container.texts.has_unexplained_number(
                    texts.pod_names(),
                    &variable,
                    listener.number,
                    not_listen,
                    is_changed,
                );
                let form = variable.listen_values().first().map_or(Form::Bare, |(form, _)| *form);
                let explains = |rejection_reason: RejectionReason| rejection_reason.explains();
                if !is_left || (own && self.rejection_reason(&variable, form).is_some_and(explains)) {
                    continue;
                }
                let holds = format!(
                    "variable `{}` of container `{}` holds {}",
                    variable.name,
                    self.container_name(index),
                    listener.number
                );
                let object = variable.object;
                // A text of several lines is a file, and it is unknown which programs read it.
                left.push(if own && !variable.text.trim().contains('\n') {
                    let not_listen = not_listen_remedy(pods, listener, &variable.name);
                    let why = format!(
                        "{holds} too, and may refer to this port or to another one. If it refers to another port, {not_listen}"
                    );
                    Reference::Blocking { object, path, why }
                } else {
                    Reference::Seen { object, path, what: holds }
                });
            }
        }
        found.append(&mut left);
    }

    /// The positions that change, and the texts that are already reported.
    fn known_places(&self, found: &[Reference]) -> KnownPlaces {
        let Search { pods, texts, listener, .. } = *self.search;
        let mut known = KnownPlaces { changed: self.starts.clone(), reported: HashSet::new() };
        for reference in found {
            match reference {
                Reference::Text { object, place, .. } | Reference::Either { object, place, .. } => {
                    known.changed.insert((*object, place.path.clone(), place.range.start));
                }
                _ => known.reported.extend(reference.unchanged()),
            }
        }
        let listeners = texts.listeners(listener.number).iter().filter_map(|&other| pods.listeners.get(other));
        let set = listeners.chain([listener]).flat_map(Listener::places);
        known
            .changed
            .extend(set.filter_map(|(object, place, _)| Some((object?, place.path.clone(), place.range.start))));
        known
    }

    /// Mounted files with the port number in lines that do not change.
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

    /// The line numbers, counted from 1, of the positions that change.
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
