//! The text of a list without its items, small enough to be parsed at once.

use std::ops::Range;

use lossless_yaml::{Kind, NodeRef, Splice, Tree};

/// The text around the items, with a placeholder number instead of them.
#[derive(Debug)]
pub(super) struct ListFrame {
    text: String,
    /// Range of the items in the input.
    gap: Range<usize>,
    /// Offset of the document in the input.
    base: usize,
    /// Range in `text` of the placeholder with its indentation, dash and line end.
    placeholder: Range<usize>,
}

impl ListFrame {
    /// Cuts the bytes `gap` out of `document`; both are ranges of the input.
    ///
    /// The placeholder has the indentation, the dash and the line end of the items, so that an edit
    /// sees the same style.
    pub(super) fn new(input: &str, document: Range<usize>, gap: Range<usize>, json: bool) -> Option<Self> {
        let head = input.get(document.start..gap.start)?;
        let items = input.get(gap.clone())?;
        let tail = input.get(gap.end..document.end)?;
        let placeholder = if json {
            "0".to_owned()
        } else {
            let indent = items.bytes().take_while(|&b| b == b' ').count();
            let end = match items {
                items if items.ends_with("\r\n") => "\r\n",
                items if items.ends_with('\n') => "\n",
                _ => "",
            };
            format!("{:indent$}- 0{end}", "")
        };
        let text = [head, &placeholder, tail].concat();
        let at = head.len()..head.len() + placeholder.len();
        Some(Self { text, gap, base: document.start, placeholder: at })
    }

    /// Text of the list with a placeholder instead of its items.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Converts an offset of `text` to an offset of the input.
    fn offset(&self, offset: usize) -> usize {
        if offset <= self.placeholder.start { self.base + offset } else { offset - self.placeholder.end + self.gap.end }
    }

    /// Converts a range of `text` to a range of the input.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        self.offset(range.start)..self.offset(range.end)
    }

    /// Converts edits of `text` to edits of the input; an error if an edit touches the items.
    pub(super) fn splices(&self, splices: Vec<Splice>) -> Result<Vec<Splice>, String> {
        let whole = |splice: Splice| {
            let Range { start, end } = splice.range;
            let free = end <= self.placeholder.start || start >= self.placeholder.end;
            let range = self.range(splice.range);
            if free {
                Ok(Splice { range, text: splice.text })
            } else {
                Err("internal error: items would change".to_owned())
            }
        };
        splices.into_iter().map(whole).collect()
    }

    /// Returns the kind of the list if the cut text was the value of the root's only `items` key.
    /// `None` otherwise: the document has to be parsed as a whole.
    pub(super) fn list_kind(&self, tree: &Tree<'_>) -> Option<ListKind> {
        let mut roots = tree.roots();
        let root = roots.next().filter(|_| roots.next().is_none())?;
        if !root.is_mapping() || root.kind() == Kind::Alias {
            return None;
        }
        let kind = only(root, "kind")?.text()?;
        let items = only(root, "items")?;
        let mut elements = items.children();
        let element = elements.next().filter(|_| elements.next().is_none())?;
        let here = items.kind() != Kind::Alias
            && items.is_sequence()
            && self.placeholder.contains(&element.start())
            && element.span().end <= self.placeholder.end;
        if here { ListKind::from_kind(kind) } else { None }
    }
}

/// Returns the value of a key that occurs exactly once.
fn only<'t, 's>(mapping: NodeRef<'t, 's>, key: &str) -> Option<NodeRef<'t, 's>> {
    let mut found = mapping.entries_without_merge_keys().filter(|(k, _)| k.text() == Some(key));
    let (_, value) = found.next()?;
    found.next().is_none().then_some(value)
}

/// List kinds whose items are independent objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// `kind: ResourceList`
    ResourceList,
    /// `kind: List`
    List,
}

impl ListKind {
    pub(super) fn from_kind(kind: &str) -> Option<Self> {
        match kind {
            "ResourceList" => Some(Self::ResourceList),
            "List" => Some(Self::List),
            _ => None,
        }
    }
}
