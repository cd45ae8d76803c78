//! Files and folders: the files found, how they are written, and the diff.

use std::fs;
use std::path::{Path, PathBuf};

use krm::{Added, Changes, Input, Origin, diff, files, in_place};
use lossless_yaml::{Op, Splice, Value};

const POD: &str = "apiVersion: v1\nkind: Pod\n";

/// A folder with these files, given as `NAME` or `NAME=CONTENT`; without content, a file holds a Pod.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let (name, content) = name.split_once('=').unwrap_or((name, POD));
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// The files and messages found, as one text without the name of the temporary folder.
fn found(folder: &Path, sources: bool) -> String {
    let text = match files::collect(&[folder.to_owned()], sources, "hostnet apply -c CONFIG") {
        Err(error) => format!("error: {error}"),
        Ok(found) => {
            let paths: Vec<String> = found.paths.iter().map(|path| path.display().to_string()).collect();
            let warnings = found.warnings.iter().map(|warning| format!("warning: {warning}"));
            let changed =
                found.changed.iter().map(|one| format!("{} sets {}", one.folder.display(), one.fields.join(", ")));
            let charts = found.chart_folders.iter().map(|chart| format!("{}: a chart", chart.display()));
            let message: Vec<String> =
                charts.chain(found.notes.iter().cloned()).chain(warnings).chain(changed).collect();
            format!("{}\n--\n{}", paths.join("\n"), message.join("\n"))
        }
    };
    text.replace(folder.to_str().unwrap(), "DIR")
}

