//! Roles and their bindings. A program that may write webhook configurations may register itself at run time, which no
//! manifest shows. Some policies apply to pods only if a role permits their use.

use super::scope::{Requirements, label_selector};
use lossless_yaml::{NodeRef, Path};

/// API group of roles and bindings.
pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// Older API group of the same objects on `OpenShift`, which creates objects of the other group from them.
///
/// Source: openshift/api@22b8f512 `authorization/v1/types.go`.
pub(super) const GROUP_OF_OPENSHIFT: &str = "authorization.openshift.io";

/// Built-in role with all permissions, which no manifest contains.
pub const CLUSTER_ADMIN: &str = "cluster-admin";

/// Policy kinds that apply to a pod only if a role grants the verb `use` to its service account.
pub(super) const USED: [&str; 2] = ["securitycontextconstraints", "podsecuritypolicies"];

/// Objects by which a program registers itself with the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Registration {
    /// Webhook configurations.
    Webhooks,
    /// APIServices.
    ApiService,
    /// Any object: the role permits everything.
    Everything,
}

impl Registration {
    /// Nouns for the registration and for its objects, for messages.
    pub fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Webhooks | Self::Everything => ("webhooks", "webhook configurations"),
            Self::ApiService => ("an APIService", "APIServices"),
        }
    }

    /// API group and resources.
    fn access(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Webhooks => {
                ("admissionregistration.k8s.io", &["validatingwebhookconfigurations", "mutatingwebhookconfigurations"])
            }
            Self::ApiService => ("apiregistration.k8s.io", &["apiservices"]),
            Self::Everything => ("*", &["*"]),
        }
    }
}

/// `ClusterRole` that permits a registration, or that aggregates other roles.
#[derive(Debug, Clone)]
pub struct RegisteringRole {
    /// Registration that the rules of the role itself permit.
    pub own: Option<Registration>,
    /// Selectors of the roles that it aggregates.
    pub aggregates: Vec<Requirements>,
}

impl RegisteringRole {
    /// Reads a `ClusterRole`; returns `None` for a role that neither permits a registration nor aggregates other roles.
    ///
    /// Source: kubernetes v1.37 `pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go`.
    pub(super) fn read(role: NodeRef<'_, '_>) -> Option<Self> {
        let all = [Registration::Webhooks, Registration::ApiService, Registration::Everything];
        let own = all.into_iter().find(|one| permits(role, *one));
        let selectors = role.lookup(&Path::dotted("aggregationRule.clusterRoleSelectors"));
        let selectors = selectors.into_iter().flat_map(NodeRef::items);
        let aggregates: Vec<Requirements> = selectors.filter_map(|selector| label_selector(Some(selector))).collect();
        (own.is_some() || !aggregates.is_empty()).then_some(Self { own, aggregates })
    }
}

/// True if a group of Kubernetes has the service accounts of a namespace; `None` is an unknown namespace.
///
/// Source: kubernetes v1.37 `staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go`.
pub fn group_includes_namespace_accounts(group: &str, namespace: Option<&str>) -> bool {
    match group.strip_prefix("system:serviceaccounts") {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|own| namespace.is_none_or(|namespace| namespace == own)),
        None => group == "system:authenticated",
    }
}

/// `RoleBinding` or `ClusterRoleBinding`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleBinding {
    /// True if `role` is a `Role` of the namespace of the binding; else it is a `ClusterRole`.
    pub is_of_namespace: bool,
    /// Name of the role.
    pub role: String,
    /// Service accounts with the role, including subjects that are user names of service accounts: namespace, if given,
    /// and name.
    pub accounts: Vec<(Option<String>, String)>,
    /// Groups in the subjects of the binding.
    pub groups: Vec<String>,
}

impl RoleBinding {
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let text = |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let subjects = |kind: &'static str| {
            let all = object.get("subjects").into_iter().flat_map(NodeRef::items);
            all.filter(move |subject| text(*subject, "kind").as_deref() == Some(kind))
        };
        let role = object.get("roleRef")?;
        let accounts =
            subjects("ServiceAccount").filter_map(|subject| Some((text(subject, "namespace"), text(subject, "name")?)));
        let account_of_user = |user: String| {
            let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
            Some((Some(namespace.to_owned()), name.to_owned()))
        };
        let users = subjects("User").filter_map(|subject| account_of_user(text(subject, "name")?));
        // The own group of OpenShift has two more lists, which replace the subjects, and gives the namespace of a
        // `Role`.
        let names = |key: &str| {
            let names = object.get(key).into_iter().flat_map(NodeRef::items);
            names.filter_map(NodeRef::non_null_text).map(str::to_owned).collect::<Vec<_>>()
        };
        let [user_names, group_names] = ["userNames", "groupNames"].map(names);
        let is_of_namespace = text(role, "kind").as_deref() == Some("Role") || text(role, "namespace").is_some();
        let role = text(role, "name")?;
        if !user_names.is_empty() || !group_names.is_empty() {
            let accounts = user_names.into_iter().filter_map(account_of_user).collect();
            return Some(Self { is_of_namespace, role, accounts, groups: group_names });
        }
        Some(Self {
            is_of_namespace,
            role,
            accounts: accounts.chain(users).collect(),
            groups: subjects("Group").filter_map(|subject| text(subject, "name")).collect(),
        })
    }
}

/// True if the rules of a `ClusterRole` permit a registration, which creates an object. Programs that fill in a CA only
/// update objects, and a rule with `resourceNames` permits no `create`.
///
/// Source: kubernetes/website `content/en/docs/reference/access-authn-authz/rbac.md`, "Referring to resources".
fn permits(role: NodeRef<'_, '_>, registration: Registration) -> bool {
    let (group, resources) = registration.access();
    let mut rules = role.get("rules").into_iter().flat_map(NodeRef::items);
    rules.any(|rule| {
        let names_all = lists(rule, "apiGroups", &["*"]) && lists(rule, "resources", &["*"]);
        let is_meant = lists(rule, "apiGroups", &[group]) || lists(rule, "resources", resources);
        (!names_all || is_meant)
            && covers(rule, "apiGroups", &[group])
            && covers(rule, "resources", resources)
            && covers(rule, "verbs", &["create"])
            && rule.get("resourceNames").is_none_or(|names| names.items().next().is_none())
    })
}

/// True if a list of a rule has one of these values.
fn lists(rule: NodeRef<'_, '_>, key: &str, wanted: &[&str]) -> bool {
    let mut values = rule.get(key).into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
    values.any(|value| wanted.contains(&value))
}

/// True if a list of a rule, of a role or a webhook, has one of these values or `*`.
pub(super) fn covers(rule: NodeRef<'_, '_>, key: &str, wanted: &[&str]) -> bool {
    lists(rule, key, &["*"]) || lists(rule, key, wanted)
}
