//! Findings about package dependencies in Crossplane's lock, as it is after the config is applied.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::RequiredPackage;
use super::conflict::{CONFLICT_EFFECT, Conflict};
use super::crossplane::{Style, Unqualified};
use super::equal_packages::{digest_conflicts, place_conflicts};
use super::lock::{Lock, LockPackage, NamesMissingInLock};
use super::writer::Writer;
use crate::catalog::full_names_required_since;
use crate::model::listener::program_of_package;
use crate::model::{Model, ObjectId};
use crate::rule::{self, Severity};
use crate::version::ProgramVersion;
use lossless_yaml::{Path, Value};
use oci::name::ImageRef;

/// The likely dependencies of a member of a provider family, by its program, for messages; `None` if the catalogue has
/// no entry.
pub(super) fn likely_dependencies_text(model: &Model, id: ObjectId) -> Option<String> {
    let package = model.object(id)?.package()?;
    let (program, _) = program_of_package(package)?;
    let names = program.dependencies_of(ImageRef::split(&package.image).name).join(", ");
    (!names.is_empty()).then(|| format!("most likely a {names}, of this registry or another"))
}

/// Writes `skipDependencyResolution`, and reports conflicts in the lock.
pub(super) fn check(writer: &mut Writer<'_>) {
    let model = writer.model;
    let (flagged, found, unknown, style) = {
        let lock = Lock::new(writer.reading);
        let flagged: Vec<ObjectId> =
            lock.flagged.iter().filter_map(|at| lock.packages.get(*at)).map(|package| package.object).collect();
        // In style Rewrite a dependency may keep its original name; otherwise another package has to be renamed.
        let mirrored: Vec<&str> = lock
            .packages
            .iter()
            .map(LockPackage::name)
            .filter(|name| writer.rules.origins(name).next().is_some())
            .collect();
        let is_open = |package: &&LockPackage| match lock.style {
            Style::Rewrite => !mirrored.is_empty(),
            Style::ImageConfig => mirrored.iter().any(|name| *name != package.name()),
        };
        let unknown: Vec<String> = lock.unknown().filter(is_open).map(|package| unknown_call(model, package)).collect();
        let needs = lock.needs();
        let mut found = conflicts(&lock, &needs);
        found.extend(out_of_range(&lock, &needs));
        (flagged, found, unknown, lock.style)
    };
    for id in flagged {
        let old = writer.facts.packages.get(&id).and_then(|package| package.skips.clone());
        let path = Path::dotted("spec.skipDependencyResolution");
        writer.put(id, path, old, Value::Bool(true), rule::PACKAGE_DEPENDENCY);
    }
    for conflict in found {
        writer.add_finding(conflict.severity, rule::PACKAGE_DEPENDENCY, conflict.message, conflict.object);
    }
    if unknown.is_empty() {
        return;
    }
    let list = unknown.join(", ");
    let (severity, message) = match style {
        Style::Rewrite => (
            Severity::Warning,
            format!(
                "the dependencies of these packages are not known, and dependencies below a `from` would still be \
                 pulled from there: {list}. Record it with `hostnet mirror pin`, or write it under `packages` in the \
                 spec, `dependsOn: []` for a package without dependencies"
            ),
        ),
        Style::ImageConfig => (
            Severity::Info,
            format!(
                "packages of the input have names in the mirror, and the dependencies of these packages are not known: {list}. If one of \
                 them needs another by its old name, Crossplane installs a second one. Record it with `hostnet mirror pin`"
            ),
        ),
    };
    writer.add_finding(severity, rule::PACKAGE_DEPENDENCY, message, None);
}

/// Label of a package with unknown dependencies.
fn unknown_call(model: &Model, package: &LockPackage) -> String {
    let likely = likely_dependencies_text(model, package.object).filter(|_| package.is_object);
    let likely = likely.map(|likely| format!("; {likely}")).unwrap_or_default();
    format!("{} ({}{likely})", package.label, package.source)
}

