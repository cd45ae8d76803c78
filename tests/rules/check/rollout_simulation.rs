//! A simulation of the Deployment controller and of a scheduler that puts one pod of a port on a node. The rules
//! `rollout-surge` and `replicas-nodes` have to predict its results.
//!
//! Source: kubernetes v1.36 `pkg/controller/deployment/rolling.go` (`rolloutRolling`, `reconcileOldReplicaSets`,
//! `cleanupUnhealthyReplicas`) and `util/deployment_util.go` (`NewRSNewReplicas`, `ResolveFenceposts`, `DeploymentComplete`).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{host_spec, report};

/// A Deployment during an update: running and pending pods of the old and of the new `ReplicaSet`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    old_running: u32,
    old_waiting: u32,
    new_running: u32,
    new_waiting: u32,
}

impl State {
    fn all_old(&self) -> u32 {
        self.old_running + self.old_waiting
    }

    fn all_new(&self) -> u32 {
        self.new_running + self.new_waiting
    }

    fn available(&self) -> u32 {
        self.old_running + self.new_running
    }

    /// Schedules pending pods onto free nodes, the oldest first.
    fn schedule(&mut self, nodes: u32) {
        let old = self.old_waiting.min(nodes.saturating_sub(self.available()));
        self.old_waiting -= old;
        self.old_running += old;
        let new = self.new_waiting.min(nodes.saturating_sub(self.available()));
        self.new_waiting -= new;
        self.new_running += new;
    }

    /// Deletes `count` pods of the old `ReplicaSet`, pending pods first.
    fn take_old(&mut self, count: u32) {
        let waiting = count.min(self.old_waiting);
        self.old_waiting -= waiting;
        self.old_running -= (count - waiting).min(self.old_running);
    }
}

/// The end of an update.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// All pods are new and available, and each found a node at once.
    Ends,
    /// All pods are new and available, and some had to wait for a node.
    EndsLater,
    Never,
}

fn end(replicas: u32, surge: u32, unavailable: u32, nodes: u32) -> End {
    let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable.min(replicas) };
    let mut state = State { old_running: 0, old_waiting: replicas, new_running: 0, new_waiting: 0 };
    state.schedule(nodes);
    let mut waited = false;
    loop {
        let before = state.clone();
        let most = replicas + surge;
        let more = most.saturating_sub(state.all_old() + state.all_new()).min(replicas - state.all_new());
        if more > 0 {
            state.new_waiting += more;
        } else if state.all_old() > 0 {
            let least = replicas - unavailable;
            let to_clean = (state.all_old() + state.all_new()).saturating_sub(least + state.new_waiting);
            if to_clean > 0 {
                state.take_old(to_clean.min(state.old_waiting));
                state.take_old(state.available().saturating_sub(least).min(state.all_old()));
            }
        }
        state.schedule(nodes);
        waited |= state.new_waiting > 0;
        if state.all_old() == 0 && state.new_running == replicas {
            return if waited { End::EndsLater } else { End::Ends };
        }
        if state == before {
            return End::Never;
        }
    }
}

/// Up to twelve replicas, each surge, each number of unavailable pods, on up to fourteen nodes.
#[test]
fn an_update_ends_unless_a_rule_reports_it() {
    let cases =
        (1..=12).flat_map(|replicas| (0..=12).flat_map(move |surge| (0..=12).map(move |gone| (replicas, surge, gone))));
    let cases: Vec<(u32, u32, u32)> = cases.collect();
    let mut manifest = String::new();
    for (index, (replicas, surge, gone)) in cases.iter().enumerate() {
        let number = 20_000 + index;
        let spec = host_spec(&format!("ports: [{{name: http, containerPort: {number}, hostPort: {number}}}]"));
        write!(
            manifest,
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-{index}, namespace: shop}}\nspec:\n  replicas: {replicas}\n  strategy: \
             {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {gone}}}}}\n  template: {{metadata: {{labels: {{app: web}}}}, spec: {spec}}}\n---\n"
        )
        .unwrap();
    }
    for nodes in 1..=14 {
        let report = report(&format!("{{nodes: {nodes}}}"), &manifest);
        let is_it = |id: &str| matches!(id, "rollout-surge" | "replicas-nodes");
        let reported = |severity: &str| {
            let log = report.entries.iter().filter(|entry| is_it(entry.rule.id) && entry.severity.as_str() == severity);
            log.filter_map(|entry| Some(entry.object.as_ref()?.name.as_str())).collect::<BTreeSet<&str>>()
        };
        let (errors, infos) = (reported("error"), reported("info"));
        for (index, (replicas, surge, gone)) in cases.iter().enumerate() {
            let name = format!("web-{index}");
            let is_reported = match (errors.contains(name.as_str()), infos.contains(name.as_str())) {
                (true, _) => End::Never,
                (false, true) => End::EndsLater,
                (false, false) => End::Ends,
            };
            let end = end(*replicas, *surge, *gone, nodes);
            assert_eq!(is_reported, end, "{replicas} replicas, {surge}, {gone}, {nodes} nodes");
        }
    }
}
