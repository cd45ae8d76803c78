//! The folder structure of kubebuilder, JobSet and OpenKruise projects: a manager, its webhooks and its certificates in
//! separate folders, combined with a namespace, a prefix, patches and `nameReference` entries.

use std::path::Path;
use std::process::Command;

use super::bench::{Bench, Form, difference, objects};
use crate::cases::{HOSTNET, host};
use crate::support::{run, text};

/// A project: its name, its files, and the folder to build.
struct Tree {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    top: &'static str,
    /// The image of the manager, which identifies it in a build.
    deployment: &'static str,
}

const MANAGER: &str = "\
apiVersion: v1
kind: Namespace
metadata: {name: system, labels: {control-plane: controller-manager}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller-manager, namespace: system, labels: {control-plane: controller-manager}}
spec:
  selector: {matchLabels: {control-plane: controller-manager}}
  replicas: 1
  template:
    metadata:
      annotations: {kubectl.kubernetes.io/default-container: manager}
      labels: {control-plane: controller-manager}
    spec:
      securityContext: {runAsNonRoot: true}
      containers:
      - name: manager
        command: [/manager]
        args: [--leader-elect, --health-probe-bind-address=:8081]
        image: controller:latest
        livenessProbe: {httpGet: {path: /healthz, port: 8081}}
        readinessProbe: {httpGet: {path: /readyz, port: 8081}}
      serviceAccountName: controller-manager
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: controller-manager, namespace: system}
";
const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: webhook-service, namespace: system}
spec:
  ports: [{port: 443, protocol: TCP, targetPort: 9443}]
  selector: {control-plane: controller-manager}
";
const WEBHOOKS: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating-webhook-configuration}
webhooks:
- name: m.example.com
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: webhook-service, namespace: system, path: /mutate}}
  sideEffects: None
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating-webhook-configuration}
webhooks:
- name: v.example.com
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: webhook-service, namespace: system, path: /validate}}
  sideEffects: None
";
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
";
const CONVERSION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  conversion:
    strategy: Webhook
    webhook:
      clientConfig: {service: {namespace: system, name: webhook-service, path: /convert}}
      conversionReviewVersions: [v1]
";
const CRD_NAMES: &str = "\
nameReference:
- kind: Service
  version: v1
  fieldSpecs: [{kind: CustomResourceDefinition, version: v1, group: apiextensions.k8s.io, path: spec/conversion/webhook/clientConfig/service/name}]
namespace:
- {kind: CustomResourceDefinition, version: v1, group: apiextensions.k8s.io, path: spec/conversion/webhook/clientConfig/service/namespace, create: false}
varReference: [{path: metadata/annotations}]
";
const PORT_PATCH: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller-manager, namespace: system}
spec:
  template:
    spec:
      containers:
      - name: manager
        args: [--leader-elect, --health-probe-bind-address=:8081, --metrics-bind-address=:8443, --webhook-port=9443]
        ports: [{containerPort: 9443, name: webhook-server, protocol: TCP}]
        volumeMounts: [{mountPath: /tmp/k8s-webhook-server/serving-certs, name: cert, readOnly: true}]
      volumes: [{name: cert, secret: {defaultMode: 420, secretName: webhook-server-cert}}]
";

