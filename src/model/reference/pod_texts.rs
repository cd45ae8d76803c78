//! The texts of a pod's containers, indexed by the port numbers in them, and read once for all listeners of the pod.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::leftover::Texts;
use super::peer_names::{self, Peer, PeerNames};
use super::transports::Transports;
use crate::model::index::Model;
use crate::model::listener::{Listener, MapVariables, PodNames, WorkloadView};
use crate::model::pod::{Container, OwnAddress, own_addresses, separate_numbers};
use crate::model::setting::{ExecTexts, PortSetting, Settings, Uses, container_words, settings};
use crate::model::text::{Commands, TextPlace, transport};
use lossless_yaml::Path;

/// Texts of a pod that may refer to listeners of the pod.
#[derive(Debug)]
pub struct PodTexts<'m> {
    model: &'m Model,
    pods: WorkloadView<'m>,
    pod_names: OnceCell<PodNames<'m>>,
    peers: OnceCell<PeerNames<'m>>,
    containers: Vec<OnceCell<ContainerTexts<'m>>>,
    map_variables: OnceCell<Vec<MapVariables<'m>>>,
    execs: OnceCell<Vec<(&'m Container, ExecTexts<'m>)>>,
    numbers: OnceCell<NumberOccurrences>,
}

/// The texts of one container.
#[derive(Debug)]
pub(in crate::model) struct ContainerTexts<'m> {
    /// The numbers in command, arguments and variables.
    pub(in crate::model) texts: Texts<'m>,
    container: &'m Container,
    /// The uses of the container's variables.
    uses: OnceCell<Uses<'m>>,
    /// Ports that command lines of the container dial.
    commands: OnceCell<Commands>,
}

impl ContainerTexts<'_> {
    /// Protocol that a text dials its port number with, from the address, the command or the name; `None` if unknown.
    pub(in crate::model) fn transport(&self, place: &TextPlace) -> Option<&'static str> {
        let commands = || self.commands.get_or_init(|| Commands::new(&container_words(self.container)));
        transport::of_text(&place.text, &place.range)
            .or_else(|| commands().protocol_at(place))
            .or_else(|| self.texts.name_of(place).and_then(transport::of_name))
    }
}

/// Occurrences of each number in the containers of a pod.
#[derive(Debug, Default)]
struct NumberOccurrences {
    /// Containers with a listener of a port number, and the positions of the listeners.
    listening: HashSet<(usize, u16)>,
    listeners: HashMap<u16, Vec<usize>>,
    /// Texts that set the port of a listener: path, and start positions of the numbers.
    starts: HashMap<Path, HashSet<usize>>,
    addresses: HashMap<u16, Vec<(usize, OwnAddress)>>,
    /// Containers whose settings contain a port number, by number.
    by_port: HashMap<u16, Vec<usize>>,
    alone: HashMap<u16, Vec<(usize, TextPlace)>>,
    execs: HashMap<u16, Vec<usize>>,
}

impl<'m> PodTexts<'m> {
    /// Texts of a pod, read at first use.
    pub fn new(model: &'m Model, pods: WorkloadView<'m>) -> Self {
        Self {
            model,
            pods,
            pod_names: OnceCell::new(),
            peers: OnceCell::new(),
            containers: pods.template.containers.iter().map(|_| OnceCell::new()).collect(),
            map_variables: OnceCell::new(),
            execs: OnceCell::new(),
            numbers: OnceCell::new(),
        }
    }

