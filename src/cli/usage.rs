//! Errors about wrong command line usage.

/// An argument that is invalid, or incompatible with others: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// Returns a [`Usage`] error with this message.
macro_rules! usage {
    ($($message:tt)*) => { return Err(anyhow::Error::from($crate::cli::usage::Usage(format!($($message)*)))) };
}

pub(super) use usage;