const TREES: [Tree; 3] = [
    Tree {
        name: "kubebuilder",
        files: &[
            ("config/crd/bases/things.yaml", CRD),
            ("config/crd/patches/webhook.yaml", CONVERSION),
            ("config/crd/kustomizeconfig.yaml", CRD_NAMES),
            (
                "config/crd/kustomization.yaml",
                "resources: [bases/things.yaml]\npatches: [{path: patches/webhook.yaml}]\nconfigurations: [kustomizeconfig.yaml]\n",
            ),
            ("config/manager/manager.yaml", MANAGER),
            (
                "config/manager/kustomization.yaml",
                "resources: [manager.yaml]\nimages: [{name: controller, newName: example.com/project, newTag: v1}]\n",
            ),
            ("config/webhook/service.yaml", SERVICE),
            ("config/webhook/manifests.yaml", WEBHOOKS),
            ("config/webhook/kustomization.yaml", "resources: [manifests.yaml, service.yaml]\n"),
            ("config/default/manager_webhook_patch.yaml", PORT_PATCH),
            (
                "config/default/metrics_service.yaml",
                "apiVersion: v1\nkind: Service\nmetadata: {name: controller-manager-metrics-service, namespace: system}\nspec:\n  ports: [{name: https, port: 8443, protocol: TCP, targetPort: 8443}]\n  selector: {control-plane: controller-manager}\n",
            ),
            (
                "config/default/kustomization.yaml",
                "namespace: project-system\nnamePrefix: project-\nresources: [../crd, ../manager, ../webhook, metrics_service.yaml]\npatches: [{path: manager_webhook_patch.yaml, target: {kind: Deployment}}]\nreplacements:\n- source: {kind: Service, version: v1, name: webhook-service, fieldPath: .metadata.name}\n  targets:\n  - select: {kind: MutatingWebhookConfiguration}\n    fieldPaths: [.metadata.annotations.service]\n    options: {create: true}\nTRANSFORMERS",
            ),
        ],
        top: "config/default",
        deployment: "project-controller-manager",
    },
    Tree {
        name: "jobset",
        files: &[
            ("config/components/crd/things.yaml", CRD),
            ("config/components/crd/kustomization.yaml", "resources: [things.yaml]\n"),
            ("config/components/manager/manager.yaml", MANAGER),
            (
                "config/components/manager/controller_manager_config.yaml",
                "apiVersion: config.example.com/v1\nkind: Configuration\nleaderElection: {leaderElect: true}\n",
            ),
            (
                "config/components/manager/kustomization.yaml",
                "resources: [manager.yaml]\ngeneratorOptions: {disableNameSuffixHash: true}\nconfigMapGenerator:\n- name: manager-config\n  files: [controller_manager_config.yaml]\nimages: [{name: controller, newName: example.com/jobset, newTag: v1}]\n",
            ),
            ("config/components/webhook/service.yaml", SERVICE),
            ("config/components/webhook/manifests.yaml", WEBHOOKS),
            (
                "config/components/webhook/kustomizeconfig.yaml",
                "nameReference:\n- kind: Service\n  version: v1\n  fieldSpecs:\n  - {kind: MutatingWebhookConfiguration, group: admissionregistration.k8s.io, path: webhooks/clientConfig/service/name}\n  - {kind: ValidatingWebhookConfiguration, group: admissionregistration.k8s.io, path: webhooks/clientConfig/service/name}\nnamespace:\n- {kind: MutatingWebhookConfiguration, group: admissionregistration.k8s.io, path: webhooks/clientConfig/service/namespace, create: true}\n- {kind: ValidatingWebhookConfiguration, group: admissionregistration.k8s.io, path: webhooks/clientConfig/service/namespace, create: true}\n",
            ),
            (
                "config/components/webhook/kustomization.yaml",
                "resources: [manifests.yaml, service.yaml]\nconfigurations: [kustomizeconfig.yaml]\n",
            ),
            ("config/default/manager_webhook_patch.yaml", PORT_PATCH),
            (
                "config/default/kustomization.yaml",
                "namespace: jobset-system\nnamePrefix: jobset-\nresources: [../components/crd, ../components/manager, ../components/webhook]\npatches: [{path: manager_webhook_patch.yaml}]\nTRANSFORMERS",
            ),
        ],
        top: "config/default",
        deployment: "jobset-controller-manager",
    },
    Tree {
        name: "kruise",
        files: &[
            ("config/crd/bases/things.yaml", CRD),
            ("config/crd/kustomization.yaml", "resources: [bases/things.yaml]\n"),
            ("config/manager/manager.yaml", MANAGER),
            (
                "config/manager/kustomization.yaml",
                "resources: [manager.yaml]\nimages: [{name: controller, newName: example.com/kruise, newTag: v1}]\n",
            ),
            ("config/webhook/service.yaml", SERVICE),
            ("config/webhook/manifests.yaml", WEBHOOKS),
            ("config/webhook/kustomization.yaml", "resources: [manifests.yaml, service.yaml]\n"),
            (
                "config/default/manager_patch.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: controller-manager, namespace: system}\nspec:\n  template:\n    spec:\n      containers:\n      - name: manager\n        args: [--enable-leader-election, --metrics-addr=:8080, --health-probe-bind-address=:8081]\n        env: [{name: WEBHOOK_PORT, value: '9443'}]\n        ports: [{containerPort: 9443, name: webhook-server, protocol: TCP}, {containerPort: 8080, name: metrics, protocol: TCP}]\n",
            ),
            (
                "config/default/kustomization.yaml",
                "namespace: kruise-system\nnamePrefix: kruise-\nresources: [../crd, ../manager, ../webhook]\npatches: [{path: manager_patch.yaml}]\nTRANSFORMERS",
            ),
        ],
        top: "config/default",
        deployment: "kruise-controller-manager",
    },
];

