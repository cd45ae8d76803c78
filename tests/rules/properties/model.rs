//! Generated workloads with listeners, the settings of their numbers, and probes, annotations and Services. Numbers
//! follow from a listener's place, so that a shrunk case stays readable: old numbers from 8000, new ones from 20000.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The setting of a listener's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetBy {
    /// `--flag=PREFIX N`
    Joined(&'static str),
    /// `--flag`, `PREFIX N`
    Apart(&'static str),
    /// A word of a shell string.
    Shell,
    /// An environment variable.
    Variable(&'static str),
    /// `--flag=:$(VARIABLE)`
    Expanded,
    /// No setting: the number cannot move.
    Unknown,
}

impl SetBy {
    /// True if the text shows a listener without a declaration: an address of all interfaces.
    fn shows_a_listener(self) -> bool {
        match self {
            Self::Joined(prefix) | Self::Apart(prefix) | Self::Variable(prefix) => {
                [":", "0.0.0.0:", "[::]:"].contains(&prefix)
            }
            Self::Shell | Self::Expanded => true,
            Self::Unknown => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Http,
    Tcp,
    Grpc,
    PreStop,
}

/// A Service port in front of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    Number,
    Name,
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Name,
    ContainerName,
    Number,
    ContainerNumber,
}

#[allow(clippy::struct_excessive_bools, reason = "independent switches of a generator")]
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) set_by: SetBy,
    pub(crate) moved: bool,
    pub(crate) declared: bool,
    pub(crate) named: bool,
    /// Declared with an equal host port before the run.
    pub(crate) host_port: bool,
    /// The probe or hook, and true if it uses the port's name.
    pub(crate) probe: Option<(Action, bool)>,
    pub(crate) front: Option<Front>,
    pub(crate) key: Key,
    /// Other fields, which are not ports of this pod, contain the number.
    pub(crate) decoys: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub(crate) sidecar: bool,
    pub(crate) listeners: Vec<Listener>,
}

#[allow(clippy::struct_excessive_bools, reason = "independent switches of a generator")]
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    pub(crate) kind: &'static str,
    pub(crate) namespaced: bool,
    pub(crate) selected: bool,
    pub(crate) containers: Vec<Container>,
    pub(crate) host_network: Option<bool>,
    pub(crate) dns_policy: Option<&'static str>,
    /// The listener that `prometheus.io/port` names.
    pub(crate) scraped: Option<Index>,
    /// A plain init container that uses the same numbers.
    pub(crate) init: bool,
    /// Two containers have ports with the same name.
    pub(crate) same_names: bool,
    /// The numbers that listeners move to, by old number, for a config without numbers.
    pub(crate) given: BTreeMap<u16, u16>,
}

/// The wire form of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Stream,
    List,
    Json,
}

#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) form: Form,
    pub(crate) workloads: Vec<Workload>,
    pub(crate) crlf: bool,
    pub(crate) final_newline: bool,
    /// The seed of the writing style.
    pub(crate) seed: u64,
}

/// A listener and the facts that follow from its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) listener: &'a Listener,
    pub(crate) container: String,
    pub(crate) old: u16,
    /// The number after the run.
    pub(crate) new: u16,
    pub(crate) name: Option<String>,
    /// The number of ports of the pod with this name.
    pub(crate) namesakes: usize,
    /// The index of the listener in the pod, for unique flags and variables.
    pub(crate) index: usize,
}

const NAMES: [&str; 9] = ["http", "metrics", "healthz", "grpc-api", "admin", "web", "debug", "https", "webhook-server"];
const FLAGS: [&str; 9] = [
    "--http-port",
    "--metrics-addr",
    "--health-probe-bind-address",
    "--grpc-listen",
    "--admin-address",
    "--web.listen-address",
    "--debug_port",
    "--serverPort",
    "-webhook-port",
];

impl Placed<'_> {
    pub(crate) fn flag(&self) -> &'static str {
        FLAGS[self.index % FLAGS.len()]
    }

    pub(crate) fn variable(&self) -> String {
        format!("APP{}_LISTEN_PORT", self.index)
    }

    /// The key in the config: in the requested form if that form is unambiguous.
    pub(crate) fn key(&self) -> String {
        match (self.listener.key, &self.name) {
            (Key::Name, Some(name)) if self.namesakes == 1 => name.clone(),
            (Key::Name | Key::ContainerName, Some(name)) => format!("{}/{name}", self.container),
            (Key::ContainerNumber, _) => format!("{}/{}", self.container, self.old),
            _ => self.old.to_string(),
        }
    }
}

