//! `--into`: patches written in place into the file that carries them, repeatedly.

use crate::patch::build::Bench;
use crate::patch::cases::{canonical, host};
use crate::patch::forms::{BASE, config};
use crate::patch::guards;
use insta::assert_snapshot;

const RELEASE: &str = "\
# the release of the shop
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}   # on one line
spec:
  interval: 10m   # often enough
  chart:
      spec: {chart: web, version: '1.2.x'}
  # what the chart is given
  values:
    replicas: 3
";

const FLUX: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: shop
spec:
  path: ./deploy
  patches:
    # ours since 2021
    - target: {kind: Deployment, name: web}
      patch: |
        - op: add
          path: /metadata/labels/team
          value: shop
  prune: true
";

const KUSTOMIZATION: &str = "resources:\n- ../base\nimages: [{name: web, newTag: v2}] # pinned\n";

fn moves(name: &str) -> String {
    config(&format!("{{select: {{name: {name}}}, ports: {{http: 20080}}}}"))
}

fn bench(file: &str) -> Bench {
    let bench = Bench::new(&moves("web"), BASE);
    bench.write("carrier.yaml", file);
    bench
}

impl Bench {
    fn carrier(&self) -> String {
        std::fs::read_to_string(self.at().join("carrier.yaml")).unwrap()
    }

    fn carry(&self, more: &[&str]) -> (Option<i32>, String) {
        let (code, out, log) = self.hostnet(&[&["patch", "--into", "carrier.yaml"], more, &["all.yaml"]].concat());
        assert_eq!(out, "");
        (code, log)
    }
}

/// Returns the lines of the old file that are missing in the new one, in order.
fn lost(before: &str, after: &str) -> Vec<String> {
    let mut left = after.lines();
    before.lines().filter(|line| !left.by_ref().any(|other| other == *line)).map(str::to_owned).collect()
}

#[test]
fn every_carrier_keeps_its_bytes_and_gets_the_patches_once() {
    for before in [RELEASE, FLUX, KUSTOMIZATION, "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n"] {
        for text in [before.to_owned(), before.replace('\n', "\r\n"), before.trim_end().to_owned()] {
            let bench = bench(&text);
            assert_eq!(bench.carry(&["--check"]).0, Some(1));
            assert_eq!(bench.carrier(), text, "--check writes nothing");
            assert_eq!(bench.carry(&[]).0, Some(0));
            let first = bench.carrier();
            assert_eq!(lost(&text, &first), Vec::<String>::new(), "{first}");
            assert_eq!(first.matches("# hostnet patch: ").count(), 2, "{first}");
            assert_eq!(first.contains("\r\n"), text.contains("\r\n"));
            assert!(!first.replace("\r\n", "").contains('\r') && !first.contains("hostnet-patch-"), "{first}");
            let (code, log) = bench.carry(&["--check"]);
            assert_eq!(code, Some(0), "{log}");
            assert!(log.contains("carrier.yaml unchanged"), "{log}");
            bench.carry(&[]);
            assert_eq!(bench.carrier(), first);
        }
    }
}

#[test]
fn a_release_carries_patches_in_a_post_renderer() {
    let bench = bench(RELEASE);
    bench.carry(&[]);
    let head: Vec<String> = bench.carrier().lines().take(18).map(str::to_owned).collect();
    assert_snapshot!(head.join("\n"), @"
    # the release of the shop
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: web, namespace: shop}   # on one line
    spec:
      interval: 10m   # often enough
      postRenderers:
      - kustomize:
            patches:
            - target:
                  group: apps
                  version: v1
                  kind: Deployment
                  name: web
                  namespace: shop
              patch: |
                # hostnet patch: this object, and no copy of it with another name (HostNetwork web)
                - op: test
    ");
}

