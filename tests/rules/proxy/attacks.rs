//! Values and shapes that nobody meant: nothing is lost, nothing is written twice, nothing panics.

use super::{run, settled};

fn web(env: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\nspec: {{template: {{spec: {{containers: [{{name: web, image: web, {env}}}]}}}}}}\n"
    )
}

const SPEC: &str = "httpsProxy: 'http://p:3128', targets: [{select: {name: web}}]";

#[test]
fn lists_that_nobody_meant_are_kept_and_grow() {
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
        let (output, said) = settled(SPEC, &web(&env));
        let object: serde_json::Value =
            serde_yaml::from_str(&output).unwrap_or_else(|error| panic!("{list:?}: {error}: {said}"));
        let env = object["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap();
        let value = env[0]["value"].as_str().unwrap();
        let written: serde_json::Value = serde_json::from_str(&format!("\"{list}\"")).unwrap();
        let start = written.as_str().unwrap().trim_end_matches([',', ' ']);
        assert!(value.starts_with(start), "{list:?}: {value:?} begins with what was there");
        let names: Vec<&str> = env.iter().map(|one| one["name"].as_str().unwrap()).collect();
        let once: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(once.len(), names.len(), "{list:?}: {names:?}");
    }
}

/// The lower case that is there is a list that some programs read alone.
#[test]
fn a_lower_case_that_is_there_gets_the_union_too() {
    let spec = format!("{SPEC}, case: Upper");
    let (output, _) = settled(&spec, &web("env: [{name: no_proxy, value: b.com}]"));
    let lists: Vec<&str> =
        output.split("_proxy, value: \"").skip(1).chain(output.split("NO_PROXY, value: \"").skip(1)).collect();
    let lists: Vec<&str> = lists.iter().map(|text| text.split('"').next().unwrap()).collect();
    assert!(lists.len() == 2 && lists[0] == lists[1] && lists[0].starts_with("b.com,"), "{output}");
    assert!(!output.contains("https_proxy"), "{output}");
}

/// The usual way to have both cases: the one is a copy of the other, and stays one.
#[test]
fn a_copy_of_the_other_case_stays_a_copy() {
    let both = "env: [{name: HTTPS_PROXY, value: 'http://p:3128'}, {name: https_proxy, value: $(HTTPS_PROXY)}, {name: NO_PROXY, value: b.com}, {name: no_proxy, value: $(NO_PROXY)}]";
    let (output, said) = settled(SPEC, &web(both));
    assert!(output.contains("{name: https_proxy, value: $(HTTPS_PROXY)}") && said.is_empty(), "{output}{said}");
    assert!(
        output.contains("{name: no_proxy, value: $(NO_PROXY)}")
            && output.contains("NO_PROXY, value: \"b.com,localhost"),
        "{output}"
    );
    let http = "env: [{name: HTTP_PROXY, value: 'http://p:3128'}, {name: HTTPS_PROXY, value: $(HTTP_PROXY)}]";
    assert!(settled(SPEC, &web(http)).0.contains("{name: HTTPS_PROXY, value: $(HTTP_PROXY)}"));
    // What it is a copy of becomes another one: the copy is written out.
    let replaced =
        "httpProxy: 'http://q:1', httpsProxy: 'http://p:3128', existing: Replace, targets: [{select: {name: web}}]";
    assert!(settled(replaced, &web(http)).0.contains("{name: HTTPS_PROXY, value: http://p:3128}"));
    // One that stands before what it names is a text.
    let before = "env: [{name: https_proxy, value: $(HTTPS_PROXY)}, {name: HTTPS_PROXY, value: 'http://p:3128'}]";
    assert!(run(SPEC, &web(before)).1.contains("error"), "{}", run(SPEC, &web(before)).1);
}

/// The kubelet puts the values of variables that stand before: what stands before the one that it names is a text.
#[test]
fn what_the_kubelet_leaves_as_it_is_written_is_said() {
    let warned = |env: &str, more: &str| {
        let (output, said) = settled(SPEC, &(web(env) + more));
        assert!(said.lines().all(|line| line.contains("[proxy-entry]")), "{output}{said}");
        said.lines().count()
    };
    let before = "env: [{name: NO_PROXY, value: '$(no_proxy)'}, {name: no_proxy, value: b.com}]";
    assert_eq!(warned(before, ""), 1);
    let (_, said) = run(SPEC, &web(before));
    assert!(
        said.contains("the entry `$(no_proxy)` of its NO_PROXY never matches")
            && said.contains("Put no_proxy before NO_PROXY"),
        "{said}"
    );
    // A variable that names itself, and one beside other entries.
    assert_eq!(warned("env: [{name: NO_PROXY, value: 'b.com,$(NO_PROXY)'}]", ""), 1);
    assert_eq!(warned("env: [{name: NO_PROXY, value: 'b.com,.$(ZONE)'}, {name: ZONE, value: c.com}]", ""), 1);
    // These are expanded, or nobody knows.
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
    // What the one case says of the other is not copied into it.
    let (output, said) =
        settled(SPEC, &web("env: [{name: NO_PROXY, value: b.com}, {name: no_proxy, value: '$(NO_PROXY),c.com'}]"));
    assert!(output.contains("{name: NO_PROXY, value: \"b.com,c.com,localhost") && said.is_empty(), "{output}{said}");
}

/// A second config merges with what the first has written; another proxy is an error.
#[test]
fn two_configs_over_one_container() {
    let first = format!("{SPEC}, noProxy: [one.com]");
    let second = format!("{SPEC}, noProxy: [two.com], cluster: {{services: [10.96.0.0/12]}}");
    let (once, _) = settled(&first, &web("env: []"));
    let (twice, said) = settled(&second, &once);
    assert!(
        twice.contains("one.com,localhost") && twice.contains("two.com,10.96.0.0/12") && said.is_empty(),
        "{twice}{said}"
    );
    let (unchanged, said) = run(&second.replace("p:3128", "q:3128"), &once);
    assert!(unchanged == once && said.contains("error") && said.contains("proxy-existing"), "{said}");
}

#[test]
fn forms_of_env_from() {
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: shop}\ndata: {NO_PROXY: b.com, PROXY: c.com, NO_: d.com}\n";
    for (env_from, start) in [
        ("[{configMapRef: {name: m}}]", "b.com,"),
        ("[{configMapRef: {name: m}, prefix: NO_}]", "c.com,"),
        ("[{configMapRef: {name: m}, prefix: ''}]", "b.com,"),
        // The last one that has it holds.
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
        let (output, said) = run(SPEC, &web(env));
        let parsed = serde_yaml::from_str::<serde_json::Value>(&output);
        assert!(parsed.is_ok(), "{env}: {output}{said}");
    }
}
