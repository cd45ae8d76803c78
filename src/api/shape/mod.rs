//! Finds values of a config that do not match its schema, and describes the correction.
//!
//! Deserializers report parser terms: "expected sequence start". This module compares the text with the schema that
//! editors use, so that messages name the field, show its form, and give the correct parent of a misplaced field.

mod field;
mod forms;
mod look;
mod scalar;
mod words;

pub(super) use look::mismatches;
pub(super) use words::either;
