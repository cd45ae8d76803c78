//! Containers that get variables, and their values.

use super::{CLUSTER, run, settled};
use crate::support::results::worded;

pub(super) fn core(version: &str) -> String {
    let container = |name: &str, args: &str| {
        format!("{{name: {name}, image: 'xpkg.crossplane.io/crossplane/crossplane:{version}', args: [{args}]}}")
    };
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: crossplane-system}}\nspec:\n  template:\n    spec:\n      \
         initContainers:\n      - {}\n      containers:\n      - {}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: \
         crossplane-rbac-manager, namespace: crossplane-system}}\nspec:\n  template:\n    spec:\n      containers:\n      - {}\n",
        container("crossplane-init", "core, init"),
        container("crossplane", "core, start"),
        container("crossplane", "rbac, start")
    )
}

pub(super) const SPEC: &str =
    "httpsProxy: 'http://p:3128', case: Upper, targets: [{select: {namespace: crossplane-system}}]";

#[test]
fn up_to_v1_19_the_range_of_pods_is_needed() {
    let reported = |version: &str, more: &str| run(&format!("{SPEC}{more}"), &core(version)).1;
    insta::assert_snapshot!(worded([
        reported("v1.19.3", ""),
        reported("v1.19.3", ", crossplane: {version: v2.0.0}"),
        reported("latest", ""),
    ].map(|log| log.lines().filter(|line| !line.contains("gets no variables")).collect::<Vec<_>>().join("\n")).join("\n---\n")), @"
    error: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane: Crossplane v1.19.3 (the image of Deployment crossplane-system/crossplane) compares NO_PROXY with the addresses of functions' pods and with no name: without their range each call of a function goes to the proxy. Write `cluster: {pods: [10.244.0.0/16]}` in the spec, with your range [proxy-reach]
    ---
    info: Deployment crossplane-system/crossplane: container crossplane: the entry `.crossplane-system` excludes functions by name, including functions installed later; other Services of that namespace are also reached directly [proxy-variable]
    ---
    warning: standard input:1:1: Deployment crossplane-system/crossplane: container crossplane: its version of Crossplane is not known, and one up to v1.19 compares NO_PROXY with the addresses of functions' pods and with no name: without their range each call of a function goes to the proxy. Write `cluster: {pods: [10.244.0.0/16]}` in the spec, with your range; or give the version with `crossplane: {version: v2.3.4}` [proxy-reach]
    info: Deployment crossplane-system/crossplane: container crossplane: the entry `.crossplane-system` excludes functions by name, including functions installed later; other Services of that namespace are also reached directly [proxy-variable]
    ");
}

#[test]
fn names_and_ranges_for_every_version() {
    let list = |version: &str| {
        let (output, _) = settled(&format!("{SPEC}, cluster: {{pods: [10.244.0.0/16]}}"), &core(version));
        output.split_once("NO_PROXY, value: ").unwrap().1.split('}').next().unwrap().to_owned()
    };
    assert_eq!(list("v1.19.3"), list("v2.3.4"));
    assert!(list("v1.14.0").contains(",.crossplane-system,10.244.0.0/16,"), "{}", list("v1.14.0"));
}

#[test]
fn a_core_without_a_namespace_is_an_error() {
    let manifest = core("v2.3.4").replace(", namespace: crossplane-system", "");
    let spec = "httpsProxy: 'http://p:1', targets: [{select: {name: crossplane}}]";
    let (output, log) = run(spec, &manifest);
    assert!(output == manifest && log.contains("crossplane: {namespace: crossplane-system}"), "{log}");
    let (output, _) = settled(&format!("{spec}, crossplane: {{namespace: upbound-system}}"), &manifest);
    assert!(output.contains(",.upbound-system,"), "{output}");
}

const JOB: &str = "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: web, namespace: shop}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          initContainers:
          - name: wait # first
            image: wait
          containers:
          - name: web
            image: web
            env:
            # theirs
            - name: A
              value: \"1\"
          - name: sidecar
            image: sidecar
";

#[test]
fn all_or_the_listed_containers_of_a_workload_get_variables() {
    let spec = "httpsProxy: 'http://p:3128', case: Upper, targets: [{select: {name: web}CONTAINERS}]";
    let (all, _) = settled(&spec.replace("CONTAINERS", ""), JOB);
    insta::assert_snapshot!(all.replace(CLUSTER, "CLUSTER"), @r#"
        apiVersion: batch/v1
        kind: CronJob
        metadata: {name: web, namespace: shop}
        spec:
          jobTemplate:
            spec:
              template:
                spec:
                  initContainers:
                  - name: wait # first
                    image: wait
                    env:
                    - name: HTTPS_PROXY
                      value: http://p:3128
                    - name: NO_PROXY
                      value: CLUSTER
                  containers:
                  - name: web
                    image: web
                    env:
                    # theirs
                    - name: A
                      value: "1"
                    - name: HTTPS_PROXY
                      value: http://p:3128
                    - name: NO_PROXY
                      value: CLUSTER
                  - name: sidecar
                    image: sidecar
                    env:
                    - name: HTTPS_PROXY
                      value: http://p:3128
                    - name: NO_PROXY
                      value: CLUSTER
    "#);
    let (one, log) = settled(&spec.replace("CONTAINERS", ", containers: [sidecar, gone]"), JOB);
    assert_eq!(one.matches("HTTPS_PROXY").count(), 1, "{one}");
    assert!(log.contains("it has no container gone"), "{log}");
}

#[test]
fn the_first_target_wins_and_excluded_objects_are_unchanged() {
    let spec = "httpsProxy: 'http://p:3128', noProxy: [all.com], targets: [{select: {kind: CronJob}, noProxy: [first.com]}, {select: {name: web}, noProxy: \
                [second.com]}]";
    let (output, _) = settled(spec, JOB);
    assert!(output.contains("first.com,all.com,localhost") && !output.contains("second.com"), "{output}");
    let (output, log) = run(&format!("{spec}, exclude: [{{name: we.}}]"), JOB);
    assert!(output == JOB && log.is_empty(), "{log}");
    let (_, log) = run("httpsProxy: 'http://p:3128', targets: [{select: {name: wbe}}]", JOB);
    assert!(log.contains("No workload or package of the input has `name: wbe`"), "{log}");
}

#[test]
fn a_secret_must_be_in_the_namespace_of_the_pods() {
    let spec = "httpsProxy: {secretKeyRef: {name: proxy, key: url}}, targets: [{select: {name: web}}]";
    let secret = |namespace: &str, key: &str| {
        format!(
            "{JOB}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: proxy, namespace: {namespace}}}\nstringData: {{{key}: x}}\n"
        )
    };
    let log = [
        settled(spec, JOB).1,
        settled(spec, &secret("shop", "url")).1,
        run(spec, &secret("other", "url")).1,
        run(spec, &secret("shop", "uri")).1,
    ];
    insta::assert_snapshot!(worded(log.join("\n---\n")), @"
    info: CronJob shop/web: container web: Secret shop/proxy is not in the input: it must exist, with the key url, before the pods start [proxy-opaque]
    ---

    ---
    error: standard input:1:1: CronJob shop/web: container web: Secret proxy is in namespace other, and pods read only objects of their own namespace: it has to be in shop/proxy [proxy-opaque]
    ---
    error: standard input:1:1: CronJob shop/web: container web: Secret shop/proxy has no key url with the proxy [proxy-opaque]
    ");
    let (output, _) = settled(spec, JOB);
    assert!(output.contains("secretKeyRef:"), "{output}");
}

/// Each core calls the functions of its own namespace, and compares by its own version.
#[test]
fn each_of_several_crossplanes_has_its_own_functions() {
    let core = |namespace: &str, version: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: crossplane, namespace: {namespace}}}\nspec: {{template: {{spec: {{containers: [{{name: crossplane, image: \
             'xpkg.crossplane.io/crossplane/crossplane:{version}', args: [core, start]}}]}}}}}}\n---\n"
        )
    };
    let input = core("xp-a", "v1.19.3") + &core("xp-b", "v2.3.4");
    let spec = |more: &str| {
        format!("httpsProxy: 'http://p:3128', case: Upper, {more}targets: [{{select: {{name: crossplane}}}}]")
    };
    let (output, log) = settled(&spec("cluster: {pods: [10.244.0.0/16]}, "), &input);
    let (first, second) = output.split_once("---\n").unwrap();
    assert!(first.contains(".xp-a,") && !first.contains(".xp-b"), "{first}");
    assert!(second.contains(".xp-b,") && !second.contains(".xp-a"), "{second}");
    assert!(!log.contains("error") && log.contains("the entry `.xp-b` excludes functions"), "{log}");
    // Only the older core needs the range of pods.
    let (_, log) = run(&spec(""), &input);
    let errors: Vec<&str> = log.lines().filter(|line| line.starts_with("error")).collect();
    assert!(
        errors.len() == 1 && errors[0].contains("xp-a/crossplane: container crossplane: Crossplane v1.19.3"),
        "{log}"
    );
    // Each list is judged by the version of its core.
    let with = |namespace: &str, version: &str, list: &str| {
        let env = format!(
            ", env: [{{name: HTTPS_PROXY, value: 'http://p:3128'}}, {{name: NO_PROXY, value: '$(KUBERNETES_SERVICE_HOST),{list}'}}]}}"
        );
        core(namespace, version).replace("args: [core, start]}", &format!("args: [core, start]{env}"))
    };
    let (judged, exit) =
        super::check::check(&[], &(with("xp-a", "v1.19.3", ".xp-a") + &with("xp-b", "v2.3.4", ".xp-b")));
    let of_functions: Vec<&str> = judged.lines().filter(|line| line.contains("any function")).collect();
    assert!(exit == Some(1) && of_functions.len() == 2, "{judged}");
    assert!(
        of_functions[0].starts_with("error: proxy: Deployment xp-a/crossplane")
            && of_functions[0].contains("function.xp-a:9443"),
        "{judged}"
    );
    assert!(
        of_functions[1].starts_with("direct: Deployment xp-b/crossplane")
            && of_functions[1].contains("function.xp-b:9443"),
        "{judged}"
    );
}
