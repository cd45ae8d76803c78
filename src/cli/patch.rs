//! `hostnet patch`: writes changes as patches for kustomize and Flux.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use strsim::levenshtein;

use super::config_file::ConfigFile;
use super::input::{Given, Manifests, is_stdin, read_inputs, read_standard_input, refuse_added_selectors, with_config};
use super::output::{replace_generated_files, write_texts};
use super::patch_admission::Admission;
use super::patch_folder::{self, PLACEHOLDERS, RendersWithCarriers, WrittenFiles};
use super::reports::{self, Output, ReportRoot, ResultFormat, write_results};
use super::streams::{print, print_stderr};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{AnyConfig, CHANGING_KINDS};
use crate::kinds::patch::{self, Patches};
use crate::render::patch::admission::{ApiVersion, Guard};
use crate::render::patch::{
    Form, MADE_BY, ObjectPatch, Renames, carried, earlier_patches, holds_patches, is_generated, owners,
};
use crate::render::summary::many;
use krm::files::KUSTOMIZATIONS;
use krm::{Input, Origin, escape_line, shell_path, shown_path};

/// Message if `--verify` has nothing to look for.
const NOTHING: &str = "\
warning: PATH has no changes, so no patch was checked: PATH seems to be built with the patches already; give the manifests that they are applied to
";

/// Advice after the findings of `--verify`.
const VERIFY_ADVICE: &str = "\
info: check that the build includes the patches, and that PATH is their input: the build before namePrefix, nameSuffix and namespace of the kustomization that includes them (else make them with --carrier). After a change of that input, make them again
";

/// Print the changes as patches, for kustomize and for Flux, which runs no functions.
///
/// PATH is the target of the patches: the build before namePrefix, nameSuffix and namespace of the kustomization with
/// the patches; or after these, with --carrier. Each change is tested first, so that a build fails if the patched value
/// has changed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kustomize build base | hostnet patch -c hostnet.yaml --as component --output-dir host-network
  helm template web ./chart | hostnet patch -c hostnet.yaml --into clusters/prod/web.yaml
  hostnet charts clusters | sh; hostnet patch -c hostnet.yaml --into clusters rendered
  kubectl get deploy,sts,ds,svc -A -o yaml | hostnet patch -c hostnet.yaml --as admission
  hostnet patch --remove --into clusters")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Patch {
    #[command(flatten)]
    config: ConfigFile,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Format of the patches.
    #[arg(long = "as", value_enum, value_name = "FORM", required_unless_present_any = ["verify", "into", "remove"])]
    form: Option<As>,
    /// Write the patches into this file: a kustomization, Flux's Kustomization, HelmRelease or FluxInstance, or Argo
    /// CD's Application. With a folder, write the patches of each render into the release from which `hostnet charts`
    /// renders it. Earlier patches of `hostnet patch` are replaced; all other bytes stay.
    #[arg(long, value_name = "FILE|FOLDER", conflicts_with_all = ["form", "verify", "resource", "output_dir"])]
    into: Option<PathBuf>,
    /// With --into, only remove the patches that `hostnet patch` wrote, of all configs or of `--config`. Needs no PATH.
    #[arg(long, requires = "into", conflicts_with = "paths")]
    remove: bool,
    /// With --into, change nothing; exit with 1 when something would change.
    #[arg(long, requires = "into")]
    check: bool,
    /// With `--as admission`, the API version of the policies: `v1` (default) needs Kubernetes v1.36, `v1beta1` needs
    /// v1.34 with the feature gate MutatingAdmissionPolicy and the API enabled.
    #[arg(long, value_enum, value_name = "VERSION")]
    api_version: Option<Version>,
    /// With `--as admission`, also print ValidatingAdmissionPolicies: an object without its changes is admitted with a
    /// warning and an audit entry (`audit`, default), or refused (`deny`).
    #[arg(long, value_enum, value_name = "ACTION", num_args = 0..=1, require_equals = true, default_missing_value = "audit")]
    with_guard: Option<UnpatchedAction>,
    /// An entry of the kustomization's `resources`.
    #[arg(long, value_name = "PATH", conflicts_with = "verify")]
    resource: Vec<String>,
    /// Write kustomization.yaml and a file for every new object into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "verify")]
    output_dir: Option<PathBuf>,
    /// With --output-dir, also replace files that `hostnet patch` did not write.
    #[arg(long)]
    force: bool,
    /// Report the results as `text`, `json`, `html` (one page), `sarif` (for sites that scan code) or `github`
    /// (commands for its runners), on standard output or in FILE. May be given more than once.
    #[arg(short, long, value_name = "FORMAT[=FILE]")]
    output: Vec<ReportOrFolder>,
    #[command(flatten)]
    from: ReportRoot,
    /// The kustomization file, or Flux's Kustomization, that will contain the patches, if PATH is its build. The
    /// patches are then made for the objects before its namePrefix, nameSuffix and namespace.
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    carrier: Option<PathBuf>,
    /// Print nothing; prove that each patch matched its target in this built output (`-` for standard input), or exit
    /// with 1.
    #[arg(long, value_name = "BUILT")]
    verify: Option<PathBuf>,
    /// The namePrefix of the kustomization that carries the patches.
    #[arg(long, value_name = "PREFIX", requires = "verify", default_value = "", hide_default_value = true)]
    name_prefix: String,
    /// The nameSuffix of that kustomization.
    #[arg(long, value_name = "SUFFIX", requires = "verify", default_value = "", hide_default_value = true)]
    name_suffix: String,
    /// The namespace of that kustomization; Flux's targetNamespace.
    #[arg(long, requires = "verify")]
    namespace: Option<String>,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// Value of `-o`: a report, or for compatibility the folder of `--output-dir`.
