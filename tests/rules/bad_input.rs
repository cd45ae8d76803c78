//! Bad input: every refusal has a place, an expectation and a remedy, ends with exit 1, and loses nothing: standard
//! output stays empty, files stay unchanged, and a `ResourceList` is returned with its items and results.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(clippy::print_stderr, reason = "these are tests")]

use crate::support::manifests::two_ports;
use crate::support::run;

use run::hostnet;
use serde_yaml::Value;

/// A Deployment that listens on two declared ports.
fn deployment(name: &str) -> String {
    two_ports(name, "http", 8080)
}

fn web() -> String {
    deployment("web")
}

/// Crossplane's manager of cluster roles, whose port 8080 is compiled in.
const RBAC_MANAGER: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: crossplane-rbac-manager
  namespace: crossplane-system
spec:
  selector: {matchLabels: {app: crossplane-rbac-manager}}
  template:
    metadata:
      labels: {app: crossplane-rbac-manager}
    spec:
      containers:
      - name: crossplane
        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4
        args: [rbac, start]
        ports:
        - name: metrics
          containerPort: 8080
";

/// A config with this spec.
fn config(spec: &str) -> String {
    format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: bad\nspec:\n{spec}")
}

/// A config with one target, `web`, with these ports.
fn ports(ports: &str) -> String {
    config(&format!("  targets:\n  - select: {{kind: Deployment, name: web}}\n    ports: {ports}\n"))
}

/// Asserts that all ways to call the program refuse the input; returns standard error of a plain run.
fn refusal(config: &str, input: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("config.yaml"), config).unwrap();
    std::fs::write(path("input.yaml"), input).unwrap();

    let plain = hostnet(folder.path(), &["apply", "-c", "config.yaml", "input.yaml"], b"");
    assert_eq!(plain.code, Some(1), "plain: {}{}", plain.text(), plain.stderr);
    assert_eq!(plain.text(), "", "plain");

    let piped = hostnet(folder.path(), &["apply", "-c", "config.yaml", "-"], input.as_bytes());
    assert_eq!(piped.code, Some(1), "pipe: {}", piped.stderr);
    assert_eq!(piped.text(), "", "pipe");

    let in_place = hostnet(folder.path(), &["apply", "-c", "config.yaml", "--in-place", "input.yaml"], b"");
    assert_eq!(in_place.code, Some(1), "in place: {}", in_place.stderr);
    assert_eq!(std::fs::read_to_string(path("input.yaml")).unwrap(), input, "in place");
    let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["config.yaml", "input.yaml"], "no temporary file is left");

    let list = resource_list(Some(config), input);
    resource_list_is_refused(&list);
    plain.stderr
}

/// A `ResourceList` of these documents, with the config after the items, where it is allowed too.
fn resource_list(config: Option<&str>, input: &str) -> String {
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat();
    let item = |text: &str| format!("  -\n{}", indented(text));
    let items: Vec<_> = input.split("---\n").map(item).collect();
    let config = config.map(|text| format!("functionConfig:\n{}", indented(text))).unwrap_or_default();
    format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{}{config}", items.concat())
}

/// Asserts that the host gets back all items, byte for byte, with an error that it can show.
fn resource_list_is_refused(list: &str) {
    let folder = tempfile::tempdir().unwrap();
    let run = hostnet(folder.path(), &[], list.as_bytes());
    let output = run.text();
    assert_eq!(run.code, Some(1), "ResourceList: {output}{}", run.stderr);
    assert!(output.starts_with(list), "ResourceList: the input's bytes come back:\n{output}");
    // Only the appended results are parsed: the items and the config may be invalid YAML.
    let added: Value = serde_yaml::from_str(output.strip_prefix(list).unwrap()).unwrap();
    let results = added["results"].as_sequence().expect("results");
    let error = results.iter().find(|result| result["severity"] == "error").expect("an error among the results");
    let message = error["message"].as_str().unwrap();
    assert!(run.stderr.contains(message.lines().next().unwrap()), "mirrored to stderr: {message}\n{}", run.stderr);
}

