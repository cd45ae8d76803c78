//! Pods on the host network that rely on a pod-specific host name.
//!
//! Source: kubernetes v1.36 `pkg/kubelet/kuberuntime/kuberuntime_sandbox.go`: the host name is set for pods that are
//! not on the host network.

use crate::model::pod::PodTemplate;
use crate::model::{Meta, ObjectId};
use crate::plan::Finding;
use crate::rule::{HOST_NAME, Severity};
use lossless_yaml::Step;

/// Findings about host names of pods that are on the host network or move there.
pub fn findings(id: ObjectId, meta: &Meta, template: &PodTemplate) -> Vec<Finding> {
    let Some(names) = &template.host_names else { return Vec::new() };
    // Skip Pods with an owner: controllers such as StatefulSets and indexed Jobs set `hostname` in their Pods.
    let is_own = !meta.is_pod() || template.owner.is_none();
    let given = names.given.iter().filter(|_| is_own).map(|(path, value)| {
        // DNS records of a headless Service use `hostname` and `subdomain`, also on the host network.
        let is_of_dns = !matches!(path.last(), Some(Step::Key(key)) if *key == *"setHostnameAsFQDN");
        let (rest, remedy) = match is_of_dns {
            true => ("; the DNS record is unchanged", "Give the name by a variable, and remove the field if no DNS record needs it"),
            false => ("", "Give the name by a variable, and remove the field"),
        };
        let message = format!(
            "{meta}: {path} is `{value}`, and on the host network the host name is the node's: no process gets this value{rest}. {remedy}"
        );
        (path, message)
    });
    // Only StatefulSet pods have stable names.
    let is_set = meta.gvk.kind == "StatefulSet";
    let reading = names.reading.iter().filter(|_| is_set).map(|path| {
        let message = format!(
            "{meta}: {path} uses the host name, which on the host network is the node's and not the pod's. Set the pod's name in a \
             variable: `{{name: POD_NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}`"
        );
        (path, message)
    });
    let finding = |(path, message): (&lossless_yaml::Path, String)| {
        let fix = "give the name by a variable (`fieldPath: metadata.name`): on the host network it is the node's";
        Finding::new(Severity::Warning, HOST_NAME, message).on_object(id).at(path.clone()).brief(fix, path.to_string())
    };
    given.chain(reading).map(finding).collect()
}
