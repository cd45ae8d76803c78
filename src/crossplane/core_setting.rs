//! Settings of Crossplane's core that a flag or a variable sets.

/// A setting of Crossplane's core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoreSetting {
    /// Names of the flag, which overrides the variable.
    pub(crate) flags: &'static [&'static str],
    /// Name of the variable.
    pub(crate) variable: &'static str,
}

/// The registry of package names without registry.
/// Source: crossplane/crossplane@v1.20.11 `cmd/crossplane/core/core.go`, `startCommand`.
pub(crate) const REGISTRY: CoreSetting = CoreSetting { flags: &["--registry", "-r"], variable: "REGISTRY" };

/// The controller that creates the pods of packages.
pub(crate) const PACKAGE_RUNTIME: CoreSetting =
    CoreSetting { flags: &["--package-runtime"], variable: "PACKAGE_RUNTIME" };
