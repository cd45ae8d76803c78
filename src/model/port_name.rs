//! Names for ports that are not declared (H5): valid, and unique in the pod.

use std::collections::BTreeSet;

use super::listener::Listener;
use super::pod::PodTemplate;
use super::role::Role;
use super::text::words;
use crate::catalog::LONGEST_NAME;

/// A port name made of a flag's or variable's words, without those that every such name has.
pub(super) fn label_of(name: &str) -> String {
    let dull = ["bind", "listen", "addr", "address", "port", "server", "host"];
    let words: Vec<String> = words(name).into_iter().filter(|word| !dull.contains(&word.as_str())).collect();
    if words.is_empty() { "listen".to_owned() } else { words.join("-") }
}

/// Gives every listener without a declared name one that is valid and unique in the pod.
pub(super) fn name_all(found: &mut [Listener], template: &PodTemplate) {
    let mut taken: BTreeSet<String> = template
        .containers
        .iter()
        .flat_map(|c| c.ports.iter().flatten())
        .filter_map(|port| port.name.clone())
        .collect();
    for listener in found.iter_mut().filter(|listener| listener.name.is_none()) {
        let base = valid_name(&listener.label, listener.role);
        let mut name = base.clone();
        let mut count = 2;
        while !taken.insert(name.clone()) {
            let suffix = format!("-{count}");
            let room = LONGEST_NAME - suffix.len();
            let cut: String = base.chars().take(room).collect();
            name = format!("{}{suffix}", cut.trim_end_matches('-'));
            count += 1;
        }
        listener.label = name;
    }
}

/// A port name as Kubernetes allows: at most 15 of `[-a-z0-9]`, a letter, no dash at an end and no two in a row.
fn valid_name(wish: &str, role: Role) -> String {
    let words: Vec<&str> = wish.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").to_ascii_lowercase().chars().take(LONGEST_NAME).collect();
    let name = name.trim_matches('-');
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) { name.to_owned() } else { role.as_str().to_owned() }
}
