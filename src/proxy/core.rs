//! The Crossplane of an input: version and namespace of its core, and the network of its functions.

use crate::api::ProxyConfig;
use crate::catalog::{Compares, PackageKind};
use crate::crossplane::{Core, chosen_runtime_config, is_core, runs_core};
use crate::model::facts::{Package, package};
use crate::model::{Model, ObjectId};
use crate::version::ProgramVersion;
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

use super::facts::ProxyFacts;
use super::functions::compares;
use super::package_runtime::PackageRuntime;

/// The version, the namespace and the package runtime of a Crossplane installation.
#[derive(Debug)]
pub(super) struct Crossplane {
    pub(super) core: Core,
    /// The namespace of the core, in which functions have their Services.
    pub(super) namespace: Option<String>,
    /// True if functions run on the host network, so that their addresses are node addresses.
    pub(super) functions_on_nodes: bool,
    /// The setting that decides which controller creates the pods of packages.
    runtime: PackageRuntime,
}

impl Crossplane {
    pub(super) fn new(model: &Model, facts: &ProxyFacts, config: Option<&ProxyConfig>) -> Self {
        let given = config.map(|config| &config.proxy.spec.crossplane);
        let core = Core::find(model, given.and_then(|given| given.version.as_deref()));
        let found = || cores(model).find_map(|id| model.object(id)?.meta.namespace.clone());
        let namespace = given.and_then(|given| given.namespace.clone()).or_else(found);
        let mut functions = model.packages().filter(|(_, meta, _)| meta.gvk.kind == "Function");
        let functions_on_nodes =
            facts.functions_on_nodes || functions.any(|(_, _, package)| is_on_node(model, &core, package));
        Self { core, namespace, functions_on_nodes, runtime: PackageRuntime::new(model, facts, None) }
    }

    /// The Crossplane with its core in workload `id`; `None` if the input has no other core. Each core calls functions
    /// in the core's namespace, and has the version of its image unless the config sets a version.
    pub(super) fn of_core(
        &self,
        model: &Model,
        facts: &ProxyFacts,
        config: Option<&ProxyConfig>,
        id: ObjectId,
    ) -> Option<Self> {
        let object = model.object(id)?;
        let core = object
            .templates()
            .iter()
            .find_map(|template| template.containers.iter().find(|container| is_core(template, container)))?;
        let image = ImageRef::split(&core.image);
        if cores(model).all(|other| other == id) {
            return None;
        }
        let given = config.and_then(|config| config.proxy.spec.crossplane.version.as_deref());
        let core = match given {
            Some(_) => Core::find(model, given),
            None => Core::with_image(image, &object.meta),
        };
        Some(Self {
            core,
            namespace: object.meta.namespace.clone().or_else(|| self.namespace.clone()),
            functions_on_nodes: self.functions_on_nodes,
            runtime: PackageRuntime::new(model, facts, Some(id)),
        })
    }

    /// The version; unknown without a version in the config or the input.
    pub(super) fn version(&self) -> &ProgramVersion {
        self.core.version()
    }

    /// The form of a function's address that the core matches against `NO_PROXY`; `None` if the version is unknown.
    pub(super) fn compares(&self) -> Option<Compares> {
        compares(self.version())
    }

    /// The setting by which another controller creates the pods of packages of this kind; `None` if Crossplane does.
    pub(super) fn external_package_controller(&self, kind: PackageKind) -> Option<&str> {
        self.runtime.external_controller(kind)
    }
}

/// True if the runtime config of a package puts its pods on the host network.
pub(super) fn is_on_node(model: &Model, core: &Core, package: &Package) -> bool {
    let path = Path::dotted(package::POD_SPEC).key("hostNetwork");
    let config = model.runtime_config(chosen_runtime_config(model, core, package).name);
    config.is_some_and(|(_, value)| value.lookup(&path) == Some(&Value::Bool(true)))
}

/// Workloads whose pods run Crossplane's core.
pub(super) fn cores(model: &Model) -> impl Iterator<Item = ObjectId> {
    model.workloads().filter(|(.., template)| runs_core(template)).map(|(id, ..)| id.object)
}
