//! Patches in the file that carries them: ours are known by their first line and replaced, all else keeps its bytes.

use serde_json::Value as Json;

use super::ObjectPatch;
use super::form::Form;
use crate::releases::OWN_PATCH;
use lossless_yaml::{EditError, NodeRef, Op, Path, Place, Tree, Value};

/// A file with the patches in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Its new text: the old one when these patches are there already.
    pub text: String,
    /// What carries them.
    pub form: Form,
    /// How many patches of ours were there.
    pub before: usize,
    /// Whether the patches hold placeholders, which Flux could fill in too early where it applies this object.
    pub has_placeholders: bool,
}

/// A text with these patches in what carries patches there: a kustomization, a Kustomization or a HelmRelease of Flux, an Application of Argo CD.
///
/// A patch of ours with the same target is replaced where it stands, others of ours go, and new ones follow the last
/// that is there. An error is a sentence.
///
/// ```
/// # use hostnet::render::patch::{Form, carried};
/// let carried = carried("kind: Component  # ours\n", &[]).unwrap();
/// assert_eq!((carried.form, carried.text.as_str()), (Form::Component, "kind: Component  # ours\n"));
/// ```
pub fn carried(text: &str, patches: &[&ObjectPatch]) -> Result<Carried, String> {
    let tree = Tree::parse(text).map_err(|error| error.to_string())?;
    let found: Vec<(usize, Form)> =
        tree.roots().enumerate().filter_map(|(index, root)| Some((index, form(root)?))).collect();
    let &[(index, form)] = found.as_slice() else {
        let how_many = if found.is_empty() { "nothing" } else { "more than one object" };
        return Err(format!(
            "{how_many} here carries patches: give a file with one kustomization, one Kustomization or HelmRelease of Flux, or one Application of Argo CD"
        ));
    };
    let root = tree.root(index).ok_or("the document is empty")?;
    carried_in(text, index, form, root, patches)
}

/// The text with these patches in one of its documents.
///
/// # Errors
///
/// A sentence, as of [`carried`].
pub fn carried_at(text: &str, document: usize, patches: &[&ObjectPatch]) -> Result<Carried, String> {
    let tree = Tree::parse(text).map_err(|error| error.to_string())?;
    let root = tree.root(document).ok_or("the document is empty")?;
    let form = form(root).ok_or("the document carries no patches")?;
    carried_in(text, document, form, root, patches)
}

