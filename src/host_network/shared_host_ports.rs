//! Workloads that declare the same final host port. They move as long as there are enough nodes for
//! one pod per node.

use std::collections::{BTreeMap, BTreeSet};

use super::blocked_moves::BlockedMoves;
use super::host_port_use::{HostPortUse, may_share, never_meet, share};
use crate::api::{HostNetworkConfig, Sharing};
use crate::judge::free_nodes::{Demand, FreeNodes, Shortage, groups, join_names, required_values};
use crate::judge::nodes::{NodeRequirements, Nodes};
use crate::model::WorkloadId;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Nodes taken by pods of other workloads.
#[derive(Debug, Default)]
pub(super) struct OccupiedNodes {
    /// Number of these pods; each takes one node.
    pub(super) pods: u32,
    names: Vec<String>,
}

impl OccupiedNodes {
    /// Remark about taken nodes, for a message that counts the nodes of a workload.
    pub(super) fn remark(&self) -> String {
        match self.pods {
            0 => String::new(),
            pods => format!(" ({pods} more are taken by the same port of {})", join_names(&self.names)),
        }
    }
}

/// Result for all ports.
#[derive(Default)]
pub(super) struct HostPortSharing {
    pub(super) refused: BlockedMoves,
    /// Nodes taken by other workloads, by workload.
    pub(super) taken: BTreeMap<WorkloadId, OccupiedNodes>,
}

/// Workloads with the same final host port that are kept on different nodes.
struct Group<'u, 'm> {
    number: u16,
    protocol: &'u str,
    members: Vec<&'u HostPortUse<'m>>,
    room: FreeNodes<'u>,
    /// Members with enough nodes for their pods; `left` has members with too few.
    kept: Vec<&'u HostPortUse<'m>>,
    left: Vec<&'u HostPortUse<'m>>,
}

/// Decides which workloads of each port move. Order: unselected workloads, workloads with the port already, workloads
/// that the config names, then the others by key.
pub(super) fn share_host_ports(
    config: &HostNetworkConfig,
    nodes: &Nodes<'_>,
    uses: &BTreeMap<(u16, &str), Vec<HostPortUse<'_>>>,
    unmoved: &BTreeSet<WorkloadId>,
) -> HostPortSharing {
    let sharing = Sharing::new(&config.host_network.spec);
    let knows_nodes = !matches!(nodes, Nodes::Unknown);
    let mut all = Vec::new();
    for ((number, protocol), uses) in uses {
        let mut open: Vec<&HostPortUse<'_>> =
            uses.iter().filter(|one| one.is_selected() || !unmoved.contains(&one.id)).collect();
        let mut seen = BTreeSet::new();
        open.retain(|one| seen.insert(&one.key));
        let values = required_values(open.iter().map(|one| one.template));
        let joined = groups(open.len(), |one, other| {
            if values.differ(one, other) {
                return false;
            }
            let (Some(one), Some(other)) = (open.get(one), open.get(other)) else { return false };
            // `shared` accepts that each pod needs a node of its own. It adds no nodes, so known nodes are counted.
            let is_exempt = if knows_nodes { never_meet(one, other) } else { may_share(&sharing, *number, one, other) };
            one.holder().is_kept_apart(&other.holder(), nodes) && !is_exempt
        });
        all.extend(joined.into_iter().map(|members| Group {
            number: *number,
            protocol,
            members: members.into_iter().filter_map(|index| open.get(index).copied()).collect(),
            room: FreeNodes::new(nodes),
            kept: Vec::new(),
            left: Vec::new(),
        }));
    }
    assign_nodes_to_workloads(config, &mut all);
    let mut found = HostPortSharing::default();
    for group in &all {
        if group.left.is_empty() {
            found.refused.findings.extend(group.finding(config, &sharing));
        } else {
            group.refuse(config, &mut found.refused);
        }
        group.count(nodes, &mut found.taken);
    }
    // `open` has only one workload per key. The other workloads with the key stay unchanged too: otherwise each of them
    // would need another attempt.
    let stay: BTreeSet<&str> = all
        .iter()
        .flat_map(|group| &group.left)
        .filter(|one| one.may_stay(config))
        .map(|one| one.key.as_str())
        .collect();
    let others = uses.values().flatten().filter(|one| stay.contains(one.key.as_str()) && one.may_stay(config));
    found.refused.leave.extend(others.map(|one| one.id));
    found
}

