//! Errors about documents that are not configs, and about a missing config.

use super::config_kinds::KINDS;
use super::document::Document;
use super::error::ConfigError;
use super::host_network::{API_VERSION, GROUP, HOST_NETWORK};
use super::shape::either;
use super::suggest::did_you_mean;
use lossless_yaml::{NodeRef, Path};

/// Rejects a document that is neither of a config kind nor a ConfigMap with flat keys.
pub(super) fn refuse(whole: &Document, root: NodeRef<'_, '_>) -> Result<(), ConfigError> {
    if !root.is_mapping() {
        let message = format!("this is not a config, which is a mapping of fields:\n{}", example());
        return Err(whole.error_before(root.start(), message));
    }
    let field = |name: &str| root.get(name).and_then(NodeRef::text).unwrap_or_default();
    let (api_version, kind) = (field("apiVersion"), field("kind"));
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let at = |name: &'static str, message: String| {
        let offset = root.get(name).map_or(root.start(), NodeRef::start);
        Err(whole.error_at_offset(&Path::root().key(name), offset, message))
    };
    if kind == "ConfigMap" && api_version == "v1" || api_version == API_VERSION && KINDS.contains(&kind) {
        return Ok(());
    }
    let kinds = KINDS.map(|kind| format!("`{kind}`"));
    let kinds = either(kinds.iter().map(String::as_str));
    if group == GROUP || KINDS.contains(&kind) {
        if !KINDS.contains(&kind) {
            let meant =
                did_you_mean(kind, &KINDS).map_or_else(|| format!("expected {kinds}"), |meant| format!("{meant}?"));
            let is = if kind.is_empty() { "`kind` is missing".to_owned() } else { format!("kind is `{kind}`") };
            return at("kind", format!("{is}: {meant}").replace(": expected", ", expected"));
        }
        let is = if api_version.is_empty() {
            "`apiVersion` is missing".to_owned()
        } else {
            format!("apiVersion is `{api_version}`")
        };
        return at("apiVersion", format!("{is}, expected `{API_VERSION}`"));
    }
    if group.starts_with("kustomize.config.k8s.io") || kind.is_empty() && root.get("resources").is_some() {
        let message = "this is a kustomization, and not a config: give it, or its folder, as PATH, and the config with `-c`; or list \
                       the config under its `transformers`";
        return at("apiVersion", message.to_owned());
    }
    if !kind.is_empty() && !api_version.is_empty() {
        let hint = if whole.is_sent_by_host() { "" } else { "; give manifests as PATH, and the config with `-c`" };
        let message = format!(
            "this is a {kind} of {api_version}, and not a config, which has `apiVersion: {API_VERSION}` and kind {kinds}{hint}"
        );
        return at("kind", message);
    }
    let message = if root.get("targets").is_some() || root.get("spec").is_some() {
        format!(
            "`apiVersion` and `kind` are missing: a config begins with them, and `targets` is under `spec`:\n{}",
            example()
        )
    } else {
        format!("this is not a config, which has `apiVersion`, `kind` and `spec`:\n{}", example())
    };
    Err(whole.error_before(root.start(), message))
}

/// The error for a text without documents.
pub(super) fn nothing() -> String {
    format!("it has no config; write one, such as:\n{}", example())
}

/// The error for a missing config, with an example.
pub(crate) fn no_config() -> String {
    format!(
        "no function config; give one with `-c FILE`, as functionConfig, or with `kpt fn eval ... -- kind=Deployment \
         name=web`; `hostnet init PATH` writes one:\n{}",
        example()
    )
}

/// Example of a config, for messages.
fn example() -> String {
    format!(
        "  apiVersion: {API_VERSION}\n  kind: {HOST_NETWORK}\n  spec: {{targets: [{{select: {{kind: Deployment, name: web}}, ports: \
         keep}}]}}"
    )
}
