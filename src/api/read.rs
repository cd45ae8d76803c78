//! Reads configs, with positions in every error.

use serde::de::DeserializeOwned;
use serde_saphyr::Error as SaphyrError;

use super::check_config::CheckConfig;
use super::config_kinds::{CHANGING_KINDS, KINDS};
use super::config_type::config_type;
use super::document::Document;
use super::error::ConfigError;
use super::fail_on::FailOn;
use super::host_network::{HOST_NETWORK, HostNetwork, TemplateKind};
use super::host_network_check::HOST_NETWORK_CHECK;
use super::mirror_config::MirrorConfig;
use super::not_a_config::no_config;
use super::package_mirror::PACKAGE_MIRROR;
use super::proxy_config::ProxyConfig;
use super::proxy_environment::PROXY_ENVIRONMENT;
use super::shape::mismatches;
use super::{config_map, not_a_config};
use lossless_yaml::{LineIndex, NodeRef, Path, Tree};

config_type!(HostNetworkConfig { host_network: HostNetwork });

impl HostNetworkConfig {
    /// Parses a config from the text of a file or of a `functionConfig`.
    ///
    /// `origin` is the name of the text in errors; `first_line` is the number of its first line there, counted from 1.
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
    /// let error = hostnet::api::HostNetworkConfig::read(text, "hostnet.yaml", 1).unwrap_err();
    /// assert_eq!(error.place, "hostnet.yaml:8:5");
    /// assert!(error.message.contains("`ports`"), "{error}");
    /// ```
    pub fn read(text: &str, origin: &str, first_line: usize) -> Result<Self, ConfigError> {
        let whole = Document::new(origin, text, first_line);
        match AnyConfig::single_config(&whole, &[HOST_NETWORK])? {
            AnyConfig::HostNetwork(config) => Ok(*config),
            other => Err(other.unexpected(&whole, HOST_NETWORK)),
        }
    }

    /// True for a `ConfigMap` with flat keys.
    pub fn is_flat(&self) -> bool {
        self.document.is_flat()
    }
}

impl ProxyConfig {
    /// Parses a `ProxyEnvironment`. `origin` is the name of the text in errors; `first_line` is the number of its
    /// first line there, counted from 1.
    pub fn read(text: &str, origin: &str, first_line: usize) -> Result<Self, ConfigError> {
        let whole = Document::new(origin, text, first_line);
        match AnyConfig::single_config(&whole, &[PROXY_ENVIRONMENT])? {
            AnyConfig::Proxy(config) => Ok(*config),
            other => Err(other.unexpected(&whole, PROXY_ENVIRONMENT)),
        }
    }
}

impl MirrorConfig {
    /// Parses a `PackageMirror`. `origin` is the name of the text in errors; `first_line` is the number of its first
    /// line there, counted from 1.
    pub fn read(text: &str, origin: &str, first_line: usize) -> Result<Self, ConfigError> {
        let whole = Document::new(origin, text, first_line);
        match AnyConfig::single_config(&whole, &[PACKAGE_MIRROR])? {
            AnyConfig::Mirror(config) => Ok(*config),
            other => Err(other.unexpected(&whole, PACKAGE_MIRROR)),
        }
    }
}

/// A config of any kind.
#[derive(Debug, Clone)]
pub enum AnyConfig {
    /// A `HostNetwork`, which moves workloads.
    HostNetwork(Box<HostNetworkConfig>),
    /// A `HostNetworkCheck`, which only reports.
    Check(Box<CheckConfig>),
    /// A `ProxyEnvironment`, which writes proxy variables.
    Proxy(Box<ProxyConfig>),
    /// A `PackageMirror`, which redirects packages and images to another registry.
    Mirror(Box<MirrorConfig>),
}

impl AnyConfig {
    /// The entries of `templates`, which only a HostNetwork has.
    pub fn templates(&self) -> &[TemplateKind] {
        match self {
            Self::HostNetwork(config) => &config.host_network.spec.templates,
            Self::Check(_) | Self::Proxy(_) | Self::Mirror(_) => &[],
        }
    }

    /// Overrides `failOn`, if given.
    pub fn with_fail_on(mut self, fail_on: Option<FailOn>) -> Self {
        let Some(fail_on) = fail_on else { return self };
        match &mut self {
            Self::HostNetwork(config) => config.host_network.spec.fail_on = fail_on,
            Self::Check(config) => config.check.spec.fail_on = fail_on,
            Self::Proxy(config) => config.proxy.spec.fail_on = fail_on,
            Self::Mirror(config) => config.mirror.spec.fail_on = fail_on,
        }
        self
    }

    /// Parses the only config in a file that changes objects. The file may also hold configs of other kinds.
    ///
    /// `origin` is the name of the text in errors; `first_line` is the number of its first line there, counted from 1.
    pub fn read(text: &str, origin: &str, first_line: usize) -> Result<Self, ConfigError> {
        Self::single_config(&Document::new(origin, text, first_line), &CHANGING_KINDS)
    }

