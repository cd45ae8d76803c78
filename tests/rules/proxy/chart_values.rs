//! `hostnet proxy env --as helm-values`: values for Crossplane's chart.

use crate::support::run::hostnet;

/// Standard output, standard error, and the exit code.
fn values(spec: &str) -> (String, String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let config = format!("apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nspec: {{{spec}}}\n");
    std::fs::write(folder.path().join("proxy.yaml"), config).unwrap();
    let run = hostnet(folder.path(), &["proxy", "env", "-c", "proxy.yaml", "--as", "helm-values"], b"");
    (run.text(), run.stderr, run.code)
}

const SPEC: &str = "httpsProxy: 'http://p:3128', case: Upper, noProxy: [.example.com], cluster: {pods: [10.244.0.0/16]}, crossplane: {version: v2.3.4}, \
                    targets: [{select: {namespace: crossplane-system, name: crossplane}}, {select: {kind: Provider}}]";

#[test]
fn core_variables_become_chart_values() {
    let (values, log, code) = values(SPEC);
    insta::assert_snapshot!(format!("{values}{log}exit code {}", code.unwrap()), @r"
    # Values of Crossplane's chart, made by `hostnet proxy env`: `helm upgrade --values FILE`. With `--set` each comma needs a `\` before it.
    extraEnvVarsCrossplane:
      HTTPS_PROXY: http://p:3128
      NO_PROXY: .example.com,localhost,127.0.0.1,::1,$(KUBERNETES_SERVICE_HOST),kubernetes.default,kubernetes.default.svc,.svc,.svc.cluster.local,.crossplane-system,10.244.0.0/16,.cluster.local,169.254.169.254,fd00:ec2::254,169.254.170.2,169.254.170.23,fd00:ec2::23,metadata.google.internal
    exit code 0
    ");
}

#[test]
fn selected_containers_get_blocks() {
    let spec = "httpsProxy: 'http://p:3128', case: Upper, crossplane: {version: v2.3.4, namespace: xp}, targets: [{select: {namespace: xp, name: crossplane}, \
                containers: [crossplane, crossplane-init]}, {select: {name: crossplane-rbac-manager}, containers: [crossplane]}]";
    let values: serde_json::Value = serde_yaml::from_str(&values(spec).0).unwrap();
    let keys: Vec<&String> = values.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["extraEnvVarsCrossplane", "extraEnvVarsCrossplaneInit", "extraEnvVarsRBACManager"]);
    assert_eq!(values["extraEnvVarsCrossplaneInit"]["HTTPS_PROXY"], "http://p:3128");
    assert!(values["extraEnvVarsCrossplane"]["NO_PROXY"].as_str().unwrap().contains(",.xp,"), "{values}");
}

/// The chart renders a value as text: the values equal the variables that a run writes.
#[test]
fn values_equal_the_variables_of_a_run() {
    let (written, _) = super::run(SPEC, &super::check::core("v2.3.4", ""));
    let written: serde_json::Value = serde_yaml::from_str(&written).unwrap();
    let env = written["spec"]["template"]["spec"]["containers"][0]["env"].as_array().unwrap().clone();
    let values: serde_json::Value = serde_yaml::from_str(&values(SPEC).0).unwrap();
    let block = values["extraEnvVarsCrossplane"].as_object().unwrap();
    assert_eq!(block.len(), env.len());
    for variable in env {
        assert_eq!(block[variable["name"].as_str().unwrap()], variable["value"], "{variable}");
    }
}

