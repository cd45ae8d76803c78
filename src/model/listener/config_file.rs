//! Files that a pod mounts from a `ConfigMap`, and the key in them that sets a port. The catalogue knows the key for a
//! program's config file, or `bind` of the config gives it.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::{ConfigFile, KnownSetting, Program};
use crate::model::facts::{ConfigPlace, data_path};
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{Container, Mount, PodTemplate};
use crate::model::setting::Setting;
use crate::model::text::{Form, Number, TextPlace, is_filled_in, listen_value};
use lossless_yaml::{Kind, NodeRef, Style, Tree};

/// ConfigMaps of the input that the pods of a workload use.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) struct Files<'m> {
    pub(in crate::model) model: &'m Model,
    pub(in crate::model) meta: &'m Meta,
    pub(in crate::model) template: &'m PodTemplate,
}

/// Reason why a field of a config file cannot be changed.
#[derive(Debug)]
pub(in crate::model) struct NoField {
    /// Reason with file and field, for messages.
    pub(in crate::model) why: String,
    /// Value of the field, if it exists.
    pub(in crate::model) value: Option<String>,
    /// True if the input has the file.
    pub(in crate::model) is_mounted: bool,
}

impl NoField {
    fn new(why: String) -> Self {
        Self { why, value: None, is_mounted: false }
    }

    /// Reason about a mounted file.
    fn in_file(why: String) -> Self {
        Self { is_mounted: true, ..Self::new(why) }
    }
}

impl Files<'_> {
    /// Returns the port number that a program takes from a `ConfigMap`, by a flag or variable, else by a field of its
    /// config file; flags and variables override the file.
    pub(in crate::model) fn number_from_map(
        &self,
        program: &Program,
        settings: &[KnownSetting],
        container: &Container,
        variables: &[ConfigPlace],
        flags: &[Setting],
    ) -> Option<Result<ConfigPlace, NoField>> {
        let named =
            |place: &&ConfigPlace| settings.iter().any(|known| known.config.is_none() && known.name() == place.name);
        let variable = variables.iter().find(named).cloned();
        let mut fields = settings.iter().filter_map(|known| known.config.as_deref());
        variable.map(Ok).or_else(|| fields.next().map(|field| self.field(program, field, container, flags)))
    }

    /// Returns the port number in a field of the config file of a program.
    pub(in crate::model) fn field(
        &self,
        program: &Program,
        field: &str,
        container: &Container,
        flags: &[Setting],
    ) -> Result<ConfigPlace, NoField> {
        let because = |found: NoField| {
            let why = format!("{} reads it from `{field}` of its config file, and {}", program.name, found.why);
            NoField { why, ..found }
        };
        let Some(file) = program.config.as_ref().and_then(|file| path(file, flags)) else {
            return Err(because(NoField::new("no flag names that file".to_owned())));
        };
        self.in_file(container, file, field).map_err(because)
    }

    /// Returns the number of a key in a file that a container mounts.
    pub(in crate::model) fn in_file(
        &self,
        container: &Container,
        file: &str,
        field: &str,
    ) -> Result<ConfigPlace, NoField> {
        let Some((name, key)) = self.mounted(container, file) else {
            let meant = self.mounted_paths_of_file(container, file);
            let path = meant.first().map(|path| format!("; write its path, `{path}`")).unwrap_or_default();
            return Err(NoField::new(format!("`{file}` is not mounted from a ConfigMap{path}")));
        };
        let namespace = self.meta.namespace.as_deref();
        let Some((object, map)) = self.model.config_map(namespace, &name) else {
            return Err(NoField::new(format!("ConfigMap `{name}`, which has it as `{file}`, is not in the input")));
        };
        let there = format!("key `{key}` of ConfigMap `{name}` (`{file}`)");
        let absent = || NoField::in_file(format!("{there} has no such field; write it there first"));
        let text = map.text(&key).ok_or_else(absent)?;
        match find_key_in_mapping(text, field).unwrap_or_else(|| find_key_in_lines(text, field)) {
            TextLookup::Number(port, range) => Ok(ConfigPlace {
                object,
                place: TextPlace { path: data_path(&key), text: Arc::clone(text), range },
                port,
                form: Form::Bare,
                name: field.to_owned(),
                in_file: true,
            }),
            TextLookup::Nothing if Tree::parse(text).is_err() => {
                Err(NoField::in_file(format!("{there} is not YAML, and no line of it begins with `{field}`")))
            }
            TextLookup::Nothing => Err(absent()),
            TextLookup::Several => Err(NoField::in_file(format!("{there} has it more than once"))),
            TextLookup::Other(value) => {
                let form = match listen_value(&value) {
                    Some(_) => "in a form that hostnet does not change: an anchor, or escapes",
                    None if is_filled_in(&value) => "which is filled in later",
                    None => "not a port number",
                };
                let why = format!("it is `{value}` in {there}, {form}");
                Err(NoField { value: Some(value), ..NoField::in_file(why) })
            }
        }
    }

    /// Paths in a container of the mounted files with this name, of ConfigMaps in the input.
    fn mounted_paths_of_file(&self, container: &Container, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (source, mount) in self.template.seen_config_maps(container) {
            let map = self.model.config_map(self.meta.namespace.as_deref(), &source.config_map);
            let has = |key: &str| map.is_some_and(|(_, map)| map.text(key).is_some());
            let path = source.path(name).filter(|path| has(name) && mount.shows(path));
            let below = path.and_then(|path| path.strip_prefix(mount.sub_path.trim_matches('/')));
            found.extend(below.map(|below| match below.trim_start_matches('/') {
                "" => mount.path.clone(),
                below => format!("{}/{below}", mount.path.trim_end_matches('/')),
            }));
        }
        found
    }

    /// Returns the `ConfigMap` and key that a container mounts as a file; the deepest of nested mounts counts.
    fn mounted(&self, container: &Container, file: &str) -> Option<(String, String)> {
        // The default working directory of images is `/`.
        let absolute = format!("/{}", file.trim_start_matches("./"));
        let file = if file.starts_with('/') { file } else { absolute.as_str() };
        let inside = |mount| Some((mount, Mount::inside(mount, file)?));
        let (mount, path) = container.mounts.iter().filter_map(inside).max_by_key(|(mount, _)| mount.path.len())?;
        let volume = self.template.volumes.iter().find(|volume| volume.name == mount.volume)?;
        let known = |name: &str, key: &str| {
            let map = self.model.config_map(self.meta.namespace.as_deref(), name);
            map.is_none_or(|(_, map)| map.text(key).is_some())
        };
        let keys = || volume.config_maps.iter().filter_map(|source| Some((source, source.key(&path)?)));
        // If a projected volume has several sources without items, use the source with the key.
        let found = keys().find(|(source, key)| known(&source.config_map, key)).or_else(|| keys().next());
        found.map(|(source, key)| (source.config_map.clone(), key.to_owned()))
    }
}

