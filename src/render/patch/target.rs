//! Patch targets: kustomize's selector, whose fields are regular expressions that match the whole text.

use std::fmt;

use crate::model::Meta;
use crate::model::text::{can_become, is_placeholder};
use lossless_yaml::Value;

/// Selector that matches one object of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    group: String,
    version: String,
    kind: String,
    name: String,
    namespace: Option<String>,
    /// Requires an empty group: in kustomize, a missing group matches every group.
    only_core: bool,
    /// True if the namespace is set only after patching, so that it is unknown.
    late_namespace: bool,
    name_at_patch: NameAtPatch,
}

/// Name of an object at the time of its patch, in relation to `Target::name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameAtPatch {
    /// Name of the target.
    Same,
    /// Unknown: `namespace` of a kustomization names its only Namespace.
    ///
    /// Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/konfig/builtinpluginconsts/namespace.go` (`metadata/name`
    /// of kind Namespace).
    SetLater,
    /// Name of the target, alone or with a hash of a generator, which kustomize appends after all patches.
    ///
    /// Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget.go` (`addHashesToNames` runs last).
    MaybeHashed,
}

/// Letters of a hash: hexadecimal digits, without `0`, `1`, `3`, `a` and `e`, which kustomize replaces.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/hasher/hasher.go` (`encode`).
const HASH_LETTERS: &str = "2456789bcdfghkmt";

/// Regular expression of a hash that may follow a name.
const OPTIONAL_HASH_PATTERN: &str = "(-[24-9bcdfghkmt]{10})?";

/// The namespace that kustomize assumes for an object without namespace.
const DEFAULT: &str = "default";