/// Warnings about packages of the input whose versions are out of the range that another package needs.
///
/// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/revision/dependency.go`, `Resolve` (incompatible
/// dependencies).
fn out_of_range(lock: &Lock<'_>, needs: &[RequiredPackage]) -> Vec<Conflict> {
    let finder = DependencyFinder::new(lock);
    let needs = needs.iter().filter_map(|need| {
        let other = need.instead.as_deref().filter(|other| {
            // Other versions are compared in the registry.
            ImageRef::split(other).tag.is_some_and(|tag| ProgramVersion::read(tag).is_known())
        })?;
        Some((need, other))
    });
    let conflict = |(need, other): (&RequiredPackage, &str)| Conflict {
        severity: Severity::Warning,
        message: format!(
            "{} needs {} ({}), and the input has {other}: Crossplane reports incompatible dependencies, and the package does not become healthy. \
             Change one of the versions",
            finder.requesting_labels(need),
            need.name,
            need.range
        ),
        source: need.by.clone(),
        object: finder.by_source.get(need.by.as_str()).and_then(|all| Some(all.first()?.object)),
    };
    needs.map(conflict).collect()
}

/// A lock, with its packages indexed by place and by reference.
struct DependencyFinder<'j, 'l> {
    lock: &'j Lock<'l>,
    /// The first package of each repository.
    by_place: BTreeMap<&'j str, &'j LockPackage>,
    /// The packages whose dependencies Crossplane resolves, by their references.
    by_source: BTreeMap<&'j str, Vec<&'j LockPackage>>,
}

/// All conflicts in a lock. `needs` are all dependencies of its packages.
pub(super) fn conflicts(lock: &Lock<'_>, needs: &[RequiredPackage]) -> Vec<Conflict> {
    let judge = DependencyFinder::new(lock);
    let mut found: Vec<Conflict> =
        lock.broken.iter().filter_map(|broken| judge.missing_lock_names_conflict(broken)).collect();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for broken in &lock.broken {
        let source = lock.packages.get(broken.package).map(|package| &package.source);
        seen.extend(
            source.into_iter().flat_map(|source| broken.names.iter().map(|name| (source.clone(), name.clone()))),
        );
    }
    let refused = needs.iter().filter(|need| judge.is_refused(need));
    found.extend(refused.map(|need| judge.refused_conflict(need)));
    for need in needs.iter().filter(|need| !judge.is_refused(need)) {
        if !lock.has(&need.name) && seen.insert((need.by.clone(), need.name.clone())) {
            found.extend(judge.need_conflict(need));
        }
    }
    found.extend(judge.conflicts_of_absent_packages(needs));
    found.extend(place_conflicts(lock));
    found.extend(digest_conflicts(lock, needs));
    found
}

impl<'j, 'l> DependencyFinder<'j, 'l> {
    fn new(lock: &'j Lock<'l>) -> Self {
        let mut finder = Self { lock, by_place: BTreeMap::new(), by_source: BTreeMap::new() };
        for package in &lock.packages {
            finder.by_place.entry(&package.place).or_insert(package);
            if !package.skips {
                finder.by_source.entry(&package.source).or_default().push(package);
            }
        }
        finder
    }
}

