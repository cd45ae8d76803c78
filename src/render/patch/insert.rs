//! Writes patches into an existing file: patches of `hostnet patch` are recognized by their first line and replaced;
//! all other bytes stay unchanged.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::form::Form;
use super::images::refuse_images_of;
use super::{ObjectPatch, unterminated};
use crate::releases::{PATCH_COMMENT_PREFIX, embedded, holds_template};
use lossless_yaml::{EditError, KeyPosition, NodeRef, Op, Path, Tree, Value};

/// Prefix of the line that records the value that was empty before the patches were added.
const EMPTY: &str = "# hostnet patch: empty before: ";

/// A file that contains the patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// New text of the file; the old text if the patches are unchanged.
    pub text: String,
    /// Form of the document that contains the patches.
    pub form: Form,
    /// Number of earlier patches by `hostnet patch`.
    pub before: usize,
    /// True if patches contain placeholders, which Flux could substitute too early when it applies this object.
    pub has_placeholders: bool,
}

/// Writes the patches of a config into a text: a kustomization, a Kustomization, HelmRelease or FluxInstance of Flux,
/// or an Application of Argo CD.
///
/// An earlier patch of the config (`owner`) with the same target is replaced in place, its other earlier patches are
/// removed, and new patches follow the last patch. Patches of other configs stay. The error is a sentence.
///
/// ```
/// # use hostnet::render::patch::{Form, carried};
/// let carried = carried("kind: Component  # ours\n", &[], "HostNetwork web").unwrap();
/// assert_eq!((carried.form, carried.text.as_str()), (Form::Component, "kind: Component  # ours\n"));
/// ```
pub fn carried(text: &str, patches: &[&ObjectPatch], owner: &str) -> Result<Carried, String> {
    let tree = Tree::parse(text).map_err(|error| error.to_string())?;
    let found = places(&tree);
    let [(index, at, form)] = found.as_slice() else {
        let how_many = if found.is_empty() { "nothing" } else { "more than one object" };
        return Err(format!(
            "{how_many} here carries patches: give a file with one kustomization, one Kustomization or HelmRelease of Flux, one FluxInstance, or one Application of Argo CD"
        ));
    };
    let object = tree.root(*index).and_then(|root| root.lookup(at)).ok_or("the document is empty")?;
    carried_in(text, (*index, at), *form, object, (patches, owner))
}

/// Writes patches into the object at a path of one document of a text.
///
/// # Errors
///
/// A sentence, as for [`carried`].
pub fn write_patches_at(
    text: &str,
    (document, at): (usize, &Path),
    patches: &[&ObjectPatch],
    owner: &str,
) -> Result<Carried, String> {
    let tree = Tree::parse(text).map_err(|error| error.to_string())?;
    let object = tree.root(document).and_then(|root| root.lookup(at)).ok_or("the document is empty")?;
    let form = form(object).ok_or("the document carries no patches")?;
    carried_in(text, (document, at), form, object, (patches, owner))
}

/// Objects of a text that can contain patches: document, path in it, and form.
fn places(tree: &Tree<'_>) -> Vec<(usize, Path, Form)> {
    let in_root = |(index, root)| {
        let all = [(Path::root(), root)].into_iter().chain(embedded(root));
        all.filter_map(move |(at, object)| Some((index, at, form(object)?)))
    };
    tree.roots().enumerate().flat_map(in_root).collect()
}

/// Objects of a text that can contain patches, each with its form.
pub(super) fn carriers<'t>(tree: &'t Tree<'t>) -> impl Iterator<Item = (Form, NodeRef<'t, 't>)> {
    places(tree).into_iter().filter_map(|(index, at, form)| Some((form, tree.root(index)?.lookup(&at)?)))
}

/// Refuses patches of an image that `images` in one of the carriers of a text sets, too.
///
/// # Errors
///
/// A sentence with a remedy.
pub fn refuse_images(text: &str, patches: &[&ObjectPatch]) -> Result<(), String> {
    let Ok(tree) = Tree::parse(text) else { return Ok(()) };
    carriers(&tree).try_for_each(|(form, object)| refuse_images_of(form, object, patches))
}

