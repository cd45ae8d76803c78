//! Data about programs and kinds of other projects: `catalog/`, compiled into the binary by `build.rs`.

mod admission;
mod admission_policy;
mod annotation;
mod autoscaler;
mod check;
mod generator;
mod library;
mod matching;
mod mesh;
mod name_reference;
mod node_port;
mod operand;
mod package_kinds;
mod plugin_policy;
mod program;
mod programs;
mod proxy;
mod redirect;
mod reference;
mod registries;
mod rollout;
mod second_copy;
mod words;
mod workload_kind;

pub use admission::{Admission, admission};
pub use admission_policy::{HostConstraint, host_constraint, is_admission_policy, is_exempt_from, is_refusing_scc};
pub use annotation::{
    HealthCheck, health_checks, hook_annotations, pod_network_annotations, port_annotations, sets_label_at_run_time,
};
pub use autoscaler::{AutoscalerKind, autoscaler};
pub use check::{LONGEST_NAME, ROLES, check};
pub use generator::{Generator, MetaKey, generators};
pub use library::{Library, OpenPort, libraries, shows_library};
pub use matching::{ProgramMatch, best_match};
pub use mesh::{Mesh, MeshEffect, MeshKey, MeshPlace, meshes};
pub use name_reference::{NameReference, name_references};
pub use node_port::{CLIENT_PORTS, KUBELET, NodePort, NodePortUse, SERVICE_NODE_PORTS, node_ports};
pub use operand::{Operand, operands};
pub use package_kinds::{
    FUNCTION_PORT, KnownKinds, PackageLinter, known_package_kinds, package_linters, package_schemes,
};
pub use plugin_policy::{PluginPolicy, PolicyForm, policy_form};
pub use program::{ConfigFile, KnownSetting, Listener, PackageKind, Program, Registration, Switch};
pub use programs::{
    NotCovered, Source, not_covered, program, program_names, programs, programs_of_image, project_of_chart,
    scaffolds_with, scaffolds_with_file,
};
pub use proxy::{
    COMPARES_NAMES_SINCE, Compares, Dialer, Dials, GoVersion, GrpcVersion, built_in_hosts, dialer, go_of_crossplane,
    go_versions, grpc_of_crossplane, grpc_versions, has_core_command, has_other_protocol, is_crossplane_like,
};
pub use redirect::{
    redirect_parts, redirect_validator, redirect_variable, redirect_word, redirector, validator_by_words,
};
pub use reference::{PodFinder, PortReference, references_of};
pub use registries::{
    DefaultRegistry, ca_bundle_since, cache_by_digest_since, cache_folder_since, default_registries,
    image_rewrites_since, is_public_registry, local_is_https_since, names_image, own_image_since, whole_names_since,
};
pub use rollout::{RolloutKind, rollout_of_kind, rollout_of_template};
pub use second_copy::{SecondCopyKind, second_copies};
pub use words::{RoleWords, Transport, Words, words};
pub use workload_kind::{LeftKind, WorkloadKind, reason_not_moved, workload_kinds};

mod data {
    use super::admission::Admission;
    use super::annotation::HealthCheck;
    use super::autoscaler::AutoscalerKind;
    use super::generator::{Generator, MetaKey};
    use super::library::{Library, OpenPort};
    use super::mesh::{Mesh, MeshKey, MeshPlace};
    use super::name_reference::NameReference;
    use super::node_port::{NodePort, NodePortUse};
    use super::operand::Operand;
    use super::package_kinds::{KnownKinds, PackageLinter};
    use super::plugin_policy::{PluginPolicy, PolicyForm};
    use super::program::PackageKind;
    use super::programs::{NotCovered, Source};
    use super::proxy::{Compares, Dialer, Dials, GoVersion, GrpcVersion};
    use super::redirect::Redirector;
    use super::reference::ReferenceRow;
    use super::registries::DefaultRegistry;
    use super::rollout::{FullSurge, RolloutKind};
    use super::second_copy::SecondCopyKind;
    use super::words::{RoleWords, Transport, Words};
    use super::workload_kind::{LeftKind, WorkloadKind};

    include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
}
