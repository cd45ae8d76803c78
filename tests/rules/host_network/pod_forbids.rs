//! Rule `pod-forbids`: pods that cannot be on the host network, and containers that redirect the traffic of their pod.

use crate::support::results::{brief, worded};
use insta::assert_snapshot;

use super::dns_policy::on;
use super::{ALL, changes, deployment, deployment_named, ports, run};

/// Deployment `web` with one init container.
fn with_init(container: &str) -> String {
    format!("{}      initContainers:\n      - {container}\n", deployment("      - {name: web}\n"))
}

/// The messages about a privileged init container.
fn privileged(settings: &str) -> String {
    reported(&with_init(&format!("{{name: setup, {settings}, securityContext: {{privileged: true}}}}")))
}

/// The messages if all workloads are selected. Asserts that other workloads still move.
fn reported(manifest: &str) -> String {
    let more = manifest.replace("name: web, namespace", "name: api, namespace").replace("initContainers", "others");
    let text = changes(ALL, &format!("{manifest}---\n{more}"));
    text.lines().filter(|line| line.contains("[pod-forbids]")).map(|line| format!("{line}\n")).collect()
}

const ISTIO: &str = "{name: istio-init, image: istio/proxyv2:1.24.0, args: [istio-iptables, -p, '15001'], securityContext: \
                     {capabilities: {add: [NET_ADMIN, NET_RAW], drop: [ALL]}}}";

#[test]
fn a_container_that_redirects_traffic_forbids_the_host_network() {
    assert_snapshot!(worded(changes(&ports("keep"), &with_init(ISTIO))), @"error: standard input:12:9: Deployment shop/web: init container istio-init changes the network of its pod (it is Istio's): on the host network it would change that of the node. The workload stays on the pod network. Remove the container, or put the workload under `exclude` [pod-forbids]");
    assert_snapshot!(brief(reported(&with_init(ISTIO))), @"warning: pod-forbids Deployment shop/web spec.template.spec.initContainers[0] (12:9)");
}

#[test]
fn a_redirecting_container_is_known_by_its_name_or_image() {
    for container in [
        "{name: linkerd-init, image: example/mirror}",
        "{name: x, image: 'cr.l5d.io/linkerd/proxy-init:v2.4.1'}",
        "{name: kuma-init}",
        "{name: osm-init}",
        "{name: proxyinit, image: 'aws/aws-appmesh-proxy-route-manager:v7'}",
        "{name: azwi-proxy-init}",
        "{name: tel-agent-init}",
    ] {
        assert!(!reported(&with_init(container)).is_empty(), "{container}");
    }
}

/// The container has no capability, and a similar name is not enough.
#[test]
fn a_container_that_waits_for_a_redirect_forbids_the_host_network() {
    let validator =
        "{name: linkerd-network-validator, image: 'cr.l5d.io/linkerd/proxy:edge-25.8.5', args: [--timeout, 10s]}";
    let warning = worded(reported(&with_init(validator)));
    assert!(warning.starts_with("warning: standard input:12:9: Deployment shop/web: init container"), "{warning}");
    assert!(warning.contains("waits until the traffic of its pod is redirected (it is Linkerd's)"), "{warning}");
    for container in ["{name: istio-validation, args: [istio-iptables, --run-validation]}", "{name: kuma-validation}"] {
        assert!(reported(&with_init(container)).contains("waits until"), "{container}");
    }
    // The program in a container of another name.
    for container in [
        "{name: wait, command: [/usr/lib/linkerd/linkerd2-network-validator], args: [--timeout, 10s]}",
        "{name: check, image: 'istio/proxyv2:1.24.0', args: [istio-iptables, -p, '15001', --run-validation, --skip-rule-apply]}",
        "{name: check, command: [/usr/bin/kumactl, install, transparent-proxy-validator]}",
    ] {
        assert!(reported(&with_init(container)).contains("waits until"), "{container}");
    }
    let both = ISTIO.replace("'15001'", "'15001', --run-validation");
    assert!(reported(&with_init(&both)).contains("changes the network"), "its rights count first");
    for container in [
        "{name: validation}",
        "{name: network-validator, args: [--check]}",
        "{name: schema, args: [--run-validation=true]}",
        "{name: preflight, command: [/preflight, --dry-run-validation]}",
    ] {
        assert_eq!(reported(&with_init(container)), "", "{container}");
    }
}

