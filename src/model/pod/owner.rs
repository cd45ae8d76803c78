//! Controller of an object.

use lossless_yaml::NodeRef;

/// Object that controls another object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// API group of the controller.
    pub group: String,
    /// Kind of the controller.
    pub kind: String,
    /// Name of the controller.
    pub name: String,
}

/// Controller of an object, as its `ownerReferences` name it; `None` without a controller.
pub(crate) fn owner(object: NodeRef<'_, '_>) -> Option<Box<Owner>> {
    let owners = object.get("metadata")?.get("ownerReferences")?;
    let owner = owners.items().find(|owner| owner.get("controller").and_then(NodeRef::as_bool) == Some(true))?;
    let text = |key: &str| owner.get(key)?.text().map(str::to_owned);
    let group = text("apiVersion")?.rsplit_once('/').map(|(group, _)| group.to_owned()).unwrap_or_default();
    Some(Box::new(Owner { group, kind: text("kind")?, name: text("name")? }))
}
