//! Suggested next commands work, and each exit code has one meaning.

use super::{BLOCKED, called_web, config, deployment};
use crate::support::run::{Run, hostnet};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("web.yaml"), called_web()).unwrap();
    std::fs::write(folder.path().join("api.yaml"), deployment("api")).unwrap();
    folder
}

fn run(folder: &tempfile::TempDir, arguments: &str) -> Run {
    hostnet(folder.path(), &arguments.split(' ').collect::<Vec<_>>(), b"")
}

#[test]
fn wrong_usage_is_2_and_unreadable_input_is_1() {
    let folder = folder();
    std::fs::write(folder.path().join("config.yaml"), config("  targets: [{select: {name: web}}]\n")).unwrap();
    for usage in [
        "apply -c config.yaml --in-place -",
        "check - web.yaml",
        "ports -o json -o markdown web.yaml",
        "explain wbe",
        "explain shop/web",
        "catalog kyverna",
        "pin -c config.yaml --reserve - -",
        "proxy explain a --no-proxy b --crossplane newest",
    ] {
        let run = run(&folder, usage);
        assert_eq!((run.code, run.text().as_str()), (Some(2), ""), "{usage}: {}", run.stderr);
    }
    for refused in ["apply -c config.yaml missing.yaml", "apply -c missing.yaml web.yaml", "check missing.yaml"] {
        assert_eq!(run(&folder, refused).code, Some(1), "{refused}");
    }
}

const MIRROR: &str = "apiVersion: hostnet.dev/v1alpha1
kind: PackageMirror
metadata: {name: m}
spec: {rules: [{from: xpkg.crossplane.io, to: r.example/x}]}
";

#[test]
fn strict_works_in_every_command() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("in.yaml", BLOCKED);
    write("mirror.yaml", MIRROR);
    write("host.yaml", &deployment("web").replace("    spec:\n", "    spec:\n      hostNetwork: true\n"));
    write("clean.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    for command in ["proxy check", "mirror list", "mirror script -c mirror.yaml --tool crane"] {
        let with = |rest: &str| run(&folder, &format!("{command} {rest}"));
        assert_eq!(with("in.yaml").code, Some(0), "{command}");
        let strict = with("--strict in.yaml");
        assert_eq!(strict.code, Some(1), "{command}");
        assert!(strict.stderr.contains("`--strict` makes warnings fail"), "{command}: {}", strict.stderr);
        assert_eq!(with("--strict clean.yaml").code, Some(0), "{command}: nothing is wrong");
    }
    assert_eq!(run(&folder, "check host.yaml").code, Some(0));
    assert_eq!(run(&folder, "check --strict host.yaml").code, Some(1));
    assert_eq!(run(&folder, "check --strict clean.yaml").code, Some(0));
}

#[test]
fn a_workload_is_found_by_common_forms_of_its_name() {
    let folder = folder();
    std::fs::write(
        folder.path().join("config.yaml"),
        config("  targets: [{select: {kind: Deployment}, ports: auto}]\n"),
    )
    .unwrap();
    let explained = |name: &str, files: &str| run(&folder, &format!("explain {name} -c config.yaml {files}"));
    for name in ["web", "Deployment/web", "deployment/web", "shop/web", "shop/Deployment/web"] {
        let run = explained(name, "web.yaml api.yaml");
        assert!(run.code == Some(0) && run.text().starts_with("shop/Deployment/web\n"), "{name}: {}", run.stderr);
    }
    std::fs::write(folder.path().join("other.yaml"), deployment("web").replace("shop", "prod")).unwrap();
    let two = explained("web", "web.yaml other.yaml");
    assert_eq!(two.code, Some(2));
    assert!(two.stderr.contains("`prod/Deployment/web`, `shop/Deployment/web`"), "{}", two.stderr);
    assert_eq!(explained("we", "web.yaml").code, Some(1));
}

#[test]
fn the_error_for_a_glob_suggests_a_pattern() {
    let folder = folder();
    let reported = |select: &str| {
        std::fs::write(
            folder.path().join("config.yaml"),
            config(&format!("  targets: [{{select: {{{select}}}, ports: auto}}]\n")),
        )
        .unwrap();
        run(&folder, "apply -c config.yaml --diff web.yaml api.yaml").stderr
    };
    for (select, pattern) in [
        ("name: 'we*'", "`we.*`"),
        ("name: 'w?b'", "`w.b`"),
        ("name: 'no|a*i'", "`no|a.*i`"),
        ("namespace: 'sho*p'", ""),
        ("kind: 'Deploy*'", "`Deploy.*`"),
        ("name: web, namespace: 's*'", "`s.*`"),
    ] {
        let log = reported(select);
        assert!(pattern.is_empty() || log.contains(&format!("did you mean {pattern}?")), "{select}: {log}");
    }
    for select in ["name: 'x*'", "name: 'we.*x'", "name: 'w[a-d]*x'", "name: '(we)*x'"] {
        assert!(!reported(select).contains("Patterns are regular"), "{select}: {}", reported(select));
    }
}

