//! Hosts that each form of an entry matches and does not match.

use go_no_proxy::{Decision, DirectReason, Environment, Matcher, proxy_url, useless};

/// Hosts with their ports.
type Hosts = &'static [(&'static str, &'static str)];

/// Lists, the hosts that bypass the proxy, and the hosts that use it.
const ROWS: &[(&str, Hosts, Hosts)] = &[
    ("*", &[("10.1.2.3", "1"), ("a.b", "1"), ("fd00::1", "1")], &[]),
    (".local, *", &[("a.b", "1")], &[]),
    ("*-system", &[], &[("x.crossplane-system", "9443")]),
    ("function-*.ns", &[], &[("function-a.ns", "9443")]),
    ("*.*.svc", &[], &[("a.b.svc", "1")]),
    ("foo.com", &[("foo.com", "443"), ("a.foo.com", "1")], &[("xfoo.com", "443"), ("foo.com.", "443")]),
    (".foo.com", &[("a.foo.com", "443"), ("a.b.foo.com", "443")], &[("foo.com", "443")]),
    ("*.foo.com", &[("a.foo.com", "443")], &[("foo.com", "443")]),
    ("..foo.com", &[], &[("a.foo.com", "443")]),
    ("foo.com:9443", &[("foo.com", "9443"), ("a.foo.com", "9443")], &[("foo.com", "443")]),
    ("10.1.2.3", &[("10.1.2.3", "1")], &[("10.1.2.4", "1"), ("ten.example.com", "1")]),
    ("10.1.2.3:9443", &[("10.1.2.3", "9443")], &[("10.1.2.3", "443")]),
    (
        "10.0.0.0/8",
        &[("10.1.2.3", "1"), ("::ffff:10.0.0.1", "1")],
        &[("x.crossplane-system", "9443"), ("11.0.0.1", "1")],
    ),
    ("10.1.2.3/8", &[("10.9.9.9", "1")], &[]),
    ("10.0.0.0/8:9443", &[], &[("10.1.2.3", "9443")]),
    ("10.", &[], &[("10.1.2.3", "1")]),
    ("10.*", &[], &[("10.1.2.3", "1")]),
    ("010.0.0.0/8", &[], &[("10.1.2.3", "1")]),
    ("10.0.0.0-10.9.9.9", &[], &[("10.1.2.3", "1")]),
    ("fd00::/8", &[("fd00::1", "443")], &[("::1:2", "443")]),
    ("fd00::1", &[("fd00::1", "443")], &[("fd00::2", "443")]),
    ("[fd00::1]:443", &[("fd00::1", "443")], &[("fd00::1", "80")]),
    ("[fd00::/8]", &[], &[("fd00::1", "443")]),
    ("[fd00::1]", &[], &[("fd00::1", "443")]),
    ("::ffff:10.0.0.1", &[("10.0.0.1", "1")], &[]),
    ("fe80::1", &[("fe80::1%eth0", "1")], &[]),
    ("FOO.com", &[("foo.COM", "443")], &[]),
    (" foo.com ,\tbar.com", &[("foo.com", "443"), ("bar.com", "443")], &[]),
    ("foo.com bar.com", &[], &[("foo.com", "443"), ("bar.com", "443")]),
    ("foo.com;bar.com", &[], &[("foo.com", "443")]),
    ("bücher.de", &[("xn--bcher-kva.de", "1"), ("BÜCHER.de", "1")], &[]),
    ("xn--bcher-kva.de", &[("bücher.de", "1")], &[]),
    ("https://foo.com", &[], &[("foo.com", "443")]),
    ("foo.com/", &[], &[("foo.com", "443")]),
    ("foo.com.", &[("foo.com.", "443")], &[("foo.com", "443")]),
    ("\"foo.com\"", &[], &[("foo.com", "1")]),
    (":443", &[], &[("foo.com", "443")]),
    ("<local>", &[], &[("foo", "1")]),
    (
        "",
        &[("localhost", "80"), ("127.0.0.5", "80"), ("::1", "80"), ("::ffff:127.0.0.1", "80")],
        &[("LOCALHOST", "80"), ("localhost.", "80"), ("foo.localhost", "80"), ("0.0.0.0", "80")],
    ),
    // Entries for Crossplane's functions, if names are compared.
    (".crossplane-system", &[("function-x.crossplane-system", "9443")], &[]),
    ("crossplane-system", &[("function-x.crossplane-system", "9443")], &[]),
    ("*.crossplane-system", &[("function-x.crossplane-system", "9443")], &[]),
    ("function-x.crossplane-system:9443", &[("function-x.crossplane-system", "9443")], &[]),
    ("function-x.crossplane-system:443", &[], &[("function-x.crossplane-system", "9443")]),
    (
        ".svc,.svc.cluster.local,.cluster.local,function-x,-system,system",
        &[],
        &[("function-x.crossplane-system", "9443")],
    ),
];

fn decide<'l>(list: &'l str, host: &str, port: &str, matcher: Matcher) -> Decision<'l> {
    Environment { https_proxy: "http://p:3128", no_proxy: list, matcher, ..Environment::default() }
        .decide("https", host, port)
}

#[test]
fn each_entry_matches_the_same_hosts_as_in_go() {
    for (list, direct, proxied) in ROWS {
        for (host, port) in *direct {
            let decision = decide(list, host, port, Matcher::Newest);
            assert!(matches!(decision, Decision::Direct(_)), "{list}: {host}:{port} {decision:?}");
        }
        for (host, port) in *proxied {
            let decision = decide(list, host, port, Matcher::Newest);
            assert!(matches!(decision, Decision::Proxy(_)), "{list}: {host}:{port} {decision:?}");
        }
    }
}

