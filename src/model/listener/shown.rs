//! Evidence and objections for a port, with their places, for `hostnet explain`.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use super::certain::{Certain, ShownBy, is_by_form};
use super::client_address::is_client_address;
use super::objection::{Objection, Others, Surroundings};
use super::reader::is_address_of_listener;
use super::seen_ports::{SeenPorts, seen_ports};
use super::witness::Witness;
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::setting::{PortSetting, Setting, Settings, settings};
use crate::model::text::{Form, Name};
use lossless_yaml::Path;

/// Evidence for a port, with its place in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Kind of evidence.
    pub witness: Witness,
    /// Object that contains the evidence; `None` for the workload itself.
    pub object: Option<ObjectId>,
    /// Path in the object.
    pub path: Path,
    /// Flag or variable, if the evidence is one.
    pub name: Option<String>,
}

/// Text with the number, and the objection to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectedText {
    /// Flag or variable.
    pub name: String,
    /// Path of the text with the number.
    pub path: Path,
    /// Objection to the text.
    pub objection: Objection,
}

/// Evidence for the ports of a workload in its manifest, read once for all ports.
#[derive(Debug)]
pub struct Evidence<'m> {
    template: &'m PodTemplate,
    seen: SeenPorts,
    surroundings: Surroundings<'m>,
    containers: Vec<OnceCell<OfContainer>>,
}

/// Settings and declared ports of one container; the ports are positions by number.
#[derive(Debug)]
struct OfContainer {
    settings: Settings,
    declared: HashMap<u16, Vec<usize>>,
}

impl<'m> Evidence<'m> {
    /// Reads the evidence for the pods of a workload.
    pub fn new(model: &'m Model, meta: &'m Meta, template: &'m PodTemplate) -> Self {
        Self {
            template,
            seen: seen_ports(model, meta, template, |_| true),
            surroundings: Surroundings::new(model, meta, template),
            containers: template.containers.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// Clients of a port of a container that the input shows: Services, monitors, scrapers, and the kubelet for probes.
    pub fn clients(&self, model: &Model, container: usize, port: u16) -> BTreeSet<String> {
        let (shown, _) = self.shown(container, port);
        let client = |shown: Shown| match shown.witness {
            Witness::Probe => Some("kubelet (probe)".to_owned()),
            Witness::Annotation => Some("scrapers (annotation)".to_owned()),
            Witness::Service | Witness::Monitor => Some(model.object(shown.object?)?.meta.to_string()),
            Witness::Bind
            | Witness::Catalogue
            | Witness::ConfigFile
            | Witness::Declared
            | Witness::AnyAddress
            | Witness::Scaffold
            | Witness::Named => None,
        };
        shown.into_iter().filter_map(client).collect()
    }

    /// Returns the evidence for a port of a container, and the texts with objections.
    pub fn shown(&self, container: usize, port: u16) -> (Vec<Shown>, Vec<ObjectedText>) {
        let (mut shown, mut against) = (Vec::new(), Vec::new());
        let Some(own) = self.template.containers.get(container) else { return (shown, against) };
        let Some(texts) = self.containers.get(container) else { return (shown, against) };
        let OfContainer { settings, declared } = texts.get_or_init(|| {
            let mut declared: HashMap<u16, Vec<usize>> = HashMap::new();
            for (index, port) in own.ports.iter().flatten().enumerate().filter(|(index, _)| own.is_written(*index)) {
                port.number().into_iter().for_each(|number| declared.entry(number).or_default().push(index));
            }
            OfContainer { settings: Settings::new(settings(own), Vec::new()), declared }
        });
        for index in declared.get(&port).into_iter().flatten() {
            let path = own.port_path(*index).key("containerPort");
            shown.push(Shown { witness: Witness::Declared, object: None, path, name: None });
        }
        for seen in self.seen.of_number(port) {
            let places = seen.places.iter().cloned();
            shown.extend(places.map(|(witness, object, path)| Shown { witness, object, path, name: None }));
        }
        let others = Others { count: shown.len(), firm: !shown.is_empty() };
        let objection =
            |setting: &Setting, place: &PortSetting| self.surroundings.against(own, settings, setting, place, others);
        let mut certain = settings.of_port_by_setting(port);
        let certain = certain.find(|(setting, place)| {
            is_by_form(place) && !is_client_address(own, Some(setting), place) && objection(setting, place).is_none()
        });
        let certain = certain.map(|(_, place)| Certain::from_text(&place.name, std::iter::empty(), ShownBy::Form));
        let is_another = |setting: &Setting, place: &PortSetting| {
            certain.as_ref()?.against(&self.surroundings, own, settings, (setting, place))
        };
        for (setting, place) in settings.of_port_by_setting(port) {
            let (name, path) = (place.name.clone(), place.place.path.clone());
            if let Some(objection) = objection(setting, &place).or_else(|| is_another(setting, &place)) {
                against.push(ObjectedText { name, path, objection });
                continue;
            }
            if is_client_address(own, Some(setting), &place) {
                against.push(ObjectedText { name, path, objection: Objection::Client });
                continue;
            }
            let by_form = place.form == Form::AnyAddress && is_address_of_listener(&Name::new(&name));
            if by_form || Name::new(&name).is_listen() || name == "-p" {
                let witness = if by_form { Witness::AnyAddress } else { Witness::Named };
                shown.push(Shown { witness, object: None, path, name: Some(name) });
            }
        }
        (shown, against)
    }
}
