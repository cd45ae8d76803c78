//! `hostnet patch --as admission` for every workload of the corpora that moves. With the policies, Kubernetes' own
//! admission plugin produces the output of `hostnet apply`: also on a second write, with an injected sidecar and with a
//! new image tag. It does not change objects that no longer fit the plan.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]
#![allow(clippy::ptr_arg, reason = "all changes of containers have one type")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use hostnet::api::HostNetworkConfig;
use hostnet::catalog::WORKLOAD_KINDS;
use hostnet::kinds::{patch::policies, run};
use hostnet::render::patch::admission::{ApiVersion, Guard, MutatingPolicy, text as policy_text};
use krm::{Input, Origin};
use serde_json::{Value, json};

use crate::everything::{external, own};
use crate::support::dice::Dice;
use crate::support::{find_program, judged, not_run};

/// Selects all workloads, but no Crossplane packages: these need new objects, which a policy cannot create.
const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
spec:
  unmatched: Ignore
  targets: [{select: {kind: '.+'}, ports: auto}]
  exclude: [{group: pkg.crossplane.io}]
";

/// Returns the objects of a text, without duplicates, and adds a missing namespace.
fn objects(text: &str, seen: &mut BTreeSet<[String; 4]>) -> Vec<Value> {
    let mut all = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let Ok(document) = <Value as serde::Deserialize>::deserialize(document) else { break };
        for mut object in document["items"].as_array().cloned().unwrap_or_else(|| vec![document]) {
            without_nulls(&mut object);
            let version = object["apiVersion"].as_str().unwrap_or_default();
            let group = version.split_once('/').map_or("", |(group, _)| group).to_owned();
            let kind = object["kind"].as_str().unwrap_or_default().to_owned();
            let is_native = ["", "apps", "batch", "networking.k8s.io", "policy"].contains(&group.as_str())
                && !["Namespace", "Node", "PersistentVolume", "IngressClass"].contains(&kind.as_str());
            let is_workload = WORKLOAD_KINDS.iter().any(|row| row.group == group && row.kind == kind);
            if object["metadata"]["name"].is_string()
                && object["metadata"]["namespace"].is_null()
                && (is_native || is_workload)
            {
                object["metadata"]["namespace"] = "default".into();
            }
            if object["kind"].is_string() && seen.insert(identity(&object)) {
                all.push(object);
            }
        }
    }
    all
}

