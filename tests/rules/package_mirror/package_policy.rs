//! Pull policies: the times at which Crossplane pulls a package, and the cache file that it reads.

use super::{RULE, changes, core, package, stream};
use crate::support::results;
use crate::support::results::{brief, worded};

const ONE: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";
const LIKE_ONE: &str = "sha256:1111122222222222222222222222222222222222222222222222222222222222";

/// The changed pull policies, and the reports.
fn reported(spec: &str, version: &str, packages: &[String]) -> String {
    let manifest = stream(&[&[core(version, "--debug")], packages].concat());
    let text = changes(&format!("{RULE}, {spec}"), &manifest);
    let lines = text.lines().filter(|line| !line.starts_with(['+', '-']) || line.contains("packagePullPolicy"));
    lines.filter(|line| !line.contains("[package-dependency]")).map(|line| format!("{line}\n")).collect()
}

fn with_policy(policy: &str, name: &str, source: &str) -> String {
    package("Provider", name, source).replace("spec: {", &format!("spec: {{packagePullPolicy: {policy}, "))
}

#[test]
fn the_pull_policy_is_written() {
    let own = [
        package("Provider", "a", "xpkg.crossplane.io/o/a:v1"),
        with_policy("Always", "b", "xpkg.crossplane.io/o/b:v1"),
        with_policy("IfNotPresent", "c", "xpkg.crossplane.io/o/c:v1"),
    ];
    insta::assert_snapshot!(reported("pullPolicy: IfNotPresent", "v2.3.4", &own), @r"
    +spec: {package: 'xpkg.crossplane.io/o/a:v1', packagePullPolicy: IfNotPresent} # kept
    -spec: {packagePullPolicy: Always, package: 'xpkg.crossplane.io/o/b:v1'} # kept
    +spec: {packagePullPolicy: IfNotPresent, package: 'xpkg.crossplane.io/o/b:v1'} # kept
    ");
    assert_eq!(reported("pullPolicy: Keep", "v2.3.4", &own), "");
    let empty = with_policy("", "d", "xpkg.crossplane.io/o/d:v1");
    let text = reported("pullPolicy: IfNotPresent", "v2.3.4", &[empty]);
    assert!(text.contains("+spec: {packagePullPolicy: IfNotPresent"), "a key without a value: {text}");
}

#[test]
fn a_package_that_is_never_pulled_is_read_from_a_file() {
    let own = [
        package("Provider", "a", "xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0"),
        package("Provider", "b", &format!("xpkg.crossplane.io/o/b@{ONE}")),
    ];
    let text = ["v1.19.0", "v1.20.0", "v2.1.0", "v2.2.0"]
        .map(|version| format!("{version}\n{}", reported("pullPolicy: Never", version, &own)));
    insta::assert_snapshot!(worded(text.concat()), @"
    v1.19.0
    +spec: {package: 'registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.0', packagePullPolicy: Never} # kept
    +spec: {package: 'registry.example.com/xpkg/o/b@sha256:1111111111111111111111111111111111111111111111111111111111111111', packagePullPolicy: Never} # kept
    info: Provider a is never pulled: its package.yaml, packed with gzip, has to be /cache/registry.example.com/xpkg/crossplane-contrib/provider-aws-s3:v2.6.gz in the core's container, and its image on every node. Other versions that differ only after the last dot read the same file. From v1.20.0 on the folder is /cache/xpkg, and from v2.2.0 on the file has another name, made of the digest [package-policy]
    info: Provider b is never pulled: its package.yaml, packed with gzip, has to be /cache/registry.example.com/xpkg/o/b@sha256:1111111111111111111111111111111111111111111111111111111111111111.gz in the core's container, and its image on every node. Other versions that differ only after the last dot read the same file. From v1.20.0 on the folder is /cache/xpkg, and from v2.2.0 on the file has another name, made of the digest [package-policy]
    v1.20.0
    +spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0', packagePullPolicy: Never} # kept
    +spec: {package: 'xpkg.crossplane.io/o/b@sha256:1111111111111111111111111111111111111111111111111111111111111111', packagePullPolicy: Never} # kept
    info: Provider a is never pulled: its package.yaml, packed with gzip, has to be /cache/xpkg/xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.gz in the core's container, and its image on every node. Other versions that differ only after the last dot read the same file. From v1.20.0 on the folder is /cache/xpkg, and from v2.2.0 on the file has another name, made of the digest [package-policy]
    info: Provider b is never pulled: its package.yaml, packed with gzip, has to be /cache/xpkg/xpkg.crossplane.io/o/b@sha256:1111111111111111111111111111111111111111111111111111111111111111.gz in the core's container, and its image on every node. Other versions that differ only after the last dot read the same file. From v1.20.0 on the folder is /cache/xpkg, and from v2.2.0 on the file has another name, made of the digest [package-policy]
    v2.1.0
    +spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0', packagePullPolicy: Never} # kept
    +spec: {package: 'xpkg.crossplane.io/o/b@sha256:1111111111111111111111111111111111111111111111111111111111111111', packagePullPolicy: Never} # kept
    info: Provider a is never pulled: its package.yaml, packed with gzip, has to be /cache/xpkg/xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.gz in the core's container, and its image on every node. Other versions that differ only after the last dot read the same file. From v1.20.0 on the folder is /cache/xpkg, and from v2.2.0 on the file has another name, made of the digest [package-policy]
    info: Provider b is never pulled: its package.yaml, packed with gzip, has to be /cache/xpkg/xpkg.crossplane.io/o/b@sha256:1111111111111111111111111111111111111111111111111111111111111111.gz in the core's container, and its image on every node. Other versions that differ only after the last dot read the same file. From v1.20.0 on the folder is /cache/xpkg, and from v2.2.0 on the file has another name, made of the digest [package-policy]
    v2.2.0
    error: standard input:12:1: Provider a is never pulled, and is named by a tag: Crossplane from v2.2.0 on asks the registry for its digest each time, whatever the policy, and reports `package not in cache and pull policy is Never`. Pin it (`digests: Pin`), or write `pullPolicy: IfNotPresent` and have a registry that the core and the nodes reach [package-policy]
    info: Provider b is never pulled: its package.yaml, packed with gzip, has to be /cache/xpkg/xpkg-crossplane-io-o-b-sha256-11111.gz in the core's container, and its image on every node, by its digest [package-policy]
    ");
    let pinned = format!(
        "pullPolicy: Never, digests: Pin, packages: {{'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0': {{digest: '{ONE}', dependsOn: []}}, 'quay.io/crossplane/crossplane:v2.3.4': {{digest: '{ONE}'}}}}"
    );
    insta::assert_snapshot!(brief(reported(&pinned, "v2.3.4", &own[..1])), @"
    +spec: {package: 'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0', packagePullPolicy: Never} # kept
    warning: package-digest (v1.2.1, v1.2.10, xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0)
    info: package-policy Provider a (/cache/xpkg/xpkg-crossplane-io-crossplane-contrib-provider-aws-sha256-11111.gz)
    ");
}

/// From v2.2 on packages become unhealthy if the registry is down; one report names the packages that need the
/// registry.
#[test]
fn registries_needed_at_every_reconciliation_are_reported() {
    let reported = |version: &str, spec: &str| {
        let own = [
            core(version, "--debug"),
            package("Provider", "a", "xpkg.crossplane.io/o/a:v1.2.3"),
            package("Provider", "b", "xpkg.crossplane.io/o/b:v1.2.3"),
            package("Provider", "c", &format!("xpkg.crossplane.io/o/c@{ONE}")),
            package("Provider", "d", "other.example.com/o/d:v1.2.3"),
        ];
        let (_, run) = super::run_all(&format!("{RULE}{spec}"), &stream(&own));
        let all = run.results.iter().filter(|result| result.message.contains("at every reconciliation"));
        all.map(results::line).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(worded(reported("v2.3.4", "")), @"info: Crossplane from v2.2.0 on asks the registry for the digest of a tag at every reconciliation of a package, whatever its pull policy: while registry.example.com is down, 2 packages are unhealthy. `digests: Pin` avoids that for packages in its cache [package-policy]");
    let known = |name: &str| format!("'xpkg.crossplane.io/o/{name}:v1.2.3': {{digest: '{ONE}'}}");
    let pinned = format!(", digests: Pin, packages: {{{}}}", known("a"));
    assert!(reported("v2.3.4", &pinned).contains("one package is unhealthy"), "{}", reported("v2.3.4", &pinned));
    let pinned = format!(", digests: Pin, packages: {{{}, {}}}", known("a"), known("b"));
    assert_eq!((reported("v2.3.4", &pinned), reported("v2.1.0", ""), reported("master", "")), Default::default());
}

#[test]
fn two_packages_with_the_same_cache_file() {
    let own = [
        package("Provider", "a", "xpkg.crossplane.io/o/a:v1.2.3"),
        package("Provider", "b", "xpkg.crossplane.io/o/a:v1.2.4"),
    ];
    let text = reported("pullPolicy: Never", "v2.1.0", &own);
    insta::assert_snapshot!(worded(text.lines().filter(|line| line.starts_with("error")).collect::<String>()), @"error: standard input:17:1: Provider b (xpkg.crossplane.io/o/a:v1.2.4) and Provider a (xpkg.crossplane.io/o/a:v1.2.3) are one file of Crossplane's cache, xpkg.crossplane.io/o/a:v1.2.gz: the second package is installed with the content of the first. Give their versions different numbers before the last dot, or another policy [package-policy]");
    let of = |name: &str| {
        package("Provider", name, &format!("xpkg.crossplane.io/crossplane-contrib/provider-aws-{name}:v2.6.0"))
    };
    let known = |other: &str| {
        format!(
            "packages: {{'xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0': {{digest: '{ONE}'}}, 'xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.6.0': {{digest: '{other}'}}}}"
        )
    };
    insta::assert_snapshot!(worded(reported(&known(LIKE_ONE), "v2.3.4", &[of("s3"), of("ec2")])), @"error: standard input:17:1: Provider ec2 (xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.6.0) and Provider s3 (xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0) are one file of Crossplane's cache, xpkg-crossplane-io-crossplane-contrib-provider-aws-sha256-11111.gz: the second package is installed with the content of the first. Write `packagePullPolicy: Always` for one of them: it then reads no file [package-policy]");
    assert_eq!(reported(&known(&LIKE_ONE.replace("11111", "33333")), "v2.3.4", &[of("s3"), of("ec2")]), "");
    assert_eq!(
        reported(&known(LIKE_ONE), "v2.1.0", &[of("s3"), of("ec2")]),
        "",
        "up to v2.1 the file is that of the revision"
    );
}

#[test]
fn pull_policies_with_an_unexpected_effect() {
    let own = [
        with_policy("IfNotPresent", "a", "xpkg.crossplane.io/o/a:latest"),
        with_policy("Always", "b", &format!("xpkg.crossplane.io/o/b@{ONE}")),
    ];
    let text =
        ["v2.1.0", "v2.3.4"].map(|version| format!("{version}\n{}", reported("pullPolicy: Keep", version, &own)));
    insta::assert_snapshot!(worded(text.concat()), @"
    v2.1.0
    warning: standard input:12:1: Provider a has the tag `latest` and pull policy IfNotPresent, so a newer package is never pulled. Name a version, or write `pullPolicy: Always` [package-policy]
    info: Provider b is named by its digest, so its content never changes: `packagePullPolicy: Always` has no use [package-policy]
    v2.3.4
    info: Provider b is named by its digest, so its content never changes: `packagePullPolicy: Always` has no use [package-policy]
    ");
}
