//! Service accounts whose roles permit a registration with the API server.

use std::collections::HashMap;

use crate::model::facts::{Registration, group_includes_namespace_accounts};

/// Subjects of bindings whose roles permit a registration.
#[derive(Debug, Default)]
pub(crate) struct Registrars<'m> {
    /// Service accounts: namespace, if the binding gives it, and name.
    accounts: HashMap<(Option<&'m str>, &'m str), Registration>,
    /// The names of these accounts.
    names: HashMap<&'m str, Registration>,
    groups: Vec<(&'m str, Registration)>,
}

impl<'m> Registrars<'m> {
    /// Adds the subjects of a binding.
    pub(super) fn add(
        &mut self,
        accounts: impl Iterator<Item = (Option<&'m str>, &'m str)>,
        groups: impl Iterator<Item = &'m str>,
        registration: Registration,
    ) {
        for (namespace, name) in accounts {
            // A role that lists webhook configurations or APIServices is stronger evidence than a role that permits
            // everything.
            for known in [
                self.accounts.entry((namespace, name)).or_insert(registration),
                self.names.entry(name).or_insert(registration),
            ] {
                *known = registration.min(*known);
            }
        }
        self.groups.extend(groups.map(|group| (group, registration)));
    }

    /// The registration that the roles of a service account permit; `None` if they permit no registration. Charts often
    /// write the namespace only into the binding, so an unknown namespace matches all namespaces.
    pub(crate) fn registration(&self, namespace: Option<&str>, account: &str) -> Option<Registration> {
        let own = match namespace {
            None => self.names.get(account),
            own => [None, own].into_iter().find_map(|namespace| self.accounts.get(&(namespace, account))),
        };
        let of_groups = self.groups.iter().filter(|(group, _)| group_includes_namespace_accounts(group, namespace));
        of_groups.map(|(_, registration)| *registration).chain(own.copied()).min()
    }
}