/// Returns the path that a flag sets, else the default path of the program.
fn path<'f>(file: &'f ConfigFile, flags: &'f [Setting]) -> Option<&'f str> {
    let named = |flag: &&Setting| !flag.variable && file.arg.as_ref() == Some(&flag.name);
    let flag = flags.iter().rev().find(named);
    flag.map_or(file.path.as_deref(), |flag| flag.value.as_deref())
}

/// Value of a key in a text.
enum TextLookup {
    /// Missing key.
    Nothing,
    /// Several lines with the key.
    Several,
    /// Number, and the range of its digits.
    Number(u16, Range<usize>),
    /// Other value, or a port number in a form that is not edited.
    Other(String),
}

/// Returns a field of a YAML or JSON mapping, nested or as one key with dots. `None` if the text is not a mapping.
fn find_key_in_mapping(text: &str, field: &str) -> Option<TextLookup> {
    let tree = Tree::parse(text).ok()?;
    let root = tree.root(0).filter(|root| matches!(root.kind(), Kind::Mapping { .. }))?;
    let Some(node) = own(root, field) else { return Some(TextLookup::Nothing) };
    Some(match number(node) {
        Some((port, range)) => TextLookup::Number(port, range),
        None => TextLookup::Other(node.text().unwrap_or_default().to_owned()),
    })
}

/// Finds a key at the start of a line: `server.port=8080`, `port: 8080`, `listen 8080;`.
fn find_key_in_lines(text: &str, key: &str) -> TextLookup {
    let mut found = TextLookup::Nothing;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(rest) = line.trim_start().strip_prefix(key) else { continue };
        let value = rest.trim_start();
        let (value, is_joined) = match value.strip_prefix(['=', ':']) {
            Some(value) => (value, true),
            None => (value, false),
        };
        if !is_joined && value.len() == rest.len() {
            continue;
        }
        if !matches!(found, TextLookup::Nothing) {
            return TextLookup::Several;
        }
        let from = start + line.len() - value.len();
        let value = value.split([';', '#']).next().unwrap_or_default();
        let trimmed = value.trim().trim_matches(['"', '\'', ',']);
        let before = value.find(trimmed).unwrap_or_default();
        found = match listen_value(trimmed) {
            Some((_, Number { port, range })) => {
                let start = from + before + range.start;
                TextLookup::Number(port, start..start + range.len())
            }
            None => TextLookup::Other(trimmed.to_owned()),
        };
    }
    found
}

/// Returns the value at a dotted path; `None` for an alias or a merged value. Keys may contain dots.
fn own<'t, 's>(root: NodeRef<'t, 's>, field: &str) -> Option<NodeRef<'t, 's>> {
    let value = |key: &str| root.get_without_merge_keys(key).filter(|value| value.kind() != Kind::Alias);
    value(field)
        .or_else(|| field.match_indices('.').find_map(|(at, _)| own(value(field.get(..at)?)?, field.get(at + 1..)?)))
}

/// Returns the port number of a scalar, and the range of its digits in the document.
fn number(node: NodeRef<'_, '_>) -> Option<(u16, Range<usize>)> {
    let quote = match node.kind() {
        Kind::Scalar(Style::Plain) => 0,
        Kind::Scalar(Style::SingleQuoted | Style::DoubleQuoted) => 1,
        _ => return None,
    };
    let text = node.text()?;
    let (_, number) = listen_value(text)?;
    let start = node.span().start + quote;
    // A scalar with escapes is longer than its value.
    let plain = node.raw().len() == text.len() + 2 * quote && !node.is_anchored();
    plain.then(|| (number.port, start + number.range.start..start + number.range.end))
}
