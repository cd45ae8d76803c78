//! `hostnet patch --into FOLDER`: the patches of many renders, each in the release that it is rendered from; and `--remove`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::charts::{repository, root};
use super::said::Said;
use super::streams::say;
use crate::kinds::patch::{Evidence, Patches, carriers, evidence, pair};
use crate::releases::By;
use crate::render::patch::{Form, ObjectPatch, carried_at, without_patches};
use crate::render::summary::many;
use crate::wire::{Input, Origin, in_place, shell_path, shown, shown_path};
use crate::yaml::Splice;

/// What is said where Flux itself may fill in what the patches hold.
pub(super) const PLACEHOLDERS: &str = "\
info: the patches hold placeholders. Where a Flux Kustomization with postBuild applies this file, annotate the object with \
kustomize.toolkit.fluxcd.io/substitute: disabled, else they are filled in there
";

/// What was written into the files of a folder.
pub(super) struct Written {
    /// Counts for the last line.
    pub(super) done: Vec<String>,
    /// True if something is written, or would be.
    pub(super) changed: bool,
    pub(super) warnings: usize,
}

/// Refuses renders whose labels are those of another release than the only one of a file.
pub(super) fn refuse_other_release(inputs: &[Input], file: &Path, said: Said) -> anyhow::Result<()> {
    let (read, _) = repository(&[file.to_owned()])?;
    let carriers = carriers(&read, root(&[file.to_owned()]));
    let releases = carriers.iter().filter_map(|carrier| match &carrier.rendered.by {
        By::Helm(release) if carrier.holds_patches() => Some((carrier.rendered.object(), release)),
        _ => None,
    });
    for (object, release) in releases {
        for input in inputs {
            match evidence(input, &release.name) {
                Evidence::Other(other) => bail!(
                    "{}: its labels are those of the release {other}, and {object} in {} is the release {}: give what is rendered from that one",
                    input.origin(),
                    shown_path(file),
                    shown(&release.name)
                ),
                Evidence::None => said.note(&format!(
                    "info: nothing in {} says of which release it is; {object} gets its patches\n",
                    input.origin()
                ))?,
                Evidence::Same => {}
            }
        }
    }
    Ok(())
}

/// Writes the patches of each render into the release of a folder that it is rendered from: into all files, or none.
pub(super) fn write_into_folder(
    patches: &Patches,
    inputs: &[Input],
    folder: &Path,
    check: bool,
    said: Said,
) -> anyhow::Result<Written> {
    if let Some(why) = patches.misfit(Form::Flux, false) {
        bail!(why);
    }
    let folder = [folder.to_owned()];
    let (read, broken) = repository(&folder)?;
    for line in &broken {
        said.note(&format!("warning: {line}; it is left out\n"))?;
    }
    let carriers = carriers(&read, root(&folder));
    let pairs = match pair(inputs, &carriers) {
        Ok(pairs) => pairs,
        Err(errors) => bail!(errors.join("\n")),
    };
    let mut warnings = broken.len();
    let mut texts: BTreeMap<PathBuf, (String, String)> = BTreeMap::new();
    let (mut changed, mut unchanged) = (0, 0);
    for (position, carrier) in pairs.into_iter().enumerate() {
        let own: Vec<&ObjectPatch> = patches.patches.iter().filter(|patch| patch.input == position).collect();
        let object = carrier.rendered.object();
        if !carrier.holds_patches() {
            if !own.is_empty() {
                warnings += 1;
                said.note(&format!(
                    "warning: {object} has no place for the patches of {}: `hostnet apply` in the pipeline, or the plugin of Argo CD, does it\n",
                    many(own.len(), "object")
                ))?;
            }
            continue;
        }
        let place = || format!("{}: {object}", shown_path(&carrier.file));
        if !texts.contains_key(&carrier.file) {
            let before = fs::read_to_string(&carrier.file).with_context(place)?;
            texts.insert(carrier.file.clone(), (before.clone(), before));
        }
        let Some((_, text)) = texts.get_mut(&carrier.file) else { continue };
        let carried = carried_at(text, carrier.document, &own).map_err(anyhow::Error::msg).with_context(place)?;
        if own.is_empty() && carried.before > 0 {
            bail!(
                "{}: nothing of its render changes, and the patches that are here would be lost. The render seems to be made with them \
                 already; `hostnet patch --remove --into {}` takes them out when there is nothing to patch any more",
                place(),
                shell_path(&carrier.file)
            );
        }
        if carried.has_placeholders {
            said.note(PLACEHOLDERS)?;
        }
        if carried.text == *text {
            unchanged += 1;
        } else {
            changed += 1;
            if check {
                say(&format!("{}: would change\n", place()))?;
            }
        }
        *text = carried.text;
    }
    write_texts(texts, check)?;
    let word = if check { "to change" } else { "changed" };
    let done = vec![format!("{} {word}", many(changed, "release")), format!("{unchanged} unchanged")];
    Ok(Written { done, changed: changed > 0, warnings })
}

/// Writes what differs, unless `--check` asks for nothing but the difference; whether something does.
fn write_texts(texts: BTreeMap<PathBuf, (String, String)>, check: bool) -> anyhow::Result<bool> {
    let differing = texts.into_iter().filter(|(_, (before, after))| before != after);
    let (mut inputs, mut splices) = (Vec::new(), Vec::new());
    for (file, (before, after)) in differing {
        splices.push(vec![Splice { range: 0..before.len(), text: after }]);
        inputs.push(Input::read(Origin::file(file), before.into_bytes())?);
    }
    if !check && !inputs.is_empty() {
        in_place::write(&inputs, &splices)?;
    }
    Ok(!inputs.is_empty())
}

/// Takes out all patches that `hostnet patch` wrote into a file, or into the files of a folder.
pub(super) fn remove(into: &Path, check: bool, said: Said) -> anyhow::Result<ExitCode> {
    let (read, broken) = repository(&[into.to_owned()])?;
    for line in &broken {
        said.note(&format!("warning: {line}; it is left out\n"))?;
    }
    let mut texts = BTreeMap::new();
    let mut count = 0;
    for input in read.iter().filter(|input| input.text().contains("# hostnet patch:")) {
        let Some(file) = input.origin().path() else { continue };
        let (after, removed) =
            without_patches(input.text()).map_err(anyhow::Error::msg).with_context(|| shown_path(file))?;
        count += removed;
        if removed > 0 && check {
            say(&format!("{}: would change\n", shown_path(file)))?;
        }
        texts.insert(file.to_owned(), (input.text().to_owned(), after));
    }
    let files = texts.len();
    let changes = write_texts(texts, check)?;
    let word = if check { "to remove" } else { "removed" };
    let done = vec![
        format!("{} {word}", if count == 1 { "1 patch".to_owned() } else { format!("{count} patches") }),
        many(files, "file"),
    ];
    said.end(&done, &[], broken.len())?;
    Ok(if changes && check || said.stops(&[], broken.len())? { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
