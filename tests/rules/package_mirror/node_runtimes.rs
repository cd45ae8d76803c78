//! `hostnet mirror node-config --runtime k3s|cri-o`: the files, as the parsers of k3s and CRI-O read them.

use std::path::Path;
use std::process::Command;

use super::verify_text::package;
use crate::support::registry::LocalRegistry;
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, run, text};

/// A config whose rules lead to two folders of a registry, a registry with a port, and two whole registries.
const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: PackageMirror
metadata: {name: m}
spec:
  ca: {name: registry-ca, key: ca.crt}
  rules:
  - {from: a.io, to: registry.example.com/x}
  - {from: b.io, to: registry.example.com/y/z}
  - {from: c.io, to: '172.18.0.5:5000'}
  - {from: d.io, to: secure.example.com}
  - {from: e.io, to: plain.example.com}
";

const ARGUMENTS: [&str; 10] = [
    "--at",
    "registry.example.com=https://10.0.0.1:8443",
    "--ca",
    "registry.example.com=/etc/ssl/it's: #x.pem",
    "--ca",
    "secure.example.com=/etc/ssl/mirror.pem",
    "--http",
    "172.18.0.5:5000",
    "--http",
    "plain.example.com",
];

/// Standard output and standard error.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    std::fs::write(folder.join("mirror.yaml"), CONFIG).unwrap();
    let run = hostnet(folder, &[&["mirror", "node-config", "-c", "mirror.yaml"], arguments].concat(), b"");
    format!("{}{}", run.text(), run.stderr)
}

#[test]
fn each_runtime_has_files_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let of = |runtime: &'static str| printed(folder.path(), &[&["--runtime", runtime][..], &ARGUMENTS].concat());
    insta::assert_snapshot!(of("k3s"), @r#"
    # /etc/rancher/k3s/registries.yaml
    # Made by `hostnet mirror node-config`.
    # For RKE2 the path is /etc/rancher/rke2/registries.yaml. Restart k3s or RKE2 afterwards: it then regenerates containerd's own files.
    mirrors:
      172.18.0.5:5000:
        endpoint:
        - http://172.18.0.5:5000
      plain.example.com:
        endpoint:
        - http://plain.example.com
      registry.example.com:
        endpoint:
        - https://10.0.0.1:8443
    configs:
      10.0.0.1:8443:
        tls:
          ca_file: "/etc/ssl/it's: #x.pem"
      secure.example.com:
        tls:
          ca_file: /etc/ssl/mirror.pem
    "#);
    insta::assert_snapshot!(of("cri-o"), @r#"
    # /etc/containers/registries.conf.d/hostnet.conf
    # Made by `hostnet mirror node-config`.
    # CRI-O reads it again on `systemctl reload crio`.
    # CRI-O has no setting for certificates. On each node: mkdir -p /etc/containers/certs.d/10.0.0.1:8443 && cp '/etc/ssl/it'\''s: #x.pem' /etc/containers/certs.d/10.0.0.1:8443/ca.crt
    # CRI-O has no setting for certificates. On each node: mkdir -p /etc/containers/certs.d/secure.example.com && cp /etc/ssl/mirror.pem /etc/containers/certs.d/secure.example.com/ca.crt

    [[registry]]
    prefix = "172.18.0.5:5000"
    location = "172.18.0.5:5000"
    insecure = true

    [[registry]]
    # CRI-O takes it for this host with any port too.
    prefix = "plain.example.com"
    location = "plain.example.com"
    insecure = true

    [[registry]]
    prefix = "registry.example.com/x"
    location = "10.0.0.1:8443/x"

    [[registry]]
    prefix = "registry.example.com/y/z"
    location = "10.0.0.1:8443/y/z"
    "#);
    for (runtime, file) in [("k3s", "registries.yaml"), ("cri-o", "registries.conf.d/hostnet.conf")] {
        let arguments = [&["--runtime", runtime, "--output", "files"][..], &ARGUMENTS].concat();
        // A file of an earlier run is replaced.
        for _ in 0..2 {
            assert_eq!(printed(folder.path(), &arguments), "", "{runtime}");
        }
        let written = std::fs::read_to_string(folder.path().join("files").join(file)).unwrap();
        assert_eq!(of(runtime).split_once('\n').unwrap().1, written, "{runtime}");
    }
}

#[test]
fn arguments_for_another_runtime_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        printed(folder.path(), &["--runtime", "k3s", "--containerd", "1", "--http", "172.18.0.5:5000"]),
        printed(folder.path(), &["--runtime", "cri-o", "--kind"]),
        printed(folder.path(), &["--runtime", "k3s"]),
        printed(folder.path(), &["--ca", "secure.example.com=/etc/a\nb"]),
    ];
    insta::assert_snapshot!(all.concat(), @r"
    error: `--containerd` is the version of a containerd with its own config: leave it out
    error: nodes of kind have a containerd with its own config: leave `--runtime` out
    error: it is not known how nodes reach 172.18.0.5:5000, plain.example.com, registry.example.com, secure.example.com: a registry whose certificate they trust needs no file; else use `--http HOST`, `--ca HOST=FILE` or `--at HOST=URL`
    error: `--ca secure.example.com=/etc/a\nb`: a path with control characters is not written into files of nodes
    ");
}

