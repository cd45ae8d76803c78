//! `hostnet pin`: records automatically chosen ports in the config's `assigned`.

use std::collections::{BTreeSet, HashSet};

use super::config_text::Records;
use crate::api::{HOST_NETWORK, HostNetworkConfig};
use crate::host_network::{Origin, PortRow};
use lossless_yaml::{EditError, Value};

/// The recorded numbers of a HostNetwork.
const ASSIGNED: Records =
    Records { kind: HOST_NETWORK, key: "assigned", after: &["portPool", "exclude", "targets"], before: &[] };

/// A config with updated `assigned`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// New text of the config.
    pub text: String,
    /// Added keys with their ports.
    pub added: Vec<(String, u16)>,
    /// Removed keys, which match no listener.
    pub removed: Vec<String>,
    /// Number of unused keys that were kept.
    pub unused: usize,
}

/// Writes chosen ports into a config's text in sorted order; all other text stays unchanged. With `prune`, keys without
/// a listener in the input are removed.
///
/// ```
/// # use hostnet::api::HostNetworkConfig;
/// # use hostnet::kinds::{host_network, pin};
/// # use krm::{Input, Origin};
/// let config = "\
/// apiVersion: hostnet.dev/v1alpha1
/// kind: HostNetwork
/// metadata: {name: web}
/// spec:
///   targets:
///   - {select: {kind: Pod}, ports: auto}   # all of them
/// ";
/// let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: web, \
///            args: [--port=8080], ports: [{name: http, containerPort: 8080}]}]}}";
/// let read = HostNetworkConfig::read(config, "config.yaml", 1).unwrap();
/// let input = Input::read(Origin::stdin(), pod.into()).unwrap();
/// let (rows, _) = host_network::ports(&[input], &read, true).unwrap();
/// let pinned = pin::pin(config, &read, &rows, false).unwrap();
/// assert_eq!(pinned.text, format!("{config}  assigned:\n    shop/Pod/web/http: {}\n", rows[0].to));
/// ```
pub fn pin(text: &str, config: &HostNetworkConfig, rows: &[PortRow], prune: bool) -> Result<Pinned, EditError> {
    let assigned = &config.host_network.spec.assigned;
    let chosen = rows.iter().filter(|row| row.origin == Origin::Pool);
    // Listeners with the same number (TCP and UDP) have separate keys; the first key determines the number.
    let mut added: Vec<(String, u16)> = Vec::new();
    let mut together: HashSet<(&str, u16)> = HashSet::new();
    for row in chosen {
        if together.insert((&row.workload, row.to)) {
            added.push((row.key.clone(), row.to));
        }
    }
    let here: BTreeSet<&str> =
        rows.iter().filter(|row| row.origin == Origin::Assigned).map(|row| row.key.as_str()).collect();
    let mut removed: Vec<String> = assigned.keys().filter(|key| !here.contains(key.as_str())).cloned().collect();
    let unused = if prune { 0 } else { removed.len() };
    if !prune {
        removed.clear();
    }
    let mut text = text.to_owned();
    let removed_keys: HashSet<&str> = removed.iter().map(String::as_str).collect();
    let keys: BTreeSet<&str> = assigned.keys().map(String::as_str).filter(|key| !removed_keys.contains(key)).collect();
    ASSIGNED.remove(&mut text, &removed)?;
    let new = added.iter().map(|(key, number)| (key.clone(), Value::from(*number))).collect();
    ASSIGNED.add(&mut text, &keys, new)?;
    Ok(Pinned { text, added, removed, unused })
}
