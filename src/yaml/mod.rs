//! Lossless YAML: parse to spans, look up a path, edit, splice. Knows nothing of Kubernetes.
//!
//! A [`Tree`] holds, for every node of a text, its byte span and its cooked value. An edit ([`Op`]) names a path;
//! [`edit`] turns edits into byte replacements ([`Splice`]) that touch nothing but the named node, parses the result
//! again and compares it with what was asked for.

mod path;
mod tree;
mod value;

pub use path::{Path, Step};
pub use tree::{Kind, NodeRef, ParseError, Style, Tree};
pub use value::Value;
