//! The old port number in other texts of a moved container. A number that is neither changed nor explained would leave
//! the move incomplete.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::catalog;
use crate::model::listener::{
    Listener, NumberSettings, OtherEvidence, PodNames, RejectionReason, Variable, forwarding_option,
};
use crate::model::pod::{AddressOwner, Container};
use crate::model::setting::{PortSetting, Setting, Settings};
use crate::model::text::{
    Form, HostKind, Name, Number, TextPlace, host_before, hosts_of, is_whole, literal_host_kind, literal_ip,
    whole_numbers,
};
use lossless_yaml::Path;

/// Texts of a container, with the positions of each number.
#[derive(Debug)]
pub(in crate::model) struct Texts<'c> {
    container: &'c Container,
    settings: Settings,
    numbers: BTreeMap<u16, Vec<TextPlace>>,
    port_names: OnceCell<HashSet<(&'c str, u16)>>,
}

/// A text with the old port number without evidence that the number has another meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct UnexplainedNumber {
    /// Position of the port number.
    pub(in crate::model) place: TextPlace,
    /// Flag or variable with the port number, if any.
    pub(in crate::model) name: Option<String>,
    /// True if `name` has options for another program, and the text is one of them.
    pub(in crate::model) is_passed_on: bool,
}

impl<'c> Texts<'c> {
    /// The texts of a container with these settings.
    pub(in crate::model) fn new(container: &'c Container, settings: Settings) -> Self {
        let words = container.words().map(|(list, index, text)| (container.word_path(list, index), text));
        let values = container.env.effective().filter_map(|var| Some((container.env_path(var.index), var.value?)));
        let script = container.script().map(|(list, index, _)| container.word_path(list, index));
        let mut numbers: BTreeMap<u16, Vec<TextPlace>> = BTreeMap::new();
        for (path, text) in words.chain(values) {
            let mut found = whole_numbers(text).peekable();
            if found.peek().is_none() {
                continue;
            }
            let comments = comments(text, script.as_ref() == Some(&path));
            let text: Arc<str> = text.into();
            // Comments and numbers are both sorted by their position in the text.
            let mut comments = comments.into_iter().peekable();
            let mut in_comment = |number: &Number| {
                while comments.next_if(|comment| comment.end <= number.range.start).is_some() {}
                comments.peek().is_some_and(|comment| comment.contains(&number.range.start))
            };
            for number in found.filter(|number| !in_comment(number)) {
                let place = TextPlace { path: path.clone(), text: Arc::clone(&text), range: number.range };
                numbers.entry(number.port).or_default().push(place);
            }
        }
        Self { container, settings, numbers, port_names: OnceCell::new() }
    }

    /// Reason not to treat a variable from a `ConfigMap` as a port setting, although its number is the number of a
    /// listener.
    pub(in crate::model) fn rejection_of_map_variable(
        &self,
        pod_names: &PodNames<'_>,
        name: &str,
        form: Form,
        listener: &Listener,
        place: &TextPlace,
    ) -> Option<RejectionReason> {
        let other = Setting::named(name);
        let setting = self.settings.variable_with_value(name).unwrap_or(&other);
        let port = listener.number;
        let place = PortSetting { name: name.to_owned(), form, port, variable: true, place: place.clone() };
        let others = OtherEvidence { count: 1, firm: true };
        let rejection_reason = pod_names.rejection_of_text(self.container, &self.settings, setting, &place, others);
        rejection_reason.or_else(|| self.rejection_by_purpose(pod_names, listener, (setting, &place)))
    }

    /// Reason to reject a text with the number of a listener: its name has a word for another purpose.
    fn rejection_by_purpose(
        &self,
        pod_names: &PodNames<'_>,
        listener: &Listener,
        text: (&Setting, &PortSetting),
    ) -> Option<RejectionReason> {
        NumberSettings::from_listener(listener)?.rejection_by_other_setting(
            pod_names,
            self.container,
            &self.settings,
            text,
        )
    }

    /// The flag or variable with options for another program that contains a position.
    fn passed_on(&self, pod_names: &PodNames<'_>, place: &TextPlace) -> Option<&str> {
        let setting = self.settings.containing(place).into_iter().next()?;
        forwarding_option(pod_names, self.container, &self.settings, setting).map(|(name, _)| name)
    }

