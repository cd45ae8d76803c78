//! Conditions on changed pods and their containers: names, images, ports, and no further use of an old or a new number.

use std::collections::{BTreeMap, BTreeSet};

use super::super::guard::beginnings;
use super::change::{Change, is_changed};
use super::fit::Test;
use crate::api::PortRange;
use crate::model::text::is_placeholder;
use lossless_yaml::{NodeRef, Path, Step, Value};
use oci::name::ImageRef;

/// Lists of containers that have ports.
const LISTS: [&str; 2] = ["containers", "initContainers"];

/// Probes of a container.
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
/// Hooks of a container.
const HOOKS: [&str; 2] = ["postStart", "preStop"];
/// Actions of a probe that have a port.
const HANDLERS: [&str; 3] = ["httpGet", "tcpSocket", "grpc"];

/// Conditions for each pod that changes, and for all of its containers that run as long as the pod.
pub(super) fn tests(object: NodeRef<'_, '_>, changes: &[Change]) -> Result<Vec<(Path, Test)>, String> {
    let mut tests = Vec::new();
    for pod in pods(object, changes) {
        let moves = is_changed(changes, &pod.key("hostNetwork"));
        if moves {
            tests.extend(host_network_tests(&pod));
        }
        for list in LISTS {
            let path = pod.key(list);
            let all = || object.lookup(&path).into_iter().flat_map(NodeRef::items);
            for (index, container) in all().enumerate() {
                let restarts = container.get("restartPolicy").and_then(NodeRef::text) == Some("Always");
                if list == "containers" || restarts {
                    tests.extend(container_tests(&path.item(index), container, changes)?);
                }
            }
            if moves {
                let names = all().filter_map(|container| container.get("name")?.to_value()).collect();
                let numbers = new_numbers(changes).into_iter().map(Value::Int).collect();
                tests.push((path, Test::Others { names, numbers, is_init: list == "initContainers" }));
            }
        }
    }
    Ok(tests)
}

/// Paths of the pods that change.
fn pods(object: NodeRef<'_, '_>, changes: &[Change]) -> BTreeSet<Path> {
    let is_pod = |path: &Path| object.lookup(path)?.get("containers").filter(|list| list.is_sequence()).map(|_| ());
    let enclosing = changes.iter().flat_map(|change| beginnings(change.path()));
    enclosing.filter(|path| is_pod(path).is_some()).collect()
}

/// True if a pod that changes is on the host network already, with a number of `ports: auto`: an earlier policy has
/// changed a part of it.
pub(super) fn was_moved(object: NodeRef<'_, '_>, changes: &[Change]) -> bool {
    let number = |port: NodeRef<'_, '_>, key: &str| u16::try_from(port.get(key)?.as_int()?).ok();
    let is_ours = |port: NodeRef<'_, '_>| {
        number(port, "containerPort").is_some_and(|container_port| {
            PortRange::POOL.contains(container_port) && number(port, "hostPort") == Some(container_port)
        })
    };
    let is_moved = |pod: NodeRef<'_, '_>| {
        let lists = LISTS.into_iter().filter_map(|list| pod.get(list));
        let ports = lists.flat_map(NodeRef::items).filter_map(|container| container.get("ports"));
        pod.get("hostNetwork").and_then(NodeRef::as_bool) == Some(true) && ports.flat_map(NodeRef::items).any(is_ours)
    };
    pods(object, changes).iter().filter_map(|pod| object.lookup(pod)).any(is_moved)
}

/// Conditions on fields that the API server refuses together with `hostNetwork: true`, and on Windows, where pods have
/// no host network.
///
/// Source: kubernetes v1.37 `pkg/apis/core/validation/validation.go` (`validateHostUsers`,
/// `validatePodHostNetworkDeps`, `ValidatePodSpec`).
fn host_network_tests(pod: &Path) -> [(Path, Test); 4] {
    let is = |value: Value| Test::OneOf { absent: value.clone(), values: vec![value] };
    [
        (pod.key("hostUsers"), is(Value::Bool(true))),
        (pod.key("hostnameOverride"), is(Value::Null)),
        (pod.key("os").key("name"), is(Value::from("linux"))),
        (pod.key("securityContext").key("sysctls"), Test::NoNetworkSysctls),
    ]
}