impl DependencyFinder<'_, '_> {
    /// Style Rewrite: the conflict of a package in the input whose dependencies have names that the lock lacks.
    fn missing_lock_names_conflict(&self, broken: &NamesMissingInLock) -> Option<Conflict> {
        let lock = self.lock;
        if lock.flagged.contains(&broken.package) {
            return None;
        }
        let package = lock.packages.get(broken.package)?;
        let (label, list) = (&package.label, broken.names.join(", "));
        let conflict = |message| Conflict {
            severity: Severity::Error,
            message,
            source: package.source.clone(),
            object: Some(package.object),
        };
        let lacks = format!("{label} needs {list}, by that name, which Crossplane's lock does not have after this run");
        if !package.is_object {
            return Some(conflict(format!(
                "{lacks}: no argument can set `skipDependencyResolution`, so remove it there, and add it to the input as a separate package"
            )));
        }
        if !package.is_selected {
            return Some(conflict(format!(
                "{lacks}, and the config leaves {label} out: write `skipDependencyResolution: true` into its spec"
            )));
        }
        if lock.rules.config.mirror.spec.dependencies.are_refused() {
            let renamed = broken.names.iter().filter_map(|name| {
                let place = lock.place(name);
                let other = self.by_place.get(place.as_str())?;
                Some(format!("{} is {} after this run", other.label, other.name()))
            });
            let renamed: Vec<String> = renamed.collect();
            let renamed = if renamed.is_empty() { String::new() } else { format!(", and {}", renamed.join(", ")) };
            // An ImageConfig does not match a name without registry.
            let is_whole = broken.names.iter().all(|name| !ImageRef::split(name).is_unqualified());
            let style = if is_whole { "Use style ImageConfig (Crossplane v1.20 or later), or write" } else { "Write" };
            return Some(conflict(format!(
                "{label} needs {list}, by that name{renamed}: Crossplane would install it from its original registry, in addition to or instead of the \
                 mirror's. {style} `dependencies: Skip` and add all of them to the input"
            )));
        }
        Some(conflict(format!(
            "{label} needs {}, which is not in the input, and with `dependencies: Skip` Crossplane does not install it: add it as a \
             separate package",
            broken.absent.join(", ")
        )))
    }

    /// Conflicts of packages that are not in the input and that others need under two names.
    fn conflicts_of_absent_packages(&self, needs: &[RequiredPackage]) -> Vec<Conflict> {
        let mut by_place: BTreeMap<String, BTreeMap<&str, &RequiredPackage>> = BTreeMap::new();
        for need in needs {
            let place = self.lock.routes.place(&need.whole);
            if !self.by_place.contains_key(place.as_str()) {
                by_place.entry(place).or_default().entry(&need.name).or_insert(need);
            }
        }
        let mut found: Vec<Conflict> = by_place.values().filter_map(|names| self.name_conflict(names)).collect();
        // Packages of one kind in two repositories with one digest are also the same package.
        let mut by_digest: BTreeMap<(String, Option<&str>), BTreeMap<String, &RequiredPackage>> = BTreeMap::new();
        for need in by_place.values().filter_map(|names| names.values().next()) {
            let Some(source) = need.source.as_deref() else { continue };
            let Some(digest) = self.lock.rules.digest_of_package(source) else { continue };
            let kind = self.lock.rules.entry(source).and_then(|record| record.kind.as_deref());
            by_digest.entry((digest, kind)).or_default().insert(need.name.clone(), need);
        }
        for ((digest, kind), names) in &by_digest {
            let installed = self.lock.packages.iter().find(|package| {
                kind.is_none_or(|kind| package.kind == kind)
                    && self.lock.rules.digest_of_package(&package.source).as_ref() == Some(digest)
            });
            found.extend(match (installed, names.values().next()) {
                (Some(package), Some(need)) => Some(self.digest_conflict(package, need, digest)),
                _ => self.name_conflict(&names.iter().map(|(name, need)| (name.as_str(), *need)).collect()),
            });
        }
        found
    }

    /// The conflict of a package that the input has under one name while another package needs it under a second name
    /// with the same digest.
    fn digest_conflict(&self, package: &LockPackage, need: &RequiredPackage, digest: &str) -> Conflict {
        let lock = self.lock;
        let is_ours = |name: &str| lock.rules.of_package(name).is_some() || lock.rules.is_mirrored(name);
        let is_either = is_ours(&need.name) || is_ours(ImageRef::split(&package.source).name);
        let reference = need.source.as_deref().unwrap_or(&need.name);
        let reference = if package.is_object { format!("package: {reference}") } else { reference.to_owned() };
        let by = self.requesting_labels(need);
        Conflict {
            severity: if is_either { Severity::Error } else { Severity::Warning },
            message: format!(
                "{by} needs {}, and {} is {}: these are two names of one package (both {digest}), and Crossplane installs it twice; {CONFLICT_EFFECT}. In {} write \
                 `{reference}`",
                need.name,
                package.label,
                package.name(),
                package.label
            ),
            source: package.source.clone(),
            object: Some(package.object),
        }
    }

