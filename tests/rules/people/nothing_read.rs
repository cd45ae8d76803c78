//! Input without an object: every command fails or reports it.

use super::{called_web, config, deployment};
use crate::support::run::{Run, hostnet};

/// Each command with its required arguments except PATH.
const COMMANDS: [&[&str]; 14] = [
    &["check"],
    &["check", "-o", "json"],
    &["ports"],
    &["ports", "-c", "host.yaml"],
    &["init", "--to", "-"],
    &["apply", "-c", "host.yaml"],
    &["apply", "-c", "host.yaml", "--check"],
    &["apply", "-c", "host.yaml", "--diff"],
    &["pin", "-c", "host.yaml", "--check"],
    &["patch", "-c", "host.yaml", "--as", "component"],
    &["explain", "shop/web", "-c", "host.yaml"],
    &["mirror", "list"],
    &["mirror", "script", "-c", "mirror.yaml", "--tool", "crane"],
    &["proxy", "check"],
];

const VALUES: &str = "replicaCount: 2\nimage: {tag: v1}\n";

const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n";

const DENIED: &str = "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>\n";

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 48211\n";

/// A Deployment encrypted by `sops --encrypt`.
const ENCRYPTED: &str = "apiVersion: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\nkind: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\n\
                         metadata:\n  name: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\nsops:\n  mac: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\n";

/// A Secret with encrypted data only.
const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\n\
                      sops:\n  encrypted_regex: ^(data|stringData)$\n  mac: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("host.yaml", &config("  targets: [{select: {kind: Deployment}, ports: auto}]\n  unmatched: Ignore\n"));
    let mirror = "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {name: m}\nspec:\n  rules: [{from: docker.io, to: r.example/d}]\n";
    write("mirror.yaml", mirror);
    folder
}

/// The runs of all commands on these paths, and for a single file also on standard input.
fn runs(folder: &tempfile::TempDir, paths: &[&str]) -> Vec<(String, Run)> {
    let mut runs = Vec::new();
    for command in COMMANDS {
        let run = hostnet(folder.path(), &[command, paths].concat(), b"");
        runs.push((format!("{} {}", command.join(" "), paths.join(" ")), run));
        if let [path] = paths
            && let Ok(bytes) = std::fs::read(folder.path().join(path))
        {
            runs.push((
                format!("{} - <{path}", command.join(" ")),
                hostnet(folder.path(), &[command, &["-"]].concat(), &bytes),
            ));
        }
    }
    runs
}

#[test]
fn every_command_fails_without_an_object() {
    let folder = folder();
    let tar: Vec<u8> = [vec![b'a'; 257], b"ustar".to_vec(), vec![0; 250]].concat();
    for (name, bytes, word) in [
        ("empty.yaml", b"".as_slice(), "empty"),
        ("comments.yaml", b"# nothing\n---\n", "only comments"),
        ("values.yaml", VALUES.as_bytes(), "`replicaCount: 2`"),
        ("api-answer.json", b"{\"message\": \"Not Found\", \"apiVersion\": 2}", "no Kubernetes object"),
        ("page.yaml", PAGE.as_bytes(), "this is a page"),
        ("denied.yaml", DENIED.as_bytes(), "this is a page"),
        ("pointer.yaml", POINTER.as_bytes(), "`git lfs pull`"),
        (
            "status.json",
            b"{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \"message\": \"pods is forbidden\"}",
            "this is an error of the API server and not a manifest: pods is forbidden",
        ),
        ("table.json", b"{\"kind\": \"Table\", \"apiVersion\": \"meta.k8s.io/v1\", \"rows\": []}", "this is a table"),
        ("list.yaml", b"apiVersion: v1\nkind: List\nitems: [5]\n", "an item of a List"),
        ("answer.yaml", b"No resources found in shop namespace.\n", "found no objects"),
        ("helm.yaml", b"Error: release: not found\n", "the error message of a command"),
        ("forbidden.yaml", b"Error from server (Forbidden): pods is forbidden: no\n", "the error message of a command"),
        ("missing.yaml", b"404: Not Found", "check the URL"),
        ("columns.yaml", b"NAME   READY   UP-TO-DATE   AGE\nweb    1/1     1            2d\n", "add `-o yaml`"),
        ("chart.yaml", b"\x1f\x8b\x08\0\0\0\0\0\0", "archive (gzip)"),
        ("files.yaml", b"PK\x03\x04\x14\0", "archive (zip)"),
        ("tar.yaml", &tar, "archive (tar)"),
        ("encrypted.yaml", ENCRYPTED.as_bytes(), "`sops --decrypt FILE`"),
        ("binary.yaml", b"data: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\nsops: {mac: a}\n", "`sops --decrypt FILE`"),
        ("secret.yaml", SECRET.as_bytes(), "`sops --decrypt FILE`"),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        for (command, run) in runs(&folder, &[name]) {
            let log = format!("{}{}", run.stderr, run.text());
            assert_eq!(run.code, Some(1), "{command}: {log}");
            assert!(log.contains(word) || bytes.is_empty() && log.contains("nothing to read"), "{command}: {log}");
        }
    }
}

