//! Properties of flow collections, in JSON and in YAML's flow style: many layouts, and many edits at once. A reader
//! that shares no code with the crate provides the expected values.

use lossless_yaml::{KeyPosition, NodeRef, Op, Path, Tree, Value, edit_text};
use proptest::prelude::*;
use serde_json::Value as Meaning;

/// The style of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    /// YAML's flow style, as a document or as the value of a key.
    Flow {
        inside: bool,
    },
}

/// A value before it is written: indices of the sources of scalars and keys, and the edits.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The new value.
    set: Option<Value>,
    gone: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar(usize),
    /// The entries, and new keys with the existing entries before and after them.
    Map(Vec<(usize, Node)>, Vec<(Value, usize, usize)>),
    Seq(Vec<Node>, Vec<Value>),
}

/// Scalars, each in JSON and in YAML's flow style.
pub(crate) const SCALARS: [(&str, &str); 14] = [
    ("8080", "8080"),
    ("\"http\"", "http"),
    ("\"a\\/b \\uD83E\\uDD80\"", "'it''s'"),
    ("null", "~"),
    ("null", ""),
    ("true", "true"),
    ("-1.5e3", "1.5"),
    ("\"x, y: [z] # no \\\"comment\\\"\"", "\"x, y: [z] # no \\\"comment\\\"\""),
    ("\"\"", "''"),
    ("\"\\u0000\\n\"", "\"\\0\\n\""),
    ("\"é🦀\"", "é 🦀"),
    ("{}", "{}"),
    ("[]", "[]"),
    ("\"--port=8080\"", "--port=8080"),
];

/// Keys; the keys of a mapping are distinct.
pub(crate) const KEYS: [(&str, &str); 6] = [
    ("\"name\"", "name"),
    ("\"y\"", "'y'"),
    ("\"\\u0061 b\"", "a b"),
    ("\"null\"", "\"null\""),
    ("\"1\"", "'1'"),
    ("\"\"", "\"\""),
];

pub(crate) fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u16>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        prop::sample::select(vec![
            "http",
            "8080",
            "yes",
            "a, b",
            "{",
            "",
            "# c",
            "x: y",
            "\u{85}\"\\",
            "a\nb",
            "-",
            "?"
        ])
        .prop_map(Value::from),
        Just(Value::Map(vec![("k".into(), "v".into()), ("l".into(), Value::Seq(vec![Value::Null, "w".into()]))])),
        Just(Value::Seq(Vec::new())),
        Just(Value::Map(Vec::new())),
    ]
}

pub(crate) fn node() -> impl Strategy<Value = Node> {
    let seldom = || prop::option::weighted(0.12, values());
    let gone = || prop::bool::weighted(0.25);
    let scalar = (0..SCALARS.len(), seldom(), gone()).prop_map(|(scalar, set, gone)| Node {
        kind: Kind::Scalar(scalar),
        set,
        gone,
    });
    scalar.prop_recursive(4, 30, 5, move |inner| {
        let keys = prop::sample::subsequence((0..KEYS.len()).collect::<Vec<_>>(), 1..5);
        let new = prop::collection::vec((values(), 0..KEYS.len(), 0..KEYS.len()), 0..3);
        let entries = (keys, prop::collection::vec(inner.clone(), 5))
            .prop_map(|(keys, nodes)| keys.into_iter().zip(nodes).collect());
        let map = (entries, new).prop_map(|(entries, new)| Kind::Map(entries, new));
        let items = (prop::collection::vec(inner, 1..5), prop::collection::vec(values(), 0..3));
        let seq = items.prop_map(|(items, new)| Kind::Seq(items, new));
        (prop_oneof![map, seq], prop::option::weighted(0.04, values()), gone()).prop_map(|(kind, set, gone)| Node {
            kind,
            set,
            gone,
        })
    })
}

pub(crate) fn document() -> impl Strategy<Value = Node> {
    node().prop_filter_map("a collection", |node| {
        let node = Node { set: None, gone: false, ..node };
        (!matches!(node.kind, Kind::Scalar(_))).then_some(node)
    })
}

/// Choices of the writer, from a seed.
pub(crate) struct Writer {
    form: Form,
    seed: u64,
    /// Indentation of all lines except the first.
    indent: &'static str,
    commas_lead: bool,
    dense: bool,
    line_break: &'static str,
    comments: usize,
    out: String,
}

impl Writer {
    fn roll(&mut self, sides: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % sides
    }

    /// Writes blanks, line breaks, and comments if allowed.
    fn gap(&mut self, depth: usize) {
        if self.dense {
            return;
        }
        match self.roll(6) {
            0 | 1 => {}
            2 => {
                let tab = self.form == Form::Json && self.roll(4) == 0;
                self.out.push(if tab { '\t' } else { ' ' });
            }
            3 if self.form != Form::Json => {
                self.comments += 1;
                let comment = format!(" # c{}", self.comments);
                self.out.push_str(&comment);
                self.new_line(depth);
            }
            _ => self.new_line(depth),
        }
    }

