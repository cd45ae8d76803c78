//! A cluster as `kubectl get -A -o yaml` prints it: in every ten objects a Deployment, three `ReplicaSets`, two of which are old, five Pods on
//! nodes and a Service, with the `managedFields` and the `status` that the API server keeps. 6.5 KB each on average.

use std::fmt::Write as _;
use std::io::{self, Write};

/// A list of so many objects.
pub(crate) fn dump(objects: usize, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(b"apiVersion: v1\nitems:\n")?;
    for index in 0..objects {
        for (number, line) in object(index).lines().enumerate() {
            writeln!(to, "{}{line}", if number == 0 { "- " } else { "  " })?;
        }
    }
    to.write_all(b"kind: List\nmetadata:\n  resourceVersion: \"\"\n")
}

fn object(index: usize) -> String {
    let app = index / 10;
    match index % 10 {
        0 => deployment(app),
        number @ 1..=3 => replica_set(app, number),
        9 => service(app),
        number => pod(app, number),
    }
}

/// Every third one is on the host network, with a port and a pool of nodes of its own.
fn port(app: usize) -> usize {
    12_000 + app % 8_000
}

fn metadata(kind: &str, name: &str, app: usize, owner: &str) -> String {
    let mut text = format!(
        "metadata:
  creationTimestamp: \"2026-03-01T10:11:12Z\"
  generation: 3
  labels:
    app: app-{app}
    pod-template-hash: 5d4f{app}
  name: {name}
  namespace: team-{team}
  resourceVersion: \"{version}\"
  uid: 3f1f2f1e-0000-4000-8000-{app:012}
{owner}  managedFields:
  - apiVersion: v1
    fieldsType: FieldsV1
    manager: kube-controller-manager
    operation: Update
    time: \"2026-03-01T10:11:12Z\"
    fieldsV1:
      f:metadata:
        f:labels:
          .: {{}}
          f:app: {{}}
          f:pod-template-hash: {{}}
      f:spec:
        f:containers:
          k:{{\"name\":\"{kind}\"}}:
",
        team = app % 97,
        version = 100_000 + app,
    );
    for number in 0..45 {
        let _ = writeln!(text, "            f:field{number}: {{}}\n            f:terminationMessagePath{number}: {{}}");
    }
    text
}

fn owner(kind: &str, name: &str) -> String {
    format!(
        "  ownerReferences:
  - apiVersion: apps/v1
    blockOwnerDeletion: true
    controller: true
    kind: {kind}
    name: {name}
    uid: 1f1f2f1e-0000-4000-8000-000000000000
"
    )
}

/// The spec of the pods, with so many columns before it.
fn pod_spec(app: usize, columns: usize, node: &str) -> String {
    let on_host = app.is_multiple_of(3);
    let port = port(app);
    let host_port = if on_host { format!("\n    hostPort: {port}") } else { String::new() };
    let mut text = format!(
        "containers:
- name: web
  image: registry.example/team/app-{app}:1.4.2
  imagePullPolicy: IfNotPresent
  args:
  - --listen-address=:{port}
  - --leader-elect
  ports:
  - containerPort: {port}{host_port}
    name: http
    protocol: TCP
  livenessProbe:
    failureThreshold: 3
    httpGet:
      path: /healthz
      port: http
      scheme: HTTP
    periodSeconds: 10
  env:
"
    );
    for number in 0..6 {
        let _ = writeln!(text, "  - name: SETTING_{number}\n    value: value {number} of app-{app}");
    }
    let _ = write!(
        text,
        "  terminationMessagePath: /dev/termination-log
  terminationMessagePolicy: File
dnsPolicy: {}
{}nodeSelector:
  pool: pool-{app}
{node}restartPolicy: Always
schedulerName: default-scheduler
securityContext: {{}}
terminationGracePeriodSeconds: 30
tolerations:
- effect: NoExecute
  key: node.kubernetes.io/not-ready
  operator: Exists
  tolerationSeconds: 300
",
        if on_host { "ClusterFirstWithHostNet" } else { "ClusterFirst" },
        if on_host { "hostNetwork: true\n" } else { "" },
    );
    let indent = " ".repeat(columns);
    text.lines().fold(String::new(), |all, line| all + &indent + line + "\n")
}

fn template(app: usize) -> String {
    format!(
        "  selector:
    matchLabels:
      app: app-{app}
  template:
    metadata:
      labels:
        app: app-{app}
    spec:
{}",
        pod_spec(app, 6, "")
    )
}

fn status() -> String {
    let mut text = "status:\n  conditions:\n".to_owned();
    for number in 0..6 {
        let _ = write!(
            text,
            "  - lastProbeTime: null
    lastTransitionTime: \"2026-03-01T10:11:12Z\"
    message: what the controller says of condition {number}
    reason: Reason{number}
    status: \"True\"
    type: Condition{number}
"
        );
    }
    text
}

fn deployment(app: usize) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
{}spec:
  replicas: {}
  strategy:
    rollingUpdate: {{maxSurge: 25%, maxUnavailable: 25%}}
    type: RollingUpdate
{}{}",
        metadata("web", &format!("app-{app}"), app, ""),
        // Some are too few for a pod to be missing while they roll.
        if app.is_multiple_of(6) { 3 } else { 5 },
        template(app),
        status()
    )
}

fn replica_set(app: usize, number: usize) -> String {
    format!(
        "apiVersion: apps/v1
kind: ReplicaSet
{}spec:
  replicas: {}
{}{}",
        metadata("web", &format!("app-{app}-{number}"), app, &owner("Deployment", &format!("app-{app}"))),
        if number == 1 { 5 } else { 0 },
        template(app),
        status()
    )
}

fn pod(app: usize, number: usize) -> String {
    format!(
        "apiVersion: v1
kind: Pod
{}spec:
{}{}  phase: Running
",
        metadata("web", &format!("app-{app}-1-{number}"), app, &owner("ReplicaSet", &format!("app-{app}-1"))),
        pod_spec(app, 2, &format!("nodeName: node-{app}-{number}\n")),
        status()
    )
}

fn service(app: usize) -> String {
    format!(
        "apiVersion: v1
kind: Service
{}spec:
  clusterIP: 10.96.0.1
  ports:
  - name: http
    port: 80
    protocol: TCP
    targetPort: http
  selector:
    app: app-{app}
  type: ClusterIP
",
        metadata("web", &format!("app-{app}"), app, "")
    )
}
