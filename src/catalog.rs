//! What is known of other people's programs and kinds: the data of `catalog/`, put into the binary by `build.rs`.

use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;

mod data {
    use super::{NodePort, RoleWords, Seen, Words, WorkloadKind};

    include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
}

/// A kind that holds a pod template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadKind {
    /// API group, empty for the core group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of the pod template; empty when the object is one itself.
    pub path: &'static str,
}

/// A port that is commonly taken on nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePort {
    /// The number.
    pub port: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Who takes it, for a person.
    pub owner: &'static str,
    /// Last path segments of the owner's own images, which the row never concerns; empty when it is no pod.
    pub images: &'static [&'static str],
    /// On which nodes.
    pub seen: Seen,
}

/// How many nodes have a port taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Every node of any cluster.
    Always,
    /// Nodes of many clusters.
    Often,
}

/// A program: what runs in a container, where it listens and how it is told.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Program {
    /// What `program:` of a target says.
    pub name: String,
    /// Last path segments of its images.
    pub images: Vec<String>,
    /// Words of command and args that must be there in this order.
    #[serde(default)]
    pub command: Vec<String>,
    /// Moved only by a select whose name matches it alone.
    #[serde(default)]
    pub alone: bool,
    /// The image has no CMD, so arguments may be added where the manifest has none.
    #[serde(default)]
    pub no_cmd: bool,
    /// What it registers with the API server at run time, so that no manifest tells who is called.
    #[serde(default)]
    pub registers: Vec<Registration>,
    /// The YAML file that it reads its ports from.
    #[serde(default)]
    pub config: Option<ConfigFile>,
    /// Flags and variables that look like a listen address and are none.
    #[serde(default)]
    pub not_listen: Vec<String>,
    /// Where it listens.
    pub listeners: Vec<Listener>,
}

/// What a program registers with the API server at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    /// Admission webhooks.
    Webhook,
    /// An aggregated API.
    ApiService,
    /// Conversion webhooks of custom resources.
    Conversion,
}

/// A YAML file that a program reads its ports from, mounted from a `ConfigMap`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// The flag that names the file.
    pub arg: String,
    /// The file that is read when the flag is not given.
    #[serde(default)]
    pub path: Option<String>,
}

/// A place where a program listens.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listener {
    /// One role, or several joined by `+`.
    pub role: String,
    /// Port names in the project's own manifests; the first is given to a port that is not declared.
    pub names: Vec<String>,
    /// The number when nothing tells another; without one it listens only when it is told or declared.
    #[serde(default)]
    pub default: Option<u16>,
    /// How it is told its number; the first way is the one that is added.
    #[serde(default)]
    pub tell: Vec<Tell>,
    /// The flag's or variable's value, `{port}` for the number.
    #[serde(default = "bare_port")]
    pub value: String,
    /// The first version that has this listener.
    #[serde(default)]
    pub since: Option<String>,
    /// It cannot be told its number.
    #[serde(default)]
    pub fixed: bool,
    /// Declared in the project's manifests, but nobody listens.
    #[serde(default)]
    pub phantom: bool,
    /// It listens only when the manifest declares it or tells it a number.
    #[serde(default)]
    pub if_declared: bool,
    /// The switch that turns it on.
    #[serde(default)]
    pub enabled_by: Option<Switch>,
    /// Values that turn it off.
    #[serde(default)]
    pub off: Vec<String>,
}

fn bare_port() -> String {
    "{port}".to_owned()
}

/// A way to tell a listener its number: a flag, a variable or a field of the config file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tell {
    /// A flag with its dashes.
    #[serde(default)]
    pub arg: Option<String>,
    /// A variable.
    #[serde(default)]
    pub env: Option<String>,
    /// A field of the program's config file, as a dotted path.
    #[serde(default)]
    pub config: Option<String>,
    /// The first version that has it.
    #[serde(default)]
    pub since: Option<String>,
    /// The value in this form, where it differs from the listener's.
    #[serde(default)]
    pub value: Option<String>,
}

impl Tell {
    /// The flag's, variable's or field's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.arg.as_deref().or(self.env.as_deref()).or(self.config.as_deref()).unwrap_or_default()
    }
}

/// A boolean flag that turns a listener on.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// The flag with its dashes.
    pub arg: String,
    /// Whether it is on when the flag is not given.
    pub default: bool,
}

/// The words of `catalog/words.yaml`.
#[derive(Debug)]
pub struct Words {
    /// Words of a name that tells where to listen.
    pub listen: &'static [&'static str],
    /// Words that make such a name somebody else's address.
    pub other: &'static [&'static str],
    /// Words that tell what a listener is for.
    pub roles: &'static [RoleWords],
}

