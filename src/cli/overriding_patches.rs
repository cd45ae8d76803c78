//! Patches of kustomizations that would undo changes of files in the build.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::bail;

use super::build::build_command;
use super::outermost::build_with;
use super::patched_ports::{CONTAINERS, PORT, kept};
use crate::kinds::ChangedObject;
use crate::kinds::build_patches::PatchingBuild;
use crate::model::Meta;
use crate::model::text::may_be_own_port;
use crate::releases::{ListedPatch, affixes, overridden};
use krm::files::Changed;
use krm::{Input, escape_line, shell_path, shown_path};
use lossless_yaml::NodeRef;

/// Fields of a container whose texts may contain its ports, without `ports`.
const SETTINGS: [&str; 7] = ["args", "command", "env", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];

/// Changes of a run, and the kustomizations of its files.
pub(super) struct ChangedFiles<'c> {
    pub(super) inputs: &'c [Input],
    pub(super) objects: &'c [ChangedObject],
    /// Kustomizations whose builds differ from their files.
    pub(super) changed: &'c [Changed],
    /// Folders of all kustomizations.
    pub(super) kustomizations: &'c [PathBuf],
    /// Objects of Flux and Argo CD that patch builds.
    pub(super) builds: &'c [PatchingBuild],
}

impl ChangedFiles<'_> {
    /// Refuses to change files if a patch of their build sets an old value again: a container port that moves, or that the
    /// files declare too, another text with the old number, or a field that the run changes. `command` is the arguments
    /// of this call.
    pub(super) fn refuse_overriding_patches(&self, command: &str) -> anyhow::Result<()> {
        let affixes: BTreeSet<(String, String)> = self.changed.iter().filter_map(|one| affixes(&one.folder)).collect();
        for one in self.changed.iter().filter(|one| one.patches) {
            let remedy = |object: &ChangedObject| {
                let folders = self.kustomizations.iter().map(PathBuf::as_path);
                let folder = build_with(&one.folder, &object.file, folders)?;
                Some(format!("run hostnet on the build, `{} | hostnet {command} -`", build_command(folder)))
            };
            self.refuse(&ListedPatch::read_all(&one.folder), &affixes, remedy)?;
        }
        for build in self.builds {
            let remedy = |object: &ChangedObject| {
                let remedy = || {
                    if !build.takes_patches {
                        let plugin = "run `hostnet apply` in the pipeline, or the plugin of Argo CD, instead";
                        return format!("{} has no field for patches of hostnet: {plugin}", build.object);
                    }
                    let file = shell_path(&build.file);
                    let patch = command.replacen("apply", "patch", 1);
                    format!(
                        "patch the build instead of the files, `hostnet charts {file} | sh` and `hostnet {patch} --into {file} rendered`"
                    )
                };
                build.reads(&object.file).then(remedy)
            };
            self.refuse(&build.patches, &affixes, remedy)?;
        }
        Ok(())
    }

    /// Refuses the first of these patches that undoes a change. `remedy` is `None` for an object that the build with the
    /// patches does not have.
    fn refuse(
        &self,
        patches: &[ListedPatch],
        affixes: &BTreeSet<(String, String)>,
        remedy: impl Fn(&ChangedObject) -> Option<String>,
    ) -> anyhow::Result<()> {
        let identities = |object: &ChangedObject| {
            let renamed = |(prefix, suffix): &(String, String)| Meta {
                name: format!("{prefix}{}{suffix}", object.meta.name),
                ..object.meta.clone()
            };
            std::iter::once(object.meta.clone()).chain(affixes.iter().map(renamed)).collect::<Vec<_>>()
        };
        let objects: Vec<(&ChangedObject, Vec<Meta>)> =
            self.objects.iter().map(|object| (object, identities(object))).collect();
        for patch in patches {
            let Some(tree) = patch.tree() else { continue };
            for document in tree.roots() {
                let Some(matcher) = patch.matcher(document) else { continue };
                let is_changed = |metas: &[Meta]| metas.iter().any(|meta| matcher.matches(meta));
                for (object, _) in objects.iter().filter(|(_, metas)| is_changed(metas)) {
                    let Some((line, effect)) = self.effect(patch, document, object) else { continue };
                    if let Some(remedy) = remedy(object) {
                        bail!("{}:{line}: this patch {effect}: {remedy}", shown_path(&patch.file))
                    }
                }
            }
        }
        Ok(())
    }

    /// Line of a patch that undoes a change of an object, and the effect.
    fn effect(
        &self,
        patch: &ListedPatch,
        document: NodeRef<'_, '_>,
        object: &ChangedObject,
    ) -> Option<(usize, String)> {
        let nodes = kept(document);
        let ports = nodes.iter().filter_map(|node| node.get(PORT)).filter_map(|port| Some((port, number(port)?)));
        for (port, number) in ports {
            if object.moved.contains(&number) {
                let effect = format!(
                    "sets {PORT} {number}, which moves in the files, so the build would have the old number too"
                );
                return Some((patch.line_of(port), effect));
            }
            if object.declared.contains(&number) {
                let effect = format!(
                    "declares {PORT} {number}, and the changed files declare it too, so the build could lose the \
                     port's name"
                );
                return Some((patch.line_of(port), effect));
            }
        }
        let texts = nodes.into_iter().flat_map(settings);
        let old = |(field, node): (&'static str, NodeRef<'_, '_>)| {
            let number = object
                .moved
                .iter()
                .find(|port| may_be_own_port(name_of(node), node.text().unwrap_or_default(), **port));
            let effect = |number| {
                format!("has {number} in {field}, which moves in the files, so the build would have the old number too")
            };
            number.map(|number| (patch.line_of(node), effect(number)))
        };
        texts.into_iter().find_map(old).or_else(|| {
            let (input, index) = object.index;
            let replaced = |node: NodeRef<'_, '_>| {
                let (node, place) = overridden(document, node, &object.new)?;
                Some((patch.line_of(node), place))
            };
            let found = self.inputs.get(input)?.objects(|_, node| Some(replaced(node))).ok()?;
            let (line, place) = found.into_iter().flatten().nth(index)??;
            let effect = format!(
                "sets {}, which changes in the files, so the build would not have the new value",
                escape_line(&place)
            );
            Some((line, effect))
        })
    }
}

