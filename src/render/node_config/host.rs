//! Registry settings of nodes, and helpers shared by all container runtimes.

use std::fmt::Write as _;

/// The first line of each file.
pub(super) const MARK: &str = "# Made by `hostnet mirror node-config`.";

/// Access to a registry from nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeHost {
    /// `HOST` or `HOST:PORT`, as in image references.
    pub host: String,
    /// Distinct `to` values of the rules for this registry.
    pub prefixes: Vec<String>,
    /// URL of the registry: `http://…` or `https://…`.
    pub url: String,
    /// Path on the nodes of the CA certificates for this registry.
    pub ca: Option<String>,
}

impl NodeHost {
    /// `HOST` or `HOST:PORT` of the URL.
    pub(super) fn authority(&self) -> &str {
        self.url.split_once("://").map_or(self.url.as_str(), |(_, authority)| authority)
    }
}

/// A configuration file for a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFile {
    /// Absolute path on the node; `None` if the content names the path.
    pub(super) place: Option<String>,
    /// Path below the output folder.
    pub below: String,
    /// The content.
    pub text: String,
}

/// Quotes a text as a TOML string.
pub(super) fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
