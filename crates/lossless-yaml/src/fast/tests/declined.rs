//! Every document of every corpus is read as granit reads it, and few that granit reads are left to it.

use super::material::corpora;
use super::{Read, check};
use crate::builder::Builder;

/// Of a hundred documents that people wrote, the most that may be left.
const MOST_DECLINED: usize = 3;

#[test]
fn few_documents_are_left_to_granit() {
    let mut table = String::new();
    let corpora = corpora();
    for corpus in &corpora {
        let is_left = |text: &&String| check(text) == Read::Declined && Builder::new(text).run().is_ok();
        let declined = corpus.documents.iter().filter(is_left).count();
        let share = (declined * 100).div_ceil(corpus.documents.len().max(1));
        table.push_str(&format!("{:<26} {share:>2} %\n", corpus.name));
        // They show all that YAML has.
        assert!(corpus.name == "tests/documents" || share <= MOST_DECLINED, "{table}");
    }
    insta::assert_snapshot!(table, @"
    examples                    2 %
    kustomization-tests         0 %
    tests/corpus                0 %
    tests/documents            28 %
    tests/rules                 0 %
    ");
}
