//! `--build`: builds folders with kustomize, kubectl or helm.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use ignore::WalkBuilder;

use super::overlay::relative;
use super::program;
use super::record::{self, Record};
use crate::api::{HOST_NETWORK, KINDS};
use crate::kustomize::build_needs::{self, BuildNeeds, OwnFunction};
use crate::kustomize::plugin;
use krm::files::{has_kustomization, is_chart, is_kustomization};
use krm::functions::ListedConfig;
use krm::{Input, Origin, escape_line, shell_path, shown_path};
use lossless_yaml::{NodeRef, Tree, Value, document};

/// File that identifies a chart folder.
const CHART: &str = "Chart.yaml";

/// Maximum number of items per refusal.
const NAMED: usize = 5;

/// Proxy address without a server, for builds that must not use the network.
const UNREACHABLE_PROXY: &str = "http://127.0.0.1:9";

/// The flags of commands that read what folders build.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Build {
    /// Build each folder of PATH, and read the output instead of its files: with the kustomize, else the kubectl, of
    /// the PATH variable; with helm for a folder with a Chart.yaml. Functions of hostnet in the folder pass their
    /// objects through unchanged.
    #[arg(long)]
    pub(super) build: bool,
    /// Let --build fetch remote bases and render charts of a kustomization; both open network connections.
    #[arg(long, requires = "build")]
    allow_remote: bool,
    /// Let --build start functions and plugins other than hostnet: programs named by the folder.
    #[arg(long, requires = "build")]
    allow_plugins: bool,
}

/// Output of a build.
#[derive(Debug)]
pub(super) struct Built {
    /// The whole build, or the input of the function with the given config.
    pub(super) input: Input,
    /// Folder to which origin paths of objects are relative; `None` if objects have no origins.
    pub(super) origins: Option<PathBuf>,
    /// Functions of hostnet that passed objects through unchanged.
    pub(super) passed: Vec<String>,
}

/// Temporary folder of a build, removed on drop.
struct Scratch {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl Build {
    /// Builds a folder of PATH, or the folder of a kustomization file or Chart.yaml. `command` contains the `hostnet`
    /// arguments that read build output from standard input, for messages. `configs` are the command's configs: a
    /// function with one of them determines the objects.
    pub(super) fn read(self, path: &Path, command: &str, configs: &[ListedConfig]) -> anyhow::Result<Built> {
        let folder = folder_of(path);
        if has_kustomization(&folder) { self.kustomization(&folder, command, configs) } else { chart(&folder, command) }
    }

    /// Builds a kustomization in a scratch folder, after it refuses what the flags do not allow.
    fn kustomization(self, folder: &Path, command: &str, configs: &[ListedConfig]) -> anyhow::Result<Built> {
        let needs = BuildNeeds::read(folder, &KINDS).map_err(anyhow::Error::msg)?;
        let by_hand = format!("`{} | hostnet {command} -`", needs.command(folder));
        // `init --overlay` writes a kustomization around a folder, and reads no standard input.
        let or_pipe = if command.contains("--overlay") { String::new() } else { format!(", or pipe {by_hand}") };
        if let Some(line) = &needs.outside {
            bail!("{line}, which is outside of the folder and which kustomize builds only with a flag: pipe {by_hand}");
        }
        require_flag(&needs.remote, self.allow_remote, "a network", "--allow-remote", &or_pipe)?;
        require_flag(
            &needs.plugins,
            self.allow_plugins,
            "programs that are not hostnet's",
            "--allow-plugins",
            &or_pipe,
        )?;
        let found = program::find("kustomize").map(|path| (path, "kustomize", "build"));
        let found = found.or_else(|| program::find("kubectl").map(|path| (path, "kubectl", "kustomize")));
        let Some((program, name, verb)) = found else {
            bail!("--build needs kustomize or kubectl on the PATH, and found neither: install one, or pipe {by_hand}")
        };
        let scratch = Scratch::new(self)?;
        let target = folder.canonicalize().with_context(|| shown_path(folder))?;
        let origins = scratch.overlay(&target, &needs)?;
        let has_functions = self.allow_plugins || !needs.own.is_empty();
        let runs_exec = self.allow_plugins && name == "kustomize";
        let flags = [
            ("--enable-alpha-plugins", has_functions),
            ("--enable-exec", runs_exec),
            ("--enable-helm", needs.has_charts),
        ];
        let mut process = scratch.process(&program, self)?;
        process.arg(verb).args(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag));
        process.arg(origins.as_ref().unwrap_or(&target));
        let label = format!("{name} {verb} {}", shell_path(folder));
        let output = program::output(&mut process, &label)?;
        let records = record::read(&scratch.path.join("records"), folder)?;
        for function in &needs.own {
            let is_recorded = records.iter().any(|record| record.configs.contains(&function.config));
            // An exec function of the folder itself runs last, so it gets all objects.
            let gets_all = function.is_exec && !runs_exec && function.folder == folder;
            if !is_recorded && !gets_all {
                bail!(missing_record_reason(function, runs_exec, &label));
            }
        }
        let input = match input_of_config(records, configs, folder)? {
            Some(input) => input,
            None => Input::read(Origin::build(folder), output)?,
        };
        let passed =
            needs.own.iter().map(|function| format!("{} {}", function.config.kind, function.config.name)).collect();
        Ok(Built { input, origins, passed })
    }
}

