//! Images in texts of ConfigMaps, which may contain pod templates, and of Compositions, whose functions pull modules
//! from `oci://` URLs. A hint is not certain: no field declares the image as pulled.

use std::collections::BTreeSet;

use crate::model::Meta;
use lossless_yaml::NodeRef;
use oci::name::ImageRef;

/// The prefix of a reference to a module.
pub(super) const SCHEME: &str = "oci://";

/// Maximum number of hints kept per object.
const MAX_HINTS: usize = 100;

/// A text that may be an image.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hint {
    pub(super) image: String,
    /// True for a reference with `oci://`.
    pub(super) is_module: bool,
}

/// Reads the hints of an object.
pub(super) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> BTreeSet<Hint> {
    let field = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("", "ConfigMap") => "data",
        ("apiextensions.crossplane.io", "Composition") => "spec",
        _ => return BTreeSet::new(),
    };
    let mut found = BTreeSet::new();
    let mut open: Vec<NodeRef<'_, '_>> = node.get(field).into_iter().collect();
    while let Some(node) = open.pop() {
        if node.is_mapping() {
            open.extend(node.entries().map(|(_, value)| value));
        } else if node.is_sequence() {
            open.extend(node.items());
        } else {
            found.extend(node.text().into_iter().flat_map(words).filter_map(hint).take(MAX_HINTS));
        }
        if found.len() >= MAX_HINTS {
            break;
        }
    }
    found
}

/// Splits a text, such as a program or a manifest, into words.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c.is_control() || "\"'`,;()[]{}<>|=".contains(c))
}

/// Parses a word that may be an image; `None` for other words.
fn hint(word: &str) -> Option<Hint> {
    let (word, is_module) = word.strip_prefix(SCHEME).map_or((word, false), |rest| (rest, true));
    let word = word.trim_end_matches(['.', ':']);
    let image = ImageRef::read(word).ok()?;
    // A host, a colon and a number are most likely an address.
    let is_named = image.tag.is_some() || image.digest.is_some();
    let host = image.registry.filter(|host| host.bytes().any(|byte| byte.is_ascii_alphabetic()) || is_module)?;
    (is_module || is_named && host.contains('.')).then(|| Hint { image: word.to_owned(), is_module })
}