/// Assigns nodes to workloads. A workload gets nodes for all of its ports, or no nodes.
fn assign_nodes_to_workloads(config: &HostNetworkConfig, all: &mut [Group<'_, '_>]) {
    let mut ranked: BTreeMap<(WorkloadId, String), (u8, Vec<usize>)> = BTreeMap::new();
    for (index, group) in all.iter().enumerate() {
        for one in &group.members {
            let rank = match one.may_stay(config) {
                false if !one.is_selected() => 0,
                false => 2,
                true if one.uses_port_before_run() => 1,
                true => 3,
            };
            let (first, own) = ranked.entry((one.id, one.key.clone())).or_insert((rank, Vec::new()));
            *first = rank.min(*first);
            own.push(index);
        }
    }
    let mut ranked: Vec<_> = ranked.into_iter().map(|((id, key), (rank, indices))| (rank, key, id, indices)).collect();
    ranked.sort();
    for (_, _, id, indices) in ranked {
        let own = |group: &&Group<'_, '_>| group.use_of(id).is_none_or(|one| group.room.has_nodes_for(&one.holder()));
        let fits = indices.iter().filter_map(|index| all.get(*index)).all(|group| own(&group));
        for index in indices {
            let Some(group) = all.get_mut(index) else { continue };
            let Some(one) = group.use_of(id) else { continue };
            let is_kept = fits || !one.is_selected();
            if is_kept {
                group.room.place_pods(&one.holder());
                group.kept.push(one);
            } else if !group.room.has_nodes_for(&one.holder()) {
                group.left.push(one);
            }
        }
    }
}

impl<'u, 'm> Group<'u, 'm> {
    /// Port use of a workload in the group.
    fn use_of(&self, id: WorkloadId) -> Option<&'u HostPortUse<'m>> {
        self.members.iter().copied().find(|one| one.id == id)
    }

    /// Port number and protocol, such as `8080/TCP`.
    fn port(&self) -> String {
        format!("{}/{}", self.number, self.protocol)
    }

    /// Number of nodes that the workloads need.
    fn demand(members: &[&HostPortUse<'_>], config: &HostNetworkConfig) -> Demand {
        let mut demand = Demand::default();
        for one in members {
            let surges = !(one.is_selected() && config.host_network.spec.rollout.frees_ports());
            demand.add(one.template, one.count.unwrap_or_default(), surges);
        }
        demand
    }

    /// Warning about workloads that all have nodes, unless `shared` accepts all of them.
    fn finding(&self, config: &HostNetworkConfig, sharing: &Sharing<'_>) -> Option<Finding> {
        let kept: Vec<&HostPortUse<'_>> = members_with_pods(&self.kept);
        let first = kept.iter().find(|one| one.is_selected()).or(kept.first())?;
        let mut others =
            kept.iter().enumerate().flat_map(|(at, one)| kept.iter().skip(at + 1).map(move |other| (one, other)));
        if others.all(|(one, other)| sharing.allows(self.number, &one.key, &other.key)) {
            return None;
        }
        let names: Vec<String> = kept.iter().map(|one| one.pods().to_string()).collect();
        let message = format!(
            "{} hold {} of their node. The scheduler keeps them on different nodes: {}. {}",
            join_names(&names),
            self.port(),
            Self::demand(&kept, config).nodes(),
            accept(self.number, &kept)
        );
        Some(self.warning(first, message))
    }

    /// Warning about one workload of the group.
    fn warning(&self, about: &HostPortUse<'_>, message: String) -> Finding {
        let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).of_port(self.number);
        finding.on_object(about.id.object).at(about.path())
    }

    /// Leaves workloads without nodes unchanged; an error for workloads that the config names.
    fn refuse(&self, config: &HostNetworkConfig, refused: &mut BlockedMoves) {
        let mut by_shortage: BTreeMap<Option<Shortage>, Vec<&HostPortUse<'_>>> = BTreeMap::new();
        for one in &self.left {
            by_shortage.entry(self.room.shortage(&one.holder())).or_default().push(one);
        }
        for (shortage, left) in by_shortage {
            self.refuse_for_node_shortage(config, shortage.as_ref(), &left, refused);
        }
    }

