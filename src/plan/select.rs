//! Selection of objects for a target, with compiled kustomize selectors.

use kube_core::{Expression, Selector, SelectorExt};
use regex::Regex;

use super::left_kind;
use crate::api::{ConfigError, Positions, Select, label_value_fault};
use crate::model::facts::package;
use crate::model::text::Labels;
use crate::model::{Meta, Object};
use lossless_yaml::Path;

/// Compiled [`Select`].
#[derive(Debug)]
pub struct Matcher {
    group: Option<Pattern>,
    version: Option<Pattern>,
    kind: Option<Pattern>,
    name: Option<Pattern>,
    namespace: Option<Pattern>,
    labels: Option<Selector>,
    annotations: Option<Selector>,
    /// Value of `calledByApiServer`: matches only called objects, or only others.
    pub(crate) called: Option<bool>,
}

/// Field of a [`Select`] that is compared with the metadata of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Kind,
    Name,
    Namespace,
    Group,
    Version,
    LabelSelector,
    AnnotationSelector,
}

impl Field {
    /// All fields, the most selective first.
    pub(crate) const ALL: [Self; 7] = [
        Self::Kind,
        Self::Name,
        Self::Namespace,
        Self::Group,
        Self::Version,
        Self::LabelSelector,
        Self::AnnotationSelector,
    ];
}

/// Regular expression that must match a whole text; words are compared directly, with a dot as any character.
#[derive(Debug)]
enum Pattern {
    Word(String),
    Regex(Regex),
}

impl Pattern {
    fn new(text: &str) -> Result<Self, regex::Error> {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if plain { Ok(Self::Word(text.to_owned())) } else { Regex::new(&format!("^(?:{text})$")).map(Self::Regex) }
    }

    /// True if the pattern matches the whole text.
    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Word(word) => {
                // From the end, where names that a generator numbers differ first.
                let mut rest = text.chars().rev();
                let mut is_next = |own: char| rest.next().is_some_and(|c| own == c || own == '.' && c != '\n');
                word.chars().rev().all(&mut is_next) && rest.next().is_none()
            }
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

/// Kind and group that no object has.
const ANYTHING: &str = "Anything";

impl Matcher {
    /// Compiles a select; `path` is its place in the config.
    pub fn new(select: &Select, config: &impl Positions, path: &Path) -> Result<Self, ConfigError> {
        if *select == Select::default() {
            let message = "an empty select would match everything: give at least one of group, version, kind, name, \
                 namespace, labelSelector, annotationSelector, calledByApiServer";
            return Err(config.error_at(path, message.to_owned()));
        }
        Self::compile(select).map_err(|(field, message)| config.error_at(&path.key(field), message))
    }

