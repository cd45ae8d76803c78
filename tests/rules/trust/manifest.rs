//! Manifests around the texts of a row, and the parts of an output that a judge reads.

use serde::Deserialize as _;
use serde_json::Value;

use crate::trust::table::Texts;

/// The workload that every config selects.
pub(crate) const WORKLOAD: &str = "storefront";
/// The container with the texts of the row.
pub(crate) const CONTAINER: &str = "app";
/// The ConfigMap with the row's keys.
const MAP: &str = "settings";

/// A container of the workload.
#[derive(Debug, Clone, Default)]
pub(crate) struct Container {
    pub(crate) name: &'static str,
    pub(crate) texts: Texts,
    /// True if each variable comes from its own key of the ConfigMap, false if all come from `envFrom`.
    pub(crate) keys: bool,
    pub(crate) ports: Vec<(&'static str, u16)>,
    pub(crate) probe: Option<u16>,
}

/// A manifest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manifest {
    pub(crate) containers: Vec<Container>,
    /// The port of the template's annotation `prometheus.io/port`.
    pub(crate) scraped: Option<u16>,
    /// The target port of a Service that selects the pods.
    pub(crate) target: Option<u16>,
    /// Another workload with a Service of its name, and the number of both.
    pub(crate) neighbour: Option<(String, u16)>,
}

impl Manifest {
    /// The manifest in hand-written style.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {WORKLOAD}, namespace: shop}}\nspec:\n  selector:\n    \
             matchLabels: {{app: {WORKLOAD}}}\n  template:\n    metadata:\n      labels: {{app: {WORKLOAD}}}\n"
        );
        if let Some(port) = self.scraped {
            text += &format!("      annotations: {{prometheus.io/scrape: \"true\", prometheus.io/port: \"{port}\"}}\n");
        }
        text += "    spec:\n      containers:\n";
        for container in &self.containers {
            container.write(&mut text);
        }
        for container in self.containers.iter().filter(|container| !container.texts.map.is_empty()) {
            text +=
                &format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {MAP}, namespace: shop}}\ndata:\n");
            for (name, value) in container.texts.map.iter().map(|key| key.split_once('=').unwrap()) {
                let key = if container.keys { key_of(name) } else { name.to_owned() };
                text += &format!("  {key}: {}\n", quoted(value));
            }
        }
        if let Some(port) = self.target {
            text += &service(WORKLOAD, 80, port);
        }
        if let Some((name, port)) = &self.neighbour {
            text += &service(name, *port, *port);
            text += &format!(
                "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  selector:\n    \
                 matchLabels: {{app: {name}}}\n  template:\n    metadata:\n      labels: {{app: {name}}}\n    spec:\n      containers:\n      \
                 - name: {name}\n        ports:\n        - {{name: main, containerPort: {port}}}\n"
            );
        }
        text
    }
}

fn service(name: &str, port: u16, target: u16) -> String {
    format!(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  selector: {{app: {name}}}\n  ports:\n  \
         - {{name: main, port: {port}, targetPort: {target}}}\n"
    )
}

impl Container {
    fn write(&self, text: &mut String) {
        *text += &format!("      - name: {}\n        image: registry.example/shop/{}:v1.2.3\n", self.name, self.name);
        for (field, words) in [("command", &self.texts.command), ("args", &self.texts.args)] {
            if !words.is_empty() {
                *text += &format!("        {field}:\n");
                for word in words {
                    *text += &format!("        - {}\n", scalar(word, 10));
                }
            }
        }
        let keys = if self.keys { &self.texts.map[..] } else { &[] };
        if !self.texts.env.is_empty() || !keys.is_empty() {
            *text += "        env:\n";
        }
        for (name, _) in keys.iter().map(|key| key.split_once('=').unwrap()) {
            let key = format!("{{name: {MAP}, key: {}}}", key_of(name));
            *text += &format!("        - name: {name}\n          valueFrom:\n            configMapKeyRef: {key}\n");
        }
        for (name, value) in self.texts.env.iter().map(|var| var.split_once('=').unwrap()) {
            *text += &format!("        - name: {name}\n          {}\n", env_value(value));
        }
        if !self.texts.map.is_empty() && !self.keys {
            *text += &format!("        envFrom:\n        - configMapRef: {{name: {MAP}}}\n");
        }
        if !self.ports.is_empty() {
            *text += "        ports:\n";
        }
        for (name, port) in &self.ports {
            *text += &format!("        - name: {name}\n          containerPort: {port}\n");
        }
        if let Some(port) = self.probe {
            *text += &format!("        readinessProbe:\n          httpGet: {{path: /ready, port: {port}}}\n");
        }
    }
}

/// The key of a variable, in another spelling.
fn key_of(variable: &str) -> String {
    variable.to_lowercase().replace('_', ".")
}

fn env_value(value: &str) -> String {
    match value {
        "@secret" => "valueFrom: {secretKeyRef: {name: credentials, key: value}}".to_owned(),
        "@map" => "valueFrom: {configMapKeyRef: {name: elsewhere, key: value}}".to_owned(),
        _ => match value.strip_prefix("@status.").or(value.strip_prefix("@metadata.")) {
            Some(_) => format!("valueFrom: {{fieldRef: {{fieldPath: {}}}}}", &value[1..]),
            None => format!("value: {}", scalar(value, 12)),
        },
    }
}

