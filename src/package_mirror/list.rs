//! What has to be in the mirror: every package and image that the input asks for.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::{Need, closed, needs_of};
use super::core;
use super::crossplane::{Unqualified, qualified, unqualified};
use super::dependencies::needs;
use super::facts::MirrorFacts;
use super::hinted;
use super::known::node_platforms;
use super::rules::MirrorRules;
use crate::api::KnownPackage;
use crate::crossplane::Core;
use crate::image::{DOCKER_HUB, ImageRef, Library};
use crate::model::{Meta, Model};
use crate::xpkg::library;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListedKind {
    /// A package: Crossplane's core reads it, and nodes run it.
    Package,
    /// An image: nodes run it.
    Image,
    /// A signature of a package, which the core verifies.
    Signature,
}

impl ListedKind {
    /// `package`, `image` or `signature`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Image => "image",
            Self::Signature => "signature",
        }
    }
}

/// Something that has to be in the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What it is.
    pub kind: ListedKind,
    /// The whole reference, with the registry that it means.
    pub source: String,
    /// Where a config leads it; none without a config, and for what no rule is about.
    pub target: Option<String>,
    /// Its digest, where that is known.
    pub digest: Option<String>,
    /// Who asks for it, sorted.
    pub used_by: Vec<String>,
    /// The kind of object that asks for a package.
    pub asked_as: Option<String>,
    /// Whether an ImageConfig of the input verifies the package.
    pub is_verified: bool,
}

/// What has to be in the mirror, and what cannot be said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// By kind, then by source; each once.
    pub entries: Vec<Listed>,
    /// What is not known, for a person.
    pub unknown: Vec<String>,
    /// Images in texts of which nobody here knows whether they are pulled, for a person.
    pub hints: Vec<String>,
    /// Names of packages that others need, and the ranges of versions, of which no version is known.
    pub open: Vec<(String, String)>,
    /// The platforms of the Nodes of the input.
    pub nodes: BTreeSet<String>,
    /// The version of Crossplane, where the config or the input says it.
    pub crossplane: Option<String>,
}

pub(super) struct Lister<'l> {
    pub(super) rules: Option<&'l MirrorRules<'l>>,
    known: &'l BTreeMap<String, KnownPackage>,
    library: Library,
    found: BTreeMap<(ListedKind, String), BTreeSet<String>>,
    pub(super) unknown: BTreeSet<String>,
    open: BTreeSet<(String, String)>,
    asked_as: BTreeMap<String, String>,
    verified: BTreeSet<String>,
}

/// Lists what the input asks for.
#[must_use]
pub fn list(model: &Model, facts: &MirrorFacts, rules: Option<&MirrorRules<'_>>) -> Listing {
    let none = BTreeMap::new();
    let spec = rules.map(|rules| &rules.config.mirror.spec);
    let core = Core::find(model, spec.and_then(|spec| spec.crossplane.version.as_deref()));
    let unqualified = unqualified(model, core.version());
    let known = spec.map_or(&none, |spec| &spec.packages);
    let mut lister = Lister {
        rules,
        known,
        library: library(core.version()),
        found: BTreeMap::new(),
        unknown: BTreeSet::new(),
        open: BTreeSet::new(),
        asked_as: BTreeMap::new(),
        verified: BTreeSet::new(),
    };
    let sources: Vec<String> =
        facts.packages.values().map(|package| qualified(&package.source, &unqualified)).collect();
    let present: BTreeSet<&str> = sources.iter().map(|source| ImageRef::of(source).name).collect();
    for (id, package) in &facts.packages {
        let Some(object) = model.object(*id) else { continue };
        let source = lister.source(&package.source, &unqualified, &object.meta);
        lister.package(&source, object.meta.to_string());
        lister.asked_as.insert(source.clone(), object.meta.gvk.kind.clone());
        if lister.known_needs(&source).is_none() {
            match needs(model, known, *id, &source) {
                Some(needs) => lister.needs_of_family(&present, &object.meta, &needs),
                None => lister.needs_unknown(&object.meta.to_string(), &source),
            }
        }
    }
    for own in core::installed(model) {
        let Some(object) = model.object(own.object) else { continue };
        for source in own.packages() {
            let source = lister.source(source, &unqualified, &object.meta);
            let user = format!("{}: container {}", object.meta, own.container);
            if lister.known_needs(&source).is_none() {
                lister.needs_unknown(&user, &source);
            }
            lister.asked_as.insert(source.clone(), own.kind.to_owned());
            lister.package(&source, user);
        }
    }
    for (id, fields) in &facts.images {
        let Some(object) = model.object(*id) else { continue };
        lister.images(*id, object, fields);
    }
    for (id, artifacts) in &facts.artifacts {
        let Some(object) = model.object(*id) else { continue };
        lister.artifacts(&object.meta, artifacts);
    }
    lister.close();
    lister.signatures(model);
    lister.one_place_for_two();
    let crossplane = core.said_by.is_some().then(|| core.version().to_string());
    let hints = hinted::said(model, facts, rules);
    Listing { nodes: node_platforms(model), hints, crossplane, ..lister.listing() }
}

