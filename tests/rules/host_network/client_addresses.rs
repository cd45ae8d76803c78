//! Addresses at which clients reach the process, such as `VAULT_ADDR` and `--advertise-address`: they follow the port
//! and are never its setting.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{ALL, deployment, ports, run, stream};

const POD_IP: &str = "{name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}";

/// A container that declares 8080, with this flag or variable and these other arguments.
fn web(setting: &str, more: &str) -> String {
    let (args, env) = match setting.strip_prefix("--") {
        Some(_) => (format!("'{setting}'"), String::new()),
        None => {
            let (name, value) = setting.split_once('=').unwrap();
            (String::new(), format!(", {{name: {name}, value: '{value}'}}"))
        }
    };
    let args: Vec<&str> = [args.as_str(), more].into_iter().filter(|arg| !arg.is_empty()).collect();
    deployment(&format!(
        "      - {{name: web, args: [{}], env: [{POD_IP}{env}], ports: [{{name: http, containerPort: 8080}}]}}\n",
        args.join(", ")
    ))
}

/// The output and the messages, with the pool of `ports: auto`.
fn auto(manifest: &str) -> (String, String) {
    let (output, said) = run(&ports("auto"), manifest);
    (output, said.join("\n"))
}

/// True if the port keeps its number with the message that its setting is unknown, and no text changes.
fn keeps(setting: &str) -> bool {
    let manifest = web(setting, "");
    let (output, said) = auto(&manifest);
    output.matches("8080").count() == manifest.matches("8080").count() + 1
        && said.contains("neither the manifest nor the catalogue shows the setting of its number")
        && said.contains("[port-setting]")
        && said.lines().count() == 1
}

/// True if the whole container moves without a message.
fn moves(setting: &str, more: &str) -> bool {
    let (output, said) = auto(&web(setting, more));
    !output.contains("8080") && said.is_empty()
}

/// Texts that clients dial or that the program announces.
const CLIENTS: [&str; 26] = [
    "VAULT_ADDR=http://127.0.0.1:8080",
    "VAULT_ADDR=http://0.0.0.0:8080",
    "VAULT_API_ADDR=http://$(POD_IP):8080",
    "VAULT_CLUSTER_ADDR=https://$(POD_IP):8080",
    "CONSUL_HTTP_ADDR=127.0.0.1:8080",
    "CALLBACK_URL=http://$(POD_IP):8080",
    "SHOP_ADDR=http://localhost:8080",
    "ADVERTISED_PORT=8080",
    "KAFKA_ADVERTISED_ADDRESS=$(POD_IP):8080",
    "--cluster.advertise-address=$(POD_IP):8080",
    "--advertise-address=:8080",
    "--advertise-listen-addr=$(POD_IP):8080",
    "--raft-adv-addr=$(POD_IP):8080",
    "--announce-addr=$(POD_IP):8080",
    "--announce-port=8080",
    "--external-address=$(POD_IP):8080",
    "--public-addr=$(POD_IP):8080",
    "--broadcast-addr=$(POD_IP):8080",
    "--join-addr=$(POD_IP):8080",
    "--api-addr=http://$(POD_IP):8080",
    "--server-addr=http://127.0.0.1:8080",
    "--server-addr=localhost:8080",
    "--master-addr=localhost:8080",
    "--proxy-addr=127.0.0.1:8080",
    "--dial-addr=localhost:8080",
    "--metrics-scrape-addr=localhost:8080",
];

