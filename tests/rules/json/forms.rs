//! Runs the program on the same objects in every JSON form: by a pipe, by a KRM host, with files in place, and with a
//! diff.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::layout::{ALL, FORMS, Form, Layout, of_yaml};
use crate::support::{find_program, not_run, run, text};

fn objects() -> Vec<Value> {
    let container = json!({
        "name": "web", "image": "example.com/team/web:v1", "args": ["--port=8080", "--metrics-addr=:9090", "--note=http://x/🦀"],
        "ports": [{"name": "http", "containerPort": 8080}, {"containerPort": 9090}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}, "y": null, "n": 1.5},
    });
    let metadata = json!({"labels": {"app": "web"}, "annotations": {"prometheus.io/port": "9090", "empty": ""}});
    let template = json!({"metadata": metadata, "spec": {"containers": [container], "volumes": []}});
    let spec = json!({"selector": {"matchLabels": {"app": "web"}}, "template": template, "strategy": {}});
    let ports = json!([{"name": "http", "port": 80, "targetPort": 8080}, {"name": "metrics", "port": 9090}]);
    vec![
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}, "spec": spec}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"selector": {"app": "web"}, "ports": ports}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}, "data": {"port": "8080"}}),
    ]
}

fn config() -> Value {
    let target = json!({"select": {"kind": "Deployment", "name": "web"}, "ports": {"http": 20080, "9090": 20090}});
    json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "metadata": {"name": "x"}, "spec": {"targets": [target]}})
}

fn hostnet(args: &[&str], folder: &std::path::Path, stdin: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    run(command.args(args).current_dir(folder).env_remove("KUSTOMIZE_PLUGIN_CONFIG_ROOT"), stdin.as_bytes())
}

fn applied(folder: &std::path::Path, input: &str) -> String {
    let output = hostnet(&["apply", "-c", "hostnet.json", "-"], folder, input);
    assert!(output.status.success(), "{}\n{input}", text(&output.stderr));
    text(&output.stdout)
}

/// A folder with the config as JSON, with escapes and tabs that only JSON allows.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = Layout::Pretty("\t").write(&config()).replace("dev/", "dev\\/");
    std::fs::write(folder.path().join("hostnet.json"), config).unwrap();
    folder
}

/// The expected objects, from a run on YAML.
fn moved(folder: &std::path::Path) -> Vec<Value> {
    let yaml: Vec<String> = objects().iter().map(|object| serde_yaml::to_string(object).unwrap()).collect();
    let moved = of_yaml(&applied(folder, &yaml.join("---\n"))).unwrap();
    assert_eq!(moved[1]["spec"]["ports"][0]["targetPort"], "http");
    assert_eq!(moved[1]["spec"]["ports"][1]["targetPort"], 20090);
    assert_eq!(moved[0]["spec"]["template"]["spec"]["hostNetwork"], true);
    assert_eq!(moved[2], objects()[2]);
    moved
}

/// A text with other ends, and with escapes that only JSON has.
fn variants(text: &str) -> [String; 5] {
    let escaped = text.replace("http://", "http:\\/\\/").replace('🦀', "\\ud83e\\uDD80");
    [text.to_owned(), format!("\u{feff}{text}\n"), format!("{text}\n"), format!("\n \t{text} \n\n"), escaped]
}

#[test]
fn json_in_json_out() {
    let folder = folder();
    let wanted = moved(folder.path());
    for layout in ALL {
        for form in FORMS {
            for input in variants(&form.write(&objects(), layout)) {
                let output = applied(folder.path(), &input);
                let found = form.read(&output).unwrap_or_else(|error| panic!("{error}\n{output}"));
                assert_eq!(found, wanted, "{output}");
                let ends = |text: &str| (text.starts_with('\u{feff}'), text.ends_with('\n'), text.contains('\r'));
                assert_eq!(ends(&output), ends(&input), "{output:?}");
                assert!(
                    !input.contains("\r\n") || form == Form::Stream || !output.replace("\r\n", "").contains("\n  "),
                    "{output:?}"
                );
                // The escaped slashes and the surrogate pair are unchanged.
                let escapes = |text: &str| text.matches("http:\\/\\/x/\\ud83e\\uDD80").count();
                assert_eq!(escapes(&output), escapes(&input));
                if form != Form::ResourceList {
                    assert_eq!(applied(folder.path(), &output), output, "a second run");
                }
            }
        }
    }
}