    /// True if a position is among options for another program, or if the name of a setting shows that its value, an
    /// address of all interfaces with the port number of a listener, belongs to another program.
    pub(in crate::model) fn has_other_purpose(
        &self,
        pod_names: &PodNames<'_>,
        listener: &Listener,
        place: &TextPlace,
    ) -> bool {
        if self.passed_on(pod_names, place).is_some() {
            return true;
        }
        let mut settings = self.settings.port_places_with_settings(listener.number);
        let setting = settings.find(|(_, port)| port.form == Form::AnyAddress && port.place == *place);
        // A variable may have a command with such a URL: `RUNNER_COMMAND="serve http://0.0.0.0:8080"`.
        let of_command = || {
            let host = host_before(&place.text, place.range.start).filter(|host| host.colon)?;
            literal_host_kind(host.text).filter(|kind| *kind == HostKind::AnyAddress)?;
            let setting = self.settings.containing(place).into_iter().find(|setting| setting.variable)?;
            let (name, place) = (setting.name.clone(), place.clone());
            Some((setting, PortSetting { name, form: Form::AnyAddress, port: listener.number, variable: true, place }))
        };
        let setting = setting.or_else(of_command);
        setting
            .is_some_and(|(setting, port)| self.rejection_by_purpose(pod_names, listener, (setting, &port)).is_some())
    }

    /// The port numbers in the settings of the process.
    pub(in crate::model) fn ports(&self) -> impl Iterator<Item = u16> {
        self.settings.ports()
    }

    /// Settings of a port number of the process.
    pub(in crate::model) fn of_port(&self, port: u16) -> impl Iterator<Item = PortSetting> {
        self.settings.of_port(port)
    }

    /// Value of a variable of the container, a `ConfigMap` or a script; a script overrides the others.
    pub(in crate::model) fn value_of(&self, name: &str) -> Option<&str> {
        self.settings.variable_with_value(name)?.value.as_deref()
    }

    /// The flag or variable that a position belongs to.
    pub(in crate::model) fn name_of(&self, place: &TextPlace) -> Option<&str> {
        self.settings.name_of(place)
    }

    /// The positions of a port number in command, arguments and variables.
    pub(in crate::model) fn places_of(&self, port: u16) -> &[TextPlace] {
        self.numbers.get(&port).map_or(&[], Vec::as_slice)
    }

    /// The names of the flags and variables whose values contain a position.
    pub(in crate::model) fn names_of(&self, place: &TextPlace) -> impl Iterator<Item = &str> {
        self.settings.containing(place).into_iter().map(|setting| setting.name.as_str())
    }

    /// True if another text shows that a port belongs to another program: next to `--target-port`, the host in
    /// `--target-host` or `--target`, or a URL of the host `target`. The address of the node does not count, because it
    /// may be an address of the pod itself.
    pub(in crate::model) fn is_of_another(&self, pod_names: &PodNames<'_>, port: &PortSetting) -> bool {
        let named = Setting::named(&port.name);
        let own = self.settings.port_places_with_settings(port.port).find(|(_, other)| other == port);
        let setting = own.map(|(setting, _)| setting);
        let setting = setting.or_else(|| self.settings.variable_with_value(&port.name)).unwrap_or(&named);
        let others = OtherEvidence { count: 1, firm: true };
        let is_node =
            |name: &str| self.container.env_var(name).is_some_and(|(_, var)| var.ip == Some(AddressOwner::Node));
        let rejection_reason = pod_names.rejection_of_text(self.container, &self.settings, setting, port, others);
        let is_of_other_program = rejection_reason.is_some_and(|rejection_reason| match &rejection_reason {
            RejectionReason::Sibling(name, _) | RejectionReason::Relative(name, _) => !is_node(name),
            rejection_reason => rejection_reason.explains(),
        });
        let stems = Name::new(&port.name).port_stems();
        let is_host = |other: &Setting| {
            stems.iter().any(|stem| Name::new(&other.name).equals_stem(stem))
                && pod_names.another_host(self.container, &self.settings, other).is_some()
        };
        // `postgres://db.example.com/x --db-port 5432`
        let is_another = |host: &str| pod_names.classify_host(self.container, host) == HostKind::Another;
        let has_name = |host: &str| {
            let first = Name::new(host.split('.').next().unwrap_or_default());
            stems.iter().any(|stem| first.equals_stem(stem)) && is_another(host)
        };
        let mut urls = self.container.words().map(|(.., word)| word).filter(|word| word.contains("://"));
        is_of_other_program || self.settings.iter().any(is_host) || urls.any(|url| hosts_of(url).any(has_name))
    }

