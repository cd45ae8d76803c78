//! Checks of manifests on the host network, read with `serde_yaml` and without the product's code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize as _;
use serde_yaml::Value;

/// Numbers of checked items, and the problems.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) workloads: usize,
    pub(crate) ports: usize,
    /// Ports of Services that select at least one workload.
    pub(crate) service_ports: usize,
    /// Probes and lifecycle hooks that dial a port.
    pub(crate) probes: usize,
    /// Scrape annotations of pods.
    pub(crate) annotations: usize,
    pub(crate) wrong: Vec<String>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workloads, ports, service_ports, probes, annotations, wrong } = self;
        write!(f, "{workloads} workloads, {ports} ports, {service_ports} Service ports, {probes} probes and hooks, ")?;
        write!(f, "{annotations} scrape annotations")?;
        wrong.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}

/// Checks all workloads of a stream as pods on one node, except those in `left` (`Kind namespace/name`).
pub(crate) fn judge(text: &str, left: &BTreeSet<String>) -> Verdict {
    let objects = documents(text);
    let mut verdict = Verdict::default();
    let runtime = runtime_configs(&objects, left);
    let moved: Vec<&Value> = objects
        .iter()
        .filter(|object| is_workload(object) && !left.contains(&id(object)) || runtime.contains(&id(object)))
        .collect();
    let mut owners = BTreeMap::new();
    let taken = node_ports();
    for workload in &moved {
        verdict.workloads += 1;
        verdict.pod(workload, &taken, &mut owners);
    }
    for service in objects.iter().filter(|object| object["kind"] == "Service") {
        for workload in moved.iter().filter(|workload| selects(service, workload)) {
            verdict.service(service, workload);
        }
    }
    verdict
}

impl Verdict {
    fn pod(&mut self, workload: &Value, taken: &BTreeSet<(u64, String)>, owners: &mut BTreeMap<(u64, String), String>) {
        let spec = &template(workload)["spec"];
        let name = id(workload);
        self.claim(spec["hostNetwork"] == true, || format!("{name}: not on the host network"));
        for container in running(spec) {
            let call = format!("{name}, container {}", text(&container["name"]));
            for port in list(&container["ports"]) {
                self.ports += 1;
                let number = port["containerPort"].as_u64().unwrap_or_default();
                let key = (number, protocol(port));
                self.claim(port["hostPort"].as_u64() == Some(number), || {
                    format!("{call}: port {number}: hostPort {:?}", port["hostPort"])
                });
                self.claim(!taken.contains(&key), || format!("{call}: {number} is a port of the nodes"));
                let free = (1024..30000).contains(&number) || (61000..65536).contains(&number);
                self.claim(free, || format!("{call}: {number} is not one to give away"));
                let other = owners.insert(key, call.clone());
                self.claim(other.is_none(), || format!("{call} and {}: both on {number}", other.unwrap_or_default()));
            }
            for (what, port) in dialled(container) {
                self.probes += 1;
                let declared = list(&container["ports"]).iter().any(|container_port| is_port(container_port, port));
                self.claim(declared, || format!("{call}: {what} dials {port:?}, which it does not declare"));
            }
        }
        let annotations = &template(workload)["metadata"]["annotations"];
        if let Some(port) = annotations["prometheus.io/port"].as_str() {
            self.annotations += 1;
            let is_it = |container_port: &&Value| {
                container_port["containerPort"].as_u64().map(|number| number.to_string()) == Some(port.to_owned())
            };
            let declared = running(spec)
                .flat_map(|container| list(&container["ports"]))
                .any(|container_port| is_it(&container_port));
            self.claim(declared, || format!("{name}: prometheus.io/port is {port}, which it does not declare"));
        }
    }

    fn service(&mut self, service: &Value, workload: &Value) {
        let spec = &workload["spec"]["template"]["spec"];
        for port in list(&service["spec"]["ports"]) {
            self.service_ports += 1;
            let target = if port["targetPort"].is_null() { &port["port"] } else { &port["targetPort"] };
            let hits = running(spec).flat_map(|container| list(&container["ports"]));
            let hits = hits
                .filter(|container_port| is_port(container_port, target) && protocol(container_port) == protocol(port))
                .count();
            self.claim(hits == 1, || format!("{}: {target:?} is {hits} ports of {}", id(service), id(workload)));
        }
    }

    fn claim(&mut self, holds: bool, wrong: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(wrong());
        }
    }
}

