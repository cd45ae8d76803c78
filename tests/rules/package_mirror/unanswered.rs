//! Registries that do not answer, and packages outside the mirror: each is reported for its source, and other sources
//! are still verified.

use std::net::TcpListener;
use std::path::Path;

use super::hostile_registries::{answer, layout, registry_of};
use super::verify_config::meta;
use super::verify_registry::{blobs, response, serve};
use super::{package, stream};
use crate::support::run::hostnet;

/// A folder with a config of these rules, and these manifests.
fn folder(rules: &str, packages: &str, manifests: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec:\n  rules: [{rules}]\n{packages}  crossplane: {{version: v2.3.4}}\n"
    );
    std::fs::write(folder.path().join("mirror.yaml"), config).unwrap();
    std::fs::write(folder.path().join("manifests.yaml"), stream(manifests)).unwrap();
    folder
}

/// Output of a command of `mirror`, without digests and hosts.
fn reported(folder: &Path, arguments: &[&str], hosts: &[(&str, &str)]) -> String {
    let run = hostnet(folder, &[&["mirror"], arguments].concat(), b"");
    let mut text = format!("{}{}exit code {}\n", run.text(), run.stderr, run.code.unwrap());
    for (host, name) in hosts {
        text = text.replace(host, name);
    }
    regex::Regex::new("sha256:[0-9a-f]{64}").unwrap().replace_all(&text, "sha256:…").into_owned()
}

const VERIFY: [&str; 4] = ["verify", "-c", "mirror.yaml", "manifests.yaml"];
const PIN: [&str; 6] = ["pin", "-c", "mirror.yaml", "--from-mirror", "--manifests", "manifests.yaml"];