#[test]
fn a_redirecting_container_is_known_by_its_command_and_capabilities() {
    assert_snapshot!(worded(privileged("command: [sh, -c, 'ipset create x hash:ip; iptables-restore < /rules']")), @"warning: standard input:12:9: Deployment shop/web: init container setup changes the network of its pod (`iptables`, and it is privileged): on the host network it would change that of the node. The workload stays on the pod network. Remove the container, or put the workload under `exclude` [pod-forbids]");
    assert_snapshot!(brief(privileged("command: [kumactl, install, transparent-proxy]")), @"warning: pod-forbids Deployment shop/web spec.template.spec.initContainers[0] (12:9)");
    let consul = "consul-k8s-control-plane connect-init -pod-name=${POD_NAME} \\\n -log-level=info";
    assert_snapshot!(brief(privileged(&format!("command: [/bin/sh, -ec, '{consul}']"))), @"warning: pod-forbids Deployment shop/web spec.template.spec.initContainers[0] (12:9)");
    for settings in [
        "args: [nft, -f, /rules]",
        "image: example/iptables-setup",
        "command: [ip, rule, add, fwmark, '1']",
        "command: [sysctl, -w, net.core.somaxconn=1024]",
        "command: [sh, -c, 'tc qdisc add dev eth0 root netem']",
        "command: [ip, link, add, dummy0, type, dummy]",
        "command: [wg-quick, up, wg0]",
        "image: 'qmcgaw/gluetun:v3'",
        "image: 'tailscale/tailscale:v1', env: [{name: TS_USERSPACE, value: 'false'}]",
    ] {
        assert!(!privileged(settings).is_empty(), "{settings}");
    }
    for capability in ["NET_ADMIN", "CAP_NET_ADMIN", "ALL"] {
        let context = format!("securityContext: {{capabilities: {{add: [{capability}]}}}}");
        let container = format!("{{name: setup, args: [iptables], {context}}}");
        assert!(!reported(&with_init(&container)).is_empty(), "{capability}");
    }
}

#[test]
fn sidecars_and_regular_containers_redirect_as_well() {
    let rest = "command: [iptables], securityContext: {privileged: true}";
    let sidecar = with_init(&format!("{{name: proxy, restartPolicy: Always, {rest}}}"));
    let regular = deployment(&format!("      - {{name: gateway, {rest}}}\n"));
    assert_snapshot!(brief(reported(&sidecar)), @"warning: pod-forbids Deployment shop/web spec.template.spec.initContainers[0] (12:9)");
    assert_snapshot!(worded(reported(&regular).lines().next().unwrap()), @"warning: standard input:21:9: Deployment shop/api: container gateway changes the network of its pod (`iptables`, and it is privileged): on the host network it would change that of the node. The workload stays on the pod network. Remove the container, or put the workload under `exclude` [pod-forbids]");
}

#[test]
fn neither_the_capabilities_nor_the_command_are_enough() {
    for settings in [
        "command: [sysctl, net.ipv4.ip_forward]",
        "command: [sysctl, -w, vm.max_map_count=262144]",
        "command: [wg-quick, strip, wg0]",
        "command: [tc, qdisc, show]",
        "image: 'tailscale/tailscale:v1', env: [{name: TS_USERSPACE, value: 'true'}]",
        "image: example/cni-installer",
        "args: [--iptables=false]",
    ] {
        assert_eq!(privileged(settings), "", "{settings}");
    }
    for container in [
        "{name: setup, command: [iptables, -S]}",
        "{name: check, image: 'istio/proxyv2:1.24.0', args: [istio-iptables], securityContext: {capabilities: {drop: [ALL]}}}",
        "{name: consul-connect-inject-init, command: [sh, -ec, consul-k8s-control-plane connect-init]}",
    ] {
        assert_eq!(reported(&with_init(container)), "", "{container}");
    }
}

