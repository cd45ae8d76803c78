//! `hostnet patch --into FOLDER`: writes the patches of each render into the object that renders it; and `--remove`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};

use super::charts::{outside, repository, repository_with_warnings, root};
use super::input::ConfigFiles;
use super::output::write_texts;
use super::streams::print_stderr;
use super::verbosity::Verbosity;
use crate::api::AnyConfig;
use crate::kinds::charts::charts;
use crate::kinds::patch::{
    Carrier, Patches, ReleaseMatch, already_renamed_message, carriers, evidence, have_name_affixes, pair,
    patches_of_several, refuse_after_component, refuse_changed_by_builds, refuse_later_steps, refuse_other_namespaces,
    release_of_other_carrier, release_warnings,
};
use crate::model::Meta;
use crate::releases::{PATCH_COMMENT_PREFIX, Rendered, Renderer};
use crate::render::patch::{
    Form, ObjectPatch, Renames, is_generated, refuse_images, without_patches, write_patches_at,
};
use crate::render::summary::many;
use krm::files::kustomizations_in;
use krm::{Input, Origin, escape_line, files, shell_path, shown_path};
use lossless_yaml::{NodeRef, Tree, Value};

/// Note about patches with placeholders, which Flux may substitute too early.
pub(super) const PLACEHOLDERS: &str = "\
info: the patches hold placeholders. Where a Flux Kustomization with postBuild applies this file, annotate the object with \
kustomize.toolkit.fluxcd.io/substitute: disabled, else they are filled in there
";

/// The API group of Flux's Kustomization.
const FLUX: &str = "kustomize.toolkit.fluxcd.io/";

/// The API group of a kustomization file.
const KUSTOMIZE: &str = "kustomize.config.k8s.io/";

/// Result of writing into the files of a folder.
pub(super) struct WrittenFiles {
    /// Counts for the summary line.
    pub(super) done: Vec<String>,
    /// True if files changed, or would change with `--check`.
    pub(super) changed: bool,
    pub(super) warnings: usize,
}

/// Files that may set the namespace of a release: all files of its Git repository; without a repository, the files in
/// its folder and in the folders above.
fn surroundings(file: &Path) -> anyhow::Result<Vec<Input>> {
    let root = root(&[file.to_owned()]);
    let (mut read, _) = repository(&[file.to_owned()], &[])?;
    let paths = if root.join(".git").exists() {
        vec![if root.as_os_str().is_empty() { PathBuf::from(".") } else { root }]
    } else {
        let above =
            file.ancestors().skip(1).map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        let entries =
            above.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().map(|entry| entry.path());
        entries
            .filter(|path| path.is_file() && path.extension().is_some_and(|end| end == "yaml" || end == "yml"))
            .collect()
    };
    let (others, _) = repository(&paths, &[file.to_owned()])?;
    read.extend(others);
    Ok(read)
}

/// Refuses renders whose labels or namespace belong to another release than the only release in a
/// file, and patches that the kustomizations around the file would make ineffective. Returns the
/// number of printed warnings.
pub(super) fn refuse_other_release(
    inputs: &[Input],
    (file, patches): (&Path, &Patches),
    has_carrier: bool,
    verbosity: Verbosity,
) -> anyhow::Result<usize> {
    let mut warnings = 0;
    let read = surroundings(file)?;
    let found = charts(&read, read.len(), root(&[file.to_owned()]), &[]);
    let own = ConfigFiles::new([file]);
    let is_own = |rendered: &&Rendered| rendered.file.as_deref().is_some_and(|path| own.has(path));
    if let Some(other) = found.iter().filter(is_own).find(|rendered| !rendered.may_hold_patches())
        && !patches.patches.is_empty()
    {
        let count = many(patches.patches.len(), "object");
        bail!("{}: {}", shown_path(file), other.no_place_for_patches(&count));
    }
    let all = carriers(found);
    let carriers: Vec<&Carrier> =
        all.iter().filter(|carrier| carrier.holds_patches() && own.has(&carrier.file)).collect();
    for carrier in &carriers {
        for (position, input) in inputs.iter().enumerate() {
            refuse_changed_by_builds(input, carrier, &patches_for_input(patches, position))
                .map_err(anyhow::Error::msg)?;
            for warning in release_warnings(carrier, &patches_for_input(patches, position)) {
                warnings += 1;
                verbosity.note(&format!("warning: {warning}\n"))?;
            }
        }
    }
    if files::is_kustomization(file) {
        let (folder, own) = (file.parent().unwrap_or(Path::new("")), patches.patches.iter().collect::<Vec<_>>());
        refuse_later_steps(folder, &own).map_err(|why| anyhow!("{}: {why}", shown_path(file)))?;
    }
    for carrier in carriers.iter().filter(|_| !has_carrier) {
        let Some(build) = carrier.rendered.build() else { continue };
        let Some(kustomization) = kustomizations_in(&build.folder).next() else { continue };
        refuse_built((&kustomization, &self::carrier(&kustomization)?), file, patches)?;
    }
    let releases = carriers.into_iter().filter_map(|carrier| Some((carrier, carrier.release()?)));
    for (carrier, release) in releases {
        let pairs = inputs.iter().map(|input| (input, carrier));
        refuse_other_namespaces(pairs).map_err(|errors| anyhow!(errors.join("\n")))?;
        let object = carrier.rendered.object();
        for input in inputs {
            let evidence = release_of_other_carrier(input, carrier, &all)
                .map_or_else(|| evidence(input, carrier), ReleaseMatch::Other);
            match evidence {
                ReleaseMatch::Other(other) => bail!(
                    "{}: its labels name the release {other}, but {object} in {} is the release {}: give the render of that release",
                    input.origin(),
                    shown_path(file),
                    escape_line(&release.name)
                ),
                ReleaseMatch::None => verbosity.note(&format!(
                    "info: {} does not name its release; {object} gets its patches\n",
                    input.origin()
                ))?,
                ReleaseMatch::Same => {}
            }
        }
    }
    Ok(warnings)
}

