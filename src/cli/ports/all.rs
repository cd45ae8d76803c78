//! `hostnet ports --all`: prints all holders of the ports of nodes.

use std::process::ExitCode;

use super::{PortDecisions, Ports, PortsFormat, decide, fail_on_of};
use crate::api::Day;
use crate::cli::config_file::ConfigText;
use crate::cli::input::{Given, Manifests, read_inputs};
use crate::cli::reports::{self, Output};
use crate::cli::streams::coloured;
use crate::kinds::check::{Configs, port_map, run};
use crate::kinds::coverage::Coverage;
use crate::port_map::PortMap;
use crate::render::summary::many;
use crate::render::{Diagnostic, colour, html, port_map as shown};
use krm::{json_text, shown_lines};

impl Ports {
    /// Output with a config: before and after the move.
    pub(super) fn all(&self, file: ConfigText, given: Given<'_>, command: &str) -> anyhow::Result<ExitCode> {
        let decided = decide(file, given, false, (command, fail_on_of), self.verbosity)?;
        self.write_reports(&decided.results, &decided.inputs)?;
        if let Some(code) = self.without_numbers(&decided) {
            return Ok(code);
        }
        let PortDecisions { config, rows, mut inputs, results, warnings, coverage, stops, .. } = decided;
        let map = self.requested(port_map(&mut inputs, Some(&config), &rows)?);
        self.print_map(&map, &results)?;
        if stops {
            return Ok(self.verbosity.ended(true, &coverage));
        }
        self.finish_port_map(&map, &results, warnings, &coverage)
    }

    /// Output without a config: nothing moves, and a check reads the ports.
    pub(super) fn run_all_without_config(&self) -> anyhow::Result<ExitCode> {
        let manifests = read_inputs(self.given(), None, "ports --all", self.verbosity)?;
        let Manifests { mut inputs, warnings, coverage, .. } = manifests;
        let map = self.requested(port_map(&mut inputs, None, &[])?);
        let findings = run(&mut inputs, Vec::new(), &Configs::default(), Day::today())?.outcomes();
        let findings: Vec<Diagnostic> = shown::port_errors_and_warnings(&findings).cloned().collect();
        let warnings = warnings + self.verbosity.print_results(&findings, &inputs)?;
        self.write_reports(&findings, &inputs)?;
        self.print_map(&map, &findings)?;
        let stops = self.verbosity.stops(&findings, warnings)?;
        self.finish_port_map(&map, &findings, warnings, &coverage)?;
        Ok(self.verbosity.ended(stops, &coverage))
    }

    /// The map, with `--called` only the listeners that the API server calls.
    fn requested(&self, map: PortMap) -> PortMap {
        if self.called { map.called() } else { map }
    }

    /// Writes the map in the requested formats. The text on standard output contains no findings, because these are on
    /// standard error.
    fn print_map(&self, map: &PortMap, findings: &[Diagnostic]) -> anyhow::Result<()> {
        reports::write(&self.requested_formats(), |output| {
            Ok(match output {
                Output { format: PortsFormat::Text, file: None } => {
                    coloured(shown_lines(&shown::text(map, &[])).into_owned(), colour::table)
                }
                Output { format: PortsFormat::Text, .. } => shown_lines(&shown::text(map, findings)).into_owned(),
                Output { format: PortsFormat::Markdown, .. } => {
                    shown_lines(&shown::markdown(map, findings)).into_owned()
                }
                Output { format: PortsFormat::Json, .. } => json_text(&shown::json(map, findings)),
                Output { format: PortsFormat::Ranges, .. } => shown::ranges(map),
                Output { format: PortsFormat::Html, .. } => html::port_map(map, findings)?,
                Output { format: PortsFormat::Sarif | PortsFormat::Github, .. } => String::new(),
            })
        })
    }

    fn finish_port_map(
        &self,
        map: &PortMap,
        results: &[Diagnostic],
        warnings: usize,
        coverage: &Coverage,
    ) -> anyhow::Result<ExitCode> {
        let done = vec![many(map.holders.len(), "holder")];
        self.verbosity.print_summary_with_coverage(done, coverage, results, warnings)?;
        Ok(self.verbosity.ended(false, coverage))
    }
}
