//! Listeners whose port number is the number of another listener plus an offset, such as the bus port of Redis Cluster.
//! Both keep their numbers, unless a flag sets the second one.

use super::evidence_kind::EvidenceKind;
use super::reader::Reader;
use super::types::{Binding, Listener, ObstacleRemedy};
use crate::catalog::{FOLLOWERS, Follower};
use crate::model::pod::TCP;
use crate::model::setting::Setting;

impl Reader<'_> {
    /// Adds the listeners that follow others.
    pub(super) fn followers(&self, found: &mut Vec<Listener>) {
        let is_enabled = |row: &&Follower| {
            self.flag(row.enabled_by).and_then(|flag| flag.value.as_deref()).is_some_and(|value| value == row.value)
        };
        for row in FOLLOWERS.iter().filter(is_enabled) {
            let number = |flag: &str| self.flag(flag).and_then(|flag: &Setting| flag.ports().next());
            match number(row.set_by) {
                Some(place) if listener(found, place.port).is_none() => {
                    self.add(row, place.port, Binding::Visible(vec![place]), found);
                }
                Some(_) => {}
                None => {
                    let first = number(row.flag).map_or(row.default, |place| place.port);
                    self.add_follower_with_offset(row, first, found);
                }
            }
        }
    }

    /// Adds a listener whose port number is the number of the first listener plus an offset.
    fn add_follower_with_offset(&self, row: &Follower, first: u16, found: &mut Vec<Listener>) {
        let Some(number) = first.checked_add(row.plus) else { return };
        let remedy = || ObstacleRemedy::Manifest(format!("Write `{} {number}` into the arguments", row.set_by));
        let Some(other) = listener(found, first).filter(|other| !other.binding.is_accepted()) else { return };
        let why = format!("the program also listens on this number + {} unless `{}` is set", row.plus, row.set_by);
        other.binding = Binding::fixed(why, remedy());
        let binding = Binding::fixed(format!("it is the number of `{}` + {}", row.flag, row.plus), remedy());
        match listener(found, number) {
            Some(known) if known.binding.is_accepted() => {}
            Some(known) => known.binding = binding,
            None => self.add(row, number, binding, found),
        }
    }

    /// Adds a listener of the catalogue.
    fn add(&self, row: &Follower, number: u16, binding: Binding, found: &mut Vec<Listener>) {
        let mut added = self.listener(number, None, row.name.to_owned(), binding);
        added.evidence_kinds.add(EvidenceKind::Catalogue);
        found.push(added);
    }
}

/// Listener of TCP with a port number.
fn listener(found: &mut [Listener], number: u16) -> Option<&mut Listener> {
    found.iter_mut().find(|listener| listener.number == number && listener.protocol == TCP)
}
