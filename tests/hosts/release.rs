//! Release files of `.ci/release`, the ways to install them (krew, Homebrew, the action), and the crate's package.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{find_program, not_run, project, run, text};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn checksum(file: &Path) -> String {
    let sum = text(&run(Command::new("sha256sum").arg(file), b"").stdout);
    sum.split(' ').next().unwrap().to_owned()
}

/// The krew manifest and the Homebrew formula contain the archive's URL and checksum, and name existing files.
fn index_leads_to(out: &Path, archive: &str) {
    let sum = checksum(&out.join(archive));
    let url = format!("https://github.com/OWNER/hostnet/releases/download/v{VERSION}/{archive}");
    let plugin: Value = serde_yaml::from_str(&std::fs::read_to_string(out.join("hostnet.yaml")).unwrap()).unwrap();
    // Fields that krew's validation requires: docs/developer-guide of krew, `internal/index/validation`.
    assert_eq!(plugin["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!((&plugin["kind"], &plugin["metadata"]["name"]), (&"Plugin".into(), &"hostnet".into()));
    assert_eq!(plugin["spec"]["version"], format!("v{VERSION}"));
    assert!(plugin["spec"]["shortDescription"].as_str().unwrap().len() <= 50);
    let platforms = plugin["spec"]["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), 1);
    let platform = &platforms[0];
    assert_eq!(platform["selector"]["matchLabels"], serde_json::json!({"os": "linux", "arch": "amd64"}));
    assert_eq!((platform["uri"].as_str().unwrap(), platform["sha256"].as_str().unwrap()), (&*url, &*sum));
    assert_eq!(platform["bin"], "hostnet");
    let formula = std::fs::read_to_string(out.join("hostnet.rb")).unwrap();
    for line in [format!("      url \"{url}\""), format!("      sha256 \"{sum}\"")] {
        assert!(formula.lines().any(|formula_line| formula_line == line), "{line}: {formula}");
    }
}

/// The action's script installs an archive with the right checksum, and nothing with a wrong one.
fn installs(folder: &Path, out: &Path, archive: &str) {
    let releases = folder.join("releases");
    let version = releases.join(format!("v{VERSION}"));
    std::fs::create_dir_all(&version).unwrap();
    for file in [archive, "SHA256SUMS"] {
        std::fs::copy(out.join(file), version.join(file)).unwrap();
    }
    let install = |name: &str, sum: &str| {
        let temporary = folder.join(name);
        std::fs::create_dir(&temporary).unwrap();
        let path = temporary.join("path");
        let mut script = Command::new("bash");
        script.arg(project().join(".ci/install")).envs([("VERSION", VERSION), ("SHA256", sum)]);
        script.env("RELEASES", format!("file://{}", releases.display()));
        let output = run(script.env("RUNNER_TEMP", &temporary).env("GITHUB_PATH", &path), b"");
        let own = std::fs::read_to_string(path).unwrap_or_default();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr), own)
    };
    for (name, sum) in [("pinned", checksum(&out.join(archive))), ("listed", String::new())] {
        let (success, log, own) = install(name, &sum);
        assert!(success && log.contains(VERSION), "{log}");
        assert!(Path::new(own.trim()).join("hostnet").is_file(), "{own}");
    }
    let (success, log, own) = install("wrong", &"0".repeat(64));
    assert!(!success && own.is_empty() && log.contains("nothing was installed"), "{log}");
}

/// The action and the example CI jobs install this version.
#[test]
fn examples_install_this_version() {
    let read = |file: &str| std::fs::read_to_string(project().join(file)).unwrap();
    assert!(read("action.yaml").contains(&format!("default: \"{VERSION}\"")));
    for name in ["github", "github-argo-cd", "github-flux", "github-mirror"] {
        let file = read(&format!("examples/ci/{name}.yaml"));
        assert!(file.contains(&format!("uses: OWNER/hostnet@v{VERSION}\n")), "{name}");
    }
    assert!(read("examples/ci/gitlab.yaml").contains(&format!("VERSION: {VERSION}\n")));
}

/// kubectl runs the program as its plugin `hostnet` if a folder of the `PATH` contains it.
#[test]
fn kubectl_runs_the_plugin() {
    let Some(kubectl) = crate::cases::host("kubectl") else { return };
    let folder = tempfile::tempdir().unwrap();
    let installed = run(
        Command::new(crate::cases::HOSTNET).args(["install", "--kubectl-plugin"]).arg(folder.path().join("bin")),
        b"",
    );
    assert!(installed.status.success(), "{}", text(&installed.stderr));
    let path = format!("{}:{}", folder.path().join("bin").display(), std::env::var("PATH").unwrap());
    let output = run(Command::new(kubectl).args(["hostnet", "version"]).env("PATH", path), b"");
    assert_eq!(text(&output.stdout).trim(), format!("hostnet {VERSION}"), "{}", text(&output.stderr));
}

/// `.ci/release` with an existing binary: archives with correct checksums, completions, man pages and the image.
#[test]
fn a_release_has_all_files() {
    let Some(cyclonedx) = find_program("cargo-cyclonedx") else {
        return not_run("cargo-cyclonedx is missing (`make .tools/bin/cargo-cyclonedx`)");
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("release");
    let target = "x86_64-unknown-linux-gnu";
    if !text(&run(Command::new("rustc").arg("-vV"), b"").stdout).contains(&format!("host: {target}")) {
        return not_run(&format!("this machine is not {target}"));
    }
    assert!(cyclonedx.is_file());
    let make = || {
        let mut script = Command::new("bash");
        script.arg(project().join(".ci/release")).arg(&out);
        let output = run(script.env("HOSTNET_RELEASE_BIN", format!("{target}={}", crate::cases::HOSTNET)), b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let sums = make();
    let checked = run(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&out), b"");
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    let names: Vec<&str> = sums.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    let archive = format!("hostnet-{VERSION}-{target}.tar.gz");
    assert_eq!(
        names,
        [
            &format!("hostnet-{VERSION}-image.tar"),
            archive.as_str(),
            &format!("hostnet-{VERSION}.cdx.json"),
            "hostnet.rb",
            "hostnet.yaml"
        ]
    );
    index_leads_to(&out, &archive);
    installs(folder.path(), &out, &archive);
    let listed = text(&run(Command::new("tar").args(["--list", "--file"]).arg(out.join(&archive)), b"").stdout);
    for file in ["hostnet", "LICENSE", "CHANGELOG.md", "completions/hostnet.zsh", "man/hostnet-apply.1"] {
        assert!(listed.lines().any(|line| line == format!("hostnet-{VERSION}-{target}/{file}")), "{file}: {listed}");
    }
    let sbom = json(&out.join(format!("hostnet-{VERSION}.cdx.json")));
    assert_eq!(sbom["metadata"]["component"]["version"], VERSION);
    assert!(sbom["components"].as_array().unwrap().iter().any(|one| one["name"] == "clap"));
    assert_eq!(make(), sums, "the same binary gives the same bytes");
}

/// The package for `cargo install` contains all files that the build reads.
#[test]
fn the_package_contains_all_files_of_the_build() {
    let listed =
        run(Command::new("cargo").args(["package", "--list", "--locked", "--allow-dirty"]).current_dir(project()), b"");
    assert!(listed.status.success(), "{}", text(&listed.stderr));
    let listed = text(&listed.stdout);
    let files: Vec<&str> = listed.lines().collect();
    for file in ["Cargo.lock", "build.rs", "catalog/references.yaml", "docs/rules/config.md", "src/main.rs", "LICENSE"]
    {
        assert!(files.contains(&file), "{file}");
    }
    assert!(!files.iter().any(|file| file.starts_with("tests/") || file.starts_with(".tools/")));
}
