//! Generated manifests in JSON with any layout: the output is JSON with the same values as from YAML, a second run
//! changes nothing, and unchanged parts keep their bytes.

use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize as _;
use serde_json::Value;

use crate::properties::Apply;
use crate::properties::manifest::{self, State};
use crate::properties::model::Scenario;
use crate::support::dice::Dice;

/// The wire form of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Single,
    List,
    Array,
    Values,
    Stream,
    /// JSON documents between YAML documents.
    Mixed,
    /// JSON items in a YAML list.
    Items,
}

/// The places of blanks and line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Dense,
    Line,
    Pretty,
    LeadingCommas,
    /// Any whitespace anywhere.
    Wild,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    form: Form,
    style: Style,
    step: &'static str,
    crlf: bool,
    mark: bool,
    final_newline: bool,
}

pub(crate) fn layout() -> impl Strategy<Value = Layout> {
    use Form::{Array, Items, List, Mixed, Single, Stream, Values};
    use Style::{Dense, LeadingCommas, Line, Pretty, Wild};
    let odds = proptest::bool::weighted;
    (
        select(vec![Single, List, Array, Values, Stream, Mixed, Items]),
        select(vec![Dense, Line, Pretty, LeadingCommas, Wild]),
        select(vec!["  ", "    ", "\t", " "]),
        (odds(0.2), odds(0.1), odds(0.8)),
    )
        .prop_map(|(form, style, step, (crlf, mark, final_newline))| {
            // Tabs are not indentation in YAML.
            let step = if form == Form::Items { "  " } else { step };
            Layout { form, style, step, crlf, mark, final_newline }
        })
}

struct Writer<'a> {
    layout: Layout,
    dice: &'a mut Dice,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        // An item of a YAML list is indented more than its dash.
        let base = if self.layout.form == Form::Items { "  " } else { "" };
        self.out.push_str(base);
        self.out.push_str(&self.layout.step.repeat(depth));
    }

    /// Writes the space between a bracket or a comma and an entry.
    fn gap(&mut self, depth: usize, behind_comma: bool) {
        match self.layout.style {
            Style::Dense => {}
            Style::Line if behind_comma => self.out.push(' '),
            Style::Line => {}
            Style::Pretty => self.line(depth),
            Style::LeadingCommas if behind_comma => self.out.push(' '),
            Style::LeadingCommas => self.line(depth),
            Style::Wild => self.wild(depth),
        }
    }

    fn wild(&mut self, depth: usize) {
        match self.dice.roll(7) {
            0 => self.out.push(' '),
            1 => self.line(depth),
            2 => {
                self.line(depth);
                self.line(depth);
            }
            3 => self.out.push_str(if self.layout.form == Form::Items { "  " } else { " \t" }),
            _ => {}
        }
    }

    fn comma(&mut self, depth: usize) {
        match self.layout.style {
            Style::LeadingCommas => self.line(depth),
            Style::Wild => self.wild(depth),
            _ => {}
        }
        self.out.push(',');
        self.gap(depth, true);
    }

    fn text(&mut self, text: &str) {
        let plain = Value::from(text).to_string();
        if !self.layout.escapes() {
            self.out.push_str(&plain);
            return;
        }
        // Writes the text with unnecessary escapes.
        for c in plain.chars() {
            let inside = c.is_ascii_lowercase() && !self.out.ends_with('\\');
            match c {
                '/' if self.dice.one_in(2) => self.out.push_str("\\/"),
                c if inside && self.dice.one_in(60) => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => self.out.push(c),
            }
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(entries) if !entries.is_empty() => {
                self.out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        self.comma(depth + 1);
                    } else {
                        self.gap(depth + 1, false);
                    }
                    self.text(key);
                    // YAML needs a key and its colon on one line.
                    if self.layout.style == Style::Wild && self.layout.escapes() {
                        self.wild(depth + 2);
                    }
                    self.out.push(':');
                    match self.layout.style {
                        Style::Dense => {}
                        Style::Wild => self.wild(depth + 2),
                        _ => self.out.push(' '),
                    }
                    self.value(value, depth + 1);
                }
                self.gap(depth, false);
                self.out.push('}');
            }
            Value::Array(items) if !items.is_empty() => {
                self.out.push('[');
                for (index, value) in items.iter().enumerate() {
                    if index > 0 {
                        self.comma(depth + 1);
                    } else {
                        self.gap(depth + 1, false);
                    }
                    self.value(value, depth + 1);
                }
                self.gap(depth, false);
                self.out.push(']');
            }
            Value::String(text) => self.text(text),
            scalar => self.out.push_str(&scalar.to_string()),
        }
    }
}

impl Layout {
    /// True if the text may contain syntax that only JSON has.
    fn escapes(self) -> bool {
        self.form != Form::Items
    }

    fn write(self, value: &Value, dice: &mut Dice) -> String {
        let mut writer = Writer { layout: self, dice, out: String::new() };
        writer.value(value, 0);
        writer.out
    }

