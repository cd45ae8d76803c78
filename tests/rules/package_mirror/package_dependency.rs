//! Packages that need others, by the names in Crossplane's lock after the change.

use super::{RULE, changes, package, stream};
use crate::support::results::{brief, worded};

const FAMILY: &str = "xpkg.crossplane.io/crossplane-contrib/provider-family-aws";

fn spec(more: &str) -> String {
    format!("style: Rewrite, {RULE}, {more}")
}

#[test]
fn recorded_dependencies_of_a_family() {
    let s3 = package("Provider", "s3", "xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0");
    let family = package("Provider", "family", &format!("{FAMILY}:v2.6.0"));
    let known = format!(
        "packages: {{'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0': {{dependsOn: ['{FAMILY} >=v2.0.0']}}, '{FAMILY}:v2.6.0': {{dependsOn: []}}}}"
    );
    let both = stream(&[s3.clone(), family]);
    insta::assert_snapshot!(worded(changes(&spec(&known), &both)), @"error: standard input:1:1: Provider s3 needs xpkg.crossplane.io/crossplane-contrib/provider-family-aws, by that name, and Provider family is registry.example.com/xpkg/crossplane-contrib/provider-family-aws after this run: Crossplane would install it from its original registry, in addition to or instead of the mirror's. Use style ImageConfig (Crossplane v1.20 or later), or write `dependencies: Skip` and add all of them to the input [package-dependency]");
    insta::assert_snapshot!(worded(changes(&spec(&format!("dependencies: Skip, {known}")), &s3)), @"error: standard input:1:1: Provider \
         s3 needs xpkg.crossplane.io/crossplane-contrib/provider-family-aws, which is not in the input, and with `dependencies: Skip` \
         Crossplane does not install it: add it as a separate package [package-dependency]");
    insta::assert_snapshot!(changes(&spec(&format!("dependencies: Skip, {known}")), &both), @"
    -spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0'} # kept
    +spec: {package: 'registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0', skipDependencyResolution: true} # kept
    -spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-family-aws:v2.6.0'} # kept
    +spec: {package: 'registry.example.com/xpkg/crossplane-contrib/provider-family-aws:v2.6.0'} # kept
    ");
    // The catalog knows that the package needs a family, but not from which registry.
    insta::assert_snapshot!(worded(changes(&spec("packages: {}"), &s3)), @"
    -spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0'} # kept
    +spec: {package: 'registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0'} # kept
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Provider s3 (xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0; most likely a provider-family-aws, of this registry or another). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    ");
}

/// A package that needs another package by the original name or by the mirror's name.
const NEEDS: &str = "packages: {'git.example.com/o/db:v1.0.0': {dependsOn: ['xpkg.crossplane.io/o/tables >=v1.0.0']}, \
                     'xpkg.crossplane.io/o/tables:v1.2.0': {dependsOn: []}}";

fn db(more: &str) -> String {
    package("Configuration", "db", "git.example.com/o/db:v1.0.0").replace("'} #", &format!("'{more}}} #"))
}

fn tables(source: &str) -> String {
    package("Provider", "tables", source)
}

/// The reports about dependencies, and the changes of packages.
fn of_packages(spec: &str, manifest: &[String]) -> String {
    let text = changes(spec, &stream(manifest));
    let is_about = |line: &&str| line.contains("[package-dependency]") || line.contains("spec: {package");
    text.lines().filter(is_about).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_name_of_the_mirror_is_another_package() {
    let spec = format!("{RULE}, {NEEDS}, crossplane: {{version: v2.3.4}}");
    let by_mirror = "registry.example.com/xpkg/o/tables";
    let text: String = [format!("{by_mirror}:v1.2.0"), format!("{by_mirror}@sha256:{}", "1".repeat(64))]
        .map(|source| of_packages(&spec, &[tables(&source), db("")]))
        .concat();
    insta::assert_snapshot!(brief(text), @"
    error: package-dependency Provider tables (1:1, xpkg.crossplane.io/o/tables:v1.2.0)
    error: package-dependency Provider tables (1:1, xpkg.crossplane.io/o/tables@sha256:1111111111111111111111111111111111111111111111111111111111111111)
    ");
    // The remedy of the message.
    assert_eq!(of_packages(&spec, &[tables("xpkg.crossplane.io/o/tables:v1.2.0"), db("")]), "");
    // With `skipDependencyResolution`, Crossplane looks for no dependencies.
    assert_eq!(
        of_packages(&spec, &[tables(&format!("{by_mirror}:v1.2.0")), db(", skipDependencyResolution: true")]),
        ""
    );
    // Another organisation.
    assert_eq!(of_packages(&spec, &[tables("registry.example.com/xpkg/other/tables:v1.2.0"), db("")]), "");
    // A registry without a rule.
    assert_eq!(of_packages(&spec, &[tables("registry.example.com/o/tables:v1.2.0"), db("")]), "");
}

/// The digest of a package in the mirror is recorded for a version.
#[test]
fn a_digest_gets_its_version_back() {
    let digest = format!("sha256:{}", "1".repeat(64));
    let known = NEEDS.replace("{dependsOn: []}", &format!("{{digest: '{digest}', dependsOn: []}}"));
    let spec = format!("{RULE}, {known}, crossplane: {{version: v2.3.4}}");
    let text = of_packages(&spec, &[tables(&format!("registry.example.com/xpkg/o/tables@{digest}")), db("")]);
    assert!(
        text.contains("In Provider tables write `package: xpkg.crossplane.io/o/tables:v1.2.0` [package-dependency]"),
        "{text}"
    );
}

#[test]
fn two_names_of_one_package() {
    let spec = |more: &str| format!("{RULE}, {NEEDS}, crossplane: {{version: v1.20.0}}{more}");
    let both = [
        tables("xpkg.crossplane.io/o/tables:v1.2.0"),
        package("Provider", "tables-2", "registry.example.com/xpkg/o/tables:v1.2.0"),
    ];
    let text = [spec(""), spec(", style: Rewrite")].map(|spec| of_packages(&spec, &both)).concat();
    insta::assert_snapshot!(worded(text), @"
    error: standard input:6:1: Provider tables-2 is registry.example.com/xpkg/o/tables and Provider tables is xpkg.crossplane.io/o/tables: these are two names of one package: both try to control the same objects, and neither becomes healthy. Remove Provider tables-2 [package-dependency]
    error: standard input:6:1: Provider tables-2 and Provider tables are both registry.example.com/xpkg/o/tables after this run: both try to control the same objects, and neither becomes healthy. Remove Provider tables-2 [package-dependency]
    ");
    // Objects with the same name, or with other versions, existed before the run, or are for two clusters.
    let twice =
        |name: &str, source: &str| [tables("xpkg.crossplane.io/o/tables:v1.2.0"), package("Provider", name, source)];
    for style in ["", ", style: Rewrite"] {
        for own in [
            twice("tables-2", "xpkg.crossplane.io/o/tables:v1.3.0"),
            twice("tables", "xpkg.crossplane.io/o/tables:v1.2.0"),
            twice("tables", "registry.example.com/xpkg/o/tables:v1.2.0"),
        ] {
            let text = of_packages(&spec(style), &own);
            assert!(!text.contains("control the same objects"), "{text}");
        }
    }
    // The same path in another registry.
    let others = [
        tables("xpkg.crossplane.io/o/tables:v1.2.0"),
        package("Provider", "tables-2", "xpkg.upbound.io/o/tables:v1.2.0"),
    ];
    assert_eq!(of_packages(&spec(""), &others), "");
}

#[test]
fn two_registries_with_one_digest() {
    let digest = |byte: &str| format!("sha256:{}", byte.repeat(64));
    let names = ["xpkg.crossplane.io/o/tables:v1.2.0", "xpkg.upbound.io/o/tables:v1.2.0", "a.io/o/tables:v1.2.0"];
    let spec = |digests: [String; 3], more: &str| {
        let rows =
            names.iter().zip(digests).map(|(name, digest)| format!("'{name}': {{digest: '{digest}', dependsOn: []}}"));
        let rows: Vec<String> = rows.collect();
        format!("{RULE}, packages: {{{}{more}}}, crossplane: {{version: v2.3.4}}", rows.join(", "))
    };
    let both = |one: usize, other: usize| [tables(names[one]), package("Provider", "tables-2", names[other])];
    let same = || [digest("1"), digest("1"), digest("1")];
    insta::assert_snapshot!(worded(of_packages(&spec(same(), ""), &both(0, 1))), @"error: standard input:6:1: Provider tables-2 is xpkg.upbound.io/o/tables and Provider tables is xpkg.crossplane.io/o/tables: these are two names of one package (both sha256:1111111111111111111111111111111111111111111111111111111111111111): both try to control the same objects, and neither becomes healthy. Remove Provider tables-2 [package-dependency]");
    // A reference may contain the digest itself.
    let by_digest = tables(&format!("xpkg.upbound.io/o/tables@{}", digest("1")));
    let text = of_packages(&spec(same(), ""), &[by_digest, package("Provider", "tables-2", names[0])]);
    assert!(text.contains("two names of one package"), "{text}");
    // The config changes neither package.
    let text = of_packages(&spec(same(), ""), &both(1, 2));
    assert!(text.starts_with("warning:"), "{text}");
    // The needed package stays.
    let needs = ", 'git.example.com/o/db:v1.0.0': {dependsOn: ['xpkg.upbound.io/o/tables >=v1.0.0']}";
    let text = of_packages(&spec(same(), needs), &[&both(0, 1)[..], &[db("")]].concat());
    assert!(text.ends_with("Remove Provider tables [package-dependency]\n"), "{text}");
    // Other digests, and one object of two clusters.
    assert_eq!(of_packages(&spec([digest("1"), digest("2"), digest("3")], ""), &both(0, 1)), "");
    assert_eq!(of_packages(&spec(same(), ""), &[tables(names[0]), tables(names[1])]), "");
}

/// An ImageConfig of the input may lead two names to one package, without renaming anything.
#[test]
fn image_configs_of_the_input_may_merge_two_names() {
    let spec = format!("{RULE}, {NEEDS}, crossplane: {{version: v2.3.4}}");
    let theirs =
        super::image_config("theirs", "xpkg.upbound.io/o/", "rewriteImage: {prefix: registry.example.com/xpkg/o/}");
    let own = [tables("xpkg.upbound.io/o/tables:v1.2.0"), db("")];
    assert_eq!(of_packages(&spec, &own), "");
    insta::assert_snapshot!(worded(of_packages(&spec, &[&own[..], &[theirs]].concat())), @"error: standard input:1:1: Configuration db needs xpkg.crossplane.io/o/tables, and Provider tables has that package as xpkg.upbound.io/o/tables: Crossplane compares names as they are written and installs a second one; both try to control the same objects, and neither becomes healthy. In Provider tables write `package: xpkg.crossplane.io/o/tables:v1.2.0` [package-dependency]");
}

#[test]
fn a_package_that_is_not_in_the_lock() {
    let spec = format!("{RULE}, {NEEDS}, crossplane: {{version: v2.3.4}}");
    let skips = tables("xpkg.crossplane.io/o/tables:v1.2.0").replace("'} #", "', skipDependencyResolution: true} #");
    insta::assert_snapshot!(worded(of_packages(&spec, &[skips.clone(), db("")])), @"error: standard input:1:1: Configuration db needs xpkg.crossplane.io/o/tables, and Provider tables has `skipDependencyResolution: true`, so Crossplane's lock does not have it: Crossplane installs a second one; both try to control the same objects, and neither becomes healthy. Remove that field from Provider tables, or write it into all packages that need it [package-dependency]");
    assert_eq!(of_packages(&spec, &[skips, db(", skipDependencyResolution: true")]), "");
}

/// Arguments of the core cannot set `skipDependencyResolution`.
#[test]
fn style_rewrite_and_packages_of_the_core() {
    let known = NEEDS.replace("git.example.com/o/db:v1.0.0", "xpkg.crossplane.io/o/db:v1.0.0");
    let core = super::core("v1.18.0", "--configuration=xpkg.crossplane.io/o/db:v1.0.0");
    let text = of_packages(&format!("{RULE}, {known}, dependencies: Skip"), std::slice::from_ref(&core));
    insta::assert_snapshot!(worded(text), @"error: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane-init needs xpkg.crossplane.io/o/tables, by that name, which Crossplane's lock does not have after this run: no argument can set `skipDependencyResolution`, so remove it there, and add it to the input as a separate package [package-dependency]");
    assert_eq!(
        of_packages(&format!("{RULE}, {}", known.replace("['xpkg.crossplane.io/o/tables >=v1.0.0']", "[]")), &[core]),
        ""
    );
}

/// A needed package is renamed, and the package that needs it is not.
#[test]
fn style_rewrite_and_an_unchanged_dependent() {
    let spec = |more: &str| format!("{RULE}, {NEEDS}, crossplane: {{version: v1.16.0}}{more}");
    let both = [tables("xpkg.crossplane.io/o/tables:v1.2.0"), db("")];
    insta::assert_snapshot!(brief(of_packages(&spec(""), &both)), @"error: package-dependency Configuration db (6:1, v1.20)");
    insta::assert_snapshot!(of_packages(&spec(", dependencies: Skip"), &both), @"
    -spec: {package: 'xpkg.crossplane.io/o/tables:v1.2.0'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/tables:v1.2.0'} # kept
    -spec: {package: 'git.example.com/o/db:v1.0.0'} # kept
    +spec: {package: 'git.example.com/o/db:v1.0.0', skipDependencyResolution: true} # kept
    ");
    insta::assert_snapshot!(worded(of_packages(&spec(", dependencies: Skip, exclude: [{name: db}]"), &both)), @"error: standard input:6:1: Configuration db needs xpkg.crossplane.io/o/tables, by that name, which Crossplane's lock does not have after this run, and the config leaves Configuration db out: write `skipDependencyResolution: true` into its spec [package-dependency]");
    assert_eq!(
        of_packages(&spec(""), &[tables("xpkg.crossplane.io/o/other:v1.2.0"), db(", skipDependencyResolution: true")])
            .matches("error")
            .count(),
        0
    );
    // A package that needs a package with the flag gets the flag too, since the lock then contains neither.
    let chain = NEEDS.replace(
        "packages: {",
        "packages: {'git.example.com/o/all:v1.0.0': {dependsOn: ['git.example.com/o/db >=v1.0.0']}, ",
    );
    let all = [&both[..], &[package("Configuration", "all", "git.example.com/o/all:v1.0.0")]].concat();
    let spec = format!("{RULE}, {chain}, dependencies: Skip, crossplane: {{version: v1.16.0}}");
    insta::assert_snapshot!(of_packages(&spec, &all), @"
    -spec: {package: 'xpkg.crossplane.io/o/tables:v1.2.0'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/tables:v1.2.0'} # kept
    -spec: {package: 'git.example.com/o/db:v1.0.0'} # kept
    +spec: {package: 'git.example.com/o/db:v1.0.0', skipDependencyResolution: true} # kept
    -spec: {package: 'git.example.com/o/all:v1.0.0'} # kept
    +spec: {package: 'git.example.com/o/all:v1.0.0', skipDependencyResolution: true} # kept
    ");
}

/// A package that Crossplane installs needs a package that the input names by the mirror's name.
#[test]
fn dependencies_of_an_installed_package() {
    let known = NEEDS.replace(
        "packages: {",
        "packages: {'git.example.com/o/all:v1.0.0': {dependsOn: ['git.example.com/o/db >=v1.0.0']}, ",
    );
    let all = package("Configuration", "all", "git.example.com/o/all:v1.0.0");
    let own = [tables("registry.example.com/xpkg/o/tables:v1.2.0"), all];
    let text = [
        format!("{RULE}, {known}, crossplane: {{version: v2.3.4}}"),
        format!("{RULE}, {known}, style: Rewrite, crossplane: {{version: v1.20.0}}"),
    ]
    .map(|spec| of_packages(&spec, &own))
    .concat();
    insta::assert_snapshot!(worded(text), @"
    error: standard input:1:1: git.example.com/o/db:v1.0.0 needs xpkg.crossplane.io/o/tables, and Provider tables has that package as registry.example.com/xpkg/o/tables: Crossplane compares names as they are written and installs a second one; both try to control the same objects, and neither becomes healthy. In Provider tables write `package: xpkg.crossplane.io/o/tables:v1.2.0` [package-dependency]
    error: standard input:1:1: git.example.com/o/db:v1.0.0 needs xpkg.crossplane.io/o/tables, and Provider tables has that package as registry.example.com/xpkg/o/tables: Crossplane compares names as they are written and installs a second one; both try to control the same objects, and neither becomes healthy. Add git.example.com/o/db:v1.0.0 to the input as a separate package, and write `dependencies: Skip` [package-dependency]
    ");
}

#[test]
fn unknown_dependencies_are_reported_once() {
    let manifest = stream(&[
        package("Configuration", "a", "xpkg.crossplane.io/o/a:v1"),
        package("Configuration", "b", "xpkg.crossplane.io/o/b:v1"),
        package("Configuration", "c", "a.io/o/c:v1"),
    ]);
    insta::assert_snapshot!(worded(changes(&spec("packages: {}"), &manifest)), @"
    -spec: {package: 'xpkg.crossplane.io/o/a:v1'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/a:v1'} # kept
    -spec: {package: 'xpkg.crossplane.io/o/b:v1'} # kept
    +spec: {package: 'registry.example.com/xpkg/o/b:v1'} # kept
    warning: the dependencies of these packages are not known, and dependencies below a `from` would still be pulled from there: Configuration a (xpkg.crossplane.io/o/a:v1), Configuration b (xpkg.crossplane.io/o/b:v1), Configuration c (a.io/o/c:v1). Record it with `hostnet mirror pin`, or write it under `packages` in the spec, `dependsOn: []` for a package without dependencies [package-dependency]
    info: Configuration c is not changed: no rule has a `from` above a.io/o/c [package-source]
    ");
    let known = "packages: {'xpkg.crossplane.io/o/a:v1': {dependsOn: ['a.io/o/x >=v1']}, 'xpkg.crossplane.io/o/b:v1': {dependsOn: []}, 'a.io/o/c:v1': {dependsOn: []}}";
    assert!(!changes(&spec(known), &manifest).contains("package-dependency"));
}

/// Objects that install Crossplane's chart with this package.
fn charts(source: &str) -> [String; 6] {
    let flux = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: flux}}\nspec:\n  chart: {{spec: {{chart: crossplane, \
         version: v2.3.4}}}}\n  values: {{provider: {{packages: ['{source}']}}}}\n"
    );
    let argo = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: crossplane, namespace: argocd}}\nspec:\n  source: {{chart: crossplane, targetRevision: \
         v2.3.4, helm: {{values: \"provider: {{packages: ['{source}']}}\"}}}}\n"
    );
    let rancher = format!(
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: crossplane, namespace: kube-system}}\nspec:\n  chart: crossplane\n  version: \
         v2.3.4\n  valuesContent: |\n    provider: {{packages: ['{source}']}}\n"
    );
    let reference = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec: {chartRef: \
                     {kind: OCIRepository, name: crossplane}, values: {provider: {packages: ['SOURCE']}}}\n";
    let parameters = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: crossplane, namespace: argocd}\nspec: {source: {chart: \
                      crossplane, targetRevision: v2.3.4, helm: {parameters: [{name: 'provider.packages[0]', value: 'SOURCE'}]}}}\n";
    let set = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: crossplane, namespace: kube-system}\nspec: {chart: crossplane, version: \
               v2.3.4, set: {'provider.packages': '{SOURCE}'}}\n";
    let [reference, parameters, set] = [reference, parameters, set].map(|text| text.replace("SOURCE", source));
    [flux, argo, rancher, reference, parameters, set]
}

/// The generators of an `ApplicationSet` fill in packages of the chart's values; other packages that are filled in later
/// are reported.
#[test]
fn packages_of_templates_are_filled_in() {
    let spec = format!("{RULE}, {NEEDS}");
    let set = |values: &str, elements: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: xp, namespace: argocd}}\nspec:\n  goTemplate: true\n  \
             generators: [{{list: {{elements: [{elements}]}}}}]\n  template:\n    metadata: {{name: '{{{{.cluster}}}}-xp'}}\n    spec:\n      \
             destination: {{server: 'https://kubernetes.default.svc', namespace: crossplane-system}}\n      source: {{repoURL: https://x.io/stable, \
             chart: crossplane, targetRevision: 2.3.4, helm: {{{values}}}}}\n"
        )
    };
    let element = |name: &str, source: &str| format!("{{cluster: {name}, provider: '{source}'}}");
    let values = "values: \"provider: {packages: ['{{.provider}}']}\"";
    let parameter = "parameters: [{name: 'provider.packages[0]', value: '{{.provider}}'}]";
    let (mirrored, original) = ("registry.example.com/xpkg/o/tables:v1.2.0", "xpkg.crossplane.io/o/tables:v1.2.0");
    for values in [values, parameter] {
        let text = of_packages(&spec, &[set(values, &element("a", mirrored)), db("")]);
        assert!(
            text.contains("ApplicationSet argocd/xp: `provider.packages` has that package as registry.example"),
            "{text}"
        );
        assert_eq!(of_packages(&spec, &[set(values, &element("a", original)), db("")]), "");
    }
    let later = |objects: &[String]| {
        let text = super::changes(&spec, &super::stream(objects));
        text.lines()
            .filter(|line| line.contains("is filled in later, so"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    insta::assert_snapshot!(worded(later(&[set(values, "{cluster: a}")])), @"warning: standard input:1:1: ApplicationSet argocd/xp: `provider.packages`: `{{.provider}}` is filled in later, so this package is neither moved nor compared with others: write the name of the package, or add the manifest in which the name is filled in [package-source]");
    let [flux, ..] = charts("${PROVIDER}");
    insta::assert_snapshot!(brief(later(std::slice::from_ref(&flux))), @"warning: package-source HelmRelease flux/crossplane (1:1)");
    assert_eq!(later(&[flux, super::core("v2.3.4", "--debug")]), "");
    assert_ne!(later(&[super::core("v2.3.4", "--provider, '${PROVIDER}'")]), "");
    assert_eq!(later(&[super::core("v2.3.4", "--provider, 'o.io/a/b:${TAG}'")]), "");
}

#[test]
fn packages_in_values_of_the_chart() {
    let spec = format!("{RULE}, {NEEDS}");
    for chart in charts("registry.example.com/xpkg/o/tables:v1.2.0") {
        let text = of_packages(&spec, &[chart.clone(), db("")]);
        assert!(
            text.starts_with("error: ")
                && text.contains("`provider.packages` has that package as registry.example.com/xpkg/o/tables")
                && text.contains("`provider.packages` write `xpkg.crossplane.io/o/tables:v1.2.0`"),
            "{chart}: {text}"
        );
        let pair = of_packages(&spec, &[chart.clone(), tables("xpkg.crossplane.io/o/tables:v1.2.0")]);
        assert!(pair.contains("Remove registry.example.com/xpkg/o/tables:v1.2.0 from "), "{chart}: {pair}");
    }
    // A package by its original name, and a chart of another program.
    for chart in charts("xpkg.crossplane.io/o/tables:v1.2.0") {
        assert_eq!(of_packages(&spec, &[chart, db("")]), "");
    }
    for chart in charts("registry.example.com/xpkg/o/tables:v1.2.0") {
        let other = chart
            .replace("chart: crossplane", "chart: web")
            .replace("OCIRepository, name: crossplane", "OCIRepository, name: web");
        assert_eq!(of_packages(&spec, &[other, db("")]), "");
    }
}

/// Crossplane reads everything before the digest, including the tag, as the name.
#[test]
fn a_tag_before_a_digest_is_part_of_the_name() {
    let digest = format!("sha256:{}", "1".repeat(64));
    let spec = |more: &str| format!("{RULE}, {NEEDS}, crossplane: {{version: v1.20.0}}{more}");
    let own = [tables(&format!("xpkg.crossplane.io/o/tables:v1.2.0@{digest}")), db("")];
    insta::assert_snapshot!(worded(of_packages(&spec(""), &own)), @"error: standard input:1:1: Configuration db needs xpkg.crossplane.io/o/tables, and Provider tables has that package as xpkg.crossplane.io/o/tables:v1.2.0, since a tag before a digest is part of the name: Crossplane compares names as they are written and installs a second one; both try to control the same objects, and neither becomes healthy. In Provider tables write `package: xpkg.crossplane.io/o/tables:v1.2.0` [package-dependency]");
    let mirror = [tables(&format!("registry.example.com/xpkg/o/tables:v1.2.0@{digest}")), db("")];
    let text = of_packages(&spec(""), &mirror);
    assert!(
        text.starts_with("error: ") && text.contains("write `package: xpkg.crossplane.io/o/tables:v1.2.0`"),
        "{text}"
    );
    // Another registry, which style Rewrite does not change either.
    let needs = "packages: {'git.example.com/o/db:v1.0.0': {dependsOn: ['b.io/o/tables >=v1.0.0']}, 'b.io/o/tables:v1.2.0': {dependsOn: []}}";
    for style in ["", ", style: Rewrite", ", style: Rewrite, dependencies: Skip"] {
        let other = [tables(&format!("b.io/o/tables:v1.2.0@{digest}")), db("")];
        let spec = format!("{RULE}, {needs}, crossplane: {{version: v1.20.0}}{style}");
        let text = of_packages(&spec, &other);
        assert!(
            text.starts_with("error: ") && text.contains("In Provider tables write `package: b.io/o/tables:v1.2.0`"),
            "{style}: {text}"
        );
        assert_eq!(of_packages(&spec, &[tables("b.io/o/tables:v1.2.0"), db("")]), "", "{style}");
    }
    // No package needs it.
    assert_eq!(of_packages(&spec(""), &own[..1]), "");
}

/// Crossplane refuses an image of another kind, so two kinds are two packages, as configs with placeholders write them.
#[test]
fn one_digest_of_two_kinds() {
    let digest = format!("sha256:{}", "1".repeat(64));
    let (own, needed) = ("git.example.com/o/db:v1.0.0", "xpkg.crossplane.io/o/tables:v1.2.0");
    let spec = |kind: &str, more: &str| {
        format!(
            "{RULE}, crossplane: {{version: v2.3.4}}, packages: {{'{own}': {{digest: '{digest}', kind: Configuration, dependsOn: \
             ['xpkg.crossplane.io/o/tables >=v1.0.0']}}, '{needed}': {{digest: '{digest}'{kind}, dependsOn: []}}{more}}}"
        )
    };
    let provider = ", kind: Provider";
    assert_eq!(of_packages(&spec(provider, ""), &[tables(needed), db("")]), "");
    assert_eq!(of_packages(&spec("", ""), &[tables(needed), db("")]), "");
    // The Provider is only needed, not in the input.
    assert_eq!(of_packages(&spec(provider, ""), &[db("")]), "");
    // A second Provider of the digest conflicts with the first one, also if a Configuration is read before both.
    let copy = format!(", 'b.io/copy/tables:v1.2.0': {{digest: '{digest}', kind: Provider, dependsOn: []}}");
    let three = [db(""), tables(needed), package("Provider", "copy", "b.io/copy/tables:v1.2.0")];
    let text = brief(of_packages(&spec(provider, &copy), &three));
    insta::assert_snapshot!(text, @"error: package-dependency Provider copy (11:1, sha256:1111111111111111111111111111111111111111111111111111111111111111)");
    let text = brief(of_packages(&spec(provider, &copy), &[db(""), three[2].clone()]));
    insta::assert_snapshot!(text, @"error: package-dependency Provider copy (6:1, sha256:1111111111111111111111111111111111111111111111111111111111111111, xpkg.crossplane.io/o/tables:v1.2.0)");
}

/// The input lacks a package that two others need under two names.
#[test]
fn two_needs_by_two_names() {
    let spec = |second: &str| {
        format!(
            "{RULE}, packages: {{'git.example.com/o/db:v1.0.0': {{dependsOn: ['registry.example.com/xpkg/o/tables >=v1.0.0']}}, \
             'git.example.com/o/net:v1.0.0': {{dependsOn: ['{second} >=v1.0.0']}}, 'xpkg.crossplane.io/o/tables:v1.2.0': {{dependsOn: []}}, \
             'registry.example.com/xpkg/o/tables:v1.2.0': {{dependsOn: []}}}}, crossplane: {{version: v2.3.4}}"
        )
    };
    let net = package("Configuration", "net", "git.example.com/o/net:v1.0.0");
    let two = spec("xpkg.crossplane.io/o/tables");
    insta::assert_snapshot!(worded(of_packages(&two, &[db(""), net.clone()])), @"error: standard input:1:1: Configuration net needs xpkg.crossplane.io/o/tables and Configuration db needs registry.example.com/xpkg/o/tables: these are two names of one package, and Crossplane installs it twice; both try to control the same objects, and neither becomes healthy. Write `skipDependencyResolution: true` into the spec of Configuration db, and add all other packages that it needs to the input [package-dependency]");
    // The remedy, dependencies with the same name, and dependencies of two packages.
    assert_eq!(of_packages(&two, &[db(", skipDependencyResolution: true"), net.clone()]), "");
    for other in ["registry.example.com/xpkg/o/tables", "xpkg.crossplane.io/o/others", "b.io/o/tables"] {
        assert_eq!(of_packages(&spec(other), &[db(""), net.clone()]), "", "{other}");
    }
}

/// Two needed packages with the same digest, or a package of the input with the digest of a needed package.
#[test]
fn one_digest_of_a_needed_package() {
    let digest = |digit: &str| format!("sha256:{}", digit.repeat(64));
    let spec = |own: &str, needed: &str| {
        format!(
            "{RULE}, crossplane: {{version: v2.3.4}}, packages: {{'git.example.com/o/db:v1.0.0': {{dependsOn: ['xpkg.crossplane.io/o/tables >=v1.0.0']}}, \
             'git.example.com/o/net:v1.0.0': {{dependsOn: ['b.io/copy/tables >=v1.0.0']}}, 'xpkg.crossplane.io/o/tables:v1.2.0': {{dependsOn: [], digest: \
             '{}'}}, 'b.io/copy/tables:v1.2.0': {{dependsOn: [], digest: '{}'}}}}",
            digest(needed),
            digest(own)
        )
    };
    let same = [tables("b.io/copy/tables:v1.2.0"), db("")];
    insta::assert_snapshot!(worded(of_packages(&spec("1", "1"), &same)), @"error: standard input:1:1: Configuration db needs xpkg.crossplane.io/o/tables, and Provider tables is b.io/copy/tables: these are two names of one package (both sha256:1111111111111111111111111111111111111111111111111111111111111111), and Crossplane installs it twice; both try to control the same objects, and neither becomes healthy. In Provider tables write `package: xpkg.crossplane.io/o/tables:v1.2.0` [package-dependency]");
    let net = package("Configuration", "net", "git.example.com/o/net:v1.0.0");
    insta::assert_snapshot!(brief(of_packages(&spec("1", "1"), &[db(""), net.clone()])), @"error: package-dependency Configuration db (1:1)");
    // The remedy, another digest, and a single dependency.
    assert_eq!(of_packages(&spec("1", "1"), &[tables("xpkg.crossplane.io/o/tables:v1.2.0"), db("")]), "");
    assert_eq!(of_packages(&spec("2", "1"), &same), "");
    assert_eq!(of_packages(&spec("2", "1"), &[db(""), net]), "");
    assert_eq!(of_packages(&spec("1", "1"), &[db("")]), "");
}

/// Crossplane up to v1.20 compares names without registry as text.
#[test]
fn names_without_registry_are_compared_as_written() {
    let spec = |rule: &str, need: &str, more: &str| {
        format!(
            "rules: [{{from: {rule}, to: m.io/x}}], packages: {{'git.example.com/o/db:v1.0.0': {{dependsOn: ['{need} >=v1.0.0']}}, \
             'xpkg.crossplane.io/o/tables:v1.2.0': {{dependsOn: []}}, 'xpkg.upbound.io/o/tables:v1.2.0': {{dependsOn: []}}}}, {more}"
        )
    };
    let of = |rule: &str, need: &str, more: &str, own: &str, db: &str| {
        let text = of_packages(&spec(rule, need, more), &[tables(own), db.to_owned()]);
        text.lines().filter(|line| !line.starts_with(['+', '-'])).map(|line| format!("{line}\n")).collect::<String>()
    };
    let (whole, raw, old) = ("xpkg.crossplane.io/o/tables", "o/tables", "crossplane: {version: v1.20.11}");
    let tagged = |name: &str| format!("{name}:v1.2.0");
    let skips = db(", skipDependencyResolution: true");
    // The run adds the registry, since a rule matches: only the package that needs the other can be changed.
    insta::assert_snapshot!(worded(of("xpkg.crossplane.io", raw, old, &tagged(raw), &db(""))), @"error: standard input:1:1: Configuration db needs o/tables, and Provider tables has that package as xpkg.crossplane.io/o/tables: Crossplane compares names as they are written and installs a second one; both try to control the same objects, and neither becomes healthy. Write `skipDependencyResolution: true` into the spec of Configuration db, and add all packages that it needs to the input [package-dependency]");
    insta::assert_snapshot!(brief(of("xpkg.crossplane.io", raw, old, &tagged(whole), &db(""))), @"error: package-dependency Provider tables (1:1)");
    assert_eq!(of("xpkg.crossplane.io", raw, old, &tagged(raw), &skips), "");
    assert_eq!(of("xpkg.crossplane.io", whole, old, &tagged(raw), &db("")), "");
    // No rule matches.
    insta::assert_snapshot!(brief(of("ghcr.io", raw, old, &tagged(whole), &db(""))), @"error: package-dependency Provider tables (1:1, o/tables:v1.2.0)");
    insta::assert_snapshot!(brief(of("ghcr.io", whole, old, &tagged(raw), &db(""))), @"error: package-dependency Provider tables (1:1, xpkg.crossplane.io/o/tables:v1.2.0)");
    for name in [raw, whole] {
        assert_eq!(of("ghcr.io", name, old, &tagged(name), &db("")), "", "{name}");
    }
    // The input lacks the package: no ImageConfig matches the needed name.
    let alone = |rule: &str, need: &str, more: &str, db: &str| of_packages(&spec(rule, need, more), &[db.to_owned()]);
    insta::assert_snapshot!(worded(alone("xpkg.crossplane.io", raw, old, &db(""))), @"error: standard input:1:1: Configuration db needs o/tables, a name without registry that means xpkg.crossplane.io/o/tables: no ImageConfig matches it, so Crossplane pulls it from there and not from the mirror. Add xpkg.crossplane.io/o/tables to the input. Write `skipDependencyResolution: true` into the spec of Configuration db, and add all packages that it needs to the input [package-dependency]");
    assert_eq!(alone("xpkg.crossplane.io", whole, old, &db("")) + &alone("ghcr.io", raw, old, &db("")), "");
    let by_hand = [db(""), super::image_config("own", "o/", "rewriteImage: {prefix: m.io/x/o/}")];
    assert_eq!(of_packages(&spec("xpkg.crossplane.io", raw, old), &by_hand), "");
    // Style Rewrite replaces the name.
    let rewrite = "style: Rewrite, crossplane: {version: v1.19.0}";
    let skip = format!("{rewrite}, dependencies: Skip");
    insta::assert_snapshot!(worded(of("xpkg.upbound.io", raw, rewrite, &tagged(raw), &db(""))), @"error: standard input:6:1: Configuration db needs o/tables, by that name, and Provider tables is m.io/x/o/tables after this run: Crossplane would install it from its original registry, in addition to or instead of the mirror's. Write `dependencies: Skip` and add all of them to the input [package-dependency]");
    assert_eq!(of("xpkg.upbound.io", raw, &skip, &tagged(raw), &db("")), "");
    assert_eq!(of("ghcr.io", raw, rewrite, &tagged(raw), &db("")), "");
    // From v2.0 on package names have a registry.
    insta::assert_snapshot!(worded(of("xpkg.crossplane.io", raw, "crossplane: {version: v2.3.4}", &tagged(whole), &db(""))), @"warning: standard input:6:1: Configuration db needs o/tables, a name without registry, which the API server refuses for the new package with Crossplane from v2.0.0 on. Write `skipDependencyResolution: true` into the spec of Configuration db, and add all packages that it needs to the input [package-dependency]");
    assert_eq!(of("xpkg.crossplane.io", raw, "crossplane: {version: v2.3.4}", &tagged(whole), &skips), "");
    // One package under both names.
    let both = [tables(&tagged(whole)), package("Provider", "raw", &tagged(raw))];
    insta::assert_snapshot!(brief(of_packages(&spec("ghcr.io", whole, old), &both)), @"error: package-dependency Provider raw (6:1)");
}

/// Versions that Crossplane refuses together, and two objects of one package.
#[test]
fn incompatible_versions_and_two_objects_of_one_package_are_warned_of() {
    let spec = format!("{RULE}, {NEEDS}, crossplane: {{version: v2.3.4}}");
    let at = |tag: &str| tables(&format!("xpkg.crossplane.io/o/tables:{tag}"));
    let second = |kind: &str, name: &str| package(kind, name, "xpkg.crossplane.io/o/tables:v1.2.0");
    let text =
        of_packages(&spec, &[db(""), at("v0.9.0")]) + &of_packages(&spec, &[at("v1.2.0"), second("Provider", "t2")]);
    insta::assert_snapshot!(worded(text), @"
    warning: standard input:1:1: Configuration db needs xpkg.crossplane.io/o/tables (>=v1.0.0), and the input has xpkg.crossplane.io/o/tables:v0.9.0: Crossplane reports incompatible dependencies, and the package does not become healthy. Change one of the versions [package-dependency]
    warning: standard input:6:1: Provider t2 and Provider tables are both xpkg.crossplane.io/o/tables after this run: both try to control the same objects, and neither becomes healthy. Remove Provider t2 [package-dependency]
    ");
    for near in [
        vec![db(""), at("v1.2.0")],
        vec![db(", skipDependencyResolution: true"), at("v0.9.0")],
        vec![at("v1.2.0"), at("v1.3.0")],
        vec![at("v1.2.0"), package("Provider", "t2", "xpkg.crossplane.io/o/tables:v1.3.0")],
        vec![at("v1.2.0"), package("Provider", "t2", "xpkg.crossplane.io/o/tables-2:v1.2.0")],
    ] {
        assert_eq!(of_packages(&spec, &near), "", "{near:#?}");
    }
}

/// Charts that two clusters install: their packages never meet, and each core has its own version.
#[test]
fn packages_of_two_clusters_are_not_compared() {
    let application = |name: &str, cluster: &str, version: &str, source: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  destination: {{namespace: crossplane-system, name: \
             {cluster}}}\n  source: {{chart: crossplane, repoURL: 'https://c.io', targetRevision: {version}, helm: {{valuesObject: {{provider: {{packages: \
             ['{source}']}}}}}}}}\n"
        )
    };
    let spec = "rules: [{from: xpkg.upbound.io, to: m.io/u}], style: ImageConfig, packages: {}";
    let errors = |clusters: [&str; 2]| {
        let old = application("old", clusters[0], "1.20.0", "xpkg.upbound.io/o/a:v1");
        let new = application("new", clusters[1], "2.3.4", "m.io/u/o/a:v1");
        changes(spec, &stream(&[old, new])).lines().filter(|line| line.starts_with("error")).count()
    };
    assert_eq!((errors(["a", "b"]), errors(["a", "a"])), (0, 1));
    // The name without registry is right for the older core alone.
    let refused = |version: &str| {
        let old = application("old", "a", version, "o/a:v1");
        let new = application("new", "b", "2.3.4", "xpkg.upbound.io/o/b:v1");
        let text = changes("rules: [{from: xpkg.upbound.io, to: m.io/u}], packages: {}", &stream(&[new, old]));
        text.contains("refused by the API server")
    };
    assert_eq!((refused("1.19.0"), refused("2.0.0")), (false, true));
}
