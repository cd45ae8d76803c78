//! Tests of the classifier with invented outputs: all three verdicts, for each reason.

use super::classify::{Ask, Item, Judge, Level, LogEntry, Verdict};
use super::known::Truth;
use super::objects::Objects;

const TRUTH: &str = r#"
project: a/b
version: v1
containers:
- container: Deployment/web/web
  listeners:
  - {number: 8080, settings: [{arg: --port}], source: "a:1"}
  - {number: 9000, settings: [], source: "a:2"}
  not_listeners:
  - {at: "args[1]", number: 6379, why: address of redis, source: "a:3"}
  - {at: env.DB_PORT, number: 5432, why: port of the database, source: "a:4"}
references:
- {object: Service/web, at: "spec.ports[0].targetPort", means: Deployment/web/web:8080}
- {object: Deployment/web, at: "spec.template.spec.containers[0].livenessProbe.httpGet.port", means: Deployment/web/web:8080}
not_references:
- {object: Service/web, at: "spec.ports[0].port"}
"#;

const INPUT: &str = r"
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        args: [--port=8080, --redis=redis:6379]
        env: [{name: DB_PORT, value: '5432'}]
        ports: [{name: http, containerPort: 8080}, {name: extra, containerPort: 9000}]
        livenessProbe: {httpGet: {port: 8080}}
---
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80, targetPort: 8080}]}
";

/// The first listener has moved completely, the second one keeps its number.
const MOVED: &str = r"
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      containers:
      - name: web
        args: [--port=20001, --redis=redis:6379]
        env: [{name: DB_PORT, value: '5432'}]
        ports: [{name: http, containerPort: 20001, hostPort: 20001}, {name: extra, containerPort: 9000, hostPort: 9000}]
        livenessProbe: {httpGet: {port: 20001}}
---
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80, targetPort: 20001}]}
";

fn reported(level: Level, message: &str) -> LogEntry {
    LogEntry { level, object: Some("Deployment/web".to_owned()), message: message.to_owned() }
}

/// A warning that the second listener keeps its number.
fn kept() -> LogEntry {
    reported(Level::Warning, "web listens on 9000 and cannot get another number")
}

fn judge(ask: &Ask, output: &str, log: &[LogEntry]) -> Vec<Item> {
    judge_of(INPUT, ask, output, log)
}

fn judge_of(input: &str, ask: &Ask, output: &str, log: &[LogEntry]) -> Vec<Item> {
    let truth: Truth = serde_yaml::from_str(TRUTH).unwrap();
    let (input, output) = (Objects::read(input), Objects::read(output));
    Judge { truth: &truth, input: &input, output: &output, log, ask }.items()
}

/// Returns the items that are not right.
fn not_right(items: Vec<Item>) -> Vec<(Verdict, String)> {
    let wrong = items.into_iter().filter(|item| item.verdict != Verdict::Right);
    wrong.map(|item| (item.verdict, format!("{}: {}", item.what, item.why))).collect()
}

/// Returns the problems if a text of `MOVED` is replaced.
fn with(old: &str, new: &str) -> Vec<(Verdict, String)> {
    assert!(MOVED.contains(old), "{old}");
    not_right(judge(&Ask::Auto, &MOVED.replace(old, new), &[kept()]))
}

fn single_problem(verdict: Verdict, text: &str) -> Vec<(Verdict, String)> {
    vec![(verdict, text.to_owned())]
}

fn number(to: u16) -> Ask {
    let whose = "Deployment/web/web".to_owned().try_into().unwrap();
    Ask::Number { whose, number: 8080, to }
}

#[test]
fn a_whole_move_is_right() {
    let items = judge(&Ask::Auto, MOVED, &[kept()]);
    assert_eq!(items.len(), 7, "every item is judged");
    assert_eq!(not_right(items), []);
    assert_eq!(not_right(judge(&number(20001), MOVED, &[])), []);
}

