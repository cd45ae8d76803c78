//! The config kinds as JSON Schema and as `KRMFunctionDefinition`.

use serde_json::{Value, json};

use super::host_network::{GROUP, HOST_NETWORK, HostNetwork};

/// The JSON Schema of the config kinds.
#[must_use]
pub fn json_schema() -> Value {
    schemars::schema_for!(HostNetwork).to_value()
}

/// The function's metadata in the ecosystem's own form (`config.kubernetes.io/v1alpha1`, KEP-2906).
#[must_use]
pub fn function_definition() -> Value {
    // An OpenAPI schema has no `$defs`: definitions are written where they are used.
    let settings = schemars::generate::SchemaSettings::openapi3().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<HostNetwork>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.remove("title");
    }
    json!({
        "apiVersion": "config.kubernetes.io/v1alpha1",
        "kind": "KRMFunctionDefinition",
        "metadata": {"name": format!("hostnetworks.{GROUP}")},
        "spec": {
            "group": GROUP,
            "description": "Moves workloads to the host network, with their ports and every reference to them.",
            "publisher": GROUP,
            "names": {"kind": HOST_NETWORK},
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
