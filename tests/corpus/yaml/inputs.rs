//! Inputs: documents of the repository, manifests of the material, and the YAML test suite.

use crate::support::material::{Text, material_texts, own_texts};

pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Returns the texts that are UTF-8.
fn inputs(texts: Vec<Text>) -> Vec<Input> {
    let input = |text: Text| Some(Input { name: text.name, text: String::from_utf8(text.bytes).ok()? });
    texts.into_iter().filter_map(input).collect()
}

/// Returns the documents of the repository.
pub(crate) fn own() -> Vec<Input> {
    inputs(own_texts())
}

/// Returns every YAML and JSON file of the material.
pub(crate) fn corpus() -> Vec<Input> {
    let mut texts = material_texts("corpus");
    texts.retain(|text| [".yaml", ".yml", ".json"].iter().any(|end| text.name.ends_with(end)));
    inputs(texts)
}

/// Returns the valid and the invalid cases of the test suite.
pub(crate) fn suite() -> (Vec<Input>, Vec<Input>) {
    let (cases, marks): (Vec<Input>, Vec<Input>) =
        inputs(material_texts("yaml-test-suite")).into_iter().partition(|text| text.name.ends_with("in.yaml"));
    let is_invalid = |case: &Input| {
        let folder = case.name.trim_end_matches("in.yaml");
        marks.iter().any(|mark| mark.name.strip_suffix("error") == Some(folder))
    };
    let (invalid, valid) = cases.into_iter().partition(is_invalid);
    (valid, invalid)
}
