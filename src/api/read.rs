//! From a config's text to its types, with positions in every error.

use serde::de::DeserializeOwned;
use serde_saphyr::Error as SaphyrError;

use super::check_config::CheckConfig;
use super::config_map;
use super::document::Document;
use super::host_network::{API_VERSION, HOST_NETWORK, HostNetwork};
use super::host_network_check::HOST_NETWORK_CHECK;
use super::suggest::{unknown, unknown_rule};
use crate::catalog;
use crate::rule;
use crate::yaml::{NodeRef, Path};

/// The kinds that this version knows.
pub const KINDS: [&str; 2] = [HOST_NETWORK, HOST_NETWORK_CHECK];

/// A config that cannot be used: where, what was expected, what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// `FILE:LINE:COLUMN`, as far as known.
    pub place: String,
    /// What is wrong, what was expected and what to write.
    pub message: String,
}

/// A config that was read, and where its parts are.
#[derive(Debug, Clone)]
pub struct Config {
    /// Its content.
    pub host_network: HostNetwork,
    document: Document,
}

impl Config {
    /// Reads a config from the text of a file or of a `functionConfig`.
    ///
    /// `origin` names the text in errors; `first_line` is its first line there, counted from 1.
    ///
    /// ```
    /// let text = "
    /// apiVersion: hostnet.dev/v1alpha1
    /// kind: HostNetwork
    /// metadata: {name: webhooks}
    /// spec:
    ///   targets:
    ///   - select: {kind: Deployment, name: web}
    ///     prots: keep
    /// ";
    /// let error = hostnet::api::Config::read(text, "hostnet.yaml", 1).unwrap_err();
    /// assert_eq!(error.place, "hostnet.yaml:8:5");
    /// assert!(error.message.contains("`ports`"), "{error}");
    /// ```
    pub fn read(text: &str, origin: &str, first_line: usize) -> Result<Self, ConfigError> {
        let whole = Document::new(origin, text, first_line, false);
        let tree = whole.tree()?;
        if let Some(second) = tree.roots().filter(|root| !root.is_null()).nth(1) {
            let message = "one document expected, and here is a second one; leave one of them, and put all targets into its \
                           `targets`";
            return Err(whole.error_before(second.start(), message.to_owned()));
        }
        let Some(root) = tree.roots().find(|root| root.is_mapping()) else {
            return Err(ConfigError { place: origin.to_owned(), message: no_config() });
        };
        match read_one(&whole, root)? {
            AnyConfig::HostNetwork(config) => Ok(*config),
            AnyConfig::Check(_) => {
                let start = root.get("kind").map_or(0, NodeRef::start);
                let message =
                    format!("kind is `{HOST_NETWORK_CHECK}`, expected `{HOST_NETWORK}`; `hostnet check` takes it");
                Err(whole.error_before(start, message))
            }
        }
    }

