//! Runs as a KRM function for kustomize, kpt, Flux, or in a pipe. Without arguments, only the input determines the
//! result.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};

use super::apply::{Destination, apply};
use super::check;
use super::fails::Fails;
use super::input::{config_in_resource_list, read_config, read_standard_input};
use super::outermost::later_namespace;
use super::streams::{ClosedPipe, read_stdin};
use super::verbosity::Verbosity;
use crate::api::{AnyConfig, CHANGING_KINDS, GROUP, HOST_NETWORK_CHECK, PROXY_ENVIRONMENT};
use crate::kinds::check::Configs;
use crate::kinds::coverage::Coverage;
use crate::kinds::may_be_build;
use crate::kinds::patch::{former_namespace_entry, patches};
use crate::kustomize::plugin;
use crate::render::patch::Renames;
use krm::functions::{ListedConfig, listed};
use krm::{Input, Origin, relative_to_working_dir, shown_path};

/// Runs as an exec plugin of kustomize, which passes the config in a file.
pub(super) fn plugin(config: &Path) -> anyhow::Result<ExitCode> {
    escape_error_for_kustomize(run_plugin(config))
}

/// Runs as kustomize's exec plugin.
fn run_plugin(config: &Path) -> anyhow::Result<ExitCode> {
    let text = read_config(config)?;
    let bytes = read_stdin()?;
    if bytes.trim_ascii().is_empty() {
        // An empty build has an empty result; the config is still validated.
        AnyConfig::all_from_host(&text)?;
        refuse_generator(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let input = Input::read(Origin::stdin(), bytes)?.from_kustomize();
    refuse_later_namespace(&text, &input)?;
    if check::is_check(&text) {
        refuse_check_before_changes(&text)?;
        let mut configs = Configs::default();
        configs.add_function_config(&text)?;
        return check::function(vec![input], configs, false, Fails::default());
    }
    apply(
        &[input],
        Some(AnyConfig::from_host(&text)),
        (0, &Coverage::default()),
        Destination::Output,
        Verbosity::for_host(),
        None,
    )
}

/// Reads a `ResourceList` from standard input and writes it to standard output.
pub(super) fn function() -> anyhow::Result<ExitCode> {
    let input = read_standard_input()?;
    let is_build = may_be_build(&input);
    let done = run_function(input);
    if is_build {
        return escape_error_for_kustomize(done);
    }
    // A host that closes the pipe early has lost the output, so it gets an error message, unlike the reader of a
    // terminal's pipe.
    done.map_err(|error| if error.is::<ClosedPipe>() { anyhow!("{error}") } else { error })
}

/// Runs as a KRM function on a ResourceList.
fn run_function(input: Input) -> anyhow::Result<ExitCode> {
    if let Some(config) = input.function_config() {
        if input.pieces() <= 1 {
            refuse_generator(config)?;
        }
        if may_be_build(&input) {
            refuse_later_namespace(config, &input)?;
        }
        if check::is_check(config) {
            if may_be_build(&input) {
                refuse_check_before_changes(config)?;
            }
            return check::function(vec![input], Configs::default(), false, Fails::default());
        }
    }
    apply(
        std::slice::from_ref(&input),
        config_in_resource_list(&input),
        (0, &Coverage::default()),
        Destination::Output,
        Verbosity::for_host(),
        None,
    )
}

/// Removes characters that kustomize would change from an error.
fn escape_error_for_kustomize(done: anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    done.map_err(|error| anyhow!(plugin::plain(&format!("{error:#}"))))
}

/// Refuses a config that the kustomization in the working folder lists as a generator, which would get no objects.
fn refuse_generator(config: &str) -> anyhow::Result<()> {
    let configs = ListedConfig::all_of(config);
    if let Some(generator) = listed(Path::new("."), "generators").into_iter().find(|listed| configs.contains(listed)) {
        bail!(
            "{} {} is listed under generators of the kustomization, and hostnet changes objects and generates none: list the config \
             under transformers",
            generator.kind,
            generator.name
        );
    }
    Ok(())
}

/// Refuses a check that the kustomization in the working folder lists before a config that changes the checked fields.
fn refuse_check_before_changes(check: &str) -> anyhow::Result<()> {
    let configs = ListedConfig::all_of(check);
    let all = listed(Path::new("."), "transformers");
    let mut later = all.iter().skip_while(|listed| listed.kind != HOST_NETWORK_CHECK || !configs.contains(listed));
    let changes = |listed: &&ListedConfig| {
        listed.api_version.starts_with(&format!("{GROUP}/")) && CHANGING_KINDS.contains(&listed.kind.as_str())
    };
    if let (Some(check), Some(later)) = (later.next(), later.find(changes)) {
        bail!(
            "{} {} is listed before {} {} under transformers, and does not see its changes: list the check last",
            check.kind,
            check.name,
            later.kind,
            later.name
        );
    }
    Ok(())
}

/// Refuses a ProxyEnvironment whose entries of `NO_PROXY` name the namespace of an object, if an outer kustomization of
/// the build sets another namespace after the one in the working folder: kustomize replaces no names in texts.
fn refuse_later_namespace(config: &str, input: &Input) -> anyhow::Result<()> {
    if !config.contains(PROXY_ENVIRONMENT) {
        return Ok(());
    }
    // An invalid config is reported when it runs.
    let Ok(config) = AnyConfig::from_host(config) else { return Ok(()) };
    let AnyConfig::Proxy(proxy) = &config else { return Ok(()) };
    let target = plugin::folder_of_build();
    let Some((outer, namespace)) = target.and_then(|target| later_namespace(&target, Path::new("."))) else {
        return Ok(());
    };
    let patches = patches(std::slice::from_ref(input), &**proxy, &Renames::default(), false)?;
    let Some(found) = former_namespace_entry(&config, &patches, &namespace) else { return Ok(()) };
    let outer = shown_path(&relative_to_working_dir(&outer));
    bail!(
        "ProxyEnvironment {}: {}. List the config under transformers of {outer}; or add `{}` to `noProxy` of the config",
        proxy.proxy.metadata.name,
        found.message(&outer, &namespace, "this kustomization"),
        found.other
    )
}
