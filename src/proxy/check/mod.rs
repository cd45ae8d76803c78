//! Checks the route from each container with proxy variables to each known destination.

mod api_client;
mod api_server;
mod container;
mod destinations;
mod entries;
mod functions;
mod input;
mod metadata;
mod packages;
mod policies;
mod proxies;
mod registries;
mod row;
mod services;
mod unread;

pub use row::RouteRow;
pub use unread::unread_variables;

use std::collections::BTreeSet;

use self::api_client::ApiClients;
use self::container::{Container, effective};
use self::input::CheckInput;
use super::facts::ProxyFacts;
use super::required::Role;
use super::services::dialled;
use crate::api::ProxyConfig;
use crate::crossplane::{is_core, runs_core};
use crate::model::{Model, ObjectId};

/// Checks containers that set `HTTPS_PROXY` or `HTTP_PROXY`, limited to the objects `only` if given, and the network
/// policies around all Crossplane cores.
pub fn check(
    model: &Model,
    facts: &ProxyFacts,
    config: Option<&ProxyConfig>,
    only: Option<&BTreeSet<ObjectId>>,
) -> Vec<RouteRow> {
    let input = CheckInput::new(model, facts, config);
    let is_asked = |object: ObjectId| only.is_none_or(|only| only.contains(&object));
    let clients = ApiClients::new(model);
    let mut rows = Vec::new();
    for (id, object, template) in model.workloads().filter(|(id, ..)| is_asked(id.object)) {
        let own = if runs_core(template) { input.of_core(id.object) } else { None };
        let input = own.as_ref().unwrap_or(&input);
        for (position, container) in template.containers.iter().enumerate() {
            let Some(variables) = facts.container(id.object, id.template, position) else { continue };
            let subject = format!("{}, container {}", object.meta, container.name);
            let role = if is_core(template, container) { Role::Core } else { Role::Other };
            let namespace = object.meta.namespace.as_deref();
            let effective = effective(input, namespace, variables, role);
            let api = clients.access(facts, (id.object, object), template, container);
            let checked = Container::new(id.object, subject, role, &effective).with_api(api);
            rows.extend(destinations::rows(input, &checked));
            rows.extend(services::rows(&checked, &dialled(model, facts, id, (position, container))));
        }
    }
    for (id, meta, package) in model.packages().filter(|(id, ..)| is_asked(*id)) {
        packages::rows(&input, (id, meta, package), &mut rows);
    }
    rows.extend(policies::rows(&input));
    rows
}
