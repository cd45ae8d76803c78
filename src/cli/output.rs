//! What commands write: manifests with their changes, or a diff.

use std::io::Write;

use anyhow::Context;

use super::streams::{has_colour, stdout};
use crate::render::colour;
use crate::wire::{Input, diff};
use crate::yaml::Splice;

/// Writes all inputs with their changes to standard output, several as one stream.
pub(super) fn write_all(inputs: &[Input], splices: &[Vec<Splice>]) -> anyhow::Result<()> {
    let mut out = stdout()?;
    for (position, (input, splices)) in inputs.iter().zip(splices).enumerate() {
        if position > 0 && !input.text().starts_with("---") {
            out.write_all(b"---\n")?;
        }
        input.write(splices, &mut out).context("standard output")?;
        if position + 1 < inputs.len() && !input.text().ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    out.flush().context("standard output")
}

/// Writes what changes as a unified diff, in colour on a terminal.
pub(super) fn write_diff(inputs: &[Input], splices: &[Vec<Splice>]) -> anyhow::Result<()> {
    let mut out = stdout()?;
    if !has_colour(&std::io::stdout()) {
        return diff::write(inputs, splices, &mut out).context("standard output");
    }
    let mut plain = Vec::new();
    diff::write(inputs, splices, &mut plain)?;
    out.write_all(&colour::diff(&plain)).and_then(|()| out.flush()).context("standard output")
}
