//! Numbers that may belong to a declared port whose own number is a placeholder.

use crate::catalog;
use crate::model::listener::{Declared, WorkloadView, declared_by};
use crate::model::pod::TCP;
use crate::model::setting::port_settings;
use crate::model::text::{Name, listed_ports};
use lossless_yaml::Path;

/// Number that a container listens on or is probed at, without a listener. The number may belong to a declared port
/// with a placeholder.
#[derive(Debug, Clone)]
pub struct NumberWithoutListener<'m> {
    /// The declared port that may have the number.
    pub port: Declared<'m>,
    /// Path of the text with the port number.
    pub path: Path,
    /// Port number.
    pub number: u16,
}

/// The numbers of a pod that may belong to a declared port with a placeholder.
pub fn undecided(pods: WorkloadView<'_>) -> Vec<NumberWithoutListener<'_>> {
    let mut found = Vec::new();
    let known = |number: u16| pods.listeners.iter().any(|listener| listener.number == number);
    let scraped = catalog::PORT_ANNOTATIONS.iter().flat_map(|key| {
        let path = pods.template.path.key("metadata").key("annotations").key(*key);
        let listed = pods.template.annotations.get(key).map(listed_ports).unwrap_or_default();
        listed.into_iter().map(move |number| (path.clone(), number.port))
    });
    let mut scraped: Vec<(Path, u16)> = scraped.collect();
    for (_, container) in pods.template.running() {
        let Some(port) = declared_by(container).find(|port| port.protocol == TCP) else { continue };
        let named = port_settings(container).into_iter().filter(|place| Name::new(&place.name).is_listen());
        let named = named.map(|place| (place.place.path, place.port));
        let probed = container.probes.iter().filter_map(|probe| Some((probe.path.clone(), probe.number()?)));
        let all = named.chain(probed).chain(scraped.drain(..));
        found.extend(all.filter(|(_, number)| !known(*number)).map(|(path, number)| NumberWithoutListener {
            port,
            path,
            number,
        }));
    }
    found
}
