//! JSON. YAML does not include all of it: keys of any length, a colon on a separate line, and characters that are not
//! printable in YAML. A JSON text is therefore parsed by the rules of JSON.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};

use super::decode;
use super::node::NodeRef;
use super::node_list::NodeList;
use super::tree::{Id, Kind, NESTING_LIMIT, Style, Tree};
use super::value::Value;

/// White space in JSON.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// True if a text is a JSON value.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

impl Value {
    /// True if JSON can represent the value. A raw value of another document must itself be JSON: `0.5` is, `${PORT}`
    /// is not. Raw values in quotes can be converted.
    pub fn fits_json(&self) -> bool {
        self.all_raw_scalars(&is_json)
    }

    /// True if all raw values without quotes satisfy a condition.
    pub(super) fn all_raw_scalars(&self, holds: &impl Fn(&str) -> bool) -> bool {
        match self {
            Self::Raw(raw) => decode::quoted(raw).is_some() || holds(raw),
            Self::Seq(items) => items.iter().all(|item| item.all_raw_scalars(holds)),
            Self::Map(entries) => entries.iter().all(|(_, value)| value.all_raw_scalars(holds)),
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Str(_) => true,
        }
    }
}

/// Parses a text that is a JSON object or array. Only a byte order mark, `---` and `...` are allowed around it. `None`
/// for any other text.
pub(super) fn read(text: &str) -> Option<Tree<'_>> {
    u32::try_from(text.len()).ok()?;
    let value = document(text)?;
    let mut list = NodeList::for_text(text.len());
    let mut at = value.start;
    while let Some(rest) = text.get(at..value.end).filter(|rest| !rest.is_empty()) {
        let first = rest.as_bytes().first()?;
        let length = match first {
            b'{' | b'[' if list.open().len() >= NESTING_LIMIT => return None,
            b'{' | b'[' => {
                let kind = if *first == b'{' { Kind::Mapping { flow: true } } else { Kind::Sequence { flow: true } };
                list.open_collection(kind, at..at + 1);
                1
            }
            b'}' | b']' => {
                list.close(Some(at + 1));
                1
            }
            b'"' => {
                let raw = rest.get(..string_end(rest)?)?;
                list.push_scalar(Style::DoubleQuoted, at..at + raw.len(), decoded(raw)?);
                raw.len()
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => 1,
            _ => {
                let length = rest.find([',', ':', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
                list.push_scalar(Style::Plain, at..at + length, rest.get(..length)?.into());
                length
            }
        };
        at += length;
    }
    Some(list.into_tree(text, Vec::new(), true))
}

/// Returns the range of the JSON value in a text.
fn document(text: &str) -> Option<Range<usize>> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let after_marker = json.strip_prefix("---").filter(|after| after.starts_with(BLANKS));
    let json = after_marker.unwrap_or(json).trim_start_matches(BLANKS);
    let start = text.len() - json.len();
    let json = json.trim_end_matches(BLANKS);
    let closed = json.strip_suffix("...").filter(|json| json.ends_with(['\n', '\r']));
    let json = closed.unwrap_or(json).trim_end_matches(BLANKS);
    (json.starts_with(['{', '[']) && is_json(json)).then(|| start..start + json.len())
}

/// Returns the length of a string that starts with its quote.
fn string_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += bytes.get(at..)?.iter().position(|&b| b == b'"' || b == b'\\')?;
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// Decodes a string; `None` for half a surrogate pair, which is not a character.
fn decoded(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(inner.into());
    }
    serde_json::from_str::<String>(raw).ok().map(Cow::Owned)
}

impl Tree<'_> {
    /// True if the text is JSON without any other YAML.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the outermost flow collections that are JSON: the document, or values in YAML that contain a
    /// double-quoted string. A list of numbers in YAML does not count, because it may be either.
    fn json_values(&self) -> &[Id] {
        let look = || {
            let flow = self.all_nodes().filter(|node| node.is_flow());
            let outermost = flow.filter(|node| !node.parent().is_some_and(NodeRef::is_flow));
            let json = outermost.filter(|node| (node.parent().is_none() || is_quoted(*node)) && is_json(node.raw()));
            json.map(|node| node.id).collect()
        };
        self.json_values.get_or_init(look)
    }
}

