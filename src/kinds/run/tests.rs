//! Hand-written plans: output and results for added and removed objects.

use super::*;
use crate::kinds::load::{kinds, load};
use crate::model::Object;
use crate::plan::{Content, Edit};
use krm::Origin;
use lossless_yaml::{Path, Value};

fn edit(object: ObjectId, path: &str, change: Change) -> Edit {
    Edit {
        object,
        path: Path::dotted(path),
        change,
        rule: rule::HOST_NETWORK,
        message: format!("{object} {path}").into(),
    }
}

fn input(name: &str, text: &str) -> Input {
    Input::read(Origin::file(name), text.into()).unwrap()
}

/// Returns the outputs and results of a run with these edits. The first free id belongs to a copy of the first object
/// with the name `new`.
fn run_with(inputs: &[Input], edits: impl FnOnce(ObjectId) -> Vec<Edit>) -> (Vec<String>, Run) {
    let kinds = kinds(None);
    let loaded = load(inputs, &kinds, |node| (Object::read(node, &kinds, |_| None), ()), |_, _, ()| ()).unwrap();
    let (Planned { plan, read }, ()) = loaded.planned(
        inputs,
        |_| false,
        |model| {
            let mut meta = model.objects()[0].meta.clone();
            meta.name = "new".to_owned();
            let id = model.objects().len();
            let finding = Finding::new(Severity::Warning, rule::HOST_NETWORK, "of the new one").on_object(id);
            let findings = vec![finding.at(Path::dotted("spec"))];
            (Plan { edits: edits(id), new: vec![meta], findings, ..Plan::default() }, ())
        },
    );
    let run = rendered(inputs, plan, read, FailOn::default(), true);
    let outputs = inputs.iter().zip(&run.splices).map(|(input, splices)| input.output(splices)).collect();
    (outputs, run)
}

fn name(id: ObjectId) -> Edit {
    edit(id, "metadata.name", Change::Set { old: "a".into(), new: "new".into() })
}

fn copy(id: ObjectId, after: ObjectId) -> Edit {
    edit(id, "", Change::AddDocument { after, content: Content::Copy })
}

fn messages(run: &Run) -> String {
    run.results.iter().map(|outcome| format!("{outcome} {:?}\n", outcome.resource.as_ref().map(|r| &r.name))).collect()
}

const A: &str = "kind: A\napiVersion: v1\nmetadata:\n  name: a\n";
const B: &str = "kind: B\napiVersion: v1\nmetadata:\n  name: b\n";

#[test]
fn changes_reach_their_input() {
    let inputs = [input("a.yaml", A), input("none.yaml", "# nothing\n"), input("b.yaml", B)];
    let (outputs, run) = run_with(&inputs, |id| {
        let set = |id, new: &str| edit(id, "kind", Change::Set { old: "x".into(), new: new.into() });
        vec![set(0, "Aa"), set(1, "Bb"), copy(id, 1), name(id)]
    });
    assert!(run.changes);
    assert_eq!(outputs[0], A.replace("kind: A", "kind: Aa"));
    assert_eq!(outputs[1], "# nothing\n");
    assert_eq!(outputs[2], format!("{}---\n{}", B.replace("kind: B", "kind: Bb"), B.replace("name: b", "name: new")));
    insta::assert_snapshot!(messages(&run), @r#"
    warning: of the new one [host-network] Some("new")
    info: 2  [host-network] Some("new")
    info: 2 metadata.name [host-network] Some("new")
    info: 0 kind [host-network] Some("a")
    info: 1 kind [host-network] Some("b")
    "#);
}

#[test]
fn an_object_that_stays_in_its_file_is_reported() {
    let inputs = [input("a.yaml", A), input("b.yaml", &format!("{A}---\n{B}"))];
    let (outputs, run) =
        run_with(&inputs, |_| vec![edit(0, "", Change::RemoveDocument), edit(1, "", Change::RemoveDocument)]);
    assert_eq!(outputs[0], format!("{A}  annotations:\n    config.kubernetes.io/local-config: \"true\"\n"));
    assert_eq!(outputs[1], B);
    insta::assert_snapshot!(messages(&run), @r#"
    warning: of the new one [host-network] Some("new")
    info: 0 ; its file must keep the object, which gets the annotation config.kubernetes.io/local-config: "true", so that it is not applied [host-network] Some("a")
    info: 1  [host-network] Some("a")
    "#);
}

#[test]
fn a_list_takes_the_new_object_and_its_results() {
    let list = "kind: ResourceList\nitems:\n- kind: A\n  apiVersion: v1\n  metadata: {name: a}\n";
    let (outputs, _) =
        run_with(&[Input::read(Origin::stdin(), list.into()).unwrap()], |id| vec![copy(id, 0), name(id)]);
    insta::assert_snapshot!(outputs[0], @r#"
    kind: ResourceList
    items:
    - kind: A
      apiVersion: v1
      metadata: {name: a}
    - kind: A
      apiVersion: v1
      metadata: {name: new}
    results:
    - message: of the new one
      severity: warning
      resourceRef:
        apiVersion: v1
        kind: A
        name: new
      field:
        path: spec
      tags:
        rule: host-network
        doc: https://hostnet.dev/docs/rules/host-network.md
    - message: "1 "
      severity: info
      resourceRef:
        apiVersion: v1
        kind: A
        name: new
      tags:
        rule: host-network
        doc: https://hostnet.dev/docs/rules/host-network.md
    - message: 1 metadata.name
      severity: info
      resourceRef:
        apiVersion: v1
        kind: A
        name: new
      field:
        path: metadata.name
        currentValue: a
        proposedValue: new
      tags:
        rule: host-network
        doc: https://hostnet.dev/docs/rules/host-network.md
    "#);
}

#[test]
fn one_unwritable_file_leaves_all_files_unwritten() {
    let inputs = [input("a.yaml", A), input("b.yaml", "kind: B\napiVersion: v1\ntext: |\n  end")];
    let (outputs, run) =
        run_with(&inputs, |id| vec![edit(0, "kind", Change::Set { old: "A".into(), new: "Aa".into() }), copy(id, 1)]);
    assert!(run.failed() && !run.changes);
    assert_eq!(outputs[0], A);
    insta::assert_snapshot!(messages(&run), @r#"
    warning: of the new one [host-network] Some("new")
    error: b.yaml, line 1, column 1: nothing can be appended: the text ends inside of a block scalar, without a line break. End the last line
      |
    1 | kind: B
      | ^ [document] None
    "#);
}

#[test]
fn duplicate_keys_are_not_copied() {
    let twice = input("a.yaml", &format!("{A}x: 1\nx: 2\n"));
    let copied = run_with(std::slice::from_ref(&twice), |id| vec![copy(id, 0)]).1;
    assert!(copied.failed(), "{}", messages(&copied));
    let new = Value::Map(vec![("kind".to_owned(), "C".into()), ("apiVersion".to_owned(), "v1".into())]);
    let (outputs, run) = run_with(&[twice], |id| {
        let content = Content::New(new.clone());
        vec![edit(id, "", Change::AddDocument { after: 0, content }), edit(0, "", Change::RemoveDocument)]
    });
    assert!(!run.failed(), "{}", messages(&run));
    assert_eq!(outputs[0], "kind: C\napiVersion: v1\n");
}
