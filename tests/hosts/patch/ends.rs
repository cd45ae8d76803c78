//! Block scalars at the end of a file: patches test and write the value that Go's YAML reader sees.

use crate::patch::build::Bench;
use crate::patch::cases::{Failures, canonical, command, host};
use crate::patch::flux::{KUSTOMIZATION, RELEASE, build, object, post_render};
use crate::support::{manifests, run, text};
use std::path::Path;

const CONFIG: &str = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: x}, spec: {targets: [{select: {name: web-.*}, ports: auto}]}}";

/// A Deployment whose last value is the script of its container, in this style.
fn deployment(name: &str, style: &str) -> String {
    let line = if style.starts_with('|') { "web \\" } else { "web --verbose" };
    let container = format!(
        "      - name: web
        ports: [{{name: http, containerPort: 8080}}]
        command: [sh, -c]
        args:
        - {style}
          exec {line}
          --listen=:8080"
    );
    manifests::deployment(name, &container)
}

/// Returns every style of a block scalar with every end: a description and the manifest.
fn ends() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for style in ["|", "|-", "|+", ">", ">-", ">+"] {
        let mut add = |end: &str, of: &dyn Fn(&str, &str) -> String| {
            let (web, other) = (format!("web-{}", all.len()), format!("other-{}", all.len()));
            let other = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {other}}}\n");
            all.push((format!("{style} {end}"), of(&deployment(&web, style), &other)));
        };
        add("not ended", &|web, _| web.to_owned());
        add("not ended, CRLF", &|web, _| web.replace('\n', "\r\n"));
        add("not ended, the last of two", &|web, other| format!("{other}---\n{web}"));
        add("not ended, after a marker", &|web, _| format!("---\n{web}"));
        add("not ended, the last item", &|web, _| {
            format!("apiVersion: v1\nkind: List\nitems:\n- {}", web.replace('\n', "\n  "))
        });
        add("ended", &|web, _| format!("{web}\n"));
        add("ended, CRLF", &|web, _| format!("{web}\n").replace('\n', "\r\n"));
        add("blanks", &|web, _| format!("{web}\n  "));
        add("a comment", &|web, _| format!("{web}\n# end"));
        add("before another", &|web, other| format!("{web}\n---\n{other}"));
        add("before another, CRLF", &|web, other| format!("{web}\n---\n{other}").replace('\n', "\r\n"));
        add("before a marker", &|web, _| format!("{web}\n---"));
        add("before an end", &|web, _| format!("{web}\n...\n"));
        // kustomize itself changes folded text with indented lines or trailing empty lines, and reports it.
        if style.starts_with('|') {
            add("blanks of its own", &|web, _| format!("{web}\n            "));
        }
        if style != ">+" {
            add("an empty line", &|web, _| format!("{web}\n\n"));
            add("an empty line before another", &|web, other| format!("{web}\n\n---\n{other}"));
            add("an empty line, blanks", &|web, _| format!("{web}\n\n  "));
        }
    }
    all
}

/// Returns the failures of the patches for these manifests in one build.
fn wrong(texts: &[&str], kustomize: &Path) -> Option<String> {
    let bench = Bench::new(CONFIG, "");
    let (mut files, mut resources) = (Vec::new(), String::from("resources:\n"));
    for (index, text) in texts.iter().enumerate() {
        let file = format!("{index}.yaml");
        bench.write(&file, text);
        bench.write(&format!("applied/{file}"), &bench.made(&["apply", &file]));
        resources.push_str(&format!("- {file}\n"));
        files.push(file);
    }
    let with = |arguments: &[&'static str]| -> Vec<String> {
        arguments.iter().map(|argument| (*argument).to_owned()).chain(files.iter().cloned()).collect()
    };
    let hostnet =
        |arguments: &[&'static str]| bench.hostnet(&with(arguments).iter().map(String::as_str).collect::<Vec<_>>());
    bench.write("applied/kustomization.yaml", &resources);
    let want = bench.build(kustomize, "applied").unwrap();
    assert_eq!(want.matches("--listen=:2").count(), texts.len(), "{want}");
    let (code, _, log) = hostnet(&["patch", "--as", "component", "--output-dir", "component"]);
    if code != Some(0) {
        return Some(log);
    }
    bench.write("kustomization.yaml", &format!("{resources}components: [component]\n"));
    let built = match bench.build(kustomize, ".") {
        Ok(built) => built,
        Err(log) => return Some(log),
    };
    let mut failures = Failures::default();
    failures.compare("kustomize", &canonical(&want), &canonical(&built));
    // The build as kustomize writes it, and without the last line break, as an editor may save it.
    for built in [built.as_str(), built.trim_end()] {
        bench.write("built.yaml", built);
        let (code, _, log) = hostnet(&["patch", "--verify", "built.yaml"]);
        failures.add((code != Some(0)).then_some(log));
    }
    failures.all()
}

#[test]
fn a_block_at_the_end_is_patched_as_kustomize_reads_it() {
    let Some(kustomize) = host("kustomize") else { return };
    let all = ends();
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    if wrong(&texts, &kustomize).is_none() {
        return;
    }
    let mut failures = Failures::default();
    for (what, text) in &all {
        failures.add(wrong(&[text], &kustomize).map(|wrong| format!("{what}: {wrong}")));
    }
    failures.end();
}

/// Flux reads files as kustomize does, but a post-renderer reads a stream, whose last object may follow others.
#[test]
fn a_block_at_the_end_is_patched_as_flux_reads_it() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let mut failures = Failures::default();
    for (what, all) in ends().into_iter().filter(|(what, _)| what.contains("not ended")) {
        let bench = Bench::new(CONFIG, &all);
        let kustomization = object(&bench.patches("flux"), KUSTOMIZATION);
        failures.add(build(&fluxbuild, &bench, &kustomization, &all).err().map(|log| format!("{what}: {log}")));
        let release = object(&bench.patches("helmrelease"), RELEASE);
        failures.add(post_render(&fluxbuild, &bench, &release, &all).err().map(|log| format!("{what}: {log}")));
    }
    failures.end();
}

/// kubectl contains its own version of kustomize.
#[test]
fn a_block_at_the_end_is_patched_as_kubectl_reads_it() {
    let Some(kubectl) = host("kubectl") else { return };
    let all = ends();
    let bench = Bench::new(CONFIG, &all[0].1);
    bench.made(&["patch", "--as", "component", "--output-dir", "component", "all.yaml"]);
    bench.write("kustomization.yaml", "resources: [all.yaml]\ncomponents: [component]\n");
    let output = run(command(&kubectl).arg("kustomize").arg(bench.at()), b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
}
