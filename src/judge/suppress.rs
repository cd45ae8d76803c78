//! Suppression of findings by a config or by an annotation of the object. Both require a reason.

use std::collections::BTreeSet;

use crate::api::{ConfigError, Day, Positions, Suppress, closest_word, may_be_suppressed};
use crate::model::listener::called;
use crate::model::{Meta, Model, Object, ObjectId};
use crate::plan::{Finding, Matcher, misread};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Prefix of annotations that suppress findings; the rule id follows.
pub const IGNORE: &str = "ignore.hostnet.dev/";

/// Suppressions from configs and annotations.
#[derive(Debug, Default)]
pub struct Suppressions {
    rows: Vec<SuppressEntry>,
    /// Expired config entries: position and message.
    ended: Vec<(String, String)>,
    /// Annotations that matched a finding: object and rule.
    used: BTreeSet<(ObjectId, &'static str)>,
    /// Objects that the API server calls; filled only if a select uses `calledByApiServer`.
    called: BTreeSet<ObjectId>,
}

/// Reason and origin of a suppression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// True for an annotation, false for a config entry.
    pub in_source: bool,
    /// The reason.
    pub reason: String,
}

/// An entry of a config.
#[derive(Debug)]
struct SuppressEntry {
    matcher: Matcher,
    suppress: Suppress,
    place: String,
    /// True if the entry matched a finding.
    is_used: bool,
    /// True if the select of the entry matches an object of the input.
    is_met: bool,
    /// Globs in the select of the entry. A select consists of regular expressions, so a glob
    /// matches no object.
    globs: Option<String>,
    /// Difference between the entry and a finding of its rule that it almost matches.
    near: Option<String>,
    /// True if the entry is reported when it matches no finding.
    is_own: bool,
}

impl SuppressEntry {
    /// True if the entry's select matches an object; `is_called` is true if the API server calls its pods.
    fn matches(&self, meta: &Meta, is_called: bool) -> bool {
        self.matcher.matches_call(is_called) && self.matcher.matches(meta)
    }

    /// Difference between the entry and a finding about an object: its ports, or one field of the select.
    fn difference(&self, finding: &Finding, meta: &Meta, is_called: bool) -> Option<String> {
        if !self.matches(meta, is_called) {
            return misread::one_field_off(&self.matcher, &self.suppress.select, meta);
        }
        let ports: Vec<String> = finding.ports.iter().map(u16::to_string).collect();
        Some(match ports.as_slice() {
            [] => format!("the finding about {meta} has no port, so remove `ports`"),
            [port] => format!("the finding about {meta} is about port {port}, which `ports` does not list"),
            _ => format!("the finding about {meta} is about ports {}, which `ports` does not list", ports.join(", ")),
        })
    }
}

impl Suppressions {
    /// Reads the suppressions of a config that are valid on `today`.
    pub fn from_config(list: &[Suppress], config: &impl Positions, today: Day) -> Result<Self, ConfigError> {
        let mut found = Self::default();
        found.read(list, config, today, true)?;
        Ok(found)
    }

    /// Adds suppressions of a config for another kind of run; unused entries of that config are not reported.
    pub fn add_for_other_run_kind(
        &mut self,
        list: &[Suppress],
        config: &impl Positions,
        today: Day,
    ) -> Result<(), ConfigError> {
        self.read(list, config, today, false)
    }

    fn read(
        &mut self,
        list: &[Suppress],
        config: &impl Positions,
        today: Day,
        is_own: bool,
    ) -> Result<(), ConfigError> {
        for (index, suppress) in list.iter().enumerate() {
            let path = Path::dotted("spec.suppress").item(index);
            let matcher = Matcher::new(&suppress.select, config, &path.key("select"))?;
            if let Some(until) = suppress.until.as_deref().filter(|_| has_ended(suppress, today)) {
                let message = format!(
                    "the suppression of `{}` ended on {until} and is ignored: fix the finding, or set a later day",
                    suppress.rule
                );
                self.ended.extend(Some((config.place_of(&path.key("until")), message)).filter(|_| is_own));
                continue;
            }
            let (place, suppress) = (config.place_of(&path), suppress.clone());
            self.rows.push(SuppressEntry {
                matcher,
                suppress,
                place,
                is_used: false,
                is_met: false,
                globs: None,
                near: None,
                is_own,
            });
        }
        Ok(())
    }

