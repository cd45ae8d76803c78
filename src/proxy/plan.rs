//! Plans the changes to containers of selected workloads and packages.

use std::collections::{BTreeMap, BTreeSet};

use super::core::Crossplane;
use super::edits::env_edits;
use super::facts::ProxyFacts;
use super::function_policy;
use super::list::matches_every_host;
use super::matches_all::matches_all;
use super::objects::Selection;
use super::package_maps::PackageMaps;
use super::packages;
use super::planned_state::{PlannedState, changed};
use super::required::Role;
use super::select::ProxyTargets;
use super::services::dialled;
use super::variables::{Variable, VariableValue};
use super::writer::{ContainerPlace, Writer};
use crate::api::ProxyTarget;
use crate::catalog::{Compares, DialScope, PackageKind};
use crate::crossplane::{is_core, lacks_core, may_be_core, own_container};
use crate::judge::duplicate_objects::duplicate_packages;
use crate::model::{Model, ObjectId, WorkloadId};
use crate::plan::{Plan, config_object};
use crate::rule::{self, Severity};

/// A plan, and the objects that it covers.
#[derive(Debug)]
pub struct ProxyPlan {
    /// The edits and findings.
    pub plan: Plan,
    /// The workloads and packages that targets select.
    pub selected: BTreeSet<ObjectId>,
    /// Packages with a reported `NO_PROXY` that cannot be read or changed.
    pub opaque: BTreeSet<ObjectId>,
}

/// Plans the changes to the objects of a model. Without errors, `facts` then has the state after the plan.
pub fn plan(model: &Model, facts: &mut ProxyFacts, targets: &ProxyTargets<'_>) -> ProxyPlan {
    let (decided, written) = decide(model, facts, targets);
    if !decided.plan.has_errors() {
        facts.write(written);
    }
    decided
}

/// Plans the variables of all selected workloads and packages.
fn decide(model: &Model, facts: &ProxyFacts, targets: &ProxyTargets<'_>) -> (ProxyPlan, PlannedState) {
    let mut plan = Plan::default();
    let chosen = targets.choose(model, &mut plan.findings);
    plan.missed.nothing_selected = chosen.nothing;
    config_object::report_configs_in_input(model, &mut plan.findings);
    plan.findings.extend(duplicate_packages(model, chosen.packages.iter().map(|(id, _)| *id)));
    let crossplane = Crossplane::new(model, facts, Some(targets.config));
    let objects: BTreeSet<ObjectId> = chosen.workloads.iter().chain(&chosen.packages).map(|(id, _)| *id).collect();
    let selected = Selection {
        objects,
        package_maps: PackageMaps::new(model, facts, &crossplane.core),
        packages_in: crossplane.namespace.clone(),
    };
    let mut writer = Writer {
        model,
        facts,
        spec: &targets.config.proxy.spec,
        crossplane,
        selected,
        plan,
        maps: BTreeMap::new(),
        written: PlannedState::default(),
        opaque: BTreeSet::new(),
        secrets: BTreeSet::new(),
    };
    for (id, target) in &chosen.workloads {
        let own = writer.crossplane.of_core(model, facts, Some(targets.config), *id);
        let first = own.map(|crossplane| std::mem::replace(&mut writer.crossplane, crossplane));
        writer.workload(*id, target);
        if let Some(first) = first {
            writer.crossplane = first;
        }
    }
    packages::write(&mut writer, &chosen.packages);
    function_policy::write(&mut writer);
    writer.write_maps();
    super::urls::report_urls(targets.config, &mut writer.plan.findings);
    super::matches_all::report_wildcards(targets.config, &mut writer.plan.findings);
    report_unchanged(&mut writer.plan);
    (ProxyPlan { plan: writer.plan, selected: writer.selected.objects, opaque: writer.opaque }, writer.written)
}

/// Makes warnings about variables that cannot be changed errors in a build by kustomize, which hides warnings, if the
/// config changes nothing else.
fn report_unchanged(plan: &mut Plan) {
    if plan.all_edits().next().is_none() {
        for finding in plan.findings.iter_mut().filter(|finding| finding.rule == rule::PROXY_OPAQUE) {
            finding.is_error_in_build = true;
        }
    }
}

/// True for a `NO_PROXY` that matches every host.
fn is_wildcard_no_proxy(variable: &Variable) -> bool {
    variable.name.eq_ignore_ascii_case("NO_PROXY")
        && matches!(&variable.held, VariableValue::Text(list) if matches_every_host(list))
}

