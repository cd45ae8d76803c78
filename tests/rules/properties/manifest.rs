//! Builds the objects of a scenario in their states before and after a run, with one code for both and without code of
//! the product.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::properties::model::{Action, Front, Placed, Scenario, SetBy, Workload};

/// Entries that the product appends for undeclared listeners, by container and number. The test cannot predict them;
/// `expect.rs` checks each of them.
pub(crate) type Appended = BTreeMap<String, Vec<Value>>;

/// The state of the objects to build.
#[derive(Clone, Copy)]
pub(crate) enum State<'a> {
    Before,
    After(&'a [Appended]),
}

/// All objects of the scenario, decoys included, in order.
pub(crate) fn objects(scenario: &Scenario, state: State<'_>) -> Vec<Value> {
    let mut out = vec![json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes"},
        "data": {"text": "containerPort: 8000\n--http-port=8000", "port": "8000", "empty": ""},
    })];
    for (index, workload) in scenario.workloads.iter().enumerate() {
        let appended = match state {
            State::After(all) if workload.selected => Some(&all[index]),
            _ => None,
        };
        let build = Build { workload, name: format!("w{index}"), placed: workload.placed(base(index)), appended };
        out.push(build.object());
        out.extend(build.services());
    }
    out
}

/// The first number of a workload, counted from 8000.
pub(crate) fn base(index: usize) -> u16 {
    u16::try_from(index).unwrap() * 10
}

/// The pointer to the template's metadata and spec, by kind.
pub(crate) fn template_path(kind: &str) -> &'static str {
    match kind {
        "CronJob" => "/spec/jobTemplate/spec/template",
        "Pod" => "",
        _ => "/spec/template",
    }
}

/// The config that requests the moves of the scenario.
pub(crate) fn config(scenario: &Scenario) -> String {
    let mut targets = String::new();
    for (index, workload) in scenario.workloads.iter().enumerate().filter(|(_, workload)| workload.selected) {
        let namespace = if workload.namespaced { ", namespace: shop" } else { "" };
        let kind = workload.kind;
        targets += &format!("  - select: {{kind: {kind}, name: w{index}{namespace}}}\n");
        let placed = workload.placed(base(index));
        let moved: Vec<_> = placed.iter().filter(|placed| placed.listener.moved).collect();
        targets += if moved.is_empty() { "    ports: keep\n" } else { "    ports:\n" };
        for placed in moved {
            targets += &format!("      {}: {}\n", placed.key(), placed.new);
        }
    }
    if targets.is_empty() {
        targets += "  - select: {kind: Deployment, name: nobody}\n    ports: keep\n";
    }
    let head = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: property\nspec:\n";
    format!("{head}  unmatched: Ignore\n  targets:\n{targets}")
}

struct Build<'a> {
    workload: &'a Workload,
    name: String,
    placed: Vec<Placed<'a>>,
    /// `Some` for a workload that moves, in the state after a run.
    appended: Option<&'a Appended>,
}