/// The command that prints the build of a folder.
pub(super) fn build_command(path: &Path) -> String {
    let folder = folder_of(path);
    if has_kustomization(&folder) {
        build_needs::build_command(&folder, false)
    } else {
        format!("helm template NAME {}", shell_path(&folder))
    }
}

/// True for the folder of a kustomization or a chart, and for their identifying file.
pub(super) fn is_built(path: &Path) -> bool {
    let folder = folder_of(path);
    (has_kustomization(&folder) || folder.join(CHART).is_file()) && (path.is_dir() || is_build_file(path))
}

/// The folder of a path.
fn folder_of(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if is_build_file(path) && path.is_file() { parent.to_owned() } else { path.to_owned() }
}

/// True for a kustomization file or a `Chart.yaml`.
fn is_build_file(path: &Path) -> bool {
    is_kustomization(path) || is_chart(path)
}

/// Error about build features that require a flag, unless it is set.
fn require_flag(lines: &[String], is_allowed: bool, needed: &str, flag: &str, or_pipe: &str) -> anyhow::Result<()> {
    let Some(first) = lines.first().filter(|_| !is_allowed) else { return Ok(()) };
    let mut text = format!("the build needs {needed}, so nothing was started: {first}");
    for line in lines.iter().take(NAMED).skip(1) {
        text.push_str(&format!("\n  {line}"));
    }
    if lines.len() > NAMED {
        text.push_str(&format!("\n  and {} more", lines.len() - NAMED));
    }
    bail!("{text}\ngive {flag} if you trust the folder{or_pipe}")
}

/// Reason why a build did not record the objects of a config.
fn missing_record_reason(function: &OwnFunction, runs_exec: bool, label: &str) -> String {
    let (kind, name, place) =
        (escape_line(&function.config.kind), escape_line(&function.config.name), shown_path(&function.folder));
    if function.is_exec && !runs_exec {
        return format!(
            "{place}: `{label}` skips the exec function {kind} {name}, so its object names are unknown: give {place} \
             as PATH, or --allow-plugins with kustomize on the PATH"
        );
    }
    format!(
        "{place}: `{label}` did not call this hostnet for {kind} {name}, so its object names are unknown: install this \
         version with `hostnet install --kustomize-plugin`, or leave --allow-plugins out"
    )
}

/// Input of the build's HostNetwork function with one of `configs`; `None` without such a function.
fn input_of_config(records: Vec<Record>, configs: &[ListedConfig], folder: &Path) -> anyhow::Result<Option<Input>> {
    let is_match = |config: &ListedConfig| config.kind == HOST_NETWORK && configs.contains(config);
    let mut calls = records.into_iter().filter(|record| record.configs.iter().any(is_match));
    let Some(only) = calls.next() else { return Ok(None) };
    let more = calls.count();
    if more > 0 {
        bail!(
            "{}: the build calls the function of this config {} times, for different objects: give the folder of one of the \
             kustomizations that it lists",
            shown_path(folder),
            more + 1
        );
    }
    Ok(Some(only.input))
}

