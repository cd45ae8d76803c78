//! Package names that the API server rejects, because the CRDs of Crossplane validate `spec.package`.

use std::sync::LazyLock;

use regex::Regex;

use crate::catalog::full_names_required_since;
use crate::version::ProgramVersion;
use oci::name::ImageRef;

/// The validation message of the API server.
/// Source: crossplane/crossplane@v2.3.4 `apis/pkg/v1/package_types.go`, the validation of `package`; @v2.0.0 the same.
pub(super) const NAME_RULE: &str =
    "must be a fully qualified image name, including the registry, repository, and tag or digest";

/// The pattern that the validation requires.
static FORM: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[^\./]+(\.[^\./]+)+(/[^/:@]+)+(:[^:@]+(@sha256.+)?|@sha256.+)$").ok());

/// True if the CRDs of a release validate package names; `None` if the version is unknown.
pub fn validates_names(version: &ProgramVersion) -> Option<bool> {
    version.has(full_names_required_since()?)
}

/// Error of the API server for a `spec.package`, with the correction; `None` for a valid name.
///
/// ```
/// use hostnet::xpkg::name_refusal;
/// assert_eq!(name_refusal("172.18.0.5:5000/function-a:v1"), None);
/// assert!(name_refusal("localhost:5000/function-a:v1").is_some());
/// ```
pub fn name_refusal(package: &str) -> Option<String> {
    if FORM.as_ref().is_none_or(|form| form.is_match(package)) {
        return None;
    }
    let image = ImageRef::split(package);
    let host = match image.registry {
        None => Some("it has no registry: write one".to_owned()),
        Some(host) if !host.split(':').next().is_some_and(|name| name.contains('.')) => Some(format!(
            "`{host}` has no dot: name the registry by its domain or its IPv4 address, such as `172.18.255.5:5000`"
        )),
        Some(_) => None,
    };
    let version = (image.tag.is_none() && image.digest.is_none())
        .then(|| format!("it has no tag and no digest: add one, such as `{package}:v1.0.0`"));
    let digest = image.digest.filter(|digest| !digest.starts_with("sha256:"));
    let digest = digest.map(|digest| {
        format!("its digest `{digest}` does not begin with `sha256:`: write the sha256 digest, or the tag alone")
    });
    let mut why: Vec<String> = host.into_iter().chain(version).chain(digest).collect();
    if why.is_empty() {
        why.push("write it as `registry.example.com/team/package:v1.0.0`".to_owned());
    }
    Some(format!("`{NAME_RULE}`; {}", why.join("; ")))
}

/// The refusal of a name like [`name_refusal`]; `None` also for a text that is not a name, and for a text that is
/// filled in before the API server reads it.
pub fn certain_refusal(package: &str) -> Option<String> {
    let is_filled_in = package.contains('$') || ImageRef::read(ImageRef::split(package).name).is_err();
    if is_filled_in { None } else { name_refusal(package) }
}

#[cfg(test)]
mod tests {
    use super::name_refusal;

    /// Names with the results of the API server's validation.
    #[test]
    fn names_are_accepted_as_by_the_validation_of_crossplane() {
        let digest = format!("sha256:{}", "0".repeat(64));
        for taken in [
            "xpkg.crossplane.io/o/a:v1",
            "registry.ns.svc.cluster.local:5000/a:v1",
            "10.0.0.1:5000/o/p/a:v1",
            &format!("r.io/a@{digest}"),
            &format!("r.io/a:v1@{digest}"),
        ] {
            assert_eq!(name_refusal(taken), None, "{taken}");
        }
        for refused in [
            "o/a:v1",
            "a:v1",
            "localhost/a:v1",
            "localhost:5000/a:v1",
            "kind-registry:5000/o/a:v1",
            "[fd00::1]:5000/a:v1",
            "r.io/a",
            "r.io:5000/a",
            "r.io/a:",
            "r.io/a@sha512:00",
            "r.io/a:v1@sha512:00",
        ] {
            let message = name_refusal(refused).unwrap_or_default();
            assert!(message.contains("must be a fully qualified image name"), "{refused}: {message}");
        }
    }
}
