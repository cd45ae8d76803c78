//! Targets that match several workloads: `program` and `bind` set the ports of the programs that they are for.

use crate::support::results::worded;
use insta::assert_snapshot;

use super::{ALL, changes, deployment, run, stream};

/// A Deployment with one container of this image, which listens on 9443 without a visible setting.
fn hook(name: &str, container: &str, image: &str, rest: &str) -> String {
    let container = format!(
        "      - name: {container}\n        image: {image}\n        args: [run{rest}]\n        ports: [{{name: https, containerPort: 9443}}]\n"
    );
    deployment(&container).replace("name: web,", &format!("name: {name},")).replace("app: web", &format!("app: {name}"))
}

/// The message of the first result that contains a text.
fn message(log: &[String], part: &str) -> String {
    log.iter().find(|line| line.contains(part)).cloned().unwrap_or_else(|| panic!("{part}: {log:#?}"))
}

/// The target that a message shows, with this code span of the message added.
fn own_target(message: &str, field: &str) -> String {
    let spans: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let of =
        |start: &str| spans.iter().find(|span| span.starts_with(start)).copied().unwrap_or_else(|| panic!("{message}"));
    let target = of("- {select: ").strip_prefix("- ").and_then(|target| target.strip_suffix('}')).unwrap();
    format!("{target}, {}}}", of(field))
}

fn before_all(target: &str) -> String {
    format!("{{targets: [{target}, {{select: {{name: .*}}, ports: auto}}]}}")
}

/// The output of the Deployment with this name.
fn part<'o>(output: &'o str, name: &str) -> &'o str {
    output.split("---\n").find(|part| part.contains(&format!("name: {name},"))).unwrap()
}

#[test]
fn a_printed_target_changes_only_its_workload() {
    let input = stream([hook("a", "webhook", "example.com/a:1", ""), hook("b", "webhook", "example.com/b:1", "")]);
    let (before, log) = run(ALL, &input);
    let message = message(&log, "Deployment shop/a, container");
    assert_snapshot!(worded(message.split("If you know").next().unwrap()), @"warning: standard input:13:17: Deployment shop/a, container webhook, port https (9443): keeps its number: neither the manifest nor the catalogue shows the setting of its number. The target of Deployment shop/a matches other workloads too: write before it a new target `- {select: {kind: Deployment, namespace: shop, name: a}, ports: auto}`.");
    let pasted = before_all(&own_target(&message, "bind: ").replace("--FLAG-9443", "--port"));
    let (output, log) = run(&pasted, &input);
    assert!(part(&output, "a").contains("args: [run, --port=2"), "{pasted}\n{output}");
    assert_eq!(part(&output, "b"), part(&before, "b"), "{pasted}");
    assert!(!log.iter().any(|line| line.contains("shop/a")), "{log:?}");
    // In the only target of a workload no other one is needed.
    let (_, log) = run(ALL, &hook("a", "webhook", "example.com/a:1", ""));
    assert!(log[0].contains("add to the target `bind: [") && !log[0].contains("- {select"), "{log:?}");
}

/// The keys and entries of the target are copied, if they are about the workload.
#[test]
fn a_printed_target_has_the_fields_of_its_target() {
    let input = stream([hook("a", "one", "example.com/a:1", ""), hook("b", "two", "example.com/b:1", ", --x=7000")]);
    let bind =
        "{container: one, port: spare, number: 7000, fixed: true}, {container: two, port: x, number: 7000, arg: --x}";
    let spec = format!(
        "{{targets: [{{select: {{name: .*}}, ports: {{https: auto, spare: keep, x: keep}}, bind: [{bind}]}}]}}"
    );
    let (_, log) = run(&spec, &input);
    let message = message(&log, "Deployment shop/a, container");
    let own = own_target(&message, "bind: ");
    assert_snapshot!(own, @"{select: {kind: Deployment, namespace: shop, name: a}, ports: {https: auto, spare: keep}, bind: [{container: one, port: spare, number: 7000, fixed: true}, {container: one, port: https, number: 9443, arg: --FLAG-9443}]}");
    let (output, _) = run(&before_all(&own.replace("--FLAG-9443", "--port")), &input);
    assert!(part(&output, "a").contains("--port=2"), "{output}");
}

const KEDA: &str = "      - name: NAME
        image: ghcr.io/kedacore/NAME:main
        args: ARGS
        ports: PORTS
";

fn keda(name: &str, args: &str, ports: &str) -> String {
    let container = KEDA.replace("NAME", name).replace("ARGS", args).replace("PORTS", ports);
    deployment(&container).replace("name: web,", &format!("name: {name},")).replace("app: web", &format!("app: {name}"))
}

