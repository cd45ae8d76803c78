//! Kyverno conditions with `key`, `operator` and `value`, as in `deny` and `preconditions`.
//!
//! Source: kyverno/kyverno@111e07bbe pkg/engine/variables/operator (operators), `api/kyverno/v1/common_types.go` (`any`
//! and `all`).

use super::answer::Answer;
use super::pattern::accepts;
use super::read::{at, is_host_text, names_host_fields, text};
use super::subject::{HOST_DNS, Subject};
use lossless_yaml::Value;

/// Resolved `key` of a condition.
enum Operand {
    /// Text, and true if it comes from a host field.
    Text(String, bool),
    HostPorts(Vec<u16>),
    /// Unknown, and true if the key uses host fields.
    Unknown(bool),
}

/// Evaluates `any` and `all`, or a list of conditions that must all be true.
pub(super) fn evaluate(subject: Subject<'_, '_>, conditions: Option<&Value>) -> Answer {
    let of_list = |list: &Value| match list {
        Value::Seq(items) => items.iter().map(|item| evaluate_condition(subject, item)).collect::<Vec<_>>(),
        other => vec![Answer::unknown(names_host_fields(other))],
    };
    match conditions {
        None | Some(Value::Null) => Answer::TRUE,
        Some(list @ Value::Seq(_)) => Answer::all(of_list(list)),
        Some(blocks) => {
            let any = at(blocks, &["any"]).map(|list| Answer::any(of_list(list)));
            let all = at(blocks, &["all"]).map(|list| Answer::all(of_list(list)));
            Answer::all(any.into_iter().chain(all))
        }
    }
}

/// Evaluates one condition of Kyverno: `key`, `operator` and `value`.
fn evaluate_condition(subject: Subject<'_, '_>, condition: &Value) -> Answer {
    let unread = || Answer::unknown(names_host_fields(condition));
    let Some(key) = at(condition, &["key"]) else { return unread() };
    let operator = text(condition, &["operator"]).unwrap_or_default().to_ascii_lowercase();
    let none = Value::Null;
    let value = at(condition, &["value"]).unwrap_or(&none);
    let values = if let Value::Seq(values) = value { values.as_slice() } else { std::slice::from_ref(value) };
    let is_one = |actual: &str| values.iter().try_fold(false, |any, value| Some(accepts(value, actual)? || any));
    match resolve_operand(subject, key) {
        Operand::Text(actual, is_host) => {
            let Some(is_one) = is_one(&actual) else { return Answer::unknown(is_host) };
            let answer = if is_host { Answer::depends_on_host(is_one) } else { Answer::plain(is_one) };
            match operator.as_str() {
                "equal" | "equals" | "in" | "anyin" | "allin" => answer,
                "notequal" | "notequals" | "notin" | "anynotin" | "allnotin" => answer.not(),
                _ => Answer::unknown(is_host),
            }
        }
        Operand::HostPorts(ports) => {
            let each = |wanted: bool| {
                let one = |port: &u16| {
                    is_one(&port.to_string()).map_or(Answer::UNREAD, |is| Answer::depends_on_host(is == wanted))
                };
                ports.iter().map(one).collect::<Vec<_>>()
            };
            match operator.as_str() {
                // A condition on host ports is false without host ports.
                _ if ports.is_empty() => Answer::FALSE,
                "anyin" => Answer::any(each(true)),
                "in" | "allin" => Answer::all(each(true)),
                "notin" | "anynotin" => Answer::any(each(false)),
                "allnotin" => Answer::all(each(false)),
                _ => Answer::UNREAD,
            }
        }
        Operand::Unknown(names_host) => Answer::unknown(names_host || names_host_fields(value)),
    }
}

/// Resolves a key such as `{{ request.object.spec.hostNetwork || false }}`.
fn resolve_operand(subject: Subject<'_, '_>, key: &Value) -> Operand {
    let Value::Str(written) = key else { return Operand::Unknown(false) };
    let inner = written.trim().strip_prefix("{{").and_then(|inner| inner.strip_suffix("}}"));
    let Some(inner) = inner.filter(|inner| !inner.contains("{{")) else {
        return Operand::Unknown(is_host_text(written));
    };
    let (path, default) = match inner.split_once("||") {
        Some((path, default)) => (path, default.trim().trim_matches(['\'', '"', '`'])),
        None => (inner, ""),
    };
    let path: String = path.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    let known = |text: &str| Operand::Text(text.to_owned(), false);
    match path.as_str() {
        "request.operation" => return known("CREATE"),
        "request.object.kind" | "request.kind.kind" => return known(subject.gvk().2),
        "request.namespace" | "request.object.metadata.namespace" => {
            return subject.pods.namespace().map_or(Operand::Unknown(false), known);
        }
        _ => {}
    }
    let spec = format!("request.object.{}.", subject.spec().join("."));
    let Some(field) = path.strip_prefix(&spec) else {
        // A field at the path of another kind's pod spec is absent in this object.
        let is_of_object = path.starts_with("request.object.") && !path.contains(['|', '(', '?']);
        return Operand::Unknown(is_host_text(&path) && !is_of_object);
    };
    if field == "hostNetwork" {
        let value = if subject.pods.host_network { "true" } else { default };
        return Operand::Text(value.to_owned(), subject.pods.host_network);
    }
    if field == "dnsPolicy" {
        let is_written = subject.pods.host_dns;
        return if is_written { Operand::Text(HOST_DNS.to_owned(), true) } else { Operand::Unknown(false) };
    }
    host_ports(subject, field).map_or(Operand::Unknown(is_host_text(field)), Operand::HostPorts)
}

/// Returns the host ports of a field such as `containers[].ports[].hostPort` or
/// `[initContainers,containers][].ports[].hostPort`.
fn host_ports(subject: Subject<'_, '_>, field: &str) -> Option<Vec<u16>> {
    let lists = field.strip_suffix("ports[].hostPort").or_else(|| field.strip_suffix("ports[*].hostPort"))?;
    let lists = lists.strip_suffix("[].").or_else(|| lists.strip_suffix("[*]."))?;
    let lists = lists.strip_prefix('[').and_then(|lists| lists.strip_suffix(']')).unwrap_or(lists);
    let mut ports = Vec::new();
    for list in lists.split(',') {
        ports.extend(subject.pods.list(list)?.iter().flat_map(|container| container.host_ports.iter().copied()));
    }
    Some(ports)
}