    /// Whether it is a `ConfigMap` of flat keys.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.document.is_flat()
    }

    /// An error about the value at `path` of the config, with its position.
    #[must_use]
    pub fn error_at(&self, path: &Path, message: impl Into<String>) -> ConfigError {
        self.document.error_at(path, message)
    }

    /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it.
    #[must_use]
    pub fn place_of(&self, path: &Path) -> String {
        self.document.place_of(path)
    }

    /// What the types alone cannot refuse.
    fn validate(&self) -> Result<(), ConfigError> {
        let spec = &self.host_network.spec;
        let targets = Path::dotted("spec.targets");
        if spec.targets.is_empty() {
            let message = "no target: write `targets: [{select: {kind: Deployment, name: web}}]`";
            return Err(self.error_at(&targets, message));
        }
        for (index, target) in spec.targets.iter().enumerate() {
            let path = targets.item(index);
            for (index, bind) in target.bind.iter().enumerate() {
                let path = path.key("bind").item(index);
                if bind.arg.is_some() == bind.env.is_some() {
                    return Err(self.error_at(&path, "give either `arg` (a flag) or `env` (a variable)"));
                }
                if bind.value.as_ref().is_some_and(|value| value.matches("{port}").count() != 1) {
                    return Err(self.error_at(
                        &path.key("value"),
                        "expected a text with one `{port}`, the place of the number: \":{port}\"",
                    ));
                }
            }
        }
        if let Some((path, message)) = super::numbers::malformed_key(spec) {
            return Err(self.error_at(&path, message));
        }
        if let Some((path, message)) = super::numbers::given_twice(spec) {
            return Err(self.error_at(&path, message));
        }
        for (index, program) in spec.programs.iter().enumerate() {
            let path = Path::dotted("spec.programs").item(index);
            let wrong = catalog::check(program);
            if !wrong.is_empty() {
                return Err(self.error_at(&path, format!("program `{}`: {}", program.name, wrong.join("; "))));
            }
            let earlier = spec.programs.iter().take(index);
            if let Some(other) = earlier.clone().find(|other| other.name == program.name) {
                return Err(self.error_at(&path.key("name"), format!("there are two programs `{}`", other.name)));
            }
            if let Some(other) = earlier.into_iter().find(|other| other.is_like(program)) {
                let message = format!(
                    "programs `{}` and `{}` have the same image, and nothing tells them apart: give each its `command`",
                    other.name, program.name
                );
                return Err(self.error_at(&path.key("images"), message));
            }
        }
        for (index, reference) in spec.references.iter().enumerate() {
            let wrong = reference.check();
            if !wrong.is_empty() {
                let path = Path::dotted("spec.references").item(index);
                return Err(self.error_at(&path, wrong.join("; ")));
            }
        }
        for (index, template) in spec.templates.iter().enumerate() {
            let is_key = |key: &str| {
                let name = key.trim_end_matches("[]");
                name == "*" || (!name.is_empty() && name.chars().all(char::is_alphanumeric))
            };
            if !template.path.split('.').all(is_key) {
                let path = Path::dotted("spec.templates").item(index).key("path");
                let message =
                    "expected the path of the pod template, such as `spec.template` or `spec.groups[].template`";
                return Err(self.error_at(&path, message));
            }
        }
        super::nodes::validate(spec.nodes.as_ref(), self)?;
        super::suppress::validate(&spec.suppress, self, |id| {
            let known: Vec<&str> = rule::ALL.iter().map(|rule| rule.id).collect();
            rule::find(id).is_none().then(|| unknown_rule(id, &known))
        })
    }
}

impl super::Positions for Config {
    fn error_at(&self, path: &Path, message: String) -> ConfigError {
        self.document.error_at(path, message)
    }

    fn place_of(&self, path: &Path) -> String {
        self.document.place_of(path)
    }
}

/// A config of any kind.
#[derive(Debug, Clone)]
pub enum AnyConfig {
    /// Moves workloads.
    HostNetwork(Box<Config>),
    /// Judges.
    Check(Box<CheckConfig>),
}

impl AnyConfig {
    /// Reads all configs of a text: one in each document.
    ///
    /// ```
    /// let text = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {rules: {node-prt: Error}}\n";
    /// let error = hostnet::api::AnyConfig::read_all(text, "check.yaml", 1).unwrap_err();
    /// assert_eq!(error.to_string(), "check.yaml:3:26: unknown rule `node-prt`: did you mean `node-port`? `hostnet explain` lists all");
    /// ```
    pub fn read_all(text: &str, origin: &str, first_line: usize) -> Result<Vec<Self>, ConfigError> {
        let whole = Document::new(origin, text, first_line, false);
        let tree = whole.tree()?;
        let documents: Vec<NodeRef<'_, '_>> = tree.roots().filter(|root| !root.is_null()).collect();
        if documents.is_empty() {
            return Err(ConfigError { place: origin.to_owned(), message: no_config() });
        }
        documents.into_iter().map(|root| read_one(&whole, root)).collect()
    }
}

/// Reads one document of a text.
fn read_one(whole: &Document, root: NodeRef<'_, '_>) -> Result<AnyConfig, ConfigError> {
    let field = |name: &str| root.get(name).and_then(NodeRef::text).unwrap_or_default();
    let (api_version, kind) = (field("apiVersion"), field("kind"));
    let of_field =
        |name: &str, message: String| whole.error_before(root.get(name).map_or(root.start(), NodeRef::start), message);
    if kind == "ConfigMap" && api_version == "v1" {
        let host_network = config_map::read(root)
            .map_err(|(path, message)| whole.error_before(root.lookup(&path).unwrap_or(root).start(), message))?
            .ok_or_else(|| ConfigError { place: whole.origin().to_owned(), message: no_config() })?;
        let document = whole.part(alone(whole.text(), root), true);
        return Ok(AnyConfig::HostNetwork(Box::new(Config { host_network, document })));
    }
    if api_version != API_VERSION {
        let message = format!("apiVersion is `{api_version}`, expected `{API_VERSION}` (or a v1 ConfigMap)");
        return Err(of_field("apiVersion", message));
    }
    if !KINDS.contains(&kind) {
        let message = format!("kind is `{kind}`, expected {}", KINDS.map(|k| format!("`{k}`")).join(" or "));
        return Err(of_field("kind", message));
    }
    let document = whole.part(alone(whole.text(), root), false);
    if kind == HOST_NETWORK_CHECK {
        let check = typed(&document)?;
        return CheckConfig::new(check, document).map(|config| AnyConfig::Check(Box::new(config)));
    }
    let config = Config { host_network: typed(&document)?, document };
    config.validate()?;
    Ok(AnyConfig::HostNetwork(Box::new(config)))
}

