//! A config without `-c`: commands with a PATH find it near the manifests, and report it. A file may contain a config
//! of each kind.

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

/// A config among the manifests is not read as a manifest.
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

/// In a KRM host, only the config of the host is used, never a file in the working folder.
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
    // A command without PATH finds no config either.
    let run = hostnet(repository.path(), &["apply"], deployment("web").as_bytes());
    assert!(run.code == Some(1) && run.stderr.contains("no function config"), "{}", run.stderr);
}

const CHECK: &str =
    "---\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {rules: {dns-policy: Error}}\n";
const PROXY: &str = "---\napiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: proxy}\nspec:\n  \
                     httpsProxy: http://proxy:3128\n  targets: [{select: {name: web}}]\n";

/// A repository whose config file has additional documents.
fn with(documents: &[&str]) -> tempfile::TempDir {
    let repository = repository();
    let path = repository.path().join("hostnet.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text + &documents.concat()).unwrap();
    repository
}

#[test]
fn a_check_finds_its_config() {
    let repository = with(&[CHECK, PROXY]);
    std::fs::write(
        repository.path().join("apps/web/web.yaml"),
        deployment("web").replace("    spec:\n", "    spec:\n      hostNetwork: true\n"),
    )
    .unwrap();
    let run = hostnet(&repository.path().join("apps/web"), &["check", "."], b"");
    assert!(run.stderr.starts_with("info: the config is ../../hostnet.yaml\n"), "{}", run.stderr);
    assert!(run.code == Some(1) && run.text().contains("error"), "the config makes the rule an error: {}", run.text());
    // Standard input comes from a host or a pipe, so no config is found.
    let piped = hostnet(repository.path(), &["check", "-"], deployment("web").as_bytes());
    assert!(piped.code == Some(0) && !piped.stderr.contains("the config is"), "{}", piped.stderr);
}

#[test]
fn a_check_ignores_configs_of_other_kinds() {
    let repository = repository();
    std::fs::write(repository.path().join("hostnet.yaml"), PROXY).unwrap();
    let run = hostnet(repository.path(), &["check", "apps"], b"");
    assert!(run.code == Some(0) && !run.stderr.contains("the config is"), "{}", run.stderr);
    let named = hostnet(repository.path(), &["check", "-c", "hostnet.yaml", "apps"], b"");
    assert!(named.stderr.contains("`hostnet proxy check` does"), "{}", named.stderr);
}

#[test]
fn a_command_uses_the_kind_that_it_knows() {
    let repository = with(&[CHECK]);
    let run = hostnet(repository.path(), &["apply", "-v", "--diff", "apps"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("info: hostnet.yaml has a HostNetworkCheck too, which this command does not use\n"));
    assert!(run.text().contains("hostPort: 20443"), "{}", run.text());
    // The pinned numbers are written to the document of their kind, at any position.
    let auto = config("  targets: [{select: {name: web}, ports: auto}]\n");
    let text = format!("{}---\n{auto}", CHECK.trim_start_matches("---\n"));
    std::fs::write(repository.path().join("hostnet.yaml"), &text).unwrap();
    let pin = hostnet(repository.path(), &["pin", "apps/web"], b"");
    assert_eq!(pin.code, Some(0), "{}", pin.stderr);
    let pinned = std::fs::read_to_string(repository.path().join("hostnet.yaml")).unwrap();
    assert!(pinned.starts_with(&text) && pinned.contains("  assigned:\n    shop/Deployment/web/https: "), "{pinned}");
}

#[test]
fn two_kinds_that_change_objects_need_two_files() {
    let repository = with(&[PROXY]);
    let run = hostnet(repository.path(), &["apply", "apps"], b"");
    assert_eq!(run.code, Some(1));
    let message =
        "a HostNetwork and a ProxyEnvironment in one file, and a run applies only one of them; put them into two files";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    // A command for one kind uses that kind.
    let ports = hostnet(repository.path(), &["ports", "apps"], b"");
    assert_eq!(ports.code, Some(0), "{}", ports.stderr);
}

/// A found config of a kind that the command does not use is left out, so that no printed command names it.
#[test]
fn a_found_config_of_another_kind_is_left_out() {
    let repository = repository();
    let mirror = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: a}\nspec: {rules: [{from: a.example, to: b.example}]}\n";
    std::fs::write(repository.path().join("hostnet.yaml"), mirror).unwrap();
    let run = hostnet(repository.path(), &["ports", "apps/web"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.starts_with("info: hostnet.yaml is a PackageMirror, which this command does not use\n"),
        "{}",
        run.stderr
    );
    assert!(!run.text().contains("-c hostnet.yaml") && !run.stderr.contains("-c hostnet.yaml"), "{}", run.text());
    let pin = hostnet(repository.path(), &["pin", "--check", "apps/web"], b"");
    assert!(pin.code != Some(0) && pin.stderr.contains("no config found"), "{}", pin.stderr);
}

/// A file of the default name here would be the config of every command that a reader runs in a clone.
#[test]
fn the_root_of_the_repository_has_no_config() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(![root.join("hostnet.yaml"), root.join(".hostnet.yaml")].iter().any(|config| config.exists()));
}
