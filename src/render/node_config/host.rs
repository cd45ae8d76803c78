//! A registry as nodes reach it, and what the files of all runtimes share.

use std::fmt::Write as _;

/// The first line of each file.
pub(super) const MARK: &str = "# Made by `hostnet mirror node-config`.";

/// How nodes reach a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeHost {
    /// `HOST` or `HOST:PORT`, as images name it.
    pub host: String,
    /// The `to` of rules below it, each once.
    pub prefixes: Vec<String>,
    /// `http://…` or `https://…`: where it is.
    pub url: String,
    /// A file on the nodes with the certificates to know it by.
    pub ca: Option<String>,
}

impl NodeHost {
    /// `HOST` or `HOST:PORT` of the URL.
    pub(super) fn authority(&self) -> &str {
        self.url.split_once("://").map_or(self.url.as_str(), |(_, authority)| authority)
    }
}

/// A file of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFile {
    /// Its path on the node; `None` where the text says it.
    pub(super) place: Option<String>,
    /// Its path below the folder that is written.
    pub below: String,
    /// The content.
    pub text: String,
}

/// A string of TOML.
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