#[test]
fn unsupported_configs_are_errors() {
    let all = [
        values(&SPEC.replace("'http://p:3128'", "{secretKeyRef: {name: proxy, key: url}}")),
        values("httpsProxy: 'http://p:3128', targets: [{select: {kind: Provider}}]"),
        values(&SPEC.replace("v2.3.4", "v1.19.3").replace("pods: [10.244.0.0/16]", "")),
    ];
    let log: Vec<String> = all
        .iter()
        .map(|(values, log, code)| {
            assert!(values.is_empty() && *code == Some(1), "{values}");
            log.clone()
        })
        .collect();
    insta::assert_snapshot!(log.join("---\n"), @r"
    error: proxy.yaml: `httpsProxy` is a reference, and the values of Crossplane's chart are texts: a patch can do it, `helm template ... | hostnet patch -c CONFIG --as helmrelease`
    ---
    error: proxy.yaml: no target selects the Deployment crossplane of Crossplane's chart, in the namespace of `crossplane.namespace` or of a target with `name: crossplane` (else crossplane-system), with the labels of the chart
    ---
    error: Deployment crossplane-system/crossplane: container crossplane: Crossplane v1.19.3 (`crossplane.version` of the config) compares NO_PROXY with the addresses of functions' pods and with no name: without their range each call of a function goes to the proxy. Write `cluster: {pods: [10.244.0.0/16]}` in the spec, with your range [proxy-reach]
    ");
}

/// Charts before v2.0 ignore the value for the init container, and no chart has a value for the init container of the
/// RBAC manager.
#[test]
fn containers_without_a_chart_value_are_errors() {
    let with = |version: &str, name: &str| {
        let all = SPEC
            .replace("v2.3.4", version)
            .replace("name: crossplane}}", &format!("name: {name}}}, containers: [crossplane, crossplane-init]}}"));
        let (values, log, code) = values(&all);
        assert_eq!(values.is_empty(), code == Some(1), "{values}");
        log
    };
    assert_eq!(with("v2.0.0", "crossplane"), "");
    insta::assert_snapshot!([with("v1.20.11", "crossplane"), with("v2.3.4", "crossplane-rbac-manager")].join("---\n"), @r"
    error: Deployment crossplane: the chart has no value for the variables of container crossplane-init (`extraEnvVarsCrossplaneInit` came with v2.0.0): leave it out of `containers`, or make a patch, `helm template ... | hostnet patch -c CONFIG --as helmrelease` [proxy-variable]
    ---
    error: Deployment crossplane-rbac-manager: the chart has no value for the variables of container crossplane-init: leave it out of `containers`, or make a patch, `helm template ... | hostnet patch -c CONFIG --as helmrelease` [proxy-variable]
    warning: proxy.yaml:3:7: the namespace of the chart's release is not known, so crossplane-system is assumed: the entry `.crossplane-system` excludes only the functions of that namespace. Write `crossplane: {namespace: crossplane-system}` in the spec [proxy-variable]
    ");
}

/// The namespace of the chart's release excludes functions from the proxy: a target sets the namespace, or a warning
/// reports that it is unknown.
#[test]
fn an_unknown_namespace_is_reported() {
    let with = |select: &str| {
        values(&format!(
            "httpsProxy: 'http://p:3128', case: Upper, crossplane: {{version: v2.3.4}}, targets: [{{select: {{{select}}}}}]"
        ))
    };
    let (text, log, code) = with("kind: Deployment, name: crossplane");
    insta::assert_snapshot!(format!("{log}exit code {}", code.unwrap()), @r"
    warning: proxy.yaml:3:7: the namespace of the chart's release is not known, so crossplane-system is assumed: the entry `.crossplane-system` excludes only the functions of that namespace. Write `crossplane: {namespace: crossplane-system}` in the spec [proxy-variable]
    exit code 0
    ");
    assert!(text.contains(",.crossplane-system,"), "{text}");
    let (text, log, code) = with("kind: Deployment, name: crossplane, namespace: platform-system");
    assert!(text.contains(",.platform-system,") && log.is_empty() && code == Some(0), "{text}{log}");
}

/// Exit code and output of `hostnet proxy check` for a text.
fn checked(text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let run = crate::support::run::hostnet(folder.path(), &["proxy", "check", "-"], text.as_bytes());
    (run.code, format!("{}{}", run.text(), run.stderr))
}

const VALUES: &str = "extraEnvVarsCrossplane:\n  HTTPS_PROXY: http://proxy.example.com:3128\n  NO_PROXY: localhost\n";

/// The same variables in a values file, in objects with chart values, and as rendered by the chart.
#[test]
fn values_are_judged_like_the_rendered_chart() {
    let below = |indent: &str| VALUES.lines().map(|line| format!("{indent}{line}\n")).collect::<String>();
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec:\n  chart: {{spec: {{chart: \
         crossplane, version: 2.0.2}}}}\n  values:\n{}",
        below("    ")
    );
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: crossplane}}\nspec:\n  destination: {{namespace: crossplane-system}}\n  source:\n    \
         chart: crossplane\n    targetRevision: 2.0.2\n    helm:\n      values: |\n{}",
        below("        ")
    );
    let chart = format!(
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: crossplane}}\nspec:\n  chart: stable/crossplane\n  version: 2.0.2\n  targetNamespace: \
         crossplane-system\n  valuesContent: |\n{}",
        below("    ")
    );
    let file = format!("image: {{tag: v2.0.2}}\n{VALUES}");
    let range = |text: &str| text.replace("2.0.2", "'2.0.x'");
    let ranges = [&release, &application, &chart].map(|text| range(text));
    for text in ranges {
        let (code, log) = checked(&text);
        assert_eq!((code, log.contains("Crossplane v2.0.0")), (Some(1), true), "{text}: {log}");
    }
    for text in [release, application, chart, file] {
        let (code, log) = checked(&text);
        assert_eq!(code, Some(1), "{text}: {log}");
        assert_eq!(
            log.matches("error: proxy: Deployment crossplane-system/crossplane, container crossplane -> ").count(),
            2,
            "{text}: {log}"
        );
        assert!(log.contains("Crossplane v2.0.2"), "{text}: {log}");
    }
}