fn carried_in(
    text: &str,
    index: usize,
    form: Form,
    root: NodeRef<'_, '_>,
    patches: &[&ObjectPatch],
) -> Result<Carried, String> {
    let list = List::of(form, root)?;
    let wanted: Vec<(Value, String)> =
        patches.iter().map(|patch| (patch.target.to_value(), patch.operations())).collect();
    let has_placeholders = !form.holds_objects() && wanted.iter().any(|(_, patch)| patch.contains("${"));
    let (mut ops, mut left, mut before) = (Vec::new(), wanted.iter().collect::<Vec<_>>(), 0);
    for Own { index, target, patch } in list.own(root) {
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
    let mut text = text.to_owned();
    if !left.is_empty() && !text.ends_with('\n') {
        // Else the last line of a patch would be the end of the file, and have no line break.
        text.push_str(if text.contains("\r\n") { "\r\n" } else { "\n" });
    }
    let edited = |text: &str, ops: &[Op]| {
        lossless_yaml::edit_text(text, index, &Path::root(), ops).map_err(|error: EditError| error.to_string())
    };
    let text = edited(&text, &ops)?;
    if left.is_empty() {
        return Ok(Carried { text, form, before, has_placeholders });
    }
    // The editor writes a text on one line: a word stands for each patch until all else is written.
    let marks: Vec<(String, &str)> =
        left.iter().enumerate().map(|(nth, (_, patch))| (unused(&text, nth), patch.as_str())).collect();
    let element = |((target, _), (mark, _)): (&&(Value, String), &(String, &str))| {
        Value::Map(vec![("target".to_owned(), target.clone()), ("patch".to_owned(), mark.as_str().into())])
    };
    let elements = left.iter().zip(&marks).map(element).collect();
    let marked = edited(&text, &list.added(form, root, elements))?;
    Ok(Carried { text: unmarked(&marked, &marks)?, form, before, has_placeholders })
}

/// The text without any patch of ours, and how many there were. A list that held no others goes, with the post-renderer around it.
///
/// # Errors
///
/// A sentence where the text cannot be read or edited.
///
/// ```
/// # use hostnet::render::patch::without_patches;
/// let before = "kind: Component\n# theirs\nresources: []\n";
/// let with = format!("{before}patches:\n- patch: |\n    # hostnet patch: this object\n  target: {{kind: Service}}\n");
/// assert_eq!(without_patches(&with), Ok((before.to_owned(), 1)));
/// ```
pub fn without_patches(text: &str) -> Result<(String, usize), String> {
    let (mut text, mut removed) = (text.to_owned(), 0);
    let documents = Tree::parse(&text).map_err(|error| error.to_string())?.roots().count();
    for index in 0..documents {
        let tree = Tree::parse(&text).map_err(|error| error.to_string())?;
        let Some((root, form)) = tree.root(index).and_then(|root| Some((root, form(root)?))) else { continue };
        let list = List::of(form, root)?;
        let own: Vec<usize> = list.own(root).map(|own| own.index).collect();
        if own.is_empty() {
            continue;
        }
        removed += own.len();
        let count = root.lookup(&list.path).map_or(0, |list| list.items().count());
        let ops: Vec<Op> = if own.len() == count {
            vec![Op::Remove { path: list.whole(form, root) }]
        } else {
            own.into_iter().map(|at| Op::Remove { path: list.path.item(at) }).collect()
        };
        let edited = lossless_yaml::edit_text(&text, index, &Path::root(), &ops).map_err(|error| error.to_string())?;
        text = edited;
    }
    Ok((text, removed))
}

/// What a document is a carrier of.
fn form(root: NodeRef<'_, '_>) -> Option<Form> {
    let field = |key| root.get(key).and_then(NodeRef::non_null_text);
    let group = |group: &str| field("apiVersion").is_some_and(|version| version.starts_with(group));
    // A kustomization file may leave out both, and then it has what only such a file has.
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
        _ => None,
    }
}

/// A patch of ours.
struct Own {
    index: usize,
    target: Option<Value>,
    patch: String,
}

/// The list that holds our patches, or will.
struct List {
    path: Path,
    is_there: bool,
}

impl List {
    fn of(form: Form, root: NodeRef<'_, '_>) -> Result<Self, String> {
        let around = match form {
            Form::Component | Form::Kustomization => Path::root(),
            Form::Flux | Form::HelmRelease => Path::dotted("spec"),
            Form::Application => Path::dotted("spec.source"),
        };
        if !root.lookup(&around).is_some_and(NodeRef::is_mapping) {
            return Err(format!("{around} is not a mapping"));
        }
        let path = match form {
            Form::HelmRelease => around.key("postRenderers"),
            Form::Application => around.key("kustomize").key("patches"),
            Form::Component | Form::Kustomization | Form::Flux => around.key("patches"),
        };
        let there = root.lookup(&path);
        if there.is_some_and(|node| !node.is_null() && !node.is_sequence()) {
            return Err(format!("{path} is not a list"));
        }
        if form != Form::HelmRelease {
            return Ok(Self { path, is_there: there.is_some() });
        }
        // Of the post-renderers the one that has patches of ours.
        let count = there.map_or(0, |list| list.items().count());
        let lists = (0..count).map(|index| path.item(index).key("kustomize").key("patches"));
        let ours = lists.map(|path| Self { path, is_there: true }).find(|list| list.own(root).next().is_some());
        Ok(ours.unwrap_or(Self { path, is_there: false }))
    }

    /// The path that goes with the last patch of the list: the list, and of a HelmRelease the post-renderer and the list of post-renderers that hold
    /// nothing else.
    fn whole(&self, form: Form, root: NodeRef<'_, '_>) -> Path {
        let mut path = self.path.clone();
        if !matches!(form, Form::HelmRelease | Form::Application) {
            return path;
        }
        // `spec.postRenderers[0].kustomize.patches`: up to `spec`.
        while let Some(parent) = path.parent().filter(|parent| parent.steps().len() > 1) {
            let is_alone =
                root.lookup(&parent).is_some_and(|around| around.entries().count() + around.items().count() == 1);
            if !is_alone {
                break;
            }
            path = parent;
        }
        path
    }

