//! Containers that rewrite the packet filter or the routes of their network.

use super::data;
use super::fits::is_container;

/// A container that does so, or needs it, whatever its words say.
#[derive(Debug)]
pub(super) struct Redirector {
    /// Whose it is.
    pub(super) owner: &'static str,
    /// Names of the container.
    pub(super) names: &'static [&'static str],
    /// Ends of its image's path.
    pub(super) images: &'static [&'static str],
}

/// Whose container of this name and image (its path without tag and digest) it is, if it is one that redirects traffic.
#[must_use]
pub fn redirector(name: &str, image: &str) -> Option<&'static str> {
    owner(data::REDIRECTORS, name, image)
}

/// The owner of a container that fails unless a CNI plugin redirects the traffic of its pod.
#[must_use]
pub fn redirect_validator(name: &str, image: &str) -> Option<&'static str> {
    owner(data::REDIRECT_VALIDATORS, name, image)
}

fn owner(rows: &'static [Redirector], name: &str, image: &str) -> Option<&'static str> {
    rows.iter().find(|row| is_container(row.names, row.images, name, image)).map(|row| row.owner)
}

/// The letters and digits of a text, without what stands between them.
pub fn redirect_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty())
}

/// The first entry of `catalog/redirects.yaml` whose parts follow each other among these.
#[must_use]
pub fn redirect_word(words: &[&str]) -> Option<&'static str> {
    let follows = |entry: &&&str| {
        let entry: Vec<&str> = redirect_parts(entry).collect();
        words.windows(entry.len()).any(|words| words == entry)
    };
    data::REDIRECT_WORDS.iter().find(follows).copied()
}
