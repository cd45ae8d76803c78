//! Data about programs and kinds of other projects: `catalog/`, compiled into the binary by `build.rs`.

mod admission;
mod admission_policy;
mod annotation;
mod autoscaler;
mod check;
mod follower;
mod generator;
mod library;
mod matching;
mod mesh;
mod name_reference;
mod network_driver;
mod node_port;
mod operand;
mod operator_range;
mod package_kinds;
mod plugin_policy;
mod program;
mod programs;
mod proxy;
mod redirect;
mod reference;
mod registries;
mod rollout;
mod runtime_option;
mod second_copy;
mod sidecar;
mod words;
mod workload_kind;

pub use admission::{ADMISSION, Admission};
pub use admission_policy::{
    HostConstraint, host_constraint, is_admission_policy, is_namespace_exempt, is_refusing_scc, unread_words,
};
pub use annotation::{
    HEALTH_CHECKS, HOOK_ANNOTATIONS, HealthCheck, MarkPlace, POD_NETWORK_ANNOTATIONS, PORT_ANNOTATIONS,
    PluginAnnotation, REFUSING_MARKS, RefusingMark, run_time_label_setter,
};
pub use autoscaler::{AutoscalerKind, autoscaler};
pub use check::{MAX_NAME_LENGTH, ROLES, check};
pub use follower::{FOLLOWERS, Follower};
pub use generator::{GENERATORS, Generator, MetaKey};
pub use library::{LIBRARIES, Library, OpenPort, shows_library};
pub use matching::{ProgramMatch, best_match};
pub use mesh::{MESHES, Mesh, MeshEffect, MeshKey, MeshPlace};
pub use name_reference::{NAME_REFERENCES, NameReference};
pub use network_driver::{NetworkDriver, network_drivers};
pub use node_port::{CLIENT_PORTS, KUBELET, NODE_PORTS, NodePort, NodePortUse, SERVICE_NODE_PORTS};
pub use operand::{HOST_NETWORK_FIELDS, HostNetworkField, OPERANDS, Operand};
pub use operator_range::{OPERATOR_RANGES, OperatorRange};
pub use package_kinds::{
    FUNCTION_PORT, KNOWN_PACKAGE_KINDS, KnownKinds, PACKAGE_LINTERS, PACKAGE_SCHEMES, PackageLinter, REFUSED_FIELDS,
    RefusedField,
};
pub use plugin_policy::{PluginPolicy, PolicyForm, policy_form};
pub use program::{ConfigFile, KnownSetting, Listener, PackageKind, Program, Registration, Switch};
pub use programs::{
    NOT_COVERED, NotCovered, Source, program, program_names, programs, programs_of_image, project_of_chart,
    scaffolds_with, scaffolds_with_file,
};
pub use proxy::{
    COMPARES_NAMES_SINCE, Compares, DialScope, Dialer, GO_VERSIONS, GRPC_VERSIONS, GoVersion, GrpcVersion,
    built_in_hosts, dialer, go_of_crossplane, grpc_of_crossplane, has_core_command, has_other_protocol,
    is_crossplane_like,
};
pub use redirect::{
    redirect_parts, redirect_validator, redirect_variable, redirect_word, redirector, validator_by_words,
};
pub use reference::{PodFinder, PortReference, references_of};
pub use registries::{
    CA_BUNDLE_SINCE, CACHE_BY_DIGEST_SINCE, CACHE_FOLDER_SINCE, DEFAULT_REGISTRIES, DefaultRegistry,
    IMAGE_REWRITES_SINCE, LOCAL_IS_HTTPS_SINCE, OWN_IMAGE_SINCE, full_names_required_since, is_public_registry,
    names_image,
};
pub use rollout::{RolloutKind, rollout_of_kind, rollout_of_template};
pub use runtime_option::{RuntimeOption, address_in_option, runtime_option};
pub use second_copy::{SecondCopyKind, second_copies};
pub use sidecar::{AnnotatedSidecar, SidecarKind, annotated_sidecars, sidecar_kind};
pub use words::{RoleWords, Transport, WORDS, Words};
pub use workload_kind::{LeftKind, WORKLOAD_KINDS, WorkloadKind, reason_not_moved};

mod data {
    use super::admission::Admission;
    use super::annotation::{HealthCheck, MarkPlace, PluginAnnotation, RefusingMark};
    use super::autoscaler::AutoscalerKind;
    use super::follower::Follower;
    use super::generator::{Generator, MetaKey};
    use super::library::{Library, OpenPort};
    use super::mesh::{Mesh, MeshKey, MeshPlace};
    use super::name_reference::NameReference;
    use super::network_driver::NetworkDriver;
    use super::node_port::{NodePort, NodePortUse};
    use super::operand::{HostNetworkField, Operand};
    use super::operator_range::OperatorRange;
    use super::package_kinds::{KnownKinds, PackageLinter, RefusedField};
    use super::plugin_policy::{PluginPolicy, PolicyForm};
    use super::program::PackageKind;
    use super::programs::{NotCovered, Source};
    use super::proxy::{Compares, DialScope, Dialer, GoVersion, GrpcVersion};
    use super::redirect::Redirector;
    use super::reference::ReferenceRow;
    use super::registries::DefaultRegistry;
    use super::rollout::{FullSurge, RolloutKind};
    use super::runtime_option::RuntimeOption;
    use super::second_copy::SecondCopyKind;
    use super::sidecar::{AnnotatedPort, AnnotatedSidecar, SidecarKind};
    use super::words::{RoleWords, Transport, Words};
    use super::workload_kind::{LeftKind, WorkloadKind};

    include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
}
