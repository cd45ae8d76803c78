//! The fast parser reads most documents of the corpora, with the same tree as granit.

use super::material::corpora;
use super::{Read, check};
use crate::builder::Builder;

/// Maximum percentage of a corpus's documents that the fast parser declines.
const MAX_DECLINED: usize = 3;

#[test]
fn few_documents_are_left_to_granit() {
    let mut table = String::new();
    let corpora = corpora();
    for corpus in &corpora {
        let is_left = |text: &&String| check(text) == Read::Declined && Builder::new(text).run().is_ok();
        let declined = corpus.documents.iter().filter(is_left).count();
        let share = (declined * 100).div_ceil(corpus.documents.len().max(1));
        table.push_str(&format!("{:<26} {share:>2} %\n", corpus.name));
        // `tests/documents` covers all forms of YAML.
        assert!(corpus.name == "tests/documents" || share <= MAX_DECLINED, "{table}");
    }
    insta::assert_snapshot!(table, @"
    examples                    2 %
    kustomization-tests         0 %
    tests/corpus                0 %
    tests/documents            28 %
    tests/rules                 0 %
    ");
}
