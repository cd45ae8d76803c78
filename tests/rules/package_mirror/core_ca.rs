//! The field `ca`: certificates of the mirror for Crossplane's core.

use super::{changes, config, core, package, stream};
use crate::support::results::{brief, worded};

const SPEC: &str = "rules: [{from: xpkg.crossplane.io, to: registry.example.com/xpkg}], ca: {name: registry-ca, key: ca.crt}, crossplane: {version: v2.3.4}";

fn with_core(more: &str) -> String {
    let core = core("v2.3.4", "--debug").replace("args: [core, start]", &format!("args: [core, start]{more}"));
    assert!(core.contains(more), "{core}");
    stream(&[core, package("Function", "a", "xpkg.crossplane.io/o/a:v1")])
}

/// The changes of the core, and the reports about certificates.
fn of_core(manifest: &str) -> String {
    let text = changes(SPEC, manifest);
    let (changes, _) = text.split_once("+---").unwrap_or((&text, ""));
    let has_core = manifest.contains("kind: Deployment");
    let changes = changes
        .lines()
        .filter(|line| line.starts_with(['+', '-']))
        .filter(|line| has_core && !line.starts_with("+apiVersion"));
    let log = text.lines().filter(|line| line.contains("[package-registry]"));
    changes.chain(log).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_core_gets_the_volume_and_variable_of_the_chart() {
    insta::assert_snapshot!(brief(of_core(&with_core(""))), @"
    -      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v2.3.4', args: [core, start]}
    +      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{name: CA_BUNDLE_PATH, value: /certs/ca.crt}], volumeMounts: [{name: ca-certs, mountPath: /certs}]}
    +      volumes:
    +      - name: ca-certs
    +        configMap:
    +          name: registry-ca
    +          items:
    +          - key: ca.crt
    +            path: ca.crt
    info: package-registry (ConfigMap crossplane-system/registry-ca)
    ");
    insta::assert_snapshot!(brief(of_core(&with_core(", env: [{name: A, value: b}], volumeMounts: [{name: own, mountPath: /certs}]"))), @"
    -      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{name: A, value: b}], volumeMounts: [{name: own, mountPath: /certs}]}
    +      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v2.3.4', args: [core, start], env: [{name: A, value: b}, {name: CA_BUNDLE_PATH, value: /registry-certs/ca.crt}], volumeMounts: [{name: own, mountPath: /certs}, {name: ca-certs, mountPath: /registry-certs}]}
    +      volumes:
    +      - name: ca-certs
    +        configMap:
    +          name: registry-ca
    +          items:
    +          - key: ca.crt
    +            path: ca.crt
    info: package-registry (ConfigMap crossplane-system/registry-ca)
    ");
}

