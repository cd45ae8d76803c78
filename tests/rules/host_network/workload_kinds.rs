//! Kinds of other projects with pod templates, one or several, in each project's structure.

use super::{changes, infos, numbers, numbers_twice, run};
use crate::support::results::{brief, worded};
use hostnet::catalog::WORKLOAD_KINDS;
use insta::assert_snapshot;
use serde_json::json;

const AUTO: &str = "{targets: [{select: {name: train|web|nightly}, ports: auto}]}";

/// A pod template with this indentation, whose container gets its port from a flag.
fn template(indent: usize, app: &str, port: u16) -> String {
    let pad = " ".repeat(indent);
    format!(
        "{pad}metadata:\n{pad}  labels: {{app: {app}}}\n{pad}spec:\n{pad}  containers:\n{pad}  - name: {app}\n{pad}    \
         image: registry.example/{app}:1\n{pad}    args: [--port={port}]\n{pad}    ports:\n{pad}    - {{name: http, \
         containerPort: {port}}}\n"
    )
}

fn head(api: &str, kind: &str, name: &str) -> String {
    format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n")
}

/// A JobSet with two Jobs.
fn job_set(leader: u16, workers: u16) -> String {
    let job = |name: &str, replicas: u8, port: u16| {
        format!(
            "  - name: {name}\n    replicas: {replicas}\n    template:\n      spec:\n        parallelism: 2\n        \
             completions: 2\n        template:\n{}",
            template(10, name, port)
        )
    };
    let head = head("jobset.x-k8s.io/v1alpha2", "JobSet", "train");
    format!("{head}  replicatedJobs:\n{}{}", job("leader", 1, leader), job("workers", 2, workers))
}

/// A JobSet with an additional field in one of its pod specs.
fn with_field(job_set: &str, index: usize, field: &str) -> String {
    let mut parts: Vec<String> = job_set.split("            containers:").map(str::to_owned).collect();
    parts[index].push_str(&format!("            {field}\n"));
    parts.join("            containers:")
}