/// Asserts a refusal whose message contains all of these words.
fn refused(config: &str, input: &str, words: &[&str]) -> String {
    let message = refusal(config, input);
    for word in words {
        assert!(message.contains(word), "`{word}` is not in:\n{message}");
    }
    // One line for each part of a sentence, because messages are long.
    message.replace(". ", ".\n").replace("; ", ";\n").replace("? ", "?\n")
}

#[test]
fn unknown_config_field() {
    let config = config("  targets:\n  - selct: {kind: Deployment}\n    ports: keep\n");
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":7:", "selct", "select"]), @r#"
        error: config.yaml:7:5: unknown field `selct`: did you mean `select`?
        Known are `select`, `ports`, `program`, `bind`
          |
        7 |   - selct: {kind: Deployment}
          |     ^
    "#);
}

#[test]
fn unknown_field_in_a_select() {
    let config = config("  targets:\n  - select: {kind: Deployment, nmae: web}\n");
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":7:", "nmae", "name"]), @r#"
        error: config.yaml:7:32: unknown field `nmae`: did you mean `name`?
        Known are `group`, `version`, `kind`, `name`, `namespace`, `labelSelector`, `annotationSelector`, `calledByApiServer`
          |
        7 |   - select: {kind: Deployment, nmae: web}
          |                                ^
    "#);
}

#[test]
fn unknown_field_at_the_top() {
    let config = format!("{}  targets: [{{select: {{name: web}}}}]\nspce: 1\n", config(""));
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":7:", "spce", "spec"]), @r#"
        error: config.yaml:7:1: unknown field `spce`: did you mean `spec`?
        Known are `apiVersion`, `kind`, `metadata`, `spec`
          |
        7 | spce: 1
          | ^
    "#);
}

#[test]
fn wrong_kind_of_config() {
    let config = ports("keep").replace("kind: HostNetwork", "kind: HostNetwrk");
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":2:", "HostNetwrk", "HostNetwork"]), @r#"
        error: config.yaml:2:7: kind is `HostNetwrk`: did you mean `HostNetwork`?
          |
        2 | kind: HostNetwrk
          |       ^
    "#);
}

