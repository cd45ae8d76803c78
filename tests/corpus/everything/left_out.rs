//! What is not read of objects: it would not have said anything.

use std::sync::atomic::{AtomicUsize, Ordering};

use hostnet::api::Config;
use hostnet::catalog::workload_kinds;
use hostnet::kinds::{self, host_network};
use hostnet::model::{Kinds, Object, TemplateKind};
use hostnet::wire::{Head, Input, Origin, Place};
use hostnet::yaml::{LeavesOut, NodeRef};

use super::material::{self, Unit};

const ALL_BUT_IDENTITY: LeavesOut = |outer, key| outer.is_none() && !["apiVersion", "kind", "metadata"].contains(&key);

fn units() -> impl Iterator<Item = Unit> {
    material::own().into_iter().chain(material::beside()).flat_map(|corpus| corpus.units)
}

fn inputs(unit: &Unit) -> Vec<Input> {
    let files = unit.files.iter();
    files.filter_map(|(name, text)| Input::read(Origin::file(name), text.clone().into_bytes()).ok()).collect()
}

/// What the model keeps of each object; of one that concerns no rule the identity is read.
fn read(input: &Input, kinds: &Kinds<'_>, left: Option<&AtomicUsize>) -> Vec<String> {
    let leaves = |head: Option<Head<'_>>| {
        let left = left?;
        head.filter(|head| !kinds.concerns(head.group, head.kind, head.text))?;
        left.fetch_add(1, Ordering::Relaxed);
        Some(ALL_BUT_IDENTITY)
    };
    let look = |_: Place<'_>, node: NodeRef<'_, '_>| Some(format!("{:?}", Object::of(node, kinds, |_| Some(&[]))));
    input.objects_without(leaves, look).map_or_else(|error| vec![error.to_string()], |found| found.unwrap().concat())
}

#[test]
fn objects_that_concern_no_rule_say_nothing() {
    let kinds = Kinds { templates: workload_kinds().iter().map(TemplateKind::from).collect(), references: &[] };
    let (mut objects, left) = (0, AtomicUsize::new(0));
    for input in units().flat_map(|unit| inputs(&unit)) {
        let whole = read(&input, &kinds, None);
        let read = read(&input, &kinds, Some(&left));
        let differs = read.iter().zip(&whole).find(|(one, other)| one != other);
        assert!(differs.is_none() && read.len() == whole.len(), "{}: {differs:?}", input.origin());
        objects += whole.len();
    }
    let left = left.into_inner();
    println!("{left} of {objects} objects are read for their identity");
    assert!(left > 5, "a test without such objects would show nothing: {left} of {objects}");
}

/// What is said where nothing matches is the same as in a run that reads everything, which `hostnet ports` is.
#[test]
fn a_run_that_matches_nothing_says_what_it_would_have_said() {
    for unmatched in ["Warn", "Ignore", "Error"] {
        for select in ["{kind: Deployment, name: nobody}", "{name: nobody, labelSelector: a=b}", "{kind: Nothing}"] {
            let config = format!(
                "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {{name: none}}\nspec: {{targets: [{{select: {select}}}], unmatched: {unmatched}}}\n"
            );
            let config = Config::read(&config, "hostnet.yaml", 1).unwrap();
            for unit in units() {
                let inputs = inputs(&unit);
                let said = kinds::run(&inputs, &config, false).map(|run| run.results);
                let (Ok(said), Ok((_, wanted))) = (said, host_network::ports(&inputs, &config, false)) else {
                    continue;
                };
                assert_eq!(format!("{said:?}"), format!("{wanted:?}"), "{}", unit.name);
            }
        }
    }
}