/// A text as a YAML scalar: in single quotes, or as a block if it has several lines.
fn scalar(text: &str, indent: usize) -> String {
    if !text.contains('\n') {
        return quoted(text);
    }
    let lines: Vec<_> = text.trim_end().lines().map(|line| format!("{:indent$}{line}", "")).collect();
    format!("{}\n{}", if text.ends_with('\n') { "|" } else { "|-" }, lines.join("\n"))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The objects of an output.
#[derive(Debug)]
pub(crate) struct Output {
    objects: Vec<Value>,
}

/// A declared port: name, number, host port.
pub(crate) type Port = (String, u64, Option<u64>);

impl Output {
    pub(crate) fn read(text: &str) -> Self {
        let read = |document| Value::deserialize(document).unwrap();
        Self { objects: serde_yaml::Deserializer::from_str(text).map(read).collect() }
    }

    /// True if each container of the output declares as many ports as in the manifest.
    pub(crate) fn declares_as(&self, manifest: &Manifest) -> bool {
        manifest.containers.iter().all(|container| self.ports(container.name).len() == container.ports.len())
    }

    fn object(&self, kind: &str, name: &str) -> &Value {
        let is = |object: &&Value| object["kind"] == kind && object["metadata"]["name"] == name;
        self.objects.iter().find(is).unwrap_or(&Value::Null)
    }

    fn template(&self) -> &Value {
        &self.object("Deployment", WORKLOAD)["spec"]["template"]
    }

    fn container(&self, name: &str) -> &Value {
        let containers = self.template()["spec"]["containers"].as_array().unwrap();
        containers.iter().find(|container| container["name"] == name).unwrap_or(&Value::Null)
    }

    /// The texts in the places of the row's texts, in the same order.
    pub(crate) fn texts(&self, row: &Texts) -> Texts {
        let container = self.container(CONTAINER);
        let words = |field: &str, row: &[String]| {
            let word = |index: usize| container[field][index].as_str().unwrap_or_default().to_owned();
            (0..row.len()).map(word).collect()
        };
        let env = |var: &String| {
            let (name, old) = var.split_once('=').unwrap();
            let mut vars = container["env"].as_array().into_iter().flatten();
            let var = vars.find(|var| var["name"] == name).unwrap_or(&Value::Null);
            match var["value"].as_str() {
                Some(value) => format!("{name}={value}"),
                None if var.get("valueFrom").is_some() => format!("{name}={old}"),
                None => format!("{name} is gone"),
            }
        };
        let key = |key: &String| {
            let (name, _) = key.split_once('=').unwrap();
            let data = &self.object("ConfigMap", MAP)["data"];
            format!("{name}={}", data[name].as_str().or(data[&key_of(name)].as_str()).unwrap_or_default())
        };
        Texts {
            command: words("command", &row.command),
            args: words("args", &row.args),
            env: row.env.iter().map(env).collect(),
            map: row.map.iter().map(key).collect(),
        }
    }

    pub(crate) fn ports(&self, container: &str) -> Vec<Port> {
        let ports = self.container(container)["ports"].as_array().into_iter().flatten();
        let name = |port: &Value| port["name"].as_str().unwrap_or_default().to_owned();
        ports.map(|port| (name(port), port["containerPort"].as_u64().unwrap(), port["hostPort"].as_u64())).collect()
    }

    /// The existing references to the port: probe, annotation and target of the Service.
    pub(crate) fn references(&self) -> Vec<String> {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let probe = &self.container(CONTAINER)["readinessProbe"]["httpGet"]["port"];
        let scraped = &self.template()["metadata"]["annotations"]["prometheus.io/port"];
        let target = &self.object("Service", WORKLOAD)["spec"]["ports"][0]["targetPort"];
        [probe, scraped, target].into_iter().filter(|value| !value.is_null()).map(plain).collect()
    }
}

impl Container {
    /// Declares `http` with this number and sets it by a text with the prefix `before`. The text has a place that the
    /// row does not use.
    pub(crate) fn listens(&mut self, number: u16, before: Option<&str>) {
        self.ports.push(("http", number));
        let Some(before) = before else { return };
        let (flag, variable) =
            if before.is_empty() { ("--port", "PORT") } else { ("--listen-address", "LISTEN_ADDRESS") };
        if self.texts.args.is_empty() && self.texts.command.is_empty() {
            self.texts.args.push(format!("{flag}={before}{number}"));
        } else {
            self.texts.env.push(format!("{variable}={before}{number}"));
        }
    }
}

/// Arguments as words of a script, quoted only if the shell needs quotes.
pub(crate) fn in_shell(args: &[String]) -> Texts {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=:./,@%+".contains(c);
    let word = |arg: &String| {
        if !arg.is_empty() && arg.chars().all(plain) {
            arg.clone()
        } else {
            format!("\"{}\"", arg.replace('"', "\\\""))
        }
    };
    let words: Vec<_> = args.iter().map(word).collect();
    Texts {
        command: vec!["/bin/sh".to_owned(), "-c".to_owned()],
        args: vec![format!("exec /usr/bin/app {}", words.join(" "))],
        ..Texts::default()
    }
}
