//! Services that the API server calls: in webhook configurations, CRD conversions and APIServices.

use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Effect, FieldPort, PortField, PortFields};
use super::rollout_request::RolloutSelector;
use super::unfollowed_calls::{OLM, unfollowed_calls};
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use lossless_yaml::{NodeRef, Path};

/// Service that the API server calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Namespace of the Service.
    pub namespace: String,
    /// Name of the Service.
    pub service: String,
    /// Port of the Service.
    pub port: u16,
    /// False for a port that is filled in later.
    pub is_port_known: bool,
    /// True for an aggregated API, false for a webhook or a conversion.
    pub api_service: bool,
    /// True if the API server rejects a request when the webhook call fails: `failurePolicy` is absent or `Fail`.
    /// Source: kubernetes v1.37 `pkg/apis/admissionregistration/v1/defaults.go`; v1beta1 had `Ignore`.
    pub refuses: bool,
    /// Objects of a rollout whose requests call the webhook; `None` if a failed call rejects no such object.
    pub rollout: Option<Box<RolloutSelector>>,
    /// Kind of host in `url`; `None` for a call by `service`. An API server that resolves the names of Services often
    /// runs in the pod network itself.
    pub url: Option<UrlHost>,
    /// Object that configures the call, for messages.
    pub by: String,
}

/// Kind of host in a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlHost {
    /// Service, with the default cluster domain or without a domain.
    Service,
    /// Service, if the domain after `svc` is the cluster domain.
    MayBeForeign,
}

/// Arguments of `kubectl get` for a dump of a cluster with its workloads and the calls of the API
/// server.
pub const DUMP_KINDS: &str = "deployments,statefulsets,daemonsets,services,validatingwebhookconfigurations,\
    mutatingwebhookconfigurations,customresourcedefinitions,apiservices,clusterroles,clusterrolebindings";

/// Default port of the Service of a webhook or APIService.
const DEFAULT_PORT: u16 = 443;

