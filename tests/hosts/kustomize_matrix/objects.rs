//! A workload with its Service, and objects that refer to them.

/// Objects that refer to the workload, and the function's config.
pub(super) struct Referrer {
    pub(super) name: &'static str,
    pub(super) objects: &'static str,
    /// The kind of the config.
    pub(super) kind: &'static str,
    /// The config's spec, in flow style without the braces.
    pub(super) spec: &'static str,
}

/// The workload and its Service, in `system`.
pub(super) const WORKLOAD: &str = "\
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: system}
spec:
  selector: {app: hook}
  ports: [{name: https, port: 443, targetPort: 9443}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hook, namespace: system}
spec:
  selector: {matchLabels: {app: hook}}
  template:
    metadata: {labels: {app: hook}}
    spec:
      serviceAccountName: hook
      containers:
      - name: hook
        image: example.com/hook:v1
        args: [--webhook-port=9443, --metrics-bind-address=:8080]
        ports: [{name: webhook, containerPort: 9443}, {name: metrics, containerPort: 8080}]
        env:
        - name: TUNING_PORT
          valueFrom: {configMapKeyRef: {name: settings, key: port}}
        volumeMounts: [{name: files, mountPath: /etc/hook}]
      volumes: [{name: files, configMap: {name: files}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: hook, namespace: system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: system}
data: {port: '7443'}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: files, namespace: system}
data: {'config.yaml': 'mode: fast'}
";

/// Name references that kustomize does not know, as in the `configurations` of kubebuilder projects.
pub(super) const NAMES: &str = "\
nameReference:
- kind: Service
  version: v1
  fieldSpecs:
  - {kind: CustomResourceDefinition, group: apiextensions.k8s.io, path: spec/conversion/webhook/clientConfig/service/name}
- kind: DeploymentRuntimeConfig
  fieldSpecs:
  - {kind: Provider, group: pkg.crossplane.io, path: spec/runtimeConfigRef/name}
  - {kind: Function, group: pkg.crossplane.io, path: spec/runtimeConfigRef/name}
  - {kind: ImageConfig, group: pkg.crossplane.io, path: spec/runtime/configRef/name}
- kind: ControllerConfig
  fieldSpecs: [{kind: Provider, group: pkg.crossplane.io, path: spec/controllerConfigRef/name}]
namespace:
- {kind: CustomResourceDefinition, group: apiextensions.k8s.io, path: spec/conversion/webhook/clientConfig/service/namespace}
";

/// A workload that the API server does not call, with a Service that has the original name of the called workload's
/// Service.
pub(super) const IDLE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: system}
spec:
  selector: {app: idle}
  ports: [{name: https, port: 443, targetPort: 9443}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: idle, namespace: system}
spec:
  selector: {matchLabels: {app: idle}}
  template:
    metadata: {labels: {app: idle}}
    spec:
      containers:
      - name: idle
        image: example.com/idle:v1
        args: [--webhook-port=9443]
        ports: [{name: webhook, containerPort: 9443}]
";

const CALLED: &str = "targets: [{select: {calledByApiServer: true}, ports: PORTS}]";
const BY_KIND: &str = "targets: [{select: {kind: Deployment, name: '.*hook.*'}, ports: PORTS}]";
const MUTATING: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: hook.example.com
  clientConfig: {service: {name: hook, namespace: system, path: /mutate}}
  sideEffects: None
  admissionReviewVersions: [v1]
";
const PACKAGES: &str = "targets: [{select: {kind: Provider, name: '.*a-s3.*'}, ports: FIXED{webhook: 20443, metrics: 20080, readyz: 20081}}, {select: {kind: Provider, name: '.*a-ec2.*'}, ports: FIXED{webhook: 21443, metrics: 21080, readyz: 21081}}], unmatched: Ignore, crossplane: {version: v2.0.0}";

pub(super) static REFERRERS: [Referrer; 17] = [
    Referrer { name: "mutating", objects: MUTATING, kind: "HostNetwork", spec: CALLED },
    Referrer {
        name: "validating",
        objects: "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
webhooks:
- name: a.example.com
  clientConfig: {service: {name: hook, namespace: system}}
  sideEffects: None
  admissionReviewVersions: [v1]
- name: b.example.com
  clientConfig: {service: {name: hook, namespace: system, port: 443}}
  sideEffects: None
  admissionReviewVersions: [v1]
",
        kind: "HostNetwork",
        spec: CALLED,
    },
    Referrer {
        name: "conversion",
        objects: "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {name: hook, namespace: system, path: /convert}}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
",
        kind: "HostNetwork",
        spec: CALLED,
    },
    Referrer {
        name: "api-service",
        objects: "\
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.things.example.com}
spec: {group: things.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {name: hook, namespace: system}}
",
        kind: "HostNetwork",
        spec: CALLED,
    },
    Referrer {
        name: "monitors",
        objects: "\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: hook, namespace: system}
spec:
  selector: {matchLabels: {app: hook}}
  podMetricsEndpoints: [{targetPort: 8080}]
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: hook, namespace: system}
spec:
  selector: {matchLabels: {app: hook}}
  endpoints: [{targetPort: 8080}]
",
        kind: "HostNetwork",
        spec: BY_KIND,
    },
    Referrer {
        name: "ingress",
        objects: "\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: hook, namespace: system, annotations: {alb.ingress.kubernetes.io/healthcheck-port: '9443', alb.ingress.kubernetes.io/target-type: ip}}
spec:
  ingressClassName: alb
  rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: hook, port: {number: 443}}}}]}}]
