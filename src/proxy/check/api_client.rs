//! Evidence that the programs of a workload call the API server.

use std::collections::{BTreeSet, HashSet};

use crate::crossplane::own_container;
use crate::model::listener::called;
use crate::model::pod::{Container, PodTemplate, Token};
use crate::model::{Model, Object, ObjectId};
use crate::proxy::facts::ProxyFacts;

/// Evidence that a container calls the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApiAccess {
    /// The container calls it.
    Certain,
    /// The container may call it.
    Possible,
    /// The container has no token or no rights to call it.
    Never,
}

/// Objects that show which workloads call the API server.
pub(super) struct ApiClients {
    /// Namespace and name of service accounts that have roles.
    accounts: HashSet<(Option<String>, String)>,
    /// Workloads that the API server calls, such as operators with webhooks.
    called: BTreeSet<ObjectId>,
}

impl ApiClients {
    pub(super) fn new(model: &Model) -> Self {
        let accounts = model.role_bindings().flat_map(|(_, meta, binding)| {
            let account = |(namespace, name): &(Option<String>, String)| {
                (namespace.clone().or_else(|| meta.namespace.clone()), name.clone())
            };
            binding.accounts.iter().map(account).collect::<Vec<_>>()
        });
        Self { accounts: accounts.collect(), called: called(model).into_keys().collect() }
    }

    /// Evidence about a container of a workload.
    pub(super) fn access(
        &self,
        facts: &ProxyFacts,
        (id, object): (ObjectId, &Object),
        template: &PodTemplate,
        container: &Container,
    ) -> ApiAccess {
        let account = (object.meta.namespace.clone(), template.service_account.to_string());
        let has_token = match template.token {
            Token::Mounted => true,
            Token::OfAccount => !facts.accounts_without_token.contains(&account),
            Token::Absent => false,
        };
        if own_container(template, container).is_some() {
            ApiAccess::Certain
        } else if !has_token {
            ApiAccess::Never
        } else if self.accounts.contains(&account) || self.called.contains(&id) {
            ApiAccess::Certain
        } else {
            ApiAccess::Possible
        }
    }
}
