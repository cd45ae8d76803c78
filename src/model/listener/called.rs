//! Workloads and packages that the API server calls, with the reasons.

use std::collections::{BTreeMap, BTreeSet};

use super::hints::Hints;
use super::program::{program_of, program_of_package};
use super::role::Role;
use super::types::Listener;
use crate::model::facts::{
    AppliesTo, OLM, PodsView, PortField, Reach, Registration, Service, UrlHost, compare_namespaces, package,
};
use crate::model::id::{ObjectId, WorkloadId};
use crate::model::index::Model;
use crate::model::pod::{PodTemplate, Token};
use crate::model::text::words;
use crate::model::{Facts, Meta, Object};

/// Reasons why the API server calls a workload or package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallReasons {
    /// Objects of the input that configure a call, each with the called Service, for messages.
    pub seen: BTreeSet<String>,
    /// Objects of the input with the `url` of a Service: they may be meant for another API server.
    pub by_url: BTreeSet<String>,
    /// Programs that register webhooks or APIs at run time, which manifests do not show.
    pub registers: Vec<String>,
}

impl CallReasons {
    /// All reasons, as texts.
    pub fn reasons(&self) -> impl Iterator<Item = String> {
        let registers = self.registers.iter();
        let registers =
            registers.map(|name| format!("{name} registers its webhooks and APIs with the API server at run time"));
        self.seen.iter().chain(&self.by_url).cloned().chain(registers)
    }
}

/// Returns the workloads and packages that the API server calls.
pub fn called(model: &Model) -> BTreeMap<ObjectId, CallReasons> {
    called_together(model, |_, _| true)
}

/// Returns the workloads and packages that the API server calls, through objects that may be applied together.
/// `together` is false for two objects that are alternatives of each other.
pub fn called_together(
    model: &Model,
    together: impl Fn(ObjectId, ObjectId) -> bool,
) -> BTreeMap<ObjectId, CallReasons> {
    let mut called: BTreeMap<ObjectId, CallReasons> = BTreeMap::new();
    for (id, meta, service) in model.services() {
        // Several renders of one object give the same reason, so one reason suffices for a workload.
        let mut callers: BTreeMap<(&str, bool), Vec<ObjectId>> = BTreeMap::new();
        for (caller, call) in model.calls_with_cause(meta).filter(|(caller, _)| together(*caller, id)) {
            callers.entry((&call.by, call.url.is_some())).or_default().push(caller);
        }
        if callers.is_empty() {
            continue;
        }
        for workload in ServicePods::new(model, meta, service).followed().filter(|one| together(one.object, id)) {
            for ((by, by_url), objects) in &callers {
                if objects.iter().any(|caller| together(workload.object, *caller)) {
                    let reasons = called.entry(workload.object).or_default();
                    let calls = if *by_url { &mut reasons.by_url } else { &mut reasons.seen };
                    calls.insert(format!("{by} calls it through {meta}"));
                }
            }
        }
    }
    for (id, object, template) in model.workloads() {
        if !olm_port_fields(model, PodsView { meta: &object.meta, template }).is_empty() {
            let reason = format!("Operator Lifecycle Manager makes the webhooks and APIs that {} defines", object.meta);
            called.entry(id.object).or_default().seen.insert(reason);
        }
        let programs = template.running().filter_map(|(_, c)| program_of(c, &object.meta, &Hints::default()));
        for (program, _) in programs.filter(|(program, _)| !program.registers.is_empty()) {
            called.entry(id.object).or_default().registers.push(program.name.clone());
        }
    }
    for (id, _, package) in model.packages() {
        let program = program_of_package(package).filter(|(program, _)| !program.registers.is_empty());
        if let Some((program, _)) = program {
            called.entry(id).or_default().registers.push(program.name.clone());
        }
    }
    called
}

/// Fields of a `ClusterServiceVersion` with ports of these pods that the API server calls: Operator Lifecycle Manager
/// creates a Service and a webhook configuration or APIService from each field.
pub(in crate::model) fn olm_port_fields<'m>(model: &'m Model, pods: PodsView<'_>) -> Vec<&'m PortField> {
    if pods.meta.gvk.group != OLM {
        return Vec::new();
    }
    let groups = model.field_index().groups_for_pods(model, pods).into_iter();
    let own = groups.filter(|(_, group, _)| matches!(*group.applies_to, AppliesTo::Template(..)));
    own.flat_map(|(_, group, _)| group.fields(model)).map(|(_, field)| field).collect()
}

/// True if the API server may call a listener of an object, by the role of the listener. If the catalogue knows that
/// the program of a package registers nothing, the API server calls its webhook server only through the Service of the
/// package.
pub fn may_be_called(model: &Model, owner: ObjectId, meta: &Meta, listener: &Listener) -> bool {
    let registers_nothing = || match model.object(owner).map(|object| &object.facts) {
        Some(Facts::Package(package)) => {
            program_of_package(package).is_some_and(|(program, _)| program.registers.is_empty())
                && !model.is_called(meta)
        }
        _ => false,
    };
    listener.role.is_called_by_api_server() && !registers_nothing()
}

