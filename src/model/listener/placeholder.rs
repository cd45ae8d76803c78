//! Port numbers that are filled in after this run, such as `${PORT}` by Flux or `{{ port }}` by Jinja. The numbers are unknown, and so are other
//! uses of the same numbers.

use super::map_variables::MapVariables;
use crate::model::index::{Model, Objects};
use crate::model::pod::{Container, PodTemplate, TCP};
use crate::model::setting::settings;
use crate::model::text::{Name, has_host_placeholder, has_loopback_placeholder, listens_on_placeholder};
use krm::may_have_placeholder;
use lossless_yaml::Path;

/// Declared port whose number is filled in later.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'m> {
    /// Container of the port.
    pub container: &'m Container,
    /// Position of the port in the container.
    pub index: usize,
    /// `containerPort`, as written.
    pub text: &'m str,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'m str,
}

impl<'m> Declared<'m> {
    /// Name of the port, else the placeholder.
    pub fn name(&self) -> &'m str {
        let port = self.container.ports.iter().flatten().nth(self.index);
        port.and_then(|port| port.name.as_deref()).unwrap_or(self.text)
    }
}

/// Declared ports of containers and sidecars whose number may be filled in later, in the form of any tool.
pub fn declared(template: &PodTemplate) -> impl Iterator<Item = Declared<'_>> {
    template.running().flat_map(|(_, container)| declared_by(container))
}

/// Declared ports of a container whose numbers are placeholders.
pub(in crate::model) fn declared_by(container: &Container) -> impl Iterator<Item = Declared<'_>> {
    let ports = container.ports.iter().flatten().enumerate().filter(|(_, port)| port.is_filled_in_later());
    ports.filter_map(move |(index, port)| {
        let text = port.container_port.as_ref()?.text.as_ref();
        Some(Declared { container, index, text, protocol: &port.protocol })
    })
}

/// True if the container declares a TCP port whose number may be filled in later.
pub fn has_placeholder(container: &Container) -> bool {
    declared_by(container).any(|port| port.protocol == TCP)
}

/// Settings of listen addresses that are filled in later, also from a ConfigMap or another variable: name and value, for
/// messages.
pub fn filled_in_later(model: &Model, namespace: Option<&str>, container: &Container) -> Vec<String> {
    let maps = MapVariables::for_container(model, namespace, container);
    let script = script(container);
    let own = settings(container).into_iter().filter(|setting| script.as_ref() != Some(&setting.place.path));
    let own = own.filter_map(|setting| Some((setting.name, setting.value?)));
    let of_maps = maps.texts().map(|(name, text)| (name, text.to_owned()));
    let text_of = |name: &str| {
        let own = container.env_var(name).and_then(|(_, variable)| variable.value);
        own.or_else(|| maps.texts().find(|(known, _)| known == name).map(|(_, text)| text))
    };
    let is_later = |(name, value): &(String, String)| {
        let expanded = value.strip_suffix(')').and_then(|rest| rest.rsplit_once("$("));
        let expanded = expanded.and_then(|(before, variable)| Some(format!("{before}{}", text_of(variable)?)));
        Name::new(name).is_listen()
            && (listens_on_placeholder(value)
                || has_host_placeholder(value)
                || expanded.is_some_and(|value| listens_on_placeholder(&value)))
    };
    let mut found: Vec<String> =
        own.chain(of_maps).filter(is_later).map(|(name, value)| format!("`{name}` (`{value}`)")).collect();
    found.dedup();
    found
}

/// Flags and variables with a listen address that is filled in later: name, path and value. Leaves out shell scripts,
/// in which the shell itself expands `${NAME}`.
pub(in crate::model) fn listens(container: &Container) -> impl Iterator<Item = (String, Path, String)> {
    let script = script(container);
    // Most containers have no placeholder.
    let has_some = container.words().any(|(_, _, word)| may_have_placeholder(word))
        || container.env.iter().any(|var| var.value.is_some_and(may_have_placeholder));
    let flags = if has_some { settings(container) } else { Vec::new() };
    let flags = flags.into_iter().filter(|setting| !setting.variable);
    let flags = flags.filter_map(|flag| Some((flag.name, flag.place.path, flag.value?)));
    let variables = container.env.iter().filter_map(|var| {
        let value = var.value.filter(|value| may_have_placeholder(value))?.to_owned();
        Some((var.name.to_owned(), container.env_path(var.index), value))
    });
    flags
        .filter(move |(_, path, _)| script.as_ref() != Some(path))
        .chain(variables)
        .filter(|(name, _, value)| Name::new(name).is_listen() && listens_on_placeholder(value))
}

/// Settings of listen addresses with a `$(NAME)` that nothing in the input defines: name and value, for messages.
pub fn undefined(model: &Objects, namespace: Option<&str>, container: &Container) -> Vec<String> {
    if container.undefined.is_empty() {
        return Vec::new();
    }
    let may_give = |name: &str| {
        container.env_from.iter().any(|source| {
            let key = name.strip_prefix(source.prefix.as_str());
            let map = || model.config_map(namespace, &source.config_map);
            key.is_some_and(|key| map().is_none_or(|(_, map)| map.has_key(key)))
        })
    };
    let flags = settings(container).into_iter().filter(|setting| !setting.variable);
    let flags = flags.filter_map(|flag| Some((flag.name, flag.value?)));
    let variables = container.env.iter().filter_map(|var| Some((var.name.to_owned(), var.value?.to_owned())));
    let is_undefined = |value: &str| {
        let name = value.strip_suffix(')').and_then(|rest| rest.rsplit_once("$("));
        name.is_some_and(|(before, name)| {
            let is_number = before.is_empty() || before.ends_with(':');
            is_number && container.undefined.iter().any(|undefined| **undefined == *name) && !may_give(name)
        })
    };
    let listens = flags.chain(variables).filter(|(name, value)| Name::new(name).is_listen() && is_undefined(value));
    listens.map(|(name, value)| format!("`{name}` is {value}")).collect()
}

/// Words and variables with a loopback address whose port is filled in later: path and text.
pub(in crate::model) fn loopback(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    let script = script(container);
    let words = container.words().filter(|(_, _, word)| has_loopback_placeholder(word));
    let words = words.map(|(list, index, word)| (container.word_path(list, index), word));
    let variables = container.env.iter().filter_map(|var| {
        let value = var.value.filter(|value| has_loopback_placeholder(value))?;
        Some((container.env_path(var.index), value))
    });
    words.filter(move |(path, _)| script.as_ref() != Some(path)).chain(variables)
}

/// Path of the container's shell script.
fn script(container: &Container) -> Option<Path> {
    container.script().map(|(list, index, _)| container.word_path(list, index))
}