    /// The patches of ours that are in the list.
    fn own<'t>(&self, root: NodeRef<'t, 't>) -> impl Iterator<Item = Own> + use<'t> {
        let patches = root.lookup(&self.path).into_iter().flat_map(NodeRef::items).enumerate();
        patches.filter_map(move |(index, element)| {
            let patch = element.get("patch")?.text().filter(|text| text.starts_with(OWN_PATCH))?.to_owned();
            Some(Own { index, target: element.get("target").and_then(NodeRef::to_value), patch })
        })
    }

    /// The edits that add elements at its end.
    fn added(&self, form: Form, root: NodeRef<'_, '_>, elements: Vec<Value>) -> Vec<Op> {
        let append = |value| Op::Append { sequence: self.path.clone(), value };
        if self.is_there {
            return elements.into_iter().map(append).collect();
        }
        let map = |key: &str, value| Value::Map(vec![(key.to_owned(), value)]);
        let mut value = Value::Seq(elements);
        if form == Form::HelmRelease {
            let renderer = map("kustomize", map("patches", value));
            if root.lookup(&self.path).is_some() {
                return vec![append(renderer)];
            }
            value = Value::Seq(vec![renderer]);
        }
        let mut parent = self.path.parent().unwrap_or_default();
        let mut key = if form == Form::HelmRelease { "postRenderers" } else { "patches" };
        if form == Form::Application && root.lookup(&parent).is_none() {
            value = map(key, value);
            (parent, key) = (parent.parent().unwrap_or_default(), "kustomize");
        }
        vec![Op::Add { parent, key: key.to_owned(), value, place: Place::default() }]
    }
}

/// A word that a text does not have.
fn unused(text: &str, nth: usize) -> String {
    let mut word = format!("hostnet-patch-{nth}-");
    while text.contains(&word) {
        word.push('x');
    }
    word
}

/// The text with patches in place of the words that stand for them: as literal blocks, where a block has room for them.
fn unmarked(marked: &str, marks: &[(String, &str)]) -> Result<String, String> {
    let mut text = marked.to_owned();
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    for (mark, patch) in marks {
        let (before, behind) = text.split_once(mark.as_str()).ok_or("a patch has no place")?;
        let line = before.rsplit('\n').next().unwrap_or_default();
        let indent = line.strip_suffix("patch: ").filter(|blanks| blanks.chars().all(|c| c == ' '));
        let block = indent
            .filter(|_| behind.starts_with(line_break))
            .and_then(|blanks| lossless_yaml::literal(patch, blanks.len() + 2));
        text = match block {
            Some(block) => format!("{before}{}{behind}", block.replace('\n', line_break)),
            None => {
                let quoted = Json::from(*patch).to_string();
                let (before, behind) = match (before.strip_suffix('"'), behind.strip_prefix('"')) {
                    (Some(before), Some(behind)) => (before, behind),
                    _ => (before, behind),
                };
                format!("{before}{quoted}{behind}")
            }
        };
    }
    let values =
        |text: &str| -> Option<Vec<Value>> { Tree::parse(text).ok()?.roots().map(NodeRef::to_value).collect() };
    let wanted = values(marked).map(|values| values.into_iter().map(|value| filled(value, marks)).collect());
    let is_same = wanted.is_some() && values(&text) == wanted;
    if is_same { Ok(text) } else { Err("internal error: the file would not say what was asked for".to_owned()) }
}

/// A value with patches in place of the words that stand for them.
fn filled(value: Value, marks: &[(String, &str)]) -> Value {
    match value {
        Value::Seq(items) => Value::Seq(items.into_iter().map(|item| filled(item, marks)).collect()),
        Value::Map(entries) => {
            Value::Map(entries.into_iter().map(|(key, value)| (key, filled(value, marks))).collect())
        }
        Value::Str(text) => match marks.iter().find(|(mark, _)| *mark == text) {
            Some((_, patch)) => Value::from(*patch),
            None => Value::Str(text),
        },
        value => value,
    }
}
