//! Route from one container to one destination.

use crate::api::Route;
use crate::model::ObjectId;
use crate::proxy::route_decider::{ActualRoute, differs_from_wanted_route};
use crate::rule::{self, Rule, Severity};

/// Name of the API server in rows.
pub(super) const API_SERVER: &str = "the API server";

/// Route from one container to one destination, compared with the wanted route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRow {
    /// Object of the container.
    pub object: ObjectId,
    /// `Deployment shop/web, container web`
    pub subject: String,
    /// Destination: `function function-x`, `the API server`.
    pub dialed: String,
    /// Host and port, if known.
    pub host: Option<String>,
    /// Actual route.
    pub reached: ActualRoute,
    /// Reason for the route.
    pub why: String,
    /// Wanted route.
    pub wanted: Route,
    /// Severity; `None` if the route is acceptable.
    pub severity: Option<Severity>,
    /// Rule of the finding.
    pub rule: Rule,
    /// `NO_PROXY` entry that would fix the route.
    pub add: Option<String>,
}

impl RouteRow {
    /// Creates a row for which any route is acceptable.
    pub(super) fn new(
        object: ObjectId,
        subject: &str,
        dialed: &str,
        host: Option<String>,
        (reached, why): (ActualRoute, String),
    ) -> Self {
        Self {
            object,
            subject: subject.to_owned(),
            dialed: dialed.to_owned(),
            host,
            reached,
            why,
            wanted: Route::Any,
            severity: None,
            rule: rule::PROXY_REACH,
            add: None,
        }
    }

    /// Sets the wanted route. On a mismatch, also sets the severity, and for a route through the proxy the `NO_PROXY`
    /// entry that would fix it.
    pub(super) fn with_wanted_route(self, wanted: Route, severity: Severity, add: Option<String>) -> Self {
        let wrong = differs_from_wanted_route(self.reached, wanted);
        let add = add.filter(|_| wrong && self.reached == ActualRoute::Proxy);
        Self { wanted, severity: wrong.then_some(severity), add, ..self }
    }

    /// Sets severity and rule, regardless of the wanted route.
    pub(super) fn with_severity(self, severity: Severity, rule: Rule) -> Self {
        Self { severity: Some(severity), rule, ..self }
    }

    /// True for a function.
    pub fn is_function_row(&self) -> bool {
        self.dialed.starts_with("function ") || self.dialed == "any function"
    }

    /// True for the API server.
    pub fn is_of_api_server(&self) -> bool {
        self.dialed == API_SERVER
    }

    /// Message of the row, without its severity.
    pub fn message(&self) -> String {
        let host = self.host.as_deref().map(|host| format!(" {host}")).unwrap_or_default();
        let add = self.add.as_ref().map(|add| format!(". Add to NO_PROXY: {add}")).unwrap_or_default();
        format!("{}: {} -> {}{host}: {}{add}", self.reached.as_str(), self.subject, self.dialed, self.why)
    }
}