    /// Compiles a select that may be empty; the error is a field and a sentence.
    pub fn compile(select: &Select) -> Result<Self, (&'static str, String)> {
        let pattern = |field: &'static str, text: &Option<String>| {
            let compiled = text.as_deref().map(Pattern::new).transpose();
            compiled.map_err(|error| {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
                let given = text.as_deref().unwrap_or_default();
                let message = format!(
                    "`{given}` is not a regular expression ({reason}); `{field}` takes one that matches the whole {field}, such as \
                     `web|api` or `web-.*`; write `\\` before a literal character"
                );
                (field, message)
            })
        };
        let selector = |field: &'static str, text: &Option<String>| {
            let parsed = text.as_deref().map(parse_selector).transpose();
            parsed.map_err(|part| {
                let message = format!(
                    "`{part}` is not a requirement of a label selector; write `key=value`, `key!=value`, `key in (a,b)`, \
                     `key notin (a,b)`, `key` or `!key`, with commas between"
                );
                (field, message)
            })
        };
        let labels = selector("labelSelector", &select.label_selector).and_then(|selector| {
            let fault = selector.as_ref().and_then(invalid_selector_value_reason);
            fault.map_or(Ok(selector), |fault| Err(("labelSelector", fault)))
        });
        Ok(Self {
            group: pattern("group", &select.group)?,
            version: pattern("version", &select.version)?,
            kind: pattern("kind", &select.kind)?,
            name: pattern("name", &select.name)?,
            namespace: pattern("namespace", &select.namespace)?,
            labels: labels?,
            annotations: selector("annotationSelector", &select.annotation_selector)?,
            called: select.called_by_api_server,
        })
    }

    /// True if all fields match the metadata, whatever the kind.
    pub fn matches(&self, meta: &Meta) -> bool {
        Field::ALL.into_iter().all(|field| self.matches_field(field, meta))
    }

    /// True if a field of the select matches; a missing field matches all objects. As in a patch target of kustomize, the
    /// name and the namespace of the object before all renames of the build match too (kubernetes-sigs/kustomize@v5.8.1
    /// `api/resmap/reswrangler.go`, `Select`).
    pub(crate) fn matches_field(&self, field: Field, meta: &Meta) -> bool {
        let pattern = |pattern: &Option<Pattern>, text: &str| pattern.as_ref().is_none_or(|p| p.matches(text));
        let labels = |selector: &Option<Selector>, labels: &Labels| {
            selector.as_ref().is_none_or(|selector| selector.matches(&labels.to_map()))
        };
        match field {
            Field::Kind => pattern(&self.kind, &meta.gvk.kind),
            Field::Name => pattern(&self.name, &meta.name) || meta.first_name().is_some_and(|n| pattern(&self.name, n)),
            Field::Namespace => {
                pattern(&self.namespace, meta.namespace.as_deref().unwrap_or_default())
                    || meta.first_namespace().is_some_and(|first| pattern(&self.namespace, first))
            }
            Field::Group => pattern(&self.group, &meta.gvk.group),
            Field::Version => pattern(&self.version, &meta.gvk.version),
            Field::LabelSelector => labels(&self.labels, &meta.labels),
            Field::AnnotationSelector => labels(&self.annotations, &meta.annotations),
        }
    }

    /// True if the select applies to the object and all fields match: a workload, a package, a kind that is known to
    /// stay unchanged, or any kind if the select has a group.
    pub fn matches_object(&self, object: &Object) -> bool {
        self.is_about(object) && self.matches(&object.meta)
    }

    /// True if the select applies to the kind of the object, whatever its other fields.
    pub(crate) fn is_about(&self, object: &Object) -> bool {
        object.has_template()
            || object.meta.gvk.group == package::GROUP
            || self.group.is_some()
            || left_kind::is_reported_with_reason(object)
    }

    /// Like `matches_object`, and also compares `calledByApiServer`.
    pub(crate) fn matches_if_called(&self, object: &Object, is_called: bool) -> bool {
        self.matches_call(is_called) && self.matches_object(object)
    }

    /// True if `calledByApiServer` is missing or equals `is_called`.
    pub(crate) fn matches_call(&self, is_called: bool) -> bool {
        self.called.is_none_or(|wanted| wanted == is_called)
    }

    /// True if the select is not broad: it has a name, labels, annotations, `calledByApiServer: true`, or a kind or
    /// group other than a pattern that matches any text.
    pub(crate) fn is_specific_select(&self) -> bool {
        self.name.is_some()
            || self.labels.is_some()
            || self.annotations.is_some()
            || self.called == Some(true)
            || [&self.kind, &self.group].into_iter().flatten().any(|pattern| !pattern.matches(ANYTHING))
    }

    /// True if the fields of the select are narrower than the fields of another select, whatever the objects of the
    /// input: an exact name instead of a pattern or of no name, or all fields of the other select and more.
    pub(crate) fn is_narrower(&self, other: &Self) -> bool {
        let rank = |matcher: &Self| match &matcher.name {
            Some(Pattern::Word(_)) => 2,
            Some(Pattern::Regex(_)) => 1,
            None => 0,
        };
        let (own, its) = (self.given(), other.given());
        rank(self) > rank(other)
            || rank(self) == rank(other) && own != its && own.iter().zip(its).all(|(own, its)| *own || !its)
    }

    /// True for each field that the select has.
    fn given(&self) -> [bool; 8] {
        [
            self.group.is_some(),
            self.version.is_some(),
            self.kind.is_some(),
            self.name.is_some(),
            self.namespace.is_some(),
            self.labels.is_some(),
            self.annotations.is_some(),
            self.called.is_some(),
        ]
    }

    /// True if the select has a name and it matches this name.
    pub fn names(&self, name: &str) -> bool {
        self.name.as_ref().is_some_and(|pattern| pattern.matches(name))
    }
}