/// Returns the workloads and packages of a stream that are not on the host network.
pub(crate) fn on_pod_network(text: &str) -> BTreeSet<String> {
    let objects = documents(text);
    let on_host = |object: &&Value| template(object)["spec"]["hostNetwork"] == true;
    let runtime: BTreeSet<String> = objects.iter().filter(|o| is_runtime_config(o)).filter(on_host).map(id).collect();
    let stays = |object: &&Value| match is_package(object) {
        true => !runtime.contains(&runtime_config(object)),
        false => is_workload(object) && !on_host(object),
    };
    objects.iter().filter(stays).map(id).collect()
}

/// Returns the ids of the runtime configs that packages use, except for packages in `left`.
fn runtime_configs(objects: &[Value], left: &BTreeSet<String>) -> BTreeSet<String> {
    let packages = objects.iter().filter(|object| is_package(object) && !left.contains(&id(object)));
    packages.map(runtime_config).collect()
}

fn runtime_config(package: &Value) -> String {
    let name = package["spec"]["runtimeConfigRef"]["name"].as_str().unwrap_or("default");
    format!("DeploymentRuntimeConfig {name}")
}

fn is_package(object: &Value) -> bool {
    object["kind"] == "Provider" && object["spec"]["package"].is_string()
}

fn is_runtime_config(object: &Value) -> bool {
    object["kind"] == "DeploymentRuntimeConfig"
}

/// Returns the pod template of a workload or a runtime config.
fn template(object: &Value) -> &Value {
    let spec = &object["spec"];
    if is_runtime_config(object) { &spec["deploymentTemplate"]["spec"]["template"] } else { &spec["template"] }
}

/// Returns the documents of a stream, without empty ones.
fn documents(text: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).unwrap())
        .filter(|value| !value.is_null())
        .collect()
}

/// Returns `Kind namespace/name`, as messages name objects.
pub(crate) fn id(object: &Value) -> String {
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    format!("{} {namespace}{}", text(&object["kind"]), text(&metadata["name"]))
}

/// Returns the id of a document that is a workload or a package.
pub(crate) fn workload(document: &str) -> Option<String> {
    let object: Value = serde_yaml::from_str(document).unwrap();
    (is_workload(&object) || is_package(&object)).then(|| id(&object))
}

fn is_workload(object: &Value) -> bool {
    object["spec"]["template"]["spec"]["containers"].is_sequence()
}

fn selects(service: &Value, workload: &Value) -> bool {
    let labels = &workload["spec"]["template"]["metadata"]["labels"];
    let selector = service["spec"]["selector"].as_mapping();
    service["metadata"]["namespace"] == workload["metadata"]["namespace"]
        && selector.is_some_and(|pairs| !pairs.is_empty() && pairs.iter().all(|(key, value)| labels[key] == *value))
}

/// Returns the containers and the sidecars.
fn running(spec: &Value) -> impl Iterator<Item = &Value> {
    let sidecars = list(&spec["initContainers"]).iter().filter(|container| container["restartPolicy"] == "Always");
    list(&spec["containers"]).iter().chain(sidecars)
}

/// Returns the ports that the kubelet dials.
fn dialled(container: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    let probes = ["livenessProbe", "readinessProbe", "startupProbe"].map(|probe| (probe, &container[probe]));
    let hooks = ["postStart", "preStop"].map(|hook| (hook, &container["lifecycle"][hook]));
    let actions = |(what, asked): (&'static str, _)| {
        let asked: &Value = asked;
        ["httpGet", "tcpSocket", "grpc"].map(|action| (what, &asked[action]["port"]))
    };
    probes.into_iter().chain(hooks).flat_map(actions).filter(|(_, port)| !port.is_null())
}

/// True if a declared port has this name or number.
fn is_port(declared: &Value, wanted: &Value) -> bool {
    if wanted.is_number() { declared["containerPort"] == *wanted } else { declared["name"] == *wanted }
}

fn protocol(port: &Value) -> String {
    port["protocol"].as_str().unwrap_or("TCP").to_owned()
}

/// Reads the numbers and protocols of `catalog/node-ports.yaml`.
fn node_ports() -> BTreeSet<(u64, String)> {
    let rows: Value = serde_yaml::from_str(include_str!("../../../catalog/node-ports.yaml")).unwrap();
    let rows: BTreeSet<_> = list(&rows).iter().map(|row| (row["port"].as_u64().unwrap(), protocol(row))).collect();
    assert!(rows.len() > 50);
    rows
}

fn list(value: &Value) -> &[Value] {
    value.as_sequence().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
