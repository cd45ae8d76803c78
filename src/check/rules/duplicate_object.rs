//! Objects that the input contains more than once, with different content.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::api::GROUP;
use crate::check::facts::KindFacts;
use crate::check::{CheckContext, Finding};
use crate::judge::duplicate_objects::are_hooks_of_different_events;
use crate::model::ObjectId;
use crate::model::facts::{Facts, Object, package};
use crate::plan::listed;
use crate::rule::{DUPLICATE_OBJECT, Severity};
use lossless_yaml::Path;

/// Maximum number of names in the message about objects in several files.
const NAMED: usize = 3;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut first: HashMap<_, Vec<ObjectId>> = HashMap::new();
    let mut findings = Vec::new();
    // Objects in several files that use host ports or the host network, grouped by name.
    let mut across: BTreeMap<String, BTreeSet<ObjectId>> = BTreeMap::new();
    for (id, object) in context.model.objects().iter().enumerate() {
        let meta = &object.meta;
        let is_unnamed = meta.name.is_empty() || meta.is_named_later();
        if is_unnamed || meta.gvk.group == GROUP || meta.is_local_config() || !is_read(context, id) {
            continue;
        }
        // Packages are cluster-scoped: ignore a namespace.
        let namespace = meta.namespace.as_deref().filter(|_| meta.gvk.group != package::GROUP);
        let known = first.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_default();
        let is_applied_with = |known: &&ObjectId| {
            let other = context.model.object(**known);
            !other.is_some_and(|other| are_hooks_of_different_events(&other.meta, meta))
        };
        let Some(known) = known.iter().find(is_applied_with).copied() else {
            known.push(id);
            continue;
        };
        let digest = |id: ObjectId| context.facts.get(id).map(|facts| facts.digest);
        if digest(known) == digest(id) {
            continue;
        }
        if context.inputs.get(known) != context.inputs.get(id) {
            if uses_node_ports(context, known) || uses_node_ports(context, id) {
                across.entry(meta.to_string()).or_default().extend([known, id]);
            }
            continue;
        }
        let message = format!(
            "{meta} is in the input more than once, with different content: it is undefined which one the cluster stores. Remove one"
        );
        let finding = Finding::new(Severity::Error, DUPLICATE_OBJECT, message).on_object(id).at(Path::root());
        let fix = "remove all but one: it is undefined which one the cluster stores";
        findings.push(finding.with(known, Path::root()).brief(fix, ""));
    }
    findings.extend(folder_finding(context, across));
    findings
}

/// True if a rule reads objects of this kind. Duplicates of other kinds do not affect the findings.
fn is_read(context: &CheckContext<'_>, id: ObjectId) -> bool {
    let Some((object, facts)) = context.model.object(id).zip(context.facts.get(id)) else { return false };
    let by_kind = match &object.facts {
        Facts::Workload(templates) => !templates.is_empty(),
        Facts::TakesTemplateOf(_)
        | Facts::Service(_)
        | Facts::Caller(..)
        | Facts::NetworkPolicy(_)
        | Facts::Package(_)
        | Facts::RuntimeConfig(_)
        | Facts::ControllerConfig(_)
        | Facts::Node(_) => true,
        Facts::PortFields(_)
        | Facts::Ingress(_)
        | Facts::ConfigMap(_)
        | Facts::ImageConfig(_)
        | Facts::HelmReleases(_)
        | Facts::RegisteringRole(_)
        | Facts::RoleBinding(_)
        | Facts::Other => false,
    };
    let gvk = &object.meta.gvk;
    by_kind
        || object.pod_change().is_some()
        || object.autoscaler().is_some()
        || !object.service_node_ports().is_empty()
        || !matches!(facts.by_kind, KindFacts::Other)
        || (gvk.group.as_str(), gvk.kind.as_str()) == ("", "Namespace")
}

/// True if the pods of the object use ports of their nodes.
fn uses_node_ports(context: &CheckContext<'_>, id: ObjectId) -> bool {
    let templates = context.model.object(id).map(Object::templates).unwrap_or_default();
    templates.iter().any(|template| template.on_host_network() || template.held_ports().next().is_some())
}

/// Reports objects that differ between files, once for all of them. Files of a folder are usually alternatives, such as
/// a base and its patch, or files for two clusters; such files are not compared.
fn folder_finding(context: &CheckContext<'_>, mut across: BTreeMap<String, BTreeSet<ObjectId>>) -> Option<Finding> {
    across.retain(|_, ids| ids.iter().any(|id| context.is_checked(*id)));
    let (_, ids) = across.first_key_value()?;
    let first = ids.iter().copied().find(|id| context.is_checked(*id))?;
    let message = format!(
        "In several files with different content, as in a base and its patch or for two clusters: {}. Such files were not compared with each other. To check one cluster, check its rendered manifests: `kustomize build DIR | hostnet check -`",
        listed(across.keys(), NAMED)
    );
    Some(Finding::new(Severity::Info, DUPLICATE_OBJECT, message).on_object(first))
}
