//! Charts and custom resources that other programs render: each command reports them once, with a command that shows
//! the manifests.

use super::{called_web, config, deployment};
use crate::support::run::hostnet;

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: crossplane, namespace: crossplane-system}
spec: {chart: {spec: {chart: crossplane, version: 1.20.1, sourceRef: {kind: HelmRepository, name: stable}}}, values: {a: b}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: stable, namespace: crossplane-system}
spec: {url: https://charts.crossplane.io/stable}
";

/// An object, and the message about it without its name.
const OBJECTS: [(&str, &str); 11] = [
    (
        RELEASE,
        "HelmRelease crossplane-system/crossplane: the chart crossplane 1.20.1 is not part of the input: `helm template crossplane crossplane \
         --repo https://charts.crossplane.io/stable --version 1.20.1 -n crossplane-system --values VALUES`",
    ),
    (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: podinfo, namespace: a}\nspec: {targetNamespace: b, chartRef: {kind: \
         OCIRepository, name: podinfo}}\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: podinfo, namespace: a}\nspec: \
         {url: 'oci://ghcr.io/stefanprodan/charts/podinfo', ref: {tag: 6.9.0}}\n",
        "HelmRelease a/podinfo: the chart podinfo 6.9.0 is not part of the input: `helm template b-podinfo oci://ghcr.io/stefanprodan/charts/podinfo \
         --version 6.9.0 -n b`",
    ),
    (
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: web, namespace: kube-system}\nspec: {chart: web, repo: 'https://a.example/c', \
         version: 1.0.0, targetNamespace: shop}\n",
        "HelmChart kube-system/web: the chart web 1.0.0 is not part of the input: `helm template web web --repo https://a.example/c --version 1.0.0 \
         -n shop`",
    ),
    (
        "apiVersion: helm.crossplane.io/v1beta1\nkind: Release\nmetadata: {name: web}\nspec: {forProvider: {namespace: shop, chart: {name: web, \
         repository: 'https://a.example/c', version: 1.0.0}}}\n",
        "Release web: the chart web 1.0.0 is not part of the input: `helm template web web --repo https://a.example/c --version 1.0.0 -n shop`",
    ),
    (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: other, namespace: argocd}\nspec: {destination: {namespace: shop}, source: \
         {repoURL: 'https://a.example/c', chart: web, targetRevision: 2.1.3}}\n",
        "Application argocd/other: the chart web 2.1.3 is not part of the input: `helm template other web --repo https://a.example/c --version 2.1.3 \
         -n shop`",
    ),
    (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: oci, namespace: argocd}\nspec: {sources: [{repoURL: \
         registry.example.com/charts, chart: web, targetRevision: '>1.0 <2'}, {repoURL: 'https://git.example/x'}]}\n",
        "Application argocd/oci: the chart web >1.0 <2 is not part of the input: `helm template oci oci://registry.example.com/charts/web --version \
         '>1.0 <2'`",
    ),
    (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: git, namespace: argocd}\nspec: {source: {repoURL: 'https://git.example/x', path: a}}\n",
        "Application argocd/git: its rendered manifest is not part of the input: `argocd app manifests git`",
    ),
    (
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec: {}\n",
        "ApplicationSet argocd/all: the rendered manifest of its Applications is not part of the input: `hostnet charts in.yaml | sh`",
    ),
    (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: apps, namespace: a}\nspec: {}\n",
        "ResourceSet a/apps: its rendered manifest is not part of the input: `hostnet charts in.yaml | sh`",
    ),
    (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux, namespace: flux-system}\nspec: {}\n",
        "FluxInstance flux-system/flux: its rendered manifest is not part of the input: `hostnet charts in.yaml | sh`",
    ),
    (
        "apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\nmetadata: {name: s, namespace: knative-serving}\n",
        "KnativeServing knative-serving/s: the manifest that its operator creates (the webhooks of Knative Serving) is not part of the input: `kubectl get \
         deployments,statefulsets,daemonsets,services,validatingwebhookconfigurations,mutatingwebhookconfigurations,customresourcedefinitions,apiservices,clusterroles,clusterrolebindings -A -o yaml`",
    ),
];

const COMMANDS: [&[&str]; 10] = [
    &["check"],
    &["check", "-v"],
    &["ports"],
    &["ports", "-c", "host.yaml"],
    &["apply", "-c", "host.yaml", "--diff"],
    &["pin", "-c", "host.yaml", "--check"],
    &["patch", "-c", "host.yaml", "--as", "component"],
    &["explain", "shop/web", "-c", "host.yaml"],
    &["mirror", "list"],
    &["proxy", "check"],
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = config("  targets: [{select: {name: web}, ports: auto}]\n");
    std::fs::write(folder.path().join("host.yaml"), text).unwrap();
    folder
}

#[test]
fn every_command_reports_objects_rendered_by_other_programs() {
    let folder = folder();
    for (object, line) in OBJECTS {
        std::fs::write(folder.path().join("in.yaml"), format!("{}---\n{object}", called_web())).unwrap();
        for command in COMMANDS {
            let run = hostnet(folder.path(), &[command, &["in.yaml"]].concat(), b"");
            let log = format!("{}{}", run.stderr, run.text());
            assert_eq!(log.matches(line).count(), 1, "{command:?}: `{line}` in {log}");
        }
        let alone = hostnet(folder.path(), &["init", "--to", "-", "-"], object.as_bytes());
        assert!(
            alone.code == Some(1) && alone.stderr.contains(&line.replace("in.yaml", "-")),
            "{line}: {}",
            alone.stderr
        );
    }
}

/// A config of eksctl renders manifests only with add-ons; an App of Rancher is a record of an installed release.
#[test]
fn objects_without_manifests_are_not_named() {
    let folder = folder();
    let checked = |api: &str, kind: &str, rest: &str| {
        let object = format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\n{rest}\n");
        hostnet(folder.path(), &["check", "-"], object.as_bytes()).text().contains(&format!("not read: {kind} a"))
    };
    assert!(checked("eksctl.io/v1alpha5", "ClusterConfig", "addons: [{name: cert-manager}]"));
    assert!(checked("core.rukpak.io/v1alpha2", "BundleDeployment", "spec: {}"));
    assert!(checked("kubernetesconfiguration.azure.com/v1api20241101", "Extension", "spec: {}"));
    assert!(!checked("eksctl.io/v1alpha5", "ClusterConfig", "nodeGroups: []"));
    assert!(!checked("catalog.cattle.io/v1", "App", "spec: {}"));
    assert!(!checked("extensions.istio.io/v1alpha1", "WasmPlugin", "spec: {}"));
}

