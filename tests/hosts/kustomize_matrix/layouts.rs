//! Kustomizations with renames, as folders to build.

/// The folders of a build. `base` contains the objects; `TRANSFORMERS` is replaced by the list with the function, and
/// `RESOURCES` by the list of the referrer's files.
pub(super) struct Layout {
    pub(super) name: &'static str,
    /// Content of the `kustomization.yaml` in each folder, by path.
    pub(super) folders: &'static [(&'static str, &'static str)],
    /// The folder to build.
    pub(super) top: &'static str,
    /// The folder with the function's config.
    pub(super) function: &'static str,
    /// The folder with the referrer's file; the workload and its Service are always in `base`.
    pub(super) caller: &'static str,
    /// True if the build contains two workloads with the same original name.
    pub(super) twice: bool,
    /// A folder that also gets an idle workload.
    pub(super) more: &'static str,
    /// Other files by path.
    pub(super) files: &'static [(&'static str, &'static str)],
}

const BASE: (&str, &str) = ("base", "resources: [FILES]\nconfigurations: [names.yaml]\n");

const fn simple(name: &'static str, top: &'static str) -> Layout {
    Layout { name, folders: &[], top, function: "top", caller: "base", twice: false, more: "", files: &[] }
}

pub(super) static LAYOUTS: [Layout; 32] = [
    Layout { folders: &[BASE, ("top", "resources: [../base]\nTRANSFORMERS\n")], ..simple("plain", "top") },
    Layout {
        folders: &[BASE, ("top", "namespace: ops\nresources: [../base]\nTRANSFORMERS\n")],
        ..simple("namespace", "top")
    },
    Layout {
        folders: &[BASE, ("top", "namePrefix: a-\nresources: [../base]\nTRANSFORMERS\n")],
        ..simple("prefix", "top")
    },
    Layout {
        folders: &[BASE, ("top", "nameSuffix: -z\nresources: [../base]\nTRANSFORMERS\n")],
        ..simple("suffix", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("top", "namespace: ops\nnamePrefix: a-\nnameSuffix: -z\nresources: [../base]\nTRANSFORMERS\n"),
        ],
        ..simple("namespace, prefix and suffix", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namespace: mid\nnamePrefix: a-\nresources: [../base]\n"),
            ("top", "namespace: ops\nnamePrefix: b-\nnameSuffix: -z\nresources: [../mid]\nTRANSFORMERS\n"),
        ],
        ..simple("nested twice", "top")
    },
    Layout {
        folders: &[(
            "base",
            "namespace: ops\nnamePrefix: a-\nresources: [FILES]\nconfigurations: [names.yaml]\nTRANSFORMERS\n",
        )],
        function: "base",
        ..simple("next to the files", "base")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namespace: ops\nnamePrefix: a-\nresources: [../base]\n"),
            (
                "component",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nlabels: [{pairs: {part: hook}}]\nTRANSFORMERS\n",
            ),
            ("top", "resources: [../mid]\ncomponents: [../component]\n"),
        ],
        function: "component",
        ..simple("component", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "component",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: a-\nTRANSFORMERS\n",
            ),
            ("top", "resources: [../base]\ncomponents: [../component]\n"),
        ],
        function: "component",
        ..simple("component that renames", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("one", "namePrefix: one-\nresources: [../base]\n"),
            ("two", "namePrefix: two-\nresources: [../base]\n"),
            ("top", "resources: [../one, ../two]\nTRANSFORMERS\n"),
        ],
        twice: true,
        ..simple("two overlays of one base", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("one", "namespace: one\nresources: [../base]\n"),
            ("two", "namespace: two\nnamePrefix: two-\nresources: [../base]\n"),
            ("top", "resources: [../one, ../two]\nTRANSFORMERS\n"),
        ],
        twice: true,
        ..simple("one name in two namespaces", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "resources: [../base]\nTRANSFORMERS\n"),
            ("top", "namePrefix: b-\nresources: [../mid]\n"),
        ],
        function: "mid",
        ..simple("renamed above", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namespace: mid\nnamePrefix: a-\nresources: [../base]\nTRANSFORMERS\n"),
            ("top", "namespace: ops\nnamePrefix: b-\nresources: [../mid]\n"),
        ],
        function: "mid",
        ..simple("renamed below and above", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namePrefix: a-\nresources: [../base]\npatches:\n- target: {kind: Deployment, name: hook}\n  patch: |-\n    - {op: add, path: /spec/replicas, value: 3}\n- patch: '{apiVersion: v1, kind: Service, metadata: {name: hook, namespace: system}, spec: {type: ClusterIP}}'\nTRANSFORMERS\n",
            ),
        ],
        ..simple("patches", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namespace: ops\nnamePrefix: a-\nresources: [../base]\nreplacements:\n- source: {kind: Service, name: hook, fieldPath: metadata.name}\n  targets:\n  - select: {kind: Deployment, name: hook}\n    fieldPaths: ['metadata.annotations.service']\n    options: {create: true}\nTRANSFORMERS\n",
            ),
        ],
        ..simple("replacements", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namePrefix: a-\nresources: [../base]\nconfigMapGenerator:\n- name: other\n  literals: [mode=fast]\nsecretGenerator:\n- name: token\n  literals: [token=x]\nTRANSFORMERS\n",
            ),
        ],
        ..simple("generators with a hash", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namePrefix: a-\nresources: [../base]\nlabels:\n- pairs: {team: a}\n  includeSelectors: true\nimages:\n- {name: example.com/hook, newTag: v2}\nTRANSFORMERS\n",
            ),
        ],
        ..simple("labels and images", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namePrefix: a-\nresources: [../base]\n"),
            ("top", "namePrefix: b-\nresources: [../mid, FILES]\nTRANSFORMERS\n"),
        ],
        caller: "top",
        ..simple("a file of the overlay", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namePrefix: a-\nresources: [../base]\n"),
            ("idle", "resources: [idle.yaml]\n"),
            ("top", "resources: [../mid, ../idle]\nTRANSFORMERS\n"),
        ],
        more: "idle",
        ..simple("an idle Service of the former name", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namePrefix: a-\nresources: [../base]\nTRANSFORMERS\n"),
            (
                "top",
                "resources: [../mid]\npatches:\n- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a-hook, namespace: system}, spec: {template: {spec: {containers: [{name: hook, args: [--webhook-port=9443]}]}}}}'\n",
            ),
        ],
        function: "mid",
        ..simple("patch above", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namePrefix: a-\nresources: [../base]\nTRANSFORMERS\n"),
            ("top", "resources: [../mid, FILES]\n"),
        ],
        function: "mid",
        caller: "top",
        ..simple("caller above", "top")
    },
    Layout {
        folders: &[
            (
                "base",
                "resources: [FILES]\nconfigurations: [names.yaml]\nvars: [{name: SERVICE_NAME, objref: {kind: Service, name: hook, version: v1}}, {name: SERVICE_NAMESPACE, objref: {kind: Service, name: hook, version: v1}, fieldref: {fieldpath: metadata.namespace}}]\npatches:\n- target: {kind: Deployment, name: hook}\n  patch: |-\n    - {op: add, path: /spec/template/spec/containers/0/args/-, value: \"--host=$(SERVICE_NAME).$(SERVICE_NAMESPACE).svc\"}\n    - {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: SERVICE, value: $(SERVICE_NAME)}}\n    - {op: add, path: /metadata/annotations, value: {service: $(SERVICE_NAMESPACE)/$(SERVICE_NAME)}}\n",
            ),
            ("top", "namespace: ops\nnamePrefix: a-\nresources: [../base]\nTRANSFORMERS\n"),
        ],
        ..simple("vars of the base", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namespace: ops\nnamePrefix: a-\nresources: [../base]\nvars: [{name: SERVICE_NAME, objref: {kind: Service, name: hook, version: v1}}]\npatches:\n- target: {kind: Deployment, name: hook}\n  patch: |-\n    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --host=$(SERVICE_NAME)}\n    - {op: add, path: /spec/template/metadata/annotations, value: {service: $(SERVICE_NAME)}}\nTRANSFORMERS\n",
            ),
        ],
        ..simple("vars of the overlay", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namePrefix: a-\nresources: [../base]\nvars: [{name: NUMBER, objref: {kind: Service, name: hook, version: v1}, fieldref: {fieldpath: 'spec.ports[0].targetPort'}}]\npatches:\n- target: {kind: Deployment, name: hook}\n  patch: |-\n    - {op: replace, path: /spec/template/spec/containers/0/args/0, value: --webhook-port=$(NUMBER)}\nTRANSFORMERS\n",
            ),
        ],
        ..simple("var of a port", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namespace: ops\nnamePrefix: a-\nresources: [../base]\nhelmCharts: [{name: extra, releaseName: extra, namespace: system}]\nTRANSFORMERS\n",
            ),
        ],
        files: &[
            ("top/charts/extra/Chart.yaml", CHART),
            ("top/charts/extra/values.yaml", "{}\n"),
            ("top/charts/extra/templates/all.yaml", CHART_TEMPLATE),
        ],
        ..simple("a chart next to the base", "top")
    },
    Layout {
        folders: &[
            (
                "base",
                "resources: [FILES]\nconfigurations: [names.yaml]\nhelmCharts: [{name: extra, releaseName: extra, namespace: system}]\n",
            ),
            ("top", "nameSuffix: -z\nresources: [../base]\nTRANSFORMERS\n"),
        ],
        files: &[
            ("base/charts/extra/Chart.yaml", CHART),
            ("base/charts/extra/values.yaml", "{}\n"),
            ("base/charts/extra/templates/all.yaml", CHART_TEMPLATE),
        ],
        ..simple("a chart in the base", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("inner", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -z\n"),
            (
                "outer",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncomponents: [../inner]\nnamePrefix: a-\n",
            ),
            ("top", "namespace: ops\nresources: [../base]\ncomponents: [../outer]\nTRANSFORMERS\n"),
        ],
        ..simple("component in a component", "top")
    },
    Layout {
        folders: &[
            BASE,
            ("mid", "namespace: mid\nnameSuffix: -m\nresources: [../base]\n"),
            ("top", "namespace: ops\nnameSuffix: -z\nresources: [../mid]\nTRANSFORMERS\n"),
        ],
        ..simple("suffixes of two levels", "top")
    },
    Layout {
        folders: &[BASE, ("top", "namePrefix: a-\nresources: [../base]\ntransformers: [names.yaml FUNCTION]\n")],
        files: &[(
            "top/names.yaml",
            "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: unset, namespace: ops}\nunsetOnly: true\nfieldSpecs: [{path: metadata/namespace, create: true}]\n",
        )],
        ..simple("a namespace where none is set", "top")
    },
    Layout {
        folders: &[BASE, ("top", "namePrefix: a-\nresources: [../base]\ntransformers: [names.yaml FUNCTION]\n")],
        files: &[(
            "top/names.yaml",
            "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: services}\nprefix: x-\nfieldSpecs: [{path: metadata/name, kind: Service}, {path: metadata/name, kind: ConfigMap}]\n",
        )],
        ..simple("a prefix of Services and ConfigMaps", "top")
    },
    Layout {
        folders: &[
            BASE,
            (
                "top",
                "namespace: ops\nnamePrefix: a-\nresources: [../base]\nreplacements:\n- source: {kind: Service, name: hook, fieldPath: spec.ports.0.targetPort}\n  targets:\n  - select: {kind: Deployment, name: hook}\n    fieldPaths: [spec.template.spec.containers.0.args.0]\n    options: {delimiter: '=', index: 1}\nsortOptions: {order: legacy}\nTRANSFORMERS\n",
            ),
        ],
        ..simple("a replacement of a part of an argument", "top")
    },
    Layout {
        folders: &[
            (
                "base",
                "resources: [FILES]\nconfigurations: [names.yaml]\nconfigMapGenerator: [{name: made, namespace: system, literals: [a=b]}]\n",
            ),
            (
                "mid",
                "namePrefix: a-\nresources: [../base]\nconfigMapGenerator: [{name: made, namespace: system, behavior: merge, literals: [c=d]}]\n",
            ),
            ("top", "namespace: ops\nresources: [../mid]\nTRANSFORMERS\n"),
        ],
        ..simple("a generator that merges", "top")
    },
];

const CHART: &str = "apiVersion: v2\nname: extra\nversion: 1.0.0\n";

/// A workload with its own webhook.
const CHART_TEMPLATE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: '{{ .Release.Name }}-hook', namespace: '{{ .Release.Namespace }}'}
spec:
  selector: {app: '{{ .Release.Name }}'}
  ports: [{name: https, port: 443, targetPort: 9445}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: '{{ .Release.Name }}-hook', namespace: '{{ .Release.Namespace }}'}
spec:
  selector: {matchLabels: {app: '{{ .Release.Name }}'}}
  template:
    metadata: {labels: {app: '{{ .Release.Name }}'}}
    spec:
      containers:
      - name: extra
        image: example.com/hook:v1
        args: [--webhook-port=9445]
        ports: [{name: webhook, containerPort: 9445}]
";
