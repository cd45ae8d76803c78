//! Port numbers that are placeholders: rules that need the number skip them.

use crate::check::{CheckContext, Finding};
use crate::model::listener::declared_without_number;
use crate::rule::{PORT_PLACEHOLDER, Severity};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let mut places = declared_without_number(workload.template).peekable();
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
        let finding = Finding::new(Severity::Info, PORT_PLACEHOLDER, message).on(workload.object).at(path);
        findings.push(finding.brief("check the rendered manifests: these ports were not checked", texts.join(", ")));
    }
    findings
}
