//! Mistakes in configs.

use super::super::{config, deployment};
use super::Mistake;

/// The name of each mistake, and the spec of its config.
const SPECS: &[(&str, &str)] = &[
    ("targets is not a list", "  targets:\n    select: {name: web}\n    ports: auto\n"),
    ("targets is a mapping in braces", "  targets: {select: {name: web}}\n"),
    ("targets is a word", "  targets: web\n"),
    ("targets is empty", "  targets: []\n"),
    ("targets has no value", "  targets:\n"),
    ("there are no targets", "  reserved: [9100]\n"),
    ("a target is a word", "  targets:\n  - web\n"),
    ("a target is a select", "  targets:\n  - {kind: Deployment, name: web}\n"),
    ("a target without select", "  targets:\n  - ports: auto\n"),
    ("a target with bind and without select", "  targets:\n  - bind: [{container: app}]\n"),
    ("select is a word", "  targets:\n  - select: web\n"),
    ("select is a list", "  targets:\n  - select: [{name: web}]\n"),
    ("select is empty", "  targets:\n  - select: {}\n"),
    ("select has an unknown field", "  targets:\n  - select: {nmae: web}\n"),
    ("select has labels", "  targets:\n  - select: {labels: {app: web}}\n"),
    ("a list of kinds", "  targets:\n  - select: {kind: [Deployment, DaemonSet]}\n"),
    ("a name that is not a regular expression", "  targets:\n  - select: {name: 'web('}\n"),
    ("a glob as a name", "  targets:\n  - select: {name: '*web'}\n"),
    ("labelSelector is a mapping", "  targets:\n  - select: {labelSelector: {app: web, tier: front}}\n"),
    (
        "labelSelector as in a manifest",
        "  targets:\n  - select:\n      labelSelector:\n        matchLabels: {app: web}\n        matchExpressions: [{key: tier, operator: In, values: [a, b]}]\n",
    ),
    ("labelSelector is a list", "  targets:\n  - select: {labelSelector: [app=web]}\n"),
    ("labelSelector with a colon", "  targets:\n  - select: {labelSelector: 'app: web'}\n"),
    ("calledByApiServer is another word", "  targets:\n  - select: {calledByApiServer: always}\n"),
    ("ports stands in select", "  targets:\n  - select:\n      name: web\n      ports: auto\n"),
    ("ports stands in the braces of select", "  targets:\n  - select: {name: web, ports: auto}\n"),
    ("reserved stands in a target", "  targets:\n  - select: {name: web}\n    reserved: [9100]\n"),
    ("ports of an unknown word", "  targets:\n  - select: {name: web}\n    ports: atuo\n"),
    ("ports is a number", "  targets:\n  - select: {name: web}\n    ports: 20443\n"),
    ("ports is a list", "  targets:\n  - select: {name: web}\n    ports: [{https: 20443}]\n"),
    ("ports is a list of names", "  targets:\n  - select: {name: web}\n    ports: [https, 8080]\n"),
    ("a port with a leading zero", "  targets:\n  - select: {name: web}\n    ports: {https: 047040}\n"),
    ("a port as text", "  targets:\n  - select: {name: web}\n    ports: {https: \"20443\"}\n"),
    ("a port too large", "  targets:\n  - select: {name: web}\n    ports: {https: 70000}\n"),
    ("port 0", "  targets:\n  - select: {name: web}\n    ports: {https: 0}\n"),
    ("a negative port", "  targets:\n  - select: {name: web}\n    ports: {https: -1}\n"),
    ("a port with a fraction", "  targets:\n  - select: {name: web}\n    ports: {https: 80.5}\n"),
    ("a port is a range", "  targets:\n  - select: {name: web}\n    ports: {https: 20000-20100}\n"),
    ("a port is an unknown word", "  targets:\n  - select: {name: web}\n    ports: {https: automatic}\n"),
    ("a port is a mapping", "  targets:\n  - select: {name: web}\n    ports: {https: {containerPort: 20443}}\n"),
    ("a port that the workload does not have", "  targets:\n  - select: {name: web}\n    ports: {htps: 20443}\n"),
    ("two keys for one port", "  targets:\n  - select: {name: web}\n    ports: {https: 20443, 8443: 20444}\n"),
    ("a key twice", "  targets:\n  - select: {name: web}\n    ports: {https: 20443, https: 20444}\n"),
    ("one number for two ports", "  targets:\n  - select: {name: web}\n    ports: {https: 20443, metrics: 20443}\n"),
    ("a field twice", "  targets: [{select: {name: web}}]\n  targets: []\n"),
    ("an unknown program", "  targets:\n  - select: {name: web}\n    program: foo\n"),
    ("a misspelled program", "  targets:\n  - select: {name: web}\n    program: certmanager-webhook\n"),
    ("bind without container", "  targets:\n  - select: {name: web}\n    bind: [{port: https, arg: --listen}]\n"),
    (
        "bind is a mapping",
        "  targets:\n  - select: {name: web}\n    bind: {container: app, port: https, arg: --listen}\n",
    ),
    ("bind without flag", "  targets:\n  - select: {name: web}\n    bind: [{container: app, port: https}]\n"),
    (
        "bind with a value without a place",
        "  targets:\n  - select: {name: web}\n    bind: [{container: app, port: https, arg: --listen, value: ':8443'}]\n",
    ),
    ("assigned is a list", "  targets: [{select: {name: web}}]\n  assigned: [20443]\n"),
    (
        "a number of assigned too large",
        "  targets: [{select: {name: web}}]\n  assigned: {shop/Deployment/web/https: 70000}\n",
    ),
    ("a key of assigned that cannot be one", "  targets: [{select: {name: web}}]\n  assigned: {web: 20443}\n"),
    (
        "a number twice in assigned",
        "  targets: [{select: {name: web}}]\n  assigned: {shop/Deployment/web/https: 20443, shop/Deployment/api/https: 20443}\n",
    ),
    ("reserved is a number", "  targets: [{select: {name: web}}]\n  reserved: 9100\n"),
    ("a reserved port with a leading zero", "  targets: [{select: {name: web}}]\n  reserved: [010]\n"),
    ("a reserved port with an exponent", "  targets: [{select: {name: web}}]\n  reserved: [1e3]\n"),
    ("portPool with a leading zero", "  targets: [{select: {name: web}}]\n  portPool: 09\n"),
    ("reserved is one word", "  targets: [{select: {name: web}}]\n  reserved: node-exporter\n"),
    ("reserved is a word", "  targets: [{select: {name: web}}]\n  reserved: [node-exporter]\n"),
    ("a reserved port too large", "  targets: [{select: {name: web}}]\n  reserved: [90000]\n"),
    ("a range from high to low", "  targets: [{select: {name: web}}]\n  portPool: 29999-20000\n"),
    ("half a range", "  targets: [{select: {name: web}}]\n  portPool: 20000-\n"),
    ("portPool is a list", "  targets: [{select: {name: web}}]\n  portPool: [20000, 29999]\n"),
    ("dnsPolicy in small letters", "  targets: [{select: {name: web}}]\n  dnsPolicy: clusterfirst\n"),
    ("unmatched is a boolean", "  targets: [{select: {name: web}}]\n  unmatched: false\n"),
    ("requireAssigned is a number", "  targets: [{select: {name: web}}]\n  requireAssigned: 1\n"),
    ("shared without between", "  targets: [{select: {name: web}}]\n  shared: [{port: 443}]\n"),
    ("between is empty", "  targets: [{select: {name: web}}]\n  shared: [{port: 443, between: []}]\n"),
    (
        "between has one workload twice",
        "  targets: [{select: {name: web}}]\n  shared: [{port: 443, between: [shop/Deployment/web, shop/Deployment/web]}]\n",
    ),
    (
        "between has a name alone",
        "  targets: [{select: {name: web}}]\n  shared: [{port: 443, between: [shop/Deployment/web, api]}]\n",
    ),
    (
        "between is a word",
        "  targets: [{select: {name: web}}]\n  shared: [{port: 443, between: shop/Deployment/web}]\n",
    ),
    (
        "a version of Crossplane that is not one",
        "  targets: [{select: {name: web}}]\n  crossplane: {version: latest}\n",
    ),
    ("crossplane is a version", "  targets: [{select: {name: web}}]\n  crossplane: v2.0.2\n"),
    ("exclude is a mapping", "  targets: [{select: {name: web}}]\n  exclude:\n    name: api\n"),
    ("an unknown field of spec", "  target: [{select: {name: web}}]\n  targets: [{select: {name: web}}]\n"),
    (
        "a target that matches nothing, where that is an error",
        "  unmatched: Error\n  targets: [{select: {name: wbe}}]\n",
    ),
    // The text is not YAML.
    ("a line indented too far", "  targets:\n  - select: {name: web}\n     ports: auto\n"),
    ("a line indented too little", "  targets:\n  - select: {name: web}\n   ports: auto\n"),
    ("a tab", "  targets:\n  - select: {name: web}\n\tports: auto\n"),
    ("a tab behind spaces", "  targets:\n  - select:\n      name: web\n  \tports: auto\n"),
    ("a brace that is not closed", "  targets:\n  - select: {name: web\n    ports: auto\n"),
    ("a bracket that is not closed", "  targets: [{select: {name: web}}\n  reserved: [9100]\n"),
    ("a quote that is not closed", "  targets:\n  - select: {name: \"web}\n"),
    ("no space behind a colon", "  targets:\n  - select:\n      kind:Deployment\n      name: web\n"),
    ("a second colon in a line", "  targets:\n  - select:\n      name: web: api\n"),
    ("a name that starts with a star", "  targets:\n  - select:\n      name: *web\n"),
    ("an alias as a key", "  targets:\n  - select: {name: &web web}\n    ports:\n      *web: auto\n"),
    ("a name that starts with a backtick", "  targets:\n  - select:\n      name: `web`\n"),
    (
        "a merge that is not finished",
        "  targets:\n<<<<<<< HEAD\n  - select: {name: web}\n=======\n  - select: {name: api}\n>>>>>>> main\n",
    ),
    ("a template", "  targets:\n  {{- range .Values.targets }}\n  - select: {name: web}\n  {{- end }}\n"),
    ("an escape that is not one", "  targets:\n  - select: {name: \"web\\.*\"}\n"),
];

