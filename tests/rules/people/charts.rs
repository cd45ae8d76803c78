//! `hostnet charts`: a script that renders what others make of the manifests. Programs stand in for helm and kustomize here, and write
//! down their arguments; tests/hosts/charts.rs has the real ones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::run::hostnet;

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec: {chart: {spec: {chart: web, version: 1.x, sourceRef: {kind: HelmRepository, name: own}}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: own, namespace: shop}
spec: {url: https://charts.example}
";

/// What a script calls, a line for each argument, and whether it ended well.
fn called(folder: &Path, script: &str) -> (String, String, bool) {
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    for name in ["helm", "kustomize", "argocd", "flux-operator"] {
        let log = folder.join("log");
        let text = format!(
            "#!/bin/sh\nfor word in {name} \"$@\"; do printf '%s\\n' \"<$word>\"; done >>'{0}'\nfor word; do [ ! -f \"$word\" ] || cat \
             \"$word\" >>'{0}'; done\necho 'a: b'\n",
            log.display()
        );
        fs::write(programs.join(name), text).unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(folder.join("render.sh"), script).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("/bin/sh")
        .arg("render.sh")
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
    (log, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.success())
}

#[test]
fn a_release_is_rendered_with_all_that_the_input_says() {
    let folder = tempfile::tempdir().unwrap();
    let script = hostnet(folder.path(), &["charts", "--to", "out", "-"], RELEASE.as_bytes());
    assert_eq!(script.code, Some(0), "{}", script.stderr);
    let (log, said, is_well) = called(folder.path(), &script.text());
    let words = [
        "helm",
        "template",
        "web",
        "web",
        "--repo",
        "https://charts.example",
        "--version",
        "1.x",
        "--namespace",
        "shop",
    ];
    let want: String = words.iter().chain(&["--include-crds"]).map(|word| format!("<{word}>\n")).collect();
    assert_eq!((log, is_well), (want, true), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("out/helmrelease_shop_web.yaml")).unwrap(), "a: b\n");
    assert!(said.contains("1 rendered into out, 0 not"), "{said}");
}

/// Names, URLs and values that would run, end the text of the values, or be an option.
#[test]
fn nothing_of_the_input_runs() {
    let bad = [
        "$(touch pwned)",
        "`touch pwned`",
        "'; touch pwned; '",
        "\\n touch pwned",
        "--post-renderer=./pwned",
        "a\\nEND_OF_VALUES\\ntouch pwned",
    ];
    for word in bad {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("{word:?}").replace("\\\\n", "\\n");
        let release = RELEASE
            .replace("name: web,", &format!("name: {name},"))
            .replace("chart: web,", &format!("chart: {name},"))
            .replace("1.x", &name)
            .replace("https://charts.example", &name)
            .replace("}}}}\n---", &format!("}}}}}}, targetNamespace: {name}, values: {{a: {name}, {name}: b}}}}\n---"));
        let more = format!(
            "---\napiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {{name: {name}, namespace: {name}}}\nspec: {{}}\n---\n\
             apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{source: {{repoURL: {name}, chart: {name}, helm: \
             {{values: {name}, parameters: [{{name: {name}, value: {name}}}], valueFiles: [{name}]}}}}}}\n---\napiVersion: helm.cattle.io/v1\nkind: \
             HelmChart\nmetadata: {{name: {name}}}\nspec: {{chart: {name}, set: {{{name}: {name}}}}}\n---\napiVersion: \
             kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: {name}}}\n"
        );
        let script = hostnet(folder.path(), &["charts", "-"], format!("{release}{more}").as_bytes());
        assert_eq!(script.code, Some(0), "{word}: {}", script.stderr);
        let (log, said, _) = called(folder.path(), &script.text());
        assert!(!folder.path().join("pwned").exists(), "{word}: {}", script.text());
        assert_eq!(log.matches("<helm>").count(), 3, "{word}: {log}\n{said}");
        // The word behind a flag that takes one is no flag.
        let flags = log.replace("<--set>\n<", "").replace("<--set-string>\n<", "");
        assert!(!flags.contains("<--post-renderer"), "{log}");
        // No file outside of the folder.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "{word}");
    }
}

/// An object that nothing renders is a comment with the reason, and a line.
#[test]
fn what_is_not_known_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (object, why) in [
        (
            RELEASE.split("---").next().unwrap().to_owned(),
            "HelmRelease shop/web: the source of the chart web 1.x is not in the input",
        ),
        (
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {values: {}}\n".to_owned(),
            "HelmRelease web: it names no chart",
        ),
        (
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ../x}\n".to_owned(),
            "Kustomization a: its path ../x is no folder of the input",
        ),
        (
            "apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\nmetadata: {name: s}\n".to_owned(),
            "KnativeServing s: what its operator runs (the webhooks of Knative Serving) shows in the cluster alone",
        ),
    ] {
        let run = hostnet(folder.path(), &["charts", "-"], object.as_bytes());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("not rendered: {why}")), "{why}: {}", run.stderr);
        assert!(run.text().contains("\n# not rendered: "), "{}", run.text());
    }
}

/// Values of a Secret are a person's to fill in, and a failure is one release's alone.
#[test]
fn values_that_are_missing_and_failures_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let release = RELEASE.replace("}}}}\n---", "}}}, valuesFrom: [{kind: Secret, name: hidden}]}\n---");
    let script = hostnet(folder.path(), &["charts", "-"], release.as_bytes()).text();
    let (log, said, is_well) = called(folder.path(), &script);
    assert!(
        is_well && said.contains("Put it into values/secret_shop_hidden_values.yaml") && !log.contains("--values"),
        "{said}{log}"
    );
    fs::create_dir(folder.path().join("values")).unwrap();
    fs::write(folder.path().join("values/secret_shop_hidden_values.yaml"), "a: secret\n").unwrap();
    let (log, _, _) = called(folder.path(), &script);
    assert!(log.contains("<--values>\n<values/secret_shop_hidden_values.yaml>") && log.contains("a: secret"), "{log}");
    // helm fails for this one alone.
    let second = RELEASE.replace("name: web,", "name: other,").replace("chart: web", "chart: fails");
    let script = hostnet(folder.path(), &["charts", "-"], format!("{RELEASE}---\n{second}").as_bytes()).text();
    let script = script.replace("keep helmrelease_shop_other.yaml helm", "keep helmrelease_shop_other.yaml false");
    let (_, said, is_well) = called(folder.path(), &script);
    assert!(
        !is_well && said.contains("not rendered: rendered/helmrelease_shop_other.yaml") && said.contains("1 rendered"),
        "{said}"
    );
    assert!(folder.path().join("rendered/helmrelease_shop_web.yaml").exists());
}

/// Every line of what is not read is followed by the one command for all.
#[test]
fn other_commands_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let second = RELEASE.replace("name: web,", "name: other,");
    fs::write(folder.path().join("in.yaml"), format!("{RELEASE}---\n{second}")).unwrap();
    let said = hostnet(folder.path(), &["ports", "in.yaml"], b"").stderr;
    assert!(said.contains("not read: `hostnet charts in.yaml | sh` renders all 2 into rendered/"), "{said}");
    fs::write(folder.path().join("in.yaml"), RELEASE).unwrap();
    let said = hostnet(folder.path(), &["ports", "in.yaml"], b"").stderr;
    assert!(!said.contains("hostnet charts"), "{said}");
}
