//! Conversion of granit's events to a [`Tree`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle};

use super::aliases;
use super::fault::{ParserStop, fault};
use super::json;
use super::node_list::{NodeList, Open, offset};
use super::stand_in::StandIn;
use super::tree::{Id, Kind, NESTING_LIMIT, NONE, ParseError, ParseErrorKind, Style, Tree};

/// Returns a value of the parsed text as a value of the tree.
type OwnValue<'f, 't, 's> = &'f dyn Fn(Cow<'t, str>) -> Cow<'s, str>;

pub(super) struct Builder<'s> {
    text: &'s str,
    list: NodeList<'s>,
    aliases: Vec<Id>,
    /// Nodes with anchors, by granit's anchor number.
    anchors: HashMap<usize, Id>,
    /// End of the last token; the search for the indicators of the next node starts here.
    cursor: usize,
}

impl<'s> Builder<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, list: NodeList::for_text(text.len()), aliases: Vec::new(), anchors: HashMap::new(), cursor: 0 }
    }

    pub(super) fn run(self) -> Result<Tree<'s>, ParseError> {
        json::read(self.text).map_or_else(|| self.yaml(), Ok)
    }

    /// Reads the text as YAML, even if it is also JSON.
    pub(super) fn yaml(mut self) -> Result<Tree<'s>, ParseError> {
        if u32::try_from(self.text.len()).is_err() {
            return Err(ParseError::refused("", 0, "longer than 4 GiB: split it into several documents"));
        }
        let text = self.text;
        if let Err(error) = self.events(text, &|value| value) {
            let Some(stand_in) = StandIn::for_error(error.kind(), text) else { return Err(self.error(&error)) };
            self = Self::new(text);
            let read = self.events(&stand_in.text, &|value| Cow::Owned(value.into_owned()));
            read.map_err(|error| self.error(&error))?;
            stand_in.restore(text, &mut self.list.nodes);
        }
        let tree = self.list.into_tree(text, self.aliases, false);
        aliases::bound(&tree)?;
        Ok(tree)
    }

    /// Adds all nodes of a text with the same offsets; `own` returns a value of that text as one of the tree.
    fn events<'t>(&mut self, text: &'t str, own: OwnValue<'_, 't, 's>) -> Result<(), ScanError> {
        let mut options = Options::default();
        options.emit_anchor_events = true;
        options.flow_nesting_limit = NESTING_LIMIT;
        options.block_nesting_limit = NESTING_LIMIT;
        let mut parser = Parser::new_from_str_with_options(text, options);
        while let Some(next) = parser.next_event() {
            let (event, span) = next?;
            self.event(event, span, own);
        }
        Ok(())
    }

    /// Converts an error of granit.
    fn error(&self, error: &ScanError) -> ParseError {
        let offset = error.marker().byte_offset().unwrap_or(self.text.len()).min(self.text.len());
        let kind = match error.kind() {
            ErrorKind::UnknownAnchor => ParseErrorKind::UnknownAnchor,
            _ => ParseErrorKind::Other,
        };
        let open = self.list.open().iter().rev();
        let bracket = open.filter_map(|open| self.list.nodes.get(open.id as usize));
        let is_flow = |kind| matches!(kind, Kind::Sequence { flow: true } | Kind::Mapping { flow: true });
        let bracket = bracket.map(|node| (node.kind, node.span.0 as usize)).find(|(kind, _)| is_flow(*kind));
        let stopped =
            ParserStop { text: self.text, at: offset, read: self.cursor, bracket: bracket.map(|(_, start)| start) };
        if let Some((place, message)) = stopped.json_comment() {
            return ParseError { kind: ParseErrorKind::JsonComment, ..ParseError::refused(self.text, place, message) };
        }
        let (place, message) = fault(&stopped, error.kind(), &error.info());
        ParseError { kind, ..ParseError::refused(self.text, place, &message) }
    }

    /// Adds the node of a parser event.
    fn event<'t>(&mut self, event: Event<'t>, span: Span, own: OwnValue<'_, 't, 's>) {
        let range = span.byte_range().unwrap_or(self.cursor..self.cursor);
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                self.scalar(own(value), style, (anchor, tag.is_some()), &range, span);
            }
            Event::Alias(target) => {
                let id = self.push(Kind::Alias, range, Cow::Borrowed(""), (0, false), None);
                let target = self.anchors.get(&target).copied().unwrap_or(NONE);
                if let Some(node) = self.list.nodes.get_mut(id as usize) {
                    node.target = target;
                }
                self.aliases.push(id);
            }
            Event::SequenceStart(style, anchor, tag) => {
                let kind = Kind::Sequence { flow: style == StructureStyle::Flow };
                self.open(kind, range, (anchor, tag.is_some()), span);
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = Kind::Mapping { flow: style == StructureStyle::Flow };
                self.open(kind, range, (anchor, tag.is_some()), span);
            }
            Event::Anchor(..) => self.anchor(&range),
            Event::SequenceEnd | Event::MappingEnd => self.close(&range),
            // Without a marker, the range belongs to the next token, possibly the text of a block
            // scalar. Do not skip it: the search for the `|` of the block scalar must start before
            // it.
            Event::DocumentStart(true, _) | Event::DocumentEnd => {
                let marker = self.text.get(range.clone()).is_some_and(|text| text == "---" || text == "...");
                self.cursor = if marker { range.end } else { self.cursor };
            }
            _ => {}
        }
    }

    /// Adds a scalar, with the byte range that includes block headers and excludes empty values.
    fn scalar(
        &mut self,
        value: Cow<'s, str>,
        style: ScalarStyle,
        properties: (usize, bool),
        range: &Range<usize>,
        span: Span,
    ) {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        let empty = range.is_empty() && style == Style::Plain;
        // granit reports an empty scalar as `~`, like a written `~`; only the byte range differs.
        let value = if empty { Cow::Borrowed("") } else { value };
        let range = match style {
            Style::Literal | Style::Folded => self.block_header(range.start)..self.block_end(range.end),
            _ if empty => {
                let at = self.empty_place(range.start, properties);
                at..at
            }
            _ => range.clone(),
        };
        self.push(Kind::Scalar(style), range, value, properties, Some(span));
    }

    /// Returns the offset of an empty scalar: directly after its `:` or `-`. granit reports the offset of the colon, or
    /// the end of the line for a dash. With an anchor or a tag granit's offset is correct: after the anchor and tag.
    fn empty_place(&self, at: usize, properties: (usize, bool)) -> usize {
        if properties != (0, false) {
            return at;
        }
        match self.list.open().last() {
            Some(&Open { mapping: true, at_key: false, id, .. }) if self.is_colon(at, id) => at + 1,
            // In `[? a: , b]` the value is after the colon. Keys without a colon: `? key`, and `a` in `{a, b}`.
            Some(Open { mapping: true, at_key: false, .. }) => {
                // The span of a block scalar extends to the start of the next line.
                let start = self.list.nodes.last().map_or(0, |key| key.span.0 as usize);
                let key = super::lines::part(self.text, start..self.cursor).trim_end_matches(['\n', '\r']);
                self.find(self.cursor, at, b":").map_or(start + key.len(), |colon| colon + 1)
            }
            Some(Open { mapping: false, .. }) => self.find(self.cursor, at, b"-").map_or(at, |dash| dash + 1),
            _ => at,
        }
    }

    /// True if the `:` of a mapping is at an offset. In a block mapping `:a` is the text of the next key.
    fn is_colon(&self, at: usize, mapping: Id) -> bool {
        let block =
            self.list.nodes.get(mapping as usize).is_some_and(|node| node.kind == Kind::Mapping { flow: false });
        let joined = self.byte(at + 1).is_some_and(|b| !b.is_ascii_whitespace());
        self.byte(at) == Some(b':') && !(block && joined)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Opens a collection.
    fn open(&mut self, kind: Kind, range: Range<usize>, properties: (usize, bool), span: Span) {
        let mut range = range;
        // granit's span of a sequence at the column of its key starts after the first dash.
        if kind == (Kind::Sequence { flow: false }) && self.list.open().last().is_some_and(|open| open.mapping) {
            let dash = self.find(self.cursor, range.start, b"-").unwrap_or(range.start);
            range = dash..dash;
        }
        // Start the search for the first dash here, not before the anchor or tag.
        self.cursor = self.cursor.max(range.end);
        let start = range.start;
        let id = self.list.open_collection(kind, range);
        self.properties(id, start, properties, Some(span));
    }

    /// Extends the last node to the start of its anchor.
    fn anchor(&mut self, range: &Range<usize>) {
        if let Some(node) = self.list.nodes.last_mut() {
            node.start = node.start.min(offset(range.start));
        }
    }

    /// Adds a node to the open collection.
    fn push(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        value: Cow<'s, str>,
        properties: (usize, bool),
        span: Option<Span>,
    ) -> Id {
        self.cursor = self.cursor.max(range.end);
        let start = range.start;
        let id = self.list.push(kind, range, value);
        self.properties(id, start, properties, span);
        id
    }

    /// Records anchor and tag of a node whose value starts at `start`.
    fn properties(&mut self, id: Id, start: usize, (anchor, tagged): (usize, bool), span: Option<Span>) {
        if anchor == 0 && !tagged {
            return;
        }
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
        let tag = span.and_then(|span| span.tag_start).and_then(|mark| mark.byte_offset()).unwrap_or(start);
        if let Some(node) = self.list.nodes.get_mut(id as usize) {
            node.start = offset(start.min(tag));
            node.tagged = tagged;
            node.anchored = anchor > 0;
        }
    }

    /// Closes the open collection.
    fn close(&mut self, end: &Range<usize>) {
        let open = self.list.open().last().and_then(|open| self.list.nodes.get(open.id as usize));
        // The pair in `[a: b]` is a flow mapping without braces: its end event is empty.
        let flow =
            open.is_some_and(|node| matches!(node.kind, Kind::Sequence { flow: true } | Kind::Mapping { flow: true }));
        let bracket = (flow && !end.is_empty()).then_some(end.end);
        if let Some(end) = self.list.close(bracket) {
            self.cursor = self.cursor.max(end);
        }
    }

    /// Returns the offset of the `|` or `>` of a block scalar. granit's span starts at the text; between the preceding
    /// token and the text are only the indicator, punctuation, anchor, tag and comments.
    fn block_header(&self, content: usize) -> usize {
        self.find(self.cursor, content, b"|>").unwrap_or(content)
    }

    /// Returns the offset after the last line break of a block scalar; granit's span may include spaces before a
    /// comment.
    fn block_end(&self, end: usize) -> usize {
        if end < self.text.len() { super::lines::line_start(self.text, end) } else { end }
    }

    /// Returns the first of some characters outside of comments, anchors and tags.
    fn find(&self, from: usize, to: usize, wanted: &[u8]) -> Option<usize> {
        super::lines::find_outside_comments(self.text, from, to, wanted)
    }
}
