//! `hostnet proxy check`: evaluates proxy variables of the objects, either as written or as a config would write them.

use super::function::{Planned, RunError};
use super::load::LoadedModel;
use super::proxy_environment::{ProxyOutcome, decide, load};
use super::run::checked_ops;
use crate::api::ProxyConfig;
use crate::proxy::{RouteRow, check, unread_variables};
use crate::render::{Diagnostic, results};
use krm::Input;

/// Result of a proxy check.
#[derive(Debug)]
pub struct ProxyReport {
    /// Route of each container to each destination.
    pub rows: Vec<RouteRow>,
    /// Reasons why a container without a row may have a proxy, one line each.
    pub unread: Vec<String>,
    /// Results of the config's run, without changes.
    pub results: Vec<Diagnostic>,
}

/// Evaluates inputs that belong together; with a config, after its changes.
pub fn check_routes(inputs: &[Input], config: Option<&ProxyConfig>) -> Result<ProxyReport, RunError> {
    let Some(config) = config else {
        let (LoadedModel { model, .. }, facts) = load(inputs)?;
        let unread = unread_variables(&model, &facts);
        return Ok(ProxyReport { rows: check(&model, &facts, None, None), unread, results: Vec::new() });
    };
    let (Planned { mut plan, mut read }, ProxyOutcome { rows, unread, .. }) = decide(config, inputs, true)?;
    checked_ops(&mut plan, &read);
    read.metas.append(&mut plan.new);
    let results = results(plan, &read, false);
    Ok(ProxyReport { rows, unread, results })
}
