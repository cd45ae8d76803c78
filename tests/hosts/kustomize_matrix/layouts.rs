//! Kustomizations that rename, each as the folders of a build.

/// The folders of a build. `base` holds the objects; `TRANSFORMERS` is where the function is listed, and `RESOURCES` is the list of the files of the referrer.
pub(super) struct Layout {
    pub(super) name: &'static str,
    /// Files by path; a `kustomization.yaml` each.
    pub(super) folders: &'static [(&'static str, &'static str)],
    /// The folder that is built.
    pub(super) top: &'static str,
    /// The folder of the function's config.
    pub(super) function: &'static str,
    /// The folder that the referrer's own file is in; the workload and its Service are always in `base`.
    pub(super) caller: &'static str,
    /// True if two workloads of one name end in one build.
    pub(super) twice: bool,
    /// Further objects of `base`.
    pub(super) more: &'static str,
}

const BASE: (&str, &str) = ("base", "resources: [FILES]\nconfigurations: [names.yaml]\n");

const fn simple(name: &'static str, top: &'static str) -> Layout {
    Layout { name, folders: &[], top, function: "top", caller: "base", twice: false, more: "" }
}

pub(super) static LAYOUTS: [Layout; 21] = [
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
        ..simple("beside the files", "base")
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
];
