//! SARIF 2.1.0 output, for code scanning sites.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Entry, Location, Report, full_name};
use crate::rule::{Rule, Severity};

/// Maximum number of results per run that code scanning sites accept.
const MAX_RESULTS: usize = 25_000;

/// File name of standard input.
const STDIN: &str = "standard-input.yaml";

/// Base folder of file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    folder: PathBuf,
    /// Working folder, the base of relative file names.
    here: PathBuf,
}

impl Root {
    /// Creates a root; `root` and the working folder `here` are absolute.
    pub fn new(root: PathBuf, here: PathBuf) -> Self {
        Self { folder: root, here }
    }

    /// File name relative to the root, with slashes; absolute for a file outside of it.
    pub fn relative(&self, file: &str) -> String {
        let whole = normal(&self.here.join(file));
        let path = whole.strip_prefix(&self.folder).unwrap_or(&whole);
        let parts = path.components().filter(|part| !matches!(part, Component::RootDir));
        let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
        let start = if path.is_absolute() { "/" } else { "" };
        format!("{start}{}", parts.join("/"))
    }
}

/// Removes `.` and `..` from a path.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = normal.pop(),
            part => normal.push(part),
        }
    }
    normal
}

/// The report as SARIF, with file names relative to `root`.
pub fn sarif(report: &Report, root: &Root) -> Value {
    let used: Vec<Rule> = crate::rule::ALL
        .iter()
        .filter(|rule| report.rules.contains(rule) || report.entries.iter().any(|entry| entry.rule == **rule))
        .copied()
        .collect();
    let index: HashMap<&str, usize> = used.iter().enumerate().map(|(index, rule)| (rule.id, index)).collect();
    // Code scanning sites reject results without a location; findings about the whole run get the start of the first
    // file.
    let file = report.first_file.clone().unwrap_or_else(|| STDIN.to_owned());
    let start = Location { file: Some(file), position: Some((1, 1)) };
    let results = report.entries.iter().take(MAX_RESULTS);
    let results: Vec<Value> = results.map(|entry| result(entry, &start, &index, root)).collect();
    let mut notes = Vec::new();
    if report.entries.len() > MAX_RESULTS {
        notes.push(format!(
            "{} more findings with the same or a lower severity are left out",
            report.entries.len() - MAX_RESULTS
        ));
    }
    if report.entries.iter().any(|entry| entry.place.as_ref().is_some_and(|place| place.file.is_none())) {
        notes.push(
            "findings of standard input have no file: give the files, or `--build FOLDER`, to show them next to code"
                .to_owned(),
        );
    }
    let notes: Vec<Value> = notes.into_iter().map(|text| json!({"level": "note", "message": {"text": text}})).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "hostnet",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": used.iter().copied().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes}],
            "results": results,
        }],
    })
}

/// SARIF level of a severity.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// SARIF description of a rule.
fn rule(rule: Rule) -> Value {
    // The page starts with the rule id as its title.
    let page = rule.page.split_once('\n').map_or(rule.page, |(_, rest)| rest).trim();
    let first = page.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": first},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.check.first().map_or("error", |severity| level(*severity))},
    })
}

