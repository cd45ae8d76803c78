//! The schema of programs, for `catalog/programs/*.yaml` and for `programs` of a config.

use schemars::JsonSchema;
use serde::Deserialize;

use super::matching::best_match;
use crate::version::ProgramVersion;

/// A program of a container, with its listeners and the settings of their ports.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Program {
    /// The name for `program:` of a target; replaces a program of the catalogue with the same name.
    pub name: String,
    /// The ends of the image paths, without tag: one or more segments. For a package the last segment may end in `*`.
    /// Empty for a scaffold, from which many programs are generated: its flags count as listen flags in every program,
    /// and are never added.
    pub images: Vec<String>,
    /// The program is a Crossplane package: its images appear in `spec.package`, never in containers.
    pub package: Option<PackageKind>,
    /// The packages that Crossplane installs with this package, as the last segments of their images.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// The entries of `images` without `dependencies`.
    #[serde(default)]
    pub without_dependencies: Vec<String>,
    /// Words that command and args must contain in this order. The folder of a file is ignored.
    #[serde(default)]
    pub command: Vec<String>,
    /// `true`: the program is moved only by a select whose name matches only this program.
    #[serde(default)]
    pub alone: bool,
    /// The image has no CMD, so arguments may be added to a container without arguments.
    #[serde(default)]
    pub no_cmd: bool,
    /// The kinds of endpoints that the program registers with the API server at run time, which no manifest shows.
    #[serde(default)]
    pub registers: Vec<Registration>,
    /// The YAML file from which the program reads its ports.
    pub config: Option<ConfigFile>,
    /// Flags and variables that look like listen addresses but do not set an address.
    #[serde(default)]
    pub not_listen: Vec<String>,
    /// The ports on which it listens.
    pub listeners: Vec<Listener>,
}

impl Program {
    /// Returns the packages that Crossplane installs with a package of this image path, without tag and digest.
    pub fn dependencies_of(&self, image: &str) -> &[String] {
        if best_match(&self.without_dependencies, image).is_some() { &[] } else { &self.dependencies }
    }

    /// Returns the newest version in `since` or `until` of the listeners and their settings; `None` without such a
    /// version. All releases from this version on have the same listeners and settings.
    pub fn newest_version(&self) -> Option<&str> {
        let rows = self.listeners.iter().flat_map(|row| {
            let settings = row.settings.iter().flat_map(|known| [known.known_since(), known.until.as_deref()]);
            let bounds = [row.since.as_deref(), row.until.as_deref(), row.default_since.as_deref()];
            bounds.into_iter().chain(settings).flatten()
        });
        rows.reduce(|newest, other| match ProgramVersion::read_release(other).has(newest) {
            Some(true) => other,
            _ => newest,
        })
    }
}

/// The kinds of Crossplane packages that run a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum PackageKind {
    /// A `Provider` of `pkg.crossplane.io`.
    Provider,
    /// A `Function` of `pkg.crossplane.io`.
    Function,
}

/// A kind of endpoint that a program registers with the API server at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    /// Admission webhooks.
    Webhook,
    /// An aggregated API.
    ApiService,
    /// Conversion webhooks of custom resources.
    Conversion,
}

/// A YAML file with ports of a program, mounted from a `ConfigMap`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// The flag with the path of the file. Default: the file is always `path`.
    pub arg: Option<String>,
    /// The path of the file without the flag.
    pub path: Option<String>,
}