#[test]
fn an_image_list_with_unrendered_charts_is_incomplete() {
    let folder = folder();
    for (object, _) in OBJECTS {
        let list = |option: &str| hostnet(folder.path(), &["mirror", "list", option, "-"], object.as_bytes()).code;
        assert_eq!((list("--complete"), list("-q"), list("--strict")), (Some(1), Some(0), Some(1)), "{object}");
    }
}

/// These programs read one document of a file: the command has the file if it contains only the object.
#[test]
fn a_program_gets_a_file_of_one_object() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let set = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: NAME}\nspec: {}\n";
    let applications = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all}\nspec: {}\n";
    let two = format!("{}---\n{}", set.replace("NAME", "one"), set.replace("NAME", "two"));
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}", set.replace('\n', "\n  "));
    for (text, command) in [
        (set, "`flux-operator build resourceset -f 'a b.yaml'`"),
        (applications, "`argocd appset generate -o yaml 'a b.yaml'`"),
        (two.as_str(), "`hostnet charts 'a b.yaml' | sh`"),
        (list.as_str(), "`hostnet charts 'a b.yaml' | sh`"),
    ] {
        write("a b.yaml", text);
        let log = hostnet(folder.path(), &["check", "a b.yaml"], b"").text();
        assert!(log.contains(command), "{command}: {log}");
        let log = hostnet(folder.path(), &["check", "-"], text.as_bytes()).text();
        assert!(log.contains("`hostnet charts - | sh`"), "{log}");
    }
}

/// Custom resources whose operators create webhooks or render charts.
#[test]
fn operators_that_run_servers_are_known() {
    for (group, kind) in [
        ("operator.cluster.x-k8s.io/v1alpha2", "InfrastructureProvider"),
        ("operator.open-cluster-management.io/v1", "ClusterManager"),
        ("operators.coreos.com/v1alpha1", "Subscription"),
        ("helm.crossplane.io/v1beta1", "Release"),
        ("helm.m.crossplane.io/v1beta1", "Release"),
        ("policies.kubewarden.io/v1", "PolicyServer"),
        ("operator.tekton.dev/v1alpha1", "TektonTrigger"),
        ("sailoperator.io/v1", "IstioRevision"),
        ("autoscaling.openshift.io/v1", "VerticalPodAutoscalerController"),
        ("operator.openshift.io/v1alpha1", "CertManager"),
        ("multicluster.openshift.io/v1", "MultiClusterEngine"),
        ("maistra.io/v2", "ServiceMeshControlPlane"),
        ("addons.cluster.x-k8s.io/v1beta1", "ClusterResourceSet"),
        ("core.oam.dev/v1beta1", "Application"),
    ] {
        let object = format!("apiVersion: {group}\nkind: {kind}\nmetadata: {{name: a}}\n");
        let log = hostnet(folder().path(), &["check", "-"], object.as_bytes()).text();
        assert!(log.contains(&format!("not read: {kind} a: the manifest that its operator creates (")), "{log}");
    }
}

/// `--strict` counts unread objects, and the last line lists them.
#[test]
fn a_strict_check_fails_for_unread_objects() {
    let folder = folder();
    let widget = widget(&format!("{{template: {TEMPLATE}}}"));
    for (object, count) in
        [(RELEASE, "1 object that other programs render"), (&widget, "1 object of unknown kinds with a pod template")]
    {
        std::fs::write(folder.path().join("in.yaml"), format!("{}---\n{object}", deployment("web"))).unwrap();
        let plain = hostnet(folder.path(), &["check", "in.yaml"], b"");
        assert!(
            plain.code == Some(0) && plain.text().contains(&format!("nothing found; not read: {count}\n")),
            "{}",
            plain.text()
        );
        for flags in [&["--strict"][..], &["--fail-on", "warning"], &["-q", "--strict"]] {
            let strict = hostnet(folder.path(), &[&["check"], flags, &["in.yaml"]].concat(), b"");
            let line = format!("error: not read: {count}, which `");
            assert!(strict.code == Some(1) && strict.stderr.contains(&line), "{flags:?}: {}", strict.stderr);
        }
        assert_eq!(hostnet(folder.path(), &["check", "--fail-on", "error", "in.yaml"], b"").code, Some(0));
    }
    // The input contains the render of a release.
    std::fs::create_dir(folder.path().join("all")).unwrap();
    std::fs::write(folder.path().join("all/in.yaml"), RELEASE).unwrap();
    let render = "all/helmrelease_crossplane-system_crossplane.yaml";
    std::fs::write(folder.path().join(render), deployment("web")).unwrap();
    let strict = hostnet(folder.path(), &["check", "--strict", "all"], b"");
    assert!(strict.code == Some(0) && !strict.text().contains("not read"), "{}{}", strict.text(), strict.stderr);
}

const KUBEVIRT: &str = "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: a}\n---\n";

/// A Deployment with an owner.
fn owned(owner: &str) -> String {
    deployment("web")
        .replace("namespace: shop", &format!("namespace: a, ownerReferences: [{{{owner}, controller: true}}]"))
}

/// Workloads of an operator in the input replace its custom resource.
#[test]
fn an_operand_whose_workloads_are_in_the_input_is_read() {
    let folder = folder();
    let strict = |files: &[String]| {
        std::fs::write(folder.path().join("in.yaml"), files.join("---\n")).unwrap();
        let run = hostnet(folder.path(), &["check", "--strict", "in.yaml"], b"");
        (run.code, run.text().contains("not read: "))
    };
    let own = "apiVersion: kubevirt.io/v1, kind: KubeVirt, name: kubevirt";
    assert_eq!(strict(&[KUBEVIRT.to_owned(), owned(own)]), (Some(0), false));
    // Another owner, another namespace, and an object without pods.
    for other in [
        owned(&own.replace("name: kubevirt", "name: other")),
        owned(own).replace("namespace: a", "namespace: b"),
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: a, ownerReferences: [{{{own}}}]}}\n"),
    ] {
        assert_eq!(strict(&[KUBEVIRT.to_owned(), other]), (Some(1), true));
    }
    // The owner of an owner, whose kind is in the suggested command.
    let tekton = "apiVersion: operator.tekton.dev/v1alpha1\nkind: TektonTrigger\nmetadata: {name: trigger}\n";
    let set = "apiVersion: operator.tekton.dev/v1alpha1\nkind: TektonInstallerSet\nmetadata: {name: set, ownerReferences: [{apiVersion: operator.tekton.dev/v1alpha1, kind: TektonTrigger, name: trigger}]}\n";
    let made = owned("apiVersion: operator.tekton.dev/v1alpha1, kind: TektonInstallerSet, name: set");
    assert_eq!(strict(&[tekton.to_owned(), set.to_owned(), made.clone()]), (Some(0), false));
    assert_eq!(strict(&[tekton.to_owned(), made]), (Some(1), true));
    let log = hostnet(folder.path(), &["check", "-"], tekton.as_bytes()).text();
    assert!(log.contains("clusterrolebindings,tektoninstallersets.operator.tekton.dev -A"), "{log}");
}

