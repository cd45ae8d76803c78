//! Crossplane's own dependency resolver, with the content of a mirror: it installs the list of `hostnet mirror list`,
//! and reports nothing missing.

use std::collections::BTreeSet;
use std::process::Command;

use super::verify_config::{Mirror, meta};
use super::{package, stream};
use crate::support::run::hostnet;
use crate::support::{find_program, not_run, run, text};

/// The releases whose resolver runs, and its arguments.
const RELEASES: [(&str, &[&str], &str); 2] = [("xpkg-v1.20.11", &["resolve"], "v1.20.11"), ("resolver", &[], "v2.3.4")];

/// The final state after manifests are installed.
#[derive(Debug, PartialEq, Eq)]
struct Installed {
    pulled: BTreeSet<String>,
    /// Messages of revisions about their dependencies.
    log: Vec<String>,
    resolver: String,
}

impl Mirror {
    /// Packages that a release installs from manifests after `apply`.
    fn installed(&self, program: &std::path::Path, arguments: &[&str], manifests: &[String]) -> Installed {
        std::fs::write(self.folder.path().join("manifests.yaml"), stream(manifests)).unwrap();
        let applied = hostnet(self.folder.path(), &["apply", "-q", "-c", "mirror.yaml", "manifests.yaml"], b"");
        assert_eq!(applied.code, Some(0), "{}", applied.stderr);
        let output = run(Command::new(program).args(arguments), applied.text().as_bytes());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let texts = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        Installed {
            pulled: answer["pulled"].as_array().unwrap().iter().map(texts).collect(),
            log: answer["said"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, log)| format!("{name}: {}", texts(log)))
                .collect(),
            resolver: texts(&answer["resolver"]),
        }
    }

    /// The targets of `mirror list`.
    fn listed(&self) -> BTreeSet<String> {
        let arguments = ["mirror", "list", "--complete", "-c", "mirror.yaml", "-o", "lines", "manifests.yaml"];
        let list = hostnet(self.folder.path(), &arguments, b"");
        assert_eq!(list.code, Some(0), "{}", list.stderr);
        list.text().lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
    }

    fn pin(&self, manifests: &[String]) {
        std::fs::write(self.folder.path().join("manifests.yaml"), stream(manifests)).unwrap();
        let arguments = ["mirror", "pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];
        let pinned = hostnet(self.folder.path(), &arguments, b"");
        assert_eq!(pinned.code, Some(0), "{}", pinned.stderr);
    }

    /// The errors of `mirror verify -c`.
    fn errors(&self) -> Vec<String> {
        let run = hostnet(self.folder.path(), &["mirror", "verify", "-c", "mirror.yaml", "manifests.yaml"], b"");
        run.text().lines().filter(|line| line.contains("error: ")).map(|line| line.trim().to_owned()).collect()
    }
}

fn needs(name: &str, range: &str) -> String {
    format!("{{provider: xpkg.crossplane.io/o/{name}, version: '{range}'}}")
}

/// A family of forty packages, and a Configuration that needs them; the mirror also has newer versions, in range and
/// out of range.
#[test]
fn a_family_is_installed_whole() {
    let programs = RELEASES.map(|(name, ..)| find_program(name));
    let [Some(_), Some(_)] = programs else {
        return not_run("xpkg-v1.20.11 or resolver is missing (`make tools` builds them with Go)");
    };
    let Some(mirror) = Mirror::new() else { return };
    let names: Vec<String> = (0..40).map(|at| format!("provider-aws-{at}")).collect();
    let all: Vec<String> = names.iter().map(|name| needs(name, ">=v2.0.0, <v3.0.0")).collect();
    mirror.push("o/platform:v1.0.0", &meta("Configuration", "platform", &all));
    for version in ["v1.9.0", "v2.6.0"] {
        mirror.push(&format!("o/provider-family-aws:{version}"), &meta("Provider", "family", &[]));
    }
    let of_family = [needs("provider-family-aws", ">=v2.0.0")];
    for name in &names {
        mirror.push(&format!("o/{name}:v2.6.0"), &meta("Provider", name, &of_family));
    }
    for other in ["3:v2.10.0", "3:v3.0.0", "4:v2.7.0-rc.1", "5:v2", "7:v1.9.0"] {
        mirror.push(&format!("o/provider-aws-{other}"), &meta("Provider", &other.replace([':', '.'], "-"), &of_family));
    }
    let platform = package("Configuration", "platform", "xpkg.crossplane.io/o/platform:v1.0.0");
    let seven = |version: &str| package("Provider", "seven", &format!("xpkg.crossplane.io/o/provider-aws-7:{version}"));
    let manifests = [platform.clone(), seven("v2.6.0")];
    mirror.pin(&manifests);
    assert_eq!(mirror.errors(), [""; 0]);
    let listed = mirror.listed();
    assert_eq!(listed.len(), 42);
    assert!(listed.iter().any(|reference| reference.ends_with("provider-aws-3:v2.10.0")), "{listed:?}");
    for ((name, arguments, _), program) in RELEASES.iter().zip(programs.into_iter().flatten()) {
        let whole = Installed { pulled: listed.clone(), log: Vec::new(), resolver: String::new() };
        assert_eq!(mirror.installed(&program, arguments, &manifests), whole, "{name}");
        // The order of the objects does not matter.
        assert_eq!(mirror.installed(&program, arguments, &[seven("v2.6.0"), platform.clone()]), whole, "{name}");
        // A wrong version with the same name.
        let wrong = [platform.clone(), seven("v1.9.0")];
        let installed = mirror.installed(&program, arguments, &wrong);
        assert_eq!(installed.log.len(), 1, "{name}: {installed:?}");
        let log = "existing package xpkg.crossplane.io/o/provider-aws-7@v1.9.0 is incompatible with constraint >=v2.0.0, <v3.0.0";
        assert!(installed.log[0].contains(log), "{name}: {installed:?}");
        assert_eq!(
            mirror.errors(),
            [
                "error: needs xpkg.crossplane.io/o/provider-aws-7 >=v2.0.0, <v3.0.0, and the requested version is v1.9.0, which is not in that range"
            ],
            "{name}"
        );
        std::fs::write(mirror.folder.path().join("manifests.yaml"), stream(&manifests)).unwrap();
    }
}

