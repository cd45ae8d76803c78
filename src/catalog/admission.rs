//! Webhooks that refuse pod templates on the host network.

use super::data;

/// Webhook that refuses pod templates on the host network with a port without `hostPort`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// API group of the refused objects.
    pub group: &'static str,
    /// Kind of the refused objects.
    pub kind: &'static str,
    /// Dotted path of the pod template.
    pub template: &'static str,
    /// Path that the error message of the webhook shows instead of `template`.
    pub shown: &'static str,
    /// Name of the webhook.
    pub webhook: &'static str,
    /// First version of the webhook that refuses templates with a port without `hostPort`.
    pub since: &'static str,
    /// First later version that accepts such templates again.
    pub fixed: &'static str,
    /// Kind of the objects that a controller creates from the object. Set if the webhook refuses those objects, not the
    /// object itself.
    pub makes: Option<&'static str>,
}

/// Returns the webhooks that refuse pod templates on the host network with a port without `hostPort`.
pub static ADMISSION: &[Admission] = data::ADMISSION;
