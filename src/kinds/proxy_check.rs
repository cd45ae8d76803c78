//! `hostnet proxy check`: what proxy variables decide, as objects are written, or as a config would write them.

use super::function::RunError;
use super::load::Loaded;
use super::proxy_environment::load;
use super::run::run;
use crate::api::ProxyConfig;
use crate::proxy::{Row, check};
use crate::render::Diagnostic;
use crate::wire::Input;

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
        return Ok(ProxyReport { rows: check(&model, &facts, None), results: Vec::new() });
    };
    let run = run(inputs, config, false)?;
    let written = inputs.iter().zip(&run.splices);
    let written =
        written.map(|(input, splices)| Input::read(input.origin().clone(), input.output(splices).into_bytes()));
    let written: Vec<Input> = written.collect::<Result<_, _>>()?;
    let (Loaded { model, .. }, facts) = load(&written)?;
    Ok(ProxyReport { rows: check(&model, &facts, Some(config)), results: run.results })
}
