//! Finds all references to the port of a listener.

use std::sync::Arc;

use super::named_port::NamedPort;
use super::old_number::{find_references_in_init_containers, leftovers};
use super::other_workloads::find_references_in_other_workloads;
use super::own_texts::{annotations, find_references_in_own_texts, probes};
use super::pod_fields::{AllPods, PodFields};
use super::pod_texts::PodTexts;
use super::search::Search;
use super::target::{possible_match_message, target};
use super::types::{AffectedWorkloads, PolicyPort, Reference};
use super::{config_references, literal_addresses, peers, siblings};
use crate::model::facts::{Count, Effect, FieldPort, Reach};
use crate::model::listener::{Listener, WorkloadView};

/// All references to a listener's number. `fields` are fields outside of pod templates that apply to the pod; `texts`
/// are texts of the pod.
pub fn references(
    all: &AllPods<'_>,
    pods: WorkloadView<'_>,
    fields: &PodFields<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
) -> Vec<Reference> {
    let transports = texts.transports(listener);
    let search = &Search { model: all.model, pods, texts, listener, transports: &transports };
    let mut found = Vec::new();
    if listener.protocol == "TCP" {
        probes(search, &mut found);
    }
    find_references_in_own_texts(search, &mut found);
    if listener.protocol == "TCP" {
        annotations(search, &mut found);
    }
    for named in fields.iter() {
        found.extend(outside(all, pods, named, listener));
    }
    if listener.protocol == "TCP" {
        for named in &fields.commands {
            let others = AffectedWorkloads { workloads: all.audience(&named.subject).sure, count: Count::All };
            found.extend(named.command.references(named.object, listener.number, &others));
        }
    }
    peers::references(search, &mut found);
    siblings::references(search, &mut found);
    config_references::references(search, &mut found);
    leftovers(search, &mut found);
    find_references_in_init_containers(search, &mut found);
    literal_addresses::references(search, &mut found);
    find_references_in_other_workloads(search, &mut found);
    found
}

/// Reference to a listener from a field outside of the pod templates; `None` without a reference.
fn outside(all: &AllPods<'_>, pods: WorkloadView<'_>, named: &NamedPort<'_>, listener: &Listener) -> Option<Reference> {
    let (object, field) = (named.object, named.field.as_ref());
    if let Effect::Target(index) = field.effect {
        return target(all, pods, named, index, listener);
    }
    if !field.names(listener.number, &listener.protocol) {
        return None;
    }
    let path = field.path.clone();
    let follows = |count: Count| {
        field.reference(object, AffectedWorkloads { workloads: all.audience(&named.subject).sure, count })
    };
    Some(match &field.effect {
        Effect::MayOpen(rule) => Reference::PossiblePolicyPort { object, path, rule: Arc::clone(rule) },
        Effect::Opens(rule) => {
            let audience = all.audience(&named.subject);
            let rule = Arc::clone(rule);
            if named.reach == Reach::Maybe || audience.more {
                return Some(Reference::PossiblePolicyPort { object, path, rule });
            }
            let is_range = matches!(&field.port, FieldPort::Numbers(numbers) if numbers.start() != numbers.end());
            let value = field.value.clone();
            Reference::PolicyPort(PolicyPort { object, path, value, is_range, rule, others: audience.sure })
        }
        Effect::ReportedUnlessOwn(_, around) if around.is_own_port(all.model, listener.number) => return None,
        Effect::Reported(what) | Effect::ReportedUnlessOwn(what, _) => {
            Reference::Seen { object, path, what: what.clone() }
        }
        _ if named.reach == Reach::Maybe => {
            Reference::Seen { object, path, what: possible_match_message(listener, "a port") }
        }
        Effect::Blocks(why) => Reference::Blocking { object, path, why: why.clone() },
        Effect::Follows(count) => follows(*count),
        Effect::Target(_) => follows(Count::All),
    })
}
