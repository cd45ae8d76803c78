//! Parts of a pod that need a network of their own, which a pod on the host network does not have.

use std::fmt::{self, Display, Formatter};

use crate::catalog::{
    MarkPlace, NetworkDriver, POD_NETWORK_ANNOTATIONS, PluginAnnotation, REFUSING_MARKS, RefusingMark,
};
use crate::model::facts::{PodsView, RESOURCE_GROUP, driver_of_class_name, package};
use crate::model::pod::{Placement, PodTemplate};
use crate::model::text::{Labels, is_empty_by_default};
use crate::model::{Meta, Model, Object, ObjectId};
use crate::plan::Finding;
use crate::rule::{POD_FORBIDS, Severity};
use lossless_yaml::Path;

/// Keys of pod annotations that request a feature of a network plugin, each with a noun for the feature.
pub fn plugin_annotations(template: &PodTemplate) -> Vec<(&'static str, &'static str)> {
    let own = POD_NETWORK_ANNOTATIONS.iter().filter(|row| is_set(&template.annotations, row.key));
    own.map(|row| (row.key, row.gives)).collect()
}

/// Warnings about pods on the host network whose Namespace has an annotation of a network plugin. These pods have the
/// address of their node instead, which only matters to peers that expect the address of the plugin.
pub fn namespace_annotation_warnings(model: &Model, pods: PodsView<'_>) -> Vec<Finding> {
    let namespace = pods.namespace().and_then(|name| Some(model.namespaces(name).last()?.1));
    let rows = namespace.into_iter().flat_map(|namespace| {
        let of_all = POD_NETWORK_ANNOTATIONS.iter().filter(|row| row.of_namespace);
        of_all.filter(|row| is_set(&namespace.annotations, row.key) && !is_set(&pods.template.annotations, row.key))
    });
    let finding = |row: &PluginAnnotation| {
        let message = format!(
            "{pods}: a network plugin gives the pods of its Namespace {} by the annotation `{}`, and the kubelet calls \
             no plugin for pods on the host network, whose address is the address of their node. Allow the nodes' \
             addresses in other programs and firewalls, or keep the workload in the pod network",
            row.gives, row.key
        );
        let finding = Finding::new(Severity::Warning, POD_FORBIDS, message).at(pods.template.spec_path());
        finding.brief(
            "allow the nodes' addresses in other programs and firewalls: no plugin is called for these pods",
            row.key,
        )
    };
    rows.map(finding).collect()
}

/// True if an annotation has a value that requests something: not empty, `[]` or `false`.
fn is_set(annotations: &Labels, key: &str) -> bool {
    !matches!(annotations.get(key).unwrap_or_default().trim(), "" | "[]" | "false")
}

/// Label, annotation or image by which another program refuses the pods on the host network, never starts them, or
/// treats them differently.
pub struct RefusedMark {
    /// The row of the catalogue.
    pub mark: &'static RefusingMark,
    /// Path in the object of the pods.
    pub path: Path,
    /// Object of the input with the mark, if it is not the workload itself, and the path of the mark.
    pub other: Option<(ObjectId, Path)>,
    /// Subject and verb of a clause about the key, such as `its pods have`.
    pub has: &'static str,
}

/// Labels and annotations that speak against the host network, of the pods, their nodes and their `ServiceAccount`.
pub fn refused(model: &Model, pods: PodsView<'_>) -> Vec<RefusedMark> {
    let template = pods.template;
    let is_seen = |mark: &RefusingMark| {
        mark.label.split_once('=').is_none_or(|(key, value)| template.labels.get(key) == Some(value))
    };
    // Marks with `starts` assign an identity, and an empty value has no effect. For other marks the key alone may count.
    let counts =
        |mark: &RefusingMark, value: &str| mark.has_value(value) && !(mark.starts && is_empty_by_default(value));
    let is_set = |mark: &RefusingMark, labels: &Labels| labels.get(mark.key).is_some_and(|value| counts(mark, value));
    let node_labels = template.placement.as_deref().map(Placement::node_labels).unwrap_or_default();
    let account = account(model, pods);
    let own = |list: &'static str, mark: &RefusingMark| template.path.key("metadata").key(list).key(mark.key);
    let found = REFUSING_MARKS.iter().filter(|mark| is_seen(mark)).filter_map(|mark| {
        let found = |path, has| RefusedMark { mark, path, other: None, has };
        match mark.at {
            MarkPlace::Annotation => {
                is_set(mark, &template.annotations).then(|| found(own("annotations", mark), "its pods have"))
            }
            MarkPlace::Label => is_set(mark, &template.labels).then(|| found(own("labels", mark), "its pods have")),
            MarkPlace::NodeLabel => {
                let value = node_labels.get(mark.key).filter(|value| mark.has_value(value));
                value.map(|_| found(template.spec_path(), "its pods require nodes with"))
            }
            MarkPlace::Image => {
                let mut containers = template.running().map(|(_, container)| container);
                let container = containers.find(|container| container.image == mark.key)?;
                Some(found(container.path.key("image"), "a container has the image"))
            }
            MarkPlace::ServiceAccount => {
                let of_template = template.account_annotations.as_deref().filter(|(_, own)| is_set(mark, own));
                if let Some((path, _)) = of_template {
                    return Some(found(path.key(mark.key), "its ServiceAccount has"));
                }
                let (id, _) = account.filter(|(_, meta)| is_set(mark, &meta.annotations))?;
                let other = Some((id, Path::dotted("metadata.annotations").key(mark.key)));
                Some(RefusedMark { other, ..found(template.spec_path(), "its ServiceAccount has") })
            }
        }
    });
    found.collect()
}