#[test]
fn one_object_and_items_of_yaml() {
    let folder = folder();
    let wanted = moved(folder.path());
    let alone = {
        let yaml = serde_yaml::to_string(&objects()[0]).unwrap();
        of_yaml(&applied(folder.path(), &yaml)).unwrap().remove(0)
    };
    for layout in ALL {
        let output = applied(folder.path(), &layout.write(&objects()[0]));
        assert_eq!(serde_json::from_str::<Value>(&output).unwrap(), alone, "{output}");
        // Among YAML documents, JSON documents stay JSON.
        let json: Vec<String> = objects().iter().map(|object| layout.write(object)).collect();
        let mixed =
            format!("# top\napiVersion: v1\nkind: Other\n---\n{}\n--- # end\nno: object\n", json.join("\n---\n"));
        let output = applied(folder.path(), &mixed);
        let documents = output.split("---").filter(|document| document.trim().starts_with('{'));
        let found: Vec<Value> = documents.map(|document| serde_json::from_str(document).unwrap()).collect();
        assert_eq!(found, wanted, "{output}");
        if layout == Layout::Pretty("\t") {
            // Tabs are not indentation in YAML.
            continue;
        }
        // Items of a list in YAML.
        let items: String = json.iter().map(|json| format!("- {}\n", json.replace('\n', "\n    "))).collect();
        let list = format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}");
        let output = applied(folder.path(), &list);
        let (_, items) = output.split_once("items:\n").unwrap();
        let (items, _) = items.split_once("\nresults:").unwrap();
        let found: Vec<Value> =
            items.trim_start_matches("- ").split("\n- ").map(|item| serde_json::from_str(item).unwrap()).collect();
        assert_eq!(found, wanted, "{output}");
    }
}

#[test]
fn a_host_gets_json_output() {
    let folder = folder();
    let wanted = moved(folder.path());
    for layout in ALL {
        let list = json!({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": config(), "items": objects()});
        let output = hostnet(&[], folder.path(), &layout.write(&list));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(list["items"].as_array().unwrap(), &wanted);
        assert_eq!(list["functionConfig"], config());
        assert!(!list["results"].as_array().unwrap().is_empty());
    }
}

#[test]
fn files_in_place_and_their_diff() {
    let folder = folder();
    let wanted = moved(folder.path());
    let forms = [Form::List, Form::Values, Form::Array];
    let mut names = Vec::new();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    for (number, (form, layout)) in forms.iter().flat_map(|form| ALL.map(|layout| (form, layout))).enumerate() {
        let path = folder.path().join(format!("in/{number}.json"));
        std::fs::write(&path, form.write(&objects(), layout)).unwrap();
        names.push((path, *form));
    }
    let config = json!({"apiVersion": "hostnet.dev/v1alpha1", "kind": "HostNetwork", "metadata": {"name": "x"}, "spec": {"targets": [{"select": {"kind": "Deployment", "name": "web"}, "ports": {"http": 20080, "9090": 20090}}]}});
    std::fs::write(folder.path().join("hostnet.json"), config.to_string()).unwrap();
    for (path, form) in &names {
        let file = path.to_str().unwrap();
        let relative = format!("in/{}", path.file_name().unwrap().to_str().unwrap());
        let diff = hostnet(&["apply", "-c", "hostnet.json", "--diff", &relative], folder.path(), "");
        assert!(diff.status.success(), "{}", text(&diff.stderr));
        let before = std::fs::read_to_string(path).unwrap();
        let output = hostnet(&["apply", "-c", "hostnet.json", "--in-place", file], folder.path(), "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let after = std::fs::read_to_string(path).unwrap();
        assert_eq!(form.read(&after).unwrap(), wanted, "{after}");
        // The diff has the changed lines of the file.
        let diff = text(&diff.stdout);
        let lines = |sign: char| {
            let body = diff.split_inclusive('\n').skip(2).filter(move |line| line.starts_with(sign));
            body.map(move |line| line.trim_start_matches(sign).trim_end().to_owned()).collect::<Vec<_>>()
        };
        for (sign, text) in [('-', &before), ('+', &after)] {
            assert!(!lines(sign).is_empty(), "{diff}");
            assert!(lines(sign).iter().all(|line| text.lines().any(|known| known.trim_end() == line)), "{diff}");
        }
        let check = hostnet(&["apply", "-c", "hostnet.json", "--check", file], folder.path(), "");
        assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    }
}

/// Python's JSON reader accepts the output.
#[test]
fn python_parses_the_output() {
    let Some(python) = find_program("python3") else {
        not_run("python3 is missing");
        return;
    };
    let folder = folder();
    let wanted = moved(folder.path());
    for layout in ALL {
        let output = applied(folder.path(), &Form::List.write(&objects(), layout));
        let program = "import json, sys; print(json.dumps(json.load(sys.stdin)['items']))";
        let read = run(Command::new(&python).args(["-X", "utf8", "-c", program]), output.as_bytes());
        assert!(read.status.success(), "{}\n{output}", text(&read.stderr));
        assert_eq!(serde_json::from_slice::<Vec<Value>>(&read.stdout).unwrap(), wanted);
    }
}