    /// Collects the data that selects need: called objects, selects without a match, and globs in selects.
    pub fn index_model(&mut self, model: &Model) {
        if self.rows.iter().any(|row| row.matcher.called.is_some()) {
            self.called = called(model).into_keys().collect();
        }
        for row in &mut self.rows {
            let mut objects = model.objects().iter().enumerate();
            row.is_met = objects.any(|(id, object)| row.matches(&object.meta, self.called.contains(&id)));
            row.globs = misread::globs(model, &row.suppress.select);
        }
    }

    /// Objects for which a finding of this rule may be suppressed, ignoring ports.
    pub fn suppressible_objects(&self, model: &Model, rule: &str) -> BTreeSet<ObjectId> {
        let key = format!("{IGNORE}{rule}");
        let rows: Vec<&SuppressEntry> = self.rows.iter().filter(|row| row.suppress.rule == rule).collect();
        let objects = model.objects().iter().enumerate().filter(|(id, object)| {
            object.meta.annotations.get(&key).is_some()
                || rows.iter().any(|row| row.matches(&object.meta, self.called.contains(id)))
        });
        objects.map(|(id, _)| id).collect()
    }

    /// Returns the suppression of a finding: an annotation on one of `finding_objects`, else a config entry that
    /// selects one of them.
    pub fn accepts(&mut self, finding: &Finding, finding_objects: &[(ObjectId, &Meta)]) -> Option<Suppressed> {
        if finding.object.is_none() || !may_be_suppressed(finding.rule.id) {
            return None;
        }
        // Ports of the finding that no entry has suppressed so far.
        let mut open = if finding.is_of_each { finding.ports.clone() } else { Vec::new() };
        let is_about = |ports: &[u16], open: &mut Vec<u16>| {
            open.retain(|port| !ports.is_empty() && !ports.contains(port));
            ports.is_empty() || finding.ports.iter().any(|port| ports.contains(port))
        };
        let mut first_reason: Option<String> = None;
        for (id, meta) in finding_objects {
            let Some(text) = meta.annotations.get(&format!("{IGNORE}{}", finding.rule.id)) else { continue };
            let ignore = Ignore::read(text);
            if let Some(reason) = ignore.reason.ok().filter(|_| is_about(&ignore.ports, &mut open)) {
                self.used.insert((*id, finding.rule.id));
                first_reason.get_or_insert(reason);
            }
        }
        let mut found = first_reason.map(|reason| Suppressed { in_source: true, reason });
        if found.is_some() && open.is_empty() {
            return found;
        }
        for row in &mut self.rows {
            let ports: Vec<u16> = row.suppress.ports.iter().map(|port| port.get()).collect();
            if row.suppress.rule != finding.rule.id {
                continue;
            }
            let mut objects = finding_objects.iter();
            if objects.any(|(id, meta)| row.matches(meta, self.called.contains(id))) && is_about(&ports, &mut open) {
                row.is_used = true;
                let of_row = || Suppressed { in_source: false, reason: row.suppress.reason.clone() };
                found = Some(found.unwrap_or_else(of_row));
            } else if row.near.is_none() {
                let difference =
                    |(id, meta): &(ObjectId, &Meta)| row.difference(finding, meta, self.called.contains(id));
                row.near = finding_objects.iter().find_map(difference);
            }
        }
        found.filter(|_| open.is_empty())
    }

    /// Expired config entries and entries that matched no finding: position and message. Entries whose objects are not
    /// in the input are included only if `absent` is true, or if their select has a glob.
    pub fn unused(&self, absent: bool) -> Vec<(String, String)> {
        let is_reported =
            |row: &&SuppressEntry| !row.is_used && row.is_own && (row.is_met || absent || row.globs.is_some());
        let unused = self.rows.iter().filter(is_reported).map(|row| {
            let remedy = match (&row.globs, &row.near) {
                (Some(globs), _) => format!("no object has {globs}"),
                (None, Some(near)) => near.clone(),
                (None, None) => "remove it".to_owned(),
            };
            (row.place.clone(), format!("no finding of `{}` matches this suppression: {remedy}", row.suppress.rule))
        });
        self.ended.iter().cloned().chain(unused).collect()
    }

    /// Findings about annotations that suppress no finding, with the reason.
    pub fn unused_annotations(&self, model: &Model) -> Vec<Finding> {
        let applied = model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
        applied.flat_map(|(id, object)| self.report_unused_annotations(id, object)).collect()
    }