/// A broken file is an error even among other files, and files without objects are counted.
#[test]
fn other_files_among_manifests() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    write("in/web.yaml", &called_web());
    write("in/page.yaml", PAGE);
    for (command, run) in runs(&folder, &["in"]) {
        assert_eq!(run.code, Some(1), "{command}: {}", run.stderr);
        assert!(format!("{}{}", run.stderr, run.text()).contains("in/page.yaml"), "{command}: {}", run.stderr);
    }
    std::fs::remove_file(folder.path().join("in/page.yaml")).unwrap();
    write("in/values.yaml", VALUES);
    write("in/secret.yaml", SECRET);
    for (command, run) in
        runs(&folder, &["in"]).into_iter().chain(runs(&folder, &["in/web.yaml", "in/values.yaml", "in/secret.yaml"]))
    {
        let log = format!("{}{}", run.stderr, run.text());
        assert!(log.contains("1 file without an object (in/values.yaml)"), "{command}: {log}");
        assert!(log.contains("1 object with data that SOPS encrypted"), "{command}: {log}");
        let differs = command.contains("--check");
        assert_eq!(run.code, Some(i32::from(differs)), "{command}: {log}");
    }
}

/// A failed download between manifests, or an object without `apiVersion` or with an empty `kind`, is counted with its
/// line. The API server reads an empty field as a missing one.
#[test]
fn documents_without_an_object_in_a_stream() {
    let (folder, web) = (folder(), called_web());
    let count = web.lines().count();
    let stream = |documents: &[&str]| documents.join("---\n");
    let (page, object) = ("# from a download\n404: Not Found\n", "kind: Deployment\nmetadata: {name: web}\n");
    let other = "# only a comment\n";
    let list = "{apiVersion: v1, kind: List, items: []}\n";
    let flow = "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop}}\n";
    let twice = "apiVersion: v1\nkind:\nkind: Secret\n";
    for (name, text, lines) in [
        ("page.yaml", stream(&[&web, page]), vec![count + 3]),
        ("object.yaml", stream(&[object, &web, page]), vec![1, count + 6]),
        ("kind.yaml", stream(&[&web, "apiVersion: apps/v1\nkind:\nmetadata: {name: web}\n"]), vec![count + 2]),
        ("version.yaml", stream(&[&web, "kind: Deployment\napiVersion: ''\nmetadata: {name: web}\n"]), vec![count + 2]),
        (
            "null.yaml",
            stream(&[&web, "apiVersion: apps/v1\nkind: null # later\n", "apiVersion: 1\nkind: Job\n"]),
            vec![count + 2, count + 5],
        ),
        (
            "array.yaml",
            stream(&[&web, "- {apiVersion: v1, kind: Secret}\n- {apiVersion: v1, kind: }\n-\n"]),
            vec![count + 3],
        ),
        ("none.yaml", stream(&[other, &web, "null\n", "{}\n", list, flow, ""]), vec![]),
        (
            "words.yaml",
            stream(&[&web, "kind: \"Secret\" # a: b\napiVersion: 'v1'\n", twice, "apiVersion: v1\nkind: Nullary\n"]),
            vec![],
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
        for (command, run) in runs(&folder, &[name]) {
            let log = format!("{}{}", run.stderr, run.text());
            let origin = if command.contains(" - <") { "standard input" } else { name };
            let places: Vec<String> = lines.iter().map(|line| format!("{origin}:{line}")).collect();
            let many = if lines.len() == 1 { "document" } else { "documents" };
            let wanted = format!("{} {many} without an object ({})", lines.len(), places.join(", "));
            assert_eq!(log.contains("without an object"), !lines.is_empty(), "{command}: {log}");
            assert!(lines.is_empty() || log.contains(&wanted), "{command} {wanted}: {log}");
        }
        // Values of a chart are a file of their own, which a folder may have.
        let run = hostnet(folder.path(), &["check", "--strict", name], b"");
        assert_eq!(run.stderr.contains("without an object"), !lines.is_empty(), "{name}: {}", run.stderr);
    }
}

/// Commands that only report continue with the rest of an input, and fail. `-o ranges` is for a firewall and complete.
#[test]
fn one_unreadable_document_leaves_the_rest() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    write("in/web.yaml", &called_web());
    write("in/bad.yaml", "a: b: c\n");
    let stream = format!("{}---\na: b: c\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\n", called_web());
    write("stream.yaml", &stream);
    let fault = "a second `: ` in one line";
    for (command, shows) in [
        (&["ports"][..], "8443/TCP"),
        (&["ports", "-c", "host.yaml"], "8443"),
        (&["ports", "--all"], "kubelet"),
        (&["proxy", "check"], ""),
        (&["mirror", "list"], "shop/web"),
        (&["check"], "1 workload"),
    ] {
        for path in ["in", "stream.yaml"] {
            let run = hostnet(folder.path(), &[command, &[path]].concat(), b"");
            let (name, log) = (format!("{} {path}", command.join(" ")), format!("{}{}", run.stderr, run.text()));
            assert_eq!(run.code, Some(1), "{name}: {log}");
            assert_eq!(log.matches(fault).count(), 1, "{name}: {log}");
            assert!(run.text().contains(shows), "{name}: {log}");
        }
    }
    let run = hostnet(folder.path(), &["ports", "in"], b"");
    assert!(run.stderr.contains("1 unreadable part (in/bad.yaml)"), "{}", run.stderr);
    assert!(!run.stderr.contains("without an object"), "{}", run.stderr);
    for command in
        [&["ports", "-o", "ranges", "in"][..], &["init", "--to", "-", "in"], &["apply", "-c", "host.yaml", "in"]]
    {
        let run = hostnet(folder.path(), command, b"");
        assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{command:?}: {}", run.stderr);
    }
}

