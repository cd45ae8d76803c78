//! `hostnet mirror pin`: records digests and dependencies of packages and images in the config's `packages`.

use std::collections::{BTreeMap, BTreeSet};

use super::config_text::{Records, apply};
use crate::api::{KnownPackage, PACKAGE_MIRROR};
use crate::dependency::needed_package;
use crate::xpkg::PackageReport;
use lossless_yaml::{EditError, KeyPosition, Op, Value};
use oci::name::ImageRef;

/// The recorded facts about packages of a `PackageMirror`.
const PACKAGES: Records = Records {
    kind: PACKAGE_MIRROR,
    key: "packages",
    after: &["dependencies", "digests", "pullPolicy", "ca", "pullSecret", "style", "exclude", "select", "rules"],
    before: &["crossplane"],
};

/// A config with updated `packages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorPinned {
    /// New text of the config.
    pub text: String,
    /// Added or changed keys, each with its digest.
    pub changed: Vec<(String, String)>,
    /// Removed keys.
    pub removed: Vec<String>,
}

/// Entry for a verified package, with the names of dependencies as the package writes them.
///
/// # Errors
/// The first dependency that is not a package.
pub fn record(report: &PackageReport) -> Result<KnownPackage, String> {
    let mut depends_on = Vec::new();
    for needed in &report.depends_on {
        let written = format!("{} {}", needed.package, needed.version).trim_end().to_owned();
        if needed_package(&written).is_none() {
            return Err(written);
        }
        depends_on.push(written);
    }
    let platforms = report.platforms.iter().flatten().chain(&report.own_platform).map(ToString::to_string).collect();
    let runtime_image = report.runtime_image.clone().filter(|image| ImageRef::read(image).is_ok());
    Ok(KnownPackage {
        digest: report.digest.clone(),
        kind: report.kind.clone(),
        depends_on: Some(depends_on),
        platforms,
        runtime_image,
    })
}

type Entries<'e> = Vec<(&'e String, &'e KnownPackage)>;

/// Writes entries into a config's text in sorted order; all other text stays unchanged. Keys in `removed` are removed.
///
/// # Errors
/// If the text cannot be edited.
pub fn write(
    text: &str,
    known: &BTreeMap<String, KnownPackage>,
    found: &BTreeMap<String, KnownPackage>,
    removed: &BTreeSet<String>,
) -> Result<MirrorPinned, EditError> {
    let removed: Vec<String> =
        known.keys().filter(|key| removed.contains(*key) && !found.contains_key(*key)).cloned().collect();
    let mut text = text.to_owned();
    PACKAGES.remove(&mut text, &removed)?;
    let nothing = KnownPackage::default();
    let changed = found.iter().filter(|(key, package)| known.get(*key).is_none_or(|before| before != *package));
    let changed: Vec<(&String, &KnownPackage)> = changed.collect();
    let (new, old): (Entries<'_>, Entries<'_>) =
        changed.iter().copied().partition(|(key, _)| !known.contains_key(*key));
    let mut ops = Vec::new();
    for (key, package) in old {
        let (before, after) = (fields(known.get(key).unwrap_or(&nothing)), fields(package));
        let parent = PACKAGES.path().key(key.clone());
        let names = before.each_ref().map(|(name, _)| *name);
        for (at, ((name, old), (_, new))) in before.into_iter().zip(after).enumerate() {
            match (old, new) {
                (Some(old), Some(new)) if old != new => ops.push(Op::Set { path: parent.key(name), value: new }),
                (None, Some(value)) => {
                    let (earlier, later) = names.split_at_checked(at).unwrap_or_default();
                    let after = earlier.iter().rev().map(|key| (*key).into()).collect();
                    let place = KeyPosition { after, before: later.iter().map(|key| (*key).into()).collect() };
                    ops.push(Op::Add { parent: parent.clone(), key: name.to_owned(), value, place });
                }
                _ => {}
            }
        }
    }
    apply(PACKAGE_MIRROR, &mut text, &ops)?;
    let entry = |package: &KnownPackage| {
        Value::map(fields(package).into_iter().filter_map(|(name, value)| Some((name, value?))))
    };
    let keys: BTreeSet<&str> =
        known.keys().map(String::as_str).filter(|key| !removed.iter().any(|removed_key| removed_key == key)).collect();
    PACKAGES.add(&mut text, &keys, new.iter().map(|(key, package)| ((*key).clone(), entry(package))).collect())?;
    let digest = |package: &KnownPackage| package.digest.clone().unwrap_or_default();
    let changed = changed.into_iter().map(|(key, package)| (key.clone(), digest(package))).collect();
    Ok(MirrorPinned { text, changed, removed })
}

/// Fields of an entry, in output order.
fn fields(package: &KnownPackage) -> [(&'static str, Option<Value>); 5] {
    let texts = |list: &[String]| Value::Seq(list.iter().map(|text| text.as_str().into()).collect());
    [
        ("digest", package.digest.as_deref().map(Value::from)),
        ("kind", package.kind.as_deref().map(Value::from)),
        ("dependsOn", package.depends_on.as_deref().map(texts)),
        ("platforms", Some(texts(&package.platforms)).filter(|_| !package.platforms.is_empty())),
        ("runtimeImage", package.runtime_image.as_deref().map(Value::from)),
    ]
}
