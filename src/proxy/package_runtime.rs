//! The package runtime of Crossplane's core: the core or another controller creates the pods of packages.
//!
//! `--package-runtime`, or the variable `PACKAGE_RUNTIME`: `Deployment` (default) or `External`, since v2.0 also by
//! kind, `Provider=Deployment;Function=External` (crossplane/crossplane@v2.3.4
//! `internal/controller/pkg/controller/runtime.go`).

use super::core_setting::core_setting;
use super::effective::KnownValue;
use super::facts::ProxyFacts;
use crate::catalog::PackageKind;
use crate::crossplane::PACKAGE_RUNTIME;
use crate::model::{Model, ObjectId};

/// The package runtime setting of a core.
#[derive(Debug, Default)]
pub(super) struct PackageRuntime {
    /// The value and its source for messages; `None` for the default.
    setting: Option<(KnownValue, String)>,
}

impl PackageRuntime {
    /// Reads the setting of the first core, or of core `core` if given.
    pub(super) fn new(model: &Model, facts: &ProxyFacts, core: Option<ObjectId>) -> Self {
        Self { setting: core_setting(model, facts, core, PACKAGE_RUNTIME) }
    }

    /// The setting by which another controller creates the pods of this kind; `None` if Crossplane does.
    pub(super) fn external_controller(&self, kind: PackageKind) -> Option<&str> {
        let (setting, by) = self.setting.as_ref()?;
        let elsewhere = match setting {
            KnownValue::Text(text) => is_external(text, kind),
            KnownValue::Hidden(_) => true,
        };
        elsewhere.then_some(by.as_str())
    }
}

/// True if the setting leaves the pods of this kind of package to another controller.
fn is_external(setting: &str, kind: PackageKind) -> bool {
    let name = match kind {
        PackageKind::Provider => "Provider",
        PackageKind::Function => "Function",
    };
    let mut parts = setting.split(';').map(|one| one.split_once('=').unwrap_or((name, one)));
    let runtime = parts.rfind(|(kind, _)| kind.trim() == name);
    runtime.is_some_and(|(_, runtime)| runtime.trim() == "External")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_is_of_all_kinds_or_of_one() {
        for (setting, provider, function) in [
            ("Deployment", false, false),
            ("External", true, true),
            ("Provider=Deployment;Function=External", false, true),
            ("Function = External ; Provider=External", true, true),
            ("Provider=External", true, false),
            ("", false, false),
        ] {
            let external = |kind| is_external(setting, kind);
            assert_eq!(
                (external(PackageKind::Provider), external(PackageKind::Function)),
                (provider, function),
                "{setting}"
            );
        }
    }
}
