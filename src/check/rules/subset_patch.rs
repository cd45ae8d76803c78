//! Patches of subsets of pods that are about the host network: nobody validates them with the template.

use crate::rule::{SUBSET_PATCH, Severity};

use super::{Finding, Situation};
use crate::check::facts::OfKind;
use crate::check::facts::patch::Patches;
use crate::judge::openkruise::{Refuses, absent, refuses, row, words};
use crate::model::{Meta, ObjectId};

/// Where the row of a webhook that validates a patch with the template of its target has the patches.
const PATCHES: &str = "spec.subsets[].patch";

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, patches) in
        situation.all_of(|facts| if let OfKind::Patches(patches) = facts { Some(&**patches) } else { None })
    {
        for (path, value) in &patches.fields {
            let value = if value.is_empty() { String::new() } else { format!(" to `{value}`") };
            let message = format!(
                "{meta}: {path} sets a field of some of its pods{value}: the template shows other ports or another network than they have, \
                 and neither this check nor a HostNetwork follows it. Write it in the template, or make two workloads"
            );
            findings.push(Finding::new(Severity::Warning, SUBSET_PATCH, message).on(id).at(path.clone()));
        }
        findings.extend(refused(situation, id, meta, patches));
    }
    findings
}

/// Whether a webhook refuses a patch for what its target's template has.
fn refused(situation: &Situation<'_>, id: ObjectId, meta: &Meta, patches: &Patches) -> Option<Finding> {
    let (path, kind, name) = patches.first.as_ref()?;
    let row = row(meta, PATCHES)?;
    let target = situation.on_host().find(|workload| {
        let own = workload.meta;
        own.namespace == meta.namespace && own.gvk.kind == *kind && own.name == *name
    })?;
    let (field, number) = absent(target.template).into_iter().next()?;
    let below = field.to_string().replacen(&target.template.spec_path().to_string(), "", 1);
    let version = &situation.versions.openkruise;
    let (severity, doubt) = match refuses(version, row) {
        Refuses::Yes => (Severity::Error, ""),
        Refuses::Maybe => (
            Severity::Warning,
            " Which version you have is not known: give `versions: {openkruise: v1.9.0}` in the config when it is that.",
        ),
        Refuses::No => return None,
    };
    let message = format!(
        "{meta}: {path} is validated with the template of {}, which has no hostPort for {number}; {}.{doubt} Write the hostPort there",
        target.meta,
        words(version, row, &format!("{path}{below}"))
    );
    let finding = Finding::new(severity, SUBSET_PATCH, message).on(id).at(path.clone()).of_port(number);
    Some(finding.with(target.id, field))
}
