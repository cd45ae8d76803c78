//! `hostnet proxy check`: what proxy variables decide, as objects are written, or as a config would write them.

use super::function::{Planned, RunError};
use super::load::Loaded;
use super::proxy_environment::{Judged, decide, load};
use super::run::settle;
use crate::api::ProxyConfig;
use crate::proxy::{Row, check};
use crate::render::{Diagnostic, results};
use krm::Input;

/// What a check found: the rows, and what the config's own run said.
#[derive(Debug)]
pub struct ProxyReport {
    /// How each container reaches each destination.
    pub rows: Vec<Row>,
    /// What the run of the config says beside changes.
    pub results: Vec<Diagnostic>,
}

/// Judges inputs that belong together; with a config, as it would write them.
pub fn judge(inputs: &[Input], config: Option<&ProxyConfig>) -> Result<ProxyReport, RunError> {
    let Some(config) = config else {
        let (Loaded { model, .. }, facts) = load(inputs)?;
        return Ok(ProxyReport { rows: check(&model, &facts, None, None), results: Vec::new() });
    };
    let (Planned { mut plan, mut read }, Judged { rows, .. }) = decide(config, inputs, true)?;
    settle(&mut plan, &read);
    read.metas.append(&mut plan.new);
    let results = results(plan, &read, false);
    Ok(ProxyReport { rows, results })
}
