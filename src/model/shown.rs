//! All that speaks for and against a port, with the places: what `hostnet explain` prints.

use super::evidence::{Form, Name, Objection, Others, Setting, Settings, Surroundings, Witness, settings};
use super::pod::PodTemplate;
use super::seen_ports::seen_ports;
use super::{Meta, Model, ObjectId};
use crate::yaml::Path;

/// A witness, and where it stands: the object when it is not the workload itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// What it is.
    pub witness: Witness,
    /// The object that has it, when it is not the workload.
    pub object: Option<ObjectId>,
    /// Where it stands there.
    pub path: Path,
    /// The flag or variable, when it is one.
    pub name: Option<String>,
}

/// A text that has the number, and what speaks against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Against {
    /// The flag or variable.
    pub name: String,
    /// Where the number stands.
    pub path: Path,
    /// What speaks against it.
    pub objection: Objection,
}

/// What the manifest shows of a port of a container.
#[must_use]
pub fn shown(
    model: &Model,
    meta: &Meta,
    template: &PodTemplate,
    container: usize,
    port: u16,
) -> (Vec<Shown>, Vec<Against>) {
    let (mut shown, mut against) = (Vec::new(), Vec::new());
    let Some(own) = template.containers.get(container) else { return (shown, against) };
    for (index, declared) in own.ports.iter().flatten().enumerate() {
        if declared.number() == Some(port) && own.is_written(index) {
            let path = own.port_path(index).key("containerPort");
            shown.push(Shown { witness: Witness::Declared, object: None, path, name: None });
        }
    }
    for seen in seen_ports(model, meta, template).iter().filter(|seen| seen.number == port) {
        let places = seen.places.iter().cloned();
        shown.extend(places.map(|(witness, object, path)| Shown { witness, object, path, name: None }));
    }
    let surroundings = Surroundings::of(model, meta, template);
    let settings = Settings::of(settings(own), Vec::new());
    let others = Others { count: shown.len(), firm: !shown.is_empty() };
    for setting in settings.iter() {
        for told in Setting::ports(setting).filter(|told| told.port == port) {
            let (name, path) = (told.name.clone(), told.place.path.clone());
            if let Some(objection) = surroundings.against(own, &settings, setting, &told, others) {
                against.push(Against { name, path, objection });
            } else if Name::of(&name).is_listen() || name == "-p" {
                let witness = if told.form == Form::AnyAddress { Witness::AnyAddress } else { Witness::Named };
                shown.push(Shown { witness, object: None, path, name: Some(name) });
            }
        }
    }
    (shown, against)
}