impl Build<'_> {
    fn number(&self, placed: &Placed<'_>) -> u16 {
        if self.appended.is_some() { placed.new } else { placed.old }
    }

    fn metadata(&self) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("name".into(), json!(self.name));
        if self.workload.namespaced {
            out.insert("namespace".into(), json!("shop"));
        }
        out
    }

    fn scraped(&self) -> Option<&Placed<'_>> {
        let index = self.workload.scraped.filter(|_| !self.placed.is_empty())?;
        Some(index.get(&self.placed))
    }

    fn annotations(&self) -> Option<Value> {
        let port = self.number(self.scraped()?).to_string();
        Some(json!({"example.com/note": "18000 of 80001", "prometheus.io/scrape": "true", "prometheus.io/port": port}))
    }

    fn object(&self) -> Value {
        let labels = json!({"app": self.name, "port": "8000"});
        let mut template_metadata = json!({"labels": labels});
        if let Some(annotations) = self.annotations() {
            template_metadata["annotations"] = annotations;
        }
        let template = json!({"metadata": template_metadata, "spec": self.pod()});
        let (version, spec) = match self.workload.kind {
            "Pod" => {
                let mut metadata = self.metadata();
                metadata.extend(template_metadata.as_object().unwrap().clone());
                return json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]});
            }
            "CronJob" => {
                ("batch/v1", json!({"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": template}}}))
            }
            "Job" => ("batch/v1", json!({"backoffLimit": 8000, "template": template})),
            kind => {
                let version = if kind == "CloneSet" { "apps.kruise.io/v1alpha1" } else { "apps/v1" };
                (version, json!({"selector": {"matchLabels": {"app": self.name}}, "template": template}))
            }
        };
        json!({"apiVersion": version, "kind": self.workload.kind, "metadata": self.metadata(), "spec": spec})
    }

    fn pod(&self) -> Value {
        let mut spec = Map::new();
        let moves = self.appended.is_some();
        spec.insert("serviceAccountName".into(), json!("default"));
        if let Some(on) = if moves { Some(true) } else { self.workload.host_network } {
            spec.insert("hostNetwork".into(), json!(on));
        }
        let policy = match self.workload.dns_policy {
            None | Some("ClusterFirst") if moves => Some("ClusterFirstWithHostNet"),
            other => other,
        };
        if let Some(policy) = policy {
            spec.insert("dnsPolicy".into(), json!(policy));
        }
        let mut init = Vec::new();
        if self.workload.init {
            init.push(json!({
                "name": "setup", "image": "busybox:1", "args": ["--http-port=8000", "--wait=:8001"],
                "env": [{"name": "HTTP_PORT", "value": "8000"}],
            }));
        }
        let mut main = Vec::new();
        for (place, container) in self.workload.containers.iter().enumerate() {
            let value = self.container(place);
            if container.sidecar { init.push(value) } else { main.push(value) }
        }
        if !init.is_empty() {
            spec.insert("initContainers".into(), Value::Array(init));
        }
        spec.insert("containers".into(), Value::Array(main));
        Value::Object(spec)
    }

    fn container(&self, place: usize) -> Value {
        let name = format!("c{place}");
        let mine: Vec<_> = self.placed.iter().filter(|placed| placed.container == name).collect();
        let mut out = Map::new();
        out.insert("name".into(), json!(name));
        out.insert("image".into(), json!(format!("registry.example.com/team/app{place}:v1.2.3")));
        if self.workload.containers[place].sidecar {
            out.insert("restartPolicy".into(), json!("Always"));
        }
        let mut words = vec!["serve".to_owned(), "--verbose".to_owned()];
        let mut env = vec![json!({"name": "MODE", "value": "8000"})];
        for placed in &mine {
            self.tell(placed, &mut words, &mut env);
        }
        if mine.iter().any(|placed| placed.listener.set_by == SetBy::Shell) {
            out.insert("command".into(), json!(["/bin/sh", "-c", format!("exec /app {}", words.join(" "))]));
        } else {
            out.insert("args".into(), json!(words));
        }
        out.insert("env".into(), Value::Array(env));
        let mut ports: Vec<_> =
            mine.iter().filter(|placed| placed.listener.declared).map(|placed| self.port(placed)).collect();
        ports.extend(self.appended.and_then(|all| all.get(&name)).into_iter().flatten().cloned());
        if !ports.is_empty() {
            out.insert("ports".into(), Value::Array(ports));
        }
        self.probes(&mine, &mut out);
        Value::Object(out)
    }

    fn port(&self, placed: &Placed<'_>) -> Value {
        let mut out = Map::new();
        if let Some(name) = &placed.name {
            out.insert("name".into(), json!(name));
        }
        let number = self.number(placed);
        out.insert("containerPort".into(), json!(number));
        if placed.listener.host_port || self.appended.is_some() {
            out.insert("hostPort".into(), json!(number));
        }
        Value::Object(out)
    }

    fn tell(&self, placed: &Placed<'_>, words: &mut Vec<String>, env: &mut Vec<Value>) {
        let (number, flag, old) = (self.number(placed), placed.flag(), placed.old);
        match placed.listener.set_by {
            SetBy::Joined(prefix) => words.push(format!("{flag}={prefix}{number}")),
            SetBy::Apart(prefix) => words.extend([flag.to_owned(), format!("{prefix}{number}")]),
            SetBy::Shell => words.push(format!("{flag}=:{number}")),
            SetBy::Variable(prefix) => {
                env.push(json!({"name": placed.variable(), "value": format!("{prefix}{number}")}));
            }
            SetBy::Expanded => {
                env.push(json!({"name": placed.variable(), "value": number.to_string()}));
                words.push(format!("{flag}=:$({})", placed.variable()));
            }
            SetBy::Unknown => {}
        }
        if placed.listener.decoys && placed.listener.set_by != SetBy::Unknown {
            words.push(format!("--events-addr=notify.shop.svc:{old}"));
            words.push(format!("--upstream=http://other.shop.svc:{old}/"));
            words.push(format!("--cache=1{old}"));
            words.push(format!("--limit={old}0"));
            words.push(format!("--retries={old}"));
            env.push(json!({"name": format!("R{}_REMOTE_HOST", placed.index), "value": "ledger.example.com"}));
            env.push(json!({"name": format!("R{}_REMOTE_PORT", placed.index), "value": old.to_string()}));
        }
    }

    fn probes(&self, mine: &[&Placed<'_>], out: &mut Map<String, Value>) {
        for (slot, placed) in ["livenessProbe", "readinessProbe", "startupProbe"].into_iter().zip(mine) {
            let Some((action, by_name)) = placed.listener.probe else { continue };
            let port = match &placed.name {
                Some(name) if by_name => json!(name),
                _ => json!(self.number(placed)),
            };
            match action {
                Action::Tcp => out.insert(slot.into(), json!({"tcpSocket": {"port": port}, "periodSeconds": 8000})),
                Action::Grpc => out.insert(slot.into(), json!({"grpc": {"port": self.number(placed)}})),
                Action::PreStop if !out.contains_key("lifecycle") => {
                    out.insert("lifecycle".into(), json!({"preStop": {"httpGet": {"path": "/stop", "port": port}}}))
                }
                _ => out.insert(slot.into(), json!({"httpGet": {"path": "/healthz", "port": port}})),
            };
        }
    }

    /// The Service in front of the workload, and a similar one in another namespace.
    fn services(&self) -> Vec<Value> {
        let ports: Vec<_> = self.placed.iter().filter_map(|placed| self.front(placed)).collect();
        if ports.is_empty() {
            return Vec::new();
        }
        let mut metadata = self.metadata();
        if let Some(annotations) = self.annotations() {
            metadata.insert("annotations".into(), annotations);
        }
        let other = json!({"name": self.name, "namespace": "elsewhere"});
        let old = self.placed[0].old;
        let decoy = json!([{"port": old}, {"name": "x", "port": 443, "targetPort": old}]);
        let service = |metadata: Value, ports: Value| {
            json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata,
                   "spec": {"selector": {"app": self.name}, "ports": ports}})
        };
        vec![service(Value::Object(metadata), Value::Array(ports)), service(other, decoy)]
    }

    fn front(&self, placed: &Placed<'_>) -> Option<Value> {
        let front = placed.listener.front?;
        let name = format!("p{}", placed.index);
        let port = 400 + placed.index;
        let moved = self.appended.is_some() && placed.listener.moved;
        let target = if moved { self.moved_target(placed) } else { json!(placed.old) };
        Some(match (front, &placed.name) {
            (Front::Name, Some(by_name)) => json!({"name": name, "port": port, "targetPort": by_name}),
            (Front::Absent, _) if moved => json!({"name": name, "port": placed.old, "targetPort": target}),
            (Front::Absent, _) => json!({"name": name, "port": placed.old}),
            _ => json!({"name": name, "port": port, "targetPort": target}),
        })
    }

    /// The new value of a numeric target port: the port's name if no other port has it, else the number.
    fn moved_target(&self, placed: &Placed<'_>) -> Value {
        let declared = placed.name.as_ref().filter(|_| placed.namesakes == 1).map(|name| json!(name));
        let entries = self.appended.and_then(|all| all.get(&placed.container));
        let given = || entries?.iter().find(|entry| entry["containerPort"] == placed.new)?.get("name").cloned();
        if placed.listener.declared { declared } else { given() }.unwrap_or_else(|| json!(placed.new))
    }
}
