//! Crossplane's lock after the config is applied: packages by their new names in `spec.package`, and the dependencies
//! of each.
//!
//! Crossplane looks up a dependency by its name as written. If the lock lacks the name, Crossplane creates a package
//! for it, even if the lock has the same image under another name; then two packages compete for the same objects. A
//! package with `skipDependencyResolution: true` is not in the lock, and its dependencies are not resolved. A name
//! without registry, which Crossplane up to v1.20 accepts, is compared without registry.
//!
//! Source: crossplane/crossplane@v1.14.5, @v1.20.11 and @v2.3.4 `internal/controller/pkg/revision/dependency.go`
//! (`Resolve`), `reconciler.go`; `internal/controller/pkg/resolver/reconciler.go`.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::{RequiredPackage, closed};
use super::core_packages::{self, OwnCore};
use super::crossplane::{Style, Unqualified, qualified};
use super::facts::MirrorFacts;
use super::routes::Routes;
use super::rules::MirrorRules;
use crate::dependency::{Library, NeededPackage, needed_package};
use crate::model::{Model, ObjectId};
use lossless_yaml::Value;
use oci::name::ImageRef;

/// A package that the input requests.
#[derive(Debug, Clone)]
pub(super) struct LockPackage {
    /// The object that requests the package.
    pub(super) object: ObjectId,
    /// The object, or the object and its container, for messages.
    pub(super) label: String,
    /// The kind of the package that the object, argument or chart value requests.
    pub(super) kind: String,
    /// The whole reference before the change, with the registry.
    pub(super) source: String,
    /// The text of the reference before the change, and after it.
    pub(super) given: String,
    pub(super) written: String,
    /// True with `skipDependencyResolution: true`, after the change.
    pub(super) skips: bool,
    /// True if the config selects the object, so that the run may edit it.
    pub(super) is_selected: bool,
    /// True for a package with an object; false for an argument or a chart value of the core.
    pub(super) is_object: bool,
    /// The registry and path after copying, equal for all names of one package.
    pub(super) place: String,
    /// The core that installs the package, for a package of a chart.
    pub(super) core: OwnCore,
}

impl LockPackage {
    /// The package's name in the lock: the reference without tag or digest; a reference with both keeps the tag.
    ///
    /// Source: crossplane/crossplane@v1.14.5, @v1.20.11 and crossplane-runtime@v2.3.3 `xpkg/name.go`,
    /// `ParsePackageSourceFromReference`.
    pub(super) fn name(&self) -> &str {
        let image = ImageRef::split(&self.written);
        if image.digest.is_some() { ImageRef::without_digest(&self.written) } else { image.name }
    }

    /// True if the package's name in the lock differs from `name` only by the tag before a digest.
    pub(super) fn differs_by_tag(&self, name: &str) -> bool {
        self.name() != name && ImageRef::split(&self.written).name == name
    }
}

/// Style Rewrite: a package whose dependencies are not in the lock under their names, because a
/// rule renames them.
#[derive(Debug)]
pub(super) struct NamesMissingInLock {
    /// The index of the package in `Lock::packages`.
    pub(super) package: usize,
    /// The names that the lock lacks.
    pub(super) names: Vec<String>,
    /// The dependencies that are not in the input under any name.
    pub(super) absent: Vec<String>,
}

/// The lock of an input and a config.
pub(super) struct Lock<'l> {
    pub(super) rules: &'l MirrorRules<'l>,
    pub(super) routes: &'l Routes,
    pub(super) style: Style,
    pub(super) unqualified: &'l Unqualified,
    library: Library,
    /// The number of packages in the lock by name.
    names: BTreeMap<String, usize>,
    /// The packages in reading order: objects first, then packages that the core's init containers install.
    pub(super) packages: Vec<LockPackage>,
    /// Packages whose names no registry has: with placeholders, or invalid.
    pub(super) unnamed: Vec<LockPackage>,
    /// Packages that get `skipDependencyResolution: true` by `dependencies: Skip`.
    pub(super) flagged: BTreeSet<usize>,
    /// Style Rewrite: the packages that need `skipDependencyResolution: true`.
    pub(super) broken: Vec<NamesMissingInLock>,
}

/// The context in which packages are read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'l> {
    pub(super) model: &'l Model,
    pub(super) facts: &'l MirrorFacts,
    pub(super) rules: &'l MirrorRules<'l>,
    /// The routes from package names to registries.
    pub(super) routes: &'l Routes,
    pub(super) style: Style,
    /// The meaning of a package name without registry.
    pub(super) unqualified: &'l Unqualified,
    pub(super) library: Library,
}

impl<'l> Lock<'l> {
    /// Reads the packages of an input.
    pub(super) fn new(reading: Reading<'l>) -> Self {
        let Reading { rules, routes, style, library, unqualified, .. } = reading;
        let is_name = |package: &LockPackage| ImageRef::read(ImageRef::split(&package.source).name).is_ok();
        let (packages, unnamed): (Vec<_>, Vec<_>) = packages(reading).into_iter().partition(is_name);
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for package in packages.iter().filter(|package| !package.skips) {
            *names.entry(package.name().to_owned()).or_default() += 1;
        }
        let (flagged, broken) = (BTreeSet::new(), Vec::new());
        let mut lock = Self { rules, routes, style, unqualified, library, names, packages, unnamed, flagged, broken };
        if style == Style::Rewrite {
            lock.mark_broken_dependencies();
        }
        lock
    }