/// Patches from other sources stay in the list, and patches of an earlier run are replaced.
#[test]
fn foreign_patches_stay_and_own_patches_follow_the_config() {
    let bench = bench(FLUX);
    bench.carry(&[]);
    let first = bench.carrier();
    bench.write("hostnet.yaml", &moves("web").replace("20080", "20081"));
    bench.carry(&[]);
    let second = bench.carrier();
    assert_eq!(second, first.replace("20080", "20081"));
    // An object no longer moves, or has another name.
    bench.write("all.yaml", &BASE.replace("name: web, namespace", "name: site, namespace"));
    bench.write("hostnet.yaml", &moves("site"));
    bench.carry(&[]);
    let third = bench.carrier();
    assert_eq!(lost(FLUX, &third), Vec::<String>::new(), "{third}");
    assert_eq!(third.matches("# hostnet patch: ").count(), 2, "{third}");
    assert!(
        third.contains("name: site")
            && !third.contains("value: web\n          - op: test\n            path: /metadata/namespace"),
        "{third}"
    );
}

/// Patches that were printed for a release and pasted are recognized and replaced.
#[test]
fn pasted_patches_are_replaced() {
    let bench = bench("");
    let pasted = bench.patches("helmrelease");
    bench.write("carrier.yaml", &pasted.replace("20080", "20081"));
    assert_eq!(bench.carry(&[]).0, Some(0));
    assert_eq!(bench.carrier(), pasted);
}

#[test]
fn files_that_cannot_carry_patches_are_refused() {
    let reported = |text: &str| {
        let bench = bench(text);
        let (code, log) = bench.carry(&[]);
        assert_eq!((code, bench.carrier().as_str()), (Some(1), text));
        log.lines().find(|line| line.starts_with("error: ")).unwrap_or_default().to_owned()
    };
    let two = format!("{FLUX}---\n{RELEASE}");
    let texts = [
        "",
        "kind: Deployment\napiVersion: apps/v1\n",
        &two,
        "kind: Component\npatches: {}\n",
        "kind: HelmRelease\napiVersion: helm.toolkit.fluxcd.io/v2\nspec: web\n",
        "kind: HelmRelease\napiVersion: helm.toolkit.fluxcd.io/v2\nspec: {postRenderers: all}\n",
        "kind: Component\npatches: [\n",
        "kind: Component\npatches: &p []\ncomponents: *p\n",
    ];
    assert_snapshot!(texts.map(reported).join("\n"), @"
    error: carrier.yaml: nothing here carries patches: give a file with one kustomization, one Kustomization or HelmRelease of Flux, one FluxInstance, or one Application of Argo CD
    error: carrier.yaml: nothing here carries patches: give a file with one kustomization, one Kustomization or HelmRelease of Flux, one FluxInstance, or one Application of Argo CD
    error: carrier.yaml: more than one object here carries patches: give a file with one kustomization, one Kustomization or HelmRelease of Flux, one FluxInstance, or one Application of Argo CD
    error: carrier.yaml: patches is not a list
    error: carrier.yaml: spec is not a mapping
    error: carrier.yaml: spec.postRenderers is not a list
    error: carrier.yaml: line 2, column 10: this `[` is not closed
    error: carrier.yaml: line 2: patches is shared through the anchor &p: change all its aliases in the same way, or write the value out
    ");
}

/// A build that includes the patches has no more changes; this must not remove the patches.
#[test]
fn patches_are_not_lost_by_a_second_input() {
    let bench = bench(KUSTOMIZATION);
    bench.carry(&[]);
    let first = bench.carrier();
    bench.write("all.yaml", &bench.made(&["apply", "all.yaml"]));
    let (code, log) = bench.carry(&[]);
    assert_eq!((code, bench.carrier()), (Some(1), first));
    assert!(log.contains("would be lost"), "{log}");
}

#[test]
fn patches_are_written_into_flow_style_and_json() {
    for text in [
        "{kind: Component, patches: []}\n",
        "{\"kind\": \"Component\", \"patches\": [{\"patch\": \"- op: add\"}]}\n",
        "kind: Component\npatches: [{patch: '- op: add'}]\n",
        "kind: Component\npatches:\n",
    ] {
        let bench = bench(text);
        let (code, log) = bench.carry(&[]);
        assert_eq!(code, Some(0), "{text}: {log}");
        let first = bench.carrier();
        assert_eq!(first.matches("# hostnet patch: this object").count(), 2, "{first}");
        bench.carry(&[]);
        assert_eq!(bench.carrier(), first);
    }
}

#[test]
fn kustomize_builds_the_output_of_apply() {
    let Some(kustomize) = host("kustomize") else { return };
    let bench = Bench::new(guards::CONFIG, guards::SAMPLE);
    bench.write("base/kustomization.yaml", "resources: [all.yaml]\n");
    bench.write("base/all.yaml", guards::SAMPLE);
    bench.write("deploy/kustomization.yaml", "resources:\n- ../base\n");
    bench.made(&["patch", "--into", "deploy/kustomization.yaml", "all.yaml"]);
    let built = bench.build(&kustomize, "deploy").unwrap();
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])));
}