/// Renders the chart in a folder with its default values.
fn chart(folder: &Path, command: &str) -> anyhow::Result<Built> {
    let (place, target) = (shown_path(folder), folder.canonicalize().with_context(|| shown_path(folder))?);
    let text = fs::read_to_string(folder.join(CHART)).with_context(|| place.clone())?;
    let tree = Tree::parse(&text).map_err(|error| anyhow!("{place}/Chart.yaml: {error}"))?;
    let name = tree.root(0).and_then(|root| root.get("name")).and_then(NodeRef::text);
    let is_plain = |name: &&str| {
        name.len() <= 53
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let Some(name) = name.filter(is_plain) else {
        bail!("{place}/Chart.yaml: `name` is not the name of a chart, so no release can be named after it")
    };
    refuse_links(&target)?;
    let label = format!("helm template {name} {}", shell_path(folder));
    let Some(program) = program::find("helm") else {
        bail!(
            "--build needs helm on the PATH for {place}, and it is missing: install it, or pipe `{label} | hostnet {command} -`"
        )
    };
    let scratch = Scratch::new(Build::default())?;
    let mut process = scratch.process(&program, Build::default())?;
    // A schema may refer to other files and hosts, and default values need no validation.
    process.args(["template", "--skip-schema-validation", name]).arg(&target);
    let output = program::output(&mut process, &label)?;
    Ok(Built { input: Input::read(Origin::build(folder), output)?, origins: None, passed: Vec::new() })
}

/// Refuses a chart with symlinks to outside of its folder, which helm would follow.
fn refuse_links(chart: &Path) -> anyhow::Result<()> {
    for entry in WalkBuilder::new(chart).standard_filters(false).build() {
        let entry = entry?;
        let leads_out = || entry.path().canonicalize().map_or(true, |target| !target.starts_with(chart));
        if entry.path_is_symlink() && leads_out() {
            bail!(
                "{}: a symlink to a path outside of the chart, so helm was not started: remove the symlink",
                shown_path(entry.path())
            );
        }
    }
    Ok(())
}

impl Scratch {
    fn new(allowed: Build) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("hostnet-build-").tempdir().context("a folder for the build")?;
        let path = folder.path().canonicalize().context("a folder for the build")?;
        let exe = std::env::current_exe().context("where this binary is")?;
        for name in ["bin", "home", "records", "tmp"] {
            fs::create_dir(path.join(name)).context("a folder for the build")?;
        }
        // Without --allow-plugins this program replaces `docker` in a build.
        let names: &[&str] = if allowed.allow_plugins { &["hostnet"] } else { &["hostnet", "docker"] };
        for name in names {
            link(&exe, &path.join("bin").join(name))?;
        }
        for kind in KINDS {
            let file = plugin::path_of(&path.join("plugins"), kind);
            fs::create_dir_all(file.parent().unwrap_or(&path)).context("a folder for the build")?;
            link(&exe, &file)?;
        }
        Ok(Self { folder, path })
    }

    /// Writes a kustomization that includes a folder and adds origin annotations. `None` if it would change the build.
    fn overlay(&self, target: &Path, needs: &BuildNeeds) -> anyhow::Result<Option<PathBuf>> {
        let overlay = self.path.join("overlay");
        if needs.is_component || needs.is_topmost || overlay.starts_with(target) {
            return Ok(None);
        }
        let way = relative(&overlay, target);
        let Some(way) = way.to_str().filter(|way| crate::kustomize::build_needs::is_path(way)) else { return Ok(None) };
        let list = |entry: &str| Value::Seq(vec![entry.into()]);
        let kustomization = Value::map([
            ("apiVersion", "kustomize.config.k8s.io/v1beta1".into()),
            ("kind", "Kustomization".into()),
            ("resources", list(way)),
            ("buildMetadata", list("originAnnotations")),
        ]);
        fs::create_dir(&overlay).context("a folder for the build")?;
        fs::write(overlay.join("kustomization.yaml"), document(&kustomization)).context("a folder for the build")?;
        Ok(Some(overlay))
    }

    /// Prepares a process whose programs, plugins and proxies are restricted by the flags.
    fn process(&self, program: &Path, allowed: Build) -> anyhow::Result<Command> {
        let at = |name: &str| self.path.join(name);
        let mut process = Command::new(program);
        process.current_dir(self.folder.path());
        if allowed.allow_remote || allowed.allow_plugins {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders =
                std::iter::once(at("bin")).chain(std::env::split_paths(&path).filter(|folder| folder.is_absolute()));
            process.env("PATH", std::env::join_paths(folders).context("the PATH")?);
        } else {
            let proxies =
                ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|name| (name, OsString::from(UNREACHABLE_PROXY)));
            process.env_clear().env("PATH", at("bin")).env("HOME", at("home")).env("TMPDIR", at("tmp")).envs(proxies);
        }
        if !allowed.allow_plugins {
            process.env("KUSTOMIZE_PLUGIN_HOME", at("plugins"));
        }
        process.env(record::FOLDER, at("records"));
        Ok(process)
    }
}

#[cfg(unix)]
fn link(exe: &Path, path: &Path) -> anyhow::Result<()> {
    std::os::unix::fs::symlink(exe, path).with_context(|| shown_path(path))
}

#[cfg(not(unix))]
fn link(exe: &Path, path: &Path) -> anyhow::Result<()> {
    fs::copy(exe, path).map(|_| ()).with_context(|| shown_path(path))
}
