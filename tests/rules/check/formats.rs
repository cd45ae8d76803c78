//! Report formats for other programs.

use super::{on_host, report};
use hostnet::render::check::{Root, fingerprint, github, json, sarif};
use insta::assert_snapshot;

const PORT: &str = "ports: [{name: http, containerPort: 10250, hostPort: 10250}]";

fn manifest() -> String {
    [on_host("a", PORT).replace("kind: Deployment", "kind: DaemonSet"), on_host("b", PORT)].concat()
}

fn root() -> Root {
    Root::new("/src/repo".into(), "/src/repo/de ploy".into())
}

#[test]
fn commands_for_githubs_runners() {
    assert_snapshot!(github(&report("{select: [{name: b}]}", &manifest()), &root()), @"
    ::error title=port-conflict,file=de ploy/a.yaml,line=15,col=125::Deployment shop/b, container web and DaemonSet shop/a, container web both use port 10250/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 10250, between: [shop/DaemonSet/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`
    ::error title=node-port,file=de ploy/a.yaml,line=15,col=125::Deployment shop/b, container web, port http (10250) is the port of kubelet on every node: it cannot listen there; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does
    ::notice title=rollout-surge,file=de ploy/a.yaml,line=9,col=1::1 workload needs a spare node to update (one more than replicas, because maxUnavailable is 0 or rounds down to 0): shop/Deployment/b. Give `nodes` in the config to have it checked, or write `maxSurge: 0, maxUnavailable: 1`
    ");
}

#[test]
fn json_has_all_findings() {
    let spec = "{select: [{name: b}], suppress: [{rule: node-port, select: {name: b}, reason: ours}]}";
    assert_snapshot!(serde_json::to_string_pretty(&json(&report(spec, &manifest()))).unwrap(), @r#"
    {
      "findings": [
        {
          "rule": "port-conflict",
          "severity": "error",
          "message": "Deployment shop/b, container web and DaemonSet shop/a, container web both use port 10250/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 10250, between: [shop/DaemonSet/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`",
          "resourceRef": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "b",
            "namespace": "shop"
          },
          "field": {
            "path": "spec.template.spec.containers[0].ports[0]"
          },
          "place": {
            "file": "a.yaml",
            "line": 15,
            "column": 125
          },
          "other": {
            "resourceRef": {
              "apiVersion": "apps/v1",
              "kind": "DaemonSet",
              "name": "a",
              "namespace": "shop"
            },
            "place": {
              "file": "a.yaml",
              "line": 7,
              "column": 125
            }
          },
          "fails": true,
          "fingerprint": "6795b2fa031e5e1f"
        },
        {
          "rule": "node-port",
          "severity": "error",
          "message": "Deployment shop/b, container web, port http (10250) is the port of kubelet on every node: it cannot listen there; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does",
          "resourceRef": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "b",
            "namespace": "shop"
          },
          "field": {
            "path": "spec.template.spec.containers[0].ports[0]"
          },
          "place": {
            "file": "a.yaml",
            "line": 15,
            "column": 125
          },
          "suppressed": {
            "by": "config",
            "reason": "ours"
          },
          "fails": false,
          "fingerprint": "8bbaabd232041b21"
        },
        {
          "rule": "rollout-surge",
          "severity": "info",
          "message": "1 workload needs a spare node to update (one more than replicas, because maxUnavailable is 0 or rounds down to 0): shop/Deployment/b. Give `nodes` in the config to have it checked, or write `maxSurge: 0, maxUnavailable: 1`",
          "resourceRef": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "b",
            "namespace": "shop"
          },
          "place": {
            "file": "a.yaml",
            "line": 9,
            "column": 1
          },
          "fails": false,
          "fingerprint": "99c59b8b35072523"
        }
      ],
      "summary": {
        "objects": 2,
        "workloads": 2,
        "notRead": [],
        "error": 1,
        "warning": 0,
        "info": 1,
        "suppressed": 1,
        "fails": true
      }
    }
    "#);
}