/// Empty fields of a carrier, and one with other content.
const EMPTY: [(&str, &[&str]); 5] = [
    (
        RELEASE,
        &[
            "  postRenderers: []\n",
            "  postRenderers:   # none\n",
            "  postRenderers: ~\n",
            "  postRenderers:\n  - kustomize:\n      patches: []\n",
        ],
    ),
    (
        KUSTOMIZATION,
        &["", "patches:   []\n", "patches: [ ] # none\n", "patches:\n", "patches: [\n]\n", "patches:\n- patch: '[]'\n"],
    ),
    (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    path: deploy\n",
        &[
            "",
            "    kustomize: {}\n",
            "    kustomize:\n",
            "    kustomize: {patches: []}\n",
            "    kustomize:\n      namePrefix: eu-\n",
        ],
    ),
    (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nspec:\n  cluster: {type: aws}\n",
        &["", "  kustomize: {}\n", "  kustomize:\n    patches: []\n"],
    ),
    ("{\"kind\": \"Component\"", &["}\n", ", \"patches\": []}\n", ", \"patches\": [{\"patch\": \"[]\"}]}\n"]),
];

/// `--remove` restores every byte, including empty lists and files without a final line break.
#[test]
fn remove_restores_empty_fields() {
    for (head, fields) in EMPTY {
        for field in fields {
            let text = format!("{head}{field}");
            for before in
                [text.clone(), text.replace('\n', "\r\n"), text.trim_end().to_owned(), text.clone() + "# end\n"]
            {
                let bench = bench(&before);
                let (code, log) = bench.carry(&[]);
                assert_eq!(code, Some(0), "{before}: {log}");
                let first = bench.carrier();
                assert_eq!(bench.carry(&["--check"]).0, Some(0), "{first}");
                // New patches keep the note about the empty field.
                bench.write("hostnet.yaml", &moves("web").replace("20080", "20081"));
                assert_eq!(bench.carry(&[]).0, Some(0));
                assert_eq!(bench.carrier(), first.replace("20080", "20081"));
                assert_eq!(bench.hostnet(&["patch", "--remove", "--into", "carrier.yaml"]).0, Some(0));
                assert_eq!(bench.carrier(), before, "{first}");
            }
        }
    }
}

/// A patch that ends with a block scalar keeps its last line break, even at the end of a file without one.
#[test]
fn a_block_of_text_keeps_its_last_line_break() {
    let Some(kustomize) = host("kustomize") else { return };
    let argument = "        args:\n        - |\n          listen: 8080\n          next: 8080\n";
    let base = BASE.replace("        args: [--listen=:8080]\n", argument);
    let bench = Bench::new(&moves("web"), &base);
    bench.write("base/kustomization.yaml", "resources: [all.yaml]\n");
    bench.write("base/all.yaml", &base);
    bench.write("deploy/kustomization.yaml", "resources:\n- ../base");
    bench.made(&["patch", "--into", "deploy/kustomization.yaml", "all.yaml"]);
    let built = bench.build(&kustomize, "deploy").unwrap();
    assert_eq!(canonical(&built), canonical(&bench.made(&["apply", "all.yaml"])));
}
