//! Listeners from `bind` of the config.

use super::evidence_kind::EvidenceKind;
use super::from_catalogue::filled_in;
use super::hints::{BindHint, HintedBy};
use super::reader::Reader;
use super::role::Role;
use super::types::{Binding, Listener, ObstacleRemedy};
use crate::catalog::KnownSetting;
use crate::model::pod::ContainerPort;
use crate::model::setting::PortSetting;
use crate::model::text::{Form, TextPlace, port};

impl Reader<'_> {
    /// Adds the listeners and settings of `bind`.
    pub(super) fn add_hinted_listeners(&self, found: &mut Vec<Listener>) {
        for hint in self.hints.bind.iter().filter(|hint| hint.container == self.container.name) {
            let is_named = |listener: &Listener| match &listener.name {
                Some(name) => *name == hint.port,
                None => listener.declared.is_none() && listener.label == hint.port,
            };
            let has_number = |listener: &Listener| hint.number == Some(listener.number);
            // On a second run the number has changed, and the setting in `bind` has the new number.
            let sets = |listener: &Listener| {
                matches!(self.hinted_binding(hint, listener.number), Binding::Visible(_) | Binding::ConfigMap(_))
            };
            let position = found.iter().position(is_named);
            let position =
                position.or_else(|| found.iter().position(has_number)).or_else(|| found.iter().position(sets));
            let number = position.and_then(|p| found.get(p)).map(|l| l.number);
            let number = number.or_else(|| self.number_for_unmatched_entry(hint)).or(hint.number);
            let Some(number) = number.filter(|_| !self.is_filled_in_later(&hint.port)) else { continue };
            let binding = self.hinted_binding(hint, number);
            let listener = match position.and_then(|position| found.get_mut(position)) {
                Some(listener) => listener,
                None => {
                    found.push(self.listener(number, None, hint.port.clone(), Binding::Phantom));
                    let Some(listener) = found.last_mut() else { continue };
                    listener
                }
            };
            listener.bind(binding);
            if let Some(role) = Role::from_name(&hint.port) {
                listener.role = role;
            }
        }
    }

    /// Returns the number for an entry whose port matches no listener of the container: the number of the port with
    /// this name in another container, or, on a second run, the current number of the setting.
    fn number_for_unmatched_entry(&self, hint: &BindHint) -> Option<u16> {
        let has_moved = self.files.template.on_host_network();
        let others = self.files.template.running().filter(|(index, _)| *index != self.index);
        let mut ports = others.flat_map(|(_, container)| container.ports.iter().flatten());
        let declared = ports.find(|port| port.name.as_ref() == Some(&hint.port)).and_then(ContainerPort::number);
        let is_match = |number: &u16| has_moved || hint.number.is_none_or(|wanted| wanted == *number);
        declared.filter(is_match).or_else(|| self.current_number(hint).filter(|_| has_moved))
    }

    /// Returns the current number of the setting of an entry.
    fn current_number(&self, hint: &BindHint) -> Option<u16> {
        match &hint.set_by {
            HintedBy::Setting(setting, _) => {
                self.visible.iter().find(|(_, place)| place.name == setting.name()).map(|(_, place)| place.port)
            }
            HintedBy::Annotation(key, value) => {
                let (before, after) = value.split_once("{port}")?;
                let text = self.files.template.annotations.get(key)?;
                port(text.strip_prefix(before)?.strip_suffix(after)?)
            }
            HintedBy::File { path, key } => self.files.in_file(self.container, path, key).ok().map(|place| place.port),
            HintedBy::Nothing => None,
        }
    }

    /// Resolves the setting, annotation or file of a `bind` entry.
    fn hinted_binding(&self, hint: &BindHint, number: u16) -> Binding {
        match &hint.set_by {
            HintedBy::Setting(setting, value) => self.hinted_setting(setting, value, number),
            HintedBy::Annotation(key, value) => self.hinted_annotation(key, value, number),
            HintedBy::File { path, key } => match self.files.in_file(self.container, path, key) {
                Ok(place) if place.port == number => Binding::from_config_map(place),
                Ok(place) => {
                    let reason = format!("`{key}` of `{path}` is {}, and the port is {number}", place.port);
                    Binding::fixed(
                        reason,
                        ObstacleRemedy::Manifest("Write one number in both, or another key in `bind`".to_owned()),
                    )
                }
                Err(field) => {
                    let remedy =
                        "Write the number there, in a ConfigMap of the input, or another `file` and `key` in `bind`";
                    Binding::fixed(
                        format!("`bind` names `{key}` of `{path}`, and {}", field.why),
                        ObstacleRemedy::Manifest(remedy.to_owned()),
                    )
                }
            },
            HintedBy::Nothing => {
                let reason = "`bind` of the config fixes its number (`fixed: true`)".to_owned();
                Binding::fixed(reason, ObstacleRemedy::Accepted)
            }
        }
    }

    /// Binding of a port number to an annotation that `bind` names.
    fn hinted_annotation(&self, key: &str, value: &str, number: u16) -> Binding {
        let template = self.files.template;
        let name = format!("annotation {key}");
        let Some(text) = template.annotations.get(key) else {
            let reason = format!("`bind` names annotation `{key}`, which the pod template does not have");
            let remedy = format!("Write annotation `{key}` into the template, or remove it from `bind`");
            return Binding::fixed(reason, ObstacleRemedy::Manifest(remedy));
        };
        let path = template.path.key("metadata").key("annotations").key(key.to_owned());
        existing_setting(&name, text, TextPlace { path, text: text.into(), range: 0..text.len() }, value, number, false)
    }

    /// Returns the binding of a flag or variable: an existing one is changed, a missing one is added.
    fn hinted_setting(&self, setting: &KnownSetting, value: &str, number: u16) -> Binding {
        let name = setting.name();
        // With a scheme, the whole value must match `bind`.
        let url = value.contains("://").then(|| value.replace("{port}", &number.to_string()));
        let is_value = |index: &usize| {
            let value = self.settings.get(*index).and_then(|setting| setting.value.as_ref());
            url.as_ref().is_none_or(|url| value == Some(url))
        };
        let same = |place: &&PortSetting| place.name == name && place.port == number;
        let places: Vec<PortSetting> = self
            .visible
            .iter()
            .filter(|(index, _)| is_value(index))
            .map(|(_, place)| place)
            .filter(same)
            .cloned()
            .collect();
        if !places.is_empty() {
            return Binding::Visible(places);
        }
        let env = setting.env.as_deref().and_then(|name| self.container.env_var(name));
        // A flag may be given several times: the value of `bind` shows which one.
        let expected = value.replace("{port}", &number.to_string());
        let mut flags = self.settings.iter().filter(|setting| !setting.variable && setting.name == name);
        let same = flags.find(|setting| setting.value.as_ref() == Some(&expected));
        let flag = setting.arg.as_deref().and_then(|name| same.or_else(|| self.flag(name)));
        let given = match (env, flag) {
            (Some((index, var)), _) => var.value.map(|value| {
                let path = self.container.env_path(index);
                (value, TextPlace { path, text: value.into(), range: 0..value.len() })
            }),
            (None, Some(flag)) => flag.value.as_deref().map(|value| (value, flag.place.clone())),
            (None, None) => {
                let (known, value) = (Box::new(setting.clone()), value.to_owned());
                return Binding::Add { container: self.index, known, value, no_cmd: false, doubt: None };
            }
        };
        match given {
            Some((text, place)) => existing_setting(name, text, place, value, number, env.is_some()),
            None => {
                let reason = format!("`{name}` has no readable value");
                let remedy = format!("Write {number} as the value of `{name}`");
                Binding::fixed(reason, ObstacleRemedy::Manifest(remedy))
            }
        }
    }
}

