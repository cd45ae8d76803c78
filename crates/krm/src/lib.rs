//! Input and output: ResourceList, streams, Lists, JSON, files, kustomize's exec plugin.
//!
//! An [`Input`] holds one text, split into *units* that are parsed independently: a document of a
//! stream or an item of a list. Each unit is parsed once and its tree is dropped after the caller
//! has read its objects. The output consists of slices of the input with replacements between them,
//! so text without edits is byte-identical.

mod arrange;
#[cfg(unix)]
mod attributes;
mod changes;
pub mod chart;
mod chunk;
mod copy;
pub mod diff;
#[cfg(test)]
mod differential;
mod document;
mod documents;
mod edit;
mod envelope;
mod error;
mod escape;
mod file_path;
pub mod files;
pub mod functions;
pub mod in_place;
mod input;
mod input_checks;
mod json;
pub mod kustomization;
mod line_hash;
mod list_frame;
mod local_config;
mod locate;
pub mod new_file;
mod not_manifest;
mod objects;
mod output_check;
mod package;
mod place;
mod placeholder;
mod places;
mod renaming;
mod render;
mod results;
mod rows;
mod slot;
mod split;
mod units;
mod values;
mod walk;
mod warning;
mod workers;

pub use changes::{Added, Changes};
pub use error::{ReadError, RenderError};
pub use escape::{
    escape_line, json_text, relative_to_working_dir, shell_operand, shell_path, shell_word, shown_lines, shown_path,
};
pub use input::{Form, Input};
pub use line_hash::line_hashes;
pub use not_manifest::template_error;
pub use place::{DuplicateKey, ObjectPlace, Origin};
pub use placeholder::{holds_placeholder, is_whole_placeholder, may_have_placeholder, split_at_commas};
pub use renaming::Renaming;
pub use warning::InputWarning;

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
