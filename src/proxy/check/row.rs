//! How one container reaches one destination.

use crate::api::Route;
use crate::model::ObjectId;
use crate::proxy::judge::{Reached, is_wrong};
use crate::rule::{self, Rule, Severity};

/// What the API server is called.
pub(super) const API_SERVER: &str = "the API server";

/// How one container reaches one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The object.
    pub object: ObjectId,
    /// `Deployment shop/web, container web`
    pub who: String,
    /// What is dialled: `function function-x`, `the API server`.
    pub whom: String,
    /// The host and the port, where these are known.
    pub host: Option<String>,
    /// How it is reached.
    pub reached: Reached,
    /// Why.
    pub why: String,
    /// How it has to be reached.
    pub wanted: Route,
    /// How bad it is; none when it is as it should be.
    pub severity: Option<Severity>,
    /// The rule that says so.
    pub rule: Rule,
    /// The entry of `NO_PROXY` that would make it right.
    pub add: Option<String>,
}

impl Row {
    /// A destination that may be reached either way.
    pub(super) fn new(
        object: ObjectId,
        who: &str,
        whom: &str,
        host: Option<String>,
        (reached, why): (Reached, String),
    ) -> Self {
        Self {
            object,
            who: who.to_owned(),
            whom: whom.to_owned(),
            host,
            reached,
            why,
            wanted: Route::Any,
            severity: None,
            rule: rule::PROXY_REACH,
            add: None,
        }
    }

    /// The same, where it has to be reached so; else it is this bad, and `add` would make it right.
    pub(super) fn wants(self, wanted: Route, severity: Severity, add: Option<String>) -> Self {
        let wrong = is_wrong(self.reached, wanted);
        let add = add.filter(|_| wrong && self.reached == Reached::Proxy);
        Self { wanted, severity: wrong.then_some(severity), add, ..self }
    }

    /// The same, and this bad whatever is wanted.
    pub(super) fn with_severity(self, severity: Severity, rule: Rule) -> Self {
        Self { severity: Some(severity), rule, ..self }
    }

    /// Whether it is about a function.
    #[must_use]
    pub fn is_of_function(&self) -> bool {
        self.whom.starts_with("function ") || self.whom == "any function"
    }

    /// Whether it is about the API server.
    #[must_use]
    pub fn is_of_api_server(&self) -> bool {
        self.whom == API_SERVER
    }

    /// Who reaches whom and why, for a person, without how bad it is.
    #[must_use]
    pub fn message(&self) -> String {
        let host = self.host.as_deref().map(|host| format!(" {host}")).unwrap_or_default();
        let add = self.add.as_ref().map(|add| format!(". Add to NO_PROXY: {add}")).unwrap_or_default();
        format!("{}: {} -> {}{host}: {}{add}", self.reached.as_str(), self.who, self.whom, self.why)
    }
}
