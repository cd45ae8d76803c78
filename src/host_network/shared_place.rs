//! Texts of the manifest that set the ports of several listeners: these listeners move together or not at all.

use std::collections::HashMap;

use super::assignments::Assignments;
use super::workload::Workload;
use crate::model::ObjectId;
use crate::model::listener::{Binding, Listener};
use crate::model::text::TextPlace;
use lossless_yaml::Path;

/// Position in the manifest that sets the port number of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum NumberPlace<'l> {
    /// An existing text: its object (`None` for the workload), its path, and the start offset of the port number.
    Text(Option<ObjectId>, &'l Path, usize),
    /// Added setting: index of the container, and name.
    Added(usize, &'l str),
}

/// Positions of the port number of a listener, with the names of the settings.
fn number_places<'l>(listener: &'l Listener) -> impl Iterator<Item = (NumberPlace<'l>, &'l str)> {
    let there = |(object, place, name): (Option<ObjectId>, &'l TextPlace, &'l str)| {
        (NumberPlace::Text(object, &place.path, place.range.start), name)
    };
    let added = |binding: &'l Binding| match binding {
        Binding::Add { container, known, .. } => Some((NumberPlace::Added(*container, known.name()), known.name())),
        _ => None,
    };
    listener.places().map(there).chain(listener.bindings().filter_map(added))
}

/// Listeners by the position that sets their number: the first such listener, and the first listener whose final port
/// number differs.
pub(super) type Shared<'l> = HashMap<NumberPlace<'l>, (usize, Option<usize>)>;

/// Returns the positions of a workload that set port numbers, with their listeners.
pub(super) fn shared<'w>(workload: &'w Workload<'_>, assignments: &Assignments) -> Shared<'w> {
    let mut shared = Shared::new();
    for (position, listener) in workload.listeners.iter().enumerate() {
        for (spot, _) in number_places(listener) {
            let (first, apart) = shared.entry(spot).or_insert((position, None));
            if apart.is_none()
                && assignments.final_number(workload, position) != assignments.final_number(workload, *first)
            {
                *apart = Some(position);
            }
        }
    }
    shared
}

/// Error text if the text at a position also sets the port number of a listener that does not move to the same number.
pub(super) fn shared_place(
    workload: &Workload<'_>,
    shared: &Shared<'_>,
    assignments: &Assignments,
    position: usize,
    to: u16,
) -> Option<String> {
    let listener = workload.listeners.get(position)?;
    let stays = |other: &usize| assignments.final_number(workload, *other) != Some(to);
    let apart = number_places(listener).filter_map(|(spot, name)| {
        let (first, apart) = shared.get(&spot)?;
        Some((std::iter::once(*first).chain(*apart).find(stays)?, name))
    });
    let (other, name) = apart.min_by_key(|(other, _)| *other)?;
    let other = workload.listeners.get(other)?;
    let remedy = Workload::declared_twice(listener, other).unwrap_or_else(|| "give both the same number".to_owned());
    Some(format!(
        "{}: `{name}` sets the number of {} too; {remedy}",
        workload.display_name(listener),
        workload.display_name(other)
    ))
}
