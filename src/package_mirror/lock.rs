//! Crossplane's lock once the config is applied: packages by the names that `spec.package` has then, and what each of them needs.
//!
//! Crossplane looks for a needed package by its name as it is written. Where the lock has no such name it makes a package of it, although another
//! name may lead to the same image; then two packages want to control the same objects. A package with `skipDependencyResolution: true` is not in the
//! lock, and nothing is looked for on its behalf. A name without registry, which Crossplane up to v1.20 takes, is compared without one.
//!
//! Source: crossplane/crossplane@v1.14.5, @v1.20.11 and @v2.3.4 `internal/controller/pkg/revision/dependency.go` (`Resolve`), `reconciler.go`;
//! `internal/controller/pkg/resolver/reconciler.go`.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::{Need, closed};
use super::core_packages;
use super::crossplane::{Style, Unqualified, qualified};
use super::facts::MirrorFacts;
use super::routes::Routes;
use super::rules::MirrorRules;
use crate::dependency::{Library, NeededPackage, needed_package};
use crate::model::{Model, ObjectId};
use lossless_yaml::Value;
use oci::name::ImageRef;

/// A package that the input asks for.
#[derive(Debug, Clone)]
pub(super) struct LockPackage {
    /// The object that asks for the package.
    pub(super) object: ObjectId,
    /// The object, or the object and its container, for a person.
    pub(super) label: String,
    /// The whole reference before the change, with the registry that it means.
    pub(super) source: String,
    /// The reference as it is written before the change, and after it.
    pub(super) given: String,
    pub(super) written: String,
    /// True with `skipDependencyResolution: true`, after the change.
    pub(super) skips: bool,
    /// True if the config selects the object, so that the run may edit it.
    pub(super) is_selected: bool,
    /// True for an object of its own; false for an argument or a chart value of the core.
    pub(super) is_object: bool,
    /// The registry and path after copying, equal for all names of one package.
    pub(super) place: String,
}

impl LockPackage {
    /// Its name in the lock: what is before the tag or the digest, with the tag if there are both.
    ///
    /// Source: crossplane/crossplane@v1.14.5, @v1.20.11 and crossplane-runtime@v2.3.3 `xpkg/name.go`, `ParsePackageSourceFromReference`.
    pub(super) fn name(&self) -> &str {
        let image = ImageRef::split(&self.written);
        if image.digest.is_some() { ImageRef::without_digest(&self.written) } else { image.name }
    }

    /// True if only the tag before a digest makes its name in the lock differ from a name.
    pub(super) fn differs_by_tag(&self, name: &str) -> bool {
        self.name() != name && ImageRef::split(&self.written).name == name
    }
}

/// Style Rewrite: a package that needs others by names that a rule is about, and that the lock does not have.
#[derive(Debug)]
pub(super) struct Broken {
    /// Its index in the packages of the lock.
    pub(super) package: usize,
    /// The names.
    pub(super) names: Vec<String>,
    /// The needed packages that the input has under no name.
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
    /// In reading order: objects, then those that the core's init containers install.
    pub(super) packages: Vec<LockPackage>,
    /// Packages that get `skipDependencyResolution: true` by `dependencies: Skip`.
    pub(super) flagged: BTreeSet<usize>,
    /// Style Rewrite: the packages that would have to get that field.
    pub(super) broken: Vec<Broken>,
}

/// The context in which packages are read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'l> {
    pub(super) model: &'l Model,
    pub(super) facts: &'l MirrorFacts,
    pub(super) rules: &'l MirrorRules<'l>,
    pub(super) routes: &'l Routes,
    pub(super) style: Style,
    pub(super) unqualified: &'l Unqualified,
    pub(super) library: Library,
}

impl<'l> Lock<'l> {
    /// Reads the packages of an input.
    pub(super) fn new(reading: Reading<'l>) -> Self {
        let Reading { rules, routes, style, library, unqualified, .. } = reading;
        let packages = packages(reading);
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for own in packages.iter().filter(|own| !own.skips) {
            *names.entry(own.name().to_owned()).or_default() += 1;
        }
        let (flagged, broken) = (BTreeSet::new(), Vec::new());
        let mut lock = Self { rules, routes, style, unqualified, library, names, packages, flagged, broken };
        if style == Style::Rewrite {
            lock.break_needs();
        }
        lock
    }

