//! Results of Crossplane's releases for the content of a package.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::check_options::CheckOptions;
use super::content::{Content, ContentError, Dependency, PackageMeta, parse};
use super::era::Era;
use super::findings::{self, Finding};
use super::lint::{Flaw, dependencies, fields, lint, release};
use super::lookup::PackageFile;
use crate::dependency::{Library, boundaries};
use crate::version::ProgramVersion;
use oci::Store;

/// The result for one release, or for releases of one era.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseResult {
    /// The release, or the era's name.
    pub crossplane: String,
    /// The condition message on the package or its revision; `None` if the package installs.
    pub message: Option<String>,
    /// True if the package declares that it does not support these releases.
    pub is_for_others: bool,
    /// True if later releases of the same era have another result.
    pub is_older: bool,
}

/// Metadata of the package, and findings about its content, from the releases checked so far.
#[derive(Default)]
pub(super) struct CheckedContent {
    pub(super) meta: Option<PackageMeta>,
    pub(super) flaws: Vec<Finding>,
}

/// The check of a content by the releases of an era.
#[derive(Clone, Copy)]
pub(super) struct ContentCheck<'c> {
    pub(super) store: &'c dyn Store,
    pub(super) found: &'c PackageFile,
    pub(super) era: &'c Era,
    pub(super) options: CheckOptions<'c>,
}

/// The content as a release parses it, and the release's refusal of it.
struct Parsed {
    content: Content,
    refusal: Option<ReleaseRefusal>,
}

/// The reason why a release refuses a content, and Crossplane's message.
#[derive(Clone, PartialEq, Eq)]
struct ReleaseRefusal {
    cause: Cause,
    message: String,
}

#[derive(Clone, PartialEq, Eq)]
enum Cause {
    Unread(ContentError),
    Flaw(Flaw),
}

impl ReleaseRefusal {
    fn new((flaw, message): (Flaw, String)) -> Self {
        Self { cause: Cause::Flaw(flaw), message }
    }

    /// True if both refusals are the same for the user: messages about unsupported releases differ
    /// only in the release.
    fn is_like(&self, other: &Self) -> bool {
        self == other || self.cause == Cause::Flaw(Flaw::Release) && self.cause == other.cause
    }
}

