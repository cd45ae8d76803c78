//! The Crossplane of an input: its core, its version, its namespace, and where functions run.

use crate::api::ProxyConfig;
use crate::catalog::{Compares, Dialer, Dials, dialer};
use crate::crossplane::{Core, named};
use crate::image::ImageRef;
use crate::model::pod::Container;
use crate::model::text::ProgramVersion;
use crate::model::{Model, ObjectId};
use crate::yaml::{Path, Value};

use super::facts::ProxyFacts;
use super::functions::compares;

/// What is known of Crossplane.
#[derive(Debug)]
pub(super) struct Crossplane {
    pub(super) core: Core,
    /// The namespace of the core, in which functions have their Services.
    pub(super) namespace: Option<String>,
    /// Whether functions run on the host network, so that their addresses are those of nodes.
    pub(super) functions_on_nodes: bool,
}

/// What is known of a container by its image and its command.
pub(super) fn dialer_of(container: &Container) -> Option<&'static Dialer> {
    let image = ImageRef::of(&container.image).name;
    dialer(image, container.words().map(|(_, _, word)| word))
}

/// Whether a container is Crossplane's core, which calls functions.
pub(super) fn is_core(container: &Container) -> bool {
    dialer_of(container).is_some_and(|dialer| dialer.dials == Dials::Everything)
}

/// The workloads whose pods run Crossplane's core.
pub(super) fn cores(model: &Model) -> impl Iterator<Item = ObjectId> {
    model.workloads().filter(|(_, _, template)| template.containers.iter().any(is_core)).map(|(id, ..)| id.object)
}

impl Crossplane {
    pub(super) fn of(model: &Model, facts: &ProxyFacts, config: Option<&ProxyConfig>) -> Self {
        let given = config.map(|config| &config.proxy.spec.crossplane);
        let core = Core::find(model, given.and_then(|given| given.version.as_deref()));
        let found = || cores(model).find_map(|id| model.object(id)?.meta.namespace.clone());
        let namespace = given.and_then(|given| given.namespace.clone()).or_else(found);
        let on_nodes = |name: &str| {
            let path = Path::dotted("spec.deploymentTemplate.spec.template.spec.hostNetwork");
            model.runtime_config(name).is_some_and(|(_, value)| value.lookup(&path) == Some(&Value::Bool(true)))
        };
        let functions = model.packages().filter(|(_, meta, _)| meta.gvk.kind == "Function");
        let mut names = functions.map(|(_, _, package)| named(model, &core, package).name);
        let functions_on_nodes = facts.functions_on_nodes || names.any(on_nodes);
        Self { core, namespace, functions_on_nodes }
    }

    /// The version; unknown when nothing says it.
    pub(super) fn version(&self) -> &ProgramVersion {
        self.core.version()
    }

    /// What the core compares `NO_PROXY` with when it calls functions; none when its version is not known.
    pub(super) fn compares(&self) -> Option<Compares> {
        compares(self.version())
    }
}
