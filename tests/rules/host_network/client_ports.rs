//! Ports of other programs: a sibling variable whose value is the host of another program excludes the number.

use super::{ALL, deployment, run, stream};

/// Service `authd` with this port, whose pods are not in the input.
fn authd(port: u16) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: authd, namespace: shop}}\nspec: {{selector: {{app: authd}}, ports: [{{port: {port}}}]}}\n"
    )
}

/// Service `web` of the pods of the tests.
const OWN: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}\n";

/// A container that declares 8080, with these variables.
fn web(variables: &[(&str, &str)]) -> String {
    let env: Vec<String> =
        variables.iter().map(|(name, value)| format!("{{name: {name}, value: '{value}'}}")).collect();
    deployment(&format!(
        "      - {{name: web, env: [{}], ports: [{{name: http, containerPort: 8080}}]}}\n",
        env.join(", ")
    ))
}

/// True if the variable with 8080 stays, and the port keeps its number with a message.
fn keeps(port: &str, name: &str, value: &str, around: &str) -> bool {
    let (output, said) = run(ALL, &stream([web(&[(name, value), (port, "8080")]), around.to_owned()]));
    output.contains(&format!("{{name: {port}, value: '8080'}}")) && said.join("\n").contains("[port-setting]")
}

/// True if variable and port move.
fn moves(port: &str, name: &str, value: &str, around: &str) -> bool {
    let (output, said) = run(ALL, &stream([web(&[(name, value), (port, "8080")]), around.to_owned()]));
    !output.contains(&format!("{{name: {port}, value: '8080'}}")) && !said.join("\n").contains("[port-setting]")
}

/// Ends of names, each with the stem `AUTH`.
const ENDS: [&str; 17] = [
    "_NAME",
    "_SVC",
    "_SERVICE_NAME",
    "_SVC_NAME",
    "_DNS",
    "_DNS_NAME",
    "_FQDN",
    "_DOMAIN",
    "_HOST_NAME",
    "_TARGET",
    "_NODE",
    "_CLUSTER_IP",
    "_SERVICE_HOST",
    "",
    "_HOST",
    "_SERVICE",
    "_SERVER",
];

#[test]
fn a_sibling_with_the_name_of_a_service_excludes_the_port() {
    for end in ENDS {
        let name = format!("AUTH{end}");
        for value in ["authd.shop.svc", "authd.other.svc.cluster.local"] {
            for port in ["AUTH_PORT", "AUTH_HTTP_PORT"] {
                assert!(keeps(port, &name, value, ""), "{name}={value} {port}");
            }
        }
        assert!(keeps("AUTH_PORT", &name, "authd.shop.svc", &authd(8080)), "{name}");
        if !end.is_empty() {
            assert!(keeps("AUTH_PORT", &name, "authd", &authd(8080)), "{name}");
        }
    }
    assert!(keeps("AUTH_PORT", "AUTH_NAME", "authd.shop", &authd(8080)));
    for (end, value) in [("DNS", "auth.example.com"), ("FQDN", "auth.example.com"), ("CLUSTER_IP", "10.0.0.8")] {
        assert!(keeps("AUTH_PORT", &format!("AUTH_{end}"), value, ""), "{end}");
    }
}

#[test]
fn flags_and_config_maps_have_siblings_too() {
    let flags = deployment(
        "      - {name: web, args: [--auth-dns=authd.shop.svc, --auth-port=8080], ports: [{name: http, containerPort: 8080}]}\n",
    );
    assert!(run(ALL, &flags).0.contains("--auth-port=8080"));
    let map = |data: &str| {
        stream([
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata: {data}\n"),
            deployment(
                "      - {name: web, envFrom: [{configMapRef: {name: web}}], ports: [{name: http, containerPort: 8080}]}\n",
            ),
            authd(8080),
        ])
    };
    for data in ["{AUTH_NAME: authd, AUTH_PORT: '8080'}", "{AUTH: authd.shop.svc, AUTH_PORT: '8080'}"] {
        let (output, said) = run(ALL, &map(data));
        assert!(output.contains(data) && said.join("\n").contains("[port-setting]"), "{output} {said:?}");
    }
    assert!(!run(ALL, &map("{APP_NAME: authd, APP_PORT: '8080'}")).0.contains("APP_PORT: '8080'"));
}