    /// Reports annotations of an object that suppress nothing.
    fn report_unused_annotations(&self, id: ObjectId, object: &Object) -> Vec<Finding> {
        let meta = &object.meta;
        let mut findings = Vec::new();
        let mut report = |key: &str, path: Path, reason: &str| {
            let message = format!("{meta}: annotation `{key}` suppresses nothing: {reason}");
            let finding = Finding::new(Severity::Warning, rule::UNUSED_IGNORE, message);
            findings.push(finding.on_object(id).at(path.key(key.to_owned())));
        };
        for (key, text) in meta.annotations.iter() {
            let Some(rule) = key.strip_prefix(IGNORE) else { continue };
            let path = Path::dotted("metadata.annotations");
            let Some(known) = rule::find(rule).filter(|known| may_be_suppressed(known.id)) else {
                let known: Vec<&str> =
                    rule::ALL.iter().map(|rule| rule.id).filter(|id| may_be_suppressed(id)).collect();
                let near = closest_word(rule, &known);
                let reason =
                    near.map_or("there is no such rule".to_owned(), |near| format!("did you mean `{IGNORE}{near}`?"));
                report(key, path, &reason);
                continue;
            };
            if let Err(message) = Ignore::read(text).reason {
                report(key, path, message);
            } else if !known.check.is_empty() && !self.used.contains(&(id, known.id)) {
                report(key, path, "the object has no such finding; remove it");
            }
        }
        let templates = object.templates().iter().filter(|template| template.path.last().is_some());
        let annotations =
            templates.flat_map(|template| template.annotations.iter().map(move |(key, _)| (template, key)));
        for (template, key) in annotations.filter(|(_, key)| key.starts_with(IGNORE)) {
            let path = template.path.key("metadata").key("annotations");
            report(key, path, "an annotation on the template would restart the pods; put it on the object itself");
        }
        findings
    }
}

/// True if the `until` day of a config entry is before `today`.
pub fn has_ended(suppress: &Suppress, today: Day) -> bool {
    suppress.until.as_deref().and_then(Day::read).is_some_and(|until| until < today)
}

/// Parsed annotation value: `8080,9090: reason`, or only a reason.
struct Ignore {
    ports: Vec<u16>,
    /// The reason, or the message about a value that suppresses nothing.
    reason: Result<String, &'static str>,
}

impl Ignore {
    fn read(text: &str) -> Self {
        let (list, rest) = text.split_once(':').unwrap_or((text, ""));
        let words: Vec<&str> =
            list.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
        let is_list = !words.is_empty() && words.iter().all(|word| is_like_port(word));
        let reason = if is_list { rest } else { text }.trim();
        let ports: Option<Vec<u16>> = is_list.then(|| words.iter().map(|word| word.parse().ok()).collect()).flatten();
        let reason = match reason {
            _ if is_list && ports.is_none() => Err("its ports cannot be read; write `8080, 9090: REASON`"),
            "" | "true" | "false" => Err("it gives no reason; write why this is accepted"),
            reason => Ok(reason.to_owned()),
        };
        Self { ports: ports.unwrap_or_default(), reason }
    }
}

/// True for digits, also with a protocol: `8080/TCP`. A date is no port.
fn is_like_port(word: &str) -> bool {
    let (number, protocol) = word.split_once('/').unwrap_or((word, ""));
    number.bytes().all(|b| b.is_ascii_digit())
        && !number.is_empty()
        && protocol.bytes().all(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::Ignore;

    #[test]
    fn an_annotation_has_a_reason_and_optional_ports() {
        let read = |text: &str| {
            let ignore = Ignore::read(text);
            (ignore.ports, ignore.reason.ok())
        };
        assert_eq!(read("8080, 9090: ours"), (vec![8080, 9090], Some("ours".to_owned())));
        assert_eq!(read("ours: since 2020"), (vec![], Some("ours: since 2020".to_owned())));
        assert_eq!(read("8080: "), (vec![8080], None));
        assert_eq!(read("8080;9090 1: ours"), (vec![8080, 9090, 1], Some("ours".to_owned())));
        assert_eq!(read("2020-01-01: ours"), (vec![], Some("2020-01-01: ours".to_owned())));
        for unread in [" ", "8080", "8080, 9090", "8080/TCP: ours", "99999: ours", "true"] {
            assert_eq!(read(unread).1, None, "{unread}");
        }
    }
}
