//! Secrets: port numbers in the values that pods read. They are reported, never changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::ByteString;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use super::applies_to::AppliesTo;
use super::port_field::{PortField, PortFields};
use super::scope::own_namespace;
use crate::model::meta::Meta;
use crate::model::text::{numbers_by_line, shown_lines};
use lossless_yaml::{NodeRef, Path};

/// Finds the ports in a `v1` `Secret` like the ports in a `ConfigMap`. Only these numbers are ever shown, no other
/// text.
pub(super) fn fields(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    for field in ["stringData", "data"] {
        for (key, value) in object.get(field).into_iter().flat_map(NodeRef::entries) {
            let (Some(key), Some(text)) = (key.text().filter(|key| is_key(key)), value.text()) else { continue };
            let Some(text) = (if field == "data" { decoded(text) } else { Some(text.to_owned()) }) else { continue };
            let mut lines: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
            for (line, port) in numbers_by_line(&text) {
                lines.entry(port).or_default().push(line);
            }
            let path = Path::root().key(field).key(key.to_owned());
            let readers = AppliesTo::Readers(own_namespace(meta).into(), meta.name.as_str().into(), key.into());
            let readers = Arc::new(readers);
            found.fields.extend(lines.into_iter().map(|(port, lines)| {
                let description = format!("`{key}`, which its pods read, holds {port} ({})", shown_lines(&lines));
                PortField::report_only(path.clone(), port, None, description, &readers)
            }));
        }
    }
    found
}

/// True if the API server accepts a key; messages show no other key. Source: Kubernetes v1.36
/// `staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go`, `IsConfigMapKey`.
fn is_key(key: &str) -> bool {
    key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Decodes base64, possibly with line breaks; `None` for other content.
fn decoded(text: &str) -> Option<String> {
    let text = text.replace(['\r', '\n'], "");
    let text: StrDeserializer<'_, Error> = text.as_str().into_deserializer();
    String::from_utf8(ByteString::deserialize(text).ok()?.0).ok()
}
