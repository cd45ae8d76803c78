//! Field values about ports and the host network that the API server refuses, or that YAML readers interpret
//! differently.

use crate::model::Meta;
use crate::model::pod::PodTemplate;
use lossless_yaml::{Kind, NodeRef, Path, Style};

/// Field with an invalid value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Path of the field.
    pub path: Path,
    /// Reason, in the words of the API server if it has an error message for it.
    pub reason: String,
    /// Remedy: a valid value.
    pub remedy: &'static str,
}

/// Remedy for a port number.
const NUMBER: &str = "Write a number from 1 to 65535, without quotes";

/// Remedy for a port that may have a name.
const NUMBER_OR_NAME: &str = "Write a number from 1 to 65535, without quotes, or the name of a port";

/// Remedy for a boolean.
const BOOLEAN: &str = "Write `true` or `false`, without quotes";

/// Remedy for a protocol.
const PROTOCOL: &str = "Write TCP, UDP or SCTP";

/// Plain scalars that are booleans in YAML 1.1 and strings in YAML 1.2 (<https://yaml.org/type/bool.html>;
/// go.yaml.in/yaml/v2 `resolve.go`).
const OLD_BOOLEANS: [&str; 4] = ["yes", "no", "on", "off"];

/// Probe handlers that dial a port.
const HANDLERS: [&str; 3] = ["httpGet", "tcpSocket", "grpc"];

/// Returns the invalid values of an object, in the fields that rules read.
///
/// Source: Kubernetes v1.36 `pkg/apis/core/validation/validation.go` (`validateContainerPorts`,
/// `validateHTTPGetAction`, `validateServicePort`, `ValidatePortNumOrName`),
/// `staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go` (`IsValidPortNum`).
pub(super) fn invalid(meta: &Meta, object: NodeRef<'_, '_>, templates: &[PodTemplate]) -> Box<[Invalid]> {
    let mut found = Found::default();
    for template in templates {
        let path = template.spec_path();
        if let Some(spec) = object.lookup(&path) {
            found.pod(spec, &path);
        }
    }
    if meta.gvk.group.is_empty() && meta.gvk.kind == "Service" {
        found.service(object);
    }
    found.0.into()
}

#[derive(Default)]
struct Found(Vec<Invalid>);