#[test]
fn an_address_that_clients_dial_is_not_the_setting() {
    let kept: Vec<&str> = CLIENTS.into_iter().filter(|setting| !keeps(setting)).collect();
    assert_eq!(kept, [""; 0]);
    assert_snapshot!(worded(auto(&web("VAULT_ADDR=http://127.0.0.1:8080", "")).1), @r#"warning: standard input:10:164: Deployment shop/web, container web, port http (8080): keeps its number: neither the manifest nor the catalogue shows the setting of its number. If you know the flag (or variable: `env`), add to the target `bind: [{container: web, port: http, number: 8080, arg: --FLAG-8080}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-setting]"#);
}

#[test]
fn an_address_that_clients_dial_follows_the_setting() {
    for setting in CLIENTS {
        for more in ["'--listen=:8080'", "'--port=8080'"] {
            assert!(moves(setting, more), "{setting} {more}");
        }
    }
}

#[test]
fn an_address_of_a_listener_stays_the_setting() {
    for setting in [
        "--listen-client-urls=http://0.0.0.0:8080",
        "--listen-urls=http://$(POD_IP):8080",
        "--bind-addr=http://127.0.0.1:8080",
        "--public-listen-address=$(POD_IP):8080",
        "EXTERNAL_BIND_ADDR=127.0.0.1:8080",
        "ASPNETCORE_URLS=http://0.0.0.0:8080",
        "ASPNETCORE_URLS=http://$(POD_IP):8080",
        "OLLAMA_HOST=http://0.0.0.0:8080",
        "--addr=http://:8080",
        "--endpoint=http://+:8080",
        "--server-addr=0.0.0.0:8080",
        "--serverPort=127.0.0.1:8080",
        "--server-addr=$(POD_IP):8080",
        "--api-addr=:8080",
        "--public-addr=:8080",
        "--external-address=0.0.0.0:8080",
        "--proxy-port=8080",
        "PUBLIC_PORT=8080",
        "MASTER_PORT=8080",
        "--metrics-addr=127.0.0.1:8080",
        "--health-address=localhost:8080",
        "--addr=$(POD_IP):8080",
        "GRPC_ADDRESS=$(POD_IP):8080",
    ] {
        assert!(moves(setting, ""), "{setting}");
    }
}

/// The host and the number may come from variables.
#[test]
fn variables_are_expanded() {
    let own = |env: &str, arg: &str| {
        deployment(&format!(
            "      - {{name: web, args: ['{arg}'], env: [{POD_IP}{env}], ports: [{{name: http, containerPort: 8080}}]}}\n"
        ))
    };
    let unknown = "neither the manifest nor the catalogue shows the setting";
    let addr = ", {name: SELF, value: '$(POD_IP):8080'}";
    assert!(auto(&own(addr, "--advertise-addr=$(SELF)")).1.contains("[port-setting]"));
    for arg in ["--public-addr=$(POD_IP):8080", "--server-addr=http://$(POD_IP):8080"] {
        let (output, said) = auto(&own("", arg));
        assert!(said.contains(unknown) && output.contains(arg), "{said}");
    }
    // A variable that only such an address expands may be a setting that the program reads too.
    let (output, _) = auto(&own(", {name: PORT, value: '8080'}", "--server-addr=http://127.0.0.1:$(PORT)"));
    assert!(!output.contains("8080"), "{output}");
    let any = ", {name: BIND_IP, value: 0.0.0.0}";
    assert!(!auto(&own(any, "--public-addr=$(BIND_IP):8080")).0.contains("8080"));
}

#[test]
fn variables_of_config_maps_are_judged_by_the_same_words() {
    let map = |data: &str| {
        stream([
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata: {data}\n"),
            deployment(
                "      - {name: web, envFrom: [{configMapRef: {name: web}}], ports: [{name: http, containerPort: 8080}]}\n",
            ),
        ])
    };
    for data in
        ["{VAULT_ADDR: 'http://127.0.0.1:8080'}", "{ADVERTISED_PORT: '8080'}", "{SERVER_ADDR: 'localhost:8080'}"]
    {
        let (output, said) = run(ALL, &map(data));
        assert!(said.join("\n").contains("[port-setting]") && output.contains(data), "{data}: {output}");
    }
    let (output, said) = run(ALL, &map("{PORT: '8080', SERVER_ADDR: 'localhost:8080', ADVERTISED_PORT: '8080'}"));
    assert!(!output.contains("8080") && said.is_empty(), "{output} {said:?}");
}

#[test]
fn an_announced_address_alone_is_a_guess() {
    let undeclared = web("--cluster.advertise-address=$(POD_IP):8080", "")
        .replace(", ports: [{name: http, containerPort: 8080}]", "");
    let (output, said) = auto(&undeclared);
    assert!(output.contains("8080") && said.contains("[port-guess]"), "{said}");
    let bound = undeclared.replace("args: [", "args: [--bind-port=8080, ");
    assert!(!auto(&bound).0.contains("--bind-port=8080"));
    let probed = undeclared.replace("env: [", "readinessProbe: {tcpSocket: {port: 8080}}, env: [");
    assert!(auto(&probed).1.contains("[port-setting]"));
}

/// An announced address in another container follows the listener.
#[test]
fn another_container_may_announce_the_port() {
    let manifest = web("--listen=:8080", "")
        + &format!("      - {{name: agent, args: ['--advertise-addr=$(POD_IP):8080'], env: [{POD_IP}]}}\n");
    let (output, said) = auto(&manifest);
    assert!(!output.contains("8080") && said.is_empty(), "{said}");
}