    /// True if a position is in a public address of the program.
    pub(in crate::model) fn is_public(&self, place: &TextPlace) -> bool {
        self.settings.containing(place).into_iter().any(|setting| Name::new(&setting.name).is_public())
    }

    /// The positions with this port number that a move does not change, and that nothing identifies as the number of
    /// something else.
    pub(in crate::model) fn leftovers(
        &self,
        pod_names: &PodNames<'_>,
        port: u16,
        not_listen: &[String],
        is_changed: impl Fn(&TextPlace) -> bool,
    ) -> Vec<UnexplainedNumber> {
        let places = self.numbers.get(&port).into_iter().flatten();
        let left = places.filter(|place| !is_changed(place)).filter_map(|place| {
            let setting = self.settings.containing(place).into_iter().next();
            let passed_on = self.passed_on(pod_names, place);
            let name = passed_on.or_else(|| setting.map(|setting| setting.name.as_str()));
            let is_listed = name.is_some_and(|name| not_listen.iter().any(|listed| listed == name));
            (!is_listed && !self.has_other_meaning(pod_names, place, port, setting, not_listen)).then(|| {
                UnexplainedNumber {
                    place: place.clone(),
                    name: name.map(str::to_owned),
                    is_passed_on: passed_on.is_some(),
                }
            })
        });
        left.collect()
    }

    /// True if a variable from a `ConfigMap` has the port number in a position that a move does not change, and that
    /// nothing identifies as the number of something else.
    pub(in crate::model) fn has_unexplained_number(
        &self,
        pod_names: &PodNames<'_>,
        variable: &Variable<'_>,
        port: u16,
        not_listen: &[String],
        is_changed: impl Fn(&TextPlace) -> bool,
    ) -> bool {
        let comments = comments(variable.text, false);
        let in_comment = |number: &Number| {
            let next = comments.partition_point(|comment| comment.end <= number.range.start);
            comments.get(next).is_some_and(|comment| comment.contains(&number.range.start))
        };
        let place = |number: &Number| TextPlace { range: number.range.clone(), ..variable.whole_place() };
        let value = variable.listen_values().iter().find(|(_, number)| number.port == port);
        let numbers = value.map(|(form, number)| (*form, port, place(number))).into_iter().collect();
        let setting = Setting { numbers, ..Setting::from_variable(variable.name.clone(), variable.trimmed_place()) };
        // Names of the pod itself with a port are references to peers.
        let is_after_name = |number: &Number| {
            let host = host_before(variable.text, number.range.start).filter(|host| host.colon);
            host.is_some_and(|host| literal_host_kind(host.text).is_none() && !self.is_key(host.text, port))
        };
        let whole = variable.numbers(port).filter(|number| is_whole(variable.text, number) && !in_comment(number));
        let whole = whole.filter(|number| !is_after_name(number));
        let mut left = whole.map(place).filter(|place| !is_changed(place));
        left.any(|place| !self.has_other_meaning(pod_names, &place, port, Some(&setting), not_listen))
    }

    /// True if the host before a number or its setting shows that it is not a port of the process.
    fn has_other_meaning(
        &self,
        pod_names: &PodNames<'_>,
        place: &TextPlace,
        port: u16,
        setting: Option<&Setting>,
        not_listen: &[String],
    ) -> bool {
        if let Some(host) = host_before(&place.text, place.range.start) {
            let kind = pod_names.classify_host(self.container, host.text);
            // A word before a number is certainly a host only if a colon follows it.
            let is_host = if host.colon { !self.is_key(host.text, port) } else { is_certain_host(host.text) };
            let another = is_host && kind == HostKind::Another;
            let own = kind == HostKind::OwnService && pod_names.is_own_service_port(host.text, port);
            if another || own {
                return true;
            }
        }
        let Some(setting) = setting else { return false };
        if not_listen.contains(&setting.name) || Name::new(&setting.name).is_public() {
            return true;
        }
        self.is_explained_by_name(pod_names, place, port, setting)
    }

