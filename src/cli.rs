//! Command line interface: one file per command, which calls the library.

mod apply;
mod build;
mod catalog;
mod charts;
mod check;
mod config_file;
mod explain;
mod fails;
mod function;
mod generate;
mod init;
mod input;
mod install;
mod learn;
mod mirror;
mod mirror_cache;
mod mirror_nodes;
mod mirror_pin;
mod mirror_report;
mod mirror_script;
mod mirror_verify;
mod other_flags;
mod outermost;
mod output;
mod overlay;
mod overriding_patches;
mod patch;
mod patch_admission;
mod patch_folder;
mod patched_ports;
mod pin;
mod ports;
mod program;
mod progress;
mod proxy;
mod record;
mod registry;
mod reports;
mod repository_builds;
mod schema;
mod source_numbers;
mod streams;
mod usage;
mod verbosity;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};

use self::streams::{ClosedPipe, map_write_error, print, print_stderr, stdout};
use self::usage::Usage;
use crate::kustomize::plugin;
use krm::escape_line;

/// Moves Kubernetes workloads to the host network, with their ports and every reference to them.
///
/// Without a command it is a KRM function: a ResourceList on standard input, the same on standard output.
#[derive(Debug, Parser)]
#[command(
    version,
    name = "hostnet",
    max_term_width = 100,
    after_help = "\
Examples:
  hostnet ports manifests/                    what does the API server call here, and where does it listen?
  hostnet init manifests/                     write the config that moves it
  hostnet apply --diff manifests/             look at what changes"
)]
struct Cli {
    /// Colour: `auto` (on a terminal, and not with `NO_COLOR`), `always` or `never`.
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        global = true,
        display_order = 990,
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true
    )]
    color: ColorChoice,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Init),
    Apply(apply::Apply),
    Check(check::Check),
    Ports(ports::Ports),
    Learn(learn::Learn),
    Pin(pin::Pin),
    Patch(patch::Patch),
    Charts(charts::Charts),
    Proxy(proxy::Proxy),
    Mirror(mirror::Mirror),
    Explain(explain::Explain),
    Catalog(catalog::Catalog),
    Schema(schema::Schema),
    Install(install::Install),
    Completions(generate::Completions),
    Man(generate::Man),
    /// Print the version.
    #[command(after_help = "Examples:\n  hostnet version\n  hostnet --version")]
    Version,
}

/// Parses arguments and runs the command. Exit codes: 0 success; 1 findings or differences, a refused operation, or an
/// unreadable input; 2 wrong usage or an internal error.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(internal_error));
    let args: Vec<OsString> = std::env::args_os().collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) if error.is::<ClosedPipe>() => ExitCode::FAILURE,
        Err(error) => {
            // An error while writing to stderr cannot be reported.
            let _ = print_stderr(&format!("error: {error:#}\n"));
            if error.is::<Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Exits with the code of an internal error.
#[allow(clippy::exit, reason = "a release build has no other way to choose the exit code of a panic")]
fn internal_error(panic: &std::panic::PanicHookInfo<'_>) {
    let _ = print_stderr(&format!("internal error: {panic}\nPlease report it, with the input that shows it.\n"));
    std::process::exit(2);
}

fn run(args: &[OsString]) -> anyhow::Result<ExitCode> {
    if let Some(records) = record::folder(args) {
        return record::pass(args, &records);
    }
    if let Some(config) = plugin::config_of_call(args) {
        return function::plugin(&config);
    }
    if args.len() <= 1 {
        // KRM function without arguments: skips argument parsing, to save time.
        return if std::io::stdin().is_terminal() { help() } else { function::function() };
    }
    set_color(args);
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let error = other_flags::with_tip(error);
            if error.use_stderr() && args.iter().any(|arg| matches!(escape_line(&arg.to_string_lossy()), Cow::Owned(_)))
            {
                // Arguments in the message must not inject terminal sequences, so only clap's colours are kept.
                print_stderr(&error.to_string())?;
            } else {
                drop(if error.use_stderr() { None } else { Some(stdout()?) });
                map_write_error(error.print())?;
            }
            return Ok(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)));
        }
    };
    match cli.command {
        None => help(),
        Some(Command::Init(init)) => init.run(),
        Some(Command::Apply(apply)) => apply.run(),
        Some(Command::Check(check)) => check.run(),
        Some(Command::Ports(ports)) => ports.run(),
        Some(Command::Learn(learn)) => learn.run(),
        Some(Command::Pin(pin)) => pin.run(),
        Some(Command::Patch(patch)) => patch.run(),
        Some(Command::Charts(charts)) => charts.run(),
        Some(Command::Proxy(proxy)) => proxy.run(),
        Some(Command::Mirror(mirror)) => mirror.run(),
        Some(Command::Explain(explain)) => explain.run(),
        Some(Command::Catalog(catalog)) => catalog.run(),
        Some(Command::Schema(schema)) => schema.run(),
        Some(Command::Install(install)) => install.run(),
        Some(Command::Completions(completions)) => completions.run(Cli::command()),
        Some(Command::Man(man)) => man.run(Cli::command()),
        Some(Command::Version) => print(&Cli::command().render_version()),
    }
}

/// Applies `--color` before arguments are parsed, because clap's help and errors also have colour.
fn set_color(args: &[OsString]) {
    let mut args = args.iter().map(|arg| arg.to_string_lossy()).take_while(|arg| arg != "--");
    while let Some(arg) = args.next() {
        let when = match arg.strip_prefix("--color") {
            Some("") => args.next().unwrap_or_default().into_owned(),
            Some(rest) => rest.trim_start_matches('=').to_owned(),
            None => continue,
        };
        match when.as_str() {
            "always" => anstream::ColorChoice::Always.write_global(),
            "never" => anstream::ColorChoice::Never.write_global(),
            _ => {}
        }
    }
}

/// Help for a terminal without a command.
fn help() -> anyhow::Result<ExitCode> {
    map_write_error(Cli::command().print_help())?;
    Ok(ExitCode::from(2))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;
    use super::reports::{ResultFormat, names};

    /// The help of `-o` lists each format explicitly, because it also describes the purpose of some. `ports` has
    /// additional formats.
    #[test]
    fn every_help_names_every_format() {
        let mut cli = Cli::command();
        cli.build();
        let mut count = 0;
        for command in cli.get_subcommands() {
            for arg in command.get_arguments().filter(|arg| arg.get_help().is_some() && arg.get_id() == "output") {
                let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
                if !help.contains("`sarif`") {
                    continue;
                }
                count += 1;
                for name in names::<ResultFormat>().iter().chain(&arg.get_possible_values()) {
                    let name = name.get_name();
                    assert!(
                        help.contains(&format!("`{name}`")),
                        "{}: the help of `-o` lacks `{name}`",
                        command.get_name()
                    );
                }
            }
        }
        assert_eq!(count, 4, "apply, check, ports and patch have `-o FORMAT`");
    }

    /// `ports` supports every format of results.
    #[test]
    fn ports_has_every_format_of_results() {
        let cli = Cli::command();
        let ports =
            cli.find_subcommand("ports").and_then(|ports| ports.get_arguments().find(|arg| arg.get_id() == "output"));
        let known = ports.map(clap::Arg::get_possible_values).unwrap_or_default();
        for name in names::<ResultFormat>() {
            assert!(known.iter().any(|format| format.get_name() == name.get_name()), "`ports -o {}`", name.get_name());
        }
    }
}
