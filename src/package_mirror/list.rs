//! All packages and images that the input needs, which the mirror must have.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::RequiredPackage;
use super::conflict::Conflict;
use super::core_packages;
use super::crossplane::{Style, Unqualified, qualified, style};
use super::default_registry::unqualified_names;
use super::dependencies::{conflicts, likely_dependencies_text};
use super::equal_prefixes;
use super::facts::MirrorFacts;
use super::hinted;
use super::invalid_image_configs;
use super::known::node_platforms;
use super::lock::{Lock, Reading};
use super::names::{self, unreadable};
use super::prefixes;
use super::rewritten;
use super::routes::Routes;
use super::rules::MirrorRules;
use super::runtime_images::{RuntimeParts, unknown_runtime_image_text};
use crate::catalog::OWN_IMAGE_SINCE;
use crate::crossplane::Core;
use crate::model::{Meta, Model};
use crate::rule::Severity;
use crate::word_enum::word_enum;
use crate::xpkg::library;
use krm::may_have_placeholder;
use lossless_yaml::Value;
use oci::name::{DOCKER_HUB, ImageRef};

word_enum! {
    /// The kind of an entry.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    pub enum ListedKind {
        /// A package: Crossplane's core reads it, and nodes run it.
        #[default]
        Package = "package",
        /// An image: nodes run it.
        Image = "image",
        /// A signature of a package, which the core verifies.
        Signature = "signature",
    }
}

/// An image or package that the mirror must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one image")]
pub struct Listed {
    /// The kind of the entry.
    pub kind: ListedKind,
    /// The whole reference, with the registry.
    pub source: String,
    /// The reference in the mirror; `None` without a config or a matching rule.
    pub target: Option<String>,
    /// The digest, if known.
    pub digest: Option<String>,
    /// The labels of the objects that use the package or image, sorted.
    pub used_by: Vec<String>,
    /// The kind of the object that requests the package.
    pub requested_as: Option<String>,
    /// True if an ImageConfig of the input verifies the package.
    pub is_verified: bool,
    /// True if Crossplane resolves the package's dependencies; false if all objects that request it have
    /// `skipDependencyResolution: true`.
    pub is_resolved: bool,
    /// True if no object of the input requests the entry: a package that is only a dependency, or
    /// an image in the metadata of a package.
    pub is_needed: bool,
    /// True if nodes run the entry. False for signatures, for Configurations, and for packages that run the image of
    /// their metadata or of a runtime config instead.
    pub is_run: bool,
    /// True if runtime configs of the input set the command of the package's container.
    pub has_command: bool,
}

/// The entries of the mirror, with unknown facts and conflicts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries without duplicates, by kind, then by source.
    pub entries: Vec<Listed>,
    /// Unknown facts, for messages.
    pub unknown: Vec<String>,
    /// Images in texts that may be pulled, for messages.
    pub hints: Vec<String>,
    /// Names and version ranges of dependencies without a known version.
    pub open: Vec<(String, String)>,
    /// The platforms of the Nodes of the input.
    pub nodes: BTreeSet<String>,
    /// The version of Crossplane, if the config or the input has it.
    pub crossplane: Option<String>,
    /// Conflicts in Crossplane's lock after the config is applied, and ImageConfigs that the API server refuses.
    pub conflicts: Vec<Conflict>,
    /// Packages whose names the API server refuses.
    pub refused: Vec<Conflict>,
    /// The routes from package names to registries.
    pub routes: Routes,
    /// The parts of a pod that the runtime config `default` of the input sets for packages without an object.
    pub default_runtime: RuntimeParts,
}

impl Listing {
    /// The conflicts and the refused packages.
    pub fn all_conflicts(&self) -> impl Iterator<Item = &Conflict> {
        self.conflicts.iter().chain(&self.refused)
    }

    /// Conflicts that the change causes, and objects that the API server refuses.
    pub fn errors(&self) -> impl Iterator<Item = &str> {
        self.all_conflicts()
            .filter(|conflict| conflict.severity == Severity::Error)
            .map(|conflict| conflict.message.as_str())
    }

    /// Conflicts in the lock that existed before.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.all_conflicts()
            .filter(|conflict| conflict.severity != Severity::Error)
            .map(|conflict| conflict.message.as_str())
    }
}

