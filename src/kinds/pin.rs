//! `hostnet pin`: records automatically chosen ports in the config's `assigned`.

use std::collections::{BTreeSet, HashSet};
use std::ops::Bound;

use crate::api::{HOST_NETWORK, HostNetworkConfig};
use crate::host_network::{Origin, PortRow};
use lossless_yaml::{EditError, NodeRef, Op, Path, Place, Tree, Value};

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
    let removals: Vec<Op> = removed.iter().map(|key| Op::Remove { path: list().key(key.clone()) }).collect();
    if !removals.is_empty() {
        apply(&mut text, &removals)?;
    }
    let removed_keys: HashSet<&str> = removed.iter().map(String::as_str).collect();
    let keys: BTreeSet<&str> = assigned.keys().map(String::as_str).filter(|key| !removed_keys.contains(key)).collect();
    let exists = has(&text, &list());
    if !exists && !added.is_empty() {
        let entries = added.iter().map(|(key, number)| (key.clone(), Value::from(*number))).collect();
        let value = Value::Map(entries);
        let after = ["portPool", "exclude", "targets"].map(Into::into).to_vec();
        let place = Place { after, before: Vec::new() };
        apply(&mut text, &[Op::Add { parent: Path::dotted("spec"), key: "assigned".to_owned(), value, place }])?;
    }
    // One batch, because insertions between the same two keys keep their order.
    let between = |(key, number): &(String, u16)| {
        let after = keys.range::<str, _>((Bound::Unbounded, Bound::Excluded(key.as_str()))).next_back();
        let before = keys.range::<str, _>((Bound::Excluded(key.as_str()), Bound::Unbounded)).next();
        let key_of = |key: Option<&&str>| key.map(|key| (*key).to_owned().into()).into_iter().collect();
        let place = Place { after: key_of(after), before: key_of(before) };
        Op::Add { parent: list(), key: key.clone(), value: Value::from(*number), place }
    };
    let new: Vec<Op> = added.iter().filter(|_| exists).map(between).collect();
    if !new.is_empty() {
        apply(&mut text, &new)?;
    }
    Ok(Pinned { text, added, removed, unused })
}

fn list() -> Path {
    Path::dotted("spec.assigned")
}

/// True if the HostNetwork has a node at the path, even an empty one.
pub(super) fn has(text: &str, path: &Path) -> bool {
    has_in(HOST_NETWORK, text, path)
}

/// True if the config of this kind has a node at the path.
pub(super) fn has_in(kind: &str, text: &str, path: &Path) -> bool {
    Tree::parse(text).is_ok_and(|tree| tree.roots().any(|root| is_config_of(kind, root) && root.lookup(path).is_some()))
}

/// True for the document of a HostNetwork.
pub(super) fn is_config(root: NodeRef<'_, '_>) -> bool {
    is_config_of(HOST_NETWORK, root)
}

/// True if the document is the config of this kind.
fn is_config_of(kind: &str, root: NodeRef<'_, '_>) -> bool {
    root.get("kind").and_then(NodeRef::text) == Some(kind)
}

/// Edits the HostNetwork in the text.
pub(super) fn apply(text: &mut String, ops: &[Op]) -> Result<(), EditError> {
    apply_in(HOST_NETWORK, text, ops)
}

/// Edits the config of this kind in the text.
pub(super) fn apply_in(kind: &str, text: &mut String, ops: &[Op]) -> Result<(), EditError> {
    let document = Tree::parse(text).map_err(EditError::Parse)?.roots().position(|root| is_config_of(kind, root));
    *text = lossless_yaml::edit_text(text, document.unwrap_or_default(), &Path::root(), ops)?;
    Ok(())
}
