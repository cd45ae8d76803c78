//! The webhooks that refuse templates on the host network.

use super::data;

/// A webhook that refuses templates on the host network without host ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// API group of what it refuses.
    pub group: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Where it has the template.
    pub template: &'static str,
    /// The path that the webhook's message has in place of that.
    pub shown: &'static str,
    /// The name of the webhook.
    pub webhook: &'static str,
    /// The first version that refuses.
    pub since: &'static str,
    /// The first version that does no more.
    pub fixed: &'static str,
    /// The kind of the objects that a controller makes of it, when these are refused and not the object itself.
    pub makes: Option<&'static str>,
}

/// The webhooks that refuse templates on the host network without host ports.
#[must_use]
pub fn admission() -> &'static [Admission] {
    data::ADMISSION
}
