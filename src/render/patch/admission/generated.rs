//! Names that controllers generate, and conditions that find an object after its name has changed.

use crate::model::Meta;
use crate::model::pod::{Owner, owner};
use crate::render::policy::text;
use lossless_yaml::NodeRef;

/// Characters of the API server's random names (apimachinery v0.37 `pkg/util/rand`), and characters of hashes.
const RANDOM: [&str; 2] = ["bcdfghjklmnpqrstvwxz2456789", "0123456789abcdef"];

/// Identity of an object whose name has a generated part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GeneratedName {
    group: String,
    kind: String,
    namespace: Option<String>,
    name: Name,
    controller: Option<Controller>,
}

/// Name of an object without its generated part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name {
    /// Text in front of the generated part.
    Prefix(String),
    /// Text after the generated name of the controller.
    AfterController(String),
}

/// Controller of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Controller {
    group: String,
    kind: String,
    name: String,
    /// True if `name` is the text in front of a generated part.
    is_prefix: bool,
}

impl From<Owner> for Controller {
    fn from(Owner { group, kind, name }: Owner) -> Self {
        match prefix_of(&name) {
            Some(prefix) => Self { group, kind, name: prefix.to_owned(), is_prefix: true },
            None => Self { group, kind, name, is_prefix: false },
        }
    }
}

impl GeneratedName {
    /// Reads the name of an object; `None` for a name that does not change.
    pub fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let prefix = object.get("metadata")?.get("generateName").and_then(NodeRef::non_null_text);
        let prefix = prefix.filter(|prefix| !prefix.is_empty() && meta.name.starts_with(prefix));
        let owner = owner(object);
        let name = match (prefix, owner.as_deref()) {
            (Some(prefix), _) => Name::Prefix(prefix.to_owned()),
            (None, Some(owner)) => controlled_name(&meta.name, owner)?,
            (None, None) => return None,
        };
        let controller = owner.map(|owner| Controller::from(*owner));
        let gvk = &meta.gvk;
        let (group, kind) = (gvk.group.clone(), gvk.kind.clone());
        Some(Self { group, kind, namespace: meta.namespace.clone(), name, controller })
    }

    /// The name without its generated part.
    pub(super) fn stable_part(&self) -> String {
        let controller = self.controller.as_ref().map_or("", |controller| controller.name.as_str());
        match &self.name {
            Name::Prefix(prefix) => prefix.trim_end_matches('-').to_owned(),
            Name::AfterController(end) => format!("{}{end}", controller.trim_end_matches('-')),
        }
    }

    /// Match condition for the objects of this name and controller.
    pub(super) fn condition(&self) -> String {
        let own = "object.metadata.?name.orValue(\"\")";
        let is_named = match &self.name {
            // The API server fills in a generated name after the policies.
            Name::Prefix(prefix) => format!(
                "({} || {own} == \"\" && object.metadata.?generateName.orValue(\"\") == {})",
                matches(own, prefix),
                text(prefix)
            ),
            Name::AfterController(end) if end.is_empty() => format!("{own} == o.name"),
            Name::AfterController(end) => format!("{own} == o.name + {}", text(end)),
        };
        let Some(Controller { group, kind, name, is_prefix }) = &self.controller else { return is_named };
        let group = if group.is_empty() {
            "!o.apiVersion.contains(\"/\")".to_owned()
        } else {
            format!("o.apiVersion.startsWith({})", text(&format!("{group}/")))
        };
        let is_known = if *is_prefix { matches("o.name", name) } else { format!("o.name == {}", text(name)) };
        format!(
            "object.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false) &&\n  \
             o.kind == {} && {group} && {is_known} &&\n  {is_named})",
            text(kind)
        )
    }
}

/// Name of an object with a controller; `None` if it has no generated part.
fn controlled_name(name: &str, owner: &Owner) -> Option<Name> {
    match name.strip_prefix(owner.name.as_str()).filter(|_| prefix_of(&owner.name).is_some()) {
        Some(end) => Some(Name::AfterController(end.to_owned())),
        None => Some(Name::Prefix(prefix_of(name)?.to_owned())),
    }
}

/// Text in front of a generated last part: `web-` of `web-7f9cd` and of `web-00001`, the form of Knative.
fn prefix_of(name: &str) -> Option<&str> {
    let (_, last) = name.rsplit_once('-')?;
    let is_random = RANDOM.iter().any(|alphabet| last.chars().all(|c| alphabet.contains(c)));
    let has = |is: fn(&char) -> bool| last.chars().any(|c| is(&c));
    let is_mixed = has(char::is_ascii_digit) && has(char::is_ascii_lowercase);
    let is_count = last.len() == 5 && last.starts_with('0') && !has(char::is_ascii_lowercase);
    let is_generated = is_random && last.len() >= 5 && is_mixed || is_count && last.parse::<u32>().is_ok();
    name.strip_suffix(last).filter(|prefix| is_generated && prefix.len() > 1)
}

/// Expression that is true for a name that consists of the prefix and one generated part.
fn matches(name: &str, prefix: &str) -> String {
    format!("{name}.matches({})", text(&format!("^{}[a-z0-9]+$", regex::escape(prefix))))
}
