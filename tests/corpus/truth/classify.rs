//! Compares the output and the messages of a run with the truth: each listener, each text that is not a listener, and
//! each reference is right, loud or silently wrong.

use std::fmt;

use serde_json::Value;

use super::differences::{Difference, differences};
use super::known::{Listener, NotListener, Reference, Truth, Whose};
use super::objects::{Objects, at, at_inner, container, containers, holds, leaves, pod_spec, runs, whole_numbers};
use super::process::{Process, flag};

/// Verdict on one item of the truth, in order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Right,
    Loud,
    Silent,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right",
            Self::Loud => "loud",
            Self::Silent => "silently wrong",
        })
    }
}

/// The configuration of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    /// `ports: auto` for all workloads.
    Auto,
    /// `ports: keep` for all workloads.
    Keep,
    /// Moves a container's TCP and UDP listeners on one number to another number; no other workload is selected.
    Number { whose: Whose, number: u16, to: u16 },
}

/// A result that is not a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub(crate) level: Level,
    /// `Kind/NAME` of its object.
    pub(crate) object: Option<String>,
    pub(crate) message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
    Info,
}

/// The kubelet's port.
const KUBELET: u16 = 10250;

/// One item with its verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pub(crate) what: String,
    pub(crate) verdict: Verdict,
    pub(crate) why: String,
    /// The messages of the run, for details.
    pub(crate) detail: String,
}

impl Item {
    fn new(what: impl Into<String>, (verdict, why): (Verdict, String)) -> Self {
        Self { what: what.into(), verdict, why, detail: String::new() }
    }
}

/// A run to classify.
pub(crate) struct Judge<'a> {
    pub(crate) truth: &'a Truth,
    pub(crate) input: &'a Objects,
    pub(crate) output: &'a Objects,
    pub(crate) log: &'a [LogEntry],
    pub(crate) ask: &'a Ask,
}