/// Replaces the earlier patches of a config in one carrier.
fn carried_in(
    text: &str,
    (index, at): (usize, &Path),
    form: Form,
    root: NodeRef<'_, '_>,
    (patches, owner): (&[&ObjectPatch], &str),
) -> Result<Carried, String> {
    refuse_images_of(form, root, patches)?;
    let list = List::read(form, root, Some(owner))?;
    let mut wanted: Vec<(Value, String)> =
        patches.iter().map(|patch| (patch.target.to_value(), patch.operations())).collect();
    if *at != Path::root() && wanted.iter().any(|(_, patch)| holds_template(patch)) {
        return Err("a patch holds `<<`, which the ResourceSet would fill in".to_owned());
    }
    if let (Some(note), Some((_, first))) = (list.empty_before(root), wanted.first_mut()) {
        first.insert_str(0, &note);
    }
    let has_placeholders = !form.holds_objects() && wanted.iter().any(|(_, patch)| patch.contains("${"));
    let (mut ops, mut left, mut before) = (Vec::new(), wanted.iter().collect::<Vec<_>>(), 0);
    for OwnPatch { index, target, patch } in list.own(root) {
        before += 1;
        let path = list.path.item(index);
        match left.iter().position(|(wanted, _)| Some(wanted) == target.as_ref()) {
            Some(at) => {
                let (_, new) = left.remove(at);
                if *new != patch {
                    ops.push(Op::Set { path: path.key("patch"), value: new.as_str().into() });
                }
            }
            None => ops.push(Op::Remove { path }),
        }
    }
    let edited = |text: &str, ops: &[Op]| {
        lossless_yaml::edit_text(text, index, at, ops).map_err(|error: EditError| error.to_string())
    };
    let text = edited(text, &ops)?;
    if left.is_empty() {
        return Ok(Carried { text, form, before, has_placeholders });
    }
    // The editor writes strings on one line; a marker represents each patch until all other edits are made.
    let marks: Vec<(String, &str)> =
        left.iter().enumerate().map(|(nth, (_, patch))| (unused_marker(&text, nth), patch.as_str())).collect();
    let element = |((target, _), (mark, _)): (&&(Value, String), &(String, &str))| {
        Value::map([("target", target.clone()), ("patch", mark.as_str().into())])
    };
    let elements = left.iter().zip(&marks).map(element).collect();
    let marked = edited(&text, &list.added(form, root, elements))?;
    Ok(Carried { text: replace_markers(&marked, &marks)?, form, before, has_placeholders })
}

/// Removes all patches by `hostnet patch`, or the patches of one config, and returns their number. A list without other
/// patches is removed, with its post-renderer; one that was empty before is empty again.
///
/// # Errors
///
/// A sentence if the text cannot be parsed or edited.
///
/// ```
/// # use hostnet::render::patch::without_patches;
/// let before = "kind: Component\n# theirs\nresources: []\n";
/// let with = format!("{before}patches:\n- patch: |\n    # hostnet patch: this object\n  target: {{kind: Service}}\n");
/// assert_eq!(without_patches(&with, None), Ok((before.to_owned(), 1)));
/// ```
pub fn without_patches(text: &str, owner: Option<&str>) -> Result<(String, usize), String> {
    let (mut text, mut removed) = (text.to_owned(), 0);
    let places = places(&Tree::parse(&text).map_err(|error| error.to_string())?);
    for (index, at, form) in places {
        let tree = Tree::parse(&text).map_err(|error| error.to_string())?;
        let Some(root) = tree.root(index).and_then(|root| root.lookup(&at)) else { continue };
        let list = List::read(form, root, owner)?;
        let own: Vec<OwnPatch> = list.own(root).collect();
        if own.is_empty() {
            continue;
        }
        removed += own.len();
        let count = root.lookup(&list.path).map_or(0, |list| list.items().count());
        let was_empty = own.iter().find_map(|own| list.noted(&own.patch));
        let edited =
            |ops: &[Op]| lossless_yaml::edit_text(&text, index, &at, ops).map_err(|error: EditError| error.to_string());
        let after = match was_empty {
            _ if own.len() < count => {
                let ops: Vec<Op> = own.into_iter().map(|own| Op::Remove { path: list.path.item(own.index) }).collect();
                edited(&ops)?
            }
            Some((path, raw)) => {
                let mark = unused_marker(&text, 0);
                let marked = edited(&[Op::Set { path, value: mark.as_str().into() }])?;
                replace_marker_with_raw(&marked, &mark, &raw)
            }
            None => edited(&[Op::Remove { path: list.path_to_remove(form, root) }])?,
        };
        text = after;
    }
    Ok((text, removed))
}

