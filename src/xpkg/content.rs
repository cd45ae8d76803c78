//! Parses `package.yaml`.

use std::fmt;

use super::refused_field::{FieldRefusal, field_refusals, field_text};
use crate::catalog::{KNOWN_PACKAGE_KINDS, PACKAGE_SCHEMES};
use crate::dependency::NeededPackage;
use crate::version::ProgramVersion;
use lossless_yaml::{NodeRef, Path, Tree};

/// The API group of package metadata.
pub(super) const META: &str = "meta.pkg.crossplane.io";

/// Package metadata: the object that makes an image a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageMeta {
    /// The API version, such as `v1`.
    pub version: String,
    /// `Provider`, `Configuration` or `Function`.
    pub kind: String,
    /// The supported Crossplane versions, as written.
    pub crossplane: Option<String>,
    /// The dependencies.
    pub depends_on: Vec<Dependency>,
    /// The image that Crossplane up to v1.20 runs instead of the package's own, as written.
    pub runtime_image: Option<String>,
}

/// A dependency of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Registry and path.
    pub package: String,
    /// The accepted versions, as written.
    pub version: String,
    /// True for a dependency by `apiVersion`, `kind` and `package` alone.
    pub is_by_kind: bool,
}

/// The first release with dependencies by `apiVersion`, `kind` and `package`; older ones read an empty name. Source:
/// crossplane/crossplane@v1.18.0 and @v1.19.0 `internal/controller/pkg/revision/dependency.go`, `Resolve`.
const KINDS_SINCE: &str = "v1.19.0";

/// The first release with dependencies by digest; older ones parse the digest as a range of versions. Source:
/// crossplane/crossplane@v1.17.6 and @v1.18.0 `internal/controller/pkg/resolver/reconciler.go`.
const DIGESTS_SINCE: &str = "v1.18.0";

impl Dependency {
    /// The first release that resolves a dependency in this form; `None` if all known releases do.
    pub fn since(&self) -> Option<&'static str> {
        let is_digest = || NeededPackage { name: &self.package, range: &self.version }.is_digest();
        if self.is_by_kind { Some(KINDS_SINCE) } else { is_digest().then_some(DIGESTS_SINCE) }
    }
}

/// An object of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageObject {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) name: String,
    /// Values that the CRDs of some releases refuse.
    pub(super) refusals: Vec<FieldRefusal>,
}

/// The documents of a `package.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) metas: Vec<PackageMeta>,
    pub(super) objects: Vec<PackageObject>,
}

/// Error of a `package.yaml`, in the words of Crossplane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ContentError {
    /// The file cannot be read to its end.
    Cut(String),
    /// The release does not know the kind of an object.
    UnknownKind(String),
    /// A document cannot be parsed.
    Unread(String),
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Cut(message) | Self::UnknownKind(message) | Self::Unread(message)) = self;
        f.write_str(message)
    }
}

/// Parses a `package.yaml` like a release of Crossplane.
///
/// Source: crossplane-runtime@v2.3.3 `pkg/xpkg/parser/parser.go`; k8s.io/apimachinery@v0.35.1
/// `pkg/util/yaml/decoder.go`, `YAMLReader`.
///
/// # Errors
/// The release's error for the first invalid document.
pub(super) fn parse(bytes: &[u8], version: &ProgramVersion) -> Result<Content, ContentError> {
    let text = String::from_utf8_lossy(bytes);
    let mut content = Content::default();
    let mut document = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix("---") {
            let rest = rest.trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                return Err(ContentError::Unread(format!("invalid Yaml document separator: {rest}")));
            }
            if !document.is_empty() {
                content.add(&std::mem::take(&mut document), version)?;
                continue;
            }
        }
        document.push_str(line);
    }
    content.add(&document, version)?;
    Ok(content)
}

/// Maximum bytes of a document in an error; each package may have an error for each release.
const QUOTED: usize = 1_000;

/// Shortens a document for an error.
fn quoted(document: &str) -> String {
    match document.split_at_checked(document.floor_char_boundary(QUOTED)) {
        Some((start, rest)) if !rest.is_empty() => format!("{start}…"),
        _ => document.to_owned(),
    }
}

/// True if a document has no content.
fn is_empty(document: &str) -> bool {
    document.split('\n').map(str::trim_start).all(|line| matches!(line, "" | "---" | "...") || line.starts_with('#'))
}

impl Content {
    /// Adds a document of `package.yaml`; an error if the parser of the release rejects the document.
    fn add(&mut self, document: &str, version: &ProgramVersion) -> Result<(), ContentError> {
        if is_empty(document) {
            return Ok(());
        }
        let tree = Tree::parse(document).map_err(|error| ContentError::Unread(format!("yaml: {error}")))?;
        let root = tree.root(0);
        let text = |key: &str| root.and_then(|root| root.get(key)).and_then(NodeRef::non_null_text).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let document = quoted(document);
        for (field, value) in [("Kind", kind), ("apiVersion", api_version)] {
            if value.is_empty() {
                return Err(ContentError::Unread(format!("Object '{field}' is missing in '{document}'")));
            }
        }
        let (group, number) = api_version.split_once('/').unwrap_or(("", api_version));
        let is_known = KNOWN_PACKAGE_KINDS.iter().any(|row| {
            row.group == group
                && row.version == number
                && row.kinds.contains(&kind)
                && version.has(row.since) != Some(false)
        });
        if !is_known {
            let known = PACKAGE_SCHEMES.iter().rev().find(|(since, _)| version.has(since) != Some(false));
            let scheme = known.or_else(|| PACKAGE_SCHEMES.first()).map(|(_, name)| *name).unwrap_or_default();
            return Err(ContentError::UnknownKind(format!(
                "no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"{scheme}\""
            )));
        }
        match root.filter(|_| group == META) {
            Some(root) => self.metas.push(PackageMeta::read(root, number, kind)),
            None => self.objects.push(PackageObject {
                group: group.to_owned(),
                kind: kind.to_owned(),
                name: root.and_then(|root| field_text(root, "metadata.name")).unwrap_or_default().to_owned(),
                refusals: root.map(|root| field_refusals(root, (group, number, kind))).unwrap_or_default(),
            }),
        }
        Ok(())
    }
}

impl PackageMeta {
    fn read(root: NodeRef<'_, '_>, version: &str, kind: &str) -> Self {
        let text = |path: &str| field_text(root, path).map(str::to_owned);
        let list = root.lookup(&Path::dotted("spec.dependsOn"));
        let needed = list.into_iter().flat_map(NodeRef::items).filter_map(|dependency| {
            let text = |key: &str| dependency.get(key).and_then(NodeRef::non_null_text);
            let of_kind = ["provider", "configuration", "function"].into_iter().find_map(text);
            let package = text("package").or(of_kind)?.to_owned();
            let version = text("version").unwrap_or_default().to_owned();
            Some(Dependency { package, version, is_by_kind: of_kind.is_none() })
        });
        Self {
            version: version.to_owned(),
            kind: kind.to_owned(),
            crossplane: text("spec.crossplane.version"),
            depends_on: needed.collect(),
            runtime_image: match kind {
                "Provider" => text("spec.controller.image"),
                "Function" => text("spec.image"),
                _ => None,
            },
        }
    }
}