/// A SARIF result for one finding.
fn result(entry: &Entry, start: &Location, index: &HashMap<&str, usize>, root: &Root) -> Value {
    let mut map = Map::new();
    map.insert("ruleId".to_owned(), entry.rule.id.into());
    if let Some(index) = index.get(entry.rule.id) {
        map.insert("ruleIndex".to_owned(), (*index).into());
    }
    map.insert("level".to_owned(), level(entry.severity).into());
    map.insert("message".to_owned(), json!({"text": without_links(&entry.message)}));
    let mut place = physical(&location(entry, start), root);
    if let Some(object) = &entry.object {
        let mut logical = vec![json!({"fullyQualifiedName": full_name(object), "kind": "object"})];
        if let Some(path) = &entry.path {
            let name = format!("{}#{path}", full_name(object));
            logical.push(json!({"fullyQualifiedName": name, "kind": "member"}));
        }
        place.insert("logicalLocations".to_owned(), Value::Array(logical));
    }
    map.insert("locations".to_owned(), json!([place]));
    if let Some((object, other)) = &entry.other {
        let mut place = other.as_ref().map(|place| physical(place, root)).unwrap_or_default();
        place.insert("id".to_owned(), 1.into());
        place.insert("message".to_owned(), json!({"text": without_links(&full_name(object))}));
        place.insert(
            "logicalLocations".to_owned(),
            json!([{"fullyQualifiedName": full_name(object), "kind": "object"}]),
        );
        map.insert("relatedLocations".to_owned(), json!([place]));
    }
    let mut fingerprints = json!({"hostnet/v1": entry.fingerprint});
    if let (Some(fingerprints), Some(hash)) = (fingerprints.as_object_mut(), &entry.line_hash) {
        fingerprints.insert("primaryLocationLineHash".to_owned(), hash.as_str().into());
    }
    map.insert("partialFingerprints".to_owned(), fingerprints);
    if let Some(state) = entry.baseline {
        map.insert("baselineState".to_owned(), state.as_str().into());
    }
    if let Some(suppressed) = &entry.suppressed {
        let kind = if suppressed.in_source { "inSource" } else { "external" };
        map.insert("suppressions".to_owned(), json!([{"kind": kind, "justification": suppressed.reason}]));
    }
    Value::Object(map)
}

/// Escapes brackets in a message, which SARIF reads as links.
/// Source: SARIF 2.1.0, section 3.11.6.
fn without_links(text: &str) -> String {
    if !text.contains("](") {
        return text.to_owned();
    }
    text.replace('\\', r"\\").replace('[', r"\[").replace(']', r"\]")
}

/// Location of a finding, always with a file: GitHub refuses reports with a result without a file. On standard input it
/// is the source file according to the function host, else the name of standard input.
fn location(entry: &Entry, start: &Location) -> Location {
    let place = entry.place.as_ref().unwrap_or(start);
    match (&place.file, &entry.source) {
        (Some(_), _) => place.clone(),
        (None, Some(source)) => Location { file: Some(source.path.clone()), position: Some((1, 1)) },
        (None, None) => Location { file: Some(STDIN.to_owned()), position: place.position.or(Some((1, 1))) },
    }
}

/// Physical location, if the location has a file.
fn physical(place: &Location, root: &Root) -> Map<String, Value> {
    let mut map = Map::new();
    let Some(file) = &place.file else { return map };
    let name = root.relative(file);
    let mut artifact = json!({"uri": uri(&name)});
    if let Some(artifact) = artifact.as_object_mut().filter(|_| !name.starts_with('/')) {
        artifact.insert("uriBaseId".to_owned(), "%SRCROOT%".into());
    }
    let mut physical = json!({"artifactLocation": artifact});
    if let (Some(physical), Some((line, column))) = (physical.as_object_mut(), place.position) {
        physical.insert("region".to_owned(), json!({"startLine": line, "startColumn": column}));
    }
    map.insert("physicalLocation".to_owned(), physical);
    map
}

/// Encodes a path as a URI reference (RFC 3986, section 3.3); an absolute path becomes a `file://` URI.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{Root, uri};

    #[test]
    fn files_are_named_from_the_root() {
        let root = Root::new("/src/repo".into(), "/src/repo/deploy".into());
        for (file, name) in [
            ("web.yaml", "deploy/web.yaml"),
            ("./a/../web.yaml", "deploy/web.yaml"),
            ("../base/web.yaml", "base/web.yaml"),
            ("/src/repo/x.yaml", "x.yaml"),
            ("../../other/x.yaml", "/src/other/x.yaml"),
        ] {
            assert_eq!(root.relative(file), name);
        }
    }

    #[test]
    fn names_are_percent_encoded() {
        assert_eq!(uri("a b/é%.yaml"), "a%20b/%C3%A9%25.yaml");
        assert_eq!(uri("/a/b"), "file:///a/b");
    }
}
