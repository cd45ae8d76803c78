//! One place of the manifest that sets the port of several listeners: they move together or not at all.

use std::collections::HashMap;

use super::assignments::Assignments;
use super::workload::Workload;
use crate::model::ObjectId;
use crate::model::text::TextPlace;
use crate::yaml::Path;

/// Where the number of a listener stands: the object when it is not the workload, the path of the text, and the start.
type Spot<'l> = (Option<ObjectId>, &'l Path, usize);

fn spot<'l>((object, place, _): (Option<ObjectId>, &'l TextPlace, &str)) -> Spot<'l> {
    (object, &place.path, place.range.start)
}

/// The listeners of a workload whose numbers each place sets: the first one, and the first that ends on another number than that.
pub(super) type Shared<'l> = HashMap<Spot<'l>, (usize, Option<usize>)>;

/// The places of a workload that set ports.
pub(super) fn shared<'w>(workload: &'w Workload<'_>, wanted: &Assignments) -> Shared<'w> {
    let mut shared = Shared::new();
    for (position, listener) in workload.listeners.iter().enumerate() {
        for spot in listener.binding.places().map(spot) {
            let (first, apart) = shared.entry(spot).or_insert((position, None));
            if apart.is_none() && wanted.final_number(workload, position) != wanted.final_number(workload, *first) {
                *apart = Some(position);
            }
        }
    }
    shared
}

/// Why a listener cannot move: the same place sets the number of another one, which does not move along.
pub(super) fn shared_place(
    workload: &Workload<'_>,
    shared: &Shared<'_>,
    wanted: &Assignments,
    position: usize,
    to: u16,
) -> Option<String> {
    let listener = workload.listeners.get(position)?;
    let stays = |other: &usize| wanted.final_number(workload, *other) != Some(to);
    let apart = listener.binding.places().filter_map(|place| {
        let (first, apart) = shared.get(&spot(place))?;
        Some((std::iter::once(*first).chain(*apart).find(stays)?, place.2))
    });
    let (other, name) = apart.min_by_key(|(other, _)| *other)?;
    Some(format!(
        "{}: `{name}` sets the number of {} too; give both the same number",
        workload.call(listener),
        workload.call(workload.listeners.get(other)?)
    ))
}
