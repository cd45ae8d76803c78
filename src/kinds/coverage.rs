//! Coverage of inputs: if no input holds an object, the run fails; else the parts without an object are counted.

mod api_groups;
mod dependencies;
mod nested_callers;
mod no_checkable_object;
mod owned;
mod read_files;
mod rendered;
mod renders;
mod unknown_kind;
mod unknown_template;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use self::api_groups::ApiGroups;
use self::dependencies::{Dependencies, is_of_cluster};
pub use self::no_checkable_object::no_checkable_object;
use self::owned::{Identity, Owned, OwnedObjects};
use self::read_files::ReadFiles;
use self::rendered::{Line, Source};
use self::renders::Renders;
use self::unknown_template::UnknownTemplate;
use crate::api::TemplateKind;
use crate::plan::listed;
use crate::releases::{Repository, kustomization_of, root_of};
use crate::render::summary::many;
use krm::files::Absent;
use krm::{Input, ReadError};

/// Maximum number of files that a line lists by name.
const NAMED: usize = 3;

/// Parts of the inputs that a run did not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Files without an object.
    without: Vec<String>,
    /// Documents without an object, in files that have objects: file and line.
    documents: Vec<String>,
    /// Inputs that are lists without items.
    empty_lists: Vec<String>,
    /// True if all inputs are such lists.
    is_empty: bool,
    /// Places that cannot be read, whose errors are reported.
    unread: Vec<String>,
    /// Number of objects with data that SOPS encrypted.
    encrypted: usize,
    /// Objects whose manifests another program renders.
    rendered: Vec<Line>,
    /// Chart folders from which objects of the inputs are rendered.
    used_charts: BTreeSet<PathBuf>,
    /// Folders of kustomizations whose builds are among the inputs.
    built: BTreeSet<PathBuf>,
    /// Pod templates of unknown kinds.
    templates: Vec<UnknownTemplate>,
    /// Command-line arguments that name the same input, for commands in messages.
    paths: String,
}

impl Coverage {
    /// Computes the coverage of inputs.
    ///
    /// # Errors
    ///
    /// If no input holds an object, or if SOPS encrypted an object, apart from the data of Secrets and ConfigMaps.
    pub fn new(inputs: &[Input]) -> Result<Self, ReadError> {
        match Self::readable(inputs) {
            (coverage, None) => Ok(coverage),
            (_, Some(error)) => Err(error),
        }
    }

    /// Computes the coverage of the inputs that can be read, and returns the first error as in [`Self::new`].
    pub fn readable(inputs: &[Input]) -> (Self, Option<ReadError>) {
        let (mut coverage, mut first_error) = (Self::default(), None);
        let (read, without): (Vec<&Input>, Vec<&Input>) = inputs.iter().partition(|input| input.holds_objects());
        match (without.as_slice(), read.is_empty()) {
            ([only], true) => return (coverage, Some(only.no_objects_error())),
            ([_, ..], true) if without.iter().any(|input| input.is_helmfile()) => {
                let error = without.iter().find(|input| input.is_helmfile()).map(|input| input.no_objects_error());
                return (coverage, error);
            }
            ([first, ..], true) => {
                let names = names(&without);
                let ReadError { place, message, .. } = first.no_objects_error();
                let message = format!(
                    "no file of the input contains a Kubernetes object ({names}). The first, {place}: {message}"
                );
                return (coverage, Some(ReadError::for_run(message)));
            }
            _ => {}
        }
        for input in &read {
            match input.encrypted() {
                Ok(encrypted) => coverage.encrypted += encrypted,
                Err(error) => _ = first_error.get_or_insert(error),
            }
        }
        let lines = |input: &&Input| {
            let place = |line| format!("{}:{line}", input.origin());
            input.documents_without_object().into_iter().map(place).collect::<Vec<_>>()
        };
        coverage.documents = read.iter().flat_map(lines).collect();
        let empty_lists = read.iter().filter(|input| input.is_empty_list());
        coverage.empty_lists = empty_lists.map(|input| input.origin().to_string()).collect();
        coverage.is_empty = !read.is_empty() && coverage.empty_lists.len() == inputs.len();
        let objects = |input: &&Input| input.objects(|_, _| ()).map_or(0, |objects| objects.len());
        if coverage.encrypted > 0 && coverage.encrypted == read.iter().map(objects).sum::<usize>() {
            let message =
                "SOPS encrypted all objects of the input: give the output of `sops --decrypt FILE` for each file";
            first_error.get_or_insert_with(|| ReadError::for_run(message.to_owned()));
        }
        let encrypted = without.iter().find(|input| input.may_hide_objects());
        let first_error = first_error.or_else(|| Some(encrypted?.no_objects_error()));
        coverage.collect_rendered(inputs);
        // Charts of known programs first, because some of them run webhooks.
        coverage.rendered.sort_by_key(|one| !one.is_known());
        let (helmfiles, without): (Vec<&Input>, Vec<&Input>) =
            without.into_iter().partition(|input| input.is_helmfile());
        coverage.rendered.extend(helmfiles.iter().filter_map(|input| Some(Line::for_helmfile(input.origin().path()?))));
        coverage.without = without.iter().map(|input| input.origin().to_string()).collect();
        (coverage, first_error)
    }

