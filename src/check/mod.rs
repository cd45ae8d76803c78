//! The rules that every output has to keep, one file each. They see only a model, never a plan: HostNetwork runs them on
//! the model of its own output, so what it promises is verified on what is written.

mod host_ports;
mod unique_ports;

use crate::model::Meta;
use crate::model::listener::Listener;
use crate::model::pod::PodTemplate;
use crate::plan::Rule;
use crate::yaml::Path;

/// A rule that is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub rule: Rule,
    /// The field, when one is to blame.
    pub path: Option<Path>,
    /// What is wrong and what to do, without the object's name.
    pub message: String,
}

/// A workload on the host network.
#[derive(Debug, Clone, Copy)]
pub struct Workload<'m> {
    /// Its identity.
    pub meta: &'m Meta,
    /// Its pod template.
    pub template: &'m PodTemplate,
    /// Where its pods listen.
    pub listeners: &'m [Listener],
}

/// All rules that a workload on the host network breaks.
#[must_use]
pub fn check(workload: Workload<'_>) -> Vec<Broken> {
    if !workload.template.on_host_network() {
        return Vec::new();
    }
    let mut broken = unique_ports::check(workload);
    broken.extend(host_ports::check(workload));
    broken
}
