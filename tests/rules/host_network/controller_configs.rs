//! Conversion of ControllerConfigs to runtime configs.

use crate::support::results::brief;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{changes, run};

pub(super) const ALL: &str = "{targets: [{select: {kind: Provider}, ports: keep}], crossplane: {version: v1.20.0}}";

pub(super) fn provider(name: &str, references: &str) -> String {
    format!(
        "apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: {name}\nspec:\n  package: \
         xpkg.upbound.io/crossplane-contrib/provider-sql:v0.15.0\n{references}"
    )
}

pub(super) const REFERENCE: &str = "  controllerConfigRef:\n    name: irsa\n";

pub(super) fn controller_config(spec: &str) -> String {
    format!(
        "---\napiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata:\n  name: irsa\nspec:\n{spec}"
    )
}

/// The objects of a stream.
pub(super) fn objects(stream: &str) -> Vec<Value> {
    stream.split("---\n").map(|document| serde_saphyr::from_str(document).unwrap()).collect()
}

/// The runtime config and the package after the conversion of a ControllerConfig with this field.
pub(super) fn converted(field: &str) -> (Value, Value) {
    let manifest = format!("{}{}", provider("sql", REFERENCE), controller_config(&format!("  {field}\n")));
    let (output, log) = run(ALL, &manifest);
    assert!(!log.iter().any(|line| line.starts_with("error")), "{field}: {log:?}");
    let mut objects = objects(&output);
    assert_eq!(objects.len(), 2, "{field}: the ControllerConfig is gone\n{output}");
    let config = objects.pop().unwrap();
    assert_eq!(config["kind"], "DeploymentRuntimeConfig", "{field}");
    (config, objects.pop().unwrap())
}

#[test]
fn every_field_is_converted() {
    const DEPLOYMENT: &str = "/spec/deploymentTemplate/spec";
    const POD: &str = "/spec/deploymentTemplate/spec/template/spec";
    const CONTAINER: &str = "/spec/deploymentTemplate/spec/template/spec/containers/0";
    let metadata = "/spec/deploymentTemplate/spec/template/metadata";
    // Every field of v1.20's `ControllerConfigSpec`, and its place in a runtime config.
    let rows: [(&str, Vec<(String, Value)>); 19] = [
        (
            "metadata: {annotations: {a: b}, labels: {c: d}}",
            vec![(format!("{metadata}/annotations/a"), json!("b")), (format!("{metadata}/labels/c"), json!("d"))],
        ),
        ("replicas: 2", vec![(format!("{DEPLOYMENT}/replicas"), json!(2))]),
        ("image: registry.example/sql:v9", vec![(format!("{CONTAINER}/image"), json!("registry.example/sql:v9"))]),
        ("nodeSelector: {disk: ssd}", vec![(format!("{POD}/nodeSelector/disk"), json!("ssd"))]),
        (
            "serviceAccountName: sql",
            vec![
                (format!("{POD}/serviceAccountName"), json!("sql")),
                ("/spec/serviceAccountTemplate/metadata/name".to_owned(), json!("sql")),
            ],
        ),
        ("nodeName: one", vec![(format!("{POD}/nodeName"), json!("one"))]),
        ("podSecurityContext: {fsGroup: 2000}", vec![(format!("{POD}/securityContext/fsGroup"), json!(2000))]),
        (
            "securityContext: {privileged: false}",
            vec![(format!("{CONTAINER}/securityContext/privileged"), json!(false))],
        ),
        ("affinity: {nodeAffinity: {}}", vec![(format!("{POD}/affinity"), json!({"nodeAffinity": {}}))]),
        ("tolerations: [{operator: Exists}]", vec![(format!("{POD}/tolerations/0/operator"), json!("Exists"))]),
        ("priorityClassName: high", vec![(format!("{POD}/priorityClassName"), json!("high"))]),
        ("runtimeClassName: kata", vec![(format!("{POD}/runtimeClassName"), json!("kata"))]),
        ("resources: {limits: {cpu: 0.5}}", vec![(format!("{CONTAINER}/resources/limits/cpu"), json!(0.5))]),
        ("args: [--debug]", vec![(format!("{CONTAINER}/args"), json!(["--debug"]))]),
        ("envFrom: [{secretRef: {name: s}}]", vec![(format!("{CONTAINER}/envFrom/0/secretRef/name"), json!("s"))]),
        ("env: [{name: A, value: \"1\"}]", vec![(format!("{CONTAINER}/env/0"), json!({"name": "A", "value": "1"}))]),
        (
            "ports: [{name: metrics, containerPort: 8080}]",
            vec![(format!("{CONTAINER}/ports/0"), json!({"name": "metrics", "containerPort": 8080, "hostPort": 8080}))],
        ),
        (
            "volumes: [{name: v, emptyDir: {}}]",
            vec![(format!("{POD}/volumes/0"), json!({"name": "v", "emptyDir": {}}))],
        ),
        (
            "volumeMounts: [{name: v, mountPath: /v}]",
            vec![(format!("{CONTAINER}/volumeMounts/0"), json!({"name": "v", "mountPath": "/v"}))],
        ),
    ];
    for (field, places) in rows {
        let (config, provider) = converted(field);
        for (place, value) in places {
            assert_eq!(config.pointer(&place), Some(&value), "{field} at {place} of {config}");
        }
        assert_eq!(provider["spec"]["runtimeConfigRef"]["name"], "hostnet-sql", "{field}");
        assert_eq!(provider["spec"].get("controllerConfigRef"), None, "{field}");
    }
    for (field, place, value) in [
        ("imagePullSecrets: [{name: pull}]", "/spec/packagePullSecrets", json!([{"name": "pull"}])),
        ("imagePullPolicy: Always", "/spec/packagePullPolicy", json!("Always")),
    ] {
        assert_eq!(converted(field).1.pointer(place), Some(&value), "{field}");
    }
}

