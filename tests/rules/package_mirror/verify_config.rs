//! `hostnet mirror verify -c CONFIG PATH…`: checks that the mirror has all images of the manifests, and that their
//! versions fit.

use super::verify_text::package_of;
use super::{image_config, package, stream};
use crate::support::registry::LocalRegistry;
use crate::support::run::{Run, hostnet};

pub(super) fn meta(kind: &str, name: &str, needs: &[String]) -> String {
    format!(
        "apiVersion: meta.pkg.crossplane.io/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{dependsOn: [{}]}}\n",
        needs.join(", ")
    )
}

/// A mirror of `xpkg.crossplane.io` in a registry, and a folder with a config.
pub(super) struct Mirror {
    pub(super) registry: LocalRegistry,
    pub(super) folder: tempfile::TempDir,
}

impl Mirror {
    pub(super) fn new() -> Option<Self> {
        let registry = LocalRegistry::start()?;
        let folder = tempfile::tempdir().unwrap();
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec:\n  rules:\n  - {{from: xpkg.crossplane.io, to: '{}/xpkg'}}\n  crossplane: {{version: v2.3.4}}\n",
            registry.host
        );
        std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
        Some(Self { registry, folder })
    }

    pub(super) fn push(&self, name: &str, content: &str) -> String {
        let layout = self.folder.path().join(name.replace(['/', ':'], "-"));
        package_of(content).lay(&layout);
        self.registry.push(&layout, &format!("xpkg/{name}"))
    }

    fn run(&self, arguments: &[&str], manifests: &[String]) -> Run {
        std::fs::write(self.folder.path().join("manifests.yaml"), stream(manifests)).unwrap();
        hostnet(self.folder.path(), &[&["mirror"], arguments, &["-c", "mirror.yaml", "manifests.yaml"]].concat(), b"")
    }

    fn verify(&self, manifests: &[String]) -> String {
        let run = self.run(&["verify"], manifests);
        let digests = regex::Regex::new("sha256([:-])[0-9a-f]{64}").unwrap();
        let text = format!("{}{}exit code {}\n", run.text(), run.stderr, run.code.unwrap())
            .replace(&self.registry.host, "HOST");
        digests.replace_all(&text, "sha256$1…").into_owned()
    }
}

