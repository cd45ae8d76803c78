//! Search for the Kubernetes objects in a unit.

use lossless_yaml::{Kind, NodeRef, Tree};

use super::file_path::is_kustomization;
use super::list_frame::ListKind;
use super::not_manifest;

/// Kind of a unit, which determines how its objects are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// A document, or several that cannot be split.
    Document,
    /// One item of a list in block style, with its dash.
    Item {
        /// Position in the list, counted from 1.
        number: usize,
        list: ListKind,
    },
    /// One item of a list in JSON.
    JsonItem {
        /// Position in the list, counted from 1.
        number: usize,
        list: ListKind,
    },
}

impl UnitKind {
    /// Index of the list item; `None` for a document.
    pub(super) fn item(self) -> Option<usize> {
        match self {
            Self::Document => None,
            Self::Item { number, .. } | Self::JsonItem { number, .. } => Some(number),
        }
    }
}

/// An object, with the number (counted from 1) of the outermost list item that is or contains the object.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundObject<'t, 's> {
    pub node: NodeRef<'t, 's>,
    pub item: Option<usize>,
}

/// Reason why the objects of a unit cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ObjectsError {
    /// The unit is not one item: the text was split at the wrong offset.
    Cut,
    /// An error of the input, with its byte offset in the unit.
    Input { offset: usize, item: Option<usize>, message: String },
}

/// Finds the objects of a unit, in the order of the text.
pub(super) fn objects<'t, 's>(tree: &'t Tree<'s>, part: UnitKind) -> Result<Vec<FoundObject<'t, 's>>, ObjectsError> {
    let mut search = Search { found: Vec::new(), documents: 0 };
    match part {
        UnitKind::Document => {
            for root in tree.roots() {
                search.documents += 1;
                search.document(root)?;
            }
        }
        UnitKind::Item { number, list } => {
            let sequence = only(tree.roots()).filter(|root| root.kind() == Kind::Sequence { flow: false });
            let item = sequence.and_then(|sequence| only(sequence.children())).ok_or(ObjectsError::Cut)?;
            search.item(item, number, Some(list))?;
        }
        UnitKind::JsonItem { number, list } => {
            let item = only(tree.roots()).ok_or(ObjectsError::Cut)?;
            search.item(item, number, Some(list))?;
        }
    }
    Ok(search.found)
}

/// Byte offsets of the parts of a document that should be objects but are not: the document itself, or elements of an
/// array with objects. Empty collections and lists without items are not reported.
pub(super) fn without_object(tree: &Tree<'_>) -> Vec<usize> {
    let (Some(root), Ok(found)) = (tree.roots().find(|root| !root.is_null()), objects(tree, UnitKind::Document)) else {
        return Vec::new();
    };
    let is_empty = (root.is_mapping() || root.is_sequence()) && root.children().next().is_none();
    let is_list = is_object(root) || list_kind(root).is_some();
    if found.is_empty() && !is_empty && !is_list {
        return vec![root.start()];
    }
    let elements =
        root.is_sequence().then(|| root.children().filter(|one| !one.is_null())).filter(|_| !found.is_empty());
    let others = elements.into_iter().flatten().filter(|one| !is_object(*one) && list_kind(*one).is_none());
    others.map(NodeRef::start).collect()
}

/// The only element; `None` for none or several.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

struct Search<'t, 's> {
    found: Vec<FoundObject<'t, 's>>,
    documents: usize,
}

impl<'t, 's> Search<'t, 's> {
    /// Searches a document for objects.
    fn document(&mut self, root: NodeRef<'t, 's>) -> Result<(), ObjectsError> {
        // An array of objects, for example from `jq`. Other sequences (patches) hold no objects.
        if root.is_sequence() {
            return self.elements(root, None, None);
        }
        if let Some(message) = not_manifest::answer(root) {
            return Err(ObjectsError::Input { offset: root.start(), item: None, message });
        }
        self.node(root, None)
    }

    /// Searches an item of a list; `list` is `None` for an element of an array.
    fn item(&mut self, item: NodeRef<'t, 's>, number: usize, list: Option<ListKind>) -> Result<(), ObjectsError> {
        if list == Some(ListKind::ResourceList) && is_kustomization(item) {
            self.found.push(FoundObject { node: item, item: Some(number) });
            return Ok(());
        }
        let error = |message: &str| {
            Err(ObjectsError::Input { offset: item.start(), item: Some(number), message: message.into() })
        };
        if list == Some(ListKind::ResourceList) && !is_object(item) {
            return error("an item of a ResourceList has to be an object with apiVersion and kind");
        }
        // kubectl v1.36 refuses the whole list: "Object 'Kind' is missing" (`apimachinery/pkg/apis/meta/v1/unstructured/
        // helpers.go`, `decodeToList`).
        if list == Some(ListKind::List) && !is_object(item) && list_kind(item).is_none() {
            return error("an item of a List has to be an object with apiVersion and kind");
        }
        // An alias can repeat one node as several items; lists nested by aliases could be endless.
        if item.kind() == Kind::Alias && list_kind(item).is_some() {
            return error("a list inside a list cannot be an alias");
        }
        self.node(item, Some(number))
    }

