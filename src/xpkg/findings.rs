//! Findings about an image's layers; `others` are the releases that were not requested.

use super::check_options::{CheckOptions, Depth};
use super::content::{Content, ContentError};
use super::era::{ERAS, Era};
use super::image::{FetchError, PackageImage};
use super::lint::{Flaw, refused_fields, taken_since, unread_dependencies};
use super::lookup::{ANNOTATION, BASE, LookupError, PackageFile, ReadError, anywhere, bases, validate};
use super::whole_name::whole_name;
use crate::catalog::DEFAULT_REGISTRIES;
use crate::dependency::{Library, range_error};
use crate::plan::listed;
use crate::rule::Severity;
use crate::version::ProgramVersion;
use crate::word_enum::word_enum;
use oci::name::ImageRef;
use oci::{Descriptor, Platform};

word_enum! {
    /// The subject of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum About {
        /// The package could not be read.
        NoAnswer = "no-answer",
        /// The source does not exist.
        NotFound = "not-found",
        /// The API server rejects the name in an object.
        Name = "name",
        /// The index has no image for linux/amd64.
        WrongPlatform = "wrong-platform",
        /// No layer contains `package.yaml`.
        NotAPackage = "not-a-package",
        /// The annotated layer lacks `package.yaml`.
        WrongLayer = "wrong-layer",
        /// The file has a name that releases do not look for.
        FileName = "file-name",
        /// Several layers have the annotation.
        TwoBases = "two-bases",
        /// A blob is missing.
        BlobMissing = "blob-missing",
        /// A blob does not match its digest.
        BlobAltered = "blob-altered",
        /// A layer has a compression that old releases do not read.
        Packing = "packing",
        /// A layer is not a valid archive of distinct files.
        Layer = "layer",
        /// Another file hides `package.yaml`.
        HiddenBy = "hidden-by",
        /// The content is invalid.
        Content = "content",
        /// The content has no package metadata, or more than one.
        NotOneMeta = "not-one-meta",
        /// The package is of another kind.
        WrongKind = "wrong-kind",
        /// The package contains an object that its kind does not allow.
        Objects = "objects",
        /// The package does not support the release.
        Release = "release",
        /// The annotation was lost in a copy.
        AnnotationLost = "annotation-lost",
        /// The image never had an annotation.
        NeverAnnotated = "never-annotated",
        /// The index has one platform.
        SinglePlatform = "single-platform",
        /// The index names no platform of an image.
        UnknownPlatform = "unknown-platform",
        /// The package sets its own controller image.
        ControllerImage = "controller-image",
        /// The image has no entrypoint or command.
        NoProgram = "no-program",
        /// The digest differs from the recorded one.
        Digest = "digest",
        /// A dependency is missing, or has no accepted version.
        Dependency = "dependency",
        /// A signature or attestation to verify is missing.
        Signature = "signature",
    }
}

impl About {
    /// True if the bytes are damaged.
    pub fn is_damage(self) -> bool {
        matches!(self, Self::BlobMissing | Self::BlobAltered)
    }
}

/// A finding about a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The subject.
    pub about: About,
    /// The message.
    pub message: String,
}

/// Creates a finding about a part of the package.
fn finding(severity: Severity, about: About, message: impl Into<String>) -> Finding {
    Finding { severity, about, message: message.into() }
}

/// Maximum number of objects that a finding names.
const NAMED: usize = 3;

/// The remedy for copies that change manifests.
const COPY: &str = "copy it with `crane copy`, `regctl image copy` or `skopeo copy --all --preserve-digests`";

/// Findings for an image that cannot be read.
pub(super) fn unreadable_image_findings(unfetched: &FetchError) -> Vec<Finding> {
    vec![match unfetched {
        FetchError::Missing(error) => finding(Severity::Error, About::NotFound, format!("not found: {error}")),
        FetchError::Broken(error) => {
            finding(Severity::Error, About::BlobMissing, format!("the manifest cannot be read: {error}"))
        }
        FetchError::NoPlatform { platforms, .. } => {
            let has = match platforms.as_slice() {
                [] => "no image at all".to_owned(),
                some => some.iter().map(Platform::to_string).collect::<Vec<_>>().join(", "),
            };
            let message = format!(
                "wrong platform: Crossplane's core reads the image for linux/amd64, whatever platform its nodes are, and the index has {has}; \
                 copy all platforms"
            );
            finding(Severity::Error, About::WrongPlatform, message)
        }
    }]
}

