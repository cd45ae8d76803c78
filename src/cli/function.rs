//! A run as a function of a host: kustomize, kpt, Flux, or a pipe. No arguments, and nothing but the input decides.

use std::path::Path;
use std::process::ExitCode;

use super::apply::{Destination, apply};
use super::check;
use super::input::{own_config, read_config, read_standard_input};
use super::said::Said;
use crate::api::AnyConfig;
use crate::kinds::check::Configs;
use crate::kinds::coverage::Coverage;

/// The call of kustomize's exec plugin: the config is in a file that kustomize wrote.
pub(super) fn plugin(config: &Path) -> anyhow::Result<ExitCode> {
    let text = read_config(config)?;
    let input = read_standard_input()?;
    if check::is_check(&text) {
        let mut configs = Configs::default();
        configs.add_of_host(&text)?;
        return check::function(vec![input], configs, false);
    }
    apply(
        &[input],
        Some(AnyConfig::of_host(&text)),
        (0, &Coverage::default()),
        Destination::Output,
        Said::for_host(),
        None,
    )
}

/// A `ResourceList` on standard input, the same on standard output.
pub(super) fn function() -> anyhow::Result<ExitCode> {
    let input = read_standard_input()?;
    if input.function_config().is_some_and(|config| check::is_check(config.text)) {
        return check::function(vec![input], Configs::default(), false);
    }
    apply(
        std::slice::from_ref(&input),
        own_config(&input),
        (0, &Coverage::default()),
        Destination::Output,
        Said::for_host(),
        None,
    )
}