fn leader_worker_set() -> String {
    let head = head("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "train");
    format!(
        "{head}  replicas: 2\n  leaderWorkerTemplate:\n    size: 4\n    leaderTemplate:\n{}    workerTemplate:\n{}",
        template(6, "leader", 8080),
        template(6, "worker", 8081)
    )
}

fn united_deployment(field: &str, api: &str) -> String {
    let head = head("apps.kruise.io/v1alpha1", "UnitedDeployment", "web");
    format!(
        "{head}  replicas: 6\n  selector:\n    matchLabels: {{app: web}}\n  template:\n    {field}:\n      metadata:\n        \
         labels: {{app: web}}\n      # {api}\n      spec:\n        template:\n{}  topology:\n    subsets:\n    - name: a\n      \
         nodeSelectorTerm:\n        matchExpressions:\n        - {{key: zone, operator: In, values: [a]}}\n",
        template(10, "web", 8080)
    )
}

/// The manifests of all kinds with one template.
fn with_one() -> Vec<String> {
    let plain = |api: &str, kind: &str, before: &str| {
        format!("{}{before}  template:\n{}", head(api, kind, "web"), template(4, "web", 8080))
    };
    let selector = "  replicas: 2\n  selector:\n    matchLabels: {app: web}\n";
    let cron = |version: &str, field: &str| {
        let head = head(&format!("apps.kruise.io/{version}"), "AdvancedCronJob", "nightly");
        let inner = template(8, "web", 8080);
        format!(
            "{head}  schedule: '0 3 * * *'\n  template:\n    {field}:\n      spec:\n        template:\n{}",
            indented(&inner)
        )
    };
    let mut all = Vec::new();
    for version in ["v1alpha1", "v1beta1"] {
        let api = format!("apps.kruise.io/{version}");
        all.push(plain(&api, "CloneSet", selector));
        all.push(plain(&api, "StatefulSet", &format!("{selector}  serviceName: web\n")));
        all.push(plain(&api, "DaemonSet", "  selector:\n    matchLabels: {app: web}\n"));
        all.push(plain(&api, "BroadcastJob", "  parallelism: 10\n"));
        all.push(cron(version, "jobTemplate"));
        all.push(cron(version, "broadcastJobTemplate"));
    }
    for (field, api) in [
        ("statefulSetTemplate", "apps/v1"),
        ("advancedStatefulSetTemplate", "apps.kruise.io/v1beta1"),
        ("cloneSetTemplate", "apps.kruise.io/v1alpha1"),
        ("deploymentTemplate", "apps/v1"),
    ] {
        all.push(united_deployment(field, api));
    }
    let servers = head("game.kruise.io/v1alpha1", "GameServerSet", "web");
    all.push(format!("{servers}  replicas: 3\n  gameServerTemplate:\n{}", template(4, "web", 8080)));
    all.push(plain("argoproj.io/v1alpha1", "Rollout", &format!("{selector}  strategy:\n    canary: {{}}\n")));
    let scaled = head("keda.sh/v1alpha1", "ScaledJob", "web");
    all.push(format!(
        "{scaled}  jobTargetRef:\n    parallelism: 1\n    template:\n{}  triggers:\n  - {{type: cron, metadata: {{}}}}\n",
        template(6, "web", 8080)
    ));
    all
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[test]
fn a_template_of_every_kind_moves() {
    for manifest in with_one() {
        let log = changes(AUTO, &manifest);
        for line in ["hostNetwork: true", "dnsPolicy: ClusterFirstWithHostNet", "args: [--port=2", "hostPort: 2"] {
            assert!(
                log.lines().filter(|l| l.starts_with('+') && l.contains(line)).count() == 1,
                "{line}\n{manifest}\n{log}"
            );
        }
        assert!(
            !log.contains("error")
                && !log.lines().any(|line| line.starts_with("warning") && !line.contains("concurrencyPolicy")),
            "{manifest}\n{log}"
        );
    }
}

/// The test builds an object from the path of each row, so a new row of the catalogue needs no change here.
#[test]
fn every_row_of_the_catalogue_has_its_template() {
    let rows = WORKLOAD_KINDS;
    for row in rows {
        let version = row.versions.first().unwrap_or(&"v1");
        let api = if row.group.is_empty() { (*version).to_owned() } else { format!("{}/{version}", row.group) };
        let mut value = json!({"spec": {"containers": [{"name": "web", "ports": [{"containerPort": 8080}]}]}});
        for step in row.path.rsplit('.').filter(|step| !step.is_empty()) {
            value = match step.strip_suffix("[]") {
                Some(list) => json!({list: [value]}),
                None if step == "*" => json!({"web": value}),
                None => json!({step: value}),
            };
        }
        value["apiVersion"] = api.into();
        value["kind"] = row.kind.into();
        value["metadata"] = json!({"name": "web"});
        let manifest = serde_yaml::to_string(&value).unwrap();
        let spec = format!("{{targets: [{{select: {{kind: {}, name: web}}, ports: keep}}]}}", row.kind);
        let log = changes(&spec, &manifest);
        assert!(log.contains("hostNetwork: true"), "{row:?}\n{manifest}\n{log}");
    }
    assert!(rows.len() > 20, "{}", rows.len());
}

#[test]
fn each_template_has_its_own_numbers_and_keys() {
    assert_snapshot!(numbers_twice(AUTO, &job_set(8080, 8080)), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080 -> 21622 Pool
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8080 -> 21500 Pool
    ");
    assert_snapshot!(numbers_twice(AUTO, &leader_worker_set()), @"
    shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/train/leaderTemplate/http 8080 -> 23266 Pool
    shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/train/workerTemplate/http 8081 -> 28191 Pool
    ");
    let united = numbers_twice(AUTO, &united_deployment("cloneSetTemplate", "apps.kruise.io/v1alpha1"));
    assert_snapshot!(united, @"shop/apps.kruise.io/UnitedDeployment/web/cloneSetTemplate/http 8080 -> 24620 Pool");
}

#[test]
fn all_templates_of_an_object_move() {
    assert_snapshot!(changes(AUTO, &job_set(8080, 8080)), @"
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              args: [--port=8080]
    +              args: [--port=21622]
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 21622, hostPort: 21622}
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              args: [--port=8080]
    +              args: [--port=21500]
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 21500, hostPort: 21500}
    ");
    assert_snapshot!(changes(AUTO, &leader_worker_set()), @"
    +        hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -          args: [--port=8080]
    +          args: [--port=23266]
    -          - {name: http, containerPort: 8080}
    +          - {name: http, containerPort: 23266, hostPort: 23266}
    +        hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -          args: [--port=8081]
    +          args: [--port=28191]
    -          - {name: http, containerPort: 8081}
    +          - {name: http, containerPort: 28191, hostPort: 28191}
    ");
    let experiment = format!(
        "{}  duration: 5m\n  templates:\n  - name: baseline\n    selector:\n      matchLabels: {{app: baseline}}\n    template:\n{}  \
         - name: canary\n    selector:\n      matchLabels: {{app: canary}}\n    template:\n{}",
        head("argoproj.io/v1alpha1", "Experiment", "web"),
        template(6, "baseline", 8080),
        template(6, "canary", 8080)
    );
    assert_snapshot!(changes(AUTO, &experiment), @"
    +        hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -          args: [--port=8080]
    +          args: [--port=23270]
    -          - {name: http, containerPort: 8080}
    +          - {name: http, containerPort: 23270, hostPort: 23270}
    +        hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -          args: [--port=8080]
    +          args: [--port=22563]
    -          - {name: http, containerPort: 8080}
    +          - {name: http, containerPort: 22563, hostPort: 22563}
    ");
}

#[test]
fn a_recorded_number_belongs_to_its_template() {
    let assigned = |keys: &str| {
        format!("{{targets: [{{select: {{name: train}}, ports: auto}}], requireAssigned: true, assigned: {{{keys}}}}}")
    };
    let key = |template: &str, number: u16| format!("shop/jobset.x-k8s.io/JobSet/train/{template}/http: {number}");
    let both = format!("{}, {}", key("leader", 21080), key("workers", 21081));
    assert_snapshot!(numbers(&assigned(&both), &job_set(8080, 8080)), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080 -> 21080 Assigned
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8080 -> 21081 Assigned
    ");
    assert_snapshot!(worded(numbers(&assigned(&key("workers", 21081)), &job_set(8080, 8080))), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080 -> 21622 Pool
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8080 -> 21081 Assigned
    error: standard input:21:17: JobSet shop/train, template leader, container leader, port http (8080) has no number in `assigned`, and `requireAssigned` at hostnet.yaml:1:128 forbids to choose one. Run `hostnet pin`, or write `shop/jobset.x-k8s.io/JobSet/train/leader/http: 21622` under `assigned` [port-assigned]
    ");
}

#[test]
fn a_key_has_a_template_only_if_the_kind_may_have_several() {
    let key =
        |key: &str| super::config(&format!("{{targets: [{{select: {{name: web}}}}], assigned: {{{key}: 20080}}}}"));
    assert!(key("shop/jobset.x-k8s.io/JobSet/train/workers/http").is_ok());
    assert!(key("jobset.x-k8s.io/JobSet/train/workers/http").is_ok());
    for wrong in [
        "shop/Deployment/web/pod/http",
        "jobset.x-k8s.io/JobSet/train/a/workers/http",
        "shop/jobset.x-k8s.io/JobSet/train",
    ] {
        assert!(key(wrong).unwrap_err().contains("is not the key of a listener"), "{wrong}");
    }
}

#[test]
fn a_number_is_assigned_to_one_template() {
    let given = |key: &str| format!("{{targets: [{{select: {{name: train}}, ports: {{{key}: 20080}}}}]}}");
    assert_snapshot!(worded(numbers(&given("http"), &job_set(8080, 8081))), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8081
    error: hostnet.yaml:1:110: `http` matches 2 listeners, and a number can be given to one only: JobSet shop/train, template leader, container leader, port http (8080); JobSet shop/train, template workers, container workers, port http (8081). Write TEMPLATE/CONTAINER/PORT [port-key]
    ");
    assert_snapshot!(brief(numbers(&given("workers/workers/http"), &job_set(8080, 8081))), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8081 -> 20080 Config
    warning: node-port JobSet shop/train spec.replicatedJobs[0].template.spec.template.spec.containers[0].ports[0] (21:17, 8080)
    ");
    assert_snapshot!(worded(numbers(&given("workers/leader/http"), &job_set(8080, 8081))), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8081
    error: hostnet.yaml:1:125: `workers/leader/http` matches no port of JobSet shop/train, template leader, JobSet shop/train, template workers; did you mean `http`? Known are: leader/http (8080, other), workers/http (8081, other) [port-key]
    ");
}

#[test]
fn templates_of_one_object_on_one_port_are_a_conflict() {
    let keep = "{targets: [{select: {name: train}}]}";
    assert_snapshot!(worded(changes(keep, &job_set(8080, 8080))), @"
    error: standard input:21:17: JobSet shop/train, template leader, container leader, port http (8080) and JobSet shop/train, template workers, container workers, port http (8080) both use port 8080/TCP of their node: the second one could not start. Give one of the two another number in `ports`. If they never share a node, write `shared: [{port: 8080, between: [shop/jobset.x-k8s.io/JobSet/train/leader, shop/jobset.x-k8s.io/JobSet/train/workers]}]` in the spec. Nodes that run node-local-dns or aws-node-termination-handler have 8080 taken [port-conflict]
    warning: standard input:37:17: JobSet shop/train, template workers, container workers, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `http` in `ports` [node-port]
    ");
    assert_snapshot!(brief(changes(keep, &job_set(8080, 8081))), @"
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 8080, hostPort: 8080}
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              - {name: http, containerPort: 8081}
    +              - {name: http, containerPort: 8081, hostPort: 8081}
    warning: node-port JobSet shop/train spec.replicatedJobs[0].template.spec.template.spec.containers[0].ports[0] (21:17, 8080)
    ");
    // The templates with one port run on separate nodes.
    let apart = with_field(&job_set(8080, 8080), 0, "nodeSelector: {pool: a}");
    let apart = with_field(&apart, 1, "nodeSelector: {pool: b}");
    let log = changes(keep, &apart);
    assert!(!log.contains("port-conflict") && log.contains("hostNetwork: true"), "{log}");
    let shared = "{targets: [{select: {name: train}}], shared: [{port: 8080, between: [shop/jobset.x-k8s.io/JobSet/train/leader, shop/jobset.x-k8s.io/JobSet/train/workers]}]}";
    assert!(!changes(shared, &job_set(8080, 8080)).contains("port-conflict"));
    // A workload that no target matches.
    let other = head("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "other");
    let other = format!(
        "{other}  leaderWorkerTemplate:\n    leaderTemplate:\n{}    workerTemplate:\n{}",
        template(6, "leader", 8090).replace("      spec:\n", "      spec:\n        hostNetwork: true\n"),
        template(6, "worker", 8081).replace("      spec:\n", "      spec:\n        hostNetwork: true\n")
    );
    assert_snapshot!(brief(changes(keep, &format!("{}---\n{other}", job_set(8082, 8081)))), @"error: port-conflict JobSet shop/train spec.replicatedJobs[1].template.spec.template.spec.containers[0].ports[0] (37:17, 8081, 8081/TCP, LeaderWorkerSet shop/other, shop/jobset.x-k8s.io/JobSet/train/workers, shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/other/workerTemplate)");
    // A dump of a cluster: a Job that the controller created from a template is not another workload.
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train-leader-0\n  namespace: shop\n  ownerReferences:\n  - {{apiVersion: \
         jobset.x-k8s.io/v1alpha2, kind: JobSet, name: train, uid: a, controller: true}}\nspec:\n  template:\n{}",
        template(4, "leader", 8080)
    );
    let dump = format!("{}---\n{job}", job_set(8080, 8081));
    let log = changes("{targets: [{select: {kind: Job|JobSet}}]}", &dump);
    assert!(!log.contains("port-conflict") && log.matches("hostNetwork: true").count() == 2, "{log}");
}

#[test]
fn a_service_leads_to_templates_with_its_labels() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: leader, namespace: shop}\nspec: {selector: {app: leader}, ports: [{port: 80, targetPort: 8080}]}\n";
    let manifest = format!("{}---\n{service}", job_set(8080, 8080));
    assert_snapshot!(changes("{targets: [{select: {name: train}, ports: {leader/http: 20080, workers/http: 20081}}]}", &manifest), @"
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              args: [--port=8080]
    +              args: [--port=20080]
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 20080, hostPort: 20080}
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              args: [--port=8080]
    +              args: [--port=20081]
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 20081, hostPort: 20081}
    -spec: {selector: {app: leader}, ports: [{port: 80, targetPort: 8080}]}
    +spec: {selector: {app: leader}, ports: [{port: 80, targetPort: http}]}
    ");
    // A Service that leads to both.
    let both =
        manifest.replace("selector: {app: leader}", "selector: {tier: a}").replace("labels: {", "labels: {tier: a, ");
    assert_snapshot!(changes("{targets: [{select: {name: train}, ports: {leader/http: 20080, workers/http: 20081}}]}", &both), @"
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              args: [--port=8080]
    +              args: [--port=20080]
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 20080, hostPort: 20080}
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              args: [--port=8080]
    +              args: [--port=20081]
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 20081, hostPort: 20081}
    -spec: {selector: {tier: a}, ports: [{port: 80, targetPort: 8080}]}
    +spec: {selector: {tier: a}, ports: [{port: 80, targetPort: http}]}
    ");
}

#[test]
fn a_broad_select_skips_job_sets_without_a_port() {
    let silent = job_set(8080, 8081)
        .lines()
        .filter(|line| !line.to_lowercase().contains("port"))
        .map(|l| format!("{l}\n"))
        .collect::<String>();
    let broad = "{targets: [{select: {namespace: shop}}]}";
    assert_eq!(changes(broad, &silent), "");
    assert!(infos(broad, &silent, "hook").contains("JobSet shop/train"));
    assert!(changes("{targets: [{select: {kind: JobSet}}]}", &silent).contains("hostNetwork: true"));
    // One port in one of its templates is enough.
    assert!(changes(broad, &job_set(8080, 8081)).contains("hostNetwork: true"));
}

#[test]
fn a_called_object_moves_with_all_templates() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: leader, namespace: shop}\nspec: {selector: {app: leader}, ports: [{port: 443, targetPort: 8080}]}\n";
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook}\nwebhooks: [{name: a.b.c, clientConfig: {service: {name: leader, namespace: shop}}}]\n";
    let manifest = format!("{}---\n{service}---\n{hook}", job_set(8080, 8081));
    let called = "{targets: [{select: {calledByApiServer: true}, ports: auto}]}";
    assert_snapshot!(numbers(called, &manifest), @"
    shop/jobset.x-k8s.io/JobSet/train/leader/http 8080 -> 21622 Pool
    shop/jobset.x-k8s.io/JobSet/train/workers/http 8081 -> 21500 Pool
    ");
    assert_snapshot!(worded(infos(called, &manifest, "port-called")), @"
    info: the API server must reach these ports of the nodes: 21622 (JobSet shop/train, template leader, http) [port-called]
    info: JobSet shop/train is called by the API server: ValidatingWebhookConfiguration hook calls it through Service shop/leader [port-called]
    ");
    let excluded = "{targets: [{select: {namespace: shop}}], exclude: [{calledByApiServer: true}]}";
    assert_snapshot!(changes(excluded, &manifest), @"");
}

#[test]
fn one_template_may_stay() {
    let held = with_field(&job_set(8080, 8081), 1, "hostUsers: false");
    let other = format!("{}  template:\n{}", head("apps/v1", "Deployment", "web"), template(4, "web", 8082));
    assert_snapshot!(worded(changes("{targets: [{select: {kind: JobSet|Deployment}}]}", &format!("{held}---\n{other}"))), @"
    +            hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -              - {name: http, containerPort: 8080}
    +              - {name: http, containerPort: 8080, hostPort: 8080}
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        - {name: http, containerPort: 8082}
    +        - {name: http, containerPort: 8082, hostPort: 8082}
    warning: standard input:21:17: JobSet shop/train, template leader, container leader, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `http` in `ports` [node-port]
    warning: standard input:32:24: JobSet shop/train, template workers: spec.replicatedJobs[1].template.spec.template.spec.hostUsers is `false`, which the API server refuses together with `hostNetwork: true`. The workload stays on the pod network. Remove the field, or put the workload under `exclude` [pod-forbids]
    ");
}

#[test]
fn a_template_without_a_name_is_called_by_its_place() {
    let spec = |path: &str| format!("{{targets: [{{select: {{kind: Fleet}}, ports: auto}}], templates: [{path}]}}");
    let row = |path: &str| format!("{{group: example.com, kind: Fleet, path: '{path}'}}");
    let fleet = |spec: &str| {
        format!("apiVersion: example.com/v1\nkind: Fleet\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n")
    };
    let pod = "{spec: {containers: [{name: web, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}]}}";
    // Elements without a name, elements with equal names, keys of a mapping, and fields.
    let list = fleet(&format!("{{groups: [{{template: {pod}}}, {{template: {pod}}}]}}"));
    assert_snapshot!(numbers_twice(&spec(&row("spec.groups[].template")), &list), @"
    shop/example.com/Fleet/web/groups-0/http 8080 -> 21804 Pool
    shop/example.com/Fleet/web/groups-1/http 8080 -> 23525 Pool
    ");
    let list = fleet(&format!("{{groups: [{{name: a, template: {pod}}}, {{name: a, template: {pod}}}]}}"));
    assert_snapshot!(numbers_twice(&spec(&row("spec.groups[].template")), &list), @"
    shop/example.com/Fleet/web/spec.groups[0].template/http 8080 -> 20892 Pool
    shop/example.com/Fleet/web/spec.groups[1].template/http 8080 -> 21421 Pool
    ");
    let mapping = fleet(&format!("{{roles: {{Master: {{template: {pod}}}, Worker: {{template: {pod}}}}}}}"));
    assert_snapshot!(numbers_twice(&spec(&row("spec.roles.*.template")), &mapping), @"
    shop/example.com/Fleet/web/Master/http 8080 -> 22185 Pool
    shop/example.com/Fleet/web/Worker/http 8080 -> 29189 Pool
    ");
    let fields = fleet(&format!("{{head: {{template: {pod}}}, tail: {{template: {pod}}}}}"));
    let rows = format!("{}, {}", row("spec.head.template"), row("spec.tail.template"));
    assert_snapshot!(numbers_twice(&spec(&rows), &fields), @"
    shop/example.com/Fleet/web/head/http 8080 -> 22989 Pool
    shop/example.com/Fleet/web/tail/http 8080 -> 27189 Pool
    ");
}

#[test]
fn a_row_may_apply_to_some_versions() {
    let spec = "{targets: [{select: {kind: Fleet}}], templates: [{group: example.com, kind: Fleet, versions: [v1], path: spec.pod}]}";
    let fleet = |version: &str| {
        format!(
            "apiVersion: example.com/{version}\nkind: Fleet\nmetadata: {{name: web}}\nspec: {{pod: {{spec: {{containers: [{{name: web, image: web}}]}}}}}}\n"
        )
    };
    assert!(changes(spec, &fleet("v1")).contains("hostNetwork: true"));
    assert!(!changes(spec, &fleet("v2")).contains("hostNetwork: true"));
}

#[test]
fn a_row_equal_to_the_catalogues_changes_nothing() {
    let spec = "{targets: [{select: {name: train}, ports: auto}], templates: [{group: jobset.x-k8s.io, kind: JobSet, path: 'spec.replicatedJobs[].template.spec.template'}]}";
    assert_eq!(run(spec, &job_set(8080, 8080)), run(AUTO, &job_set(8080, 8080)));
}

#[test]
fn a_rollout_that_names_a_workload_has_its_pods() {
    let rollout = format!(
        "{}  replicas: 2\n  workloadRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}\n",
        head("argoproj.io/v1alpha1", "Rollout", "web")
    );
    let deployment =
        format!("{}  replicas: 0\n  template:\n{}", head("apps/v1", "Deployment", "web"), template(4, "web", 8080));
    let both = format!("{rollout}---\n{deployment}");
    assert_snapshot!(brief(changes("{targets: [{select: {name: web}}]}", &both)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        - {name: http, containerPort: 8080}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (22:11, 8080)
    ");
    assert_snapshot!(worded(infos("{targets: [{select: {name: web}}]}", &both, "unmatched")), @"info: Rollout shop/web is matched by the target at hostnet.yaml:1:81 and has no pod template: its pods belong to Deployment web, which moves if a target matches it [unmatched]");
    assert_snapshot!(brief(changes("{targets: [{select: {kind: Rollout}}]}", &both)), @"warning: unmatched Rollout shop/web (1:1, hostnet.yaml:1:81)");
    let doubled = format!("{rollout}  template:\n{}", template(4, "web", 8080));
    assert_snapshot!(worded(changes("{targets: [{select: {kind: Rollout}}]}", &doubled)), @"warning: standard input:8:5: Rollout shop/web: it has a template and a `workloadRef` to Deployment web: Argo Rollouts does not replace the pods, which would stay in the pod network, and reports `template must be empty for workload reference rollout` only in its status. Remove `template` or `workloadRef`. The workload is not changed [rollout-surge]");
}

#[test]
fn kinds_that_stay_are_reported_with_the_reason() {
    let sidecars = "apiVersion: apps.kruise.io/v1alpha1\nkind: SidecarSet\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, containers: [{name: log, image: log, ports: [{containerPort: 9000}]}]}\n";
    assert_snapshot!(worded(changes("{targets: [{select: {kind: SidecarSet}}]}", sidecars)), @"warning: standard input:1:1: the target \
         at hostnet.yaml:1:81 matches objects that do not move: SidecarSet web. A SidecarSet adds containers to the pods of others and \
         has no `hostNetwork` of its own, so what its containers listen on stays; put objects that should stay under `exclude` \
         [unmatched]");
    let serving = |kind: &str| {
        format!(
            "apiVersion: serving.knative.dev/v1\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {{template: {{spec: {{containers: [{{image: web, ports: [{{containerPort: 8080}}]}}]}}}}}}\n"
        )
    };
    for kind in ["Service", "Configuration", "Revision"] {
        let log = changes(&format!("{{targets: [{{select: {{kind: {kind}}}}}]}}"), &serving(kind));
        assert!(log.starts_with("warning") && log.contains("config-features"), "{log}");
    }
    // A row of the config wins.
    let own = "{targets: [{select: {kind: Service}}], templates: [{group: serving.knative.dev, kind: Service, path: spec.template}]}";
    let log = changes(own, &serving("Service"));
    assert!(log.contains("hostNetwork: true") && !log.contains("config-features"), "{log}");
    // All objects that stay have a single result, next to a workload that moves.
    let mut all: Vec<String> =
        (0..7).map(|at| serving("Service").replace("name: web,", &format!("name: web-{at},"))).collect();
    all.push(format!("{}  template:\n{}", head("apps/v1", "Deployment", "web"), template(4, "web", 8080)));
    assert_snapshot!(worded(changes("{targets: [{select: {namespace: shop}}]}", &all.join("---\n"))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        - {name: http, containerPort: 8080}
    +        - {name: http, containerPort: 8080, hostPort: 8080}
    warning: standard input:49:11: Deployment shop/web, container web, port http (8080) keeps the port of node-local-dns or aws-node-termination-handler on nodes that run it. If your nodes run it: write `auto` or another number for `http` in `ports` [node-port]
    warning: standard input:1:1: the target at hostnet.yaml:1:81 matches objects that do not move: Service shop/web-0, Service shop/web-1, Service shop/web-2, Service shop/web-3, Service shop/web-4 and 2 more. Knative refuses `hostNetwork` unless its ConfigMap config-features enables kubernetes.podspec-hostnetwork, and its queue-proxy has fixed ports in every pod; put objects that should stay under `exclude` [unmatched]
    ");
    // Kinds without pods do not match a select.
    let job = "apiVersion: apps.kruise.io/v1alpha1\nkind: ImagePullJob\nmetadata: {name: web, namespace: shop}\nspec: {image: web}\n";
    let log = changes("{targets: [{select: {namespace: shop}}]}", &format!("{job}---\n{}", all.last().unwrap()));
    assert!(!log.contains("ImagePullJob"), "{log}");
}

#[test]
fn pods_with_names_from_a_service_connect_to_each_other() {
    let peers =
        |manifest: String| manifest.replace("args: [--port=8080]", "args: [--port=8080, '--peers=web-0.db:8080']");
    let united = |field: &str| {
        peers(united_deployment(field, "x"))
            .replace("      spec:\n        template:", "      spec:\n        serviceName: db\n        template:")
    };
    let servers = peers(format!(
        "{}  serviceName: db\n  gameServerTemplate:\n{}",
        head("game.kruise.io/v1alpha1", "GameServerSet", "web"),
        template(4, "web", 8080)
    ));
    let auto = "{targets: [{select: {name: web}, ports: {http: 20080}}]}";
    for manifest in [united("statefulSetTemplate"), united("advancedStatefulSetTemplate"), servers] {
        let log = changes(auto, &manifest);
        assert!(log.contains("--peers=web-0.db:20080"), "{manifest}{log}");
    }
    // Other templates have no such field.
    assert!(!changes(auto, &united("deploymentTemplate")).contains("db:20080"));
}

#[test]
fn references_between_templates_are_reported() {
    let auto = "{targets: [{select: {name: train}, ports: {leader/http: 20080}}]}";
    let worker =
        |arg: &str| leader_worker_set().replace("args: [--port=8081]", &format!("args: [--port=8081, '{arg}']"));
    assert_snapshot!(worded(warnings(auto, &worker("--leader=$(LWS_LEADER_ADDRESS):8080"))), @"warning: standard input:25:31: LeaderWorkerSet shop/train, template leaderTemplate, container leader, port http (8080): moves to 20080, and 8080 follows the host `$(LWS_LEADER_ADDRESS)`, which may be one of its pods, in template workerTemplate in LeaderWorkerSet shop/train; if that refers to this port, change it too [port-reference]");
    assert_snapshot!(brief(warnings(auto, &worker("--leader=train-0.train:8080"))), @"warning: port-reference LeaderWorkerSet shop/train spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args[1] (25:31, 20080, 8080, train-0.train)");
    // Another host, another number, and a variable with a known value.
    for arg in ["--db=db:8080", "--leader=$(LWS_LEADER_ADDRESS):8082", "--store=training:8080"] {
        assert_eq!(warnings(auto, &worker(arg)), "", "{arg}");
    }
    let set = worker("--db=$(DB_HOST):8080")
        .replace("args: [--port=8081,", "env: [{name: DB_HOST, value: db}]\n          args: [--port=8081,");
    assert_eq!(warnings(auto, &set), "");
}

fn warnings(spec: &str, manifest: &str) -> String {
    run(spec, manifest).1.join("\n")
}

/// Ports of a custom workload outside of its template do not move automatically.
#[test]
fn a_number_outside_of_the_template_is_reported() {
    let template = "{metadata: {labels: {app: web}}, spec: {containers: [{name: web, args: ['--port=8080'], ports: [{name: http, containerPort: 8080}]}]}}";
    let workload = |kind: &str, spec: &str| {
        format!("apiVersion: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {spec}\n")
    };
    let moved = |spec: &str, text: &str| super::changes(spec, text);
    let game = |conf: &str| {
        let network = format!(
            "{{network: {{networkConf: [{{name: PortProtocols, value: {conf}}}]}}, gameServerTemplate: {template}}}"
        );
        moved(
            "{targets: [{select: {name: web}, ports: auto}]}",
            &workload("game.kruise.io/v1alpha1\nkind: GameServerSet", &network),
        )
    };
    for conf in ["8080/TCP", "'80:8080'"] {
        assert_eq!(
            game(conf).matches("if that refers to this port, change it too [port-reference]").count(),
            1,
            "{conf}: {}",
            game(conf)
        );
    }
    for conf in ["8081/TCP", "18080", "'8080'"] {
        assert!(!game(conf).contains("[port-reference]"), "{conf}: {}", game(conf));
    }
    let own =
        "templates: [{group: operators.coreos.com, kind: ClusterServiceVersion, path: 'spec.deployments[].template'}]";
    let version = format!(
        "{{deployments: [{{template: {template}}}], webhookdefinitions: [{{containerPort: 443, targetPort: 8080}}]}}"
    );
    let log = moved(
        &format!("{{targets: [{{select: {{name: web, group: operators.coreos.com}}, ports: auto}}], {own}}}"),
        &workload("operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion", &version),
    );
    assert!(log.contains("`spec.webhookdefinitions[0].targetPort` of its object is `8080`"), "{log}");
    let rollout = format!(
        "{{strategy: {{canary: {{steps: [{{setWeight: 80}}, {{pause: {{duration: 8080}}}}]}}}}, template: {template}}}"
    );
    let log = moved(
        "{targets: [{select: {name: web}, ports: auto}]}",
        &workload("argoproj.io/v1alpha1\nkind: Rollout", &rollout),
    );
    assert!(!log.contains("[port-reference]"), "{log}");
}

/// Operator Lifecycle Manager makes a Service for the deployment that a description of a webhook or an API names.
#[test]
fn a_port_that_a_bundle_describes_moves_with_its_deployment() {
    let template = |name: &str, port: u16| {
        format!(
            "{{name: {name}, spec: {{selector: {{}}, template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers: \
             [{{name: {name}, args: ['--webhook-port={port}']}}]}}}}}}}}"
        )
    };
    let bundle = |deployments: &str, described: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: web, namespace: shop}}\nspec:\n  install:\n    \
             spec:\n      deployments: [{deployments}]\n  {described}\n"
        )
    };
    let spec = "{targets: [{select: {calledByApiServer: true}, ports: auto}], templates: [{group: operators.coreos.com, \
                kind: ClusterServiceVersion, path: 'spec.install.spec.deployments[].spec.template'}]}";
    let hook = |port: &str| format!("webhookdefinitions: [{{generateName: a, deploymentName: web, {port}}}]");
    let api = "apiservicedefinitions: {owned: [{name: v1, deploymentName: web, containerPort: 9443}]}";
    let moved = |described: &str| changes(spec, &bundle(&template("web", 9443), described));
    assert_snapshot!(moved(&hook("containerPort: 443, targetPort: 9443")), @"
    -      deployments: [{name: web, spec: {selector: {}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, args: ['--webhook-port=9443']}]}}}}]
    -  webhookdefinitions: [{generateName: a, deploymentName: web, containerPort: 443, targetPort: 9443}]
    +      deployments: [{name: web, spec: {selector: {}, template: {metadata: {labels: {app: web}}, spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, containers: [{name: web, args: ['--webhook-port=22643'], ports: [{name: webhook, containerPort: 22643, hostPort: 22643}]}]}}}}]
    +  webhookdefinitions: [{generateName: a, deploymentName: web, containerPort: 443, targetPort: 22643}]
    ");
    for described in [hook("containerPort: 9443"), api.to_owned()] {
        let log = moved(&described);
        let left = log.lines().filter(|line| line.starts_with('+') && line.contains("9443")).count();
        assert!(log.contains("+  ") && left == 0 && !log.contains("warning"), "{log}");
    }
    // The number of the Service stays, and so does the description of another deployment.
    let named = hook("containerPort: 9443, targetPort: web");
    let other = hook("containerPort: 443, targetPort: 9443").replace("deploymentName: web", "deploymentName: other");
    for described in [named, other.clone()] {
        assert!(!moved(&described).contains(&format!("-  {described}")), "{}", moved(&described));
    }
    assert!(!moved(&other).contains("hostNetwork"), "{}", moved(&other));
    // The port of a deployment that shows no port.
    let silent = template("web", 9443).replace(", args: ['--webhook-port=9443']", "");
    let log = changes(spec, &bundle(&silent, &hook("containerPort: 443, targetPort: 9443")));
    assert!(log.contains("hostPort: 9443") && log.contains("[port-setting]"), "{log}");
    // An absent port is 443.
    let log = changes(spec, &bundle(&template("web", 443), &hook("type: ValidatingAdmissionWebhook")));
    assert!(log.contains("sets no port") && log.contains("containerPort: 443, hostPort: 443"), "{log}");
}
