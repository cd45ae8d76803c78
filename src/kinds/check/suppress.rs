//! Findings that are known and accepted: by the config, or by an annotation of the object. Both need a reason.

use std::collections::BTreeSet;

use crate::api::{CheckConfig, ConfigError, Day, Suppress, may_be_suppressed};
use crate::check::Finding;
use crate::model::{Model, ObjectId};
use crate::render::check::{Entry, Location, Suppressed};
use crate::rule::{self, Severity};
use crate::yaml::Path;

use super::{Chosen, plain};

/// What annotations that accept findings begin with; the rule's id follows.
const PREFIX: &str = "ignore.hostnet.dev/";

/// What the config and the objects accept.
#[derive(Default)]
pub(super) struct Suppressions {
    rows: Vec<Row>,
    /// Entries of the config that have ended: where, and what is said.
    ended: Vec<(String, String)>,
    /// Annotations that matched a finding: object and rule.
    used: BTreeSet<(ObjectId, &'static str)>,
}

/// An entry of the config.
struct Row {
    chosen: Chosen,
    suppress: Suppress,
    place: String,
    is_used: bool,
}

impl Suppressions {
    pub(super) fn of(config: &CheckConfig, today: Day) -> Result<Self, ConfigError> {
        let mut found = Self::default();
        for (index, suppress) in config.check.spec.suppress.iter().enumerate() {
            let path = Path::dotted("spec.suppress").item(index);
            let chosen = Chosen::of(&suppress.select, config, &path.key("select"))?;
            if let Some(until) =
                suppress.until.as_deref().filter(|until| Day::read(until).is_some_and(|day| day < today))
            {
                let message = format!(
                    "the suppression of `{}` ended on {until} and is ignored: solve what it was about, or give it another day",
                    suppress.rule
                );
                found.ended.push((config.place_of(&path.key("until")), message));
                continue;
            }
            let place = config.place_of(&path);
            found.rows.push(Row { chosen, suppress: suppress.clone(), place, is_used: false });
        }
        Ok(found)
    }

    /// Why each of the findings is accepted, if it is.
    pub(super) fn apply(
        &mut self,
        findings: &[Finding],
        model: &Model,
        is_called: impl Fn(ObjectId) -> bool,
    ) -> Vec<Option<Suppressed>> {
        findings.iter().map(|finding| self.accepts(finding, model, &is_called)).collect()
    }

    fn accepts(
        &mut self,
        finding: &Finding,
        model: &Model,
        is_called: &impl Fn(ObjectId) -> bool,
    ) -> Option<Suppressed> {
        let id = finding.object.filter(|_| may_be_suppressed(finding.rule.id))?;
        let meta = &model.object(id)?.meta;
        if let Some(text) = meta.annotations.get(&format!("{PREFIX}{}", finding.rule.id)) {
            let ignore = Ignore::read(text);
            if let Some(reason) =
                ignore.reason.filter(|_| ignore.ports.is_empty() || of_one(&finding.ports, &ignore.ports))
            {
                self.used.insert((id, finding.rule.id));
                return Some(Suppressed { in_source: true, reason });
            }
        }
        let row = self.rows.iter_mut().find(|row| {
            let ports: Vec<u16> = row.suppress.ports.iter().map(|port| port.get()).collect();
            row.suppress.rule == finding.rule.id
                && (ports.is_empty() || of_one(&finding.ports, &ports))
                && row.chosen.matches(meta, is_called(id))
        })?;
        row.is_used = true;
        Some(Suppressed { in_source: false, reason: row.suppress.reason.clone() })
    }

    /// Entries that have ended, and those that matched nothing.
    pub(super) fn ended(&self) -> Vec<Entry> {
        let ended = self.ended.iter().map(|(place, message)| {
            plain(Severity::Warning, rule::UNUSED_IGNORE, message, Some(Location::read(place)))
        });
        let unused = self.rows.iter().filter(|row| !row.is_used).map(|row| {
            let message = format!("no finding of `{}` is what this suppression is about: remove it", row.suppress.rule);
            plain(Severity::Warning, rule::UNUSED_IGNORE, &message, Some(Location::read(&row.place)))
        });
        ended.chain(unused).collect()
    }

    /// Annotations that suppress nothing, and why.
    pub(super) fn unused(&self, model: &Model) -> Vec<Finding> {
        let mut findings = Vec::new();
        let known: Vec<&str> = rule::checked().map(|rule| rule.id).filter(|id| may_be_suppressed(id)).collect();
        for (id, object) in model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config()) {
            let meta = &object.meta;
            let mut say = |key: &str, path: Path, why: &str| {
                let message = format!("{meta}: annotation `{key}` suppresses nothing: {why}");
                findings.push(
                    Finding::new(Severity::Warning, rule::UNUSED_IGNORE, message).at(id, path.key(key.to_owned())),
                );
            };
            for (key, text) in meta.annotations.iter() {
                let Some(rule) = key.strip_prefix(PREFIX) else { continue };
                let path = Path::dotted("metadata.annotations");
                let Some(known) = known.iter().find(|known| **known == rule) else {
                    let near = crate::api::closest_word(rule, &known);
                    let why = near
                        .map_or("there is no such rule".to_owned(), |near| format!("did you mean `{PREFIX}{near}`?"));
                    say(key, path, &why);
                    continue;
                };
                if Ignore::read(text).reason.is_none() {
                    say(key, path, "it gives no reason; write why this is accepted");
                } else if !self.used.contains(&(id, *known)) {
                    say(key, path, "there is no such finding here; remove it");
                }
            }
            let templates = object.templates().iter().filter(|template| template.path.last().is_some());
            let annotations =
                templates.flat_map(|template| template.annotations.iter().map(move |(key, _)| (template, key)));
            for (template, key) in annotations {
                if key.starts_with(PREFIX) {
                    let path = template.path.key("metadata").key("annotations");
                    say(
                        key,
                        path,
                        "it is on the template, where it would restart the pods; put it on the object itself",
                    );
                }
            }
        }
        findings
    }
}

fn of_one(ports: &[u16], wanted: &[u16]) -> bool {
    ports.iter().any(|port| wanted.contains(port))
}

/// The text of an annotation: `8080,9090: reason`, or a reason alone.
struct Ignore {
    ports: Vec<u16>,
    reason: Option<String>,
}

impl Ignore {
    fn read(text: &str) -> Self {
        let listed = text.split_once(':').and_then(|(list, rest)| {
            let ports: Option<Vec<u16>> = list.split(',').map(|port| port.trim().parse().ok()).collect();
            Some((ports?, rest))
        });
        let (ports, rest) = listed.unwrap_or((Vec::new(), text));
        let reason = Some(rest.trim()).filter(|reason| !reason.is_empty()).map(str::to_owned);
        Self { ports, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::Ignore;

    #[test]
    fn an_annotation_has_a_reason_and_perhaps_ports() {
        let read = |text: &str| {
            let ignore = Ignore::read(text);
            (ignore.ports, ignore.reason)
        };
        assert_eq!(read("8080, 9090: ours"), (vec![8080, 9090], Some("ours".to_owned())));
        assert_eq!(read("ours: since 2020"), (vec![], Some("ours: since 2020".to_owned())));
        assert_eq!(read("8080: "), (vec![8080], None));
        assert_eq!(read(" "), (vec![], None));
    }
}
