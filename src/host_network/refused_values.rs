//! `dnsPolicy`, port names, protocols and probe ports that the API server refuses: workloads with such values are not
//! moved.

use super::workload::Workload;
use crate::judge::refused_text::{DNS_POLICIES, PROTOCOLS, is_unsupported, port_name_reason};
use crate::model::pod::{Container, Probe};
use crate::model::text::may_be_filled_in;
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Step, Value};

/// Value that the API server refuses.
struct Refused<'w> {
    rule: rule::Rule,
    path: Path,
    value: &'w str,
    /// The requirement that the value does not meet.
    why: String,
}

/// Reports the `dnsPolicy`, port names, protocols and probe ports that the API server refuses; true if there are any.
pub(super) fn report_refused_values(workload: &Workload<'_>, findings: &mut Vec<Finding>) -> bool {
    let severity = if workload.strict { Severity::Error } else { Severity::Warning };
    let refused: Vec<Refused<'_>> = refused_dns_policy(workload)
        .into_iter()
        .chain(workload.template.running().flat_map(|(_, container)| refused_in_container(container)))
        .collect();
    findings.extend(refused.iter().map(|Refused { rule, path, value, why }| {
        let message = format!(
            "{workload}: {path} is `{value}`, which the API server refuses: {why}. The workload is not changed"
        );
        let finding = Finding::new(severity, *rule, message).on_object(workload.id.object).at(path.clone());
        Finding { current: Some(Value::from(*value)), ..finding }
    }));
    !refused.is_empty()
}

fn refused_dns_policy<'w>(workload: &'w Workload<'_>) -> Option<Refused<'w>> {
    let policy = workload.template.dns_policy.as_ref().map(|policy| policy.text.as_ref())?;
    let path = workload.template.spec_path().key("dnsPolicy");
    let refused = || Refused { rule: rule::DNS_POLICY, path, value: policy, why: one_of(&DNS_POLICIES) };
    is_unsupported(policy, &DNS_POLICIES).then(refused)
}

fn refused_in_container(container: &Container) -> Vec<Refused<'_>> {
    let mut found = Vec::new();
    for (index, port) in container.ports.iter().flatten().enumerate().filter(|(index, _)| container.is_written(*index))
    {
        let path = container.port_path(index);
        if is_unsupported(&port.protocol, &PROTOCOLS) {
            let (path, why) = (path.key("protocol"), one_of(&PROTOCOLS));
            found.push(Refused { rule: rule::PORT_DECLARED, path, value: &port.protocol, why });
        }
        if let Some((name, reason)) = port.name.as_deref().and_then(|name| Some((name, port_name_reason(name)?))) {
            let (path, why) = (path.key("name"), format!("a port name {reason}"));
            found.push(Refused { rule: rule::PORT_DECLARED, path, value: name, why });
        }
    }
    found.extend(container.probes.iter().filter_map(refused_in_probe));
    found
}

/// Port of a probe that is a number in quotes, or a name where only numbers are allowed.
fn refused_in_probe(probe: &Probe) -> Option<Refused<'_>> {
    let Value::Str(text) = probe.port.value() else { return None };
    let takes_names = probe.path.parent().is_some_and(|path| path.last() != Some(&Step::Key("grpc".into())));
    let why = match takes_names {
        true if probe.number().is_some() => "write the number without quotes, or the name of a port",
        false if !may_be_filled_in(&text) => "write a number without quotes",
        _ => return None,
    };
    let (path, value) = (probe.path.clone(), probe.port.text.as_ref());
    Some(Refused { rule: rule::PORT_REFERENCE, path, value, why: why.to_owned() })
}

/// Asks for one of the supported values of a field.
fn one_of(supported: &[&str]) -> String {
    match supported.split_last() {
        Some((last, first)) => format!("write {} or {last}", first.join(", ")),
        None => String::new(),
    }
}