impl Judge<'_> {
    /// Returns the verdicts for all items of the truth, and for unexplained changes.
    pub(crate) fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        if let Some(error) = self.log.iter().find(|entry| entry.level == Level::Error) {
            self.refused(error, &mut items);
            return items;
        }
        for container in &self.truth.containers {
            for listener in &container.listeners {
                let what = format!("{} {}", container_label(&container.container), port(listener));
                items.push(Item::new(what, self.listener(&container.container, listener)));
            }
            for text in &container.not_listeners {
                let what = format!("{} {}", container_label(&container.container), text.at);
                items.push(self.not_listener(&container.container, text, what));
            }
        }
        items.extend(self.truth.references.iter().map(|reference| self.reference(reference)));
        for stays in &self.truth.not_references {
            let (old, new) =
                (field(self.input, &stays.object, &stays.at), field(self.output, &stays.object, &stays.at));
            let what = format!("{} {}", stays.object, stays.at);
            let judged = match old == new {
                true => right(),
                false => silent(format!("{} became {}", show(old.as_ref()), show(new.as_ref()))),
            };
            items.push(Item::new(what, judged));
        }
        items.extend(self.unexplained());
        items.extend(self.twice());
        items.extend(self.made_up());
        items
    }

    /// Classifies a refused run, which must write nothing. Refusing a number that cannot change is right.
    fn refused(&self, error: &LogEntry, items: &mut Vec<Item>) {
        let (what, fixed) = match self.ask {
            Ask::Auto | Ask::Keep => ("the run".to_owned(), false),
            Ask::Number { whose, number, .. } => {
                let containers = self.truth.containers.iter().filter(|container| container.container == *whose);
                let mut asked =
                    containers.flat_map(|container| &container.listeners).filter(|one| one.number == *number);
                (format!("{} {number}", container_label(whose)), asked.all(|listener| listener.settings.is_empty()))
            }
        };
        let (verdict, why) = match () {
            () if self.input != self.output => silent("an error, and it is written"),
            () if fixed || (self.keeps_a_port_of_nodes() && holds(&error.message, KUBELET)) => right(),
            () => loud("refused"),
        };
        items.push(Item { what, verdict, why, detail: error.message.clone() });
    }

    /// True if a listener would keep a port that is in use on every node: refusing this is right.
    fn keeps_a_port_of_nodes(&self) -> bool {
        let of_selected = self.truth.containers.iter().filter(|container| self.selects(&container.container));
        let asked = |number: u16| matches!(self.ask, Ask::Number { number: asked, .. } if *asked == number);
        let mut kept = of_selected.flat_map(|container| &container.listeners).filter(|one| !asked(one.number));
        *self.ask != Ask::Auto && kept.any(|listener| listener.number == KUBELET)
    }

    fn listener(&self, whose: &Whose, listener: &Listener) -> (Verdict, String) {
        let Some(new) = self.process(self.output, whose) else { return silent("the container is gone") };
        let now = match new.binds(listener) {
            Ok(now) => now,
            Err(why) => return silent(format!("the program would not start: {why}")),
        };
        if self.tell_is_gone(whose, listener) {
            return silent("what set its number is gone");
        }
        if !self.selects(whose) {
            return if now == listener.number { right() } else { silent(format!("binds {now}, and was not selected")) };
        }
        let named = || self.names(&whose.workload(), listener.number);
        if !self.on_the_host(whose) {
            return match () {
                () if now != listener.number => silent(format!("binds {now}, in the pod network")),
                () if self.is_named_in_log(&whose.workload()) => loud("left in the pod network"),
                () => silent("left in the pod network"),
            };
        }
        let moved = now != listener.number;
        if !self.declares(whose, now, &listener.protocol) {
            return match () {
                () if named() => loud(format!("binds {now}, which is not declared; reported")),
                () if !moved && !self.shown(whose, listener) && self.is_logged_as_unknown(whose) => {
                    loud("no evidence shows it, and a message names the container as missing in the catalogue")
                }
                () if !moved && !self.shown(whose, listener) => silent("nothing shows it, and nothing is reported"),
                () => silent(format!("binds {now}, which is not declared")),
            };
        }
        match self.ask {
            Ask::Auto if moved => right(),
            Ask::Auto if !named() => silent("keeps its number without a word"),
            Ask::Auto if listener.settings.is_empty() => right(),
            Ask::Auto => loud("keeps its number, though the program's port could be set; reported"),
            Ask::Number { whose: asked, number, to } if asked == whose && *number == listener.number => match () {
                () if now == *to => right(),
                () if named() => loud(format!("binds {now}, not {to}; reported")),
                () => silent(format!("binds {now}, not {to}")),
            },
            Ask::Keep | Ask::Number { .. } if moved => silent(format!("binds {now}, and nobody asked for that")),
            Ask::Keep | Ask::Number { .. } => right(),
        }
    }

    fn not_listener(&self, whose: &Whose, text: &NotListener, what: String) -> Item {
        let of = |objects| self.process(objects, whose).map(|process| process.container);
        let (Some(old), Some(new)) = (of(self.input), of(self.output)) else {
            return Item::new(what, silent("the container is gone"));
        };
        let judged = match stays(old, new, text) {
            true => right(),
            false => {
                let (old, new) = (texts(old, &text.at).join(" "), texts(new, &text.at).join(" "));
                match &text.text {
                    Some(part) => silent(format!("`{part}` is not there any more: {}", text.why)),
                    None => silent(format!("`{}` became `{}`: {}", short(&old), short(&new), text.why)),
                }
            }
        };
        Item::new(what, judged)
    }

    fn reference(&self, reference: &Reference) -> Item {
        let means = &reference.means;
        let what = format!("{} {}", reference.object, reference.at);
        let listener = self.truth.meant(means).expect("a reference means a listener of the truth");
        let now = self.process(self.output, &means.whose).and_then(|process| process.binds(listener).ok());
        let leads = self.leads_to(self.output, reference);
        let judged = match now {
            Some(now) if leads.contains(&now) => right(),
            _ => {
                let now = now.map_or("nothing".to_owned(), |now| now.to_string());
                let leads = leads.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
                let why = format!(
                    "leads to {}, and the process binds {now}",
                    if leads.is_empty() { "nothing" } else { &leads }
                );
                let named =
                    self.names(&means.whose.workload(), means.number) || self.names(&reference.object, means.number);
                if named { loud(why + "; reported") } else { silent(why) }
            }
        };
        Item::new(what, judged)
    }

    /// Returns the numbers that a reference leads to: one, or all in a list of a policy.
    pub(crate) fn leads_to(&self, objects: &Objects, reference: &Reference) -> Vec<u16> {
        let Some(object) = objects.find(&reference.object) else { return Vec::new() };
        let field = at_inner(object, &reference.at).filter(|value| !value.is_null());
        let mut fields: Vec<Value> = field.into_iter().collect();
        if fields.is_empty()
            && let Some(same) = reference.at.strip_suffix(".targetPort").map(|entry| format!("{entry}.port"))
        {
            // The target port of a Service defaults to its port.
            fields.extend(at(object, &same).cloned());
        }
        if object["kind"] == "NetworkPolicy"
            && let Some((list, _)) = reference.at.rsplit_once('[')
        {
            // A policy allows all listed ports: the old number may remain next to the new one.
            fields.extend(
                at(object, list)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(|one| one.get("port").cloned()),
            );
        }
        fields.iter().filter_map(|field| self.number_in(objects, reference, field)).collect()
    }

    /// Returns the number in a field of a reference: a number, the name of a port, or part of a text.
    fn number_in(&self, objects: &Objects, reference: &Reference, field: &Value) -> Option<u16> {
        let text = match field {
            Value::Number(number) => return number.as_u64()?.try_into().ok(),
            Value::String(text) => text,
            _ => return None,
        };
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let whose = &reference.means.whose;
        let workload = objects.find(&whose.workload())?;
        // A probe names a port of its own container, a Service a port of any container of the pod.
        let own = reference.object == whose.workload();
        let named = containers(workload).into_iter().filter(|one| !own || one["name"] == whose.container.as_str());
        let mut ports = named.flat_map(|one| one["ports"].as_array().into_iter().flatten());
        if let Some(port) = ports.find(|port| port["name"] == text.as_str()) {
            return port["containerPort"].as_u64()?.try_into().ok();
        }
        // The digits of the original text show which of the numbers is the port.
        let old = at_inner(self.input.find(&reference.object)?, &reference.at)?;
        let digits = |text: &str| runs(text).map(|(start, end)| text[start..end].to_owned()).collect::<Vec<_>>();
        let (was, is) = (digits(old.as_str()?), digits(text));
        if was.len() != is.len() {
            return None;
        }
        let number = reference.means.number.to_string();
        let mut pairs = was.iter().zip(&is).filter(|(was, _)| **was == number).map(|(_, is)| is);
        let first = pairs.next()?;
        if pairs.all(|other| other == first) { first.parse().ok() } else { None }
    }

    /// Returns changes without a reason in the truth, such as a setting of a listener, a declared port or a reference.
    fn unexplained(&self) -> Vec<Item> {
        let changed = differences(self.input, self.output);
        let wrong = changed.into_iter().filter(|change| !self.explains(change));
        wrong
            .map(|change| {
                let (old, new) = (show(change.old.as_ref()), show(change.new.as_ref()));
                let why = format!("{old} became {new}, for no reason that the truth knows");
                Item::new(format!("{} {}", change.object, change.path), silent(why))
            })
            .collect()
    }

    fn explains(&self, change: &Difference) -> bool {
        let mut referred = self.truth.references.iter().filter(|reference| reference.object == change.object);
        let field = |at: &str| at.split_once('#').map_or(at, |(field, _)| field).to_owned();
        if self.is_judged(change) {
            return true;
        }
        let is_reference = referred.any(|reference| {
            let place = field(&reference.at);
            is_below(&change.path, &place)
                || self.variable_path(&reference.object, &place).is_some_and(|path| is_below(&change.path, &path))
        });
        if is_reference || (change.object.starts_with("NetworkPolicy/") && change.old.is_none()) {
            return true;
        }
        let mut of_it =
            self.truth.containers.iter().filter(|container| container.container.workload() == change.object);
        if let Some(rest) = &change.in_pod {
            let of_pod = |field: &str| rest.starts_with(field);
            if of_pod("hostNetwork") || of_pod("dnsPolicy") {
                return true;
            }
            let Some((name, field)) = rest.split_once('/') else { return false };
            if field.starts_with("ports") {
                return true;
            }
            let Some(container) = of_it.find(|container| container.container.container == name) else { return false };
            let mut settings = container.listeners.iter().flat_map(|listener| &listener.settings);
            if field.starts_with("args") || field.starts_with("command") {
                let in_script = |config: &String| config.starts_with('/');
                return settings.any(|known| {
                    known.arg.as_deref().is_some_and(|arg| change.is_of(arg))
                        || known.config.as_ref().is_some_and(in_script)
                }) || is_in_variable_of_script(container, change);
            }
            let Some(variable) = field.strip_prefix("env.") else { return false };
            let expanded = |known: &super::known::KnownSetting| {
                let arg = known.arg.as_deref();
                arg.is_some_and(|arg| self.flag_uses(&container.container, arg, variable))
            };
            return settings.any(|known| known.env.as_deref() == Some(variable) || expanded(known));
        }
        let configs = || {
            let listeners = self.truth.containers.iter().flat_map(|container| &container.listeners);
            listeners.flat_map(|listener| &listener.settings).filter_map(|known| known.config.as_deref())
        };
        let takes = |container: &super::known::Container| {
            let process = self.process(self.input, &container.container);
            let places = container
                .listeners
                .iter()
                .flat_map(|listener| &listener.settings)
                .filter_map(|known| process.as_ref()?.place_in_config_map(known.env.as_deref()?));
            places
                .into_iter()
                .any(|(map, key)| change.object == format!("ConfigMap/{map}") && change.path == format!("data.{key}"))
        };
        if self.truth.containers.iter().any(takes) {
            return true;
        }
        change.object.starts_with("ConfigMap/")
            && configs().any(|config| {
                let file = config.split_once('#').map_or(config, |(file, _)| file);
                let key = file.rsplit_once('/').map_or(file, |(_, key)| key);
                change.path.contains(key)
            })
    }

    /// True if the change is at a place that must not change according to the truth; another check judges it.
    fn is_judged(&self, change: &Difference) -> bool {
        let mut stay = self.truth.not_references.iter().filter(|stays| stays.object == change.object);
        let of_it = self.truth.containers.iter().filter(|container| container.container.workload() == change.object);
        let mut texts = of_it.flat_map(|container| {
            container.not_listeners.iter().map(|text| format!("{}/{}", container.container.container, text.at))
        });
        stay.any(|stays| stays.at == change.path)
            || (change.old.is_some() && texts.any(|text| change.in_pod.as_deref() == Some(text.as_str())))
    }

    /// Converts `containers[0].env[1].value` to `containers[0].env.NAME`, as in `Difference`.
    fn variable_path(&self, object: &str, path: &str) -> Option<String> {
        let variable = path.strip_suffix(".value")?;
        let (list, index) = variable.rsplit_once('[')?;
        index.strip_suffix(']')?.parse::<usize>().ok()?;
        let name = at(self.input.find(object)?, &format!("{variable}.name"))?.as_str()?.to_owned();
        Some(format!("{list}.{name}"))
    }

    /// True if the value of a flag contains a variable, `$(NAME)`, or `$NAME` in a script.
    fn flag_uses(&self, whose: &Whose, arg: &str, variable: &str) -> bool {
        let Some(process) = self.process(self.input, whose) else { return false };
        let list = |key: &str| process.container[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        let texts: Vec<String> = list("command").chain(list("args")).map(str::to_owned).collect();
        let uses = |text: &str| ["$(", "${", "$"].iter().any(|start| text.contains(&format!("{start}{variable}")));
        flag(&texts, arg).is_some_and(|value| uses(&value)) || texts.iter().any(|text| text.contains(arg) && uses(text))
    }

    /// Returns listeners of a pod that had different numbers and now have the same: one of them cannot start.
    fn twice(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for workload in self.truth.workloads() {
            let of_it = self.truth.containers.iter().filter(|container| container.container.workload() == workload);
            let all: Vec<_> = of_it
                .flat_map(|container| container.listeners.iter().map(|listener| (&container.container, listener)))
                .filter_map(|(whose, listener)| {
                    Some((listener, self.process(self.output, whose)?.binds(listener).ok()?))
                })
                .collect();
            for (index, (one, now)) in all.iter().enumerate() {
                let other = all[..index].iter().find(|(other, theirs)| {
                    theirs == now && other.protocol == one.protocol && other.number != one.number
                });
                if let Some((other, _)) = other {
                    let why = format!("{} and {} of one pod bind {now} now", other.number, one.number);
                    items.push(Item::new(workload.clone(), silent(why)));
                }
            }
        }
        items
    }

    /// Returns added ports that no process of the pod binds: they block the number on the node for no reason.
    fn made_up(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for workload in self.truth.workloads() {
            let (Some(old), Some(new)) = (self.input.find(&workload), self.output.find(&workload)) else { continue };
            for (old, new) in containers(old).into_iter().zip(containers(new)) {
                let count = old["ports"].as_array().map_or(0, Vec::len);
                let added = new["ports"].as_array().into_iter().flatten().skip(count);
                for port in added.filter(|port| !self.is_bound(&workload, port)) {
                    let name = new["name"].as_str().unwrap_or_default();
                    let port_name = port["name"].as_str().unwrap_or_default();
                    let what = format!("{}/{name} {port_name}", workload.split('/').nth(1).unwrap_or_default());
                    let why = format!("declares {}, which no process binds", port["containerPort"]);
                    items.push(Item::new(what, silent(why)));
                }
            }
        }
        items
    }

    /// True if a process of the pod binds a declared port.
    fn is_bound(&self, workload: &str, port: &Value) -> bool {
        let protocol = port["protocol"].as_str().unwrap_or("TCP");
        let mut of_it = self.truth.containers.iter().filter(|container| container.container.workload() == workload);
        of_it.any(|container| {
            let Some(process) = self.process(self.output, &container.container) else { return false };
            let mut listeners = container.listeners.iter().filter(|listener| listener.protocol == protocol);
            listeners.any(|listener| process.binds(listener).is_ok_and(|now| port["containerPort"] == now))
        })
    }

    fn process<'o>(&self, objects: &'o Objects, whose: &Whose) -> Option<Process<'o>> {
        assert!(!self.truth.containers.is_empty());
        Some(Process { objects, container: container(objects.find(&whose.workload())?, &whose.container)? })
    }

    fn tell_is_gone(&self, whose: &Whose, listener: &Listener) -> bool {
        let setting =
            |objects| self.process(objects, whose).and_then(|process| process.deciding_setting(listener).map(|_| ()));
        setting(self.input).is_some() && setting(self.output).is_none()
    }

    fn selects(&self, whose: &Whose) -> bool {
        match self.ask {
            Ask::Auto | Ask::Keep => true,
            Ask::Number { whose: asked, .. } => asked.workload() == whose.workload(),
        }
    }

    fn on_the_host(&self, whose: &Whose) -> bool {
        let spec = self.output.find(&whose.workload()).and_then(pod_spec);
        spec.is_some_and(|spec| spec["hostNetwork"] == true)
    }

    /// True if the pod declares a number, with an equal host port.
    fn declares(&self, whose: &Whose, number: u16, protocol: &str) -> bool {
        let workload = self.output.find(&whose.workload());
        let ports =
            workload.into_iter().flat_map(containers).flat_map(|one| one["ports"].as_array().into_iter().flatten());
        let mut ports = ports.filter(|port| port["protocol"].as_str().unwrap_or("TCP") == protocol);
        ports.any(|port| port["containerPort"] == number && port["hostPort"] == number)
    }

    /// True if the manifest shows a listener: its number occurs in the workload, outside of texts that are not
    /// listeners, or a reference leads to it.
    fn shown(&self, whose: &Whose, listener: &Listener) -> bool {
        let refers =
            |reference: &Reference| reference.means.whose == *whose && reference.means.number == listener.number;
        if self.truth.references.iter().any(refers) {
            return true;
        }
        let Some(workload) = self.input.find(&whose.workload()) else { return false };
        let Some(own) = container(workload, &whose.container) else { return false };
        let others = self.truth.containers.iter().filter(|container| container.container == *whose);
        let others: Vec<String> = others
            .flat_map(|container| &container.not_listeners)
            .filter(|text| text.text.is_none())
            .flat_map(|text| texts(own, &text.at))
            .collect();
        let mut found = Vec::new();
        leaves(own, "", &mut found);
        found.iter().any(|(_, text)| holds(text, listener.number) && !others.contains(text))
    }

    /// True if an error or a warning for an object contains a number. An info counts only if it lists guesses with the
    /// line to add, because users do not read other infos.
    fn names(&self, object: &str, number: u16) -> bool {
        self.log.iter().any(|entry| {
            let is_seen =
                entry.level != Level::Info || entry.message.contains("bind:") || entry.message.contains("notListen");
            is_seen && is_about(entry, object) && whole_numbers(&entry.message).contains(&number)
        })
    }

    fn is_named_in_log(&self, object: &str) -> bool {
        self.log.iter().any(|entry| entry.level != Level::Info && is_about(entry, object))
    }

    fn is_logged_as_unknown(&self, whose: &Whose) -> bool {
        self.log.iter().any(|entry| {
            is_about(entry, &whose.workload())
                && entry.message.contains("not in the catalogue")
                && has_word(&entry.message, &whose.container)
        })
    }
}

