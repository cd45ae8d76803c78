//! `hostnet mirror pin`: the records in the config.

use std::path::Path;

use super::verify_text::{package, package_of};
use crate::support::registry::LocalRegistry;
use crate::support::run::{Run, hostnet};

const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: PackageMirror
metadata: {name: internal}
spec:
  rules: # one
  - {from: xpkg.crossplane.io, to: registry.example.com/xpkg}
  pullSecret: mine # kept
";

/// Replaces digests, which depend on the port of the local registry.
fn without_digests(text: &str) -> String {
    regex::Regex::new("sha256:[0-9a-f]{64}").unwrap().replace_all(text, "sha256:…").into_owned()
}

fn shortened(text: &str) -> String {
    let digests = regex::Regex::new("(sha256:[0-9a-f]{4})[0-9a-f]{60}").unwrap();
    digests.replace_all(text, "$1…").into_owned()
}

/// Runs `mirror pin` in a folder with this config and a layout `mirror`, and returns the new config and the messages.
fn pinned(config: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    package().lay(&folder.path().join("mirror"));
    let run = pin(folder.path(), arguments);
    let after = std::fs::read_to_string(folder.path().join("mirror.yaml")).unwrap();
    shortened(&format!("{after}{}exit code {}\n", run.stderr, run.code.unwrap()))
}

fn pin(folder: &Path, arguments: &[&str]) -> Run {
    hostnet(folder, &[&["mirror", "pin", "-c", "mirror.yaml"], arguments].concat(), b"")
}