/// An image by digest, and images with names similar to images of the config.
const IMAGES: [&str; 11] = [
    "registry.example.com/x/o/p:v1",
    "registry.example.com/x/o/p@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "registry.example.com/y/z/p:v1",
    "registry.example.com:5000/x/p:v1",
    "registry.example.com.evil/x/p:v1",
    "172.18.0.5:5000/q/p:v1",
    "172.18.0.5:5001/q/p:v1",
    "secure.example.com/q/p:v1",
    "plain.example.com/q/p:v1",
    "plain.example.com:5000/q/p:v1",
    "other.io/x/p:v1",
];

/// The locations where a program finds images with a file or folder, one line for each image.
fn places(program: &Path, at: &Path, images: &[&str]) -> String {
    let output = run(Command::new(program).arg(at).args(images), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The locations that a referee finds with the written file; also pulls an image from a local registry.
fn judged(program: &str, runtime: &str, written: &str) -> Option<String> {
    let registry = LocalRegistry::start()?;
    let Some(program) = find_program(program) else {
        not_run(&format!("{program} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&["--runtime", runtime, "--output", "files"][..], &ARGUMENTS].concat();
    assert_eq!(printed(folder.path(), &arguments), "");
    let found = places(&program, &folder.path().join("files").join(written), &IMAGES);

    package().lay(&folder.path().join("layout"));
    let digest = registry.digest(&registry.push(&folder.path().join("layout"), "x/o/p:v1"));
    let at = format!("registry.example.com=http://{}", registry.host);
    assert_eq!(printed(folder.path(), &["--runtime", runtime, "--output", "pulled", "--at", &at]), "");
    let pulled = folder.path().join("pulled").join(written);
    let by_digest = format!("registry.example.com/x/o/p@{digest}");
    for image in ["registry.example.com/x/o/p:v1", &by_digest] {
        let line = places(&program, &pulled, &[image]);
        assert!(line.trim_end().ends_with(&format!(" {digest}")) && line.contains(&registry.host), "{line}");
    }
    Some(found)
}

/// After the mirror, k3s contacts the registry itself, for the whole host; the output does not show certificates.
#[test]
fn k3s_finds_images_by_the_file() {
    let Some(found) = judged("k3s-registries", "k3s", "registries.yaml") else { return };
    insta::assert_snapshot!(found, @"
    registry.example.com/x/o/p:v1 https://10.0.0.1:8443 https://registry.example.com -
    registry.example.com/x/o/p@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef https://10.0.0.1:8443 https://registry.example.com -
    registry.example.com/y/z/p:v1 https://10.0.0.1:8443 https://registry.example.com -
    registry.example.com:5000/x/p:v1 https://registry.example.com:5000 -
    registry.example.com.evil/x/p:v1 https://registry.example.com.evil -
    172.18.0.5:5000/q/p:v1 http://172.18.0.5:5000 https://172.18.0.5:5000 -
    172.18.0.5:5001/q/p:v1 https://172.18.0.5:5001 -
    secure.example.com/q/p:v1 https://secure.example.com -
    plain.example.com/q/p:v1 http://plain.example.com https://plain.example.com -
    plain.example.com:5000/q/p:v1 https://plain.example.com:5000 -
    other.io/x/p:v1 https://other.io -
    ");
}

/// In CRI-O, a host without port and path also matches the host with a port, as a comment of the file explains.
#[test]
fn cri_o_finds_images_by_the_file() {
    let Some(found) = judged("crio-registries", "cri-o", "") else { return };
    insta::assert_snapshot!(found, @"
    registry.example.com/x/o/p:v1 10.0.0.1:8443/x/o/p:v1 -
    registry.example.com/x/o/p@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef 10.0.0.1:8443/x/o/p@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef -
    registry.example.com/y/z/p:v1 10.0.0.1:8443/y/z/p:v1 -
    registry.example.com:5000/x/p:v1 registry.example.com:5000/x/p:v1 -
    registry.example.com.evil/x/p:v1 registry.example.com.evil/x/p:v1 -
    172.18.0.5:5000/q/p:v1 172.18.0.5:5000/q/p:v1 (insecure) -
    172.18.0.5:5001/q/p:v1 172.18.0.5:5001/q/p:v1 -
    secure.example.com/q/p:v1 secure.example.com/q/p:v1 -
    plain.example.com/q/p:v1 plain.example.com/q/p:v1 (insecure) -
    plain.example.com:5000/q/p:v1 plain.example.com:5000/q/p:v1 (insecure) -
    other.io/x/p:v1 other.io/x/p:v1 -
    ");
}

/// Runs the certificate line of the file for CRI-O, in a folder that replaces /etc/containers.
fn copy_certificates(conf: &str, folder: &Path) -> Option<()> {
    let line = conf.lines().find_map(|line| line.split_once("On each node: "))?.1;
    let line = line.replace("/etc/containers", &folder.display().to_string());
    let output = run(Command::new("sh").args(["-euc", &line]).current_dir(folder), b"");
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    Some(())
}

/// The printed line for certificates runs with any path, and creates the file that CRI-O reads.
#[test]
fn the_line_for_certificates_of_cri_o_runs() {
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("it's; touch x #.pem");
    std::fs::write(&ca, "PEM").unwrap();
    let argument = format!("secure.example.com={}", ca.display());
    let conf = printed(folder.path(), &["--runtime", "cri-o", "--ca", &argument]);
    copy_certificates(&conf, folder.path()).unwrap();
    let copied = std::fs::read_to_string(folder.path().join("certs.d/secure.example.com/ca.crt"));
    assert_eq!(copied.unwrap(), "PEM");
    assert!(!conf.contains("[[registry]]") && !folder.path().join("x").exists(), "{conf}");
}

/// Nodes pull from a registry with a private certificate only if `--ca` names the file.
#[test]
fn nodes_trust_the_certificate_of_a_registry_only_with_ca() {
    let names = ["xpkg-registry", "containerd-hosts", "k3s-registries", "crio-registries"];
    let [Some(server), Some(containerd), Some(k3s), Some(crio)] = names.map(find_program) else {
        return not_run(
            "xpkg-registry, containerd-hosts, k3s-registries or crio-registries is missing (`make tools` builds them with Go)",
        );
    };
    let folder = tempfile::tempdir().unwrap();
    let ca = folder.path().join("ca.pem").display().to_string();
    let registry = super::verify::Registry::start_with(&server, &["-only", "annotated", "-tls", &ca]);
    let at = format!("secure.example.com=https://{}", registry.host);
    let own = format!("secure.example.com={ca}");
    let image = "secure.example.com/p/annotated:v1.0.0";
    for with_ca in [true, false] {
        let pulls = |runtime: &str| {
            let ca = if with_ca { vec!["--ca", &own] } else { Vec::new() };
            let arguments = [&["--runtime", runtime, "--at", &at, "--output", "files", "--force"][..], &ca].concat();
            assert_eq!(printed(folder.path(), &arguments), "");
            let files = folder.path().join("files");
            let output = match runtime {
                "containerd" => run(Command::new(&containerd).arg(files.join("certs.d")).args(["pull", image]), b""),
                "k3s" => run(Command::new(&k3s).arg(files.join("registries.yaml")).arg(image), b""),
                _ => {
                    let conf = std::fs::read_to_string(files.join("registries.conf.d/hostnet.conf")).unwrap();
                    let root = tempfile::tempdir().unwrap();
                    std::fs::create_dir(root.path().join("registries.conf.d")).unwrap();
                    std::fs::write(root.path().join("registries.conf.d/hostnet.conf"), &conf).unwrap();
                    assert_eq!(copy_certificates(&conf, root.path()).is_some(), with_ca, "{conf}");
                    run(Command::new(&crio).arg(root.path()).arg(image), b"")
                }
            };
            text(&output.stdout).contains("sha256:")
        };
        assert_eq!(["containerd", "k3s", "cri-o"].map(pulls), [with_ca; 3]);
    }
}
