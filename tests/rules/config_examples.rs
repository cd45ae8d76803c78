//! Examples in messages about configs: the message is gone when its example is pasted.
#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use hostnet::api::{AnyConfig, json_schema};

/// Returns the first line of the error about a config.
fn error(kind: &str, spec: &str) -> String {
    let config = format!("apiVersion: hostnet.dev/v1alpha1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}\n");
    AnyConfig::read_all(&config, "a.yaml", 1).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn pasted_examples_are_accepted() {
    let schema = json_schema();
    let mut pasted = 0;
    for (kind, spec) in [
        ("HostNetwork", "HostNetworkSpec"),
        ("HostNetworkCheck", "HostNetworkCheckSpec"),
        ("ProxyEnvironment", "ProxyEnvironmentSpec"),
        ("PackageMirror", "PackageMirrorSpec"),
    ] {
        let fields = schema.get("$defs").and_then(|all| all.get(spec)?.get("properties")?.as_object()).unwrap();
        for field in fields.keys() {
            for value in ["foo bar", "{foo: bar}", "[[]]", "", "7"] {
                let message = error(kind, &format!("{{{field}: {value}}}"));
                let Some((_, example)) = message.split_once(&format!("write it as `{field}: ")) else { continue };
                let example = example.split_once('`').unwrap().0;
                let after = error(kind, &format!("{{{field}: {example}}}"));
                assert!(!after.contains("unknown field") && !after.contains("must be"), "{kind} {message}\n{after}");
                pasted += 1;
            }
        }
    }
    assert!(pasted > 20, "{pasted}");
    let of_proxy = error("ProxyEnvironment", "{httpProxy: 'http://p.example.com:3128', targets: foo}");
    assert!(of_proxy.contains("`targets: [{select: {kind: Deployment, name: web}}]`"), "{of_proxy}");
    let of_check = error("HostNetworkCheck", "{select: foo}");
    assert!(of_check.contains("`select: [{kind: Deployment, name: web}]`"), "{of_check}");
}