#[test]
fn a_core_with_the_certificates_is_unchanged() {
    let volumes = |name: &str| {
        format!(
            "\n      volumes: [{{name: own, configMap: {{name: {name}, items: [{{key: ca.crt, path: bundle.pem}}]}}}}]\n"
        )
    };
    let has = |by: &str, name: &str| {
        let manifest = with_core(by);
        let (first, rest) = manifest.split_once("---\n").unwrap();
        of_core(&format!("{}{}---\n{rest}", first.trim_end(), volumes(name)))
    };
    let mount = "volumeMounts: [{name: own, mountPath: /etc/own}]";
    let variable = format!(", env: [{{name: CA_BUNDLE_PATH, value: /etc/own/bundle.pem}}], {mount}");
    assert_eq!(has(&variable, "registry-ca"), "");
    insta::assert_snapshot!(worded(has(&variable, "other")), @"
    warning: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane reads the certificates of registries from key ca.crt of ConfigMap other (`CA_BUNDLE_PATH`), and the config names key ca.crt of ConfigMap registry-ca: the core reads only one file, so add the mirror's certificates to that file and name it in `ca`, or remove `CA_BUNDLE_PATH` [package-registry]
    info: ConfigMap crossplane-system/registry-ca is not in the input: it must exist before the core starts: `kubectl create configmap registry-ca --namespace crossplane-system --from-file=ca.crt=FILE` [package-registry]
    ");
    let manifest = with_core(&format!(", {mount}"))
        .replace("[core, start]", "[core, start, --ca-bundle-path=/etc/own/bundle.pem]");
    let (first, rest) = manifest.split_once("---\n").unwrap();
    let flagged = format!("{}{}---\n{rest}", first.trim_end(), volumes("registry-ca"));
    assert_eq!(of_core(&flagged), "");
    let elsewhere = with_core(", env: [{name: CA_BUNDLE_PATH, value: /own/ca.pem}]");
    insta::assert_snapshot!(brief(of_core(&elsewhere)), @"
    warning: package-registry Deployment crossplane-system/crossplane (1:1)
    info: package-registry (ConfigMap crossplane-system/registry-ca)
    ");
}

/// Lists with the value null are replaced.
#[test]
fn null_lists_are_replaced() {
    let log = of_core(&with_core(", env: null, volumeMounts: "));
    assert!(
        log.contains(
            "env: [{name: CA_BUNDLE_PATH, value: /certs/ca.crt}], volumeMounts: [{name: ca-certs, mountPath: /certs}]"
        ),
        "{log}"
    );
}

/// Without the core, with its chart, and with a ConfigMap in another namespace.
#[test]
fn missing_cores_and_chart_values_are_reported() {
    let function = package("Function", "a", "xpkg.crossplane.io/o/a:v1");
    insta::assert_snapshot!(worded(of_core(&function)), @"
    info: ConfigMap crossplane-system/registry-ca is not in the input: it must exist before the core starts: `kubectl create configmap registry-ca --namespace crossplane-system --from-file=ca.crt=FILE` [package-registry]
    info: `ca`: Crossplane's core is not in the input, so this run cannot add the certificates of the mirror to it: set the value of its chart `registryCaBundleConfig: {name: registry-ca, key: ca.crt}` [package-registry]
    ");
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: flux}}\nspec:\n  targetNamespace: upbound\n  chart: {{spec: {{chart: crossplane, version: v2.3.4}}}}\n{values}"
        )
    };
    let of = |values: &str| of_core(&stream(&[function.clone(), release(values)]));
    insta::assert_snapshot!(worded(of("")), @"
    warning: standard input:6:1: HelmRelease flux/crossplane: the core does not know the certificates of the mirror: add `registryCaBundleConfig: {name: registry-ca, key: ca.crt}` to spec.values [package-registry]
    info: ConfigMap upbound/registry-ca is not in the input: it must exist before the core starts: `kubectl create configmap registry-ca --namespace upbound --from-file=ca.crt=FILE` [package-registry]
    ");
    insta::assert_snapshot!(worded(of("  values: {registryCaBundleConfig: {name: other, key: ca.crt}}\n")), @"
    warning: standard input:6:1: HelmRelease flux/crossplane: `registryCaBundleConfig` names key ca.crt of ConfigMap other, and the config key ca.crt of ConfigMap registry-ca: the core reads only one file, so add the mirror's certificates to that ConfigMap and name it in `ca`, or write `registryCaBundleConfig: {name: registry-ca, key: ca.crt}` [package-registry]
    info: ConfigMap upbound/registry-ca is not in the input: it must exist before the core starts: `kubectl create configmap registry-ca --namespace upbound --from-file=ca.crt=FILE` [package-registry]
    ");
    let by_variable = of("  values: {extraEnvVarsCrossplane: {CA_BUNDLE_PATH: /own/ca.pem}}\n");
    assert!(
        by_variable.starts_with("warning: ") && by_variable.contains("`extraEnvVarsCrossplane` sets `CA_BUNDLE_PATH`")
    );
    let same = of("  values: {registryCaBundleConfig: {name: registry-ca, key: ca.crt}}\n");
    assert_eq!(same, "");
    let application = |helm: &str| {
        let text = of_core(&stream(&[
            function.clone(),
            format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: crossplane, namespace: argocd}}\nspec: {{destination: {{namespace: upbound}}, source: \
                 {{chart: crossplane, targetRevision: v2.3.4, helm: {helm}}}}}\n"
            ),
        ]));
        text.split_once("}` to ").map(|(_, rest)| rest.split(' ').next().unwrap_or_default().to_owned())
    };
    assert_eq!(application("{values: 'replicas: 1'}").as_deref(), Some("spec.source.helm.values"));
    // Argo CD ignores `values` next to `valuesObject`.
    let both = application("{valuesObject: {replicas: 1}, values: 'replicas: 1'}");
    assert_eq!(both.as_deref(), Some("spec.source.helm.valuesObject"));
    assert_eq!(application("{}").as_deref(), Some("spec.source.helm.valuesObject"));
    let map = |namespace: &str| {
        let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: registry-ca, namespace: {namespace}}}\n");
        changes(SPEC, &stream(&[with_core(""), map]))
    };
    assert!(map("default").contains("warning: ConfigMap registry-ca is in namespace default"), "{}", map("default"));
    assert!(!map("crossplane-system").contains("ConfigMap registry-ca is"));
    assert!(map("crossplane-system").contains("it has no key ca.crt"));
    let old = SPEC.replace("v2.3.4", "v1.5.0");
    assert!(
        changes(&old, &function)
            .contains("error: `ca`: the core of Crossplane supports a bundle of certificates from v1.6.0 on")
    );
}

