//! Places of objects and their fields in inputs.

use std::collections::BTreeMap;

use crate::model::ObjectId;
use crate::render::check::Location;
use krm::{Form, Input, shown_path};
use lossless_yaml::Path;

/// File of an input.
pub(super) fn file(input: &Input) -> Option<String> {
    input.origin().path().map(shown_path)
}

/// Index of an object's input, and its index in that input; `firsts` holds the index of each input's first object.
pub(super) fn input_of(firsts: &[usize], object: ObjectId) -> Option<(usize, usize)> {
    let input = firsts.partition_point(|&first| first <= object).checked_sub(1)?;
    Some((input, object - firsts.get(input)?))
}

/// Locations of fields, in the order of `fields`; `firsts` holds the index of each input's first object.
pub(super) fn locations(inputs: &[Input], firsts: &[usize], fields: &[(ObjectId, &Path)]) -> Vec<Option<Location>> {
    let places = positions(inputs, firsts, fields);
    places.into_iter().map(|place| place.map(|(input, position)| Location { file: file(input), position })).collect()
}

/// Input of a field; line and column if the text of the input contains the field.
pub(super) type FieldPosition<'i> = (&'i Input, Option<(usize, usize)>);

/// Fields of one input: for each its index in the result, and the object's index in the input with the path.
type Fields<'p> = (Vec<usize>, Vec<(usize, &'p Path)>);

/// Input, and line and column, of each field, in the order of `fields`; `firsts` holds the index of the first object of
/// each input. Objects of a ResourceList have no position, because their text differs from the text in the source
/// files.
pub(super) fn positions<'i>(
    inputs: &'i [Input],
    firsts: &[usize],
    fields: &[(ObjectId, &Path)],
) -> Vec<Option<FieldPosition<'i>>> {
    let mut places = vec![None; fields.len()];
    let mut by_input: BTreeMap<usize, Fields<'_>> = BTreeMap::new();
    for (index, (object, path)) in fields.iter().enumerate() {
        if let Some((input, position)) = input_of(firsts, *object) {
            let (indices, fields) = by_input.entry(input).or_default();
            indices.push(index);
            fields.push((position, path));
        }
    }
    for (input, (indices, fields)) in by_input {
        let Some(input) = inputs.get(input).filter(|input| input.form() != Form::ResourceList) else { continue };
        for (index, position) in indices.into_iter().zip(input.positions(&fields)) {
            if let Some(slot) = places.get_mut(index) {
                *slot = Some((input, position));
            }
        }
    }
    places
}