/// Encrypted values of other programs are files without an object. Encrypted objects, alone or after another document,
/// and files that SOPS encrypted as one text are errors.
#[test]
fn encrypted_files_of_other_programs() {
    const MAC: &str = "sops: {mac: 'ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]'}\n";
    let encrypted = "ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]";
    let talos = format!("cluster:\n  id: {encrypted}\n  secret: {encrypted}\n{MAC}");
    let ansible = format!("vault_password: {encrypted}\ndata: {encrypted}\n{MAC}");
    let values = format!("image: {{repository: r.example/web}}\npassword: {encrypted}\n{MAC}");
    let text = format!("data: {encrypted}\n{MAC}");
    let second = format!("{talos}---\n{ENCRYPTED}");
    let kind = format!("kind: {encrypted}\nspec: {encrypted}\n{MAC}");
    for (name, content, hides) in [
        ("talsecret.sops.yaml", talos.as_str(), false),
        ("vars.sops.yaml", &ansible, false),
        ("values.sops.yaml", &values, false),
        ("text.sops.yaml", &text, true),
        ("second.sops.yaml", &second, true),
        ("kind.sops.yaml", &kind, true),
        ("object.sops.yaml", ENCRYPTED, true),
    ] {
        let folder = folder();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/web.yaml"), called_web()).unwrap();
        std::fs::write(folder.path().join("in").join(name), content).unwrap();
        for (command, run) in runs(&folder, &["in"]) {
            let log = format!("{}{}", run.stderr, run.text());
            assert_eq!(log.contains("`sops --decrypt FILE`"), hides, "{command} {name}: {log}");
            let is_counted = log.contains(&format!("1 file without an object (in/{name})"));
            assert!(hides || is_counted, "{command} {name}: {log}");
            let differs = command.contains("--check");
            assert_eq!(run.code, Some(i32::from(hides || differs)), "{command} {name}: {log}");
        }
    }
}

