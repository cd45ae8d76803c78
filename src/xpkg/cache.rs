//! File names in Crossplane's package cache.
//!
//! Source: crossplane-runtime@v2.3.3 `pkg/xpkg/name.go`, `cache.go` and `client.go`; crossplane/crossplane@v1.20.11
//! `internal/controller/pkg/revision/reconciler.go`.

use crate::catalog::CACHE_BY_DIGEST_SINCE;
use crate::version::ProgramVersion;
use oci::name::ImageRef;

/// Maximum bytes of the name part, since v2.2.
const NAME: usize = 50;

/// Bytes of the digest part: `sha256:` and five digits.
const DIGEST: usize = 12;

/// The cache file of a package with `packagePullPolicy: Never` in a release of Crossplane; `digest` is the manifest
/// digest.
pub fn file_of_release(version: &str, source: &str, digest: &str) -> String {
    let version = ProgramVersion::read(version);
    if version.has(CACHE_BY_DIGEST_SINCE) == Some(false) { pre_cached_file(source) } else { cache_file(source, digest) }
}

/// The cache file of a package since v2.2.
///
/// ```
/// use hostnet::xpkg::cache_file;
/// let digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
/// let file = cache_file("xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.6.0", digest);
/// assert_eq!(file, "xpkg-crossplane-io-crossplane-contrib-provider-aws-sha256-01234.gz");
/// ```
pub fn cache_file(source: &str, digest: &str) -> String {
    let image = ImageRef::split(source);
    let name = if image.digest.is_some() { ImageRef::without_digest(source) } else { image.name };
    let whole = format!("{}-{}", truncated(name, NAME), truncated(digest, DIGEST));
    let last = whole.len().saturating_sub(1);
    let kept = whole.char_indices().filter_map(|(at, letter)| match letter {
        'a'..='z' | '0'..='9' => Some(letter),
        '.' | '/' | ':' | '-' if at != 0 && at != 62 && at != last => Some('-'),
        _ => None,
    });
    format!("{}.gz", kept.collect::<String>().trim_matches('-'))
}

/// The cache file of a package with `packagePullPolicy: Never` up to v2.1: the reference without the part after the
/// last dot.
///
/// ```
/// use hostnet::xpkg::pre_cached_file;
/// assert_eq!(pre_cached_file("r.io/o/p:v1.2.3"), "r.io/o/p:v1.2.gz");
/// assert_eq!(pre_cached_file("r.io/o/p:v1"), "r.io/o/p:v1.gz");
/// ```
pub fn pre_cached_file(source: &str) -> String {
    let last = source.rfind('/').map_or(0, |slash| slash + 1);
    let dot = source.get(last..).and_then(|end| end.rfind('.')).map(|dot| last + dot);
    format!("{}.gz", dot.and_then(|dot| source.get(..dot)).unwrap_or(source))
}

/// First bytes of a text, at a character boundary.
fn truncated(text: &str, length: usize) -> &str {
    text.get(..length).unwrap_or(text)
}