    /// Parses a `functionConfig` sent by a host. Errors give kind, name and field, because users cannot see the lines
    /// of the stream.
    ///
    /// ```
    /// let text = "{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, metadata: {name: hooks}, spec: {targets: [{select: web}]}}";
    /// let error = hostnet::api::AnyConfig::from_host(text).unwrap_err();
    /// assert_eq!(error.place, "HostNetwork hooks, spec.targets[0].select");
    /// ```
    pub fn from_host(text: &str) -> Result<Self, ConfigError> {
        Self::single_config(&Document::from_host(text), &CHANGING_KINDS)
    }

    /// The only config of one of the `expected` kinds; the first config if no config is of these kinds.
    fn single_config(whole: &Document, expected: &[&str]) -> Result<Self, ConfigError> {
        let tree = whole.tree()?;
        let documents = configs(whole, &tree)?;
        let mut of_kind = documents.iter().copied().filter(|root| expected.contains(&kind_of(*root)));
        let Some(root) = of_kind.next().or(documents.first().copied()) else {
            return Err(ConfigError::new(whole.origin(), not_a_config::nothing()));
        };
        if let Some(second) = of_kind.next() {
            let (kind, other) = (kind_of(root), kind_of(second));
            let message = if kind == other {
                format!("a second {kind} in one file; keep one {kind}, and put all targets into its `targets`")
            } else {
                format!(
                    "a {kind} and a {other} in one file, and a run applies only one of them; put them into two files"
                )
            };
            return Err(whole.error_before(second.start(), message));
        }
        read_one(whole, root)
    }

    /// The error for a config of this kind, the document `whole`, where another kind is `expected`.
    fn unexpected(&self, whole: &Document, expected: &str) -> ConfigError {
        let (kind, takes) = match self {
            Self::HostNetwork(_) => (HOST_NETWORK, "hostnet apply"),
            Self::Check(_) => (HOST_NETWORK_CHECK, "hostnet check"),
            Self::Proxy(_) => (PROXY_ENVIRONMENT, "hostnet apply"),
            Self::Mirror(_) => (PACKAGE_MIRROR, "hostnet apply"),
        };
        let message = format!("kind is `{kind}`, expected `{expected}`; use `{takes}` for this kind");
        whole.error_at(&Path::root().key("kind"), message)
    }

    /// Parses all configs of a text, one per document.
    ///
    /// ```
    /// let text = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {rules: {node-prt: Error}}\n";
    /// let error = hostnet::api::AnyConfig::read_all(text, "check.yaml", 1).unwrap_err();
    /// assert!(error.to_string().starts_with("check.yaml:3:26: unknown rule `node-prt`: did you mean `node-port`?"));
    /// ```
    pub fn read_all(text: &str, origin: &str, first_line: usize) -> Result<Vec<Self>, ConfigError> {
        Self::all(&Document::new(origin, text, first_line))
    }

    /// Parses all configs of a `functionConfig` sent by a host, like [`AnyConfig::from_host`].
    pub fn all_from_host(text: &str) -> Result<Vec<Self>, ConfigError> {
        Self::all(&Document::from_host(text))
    }

    /// Reads all configs of a text.
    fn all(whole: &Document) -> Result<Vec<Self>, ConfigError> {
        let tree = whole.tree()?;
        configs(whole, &tree)?.into_iter().map(|root| read_one(whole, root)).collect()
    }
}

/// The kinds of the configs in a text, up to the first syntax error.
pub fn kinds_in(text: &str) -> Vec<&'static str> {
    let tree = Tree::parse(text).ok();
    let roots = tree.iter().flat_map(Tree::roots).filter(|root| root.is_mapping());
    roots.filter_map(|root| KINDS.into_iter().find(|kind| *kind == kind_of(root))).collect()
}

/// The documents of a text, each a config; at least one.
fn configs<'t, 's>(whole: &Document, tree: &'t Tree<'s>) -> Result<Vec<NodeRef<'t, 's>>, ConfigError> {
    let documents: Vec<NodeRef<'_, '_>> = tree.roots().filter(|root| !root.is_null()).collect();
    if documents.is_empty() {
        return Err(ConfigError::new(whole.origin(), not_a_config::nothing()));
    }
    documents.iter().try_for_each(|root| not_a_config::refuse(whole, *root))?;
    Ok(documents)
}

/// The kind of a config; `HostNetwork` for a `ConfigMap` with flat keys.
fn kind_of<'t>(root: NodeRef<'t, '_>) -> &'t str {
    match root.get("kind").and_then(NodeRef::text).unwrap_or_default() {
        "ConfigMap" => HOST_NETWORK,
        kind => kind,
    }
}

