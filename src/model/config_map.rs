//! ConfigMaps: port numbers in their data, for pods that mount them or take variables from them.

use super::text::{leading_port, listen_value};
use crate::yaml::NodeRef;

/// A port number in a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigNumber {
    /// The key of the data.
    pub key: String,
    /// The number.
    pub port: u16,
    /// The line of the text, counted from 1.
    pub line: usize,
    /// Whether the number, with or without a listen host, is the whole text.
    pub whole: bool,
}

/// Texts longer than this are no configuration of a port: bundles of certificates, dashboards, scripts.
const LONGEST: usize = 256 * 1024;

/// The port numbers of a ConfigMap: whole values, and values of a line (`port: 8080`, `address = ":8080"`).
#[must_use]
pub fn numbers(object: NodeRef<'_, '_>) -> Vec<ConfigNumber> {
    let mut found = Vec::new();
    for (key, value) in object.get("data").into_iter().flat_map(NodeRef::entries) {
        let (Some(key), Some(text)) = (key.text(), value.text()) else { continue };
        if text.len() > LONGEST {
            continue;
        }
        if let Some((_, number)) = listen_value(text.trim()) {
            found.push(ConfigNumber { key: key.to_owned(), port: number.port, line: 1, whole: true });
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            if let Some(port) = line_value(line) {
                found.push(ConfigNumber { key: key.to_owned(), port, line: index + 1, whole: false });
            }
        }
    }
    found
}

/// The listen value that a line ends with, after `:` or `=` and a name.
fn line_value(line: &str) -> Option<u16> {
    let start = line.find([':', '='])?;
    let value = line.get(start + 1..)?.trim().trim_end_matches([',', ';']).trim_matches(['"', '\'']);
    listen_value(value).map(|(_, number)| number.port).or_else(|| leading_port(value))
}
