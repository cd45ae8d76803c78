//! Rule `hook`: a broad select does not match hooks of a release and Jobs without a port.

use super::{changes, deployment, deployment_named, infos, run, stream};
use crate::support::results::worded;
use insta::assert_snapshot;

fn job(kind: &str, name: &str, metadata: &str, container: &str) -> String {
    let api = if kind == "Pod" { "v1" } else { "batch/v1" };
    let pods = format!("spec: {{containers: [{{name: work{container}}}]}}");
    let spec = match kind {
        "Pod" => pods,
        "CronJob" => format!("spec: {{jobTemplate: {{spec: {{template: {{{pods}}}}}}}}}"),
        _ => format!("spec: {{template: {{{pods}}}}}"),
    };
    let metadata = format!("metadata: {{name: {name}, namespace: shop{metadata}}}");
    format!("apiVersion: {api}\nkind: {kind}\n{metadata}\n{spec}\n")
}

const HOOK: &str = ", labels: {app: web}, annotations: {helm.sh/hook: pre-install}";

/// True if the workload moves with this select, next to a Deployment of another namespace.
fn moves(select: &str, workload: &str) -> bool {
    let other = deployment_named("api", 7000, true).replace("shop", "prod");
    let spec = format!("{{targets: [{{select: {select}}}], unmatched: Ignore}}");
    let (output, _) = run(&spec, &format!("{workload}---\n{other}"));
    output.split("---\n").next().unwrap().contains("hostNetwork: true")
}

#[test]
fn hooks_and_jobs_without_a_port_are_left_by_a_broad_select() {
    let workloads = [
        job("Pod", "test", HOOK, ""),
        job("Job", "migrate", HOOK, ", ports: [{containerPort: 8080}]"),
        job("Pod", "sync", ", annotations: {argocd.argoproj.io/hook: PreSync}", ""),
        deployment("      - {name: web}\n").replace("shop}", &format!("shop{HOOK}}}")),
        job("Job", "once", "", ""),
        job("CronJob", "nightly", "", ", args: [--upstream-port=8080]"),
    ];
    for workload in &workloads {
        for broad in ["{namespace: shop}", "{namespace: s.*, version: v1}", "{kind: .*}", "{kind: '\\w+'}"] {
            assert!(!moves(broad, workload), "{broad} moves {workload}");
        }
    }
    let web = deployment_named("web", 8080, true);
    let manifest = stream(workloads.into_iter().skip(4).chain([web.clone()]));
    let spec = "{targets: [{select: {namespace: shop}, ports: auto}]}";
    assert_eq!(changes(spec, &manifest), changes(spec, &web).replace(":10:", ":20:"));
}

#[test]
fn a_select_by_name_or_kind_moves_hooks_and_jobs() {
    for about in ["{name: work}", "{name: .*}", "{kind: Job}", "{kind: Deployment|Job}", "{group: batch}"] {
        assert!(moves(about, &job("Job", "work", HOOK, "")), "{about}");
        assert!(moves(about, &job("Job", "work", "", "")), "{about}");
    }
    for about in ["{labelSelector: app=web}", "{annotationSelector: helm.sh/hook}"] {
        assert!(moves(about, &job("Job", "work", HOOK, "")), "{about}");
    }
}

#[test]
fn workloads_with_a_port_and_other_kinds_move() {
    for container in
        [", ports: [{containerPort: 8080}]", ", livenessProbe: {httpGet: {port: 8080}}", ", args: ['--listen=:8080']"]
    {
        assert!(moves("{namespace: shop}", &job("Job", "work", "", container)), "{container}");
    }
    assert!(moves("{namespace: shop}", &job("Pod", "work", "", "")));
    assert!(moves("{namespace: shop}", &deployment("      - {name: web}\n")));
    // An annotation of Helm that marks no hook.
    assert!(moves("{namespace: shop}", &job("Pod", "work", ", annotations: {helm.sh/resource-policy: keep}", "")));
}

