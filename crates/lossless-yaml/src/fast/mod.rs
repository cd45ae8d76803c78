//! A fast reader of the YAML that nearly all manifests are: one document of block collections, with plain and quoted
//! scalars, block scalars, flow collections and comments.
//!
//! It makes the same tree as granit-parser does, node by node and byte by byte, or none at all: whatever it is not sure
//! of is left to granit. So it never says that a text is wrong, and every message about one is granit's. It never proves
//! anything either: what an edit makes of a text is read again by granit.

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
    /// The texts that this thread read fast.
    static READ: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// The tree of a text of one document; none when granit has to read it: it may be unusual, or wrong.
pub(super) fn read(text: &str) -> Option<Tree<'_>> {
    u32::try_from(text.len()).ok()?;
    if !characters::are_plain(text) {
        return None;
    }
    #[cfg(test)]
    READ.with_borrow_mut(|read| read.push(text.to_owned()));
    reader::Reader::new(text).tree()
}
