//! One container: what it has, what it is to have, and what becomes of it.

use super::list::{entries, takes_all, united};
use super::variables::{Held, Key, NAMES, SERVICE_HOST, Variable, Variables, escaped, without_password};
use crate::api::{Case, Existing};
use crate::no_proxy::useless;
use crate::rule::{self, Rule, Severity};

/// What a container is to have.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The proxy for `http`, in the container's namespace.
    pub http: Option<Held>,
    /// The proxy for `https`.
    pub https: Option<Held>,
    /// The entries of `NO_PROXY`, in order.
    pub entries: Vec<String>,
    /// What stands in a `ConfigMap` for `$(KUBERNETES_SERVICE_HOST)`, which nobody expands there.
    pub instead_of_service: Vec<String>,
    /// Which names are written.
    pub case: Case,
    /// What becomes of what is there.
    pub existing: Existing,
    /// Whether a name that is there twice stops the run: who applies the object refuses it.
    pub unique: bool,
}

/// A change of one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its `value` becomes this; it has one.
    Set(usize, String, String),
    /// It gets a `value`.
    Give(usize, String),
    /// The whole variable becomes another one.
    Replace(usize, Held),
    /// It is new.
    Append(Held),
}

/// What becomes of a container.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// Changes, by the names of variables, new ones last.
    pub changes: Vec<(String, Change)>,
    /// A `ConfigMap`'s key and the text that it gets.
    pub map: Option<(Key, String)>,
    /// What is to be said: how bad, by which rule, and what.
    pub said: Vec<(Severity, Rule, String)>,
}

/// What is known of objects that variables come from.
pub trait Known {
    /// The text of a `ConfigMap`'s key; none when it is not in the input.
    fn text(&self, key: &Key) -> Option<&str>;
    /// Why a `ConfigMap`'s key may not be changed for this container; none when it may.
    fn why_not(&self, key: &Key) -> Option<String>;
    /// Whether an object is in the input, and if so whether it has a key.
    fn has(&self, kind: &str, name: &str, key: &str) -> Option<bool>;
}

/// What a name holds, and where.
struct Found<'v> {
    held: Held,
    own: Option<&'v Variable>,
}

/// Merges what a container is to have with what it has.
#[must_use]
pub fn merge(variables: &Variables, asked: &Asked, known: &dyn Known) -> Merged {
    let mut merging = Merging { variables, asked, known, merged: Merged::default(), appended: Vec::new() };
    merging.doubles();
    let [http, https, no_proxy] = NAMES;
    let unseen = merging.unseen();
    if let Some(why) = merging.opaque_list(no_proxy) {
        // Proxies without the exceptions would cut the container off.
        merging.merged.said.push((Severity::Warning, rule::PROXY_OPAQUE, why));
        return merging.merged;
    }
    merging.merged.said.extend(unseen);
    for (name, proxy) in [(http, &asked.http), (https, &asked.https)] {
        if let Some(proxy) = proxy {
            merging.proxy(name, proxy);
        }
    }
    merging.list(no_proxy);
    let rank = |name: &str| {
        let lower = name.chars().any(|c| c.is_ascii_lowercase());
        (lower, NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)))
    };
    merging.appended.sort_by_key(|(name, _)| rank(name));
    let appended = std::mem::take(&mut merging.appended);
    merging.merged.changes.extend(appended.into_iter().map(|(name, held)| (name, Change::Append(held))));
    merging.merged
}

struct Merging<'m> {
    variables: &'m Variables,
    asked: &'m Asked,
    known: &'m dyn Known,
    merged: Merged,
    appended: Vec<(String, Held)>,
}

impl<'m> Merging<'m> {
    fn say(&mut self, severity: Severity, rule: Rule, message: String) {
        self.merged.said.push((severity, rule, message));
    }

    /// Names that are there twice.
    fn doubles(&mut self) {
        for name in NAMES.into_iter().flat_map(|name| [name.to_owned(), name.to_ascii_lowercase()]) {
            let positions = self.variables.positions(&name);
            let [first, .., last] = positions.as_slice() else { continue };
            let severity = if self.asked.unique { Severity::Error } else { Severity::Warning };
            let message = format!(
                "{name} is there twice, as env[{first}] and as env[{last}]: the last one holds. Remove the other"
            );
            self.say(severity, rule::PROXY_EXISTING, message);
        }
    }