#[test]
fn a_pod_on_the_host_network_is_not_forbidden() {
    let manifest = with_init(ISTIO).replace("    spec:\n", "    spec:\n      hostNetwork: true\n");
    assert_snapshot!(changes(&ports("keep"), &manifest), @"+      dnsPolicy: ClusterFirstWithHostNet");
}

/// Annotations for which a network plugin gives the pod an interface or an address.
#[test]
fn annotations_for_network_plugins_forbid_the_host_network() {
    let of = |annotation: &str| {
        let labels = "      labels: {app: web}\n";
        deployment("      - {name: web}\n").replace(labels, &format!("{labels}      annotations: {{{annotation}}}\n"))
    };
    let multus = of("k8s.v1.cni.cncf.io/networks: macvlan-conf");
    assert_snapshot!(worded(reported(&multus).lines().next().unwrap()), @"warning: standard input:20:50: Deployment shop/api: a network plugin gives its pods more network interfaces by the annotation `k8s.v1.cni.cncf.io/networks`, and the kubelet calls no plugin for pods on the host network. The workload stays on the pod network. Remove the annotation, or put the workload under `exclude` [pod-forbids]");
    assert_snapshot!(brief(changes(&ports("keep"), &multus)), @r#"error: pod-forbids Deployment shop/web spec.template.metadata.annotations["k8s.v1.cni.cncf.io/networks"] (8:50, k8s.v1.cni.cncf.io/networks)"#);
    assert!(!reported(&of("cni.projectcalico.org/ipAddrs: '[\"192.0.2.1\"]'")).is_empty());
    for more in [
        "ovn.kubernetes.io/ip_address: 10.16.0.15",
        "cni.projectcalico.org/floatingIPs: '[\"10.0.0.1\"]'",
        "cni.projectcalico.org/ipv4pools: '[\"a\"]'",
        "ipam.spidernet.io/ippool: '{}'",
        "ipam.antrea.io/ippools: a",
        "networking.gke.io/interfaces: '[{}]'",
        "cni.projectcalico.org/hwAddr: '1c:0c:0a:c0:ff:ee'",
        "egress.projectcalico.org/selector: a == 'b'",
        "ipam.cilium.io/ip-pool: blue",
        "kubernetes.io/egress-bandwidth: 10M",
        "cni.cilium.io/mac-address: '1c:0c:0a:c0:ff:ee'",
        "k8s.aliyun.com/pod-eni: 'true'",
        "danm.k8s.io/interfaces: '[{}]'",
        "tke.cloud.tencent.com/networks: tke-route-eni",
    ] {
        assert!(!reported(&of(more)).is_empty(), "{more}");
    }
    for other in [
        "k8s.v1.cni.cncf.io/networks: ''",
        "k8s.v1.cni.cncf.io/networks-status: x",
        "cni.projectcalico.org/ipAddrs: '[]'",
        "k8s.aliyun.com/pod-eni: 'false'",
    ] {
        assert_eq!(reported(&of(other)), "", "{other}");
    }
}

/// Annotations of a Namespace count for its pods, which move with a warning.
#[test]
fn annotations_of_the_namespace_for_network_plugins_are_a_warning() {
    let with = |namespace: &str, annotation: &str| {
        let namespace = format!(
            "apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}, annotations: {{{annotation}}}}}\n"
        );
        let log = changes(ALL, &super::stream([namespace, deployment("      - {name: web}\n")]));
        assert!(log.contains("+      hostNetwork: true"), "{log}");
        log.lines().filter(|line| line.contains("[pod-forbids]")).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(worded(with("shop", "cni.projectcalico.org/ipv4pools: '[\"a\"]'")), @"warning: standard input:13:7: Deployment shop/web: a network plugin gives the pods of its Namespace an address of a pool by the annotation `cni.projectcalico.org/ipv4pools`, and the kubelet calls no plugin for pods on the host network, whose address is the address of their node. Allow the nodes' addresses in other programs and firewalls, or keep the workload in the pod network [pod-forbids]");
    assert!(!with("shop", "egress.projectcalico.org/selector: a == 'b'").is_empty());
    assert!(!with("shop", "ipam.cilium.io/ip-pool: blue").is_empty());
    for (namespace, annotation) in
        [("other", "ipam.cilium.io/ip-pool: blue"), ("shop", "k8s.v1.cni.cncf.io/networks: x"), ("shop", "team: a")]
    {
        assert_eq!(with(namespace, annotation), "", "{namespace} {annotation}");
    }
}

/// Labels and annotations by which other programs refuse pods on the host network.
#[test]
fn marks_by_which_others_refuse_pods_forbid_the_host_network() {
    let of = |labels: &str, annotation: &str| {
        let own = format!("      labels: {{app: web{labels}}}\n      annotations: {{{annotation}}}\n");
        deployment("      - {name: web}\n").replace("      labels: {app: web}\n", &own)
    };
    let azure = ", azure.workload.identity/use: 'true'";
    let sidecar = "azure.workload.identity/inject-proxy-sidecar: 'true'";
    assert_snapshot!(worded(changes(&ports("keep"), &of(azure, sidecar))), @r#"error: standard input:8:67: Deployment shop/web: its pods have `azure.workload.identity/inject-proxy-sidecar`, and the webhook of Azure Workload Identity refuses such Pods: "hostNetwork is set to true, cannot inject proxy sidecar". The workload stays on the pod network. Remove `azure.workload.identity/inject-proxy-sidecar`, or put the workload under `exclude` [pod-forbids]"#);
    assert!(!reported(&of(azure, "azure.workload.identity/inject-proxy-sidecar: ''")).is_empty());
    assert!(reported(&of(", eks.amazonaws.com/fargate-profile: fp", "")).contains("AWS Fargate"));
    assert!(reported(&of(", alibabacloud.com/eci: 'true'", "")).contains("Elastic Container Instances"));
    assert_eq!(reported(&of(", alibabacloud.com/eci: 'false'", "")), "");
    // The webhook sees only pods with its label.
    for (labels, annotation) in [("", sidecar), (", azure.workload.identity/use: 'false'", sidecar), (azure, "")] {
        assert_eq!(reported(&of(labels, annotation)), "", "{labels}");
    }
}

/// Istio's injector replaces the image `auto`, and leaves out pods on the host network.
#[test]
fn an_image_that_an_injector_has_to_replace_forbids_the_host_network() {
    let of = |image: &str| deployment(&format!("      - {{name: istio-proxy, image: {image}}}\n"));
    assert_snapshot!(worded(changes(&ports("keep"), &of("auto"))), @"error: standard input:10:36: Deployment shop/web: a container has the image `auto`, and Istio's injector, which puts the image of its proxy in that place, leaves out Pods on the host network, so that their image cannot be pulled. The workload stays on the pod network. Write the image that its pods run, or put the workload under `exclude` [pod-forbids]");
    for other in ["auto:v1", "example.com/auto", "automatic"] {
        assert_eq!(reported(&of(other)), "", "{other}");
    }
}

/// Identities that an intercepted metadata address gives the pods do not reach the host network.
#[test]
fn identities_by_the_metadata_address_forbid_the_host_network() {
    let with = |labels: &str, annotation: &str, spec: &str| {
        let own = format!("      labels: {{app: web{labels}}}\n      annotations: {{{annotation}}}\n");
        let manifest = deployment("      - {name: web}\n").replace("      labels: {app: web}\n", &own);
        manifest.replace("    spec:\n", &format!("    spec:\n      {spec}\n"))
    };
    let account = |namespace: &str, annotation: &str| {
        format!(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: web, namespace: {namespace}, annotations: {{{annotation}}}}}\n---\n"
        )
    };
    let google = "iam.gke.io/gcp-service-account: web@p.iam.gserviceaccount.com";
    let of_account = with("", "", "serviceAccountName: web");
    let refused = changes(&ports("keep"), &format!("{}{of_account}", account("shop", google)));
    assert_snapshot!(worded(refused), @"error: standard input:14:7: Deployment shop/web: its ServiceAccount has `iam.gke.io/gcp-service-account`, and GKE gives Pods on the host network the identity of their node and not that of the account. The workload stays on the pod network. Remove `iam.gke.io/gcp-service-account`, or put the workload under `exclude` [pod-forbids]");
    let node = "nodeSelector: {iam.gke.io/gke-metadata-server-enabled: 'true'}";
    for refused in [
        with("", "iam.amazonaws.com/role: web", ""),
        with("", "iam.amazonaws.com/role: '${ROLE}'", ""),
        with(", aadpodidbinding: web", "", ""),
        with("", "", node),
    ] {
        assert!(reported(&refused).starts_with("warning: "), "{refused}");
    }
    for moved in [
        // No role is asked for, as clusterctl fills in the annotation of Cluster API Provider AWS by default.
        with("", "iam.amazonaws.com/role: ''", ""),
        with("", "iam.amazonaws.com/role: '${AWS_CONTROLLER_IAM_ROLE:=\"\"}'", ""),
        format!("{}{of_account}", account("other", google)),
        format!("{}{of_account}", account("shop", "eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/web'")),
        format!("{}{}", account("shop", google), with("", "", "serviceAccountName: api")),
        with(", azure.workload.identity/use: 'true'", "", ""),
        with("", "", &node.replace("'true'", "'false'")),
    ] {
        let log = changes(&ports("keep"), &moved);
        assert!(log.contains("+      hostNetwork: true") && !log.contains("[pod-forbids]"), "{log}");
    }
}

/// The account that Crossplane creates for a package by its runtime config.
#[test]
fn identities_of_packages_forbid_the_host_network() {
    let log = |annotation: &str| {
        let provider = super::admission_policy::provider("crossplane-system");
        let provider = provider.replace("spec: {package:", "spec: {runtimeConfigRef: {name: own}, package:");
        let config = format!(
            "apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {{name: own}}\nspec: {{serviceAccountTemplate: {{metadata: \
             {{annotations: {{{annotation}}}}}}}}}\n---\n"
        );
        let spec = "{crossplane: {version: v1.20.0}, targets: [{select: {name: web}, ports: auto}]}";
        let (output, log) = run(spec, &format!("{config}{provider}"));
        let own: Vec<String> = log.into_iter().filter(|line| line.contains("[pod-forbids]")).collect();
        (output.contains("hostNetwork: true"), brief(own.join("\n")))
    };
    let (moved, finding) = log("iam.gke.io/gcp-service-account: crossplane@p.iam.gserviceaccount.com");
    assert!(!moved);
    assert_snapshot!(finding, @r#"error: pod-forbids DeploymentRuntimeConfig own spec.serviceAccountTemplate.metadata.annotations["iam.gke.io/gcp-service-account"] (4:90)"#);
    assert_eq!(log("eks.amazonaws.com/role-arn: a"), (true, String::new()));
}

/// Nodes of services that run no pods on the host network.
#[test]
fn nodes_without_a_host_network_forbid_it() {
    let affinity = |operator: &str| {
        format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{{key: \
             eks.amazonaws.com/compute-type, operator: {operator}, values: [fargate]}}]}}]}}}}}}"
        )
    };
    let log = |spec: &str| changes(&ports("keep"), &on(spec));
    assert_snapshot!(brief(log("nodeSelector: {eks.amazonaws.com/compute-type: fargate}")), @"error: pod-forbids Deployment shop/web spec.template.spec (9:7)");
    for spec in [affinity("In").as_str(), "nodeSelector: {type: virtual-kubelet, kubernetes.io/role: agent}"] {
        assert!(log(spec).starts_with("error: "), "{spec}");
    }
    for spec in [
        affinity("NotIn").as_str(),
        "nodeSelector: {eks.amazonaws.com/compute-type: ec2}",
        "nodeSelector: {type: db}",
        "tolerations: [{key: virtual-kubelet.io/provider, operator: Exists}]",
    ] {
        assert!(!log(spec).contains("[pod-forbids]"), "{spec}");
    }
}

