//! What is known of other people's programs and kinds: the data of `catalog/`, put into the binary by `build.rs`.

mod check;
mod fits;
mod generator;
mod mesh;
mod program;
mod proxy;
mod redirect;
mod reference;
mod rollout;

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock, OnceLock};

pub use check::{LONGEST_NAME, ROLES, check};
pub use fits::{Shared, shared_segments};
pub use generator::{Generator, MetaKey, generators};
pub use mesh::{Mesh, MeshKey, MeshPlace, Says, meshes};
pub use program::{ConfigFile, Listener, PackageKind, Program, Registration, Switch, Tell};
pub use proxy::{
    COMPARES_NAMES_SINCE, Compares, Dialer, Dials, GoVersion, GrpcVersion, dialer, go_of_crossplane, go_versions,
    grpc_of_crossplane, grpc_versions, is_public_registry,
};
pub use redirect::{redirect_parts, redirect_word, redirector};
pub use reference::{PodFinder, PortReference};
pub use rollout::{RolloutKind, rollout_of_kind, rollout_of_template};

mod data {
    use super::generator::{Generator, MetaKey};
    use super::mesh::{Mesh, MeshKey, MeshPlace};
    use super::proxy::{Compares, Dialer, Dials, GoVersion, GrpcVersion};
    use super::redirect::Redirector;
    use super::rollout::RolloutKind;
    use super::{
        Admission, HealthCheck, LeftKind, NodePort, NotCovered, PackageKind, ReferenceRow, RoleWords, Seen, Source,
        Transport, Words, WorkloadKind,
    };

    include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
}

/// A kind that holds a pod template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadKind {
    /// API group, empty for the core group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// The versions that the row is about; all of them when the list is empty.
    pub versions: &'static [&'static str],
    /// Dotted path of its pod templates, with `[]` for each element of a list; empty when the object is one itself. A kind with
    /// several paths has a row for each.
    pub path: &'static str,
    /// Dotted path of a reference to the workload whose template the object takes when it has none of its own.
    pub instead: Option<&'static str>,
}

/// A kind that runs pods, or adds to some, and that never moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftKind {
    /// API group.
    pub group: &'static str,
    /// Kinds.
    pub kinds: &'static [&'static str],
    /// Why, for a person.
    pub why: &'static str,
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
    /// Last path segments of the owner's own images, which the row never concerns; empty when it is not a pod.
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

/// Ports of Services (the API server's `--service-node-port-range`).
pub const SERVICE_NODE_PORTS: RangeInclusive<u16> = 30_000..=32_767;
/// Ports that the kernel gives to clients (`ip_local_port_range`).
pub const CLIENT_PORTS: RangeInclusive<u16> = 32_768..=60_999;

/// A webhook that refuses templates on the host network without host ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// API group of what it refuses.
    pub group: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Where it has the template.
    pub template: &'static str,
    /// The path that the webhook's message has in place of that.
    pub shown: &'static str,
    /// The name of the webhook.
    pub webhook: &'static str,
    /// The first version that refuses.
    pub since: &'static str,
    /// The first version that does no more.
    pub fixed: &'static str,
    /// The kind of the objects that a controller makes of it, when these are refused and not the object itself.
    pub makes: Option<&'static str>,
}

/// The webhooks that refuse templates on the host network without host ports.
#[must_use]
pub fn admission() -> &'static [Admission] {
    data::ADMISSION
}

/// The project whose programs a chart of this name installs.
#[must_use]
pub fn project_of_chart(chart: &str) -> Option<&'static str> {
    data::CHARTS.iter().find(|(known, _)| *known == chart).map(|(_, project)| *project)
}

/// A program as its file has it.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// The project: the name of the file.
    pub project: &'static str,
    /// The comment at the start of the file: the repository and version that the sources of rows are in.
    pub head: &'static str,
    /// The program.
    pub name: &'static str,
    /// The ends of its images' paths.
    images: &'static [&'static str],
    /// The kind of package that it is.
    package: Option<PackageKind>,
    /// For `Deserialize`.
    json: &'static str,
    /// The text of the entry, with the sources of its rows.
    pub yaml: &'static str,
}

/// A listener that is known and that no program of the catalogue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotCovered {
    /// The project.
    pub project: &'static str,
    /// Its program, or what stands for one.
    pub program: &'static str,
    /// The listener's role.
    pub role: &'static str,
    /// The reason.
    pub why: &'static str,
}