/// Returns the Services that the API server calls because of an object.
fn calls(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<Call> {
    if (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == ("apiregistration.k8s.io", "APIService") {
        return object.get("spec").and_then(|spec| call(meta, spec.get("service")?, true, false)).into_iter().collect();
    }
    let by_default = meta.gvk.version != "v1beta1";
    let call = |client: Client<'_, '_>| {
        let policy = client.webhook.map(|webhook| webhook.get("failurePolicy").and_then(NodeRef::non_null_text));
        let refuses = policy.is_some_and(|policy| policy.map_or(by_default, |policy| policy == "Fail"));
        let called = match client.config.get("service").filter(|service| !service.is_null()) {
            Some(service) => call(meta, service, false, refuses),
            None => call_by_url(meta, client.config.get("url")?.text()?, refuses),
        };
        let rollout = client.webhook.filter(|_| refuses).and_then(RolloutSelector::read);
        Some(Call { rollout, ..called? })
    };
    clients(meta, object).into_iter().filter_map(call).collect()
}

/// `clientConfig` of a webhook or conversion.
struct Client<'n, 't> {
    path: Path,
    config: NodeRef<'n, 't>,
    /// Webhook with this `clientConfig`; `None` for a conversion.
    webhook: Option<NodeRef<'n, 't>>,
}

/// Returns the `clientConfig`s of webhooks and conversions.
fn clients<'n, 't>(meta: &Meta, object: NodeRef<'n, 't>) -> Vec<Client<'n, 't>> {
    match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            let webhooks = object.get("webhooks").into_iter().flat_map(NodeRef::items).enumerate();
            let config = |(index, webhook): (usize, NodeRef<'n, 't>)| {
                let name = webhook.get("name").and_then(NodeRef::text);
                let path = Path::root().key("webhooks").named_item(index, name).key("clientConfig");
                Some(Client { path, config: webhook.get("clientConfig")?, webhook: Some(webhook) })
            };
            webhooks.filter_map(config).collect()
        }
        // Crossplane copies the conversion of its definitions into the CRDs that it makes (crossplane/crossplane@v2.3.4
        // `apis/apiextensions/v2/xrd_types.go`, `internal/controller/apiextensions/managed/crd.go`).
        ("apiextensions.k8s.io", "CustomResourceDefinition")
        | ("apiextensions.crossplane.io", "CompositeResourceDefinition" | "ManagedResourceDefinition") => {
            // v1beta1 of CRDs has the second field.
            let paths =
                ["spec.conversion.webhook.clientConfig", "spec.conversion.webhookClientConfig"].map(Path::dotted);
            let client = |path: Path| Some(Client { config: object.lookup(&path)?, path, webhook: None });
            paths.into_iter().filter_map(client).collect()
        }
        ("auditregistration.k8s.io", "AuditSink") => {
            let path = Path::dotted("spec.webhook.clientConfig");
            let config = object.lookup(&path);
            config.map(|config| Client { path, config, webhook: None }).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Calls of the API server that one object configures.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// Called Services.
    pub services: Vec<Call>,
    /// Ports in called URLs.
    pub urls: PortFields,
    /// Called URLs of hosts other than Services, and other servers that are not followed, each with its path in the
    /// object.
    pub addresses: Vec<(Path, String)>,
}

impl Calls {
    /// Reads the calls; `None` without calls.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Box<Self>> {
        let address = |Client { path, config, .. }: Client<'_, '_>| {
            let url = config.get("url").and_then(NodeRef::non_null_text).filter(|_| config.get("service").is_none())?;
            call_by_url(meta, url, false).is_none().then(|| (path.key("url"), url.to_owned()))
        };
        let is_service =
            |url: &str| call_by_url(meta, url, false).is_some_and(|call| call.url == Some(UrlHost::Service));
        let unfollowed = unfollowed_calls(meta, object, is_service);
        let addresses = clients(meta, object).into_iter().filter_map(address).chain(unfollowed).collect();
        let calls = Self { services: calls(meta, object), urls: urls(meta, object), addresses };
        let is_empty = calls.services.is_empty() && calls.urls.fields.is_empty() && calls.addresses.is_empty();
        (!is_empty).then(|| Box::new(calls))
    }

    /// Adds the port fields of a `ClusterServiceVersion` without a known pod template.
    pub(super) fn add_olm_port_fields(&mut self, meta: &Meta, fields: impl Fn() -> PortFields) {
        if meta.gvk.group == OLM {
            self.urls = fields();
        }
    }
}

/// Returns the ports in URLs that the API server calls because of an object. URLs of Services are left out: their ports
/// are not ports of pods. Other hosts may be nodes.
fn urls(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let all_pods = Arc::new(AppliesTo::AllPods);
    let reported = |Client { path, config, .. }: Client<'_, '_>| {
        let url = config.get("url")?.text()?;
        let authority = url.strip_prefix("https://")?.split('/').next()?;
        // A placeholder may contain a colon.
        let colon = authority.find(":${").or_else(|| authority.rfind(':'))?;
        let (host, written) = (authority.get(..colon)?, authority.get(colon + 1..)?);
        let of_service = host.split('.').nth(2).is_some_and(|label| label.eq_ignore_ascii_case("svc"));
        let (port, range) = FieldPort::parse(written).filter(|_| !of_service && !is_rest_of_host(written))?;
        let (path, effect) = (path.key("url"), Effect::Reported(format!("the API server calls {url}")));
        let (value, applies_to) = (Scalar::string(written), Arc::clone(&all_pods));
        Some(PortField { path, value, range, port, protocol: Some(TCP), applies_to, effect })
    };
    PortFields { fields: clients(meta, object).into_iter().filter_map(reported).collect(), commands: Vec::new() }
}

/// True for the text after a colon inside of a host: `1]` of `[::1]`, `-x}` of `${HOST:-x}`.
fn is_rest_of_host(text: &str) -> bool {
    [('[', ']'), ('{', '}')].iter().any(|(open, close)| text.contains(*close) && !text.contains(*open))
}

/// Reads a call of a Service; `refuses` is true if a failed call rejects requests.
fn call(meta: &Meta, service: NodeRef<'_, '_>, api_service: bool, refuses: bool) -> Option<Call> {
    let text = |key: &str| service.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let written = service.get("port").filter(|port| !port.is_null());
    let port = written.and_then(NodeRef::as_go_int).and_then(|port| u16::try_from(port).ok());
    Some(Call {
        namespace: text("namespace").unwrap_or_default(),
        service: text("name")?,
        port: port.unwrap_or(DEFAULT_PORT),
        is_port_known: port.is_some() || written.is_none(),
        api_service,
        refuses,
        rollout: None,
        url: None,
        by: meta.to_string(),
    })
}

/// Returns the call of a Service by `url` with host `NAME.NAMESPACE.svc`, optionally followed by a domain; `None` for
/// other URLs.
fn call_by_url(meta: &Meta, url: &str, refuses: bool) -> Option<Call> {
    let authority = url.strip_prefix("https://")?.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, DEFAULT_PORT),
    };
    // Host names have no case.
    let host = host.to_ascii_lowercase();
    let mut labels = host.strip_suffix('.').unwrap_or(&host).split('.');
    let (service, namespace) = (labels.next()?.to_owned(), labels.next()?.to_owned());
    let domain = labels.next().filter(|label| *label == "svc").map(|_| labels.collect::<Vec<_>>())?;
    let is_name =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_name(&service) || !is_name(&namespace) {
        return None;
    }
    let is_default = domain.is_empty() || domain == ["cluster", "local"];
    let url = if is_default { UrlHost::Service } else { UrlHost::MayBeForeign };
    Some(Call {
        namespace,
        service,
        port,
        is_port_known: true,
        api_service: false,
        refuses,
        rollout: None,
        url: Some(url),
        by: meta.to_string(),
    })
}