/// Parses one document of a text, which must be of a config kind.
fn read_one(whole: &Document, root: NodeRef<'_, '_>) -> Result<AnyConfig, ConfigError> {
    let kind = root.get("kind").and_then(NodeRef::text).unwrap_or_default();
    let document = whole.part(only_document_text(whole.text(), root), kind == "ConfigMap");
    Ok(match kind {
        "ConfigMap" => {
            let read = config_map::read(root).map_err(|(path, message)| document.error_at(&path, message))?;
            let host_network = read.ok_or_else(|| ConfigError::new(whole.origin(), no_config()))?;
            AnyConfig::HostNetwork(Box::new(HostNetworkConfig { host_network, document }))
        }
        HOST_NETWORK_CHECK => AnyConfig::Check(Box::new(CheckConfig::new(typed(&document, kind)?, document)?)),
        PROXY_ENVIRONMENT => AnyConfig::Proxy(Box::new(ProxyConfig::new(typed(&document, kind)?, document)?)),
        PACKAGE_MIRROR => AnyConfig::Mirror(Box::new(MirrorConfig::new(typed(&document, kind)?, document)?)),
        kind => AnyConfig::HostNetwork(Box::new(HostNetworkConfig::new(typed(&document, kind)?, document)?)),
    })
}

/// The content of a document of this kind.
fn typed<T: DeserializeOwned>(document: &Document, kind: &str) -> Result<T, ConfigError> {
    serde_saphyr::from_str(document.text()).map_err(|error| {
        let tree = document.tree().ok();
        let root = tree.as_ref().and_then(|tree| tree.roots().find(|root| !root.is_null()));
        let mismatches = root.map(|root| mismatches(root, kind)).unwrap_or_default();
        let mut errors = mismatches
            .into_iter()
            .map(|mismatch| document.error_at_offset(&mismatch.path, mismatch.offset, mismatch.message));
        if let Some(first) = errors.next() {
            return first.with_others(errors);
        }
        let number = |n: u64| usize::try_from(n).unwrap_or(1);
        let (line, column) = error.location().map_or((1, 1), |l| (number(l.line()), number(l.column())));
        let start = LineIndex::new(document.text()).start(line);
        let before = document.text().get(start..).unwrap_or_default().chars().take(column - 1);
        document.error_before(start + before.map(char::len_utf8).sum::<usize>(), explain(&error))
    })
}

/// The text of one document without its neighbors, padded with blanks to keep its position.
fn only_document_text(text: &str, root: NodeRef<'_, '_>) -> String {
    let before = text.get(..root.start()).unwrap_or_default().chars().filter(|c| *c != '\u{feff}');
    let mut alone: String = before.map(|c| if c == '\n' { c } else { ' ' }).collect();
    alone.push_str(text.get(root.start()..root.span().end).unwrap_or_default());
    alone
}

/// Formats serde-saphyr's error without its position, which is in [`ConfigError::place`].
fn explain(error: &SaphyrError) -> String {
    match error {
        SaphyrError::WithSnippet { error, .. } => explain(error),
        SaphyrError::DuplicateMappingKey { key: Some(key), .. } => format!("`{key}` is given twice; remove one"),
        other => {
            let message = other.to_string();
            let message = message.lines().next().unwrap_or_default();
            let place = other.location().map(|l| format!(" at line {}, column {}", l.line(), l.column()));
            place.and_then(|place| message.strip_suffix(&place)).unwrap_or(message).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AnyConfig, HostNetworkConfig};
    use lossless_yaml::{Path, Tree};

    const TEXT: &str = "# é\napiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: é, x: {y: 1}}\n\
                        spec: {targets: [&t {select: {name: a}}, *t, {select: {name: b}, ports: {http: 80}}], reserved: [1, 2]}\n";

    #[test]
    fn every_config_value_has_a_position() {
        let config = HostNetworkConfig::read(TEXT, "c.yaml", 3).unwrap();
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
    fn missing_config_values_have_the_position_of_their_parent() {
        let config = HostNetworkConfig::read(TEXT, "c.yaml", 1).unwrap();
        let targets = Path::dotted("spec.targets");
        assert_eq!(config.place_of(&targets.item(0).key("ports")), config.place_of(&targets.item(0)));
        assert_eq!(config.place_of(&targets.item(1).key("select")), "c.yaml:5:42");
        assert_eq!(config.place_of(&targets.item(9)), config.place_of(&targets));
    }

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let text = TEXT.replace("ports: {http: 80}", "\"a\\n\\nb\": 1").replace("reserved:", "\"c\\nd\":");
        for error in [AnyConfig::read(&text, "c.yaml", 1).unwrap_err(), AnyConfig::from_host(&text).unwrap_err()] {
            assert!(error.lines().all(|line| !line.contains('\n')), "{error}");
            assert!(error.message.contains("`a\\n\\nb`"), "{error}");
        }
        let called = TEXT.replace("name: é", "name: \"a\\n\\nb\"").replace("reserved: [", "reserved: [x, ");
        for text in [TEXT.replace("kind: HostNetwork", "kind: \"a\\n\\nb\""), called] {
            let error = AnyConfig::from_host(&text).unwrap_err();
            assert!(error.lines().all(|line| !line.contains('\n')), "{error}");
        }
    }
}
