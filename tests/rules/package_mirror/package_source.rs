//! Style Rewrite: packages name the mirror.

use super::{RULE, changes, core, package, stream};
use crate::support::results::{self, brief, worded};

const REWRITE: &str = "style: Rewrite, rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}, {from: \
                       xpkg.crossplane.io/own, to: registry.example.com/own}]";

#[test]
fn whole_segments_decide_and_the_longest_wins() {
    let none = "packages: {}";
    let manifest = stream(&[
        package(
            "Function",
            "a",
            "xpkg.crossplane.io/o/a:v1@sha256:0123012301230123012301230123012301230123012301230123012301230123",
        ),
        package("Function", "b", "xpkg.crossplane.io/own/b:v1"),
        package("Function", "c", "xpkg.crossplane.io/owner/c:v1"),
        package("Function", "d", "xpkg.crossplane.io.example.com/own/d:v1"),
        package("Function", "e", "registry.example.com/xpkg/o/e:v1"),
    ]);
    insta::assert_snapshot!(worded(changes(&format!("{REWRITE}, {none}"), &manifest)), @"
    -spec: {package: 'xpkg.crossplane.io/o/a:v1@sha256:0123012301230123012301230123012301230123012301230123012301230123'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/a:v1@sha256:0123012301230123012301230123012301230123012301230123012301230123'} # kept
    -spec: {package: 'xpkg.crossplane.io/own/b:v1'} # kept
    +spec: {package: 'registry.example.com/own/b:v1'} # kept
    -spec: {package: 'xpkg.crossplane.io/owner/c:v1'} # kept
    +spec: {package: 'registry.example.com/xpkg/owner/c:v1'} # kept
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Function a (xpkg.crossplane.io/o/a:v1@sha256:0123012301230123012301230123012301230123012301230123012301230123), Function b (xpkg.crossplane.io/own/b:v1), Function c (xpkg.crossplane.io/owner/c:v1), Function d (xpkg.crossplane.io.example.com/own/d:v1), Function e (registry.example.com/xpkg/o/e:v1). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    info: Function d is not changed: no rule has a `from` above xpkg.crossplane.io.example.com/own/d [package-source]
    ");
}

/// A variable of Flux may or may not contain the registry.
#[test]
fn variables_of_flux_are_not_guessed() {
    let manifest = stream(&[
        package("Function", "a", "${registry}/o/a:v1"),
        package("Function", "b", "xpkg.crossplane.io/o/b:${version}"),
        package("Function", "c", "${package}"),
    ]);
    insta::assert_snapshot!(worded(changes(&format!("{REWRITE}, crossplane: {{version: v1.20.0}}"), &manifest)), @"
    -spec: {package: 'xpkg.crossplane.io/o/b:${version}'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/b:${version}'} # kept
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Function b (xpkg.crossplane.io/o/b:${version}). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    warning: standard input:1:1: Function a is not changed: `${registry}/o/a` is not a name of a package, or is filled in later [package-source]
    warning: standard input:11:1: Function c is not changed: `${package}` is not a name of a package, or is filled in later [package-source]
    ");
}

#[test]
fn the_pull_secret_is_given_to_packages_without_one() {
    let block = |secrets: &str| {
        format!(
            "apiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata: {{name: a}}\nspec:\n  package: xpkg.crossplane.io/o/a:v1\n{secrets}"
        )
    };
    let spec = format!("{REWRITE}, pullSecret: mine, packages: {{'xpkg.crossplane.io/o/a:v1': {{dependsOn: []}}}}");
    let all = ["", "  packagePullSecrets: []\n", "  packagePullSecrets:\n", "  packagePullSecrets: [{name: theirs}]\n"];
    let text: String = all.map(|secrets| format!("{secrets:?}\n{}", changes(&spec, &block(secrets)))).concat();
    insta::assert_snapshot!(text, @r#"
        ""
        -  package: xpkg.crossplane.io/o/a:v1
        +  package: registry.example.com/xpkg/o/a:v1
        +  packagePullSecrets:
        +  - name: mine
        "  packagePullSecrets: []\n"
        -  package: xpkg.crossplane.io/o/a:v1
        -  packagePullSecrets: []
        +  package: registry.example.com/xpkg/o/a:v1
        +  packagePullSecrets:
        +  - name: mine
        "  packagePullSecrets:\n"
        -  package: xpkg.crossplane.io/o/a:v1
        +  package: registry.example.com/xpkg/o/a:v1
        +  - name: mine
        "  packagePullSecrets: [{name: theirs}]\n"
        -  package: xpkg.crossplane.io/o/a:v1
        +  package: registry.example.com/xpkg/o/a:v1
    "#);
}

#[test]
fn packages_in_arguments_of_the_core_are_rewritten() {
    let init = "--provider, xpkg.crossplane.io/o/p:v1, '--function=xpkg.crossplane.io/own/f:v1,a.io/b/c:v1', --configuration, a.io/b/d:v1";
    insta::assert_snapshot!(worded(changes(REWRITE, &core("v1.19.0", init))), @"
    -      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.19.0', args: [core, init, --provider, xpkg.crossplane.io/o/p:v1, '--function=xpkg.crossplane.io/own/f:v1,a.io/b/c:v1', --configuration, a.io/b/d:v1]}
    +      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.19.0', args: [core, init, --provider, registry.example.com/xpkg/o/p:v1, '--function=registry.example.com/own/f:v1,a.io/b/c:v1', --configuration, a.io/b/d:v1]}
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Deployment crossplane-system/crossplane: container crossplane-init (xpkg.crossplane.io/o/p:v1), Deployment crossplane-system/crossplane: container crossplane-init (xpkg.crossplane.io/own/f:v1), Deployment crossplane-system/crossplane: container crossplane-init (a.io/b/c:v1), Deployment crossplane-system/crossplane: container crossplane-init (a.io/b/d:v1). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    info: Deployment crossplane-system/crossplane: container crossplane-init installs each Function under a name that it makes of the path: if this name changes, it creates a second object in the cluster. Remove the old object from the cluster [package-source]
    info: Deployment crossplane-system/crossplane: container crossplane-init installs each Provider under a name that it makes of the path: if this name changes, it creates a second object in the cluster. Remove the old object from the cluster [package-source]
    ");
}

#[test]
fn before_v1_20_auto_rewrites_and_image_configs_are_refused() {
    let manifest =
        |version: &str| stream(&[core(version, "--debug"), package("Function", "a", "xpkg.crossplane.io/o/a:v1")]);
    let spec = |style: &str| format!("{style}, {}", super::RULE);
    insta::assert_snapshot!(brief(changes(&spec("style: Auto"), &manifest("v1.19.3"))), @"
    -spec: {package: 'xpkg.crossplane.io/o/a:v1'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/a:v1'} # kept
    warning: package-dependency (xpkg.crossplane.io/o/a:v1)
    ");
    insta::assert_snapshot!(worded(changes(&spec("style: ImageConfig"), &manifest("v1.19.3"))), @"error: mirror.yaml:4:15: style ImageConfig needs Crossplane v1.20.0 or later, and Crossplane v1.19.3 (the image of Deployment crossplane-system/crossplane) runs the packages; write `style: Rewrite` [package-source]");
    assert!(changes(&spec("style: Auto"), &manifest("v1.20.0")).contains("kind: ImageConfig"));
}

#[test]
fn a_rule_matches_only_names_below_its_from() {
    let spec = "rules: [{from: xpkg.crossplane.io/o/a, to: registry.example.com/a}]";
    insta::assert_snapshot!(worded(changes(spec, &package("Function", "a", "xpkg.crossplane.io/o/a:v1"))), @"error: standard input:1:1: Function a is not changed: xpkg.crossplane.io/o/a is the `from` of a rule, and a rule matches only names below its `from`. Write the prefix above it [package-source]");
}

#[test]
fn docker_hub_has_two_names_and_crossplane_compares_text() {
    let spec = "rules: [{from: docker.io, to: registry.example.com/hub}]";
    insta::assert_snapshot!(worded(changes(spec, &package("Function", "a", "index.docker.io/o/a:v1"))), @"
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    +metadata:
    +  name: mine-b47dba2f
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: docker.io/
    +  rewriteImage:
    +    prefix: registry.example.com/hub/
    warning: standard input:1:1: Function a is not changed: no rule has a `from` above index.docker.io/o/a; the rule for Docker Hub has another spelling of its name, and Crossplane compares names as they are written. Add a rule for this spelling [package-source]
    ");
}

#[test]
fn the_secret_has_to_be_in_the_namespace_of_the_core() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: mine, namespace: default}\n".to_owned();
    let manifest = stream(&[core("v2.3.4", "--debug"), package("Function", "a", "a.io/o/a:v1"), secret]);
    let spec = "rules: [{from: b.io, to: registry.example.com}], pullSecret: mine";
    let log = changes(spec, &manifest);
    insta::assert_snapshot!(worded(log.lines().filter(|line| line.contains("Secret mine is")).collect::<String>()), @"warning: Secret mine is in namespace default, and Crossplane's core looks for it in its own namespace, crossplane-system: create it there too [package-source]");
}

#[test]
fn names_are_case_sensitive() {
    let text = changes(RULE, &package("Provider", "a", "Xpkg.Crossplane.io/o/a:v1"));
    let log: String = text.lines().filter(|line| !line.starts_with('+')).collect();
    insta::assert_snapshot!(worded(log), @"warning: standard input:1:1: Provider a is not changed: no rule has a `from` above Xpkg.Crossplane.io/o/a; a rule has this name with other upper and lower case letters, and Crossplane compares names as they are written [package-source]");
}

/// The status in a dump of a cluster shows the source of a package in the past, not its future source.
#[test]
fn the_status_of_packages_is_not_read() {
    let own = package("Provider", "a", "xpkg.crossplane.io/o/a:v1");
    let dump = format!(
        "{own}status: {{resolvedPackage: 'xpkg.crossplane.io/o/other:v9', currentIdentifier: 'xpkg.crossplane.io/o/other:v9'}}\n"
    );
    assert_eq!(changes(RULE, &dump), changes(RULE, &own));
    let spec = format!("style: Rewrite, packages: {{'xpkg.crossplane.io/o/a:v1': {{dependsOn: []}}}}, {RULE}");
    assert_eq!(changes(&spec, &dump), changes(&spec, &own));
}

/// The name of an ImageConfig contains a hash of its rule or secret, which identifies ImageConfigs of removed rules and
/// secrets.
#[test]
fn our_image_config_without_its_rule_is_reported() {
    let both =
        "rules: [{from: xpkg.crossplane.io, to: a.example.com/x}, {from: ghcr.io, to: a.example.com/g}], pullSecret: s";
    let one = "rules: [{from: xpkg.crossplane.io, to: b.example.com/x}], crossplane: {version: v2.3.4}";
    let manifest = package("Provider", "p", "xpkg.crossplane.io/o/p:v1.2.1");
    let (written, _) = super::run_all(both, &manifest);
    insta::assert_snapshot!(worded(changes(one, &written)), @"
    -    prefix: a.example.com/x/
    +    prefix: b.example.com/x/
    info: ImageConfig mine-2581af4a rewrites `ghcr.io/` to a mirror, and no rule of the config has that `from`: remove it [package-source]
    info: ImageConfig mine-auth-763fba0c sets a pull secret for `a.example.com/x/`, but the config has no `pullSecret` or no rule with this `to`: remove it [package-source]
    info: ImageConfig mine-auth-763fd1c1 sets a pull secret for `a.example.com/g/`, but the config has no `pullSecret` or no rule with this `to`: remove it [package-source]
    ");
    let theirs = super::image_config("mine-00000000", "ghcr.io/", "rewriteImage: {prefix: c.example.com/}");
    insta::assert_snapshot!(changes(one, &stream(&[manifest, theirs])), @r"
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: b.example.com/x/
    +---
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: ImageConfig
    ");
}

/// No argument of the init container names a Secret.
#[test]
fn packages_of_the_init_container_have_no_pull_secret() {
    let manifest = core("v1.19.0", "--provider, 'xpkg.crossplane.io/o/q:v1.0.0'");
    insta::assert_snapshot!(worded(changes(&format!("{RULE}, pullSecret: rc"), &manifest)), @"
    -      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.19.0', args: [core, init, --provider, 'xpkg.crossplane.io/o/q:v1.0.0']}
    +      - {name: crossplane-init, image: 'quay.io/crossplane/crossplane:v1.19.0', args: [core, init, --provider, 'registry.example.com/xpkg/o/q:v1.0.0']}
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Deployment crossplane-system/crossplane: container crossplane-init (xpkg.crossplane.io/o/q:v1.0.0). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    warning: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane-init installs each Provider without `packagePullSecrets`, and no argument names a Secret: put rc into the `imagePullSecrets` of the core's ServiceAccount, which the core and the pods of packages have too (`imagePullSecrets` of the chart), or leave out the argument and add the Provider to the input [package-source]
    info: Deployment crossplane-system/crossplane: container crossplane-init installs each Provider under a name that it makes of the path: if this name changes, it creates a second object in the cluster. Remove the old object from the cluster [package-source]
    ");
}

/// Chart values are not edited: packages in them that would get another name are reported.
#[test]
fn packages_in_chart_values_are_unchanged() {
    let reported = |version: &str, style: &str, source: &str| {
        let release = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: flux}}\nspec:\n  chart: {{spec: {{chart: crossplane, \
             version: {version}}}}}\n  values: {{provider: {{packages: ['{source}']}}}}\n"
        );
        let text = changes(
            &format!("rules: [{{from: xpkg.crossplane.io, to: registry.example.com/xpkg}}], style: {style}"),
            &release,
        );
        text.lines()
            .filter(|line| line.contains("because values of a chart are not edited"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    insta::assert_snapshot!(worded(reported("v1.20.0", "Rewrite", "xpkg.crossplane.io/o/a:v1")), @"warning: standard input:1:1: HelmRelease flux/crossplane: `provider.packages`: `xpkg.crossplane.io/o/a:v1` is not changed, because values of a chart are not edited: write `registry.example.com/xpkg/o/a:v1` [package-source]");
    insta::assert_snapshot!(brief(reported("v1.20.0", "Rewrite", "o/a:v1")), @"warning: package-source HelmRelease flux/crossplane (1:1, o/a:v1, registry.example.com/xpkg/o/a:v1)");
    insta::assert_snapshot!(brief(reported("v1.20.0", "ImageConfig", "o/a:v1")), @"warning: package-source HelmRelease flux/crossplane (1:1, o/a:v1, xpkg.crossplane.io/o/a:v1)");
    for (style, source) in [
        ("Rewrite", "registry.example.com/xpkg/o/a:v1"),
        ("Rewrite", "ghcr.io/o/a:v1"),
        ("ImageConfig", "xpkg.crossplane.io/o/a:v1"),
        ("ImageConfig", "ghcr.io/o/a:v1"),
    ] {
        assert_eq!(reported("v1.20.0", style, source), "", "{style} {source}");
    }
}

/// Packages in values files of an Application: they are read if the file is in the input, and reported otherwise.
#[test]
fn packages_in_values_files_of_an_application_are_unchanged() {
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec: {rules: [{from: a.io, to: m.io/a}], style: \
                  Rewrite}\n";
    let application = |helm: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: xp, namespace: argocd}}\nspec:\n  destination: {{namespace: \
             upbound}}\n  sources:\n  - {{repoURL: https://charts.example, chart: crossplane, targetRevision: 1.20.0, helm: {helm}}}\n  - \
             {{repoURL: https://git.example, ref: values}}\n"
        )
    };
    let values = |path: &str| format!("provider: {{packages: [a.io/o/{path}:v1]}}\n");
    let reported = |helm: &str| {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("mirror.yaml", config);
        write("all/xp.yaml", &application(helm));
        write("all/one/xp.yaml", &values("one"));
        write("all/two/xp.yaml", &values("two"));
        write("all/two/other.yaml", "provider: {packages: [m.io/a/o/moved:v1]}\n");
        let run = crate::support::run::hostnet(folder.path(), &["apply", "-c", "mirror.yaml", "all"], b"");
        run.stderr
            .lines()
            .filter(|line| line.contains("[package-source]"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let last = reported("{valueFiles: [$values/one/xp.yaml, $values/two/xp.yaml]}");
    let line = "warning: all/xp.yaml:1:1: Application argocd/xp: `provider.packages` of values file two/xp.yaml: `a.io/o/two:v1` is not changed, because values of a chart \
                are not edited: write `m.io/a/o/two:v1` [package-source]\n";
    assert_eq!(last, line);
    let unread = reported("{valueFiles: [$values/one/xp.yaml, $values/gone.yaml, in-chart.yaml]}");
    assert_eq!(unread.lines().count(), 3, "{unread}");
    assert!(
        unread.contains("`provider.packages` of values file one/xp.yaml: `a.io/o/one:v1` is not changed"),
        "{unread}"
    );
    for file in ["gone.yaml", "in-chart.yaml"] {
        let line =
            format!("its values file {file} is not in the input, so packages in it are not known: give the file too");
        assert!(unread.contains(&line), "{unread}");
    }
    assert_eq!(reported("{valueFiles: [$values/two/other.yaml]}"), "");
    // Values in the object override files.
    assert_eq!(reported("{valueFiles: [$values/one/xp.yaml], values: 'provider: {packages: [m.io/a/o/b:v1]}'}"), "");
    // The path must match completely.
    assert!(reported("{valueFiles: [$values/xp.yaml]}").contains("its values file xp.yaml is not in the input"));
}

/// Packages in a ConfigMap that a HelmRelease of Flux takes values from, as Flux reads them: the last one wins, and
/// values in the object override all.
#[test]
fn packages_in_values_from_a_config_map_are_reported() {
    let reported = |from: &str, values: &str, objects: &str| {
        let release = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: xp, namespace: flux}}\nspec:\n  \
             targetNamespace: crossplane-system\n  chart: {{spec: {{chart: crossplane, version: 1.20.0, sourceRef: {{kind: HelmRepository, name: x}}}}}}\n  \
             valuesFrom: [{from}]\n{values}{objects}"
        );
        let text = changes("rules: [{from: a.io, to: m.io/a}], style: Rewrite", &release);
        text.lines().filter(|line| line.contains("package-source")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let map = |name: &str, namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\ndata:\n  values.yaml: |\n    \
             provider: {{packages: [a.io/o/{name}:v1]}}\n"
        )
    };
    let both = map("one", "flux") + &map("two", "flux");
    let from = "{kind: ConfigMap, name: one}, {kind: ConfigMap, name: two}";
    insta::assert_snapshot!(reported(from, "", &both), @"warning: package-source HelmRelease flux/xp (1:1, ConfigMap flux/two, a.io/o/two:v1, m.io/a/o/two:v1) | warning: standard input:1:1: HelmRelease flux/xp: `provider.packages` of ConfigMap flux/two, key values.yaml: `a.io/o/two:v1` is not changed, because values of a chart are not edited: write `m.io/a/o/two:v1` [package-source]");
    insta::assert_snapshot!(reported(from, "", &map("two", "other")), @"
    warning: package-source HelmRelease flux/xp (1:1, ConfigMap flux/one) | warning: standard input:1:1: HelmRelease flux/xp: its values are in ConfigMap flux/one, key values.yaml, which is not in the input, so packages in it are not known: give the ConfigMap too [package-source]
    warning: package-source HelmRelease flux/xp (1:1, ConfigMap flux/two) | warning: standard input:1:1: HelmRelease flux/xp: its values are in ConfigMap flux/two, key values.yaml, which is not in the input, so packages in it are not known: give the ConfigMap too [package-source]
    ");
    insta::assert_snapshot!(reported("{kind: Secret, name: s, valuesKey: v.yaml}", "", ""), @"warning: package-source HelmRelease flux/xp (1:1, Secret flux/s) | warning: standard input:1:1: HelmRelease flux/xp: its values are in Secret flux/s, key v.yaml, which is not read, so packages in it are not known [package-source]");
    assert_eq!(reported(from, "  values: {provider: {packages: [m.io/a/o/b:v1]}}\n", &both), "");
    assert_eq!(reported("{kind: ConfigMap, name: one, targetPath: args}", "", &both), "");
}

/// Crossplane's chart as a Release of provider-helm.
#[test]
fn packages_in_values_of_a_release_are_reported() {
    let reported = |spec: &str| {
        let release = format!(
            "apiVersion: helm.crossplane.io/v1beta1\nkind: Release\nmetadata: {{name: xp}}\nspec: {{forProvider: {{namespace: crossplane-system, {spec}}}}}\n\
             ---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: one, namespace: a}}\ndata:\n  values.yaml: |\n    provider: {{packages: [a.io/o/one:v1]}}\n"
        );
        let text = changes("rules: [{from: a.io, to: m.io/a}], style: Rewrite", &release);
        text.lines().filter(|line| line.contains("package-source")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let chart = "chart: {name: crossplane, repository: 'https://c.io', version: 1.20.0}";
    let (inline, set) = (
        "values: {provider: {packages: [a.io/o/p:v1]}}",
        "set: [{name: 'function.packages[0]', value: 'a.io/o/f:v1'}]",
    );
    let from =
        |namespace: &str| format!("{chart}, valuesFrom: [{{configMapKeyRef: {{name: one, namespace: {namespace}}}}}]");
    insta::assert_snapshot!(reported(&format!("{chart}, {inline}, {set}")), @"
    warning: package-source Release xp (1:1, a.io/o/f:v1, m.io/a/o/f:v1) | warning: standard input:1:1: Release xp: `function.packages`: `a.io/o/f:v1` is not changed, because values of a chart are not edited: write `m.io/a/o/f:v1` [package-source]
    warning: package-source Release xp (1:1, a.io/o/p:v1, m.io/a/o/p:v1) | warning: standard input:1:1: Release xp: `provider.packages`: `a.io/o/p:v1` is not changed, because values of a chart are not edited: write `m.io/a/o/p:v1` [package-source]
    ");
    insta::assert_snapshot!(reported(&from("a")), @"warning: package-source Release xp (1:1, ConfigMap a/one, a.io/o/one:v1, m.io/a/o/one:v1) | warning: standard input:1:1: Release xp: `provider.packages` of ConfigMap a/one, key values.yaml: `a.io/o/one:v1` is not changed, because values of a chart are not edited: write `m.io/a/o/one:v1` [package-source]");
    assert!(reported(&from("b")).contains("which is not in the input"));
    // Another chart.
    assert_eq!(reported(&format!("chart: {{name: web, repository: 'https://c.io', version: 1.20.0}}, {inline}")), "");
    // A URL overrides the name.
    assert_eq!(reported(&format!("chart: {{name: crossplane, url: 'https://c.io/web-1.0.0.tgz'}}, {inline}")), "");
    assert!(
        reported(&format!("chart: {{url: 'oci://c.io/charts/crossplane:1.20.0'}}, {inline}")).contains("a.io/o/p:v1")
    );
}

/// The name itself is unreadable, whatever ImageConfigs do.
#[test]
fn a_name_with_an_empty_segment_is_reported() {
    let text = changes(
        "rules: [{from: xpkg.crossplane.io, to: m.io/a}], crossplane: {version: v1.20.0}",
        &package("Function", "a", "xpkg.crossplane.io//o/a:v1"),
    );
    assert!(text.contains("Function a: Crossplane cannot pull xpkg.crossplane.io//o/a:v1"), "{text}");
    assert!(!text.contains("ImageConfigs of the input rewrite"), "{text}");
}

/// Registries have lower-case repositories only; the CRDs of Crossplane accept upper case.
#[test]
fn a_name_with_upper_case_is_reported() {
    let reported = |source: &str, more: &str| {
        let own = super::image_config("own", "ghcr.io/MyOrg/", more);
        let spec = "rules: [{from: a.io, to: m.io/a}], crossplane: {version: v2.3.4}";
        let text = changes(spec, &stream(&[package("Function", "a", source), own]));
        text.lines().filter(|line| line.contains("cannot pull")).map(|line| format!("{line}\n")).collect::<String>()
    };
    let scope = "registry: {authentication: {pullSecretRef: {name: s}}}";
    insta::assert_snapshot!(worded(reported("ghcr.io/MyOrg/function-a:v1", scope)), @"error: standard input:1:1: Function a: Crossplane cannot pull ghcr.io/MyOrg/function-a:v1: `ghcr.io/MyOrg/function-a:v1` is not an image reference: a path has 2 to 255 characters out of lower-case letters, digits, `_`, `-`, `.` and `/` [package-source]");
    for source in ["a.io/o/B:v1", "ghcr.io/o/a~b:v1", "MyOrg/a:v1"] {
        assert!(reported(source, scope).contains("Crossplane cannot pull"), "{source}");
    }
    // Upper case in a tag or a host, placeholders, and a name that an ImageConfig rewrites.
    for source in
        ["ghcr.io/o/a:V1", "GHCR.io/o/a:v1", "${REGISTRY}/o/A:v1", "ghcr.io/<ORG>/a:v1", "REGISTRY/o/a:v1", "PACKAGE"]
    {
        assert_eq!(reported(source, scope), "", "{source}");
    }
    assert_eq!(reported("ghcr.io/MyOrg/function-a:v1", "rewriteImage: {prefix: m.io/my-org/}"), "");
}

/// An ImageConfig of the input whose prefix ends with the name of a package.
#[test]
fn invalid_rewritten_references_are_reported() {
    let reported = |prefix: &str, new: &str| {
        let own = super::image_config("own", prefix, &format!("rewriteImage: {{prefix: {new}}}"));
        let spec = "rules: [{from: a.io, to: m.io/a}], crossplane: {version: v2.3.4}, packages: {'xpkg.crossplane.io/o/a:v1': {dependsOn: []}}";
        let text = changes(spec, &stream(&[package("Function", "a", "xpkg.crossplane.io/o/a:v1"), own]));
        text.lines().filter(|line| line.contains("cannot pull")).map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(worded(reported("xpkg.crossplane.io/o/a", "m.io/x/")), @"error: standard input:1:1: Function a: ImageConfigs of the input rewrite xpkg.crossplane.io/o/a:v1 to a text that Crossplane cannot pull: the path of `m.io/x/:v1` has an empty segment. A prefix replaces the beginning of a reference, so end both prefixes with `/`, or write the full name into `rewriteImage.prefix` [package-source]");
    for (prefix, new) in [
        ("xpkg.crossplane.io/o/", "m.io/x/"),
        ("xpkg.crossplane.io/o/a", "m.io/x/b"),
        ("xpkg.crossplane.io/o/a:v1", "m.io/x/a:v1"),
    ] {
        assert_eq!(reported(prefix, new), "", "{prefix} {new}");
    }
}

/// Results about the ImageConfig `own` with this prefix, and about Function a.
fn with_prefix(prefix: &str, more: &str) -> String {
    let own = super::image_config("own", prefix, more);
    let spec = "rules: [{from: xpkg.crossplane.io, to: m.io/x}], crossplane: {version: v2.3.4}, packages: {'xpkg.crossplane.io/o/a:v1': {dependsOn: []}}";
    let input = stream(&[package("Function", "a", "xpkg.crossplane.io/o/a:v1"), own]);
    let (_, run) = super::run_all(spec, &input);
    let lines = run
        .results
        .iter()
        .map(results::line)
        .filter(|line| line.contains("ImageConfig own") || line.contains("placeholder"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_glob_in_a_prefix_of_an_image_config_is_reported() {
    let rewrite = "rewriteImage: {prefix: other.io/t/}";
    let secret = "registry: {authentication: {pullSecretRef: {name: s}}}";
    insta::assert_snapshot!(worded(with_prefix("xpkg.crossplane.io/o/*", rewrite)), @"warning: standard input:6:1: ImageConfig own: no image matches the prefix `xpkg.crossplane.io/o/*`: Crossplane compares it with the beginning of each reference, not as a pattern: write `xpkg.crossplane.io/o/` [package-source]");
    insta::assert_snapshot!(worded(with_prefix("*.io/o/", secret)), @"warning: standard input:6:1: ImageConfig own: no image matches the prefix `*.io/o/`: Crossplane compares it with the beginning of each reference, not as a pattern: write an entry for each registry [package-source]");
    assert!(!with_prefix("xpkg.crossplane.io/o/", rewrite).contains("no image matches"));
    assert!(!with_prefix("${A:?*}/o/", rewrite).contains("no image matches"));
}

#[test]
fn a_prefix_that_is_filled_in_later_is_no_error() {
    insta::assert_snapshot!(worded(with_prefix("xpkg.crossplane.io/o/", "rewriteImage: {prefix: '${REG}/t/'}")), @"
    info: Function a: the name to which ImageConfigs of the input rewrite xpkg.crossplane.io/o/a:v1: `${REG}/t/a:v1` has a placeholder [package-source]
    info: ImageConfig own rewrites `xpkg.crossplane.io/o/` and wins there: its prefix is longer than `xpkg.crossplane.io/` [package-source]
    ");
    insta::assert_snapshot!(worded(with_prefix("xpkg.crossplane.io/o/", "rewriteImage: {prefix: '{{ .Values.reg }}/t/'}")), @"
    info: Function a: the name to which ImageConfigs of the input rewrite xpkg.crossplane.io/o/a:v1: `{{ .Values.reg }}/t/a:v1` has a placeholder [package-source]
    info: ImageConfig own rewrites `xpkg.crossplane.io/o/` and wins there: its prefix is longer than `xpkg.crossplane.io/` [package-source]
    ");
    insta::assert_snapshot!(worded(with_prefix("${SRC}/o/", "rewriteImage: {prefix: other.io/t/}")), @"info: ImageConfig own: the images that it rewrites: its prefix `${SRC}/o/` has a placeholder [package-source]");
}

/// Packages inside of other objects stay, and are named with their place.
#[test]
fn packages_inside_of_other_objects_are_named() {
    let inner = "apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: p}";
    let with = |source: &str| format!("{{{inner}, spec: {{package: '{source}'}}}}");
    let own = with("xpkg.crossplane.io/o/p:v1");
    let object = |version: &str, kind: &str, fields: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n{fields}\n")
    };
    let graph = |template: &str| {
        object(
            "kro.run/v1alpha1",
            "ResourceGraphDefinition",
            &format!("spec: {{resources: [{{id: p, template: {template}}}]}}"),
        )
    };
    let policy = "spec: {rules: [{name: a, generate: {apiVersion: pkg.crossplane.io/v1, kind: Provider, name: p, data: {spec: {package: \
                  'xpkg.crossplane.io/o/p:v1'}}}}]}";
    let manifest = format!("spec: {{forProvider: {{manifest: {own}}}}}");
    let text = |source: &str| {
        let lines =
            format!("apiVersion: pkg.crossplane.io/v1\n    kind: Provider\n    spec:\n      package: {source}\n");
        object("v1", "ConfigMap", &format!("data:\n  a.yaml: |\n    {lines}"))
    };
    let spec = format!("{REWRITE}, crossplane: {{version: v2.0.0}}");
    for (manifest, place, is_warning) in [
        (graph(&own), "spec.resources[0].template", true),
        (object("kyverno.io/v1", "ClusterPolicy", policy), "spec.rules[0].generate", true),
        (object("kubernetes.crossplane.io/v1alpha2", "Object", &manifest), "spec.forProvider.manifest", true),
        (text("xpkg.crossplane.io/o/p:v1"), "data[\"a.yaml\"]", true),
        (text("xpkg.crossplane.io/o/p:{{ .version }}"), "data[\"a.yaml\"]", true),
        (graph(&with("${schema.spec.package}")), "spec.resources[0].template", true),
        // Names in the mirror, and names without a rule.
        (graph(&with("registry.example.com/xpkg/o/p:v1")), "", false),
        (graph(&with("other.example.com/o/p:v1")), "", false),
        (graph("{apiVersion: pkg.crossplane.io/v1beta1, kind: ImageConfig, metadata: {name: p}}"), "", false),
        (
            object("v1", "Namespace", "").replace(
                "name: a",
                "name: a, annotations: {last: '{apiVersion: pkg.crossplane.io/v1, kind: Provider, spec: {package: xpkg.crossplane.io/o/p:v1}}'}",
            ),
            "",
            false,
        ),
    ] {
        let log = changes(&spec, &manifest);
        assert_eq!(log.contains("Provider in "), is_warning, "{manifest}{log}");
        assert!(log.contains(&format!("Provider in {place}")) || !is_warning, "{manifest}{log}");
    }
    insta::assert_snapshot!(worded(changes(&spec, &graph(&own))), @"
    warning: the input holds neither a package nor Crossplane's core, so nothing is moved [unmatched]
    warning: standard input:4:38: ResourceGraphDefinition a: Provider in spec.resources[0].template is not changed, because it is inside of another object: write registry.example.com/xpkg/o/p:v1 there [package-source]
    ");
    // The ImageConfigs of the cluster also apply to such packages.
    let info = changes(&spec.replace("style: Rewrite, ", ""), &graph(&own));
    assert!(
        info.contains("info: ") && info.contains("Provider in spec.resources[0].template is not changed"),
        "{info}"
    );
}
