//! Parts of a pod that need a network of their own, which a pod on the host network does not have.

use std::fmt::Display;

use crate::catalog::POD_NETWORK_ANNOTATIONS;
use crate::model::pod::PodTemplate;
use crate::plan::Finding;
use crate::rule::{POD_FORBIDS, Severity};

/// Annotations of the pods that request a feature of a network plugin, each with its noun.
#[must_use]
pub fn given_by_plugin(template: &PodTemplate) -> Vec<(&'static str, &'static str)> {
    let value = |key: &str| template.annotations.get(key).unwrap_or_default().trim();
    let is_set = |key: &str| !matches!(value(key), "" | "[]");
    POD_NETWORK_ANNOTATIONS.iter().copied().filter(|(key, _)| is_set(key)).collect()
}

/// Warning about pods on the host network that run in a virtual machine of Kata Containers, by the names of its runtime
/// classes; `None` for other pods.
///
/// Source: kata-containers/kata-containers@00bd04f9 `docs/Limitations.md` ("Do not use `--net=host`"), and
/// `tools/packaging/kata-deploy/runtimeclasses` (`kata-*`).
#[must_use]
pub fn virtual_machine(workload: &dyn Display, template: &PodTemplate) -> Option<Finding> {
    let class = template.runtime_class.as_deref()?;
    if class != "kata" && !class.starts_with("kata-") {
        return None;
    }
    let message = format!(
        "{workload}: runtimeClassName is `{class}`: Kata Containers run a pod in a virtual machine and do not support the host network, \
         where they may change the network of the node. Use another runtime class, or keep the pod in the pod network"
    );
    let finding = Finding::new(Severity::Warning, POD_FORBIDS, message);
    let finding = finding.at(template.spec_path().key("runtimeClassName"));
    Some(finding.brief("use another runtime class or the pod network: Kata has no host network", class.to_owned()))
}