    /// The conflict of one package that others need under several names; `None` for a single name.
    fn name_conflict(&self, names: &BTreeMap<&str, &RequiredPackage>) -> Option<Conflict> {
        // Package metadata contains upstream names, so the name in the mirror has to change.
        let is_mirrored = |need: &&&RequiredPackage| self.lock.rules.is_mirrored(&need.name);
        let unusual = *names.values().find(is_mirrored).or_else(|| names.values().next_back())?;
        let other = *names.values().find(|need| need.name != unusual.name)?;
        let package = self.by_source.get(unusual.by.as_str()).and_then(|all| all.first());
        let label = |need: &RequiredPackage| {
            self.by_source.get(need.by.as_str()).and_then(|all| Some(all.first()?.label.clone()))
        };
        let label = |need: &RequiredPackage| label(need).unwrap_or_else(|| need.by.clone());
        let remedy = match package {
            Some(package) if package.is_object => {
                format!("Write `skipDependencyResolution: true` into the spec of {}", package.label)
            }
            Some(package) => format!(
                "Leave {} out of {}, and add it to the input as a separate package with `skipDependencyResolution: true`",
                package.source, package.label
            ),
            None => {
                format!("Add {} to the input as a separate package with `skipDependencyResolution: true`", unusual.by)
            }
        };
        Some(Conflict {
            severity: Severity::Error,
            message: format!(
                "{} needs {} and {} needs {}: these are two names of one package, and Crossplane installs it twice; \
                 {CONFLICT_EFFECT}. {remedy}, and add all other packages that it needs to the input",
                label(other),
                other.name,
                label(unusual),
                unusual.name
            ),
            source: unusual.by.clone(),
            object: package.map(|package| package.object),
        })
    }

    /// The conflict of a dependency whose name the lock lacks.
    fn need_conflict(&self, need: &RequiredPackage) -> Option<Conflict> {
        let lock = self.lock;
        let is_installed = !self.by_source.contains_key(need.by.as_str());
        let by = self.requesting_labels(need);
        let name = &need.name;
        let place = lock.routes.place(need.source.as_deref().unwrap_or(&need.whole));
        let Some(other) = self.by_place.get(place.as_str()) else {
            if !lock.bypasses_rule(name) {
                return None;
            }
            if lock.style == Style::ImageConfig {
                let message = format!(
                    "{by} needs {name}, a name without registry that means {}: no ImageConfig matches it, so Crossplane pulls it from there and not from the \
                     mirror. Add {} to the input. {}",
                    need.whole,
                    need.whole,
                    self.skip_resolution_remedy(need)
                );
                let object = self.by_source.get(need.by.as_str()).and_then(|all| Some(all.first()?.object));
                return Some(Conflict { severity: Severity::Error, message, source: need.by.clone(), object });
            }
            if !is_installed {
                return None;
            }
            let message = format!(
                "{by}, which Crossplane installs because another package needs it, needs {name} by that name: \
                 Crossplane would install it from its original registry. Add both to the input as separate packages, \
                 and write `dependencies: Skip`"
            );
            return Some(Conflict { severity: Severity::Error, message, source: need.by.clone(), object: None });
        };
        let (label, own) = (&other.label, other.name());
        let (severity, message) = if own == name {
            let is_ours = lock.rules.of_package(name).is_some() || lock.rules.is_mirrored(name);
            let message = format!(
                "{by} needs {name}, and {label} has `skipDependencyResolution: true`, so Crossplane's lock does not have it: Crossplane installs a second \
             one; {CONFLICT_EFFECT}. Remove that field from {label}, or write it into all packages that need it"
            );
            (if is_ours { Severity::Error } else { Severity::Warning }, message)
        } else {
            let differs_by_tag = other.differs_by_tag(name);
            // The run adds the registry to packages that a rule matches, so an unqualified name would be rewritten
            // again.
            let is_qualified = ImageRef::split(name).is_unqualified() && lock.bypasses_rule(name);
            let remedy = match lock.style {
                Style::ImageConfig if is_qualified => self.skip_resolution_remedy(need),
                _ if differs_by_tag => format!("In {label} write `{}`", renamed(lock, other, name)),
                Style::ImageConfig => format!("In {label} write `{}`", renamed(lock, other, name)),
                Style::Rewrite => {
                    format!("Add {by} to the input as a separate package, and write `dependencies: Skip`")
                }
            };
            let since = if differs_by_tag { ", since a tag before a digest is part of the name" } else { "" };
            let message = format!(
                "{by} needs {name}, and {label} has that package as {own}{since}: Crossplane compares names as they are written and installs a second one; \
                 {CONFLICT_EFFECT}. {remedy}"
            );
            (Severity::Error, message)
        };
        Some(Conflict { severity, message, source: other.source.clone(), object: Some(other.object) })
    }
}

