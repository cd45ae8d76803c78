//! Numbers that a config sets aside, and the ranges that Services and clients get their ports from.

use std::collections::BTreeSet;

use super::holder::{HolderKind, OnNodes, PortHolder};
use super::pods::namespace;
use crate::api::{PortRange, workload_of};
use crate::catalog::{CLIENT_PORTS, SERVICE_NODE_PORTS};
use crate::check::CheckContext;
use crate::host_network::PortRow;

/// `reserved`, `assigned` for listeners that are not among `rows` and not among the `known` holders, the pool, and the
/// default ranges.
pub(super) fn holders(context: &CheckContext<'_>, rows: &[PortRow], known: &[PortHolder]) -> Vec<PortHolder> {
    let (first, last) = SERVICE_NODE_PORTS.into_inner();
    let services = PortHolder::from_range(first, last, HolderKind::NodePortRange, "Services");
    let (first, last) = CLIENT_PORTS.into_inner();
    let clients = PortHolder::from_range(first, last, HolderKind::ClientRange, "clients on the node");
    let mut holders = vec![services, clients];
    let Some(spec) = context.settings.host_network else { return holders };
    let range = |range: PortRange, kind, name: &str| PortHolder::from_range(range.first(), range.last(), kind, name);
    holders.extend(spec.reserved.iter().map(|reserved| range(*reserved, HolderKind::Reserved, "reserved")));
    holders.push(range(spec.port_pool.unwrap_or(PortRange::POOL), HolderKind::Pool, "auto"));
    let listed: BTreeSet<&str> = rows.iter().map(|row| row.key.as_str()).collect();
    let held: BTreeSet<(&str, u16)> = known.iter().map(|holder| (holder.name.as_str(), holder.first)).collect();
    let others = spec
        .assigned
        .iter()
        .filter(|(key, port)| !listed.contains(key.as_str()) && !held.contains(&(workload_of(key), port.get())));
    holders.extend(others.map(|(key, port)| {
        let workload = workload_of(key);
        let name = key.strip_prefix(workload).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
        PortHolder {
            port: name,
            namespace: namespace(workload),
            evidence: "recorded for a listener outside of the input".to_owned(),
            nodes: OnNodes::Unknown,
            ..PortHolder::from_range(port.get(), port.get(), HolderKind::Assigned, workload)
        }
    }));
    holders
}
