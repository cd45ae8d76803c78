//! `hostnet learn` with help texts of real programs, written by hand from their flag definitions.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

mod written;

use crate::support::run::{Run, hostnet};
use tempfile::TempDir;

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec:
  targets:
  # All of them.
  - select: {kind: Deployment}   # in each namespace
    ports: auto
";

/// A Deployment whose container has these arguments and ports, and no other setting.
fn workload(name: &str, args: &str, ports: &[u16]) -> String {
    let ports: Vec<String> = ports.iter().map(|port| format!("{{name: p{port}, containerPort: {port}}}")).collect();
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: shop}}
spec:
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - {{name: manager, image: 'example.com/{name}:v1', args: {args}, ports: [{}]}}
",
        ports.join(", ")
    )
}

/// A folder with a config and manifests.
struct Folder(TempDir);

impl Folder {
    fn new(manifests: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
        std::fs::write(folder.path().join("input.yaml"), manifests.join("---\n")).unwrap();
        Self(folder)
    }

    fn config(&self) -> String {
        std::fs::read_to_string(self.0.path().join("config.yaml")).unwrap()
    }

    fn learn(&self, arguments: &[&str], help: &str) -> Run {
        let all = [&["learn", "-c", "config.yaml"], arguments, &["input.yaml"]].concat();
        hostnet(self.0.path(), &all, help.as_bytes())
    }
}

/// The lines learned from a help text, and the notes.
fn learned(args: &str, ports: &[u16], help: &str) -> (String, String) {
    let run = Folder::new(&[workload("web", args, ports)]).learn(&["shop/web"], help);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (run.text(), run.stderr)
}

/// A help text of `helps/`, the declared ports of its container, and the entries: port, number, flag, value.
type Case = (&'static str, &'static [u16], &'static [(&'static str, u16, &'static str, &'static str)]);

#[rustfmt::skip]
const PROGRAMS: [Case; 27] = [
    ("appmesh-controller", &[8080], &[("p8080", 8080, "-metrics-addr", ":{port}")]),
    ("arseeding", &[8080, 27017], &[("p8080", 8080, "--port", ":{port}")]),
    ("audit-otlp", &[8080, 55680], &[("p8080", 8080, "-metrics-addr", ":{port}")]),
    ("ax", &[], &[("listen", 8080, "--addr", ":{port}")]),
    ("cacppt", &[9443], &[("metrics", 8080, "-metrics-bind-addr", ":{port}"), ("p9443", 9443, "-webhook-port", "")]),
    ("capi-test-extension", &[9443, 6060], &[("p9443", 9443, "--webhook-port", "")]),
    ("capo", &[9443], &[("health", 9440, "--health-addr", ":{port}"), ("p9443", 9443, "--webhook-port", "")]),
    ("clash-exporter", &[9877], &[("p9877", 9877, "--web.listen-address", ":{port}")]),
    ("cluster-dashboard", &[3000], &[("p3000", 3000, "--bind-addr", "0.0.0.0:{port}")]),
    ("greenhouse-authz", &[9443], &[
        ("metrics", 6543, "-metrics-addr", ":{port}"),
        ("healthz", 8081, "-healthz-addr", ":{port}"),
        ("p9443", 9443, "-webhook-port", ""),
    ]),
    ("hmc-controller", &[9443], &[("p9443", 9443, "-webhook-port", "")]),
    ("ingestion", &[8080], &[("p8080", 8080, "--listen-addr", "0.0.0.0:{port}")]),
    ("karmada-controller-manager", &[8080], &[
        ("health-probe", 8000, "--health-probe-bind-address", ":{port}"),
        ("p8080", 8080, "--metrics-bind-address", ":{port}"),
    ]),
    ("langtrack", &[8000], &[("p8000", 8000, "--port", "")]),
    ("light-client-service", &[3000], &[("p3000", 3000, "--addr", "0.0.0.0:{port}")]),
    ("linen", &[9000], &[("p9000", 9000, "--port", "")]),
    ("marin3r-webhook", &[9443], &[("p9443", 9443, "--webhook-port", "")]),
    ("ocean-manager", &[8081], &[
        ("metrics", 8080, "--metrics-bind-address", ":{port}"),
        ("p8081", 8081, "--health-probe-bind-address", ":{port}"),
    ]),
    ("placement-client", &[8080], &[]),
    ("puppet-exporter", &[9219], &[("p9219", 9219, "--web.listen-address", ":{port}")]),
    ("rpaas-operator", &[8080, 20000], &[("p8080", 8080, "-metrics-addr", ":{port}")]),
    ("script-exporter", &[9469], &[("p9469", 9469, "-web.listen-address", ":{port}")]),
    ("smartthings-exporter", &[9499], &[("p9499", 9499, "--web.listen-address", ":{port}")]),
    ("toggl-exporter", &[9981], &[("p9981", 9981, "--web.listen-address", ":{port}")]),
    ("webhook-scheduler", &[4222], &[
        ("metrics", 8082, "-metrics-bind-address", ":{port}"),
        ("health-probe", 8083, "-health-probe-bind-address", ":{port}"),
    ]),
    ("worker-operator", &[9443], &[
        ("metrics", 8080, "-metrics-bind-address", ":{port}"),
        ("health-probe", 8081, "-health-probe-bind-address", ":{port}"),
    ]),
    ("zfs-debug-exporter", &[9992], &[("p9992", 9992, "-web.listen-address", "127.0.0.1:{port}")]),
];

