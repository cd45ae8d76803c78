//! Programs of the containers of a pod, and ports that no container declares or sets.

use std::cell::OnceCell;
use std::sync::Arc;

use super::evidence_kind::EvidenceKind;
use super::hints::Hints;
use super::mounted_file::has_file_with;
use super::program::program_of;
use super::seen_ports::SeenPort;
use super::types::{Binding, Listener};
use crate::catalog::{MESHES, Program};
use crate::model::facts::PodsView;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{Container, PodTemplate};
use crate::model::setting::settings;
use oci::name::ImageRef;

/// Annotation of a pod with the name of its main container.
///
/// Source: kubernetes/kubectl `pkg/cmd/util/podcmd/podcmd.go`, `DefaultContainerAnnotationName`.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// Programs of the containers of a pod, found on demand.
pub(super) struct PodPrograms<'p> {
    model: &'p Model,
    meta: &'p Meta,
    template: &'p PodTemplate,
    hints: &'p Hints,
    found: OnceCell<Vec<Option<Arc<Program>>>>,
}

impl<'p> PodPrograms<'p> {
    pub(super) fn new(model: &'p Model, meta: &'p Meta, template: &'p PodTemplate, hints: &'p Hints) -> Self {
        Self { model, meta, template, hints, found: OnceCell::new() }
    }

    /// Program of the catalogue or config that a container runs, by position.
    fn of(&self, container: usize) -> Option<&Program> {
        let program = |container| program_of(container, self.meta, self.hints).map(|(program, _)| program);
        self.found.get_or_init(|| self.template.containers.iter().map(program).collect()).get(container)?.as_deref()
    }

    /// Returns the container that most likely listens on a port: one whose mounted file contains the number, else the
    /// main container of the pod, else the first one with a port or a probe, else the first one. A container whose
    /// program is known to listen on other numbers only is the last choice.
    pub(super) fn likely_container(&self, port: &SeenPort) -> Option<usize> {
        let main = self.template.annotations.get(DEFAULT_CONTAINER);
        let pods = PodsView { meta: self.meta, template: self.template };
        let rank = |index: usize, container: &Container| {
            let is_other = is_mesh_proxy(container) || self.listens_elsewhere(index, container, port);
            let is_configured = has_file_with(self.model, pods, container, port.number);
            let is_main = main.is_some_and(|main| container.name == *main);
            let serves = container.ports.iter().flatten().next().is_some() || !container.probes.is_empty();
            (is_other, !is_configured, !is_main, !serves)
        };
        // The first one of several minima.
        self.template.running().min_by_key(|(index, container)| rank(*index, container)).map(|(index, _)| index)
    }

    /// True for a program without a listener that may have this port number: each listener has another default, or a
    /// setting in the manifest.
    fn listens_elsewhere(&self, index: usize, container: &Container, port: &SeenPort) -> bool {
        let Some(program) = self.of(index) else { return false };
        let settings = settings(container);
        let is_set = |name: &str| settings.iter().any(|setting| setting.name == name);
        !program.listeners.iter().any(|row| {
            // A listener without a default that a value turns off is off unless it is set.
            let may_have = row.default.map_or(row.off.is_empty(), |_| row.is_default(port.number));
            may_have && !row.settings.iter().any(|known| is_set(known.name()))
        })
    }

    /// True for a port number that manifests of the program declare, and on which it does not listen. A probe shows
    /// that something listens there.
    pub(super) fn is_phantom(&self, container: usize, port: &SeenPort) -> bool {
        let is_row = |program: &Program| {
            let rows = program.listeners.iter().filter(|row| row.phantom);
            rows.into_iter().any(|row| (row.default, row.protocol.as_str()) == (Some(port.number), &port.protocol))
        };
        !port.evidence_kinds.has(EvidenceKind::Probe) && self.of(container).is_some_and(is_row)
    }

    /// True for a port name by which the catalogue would find another listener of the program, once a port that keeps
    /// its number is declared.
    pub(super) fn is_name_of_other_listener(&self, listener: &Listener, name: &str) -> bool {
        let known = [EvidenceKind::Catalogue, EvidenceKind::ConfigFile, EvidenceKind::Bind];
        let is_known = listener.declared.is_some()
            || !matches!(listener.binding, Binding::Unknown(_) | Binding::Fixed(_) | Binding::Later(_))
            || known.into_iter().any(|kind| listener.evidence_kinds.has(kind));
        let has_name = |program: &Program| program.listeners.iter().any(|row| row.names.iter().any(|own| own == name));
        !is_known && self.of(listener.container).is_some_and(has_name)
    }
}

fn is_mesh_proxy(container: &Container) -> bool {
    MESHES.iter().any(|mesh| mesh.is_proxy(&container.name, ImageRef::split(&container.image).name))
}
