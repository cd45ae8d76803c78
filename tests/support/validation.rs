//! Validation of objects by the API server's own code (`tests/go/kubernetes`).

use std::process::Command;

use serde_json::{Value, json};

use super::{find_program, not_run, run, text};

/// Validates objects with one version of Kubernetes and returns the errors of each object. Returns `None`, and prints a
/// note, if the referee is not installed.
pub(crate) fn refused(line: &str, questions: &[Value]) -> Option<Vec<Vec<String>>> {
    let name = format!("kubernetes-validation-{line}");
    let Some(program) = find_program(&name) else {
        not_run(&format!("{name} is missing (`make tools` builds those of CI with Go, `make referees` all)"));
        return None;
    };
    let stream: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let output = run(&mut Command::new(program), stream.as_bytes());
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    let answers: Vec<Vec<String>> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), questions.len(), "{name}");
    Some(answers)
}

/// Validates objects before and after a run. Returns the number of pairs, and the errors that only the new objects
/// have.
pub(crate) fn worse(line: &str, pairs: &[(Value, Value)]) -> Option<(usize, Vec<String>)> {
    let asked: Vec<(Value, Value)> =
        pairs.iter().filter_map(|(before, after)| Some((question(before)?, question(after)?))).collect();
    let questions: Vec<Value> = asked.iter().flat_map(|(before, after)| [before.clone(), after.clone()]).collect();
    let answers = refused(line, &questions)?;
    let mut worse = Vec::new();
    for ((_, after), answers) in asked.iter().zip(answers.chunks(2)) {
        let mut known: Vec<String> = answers[0].iter().map(|error| without_numbers(error)).collect();
        for error in &answers[1] {
            match known.iter().position(|one| *one == without_numbers(error)) {
                Some(at) => drop(known.swap_remove(at)),
                None => worse.push(format!("{line}: {error}: {after}")),
            }
        }
    }
    Some((asked.len(), worse))
}

/// Removes digits from an error, because a move changes port numbers.
fn without_numbers(error: &str) -> String {
    error.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// Returns the request for an object: the object itself, or the pod template of a workload. `None` if the referee does
/// not validate this kind.
fn question(object: &Value) -> Option<Value> {
    let is_core = |version: &str| object["apiVersion"] == version;
    match object["kind"].as_str()? {
        "Pod" | "Service" if is_core("v1") => Some(json!({"as": "object", "object": object})),
        "NetworkPolicy" if is_core("networking.k8s.io/v1") => Some(json!({"as": "object", "object": object})),
        kind => {
            let outer = if kind == "CronJob" { &object["spec"]["jobTemplate"]["spec"] } else { &object["spec"] };
            let mut template =
                outer.get("template").filter(|template| template["spec"]["containers"].is_array())?.clone();
            // Removes `restartPolicy`: in a template it must be `Always`, but Jobs use other values.
            if let Some(spec) = template["spec"].as_object_mut() {
                spec.remove("restartPolicy");
            }
            let object = json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "template"}, "template": template});
            Some(json!({"as": "template", "object": object}))
        }
    }
}
