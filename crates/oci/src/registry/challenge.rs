//! Parses `WWW-Authenticate` challenges of registries.
//!
//! Source: RFC 9110 section 11.6.1; distribution/distribution@v3.0.0 `docs/content/spec/auth/token.md`.

use std::collections::BTreeMap;

/// A challenge: lower-case scheme, and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) scheme: String,
    pub(super) parameters: BTreeMap<String, String>,
}

impl Challenge {
    /// Parses a header: `Bearer realm="https://auth…",service="registry",scope="…"`.
    pub(super) fn read(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        let mut parameters = BTreeMap::new();
        let mut rest = rest.trim_start();
        while let Some((name, after)) = rest.split_once('=') {
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_once(',').unwrap_or((after, "")),
            };
            parameters.entry(name.trim().to_ascii_lowercase()).or_insert_with(|| value.to_owned());
            rest = after.trim_start().trim_start_matches(',').trim_start();
        }
        (!scheme.is_empty()).then(|| Self { scheme: scheme.to_ascii_lowercase(), parameters })
    }
}

#[cfg(test)]
mod tests {
    use super::Challenge;

    #[test]
    fn parameters_are_read_in_and_out_of_quotes() {
        let read =
            Challenge::read(r#"Bearer realm="https://a.io/t?x=1,2",service=registry, scope="repository:a/b:pull""#)
                .unwrap();
        assert_eq!(read.scheme, "bearer");
        assert_eq!(read.parameters["realm"], "https://a.io/t?x=1,2");
        assert_eq!(
            (read.parameters["service"].as_str(), read.parameters["scope"].as_str()),
            ("registry", "repository:a/b:pull")
        );
        assert_eq!(Challenge::read("Basic").unwrap().parameters.len(), 0);
        assert_eq!(Challenge::read(""), None);
    }
}