/// A check of this cluster does not need objects of other clusters.
#[test]
fn manifests_for_other_clusters_are_reported_and_pass() {
    let folder = folder();
    let set = "apiVersion: addons.cluster.x-k8s.io/v1beta1\nkind: ClusterResourceSet\nmetadata: {name: a}\n";
    let both = |objects: &[&str]| {
        std::fs::write(folder.path().join("in.yaml"), objects.join("---\n")).unwrap();
        hostnet(folder.path(), &["check", "--strict", "in.yaml"], b"")
    };
    let run = both(&[&deployment("web"), set]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.text().contains("`kubectl --context CLUSTER get deployments,"), "{}", run.text());
    assert_eq!(both(&[&deployment("web"), set, KUBEVIRT]).code, Some(1));
}

/// Kinds of other groups, sources without a release, and kinds mentioned in text.
#[test]
fn similar_objects_are_not_reported() {
    let folder = folder();
    for object in [
        "apiVersion: app.k8s.io/v1beta1\nkind: Application\nmetadata: {name: a}\nspec: {}\n",
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: a}\nspec: {url: 'https://a.example'}\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 'kind: HelmRelease, operator.knative.dev KnativeServing'}\n",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: helmreleases.helm.toolkit.fluxcd.io}\nspec: {names: {kind: HelmRelease}}\n",
        "apiVersion: operator.knative.dev/v1beta1\nkind: Other\nmetadata: {name: a}\n",
        "apiVersion: messaging.knative.dev/v1\nkind: Subscription\nmetadata: {name: a}\n",
        "apiVersion: operator.openshift.io/v1\nkind: IngressController\nmetadata: {name: a}\n",
        "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\nmetadata: {name: a}\n",
        "apiVersion: metallb.io/v1beta1\nkind: IPAddressPool\nmetadata: {name: a}\n",
    ] {
        let run = hostnet(folder.path(), &["check", "-"], object.as_bytes());
        assert_eq!((run.code, run.text().contains("not read")), (Some(0), false), "{object}: {}", run.text());
    }
}

/// Charts of Flux from a Git repository, from a repository outside the input, and with the release names that Flux
/// makes.
#[test]
fn a_chart_comes_from_all_sources_of_flux() {
    let folder = folder();
    let release = |spec: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: certs, namespace: a}}\nspec: {{{spec}}}\n"
        )
    };
    let chart = |more: &str, source: &str| {
        release(&format!(
            "{more}chart: {{spec: {{chart: ./charts/cert-manager, sourceRef: {{kind: {source}, name: x}}}}}}"
        ))
    };
    for (object, command) in [
        (chart("", "GitRepository"), "`helm template certs ./charts/cert-manager -n a`"),
        (chart("releaseName: cm, ", "GitRepository"), "`helm template cm ./charts/cert-manager -n a`"),
        (chart("targetNamespace: b, ", "GitRepository"), "`helm template b-certs ./charts/cert-manager -n b`"),
        (chart("", "HelmRepository"), "`helm template certs ./charts/cert-manager --repo URL -n a`"),
        (release("chartRef: {kind: OCIRepository, name: web}"), "`helm template certs URL -n a`"),
    ] {
        let log = hostnet(folder.path(), &["check", "-"], object.as_bytes()).text();
        assert!(log.contains(command), "{command}: {log}");
        // The catalog has cert-manager, but no chart `web`.
        assert_eq!(
            log.contains("hostnet patch -c hostnet.yaml --as helmrelease"),
            command.contains("cert-manager"),
            "{log}"
        );
    }
}

/// A custom workload.
fn widget(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n---\n")
}

const TEMPLATE: &str = "{metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: example/web:v1}]}}";

#[test]
fn a_pod_template_of_an_unknown_kind_is_reported() {
    let folder = folder();
    let row = |path: &str| format!("templates: [{{group: example.com, kind: Widget, path: {path}}}]");
    for (spec, path) in [
        (format!("{{template: {TEMPLATE}}}"), "spec.template"),
        (format!("{{groups: [{{podTemplate: {TEMPLATE}}}]}}"), "'spec.groups[].podTemplate'"),
    ] {
        let objects = widget(&spec).repeat(2);
        for command in [
            &["check"][..],
            &["ports"],
            &["apply", "-c", "host.yaml", "--diff"],
            &["explain", "web", "-c", "host.yaml"],
        ] {
            let run = hostnet(
                folder.path(),
                &[command, &["-"]].concat(),
                format!("{}---\n{objects}", called_web()).as_bytes(),
            );
            let log = format!("{}{}", run.stderr, run.text());
            assert_eq!(log.matches("not read: Widget shop/web (and 1 more): ").count(), 1, "{command:?}: {log}");
            assert!(log.contains(&row(path)), "{path}: {log}");
        }
        // The row of the message works when pasted.
        let text = config(&format!("  targets: [{{select: {{name: web}}, ports: auto}}]\n  {}\n", row(path)));
        std::fs::write(folder.path().join("known.yaml"), text).unwrap();
        let run = hostnet(folder.path(), &["apply", "-c", "known.yaml", "--diff", "-"], widget(&spec).as_bytes());
        assert!(
            run.text().contains("hostNetwork: true") && !run.stderr.contains("not read"),
            "{}{}",
            run.stderr,
            run.text()
        );
    }
}