    fn new_line(&mut self, depth: usize) {
        if self.roll(8) == 0 {
            self.out.push_str(self.line_break);
        }
        self.out.push_str(self.line_break);
        let step = if self.form == Form::Json && self.roll(4) == 0 { "\t" } else { "  " };
        self.out.push_str(self.indent);
        self.out.push_str(&step.repeat(depth));
    }

    fn comma(&mut self, depth: usize) {
        if self.commas_lead {
            self.gap(depth);
        }
        self.out.push(',');
        if !self.commas_lead || self.roll(2) == 0 {
            self.gap(depth);
        }
        // In YAML's flow style, a comma and the following text could form one word.
        if self.form != Form::Json && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
        }
    }

    fn source(&self, (json, flow): (&'static str, &'static str)) -> &'static str {
        if self.form == Form::Json { json } else { flow }
    }

    fn write(&mut self, node: &Node, depth: usize) {
        let (open, close, count) = match &node.kind {
            Kind::Scalar(scalar) => {
                let source = self.source(SCALARS[*scalar]);
                self.out.push_str(source);
                return;
            }
            Kind::Map(entries, _) => ('{', '}', entries.len()),
            Kind::Seq(items, _) => ('[', ']', items.len()),
        };
        self.out.push(open);
        self.gap(depth + 1);
        for index in 0..count {
            if index > 0 {
                self.comma(depth + 1);
            }
            match &node.kind {
                Kind::Map(entries, _) => {
                    let (key, value) = &entries[index];
                    let source = self.source(KEYS[*key]);
                    self.out.push_str(source);
                    if self.form == Form::Json {
                        self.gap(depth + 1);
                    }
                    self.out.push(':');
                    if self.form == Form::Json {
                        self.gap(depth + 1);
                    } else {
                        self.out.push(' ');
                    }
                    self.write(value, depth + 1);
                }
                // YAML has no empty elements.
                Kind::Seq(items, _) if matches!(items[index].kind, Kind::Scalar(4)) => self.out.push_str("null"),
                Kind::Seq(items, _) => self.write(&items[index], depth + 1),
                Kind::Scalar(_) => {}
            }
        }
        if self.form != Form::Json && self.roll(6) == 0 {
            self.out.push(',');
        }
        self.gap(depth);
        self.out.push(close);
    }
}

pub(crate) fn write(node: &Node, form: Form, seed: u64) -> String {
    let inside = form == (Form::Flow { inside: true });
    let mut writer = Writer {
        form,
        seed,
        indent: if inside { "   " } else { "" },
        commas_lead: seed.is_multiple_of(3),
        dense: seed.is_multiple_of(7),
        line_break: if seed.is_multiple_of(5) { "\r\n" } else { "\n" },
        comments: 0,
        out: String::new(),
    };
    writer.write(node, 0);
    let line_break = if seed.is_multiple_of(11) { "" } else { writer.line_break };
    let (head, tail) = match inside {
        true => (format!("# top{0}above: 1{0}key: ", writer.line_break), format!(" # end{line_break}")),
        false => (String::new(), line_break.to_owned()),
    };
    format!("{head}{}{tail}", writer.out)
}

/// All edits, in the order of the text.
pub(crate) fn ops(node: &Node, path: &Path, out: &mut Vec<Op>) {
    if node.gone {
        out.push(Op::Remove { path: path.clone() });
        return;
    }
    if let Some(value) = &node.set {
        out.push(Op::Set { path: path.clone(), value: value.clone() });
        return;
    }
    match &node.kind {
        Kind::Scalar(_) => {}
        Kind::Map(entries, new) => {
            for (key, value) in entries {
                ops(value, &path.key(name(*key)), out);
            }
            for (number, (value, after, before)) in new.iter().enumerate() {
                let place = KeyPosition { after: vec![name(*after).into()], before: vec![name(*before).into()] };
                out.push(Op::Add { parent: path.clone(), key: format!("new {number}"), value: value.clone(), place });
            }
        }
        Kind::Seq(items, new) => {
            for (index, item) in items.iter().enumerate() {
                ops(item, &path.item(index), out);
            }
            out.extend(new.iter().map(|value| Op::Append { sequence: path.clone(), value: value.clone() }));
        }
    }
}

pub(crate) fn name(key: usize) -> String {
    serde_json::from_str(KEYS[key].0).unwrap()
}

pub(crate) fn meaning(value: &Value) -> Meaning {
    match value {
        Value::Null => Meaning::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Str(text) | Value::Raw(text) => text.as_str().into(),
        Value::Seq(items) => items.iter().map(meaning).collect(),
        Value::Map(entries) => entries.iter().map(|(key, value)| (key.clone(), meaning(value))).collect(),
    }
}