impl Workload {
    /// The listeners of the pod, with the first number `base`.
    pub(crate) fn placed(&self, base: u16) -> Vec<Placed<'_>> {
        let mut out: Vec<Placed<'_>> = Vec::new();
        for (place, container) in self.containers.iter().enumerate() {
            for (inner, listener) in container.listeners.iter().enumerate() {
                let index = out.len();
                let old = 8000 + base + u16::try_from(index).unwrap();
                let word = if self.same_names { NAMES[inner] } else { NAMES[index % NAMES.len()] };
                out.push(Placed {
                    listener,
                    container: format!("c{place}"),
                    old,
                    new: match self.given.get(&old) {
                        Some(given) => *given,
                        None if listener.moved && self.selected => old + 12_000,
                        None => old,
                    },
                    name: (listener.declared && listener.named).then(|| word.to_owned()),
                    namesakes: 0,
                    index,
                });
            }
        }
        let names: Vec<_> = out.iter().map(|placed| placed.name.clone()).collect();
        for placed in &mut out {
            placed.namesakes = names.iter().filter(|name| **name == placed.name).count();
        }
        out
    }
}

fn set_by() -> impl Strategy<Value = SetBy> {
    prop_oneof![
        4 => select(vec![":", "", "0.0.0.0:", "[::]:", "127.0.0.1:"]).prop_map(SetBy::Joined),
        2 => select(vec![":", "", "0.0.0.0:"]).prop_map(SetBy::Apart),
        1 => Just(SetBy::Shell),
        2 => select(vec![":", "", "0.0.0.0:"]).prop_map(SetBy::Variable),
        1 => Just(SetBy::Expanded),
        1 => Just(SetBy::Unknown),
    ]
}

fn listener() -> impl Strategy<Value = Listener> {
    let probe = proptest::option::of((
        prop_oneof![3 => Just(Action::Http), 1 => Just(Action::Tcp), 1 => Just(Action::Grpc), 1 => Just(Action::PreStop)],
        any::<bool>(),
    ));
    let front = proptest::option::of(select(vec![Front::Number, Front::Name, Front::Absent]));
    let key = select(vec![Key::Name, Key::ContainerName, Key::Number, Key::ContainerNumber]);
    let odds = proptest::bool::weighted;
    let switches = (odds(0.7), odds(0.85), odds(0.8), odds(0.1), odds(0.3));
    (set_by(), switches, probe, front, key).prop_map(
        |(set_by, (moved, declared, named, host_port, decoys), probe, front, key)| {
            Listener {
                set_by,
                // A listener without a setting keeps its number and needs a declaration; a bare number or a loopback
                // address shows no listener by itself.
                moved: moved && set_by != SetBy::Unknown,
                declared: declared || !set_by.shows_a_listener(),
                named,
                host_port,
                probe,
                front,
                key,
                decoys,
            }
        },
    )
}

fn container() -> impl Strategy<Value = Container> {
    (proptest::bool::weighted(0.15), proptest::collection::vec(listener(), 0..4))
        .prop_map(|(sidecar, listeners)| Container { sidecar, listeners })
}

fn workload() -> impl Strategy<Value = Workload> {
    let kind = select(vec!["Deployment", "DaemonSet", "StatefulSet", "CloneSet", "CronJob", "Job", "Pod"]);
    let host_network = prop_oneof![3 => Just(None), 1 => Just(Some(false)), 1 => Just(Some(true))];
    let dns_policy = prop_oneof![4 => Just(None), 1 => select(vec!["ClusterFirst", "Default", "ClusterFirstWithHostNet"]).prop_map(Some)];
    let odds = proptest::bool::weighted;
    let switches = (odds(0.7), odds(0.75), odds(0.3), odds(0.3));
    let containers = proptest::collection::vec(container(), 1..4);
    (kind, switches, containers, host_network, dns_policy, proptest::option::of(any::<Index>())).prop_map(
        |(kind, (namespaced, selected, init, same_names), mut containers, host_network, dns_policy, scraped)| {
            // A pod needs a container that is not a sidecar.
            containers[0].sidecar = false;
            let given = BTreeMap::new();
            Workload {
                kind,
                namespaced,
                selected,
                containers,
                host_network,
                dns_policy,
                scraped,
                init,
                same_names,
                given,
            }
        },
    )
}

pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let form = prop_oneof![6 => Just(Form::Stream), 2 => Just(Form::List), 1 => Just(Form::Json)];
    (
        form,
        proptest::collection::vec(workload(), 1..4),
        proptest::bool::weighted(0.15),
        proptest::bool::weighted(0.9),
        any::<u64>(),
    )
        .prop_map(|(form, workloads, crlf, final_newline, seed)| Scenario {
            form,
            workloads,
            crlf,
            final_newline,
            seed,
        })
}
