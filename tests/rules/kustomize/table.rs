//! Fields in kustomize's own table.

use super::{CALLED, operator, renamed, same, stream, webhook};

const MOVED: [&str; 3] =
    ["+      hostNetwork: true\n", "+        args: [--webhook-port=20443]\n", "targetPort: webhook}\n"];

fn is_moved(text: &str) {
    let changed = same(CALLED, text);
    assert!(MOVED.iter().all(|line| changed.contains(line)), "{changed}");
}

/// The former namespace with a former name, and the present namespace with either name.
#[test]
fn a_webhook_calls_a_renamed_service() {
    is_moved(&stream(&[operator(), webhook("[system|ops]", "[hook|a-hook]")]));
    is_moved(&stream(&[operator(), webhook("ops", "[hook|a-hook]")]));
    is_moved(&stream(&[operator(), webhook("ops", "a-hook")]));
}

/// The text of the reference and the annotations keep their bytes.
#[test]
fn the_caller_keeps_its_text() {
    let text = super::version(&stream(&[operator(), webhook("[system|ops]", "[hook|a-hook]")]), false);
    let (output, _) = super::outcome(CALLED, &text);
    assert!(output.ends_with("  clientConfig: {service: {namespace: 'system', name: 'hook'}}\n"), "{output}");
    assert_eq!(
        output.matches("internal.config.kubernetes.io/").count(),
        text.matches("internal.config.kubernetes.io/").count()
    );
}

#[test]
fn apiservices_are_called_by_name_alone() {
    let api = "apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.example.com}
spec: {group: example.com, version: v1, service: {namespace: ops, name: '[hook|a-hook]'}}
";
    is_moved(&stream(&[operator(), api.to_owned()]));
}

/// An idle Service has the former name of the called Service. By present names the idle workload would move.
#[test]
fn a_former_name_wins_over_a_present_one() {
    let idle = operator().replace("a-manager", "idle").replace("a-hook", "hook").replace("ledger", "idle");
    let idle = idle.replace("namespace: ops", "namespace: system");
    let bare = regex::Regex::new(r", annotations: \{[^}]*\}").unwrap();
    let idle = bare.replace_all(&idle, "").into_owned();
    let changed = same(CALLED, &stream(&[operator(), idle, webhook("[system|ops]", "[hook|a-hook]")]));
    assert_eq!(changed.matches("hostNetwork: true").count(), 1, "{changed}");
    assert!(changed.contains("+        args: [--webhook-port=20443]\n"));
}

/// The namespace of a reference chooses between two objects with the same former name.
#[test]
fn the_namespace_of_a_reference_counts() {
    let other = operator()
        .replace("system,ops", "other,two")
        .replace("namespace: ops", "namespace: two")
        .replace("ledger", "idle");
    let changed = same(CALLED, &stream(&[operator(), other, webhook("[system|ops]", "[hook|a-hook]")]));
    assert_eq!(changed.matches("hostNetwork: true").count(), 1, "{changed}");
}

/// Two overlays of one base in one build: each caller means the Service with its own prefix.
#[test]
fn prefixes_tell_two_overlays_of_one_base_apart() {
    let two = |text: &str| {
        text.replace("a-", "b-").replace("namespace: ops", "namespace: two").replace("system,ops", "system,two")
    };
    let first = [operator(), webhook("[system|ops]", "[hook|a-hook]")];
    let second = [two(&operator()), two(&webhook("[system|two]", "[hook|a-hook]"))];
    let config = CALLED.replace("spec: {", "spec: {exclude: [{namespace: two}], ");
    let changed = same(&config, &stream(&[first.to_vec(), second.to_vec()].concat()));
    assert_eq!(changed.matches("hostNetwork: true").count(), 1, "{changed}");
}

/// A variable of a container, and a mounted file.
#[test]
fn config_maps_of_variables_and_files() {
    let map = format!(
        "apiVersion: v1
kind: ConfigMap
metadata: {{name: a-conf, namespace: ops, {}}}
data:
  port: '9443'
",
        renamed("ConfigMap", "system,ops", "conf,conf", "a-")
    );
    let env = "        env:
        - name: WEBHOOK_PORT
          valueFrom: {configMapKeyRef: {name: '[conf|a-conf]', key: port}}
";
    let operator =
        operator().replace("        args: [--webhook-port=9443]\n", "        args: [--webhook-port=$(WEBHOOK_PORT)]\n");
    let operator = operator.replace("        ports:\n", &format!("{env}        ports:\n"));
    let changed = same(CALLED, &stream(&[operator, map, webhook("[system|ops]", "[hook|a-hook]")]));
    assert!(changed.contains("+  port: '20443'\n"), "{changed}");
}