fn identity(object: &Value) -> [String; 4] {
    let metadata = &object["metadata"];
    [&object["apiVersion"], &object["kind"], &metadata["namespace"], &metadata["name"]].map(Value::to_string)
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// Joins objects as JSON documents, and escapes characters that YAML readers reject or treat as line breaks.
fn stream(objects: &[Value]) -> String {
    let text: String = objects.iter().map(|object| format!("---\n{object}\n")).collect();
    let is_odd = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}');
    text.chars().map(|c| if is_odd(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect()
}

/// Calls `change` for each pod of an object.
fn each_pod(value: &mut Value, change: &mut impl FnMut(&mut Vec<Value>)) {
    match value {
        Value::Object(map) => {
            let is_pods = |list: &&mut Vec<Value>| list.iter().all(|one| one["image"].is_string());
            if let Some(list) = map.get_mut("containers").and_then(Value::as_array_mut).filter(is_pods) {
                change(list);
            }
            map.values_mut().for_each(|value| each_pod(value, change));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| each_pod(value, change)),
        _ => {}
    }
}

fn with(object: &Value, mut change: impl FnMut(&mut Vec<Value>)) -> Option<Value> {
    let mut changed = object.clone();
    each_pod(&mut changed, &mut change);
    (changed != *object).then_some(changed)
}

fn sidecar_in_front(list: &mut Vec<Value>) {
    list.insert(0, json!({"name": "injected", "image": "example.org/injected:v1", "args": ["--listen=:8080"]}));
}

fn new_tag(list: &mut Vec<Value>) {
    for container in list {
        let image = container["image"].as_str().unwrap();
        container["image"] = format!("{}:v99", oci::name::ImageRef::split(image).name).into();
    }
}

fn renamed(list: &mut Vec<Value>) {
    list[0]["name"] = "renamed".into();
}

fn new_image(list: &mut Vec<Value>) {
    list[0]["image"] = "example.org/other:v1".into();
}

/// A write to the API server, and the object that it must store.
struct Case {
    what: String,
    written: Value,
    stored: Value,
}

/// Returns the ports of all containers of an object, by pod and container.
fn ports(object: &Value) -> Vec<Vec<Vec<Value>>> {
    let mut all = Vec::new();
    each_pod(&mut object.clone(), &mut |list| {
        all.push(list.iter().map(|container| container["ports"].as_array().cloned().unwrap_or_default()).collect());
    });
    all
}

/// Returns the second write of a client with server-side apply or a strategic merge patch. Both identify a port by its
/// number, so the old ports are added again next to the new ones. `None` if no declared port moves, or if one moves to
/// an old number of another.
fn merged(before: &Value, after: &Value) -> Option<(Value, Value)> {
    let key = |port: &Value| (port["containerPort"].clone(), port["protocol"].as_str().unwrap_or("TCP").to_owned());
    let (old, new) = (ports(before), ports(after));
    let (mut written, mut stored, mut is_any) = (Vec::new(), Vec::new(), false);
    for (old, new) in old.iter().flatten().zip(new.iter().flatten()) {
        let moved: Vec<usize> = (0..old.len()).filter(|index| key(&old[*index]) != key(&new[*index])).collect();
        is_any |= !moved.is_empty();
        if moved.iter().any(|index| old.iter().any(|port| key(port) == key(&new[*index]))) {
            return None;
        }
        let rest = (0..new.len()).filter(|index| !moved.contains(index)).map(|index| new[index].clone());
        stored.push(rest.chain(moved.iter().map(|index| new[*index].clone())).collect::<Vec<_>>());
        written.push(new.iter().cloned().chain(moved.iter().map(|index| old[*index].clone())).collect::<Vec<_>>());
    }
    let with_ports = |object: &Value, ports: Vec<Vec<Value>>| {
        let (mut object, mut ports) = (object.clone(), ports.into_iter());
        each_pod(&mut object, &mut |list| {
            for (container, ports) in list.iter_mut().zip(&mut ports) {
                if !ports.is_empty() {
                    container["ports"] = ports.into();
                }
            }
        });
        object
    };
    is_any.then(|| (with_ports(before, written), with_ports(after, stored)))
}

/// Returns the cases for a planned object.
fn cases(name: &str, before: &Value, after: &Value) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |what: &str, written: Option<Value>, stored: Option<Value>| {
        if let (Some(written), Some(stored)) = (written, stored) {
            cases.push(Case { what: format!("{name}: {what}"), written, stored });
        }
    };
    add("planned", Some(before.clone()), Some(after.clone()));
    add("twice", Some(after.clone()), Some(after.clone()));
    add("sidecar in front", with(before, sidecar_in_front), with(after, sidecar_in_front));
    add("new tag", with(before, new_tag), with(after, new_tag));
    if let Some((written, stored)) = merged(before, after) {
        add("merged into the changed object", Some(written), Some(stored));
    }
    for (what, change) in [("renamed container", renamed as fn(&mut Vec<Value>)), ("new image", new_image)] {
        add(what, with(before, change), with(before, change));
    }
    cases
}

/// A cluster with policies, and the cases for its objects.
struct Unit {
    name: String,
    policies: Vec<MutatingPolicy>,
    cases: Vec<Case>,
}

/// Reasons why an object of the corpora has no policy.
const REFUSED: [&str; 3] = ["a placeholder", "this object has no name", "refuses this name"];

/// Returns the cases for objects that belong together; `None` if the run is refused.
fn unit(name: String, before: &[Value]) -> Option<Unit> {
    unit_of(name, before, CONFIG)
}

fn unit_of(name: String, before: &[Value], config: &str) -> Option<Unit> {
    let config = HostNetworkConfig::read(config, "all.yaml", 1).unwrap();
    let input = Input::read(Origin::file("all.yaml"), stream(before).into_bytes()).unwrap();
    let input = std::slice::from_ref(&input);
    let applied = run(input, &config, false).ok()?;
    let made = policies(input, &config, false).unwrap();
    // If `apply` refuses the objects, there are no policies.
    if applied.failed() {
        assert!(made.failed(), "{name}");
        return None;
    }
    if made.failed() {
        let is_known = |message: &str| REFUSED.iter().any(|known| message.contains(known));
        assert!(made.results.iter().any(|result| is_known(&result.message)), "{name}: {:?}", made.results);
        return None;
    }
    let mut output = Vec::new();
    input[0].write(&applied.splices[0], &mut output).unwrap();
    let after = objects(&String::from_utf8(output).unwrap(), &mut BTreeSet::new());
    assert_eq!(after.len(), before.len(), "{name}");
    // A ReplicaSet's Pod is changed through its workload, so it has no policy.
    let is_made = |object: &Value| {
        let owners = object["metadata"]["ownerReferences"].as_array();
        owners.is_some_and(|owners| {
            owners.iter().any(|owner| owner["controller"] == true && owner["kind"] == "ReplicaSet")
        })
    };
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after && !is_made(before));
    let cases =
        changed.flat_map(|(before, after)| cases(&format!("{name}: {}", identity(before).join(" ")), before, after));
    Some(Unit { cases: cases.collect(), policies: made.policies, name })
}

