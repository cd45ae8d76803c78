//! Runs as a function inside a build started by `--build`: passes objects through and records the function's input.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::streams::{read_stdin, stdout};
use crate::api::GROUP;
use crate::kustomize::plugin;
use krm::functions::ListedConfig;
use krm::{Input, Origin, shown_path};

/// Environment variable with the folder of the records, set by `--build`.
pub(super) const FOLDER: &str = "HOSTNET_BUILD_RECORD";

/// Maximum number of function calls per build.
const MAX_CALLS: usize = 1_000;

/// One call of this program inside a build.
#[derive(Debug)]
pub(super) struct Record {
    /// Configs of the call.
    pub(super) configs: Vec<ListedConfig>,
    /// Objects that the function got.
    pub(super) input: Input,
}

/// Folder of the records if this run is a function inside such a build.
pub(super) fn folder(args: &[OsString]) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    // kustomize runs container functions with `docker`, which `--build` replaces by this program.
    let is_docker = args.first().is_some_and(|name| Path::new(name).file_name().is_some_and(|name| name == "docker"));
    (is_docker || args.len() <= 1 || plugin::config_of_call(args).is_some()).then_some(folder)
}

/// Records the call and writes the objects unchanged.
pub(super) fn pass(args: &[OsString], folder: &Path) -> anyhow::Result<ExitCode> {
    let (config, bytes) = match plugin::config_of_call(args) {
        Some(config) => (fs::read_to_string(&config).with_context(|| shown_path(&config))?, read_stdin()?),
        None => {
            let bytes = read_stdin()?;
            let input = Input::read(Origin::stdin(), bytes.clone())?;
            let Some(config) = input.function_config() else { bail!("the call of this function brings no config") };
            (config.to_owned(), bytes)
        }
    };
    let own = format!("{GROUP}/");
    if !ListedConfig::all_of(&config).iter().any(|config| config.api_version.starts_with(&own)) {
        bail!("a function that is not hostnet's was started in a build without --allow-plugins");
    }
    let mut number = 0;
    let mut file = loop {
        let path = folder.join(format!("{number}.config"));
        match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_CALLS => number += 1,
            file => break file.with_context(|| shown_path(&path))?,
        }
    };
    file.write_all(config.as_bytes()).context("the record of a build")?;
    fs::write(folder.join(format!("{number}.input")), &bytes).context("the record of a build")?;
    let mut out = stdout()?;
    out.write_all(&bytes).and_then(|()| out.flush()).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// Function calls of a folder's build, in order.
pub(super) fn read(records: &Path, built: &Path) -> anyhow::Result<Vec<Record>> {
    let mut read = Vec::new();
    for number in 0..=MAX_CALLS {
        let config = match fs::read_to_string(records.join(format!("{number}.config"))) {
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            config => config.context("the record of a build")?,
        };
        let bytes = fs::read(records.join(format!("{number}.input"))).context("the record of a build")?;
        let input = Input::read(Origin::build(built), bytes)?.from_kustomize();
        read.push(Record { configs: ListedConfig::all_of(&config), input });
    }
    Ok(read)
}
