//! Complete stories, from an error of the cluster to a healthy package: runs each command that needs no cluster.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::verify_text::package_of;
use crate::support::registry::LocalRegistry;
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, project, run, text};

fn meta(kind: &str) -> String {
    format!("apiVersion: meta.pkg.crossplane.io/v1\nkind: {kind}\nmetadata: {{name: p}}\n")
}

/// Runs a line of a page in a shell.
fn shell(line: &str, folder: &Path) -> String {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_hostnet"));
    let first = [binary.parent().unwrap().to_owned(), project().join(".tools/bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(first.into_iter().chain(std::env::split_paths(&path))).unwrap();
    let output =
        run(Command::new("sh").args(["-euc", line]).current_dir(folder).env("PATH", path).env("HOME", folder), b"");
    assert!(output.status.success(), "{line}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// A copy of an example, with other hosts.
fn copied(example: &Path, hosts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("base")).unwrap();
    for name in ["hostnet.yaml", "base/crossplane.yaml"] {
        let mut content = std::fs::read_to_string(example.join(name)).unwrap();
        for (from, to) in hosts {
            content = content.replace(from, to);
        }
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// The commands of a page, in order.
fn commands(page: &Path) -> Vec<String> {
    let page = std::fs::read_to_string(page).unwrap();
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.flat_map(|(block, _)| block.lines()).map(str::to_owned).collect()
}

#[test]
fn a_local_registry_and_a_cluster_of_kind() {
    let example = project().join("examples/kind-local-registry");
    let (Some(from), Some(to)) = (LocalRegistry::start(), LocalRegistry::start()) else { return };
    let layouts = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("crossplane-contrib/provider-nop:v0.4.0", meta("Provider")),
        ("crossplane-contrib/function-auto-ready:v0.5.0", meta("Function")),
        ("crossplane/crossplane:v2.3.4", String::new()),
    ] {
        let layout = layouts.path().join(name.replace(['/', ':'], "-"));
        package_of(&content).lay(&layout);
        from.push(&layout, name);
    }
    let as_it_is = copied(&example, &[]);
    let here = copied(&example, &[("xpkg.crossplane.io", &from.host), ("172.18.255.5:5000", &to.host)]);
    let own = std::fs::read_to_string(example.join("function-demo.yaml")).unwrap();
    let lines = commands(&example.join("README.md"));
    assert_eq!(lines.len(), 12, "{lines:?}");
    for line in &lines {
        match line.as_str() {
            // Another test runs it with replacements of docker and kind.
            "sh kind.sh" => {}
            line if line.contains("--kind") => drop(shell(line, as_it_is.path())),
            line if line.starts_with("docker build") || line.starts_with("crossplane xpkg build") => {}
            // Pushes a layout of the tests under the name of the page.
            line if line.starts_with("crossplane xpkg push") => {
                let name = line.rsplit(' ').next().unwrap();
                assert!(own.contains(&format!("package: {name}\n")), "{name}");
                let layout = layouts.path().join("own");
                package_of(&meta("Function")).lay(&layout);
                to.push(&layout, name.strip_prefix("172.18.255.5:5000/").unwrap());
            }
            line if line.starts_with("kubectl apply") => {
                let asks = ["check", "-o", "text", "function-demo.yaml"];
                assert_eq!(hostnet(&example, &asks, b"").code, Some(0), "{line}");
            }
            line if line.contains("/acme/function-demo") => {
                let line = line.replace("172.18.255.5:5000", &to.host);
                let out = shell(&format!("{line} --crossplane v2.3.4"), here.path());
                assert!(out.contains("(Function)") && out.contains("Crossplane v2.3.4: installs"), "{out}");
            }
            line if line.contains("node-config") => drop(shell(line, as_it_is.path())),
            line => {
                let out = shell(line, here.path());
                if line.contains("mirror verify") {
                    assert_eq!(out.matches("Crossplane v2.3.4: installs").count(), 2, "{out}");
                }
            }
        }
    }
    let applied = hostnet(&example, &["apply", "-c", "hostnet.yaml", "base/crossplane.yaml"], b"");
    let want = std::fs::read_to_string(example.join("want.yaml")).unwrap();
    assert_eq!(applied.text(), want, "hostnet apply -c hostnet.yaml base/crossplane.yaml > want.yaml");
}

/// The job that fills a mirror: first the steps of a pull request, then those on main.
#[test]
fn a_job_fills_a_mirror() {
    let (Some(from), Some(to)) = (LocalRegistry::start(), LocalRegistry::start()) else { return };
    let example = project().join("examples/ci");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("manifests")).unwrap();
    for name in ["mirror.yaml", "manifests/web.yaml"] {
        let content = std::fs::read_to_string(example.join(name)).unwrap();
        let content = content.replace("registry.example.com", &from.host).replace("mirror.example.com", &to.host);
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    super::verify_text::controller().lay(&folder.path().join("image"));
    let source = from.push(&folder.path().join("image"), "web:v1.0.0");
    let workflow = std::fs::read_to_string(example.join("github-mirror.yaml")).unwrap();
    let workflow: serde_yaml::Value = serde_yaml::from_str(&workflow).unwrap();
    let steps = workflow["jobs"]["mirror"]["steps"].as_sequence().unwrap();
    let own: Vec<&str> =
        steps.iter().filter_map(|step| step["run"].as_str()).filter(|run| run.starts_with("hostnet")).collect();
    assert_eq!(own.len(), 3, "{own:?}");
    for lines in own {
        shell(lines, folder.path());
    }
    assert_eq!(to.digest(&format!("{}/example/web:v1.0.0", to.host)), from.digest(&source));
}

/// First `couldn't find "package.yaml"`, then a package without its annotation, then a healthy package.
#[test]
fn from_an_error_of_the_cluster_to_a_healthy_package() {
    let (Some(from), Some(to)) = (LocalRegistry::start(), LocalRegistry::start()) else { return };
    let folder = tempfile::tempdir().unwrap();
    package_of(&meta("Provider")).lay(&folder.path().join("package"));
    super::verify_text::controller().lay(&folder.path().join("controller"));
    let source = from.push(&folder.path().join("package"), "o/provider:v1");
    let controller = from.push(&folder.path().join("controller"), "o/provider-controller:v1");
    let target = format!("{}/xpkg/o/provider:v1", to.host);
    let verify = |strict: &[&str]| {
        let run = hostnet(folder.path(), &[&["mirror", "verify"], strict, &[target.as_str()]].concat(), b"");
        (run.code, run.text())
    };
    shell(&format!("crane copy {controller} {target}"), folder.path());
    let (code, log) = verify(&[]);
    assert_eq!(code, Some(1));
    assert!(
        log.contains("couldn't find \"package.yaml\" file after checking")
            && log.contains("(annotated layer: false): EOF"),
        "{log}"
    );
    assert!(log.contains("this is the controller image"), "{log}");
    shell(&format!("crane pull {source} a.tar && crane push a.tar {target}"), folder.path());
    let (code, log) = verify(&["--strict"]);
    assert_eq!(code, Some(1));
    assert!(log.contains("annotation lost in a copy") && log.contains("crane copy"), "{log}");
    shell(&format!("crane copy {source} {target}"), folder.path());
    let (code, log) = verify(&["--strict", "--full"]);
    assert_eq!(code, Some(0), "{log}");
    for (program, version) in [("xpkg-v1.20.11", "v1.20.11"), ("xpkg", "v2.3.4")] {
        let Some(program) = find_program(program) else {
            return not_run("the referees of packages are missing (`make tools` builds them with Go)");
        };
        let answer = run(&mut Command::new(program), format!("{version} - {target}\n").as_bytes());
        let judged: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
        assert_eq!(judged["said"], "", "{judged}");
    }
}