    /// True if the name of the setting shows that the number is not a port of the process.
    fn is_explained_by_name(&self, pod_names: &PodNames<'_>, place: &TextPlace, port: u16, setting: &Setting) -> bool {
        let name = Name::new(&setting.name);
        let shown = OtherEvidence { count: 1, firm: true };
        let own = setting.ports().find(|place| place.port == port);
        let rejection_reason = own
            .as_ref()
            .and_then(|place| pod_names.rejection_of_text(self.container, &self.settings, setting, place, shown));
        if rejection_reason.as_ref().is_some_and(RejectionReason::explains)
            || self.is_port_of_own_service(pod_names, setting, port)
        {
            return true;
        }
        let is_bare = place.text.get(setting.place.range.clone()).is_some_and(|value| {
            value.trim_matches(['"', '\'']) == place.text.get(place.range.clone()).unwrap_or_default()
        });
        // `--verbose 8080` may be a switch and an argument.
        let is_value = !setting.apart || name.not_port().is_some();
        let short = matches!(setting.name.as_str(), "-p" | "-P");
        is_bare && is_value && !short && !name.may_be_port() && !self.is_expanded(setting)
    }

    /// True if the word before a colon and a number is a key and not a host: `TCP-LISTEN:8080`, `tcp:8080`,
    /// `{port:8080}`, `http:8080` for a port with the name `http`. Quotes end a key: `"port":8080`.
    fn is_key(&self, word: &str, port: u16) -> bool {
        let name = Name::new(word);
        let port_names = || {
            let ports = self.container.ports.iter().flatten();
            ports.filter_map(|port| Some((port.name.as_deref()?, port.number()?))).collect()
        };
        word.bytes().all(|b| b.is_ascii_digit())
            || catalog::WORDS.protocols.contains(&word.to_ascii_lowercase().as_str())
            || (!word.contains('.') && name.has_listen_word() && name.has_port_suffix())
            || self.port_names.get_or_init(port_names).contains(&(word, port))
    }

    /// `WEB_SERVICE_PORT` next to `WEB_SERVICE_HOST=web`: a port of the pod's Service, which stays.
    fn is_port_of_own_service(&self, pod_names: &PodNames<'_>, setting: &Setting, port: u16) -> bool {
        let siblings = pod_names.siblings(self.container, &self.settings);
        let stems = Name::new(&setting.name).port_stems();
        let mut hosts = stems.iter().flat_map(|stem| siblings.own_hosts(stem, setting));
        hosts.any(|host| pod_names.is_own_service_port(host, port))
    }

    /// True if another text expands the variable.
    fn is_expanded(&self, setting: &Setting) -> bool {
        setting.variable && self.settings.is_expanded(self.container, &setting.name)
    }
}

/// Comments of a script or a text of several lines: from a `#` after a blank to the end of the line.
fn comments(text: &str, is_script: bool) -> Vec<Range<usize>> {
    if !is_script && !text.contains('\n') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let hash = line.match_indices('#').map(|(at, _)| at);
        let mut hash = hash.filter(|at| {
            let before = line.get(..*at).unwrap_or_default();
            let quotes = before.matches(['"', '\'']).count();
            quotes % 2 == 0 && (before.is_empty() || before.ends_with(char::is_whitespace))
        });
        found.extend(hash.next().map(|at| start + at..start + line.len()));
        start += line.len();
    }
    found
}

/// Path of a position, and a short form of the text.
pub(in crate::model) fn path_and_excerpt(place: &TextPlace) -> (Path, String) {
    let line_start = place.text.get(..place.range.start).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
    let line = place.text.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim();
    let short: String = line.chars().take(80).collect();
    let dots = if short.len() < line.len() { "…" } else { "" };
    (place.path.clone(), format!("{short}{dots}"))
}

/// True for a word that is a host as an argument of any command: an address, or the name of a Service with its zone.
/// Names of files, modules and classes also contain dots (`server.js`, `http.server`, `Web.Api.dll`).
fn is_certain_host(word: &str) -> bool {
    let name = word.trim_end_matches('.');
    literal_ip(word).is_some() || name.split('.').skip(1).any(|label| label == "svc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_start_after_a_blank_outside_of_quotes() {
        let without = |text: &str| {
            let gone = comments(text, true);
            whole_numbers(text)
                .filter(|n| !gone.iter().any(|c| c.contains(&n.range.start)))
                .map(|n| n.port)
                .collect::<Vec<_>>()
        };
        assert_eq!(without("web 80 # 81\n# 82\nweb#83 84"), [80, 83, 84]);
        assert_eq!(without("web '# 80' # 81"), [80]);
    }

    #[test]
    fn long_lines_are_shortened() {
        let text: Arc<str> = format!("a\n  b 8080 {}\nc", "x".repeat(200)).into();
        let place = TextPlace { path: Path::root(), range: 6..10, text };
        assert!(path_and_excerpt(&place).1.starts_with("b 8080 xxx") && path_and_excerpt(&place).1.ends_with('…'));
    }
}
