//! The objects of a build with the patches equal the output of `hostnet apply`, one by one.

use crate::patch::build::Bench;
use crate::patch::cases::{Case, Failures, canonical, cases, command, host, refusals, unmoved};
use crate::patch::pair::Pair;
use crate::support::material::material;
use crate::support::{project, run, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Moves in the chart pairs that pair.yaml does not list: pair, object, key, number.
const MOVES: &str = include_str!("../../corpus/chart_pairs/moves.yaml");
type Moves = BTreeMap<String, BTreeMap<String, BTreeMap<String, u16>>>;

/// Compares a build with the patches to the output of `apply`, and runs `--verify`.
fn compare(what: &str, config: &str, base: &str, kustomize: &Path, failures: &mut Failures) {
    let bench = Bench::new(config, base);
    let applied = bench.made(&["apply", "all.yaml"]);
    assert_ne!(canonical(&applied), canonical(base), "{what}: the input must need patches");
    match bench.with_component(kustomize) {
        Err(log) => failures.add(format!("{what}: {log}")),
        Ok(built) => {
            // kustomize writes both sides, because it omits empty fields and objects for local use.
            bench.write("applied/all.yaml", &applied);
            bench.write("applied/kustomization.yaml", "resources: [all.yaml]\n");
            let want = bench.build(kustomize, "applied").unwrap();
            failures.compare(what, &canonical(&want), &canonical(&built));
            bench.made(&[
                "patch",
                "--as",
                "kustomization",
                "--resource",
                "../base",
                "--output-dir",
                "overlay",
                "all.yaml",
            ]);
            bench.write("base/all.yaml", base);
            bench.write("base/kustomization.yaml", "resources: [all.yaml]\n");
            match bench.build(kustomize, "overlay") {
                Ok(overlay) => failures.compare(&format!("{what}: overlay"), &canonical(&want), &canonical(&overlay)),
                Err(log) => failures.add(format!("{what}: overlay: {log}")),
            }
            bench.write("built.yaml", &built);
            let log = bench.hostnet(&["patch", "--verify", "built.yaml", "all.yaml"]);
            if log.0 != Some(0) {
                failures.add(format!("{what}: {log:?}"));
            }
        }
    }
    // Without the patches, the base fails the verification.
    let (code, _, log) = bench.hostnet(&["patch", "--verify", "all.yaml", "all.yaml"]);
    if code != Some(1) || !log.contains("error: all.yaml: ") {
        failures.add(format!("{what}: verified without the patches: {log}"));
    }
    // Manifests that are already changed need no patches.
    bench.write("all.yaml", &applied);
    if !bench.patches("component").ends_with("kind: Component\npatches: []\n") {
        failures.add(format!("{what}: patches for manifests that are already changed"));
    }
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Returns the manifests to make a case's patches from: the build of the kustomization that carries the patches, or of
/// its base if an overlay renames the objects.
pub(crate) fn base_of(case: &Case, kustomize: &Path) -> String {
    let base = case.folder.join("base");
    unmoved(kustomize, if base.join("hostnet.yaml").is_file() { &base } else { &case.folder })
}

/// Returns every example: its name, its config, and the manifests to make patches from.
pub(crate) fn examples(kustomize: &Path) -> Vec<(String, String, String)> {
    let root = project().join("examples");
    let built = |folder: &str| unmoved(kustomize, &root.join(folder));
    let mut all = Vec::new();
    let mut add = |folder: &str, config: &str, base: String| {
        all.push((folder.to_owned(), read(&root.join(folder).join(config)), base));
    };
    for folder in
        ["crossplane-core", "crossplane-packages", "controllerconfig-migration", "proxy-environment", "private-mirror"]
    {
        add(folder, "hostnet.yaml", built(folder));
    }
    for (folder, manifests) in
        [("argo-cd/app", "web.yaml"), ("kind-local-registry", "base/crossplane.yaml"), ("kpt-pipeline/web", "web.yaml")]
    {
        add(folder, "hostnet.yaml", read(&root.join(folder).join(manifests)));
    }
    for folder in ["flux-patches", "flux-prerender"] {
        add(folder, "hostnet.yaml", built(&format!("{folder}/deploy")));
    }
    for folder in ["two-renders/certificates", "two-renders/metrics"] {
        add(folder, "../config/hostnet.yaml", built(folder));
    }
    if let Some(helm) = host("helm") {
        for (folder, values) in [("flux-helmrelease", "replicas=3"), ("helm-post-renderer", "replicas=2")] {
            let chart = root.join("helm-post-renderer/chart");
            let mut template = command(&helm);
            template.arg("template").arg("tagger").arg(chart).args(["--namespace", "tagger", "--set", values]);
            add(folder, "hostnet.yaml", text(&run(&mut template, b"").stdout));
        }
        // New examples must be listed above, unless they have no config of a kind that changes manifests.
        let changes = |name: &String| {
            let mut below = std::fs::read_dir(root.join(name)).unwrap().map(|entry| entry.unwrap().path());
            root.join(name).join("hostnet.yaml").exists() || below.any(|path| path.join("hostnet.yaml").exists())
        };
        let known: BTreeSet<&str> = all.iter().filter_map(|(folder, _, _)| folder.split('/').next()).collect();
        let entries = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let folders: BTreeSet<String> = entries.filter(changes).collect();
        assert_eq!(known, folders.iter().map(String::as_str).collect());
    }
    all
}

#[test]
fn patches_of_every_kustomization_test_equal_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    for case in cases() {
        compare(&case.name, &read(&case.config()), &base_of(&case, &kustomize), &kustomize, &mut failures);
    }
    failures.end();
}

/// If `apply` refuses a manifest, `patch` does so for the same reason.
#[test]
fn refused_kustomization_tests_have_no_patches() {
    let Some(kustomize) = host("kustomize") else { return };
    for case in refusals() {
        let bench = Bench::new(&read(&case.config()), &unmoved(&kustomize, &case.folder));
        for (form, output) in [("component", &["--output-dir", "out"][..]), ("flux", &[]), ("helmrelease", &[])] {
            let (code, out, log) = bench.hostnet(&[&["patch", "--as", form, "all.yaml"], output].concat());
            assert_eq!((code, out.as_str()), (Some(1), ""), "{}: {log}", case.name);
            assert!(case.want.lines().all(|part| log.contains(part)), "{}: {log}", case.name);
            assert!(!bench.at().join("out").exists(), "{}", case.name);
        }
    }
}

#[test]
fn patches_of_every_example_equal_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    for (folder, config, base) in examples(&kustomize) {
        compare(&folder, &config, &base, &kustomize, &mut failures);
    }
    failures.end();
}

