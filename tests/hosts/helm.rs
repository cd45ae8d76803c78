//! Helm 4 with hostnet as a post-renderer plugin: `examples/helm-post-renderer`.

use crate::cases::{Failures, command, copy, host};
use crate::support::{project, run, text};
use crate::typed::deserialize_all;
use std::path::Path;
use std::process::Output;

const EXAMPLE: &str = "examples/helm-post-renderer";

/// Runs helm in a folder, with its configuration below `home`.
fn helm(helm: &Path, home: &Path, at: &Path, arguments: &[&str]) -> Output {
    let mut command = command(helm);
    for (variable, folder) in [("HELM_DATA_HOME", "data"), ("HELM_CONFIG_HOME", "config"), ("HELM_CACHE_HOME", "cache")]
    {
        command.env(variable, home.join(folder));
    }
    run(command.args(arguments).current_dir(at), b"")
}

const RENDER: [&str; 5] = ["template", "tagger", "chart", "--namespace", "tagger"];
const POST_RENDER: [&str; 4] = ["--post-renderer", "hostnet", "--post-renderer-args", "hostnet.yaml"];

#[test]
fn helm_post_renders_with_the_plugin() {
    let Some(program) = host("helm") else { return };
    let (home, example) = (tempfile::tempdir().unwrap(), project().join(EXAMPLE));
    let installed = helm(&program, home.path(), &example, &["plugin", "install", "plugin"]);
    assert!(installed.status.success(), "{}", text(&installed.stderr));
    let plain = text(&helm(&program, home.path(), &example, &RENDER).stdout);
    let output = helm(&program, home.path(), &example, &[&RENDER[..], &POST_RENDER].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (moved, want) = (text(&output.stdout), std::fs::read_to_string(example.join("want.yaml")).unwrap());
    assert_ne!(plain, moved);
    let mut failures = Failures::default();
    failures.compare("helm template", &want, &moved);
    failures.end();
    assert_eq!(deserialize_all(&moved), 3);
}

/// If the post-renderer fails, helm renders nothing. Helm 4 does not show the reason, as the README states.
#[test]
fn helm_renders_nothing_if_hostnet_fails() {
    let Some(program) = host("helm") else { return };
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = folder.path();
    copy(&project().join(EXAMPLE), at);
    let config = std::fs::read_to_string(at.join("hostnet.yaml")).unwrap();
    std::fs::write(at.join("hostnet.yaml"), config.replace("metrics: 20080", "metrics: 20443")).unwrap();
    assert!(helm(&program, home.path(), at, &["plugin", "install", "plugin"]).status.success());
    let output = helm(&program, home.path(), at, &[&RENDER[..], &POST_RENDER].concat());
    assert!(!output.status.success());
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("plugin \"hostnet\" exited with error"), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("20443"), "Helm shows the reason now: the README can say so");
}
