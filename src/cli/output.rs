//! Output of manifests and diffs.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};

use super::streams::{has_colour, map_write_error, stdout};
use crate::render::colour;
use krm::{Input, Origin, diff, in_place, shown_path};
use lossless_yaml::Splice;

/// Writes all changed inputs to standard output, as one stream.
pub(super) fn write_all(inputs: &[Input], splices: &[Vec<Splice>]) -> anyhow::Result<()> {
    let mut out = stdout()?;
    for (position, (input, splices)) in inputs.iter().zip(splices).enumerate() {
        if position > 0 && !input.text().starts_with("---") {
            map_write_error(out.write_all(b"---\n"))?;
        }
        map_write_error(input.write(splices, &mut out))?;
        if position + 1 < inputs.len() && !input.text().ends_with('\n') {
            map_write_error(out.write_all(b"\n"))?;
        }
    }
    map_write_error(out.flush())
}

/// Writes changes as a unified diff, in colour on a terminal.
pub(super) fn write_diff(inputs: &[Input], splices: &[Vec<Splice>]) -> anyhow::Result<()> {
    let mut out = stdout()?;
    if !has_colour(&std::io::stdout()) {
        return map_write_error(diff::write(inputs, splices, &mut out));
    }
    let mut plain = Vec::new();
    diff::write(inputs, splices, &mut plain)?;
    map_write_error(out.write_all(&colour::diff(&plain)).and_then(|()| out.flush()))
}

/// Writes files whose old and new text differ, unless `check` is set; returns true if any differs.
pub(super) fn write_texts(
    texts: impl IntoIterator<Item = (PathBuf, (String, String))>,
    check: bool,
) -> anyhow::Result<bool> {
    let mut differing = texts.into_iter().filter(|(_, (before, after))| before != after);
    if check {
        return Ok(differing.next().is_some());
    }
    let (mut inputs, mut splices) = (Vec::new(), Vec::new());
    for (file, (before, after)) in differing {
        splices.push(vec![Splice { range: 0..before.len(), text: after }]);
        inputs.push(Input::read(Origin::file(file), before.into_bytes())?);
    }
    if !inputs.is_empty() {
        in_place::write(&inputs, &splices)?;
    }
    Ok(!inputs.is_empty())
}

/// Replaces files atomically, after all have been prepared. An existing file that differs must satisfy `is_own`, unless
/// `force` is set.
pub(super) fn replace_generated_files(
    files: &[(PathBuf, String)],
    is_own: impl Fn(&str) -> bool,
    force: bool,
) -> anyhow::Result<()> {
    for (path, text) in files {
        let there = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            there => String::from_utf8_lossy(&there.with_context(|| shown_path(path))?).into_owned(),
        };
        if !force && there != *text && !is_own(&there) {
            bail!(
                "{}: it exists and was not made by this command, so no file was changed; use another folder, or --force",
                shown_path(path)
            );
        }
    }
    for folder in files.iter().filter_map(|(path, _)| path.parent()) {
        fs::create_dir_all(folder).with_context(|| shown_path(folder))?;
    }
    let files: Vec<(PathBuf, &str)> = files.iter().map(|(path, text)| (path.clone(), text.as_str())).collect();
    in_place::replace_all(&files).map_err(|(path, error)| anyhow!("{}: {error}", shown_path(&path)))
}