#[test]
fn patches_of_every_chart_pair_equal_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let Some(folder) = material("corpus/charts") else { return };
    let mut failures = Failures::default();
    for (pair, config) in pairs(&folder) {
        compare(&pair.name, &config, &pair.input, &kustomize, &mut failures);
    }
    failures.end();
}

/// Returns the chart pairs with configs that make the same moves as the charts.
pub(crate) fn pairs(folder: &Path) -> Vec<(Pair, String)> {
    let moves: Moves = serde_yaml::from_str(MOVES).unwrap();
    let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let pairs = folders.iter().filter(|path| path.is_dir()).map(|folder| {
        let pair = Pair::read(folder);
        let config = pair.config(moves.get(&pair.name).unwrap_or(&BTreeMap::new()));
        (pair, config)
    });
    pairs.collect()
}

/// Forms of input that kustomize reads: a List, JSON, CRLF, documents without an object, block scalars, unusual
/// scalars.
#[test]
fn patches_of_odd_inputs_equal_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {name: web}, \
                  ports: {http: 20080}}]}}";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: web\n    args: [yes, --listen=:8080]\n    \
               ports: [{name: http, containerPort: 8080}]\n";
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"web\"}, \"spec\": {\"containers\": [{\"name\": \
                \"web\", \"args\": [\"--listen=:8080\", \"<&>\\u2028\\\"\"], \"ports\": [{\"name\": \"http\", \"containerPort\": 8080}]}]}}";
    let folded = pod.replace("[yes, --listen=:8080]", "\n    - >-\n      --listen=:8080\n    - |+\n      keep\n\n");
    let odd =
        pod.replace("--listen=:8080", "--listen=:8080, 0x1F, 'it''s', \"\\x07\", ~, 1.50, \"2001-01-01\", !!str 8088");
    let service = |port: &str| {
        format!("{pod}---\napiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{selector: {{app: web}}, ports: [{{name: web, port: {port}}}]}}\n")
            .replacen("{name: web}", "{name: web, labels: {app: web}}", 1)
    };
    let indented: String = pod.lines().map(|line| format!("  {line}\n")).collect();
    let mut failures = Failures::default();
    for (what, base) in [
        ("a pod", pod.to_owned()),
        ("a list", format!("apiVersion: v1\nkind: List\nitems:\n- {}", indented.trim_start())),
        ("CRLF", format!("# head\r\n---\r\n# nothing\r\n---\r\n{}", pod.replace('\n', "\r\n"))),
        ("json", json.to_owned()),
        ("folded", folded),
        ("odd words", odd),
        ("no last break", pod.trim_end().to_owned()),
    ] {
        compare(what, config, &base, &kustomize, &mut failures);
    }
    for port in ["8080", "!!int 8080", "!!int '8080'", "0x1F90", "!!int 0b1111110010000"] {
        compare(port, config, &service(port), &kustomize, &mut failures);
    }
    failures.end();
}

/// `apply` refuses to change values that anchors share; patches work, because kustomize expands anchors first.
#[test]
fn patches_of_anchors_equal_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let config = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {name: web}, \
                  ports: {one/http: 20080}}]}}";
    let base = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - &one
    name: one
    args: &args [--listen=:8080]
    ports: &ports [{name: http, containerPort: 8080}]
  - <<: *one
    name: two
    args: [--listen=:9090]
    ports: [{name: web, containerPort: 9090}]
  initContainers:
  - {name: three, args: *args}
";
    let bench = Bench::new(config, base);
    let (code, _, log) = bench.hostnet(&["apply", "all.yaml"]);
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("anchor"), "{log}");
    let built = bench.with_component(&kustomize).unwrap();
    bench.write("plain/kustomization.yaml", "resources: [all.yaml]\n");
    bench.write("plain/all.yaml", base);
    bench.write("all.yaml", &bench.build(&kustomize, "plain").unwrap());
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])));
}
