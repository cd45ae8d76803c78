//! `hostnet proxy`: evaluates proxy variables.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::build::Build;
use super::input::{Given, Manifests, read_config, read_inputs};
use super::streams::{print, print_escaped, print_messages};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::ProxyConfig;
use crate::kinds::proxy_check::check_routes;
use crate::kinds::proxy_values::{ChartValues, values, why_not};
use crate::proxy::{Host, Target, explain};
use crate::render::proxy::{json, text};
use crate::rule::Severity;
use crate::version::ProgramVersion;
use krm::{json_text, shown_path};

/// Show the routes that proxy variables choose, for one host or all hosts of manifests.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet proxy explain 10.0.0.1:443 --no-proxy 10.0.0.0/8,.svc
  hostnet proxy check manifests/
  hostnet proxy env -c proxy.yaml --as helm-values")]
pub(super) struct Proxy {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Explain(Explain),
    Check(Check),
    Env(Env),
}

/// Show whether Go programs reach a host directly or through the proxy, and which entry of `NO_PROXY` decides.
///
/// The first word of the output is `direct` or `proxy`. The rules are the rules of Go's matcher
/// (golang.org/x/net/http/httpproxy); curl, Python and gRPC's C core interpret the list differently.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet proxy explain 10.0.0.1:443 --no-proxy 10.0.0.0/8,.svc
  hostnet proxy explain fn.crossplane-system --no-proxy .svc --crossplane v1.19.0
  hostnet proxy explain dns:///fn.crossplane-system:9443 --no-proxy .crossplane-system --crossplane v2.3.4")]
struct Explain {
    // Not a doc comment, because rustdoc would read `[IPV6]` as a link.
    #[arg(
        value_name = "HOST[:PORT]",
        help = "The host: HOST, HOST:PORT or [IPV6]:PORT, also after http:// or https:// (default); `dns:///HOST:PORT`, \
                as Crossplane writes the endpoint of a function"
    )]
    host: String,
    /// The value of `NO_PROXY`.
    #[arg(long, value_name = "LIST")]
    no_proxy: String,
    /// Show the route of function calls by this version of Crossplane; the host is SERVICE.NAMESPACE, with port 9443.
    #[arg(long, value_name = "VERSION")]
    crossplane: Option<String>,
}

impl Proxy {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        match &self.command {
            Command::Explain(explain) => explain.run(),
            Command::Check(check) => check.run(),
            Command::Env(env) => env.run(),
        }
    }
}

impl Explain {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let (target, host) = Target::split(&self.host).map_err(anyhow::Error::msg)?;
        let host = Host::read(host).map_err(anyhow::Error::msg)?;
        let version = self.crossplane.as_deref().map(version).transpose()?;
        let explained = explain(target, &host, &self.no_proxy, version.as_ref());
        let mut text = format!("{}: {}\n", explained.answer, explained.why);
        for note in explained.notes {
            text.push_str(&format!("info: {note}\n"));
        }
        print_escaped(&text)
    }
}

/// Report the routes of each container with proxy variables to the hosts that it is known to dial.
///
/// Without a config manifests are checked as written, with a config as it would write them. Exit codes: 0 no errors; 1
/// errors, or an unreadable input; 2 wrong usage.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet proxy check manifests/
  hostnet proxy check -c proxy.yaml manifests/")]
struct Check {
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Format of the results.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Output,
    /// The default without --build; earlier versions needed it.
    #[arg(long, hide = true)]
    sources: bool,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// Print the variables that a config writes into Crossplane's own containers, as chart values.
///
/// Chart values contain only literal text: a proxy in a Secret or a ConfigMap needs a patch (`hostnet patch --as
/// helmrelease`).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet proxy env -c proxy.yaml --as helm-values >values-proxy.yaml")]
struct Env {
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// The form.
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: EnvForm,
    #[command(flatten)]
    verbosity: Verbosity,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EnvForm {
    /// Values of Crossplane's chart.
    HelmValues,
}

impl Env {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let EnvForm::HelmValues = self.form;
        let config = ProxyConfig::read(&read_config(&self.config)?, &shown_path(&self.config), 1)?;
        if let Some(why) = why_not(&config) {
            anyhow::bail!("{}: {why}", shown_path(&self.config));
        }
        let ChartValues { text, results } = values(&config)?;
        self.verbosity.print_results(&results, &[])?;
        if self.verbosity.stops(&results, 0)? {
            return Ok(self.verbosity.stopped());
        }
        match text {
            Some(text) => print(&text),
            None => anyhow::bail!(
                "{}: no target selects the Deployment crossplane of Crossplane's chart, in the namespace of `crossplane.namespace` or of a target \
                 with `name: crossplane` (else crossplane-system), with the labels of the chart",
                shown_path(&self.config)
            ),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Output {
    Text,
    Json,
}

impl Check {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let config = match &self.config {
            None => None,
            Some(path) => Some(ProxyConfig::read(&read_config(path)?, &shown_path(path), 1)?),
        };
        let command = if config.is_some() { "proxy check -c CONFIG" } else { "proxy check" };
        let given = Given {
            chart_values: true,
            skips_unreadable: true,
            ..Given::reading(&self.paths, self.sources, self.build)
        };
        let Manifests { inputs, coverage, warnings, .. } =
            read_inputs(given, self.config.as_deref(), command, self.verbosity)?;
        self.verbosity.not_read(&coverage)?;
        let report = check_routes(&inputs, config.as_ref())?;
        let warnings = warnings + self.verbosity.print_results(&report.results, &inputs)?;
        match self.output {
            Output::Text => print_messages(&text(&report.rows, coverage.rendered().is_empty(), &report.unread))?,
            Output::Json => print(&json_text(&json(&report.rows)))?,
        };
        self.verbosity.rendered(&coverage)?;
        let of_rows = report.rows.iter().filter(|row| row.severity == Some(Severity::Warning)).count();
        let wrong = report.rows.iter().any(|row| row.severity == Some(Severity::Error));
        let stops = self.verbosity.stops(&report.results, warnings + of_rows)?;
        Ok(self.verbosity.ended(wrong || stops, &coverage))
    }
}

/// Parses the version of Crossplane.
fn version(text: &str) -> anyhow::Result<ProgramVersion> {
    let version = ProgramVersion::read(text);
    if !version.is_known() {
        usage!("`{text}` is not a version of Crossplane; write it as `v1.19` or `v2.3.4`");
    }
    Ok(version)
}
