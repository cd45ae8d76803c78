//! Text output of `hostnet mirror verify` for a layout or an archive.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use oci::digest_of;
use serde_json::{Value, json};

use crate::support::{run, text};

const PROVIDER: &str = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: p}\nspec:\n  crossplane: {version: '>=v1.14.0'}\n  \
                        dependsOn: [{provider: xpkg.crossplane.io/o/family, version: '>=v1.0.0'}]\n";

/// A layer: its bytes, its digest, and the digest of the unpacked bytes.
pub(super) struct Layer {
    packed: Vec<u8>,
    digest: String,
    unpacked: String,
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

pub(super) fn layer(files: &[(&str, &str)]) -> Layer {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (*name, content.as_bytes())).collect();
    let unpacked = archive(&files);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&unpacked).unwrap();
    let packed = packed.finish().unwrap();
    Layer { digest: digest_of(&packed), unpacked: digest_of(&unpacked), packed }
}

/// An image: its layers, the index of the annotated layer, and the labels and entrypoint of its config.
#[derive(Default)]
pub(super) struct Image {
    layers: Vec<Layer>,
    base: Option<usize>,
    labelled: Option<usize>,
    entrypoint: Option<&'static str>,
    /// The operating system and the architecture of the config.
    pub(super) platform: Option<(&'static str, &'static str)>,
}

impl Image {
    /// Returns the image with neither Entrypoint nor Cmd.
    pub(super) fn without_program(self) -> Self {
        Self { entrypoint: None, ..self }
    }

    fn config(&self) -> Vec<u8> {
        let label = self.labelled.map(|at| (format!("io.crossplane.xpkg:{}", self.layers[at].digest), "base"));
        let labels: BTreeMap<String, &str> = label.into_iter().collect();
        let entrypoint: Vec<&str> = self.entrypoint.into_iter().collect();
        let ids: Vec<&str> = self.layers.iter().map(|layer| layer.unpacked.as_str()).collect();
        let mut config = json!({"config": {"Labels": labels, "Entrypoint": entrypoint}, "rootfs": {"type": "layers", "diff_ids": ids}});
        if let Some((os, architecture)) = self.platform {
            config["os"] = os.into();
            config["architecture"] = architecture.into();
        }
        config.to_string().into_bytes()
    }

    /// Writes an OCI layout, and returns the paths of its layers.
    pub(super) fn lay(&self, folder: &Path) -> Vec<PathBuf> {
        let blobs = folder.join("blobs/sha256");
        std::fs::create_dir_all(&blobs).unwrap();
        let write = |bytes: &[u8]| {
            let digest = digest_of(bytes);
            let path = blobs.join(digest.strip_prefix("sha256:").unwrap());
            std::fs::write(&path, bytes).unwrap();
            (path, json!({"digest": digest, "size": bytes.len()}))
        };
        let mut layers = Vec::new();
        let mut paths = Vec::new();
        for (at, layer) in self.layers.iter().enumerate() {
            let (path, mut descriptor) = write(&layer.packed);
            if self.base == Some(at) {
                descriptor["annotations"] = json!({"io.crossplane.xpkg": "base"});
            }
            layers.push(descriptor);
            paths.push(path);
        }
        let manifest: Value = json!({"schemaVersion": 2, "config": write(&self.config()).1, "layers": layers});
        let (_, mut root) = write(manifest.to_string().as_bytes());
        root["mediaType"] = json!("application/vnd.oci.image.manifest.v1+json");
        std::fs::write(folder.join("index.json"), json!({"manifests": [root]}).to_string()).unwrap();
        paths
    }