#[test]
fn names_of_the_program_itself_do_not_exclude_its_port() {
    for (port, name, value) in [
        ("APP_PORT", "APP_NAME", "web"),
        ("SHOP_PORT", "SHOP_NAME", "web"),
        ("SHOP_PORT", "SHOP_SERVICE_NAME", "web.shop.svc"),
        ("SHOP_PORT", "SHOP_NAME", "checkout"),
        ("SHOP_PORT", "SHOP_DOMAIN", "shop.example.com"),
        ("SHOP_PORT", "SHOP_SERVICE_NAME", "shop.v2"),
        ("SHOP_PORT", "SHOP_NAME", "authd"),
        ("APP_PORT", "POD_NAME", "web-0"),
        ("PORT", "SERVICE_NAME", "web"),
        ("PORT", "SERVICE_NAME", "authd"),
        ("PORT", "POD_NAME", "authd.shop.svc"),
        ("WEB_PORT", "WEB_TARGET", "authd.shop.svc"),
        ("METRICS_PORT", "METRICS_TARGET", "authd.shop.svc"),
        ("SHOP_PORT", "AUTH_DNS", "authd.shop.svc"),
        ("SHOP_PORT", "SHOP_ISSUER", "authd.shop.svc"),
        ("SHOP_PORT", "SHOP_TARGET", "v1.2.3"),
    ] {
        assert!(moves(port, name, value, &stream([OWN.to_owned(), authd(9090)])), "{name}={value} {port}");
    }
}

/// The program's own public name is next to its port, and another variable has the number too.
#[test]
fn a_public_name_under_the_name_of_the_program_excludes_nothing() {
    let container =
        |env: &[(&str, &str)]| web(env).replace("name: web, env", "name: web, image: n8nio/n8n:0.230.3, env");
    let public = [("N8N_HOST", "n8n.example.com"), ("N8N_PORT", "8080")];
    for more in [vec![], vec![("HEALTH_PORT", "8080")], vec![("MY_PORT", "8080")]] {
        let (output, log) = run(ALL, &container(&[&public[..], &more[..]].concat()));
        assert!(!output.contains("'8080'") && !log.join("\n").contains("warning"), "{more:?} {output} {log:?}");
    }
    // A name of no program in particular may be of this one: the move is not half.
    for (name, port) in [("APP_HOST", "APP_PORT"), ("METRICS_HOST", "METRICS_PORT")] {
        let (output, log) = run(ALL, &web(&[(name, "www.example.com"), (port, "8080"), ("PORT", "8080")]));
        assert_eq!(output.matches("value: '8080'").count(), 2, "{name} {output}");
        assert!(log.join("\n").contains(&format!("`{port}` also contains 8080")), "{name} {log:?}");
    }
    // Hosts of other programs: a Service, and a name that is not the program's.
    for (name, host, port) in [
        ("N8N_HOST", "n8n-main.shop.svc", "N8N_PORT"),
        ("APP_HOST", "app", "APP_PORT"),
        ("BILLING_HOST", "billing.example.com", "BILLING_PORT"),
    ] {
        let (output, log) = run(ALL, &container(&[(name, host), (port, "8080"), ("PORT", "8080")]));
        assert_eq!(output.matches("value: '8080'").count(), 1, "{name} {output}");
        assert!(!log.join("\n").contains("warning"), "{name} {log:?}");
    }
}

/// The host of a flag may be a key of a ConfigMap.
#[test]
fn a_listen_host_from_a_config_map_excludes_nothing() {
    let of = |host: &str, env: &str| {
        let args = "args: ['--listening-ip=$(LISTENING_IP)', '--listening-port=$(LISTENING_PORT)']";
        stream([
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, namespace: shop}}\ndata: {{LISTENING_IP: {host}, LISTENING_PORT: '8080'}}\n"
            ),
            deployment(&format!(
                "      - {{name: web, {args}, {env}, ports: [{{name: turn, containerPort: 8080}}]}}\n"
            )),
        ])
    };
    let key = |name: &str| format!("{{name: {name}, valueFrom: {{configMapKeyRef: {{name: web, key: {name}}}}}}}");
    let keys = format!("env: [{}, {}]", key("LISTENING_IP"), key("LISTENING_PORT"));
    for env in ["envFrom: [{configMapRef: {name: web}}]", &keys] {
        for host in ["0.0.0.0", "'::'", "127.0.0.1"] {
            let (output, log) = run(ALL, &of(host, env));
            assert!(!output.contains("8080") && log.is_empty(), "{host} {env}: {log:?}");
        }
        assert!(run(ALL, &of("turn.example.com", env)).0.contains("containerPort: 8080"), "{env}");
    }
}
