//! `rollout: FreePortFirst`: on the host network a node can run one pod per port, so a rollout that starts new pods
//! before it stops old pods needs a spare node. Without a surge, an old pod frees its ports first.

use super::workload::Workload;
use crate::api::HostNetworkConfig;
use crate::judge::refused_rollout::{refused_new_pod, stops_only_pod_first};
use crate::model::Model;
use crate::model::pod::Rollout;
use crate::model::text::is_placeholder;
use crate::plan::{Change, Edit, Finding, Message, Plan};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Step, Value};

const SURGE: &str = "maxSurge";

const UNAVAILABLE: &str = "maxUnavailable";

/// Sets `maxSurge: 0`, and `maxUnavailable: 1` where it is 0 or may default to 0, if the config requests it and the
/// pods have ports.
pub(super) fn set_rollout_to_free_port_first(config: &HostNetworkConfig, workload: &Workload<'_>, plan: &mut Plan) {
    if !config.host_network.spec.rollout.frees_ports() || !has_port(workload) {
        return;
    }
    let Some(rollout) = &workload.template.rollout else { return };
    let path = |dotted: &str| rollout.path.join(&Path::dotted(dotted));
    let warn = |path: Path, cause: String| {
        let message = format!(
            "{}: {cause}, so a rollout needs, for each new pod, a node where its ports are free; `rollout: FreePortFirst` \
             changes nothing here",
            workload.meta
        );
        Finding::new(Severity::Warning, rule::ROLLOUT, message).on_object(workload.id.object).at(path)
    };
    let written =
        |path: &Path| rollout.strategy.as_ref().and_then(|strategy| strategy.lookup(path)).filter(|v| is_set(v));
    let is_other =
        |value: &Value| matches!(value, Value::Str(text) if rollout.kind.other_types.contains(&text.as_str()));
    if written(&Path::root().key("type")).is_some_and(is_other) {
        return;
    }
    for full in rollout.kind.full_surge {
        if full.field.is_empty() || written(&Path::dotted(full.field)).is_some() {
            plan.findings.push(warn(path(full.field), full.what.to_owned()));
            return;
        }
    }
    if let Some((path, value)) = unreadable_strategy(rollout) {
        let message = format!(
            "{}: {path} is `{}`, which does not show whether a rollout starts new pods before old ones are gone, so it is not changed. \
             Write `maxSurge: 0` and a `maxUnavailable` that is not 0",
            workload.meta, value
        );
        plan.findings
            .push(Finding::new(Severity::Warning, rule::ROLLOUT, message).on_object(workload.id.object).at(path));
        return;
    }
    let settings = Path::dotted(rollout.kind.settings);
    if rollout.kind.is_optional && written(&settings).is_none() {
        return;
    }
    let surge = written(&settings.key(SURGE));
    if surge.map_or(!rollout.kind.surges(), is_zero) {
        return;
    }
    let field = settings.key(UNAVAILABLE);
    let unavailable = match written(&field) {
        Some(kept) => {
            if is_later(kept) {
                plan.findings.push(zero_unavailable_warning(workload, rollout.path.join(&field), kept));
            }
            is_zero(kept)
        }
        // If `maxUnavailable` is not written, its default may be rounded down to 0; the manifest
        // does not show this.
        None => rollout.kind.surges(),
    };
    let mut fields = vec![(SURGE, 0)];
    fields.extend(unavailable.then_some((UNAVAILABLE, 1)));
    plan.edits.extend(edits(workload, rollout, &settings, &fields));
}

/// Warning about a webhook with one pod and `failurePolicy: Fail`, if an edit of this run removes the surge from its
/// rollout, or if no new pod can start without the old one.
pub(super) fn refuses_writes(model: &Model, workload: &Workload<'_>, edits: &[Edit]) -> Option<Finding> {
    let rollout = workload.template.rollout.as_deref();
    let loses_surge = workload.template.pods == Some(1) && edits.iter().any(|edit| edit.rule == rule::ROLLOUT);
    let stops_first = loses_surge || !edits.is_empty() && stops_only_pod_first(workload.pods_view());
    if let Some(refused) = refused_new_pod(model, workload.pods_view()).filter(|_| stops_first) {
        let message = format!("{workload}: {}", refused.deadlock_message(workload.meta.namespace.as_deref()));
        let finding = Finding::new(Severity::Warning, rule::ROLLOUT, message).on_object(workload.id.object);
        return Some(finding.at(rollout.map(|rollout| rollout.path.clone()).unwrap_or_default()));
    }
    let rollout = rollout.filter(|_| loses_surge)?;
    let mut calls = model.services_of(workload.meta, workload.template).flat_map(|(_, meta, _)| model.calls_of(meta));
    let call = calls.find(|call| call.refuses)?;
    let message = format!(
        "{workload}: its only pod stops before the new one runs, and meanwhile the API server refuses requests that {} checks \
         (`failurePolicy: Fail`). Write `replicas: 2`, and a PodDisruptionBudget with `minAvailable: 1`",
        call.by
    );
    let finding = Finding::new(Severity::Warning, rule::ROLLOUT, message).on_object(workload.id.object);
    Some(finding.at(rollout.path.clone()))
}