#[test]
fn a_complete_mirror_passes() {
    let Some(mirror) = Mirror::new() else { return };
    let needs = ["{provider: xpkg.crossplane.io/o/a, version: '>=v1.0.0'}".to_owned()];
    mirror.push("o/platform:v1.0.0", &meta("Configuration", "platform", &needs));
    mirror.push("o/a:v1.2.0", &meta("Provider", "a", &[]));
    let manifests = [package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0")];
    insta::assert_snapshot!(mirror.verify(&manifests), @r"
    HOST/xpkg/o/platform:v1.0.0 (Configuration)
      digest: sha256:…
      Crossplane v2.3.4: installs
      needs: xpkg.crossplane.io/o/a >=v1.0.0

    HOST/xpkg/o/a:v1.2.0 (Provider)
      digest: sha256:…
      Crossplane v2.3.4: installs
    exit code 0
    ");
}

#[test]
fn missing_packages_are_reported_by_name() {
    let Some(mirror) = Mirror::new() else { return };
    let needs = ["a, version: '>=v2.0.0'", "b, version: '>=v1.0.0'", "c, version: v1.0.0"]
        .map(|name| format!("{{provider: xpkg.crossplane.io/o/{name}}}"));
    mirror.push("o/platform:v1.0.0", &meta("Configuration", "platform", &needs));
    for name in ["a", "c"] {
        mirror.push(&format!("o/{name}:v1.2.0"), &meta("Provider", name, &[]));
    }
    let manifests = [
        package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0"),
        package("Function", "a", "xpkg.crossplane.io/o/a:v1.2.0"),
        package("Provider", "gone", "xpkg.crossplane.io/o/gone:v1.0.0"),
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {containers: [{name: a, image: 'xpkg.crossplane.io/o/image:v1'}]}}}\n".to_owned(),
    ];
    insta::assert_snapshot!(mirror.verify(&manifests), @r"
    HOST/xpkg/o/a:v1.2.0 (Provider)
      digest: sha256:…
      Crossplane v2.3.4: refuses: linting package contents failed: package meta type is not Function
      error: wrong kind: it is a Provider, but a Function names it

    HOST/xpkg/o/gone:v1.0.0
      Crossplane v2.3.4: refuses: cannot unpack package: cannot resolve HOST/xpkg/o/gone:v1.0.0 to digest: failed to fetch package descriptor with a GET request after a previous HEAD request failure: HEAD http://HOST/v2/xpkg/o/gone/manifests/v1.0.0: unexpected status code 404 Not Found (HEAD responses have no body, use GET for details): GET http://HOST/v2/xpkg/o/gone/manifests/v1.0.0: NAME_UNKNOWN: Unknown name
      error: not found: failed to fetch package descriptor with a GET request after a previous HEAD request failure: HEAD http://HOST/v2/xpkg/o/gone/manifests/v1.0.0: unexpected status code 404 Not Found (HEAD responses have no body, use GET for details): GET http://HOST/v2/xpkg/o/gone/manifests/v1.0.0: NAME_UNKNOWN: Unknown name

    HOST/xpkg/o/platform:v1.0.0 (Configuration)
      digest: sha256:…
      Crossplane v2.3.4: installs
      error: needs xpkg.crossplane.io/o/a >=v2.0.0, and the requested version is v1.2.0, which is not in that range
      error: needs xpkg.crossplane.io/o/b >=v1.0.0, which is not in the mirror: GET http://HOST/v2/xpkg/o/b/tags/list?n=1000: NAME_UNKNOWN: Unknown name
      error: needs xpkg.crossplane.io/o/c v1.0.0, and HOST/xpkg/o/c has no version in that range
      needs: xpkg.crossplane.io/o/a >=v2.0.0
      needs: xpkg.crossplane.io/o/b >=v1.0.0
      needs: xpkg.crossplane.io/o/c v1.0.0

    HOST/xpkg/o/image:v1
      error: not found: failed to fetch package descriptor with a GET request after a previous HEAD request failure: HEAD http://HOST/v2/xpkg/o/image/manifests/v1: unexpected status code 404 Not Found (HEAD responses have no body, use GET for details): GET http://HOST/v2/xpkg/o/image/manifests/v1: NAME_UNKNOWN: Unknown name
    exit code 1
    ");
}

/// Crossplane looks for signatures in the mirror, by the digest of the mirrored package.
#[test]
fn missing_signatures_are_errors() {
    let Some(mirror) = Mirror::new() else { return };
    let reference = mirror.push("o/a:v1.2.0", &meta("Provider", "a", &[]));
    let manifests = [
        package("Provider", "a", "xpkg.crossplane.io/o/a:v1.2.0"),
        image_config("signed", &format!("{}/xpkg/", mirror.registry.host), "verification: {provider: Cosign}"),
    ];
    insta::assert_snapshot!(mirror.verify(&manifests), @r"
    HOST/xpkg/o/a:v1.2.0 (Provider)
      digest: sha256:…
      Crossplane v2.3.4: installs
      error: an ImageConfig verifies it, and neither HOST/xpkg/o/a:sha256-….sig nor .att exists; copy its signature too
    exit code 1
    ");
    let digest = mirror.registry.digest(&reference).replace(':', "-");
    mirror.push(&format!("o/a:{digest}.sig"), "");
    assert!(mirror.verify(&manifests).ends_with("exit code 0\n"));
}

/// A family of forty packages, and a Configuration that needs them.
#[test]
fn a_family_of_forty_packages() {
    let Some(mirror) = Mirror::new() else { return };
    let names: Vec<String> = (0..40).map(|at| format!("provider-aws-{at}")).collect();
    let of = |name: &str, range: &str| format!("{{provider: xpkg.crossplane.io/o/{name}, version: '{range}'}}");
    let needs: Vec<String> = names.iter().map(|name| of(name, ">=v2.0.0, <v3.0.0")).collect();
    mirror.push("o/platform:v1.0.0", &meta("Configuration", "platform", &needs));
    mirror.push("o/provider-family-aws:v2.6.0", &meta("Provider", "family", &[]));
    for name in &names {
        mirror.push(&format!("o/{name}:v2.6.0"), &meta("Provider", name, &[of("provider-family-aws", ">=v2.0.0")]));
    }
    let platform = package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0");
    let own = |version: &str| package("Provider", "seven", &format!("xpkg.crossplane.io/o/provider-aws-7:{version}"));
    let all = [platform.clone(), own("v2.6.0")];
    std::fs::write(mirror.folder.path().join("manifests.yaml"), stream(&all)).unwrap();
    let arguments = ["mirror", "pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];
    let pinned = hostnet(mirror.folder.path(), &arguments, b"");
    assert_eq!(pinned.code, Some(0), "{}", pinned.stderr);
    let list = mirror.run(&["list", "--complete", "-o", "lines"], &all);
    assert_eq!((list.code, list.text().lines().count()), (Some(0), 42), "{}", list.stderr);
    let run = mirror.run(&["verify"], &all);
    assert_eq!((run.code, run.text().matches("installs").count()), (Some(0), 42), "{}", run.text());
    // The order of the manifests does not matter.
    let reversed = mirror.run(&["verify"], &[own("v2.6.0"), platform.clone()]);
    assert_eq!((reversed.code, reversed.text()), (Some(0), run.text()));
    // A wrong version.
    mirror.push("o/provider-aws-7:v1.9.0", &meta("Provider", "old", &[of("provider-family-aws", ">=v2.0.0")]));
    let wrong = mirror.run(&["verify"], &[own("v1.9.0"), platform]);
    let text = wrong.text();
    let errors: Vec<&str> = text.lines().filter(|line| line.contains("error: ")).collect();
    assert_eq!(wrong.code, Some(1));
    insta::assert_snapshot!(errors.join("\n"), @"  error: needs xpkg.crossplane.io/o/provider-aws-7 >=v2.0.0, <v3.0.0, and the requested version is v1.9.0, which is not in that range");
}

/// The config of an image without an index names its platform; the image of a Configuration does not run.
#[test]
fn an_image_without_an_index_has_the_platform_of_its_config() {
    let Some(mirror) = Mirror::new() else { return };
    for (kind, name) in [("Function", "f"), ("Configuration", "c")] {
        let mut image = package_of(&meta(kind, name, &[]));
        image.platform = Some(("linux", "arm64"));
        let layout = mirror.folder.path().join(name);
        image.lay(&layout);
        mirror.registry.push(&layout, &format!("xpkg/o/{name}:v1.0.0"));
    }
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {kubernetes.io/arch: amd64, kubernetes.io/os: linux}}\n";
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {containers: [{name: a, image: 'xpkg.crossplane.io/o/f:v1.0.0'}]}}}\n";
    let packages = [
        package("Function", "f", "xpkg.crossplane.io/o/f:v1.0.0"),
        package("Configuration", "c", "xpkg.crossplane.io/o/c:v1.0.0"),
    ];
    let warned = |manifests: &[String]| {
        let text = mirror.verify(manifests);
        text.lines()
            .filter(|line| line.contains("which cannot run it"))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let log = "warning: it is for linux/arm64, and the cluster has nodes of linux/amd64, which cannot run it; copy all platforms";
    let with = |object: &str| [&packages[..], &[object.to_owned()]].concat();
    assert_eq!(warned(&with(node)), [log]);
    assert_eq!(warned(&[job.to_owned(), node.to_owned()]), [log]);
    assert_eq!(warned(&with(&node.replace("amd64", "arm64"))), [""; 0]);
    // `mirror pin` records the platform.
    std::fs::write(mirror.folder.path().join("manifests.yaml"), stream(&[packages[0].clone(), job.to_owned()]))
        .unwrap();
    let arguments = ["mirror", "pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];
    assert_eq!(hostnet(mirror.folder.path(), &arguments, b"").code, Some(0));
    let config = std::fs::read_to_string(mirror.folder.path().join("mirror.yaml")).unwrap();
    assert!(config.contains("linux/arm64"), "{config}");
}

/// An index that lacks a platform of the nodes.
#[test]
fn nodes_determine_the_needed_platforms() {
    let Some(program) = crate::support::find_program("xpkg-registry") else {
        return crate::support::not_run("xpkg-registry is missing (`make tools` builds it with Go)");
    };
    let folder = tempfile::tempdir().unwrap();
    let from = super::verify::Registry::start(&program, "0", folder.path(), "index-both");
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: [{{from: a.io, to: '{}'}}]}}\n",
        from.host
    );
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    let node = |arch: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {arch}, labels: {{kubernetes.io/arch: {arch}, kubernetes.io/os: linux}}}}\n"
        )
    };
    let with = |arch: &str| {
        std::fs::write(
            folder.path().join("a.yaml"),
            stream(&[package("Provider", "a", "a.io/p/index-both:v1.0.0"), node(arch)]),
        )
        .unwrap();
        let run = hostnet(folder.path(), &["mirror", "verify", "-c", "mirror.yaml", "a.yaml"], b"");
        run.text().lines().filter(|line| line.contains("warning: ")).collect::<String>()
    };
    insta::assert_snapshot!(with("s390x"), @"  warning: it is for linux/amd64, linux/arm64, and the cluster has nodes of linux/s390x, which cannot run it; copy all platforms");
    assert_eq!(with("arm64"), "");
}