#[derive(Debug, Clone)]
enum ReportOrFolder {
    Report(Output<ResultFormat>),
    Folder(PathBuf),
}

impl FromStr for ReportOrFolder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(report) => Ok(Self::Report(report)),
            // A mistyped format is not treated as a folder.
            Err(error) if text.contains('=') || is_misspelt_format(text) => Err(error),
            Err(_) => Ok(Self::Folder(PathBuf::from(text))),
        }
    }
}

/// True if the text differs from a format name by one letter.
fn is_misspelt_format(text: &str) -> bool {
    reports::names::<ResultFormat>().iter().any(|name| levenshtein(name.get_name(), text) == 1)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
enum As {
    /// A kustomize component.
    Component,
    /// A kustomization, which builds `--resource`.
    Kustomization,
    /// `spec.patches` of Flux's Kustomization.
    Flux,
    /// `spec.postRenderers` of Flux's HelmRelease.
    HelmRelease,
    /// `spec.source.kustomize.patches` of Argo CD's Application, since Argo CD v2.9.
    Application,
    /// MutatingAdmissionPolicies for objects that operators create in the cluster, since Kubernetes v1.36.
    Admission,
}

/// Action on an object without its changes.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
enum UnpatchedAction {
    Audit,
    Deny,
}

impl UnpatchedAction {
    /// Converts the word of the flag to the guard policy.
    fn guard(self) -> Guard {
        match self {
            Self::Audit => Guard::Audit,
            Self::Deny => Guard::Deny,
        }
    }
}

/// API version of policies.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
enum Version {
    V1,
    V1Beta1,
}

impl As {
    /// Form of kustomize patches; `None` for policies.
    fn form(self) -> Option<Form> {
        match self {
            Self::Component => Some(Form::Component),
            Self::Kustomization => Some(Form::Kustomization),
            Self::Flux => Some(Form::Flux),
            Self::HelmRelease => Some(Form::HelmRelease),
            Self::Application => Some(Form::Application),
            Self::Admission => None,
        }
    }
}

impl Patch {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        self.check_flags()?;
        if let Some(into) = self.into.as_deref().filter(|_| self.remove) {
            let file = self.config.read(&CHANGING_KINDS, &[], self.verbosity)?;
            let config = file.map(|file| AnyConfig::read(&file.text, &shown_path(&file.path), 1)).transpose()?;
            let owner = config.as_ref().map(patch::owner);
            return patch_folder::remove(into, owner.as_deref(), self.check, self.verbosity);
        }
        let file = self.config.required(&CHANGING_KINDS, &self.paths, self.verbosity)?;
        let command = "patch -c CONFIG --as FORM";
        let Manifests { inputs, warnings, coverage, changed, .. } =
            read_inputs(Given::files(&self.paths, self.sources), Some(&file.path), command, self.verbosity)?;
        refuse_added_selectors(&inputs, &changed, &with_config(command, Some(&file.path)))?;
        let mut carrier = self.carrier.as_deref().map(patch_folder::carrier).transpose()?.unwrap_or_default();
        let config = AnyConfig::read(&file.text, &shown_path(&file.path), 1)?
            .with_fail_on(self.verbosity.fails.fail_on_from_flags());
        let owner = patch::owner(&config);
        let coverage = coverage.with_templates(config.templates());
        if self.form == Some(As::Admission) {
            let (version, guard) = (self.api_version(), self.with_guard.map(UnpatchedAction::guard));
            let command = Admission { version, guard, reports: self.reports(), from: &self.from };
            return command.run(&inputs, &config, &coverage, self.verbosity);
        }
        let folder = self.into.as_deref().filter(|into| into.is_dir());
        let paired = folder
            .map(|folder| RendersWithCarriers::new(&inputs, (folder, &self.paths), self.verbosity))
            .transpose()?;
        let mut patches = match &paired {
            Some(paired) => paired.patches(&inputs, &config, self.verbosity.is_verbose())?,
            None => patch::patches(&inputs, &config, &carrier, self.verbosity.is_verbose())?,
        };
        if let Some((_, names)) = self.late_names()
            && patch::are_in_namespace(&patches, &names)
        {
            carrier.namespace = names.namespace;
            patches = patch::patches(&inputs, &config, &carrier, self.verbosity.is_verbose())?;
        }
        let warnings = warnings + self.verbosity.print_results(&patches.results, &inputs)?;
        let report = |differs| write_results(&self.reports(), &self.from, &patches.results, &inputs, differs);
        if self.verbosity.stops(&patches.results, warnings)? || patches.failed() {
            report(None)?;
            self.verbosity.print_summary_with_coverage(Vec::new(), &coverage, &patches.results, warnings)?;
            return Ok(self.verbosity.stopped());
        }
        if let Some((namespace, set_by)) = self.namespace_after_patches() {
            patch::refuse_set_namespace(&config, &patches, &namespace, &set_by).map_err(anyhow::Error::msg)?;
        }
        match (&self.verify, self.form) {
            // The output lists missing changes; it is empty on success.
            (Some(built), _) => {
                report(None)?;
                self.verify(&patches, built)
            }
            (None, None) if let Some(paired) = &paired => {
                report(None)?;
                let WrittenFiles { mut done, changed, warnings: own } =
                    paired.write((&inputs, &patches, &owner), self.check, self.verbosity)?;
                done.insert(0, many(patches.patches.len(), "object") + " patched");
                done.extend(coverage.parts());
                self.verbosity.end(&done, &patches.results, warnings + own)?;
                let fails = changed && self.check || self.verbosity.stops(&[], own)?;
                Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
            }
            (None, None) if let Some(file) = &self.into => {
                if let Some((file, names)) = self.late_names() {
                    patch_folder::refuse_built((file, &names), file, &patches)?;
                }
                let warnings = warnings
                    + patch_folder::refuse_other_release(
                        &inputs,
                        (file, &patches),
                        self.carrier.is_some(),
                        self.verbosity,
                    )?;
                let written = self.write_patches_to_carrier((&inputs, &patches, &owner), &carrier, file);
                report(written.as_ref().ok().copied().filter(|_| self.check))?;
                let changes = written?;
                if changes && self.check {
                    print_stderr(&format!("{}: would change\n", shown_path(file)))?;
                }
                let change = match (changes, self.check) {
                    (true, true) => "to change",
                    (true, false) => "changed",
                    (false, _) => "unchanged",
                };
                let done =
                    vec![many(patches.patches.len(), "object") + " patched", format!("{} {change}", shown_path(file))];
                self.verbosity.print_summary_with_coverage(done, &coverage, &patches.results, warnings)?;
                Ok(if changes && self.check { ExitCode::FAILURE } else { ExitCode::SUCCESS })
            }
            (None, Some(form)) if let Some(form) = form.form() => {
                report(None)?;
                let code = self.write((&inputs, &patches, &owner), &carrier, form)?;
                let done =
                    vec![many(patches.patches.len(), "object") + " patched", format!("{} new", patches.new.len())];
                self.verbosity.print_summary_with_coverage(done, &coverage, &patches.results, warnings)?;
                Ok(code)
            }
            (None, _) => usage!("give --as FORM, --into FILE or --verify BUILT"),
        }
    }

    /// Namespace that objects get after the patches, with the flag or file that sets it. With --carrier the objects of
    /// PATH have it already.
    fn namespace_after_patches(&self) -> Option<(String, String)> {
        if let Some(namespace) = &self.namespace {
            return Some((namespace.clone(), "--namespace".to_owned()));
        }
        let (file, names) = self.late_names()?;
        Some((names.namespace?, shown_path(file)))
    }

    /// The file of --into without --carrier, with the names that it sets after its patches. Only kustomizations set
    /// names.
    fn late_names(&self) -> Option<(&Path, Renames)> {
        let file = self.into.as_deref().filter(|file| self.carrier.is_none() && file.is_file())?;
        Some((file, patch_folder::carrier(file).ok()?))
    }

    fn api_version(&self) -> ApiVersion {
        match self.api_version {
            Some(Version::V1Beta1) => ApiVersion::V1Beta1,
            Some(Version::V1) | None => ApiVersion::V1,
        }
    }

    fn reports(&self) -> Vec<Output<ResultFormat>> {
        let report =
            |one: &ReportOrFolder| if let ReportOrFolder::Report(report) = one { Some(report.clone()) } else { None };
        self.output.iter().filter_map(report).collect()
    }

    /// Output folder of the patches.
    fn folder(&self) -> Option<PathBuf> {
        let folder =
            |one: &ReportOrFolder| if let ReportOrFolder::Folder(folder) = one { Some(folder.clone()) } else { None };
        self.output_dir.clone().or_else(|| self.output.iter().find_map(folder))
    }

    /// Refuses combinations of flags that exclude each other.
    fn check_flags(&self) -> anyhow::Result<()> {
        let folders = self.output.iter().filter(|one| matches!(one, ReportOrFolder::Folder(_))).count();
        if folders + usize::from(self.output_dir.is_some()) > 1 {
            usage!("give one folder for the patches");
        }
        let is_printed = self.folder().is_none() && self.verify.is_none() && self.into.is_none();
        reports::check(
            &self.reports(),
            Some("the patches").filter(|_| is_printed),
            self.paths.iter().chain(&self.config.config),
        )?;
        if self.verify.is_some() && folders > 0 {
            usage!("--output-dir is not for --verify, which writes nothing");
        }
        let stdin = is_stdin(&self.paths)?;
        if stdin && self.verify.as_deref().is_some_and(|built| built.as_os_str() == "-") {
            usage!("standard input cannot be both PATH and BUILT; name a file for one of them");
        }
        if (self.api_version.is_some() || self.with_guard.is_some()) && self.form != Some(As::Admission) {
            usage!("--api-version and --with-guard are for `--as admission`");
        }
        let Some(form) = self.form else { return Ok(()) };
        if !self.resource.is_empty() && form != As::Kustomization {
            usage!("--resource is for `--as kustomization`; the other forms are not built alone");
        }
        if self.carrier.is_some() && form == As::Admission {
            usage!("--carrier is for patches of kustomize; the API server changes objects as they arrive");
        }
        if self.folder().is_some() && !form.form().is_some_and(Form::holds_objects) {
            usage!(
                "--output-dir is for `--as component` and `--as kustomization`; the others are a part of one object"
            );
        }
        Ok(())
    }

    /// Prints the patches, or writes them into the folder.
    fn write(
        &self,
        (inputs, patches, owner): (&[Input], &Patches, &str),
        carrier: &Renames,
        form: Form,
    ) -> anyhow::Result<ExitCode> {
        if let Some(file) = &self.carrier {
            patch_folder::refuse_later_steps_of((file, form), patches)?;
        }
        if let Some(objection) = patches.form_problem(form, self.folder().is_some()) {
            bail!(objection);
        }
        let text = patches.text(form, &self.resource);
        let Some(folder) = self.folder() else { return print(&text) };
        for name in KUSTOMIZATIONS {
            let path = folder.join(name);
            let Ok(there) = fs::read_to_string(&path) else { continue };
            if !is_generated(&there) && !self.force {
                bail!(
                    "{}: `hostnet patch` has not made this file, and would overwrite it: give another folder to --output-dir, or --force",
                    shown_path(&path)
                );
            }
            if let Some(other) = owners(&there).into_iter().find(|other| other != owner).filter(|_| !self.force) {
                bail!(
                    "{}: it has the patches of {other}, which would be lost: give another folder to --output-dir, or --force",
                    shown_path(&path)
                );
            }
            if patches.is_empty() && holds_patches(&there) {
                let (path, folder) = (shown_path(&path), shown_path(&folder));
                bail!(
                    "{path}: the input has no changes, and the existing patches would be lost. The input seems to \
                     be built with them already: give the build without `{folder}`, or delete `{folder}` if no patches are needed any more"
                );
            }
            if let Some(object) = patch::find_already_patched_object(inputs, carrier, &earlier_patches(&there, owner))?
            {
                let (path, folder) = (shown_path(&path), shown_path(&folder));
                bail!(
                    "{path}: PATH seems to be built with the existing patches, which would be lost: {object} has their \
                     values. Give the build without `{folder}`, or delete `{folder}` if these patches are not needed any more"
                );
            }
        }
        let files = patches.new.iter().map(|new| (new.file(), format!("{MADE_BY}\n{}", new.text)));
        let files = files.chain([("kustomization.yaml".to_owned(), text)]);
        let files: Vec<(PathBuf, String)> = files.map(|(name, text)| (folder.join(name), text)).collect();
        replace_generated_files(&files, is_generated, self.force)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Writes the patches into the file that carries them; returns true if this changes it.
    fn write_patches_to_carrier(
        &self,
        (inputs, patches, owner): (&[Input], &Patches, &str),
        renames: &Renames,
        file: &Path,
    ) -> anyhow::Result<bool> {
        let place = || shown_path(file);
        let before = fs::read_to_string(file).with_context(place)?;
        let own: Vec<&ObjectPatch> = patches.patches.iter().collect();
        let carried = carried(&before, &own, owner).map_err(anyhow::Error::msg).with_context(place)?;
        // `--into` edits one existing file, so there is no folder for new objects.
        if let Some(objection) = patches.form_problem(Form::Flux, false) {
            bail!(objection);
        }
        if patches.is_empty() && carried.before > 0 {
            bail!(
                "{}: the input has no changes, and the existing patches would be lost. The input seems to be built \
                 with them already: give the build without them, or remove them if no patches are needed any more",
                place()
            );
        }
        if carried.text != before
            && let Some(object) = patch::find_already_patched_object(inputs, renames, &earlier_patches(&before, owner))?
        {
            let of_config = self.config.config.iter().map(|config| format!(" -c {}", shell_path(config)));
            let of_config: String = of_config.collect();
            bail!(
                "{}: PATH seems to be built with the existing patches, which would be lost: {object} has their values. Run \
                 `hostnet patch --remove --into {}{of_config}`, build PATH again, and repeat this command",
                place(),
                shell_path(file)
            );
        }
        if carried.has_placeholders {
            self.verbosity.note(PLACEHOLDERS)?;
        }
        write_texts([(file.to_owned(), (before, carried.text))], self.check)
    }

    fn verify(&self, patches: &Patches, built: &Path) -> anyhow::Result<ExitCode> {
        let input = if built.as_os_str() == "-" {
            read_standard_input()?
        } else {
            let bytes = fs::read(built).with_context(|| shown_path(built))?;
            Input::read(Origin::file(built), bytes)?
        };
        let renames = Renames {
            prefix: self.name_prefix.clone(),
            suffix: self.name_suffix.clone(),
            namespace: self.namespace.clone(),
        };
        if patches.is_empty() {
            print_stderr(NOTHING)?;
        }
        let missing = patch::verify(patches, &input, &renames)?;
        for line in &missing {
            print_stderr(&format!("error: {}: {}\n", input.origin(), escape_line(line)))?;
        }
        if !missing.is_empty() {
            print_stderr(VERIFY_ADVICE)?;
        }
        Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