    /// Collects objects that other programs render and pod templates of unknown kinds, in one pass over each input that
    /// may contain some. Objects whose workloads are in the input are read.
    fn collect_rendered(&mut self, inputs: &[Input]) {
        let (mut repository, mut read) = (None, None);
        let (mut owned, mut templates, mut is_dump) = (OwnedObjects::default(), Vec::new(), false);
        for input in inputs {
            let groups = ApiGroups::read(input.text());
            let holds =
                (rendered::may_contain(input.text(), &groups), unknown_template::may_contain(input.text(), &groups));
            if holds == (false, false) {
                continue;
            }
            let repository = repository.get_or_insert_with(|| {
                let first = inputs.iter().find_map(|input| input.origin().path());
                Repository::collect_without_values(inputs, first.map(root_of))
            });
            let (files, renders) = read.get_or_insert_with(|| {
                let files = ReadFiles::new(inputs);
                let renders = Renders::new(inputs, &files);
                (files, renders)
            });
            // Invalid inputs are reported by the code that reads them completely.
            let found = input.objects(|place, object| {
                let source = Source::new(&place, input, files);
                let rendered = holds.0.then(|| rendered::for_object(object, source, repository, renders)).flatten();
                // If a program renders manifests from an object, structures in the object that look
                // like pod templates are values for that program.
                let has_templates = holds.1 && rendered.is_none();
                let template = has_templates.then(|| unknown_template::for_object(object)).flatten();
                let template = template.map(|template| (Identity::read(object), template));
                (rendered.unwrap_or_default(), template, Owned::read(object), is_of_cluster(object))
            });
            for (rendered, template, owned_object, is_of_cluster) in found.unwrap_or_default() {
                is_dump |= is_of_cluster;
                self.rendered.extend(rendered.lines);
                self.used_charts.extend(rendered.charts);
                self.built.extend(rendered.built.iter().flat_map(|folder| repository.listed(folder)));
                templates.extend(template);
                if let Some(owned_object) = owned_object {
                    owned.add(owned_object);
                }
            }
        }
        let makers = owned.owners();
        self.rendered.retain(|line| line.operand().is_none_or(|operand| !makers.contains(operand)));
        self.rendered.retain(|line| !is_dump || line.dependencies() != Some(Dependencies::Installed));
        let is_open = |maker: &Option<Identity>| maker.as_ref().is_none_or(|maker| !makers.contains(maker));
        for (_, template) in templates.into_iter().filter(|(maker, _)| is_open(maker)) {
            unknown_template::add(template, &mut self.templates);
        }
    }

    /// Adds documents and files that cannot be read.
    pub fn with_unread(mut self, unread: &[ReadError]) -> Self {
        self.unread.extend(unread.iter().map(|error| error.place.clone()));
        self
    }

    /// True if a part of the input cannot be read, so that the run fails.
    pub fn is_broken(&self) -> bool {
        !self.unread.is_empty()
    }

    /// Sets the arguments that make a command read the same input.
    pub fn with_paths(mut self, paths: String) -> Self {
        self.paths = paths;
        self
    }

