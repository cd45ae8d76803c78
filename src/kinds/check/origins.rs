//! Findings of a build, named by the files that its objects come from.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::Meta;
use crate::render::ResourceRef;
use crate::render::check::{Entry, Location, Report};
use crate::wire::{Input, Origin, from_here, shown_path};
use crate::yaml;

/// The longest source file that is read for its lines.
const LONGEST: u64 = 16 << 20;

/// A file that objects of a build come from.
struct SourceFile {
    name: String,
    /// `None` if it cannot be read as manifests: a generator's own file, for one.
    input: Option<Input>,
    metas: Vec<Meta>,
}

/// Gives findings without a file the place in the file that their object comes from, and takes away positions in the text of a build. `base` is
/// the folder from which the build names files.
pub fn name_sources(report: &mut Report, base: &Path) {
    let mut files: BTreeMap<String, Option<SourceFile>> = BTreeMap::new();
    for entry in report.entries.iter_mut().filter(|entry| entry.place.as_ref().is_some_and(|place| place.file.is_none())) {
        let file = entry.source.as_ref().and_then(|source| {
            files.entry(source.path.clone()).or_insert_with(|| SourceFile::read(&base.join(&source.path))).as_ref()
        });
        entry.place = file.map(|file| file.place(entry));
        if let Some((_, place)) = &mut entry.other {
            *place = None;
        }
    }
}

impl SourceFile {
    fn read(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok().filter(|path| path.is_file())?;
        let is_short = path.metadata().is_ok_and(|file| file.len() <= LONGEST);
        let bytes = if is_short { std::fs::read(&path).ok() } else { None };
        let name = shown_path(&from_here(&path));
        let input = bytes.and_then(|bytes| Input::read(Origin::file(path), bytes).ok());
        let metas = input.as_ref().and_then(|input| input.objects(|_, object| Meta::of(object)).ok());
        Some(Self { name, input, metas: metas.unwrap_or_default() })
    }

    /// The place of a finding: its line where one object of the file is certainly meant.
    fn place(&self, entry: &Entry) -> Location {
        let object = entry.object.as_ref().and_then(|object| self.object(object));
        let root = yaml::Path::root();
        let position = object.zip(self.input.as_ref()).and_then(|(object, input)| {
            input.position(object, entry.path.as_ref().unwrap_or(&root))
        });
        Location { file: Some(self.name.clone()), position }
    }

    /// The object of the file that a build has made an object of: prefixes and suffixes may have been added to its name.
    fn object(&self, built: &ResourceRef) -> Option<usize> {
        let is_kind = |meta: &Meta| meta.gvk.kind == built.kind && meta.api_version() == built.api_version;
        let of = |is_it: &dyn Fn(&Meta) -> bool| {
            let mut found = self.metas.iter().enumerate().filter(|(_, meta)| is_kind(meta) && is_it(meta));
            found.next().filter(|_| found.next().is_none()).map(|(index, _)| index)
        };
        let is_same = |meta: &Meta| meta.name == built.name;
        of(&is_same).or_else(|| of(&|meta| built.name.contains(&meta.name)))
    }
}
