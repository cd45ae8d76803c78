//! Reads the flags and variables of a container from its words and values.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::types::{POSITIONAL, PortSetting, Setting};
use super::words::{container_words, is_flag, option_words};
use crate::catalog::address_in_option;
use crate::model::pod::{AddressOwner, Container};
use crate::model::text::{
    Address, Form, HostKind, Name, Number, TextPlace, Word, address, form_of_host, host_before, literal_host_kind,
    port, whole_numbers,
};
use lossless_yaml::Path;

/// Reads flags and assignments from words: `--flag=V`, `--flag V`, `-f V`, `-p8080`, `'-p 8080'`, `NAME=V`.
///
/// `form_of` is the form of an address whose host is a variable, by the names of the setting and of the variable.
pub(in crate::model) fn settings_of(words: &[Word], form_of: &impl Fn(&str, &str) -> Option<Form>) -> Vec<Setting> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = word.text();
        let value_at = |at: usize| (text.get(at..).unwrap_or_default().to_owned(), at);
        let joined = |name: &str, (value, at): (String, usize), variable: bool| {
            // The value of an option of a runtime may have more than the address.
            let range = address_in_option(name, &value).unwrap_or(0..value.len());
            let (at, end) = (at + range.start, at + range.end);
            let value = value.get(range).unwrap_or_default().to_owned();
            let place = word.place(at..end).unwrap_or_else(|| word.whole_place());
            let form_of = |variable: &str| form_of(name, variable);
            let numbers = numbers_of(&value, &form_of, |range| word.place(at + range.start..at + range.end));
            Setting {
                name: name.to_owned(),
                value: Some(value),
                place,
                variable,
                apart: false,
                command: Some(word.command),
                numbers,
            }
        };
        if !is_flag(text) {
            if let Some((name, _)) = text.split_once('=').filter(|(name, _)| is_key(name)) {
                found.push(joined(name, value_at(name.len() + 1), true));
            }
            continue;
        }
        if let Some((name, _)) = text.split_once('=') {
            found.push(joined(name, value_at(name.len() + 1), false));
        } else if let Some(at) = attached(text) {
            found.push(joined(text.get(..at).unwrap_or_default().trim_end(), value_at(at), false));
        } else {
            let next = words.get(index + 1).filter(|next| next.command == word.command && !is_flag(next.text()));
            let form_of = |variable: &str| form_of(text, variable);
            let numbers =
                next.map(|next| numbers_of(next.text(), &form_of, |range| next.place(range))).unwrap_or_default();
            found.push(Setting {
                name: text.to_owned(),
                value: next.map(|next| next.text().to_owned()),
                place: next.unwrap_or(word).whole_place(),
                variable: false,
                apart: next.is_some(),
                command: Some(word.command),
                numbers,
            });
        }
    }
    found
}

