//! Selects a command's config: the given file, or one found in the working folder or above it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::input::read_config;
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::kinds_in;
use krm::shown_path;

/// File names of automatically found configs.
const NAMES: [&str; 2] = ["hostnet.yaml", ".hostnet.yaml"];

/// The config of a command.
#[derive(Debug, Args)]
pub(super) struct ConfigFile {
    /// The config: a HostNetwork, or a ConfigMap with the flat keys that kpt sends. Default with a PATH: `hostnet.yaml`
    /// or `.hostnet.yaml` of the working folder, or of the nearest folder above it in the same git repository.
    #[arg(short, long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

/// Text of a config file.
#[derive(Debug, Clone)]
pub(super) struct ConfigText {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl ConfigFile {
    /// Reads the given config, or searches for a config if the command has a PATH. `used` lists the kinds that the
    /// command uses; `-v` names other kinds in the file.
    pub(super) fn read(
        &self,
        used: &[&str],
        paths: &[PathBuf],
        verbosity: Verbosity,
    ) -> anyhow::Result<Option<ConfigText>> {
        let path = match &self.config {
            Some(path) => path.clone(),
            None if paths.is_empty() => return Ok(None),
            None => {
                let Some(path) = found()? else { return Ok(None) };
                let kinds = kinds_in(&read_config(&path)?);
                if !kinds.is_empty() && !kinds.iter().any(|kind| used.contains(kind)) {
                    let (name, kinds) = (shown_path(&path), kinds.join(" and "));
                    verbosity.note(&format!("info: {name} is a {kinds}, which this command does not use\n"))?;
                    return Ok(None);
                }
                verbosity.note(&format!("info: the config is {}\n", shown_path(&path)))?;
                path
            }
        };
        let text = read_config(&path)?;
        if verbosity.is_verbose() {
            for kind in kinds_in(&text).into_iter().filter(|kind| !used.contains(kind)) {
                verbosity.note(&format!(
                    "info: {} has a {kind} too, which this command does not use\n",
                    shown_path(&path)
                ))?;
            }
        }
        Ok(Some(ConfigText { path, text }))
    }

    /// Reads the config of a command that requires a config.
    pub(super) fn required(
        &self,
        used: &[&str],
        paths: &[PathBuf],
        verbosity: Verbosity,
    ) -> anyhow::Result<ConfigText> {
        let Some(config) = self.read(used, paths, verbosity)? else {
            let looked = if paths.is_empty() {
                ""
            } else {
                " (no hostnet.yaml or .hostnet.yaml in this folder or above, in the same git repository)"
            };
            usage!("no config found: give one with `-c FILE`{looked}; `hostnet init PATH` writes one")
        };
        Ok(config)
    }
}

/// Finds a config in the working folder or above it.
pub(super) fn found() -> anyhow::Result<Option<PathBuf>> {
    find_config(&std::env::current_dir().context("the working folder")?)
}

/// Finds a config in a folder or above it; the path is relative to the folder. Without a git repository only the folder
/// itself is searched, because other users may own the folders above it.
fn find_config(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let depth = folder.ancestors().position(|folder| folder.join(".git").exists()).unwrap_or_default();
    for (above, folder) in folder.ancestors().enumerate().take(depth + 1) {
        let here: Vec<&str> = NAMES.into_iter().filter(|name| folder.join(name).is_file()).collect();
        let seen = |name: &str| std::iter::repeat_n("..", above).collect::<PathBuf>().join(name);
        match here.as_slice() {
            [] => {}
            [name] => return Ok(Some(seen(name))),
            [first, ..] => bail!(
                "{} and {} are both here: keep one of them, or name one with `-c FILE`",
                shown_path(&seen(first)),
                NAMES.last().copied().unwrap_or_default()
            ),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::find_config;

    #[test]
    fn a_config_is_found_up_to_the_root_of_the_repository() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| root.path().join(name);
        std::fs::create_dir_all(folder("repo/.git")).unwrap();
        std::fs::create_dir_all(folder("repo/a/b")).unwrap();
        std::fs::create_dir_all(folder("none/a")).unwrap();
        std::fs::write(folder("hostnet.yaml"), "").unwrap();
        std::fs::write(folder("none/hostnet.yaml"), "").unwrap();
        let found = |name: &str| find_config(&folder(name)).map(|path| path.map(|path| path.display().to_string()));
        assert_eq!(found("repo/a/b").unwrap(), None, "what is above the repository is not looked at");
        assert_eq!(found("none/a").unwrap(), None, "without a repository only the folder itself counts");
        assert_eq!(found("none").unwrap().as_deref(), Some("hostnet.yaml"));
        std::fs::write(folder("repo/.hostnet.yaml"), "").unwrap();
        assert_eq!(found("repo/a/b").unwrap().as_deref(), Some("../../.hostnet.yaml"));
        std::fs::write(folder("repo/a/hostnet.yaml"), "").unwrap();
        assert_eq!(found("repo/a/b").unwrap().as_deref(), Some("../hostnet.yaml"), "the nearest one");
        std::fs::write(folder("repo/a/.hostnet.yaml"), "").unwrap();
        let both = found("repo/a").unwrap_err().to_string();
        assert_eq!(both, "hostnet.yaml and .hostnet.yaml are both here: keep one of them, or name one with `-c FILE`");
    }
}