/// The expected value of a node, before or after its edits.
pub(crate) fn meant(node: &Node, form: Form, after: bool) -> Meaning {
    if let Some(value) = node.set.as_ref().filter(|_| after) {
        return meaning(value);
    }
    let stays = |node: &Node| !(after && node.gone);
    match &node.kind {
        Kind::Scalar(scalar) if form == Form::Json => serde_json::from_str(SCALARS[*scalar].0).unwrap(),
        Kind::Scalar(scalar) => serde_yaml::from_str(SCALARS[*scalar].1).unwrap(),
        Kind::Map(entries, new) => {
            let kept = entries.iter().filter(|(_, value)| stays(value));
            let kept = kept.map(|(key, value)| (name(*key), meant(value, form, after)));
            let new = new.iter().enumerate().filter(|_| after);
            kept.chain(new.map(|(number, (value, ..))| (format!("new {number}"), meaning(value)))).collect()
        }
        Kind::Seq(items, new) => {
            let kept = items.iter().filter(|item| stays(item)).map(|item| meant(item, form, after));
            kept.chain(new.iter().filter(|_| after).map(meaning)).collect()
        }
    }
}

pub(crate) fn read(text: &str, form: Form) -> Result<Meaning, String> {
    match form {
        Form::Json => serde_json::from_str(text).map_err(|error| error.to_string()),
        Form::Flow { inside } => {
            let value: Meaning = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
            Ok(if inside { value["key"].clone() } else { value })
        }
    }
}

pub(crate) fn forms() -> impl Strategy<Value = Form> {
    prop_oneof![3 => Just(Form::Json), 1 => Just(Form::Flow { inside: false }), 1 => Just(Form::Flow { inside: true })]
}

pub(crate) fn root(form: Form) -> Path {
    if form == (Form::Flow { inside: true }) { Path::root().key("key") } else { Path::root() }
}

/// Applies all edits of a document at once.
pub(crate) fn holds(node: &Node, form: Form, seed: u64) -> Result<(), TestCaseError> {
    let text = write(node, form, seed);
    prop_assert_eq!(read(&text, form), Ok(meant(node, form, false)), "the generator itself: {}", text);
    let mut all = Vec::new();
    ops(node, &root(form), &mut all);
    let edited = edit_text(&text, 0, &Path::root(), &all);
    prop_assert!(edited.is_ok(), "{}\n{:?}\n{}", edited.unwrap_err(), all, text);
    let edited = edited.unwrap();
    prop_assert_eq!(read(&edited, form), Ok(meant(node, form, true)), "{:?}\n{}\n->\n{}", all, text, edited);
    if form == Form::Json {
        prop_assert!(Tree::parse(&edited).unwrap().is_json());
    }
    let crlf = text.contains("\r\n");
    prop_assert!(!crlf || !edited.replace("\r\n", "").contains('\n'), "{}\n->\n{}", text, edited);
    prop_assert!(crlf || !edited.contains('\r'), "{}\n->\n{}", text, edited);
    prop_assert_eq!(edited.ends_with('\n'), text.ends_with('\n'));
    // Additions, and new values for scalars, keep all comments. Removals do not remove comment lines.
    let comments = |text: &str| text.matches(" # c").count();
    if !all.iter().any(|op| matches!(op, Op::Remove { .. } | Op::Set { .. })) {
        prop_assert_eq!(comments(&edited), comments(&text), "{}\n->\n{}", text, edited);
    }
    Ok(())
}

/// Typing mistakes in JSON.
pub(crate) const DAMAGE: [&str; 24] = [
    "", ",", ":", "{", "}", "[", "]", "\"", "\\", "/", "\\u", "\\ud83e", "\\udd80", "\\u0041", "1", "-", ".5", "e3",
    "null", " ", "\n", "\u{7f}", "\u{85}", "'",
];

/// The value of a JSON tree; the last of duplicate keys wins, as in the other reader.
pub(crate) fn messages(node: NodeRef<'_, '_>) -> Meaning {
    if node.is_mapping() {
        node.entries().map(|(key, value)| (key.text().unwrap().to_owned(), messages(value))).collect()
    } else if node.is_sequence() {
        node.items().map(messages).collect()
    } else if node.raw().starts_with('"') {
        node.text().unwrap().into()
    } else {
        serde_json::from_str(node.raw()).unwrap()
    }
}

pub(crate) fn nodes(tree: &Tree<'_>, offset: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<_> = tree.roots().collect();
    while let Some(node) = open.pop() {
        let span = node.span();
        found.push(format!("{:?} {} {} {:?}", node.kind(), span.start - offset, span.end - offset, node.text()));
        open.extend(node.children());
    }
    found
}