/// True if a text may be the name of a variable in a script, or of a property.
fn is_key(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// Start of the value in `-p8080`, or in `-p 8080` as one argument: like `getopt`, takes everything after the letter,
/// without blanks before a port number.
fn attached(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('-')?.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
    let digits = rest.trim_start_matches(' ');
    (digits.len() >= 2 && port(digits).is_some()).then_some(text.len() - digits.len())
}

type Numbers = Vec<(Form, u16, TextPlace)>;

/// Numbers of a value that the manifest contains literally.
fn numbers_of(
    value: &str,
    form_of: &impl Fn(&str) -> Option<Form>,
    place: impl Fn(Range<usize>) -> Option<TextPlace>,
) -> Numbers {
    let numbers = address::addresses(value, form_of);
    numbers.filter_map(|(form, number)| Some((form, number.port, place(number.range)?))).collect()
}

/// Returns all settings of a container in the order of command, arguments and variables, with variables expanded: the
/// number of `--port=$(PORT)` is the number of `PORT`.
pub fn settings(container: &Container) -> Vec<Setting> {
    settings_with(container, |_| true)
}

/// Reads arguments that are an address of all interfaces: `serve :9443`. Words of scripts are left out, because other
/// commands there look for such texts.
fn positional(words: &[Word], form_of: &impl Fn(&str, &str) -> Option<Form>) -> Vec<Setting> {
    let is_flag_alone = |word: &Word| is_flag(word.text()) && !word.text().contains('=');
    let positional = words.iter().enumerate().filter(|(index, word)| {
        let before = index.checked_sub(1).and_then(|before| words.get(before));
        word.command == 0 && !before.is_some_and(is_flag_alone) && !word.text().contains("://")
    });
    let settings = positional.filter_map(|(_, word)| {
        let numbers =
            numbers_of(word.text(), &|variable: &str| form_of(POSITIONAL, variable), |range| word.place(range));
        let is_listen = matches!(numbers.as_slice(), [(Form::AnyAddress, ..)]);
        is_listen.then(|| Setting {
            name: POSITIONAL.to_owned(),
            value: Some(word.text().to_owned()),
            place: word.whole_place(),
            variable: false,
            apart: false,
            command: Some(word.command),
            numbers,
        })
    });
    settings.collect()
}

/// Returns the settings of a container, without variables whose value is not `wanted`.
fn settings_with(container: &Container, wanted: impl Fn(&str) -> bool) -> Vec<Setting> {
    let form_of = |setting: &str, variable: &str| form_of_variable(container, setting, variable);
    let words = container_words(container);
    let mut found = settings_of(&words, &form_of);
    found.extend(positional(&words, &form_of));
    let mut option_strings = 1_000_000;
    for var in container.env.effective() {
        let Some(text) = var.value else {
            found.push(Setting {
                name: var.name.to_owned(),
                value: None,
                place: TextPlace { path: container.env_path(var.index), text: Arc::default(), range: 0..0 },
                variable: true,
                apart: false,
                command: None,
                numbers: Vec::new(),
            });
            continue;
        };
        if !wanted(text) {
            option_strings += 1;
            continue;
        }
        let path = container.env_path(var.index);
        let whole: Arc<str> = text.into();
        let words = option_words(&path, &whole, option_strings);
        option_strings += 1;
        found.extend(settings_of(&words, &form_of));
        found.push(Setting {
            name: var.name.to_owned(),
            value: Some(text.to_string()),
            place: TextPlace { path: path.clone(), text: Arc::clone(&whole), range: 0..text.len() },
            variable: true,
            apart: false,
            command: None,
            numbers: Vec::new(),
        });
    }
    add_numbers_of_variables(&mut found, &form_of);
    drop_node_addresses(container, &mut found);
    found
}

/// Form of an address whose host is a variable of the container: the address of the pod or of its node, all interfaces,
/// the loopback. A setting whose name contains `listen` or `bind` has an address of the pod itself, whatever its host:
/// on the host network the address of the node is the pod's, and an unknown host may be the loopback.
fn form_of_variable(container: &Container, setting: &str, variable: &str) -> Option<Form> {
    let (_, var) = container.env_var(variable)?;
    let is_listen = || Name::new(setting).contains_listen();
    match (var.ip, var.value) {
        (Some(AddressOwner::Pod), _) => Some(Form::AnyAddress),
        (Some(AddressOwner::Node), _) => Some(if is_listen() { Form::AnyAddress } else { Form::Loopback }),
        (_, Some(host)) => form_of_host(host),
        (None, None) if is_listen() => Some(Form::Loopback),
        _ => None,
    }
}

/// Drops the numbers after the address of the node, unless the container declares the number as a port of the node, or
/// the name contains `listen` or `bind`: an agent on the node listens there.
fn drop_node_addresses(container: &Container, settings: &mut [Setting]) {
    let nodes = container.env.iter().filter(|var| var.ip == Some(AddressOwner::Node));
    let nodes: Vec<String> = nodes.map(|var| format!("$({})", var.name)).collect();
    let declares = |number: u16| {
        container.ports.iter().flatten().any(|port| {
            let held = if container.on_host { port.number() } else { port.host_number() };
            held == Some(number)
        })
    };
    let is_node = |value: &str| nodes.iter().any(|node| value.contains(node));
    for setting in settings.iter_mut().filter(|_| !nodes.is_empty()) {
        if setting.value.as_deref().is_some_and(is_node) && !Name::new(&setting.name).contains_listen() {
            setting.numbers.retain(|(_, number, _)| declares(*number));
        }
    }
}

/// Adds the numbers of values with variables, and the numbers of variables themselves.
fn add_numbers_of_variables(settings: &mut [Setting], form_of: &impl Fn(&str, &str) -> Option<Form>) {
    // The last assignment counts; an assignment of the script overrides a variable of the container.
    let mut values: HashMap<String, (String, TextPlace)> = HashMap::new();
    let is_source =
        |setting: &&Setting, of_container: bool| setting.variable && (setting.command.is_none() == of_container);
    // Values of variables are needed only if a setting expands one.
    let names_some = settings.iter().any(|setting| setting.value.as_deref().is_some_and(|value| value.contains('$')));
    for of_container in [true, false].into_iter().filter(|_| names_some) {
        for setting in settings.iter().filter(|setting| is_source(setting, of_container)) {
            if let Some(value) = setting.value.as_ref().filter(|value| written(setting) == Some(value.as_str())) {
                values.insert(setting.name.clone(), (value.clone(), setting.place.clone()));
            }
        }
    }
    let at = |place: &TextPlace, range: Range<usize>| {
        let start = place.range.start;
        TextPlace { range: start + range.start..start + range.end, ..place.clone() }
    };
    for setting in settings.iter_mut().filter(|setting| setting.numbers.is_empty()) {
        let Some(value) = &setting.value else { continue };
        let here = setting.place.clone();
        let is_written = written(setting) == Some(value.as_str());
        let mut numbers = Numbers::new();
        let form_of = |variable: &str| form_of(&setting.name, variable);
        for address in address::read(value, form_of) {
            match address {
                Address::Number(form, number) => {
                    numbers.extend(is_written.then(|| (form, number.port, at(&here, number.range))));
                }
                Address::PortOf(form, name) => {
                    let number = values
                        .get(name)
                        .and_then(|(value, place)| Some((form, port(value)?, at(place, 0..value.len()))));
                    numbers.extend(number);
                }
                Address::ValueOf(name) => {
                    let Some((value, place)) = values.get(name) else { continue };
                    numbers
                        .extend(address::addresses(value, form_of).map(|(form, n)| (form, n.port, at(place, n.range))));
                }
            }
        }
        setting.numbers = numbers;
    }
}

/// Value as in the manifest.
fn written(setting: &Setting) -> Option<&str> {
    setting.place.text.get(setting.place.range.clone())
}

/// Variables from which a setting takes an address or a port: name, and for a port the form of the address around it.
pub(in crate::model) fn expanded_variables(container: &Container, setting: &Setting) -> Vec<(String, Option<Form>)> {
    let Some(value) = setting.value.as_deref().filter(|value| value.contains('$')) else { return Vec::new() };
    let addresses = address::read(value, |name| form_of_variable(container, &setting.name, name)).into_iter();
    let variables = addresses.filter_map(|address| match address {
        Address::ValueOf(name) => Some((name.to_owned(), None)),
        Address::PortOf(form, name) => Some((name.to_owned(), Some(form))),
        Address::Number(..) => None,
    });
    variables.collect()
}

/// Returns all port numbers in flags and variables of a container, under any name.
pub fn port_settings(container: &Container) -> Vec<PortSetting> {
    // If no text expands variables, only variables with a listen address or with options can have a port.
    let words = container.words().map(|(_, _, word)| word);
    let takes_some = words.chain(container.env.iter().filter_map(|var| var.value)).any(|t| t.contains('$'));
    let wanted = |value: &str| takes_some || value.contains('-') || !address::read(value, |_| None).is_empty();
    settings_with(container, wanted).iter().flat_map(Setting::ports).collect()
}

/// Returns the settings of a container with a port after a literal host for all interfaces, without names of addresses
/// that only clients dial.
pub fn open_addresses(container: &Container, port: u16) -> Vec<PortSetting> {
    let is_open = |place: &PortSetting| {
        let name = Name::new(&place.name);
        let host = host_before(&place.place.text, place.place.range.start).filter(|host| host.colon);
        let is_any = host.is_some_and(|host| literal_host_kind(host.text) == Some(HostKind::AnyAddress));
        is_any && !name.is_dialled() && !name.is_advertised()
    };
    let mut places = port_settings(container);
    places.retain(|place| place.port == port && is_open(place));
    places
}

/// Flag or variable whose value has a port in a form that is not read.
#[derive(Debug)]
pub struct UnreadSetting {
    /// Flag with its dashes, or variable.
    pub name: String,
    /// True for a variable.
    pub variable: bool,
    /// Path of the text with the value.
    pub path: Path,
    /// Value with `{port}` for the port; `None` if the value has the port more than once.
    pub value: Option<String>,
}

/// Returns the first setting of a container whose value has a port in a form that is not read: after an address of all
/// interfaces, or under a name with `listen` or `bind` and after no host of another program.
pub fn unread_setting(container: &Container, port: u16) -> Option<UnreadSetting> {
    settings(container).into_iter().find_map(|setting| {
        let text = written(&setting).filter(|_| setting.numbers.is_empty())?;
        let is_listen = Name::new(&setting.name).contains_listen();
        let is_own = |number: &Number| match host_before(text, number.range.start).filter(|host| host.colon) {
            Some(host) => match literal_host_kind(host.text) {
                Some(kind) => kind == HostKind::AnyAddress || is_listen,
                None => false,
            },
            None => is_listen,
        };
        let places: Vec<Number> = whole_numbers(text).filter(|number| number.port == port).collect();
        let first = places.iter().find(|number| is_own(number))?;
        let template = || {
            let (before, after) = (text.get(..first.range.start)?, text.get(first.range.end..)?);
            Some(format!("{before}{{port}}{after}"))
        };
        let value = if places.len() == 1 { template() } else { None };
        Some(UnreadSetting {
            name: setting.name.clone(),
            variable: setting.variable,
            path: setting.place.path.clone(),
            value,
        })
    })
}

/// Value of a boolean flag: `--flag`, `--flag=true`; `None` without the flag.
pub fn switch(settings: &[Setting], name: &str) -> Option<bool> {
    let flags = settings.iter().rev().filter(|setting| !setting.variable);
    let flag = flags.into_iter().find(|flag| flag.name.trim_start_matches('-') == name.trim_start_matches('-'))?;
    Some(!matches!(flag.value.as_deref(), Some("false" | "False" | "0")))
}
