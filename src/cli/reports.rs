//! `-o, --output FORMAT[=FILE]`: writes reports to standard output or files.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};

use super::input::ConfigFiles;
use super::streams::print;
use super::usage::usage;
use crate::api::unknown;
use crate::render::check::{Report, Root, github, json, sarif, text};
use crate::render::{Diagnostic, html};
use krm::{Input, Origin, in_place, json_text, shell_path, shown_lines, shown_path};

/// A requested report.
#[derive(Debug, Clone)]
pub(super) struct Output<F> {
    pub(super) format: F,
    /// File of the report; `None` for standard output.
    pub(super) file: Option<PathBuf>,
}

impl<F: ValueEnum> FromStr for Output<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text.split_once('=').map_or((text, None), |(name, file)| (name, Some(file)));
        let format = F::from_str(name, false).map_err(|_| {
            let names = names::<F>();
            unknown("format", name, &names.iter().map(PossibleValue::get_name).collect::<Vec<_>>())
        })?;
        if file == Some("") {
            return Err(format!("write the file after `=`: `{name}=FILE`, or `{name}` for standard output"));
        }
        Ok(Self { format, file: file.map(PathBuf::from) })
    }
}

/// Names of all formats.
pub(super) fn names<F: ValueEnum>() -> Vec<PossibleValue> {
    F::value_variants().iter().filter_map(F::to_possible_value).collect()
}

/// Parser for `-o`, which also provides format names to shell completion.
#[derive(Debug, Clone)]
pub(super) struct Formats<F>(PhantomData<F>);

impl<F: ValueEnum> Formats<F> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<F: ValueEnum + Send + Sync + 'static> TypedValueParser for Formats<F> {
    type Value = Output<F>;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Output<F>, clap::Error> {
        StringValueParser::new().try_map(|text| text.parse::<Output<F>>()).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names::<F>().into_iter()))
    }
}

/// Writes reports, reports to files first. `report` creates the text of a report.
pub(super) fn write<F>(
    outputs: &[Output<F>],
    report: impl Fn(&Output<F>) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    for output in outputs {
        let Some(file) = &output.file else { continue };
        in_place::replace(file, &report(output)?).with_context(|| shown_path(file))?;
    }
    for output in outputs.iter().filter(|output| output.file.is_none()) {
        print(&report(output)?)?;
    }
    Ok(())
}

/// Refuses two reports with the same destination, and a report in place of manifests or of one of the files `read`.
/// `taken` describes other output on standard output.
pub(super) fn check<'p, F>(
    outputs: &[Output<F>],
    taken: Option<&str>,
    read: impl IntoIterator<Item = &'p PathBuf>,
) -> anyhow::Result<()> {
    if let Some(taken) = taken.filter(|_| outputs.iter().any(|output| output.file.is_none())) {
        usage!("standard output is for {taken}; give the report a file: `-o FORMAT=FILE`");
    }
    let folders = outputs.iter().filter_map(|output| output.file.as_deref()?.parent());
    let mut folders = folders.filter(|folder| !folder.as_os_str().is_empty());
    if let Some(missing) = folders.find(|folder| !folder.exists()) {
        let (name, word) = (shown_path(missing), shell_path(missing));
        usage!("the folder {name} of a report does not exist: `mkdir -p {word}` makes it");
    }
    let read = ConfigFiles::new(read.into_iter().map(PathBuf::as_path).filter(|path| path.is_file()));
    let mut files = outputs.iter().filter_map(|output| output.file.as_deref());
    if let Some(file) = files.find(|file| read.has(file) || holds_manifests(file)) {
        usage!(
            "{} is an input or has manifests, and a report would replace it: give the report another file",
            shown_path(file)
        );
    }
    for (index, output) in outputs.iter().enumerate() {
        if outputs.iter().take(index).any(|other| other.file == output.file) {
            match &output.file {
                None => usage!("two reports are for standard output; give one of them a file: `-o FORMAT=FILE`"),
                Some(file) => usage!("two reports are for {}", shown_path(file)),
            }
        }
    }
    Ok(())
}