impl DependencyFinder<'_, '_> {
    /// The labels of the objects that request the dependent package, else its reference.
    fn requesting_labels(&self, need: &RequiredPackage) -> String {
        let packages = self.by_source.get(need.by.as_str()).into_iter().flatten();
        let labels: Vec<&str> = packages.map(|package| package.label.as_str()).collect();
        if labels.is_empty() { need.by.clone() } else { labels.join(", ") }
    }

    /// The remedy that stops Crossplane from resolving the dependencies of a package.
    fn skip_resolution_remedy(&self, need: &RequiredPackage) -> String {
        match self.by_source.get(need.by.as_str()).and_then(|all| all.first()) {
            Some(package) if package.is_object => {
                format!(
                    "Write `skipDependencyResolution: true` into the spec of {}, and add all packages that it needs to \
                     the input",
                    package.label
                )
            }
            Some(package) => format!(
                "Leave {} out of {}, and add it to the input as a separate package with `skipDependencyResolution: true`, and all that it needs",
                package.source, package.label
            ),
            None => format!(
                "Add {} to the input as a separate package with `skipDependencyResolution: true`, and all that it needs",
                need.by
            ),
        }
    }

    /// True for a name without registry if the release requires a registry.
    fn is_refused(&self, need: &RequiredPackage) -> bool {
        *self.lock.unqualified == Unqualified::Refused && ImageRef::split(&need.name).is_unqualified()
    }

    /// The conflict of a dependency name that the API server refuses in this release.
    ///
    /// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/resolver/reconciler.go`: the new package gets that
    /// name, which the API server refuses.
    fn refused_conflict(&self, need: &RequiredPackage) -> Conflict {
        let message = format!(
            "{} needs {}, a name without registry, which the API server refuses for the new package with Crossplane from {} on. {}",
            self.requesting_labels(need),
            need.name,
            full_names_required_since().unwrap_or_default(),
            self.skip_resolution_remedy(need)
        );
        let object = self.by_source.get(need.by.as_str()).and_then(|all| Some(all.first()?.object));
        Conflict { severity: Severity::Warning, message, source: need.by.clone(), object }
    }
}

/// The line of YAML that renames a package, with its version.
fn renamed(lock: &Lock<'_>, package: &LockPackage, name: &str) -> String {
    let reference = match lock.rules.tag_of(&package.source) {
        Some(tag) => format!("{name}:{tag}"),
        None => format!("{name}{}", ImageRef::split(&package.source).suffix(&package.source)),
    };
    if package.is_object { format!("package: {reference}") } else { reference }
}