impl Target {
    /// Creates the target for an object that matches no other object in `all`, which holds objects of the same kind and
    /// name.
    ///
    /// ```
    /// # use hostnet::model::Meta;
    /// # use hostnet::render::patch::Target;
    /// # use lossless_yaml::Tree;
    /// let meta = |text: &str| Meta::read(Tree::parse(text).unwrap().root(0).unwrap());
    /// let web = meta("{apiVersion: v1, kind: Service, metadata: {name: web.v1}}");
    /// let knative = meta("{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: web.v1}}");
    /// let target = Target::new(&web, [&web]).unwrap();
    /// assert_eq!(lossless_yaml::document(&target.to_value()), "version: v1\nkind: Service\nname: web\\.v1\n");
    /// let target = Target::new(&web, [&web, &knative]).unwrap();
    /// assert_eq!(lossless_yaml::document(&target.to_value()), "group: ^$\nversion: v1\nkind: Service\nname: web\\.v1\n");
    /// assert!(Target::new(&web, [&web, &web]).unwrap_err().contains("more than once"));
    /// ```
    pub fn new<'m>(meta: &Meta, all: impl IntoIterator<Item = &'m Meta>) -> Result<Self, String> {
        if meta.name.is_empty() {
            return Err(format!(
                "{} without a name: kustomize builds no such object; `hostnet apply` can change it",
                meta.gvk.kind
            ));
        }
        let mut target = Self {
            group: meta.gvk.group.clone(),
            version: meta.gvk.version.clone(),
            kind: meta.gvk.kind.clone(),
            name: meta.name.clone(),
            namespace: meta.namespace.clone(),
            only_core: false,
            late_namespace: false,
            name_at_patch: NameAtPatch::Same,
        };
        let all: Vec<&Meta> = all.into_iter().collect();
        let mut matched: Vec<&Meta> = all.iter().copied().filter(|other| target.matches(other)).collect();
        if matched.len() > 1 && target.group.is_empty() {
            target.only_core = matched.iter().any(|other| !other.gvk.group.is_empty());
            matched.retain(|other| target.matches(other));
        }
        if matched.len() > 1 && target.namespace.is_none() {
            target.namespace = Some(DEFAULT.to_owned());
            matched.retain(|other| target.matches(other));
        }
        if matched.len() > 1 {
            return Err(format!(
                "{meta} is in the input more than once, and kustomize builds no such input; `hostnet apply` can change it"
            ));
        }
        let generated = Self { name: name_without_hash(meta).to_owned(), ..target.clone() };
        if generated.name != target.name {
            let generated = Self { name_at_patch: NameAtPatch::MaybeHashed, ..generated };
            // If a second object matches the name, no build has generated this object.
            if all.into_iter().all(|other| other == meta || !generated.matches(other)) {
                return Ok(generated);
            }
        }
        Ok(target)
    }

    /// True if kustomize selects the object.
    pub(super) fn matches(&self, meta: &Meta) -> bool {
        let group = if self.group.is_empty() {
            !self.only_core || meta.gvk.group.is_empty()
        } else {
            self.group == meta.gvk.group
        };
        let own = meta.namespace.as_deref().unwrap_or(DEFAULT);
        group
            && self.version == meta.gvk.version
            && self.kind == meta.gvk.kind
            && self.matches_name(meta)
            && self.namespace.as_ref().is_none_or(|namespace| namespace == own)
    }

    fn matches_name(&self, meta: &Meta) -> bool {
        match self.name_at_patch {
            NameAtPatch::Same => self.name == meta.name,
            NameAtPatch::SetLater => true,
            NameAtPatch::MaybeHashed => self.name == meta.name || self.name == name_without_hash(meta),
        }
    }

    /// True if the target may be an object of built output, in which Flux may have substituted placeholders.
    pub(super) fn fits(&self, meta: &Meta) -> bool {
        let filled =
            Self { name: meta.name.clone(), namespace: None, name_at_patch: NameAtPatch::Same, ..self.clone() };
        let own = meta.namespace.as_deref().unwrap_or(DEFAULT);
        filled.matches(meta)
            && (self.matches_name(meta) || can_become(&self.name, &meta.name))
            && self.namespace.as_deref().is_none_or(|namespace| can_become(namespace, own))
    }

    /// True if the name or the namespace has placeholders of Flux.
    pub(super) fn is_filled_in(&self) -> bool {
        is_placeholder(&self.name) || self.namespace.as_deref().is_some_and(is_placeholder)
    }

    /// The target after a kustomization changed name and namespace.
    pub(super) fn renamed(&self, name: String, namespace: Option<&str>) -> Self {
        let namespace = namespace.map(str::to_owned).or_else(|| self.namespace.clone());
        Self { name, namespace, ..self.clone() }
    }

    /// The target before the name change, and if `late` before the namespace was set.
    pub(super) fn before(&self, name: String, late: bool) -> Self {
        let namespace = self.namespace.clone().filter(|_| !late);
        Self { name, namespace, late_namespace: late, ..self.clone() }
    }

    /// The target of a Namespace whose name the kustomization sets after the patches.
    pub(super) fn before_namespace(&self) -> Self {
        Self { name_at_patch: NameAtPatch::SetLater, ..self.clone() }
    }

    /// Name of the object while its patch is applied; `None` if it is uncertain.
    pub(super) fn name_at_patch(&self) -> Option<&str> {
        (self.name_at_patch == NameAtPatch::Same).then_some(self.name.as_str())
    }

    /// Comment about the object that the target selects.
    pub(super) fn comment(&self) -> &'static str {
        match self.name_at_patch {
            NameAtPatch::Same => "this object, and no copy of it with another name",
            NameAtPatch::SetLater => {
                "the only Namespace, which `namespace` of the kustomization names after the patches"
            }
            NameAtPatch::MaybeHashed => "this object, whose name gets a hash after the patches if it is generated",
        }
    }

    /// True if the name may have the hash of a generator.
    pub(super) fn has_hash(&self) -> bool {
        self.name_at_patch == NameAtPatch::MaybeHashed
    }

    /// True if an element of a list of patches has this target. A namespace or a group may be missing in it.
    pub(super) fn is_written_as(&self, written: &Value) -> bool {
        let own = self.to_value();
        let field = |value: &'_ Value, key: &str| value.get(key).filter(|value| **value != "^$".into()).cloned();
        let same = |key: &str| field(&own, key) == field(written, key);
        let compatible = |key: &str| field(&own, key).is_none() || field(written, key).is_none();
        ["kind", "name"].into_iter().all(same)
            && ["group", "version", "namespace"].into_iter().all(|key| same(key) || compatible(key))
    }

    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// True if the namespace is set after the patches.
    pub(super) fn late_namespace(&self) -> bool {
        self.late_namespace
    }

    /// The target without a namespace.
    pub(super) fn anywhere(&self) -> Self {
        Self { namespace: None, ..self.clone() }
    }

    /// API group and kind of the target.
    pub(super) fn kind(&self) -> (&str, &str) {
        (&self.group, &self.kind)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The selector in YAML form, for kustomize and Flux.
    pub fn to_value(&self) -> Value {
        let name = match self.name_at_patch {
            NameAtPatch::Same => escaped(&self.name),
            NameAtPatch::SetLater => String::new(),
            NameAtPatch::MaybeHashed => escaped(&self.name) + OPTIONAL_HASH_PATTERN,
        };
        let fields = [
            ("group", escaped(&self.group)),
            ("version", escaped(&self.version)),
            ("kind", escaped(&self.kind)),
            ("name", name),
            ("namespace", escaped(self.namespace.as_deref().unwrap_or_default())),
        ];
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        let core = self.only_core.then(|| ("group", "^$".into()));
        Value::map(core.into_iter().chain(fields.map(|(key, text)| (key, text.into()))))
    }
}

/// `Deployment shop/web`
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}

/// Name of a ConfigMap or Secret without an ending of the form of a generator's hash; else the whole name.
pub fn name_without_hash(meta: &Meta) -> &str {
    let is_hash = |end: &str| end.len() == 10 && end.chars().all(|c| HASH_LETTERS.contains(c));
    let is_generated = |stem: &str, end: &str| meta.is_generated_kind() && !stem.is_empty() && is_hash(end);
    let stem = meta.name.rsplit_once('-').filter(|(stem, end)| is_generated(stem, end));
    stem.map_or(meta.name.as_str(), |(stem, _)| stem)
}

/// Escapes a text as a Go regular expression. kustomize adds the anchors.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
