//! Odd values and shapes: no entry is lost, no variable is written twice, no panic.

use super::{run, settled};

pub(super) fn web(env: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec: {{template: {{spec: {{containers: [{{name: web, image: web, {env}}}]}}}}}}\n"
    )
}

pub(super) const SPEC: &str = "httpsProxy: 'http://p:3128', targets: [{select: {name: web}}]";

#[test]
fn odd_lists_are_kept_and_extended() {
    for list in [
        ",,,",
        " , ",
        "a b",
        "a;b",
        "*.*",
        "10.0.0.0/8:443",
        "[::1]",
        "a,",
        ",a",
        "\u{fc}.de",
        "a\\tb",
        "localhost,localhost",
        "$(A),$(A)",
        "$$(A)",
        "${A:-b,c}",
        "a,A",
        "\\u0000",
        "a\\n,b",
        "::1",
        "*,a",
        "a, *",
        "http://a",
        "=",
        "a=b",
        "%",
    ] {
        let env = format!("env: [{{name: NO_PROXY, value: \"{list}\"}}]");
        let (output, log) = settled(SPEC, &web(&env));
        let object: serde_json::Value =
            serde_yaml::from_str(&output).unwrap_or_else(|error| panic!("{list:?}: {error}: {log}"));
        let env = object["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap();
        let value = env[0]["value"].as_str().unwrap();
        let written: serde_json::Value = serde_json::from_str(&format!("\"{list}\"")).unwrap();
        let start = written.as_str().unwrap().trim_end_matches([',', ' ']);
        assert!(value.starts_with(start), "{list:?}: {value:?} begins with the old entries");
        let names: Vec<&str> = env.iter().map(|one| one["name"].as_str().unwrap()).collect();
        let once: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(once.len(), names.len(), "{list:?}: {names:?}");
    }
}

/// An existing lower-case list, which some programs read exclusively.
#[test]
fn an_existing_lower_case_list_gets_all_entries_too() {
    let spec = format!("{SPEC}, case: Upper");
    let (output, _) = settled(&spec, &web("env: [{name: no_proxy, value: b.com}]"));
    let lists: Vec<&str> =
        output.split("_proxy, value: \"").skip(1).chain(output.split("NO_PROXY, value: \"").skip(1)).collect();
    let lists: Vec<&str> = lists.iter().map(|text| text.split('"').next().unwrap()).collect();
    assert!(lists.len() == 2 && lists[0] == lists[1] && lists[0].starts_with("b.com,"), "{output}");
    assert!(!output.contains("https_proxy"), "{output}");
}

/// A common setup: one case is a copy of the other, and stays a copy.
#[test]
fn a_copy_of_the_other_case_stays_a_copy() {
    let both = "env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: $(HTTPS_PROXY)}, {name: NO_PROXY, value: b.com}, {name: no_proxy, value: $(NO_PROXY)}]";
    let (output, log) = settled(SPEC, &web(both));
    assert!(output.contains("{name: https_proxy, value: $(HTTPS_PROXY)}") && log.is_empty(), "{output}{log}");
    assert!(
        output.contains("{name: no_proxy, value: $(NO_PROXY)}")
            && output.contains("NO_PROXY, value: \"b.com,localhost"),
        "{output}"
    );
    let http = "env: [{name: HTTP_PROXY, value: 'http://p:3128'}, {name: HTTPS_PROXY, value: $(HTTP_PROXY)}]";
    assert!(settled(SPEC, &web(http)).0.contains("{name: HTTPS_PROXY, value: $(HTTP_PROXY)}"));
    // The copied variable gets another value, so the copy gets a value of its own.
    let replaced =
        "httpProxy: 'http://q:1', httpsProxy: 'http://p:3128', existing: Replace, targets: [{select: {name: web}}]";
    assert!(settled(replaced, &web(http)).0.contains("{name: HTTPS_PROXY, value: http://p:3128}"));
    // A copy before its source is not expanded.
    let before = "env: [{name: https_proxy, value: $(HTTPS_PROXY)}, {name: HTTPS_PROXY, value: 'http://p:3128'}]";
    assert!(run(SPEC, &web(before)).1.contains("error"), "{}", run(SPEC, &web(before)).1);
}

#[test]
fn forms_of_env_from() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\ndata: {NO_PROXY: b.com, PROXY: c.com, NO_: d.com}\n";
    for (env_from, start) in [
        ("[{configMapRef: {name: m}}]", "b.com,"),
        ("[{configMapRef: {name: m}, prefix: NO_}]", "c.com,"),
        ("[{configMapRef: {name: m}, prefix: ''}]", "b.com,"),
        // The last source with the key wins.
        ("[{configMapRef: {name: m}}, {configMapRef: {name: m}, prefix: NO_}]", "c.com,"),
        ("[{configMapRef: {name: m, optional: true}}]", "b.com,"),
        ("[{configMapRef: {}}]", "localhost,"),
        ("[{}]", "localhost,"),
        ("[]", "localhost,"),
        ("", "localhost,"),
        ("[{configMapRef: {name: other, optional: true}}]", "localhost,"),
    ] {
        let (output, _) = settled(SPEC, &(web(&format!("envFrom: {env_from}")) + map));
        let list = output.split("NO_PROXY, value: \"").nth(1).unwrap_or_else(|| panic!("{env_from}: {output}"));
        assert!(list.starts_with(start), "{env_from}: {list}");
    }
}

#[test]
fn shapes_that_are_not_lists_of_variables() {
    for env in [
        "env: {}",
        "env: text",
        "env: [text]",
        "env: [{}]",
        "env: [{name: null}]",
        "env: [{name: [a]}]",
        "env: [null]",
        "envFrom: {}",
    ] {
        let (output, log) = run(SPEC, &web(env));
        let parsed = serde_yaml::from_str::<serde_json::Value>(&output);
        assert!(parsed.is_ok(), "{env}: {output}{log}");
    }
}
