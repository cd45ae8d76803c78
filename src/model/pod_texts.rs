//! The texts of a pod's containers, read once for all of its listeners.

use std::cell::OnceCell;

use super::evidence::{PortSetting, Surroundings, TextPlace, Texts, container_words};
use super::own_address::{OwnAddress, own_addresses};
use super::peer_names::{self, Peer, PeerNames};
use super::pod::{Container, PodTemplate};
use super::transport::{self, Commands};
use super::{Meta, Model, config_map};

/// What the references to a pod's listeners are looked for in.
#[derive(Debug)]
pub struct PodTexts<'m> {
    model: &'m Model,
    meta: &'m Meta,
    template: &'m PodTemplate,
    surroundings: OnceCell<Surroundings<'m>>,
    peers: OnceCell<PeerNames>,
    containers: Vec<OnceCell<ContainerTexts<'m>>>,
}

/// The texts of one container.
#[derive(Debug)]
pub(super) struct ContainerTexts<'m> {
    /// The numbers in command, arguments and variables.
    pub(super) texts: Texts<'m>,
    /// The addresses of the pod itself.
    pub(super) own_addresses: Vec<OwnAddress>,
    container: &'m Container,
    /// What is dialled by its command lines.
    commands: OnceCell<Commands>,
}

impl ContainerTexts<'_> {
    /// By which protocol a text dials its number, as far as it says so: by its address, its command, its name.
    pub(super) fn spoken(&self, place: &TextPlace) -> Option<&'static str> {
        let commands = || self.commands.get_or_init(|| Commands::of(&container_words(self.container)));
        transport::of_text(&place.text, &place.range)
            .or_else(|| commands().at(place))
            .or_else(|| self.texts.name_of(place).and_then(transport::of_name))
    }
}

impl<'m> PodTexts<'m> {
    /// The texts of a template; nothing is read before it is asked for.
    #[must_use]
    pub fn new(model: &'m Model, meta: &'m Meta, template: &'m PodTemplate) -> Self {
        let containers = template.containers.iter().map(|_| OnceCell::new()).collect();
        Self { model, meta, template, surroundings: OnceCell::new(), peers: OnceCell::new(), containers }
    }

    pub(super) fn surroundings(&self) -> &Surroundings<'m> {
        self.surroundings.get_or_init(|| Surroundings::of(self.model, self.meta, self.template))
    }

    /// The names at which others dial its pods.
    pub(super) fn peers(&self) -> &PeerNames {
        self.peers.get_or_init(|| PeerNames::of(self.model, self.meta, self.template))
    }

    /// Whose pods a host is that one of its containers names.
    pub(super) fn peer(&self, index: usize, host: &str) -> Option<Peer<'_>> {
        let own = self.of(index)?;
        peer_names::of_container(self.peers(), own.container, host, |name| own.texts.value_of(name))
    }

    pub(super) fn of(&self, index: usize) -> Option<&ContainerTexts<'m>> {
        let container: &'m Container = self.template.containers.get(index)?;
        let texts = self.containers.get(index)?.get_or_init(|| ContainerTexts {
            texts: Texts::of(container, config_map::texts(self.model, self.meta, container)),
            own_addresses: own_addresses(container),
            container,
            commands: OnceCell::new(),
        });
        Some(texts)
    }

    /// By which protocol a text of a container dials, as far as it says so.
    pub(super) fn spoken(&self, index: usize, place: &TextPlace) -> Option<&'static str> {
        self.of(index)?.spoken(place)
    }

    /// The port numbers that a container tells its process.
    pub(super) fn port_settings(&self, index: usize) -> impl Iterator<Item = PortSetting> {
        self.of(index).into_iter().flat_map(|container| container.texts.port_settings())
    }
}
