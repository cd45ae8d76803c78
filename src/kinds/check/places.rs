//! Locations of findings.

use std::collections::BTreeMap;

use crate::model::ObjectId;
use crate::render::check::Location;
use krm::{Form, Input, shown_path};
use lossless_yaml::Path;

/// File of an input.
pub(super) fn file(input: &Input) -> Option<String> {
    input.origin().path().map(shown_path)
}

/// Index of the query, and the query: an object's index in its input, and a path.
type Asked<'p> = (usize, (usize, &'p Path));

/// Locations of fields, in the order of `asked`. `firsts` holds the index of each input's first object. Objects of a
/// ResourceList have no location, because their text is not that of a file.
pub(super) fn locations(inputs: &[Input], firsts: &[usize], asked: &[(ObjectId, &Path)]) -> Vec<Option<Location>> {
    let mut places = vec![None; asked.len()];
    let mut by_input: BTreeMap<usize, Vec<Asked<'_>>> = BTreeMap::new();
    for (index, (object, path)) in asked.iter().enumerate() {
        let input = firsts.partition_point(|&first| first <= *object).checked_sub(1);
        let first = input.and_then(|input| firsts.get(input));
        if let (Some(input), Some(first)) = (input, first) {
            by_input.entry(input).or_default().push((index, (object - first, path)));
        }
    }
    for (input, asked) in by_input {
        let Some(input) = inputs.get(input).filter(|input| input.form() != Form::ResourceList) else { continue };
        let file = file(input);
        let (indices, asked): (Vec<usize>, Vec<(usize, &Path)>) = asked.into_iter().unzip();
        for (index, position) in indices.into_iter().zip(input.positions(&asked)) {
            if let Some(slot) = places.get_mut(index) {
                *slot = Some(Location { file: file.clone(), position });
            }
        }
    }
    places
}
