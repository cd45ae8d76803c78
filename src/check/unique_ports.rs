//! `port-conflict`: on the host network a number and protocol can be had once in a pod.

use std::collections::BTreeMap;

use super::{Broken, Workload};
use crate::model::listener::Listener;
use crate::plan::rule;

pub(super) fn check(workload: Workload<'_>) -> Vec<Broken> {
    let mut owners: BTreeMap<(u16, &str), &Listener> = BTreeMap::new();
    let call = |listener: &Listener| {
        let container = workload.template.containers.get(listener.container);
        format!("container {}, port {}", container.map_or("", |container| &container.name), listener.label)
    };
    let mut broken = Vec::new();
    for listener in workload.listeners {
        if let Some(other) = owners.insert((listener.number, &listener.protocol), listener) {
            broken.push(Broken {
                rule: rule::PORT_CONFLICT,
                path: None,
                message: format!(
                    "{} and {} both end on {}/{}; on the host network a number can be had once. Give one of them \
                     another number in `ports`",
                    call(other),
                    call(listener),
                    listener.number,
                    listener.protocol
                ),
            });
        }
    }
    broken
}
