//! `hostnet mirror node-config`: the files, as containerd's own code reads them, and the script for kind.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::verify_text::package;
use crate::support::registry::LocalRegistry;
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, project, run, text};

fn config(folder: &Path, to: &[&str]) {
    let rules: String = to.iter().enumerate().map(|(at, to)| format!("  - {{from: a{at}.io, to: '{to}'}}\n")).collect();
    let text = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec:\n  rules:\n{rules}"
    );
    std::fs::write(folder.join("mirror.yaml"), text).unwrap();
}

/// The output for these targets.
fn printed(to: &[&str], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    config(folder.path(), to);
    let run = hostnet(folder.path(), &[&["mirror", "node-config", "-c", "mirror.yaml"], arguments].concat(), b"");
    format!("{}{}", run.text(), run.stderr)
}

#[test]
fn each_registry_gets_a_file_and_a_config_line() {
    let to = ["172.18.0.5:5000/a", "registry.example.com/x", "registry.example.com/y"];
    insta::assert_snapshot!(printed(&to, &["--http", "172.18.0.5:5000", "--ca", "registry.example.com=/etc/ssl/mirror.pem"]), @r#"
    # /etc/containerd/certs.d/172.18.0.5:5000/hosts.toml
    # Made by `hostnet mirror node-config`.
    server = "http://172.18.0.5:5000"
    capabilities = ["pull", "resolve"]

    # Without this table containerd 1.7 does not read the file.
    [host]

    # /etc/containerd/certs.d/registry.example.com/hosts.toml
    # Made by `hostnet mirror node-config`.
    server = "https://registry.example.com"
    capabilities = ["pull", "resolve"]
    ca = "/etc/ssl/mirror.pem"

    # Without this table containerd 1.7 does not read the file.
    [host]

    # Made by `hostnet mirror node-config`.
    # In /etc/containerd/config.toml, whose first line says `version = 3`; restart containerd after it.
    # `registry.mirrors` must not be set together with `config_path`: containerd then starts without its CRI plugin.
    # containerd from 2.2 on reads it without these lines.
    [plugins."io.containerd.cri.v1.images".registry]
      config_path = "/etc/containerd/certs.d"
    warning: Crossplane's core reads none of these files, and must trust the certificates of registry.example.com too: write `ca: {name: registry-ca, key: ca.crt}` into the spec (`registryCaBundleConfig` of its chart), and `kubectl create configmap registry-ca --namespace crossplane-system --from-file=ca.crt=FILE`
    "#);
    insta::assert_snapshot!(printed(&to, &["--at", "registry.example.com=http://10.0.0.1:80", "--containerd", "1"]), @r#"
    # /etc/containerd/certs.d/registry.example.com/hosts.toml
    # Made by `hostnet mirror node-config`.
    server = "http://10.0.0.1:80"
    capabilities = ["pull", "resolve"]

    # Without this table containerd 1.7 does not read the file.
    [host]

    # Made by `hostnet mirror node-config`.
    # In /etc/containerd/config.toml, whose first line says `version = 2`; restart containerd after it.
    # `registry.mirrors` must not be set together with `config_path`: containerd then starts without its CRI plugin.
    [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/etc/containerd/certs.d"
    "#);
}

#[test]
fn invalid_arguments_and_odd_hosts_are_reported() {
    let to = ["registry.example.com/x"];
    let all: [&[&str]; 7] = [
        &[],
        &["--http", "other.example.com"],
        &["--at", "registry.example.com"],
        &["--at", "registry.example.com=ftp://x"],
        &["--at", "registry.example.com=http://a/b\"c"],
        &["--containerd", "3"],
        &["--kind"],
    ];
    insta::assert_snapshot!(all.map(|arguments| printed(&to, arguments)).concat(), @r#"
    error: it is not known how nodes reach registry.example.com: a registry whose certificate they trust needs no file; else use `--http HOST`, `--ca HOST=FILE` or `--at HOST=URL`
    error: no `to` has the registry `other.example.com`; the registries are registry.example.com
    error: `--at registry.example.com` has no `=`: write `--at HOST=…`
    error: `ftp://x` is not the URL of a registry: write it as `http://172.18.0.5:5000` or `https://registry.example.com`
    error: `http://a/b"c` is not the URL of a registry: write it as `http://172.18.0.5:5000` or `https://registry.example.com`
    error: invalid value '3' for '--containerd <1|2>': 3 is not in 1..=2

    For more information, try '--help'.
    error: a cluster of kind knows one mirror, by an address and port of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16, which Crossplane's core reaches by HTTP; write `to: 172.18.0.5:5000` in each rule instead of registry.example.com
    "#);
    insta::assert_snapshot!(printed(&["..:1/x"], &["--http", "..:1"]), @r#"
    # /etc/containerd/certs.d/..:1/hosts.toml
    # Made by `hostnet mirror node-config`.
    server = "http://..:1"
    capabilities = ["pull", "resolve"]

    # Without this table containerd 1.7 does not read the file.
    [host]

    # Made by `hostnet mirror node-config`.
    # In /etc/containerd/config.toml, whose first line says `version = 3`; restart containerd after it.
    # `registry.mirrors` must not be set together with `config_path`: containerd then starts without its CRI plugin.
    # containerd from 2.2 on reads it without these lines.
    [plugins."io.containerd.cri.v1.images".registry]
      config_path = "/etc/containerd/certs.d"
    "#);
    insta::assert_snapshot!(printed(&["../x"], &["--http", ".."]), @"error: `..` is not a host");
}

/// Hosts from which containerd's own code pulls images of a registry.
fn places(program: &Path, folder: &Path, arguments: &[&str]) -> String {
    let output = run(Command::new(program).arg(folder).args(arguments), b"");
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn containerd_reads_the_files_and_pulls_by_them() {
    let Some(registry) = LocalRegistry::start() else { return };
    let mut answers = Vec::new();
    for name in ["containerd-hosts", "containerd-hosts-v1.7"] {
        match find_program(name) {
            Some(program) => answers.push(read_and_pulled(&program, &registry)),
            None => not_run(&format!("{name} is missing (`make tools` builds it with Go)")),
        }
    }
    let Some(first) = answers.first() else { return };
    assert!(answers.iter().all(|answer| answer == first), "{answers:#?}");
    insta::assert_snapshot!(first, @r"
    mirror.example.com: http://HOST/v2 true
    172.18.0.5:5000: http://172.18.0.5:5000/v2 true
    secure.example.com: https://secure.example.com/v2 true
    other.example.com: https://other.example.com/v2 true
    ");
}

/// The hosts from which one version of containerd pulls with these files; also pulls an image with them.
fn read_and_pulled(program: &Path, registry: &LocalRegistry) -> String {
    let folder = tempfile::tempdir().unwrap();
    package().lay(&folder.path().join("layout"));
    let digest = registry.digest(&registry.push(&folder.path().join("layout"), "x/o/p:v1"));
    config(folder.path(), &["mirror.example.com/x", "172.18.0.5:5000/y", "secure.example.com"]);
    let pem = folder.path().join("ca.pem");
    std::fs::write(&pem, CERTIFICATE).unwrap();
    let at = format!("mirror.example.com=http://{}", registry.host);
    let ca = format!("secure.example.com={}", pem.display());
    let arguments = [
        "mirror",
        "node-config",
        "-c",
        "mirror.yaml",
        "--output",
        "files",
        "--at",
        &at,
        "--http",
        "172.18.0.5:5000",
        "--ca",
        &ca,
    ];
    let written = hostnet(folder.path(), &arguments, b"");
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let files = folder.path().join("files/certs.d");
    let of = |host: &str| format!("{host}: {}", places(program, &files, &[host]).replace(&registry.host, "HOST"));
    let all = ["mirror.example.com", "172.18.0.5:5000", "secure.example.com", "other.example.com"].map(of);
    let pulled = places(program, &files, &["pull", "mirror.example.com/x/o/p:v1"]);
    assert!(pulled.starts_with(&digest), "{pulled}");
    all.concat()
}

/// Runs the script with replacements of docker and kind; containerd's own code reads the files that the script puts
/// into nodes.
#[test]
fn the_script_for_kind() {
    let Some(dash) = find_program("dash") else { return not_run("dash is missing") };
    let example = project().join("examples/kind-local-registry");
    for (version, plugin) in [("1", "io.containerd.grpc.v1.cri"), ("2", "io.containerd.cri.v1.images")] {
        let folder = tempfile::tempdir().unwrap();
        let script =
            hostnet(&example, &["mirror", "node-config", "-c", "hostnet.yaml", "--kind", "--containerd", version], b"");
        assert_eq!(script.code, Some(0), "{}", script.stderr);
        std::fs::write(folder.path().join("kind.sh"), &script.stdout).unwrap();
        let docker = "#!/bin/sh\necho \"docker $*\" >>log\ncase \"$*\" in\n'inspect mirror') [ -f started ] ;;\n'run '*) : >started ;;\n*' tee '*) for last; do :; done; shift 4; mkdir -p \".$(dirname \"$last\")\"; cat >\".$last\" ;;\n'network inspect '*) [ ! -f network ] || echo 172.18.0.0/16 ;;\n'network create '*) : >network ;;\nesac\n";
        let kind = "#!/bin/sh\necho \"kind $*\" >>log\ncase \"$*\" in\n'get clusters') [ ! -f cluster ] || echo kind ;;\n'get nodes') echo kind-control-plane; echo kind-worker ;;\n'create '*) cat >cluster ;;\nesac\n";
        for (name, program) in [("docker", docker), ("kind", kind)] {
            std::fs::write(folder.path().join(name), program).unwrap();
            std::fs::set_permissions(folder.path().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = std::env::join_paths(
            std::iter::once(folder.path().to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        )
        .unwrap();
        let mut logs = Vec::new();
        for _ in 0..2 {
            let output = run(Command::new(&dash).arg("kind.sh").current_dir(folder.path()).env("PATH", &path), b"");
            assert!(output.status.success(), "{}", text(&output.stderr));
            logs.push(std::fs::read_to_string(folder.path().join("log")).unwrap());
            std::fs::remove_file(folder.path().join("log")).unwrap();
        }
        assert!(std::fs::read_to_string(folder.path().join("cluster")).unwrap().contains(plugin));
        assert!(!logs[1].contains("kind create") && !logs[1].contains("docker run"), "{}", logs[1]);
        if version == "2" {
            insta::assert_snapshot!(logs[0], @r"
            docker network inspect -f {{range .IPAM.Config}}{{.Subnet}} {{end}} kind
            docker network create --subnet 172.18.0.0/16 kind
            docker inspect mirror
            docker run --detach --restart=always --name mirror --network kind --ip 172.18.255.5 --env REGISTRY_HTTP_ADDR=0.0.0.0:5000 registry:2
            kind get clusters
            kind create cluster --config=-
            kind get nodes
            docker exec kind-control-plane mkdir -p /etc/containerd/certs.d/172.18.255.5:5000
            docker exec --interactive kind-control-plane tee /etc/containerd/certs.d/172.18.255.5:5000/hosts.toml
            docker exec kind-worker mkdir -p /etc/containerd/certs.d/172.18.255.5:5000
            docker exec --interactive kind-worker tee /etc/containerd/certs.d/172.18.255.5:5000/hosts.toml
            ");
        }
        let Some(program) = find_program("containerd-hosts") else {
            return not_run("containerd-hosts is missing (`make tools` builds it with Go)");
        };
        let places = places(&program, &folder.path().join("etc/containerd/certs.d"), &["172.18.255.5:5000"]);
        assert_eq!(places, "http://172.18.255.5:5000/v2 true\n");
    }
}

/// An unused certificate.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----\n\
MIIBnDCCAUGgAwIBAgIUezovrWvFBf5wWlT/OxC8APmh/DswCgYIKoZIzj0EAwIw\n\
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzA5MjExNVoYDzIxMjYxMDMw\n\
MDkyMTE1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\n\
PQMBBwNCAAQIQDF/yDOL7YTosyaEKPHx28RvYa4NWITGrl3b0pdbaYtT2ytrKjlX\n\
f6zfIa+SR68d/cvsIVOK21YAgSCSwZkgo28wbTAdBgNVHQ4EFgQUPG6qP+N9FWLj\n\
bq33mom7YCi55XwwHwYDVR0jBBgwFoAUPG6qP+N9FWLjbq33mom7YCi55XwwDwYD\n\
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI\n\
zj0EAwIDSQAwRgIhAIy7jk1FmTeWOMRPm6Aua8HrI6lywvw0ZEtN1mhi5riEAiEA\n\
2KxhYHdeOuIeOyV9GkTbMQ1VbNgETQN7l3VOwfLucb4=\n\
-----END CERTIFICATE-----\n\
";
