//! `hostnet` moves Kubernetes workloads to the host network: `hostNetwork`, `dnsPolicy`, ports, explicit host ports,
//! and every reference to those ports, or it refuses with a reason.
//!
//! Data flows in one direction, without cycles: bytes → documents → model → plan → bytes.
//!
//! | module | does |
//! |---|---|
//! | [`api`] | the config kinds: types, defaults, validation, JSON Schema |
//! | [`rule`] | the rules of all kinds: ids, summaries, pages |
//! | [`catalog`] | facts about third-party programs and kinds, from `catalog/` |
//! | [`dependency`] | dependencies of Crossplane packages: names and ranges of versions |
//! | [`version`] | versions of programs and their comparison |
//! | [`help`] | settings in help texts of programs |
//! | [`xpkg`] | the behaviour of Crossplane for the image of a package |
//! | [`model`] | read-only views of the objects, and the references between them |
//! | [`judge`] | predicates that plan and check share: selects, nodes, findings and their suppression, rules |
//! | [`check`] | problems with host networking in manifests, one rule per file |
//! | [`releases`] | objects whose manifests other tools render: charts, and folders that Flux and Argo CD build |
//! | [`package_mirror`] | packages and images from another registry |
//! | [`kustomize`] | object names inside a kustomize build |
//! | [`plan`] | the plan of every kind of config: edits, new objects, findings |
//! | [`crossplane`] | one runtime config per Crossplane package, for all kinds of configs |
//! | [`host_network`] | new ports of listeners, and the reasons that block a move |
//! | [`proxy`] | required values of `NO_PROXY`, and their effect |
//! | [`render`] | a plan as edits of documents, as patches and as results |
//! | [`kinds`] | the steps of each config kind and each command |
//! | [`cli`] | the commands |
//!
//! ```
//! let config = hostnet::api::HostNetworkConfig::read(
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
pub mod port_map;
pub mod proxy;
pub mod releases;
pub mod render;
pub mod rule;
pub mod version;
mod word_enum;
pub mod xpkg;
