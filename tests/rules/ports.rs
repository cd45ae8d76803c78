//! `hostnet ports` and `hostnet pin` from the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)]
#![allow(clippy::print_stderr, reason = "these are tests")]

use crate::support::manifests::HOOKS;
use crate::support::run;

use insta::assert_snapshot;
use run::{Run, hostnet};
use tempfile::TempDir;

const CONFIG: &str = "# The numbers of the cluster.
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec:
  targets:
  - select: {kind: Deployment}   # all of them
    ports: auto
";

/// A Deployment that listens on a webhook port and on a metrics port.
fn workload(name: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: shop}}
spec:
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - name: app
        args: [--listen=:8443, --metrics-addr=:9090]
        ports: [{{name: https, containerPort: 8443}}]
"
    )
}

/// A folder with a config and these manifests.
struct Folder(TempDir);

impl Folder {
    fn new(config: &str, manifests: &[&str]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("config.yaml", config);
        folder.write("input.yaml", &manifests.join("---\n"));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    /// The config, with `CONFIG` in place of this text.
    fn config(&self) -> String {
        std::fs::read_to_string(self.0.path().join("config.yaml")).unwrap().replacen(CONFIG, "CONFIG\n", 1)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let (command, rest) = arguments.split_first().unwrap();
        let all = [&[*command, "-c", "config.yaml"], rest, &["input.yaml"]].concat();
        hostnet(self.0.path(), &all, b"")
    }

    /// Standard output of a command that has to succeed.
    fn out(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        run.text()
    }

    /// The exit code and messages of `pin`, and the new config.
    fn pin(&self, arguments: &[&str]) -> String {
        let run = self.run(&[&["pin"], arguments].concat());
        assert_eq!(run.text(), "", "pin prints nothing on standard output");
        format!("exit {}\n{}=== config\n{}", run.code.unwrap(), run.stderr, self.config())
    }
}

fn web_and_api() -> Folder {
    Folder::new(CONFIG, &[&workload("web"), &workload("api"), HOOKS])
}

#[test]
fn a_workload_is_explained() {
    let folder = web_and_api();
    assert_snapshot!(folder.out(&["explain", "shop/web"]), @"
    shop/Deployment/web
      the API server calls it: ValidatingWebhookConfiguration hooks calls it through Service shop/web
      app/https (webhook, TCP): 8443 -> 25078 (pool)
        shown by: declared at spec.template.spec.containers[0].ports[0].containerPort
        shown by: any-address --listen at spec.template.spec.containers[0].args[0]
        set by: --listen at spec.template.spec.containers[0].args[0]
        moves: containerPort 8443 -> 25078 [port-moved]
        moves: --listen 8443 -> 25078 [port-setting]
      app/metrics (metrics, TCP): 9090 -> 24562 (pool)
        shown by: any-address --metrics-addr at spec.template.spec.containers[0].args[1]
        set by: --metrics-addr at spec.template.spec.containers[0].args[1]
        moves: listens on 24562 (metrics), which was not declared [port-declared]
        moves: --metrics-addr 9090 -> 24562 [port-setting]
    ");
    assert_eq!(folder.out(&["explain", "shop/Deployment/web"]), folder.out(&["explain", "shop/web"]));
    let unknown = folder.run(&["explain", "shop/wbe"]);
    assert_eq!(unknown.code, Some(1));
    assert_snapshot!(unknown.stderr, @"error: no target selects a workload `shop/wbe` with listeners; selected are: shop/Deployment/api, shop/Deployment/web");
}

/// A file that cannot be read is an error, and the workload is explained all the same.
#[test]
fn a_workload_is_explained_beside_an_unreadable_file() {
    let whole = web_and_api().out(&["explain", "shop/web"]);
    let run = Folder::new(CONFIG, &[&workload("web"), &workload("api"), HOOKS, "a: [\n"]).run(&["explain", "shop/web"]);
    assert_eq!((run.code, run.text()), (Some(1), whole));
    assert!(run.stderr.contains("this `[` is not closed"), "{}", run.stderr);
}

/// The leader and the workers of one object, each with its own listener.
const LEADER_AND_WORKERS: &str = "apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: llm, namespace: shop}
spec:
  leaderWorkerTemplate:
    leaderTemplate:
      spec:
        containers: [{name: leader, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}]
    workerTemplate:
      spec:
        containers: [{name: worker, args: [--port=8080], ports: [{name: http, containerPort: 8080}]}]
";

#[test]
fn an_object_is_explained_with_all_its_templates() {
    let config = CONFIG.replace("Deployment}", "LeaderWorkerSet}");
    let folder = Folder::new(&config, &[LEADER_AND_WORKERS]);
    assert_snapshot!(folder.out(&["explain", "shop/llm"]), @"
    shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/llm/leaderTemplate
      leader/http (other, TCP): 8080 -> 22887 (pool)
        shown by: declared at spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].ports[0].containerPort
        shown by: guess --port at spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args[0]
        set by: --port at spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].args[0]
        moves: containerPort 8080 -> 22887 [port-moved]
        moves: --port 8080 -> 22887 [port-setting]
    shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/llm/workerTemplate
      worker/http (other, TCP): 8080 -> 22530 (pool)
        shown by: declared at spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].ports[0].containerPort
        shown by: guess --port at spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args[0]
        set by: --port at spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args[0]
        moves: containerPort 8080 -> 22530 [port-moved]
        moves: --port 8080 -> 22530 [port-setting]
    ");
    let key = "shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/llm";
    assert_eq!(folder.out(&["explain", key]), folder.out(&["explain", "shop/llm"]));
    let worker = folder.out(&["explain", &format!("{key}/workerTemplate")]);
    assert!(worker.contains("worker/http") && !worker.contains("leader/http"), "{worker}");
    assert_snapshot!(folder.run(&["pin"]).stderr, @r#"
        shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/llm/leaderTemplate/http: 22887
        shop/leaderworkerset.x-k8s.io/LeaderWorkerSet/llm/workerTemplate/http: 22530
        2 numbers added, 0 removed, 0 warnings
    "#);
    assert_eq!(folder.run(&["pin", "--check"]).code, Some(0));
}

#[test]
fn a_name_of_neither_a_rule_nor_a_workload() {
    let folder = web_and_api();
    let reported = |arguments: &[&str], code: i32| {
        let run = hostnet(folder.0.path(), arguments, b"");
        assert_eq!((run.code, run.text().as_str()), (Some(code), ""), "{arguments:?}");
        run.stderr
    };
    let all = [reported(&["explain", "web"], 2), reported(&["explain", "wbe", "-c", "config.yaml", "input.yaml"], 1)];
    assert_snapshot!(all.concat(), @r"
        error: unknown rule `web`: `hostnet explain` lists all. A workload is named NAME, KIND/NAME or NAMESPACE/NAME, with its config (`-c FILE`) and its manifests
        error: `wbe` is not a rule (`hostnet explain` lists them), and no target selects a workload of that name with listeners; selected are: shop/Deployment/api, shop/Deployment/web
    ");
    // The id of a rule always means the rule, whatever other arguments are given.
    assert!(folder.out(&["explain", "port-setting"]).starts_with("# port-setting\n"));
}

#[test]
fn the_rules_are_listed_with_summaries() {
    let run = hostnet(std::path::Path::new("."), &["explain"], b"");
    let text = run.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), hostnet::rule::ALL.len());
    assert_eq!(lines[0], "admission-policy    a policy of the input refuses pods on the host network");
    for (line, rule) in lines.iter().zip(hostnet::rule::ALL) {
        assert_eq!(line.split_once(' ').map(|(id, about)| (id, about.trim_start())), Some((rule.id, rule.summary)));
    }
}