/// A folder of values files, and a folder with only the config.
#[test]
fn a_folder_of_values_or_of_only_the_config() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("values")).unwrap();
    for name in ["values/a.yaml", "values/b.yaml"] {
        std::fs::write(folder.path().join(name), VALUES).unwrap();
    }
    for (command, run) in runs(&folder, &["values"]) {
        let log = format!("{}{}", run.stderr, run.text());
        assert_eq!(run.code, Some(1), "{command}: {log}");
        assert!(log.contains("values/a.yaml, values/b.yaml"), "{command}: {log}");
    }
    for command in [&["apply", "-c"][..], &["ports", "-c"], &["check", "-c"]] {
        let run = hostnet(folder.path(), &[command, &["host.yaml", "host.yaml"]].concat(), b"");
        assert_eq!(run.code, Some(1), "{command:?}: {}", run.stderr);
        assert!(run.stderr.contains("the only file of PATH is the config host.yaml"), "{command:?}: {}", run.stderr);
    }
}

/// A kustomization that is not read as a folder: nothing that it lists is read.
#[test]
fn a_kustomization_alone_is_named() {
    let folder = folder();
    let kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n";
    let check = |text: &str| hostnet(folder.path(), &["check", "--strict", "-"], text.as_bytes());
    let run = check(kustomization);
    assert!(run.text().contains("is not part of the input: `kustomize build .`"), "{}", run.text());
    assert_eq!(run.code, Some(1));
    for text in [
        format!("{kustomization}---\n{}", deployment("web")),
        kustomization.replace("[web.yaml]", "[]"),
        kustomization.replace("kustomize.config", "kustomize.toolkit"),
    ] {
        let run = check(&text);
        assert!(!run.text().contains("not read"), "{text}: {}", run.text());
    }
}

/// An empty list is valid input, since a KRM host may pass an empty build; a `List` of kubectl is counted as unread, since
/// kubectl prints it for a wrong namespace too.
#[test]
fn empty_lists_are_valid() {
    let folder = folder();
    for list in [
        "apiVersion: v1\nkind: List\nitems: []\n",
        "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}",
        "---\napiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: List\nitems: []\n",
        "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": []}",
        "apiVersion: apps/v1\nkind: DeploymentList\nitems: []\n",
    ] {
        let run = hostnet(folder.path(), &["check", "-"], list.as_bytes());
        let wanted = "0 objects: nothing found; not read: 1 list without items (standard input)\n";
        assert_eq!((run.code, run.text().as_str()), (Some(0), wanted), "{list}");
        for flags in [&["--strict"][..], &["--fail-on", "warning"]] {
            let run = hostnet(folder.path(), &[&["check", "-"], flags].concat(), list.as_bytes());
            let line = format!(
                "error: not read: 1 list without items (standard input), which `{}` does not allow",
                flags.join(" ")
            );
            assert!(run.code == Some(1) && run.stderr.contains(&line), "{list}: {}", run.stderr);
        }
        for command in
            [&["apply", "-c", "host.yaml", "-"][..], &["ports", "-c", "host.yaml", "-"], &["mirror", "list", "-"]]
        {
            let run = hostnet(folder.path(), command, list.as_bytes());
            assert_eq!(run.code, Some(0), "{command:?}: {}", run.stderr);
        }
    }
    // A complete list of images needs objects; an empty list next to objects does not count.
    let complete = |text: &str| hostnet(folder.path(), &["mirror", "list", "--complete", "-"], text.as_bytes());
    let empty = "apiVersion: v1\nkind: List\nitems: []\n";
    let run = complete(empty);
    let line = "error: not known: all images: the input is 1 list without items (standard input)";
    assert!(run.code == Some(1) && run.stderr.contains(line), "{}", run.stderr);
    let both = complete(&format!("{empty}---\n{}", deployment("web")));
    assert!(!both.stderr.contains("not known: all images"), "{}", both.stderr);
    let config = config("  targets: [{select: {kind: Deployment}, ports: auto}]\n").replace('\n', "\n  ");
    let list =
        format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n  {config}\n");
    assert_eq!(hostnet(folder.path(), &[], list.as_bytes()).code, Some(0));
    let one = deployment("web");
    assert_eq!(hostnet(folder.path(), &["check", "-"], one.as_bytes()).code, Some(0));
}