#[test]
fn the_output_of_proxy_env_passes() {
    let (text, ..) = values(SPEC);
    assert!(text.contains("extraEnvVarsCrossplane"), "{text}");
    let (code, log) = checked(&format!("{text}image: {{tag: v2.3.4}}\n"));
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("direct: Deployment crossplane-system/crossplane"), "{log}");
}

/// Values of another chart, and keys at other paths.
#[test]
fn other_values_are_not_judged() {
    let other = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: a}\nspec:\n  chart: {spec: {chart: web}}\n  values: \
                 {extraEnvVarsCrossplane: {HTTPS_PROXY: 'http://proxy.example.com:3128'}}\n";
    let (code, log) = checked(other);
    assert!(code == Some(0) && !log.contains("Deployment"), "{log}");
    let (code, log) = checked("subchart: {extraEnvVarsCrossplane: {HTTPS_PROXY: 'http://proxy.example.com:3128'}}\n");
    assert!(code == Some(1) && log.contains("no Kubernetes object"), "{log}");
}

/// Hostile names and values of a manifest appear only in variables.
#[test]
fn hostile_values_stay_text() {
    let hostile = "extraEnvVarsCrossplane: {\"A'}, x: [\": \"b\\n- c\", HTTPS_PROXY: \"http://p:1'}]}\"}\n";
    let (code, log) = checked(hostile);
    assert!(code == Some(1) && log.contains("Deployment crossplane-system/crossplane, container crossplane"), "{log}");
}

/// A values file of an Application is checked with the namespace and the chart version of the Application.
#[test]
fn values_files_of_an_application_have_its_namespace() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: xp, namespace: argocd}\nspec:\n  destination: {namespace: \
                       upbound}\n  sources:\n  - {repoURL: https://charts.example, chart: crossplane, targetRevision: 1.20.0, helm: {valueFiles: \
                       [$values/prod/xp.yaml]}}\n  - {repoURL: https://git.example, ref: values}\n";
    let values = "extraEnvVarsCrossplane: {HTTPS_PROXY: 'http://p:3128'}\n";
    for (file, namespace) in [("prod/xp.yaml", "upbound"), ("other/xp.yaml", "crossplane-system")] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("application.yaml"), application).unwrap();
        std::fs::create_dir(folder.path().join(file).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(file), values).unwrap();
        let run = hostnet(folder.path(), &["proxy", "check", "application.yaml", file], b"");
        let label = format!("Deployment {namespace}/crossplane, container crossplane -> the API server");
        assert!(format!("{}{}", run.text(), run.stderr).contains(&label), "{file}: {}{}", run.text(), run.stderr);
    }
}

