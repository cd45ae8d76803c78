//! Port numbers that are filled in after this run: `${PORT}`, which Flux substitutes. What they will be is not known, and
//! so neither is what has the same number.

use std::collections::BTreeSet;

use super::ObjectId;
use super::evidence::{Name, port_settings, settings};
use super::pod::{Container, PodTemplate};
use super::protocol::TCP;
use super::reference::{FieldPort, PodFields, Pods};
use super::text::{has_loopback_placeholder, listed_ports, listens_on_placeholder};
use crate::catalog;
use crate::yaml::Path;

/// Whether a text is filled in later, or a part of it.
#[must_use]
pub fn is_placeholder(text: &str) -> bool {
    text.contains("${")
}

/// The variables of a text, without those inside of a default.
///
/// ```
/// use hostnet::model::placeholder::variables;
/// assert_eq!(variables("${HOST}:${PORT:=${OTHER}}").collect::<Vec<_>>(), ["HOST", "PORT"]);
/// assert_eq!(variables("$PORT and $(PORT)").count(), 0);
/// ```
pub fn variables(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, from) = rest.split_once("${")?;
        let end = from.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(from.len());
        let (name, after) = from.split_at_checked(end)?;
        rest = behind(after);
        Some(name)
    })
}

/// Whether a text may be this other one once its variables are filled in.
///
/// ```
/// use hostnet::model::placeholder::can_become;
/// assert!(can_become("${NAME:=${A}}-web-${B}", "shop-web-1"));
/// assert!(!can_become("${NAME}-web", "shop-web-1") && !can_become("web-${A}-${B}", "web-1"));
/// assert!(can_become("web", "web") && !can_become("web", "web-1"));
/// ```
#[must_use]
pub fn can_become(text: &str, other: &str) -> bool {
    let Some((start, from)) = text.split_once("${") else { return text == other };
    let literal = |from| behind(from).strip_prefix('}').unwrap_or_default();
    let (Some(mut rest), mut from) = (other.strip_prefix(start), literal(from)) else { return false };
    while let Some((between, next)) = from.split_once("${") {
        let Some((_, after)) = rest.split_once(between) else { return false };
        (rest, from) = (after, literal(next));
    }
    rest.ends_with(from)
}

/// What begins with the brace that closes a placeholder.
fn behind(text: &str) -> &str {
    let mut open = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return text.get(at..).unwrap_or_default(),
            '}' => open -= 1,
            _ => {}
        }
    }
    ""
}

/// A declared port whose number is filled in later.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'m> {
    /// The container.
    pub container: &'m Container,
    /// The port, by its position in the container's.
    pub index: usize,
    /// `containerPort`, as written.
    pub text: &'m str,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'m str,
}

impl<'m> Declared<'m> {
    /// The name, else the placeholder.
    #[must_use]
    pub fn name(&self) -> &'m str {
        let port = self.container.ports.iter().flatten().nth(self.index);
        port.and_then(|port| port.name.as_deref()).unwrap_or(self.text)
    }
}

/// The declared ports of containers and sidecars whose number is filled in later.
pub fn declared(template: &PodTemplate) -> impl Iterator<Item = Declared<'_>> {
    template.running().flat_map(|(_, container)| declared_by(container))
}

fn declared_by(container: &Container) -> impl Iterator<Item = Declared<'_>> {
    container.ports.iter().flatten().enumerate().filter_map(move |(index, port)| {
        let text = port.container_port.as_ref().map(|scalar| scalar.text.as_ref());
        let text = text.filter(|text| is_placeholder(text))?;
        Some(Declared { container, index, text, protocol: &port.protocol })
    })
}

/// Whether a container declares a TCP port whose number is filled in later.
#[must_use]
pub fn has_placeholder(container: &Container) -> bool {
    declared_by(container).any(|port| port.protocol == TCP)
}

/// A number that tells a container where to listen, or at which it is probed, and that no listener has: it may be a declared
/// port whose own number is filled in later.
#[derive(Debug, Clone)]
pub struct Undecided<'m> {
    /// The port that it may be.
    pub port: Declared<'m>,
    /// Where the number stands.
    pub path: Path,
    /// The number.
    pub number: u16,
}