/// Objects that no cluster has, and an object that was cut off: a check of them alone has judged nothing.
#[test]
fn a_check_of_nothing_that_it_judges_is_an_error() {
    let folder = folder();
    let check = |text: &str| {
        let run = hostnet(folder.path(), &["check", "-"], text.as_bytes());
        (run.code, run.text())
    };
    let widget = "apiVersion: example.com/v1\nkind: WidgetList\nmetadata: {name: a}\nitems: []\n";
    for (text, reason) in [
        ("{\"kind\": \"APIGroupList\", \"apiVersion\": \"v1\", \"groups\": []}\n", "names no resource"),
        ("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest: {object: {kind: Pod}}\n", "request.object"),
        ("apiVersion: v1\nkind: Config\nclusters: []\n", "a kubeconfig"),
        ("apiVersion: skaffold/v4beta1\nkind: Config\n", "skaffold render"),
        ("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\n", "a kpt package"),
        (&config("  targets: [{select: {kind: Deployment}}]\n"), "a config of hostnet"),
        ("apiVersion: v1\nkind: Pod\nmetadata:\n", "has no spec"),
    ] {
        let (code, log) = check(text);
        assert!(code == Some(1) && log.contains(reason) && !log.contains("nothing found"), "{reason}: {log}");
        // Next to an object that is judged.
        let (code, log) = check(&format!("{text}---\n{}", deployment("web")));
        assert!(code == Some(0) && log.contains("nothing found"), "{reason}: {log}");
    }
    // The API server refuses it, whatever else is in the input.
    let empty = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n";
    for text in [empty.to_owned(), format!("{empty}---\n{}", deployment("web"))] {
        let (code, log) = check(&text);
        assert!(code == Some(1) && log.contains("Deployment a: spec: Required value"), "{log}");
    }
    for text in
        [widget, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "apiVersion: argoproj.io/v1\nkind: Config\n"]
    {
        assert_eq!(check(text), (Some(0), "1 object: nothing found\n".to_owned()), "{text}");
    }
}

/// A missing path, or a folder without manifests, takes away no finding of the rest.
#[test]
fn the_rest_of_the_paths_is_reported() {
    let folder = folder();
    let conflict = called_web().replace("    spec:\n", "    spec:\n      hostNetwork: true\n      hostUsers: false\n");
    std::fs::write(folder.path().join("web.yaml"), &conflict).unwrap();
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    for missing in ["deleted.yaml", "docs"] {
        let run =
            hostnet(folder.path(), &["check", "-v", "-o", "sarif=a.sarif", "-o", "text", "web.yaml", missing], b"");
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.text().contains("[pod-forbids]"), "{}", run.text());
        assert!(
            run.text().contains(&format!("error: {missing}: ")) && run.text().contains("[document]"),
            "{}",
            run.text()
        );
        assert!(folder.path().join("a.sarif").exists());
        std::fs::remove_file(folder.path().join("a.sarif")).unwrap();
        for command in [&["ports"][..], &["proxy", "check"], &["mirror", "list"]] {
            let run = hostnet(folder.path(), &[command, &["web.yaml", missing]].concat(), b"");
            assert_eq!(run.code, Some(1), "{command:?}: {}", run.stderr);
            assert!(run.stderr.contains(&format!("error: {missing}: ")), "{command:?}: {}", run.stderr);
        }
        let ports = hostnet(folder.path(), &["ports", "web.yaml", missing], b"").stderr;
        assert!(ports.contains("[pod-forbids]"), "{ports}");
        // A command that changes files changes none.
        let apply = hostnet(folder.path(), &["apply", "-c", "host.yaml", "web.yaml", missing], b"");
        assert_eq!((apply.code, apply.text().as_str()), (Some(1), ""), "{}", apply.stderr);
    }
}

