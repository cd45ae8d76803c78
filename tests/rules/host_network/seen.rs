//! References that hostnet cannot follow: they stay, with a warning.

use insta::assert_snapshot;

use super::{changes, deployment, ports};
use crate::support::results::worded;

/// The warnings for a Deployment whose port 8080 moves, without the constant words.
fn reported(rest: &str, around: &str) -> String {
    let container = format!(
        "      - name: web\n        args: [--port=8080]\n        ports: [{{name: http, containerPort: 8080}}]\n{rest}"
    );
    let log = worded(changes(&ports("{http: 20080}"), &format!("{}---\n{around}", deployment(&container))));
    let warnings = log.lines().filter_map(|line| line.strip_prefix("warning: standard input:"));
    let warnings = warnings.map(|line| {
        let (place, message) =
            line.split_once(" Deployment shop/web, container web, port http (8080): moves to 20080, and ").unwrap();
        let (message, _) = message.split_once("; if that refers to this port, change it too [port-reference]").unwrap();
        format!("{place} {message}\n")
    });
    let warnings = warnings.collect();
    assert!(log.contains("containerPort: 20080") && !log.contains("error"), "{log}");
    warnings
}

const SECRET: &str = "apiVersion: v1
kind: Secret
metadata: {name: web, namespace: shop}
stringData:
  web.yaml: |
    # keep
    listen: 0.0.0.0:8080
";

/// Every way in which pods read a Secret.
const READS: [&str; 5] = [
    "        envFrom: [{secretRef: {name: web}}]\n",
    "        env: [{name: A, valueFrom: {secretKeyRef: {name: web, key: web.yaml}}}]\n",
    "      volumes: [{name: a, secret: {secretName: web}}]\n",
    "      volumes: [{name: a, projected: {sources: [{secret: {name: web}}]}}]\n",
    "      initContainers: [{name: b, envFrom: [{secretRef: {name: web}}]}]\n",
];

#[test]
fn a_number_in_a_secret_that_pods_read_is_reported() {
    for reads in READS {
        let line = reported(reads, SECRET);
        assert_eq!(
            line.split_once(": ").unwrap().1,
            "`web.yaml`, which its pods read, holds 8080 (line 2) in Secret shop/web\n"
        );
    }
    for (own, others) in
        [("name: web", "name: api"), ("shop", "cellar"), ("8080", "8081"), ("kind: Secret", "kind: Secrets")]
    {
        assert_eq!(reported(READS[0], &SECRET.replacen(own, others, 1)), "", "{others}");
    }
    assert_eq!(reported("", SECRET), "");
}

#[test]
fn data_of_a_secret_is_base64() {
    let data = |text: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: web, namespace: shop}}\ndata: {{port: {text}}}\n")
    };
    // `8080` and a line break.
    let line = reported(READS[0], &data("ODA4MAo="));
    assert_eq!(
        line.split_once(": ").unwrap().1,
        "`port`, which its pods read, holds 8080 (line 1) in Secret shop/web\n"
    );
    // Line breaks as `base64` inserts them.
    assert!(reported(READS[0], &data("\"ODA4\\nMAo=\\r\\n\"")).contains("holds 8080 (line 1)"));
    // Plain text, invalid base64, and bytes that are not text.
    for other in ["'8080'", "port=8080", "/////w=="] {
        assert_eq!(reported(READS[0], &data(other)), "", "{other}");
    }
}

#[test]
fn ports_of_listed_addresses_are_reported() {
    let slice = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: web-1, namespace: shop}\naddressType: IPv4\nports: [{port: 80}, {port: 8080}]\n";
    assert_eq!(reported("", slice), "18:28: an address with port 8080 is listed in EndpointSlice shop/web-1\n");
    assert_eq!(reported("", &slice.replace("IPv4", "FQDN")), "");
    assert_eq!(reported("", &slice.replace("shop", "cellar")), "");
    let endpoints =
        "apiVersion: v1\nkind: Endpoints\nmetadata: {name: web, namespace: shop}\nsubsets: [{ports: [{port: 8080}]}]\n";
    assert_eq!(reported("", endpoints), "17:27: an address with port 8080 is listed in Endpoints shop/web\n");
}

#[test]
fn patches_of_pods_are_read() {
    let spread = "apiVersion: apps.kruise.io/v1alpha1\nkind: WorkloadSpread\nmetadata: {name: web, namespace: shop}\nspec:\n  targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  subsets:\n  - patch: {spec: {containers: [{name: web, args: ['--port=8080'], ports: [{containerPort: 8080}]}]}}\n";
    assert_eq!(
        reported("", spread),
        "20:52: its patch of the pods holds 8080 in WorkloadSpread shop/web\n20:92: its patch of the pods holds 8080 in WorkloadSpread shop/web\n"
    );
    for (own, others) in
        [("kind: Deployment", "kind: CloneSet"), ("name: web}\n  sub", "name: api}\n  sub"), ("shop", "cellar")]
    {
        assert_eq!(reported("", &spread.replacen(own, others, 1)), "", "{others}");
    }
}

