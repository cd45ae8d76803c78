//! `hostnet schema`: prints schemas of the config kinds and of reports.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::streams::print;
use crate::api::{function_definitions, json_schema};
use crate::render::{JsonReport, report_schema};
use krm::json_text;

/// Print the JSON Schema of the config kinds, or of a report.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet schema >hostnet.schema.json
  hostnet schema --report ports
  hostnet schema --function-definition")]
pub(super) struct Schema {
    /// Print a KRMFunctionDefinition of each kind instead.
    #[arg(long)]
    function_definition: bool,
    /// Print the schema of a report with `-o json` instead: the report of `ports`, or the report of `check`, `apply`
    /// and `patch`.
    #[arg(long, value_enum, value_name = "COMMAND", conflicts_with = "function_definition")]
    report: Option<Report>,
}

/// Command with a JSON report.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Report {
    Ports,
    Check,
}

impl From<Report> for JsonReport {
    fn from(report: Report) -> Self {
        match report {
            Report::Ports => Self::Ports,
            Report::Check => Self::Check,
        }
    }
}

impl Schema {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        if self.function_definition {
            let texts: Result<Vec<String>, _> = function_definitions().iter().map(serde_saphyr::to_string).collect();
            return print(&texts?.join("---\n"));
        }
        print(&json_text(&self.report.map_or_else(json_schema, |report| report_schema(report.into()))))
    }
}
