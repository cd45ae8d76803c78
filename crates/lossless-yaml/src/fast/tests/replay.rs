//! The corpus of the fuzz target that holds the fast reader against granit.

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
