//! The corpora of the fuzz targets, with the input of each finding.

use std::fs;
use std::path::Path;

#[cfg(feature = "registry")]
use super::registries;
use super::{archives, bytes, configs, edits, helps, plans, schemas, scripts};

/// Runs the files of a target's corpus. The test of target `reader` is next to the reader.
fn replayed(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        // Printed only if the test fails.
        println!("{}", path.display());
        run(&fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count > 3, "{count} files of {target}");
}

#[test]
fn bytes_of_the_corpus() {
    replayed("bytes", bytes);
}

#[test]
fn configs_of_the_corpus() {
    replayed("configs", configs);
}

#[test]
fn edits_of_the_corpus() {
    replayed("edits", edits);
}

#[test]
fn plans_of_the_corpus() {
    replayed("plans", plans);
}

#[test]
fn scripts_of_the_corpus() {
    replayed("scripts", scripts);
}

#[test]
fn helps_of_the_corpus() {
    replayed("helps", helps);
}

#[test]
fn archives_of_the_corpus() {
    replayed("archives", archives);
}

#[cfg(feature = "registry")]
#[test]
fn registries_of_the_corpus() {
    replayed("registries", registries);
}

#[test]
fn schemas_of_the_corpus() {
    replayed("schemas", schemas);
}