#[test]
fn helps_of_programs_give_these_lines_and_no_others() {
    let folder = crate::support::project().join("tests/rules/learn/helps");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), PROGRAMS.len());
    for (program, ports, lines) in PROGRAMS {
        let help = std::fs::read_to_string(folder.join(format!("{program}.txt"))).unwrap();
        let line = |(port, number, arg, value): &(&str, u16, &str, &str)| {
            let value = if value.is_empty() { String::new() } else { format!(", value: \"{value}\"") };
            format!("- {{container: manager, port: {port}, number: {number}, arg: {arg}{value}}}\n")
        };
        assert_eq!(learned("[serve]", ports, &help).0, lines.iter().map(line).collect::<String>(), "{program}");
    }
}

const PFLAG: &str = "Flags:\n      --listen-port int   Port (default 8443)\n";

#[test]
fn a_flag_that_the_manifest_sets_has_no_default() {
    assert!(learned("[serve]", &[8443], PFLAG).0.contains("arg: --listen-port"));
    for args in
        ["[--listen-port=9000]", "[--listen-port, '9000']", "[-listen-port=9000]", "['exec x --listen-port 9000']"]
    {
        assert_eq!(learned(args, &[8443], PFLAG).0, "", "{args}");
    }
    assert!(learned("[--listen-port-name=a]", &[8443], PFLAG).0.contains("arg: --listen-port"), "another flag");
}

#[test]
fn two_flags_with_the_same_default_are_reported_but_not_written() {
    let help = format!("{PFLAG}      --serve-addr string   Address (default \":8443\")\n");
    let (lines, notes) = learned("[serve]", &[8443], &help);
    assert_eq!(lines, "");
    assert!(notes.contains("`--listen-port` and `--serve-addr` have the default 8443"), "{notes}");
    // A flag of a client, a timeout and a size do not count as a second flag.
    let help = format!(
        "{PFLAG}      --redis-port int   Port of Redis (default 8443)\n      --shutdown-timeout int   (default 8443)\n      \
         --queue-size int   (default 8443)\n"
    );
    assert!(learned("[serve]", &[8443], &help).0.contains("arg: --listen-port"));
}

#[test]
fn flags_of_clients_and_sizes_are_no_listeners() {
    let help = "Flags:\n      --redis-port int   Port of Redis (default 8443)\n";
    let (lines, notes) = learned("[serve]", &[8443], help);
    assert_eq!(lines, "");
    assert!(notes.contains("`--redis-port` has the default 8443, and its name does not suggest"), "{notes}");
    assert_eq!(learned("[serve]", &[], "Flags:\n      --upstream-addr string   (default \":8443\")\n").0, "");
    // A number without a port in the manifest does not prove a listener.
    let (lines, notes) = learned("[serve]", &[], PFLAG);
    assert_eq!(lines, "");
    assert!(
        notes.contains("`--listen-port` has the default 8443, and nothing in the manifests shows a listener there"),
        "{notes}"
    );
}

