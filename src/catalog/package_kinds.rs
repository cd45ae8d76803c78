//! Kinds of objects that packages may contain, by release of Crossplane.

use super::data;

/// Port on which Crossplane calls a Function's own pod, whatever its manifests declare.
/// Source: crossplane/crossplane@2d040d2d `internal/controller/pkg/runtime/runtime.go`, `GRPCPort`.
pub const FUNCTION_PORT: u16 = 9443;

/// Kinds that the package parser of Crossplane supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownKinds {
    /// API group of the kinds.
    pub group: &'static str,
    /// API version of the kinds.
    pub version: &'static str,
    /// Names of the kinds.
    pub kinds: &'static [&'static str],
    /// First release that supports the kinds.
    pub since: &'static str,
    /// First release that accepts one of the kinds as the package itself.
    pub taken_since: &'static str,
}

/// Kind of objects that one kind of package may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageLinter {
    /// Kind of the package.
    pub package: &'static str,
    /// API group of the object.
    pub group: &'static str,
    /// Kind of the object.
    pub kind: &'static str,
    /// First release that accepts the object.
    pub since: &'static str,
    /// Error message of Crossplane about an object of another kind.
    pub error: &'static str,
}

/// Values of a field that the CRD of a release refuses in an object of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedField {
    /// API group of the object.
    pub group: &'static str,
    /// Kind of the object.
    pub kind: &'static str,
    /// API version of the object.
    pub version: &'static str,
    /// First release whose CRD has the rule.
    pub since: &'static str,
    /// Path of the field, with dots.
    pub field: &'static str,
    /// Accepted values: `""` stands for a missing field, `*` for any value.
    pub accepts: &'static [&'static str],
    /// Another field, and its values for which the row does not apply.
    pub unless: Option<(&'static str, &'static [&'static str])>,
    /// Error of the API server, where `VALUE` stands for the refused value.
    pub error: &'static str,
}

/// Returns the kinds that the package parser supports.
pub static KNOWN_PACKAGE_KINDS: &[KnownKinds] = data::KNOWN_KINDS;

/// Returns the kinds that packages may contain, in the order in which Crossplane checks them.
pub static PACKAGE_LINTERS: &[PackageLinter] = data::PACKAGE_LINTERS;

/// Returns the values that CRDs refuse, in the order in which the API server checks them.
pub static REFUSED_FIELDS: &[RefusedField] = data::REFUSED_FIELDS;

/// Returns the names of the parser's scheme as error messages contain them, each with the first
/// release that uses it, oldest first.
pub static PACKAGE_SCHEMES: &[(&str, &str)] = data::PACKAGE_SCHEMES;