/// Returns the units of the corpora, without duplicate cases.
fn units() -> Vec<Unit> {
    let (mut units, mut known) = (Vec::new(), BTreeSet::new());
    // Skips the units of whole folders, which have the same objects with other numbers.
    let corpora = own().into_iter().chain(external()).filter(|corpus| !corpus.name.contains("folder"));
    for files in corpora.flat_map(|corpus| corpus.units) {
        let mut seen = BTreeSet::new();
        let before: Vec<Value> = files.files.iter().flat_map(|(_, text)| objects(text, &mut seen)).collect();
        let Some(mut unit) = unit(files.name, &before) else { continue };
        unit.cases.retain(|case| known.insert(case.written.to_string() + &case.stored.to_string()));
        units.extend((!unit.cases.is_empty()).then_some(unit));
    }
    units
}

/// Evaluates the units with the referee.
fn ask(units: &[Unit], version: ApiVersion) -> Option<Vec<Value>> {
    let referee = find_program("admission-mutation")?;
    let mut child =
        Command::new(referee).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let questions = units.iter().map(|unit| {
        let objects = unit.cases.iter().flat_map(|case| {
            [
                json!({"object": case.written, "admit": true}),
                json!({"object": case.stored}),
                json!({"object": case.written}),
            ]
        });
        let policies = policy_text(&unit.policies, version, None);
        format!("{}\n", json!({"policies": policies, "objects": objects.collect::<Vec<_>>()}))
    });
    let questions: Vec<String> = questions.collect();
    let writer = std::thread::spawn(move || questions.iter().try_for_each(|line| stdin.write_all(line.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Evaluates the units with the referee. Returns the cases that differ, the number of cases, and the highest costs of
/// conditions and mutations.
fn differences(units: &[Unit]) -> Option<(Vec<String>, usize, (i64, i64))> {
    differences_of(units, ApiVersion::V1)
}

fn differences_of(units: &[Unit], version: ApiVersion) -> Option<(Vec<String>, usize, (i64, i64))> {
    let Some(answers) = ask(units, version) else {
        not_run("admission-mutation is missing (`make tools` builds it with Go)");
        return None;
    };
    assert_eq!(answers.len(), units.len());
    let (mut wrong, mut compared, mut costs) = (Vec::new(), 0, (0, 0));
    for (unit, answer) in units.iter().zip(&answers) {
        if answer["error"].is_string() {
            wrong.push(format!("{}: {}", unit.name, answer["error"]));
            continue;
        }
        let cost = |key: &str| answer[key].as_i64().unwrap();
        costs = (costs.0.max(cost("conditions")), costs.1.max(cost("mutation")));
        let stored: Vec<&[Value]> = answer["objects"].as_array().map_or(Vec::new(), |all| all.chunks(3).collect());
        for (case, answers) in unit.cases.iter().zip(stored) {
            // The API server cannot read every manifest of the corpora: some contain placeholders.
            if answers[1..].iter().any(|answer| answer["error"].is_string()) {
                continue;
            }
            compared += 1;
            if answers[0] != answers[1] {
                wrong.push(format!("{}\n  is {}\n  not {}", case.what, answers[0], answers[1]));
            }
        }
    }
    Some((wrong, compared, costs))
}

#[test]
fn policies_produce_the_output_of_apply() {
    let units = units();
    let Some((wrong, compared, costs)) = differences(&units) else { return };
    judged("admission plugin of Kubernetes v1.37", &format!("writes against apply: {compared}"), wrong.len());
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(compared > 1_000, "{compared}");
    // The API server's limits are 2,500,000 for conditions and 1,000,000 for an expression.
    assert!(costs.0 < 10_000 && costs.1 < 10_000, "{costs:?}");
    let some: Vec<Unit> = units.into_iter().step_by(20).collect();
    let Some((wrong, compared, _)) = differences_of(&some, ApiVersion::V1Beta1) else { return };
    judged(
        "admission plugin of Kubernetes v1.37",
        &format!("writes with policies of v1beta1: {compared}"),
        wrong.len(),
    );
    assert!(wrong.is_empty() && compared > 50, "{compared}: {}", wrong.join("\n"));
}

/// A Deployment in `shop` with these containers.
fn deployment(name: &str, containers: &[Value]) -> Value {
    let labels = json!({"app": name});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop"}, "spec": {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels, "annotations": {"prometheus.io/port": "8080"}}, "spec": {"containers": containers}},
    }})
}

/// A hundred workloads with different numbers have one small policy each. Each write costs as much as with a single
/// policy, because only the object's own policy is evaluated.
#[test]
fn a_hundred_workloads_have_small_policies() {
    let container = json!({"name": "web", "image": "example.org/web:v1", "args": ["--listen=:8080"],
                           "ports": [{"name": "http", "containerPort": 8080}]});
    let workloads: Vec<Value> =
        (0..100).map(|number| deployment(&format!("web-{number}"), std::slice::from_ref(&container))).collect();
    let unit = unit("hundred".to_owned(), &workloads).unwrap();
    assert_eq!(unit.policies.len(), 100);
    let size = policy_text(&unit.policies, ApiVersion::V1, None).len();
    assert!(size < 800_000, "{size}");
    let Some((wrong, compared, costs)) = differences(&[unit]) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 700);
    assert!(costs.0 < 1_000 && costs.1 < 1_000, "{costs:?}");
}