#[derive(Default)]
pub(super) struct Lister<'l> {
    pub(super) rules: Option<&'l MirrorRules<'l>>,
    routes: Routes,
    unqualified: Unqualified,
    /// True if the release runs the image in a package's metadata; `None` if the version is unknown.
    runs_named_images: Option<bool>,
    found: BTreeMap<(ListedKind, String), BTreeSet<String>>,
    pub(super) unknown: BTreeSet<String>,
    open: BTreeSet<(String, String)>,
    requested_as: BTreeMap<String, String>,
    verified: BTreeSet<String>,
    resolved: BTreeSet<String>,
    /// The images that the metadata of packages names.
    named: BTreeSet<String>,
    /// The parts of pods that runtime configs set, by package.
    runtimes: BTreeMap<String, RuntimeParts>,
}

/// Lists all packages and images that the input needs.
pub fn list(model: &Model, facts: &MirrorFacts, rules: Option<&MirrorRules<'_>>) -> Listing {
    let spec = rules.map(|rules| &rules.config.mirror.spec);
    let core = Core::find(model, spec.and_then(|spec| spec.crossplane.version.as_deref()));
    let version = core.version();
    // `apply` reports a style that the version does not have.
    let style = rules.map_or(Style::ImageConfig, |rules| style(rules.config, &core).unwrap_or(Style::ImageConfig));
    let unqualified = unqualified_names(model, facts, version);
    let routes = rules.map(|rules| Routes::new((model, facts), rules, (version, style), &unqualified));
    let routes = routes.unwrap_or_default();
    let mut lister = Lister {
        rules,
        routes: routes.clone(),
        unqualified: unqualified.clone(),
        runs_named_images: version.has(OWN_IMAGE_SINCE).map(|runs_own| !runs_own),
        ..Lister::default()
    };
    for (id, package) in &facts.packages {
        let Some(object) = model.object(*id) else { continue };
        let source = lister.source(&package.source, &object.meta);
        lister.package(&source, object.meta.to_string());
        lister.requested_as.insert(source.clone(), object.meta.gvk.kind.clone());
        if package.skips != Some(Value::Bool(true)) {
            lister.resolved(&object.meta.to_string(), &source, likely_dependencies_text(model, *id));
        }
    }
    for package in core_packages::packages(model, facts, rules) {
        let Some(object) = model.object(package.object) else { continue };
        let source = lister.source(&package.whole(&unqualified), &object.meta);
        lister.resolved(&package.label, &source, None);
        lister.requested_as.insert(source.clone(), package.kind.to_owned());
        lister.package(&source, package.label);
    }
    for (id, packages) in &facts.nested {
        let Some(object) = model.object(*id) else { continue };
        for nested in packages {
            let source = lister.source(&nested.source, &object.meta);
            lister.package(&source, nested.label(&object.meta));
        }
    }
    for (id, references) in &facts.installed {
        let Some(object) = model.object(*id) else { continue };
        for reference in references {
            let source = lister.source(reference, &object.meta);
            lister.package(&source, object.meta.to_string());
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
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    if let Some(rules) = rules {
        let (routes, unqualified, library) = (&routes, &unqualified, library(version));
        let lock = Lock::new(Reading { model, facts, rules, routes, style, unqualified, library });
        let needs = lock.needs();
        found = conflicts(&lock, &needs);
        lister.add_dependencies(needs);
        found.extend(rewritten::conflicts(&lock));
        refused = names::conflicts(&lock, version);
        found.extend(invalid_image_configs::conflicts(model, facts, version));
        found.extend(equal_prefixes::conflicts(model, rules, version, style));
        found.extend(prefixes::patterns(model));
        let later = prefixes::packages_with_unknown_mirror_names(model, &lock, version);
        lister.unknown.extend(later.into_iter().map(|later| later.message));
    }
    lister.runtimes(model, facts);
    lister.add_metadata_images();
    lister.signatures(model);
    lister.report_target_collisions();
    let has_one = core.version_source.is_some() && !version.spans_several_minors();
    let crossplane = has_one.then(|| version.to_string());
    let hints = hinted::hinted_image_messages(model, facts, rules);
    let default_runtime = RuntimeParts::new(model, facts, None);
    let nodes = node_platforms(model);
    Listing { nodes, hints, crossplane, conflicts: found, refused, routes, default_runtime, ..lister.listing() }
}

impl Lister<'_> {
    /// Adds an entry, with the object that uses it.
    pub(super) fn add(&mut self, kind: ListedKind, source: String, user: String) {
        self.found.entry((kind, source)).or_default().insert(user);
    }

    /// Adds a package.
    fn package(&mut self, source: &str, user: String) {
        self.add(ListedKind::Package, source.to_owned(), user);
    }

    /// A package's source with its registry.
    fn source(&mut self, source: &str, meta: &Meta) -> String {
        let whole = qualified(source, &self.unqualified);
        if ImageRef::split(&whole).registry.is_none() {
            let reason = match self.unqualified {
                _ if may_have_placeholder(source) => ", before it is filled in",
                Unqualified::Refused => ": Crossplane from v2.0.0 on refuses a name without one",
                Unqualified::Hidden => ": the core's `REGISTRY` has it, and its value is not in the input",
                Unqualified::Means(_) | Unqualified::Unknown => ", without the version of Crossplane",
            };
            self.unknown.insert(format!("{meta}: the registry of `{source}`{reason}"));
        } else if let Some(reason) = unreadable(&whole) {
            self.unknown.insert(format!("{meta}: its package: {reason}"));
        }
        whole
    }

    /// Adds a package whose dependencies Crossplane resolves; reports dependencies that are not recorded.
    fn resolved(&mut self, user: &str, source: &str, likely: Option<String>) {
        self.resolved.insert(source.to_owned());
        let entry = self.rules.and_then(|rules| rules.entry(source));
        if entry.is_some_and(|entry| entry.depends_on.is_some()) {
            return;
        }
        let likely = likely.map(|likely| format!(" ({likely})")).unwrap_or_default();
        self.unknown
            .insert(format!("{user}: the packages that {source} needs{likely}; record it with `hostnet mirror pin`"));
    }

    /// Adds direct and indirect dependencies of packages.
    fn add_dependencies(&mut self, needs: Vec<RequiredPackage>) {
        for RequiredPackage { by, name, whole, range, source, instead } in needs {
            if let Some(instead) = instead {
                self.unknown.insert(format!("{by}: needs {name} ({range}), but the input has {instead}"));
                continue;
            }
            let Some(source) = source else {
                self.unknown.insert(format!("{by}: the version of {name} that it needs ({range})"));
                self.open.insert((whole, range));
                continue;
            };
            self.resolved(&by, &source, None);
            self.package(&source, format!("{by} ({range})"));
        }
    }

    /// Collects the parts of pods that runtime configs of the input set in all objects that request a package.
    fn runtimes(&mut self, model: &Model, facts: &MirrorFacts) {
        let mut all: BTreeMap<String, RuntimeParts> = BTreeMap::new();
        for package in facts.packages.values() {
            let parts = RuntimeParts::new(model, facts, Some(package));
            let own = all.entry(qualified(&package.source, &self.unqualified)).or_insert(parts);
            *own = RuntimeParts { image: own.image && parts.image, command: own.command && parts.command };
        }
        let default = RuntimeParts::new(model, facts, None);
        self.runtimes =
            self.packages().map(|source| (source.clone(), all.get(source).copied().unwrap_or(default))).collect();
    }

    /// Adds the images that the metadata of packages names, which releases before v2.0 run instead of the packages'
    /// own.
    fn add_metadata_images(&mut self) {
        let Some(rules) = self.rules.filter(|_| self.runs_named_images != Some(false)) else { return };
        let packages: Vec<String> = self.packages().filter(|source| !self.runtime(source).image).cloned().collect();
        for source in packages {
            let Some(image) = rules.entry(&source).and_then(|record| record.runtime_image.as_deref()) else { continue };
            let image = qualified(image, &self.unqualified);
            if self.runs_named_images.is_none() {
                self.unknown.insert(format!("{source}: {}", unknown_runtime_image_text(&image)));
                continue;
            }
            let listed = self.image(&image, format!("{source} (named by its package.yaml)"));
            self.named.extend(listed);
        }
    }

    /// Sources of the listed packages.
    fn packages(&self) -> impl Iterator<Item = &String> {
        self.found.keys().filter(|(kind, _)| *kind == ListedKind::Package).map(|(_, source)| source)
    }

    /// Reports sources that would be copied to the same name in the mirror.
    fn report_target_collisions(&mut self) {
        let mut places: BTreeMap<String, &str> = BTreeMap::new();
        let mut messages = Vec::new();
        for (kind, source) in self.found.keys() {
            let Some(target) = self.target(*kind, source) else { continue };
            let location = |text: &str| {
                let (registry, path) = ImageRef::split(text).location(DOCKER_HUB);
                (registry.to_owned(), path.into_owned())
            };
            match places.get(&target) {
                Some(other) if location(other) != location(source) => {
                    messages.push(format!("{target}: its source, {other} or {source}: rules map both to this name"));
                }
                _ => drop(places.insert(target, source)),
            }
        }
        self.unknown.extend(messages);
    }

    /// Digest of an entry: its own, else the digest that the config records.
    fn digest(&self, kind: ListedKind, source: &str) -> Option<String> {
        let own = ImageRef::split(source).digest.map(str::to_owned);
        own.or_else(|| match kind {
            ListedKind::Image => self.rules?.digest_of_image(source),
            _ => self.rules?.digest_of_package(source),
        })
    }

    /// Name of an entry in the mirror.
    fn target(&self, kind: ListedKind, source: &str) -> Option<String> {
        let target =
            if kind == ListedKind::Image { self.rules?.image_in_mirror(source) } else { self.routes.pulled(source) };
        target.filter(|target| !prefixes::is_filled_in_later(source, target))
    }

    /// Adds signatures, which the core looks for in the mirror next to the package.
    /// Source: sigstore/cosign@v2.5.0 `pkg/oci/remote/remote.go`, `SignatureTag`, `AttestationTag`.
    fn signatures(&mut self, model: &Model) {
        let packages: Vec<String> = self.packages().cloned().collect();
        for source in packages {
            let target = self.target(ListedKind::Package, &source).unwrap_or_else(|| source.clone());
            let verifies = |name: &str| {
                model.image_configs().find(|(_, _, config)| config.verifies && config.matches(name).is_some())
            };
            let Some((_, meta, _)) = verifies(&target).or_else(|| verifies(&source)) else { continue };
            self.verified.insert(source.clone());
            let Some(digest) = self.digest(ListedKind::Package, &source) else {
                self.unknown.insert(format!("{meta}: the signature of {source}, without its digest"));
                continue;
            };
            let name = ImageRef::split(&source).name;
            for end in ["sig", "att"] {
                let source = format!("{name}:{}.{end}", digest.replace(':', "-"));
                self.add(ListedKind::Signature, source, meta.to_string());
            }
        }
    }

    /// True for a package whose pods run the package's own image.
    fn is_run_package(&self, source: &str) -> bool {
        let entry = self.rules.and_then(|rules| rules.entry(source));
        let requested_as = self.requested_as.get(source);
        let kind = requested_as.or_else(|| entry?.kind.as_ref());
        let is_named = self.runs_named_images == Some(true) && entry.is_some_and(|entry| entry.runtime_image.is_some());
        let has_other_image = is_named || self.runtime(source).image;
        kind.is_none_or(|kind| kind != "Configuration") && !has_other_image
    }

    /// Images that the runtime config of a package sets.
    fn runtime(&self, source: &str) -> RuntimeParts {
        self.runtimes.get(source).copied().unwrap_or_default()
    }

    /// Converts the collected packages and images into the result.
    fn listing(self) -> Listing {
        let is_needed = |kind: ListedKind, source: &String| match kind {
            ListedKind::Package => !self.requested_as.contains_key(source),
            ListedKind::Image => self.named.contains(source),
            ListedKind::Signature => false,
        };
        let entries = self.found.iter().map(|((kind, source), used_by)| Listed {
            is_needed: is_needed(*kind, source),
            is_run: match kind {
                ListedKind::Package => self.is_run_package(source),
                ListedKind::Image => true,
                ListedKind::Signature => false,
            },
            has_command: *kind == ListedKind::Package && self.runtime(source).command,
            kind: *kind,
            source: source.clone(),
            target: self.target(*kind, source),
            digest: self.digest(*kind, source),
            used_by: used_by.iter().cloned().collect(),
            requested_as: self.requested_as.get(source).filter(|_| *kind == ListedKind::Package).cloned(),
            is_verified: *kind == ListedKind::Package && self.verified.contains(source),
            is_resolved: *kind == ListedKind::Package && self.resolved.contains(source),
        });
        Listing {
            entries: entries.collect(),
            unknown: self.unknown.iter().cloned().collect(),
            open: self.open.iter().cloned().collect(),
            ..Listing::default()
        }
    }
}
