//! `suppress` of a config: findings that are known and accepted.

use schemars::JsonSchema;
use serde::Deserialize;

use super::day::Day;
use super::ports::Port;
use super::select::Select;
use super::{ConfigError, Positions};
use crate::rule;
use lossless_yaml::Path;

/// Findings that are known and accepted. They are counted, and never make a run fail.
///
/// ```yaml
/// {rule: node-port, select: {kind: DaemonSet, name: node-exporter}, ports: [9100], reason: "ours, on every node", until: 2027-03-31}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["rule", "select", "reason"]))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Suppress {
    /// The rule's id.
    #[schemars(extend("allOf" = [{"enum": rule::ALL.iter().map(|rule| rule.id).filter(|id| may_be_suppressed(id)).collect::<Vec<_>>()}]))]
    pub rule: String,
    /// The objects of the findings.
    pub select: Select,
    /// Only findings about one of these ports; a finding that lists kept ports is accepted if all of them are in the
    /// list. Default: all ports.
    #[serde(default)]
    pub ports: Vec<Port>,
    /// The reason for accepting the findings.
    #[serde(default)]
    #[schemars(extend("pattern" = r"\S"))]
    pub reason: String,
    /// The last day on which the findings are accepted, such as `2027-03-31`. Default: no end.
    pub until: Option<String>,
}

/// True if findings of a rule may be suppressed; false for invalid documents, invalid configs and unused suppressions.
pub fn may_be_suppressed(id: &str) -> bool {
    !matches!(id, "document" | "config" | "unused-ignore")
}

/// Validation beyond the types; `unknown` returns the error for an id that the config may not name.
pub(super) fn validate(
    list: &[Suppress],
    config: &impl Positions,
    unknown: impl Fn(&str) -> Option<String>,
) -> Result<(), ConfigError> {
    for (index, suppress) in list.iter().enumerate() {
        let path = Path::dotted("spec.suppress").item(index);
        let refuse = |key: &'static str, message: String| Err(config.error_at(&path.key(key), message));
        if let Some(message) = unknown(&suppress.rule) {
            return refuse("rule", message);
        }
        if !may_be_suppressed(&suppress.rule) {
            return refuse(
                "rule",
                format!("`{}` cannot be suppressed: it reports what was not checked", suppress.rule),
            );
        }
        if suppress.reason.trim().is_empty() {
            let message = "`reason` is missing: write why this is accepted";
            return refuse("reason", message.to_owned());
        }
        if let Some(until) = suppress.until.as_ref().filter(|until| Day::read(until).is_none()) {
            return refuse("until", format!("`{until}` is not a day; write it as `2027-03-31`"));
        }
    }
    Ok(())
}