/// The words that make a role.
#[derive(Debug)]
pub struct RoleWords {
    /// The role.
    pub role: &'static str,
    /// Its words.
    pub words: &'static [&'static str],
}

/// The kinds that hold a pod template.
#[must_use]
pub fn workload_kinds() -> &'static [WorkloadKind] {
    data::WORKLOADS
}

/// The words of names.
#[must_use]
pub fn words() -> &'static Words {
    &data::WORDS
}

/// The annotations whose value is a port of the pod.
#[must_use]
pub fn port_annotations() -> &'static [&'static str] {
    data::ANNOTATIONS
}

/// The ports that are commonly taken on nodes, in the order of `catalog/node-ports.yaml`.
#[must_use]
pub fn node_ports() -> &'static [NodePort] {
    data::NODE_PORTS
}

/// The programs that run from an image of this name (its last path segment).
pub fn programs_of_image(image: &str) -> impl Iterator<Item = Arc<Program>> {
    data::PROGRAMS
        .iter()
        .enumerate()
        .filter(move |(_, (_, images, _))| images.contains(&image))
        .filter_map(|(index, _)| program_at(index))
}

/// The program of this name.
#[must_use]
pub fn program(name: &str) -> Option<Arc<Program>> {
    data::PROGRAMS.iter().position(|(known, ..)| *known == name).and_then(program_at)
}

/// The names of all programs.
pub fn program_names() -> impl Iterator<Item = &'static str> {
    data::PROGRAMS.iter().map(|(name, ..)| *name)
}

/// Programs are parsed once, when an input first holds them.
fn program_at(index: usize) -> Option<Arc<Program>> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Arc<Program>>>>> =
        LazyLock::new(|| data::PROGRAMS.iter().map(|_| OnceLock::new()).collect());
    let (_, _, json) = data::PROGRAMS.get(index)?;
    PARSED.get(index)?.get_or_init(|| parse(json).map(Arc::new)).clone()
}

/// The data is checked by the tests below, so nothing of it is lost here.
fn parse<T: for<'de> Deserialize<'de>>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_the_schema() {
        for (name, _, json) in data::PROGRAMS {
            serde_json::from_str::<Program>(json).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn node_ports_are_rows_of_their_file() {
        let row = node_ports().iter().find(|row| row.port == 10256).unwrap();
        assert_eq!((row.protocol, row.images, row.seen), ("TCP", &["kube-proxy"][..], Seen::Always));
        for row in node_ports() {
            assert!(["TCP", "UDP", "SCTP"].contains(&row.protocol), "{}: unknown protocol", row.port);
            let same = |other: &&NodePort| (other.port, other.protocol) == (row.port, row.protocol);
            assert_eq!(node_ports().iter().filter(same).count(), 1, "{}/{} has one row", row.port, row.protocol);
        }
    }

    #[test]
    fn no_row_contradicts_itself() {
        let roles = ["webhook", "apiservice", "grpc", "metrics", "health", "pprof", "other"];
        for program in program_names().map(|name| program(name).unwrap()) {
            for listener in &program.listeners {
                let row = format!("{} {}", program.name, listener.role);
                assert!(listener.role.split('+').all(|role| roles.contains(&role)), "{row}: unknown role");
                assert!(!listener.names.is_empty(), "{row}: no name for its port");
                assert!(listener.names.iter().all(|name| name.len() <= 15), "{row}: a name is too long");
                assert!(listener.default != Some(0), "{row}: port 0");
                let untold = listener.fixed || listener.phantom;
                assert_eq!(untold, listener.tell.is_empty(), "{row}: told and fixed or phantom, or neither");
                for tell in &listener.tell {
                    let ways = [&tell.arg, &tell.env, &tell.config].into_iter().flatten().count();
                    assert_eq!(ways, 1, "{row}: one of arg, env and config");
                    assert!(tell.config.is_none() || program.config.is_some(), "{row}: in which config file?");
                    assert!(tell.arg.as_ref().is_none_or(|arg| arg.starts_with('-')), "{row}: a flag has its dashes");
                    let value = tell.value.as_ref().unwrap_or(&listener.value);
                    assert_eq!(value.matches("{port}").count(), 1, "{row}: the value has one {{port}}");
                    assert!(tell.since.is_some(), "{row}: since when?");
                    let env = tell.env.as_deref().unwrap_or("port").to_lowercase();
                    let seen = words().listen.iter().any(|word| env.contains(word));
                    assert!(seen, "{row}: a variable without a listen word is not read");
                    assert!(!program.not_listen.iter().any(|name| name == tell.name()), "{row}: told by a look-alike");
                }
            }
        }
    }
}