/// A package in a registry without a rule, which gets no request.
#[test]
fn a_dependency_without_a_rule_is_an_error_of_the_package_that_needs_it() {
    let at = tempfile::tempdir().unwrap();
    layout(&at.path().join("family"), &meta("Provider", "family", &[]));
    let (outside, asked) = registry_of(&at.path().join("family"));
    let needs = format!("{{provider: '{outside}/o/family', version: '>=v1.0.0'}}");
    layout(&at.path().join("tables"), &meta("Provider", "tables", &[needs]));
    let (mirror, _) = registry_of(&at.path().join("tables"));
    let manifests = [package("Provider", "tables", "a.io/o/tables:v1.0.0")];
    let hosts = [(mirror.as_str(), "MIRROR"), (outside.as_str(), "OUTSIDE"), ("127.0.0.1-", "PORT-")];
    let own = folder(&format!("{{from: a.io, to: '{mirror}'}}"), "", &manifests);
    let text = [reported(own.path(), &VERIFY, &hosts), reported(own.path(), &PIN, &hosts)].join("---\n");
    insta::assert_snapshot!(regex::Regex::new("PORT-[0-9]+").unwrap().replace_all(&text, "FOLDER"), @"
    MIRROR/o/tables:v1.0.0 (Provider)
      digest: sha256:…
      Crossplane v2.3.4: installs
      error: needs OUTSIDE/o/family >=v1.0.0, and no rule of the config matches OUTSIDE, so Crossplane pulls from it directly: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`
      needs: OUTSIDE/o/family >=v1.0.0
    exit code 1
    ---
    OUTSIDE/o/family, which is needed by a.io/o/tables:v1.0.0 (>=v1.0.0)
      error: no rule of the config matches OUTSIDE, so Crossplane pulls from it directly: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`
    error: 1 not read, so nothing is written
    exit code 1
    ");
    // The same dependency, recorded in `packages`.
    let known = format!(
        "  packages: {{a.io/o/tables:v1.0.0: {{dependsOn: ['{outside}/o/family >=v1.0.0']}}, '{outside}/o/family:v1.0.0': {{dependsOn: []}}}}\n"
    );
    let own = folder(&format!("{{from: a.io, to: '{mirror}'}}"), &known, &manifests);
    let list = ["list", "-c", "mirror.yaml", "--complete", "manifests.yaml"];
    let text = [reported(own.path(), &VERIFY, &hosts), reported(own.path(), &list, &hosts)].join("---\n");
    insta::assert_snapshot!(regex::Regex::new("PORT-[0-9]+").unwrap().replace_all(&text, "FOLDER"), @"
    OUTSIDE/o/family:v1.0.0
      error: is needed by a.io/o/tables:v1.0.0 (>=v1.0.0), and no rule of the config matches OUTSIDE, so Crossplane pulls from it directly: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`

    MIRROR/o/tables:v1.0.0 (Provider)
      digest: sha256:…
      Crossplane v2.3.4: installs
      needs: OUTSIDE/o/family >=v1.0.0
    exit code 1
    ---
    Kind     Source                           Target                           Digest  Used by
    package  OUTSIDE/o/family:v1.0.0  -                                -       a.io/o/tables:v1.0.0 (>=v1.0.0)
    package  a.io/o/tables:v1.0.0             MIRROR/o/tables:v1.0.0  -       Provider tables
    error: not known: OUTSIDE/o/family:v1.0.0: whether it can be pulled: it is needed by a.io/o/tables:v1.0.0 (>=v1.0.0), and no rule of the config matches OUTSIDE, so Crossplane pulls from it directly: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`
    exit code 1
    ");
    assert_eq!(reported(own.path(), &PIN, &hosts).matches("no rule of the config matches OUTSIDE").count(), 1);
    assert_eq!(asked.lock().unwrap().len(), 0, "{:?}", asked.lock().unwrap());
    // The rule of the message is valid, and the package is looked up with it.
    let rules =
        format!("{{from: a.io, to: '{mirror}'}}, {{from: '{outside}', to: '{mirror}/{}'}}", outside.replace(':', "-"));
    let own = folder(&rules, "", &manifests);
    let text = reported(own.path(), &VERIFY, &hosts);
    assert!(!text.contains("no rule of the config"), "{text}");
    assert_eq!(asked.lock().unwrap().len(), 0);
}

/// A rule with equal `from` and `to` means that Crossplane contacts the registry directly.
#[test]
fn a_registry_with_only_credentials_is_contacted_directly() {
    let at = tempfile::tempdir().unwrap();
    layout(&at.path().join("family"), &meta("Provider", "family", &[]));
    let (direct, asked) = registry_of(&at.path().join("family"));
    let needs = format!("{{provider: '{direct}/acme/family', version: '>=v1.0.0'}}");
    layout(&at.path().join("tables"), &meta("Provider", "tables", &[needs]));
    let (mirror, _) = registry_of(&at.path().join("tables"));
    let manifests = [package("Provider", "tables", "a.io/o/tables:v1.0.0")];
    let known = format!(
        "  pullSecret: creds\n  packages: {{a.io/o/tables:v1.0.0: {{dependsOn: ['{direct}/acme/family >=v1.0.0']}}, '{direct}/acme/family:v1.0.0': {{dependsOn: []}}}}\n"
    );
    let list = ["list", "-c", "mirror.yaml", "--complete", "manifests.yaml"];
    for below in ["", "/acme"] {
        let rules = format!("{{from: a.io, to: '{mirror}'}}, {{from: '{direct}{below}', to: '{direct}{below}'}}");
        let own = folder(&rules, &known, &manifests);
        for command in [&VERIFY[..], &PIN, &list] {
            let text = reported(own.path(), command, &[]);
            assert!(!text.contains("no rule of the config"), "{below} {command:?}: {text}");
        }
    }
    assert_ne!(asked.lock().unwrap().len(), 0);
    // Credentials for another registry have no effect.
    let rules = format!("{{from: a.io, to: '{mirror}'}}, {{from: b.io, to: b.io}}");
    let own = folder(&rules, &known, &manifests);
    for command in [&VERIFY[..], &list] {
        let text = reported(own.path(), command, &[]);
        assert!(
            text.contains("no rule of the config matches") && text.ends_with("exit code 1\n"),
            "{command:?}: {text}"
        );
    }
}

/// Up to v1.20 nodes run the image that a package's metadata names; without a rule for it, its registry gets no
/// request.
#[test]
fn an_image_of_metadata_without_a_rule_is_an_error() {
    let at = tempfile::tempdir().unwrap();
    layout(&at.path().join("image"), "");
    let (outside, asked) = registry_of(&at.path().join("image"));
    let content = format!(
        "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {{name: old}}\nspec: {{controller: {{image: '{outside}/o/controller:v1'}}}}\n"
    );
    layout(&at.path().join("old"), &content);
    let (mirror, _) = registry_of(&at.path().join("old"));
    let old = package("Provider", "old", "a.io/o/old:v1.0.0");
    let known =
        format!("  packages: {{a.io/o/old:v1.0.0: {{runtimeImage: '{outside}/o/controller:v1', dependsOn: []}}}}\n");
    let hosts = [(mirror.as_str(), "MIRROR"), (outside.as_str(), "OUTSIDE"), ("127.0.0.1-", "PORT-")];
    let list = ["list", "-c", "mirror.yaml", "--complete", "manifests.yaml"];
    let folder = |more: &str, manifests: &[String]| {
        let own = folder(&format!("{{from: a.io, to: '{mirror}'}}{more}"), &known, manifests);
        let config = own.path().join("mirror.yaml");
        let text = std::fs::read_to_string(&config).unwrap().replace("v2.3.4", "v1.20.11");
        std::fs::write(config, text).unwrap();
        own
    };
    let own = folder("", std::slice::from_ref(&old));
    let text = [&VERIFY[..], &PIN, &list].map(|command| reported(own.path(), command, &hosts)).join("---\n");
    insta::assert_snapshot!(regex::Regex::new("PORT-[0-9]+").unwrap().replace_all(&text, "FOLDER"), @"
    MIRROR/o/old:v1.0.0 (Provider)
      digest: sha256:…
      Crossplane v1.20.11: installs
      info: up to v1.20 Crossplane runs `OUTSIDE/o/controller:v1` instead of the package's own image, and no ImageConfig rewrites that name: copy it too, and name the copy in a DeploymentRuntimeConfig

    OUTSIDE/o/controller:v1
      error: is run for a.io/o/old:v1.0.0 (named by its package.yaml), and no rule of the config matches OUTSIDE, so nodes pull it from there: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`
    exit code 1
    ---
    OUTSIDE/o/controller:v1
      error: is run for a.io/o/old:v1.0.0 (named by its package.yaml), and no rule of the config matches OUTSIDE, so nodes pull it from there: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`
    error: 1 not read, so nothing is written
    exit code 1
    ---
    Kind     Source                           Target                        Digest  Used by
    package  a.io/o/old:v1.0.0                MIRROR/o/old:v1.0.0  -       Provider old
    image    OUTSIDE/o/controller:v1  -                             -       a.io/o/old:v1.0.0 (named by its package.yaml)
    error: not known: OUTSIDE/o/controller:v1: whether it can be pulled: it is run for a.io/o/old:v1.0.0 (named by its package.yaml), and no rule of the config matches OUTSIDE, so nodes pull it from there: add `- {from: OUTSIDE, to: 'MIRROR/FOLDER'}` to `rules`
    exit code 1
    ");
    // A runtime config with another image.
    let config = format!(
        "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: default}}\nspec: {{deploymentTemplate: {{spec: \
         {{selector: {{}}, template: {{spec: {{containers: [{{name: package-runtime, image: '{mirror}/o/controller:v1'}}]}}}}}}}}}}\n"
    );
    let text = reported(folder("", &[old.clone(), config]).path(), &list, &hosts);
    assert!(text.ends_with("exit code 0\n") && !text.contains("OUTSIDE"), "{text}");
    assert_eq!(asked.lock().unwrap().len(), 0, "{:?}", asked.lock().unwrap());
    // The rule of the message leads the image to the mirror.
    let rule = format!(", {{from: '{outside}', to: '{mirror}/{}'}}", outside.replace(':', "-"));
    for command in [&VERIFY[..], &PIN, &list] {
        let text = reported(folder(&rule, std::slice::from_ref(&old)).path(), command, &hosts);
        assert!(!text.contains("no rule of the config"), "{text}");
    }
    assert_eq!(asked.lock().unwrap().len(), 0);
}

/// One of two registries is down: packages of the other are verified.
#[test]
fn a_registry_that_is_down_is_reported_for_each_source() {
    let at = tempfile::tempdir().unwrap();
    layout(at.path(), &meta("Configuration", "platform", &["{provider: b.io/o/p, version: '>=v1.0.0'}".to_owned()]));
    let (mirror, _) = registry_of(at.path());
    let down = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let rules = format!("{{from: a.io, to: '{mirror}'}}, {{from: b.io, to: '{down}'}}");
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: 'b.io/o/image:v1'}]}\n";
    let manifests = [
        package("Provider", "down", "b.io/o/down:v1.0.0"),
        package("Configuration", "platform", "a.io/o/platform:v1.0.0"),
        pod.to_owned(),
    ];
    let own = folder(&rules, "", &manifests);
    let hosts = [(mirror.as_str(), "MIRROR"), (down.as_str(), "DOWN")];
    insta::assert_snapshot!([reported(own.path(), &VERIFY, &hosts), reported(own.path(), &PIN, &hosts)].join("---\n"), @r#"
    MIRROR/o/platform:v1.0.0 (Configuration)
      digest: sha256:…
      Crossplane v2.3.4: installs
      error: needs b.io/o/p >=v1.0.0: DOWN/o/p: not read: Get "https://DOWN/v2/": io: Connection refused (os error 111); Get "http://DOWN/v2/": io: Connection refused (os error 111)
      needs: b.io/o/p >=v1.0.0

    DOWN/o/down:v1.0.0
      error: not read: Get "https://DOWN/v2/": io: Connection refused (os error 111); Get "http://DOWN/v2/": io: Connection refused (os error 111)

    DOWN/o/image:v1
      error: not read: Get "https://DOWN/v2/": io: Connection refused (os error 111); Get "http://DOWN/v2/": io: Connection refused (os error 111)
    exit code 1
    ---
    DOWN/o/down:v1.0.0
      error: not read: Get "https://DOWN/v2/": io: Connection refused (os error 111); Get "http://DOWN/v2/": io: Connection refused (os error 111)
    DOWN/o/image:v1
      error: not read: Get "https://DOWN/v2/": io: Connection refused (os error 111); Get "http://DOWN/v2/": io: Connection refused (os error 111)
    DOWN/o/p, which is needed by a.io/o/platform:v1.0.0 (>=v1.0.0)
      error: not read: Get "https://DOWN/v2/": io: Connection refused (os error 111); Get "http://DOWN/v2/": io: Connection refused (os error 111)
    error: 3 not read, so nothing is written
    exit code 1
    "#);
}

/// After a broken connection the next package is still requested; a registry that always breaks gets a limited number
/// of requests.
#[test]
fn a_broken_answer_affects_one_package() {
    let at = tempfile::tempdir().unwrap();
    layout(at.path(), &meta("Provider", "p", &[]));
    let (all, manifest) = blobs(at.path());
    let broken = |whole: bool| {
        let (all, manifest) = (all.clone(), manifest.clone());
        serve(move |request| match request.line.contains("/v2/o/") && (whole || request.line.contains("/a/")) {
            true => Vec::new(),
            false => answer(&all, &manifest, &request.line),
        })
    };
    let manifests: Vec<String> =
        ["a", "b", "c", "d"].map(|name| package("Provider", name, &format!("a.io/o/p{name}/{name}:v1.0.0"))).into();
    let of =
        |host: &str| reported(folder(&format!("{{from: a.io, to: '{host}'}}"), "", &manifests).path(), &VERIFY, &[]);
    let (host, _) = broken(false);
    let text = of(&host);
    assert_eq!((text.matches("not read").count(), text.matches("installs").count()), (1, 3), "{text}");
    let (host, asked) = broken(true);
    let text = of(&host);
    assert_eq!((text.matches("not read").count(), asked.lock().unwrap().len()), (4, 5), "{text}");
}

/// A login page in place of the registry, which answers 200 to each request.
#[test]
fn a_page_in_place_of_a_registry_is_not_an_image() {
    let page = response("200 OK", &[("Content-Type", "text/html")], b"<html>log in</html>");
    let (host, _) = serve(move |_| page.clone());
    let image = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec:\n  selector: {matchLabels: {app: c}}\n  template:\n    metadata: {labels: {app: c}}\n    spec: {containers: [{name: core, image: 'ghcr.io/crossplane/crossplane:v2.3.4', args: [core, start]}]}\n";
    let at = folder(&format!("{{from: ghcr.io, to: '{host}'}}"), "", &[image.to_owned()]);
    let hosts = [(host.as_str(), "MIRROR")];
    insta::assert_snapshot!(reported(at.path(), &VERIFY, &hosts), @"
    MIRROR/crossplane/crossplane:v2.3.4
      error: not found: the answer is not an image: the manifest: expected value at line 1 column 1
    exit code 1
    ");
    insta::assert_snapshot!(reported(at.path(), &PIN, &hosts), @"
    MIRROR/crossplane/crossplane:v2.3.4
      error: the answer is not an image: the manifest: expected value at line 1 column 1
    error: 1 not read, so nothing is written
    exit code 1
    ");
}
