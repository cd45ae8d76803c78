//! `hostnet completions` and `hostnet man`, generated from the flag definitions.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

use super::streams::print;
use krm::shown_path;

/// Print the completions of a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(hostnet completions bash)
  hostnet completions zsh >\"${fpath[1]}/_hostnet\"")]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the man page, or write one for each command into a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet man | man -l -
  hostnet man --output-dir /usr/local/share/man/man1")]
pub(super) struct Man {
    /// Write hostnet.1, hostnet-apply.1 and so on into this folder.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

impl Completions {
    /// Prints the completions of `program`.
    pub(super) fn run(&self, mut program: Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "hostnet", &mut script);
        print(&String::from_utf8(script)?)
    }
}

impl Man {
    /// Prints or writes the pages of `program`.
    pub(super) fn run(&self, program: Command) -> anyhow::Result<ExitCode> {
        let command = program.disable_help_subcommand(true);
        let Some(folder) = &self.output_dir else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            return print(&String::from_utf8(page)?);
        };
        std::fs::create_dir_all(folder).with_context(|| shown_path(folder))?;
        clap_mangen::generate_to(command, folder).with_context(|| shown_path(folder))?;
        Ok(ExitCode::SUCCESS)
    }
}
