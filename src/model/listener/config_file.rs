//! Config files of the catalogue's programs: the field of a YAML file, mounted from a `ConfigMap`, that sets a port.

use std::ops::Range;
use std::sync::Arc;

use crate::catalog::{ConfigFile, KnownSetting, Program};
use crate::model::facts::{ConfigPlace, data_path};
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{Container, Mount, PodTemplate};
use crate::model::setting::Setting;
use crate::model::text::{TextPlace, listen_value};
use crate::yaml::{Kind, NodeRef, Style, Tree};

/// What the pods of a workload read from ConfigMaps of the input.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) struct Files<'m> {
    pub(in crate::model) model: &'m Model,
    pub(in crate::model) meta: &'m Meta,
    pub(in crate::model) template: &'m PodTemplate,
}

/// Why a field of a config file cannot be changed.
#[derive(Debug)]
pub(in crate::model) struct NoField {
    /// The reason, which names file and field.
    pub(in crate::model) why: String,
    /// What the field holds, if it is there.
    pub(in crate::model) value: Option<String>,
}

impl NoField {
    fn new(why: String) -> Self {
        Self { why, value: None }
    }
}

impl Files<'_> {
    /// The number that one of a row's variables or fields takes from a `ConfigMap`; a variable wins over a file.
    pub(in crate::model) fn number_from_map(
        &self,
        program: &Program,
        settings: &[KnownSetting],
        container: &Container,
        variables: &[ConfigPlace],
        flags: &[Setting],
    ) -> Option<Result<ConfigPlace, NoField>> {
        let named = |place: &&ConfigPlace| settings.iter().any(|known| known.env.as_ref() == Some(&place.name));
        let variable = variables.iter().find(named).cloned();
        let mut fields = settings.iter().filter_map(|known| known.config.as_deref());
        variable.map(Ok).or_else(|| fields.next().map(|field| self.field(program, field, container, flags)))
    }

    /// A field of the program's config file.
    pub(in crate::model) fn field(
        &self,
        program: &Program,
        field: &str,
        container: &Container,
        flags: &[Setting],
    ) -> Result<ConfigPlace, NoField> {
        let because = |why: String| {
            NoField::new(format!("{} reads it from `{field}` of its config file, and {why}", program.name))
        };
        let Some(file) = program.config.as_ref().and_then(|file| path(file, flags)) else {
            return Err(because("no flag names that file".to_owned()));
        };
        let Some((name, key)) = self.mounted(container, file) else {
            return Err(because(format!("`{file}` is not mounted from a ConfigMap")));
        };
        let namespace = self.meta.namespace.as_deref();
        let Some((object, map)) = self.model.config_map(namespace, &name) else {
            return Err(because(format!("ConfigMap `{name}`, which has it as `{file}`, is not in the input")));
        };
        let there = format!("key `{key}` of ConfigMap `{name}` (`{file}`)");
        let Some(text) = map.text(&key) else {
            return Err(because(format!("{there} has no such field; write it there first")));
        };
        let Ok(tree) = Tree::parse(text) else { return Err(because(format!("{there} is not YAML"))) };
        let Some(node) = tree.root(0).and_then(|root| own(root, field)) else {
            return Err(because(format!("{there} has no such field; write it there first")));
        };
        let value = node.text().unwrap_or_default().to_owned();
        let Some((port, range)) = number(node) else {
            let form = match listen_value(&value) {
                Some(_) => "in a form that is not changed: an anchor, or escapes",
                None => "not a port number",
            };
            let why = because(format!("it is `{value}` in {there}, {form}")).why;
            return Err(NoField { why, value: Some(value) });
        };
        Ok(ConfigPlace {
            object,
            place: TextPlace { path: data_path(&key), text: Arc::clone(text), range },
            port,
            name: field.to_owned(),
        })
    }

    /// The `ConfigMap` and key that a container sees as a file; of nested mounts the deepest one counts.
    fn mounted(&self, container: &Container, file: &str) -> Option<(String, String)> {
        // Images start their programs in `/`, unless they say otherwise.
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
        // Of several sources of a projected volume without items, the one that has the key.
        let found = keys().find(|(source, key)| known(&source.config_map, key)).or_else(|| keys().next());
        found.map(|(source, key)| (source.config_map.clone(), key.to_owned()))
    }
}

/// The file that a flag names; else the program's own.
fn path<'f>(file: &'f ConfigFile, flags: &'f [Setting]) -> Option<&'f str> {
    let named = |flag: &&Setting| !flag.variable && file.arg.as_ref() == Some(&flag.name);
    let flag = flags.iter().rev().find(named);
    flag.map_or(file.path.as_deref(), |flag| flag.value.as_deref())
}

/// The value at a dotted path, if it and all around it are written there: neither aliased nor merged.
fn own<'t, 's>(root: NodeRef<'t, 's>, field: &str) -> Option<NodeRef<'t, 's>> {
    let step = |node: NodeRef<'t, 's>, key| node.get_own(key).filter(|value| value.kind() != Kind::Alias);
    field.split('.').try_fold(root, step)
}

/// The port number of a scalar, and its digits in the text around it.
fn number(node: NodeRef<'_, '_>) -> Option<(u16, Range<usize>)> {
    let quote = match node.kind() {
        Kind::Scalar(Style::Plain) => 0,
        Kind::Scalar(Style::SingleQuoted | Style::DoubleQuoted) => 1,
        _ => return None,
    };
    let text = node.text()?;
    let (_, number) = listen_value(text)?;
    let start = node.span().start + quote;
    // A text with escapes is longer where it is written.
    let plain = node.raw().len() == text.len() + 2 * quote && !node.is_anchored();
    plain.then(|| (number.port, start + number.range.start..start + number.range.end))
}