    /// Writes an archive in the format of `crossplane xpkg build`.
    fn pack(&self, file: &Path) {
        let config = self.config();
        let layers: Vec<String> = self
            .layers
            .iter()
            .map(|layer| format!("{}.tar.gz", layer.digest.strip_prefix("sha256:").unwrap()))
            .collect();
        let manifest = json!([{"Config": "config", "RepoTags": null, "Layers": layers}]).to_string();
        let mut files: Vec<(&str, &[u8])> = vec![("config", &config), ("manifest.json", manifest.as_bytes())];
        files.extend(layers.iter().zip(&self.layers).map(|(name, layer)| (name.as_str(), layer.packed.as_slice())));
        std::fs::write(file, archive(&files)).unwrap();
    }
}

/// Writes an OCI layout of an index whose entries have no platform.
pub(super) fn lay_index(images: &[Image], folder: &Path) {
    let manifests = images.iter().map(|image| {
        image.lay(folder);
        let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
        index["manifests"][0].clone()
    });
    let index = json!({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests.collect::<Vec<_>>()});
    let (bytes, digest) = (index.to_string().into_bytes(), digest_of(index.to_string().as_bytes()));
    std::fs::write(folder.join("blobs/sha256").join(digest.strip_prefix("sha256:").unwrap()), &bytes).unwrap();
    let root = json!({"mediaType": "application/vnd.oci.image.index.v1+json", "digest": digest, "size": bytes.len()});
    std::fs::write(folder.join("index.json"), json!({"manifests": [root]}).to_string()).unwrap();
}

/// A package with this content.
pub(super) fn package_of(content: &str) -> Image {
    Image {
        layers: vec![program(), layer(&[("package.yaml", content)])],
        base: Some(1),
        labelled: Some(1),
        entrypoint: Some("/usr/bin/provider"),
        platform: None,
    }
}

/// The image of a package's controller.
pub(super) fn controller() -> Image {
    Image { layers: vec![program()], entrypoint: Some("/usr/bin/provider"), ..Image::default() }
}

fn program() -> Layer {
    layer(&[("usr/bin/provider", "x")])
}

pub(super) fn package() -> Image {
    package_of(PROVIDER)
}

/// An image without an index gets the same report about platforms as an index of one image; the image of a
/// Configuration does not run.
#[test]
fn one_platform_is_reported_for_an_image_too() {
    let of = |content: &str, platform: Option<(&'static str, &'static str)>| {
        let folder = tempfile::tempdir().unwrap();
        let mut image = package_of(content);
        image.platform = platform;
        image.lay(folder.path());
        let log = reported(folder.path(), &["--crossplane", "v2.3.4"], "oci:.");
        log.lines().find(|line| line.contains("single platform")).map(|line| line.trim().to_owned())
    };
    let warning = |platform: &str| {
        Some(format!(
            "warning: single platform: the image is for only {platform}, and nodes of other platforms cannot run it"
        ))
    };
    assert_eq!(of(PROVIDER, Some(("linux", "arm64"))), warning("linux/arm64"));
    assert_eq!(of(PROVIDER, Some(("linux", "amd64"))), warning("linux/amd64"));
    assert_eq!(of(PROVIDER, None), None);
    assert_eq!(of(&PROVIDER.replace("Provider", "Configuration"), Some(("linux", "arm64"))), None);
}

