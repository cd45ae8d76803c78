//! Compares with Go's own matcher on generated lists. `HOSTNET_PAIRS` sets their number; `make referees` uses a
//! million.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Command;

use go_no_proxy::{Decision, Environment, Matcher, client_go_bypasses};

mod generate;

use generate::{Numbers, host, list, port, proxy};
use test_programs::{find_program, judged, not_run, run, text};

fn pairs() -> usize {
    std::env::var("HOSTNET_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(40_000)
}

/// The answers of a Go program, one for each line.
fn answers(program: &str, mode: &str, lines: &[String]) -> Option<Vec<String>> {
    let Some(path) = find_program(program) else {
        not_run(&format!("{program} is missing (`make tools` builds it with Go)"));
        return None;
    };
    let output = run(Command::new(path).arg(mode), (lines.join("\n") + "\n").as_bytes());
    assert!(output.status.success(), "{program}: {}", text(&output.stderr));
    let answers: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len(), "{program} answers each line");
    Some(answers)
}

fn differences(referee: &str, what: &str, lines: &[String], ours: &[String], theirs: &[String]) {
    let different: Vec<String> = (0..lines.len())
        .filter(|&index| ours[index] != theirs[index])
        .map(|index| format!("{:?}: ours {}, Go's {}", lines[index].replace('\x1f', " | "), ours[index], theirs[index]))
        .collect();
    judged(referee, &format!("{what}: {}", lines.len()), different.len());
    let some: Vec<&String> = different.iter().take(40).collect();
    assert!(different.is_empty(), "{} of {} differ: {some:#?}", different.len(), lines.len());
}

fn decisions(program: &str, matcher: Matcher, seed: u64) {
    let mut numbers = Numbers::new(seed);
    let (mut lines, mut ours) = (Vec::new(), Vec::new());
    for index in 0..pairs() {
        let list = list(&mut numbers);
        let (host, port) = (host(&mut numbers, &list), port(&mut numbers));
        let scheme = if index % 5 == 0 { "http" } else { "https" };
        let proxy = "http://proxy:3128";
        let environment = Environment { http_proxy: proxy, https_proxy: proxy, no_proxy: &list, matcher };
        let direct = matches!(environment.decide(scheme, &host, port), Decision::Direct(_));
        ours.push(if direct { "D" } else { "P" }.to_owned());
        lines.push([list.as_str(), scheme, &host, port].join("\x1f"));
    }
    assert!(ours.iter().filter(|one| *one == "D").count() > lines.len() / 20, "too few lists match their host");
    if let Some(theirs) = answers(program, "decide", &lines) {
        differences(program, "hosts and lists of NO_PROXY", &lines, &ours, &theirs);
    }
}

#[test]
fn decisions_match_go() {
    decisions("httpproxy", Matcher::Newest, 7);
}

#[test]
fn decisions_match_go_before_zones() {
    decisions("httpproxy-v0.35.0", Matcher::BeforeZones, 11);
}

#[test]
fn decisions_match_go_before_schemes() {
    decisions("httpproxy-v0.17.0", Matcher::BeforeSchemes, 19);
}

#[test]
fn decisions_match_client_go() {
    let mut numbers = Numbers::new(13);
    let (mut lines, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..pairs() {
        let list = list(&mut numbers);
        let host = host(&mut numbers, &list);
        let environment = Environment { https_proxy: "http://proxy:3128", no_proxy: &list, ..Environment::default() };
        let direct = client_go_bypasses(&list, &host)
            || matches!(environment.decide("https", &host, "443"), Decision::Direct(_));
        ours.push(if direct { "D" } else { "P" }.to_owned());
        lines.push([list.as_str(), &host, "443"].join("\x1f"));
    }
    if let Some(theirs) = answers("proxy-kubernetes", "client-go", &lines) {
        differences("client-go", "hosts and lists of NO_PROXY", &lines, &ours, &theirs);
    }
}

fn proxies(program: &str, matcher: Matcher, seed: u64) {
    let mut numbers = Numbers::new(seed);
    let (mut lines, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..pairs() {
        let value = proxy(&mut numbers);
        let read =
            matcher.proxy_url(&value).map_or_else(|_| "D".to_owned(), |url| format!("{} {}", url.scheme, url.host));
        ours.push(read);
        lines.push(value.replace('\n', "\x1e"));
    }
    if let Some(theirs) = answers(program, "url", &lines) {
        differences(program, "values of HTTPS_PROXY", &lines, &ours, &theirs);
    }
}

#[test]
fn proxy_urls_match_go() {
    proxies("httpproxy", Matcher::Newest, 17);
}

#[test]
fn proxy_urls_match_go_before_schemes() {
    proxies("httpproxy-v0.17.0", Matcher::BeforeSchemes, 23);
}