#[test]
fn names_of_ports_resolve() {
    assert_eq!(with("targetPort: 20001", "targetPort: http"), []);
    assert_eq!(with("httpGet: {port: 20001}", "httpGet: {port: http}"), []);
    let wrong = with("targetPort: 20001", "targetPort: extra");
    let why = "Service/web spec.ports[0].targetPort: leads to 9000, and the process binds 20001";
    assert_eq!(wrong, single_problem(Verdict::Silent, why));
}

#[test]
fn unreported_kept_ports_are_silently_wrong() {
    let kept = not_right(judge(&Ask::Auto, MOVED, &[]));
    assert_eq!(kept, single_problem(Verdict::Silent, "web/web 9000: keeps its number without a word"));
    let as_info = LogEntry { level: Level::Info, ..self::kept() };
    assert_eq!(not_right(judge(&Ask::Auto, MOVED, &[as_info])).len(), 1, "an info does not count");
    let other = reported(Level::Warning, "web listens on 90001");
    assert_eq!(not_right(judge(&Ask::Auto, MOVED, &[other])).len(), 1, "a message about another number does not count");
    let elsewhere =
        LogEntry { object: Some("Deployment/shop".to_owned()), ..reported(Level::Warning, "9000 of web-shop") };
    assert_eq!(
        not_right(judge(&Ask::Auto, MOVED, &[elsewhere])).len(),
        1,
        "a message about another workload does not count"
    );
}

#[test]
fn reported_kept_ports_are_loud() {
    let words = [kept(), reported(Level::Warning, "web cannot get another number than 8080")];
    let output = INPUT.replace("    spec:\n      containers", "    spec:\n      hostNetwork: true\n      containers");
    let output = output.replace("containerPort: 8080", "containerPort: 8080, hostPort: 8080");
    let output = output.replace("containerPort: 9000", "containerPort: 9000, hostPort: 9000");
    let why = "web/web 8080: keeps its number, though the program's port could be set; reported";
    assert_eq!(not_right(judge(&Ask::Auto, &output, &words)), single_problem(Verdict::Loud, why));
    assert_eq!(not_right(judge(&Ask::Keep, &output, &[])), []);
    let why = "web/web 8080: binds 8080, not 20001";
    assert_eq!(not_right(judge(&number(20001), &output, &[])), single_problem(Verdict::Silent, why));
}

#[test]
fn a_process_that_binds_an_undeclared_port() {
    let why = |text: &str| single_problem(Verdict::Silent, text);
    let declared = "containerPort: 20001, hostPort: 20001";
    assert_eq!(with(declared, "containerPort: 20001"), why("web/web 8080: binds 20001, which is not declared"));
    assert_eq!(
        with(declared, "containerPort: 20001, hostPort: 20002"),
        why("web/web 8080: binds 20001, which is not declared")
    );
    let with_udp = with(declared, "containerPort: 20001, hostPort: 20001, protocol: UDP");
    assert_eq!(with_udp, why("web/web 8080: binds 20001, which is not declared"));
    let half = with("--port=20001", "--port=8080");
    assert_eq!(half.len(), 3, "the listener and both references: {half:?}");
    assert_eq!(half[0], why("web/web 8080: binds 8080, which is not declared")[0]);
}

#[test]
fn a_value_that_the_program_rejects() {
    let wrong = with("--port=20001", "--port=:20001");
    let why = "web/web 8080: the program would not start: `--port` is `:20001`, which is not a `{port}`";
    assert_eq!(wrong[0], (Verdict::Silent, why.to_owned()));
    assert_eq!(with("--port=20001", "--verbose")[0].1, "web/web 8080: what set its number is gone");
}

#[test]
fn other_numbers_must_not_change() {
    let wrong = with("redis:6379", "redis:20001");
    assert_eq!(wrong[0].0, Verdict::Silent);
    assert_eq!(wrong[0].1, "web/web args[1]: `--redis=redis:6379` became `--redis=redis:20001`: address of redis");
    assert_eq!(with("'5432'", "'20001'")[0].1, "web/web env.DB_PORT: `5432` became `20001`: port of the database");
    assert_eq!(with("port: 80,", "port: 20001,")[0].1, "Service/web spec.ports[0].port: `80` became `20001`");
    assert_eq!(with("{name: DB_PORT, value: '5432'}", "")[0].0, Verdict::Silent);
}

