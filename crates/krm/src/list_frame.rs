//! What is left of a list when its items are taken out: small enough to be read as a whole.

use std::ops::Range;

use lossless_yaml::{Kind, NodeRef, Splice, Tree};

/// The text around the items, with one number in their place.
#[derive(Debug)]
pub(super) struct ListFrame {
    text: String,
    /// Where the items are in the whole input.
    gap: Range<usize>,
    /// Where the document starts in the whole input.
    base: usize,
    /// Where the number and what belongs to it stand in `text`.
    stand_in: Range<usize>,
}

impl ListFrame {
    /// Cuts the bytes `gap` out of `document`. Both are ranges of the input.
    ///
    /// The stand-in has the indentation, the dash and the line end of the items, so that an edit sees the same style.
    pub(super) fn new(input: &str, document: Range<usize>, gap: Range<usize>, json: bool) -> Option<Self> {
        let head = input.get(document.start..gap.start)?;
        let items = input.get(gap.clone())?;
        let tail = input.get(gap.end..document.end)?;
        let stand_in = if json {
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
        let text = [head, &stand_in, tail].concat();
        let at = head.len()..head.len() + stand_in.len();
        Some(Self { text, gap, base: document.start, stand_in: at })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a byte of the shell is in the input.
    fn offset(&self, offset: usize) -> usize {
        if offset <= self.stand_in.start { self.base + offset } else { offset - self.stand_in.end + self.gap.end }
    }

    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        self.offset(range.start)..self.offset(range.end)
    }

    /// Edits of the shell as those of the input; an error when one would touch the items.
    pub(super) fn splices(&self, splices: Vec<Splice>) -> Result<Vec<Splice>, String> {
        let whole = |splice: Splice| {
            let Range { start, end } = splice.range;
            let free = end <= self.stand_in.start || start >= self.stand_in.end;
            let range = self.range(splice.range);
            if free {
                Ok(Splice { range, text: splice.text })
            } else {
                Err("internal error: items would change".to_owned())
            }
        };
        splices.into_iter().map(whole).collect()
    }

    /// The kind of a list whose items are really what was taken out: the key `items` of the root, given once. None
    /// when that is not so, and the document has to be read as a whole.
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
            && self.stand_in.contains(&element.start())
            && element.span().end <= self.stand_in.end;
        if here { ListKind::of(kind) } else { None }
    }
}

/// The value of a key that is given exactly once.
fn only<'t, 's>(mapping: NodeRef<'t, 's>, key: &str) -> Option<NodeRef<'t, 's>> {
    let mut found = mapping.entries().filter(|(k, _)| k.text() == Some(key));
    let (_, value) = found.next()?;
    found.next().is_none().then_some(value)
}

/// The kinds whose items are objects by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    /// `kind: ResourceList`
    ResourceList,
    /// `kind: List`
    List,
}

impl ListKind {
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "ResourceList" => Some(Self::ResourceList),
            "List" => Some(Self::List),
            _ => None,
        }
    }
}
