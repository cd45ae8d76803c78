//! References to ports of pods: the schema of `catalog/references.yaml` and of `references` in a config, and the rows
//! of the catalogue.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;

use super::data;

/// Fields of some kinds that name ports of pods. Paths have `[]` for each element of a list, `*` for each key of a
/// mapping and `{}` for the keys themselves: `spec.endpoints[].targetPort`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PortReference {
    /// API group, in any version.
    pub group: String,
    /// Kinds.
    pub kinds: Vec<String>,
    /// Fields with a port of the pods: a number changes with the port, a name stays. Keys of a mapping are reported,
    /// not changed.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Fields with a Service's own port. They stay unchanged and are not reported.
    #[serde(default)]
    pub service_ports: Vec<String>,
    /// Required values of other fields, by path: `ports` applies only where all of these fields have these values. A
    /// path through the same list as the port is read in the same element.
    #[serde(default, rename = "where")]
    pub conditions: BTreeMap<String, String>,
    /// Counts only pods that declare the number. Default: `false`.
    #[serde(default)]
    pub declared: bool,
    /// The pods of the fields. Not needed without `ports`.
    pub pods: Option<PodFinder>,
}

/// Fields by which an object finds its pods: exactly one of the first seven is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PodFinder {
    /// The path of a label selector over pods, with `matchLabels` and `matchExpressions`. A missing selector selects
    /// all pods.
    pub selector: Option<String>,
    /// The path of a mapping of labels that pods must have. A missing mapping selects all pods.
    pub labels: Option<String>,
    /// The path of a label selector over Services, by their own labels.
    pub service_selector: Option<String>,
    /// The path of the name of a Service. A host such as `web.shop.svc.cluster.local` also counts as a name.
    pub service: Option<String>,
    /// The path of a reference with `kind` and `name` to a Service or to the object with the pod template.
    pub target: Option<String>,
    /// Annotations of Services that hold the object's name.
    #[serde(default)]
    pub service_annotations: Vec<String>,
    /// All pods of the object's namespace.
    #[serde(default)]
    pub all: bool,
    /// The path of the namespaces of a selector: a list of names, or a mapping with `any` and `matchNames`. Default:
    /// the object's own.
    pub namespaces: Option<String>,
    /// Lets a selector match the pods of every namespace. Default: `false`.
    #[serde(default)]
    pub any_namespace: bool,
}

impl PortReference {
    /// Returns the errors of a reference; empty if it is valid.
    pub fn check(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.kinds.is_empty() {
            wrong.push("`kinds` is empty: name at least one".to_owned());
        }
        if self.ports.is_empty() && self.service_ports.is_empty() {
            wrong.push("it names no fields: give `ports` or `servicePorts`".to_owned());
        }
        let ways = self.pods.as_ref().map_or(0, PodFinder::count);
        if !self.ports.is_empty() && ways != 1 {
            wrong.push(
                "`pods` needs exactly one of `selector`, `labels`, `serviceSelector`, `service`, `target`, `serviceAnnotations` and `all`"
                    .to_owned(),
            );
        }
        for path in self.ports.iter().chain(&self.service_ports).chain(self.conditions.keys()) {
            if path.split('.').any(|key| key.trim_end_matches("[]").trim_end_matches("{}").is_empty()) {
                wrong.push(format!("`{path}` is not a path such as `spec.endpoints[].targetPort`"));
            }
        }
        wrong
    }
}

impl PodFinder {
    /// Number of fields that are set.
    fn count(&self) -> usize {
        let paths = [&self.selector, &self.labels, &self.service_selector, &self.service, &self.target];
        let given = paths.into_iter().flatten().count();
        given + usize::from(!self.service_annotations.is_empty()) + usize::from(self.all)
    }
}

/// Row of `catalog/references.yaml`, embedded in the binary.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReferenceRow {
    pub(super) group: &'static str,
    pub(super) kinds: &'static [&'static str],
    /// JSON of the row, for `Deserialize`.
    pub(super) json: &'static str,
}

/// Port references of a kind.
pub fn references_of(group: &str, kind: &str) -> impl Iterator<Item = Arc<PortReference>> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Arc<PortReference>>>>> =
        LazyLock::new(|| data::REFERENCES.iter().map(|_| OnceLock::new()).collect());
    let rows = data::REFERENCES.iter().enumerate();
    let rows = rows.filter(move |(_, row)| row.group == group && row.kinds.contains(&kind));
    // Parsing does not fail: a test parses every row.
    let parsed = |row: &ReferenceRow| serde_json::from_str(row.json).ok().map(Arc::new);
    rows.filter_map(move |(index, row)| PARSED.get(index)?.get_or_init(|| parsed(row)).clone())
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::PortReference;

    #[test]
    fn every_reference_has_the_schema() {
        for row in data::REFERENCES {
            let read: PortReference =
                serde_json::from_str(row.json).unwrap_or_else(|error| panic!("{error}: {}", row.json));
            assert_eq!(read.check(), Vec::<String>::new(), "{}", row.json);
        }
    }
}
