//! Style Rewrite: packages that need others of a registry that moves. Crossplane compares names as they are written, so one that was
//! renamed is not the one that is needed.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::needs_of;
use super::crossplane::qualified;
use super::writer::Writer;
use crate::api::KnownPackage;
use crate::image::{ImageRef, needed_package};
use crate::model::listener::program_of_package;
use crate::model::{Facts, Model, ObjectId};
use crate::rule::{self, Severity};
use crate::yaml::{Path, Value};

/// The names of the packages that one needs; none when that is not known.
pub(super) fn needs(
    model: &Model,
    known: &BTreeMap<String, KnownPackage>,
    id: ObjectId,
    source: &str,
) -> Option<Vec<String>> {
    let image = ImageRef::of(source);
    if let Some(needed) = needs_of(known, source) {
        let names = needed.iter().filter_map(|needed| needed_package(needed));
        return Some(names.map(|needed| needed.name.to_owned()).collect());
    }
    let object = model.object(id)?;
    let Facts::Package(package) = &object.facts else { return None };
    let (program, _) = program_of_package(package)?;
    if program.dependencies.is_empty() {
        return None;
    }
    // Those of a family lie in one folder.
    let (folder, _) = image.name.rsplit_once('/')?;
    Some(program.dependencies.iter().map(|name| format!("{folder}/{name}")).collect())
}

/// Judges packages that moved.
pub(super) fn check(writer: &mut Writer<'_>, moved: &[ObjectId]) {
    let spec = &writer.rules.config.mirror.spec;
    let present: BTreeSet<String> = writer
        .facts
        .packages
        .values()
        .map(|package| ImageRef::of(&qualified(&package.source, &writer.unqualified)).name.to_owned())
        .collect();
    let mut unknown = Vec::new();
    for id in moved {
        let Some(package) = writer.facts.packages.get(id) else { continue };
        let source = qualified(&package.source, &writer.unqualified);
        let call = writer.call(*id);
        let Some(needs) = needs(writer.model, &spec.packages, *id, &source) else {
            if package.skips != Some(Value::Bool(true)) {
                unknown.push(format!("{call} ({source})"));
            }
            continue;
        };
        let left: Vec<&str> =
            needs.iter().map(String::as_str).filter(|name| writer.rules.of_package(name).is_some()).collect();
        if left.is_empty() {
            continue;
        }
        let list = left.join(", ");
        if spec.dependencies.are_refused() {
            let message = format!(
                "{call} needs {list}, by that name: Crossplane would install it from there, beside or instead of that of the mirror. Use style \
                 ImageConfig (Crossplane v1.20 or later), or write `dependencies: Skip` and have all of them in the input"
            );
            writer.say(Severity::Error, rule::PACKAGE_DEPENDENCY, message, Some(*id));
            continue;
        }
        let absent: Vec<&str> = left.into_iter().filter(|name| !present.contains(*name)).collect();
        if !absent.is_empty() {
            let message = format!(
                "{call} needs {}, which is not in the input, and with `dependencies: Skip` nobody installs it: add it as a package of its own",
                absent.join(", ")
            );
            writer.say(Severity::Error, rule::PACKAGE_DEPENDENCY, message, Some(*id));
        } else if package.skips != Some(Value::Bool(true)) {
            let path = Path::dotted("spec.skipDependencyResolution");
            writer.put(*id, path, package.skips.clone(), Value::Bool(true), rule::PACKAGE_DEPENDENCY);
        }
    }
    if !unknown.is_empty() {
        let message = format!(
            "what these packages need is not known, and what they need below a `from` would still be pulled from there: {}. Write it under \
             `packages` in the spec, `dependsOn: []` for one that needs none",
            unknown.join(", ")
        );
        writer.say(Severity::Warning, rule::PACKAGE_DEPENDENCY, message, None);
    }
}