impl ContentCheck<'_> {
    /// The result of the requested release; without a requested release, one result for each range
    /// of releases with equal results.
    pub(super) fn release_results(self, seen: &mut CheckedContent) -> Vec<ReleaseResult> {
        if let Some(version) = self.options.version {
            let parsed = self.parsed(version);
            let refusal = self.refusal(&parsed, version);
            return vec![self.release_result((version, version.to_owned()), &parsed, refusal, false, seen)];
        }
        let mut release_results = Vec::new();
        let mut start: Option<String> = None;
        let mut rest = self.results().into_iter().peekable();
        while let Some((since, parsed, refusal)) = rest.next() {
            let first = start.take().unwrap_or_else(|| since.clone());
            let next = rest.peek();
            let is_same = next.is_some_and(|(_, _, other)| match (&refusal, other) {
                (Some(one), Some(other)) => one.is_like(other),
                (one, other) => one.is_none() && other.is_none(),
            });
            if is_same {
                start = Some(first);
                continue;
            }
            let next = next.map(|(since, _, _)| since.as_str());
            let releases = self.era.display_name(&first, next);
            release_results.push(self.release_result((&since, releases), &parsed, refusal, next.is_some(), seen));
        }
        release_results
    }

    /// The results of an era, oldest first, each with its first release. The era is divided into
    /// its parts, and further by the releases that the package supports and by the forms of its
    /// dependencies.
    fn results(self) -> Vec<(String, Rc<Parsed>, Option<ReleaseRefusal>)> {
        let parts = self.era.parts();
        // All releases of a part give the same result, so the first release represents the part; the last part uses the
        // last release.
        let version = |at: usize| {
            if at + 1 == parts.len() { self.era.last } else { parts.get(at).copied().unwrap_or(self.era.last) }
        };
        let (first, last) =
            (Rc::new(self.parsed(version(0))), Rc::new(self.parsed(version(parts.len().saturating_sub(1)))));
        // Later releases of an era only accept more, so parts between two equal results share that result.
        let is_equal = first.refusal == last.refusal;
        let mut starts: BTreeMap<[u64; 3], (String, Rc<Parsed>)> = BTreeMap::new();
        for (at, since) in parts.iter().enumerate() {
            let parsed = if is_equal { Rc::clone(&last) } else { Rc::new(self.parsed(version(at))) };
            starts.insert(numbers(since), ((*since).to_owned(), parsed));
        }
        for start in last.content.metas.first().map(|meta| self.starts(meta)).unwrap_or_default() {
            let [major, minor, patch] = start;
            let part = starts.range(..=start).next_back().map(|(_, (_, parsed))| Rc::clone(parsed));
            if let Some(parsed) = part {
                starts.entry(start).or_insert_with(|| (format!("v{major}.{minor}.{patch}"), parsed));
            }
        }
        let count = starts.len();
        let result = |(at, (since, parsed)): (usize, (String, Rc<Parsed>))| {
            let refusal = self.refusal(&parsed, if at + 1 == count { self.era.last } else { &since });
            (since, parsed, refusal)
        };
        starts.into_values().enumerate().map(result).collect()
    }

    /// Releases of the era from which the metadata may have another result.
    fn starts(self, meta: &PackageMeta) -> Vec<[u64; 3]> {
        let range = meta.crossplane.iter();
        let of_range = range.flat_map(|range| [Library::Old, Library::New].map(|library| boundaries(range, library)));
        let of_needs = meta.depends_on.iter().filter_map(Dependency::since).map(numbers);
        let era = numbers(self.era.since)..=numbers(self.era.last);
        of_range.flatten().chain(of_needs).filter(|start| era.contains(start)).collect()
    }

    /// Parses and lints the content like a release.
    fn parsed(self, version: &str) -> Parsed {
        let version = ProgramVersion::read(version);
        let content = match &self.found.cut {
            Some(cut) => Err(ContentError::Cut(cut.clone())),
            None => parse(&self.found.bytes, &version),
        };
        match content {
            Ok(content) => {
                let refusal = lint(&content, self.options.kind, &version).err().map(ReleaseRefusal::new);
                Parsed { content, refusal }
            }
            Err(error) => {
                let before = if self.era.validates {
                    "cannot parse package contents".to_owned()
                } else {
                    format!("cannot unpack package: cannot parse package {}", self.store.display_name())
                };
                let message = format!("{before}: {error}");
                let refusal = Some(ReleaseRefusal { cause: Cause::Unread(error), message });
                Parsed { content: Content::default(), refusal }
            }
        }
    }

    /// The refusal of a release: of the content, of its metadata, or of a value of an object.
    fn refusal(self, parsed: &Parsed, version: &str) -> Option<ReleaseRefusal> {
        let meta = parsed.content.metas.first();
        let of_meta = || {
            let (meta, release_version) = (meta?, ProgramVersion::read(version));
            let needs = || if self.options.is_resolved { dependencies(meta, &release_version) } else { Ok(()) };
            let installs = release(meta, version).and_then(|()| needs());
            installs.and_then(|()| fields(&parsed.content, &release_version)).err().map(ReleaseRefusal::new)
        };
        parsed.refusal.clone().or_else(of_meta)
    }

    /// The result of releases; `version` is one of them.
    fn release_result(
        self,
        (version, releases): (&str, String),
        parsed: &Parsed,
        refusal: Option<ReleaseRefusal>,
        is_older: bool,
        seen: &mut CheckedContent,
    ) -> ReleaseResult {
        if let [meta] = parsed.content.metas.as_slice() {
            seen.meta = Some(meta.clone());
        }
        let is_for_others = refusal.as_ref().is_some_and(|refusal| refusal.cause == Cause::Flaw(Flaw::Release));
        seen.flaws.extend(refusal.as_ref().map(|refusal| match &refusal.cause {
            Cause::Unread(error) => findings::unread(self.era, &releases, error),
            Cause::Flaw(flaw) => {
                findings::rejected_content_finding(*flaw, (version, &releases), &parsed.content, self.options)
            }
        }));
        ReleaseResult { crossplane: releases, message: refusal.map(|refusal| refusal.message), is_for_others, is_older }
    }
}

/// The numbers of a release, such as `v1.17.2`.
fn numbers(release: &str) -> [u64; 3] {
    let mut parts = release.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or_default());
    [(); 3].map(|()| parts.next().unwrap_or_default())
}
