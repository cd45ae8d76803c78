//! Container with the proxy settings of its programs.

use super::api_client::ApiAccess;
use super::input::CheckInput;
use super::row::RouteRow;
use crate::model::ObjectId;
use crate::proxy::effective::Effective;
use crate::proxy::functions::matcher;
use crate::proxy::objects::Objects;
use crate::proxy::required::Role;
use crate::proxy::route_decider::{DialedHost, RouteDecider};
use crate::proxy::variables::Variables;
use go_no_proxy::Matcher;

/// Container with the proxy settings of its programs.
pub(super) struct Container<'e> {
    pub(super) object: ObjectId,
    /// `Deployment shop/web, container web`
    pub(super) subject: String,
    pub(super) role: Role,
    /// Evidence that it calls the API server.
    pub(super) api: ApiAccess,
    pub(super) effective: &'e Effective,
    pub(super) judge: RouteDecider<'e>,
}

/// Resolves the proxy settings of a container's programs.
pub(super) fn effective(
    input: &CheckInput<'_>,
    namespace: Option<&str>,
    variables: &Variables,
    role: Role,
) -> Effective {
    let known = Objects::new(input.model, input.facts, namespace);
    // The Go version of other programs is unknown.
    let matcher = if role == Role::Core { matcher(input.crossplane.version()) } else { Matcher::Newest };
    Effective::new(variables, &known, matcher)
}

impl<'e> Container<'e> {
    pub(super) fn new(object: ObjectId, subject: String, role: Role, effective: &'e Effective) -> Self {
        Self { object, subject, role, api: ApiAccess::Certain, effective, judge: RouteDecider::new(effective) }
    }

    /// The container with this access to the API server.
    pub(super) fn with_api(self, api: ApiAccess) -> Self {
        Self { api, ..self }
    }

    /// Creates the row for one destination.
    pub(super) fn row(&self, destination: &str, host: Option<String>, dialed: &DialedHost) -> RouteRow {
        RouteRow::new(self.object, &self.subject, destination, host, self.judge.route_to(dialed))
    }
}