/// The content of a document.
fn typed<T: DeserializeOwned>(document: &Document) -> Result<T, ConfigError> {
    serde_saphyr::from_str(document.text()).map_err(|error| {
        let number = |n: u64| usize::try_from(n).unwrap_or(1);
        let (line, column) = error.location().map_or((1, 1), |l| (number(l.line()), number(l.column())));
        document.error_on(line, column, explain(&error))
    })
}

/// A document without the empty ones around it; blanks keep its place.
fn alone(text: &str, root: NodeRef<'_, '_>) -> String {
    let before = text.get(..root.start()).unwrap_or_default().chars().filter(|c| *c != '\u{feff}');
    let mut alone: String = before.map(|c| if c == '\n' { c } else { ' ' }).collect();
    alone.push_str(text.get(root.start()..root.span().end).unwrap_or_default());
    alone
}

/// serde-saphyr's error without its position, which [`ConfigError::place`] has.
fn explain(error: &SaphyrError) -> String {
    match error {
        SaphyrError::WithSnippet { error, .. } => explain(error),
        SaphyrError::SerdeUnknownField { field, expected, .. } => unknown("field", field, expected),
        SaphyrError::SerdeUnknownVariant { variant, expected, .. } => unknown("value", variant, expected),
        SaphyrError::SerdeMissingField { field, .. } if *field == "targets" => {
            "field `targets` is missing; write `targets: [{select: {kind: Deployment, name: web}}]`".to_owned()
        }
        SaphyrError::SerdeMissingField { field, .. } => format!("field `{field}` is missing"),
        SaphyrError::DuplicateMappingKey { key: Some(key), .. } => format!("`{key}` is given twice; remove one"),
        other => {
            let message = other.to_string();
            let message = message.lines().next().unwrap_or_default();
            let place = other.location().map(|l| format!(" at line {}, column {}", l.line(), l.column()));
            place.and_then(|place| message.strip_suffix(&place)).unwrap_or(message).to_owned()
        }
    }
}

/// What to write when there is no config at all.
pub(crate) fn no_config() -> String {
    format!(
        "no function config; give one with `-c FILE`, as functionConfig, or with `kpt fn eval ... -- kind=Deployment \
         name=web`:\n  apiVersion: {API_VERSION}\n  kind: {HOST_NETWORK}\n  spec: {{targets: [{{select: {{kind: \
         Deployment, name: web}}, ports: keep}}]}}"
    )
}

#[cfg(test)]
mod tests {
    use super::Config;
    use crate::yaml::{Path, Tree};

    const TEXT: &str = "# é\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: é, x: {y: 1}}\n\
                        spec: {targets: [&t {select: {name: a}}, *t, {select: {name: b}, ports: {http: 80}}], reserved: [1, 2]}\n";

    #[test]
    fn every_value_has_its_place() {
        let config = Config::read(TEXT, "c.yaml", 3).unwrap();
        let tree = Tree::parse(TEXT).unwrap();
        let targets = Path::dotted("spec.targets");
        for path in [
            Path::root(),
            targets.clone(),
            targets.item(0).key("select").key("name"),
            targets.item(2).key("ports").key("http"),
            Path::dotted("spec.reserved").item(1),
            Path::dotted("metadata.x.y"),
        ] {
            let (line, column) = tree.position(tree.root(0).unwrap().lookup(&path).unwrap().start());
            assert_eq!(config.place_of(&path), format!("c.yaml:{}:{column}", line + 2), "{path}");
        }
    }

    #[test]
    fn what_is_not_there_has_the_place_of_what_is_around_it() {
        let config = Config::read(TEXT, "c.yaml", 1).unwrap();
        let targets = Path::dotted("spec.targets");
        assert_eq!(config.place_of(&targets.item(0).key("ports")), config.place_of(&targets.item(0)));
        assert_eq!(config.place_of(&targets.item(1).key("select")), "c.yaml:5:42");
        assert_eq!(config.place_of(&targets.item(9)), config.place_of(&targets));
    }
}
