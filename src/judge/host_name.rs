//! Pods on the host network that expect a host name of their own.
//!
//! Source: kubernetes v1.36 `pkg/kubelet/kuberuntime/kuberuntime_sandbox.go`: the host name is set for pods that are not on the
//! host network.

use crate::model::pod::PodTemplate;
use crate::model::{Meta, ObjectId};
use crate::plan::Finding;
use crate::rule::{HOST_NAME, Severity};
use lossless_yaml::Step;

/// What is said of the host names of an object's pods, which are on the host network or move there.
#[must_use]
pub fn findings(id: ObjectId, meta: &Meta, template: &PodTemplate) -> Vec<Finding> {
    let Some(names) = &template.host_names else { return Vec::new() };
    // What makes a Pod gives it its name: a StatefulSet, an indexed Job.
    let is_own = !meta.is_pod() || template.owner.is_none();
    let given = names.given.iter().filter(|_| is_own).map(|(path, value)| {
        // The record of a headless Service is made of the first two, whatever the network.
        let rest = if matches!(path.last(), Some(Step::Key(key)) if *key == *"setHostnameAsFQDN") { "" } else { "; its record in DNS stays" };
        let message = format!(
            "{meta}: {path} is `{value}`, and on the host network the host name is the node's: no process sees this one{rest}. Give the name \
             by a variable"
        );
        (path, message)
    });
    // The pods of others have names that nobody relies on.
    let is_set = meta.gvk.kind == "StatefulSet";
    let asked = names.asked.iter().filter(|_| is_set).map(|path| {
        let message = format!(
            "{meta}: {path} asks for the host name, which on the host network is the node's and not the pod's. Give the pod's name by a \
             variable: `{{name: POD_NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}`"
        );
        (path, message)
    });
    let finding = |(path, message): (&lossless_yaml::Path, String)| {
        let fix = "give the name by a variable (`fieldPath: metadata.name`): on the host network it is the node's";
        Finding::new(Severity::Warning, HOST_NAME, message).on(id).at(path.clone()).brief(fix, path.to_string())
    };
    given.chain(asked).map(finding).collect()
}