/// The health check of a load balancer, set at the Ingress of the Service.
#[test]
fn an_ingress_leads_to_a_renamed_service() {
    let ingress = format!(
        "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: a-i
  namespace: ops
  {}
  labels: {{}}
spec: {{defaultBackend: {{service: {{name: '[hook|a-hook]', port: {{number: 443}}}}}}}}
",
        renamed("Ingress", "system,ops", "i,i", "a-")
            .replace('}', ", alb.ingress.kubernetes.io/healthcheck-port: '9443'}")
    );
    let (_, run) = super::outcome(
        CALLED,
        &super::version(&stream(&[operator(), ingress, webhook("[system|ops]", "[hook|a-hook]")]), false),
    );
    let followed = run.results.iter().any(|result| result.is_change && result.to_string().contains("healthcheck-port"));
    assert!(followed, "{:#?}", run.results.iter().map(ToString::to_string).collect::<Vec<_>>());
}

/// Without annotations there are no former names.
#[test]
fn a_finished_build_has_only_present_names() {
    let text = super::version(&stream(&[operator(), webhook("system", "hook")]), true);
    let (output, _) = super::outcome(CALLED, &text);
    assert_eq!(output, text);
}

/// Annotations with lists of different lengths are ignored.
#[test]
fn broken_annotations_are_left_out() {
    let text = super::version(&stream(&[operator(), webhook("system", "hook")]), false);
    let text = text.replace("previousKinds: 'Service,Service'", "previousKinds: 'Service'");
    assert_eq!(super::outcome(CALLED, &text).0, text);
}

/// The API server would refuse the pods, in the build too.
#[test]
fn a_binding_names_a_renamed_policy() {
    let own = |kind| renamed(kind, "_non_namespaceable_", "nohost", "a-");
    let (policy, binding) = (own("ValidatingAdmissionPolicy"), own("ValidatingAdmissionPolicyBinding"));
    let policies = |action: &str| {
        format!(
        "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: a-nohost, {policy}}}
spec:
  matchConstraints: {{resourceRules: [{{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}}]}}
  validations: [{{expression: '!has(object.spec.template.spec.hostNetwork) || !object.spec.template.spec.hostNetwork'}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: a-nohost, {binding}}}
spec: {{policyName: '[nohost|a-nohost]', validationActions: [{action}]}}
"
    )
    };
    let text = |action: &str| stream(&[operator(), webhook("ops", "a-hook"), policies(action)]);
    for is_finished in [false, true] {
        let (output, run) = super::outcome(CALLED, &super::version(&text("Deny"), is_finished));
        assert!(!output.contains("hostNetwork: true"), "{is_finished}: {output}");
        assert!(super::reported(&run).iter().any(|line| line.contains("a-nohost")), "{is_finished}");
    }
    assert!(same(CALLED, &text("Audit")).contains("+      hostNetwork: true\n"));
}

/// Two workloads with one volume share a node, where they cannot share a port.
#[test]
fn a_pod_mounts_a_renamed_claim() {
    let own = |kind| renamed(kind, "ops", "data", "a-");
    let workload = |name: &str| {
        format!(
            "apiVersion: apps/v1
kind: Deployment
metadata: {{name: a-{name}, namespace: ops, {}}}
spec:
  replicas: 1
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers: [{{name: main, image: 'example.com/{name}:v1', ports: [{{name: hook, containerPort: 9443}}]}}]
      volumes: [{{name: d, persistentVolumeClaim: {{claimName: '[data|a-data]'}}}}]
",
            renamed("Deployment", "ops", name, "a-")
        )
    };
    let claim = format!(
        "apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: a-data, namespace: ops, {}}}
spec: {{accessModes: [ReadWriteOnce]}}
",
        own("PersistentVolumeClaim")
    );
    let all = "kind: HostNetwork\nspec: {nodes: 6, targets: [{select: {kind: Deployment}, ports: auto}]}\n";
    let text = stream(&[workload("gate"), workload("door"), claim]);
    for is_finished in [false, true] {
        let (output, _) = super::outcome(all, &super::version(&text, is_finished));
        assert_eq!(output.matches("hostNetwork: true").count(), 0, "{is_finished}: {output}");
    }
}