    /// Searches a node for objects.
    fn node(&mut self, node: NodeRef<'t, 's>, item: Option<usize>) -> Result<(), ObjectsError> {
        match list_kind(node) {
            Some(list) => self.list(node, item, list),
            None if is_object(node) && !is_list_of_objects(node) => {
                if let Some((offset, message)) = items_without_kind(node) {
                    return Err(ObjectsError::Input { offset, item, message });
                }
                self.found.push(FoundObject { node, item });
                Ok(())
            }
            None if is_object(node) => self.list(node, item, ListKind::List),
            None => Ok(()),
        }
    }

    /// Searches the items of a list for objects.
    fn list(&mut self, list: NodeRef<'t, 's>, item: Option<usize>, kind: ListKind) -> Result<(), ObjectsError> {
        let error = |node: NodeRef<'_, '_>, message: &str| {
            Err(ObjectsError::Input { offset: node.start(), item, message: message.to_owned() })
        };
        let mut written = list.entries_without_merge_keys().filter(|(key, _)| key.text() == Some("items"));
        let Some((_, items)) = written.next() else {
            return if list.get("items").is_some() {
                error(list, "`items` of a list cannot come from `<<`")
            } else {
                Ok(())
            };
        };
        if let Some((key, _)) = written.next() {
            return error(key, "a second `items` in this list: parsers differ in which one they use");
        }
        match items.kind() {
            Kind::Alias => error(items, "`items` of a list cannot be an alias"),
            Kind::Sequence { .. } => self.elements(items, item, Some(kind)),
            _ if items.is_null() => Ok(()),
            _ => error(items, "`items` has to be a sequence"),
        }
    }

    /// Searches the elements of a list. `item` is the number of the outermost list's item that
    /// contains this list, if any.
    fn elements(
        &mut self,
        list: NodeRef<'t, 's>,
        item: Option<usize>,
        kind: Option<ListKind>,
    ) -> Result<(), ObjectsError> {
        for (index, element) in list.children().enumerate() {
            self.item(element, item.unwrap_or(index + 1), kind)?;
        }
        Ok(())
    }
}

/// True for a Kubernetes object: a mapping whose apiVersion and kind are strings.
fn is_object(node: NodeRef<'_, '_>) -> bool {
    text(node, "apiVersion").is_some() && text(node, "kind").is_some()
}

/// Kind of the list; `None` for other nodes.
fn list_kind(node: NodeRef<'_, '_>) -> Option<ListKind> {
    let kind = text(node, "kind").and_then(ListKind::from_kind)?;
    (kind == ListKind::ResourceList || node.get("items").is_some()).then_some(kind)
}

/// True for a list such as `DeploymentList`. The items must be objects, because a custom resource
/// may have a kind that ends in `List`.
fn is_list_of_objects(node: NodeRef<'_, '_>) -> bool {
    typed_items(node).is_some_and(|(_, items)| items.children().next().is_some() && items.children().all(is_object))
        || is_empty_list(node)
}

/// True for a list without items. Lists have no name, but custom resources have a name.
pub(super) fn is_empty_list(node: NodeRef<'_, '_>) -> bool {
    let is_named = || node.get("metadata").and_then(|metadata| metadata.get("name")).is_some();
    typed_items(node).is_some_and(|(_, items)| items.children().next().is_none()) && !is_named()
}

/// Kind and items of an object whose kind ends in `List`.
fn typed_items<'t, 's>(node: NodeRef<'t, 's>) -> Option<(&'t str, NodeRef<'t, 's>)> {
    let kind = text(node, "kind").filter(|kind| kind.ends_with("List"))?;
    Some((kind, node.get_without_merge_keys("items").filter(|items| matches!(items.kind(), Kind::Sequence { .. }))?))
}

/// Error for a list of objects without apiVersion and kind, such as the `PodList` of `kubectl get --raw`: byte offset
/// of the first such item, and the message. kubectl derives both from the list (kubernetes v1.36
/// `apimachinery/pkg/apis/meta/v1/unstructured/helpers.go`, `decodeToList`).
fn items_without_kind(list: NodeRef<'_, '_>) -> Option<(usize, String)> {
    let (kind, items) = typed_items(list)?;
    let is_partial = |item: &NodeRef<'_, '_>| {
        item.is_mapping() && !is_object(*item) && item.get("metadata").is_some_and(NodeRef::is_mapping)
    };
    let first = items.children().find(is_partial)?;
    let message = format!(
        "an item of this {kind} has no apiVersion and kind, so it is not read: add both to each item, or give the output of \
         `kubectl get -o yaml`, which has them"
    );
    Some((first.start(), message))
}

fn text<'t>(node: NodeRef<'t, '_>, key: &str) -> Option<&'t str> {
    if !node.is_mapping() {
        return None;
    }
    let is_text = |value: &NodeRef<'_, '_>| value.as_int().is_none() && value.as_bool().is_none();
    node.given(key).filter(|value| is_text(value)).and_then(NodeRef::text)
}