#[test]
fn a_reference_that_does_not_follow() {
    let output = MOVED.replace("targetPort: 20001", "targetPort: 8080");
    let why = "Service/web spec.ports[0].targetPort: leads to 8080, and the process binds 20001";
    assert_eq!(not_right(judge(&Ask::Auto, &output, &[kept()])), single_problem(Verdict::Silent, why));
    let words = [kept(), reported(Level::Warning, "Service web still leads to 8080 of Deployment web")];
    let why = format!("{why}; reported");
    assert_eq!(not_right(judge(&Ask::Auto, &output, &words)), single_problem(Verdict::Loud, &why));
}

#[test]
fn a_change_without_a_reason() {
    let wrong = with("dnsPolicy:", "priority: 7\n      dnsPolicy:");
    let why = "Deployment/web spec.template.spec.priority: nothing became `7`, for no reason that the truth knows";
    assert_eq!(wrong, single_problem(Verdict::Silent, why));
    let wrong = with("--port=20001,", "--port=20001, --metrics-port=20002,");
    assert!(
        wrong[0].1.starts_with(
            "Deployment/web spec.template.spec.containers[0].args[1]: nothing became `--metrics-port=20002`"
        ),
        "{wrong:?}"
    );
    assert_eq!(with("--port=20001,", "--port, '20001',"), []);
    let wrong = with("metadata: {name: web}\nspec: {ports", "metadata: {name: web, labels: {a: b}}\nspec: {ports");
    assert_eq!(wrong[0].0, Verdict::Silent);
}

#[test]
fn two_listeners_on_one_number() {
    let output = MOVED.replace("20001", "9000");
    let words = [kept(), reported(Level::Warning, "web 8080")];
    let why = "Deployment/web: 8080 and 9000 of one pod bind 9000 now";
    assert!(not_right(judge(&Ask::Auto, &output, &words)).contains(&(Verdict::Silent, why.to_owned())));
}

#[test]
fn a_refusal_writes_nothing() {
    let error = reported(Level::Error, "no flag of web is known for 8080");
    let why = "web/web 8080: refused";
    assert_eq!(
        not_right(judge(&number(20001), INPUT, std::slice::from_ref(&error))),
        single_problem(Verdict::Loud, why)
    );
    let fixed = match number(20001) {
        Ask::Number { whose, to, .. } => Ask::Number { whose, number: 9000, to },
        other => other,
    };
    assert_eq!(not_right(judge(&fixed, INPUT, std::slice::from_ref(&error))), [], "this number cannot change");
    let why = "the run: refused";
    assert_eq!(not_right(judge(&Ask::Auto, INPUT, std::slice::from_ref(&error))), single_problem(Verdict::Loud, why));
    assert_eq!(judge(&Ask::Auto, MOVED, &[error])[0].verdict, Verdict::Silent, "an error, and it is written");
}

#[test]
fn a_pod_that_does_not_move() {
    let words = reported(Level::Warning, "Deployment web stays in the pod network");
    let left = not_right(judge(&Ask::Auto, INPUT, &[words]));
    assert_eq!(left[0], (Verdict::Loud, "web/web 8080: left in the pod network".to_owned()));
    let left = not_right(judge(&Ask::Auto, INPUT, &[]));
    assert_eq!(left[0], (Verdict::Silent, "web/web 8080: left in the pod network".to_owned()));
}

