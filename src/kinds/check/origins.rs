//! Locates findings of a build in the source files of its objects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::model::Meta;
use crate::render::ResourceRef;
use crate::render::check::{Entry, Location, Report};
use krm::{Input, Origin, relative_to_working_dir, shown_path};

/// Largest source file, in bytes, that is read to find lines.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Source file of objects in a build.
struct SourceFile {
    name: String,
    /// `None` if the file does not contain manifests, for example a generator's own file.
    input: Option<Input>,
    metas: Vec<Meta>,
}

/// Sets the location of findings without a file to the object's source file, and removes positions in build output.
/// `base` is the folder to which source paths of the builds are relative.
pub fn set_source_places(report: &mut Report, base: &Path, inputs: &[Input]) {
    let builds = inputs.iter().filter(|input| input.origin().is_build());
    let metas = builds.filter_map(|input| input.objects(|_, object| Meta::read(object)).ok());
    let built: BTreeSet<(String, String)> = metas.flatten().map(|meta| (meta.gvk.kind.clone(), meta.name)).collect();
    let mut files: BTreeMap<String, Option<SourceFile>> = BTreeMap::new();
    for entry in
        report.entries.iter_mut().filter(|entry| entry.place.as_ref().is_some_and(|place| place.file.is_none()))
    {
        let file = entry.source.as_ref().and_then(|source| {
            files
                .entry(source.path.clone())
                .or_insert_with(|| SourceFile::read(&join_paths(base, &source.path)))
                .as_ref()
        });
        entry.place = file.map(|file| file.place(entry, &built));
        if let Some((_, place)) = &mut entry.other {
            *place = None;
        }
    }
}

/// Joins a relative path to a folder, resolving `..` textually, because the folder may no longer exist. The folder has
/// no symlinks.
fn join_paths(base: &Path, relative: &str) -> PathBuf {
    let mut path = base.to_owned();
    for part in Path::new(relative).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            part => path.push(part),
        }
    }
    path
}

impl SourceFile {
    fn read(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok().filter(|path| path.is_file())?;
        let is_short = path.metadata().is_ok_and(|file| file.len() <= MAX_FILE_BYTES);
        let bytes = if is_short { std::fs::read(&path).ok() } else { None };
        let name = shown_path(&relative_to_working_dir(&path));
        let input = bytes.and_then(|bytes| Input::read(Origin::file(path), bytes).ok());
        let metas = input.as_ref().and_then(|input| input.objects(|_, object| Meta::read(object)).ok());
        Some(Self { name, input, metas: metas.unwrap_or_default() })
    }

    /// Location of a finding; it has a line if exactly one object of the file matches.
    fn place(&self, entry: &Entry, built: &BTreeSet<(String, String)>) -> Location {
        let object = entry.object.as_ref().and_then(|object| self.object(object, built));
        let root = lossless_yaml::Path::root();
        let position = object
            .zip(self.input.as_ref())
            .and_then(|(object, input)| input.position(object, entry.path.as_ref().unwrap_or(&root)));
        Location { file: Some(self.name.clone()), position }
    }

    /// Index of the source object from which a build made an object, with or without prefix and suffix. `built` holds
    /// kinds and names of the build, because prefix and suffix apply to all objects of the file.
    fn object(&self, object: &ResourceRef, built: &BTreeSet<(String, String)>) -> Option<usize> {
        let is_kind = |meta: &Meta| meta.gvk.kind == object.kind && meta.api_version() == object.api_version;
        let own: Vec<(usize, &Meta)> = self.metas.iter().enumerate().filter(|(_, meta)| is_kind(meta)).collect();
        let affixes = |meta: &Meta| object.name.split_once(meta.name.as_str());
        let fits: Vec<usize> =
            own.iter().filter(|(_, meta)| affixes(meta).is_some()).map(|(index, _)| *index).collect();
        if let [only] = fits[..] {
            return Some(only);
        }
        let is_of_all = |(prefix, suffix): (&str, &str)| {
            own.iter()
                .all(|(_, meta)| built.contains(&(meta.gvk.kind.clone(), format!("{prefix}{}{suffix}", meta.name))))
        };
        let mut found = own.iter().filter(|(_, meta)| affixes(meta).is_some_and(is_of_all)).map(|(index, _)| *index);
        found.next().filter(|_| found.next().is_none())
    }
}