/// The file of a chart, which YAML can read.
#[test]
fn a_template_was_not_checked() {
    let folder = folder();
    let template = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      hostNetwork: {{ .Values.hostNetwork }}
      containers:
      - {name: a, image: a}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .a }}
";
    std::fs::write(folder.path().join("d.yaml"), template).unwrap();
    for (path, input) in [("d.yaml", ""), ("-", template)] {
        let run = hostnet(folder.path(), &["check", "-v", path], input.as_bytes());
        assert_eq!(run.code, Some(1), "{}", run.text());
        assert!(run.text().contains("this is a template and not a manifest"), "{}", run.text());
    }
    // Values that ytt fills in are nulls with a comment.
    let run =
        hostnet(folder.path(), &["check", "-"], "apiVersion: v1\nkind: Pod\nmetadata:\n  name: #@ a\n".as_bytes());
    assert!(run.code == Some(1) && run.text().contains("the output of `ytt --file FOLDER`"), "{}", run.text());
    let other =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: x #@ a\n  b: # @ a\n  c: |\n    d: #@ a\n";
    let run = hostnet(folder.path(), &["check", "-"], other.as_bytes());
    assert!(run.text().contains("1 object: nothing found"), "{}", run.text());
    // Documents without such values are checked, also one with texts of other templates.
    let values = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '{{ .a }}', b: \"{{ b }}\"}\n";
    let run = hostnet(folder.path(), &["check", "-"], format!("{values}---\n{template}").as_bytes());
    assert!(run.text().contains("\n1 object: "), "{}", run.text());
    assert_eq!(hostnet(folder.path(), &["check", "-"], values.as_bytes()).code, Some(0));
}

/// A file whose bytes cannot be read, and a link that cannot be followed, also for root.
#[test]
fn an_unreadable_file_hides_no_findings_of_the_others() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let inside = |name: &str| folder.path().join(name);
    std::fs::create_dir(inside("m")).unwrap();
    std::fs::write(inside("m/web.yaml"), called_web()).unwrap();
    let broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: true, containers: [{name: c, image: x, ports: [{containerPort: 80, hostPort: 81}]}]}\n";
    std::fs::write(inside("m/pod.yaml"), broken).unwrap();
    symlink("/proc/self/mem", inside("m/secret.yaml")).unwrap();
    symlink("x".repeat(300), inside("m/long.yaml")).unwrap();
    for (arguments, shown) in [
        (&["check", "m"][..], "Pod a"),
        (&["ports", "m"], "shop/Deployment/web"),
        (&["mirror", "list", "m"], "Pod a"),
        (&["proxy", "check", "m"], "no container"),
    ] {
        let run = hostnet(folder.path(), arguments, b"");
        let all = run.text() + &run.stderr;
        assert_eq!(run.code, Some(1), "{arguments:?}: {all}");
        for text in [shown, "m/secret.yaml: Input/output error", "m/long.yaml: File name too long"] {
            assert!(all.contains(text), "{arguments:?}: {text}: {all}");
        }
    }
    let run = hostnet(folder.path(), &["apply", "-c", "host.yaml", "m"], b"");
    assert_eq!((run.code, run.text()), (Some(1), String::new()));
}