#[test]
fn a_controller_config_is_merged_into_a_copy_of_the_runtime_config() {
    let runtime = "---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: own
spec:
  # ours
  deploymentTemplate:
    spec:
      replicas: 1 # one
      selector: {}
      template:
        metadata:
          annotations: {a: b}
          labels: {a: b}
        spec:
          containers:
          - name: package-runtime
            args: [--poll=1m]
            env:
            - {name: A, value: \"1\"}
";
    let spec = "  replicas: 2\n  args: [--debug]\n  env: [{name: B, value: '2'}]\n  metadata: {annotations: {c: d}, labels: {c: d}}\n";
    let references = format!("{REFERENCE}  runtimeConfigRef:\n    name: own\n");
    let manifest = format!("{}{runtime}{}", provider("sql", &references), controller_config(spec));
    assert_snapshot!(brief(changes(ALL, &manifest)), @r#"
    -  controllerConfigRef:
    -    name: irsa
    -    name: own
    +    name: hostnet-sql
    -apiVersion: pkg.crossplane.io/v1alpha1
    -kind: ControllerConfig
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    -  name: irsa
    +  name: hostnet-sql
    -  replicas: 2
    -  args: [--debug]
    -  env: [{name: B, value: '2'}]
    -  metadata: {annotations: {c: d}, labels: {c: d}}
    +  # ours
    +  deploymentTemplate:
    +    spec:
    +      replicas: 2 # one
    +      selector: {}
    +      template:
    +        metadata:
    +          annotations:
    +            c: d
    +          labels: {a: b, c: d}
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            args:
    +            - --debug
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            env:
    +            - {name: A, value: "1"}
    +            - {name: B, value: "2"}
    warning: node-port Provider sql (1:1, 8080)
    "#);
}

#[test]
fn a_controller_config_stays_while_a_package_needs_it() {
    let config = controller_config("  replicas: 2\n");
    let two = format!("{}---\n{}{config}", provider("one", REFERENCE), provider("two", REFERENCE));
    let one = "{targets: [{select: {kind: Provider, name: one}, ports: keep}], crossplane: {version: v1.20.0}}";
    let kinds =
        |output: &str| objects(output).iter().map(|object| object["kind"].to_string()).collect::<Vec<_>>().join(" ");
    assert_snapshot!(kinds(&run(one, &two).0), @r#""Provider" "Provider" "ControllerConfig" "DeploymentRuntimeConfig""#);
    // Different numbers, so that both packages can move.
    let both = "{targets: [{select: {kind: Provider}, ports: auto}], crossplane: {version: v1.20.0}}";
    assert_snapshot!(kinds(&run(both, &two).0), @r#""Provider" "Provider" "DeploymentRuntimeConfig" "DeploymentRuntimeConfig""#);
}

/// Crossplane treats empty fields like missing ones.
#[test]
fn empty_fields_are_dropped() {
    let fields = "replicas: null\n  nodeSelector: {}\n  tolerations: []\n  metadata: {annotations: {}}\n  priorityClassName: low";
    assert_snapshot!(converted(fields).0["spec"]["deploymentTemplate"]["spec"], @r#"{"selector":{},"template":{"spec":{"hostNetwork":true,"dnsPolicy":"ClusterFirstWithHostNet","containers":[{"name":"package-runtime","ports":[{"name":"webhook","containerPort":9443,"hostPort":9443},{"name":"metrics","containerPort":8080,"hostPort":8080}]}],"priorityClassName":"low"}}}"#);
}

/// The names in a list of a runtime config are unique; Crossplane's Deployment had duplicates, of which the last won.
#[test]
fn fields_of_both_configs_are_written_once() {
    let runtime = "---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: own}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          volumes:
          - {name: cache, emptyDir: {}}
          containers:
          - name: package-runtime
            env:
            - {name: A, value: \"1\"} # first
            - {name: B, value: \"1\"} # second
            volumeMounts:
            - {name: cache, mountPath: /cache}
";
    let spec = "  env: [{name: A, value: '2'}, {name: C, value: '2'}, {name: C, value: '3'}]
  volumes: [{name: cache, emptyDir: {medium: Memory}}, {name: tmp, emptyDir: {}}]
  volumeMounts: [{name: tmp, mountPath: /cache}, {name: tmp, mountPath: /tmp}]\n";
    let references = format!("{REFERENCE}  runtimeConfigRef:\n    name: own\n");
    let manifest = format!("{}{runtime}{}", provider("sql", &references), controller_config(spec));
    assert_snapshot!(brief(changes(ALL, &manifest)), @r#"
    -  controllerConfigRef:
    -    name: irsa
    -    name: own
    +    name: hostnet-sql
    -apiVersion: pkg.crossplane.io/v1alpha1
    -kind: ControllerConfig
    -metadata:
    -  name: irsa
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata: {name: hostnet-sql}
    -  env: [{name: A, value: '2'}, {name: C, value: '2'}, {name: C, value: '3'}]
    -  volumes: [{name: cache, emptyDir: {medium: Memory}}, {name: tmp, emptyDir: {}}]
    -  volumeMounts: [{name: tmp, mountPath: /cache}, {name: tmp, mountPath: /tmp}]
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          volumes:
    +          - name: cache
    +            emptyDir:
    +              medium: Memory
    +          - {name: tmp, emptyDir: {}}
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            ports:
    +            - name: webhook, containerPort: 9443, hostPort: 9443
    +            - name: metrics, containerPort: 8080, hostPort: 8080
    +            env:
    +            - # first
    +              name: A
    +              value: "2"
    +            - {name: B, value: "1"} # second
    +            - {name: C, value: "3"}
    +            volumeMounts:
    +            - name: tmp
    +              mountPath: /cache
    +            - {name: tmp, mountPath: /tmp}
    warning: node-port Provider sql (1:1, 8080)
    "#);
}

#[test]
fn older_versions_of_crossplane_declare_their_own_ports() {
    let all = "{targets: [{select: {kind: Provider}, ports: keep}], crossplane: {version: v1.18.5}}";
    let of = |ports: &str| {
        let manifest = format!("{}{}", provider("sql", REFERENCE), controller_config(&format!("  ports: [{ports}]\n")));
        let (output, log) = run(all, &manifest);
        let ports: Vec<Value> = objects(&output)
            .iter()
            .filter_map(|object| {
                object.pointer("/spec/deploymentTemplate/spec/template/spec/containers/0/ports").cloned()
            })
            .collect();
        let log = log.into_iter().filter(|line| !line.contains("[node-port]"));
        format!("{ports:?}\n{}", log.collect::<Vec<_>>().join("\n"))
    };
    let own = "{name: metrics, containerPort: 8080}, {name: webhook, containerPort: 9443, protocol: TCP}";
    assert_snapshot!(of(own), @"[]");
    assert_snapshot!(of(&format!("{own}, {{name: more, containerPort: 9999}}")), @r#"[Array [Object {"name": String("more"), "containerPort": Number(9999), "hostPort": Number(9999)}]]"#);
    assert_snapshot!(brief(of("{name: http, containerPort: 8080}")), @"
    []
    error: crossplane-version Provider sql (1:1, 8080, 9443, v1.18.5, v1.19.0)
    ");
    assert_snapshot!(brief(of("{name: metrics, containerPort: 8085}")), @"
    []
    error: crossplane-version Provider sql (1:1, 8080, 8085, 9443, v1.18.5, v1.19.0)
    ");
    assert_snapshot!(brief(of("{name: metrics, containerPort: 8080, hostIP: 127.0.0.1}")), @"
    []
    error: crossplane-version Provider sql (1:1, 8080, 9443, v1.18.5, v1.19.0)
    ");
}

#[test]
fn a_tag_decides_the_type_of_a_value() {
    let manifest =
        format!("{}{}", provider("sql", REFERENCE), controller_config("  env: [{name: A, value: !!str 12}]\n"));
    let (output, _) = run(ALL, &manifest);
    assert!(output.contains("            - name: A\n              value: \"12\"\n"), "{output}");
}

/// A port that replaces another one moves from its new number.
#[test]
fn ports_of_the_merged_config_move() {
    let package = "xpkg.upbound.io/upbound/provider-aws-s3:v2.6.0";
    let runtime = "---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: own}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            args: [--poll=1m, --webhook-port=9000]
            env:
            - name: METRICS_BIND_ADDRESS
              value: ':8000'
            ports: [{name: metrics, containerPort: 8000}]
";
    let spec = "  args: [--debug, --webhook-port=9001]
  env: [{name: METRICS_BIND_ADDRESS, value: ':8001'}]
  ports: [{name: metrics, containerPort: 8001}, {name: webhook, containerPort: 9001}]\n";
    let references = format!("{REFERENCE}  runtimeConfigRef:\n    name: own\n");
    let provider =
        provider("sql", &references).replace("xpkg.upbound.io/crossplane-contrib/provider-sql:v0.15.0", package);
    let all = "{targets: [{select: {kind: Provider}, ports: {webhook: 20443, metrics: 20080, health: 20081}}]}";
    assert_snapshot!(changes(all, &format!("{provider}{runtime}{}", controller_config(spec))), @"
    -  controllerConfigRef:
    -    name: irsa
    -    name: own
    +    name: hostnet-sql
    -apiVersion: pkg.crossplane.io/v1alpha1
    -kind: ControllerConfig
    -metadata:
    -  name: irsa
    +apiVersion: pkg.crossplane.io/v1beta1
    +kind: DeploymentRuntimeConfig
    +metadata: {name: hostnet-sql}
    -  args: [--debug, --webhook-port=9001]
    -  env: [{name: METRICS_BIND_ADDRESS, value: ':8001'}]
    -  ports: [{name: metrics, containerPort: 8001}, {name: webhook, containerPort: 9001}]
    +  deploymentTemplate:
    +    spec:
    +      selector: {}
    +      template:
    +        spec:
    +          hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    +          containers:
    +          - name: package-runtime
    +            args:
    +            - --debug
    +            - --webhook-port=20443
    +            env:
    +            - name: METRICS_BIND_ADDRESS, value: :20080
    +            - name: HEALTH_PROBE_BIND_ADDRESS, value: :20081
    +            ports:
    +            - name: metrics, containerPort: 20080, hostPort: 20080
    +            - name: webhook, containerPort: 20443, hostPort: 20443
    +            - name: readyz, containerPort: 20081, hostPort: 20081
    ");
}

#[test]
fn empty_fields_are_not_copied() {
    let empty =
        "  affinity: null\n  tolerations: []\n  securityContext: {}\n  nodeSelector:\n  metadata: {annotations: {}}\n";
    assert_eq!(changed_config("", empty), changed_config("", "  replicas:\n"));
    // Empty fields do not remove existing ones.
    let runtime = "      template: {metadata: {annotations: {a: b}}}\n";
    assert!(changed_config(runtime, empty).contains("annotations: {a: b}"), "{}", changed_config(runtime, empty));
}

/// The result of converting a runtime config with these fields and a ControllerConfig with this `spec`.
fn changed_config(deployment: &str, spec: &str) -> String {
    let runtime = format!(
        "---\napiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: own}}\nspec:\n  \
         deploymentTemplate:\n    spec:\n      selector: {{}}\n{deployment}"
    );
    let references = format!("{REFERENCE}  runtimeConfigRef:\n    name: own\n");
    let (output, log) = run(ALL, &format!("{}{runtime}{}", provider("sql", &references), controller_config(spec)));
    assert!(!log.iter().any(|line| line.starts_with("error")), "{log:?}");
    output.split("---\n").last().unwrap().to_owned()
}

#[test]
fn annotations_of_tools_are_not_copied_to_the_service_account() {
    let annotations = "metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{}'
    internal.config.kubernetes.io/index: '1'
    kustomize.config.k8s.io/id: x
    eks.amazonaws.com/role-arn: arn:aws:iam::1:role/a
";
    let config = controller_config("  replicas: 2\n").replace("metadata:\n", annotations);
    let (output, _) = run(ALL, &format!("{}{config}", provider("sql", REFERENCE)));
    for template in ["serviceAccountTemplate", "deploymentTemplate"] {
        let place = format!("/spec/{template}/metadata/annotations");
        let role = json!({"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/a"});
        assert_eq!(objects(&output)[1].pointer(&place), Some(&role), "{output}");
    }
}

#[test]
fn comments_of_other_list_items_stay() {
    let list = |own: &str, other: &str| {
        format!(
            "apiVersion: v1
kind: List
items:
- apiVersion: pkg.crossplane.io/v1
  kind: Provider
  metadata: {{name: sql, labels: &shared {{team: data}}}}
  spec: {{package: xpkg.upbound.io/crossplane-contrib/provider-sql:v0.15.0, controllerConfigRef: {{name: irsa}}}}
- apiVersion: pkg.crossplane.io/v1alpha1
  kind: ControllerConfig
  metadata: {{name: irsa}}
  spec:{own}
    replicas: 1
- apiVersion: v1
  kind: ConfigMap
  metadata: {{name: other, labels: *shared}}
  data:{other}
    a: b
"
        )
    };
    let says = |manifest: &str| run(ALL, manifest).1.iter().any(|line| line.contains("comments of ControllerConfig"));
    assert!(says(&list(" # for now", "")));
    assert!(!says(&list("", " # for now")));
}