    /// Adds chart folders that no object of the inputs renders.
    pub fn with_chart_folders(mut self, folders: &[PathBuf], inputs: &[Input]) -> Self {
        let renders = Renders::new(inputs, &ReadFiles::new(inputs));
        let is_used = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| self.used_charts.contains(&folder));
        let unused = folders.iter().filter(|folder| !is_used(folder));
        let lines: Vec<Line> = unused.filter_map(|folder| Line::for_chart(folder, &renders)).collect();
        self.rendered.extend(lines);
        self.rendered.sort_by_key(|one| !one.is_known());
        self
    }

    /// Adds parts of builds that are not in the files of their kustomizations, unless the render of the build is among
    /// the inputs. `absent` lists the parts, each with its folder.
    pub fn with_absent(mut self, absent: &[(String, Absent)], inputs: &[Input]) -> Self {
        let renders = Renders::new(inputs, &ReadFiles::new(inputs));
        let is_read = |folder: &str| {
            let folder = Path::new(folder);
            renders.has_file(&kustomization_of(folder))
                || folder.canonicalize().is_ok_and(|folder| self.built.contains(&folder))
        };
        let missing = absent.iter().filter(|(folder, _)| !is_read(folder));
        let lines: Vec<Line> = missing.map(|(folder, part)| Line::for_kustomization(folder, part)).collect();
        self.rendered.extend(lines);
        self
    }

    /// Removes the templates covered by `templates` of a config.
    pub fn with_templates(mut self, rows: &[TemplateKind]) -> Self {
        self.templates.retain_mut(|template| template.remove(rows));
        self
    }

    /// One line per object whose manifests another program renders, with the command that prints them, and per kind
    /// whose pod templates are not read.
    pub fn rendered(&self) -> Vec<String> {
        let read = self.rendered.iter().filter(|line| line.dependencies() != Some(Dependencies::Listed));
        let all = self.charts_command().filter(|(count, _)| *count > 1);
        let all = all.map(|(count, command)| format!("`{command}` renders all {count} into rendered/"));
        let lines = read.map(Line::text).chain(all);
        let templates = unknown_template::joined(&self.templates);
        let mut known = HashSet::new();
        // Clusters of one repository may have the same release.
        lines.chain(templates.iter().map(UnknownTemplate::line)).filter(|line| known.insert(line.clone())).collect()
    }

    /// Number of objects that `hostnet charts` renders, and the command; `None` without such objects.
    pub fn charts_command(&self) -> Option<(usize, String)> {
        let count = self.rendered.iter().filter(|line| line.is_scripted()).count();
        (count > 0).then(|| (count, format!("hostnet charts {} | sh", self.paths)))
    }

    /// Command that prints what operators create of the first custom resource, from a cluster; `None` without one.
    pub fn dump_command(&self) -> Option<&str> {
        self.rendered.iter().find(|line| line.operand().is_some()).map(Line::command)
    }

    /// Counts of the objects in [`Coverage::rendered`], without objects whose manifests are for other clusters.
    pub fn unrendered(&self) -> Vec<String> {
        let count = |count: usize, text: &str| (count > 0).then(|| format!("{} {text}", many(count, "object")));
        let of_packages = |line: &&Line| line.dependencies() == Some(Dependencies::Installed);
        let rendered = self.rendered.iter().filter(|line| line.dependencies().is_none());
        let rendered = rendered.filter(|line| !line.is_for_other_clusters()).count();
        let packages = self.rendered.iter().filter(of_packages).count();
        let of_lines =
            [count(rendered, "that other programs render"), count(packages, "whose packages Crossplane installs")];
        let mut counts: Vec<String> = of_lines.into_iter().flatten().collect();
        let mut templates: BTreeMap<&str, usize> = BTreeMap::new();
        for template in &self.templates {
            *templates.entry(template.description()).or_default() += template.count();
        }
        counts.extend(templates.into_iter().filter_map(|(text, sum)| count(sum, text)));
        counts
    }

    /// Removes the packages that Crossplane installs, for commands that read them themselves.
    pub fn without_installed_packages(mut self) -> Self {
        self.rendered.retain(|line| line.dependencies() != Some(Dependencies::Installed));
        self
    }

    /// One line per chart rendered by another program, because its images are unknown, and per list of dependencies in
    /// the metadata of a package; and one line about an input of nothing but empty lists.
    pub fn unknown_images(&self) -> Vec<String> {
        let of_charts = self.rendered.iter().map(|one| format!("the images of {}", one.text_without_note()));
        let empty = lacking(&self.empty_lists, "list", "items").filter(|_| self.is_empty);
        of_charts.chain(empty.map(|list| format!("all images: the input is {list}"))).collect()
    }

    /// Parts of the summary line about documents without an object and lists without items, in place of which objects
    /// were expected.
    pub fn without_object(&self) -> Vec<String> {
        let documents = lacking(&self.documents, "document", "an object");
        documents.into_iter().chain(lacking(&self.empty_lists, "list", "items")).collect()
    }

    /// Parts of the summary line about input that was not read.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.unread.is_empty() {
            let places = listed(self.unread.iter().filter(|place| !place.is_empty()), NAMED);
            parts.push(format!("{} ({places})", many(self.unread.len(), "unreadable part")));
        }
        parts.extend(lacking(&self.without, "file", "an object"));
        parts.extend(self.without_object());
        if self.encrypted > 0 {
            parts.push(format!("{} with data that SOPS encrypted", many(self.encrypted, "object")));
        }
        parts
    }
}

/// Text such as `2 files without an object (a, b)`; `None` if `places` is empty.
fn lacking(places: &[String], what: &str, lacks: &str) -> Option<String> {
    let count = many(places.len(), what);
    (!places.is_empty()).then(|| format!("{count} without {lacks} ({})", listed(places, NAMED)))
}

/// Names of inputs, for messages.
fn names(inputs: &[&Input]) -> String {
    listed(inputs.iter().map(|input| input.origin()), NAMED)
}
