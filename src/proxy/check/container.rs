//! Container with the proxy settings of its programs.

use super::row::Row;
use super::situation::CheckInput;
use crate::model::ObjectId;
use crate::proxy::effective::Effective;
use crate::proxy::functions::matcher;
use crate::proxy::judge::{Judge, Whom};
use crate::proxy::objects::Objects;
use crate::proxy::required::Role;
use crate::proxy::variables::Variables;
use go_no_proxy::Matcher;

/// Container with the proxy settings of its programs.
pub(super) struct Container<'e> {
    pub(super) object: ObjectId,
    /// `Deployment shop/web, container web`
    pub(super) who: String,
    pub(super) role: Role,
    pub(super) effective: &'e Effective,
    pub(super) judge: Judge<'e>,
}

/// Resolves the proxy settings of a container's programs.
pub(super) fn effective(
    situation: &CheckInput<'_>,
    namespace: Option<&str>,
    variables: &Variables,
    role: Role,
) -> Effective {
    let known = Objects::of(situation.model, situation.facts, namespace);
    // The Go version of other programs is unknown.
    let matcher = if role == Role::Core { matcher(situation.crossplane.version()) } else { Matcher::Newest };
    Effective::of(variables, &known, matcher)
}

impl<'e> Container<'e> {
    pub(super) fn of(object: ObjectId, who: String, role: Role, effective: &'e Effective) -> Self {
        Self { object, who, role, effective, judge: Judge::of(effective) }
    }

    /// Creates the row for one destination.
    pub(super) fn row(&self, what: &str, host: Option<String>, whom: &Whom) -> Row {
        Row::new(self.object, &self.who, what, host, self.judge.reached(whom))
    }
}
