//! Words with dots and slashes before a number.

use super::changes;

fn web(kind: &str, more: &str, container: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec:\n{more}  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers:\n      - name: c\n        image: a.io/web:1\n{container}        ports: [{{name: http, containerPort: 8000}}]\n"
    )
}

fn changed(kind: &str, more: &str, container: &str) -> String {
    let spec = format!("{{targets: [{{select: {{kind: {kind}, name: web}}, ports: auto}}]}}");
    changes(&spec, &web(kind, more, container))
}

/// The arguments set the port of the process, not the variable.
#[test]
fn a_file_a_module_and_a_class_are_no_hosts() {
    let env = "        env: [{name: PORT, value: \"8000\"}]\n";
    let of = |command: &str| changed("Deployment", "", &format!("        command: [sh, -c, '{command}']\n{env}"));
    for command in [
        "exec node server.js 8000",
        "python -m http.server 8000",
        "java -jar app.jar 8000",
        "dotnet Web.Api.dll 8000",
        "./run.sh 8000",
        "serve 1.2.3 8000",
    ] {
        let text = of(command);
        assert!(text.contains("cannot move to") && !text.contains("+        env:"), "{command}: {text}");
    }
    for command in [
        "nc -z db.shop.svc 8000; exec web",
        "nc -z db.shop.svc.cluster.local. 8000; exec web",
        "nc -z 10.0.0.1 8000; exec web",
    ] {
        let text = of(command);
        assert!(text.contains("+        env:") && !text.contains("cannot move to"), "{command}: {text}");
    }
}

/// The Service of the pods has the name of a segment of an image path.
#[test]
fn a_segment_of_a_path_is_no_host() {
    let of = |argument: &str| {
        changed("StatefulSet", "  serviceName: x\n", &format!("        args: ['--port=8000', '{argument}']\n"))
    };
    let text = of("--image=repo/x:8000");
    assert!(!text.contains("repo/x:2"), "{text}");
    let text = of("--peers=http://web-0.x:8000,web-1.x:8000");
    assert!(text.contains("http://web-0.x:2") && text.contains("web-1.x:2"), "{text}");
}
