//! Writes a value as YAML in the styles of people and generators: block and flow mixed, indented and compact sequences,
//! three quote styles, comments on their own line and after values, blank lines, CRLF. A seed decides.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::support::dice::Dice;

/// One document, without its separator.
pub(crate) fn document(value: &Value, dice: &mut Dice) -> String {
    let mut writer = Writer { out: String::new(), comments: 0, plain: dice.one_in(6), dice };
    match value {
        Value::Object(map) => writer.mapping(map, 0, false),
        other => {
            let text = writer.flow(other);
            writer.out.push_str(&text);
            writer.out.push('\n');
        }
    }
    writer.out
}

struct Writer<'a> {
    out: String,
    comments: usize,
    /// No flow style and no comments, like `kubectl get -o yaml`.
    plain: bool,
    dice: &'a mut Dice,
}

impl Writer<'_> {
    fn spaces(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// Ends a line, at times with a comment, whose number equals a port and must not change.
    fn end(&mut self) {
        if !self.plain && self.dice.one_in(9) {
            self.comments += 1;
            let number = 8000 + self.dice.roll(12);
            let _ = write!(self.out, " # c{} {number}", self.comments);
        }
        self.out.push('\n');
    }

    /// Writes optional blank lines and comments above a key or an item.
    fn above(&mut self, indent: usize) {
        if self.plain {
            return;
        }
        if self.dice.one_in(14) {
            self.out.push('\n');
        }
        if self.dice.one_in(10) {
            self.comments += 1;
            let number = 8000 + self.dice.roll(12);
            self.spaces(indent);
            let _ = writeln!(self.out, "# c{} containerPort: {number}", self.comments);
        }
    }

    /// A block mapping; `inside` if its first key follows a dash on the same line.
    fn mapping(&mut self, map: &Map<String, Value>, indent: usize, inside: bool) {
        for (index, (key, value)) in map.iter().enumerate() {
            if index > 0 || !inside {
                self.above(indent);
                self.spaces(indent);
            }
            let key = self.scalar(key, false);
            self.out.push_str(&key);
            self.out.push(':');
            self.child(value, indent, true);
        }
    }

    fn sequence(&mut self, items: &[Value], indent: usize) {
        for item in items {
            self.above(indent);
            self.spaces(indent);
            self.out.push('-');
            match item {
                Value::Object(map) if !map.is_empty() && !self.goes_flow() => {
                    if !self.plain && self.dice.one_in(8) {
                        self.end();
                        self.mapping(map, indent + 2, false);
                    } else {
                        self.out.push(' ');
                        self.mapping(map, indent + 2, true);
                    }
                }
                other => self.child(other, indent, false),
            }
        }
    }

    /// A value after `key:` or `-`, up to the end of its last line.
    fn child(&mut self, value: &Value, indent: usize, may_be_compact: bool) {
        let empty = value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
        match value {
            Value::Object(map) if !empty && !self.goes_flow() => {
                self.end();
                let deeper = if self.dice.one_in(5) { 4 } else { 2 };
                self.mapping(map, indent + deeper, false);
            }
            Value::Array(items) if !empty && !self.goes_flow() => {
                self.end();
                let deeper = if may_be_compact && self.dice.one_in(2) { 0 } else { 2 };
                self.sequence(items, indent + deeper);
            }
            Value::String(text) if text.contains('\n') && self.dice.one_in(2) => {
                self.out.push_str(" |-\n");
                for line in text.lines() {
                    self.spaces(indent + 2);
                    self.out.push_str(line);
                    self.out.push('\n');
                }
            }
            other => {
                let text = self.flow(other);
                let gap = if !self.plain && self.dice.one_in(12) { "  " } else { " " };
                self.out.push_str(gap);
                self.out.push_str(&text);
                self.end();
            }
        }
    }

    fn goes_flow(&mut self) -> bool {
        !self.plain && self.dice.one_in(6)
    }

    /// A value on one line.
    fn flow(&mut self, value: &Value) -> String {
        let pad = if self.dice.one_in(3) { " " } else { "" };
        match value {
            Value::Object(map) if map.is_empty() => "{}".to_owned(),
            Value::Array(items) if items.is_empty() => "[]".to_owned(),
            Value::Object(map) => {
                let pairs: Vec<_> = map
                    .iter()
                    .map(|(key, value)| format!("{}: {}", self.scalar(key, true), self.flow(value)))
                    .collect();
                format!("{{{pad}{}{pad}}}", pairs.join(", "))
            }
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{pad}{}{pad}]", items.join(", "))
            }
            Value::String(text) => self.scalar(text, true),
            other => other.to_string(),
        }
    }

    /// A string in one of the styles that keep it a string.
    fn scalar(&mut self, text: &str, in_flow: bool) -> String {
        let mut letters = text.chars();
        let starts_well = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || "/-".contains(first));
        let body = |letter: char| letter.is_ascii_alphanumeric() || "-_./=".contains(letter);
        let colon = |letter: char| letter == ':' && !text.ends_with(':') && !in_flow;
        let reads_as_other = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text);
        let plain =
            starts_well && letters.all(|letter| body(letter) || colon(letter)) && !reads_as_other && text != "-";
        if text.contains('\n') {
            return format!("\"{}\"", text.replace('\n', "\\n"));
        }
        match self.dice.roll(if plain { 5 } else { 2 }) {
            0 => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            1 => format!("'{}'", text.replace('\'', "''")),
            _ => text.to_owned(),
        }
    }
}