/// Without records in the config, dependencies are read from the mirror, and the lock is checked with them.
#[test]
fn the_lock_is_checked_with_the_content_of_the_mirror() {
    let Some(mirror) = Mirror::new() else { return };
    let needs = ["{provider: xpkg.crossplane.io/o/t, version: '>=v1.0.0'}".to_owned()];
    mirror.push("o/db:v1.0.0", &meta("Configuration", "db", &needs));
    mirror.push("o/t:v1.2.0", &meta("Provider", "t", &[]));
    let db = package("Configuration", "db", "xpkg.crossplane.io/o/db:v1.0.0");
    let by_mirror = package("Provider", "t", &format!("{}/xpkg/o/t:v1.2.0", mirror.registry.host));
    let errors = |manifests: &[String]| {
        let text = mirror.verify(manifests);
        text.lines()
            .filter(|line| line.contains("error: "))
            .map(|line| format!("{}\n", line.trim()))
            .collect::<String>()
    };
    insta::assert_snapshot!(errors(&[db.clone(), by_mirror.clone()]), @"error: Configuration db needs xpkg.crossplane.io/o/t, and Provider t has that package as HOST/xpkg/o/t: Crossplane compares names as they are written and installs a second one; both try to control the same objects, and neither becomes healthy. In Provider t write `package: xpkg.crossplane.io/o/t:v1.2.0`");
    assert_eq!(errors(&[db.clone(), package("Provider", "t", "xpkg.crossplane.io/o/t:v1.2.0")]), "");
    let skips = db.replace("'} #", "', skipDependencyResolution: true} #");
    assert_eq!(errors(&[skips, by_mirror]), "");
}

