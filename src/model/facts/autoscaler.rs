//! Autoscalers, which set the replicas of workloads (`catalog/autoscalers.yaml`).

use crate::catalog::autoscaler;
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Pattern, Tree};

/// Part of the image or command of cluster-proportional-autoscaler, which runs as a workload.
const PROPORTIONAL: &str = "cluster-proportional-autoscaler";

/// Kinds that cluster-proportional-autoscaler scales.
const SCALED_KINDS: [&str; 4] = ["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"];

/// Words of the command and arguments of a container.
fn words_of<'n, 't>(container: NodeRef<'n, 't>) -> impl Iterator<Item = NodeRef<'n, 't>> {
    ["command", "args"].into_iter().filter_map(move |key| container.get(key)).flat_map(NodeRef::items)
}

/// Autoscaler of a workload.
#[derive(Debug, Clone)]
pub struct Autoscaler {
    /// Kind and name of the scaled workload.
    pub target: (String, String),
    /// Minimum number of replicas; `None` for a schedule, which leaves the workload's own number until it begins.
    pub fewest: Option<u32>,
    /// Maximum number of replicas.
    pub most: u32,
    /// `ConfigMap` with parameters that replace these numbers, if the input has it.
    parameters: Option<Box<str>>,
}

impl Autoscaler {
    /// Reads an autoscaler; `None` for other kinds, and without a maximum.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let row = autoscaler(&meta.gvk.group, &meta.gvk.kind)?;
        let target = object.lookup(&Path::dotted(row.target))?;
        let text = |key: &str| target.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let numbers = |path: &'static str| {
            let pattern = Pattern::new(path);
            let written = pattern.find(object).map(|found| found.node).filter(|node| !node.is_null());
            written.map(|node| node.as_int().and_then(|number| u32::try_from(number).ok())).collect::<Vec<_>>()
        };
        let most = || {
            let all = numbers(row.most);
            if all.is_empty() {
                row.most_by_default
            } else {
                all.into_iter().collect::<Option<Vec<_>>>()?.into_iter().max()
            }
        };
        let fewest = |path| numbers(path).into_iter().flatten().min().unwrap_or(row.fewest_by_default);
        let pinned = row.pinned_by.and_then(|annotation| meta.annotations.get(annotation)?.parse().ok());
        Some(Self {
            target: (text("kind").unwrap_or_else(|| "Deployment".to_owned()), text("name")?),
            fewest: pinned.or_else(|| row.fewest.map(fewest)),
            most: pinned.or_else(most)?,
            parameters: None,
        })
    }

    /// Reads a workload that runs cluster-proportional-autoscaler with parameters in its arguments or in a `ConfigMap`;
    /// `None` for other workloads. Without a maximum the minimum is the only certain number.
    ///
    /// Source: kubernetes-sigs/cluster-proportional-autoscaler@088c2e82 `README.md`.
    pub(super) fn read_proportional(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let containers = object.lookup(&Path::dotted("spec.template.spec.containers"))?;
        let container = containers.items().find(|container| {
            let words = container.get("image").into_iter().chain(words_of(*container));
            words.filter_map(NodeRef::text).any(|word| word.contains(PROPORTIONAL))
        })?;
        let words: Vec<&str> = words_of(container).filter_map(NodeRef::text).collect();
        let flag = |name: &str| {
            words.iter().enumerate().find_map(|(at, word)| match word.trim_start_matches('-').split_once('=') {
                Some((own, value)) => (own == name).then_some(value),
                None => words.get(at + 1).copied().filter(|_| word.trim_start_matches('-') == name),
            })
        };
        if flag("namespace").is_some_and(|namespace| Some(namespace) != meta.namespace.as_deref()) {
            return None;
        }
        let (kind, name) = flag("target")?.split_once('/')?;
        let kind = SCALED_KINDS.into_iter().find(|known| known.eq_ignore_ascii_case(kind))?;
        let by_default = flag("default-params").and_then(|text| linear_range(text, true));
        let parameters = flag("configmap").map(Box::from);
        if by_default.is_none() && parameters.is_none() {
            return None;
        }
        // Without parameters the workload keeps its own number.
        let (fewest, most) = by_default.map_or((None, 0), |(fewest, most)| (Some(fewest), most));
        Some(Self { target: (kind.to_owned(), name.to_owned()), fewest, most, parameters })
    }

    /// The autoscaler with the parameters of its `ConfigMap`; `linear` returns the text of the key `linear`.
    pub(in crate::model) fn with_parameters<'m>(&self, linear: impl FnOnce(&str) -> Option<&'m str>) -> Self {
        let range = self.parameters.as_deref().and_then(linear).and_then(|text| linear_range(text, false));
        let (fewest, most) = range.map_or((self.fewest, self.most), |(fewest, most)| (Some(fewest), most));
        Self { fewest, most, ..self.clone() }
    }

    /// Minimum and maximum of a workload's replicas; `own` is the number in its manifest. The autoscaler ignores this
    /// number, except that 0 disables the autoscaler.
    ///
    /// Source: kubernetes v1.36 `pkg/controller/podautoscaler/horizontal.go`, `reconcileAutoscaler`.
    pub fn range(&self, own: u32) -> (u32, u32) {
        if own == 0 {
            return (0, 0);
        }
        let most = own.max(self.most);
        (self.fewest.unwrap_or(own).clamp(1, most), most)
    }
}

/// Minimum and maximum of the replicas by the parameters of cluster-proportional-autoscaler; `below` is true if they are
/// below the key `linear`.
fn linear_range(text: &str, below: bool) -> Option<(u32, u32)> {
    let tree = Tree::parse(text).ok()?;
    let root = tree.root(0)?;
    let linear = if below { root.get("linear")? } else { root };
    let number = |key: &str| linear.get(key)?.as_int().and_then(|number| u32::try_from(number).ok());
    let least = match linear.get("preventSinglePointFailure").and_then(NodeRef::as_bool) {
        Some(true) => 2,
        _ => 1,
    };
    let fewest = number("min").unwrap_or(1).max(least);
    Some((fewest, number("max").unwrap_or(fewest).max(fewest)))
}
