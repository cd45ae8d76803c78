//! `hostnet schema`: prints schemas of the config kinds.

use std::process::ExitCode;

use clap::Args;

use super::streams::print;
use crate::api::{function_definitions, json_schema};
use krm::json_text;

/// Print the JSON Schema of the config kinds.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet schema >hostnet.schema.json
  hostnet schema --function-definition")]
pub(super) struct Schema {
    /// Print a KRMFunctionDefinition of each instead.
    #[arg(long)]
    function_definition: bool,
}

impl Schema {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        if self.function_definition {
            let texts: Result<Vec<String>, _> = function_definitions().iter().map(serde_saphyr::to_string).collect();
            return print(&texts?.join("---\n"));
        }
        print(&json_text(&json_schema()))
    }
}