#[test]
fn a_default_of_zero_is_off() {
    let (lines, notes) = learned("[serve]", &[8080], "Flags:\n      --metrics-bind-address string   (default \"0\")\n");
    assert_eq!(lines, "");
    assert!(notes.contains("`--metrics-bind-address` has the default `0`: it is off until it is set"), "{notes}");
    assert!(notes.contains("no flag in the help text has the default 8080, the number of port p8080"), "{notes}");
}

#[test]
fn defaults_in_prose_and_double_defaults_are_ignored() {
    for help in [
        "Flags:\n      --listen-port int   By default 8443\n",
        "Flags:\n      --listen-port int   Use the default for 8443\n",
        "Flags:\n      --listen-port int   (default 80 or 8443)\n",
        "Flags:\n      --listen-port int   (default 8442) (default 8443)\n",
        "Flags:\n      --listen-port=PORT\n",
        "listens on --listen-port (default 8443)\n\nFlags:\n  -h\n",
    ] {
        let (lines, notes) = learned("[serve]", &[8443], help);
        assert_eq!(lines, "", "{help}: {notes}");
    }
}

#[test]
fn a_help_without_flags_and_unknown_names_are_errors() {
    let folder = Folder::new(&[workload("web", "[serve]", &[8443])]);
    let run = folder.learn(&["shop/web"], "unknown command \"--help\"\n");
    assert_eq!((run.code, run.text().as_str()), (Some(1), ""));
    assert!(run.stderr.contains("standard input shows no flag"), "{}", run.stderr);
    let run = folder.learn(&["shop/api"], PFLAG);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no target selects a container `shop/api`; selected are: shop/web"), "{}", run.stderr);
    let run = hostnet(folder.0.path(), &["learn", "-c", "config.yaml", "shop/web", "-"], b"");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

/// Standard input is the help, so the build is a file.
#[test]
fn the_folder_of_a_kustomization_is_built_into_a_file() {
    let folder = Folder::new(&[workload("web", "[serve]", &[8443])]);
    let deploy = folder.0.path().join("deploy");
    std::fs::create_dir(&deploy).unwrap();
    std::fs::write(deploy.join("kustomization.yaml"), "resources: [in.yaml]\n").unwrap();
    std::fs::write(deploy.join("in.yaml"), workload("web", "[serve]", &[8443])).unwrap();
    let run =
        |path: &str| hostnet(folder.0.path(), &["learn", "-c", "config.yaml", "shop/web", path], PFLAG.as_bytes());
    insta::assert_snapshot!(run("deploy").stderr, @"error: deploy: its files are only inputs of a build: run `kustomize build deploy > built.yaml`, and give built.yaml as PATH");
    assert_eq!((run("deploy").code, run("deploy/in.yaml").code), (Some(1), Some(0)));
}

#[test]
fn an_error_counts_the_names_that_it_omits() {
    let all: Vec<String> = (10..33).map(|number| workload(&format!("web{number}"), "[]", &[8080])).collect();
    let run = Folder::new(&all).learn(&["shop/api"], PFLAG);
    assert!(run.stderr.contains("shop/web29 and 3 more") && !run.stderr.contains("shop/web30"), "{}", run.stderr);
}

/// A text with the help of two commands: the default is ambiguous.
#[test]
fn a_flag_with_two_defaults_gets_no_entry() {
    let help = |second: &str| {
        format!(
            "  -listen string\n    \tListen. (default \":9981\")\n  -listen string\n    \tListen. (default \":{second}\")\n"
        )
    };
    let (written, log) = learned("[serve]", &[9981], &help("9982"));
    assert!(!written.contains("arg: -listen"), "{written}");
    assert!(
        log.contains("`-listen` has the defaults `:9981`, `:9982`") || written.contains("`-listen` has the defaults"),
        "{written}{log}"
    );
    // Another flag with the same number would also make it ambiguous.
    let (written, log) = learned("[serve]", &[9982], &help("9982"));
    assert!(!written.contains("number: 9982"), "{written}{log}");
}

#[test]
fn two_flags_with_the_same_word_get_different_port_names() {
    let help = "  -web.listen string\n    \tListen. (default \":8081\")\n  -web.listen-address string\n    \tListen. (default \":9981\")\n";
    let (written, log) = learned("[serve]", &[], help);
    assert!(written.contains("port: web") && written.contains("port: web-9981"), "{written}{log}");
}