/// True if a result is reported for an object, or its message contains the object's name as a word.
fn is_about(entry: &LogEntry, object: &str) -> bool {
    let name = object.split_once('/').map_or(object, |(_, name)| name);
    entry.object.as_deref() == Some(object) || has_word(&entry.message, name)
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

/// True if a path equals another one or is below it.
fn is_below(path: &str, upper: &str) -> bool {
    path.strip_prefix(upper).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// True if a change is in the text of a script that sets a variable used by a flag.
fn is_in_variable_of_script(container: &super::known::Container, change: &Difference) -> bool {
    let settings = container.listeners.iter().flat_map(|listener| &listener.settings);
    let mut names = settings.filter_map(|known| known.env.as_deref().or(known.arg.as_deref()));
    let text = change.old.as_ref().and_then(Value::as_str).unwrap_or_default();
    text.contains(char::is_whitespace) && names.any(|name| text.contains(name))
}

/// Returns the texts at `args[i]`, `command[i]` or `env.NAME`.
fn texts(container: &Value, place: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(name) = place.strip_prefix("env.") {
        let list = container["env"].as_array().into_iter().flatten();
        return list
            .filter(|variable| variable["name"] == name)
            .filter_map(|variable| text(&variable["value"]))
            .collect();
    }
    at(container, place).and_then(text).into_iter().collect()
}

/// True if a text, or its part that must not change, is unchanged. The list may have grown.
fn stays(old: &Value, new: &Value, text: &NotListener) -> bool {
    let (was, is) = (texts(old, &text.at), texts(new, &text.at));
    if let Some(part) = &text.text {
        let count = |texts: &[String]| texts.iter().map(|text| text.matches(part.as_str()).count()).sum::<usize>();
        return count(&was) <= count(&is);
    }
    let key = text.at.split('[').next().unwrap_or_default();
    let list = |container: &Value| container[key].as_array().cloned().unwrap_or_default();
    let (before, after) = (list(old), list(new));
    if before.len() == after.len() {
        return was == is;
    }
    let count = |list: &[Value]| list.iter().filter(|one| was.iter().any(|text| **one == text.as_str())).count();
    count(&before) <= count(&after)
}

fn container_label(whose: &Whose) -> String {
    format!("{}/{}", whose.name, whose.container)
}

fn port(listener: &Listener) -> String {
    match listener.protocol.as_str() {
        "TCP" => listener.number.to_string(),
        protocol => format!("{}/{protocol}", listener.number),
    }
}

fn field(objects: &Objects, object: &str, path: &str) -> Option<Value> {
    at_inner(objects.find(object)?, path)
}

fn show(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => format!("`{}`", short(text)),
        Some(value) => format!("`{}`", short(&value.to_string())),
    }
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

fn right() -> (Verdict, String) {
    (Verdict::Right, String::new())
}

fn loud(why: impl Into<String>) -> (Verdict, String) {
    (Verdict::Loud, why.into())
}

fn silent(why: impl Into<String>) -> (Verdict, String) {
    (Verdict::Silent, why.into())
}