/// If Crossplane does not look for the dependencies of a package, they may be missing.
#[test]
fn skipped_dependencies_may_be_missing() {
    let Some(mirror) = Mirror::new() else { return };
    let needs = ["{provider: xpkg.crossplane.io/o/gone, version: '>=v1.0.0'}".to_owned()];
    mirror.push("o/db:v1.0.0", &meta("Configuration", "db", &needs));
    let db = package("Configuration", "db", "xpkg.crossplane.io/o/db:v1.0.0");
    assert!(
        mirror
            .verify(std::slice::from_ref(&db))
            .contains("needs xpkg.crossplane.io/o/gone >=v1.0.0, which is not in the mirror")
    );
    let skips = db.replace("'} #", "', skipDependencyResolution: true} #");
    assert!(mirror.verify(&[skips]).ends_with("exit code 0\n"));
}

/// An ImageConfig of the input leads the package and its dependency to another location than the rule.
#[test]
fn image_configs_of_the_input_determine_the_location() {
    let Some(mirror) = Mirror::new() else { return };
    let needs = ["{provider: xpkg.crossplane.io/team/t, version: '>=v1.0.0'}".to_owned()];
    mirror.push("theirs/db:v1.0.0", &meta("Configuration", "db", &needs));
    mirror.push("theirs/t:v1.2.0", &meta("Provider", "t", &[]));
    let manifests = [
        package("Configuration", "db", "xpkg.crossplane.io/team/db:v1.0.0"),
        image_config(
            "theirs",
            "xpkg.crossplane.io/team/",
            &format!("rewriteImage: {{prefix: {}/xpkg/theirs/}}", mirror.registry.host),
        ),
    ];
    insta::assert_snapshot!(mirror.verify(&manifests), @"
    HOST/xpkg/theirs/db:v1.0.0 (Configuration)
      digest: sha256:…
      Crossplane v2.3.4: installs
      needs: xpkg.crossplane.io/team/t >=v1.0.0

    HOST/xpkg/theirs/t:v1.2.0 (Provider)
      digest: sha256:…
      Crossplane v2.3.4: installs
    exit code 0
    ");
    let arguments = ["mirror", "pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];
    let pinned = hostnet(mirror.folder.path(), &arguments, b"");
    assert_eq!(pinned.code, Some(0), "{}", pinned.stderr);
    let config = std::fs::read_to_string(mirror.folder.path().join("mirror.yaml")).unwrap();
    assert!(config.contains("xpkg.crossplane.io/team/t:v1.2.0:"), "{config}");
    assert!(mirror.verify(&manifests).ends_with("exit code 0\n"));
}

/// The image that a Function's metadata names must exist, and is recorded.
#[test]
fn missing_images_of_metadata_are_errors() {
    let Some(mirror) = Mirror::new() else { return };
    let config = mirror.folder.path().join("mirror.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("v2.3.4", "v1.20.11")).unwrap();
    let function = "apiVersion: meta.pkg.crossplane.io/v1beta1\nkind: Function\nmetadata: {name: f}\nspec: {image: 'o/f-runtime:v1'}\n";
    mirror.push("o/f:v1.0.0", function);
    let manifests = [package("Function", "f", "xpkg.crossplane.io/o/f:v1.0.0")];
    let log = mirror.verify(&manifests);
    assert!(
        log.contains("Crossplane runs `xpkg.crossplane.io/o/f-runtime:v1` (`o/f-runtime:v1` in package.yaml)"),
        "{log}"
    );
    assert!(log.contains("HOST/xpkg/o/f-runtime:v1\n  error: not found") && log.ends_with("exit code 1\n"), "{log}");
    mirror.push("o/f-runtime:v1", "");
    assert!(mirror.verify(&manifests).ends_with("exit code 0\n"));
    let arguments = ["mirror", "pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];
    let pinned = hostnet(mirror.folder.path(), &arguments, b"");
    assert_eq!(pinned.code, Some(0), "{}", pinned.stderr);
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(
        text.contains("runtimeImage: o/f-runtime:v1") && text.contains("xpkg.crossplane.io/o/f-runtime:v1:"),
        "{text}"
    );
    std::fs::write(&config, text.replace("v1.20.11", "v2.3.4")).unwrap();
    assert!(!mirror.verify(&manifests).contains("f-runtime"), "from v2.0 on the image of the metadata does not run");
}

/// A runtime config can set the image or the command; without either, or for another package, the package's own program
/// runs.
#[test]
fn a_runtime_config_may_set_the_program() {
    let Some(mirror) = Mirror::new() else { return };
    let layout = mirror.folder.path().join("layout");
    package_of(&meta("Provider", "a", &[])).without_program().lay(&layout);
    mirror.registry.push(&layout, "xpkg/o/a:v1.0.0");
    let own = package("Provider", "a", "xpkg.crossplane.io/o/a:v1.0.0")
        .replace("'} #", "', runtimeConfigRef: {name: own}} #");
    let with = |name: &str, more: &str| {
        let config = format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, \
             template: {{spec: {{containers: [{{name: package-runtime{more}}}]}}}}}}}}}}\n"
        );
        mirror.verify(&[own.clone(), config]).contains("no program")
    };
    let image = format!(", image: '{}/xpkg/o/a:v1.0.0', command: [/a]", mirror.registry.host);
    assert!(!with("own", &image));
    assert!(!with("own", ", command: [/a]"));
    assert!(with("own", ", command: [], args: [--debug]"));
    assert!(with("own", ""));
    assert!(with("other", &image));
}