/// Variants of a processor are one platform, and the library resolves an index in an index.
#[test]
fn an_index_may_contain_variants_and_indexes() {
    let of = |change: &dyn Fn(&mut Value), nests: bool| {
        let folder = tempfile::tempdir().unwrap();
        let mut image = package_of(PROVIDER);
        image.platform = Some(("linux", "amd64"));
        lay_index(&[image], folder.path());
        let write = |index: &Value| {
            let (bytes, digest) = (index.to_string().into_bytes(), digest_of(index.to_string().as_bytes()));
            std::fs::write(folder.path().join("blobs/sha256").join(digest.strip_prefix("sha256:").unwrap()), &bytes)
                .unwrap();
            json!({"mediaType": "application/vnd.oci.image.index.v1+json", "digest": digest, "size": bytes.len()})
        };
        let root: Value = serde_json::from_slice(&std::fs::read(folder.path().join("index.json")).unwrap()).unwrap();
        let digest = root["manifests"][0]["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap().to_owned();
        let blob = std::fs::read(folder.path().join("blobs/sha256").join(digest)).unwrap();
        let mut index: Value = serde_json::from_slice(&blob).unwrap();
        change(&mut index["manifests"]);
        let mut root = write(&index);
        if nests {
            root = write(
                &json!({"schemaVersion": 2, "manifests": [root], "mediaType": "application/vnd.oci.image.index.v1+json"}),
            );
        }
        std::fs::write(folder.path().join("index.json"), json!({"manifests": [root]}).to_string()).unwrap();
        reported(folder.path(), &["--crossplane", "v2.3.4"], "oci:.")
    };
    let amd = json!({"os": "linux", "architecture": "amd64"});
    let variants = of(
        &|all| {
            all[0]["platform"] = amd.clone();
            let mut second = all[0].clone();
            second["platform"]["variant"] = json!("v2");
            all.as_array_mut().unwrap().push(second);
        },
        false,
    );
    assert!(variants.contains("single platform: the index has only linux/amd64"), "{variants}");
    let nested = of(&|all| all[0]["platform"] = amd.clone(), true);
    assert!(
        nested.contains("installs") && nested.contains("only linux/amd64") && !nested.contains("refuses"),
        "{nested}"
    );
}

/// Before v2.0 an image in the metadata runs, and the platforms of the package's own image have no effect.
#[test]
fn platforms_of_an_image_that_does_not_run_are_not_reported() {
    let content = PROVIDER.replace("spec:", "spec:\n  controller: {image: 'xpkg.upbound.io/acme/c:v1'}");
    assert_ne!(content, PROVIDER);
    let single = |version: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut image = package_of(&content);
        image.platform = Some(("linux", "arm64"));
        image.lay(folder.path());
        reported(folder.path(), &["--crossplane", version], "oci:.").contains("single platform")
    };
    assert!(!single("v1.20.11") && single("v2.3.4"));
}

/// The output for a source, with shortened digests and without the folder; and the exit code.
fn reported(folder: &Path, arguments: &[&str], source: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = run(command.args(["mirror", "verify"]).args(arguments).arg(source).current_dir(folder), b"");
    let digests = regex::Regex::new("(sha256:[0-9a-f]{4})[0-9a-f]{60}").unwrap();
    let log = digests.replace_all(&text(&output.stdout), "$1…").into_owned();
    format!("{log}{}exit code {}\n", text(&output.stderr), output.status.code().unwrap())
}

/// The output for an image in a layout.
fn verify_output(image: &Image, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    image.lay(&folder.path().join("mirror"));
    reported(folder.path(), arguments, "oci:mirror")
}

