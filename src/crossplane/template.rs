//! The pod template of a runtime config, and its package container.

use super::draft::Draft;
use crate::catalog::{FUNCTION_PORT, PackageKind};
use crate::model::facts::Package;
use crate::model::facts::package;
use crate::model::pod::PodTemplate;
use crate::model::text::Labels;
use crate::model::{Meta, ObjectId};
use crate::rule;
use lossless_yaml::{Path, Tree, Value};

/// The path of the container that runs the package. Missing fields of the path are added.
pub(super) fn container(draft: &mut Draft) -> Path {
    let deployment = Path::dotted("spec.deploymentTemplate.spec");
    if draft.value.lookup(&deployment).is_none_or(|spec| *spec == Value::Null) {
        draft.put(
            &deployment.key("selector"),
            Value::Map(Vec::new()),
            rule::RUNTIME_CONFIG,
            "is required by its schema",
        );
    }
    let list = Path::dotted(package::TEMPLATE).key("spec").key("containers");
    let is_match = |value: &Value| value.get("name") == Some(&Value::from(package::CONTAINER));
    let position = draft.value.lookup(&list).and_then(|items| items.items().iter().position(is_match));
    let index = position.unwrap_or_else(|| draft.length(&list));
    if position.is_none() {
        let container = Value::map([("name", package::CONTAINER.into())]);
        draft.append(&list, vec![container], rule::RUNTIME_CONFIG, "is the container that runs the package");
    }
    list.named_item(index, Some(package::CONTAINER))
}

/// The pod template of a runtime config after Crossplane completes it with the package's image and named ports.
/// `variables` are always read, whatever their value.
pub(super) fn template(
    namespace: Option<&str>,
    draft: &Draft,
    meta: &Meta,
    package: &Package,
    variables: &[String],
) -> Option<PodTemplate> {
    let text = lossless_yaml::document(&draft.value);
    let tree = Tree::parse(&text).ok()?;
    let mut template = PodTemplate::read(tree.root(0)?, &Path::dotted(package::TEMPLATE), Some(variables))?;
    template.package_namespace = namespace.map(Into::into);
    let account = Path::dotted("spec.serviceAccountTemplate.metadata.annotations");
    let annotations = tree.root(0)?.lookup(&account).map(Labels::read).filter(|annotations| !annotations.is_empty());
    template.account_annotations = annotations.map(|annotations| Box::new((account, annotations)));
    template.labels = template.labels.with(package.kind.label(), &meta.name);
    let container = template.containers.iter_mut().find(|container| container.name == package::CONTAINER)?;
    if container.image.is_empty() {
        container.image.clone_from(&package.image);
    }
    if let Some(rollout) = &mut template.rollout {
        rollout.replicas = rollout.replicas.or(Some(1));
    }
    for (name, number) in package_ports(package.kind) {
        container.add_implied_port(name, number);
    }
    Some(template)
}

/// The pod template of a package with this runtime config, and its package container. `namespace` is the namespace of
/// Crossplane's core, in which packages run ([`core_namespace`](super::core_namespace)); `None` if unknown.
pub(crate) fn pods_of(
    namespace: Option<&str>,
    id: ObjectId,
    value: &Value,
    meta: &Meta,
    package: &Package,
) -> Option<PodTemplate> {
    let mut draft = Draft::new(id, value.clone(), meta.to_string());
    container(&mut draft);
    template(namespace, &draft, meta, package, &[])
}

/// The ports that Crossplane declares for a kind of package.
pub(super) fn package_ports(kind: PackageKind) -> [(&'static str, u16); 2] {
    let called = match kind {
        PackageKind::Provider => "webhook",
        PackageKind::Function => "grpc",
    };
    [(called, FUNCTION_PORT), ("metrics", 8080)]
}

/// Finds a declared port that duplicates the name or number of a port that Crossplane adds.
pub(super) fn duplicate_port(draft: &Draft, container: &Path, kind: PackageKind) -> Option<String> {
    let Some(Value::Seq(ports)) = draft.value.lookup(&container.key("ports")) else { return None };
    let is_doubled = |port: &&Value| {
        package_ports(kind).into_iter().any(|(name, number)| {
            let tcp = port.get("protocol").is_none_or(|protocol| *protocol == "TCP".into());
            port.get("name") == Some(&name.into())
                || tcp && port.get("containerPort") == Some(&Value::Int(number.into()))
        })
    };
    ports.iter().find(is_doubled).map(|port| {
        let number = port.get("containerPort").map(ToString::to_string).unwrap_or_default();
        match port.get("name") {
            Some(name) => format!("{name} ({number})"),
            None => number,
        }
    })
}
