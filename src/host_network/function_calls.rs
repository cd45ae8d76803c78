//! Calls from Crossplane's core to functions: up to v1.19 the core compares the addresses of functions with `NO_PROXY`.

use super::workload::Workload;
use crate::catalog::{COMPARES_NAMES_SINCE, PackageKind};
use crate::crossplane::{Core, is_core, is_crossplane};
use crate::judge::node_ranges::only_range;
use crate::model::Model;
use crate::model::pod::Container;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Name suffix of the Deployment of the RBAC manager in Crossplane's chart. The RBAC manager does not call functions.
const RBAC_MANAGER: &str = "rbac-manager";

/// Warns about a core whose only address range in `NO_PROXY` is too small to contain the nodes, if a function moves:
/// the function then has the address of its node.
pub(super) fn report_function_calls(model: &Model, version: Option<&str>, workloads: &[Workload<'_>]) -> Vec<Finding> {
    let is_function = |workload: &&Workload<'_>| PackageKind::from_meta(workload.meta) == Some(PackageKind::Function);
    let Some(function) = workloads.iter().find(is_function) else { return Vec::new() };
    let core = Core::find(model, version);
    if core.version().has(COMPARES_NAMES_SINCE) != Some(false) {
        return Vec::new();
    }
    let cores = model.workloads().flat_map(|(id, object, template)| {
        // Arguments of containers that no target matches are not read, so the image has to identify the core. The RBAC
        // manager has the same image.
        let may_be_core = |container: &&Container| {
            let is_manager = object.meta.name.ends_with(RBAC_MANAGER);
            is_core(template, container)
                || container.args.is_none() && is_crossplane(template, container) && !is_manager
        };
        template.containers.iter().filter(may_be_core).map(move |container| (id.object, &object.meta, container))
    });
    let warning = |(id, meta, container): (_, _, &Container)| {
        variable(container, "HTTPS_PROXY")?;
        let range = only_range(variable(container, "NO_PROXY")?)?;
        let message = format!(
            "{meta}, container {}: {} compares the address of a function with NO_PROXY, and {} gets the address of its node. Add the nodes' \
             range to NO_PROXY, which has only {range}: `cluster: {{nodes: [...]}}` of a ProxyEnvironment",
            container.name,
            core.display_name(),
            function.meta
        );
        Some(Finding::new(Severity::Warning, rule::FUNCTION, message).on_object(id))
    };
    cores.filter_map(warning).collect()
}

/// Value of a variable; like Go, reads the upper-case name first, then the lower-case name.
fn variable<'c>(container: &'c Container, name: &str) -> Option<&'c str> {
    let value = |name: &str| Some(container.env_var(name)?.1.value?).filter(|value| !value.is_empty());
    value(name).or_else(|| value(&name.to_ascii_lowercase()))
}