/// Claim of a network device that its driver moves into the network of the pod.
pub struct NetworkDevice {
    /// Path of the claim in the object of the pods.
    pub path: Path,
    /// The object with the claim, for messages.
    pub claim: String,
    driver: &'static NetworkDriver,
}

impl Display for NetworkDevice {
    /// The clause about the claim, for messages.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { claim, driver: NetworkDriver { driver, effect, .. }, .. } = self;
        write!(f, "its pods claim a network device by {claim}, and the driver `{driver}` {effect}")
    }
}

/// Claims of network devices by the pods, as far as the input has the claims and their classes.
pub fn network_devices(model: &Model, pods: PodsView<'_>) -> Vec<NetworkDevice> {
    let named = |kind: &str, name: &str| {
        let is_it = |object: &&Object| {
            let meta = &object.meta;
            (meta.gvk.group.as_str(), meta.gvk.kind.as_str(), meta.name.as_str()) == (RESOURCE_GROUP, kind, name)
        };
        model.objects().iter().filter(is_it).collect::<Vec<_>>()
    };
    let driver_of_class = |class: &str| match named("DeviceClass", class).as_slice() {
        [] => driver_of_class_name(class),
        classes => classes.iter().find_map(|class| class.devices()?.driver),
    };
    let claimed = pods.template.resource_claims.iter().filter_map(|claim| {
        let objects = named(claim.kind, &claim.name);
        let object =
            objects.into_iter().find(|object| object.meta.namespace.as_deref() == pods.meta.namespace.as_deref())?;
        let devices = object.devices()?;
        let driver = devices.driver.or_else(|| devices.classes.iter().find_map(|class| driver_of_class(class)))?;
        Some(NetworkDevice { path: claim.path.clone(), claim: object.meta.to_string(), driver })
    });
    claimed.collect()
}

/// The `ServiceAccount` of the pods, if the input has it. Without a name, Crossplane creates one for each package.
fn account<'m>(model: &'m Model, pods: PodsView<'_>) -> Option<(ObjectId, &'m Meta)> {
    let name = &*pods.template.service_account;
    let namespace = pods.namespace()?;
    if package::is_package(pods.meta) && name == "default" {
        return None;
    }
    model.annotated_account(Some(namespace).filter(|namespace| !namespace.is_empty()), name)
}

/// Warning about pods on the host network that run in a virtual machine of Kata Containers or Alibaba Cloud, by the handler
/// of their runtime class, or by the name of a class that is not in the input; `None` for other pods.
///
/// Source: kata-containers/kata-containers@00bd04f9 `docs/Limitations.md` ("Do not use `--net=host`"), and
/// `tools/packaging/kata-deploy/runtimeclasses` (`kata-*`); alibabacloud.com/help, "Pod-level compatibility fields for
/// Sandboxed-Container" (`runv`; hostNetwork: No).
pub fn virtual_machine(model: &Model, workload: &dyn Display, template: &PodTemplate) -> Option<Finding> {
    let class = template.runtime_class.as_deref()?;
    let handler = model.objects().iter().find_map(|object| object.runtime_handler(class)).unwrap_or(class);
    let (owner, effect) = match handler {
        "runv" => ("Sandboxed Containers of Alibaba Cloud", ""),
        handler if handler == "kata" || handler.starts_with("kata-") => {
            ("Kata Containers", ", where they may change the network of the node")
        }
        _ => return None,
    };
    let by = if handler == class { String::new() } else { format!(", whose handler is `{handler}`") };
    let message = format!(
        "{workload}: runtimeClassName is `{class}`{by}: {owner} run a pod in a virtual machine and do not support the host network{effect}. Use \
         another runtime class, or keep the pod in the pod network"
    );
    let finding = Finding::new(Severity::Warning, POD_FORBIDS, message);
    let finding = finding.at(template.spec_path().key("runtimeClassName"));
    Some(finding.brief(
        "use another runtime class or the pod network: this runtime class does not support the host network",
        class.to_owned(),
    ))
}
