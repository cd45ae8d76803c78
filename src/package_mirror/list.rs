//! What has to be in the mirror: every package and image that the input asks for.

use std::collections::{BTreeMap, BTreeSet};

use super::core;
use super::crossplane::{Unqualified, qualified, unqualified};
use super::dependencies::needs;
use super::facts::MirrorFacts;
use super::rules::MirrorRules;
use crate::api::KnownPackage;
use crate::crossplane::Core;
use crate::image::{ImageRef, needed_package};
use crate::model::{Meta, Model};

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
}

/// What has to be in the mirror, and what cannot be said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// By kind, then by source; each once.
    pub entries: Vec<Listed>,
    /// What is not known, for a person.
    pub unknown: Vec<String>,
}

struct Lister<'l> {
    rules: Option<&'l MirrorRules<'l>>,
    known: &'l BTreeMap<String, KnownPackage>,
    found: BTreeMap<(ListedKind, String), BTreeSet<String>>,
    unknown: BTreeSet<String>,
}

/// Lists what the input asks for.
#[must_use]
pub fn list(model: &Model, facts: &MirrorFacts, rules: Option<&MirrorRules<'_>>) -> Listing {
    let none = BTreeMap::new();
    let spec = rules.map(|rules| &rules.config.mirror.spec);
    let core = Core::find(model, spec.and_then(|spec| spec.crossplane.version.as_deref()));
    let unqualified = unqualified(model, core.version());
    let known = spec.map_or(&none, |spec| &spec.packages);
    let mut lister = Lister { rules, known, found: BTreeMap::new(), unknown: BTreeSet::new() };
    let sources: Vec<String> =
        facts.packages.values().map(|package| qualified(&package.source, &unqualified)).collect();
    let present: BTreeSet<&str> = sources.iter().map(|source| ImageRef::of(source).name).collect();
    for (id, package) in &facts.packages {
        let Some(object) = model.object(*id) else { continue };
        let source = lister.source(&package.source, &unqualified, &object.meta);
        lister.package(&source, object.meta.to_string());
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
            lister.package(&source, user);
        }
    }
    for (id, fields) in &facts.images {
        let Some(object) = model.object(*id) else { continue };
        for field in fields {
            let reference = ImageRef::of(&field.image);
            let user = match &field.container {
                Some(container) => format!("{}: container {container}", object.meta),
                None => object.meta.to_string(),
            };
            let Some(name) = reference.pulled_name() else {
                lister.unknown.insert(format!("{user}: which image `{}` is, before it is filled in", field.image));
                continue;
            };
            let source = format!("{name}{}", reference.suffix(&field.image));
            lister.add(ListedKind::Image, source, user);
        }
    }
    lister.close();
    lister.signatures(model);
    lister.listing()
}

impl Lister<'_> {
    fn add(&mut self, kind: ListedKind, source: String, user: String) {
        self.found.entry((kind, source)).or_default().insert(user);
    }

    fn package(&mut self, source: &str, user: String) {
        self.add(ListedKind::Package, source.to_owned(), user);
    }

    /// A package's source with its registry.
    fn source(&mut self, source: &str, unqualified: &Unqualified, meta: &Meta) -> String {
        let whole = qualified(source, unqualified);
        if ImageRef::of(&whole).registry.is_none() {
            let without =
                if source.contains('$') { "before it is filled in" } else { "without the version of Crossplane" };
            self.unknown.insert(format!("{meta}: which registry `{source}` is in, {without}"));
        }
        whole
    }

    fn known_needs(&self, source: &str) -> Option<&[String]> {
        self.known.get(ImageRef::without_digest(source))?.depends_on.as_deref()
    }

    fn needs_unknown(&mut self, user: &str, source: &str) {
        self.unknown.insert(format!(
            "{user}: which packages {source} needs; write `dependsOn` for it under `packages` of the config"
        ));
    }

    /// The catalogue knows which packages those of a family need, and not which version of them.
    fn needs_of_family(&mut self, present: &BTreeSet<&str>, meta: &Meta, needs: &[String]) {
        for name in needs.iter().filter(|name| !present.contains(name.as_str())) {
            self.unknown.insert(format!("{meta}: which version of {name} it needs"));
        }
    }

    /// Adds what packages need, and what those need.
    fn close(&mut self) {
        let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        let known = self.known;
        for key in known.keys() {
            by_name.entry(ImageRef::of(key).name).or_default().push(key);
        }
        let packages = self.found.keys().filter(|(kind, _)| *kind == ListedKind::Package);
        let mut open: Vec<String> = packages.map(|(_, source)| source.clone()).collect();
        let mut done: BTreeSet<String> = BTreeSet::new();
        while let Some(source) = open.pop() {
            if !done.insert(source.clone()) {
                continue;
            }
            for needed in self.known_needs(&source).map(<[String]>::to_vec).unwrap_or_default() {
                let Some(needed) = needed_package(&needed) else { continue };
                let versions = by_name.get(needed.name).into_iter().flatten();
                let in_range =
                    versions.filter(|key| ImageRef::of(key).tag.is_some_and(|tag| needed.has(tag) == Some(true)));
                // Of several Crossplane takes the newest.
                let newest = in_range.max_by_key(|key| {
                    semver::Version::parse(ImageRef::of(key).tag.unwrap_or_default().trim_start_matches('v')).ok()
                });
                let range = if needed.range.is_empty() { "any version" } else { needed.range };
                match newest.map(|key| (*key).clone()) {
                    Some(key) => {
                        self.package(&key, format!("{source} ({range})"));
                        if self.known_needs(&key).is_none() {
                            self.needs_unknown(&source, &key);
                        }
                        open.push(key);
                    }
                    None => {
                        self.unknown.insert(format!("{source}: which version of {} it needs ({range})", needed.name));
                    }
                }
            }
        }
    }

    fn digest(&self, source: &str) -> Option<String> {
        let own = ImageRef::of(source).digest.map(str::to_owned);
        own.or_else(|| self.known.get(source)?.digest.clone())
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
            let Some(digest) = self.digest(&source) else {
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
            digest: self.digest(source),
            used_by: used_by.iter().cloned().collect(),
        });
        Listing { entries: entries.collect(), unknown: self.unknown.iter().cloned().collect() }
    }
}