    /// Refuses the workloads of `without_node`, which all lack nodes in the same set of nodes.
    fn refuse_for_node_shortage(
        &self,
        config: &HostNetworkConfig,
        shortage: Option<&Shortage>,
        without_node: &[&HostPortUse<'_>],
        refused: &mut BlockedMoves,
    ) {
        let (stay, fail): (Vec<_>, Vec<_>) = without_node.iter().copied().partition(|one| one.may_stay(config));
        // Only pods that cannot run on other nodes compete for these nodes.
        let competes = |one: &&&HostPortUse<'_>| {
            shortage.is_none_or(|shortage| self.room.is_limited_to_shortage_nodes(&one.holder(), shortage))
        };
        let kept = members_with_pods(&self.kept);
        let all: Vec<&HostPortUse<'_>> = kept.iter().chain(&self.left).filter(competes).copied().collect();
        let label = |members: &[&HostPortUse<'_>]| {
            let labels: Vec<String> = members.iter().map(|one| one.pods().to_string()).collect();
            join_names(&labels)
        };
        // Name the required labels only if the shortage concerns a part of the nodes.
        let labels = shortage.filter(|shortage| !shortage.includes_all_nodes());
        let labels =
            labels.and_then(|_| without_node.first()).map(|one| NodeRequirements::from(one.template).description());
        let labels = labels.filter(|labels| !labels.is_empty()).map(|labels| format!(" with `{labels}`"));
        let labels = labels.unwrap_or_default();
        let message = |verdict: String| {
            format!(
                "{} workloads would use {} of their node. {}, and {}: {verdict}. {}",
                all.len(),
                self.port(),
                Self::demand(&all, config).needed_nodes_text(),
                self.node_count_text(shortage, &labels),
                self.remedy(config, &all, &labels)
            )
        };
        if let Some(first) = fail.first() {
            let finding = self.warning(first, message(format!("no node is left for {}", label(&fail))));
            refused.findings.push(Finding { severity: Severity::Error, ..finding });
        }
        if let Some(first) = stay.first() {
            let verdict = if stay.len() == 1 { "is not changed" } else { "are not changed" };
            refused.leave.extend(stay.iter().map(|one| one.id));
            refused.blockers.push(self.warning(first, message(format!("{} {verdict}", label(&stay)))));
        }
    }

    /// Number of nodes for a message, if known.
    fn node_count_text(&self, shortage: Option<&Shortage>, labels: &str) -> String {
        match shortage.map(Shortage::nodes).or_else(|| self.room.nodes()) {
            Some(1) => format!("the cluster has 1 eligible node{labels}"),
            Some(nodes) => format!("the cluster has {nodes} eligible nodes{labels}"),
            None => "the number of nodes is not known".to_owned(),
        }
    }

    /// Remedy for a shortage of nodes.
    fn remedy(&self, config: &HostNetworkConfig, all: &[&HostPortUse<'_>], labels: &str) -> String {
        let other = "give another number with `bind`";
        match self.room.nodes() {
            Some(_) if self.room.nodes_are_from_input() => format!("Add nodes{labels}, or {other}"),
            Some(_) => format!("Add nodes{labels}, or {other}; if `nodes` of the config counts too few, correct it"),
            None => {
                let pods = Self::demand(all, config).pods;
                format!("If the cluster has that many nodes, write `nodes: {pods}` in the spec; else {other}")
            }
        }
    }

    /// Records, for each member, the nodes that pods of the other members take.
    fn count(&self, nodes: &Nodes<'_>, taken: &mut BTreeMap<WorkloadId, OccupiedNodes>) {
        /// Maximum number of workloads in a message.
        const NAMED: usize = 3;
        for one in &self.kept {
            let mut found = OccupiedNodes::default();
            for other in self.kept.iter().filter(|other| other.id != one.id) {
                if !nodes.is_within(other.template.into(), one.template.into()) {
                    continue;
                }
                // Each node runs at most one of the pods.
                let eligible = nodes.eligible(other.template);
                let pods = other.count.or(eligible).unwrap_or_default().min(eligible.unwrap_or(u32::MAX));
                found.pods = found.pods.saturating_add(pods);
                if pods > 0 && found.names.len() < NAMED {
                    found.names.push(other.pods().to_string());
                }
            }
            let entry = taken.entry(one.id).or_default();
            if found.pods > entry.pods {
                *entry = found;
            }
        }
    }
}

/// Members that run pods: `replicas: 0` needs no node.
fn members_with_pods<'u, 'm>(members: &[&'u HostPortUse<'m>]) -> Vec<&'u HostPortUse<'m>> {
    members.iter().copied().filter(|one| one.count != Some(0)).collect()
}

/// Remedy text with the `shared` entry that accepts the warning.
fn accept(number: u16, members: &[&HostPortUse<'_>]) -> String {
    share(number, members).replace("If they never share a node, write", "To accept this, write")
}