/// Refuses patches in `file` for objects whose names the kustomization sets only after its patches. If a file that the
/// kustomization lists already has an object of this name, the patch is accepted.
pub(super) fn refuse_built(
    (kustomization, names): (&Path, &Renames),
    file: &Path,
    patches: &Patches,
) -> anyhow::Result<()> {
    if !have_name_affixes(patches, names) {
        return Ok(());
    }
    let listed = files::collect(&[kustomization.to_owned()], true, "").map(|found| found.paths).unwrap_or_default();
    let read = |path: &PathBuf| Input::read(Origin::file(path), fs::read(path).ok()?).ok();
    let is_patched = |meta: &Meta| {
        patches.patches.iter().any(|patch| (&patch.object.gvk, &patch.object.name) == (&meta.gvk, &meta.name))
    };
    let has_object = |input: Input| {
        let found = input.objects(|_, object| is_patched(&Meta::read(object)).then_some(()));
        found.is_ok_and(|found| found.iter().any(Option::is_some))
    };
    if files::is_kustomization(kustomization) && listed.iter().filter_map(read).any(has_object) {
        return Ok(());
    }
    let remedy = format!("Add `--carrier {}`", shell_path(kustomization));
    bail!(already_renamed_message(&shown_path(file), names, &remedy))
}

