//! Parsing of a text to a tree.

use super::builder::Builder;
use super::fast;
use super::tree::{ParseError, Tree};

impl<'s> Tree<'s> {
    /// Parses all documents of a text.
    pub fn parse(text: &'s str) -> Result<Self, ParseError> {
        fast::read(text).map_or_else(|| Self::parse_by_granit(text), Ok)
    }

    /// Parses all documents of a text with granit-parser or as JSON, without the fast parser. Used to verify edited
    /// texts, so that the fast parser does not verify its own result.
    pub fn parse_by_granit(text: &'s str) -> Result<Self, ParseError> {
        Builder::new(text).run()
    }
}