/// Returns tests by which a policy identifies a container.
fn container_tests(path: &Path, container: NodeRef<'_, '_>, changes: &[Change]) -> Result<Vec<(Path, Test)>, String> {
    let mut tests = Vec::new();
    let image = path.key("image");
    if let Some(image) =
        container.get("image").and_then(NodeRef::non_null_text).filter(|_| !is_changed(changes, &image))
    {
        if is_placeholder(image) {
            return Err(format!("{path} has an image with a placeholder, by which a policy cannot identify it"));
        }
        tests.push((path.key("image"), Test::Image(ImageRef::split(image).name.to_owned())));
    }
    let ports = path.key("ports");
    let protocol = |port: NodeRef<'_, '_>| port.get("protocol").and_then(NodeRef::non_null_text).map(str::to_owned);
    let tcp = || "TCP".to_owned();
    let mut numbers: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    let now: Vec<NodeRef<'_, '_>> = container.get("ports").into_iter().flat_map(NodeRef::items).collect();
    for port in &now {
        let number = port.get("containerPort").and_then(NodeRef::as_int);
        numbers.entry(protocol(*port).unwrap_or_else(tcp)).or_default().extend(number);
    }
    for change in changes {
        match change {
            Change::Put { path, new, .. } => {
                let is_number = matches!(path.last(), Some(Step::Key(key)) if key == "containerPort");
                let Some(Step::Item { index, .. }) = path.parent().as_ref().and_then(Path::last).cloned() else {
                    continue;
                };
                let list = path.parent().and_then(|port| port.parent());
                if is_number && list.is_some_and(|list| list.is_same_place(&ports)) {
                    let protocol = now.get(index).and_then(|port| protocol(*port));
                    numbers.entry(protocol.unwrap_or_else(tcp)).or_default().extend(number(new));
                }
            }
            Change::Append { list, values } if list.is_same_place(&ports) => {
                for port in values {
                    let protocol = match port.get("protocol") {
                        Some(Value::Str(protocol)) => protocol.clone(),
                        _ => tcp(),
                    };
                    numbers.entry(protocol).or_default().extend(port.get("containerPort").and_then(number));
                }
            }
            Change::Append { .. } => {}
        }
    }
    tests.push((ports, Test::Ports(numbers.into_iter().map(|(name, all)| (name, ints(all))).collect())));
    tests.extend(old_number_tests(path, container, changes));
    Ok(tests)
}