/// The numbers of a pod that may be a port whose number is filled in later.
#[must_use]
pub fn undecided(pods: Pods<'_>) -> Vec<Undecided<'_>> {
    let mut found = Vec::new();
    let known = |number: u16| pods.listeners.iter().any(|listener| listener.number == number);
    let scraped = catalog::port_annotations().iter().flat_map(|key| {
        let path = pods.template.path.key("metadata").key("annotations").key(*key);
        let listed = pods.template.annotations.get(key).map(listed_ports).unwrap_or_default();
        listed.into_iter().map(move |number| (path.clone(), number.port))
    });
    let mut scraped: Vec<(Path, u16)> = scraped.collect();
    for (_, container) in pods.template.running() {
        let Some(port) = declared_by(container).find(|port| port.protocol == TCP) else { continue };
        let told = port_settings(container).into_iter().filter(|place| Name::of(&place.name).is_listen());
        let told = told.map(|place| (place.place.path, place.port));
        let probed = container.probes.iter().filter_map(|probe| Some((probe.path.clone(), probe.number()?)));
        let all = told.chain(probed).chain(scraped.drain(..));
        found.extend(all.filter(|(_, number)| !known(*number)).map(|(path, number)| Undecided { port, path, number }));
    }
    found
}

/// A port that is filled in later and that may be one of a pod's listeners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialled {
    /// The object that names it.
    pub object: ObjectId,
    /// Where.
    pub path: Path,
    /// What is written there.
    pub text: String,
    /// What it says of the pod.
    pub means: Means,
}

/// What a port that is filled in later says of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Something listens there: a flag or variable tells it.
    Listens,
    /// Something of the pod is dialled there: it may be a declared port or none.
    Dialled,
    /// Something outside of the pod, or another container, dials a port there.
    Elsewhere,
}

/// What names a port of these pods by a placeholder: in their template, and in the fields outside that are about them, but for declared ports and what has the variable of one.
#[must_use]
pub fn dialled(pods: Pods<'_>, fields: &PodFields<'_>) -> Vec<Dialled> {
    let known: BTreeSet<&str> = declared(pods.template).flat_map(|port| variables(port.text)).collect();
    let mut found = Vec::new();
    let mut add = |object: ObjectId, path: Path, text: &str, means: Means| {
        if is_placeholder(text) && !variables(text).any(|name| known.contains(name)) {
            found.push(Dialled { object, path, text: text.to_owned(), means });
        }
    };
    for (_, container) in pods.template.running() {
        for probe in container.probes.iter().filter(|probe| probe.is_own()) {
            add(pods.id.object, probe.path.clone(), &probe.port.text, Means::Dialled);
        }
        let listens: Vec<_> = listens(container).collect();
        let own = |path: &Path| listens.iter().any(|(_, own, _)| own == path);
        for (path, text) in loopback(container).filter(|(path, _)| !own(path)) {
            add(pods.id.object, path, text, Means::Elsewhere);
        }
        for (_, path, text) in &listens {
            add(pods.id.object, path.clone(), text, Means::Listens);
        }
    }
    let annotations = |path: Path| path.key("metadata").key("annotations");
    for key in catalog::port_annotations() {
        if let Some(text) = pods.template.annotations.get(key) {
            add(pods.id.object, annotations(pods.template.path.clone()).key(*key), text, Means::Dialled);
        }
    }
    for named in fields.iter().filter(|named| named.field.port == FieldPort::Later) {
        add(named.object, named.field.path.clone(), &named.field.value.text, Means::Elsewhere);
    }
    found
}

/// What tells a container where to listen, and is filled in later: as `NAME` is `VALUE`.
#[must_use]
pub fn told_later(container: &Container) -> Vec<String> {
    listens(container).map(|(name, _, value)| format!("`{name}` (`{value}`)")).collect()
}

/// Flags and variables that tell the container where to listen: name, place and value. A shell expands what looks the same in its
/// script itself.
fn listens(container: &Container) -> impl Iterator<Item = (String, Path, String)> {
    let script = script(container);
    let flags = settings(container).into_iter().filter(|setting| !setting.variable);
    let flags = flags.filter_map(|flag| Some((flag.name, flag.place.path, flag.value?)));
    let variables = container.env.iter().filter_map(|var| {
        let value = var.value.as_deref()?.to_owned();
        Some((var.name.to_string(), container.env_path(var.index), value))
    });
    flags
        .filter(move |(_, path, _)| script.as_ref() != Some(path))
        .chain(variables)
        .filter(|(name, _, value)| Name::of(name).is_listen() && listens_on_placeholder(value))
}

/// Words and variables with a loopback address: place and text.
fn loopback(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    let script = script(container);
    let words = container.words().map(|(list, index, word)| (container.word_path(list, index), word));
    let variables = container.env.iter().filter_map(|var| Some((container.env_path(var.index), var.value.as_deref()?)));
    words
        .filter(move |(path, _)| script.as_ref() != Some(path))
        .chain(variables)
        .filter(|(_, text)| has_loopback_placeholder(text))
}

fn script(container: &Container) -> Option<Path> {
    container.script().map(|(list, index, _)| container.word_path(list, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_default_are_none_of_the_texts() {
        let names = |text: &'static str| variables(text).collect::<Vec<_>>();
        assert_eq!(names("${A_1}:${B2:=x}"), ["A_1", "B2"]);
        assert_eq!(names("${A:=${X}-${Y}}${B:={x}}${C}"), ["A", "B", "C"]);
        assert_eq!(names("${A:=${X}"), ["A"]);
        assert_eq!(names("$A $(B) {C}"), [""; 0]);
    }
}
