//! Names with terminal control characters or line breaks: messages show them escaped, and diffs quote them as git does.
#![cfg(unix)]

use crate::cases::HOSTNET;
use crate::files::git;
use crate::support::manifests::{HEADLESS, MOVES_WEB, WEB};
use crate::support::{find_program, not_run, run, text};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// File names without `.yaml`.
const NAMES: [&[u8]; 14] = [
    b"plain",
    b"two words",
    b"two\nlines",
    b"a\ttab",
    b"a\rreturn",
    b"\x1b[31mred\x1b[0m",
    b"a \"quote\"",
    b"\"quoted\"",
    b"back\\slash",
    b" first and last ",
    "größe".as_bytes(),
    "left\u{202e}to right".as_bytes(),
    "\u{9b}31mcsi \u{2028}line".as_bytes(),
    b"no \xff UTF-8",
];

fn file(name: &[u8]) -> Vec<u8> {
    [name, b".yaml"].concat()
}

fn hostnet(at: &Path, arguments: &[&str], name: &[u8]) -> Output {
    run(Command::new(HOSTNET).current_dir(at).args(arguments).arg(OsStr::from_bytes(name)), b"")
}

/// True for characters that control a terminal or end a line.
fn is_control_or_invisible(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Asserts that no line of a text contains such a character.
fn is_plain(what: &str, log: &str) {
    assert_eq!(log.lines().find(|line| line.contains(is_control_or_invisible)), None, "{what}");
}

#[test]
fn messages_show_escapes() {
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let (at, name) = (folder.path(), file(name));
        let path = at.join(OsStr::from_bytes(&name));
        let what = format!("{:?}", path.file_name().unwrap());
        std::fs::write(at.join("config.yaml"), MOVES_WEB).unwrap();
        std::fs::write(&path, WEB).unwrap();
        let check = hostnet(at, &["apply", "-q", "-c", "config.yaml", "--check"], &name);
        let log = text(&check.stderr);
        assert_eq!((check.status.code(), log.lines().count()), (Some(1), 1), "{what}: {log}");
        is_plain(&what, &log);
        // The name of an invalid manifest, a missing manifest, a manifest without a matching target, and a config.
        std::fs::write(&path, "kind: [\n").unwrap();
        for (arguments, name) in [
            (&["apply", "-c", "config.yaml"][..], name.clone()),
            (&["apply", "-c", "config.yaml", "--in-place"], name.clone()),
            (&["apply", "-c", "config.yaml"], [b"absent ", name.as_slice()].concat()),
            (&["ports", "-c", "config.yaml"], name.clone()),
            (&["patch", "-c", "config.yaml", "--verify"], name.clone()),
            (&["patch", "-c", "config.yaml", "--as", "flux", "config.yaml", "--carrier"], name.clone()),
            (&["apply", "config.yaml", "-c"], name.clone()),
            (&["apply", "config.yaml", "-c"], [b"absent ", name.as_slice()].concat()),
            (&["apply", "--no-such-flag"], name.clone()),
            (&["apply"], [b"--no-such-", name.as_slice()].concat()),
            (&[], name.clone()),
        ] {
            let output = hostnet(at, arguments, &name);
            assert!(!output.status.success(), "{what} {arguments:?}");
            is_plain(&format!("{what} {arguments:?}"), &text(&output.stderr));
        }
        // The name of a folder with a kustomization or chart.
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let nothing = hostnet(at, &["apply", "-c", "config.yaml"], &name);
        is_plain(&what, &text(&nothing.stderr));
        std::fs::write(
            path.join("kustomization.yaml"),
            "resources: [web.yaml, ../config.yaml]\npatches: [{path: a.yaml}]\n",
        )
        .unwrap();
        std::fs::write(path.join("web.yaml"), WEB).unwrap();
        std::fs::write(path.join("other.yaml"), WEB).unwrap();
        for flags in [&["apply", "-c", "config.yaml"][..], &["apply", "-c", "config.yaml", "--check", "--sources"]] {
            let output = hostnet(at, flags, &name);
            assert_eq!(output.status.code(), Some(1), "{what} {flags:?}");
            is_plain(&format!("{what} {flags:?}"), &text(&output.stderr));
        }
    }
}

/// Warnings about a file name their place, each on one line.
#[test]
fn results_show_escapes() {
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let (at, name) = (folder.path(), file(name));
        std::fs::write(at.join("config.yaml"), MOVES_WEB).unwrap();
        std::fs::write(at.join(OsStr::from_bytes(&name)), format!("{WEB}---\n{HEADLESS}")).unwrap();
        for arguments in [
            &["apply", "-c", "config.yaml"][..],
            &["apply", "-v", "-c", "config.yaml"],
            &["ports", "-c", "config.yaml"],
        ] {
            let output = hostnet(at, arguments, &name);
            let log = text(&output.stderr);
            assert!(output.status.success() && log.starts_with("warning: "), "{log}");
            // The last line contains the counts.
            let begins = |line: &str| line.starts_with("warning: ") || line.starts_with("info: ");
            assert!(log.lines().rev().skip(1).all(begins), "{log}");
            is_plain(&log, &log);
        }
    }
}