/// Warning about a `maxUnavailable` that is filled in later, together with `maxSurge: 0`.
fn zero_unavailable_warning(workload: &Workload<'_>, path: Path, value: &Value) -> Finding {
    let message = format!(
        "{}: {path} is `{}`, which is filled in later: with `maxSurge: 0` the API server refuses 0. Fill in 1 or more",
        workload.meta, value
    );
    Finding::new(Severity::Warning, rule::ROLLOUT, message).on_object(workload.id.object).at(path)
}

/// True for a placeholder, whose value is not known yet.
fn is_later(value: &Value) -> bool {
    matches!(value, Value::Str(text) | Value::Raw(text) if is_placeholder(text))
}

/// True if the pods have a port, which two pods cannot share on one node.
fn has_port(workload: &Workload<'_>) -> bool {
    let declared =
        || workload.template.running().any(|(_, container)| container.ports.iter().flatten().next().is_some());
    !workload.listeners.is_empty() || declared()
}

/// Field that hides how pods are replaced: a strategy or settings that are not a mapping, or a type that is filled in
/// later.
fn unreadable_strategy(rollout: &Rollout) -> Option<(Path, &Value)> {
    let strategy = rollout.strategy.as_ref()?;
    let is_unclear = |field: &Path, value: &Value| match value {
        Value::Map(_) | Value::Null => false,
        _ => *field != Path::root().key("type") || is_later(value),
    };
    let fields = [Path::root(), Path::root().key("type"), Path::dotted(rollout.kind.settings)];
    fields.into_iter().find_map(|field| {
        let value = strategy.lookup(&field).filter(|value| is_unclear(&field, value))?;
        Some((rollout.path.join(&field), value))
    })
}

/// Edits that write these fields of the settings: one edit per field, or one edit for all if the settings are missing.
fn edits(workload: &Workload<'_>, rollout: &Rollout, settings: &Path, fields: &[(&str, i64)]) -> Vec<Edit> {
    let old = |path: &Path| rollout.strategy.as_ref().and_then(|strategy| strategy.lookup(path));
    let why = "a new pod gets its ports after an old pod has released them";
    let edit = |path: &Path, new: Value, shown: String| {
        let whole = rollout.path.join(path);
        let message = Message::about(workload.meta, "", format_args!("{whole} {shown}: {why}"));
        let change = match old(path) {
            Some(old) => Change::Set { old: old.clone(), new },
            None => Change::Add { new },
        };
        Edit { object: workload.id.object, path: whole, change, rule: rule::ROLLOUT, message }
    };
    if matches!(old(settings), Some(Value::Map(_))) {
        let field = |(key, new): &(&str, i64)| {
            let path = settings.key((*key).to_owned());
            let was = old(&path).map_or_else(|| "absent".to_owned(), ToString::to_string);
            edit(&path, Value::Int(*new), format!("{was} -> {new}"))
        };
        return fields.iter().map(field).collect();
    }
    // The outermost missing mapping contains all fields.
    let mut path = settings.clone();
    let mut new = Value::map(fields.iter().map(|(key, value)| (*key, Value::Int(*value))));
    while let Some((parent, key)) = path.parent().zip(path.last().and_then(key)) {
        if matches!(old(&parent), Some(Value::Map(_))) {
            break;
        }
        new = Value::map([(key, new)]);
        path = parent;
    }
    let shown: Vec<String> = fields.iter().map(|(key, value)| format!("{key} {value}")).collect();
    vec![edit(&path, new, format!("gets {}", shown.join(", ")))]
}

/// Key of a path's step; `None` for a list element.
fn key(step: &Step) -> Option<String> {
    if let Step::Key(key) = step { Some(key.to_string()) } else { None }
}

/// True for a value that the API server sees: `null` counts as missing.
fn is_set(value: &Value) -> bool {
    *value != Value::Null
}

/// True for 0 and 0 % (`intstr.IntOrString`).
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(number) => *number == 0,
        Value::Str(text) => text.strip_suffix('%').unwrap_or(text).parse() == Ok(0_u32),
        _ => false,
    }
}
