//! Secrets: port numbers in what pods read from them (P5). They are reported, never changed.

use k8s_openapi::ByteString;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::config_lines::numbers;
use super::seen::{SeenPort, Whose};
use crate::yaml::{NodeRef, Path};

/// The ports of a `v1` `Secret`, as those of a `ConfigMap` are found. Of its texts nothing but these numbers is ever shown.
#[must_use]
pub fn ports(object: NodeRef<'_, '_>) -> Vec<SeenPort> {
    let mut found = Vec::new();
    for field in ["stringData", "data"] {
        for (key, value) in object.get(field).into_iter().flat_map(NodeRef::entries) {
            let (Some(key), Some(text)) = (key.text(), value.text()) else { continue };
            let Some(text) = (if field == "data" { decoded(text) } else { Some(text.to_owned()) }) else { continue };
            let path = Path::root().key(field).key(key.to_owned());
            found.extend(numbers(&text).into_iter().map(|(line, port)| {
                let what = format!("line {line} of `{key}`, which its pods read, holds {port}");
                SeenPort { path: path.clone(), port, what, whose: Whose::Readers }
            }));
        }
    }
    found
}

/// The text behind base64; none when it is something else.
fn decoded(text: &str) -> Option<String> {
    let text: StrDeserializer<'_, Error> = text.into_deserializer();
    String::from_utf8(ByteString::deserialize(text).ok()?.0).ok()
}
