//! Packages and images from another registry: what names a registry, and what names it then.

mod core;
mod crossplane;
mod dependencies;
mod facts;
mod image_configs;
mod images;
mod list;
mod other_image_configs;
mod plan;
mod registries;
mod rewrite;
mod rules;
mod writer;

pub use facts::{MirrorFacts, MirrorObject};
pub use list::{Listed, ListedKind, Listing, list};
pub use plan::plan;
pub use rules::MirrorRules;