/// Findings about an image's layers; `others` are the other releases.
pub(super) fn image_findings(
    image: &PackageImage<'_>,
    known: &[(&Era, Result<PackageFile, LookupError>)],
    others: &[(&Era, Result<PackageFile, LookupError>)],
    depth: Depth,
) -> Vec<Finding> {
    let mut all = Vec::new();
    let bases = bases(image);
    blobs(image, &bases, known, depth, &mut all);
    let is_broken = all.iter().any(|finding| finding.about.is_damage() && finding.severity == Severity::Error);
    if bases.len() > 1 && known.iter().any(|(era, _)| era.validates) {
        let message = format!(
            "two bases: {} layers are annotated `{ANNOTATION}: {BASE}`, and releases up to v2.1 allow one",
            bases.len()
        );
        all.push(finding(Severity::Warning, About::TwoBases, message));
    }
    let files = if known.iter().any(|(_, found)| found.is_err()) && !is_broken { anywhere(image) } else { Vec::new() };
    if known.iter().all(|(_, found)| found.is_err())
        && !is_broken
        && all.iter().all(|finding| !matches!(finding.about, About::Packing | About::Layer))
    {
        report_missing_package_yaml(image, &bases, &files, known, &mut all);
    } else if all.is_empty()
        && known.iter().any(|(era, found)| era.is_exact && found.is_err())
        && let Some((_, name)) = files.first()
    {
        let message =
            format!("the file is called `{name}`, but releases up to v1.20 read only a file called `package.yaml`");
        all.push(finding(Severity::Warning, About::FileName, message));
    }
    report_different_files(known, others, &mut all);
    if bases.is_empty() && known.iter().any(|(_, found)| found.is_ok()) {
        all.push(annotation(image, known));
    }
    all
}

/// Finding about an image with one platform only, or with platforms that are not known. Not for Configurations, which
/// have no pods. One platform of a local file is not reported, since the file may become part of an index.
pub(super) fn platforms(image: &PackageImage<'_>, kind: &str) -> Option<Finding> {
    if image.is_unknown() {
        let message = format!(
            "unknown platform: the index has {} without `platform`. Crossplane reads the first one as linux/amd64; which nodes can run the package is \
             not known: push the index again with `platform` in each entry",
            if image.unnamed == 1 { "one image".to_owned() } else { format!("{} images", image.unnamed) }
        );
        return (kind != "Configuration").then(|| finding(Severity::Warning, About::UnknownPlatform, message));
    }
    let (subject, only) = match image.platforms.as_deref() {
        // Variants of a processor, such as v2 of amd64, are one platform.
        Some([only, rest @ ..]) if image.unnamed == 0 && rest.iter().all(|other| other == only) => {
            ("the index has", only.clone())
        }
        Some([]) => ("the index has", image.own_platform()?),
        None if image.store.is_as_pushed() => ("the image is for", image.own_platform()?),
        _ => return None,
    };
    let message = format!("single platform: {subject} only {only}, and nodes of other platforms cannot run it");
    (kind != "Configuration").then(|| finding(Severity::Warning, About::SinglePlatform, message))
}

/// Names a layer in messages: `layer 2 of 3 (sha256:…)`.
fn layer_name(image: &PackageImage<'_>, at: usize, layer: &Descriptor) -> String {
    format!("layer {} of {} ({})", at + 1, image.manifest.layers.len(), layer.digest)
}

