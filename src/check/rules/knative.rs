//! Knative's objects on the host network.

use crate::rule::{KNATIVE, Severity};

use super::{Finding, Situation};
use crate::check::facts::OfKind;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let asked = situation.all_of(|facts| if let OfKind::Knative(asked) = facts { Some(&**asked) } else { None });
    let find = |(id, meta, asked): (usize, &crate::model::Meta, &crate::check::facts::knative::HostNetworkAsked)| {
        let message = format!(
            "{meta}: {} is true; Knative's webhook refuses it unless the feature `kubernetes.podspec-hostnetwork` is enabled, and its \
             proxy in each pod always takes 8012, 8013, 8022, 9090 and 9091: one pod a node. Remove it",
            asked.path
        );
        Finding::new(Severity::Error, KNATIVE, message).on(id).at(asked.path.clone())
    };
    asked.map(find).collect()
}
