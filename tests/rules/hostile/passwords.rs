//! Passwords in the URLs of proxies.

use super::run_over;

fn config(spec: &str) -> String {
    format!("apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {{name: p}}\nspec:\n{spec}")
}

#[test]
fn messages_contain_no_password() {
    let pods = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n      - name: c\n        env:\n        - {name: HTTPS_PROXY, value: 'http://me:s3cret@old:3128'}\n        - {name: NO_PROXY, value: 'http://me:s3cret@a,you:s3cret@b,.svc'}\n";
    let targets = "  targets: [{select: {kind: Deployment}}]\n";
    let configs = [
        // The excerpt of each contains the URL.
        config(&format!("  httpProxy: http://me:s3cret@proxy:3128\n{targets}")),
        config(&format!("  httpProxy: me:s3cret@proxy:3128\n{targets}")),
        config(&format!("  httpProxy: http://me:s3cret@proxy:99999\n{targets}")),
        config(&format!("  htpProxy: http://me:s3cret@proxy:3128\n{targets}")),
        config(&format!("  httpProxy: 'http://me:s3cret@proxy:3128' x\n{targets}")),
        config(&format!("  noProxy: ['http://me:s3cret@proxy:3128']\n{targets}")),
        config(&format!(
            "  httpProxy: http://me:s3cret@proxy:3128\n  literalCredentials: Warn\n  existing: Replace\n{targets}"
        )),
        config(&format!("  httpProxy: http://proxy:3128\n  existing: Merge\n{targets}")),
    ];
    for config in &configs {
        for arguments in [
            &["apply", "--check", "-v", "-c", "p.yaml", "m.yaml"][..],
            &["apply", "--check", "-c", "p.yaml", "-o", "json", "m.yaml"],
            &["apply", "--check", "-c", "p.yaml", "-o", "sarif", "m.yaml"],
            &["apply", "--check", "-c", "p.yaml", "-o", "github", "m.yaml"],
            &["proxy", "check", "-c", "p.yaml", "-o", "json", "m.yaml"],
            &["proxy", "check", "m.yaml"],
            &["proxy", "check", "-o", "json", "m.yaml"],
        ] {
            let run = run_over(&[("m.yaml", pods), ("p.yaml", config)], arguments);
            let log = format!("{}{}", run.text(), run.stderr);
            assert!(!log.contains("s3cret"), "{arguments:?} {config}: {log}");
        }
    }
}
