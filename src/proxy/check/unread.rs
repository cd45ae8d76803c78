//! Containers whose proxy variables may be set outside of the input.

use crate::model::Model;
use crate::proxy::facts::ProxyFacts;
use crate::proxy::merge::ValueSource;
use crate::proxy::objects::Objects;
use crate::proxy::variables::{Source, Variables};

/// Variables that set a proxy.
const PROXIES: [&str; 4] = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];

/// Reasons why containers may have a proxy variable that is not known, one line each: variables from objects that are
/// not in the input, and policies of the input that name a proxy variable.
pub fn unread_variables(model: &Model, facts: &ProxyFacts) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, object, template) in model.workloads() {
        let known = Objects::new(model, facts, object.meta.namespace.as_deref());
        for (position, container) in template.containers.iter().enumerate() {
            let Some(variables) = facts.container(id.object, id.template, position) else { continue };
            if let Some(source) = unread_source(variables, &known) {
                lines.push(format!(
                    "{}, container {}: its envFrom names {} {}, which is not in the input",
                    object.meta, container.name, source.kind, source.name
                ));
            }
        }
    }
    let policies = facts.mutating_policies.iter().filter_map(|id| model.object(*id));
    lines.extend(policies.map(|policy| format!("{}: it names a proxy variable, and is not evaluated", policy.meta)));
    lines
}

/// The last `envFrom` source that may set a variable with a proxy, and whose keys are not known.
fn unread_source<'v>(variables: &'v Variables, known: &dyn ValueSource) -> Option<&'v Source> {
    let is_unread = |source: &&Source| {
        let mut keys = PROXIES.iter().filter_map(|name| name.strip_prefix(source.prefix.as_str()));
        keys.any(|key| known.has(source.kind, &source.name, key).is_none())
    };
    variables.from.iter().rev().find(is_unread)
}