/// The words of `catalog/words.yaml`.
#[derive(Debug)]
pub struct Words {
    /// Words of a name that tells where to listen.
    pub listen: &'static [&'static str],
    /// Words that make such a name somebody else's address.
    pub other: &'static [&'static str],
    /// Words of a name that is not a port's: a count, a time, a size, a switch.
    pub not_ports: &'static [&'static str],
    /// Last words of a name that says where somebody is.
    pub hosts: &'static [&'static str],
    /// Whole names that say where somebody else is, beside a bare `--port`.
    pub remotes: &'static [&'static str],
    /// Ends of names of the address at which others know the program.
    pub public_names: &'static [&'static str],
    /// Words between the stem of a name and `port` that say what is spoken there.
    pub protocols: &'static [&'static str],
    /// By which protocol an address is dialled.
    pub transports: &'static [Transport],
    /// Last segments of image paths that say nothing about the program.
    pub common_images: &'static [&'static str],
    /// Words that tell what a listener is for.
    pub roles: &'static [RoleWords],
}

impl Words {
    /// Whether a name may be one of an address: a variable whose name is not is read only where its value is an address.
    #[must_use]
    pub fn may_be_address(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        // `ip` is in many a word, and says something at the end alone.
        let says = |word: &str| if word.len() > 3 { name.contains(word) } else { name.ends_with(word) };
        self.listen.iter().any(|word| name.contains(word)) || self.hosts.iter().any(|word| says(word))
    }
}

/// What says that an address is dialled by a protocol.
#[derive(Debug)]
pub struct Transport {
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Names of the protocol itself, in schemes and names.
    pub names: &'static [&'static str],
    /// Names of what is spoken on top of it.
    pub words: &'static [&'static str],
    /// Programs that dial by it, some only with the flag behind them.
    pub commands: &'static [&'static str],
}

/// The words that make a role.
#[derive(Debug)]
pub struct RoleWords {
    /// The role.
    pub role: &'static str,
    /// Its words.
    pub words: &'static [&'static str],
}

/// A row of `catalog/references.yaml` as it is in the binary.
#[derive(Debug, Clone, Copy)]
struct ReferenceRow {
    group: &'static str,
    kinds: &'static [&'static str],
    /// For `Deserialize`.
    json: &'static str,
}

/// The rows of a kind that names ports of pods.
pub fn references_of(group: &str, kind: &str) -> impl Iterator<Item = Arc<PortReference>> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Arc<PortReference>>>>> =
        LazyLock::new(|| data::REFERENCES.iter().map(|_| OnceLock::new()).collect());
    let rows = data::REFERENCES.iter().enumerate();
    let rows = rows.filter(move |(_, row)| row.group == group && row.kinds.contains(&kind));
    // The test of every row shows that nothing is lost here.
    let parsed = |row: &ReferenceRow| serde_json::from_str(row.json).ok().map(Arc::new);
    rows.filter_map(move |(index, row)| PARSED.get(index)?.get_or_init(|| parsed(row)).clone())
}

/// The kinds that hold a pod template.
#[must_use]
pub fn workload_kinds() -> &'static [WorkloadKind] {
    data::WORKLOADS
}

/// Why a kind never moves; none for all others.
#[must_use]
pub fn why_left(group: &str, kind: &str) -> Option<&'static str> {
    data::LEFT_KINDS.iter().find(|row| row.group == group && row.kinds.contains(&kind)).map(|row| row.why)
}

/// The words of names.
#[must_use]
pub fn words() -> &'static Words {
    &data::WORDS
}

/// The annotations of templates and Services whose value is a port of the pod, or a list of them.
#[must_use]
pub fn port_annotations() -> &'static [&'static str] {
    data::ANNOTATIONS
}

/// The annotations of workloads that a tool runs around a release, and not as a part of it.
#[must_use]
pub fn hook_annotations() -> &'static [&'static str] {
    data::HOOKS
}

/// An annotation with the port that a load balancer checks.
#[derive(Debug)]
pub struct HealthCheck {
    /// The annotation.
    pub key: &'static str,
    /// The kinds that have it: `Service`, `Ingress`.
    pub kinds: &'static [&'static str],
    /// The annotation that says what the load balancer sends to: `instance` are nodes.
    pub target_type: &'static str,
}

/// The annotations with the port that a load balancer checks.
#[must_use]
pub fn health_checks() -> &'static [HealthCheck] {
    data::HEALTH_CHECKS
}

/// The ports that are commonly taken on nodes, in the order of `catalog/node-ports.yaml`.
#[must_use]
pub fn node_ports() -> &'static [NodePort] {
    data::NODE_PORTS
}

/// The programs that run from an image (its path without tag and digest): those of packages of a kind, or of containers; each
/// with how much of the path says so.
pub fn programs_of_image(path: &str, package: Option<PackageKind>) -> impl Iterator<Item = (Shared, Arc<Program>)> {
    // A container without an image is not a program: no look at all the rows then.
    let rows = data::PROGRAMS.iter().enumerate().filter(move |(_, row)| !path.is_empty() && row.package == package);
    rows.filter_map(move |(index, row)| Some((shared_segments(row.images, path)?, program_at(index)?)))
}

/// The program of this name.
#[must_use]
pub fn program(name: &str) -> Option<Arc<Program>> {
    data::PROGRAMS.iter().position(|row| row.name == name).and_then(program_at)
}

