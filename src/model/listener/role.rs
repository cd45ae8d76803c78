//! Roles of listeners.

use std::fmt;

use crate::catalog;
use crate::model::text::words;
use crate::word_enum::word_enum;

word_enum! {
    /// Role of a listener, in order of precedence among the roles of a combined listener.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum Role {
        /// Admission and conversion webhooks.
        Webhook = "webhook",
        /// Aggregated API.
        ApiService = "apiservice",
        /// gRPC.
        Grpc = "grpc",
        /// Metrics.
        Metrics = "metrics",
        /// Health and readiness.
        Health = "health",
        /// Profiling (`pprof`).
        Pprof = "pprof",
        /// Any other role.
        #[default]
        Other = "other",
    }
}

impl Role {
    /// True if the API server calls listeners with this role, and so has to reach them.
    pub fn is_called_by_api_server(self) -> bool {
        matches!(self, Self::Webhook | Self::ApiService)
    }

    /// First role of a combined one (`metrics+health`).
    pub fn from_catalog(combined: &str) -> Self {
        Self::ALL
            .iter()
            .copied()
            .find(|role| combined.split('+').any(|part| part == role.as_str()))
            .unwrap_or(Self::Other)
    }

    /// Role that the words of a name indicate.
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
        assert!(Role::ALL.iter().map(|role| role.as_str()).eq(catalog::ROLES));
    }
}