/// One row for each path of the kind, `*` for keys that are no fields, and a row that reads a part of them.
#[test]
fn all_pod_templates_of_an_unknown_kind_are_reported() {
    let folder = folder();
    let row = |path: &str| format!("{{group: example.com, kind: Widget, path: {path}}}");
    let log = |rows: &str, objects: &str| {
        let text =
            config(&format!("  targets: [{{select: {{name: none}}}}]\n  unmatched: Ignore\n  templates: [{rows}]\n"));
        std::fs::write(folder.path().join("known.yaml"), text).unwrap();
        hostnet(folder.path(), &["check", "-c", "known.yaml", "-"], objects.as_bytes()).text()
    };
    let (head, workers) = (row("spec.head.template"), row("'spec.workers[].template'"));
    let of_head = widget(&format!("{{head: {{template: {TEMPLATE}}}}}"));
    let of_both = widget(&format!(
        "{{workers: [{{template: {TEMPLATE}}}, {{template: {TEMPLATE}}}], head: {{template: {TEMPLATE}}}}}"
    ));
    let replicas = widget(&format!("{{replicas: {{PS: {{template: {TEMPLATE}}}, Worker: {{template: {TEMPLATE}}}}}}}"));
    let any = row("'spec.replicas.*.template'");
    let unread = hostnet(folder.path(), &["check", "-"], format!("{of_head}{of_both}").as_bytes()).text();
    assert!(unread.contains(&format!("not read: Widget shop/web (and 1 more): hostnet does not know the kind: to read its pod templates, write `templates: [{head}, {workers}]` into")), "{unread}");
    let unread = hostnet(folder.path(), &["check", "-"], replicas.as_bytes()).text();
    assert!(unread.contains(&format!("`templates: [{any}]` in")), "{unread}");
    for (rows, objects, left) in [
        (head.clone(), &of_both, Some(&workers)),
        (head.clone(), &of_head, None),
        (format!("{head}, {workers}"), &of_both, None),
        (row("spec.replicas.Worker.template"), &replicas, Some(&any)),
        (any.clone(), &replicas, None),
    ] {
        let log = log(&rows, objects);
        assert_eq!(log.contains("not read: Widget"), left.is_some(), "{rows}: {log}");
        let part = left.map(|left| format!("to read its other pod template, add `{left}` to `templates`"));
        assert!(part.is_none_or(|part| log.contains(&part)), "{rows}: {log}");
    }
}

#[test]
fn an_object_inside_another_object_is_reported() {
    let object = widget(&format!(
        "{{objects: [{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: inner}}, spec: {{template: {TEMPLATE}}}}}]}}"
    ));
    let log = hostnet(folder().path(), &["check", "-"], object.as_bytes()).text();
    assert!(log.contains("not read: Widget shop/web: the Deployment inside of it"), "{log}");
    assert!(!log.contains("templates: ["), "{log}");
}

/// Known kinds, kinds that never run pods, and texts that resemble a pod template.
#[test]
fn other_pod_templates_are_not_reported() {
    let folder = folder();
    let known = widget(&format!("{{template: {TEMPLATE}}}"));
    for object in [
        known.replace("example.com/v1", "argoproj.io/v1alpha1").replace("Widget", "Rollout"),
        known.replace("example.com/v1", "apps/v1").replace("Widget", "Deployment"),
        known.replace("example.com/v1", "kyverno.io/v1").replace("Widget", "ClusterPolicy"),
        known.replace("example.com/v1", "apiextensions.k8s.io/v1").replace("Widget", "CustomResourceDefinition"),
        widget("{template: {spec: {containers: [web, api]}}}"),
        widget("{containers: [{name: web, image: example/web:v1}]}"),
        widget(&format!("{{template: {TEMPLATE:?}}}")),
    ] {
        let run = hostnet(folder.path(), &["check", "-"], object.as_bytes());
        assert!(!run.text().contains("not read"), "{object}: {}", run.text());
    }
}

#[test]
fn charts_that_the_catalogue_knows_come_first() {
    let chart = |name: &str, chart: &str| {
        format!(
            "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: {name}}}\nspec: {{chart: {chart}}}\n---\n"
        )
    };
    let objects = [chart("a", "podinfo"), chart("b", "cert-manager"), chart("c", "web")].concat();
    let log = hostnet(folder().path(), &["check", "-"], objects.as_bytes()).text();
    let at = |name: &str| log.find(&format!("HelmChart {name}: ")).unwrap();
    assert!(at("b") < at("a") && at("a") < at("c"), "{log}");
}

/// The chart in a template of a Composition is rendered by the operator of provider-helm.
#[test]
fn a_chart_in_a_composition_is_reported() {
    let composition = |base: &str| {
        format!(
            "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {{name: c}}\nspec: {{mode: Pipeline, pipeline: [{{step: a, input: {{apiVersion: pt.fn.crossplane.io/v1beta1, kind: Resources, resources: [{{name: r, base: {base}}}]}}}}]}}\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let run = |command: &[&str], base: &str| hostnet(folder.path(), command, composition(base).as_bytes());
    let chart = "{apiVersion: helm.crossplane.io/v1beta1, kind: Release, spec: {forProvider: {chart: {name: web}}}}";
    let line = "Composition c: what the operator of the Release in it creates (the manifests of a chart) is not part of the input";
    let check = run(&["check", "-"], chart);
    assert!(check.text().contains(line) || check.stderr.contains(line), "{}{}", check.text(), check.stderr);
    let list = run(&["mirror", "list", "--complete", "-"], chart);
    assert_eq!((list.code, list.stderr.matches(line).count()), (Some(1), 1), "{}", list.stderr);
    // A managed resource of a cloud, and a reference to a Release.
    for base in [
        "{apiVersion: s3.aws.upbound.io/v1beta1, kind: Bucket}",
        "{apiVersion: protection.crossplane.io/v1beta1, kind: Usage, spec: {of: {kind: Release}}}",
    ] {
        assert_eq!(run(&["mirror", "list", "--complete", "-"], base).code, Some(0), "{base}");
    }
}

/// The files that a kustomization lists do not include its rendered charts.
#[test]
fn a_chart_of_a_kustomization() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("app")).unwrap();
    write("app/web.yaml", &called_web());
    let chart = "helmCharts: [{name: minecraft, repo: 'https://a.example', version: 3.1.3}]\n";
    for (rest, count) in [(chart, 1), ("", 0)] {
        write("app/kustomization.yaml", &format!("resources: [web.yaml]\n{rest}"));
        for command in [
            &["check"][..],
            &["ports"],
            &["apply", "--sources", "-c", "host.yaml", "--diff"],
            &["mirror", "list", "--sources"],
        ] {
            let run = hostnet(folder.path(), &[command, &["app"]].concat(), b"");
            let log = format!("{}{}", run.stderr, run.text());
            let line =
                "Kustomization app: the chart minecraft is not part of the input: `kustomize build --enable-helm app`";
            assert_eq!((run.code, log.matches(line).count()), (Some(0), usize::from(count == 1)), "{command:?}: {log}");
        }
        let list = hostnet(folder.path(), &["mirror", "list", "--sources", "--complete", "app"], b"");
        assert_eq!(list.code, Some(count), "{}", list.stderr);
    }
}