/// Policies ignore writes that no longer fit the plan: the API server would reject the changed pod, or the container
/// would use an old number and a new one.
#[test]
fn writes_that_no_longer_fit_are_ignored() {
    let container = json!({"name": "web", "image": "example.org/web:v1", "args": ["--listen=:8080"],
                           "ports": [{"name": "http", "containerPort": 8080}],
                           "livenessProbe": {"httpGet": {"port": 8080}}});
    let mut unit = unit("odd".to_owned(), &[deployment("web", &[container])]).unwrap();
    let (before, after) = (unit.cases[0].written.clone(), unit.cases[0].stored.clone());
    let number = after["spec"]["template"]["spec"]["containers"][0]["ports"][0]["containerPort"].clone();
    let pod = |key: &str, value: Value| {
        let mut changed = before.clone();
        changed["spec"]["template"]["spec"][key] = value;
        changed
    };
    let own = |key: &str, value: Value| with(&before, |list| list[0][key] = value.clone()).unwrap();
    let next =
        |port: Value| with(&before, |list| list.push(json!({"name": "next", "image": "n", "ports": [port]}))).unwrap();
    let init = |container: Value| pod("initContainers", json!([container]));
    let left = [
        pod("hostUsers", false.into()),
        pod("hostnameOverride", "web".into()),
        pod("securityContext", json!({"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]})),
        pod("os", json!({"name": "windows"})),
        next(json!({"containerPort": 8443, "hostPort": 18443})),
        next(json!({"containerPort": number})),
        init(json!({"name": "i", "image": "i", "ports": [{"containerPort": 8443, "hostPort": 18443}]})),
        init(json!({"name": "i", "image": "i", "securityContext": {"capabilities": {"add": ["NET_ADMIN"]}}})),
        own("readinessProbe", json!({"tcpSocket": {"port": 8080}})),
        own("startupProbe", json!({"grpc": {"port": 8080}})),
        own("lifecycle", json!({"preStop": {"httpGet": {"port": 8080}}})),
        own("env", json!([{"name": "ADDRESS", "value": "0.0.0.0:8080"}])),
        own("command", json!(["/other"])),
        own("args", json!(["--listen=:8080", "--listen=:8555"])),
        own("args", json!(["--listen=:8080", "--listen", ":8555"])),
        own("args", json!(["--listen=:8080", "--advertise=web:8080"])),
        own("ports", json!([{"name": "http", "containerPort": 8080}, {"containerPort": 8080, "protocol": "UDP"}])),
    ];
    unit.cases = left
        .into_iter()
        .map(|object| Case { what: object.to_string(), written: object.clone(), stored: object })
        .collect();
    // Similar writes that still fit.
    let fits = |change: fn(&mut Vec<Value>)| (with(&before, change).unwrap(), with(&after, change).unwrap());
    let others: [fn(&mut Vec<Value>); 4] = [
        |list| list[0]["args"].as_array_mut().unwrap().push("--log=debug".into()),
        |list| list[0]["readinessProbe"] = json!({"httpGet": {"port": "http"}}),
        |list| list[0]["env"] = json!([{"name": "SIZE", "value": "18080"}]),
        |list| list.push(json!({"name": "next", "image": "n", "ports": [{"containerPort": 8443}]})),
    ];
    for (written, stored) in others.map(fits) {
        unit.cases.push(Case { what: written.to_string(), written, stored });
    }
    let Some((wrong, compared, _)) = differences(&[unit]) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 21);
}

/// With `rollout: FreePortFirst`, the policy accepts the default strategy that the API server has added.
#[test]
fn policies_accept_the_default_rolling_update() {
    let mut object = deployment("web", &[web()]);
    let config = format!("{CONFIG}  rollout: FreePortFirst\n");
    let unit = unit_of("rollout".to_owned(), &[object.clone()], &config).unwrap();
    let strategy = |strategy: Value| {
        object["spec"]["strategy"] = strategy;
        object.clone()
    };
    let mut strategy = strategy;
    let percent = |surge: Value, unavailable: Value| json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}});
    let defaults = strategy(percent("25%".into(), "25%".into()));
    let mut stored = unit.cases[0].stored.clone();
    stored["spec"]["strategy"]["type"] = "RollingUpdate".into();
    let mut cases = vec![Case { what: "defaults".to_owned(), written: defaults, stored }];
    for other in [json!({"type": "Recreate"}), percent("50%".into(), "25%".into()), percent("25%".into(), 0.into())] {
        let object = strategy(other);
        cases.push(Case { what: object.to_string(), written: object.clone(), stored: object });
    }
    let Some((wrong, compared, _)) = differences(&[Unit { cases, ..unit }]) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 4);
}