#[test]
fn a_verified_package_is_recorded() {
    insta::assert_snapshot!(pinned(CONFIG, &["xpkg.crossplane.io/o/p:v1.0.0=oci:mirror"]), @"
    apiVersion: hostnet.dev/v1alpha1
    kind: PackageMirror
    metadata: {name: internal}
    spec:
      rules: # one
      - {from: xpkg.crossplane.io, to: registry.example.com/xpkg}
      pullSecret: mine # kept
      packages:
        xpkg.crossplane.io/o/p:v1.0.0:
          digest: sha256:0d5d…
          kind: Provider
          dependsOn:
          - xpkg.crossplane.io/o/family >=v1.0.0
    xpkg.crossplane.io/o/p:v1.0.0: sha256:0d5d…
    exit code 0
    ");
}

/// Existing keys stay in place, and new keys are inserted in order.
#[test]
fn entries_are_sorted_and_comments_stay() {
    let config = format!(
        "{CONFIG}  # what is known\n  packages:\n    xpkg.crossplane.io/o/a:v1.0.0: # the first\n      dependsOn: []\n    xpkg.crossplane.io/o/p:v1.0.0:\n      dependsOn: [a.io/b/c] # old\n      \
         # below\n    xpkg.crossplane.io/o/z:v1.0.0: {{}} # the last\n  crossplane: {{version: v2.3.4}}\n"
    );
    let sources = ["p", "b", "q", "z"].map(|name| format!("xpkg.crossplane.io/o/{name}:v1.0.0=oci:mirror"));
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    insta::assert_snapshot!(pinned(&config, &sources), @"
    apiVersion: hostnet.dev/v1alpha1
    kind: PackageMirror
    metadata: {name: internal}
    spec:
      rules: # one
      - {from: xpkg.crossplane.io, to: registry.example.com/xpkg}
      pullSecret: mine # kept
      # what is known
      packages:
        xpkg.crossplane.io/o/a:v1.0.0: # the first
          dependsOn: []
        xpkg.crossplane.io/o/b:v1.0.0:
          digest: sha256:0d5d…
          kind: Provider
          dependsOn:
          - xpkg.crossplane.io/o/family >=v1.0.0
        xpkg.crossplane.io/o/p:v1.0.0:
          digest: sha256:0d5d…
          kind: Provider
          dependsOn: # old
          - xpkg.crossplane.io/o/family >=v1.0.0
          # below
        xpkg.crossplane.io/o/q:v1.0.0:
          digest: sha256:0d5d…
          kind: Provider
          dependsOn:
          - xpkg.crossplane.io/o/family >=v1.0.0
        xpkg.crossplane.io/o/z:v1.0.0: # the last
          digest: sha256:0d5d…
          kind: Provider
          dependsOn:
          - xpkg.crossplane.io/o/family >=v1.0.0
      crossplane: {version: v2.3.4}
    xpkg.crossplane.io/o/b:v1.0.0: sha256:0d5d…
    xpkg.crossplane.io/o/p:v1.0.0: sha256:0d5d…
    xpkg.crossplane.io/o/q:v1.0.0: sha256:0d5d…
    xpkg.crossplane.io/o/z:v1.0.0: sha256:0d5d…
    exit code 0
    ");
}

#[test]
fn a_reference_in_the_mirror_is_recorded_by_its_original_name() {
    let text = pinned(CONFIG, &["registry.example.com/xpkg/o/p:v1.0.0=oci:mirror"]);
    assert!(text.contains("    registry.example.com/xpkg/o/p:v1.0.0:"), "the left side is recorded unchanged: {text}");
    let Some(registry) = LocalRegistry::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    package().lay(&folder.path().join("layout"));
    let reference = registry.push(&folder.path().join("layout"), "xpkg/o/p:v1.0.0");
    let config = CONFIG.replace("registry.example.com", &registry.host);
    std::fs::write(folder.path().join("mirror.yaml"), &config).unwrap();
    let run = pin(folder.path(), &[&reference]);
    let after = std::fs::read_to_string(folder.path().join("mirror.yaml")).unwrap();
    assert!(after.contains("    xpkg.crossplane.io/o/p:v1.0.0:\n      digest: sha256:"), "{after}{}", run.stderr);
    let two = config
        .replace("  pullSecret", &format!("  - {{from: xpkg.upbound.io, to: '{}/xpkg'}}\n  pullSecret", registry.host));
    std::fs::write(folder.path().join("mirror.yaml"), two).unwrap();
    let log = pin(folder.path(), &[&reference]).stderr.replace(&registry.host, "HOST");
    insta::assert_snapshot!(log, @"error: `HOST/xpkg/o/p:v1.0.0` may be the copy of xpkg.crossplane.io/o/p:v1.0.0 or of xpkg.upbound.io/o/p:v1.0.0; write `xpkg.crossplane.io/o/p:v1.0.0=HOST/xpkg/o/p:v1.0.0`");
}

#[test]
fn refused_packages_are_not_recorded() {
    let run = |content: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mirror.yaml"), CONFIG).unwrap();
        package_of(content).lay(&folder.path().join("mirror"));
        package().lay(&folder.path().join("good"));
        let sources = ["xpkg.crossplane.io/o/good:v1=oci:good", "xpkg.crossplane.io/o/p:v1=oci:mirror"];
        let run = pin(folder.path(), &sources);
        assert_eq!(std::fs::read_to_string(folder.path().join("mirror.yaml")).unwrap(), CONFIG);
        shortened(&format!("{}exit code {}\n", run.stderr, run.code.unwrap()))
    };
    insta::assert_snapshot!(run(""), @"
    oci:mirror
      digest: sha256:ee7e…
      Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: refuses: linting package contents failed: not exactly one package meta type
      error: package.yaml has 0 objects of meta.pkg.crossplane.io, and a package has exactly one

    error: 1 package refused, so nothing is written
    exit code 1
    ");
}

#[test]
fn errors_name_the_remedy() {
    let all = [
        "o/p:v1",
        "xpkg.crossplane.io/o/p@sha256:0000000000000000000000000000000000000000000000000000000000000000",
        "oci:mirror",
        "xpkg.crossplane.io/o/p:v1=oci:nothing",
        "xpkg.crossplane.io/o/p:v1=docker-archive:nothing",
        "--prune",
    ];
    let text: String = all.map(|source| pinned(CONFIG, &[source]).replace(CONFIG, "")).concat();
    insta::assert_snapshot!(text, @"
    error: `o/p:v1` is not a reference with registry and tag, the key in `packages`; write one such as `xpkg.crossplane.io/org/provider-a:v1.2.0`, or `REFERENCE=SOURCE`
    exit code 2
    error: `xpkg.crossplane.io/o/p@sha256:0000…` is not a reference with registry and tag, the key in `packages`; write one such as `xpkg.crossplane.io/org/provider-a:v1.2.0`, or `REFERENCE=SOURCE`
    exit code 2
    error: `oci:mirror` is not a reference with registry and tag, the key in `packages`; write one such as `xpkg.crossplane.io/org/provider-a:v1.2.0`, or `REFERENCE=SOURCE`
    exit code 2
    oci:nothing
      error: not read: index.json is missing, and every OCI layout has it
    error: 1 not read, so nothing is written
    exit code 1
    docker-archive:nothing
      error: not read: No such file or directory (os error 2)
    error: 1 not read, so nothing is written
    exit code 1
    error: the following required arguments were not provided:
      --manifests <PATH>
      <SOURCE>...

    Usage: hostnet mirror pin --config <FILE> --manifests <PATH> --prune <SOURCE>...

    For more information, try '--help'.
    exit code 2
    ");
}

fn meta(kind: &str, name: &str, needs: &str) -> String {
    format!(
        "apiVersion: meta.pkg.crossplane.io/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{dependsOn: [{needs}]}}\n"
    )
}

/// All images of manifests and their dependencies are recorded, with the newest version of the registry in each range.
#[test]
fn manifests_are_followed_to_the_end() {
    let Some(registry) = LocalRegistry::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = &registry.host;
    let push = |name: &str, content: &str| {
        let layout = folder.path().join(name.replace(['/', ':'], "-"));
        package_of(content).lay(&layout);
        registry.push(&layout, name)
    };
    let needs =
        format!("{{provider: {at}/o/a, version: '>=v1.0.0, <v2.0.0'}}, {{function: {at}/o/f, version: v0.1.0}}");
    push("o/platform:v1.0.0", &meta("Configuration", "platform", &needs));
    for version in ["v1.2.0", "v1.10.0", "v2.0.0", "latest"] {
        push(
            &format!("o/a:{version}"),
            &meta("Provider", "a", &format!("{{provider: {at}/o/family, version: '>=v1'}}")),
        );
    }
    push("o/family:v1.1.0", &meta("Provider", "family", ""));
    push("o/f:v0.1.0", &meta("Function", "f", ""));
    push("o/image:v1", "");
    let manifests = format!(
        "{}---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {{template: {{spec: {{containers: [{{name: a, image: '{at}/o/image:v1'}}]}}}}}}\n",
        super::package("Configuration", "platform", &format!("{at}/o/platform:v1.0.0"))
    );
    std::fs::write(folder.path().join("manifests.yaml"), &manifests).unwrap();
    let config = format!(
        "{}  packages:\n    {at}/o/gone:v1: {{digest: 'sha256:{}'}}\n",
        CONFIG.replace("xpkg.crossplane.io", at),
        "0".repeat(64)
    );
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    let run = pin(folder.path(), &["--manifests", "manifests.yaml", "--prune"]);
    let read = || std::fs::read_to_string(folder.path().join("mirror.yaml")).unwrap();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    insta::assert_snapshot!(without_digests(&read()).replace(at, "HOST"), @r"
    apiVersion: hostnet.dev/v1alpha1
    kind: PackageMirror
    metadata: {name: internal}
    spec:
      rules: # one
      - {from: HOST, to: registry.example.com/xpkg}
      pullSecret: mine # kept
      packages:
        HOST/o/a:v1.10.0:
          digest: sha256:…
          kind: Provider
          dependsOn:
          - HOST/o/family >=v1
        HOST/o/f:v0.1.0:
          digest: sha256:…
          kind: Function
          dependsOn: []
        HOST/o/family:v1.1.0:
          digest: sha256:…
          kind: Provider
          dependsOn: []
        HOST/o/image:v1:
          digest: sha256:…
        HOST/o/platform:v1.0.0:
          digest: sha256:…
          kind: Configuration
          dependsOn:
          - HOST/o/a >=v1.0.0, <v2.0.0
          - HOST/o/f v0.1.0
    ");
    let list = hostnet(folder.path(), &["mirror", "list", "-c", "mirror.yaml", "--complete", "manifests.yaml"], b"");
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    let again = pin(folder.path(), &["--manifests", "manifests.yaml", "--check"]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""));
    // A moved tag is reported.
    push("o/f:v0.1.0", &meta("Function", "other", ""));
    let moved = pin(folder.path(), &["--manifests", "manifests.yaml", "--check"]);
    assert_eq!(moved.code, Some(1));
    insta::assert_snapshot!(without_digests(&moved.stderr).replace(at, "HOST"), @"
    HOST/o/f:v0.1.0: sha256:…
    mirror.yaml: would change
    ");
}

/// A package whose pod cannot start is recorded with a warning: no later command reads its image.
#[test]
fn an_image_without_a_program_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mirror.yaml"), CONFIG).unwrap();
    package().without_program().lay(&folder.path().join("mirror"));
    let run = pin(folder.path(), &["xpkg.crossplane.io/o/p:v1.0.0=oci:mirror"]);
    insta::assert_snapshot!(shortened(&run.stderr), @"
    oci:mirror
      warning: no program: the image has neither Entrypoint nor Cmd, so its pod cannot start (`no command specified`); build the package with its runtime image inside (`crossplane xpkg build --embed-runtime-image`), or name an image in a DeploymentRuntimeConfig
    xpkg.crossplane.io/o/p:v1.0.0: sha256:ad00…
    ");
    assert_eq!(run.code, Some(0));
    assert!(!pinned(CONFIG, &["xpkg.crossplane.io/o/p:v1.0.0=oci:mirror"]).contains("warning"));
}