#[test]
fn names_and_keys_are_validated() {
    let error = |ca: &str| config(&SPEC.replace("{name: registry-ca, key: ca.crt}", ca)).unwrap_err();
    insta::assert_snapshot!([error("{name: Registry, key: ca.crt}"), error("{name: a, key: ../b}"), error("{name: a}")].join("\n"), @"
    mirror.yaml:4:87: `Registry` is not the name of a ConfigMap; write one such as `registry-ca`
    mirror.yaml:4:95: `../b` is not a key of a ConfigMap; write one such as `ca.crt`
    mirror.yaml:4:80: `key` is missing in `ca`: write it as `ca: {name: registry-ca, key: ca.crt}`
    ");
}

/// `envFrom` of the core sets the variable, may set it, or does not set it.
#[test]
fn a_variable_of_env_from_is_not_hidden_silently() {
    let with = |env_from: &str, data: &str| {
        let core = with_core(&format!(", envFrom: [{env_from}]"));
        let data =
            format!("apiVersion: v1\n{data}\n").replace("NAME", "metadata: {name: own, namespace: crossplane-system}");
        of_core(&stream(&[core, data]))
    };
    let map = "configMapRef: {name: own}";
    insta::assert_snapshot!(worded(with(&format!("{{{map}}}"), "kind: ConfigMap\nNAME\ndata: {CA_BUNDLE_PATH: /own/ca.pem}")), @"
    +kind: ImageConfig
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: registry.example.com/xpkg/
    warning: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane reads the certificates of registries from `/own/ca.pem`, which is not a key of a ConfigMap in its volumes (`CA_BUNDLE_PATH` in ConfigMap own of `envFrom`), and the config names key ca.crt of ConfigMap registry-ca: the core reads only one file, so add the mirror's certificates to that file and name it in `ca`, or remove `CA_BUNDLE_PATH` in ConfigMap own of `envFrom` [package-registry]
    info: ConfigMap crossplane-system/registry-ca is not in the input: it must exist before the core starts: `kubectl create configmap registry-ca --namespace crossplane-system --from-file=ca.crt=FILE` [package-registry]
    ");
    insta::assert_snapshot!(brief(with("{prefix: CA_, secretRef: {name: own}}", "kind: Secret\nNAME\ndata: {BUNDLE_PATH: L293bi9jYS5wZW0=}")), @"
    +kind: ImageConfig
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: registry.example.com/xpkg/
    warning: package-registry Deployment crossplane-system/crossplane (1:1)
    info: package-registry (ConfigMap crossplane-system/registry-ca)
    ");
    insta::assert_snapshot!(worded(with(&format!("{{{map}}}"), "kind: Secret\nNAME\ndata: {CA_BUNDLE_PATH: L293bi9jYS5wZW0=}")), @"
    -      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v2.3.4', args: [core, start], envFrom: [{configMapRef: {name: own}}]}
    +      - {name: crossplane, image: 'quay.io/crossplane/crossplane:v2.3.4', args: [core, start], envFrom: [{configMapRef: {name: own}}], env: [{name: CA_BUNDLE_PATH, value: /certs/ca.crt}], volumeMounts: [{name: ca-certs, mountPath: /certs}]}
    +      volumes:
    +      - name: ca-certs
    +        configMap:
    +          name: registry-ca
    +          items:
    +          - key: ca.crt
    +            path: ca.crt
    +kind: ImageConfig
    +metadata:
    +  name: mine-81a80ec7
    +spec:
    +  matchImages:
    +  - type: Prefix
    +    prefix: xpkg.crossplane.io/
    +  rewriteImage:
    +    prefix: registry.example.com/xpkg/
    warning: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane: ConfigMap own of its `envFrom` is not in the input: the new variable `CA_BUNDLE_PATH` would override the same variable in ConfigMap own, with its certificates. Add ConfigMap own to the input [package-registry]
    info: ConfigMap crossplane-system/registry-ca is not in the input: it must exist before the core starts: `kubectl create configmap registry-ca --namespace crossplane-system --from-file=ca.crt=FILE` [package-registry]
    ");
    // Other keys, another prefix, and a value that `env` overrides.
    let is_silent = |text: &str| !text.contains("warning: ") && text.contains("env: [{name: CA_BUNDLE_PATH");
    assert!(is_silent(&with(&format!("{{{map}}}"), "kind: ConfigMap\nNAME\ndata: {CA_BUNDLE: /own/ca.pem}")));
    assert!(is_silent(&with(
        &format!("{{prefix: X_, {map}}}"),
        "kind: ConfigMap\nNAME\ndata: {CA_BUNDLE_PATH: /own/ca.pem}"
    )));
}

/// An Application with `sources`: the source with the chart is used, and `source` is ignored.
#[test]
fn the_chart_is_one_of_several_sources() {
    let of = |spec: &str| {
        let application = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: crossplane, namespace: argocd}}\nspec: {{destination: {{namespace: upbound}}, {spec}}}\n"
        );
        of_core(&stream(&[package("Function", "a", "xpkg.crossplane.io/o/a:v1"), application]))
    };
    let chart = |values: &str| format!("{{chart: crossplane, targetRevision: v2.3.4, helm: {values}}}");
    let two = |values: &str| of(&format!("sources: [{{ref: values, path: x}}, {}]", chart(values)));
    insta::assert_snapshot!(brief(two("{valuesObject: {replicas: 1}}")), @"
    warning: package-registry Application argocd/crossplane (6:1)
    info: package-registry (ConfigMap upbound/registry-ca)
    ");
    assert_eq!(two("{values: 'registryCaBundleConfig: {name: registry-ca, key: ca.crt}'}"), "");
    let ignored = of(&format!("source: {}, sources: [{{path: x}}]", chart("{valuesObject: {}}")));
    assert!(ignored.contains("core is not in the input"), "{ignored}");
    let none = of(&format!("source: {}, sources: []", chart("{valuesObject: {}}")));
    assert!(none.contains("to spec.source.helm.valuesObject"), "{none}");
    let set = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: crossplane, namespace: argocd}}\nspec: {{template: {{spec: {{sources: [{}]}}}}}}\n",
        chart("{}")
    );
    let set = of_core(&stream(&[package("Function", "a", "xpkg.crossplane.io/o/a:v1"), set]));
    assert!(set.contains("to spec.template.spec.sources[0].helm.valuesObject"), "{set}");
}