/// Reports layers that are missing or damaged.
fn blobs(
    image: &PackageImage<'_>,
    bases: &[usize],
    known: &[(&Era, Result<PackageFile, LookupError>)],
    depth: Depth,
    all: &mut Vec<Finding>,
) {
    let is_lost = bases.is_empty();
    for (at, layer) in image.manifest.layers.iter().enumerate() {
        let is_base = bases.first() == Some(&at);
        let name = layer_name(image, at, layer);
        if let Err(error) = image.store.has(layer) {
            let (severity, reason) = match (is_base || is_lost, depth) {
                (true, _) => (Severity::Error, "and Crossplane reads it"),
                (false, Depth::Full) => (Severity::Error, "and nodes cannot run the image"),
                (false, Depth::Needed) => (
                    Severity::Warning,
                    "so nodes cannot run the image; Crossplane does not read it, and reports nothing",
                ),
            };
            all.push(finding(
                severity,
                About::BlobMissing,
                format!("blob missing: {name} is not in the registry, {reason}: {error}"),
            ));
            continue;
        }
        if !is_base && depth == Depth::Needed {
            continue;
        }
        let Err(error) = validate(image, at) else { continue };
        let is_read = is_base || is_lost;
        match error {
            ReadError::Altered(_) => {
                let message = format!("blob altered: {name} does not match its digest: {error}; {COPY} again");
                all.push(finding(Severity::Error, About::BlobAltered, message));
            }
            ReadError::NotGzip => {
                if is_read && known.iter().any(|(era, _)| era.validates) {
                    let message = format!("{name} is not compressed with gzip, and releases up to v2.1 read only gzip");
                    all.push(finding(Severity::Warning, About::Packing, message));
                }
            }
            ReadError::End | ReadError::Other(_) if is_read => {
                let message = format!("{name} is not an archive of distinct files: {error}");
                all.push(finding(Severity::Warning, About::Layer, message));
            }
            ReadError::End | ReadError::Other(_) => {}
        }
    }
}

/// Explains why no release finds `package.yaml`.
fn report_missing_package_yaml(
    image: &PackageImage<'_>,
    bases: &[usize],
    files: &[(usize, String)],
    known: &[(&Era, Result<PackageFile, LookupError>)],
    all: &mut Vec<Finding>,
) {
    let place = |at: usize| image.manifest.layers.get(at).map(|layer| layer_name(image, at, layer)).unwrap_or_default();
    let message = match (bases.first(), files.first()) {
        (Some(base), Some((at, name))) if at != base => {
            let message = format!(
                "the annotated layer, {}, has no package.yaml; {} has `{name}`, and Crossplane does not read that layer if another \
                 one is annotated",
                place(*base),
                place(*at)
            );
            all.push(finding(Severity::Error, About::WrongLayer, message));
            return;
        }
        (_, Some((at, name))) => {
            let message =
                format!("`{name}` of {} is not found under that name, or is hidden by a layer above it", place(*at));
            all.push(finding(Severity::Error, About::FileName, message));
            return;
        }
        (_, None) => match image.config().map(|config| config.config.entrypoint.first()) {
            Ok(Some(program)) => format!(
                "not a package: no layer has package.yaml. The image runs `{program}`: this is the controller image, and the package is another \
                 image, mostly without `-controller` in its name"
            ),
            _ => "not a package: no layer has package.yaml".to_owned(),
        },
    };
    let cause = known.iter().find_map(|(_, found)| found.as_ref().err()?.cause.clone());
    match cause {
        Some(cause) => {
            let message = format!(
                "a layer cannot be read, and releases from v2.2 on report a missing package.yaml instead: {cause}"
            );
            all.push(finding(Severity::Error, About::Layer, message));
        }
        None => all.push(finding(Severity::Error, About::NotAPackage, message)),
    }
}

/// Reports releases that read different files. A warning if one release was requested, since its result already covers
/// the file that it reads.
fn report_different_files(
    known: &[(&Era, Result<PackageFile, LookupError>)],
    others: &[(&Era, Result<PackageFile, LookupError>)],
    all: &mut Vec<Finding>,
) {
    let mut found: Vec<(&Era, &PackageFile)> =
        known.iter().chain(others).filter_map(|(era, found)| Some((*era, found.as_ref().ok()?))).collect();
    found.sort_by_key(|(era, _)| ERAS.iter().position(|known| known == *era));
    let Some(((_, first), rest)) = found.split_first() else { return };
    if let Some((era, other)) = rest.iter().find(|(_, other)| other.bytes != first.bytes) {
        let message = format!(
            "hidden by a file of another layer: releases {} read `{}`, and older releases `{}`; annotate the package's layer, or remove the other file",
            era.name, other.name, first.name
        );
        let severity = if others.is_empty() { Severity::Error } else { Severity::Warning };
        all.push(finding(severity, About::HiddenBy, message));
    }
}