impl Listener {
    /// Adds the setting of an entry of `bind`. All entries of one number count; `fixed: true` overrides the others.
    pub(super) fn bind(&mut self, binding: Binding) {
        let is_first = !self.evidence_kinds.has(EvidenceKind::Bind);
        self.evidence_kinds.add(EvidenceKind::Bind);
        match (&mut self.binding, binding) {
            (known, _) if known.is_accepted() => {}
            (known, binding) if binding.is_accepted() => *known = binding,
            // The setting in the manifest and the setting of `bind` both set the number.
            (Binding::Visible(places), Binding::Visible(more)) => {
                for place in more {
                    if !places.iter().any(|known| known.place == place.place) {
                        places.push(place);
                    }
                }
            }
            (known, binding) if is_first && !matches!(known, Binding::Visible(_)) => *known = binding,
            (_, binding) => self.more.push(binding),
        }
    }
}

/// Returns the position of the port number in an existing setting, if its text matches `bind`.
fn existing_setting(name: &str, text: &str, place: TextPlace, value: &str, number: u16, is_variable: bool) -> Binding {
    let expected = value.replace("{port}", &number.to_string());
    if text == expected {
        let start = place.range.start + value.find("{port}").unwrap_or_default();
        let range = start..start + number.to_string().len();
        let place = TextPlace { range, ..place };
        let (name, form) = (name.to_owned(), Form::AnyAddress);
        return Binding::Visible(vec![PortSetting { name, form, port: number, variable: is_variable, place }]);
    }
    if let Some(binding) = filled_in(name, text) {
        return binding;
    }
    let reason = format!("`{name}` has another value than `{expected}`, which `bind` gives");
    let digits = number.to_string();
    let remedy = match text.split_once(&digits) {
        Some((before, after)) if !after.contains(&digits) => {
            format!("Write `value: {}` in `bind`", serde_json::Value::from(format!("{before}{{port}}{after}")))
        }
        Some(_) => {
            format!(
                "Write `fixed: true` in place of the name: the value has {number} twice, and `bind` changes one number"
            )
        }
        None => format!("Write {number} there"),
    };
    Binding::fixed(reason, ObstacleRemedy::Manifest(remedy))
}
