//! Hostile manifests and configs must end in a result or an error within limits of CPU time and memory. The system
//! enforces the limits and kills a run that exceeds them.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::cases::HOSTNET;
use crate::manifests::deployment;
use crate::shapes;
use crate::support::{run, text};

/// A config that moves every Deployment.
const AUTO: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec: {unmatched: Ignore, targets: [{select: {kind: Deployment}, ports: auto}]}
";

/// Memory of a run without input, including the threads and the symbols of a test build.
const EMPTY: usize = 768 << 20;

/// CPU time for a test build on a busy machine. A run without bounds would take hours.
const SECONDS: usize = if cfg!(debug_assertions) { 60 } else { 10 };

/// Runs `apply` with a memory limit of `times` bytes per byte of input.
fn bounded(name: &str, config: &str, input: &str, times: usize) -> (Option<i32>, String) {
    bounded_run("apply -q -c config.yaml", name, config, input, times)
}

/// Runs any command with a memory limit of `times` bytes per byte of input.
fn bounded_run(command: &str, name: &str, config: &str, input: &str, times: usize) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    let kibibytes = (EMPTY + times * input.len()) / 1024;
    let script = format!("ulimit -c 0; ulimit -v {kibibytes}; ulimit -t {SECONDS}; exec \"$0\" {command}");
    let output = run(Command::new("sh").current_dir(folder.path()).args(["-c", &script, HOSTNET]), input.as_bytes());
    let log = text(&output.stderr);
    let beginning: String = log.chars().take(300).collect();
    let is_ended = matches!(output.status.code(), Some(0 | 1)) && !log.contains("panicked");
    assert!(is_ended, "{name}, {} bytes: {} {beginning}", input.len(), output.status);
    (output.status.code(), log)
}

/// A Deployment with additional lines in its container.
fn web(container: &str) -> String {
    deployment(
        "web",
        &format!(
            "      - name: web\n        image: example.com/web:v1\n        ports: [{{name: http, containerPort: 8080}}]\n{container}"
        ),
    )
}

fn script(script: &str) -> String {
    web(&format!(
        "        command: [sh, -c]\n        args:\n        - |\n          web --listen-address=:8080 {script}\n"
    ))
}

/// A Deployment that mounts a file of a `ConfigMap`.
fn mounted(key: &str, body: &str) -> String {
    let volumes = "        args: [--listen-address=:8080]\n        volumeMounts: [{name: c, mountPath: /etc/c}]\n      volumes: [{name: c, configMap: {name: c}}]\n";
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata:\n";
    format!("{}{map}  {key}: |\n    {}\n", web(volumes), body.replace('\n', "\n    "))
}

fn config_map(rest: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\n{rest}")
}

/// Nested levels of lists or mappings, each with nine aliases of the previous level.
fn bomb(first: &str, level: impl Fn(&str) -> String) -> String {
    let levels = (1..12).map(|n| format!("  a{n}: &a{n} {}\n", level(&vec![format!("*a{}", n - 1); 9].join(", "))));
    format!("x:\n  a0: &a0 {first}\n{}", levels.collect::<String>())
}

/// Manifests of all kinds that the program copies or searches as a whole, with `value` in the fields that accept any
/// content.
fn with_anything(value: &str) -> String {
    let deployment = web(&format!(
        "        args: [--listen-address=:8080]\n        resources: {value}\n        env: [{{name: A, value: {value}}}]\n"
    ));
    let deployment = deployment.replacen("spec:\n", &format!("spec:\n  strategy: {value}\n"), 1);
    let target = "targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}";
    let others = [
        ("v1", "ConfigMap", "data: {a: VALUE}"),
        ("v1", "Pod", "spec: VALUE"),
        ("example.org/v1", "Unknown", "spec: {service: web, port: VALUE}"),
        ("apps.kruise.io/v1alpha1", "WorkloadSpread", "spec: {TARGET, subsets: [{name: a, patch: VALUE}]}"),
        ("apps.kruise.io/v1alpha1", "UnitedDeployment", "spec: {topology: {subsets: [{name: a, patch: VALUE}]}}"),
        ("pkg.crossplane.io/v1", "Provider", "spec: {package: 'example.org/p:v1', runtimeConfigRef: VALUE}"),
        ("pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig", "spec: {deploymentTemplate: VALUE}"),
        ("pkg.crossplane.io/v1alpha1", "ControllerConfig", "spec: VALUE"),
        ("networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {}, ingress: VALUE}"),
    ];
    let object = |(version, kind, body): &(&str, &str, &str)| {
        let body = body.replace("TARGET", target).replace("VALUE", value);
        format!("---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\n{body}\n")
    };
    format!("{deployment}{}", others.iter().map(object).collect::<String>())
}