#[test]
fn a_package_installs() {
    insta::assert_snapshot!(verify_output(&package(), &[]), @"
    oci:mirror (Provider)
      digest: sha256:0d5d…
      Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 0
    ");
}

#[test]
fn lost_and_never_set_annotations_are_distinguished() {
    let lost = Image { base: None, ..package() };
    insta::assert_snapshot!(verify_output(&lost, &["--crossplane", "v2.3.4"]), @"
    oci:mirror (Provider)
      digest: sha256:4071…
      Crossplane v2.3.4: installs
      warning: annotation lost in a copy: the image's config names the layer that was `base`, and no layer is annotated. Crossplane up to v2.1 has to read all 294 bytes of the layers within three minutes, and later releases the layers from the top to the layer with package.yaml; with an annotated layer all releases read 204 bytes; copy it with `crane copy`, `regctl image copy` or `skopeo copy --all --preserve-digests`
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 0
    ");
    insta::assert_snapshot!(verify_output(&lost, &["--crossplane", "v2.3.4", "--strict"]).lines().last().unwrap(), @"exit code 1");
    let never = Image { base: None, labelled: None, ..package() };
    insta::assert_snapshot!(verify_output(&never, &["--crossplane", "v1.20"]), @"
    oci:mirror (Provider)
      digest: sha256:7b60…
      Crossplane v1.20.0: installs
      info: annotation missing: no layer has `io.crossplane.xpkg: base`, and the image was built without it. Crossplane up to v2.1 has to read all 294 bytes of the layers within three minutes, and later releases the layers from the top to the layer with package.yaml; with an annotated layer all releases read 204 bytes
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 0
    ");
}

#[test]
fn a_controller_image_is_not_a_package() {
    insta::assert_snapshot!(verify_output(&controller(), &[]), @r#"
    oci:mirror
      digest: sha256:e8bc…
      Crossplane v1.14 to v1.20, v2.0 and v2.1: refuses: cannot initialize parser backend: couldn't find "package.yaml" file after checking 1 files in the archive (annotated layer: false): EOF
      Crossplane v2.2 and later: refuses: cannot unpack package: cannot extract package content from oci:mirror: package.yaml not found in package
      error: not a package: no layer has package.yaml. The image runs `/usr/bin/provider`: this is the controller image, and the package is another image, mostly without `-controller` in its name
    exit code 1
    "#);
}

#[test]
fn the_requested_kind_must_match() {
    insta::assert_snapshot!(verify_output(&package(), &["--kind", "Function", "--crossplane", "v2.3.4"]), @"
    oci:mirror (Provider)
      digest: sha256:0d5d…
      Crossplane v2.3.4: refuses: linting package contents failed: package meta type is not Function
      error: wrong kind: it is a Provider, but a Function names it
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 1
    ");
}

/// Up to v2.2 Crossplane's library accepts only commas between constraints.
#[test]
fn each_release_parses_ranges_with_its_own_library() {
    let of = |range: &str| {
        package_of(&format!(
            "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: p}}\nspec: {{crossplane: {{version: '{range}'}}}}\n"
        ))
    };
    let reported = |range: &str, version: &str| {
        let all = verify_output(&of(range), &["--crossplane", version]);
        all.lines().filter(|line| !line.contains("digest: ")).collect::<Vec<_>>().join("\n")
    };
    let all = [
        reported(">=v1.20.0 <v2.0.0", "v1.20.11"),
        reported(">=v1.20.0 <v3.0.0", "v2.2.1"),
        reported(">=v1.20.0 <v3.0.0", "v2.3.4"),
        reported(">=v1.20.0, <v2.0.0", "v1.20.11"),
        reported(">=v1.20.0,, <v2.0.0", "v2.3.4"),
    ];
    insta::assert_snapshot!(all.join("\n---\n"), @r"
    oci:mirror (Provider)
      Crossplane v1.20.11: refuses: linting package contents failed: package version constraints are poorly formatted: improper constraint: >=v1.20.0 <v2.0.0
      error: `>=v1.20.0 <v2.0.0` is not a range that Crossplane up to v2.2 reads: put a comma between its constraints
    exit code 1
    ---
    oci:mirror (Provider)
      Crossplane v2.2.1: refuses: linting package contents failed: package version constraints are poorly formatted: improper constraint: >=v1.20.0 <v3.0.0
      error: `>=v1.20.0 <v3.0.0` is not a range that Crossplane up to v2.2 reads: put a comma between its constraints
    exit code 1
    ---
    oci:mirror (Provider)
      Crossplane v2.3.4: installs
    exit code 0
    ---
    oci:mirror (Provider)
      Crossplane v1.20.11: installs
    exit code 0
    ---
    oci:mirror (Provider)
      Crossplane v2.3.4: refuses: linting package contents failed: package version constraints are poorly formatted: improper constraint: >=v1.20.0,, <v2.0.0
      error: `>=v1.20.0,, <v2.0.0` is not a range of Crossplane's versions
    exit code 1
    ");
}

#[test]
fn bytes_that_do_not_match_the_digest_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let paths = package().lay(&folder.path().join("mirror"));
    let other = layer(&[("package.yaml", &PROVIDER.replace("name: p", "name: q"))]).packed;
    std::fs::write(&paths[1], other).unwrap();
    insta::assert_snapshot!(reported(folder.path(), &["--crossplane", "v2.2.0"], "oci:mirror"), @r#"
    oci:mirror
      digest: sha256:0d5d…
      Crossplane v2.2.0: refuses: cannot unpack package: cannot extract package content from oci:mirror: cannot uncompress layer: GET /v2/…/blobs/sha256:4423…: Content-Length header 206 does not match expected size 204
      error: blob altered: layer 2 of 2 (sha256:4423…) does not match its digest: error verifying sha256 checksum after reading 204 bytes; got "sha256:6e71…", want "sha256:4423…"; copy it with `crane copy`, `regctl image copy` or `skopeo copy --all --preserve-digests` again
    exit code 1
    "#);
}

#[test]
fn a_missing_program_layer_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let paths = package().lay(&folder.path().join("mirror"));
    std::fs::remove_file(&paths[0]).unwrap();
    insta::assert_snapshot!(reported(folder.path(), &[], "oci:mirror"), @"
    oci:mirror (Provider)
      digest: sha256:0d5d…
      Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs
      warning: blob missing: layer 1 of 2 (sha256:4310…) is not in the registry, so nodes cannot run the image; Crossplane does not read it, and reports nothing: GET /v2/…/blobs/sha256:4310…: BLOB_UNKNOWN: blob unknown to registry
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 0
    ");
    insta::assert_snapshot!(reported(folder.path(), &["--full"], "oci:mirror").lines().last().unwrap(), @"exit code 1");
}

#[test]
fn the_file_of_a_package_is_judged_like_its_push() {
    let folder = tempfile::tempdir().unwrap();
    package().pack(&folder.path().join("provider.xpkg"));
    std::fs::copy(folder.path().join("provider.xpkg"), folder.path().join("saved.tar")).unwrap();
    insta::assert_snapshot!(reported(folder.path(), &[], "provider.xpkg"), @r"
    provider.xpkg (Provider)
      Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 0
    ");
    // Other push commands do not change the labels.
    insta::assert_snapshot!(reported(folder.path(), &[], "docker-archive:saved.tar"), @"
    docker-archive:saved.tar (Provider)
      Crossplane v1.14 to v1.20, v2.0 and v2.1, v2.2 and later: installs
      warning: annotation lost in a copy: the image's config names the layer that was `base`, and no layer is annotated. Crossplane up to v2.1 has to read all 294 bytes of the layers within three minutes, and later releases the layers from the top to the layer with package.yaml; with an annotated layer all releases read 204 bytes; copy it with `crane copy`, `regctl image copy` or `skopeo copy --all --preserve-digests`
      needs: xpkg.crossplane.io/o/family >=v1.0.0
    exit code 0
    ");
}

#[test]
fn errors_name_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    package().lay(&folder.path().join("mirror"));
    let of = |source: &str| reported(folder.path(), &[], source);
    insta::assert_snapshot!(of("oci:mirror:v2"), @"
    oci:mirror:v2
      error: not read: the layout has no image `:v2`; it has @sha256:0d5d…
    exit code 1
    ");
    insta::assert_snapshot!(of("oci:nothing"), @"
    oci:nothing
      error: not read: index.json is missing, and every OCI layout has it
    exit code 1
    ");
    insta::assert_snapshot!(of("crossplane-contrib/provider-aws-s3:v2"), @r"
    crossplane-contrib/provider-aws-s3:v2
      error: not read: `crossplane-contrib/provider-aws-s3:v2` is not a package: it has no registry. Write a reference with its registry, `oci:DIR`, `oci-archive:FILE`, `docker-archive:FILE` or FILE.xpkg
    exit code 1
    ");
    insta::assert_snapshot!(of("nothing.xpkg"), @"
    nothing.xpkg
      error: not read: No such file or directory (os error 2)
    exit code 1
    ");
}

#[test]
fn the_unpacked_size_of_layers_is_limited() {
    let zeros = "0".repeat(300 << 20);
    let bomb = Image {
        layers: vec![layer(&[("zeros", &zeros), ("package.yaml", PROVIDER)])],
        base: Some(0),
        ..Image::default()
    };
    insta::assert_snapshot!(verify_output(&bomb, &["--crossplane", "v2.3.4"]), @r"
    oci:mirror
      digest: sha256:9623…
      Crossplane v2.3.4: refuses: cannot unpack package: cannot extract package content from oci:mirror: cannot read package contents: the layer unpacks to more than 200 times its size
      warning: layer 1 of 1 (sha256:6567…) is not an archive of distinct files: the layer unpacks to more than 200 times its size
    exit code 1
    ");
}

/// If releases read different files, a verdict for one release reports it too, although that release finds a file.
#[test]
fn a_file_that_hides_the_packages_is_reported_for_one_release() {
    let hiding = |name: &'static str| Image {
        layers: vec![layer(&[("package.yaml", PROVIDER)]), layer(&[(name, &PROVIDER.replace("name: p", "name: q"))])],
        ..Image::default()
    };
    let hidden = |version: &[&str]| -> Vec<String> {
        let log = verify_output(&hiding("opt/x/package.yaml"), version);
        log.lines().filter(|line| line.contains("hidden by") || line.starts_with("exit")).map(str::to_owned).collect()
    };
    insta::assert_snapshot!(hidden(&[]).join("\n"), @"
      error: hidden by a file of another layer: releases v2.0 and v2.1 read `opt/x/package.yaml`, and older releases `package.yaml`; annotate the package's layer, or remove the other file
    exit code 1
    ");
    insta::assert_snapshot!(hidden(&["--crossplane", "v2.3.4"]).join("\n"), @"
      warning: hidden by a file of another layer: releases v2.0 and v2.1 read `opt/x/package.yaml`, and older releases `package.yaml`; annotate the package's layer, or remove the other file
    exit code 0
    ");
    assert_eq!(hidden(&["--crossplane", "v1.20.11"]), hidden(&["--crossplane", "v2.3.4"]));
    assert!(!verify_output(&hiding("opt/x/other.yaml"), &["--crossplane", "v2.3.4"]).contains("hidden by"));
}

/// From v2.0 on each package runs its own image; the image of a Configuration does not run.
#[test]
fn an_image_without_a_program_cannot_start() {
    let reported = |kind: &str, more: &str, version: &str| {
        let folder = tempfile::tempdir().unwrap();
        let content =
            format!("apiVersion: meta.pkg.crossplane.io/v1\nkind: {kind}\nmetadata: {{name: p}}\nspec: {{{more}}}\n");
        package_of(&content).without_program().lay(&folder.path().join("mirror"));
        let run = crate::support::run::hostnet(
            folder.path(),
            &["mirror", "verify", "--crossplane", version, "oci:mirror"],
            b"",
        );
        run.text().matches("no program").count()
    };
    let image = "controller: {image: 'o/p-controller:v1'}";
    let invalid = |image: &str| {
        let folder = tempfile::tempdir().unwrap();
        let content = PROVIDER.replace("spec:", &format!("spec:\n  controller: {{image: '{image}'}}"));
        package_of(&content).lay(&folder.path().join("mirror"));
        let arguments = ["mirror", "verify", "--crossplane", "v1.20.11", "oci:mirror"];
        crate::support::run::hostnet(folder.path(), &arguments, b"")
            .text()
            .contains("which is not the name of an image")
    };
    assert!(invalid("") && invalid("Acme/Ctrl:v1") && !invalid("acme/ctrl:v1"));
    assert_eq!(reported("Provider", image, "v2.3.4"), 1);
    assert_eq!(reported("Provider", image, "v1.20.11"), 0);
    assert_eq!(reported("Provider", "", "v1.20.11"), 1);
    assert_eq!(reported("Configuration", "", "v2.3.4"), 0);
}