/// Workload that may register itself with the API server at run time.
#[derive(Debug)]
pub struct MayRegister<'m> {
    /// Workload.
    pub id: WorkloadId,
    /// Object of the workload.
    pub meta: &'m Meta,
    /// Template of its pods.
    pub template: &'m PodTemplate,
    /// Registration that the roles of its service account permit.
    pub registration: Registration,
}

/// Returns workloads that may register themselves at run time: the roles of their service account permit it, the
/// catalogue does not know all of their programs, and the input shows no call (`is_called`). If a role permits
/// everything, the pods must also show a webhook server.
pub fn may_register(model: &Model, is_called: impl Fn(ObjectId) -> bool) -> Vec<MayRegister<'_>> {
    let registrars = model.registrars();
    let uncalled = model.workloads().filter(|(id, ..)| !is_called(id.object));
    // A Job ends, so it serves no webhook.
    let serving = uncalled.filter(|(_, object, template)| !object.meta.is_job() && template.token != Token::Absent);
    let permitted = serving.filter_map(|(id, object, template)| {
        let registration = registrars.registration(object.meta.namespace.as_deref(), &template.service_account)?;
        let is_shown = registration != Registration::Everything || serves_webhooks(model, &object.meta, template);
        is_shown.then_some(MayRegister { id, meta: &object.meta, template, registration })
    });
    let hints = Hints::default();
    let is_open = |one: &MayRegister<'_>| {
        !one.template.running().all(|(_, container)| program_of(container, one.meta, &hints).is_some())
    };
    permitted.filter(is_open).collect()
}

/// Word of an option with the address of a webhook that the program itself calls, such as `--webhook-url` of git-sync.
const CALLS: &str = "url";

/// True if pods show a webhook server: a port number that is 443 or ends with 443, because the API server requires
/// HTTPS, or a word about webhooks in the name of a port, argument or variable.
fn serves_webhooks(model: &Model, meta: &Meta, template: &PodTemplate) -> bool {
    let is_https = |port: u16| port % 1000 == 443;
    let is_meant = |text: &str| {
        let is_called = Role::from_name(text).is_some_and(Role::is_called_by_api_server);
        is_called && !words(text).iter().any(|word| word == CALLS)
    };
    let mut services = model.services_of(meta, template).flat_map(|(.., service)| &service.ports);
    let mut containers = template.running().map(|(_, container)| container);
    services.any(|port| port.port.is_some_and(is_https) || port.name.as_deref().is_some_and(is_meant))
        || containers.any(|container| {
            let mut ports = container.ports.iter().flatten();
            ports.any(|port| port.number().is_some_and(is_https) || port.name.as_deref().is_some_and(is_meant))
                || container.words().any(|(.., word)| is_meant(word))
                || container.env.iter().any(|variable| is_meant(variable.name))
        })
}

/// Workloads whose pods a Service selects.
struct ServicePods {
    /// Workloads whose template has all labels of the selector.
    as_written: Vec<WorkloadId>,
    /// Workloads whose template lacks only labels that are set on running pods.
    at_run_time: Vec<WorkloadId>,
}

impl ServicePods {
    fn new(model: &Model, meta: &Meta, service: &Service) -> Self {
        let selected = model.selected_by(meta, service);
        let (as_written, at_run_time): (Vec<_>, Vec<_>) =
            selected.partition(|(_, template)| service.selects_template_labels(&template.labels));
        let ids = |all: Vec<(WorkloadId, &PodTemplate)>| all.into_iter().map(|(id, _)| id).collect();
        Self { as_written: ids(as_written), at_run_time: ids(at_run_time) }
    }

    /// Workloads that count as selected by the Service. If several workloads lack a label that is set on running pods,
    /// it is unknown which workloads get the label, so no workload counts.
    fn followed(&self) -> impl Iterator<Item = WorkloadId> {
        let at_run_time = match (&*self.as_written, &*self.at_run_time) {
            ([], [one]) => Some(*one),
            _ => None,
        };
        self.as_written.iter().copied().chain(at_run_time)
    }
}

/// Service of the input that the API server calls, and whose selector matches no pod template of the input as written.
#[derive(Debug)]
pub struct CalledWithoutPods<'m> {
    /// Service.
    pub id: ObjectId,
    /// Metadata of the Service.
    pub meta: &'m Meta,
    /// Object that configures the call, for messages.
    pub by: &'m str,
    /// Workloads that the Service may select.
    pub possible_pods: PossiblePods<'m>,
}

