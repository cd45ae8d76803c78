//! Calls of functions by a core up to Crossplane v1.19, which compares their addresses with `NO_PROXY`.

use super::workload::Workload;
use crate::catalog::{COMPARES_NAMES_SINCE, PackageKind};
use crate::crossplane::{Core, is_core, is_crossplane};
use crate::judge::node_ranges::only_range;
use crate::model::Model;
use crate::model::pod::Container;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// End of the name of the Deployment that calls no functions, in Crossplane's chart.
const RBAC_MANAGER: &str = "rbac-manager";

/// Warns about a core whose `NO_PROXY` has a range of pods alone, if functions move to the addresses of nodes.
pub(super) fn report_function_calls(model: &Model, version: Option<&str>, workloads: &[Workload<'_>]) -> Vec<Finding> {
    let is_function = |workload: &&Workload<'_>| PackageKind::from_meta(workload.meta) == Some(PackageKind::Function);
    let Some(function) = workloads.iter().find(is_function) else { return Vec::new() };
    let core = Core::find(model, version);
    if core.version().has(COMPARES_NAMES_SINCE) != Some(false) {
        return Vec::new();
    }
    let cores = model.workloads().flat_map(|(id, object, template)| {
        // Words of a container that no target matches are not read. The RBAC manager has the same image.
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
        Some(Finding::new(Severity::Warning, rule::FUNCTION, message).on(id))
    };
    cores.filter_map(warning).collect()
}

/// The value of a variable as Go reads it: the upper-case name first.
fn variable<'c>(container: &'c Container, name: &str) -> Option<&'c str> {
    let value = |name: &str| Some(container.env_var(name)?.1.value?).filter(|value| !value.is_empty());
    value(name).or_else(|| value(&name.to_ascii_lowercase()))
}
