//! Conflicts between two uses of the same port number.

use crate::catalog::PackageKind;
use crate::check::port_use::{Overlap, Use};
use crate::check::{CheckContext, Workload};
use crate::model::pod::{Placement, never_share_a_node};

/// True if two uses of a number may run on one node and this rule reports them: false if the config lists both under
/// `shared`, and for conflicts that other rules report.
pub(super) fn conflict(context: &CheckContext<'_>, number: u16, one: &Use<'_, '_>, other: &Use<'_, '_>) -> bool {
    let (a, b) = (one.workload, other.workload);
    // True if `on` is bound to a node that does not admit `away`, and no Pod of `away` runs there.
    let keeps_away = |on: &Workload<'_>, away: &Workload<'_>| {
        let node = on.template.placement.as_deref().and_then(Placement::node_name);
        node.is_some_and(|node| {
            context.nodes.allows(node, away.asked()) == Some(false) && !context.running.is_on(&away.key, node)
        })
    };
    let may_meet = || {
        let is_seen = || context.running.node_of_both(&a.key, &b.key).is_some();
        !never_share_a_node(a.placed(), b.placed())
            && !keeps_away(a, b)
            && !keeps_away(b, a)
            && (context.nodes.may_run_both(a.asked(), b.asked()) || is_seen())
    };
    let is_shared = || context.sharing.as_ref().is_some_and(|sharing| sharing.allows(number, &a.key, &b.key));
    let are_together = !context.never_together(a, b);
    let are_judged = !a.is_static || !b.is_static;
    // Rule `runtime-config` reports packages with the same runtime config, rule `function` reports Functions.
    let is_function = |one: &Workload<'_>| PackageKind::from_meta(one.meta) == Some(PackageKind::Function);
    let are_said_elsewhere = a.id == b.id || is_function(a) && is_function(b);
    let overlaps = one.overlap(other) != Overlap::Apart;
    a.key != b.key && !are_said_elsewhere && are_judged && are_together && overlaps && !is_shared() && may_meet()
}
