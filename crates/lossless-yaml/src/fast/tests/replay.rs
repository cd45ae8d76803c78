//! Corpus of the fuzz target that compares the fast parser with granit.

use std::fs;

use super::check;

#[test]
fn corpus_of_the_fuzz_target() {
    let folder = test_programs::project().join("fuzz/corpus/reader");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 3);
    for file in files {
        if let Ok(text) = fs::read_to_string(&file) {
            check(&text);
        }
    }
}