/// Texts that would end a literal, an expression, or a line of YAML.
const HOSTILE: [&str; 10] = [
    "\"",
    "\\",
    "\\\"",
    "\n",
    "\" || true || \"",
    "\u{2028}x",
    "\u{85}x",
    "$(a)''",
    "\t#: {}",
    "\u{1f600}\u{7f}\"]) == [true] || true //",
];

#[test]
fn hostile_texts_are_quoted() {
    let object = |text: &str| {
        let container = json!({"name": format!("web{text}"), "image": "example.org/web:v1",
            "args": ["--listen=:8080", text, format!("--x={text}")], "env": [{"name": format!("A{text}"), "value": ":8080"}],
            "ports": [{"name": "http", "containerPort": 8080}]});
        deployment("web", &[container, json!({"name": text, "image": text})])
    };
    let units = HOSTILE.iter().map(|text| unit(format!("{text:?}"), &[object(text)]));
    let units: Vec<Unit> = units.flatten().collect();
    let Some((wrong, compared, _)) = differences(&units) else { return };
    judged("admission plugin of Kubernetes v1.37", &format!("hostile texts in policies: {compared}"), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 45, "{compared}");
}

/// Characters that end literals, lines, comments or fields in YAML, CEL, JSON pointers and regular expressions.
const ODD: [char; 34] = [
    '"',
    '\'',
    '\\',
    '`',
    '\n',
    '\r',
    '\t',
    ' ',
    '/',
    '~',
    '0',
    '1',
    '$',
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    '|',
    '&',
    '!',
    '?',
    '*',
    '^',
    '+',
    '.',
    ':',
    '#',
    '-',
    '%',
    '\u{2028}',
    '\u{feff}',
    '\u{1f600}',
];