/// Two workloads with the same port on the only node are an error, but the table is still printed.
#[test]
fn the_table_is_shown_although_ports_conflict() {
    let folder = folder();
    let spec = "  targets: [{select: {kind: Deployment}, ports: keep}]\n  nodes: 1\n";
    std::fs::write(folder.path().join("config.yaml"), config(spec)).unwrap();
    let table = run(&folder, "ports -c config.yaml web.yaml api.yaml");
    assert_eq!(table.code, Some(1), "{}", table.stderr);
    assert!(
        table.stderr.contains("error: ") && table.text().contains("shop/Deployment/api"),
        "{}{}",
        table.stderr,
        table.text()
    );
    let ranges = run(&folder, "ports -c config.yaml -o ranges web.yaml api.yaml");
    assert_eq!((ranges.code, ranges.text().as_str()), (Some(1), ""), "a firewall gets no numbers of a failed run");
}

#[test]
fn workloads_outside_the_config_are_reported() {
    let folder = folder();
    let shown = |name: &str| {
        std::fs::write(
            folder.path().join("config.yaml"),
            config(&format!("  targets: [{{select: {{name: {name}}}, ports: auto}}]\n")),
        )
        .unwrap();
        run(&folder, "ports -c config.yaml web.yaml api.yaml").text()
    };
    assert!(shown("api").contains("\nCalled by the API server, and selected by no target: shop/Deployment/web\n"));
    assert!(!shown("web").contains("selected by no target"));
}

#[test]
fn the_output_of_init_works() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("a b/web.yaml", &called_web());
    write("a b/kustomization.yaml", "resources: [web.yaml]\n");
    let init = hostnet(folder.path(), &["init", "--to", "conf/host.yaml", "a b"], b"");
    assert!(init.code == Some(1), "the folder of --to does not exist: {}", init.stderr);
    std::fs::create_dir(folder.path().join("conf")).unwrap();
    let init = hostnet(folder.path(), &["init", "--to", "conf/host.yaml", "a b"], b"");
    let next = "`hostnet apply -c conf/host.yaml --diff --sources 'a b'`";
    assert!(init.code == Some(0) && init.stderr.contains(next), "{}", init.stderr);
    let diff = hostnet(folder.path(), &["apply", "-c", "conf/host.yaml", "--diff", "--sources", "a b"], b"");
    assert!(diff.code == Some(0) && diff.text().contains("hostNetwork: true"), "{}", diff.stderr);
}

/// Numbers and keys belong to the output of a build: a kustomization may rename the objects of its files.
#[test]
fn numbers_belong_to_the_build() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("app")).unwrap();
    write("app/web.yaml", &called_web());
    write("app/hostnet.yaml", &config("  targets: [{select: {kind: Deployment}, ports: auto}]\n"));
    std::fs::create_dir(folder.path().join("part")).unwrap();
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: other\n";
    write("part/kustomization.yaml", component);
    for field in [
        "namePrefix: a-",
        "nameSuffix: -a",
        "namespace: other",
        "patches: [{path: p.yaml}]",
        "replacements: [{path: p.yaml}]",
        "components: [../part]",
        "transformers: [t.yaml]",
    ] {
        write("app/kustomization.yaml", &format!("resources: [web.yaml]\n{field}\n"));
        write("app/p.yaml", "[]\n");
        write("app/t.yaml", "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: p}\nprefix: a-\n");
        let field = if field.contains("part") { "namespace" } else { field.split_once(':').unwrap().0 };
        for command in ["pin", "ports -o ranges"] {
            let refused = run(&folder, &format!("{command} --sources -c app/hostnet.yaml app"));
            assert_eq!((refused.code, refused.text().as_str()), (Some(1), ""), "{command}: {}", refused.stderr);
            let next = match command {
                "pin" => "`hostnet pin -c app/hostnet.yaml --build app`",
                _ => "`hostnet ports -c app/hostnet.yaml -o ranges --build app`",
            };
            assert!(refused.stderr.contains(next) && refused.stderr.contains(field), "{}", refused.stderr);
        }
        let table = run(&folder, "ports --sources -c app/hostnet.yaml app");
        assert_eq!(
            (table.code, table.stderr.matches("`hostnet ports -c app/hostnet.yaml --build app`").count()),
            (Some(0), 1),
            "{}",
            table.stderr
        );
        assert!(!std::fs::read_to_string(folder.path().join("app/hostnet.yaml")).unwrap().contains("assigned"));
    }
    let silent = "namespace: ''\nlabels: [{pairs: {a: b}}]\npatches: []\ntransformers: [hostnet.yaml]\n";
    write("app/kustomization.yaml", &format!("resources: [web.yaml]\n{silent}"));
    for command in ["pin", "ports -o ranges"] {
        let fine = run(&folder, &format!("{command} --sources -c app/hostnet.yaml app"));
        assert!(fine.code == Some(0) && !fine.stderr.contains("the kustomization sets"), "{command}: {}", fine.stderr);
    }
}