    /// Names of the pods and their Services, read at first use.
    pub(in crate::model) fn pod_names(&self) -> &PodNames<'m> {
        let WorkloadView { meta, template, .. } = self.pods;
        self.pod_names.get_or_init(|| PodNames::new(self.model, meta, template))
    }

    /// Texts of the container at an index, read at first use.
    pub(in crate::model) fn container(&self, index: usize) -> Option<&ContainerTexts<'m>> {
        let container = self.pods.template.containers.get(index)?;
        let texts = self.containers.get(index)?.get_or_init(|| {
            let hosts = self.map_variables_of(index).map(MapVariables::hosts).unwrap_or_default();
            let settings = Settings::new(settings(container), hosts);
            let texts = Texts::new(container, settings);
            ContainerTexts { texts, container, uses: OnceCell::new(), commands: OnceCell::new() }
        });
        Some(texts)
    }

    /// Protocol that a text of a container dials with; `None` if unknown.
    pub(in crate::model) fn transport(&self, index: usize, place: &TextPlace) -> Option<&'static str> {
        self.container(index)?.transport(place)
    }

    /// Names by which other pods dial the pods of the workload.
    pub(in crate::model) fn peers(&self) -> &PeerNames<'m> {
        let WorkloadView { meta, template, .. } = self.pods;
        self.peers.get_or_init(|| PeerNames::new(self.model, meta, template))
    }

    /// Resolves a host that a container of the pod names.
    pub(in crate::model) fn peer(&self, index: usize, host: &str) -> Option<Peer<'_>> {
        let own = self.container(index)?;
        let value = |name: &str| own.texts.value_of(name).or_else(|| self.map_variables_of(index)?.value_of(name));
        peer_names::of_container(self.peers(), own.container, host, value)
    }

    /// The protocols of all listeners with the same port number as this listener.
    pub(in crate::model) fn transports<'l>(&self, listener: &'l Listener) -> Transports<'l> {
        let twins = self.listeners(listener.number).iter().filter_map(|&twin| self.pods.listeners.get(twin));
        Transports::new(twins, listener)
    }

    /// The uses of a container's variables.
    pub(in crate::model) fn uses(&self, index: usize) -> Option<&Uses<'m>> {
        let own = self.container(index)?;
        Some(own.uses.get_or_init(|| Uses::for_container(own.container)))
    }

    /// The variables of each container that come from ConfigMaps.
    fn all_map_variables(&self) -> &[MapVariables<'m>] {
        self.map_variables.get_or_init(|| {
            let namespace = self.pods.meta.namespace.as_deref();
            let all = self.pods.template.containers.iter();
            all.map(|container| MapVariables::for_container(self.model, namespace, container)).collect()
        })
    }

    /// Running containers with variables from ConfigMaps, each with these variables.
    pub(in crate::model) fn map_variables(&self) -> impl Iterator<Item = (usize, &MapVariables<'m>)> {
        let all =
            self.pods.template.running().filter_map(|(index, _)| Some((index, self.all_map_variables().get(index)?)));
        all.filter(|(_, variables)| !variables.is_empty())
    }

    /// Variables of one container from ConfigMaps.
    pub(in crate::model) fn map_variables_of(&self, index: usize) -> Option<&MapVariables<'m>> {
        self.all_map_variables().get(index)
    }

    /// Commands of probes and hooks with their containers, read at first use.
    fn execs(&self) -> &[(&'m Container, ExecTexts<'m>)] {
        self.execs.get_or_init(|| {
            let execs = self.pods.template.running();
            let execs = execs.flat_map(|(_, container)| container.execs.iter().map(move |exec| (container, exec)));
            execs.map(|(container, (path, command))| (container, ExecTexts::new(path, command))).collect()
        })
    }

    /// The commands of probes and hooks with a port number, and their containers.
    pub(in crate::model) fn execs_with(&self, port: u16) -> impl Iterator<Item = &(&'m Container, ExecTexts<'m>)> {
        on_port(&self.numbers().execs, port).iter().filter_map(|&exec| self.execs().get(exec))
    }

    /// True if a container listens on a port number.
    pub(in crate::model) fn listens(&self, container: usize, port: u16) -> bool {
        self.numbers().listening.contains(&(container, port))
    }

    /// The positions of the listeners of a port number.
    pub(in crate::model) fn listeners(&self, port: u16) -> &[usize] {
        on_port(&self.numbers().listeners, port)
    }

    /// True if a number in the pod's texts sets the port of a listener of the pod.
    pub(in crate::model) fn number_sets_listener_port(&self, place: &TextPlace) -> bool {
        self.numbers().starts.get(&place.path).is_some_and(|starts| starts.contains(&place.range.start))
    }

    /// True if a text has a number that sets the port of a listener.
    pub(in crate::model) fn text_sets_listener_port(&self, path: &Path) -> bool {
        self.numbers().starts.contains_key(path)
    }

    /// The addresses of the pod itself with a port number, and their containers. Public addresses of the program are
    /// left out.
    pub(in crate::model) fn own_addresses(&self, port: u16) -> impl Iterator<Item = (usize, &OwnAddress)> {
        let all = on_port(&self.numbers().addresses, port).iter();
        let is_public = |index: usize, address: &OwnAddress| {
            self.container(index).is_some_and(|container| container.texts.is_public(&address.place))
        };
        all.filter(move |(index, address)| !is_public(*index, address)).map(|(index, address)| (*index, address))
    }

    /// Settings of a port number in the pod, each with the index of the container.
    pub(in crate::model) fn of_port(&self, port: u16) -> impl Iterator<Item = (usize, PortSetting)> {
        on_port(&self.numbers().by_port, port).iter().flat_map(move |&index| {
            let settings = self.container(index).into_iter().flat_map(move |container| container.texts.of_port(port));
            settings.map(move |setting| (index, setting))
        })
    }

    /// Positions of a number as a separate word, in containers that name a host of the same pod.
    pub(in crate::model) fn separate_numbers(&self, port: u16) -> &[(usize, TextPlace)] {
        on_port(&self.numbers().alone, port)
    }

    /// Indexes the port numbers in texts of the pods, at first use.
    fn numbers(&self) -> &NumberOccurrences {
        self.numbers.get_or_init(|| {
            let mut found = NumberOccurrences::default();
            for (position, listener) in self.pods.listeners.iter().enumerate() {
                found.listening.insert((listener.container, listener.number));
                found.listeners.entry(listener.number).or_default().push(position);
                for (_, place, _) in listener.places().filter(|(object, ..)| object.is_none()) {
                    found.starts.entry(place.path.clone()).or_default().insert(place.range.start);
                }
            }
            for (index, container) in self.pods.template.running() {
                for address in own_addresses(container) {
                    found.addresses.entry(address.port).or_default().push((index, address));
                }
                for port in self.container(index).into_iter().flat_map(|container| container.texts.ports()) {
                    found.by_port.entry(port).or_default().push(index);
                }
                for (port, place) in separate_numbers(container) {
                    found.alone.entry(port).or_default().push((index, place));
                }
            }
            for (index, (_, exec)) in self.execs().iter().enumerate() {
                for port in exec.ports() {
                    found.execs.entry(port).or_default().push(index);
                }
            }
            found
        })
    }
}

/// Entries of an index for a port number.
fn on_port<T>(by_number: &HashMap<u16, Vec<T>>, port: u16) -> &[T] {
    by_number.get(&port).map_or(&[], Vec::as_slice)
}