#[test]
fn a_program_is_for_the_containers_whose_image_shows_it() {
    let admission =
        keda("keda-admission-webhooks", "[/keda-admission-webhooks]", "[{name: http, containerPort: 9443}]");
    let metrics = keda(
        "keda-metrics-apiserver",
        "[/usr/local/bin/keda-adapter, --secure-port=6443]",
        "[{name: https, containerPort: 6443}, {name: http, containerPort: 8080}]",
    );
    let unknown = hook("other", "webhook", "example.com/other:1", "");
    let input = stream([admission, metrics, unknown]);
    let (before, log) = run(ALL, &input);
    let message = message(&log, "the version of keda-metrics-apiserver is unknown");
    assert!(
        message.contains("Add to the new target the version that runs: `program: keda-metrics-apiserver@"),
        "{message}"
    );
    // In a target of its own, and in the shared one.
    let shared = "{targets: [{select: {name: .*}, ports: auto, program: keda-metrics-apiserver@v2.13.0}]}".to_owned();
    for spec in [before_all(&own_target(&message, "program: ")), shared] {
        let (output, log) = run(&spec, &input);
        assert!(part(&output, "keda-metrics-apiserver").contains("--port="), "{spec}\n{output}");
        for name in ["keda-admission-webhooks", "other"] {
            assert_eq!(part(&output, name), part(&before, name), "{spec}");
        }
        assert!(!log.iter().any(|line| line.contains("for several images")), "{log:?}");
    }
}

#[test]
fn a_program_is_not_for_a_sidecar() {
    let pod = "      - name: manager
        image: kserve/kserve-controller:TAG
        command: [/manager]
        args: ['--metrics-addr=127.0.0.1:8080', --leader-elect]
        ports: [{name: webhook-server, containerPort: 9443}]
      - name: kube-rbac-proxy
        image: quay.io/brancz/kube-rbac-proxy:v0.18.0
        args: ['--secure-listen-address=0.0.0.0:8443', '--upstream=http://127.0.0.1:8080/']
        ports: [{name: https, containerPort: 8443}]
      - name: helper
        image: example.com/helper:1
";
    let named = "{targets: [{select: {name: web}, ports: auto, program: kserve-controller@v0.12.0}]}";
    let by_name = changes(named, &deployment(&pod.replace("TAG", "latest")));
    let by_tag =
        changes("{targets: [{select: {name: web}, ports: auto}]}", &deployment(&pod.replace("TAG", "v0.12.0")));
    assert!(!by_name.contains("error") && by_name.contains("--metrics-addr="), "{by_name}");
    assert_eq!(by_name, by_tag);
}

#[test]
fn an_entry_for_several_programs_is_a_warning() {
    let (bind, program) = ("bind: [{container: webhook, port: https, number: 9443, arg: --port}]", "program: mine");
    let mine = "programs: [{name: mine, images: [mine], listeners: [{role: webhook, names: [https], default: 9443, settings: [{arg: --port}]}]}]";
    let spec = |field: &str| format!("{{targets: [{{select: {{name: .*}}, ports: auto, {field}}}], {mine}}}");
    let two =
        |one: &str, other: &str, rest: &str| stream([hook("a", "webhook", one, ""), hook("b", "webhook", other, rest)]);
    let (_, log) = run(&spec(bind), &two("example.com/a:1", "example.com/b:1", ""));
    assert_snapshot!(worded(log.join("\n")), @"warning: hostnet.yaml:1:113: this entry adds `--port` for several images: container webhook of Deployment shop/a (example.com/a:1), container webhook of Deployment shop/b (example.com/b:1). A program without the setting does not start, or keeps its port: write it in a target that matches only its workload [port-setting]");
    let (_, log) = run(&spec(program), &two("example.com/a:1", "example.com/b:1", ""));
    assert_snapshot!(worded(log.join("\n")), @"warning: hostnet.yaml:1:115: `program: mine` counts for several images: container webhook of Deployment shop/a (example.com/a:1), container webhook of Deployment shop/b (example.com/b:1). A program without the setting does not start, or keeps its port: write it in a target that matches only its workload [port-setting]");
    for (field, input) in [
        // Two releases of one program, and a program that has the setting.
        (bind, two("example.com/a:1", "example.com/a:2", "")),
        (bind, two("example.com/a:1", "example.com/mine:1", "")),
        (program, two("example.com/a:1", "example.com/mine:1", "")),
        // Another container.
        (bind, stream([hook("a", "webhook", "example.com/a:1", ""), hook("b", "web", "example.com/b:1", "")])),
        // No flag is added.
        (&bind.replace("arg: --port", "fixed: true"), two("example.com/a:1", "example.com/b:1", "")),
    ] {
        let (_, log) = run(&spec(field), &input);
        assert!(!log.iter().any(|line| line.contains("for several images")), "{field}: {log:?}");
    }
    let kept = spec(bind).replace("ports: auto", "ports: keep");
    let (_, log) = run(&kept, &two("example.com/a:1", "example.com/b:1", ""));
    assert!(!log.iter().any(|line| line.contains("for several images")), "{log:?}");
}

#[test]
fn a_program_of_no_container_is_a_warning() {
    let spec =
        |program: &str| format!("{{targets: [{{select: {{name: web}}, program: {program}, ports: {{https: keep}}}}]}}");
    let web = deployment(
        "      - {name: web, image: 'ghcr.io/kedacore/keda-admission-webhooks:2.13.0', args: [/keda-admission-webhooks], ports: [{name: https, containerPort: 9443}]}\n",
    );
    let warned = |program: &str| {
        run(&spec(program), &web).1.into_iter().filter(|line| line.contains("has no effect")).collect::<Vec<_>>()
    };
    assert_snapshot!(worded(warned("keda-metrics-apiserver@v2.13.0").join("\n")), @"warning: hostnet.yaml:1:103: `program: keda-metrics-apiserver@v2.13.0` has no effect: by image and command no container of Deployment shop/web runs it [port-setting]");
    assert_eq!(warned("keda-admission-webhooks@v2.13.0"), Vec::<String>::new());
}