/// True for an existing YAML file, and for a JSON file with an object. No report is YAML.
fn holds_manifests(file: &Path) -> bool {
    let has_extension = |known: &str| file.extension().is_some_and(|own| own.eq_ignore_ascii_case(known));
    let holds_object = || {
        let read = std::fs::read(file).ok().and_then(|bytes| Input::read(Origin::file(file), bytes).ok());
        read.is_some_and(|input| input.holds_objects())
    };
    file.is_file() && (has_extension("yaml") || has_extension("yml") || has_extension("json") && holds_object())
}

/// The formats of results and findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ResultFormat {
    Text,
    Json,
    Sarif,
    Github,
    Html,
}

impl ResultFormat {
    /// Formats a report.
    pub(super) fn text(self, report: &Report, root: &Root) -> anyhow::Result<String> {
        Ok(match self {
            Self::Text => shown_lines(&text(report)).into_owned(),
            Self::Json => json_text(&json(report)),
            Self::Sarif => json_text(&sarif(report, root)),
            Self::Github => github(report, root),
            Self::Html => html::findings(report)?,
        })
    }
}

/// The folder to which file names in reports are relative.
#[derive(Debug, Args)]
pub(super) struct ReportRoot {
    /// The folder to which file names in `sarif` and `github` reports are relative. Default: the git work tree, else
    /// the working folder.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl ReportRoot {
    /// Root folder of paths in reports.
    pub(super) fn root(&self) -> anyhow::Result<Root> {
        let here = std::env::current_dir().context("the working folder")?;
        let work_tree = || here.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
        let root = match &self.root {
            Some(root) => root.canonicalize().with_context(|| shown_path(root))?,
            None => work_tree().unwrap_or_else(|| here.clone()),
        };
        Ok(Root::new(root, here))
    }
}

/// `-o` of a command that transforms: its results.
#[derive(Debug, Args)]
pub(super) struct ResultOutputs {
    /// Report the results as `text`, `json`, `html` (one page), `sarif` (for sites that scan code) or `github`
    /// (commands for its runners), on standard output or in FILE. May be given more than once.
    #[arg(short, long, value_name = "FORMAT[=FILE]", hide_possible_values = true, value_parser = Formats::<ResultFormat>::new())]
    pub(super) output: Vec<Output<ResultFormat>>,
    #[command(flatten)]
    pub(super) from: ReportRoot,
}

/// Writes the results of a run. `differs` is the result of `--check`, if set.
pub(super) fn write_results(
    outputs: &[Output<ResultFormat>],
    from: &ReportRoot,
    results: &[Diagnostic],
    inputs: &[Input],
    differs: Option<bool>,
) -> anyhow::Result<()> {
    if outputs.is_empty() {
        return Ok(());
    }
    let mut report = Report { differs, ..Report::from_results(results, objects(inputs)) };
    if outputs.iter().any(|output| output.format == ResultFormat::Sarif) {
        attach_file_hashes(&mut report, inputs);
    }
    let root = from.root()?;
    write(outputs, |output| output.format.text(&report, &root))
}

/// Number of objects in the inputs.
fn objects(inputs: &[Input]) -> usize {
    inputs.iter().filter_map(|input| Some(input.objects(|_, _| ()).ok()?.len())).sum()
}

/// Sets line hashes of findings in these files, and the file of findings about all of them.
pub(super) fn attach_file_hashes(report: &mut Report, inputs: &[Input]) {
    report.first_file = inputs.iter().find_map(|input| Some(shown_path(input.origin().path()?)));
    let texts: std::collections::HashMap<String, &str> =
        inputs.iter().filter_map(|input| Some((shown_path(input.origin().path()?), input.text()))).collect();
    report.hash_lines(|file| texts.get(file).copied());
}
