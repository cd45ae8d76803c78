//! Pods on the host network that expect their own host name.

use crate::check::{CheckContext, Finding};
use crate::judge::host_name;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let on_host = context.on_host();
    on_host.flat_map(|workload| host_name::findings(context.model, workload.object, workload.pods_view())).collect()
}