/// Remote resources and generators create objects that are in no file. A ConfigMap generator, or a render of the build
/// in the input, leaves out nothing.
/// A custom resource whose operator puts pods on the host network, without the pods.
#[test]
#[allow(clippy::too_many_lines, reason = "a list of objects")]
fn host_network_of_an_operators_pods_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let strict = |objects: &[String]| {
        let run = hostnet(folder.path(), &["check", "--strict", "-"], objects.join("---\n").as_bytes());
        (run.code, run.text())
    };
    let object = |version: &str, kind: &str, spec: &str| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: own, namespace: a}}\nspec: {spec}\n")
    };
    let own = object("opentelemetry.io/v1beta1", "OpenTelemetryCollector", "{hostNetwork: true}");
    let (code, text) = strict(std::slice::from_ref(&own));
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(text, @"
    not read: OpenTelemetryCollector a/own: its pods, which spec.hostNetwork puts on the host network, are not part of the input: give the objects that the controller of OpenTelemetryCollector makes: `kubectl get pods,deployments,statefulsets,daemonsets,services,validatingwebhookconfigurations,mutatingwebhookconfigurations,customresourcedefinitions,apiservices,clusterroles,clusterrolebindings -A -o yaml`
    1 object: nothing found; not read: 1 object with `hostNetwork` for the pods of an operator
    ");
    let nested =
        object("beat.k8s.elastic.co/v1beta1", "Beat", "{daemonSet: {podTemplate: {spec: {hostNetwork: true}}}}");
    assert!(strict(std::slice::from_ref(&nested)).1.contains("which spec.daemonSet.podTemplate.spec.hostNetwork puts"));
    for (object, path) in [
        (
            object("sparkoperator.k8s.io/v1beta2", "SparkApplication", "{driver: {hostNetwork: true}}"),
            "spec.driver.hostNetwork",
        ),
        (
            object(
                "operator.openshift.io/v1",
                "IngressController",
                "{endpointPublishingStrategy: {type: HostNetwork, hostNetwork: {httpPort: 80}}}",
            ),
            "spec.endpointPublishingStrategy.type",
        ),
        (object("ceph.rook.io/v1", "CephCluster", "{network: {provider: host}}"), "spec.network.provider"),
        (
            object("scylla.scylladb.com/v1", "ScyllaCluster", "{network: {hostNetworking: true}}"),
            "spec.network.hostNetworking",
        ),
        (object("logging.banzaicloud.io/v1beta1", "FluentbitAgent", "{HostNetwork: true}"), "spec.HostNetwork"),
        (
            object(
                "flink.apache.org/v1beta1",
                "FlinkDeployment",
                "{flinkConfiguration: {kubernetes.hostnetwork.enabled: 'true'}}",
            ),
            "spec.flinkConfiguration.kubernetes.hostnetwork.enabled",
        ),
    ] {
        assert!(strict(std::slice::from_ref(&object)).1.contains(&format!("which {path} puts")), "{object}");
    }
    // Operators put these pods on the host network by themselves, or unless a field says otherwise.
    let runtime = |worker: &str| object("data.fluid.io/v1alpha1", "JuiceFSRuntime", &format!("{{worker: {worker}}}"));
    for (object, by) in [
        (object("submariner.io/v1alpha1", "Submariner", "{broker: k8s}"), "its operator"),
        (object("dynatrace.com/v1beta5", "DynaKube", "{oneAgent: {}}"), "spec.oneAgent"),
        (runtime("{}"), "its operator"),
        (runtime("{networkMode: HostNetwork}"), "spec.worker.networkMode"),
    ] {
        assert!(strict(std::slice::from_ref(&object)).1.contains(&format!("which {by} puts")), "{object}");
    }
    let rook = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: a}\ndata: {ROOK_ENFORCE_HOST_NETWORK: 'true'}\n";
    assert!(
        strict(&[rook.to_owned()]).1.contains("the pods of its operator, which data.ROOK_ENFORCE_HOST_NETWORK puts")
    );
    for (object, path) in [
        (
            object(
                "opentelemetry.io/v1beta1",
                "OpenTelemetryCollector",
                "{ports: [{name: otlp, port: 4317, hostPort: 4317}]}",
            ),
            "spec.ports[].hostPort",
        ),
        (
            object(
                "gateway.nginx.org/v1alpha2",
                "NginxProxy",
                "{kubernetes: {daemonSet: {container: {hostPorts: [{port: 4317}]}}}}",
            ),
            "spec.kubernetes.daemonSet.container.hostPorts",
        ),
    ] {
        let (code, text) = strict(std::slice::from_ref(&object));
        assert!(code == Some(1) && text.contains(&format!("which take port 4317 of their nodes by {path},")), "{text}");
    }
    // The owner of a workload of the input.
    let owned = own.replace("opentelemetry.io/v1beta1", "apps/v1").replace("OpenTelemetryCollector", "DaemonSet").replace(
        "name: own,",
        "name: made, ownerReferences: [{apiVersion: opentelemetry.io/v1beta1, kind: OpenTelemetryCollector, name: own}],",
    );
    let owned = owned.replace(
        "{hostNetwork: true}",
        "{template: {spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: a, image: a}]}}}",
    );
    assert_eq!(strict(&[own.clone(), owned]).0, Some(0));
    for other in [
        own.replace("true", "false"),
        own.replace("true", "'true'"),
        own.replace("hostNetwork", "allowHostNetwork"),
        object("operator.openshift.io/v1", "IngressController", "{endpointPublishingStrategy: {type: Private}}"),
        object("ceph.rook.io/v1", "CephCluster", "{network: {provider: multus}}"),
        rook.replace("'true'", "'false'"),
        runtime("{networkMode: ContainerNetwork}"),
        object("dynatrace.com/v1beta5", "DynaKube", "{apiUrl: 'https://a.example.com'}"),
        object("ocs.openshift.io/v1", "StorageCluster", "{}"),
        object("example.com/v1", "Agent", "{apm: {enabled: false, hostPort: 8126}}"),
        object("example.com/v1", "Agent", "{hostPort: 0}"),
        object(
            "kind.x-k8s.io/v1alpha4",
            "Cluster",
            "{nodes: [{extraPortMappings: [{containerPort: 80, hostPort: 8080}]}]}",
        ),
        object("constraints.gatekeeper.sh/v1beta1", "K8sPSPHostNetworkingPorts", "{parameters: {hostNetwork: true}}"),
        object("kyverno.io/v1", "ClusterPolicy", "{rules: [{validate: {pattern: {spec: {hostNetwork: true}}}}]}"),
    ] {
        assert_eq!(strict(std::slice::from_ref(&other)).0, Some(0), "{other}");
    }
}

