//! Packages of kpt: the files of objects that are added to a ResourceList or removed from it.

use std::collections::{BTreeMap, BTreeSet};

use krm::{Added, Changes, Input, Origin};
use lossless_yaml::{NodeRef, Op, Path, Value};

use crate::support::read;

const INTERNAL: &str = "internal.config.kubernetes.io";
const LEGACY: &str = "config.kubernetes.io";

/// An item that kpt read from a file, with the annotations of these prefixes.
fn item(kind: &str, name: &str, path: &str, index: &str, prefixes: &[&str]) -> String {
    let place = prefixes.iter().map(|prefix| format!("{prefix}/path: '{path}', {prefix}/index: '{index}'"));
    let place = place.collect::<Vec<_>>().join(", ");
    format!(
        "- apiVersion: v1\n  kind: {kind}\n  metadata: {{name: {name}, annotations: {{{place}, internal.config.k8s.io/kpt-resource-id: '7', note: x}}}}\n"
    )
}

fn list(items: &[String]) -> Input {
    read(format!("apiVersion: {LEGACY}/v1\nkind: ResourceList\nitems:\n{}", items.concat()))
}

fn new() -> Added {
    let metadata = Value::Map(vec![("name".into(), "new".into())]);
    let fields = [("apiVersion", "v1".into()), ("kind", "Secret".into()), ("metadata", metadata)];
    Added::New(Value::Map(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()), Vec::new())
}

fn copy() -> Added {
    Added::Copy(vec![Op::Set { path: Path::dotted("metadata.name"), value: "copy".into() }])
}

/// Name, path and index of each object after objects were added after the first, from the annotations of a prefix.
fn places(input: &Input, added: Vec<Added>, prefix: &str) -> Vec<String> {
    let changes = Changes { added: BTreeMap::from([(0, added)]), ..Changes::default() };
    let splices = input.render(changes, Vec::<Value>::new()).unwrap();
    let output = read(input.output(&splices));
    let places = output.objects(|_, object| {
        let metadata = object.get("metadata").unwrap();
        let annotation = |key: &str| Some(metadata.get("annotations")?.get(key)?.text()?.to_owned());
        let [path, index, id] =
            [format!("{prefix}/path"), format!("{prefix}/index"), "internal.config.k8s.io/kpt-resource-id".into()]
                .map(|key: String| annotation(&key).unwrap_or_else(|| "-".to_owned()));
        format!("{} {path} {index} {id}", metadata.get("name").unwrap().text().unwrap())
    });
    places.unwrap()
}

#[test]
fn new_objects_are_at_the_end_of_the_file_that_they_follow() {
    let both = [INTERNAL, LEGACY];
    let input = list(&[
        item("Pod", "a", "app/a.yaml", "0", &both),
        item("Pod", "b", "app/a.yaml", "2", &both),
        item("Pod", "c", "a.yaml", "5", &both),
    ]);
    for prefix in both {
        assert_eq!(
            places(&input, vec![new(), copy()], prefix),
            ["a app/a.yaml 0 7", "new app/a.yaml 3 -", "copy app/a.yaml 4 -", "b app/a.yaml 2 7", "c a.yaml 5 7"]
        );
    }
}

#[test]
fn new_objects_have_only_the_annotations_that_the_input_uses() {
    let input = list(&[item("Pod", "a", "a.yaml", "0", &[INTERNAL])]);
    assert_eq!(places(&input, vec![new(), copy()], INTERNAL)[1..], ["new a.yaml 1 -", "copy a.yaml 2 -"]);
    assert_eq!(places(&input, vec![new(), copy()], LEGACY)[1..], ["new - - -", "copy - - -"]);
}

/// kustomize invents paths for functions, and an object without a path gets no path.
#[test]
fn new_objects_outside_of_a_package_have_no_file() {
    let from_kustomize =
        item("Pod", "a", "pod_a.yaml", "0", &[INTERNAL]).replace("note: x", "kustomize.config.k8s.io/id: x");
    let no_path = item("Pod", "b", "b.yaml", "0", &[]).replace(", internal", "internal");
    for input in [list(&[from_kustomize]), list(&[no_path])] {
        assert_eq!(places(&input, vec![new()], INTERNAL)[1], "new - - -");
    }
}

