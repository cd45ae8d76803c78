//! Packages and images from another registry: what names a registry, and what names it then.

mod closure;
mod core;
mod core_ca;
mod core_facts;
mod crossplane;
mod custom;
mod dependencies;
mod digests;
mod facts;
mod hinted;
mod hints;
mod image_configs;
mod image_field;
mod images;
mod known;
mod list;
mod listed_images;
mod names;
mod other_image_configs;
mod pinned;
mod plan;
mod policies;
mod registries;
mod rewrite;
mod rules;
mod uncovered;
mod writer;

pub use crossplane::whole_name;
pub use facts::{MirrorFacts, MirrorObject};
pub use list::{Listed, ListedKind, Listing, list};
pub use plan::plan;
pub use rules::MirrorRules;
pub use uncovered::{no_rule, uncovered};