    /// Finds the packages that need others by a name that the lock lacks. One that gets the flag leaves the lock, so those that need it are next.
    fn break_needs(&mut self) {
        let is_refused = self.rules.config.mirror.spec.dependencies.are_refused();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, own) in self.packages.iter().enumerate() {
            places.entry(own.place.clone()).or_default().push(at);
        }
        let mut needed_by: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, own) in self.packages.iter().enumerate() {
            for need in self.direct(own).into_iter().flatten() {
                needed_by.entry(need.name).or_default().push(at);
            }
        }
        let mut broken: BTreeMap<usize, Broken> = BTreeMap::new();
        let mut open: Vec<usize> = (0..self.packages.len()).collect();
        while let Some(at) = open.pop() {
            let Some(own) = self.packages.get(at).filter(|own| !own.skips) else { continue };
            let Some(needs) = self.direct(own) else { continue };
            let names: Vec<String> =
                needs.iter().filter(|need| self.breaks(own, need, &places)).map(|need| need.name.to_owned()).collect();
            if names.is_empty() {
                continue;
            }
            let absent = needs.iter().filter(|need| !places.contains_key(&self.place(need.name)));
            let absent: Vec<String> = absent.map(|need| need.name.to_owned()).collect();
            let takes_flag = !is_refused && absent.is_empty() && own.is_object && own.is_selected;
            let name = own.name().to_owned();
            broken.insert(at, Broken { package: at, names, absent });
            if takes_flag && let Some(own) = self.packages.get_mut(at) {
                own.skips = true;
                self.flagged.insert(at);
                if let Some(count) = self.names.get_mut(&name) {
                    *count = count.saturating_sub(1);
                }
                open.extend(needed_by.get(name.as_str()).into_iter().flatten());
            }
        }
        self.broken = broken.into_values().collect();
    }

    /// True if a package needs another one by a name that the lock lacks, and that the change has taken away or leads to another registry.
    fn breaks(&self, own: &LockPackage, need: &NeededPackage<'_>, places: &BTreeMap<String, Vec<usize>>) -> bool {
        if self.has(need.name) {
            return false;
        }
        // A package that has had `skipDependencyResolution: true` under this very name is missing in any style.
        let is_other = |at: &&usize| {
            self.flagged.contains(*at)
                || self.packages.get(**at).is_some_and(|other| ImageRef::split(&other.written).name != need.name)
        };
        match places.get(&self.place(need.name)) {
            Some(all) => all.iter().any(|at| is_other(&at)),
            None => own.is_selected && self.bypasses_rule(need.name),
        }
    }

    /// The place of a package by the name that another one needs it by.
    pub(super) fn place(&self, name: &str) -> String {
        self.routes.place(&qualified(name, self.unqualified))
    }

    /// True if a rule is about a needed package, and Crossplane pulls it from elsewhere: no ImageConfig matches the name as it is written.
    pub(super) fn bypasses_rule(&self, name: &str) -> bool {
        self.routes.pulled_as_needed(name).is_none()
            && self.rules.of_package(&qualified(name, self.unqualified)).is_some()
    }

    /// True if the lock has a package of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|count| *count > 0)
    }

    /// The packages that one needs itself; `None` if that is not recorded.
    fn direct(&self, own: &LockPackage) -> Option<Vec<NeededPackage<'l>>> {
        let needs = self.rules.entry(&own.source)?.depends_on.as_deref()?;
        Some(needs.iter().filter_map(|needed| needed_package(needed)).collect())
    }

    /// Packages whose needs are not recorded, and that Crossplane looks for other packages for.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &LockPackage> {
        self.packages.iter().filter(|own| !own.skips && self.direct(own).is_none())
    }

    /// Everything that Crossplane looks for, followed to the end.
    pub(super) fn needs(&self) -> Vec<Need> {
        let roots: Vec<(String, bool)> = self.packages.iter().map(|own| (own.source.clone(), !own.skips)).collect();
        let known = &self.rules.config.mirror.spec.packages;
        closed(known, self.library, self.unqualified, &roots, |source| self.rules.entry(source)?.depends_on.as_deref())
    }
}

/// The packages of objects and of the core's init containers whose names can be read.
fn packages(reading: Reading<'_>) -> Vec<LockPackage> {
    let Reading { model, facts, rules, routes, style, unqualified, .. } = reading;
    let written = |given: &str, source: &str, is_moved: bool| {
        let new = match style {
            _ if !is_moved => None,
            Style::Rewrite => rules.moved_package(source),
            // A prefix of an ImageConfig matches the whole name alone, so the run writes that.
            Style::ImageConfig => rules.of_package(ImageRef::split(source).name).map(|_| source.to_owned()),
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
            written: written(&package.source, &source, is_selected),
            given: package.source.clone(),
            skips: package.skips == Some(Value::Bool(true)),
            is_selected,
            is_object: true,
            place: routes.place(&source),
            source,
        })
    });
    let of_core = core_packages::packages(model, facts).into_iter().map(|own| {
        let source = qualified(&own.source, unqualified);
        LockPackage {
            object: own.object,
            label: own.label,
            written: written(&own.source, &source, own.is_argument),
            given: own.source,
            skips: false,
            is_selected: true,
            is_object: false,
            place: routes.place(&source),
            source,
        }
    });
    let is_name = |own: &LockPackage| ImageRef::read(ImageRef::split(&own.source).name).is_ok();
    of_objects.chain(of_core).filter(is_name).collect()
}
