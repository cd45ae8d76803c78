//! Reads values from config files that are not YAML: sections in brackets, blocks in braces, `key value`, `key =
//! value`.

use super::objects::inside;

/// Returns the value at a path such as `webhook.port`, `INPUT.Port` or `server.listen`; outer blocks may be omitted.
/// `server block` is the name of the first block.
pub(crate) fn setting(text: &str, path: &str) -> Option<String> {
    match inside(text, path) {
        Some(serde_json::Value::String(text)) => return Some(text),
        Some(serde_json::Value::Null) | None => {}
        Some(other) => return Some(other.to_string()),
    }
    let all = statements(text);
    if path == "server block" {
        let header = all.iter().find_map(|one| one.blocks.first())?;
        return Some(header.rsplit(':').next().unwrap_or_default().to_owned());
    }
    all.iter().find(|one| one.is_at(path)).map(|one| one.value.clone()).filter(|value| !value.is_empty())
}

/// `key value` in blocks.
#[derive(Debug, Default)]
struct Statement {
    blocks: Vec<String>,
    key: String,
    value: String,
}

impl Statement {
    fn is_at(&self, path: &str) -> bool {
        let own = self.blocks.iter().chain([&self.key]).map(String::as_str).collect::<Vec<_>>().join(".");
        let (own, path) = (own.to_ascii_lowercase(), path.to_ascii_lowercase());
        own.strip_suffix(&path).is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
    }
}

fn statements(text: &str) -> Vec<Statement> {
    let (mut found, mut section, mut blocks) = (Vec::new(), None::<String>, Vec::<String>::new());
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with(['#', ';']) || line.starts_with("//") {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            section = Some(name.trim_matches(['[', ']', ' ']).to_owned());
            continue;
        }
        let mut rest = line.replace("${", "$(");
        while !rest.is_empty() {
            let end = rest.find(['{', '}', ';']).unwrap_or(rest.len());
            let words = words(&rest[..end]);
            let opens = rest[end..].starts_with('{');
            if let Some((key, values)) = words.split_first() {
                let outer: Vec<String> = section.iter().cloned().chain(blocks.iter().cloned()).collect();
                let value = values.first().cloned().unwrap_or_default();
                found.push(Statement { blocks: outer, key: key.clone(), value });
            }
            if opens {
                blocks.push(words.join("."));
            } else if rest[end..].starts_with('}') {
                blocks.pop();
            }
            rest = rest.get(end + 1..).unwrap_or_default().to_owned();
        }
    }
    found
}

/// Splits a text at blanks and equal signs, without quotes and commas.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == '=').map(|word| word.trim_matches(['"', '\'', ',']));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
