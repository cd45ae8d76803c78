//! `hostnet` moves Kubernetes workloads to the host network: `hostNetwork`, `dnsPolicy`, ports, explicit host ports, and
//! every reference to those ports, or it refuses with a reason.
//!
//! One direction, no circles: bytes → documents → what is there → what to do → bytes.
//!
//! | module | does |
//! |---|---|
//! | [`api`] | the config kinds: types, defaults, validation, JSON Schema |
//! | [`rule`] | the rules of all kinds: ids, summaries, pages |
//! | [`catalog`] | what is known of other people's programs, from `catalog/` |
//! | [`dependency`] | dependencies of Crossplane packages: names and ranges of versions |
//! | [`version`] | versions of programs, compared |
//! | [`xpkg`] | what Crossplane makes of a package's image |
//! | [`model`] | read-only views of the objects, and the edges between them |
//! | [`judge`] | what plan and check both ask: selects, nodes, findings and what accepts them, predicates of rules that both have |
//! | [`check`] | what is wrong with host networking as it is written, rule by rule |
//! | [`releases`] | objects for which somebody else renders manifests: charts, folders that Flux and Argo CD build |
//! | [`package_mirror`] | packages and images from another registry |
//! | [`plan`] | what to do, whatever decided it: edits, new objects, findings |
//! | [`crossplane`] | a package's own runtime config, for any kind |
//! | [`host_network`] | which listeners move where, and what is in the way |
//! | [`proxy`] | what `NO_PROXY` has to hold, and what it decides |
//! | [`render`] | a plan as edits of documents, as patches and as results |
//! | [`kinds`] | what each config kind and each command does: in which order the others are called |
//! | [`cli`] | the commands |
//!
//! ```
//! let config = hostnet::api::Config::read(
//!     "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}, ports: {http: 20080}}]}}",
//!     "hostnet.yaml",
//!     1,
//! )?;
//! let manifest = "\
//! apiVersion: apps/v1
//! kind: Deployment
//! metadata: {name: web}
//! spec:
//!   template:
//!     spec:
//!       containers:
//!       - name: web
//!         image: example/web:v1 # pinned
//!         args: [--listen=:8080]
//!         ports:
//!         - {name: http, containerPort: 8080}
//! ";
//! let input = krm::Input::read(krm::Origin::stdin(), manifest.into())?;
//! let run = hostnet::kinds::run(std::slice::from_ref(&input), &config, false)?;
//! let mut output = Vec::new();
//! input.write(&run.splices[0], &mut output)?;
//! assert_eq!(
//!     String::from_utf8(output)?,
//!     "\
//! apiVersion: apps/v1
//! kind: Deployment
//! metadata: {name: web}
//! spec:
//!   template:
//!     spec:
//!       hostNetwork: true
//!       dnsPolicy: ClusterFirstWithHostNet
//!       containers:
//!       - name: web
//!         image: example/web:v1 # pinned
//!         args: [--listen=:20080]
//!         ports:
//!         - {name: http, containerPort: 20080, hostPort: 20080}
//! "
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod api;
pub mod catalog;
pub mod check;
pub mod cli;
pub mod crossplane;
pub mod dependency;
pub mod help;
pub mod host_network;
pub mod judge;
pub mod kinds;
pub mod kustomize;
pub mod model;
pub mod package_mirror;
pub mod plan;
pub mod proxy;
pub mod releases;
pub mod render;
pub mod rule;
pub mod version;
pub mod xpkg;