fn number(node: NodeRef<'_, '_>) -> Option<u16> {
    node.text().and_then(|number| number.parse().ok())
}

/// Scalars in the settings of a container, each with the field: of the containers in a node, or of an operation of a JSON
/// patch.
fn settings<'t, 's>(node: NodeRef<'t, 's>) -> Vec<(&'static str, NodeRef<'t, 's>)> {
    let of_container = |container: NodeRef<'t, 's>| {
        let fields = SETTINGS.into_iter().filter_map(move |field| Some((field, container.get(field)?)));
        fields.flat_map(|(field, value)| scalars(value).map(move |scalar| (field, scalar)))
    };
    let of_pod = CONTAINERS.into_iter().filter_map(|key| node.get(key)).flat_map(NodeRef::items).flat_map(of_container);
    let path = node.get("path").and_then(NodeRef::text).filter(|_| node.get("op").is_some()).unwrap_or_default();
    let mut steps = path.split('/').skip_while(|step| !CONTAINERS.contains(step));
    let (has_container, field) = (steps.nth(1).is_some(), steps.next());
    let value = node.get("value").filter(|_| has_container);
    let setting = field.and_then(|field| SETTINGS.into_iter().find(|known| *known == field));
    let of_field =
        setting.zip(value).into_iter().flat_map(|(field, value)| scalars(value).map(move |one| (field, one)));
    let of_value = value.filter(|_| field.is_none()).into_iter().flat_map(of_container);
    of_pod.chain(of_field).chain(of_value).collect()
}

/// Scalars in a value, without keys.
fn scalars<'t, 's>(value: NodeRef<'t, 's>) -> impl Iterator<Item = NodeRef<'t, 's>> {
    let (mut found, mut open) = (Vec::new(), vec![value]);
    while let Some(node) = open.pop() {
        open.extend(node.items().chain(node.entries().map(|(_, value)| value)));
        found.extend(node.text().map(|_| node));
    }
    found.into_iter()
}

/// Name of a value: its variable, its key, or the flag before it.
fn name_of<'t>(node: NodeRef<'t, '_>) -> &'t str {
    let Some(parent) = node.parent() else { return "" };
    if parent.is_mapping() {
        let is_value = |(_, value): &(NodeRef<'_, '_>, NodeRef<'_, '_>)| value.start() == node.start();
        let key = parent.entries().find(is_value).and_then(|(key, _)| key.text()).unwrap_or_default();
        let variable = parent.get("name").and_then(NodeRef::text).filter(|_| key == "value");
        return variable.unwrap_or(key);
    }
    let before = parent.items().take_while(|item| item.start() < node.start()).last();
    before.and_then(NodeRef::text).filter(|flag| flag.starts_with('-')).unwrap_or_default()
}