const CONFIG: &str = "\
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: webhooks}
spec:
  targets: [{select: {calledByApiServer: true}, ports: auto}]
";

fn write(root: &Path, tree: &Tree, functions: &str) {
    for (name, content) in tree.files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content.replace("TRANSFORMERS", functions)).unwrap();
    }
    std::fs::write(root.join(tree.top).join("hostnet.yaml"), CONFIG).unwrap();
}

#[test]
fn kubebuilder_projects_move_as_in_a_pipe() {
    let (Some(kustomize), Some(kubectl)) = (host("kustomize"), host("kubectl")) else { return };
    let bench = Bench::new(kustomize, kubectl);
    for tree in &TREES {
        let folder = tempfile::tempdir().unwrap();
        let (plain, with) = (folder.path().join("plain"), folder.path().join("with"));
        write(&plain, tree, "");
        write(&with, tree, "transformers: [hostnet.yaml]\n");
        let plain = bench.build(&plain.join(tree.top), Form::Plugin);
        assert!(plain.status.success(), "{}: {}", tree.name, text(&plain.stderr));
        let config = with.join(tree.top).join("hostnet.yaml");
        let piped = run(Command::new(HOSTNET).args(["apply", "-c"]).arg(&config), &plain.stdout);
        assert!(piped.status.success(), "{}: {}", tree.name, text(&piped.stderr));
        for form in [Form::Plugin, Form::KubectlPlugin] {
            let built = bench.build(&with.join(tree.top), form);
            assert!(built.status.success(), "{}: {}", tree.name, text(&built.stderr));
            let (wanted, got) = (objects(&piped.stdout), objects(&built.stdout));
            assert_eq!(difference(&wanted, &got), "", "{} {form:?}", tree.name);
            let namespace = tree.deployment.replace("-controller-manager", "-system");
            let moved = &got[&format!("Deployment {namespace}/{}", tree.deployment)]["spec"]["template"]["spec"];
            assert_eq!(moved["hostNetwork"].as_bool(), Some(true), "{}", tree.name);
            assert_eq!(moved["dnsPolicy"].as_str(), Some("ClusterFirstWithHostNet"), "{}", tree.name);
            let ports = moved["containers"][0]["ports"].as_sequence().unwrap();
            let webhook = ports.iter().find(|port| port["name"].as_str() == Some("webhook-server")).unwrap();
            assert!(webhook["containerPort"].as_u64() > Some(20_000), "{}: {webhook:?}", tree.name);
            assert_eq!(webhook["hostPort"], webhook["containerPort"], "{}", tree.name);
            let service = &got
                [&format!("Service {namespace}/{}", tree.deployment.replace("controller-manager", "webhook-service"))];
            assert_eq!(service["spec"]["ports"][0]["targetPort"].as_str(), Some("webhook-server"), "{}", tree.name);
        }
    }
}