/// `verify` reports an error exactly for ranges and missing packages that a release refuses.
#[test]
fn refusals_of_the_resolver_are_predicted() {
    for (name, arguments, version) in RELEASES {
        let Some(program) = find_program(name) else {
            not_run(&format!("{name} is missing (`make tools` builds it with Go)"));
            continue;
        };
        let Some(mirror) = Mirror::new() else { return };
        let config = mirror.folder.path().join("mirror.yaml");
        let text = std::fs::read_to_string(&config).unwrap().replace("v2.3.4", version);
        for tag in ["v1.0.0", "v1.5.0", "v2.0.0-rc.1", "v2.1.0"] {
            mirror.push(&format!("o/a:{tag}"), &meta("Provider", "a", &[]));
        }
        for range in [
            ">=v1.0.0",
            ">=v1.0.0 <v2.0.0",
            "<2",
            ">1",
            "^1.0.0",
            "~1.0",
            "v1.0.0",
            "1.x",
            "!=v2.1.0",
            "1.0.0 - 1.9.0",
            ">=v2.0.0-0",
            "latest",
            ">v9",
        ] {
            std::fs::write(&config, &text).unwrap();
            mirror.push("o/p:v1.0.0", &meta("Configuration", "p", &[needs("a", range)]));
            let manifests = [package("Configuration", "p", "xpkg.crossplane.io/o/p:v1.0.0")];
            let installed = mirror.installed(&program, arguments, &manifests);
            let is_whole = installed.log.is_empty() && installed.resolver.is_empty();
            assert_eq!(
                mirror.errors().is_empty(),
                is_whole,
                "{name} {range}: {installed:?}, and {:?}",
                mirror.errors()
            );
            if !is_whole {
                continue;
            }
            mirror.pin(&manifests);
            assert_eq!(mirror.listed(), installed.pulled, "{name} {range}");
        }
        std::fs::write(&config, &text).unwrap();
        mirror.push("o/p:v1.0.0", &meta("Configuration", "p", &[needs("gone", ">=v1.0.0")]));
        let manifests = [package("Configuration", "p", "xpkg.crossplane.io/o/p:v1.0.0")];
        let installed = mirror.installed(&program, arguments, &manifests);
        assert!(
            installed.log[0].contains("missing dependencies: \"xpkg.crossplane.io/o/gone\""),
            "{name}: {installed:?}"
        );
        assert!(mirror.errors()[0].contains("needs xpkg.crossplane.io/o/gone"), "{name}: {:?}", mirror.errors());
    }
}

/// Packages pinned by ImageConfigs are pulled by digest, and packages that need them still find their version.
#[test]
fn pinned_packages_are_found_by_their_dependents() {
    for (name, arguments, _) in RELEASES {
        let Some(program) = find_program(name) else {
            not_run(&format!("{name} is missing (`make tools` builds it with Go)"));
            continue;
        };
        let Some(mirror) = Mirror::new() else { return };
        mirror.push("o/a:v1.2.0", &meta("Provider", "a", &[]));
        mirror.push("o/p:v1.0.0", &meta("Configuration", "p", &[needs("a", ">=v1.0.0")]));
        let manifests = [package("Configuration", "p", "xpkg.crossplane.io/o/p:v1.0.0")];
        mirror.pin(&manifests);
        let config = mirror.folder.path().join("mirror.yaml");
        let text = std::fs::read_to_string(&config).unwrap().replace("spec:\n", "spec:\n  digests: Pin\n");
        std::fs::write(&config, text).unwrap();
        let installed = mirror.installed(&program, arguments, &manifests);
        assert_eq!((installed.log.len(), installed.resolver.as_str()), (0, ""), "{name}: {installed:?}");
        let all = ["a:v1.2.0", "p:v1.0.0"].map(|name| {
            let place = format!("{}/xpkg/o/{name}", mirror.registry.host);
            format!("{}@{}", place.rsplit_once(':').unwrap().0, mirror.registry.digest(&place))
        });
        assert_eq!(installed.pulled, all.into_iter().collect(), "{name}");
    }
}