",
        kind: "HostNetwork",
        spec: BY_KIND,
    },
    Referrer {
        name: "policy",
        objects: "\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: hook, namespace: system}
spec:
  podSelector: {matchLabels: {app: hook}}
  ingress: [{ports: [{port: 9443}]}]
",
        kind: "HostNetwork",
        spec: BY_KIND,
    },
    Referrer {
        name: "config map of a variable",
        objects: "\
apiVersion: v1
kind: ConfigMap
metadata: {name: ports, namespace: system}
data: {webhook: '9443'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hook-by-map, namespace: system}
spec:
  selector: {matchLabels: {app: by-map}}
  template:
    metadata: {labels: {app: by-map}}
    spec:
      containers:
      - name: hook
        image: example.com/hook:v1
        env: [{name: WEBHOOK_PORT, valueFrom: {configMapKeyRef: {name: ports, key: webhook}}}]
        ports: [{name: webhook, containerPort: 9443}]
",
        kind: "HostNetwork",
        spec: "targets: [{select: {kind: Deployment, name: '.*hook-by-map.*'}, ports: PORTS}]",
    },
    Referrer {
        name: "config map of a file",
        objects: "\
apiVersion: v1
kind: ConfigMap
metadata: {name: manager, namespace: system}
data:
  config.yaml: |
    apiVersion: controller-runtime.sigs.k8s.io/v1alpha1
    kind: ControllerManagerConfig
    webhook: {port: 9443}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hook-by-file, namespace: system}
spec:
  selector: {matchLabels: {app: by-file}}
  template:
    metadata: {labels: {app: by-file}}
    spec:
      containers:
      - name: hook
        image: example.com/hook:v1
        args: [--config=/etc/manager/config.yaml]
        ports: [{name: webhook, containerPort: 9443}]
        volumeMounts: [{name: config, mountPath: /etc/manager}]
      volumes: [{name: config, configMap: {name: manager}}]
",
        kind: "HostNetwork",
        spec: "targets: [{select: {kind: Deployment, name: '.*hook-by-file.*'}, ports: PORTS}]",
    },
    Referrer {
        name: "scaled and budgeted",
        objects: "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: hook, namespace: system}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: hook}, minReplicas: 2, maxReplicas: 5}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: hook, namespace: system}
spec: {minAvailable: 1, selector: {matchLabels: {app: hook}}}
",
        kind: "HostNetwork",
        spec: "nodes: 3, targets: [{select: {kind: Deployment, name: '.*hook.*'}, ports: PORTS}]",
    },
    Referrer {
        name: "provider with a runtime config",
        objects: "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a-s3}
spec: {package: xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0, runtimeConfigRef: {name: demo}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: demo}
spec:
  serviceAccountTemplate: {metadata: {annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/demo'}}}
",
        kind: "HostNetwork",
        spec: PACKAGES,
    },
    Referrer {
        name: "two providers of one runtime config",
        objects: "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a-s3}
spec: {package: xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0, runtimeConfigRef: {name: demo}}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a-ec2}
spec: {package: xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.6.0, runtimeConfigRef: {name: demo}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: demo}
spec:
  serviceAccountTemplate: {metadata: {annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/demo'}}}
",
        kind: "HostNetwork",
        spec: PACKAGES,
    },
    Referrer {
        name: "controller config",
        objects: "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a-s3}
spec: {package: xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0, controllerConfigRef: {name: old}}
---
apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata: {name: old}
spec: {args: [--debug]}
",
        kind: "HostNetwork",
        spec: "targets: [{select: {kind: Provider}, ports: FIXED{webhook: 20443, metrics: 20080, readyz: 20081}}], crossplane: {version: v1.20.11}",
    },
    Referrer {
        name: "proxy of workloads",
        objects: MUTATING,
        kind: "ProxyEnvironment",
        spec: "httpsProxy: 'http://proxy:3128', cluster: {pods: [10.0.0.0/8]}, targets: [{select: {kind: Deployment}}]",
    },
    Referrer {
        name: "proxy of packages",
        objects: "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a-s3}
spec: {package: xpkg.crossplane.io/acme/provider-demo:v1.0.0, runtimeConfigRef: {name: demo}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: demo}
spec:
  deploymentTemplate: {spec: {selector: {}, template: {spec: {containers: [{name: package-runtime, env: [{name: A, value: b}]}]}}}}
",
        kind: "ProxyEnvironment",
        spec: "httpsProxy: 'http://proxy:3128', cluster: {pods: [10.0.0.0/8]}, crossplane: {version: v2.0.0, namespace: crossplane-system}, targets: [{select: {kind: Provider}}]",
    },
    Referrer {
        name: "mirror",
        objects: "\
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: a-s3}
spec: {package: xpkg.crossplane.io/acme/provider-demo:v1.0.0, runtimeConfigRef: {name: demo}}
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: demo}
spec:
  deploymentTemplate: {spec: {selector: {}, template: {spec: {containers: [{name: package-runtime, image: xpkg.crossplane.io/acme/own:v1}]}}}}
",
        kind: "PackageMirror",
        spec: "style: Rewrite, rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}, {from: example.com, to: registry.example.com/example}], crossplane: {version: v2.0.0}, select: [{kind: 'Provider|DeploymentRuntimeConfig|Deployment'}]",
    },
    Referrer {
        name: "check",
        objects: MUTATING,
        kind: "HostNetworkCheck",
        spec: "apiServer: Outside, failOn: Error",
    },
];
