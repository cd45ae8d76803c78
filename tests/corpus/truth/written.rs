//! Checks that each `truth.yaml` fits its own manifest.

use super::classify::{Ask, Judge};
use super::objects::{at, at_inner, container, containers, id, leaves, template_path, whole_numbers};
use super::process::{Process, name};
use super::programs::{Program, programs};

#[test]
fn every_truth_file_matches_its_manifest() {
    let mut wrong = Vec::new();
    for program in programs() {
        let mut say = |what: String| wrong.push(format!("{}: {what}", program.name));
        containers_are_all_there(&program, &mut say);
        listeners_are_as_written(&program, &mut say);
        references_lead_to_their_listeners(&program, &mut say);
        numbers_are_all_explained(&program, &mut say);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

type Say<'s> = dyn FnMut(String) + 's;

fn containers_are_all_there(program: &Program, say: &mut Say<'_>) {
    let written = &program.truth.containers;
    if !program.truth.project.contains('/') {
        say("`project` is owner/name".to_owned());
    }
    for workload in program.input.0.iter().filter(|object| template_path(object).is_some()) {
        for one in containers(workload) {
            let whose = format!("{}/{}", id(workload), one["name"].as_str().unwrap_or_default());
            let count = written.iter().filter(|container| {
                format!("{}/{}", container.container.workload(), container.container.container) == whose
            });
            if count.count() != 1 {
                say(format!("{whose} has to be written once"));
            }
        }
    }
}

fn listeners_are_as_written(program: &Program, say: &mut Say<'_>) {
    for written in &program.truth.containers {
        let whose = &written.container;
        let Some(own) = program.input.find(&whose.workload()).and_then(|object| container(object, &whose.container))
        else {
            say(format!("{}/{} is not in the input", whose.workload(), whose.container));
            continue;
        };
        let process = Process { objects: &program.input, container: own };
        for listener in &written.listeners {
            let bound = process.binds(listener);
            if bound != Ok(listener.number) {
                say(format!("{} {}: the manifest makes {bound:?} of it", whose.container, listener.number));
            }
            is_a_place(&listener.source, say);
        }
        for text in &written.not_listeners {
            let value = match text.at.strip_prefix("env.") {
                Some(variable) => own["env"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .rfind(|one| one["name"] == variable)
                    .and_then(|one| one.get("value")),
                None => at(own, &text.at),
            };
            let Some(value) = value.and_then(serde_json::Value::as_str) else {
                say(format!("{} has no {}", whose.container, text.at));
                continue;
            };
            let part = text.text.as_deref().unwrap_or(value);
            if !value.contains(part)
                || !super::objects::runs(part).any(|(start, end)| part[start..end] == text.number.to_string())
            {
                say(format!("{} {}: `{value}` has no {}", whose.container, text.at, text.number));
            }
            let settings = written.listeners.iter().flat_map(|listener| &listener.settings);
            let mut names = settings.map(|known| name(known).trim_start_matches('-'));
            let flag = value.trim_start_matches('-').split('=').next().unwrap_or_default();
            let variable = text.at.strip_prefix("env.").unwrap_or(flag);
            if text.text.is_none() && text.number >= 10 && names.any(|name| name == variable) {
                say(format!("{} {} sets a listener, but is in not_listeners", whose.container, text.at));
            }
            is_a_place(&text.source, say);
        }
    }
}

/// `path/in/repo.go:123`
fn is_a_place(source: &str, say: &mut Say<'_>) {
    let line = source.rsplit_once(':').and_then(|(_, line)| line.split('-').next()?.parse::<usize>().ok());
    if line.is_none() {
        say(format!("`{source}` is not FILE:LINE"));
    }
}

fn references_lead_to_their_listeners(program: &Program, say: &mut Say<'_>) {
    let input = &program.input;
    let judge = Judge { truth: &program.truth, input, output: input, log: &[], ask: &Ask::Keep };
    for reference in &program.truth.references {
        let what = format!("{} {}", reference.object, reference.at);
        if program.truth.meant(&reference.means).is_none() {
            say(format!("{what} refers to a listener that is not listed"));
        } else if !judge.leads_to(input, reference).contains(&reference.means.number) {
            say(format!("{what} does not lead to {}", reference.means.number));
        }
    }
    for stays in &program.truth.not_references {
        if input.find(&stays.object).and_then(|object| at_inner(object, &stays.at)).is_none() {
            say(format!("{} has no {}", stays.object, stays.at));
        }
    }
}

/// Checks that the truth explains every number of a container that looks like a port, and every number of a Service.
fn numbers_are_all_explained(program: &Program, say: &mut Say<'_>) {
    let truth = &program.truth;
    for object in &program.input.0 {
        let mut found = Vec::new();
        let is_service = object["kind"] == "Service";
        leaves(&object["spec"], "spec", &mut found);
        let is_number = |text: &str| text.parse::<u16>().is_ok();
        for (path, text) in found.iter().filter(|(path, text)| {
            is_service
                && is_number(text)
                && path.rsplit('.').next().is_some_and(|step| step == "port" || step == "targetPort")
        }) {
            let referred = truth.references.iter().map(|one| (&one.object, &one.at));
            let mut known = referred.chain(truth.not_references.iter().map(|one| (&one.object, &one.at)));
            if !known.any(|(object_id, place)| *object_id == id(object) && place == path) {
                say(format!("{} {path}: {text} is in neither references nor not_references", id(object)));
            }
        }
    }
    for written in &truth.containers {
        let whose = &written.container;
        let Some(own) = program.input.find(&whose.workload()).and_then(|object| container(object, &whose.container))
        else {
            continue;
        };
        let mut texts: Vec<(String, String)> = Vec::new();
        leaves(&own["command"], "command", &mut texts);
        leaves(&own["args"], "args", &mut texts);
        let mut places: Vec<(String, String)> = Vec::new();
        for (index, variable) in own["env"].as_array().into_iter().flatten().enumerate() {
            let (Some(name), Some(value)) = (variable["name"].as_str(), variable["value"].as_str()) else { continue };
            texts.push((format!("env.{name}"), value.to_owned()));
            places.push((format!("env.{name}"), format!("env[{index}].value")));
        }
        for (place, text) in texts {
            for number in whole_numbers(&text).into_iter().filter(|&number| number >= 80) {
                let listens = written.listeners.iter().any(|listener| listener.number == number);
                let is_none = written.not_listeners.iter().any(|none| none.at == place);
                let referred = truth.references.iter().filter(|one| one.object == whose.workload());
                let referred = referred.map(|one| with_name(&one.at, own)).any(|path| is_below(&path, &place));
                if !listens && !is_none && !referred {
                    say(format!("{} {place}: {number} in `{text}` is not explained", whose.container));
                }
            }
        }
    }
}

/// Converts `env[6].value` to `env.NAME`.
fn with_name(path: &str, container: &serde_json::Value) -> String {
    let Some((start, rest)) = path.rsplit_once(".env[") else { return path.to_owned() };
    let index = rest.split(']').next().and_then(|index| index.parse::<usize>().ok()).unwrap_or_default();
    format!("{start}.env.{}", container["env"][index]["name"].as_str().unwrap_or_default())
}

/// True if a path of an object ends at a place of a container.
fn is_below(path: &str, place: &str) -> bool {
    path.ends_with(&format!("].{place}"))
}