/// The complete first result, and the fields that only the second result has.
#[test]
fn sarif_has_places_and_fingerprints() {
    let spec = "{select: [{name: b}], suppress: [{rule: node-port, select: {name: b}, reason: ours}]}";
    let sarif = sarif(&report(spec, &manifest()), &root());
    let results = &sarif["runs"][0]["results"];
    assert_snapshot!(serde_json::to_string_pretty(&results[0]).unwrap(), @r#"
    {
      "ruleId": "port-conflict",
      "ruleIndex": 15,
      "level": "error",
      "message": {
        "text": "Deployment shop/b, container web and DaemonSet shop/a, container web both use port 10250/TCP of their node: if both are put on one node, the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one of the two another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 10250, between: [shop/DaemonSet/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`"
      },
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "de%20ploy/a.yaml",
              "uriBaseId": "%SRCROOT%"
            },
            "region": {
              "startLine": 15,
              "startColumn": 125
            }
          },
          "logicalLocations": [
            {
              "fullyQualifiedName": "shop/apps/Deployment/b",
              "kind": "object"
            },
            {
              "fullyQualifiedName": "shop/apps/Deployment/b#spec.template.spec.containers[0].ports[0]",
              "kind": "member"
            }
          ]
        }
      ],
      "relatedLocations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "de%20ploy/a.yaml",
              "uriBaseId": "%SRCROOT%"
            },
            "region": {
              "startLine": 7,
              "startColumn": 125
            }
          },
          "id": 1,
          "message": {
            "text": "shop/apps/DaemonSet/a"
          },
          "logicalLocations": [
            {
              "fullyQualifiedName": "shop/apps/DaemonSet/a",
              "kind": "object"
            }
          ]
        }
      ],
      "partialFingerprints": {
        "hostnet/v1": "6795b2fa031e5e1f"
      }
    }
    "#);
    assert_snapshot!(results[1]["suppressions"], @r#"[{"kind":"external","justification":"ours"}]"#);
}

#[test]
fn sarif_holds_the_page_of_every_rule_that_ran() {
    let sarif = sarif(&report("{rules: {knative: Disabled}}", &manifest()), &root());
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let ran: Vec<&str> = hostnet::rule::checked().map(|rule| rule.id).filter(|id| *id != "knative").collect();
    assert_eq!(rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect::<Vec<_>>(), ran);
    for rule in rules {
        let page = rule["help"]["markdown"].as_str().unwrap();
        assert!(page.contains("\nBad:\n") && page.contains("\nGood:\n"), "{page}");
    }
}

/// Added lines and another order of objects change no fingerprint of any rule.
#[test]
fn fingerprints_stay_when_lines_move() {
    let folder = super::support::project().join("examples/check/manifests");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let all = [manifest(), read("edge.yaml"), "---\n".to_owned(), read("policy.yaml")].concat();
    let documents: Vec<&str> = all.split("---\n").filter(|document| !document.trim().is_empty()).collect();
    let prints = |documents: &[&str], above: &str| {
        let report = report("{nodes: 1, apiServer: Outside}", &documents.join(&format!("---\n{above}")));
        let prints = report.entries.iter().map(|entry| (entry.rule.id, entry.fingerprint.clone()));
        prints.collect::<std::collections::BTreeSet<_>>()
    };
    let before = prints(&documents, "");
    let rules: std::collections::BTreeSet<&str> = before.iter().map(|(rule, _)| *rule).collect();
    assert!(rules.len() > 5 && before.len() > 10, "{before:?}");
    assert_eq!(before, prints(&documents, &"# a comment\n".repeat(40)));
    let mut turned = documents.clone();
    turned.reverse();
    assert_eq!(before, prints(&turned, ""));
}

/// Code-scanning sites limit the number of results in a run; the worst results are kept.
#[test]
fn sarif_has_the_worst_results_and_counts_the_rest() {
    let mut report = report("{}", &on_host("a", PORT));
    let worst = report.entries[0].clone();
    let last = report.entries.last().unwrap().clone();
    report.entries = std::iter::once(worst.clone()).chain(std::iter::repeat_n(last, 25_002)).collect();
    let sarif = sarif(&report, &root());
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["ruleId"]), (25_000, &worst.rule.id.into()));
    assert_snapshot!(run["invocations"][0]["toolExecutionNotifications"], @r#"[{"level":"note","message":{"text":"3 more findings with the same or a lower severity are left out"}}]"#);
}

/// Findings from standard input have the name of no file, since GitHub requires one, and a single note explains that.
#[test]
fn without_files_a_note_names_the_needs_of_sites() {
    let read = krm::Input::read(krm::Origin::stdin(), on_host("a", PORT).into()).unwrap();
    let today = hostnet::api::Day::read("2026-11-22").unwrap();
    let report = hostnet::kinds::check::run(&mut [read], Vec::new(), &super::Configs::default(), today).unwrap();
    let sarif = sarif(&report, &root());
    let run = &sarif["runs"][0];
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "de%20ploy/standard-input.yaml");
    assert!(place["region"]["startLine"].is_number(), "{place}");
    assert_eq!(
        run["results"][0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
        "shop/apps/Deployment/a"
    );
    assert_snapshot!(run["invocations"][0]["toolExecutionNotifications"], @r#"[{"level":"note","message":{"text":"findings of standard input have no file: give the files, or `--build FOLDER`, to show them next to code"}}]"#);
}

#[test]
fn equal_findings_are_numbered() {
    let mut entries = report("{}", &on_host("a", PORT)).entries;
    let twin = entries[0].clone();
    entries.push(twin);
    fingerprint(&mut entries);
    assert_eq!(entries.last().unwrap().fingerprint, format!("{}#2", entries[0].fingerprint));
}