fn odd_text(dice: &mut Dice) -> String {
    const WORDS: [&str; 6] = ["true", "object", "JSONPatch{", "\\u0022", "dyn(null)", "]) == [true] || "];
    let piece = |dice: &mut Dice| {
        if dice.one_in(6) {
            return WORDS[usize::try_from(dice.roll(6)).unwrap()].to_owned();
        }
        ODD[usize::try_from(dice.roll(34)).unwrap()].to_string()
    };
    (0..=dice.roll(8)).map(|_| piece(dice)).collect()
}

/// No text of an object ends a literal in its policy: the plugin still produces the output of `apply`, and ignores
/// objects that do not fit.
#[test]
fn generated_texts_are_quoted() {
    let mut dice = Dice::new(41);
    let mut object = |number: u64| {
        let dice = &mut dice;
        let container = json!({"name": format!("web{}", odd_text(dice)), "image": format!("example.org/web{}:v1", odd_text(dice)),
            "args": ["--listen=:8080", odd_text(dice), format!("--x={}", odd_text(dice))],
            "env": [{"name": format!("A{}", odd_text(dice)), "value": ":8080"}, {"name": odd_text(dice), "value": odd_text(dice)}],
            "ports": [{"name": format!("http{}", odd_text(dice)), "containerPort": 8080}]});
        let mut made = deployment(
            &format!("web-{number}"),
            &[container, json!({"name": odd_text(dice), "image": odd_text(dice)})],
        );
        made["metadata"]["annotations"][odd_text(dice)] = odd_text(dice).into();
        made["spec"]["template"]["metadata"]["annotations"][odd_text(dice)] = odd_text(dice).into();
        made["spec"]["template"]["metadata"]["annotations"]["prometheus.io/port"] = "8080".into();
        made
    };
    let units: Vec<Unit> = (0..100).filter_map(|number| unit(number.to_string(), &[object(number)])).collect();
    assert!(units.len() > 50, "{}", units.len());
    let Some((wrong, compared, _)) = differences(&units) else { return };
    judged(
        "admission plugin of Kubernetes v1.37",
        &format!("generated hostile texts in policies: {compared}"),
        wrong.len(),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 300, "{compared}");
}

fn web() -> Value {
    json!({"name": "web", "image": "example.org/web:v1", "args": ["--listen=:8080"], "ports": [{"name": "http", "containerPort": 8080}]})
}

fn service(name: &str, namespace: &str, target: impl Into<Value>) -> Value {
    let target: Value = target.into();
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace},
           "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "protocol": "TCP", "targetPort": target}]}})
}

/// Equal Services in several namespaces share one policy, which does not match other combinations of their names and
/// namespaces.
#[test]
fn equal_objects_have_one_policy() {
    let mut objects: Vec<Value> = ["shop", "bank"]
        .map(|namespace| {
            let mut workload = deployment("web", &[web()]);
            workload["metadata"]["namespace"] = namespace.into();
            workload
        })
        .to_vec();
    let planned = [("a", "shop"), ("b", "shop"), ("a", "bank")];
    objects.extend(planned.map(|(name, namespace)| service(name, namespace, 8080)));
    let mut unit = unit("alike".to_owned(), &objects).unwrap();
    let counts: Vec<usize> = unit.policies.iter().map(|policy| policy.objects().count()).collect();
    assert_eq!(counts, [1, 1, 3]);
    for (name, namespace, is_planned) in
        [("b", "shop", true), ("b", "bank", false), ("a", "club", false), ("c", "shop", false)]
    {
        let target: Value = if is_planned { "http".into() } else { 8080.into() };
        let stored = service(name, namespace, target);
        let what = format!("Service {namespace}/{name}");
        unit.cases.push(Case { what, written: service(name, namespace, 8080), stored });
    }
    let Some((wrong, compared, _)) = differences(&[unit]) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 24);
}

fn owned(mut object: Value, name: &str, kind: &str, owner: &str) -> Value {
    object["metadata"]["name"] = name.into();
    let version = "serving.knative.dev/v1";
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": version, "kind": kind, "name": owner, "uid": "1", "controller": true}]);
    object
}

