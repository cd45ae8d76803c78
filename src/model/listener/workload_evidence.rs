//! Evidence and rejected texts for a port, with their positions, for `hostnet explain`.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use super::client_address::is_client_address;
use super::evidence_kind::EvidenceKind;
use super::number_settings::{NumberSettings, SettingEvidence, shows_listener_by_address};
use super::reader::is_listener_address_name;
use super::rejection::{OtherEvidence, PodNames, RejectionReason};
use super::seen_ports::{SeenPorts, seen_ports};
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::setting::{PortSetting, Setting, Settings, settings};
use crate::model::text::{Form, Name};
use lossless_yaml::Path;

/// Evidence for a port, with its position in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedEvidence {
    /// Kind of evidence.
    pub evidence_kind: EvidenceKind,
    /// Object that contains the evidence; `None` for the workload itself.
    pub object: Option<ObjectId>,
    /// Path in the object.
    pub path: Path,
    /// Name of the flag or variable, if the evidence is a setting.
    pub name: Option<String>,
}

/// Text with the port number, and the reason to reject it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedText {
    /// Flag or variable.
    pub name: String,
    /// Path of the text with the port number.
    pub path: Path,
    /// Reason to reject the text.
    pub rejection_reason: RejectionReason,
}

/// Evidence for the ports of a workload in its manifest, read once for all ports.
#[derive(Debug)]
pub struct WorkloadEvidence<'m> {
    template: &'m PodTemplate,
    seen: SeenPorts,
    pod_names: PodNames<'m>,
    containers: Vec<OnceCell<OfContainer>>,
}

/// Settings and declared ports of one container; the ports are positions by number.
#[derive(Debug)]
struct OfContainer {
    settings: Settings,
    declared: HashMap<u16, Vec<usize>>,
}

impl<'m> WorkloadEvidence<'m> {
    /// Reads the evidence for the pods of a workload.
    pub fn new(model: &'m Model, meta: &'m Meta, template: &'m PodTemplate) -> Self {
        Self {
            template,
            seen: seen_ports(model, meta, template, |_| true),
            pod_names: PodNames::new(model, meta, template),
            containers: template.containers.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// Clients of a port of a container that the input shows: Services, monitors, scrapers, and the kubelet for probes.
    pub fn clients(&self, model: &Model, container: usize, port: u16) -> BTreeSet<String> {
        let (shown, _) = self.evidence_for_port(container, port);
        let client = |shown: PlacedEvidence| match shown.evidence_kind {
            EvidenceKind::Probe => Some("kubelet (probe)".to_owned()),
            EvidenceKind::Annotation => Some("scrapers (annotation)".to_owned()),
            EvidenceKind::Service | EvidenceKind::Monitor => Some(model.object(shown.object?)?.meta.to_string()),
            EvidenceKind::Bind
            | EvidenceKind::Catalogue
            | EvidenceKind::ConfigFile
            | EvidenceKind::Declared
            | EvidenceKind::AnyAddress
            | EvidenceKind::Scaffold
            | EvidenceKind::Named => None,
        };
        shown.into_iter().filter_map(client).collect()
    }

    /// Returns the evidence for a port of a container, and the rejected texts.
    pub fn evidence_for_port(&self, container: usize, port: u16) -> (Vec<PlacedEvidence>, Vec<RejectedText>) {
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
            shown.push(PlacedEvidence { evidence_kind: EvidenceKind::Declared, object: None, path, name: None });
        }
        for seen in self.seen.of_number(port) {
            let places = seen.places.iter().cloned();
            shown.extend(places.map(|(evidence_kind, object, path)| PlacedEvidence {
                evidence_kind,
                object,
                path,
                name: None,
            }));
        }
        let others = OtherEvidence { count: shown.len(), firm: !shown.is_empty() };
        let rejection_reason = |setting: &Setting, place: &PortSetting| {
            self.pod_names.rejection_of_text(own, settings, setting, place, others)
        };
        let mut certain = settings.port_places_with_settings(port);
        let certain = certain.find(|(setting, place)| {
            shows_listener_by_address(place)
                && !is_client_address(own, Some(setting), place)
                && rejection_reason(setting, place).is_none()
        });
        let certain =
            certain.map(|(_, place)| NumberSettings::from_text(&place.name, std::iter::empty(), SettingEvidence::Form));
        let is_another = |setting: &Setting, place: &PortSetting| {
            certain.as_ref()?.rejection_by_other_setting(&self.pod_names, own, settings, (setting, place))
        };
        for (setting, place) in settings.port_places_with_settings(port) {
            let (name, path) = (place.name.clone(), place.place.path.clone());
            if let Some(rejection_reason) = rejection_reason(setting, &place).or_else(|| is_another(setting, &place)) {
                against.push(RejectedText { name, path, rejection_reason });
                continue;
            }
            if is_client_address(own, Some(setting), &place) {
                against.push(RejectedText { name, path, rejection_reason: RejectionReason::Client });
                continue;
            }
            let by_form = place.form == Form::AnyAddress && is_listener_address_name(&Name::new(&name));
            if by_form || Name::new(&name).is_listen() || name == "-p" {
                let evidence_kind = if by_form { EvidenceKind::AnyAddress } else { EvidenceKind::Named };
                shown.push(PlacedEvidence { evidence_kind, object: None, path, name: Some(name) });
            }
        }
        (shown, against)
    }
}
