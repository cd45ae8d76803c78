//! The image of `.ci/image`: an OCI layout whose blobs match their digests, and whose program runs with the image's
//! config in an empty root without network. Also hosts that run the image with Docker, which a script replaces here.

// Helper functions may panic like the tests themselves; clippy.toml only excuses functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cases::{EXAMPLE, command, copy, host};
use crate::container::static_binary;
use crate::example::resource_list;
use crate::kustomize::FLAGS;
use crate::support::{find_program, not_run, project, run, text};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes the layout for some binaries, by architecture.
fn layout(out: &Path, binaries: &[(&str, &Path)]) {
    let mut script = Command::new("bash");
    script.arg(project().join(".ci/image")).arg(out).arg(VERSION);
    script.args(binaries.iter().map(|(arch, binary)| format!("{arch}={}", binary.display())));
    let output = run(script.env("SOURCE_DATE_EPOCH", "1700000000"), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Returns the path of a blob, after comparing its digest and size with its descriptor.
fn blob(layout: &Path, descriptor: &Value) -> PathBuf {
    let digest = descriptor["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
    let path = layout.join("blobs/sha256").join(digest);
    let sum = text(&run(Command::new("sha256sum").arg(&path), b"").stdout);
    assert_eq!(sum.split_whitespace().next(), Some(digest));
    assert_eq!(descriptor["size"].as_u64(), Some(std::fs::metadata(&path).unwrap().len()));
    path
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the manifests of all platforms.
fn manifests(layout: &Path) -> Vec<Value> {
    let index = json(&layout.join("index.json"));
    assert_eq!(index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"], VERSION);
    json(&blob(layout, &index["manifests"][0]))["manifests"].as_array().unwrap().clone()
}

/// The layout's bytes depend only on the binaries, and every platform has its own manifest.
#[test]
fn the_layout_is_complete_and_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["amd", "arm"] {
        std::fs::write(at(name), format!("the program of {name}")).unwrap();
    }
    for name in ["one", "two"] {
        layout(&at(name), &[("amd64", &at("amd")), ("arm64", &at("arm"))]);
    }
    let same = run(Command::new("diff").arg("-r").args([at("one"), at("two")]), b"");
    assert!(same.status.success(), "{}", text(&same.stdout));
    let found = manifests(&at("one"));
    let platforms: Vec<&str> = found.iter().map(|one| one["platform"]["architecture"].as_str().unwrap()).collect();
    assert_eq!(platforms, ["amd64", "arm64"]);
    for (descriptor, name) in found.iter().zip(["amd", "arm"]) {
        let manifest = json(&blob(&at("one"), descriptor));
        let config = json(&blob(&at("one"), &manifest["config"]));
        assert_eq!(config["config"]["User"], "65534:65534");
        assert_eq!(config["config"]["Entrypoint"], serde_json::json!(["/hostnet"]));
        assert_eq!(config["config"]["Labels"]["org.opencontainers.image.version"], VERSION);
        let layer = blob(&at("one"), &manifest["layers"][0]);
        let listed =
            text(&run(Command::new("tar").args(["--list", "--verbose", "--gzip", "--file"]).arg(&layer), b"").stdout);
        assert!(listed.starts_with("-r-xr-xr-x 0/0 ") && listed.lines().count() == 1, "{listed}");
        let program =
            run(Command::new("tar").args(["--extract", "--to-stdout", "--gzip", "--file"]).arg(&layer), b"").stdout;
        assert_eq!(text(&program), format!("the program of {name}"));
        let unpacked =
            run(Command::new("sh").arg("-c").arg(format!("gzip -dc '{}' | sha256sum", layer.display())), b"");
        let content = text(&unpacked.stdout);
        assert_eq!(config["rootfs"]["diff_ids"][0], format!("sha256:{}", content.split_whitespace().next().unwrap()));
    }
}

/// crane can push the layout, and the registry then returns the same config.
#[test]
fn crane_pushes_the_layout() {
    let Some(crane) = find_program("crane") else { return not_run("crane is missing (`make tools` installs it)") };
    let folder = tempfile::tempdir().unwrap();
    let (program, out) = (folder.path().join("program"), folder.path().join("layout"));
    std::fs::write(&program, "a program").unwrap();
    layout(&out, &[("amd64", &program)]);
    let mut registry = Command::new(&crane);
    registry.args(["registry", "serve", "--address", "127.0.0.1:0"]).stderr(std::process::Stdio::piped());
    let mut registry = registry.stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(registry.stderr.take().unwrap()));
    let port = lines.find_map(|line| Some(line.ok()?.rsplit_once("port ")?.1.trim().to_owned()));
    let name = format!("localhost:{}/hostnet:{VERSION}", port.unwrap_or_default());
    let pushed = run(Command::new(&crane).arg("push").args([out.to_str().unwrap(), &name]), b"");
    let config = run(Command::new(&crane).args(["config", &name]), b"");
    registry.kill().unwrap();
    registry.wait().unwrap();
    assert!(pushed.status.success(), "{}", text(&pushed.stderr));
    let config: Value = serde_json::from_slice(&config.stdout).unwrap();
    assert_eq!(config["config"]["User"], "65534:65534");
}

#[test]
fn the_image_runs_unprivileged_without_network() {
    let Some(binary) = static_binary() else { return };
    let (Some(unshare), Some(_)) = (find_program("unshare"), find_program("chroot")) else {
        return not_run("unshare (util-linux) or chroot (coreutils) is missing");
    };
    let folder = tempfile::tempdir().unwrap();
    let (out, root) = (folder.path().join("layout"), folder.path().join("root"));
    layout(&out, &[("amd64", &binary)]);
    let manifest = json(&blob(&out, &manifests(&out)[0]));
    let config = json(&blob(&out, &manifest["config"]));
    std::fs::create_dir(&root).unwrap();
    let layer = blob(&out, &manifest["layers"][0]);
    let unpacked =
        run(Command::new("tar").args(["--extract", "--gzip", "--file"]).arg(layer).arg("--directory").arg(&root), b"");
    assert!(unpacked.status.success(), "{}", text(&unpacked.stderr));
    run(Command::new("chmod").arg("0555").arg(&root), b"");
    run(Command::new("chmod").arg("0755").arg(folder.path()), b"");
    let start = |arguments: &[&str], input: &[u8]| {
        let mut command = Command::new(&unshare);
        command.args(["--net", "chroot"]).arg(format!("--userspec={}", config["config"]["User"].as_str().unwrap()));
        command.arg(&root).arg(config["config"]["Entrypoint"][0].as_str().unwrap());
        run(command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").args(arguments), input)
    };
    let version = start(&["version"], b"");
    if !version.status.success() && text(&version.stderr).contains("not permitted") {
        return not_run(&format!("an empty root needs root's rights: {}", text(&version.stderr).trim()));
    }
    assert_eq!(text(&version.stdout), format!("hostnet {VERSION}\n"));
    let moved = start(&[], resource_list().as_bytes());
    assert!(moved.status.success(), "{}", text(&moved.stderr));
    assert_eq!(text(&moved.stdout).matches("hostPort: 20").count(), 3);
}

/// kustomize's container form runs `docker run` as an unprivileged user without network, here with a script instead of
/// Docker, and gives the same result as the exec form.
#[test]
fn kustomize_runs_the_container() {
    let Some(kustomize) = host("kustomize") else { return };
    let folder = tempfile::tempdir().unwrap();
    copy(&project().join(EXAMPLE), folder.path());
    let build = |flags: &[&str]| {
        let mut build = command(&kustomize);
        let mut paths = vec![project().join("tests/hosts/commands/stand-ins")];
        let path = build.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).unwrap().to_owned();
        paths.extend(std::env::split_paths(&path));
        build.env("PATH", std::env::join_paths(paths).unwrap());
        run(build.args(flags).arg(folder.path()), b"")
    };
    let exec = build(&FLAGS);
    let config = folder.path().join("hostnet.yaml");
    let text_of = std::fs::read_to_string(&config).unwrap();
    let with_image = text_of.replace("exec: {path: hostnet}", &format!("container: {{image: \"hostnet:{VERSION}\"}}"));
    assert_ne!(text_of, with_image);
    std::fs::write(&config, with_image).unwrap();
    let container = build(&["build", "--enable-alpha-plugins"]);
    assert!(container.status.success(), "{}", text(&container.stderr));
    assert_eq!(text(&container.stdout), text(&exec.stdout));
    assert!(text(&container.stdout).contains("hostNetwork: true"));
}