/// All programs, in the order of their projects' names.
pub fn programs() -> impl Iterator<Item = (&'static Source, Arc<Program>)> {
    data::PROGRAMS.iter().enumerate().filter_map(|(index, row)| Some((row, program_at(index)?)))
}

/// The names of all programs.
pub fn program_names<'n>() -> impl Iterator<Item = &'n str> {
    data::PROGRAMS.iter().map(|row| row.name)
}

/// The scaffolds that have a flag or variable of this name, each with the role of what it tells.
pub fn scaffolds_with(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    data::SCAFFOLDS.iter().filter(move |(_, known, _)| *known == name).map(|(scaffold, _, role)| (*scaffold, *role))
}

/// What is known and has no program, with the reason.
#[must_use]
pub fn not_covered() -> &'static [NotCovered] {
    data::NOT_COVERED
}

/// Programs are parsed once, when an input first holds them.
fn program_at(index: usize) -> Option<Arc<Program>> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Arc<Program>>>>> =
        LazyLock::new(|| data::PROGRAMS.iter().map(|_| OnceLock::new()).collect());
    let row = data::PROGRAMS.get(index)?;
    // The test of every row shows that nothing is lost here.
    PARSED.get(index)?.get_or_init(|| serde_json::from_str(row.json).ok().map(Arc::new)).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_the_schema() {
        for row in data::PROGRAMS {
            serde_json::from_str::<Program>(row.json).unwrap_or_else(|error| panic!("{}: {error}", row.name));
            serde_saphyr::from_str::<Vec<Program>>(row.yaml).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        }
    }

    #[test]
    fn every_reference_has_the_schema() {
        for row in data::REFERENCES {
            let read: PortReference =
                serde_json::from_str(row.json).unwrap_or_else(|error| panic!("{error}: {}", row.json));
            assert_eq!(read.check(), Vec::<String>::new(), "{}", row.json);
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
    fn charts_install_projects_that_are_known() {
        for (chart, project) in data::CHARTS {
            assert!(data::PROGRAMS.iter().any(|row| row.project == *project), "{chart}: no project {project}");
            assert_eq!(data::CHARTS.iter().filter(|(other, _)| other == chart).count(), 1, "{chart} has one row");
        }
        assert_eq!(project_of_chart("kruise"), Some("openkruise"));
        assert_eq!(project_of_chart("podinfo"), None);
    }

    #[test]
    fn no_row_contradicts_itself() {
        for (row, program) in programs() {
            assert_eq!(check(&program), Vec::<String>::new(), "{}", row.name);
            for tell in program.listeners.iter().flat_map(|listener| &listener.tell) {
                assert!(tell.since.is_some(), "{}: since when has it `{}`?", row.name, tell.name());
            }
        }
    }

    #[test]
    fn a_row_that_cannot_be_is_told() {
        let wrong = |program: &str, listener: &str| {
            let tell = "tell: [{arg: --port}]";
            let text = format!(
                "{{name: web, images: [web], {program} listeners: [{{role: other, names: [http], {listener} {tell}}}]}}"
            );
            check(&serde_saphyr::from_str(&text).unwrap()).join("; ")
        };
        assert_eq!(wrong("config: {path: /etc/web.yaml},", "protocol: UDP, disabledBy: [--tls],"), "");
        assert_eq!(wrong("config: {},", ""), "`config` names no file: give `arg`, the flag that names it, or `path`");
        let row = "listener other (http)";
        assert_eq!(wrong("", "protocol: udp,"), format!("{row}: protocol `udp`: one of `TCP`, `UDP` and `SCTP`"));
        let dashes = "a flag is written with its dashes and without a value";
        assert_eq!(wrong("", "disabledBy: [tls],"), format!("{row}: `disabledBy: tls`: {dashes}"));
    }

    /// `controller` is the last segment of many images: it takes the one before it, or a word of the command.
    #[test]
    fn no_row_relies_on_a_common_word_alone() {
        for (row, program) in programs().filter(|(_, program)| program.package.is_none() && program.command.is_empty())
        {
            for image in &program.images {
                assert!(!words().common_images.contains(&image.as_str()), "{}: image `{image}` alone", row.name);
            }
        }
    }

    #[test]
    fn no_two_programs_are_alike() {
        let all: Vec<_> = programs().map(|(_, program)| program).collect();
        for (index, program) in all.iter().enumerate() {
            for other in all.iter().skip(index + 1) {
                assert_ne!(program.name, other.name);
                assert!(!program.is_like(other), "{} and {} fit the same container", program.name, other.name);
            }
        }
    }

    #[test]
    fn the_flag_of_two_scaffolds_has_one_role() {
        for (scaffold, name, role) in data::SCAFFOLDS {
            let others = scaffolds_with(name).filter(|(_, other)| other != role).count();
            assert_eq!(others, 0, "{scaffold}: {name} has another role elsewhere");
        }
    }
}