#[test]
fn a_listener_that_the_manifest_does_not_show() {
    let hidden = |text: &str| text.replace(", {name: extra, containerPort: 9000}", "");
    let output = MOVED.replace(", {name: extra, containerPort: 9000, hostPort: 9000}", "");
    let silent = not_right(judge_of(&hidden(INPUT), &Ask::Auto, &output, &[]));
    assert_eq!(silent, single_problem(Verdict::Silent, "web/web 9000: nothing shows it, and nothing is reported"));
    let words = reported(Level::Info, "not in the catalogue: container web, image example/web");
    let loud = not_right(judge_of(&hidden(INPUT), &Ask::Auto, &output, std::slice::from_ref(&words)));
    let why = "web/web 9000: no evidence shows it, and a message names the container as missing in the catalogue";
    assert_eq!(loud, single_problem(Verdict::Loud, why));
    // If the manifest shows the listener, an unknown program is no excuse.
    let seen = not_right(judge(&Ask::Auto, &output, &[words]));
    assert!(seen.contains(&(Verdict::Silent, "web/web 9000: binds 9000, which is not declared".to_owned())));
}

#[test]
fn an_info_with_a_config_line_counts() {
    let output = MOVED.replace(", {name: extra, containerPort: 9000, hostPort: 9000}", "");
    let words =
        reported(Level::Info, "guesses: 9000. When it is one: `bind: [{container: web, port: 9000}]`, else notListen");
    let loud = not_right(judge(&Ask::Auto, &output, &[words]));
    assert_eq!(loud, single_problem(Verdict::Loud, "web/web 9000: binds 9000, which is not declared; reported"));
}

#[test]
fn a_port_of_the_nodes() {
    let here = |text: &str| text.replace("9000", "10250");
    let truth: Truth = serde_yaml::from_str(&here(TRUTH)).unwrap();
    let input = Objects::read(&here(INPUT));
    let words = [reported(Level::Error, "web, port extra (10250) keeps the port of kubelet on every node")];
    let of =
        |ask: &Ask| not_right(Judge { truth: &truth, input: &input, output: &input, log: &words, ask }.items()).len();
    assert_eq!((of(&Ask::Keep), of(&number(20001))), (0, 0), "the bind would fail");
    assert_eq!(of(&Ask::Auto), 1);
    assert_eq!(not_right(judge(&Ask::Keep, INPUT, &words)).len(), 1, "no listener keeps that port");
}

#[test]
fn a_port_that_no_process_binds() {
    let wrong = with("hostPort: 9000}]", "hostPort: 9000}, {name: new, containerPort: 9990, hostPort: 9990}]");
    assert_eq!(wrong, single_problem(Verdict::Silent, "web/web new: declares 9990, which no process binds"));
    // A port that the manifest declared itself is not reported.
    let port = ", {name: old, containerPort: 9990, hostPort: 9990}]";
    let (input, output) = (
        INPUT.replace("9000}]", &format!("9000}}{port}")),
        MOVED.replace("hostPort: 9000}]", &format!("hostPort: 9000}}{port}")),
    );
    assert_eq!(not_right(judge_of(&input, &Ask::Auto, &output, &[kept()])), []);
}

/// A variable may take its number from a `ConfigMap`: that key may change, but no other.
#[test]
fn a_variable_from_a_config_map() {
    let map = "---\nkind: ConfigMap\nmetadata: {name: web}\ndata: {PORT: '8080', OTHER: '8080'}\n";
    let of_map = |text: &str| text.replace("env:", "envFrom: [{configMapRef: {name: web}}]\n        env:") + map;
    let truth: Truth =
        serde_yaml::from_str(&TRUTH.replace("{arg: --port}", "{env: PORT}").replace("args[1]", "args[0]")).unwrap();
    let input = of_map(&INPUT.replace("--port=8080, ", ""));
    let by_variable = of_map(&MOVED.replace("--port=20001, ", "")).replace("PORT: '8080',", "PORT: '20001',");
    let judged = |output: &str| {
        let (input, output) = (Objects::read(&input), Objects::read(output));
        not_right(Judge { truth: &truth, input: &input, output: &output, log: &[kept()], ask: &Ask::Auto }.items())
    };
    assert_eq!(judged(&by_variable), []);
    let why = "ConfigMap/web data.OTHER: `8080` became `20001`, for no reason that the truth knows";
    assert_eq!(judged(&by_variable.replace("OTHER: '8080'", "OTHER: '20001'")), single_problem(Verdict::Silent, why));
}