#[test]
fn a_folder_gives_its_manifests() {
    let folder = folder(&[
        "b.yaml",
        "a.yml",
        "c.json",
        "d.txt",
        "sub/x.yaml",
        "Kptfile",
        ".git/x.yaml",
        "gen/x.yaml",
        ".krmignore=gen\n",
    ]);
    insta::assert_snapshot!(found(folder.path(), false), @r"
    DIR/a.yml
    DIR/b.yaml
    DIR/c.json
    DIR/sub/x.yaml
    --
    ");
}

#[test]
fn sources_of_other_programs_are_an_error() {
    let folder = folder(&[
        "a.yaml",
        "k/base/kustomization.yaml=resources: []",
        "k/kustomization.yml=resources: []",
        "charts/c/Chart.yaml=name: c",
        "charts/c/templates/a.yaml",
    ]);
    insta::assert_snapshot!(found(folder.path(), false), @r#"
        error: some files are only inputs of a build, whose output reaches the cluster
          DIR/charts/c is a Helm chart: helm template NAME DIR/charts/c | hostnet apply -c CONFIG
          DIR/k is a kustomization: kustomize build DIR/k | hostnet apply -c CONFIG
        or give the folder and --sources to read the resources that its kustomizations list
    "#);
}

#[test]
fn sources_on_demand() {
    let folder = folder(&[
        "plain.yaml",
        "app/kustomization.yaml=resources: [d.yaml, https://example.com/x.yaml]\ncomponents: [part]\npatches:\n- path: p.yaml\n- patch: |\n    a: b\nconfigMapGenerator:\n- name: x\n  files: [key=values.yaml]\n",
        "app/d.yaml",
        "app/p.yaml",
        "app/values.yaml",
        "app/forgotten.yaml",
        "app/part/Kustomization=resources:\n- e.yaml\n",
        "app/part/e.yaml",
        "chart/Chart.yaml=name: c",
        "chart/templates/t.yaml={{ broken",
        "chart/charts/inner/Chart.yaml=name: i",
    ]);
    insta::assert_snapshot!(found(folder.path(), true), @"
    DIR/app/d.yaml
    DIR/app/part/e.yaml
    DIR/plain.yaml
    --
    DIR/chart: a chart
    DIR/app/forgotten.yaml: skipped, DIR/app/kustomization.yaml does not list it
    DIR/app/p.yaml: skipped, it is listed under patches of DIR/app/kustomization.yaml
    DIR/app/values.yaml: skipped, it is listed under configMapGenerator of DIR/app/kustomization.yaml
    DIR/app sets patches
    ");
}

/// Patches of kustomizations are not in any of the files: inline patches are not even reported as `skipped`.
#[test]
fn patches_of_kustomizations_are_not_read() {
    let folder = folder(&[
        "base/kustomization.yaml=resources: [d.yaml]\npatches: []\nreplacements:\n",
        "base/d.yaml",
        "a/kustomization.yaml=resources: [../base]\npatches:\n- patch: |\n    a: b\n",
        "b/kustomization.yaml=resources: [../base]\npatchesStrategicMerge: [p.yaml]\npatchesJson6902: [{path: p.yaml}]\n",
        "b/p.yaml",
        "c/kustomization.yaml=resources: [../base]\nreplacements: [{path: r.yaml}]\n",
    ]);
    insta::assert_snapshot!(found(folder.path(), true), @"
    DIR/base/d.yaml
    --
    DIR/b/p.yaml: skipped, it is listed under patchesStrategicMerge of DIR/b/kustomization.yaml
    DIR/a sets patches
    DIR/b sets patchesStrategicMerge, patchesJson6902
    DIR/c sets replacements
    ");
}

#[test]
fn nothing_found_is_an_error() {
    let folder = folder(&["readme.md"]);
    insta::assert_snapshot!(found(folder.path(), false), @"error: DIR: no *.yaml, *.yml or *.json file");
    assert!(
        files::collect(&[folder.path().join("none.yaml")], false, "ports")
            .unwrap_err()
            .to_string()
            .contains("none.yaml")
    );
}

#[test]
fn each_file_once() {
    let folder = folder(&["a.yaml", "b.txt"]);
    let a = folder.path().join("a.yaml");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&a, folder.path().join("z.yaml")).unwrap();
    let b = folder.path().join("b.txt");
    let paths = [a.clone(), folder.path().to_owned(), b.clone(), b.clone(), PathBuf::from("-")];
    assert_eq!(files::collect(&paths, false, "ports").unwrap().paths, [a, b, PathBuf::from("-")]);
}

/// An input, and the edit that changes a Pod to a Node.
fn node_of_pod(path: PathBuf) -> (Input, Vec<Splice>) {
    let bytes = fs::read(&path).unwrap();
    let input = Input::read(Origin::file(path), bytes).unwrap();
    let op = Op::Set { path: lossless_yaml::Path::dotted("kind"), value: Value::from("Node") };
    let splices =
        input.render(std::collections::BTreeMap::from([(0, vec![op])]), Vec::<lossless_yaml::Value>::new()).unwrap();
    (input, splices)
}

fn write(paths: &[PathBuf]) -> Result<Vec<PathBuf>, in_place::InPlaceError> {
    let (inputs, splices): (Vec<_>, Vec<_>) = paths.iter().cloned().map(node_of_pod).unzip();
    in_place::write(&inputs, &splices)
}

#[cfg(unix)]
#[test]
fn modes_and_links_are_preserved() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = folder(&["real/a.yaml", "b.yaml=apiVersion: v1\nkind: Node\n"]);
    let (a, b, link) = (folder.path().join("real/a.yaml"), folder.path().join("b.yaml"), folder.path().join("l.yaml"));
    fs::set_permissions(&a, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real/a.yaml", &link).unwrap();
    let before = fs::metadata(&b).unwrap();
    assert_eq!(write(&[link.clone(), b.clone()]).unwrap(), std::slice::from_ref(&link));
    assert_eq!(fs::read_to_string(&a).unwrap(), "apiVersion: v1\nkind: Node\n");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&a).unwrap().permissions().mode() & 0o7777, 0o640);
    // An unchanged file is not touched.
    let after = fs::metadata(&b).unwrap();
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
    let names: Vec<_> = fs::read_dir(folder.path().join("real")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["a.yaml"], "no temporary file remains");
}

/// Names and values of a file's extended attributes that begin with `user.`.
#[cfg(target_os = "linux")]
fn attributes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut names = vec![0; 1000];
    let length = rustix::fs::listxattr(path, &mut names).unwrap();
    let names = String::from_utf8(names[..length].to_vec()).unwrap();
    let value = |name: &str| {
        let mut value = vec![0; 1000];
        let length = rustix::fs::getxattr(path, name, &mut value).unwrap();
        (name.to_owned(), value[..length].to_vec())
    };
    names.split('\0').filter(|name| name.starts_with("user.")).map(value).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn extended_attributes_stay() {
    let folder = folder(&["a.yaml"]);
    let file = folder.path().join("a.yaml");
    for (name, value) in [("user.origin", b"https://example.com".as_slice()), ("user.empty", b"")] {
        // A file system without extended attributes has nothing to preserve.
        let Ok(()) = rustix::fs::setxattr(&file, name, value, rustix::fs::XattrFlags::empty()) else { return };
    }
    let before = attributes(&file);
    assert_eq!(before.len(), 2);
    write(std::slice::from_ref(&file)).unwrap();
    assert_eq!(attributes(&file), before);
    in_place::replace(&file, POD).unwrap();
    assert_eq!(attributes(&file), before);
}

#[test]
fn nothing_is_written_unless_all_can_be() {
    let folder = folder(&["a.yaml", "b.yaml"]);
    let (a, b) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
    let (inputs, splices): (Vec<_>, Vec<_>) = [a.clone(), b.clone()].map(node_of_pod).into_iter().unzip();
    fs::write(&b, "apiVersion: v1\nkind: Pod # by somebody else\n").unwrap();
    let error = in_place::write(&inputs, &splices).unwrap_err().to_string();
    assert!(error.contains("b.yaml: the file changed while this program ran; no file was changed"), "{error}");
    assert_eq!(fs::read_to_string(&a).unwrap(), POD);
}

#[test]
fn a_file_cannot_be_written_twice() {
    let folder = folder(&["a.yaml", "b.yaml"]);
    let (a, b) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
    let error = write(&[a.clone(), b.clone(), a.clone()]);
    let error = match error {
        Ok(written) => format!("{written:?}"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("twice"), "{error}");
    assert_eq!(fs::read_to_string(&b).unwrap(), POD);
}

#[test]
fn a_diff_that_can_be_applied() {
    let folder = folder(&["a.yaml=apiVersion: v1\nkind: Pod # pod\na: b", "b.yaml=apiVersion: v1\nkind: Node\n"]);
    let (inputs, splices): (Vec<_>, Vec<_>) =
        ["a.yaml", "b.yaml"].map(|name| node_of_pod(folder.path().join(name))).into_iter().unzip();
    let mut out = Vec::new();
    diff::write(&inputs, &splices, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let name = folder.path().to_str().unwrap().trim_start_matches('/');
    insta::assert_snapshot!(text.replace(name, "DIR"), @r"
    --- a/DIR/a.yaml
    +++ b/DIR/a.yaml
    @@ -1,3 +1,3 @@
     apiVersion: v1
    -kind: Pod # pod
    +kind: Node # pod
     a: b
    \ No newline at end of file
    ");
}

#[test]
fn files_listed_by_a_kustomization_keep_an_object() {
    let two = format!("{POD}---\n{POD}");
    let folder = folder(&[
        "app/kustomization.yaml=resources: [sub/listed.yaml]\npatches: [{path: patch.yaml}]\n",
        &format!("app/sub/listed.yaml={two}"),
        &format!("app/patch.yaml={two}"),
        &format!("app/sub/other.yaml={two}"),
        "broken/kustomization.yaml=resources: [",
        &format!("broken/listed.yaml={two}"),
        &format!("alone.yaml={two}"),
    ]);
    let after_removal = |name: &str| {
        let input = Input::read(Origin::file(folder.path().join(name)), two.clone().into()).unwrap();
        let [input] = <[Input; 1]>::try_from(files::in_place(vec![input], &[])).unwrap();
        let changes = Changes { removed: [0].into(), ..Changes::default() };
        let splices = input.render(changes, Vec::<Value>::new()).unwrap();
        input.output(&splices)
    };
    for name in ["app/sub/listed.yaml", "app/patch.yaml", "broken/listed.yaml"] {
        assert!(after_removal(name).contains("local-config: \"true\""), "{name}");
    }
    for name in ["app/sub/other.yaml", "alone.yaml"] {
        assert_eq!(after_removal(name), POD, "{name}");
    }
}

#[test]
fn a_diff_of_added_and_removed_objects() {
    let path = PathBuf::from("a.yaml");
    let two = format!("{POD}---\n{}", POD.replace("Pod", "Node"));
    let input = Input::read(Origin::file(path), two.into()).unwrap();
    let added = [(1, vec![Added::Copy(Vec::new())])].into();
    let changes = Changes { removed: [0].into(), added, ..Changes::default() };
    let splices = input.render(changes, Vec::<Value>::new()).unwrap();
    let mut out = Vec::new();
    diff::write(&[input], &[splices], &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @"
    --- a/a.yaml
    +++ b/a.yaml
    @@ -1,5 +1,5 @@
     apiVersion: v1
    -kind: Pod
    +kind: Node
     ---
     apiVersion: v1
     kind: Node
    ");
}
