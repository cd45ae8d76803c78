//! Any text as a script of a container: the run parses it in short time or ignores it, and a move changes only the
//! number of the port.

use serde_json::json;

use crate::support::in_process::apply;

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: scripts}\nspec:\n  \
                      targets: [{select: {kind: Deployment, name: web}, ports: {http: 20080}}]\n";

fn manifest(script: &str) -> String {
    let container = json!({
        "name": "web", "image": "example.com/web:v1", "command": ["/bin/sh", "-c", script],
        "ports": [{"name": "http", "containerPort": 8080}],
    });
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}});
    let spec = json!({"selector": {"matchLabels": {"app": "web"}}, "template": template});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}).to_string()
}

pub fn scripts(data: &[u8]) {
    let Ok(script) = std::str::from_utf8(data) else { return };
    let first = apply(CONFIG, &manifest(script));
    if first.code == Some(1) {
        assert!(!first.stderr.trim().is_empty() && first.stdout.is_empty());
        return;
    }
    let output: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
    let after = output["spec"]["template"]["spec"]["containers"][0]["command"][2].as_str().unwrap();
    // A script that already contains the new number may have moved before.
    if !script.contains("20080") {
        assert_eq!(after.replace("20080", "8080"), script, "more than the number changed");
    }
    let second = apply(CONFIG, &first.text());
    assert_eq!(second.code, Some(0), "second run: {}\n{after}", second.stderr);
    assert_eq!(second.text(), first.text(), "the second run changes something");
}
