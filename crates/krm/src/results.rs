//! Results of a ResourceList.

use std::borrow::Borrow;

use lossless_yaml::{KeyPosition, Kind, NodeRef, Op, Path, Splice, Tree, Value};

/// Returns the replacements that append entries to `results` if [`ResultsAppend`] is not applicable.
pub(super) fn append(text: &str, entries: impl IntoIterator<Item: Borrow<Value>>) -> Result<Vec<Splice>, String> {
    let mut entries = entries.into_iter().peekable();
    if entries.peek().is_none() {
        return Ok(Vec::new());
    }
    let tree = Tree::parse(text).map_err(|error| error.to_string())?;
    let root = tree.root(0).ok_or("the list is gone")?;
    match root.get_without_merge_keys("results") {
        None => {
            let place = KeyPosition { after: vec!["functionConfig".into(), "items".into()], before: Vec::new() };
            let value = Value::Seq(entries.map(|entry| entry.borrow().clone()).collect());
            edit(root, &[Op::Add { parent: Path::root(), key: "results".to_owned(), value, place }])
        }
        Some(results) if results.is_sequence() || results.is_null() => {
            let sequence = Path::root().key("results");
            let append = |value: &Value| Op::Append { sequence: sequence.clone(), value: value.clone() };
            edit(root, &entries.map(|entry| append(entry.borrow())).collect::<Vec<_>>())
        }
        Some(_) => Err("the input has `results` that are not a sequence".to_owned()),
    }
}

/// Edits of the envelope's text.
fn edit(root: NodeRef<'_, '_>, ops: &[Op]) -> Result<Vec<Splice>, String> {
    let splices = lossless_yaml::edit(root, ops).map_err(|error| error.to_string())?;
    lossless_yaml::verify(root, ops, &lossless_yaml::splice(root.tree().text(), &splices))
        .map_err(|error| error.to_string())?;
    Ok(splices)
}

/// Fast path for results that can be appended at the end of the text: there are no results yet, or
/// they are the last entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResultsAppend {
    column: usize,
    line_break: &'static str,
    /// True if the list already has results.
    begun: bool,
}

impl ResultsAppend {
    /// Returns the fast path if a key or an element of `results` can be appended to the text: a
    /// block mapping at column 0 with a complete last line, in a text that can be edited.
    pub(super) fn read(text: &str, root: NodeRef<'_, '_>) -> Option<Self> {
        let column_0 =
            text.get(..root.start()).is_none_or(|before| before.is_empty() || before.ends_with(['\n', '\u{feff}']));
        let closed = text.starts_with("...") || text.contains("\n...");
        let block = root.kind() == Kind::Mapping { flow: false };
        if !block || !column_0 || closed || !text.ends_with('\n') || root.tree().go_parse_error().is_some() {
            return None;
        }
        let results = root.get_without_merge_keys("results");
        if let Some(results) = results {
            let last = root.entries_without_aliases().last().is_some_and(|(_, value)| value == results);
            if !last || results.kind() != (Kind::Sequence { flow: false }) {
                return None;
            }
        }
        let column = results.or_else(|| root.get_without_merge_keys("items")).map_or(0, |list| dash_column(text, list));
        let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Some(Self { column, line_break, begun: results.is_some() })
    }

    /// Appends without parsing the text again, which for many results would take as long as the rest
    /// of the run. A key at column 0 after a block mapping at column 0 is always a new entry,
    /// because continuation lines are indented deeper. The same holds for a dash at the column of
    /// the dashes of the last value.
    ///
    /// Returns one small replacement per result, so that each can reuse the memory of its result; a
    /// single large text would need additional memory.
    pub(super) fn append(self, end: usize, entries: impl IntoIterator<Item: Borrow<Value>>) -> Vec<Splice> {
        let mut splices = Vec::new();
        for entry in entries {
            let first = splices.is_empty() && !self.begun;
            let mut lines = if first { format!("results:{}", self.line_break) } else { String::new() };
            lossless_yaml::push_element(&mut lines, entry.borrow(), self.column, self.line_break);
            lines.shrink_to_fit();
            splices.push(Splice { range: end..end, text: lines });
        }
        splices
    }
}

/// Returns the column of the dashes of a block sequence; 0 for any other node.
fn dash_column(text: &str, sequence: NodeRef<'_, '_>) -> usize {
    let start = sequence.children().next().map_or(0, NodeRef::start);
    if sequence.kind() != (Kind::Sequence { flow: false }) {
        return 0;
    }
    // The element may begin on a line after its dash.
    let lines = text.get(..start).unwrap_or_default().rsplit('\n');
    let columns = lines.map(|line| (line.len() - line.trim_start_matches(' ').len(), line));
    let dash = columns.into_iter().find(|(column, line)| line.get(*column..).is_some_and(|rest| rest.starts_with('-')));
    dash.map_or(0, |(column, _)| column)
}