#[test]
fn a_missing_listed_file_is_an_error() {
    let folder = folder();
    let check = |resources: &str| {
        let text = format!("resources: [web.yaml, {resources}]\n");
        std::fs::write(folder.path().join("kustomization.yaml"), text).unwrap();
        run(&folder, "check .")
    };
    let missing = check("gone.yaml");
    assert!(
        missing.code == Some(1) && missing.stderr.contains("gone.yaml is listed but does not exist"),
        "{}",
        missing.stderr
    );
    // Below a given folder, a broken kustomization does not hide the others.
    std::fs::create_dir(folder.path().join("gone")).unwrap();
    std::fs::write(folder.path().join("gone/kustomization.yaml"), "resources: [lost.yaml, ../web.yaml]\n").unwrap();
    std::fs::write(folder.path().join("kustomization.yaml"), "resources: [web.yaml]\n").unwrap();
    for (arguments, code) in [("check .", 0), ("check --strict .", 1), ("ports --sources .", 0)] {
        let run = run(&folder, arguments);
        let text = format!("{}{}", run.text(), run.stderr);
        let is_named = text.contains("./gone/kustomization.yaml: lost.yaml is listed but does not exist");
        assert!(run.code == Some(code) && is_named, "{arguments}: {:?} {text}", run.code);
    }
    for remote in [
        "'https://a.example/b.yaml'",
        "github.com/a/b?ref=v1",
        "'git@a.example:b/c.git'",
        "'https://github.com/a/b//config?ref=v1'",
        "'${BASE}/a.yaml'",
        "api.yaml",
    ] {
        assert_eq!(check(remote).code, Some(0), "{remote}: {}", check(remote).stderr);
    }
}

/// If a kustomization changes objects, only its build shows the result: the command that `init` suggests keeps the
/// flags.
#[test]
fn the_build_of_init_keeps_its_flags() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    // The layout of kubebuilder.
    write("config/manager/manager.yaml", &deployment("web"));
    write("config/manager/kustomization.yaml", "resources: [manager.yaml]\n");
    write("config/default/kustomization.yaml", "namePrefix: a-\nresources: [../manager]\n");
    for (arguments, next) in [
        (
            "init --overlay host%network config/default",
            "`hostnet init --overlay 'host network' --build config/default`",
        ),
        ("init --to conf.yaml config/default", "`hostnet init --to conf.yaml --build config/default`"),
        ("init config/default", "`hostnet init --build config/default`"),
        ("init --overlay over config", "--overlay builds one"),
        ("init config", "`hostnet init --build config/default` reads the build"),
    ] {
        let arguments: Vec<String> = arguments.split(' ').map(|word| word.replace('%', " ")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = hostnet(folder.path(), &arguments, b"");
        assert!(run.code == Some(1) && run.stderr.contains(next), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("The API server calls nothing here"), "{}", run.stderr);
    }
    let init = run(&folder, "init config");
    assert!(
        init.stderr.contains("No webhook, conversion or APIService leads to a workload in the files as they are."),
        "{}",
        init.stderr
    );
    // An overlay needs the folder, so no pipe replaces the build.
    write("charts/kustomization.yaml", "helmCharts: [{name: web, repo: 'https://a.example'}]\n");
    for (arguments, has_pipe) in [("init --overlay over --build charts", false), ("init --build charts", true)] {
        let init = run(&folder, arguments);
        assert_eq!(
            (init.code, init.stderr.contains(", or pipe `kustomize build")),
            (Some(1), has_pipe),
            "{}",
            init.stderr
        );
        assert!(init.stderr.contains("give --allow-remote if you trust the folder"), "{}", init.stderr);
    }
    // An existing config is not written again.
    write("config/manager/hooks.yaml", crate::support::manifests::HOOKS);
    write("config/manager/kustomization.yaml", "resources: [manager.yaml, hooks.yaml]\n");
    let init = run(&folder, "init config");
    assert!(init.code == Some(0) && init.stderr.contains("`hostnet ports --build config/default`"), "{}", init.stderr);
}
