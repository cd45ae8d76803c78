//! Flattens a workload of a render to `field -> value`, so that two renders can be compared field by field. Uses
//! `serde_yaml`, because the comparison must not share a reader with the product.

use std::collections::BTreeMap;

use serde::Deserialize as _;
use serde_yaml::Value;

/// Place of a field: the object, the container (empty for pods and Services) and the field's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) object: String,
    pub(crate) container: String,
    pub(crate) field: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} [{}] {}", self.object, self.container, self.field)
    }
}

/// All compared fields of one workload and the Services that select it.
pub(crate) type Fields = BTreeMap<Place, String>;

/// Returns the documents of a stream, without empty ones.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).expect("readable by serde_yaml"))
        .filter(|value| !value.is_null())
        .collect()
}

/// Returns `Kind/namespace/name`, as in pair.yaml.
pub(crate) fn id(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    format!("{}/{}/{}", text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]))
}

/// Returns the object with that id; panics if there is not exactly one.
pub(crate) fn find<'a>(objects: &'a [Value], wanted: &str) -> &'a Value {
    let mut hits = objects.iter().filter(|object| id(object) == wanted);
    let hit = hits.next().unwrap_or_else(|| panic!("no object {wanted}"));
    assert!(hits.next().is_none(), "duplicate object {wanted}");
    hit
}

/// Returns the Services that select the workload's pods.
pub(crate) fn services_of<'a>(objects: &'a [Value], workload: &Value) -> Vec<&'a Value> {
    let labels = &workload["spec"]["template"]["metadata"]["labels"];
    let selects = |service: &&Value| {
        service["kind"] == "Service"
            && service["metadata"]["namespace"] == workload["metadata"]["namespace"]
            && service["spec"]["selector"].as_mapping().is_some_and(|pairs| {
                !pairs.is_empty() && pairs.iter().all(|(key, value)| labels.get(key) == Some(value))
            })
    };
    objects.iter().filter(selects).collect()
}

/// Flattens one workload of a render and its Services.
pub(crate) fn fields(objects: &[Value], workload: &str) -> Fields {
    let object = find(objects, workload);
    let template = &object["spec"]["template"];
    let spec = &template["spec"];
    let mut out = Fields::new();
    let mut put = |object: &str, container: &str, field: String, value: String| {
        let place = Place { object: object.to_owned(), container: container.to_owned(), field };
        let old = out.insert(place.clone(), value);
        assert!(old.is_none(), "two values for {place}");
    };
    put(workload, "", "hostNetwork".into(), show(&spec["hostNetwork"]));
    put(workload, "", "dnsPolicy".into(), show(&spec["dnsPolicy"]));
    if let Some(port) = template["metadata"]["annotations"].get("prometheus.io/port") {
        put(workload, "", "annotations[prometheus.io/port]".into(), show(port));
    }
    for container in containers(spec) {
        let name = container["name"].as_str().expect("a container has a name");
        for (field, value) in container_fields(container) {
            put(workload, name, field, value);
        }
    }
    for service in services_of(objects, object) {
        for port in list(&service["spec"]["ports"]) {
            let target = if port["targetPort"].is_null() { &port["port"] } else { &port["targetPort"] };
            let number = resolve_in_pod(spec, target, protocol(port));
            let key = format!("ports[{}]", show(&port["port"]));
            put(&id(service), "", format!("{key}.targetPort"), number);
        }
    }
    out
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    list(&spec["initContainers"]).iter().chain(list(&spec["containers"]))
}

fn container_fields(container: &Value) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for port in list(&container["ports"]) {
        let number = show(&port["containerPort"]);
        let key = port["name"].as_str().map_or_else(|| number.clone(), str::to_owned);
        out.push((format!("ports[{key}]"), format!("{number}/{}", protocol(port))));
        out.push((format!("ports[{key}].hostPort"), show(&port["hostPort"])));
    }
    out.extend(arguments(container, "command"));
    out.extend(arguments(container, "args"));
    for variable in list(&container["env"]) {
        let mut rest = variable.as_mapping().expect("a variable is a mapping").clone();
        rest.remove("name");
        out.push((format!("env[{}]", show(&variable["name"])), show(&Value::Mapping(rest))));
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let mut value = container[probe].clone();
        if value.is_null() {
            continue;
        }
        for action in ["httpGet", "tcpSocket", "grpc"] {
            if let Some(port) = value.get_mut(action).and_then(|action| action.get_mut("port")) {
                let number =
                    resolve_in_container(container, port).unwrap_or_else(|| format!("nothing: {}", show(port)));
                *port = Value::String(number);
            }
        }
        out.push((probe.to_owned(), show(&value)));
    }
    out
}

/// Groups arguments by flag, because the position of a flag has no meaning. Words that are not flags keep their order,
/// and so do the values of a repeated flag.
fn arguments(container: &Value, field: &str) -> Vec<(String, String)> {
    let mut by_flag: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for argument in list(&container[field]) {
        let text = show(argument);
        let (flag, value) = match text.split_once('=') {
            Some((flag, value)) if flag.starts_with('-') => (flag.to_owned(), value.to_owned()),
            _ if text.starts_with('-') => (text, "(given)".to_owned()),
            _ => ("words".to_owned(), text),
        };
        by_flag.entry(flag).or_default().push(value);
    }
    by_flag.into_iter().map(|(flag, values)| (format!("{field}[{flag}]"), values.join(" "))).collect()
}

fn protocol(port: &Value) -> &str {
    port["protocol"].as_str().unwrap_or("TCP")
}

/// Resolves a probe's port: a number is used directly, a name is looked up only in the same container.
fn resolve_in_container(container: &Value, port: &Value) -> Option<String> {
    if port.is_number() {
        return Some(show(port));
    }
    list(&container["ports"]).iter().find(|candidate| candidate["name"] == *port).map(|hit| show(&hit["containerPort"]))
}

/// Resolves a Service's target port: a name is looked up in the containers, then in the sidecars, with its protocol.
fn resolve_in_pod(spec: &Value, port: &Value, wanted: &str) -> String {
    if port.is_number() {
        return show(port);
    }
    let sidecars = list(&spec["initContainers"]).iter().filter(|container| container["restartPolicy"] == "Always");
    list(&spec["containers"])
        .iter()
        .chain(sidecars)
        .flat_map(|container| list(&container["ports"]))
        .find(|candidate| candidate["name"] == *port && protocol(candidate) == wanted)
        .map_or_else(|| format!("nothing: {}", show(port)), |hit| show(&hit["containerPort"]))
}

fn list(value: &Value) -> &[Value] {
    value.as_sequence().map_or(&[], Vec::as_slice)
}

/// Formats a value on one line; strings without quotes, for readable reports.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) => text.clone(),
        other => serde_json::to_string(other).expect("YAML of a chart is JSON"),
    }
}