/// The remaining names and the marked names, after the first object was removed.
fn left(items: &[String]) -> (Vec<String>, Vec<String>) {
    let input = list(items);
    let changes = Changes { removed: BTreeSet::from([0]), ..Changes::default() };
    let splices = input.render(changes, Vec::<Value>::new()).unwrap();
    let output = read(input.output(&splices));
    let objects = output.objects(|_, object| {
        let metadata = object.get("metadata").unwrap();
        let mark = metadata.get("annotations").unwrap().get("config.kubernetes.io/local-config").is_some();
        (metadata.get("name").and_then(NodeRef::text).unwrap_or("-").to_owned(), mark)
    });
    let objects = objects.unwrap();
    let names = objects.iter().map(|(name, _)| name.clone()).collect();
    (names, objects.into_iter().filter(|(_, mark)| *mark).map(|(name, _)| name).collect())
}

/// A kustomization in the form that kpt sends: its file may lack `apiVersion` and `kind`.
fn kustomization(path: &str, fields: &str) -> String {
    format!("- {fields}\n  metadata: {{annotations: {{{INTERNAL}/path: '{path}', {INTERNAL}/index: '0'}}}}\n")
}

#[test]
fn an_object_of_a_listed_file_is_kept_and_marked() {
    let old = item("Pod", "old", "app/old.yaml", "0", &[INTERNAL]);
    let lists = [
        ("app/kustomization.yaml", "resources: [old.yaml]"),
        ("app/kustomization.yml", "kind: Kustomization\n  resources:\n  - ./old.yaml"),
        ("app/sub/Kustomization", "resources: [../old.yaml]"),
    ];
    for (path, fields) in lists {
        assert_eq!(
            left(&[old.clone(), kustomization(path, fields)]),
            (vec!["old".into(), "-".into()], vec!["old".into()])
        );
    }
    let others = [
        ("app/kustomization.yaml", "resources: [older.yaml]"),
        ("kustomization.yaml", "resources: [old.yaml]"),
        ("app/kustomization.yaml", "patches: [{path: old.yaml}]"),
    ];
    for (path, fields) in others {
        assert_eq!(
            left(&[old.clone(), kustomization(path, fields)]),
            (vec!["-".into()], Vec::new()),
            "{path} {fields}"
        );
    }
    assert_eq!(left(&[old, item("Pod", "b", "b.yaml", "0", &[INTERNAL])]), (vec!["b".into()], Vec::new()));
}

#[test]
fn other_items_still_need_a_kind() {
    let input = list(&[kustomization("app/values.yaml", "resources: [old.yaml]")]);
    let error = input.objects(|_, _| ()).unwrap_err().to_string();
    assert!(error.contains("an item of a ResourceList has to be an object with apiVersion and kind"), "{error}");
}

/// The items of a `List` inside a ResourceList have no separate file.
#[test]
fn items_are_added_and_removed_within_a_list() {
    let place = format!("{INTERNAL}/path: all.yaml, {INTERNAL}/index: '0'");
    let pods =
        ["a", "b"].map(|name| format!("  - {{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}}}\n")).concat();
    let text = format!(
        "apiVersion: {LEGACY}/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: List\n  metadata: {{annotations: {{{place}}}}}\n  items:\n{pods}"
    );
    let input = Input::read(Origin::stdin(), text.into()).unwrap();
    let changes =
        Changes { added: BTreeMap::from([(1, vec![new()])]), removed: BTreeSet::from([0]), ..Changes::default() };
    let splices = input.render(changes, Vec::<Value>::new()).unwrap();
    insta::assert_snapshot!(input.output(&splices), @"
    apiVersion: config.kubernetes.io/v1
    kind: ResourceList
    items:
    - apiVersion: v1
      kind: List
      metadata: {annotations: {internal.config.kubernetes.io/path: all.yaml, internal.config.kubernetes.io/index: '0'}}
      items:
      - {apiVersion: v1, kind: Pod, metadata: {name: b}}
      - {apiVersion: v1, kind: Secret, metadata: {name: new}}
    ");
    let both = Changes { removed: BTreeSet::from([0, 1]), ..Changes::default() };
    let splices = input.render(both, Vec::<Value>::new()).unwrap();
    assert!(input.output(&splices).ends_with("  items: []\n"), "{}", input.output(&splices));
}
