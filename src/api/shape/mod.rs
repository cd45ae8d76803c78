//! Where a config is not of the shape that its schema asks for, and what to write there.
//!
//! A reader of types says what it expected of a parser: "expected sequence start". Here the same schema that editors use is held
//! against the text, so that the message can name the field, show its form, and say where a field that stands elsewhere belongs.

mod field;
mod forms;
mod look;
mod scalar;
mod words;

pub(super) use look::misfits;
pub(super) use words::either;
