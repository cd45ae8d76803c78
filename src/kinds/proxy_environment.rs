//! `kind: ProxyEnvironment`: loads objects and their proxy settings, then plans.

use std::collections::BTreeSet;

use super::function::{Function, Planned, RunError};
use super::load::{self, LoadedModel, kinds};
use crate::api::{FailOn, PROXY_ENVIRONMENT, ProxyConfig};
use crate::model::{Object, ObjectId};
use crate::plan::Finding;
use crate::proxy::{
    ActualRoute, ObjectFacts, ProxyFacts, ProxyPlan, ProxyTargets, RouteRow, check, plan, unread_variables,
};
use crate::rule::{PROXY_OPAQUE, PROXY_REACH, Severity};
use krm::{Input, ReadError};

/// Loads the objects of inputs and their proxy settings.
pub(super) fn load(inputs: &[Input]) -> Result<(LoadedModel, ProxyFacts), ReadError> {
    let kinds = kinds(None);
    let mut facts = ProxyFacts::default();
    let read = |node: lossless_yaml::NodeRef<'_, '_>| {
        // Templates are loaded with the data that identifies their programs; variables are read separately.
        let object = Object::read(node, &kinds, |_| Some(&[][..]));
        let seen = ObjectFacts::read(&object, node);
        (object, seen)
    };
    let loaded = load::load(inputs, &kinds, read, |id, object, seen| facts.add(id, object, seen))?;
    Ok((loaded, facts))
}

/// Routes of containers to their destinations, and packages whose `NO_PROXY` lists already have a finding.
pub(super) struct ProxyOutcome {
    pub(super) rows: Vec<RouteRow>,
    /// Reasons why a container without a row may have a proxy, one line each.
    pub(super) unread: Vec<String>,
    opaque: BTreeSet<ObjectId>,
}

/// Plans a config. Computes the routes after its changes: of the selected containers, or of all containers with `all`.
pub(super) fn decide<'i>(
    config: &ProxyConfig,
    inputs: &'i [Input],
    all: bool,
) -> Result<(Planned<'i>, ProxyOutcome), RunError> {
    let targets = ProxyTargets::compile(config)?;
    let (loaded, mut facts) = load(inputs)?;
    Ok(loaded.planned(
        inputs,
        |_| false,
        |model| {
            let ProxyPlan { plan, selected, opaque } = plan(model, &mut facts, &targets);
            // After an error the variables are not written, and wrong routes would only repeat the error.
            let rows = if plan.has_errors() && !all {
                Vec::new()
            } else {
                check(model, &facts, Some(config), (!all).then_some(&selected))
            };
            (plan, ProxyOutcome { rows, unread: unread_variables(model, &facts), opaque })
        },
    ))
}

impl Function for ProxyConfig {
    fn plan<'i>(&self, inputs: &'i [Input]) -> Result<Planned<'i>, RunError> {
        let (mut planned, ProxyOutcome { rows, opaque, .. }) = decide(self, inputs, false)?;
        let findings = &mut planned.plan.findings;
        // A plan's finding about an object replaces findings for each destination.
        let messages: BTreeSet<(&str, ObjectId)> =
            findings.iter().filter_map(|finding| Some((finding.rule.id, finding.object?))).collect();
        let is_reported = |row: &RouteRow| {
            row.is_function_row() && messages.contains(&(PROXY_REACH.id, row.object))
                || row.is_of_api_server()
                    && (messages.contains(&(PROXY_OPAQUE.id, row.object)) || opaque.contains(&row.object))
        };
        let more: Vec<Finding> = rows.iter().filter(|row| !is_reported(row)).filter_map(finding).collect();
        findings.extend(more);
        Ok(planned)
    }

    fn kind_name_and_fail_on(&self) -> (&'static str, &str, FailOn) {
        (PROXY_ENVIRONMENT, &self.proxy.metadata.name, self.proxy.spec.fail_on)
    }
}

/// Finding for a wrong route. A network policy that blocks the destination does not prevent writing the variables.
fn finding(row: &RouteRow) -> Option<Finding> {
    let severity = match row.severity? {
        Severity::Error if row.reached == ActualRoute::Blocked => Severity::Warning,
        severity => severity,
    };
    Some(Finding::new(severity, row.rule, row.message()).on_object(row.object))
}
