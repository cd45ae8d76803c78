//! Mistakes in the manifests.

use super::super::{config, deployment};
use super::Mistake;

pub(super) fn all() -> Vec<Mistake> {
    let inputs: Vec<(&'static str, &'static str, String)> = vec![
        ("a manifest with a tab", "web.yaml", deployment("web").replace("    spec:", "\tspec:")),
        ("a manifest with a bracket open", "web.yaml", deployment("web").replace("9090]", "9090")),
        ("a template of another program", "web.yaml", "- shell: echo {{ y }} >> z\n".to_owned()),
        ("a file of another program", "compose.yaml", "services:\n  web: {image: a}\n".to_owned()),
        ("a template of a chart", "web.yaml", "{{- if .Values.enabled }}\nkind: Deployment\n{{- end }}\n".to_owned()),
        (
            "a template of a chart that is YAML",
            "web.yaml",
            deployment("web").replace("image: example.com/web:v1", "image: {{ .Values.image }}"),
        ),
        (
            "a template of a chart that is nearly YAML",
            "web.yaml",
            "kind: Deployment\nmetadata:\n  name: {{ .Values.name }}-web\n".to_owned(),
        ),
        (
            "values of a chart",
            "values.yaml",
            "replicaCount: 2\nimage: {repository: web, tag: v1}\nservice: {port: 80}\n".to_owned(),
        ),
        (
            "a kustomization",
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n".to_owned(),
        ),
        ("a kustomization without a kind", "kustomization.yaml", "resources: [web.yaml]\nnamePrefix: a-\n".to_owned()),
        ("a chart's own file", "Chart.yaml", "apiVersion: v2\nname: web\nversion: 0.1.0\n".to_owned()),
        ("an object twice", "web.yaml", format!("{}---\n{}", deployment("web"), deployment("web"))),
        (
            "a manifest with a merge that is not finished",
            "web.yaml",
            format!("<<<<<<< HEAD\n{}=======\n>>>>>>> main\n", deployment("web")),
        ),
        ("a port that cannot get another number", "web.yaml", deployment("web").replace("--listen=:8443, ", "")),
        (
            "a key twice in a manifest",
            "web.yaml",
            deployment("web")
                .replace("      containers:", "      hostNetwork: false\n      hostNetwork: false\n      containers:"),
        ),
        ("a list without items", "web.yaml", "apiVersion: v1\nkind: List\nitems: none\n".to_owned()),
    ];
    let call = |name, file, text: String| {
        let config = config("  targets: [{select: {name: web}, ports: {https: 20443}}]\n");
        Mistake::new(name, &["apply", "-c", "config.yaml"]).file("config.yaml", config).file(file, text)
    };
    let files = inputs.into_iter().map(|(name, file, text)| {
        let mut mistake = call(name, file, text);
        mistake.arguments.push(file);
        mistake
    });
    let mut folder =
        call("a folder with a kustomization", "app/kustomization.yaml", "resources: [web.yaml]\n".to_owned());
    folder.arguments.push("app");
    let mut chart = call("a folder with a chart", "app/Chart.yaml", "name: web\n".to_owned());
    chart.arguments.push("app");
    let empty = call("nothing on standard input", "x", String::new());
    let mut all: Vec<Mistake> = files.collect();
    all.extend([folder.file("app/web.yaml", deployment("web")), chart, empty]);
    all.push(call("half a pipe", "x", String::new()).stdin("\n\n"));
    all
}
