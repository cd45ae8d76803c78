//! One place of the manifest that sets the port of several listeners: they move together or not at all.

use std::collections::HashMap;

use super::assignments::Assignments;
use super::workload::Workload;
use crate::model::ObjectId;
use crate::model::listener::{Binding, Listener};
use crate::model::text::TextPlace;
use lossless_yaml::Path;

/// Where the number of a listener stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Spot<'l> {
    /// The object when it is not the workload, the path of the text, and the start.
    There(Option<ObjectId>, &'l Path, usize),
    /// What is to be added to a container.
    Added(usize, &'l str),
}

/// Where the number of a listener stands, and by which name.
fn spots<'l>(listener: &'l Listener) -> impl Iterator<Item = (Spot<'l>, &'l str)> {
    let there = |(object, place, name): (Option<ObjectId>, &'l TextPlace, &'l str)| {
        (Spot::There(object, &place.path, place.range.start), name)
    };
    let added = |binding: &'l Binding| match binding {
        Binding::Add { container, known, .. } => Some((Spot::Added(*container, known.name()), known.name())),
        _ => None,
    };
    listener.places().map(there).chain(listener.bindings().filter_map(added))
}

/// The listeners of a workload whose numbers each place sets: the first one, and the first that ends on another number than that.
pub(super) type Shared<'l> = HashMap<Spot<'l>, (usize, Option<usize>)>;

/// The places of a workload that set ports.
pub(super) fn shared<'w>(workload: &'w Workload<'_>, wanted: &Assignments) -> Shared<'w> {
    let mut shared = Shared::new();
    for (position, listener) in workload.listeners.iter().enumerate() {
        for (spot, _) in spots(listener) {
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
    let apart = spots(listener).filter_map(|(spot, name)| {
        let (first, apart) = shared.get(&spot)?;
        Some((std::iter::once(*first).chain(*apart).find(stays)?, name))
    });
    let (other, name) = apart.min_by_key(|(other, _)| *other)?;
    let other = workload.listeners.get(other)?;
    let remedy = Workload::declared_twice(listener, other).unwrap_or_else(|| "give both the same number".to_owned());
    Some(format!("{}: `{name}` sets the number of {} too; {remedy}", workload.call(listener), workload.call(other)))
}
