//! Tabs that YAML 1.2 allows and Go's parser rejects: at the start of a line or entry of a block. Both allow tabs after
//! a value, in brackets, in quotes and in comments.

use crate::lines;
use crate::node::NodeRef;
use crate::tree::{Kind, ParseError, Style, Tree};

impl Tree<'_> {
    /// Returns an error at the first tab that Go's parser rejects.
    pub(super) fn refused_tab(&self) -> Option<ParseError> {
        let why = "Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, \
                   use double quotes and \\t";
        self.first_tab(true).map(|at| ParseError::refused(self.text, at, why))
    }

    /// Returns an error at the first tab that Go's parser accepts only after certain text, such as a plain scalar.
    pub(crate) fn tab_refused_after_edit(&self) -> Option<ParseError> {
        let starts_line =
            || self.text.match_indices('\t').map(|(at, _)| at).find(|&at| lines::starts_line(self.text, at));
        let why = "Go's YAML reader would refuse this tab after the edit: remove it";
        self.first_tab(false).or_else(starts_line).map(|at| ParseError::refused(self.text, at, why))
    }

    /// Offset of the first tab that Go's YAML parser refuses.
    fn first_tab(&self, plain_takes: bool) -> Option<usize> {
        if !self.text.contains('\t') {
            return None;
        }
        let flows = self.outer_flows();
        // Start of the gap after the last node with text. A gap contains indicators, anchors, tags, comments and white
        // space.
        let (mut plain, mut from) = (None, 0);
        for node in self.all_nodes() {
            let span = node.span();
            if !matches!(node.kind(), Kind::Scalar(_) | Kind::Alias) || span.is_empty() {
                continue;
            }
            let found =
                self.refused_tab_between(plain, from..span.start, &flows).or_else(|| refused_tab_in_scalar(node));
            if found.is_some() {
                return found;
            }
            (plain, from) =
                (Some(node).filter(|node| plain_takes && node.kind() == Kind::Scalar(Style::Plain)), span.end);
        }
        self.refused_tab_between(plain, from..self.text.len(), &flows)
    }

    /// Returns the ranges of the flow collections that are not inside of another flow collection.
    fn outer_flows(&self) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for node in self.all_nodes() {
            let flow = matches!(node.kind(), Kind::Mapping { flow: true } | Kind::Sequence { flow: true });
            if flow && found.last().is_none_or(|&(_, end)| end <= node.span().start) {
                found.push((node.span().start, node.span().end));
            }
        }
        found
    }

    /// Returns the first rejected tab between two nodes. `plain` is the first node if it is a plain scalar.
    fn refused_tab_between(
        &self,
        plain: Option<NodeRef<'_, '_>>,
        gap: std::ops::Range<usize>,
        flows: &[(usize, usize)],
    ) -> Option<usize> {
        let part = lines::part(self.text, gap.clone());
        if !part.contains('\t') {
            return None;
        }
        let in_flow = |at: usize| {
            let index = flows.partition_point(|&(start, _)| start < at);
            index.checked_sub(1).and_then(|index| flows.get(index)).is_some_and(|&(_, end)| at < end)
        };
        // Go's parser reads the white space after a plain scalar as part of it until other text follows.
        let mut plain = plain.map(margin);
        let start = lines::line_start(self.text, gap.start);
        let mut line = Line { start, indicator: None, blank: start == gap.start };
        let (mut comment, mut last) = (false, self.text.get(..gap.start).and_then(|text| text.chars().next_back()));
        for (offset, c) in part.char_indices() {
            let at = gap.start + offset;
            match c {
                '\n' | '\r' => {
                    line = Line { start: at + 1, indicator: None, blank: true };
                    comment = false;
                }
                _ if comment => {}
                '\t' if line.blank => {
                    let refused = match plain {
                        Some(margin) => at - line.start < margin,
                        None => !in_flow(at),
                    };
                    if refused {
                        return Some(at);
                    }
                }
                '\t' if line.indicator.is_some() && !in_flow(at) => return Some(at),
                ' ' | '\t' | '\u{feff}' => {}
                '#' if last.is_none_or(|c| c.is_ascii_whitespace()) => (comment, plain) = (true, None),
                _ => {
                    // A `:` starts an entry only at the start of a line, after a `?` key.
                    let starts = last.is_none_or(|c| c.is_ascii_whitespace()) && (c != ':' || line.blank);
                    line.indicator = (starts && matches!(c, '-' | '?' | ':')).then_some(c);
                    (line.blank, plain) = (false, None);
                }
            }
            last = Some(c);
        }
        None
    }
}

/// State of a line in a gap, up to the current offset.
struct Line {
    start: usize,
    /// Indicator of an entry, if it is the last text so far: `-`, `?`, or the `:` after a `?` key.
    indicator: Option<char>,
    /// True if the line has only white space so far.
    blank: bool,
}

/// Returns the first column (from 0) at which a continuation line of a plain scalar may have a tab: after the column of
/// the surrounding block collection.
fn margin(node: NodeRef<'_, '_>) -> usize {
    let block = std::iter::successors(node.parent(), |node| node.parent())
        .find(|node| matches!(node.kind(), Kind::Mapping { flow: false } | Kind::Sequence { flow: false }));
    block.map_or(0, |block| {
        let text = node.tree().text;
        let start = block.span().start;
        lines::part(text, lines::line_start(text, start)..start).chars().count() + 1
    })
}

/// Returns the first rejected tab in a scalar of several lines.
fn refused_tab_in_scalar(node: NodeRef<'_, '_>) -> Option<usize> {
    let raw = node.raw();
    if !raw.contains('\t') {
        return None;
    }
    // Margins of the second line, and of the lines after it.
    let (mut margin, then) = match node.kind() {
        Kind::Scalar(Style::Plain) => (Some(margin(node)), Some(margin(node))),
        Kind::Scalar(Style::Literal | Style::Folded) => {
            let written = raw.chars().take(3).find_map(|c| c.to_digit(10));
            let written = written.map(|deeper| margin(node).saturating_sub(1) + deeper as usize);
            (written.map(|column| column + 1), written)
        }
        _ => return None,
    };
    let mut start = lines::next_line(raw, 0);
    while start < raw.len() {
        let end = lines::next_line(raw, start);
        let line = lines::part(raw, start..end);
        let text = line.trim_start_matches([' ', '\t']);
        let blanks = lines::part(line, 0..line.len() - text.len());
        if let Some(tab) = blanks.find('\t').filter(|&tab| margin.is_none_or(|margin| tab < margin)) {
            return Some(node.span().start + start + tab);
        }
        // Without an indentation digit the first line with text determines the indentation.
        margin = then.or(margin).or((!text.trim_start().is_empty()).then_some(blanks.len()));
        start = end;
    }
    None
}
