//! Generates realistic resources, always the same ones for a count: of every twelve, four are workloads that the config
//! moves, two other workloads, two Services, two `ConfigMap`s, a CRD and a `ClusterRole`. The average size is 3.8 KB.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Ten ports get new numbers, the other selected workloads keep theirs.
pub(crate) const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata:
  name: bench
spec:
  targets:
  - {select: {kind: Deployment, name: moved-0}, ports: {http: 21000, metrics: 22000}}
  - {select: {kind: Deployment, name: moved-12}, ports: {http: 21001, metrics: 22001}}
  - {select: {kind: Deployment, name: moved-24}, ports: {http: 21002, metrics: 22002}}
  - {select: {kind: Deployment, name: moved-36}, ports: {http: 21003, metrics: 22003}}
  - {select: {kind: Deployment, name: moved-48}, ports: {http: 21004, metrics: 22004}}
  - select: {kind: Deployment, labelSelector: network=host}
  unmatched: Ignore
";

/// A `---` stream.
pub(crate) fn stream(items: usize, to: &mut dyn Write) -> io::Result<()> {
    for index in 0..items {
        if index > 0 {
            to.write_all(b"---\n")?;
        }
        to.write_all(resource(index).as_bytes())?;
    }
    to.flush()
}

/// The same stream in the style of people: with blank lines, comments, and lists indented deeper than their keys.
pub(crate) fn written_by_hand(items: usize, to: &mut dyn Write) -> io::Result<()> {
    for index in 0..items {
        writeln!(to, "---\n# {index}: see the manual before you change this")?;
        for line in resource(index).lines() {
            if line == "spec:" {
                writeln!(to, "\n# what it shall be")?;
            }
            // The entries of a ClusterRole's top-level mapping are indented by two more columns.
            let deeper = if index % 12 == 11 && line.starts_with(['-', ' ']) { "  " } else { "" };
            writeln!(to, "{deeper}{line}")?;
        }
    }
    Ok(())
}

/// A ResourceList of a KRM host, with the config.
pub(crate) fn resource_list(items: usize) -> String {
    let mut list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n".to_owned();
    let indent = |list: &mut String, text: &str, first: &str| {
        for (number, line) in text.lines().enumerate() {
            let _ = writeln!(list, "{}{line}", if number == 0 { first } else { "  " });
        }
    };
    for index in 0..items {
        indent(&mut list, &resource(index), "- ");
    }
    list.push_str("functionConfig:\n");
    indent(&mut list, CONFIG, "  ");
    list
}

/// Ten minimal objects, one of which moves: nearly all time is start and exit.
pub(crate) fn ten_small() -> String {
    let mut list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n".to_owned();
    list.push_str(
        "- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    template:
      spec:
        containers:
        - name: web
          args: [--port=8080]
          ports: [{name: http, containerPort: 8080}]
",
    );
    for number in 1..10 {
        let _ = writeln!(list, "- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{number}}}, data: {{a: b}}}}");
    }
    list.push_str(
        "functionConfig:
  apiVersion: hostnet.dev/v1alpha1
  kind: HostNetwork
  metadata: {name: ten}
  spec: {targets: [{select: {kind: Deployment, name: web}, ports: {http: 20080}}]}
",
    );
    list
}

fn resource(index: usize) -> String {
    match index % 12 {
        0 | 3 | 6 | 9 => workload(index, "moved", "host"),
        2 | 8 => workload(index, "left", "pod"),
        1 | 7 => service(index),
        4 | 10 => config_map(index),
        5 => custom_resource_definition(index),
        _ => cluster_role(index),
    }
}

/// An operator's Deployment: arguments, variables, probes, annotations and comments of people.
fn workload(index: usize, name: &str, network: &str) -> String {
    let (http, metrics) = (12_000 + index % 8_000, 21_024 + index % 8_000);
    let mut text = format!(
        "# Deployment {index}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}-{index}
  namespace: team-{team}
  labels:
    app: {name}-{index}
    network: {network}
    app.kubernetes.io/version: \"1.{minor}.0\"
spec:
  replicas: 1
  selector:
    matchLabels: {{app: {name}-{index}}}
  template:
    metadata:
      annotations:
        prometheus.io/scrape: \"true\"
        prometheus.io/port: \"{metrics}\"
      labels:
        app: {name}-{index}
    spec:
      serviceAccountName: {name}-{index}
      nodeSelector: {{pool: pool-{index}}}
      containers:
      - name: manager   # the only one
        image: registry.example/team-{team}/{name}:1.{minor}.0
        args:
        - --listen-address=:{http}
        - --metrics-address=:{metrics}
        - --leader-elect
        ports:
        - name: http
          containerPort: {http}
        - name: metrics
          containerPort: {metrics}
        livenessProbe:
          httpGet: {{path: /healthz, port: http}}
        readinessProbe:
          httpGet: {{path: /readyz, port: {http}}}
        resources:
          limits: {{cpu: 500m, memory: 512Mi}}
          requests: {{cpu: 100m, memory: 128Mi}}
        env:
",
        team = index % 97,
        minor = index % 31,
    );
    for number in 0..21 + index % 7 {
        let _ = write!(
            text,
            "        - name: SETTING_{number}
          # kept for the migration of setting {number}
          value: \"value {number} of {name} {index} 'as written'\"
"
        );
    }
    text.push_str(
        "        securityContext:
          allowPrivilegeEscalation: false
          runAsNonRoot: true
          capabilities: {drop: [ALL]}
        volumeMounts:
        - {name: tmp, mountPath: /tmp}
      volumes:
      - name: tmp
        emptyDir: {}
",
    );
    text
}

/// The Service of the previous workload, with numeric targets, which follow the workload's new numbers.
fn service(index: usize) -> String {
    let owner = index - 1;
    format!(
        "apiVersion: v1
kind: Service
metadata:
  name: moved-{owner}
  namespace: team-{team}
  labels: {{app: moved-{owner}}}
spec:
  type: ClusterIP
  selector:
    app: moved-{owner}
  ports:
  - name: http
    port: 80
    targetPort: {http}
  - name: metrics
    port: 9090
    targetPort: metrics
",
        team = owner % 97,
        http = 12_000 + owner % 8_000,
    )
}

fn config_map(index: usize) -> String {
    let mut text = format!(
        "apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{index}
  namespace: team-{}
data:
  answer: \"yes\"
  mode: '0o17'
  settings.ini: |
    # settings of {index}, in another language
",
        index % 97
    );
    for number in 0..52 + index % 11 {
        let _ = writeln!(text, "    key.{number} = \"a value that is long enough to look like one, {number}\"");
    }
    text
}

fn custom_resource_definition(index: usize) -> String {
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets{index}.example.com
spec:
  group: example.com
  names: {{kind: Widget{index}, plural: widgets{index}}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
"
    );
    for number in 0..36 + index % 5 {
        let _ = write!(
            text,
            "          field{number}:
            description: |-
              Field {number} says how the widget behaves when the
              controller finds it: see the manual.
            type: string
            maxLength: 253
"
        );
    }
    text
}

fn cluster_role(index: usize) -> String {
    let mut text = format!(
        "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: role-{index}
rules:
"
    );
    for number in 0..20 {
        let _ = write!(
            text,
            "- apiGroups: [\"group{number}.example.com\"]
  resources:
  - widgets{number}
  - widgets{number}/status
  verbs: [get, list, watch, create, update, patch, delete]
"
        );
    }
    text
}