#[test]
fn config_that_is_not_yaml() {
    let broken = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec: {targets: [\n";
    let run = run::apply(broken, &web());
    assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("config.yaml:"), "{}", run.stderr);
}

#[test]
fn port_out_of_range() {
    refused(&ports("{http: 70000}"), &web(), &["config.yaml", ":8:", "70000", "65535"]);
    refused(&ports("{http: 0}"), &web(), &["config.yaml", ":8:", "65535"]);
    refused(&ports("{http: -1}"), &web(), &["config.yaml", ":8:", "-1", "65535"]);
    refused(&ports("{http: 80.5}"), &web(), &["config.yaml", ":8:", "80.5", "65535"]);
}

/// A message has a place and a reason only once, and words between two places.
#[test]
fn nothing_is_reported_twice() {
    let folder = tempfile::tempdir().unwrap();
    let reported = |arguments: &[&str]| hostnet(folder.path(), arguments, b"").stderr;
    std::fs::write(folder.path().join("config.yaml"), ports("{http: 70000}")).unwrap();
    insta::assert_snapshot!(reported(&["apply", "-c", "config.yaml", "nope"]), @"error: nope: No such file or directory (os error 2)");
    insta::assert_snapshot!(refusal(&ports("{http: 70000}"), &web()), @r#"
        error: config.yaml:8:19: `70000` is not a port: ports are numbers from 1 to 65535
          |
        8 |     ports: {http: 70000}
          |                   ^
    "#);
    insta::assert_snapshot!(refusal(&ports("{http: 20080, http: 20081}"), &web()), @r#"
        error: config.yaml:8:26: `http` is given twice; remove one
          |
        8 |     ports: {http: 20080, http: 20081}
          |                          ^
    "#);
    insta::assert_snapshot!(refusal(&config("  targets: [{select: {name: [web]}}]\n"), &web()), @r#"
        error: config.yaml:6:29: `name` must be text, not a list: write `name: web`
          |
        6 |   targets: [{select: {name: [web]}}]
          |                             ^
    "#);
    insta::assert_snapshot!(refusal(&config("  targets: [{select: {name: web}}]\n  suppress: [{rule: [mesh, node-port], select: {}, reason: a}]\n"), &web()), @"
    error: config.yaml:7:21: `rule` must be text, not a list: write `rule: mesh`, and an entry for each of the others
      |
    7 |   suppress: [{rule: [mesh, node-port], select: {}, reason: a}]
      |                     ^
    ");
    insta::assert_snapshot!(refusal(&config("  targets: [{select: {name: web}}]\n  targets: []\n"), &web()), @r#"
        error: config.yaml:7:3: `targets` is given twice; remove one
          |
        7 |   targets: []
          |   ^
    "#);
}

#[test]
fn standard_input_is_not_written_in_place() {
    let run = hostnet(std::path::Path::new("."), &["apply", "-c", "config.yaml", "--in-place", "-"], web().as_bytes());
    assert_eq!((run.code, run.text().as_str()), (Some(2), ""));
    assert_eq!(run.stderr, "error: --in-place needs files or folders, and the input is standard input; name them\n");
}

#[test]
fn port_of_another_type() {
    refused(&ports("{http: true}"), &web(), &["config.yaml", ":8:", "65535", "keep"]);
    refused(&ports("[8080]"), &web(), &["config.yaml", ":8:", "keep"]);
    refused(&ports("kep"), &web(), &["config.yaml", ":8:", "kep", "keep"]);
}

#[test]
fn selector_that_is_not_a_regular_expression() {
    let config = config("  targets:\n  - select: {kind: Deployment, name: 'web('}\n");
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":7:", "web(", "regular expression"]), @r#"
        error: config.yaml:7:38: `web(` is not a regular expression (unclosed group);
        `name` takes one that matches the whole name, such as `web|api` or `web-.*`;
        write `\` before a literal character
          |
        7 |   - select: {kind: Deployment, name: 'web('}
          |                                      ^
    "#);
}

#[test]
fn label_selector_that_cannot_be_parsed() {
    let config = config("  targets:\n  - select: {labelSelector: 'app in (web'}\n");
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":7:", "app in (web"]), @r#"
        error: config.yaml:7:29: `app in (web` is not a requirement of a label selector;
        write `key=value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`, `key` or `!key`, with commas between
          |
        7 |   - select: {labelSelector: 'app in (web'}
          |                             ^
    "#);
}

#[test]
fn port_key_that_matches_nothing() {
    insta::assert_snapshot!(refused(&ports("{htpp: 20080}"), &web(), &["config.yaml", ":8:", "htpp", "http"]), @r#"
        error: config.yaml:8:19: `htpp` matches no port of Deployment shop/web;
        did you mean `http`?
        Known are: app/http (8080, other), app/metrics (9090, metrics) [port-key]
        nothing was written, 1 error, 0 warnings
    "#);
    insta::assert_snapshot!(refused(&ports("{ap/http: 20080}"), &web(), &["config.yaml", ":8:", "ap/http", "app/http"]), @r#"
        error: config.yaml:8:22: `ap/http` matches no port of Deployment shop/web;
        did you mean `http`?
        Known are: app/http (8080, other), app/metrics (9090, metrics) [port-key]
        nothing was written, 1 error, 0 warnings
    "#);
    insta::assert_snapshot!(refused(&ports("{9091: 20080}"), &web(), &["config.yaml", ":8:", "9091", "9090"]), @r#"
        error: config.yaml:8:19: `9091` matches no port of Deployment shop/web;
        did you mean `9090`?
        Known are: app/http (8080, other), app/metrics (9090, metrics) [port-key]
        nothing was written, 1 error, 0 warnings
    "#);
}

#[test]
fn two_keys_for_one_listener() {
    let words = ["config.yaml", ":8:", "http", "app/http"];
    insta::assert_snapshot!(refused(&ports("{http: 20080, app/http: 20081}"), &web(), &words), @"
    error: config.yaml:8:36: keys `http` and `app/http` both match Deployment shop/web, container app, port http (8080);
    remove one of the keys [port-key]
    nothing was written, 1 error, 0 warnings
    ");
    insta::assert_snapshot!(refused(&ports("{http: 20080, 8080: 20080}"), &web(), &["http", "8080"]), @"
    error: config.yaml:8:32: keys `http` and `8080` both match Deployment shop/web, container app, port http (8080);
    remove one of the keys [port-key]
    nothing was written, 1 error, 0 warnings
    ");
    insta::assert_snapshot!(refused(&ports("{metrics: 20080, 9090: keep}"), &web(), &["metrics", "9090"]), @"
    error: config.yaml:8:35: keys `metrics` and `9090` both match Deployment shop/web, container app, port metrics (9090);
    remove one of the keys [port-key]
    nothing was written, 1 error, 0 warnings
    ");
}

#[test]
fn one_key_twice() {
    refused(&ports("{http: 20080, http: 20081}"), &web(), &["config.yaml", ":8:", "http"]);
}

#[test]
fn one_number_for_two_listeners_of_a_pod() {
    let words = ["config.yaml", ":8:", "20080", "http", "metrics"];
    insta::assert_snapshot!(refused(&ports("{http: 20080, metrics: 20080}"), &web(), &words), @"
    error: input.yaml:15:11: Deployment shop/web, container app, port http (8080) and Deployment shop/web, container app, port metrics (9090) both get port 20080/TCP (given at config.yaml:8:12);
    on the host network a port number can be used only once per node.
    Give one of them another number in `ports` [port-conflict]
    nothing was written, 1 error, 0 warnings
    ");
}

#[test]
fn a_number_that_another_listener_of_the_pod_keeps() {
    insta::assert_snapshot!(refused(&ports("{http: 9090}"), &web(), &["9090", "http", "metrics"]), @"
    error: input.yaml:15:11: Deployment shop/web, container app, port http (8080) and Deployment shop/web, container app, port metrics (9090) both get port 9090/TCP (given at config.yaml:8:12);
    on the host network a port number can be used only once per node.
    Give one of them another number in `ports` [port-conflict]
    nothing was written, 1 error, 0 warnings
    ");
}

#[test]
fn one_number_key_for_listeners_of_two_objects() {
    let config = config("  targets:\n  - select: {kind: Deployment}\n    ports: {http: 20080}\n");
    let input = format!("{}---\n{}", web(), deployment("api"));
    insta::assert_snapshot!(refused(&config, &input, &["config.yaml", ":8:", "`http`", "web", "api"]), @r#"
        error: config.yaml:8:19: `http` matches 2 listeners, and a number can be given to one only: Deployment shop/web, container app, port http (8080);
        Deployment shop/api, container app, port http (8080).
        Write CONTAINER/PORT, or a target for each object [port-key]
        nothing was written, 1 error, 0 warnings
    "#);
}

#[test]
fn a_listener_whose_port_cannot_be_set() {
    let config = config("  targets:\n  - select: {name: crossplane-rbac-manager}\n    ports: {metrics: 20080}\n");
    insta::assert_snapshot!(refused(&config, RBAC_MANAGER, &["input.yaml", "crossplane-rbac-manager", "8080"]), @"
    error: input.yaml:17:11: Deployment crossplane-system/crossplane-rbac-manager, container crossplane, port metrics (8080): cannot move to 20080: crossplane-rbac-manager has no flag or variable for it in any version.
    Write `metrics: keep`, or leave it out of `ports` [port-setting]
    nothing was written, 1 error, 0 warnings
    ");
}

#[test]
fn a_listener_without_a_known_setting() {
    let input = web().replace("--listen=:8080, ", "");
    insta::assert_snapshot!(refused(&ports("{http: 20080}"), &input, &["input.yaml", "http", "8080", "bind"]), @r#"
    error: input.yaml:14:11: Deployment shop/web, container app, port http (8080): cannot move to 20080: neither the manifest nor the catalogue shows the setting of its number.
    If you know the flag (or variable: `env`), add to the target `bind: [{container: app, port: http, number: 8080, arg: --FLAG-8080}]`, with `value: ":{port}"` for an address.
    Or read it from the help of the program: `docker run --rm example.com/web:v1 --help 2>&1 | hostnet learn -c hostnet.yaml shop/web/app MANIFESTS` [port-setting]
    nothing was written, 1 error, 0 warnings
    "#);
}

#[test]
fn a_select_without_a_condition() {
    let empty = config("  targets:\n  - select: {}\n    ports: keep\n");
    insta::assert_snapshot!(refused(&empty, &web(), &["config.yaml", ":7:", "select"]), @r#"
        error: config.yaml:7:13: an empty select would match everything: give at least one of group, version, kind, name, namespace, labelSelector, annotationSelector, calledByApiServer
          |
        7 |   - select: {}
          |             ^
    "#);
    let missing = config("  targets:\n  - ports: keep\n");
    insta::assert_snapshot!(refused(&missing, &web(), &["config.yaml", ":7:", "select"]), @r#"
        error: config.yaml:7:5: `select` is missing in an item of `targets`: write it as `select: {kind: Deployment, name: web}`
          |
        7 |   - ports: keep
          |     ^
    "#);
}

#[test]
fn no_targets() {
    insta::assert_snapshot!(refused(&config("  unmatched: Warn\n"), &web(), &["config.yaml", "targets"]), @r#"
        error: config.yaml:6:3: `targets` is missing in `spec`: write it as `targets: [{select: {kind: Deployment, name: web}, ports: auto}]`
          |
        6 |   unmatched: Warn
          |   ^
    "#);
}

#[test]
fn a_target_that_matches_nothing_with_unmatched_error() {
    let config = config("  unmatched: Error\n  targets:\n  - select: {kind: Deployment, name: wbe}\n");
    insta::assert_snapshot!(refused(&config, &web(), &["config.yaml", ":8:", "matches no object", "unmatched"]), @"
    error: config.yaml:8:13: this target matches no object of the input.
    No workload or package of the input has `name: wbe`.
    Patterns match whole names, after prefixes and suffixes of kustomize were added;
    write `unmatched: Ignore` in the spec if this is intended [unmatched]
    nothing was written, 1 error, 0 warnings
    ");
}

#[test]
fn no_config_in_a_resource_list() {
    let list = resource_list(None, &web());
    resource_list_is_refused(&list);
    let folder = tempfile::tempdir().unwrap();
    let run = hostnet(folder.path(), &[], list.as_bytes());
    for word in ["kind: HostNetwork", "targets:", "select"] {
        assert!(run.stderr.contains(word), "an example of a config: {}", run.stderr);
    }
    // kpt sends this if the user gave no arguments.
    let empty = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\ndata: {}\n";
    resource_list_is_refused(&resource_list(Some(empty), &web()));
}

#[test]
fn no_config_for_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("input.yaml"), web()).unwrap();
    let run = hostnet(folder.path(), &["apply", "input.yaml"], b"");
    assert!(run.code.is_some_and(|code| code != 0), "{}", run.stderr);
    assert_eq!(run.text(), "");
    let run = hostnet(folder.path(), &["apply", "-c", "absent.yaml", "input.yaml"], b"");
    assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("absent.yaml"), "{}", run.stderr);
}

#[test]
fn standard_input_is_checked_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), ports("{http: 20080}")).unwrap();
    let apply = |flags: &[&str], input: &str| {
        let run = hostnet(folder.path(), &[&["apply", "-c", "config.yaml"], flags].concat(), input.as_bytes());
        let log = run.stderr.contains("standard input: would change");
        assert_eq!(log, flags.contains(&"--check") && run.code == Some(1), "{}", run.stderr);
        (run.code, run.text())
    };
    let done = apply(&["-"], &web()).1;
    for path in [&["-"][..], &[]] {
        let with = |flag: &'static str| [&[flag], path].concat();
        assert_eq!(apply(&with("--check"), &web()), (Some(1), String::new()));
        assert_eq!(apply(&with("--check"), &done), (Some(0), String::new()));
        assert_eq!(apply(&with("--diff"), &done), (Some(0), String::new()));
        assert_eq!(apply(&with("--in-place"), &web()), (Some(2), String::new()));
        let (code, diff) = apply(&with("--diff"), &web());
        assert_eq!(code, Some(0));
        insta::allow_duplicates! { insta::assert_snapshot!(diff, @"
        --- a/stdin
        +++ b/stdin
        @@ -6,10 +6,12 @@
           template:
             metadata: {labels: {app: web}}
             spec:
        +      hostNetwork: true
        +      dnsPolicy: ClusterFirstWithHostNet
               containers:
               - name: app
                 image: example.com/web:v1
        -        args: [--listen=:8080, --metrics-addr=:9090]
        +        args: [--listen=:20080, --metrics-addr=:9090]
                 ports:
        -        - {name: http, containerPort: 8080}
        -        - {name: metrics, containerPort: 9090}
        +        - {name: http, containerPort: 20080, hostPort: 20080}
        +        - {name: metrics, containerPort: 9090, hostPort: 9090}
        "); }
    }
    // The results of a ResourceList are not a change of its objects.
    let list = resource_list(Some(&ports("{http: 20080}")), &done);
    assert_eq!(hostnet(folder.path(), &["apply", "--check", "-"], list.as_bytes()).code, Some(0));
    let list = resource_list(Some(&ports("{nothing: 20080}")), &web());
    for flag in ["--check", "--diff"] {
        let run = hostnet(folder.path(), &["apply", flag, "-"], list.as_bytes());
        assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{flag}: an error");
        assert!(run.stderr.contains("`nothing`"), "{flag}: {}", run.stderr);
    }
}

#[test]
fn unknown_key_of_a_config_map() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  kind: Deployment\n  nam: web\n";
    insta::assert_snapshot!(refused(config, &web(), &["config.yaml", ":6:", "nam", "name"]), @r#"
        error: config.yaml:6:8: unknown key `nam`: did you mean `name`?
        Known are `kind`, `group`, `name`, `namespace`, `labelSelector`, `annotationSelector`, `ports`, `ports.KEY`, `portPool`, `reserved`, `dnsPolicy`, `rollout`, `podSecurity`, `unmatched`, `failOn`, `nodes`, `crossplane.version`
          |
        6 |   nam: web
          |        ^
    "#);
}

#[test]
fn auto_and_one_port_of_a_config_map() {
    let config = |ports: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  kind: Deployment\n  ports: {ports}\n  ports.http: '20080'\n"
        )
    };
    insta::assert_snapshot!(refused(&config("auto"), &web(), &["config.yaml", ":6:", "`ports.http`"]), @r#"
        error: config.yaml:6:10: `ports` is `auto`, which is for all ports, and `ports.http` is for one;
        leave out `ports`, and write `ports.KEY: auto` for each other port that is to move
          |
        6 |   ports: auto
          |          ^
    "#);
    // Ports that `ports` does not name are kept anyway.
    let kept = run::apply(&config("keep"), &web());
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    assert!(kept.text().contains("containerPort: 20080"), "{}", kept.text());
}

#[test]
fn several_documents_of_a_config() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  kind: Deployment\n  ports: keep\n";
    for first in [ports("{http: 20080}"), map.to_owned()] {
        for (second, message) in
            [(ports("auto"), "a second HostNetwork in one file;"), ("targets\n".to_owned(), "this is not a config")]
        {
            let run = run::apply(&format!("{first}---\n{second}"), &web());
            assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
            let line = first.lines().count() + 2;
            assert!(run.stderr.contains(&format!("config.yaml:{line}:1: {message}")), "{}", run.stderr);
        }
    }
    let indented: String = config("  tragets: []\n").lines().map(|line| format!("  {line}\n")).collect();
    for (start, place) in [("", "6:5"), ("\u{feff}", "6:5"), ("---\n", "7:5"), ("# ours\n", "7:5")] {
        let run = run::apply(&format!("{start}{indented}"), &web());
        assert!(
            run.stderr.contains(&format!("config.yaml:{place}: unknown field `tragets`")),
            "{start:?} {}",
            run.stderr
        );
    }
    // Documents without content do not count.
    for (before, after) in [("# ours\n---\n", ""), ("", "---\n"), ("", "---\n# no more\n"), ("---\n---\n", "...\n")] {
        let run = run::apply(&format!("{before}{}{after}", ports("{http: 20080}")), &web());
        assert_eq!(run.code, Some(0), "{before:?} {after:?}: {}", run.stderr);
        let wrong = format!("{before}{}{after}", config("  tragets: []\n"));
        let wrong = run::apply(&wrong, &web());
        let place = format!("config.yaml:{}:3: unknown field `tragets`", before.lines().count() + 6);
        assert!(wrong.stderr.contains(&place), "{before:?} {after:?}: {}", wrong.stderr);
    }
}

#[test]
fn manifest_that_cannot_be_read() {
    let input = format!("{}---\nkind: [Service\n", web());
    let run = run::apply(&ports("{http: 20080}"), &input);
    assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("input.yaml, document 2, line 17, column 7"), "line and column: {}", run.stderr);
    assert!(run.stderr.contains("kind: [Service"), "the line is shown: {}", run.stderr);
}

#[test]
fn manifest_that_is_not_utf8() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), ports("keep")).unwrap();
    let mut bytes = web().into_bytes();
    bytes.extend(b"# \xff\n");
    let run = hostnet(folder.path(), &["apply", "-c", "config.yaml", "-"], &bytes);
    assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("UTF-8") && run.stderr.contains("16"), "{}", run.stderr);
}

#[test]
fn empty_input() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), ports("keep")).unwrap();
    let run = hostnet(folder.path(), &["apply", "-c", "config.yaml", "-"], b"");
    assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{}", run.stderr);
    let run = hostnet(folder.path(), &[], b"");
    assert!(run.code.is_some_and(|code| code != 0), "{}", run.stderr);
    assert_eq!(run.text(), "");
}

#[test]
fn host_port_that_differs() {
    let input = web().replace("containerPort: 8080", "containerPort: 8080, hostPort: 80");
    insta::assert_snapshot!(refused(&ports("keep"), &input, &["input.yaml", "hostPort", "80", "8080"]), @"
    error: input.yaml:14:55: Deployment shop/web, container app, port http (8080): hostPort is 80 and containerPort 8080;
    on the host network both must be equal, and clients of the node use 80.
    Name the port in `ports`: `http: 80` to move the process there, or `http: keep` or `http: auto` to give up 80 [host-port]
    warning: input.yaml:14:11: Deployment shop/web, container app, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it.
    If your nodes run it: write `auto` or another number for `http` in `ports` [node-port]
    nothing was written, 1 error, 1 warning
    ");
}

#[test]
fn one_bad_file_of_two_keeps_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bad = "kind: [Service\n";
    std::fs::write(path("config.yaml"), ports("{http: 20080}")).unwrap();
    std::fs::write(path("a.yaml"), web()).unwrap();
    std::fs::write(path("b.yaml"), bad).unwrap();
    let run = hostnet(folder.path(), &["apply", "-c", "config.yaml", "--in-place", "a.yaml", "b.yaml"], b"");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("b.yaml, line 1, column 7"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(path("a.yaml")).unwrap(), web());
    assert_eq!(std::fs::read_to_string(path("b.yaml")).unwrap(), bad);
}

/// Proof that the program does not simply refuse everything: it accepts the corrected input of the tests above.
#[test]
fn the_good_form_is_accepted() {
    let run = run::apply(&ports("{http: 20080, metrics: 20090}"), &web());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for text in ["--listen=:20080", "--metrics-addr=:20090", "containerPort: 20080, hostPort: 20080"] {
        assert!(run.text().contains(text), "{text}: {}", run.text());
    }
}

/// Files joined without `---` are reported as several objects, not as duplicate keys.
#[test]
fn objects_without_a_separator_are_reported_as_such() {
    let object = |name: &str| format!("apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}}}\n");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), [object("a"), object("b"), object("c")].concat()).unwrap();
    for command in [&["ports", "a.yaml"][..], &["check", "-v", "a.yaml"]] {
        let run = crate::support::run::hostnet(folder.path(), command, b"");
        let log = format!("{}{}", run.text(), run.stderr);
        assert_eq!(log.matches("begin other objects").count(), 1, "{log}");
        assert!(log.contains("lines 4 and 7") && !log.contains("is on line"), "{log}");
    }
}