/// Values in a ConfigMap, in parameters, and in values of a chart that contains Crossplane's.
#[test]
fn values_from_other_places_are_judged() {
    let release = |chart: &str, more: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: xp, namespace: crossplane-system}}\nspec: {{chart: {{spec: {{chart: {chart}, \
             version: 2.0.2, sourceRef: {{kind: HelmRepository, name: r}}}}}}, {more}}}\n"
        )
    };
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: crossplane-system}\ndata:\n  values.yaml: |\n    \
               extraEnvVarsCrossplane: {HTTPS_PROXY: 'http://p:3128', NO_PROXY: localhost}\n";
    let inline = "extraEnvVarsCrossplane: {HTTPS_PROXY: 'http://p:3128', NO_PROXY: localhost}";
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: xp}\nspec:\n  destination: {namespace: crossplane-system}\n  \
                       source: {chart: crossplane, repoURL: 'https://c.io', targetRevision: 2.0.2, helm: {parameters: [{name: \
                       extraEnvVarsCrossplane.HTTPS_PROXY, value: 'http://p:3128'}, {name: extraEnvVarsCrossplane.NO_PROXY, value: 'localhost,127.0.0.1'}]}}\n";
    let of_provider = |more: &str| {
        format!(
            "apiVersion: helm.crossplane.io/v1beta1\nkind: Release\nmetadata: {{name: xp}}\nspec: {{forProvider: {{namespace: crossplane-system, chart: {{name: \
             crossplane, repository: 'https://c.io', version: 2.0.2}}, {more}}}}}\n"
        )
    };
    for text in [
        release("crossplane", "valuesFrom: [{kind: ConfigMap, name: v}]") + map,
        application.to_owned(),
        release("platform", &format!("values: {{crossplane: {{{inline}}}}}")),
        format!("crossplane: {{{inline}}}\n"),
        of_provider(&format!("values: {{{inline}}}")),
        of_provider("valuesFrom: [{configMapKeyRef: {name: v, namespace: crossplane-system}}]") + map,
        of_provider("set: [{name: extraEnvVarsCrossplane.HTTPS_PROXY, value: 'http://p:3128'}]"),
    ] {
        let (code, log) = checked(&text);
        let errors = log.matches("error: proxy: Deployment crossplane-system/crossplane, container crossplane -> ");
        assert_eq!((code, errors.count()), (Some(1), 2), "{text}: {log}");
    }
    // Inline values override those of the ConfigMap.
    let direct = "valuesFrom: [{kind: ConfigMap, name: v}], values: {extraEnvVarsCrossplane: {NO_PROXY: '*'}}";
    let (code, log) = checked(&(release("crossplane", direct) + map));
    assert!(code == Some(0) && log.contains("direct: Deployment crossplane-system/crossplane"), "{log}");
    let other = of_provider("valuesFrom: [{configMapKeyRef: {name: v, namespace: other}}]") + map;
    assert!(!checked(&other).1.contains("error: proxy"), "a ConfigMap of another namespace");
    // Values that the input does not have, and a ConfigMap that no release reads.
    let (code, log) = checked(&release("crossplane", "valuesFrom: [{kind: Secret, name: v}]"));
    assert!(code == Some(0) && !log.contains("no container has"), "{log}");
    let (code, log) = checked(map.trim_start_matches("---\n"));
    assert!(code == Some(0) && log.starts_with("no container has HTTPS_PROXY"), "{log}");
}
