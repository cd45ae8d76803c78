//! Expansion of the variables by the kubelet's own code, and connections to the API server afterwards.

use std::process::Command;

use super::settled;
use crate::support::{find_program, not_run, run, text};

/// The answers of Kubernetes' own code to each line. Returns `None`, and prints a note, if the program is missing.
fn answers(mode: &str, lines: &[String]) -> Option<Vec<String>> {
    let Some(program) = find_program("proxy-kubernetes") else {
        not_run("proxy-kubernetes is missing (`make tools` builds it with Go)");
        return None;
    };
    let output = run(Command::new(program).arg(mode), (lines.join("\n") + "\n").as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout).lines().map(str::to_owned).collect())
}

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {template: {spec: {containers: [{name: web, image: web, env: [ENV]}]}}}\n";

/// The variables of the only container in the output, as lines for the kubelet's code.
fn variables(env: &str, proxy: &str) -> Vec<String> {
    let spec = format!(
        "httpsProxy: '{proxy}', literalCredentials: Warn, existing: Replace, targets: [{{select: {{name: web}}}}]"
    );
    let (output, log) = settled(&spec, &WEB.replace("ENV", env));
    let object: serde_json::Value = serde_yaml::from_str(&output).unwrap_or_else(|error| panic!("{error}: {log}"));
    let env = object["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap();
    env.iter()
        .map(|variable| {
            format!("{}={}", variable["name"].as_str().unwrap(), variable["value"].as_str().unwrap_or_default())
        })
        .collect()
}

/// The variables of a container if the Service of the API server has the address `host`.
fn expanded(host: &str, variables: &[String]) -> Option<Vec<(String, String)>> {
    let service = format!("KUBERNETES_SERVICE_HOST={host}");
    let line = [service, "--".to_owned()].iter().chain(variables).cloned().collect::<Vec<_>>().join("\x1f");
    let answer = answers("expand", &[line])?;
    Some(
        answer[0]
            .split('\x1f')
            .map(|one| one.split_once('=').unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    )
}

fn value<'v>(variables: &'v [(String, String)], name: &str) -> &'v str {
    &variables.iter().find(|(known, _)| known == name).unwrap().1
}

#[test]
fn the_api_server_is_direct_for_any_address() {
    for host in ["10.96.0.1", "fd00::1", "api.example.com"] {
        let Some(expanded) = expanded(host, &variables("", "http://p:3128")) else { return };
        let list = value(&expanded, "NO_PROXY");
        assert!(list.split(',').any(|entry| entry == host) && list == value(&expanded, "no_proxy"), "{list}");
        let line = [list, host, "443"].join("\x1f");
        assert_eq!(answers("client-go", &[line]), Some(vec!["D".to_owned()]), "{host}: {list}");
    }
}

#[test]
fn a_custom_address_of_the_api_server_is_direct_at_any_position() {
    let own = "{name: KUBERNETES_SERVICE_HOST, value: own.example.com}";
    for env in
        [own.to_owned(), format!("{own}, {{name: NO_PROXY, value: b}}"), format!("{{name: NO_PROXY, value: b}}, {own}")]
    {
        let Some(expanded) = expanded("10.96.0.1", &variables(&env, "http://p:3128")) else { return };
        let list = value(&expanded, "NO_PROXY");
        assert!(list.split(',').any(|entry| entry == "own.example.com"), "{env}: {list}");
    }
}

#[test]
fn the_container_gets_the_proxy_of_the_config_unchanged() {
    for url in
        ["http://u:a$(HOME)b@p:1", "http://u:a$$b@p:1", "http://u:a$b@p:1", "http://u:$$$(x@p:1", "http://u:$@p:1"]
    {
        let Some(expanded) = expanded("10.96.0.1", &variables("{name: HOME, value: x}", url)) else { return };
        assert_eq!(value(&expanded, "HTTPS_PROXY"), url);
    }
}

/// The last of two variables with the same name wins, and is the variable that changes.
#[test]
fn the_last_of_two_equal_names_wins() {
    let env = "{name: NO_PROXY, value: one.com}, {name: NO_PROXY, value: two.com}";
    let Some(expanded) = expanded("10.96.0.1", &variables(env, "http://p:3128")) else { return };
    assert!(value(&expanded, "NO_PROXY").starts_with("two.com,localhost"), "{expanded:?}");
}