/// Replaces a marker by the text of a value, which may be empty.
fn replace_marker_with_raw(marked: &str, mark: &str, raw: &str) -> String {
    let Some((before, tail)) = marked.split_once(mark) else { return marked.to_owned() };
    let quoted = before.strip_suffix('"').zip(tail.strip_prefix('"'));
    let (before, tail) = quoted.unwrap_or((before, tail));
    let before = if raw.is_empty() { before.strip_suffix(' ').unwrap_or(before) } else { before };
    format!("{before}{raw}{tail}")
}

/// Form of a document that can contain patches.
fn form(root: NodeRef<'_, '_>) -> Option<Form> {
    let field = |key| root.get(key).and_then(NodeRef::non_null_text);
    let group = |group: &str| field("apiVersion").is_some_and(|version| version.starts_with(group));
    // A kustomization file may omit both fields; it is then recognized by its other fields.
    let is_file = match field("apiVersion") {
        Some(_) => group("kustomize.config.k8s.io/"),
        None => {
            field("kind").is_some() || ["resources", "patches", "components"].iter().any(|key| root.get(key).is_some())
        }
    };
    match field("kind") {
        Some("Component") if is_file => Some(Form::Component),
        Some("Kustomization") | None if is_file => Some(Form::Kustomization),
        Some("Kustomization") if group("kustomize.toolkit.fluxcd.io/") => Some(Form::Flux),
        Some("HelmRelease") if group("helm.toolkit.fluxcd.io/") => Some(Form::HelmRelease),
        Some("Application") if group("argoproj.io/") => Some(Form::Application),
        Some("FluxInstance") if group("fluxcd.controlplane.io/") => Some(Form::FluxInstance),
        _ => None,
    }
}

/// A patch written by `hostnet patch`.
pub(super) struct OwnPatch {
    index: usize,
    pub(super) target: Option<Value>,
    pub(super) patch: String,
}

/// The list of patches, which may not exist yet.
pub(super) struct List<'o> {
    path: Path,
    is_there: bool,
    /// The config whose patches count; `None` for all configs.
    owner: Option<&'o str>,
}

/// The config that made a patch; `None` for a patch that does not name its config and may belong to any.
fn owner(patch: &str) -> Option<&str> {
    let comment = patch.lines().find(|line| line.starts_with(PATCH_COMMENT_PREFIX) && !line.starts_with(EMPTY))?;
    comment.strip_suffix(')')?.rsplit_once(" (").map(|(_, owner)| owner)
}

/// The configs that made patches of a text.
pub fn owners(text: &str) -> BTreeSet<String> {
    let Ok(tree) = Tree::parse(text) else { return BTreeSet::new() };
    let patches = carriers(&tree).filter_map(|(form, root)| Some(List::read(form, root, None).ok()?.own(root)));
    patches.flatten().filter_map(|own| owner(&own.patch).map(str::to_owned)).collect()
}