#[cfg(test)]
mod tests {
    use super::ResultsAppend;
    use lossless_yaml::{Tree, Value, splice};

    /// A second run would refuse the list that the first run extended.
    #[test]
    fn no_results_are_added_to_a_text_that_go_refuses() {
        let text = "apiVersion: config.kuberne\u{2028}tes.io/v1\nkind: ResourceList\nitems: []\n";
        assert!(ResultsAppend::read(text, Tree::parse(text).unwrap().root(0).unwrap()).is_none());
        let why = super::append(text, [Value::Null]).unwrap_err();
        assert!(why.contains("Go's YAML reader reads this character"), "{why}");
    }

    /// Dashes that are alone on their line, at any depth, with comments below them.
    #[test]
    fn results_are_added_below_a_dash_that_is_alone() {
        for list in [
            "-\n  message: a\n",
            "  -\n    message: a\n",
            "-\n  # - x\n  message: a\n",
            "-\n  - a\n",
            "- - a\n",
            "- message: b\n-\n   message: a\n",
        ] {
            let text = format!("kind: ResourceList\nitems: []\nresults:\n{list}");
            let added = splice(&text, &super::append(&text, [Value::Int(1)]).unwrap());
            let value = Tree::parse(&added).unwrap().root(0).unwrap().to_value().unwrap();
            let Some(Value::Seq(results)) = value.get("results") else { panic!("{added}") };
            assert_eq!(results.last(), Some(&Value::Int(1)), "{added}");
        }
    }

    /// Every way in which the last value of an envelope can end.
    #[test]
    fn results_below_any_value_leave_it_as_it_is() {
        let ends = [
            "a: b\n",
            "a: b\n  c\n",
            "a:\n",
            "a: ~\n",
            "a: |\n  x\n",
            "a: |+\n  x\n\n\n",
            "a: >-\n  x\n  y\n",
            "a: 'x\n\n  y'\n",
            "a: \"x\\\n  y\"\n",
            "a: [b,\n  c]\n",
            "a: {b: c}\n",
            "a:\n- b\n",
            "a:\n- - b\n- c: d\n  e:\n",
            "a: &x b # comment\n",
            "a: *x\n",
            "? a\n: b\n",
            "? a\n",
            "\"a\": b\n# comment\n",
            "a: b\n   # comment\n\n",
            "a: !!str\n",
        ];
        let result = Value::Map(vec![("message".into(), "a: b # c\n- d".into()), ("severity".into(), "info".into())]);
        for end in ends {
            let text = format!("kind: ResourceList\nitems:\n- kind: Pod\nanchor: &x 1\n{end}");
            let old = Tree::parse(&text).unwrap();
            let below = ResultsAppend::read(&text, old.root(0).unwrap()).unwrap();
            let new = splice(&text, &below.append(text.len(), [&result, &result]));
            let new_tree = Tree::parse(&new).unwrap();
            let entries = |tree: &Tree<'_>| -> Vec<(String, String)> {
                let root = tree.root(0).unwrap();
                root.entries().map(|(key, value)| (key.raw().to_owned(), value.raw().to_owned())).collect()
            };
            let (mut expected, mut found) = (entries(&old), entries(&new_tree));
            let (key, _) = found.pop().unwrap();
            assert_eq!(key, "results", "{end:?}");
            // The trailing line breaks of a block scalar with `+` are part of its raw text in both cases.
            for list in [&mut expected, &mut found] {
                for (_, value) in list.iter_mut() {
                    *value = value.trim_end().to_owned();
                }
            }
            assert_eq!(found, expected, "{end:?}");
            let results = new_tree.root(0).unwrap().get("results").unwrap();
            assert_eq!(results.items().count(), 2, "{end:?}");
            assert_eq!(results.items().next().unwrap().get("message").unwrap().text(), Some("a: b # c\n- d"));
            // Two more results: same text as from an edit.
            let below = ResultsAppend::read(&new, new_tree.root(0).unwrap()).unwrap();
            let edited = super::append(&new, [&result, &result]).unwrap();
            assert_eq!(splice(&new, &below.append(new.len(), [&result, &result])), splice(&new, &edited), "{end:?}");
        }
    }
}