const MANY: usize = 100_000;

/// The limits are enforced: with too little memory the run fails.
#[test]
#[should_panic(expected = "enough")]
fn a_run_beyond_its_bounds_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), AUTO).unwrap();
    let script = "ulimit -c 0; ulimit -v 150000; exec \"$0\" apply -c config.yaml";
    let input = config_map(&format!("data: {{a: {}}}\n", "x".repeat(200 << 20)));
    let output = run(Command::new("sh").current_dir(folder.path()).args(["-c", script, HOSTNET]), input.as_bytes());
    assert!(output.status.success(), "not enough memory: {}", output.status);
}

#[test]
fn hostile_yaml_stays_within_limits() {
    let keys: String = (0..1_000_000).map(|n| format!("  k{n}: v\n")).collect();
    let merged = bomb("{k: v}", |all| format!("{{<<: [{all}]}}"));
    let listed = bomb("[x]", |all| format!("[{all}]"));
    for (name, input, times) in [
        ("10^6 keys", config_map(&format!("data:\n{keys}")), 40),
        ("10^5 levels of lists", config_map(&format!("x: {}", "[".repeat(MANY))), 100),
        ("10^5 levels of mappings", config_map(&format!("x: {}", "{a: ".repeat(MANY))), 100),
        ("10^5 levels of dashes", config_map(&format!("x:\n  {}a\n", "- ".repeat(MANY))), 100),
        ("10^5 levels of keys", config_map(&format!("x:\n  {}a\n", "? ".repeat(MANY))), 100),
        (
            "10^5 levels of JSON",
            format!("{{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"x\": {}", "[".repeat(MANY)),
            100,
        ),
        ("a line of 10 MB", web(&format!("        env: [{{name: A, value: {}}}]\n", "x".repeat(10 << 20))), 20),
        ("a flow list of 10 MB in a line", config_map(&format!("x: [{}b]\n", "a, ".repeat(3_000_000))), 60),
        ("10^6 lines of comments", format!("{}{}", "# c\n".repeat(1_000_000), web("")), 40),
        ("3 * 10^5 markers", format!("{}{}", "---\n".repeat(3 * MANY), web("")), 200),
        ("10^5 aliases", config_map(&format!("x: &a b\ny:\n{}", "- *a\n".repeat(MANY))), 100),
        ("an alias bomb", format!("{}{listed}", web("")), 1),
        ("an alias bomb as arguments", format!("{listed}{}", web("        args: *a11\n")), 1),
        ("a bomb of merge keys", format!("{merged}{}", web("        resources: {<<: *a11}\n")), 1),
    ] {
        bounded(name, AUTO, &input, times);
    }
}

/// Nested anchors, each with the previous one inside `brackets` brackets.
fn chain(anchors: usize, brackets: usize) -> String {
    let level = |n: usize| {
        let inner = if n == 0 { "x".to_owned() } else { format!("*a{}", n - 1) };
        format!("a{n}: &a{n} {}{inner}{}", "[".repeat(brackets), "]".repeat(brackets))
    };
    format!("{{{}}}", (0..anchors).map(level).collect::<Vec<_>>().join(", "))
}

/// Every function that follows aliases, in each kind, field and command, terminates and does not overflow the stack.
#[test]
fn hostile_aliases_stay_within_limits() {
    let bombs = |levels: usize, first: &str| {
        let level = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 9].join(", "));
        format!("{{a0: &a0 {first}, {}}}", (1..=levels).map(level).collect::<Vec<_>>().join(", "))
    };
    let values = [
        ("an alias in its own anchor", "&s {x: *s}".to_owned(), 1),
        ("an alias in its own anchor, in a list", "&s [{x: [*s]}]".to_owned(), 1),
        ("an alias bomb of eleven levels", bombs(11, "[8080]"), 1),
        ("an alias bomb that is read", bombs(4, "[8080]"), 4_000),
        ("a deep chain of anchors", chain(13, 900), 1),
        ("a chain of anchors that is read", chain(9, 100), 100),
        ("levels without an alias", chain(1, 980), 100),
    ];
    for (name, value, times) in values {
        let input = with_anything(&value);
        for command in [
            "apply -q -c config.yaml",
            "check -",
            "ports -c config.yaml -",
            "ports -",
            "patch -c config.yaml --as component -",
            "explain shop/web -c config.yaml -",
            "init --to - -",
            "mirror list -",
            "proxy check -",
        ] {
            bounded_run(command, &format!("{name}, {command}"), AUTO, &input, times);
        }
    }
}