/// Workloads that a Service may select if its selector matches no pod template as written.
#[derive(Debug)]
pub enum PossiblePods<'m> {
    /// The Service has no selector, or is of type `ExternalName`.
    NoSelector,
    /// The Service has no selector, and its endpoints name these pods of the input.
    Endpoints(Vec<&'m Meta>),
    /// A single workload matches, except for a label that is set on running pods: this workload counts as selected.
    AtRunTime {
        /// Workload.
        workload: WorkloadId,
        /// Label that the template lacks.
        label: (&'m str, &'m str),
    },
    /// Workloads with all labels of the selector, where only the Service or only the workload has a namespace. They do
    /// not count as selected.
    NamespaceMissing(Vec<WorkloadId>),
    /// Workloads in the namespace of the Service with some labels of the selector and no other value for any of its
    /// keys; empty without such workloads. They do not count as selected.
    Candidates {
        /// Each workload, with the keys of the labels that its template lacks.
        workloads: Vec<(WorkloadId, Vec<&'m str>)>,
        /// Selector of the Service.
        selector: Vec<(&'m str, &'m str)>,
    },
}

/// Returns the Services of the input that the API server calls, and whose selector matches no pod template of the input
/// as written. Services of Crossplane packages are left out: their pods have no template in the input.
pub fn called_without_pods(model: &Model) -> Vec<CalledWithoutPods<'_>> {
    let mut found = Vec::new();
    for (id, meta, service) in model.called_services() {
        let Some(call) = model.calls_of(meta).find(|call| call.url != Some(UrlHost::MayBeForeign)) else { continue };
        let possible_pods = match service {
            // A patch of a Service in a folder has no selector either.
            None if model.services_named(&meta.name).next().is_some() => continue,
            // The calls are followed to the Service that this alias refers to.
            None if model.object(id).is_some_and(|object| object.alias().is_some()) => continue,
            None => match pods_of_endpoints(model, meta) {
                pods if pods.is_empty() => PossiblePods::NoSelector,
                pods => PossiblePods::Endpoints(pods),
            },
            Some(service) if service.selector.iter().any(|(key, _)| key.starts_with(package::LABELS)) => continue,
            Some(service) => match possible_pods(model, meta, service) {
                Some(possible_pods) => possible_pods,
                None => continue,
            },
        };
        found.push(CalledWithoutPods { id, meta, by: &call.by, possible_pods });
    }
    found
}

/// Pods of the input that the endpoints of a Service name.
fn pods_of_endpoints<'m>(model: &'m Model, service: &Meta) -> Vec<&'m Meta> {
    let is_near = |meta: &Meta| meta.namespace == service.namespace && !meta.is_local_config();
    let near = || model.objects().iter().filter(|object| is_near(&object.meta));
    let endpoints = near().filter_map(Object::endpoint_pods).filter(|endpoints| *endpoints.service == *service.name);
    let named: BTreeSet<&str> = endpoints.flat_map(|endpoints| &endpoints.pods).map(AsRef::as_ref).collect();
    near()
        .filter(|object| object.meta.is_pod() && named.contains(object.meta.name.as_str()))
        .map(|pod| &pod.meta)
        .collect()
}

/// Finds workloads that may be the pods of a Service; `None` if the Service selects pods.
fn possible_pods<'m>(model: &'m Model, meta: &Meta, service: &'m Service) -> Option<PossiblePods<'m>> {
    let pods = ServicePods::new(model, meta, service);
    match (&*pods.as_written, &*pods.at_run_time) {
        ([_, ..], _) => return None,
        ([], [workload]) => {
            let (_, template) = model.workload(*workload)?;
            let label = service.run_time.iter().find(|(key, _)| template.labels.get(key).is_none())?;
            return Some(PossiblePods::AtRunTime { workload: *workload, label });
        }
        _ => {}
    }
    let selector: Vec<_> = service.selector.iter().chain(service.run_time.iter()).collect();
    let lacking = |template: &PodTemplate| {
        let other = selector
            .iter()
            .any(|(key, value)| template.labels.get(key).is_some_and(|label_value| label_value != *value));
        let lacks: Vec<&str> =
            selector.iter().filter(|(key, _)| template.labels.get(key).is_none()).map(|(key, _)| *key).collect();
        (!other && lacks.len() < selector.len()).then_some(lacks)
    };
    let (mut workloads, mut without_namespace) = (Vec::new(), Vec::new());
    for (id, object, template) in
        model.workloads().filter(|(_, object, template)| service.leads_to(&object.meta, template))
    {
        let (own, other) = (meta.namespace.as_deref(), object.meta.namespace.as_deref());
        match compare_namespaces(own.unwrap_or_default(), other.unwrap_or_default()) {
            Some(Reach::Maybe) if service.selects(&template.labels) => without_namespace.push(id),
            Some(Reach::Sure) => workloads.extend(lacking(template).map(|lacks| (id, lacks))),
            _ => {}
        }
    }
    Some(match without_namespace.is_empty() {
        true => PossiblePods::Candidates { workloads, selector },
        false => PossiblePods::NamespaceMissing(without_namespace),
    })
}
