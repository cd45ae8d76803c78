//! Pods on the host network that rely on a pod-specific host name.
//!
//! Source: kubernetes v1.36 `pkg/kubelet/kuberuntime/kuberuntime_sandbox.go`: the host name is set for pods that are
//! not on the host network.

use crate::model::facts::PodsView;
use crate::model::listener::scripts_with_host_name;
use crate::model::pod::Container;
use crate::model::text::{HOST_NAME_VARIABLE, HostNameRead, host_name_reads};
use crate::model::{Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{HOST_NAME, Severity};
use lossless_yaml::{Path, Step};

/// Findings about host names of pods that are on the host network or move there.
pub fn findings(model: &Model, id: ObjectId, pods: PodsView<'_>) -> Vec<Finding> {
    let PodsView { meta, template } = pods;
    // Skip Pods with an owner: controllers such as StatefulSets and indexed Jobs set `hostname` in their Pods.
    let is_own = !meta.is_pod() || template.owner.is_none();
    let given = template.host_names.iter().filter(|_| is_own).map(|(path, value)| {
        // DNS records of a headless Service use `hostname` and `subdomain`, also on the host network.
        let is_of_dns = !matches!(path.last(), Some(Step::Key(key)) if *key == *"setHostnameAsFQDN");
        let (rest, remedy) = match is_of_dns {
            true => ("; the DNS record is unchanged", "Give the name by a variable, and remove the field if no DNS record needs it"),
            false => ("", "Give the name by a variable, and remove the field"),
        };
        let message = format!(
            "{meta}: {path} is `{value}`, and on the host network the host name is the node's: no process gets this value{rest}. {remedy}"
        );
        (path.clone(), message)
    });
    // Only StatefulSet pods have stable names.
    let is_set = meta.gvk.kind == "StatefulSet";
    let containers = template.containers.iter().filter(|_| is_set);
    let reading = containers.flat_map(|container| reads(model, pods, container));
    let finding = |(path, message): (Path, String)| {
        let fix = "give the name by a variable (`fieldPath: metadata.name`): on the host network it is the node's";
        let detail = path.to_string();
        Finding::new(Severity::Warning, HOST_NAME, message).on_object(id).at(path).brief(fix, detail)
    };
    given.chain(reading).map(finding).collect()
}

/// Words of a command and mounted scripts that read the host name: their paths, and messages.
fn reads(model: &Model, pods: PodsView<'_>, container: &Container) -> Vec<(Path, String)> {
    // The pod's name as the variable `HOSTNAME` is the host name of the pod network.
    let is_named = container.env_var(HOST_NAME_VARIABLE).is_some();
    let counts = |(_, read): (usize, HostNameRead)| read == HostNameRead::Source || !is_named;
    let words = container.words().filter(|(.., text)| host_name_reads(text).any(counts));
    let words = words.map(|(list, index, _)| container.word_path(list, index));
    let words = words.map(|path| (path.to_string(), path));
    let scripts = scripts_with_host_name(model, pods, container, is_named).into_iter();
    let scripts = scripts.map(|script| (format!("the mounted script {script}"), container.path.key("volumeMounts")));
    let message = |(reader, path)| {
        let message = format!(
            "{}: {reader} uses the host name, which on the host network is the node's and not the pod's. Set the pod's \
             name in a variable: `{{name: POD_NAME, valueFrom: {{fieldRef: {{fieldPath: metadata.name}}}}}}`",
            pods.meta
        );
        (path, message)
    };
    words.chain(scripts).map(message).collect()
}