/// The name of each mistake, and the whole text of the config.
fn texts() -> Vec<(&'static str, String)> {
    let long: String = (0..82).map(|n| format!("    # {n}\n")).collect();
    vec![
        ("a tab on line 90", config(&format!("  targets:\n{long}  - select: {{name: web}}\n\tports: auto\n"))),
        ("an empty config", String::new()),
        ("a config of comments", "# to do\n".to_owned()),
        ("a config that is a word", "hostnet\n".to_owned()),
        ("a config that is a list", "- select: {name: web}\n".to_owned()),
        ("a config without its head", "targets:\n- select: {name: web}\n".to_owned()),
        ("a config without apiVersion", "kind: HostNetwork\nspec: {targets: [{select: {name: web}}]}\n".to_owned()),
        (
            "a config without kind",
            "apiVersion: hostnet.dev/v1alpha1\nspec: {targets: [{select: {name: web}}]}\n".to_owned(),
        ),
        ("a misspelled kind", config("  targets: [{select: {name: web}}]\n").replace("HostNetwork", "HostNetwrk")),
        ("another version", config("  targets: [{select: {name: web}}]\n").replace("v1alpha1", "v1")),
        ("a config without spec", "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\n".to_owned()),
        (
            "targets at the top",
            "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\ntargets: [{select: {name: web}}]\n".to_owned(),
        ),
        ("a check where a move is expected", "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\n".to_owned()),
        ("a manifest as config", deployment("web")),
        ("a kustomization as config", "resources: [web.yaml]\n".to_owned()),
        ("values of a chart as config", "replicaCount: 2\nimage: {tag: v1}\n".to_owned()),
        (
            "two configs in one file",
            config("  targets: [{select: {name: web}}]\n") + "---\n" + &config("  targets: [{select: {name: api}}]\n"),
        ),
        (
            "four mistakes in one config",
            config(
                "  targts: []\n  targets:\n  - select: {nmae: web}\n    ports: {https: 70000}\n  - {select: {name: api}, ports: \
                 [auto]}\n  portPool: {from: 20000}\n",
            ),
        ),
        ("an unknown key of a ConfigMap", "apiVersion: v1\nkind: ConfigMap\ndata: {nam: web}\n".to_owned()),
        ("a port of a ConfigMap", "apiVersion: v1\nkind: ConfigMap\ndata: {name: web, ports.https: 'x'}\n".to_owned()),
    ]
}

pub(super) fn all() -> Vec<Mistake> {
    let specs = SPECS.iter().map(|(name, spec)| (*name, config(spec)));
    let call = ["apply", "-c", "hostnet.yaml", "web.yaml"];
    specs
        .chain(texts())
        .map(|(name, text)| Mistake::new(name, &call).file("hostnet.yaml", text).file("web.yaml", deployment("web")))
        .collect()
}