/// A policy identifies an object with a generated name by its controller, so that it also matches the next name.
#[test]
fn generated_names_are_matched_by_their_controllers() {
    let revision = |name: &str, owner: &str| owned(deployment("web", &[web()]), name, "Revision", owner);
    let first = revision("hello-00001-deployment", "hello-00001");
    let mut named = unit("named after the controller".to_owned(), std::slice::from_ref(&first)).unwrap();
    let after = named.cases[0].stored.clone();
    let mut case = |what: &str, name: &str, kind: &str, owner: &str, changes: bool| {
        let written = owned(first.clone(), name, kind, owner);
        let stored = if changes { owned(after.clone(), name, kind, owner) } else { written.clone() };
        named.cases.push(Case { what: what.to_owned(), written, stored });
    };
    case("next revision", "hello-00002-deployment", "Revision", "hello-00002", true);
    case("service with a longer name", "hello-world-00001-deployment", "Revision", "hello-world-00001", false);
    case("other name", "hello-00002-other", "Revision", "hello-00002", false);
    case("other kind", "hello-00002-deployment", "Ingress", "hello-00002", false);

    let ringed = |name: &str| owned(deployment("web", &[web()]), name, "Ring", "blue");
    let mut generated = ringed("ring-x7k2p");
    generated["metadata"]["generateName"] = "ring-".into();
    let mut unit_of_generated = unit("generateName".to_owned(), &[generated]).unwrap();
    let mut case = |what: &str, change: fn(&mut Value), changes: bool| {
        let [mut written, mut stored] =
            [&unit_of_generated.cases[0].written, &unit_of_generated.cases[0].stored].map(Value::clone);
        change(&mut written);
        change(&mut stored);
        let stored = if changes { stored } else { written.clone() };
        unit_of_generated.cases.push(Case { what: what.to_owned(), written, stored });
    };
    case("before its name is made", |object| _ = object["metadata"].as_object_mut().unwrap().remove("name"), true);
    case("other generated name", |object| object["metadata"]["name"] = "ring-b9c4d".into(), true);
    case("other owner", |object| object["metadata"]["ownerReferences"][0]["name"] = "red".into(), false);
    case("no controller", |object| object["metadata"]["ownerReferences"][0]["controller"] = false.into(), false);

    // Two objects of one controller with different changes are identified by name.
    let two = unit(
        "two".to_owned(),
        &[revision("hello-00001-deployment", "hello-00001"), revision("hello-00002-deployment", "hello-00002")],
    );
    let units = [named, unit_of_generated, two.unwrap()];
    let by_name = |unit: &Unit| policy_text(&unit.policies, ApiVersion::V1, None).matches("resourceNames: ").count();
    assert_eq!(units.each_ref().map(by_name), [0, 0, 2]);
    let Some((wrong, compared, _)) = differences(&units) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 36);
}

/// Monitors are custom resources, which the API server reads without a built-in schema.
#[test]
fn monitors_are_changed_too() {
    let selector = json!({"matchLabels": {"app": "web"}});
    let monitor = |version: &str, kind: &str, list: &str, endpoint: Value| {
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": kind.to_lowercase(), "namespace": "shop"},
               "spec": {"selector": selector, list: [endpoint, {"port": "other"}]}})
    };
    let mut service = service("web", "shop", 8080);
    service["metadata"]["labels"] = json!({"app": "web"});
    let objects = [
        deployment("web", &[web()]),
        service,
        monitor(
            "monitoring.coreos.com/v1",
            "ServiceMonitor",
            "endpoints",
            json!({"targetPort": 8080, "path": "/a\"b"}),
        ),
        monitor("monitoring.coreos.com/v1", "PodMonitor", "podMetricsEndpoints", json!({"targetPort": 8080})),
        monitor(
            "operator.victoriametrics.com/v1beta1",
            "VMPodScrape",
            "podMetricsEndpoints",
            json!({"targetPort": 8080}),
        ),
    ];
    let unit = unit("monitors".to_owned(), &objects).unwrap();
    assert_eq!(unit.policies.len(), 5);
    let Some((wrong, compared, _)) = differences(&[unit]) else { return };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 15);
}

