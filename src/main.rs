//! The `hostnet` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    hostnet::cli::main()
}