/// The message names the called command, which accepts `--sources`. Commands that change nothing read the files.
#[test]
fn a_kustomization_names_the_command_that_was_called() {
    let folder = web_and_api();
    std::fs::create_dir(folder.0.path().join("app")).unwrap();
    folder.write("app/kustomization.yaml", "resources: [web.yaml]\n");
    folder.write("app/web.yaml", &workload("web"));
    let call = |command: &[&str], more: &[&str]| hostnet(folder.0.path(), &[command, more, &["app"]].concat(), b"");
    let mut log = String::new();
    for command in [
        &["pin", "-c", "config.yaml", "--check"][..],
        &["patch", "-c", "config.yaml", "--as", "flux"],
        &["apply", "-c", "config.yaml"],
    ] {
        log.push_str(&call(command, &[]).stderr);
        assert!(!call(command, &["--sources"]).stderr.contains("error"), "{command:?}");
    }
    assert_snapshot!(log, @"
    error: some files are only inputs of a build, whose output reaches the cluster
      app is a kustomization: kustomize build app | hostnet pin -c config.yaml
    or give the folder and --sources to read the resources that its kustomizations list
    or read the build of such a folder: hostnet pin -c config.yaml --build app
    error: some files are only inputs of a build, whose output reaches the cluster
      app is a kustomization: kustomize build app | hostnet patch -c config.yaml --as FORM
    or give the folder and --sources to read the resources that its kustomizations list
    error: some files are only inputs of a build, whose output reaches the cluster
      app is a kustomization: kustomize build app | hostnet apply -c config.yaml
    or give the folder and --sources to read the resources that its kustomizations list
    ");
    for command in [
        &["ports"][..],
        &["ports", "-c", "config.yaml"],
        &["ports", "-c", "config.yaml", "-o", "ranges"],
        &["explain", "shop/web", "-c", "config.yaml"],
        &["check"],
        &["mirror", "list"],
        &["proxy", "check"],
    ] {
        let run = call(command, &[]);
        assert_eq!((run.code, run.stderr.contains("error")), (Some(0), false), "{command:?}: {}", run.stderr);
    }
}

/// Numbers are chosen from files only if the build has the same keys and images.
#[test]
fn numbers_are_not_chosen_from_files_whose_build_differs() {
    let folder = web_and_api();
    std::fs::create_dir(folder.0.path().join("app")).unwrap();
    let web = workload("web").replace("- name: app\n", "- name: app\n        image: controller:latest\n");
    folder.write("app/web.yaml", &web);
    for (fields, differs) in [
        ("namespace: shop", false),
        ("namespace: other", true),
        ("namespace: shop\nnamePrefix: my-", true),
        ("images: [{name: r.example/controller, newTag: v2}]", false),
        ("images: [{name: controller, newName: r.example/web, newTag: v2}]", true),
        ("images: [{name: other, newTag: v2}, {name: controller, newTag: v2}]", true),
    ] {
        folder.write("app/kustomization.yaml", &format!("resources: [web.yaml]\n{fields}\n"));
        for command in ["ports --sources -o ranges", "pin --sources --check"] {
            let arguments: Vec<&str> = command.split(' ').chain(["-c", "config.yaml", "app"]).collect();
            let run = hostnet(folder.0.path(), &arguments, b"");
            assert_eq!(
                run.stderr.contains("numbers are chosen from the build"),
                differs,
                "{command} {fields}: {}",
                run.stderr
            );
        }
    }
}

/// A config that an overlay runs has the keys of the overlay's build.
#[test]
fn numbers_are_not_chosen_from_the_base_of_an_overlay() {
    let folder = Folder::new(CONFIG, &[]);
    for name in ["base", "prod"] {
        std::fs::create_dir(folder.0.path().join(name)).unwrap();
    }
    folder.write("base/web.yaml", &workload("web"));
    folder.write("base/kustomization.yaml", "resources: [web.yaml]\n");
    folder.write("prod/hostnet.yaml", CONFIG);
    for (fields, is_refused) in [
        ("namePrefix: my-\ntransformers: [hostnet.yaml]", true),
        ("namespace: other\ntransformers: [hostnet.yaml]", true),
        ("namespace: shop\ntransformers: [hostnet.yaml]", false),
        ("transformers: [hostnet.yaml]", false),
        ("namePrefix: my-", false),
    ] {
        folder.write("prod/kustomization.yaml", &format!("resources: [../base]\n{fields}\n"));
        for command in
            ["ports --sources -o ranges -c prod/hostnet.yaml base", "pin --check -c prod/hostnet.yaml base/web.yaml"]
        {
            let run = hostnet(folder.0.path(), &command.split(' ').collect::<Vec<_>>(), b"");
            let command_of_build = "-c prod/hostnet.yaml";
            let is_named = run.stderr.contains("--build prod`") && run.stderr.contains(command_of_build);
            assert_eq!(is_named, is_refused, "{command} {fields}: {}", run.stderr);
        }
        for command in ["ports -c prod/hostnet.yaml base/web.yaml", "ports --all -c prod/hostnet.yaml base/web.yaml"] {
            let run = hostnet(folder.0.path(), &command.split(' ').collect::<Vec<_>>(), b"");
            let note = "which the input does not show; `hostnet ports";
            assert_eq!(run.stderr.contains(note), is_refused, "{command} {fields}: {}", run.stderr);
        }
    }
    // A render of the build is not one of its files.
    folder.write("prod/kustomization.yaml", "resources: [../base]\nnamePrefix: my-\ntransformers: [hostnet.yaml]\n");
    folder.write("rendered.yaml", &workload("my-web"));
    let run = hostnet(folder.0.path(), &["pin", "--check", "-c", "prod/hostnet.yaml", "rendered.yaml"], b"");
    assert!(!run.stderr.contains("error"), "{}", run.stderr);
    let run = hostnet(folder.0.path(), &["ports", "-c", "prod/hostnet.yaml", "base/web.yaml"], b"");
    insta::assert_snapshot!(run.stderr, @"
    info: prod: the kustomization sets namePrefix, which the input does not show; `hostnet ports -c prod/hostnet.yaml --build prod` reads the build
    1 workload, 2 listeners, 0 called by the API server, 0 warnings (-v shows all)
    ");
}

/// Folder with the config, and with a workload below `app` in this kustomization.
fn folder_with_app(kustomization: &str) -> Folder {
    let folder = Folder::new(CONFIG, &[]);
    std::fs::create_dir(folder.0.path().join("app")).unwrap();
    folder.write("app/web.yaml", &workload("web"));
    folder.write("app/kustomization.yaml", kustomization);
    folder
}

/// Objects of Flux and Argo CD that give other names to the files of their folders.
#[test]
fn builds_of_flux_and_argo_cd_with_other_names_are_reported() {
    let folder = folder_with_app("resources: [web.yaml]\n");
    let flux = |fields: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: web, namespace: flux-system}}\n\
             spec: {{interval: 10m, prune: true, sourceRef: {{kind: GitRepository, name: r}}, {fields}}}\n"
        )
    };
    let argo = |fields: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web, namespace: argocd}}\nspec:\n  \
             destination: {{server: https://kubernetes.default.svc, namespace: shop}}\n  \
             source: {{repoURL: https://example.com/r.git, path: app, targetRevision: main, kustomize: {{{fields}}}}}\n"
        )
    };
    for (object, is_reported) in [
        (flux("path: ./app, targetNamespace: other"), true),
        (flux("path: ./app, namePrefix: my-"), true),
        (flux("path: ./app, targetNamespace: shop"), false),
        (flux("path: ./app"), false),
        (flux("path: ./api, targetNamespace: other"), false),
        (argo("namePrefix: my-"), true),
        (argo("namespace: other"), true),
        (argo("namespace: shop"), false),
        (argo("commonLabels: {a: b}"), false),
    ] {
        folder.write("object.yaml", &object);
        for command in ["pin --check", "ports", "ports -o ranges"] {
            let arguments: Vec<&str> =
                command.split(' ').chain(["-c", "config.yaml", "object.yaml", "app/web.yaml"]).collect();
            let run = hostnet(folder.0.path(), &arguments, b"");
            let is_named = run.stderr.contains("so its build has other keys and numbers");
            assert_eq!(is_named, is_reported, "{command} {object}: {}", run.stderr);
        }
    }
    folder.write("object.yaml", &flux("path: ./app, targetNamespace: other, nameSuffix: -x"));
    let run = hostnet(folder.0.path(), &["pin", "--check", "-c", "config.yaml", "object.yaml", "app/web.yaml"], b"");
    insta::assert_snapshot!(run.stderr.lines().next().unwrap(), @"warning: object.yaml: Kustomization flux-system/web sets targetNamespace, nameSuffix for files of the input, so its build has other keys and numbers than the files: `hostnet charts object.yaml | sh` renders the build");
}

/// The input has a webhook, whose address may be that of a workload.
#[test]
fn webhooks_by_address_are_named() {
    let hook = |client: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: gate}}\n\
             webhooks: [{{name: a.example.com, clientConfig: {{{client}}}}}]\n"
        )
    };
    for url in ["https://203.0.113.7/validate", "https://hooks.example.com/v", "https://localhost:30443"] {
        let folder = Folder::new(CONFIG, &[&hook(&format!("url: '{url}'")), &workload("web")]);
        let run = hostnet(folder.0.path(), &["ports", "input.yaml"], b"");
        let wanted = format!(
            "URLs that name no Service, so these calls are not followed: {url} (ValidatingWebhookConfiguration gate)."
        );
        assert!(run.text().contains(&wanted) && !run.text().contains("calls nothing here"), "{}", run.text());
        folder.write("config.yaml", &CONFIG.replace("kind: Deployment}", "calledByApiServer: true}"));
        let apply = hostnet(folder.0.path(), &["apply", "-v", "-c", "config.yaml", "input.yaml"], b"");
        assert_eq!(
            apply.stderr.matches(&format!("makes the API server call {url}, which")).count(),
            1,
            "{}",
            apply.stderr
        );
    }
    let folder = Folder::new(CONFIG, &[&hook("url: 'https://web.shop.svc:443/v'"), &workload("web")]);
    let run = hostnet(folder.0.path(), &["ports", "input.yaml"], b"");
    assert!(!run.text().contains("are not followed"), "{}", run.text());
}