/// A package that is only a dependency gets the runtime config `default`.
#[test]
fn needed_packages_have_the_default_runtime_config() {
    let Some(mirror) = Mirror::new() else { return };
    mirror.push(
        "o/c:v1.0.0",
        &meta("Configuration", "c", &["{provider: xpkg.crossplane.io/o/a, version: '>=v1'}".to_owned()]),
    );
    let layout = mirror.folder.path().join("layout");
    package_of(&meta("Provider", "a", &[])).without_program().lay(&layout);
    mirror.registry.push(&layout, "xpkg/o/a:v1.0.0");
    let with = |name: &str, more: &str| {
        let config = format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: {name}}}\nspec: {{deploymentTemplate: {{spec: {{selector: {{}}, \
             template: {{spec: {{containers: [{{name: package-runtime{more}}}]}}}}}}}}}}\n"
        );
        let log = mirror.verify(&[package("Configuration", "c", "xpkg.crossplane.io/o/c:v1.0.0"), config]);
        assert!(log.contains("o/a:v1.0.0 (Provider)"), "{log}");
        log.contains("no program")
    };
    let image = format!(", image: '{}/xpkg/o/a:v1.0.0'", mirror.registry.host);
    assert!(!with("default", &image) && !with("default", ", command: [/a]"));
    assert!(with("default", "") && with("other", &image));
}