impl<'o> List<'o> {
    /// Finds the list of patches; an error if a field of its path has another type.
    pub(super) fn read(form: Form, root: NodeRef<'_, '_>, owner: Option<&'o str>) -> Result<Self, String> {
        let parent = match form {
            Form::Component | Form::Kustomization => Path::root(),
            Form::Flux | Form::HelmRelease | Form::FluxInstance => Path::dotted("spec"),
            Form::Application => Path::dotted("spec.source"),
        };
        if !root.lookup(&parent).is_some_and(NodeRef::is_mapping) {
            return Err(format!("{parent} is not a mapping"));
        }
        let path = match form {
            Form::HelmRelease => parent.key("postRenderers"),
            Form::Application | Form::FluxInstance => parent.key("kustomize").key("patches"),
            Form::Component | Form::Kustomization | Form::Flux => parent.key("patches"),
        };
        let there = root.lookup(&path);
        if there.is_some_and(|node| !node.is_null() && !node.is_sequence()) {
            return Err(format!("{path} is not a list"));
        }
        if form != Form::HelmRelease {
            return Ok(Self { path, is_there: there.is_some(), owner });
        }
        // The post-renderer with patches of the config is preferred.
        let count = there.map_or(0, |list| list.items().count());
        let lists = (0..count).map(|index| path.item(index).key("kustomize").key("patches"));
        let ours = lists.map(|path| Self { path, is_there: true, owner }).find(|list| list.own(root).next().is_some());
        Ok(ours.unwrap_or(Self { path, is_there: false, owner }))
    }

    /// Path to remove with the last patch of the list: the list, and in a HelmRelease also a post-renderer and a list
    /// of post-renderers that contain nothing else.
    fn path_to_remove(&self, form: Form, root: NodeRef<'_, '_>) -> Path {
        let mut path = self.path.clone();
        let kept = match form {
            Form::Component | Form::Kustomization => 0,
            Form::Flux | Form::HelmRelease | Form::FluxInstance => 1,
            Form::Application => 2,
        };
        // From `spec.postRenderers[0].kustomize.patches` up to `spec`.
        while let Some(parent) = path.parent().filter(|parent| parent.steps().len() > kept) {
            let is_alone = root
                .lookup(&parent)
                .is_some_and(|parent_node| parent_node.entries().count() + parent_node.items().count() == 1);
            if !is_alone {
                break;
            }
            path = parent;
        }
        path
    }

    /// First line of the first patch, a comment, if the list or a mapping that contains it exists and is empty: removing
    /// the patches then restores it. Also returned if a patch already has such a line.
    fn empty_before(&self, root: NodeRef<'_, '_>) -> Option<String> {
        if let Some(line) =
            self.own(root).find_map(|own| self.noted(&own.patch).and(own.patch.lines().next().map(str::to_owned)))
        {
            return Some(line + "\n");
        }
        let (path, node) =
            self.enclosing_paths().into_iter().find_map(|path| Some((path.clone(), root.lookup(&path)?)))?;
        let is_empty = node.is_null() || node.entries().count() + node.items().count() == 0;
        is_empty.then(|| format!("{EMPTY}{path}: {}\n", Json::from(node.raw())))
    }

    /// Path and text of the value that was empty before the patches were added, from the first line of a patch.
    fn noted(&self, patch: &str) -> Option<(Path, String)> {
        let (place, raw) = patch.lines().next()?.strip_prefix(EMPTY)?.split_once(": ")?;
        Some((
            self.enclosing_paths().into_iter().find(|own| own.to_string() == place)?,
            serde_json::from_str(raw).ok()?,
        ))
    }

    /// Paths of the list and of the mappings and lists that contain it, innermost first.
    fn enclosing_paths(&self) -> Vec<Path> {
        std::iter::successors(Some(self.path.clone()), Path::parent).filter(|path| *path != Path::root()).collect()
    }

