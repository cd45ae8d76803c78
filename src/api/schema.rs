//! The config kinds as JSON Schema and as `KRMFunctionDefinition`s.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::host_network::{API_VERSION, GROUP, HOST_NETWORK, HostNetwork};
use super::host_network_check::{HOST_NETWORK_CHECK, HostNetworkCheck};
use super::package_mirror::{PACKAGE_MIRROR, PackageMirror};
use super::proxy_environment::{PROXY_ENVIRONMENT, ProxyEnvironment};

/// The `$id` of the schema: an identifier, not a download address.
const ID: &str = concat!(env!("CARGO_PKG_HOMEPAGE"), "/schema/v1alpha1.json");

/// The JSON Schema of all config kinds, selected by `kind`.
pub fn json_schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let kinds = [
        of_kind::<HostNetwork>(&mut generator, HOST_NETWORK),
        of_kind::<HostNetworkCheck>(&mut generator, HOST_NETWORK_CHECK),
        of_kind::<ProxyEnvironment>(&mut generator, PROXY_ENVIRONMENT),
        of_kind::<PackageMirror>(&mut generator, PACKAGE_MIRROR),
    ];
    let definitions = generator.take_definitions(true);
    let mut whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "Configs of hostnet",
        "oneOf": kinds,
        "$defs": &definitions,
    });
    take_nulls(&mut whole, &definitions);
    whole
}

/// Allows null for optional or possibly empty lists and mappings: `exclude:` without value equals no `exclude`.
fn take_nulls(schema: &mut Value, definitions: &Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|known| known == name));
    let is = |schema: &Value, kind: &str| schema.get("type").is_some_and(|type_name| type_name == kind);
    for (name, field) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let reference = field.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/"));
        if reference.and_then(|name| definitions.get(name)).is_some_and(|definition| is(definition, "object"))
            && !is_required(name)
        {
            let reference = field.as_object_mut().and_then(|field| field.shift_remove("$ref"));
            field["anyOf"] = json!([{"$ref": reference}, {"type": "null"}]);
        } else if (is(field, "array") || is(field, "object")) && field.get("minItems").is_none() {
            let kind = field.get("type").cloned();
            field["type"] = json!([kind, "null"]);
        }
    }
    let inner: Vec<&mut Value> = match schema {
        Value::Object(fields) => fields.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    for inner in inner {
        take_nulls(inner, definitions);
    }
}

/// The schema of one kind, with fixed `kind` and `apiVersion`.
fn of_kind<T: JsonSchema>(generator: &mut SchemaGenerator, kind: &str) -> Value {
    let mut schema = T::json_schema(generator).to_value();
    for (field, only) in [("apiVersion", API_VERSION), ("kind", kind)] {
        set(&mut schema, &format!("/properties/{field}"), "const", only.into());
    }
    set(&mut schema, "", "title", kind.into());
    if kind == PACKAGE_MIRROR {
        // Names of generated ImageConfigs begin with the config's name.
        let name = json!({"name": {"pattern": "^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$"}});
        set(&mut schema, "/properties/metadata", "required", json!(["name"]));
        set(&mut schema, "/properties/metadata", "allOf", json!([{"properties": name}]));
        set(&mut schema, "", "required", json!(["apiVersion", "kind", "spec", "metadata"]));
    }
    schema
}

/// Sets a key of the mapping at a JSON pointer.
fn set(schema: &mut Value, pointer: &str, key: &str, value: Value) {
    if let Some(mapping) = schema.pointer_mut(pointer).and_then(Value::as_object_mut) {
        mapping.insert(key.to_owned(), value);
    }
}

/// The metadata of each function in the ecosystem's format (`config.kubernetes.io/v1alpha1`, KEP-2906): one per kind.
pub fn function_definitions() -> Vec<Value> {
    vec![
        definition::<HostNetwork>(
            HOST_NETWORK,
            "hostnetworks",
            "Moves workloads to the host network, with their ports and every reference to them.",
        ),
        definition::<HostNetworkCheck>(
            HOST_NETWORK_CHECK,
            "hostnetworkchecks",
            "Judges the host networking of objects as it is written, and changes nothing.",
        ),
        definition::<ProxyEnvironment>(
            PROXY_ENVIRONMENT,
            "proxyenvironments",
            "Writes proxy variables into workloads and packages, with a NO_PROXY that fits the cluster.",
        ),
        definition::<PackageMirror>(
            PACKAGE_MIRROR,
            "packagemirrors",
            "Makes Crossplane pull packages, and nodes pull images, from another registry.",
        ),
    ]
}

/// A `KRMFunctionDefinition` for one kind of config.
fn definition<T: JsonSchema>(kind: &str, plural: &str, description: &str) -> Value {
    // An OpenAPI schema has no `$defs`, so definitions are inlined.
    let settings = SchemaSettings::openapi3().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.remove("title");
    }
    json!({
        "apiVersion": "config.kubernetes.io/v1alpha1",
        "kind": "KRMFunctionDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "description": description,
            "publisher": GROUP,
            "names": {"kind": kind},
            "versions": [{
                "name": "v1alpha1",
                "idempotent": true,
                "license": "Apache-2.0",
                "runtime": {"exec": {"path": "hostnet"}},
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::{function_definitions, json_schema};
    use crate::api::KINDS;

    #[test]
    fn every_kind_has_a_schema_and_a_function_definition() {
        let schema = json_schema();
        let titles: Vec<&str> =
            schema["oneOf"].as_array().unwrap().iter().map(|kind| kind["title"].as_str().unwrap()).collect();
        assert_eq!(titles, KINDS);
        let definitions = function_definitions();
        let kinds: Vec<&str> = definitions.iter().map(|kind| kind["spec"]["names"]["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, KINDS);
    }
}