/// An index whose entries have no platform: the config of a single image names its platform; for several images it is
/// unknown.
#[test]
fn an_index_without_platforms() {
    let Some(mirror) = Mirror::new() else { return };
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {kubernetes.io/arch: amd64, kubernetes.io/os: linux}}\n".to_owned();
    let reported = |kind: &str, name: &str, platforms: &[&'static str], nodes: &[String]| {
        let layout = mirror.folder.path().join(name);
        let images = platforms.iter().map(|architecture| {
            let mut image = package_of(&meta(kind, name, &[]));
            image.platform = Some(("linux", architecture));
            image
        });
        super::verify_text::lay_index(&images.collect::<Vec<_>>(), &layout);
        mirror.registry.push(&layout, &format!("xpkg/o/{name}:v1.0.0"));
        let own = package(kind, name, &format!("xpkg.crossplane.io/o/{name}:v1.0.0"));
        let text = mirror.verify(&[&[own], nodes].concat());
        text.lines()
            .filter(|line| line.contains("warning: "))
            .map(|line| format!("{}\n", line.trim()))
            .collect::<String>()
    };
    let nodes = [node];
    insta::assert_snapshot!(reported("Provider", "one", &["arm64"], &nodes), @"warning: it is for linux/arm64, and the cluster has nodes of linux/amd64, which cannot run it; copy all platforms");
    insta::assert_snapshot!(reported("Provider", "one-alone", &["arm64"], &[]), @"warning: single platform: the index has only linux/arm64, and nodes of other platforms cannot run it");
    insta::assert_snapshot!(reported("Provider", "two", &["arm64", "amd64"], &nodes), @"warning: unknown platform: the index has 2 images without `platform`. Crossplane reads the first one as linux/amd64; which nodes can run the package is not known: push the index again with `platform` in each entry");
    assert_eq!(reported("Provider", "fits", &["amd64"], &nodes), "");
    assert_eq!(reported("Configuration", "c", &["arm64", "amd64"], &nodes), "");
}

