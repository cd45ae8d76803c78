//! The schema of programs, for `catalog/programs/*.yaml` and for `programs` of a config.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::version::ProgramVersion;

/// A program: what runs in a container, where it listens and what sets its port.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Program {
    /// The name for `program:` of a target; replaces a program of the catalogue with the same name.
    pub name: String,
    /// The ends of its images' paths, without tag: one or more segments; of a package the last one may end in `*`. Empty for a
    /// scaffold, of which many programs are made: its flags count as listen flags wherever they are seen, and are never added.
    pub images: Vec<String>,
    /// The program is a Crossplane package: its images appear in `spec.package`, never in containers.
    #[serde(default)]
    pub package: Option<PackageKind>,
    /// The packages that Crossplane installs with this one, as the last segments of their images.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Words of command and args that must be there in this order; a file's folder does not matter.
    #[serde(default)]
    pub command: Vec<String>,
    /// Moved only by a select whose name matches it alone.
    #[serde(default)]
    pub alone: bool,
    /// The image has no CMD, so arguments may be added to a container without arguments.
    #[serde(default)]
    pub no_cmd: bool,
    /// The kinds of endpoints that it registers with the API server at run time; no manifest shows them.
    #[serde(default)]
    pub registers: Vec<Registration>,
    /// The YAML file that it reads its ports from.
    #[serde(default)]
    pub config: Option<ConfigFile>,
    /// Flags and variables that look like a listen address and are not one.
    #[serde(default)]
    pub not_listen: Vec<String>,
    /// The ports on which it listens.
    pub listeners: Vec<Listener>,
}

impl Program {
    /// Returns the newest version in `since` or `until` of the listeners and their settings; `None` without one. All
    /// releases from this version on have the same listeners and settings.
    #[must_use]
    pub fn newest_version(&self) -> Option<&str> {
        let rows = self.listeners.iter().flat_map(|row| {
            let settings = row.settings.iter().flat_map(|known| [known.known_since(), known.until.as_deref()]);
            [row.since.as_deref(), row.until.as_deref()].into_iter().chain(settings).flatten()
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

/// A YAML file that a program reads its ports from, mounted from a `ConfigMap`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// The flag that names the file; without one it is always `path`.
    #[serde(default)]
    pub arg: Option<String>,
    /// The file that is read when the flag is not given.
    #[serde(default)]
    pub path: Option<String>,
}

/// A place where a program listens.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listener {
    /// One role, or several joined by `+`.
    pub role: String,
    /// Port names in the project's own manifests; the first is given to a port that is not declared.
    pub names: Vec<String>,
    /// The number when nothing sets another; without one it listens only when its port is set or declared.
    #[serde(default)]
    pub default: Option<u16>,
    /// The flags, variables and files that set the number. If all are missing, the first setting that the program's
    /// version has is added.
    #[serde(default)]
    pub settings: Vec<KnownSetting>,
    /// The flag's or variable's value, `{port}` for the number.
    #[serde(default = "bare_port")]
    pub value: String,
    /// The first version that has this listener. What Crossplane declares for an older package is a phantom.
    #[serde(default)]
    pub since: Option<String>,
    /// The first version that has this listener no more.
    #[serde(default)]
    pub until: Option<String>,
    /// Its number cannot be set.
    #[serde(default)]
    pub fixed: bool,
    /// The reason why its number cannot be set, where the program has a flag or variable for it.
    #[serde(default)]
    pub why: Option<String>,
    /// Declared in the project's manifests, but no process listens.
    #[serde(default)]
    pub phantom: bool,
    /// It listens only when the manifest declares it, sets its number, or leads to its default: a Service, a probe, a monitor.
    #[serde(default)]
    pub if_declared: bool,
    /// The switch that turns it on.
    #[serde(default)]
    pub enabled_by: Option<Switch>,
    /// Flags that turn it off where one of them is given.
    #[serde(default)]
    pub disabled_by: Vec<String>,
    /// Values that turn it off.
    #[serde(default)]
    pub off: Vec<String>,
    /// `TCP` (the default), `UDP` or `SCTP`.
    #[serde(default = "tcp")]
    pub protocol: String,
}

impl Listener {
    /// True if one setting sets the numbers of both listeners, which have different protocols.
    #[must_use]
    pub fn is_twin_of(&self, other: &Self) -> bool {
        let sets = |known: &KnownSetting| other.settings.iter().any(|own| own.name() == known.name());
        self.protocol != other.protocol && self.settings.iter().any(sets)
    }
}

fn tcp() -> String {
    "TCP".to_owned()
}

fn bare_port() -> String {
    "{port}".to_owned()
}

/// A way to set the number of a listener: a flag, a variable or a field of the config file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownSetting {
    /// A flag with its dashes.
    #[serde(default)]
    pub arg: Option<String>,
    /// A variable.
    #[serde(default)]
    pub env: Option<String>,
    /// A field of the program's config file, as a dotted path.
    #[serde(default)]
    pub config: Option<String>,
    /// The first version that has it, `<=v0.2.0` when that is the oldest one that was read; without one every version has.
    #[serde(default)]
    pub since: Option<String>,
    /// The first version that has it no more.
    #[serde(default)]
    pub until: Option<String>,
    /// The value in this form, where it differs from the listener's.
    #[serde(default)]
    pub value: Option<String>,
}

impl KnownSetting {
    /// Name of the flag, variable or field.
    #[must_use]
    pub fn name(&self) -> &str {
        self.arg.as_deref().or(self.env.as_deref()).or(self.config.as_deref()).unwrap_or_default()
    }

    /// Oldest version that certainly has the setting: the first one, or the oldest examined one.
    #[must_use]
    pub fn known_since(&self) -> Option<&str> {
        self.since.as_deref().map(|since| since.strip_prefix("<=").unwrap_or(since))
    }
}

/// A boolean flag that turns a listener on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// The flag with its dashes.
    pub arg: String,
    /// The state without the flag: `true` is on.
    pub default: bool,
}