/// Parses a selector in the syntax of kubectl; the error is the invalid part.
fn parse_selector(text: &str) -> Result<Selector, String> {
    let mut selector = Selector::default();
    for part in requirements(text) {
        selector.extend([requirement(part).ok_or_else(|| part.trim().to_owned())?]);
    }
    Ok(selector)
}

/// Reason why a value of a label selector matches no label.
fn invalid_selector_value_reason(selector: &Selector) -> Option<String> {
    selector.clone().into_iter().find_map(|expression| match expression {
        Expression::Equal(_, value) | Expression::NotEqual(_, value) => label_value_fault(&value),
        Expression::In(_, values) | Expression::NotIn(_, values) => {
            values.iter().find_map(|value| label_value_fault(value))
        }
        _ => None,
    })
}

/// Splits at commas outside of parentheses.
fn requirements(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

/// Parses one requirement of a selector; `None` if it is invalid.
fn requirement(text: &str) -> Option<Expression> {
    let text = text.trim();
    let key = |key: &str| {
        let key = key.trim();
        let valid = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
        valid.then(|| key.to_owned())
    };
    let set = |values: &str| {
        let inner = values.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some(inner.split(',').map(|value| value.trim().to_owned()).collect())
    };
    if let Some((left, right)) = text.split_once("!=") {
        return Some(Expression::NotEqual(key(left)?, right.trim().to_owned()));
    }
    if let Some((left, right)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Some(Expression::Equal(key(left)?, right.trim().to_owned()));
    }
    if let Some(absent) = text.strip_prefix('!') {
        return Some(Expression::DoesNotExist(key(absent)?));
    }
    if let Some((left, right)) = text.split_once(" notin ") {
        return Some(Expression::NotIn(key(left)?, set(right)?));
    }
    if let Some((left, right)) = text.split_once(" in ") {
        return Some(Expression::In(key(left)?, set(right)?));
    }
    key(text).map(Expression::Exists)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        parse_selector(selector).unwrap().matches(&labels)
    }

    #[test]
    fn selectors_are_written_as_for_kubectl() {
        let web = [("app", "web"), ("tier", "a")];
        for yes in ["app=web", "app==web,tier in (a, b)", "app", "!canary", "tier notin (c)", "x!=y"] {
            assert!(selects(yes, &web), "{yes}");
        }
        for no in ["app=api", "tier in (b)", "!app", "canary", "app!=web"] {
            assert!(!selects(no, &web), "{no}");
        }
        assert_eq!(parse_selector("app in web").unwrap_err(), "app in web");
        assert!(selects("tier in (a, b),app=web", &web) && !selects("tier in (a, b),app=api", &web));
        for none in ["", "=web", "ap p=web", "app=web,", "!", "app=web,=a"] {
            assert!(parse_selector(none).is_err(), "{none}");
        }
    }

    #[test]
    fn patterns_match_as_a_whole() {
        assert!(!Pattern::new("Deploy").unwrap().matches("Deployment"));
        assert!(Pattern::new("web.api").unwrap().matches("web-api") && !Pattern::new("web.").unwrap().matches("web"));
        assert!(Pattern::new("web|api").unwrap().matches("api"));
        assert!(!Pattern::new("web|api").unwrap().matches("apis"));
    }
}