/// Reports a missing annotation: its cost, and whether a copy removed it.
fn annotation(image: &PackageImage<'_>, known: &[(&Era, Result<PackageFile, LookupError>)]) -> Finding {
    let sizes: u64 = image.manifest.layers.iter().map(|layer| layer.size).sum();
    let prefix = format!("{ANNOTATION}:");
    let labels = image.config().map(|config| config.config.labels.clone()).unwrap_or_default();
    let was_annotated = labels.iter().any(|(key, value)| key.starts_with(&prefix) && value == BASE);
    let at = known.iter().find_map(|(_, found)| found.as_ref().ok()).map_or(0, |found| found.layer);
    let layer_size = image.manifest.layers.get(at).map(|layer| layer.size).unwrap_or_default();
    let cost = format!(
        "Crossplane up to v2.1 has to read all {sizes} bytes of the layers within three minutes, and later releases \
         the layers from the top to the layer with package.yaml; with an annotated layer all releases read \
         {layer_size} bytes"
    );
    if was_annotated {
        let message = format!(
            "annotation lost in a copy: the image's config names the layer that was `{BASE}`, and no layer is annotated. {cost}; {COPY}"
        );
        return finding(Severity::Warning, About::AnnotationLost, message);
    }
    finding(
        Severity::Info,
        About::NeverAnnotated,
        format!("annotation missing: no layer has `{ANNOTATION}: {BASE}`, and the image was built without it. {cost}"),
    )
}

/// Finding about content that a release cannot parse.
pub(super) fn unread(era: &Era, releases: &str, error: &ContentError) -> Finding {
    let (severity, message) = match error {
        ContentError::Cut(error) => (Severity::Error, format!("package.yaml ends early: {error}")),
        ContentError::UnknownKind(error) => {
            // Old releases reject kinds that later releases introduce.
            let severity = if era.last == ERAS[2].last { Severity::Error } else { Severity::Warning };
            let message =
                format!("unknown kind: Crossplane {releases} does not know an object of package.yaml: {error}");
            (severity, message)
        }
        ContentError::Unread(error) => (Severity::Error, format!("package.yaml cannot be read: {error}")),
    };
    finding(severity, About::Content, message)
}

/// Finding about content that releases reject; `version` is one of them.
pub(super) fn rejected_content_finding(
    flaw: Flaw,
    (version, releases): (&str, &str),
    content: &Content,
    options: CheckOptions<'_>,
) -> Finding {
    let meta = content.metas.first();
    let kind = meta.map(|meta| meta.kind.as_str()).unwrap_or_default();
    match flaw {
        Flaw::Metas => {
            let message = format!(
                "package.yaml has {} objects of meta.pkg.crossplane.io, and a package has exactly one",
                content.metas.len()
            );
            finding(Severity::Error, About::NotOneMeta, message)
        }
        Flaw::Kind => {
            let message = format!("wrong kind: it is a {kind}, but a {} names it", options.kind.unwrap_or_default());
            finding(Severity::Error, About::WrongKind, message)
        }
        Flaw::Version => {
            let (version, since) = meta.map_or(("", None), |meta| (meta.version.as_str(), taken_since(meta)));
            let since = since.unwrap_or_default();
            let message = format!(
                "too new: Crossplane {releases} accepts no {kind} of meta.pkg.crossplane.io/{version} as a package, though its \
                 parser knows the kind; {since} is the first that does"
            );
            finding(Severity::Warning, About::Objects, message)
        }
        Flaw::Range => {
            let range = meta.and_then(|meta| meta.crossplane.as_deref()).unwrap_or_default();
            let comma = "a range that Crossplane up to v2.2 reads: put a comma between its constraints";
            let expected =
                if range_error(range, Library::New).is_none() { comma } else { "a range of Crossplane's versions" };
            finding(Severity::Error, About::Release, format!("`{range}` is not {expected}"))
        }
        Flaw::Object => {
            let kinds: std::collections::BTreeSet<&str> =
                content.objects.iter().map(|object| object.kind.as_str()).collect();
            let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!("Crossplane {releases} does not accept all objects of this {kind}: {kinds}");
            finding(Severity::Warning, About::Objects, message)
        }
        Flaw::Release => {
            let range = meta.and_then(|meta| meta.crossplane.as_deref()).unwrap_or_default();
            finding(Severity::Info, About::Release, format!("does not fit Crossplane {releases}: it is for `{range}`"))
        }
        Flaw::Field => refused_objects((version, releases), content),
        Flaw::Dependency => {
            let version = ProgramVersion::read(version);
            let late = meta.into_iter().flat_map(|meta| unread_dependencies(meta, &version)).filter_map(|dependency| {
                let form = if dependency.is_by_kind { "`apiVersion`, `kind` and `package`" } else { "digest" };
                Some(format!("{} by {form} ({} is the first)", dependency.package, dependency.since()?))
            });
            let message = format!(
                "Crossplane {releases} does not resolve all dependencies of this {kind}: {}; `skipDependencyResolution: true` in the object \
                 avoids it",
                late.collect::<Vec<_>>().join(", ")
            );
            finding(Severity::Warning, About::Dependency, message)
        }
    }
}

