//! Planned changes from all rules: edits, new objects, findings. No I/O, no YAML text.
//!
//! A [`Plan`] has [`Move`]s, each applied completely or not at all, other [`Edit`]s, single or [`MergedChange`], and
//! [`Finding`]s about skipped changes and their reasons. Every output (edited documents, results, a diff) renders the
//! same plan.

pub mod config_object;
mod edit;
mod finding;
pub mod left_kind;
mod listed;
mod message;
pub mod misread;
mod outcome;
pub mod pattern;
mod select;
mod select_suggestion;
mod undone_work;
pub mod unmatched;

pub use edit::{Change, Content, Edit, MergedChange};
pub use finding::{Finding, FindingSummary};
pub use message::Message;
pub use outcome::{Move, Plan};
pub use select::Matcher;
pub(crate) use select_suggestion::select_suggestion;
pub use undone_work::{NothingSelected, UndoneWork};

pub(crate) use left_kind::reason_not_moved;
pub(crate) use listed::listed;
