//! Variables that other texts of a container expand.

use std::collections::{BTreeSet, HashSet};
use std::ops::Bound;

use crate::model::pod::Container;
use crate::model::text::is_loopback_end;

/// Names after `$`, `$(` and `${` in words and values.
#[derive(Debug)]
pub(in crate::model) struct Expanded {
    /// Names of complete references, with a closing bracket: `$(PORT)`.
    whole: BTreeSet<String>,
    /// Names with any continuation: `$PORT`, `${PORT:-80}`.
    starts: BTreeSet<String>,
}

impl Expanded {
    pub(in crate::model) fn for_container(container: &Container) -> Self {
        let mut found = Self { whole: BTreeSet::new(), starts: BTreeSet::new() };
        for text in texts(container) {
            for (at, _) in text.match_indices('$') {
                let rest = text.get(at + 1..).unwrap_or_default();
                if let Some(inside) = rest.strip_prefix('(') {
                    let name = start(inside);
                    if inside.get(name.len()..).is_some_and(|rest| rest.starts_with(')')) {
                        found.whole.insert(name.to_owned());
                    }
                } else {
                    found.starts.insert(start(rest.strip_prefix('{').unwrap_or(rest)).to_owned());
                }
            }
        }
        found
    }

    /// True if another text expands the variable.
    pub(in crate::model) fn has(&self, name: &str) -> bool {
        let after = self.starts.range::<str, _>((Bound::Included(name), Bound::Unbounded)).next();
        self.whole.contains(name) || after.is_some_and(|start| start.starts_with(name))
    }
}

/// Words, values, and the commands of probes and hooks, in which the kubelet also expands variables.
fn texts(container: &Container) -> impl Iterator<Item = &str> {
    let values = container.env.iter().filter_map(|var| var.value);
    let execs = container.execs.iter().flat_map(|(_, command)| command).map(String::as_str);
    container.words().map(|(.., text)| text).chain(values).chain(execs)
}

/// Variables that are the port of a loopback address in a text: `curl http://localhost:$(PORT)/healthz`.
pub(super) fn ports_of_loopback(container: &Container) -> HashSet<String> {
    let names = texts(container).flat_map(|text| {
        text.match_indices('$').filter_map(|(at, _)| {
            let rest = text.get(at + 1..)?;
            let name = start(rest.strip_prefix(['(', '{']).unwrap_or(rest));
            is_loopback_end(text.get(..at)?).then(|| name.to_owned())
        })
    });
    names.collect()
}

/// Start of a text that may be the name of a variable.
fn start(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
