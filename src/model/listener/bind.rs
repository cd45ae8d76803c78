//! The listeners that `bind` of the config names.

use super::catalogued::later;
use super::hints::BindHint;
use super::reader::Reader;
use super::role::Role;
use super::types::{Binding, Listener};
use super::witness::Witness;
use crate::model::setting::PortSetting;
use crate::model::text::{Form, TextPlace, is_placeholder};

impl Reader<'_> {
    /// What `bind` of the config says.
    pub(super) fn hinted(&self, found: &mut Vec<Listener>) {
        for hint in self.hints.bind.iter().filter(|hint| hint.container == self.container.name) {
            let same = |listener: &Listener| {
                listener.name.as_ref() == Some(&hint.port) || (hint.number == Some(listener.number))
            };
            // On a second run the number is another one, and what `bind` names holds it.
            let sets = |listener: &Listener| matches!(self.hinted_binding(hint, listener.number), Binding::Visible(_));
            let position = found.iter().position(same).or_else(|| found.iter().position(sets));
            let number = position.and_then(|p| found.get(p)).map(|l| l.number).or(hint.number);
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
            match (&mut listener.binding, binding) {
                // What the manifest shows sets the number as well.
                (Binding::Visible(places), Binding::Visible(more)) => {
                    for place in more {
                        if !places.iter().any(|known| known.place == place.place) {
                            places.push(place);
                        }
                    }
                }
                (Binding::Visible(_), _) => {}
                (listener, binding) => *listener = binding,
            }
            listener.witnesses.add(Witness::Bind);
            if let Some(role) = Role::of_name(&hint.port) {
                listener.role = role;
            }
        }
    }

    /// A flag or variable that is there is changed, one that is not there is added.
    fn hinted_binding(&self, hint: &BindHint, number: u16) -> Binding {
        let name = hint.setting.name();
        // With a scheme the whole value has to be what `bind` says.
        let url = hint.value.contains("://").then(|| hint.value.replace("{port}", &number.to_string()));
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
        let env = hint.setting.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = hint.setting.arg.as_deref().and_then(|name| self.flag(name));
        let there = match (env, flag) {
            (Some((index, var)), _) => var.value.as_deref().map(|value| {
                let path = self.container.env_path(index);
                (value, TextPlace { path, text: value.into(), range: 0..value.len() })
            }),
            (None, Some(flag)) => flag.value.as_deref().map(|value| (value, flag.place.clone())),
            (None, None) => {
                let value = hint.value.clone();
                return Binding::Add { known: Box::new(hint.setting.clone()), value, no_cmd: false, doubt: None };
            }
        };
        let expected = hint.value.replace("{port}", &number.to_string());
        match there.clone().filter(|(value, _)| *value == expected) {
            Some((_, place)) => {
                let start = place.range.start + hint.value.find("{port}").unwrap_or_default();
                let range = start..start + number.to_string().len();
                Binding::Visible(vec![PortSetting {
                    name: name.to_owned(),
                    form: Form::AnyAddress,
                    port: number,
                    variable: env.is_some(),
                    place: TextPlace { range, ..place },
                }])
            }
            None if there.as_ref().is_some_and(|(value, _)| is_placeholder(value)) => {
                Binding::Later(later(name, there.map(|(value, _)| value).unwrap_or_default()))
            }
            None => {
                Binding::Fixed(format!("`{name}` is there with another value than `{expected}`, which `bind` gives"))
            }
        }
    }
}