/// Patches change the files that a check reads: their builds are not read, in all formats, and fail under `--strict`.
#[test]
fn patches_of_a_kustomization_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    let runs = |field: &str| {
        write("kustomization.yaml", &format!("resources: [a.yaml]\n{field}\n"));
        let strict = hostnet(folder.path(), &["check", "--strict", "."], b"");
        let json = hostnet(folder.path(), &["check", "-o", "json", "."], b"").text();
        (strict.code, strict.text(), json)
    };
    let (code, text, json) = runs("patches: [{target: {kind: ConfigMap}, patch: '[]'}]");
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(text, @"
    not read: .: the kustomization sets patches, which the files that are read here do not show; `hostnet check --build .` reads the build
    1 object: nothing found; not read: changes of 1 kustomization
    ");
    assert!(json.contains("\"changes of 1 kustomization\""), "{json}");
    let (code, text, _) = runs("namespace: b");
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn parts_of_a_kustomization_without_a_file_are_reported() {
    let inflated =
        "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: minecraft}\nname: minecraft\n";
    let maps = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: own}\n";
    let url = "https://a.example/install.yaml";
    for (kustomization, line) in [
        (
            format!("resources: [web.yaml, '{url}']\n"),
            format!("its resource {url} is not part of the input: `kustomize build app`"),
        ),
        (
            "resources: [web.yaml]\ngenerators: [chart.yaml]\n".to_owned(),
            "the chart minecraft is not part of the input: `kustomize build --enable-helm app`".to_owned(),
        ),
        (
            "resources: [web.yaml]\nhelmChartInflationGenerator: [{chartName: minecraft}]\n".to_owned(),
            "the chart minecraft is not part of the input: `kustomize build --enable-helm app`".to_owned(),
        ),
        // A kustomization that the search for flags refuses.
        (
            "resources: [web.yaml]\nhelmCharts: [{name: minecraft}]\nunknown: []\n".to_owned(),
            "the chart minecraft is not part of the input: `kustomize build --enable-helm app`".to_owned(),
        ),
        (
            "resources: [web.yaml]\ngenerators: [chart.yaml]\ntransformers: [plugin.yaml]\n".to_owned(),
            "the chart minecraft is not part of the input: `kustomize build --enable-alpha-plugins --enable-helm app`"
                .to_owned(),
        ),
        ("resources: [web.yaml]\ngenerators: [maps.yaml]\n".to_owned(), String::new()),
        ("resources: [web.yaml, below//own.yaml]\n".to_owned(), String::new()),
    ] {
        let folder = folder();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir_all(folder.path().join("app/below")).unwrap();
        std::fs::create_dir(folder.path().join("rendered")).unwrap();
        for (name, text) in [
            ("app/web.yaml", called_web().as_str()),
            ("app/below/own.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n"),
            ("app/chart.yaml", inflated),
            ("app/maps.yaml", maps),
            ("app/plugin.yaml", "apiVersion: example.com/v1\nkind: Labels\nmetadata: {name: own}\n"),
            ("app/kustomization.yaml", &kustomization),
        ] {
            write(name, text);
        }
        let code = Some(i32::from(!line.is_empty()));
        for command in [&["ports", "app"][..], &["check", "--strict", "app"]] {
            let run = hostnet(folder.path(), command, b"");
            let log = format!("{}{}", run.stderr, run.text());
            let matches = log.matches(&format!("Kustomization app: {line}")).count();
            assert_eq!(
                (log.contains("not read: "), matches),
                (!line.is_empty(), usize::from(!line.is_empty())),
                "{log}"
            );
            assert!(command[0] == "ports" || run.code == code, "{log}");
        }
        let script = hostnet(folder.path(), &["charts", "app"], b"").text();
        assert_eq!(script.contains("\nkeep kustomization__app.yaml "), !line.is_empty(), "{script}");
        write(
            "rendered/kustomization__app.yaml",
            &called_web().replace("name: web", "name: other").replace("8443", "8444"),
        );
        let log = hostnet(folder.path(), &["ports", "app", "rendered"], b"").stderr;
        assert!(!log.contains("not read: "), "{log}");
    }
}

/// k3s and RKE2 bundle some charts: the input only has their `HelmChartConfig`.
#[test]
fn a_packaged_chart_is_reported() {
    let config = "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: rke2-ingress-nginx, namespace: kube-system}\nspec: {valuesContent: 'a: b'}\n";
    let chart = "---\napiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: rke2-ingress-nginx, namespace: kube-system}\nspec: {chart: a, repo: 'https://a.example'}\n";
    let line = "HelmChartConfig kube-system/rke2-ingress-nginx: the rendered chart rke2-ingress-nginx, which k3s or RKE2 packages, is not part of the input: \
                `kubectl get ";
    for (rest, count) in [("", 1), (chart, 0)] {
        let text = format!("{}---\n{config}{rest}", called_web());
        let log = hostnet(std::path::Path::new("."), &["ports", "-"], text.as_bytes()).stderr;
        assert_eq!(log.matches(line).count(), count, "{log}");
    }
}

