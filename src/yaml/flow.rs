//! New entries in flow collections, and entries that go.

use std::borrow::Cow;

use super::draft::Drafts;
use super::lines;
use super::node::NodeRef;
use super::op::{EditError, Place};
use super::path::Path;
use super::scalar::Quote;
use super::shape::{self, Entry};
use super::value::Value;
use super::write::{self, FlowLayout};

/// A flow collection that is changed.
pub(super) struct Flow<'d, 't, 's> {
    drafts: &'d mut Drafts<'t, 's>,
    text: &'s str,
    entries: Vec<Entry<'t, 's>>,
    collection: NodeRef<'t, 's>,
    layout: FlowLayout,
}

impl<'d, 't, 's> Flow<'d, 't, 's> {
    pub(super) fn new(
        drafts: &'d mut Drafts<'t, 's>,
        collection: NodeRef<'t, 's>,
        entries: Vec<Entry<'t, 's>>,
        path: &Path,
    ) -> Result<Self, EditError> {
        let text = drafts.text;
        if !collection.raw().ends_with(['}', ']']) || !collection.raw().starts_with(['{', '[']) {
            let line = drafts.tree.line(collection.start());
            let why = "it is a single pair inside of a flow sequence; put it in braces";
            return Err(EditError::Unsupported { path: path.clone(), line, why });
        }
        Ok(Self { drafts, text, entries, collection, layout: shape::flow_layout(collection) })
    }

    /// Inserts keys; those that end up at one place keep their order.
    pub(super) fn add(&mut self, adds: &[(&str, &Value, &Place)], gone: &[usize]) {
        let mut behind: Vec<(usize, Vec<String>)> = Vec::new();
        let mut above: Vec<(usize, Vec<String>)> = Vec::new();
        for (key, value, place) in adds {
            let text = write::flow_entry(key, value, self.layout);
            let (list, index) = match self.spot(place, gone) {
                (index, true) => (&mut above, index),
                (index, false) => (&mut behind, index),
            };
            match list.iter_mut().find(|(at, _)| *at == index) {
                Some((_, texts)) => texts.push(text),
                None => list.push((index, vec![text])),
            }
        }
        for (index, texts) in above {
            self.insert_above(index, &texts);
        }
        for (index, texts) in behind {
            self.insert_behind(index, &texts);
        }
    }

    /// Appends elements.
    pub(super) fn append(&mut self, values: &[&Value]) {
        let quote = shape::quote_of_elements(self.collection);
        let quote = if quote == Quote::Needed && self.layout.json { Quote::Double } else { quote };
        let texts: Vec<String> = values.iter().map(|value| self.element(value, quote)).collect();
        self.insert_behind(self.entries.len().saturating_sub(1), &texts);
    }

    fn element(&self, value: &Value, quote: Quote) -> String {
        match value {
            Value::Str(_) => write::flow(value, quote, self.layout),
            _ => write::flow(value, Quote::Needed, self.layout),
        }
    }

