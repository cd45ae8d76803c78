//! Rule `proxy-entry`: entries of `NO_PROXY` that never match.

use super::attacks::{SPEC, web};
use super::{run, settled};

/// The kubelet only expands variables that are defined earlier; otherwise the text stays as written.
#[test]
fn entries_that_the_kubelet_does_not_expand_are_reported() {
    let warned = |env: &str, more: &str| {
        let (output, log) = settled(SPEC, &(web(env) + more));
        assert!(log.lines().all(|line| line.contains("[proxy-entry]")), "{output}{log}");
        log.lines().count()
    };
    let before = "env: [{name: NO_PROXY, value: '$(no_proxy)'}, {name: no_proxy, value: b.com}]";
    assert_eq!(warned(before, ""), 1);
    let (_, log) = run(SPEC, &web(before));
    assert!(
        log.contains("the entry `$(no_proxy)` of its NO_PROXY never matches")
            && log.contains("Put no_proxy before NO_PROXY"),
        "{log}"
    );
    // A variable that refers to itself, and a reference among other entries.
    assert_eq!(warned("env: [{name: NO_PROXY, value: 'b.com,$(NO_PROXY)'}]", ""), 1);
    assert_eq!(warned("env: [{name: NO_PROXY, value: 'b.com,.$(ZONE)'}, {name: ZONE, value: c.com}]", ""), 1);
    // These entries are expanded, or the result is unknown.
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\ndata: {NO_PROXY: b.com, no_proxy: b.com}\n";
    for env in [
        "env: [{name: ZONE, value: c.com}, {name: NO_PROXY, value: 'b.com,.$(ZONE)'}, {name: ZONE, value: d.com}]",
        "env: [{name: NO_PROXY, value: 'b.com,$(NO_PROXY)'}], envFrom: [{configMapRef: {name: m}}]",
        "env: [{name: NO_PROXY, value: '$(no_proxy)'}, {name: no_proxy, value: d.com}], envFrom: [{configMapRef: {name: m}}]",
        "env: [{name: NO_PROXY, value: 'b.com,$$(NO_PROXY)'}]",
        "env: [{name: NO_PROXY, value: 'b.com,$(OTHER)'}]",
        "env: [{name: NO_PROXY, value: '$(DB_SERVICE_HOST)'}, {name: DB_SERVICE_HOST, value: 10.0.0.1}]",
    ] {
        assert_eq!(warned(env, map), 0, "{env}");
    }
    // A reference from one case to the other is not copied.
    let (output, log) =
        settled(SPEC, &web("env: [{name: NO_PROXY, value: b.com}, {name: no_proxy, value: '$(NO_PROXY),c.com'}]"));
    assert!(output.contains("{name: NO_PROXY, value: \"b.com,c.com,localhost") && log.is_empty(), "{output}{log}");
}

/// Manifests as written are judged too.
#[test]
fn a_check_names_entries_that_never_match() {
    use super::check::{check, core, env};
    let (log, code) =
        check(&[], &core("v2.3.4", &env("10.*,registry-*.corp,.svc,$(KUBERNETES_SERVICE_HOST),.crossplane-system")));
    let own: Vec<&str> = log.lines().filter(|line| line.contains("never matches")).collect();
    insta::assert_snapshot!(own.join("\n"), @"
    warning: unknown: Deployment crossplane-system/crossplane, container crossplane -> hosts of `10.*`: this entry never matches: the beginning of an address matches nothing; write a range, such as `10.0.0.0/8` [proxy-entry]
    warning: unknown: Deployment crossplane-system/crossplane, container crossplane -> hosts of `registry-*.corp`: this entry never matches: a `*` is allowed only as the whole entry, or as `*.` before a name; it does not match a part of a name [proxy-entry]
    ");
    assert_eq!(code, Some(0));
    // Entries that are filled in later are unknown, and so is the route of a host that no other entry matches.
    for entry in ["{{ join \" \" .a }}", "#{NoProxy}", "%NO_PROXY%", "<NO_PROXY>", "10.0.0.0/{{ .bits }}"] {
        let (log, code) = check(&[], &core("v2.3.4", &env(&format!(".svc,{entry}"))));
        assert!(!log.contains("never matches") && code == Some(0), "{entry}: {log}");
        assert!(log.contains(&format!("no other entry matches, and the value of `{entry}` is not known")), "{log}");
    }
    let provider = format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: p}}\nspec: {{package: 'a.io/o/p:v1'}}\n---\napiVersion: \
         pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: default}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, \
         template: {{spec: {{containers: [{{name: package-runtime, env: [{}]}}]}}}}}}}}}}\n",
        env("10.*")
    );
    assert!(check(&[], &provider).0.contains("Provider p -> hosts of `10.*`"));
    assert!(!check(&[], &core("v2.3.4", "{name: NO_PROXY, value: '10.*'}")).0.contains("never matches"), "no proxy");
    let (log, _) = check(&[], &core("v2.3.4", &env(".svc,10.0.0.0/8,*.corp.example")));
    assert!(!log.contains("never matches"), "{log}");
}
