//! Autoscalers, which set the replicas of workloads (`catalog/autoscalers.yaml`).

use crate::catalog::autoscaler;
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Pattern};

/// Autoscaler of a workload.
#[derive(Debug, Clone)]
pub struct Autoscaler {
    /// Kind and name of the scaled workload.
    pub target: (String, String),
    /// Minimum number of replicas; `None` for a schedule, which leaves the workload's own number until it begins.
    pub fewest: Option<u32>,
    /// Maximum number of replicas.
    pub most: u32,
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
        })
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
