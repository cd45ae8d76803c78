//! Reports for programs.

use super::{on_host, report};
use hostnet::render::check::{Root, fingerprint, github, json, sarif};
use insta::assert_snapshot;

const PORT: &str = "ports: [{name: http, containerPort: 10250, hostPort: 10250}]";

fn manifest() -> String {
    [on_host("a", PORT), on_host("b", PORT)].concat()
}

fn root() -> Root {
    Root::new("/src/repo".into(), "/src/repo/de ploy".into())
}

#[test]
fn commands_for_githubs_runners() {
    assert_snapshot!(github(&report("{select: [{name: b}]}", &manifest()), &root()), @"
    ::error title=port-conflict,file=de ploy/a.yaml,line=15,col=125::Deployment shop/b, container web and Deployment shop/a, container web both take 10250/TCP of their node: where they match on a node the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 10250, between: [shop/Deployment/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`
    ::error title=node-port,file=de ploy/a.yaml,line=15,col=125::Deployment shop/b, container web, port http (10250) is the port of kubelet on every node: it cannot listen there; who calls it there is told `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does
    ::notice title=rollout-surge::1 workload needs a spare node to update (one more than replicas, since maxUnavailable comes to 0): shop/Deployment/b. Give `nodes` in the config to have it judged, or write `maxSurge: 0, maxUnavailable: 1`
    ");
}

#[test]
fn json_has_all_of_it() {
    let spec = "{select: [{name: b}], suppress: [{rule: node-port, select: {name: b}, reason: ours}]}";
    assert_snapshot!(serde_json::to_string_pretty(&json(&report(spec, &manifest()))).unwrap(), @r#"
    {
      "findings": [
        {
          "rule": "port-conflict",
          "severity": "error",
          "message": "Deployment shop/b, container web and Deployment shop/a, container web both take 10250/TCP of their node: where they match on a node the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 10250, between: [shop/Deployment/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`",
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
              "kind": "Deployment",
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
          "fingerprint": "34a8e247fa49664c"
        },
        {
          "rule": "node-port",
          "severity": "error",
          "message": "Deployment shop/b, container web, port http (10250) is the port of kubelet on every node: it cannot listen there; who calls it there is told `x509: certificate is valid for NODE, not SVC.NS.svc`. Give it another number, such as `ports: auto` of a HostNetwork does",
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
          "message": "1 workload needs a spare node to update (one more than replicas, since maxUnavailable comes to 0): shop/Deployment/b. Give `nodes` in the config to have it judged, or write `maxSurge: 0, maxUnavailable: 1`",
          "fails": false,
          "fingerprint": "77790f9134783293"
        }
      ],
      "summary": {
        "objects": 2,
        "error": 1,
        "warning": 0,
        "info": 1,
        "suppressed": 1,
        "fails": true
      }
    }
    "#);
}

/// The first result whole, and what the second one has besides.
#[test]
fn sarif_has_places_and_fingerprints() {
    let spec = "{select: [{name: b}], suppress: [{rule: node-port, select: {name: b}, reason: ours}]}";
    let sarif = sarif(&report(spec, &manifest()), &root());
    let results = &sarif["runs"][0]["results"];
    assert_snapshot!(serde_json::to_string_pretty(&results[0]).unwrap(), @r#"
    {
      "ruleId": "port-conflict",
      "ruleIndex": 14,
      "level": "error",
      "message": {
        "text": "Deployment shop/b, container web and Deployment shop/a, container web both take 10250/TCP of their node: where they match on a node the second one stays Pending: `node(s) didn't have free ports for the requested pod ports`. Give one another number, keep them on different nodes by nodeSelector or required anti-affinity, or write `shared: [{port: 10250, between: [shop/Deployment/a, shop/Deployment/b]}]` in a HostNetwork that you give with `-c`"
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
            "text": "shop/apps/Deployment/a"
          },
          "logicalLocations": [
            {
              "fullyQualifiedName": "shop/apps/Deployment/a",
              "kind": "object"
            }
          ]
        }
      ],
      "partialFingerprints": {
        "hostnet/v1": "34a8e247fa49664c"
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
        assert!(page.contains("Bad: ") && page.contains("Good: "), "{page}");
    }
}

/// Lines, the order of objects and numbers change no fingerprint.
#[test]
fn fingerprints_stay_when_lines_move() {
    let prints = |manifest: &str| {
        let report = report("{}", manifest);
        let mut prints: Vec<String> =
            report.entries.iter().filter(|e| e.rule.id == "node-port").map(|e| e.fingerprint.clone()).collect();
        prints.sort();
        prints
    };
    let before = prints(&manifest());
    let moved = ["# a comment\n".repeat(40), on_host("b", PORT), on_host("a", PORT)].concat();
    assert_eq!(before, prints(&moved));
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
}

#[test]
fn findings_that_are_alike_are_numbered() {
    let mut entries = report("{}", &on_host("a", PORT)).entries;
    let twin = entries[0].clone();
    entries.push(twin);
    fingerprint(&mut entries);
    assert_eq!(entries.last().unwrap().fingerprint, format!("{}#2", entries[0].fingerprint));
}
