//! Compact terminal output: remedies first by severity, limited to one screen. Text, JSON and SARIF output are
//! complete.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::text::{counts, place_of};
use super::{Entry, Report};
use crate::render::not_read;
use crate::rule::Severity;
use krm::escape_line;

/// Maximum number of rows for findings; with the two last lines they fill most of a 40-row screen.
const ROWS: usize = 32;

/// Maximum number of rows for findings and for lines about manifests that other programs render.
const SCREEN: usize = 33;

/// Maximum number of characters of details in a line; further details are counted.
const DETAILS: usize = 160;

/// Maximum number of items per group, for errors and for warnings. The first pair that fits is used.
const LIMITS: [(usize, usize); 12] =
    [(30, 30), (20, 12), (20, 8), (20, 5), (20, 3), (20, 2), (20, 1), (20, 0), (12, 0), (6, 0), (3, 0), (1, 0)];

/// Findings with the same remedy.
struct Group<'r> {
    severity: Severity,
    rule: &'static str,
    fix: &'r str,
    items: Vec<Item<'r>>,
}

/// Findings about one subject in one file.
struct Item<'r> {
    entry: &'r Entry,
    subject: Option<String>,
    details: Vec<&'r str>,
}

/// Errors alone, as [`screen`] shows them, without the line of counts.
pub fn errors(report: &Report) -> String {
    let mut groups = groups(report);
    groups.retain(|group| group.severity == Severity::Error);
    fitting(&groups).iter().map(|line| format!("{line}\n")).collect()
}

/// Lines of groups, shortened to one screen.
fn fitting(groups: &[Group<'_>]) -> Vec<String> {
    let fitting = LIMITS.iter().map(|limits| lines(groups, *limits)).find(|lines| rows(lines) <= ROWS);
    fitting.unwrap_or_else(|| fit_to_screen(groups))
}

/// Key of findings merged into one line: rule, remedy, subject and file.
type Subject<'r> = (&'r str, &'r str, String, Option<&'r str>);

/// One line per remedy, followed by the affected subjects. Findings of severity info are only counted; shortened lists
/// end with a count.
pub fn screen(report: &Report) -> String {
    let groups = groups(report);
    let lines = fitting(&groups);
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.push_str(&not_read::shortened(&report.rendered, SCREEN.saturating_sub(rows(&lines))));
    text.push_str(&counts(report));
    if report.open().next().is_some() {
        text.push_str("`hostnet check -v` shows all of them in full, `hostnet explain RULE` explains a rule\n");
    }
    text
}

/// Groups the open errors and warnings by rule and fix.
fn groups(report: &Report) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut by_fix: BTreeMap<(Severity, &str, &str), usize> = BTreeMap::new();
    let mut by_subject: HashMap<Subject<'_>, (usize, usize)> = HashMap::new();
    for entry in report.open().filter(|entry| entry.severity != Severity::Info) {
        let rule = entry.rule.id;
        let (fix, detail) = match &entry.brief {
            Some(brief) => (brief.fix.as_str(), brief.detail.as_str()),
            None => (entry.rule.summary, entry.message.as_str()),
        };
        let subject = subject(entry);
        let file = entry.place.as_ref().and_then(|place| place.file.as_deref());
        // Findings of one subject form one line, in the group of the most severe finding.
        let known = subject.as_ref().map(|subject| (rule, fix, subject.clone(), file));
        if let Some((group, item)) = known.as_ref().and_then(|key| by_subject.get(key))
            && let Some(item) = groups.get_mut(*group).and_then(|group| group.items.get_mut(*item))
        {
            item.details.push(detail);
            continue;
        }
        let group = *by_fix.entry((entry.severity, rule, fix)).or_insert_with(|| {
            groups.push(Group { severity: entry.severity, rule, fix, items: Vec::new() });
            groups.len() - 1
        });
        let Some(items) = groups.get_mut(group).map(|group| &mut group.items) else { continue };
        by_subject.extend(known.map(|key| (key, (group, items.len()))));
        items.push(Item { entry, subject, details: vec![detail] });
    }
    groups.sort_by_key(|group| (group.severity, group.rule));
    groups
}

/// Subject of a finding; `None` if its message contains the subject.
fn subject(entry: &Entry) -> Option<String> {
    let brief = entry.brief.as_ref()?;
    let of_object = || {
        let object = entry.object.as_ref()?;
        let namespace = object.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        Some(format!("{} {namespace}{}", object.kind, object.name))
    };
    brief.subject.clone().or_else(of_object)
}

/// Lines of all groups, with at most this number of items in a group of errors and in a group of warnings.
fn lines(groups: &[Group<'_>], (errors, warnings): (usize, usize)) -> Vec<String> {
    let lines = |group: &Group<'_>| {
        let most = if group.severity == Severity::Error { errors } else { warnings };
        group_lines(group, most)
    };
    groups.iter().flat_map(lines).collect()
}

/// Lines of a group, with at most `max_items` items.
fn group_lines(group: &Group<'_>, max_items: usize) -> Vec<String> {
    let mut lines = vec![format!("{}: {} [{}]", group.severity.as_str(), group.fix, group.rule)];
    // If only one item would be omitted, show it: a line with the count needs the same space.
    let shown = if group.items.len() == max_items + 1 { max_items + 1 } else { max_items };
    lines.extend(group.items.iter().take(shown).map(line));
    let more = group.items.len().saturating_sub(shown);
    if more > 0 {
        lines.push(if shown == 0 { format!("  {more} of them") } else { format!("  and {more} more") });
    }
    lines
}

/// Line of an item: location, subject, details.
fn line(item: &Item<'_>) -> String {
    let place = place_of(item.entry).map(|place| format!("{place}: ")).unwrap_or_default();
    let mut line = format!("  {place}{}", item.subject.as_deref().unwrap_or_default());
    let mut details: Vec<&str> = item.details.iter().copied().filter(|detail| !detail.is_empty()).collect();
    let mut seen = HashSet::new();
    details.retain(|detail| seen.insert(*detail));
    let mut length = 0;
    let count = details
        .iter()
        .take_while(|detail| {
            length += detail.chars().count();
            length <= DETAILS
        })
        .count()
        .max(1);
    let more = details.len().saturating_sub(count);
    details.truncate(count);
    if !details.is_empty() {
        line.push_str(if item.subject.is_some() { ": " } else { "" });
        line.push_str(&details.join(", "));
    }
    if more > 0 {
        line.push_str(&format!(", and {more} more"));
    }
    if let Some(made_by) = item.entry.brief.as_ref().and_then(|brief| brief.made_by.as_ref()) {
        line.push_str(&format!("; made by {made_by}"));
    }
    escape_line(&line).into_owned()
}

/// Number of terminal rows of lines.
fn rows(lines: &[String]) -> usize {
    lines.iter().map(|line| not_read::rows(line)).sum()
}

/// Includes as many groups as fit, most severe first, and a line with the omitted rules.
fn fit_to_screen(groups: &[Group<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let mut next = group_lines(group, 1);
        let mut rest: Vec<&str> = groups.iter().skip(index).map(|group| group.rule).collect();
        if rows(&lines) + rows(&next) >= ROWS {
            rest.dedup();
            lines.push(format!("and more of {}", rest.join(", ")));
            break;
        }
        lines.append(&mut next);
    }
    lines
}