#[test]
fn the_matching_entry_is_reported_as_written() {
    let decision = decide("a.com, .Foo.com ,10.0.0.0/8", "x.foo.com", "443", Matcher::Newest);
    assert_eq!(decision, Decision::Direct(DirectReason::Entry(".Foo.com")));
    assert_eq!(decide("*", "127.0.0.1", "443", Matcher::Newest), Decision::Direct(DirectReason::Local));
}

/// The first entry in the list is reported, regardless of the sorted order of the names.
#[test]
fn the_first_matching_entry_is_reported() {
    for (list, first) in [
        ("com:80,b.com,com,.a.b.com,a.b.com", "b.com"),
        (".a.b.com,b.com:443,com", "b.com:443"),
        ("x.com,a.b.com,.b.com", "a.b.com"),
        ("com:443,com", "com:443"),
        ("com,com:443", "com"),
    ] {
        assert_eq!(
            decide(list, "a.b.com", "443", Matcher::Newest),
            Decision::Direct(DirectReason::Entry(first)),
            "{list}"
        );
    }
}

#[test]
fn before_zones_an_entry_matches_the_end_of_an_address() {
    assert!(matches!(decide("0.0.1", "10.0.0.1", "1", Matcher::BeforeZones), Decision::Direct(_)));
    assert!(matches!(decide("0.0.1", "10.0.0.1", "1", Matcher::Newest), Decision::Proxy(_)));
    assert!(matches!(decide("fe80::1", "fe80::1%eth0", "1", Matcher::BeforeZones), Decision::Proxy(_)));
}

#[test]
fn each_scheme_has_its_own_variable() {
    let only_http = Environment { http_proxy: "http://p:3128", ..Environment::default() };
    assert_eq!(only_http.decide("https", "a.com", ""), Decision::Direct(DirectReason::NoProxyVariable));
    assert!(matches!(only_http.decide("http", "a.com", ""), Decision::Proxy(_)));
    let default_port = Environment { no_proxy: "a.com:80", ..only_http };
    assert_eq!(default_port.decide("http", "a.com", ""), Decision::Direct(DirectReason::Entry("a.com:80")));
}

/// An entry that never matches has a reason; for other entries the function returns `None`.
#[test]
fn useless_entries_are_found() {
    let never = [
        "*-system",
        "function-*.ns",
        "*.*.svc",
        "10.0.0.0/8:9443",
        "10.",
        "10.*",
        "10",
        "10.1",
        "010.0.0.0/8",
        "010.0.0.1",
        "10.0.0.0/33",
        "10.0.0.0-10.9.9.9",
        "[fd00::/8]",
        "[fd00::1]",
        "fe80::1%eth0",
        "a b",
        "a;b",
        "https://foo.com",
        "foo.com/",
        ".",
        "foo.com..",
        "\"foo.com\"",
        ":443",
        "foo.com:https",
        "foo.com:0443",
        "foo.com:70000",
        "<local>",
        "..foo.com",
        "foo..com",
        "1.2.3.4.5",
        "256.1.1.1",
        "",
        "!foo.com",
        "user@foo.com",
        "fd00::1/129",
    ];
    for entry in never {
        assert!(useless(entry).is_some(), "{entry}");
    }
    for (list, direct, _) in ROWS {
        if !list.is_empty() && !list.contains(',') && !direct.is_empty() {
            assert_eq!(useless(list), None, "{list}");
        }
    }
    for fine in [
        "$(KUBERNETES_SERVICE_HOST)",
        "${CLUSTER_CIDR}",
        "a_b.example.com",
        ".cluster.local.",
        "foo.com.",
        "foo.com:",
        "localhost",
        "fd00::/8",
    ] {
        assert_eq!(useless(fine), None, "{fine}");
    }
}

#[test]
fn proxies_are_parsed_like_in_go() {
    let read = |text: &str| proxy_url(text).map(|url| format!("{} {}", url.scheme, url.host));
    for (text, expected) in [
        ("proxy:3128", "http proxy:3128"),
        ("proxy", "http proxy"),
        ("http://proxy", "http proxy"),
        ("HTTPS://proxy:8443/", "https proxy:8443"),
        ("socks5h://p:1080", "socks5h p:1080"),
        ("foo://p", "foo p"),
        ("http://u:p@ss@h:1", "http h:1"),
        ("http://user:pa%23ss@h:1", "http h:1"),
        ("http://user:pa#ss@h:1", "http http:"),
        ("10.0.0.1:3128", "http 10.0.0.1:3128"),
        ("http://", "http http:"),
        ("http://p:80a", "http http:"),
        ("http://[fd00::1]:3128", "http [fd00::1]:3128"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
    for none in [" http://p", "http://p:3128\n", "http://p/%zz"] {
        assert!(read(none).is_err(), "{none:?} {:?}", read(none));
    }
    let before = |text: &str| Matcher::BeforeSchemes.proxy_url(text).map(|url| url.host);
    assert_eq!(before("socks5h://p:1080").as_deref(), Ok("socks5h:"));
    assert_eq!(before("socks5://p:1080").as_deref(), Ok("p:1080"));
    let url = proxy_url("http://u:p@[fd00::1]:3128").unwrap();
    assert_eq!((url.host_name(), url.port(), url.has_password), ("fd00::1", Some("3128"), true));
}