/// The output of `helm template`, and a dump of a release: its workloads have the labels or annotations of the release.
#[test]
fn a_render_with_the_labels_of_its_release_counts_as_read() {
    let folder = folder();
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {chart: {spec: {chart: charts/site, version: 1.2.3, sourceRef: {kind: HelmRepository, name: r}}}}\n";
    let workload = |metadata: &str| {
        format!(
            "{release}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web-site, namespace: shop, {metadata}}}\nspec: {{selector: {{}}, template: {TEMPLATE}}}\n"
        )
    };
    for (metadata, is_read) in [
        ("labels: {app.kubernetes.io/instance: web, helm.sh/chart: site-1.2.3}", true),
        ("labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: shop}", true),
        ("annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}", true),
        ("labels: {app.kubernetes.io/instance: other, helm.sh/chart: site-1.2.3}", false),
        ("labels: {app.kubernetes.io/instance: web, helm.sh/chart: site-map-1.2.3}", false),
        ("labels: {app.kubernetes.io/instance: web}", false),
        ("labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: other}", false),
        ("annotations: {meta.helm.sh/release-name: other}", false),
    ] {
        let run = hostnet(folder.path(), &["check", "-"], workload(metadata).as_bytes());
        assert_eq!(run.text().contains("not read"), !is_read, "{metadata}: {}", run.text());
    }
    // A ConfigMap of the release is not the whole render.
    let map = workload("labels: {app.kubernetes.io/instance: web, helm.sh/chart: site-1.2.3}");
    let map = map.replace("apps/v1\nkind: Deployment", "v1\nkind: ConfigMap").replace("template: {", "other: {");
    assert!(hostnet(folder.path(), &["check", "-"], map.as_bytes()).text().contains("not read"));
}

/// Kinds that only hold objects: none of these is read.
#[test]
fn objects_inside_of_a_template_or_manifest_work_are_named() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: b}]}}";
    let deployment =
        "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers: [{name: a, image: b}]}}}}";
    let webhook = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration}";
    let template = |version: &str, object: &str| {
        format!("apiVersion: {version}\nkind: Template\nmetadata: {{name: t}}\nobjects: [{object}]\n")
    };
    let work = |object: &str| {
        let head = "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: t}";
        format!("{head}\nspec: {{workload: {{manifests: [{object}]}}}}\n")
    };
    let check = |text: &str| hostnet(folder().path(), &["check", "-"], text.as_bytes()).text();
    for (object, kind) in [(pod, "Pod"), (deployment, "Deployment"), (webhook, "ValidatingWebhookConfiguration")] {
        for version in ["v1", "template.openshift.io/v1"] {
            let log = check(&template(version, object));
            let line = format!("not read: Template t: the {kind} inside of it, at objects[]");
            assert!(log.contains(&line) && log.contains("`oc process --local"), "{version} {kind}: {log}");
        }
        let log = check(&work(object));
        assert!(log.contains(&format!("not read: ManifestWork t: the {kind} inside of it, at spec.workload")), "{log}");
    }
    let log = check(&template("v1", webhook));
    assert!(log.contains("not read: 1 object with other objects inside"), "{log}");
    for text in [
        template("v1", ""),
        template("example.com/v1", webhook),
        template("v1", webhook).replace("Template", "ConfigMap"),
    ] {
        let log = check(&text);
        assert!(!log.contains("not read"), "{log}");
    }
}

/// A policy of an admission engine may forbid the host network, wherever another object wraps it.
#[test]
fn policies_inside_of_other_objects_are_named() {
    let policy = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, \
                  validate: {pattern: {spec: {=(hostNetwork): 'false'}}}}]}}";
    let role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: hostNetwork}}";
    let wrapped = |object: &str| {
        let group = "policy.open-cluster-management.io/v1";
        let inner = format!(
            "{{apiVersion: {group}, kind: ConfigurationPolicy, metadata: {{name: c}}, spec: {{object-templates: \
             [{{objectDefinition: {object}}}]}}}}"
        );
        format!(
            "apiVersion: {group}\nkind: Policy\nmetadata: {{name: w}}\nspec: {{policy-templates: [{{objectDefinition: {inner}}}]}}\n"
        )
    };
    let sync = |object: &str| {
        format!(
            "apiVersion: hive.openshift.io/v1\nkind: SelectorSyncSet\nmetadata: {{name: w}}\nspec: {{resources: [{object}]}}\n"
        )
    };
    let check = |text: &str| hostnet(folder().path(), &["check", "-"], text.as_bytes()).text();
    for (object, line) in [
        (
            wrapped(policy),
            "not read: Policy w: the ClusterPolicy inside of it, at spec.policy-templates[].objectDefinition",
        ),
        (sync(policy), "not read: SelectorSyncSet w: the ClusterPolicy inside of it, at spec.resources[]"),
    ] {
        let log = check(&object);
        assert!(log.contains(line), "{log}");
    }
    for object in [wrapped(role), sync(role)] {
        let log = check(&object);
        assert!(!log.contains("not read"), "{log}");
    }
}

/// The image of a Configuration names further packages, with webhooks: they are not read, unless the input is a dump.
#[test]
fn packages_of_a_configuration_are_not_read() {
    let folder = folder();
    let configuration = "apiVersion: pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: aws}\nspec: {package: \"xpkg.example/a/aws:v2.0.0\"}\n";
    let line = "not read: Configuration aws: what Crossplane installs with it (the packages that xpkg.example/a/aws:v2.0.0 needs) is not part of the \
                input: `kubectl get configurations.pkg.crossplane.io,providers.pkg.crossplane.io,functions.pkg.crossplane.io,\
                deploymentruntimeconfigs.pkg.crossplane.io -o yaml`";
    let run = |command: &[&str], text: &str| {
        let run = hostnet(folder.path(), &[command, &["-"]].concat(), text.as_bytes());
        (run.code, format!("{}{}", run.stderr, run.text()))
    };
    for command in [&["check"][..], &["ports"], &["proxy", "check"]] {
        let (_, log) = run(command, configuration);
        assert_eq!(log.matches(line).count(), 1, "{command:?}: {log}");
    }
    let (code, log) = run(&["check", "--strict"], configuration);
    assert!(code == Some(1) && log.contains("1 object whose packages Crossplane installs"), "{log}");
    // The list of images names the packages once, and a config may record them.
    let (_, list) = run(&["mirror", "list", "--complete"], configuration);
    assert!(list.matches("not known: ").count() == 1 && !list.contains("not read"), "{list}");
    // Crossplane installs nothing, or a dump has the installed packages.
    let skips = configuration.replace("spec: {", "spec: {skipDependencyResolution: true, ");
    let provider = "---\napiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: s3}\nspec: {package: \"xpkg.example/a/s3:v2.0.0\"}\n";
    let dump = format!("{configuration}{provider}status: {{currentRevision: s3-1}}\n");
    for read in [&skips, &dump] {
        let (code, log) = run(&["check", "--strict"], read);
        assert!(!log.contains("not read"), "{code:?}: {log}");
    }
    assert!(run(&["check"], &format!("{configuration}{provider}")).1.contains(line), "a Provider beside it");
}

