//! What `NO_PROXY` has to hold, and what it decides for each destination that is known.

mod explain;
mod functions;

pub use explain::{Explained, Host, explain};
pub use functions::{compares, reader};
