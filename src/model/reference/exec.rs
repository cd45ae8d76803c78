//! Commands of probes and hooks as references.

use super::transports::{ListenerMatch, Transports};
use super::types::{AffectedWorkloads, Reference};
use crate::model::id::ObjectId;
use crate::model::setting::{ExecTexts, Setting, Settings};
use crate::model::text::TextPlace;
use lossless_yaml::Path;

impl ExecTexts<'_> {
    /// References of a command to a port: numbers in flags and in addresses of the pod itself move with the port; any
    /// other number blocks the move. `dials_other_host` is true for a flag about a host outside of the pod.
    pub(in crate::model) fn references(
        &self,
        object: ObjectId,
        number: u16,
        transports: &Transports<'_>,
        dials_other_host: impl Fn(&Settings, &Setting) -> bool,
    ) -> Vec<Reference> {
        let listener_match = |place: &TextPlace| transports.listener_of(|| self.transport(place));
        let is_own = |place: &&TextPlace| {
            let settings = self.settings();
            !settings.containing(place).first().is_some_and(|setting| dials_other_host(settings, setting))
        };
        let places = self.places.get(&number).into_iter().flatten().filter(is_own);
        let texts = places.filter_map(|place| {
            Reference::text(object, place.clone(), AffectedWorkloads::default(), listener_match(place))
        });
        let left = self.left.get(&number).into_iter().flatten();
        let left =
            left.filter(|(_, places)| places.iter().any(|place| listener_match(place) != ListenerMatch::Another));
        let blocking = left.map(|(index, _)| {
            let word = self.command.get(*index).map(String::as_str).unwrap_or_default();
            let why = format!("`{word}` contains the port in a form that hostnet does not edit");
            Reference::Blocking { object, path: self.path.item(*index), why }
        });
        texts.chain(blocking).collect()
    }
}

/// Returns the references of a command to a TCP port.
pub(in crate::model) fn exec_references(
    object: ObjectId,
    path: &Path,
    command: &[String],
    number: u16,
) -> Vec<Reference> {
    ExecTexts::new(path, command).references(object, number, &Transports::tcp(), |_, _| false)
}