    /// The list's patches of the config.
    pub(super) fn own<'t>(&self, root: NodeRef<'t, 't>) -> impl Iterator<Item = OwnPatch> + use<'t, 'o> {
        let patches = root.lookup(&self.path).into_iter().flat_map(NodeRef::items).enumerate();
        let wanted = self.owner;
        let is_own = move |text: &&str| {
            text.starts_with(PATCH_COMMENT_PREFIX)
                && wanted.is_none_or(|wanted| owner(text).is_none_or(|owner| owner == wanted))
        };
        patches.filter_map(move |(index, element)| {
            let patch = element.get("patch")?.text().filter(is_own)?.to_owned();
            Some(OwnPatch { index, target: element.get("target").and_then(NodeRef::to_value), patch })
        })
    }

    /// Edits that append elements to the list.
    fn added(&self, form: Form, root: NodeRef<'_, '_>, elements: Vec<Value>) -> Vec<Op> {
        let append = |value| Op::Append { sequence: self.path.clone(), value };
        if self.is_there {
            return elements.into_iter().map(append).collect();
        }
        let mut value = Value::Seq(elements);
        if form == Form::HelmRelease {
            let renderer = Value::map([("kustomize", Value::map([("patches", value)]))]);
            if root.lookup(&self.path).is_some() {
                return vec![append(renderer)];
            }
            value = Value::Seq(vec![renderer]);
        }
        let mut parent = self.path.parent().unwrap_or_default();
        let mut key = if form == Form::HelmRelease { "postRenderers" } else { "patches" };
        if matches!(form, Form::Application | Form::FluxInstance) {
            let there = root.lookup(&parent);
            if there.is_none_or(NodeRef::is_null) {
                value = Value::map([(key, value)]);
                if there.is_some() {
                    return vec![Op::Set { path: parent, value }];
                }
                (parent, key) = (parent.parent().unwrap_or_default(), "kustomize");
            }
        }
        vec![Op::Add { parent, key: key.to_owned(), value, place: KeyPosition::default() }]
    }
}

/// True if a patch ends with a block scalar, which would lose its last line break at the end of a file without final
/// line break.
fn ends_in_block(patch: &str) -> bool {
    let patch = patch.trim_end_matches('\n');
    let Ok(tree) = Tree::parse(patch) else { return true };
    tree.root(0)
        .is_none_or(|root| root.to_value().is_none_or(|value| unterminated::value(root, value.clone()) != value))
}

/// A marker that does not occur in the text.
fn unused_marker(text: &str, nth: usize) -> String {
    let mut word = format!("hostnet-patch-{nth}-");
    while text.contains(&word) {
        word.push('x');
    }
    word
}

/// Replaces markers in a text by patches, as literal block scalars where YAML allows one.
fn replace_markers(marked: &str, marks: &[(String, &str)]) -> Result<String, String> {
    let mut text = marked.to_owned();
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    for (mark, patch) in marks {
        let (before, tail) = text.split_once(mark.as_str()).ok_or("a patch has no place")?;
        let line = before.rsplit('\n').next().unwrap_or_default();
        let indent = line.strip_suffix("patch: ").filter(|blanks| blanks.chars().all(|c| c == ' '));
        let block = indent
            .filter(|_| tail.starts_with(line_break) || tail.is_empty() && !ends_in_block(patch))
            .and_then(|blanks| lossless_yaml::literal(patch, blanks.len() + 2));
        text = match block {
            Some(block) => format!("{before}{}{tail}", block.replace('\n', line_break)),
            None => {
                let quoted = Json::from(*patch).to_string();
                let (before, tail) = match (before.strip_suffix('"'), tail.strip_prefix('"')) {
                    (Some(before), Some(tail)) => (before, tail),
                    _ => (before, tail),
                };
                format!("{before}{quoted}{tail}")
            }
        };
    }
    let values =
        |text: &str| -> Option<Vec<Value>> { Tree::parse(text).ok()?.roots().map(NodeRef::to_value).collect() };
    let wanted = values(marked).map(|values| values.into_iter().map(|value| filled(value, marks)).collect());
    let is_same = wanted.is_some() && values(&text) == wanted;
    if is_same { Ok(text) } else { Err("internal error: the file would differ from the requested change".to_owned()) }
}

/// Replaces markers in a value by patches.
fn filled(value: Value, marks: &[(String, &str)]) -> Value {
    value.map_scalars(&|scalar| match scalar {
        Value::Str(text) => match marks.iter().find(|(mark, _)| *mark == text) {
            Some((_, patch)) => Value::from(*patch),
            None => Value::Str(text),
        },
        scalar => scalar,
    })
}
