//! Flux variables from end to end: hostnet and Flux's substitution give the same manifests in either order, for
//! variables in every form and place.

use crate::cases::{Failures, HOSTNET, canonical, host};
use crate::support::{run, text};
use crate::typed::deserialize_all;
use std::path::Path;
use std::process::Command;

/// All forms that Flux's envsubst supports, quoted and unquoted, in block and in flow style.
const MANIFEST: &str = r#"apiVersion: v1
kind: ConfigMap
metadata: {name: "${name}-settings", namespace: "${namespace:=shop}"}
data:
  ${name}.ini: |
    # ${name^^} has ${#name} letters; $${name} stays, and so does $name
    host = ${host:-localhost}:${port}
  folded: >-
    ${name:0:2}
    ${name/web/api}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${namespace:=shop}
  labels: {app: "${name}", tier: '${tier:=${name}-tier}', "${name}/key": x}
spec:
  replicas: ${replicas:-2} # each cluster has its own
  selector: {matchLabels: {app: "${name}"}}
  template:
    metadata:
      labels: {app: "${name}"}
      annotations:
        prometheus.io/port: '8080'
        note: ${name%b} ${name##w}
    spec:
      hostNetwork: ${host_network:=false}
      containers:
      - name: ${name}
        image: '${registry:=registry.example}/web:${tag}'
        args: [--listen=:8080, "--peer=http://${host:-localhost}:${port}/", '--debug-port=${debug}']
        env:
        - {name: ID, value: "${quote}${id}${quote}"}
        - name: ${name}_PORT
          value: ${quote}${debug}${quote}
        ports:
        - {name: http, containerPort: 8080}
        - {name: debug, containerPort: "${debug}"}
        - name: ${extra_name:=extra}
          containerPort: ${extra}
          protocol: ${protocol:=TCP}
        readinessProbe: {httpGet: {path: "${path}", port: 8080}}
        livenessProbe: {tcpSocket: {port: "${debug}"}}
        resources: {limits: {memory: "${memory:=64}Mi"}}
---
apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: ${namespace:=shop}
spec:
  selector: {app: "${name}"}
  ports:
  - {name: http, port: 80, targetPort: 8080}
  - {name: debug, port: 81, targetPort: "${debug}"}
---
# Nothing is filled in here, and hostnet works all the same.
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: literal
  namespace: shop
  annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}
spec:
  selector: {matchLabels: {app: literal}}
  template:
    metadata: {labels: {app: literal}}
    spec:
      containers:
      - name: web
        image: registry.example/web:v1
        args: [--listen=:8081]
        env: [{name: TEXT, value: "${name}"}]
        ports: [{name: http, containerPort: 8081}]
"#;

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: variables}
spec:
  targets:
  - {select: {kind: Deployment}, ports: {http: 20080}}
  - {select: {kind: DaemonSet}, ports: {http: 20081}}
";

const KUSTOMIZATION: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: variables, namespace: flux-system}
spec:
  interval: 1h
  prune: true
  sourceRef: {kind: GitRepository, name: variables}
  postBuild:
    substitute:
      {name: web, port: '9090', debug: '9091', extra: '9092', id: '0042', quote: '\"', tag: 'v1', path: /ready}
";

fn flux(fluxbuild: &Path, manifest: &str) -> String {
    flux_with(fluxbuild, manifest, "")
}

/// Runs Flux's build with more fields in the Kustomization's `spec`.
fn flux_with(fluxbuild: &Path, manifest: &str, fields: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("artifact")).unwrap();
    std::fs::write(at("artifact/all.yaml"), manifest).unwrap();
    std::fs::write(at("flux.yaml"), format!("{KUSTOMIZATION}{fields}")).unwrap();
    let mut build = Command::new(fluxbuild);
    build.arg("--kustomization").arg(at("flux.yaml")).arg("--path").arg(at("artifact"));
    let output = run(&mut build, b"");
    assert!(output.status.success(), "{}\n{manifest}", text(&output.stderr));
    text(&output.stdout)
}

fn hostnet(manifest: &str) -> String {
    run_hostnet(&["apply"], manifest)
}

fn run_hostnet(arguments: &[&str], manifest: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("hostnet.yaml");
    std::fs::write(&config, CONFIG).unwrap();
    let output = run(Command::new(HOSTNET).args(arguments).arg("-c").arg(config), manifest.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn hostnet_and_flux_commute() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let (before, after) = (hostnet(MANIFEST), hostnet(&flux(&fluxbuild, MANIFEST)));
    let filled_in = flux(&fluxbuild, &before);
    let mut failures = Failures::default();
    failures.compare("hostnet, then Flux", &canonical(&after), &canonical(&filled_in));
    failures.end();
    assert_eq!(deserialize_all(&filled_in), 4);
    assert!(filled_in.contains("hostPort: 9091") && filled_in.contains("hostPort: 9092"), "{filled_in}");
    // Lines with a variable do not change, except for `hostNetwork` and `hostPort`.
    let lines = |text: &str| -> Vec<String> {
        let kept = text
            .lines()
            .filter(|line| line.contains("${") && !line.contains("hostNetwork") && !line.contains("hostPort"));
        kept.map(str::to_owned).collect()
    };
    let gone: Vec<_> = lines(MANIFEST).into_iter().filter(|line| !before.contains(line.as_str())).collect();
    assert_eq!(
        gone,
        [
            "        args: [--listen=:8080, \"--peer=http://${host:-localhost}:${port}/\", '--debug-port=${debug}']",
            "        - {name: debug, containerPort: \"${debug}\"}",
            "        readinessProbe: {httpGet: {path: \"${path}\", port: 8080}}",
        ]
    );
}

/// Patches are made before substitution, applied by Flux, and verified in the substituted output.
#[test]
fn patches_and_variables_of_one_kustomization() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let printed = run_hostnet(&["patch", "--as", "flux"], MANIFEST);
    let (_, fields) = printed.split_once("\nspec:\n").unwrap();
    let applied = flux_with(&fluxbuild, MANIFEST, fields);
    let mut failures = Failures::default();
    failures.compare(
        "patches, then variables",
        &canonical(&hostnet(&flux(&fluxbuild, MANIFEST))),
        &canonical(&applied),
    );
    failures.end();
    assert_eq!(deserialize_all(&applied), 4);
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("built.yaml");
    std::fs::write(&built, &applied).unwrap();
    run_hostnet(&["patch", "--verify", built.to_str().unwrap()], MANIFEST);
}