#[test]
fn fields_that_forbid_the_host_network_refuse_it() {
    let field = |field: &str| {
        deployment("      - {name: web}\n").replace("    spec:\n", &format!("    spec:\n      {field}\n"))
    };
    assert_snapshot!(worded(changes(&ports("keep"), &field("hostUsers: false"))), @"error: standard input:9:18: Deployment shop/web: spec.template.spec.hostUsers is `false`, which the API server refuses together with `hostNetwork: true`. The workload stays on the pod network. Remove the field, or put the workload under `exclude` [pod-forbids]");
    assert_snapshot!(brief(changes(&ports("keep"), &field("hostnameOverride: me"))), @"error: pod-forbids Deployment shop/web spec.template.spec.hostnameOverride (9:25)");
    let sysctl = "securityContext: {sysctls: [{name: net.core.somaxconn, value: '1'}]}";
    assert_snapshot!(brief(changes(&ports("keep"), &field(sysctl))), @"error: pod-forbids Deployment shop/web spec.template.spec.securityContext.sysctls[0].name (9:42)");
    // A forbidden field and an invalid port.
    let text = field("hostUsers: false").replace("{name: web}", "{name: web, ports: [{containerPort: x}]}");
    assert_snapshot!(brief(changes(&ports("keep"), &text)), @"
    error: port-declared Deployment shop/web spec.template.spec.containers[0].ports[0].containerPort (11:45, 1, 65535)
    error: pod-forbids Deployment shop/web spec.template.spec.hostUsers (9:18)
    ");
    assert_snapshot!(super::current(&ports("keep"), &text), @"pod-forbids Bool(false) spec.template.spec.hostUsers");
    assert_snapshot!(changes(&ports("keep"), &field("hostUsers: true")), @"+      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet");
}

#[test]
fn a_forbidden_pod_in_a_broad_select_is_a_warning() {
    let manifest = format!(
        "{}---\n{}",
        deployment("      - {name: web}\n").replace("    spec:\n", "    spec:\n      hostUsers: false\n"),
        deployment("      - {name: api}\n").replace("name: web, ", "name: api, ")
    );
    assert_snapshot!(brief(changes("{targets: [{select: {kind: Deployment}}]}", &manifest)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: pod-forbids Deployment shop/web spec.template.spec.hostUsers (9:18)
    ");
}

#[test]
fn a_pod_on_windows_nodes_stays() {
    let manifest = on("nodeSelector: {kubernetes.io/os: windows}");
    let (output, log) = run("{targets: [{select: {name: web}}]}", &manifest);
    assert_eq!(output, manifest);
    assert_snapshot!(worded(log.join("\n")), @"error: standard input:9:7: Deployment shop/web: its pods run on Windows nodes, and on Windows nodes only HostProcess pods are on the host network (and others from v1.26 to v1.32 where the kubelet has the alpha feature WindowsHostNetwork). The workload is not changed: put it under `exclude` [pod-forbids]");
    // A broad select leaves the workload unchanged.
    let both = [manifest.as_str(), "---\n", &deployment_named("api", 8081, true)].concat();
    let (output, log) = run("{targets: [{select: {kind: Deployment}}]}", &both);
    assert!(output.starts_with(&manifest) && output.contains("hostNetwork: true"), "{output}");
    assert!(log.iter().any(|line| line.starts_with("warning") && line.contains("[pod-forbids]")), "{log:?}");
    let (output, _) = run("{targets: [{select: {name: web}}]}", &on("nodeSelector: {kubernetes.io/os: linux}"));
    assert!(output.contains("hostNetwork: true"), "{output}");
}

/// Kata Containers have no host network. Other classes, such as gVisor's, are not known to refuse it.
#[test]
fn a_runtime_class_of_virtual_machines_is_a_warning() {
    let class = |class: &str| {
        deployment("      - {name: web}\n")
            .replace("    spec:\n", &format!("    spec:\n      runtimeClassName: {class}\n"))
    };
    assert_snapshot!(worded(changes(&ports("keep"), &class("kata-qemu"))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    warning: standard input:9:25: Deployment shop/web: runtimeClassName is `kata-qemu`: Kata Containers run a pod in a virtual machine and do not support the host network, where they may change the network of the node. Use another runtime class, or keep the pod in the pod network [pod-forbids]
    ");
    assert!(changes(&ports("keep"), &class("runv")).contains("Sandboxed Containers of Alibaba Cloud"));
    for other in ["gvisor", "runc", "katalog", "nvidia"] {
        assert!(!changes(&ports("keep"), &class(other)).contains("[pod-forbids]"), "{other}");
    }
    // The handler of a class in the input decides, whatever the name of the class.
    let with_handler = |name: &str, handler: &str| {
        let object = format!(
            "---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {{name: {name}}}\nhandler: {handler}\n"
        );
        changes(&ports("keep"), &(class(name) + &object))
    };
    let secure = with_handler("secure", "kata-qemu");
    assert!(secure.contains("runtimeClassName is `secure`, whose handler is `kata-qemu`: Kata Containers"), "{secure}");
    assert!(!with_handler("kata-like", "runc").contains("[pod-forbids]"));
}

/// Pods that claim a device of dranet never start on the host network; claims of GPUs do not matter.
#[test]
fn a_claim_of_a_network_device_leaves_the_workload() {
    let objects = |class: &str, expression: &str| {
        let web = on("resourceClaims: [{name: nic, resourceClaimTemplateName: nic}]");
        format!(
            "{web}---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: nics}}\nspec: {{selectors: [{{cel: {{expression: '{expression}'}}}}]}}\n---\n\
             apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {{name: nic, namespace: shop}}\nspec: {{spec: {{devices: {{requests: [{{name: nic, exactly: {{deviceClassName: {class}}}}}]}}}}}}\n"
        )
    };
    let log = |class: &str, expression: &str| {
        run("{targets: [{select: {name: web}}]}", &objects(class, expression)).1.join("\n")
    };
    let dranet = "device.driver == \"dra.net\"";
    assert_snapshot!(worded(log("nics", dranet)), @"error: standard input:9:63: Deployment shop/web: its pods claim a network device by ResourceClaimTemplate shop/nic, and the driver `dra.net` refuses pods on the host network. The workload stays on the pod network. Remove the claim, or put the workload under `exclude` [pod-forbids]");
    assert!(log("dra.net", "true").contains("network device"), "a class with the name of its driver");
    for (class, expression) in
        [("nics", "device.driver == \"gpu.example.com\""), ("nics", "device.driver != \"dra.net\""), ("gpus", dranet)]
    {
        assert!(!log(class, expression).contains("[pod-forbids]"), "{class} {expression}");
    }
    // A device of the SR-IOV driver is a part of the network only with a NetworkAttachmentDefinition.
    let sriov = |parameters: &str| {
        let config = format!(
            "devices: {{config: [{{opaque: {{driver: sriovnetwork.k8snetworkplumbingwg.io, parameters: {{{parameters}}}}}}}], "
        );
        let all = objects("sriovnetwork.k8snetworkplumbingwg.io", "true").replace("devices: {", &config);
        run("{targets: [{select: {name: web}}]}", &all).1.join("\n")
    };
    let attached = sriov("ifName: net1, netAttachDefName: vf");
    assert!(attached.contains("`sriovnetwork.k8snetworkplumbingwg.io` attaches no network to pods"), "{attached}");
    assert!(!sriov("driver: vfio-pci").contains("[pod-forbids]"));
    let elsewhere = objects("nics", dranet).replace("name: nic, namespace: shop", "name: nic, namespace: api");
    assert!(!run("{targets: [{select: {name: web}}]}", &elsewhere).1.join("").contains("[pod-forbids]"));
}