/// Finding about the objects of a package whose values the CRDs of releases refuse; `version` is one of them.
fn refused_objects((version, releases): (&str, &str), content: &Content) -> Finding {
    let version = ProgramVersion::read(version);
    let refused = refused_fields(content, &version);
    let refused = refused.map(|(object, refusal)| format!("{} {}: {}", object.kind, object.name, refusal.error));
    let named = listed(refused.collect::<Vec<_>>().iter(), NAMED);
    let message = format!("the CRDs of Crossplane {releases} refuse objects of package.yaml: {named}");
    finding(Severity::Warning, About::Objects, message)
}

/// Finding about an image with too many layers, which is not read further.
pub(super) fn too_many_layers(count: usize, max: usize) -> Finding {
    finding(Severity::Error, About::Layer, format!("the image has {count} layers; more than {max} are not read"))
}

/// Finding about a runtime image that old releases run instead of the package's own.
pub(super) fn runtime_image(image: &str, version: Option<&str>) -> Finding {
    // Source: crossplane/crossplane@v1.20.0 `internal/controller/pkg/revision/runtime_provider.go`, `getProviderImage`.
    if ImageRef::read(image).is_err() {
        let message = format!(
            "package.yaml names `{image}` as its image, which is not the name of an image. Crossplane v1.20 reports \
             `cannot parse provider package image` and starts no pod, and older releases start a pod that cannot pull \
             it; build the package without this field"
        );
        // Other releases do not use the field.
        let severity = if version.is_some() { Severity::Warning } else { Severity::Info };
        return finding(severity, About::ControllerImage, message);
    }
    let names = match version {
        Some(version) => format!("`{}`", whole_name(image, Some(version))),
        None => runtime_names(image),
    };
    let written = if names == format!("`{image}`") { String::new() } else { format!(" (`{image}` in package.yaml)") };
    let message = format!(
        "up to v1.20 Crossplane runs {names}{written} instead of the package's own image, and no ImageConfig rewrites that name: copy it too, and name the \
         copy in a DeploymentRuntimeConfig"
    );
    finding(Severity::Info, About::ControllerImage, message)
}

/// Describes the different meanings of a name without registry per release line.
fn runtime_names(image: &str) -> String {
    if !ImageRef::split(image).is_unqualified() {
        return format!("`{image}`");
    }
    let rows = DEFAULT_REGISTRIES.iter().filter(|row| !row.registry.is_empty());
    let names = rows.map(|row| format!("`{}/{image}` (from {})", row.registry, row.since));
    names.collect::<Vec<_>>().join(", ")
}

/// Finding about a package with pods whose image has no entrypoint or command.
pub(super) fn no_program(image: &PackageImage<'_>) -> Option<Finding> {
    let config = &image.config().ok()?.config;
    let message = "no program: the image has neither Entrypoint nor Cmd, so its pod cannot start (`no command specified`); build the package with its \
                   runtime image inside (`crossplane xpkg build --embed-runtime-image`), or name an image in a DeploymentRuntimeConfig";
    (config.entrypoint.is_empty() && config.cmd.is_empty())
        .then(|| finding(Severity::Warning, About::NoProgram, message))
}
