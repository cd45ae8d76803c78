//! A config that nobody names: found beside the manifests, by commands with a PATH, and said.

use super::{config, deployment};
use crate::support::run::hostnet;

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(".git/HEAD", "");
    write("hostnet.yaml", &config("  targets: [{select: {name: web}, ports: {https: 20443}}]\n"));
    write("apps/web/web.yaml", &deployment("web"));
    write("apps/api/api.yaml", &deployment("api"));
    folder
}

#[test]
fn one_config_serves_several_folders() {
    let repository = repository();
    let folder = repository.path().join("apps/web");
    let run = hostnet(&folder, &["apply", "--diff", "."], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.text().contains("+        - {name: https, containerPort: 20443, hostPort: 20443}"), "{}", run.text());
    assert!(run.stderr.starts_with("info: the config is ../../hostnet.yaml\n"), "{}", run.stderr);
    let api = hostnet(repository.path(), &["ports", "apps/api"], b"");
    assert!(api.stderr.starts_with("info: the config is hostnet.yaml\n"), "{}", api.stderr);
    for command in [&["pin", "--check", "."][..], &["patch", "--as", "component", "."], &["explain", "shop/web", "."]] {
        let run = hostnet(&folder, command, b"");
        assert_eq!(run.code, Some(0), "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains("the config is ../../hostnet.yaml"), "{command:?}: {}", run.stderr);
    }
}

/// The config may lie among the manifests; it is none.
#[test]
fn a_found_config_is_not_a_manifest() {
    let repository = repository();
    let run = hostnet(repository.path(), &["apply", "."], b"");
    assert!(run.text().contains("name: api"), "{}", run.text());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.text().contains("kind: HostNetwork"), "{}", run.text());
}

#[test]
fn a_named_config_wins() {
    let repository = repository();
    let other = config("  targets: [{select: {name: web}, ports: {https: 20999}}]\n");
    std::fs::write(repository.path().join("other.yaml"), other).unwrap();
    let run = hostnet(repository.path(), &["apply", "-c", "other.yaml", "apps/web"], b"");
    assert!(run.text().contains("20999") && !run.stderr.contains("the config is"), "{}", run.stderr);
}

/// What decides in a host is what the host sends, and nothing that happens to lie in its working folder.
#[test]
fn a_function_finds_no_config() {
    let repository = repository();
    let item: String = deployment("web").lines().map(|line| format!("  {line}\n")).collect();
    let list = format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {}", item.trim_start());
    for call in [&[][..], &["apply", "-"]] {
        let run = hostnet(repository.path(), call, list.as_bytes());
        assert_eq!(run.code, Some(1), "{call:?}: {}", run.stderr);
        assert!(run.stderr.contains("no function config"), "{call:?}: {}", run.stderr);
    }
    // Nor does a command that is given no PATH.
    let run = hostnet(repository.path(), &["apply"], deployment("web").as_bytes());
    assert!(run.code == Some(1) && run.stderr.contains("no function config"), "{}", run.stderr);
}