    /// What a name holds: of `env` the last one, else of `envFrom` the last object that has it.
    fn found(&self, name: &str) -> Option<Found<'m>> {
        if let Some(own) = self.variables.last(name) {
            return Some(Found { held: own.held.clone(), own: Some(own) });
        }
        self.variables.from.iter().rev().find_map(|source| {
            let key = name.strip_prefix(&source.prefix)?;
            if self.known.has(source.kind, &source.name, key) != Some(true) {
                return None;
            }
            let key = Key { name: source.name.clone(), key: key.to_owned() };
            let held = match source.kind {
                // The kubelet expands nothing in these, and does in `env`.
                "ConfigMap" => Held::Text(escaped(self.known.text(&key)?)),
                _ => Held::Secret(key),
            };
            Some(Found { held, own: None })
        })
    }

    /// Lists of variables that are not in the input: what they hold would be hidden.
    fn unseen(&self) -> Vec<(Severity, Rule, String)> {
        let mut said = Vec::new();
        for source in &self.variables.from {
            let may_have = NAMES.iter().any(|name| {
                let lower = name.to_ascii_lowercase();
                name.starts_with(&source.prefix) || lower.starts_with(&source.prefix)
            });
            let hides = NAMES.iter().any(|name| self.variables.last(name).is_none());
            if may_have && hides && self.known.has(source.kind, &source.name, "").is_none() {
                let message = format!(
                    "its envFrom names {} {}, which is not in the input: proxy variables that it may hold are hidden by those of \
                     `env`. Add it to the input",
                    source.kind, source.name
                );
                said.push((Severity::Warning, rule::PROXY_OPAQUE, message));
            }
        }
        said
    }

    fn names(&self, name: &str) -> Vec<String> {
        match self.asked.case {
            Case::Both => vec![name.to_owned(), name.to_ascii_lowercase()],
            Case::Upper => vec![name.to_owned()],
        }
    }

    /// A proxy: `HTTP_PROXY` or `HTTPS_PROXY`, and its lower case.
    fn proxy(&mut self, name: &str, wanted: &Held) {
        let lower = name.to_ascii_lowercase();
        let there: Vec<(String, Held)> = [name, lower.as_str()]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.found(name)?.held)))
            .filter(|(_, held)| !held.is_empty())
            .collect();
        let differs: Vec<&(String, Held)> = there.iter().filter(|(_, held)| held != wanted).collect();
        let mut value = wanted.clone();
        if let Some((first, held)) = differs.first().copied() {
            let opaque = differs.iter().find(|(_, held)| !matches!(held, Held::Text(_)));
            match self.asked.existing {
                Existing::Replace => {
                    let message = format!("{first} was {}, and becomes {}", held.shown(), wanted.shown());
                    self.say(Severity::Info, rule::PROXY_EXISTING, message);
                }
                Existing::Keep => {
                    let uneven = there.windows(2).any(|pair| matches!(pair, [(_, one), (_, other)] if one != other));
                    let also = if uneven {
                        format!("; {name} and {lower} differ, so programs differ in the proxy that they use")
                    } else {
                        String::new()
                    };
                    let message =
                        format!("{first} stays {}, where the config has {}{also}", held.shown(), wanted.shown());
                    self.say(Severity::Warning, rule::PROXY_EXISTING, message);
                    if uneven {
                        return;
                    }
                    value = held.clone();
                }
                Existing::Merge => {
                    let agree = there.iter().all(|(_, own)| own == held);
                    if let Some((opaque, held)) = opaque.filter(|_| agree) {
                        let message = format!(
                            "{opaque} stays {}: what it holds cannot be seen here. It must be {}",
                            held.shown(),
                            wanted.shown()
                        );
                        self.say(Severity::Warning, rule::PROXY_OPAQUE, message);
                        value = held.clone();
                    } else {
                        let all: Vec<String> =
                            there.iter().map(|(name, held)| format!("{name} is {}", held.shown())).collect();
                        let message = format!(
                            "{}, and the config has {}. Remove the one or the other, or write `existing: Keep` or `existing: Replace` \
                             in the spec",
                            all.join(" and "),
                            wanted.shown()
                        );
                        self.say(Severity::Error, rule::PROXY_EXISTING, message);
                        return;
                    }
                }
            }
        }
        for name in self.names(name) {
            self.put(&name, &value);
        }
    }

    /// Why a list cannot be changed: what it holds is not in the input, or others have it too.
    fn opaque_list(&mut self, name: &str) -> Option<String> {
        let lower = name.to_ascii_lowercase();
        let (name, held) = [name, lower.as_str()].into_iter().find_map(|name| {
            let held = self.found(name)?.held;
            (!matches!(held, Held::Text(_))).then(|| (name.to_owned(), held))
        })?;
        let why = match &held {
            Held::ConfigMap(key) => match self.known.text(key) {
                Some(_) => self.known.why_not(key)?,
                None => "it is not in the input".to_owned(),
            },
            _ => "what it holds cannot be seen here".to_owned(),
        };
        Some(format!(
            "stays as it is: its {name} is {}, and {why}. These entries have to be in it before proxies may be set: {}",
            held.shown(),
            self.asked.entries.join(",")
        ))
    }

    fn list(&mut self, name: &str) {
        let lower = name.to_ascii_lowercase();
        let (upper, lower_found) = (self.found(name), self.found(&lower));
        let both = [&upper, &lower_found].into_iter().flatten();
        let map = both.clone().find_map(|found| match &found.held {
            Held::ConfigMap(key) => Some(key.clone()),
            _ => None,
        });
        let texts: Vec<String> = both
            .filter_map(|found| match &found.held {
                Held::Text(text) => Some(text.clone()),
                Held::ConfigMap(key) => self.known.text(key).map(str::to_owned),
                _ => None,
            })
            .collect();
        let start = texts.first().map(String::as_str).filter(|text| !text.is_empty());
        let start = start.or_else(|| texts.get(1).map(String::as_str)).unwrap_or_default();
        for entry in texts.iter().flat_map(|text| entries(text)) {
            if let Some(why) = useless(entry) {
                let message = format!("the entry `{entry}` of its {name} never matches: {why}");
                if !self.merged.said.iter().any(|(.., said)| *said == message) {
                    self.say(Severity::Warning, rule::PROXY_ENTRY, message);
                }
            }
        }
        let old = united(start, texts.iter().flat_map(|text| entries(text)));
        if let Some(key) = map {
            let asked = self.asked.entries.iter().map(String::as_str);
            let service = format!("$({SERVICE_HOST})");
            let plain = asked.filter(|entry| *entry != service);
            let new = if takes_all(&old) {
                old.clone()
            } else {
                united(&old, plain.chain(self.asked.instead_of_service.iter().map(String::as_str)))
            };
            if self.asked.entries.contains(&service) && self.asked.instead_of_service.is_empty() {
                let message = format!(
                    "its {name} is a key of ConfigMap {}, where `{service}` is not expanded: give `cluster: {{services: [...]}}`, or the \
                     API server may be called through the proxy",
                    key.name
                );
                self.say(Severity::Warning, rule::PROXY_OPAQUE, message);
            }
            if self.known.text(&key) != Some(new.as_str()) {
                self.merged.map = Some((key.clone(), new));
            }
            for name in self.names(name) {
                self.put(&name, &Held::ConfigMap(key.clone()));
            }
            return;
        }
        let text = if takes_all(&old) {
            let message = format!("its {name} is `{old}`: nothing goes through a proxy, and nothing is added");
            self.say(Severity::Info, rule::PROXY_EXISTING, message);
            old
        } else {
            let entries = self.service_host(name, upper.as_ref().and_then(|found| found.own));
            united(&old, entries.iter().map(String::as_str))
        };
        for name in self.names(name) {
            self.put(&name, &Held::Text(text.clone()));
        }
    }

    /// The entries, with `$(KUBERNETES_SERVICE_HOST)` only where it means what the container has under this name.
    fn service_host(&mut self, name: &str, list: Option<&Variable>) -> Vec<String> {
        let service = format!("$({SERVICE_HOST})");
        let mut entries = self.asked.entries.clone();
        let Some(own) = self.variables.last(SERVICE_HOST) else { return entries };
        let lower = self.variables.last(&name.to_ascii_lowercase());
        let before = [list, lower].into_iter().flatten().any(|list| list.index < own.index);
        if !before {
            return entries;
        }
        match &own.held {
            Held::Text(host) if !host.contains('$') => {
                for entry in entries.iter_mut().filter(|entry| **entry == service) {
                    entry.clone_from(host);
                }
            }
            _ => {
                let message = format!(
                    "its {name} stands before its own {SERVICE_HOST}, so that `{service}` in it is the address of the Service and not that \
                     value. Put {name} behind it"
                );
                self.say(Severity::Warning, rule::PROXY_REACH, message);
            }
        }
        entries
    }

    /// Gives a name this value, whatever it has.
    fn put(&mut self, name: &str, held: &Held) {
        let Some(own) = self.variables.last(name) else {
            // What a list of variables gives already need not be said again.
            if self.found(name).is_none_or(|found| found.held != *held) {
                self.appended.push((name.to_owned(), held.clone()));
            }
            return;
        };
        let change = match (&own.held, held) {
            (own, new) if own == new => return,
            (Held::Text(old), Held::Text(new)) if own.has_value => Change::Set(own.index, old.clone(), new.clone()),
            (Held::Text(_), Held::Text(new)) => Change::Give(own.index, new.clone()),
            (_, new) => Change::Replace(own.index, new.clone()),
        };
        self.merged.changes.push((name.to_owned(), change));
    }
}

impl Change {
    /// What happens to a variable, for a person.
    pub(super) fn shown(&self, name: &str) -> String {
        let plain =
            |text: &str| if name.eq_ignore_ascii_case("NO_PROXY") { text.to_owned() } else { without_password(text) };
        match self {
            Self::Set(_, old, new) => format!("{name} {} -> {}", plain(old), plain(new)),
            Self::Give(_, new) => format!("{name} is {}", plain(new)),
            Self::Replace(_, held) => format!("{name} is {}", held.shown()),
            Self::Append(Held::Text(text)) => format!("{name} is new: {}", plain(text)),
            Self::Append(held) => format!("{name} is new: {}", held.shown()),
        }
    }
}