/// True if a collection contains a double-quoted string.
fn is_quoted(collection: NodeRef<'_, '_>) -> bool {
    let mut inside = (collection.id..collection.end_id()).map(|id| NodeRef { tree: collection.tree, id });
    inside.any(|node| node.kind() == Kind::Scalar(Style::DoubleQuoted))
}

/// Returns the outermost JSON collection of a node: the document, or a value in YAML. `None` if the node need not be
/// JSON.
pub(super) fn enclosing_json<'t, 's>(node: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
    let collection = if node.is_flow() { Some(node) } else { node.parent() };
    let flow = std::iter::successors(collection, |node| node.parent()).take_while(|node| node.is_flow());
    let outermost = flow.last()?;
    let tree = node.tree;
    (tree.json || tree.json_values().binary_search(&outermost.id).is_ok()).then_some(outermost)
}

/// True if a JSON parser reads the source of a node as the value that the tree contains. If that
/// parser stops because of its own limit of depth or number size, the source must still be valid
/// JSON.
pub(super) fn json_parser_agrees(node: NodeRef<'_, '_>) -> bool {
    let mut reader = serde_json::Deserializer::from_str(node.raw());
    match JsonComparison(node).deserialize(&mut reader).and_then(|()| reader.end()) {
        Ok(()) => true,
        Err(error) => error.is_syntax() && is_json(node.raw()),
    }
}

/// Compares JSON with a tree while parsing; the error is the first difference.
#[derive(Clone, Copy)]
struct JsonComparison<'t, 's>(NodeRef<'t, 's>);

impl JsonComparison<'_, '_> {
    /// Error unless the JSON value is the expected value.
    fn check<E: serde::de::Error>(self, same: bool, found: Unexpected<'_>) -> Result<(), E> {
        if same { Ok(()) } else { Err(E::invalid_value(found, &self)) }
    }

    /// True for a plain scalar that `is` accepts.
    fn is_plain(self, is: impl FnOnce(&str) -> bool) -> bool {
        self.0.kind() == Kind::Scalar(Style::Plain) && is(self.0.raw())
    }
}

impl<'de> DeserializeSeed<'de> for JsonComparison<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonComparison<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the tree says")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.check(self.is_plain(|raw| raw == "null"), Unexpected::Unit)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.check(self.is_plain(|raw| raw == if value { "true" } else { "false" }), Unexpected::Bool(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.check(self.is_plain(|raw| raw.parse() == Ok(value)), Unexpected::Unsigned(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.check(self.is_plain(|raw| raw.parse() == Ok(value)), Unexpected::Signed(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        // Both parsers may round differently in the last digits.
        let close = |own: f64| (own - value).abs() <= value.abs() * 1e-12;
        self.check(self.is_plain(|raw| raw.parse().is_ok_and(close)), Unexpected::Float(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        let same = self.0.kind() == Kind::Scalar(Style::DoubleQuoted) && self.0.text() == Some(value);
        self.check(same, Unexpected::Str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let is_sequence = matches!(self.0.kind(), Kind::Sequence { .. });
        for child in self.0.children().filter(|_| is_sequence) {
            self.check(elements.next_element_seed(JsonComparison(child))?.is_some(), Unexpected::Seq)?;
        }
        self.check(is_sequence && elements.next_element::<IgnoredAny>()?.is_none(), Unexpected::Seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        for (key, value) in self.0.entries_without_aliases() {
            self.check(entries.next_key_seed(JsonComparison(key))?.is_some(), Unexpected::Map)?;
            entries.next_value_seed(JsonComparison(value))?;
        }
        let is_mapping = matches!(self.0.kind(), Kind::Mapping { .. });
        self.check(is_mapping && entries.next_key::<IgnoredAny>()?.is_none(), Unexpected::Map)
    }
}