impl Found {
    fn pod(&mut self, spec: NodeRef<'_, '_>, path: &Path) {
        self.boolean(spec, path, "hostNetwork");
        for list in ["containers", "initContainers"] {
            for (index, container) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
                let name = container.get("name").and_then(NodeRef::text);
                self.container(container, &path.key(list).named_item(index, name));
            }
        }
    }

    fn container(&mut self, container: NodeRef<'_, '_>, path: &Path) {
        for (index, port) in container.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
            let path = path.key("ports").named_item(index, port.get("name").and_then(NodeRef::text));
            self.number(port, &path, "containerPort", 1);
            // `hostPort: 0` is the same as no host port.
            self.number(port, &path, "hostPort", 0);
            self.protocol(port, &path);
        }
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            for handler in HANDLERS {
                let Some(node) = container.get(probe).and_then(|probe| probe.get(handler)) else { continue };
                let path = path.key(probe).key(handler);
                match handler {
                    "grpc" => self.number(node, &path, "port", 1),
                    _ => self.number_or_name(node, &path, "port"),
                }
            }
        }
    }

    fn service(&mut self, service: NodeRef<'_, '_>) {
        let Some(spec) = service.get("spec") else { return };
        // An ExternalName Service is a DNS alias: its ports are not used.
        if spec.get("type").and_then(NodeRef::text) == Some("ExternalName") {
            return;
        }
        for (index, port) in spec.get("ports").into_iter().flat_map(NodeRef::items).enumerate() {
            let path = Path::dotted("spec.ports").named_item(index, port.get("name").and_then(NodeRef::text));
            self.number(port, &path, "port", 1);
            self.number_or_name(port, &path, "targetPort");
            self.number(port, &path, "nodePort", 0);
            self.protocol(port, &path);
        }
    }

    fn add(&mut self, path: &Path, key: &'static str, reason: String, remedy: &'static str) {
        self.0.push(Invalid { path: path.key(key), reason, remedy });
    }

    /// Checks a field that must be a number, from `least` on.
    fn number(&mut self, node: NodeRef<'_, '_>, path: &Path, key: &'static str, least: i64) {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else { return };
        if let Some(reason) = out_of_range(value, least) {
            self.add(path, key, reason, NUMBER);
        } else if value.as_int().is_none() {
            let Some(text) = value.text() else {
                return self.add(path, key, "Invalid value: it is no int32".to_owned(), NUMBER);
            };
            // Some YAML readers parse plain scalars such as 0x50 as numbers.
            let is_number = !is_quoted(value) && text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            if !is_number && is_literal(text) {
                self.add(path, key, format!("Invalid value: \"{text}\": it is a text and no int32"), NUMBER);
            }
        }
    }

    /// Checks a field that is a port number or the name of a port.
    fn number_or_name(&mut self, node: NodeRef<'_, '_>, path: &Path, key: &'static str) {
        let Some(value) = node.get(key).filter(|value| !value.is_null()) else { return };
        // `targetPort: 0` is the same as no target port.
        let least = (key != "targetPort").into();
        if let Some(reason) = out_of_range(value, least) {
            self.add(path, key, reason, NUMBER_OR_NAME);
        } else if is_quoted(value)
            && value.text().is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
        {
            let reason = format!(
                "Invalid value: \"{}\": must contain at least one letter (a-z): a text in quotes is the name of a port",
                value.text().unwrap_or_default()
            );
            self.add(path, key, reason, NUMBER_OR_NAME);
        }
    }

    fn boolean(&mut self, node: NodeRef<'_, '_>, path: &Path, key: &'static str) {
        let Some(value) = node.get(key).filter(|value| !value.is_null() && value.as_bool().is_none()) else { return };
        let Some(text) = value.text() else {
            return self.add(path, key, "Invalid value: it is no boolean".to_owned(), BOOLEAN);
        };
        if !is_quoted(value) && OLD_BOOLEANS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            let reason = format!(
                "`{text}` is a boolean for YAML 1.1 parsers such as kubectl's, and a string for YAML 1.2 parsers"
            );
            self.add(path, key, reason, BOOLEAN);
        } else if is_literal(text) {
            self.add(path, key, format!("Invalid value: \"{text}\": it is no boolean"), BOOLEAN);
        }
    }

    fn protocol(&mut self, node: NodeRef<'_, '_>, path: &Path) {
        let Some(text) = node.get("protocol").and_then(NodeRef::non_null_text) else { return };
        if !text.is_empty() && !["TCP", "UDP", "SCTP"].contains(&text) && text.bytes().all(|b| b.is_ascii_alphabetic())
        {
            let reason = format!("Unsupported value: \"{text}\": supported values: \"SCTP\", \"TCP\", \"UDP\"");
            self.add(path, "protocol", reason, PROTOCOL);
        }
    }
}

/// Reason why an integer is not a port number; `None` for valid ports and for values that are not integers.
fn out_of_range(value: NodeRef<'_, '_>, least: i64) -> Option<String> {
    let text = value.text()?;
    if let Some(number) = value.as_int() {
        let is_port = (least..=65535).contains(&number);
        return (!is_port).then(|| format!("Invalid value: {number}: must be between 1 and 65535, inclusive"));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    // Some YAML readers parse a number with leading zeros as octal.
    let is_long = digits.len() > 18 && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    (is_long && !is_quoted(value)).then(|| format!("Invalid value: {text}: it is no int32"))
}

fn is_quoted(value: NodeRef<'_, '_>) -> bool {
    value.resolved().kind() != Kind::Scalar(Style::Plain)
}

/// False for a text that may be replaced later: `${PORT}`, `{{ .Values.port }}`, `<port>`, `WEBHOOK_PORT`.
fn is_literal(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-'))
}