/// A dependency without registry is recorded as the package writes it, and looked up in the default registry.
#[test]
fn a_need_without_registry_is_recorded_as_written() {
    let Some(mirror) = Mirror::new() else { return };
    let config = mirror.folder.path().join("mirror.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("v2.3.4", "v1.20.11")).unwrap();
    mirror.push("o/c:v1.0.0", &meta("Configuration", "c", &["{provider: o/a, version: '>=v1'}".to_owned()]));
    mirror.push("o/a:v1.2.0", &meta("Provider", "a", &[]));
    let manifests = [package("Configuration", "c", "xpkg.crossplane.io/o/c:v1.0.0")];
    let error = "error: Configuration c needs o/a, a name without registry that means xpkg.crossplane.io/o/a: no ImageConfig matches it";
    let log = mirror.verify(&manifests);
    assert!(log.contains(error) && log.contains("o/a:v1.2.0 (Provider)"), "{log}");
    let arguments = ["mirror", "pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];
    let pinned = hostnet(mirror.folder.path(), &arguments, b"");
    assert_eq!(pinned.code, Some(0), "{}", pinned.stderr);
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.contains("- o/a >=v1") && text.contains("xpkg.crossplane.io/o/a:v1.2.0:"), "{text}");
    // The remedy of the message.
    let skips = manifests[0].replace("'} #", "', skipDependencyResolution: true} #");
    let fixed = [skips, package("Provider", "a", "o/a:v1.2.0")];
    assert!(mirror.verify(&fixed).ends_with("exit code 0\n"), "{}", mirror.verify(&fixed));
    // Without a version of Crossplane the default registry is unknown.
    std::fs::write(mirror.folder.path().join("manifests.yaml"), stream(&manifests)).unwrap();
    std::fs::write(&config, text.replace("  crossplane: {version: v1.20.11}\n", "")).unwrap();
    let pinned = hostnet(mirror.folder.path(), &arguments, b"");
    assert!(pinned.stderr.contains("write `crossplane: {version: v1.20.0}` in the spec"), "{}", pinned.stderr);
}

/// `failOn` of the config decides which findings fail.
#[test]
fn the_config_decides_which_findings_fail() {
    let Some(mirror) = Mirror::new() else { return };
    let layout = mirror.folder.path().join("layout");
    package_of(&meta("Provider", "a", &[])).without_program().lay(&layout);
    mirror.registry.push(&layout, "xpkg/o/a:v1.0.0");
    let manifests = [package("Provider", "a", "xpkg.crossplane.io/o/a:v1.0.0")];
    assert!(mirror.verify(&manifests).ends_with("exit code 0\n"));
    let path = mirror.folder.path().join("mirror.yaml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("spec:\n", "spec:\n  failOn: Warning\n")).unwrap();
    assert!(mirror.verify(&manifests).ends_with("exit code 1\n"));
    std::fs::write(&path, config.replace("from: xpkg.crossplane.io", "from: 'kind-registry:5000'")).unwrap();
    let log = mirror.verify(&[package("Provider", "a", "kind-registry:5000/o/a:v1.0.0")]);
    assert_eq!(log.matches("`kind-registry:5000` has no dot").count(), 1, "{log}");
}
