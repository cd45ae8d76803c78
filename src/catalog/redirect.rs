//! Containers that change the packet filter or the routes of their network.

use super::data;
use super::matching::is_container;

/// Container that redirects traffic, or that needs redirected traffic, regardless of its command.
#[derive(Debug)]
pub(super) struct Redirector {
    /// Owner of the container, for messages.
    pub(super) owner: &'static str,
    /// Container names.
    pub(super) names: &'static [&'static str],
    /// Suffixes of the image path.
    pub(super) images: &'static [&'static str],
    /// Texts whose parts all occur in the command or the arguments.
    pub(super) words: &'static [&'static str],
}

/// Owner of a container that redirects traffic, by name and image path (without tag and digest); `None` for other
/// containers.
pub fn redirector(name: &str, image: &str) -> Option<&'static str> {
    owner(data::REDIRECTORS, name, image)
}

/// Owner of a container that fails unless a CNI plugin redirects the traffic of its pod; `None` for other containers.
pub fn redirect_validator(name: &str, image: &str) -> Option<&'static str> {
    owner(data::REDIRECT_VALIDATORS, name, image)
}

/// Owner of a container whose command or arguments wait for a redirect; `None` for other containers.
pub fn validator_by_words(words: &[&str]) -> Option<&'static str> {
    let runs = |row: &&Redirector| {
        !row.words.is_empty() && row.words.iter().all(|entry| contains_consecutive_parts(words, entry))
    };
    data::REDIRECT_VALIDATORS.iter().find(runs).map(|row| row.owner)
}

/// Owner of the row that matches a container's name or image.
fn owner(rows: &'static [Redirector], name: &str, image: &str) -> Option<&'static str> {
    rows.iter().find(|row| is_container(row.names, row.images, name, image)).map(|row| row.owner)
}

/// Splits a text at all characters that are not ASCII letters or digits.
pub fn redirect_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty())
}

/// First entry of `catalog/redirects.yaml` whose parts occur in `words` consecutively.
pub fn redirect_word(words: &[&str]) -> Option<&'static str> {
    data::REDIRECT_WORDS.iter().find(|entry| contains_consecutive_parts(words, entry)).copied()
}

/// Entry of `catalog/redirects.yaml` for a variable with this value, as `NAME=value`.
pub fn redirect_variable(name: &str, value: &str) -> Option<&'static str> {
    let is_match = |entry: &&&str| entry.split_once('=') == Some((name, value));
    data::REDIRECT_VARIABLES.iter().find(is_match).copied()
}

/// True if the parts of an entry occur in `words` consecutively.
fn contains_consecutive_parts(words: &[&str], entry: &str) -> bool {
    let entry: Vec<&str> = redirect_parts(entry).collect();
    words.windows(entry.len().max(1)).any(|words| words == entry)
}