    /// The entry next to a new one, and whether the new one goes above it.
    fn spot(&self, place: &Place, gone: &[usize]) -> (usize, bool) {
        let there = |wanted: &Cow<'static, str>| {
            let is = |entry: &Entry<'_, '_>| entry.key.and_then(NodeRef::text) == Some(wanted);
            self.entries.iter().position(is).filter(|index| !gone.contains(index))
        };
        let single = |index: usize| self.entries.get(index).is_some_and(|entry| entry.is_single_line(self.text));
        if let Some(index) = place.after.iter().filter_map(there).find(|&index| single(index)) {
            return (index, false);
        }
        if let Some(index) = place.before.iter().find_map(there) {
            return (index, true);
        }
        let kept = (0..self.entries.len()).rev().filter(|index| !gone.contains(index));
        let last = kept.clone().next().unwrap_or_default();
        (kept.into_iter().find(|&index| single(index)).unwrap_or(last), false)
    }

    fn insert_above(&mut self, index: usize, texts: &[String]) {
        let Some(entry) = self.entries.get(index).copied() else { return };
        if lines::starts_line(self.text, entry.start) {
            let break_and_blanks = self.new_line(entry.start);
            let floor = index.checked_sub(1).and_then(|index| self.entries.get(index)).map_or(0, |before| before.end);
            let top = shape::comment_block_above(self.text, entry.start, floor.max(self.collection.span().start));
            let blanks = lines::part(self.text, lines::line_start(self.text, entry.start)..entry.start);
            let line_break = lines::break_around(self.text, entry.start);
            let text: String = texts.iter().map(|text| format!("{blanks}{text},{line_break}")).collect();
            if top < self.collection.span().start {
                let text: String = texts.iter().map(|text| format!("{text},{break_and_blanks}")).collect();
                self.drafts.replace(entry.start..entry.start, text);
            } else {
                self.drafts.replace(top..top, text);
            }
        } else {
            let text: String = texts.iter().map(|text| format!("{text}{}", self.layout.comma())).collect();
            self.drafts.replace(entry.start..entry.start, text);
        }
    }

    fn insert_behind(&mut self, index: usize, texts: &[String]) {
        let Some(entry) = self.entries.get(index).copied() else { return };
        let comma = self.comma_behind(index);
        let own_line = lines::starts_line(self.text, entry.start);
        let rest = comma.map_or(entry.end, |comma| comma + 1);
        if !own_line || !lines::ends_line(self.text, rest) {
            // Where lines are used at all, the bracket's own line keeps its bracket.
            let line =
                if own_line { format!(",{}", self.new_line(entry.start)) } else { self.layout.comma().to_owned() };
            let text: String = texts.iter().map(|text| format!("{line}{text}")).collect();
            let blank = if lines::part(self.text, 0..entry.end).ends_with(':') { " " } else { "" };
            self.drafts.replace(entry.end..entry.end, format!("{blank}{text}"));
            return;
        }
        let new_line = self.new_line(entry.start);
        let end = lines::line_end(self.text, rest);
        let mut text = String::new();
        for (position, new) in texts.iter().enumerate() {
            text.push_str(&new_line);
            text.push_str(new);
            if comma.is_some() || position + 1 < texts.len() {
                text.push(',');
            }
        }
        if comma.is_none() {
            self.drafts.replace(entry.end..entry.end, ",");
        }
        self.drafts.replace(end..end, text);
    }

    /// A line break and the blanks before an entry that starts its line.
    fn new_line(&self, start: usize) -> String {
        let blanks = lines::part(self.text, lines::line_start(self.text, start)..start);
        format!("{}{blanks}", lines::break_around(self.text, start))
    }

    fn comma_behind(&self, index: usize) -> Option<usize> {
        let entry = self.entries.get(index)?;
        let until = self.entries.get(index + 1).map_or(self.collection.span().end, |next| next.start);
        lines::find_outside_comments(self.text, entry.end, until, b",")
    }

    /// Removes some entries, but not all.
    pub(super) fn remove(&mut self, gone: &[usize]) {
        let last_kept = (0..self.entries.len()).rev().find(|index| !gone.contains(index));
        for &index in gone {
            let Some(entry) = self.entries.get(index).copied() else { continue };
            let comma = self.comma_behind(index);
            let rest = comma.map_or(entry.end, |comma| comma + 1);
            let is_tail = last_kept.is_some_and(|last| index > last);
            if lines::starts_line(self.text, entry.start) && lines::ends_line(self.text, rest) {
                let lines = lines::line_start(self.text, entry.start)..lines::next_line(self.text, rest);
                self.drafts.replace(lines, "");
                // Without a comma behind the removed last entry, the one before it has to lose its own.
                let alone = is_tail && Some(index) == last_kept.map(|last| last + 1);
                let ends_without = self.comma_behind(self.entries.len() - 1).is_none();
                if let Some(comma) =
                    last_kept.filter(|_| alone && ends_without).and_then(|last| self.comma_behind(last))
                {
                    self.drafts.replace(comma..comma + 1, "");
                }
                continue;
            }
            let kept_before = (0..index).rev().any(|before| !gone.contains(&before));
            let range =
                match (index.checked_sub(1).and_then(|index| self.entries.get(index)), self.entries.get(index + 1)) {
                    (Some(before), _) if kept_before => before.end..entry.end,
                    (_, Some(next)) => entry.start..next.start,
                    _ => entry.start..rest,
                };
            self.drafts.replace(range, "");
        }
    }
}
