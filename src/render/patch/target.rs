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
}

/// The namespace that kustomize assumes for an object without one.
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
        };
        let mut matched: Vec<&Meta> = all.into_iter().filter(|other| target.matches(other)).collect();
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
            && self.name == meta.name
            && self.namespace.as_ref().is_none_or(|namespace| namespace == own)
    }

    /// True if the target may be an object of built output, in which Flux may have substituted placeholders.
    pub(super) fn fits(&self, meta: &Meta) -> bool {
        let filled = Self { name: meta.name.clone(), namespace: None, ..self.clone() };
        let own = meta.namespace.as_deref().unwrap_or(DEFAULT);
        filled.matches(meta)
            && can_become(&self.name, &meta.name)
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

    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub(super) fn late_namespace(&self) -> bool {
        self.late_namespace
    }

    /// The target without a namespace.
    pub(super) fn anywhere(&self) -> Self {
        Self { namespace: None, ..self.clone() }
    }

    pub(super) fn kind(&self) -> (&str, &str) {
        (&self.group, &self.kind)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The selector in YAML form, for kustomize and Flux.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let fields = [
            ("group", self.group.as_str()),
            ("version", &self.version),
            ("kind", &self.kind),
            ("name", &self.name),
            ("namespace", self.namespace.as_deref().unwrap_or_default()),
        ];
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        let core = self.only_core.then(|| ("group", "^$".into()));
        Value::map(core.into_iter().chain(fields.map(|(key, text)| (key, escaped(text).into()))))
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
