//! Roles of listeners.

use std::fmt;

use crate::catalog;
use crate::model::text::words;

/// Role of a listener, in order of precedence among the roles of a combined listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Admission and conversion webhooks.
    Webhook,
    /// Aggregated API.
    ApiService,
    /// gRPC.
    Grpc,
    /// Metrics.
    Metrics,
    /// Health and readiness.
    Health,
    /// Profiling (`pprof`).
    Pprof,
    /// Any other role.
    Other,
}

impl Role {
    /// All roles, in order.
    pub const ALL: [Self; 7] =
        [Self::Webhook, Self::ApiService, Self::Grpc, Self::Metrics, Self::Health, Self::Pprof, Self::Other];

    /// Name of the role in configs and the catalogue.
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

    /// True if the API server calls listeners with this role, and so has to reach them.
    #[must_use]
    pub fn is_called_by_api_server(self) -> bool {
        matches!(self, Self::Webhook | Self::ApiService)
    }

    /// First role of a combined one (`metrics+health`).
    #[must_use]
    pub fn from_catalog(combined: &str) -> Self {
        Self::ALL.into_iter().find(|role| combined.split('+').any(|part| part == role.as_str())).unwrap_or(Self::Other)
    }

    /// Role that the words of a name indicate.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let words = words(name);
        let row =
            catalog::WORDS.roles.iter().find(|row| words.iter().any(|word| row.words.contains(&word.as_str())))?;
        Some(Self::from_catalog(row.role))
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