/// Names of objects are escaped in the same way. In results they are data and stay unchanged.
#[test]
fn objects_show_escapes() {
    let name = "w\u{1b}[31mb\nweb\ttab";
    let escaped = r"w\u001b[31mb\nweb\ttab";
    let folder = tempfile::tempdir().unwrap();
    let web = WEB
        .replace("name: web, namespace", &format!("name: \"{escaped}\", namespace"))
        .replace("- name: web", &format!("- name: \"{escaped}\""));
    let headless = format!(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{name: \"{escaped}\", namespace: shop}}\nspec: {{clusterIP: None, selector: {{app: web}}, ports: [{{port: 8080}}]}}\n"
    );
    std::fs::write(folder.path().join("config.yaml"), MOVES_WEB.replace("{name: web}", "{kind: Deployment}")).unwrap();
    std::fs::write(folder.path().join("web.yaml"), format!("{web}{headless}")).unwrap();
    for arguments in [
        &["apply", "-v", "-c", "config.yaml"][..],
        &["ports", "-c", "config.yaml"],
        &["ports", "-c", "config.yaml", "-o", "markdown"],
        &["pin", "-c", "config.yaml", "--check"],
        &["explain", "nothing/nothing", "-c", "config.yaml"],
    ] {
        let output = hostnet(folder.path(), arguments, b"web.yaml");
        is_plain(&format!("{arguments:?}"), &text(&output.stderr));
        if arguments[0] == "ports" {
            is_plain(&format!("{arguments:?}"), &text(&output.stdout));
            // Markdown also escapes characters that it would interpret.
            let printed = text(&output.stdout).replace(r"\\", r"\").replace(r"\[", "[");
            assert!(printed.contains(r"w\u{1b}[31mb\nweb\ttab"), "{printed}");
        }
    }
    let path = "dir\\nectory/a\u{1b}[31m\nb.yaml";
    let annotated = |text: &str| {
        let mut object: serde_json::Value = serde_yaml::from_str(text).unwrap();
        object["metadata"]["annotations"] = serde_json::json!({"internal.config.kubernetes.io/path": path});
        object
    };
    let config: serde_json::Value =
        serde_yaml::from_str(&MOVES_WEB.replace("{name: web}", "{kind: Deployment}")).unwrap();
    let list = serde_json::json!({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [annotated(&web)], "functionConfig": config});
    for list in [list.to_string(), serde_yaml::to_string(&list).unwrap()] {
        let output = run(&mut Command::new(HOSTNET), list.as_bytes());
        assert!(output.status.success(), "{}", text(&output.stderr));
        is_plain(&list, &text(&output.stdout));
        let output: serde_json::Value = serde_yaml::from_slice(&output.stdout).unwrap();
        let results = output["results"].as_array().unwrap();
        assert!(results.iter().any(|result| !result["resourceRef"].is_null()));
        for result in results {
            is_plain(&list, result["message"].as_str().unwrap());
            // A result about several workloads names no object.
            if result["resourceRef"].is_null() {
                continue;
            }
            assert_eq!((&result["file"]["path"], &result["resourceRef"]["name"]), (&path.into(), &name.into()));
        }
    }
}

/// The output of `--diff` is a valid patch, whatever the name of the file.
#[test]
fn a_diff_of_any_name_applies() {
    let (git_there, patcher) = (find_program("git").is_some(), find_program("patch"));
    if !git_there {
        not_run("git is missing");
    }
    if patcher.is_none() {
        not_run("patch is missing");
    }
    for name in NAMES.map(file).into_iter().chain([b"ends with a blank ".to_vec()]) {
        for below in [&b""[..], b"a folder/"] {
            let folder = tempfile::tempdir().unwrap();
            let (at, name) = (folder.path(), [below, name.as_slice()].concat());
            std::fs::create_dir(at.join("a folder")).unwrap();
            std::fs::write(at.join("config.yaml"), MOVES_WEB).unwrap();
            let path = at.join(OsStr::from_bytes(&name));
            std::fs::write(&path, WEB).unwrap();
            let shown = hostnet(at, &["apply", "-c", "config.yaml", "--diff"], &name);
            assert!(shown.status.success(), "{}", text(&shown.stderr));
            let header: Vec<String> = text(&shown.stdout).lines().take(3).map(str::to_owned).collect();
            assert!(
                header[0].starts_with("--- ") && header[1].starts_with("+++ ") && header[2].starts_with("@@ "),
                "{header:?}"
            );
            is_plain("header", &header.join("\n").replace("\t\n", "\n"));
            let want =
                run(Command::new(HOSTNET).current_dir(at).args(["apply", "-c", "config.yaml"]).arg(&path), b"").stdout;
            if git_there {
                std::fs::write(at.join("diff"), &shown.stdout).unwrap();
                git(at, &["apply", "diff"]);
                assert_eq!(text(&std::fs::read(&path).unwrap()), text(&want), "{header:?}");
                std::fs::write(&path, WEB).unwrap();
            }
            if let Some(patcher) = &patcher {
                let applied = run(Command::new(patcher).current_dir(at).args(["-p1", "--quiet"]), &shown.stdout);
                assert!(applied.status.success(), "{header:?}{}", text(&applied.stdout));
                assert_eq!(text(&std::fs::read(&path).unwrap()), text(&want), "{header:?}");
            }
        }
    }
}

/// Names that need no quotes are not quoted.
#[test]
fn plain_names_are_not_quoted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), MOVES_WEB).unwrap();
    let header = |name: &[u8]| {
        std::fs::write(folder.path().join(OsStr::from_bytes(name)), WEB).unwrap();
        let output = hostnet(folder.path(), &["apply", "-c", "config.yaml", "--diff"], name);
        text(&output.stdout).lines().next().unwrap().to_owned()
    };
    assert_eq!(header(b"web.yaml"), "--- a/web.yaml");
    assert_eq!(header("größe.yaml".as_bytes()), "--- a/größe.yaml");
    assert_eq!(header(b"two words.yaml"), "--- a/two words.yaml\t");
    assert_eq!(header(b"a\t\"b\".yaml"), r#"--- "a/a\t\"b\".yaml""#);
    assert_eq!(header(b"\x1b\xff.yaml"), r#"--- "a/\033\377.yaml""#);
}
