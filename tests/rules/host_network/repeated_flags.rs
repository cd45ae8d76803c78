//! Flags that a command line repeats, and variables next to flags.

use super::{ALL, deployment, numbers, run};

/// Current numbers of the listeners of a container with this image, args and more fields.
fn listeners(image: &str, args: &str, more: &str) -> Vec<u16> {
    let log = numbers(
        ALL,
        &deployment(&format!("      - {{name: web, image: '{image}', command: [/manager], {args}{more}}}\n")),
    );
    let rows = log.lines().filter(|line| line.starts_with("shop/"));
    let mut found: Vec<u16> = rows.map(|row| row.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    found.sort_unstable();
    found
}

/// Go's package `flag`, and pflag, use the last value.
#[test]
fn the_last_flag_of_a_scaffold_sets_the_port() {
    let own = |args: &str| listeners("example/operator:v1", args, "");
    let (first, second) = ("--metrics-bind-address=:8443", "--metrics-bind-address=:8080");
    assert_eq!(own(&format!("args: ['{first}', '{second}']")), [8080]);
    assert_eq!(own(&format!("args: ['{second}', --leader-elect, '{first}']")), [8443]);
    assert_eq!(own("args: [--metrics-bind-address, ':8443', --metrics-bind-address, ':8080']"), [8080]);
    // The last value turns the listener off.
    assert_eq!(own(&format!("args: ['{first}', --metrics-bind-address=0]")), [0_u16; 0]);
    assert_eq!(own(&format!("args: [--metrics-bind-address=0, '{first}']")), [8443]);
    // Other flags may be lists of addresses.
    assert_eq!(own("args: ['--listen=:8443', '--listen=:8080']"), [8080, 8443]);
    // Two command lines.
    let script = format!("args: [-c, 'manager {first} & exec manager {second}']");
    assert_eq!(own(&script).len(), own(&script.replace("bind-address", "listen-address")).len());
}

#[test]
fn only_the_last_flag_of_a_scaffold_changes() {
    let moved = |args: &str| {
        let container = format!("      - {{name: web, args: [{args}]}}\n");
        run("{targets: [{select: {name: web}, ports: {metrics: 20080}}]}", &deployment(&container)).0
    };
    let differing = moved("'--metrics-bind-address=:8443', '--metrics-bind-address=:8080'");
    assert!(differing.contains("['--metrics-bind-address=:8443', '--metrics-bind-address=:20080']"), "{differing}");
    let equal = moved("'--metrics-bind-address=:8080', '--metrics-bind-address=:8080'");
    assert!(equal.contains("['--metrics-bind-address=:20080', '--metrics-bind-address=:20080']"), "{equal}");
}

/// The catalogue has which of a flag and a variable of a program wins.
#[test]
fn a_variable_or_a_flag_wins() {
    let vault = "env: [{name: AGENT_INJECT_LISTEN, value: ':8000'}]";
    let args = "args: [agent-inject, '-listen=:8001']";
    assert_eq!(listeners("hashicorp/vault-k8s:1.7.0", args, &format!(", {vault}")), [8000]);
    assert_eq!(listeners("hashicorp/vault-k8s:1.7.0", args, ""), [8001]);
    let karpenter = ", env: [{name: METRICS_PORT, value: '8000'}]";
    let all = listeners("public.ecr.aws/karpenter/controller:1.2.0", "args: [--metrics-port=8001]", karpenter);
    assert_eq!(all, [8001, 8081]);
}
