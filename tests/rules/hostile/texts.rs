//! Names with control sequences of terminals and CI runners.

use super::{mirror, run_over};

/// Control characters, a change of the text direction, invisible characters, and commands of GitHub's and Azure's
/// runners.
const NASTY: &str = r"a\n::error::b\n##[add-mask]c ##vso[task.setvariable]d\e[31m\u202e\u200b\U000E0041";

fn pods() -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: \"{NASTY}\", namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - name: \"{NASTY}\"
        image: \"a.io/{NASTY}:v1\"
        ports: [{{containerPort: 8080, name: \"{NASTY}\"}}, {{containerPort: 8080}}]
        env: [{{name: HTTPS_PROXY, value: 'http://p:1'}}, {{name: NO_PROXY, value: \"{NASTY}\"}}]
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {{name: \"{NASTY}\"}}
spec: {{package: \"a.io/o/{NASTY}:v1\"}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: Function
metadata: {{name: \"{NASTY}\"}}
spec: {{package: \"unqualified-{NASTY}:v1\"}}
"
    )
}

const HOST_NETWORK: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: h}\nspec: {targets: [{select: {kind: Deployment}, ports: auto}]}\n";

#[test]
fn workflow_commands_in_names_are_not_executed() {
    let (pods, mirror) = (pods(), mirror("b.io/m"));
    let files = [("m.yaml", pods.as_str()), ("mirror.yaml", &mirror), ("h.yaml", HOST_NETWORK)];
    for arguments in [
        &["proxy", "check", "m.yaml"][..],
        &["proxy", "check", "-o", "json", "m.yaml"],
        &["mirror", "list", "m.yaml"],
        &["mirror", "list", "-c", "mirror.yaml", "--complete", "m.yaml"],
        &["mirror", "list", "-c", "mirror.yaml", "-o", "json", "m.yaml"],
        &["mirror", "list", "-o", "lines", "m.yaml"],
        &["mirror", "verify", "-c", "mirror.yaml", "m.yaml"],
        &["mirror", "pin", "-c", "mirror.yaml", "--manifests", "m.yaml"],
        &["ports", "m.yaml"],
        &["ports", "-c", "h.yaml", "m.yaml"],
        &["ports", "-c", "h.yaml", "-o", "markdown", "m.yaml"],
        &["ports", "-c", "h.yaml", "-o", "json", "m.yaml"],
        &["check", "m.yaml"],
        &["check", "-v", "-o", "text", "m.yaml"],
        &["check", "-o", "json", "m.yaml"],
        &["check", "-o", "sarif", "m.yaml"],
        &["check", "-o", "github", "m.yaml"],
        &["apply", "-v", "--check", "-c", "h.yaml", "m.yaml"],
        &["apply", "--check", "-c", "h.yaml", "-o", "json", "m.yaml"],
        &["proxy", "explain", "a:443", "--no-proxy", "b\n::error::c"],
    ] {
        let run = run_over(&files, arguments);
        let log = format!("{}{}", run.text(), run.stderr);
        for bad in ["##[", "##vso[", "\u{1b}", "\u{202e}", "\u{200b}", "\u{e0041}"] {
            assert!(!log.contains(bad), "{arguments:?} says {bad:?}: {log}");
        }
        let is_command = |line: &&str| line.trim_start().starts_with("::");
        let own = arguments.contains(&"github");
        assert_eq!(log.lines().find(is_command).filter(|_| !own), None, "{arguments:?}: {log}");
        assert!(!log.lines().any(|line| line.starts_with("::error::b")), "{arguments:?}: {log}");
    }
}

#[test]
fn names_add_no_words_or_lines_to_lists() {
    let pod = |image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{containers: [{{name: a, image: \"{image}\"}}]}}\n"
        )
    };
    let list = |image: &str| {
        run_over(
            &[("m.yaml", &pod(image)), ("mirror.yaml", &mirror("b.io/m"))],
            &["mirror", "list", "-c", "mirror.yaml", "-o", "lines", "m.yaml"],
        )
    };
    let fine = list("a.io/o/web:v1");
    assert_eq!((fine.code, fine.text().as_str()), (Some(0), "a.io/o/web:v1 b.io/m/o/web:v1\n"));
    for image in [
        "a.io/o/web:v1 b.io/m/o/db:v1",
        "a.io/o/web:v1\\tx",
        "a.io/o/web:v1\\u00a0x",
        "a.io/o/web:v1\\nx.io/y:v1 b.io/m/o/db:v1",
    ] {
        let run = list(image);
        assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
        assert!(run.stderr.contains("contains blanks"), "{}", run.stderr);
    }
}

#[test]
fn names_become_no_links() {
    let name = "[x](https://evil.example) <https://evil.example> www.evil.example `a` me@evil.example";
    let pods = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: '{name}'}}\nspec: {{selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{hostNetwork: true, containers: [{{name: c, args: ['--port=8080'], ports: [{{containerPort: 8080}}]}}]}}}}}}\n"
    );
    let files = [("m.yaml", pods.as_str()), ("h.yaml", HOST_NETWORK)];
    let run = run_over(&files, &["ports", "-c", "h.yaml", "-o", "markdown", "m.yaml"]);
    let text = run.text();
    assert!(
        text.contains(
            r"\[x\](https\://evil.example) \<https\://evil.example> www\.evil.example \`a\` me&#64;evil.example"
        ),
        "{text}{}",
        run.stderr
    );
    let twice = pods.replace("[{containerPort: 8080}]", "[{containerPort: 8080}, {containerPort: 8080, name: b}]");
    let run = run_over(&[("m.yaml", &twice)], &["check", "-o", "sarif", "m.yaml"]);
    let sarif: serde_json::Value = serde_json::from_str(&run.text()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let texts: Vec<&str> = results.iter().map(|result| result["message"]["text"].as_str().unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains(r"\[x\](https")), "{texts:#?}");
    assert!(!texts.iter().any(|text| text.contains("[x](")), "{texts:#?}");
}
