//! What an object is, seen from its lines before it is read: enough to say how much of it has to be.

use super::objects::{Found, Part};
use crate::yaml::NodeRef;

/// Group and kind of an object whose lines show them, with the text that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head<'t> {
    /// `apiVersion` without the version.
    pub group: &'t str,
    /// `kind`
    pub kind: &'t str,
    /// All that may be read as the object, and perhaps more.
    pub text: &'t str,
}

impl<'t> Head<'t> {
    /// The head of the only object of a unit; none where its lines leave a doubt, or where it is a list of objects.
    pub(super) fn of(text: &'t str, part: Part) -> Option<Self> {
        let dash = match part {
            Part::Document => "",
            Part::Item { .. } => "-",
            Part::JsonItem { .. } => return None,
        };
        let first = text.lines().find(|line| !line.starts_with("---") && !is_blank(line))?;
        let indent = first.len() - first.trim_start_matches(' ').len();
        let behind = first.get(indent..)?.strip_prefix(dash)?;
        let column = first.len() - behind.trim_start_matches(' ').len();
        let entry = |key: &str| value(text, column, key);
        let (api_version, kind) = (entry("apiVersion:")?, entry("kind:")?);
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        (!kind.ends_with("List")).then_some(Self { group, kind, text })
    }

    /// Whether a unit that was read holds one object, and it is what its lines have shown: they may have shown a key of a text, or the first
    /// of two.
    pub(super) fn is_of(self, found: &[Found<'_, '_>]) -> bool {
        let [found] = found else { return false };
        let text = |key: &str| found.node.get(key).and_then(NodeRef::text).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
        (group, text("kind")) == (self.group, self.kind)
    }
}

fn is_blank(line: &str) -> bool {
    matches!(line.trim_ascii_start().bytes().next(), None | Some(b'#'))
}

/// The plain word behind the first key like this that stands at a column.
fn value<'t>(text: &'t str, column: usize, key: &str) -> Option<&'t str> {
    let mut values = text.match_indices(key).filter_map(|(at, _)| {
        let line = text.get(..at)?.rfind('\n').map_or(0, |line_break| line_break + 1);
        let before = text.get(line..at)?;
        let is_entry = before.len() == column && before.bytes().all(|byte| byte == b' ' || byte == b'-');
        text.get(at + key.len()..)?.lines().next().filter(|_| is_entry)
    });
    let value = values.next()?.strip_prefix(' ')?.trim_ascii();
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./-".contains(&byte));
    (is_word && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::list_frame::ListKind;

    #[test]
    fn the_head_is_what_the_lines_show() {
        let head = |text: &'static str| {
            let item = Part::Item { number: 1, list: ListKind::List };
            let head =
                Head::of(text, if text.starts_with('-') && !text.starts_with("---") { item } else { Part::Document })?;
            Some((head.group, head.kind))
        };
        assert_eq!(head("---\n# c\napiVersion: apps/v1\nkind: Deployment\n"), Some(("apps", "Deployment")));
        assert_eq!(head("apiVersion: v1\ndata:\n  kind: A\nkind: ConfigMap\n"), Some(("", "ConfigMap")));
        assert_eq!(head("- apiVersion: v1\n  kind: Pod\n  spec:\n    kind: B\n"), Some(("", "Pod")));
        assert_eq!(head("-   kind: Pod\n    apiVersion: v1\n"), Some(("", "Pod")));
        for doubtful in [
            "{apiVersion: v1, kind: Pod}",
            "apiVersion: v1\nkind: 'Pod'\n",
            "apiVersion: v1\nkind: Pod # c\n",
            "apiVersion: v1\nkind:\n  Pod\n",
            "apiVersion: v1\nkind: PodList\n",
            "kind: Pod\n",
            "- kind: Pod\n",
            "",
        ] {
            assert_eq!(head(doubtful), None, "{doubtful}");
        }
    }
}