/// Conditions that a container has no old number in a word, variable, probe or hook where the
/// planned object has no old number, and that it repeats no flag of the plan.
fn old_number_tests(path: &Path, container: NodeRef<'_, '_>, changes: &[Change]) -> Vec<(Path, Test)> {
    let inside: Vec<&Change> = changes.iter().filter(|change| change.is_inside(path)).collect();
    let old: BTreeSet<i64> = inside.iter().flat_map(|change| old_numbers(change)).collect();
    let mut tests = Vec::new();
    for list in ["command", "args"] {
        let list_path = path.key(list);
        let words: Vec<Value> =
            container.get(list).into_iter().flat_map(NodeRef::items).filter_map(NodeRef::to_value).collect();
        let (mut new_words, mut flags) = (Vec::new(), BTreeMap::new());
        for change in &inside {
            let Change::Put { path, new, .. } = change else { continue };
            let Some(Step::Item { index, .. }) = path.last() else { continue };
            if path.parent().is_some_and(|parent| parent.is_same_place(&list_path)) {
                new_words.push(new);
                flags.extend(flag(&words, *index).map(|flag| {
                    let given = words.iter().filter(|word| matches!(word, Value::Str(word) if is_flag(word, &flag)));
                    (flag.clone(), given.count())
                }));
            }
        }
        let mut known: Vec<Value> = Vec::new();
        for word in words.iter().chain(new_words) {
            if matches!(word, Value::Str(text) if has_number(text, &old)) && !known.contains(word) {
                known.push(word.clone());
            }
        }
        let is_kept = !inside.iter().any(|change| change.is_inside(&list_path));
        // The image may contain several programs, so the policy requires the same command.
        if list == "command" && is_kept && !inside.is_empty() {
            let command = if words.is_empty() { Value::Null } else { Value::Seq(words) };
            tests.push((list_path.clone(), Test::Is(command)));
        } else if !old.is_empty() {
            tests.push((list_path.clone(), Test::Words { numbers: old.clone(), known }));
        }
        tests.extend(flags.into_iter().map(|(flag, count)| (list_path.clone(), Test::Flag { flag, count })));
    }
    if old.is_empty() {
        return tests;
    }
    let variables = container.get("env").into_iter().flat_map(NodeRef::items);
    let names = variables
        .filter(|variable| variable.get("value").and_then(NodeRef::text).is_some_and(|text| has_number(text, &old)));
    let names = names.filter_map(|variable| variable.get("name")?.to_value()).collect();
    tests.push((path.key("env"), Test::Variables { numbers: old.clone(), names }));
    // Kubernetes has no hooks by gRPC.
    let probes = PROBES.iter().flat_map(|probe| HANDLERS.map(|handler| path.key(*probe).key(handler)));
    let hooks =
        HOOKS.iter().flat_map(|hook| ["httpGet", "tcpSocket"].map(|kind| path.key("lifecycle").key(*hook).key(kind)));
    let ports = probes.chain(hooks).map(|handler| handler.key("port"));
    let ports = ports.filter(|port| !is_changed(changes, port));
    let below = path.steps().len();
    let fields = ports.map(|port| port.steps().into_iter().skip(below).cloned().collect()).collect();
    tests.push((path.clone(), Test::NoPort { fields, numbers: ints(old) }));
    tests
}

/// Flag of the word at an index of a list of words: the word itself, or the word before it.
fn flag(words: &[Value], index: usize) -> Option<String> {
    let flag = |index: usize| match words.get(index)? {
        Value::Str(word) if word.starts_with('-') => Some(word.split_once('=').map_or(word.as_str(), |(flag, _)| flag)),
        _ => None,
    };
    flag(index).or_else(|| flag(index.checked_sub(1)?)).map(str::to_owned)
}

fn is_flag(word: &str, flag: &str) -> bool {
    word.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Numbers of the old value of a change that its new value does not have.
fn old_numbers(change: &Change) -> BTreeSet<i64> {
    let Change::Put { old: Some(old), new, .. } = change else { return BTreeSet::new() };
    let new = numbers_of(new);
    numbers_of(old).into_iter().filter(|number| !new.contains(number)).collect()
}

/// New port numbers of all changes.
fn new_numbers(changes: &[Change]) -> BTreeSet<i64> {
    let is_host_port = |path: &Path| matches!(path.last(), Some(Step::Key(key)) if key == "hostPort");
    let paths = |change: &Change| match change {
        Change::Put { path, new, .. } if is_host_port(path) => number(new).into_iter().collect::<Vec<_>>(),
        Change::Put { .. } => Vec::new(),
        Change::Append { values, .. } => values.iter().filter_map(|port| number(port.get("hostPort")?)).collect(),
    };
    changes.iter().flat_map(paths).collect()
}

/// The value as an integer; `None` for other types.
fn number(value: &Value) -> Option<i64> {
    if let Value::Int(number) = value { Some(*number) } else { None }
}

/// Converts numbers to values.
fn ints(numbers: impl IntoIterator<Item = i64>) -> Vec<Value> {
    numbers.into_iter().map(Value::Int).collect()
}

/// Port numbers in a value.
fn numbers_of(value: &Value) -> BTreeSet<i64> {
    let words: Vec<&str> = match value {
        Value::Int(number) => return BTreeSet::from([*number]),
        Value::Str(text) => text.split(|c: char| !c.is_ascii_digit()).collect(),
        _ => Vec::new(),
    };
    words.into_iter().filter_map(|word| word.parse().ok()).filter(|number| (1..=65535).contains(number)).collect()
}

/// True if a text contains one of these numbers as a separate number.
fn has_number(text: &str, numbers: &BTreeSet<i64>) -> bool {
    !numbers_of(&Value::from(text)).is_disjoint(numbers)
}
