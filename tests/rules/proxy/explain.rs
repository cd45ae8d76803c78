//! The command `hostnet proxy explain`.

use std::collections::BTreeSet;
use std::process::Command;

use go_no_proxy::Matcher;
use hostnet::catalog::{COMPARES_NAMES_SINCE, Compares, GO_VERSIONS, GRPC_VERSIONS};
use hostnet::proxy::{compares, matcher};
use hostnet::version::ProgramVersion;

use crate::support::{run, text};

/// Standard output followed by standard error, and the exit code.
fn explain(args: &[&str]) -> (String, Option<i32>) {
    let output = run(Command::new(env!("CARGO_BIN_EXE_hostnet")).args(["proxy", "explain"]).args(args), b"");
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

const FUNCTION: &str = "function-x.crossplane-system:9443";

#[test]
fn explain_starts_with_the_verdict() {
    let reported = |args: &[&str]| {
        let (log, code) = explain(args);
        assert_eq!(code, Some(0), "{log}");
        log
    };
    let all = [
        reported(&["10.1.2.3", "--no-proxy", "a.com,10.0.0.0/8"]),
        reported(&["http://web.shop", "--no-proxy", "web.shop:80"]),
        reported(&["fd00::1", "--no-proxy", ".svc"]),
        reported(&["localhost:3000", "--no-proxy", ""]),
        reported(&["example.com", "--no-proxy", "*-com, 10.*"]),
        reported(&["example.com", "--no-proxy", ".svc,{{ .noProxy }}"]),
    ];
    insta::assert_snapshot!(all.concat(), @"
    direct: the entry `10.0.0.0/8` matches 10.1.2.3:443
    direct: the entry `web.shop:80` matches web.shop:80
    proxy: no entry matches [fd00::1]:443
    direct: localhost:3000 is local, and local hosts are always reached directly
    proxy: no entry matches example.com:443
    info: the entry `*-com` never matches: a `*` is allowed only as the whole entry, or as `*.` before a name; it does not match a part of a name
    info: the entry `10.*` never matches: the beginning of an address matches nothing; write a range, such as `10.0.0.0/8`
    unknown: no other entry matches example.com:443, and the value of `{{ .noProxy }}` is not known
    ");
}

#[test]
fn a_function_is_judged_by_the_address_that_its_core_uses() {
    let reported = |list: &str, version: &str| explain(&[FUNCTION, "--no-proxy", list, "--crossplane", version]).0;
    let all = [
        reported(".svc,10.244.0.0/16", "v1.19"),
        reported(".crossplane-system", "v1.14.0"),
        reported("*", "v1.19.3"),
        reported(".svc,10.244.0.0/16", "v1.20.0"),
        reported(".crossplane-system", "v2.3.4"),
        explain(&["function-x.crossplane-system", "--no-proxy", FUNCTION, "--crossplane", "v2"]).0,
        explain(&["function-x.crossplane-system", "--no-proxy", FUNCTION, "--crossplane", "v2.3"]).0,
        explain(&["10.244.1.7:9443", "--no-proxy", "10.244.0.0/16", "--crossplane", "v2.0.2"]).0,
        explain(&["xpkg.crossplane.io", "--no-proxy", ".crossplane.io", "--crossplane", "v1.19"]).0,
    ];
    insta::assert_snapshot!(all.concat(), @r#"
        proxy unless the pods' CIDR is listed: Crossplane v1.19.0 (grpc-go v1.68.0) compares NO_PROXY only with the address of the function's pod; listed are 10.244.0.0/16
        proxy unless the pods' CIDR is listed: Crossplane v1.14.0 (grpc-go v1.59.0) compares NO_PROXY only with the address of the function's pod; no range is listed
        direct: the entry `*` matches function-x.crossplane-system:9443
        proxy: no entry matches function-x.crossplane-system:9443; Crossplane v1.20.0 (grpc-go v1.71.1) compares the name that it dials
        direct: the entry `.crossplane-system` matches function-x.crossplane-system:9443; Crossplane v2.3.4 (grpc-go v1.82.1) compares the name that it dials
        error: `v2` is not a version of Crossplane; write it as `v1.19` or `v2.3.4`
        direct: the entry `function-x.crossplane-system:9443` matches function-x.crossplane-system:9443; Crossplane v2.3.0 (grpc-go v1.80.0) compares the name that it dials
        direct: the entry `10.244.0.0/16` matches 10.244.1.7:9443
        info: Crossplane v2.0.2 (grpc-go v1.71.1) compares NO_PROXY with a function's name, and never with its address: use SERVICE.NAMESPACE:9443
        direct: the entry `.crossplane.io` matches xpkg.crossplane.io:443
        info: xpkg.crossplane.io:443 is not the form by which Crossplane dials a function, SERVICE.NAMESPACE:9443: it is judged like any other host
    "#);
}

/// Other clients use longer names of a function's Service; the core never does.
#[test]
fn longer_names_of_a_function_are_judged_like_its_short_name() {
    let reported = |host: &str, list: &str| explain(&[host, "--no-proxy", list, "--crossplane", "v2.3.4"]).0;
    let all = [
        reported("fn.crossplane-system.svc.cluster.local:9443", ".svc.cluster.local"),
        reported("fn.crossplane-system.svc", ".crossplane-system"),
        reported("fn.crossplane-system.svc:443", ".svc"),
    ];
    insta::assert_snapshot!(all.concat(), @"
    proxy: no entry matches fn.crossplane-system:9443; Crossplane v2.3.4 (grpc-go v1.82.1) compares the name that it dials
    info: Crossplane dials fn.crossplane-system:9443, not fn.crossplane-system.svc.cluster.local; the answer is for the name that Crossplane dials
    direct: the entry `.crossplane-system` matches fn.crossplane-system:9443; Crossplane v2.3.4 (grpc-go v1.82.1) compares the name that it dials
    info: Crossplane dials fn.crossplane-system:9443, not fn.crossplane-system.svc; the answer is for the name that Crossplane dials
    direct: the entry `.svc` matches fn.crossplane-system.svc:443
    info: fn.crossplane-system.svc:443 is not the form by which Crossplane dials a function, SERVICE.NAMESPACE:9443: it is judged like any other host
    ");
}

/// Crossplane dials functions by names without a scheme, and registries by URLs.
#[test]
fn urls_and_public_registries_are_no_functions() {
    let reported = |host: &str, list: &str, version: &str| {
        let reported = explain(&[host, "--no-proxy", list, "--crossplane", version]).0;
        reported.lines().next().unwrap_or_default().to_owned()
    };
    for host in ["https://ghcr.io", "ghcr.io", "https://ghcr.io:443/v2/"] {
        assert_eq!(reported(host, "ghcr.io", "v1.19.0"), "direct: the entry `ghcr.io` matches ghcr.io:443", "{host}");
    }
    assert_eq!(reported("quay.io", "quay.io:443", "v2.3.4"), "direct: the entry `quay.io:443` matches quay.io:443");
    assert_eq!(reported("https://fn.ns", "fn.ns", "v1.19.0"), "direct: the entry `fn.ns` matches fn.ns:443");
    for host in ["fn.ns", "dns:///fn.ns:9443", "ghcr.ns"] {
        let why = reported(host, "fn.ns,ghcr.ns", "v1.19.0");
        assert!(why.starts_with("proxy unless the pods' CIDR is listed"), "{host}: {why}");
    }
}

/// Target names of gRPC, as in `status.endpoint` of a `FunctionRevision` and in Crossplane's errors.
#[test]
fn targets_of_grpc_are_parsed() {
    let reported = |host: &str, version: Option<&str>| {
        let version = version.map(|version| ["--crossplane", version]).into_iter().flatten();
        explain(&[&[host, "--no-proxy", ".ns"][..], &version.collect::<Vec<_>>()].concat()).0
    };
    for (target, plain) in [
        ("dns:///fn.ns:9443", "fn.ns:9443"),
        ("dns:///fn.ns.svc:9443", "fn.ns.svc:9443"),
        ("dns://10.0.0.10:53/fn.ns:9443", "fn.ns:9443"),
        ("dns:///[fd00::1]:9443", "[fd00::1]:9443"),
    ] {
        for version in ["v1.19.0", "v2.3.4"] {
            assert_eq!(reported(target, Some(version)), reported(plain, Some(version)), "{target}");
        }
    }
    let all = [
        reported("dns:///fn.ns.svc:9443", Some("v2.3.4")),
        reported("dns:///fn.ns:9443", None),
        reported("passthrough:///fn.ns:9443", Some("v1.19.0")),
        reported("dns://fn.ns:9443", Some("v2.3.4")),
        reported("dns:///", None),
        reported("unix:///run/fn.sock", None),
    ];
    insta::assert_snapshot!(all.concat(), @"
    direct: the entry `.ns` matches fn.ns:9443; Crossplane v2.3.4 (grpc-go v1.82.1) compares the name that it dials
    info: Crossplane dials fn.ns:9443, not fn.ns.svc; the answer is for the name that Crossplane dials
    direct: the entry `.ns` matches fn.ns:9443
    info: `dns:///` is a target of gRPC: grpc-go before v1.71.0, in Crossplane up to v1.19, compares NO_PROXY with the address of the name. Give `--crossplane VERSION` for a function
    direct: the entry `.ns` matches fn.ns:9443
    info: `passthrough:///` is a target of gRPC that every grpc-go compares by name. Crossplane dials functions by `dns:///`, and no setting changes that
    error: gRPC reads `fn.ns:9443` as a name server; write dns:///fn.ns:9443
    error: `dns:///` names no host; write dns:///HOST:PORT
    error: `unix` has no proxy variable; use http:// or https://, or omit the scheme
    ");
}

#[test]
fn invalid_hosts_and_versions_are_errors() {
    for args in [
        &["", "--no-proxy", "a"][..],
        &["a:b", "--no-proxy", "a"],
        &["a:0", "--no-proxy", "a"],
        &["fd00::1:443:x", "--no-proxy", "a"],
        &["ftp://a", "--no-proxy", "a"],
        &["a b", "--no-proxy", "a"],
        &["a.b", "--no-proxy", "a", "--crossplane", "latest"],
    ] {
        let (log, code) = explain(args);
        assert!(matches!(code, Some(1 | 2)) && log.starts_with("error: "), "{args:?}: {log}");
    }
}

/// The change came with a version of grpc-go; each release of Crossplane is on the correct side of it.
#[test]
fn each_release_compares_like_its_grpc() {
    let mut releases = 0;
    for row in GRPC_VERSIONS {
        let names = ProgramVersion::read(row.grpc).has("v1.71.0") == Some(true);
        assert_eq!(row.compares == Compares::Names, names, "{}", row.grpc);
        for tag in row.crossplane {
            assert_eq!(compares(&ProgramVersion::read(tag)), Some(row.compares), "{tag}");
            releases += 1;
        }
    }
    assert_eq!(releases, 80);
    assert_eq!(COMPARES_NAMES_SINCE, "v1.20.0");
    assert_eq!(compares(&ProgramVersion::read("v1.19.9")), Some(Compares::Addresses));
    assert_eq!(compares(&ProgramVersion::read("v3.0.0")), Some(Compares::Names));
    assert_eq!(compares(&ProgramVersion::read("main")), None);
}

/// Each release is built with one version of Go, which determines the matcher.
#[test]
fn crossplane_release_uses_its_go_matcher() {
    let by_grpc: BTreeSet<&str> = GRPC_VERSIONS.iter().flat_map(|row| row.crossplane).copied().collect();
    let by_go: Vec<&str> = GO_VERSIONS.iter().flat_map(|row| row.crossplane).copied().collect();
    assert_eq!(by_go.iter().copied().collect::<BTreeSet<_>>(), by_grpc);
    assert_eq!(by_go.len(), by_grpc.len(), "each release appears once");
    for (tag, expected) in [
        ("v1.14.0", Matcher::BeforeSchemes),
        ("v1.17.5", Matcher::BeforeSchemes),
        ("v1.17.6", Matcher::Newest),
        ("v1.19.0", Matcher::BeforeZones),
        ("v1.19.1", Matcher::Newest),
        ("v2.3.4", Matcher::Newest),
        ("v9.0.0", Matcher::Newest),
        ("main", Matcher::Newest),
    ] {
        assert_eq!(matcher(&ProgramVersion::read(tag)), expected, "{tag}");
    }
}
