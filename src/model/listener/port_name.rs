//! Names for ports without a declaration: valid, and unique in the pod.

use std::collections::{BTreeSet, HashMap};

use super::evidence_kind::Guess;
use super::role::Role;
use super::types::Listener;
use crate::catalog::{MAX_NAME_LENGTH, runtime_option};
use crate::model::pod::PodTemplate;
use crate::model::text::words;

/// Name of a port without any other information.
const NAMELESS: &str = "listen";

/// Returns the port name of an option of a runtime; else a name from the words of a flag or variable, without words that
/// most of these names have.
pub(in crate::model) fn label_of(name: &str) -> String {
    if let Some(option) = runtime_option(name) {
        return option.port.to_owned();
    }
    let dull = ["bind", "listen", "addr", "address", "port", "server", "host", "argument"];
    let words: Vec<String> = words(name).into_iter().filter(|word| !dull.contains(&word.as_str())).collect();
    if words.is_empty() { NAMELESS.to_owned() } else { words.join("-") }
}

impl Guess {
    /// Name that the port would get. Not stored, since a large input may have a million guesses.
    pub fn label(&self) -> String {
        label_of(&self.setting.name)
    }
}

/// Gives each listener without a declared name a valid name, unique in the pod. `is_of_other` is true for a name that
/// another listener of the same program has.
pub(in crate::model) fn name_all(
    found: &mut [Listener],
    template: &PodTemplate,
    is_of_other: impl Fn(&Listener, &str) -> bool,
) {
    let mut taken: BTreeSet<String> = template
        .containers
        .iter()
        .flat_map(|c| c.ports.iter().flatten())
        .filter_map(|port| port.name.clone())
        .collect();
    // Next suffix to try for each name; all lower ones are in use. Many long labels have the name of their role.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for listener in found.iter_mut().filter(|listener| listener.name.is_none()) {
        let mut name = valid_name(&listener.label, listener.role, MAX_NAME_LENGTH);
        let count = counts.entry(name.clone()).or_insert(2);
        while is_of_other(listener, &name) || !taken.insert(name.clone()) {
            let suffix = format!("-{count}");
            name = valid_name(&listener.label, listener.role, MAX_NAME_LENGTH - suffix.len()) + &suffix;
            *count += 1;
        }
        listener.label = name;
    }
}

/// Returns a valid port name of Kubernetes: at most `room` (a maximum length) characters of `[-a-z0-9]`, at least one
/// letter, no dash at either end and no two dashes in a row.
///
/// The name never ends inside a word. If `wish` is too long, the name is the role; without a role, it is as many of the
/// first words as fit.
fn valid_name(wish: &str, role: Role, room: usize) -> String {
    // A declared port without a name gets its role as key.
    if wish.is_empty() {
        return role.as_str().to_owned();
    }
    let wish = wish.to_ascii_lowercase();
    let words: Vec<&str> = wish.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_name = |name: &String| name.len() <= room && name.bytes().any(|byte| byte.is_ascii_lowercase());
    let first = |count: usize| words.get(..count).map(|words| words.join("-")).filter(is_name);
    let role = || Some(role).filter(|role| *role != Role::Other).or_else(|| Role::from_name(&wish));
    let of_role = || role().map(|role| role.as_str().to_owned());
    let start = || (1..words.len()).rev().find_map(first);
    first(words.len()).or_else(of_role).or_else(start).unwrap_or_else(|| NAMELESS.to_owned())
}
