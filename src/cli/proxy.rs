//! `hostnet proxy`: what proxy variables decide.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::streams::print;
use crate::model::text::ProgramVersion;
use crate::proxy::{Host, explain};

/// What proxy variables decide: for one host.
#[derive(Debug, Args)]
pub(super) struct Proxy {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Explain(Explain),
}

/// Say whether Go programs reach a host directly or through the proxy, and which entry of `NO_PROXY` decides.
///
/// The first word is `direct` or `proxy`. Go's own matcher decides (golang.org/x/net/http/httpproxy): curl, Python and gRPC's C core
/// read the list otherwise.
#[derive(Debug, Args)]
struct Explain {
    /// The host: HOST, HOST:PORT or [IPV6]:PORT, also behind http:// or https:// (default).
    #[arg(value_name = "HOST[:PORT]")]
    host: String,
    /// The value of `NO_PROXY`.
    #[arg(long, value_name = "LIST")]
    no_proxy: String,
    /// Answer for the calls of functions by a Crossplane of this version: SERVICE.NAMESPACE, whose port is 9443.
    #[arg(long, value_name = "VERSION")]
    crossplane: Option<String>,
}

impl Proxy {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        match &self.command {
            Command::Explain(explain) => explain.run(),
        }
    }
}

impl Explain {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let host = Host::read(&self.host).map_err(anyhow::Error::msg)?;
        let version = self.crossplane.as_deref().map(version).transpose()?;
        let explained = explain(&host, &self.no_proxy, version.as_ref());
        let mut text = format!("{}: {}\n", explained.answer, explained.why);
        for note in explained.notes {
            text.push_str(&format!("info: {note}\n"));
        }
        print(&text)
    }
}

fn version(text: &str) -> anyhow::Result<ProgramVersion> {
    let version = ProgramVersion::read(text);
    anyhow::ensure!(
        version != ProgramVersion::unknown(),
        "`{text}` is not a version of Crossplane; write it as `v1.19` or `v2.3.4`"
    );
    Ok(version)
}
