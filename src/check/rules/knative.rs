//! Knative objects on the host network.

use crate::rule::{KNATIVE, Severity};

use crate::check::facts::KindFacts;
use crate::check::{CheckContext, Finding};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let host_network =
        context.all_of(|facts| if let KindFacts::Knative(host_network) = facts { Some(&**host_network) } else { None });
    let find = |(id, meta, host_network): (
        usize,
        &crate::model::Meta,
        &crate::check::facts::knative::KnativeHostNetwork,
    )| {
        let message = format!(
            "{meta}: {} is true; Knative's webhook refuses it unless the feature `kubernetes.podspec-hostnetwork` is enabled, and its \
             proxy in each pod always takes 8012, 8013, 8022, 9090 and 9091: one pod a node. Remove it",
            host_network.path
        );
        let finding = Finding::new(Severity::Error, KNATIVE, message).on_object(id).at(host_network.path.clone());
        finding.brief("remove `hostNetwork`: Knative's webhook refuses it, and each node could run only one pod", "")
    };
    host_network.map(find).collect()
}