#[test]
fn hostile_manifests_stay_within_limits() {
    let doubled = |from: &str| -> String {
        (1..60)
            .map(|n| format!("        - {{name: VAR{n}, value: '$(VAR{0})$(VAR{0})'}}\n", n - 1))
            .fold(from.to_owned(), |all, one| all + &one)
    };
    let variables =
        doubled("        args: ['--listen-address=$(VAR59)']\n        env:\n        - {name: VAR0, value: ':8080'}\n");
    let circle = doubled(
        "        args: ['--listen-address=$(VAR0)']\n        env:\n        - {name: VAR0, value: '$(VAR59)'}\n",
    );
    let containers: String = (0..10_000)
        .map(|n| format!("      - {{name: c{n}, image: a:v1, args: ['--peer=localhost:8080']}}\n"))
        .collect();
    let ports: Vec<String> = (1..10_000).map(|n| format!("{{name: p{n}, port: {n}, targetPort: 8080}}")).collect();
    let service = format!(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{}]}}\n",
        ports.join(", ")
    );
    for (name, input, times) in [
        ("variables that double", web(&variables), 1),
        ("variables in a circle", web(&circle), 1),
        (
            "an argument of 3 MB of addresses",
            web(&format!("        args: ['--listen-address=:8080', '{}']\n", "a:8080,".repeat(500_000))),
            100,
        ),
        ("10,000 containers", format!("{}{containers}", web("        args: [--listen-address=:8080]\n")), 200),
        ("a Service of 10,000 ports", format!("{}{service}", web("        args: [--listen-address=:8080]\n")), 200),
        ("a mounted file of 10 MB in a line", mounted("a.conf", &"localhost:8080 ".repeat(700_000)), 20),
        ("a mounted file of 200,000 lines", mounted("a.conf", &"listen 8080;\n".repeat(200_000)), 40),
        ("mounted JSON of 10^5 levels", mounted("a.json", &"[".repeat(MANY)), 100),
        ("mounted YAML of 10^5 levels", mounted("a.yaml", &"- ".repeat(MANY)), 100),
        ("10^5 schemes", mounted("a.conf", &"http://".repeat(MANY)), 100),
    ] {
        bounded(name, AUTO, &input, times);
    }
}

#[test]
fn hostile_scripts_stay_within_limits() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("$((", "))"),
        ("$((x) ", ")"),
        ("\"$((x) ", ")\""),
        ("${a:-", "}"),
        ("$[", "]"),
        ("`", "`"),
        ("{ ", ";}"),
        ("if a; then ", "; fi"),
        ("case a in a) ", ";; esac"),
        ("\"", "\""),
        ("a | ", ""),
        ("<<a ", ""),
        ("{0,1}", ""),
        ("*?[a-z]", ""),
    ] {
        for count in [20, 3_000, 50_000] {
            let deep = format!("{}8080{}", open.repeat(count), close.repeat(count));
            for text in [deep.clone(), format!("$(({deep}))"), format!("\"{deep}\""), open.repeat(count)] {
                bounded(&format!("{count} times `{open}`"), AUTO, &script(&text), 1_500);
            }
        }
    }
}

/// Inputs with many objects of one sort for each of many others, as in `make bench`.
#[test]
fn hostile_shapes_stay_within_limits() {
    for shape in &shapes::ALL {
        let command = if shape.is_checked { "proxy check" } else { "apply -q -c config.yaml" };
        bounded_run(command, shape.name, shapes::CONFIG, &(shape.make)(shape.size), 400);
    }
}

/// Regular expressions of a config run in linear time, and large ones are rejected.
#[test]
fn hostile_patterns_stay_within_limits() {
    let select = |pattern: &str| {
        format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: all}}\nspec: {{unmatched: Ignore, targets: [{{select: {{name: '{pattern}'}}}}]}}\n"
        )
    };
    let with_long_name = web("").replace("name: web, namespace", &format!("name: {}, namespace", "a".repeat(200_000)));
    for pattern in ["(a*)*b", "(a|a)*b", "(a|aa)+$", "(.*)*(.*)*(.*)*c", "a{1,500}a{1,500}b"] {
        assert_eq!(bounded(pattern, &select(pattern), &with_long_name, 1_000).0, Some(0), "{pattern}");
    }
    for pattern in ["((a{1000}){1000}){1000}", &"(".repeat(100_000)] {
        let (code, log) = bounded("a large pattern", &select(pattern), &with_long_name, 1_000);
        assert_eq!(code, Some(1), "{log}");
        assert!(log.contains("is not a regular expression"), "{}", log.chars().take(300).collect::<String>());
    }
}
