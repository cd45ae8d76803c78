//! Lossless YAML: parses to spans, finds nodes by path, edits and splices. Independent of Kubernetes.
//!
//! A [`Tree`] stores the byte span and the decoded value of every node of a text. An edit ([`Op`]) names a path;
//! [`edit()`] converts edits to byte replacements ([`Splice`]) that change only the named nodes; [`verify()`] parses
//! the result again and compares it with the requested edits. [`edit_text`] does all of this.

mod aliases;
mod block;
mod builder;
mod comments;
mod copy;
mod decode;
mod draft;
mod duplicate_keys;
mod edit;
mod element;
mod excerpt;
mod fast;
mod fault;
mod finder;
mod flow;
mod gap;
mod go;
mod go_number;
mod json;
mod line_index;
mod lines;
mod literal;
mod node;
mod node_list;
mod op;
mod parse;
mod passwords;
mod path;
mod pattern;
mod resolve;
mod rewrite;
mod scalar;
mod set;
mod shape;
mod source_line;
mod stand_in;
mod target;
#[cfg(test)]
mod tests;
mod tree;
mod value;
mod verify;
mod write;

pub use edit::edit;
pub use element::{Elements, document_in_style_of, element_in_style_of, elements, offset_for_empty};
pub use excerpt::Excerpt;
pub use excerpt::is_control_or_invisible;
#[cfg(fuzzing)]
pub use fast::compare;
pub use finder::Finder;
pub use line_index::LineCounter;
pub use line_index::LineIndex;
pub use literal::literal;
pub use node::NodeRef;
pub use op::{EditError, KeyPosition, Op, Splice, splice, spliced};
pub use passwords::without_passwords;
pub use path::{Path, Step};
pub use pattern::{Pattern, PatternMatch};
pub use resolve::{is_date, is_string, is_word};
pub use source_line::template_output;
pub use tree::{Kind, ParseError, ParseErrorKind, Style, Tree};
pub use value::Value;
pub use verify::{edit_text, verify};
pub use write::{document, one_line, push_element};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