/// Names and ports by which a URL reaches a Service of the input, and names that may belong to another cluster.
#[test]
fn urls_reach_services_by_published_names_pods_and_node_ports() {
    let hook = |url: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: gate}}\n\
             webhooks: [{{name: a.example.com, clientConfig: {{url: '{url}'}}}}]\n"
        )
    };
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: gate\n  namespace: shop\n  \
                   annotations: {external-dns.alpha.kubernetes.io/hostname: 'a.example.com, hooks.example.com.'}\n\
                   spec: {type: NodePort, selector: {app: web}, ports: [{port: 443, nodePort: 30443}]}\n";
    for (url, is_reached) in [
        ("https://hooks.example.com/v", true),
        ("https://HOOKS.example.com:8443/v", true),
        ("https://other.example.com/v", false),
        ("https://web-0.gate.shop.svc.cluster.local:443/v", true),
        ("https://web-0.gate.other.svc:443/v", false),
        ("https://node-1.example.com:30443/v", true),
        ("https://node-1.example.com:30444/v", false),
    ] {
        let folder = Folder::new(
            &CONFIG.replace("kind: Deployment}", "calledByApiServer: true}"),
            &[&hook(url), service, &workload("web")],
        );
        let run = hostnet(folder.0.path(), &["apply", "-v", "-c", "config.yaml", "input.yaml"], b"");
        assert_eq!(run.stderr.contains("Service shop/gate has that address"), is_reached, "{url}: {}", run.stderr);
    }
}

/// The command in an advice has the options of the run.
#[test]
fn advice_keeps_the_choice_of_called_listeners() {
    let folder = folder_with_app("resources: [web.yaml]\nnamespace: other\n");
    let advice = |options: &[&str]| {
        let arguments = [&["ports", "--sources", "-c", "config.yaml", "-o", "ranges"], options, &["app"]].concat();
        hostnet(folder.0.path(), &arguments, b"").stderr
    };
    assert!(advice(&["--called"]).contains("--called -o ranges"), "{}", advice(&["--called"]));
    assert!(!advice(&[]).contains("--called"), "{}", advice(&[]));
}