#[test]
fn one_information_names_all_hooks_and_jobs() {
    let spec = "{targets: [{select: {namespace: shop}, ports: auto}]}";
    let two = [job("Job", "once", "", ""), job("Pod", "test", HOOK, "")];
    assert_snapshot!(worded(infos(spec, &stream(two), "hook")), @"info: hooks of a release and Jobs without a port stay on the pod network, because only a broad select matches them: Job shop/once, Pod shop/test. To move one of them, write a target with its `name`, its `kind` or a `labelSelector` [hook]");
    let many = (1..=7).map(|index| job("Job", &format!("job-{index}"), "", ""));
    assert_snapshot!(worded(infos(spec, &stream(many), "hook")), @"info: hooks of a release and Jobs without a port stay on the pod network, because only a broad select matches them: Job shop/job-1, Job shop/job-2, Job shop/job-3, Job shop/job-4, Job shop/job-5 and 2 more. To move one of them, write a target with its `name`, its `kind` or a `labelSelector` [hook]");
    // A target that matches only hooks and Jobs is not unmatched.
    assert_eq!(changes(spec, &job("Job", "once", "", "")), "");
    assert_eq!(infos(spec, &deployment_named("web", 8080, true), "hook"), "");
    let exclude = "{targets: [{select: {namespace: shop}}], exclude: [{kind: Job}]}";
    assert_eq!(infos(exclude, &job("Job", "once", "", ""), "hook"), "");
}

#[test]
fn a_later_target_by_name_moves_the_job() {
    let spec = "{targets: [{select: {namespace: shop}}, {select: {name: once}}]}";
    let once = job("Job", "once", "", "");
    assert_snapshot!(changes(spec, &once), @"
    -spec: {template: {spec: {containers: [{name: work}]}}}
    +spec: {template: {spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: work}]}}}
    ");
    assert_eq!(infos(spec, &once, "hook"), "");
}

#[test]
fn webhook_configurations_with_a_hook_are_read() {
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: web, \
                   annotations: {helm.sh/hook: post-install}}\nwebhooks: [{name: a.example.com, clientConfig: {service: {name: web, \
                   namespace: shop, port: 443}}}]\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {selector: {app: web}, ports: \
                   [{port: 443, targetPort: http}]}\n";
    let manifest = stream([deployment_named("web", 8443, true), service.to_owned(), webhook.to_owned()]);
    let (output, _) = run("{targets: [{select: {calledByApiServer: true}}]}", &manifest);
    assert!(output.contains("hostNetwork: true"));
}

#[test]
fn a_number_for_an_object_that_stays_is_an_error() {
    let reported = |select: &str, ports: &str, workload: &str| {
        run(&format!("{{targets: [{{select: {select}, ports: {ports}}}]}}"), workload).1.join("\n")
    };
    let (number, broad) = ("{http: 20443}", "{namespace: shop}");
    let hook = deployment("      - {name: web, ports: [{name: http, containerPort: 8080}]}\n")
        .replace("shop}", &format!("shop{HOOK}}}"));
    let local = hook.replace("helm.sh/hook: pre-install", "config.kubernetes.io/local-config: 'true'");
    let cron = job("CronJob", "nightly", "", "");
    assert_snapshot!(worded(reported(broad, number, &hook)), @"error: hostnet.yaml:1:81: `http: 20443` has no effect: all objects that this target matches are hooks of a release or Jobs without a port, which a broad select leaves on the pod network; to move one, select it by `name`, `kind` or `labelSelector`: Deployment shop/web [unmatched]");
    assert_snapshot!(worded(reported("{name: web}", number, &local)), @"error: hostnet.yaml:1:81: `http: 20443` has no effect: all objects that this target matches have the annotation `config.kubernetes.io/local-config`, so they are not applied and stay unchanged: Deployment shop/web [unmatched]");
    assert_snapshot!(worded(reported("{name: web}", "auto", &local)), @"warning: hostnet.yaml:1:81: all objects that this target matches have the annotation `config.kubernetes.io/local-config`, so they are not applied and stay unchanged: Deployment shop/web [unmatched]");
    assert_eq!(reported(broad, number, &cron).lines().filter(|line| line.starts_with("error")).count(), 1);
    assert_eq!(reported(broad, "auto", &hook), "");
    assert_eq!(reported(broad, "{http: auto}", &cron), "");
    // Another object of the target has the port.
    let web = deployment_named("api", 8080, true);
    assert_eq!(reported(broad, number, &stream([hook, cron, local, web])), "");
}