    /// Finds packages with dependencies whose names the lock lacks. A package that gets `skipDependencyResolution:
    /// true` leaves the lock, so its dependents are checked next.
    fn mark_broken_dependencies(&mut self) {
        let is_refused = self.rules.config.mirror.spec.dependencies.are_refused();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, package) in self.packages.iter().enumerate() {
            places.entry(package.place.clone()).or_default().push(at);
        }
        let mut needed_by: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, package) in self.packages.iter().enumerate() {
            for need in self.direct(package).into_iter().flatten() {
                needed_by.entry(need.name).or_default().push(at);
            }
        }
        let mut broken: BTreeMap<usize, NamesMissingInLock> = BTreeMap::new();
        let mut open: Vec<usize> = (0..self.packages.len()).collect();
        while let Some(at) = open.pop() {
            let Some(package) = self.packages.get(at).filter(|package| !package.skips) else { continue };
            let Some(needs) = self.direct(package) else { continue };
            let names: Vec<String> = needs
                .iter()
                .filter(|need| self.breaks(package, need, &places))
                .map(|need| need.name.to_owned())
                .collect();
            if names.is_empty() {
                continue;
            }
            let absent = needs.iter().filter(|need| !places.contains_key(&self.place(need.name)));
            let absent: Vec<String> = absent.map(|need| need.name.to_owned()).collect();
            let takes_flag = !is_refused && absent.is_empty() && package.is_object && package.is_selected;
            let name = package.name().to_owned();
            broken.insert(at, NamesMissingInLock { package: at, names, absent });
            if takes_flag && let Some(package) = self.packages.get_mut(at) {
                package.skips = true;
                self.flagged.insert(at);
                if let Some(count) = self.names.get_mut(&name) {
                    *count = count.saturating_sub(1);
                }
                open.extend(needed_by.get(name.as_str()).into_iter().flatten());
            }
        }
        self.broken = broken.into_values().collect();
    }

    /// True if the lock lacks the name of a dependency because the change renamed it or moved it to another registry.
    fn breaks(&self, package: &LockPackage, need: &NeededPackage<'_>, places: &BTreeMap<String, Vec<usize>>) -> bool {
        if self.has(need.name) {
            return false;
        }
        // A package with this name that already had `skipDependencyResolution: true` is missing in any style.
        let is_other = |at: &&usize| {
            self.flagged.contains(*at)
                || self.packages.get(**at).is_some_and(|other| ImageRef::split(&other.written).name != need.name)
        };
        match places.get(&self.place(need.name)) {
            Some(all) => all.iter().any(|at| is_other(&at)),
            None => package.is_selected && self.bypasses_rule(need.name),
        }
    }

    /// The place of a dependency by its name in the dependent package.
    pub(super) fn place(&self, name: &str) -> String {
        self.routes.place(&qualified(name, self.unqualified))
    }

    /// True if a rule matches a dependency but Crossplane does not rewrite it, because no ImageConfig matches the
    /// name as written.
    pub(super) fn bypasses_rule(&self, name: &str) -> bool {
        self.routes.rewritten(name).is_none() && self.rules.of_package(&qualified(name, self.unqualified)).is_some()
    }

    /// True if the lock has a package of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|count| *count > 0)
    }

    /// The direct dependencies of a package; `None` if they are not recorded.
    fn direct(&self, package: &LockPackage) -> Option<Vec<NeededPackage<'l>>> {
        let needs = self.rules.entry(&package.source)?.depends_on.as_deref()?;
        Some(needs.iter().filter_map(|needed| needed_package(needed)).collect())
    }

    /// Packages whose dependencies Crossplane resolves, but which are not recorded.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &LockPackage> {
        self.packages.iter().filter(|package| !package.skips && self.direct(package).is_none())
    }

    /// All dependencies that Crossplane resolves, direct and indirect.
    pub(super) fn needs(&self) -> Vec<RequiredPackage> {
        let roots: Vec<(String, bool)> =
            self.packages.iter().map(|package| (package.source.clone(), !package.skips)).collect();
        let known = &self.rules.config.mirror.spec.packages;
        closed(known, self.library, self.unqualified, &roots, |source| self.rules.entry(source)?.depends_on.as_deref())
    }
}

/// The packages with readable names of objects and of the core's init containers.
fn packages(reading: Reading<'_>) -> Vec<LockPackage> {
    let Reading { model, facts, rules, routes, style, unqualified, .. } = reading;
    let written = |given: &str, source: &str, is_moved: bool| {
        let new = match style {
            _ if !is_moved => None,
            Style::Rewrite => rules.package_in_mirror(source),
            // A prefix of a rule's ImageConfig matches only the whole name, so the run writes the whole name.
            Style::ImageConfig => rules.of_package(ImageRef::split(source).name).map(|_| routes.as_written(source)),
        };
        new.unwrap_or_else(|| given.to_owned())
    };
    let of_objects = facts.packages.iter().filter_map(|(id, package)| {
        let object = model.object(*id)?;
        let source = qualified(&package.source, unqualified);
        let is_selected = rules.is_about(object);
        Some(LockPackage {
            object: *id,
            label: object.meta.to_string(),
            kind: object.meta.gvk.kind.clone(),
            written: written(&package.source, &source, is_selected),
            given: package.source.clone(),
            skips: package.skips == Some(Value::Bool(true)),
            is_selected,
            is_object: true,
            place: routes.place(&source),
            core: OwnCore::default(),
            source,
        })
    });
    let of_core = core_packages::packages(model, facts, Some(rules)).into_iter().map(|package| {
        let source = package.whole(unqualified);
        LockPackage {
            object: package.object,
            label: package.label,
            kind: package.kind.to_owned(),
            written: written(&package.source, &source, package.is_argument),
            given: package.source,
            skips: false,
            is_selected: true,
            is_object: false,
            place: routes.place(&source),
            core: package.core,
            source,
        }
    });
    of_objects.chain(of_core).collect()
}
