//! Patches of pod subsets that change host networking; the API server does not validate them with the template.

use crate::model::Meta;
use crate::model::facts::SubsetPatches;
use lossless_yaml::{Path, Step};

/// Fields of patches that make pods differ from the template. For pods in the pod network, returns only the fields that
/// use the node: `hostPort`, and `hostNetwork` unless it is `false`.
pub fn fields(patches: &SubsetPatches, is_on_host: bool) -> impl Iterator<Item = (&Path, &str)> {
    let leads_to_the_node = |path: &Path, value: &str| match path.last() {
        Some(Step::Key(key)) => *key == *"hostPort" || *key == *"hostNetwork" && value != "false",
        _ => false,
    };
    let fields = patches.fields.iter().map(|(path, value)| (path, value.as_str()));
    fields.filter(move |(path, value)| is_on_host || leads_to_the_node(path, value))
}

/// Message about a command, argument or variable in a patch that contains a port number of the patched pods.
pub fn number_message(patching: &Meta, path: &Path, text: &str, number: u16) -> String {
    format!(
        "{patching}: {path} sets `{text}` in only some of its pods, and the text contains {number}, a port of these pods: the template does not show that port, and neither `hostnet check` nor a HostNetwork follows it. Write it in the template, or make two workloads"
    )
}

/// Message about a patched field that makes pods differ from the template.
pub fn message(patching: &Meta, path: &Path, value: &str) -> String {
    let value = if value.is_empty() { String::new() } else { format!(" to `{value}`") };
    format!(
        "{patching}: {path} changes a field of only some of its pods{value}: their ports or network differ from the template, and neither `hostnet check` nor a HostNetwork follows that. Write it in the template, or make two workloads"
    )
}
