//! Placeholders as port numbers, which other rules skip, and as `hostNetwork`.

use crate::check::{CheckContext, Finding, Workload};
use crate::model::listener::declared;
use crate::model::text::may_be_filled_in;
use crate::rule::{PORT_PLACEHOLDER, Severity};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = context.workloads.iter().filter_map(host_network).collect();
    for workload in context.on_host() {
        let mut places = declared(workload.template).peekable();
        let Some(path) = places.peek().map(|place| place.container.port_path(place.index)) else { continue };
        let texts: Vec<String> = places.map(|place| format!("`{}`", place.text)).collect();
        let are = match texts.len() {
            1 => "is a placeholder, so this port was",
            _ => "are placeholders, so these ports were",
        };
        let message = format!(
            "{}: {} {are} not checked. Run the check on the rendered manifests",
            workload.meta,
            texts.join(", ")
        );
        let finding = Finding::new(Severity::Info, PORT_PLACEHOLDER, message).on_object(workload.object).at(path);
        findings.push(finding.brief("check the rendered manifests: these ports were not checked", texts.join(", ")));
    }
    findings
}

/// Information about a workload whose `hostNetwork` is a placeholder: it counts as one on the pod network.
fn host_network(workload: &Workload<'_>) -> Option<Finding> {
    let text = workload.template.host_network.as_ref().map(|field| field.text.as_ref())?;
    let message = format!(
        "{}: hostNetwork is `{text}`, a placeholder, so the pod was checked as one on the pod network. Run the check on the rendered \
         manifests",
        workload.meta
    );
    let finding = Finding::new(Severity::Info, PORT_PLACEHOLDER, message).on_object(workload.object);
    let finding = finding.at(workload.template.spec_path().key("hostNetwork"));
    let fix = "check the rendered manifests: these pods were checked as pods on the pod network";
    may_be_filled_in(text).then(|| finding.brief(fix, text))
}