#[test]
fn urls_that_the_api_server_calls_are_reported() {
    let hook = |url: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: hooks}}\nwebhooks: [{{name: a.b.c, clientConfig: {{url: '{url}'}}}}]\n"
        )
    };
    assert_eq!(
        reported("", &hook("https://10.0.0.1:8080/x")),
        "17:46: the API server calls https://10.0.0.1:8080/x in ValidatingWebhookConfiguration hooks\n"
    );
    assert!(reported("", &hook("https://node:8080")).contains("calls https://node:8080 in"));
    for other in [
        "https://web.shop.svc:8080/x",
        "https://web.shop.svc.cluster.local:8080",
        "https://node:80/8080",
        "https://node/x:8080",
    ] {
        assert_eq!(reported("", &hook(other)), "", "{other}");
    }
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\nspec: {conversion: {webhook: {clientConfig: {url: 'https://node:8080'}}}}\n";
    assert_eq!(reported("", crd), "17:51: the API server calls https://node:8080 in CustomResourceDefinition a.b.c\n");
}

#[test]
fn a_key_that_no_pod_reads_is_not_reported() {
    let others = ["name: web, key: web.yaml", "secretName: web", "secret: {name: web"];
    let other_keys = [
        "name: web, key: other",
        "secretName: web, items: [{key: other, path: a}]",
        "secret: {items: [{key: other, path: a}], name: web",
    ];
    for (own, other) in others.into_iter().zip(other_keys) {
        let reads = READS.iter().find(|reads| reads.contains(own)).unwrap();
        assert_eq!(reported(&reads.replace(own, other), SECRET), "", "{other}");
        assert_ne!(reported(&reads.replace(own, &other.replace("other", "web.yaml")), SECRET), "", "{other}");
    }
    // A key that the API server refuses does not count.
    assert_eq!(reported(READS[0], &SECRET.replace("web.yaml:", "\"web\\nyaml\":")), "");
}

#[test]
fn a_number_is_reported_once_for_a_key() {
    let many = SECRET.replace("# keep", "listen 8080\n    listen 8080\n    listen 8080");
    assert!(reported(READS[0], &many).ends_with("holds 8080 (lines 1, 2, 3 and 1 more) in Secret shop/web\n"));
}

#[test]
fn protocols_are_distinguished() {
    let slice = "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: web-1, namespace: shop}\naddressType: IPv4\nports: [{port: 8080, protocol: UDP}]\n";
    assert_eq!(reported("", slice), "");
    let udp = "        args: [--port=8080]\n        ports: [{name: http, containerPort: 8080, protocol: UDP}]\n";
    let around = |container: &str, around: &str| {
        changes(&ports("{http: 20080}"), &format!("{}---\n{around}", deployment(container)))
    };
    let web = format!("      - name: web\n{udp}{}", READS[0]);
    assert!(around(&web, slice).contains("an address with port 8080 is listed"));
    assert!(around(&web, SECRET).contains("holds 8080 (line 2) in Secret shop/web"));
    assert!(!around(&web, &slice.replace(", protocol: UDP", "")).contains("warning"));
}

/// Templates of a chart often leave the namespace to `kubectl apply -n`, but not all of them.
#[test]
fn a_service_without_a_namespace_is_reported() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}\n";
    assert_eq!(
        reported("", service),
        "17:38: 8080 is a target port with these labels, and only one of the two has a namespace, in Service web\n"
    );
    for (own, others) in [
        ("app: web", "app: api"),
        ("8080", "http"),
        ("8080", "9090"),
        ("port: 80,", "port: 80, protocol: UDP,"),
        ("name: web", "namespace: cellar, name: web"),
    ] {
        assert_eq!(reported("", &service.replacen(own, others, 1)), "", "{others}");
    }
    // A Service that selects other pods without a namespace belongs to them.
    let own = deployment("      - {name: web}\n").replace(", namespace: shop", "");
    let api = own.replacen("name: web", "name: api", 1);
    assert_eq!(reported("", &format!("{service}---\n{api}")), "");
    // Without a namespace on either object, the Service's target moves.
    let bare = changes(
        &ports("{http: 20080}"),
        &format!(
            "{}---\n{service}",
            own.replace("{name: web}", "{name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}")
        ),
    );
    assert!(bare.contains("targetPort: http") && !bare.contains("warning"), "{bare}");
}

/// An init container may write the program's config or open a firewall for it.
#[test]
fn a_number_in_an_init_container_is_reported() {
    let init = |lines: &str| {
        let containers = format!("      initContainers:\n      - name: setup\n        {lines}\n");
        reported(&format!("        image: example/web:v1\n{containers}"), "")
    };
    assert_snapshot!(init("args: [New-NetFirewallRule, -LocalPort, '8080']"), @"16:49: `-LocalPort` of init container setup has 8080 in Deployment shop/web");
    assert_snapshot!(init("command: [sh, -c, 'echo \"listen 8080;\" > /etc/nginx/port.conf']"), @r#"16:27: `echo "listen 8080;" > /etc/nginx/port.conf` of init container setup has 8080 in Deployment shop/web"#);
    assert_snapshot!(init("env: [{name: LISTEN_PORT, value: '8080'}]"), @"16:42: `LISTEN_PORT` of init container setup has 8080 in Deployment shop/web");
    for other in [
        "args: [-LocalPort, '8081']",
        "command: [sh, -c, 'until nc -z db:8080; do sleep 1; done']",
        "env: [{name: API_URL, value: 'http://api.shop.svc:8080'}]",
        "env: [{name: MEMORY, value: 8080Mi}]",
        "restartPolicy: Never",
        "args: [--admin-port=8080]\n        ports: [{containerPort: 8080}]",
        "image: example/web:v1\n        args: [migrate, --port=8080]",
    ] {
        assert_eq!(init(other), "", "{other}");
    }
}