#[test]
fn the_table_shows_every_listener() {
    let folder = web_and_api();
    assert_snapshot!(folder.out(&["ports"]), @"
    Workload             Container  Port     Role                  Protocol  Old   New    From  Set by          Evidence
    shop/Deployment/api  app?       https    other                 TCP       8443  26632  pool  --listen        declared + --listen
    shop/Deployment/api  app?       metrics  metrics               TCP       9090  28316  pool  --metrics-addr  scaffold
    shop/Deployment/web  app?       https    webhook (API server)  TCP       8443  25078  pool  --listen        declared + --listen
    shop/Deployment/web  app?       metrics  metrics               TCP       9090  24562  pool  --metrics-addr  scaffold

    shop/Deployment/web: ValidatingWebhookConfiguration hooks calls it through Service shop/web

    ? the catalogue does not know the program: only listeners that the manifest shows are known
    ");
    assert_snapshot!(folder.out(&["ports", "-o", "markdown"]), @"
    | Workload | Container | Port | Role | Protocol | Old | New | From | Set by | Evidence |
    |---|---|---|---|---|---|---|---|---|---|
    | shop/Deployment/api | app? | https | other | TCP | 8443 | 26632 | pool | --listen | declared + --listen |
    | shop/Deployment/api | app? | metrics | metrics | TCP | 9090 | 28316 | pool | --metrics-addr | scaffold |
    | shop/Deployment/web | app? | https | webhook (API server) | TCP | 8443 | 25078 | pool | --listen | declared + --listen |
    | shop/Deployment/web | app? | metrics | metrics | TCP | 9090 | 24562 | pool | --metrics-addr | scaffold |

    - shop/Deployment/web: ValidatingWebhookConfiguration hooks calls it through Service shop/web

    ? the catalogue does not know the program: only listeners that the manifest shows are known
    ");
    assert_snapshot!(folder.out(&["ports", "-o", "ranges"]), @"TCP 24562,25078,26632,28316");
    assert_snapshot!(folder.out(&["ports", "-o", "json", "--called"]), @r#"
        [
          {
            "key": "shop/Deployment/web/https",
            "workload": "shop/Deployment/web",
            "container": "app",
            "port": "https",
            "role": "webhook",
            "protocol": "TCP",
            "old": 8443,
            "new": 25078,
            "from": "pool",
            "setBy": "--listen",
            "evidence": "declared + --listen",
            "inCatalogue": false,
            "apiServer": true,
            "callers": [
              "ValidatingWebhookConfiguration hooks calls it through Service shop/web"
            ],
            "byNumber": []
          }
        ]
    "#);
}

#[test]
fn only_ports_that_the_api_server_dials_are_called() {
    let folder = web_and_api();
    assert_snapshot!(folder.out(&["ports", "--called"]), @"
    Workload             Container  Port   Role                  Protocol  Old   New    From  Set by    Evidence
    shop/Deployment/web  app?       https  webhook (API server)  TCP       8443  25078  pool  --listen  declared + --listen

    shop/Deployment/web: ValidatingWebhookConfiguration hooks calls it through Service shop/web

    ? the catalogue does not know the program: only listeners that the manifest shows are known
    ");
    assert_snapshot!(folder.out(&["ports", "--called", "-o", "ranges"]), @"TCP 25078");
    // The API server calls no port: the table has no rows, because empty output would look like a failure.
    let folder = Folder::new(CONFIG, &[&workload("api").replace("8443", "8000").replace("https", "http")]);
    assert_snapshot!(folder.out(&["ports", "--called"]), @"
    Workload  Container  Port  Role  Protocol  Old  New  From  Set by  Evidence
    ");
    assert_snapshot!(folder.out(&["ports", "--called", "-o", "ranges"]), @"");
    assert_snapshot!(folder.out(&["ports", "--called", "-o", "json"]), @"[]");
}

#[test]
fn every_origin_and_every_kind_of_setting_has_a_name() {
    let config = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
spec:
  targets:
  - {select: {name: web}, ports: {https: 20443}}
  - {select: {name: api}, ports: auto}
  assigned: {shop/Deployment/api/https: 20444}
";
    let api = workload("api")
        .replace("containerPort: 8443}", "containerPort: 8443}, {name: dns, containerPort: 5353, protocol: UDP}");
    let folder = Folder::new(config, &[&workload("web"), &api]);
    assert_snapshot!(folder.out(&["ports"]), @"
    Workload             Container  Port     Role     Protocol  Old   New    From      Set by          Evidence
    shop/Deployment/api  app?       dns      other    UDP       5353  5353   kept      unknown         declared
    shop/Deployment/api  app?       https    other    TCP       8443  20444  assigned  --listen        declared + --listen
    shop/Deployment/api  app?       metrics  metrics  TCP       9090  28316  pool      --metrics-addr  scaffold
    shop/Deployment/web  app?       https    other    TCP       8443  20443  config    --listen        declared + --listen
    shop/Deployment/web  app?       metrics  metrics  TCP       9090  9090   kept      --metrics-addr  scaffold

    ? the catalogue does not know the program: only listeners that the manifest shows are known
    ");
    assert_snapshot!(folder.out(&["ports", "-o", "ranges"]), @"
    TCP 9090,20443-20444,28316
    UDP 5353
    ");
}

#[test]
fn ports_changes_nothing_and_fails_like_apply() {
    let folder = web_and_api();
    let before = folder.config();
    folder.out(&["ports"]);
    assert_eq!(folder.config(), before);
    let folder = Folder::new(
        &CONFIG.replace("ports: auto", "ports: keep").replace("spec:\n", "spec:\n  nodes: 1\n"),
        &[&workload("web"), &workload("api")],
    );
    let run = folder.run(&["ports"]);
    assert!(run.code == Some(1) && run.text().starts_with("Workload "), "{}{}", run.text(), run.stderr);
    assert!(run.stderr.contains("[port-conflict]"), "{}", run.stderr);
}

/// The numbers of `ports` are the numbers that `apply` writes.
#[test]
fn ports_shows_the_numbers_that_apply_writes() {
    let folder = web_and_api();
    let rows: serde_json::Value = serde_json::from_str(&folder.out(&["ports", "-o", "json"])).unwrap();
    let applied = folder.out(&["apply"]);
    assert_eq!(rows.as_array().unwrap().len(), 4);
    for row in rows.as_array().unwrap() {
        let new = row["new"].as_u64().unwrap();
        assert!(applied.contains(&format!("hostPort: {new}")), "{row}");
    }
}

#[test]
fn pin_writes_a_list_and_keeps_other_text() {
    let folder = web_and_api();
    assert_snapshot!(folder.pin(&[]), @"
    exit 0
    shop/Deployment/api/https: 26632
    shop/Deployment/api/metrics: 28316
    shop/Deployment/web/https: 25078
    shop/Deployment/web/metrics: 24562
    4 numbers added, 0 removed, 0 warnings (-v shows all)
    === config
    CONFIG
      assigned:
        shop/Deployment/api/https: 26632
        shop/Deployment/api/metrics: 28316
        shop/Deployment/web/https: 25078
        shop/Deployment/web/metrics: 24562
    ");
    // A second run has nothing to add.
    let before = folder.config();
    assert_eq!(
        folder.pin(&[]),
        format!("exit 0\n0 numbers added, 0 removed, 0 warnings (-v shows all)\n=== config\n{before}")
    );
    assert_eq!(
        folder.pin(&["--check"]),
        format!("exit 0\n0 numbers added, 0 removed, 0 warnings (-v shows all)\n=== config\n{before}")
    );
}

#[test]
fn pin_then_apply_gives_the_same_numbers() {
    let folder = web_and_api();
    let before = folder.out(&["apply"]);
    folder.pin(&[]);
    assert_eq!(folder.out(&["apply"]), before);
    let table = folder.out(&["ports"]);
    assert!(table.contains("assigned") && !table.contains("pool"), "{table}");
}

#[test]
fn pin_sorts_into_a_list_and_keeps_its_comments() {
    let config = format!(
        "{CONFIG}  portPool: 21000-21999
  # Firewalls know these.
  assigned:
    shop/Deployment/api/https: 21001   # first
    # the one after
    shop/Deployment/zoo/https: 21002

  unmatched: Ignore
"
    );
    let folder = Folder::new(&config, &[&workload("web"), &workload("api"), &workload("zzz")]);
    assert_snapshot!(folder.pin(&[]), @"
    exit 0
    shop/Deployment/api/metrics: 21316
    shop/Deployment/web/https: 21078
    shop/Deployment/web/metrics: 21562
    shop/Deployment/zzz/https: 21526
    shop/Deployment/zzz/metrics: 21290
    5 numbers added, 0 removed, 1 key without a listener here (`--prune` removes them), 0 warnings (-v shows all)
    === config
    CONFIG
      portPool: 21000-21999
      # Firewalls know these.
      assigned:
        shop/Deployment/api/https: 21001   # first
        shop/Deployment/api/metrics: 21316
        shop/Deployment/web/https: 21078
        shop/Deployment/web/metrics: 21562
        # the one after
        shop/Deployment/zoo/https: 21002
        shop/Deployment/zzz/https: 21526
        shop/Deployment/zzz/metrics: 21290

      unmatched: Ignore
    ");
}

#[test]
fn pin_writes_into_any_form_of_the_list() {
    for (list, expected) in [
        ("  assigned:\n", "  assigned:\n    shop/Deployment/web/https: 2"),
        ("  assigned: {}\n", "  assigned:\n    shop/Deployment/web/https: 2"),
        ("  assigned: {a/Pod/b/c: 22222}\n", "  assigned: {a/Pod/b/c: 22222, shop/Deployment/web/https: 2"),
        ("  assigned: {\"z/Pod/b/c\": 22222}\n", "  assigned: {\"shop/Deployment/web/https\": 2"),
    ] {
        let folder = Folder::new(&format!("{CONFIG}{list}"), &[&workload("web")]);
        let log = folder.pin(&[]);
        assert!(log.starts_with("exit 0\n") && log.contains(expected), "{list}{log}");
        assert_eq!(folder.pin(&["--check"]).lines().next(), Some("exit 0"), "{list}");
    }
}

#[test]
fn prune_removes_numbers_without_listener() {
    let config = format!(
        "{CONFIG}  assigned:
    old/Deployment/gone/http: 21000   # it was moved away
    shop/Deployment/web/https: 21001
    shop/Deployment/web/nothing: 21002
"
    );
    let folder = Folder::new(&config, &[&workload("web")]);
    assert_snapshot!(folder.pin(&["--prune", "--check"]), @"
    exit 1
    shop/Deployment/web/metrics: 24562
    old/Deployment/gone/http: removed
    shop/Deployment/web/nothing: removed
    config.yaml: would change
    1 number added, 2 removed, 0 warnings (-v shows all)
    === config
    CONFIG
      assigned:
        old/Deployment/gone/http: 21000   # it was moved away
        shop/Deployment/web/https: 21001
        shop/Deployment/web/nothing: 21002
    ");
    assert_snapshot!(folder.pin(&["--prune"]), @"
    exit 0
    shop/Deployment/web/metrics: 24562
    old/Deployment/gone/http: removed
    shop/Deployment/web/nothing: removed
    1 number added, 2 removed, 0 warnings (-v shows all)
    === config
    CONFIG
      assigned:
        shop/Deployment/web/https: 21001
        shop/Deployment/web/metrics: 24562
    ");
    let before = folder.config();
    assert_eq!(
        folder.pin(&["--prune"]),
        format!("exit 0\n0 numbers added, 0 removed, 0 warnings (-v shows all)\n=== config\n{before}")
    );
}

/// Without entries the list is removed or stays empty, and the config is still valid.
#[test]
fn prune_of_everything_leaves_a_config() {
    let config =
        format!("{CONFIG}  assigned:\n    old/Deployment/gone/http: 21000\n").replace("ports: auto", "ports: keep");
    let folder = Folder::new(&config, &[&workload("web")]);
    assert_snapshot!(folder.pin(&["--prune"]), @r#"
        exit 0
        warning: input.yaml:11:17: Deployment shop/web, container app, port https (8443) keeps the port of ingress-nginx (webhook) on nodes that run it. If your nodes run it: write `auto` or another number for `https` in `ports` [node-port]
        old/Deployment/gone/http: removed
        0 numbers added, 1 removed, 1 warning (-v shows all)
        === config
        # The numbers of the cluster.
        apiVersion: hostnet.dev/v1alpha1
        kind: HostNetwork
        metadata: {name: all}
        spec:
          targets:
          - select: {kind: Deployment}   # all of them
            ports: keep
          assigned: {}
    "#);
    folder.out(&["apply"]);
}

#[test]
fn check_changes_nothing_and_reports_the_changes() {
    let folder = web_and_api();
    assert_snapshot!(folder.pin(&["--check"]), @"
    exit 1
    shop/Deployment/api/https: 26632
    shop/Deployment/api/metrics: 28316
    shop/Deployment/web/https: 25078
    shop/Deployment/web/metrics: 24562
    config.yaml: would change
    4 numbers added, 0 removed, 0 warnings (-v shows all)
    === config
    CONFIG
    ");
}

#[test]
fn a_config_map_cannot_contain_the_list() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {kind: Deployment, ports: auto}\n";
    let folder = Folder::new(config, &[&workload("web")]);
    assert_snapshot!(folder.pin(&[]), @"
    exit 1
    error: config.yaml: a ConfigMap has no room for `assigned`; write a HostNetwork
    === config
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: c}
    data: {kind: Deployment, ports: auto}
    ");
}

#[test]
fn an_error_keeps_the_config() {
    // `api` keeps its port, which a process of the node uses.
    let api = workload("api").replace("8443", "10250").replace("--listen=:10250, ", "");
    let folder = Folder::new(CONFIG, &[&api]);
    assert_snapshot!(folder.pin(&[]), @r#"
    exit 1
    error: input.yaml:11:17: Deployment shop/api, container app, port https (10250) keeps the port of kubelet on every node: the bind would fail; `auto` could not move it: name the setting of its number in `bind`, or put the workload under `exclude` [node-port]
    warning: input.yaml:11:17: Deployment shop/api, container app, port https (10250): keeps its number: neither the manifest nor the catalogue shows the setting of its number. If you know the flag (or variable: `env`), add to the target `bind: [{container: app, port: https, number: 10250, arg: --FLAG-10250}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes [port-setting]
    1 error, 1 warning (-v shows all)
    === config
    CONFIG
    "#);
    let folder = Folder::new(CONFIG, &["kind: [\n"]);
    assert!(folder.pin(&[]).ends_with(&format!("=== config\n{}", folder.config())));
}

/// `pin` adds the numbers that `requireAssigned` requires for `apply`.
#[test]
fn pin_adds_the_numbers_that_require_assigned_needs() {
    let folder = Folder::new(&format!("{CONFIG}  requireAssigned: true\n"), &[&workload("web")]);
    let refused = folder.run(&["apply"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("[port-assigned]"), "{}", refused.stderr);
    assert_snapshot!(folder.pin(&[]), @"
    exit 0
    shop/Deployment/web/https: 25078
    shop/Deployment/web/metrics: 24562
    2 numbers added, 0 removed, 0 warnings (-v shows all)
    === config
    CONFIG
      requireAssigned: true
      assigned:
        shop/Deployment/web/https: 25078
        shop/Deployment/web/metrics: 24562
    ");
    folder.out(&["apply"]);
}

/// Without recorded numbers a new workload can take the number of another one, if its key sorts first.
#[test]
fn after_pin_a_new_workload_changes_no_other_number() {
    let pool = format!("{CONFIG}  portPool: 20000-20005\n");
    let numbers = |folder: &Folder| -> Vec<String> {
        let table: serde_json::Value = serde_json::from_str(&folder.out(&["ports", "-o", "json"])).unwrap();
        let rows = table.as_array().unwrap().iter();
        let old = rows.filter(|row| !row["workload"].as_str().unwrap().ends_with("aaa"));
        old.map(|row| format!("{} {}", row["key"].as_str().unwrap(), row["new"])).collect()
    };
    let more = [workload("web"), workload("api"), workload("aaa")].join("---\n");
    let folder = Folder::new(&pool, &[&workload("web"), &workload("api")]);
    let before = numbers(&folder);
    folder.write("input.yaml", &more);
    assert_ne!(numbers(&folder), before, "this pool is too roomy to show anything");
    folder.write("input.yaml", &[workload("web"), workload("api")].join("---\n"));
    folder.pin(&[]);
    folder.write("input.yaml", &more);
    assert_eq!(numbers(&folder), before);
}

/// Two listeners with one number need a single entry.
#[test]
fn pin_records_a_number_of_two_protocols_once() {
    let dns =
        workload("dns").replace("args: [--listen=:8443, --metrics-addr=:9090]", "args: [--dns-port=5353]").replace(
            "{name: https, containerPort: 8443}",
            "{name: dns, containerPort: 5353, protocol: UDP}, {name: dns-tcp, containerPort: 5353}",
        );
    let folder = Folder::new(CONFIG, &[&dns]);
    assert_snapshot!(folder.pin(&[]), @"
    exit 0
    shop/Deployment/dns/dns: 29529
    1 number added, 0 removed, 0 warnings (-v shows all)
    === config
    CONFIG
      assigned:
        shop/Deployment/dns/dns: 29529
    ");
    assert_eq!(folder.pin(&["--prune", "--check"]).lines().next(), Some("exit 0"));
}

/// Manifests may come from a pipe, and the config may be in the folder of the manifests.
#[test]
fn pin_reads_pipes_and_folders() {
    let folder = web_and_api();
    let input = workload("web");
    let run = hostnet(folder.0.path(), &["pin", "-c", "config.yaml", "-"], input.as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(folder.config().contains("shop/Deployment/web/https: 2"));
    let run = hostnet(folder.0.path(), &["pin", "-c", "config.yaml", "."], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(folder.config().contains("shop/Deployment/api/https: 2"));
}

/// A Service reaches a port without a name by its number: during a rollout only old or only new pods have that number.
#[test]
fn a_service_that_uses_the_number_is_reported() {
    let nameless = workload("web").replace("{name: https, containerPort: 8443}", "{containerPort: 8443}");
    let service = "apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 443, targetPort: 8443}]}
";
    let folder = Folder::new(CONFIG, &[&nameless, service]);
    let log = folder.out(&["ports"]);
    assert_snapshot!(log.lines().last().unwrap(), @"Once these Services are applied, they no longer reach old pods: shop/Deployment/web/other (8443 -> 24625, Service shop/web). Apply the workloads first, and apply the Services when the new pods are ready, or give the ports names before the move");
    assert!(folder.out(&["ports", "-o", "json"]).contains("\"byNumber\": [\n      \"Service shop/web\"\n    ]"));
    // A Service that uses the port's name reaches old and new pods.
    let folder = Folder::new(CONFIG, &[&workload("web"), service]);
    assert!(!folder.out(&["ports"]).contains("Reached by number"));
}

/// Ports of pods in a dump are reserved, unless the pods belong to the config's own workloads.
#[test]
fn pin_reserves_the_ports_of_a_dump() {
    let dump = "apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: other, namespace: x}, spec: {hostNetwork: true, containers: [{ports: [{containerPort: 25078}, {containerPort: 25079}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop, ownerReferences: [{kind: ReplicaSet, name: web-5d4}]}, spec: {hostNetwork: true, containers: [{ports: [{containerPort: 9090}]}]}}
- {apiVersion: v1, kind: Node, metadata: {name: n}, status: {daemonEndpoints: {kubeletEndpoint: {Port: 10250}}}}
";
    let folder = Folder::new(CONFIG, &[&workload("web")]);
    folder.write("dump.yaml", dump);
    assert_snapshot!(folder.pin(&["--reserve", "dump.yaml"]), @"
    exit 0
    reserved: 10250 (Node n)
    reserved: 25078 (Pod x/other)
    reserved: 25079 (Pod x/other)
    shop/Deployment/web/https: 25080
    shop/Deployment/web/metrics: 24562
    2 numbers added, 0 removed, 0 warnings (-v shows all)
    === config
    CONFIG
      reserved:
      - 10250
      - 25078-25079
      assigned:
        shop/Deployment/web/https: 25080
        shop/Deployment/web/metrics: 24562
    ");
    // A failed command leaves an empty dump or an empty list.
    for (empty, code, message) in [
        ("", "exit 1", "dump.yaml: the dump is empty. Did the command that writes it fail?"),
        (
            "apiVersion: v1\nkind: List\nitems: []\n",
            "exit 0",
            "warning: dump.yaml: the dump has neither Pods nor Nodes",
        ),
    ] {
        folder.write("empty.yaml", empty);
        let pinned = folder.pin(&["--reserve", "empty.yaml"]).replace("empty.yaml", "dump.yaml");
        assert!(pinned.contains(code) && pinned.contains(message), "{pinned}");
    }
    // A second run adds nothing: ports of the config's own pods are not reserved.
    let adopted = dump.replace("9090", "24562");
    folder.write("dump.yaml", &adopted);
    let before = folder.config();
    assert_snapshot!(folder.pin(&["--reserve", "dump.yaml"]).lines().nth(1).unwrap(), @"0 numbers added, 0 removed, 0 warnings (-v shows all)");
    assert_eq!(folder.config(), before);
}

/// The promise to users without pinned numbers: `auto` gives a listener the same number and the same key in every
/// release. Never accept a change of this snapshot: it would move ports of running clusters.
#[test]
fn the_numbers_of_auto_never_change() {
    let all = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: all}\nspec: {targets: [{select: {name: .*}, ports: auto}]}\n";
    let text = include_str!("golden/manifests.yaml");
    let folder = Folder::new(all, &[text]);
    let rows: serde_json::Value = serde_json::from_str(&folder.out(&["ports", "-o", "json"])).unwrap();
    let lines = rows.as_array().unwrap().iter().map(|row| format!("{} {}\n", row["key"].as_str().unwrap(), row["new"]));
    let (_, golden) = include_str!("golden/auto.txt").split_once('\n').unwrap();
    assert_eq!(lines.collect::<String>(), golden, "numbers of `auto` have changed");
}

/// Operator Lifecycle Manager makes the webhooks of a bundle, and the API server calls their port.
#[test]
fn ports_of_the_webhooks_of_a_bundle_are_called() {
    let bundle = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: web, namespace: shop}\nspec:\n  install:\n    \
         spec: {deployments: [{name: web, spec: {template: {spec: {containers: [{name: web, args: [--webhook-port=9443, --metrics-port=8080], \
         ports: [{containerPort: 9443}, {containerPort: 8080}]}]}}}}]}\n  \
         webhookdefinitions: [{generateName: a.example.com, deploymentName: web, containerPort: 443, targetPort: 9443}]\n";
    let templates = "  templates: [{group: operators.coreos.com, kind: ClusterServiceVersion, path: 'spec.install.spec.deployments[].spec.template'}]\n";
    let config = CONFIG.replace("kind: Deployment}", "calledByApiServer: true}").replace("ports: auto", "ports: keep")
        + templates;
    let folder = Folder::new(&config, &[bundle]);
    assert_snapshot!(folder.out(&["ports", "--called", "-o", "ranges"]), @"TCP 9443");
    // Without `templates` the pods of the bundle are not read.
    let run = hostnet(folder.0.path(), &["ports", "input.yaml"], b"");
    assert!(!run.text().contains("calls nothing here"), "{}", run.text());
    assert!(
        run.text().contains("The API server makes calls that are not followed: the webhooks and APIs"),
        "{}",
        run.text()
    );
    let none = Folder::new(CONFIG, &[&bundle.replace("webhookdefinitions", "otherdefinitions")]);
    let run = hostnet(none.0.path(), &["ports", "input.yaml"], b"");
    assert!(run.text().contains("calls nothing here"), "{}", run.text());
}

/// A Service that is a name for another one, addresses written by hand, and files of the API server.
#[test]
fn calls_by_other_ways_than_a_selector_are_followed_or_named() {
    let hook = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hooks}\n\
                webhooks: [{name: a.example.com, clientConfig: {service: {namespace: hooks, name: alias}}}]\n";
    let service = |name: &str, spec: &str| {
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n")
            .replace("name: alias", "name: alias, namespace: hooks")
    };
    let web = service("web, namespace: shop", "selector: {app: web}, ports: [{port: 443, targetPort: https}]");
    let text = |manifests: &[&str]| {
        let run = hostnet(Folder::new(CONFIG, manifests).0.path(), &["ports", "input.yaml"], b"");
        format!("{}{}", run.text(), run.stderr)
    };
    let alias = service("alias", "type: ExternalName, externalName: web.shop.svc.cluster.local, ports: [{port: 443}]");
    let followed = text(&[hook, &alias, &web, &workload("web")]);
    assert!(followed.contains("hooks (through Service hooks/alias) calls it through Service shop/web"), "{followed}");
    assert!(!followed.contains("pods are not known"), "{followed}");
    for spec in ["ports: [{port: 443, targetPort: 8443}]", "type: ExternalName, externalName: hooks.example.com"] {
        let unknown = text(&[hook, &service("alias", spec), &web, &workload("web").replace("https", "http")]);
        assert!(unknown.contains("pods are not known") && !unknown.contains("calls nothing here"), "{unknown}");
    }
    let authorizer = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n\
                      authorizers: [{type: Webhook, name: a, webhook: {connectionInfo: {type: KubeConfigFile, kubeConfigFile: /etc/authz}}}]\n";
    let named = text(&[authorizer, &workload("web").replace("https", "http").replace("8443", "8000")]);
    assert!(
        named.contains("AuthorizationConfiguration makes the API server call the server of kubeconfig /etc/authz")
            && !named.contains("calls nothing here"),
        "{named}"
    );
}

/// Files of the API server, flags and kubeconfigs name servers that it calls.
#[test]
fn servers_of_files_are_named_as_not_followed() {
    let text = |manifest: &str| {
        let web = workload("web").replace("https", "http").replace("8443", "8000");
        let run = hostnet(Folder::new(CONFIG, &[manifest, &web]).0.path(), &["ports", "input.yaml"], b"");
        format!("{}{}", run.text(), run.stderr)
    };
    let object = |api: &str, kind: &str, content: &str| format!("apiVersion: {api}\nkind: {kind}\n{content}\n");
    let file = |kind: &str, content: &str| object("apiserver.config.k8s.io/v1", kind, content);
    let kubeadm = |flags: &str| {
        let content = format!("apiServer: {{extraArgs: {flags}}}");
        object("kubeadm.k8s.io/v1beta4", "ClusterConfiguration", &content)
    };
    let api_server = |flag: &str| {
        let content = format!(
            "metadata: {{name: kube-apiserver, namespace: kube-system}}\nspec: {{hostNetwork: true, containers: [{{name: a, image: a, command: [kube-apiserver, '{flag}']}}]}}"
        );
        object("v1", "Pod", &content)
    };
    let issuer = |fields: &str| file("AuthenticationConfiguration", &format!("jwt: [{{issuer: {{{fields}}}}}]"));
    let plugin =
        |fields: &str| file("AdmissionConfiguration", &format!("plugins: [{{name: a, configuration: {{{fields}}}}}]"));
    let kubeconfig =
        |server: &str| object("v1", "Config", &format!("clusters: [{{name: a, cluster: {{server: '{server}'}}}}]"));
    for (manifest, server) in [
        (plugin("imagePolicy: {kubeConfigFile: /etc/images}"), "the server of kubeconfig /etc/images"),
        (issuer("url: 'https://idp.shop.svc:8443/a'"), "the issuer idp.shop.svc:8443"),
        (issuer("url: 'https://idp.example.com', discoveryURL: 'https://idp.shop.svc/a'"), "the issuer idp.shop.svc"),
        (
            kubeadm("[{name: authorization-webhook-config-file, value: /etc/authz}]"),
            "the server of kubeconfig /etc/authz",
        ),
        (kubeadm("{audit-webhook-config-file: /etc/audit}"), "the server of kubeconfig /etc/audit"),
        (api_server("--authentication-token-webhook-config-file=/etc/authn"), "the server of kubeconfig /etc/authn"),
        (kubeconfig("https://authz.shop.svc:8443/authorize"), "the server authz.shop.svc:8443 of a kubeconfig"),
    ] {
        let named = text(&manifest);
        assert!(named.contains(&format!("are not followed: {server}")), "{manifest}: {named}");
    }
    for manifest in [
        plugin("kubeConfigFile: /etc/credentials"),
        issuer("url: 'https://idp.example.com'"),
        issuer("url: 'https://idp.shop.svc', discoveryURL: 'https://idp.example.com/a'"),
        kubeadm("{audit-log-path: /var/log/audit}"),
        api_server("--audit-log-path=/var/log/audit"),
        kubeconfig("https://cluster.example.com/authorize"),
        kubeconfig("https://kubernetes.default.svc"),
    ] {
        let silent = text(&manifest);
        assert!(!silent.contains("not followed"), "{manifest}: {silent}");
    }
}

/// Output for called ports includes a warning about workloads that may register webhooks, even without `-v`.
#[test]
fn workloads_that_may_register_webhooks_are_a_warning_of_ports_and_init() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: [{apiGroups: [admissionregistration.k8s.io], \
                resources: [validatingwebhookconfigurations], verbs: [create]}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\n\
                metadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\n\
                subjects: [{kind: ServiceAccount, name: default, namespace: shop}]\n";
    let folder = Folder::new(CONFIG, &[role, &workload("web")]);
    for (command, code) in [("ports", Some(0)), ("init --to -", Some(1))] {
        let arguments: Vec<&str> = command.split(' ').chain(["input.yaml"]).collect();
        let run = hostnet(folder.0.path(), &arguments, b"");
        assert_eq!(run.code, code, "{}", run.stderr);
        let is_it = |line: &str| line.starts_with("warning: ") && line.contains("shop/web may register webhooks");
        assert!(run.stderr.lines().any(is_it), "{command}: {}", run.stderr);
    }
    let apply = folder.run(&["apply", "--diff"]);
    assert!(!apply.stderr.contains("may register"), "{}", apply.stderr);
}

/// An error about one workload leaves the answers about the others.
#[test]
fn ports_without_a_config_are_shown_despite_an_error() {
    let folder = Folder::new(CONFIG, &[&workload("web"), &workload("web"), &workload("api"), HOOKS]);
    let run = hostnet(folder.0.path(), &["ports", "input.yaml"], b"");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().contains("shop/Deployment/web") && !run.text().contains("hostnet init"), "{}", run.text());
    let numbers = hostnet(folder.0.path(), &["ports", "-o", "ranges", "input.yaml"], b"");
    assert_eq!((numbers.code, numbers.text().as_str()), (Some(1), ""));
}

/// The role of a port is no call: no command says so, and each names the workload.
#[test]
fn a_server_without_a_call_is_named_by_every_command() {
    let config = CONFIG.replace("kind: Deployment}   # all of them", "calledByApiServer: true}");
    let program = workload("web").replace("args: [", "image: kubeflow/training-operator:v1.9.3\n        args: [");
    let program = program.replace("name: https, containerPort: 8443", "name: webhook-server, containerPort: 9443");
    let folder = Folder::new(&config, &[&program]);
    let hint = "no webhook, conversion or APIService of the input leads to the workload";
    let ports = hostnet(folder.0.path(), &["ports", "input.yaml"], b"");
    assert!(!ports.stderr.contains("1 called by the API server"), "{}", ports.stderr);
    assert!(
        ports.text().starts_with("No webhook, conversion or APIService of the input leads to a workload."),
        "{}",
        ports.text()
    );
    let init = hostnet(folder.0.path(), &["init", "--to", "-", "input.yaml"], b"");
    // The config of `init` names the workload, so the hint about a target is not needed.
    assert!(init.code == Some(0) && !init.stderr.contains(hint), "{}", init.stderr);
    assert!(init.text().contains("select: {kind: Deployment, namespace: shop, name: web}"), "{}", init.text());
    let apply = folder.run(&["apply", "--diff"]);
    assert!(apply.stderr.contains(hint), "{}", apply.stderr);
    // Other ports, and servers next to a called workload.
    let other = Folder::new(&config, &[&workload("web").replace("name: https", "name: http")]);
    assert!(!other.run(&["apply", "--diff"]).stderr.contains(hint));
    let called = Folder::new(&config, &[&workload("web"), &program.replace("web", "other"), HOOKS]);
    let run = called.run(&["apply", "--diff"]);
    assert!(!run.stderr.contains(hint), "{}", run.stderr);
}