/// A port of a program.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listener {
    /// One role, or several joined by `+`.
    pub role: String,
    /// Port names in the project's own manifests. An undeclared port gets the first name.
    pub names: Vec<String>,
    /// The default number. Without a default, the program listens only if the port is set or declared.
    pub default: Option<u16>,
    /// The first version with `default`. Older versions have `formerDefault`.
    pub default_since: Option<String>,
    /// The default number before `defaultSince`.
    pub former_default: Option<u16>,
    /// The flags, variables and files that set the number. If all are missing, the first setting that the program's
    /// version has is added.
    #[serde(default)]
    pub settings: Vec<KnownSetting>,
    /// The value of the flag or variable; `{port}` is replaced by the number.
    #[serde(default = "bare_port")]
    pub value: String,
    /// The first version with this listener. For an older package, the port that Crossplane declares has no listener.
    pub since: Option<String>,
    /// The first version without this listener.
    pub until: Option<String>,
    /// `true`: the number cannot be set.
    #[serde(default)]
    pub fixed: bool,
    /// The reason why the number cannot be set although the program has a flag or variable for it.
    pub why: Option<String>,
    /// `true`: the project's manifests declare the port, but no process listens.
    #[serde(default)]
    pub phantom: bool,
    /// `true`: the program listens only if the manifest declares the port, sets its number, or refers to the default
    /// number in a Service, probe or monitor.
    #[serde(default)]
    pub if_declared: bool,
    /// The switch that enables the listener.
    pub enabled_by: Option<Switch>,
    /// Flags that disable the listener: any of them suffices.
    #[serde(default)]
    pub disabled_by: Vec<String>,
    /// Values that disable the listener.
    #[serde(default)]
    pub off: Vec<String>,
    /// `TCP` (the default), `UDP` or `SCTP`.
    #[serde(default = "tcp")]
    pub protocol: String,
}

impl Listener {
    /// True if one setting sets the numbers of both listeners, which have different protocols.
    pub fn shares_setting_with(&self, other: &Self) -> bool {
        let sets = |known: &KnownSetting| other.settings.iter().any(|setting| setting.name() == known.name());
        self.protocol != other.protocol && self.settings.iter().any(sets)
    }

    /// Returns the default number of a version, and a second one if the version may be older than `defaultSince`.
    pub fn defaults_of(&self, version: &ProgramVersion) -> (Option<u16>, Option<u16>) {
        let Some(since) = self.default_since.as_deref() else { return (self.default, None) };
        match version.has(since) {
            Some(true) => (self.default, None),
            Some(false) => (self.former_default, None),
            None => (self.default, self.former_default),
        }
    }

    /// True if this is the default number of some version.
    pub fn is_default(&self, number: u16) -> bool {
        [self.default, self.former_default].contains(&Some(number))
    }
}

fn tcp() -> String {
    "TCP".to_owned()
}

fn bare_port() -> String {
    "{port}".to_owned()
}

/// A setting of a listener's port number: a flag, a variable or a field of the config file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownSetting {
    /// A flag with its dashes.
    pub arg: Option<String>,
    /// A variable.
    pub env: Option<String>,
    /// A field of the program's config file, as a dotted path.
    pub config: Option<String>,
    /// The first version with the setting; `<=v0.2.0` if v0.2.0 is the oldest examined version. Default: every version
    /// has the setting.
    pub since: Option<String>,
    /// The first version without the setting.
    pub until: Option<String>,
    /// The value for this setting, if it differs from the listener's value.
    pub value: Option<String>,
    /// `true`: it overrides the other settings. Default: a flag overrides a variable.
    #[serde(default)]
    pub wins: bool,
}

impl KnownSetting {
    /// Name of the flag, variable or field.
    pub fn name(&self) -> &str {
        self.arg.as_deref().or(self.env.as_deref()).or(self.config.as_deref()).unwrap_or_default()
    }

    /// Oldest version that certainly has the setting: the first version with it, or the oldest examined version.
    pub fn known_since(&self) -> Option<&str> {
        self.since.as_deref().map(|since| since.strip_prefix("<=").unwrap_or(since))
    }

    /// Describes the age of the setting: `was added in v0.2.0`, or `exists at least since v0.2.0` if no older version
    /// was examined.
    pub fn age(&self) -> Option<String> {
        let since = self.since.as_deref()?;
        Some(match since.strip_prefix("<=") {
            Some(examined) => format!("exists at least since {examined}"),
            None => format!("was added in {since}"),
        })
    }
}

/// A boolean flag that enables a listener.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// The flag with its dashes.
    pub arg: String,
    /// The state without the flag: `true` means enabled.
    pub default: bool,
}