impl Lister<'_> {
    pub(super) fn add(&mut self, kind: ListedKind, source: String, user: String) {
        self.found.entry((kind, source)).or_default().insert(user);
    }

    fn package(&mut self, source: &str, user: String) {
        self.add(ListedKind::Package, source.to_owned(), user);
    }

    /// A package's source with its registry.
    fn source(&mut self, source: &str, unqualified: &Unqualified, meta: &Meta) -> String {
        let whole = qualified(source, unqualified);
        if ImageRef::of(&whole).registry.is_none() {
            let why = match unqualified {
                _ if source.contains('$') => ", before it is filled in",
                Unqualified::Refused => ": Crossplane from v2.0.0 on refuses a name without one",
                Unqualified::Means(_) | Unqualified::Unknown => ", without the version of Crossplane",
            };
            self.unknown.insert(format!("{meta}: which registry `{source}` is in{why}"));
        }
        whole
    }

    fn known_needs(&self, source: &str) -> Option<&[String]> {
        needs_of(self.known, source)
    }

    fn needs_unknown(&mut self, user: &str, source: &str) {
        self.unknown.insert(format!("{user}: which packages {source} needs; record it with `hostnet mirror pin`"));
    }

    /// The catalogue knows which packages those of a family need, and not which version of them.
    fn needs_of_family(&mut self, present: &BTreeSet<&str>, meta: &Meta, needs: &[String]) {
        for name in needs.iter().filter(|name| !present.contains(name.as_str())) {
            self.unknown.insert(format!("{meta}: which version of {name} it needs"));
        }
    }

    /// Adds what packages need, and what those need.
    fn close(&mut self) {
        let packages = self.found.keys().filter(|(kind, _)| *kind == ListedKind::Package);
        let sources: Vec<String> = packages.map(|(_, source)| source.clone()).collect();
        for Need { by, name, range, source, instead } in closed(self.known, self.library, sources.into_iter()) {
            if let Some(instead) = instead {
                self.unknown.insert(format!("{by}: needs {name} ({range}), and the input has {instead}"));
                continue;
            }
            let Some(source) = source else {
                self.unknown.insert(format!("{by}: which version of {name} it needs ({range})"));
                self.open.insert((name, range));
                continue;
            };
            if self.known_needs(&source).is_none() {
                self.needs_unknown(&by, &source);
            }
            self.package(&source, format!("{by} ({range})"));
        }
    }

    /// Sources whose copies would take each other's place.
    fn one_place_for_two(&mut self) {
        let mut places: BTreeMap<String, &str> = BTreeMap::new();
        let mut said = Vec::new();
        for (kind, source) in self.found.keys() {
            let Some(target) = self.target(*kind, source) else { continue };
            let location = |text: &str| {
                let (registry, path) = ImageRef::of(text).location(DOCKER_HUB);
                (registry.to_owned(), path.into_owned())
            };
            match places.get(&target) {
                Some(other) if location(other) != location(source) => {
                    said.push(format!("{target}: which of {other} and {source} it is, since rules lead both there"));
                }
                _ => drop(places.insert(target, source)),
            }
        }
        self.unknown.extend(said);
    }

    fn digest(&self, kind: ListedKind, source: &str) -> Option<String> {
        let own = ImageRef::of(source).digest.map(str::to_owned);
        own.or_else(|| match kind {
            ListedKind::Image => self.rules?.digest_of_image(source),
            _ => self.known.get(source)?.digest.clone(),
        })
    }

    fn target(&self, kind: ListedKind, source: &str) -> Option<String> {
        let rules = self.rules?;
        if kind == ListedKind::Image { rules.moved_image(source) } else { rules.moved_package(source) }
    }

    /// What the core verifies it looks for in the mirror, beside the package.
    /// Source: sigstore/cosign@v2.5.0 `pkg/oci/remote/remote.go`, `SignatureTag`, `AttestationTag`.
    fn signatures(&mut self, model: &Model) {
        let packages: Vec<String> = self
            .found
            .keys()
            .filter(|(kind, _)| *kind == ListedKind::Package)
            .map(|(_, source)| source.clone())
            .collect();
        for source in packages {
            let target = self.target(ListedKind::Package, &source).unwrap_or_else(|| source.clone());
            let verifies =
                |name: &str| model.image_configs().find(|(_, _, own)| own.verifies && own.matches(name).is_some());
            let Some((_, meta, _)) = verifies(&target).or_else(|| verifies(&source)) else { continue };
            self.verified.insert(source.clone());
            let Some(digest) = self.digest(ListedKind::Package, &source) else {
                self.unknown.insert(format!("{meta}: the signature of {source}, without its digest"));
                continue;
            };
            let name = ImageRef::of(&source).name;
            for end in ["sig", "att"] {
                let source = format!("{name}:{}.{end}", digest.replace(':', "-"));
                self.add(ListedKind::Signature, source, meta.to_string());
            }
        }
    }

    fn listing(self) -> Listing {
        let entries = self.found.iter().map(|((kind, source), used_by)| Listed {
            kind: *kind,
            source: source.clone(),
            target: self.target(*kind, source),
            digest: self.digest(*kind, source),
            used_by: used_by.iter().cloned().collect(),
            asked_as: self.asked_as.get(source).filter(|_| *kind == ListedKind::Package).cloned(),
            is_verified: *kind == ListedKind::Package && self.verified.contains(source),
        });
        Listing {
            entries: entries.collect(),
            unknown: self.unknown.iter().cloned().collect(),
            hints: Vec::new(),
            open: self.open.iter().cloned().collect(),
            nodes: BTreeSet::new(),
            crossplane: None,
        }
    }
}
