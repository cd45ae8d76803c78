//! Reports as HTML pages: `-o html` of `ports --all` and of commands that report findings.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::fmt::Write as _;

use crate::support::run::{Run, hostnet};

/// Names with markup, and with an end of an attribute.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'</td></script>&lt;";

fn run(arguments: &[&str], manifest: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("input.yaml"), manifest).unwrap();
    hostnet(folder.path(), &[arguments, &["--fail-on", "never", "input.yaml"]].concat(), b"")
}

fn page(arguments: &[&str], manifest: &str) -> String {
    let run = run(arguments, manifest);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.text()
}

fn agent(namespace: &str, name: &str, port: u16) -> String {
    format!(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec:\n  template:\n    spec: {{hostNetwork: \
         true, containers: [{{name: a, ports: [{{name: metrics, containerPort: {port}, hostPort: {port}}}]}}]}}\n---\n"
    )
}

const MAP: &[&str] = &["ports", "--all", "-o", "html"];
const CHECK: &[&str] = &["check", "-o", "html"];

#[test]
fn a_row_has_both_sides_and_its_findings() {
    let page = page(MAP, &agent("shop", "agent", 10250));
    let row = page.lines().find(|line| line.contains("shop/DaemonSet/agent")).unwrap();
    assert!(row.starts_with("<tr data-n=\"shop\" data-g=\"*\" data-r=\"metrics\" data-k=\"host-network\">"), "{row}");
    assert!(row.contains("<td>10250/TCP<td>10250/TCP<td>shop/DaemonSet/agent<td>a/metrics<td>host-network"), "{row}");
    assert!(row.contains("<a class=\"error\" href=\"#f0\">node-port</a>"), "{row}");
    assert!(page.contains("<a href=\"https://hostnet.dev/docs/rules/node-port.md\">node-port</a>"), "{page}");
    assert!(page.contains("M10250.5 0v24") && page.contains("<pre tabindex=\"0\">TCP 10250"), "{page}");
}

#[test]
fn a_page_loads_nothing_and_runs_its_own_script_alone() {
    for arguments in [MAP, CHECK] {
        let page = page(arguments, &agent("shop", "agent", 10250));
        let policy = page.split("http-equiv=\"Content-Security-Policy\" content=\"").nth(1).unwrap();
        let policy = policy.split('"').next().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let body = page.split("</style>").nth(1).unwrap();
        for loads in [" src=", "<link", "<iframe", "@import", "url(", " style=", "<img", "<base", " onclick"] {
            assert!(!body.contains(loads), "{loads}");
        }
        assert_eq!(page.matches("<script>").count(), 1);
        let links = body.split("href=\"").skip(1).map(|link| link.split('"').next().unwrap());
        for link in links {
            assert!(link.starts_with('#') || link.starts_with("https://hostnet.dev/docs/rules/"), "{link}");
        }
    }
}

#[test]
fn names_of_the_input_are_escaped_in_the_page() {
    let quoted = format!("'{}'", HOSTILE.replace('\'', "''"));
    let manifest = agent(&quoted, &quoted, 9710).replace("name: a,", &format!("name: {quoted},"));
    let manifest = manifest.replace("name: metrics", &format!("name: {quoted}"));
    let node = format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: {quoted}}}\n---\napiVersion: v1\nkind: Node\nmetadata: {{name: b}}\nspec: {{taints: [{{key: a, effect: NoSchedule}}]}}\n"
    );
    for arguments in [MAP, CHECK] {
        let page = page(arguments, &format!("{manifest}{node}"));
        for markup in ["<img", "onerror=alert(1)>", "</td>", "</script>&"] {
            assert!(!page.contains(markup), "{markup}: {page}");
        }
        assert!(page.contains("&#60;img") || page.contains("&lt;img"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1);
    }
    // Unicode marks that change the direction of text are escaped.
    let turned = agent("shop", "\"a\\u202eb\"", 9710);
    assert!(!page(MAP, &turned).contains('\u{202e}'));
}

#[test]
fn a_page_is_bounded() {
    let many = (0..10_500_u32).fold(String::new(), |mut all, number| {
        let _ = write!(all, "apiVersion: v1\nkind: Service\nmetadata: {{name: s{number}, namespace: shop}}\nspec: {{type: NodePort, ports: [{{port: 1}}]}}\n---\n");
        all
    });
    let page = page(MAP, &many);
    assert_eq!(page.matches("<tr data-n=").count(), 10_000);
    let counts = "10000 holders of ports; 506 more are only in the report with <code>-o json</code>";
    assert!(page.contains(counts), "{:?}", page.lines().find(|line| line.contains("holders of ports")));
    assert!(page.len() < 2_000_000, "{}", page.len());
}

#[test]
fn a_page_of_a_check_has_all_findings() {
    let page = page(CHECK, &agent("shop", "agent", 10250));
    assert!(page.contains("<td class=\"error\">error<td><a href=\"https://hostnet.dev/docs/rules/node-port.md\">node-port</a><td>DaemonSet shop/agent"), "{page}");
    assert!(page.contains("<td>open"), "{page}");
}

#[test]
fn listeners_alone_have_no_page() {
    let refused = run(&["ports", "-o", "html"], &agent("shop", "agent", 9710));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("`-o html` is a page of all holders of ports: add `--all`"), "{}", refused.stderr);
}
