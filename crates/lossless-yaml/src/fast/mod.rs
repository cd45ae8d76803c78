//! A fast parser for the YAML of nearly all manifests: one document of block collections, with plain and quoted
//! scalars, block scalars, flow collections and comments.
//!
//! The result is exactly the tree of granit-parser, or `None` for any text that this parser does not fully support;
//! granit then parses the text. Therefore all parse errors come from granit. An edited text is verified with granit,
//! not with this parser.

mod block;
mod block_scalar;
mod characters;
#[cfg(any(test, fuzzing))]
#[allow(unreachable_pub, reason = "a fuzz target uses it")]
mod compare;
mod flow;
mod reader;
mod scalar;
mod search;
#[cfg(test)]
mod tests;

#[cfg(fuzzing)]
pub use compare::compare;

use super::tree::Tree;

#[cfg(test)]
std::thread_local! {
    /// Texts passed to this parser in the current thread.
    static READ: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Parses a text of one document; `None` if granit has to parse it because it is unusual or wrong.
pub(super) fn read(text: &str) -> Option<Tree<'_>> {
    u32::try_from(text.len()).ok()?;
    if !characters::has_only_plain_characters(text) {
        return None;
    }
    #[cfg(test)]
    READ.with_borrow_mut(|read| read.push(text.to_owned()));
    reader::Reader::new(text).tree()
}
