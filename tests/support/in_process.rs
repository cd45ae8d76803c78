//! Runs through the library instead of a new process, as the fuzz targets do.

use hostnet::api::AnyConfig;
use hostnet::kinds;
use hostnet::render::Diagnostic;
use krm::{Input, Origin};

/// Exit code and output of one run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as text; panics if it is not UTF-8.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).expect("output is UTF-8")
    }
}

/// Does the same as `hostnet apply -c config.yaml input.yaml`.
pub(crate) fn apply(config: &str, input: &str) -> Run {
    applied(config, input).unwrap_or_else(|stderr| Run { code: Some(1), stdout: Vec::new(), stderr })
}

fn applied(config: &str, input: &str) -> Result<Run, String> {
    let config = AnyConfig::read(config, "config.yaml", 1).map_err(|error| error.to_string())?;
    let input = Input::read(Origin::file("input.yaml"), input.into()).map_err(|error| error.to_string())?;
    let run = kinds::run(std::slice::from_ref(&input), &config, false).map_err(|error| error.to_string())?;
    let reported = |result: &Diagnostic| format!("{}: {}\n", result.rule, result.message);
    let stderr: String = run.results.iter().map(reported).collect();
    if run.failed() {
        return Err(stderr);
    }
    let stdout = run.splices.first().map_or_else(String::new, |splices| input.output(splices));
    Ok(Run { code: Some(0), stdout: stdout.into(), stderr })
}
