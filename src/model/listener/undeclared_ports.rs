//! Listeners without a declared port, shown only by a flag, a variable or a script of their container.

use std::collections::{HashMap, HashSet};

use super::evidence_kind::{EvidenceKind, Guess};
use super::placeholder::has_placeholder;
use super::port_name::label_of;
use super::reader::{Reader, is_guess};
use super::rejection::RejectionReason;
use super::types::{Binding, Listener};
use crate::model::id::ObjectId;
use crate::model::pod::TCP;
use crate::model::setting::PortSetting;
use lossless_yaml::Path;

impl Reader<'_> {
    /// Adds listeners without a declared port that a setting shows, alone or together with other evidence. Returns the
    /// settings that are only guesses.
    pub(super) fn undeclared(&mut self, found: &mut Vec<Listener>) -> Vec<Guess> {
        let mut guesses: Vec<Guess> = Vec::new();
        let mut reported: HashSet<(Path, usize)> = HashSet::new();
        // Positions of TCP listeners by number; `set_by` has the texts that set each number.
        let mut known: HashMap<u16, usize> = HashMap::new();
        for (position, listener) in found.iter().enumerate().filter(|(_, listener)| listener.protocol == TCP) {
            known.entry(listener.number).or_insert(position);
        }
        let mut set_by: HashMap<u16, HashSet<(Path, usize)>> = HashMap::new();
        let later = has_placeholder(self.container);
        let may_listen = |place: &PortSetting| self.is_listen(&place.name) || is_guess(place);
        for position in self.places(may_listen) {
            if self.used.contains(&position) {
                continue;
            }
            let Some((setting, first)) = self.visible.get(position).cloned() else { continue };
            let at = |place: &PortSetting| (place.place.path.clone(), place.place.range.start);
            if let Some(known) = known.get(&first.port).and_then(|known| found.get_mut(*known)) {
                // This text also sets the number of a known listener.
                if !self.is_set_by(position, EvidenceKind::Catalogue) {
                    continue;
                }
                self.used.insert(position);
                let only_follows = self.only_follows(position);
                match &mut known.binding {
                    Binding::Visible(places) => {
                        let places_of = set_by.entry(first.port).or_insert_with(|| places.iter().map(at).collect());
                        if places_of.insert(at(&first)) {
                            places.push(first);
                        }
                    }
                    Binding::Add { .. } => known.also.push(first),
                    Binding::ConfigMap(_) if only_follows => known.also.push(first),
                    _ if only_follows => {}
                    // A wrong `bind` entry is reported elsewhere.
                    Binding::Fixed(_) if known.evidence_kinds.has(EvidenceKind::Bind) => {}
                    binding => *binding = Binding::Visible(vec![first]),
                }
                continue;
            }
            let is_seen = self.seen.contains_key(&first.port);
            let rejection_reason =
                self.settings.get(setting).and_then(|setting| self.rejection_reason(setting, &first, None));
            let is_open = |rejection_reason: &RejectionReason| !is_seen && rejection_reason.may_be_guess(first.form);
            if rejection_reason.as_ref().is_some_and(|rejection_reason| !is_open(rejection_reason)) {
                continue;
            }
            let is_named = || self.evidence_kind_of_text(&first) == EvidenceKind::Named || self.is_passed_on(position);
            let is_weak = rejection_reason.is_some() || (!is_seen && is_named());
            if later {
                // The number may belong to the port with a placeholder.
                continue;
            }
            if is_weak {
                if is_guess(&first) && reported.insert(at(&first)) {
                    guesses.push(Guess { container: self.index, setting: first });
                }
                continue;
            }
            let label = label_of(&first.name);
            let shown = if is_seen { EvidenceKind::Probe } else { EvidenceKind::Scaffold };
            let same = self.places_of(first.port).into_iter();
            let same: Vec<usize> = same.filter(|same| *same == position || self.is_set_by(*same, shown)).collect();
            if same.iter().all(|same| self.only_follows(*same)) {
                // All of these texts follow other settings, so the setting of the number is unknown.
                if !is_seen && is_guess(&first) && reported.insert(at(&first)) {
                    guesses.push(Guess { container: self.index, setting: first });
                }
                continue;
            }
            let binding = Binding::Visible(self.mark_places_used(&same));
            known.entry(first.port).or_insert(found.len());
            found.push(self.listener(first.port, None, label, binding));
        }
        guesses.extend(self.undeclared_of_config_maps(&mut known, found));
        let numbers: HashSet<u16> = found.iter().map(|listener| listener.number).collect();
        guesses.retain(|guess| !numbers.contains(&guess.setting.port));
        guesses
    }

    /// Adds listeners from variables whose values are keys of ConfigMaps, and returns the guesses.
    fn undeclared_of_config_maps(&self, known: &mut HashMap<u16, usize>, found: &mut Vec<Listener>) -> Vec<Guess> {
        let mut guesses = Vec::new();
        let mut reported: HashSet<(ObjectId, Path, usize)> = HashSet::new();
        if has_placeholder(self.container) {
            return guesses;
        }
        for place in &self.from_maps {
            // `add_undeclared` adds numbers with other evidence, together with this variable.
            if known.contains_key(&place.port) || self.seen.contains_key(&place.port) {
                continue;
            }
            let setting = place.to_port_setting();
            let rejection_reason = self.rejection_of_variable(&setting, None);
            if !is_guess(&setting) || rejection_reason.as_ref().is_some_and(|why| !why.may_be_guess(setting.form)) {
                continue;
            }
            let is_weak = rejection_reason.is_some() || self.is_client_only_variable(&setting);
            if is_weak || self.evidence_kind_of_text(&setting) == EvidenceKind::Named {
                // A flag that expands the variable is the same text.
                if reported.insert((place.object, place.place.path.clone(), place.place.range.start)) {
                    guesses.push(Guess { container: self.index, setting });
                }
            } else {
                let label = label_of(&place.name);
                let evidence_kind = self.evidence_kind_of_text(&setting);
                let mut listener = self.listener(place.port, None, label, Binding::from_config_map(place.clone()));
                listener.evidence_kinds.add(evidence_kind);
                known.insert(place.port, found.len());
                found.push(listener);
            }
        }
        guesses
    }
}
