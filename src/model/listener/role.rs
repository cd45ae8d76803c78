//! What a listener is for.

use std::fmt;

use crate::catalog;
use crate::model::text::words;

/// What a listener is for. The order is that of precedence among the roles of a combined listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Admission and conversion webhooks.
    Webhook,
    /// An aggregated API.
    ApiService,
    /// gRPC.
    Grpc,
    /// Metrics.
    Metrics,
    /// Health and readiness.
    Health,
    /// Profiles.
    Pprof,
    /// Anything else.
    Other,
}

impl Role {
    /// All roles, in their order.
    pub const ALL: [Self; 7] =
        [Self::Webhook, Self::ApiService, Self::Grpc, Self::Metrics, Self::Health, Self::Pprof, Self::Other];

    /// The role as configs and the catalogue write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::ApiService => "apiservice",
            Self::Grpc => "grpc",
            Self::Metrics => "metrics",
            Self::Health => "health",
            Self::Pprof => "pprof",
            Self::Other => "other",
        }
    }

    /// Whether the API server calls such a listener, and so has to reach it.
    #[must_use]
    pub fn is_called_by_api_server(self) -> bool {
        matches!(self, Self::Webhook | Self::ApiService)
    }

    /// The first role of a combined one (`metrics+health`).
    #[must_use]
    pub fn of_catalog(combined: &str) -> Self {
        Self::ALL.into_iter().find(|role| combined.split('+').any(|part| part == role.as_str())).unwrap_or(Self::Other)
    }

    /// The role that the words of a name tell.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let words = words(name);
        let row =
            catalog::words().roles.iter().find(|row| words.iter().any(|word| row.words.contains(&word.as_str())))?;
        Some(Self::of_catalog(row.role))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_these_roles() {
        assert_eq!(Role::ALL.map(Role::as_str), catalog::ROLES);
    }
}