/// Refuses patches for the kustomization of `--carrier` if a later step of this kustomization may
/// change the patched fields.
pub(super) fn refuse_later_steps_of((file, form): (&Path, Form), patches: &Patches) -> anyhow::Result<()> {
    let text = fs::read_to_string(file).with_context(|| shown_path(file))?;
    let own: Vec<&ObjectPatch> = patches.patches.iter().collect();
    refuse_images(&text, &own).map_err(|why| anyhow!("{}: {why}", shown_path(file)))?;
    if !files::is_kustomization(file) || form == Form::HelmRelease {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut refused = refuse_later_steps(folder, &own);
    if form == Form::Component {
        refused = refused.and_then(|()| refuse_after_component(folder, file, &own));
    }
    refused.map_err(|why| anyhow!("{}: {why}", shown_path(file)))
}

/// Renders, and the objects of a folder that carry their patches.
pub(super) struct RendersWithCarriers {
    /// The carrier of each input.
    carriers: Vec<Carrier>,
    /// Name changes that each carrier makes after its patches.
    renames: Vec<Renames>,
    /// Other objects of the folder that can contain patches.
    rest: Vec<Carrier>,
    /// Number of unreadable files.
    warnings: usize,
}

impl RendersWithCarriers {
    /// Finds the release, Kustomization or Application of a folder that renders each input.
    pub(super) fn new(
        inputs: &[Input],
        (folder, paths): (&Path, &[PathBuf]),
        verbosity: Verbosity,
    ) -> anyhow::Result<Self> {
        let folder = [folder.to_owned()];
        let (read, warnings) = repository_with_warnings(&folder, paths, verbosity)?;
        let folders = outside(files::charts(&folder)?, paths);
        let all = carriers(charts(&read, read.len(), root(&folder), &folders));
        let carriers: Vec<Carrier> = match pair(inputs, &all) {
            Ok(pairs) => pairs.into_iter().cloned().collect(),
            Err(errors) => bail!(errors.join("\n")),
        };
        refuse_other_namespaces(inputs.iter().zip(&carriers)).map_err(|errors| anyhow!(errors.join("\n")))?;
        let renames = carriers.iter().map(renames).collect::<anyhow::Result<_>>()?;
        let is_paired = |carrier: &Carrier| {
            carriers.iter().any(|known| (&known.file, &known.name) == (&carrier.file, &carrier.name))
        };
        let rest = all.iter().filter(|carrier| carrier.holds_patches() && !is_paired(carrier)).cloned().collect();
        Ok(Self { carriers, renames, rest, warnings })
    }

    /// Patches of all renders, for objects before the carriers' name changes.
    pub(super) fn patches(&self, inputs: &[Input], config: &AnyConfig, changes: bool) -> anyhow::Result<Patches> {
        Ok(patches_of_several(inputs, config, &self.renames.iter().collect::<Vec<_>>(), changes)?)
    }

    /// Writes the patches of each render into its carrier: all files, or no file after an error.
    pub(super) fn write(
        &self,
        (inputs, patches, owner): (&[Input], &Patches, &str),
        check: bool,
        verbosity: Verbosity,
    ) -> anyhow::Result<WrittenFiles> {
        if let Some(why) = patches.form_problem(Form::Flux, false) {
            bail!(why);
        }
        let mut warnings = self.warnings;
        let pairs = inputs.iter().zip(&self.carriers).enumerate();
        let refused = pairs.filter_map(|(position, (input, carrier))| {
            refuse_changed_by_builds(input, carrier, &patches_for_input(patches, position)).err()
        });
        let refused: Vec<String> = refused.collect();
        if !refused.is_empty() {
            bail!(refused.join("\n"));
        }
        let mut texts: BTreeMap<PathBuf, (String, String)> = BTreeMap::new();
        let (mut changed, mut unchanged) = (0, 0);
        for (position, carrier) in self.carriers.iter().enumerate() {
            let own = patches_for_input(patches, position);
            let object = carrier.rendered.object();
            if !carrier.holds_patches() {
                if !own.is_empty() {
                    warnings += 1;
                    let message = carrier.rendered.no_place_for_patches(&many(own.len(), "object"));
                    verbosity.note(&format!("warning: {message}\n"))?;
                }
                continue;
            }
            for warning in release_warnings(carrier, &own) {
                warnings += 1;
                verbosity.note(&format!("warning: {warning}\n"))?;
            }
            let place = || format!("{}: {object}", shown_path(&carrier.file));
            if !texts.contains_key(&carrier.file) {
                let before = fs::read_to_string(&carrier.file).with_context(place)?;
                texts.insert(carrier.file.clone(), (before.clone(), before));
            }
            let Some((_, text)) = texts.get_mut(&carrier.file) else { continue };
            let carried = match write_patches_at(text, place_of(carrier), &own, owner) {
                Ok(carried) => carried,
                Err(_) if own.is_empty() => continue,
                Err(why) => {
                    warnings += 1;
                    verbosity.note(&format!("warning: {}: {why}: its patches cannot be written there\n", place()))?;
                    continue;
                }
            };
            if own.is_empty() && carried.before > 0 {
                bail!(
                    "{}: its render has no changes, and the existing patches would be lost. The render seems to be made with them \
                     already; `hostnet patch --remove --into {}` removes them if no patches are needed any more",
                    place(),
                    shell_path(&carrier.file)
                );
            }
            if carried.has_placeholders {
                verbosity.note(PLACEHOLDERS)?;
            }
            if carried.text == *text {
                unchanged += 1;
            } else {
                changed += 1;
                if check {
                    print_stderr(&format!("{}: would change\n", place()))?;
                }
            }
            *text = carried.text;
        }
        for carrier in &self.rest {
            let text = fs::read_to_string(&carrier.file).unwrap_or_default();
            if write_patches_at(&text, place_of(carrier), &[], owner).is_ok_and(|carried| carried.before > 0) {
                warnings += 1;
                verbosity.note(&format!(
                    "warning: {}: {} has patches, and PATH has no render of it: they were not checked\n",
                    shown_path(&carrier.file),
                    carrier.rendered.object()
                ))?;
            }
        }
        // With `--strict`, warnings prevent writing.
        if verbosity.stops(&[], warnings)? {
            return Ok(WrittenFiles { done: vec!["nothing is written".to_owned()], changed: false, warnings });
        }
        write_texts(texts, check)?;
        let word = if check { "to change" } else { "changed" };
        let done = vec![format!("{} {word}", many(changed, "release")), format!("{unchanged} unchanged")];
        Ok(WrittenFiles { done, changed: changed > 0, warnings })
    }
}

/// Document and path of the object that carries patches.
fn place_of(carrier: &Carrier) -> (usize, &lossless_yaml::Path) {
    (carrier.rendered.document, &carrier.rendered.at)
}

/// Patches for the objects of an input.
fn patches_for_input(patches: &Patches, position: usize) -> Vec<&ObjectPatch> {
    patches.patches.iter().filter(|patch| patch.input == position).collect()
}

/// Reads the name changes of a carrier's kustomization, and the name changes that the carrier adds.
fn renames(carrier: &Carrier) -> anyhow::Result<Renames> {
    let Renderer::Kustomize(build) = &carrier.rendered.by else {
        // The operator's kustomization sets the namespace of the FluxInstance.
        let namespace = carrier.rendered.namespace.clone().filter(|_| carrier.rendered.kind == "FluxInstance");
        return Ok(Renames { namespace, ..Renames::default() });
    };
    let own =
        kustomizations_in(&build.folder).next().map_or_else(|| Ok(Renames::default()), |file| self::carrier(&file))?;
    let field = |key| {
        build.fields.iter().find_map(|(field, value)| match value {
            Value::Str(text) if *field == key => Some(text),
            _ => None,
        })
    };
    Ok(Renames {
        prefix: field("namePrefix").map_or(own.prefix, Clone::clone),
        suffix: field("nameSuffix").map_or(own.suffix, Clone::clone),
        namespace: field("namespace").cloned().or(own.namespace),
    })
}

/// Reads the name changes of a kustomization file or of Flux's Kustomization.
pub(super) fn carrier(path: &Path) -> anyhow::Result<Renames> {
    let place = || shown_path(path);
    let text = fs::read_to_string(path).with_context(place)?;
    let tree = Tree::parse(&text).with_context(place)?;
    let field = |root: NodeRef<'_, '_>, key| root.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let is_flux = |root: NodeRef<'_, '_>| field(root, "apiVersion").is_some_and(|text| text.starts_with(FLUX));
    // A kustomization file may omit `apiVersion`.
    let is_file = |root: NodeRef<'_, '_>| field(root, "apiVersion").is_none_or(|text| text.starts_with(KUSTOMIZE));
    let is_carrier = |root: &NodeRef<'_, '_>| root.is_mapping() && (is_flux(*root) || is_file(*root));
    let found: Vec<NodeRef<'_, '_>> = tree.roots().filter(is_carrier).collect();
    let [root] = found.as_slice() else {
        let how_many = if found.is_empty() { "no kustomization" } else { "more than one kustomization" };
        bail!("{}: {how_many}: --carrier is a kustomization file, or a file with one Kustomization of Flux", place());
    };
    let (fields, namespace) =
        if is_flux(*root) { (root.get("spec"), "targetNamespace") } else { (Some(*root), "namespace") };
    let field = |key| fields.and_then(|fields| field(fields, key));
    Ok(Renames {
        prefix: field("namePrefix").unwrap_or_default(),
        suffix: field("nameSuffix").unwrap_or_default(),
        namespace: field(namespace).filter(|namespace| !namespace.is_empty()),
    })
}

/// Removes the patches that `hostnet patch` wrote into a file or the files of a folder: of all configs, or of one
/// config.
pub(super) fn remove(into: &Path, owner: Option<&str>, check: bool, verbosity: Verbosity) -> anyhow::Result<ExitCode> {
    let (read, warnings) = repository_with_warnings(&[into.to_owned()], &[], verbosity)?;
    let mut texts = BTreeMap::new();
    let mut count = 0;
    for input in read.iter().filter(|input| input.text().contains(PATCH_COMMENT_PREFIX)) {
        if is_generated(input.text()) {
            verbosity
                .note(&format!("info: {}: `hostnet patch` made all of it: delete its folder\n", input.origin()))?;
            continue;
        }
        let Some(file) = input.origin().path() else { continue };
        let (after, removed) =
            without_patches(input.text(), owner).map_err(anyhow::Error::msg).with_context(|| shown_path(file))?;
        count += removed;
        if removed > 0 && check {
            print_stderr(&format!("{}: would change\n", shown_path(file)))?;
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
    verbosity.end(&done, &[], warnings)?;
    Ok(if changes && check || verbosity.stops(&[], warnings)? { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