/// Metadata of a package lists the packages that it needs, by which a list of images is incomplete; nothing else reads it.
#[test]
fn dependencies_in_metadata_make_a_list_of_images_incomplete() {
    let folder = folder();
    for (group, kind) in [("meta.dev.upbound.io/v2alpha1", "Project"), ("meta.pkg.crossplane.io/v1", "Configuration")] {
        let with = |spec: &str| format!("apiVersion: {group}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}\n");
        let text = with("{dependsOn: [{provider: xpkg.example/a/s3, version: v1.0.0}]}");
        let list = hostnet(folder.path(), &["mirror", "list", "--complete", "-"], text.as_bytes());
        let named = format!("not known: the images of {kind} a: what its `dependsOn` lists is not part of the input");
        assert!(list.code == Some(1) && list.stderr.contains(&named), "{}", list.stderr);
        let check = hostnet(folder.path(), &["check", "--strict", "-"], text.as_bytes());
        assert_eq!(check.code, Some(0), "{}", check.stderr);
        let without = with("{}");
        assert_eq!(hostnet(folder.path(), &["mirror", "list", "--complete", "-"], without.as_bytes()).code, Some(0));
    }
}

/// A folder that holds only a kustomization is read with the files that it lists.
#[test]
fn a_folder_of_a_kustomization_alone_is_read_with_its_files() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    std::fs::remove_file(folder.path().join("host.yaml")).unwrap();
    write("apps/base/kustomization.yaml", "resources: [web.yaml]\n");
    write("apps/base/web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: web}\n");
    write("apps/prod/kustomization.yaml", "resources: [../base]\n");
    let build = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec: {path: ./apps/prod, \
                 sourceRef: {kind: GitRepository, name: flux-system}, interval: 1h, prune: true}\n";
    write("clusters/b.yaml", build);
    let check = |paths: &[&str]| hostnet(folder.path(), &[&["check", "--strict"], paths].concat(), b"");
    let whole = check(&["."]);
    assert_eq!(whole.code, Some(0), "{}{}", whole.text(), whole.stderr);
    let part = check(&["clusters"]);
    assert!(
        part.code == Some(1) && part.text().contains("kustomize build apps/prod"),
        "{}{}",
        part.text(),
        part.stderr
    );
}

/// A kind that hostnet does not know is a release by its name, or by a chart with a version.
#[test]
fn charts_of_unknown_kinds_are_not_read() {
    let log = |group: &str, kind: &str, spec: &str| {
        let text = format!("apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: w, namespace: shop}}\n{spec}\n");
        hostnet(folder().path(), &["check", "-"], text.as_bytes()).text()
    };
    let line = |kind: &str| {
        format!("not read: {kind} shop/w: what its controller renders of a chart is not part of the input")
    };
    for (group, kind, spec) in [
        ("helm.fluxcd.io", "HelmRelease", "spec: {releaseName: w}"),
        ("apps.open-cluster-management.io", "HelmRelease", "repo: {chartName: web, version: 2.1.3}"),
        (
            "pkg.example.com",
            "App",
            "spec: {chart: {name: web, repository: 'https://charts.example.com', version: 2.1.3}}",
        ),
        ("pkg.example.com", "App", "spec: {parts: [{helm: {chart: web, version: ^2.1}}]}"),
    ] {
        let log = log(group, kind, spec);
        assert!(log.contains(&line(kind)), "{log}");
    }
    let nested = "spec: {base: {apiVersion: a.example.com/v1, kind: Part, spec: {chart: {name: web, version: 2.1.3}}}}";
    for (group, kind, spec) in [
        ("source.toolkit.fluxcd.io", "HelmChart", "spec: {chart: web, version: 2.1.3}"),
        ("pkg.example.com", "Dashboard", "spec: {panels: [{chart: bar, version: 2}]}"),
        ("pkg.example.com", "Warehouse", "spec: {chart: {name: web, semverConstraint: ^2.1}}"),
        ("pkg.example.com", "Set", nested),
    ] {
        let log = log(group, kind, spec);
        assert!(!log.contains("not read"), "{log}");
    }
    let subscription = log("apps.open-cluster-management.io", "Subscription", "spec: {channel: a/b}");
    assert!(subscription.contains("not read: Subscription shop/w"), "{subscription}");
}

/// Objects that let the API server call webhooks, inside of objects that another program applies.
#[test]
fn a_webhook_configuration_inside_of_another_object_is_not_read() {
    let log = |text: &str| hostnet(folder().path(), &["check", "-"], text.as_bytes()).text();
    let configuration = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: hook}, \
                         webhooks: [{name: a.example.com, clientConfig: {service: {name: web, namespace: shop}}}]}";
    let wrapped = |manifest: &str| {
        format!(
            "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {{name: w}}\nspec: {{forProvider: {{manifest: {manifest}}}}}\n"
        )
    };
    let map = |text: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: w, namespace: shop}}\ndata:\n  hook.yaml: |\n    {text}\n"
        )
    };
    for (text, line) in [
        (
            wrapped(configuration),
            "not read: Object w: the ValidatingWebhookConfiguration inside of it, at spec.forProvider.manifest,",
        ),
        (
            map(configuration),
            "not read: ConfigMap shop/w: the ValidatingWebhookConfiguration in its text, at data.hook.yaml, is not read: give this text as a file",
        ),
    ] {
        let log = log(&text);
        assert!(log.contains(line), "{log}");
    }
    let without = configuration.replace("webhooks: [", "other: [");
    let reference = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, name: hook}";
    for text in [wrapped(&without), wrapped(reference), map(&without), map(&format!("see {configuration}"))] {
        let log = log(&text);
        assert!(!log.contains("not read"), "{log}");
    }
}