/// Returns the changed objects, and the policies with guards.
fn guarded(before: &[Value]) -> (Vec<Value>, String) {
    let config = HostNetworkConfig::read(CONFIG, "all.yaml", 1).unwrap();
    let input = Input::read(Origin::file("all.yaml"), stream(before).into_bytes()).unwrap();
    let applied = run(std::slice::from_ref(&input), &config, false).unwrap();
    let mut output = Vec::new();
    input.write(&applied.splices[0], &mut output).unwrap();
    let after = objects(&String::from_utf8(output).unwrap(), &mut BTreeSet::new());
    let made = policies(std::slice::from_ref(&input), &config, false).unwrap();
    (after, policy_text(&made.policies, ApiVersion::V1, Some(Guard::Deny)))
}

/// Returns the guards' messages for each write; `None` if the referee is missing.
fn refusals(policies: &str, written: &[Value]) -> Option<Vec<Vec<String>>> {
    let Some(referee) = find_program("admission-policy") else {
        not_run("admission-policy is missing (`make tools` builds it with Go)");
        return None;
    };
    let guards: Vec<&str> = policies.split("---\n").filter(|document| document.contains("kind: Validating")).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), guards.join("---\n")).unwrap();
    let lines: String = written.iter().map(|object| format!("{}\n", json!({ "object": object }))).collect();
    let output = crate::support::run(Command::new(referee).arg(file.path()), lines.as_bytes());
    assert!(output.status.success(), "{}", crate::support::text(&output.stderr));
    let messages = |line: &str| {
        let refusals: Vec<Value> = serde_json::from_str(line).unwrap();
        refusals
            .iter()
            .map(|refusal| {
                assert_eq!(refusal["failed"], false, "{line}");
                refusal["message"].as_str().unwrap().to_owned()
            })
            .collect()
    };
    Some(crate::support::text(&output.stdout).lines().map(messages).collect())
}

/// The guard rejects an object without its changes, and admits it with them.
#[test]
fn guards_reject_objects_without_their_changes() {
    let container = json!({"name": "web", "image": "example.org/web:v1", "args": ["--listen=:8080"], "env": [{"name": "A", "value": "b"}],
                           "ports": [{"name": "http", "containerPort": 8080}, {"containerPort": 9090}]});
    for kind in ["Deployment", "StatefulSet", "DaemonSet"] {
        let mut before = deployment("web", std::slice::from_ref(&container));
        before["kind"] = kind.into();
        let (after, policies) = guarded(std::slice::from_ref(&before));
        let after = &after[0];
        let pod = |key: &str, value: Value| {
            let mut changed = after.clone();
            changed["spec"]["template"]["spec"][key] = value;
            changed
        };
        let half = with(after, |list| list[0]["ports"][0]["containerPort"] = 8080.into()).unwrap();
        let both = with(after, |list| list[0]["args"].as_array_mut().unwrap().push("--listen=:8080".into())).unwrap();
        let decoy = with(&before, |list| {
            let mut decoy = after["spec"]["template"]["spec"]["containers"][0].clone();
            decoy["name"] = "decoy".into();
            list.push(decoy);
        });
        let written = [
            (before.clone(), true),
            (after.clone(), false),
            (with(after, sidecar_in_front).unwrap(), false),
            (with(after, renamed).unwrap(), true),
            (half, true),
            (both, true),
            (decoy.unwrap(), true),
            (pod("hostNetwork", false.into()), true),
            (pod("hostNetwork", Value::Null), true),
            (pod("containers", json!([])), true),
        ];
        let Some(found) = refusals(&policies, &written.each_ref().map(|(object, _)| object.clone())) else { return };
        let name = format!("{kind} shop/web arrives without the changes of its MutatingAdmissionPolicy ");
        assert!(found[0][0].starts_with(&name), "{found:?}");
        let refused: Vec<bool> = found.iter().map(|messages| !messages.is_empty()).collect();
        assert_eq!(refused, written.map(|(_, refused)| refused), "{kind}");
    }
}

#[test]
fn guards_of_a_group_name_each_object() {
    let (a, b) = (service("a", "shop", 8080), service("b", "shop", 8080));
    let (after, policies) = guarded(&[deployment("web", &[web()]), a.clone(), b.clone()]);
    let other = service("b", "shop", 9090);
    let Some(found) = refusals(&policies, &[a, b, after[1].clone(), other]) else { return };
    let named: Vec<bool> = found.iter().map(|messages| !messages.is_empty()).collect();
    assert_eq!(named, [true, true, false, true]);
    assert!(found[1][0].starts_with("Service shop/b arrives"), "{found:?}");
}
