//! Knative objects on the host network.

use crate::rule::{KNATIVE, Severity};

use crate::check::facts::OfKind;
use crate::check::{Finding, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let asked = situation.all_of(|facts| if let OfKind::Knative(asked) = facts { Some(&**asked) } else { None });
    let find = |(id, meta, asked): (usize, &crate::model::Meta, &crate::check::facts::knative::HostNetworkAsked)| {
        let message = format!(
            "{meta}: {} is true; Knative's webhook refuses it unless the feature `kubernetes.podspec-hostnetwork` is enabled, and its \
             proxy in each pod always takes 8012, 8013, 8022, 9090 and 9091: one pod a node. Remove it",
            asked.path
        );
        let finding = Finding::new(Severity::Error, KNATIVE, message).on(id).at(asked.path.clone());
        finding.brief("remove `hostNetwork`: Knative's webhook refuses it, and one pod a node could run", "")
    };
    asked.map(find).collect()
}