    fn input(self, objects: &[Value], dice: &mut Dice) -> String {
        let list = |items: &[Value]| serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items});
        let each = |dice: &mut Dice| objects.iter().map(|object| self.write(object, dice)).collect::<Vec<_>>();
        let text = match self.form {
            Form::Single => self.write(&objects[0], dice),
            Form::List => self.write(&list(objects), dice),
            Form::Array => self.write(&Value::Array(objects.to_vec()), dice),
            Form::Values => each(dice).join("\n"),
            Form::Stream => each(dice).join("\n---\n"),
            Form::Mixed => {
                format!("# top\nkind: A # b\napiVersion: v1\n---\n{}\n---\nno: object", each(dice).join("\n---\n"))
            }
            Form::Items => {
                let items = each(dice).iter().map(|item| format!("- {item} # c\n")).collect::<String>();
                format!("kind: List\napiVersion: v1\nitems: # all\n{}", items.trim_end())
            }
        };
        let mark = if self.mark { "\u{feff}" } else { "" };
        let text = format!("{mark}{text}{}", if self.final_newline { "\n" } else { "" });
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// The objects of a text, parsed by a JSON reader.
    fn read(self, text: &str) -> Result<Vec<Value>, String> {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let all = |text: &str| {
            let values = serde_json::Deserializer::from_str(text).into_iter();
            values.collect::<Result<Vec<Value>, _>>().map_err(|error| format!("{error}: {text}"))
        };
        match self.form {
            Form::Single | Form::Values => all(&text),
            Form::Array => Ok(all(&text)?.remove(0).as_array().cloned().unwrap_or_default()),
            Form::List => Ok(all(&text)?.remove(0)["items"].as_array().cloned().unwrap_or_default()),
            Form::Stream | Form::Mixed => {
                let documents = text.split("\n---\n").filter(|document| !document.contains("no: object"));
                let json = documents.filter(|document| !document.starts_with('#')).map(all);
                Ok(json.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
            }
            Form::Items => {
                let (_, items) = text.split_once("items: # all\n").ok_or("the head is gone")?;
                let items = items.strip_prefix("- ").ok_or("the first dash is gone")?.split("\n- ");
                let json = items.map(|item| all(item.trim_end().strip_suffix("# c").unwrap_or_default()));
                Ok(json.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
            }
        }
    }
}

/// The tokens of a text; the blanks of a line are a single token.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let until = |ends: &dyn Fn(char) -> bool| {
            rest[first.len_utf8()..].find(ends).map_or(rest.len(), |at| at + first.len_utf8())
        };
        let length = match first {
            '"' => {
                let escaped = std::cell::Cell::new(false);
                until(&|c| {
                    let ends = c == '"' && !escaped.get();
                    escaped.set(c == '\\' && !escaped.get());
                    ends
                }) + 1
            }
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            c if c.is_whitespace() => until(&|c| !c.is_whitespace() || c == '\n'),
            _ => until(&|c| "{}[],:\"".contains(c) || c.is_whitespace()),
        };
        let (token, after) = rest.split_at(length.min(rest.len()));
        found.push(token);
        rest = after;
    }
    found
}

/// Asserts that removed tokens are numbers, texts with a number, or words of pod fields, and that all other tokens
/// stay, blanks included.
fn bytes_stay(before: &str, after: &str) -> Result<(), TestCaseError> {
    let (old, new) = (tokens(before), tokens(after));
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new) {
        for token in &old[op.old_range()] {
            let word = ["true", "false", "\"ClusterFirst\""].contains(token);
            let number = token.contains(|c: char| c.is_ascii_digit());
            // The diff may report either of two equal tokens as removed.
            let again =
                new.iter().filter(|new| *new == token).count() >= old.iter().filter(|old| *old == token).count();
            prop_assert!(word || number || again, "{token:?} is gone");
        }
    }
    Ok(())
}

/// The output of a run over the same objects in YAML.
fn in_yaml(apply: Apply, config: &str, objects: &[Value]) -> Vec<Value> {
    let documents: Vec<String> = objects.iter().map(|object| serde_yaml::to_string(object).unwrap()).collect();
    let run = apply(config, &documents.join("---\n"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_yaml::Deserializer::from_str(&run.text()).map(|document| Value::deserialize(document).unwrap()).collect()
}

pub(crate) fn holds(apply: Apply, scenario: &Scenario, layout: Layout) -> Result<(), TestCaseError> {
    let mut objects = manifest::objects(scenario, State::Before);
    if layout.form == Form::Single {
        // A workload without its Service and ConfigMap.
        objects = objects
            .into_iter()
            .filter(|object| object["kind"] != "Service" && object["kind"] != "ConfigMap")
            .take(1)
            .collect();
    }
    let config = manifest::config(scenario);
    let mut dice = Dice::new(scenario.seed);
    let input = layout.input(&objects, &mut dice);
    prop_assert_eq!(layout.read(&input), Ok(objects.clone()), "the generator itself: {}", input);
    let run = apply(&config, &input);
    let context = format!("\n{config}\n=== input\n{input}\n=== stderr\n{}", run.stderr);
    // Targets of the missing workloads match nothing, and the config ignores that.
    prop_assert_eq!(run.code, Some(0), "{}", context);
    let output = run.text();
    let context = format!("{context}\n=== output\n{output}");
    prop_assert_eq!(layout.read(&output), Ok(in_yaml(apply, &config, &objects)), "{}", context);
    prop_assert_eq!(layout.final_newline, output.ends_with('\n'), "final newline{}", context);
    prop_assert_eq!(layout.mark, output.starts_with('\u{feff}'), "byte order mark{}", context);
    prop_assert!(!layout.crlf || !output.replace("\r\n", "").contains('\n'), "a lone LF{}", context);
    prop_assert!(layout.crlf || !output.contains('\r'), "a CR{}", context);
    bytes_stay(&input, &output).map_err(|error| TestCaseError::fail(format!("{error}{context}")))?;
    let second = apply(&config, &output);
    prop_assert_eq!(second.code, Some(0), "second run: {}{}", second.stderr, context);
    prop_assert!(second.text() == output, "second run{}\n=== again\n{}", context, second.text());
    Ok(())
}