/// The core does not start without the key, and ends if the key has no certificate.
#[test]
fn a_config_map_without_the_certificates_is_reported() {
    let found = |meta: &str, data: &str| {
        let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: registry-ca{meta}}}\n{data}\n");
        let text = changes(SPEC, &stream(&[with_core(""), map]));
        text.lines().filter(|line| line.contains("which `ca` names")).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let here = ", namespace: crossplane-system";
    let pem = "-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----\\n";
    insta::assert_snapshot!(worded(found(here, &format!("data: {{ca.pem: \"{pem}\", x: y}}"))), @"warning: ConfigMap crossplane-system/registry-ca, which `ca` names: it has no key ca.crt, and the pod of the core waits for it; it has ca.pem, x. Correct `ca` or the ConfigMap [package-registry]");
    insta::assert_snapshot!(worded(found("", "data: {}")), @"warning: ConfigMap crossplane-system/registry-ca, which `ca` names: it has no key ca.crt, and the pod of the core waits for it. Correct `ca` or the ConfigMap [package-registry]");
    insta::assert_snapshot!(worded(found(here, "data: {ca.crt: notpem}")), @"warning: ConfigMap crossplane-system/registry-ca, which `ca` names: its key ca.crt contains no certificate in PEM form (`-----BEGIN CERTIFICATE-----`), and the core ends at its start. Correct `ca` or the ConfigMap [package-registry]");
    for (meta, data) in [
        (here, format!("data: {{ca.crt: \"# corp\\n{pem}\"}}")),
        (here, "data: {ca.crt: '${CA}'}".to_owned()),
        (here, "binaryData: {ca.crt: bm90cGVt}".to_owned()),
        (", namespace: other", "data: {ca.pem: x}".to_owned()),
        (
            ", namespace: crossplane-system, labels: {config.openshift.io/inject-trusted-cabundle: 'true'}",
            String::new(),
        ),
        (
            ", namespace: crossplane-system, annotations: {reflector.v1.k8s.emberstack.com/reflects: certs/registry-ca}",
            String::new(),
        ),
        (here, "data: {ca.crt: 'ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]'}".to_owned()),
    ] {
        assert_eq!(found(meta, &data), "", "{meta} {data}");
    }
    // A core that has the ConfigMap already.
    let mounts = "{name: crossplane, args: [core, start], image: 'quay.io/crossplane/crossplane:v2.3.4', env: [{name: CA_BUNDLE_PATH, \
                  value: /c/ca.crt}], volumeMounts: [{name: own, mountPath: /c}]}";
    let core = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec: {{template: {{spec: {{containers: \
         [{mounts}], volumes: [{{name: own, configMap: {{name: registry-ca}}}}]}}}}}}\n"
    );
    let map = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: registry-ca{here}}}\ndata: {{a: b}}\n");
    assert!(changes(SPEC, &stream(&[core, map])).contains("it has no key ca.crt"));
}
