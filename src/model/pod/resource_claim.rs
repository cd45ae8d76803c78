//! Devices that pods claim (Dynamic Resource Allocation).

use lossless_yaml::{NodeRef, Path};

/// Claim of devices in a pod spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceClaim {
    /// Path of the name.
    pub path: Path,
    /// `ResourceClaim` or `ResourceClaimTemplate`.
    pub kind: &'static str,
    /// Name of the object with the claim.
    pub name: Box<str>,
}

/// Fields of a claim with the name of an object, and the kind of the object.
///
/// Source: kubernetes `staging/src/k8s.io/api/core/v1/types.go`, `PodResourceClaim`.
const FIELDS: [(&str, &str); 2] =
    [("resourceClaimName", "ResourceClaim"), ("resourceClaimTemplateName", "ResourceClaimTemplate")];

/// Reads the claims of a pod spec.
pub(super) fn resource_claims(spec: NodeRef<'_, '_>, path: &Path) -> Box<[ResourceClaim]> {
    let claims = spec.get("resourceClaims").into_iter().flat_map(NodeRef::items).enumerate();
    let named = claims.flat_map(|(index, claim)| {
        let of_claim = path.key("resourceClaims").named_item(index, claim.get("name").and_then(NodeRef::text));
        FIELDS.into_iter().filter_map(move |(key, kind)| {
            let name = claim.get(key)?.non_empty_text()?.into();
            Some(ResourceClaim { path: of_claim.key(key), kind, name })
        })
    });
    named.collect()
}