impl Writer<'_> {
    /// Plans the variables of the containers of a workload.
    fn workload(&mut self, id: ObjectId, target: &ProxyTarget) {
        let Some(object) = self.model.object(id) else { return };
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (index, template) in object.templates().iter().enumerate() {
            let workload = WorkloadId { object: id, template: index };
            for (position, container) in template.containers.iter().enumerate() {
                let named = target.containers.contains(&container.name);
                if named {
                    seen.insert(&container.name);
                }
                let idle = own_container(template, container).filter(|dialer| dialer.dials == DialScope::ApiServer);
                if !named && !target.containers.is_empty() {
                    continue;
                }
                if let Some(dialer) = idle.filter(|_| !named) {
                    let message = format!(
                        "{}: container {} gets no variables: {} calls only the API server",
                        object.meta, container.name, dialer.name
                    );
                    self.add_finding(Severity::Info, rule::PROXY_VARIABLE, message, id);
                    continue;
                }
                let Some(variables) = self.facts.container(id, index, position) else { continue };
                if may_be_core(template, container) && self.may_miss_core() {
                    let message = format!(
                        "{}: container {} may be Crossplane's core; only its command suggests that. If it is, its calls of functions go \
                         through the proxy. Name the container `crossplane`",
                        object.meta, container.name
                    );
                    self.add_finding(Severity::Warning, rule::PROXY_REACH, message, id);
                }
                let role = if is_core(template, container) { Role::Core } else { Role::Other };
                let namespace = object.meta.namespace.clone();
                let place = ContainerPlace {
                    object: id,
                    path: container.path.clone(),
                    package: None,
                    name: object.meta.to_string(),
                    container: Some(container.name.clone()),
                    namespace,
                    services: dialled(self.model, self.facts, workload, (position, container)),
                };
                if role == Role::Core && !matches_all(self.spec, target) && !self.report_missing_core_settings(&place) {
                    continue;
                }
                let merged = self.merged(&place, variables, &[(target, role)], false);
                let after = changed(variables, &merged);
                let is_direct = after.own.iter().any(is_wildcard_no_proxy);
                self.written.containers.insert((id, index, position), after);
                if role == Role::Core
                    && !merged.changes.is_empty()
                    && !is_direct
                    && self.crossplane.external_package_controller(PackageKind::Function).is_none()
                {
                    let namespace = self.crossplane.namespace.as_deref().unwrap_or_default();
                    let message = format!(
                        "{place}: the entry `.{namespace}` excludes functions by name, including functions installed later; other Services of that \
                         namespace are also reached directly"
                    );
                    self.add_finding(Severity::Info, rule::PROXY_VARIABLE, message, id);
                }
                self.plan.together.extend(env_edits(&place, variables, merged));
            }
        }
        self.report_missing_containers(id, &object.meta, target, |name| seen.contains(name));
    }

    /// True if the config or packages of the input show that there is a Crossplane, and the input has no core of it.
    fn may_miss_core(&self) -> bool {
        let is_used = self.spec.crossplane.namespace.is_some() || self.model.packages().next().is_some();
        is_used && lacks_core(self.model)
    }

    /// Reports missing settings that calls of functions need; false if the core must not be changed without them.
    fn report_missing_core_settings(&mut self, place: &ContainerPlace) -> bool {
        let cluster = &self.spec.cluster;
        if self.crossplane.namespace.is_none() {
            let message = format!(
                "{place}: its namespace is not known, so its functions cannot be excluded. Write `crossplane: {{namespace: \
                 crossplane-system}}` in the spec"
            );
            self.add_finding(Severity::Error, rule::PROXY_REACH, message, place.object);
            return false;
        }
        if let Some(by) = self.crossplane.external_package_controller(PackageKind::Function) {
            let message = format!(
                "{place}: {by} leaves functions to another controller, which chooses their addresses, so it is not known if NO_PROXY excludes \
                 them"
            );
            self.add_finding(Severity::Info, rule::PROXY_REACH, message, place.object);
            return true;
        }
        if cluster.pods.is_empty() {
            let why = "compares NO_PROXY with the addresses of functions' pods and with no name: without their range each call of a \
                       function goes to the proxy. Write `cluster: {pods: [10.244.0.0/16]}` in the spec, with your range";
            match self.crossplane.compares() {
                Some(Compares::Names) => {}
                Some(Compares::Addresses) => {
                    let message = format!("{place}: {} {why}", self.crossplane.core.display_name());
                    self.add_finding(Severity::Error, rule::PROXY_REACH, message, place.object);
                    return false;
                }
                None => {
                    let message = format!(
                        "{place}: its version of Crossplane is not known, and one up to v1.19 {why}; or give the version with `crossplane: {{version: v2.3.4}}`"
                    );
                    self.add_finding(Severity::Warning, rule::PROXY_REACH, message, place.object);
                }
            }
        }
        if self.crossplane.functions_on_nodes
            && cluster.nodes.is_empty()
            && self.crossplane.compares() != Some(Compares::Names)
        {
            let message = format!(
                "{place}: functions run on the host network, and their addresses are addresses of nodes: Crossplane up \
                 to v1.19 needs the range of the nodes. Write `cluster: {{nodes: [...]}}` in the spec"
            );
            self.add_finding(Severity::Warning, rule::PROXY_REACH, message, place.object);
        }
        true
    }
}
