//! Conflicts between two uses of the same port number.

use crate::catalog::PackageKind;
use crate::check::port_use::{Overlap, Use};
use crate::check::{CheckContext, Workload};
use crate::model::index::object_key;
use crate::model::pod::{Placement, PodTemplate, never_share_a_node};

/// True if two uses of a number may run on one node and this rule reports them: false if the config lists both under
/// `shared`, and for conflicts that other rules report.
pub(super) fn conflict(context: &CheckContext<'_>, number: u16, one: &Use<'_, '_>, other: &Use<'_, '_>) -> bool {
    let (a, b) = (one.workload, other.workload);
    let may_share_a_node =
        || a.templates().any(|one| b.templates().any(|other| may_share_a_node(context, (a, one), (b, other))));
    let is_shared = || context.sharing.as_ref().is_some_and(|sharing| sharing.allows(number, &a.key, &b.key));
    let are_together = !context.never_in_one_cluster(a, b);
    // All static Pods of a node have the same key, so compare the keys of their objects.
    let are_two = a.key != b.key || a.is_static && b.is_static && object_key(a.meta) != object_key(b.meta);
    // Rule `runtime-config` reports packages with the same runtime config, rule `function` reports Functions.
    let is_function = |one: &Workload<'_>| PackageKind::from_meta(one.meta) == Some(PackageKind::Function);
    let are_reported_elsewhere = a.id == b.id || is_function(a) && is_function(b);
    let overlaps = one.overlap(other) != Overlap::Separate;
    are_two && !are_reported_elsewhere && are_together && overlaps && !is_shared() && may_share_a_node()
}

/// A workload and one of its pod templates.
type Pods<'w, 'm> = (&'w Workload<'m>, &'w PodTemplate);

/// True if pods of two templates may run on one node.
fn may_share_a_node(context: &CheckContext<'_>, (a, one): Pods<'_, '_>, (b, other): Pods<'_, '_>) -> bool {
    // True if `on` is bound to a node that does not admit `away`, and no Pod of `away` runs there.
    let keeps_away = |on: &PodTemplate, (owner, away): Pods<'_, '_>| {
        let node = on.placement.as_deref().and_then(Placement::node_name);
        node.is_some_and(|node| {
            context.nodes.allows(node, away.into()) == Some(false) && !context.running.is_on(&owner.key, node)
        })
    };
    let is_seen = || context.running.shared_node_of(&a.key, &b.key).is_some();
    !never_share_a_node(a.placement_of_template(one), b.placement_of_template(other))
        && !keeps_away(one, (b, other))
        && !keeps_away(other, (a, one))
        && (context.nodes.have_common_node(one.into(), other.into()) || is_seen())
}
