//! A ControllerConfig as a runtime config: field by field what Crossplane v1.20 makes of it
//! (`internal/controller/pkg/revision/runtime_override_options.go` at v1.20, `DeploymentForControllerConfig` and
//! `ServiceAccountWithControllerConfig`).

use super::draft::Draft;
use crate::rule;
use lossless_yaml::{Path, Value};

/// Where a field of a ControllerConfig's `spec` goes.
enum To {
    /// Fields below `spec` of the runtime config: all of them get the value.
    Fields(&'static [&'static str]),
    /// A field of the container that runs the package.
    Container(&'static str),
    /// A list of that container, behind what is there; elements are told apart by this key.
    ContainerList(&'static str, &'static str),
    /// A list below `spec`, behind what is there; elements are told apart by this key.
    List(&'static str, &'static str),
    /// Labels and annotations of the pods.
    PodMetadata,
    /// A field of the package itself, which rules over the runtime config's.
    Package(&'static str),
}

/// Every field of a ControllerConfig's `spec` (`apis/pkg/v1alpha1/config.go` at v1.20).
const FIELDS: [(&str, To); 21] = [
    ("metadata", To::PodMetadata),
    ("replicas", To::Fields(&["deploymentTemplate.spec.replicas"])),
    ("image", To::Container("image")),
    ("nodeSelector", To::Fields(&["deploymentTemplate.spec.template.spec.nodeSelector"])),
    (
        "serviceAccountName",
        To::Fields(&[
            "deploymentTemplate.spec.template.spec.serviceAccountName",
            "serviceAccountTemplate.metadata.name",
        ]),
    ),
    ("nodeName", To::Fields(&["deploymentTemplate.spec.template.spec.nodeName"])),
    ("podSecurityContext", To::Fields(&["deploymentTemplate.spec.template.spec.securityContext"])),
    ("securityContext", To::Container("securityContext")),
    ("imagePullSecrets", To::Package("packagePullSecrets")),
    ("imagePullPolicy", To::Package("packagePullPolicy")),
    ("affinity", To::Fields(&["deploymentTemplate.spec.template.spec.affinity"])),
    ("tolerations", To::Fields(&["deploymentTemplate.spec.template.spec.tolerations"])),
    ("priorityClassName", To::Fields(&["deploymentTemplate.spec.template.spec.priorityClassName"])),
    ("runtimeClassName", To::Fields(&["deploymentTemplate.spec.template.spec.runtimeClassName"])),
    ("resources", To::Container("resources")),
    ("args", To::Container("args")),
    ("envFrom", To::Container("envFrom")),
    ("env", To::ContainerList("env", "name")),
    ("ports", To::Container("ports")),
    ("volumes", To::List("deploymentTemplate.spec.template.spec.volumes", "name")),
    ("volumeMounts", To::ContainerList("volumeMounts", "mountPath")),
];

/// Variables that Crossplane sets on every package: a runtime config's of the same name lose,
/// where a ControllerConfig's won.
const CROSSPLANES: [&str; 9] = [
    "POD_NAMESPACE",
    "PROVIDER_NAME",
    "FUNCTION_NAME",
    "REVISION_NAME",
    "REVISION_UID",
    "TLS_CLIENT_CERTS_DIR",
    "TLS_SERVER_CERTS_DIR",
    "WEBHOOK_TLS_CERT_DIR",
    "ESS_TLS_CERTS_DIR",
];

/// What is to be said of a conversion.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    /// Fields of the package, and what they are to hold.
    pub(crate) package: Vec<(&'static str, Value)>,
    /// Variables that Crossplane sets too.
    pub(crate) overruled: Vec<&'static str>,
}

/// Fields of a ControllerConfig that have no place in a runtime config: what they set would be lost.
pub(crate) fn unknown_fields(config: &Value) -> Vec<String> {
    let object: &[&str] = &["apiVersion", "kind", "metadata", "spec", "status"];
    let spec = FIELDS.map(|(field, _)| field);
    let of = |path: &str, known: &[&str]| {
        let fields = entries(config.lookup(&Path::dotted(path)));
        let unknown = fields.filter(|(field, _)| !known.contains(&field.as_str()));
        unknown.map(|(field, _)| format!("{path}.{field}").trim_start_matches('.').to_owned()).collect::<Vec<_>>()
    };
    [of("", object), of("spec", &spec), of("spec.metadata", &["annotations", "labels"])].concat()
}

/// Lays a ControllerConfig over a runtime config. `container` is the path of the container that runs the package, and `own`
/// are the ports that Crossplane declares there whatever the runtime config says: what is one of them is left to it.
pub(crate) fn lay_over(
    config: &Value,
    draft: &mut Draft,
    container: &Path,
    name: &str,
    own: &[(&str, u16)],
) -> Converted {
    let mut converted = Converted::default();
    let spec = Path::root().key("spec");
    own_metadata(config, draft, name);
    for (field, to) in FIELDS {
        let Some(value) = config.get("spec").and_then(|spec| spec.get(field)).filter(|value| !is_empty(value)) else {
            continue;
        };
        let why = format!("is from spec.{field} of ControllerConfig {name}");
        let mut put = |path: &Path, value: &Value| draft.put(path, value.clone(), rule::CONTROLLER_CONFIG, &why);
        match to {
            To::Fields(paths) => {
                for path in paths {
                    put(&spec.join(&Path::dotted(path)), value);
                }
            }
            To::Container("ports") if !own.is_empty() => {
                let ports = items(value).into_iter().filter(|port| !own.iter().any(|own| is_port(port, *own)));
                draft.append(&container.key(field), ports.collect(), rule::CONTROLLER_CONFIG, &why);
            }
            To::Container(key) => put(&container.key(key), value),
            To::PodMetadata => {
                let metadata = spec.join(&Path::dotted("deploymentTemplate.spec.template.metadata"));
                // Annotations take the place of those that are there, labels join them: as Crossplane does.
                if let Some(annotations) = value.get("annotations").filter(|map| !is_empty(map)) {
                    put(&metadata.key("annotations"), annotations);
                }
                for (key, label) in entries(value.get("labels")) {
                    put(&metadata.key("labels").key(key.clone()), label);
                }
            }
            To::ContainerList(list, key) => {
                draft.merge(&container.key(list), key, items(value), rule::CONTROLLER_CONFIG, &why);
            }
            To::List(path, key) => {
                draft.merge(&spec.join(&Path::dotted(path)), key, items(value), rule::CONTROLLER_CONFIG, &why);
            }
            To::Package(field) => converted.package.push((field, value.clone())),
        }
        if field == "env" {
            let names: Vec<Value> = items(value).iter().filter_map(|variable| variable.get("name").cloned()).collect();
            converted.overruled = CROSSPLANES.into_iter().filter(|own| names.contains(&Value::from(*own))).collect();
        }
    }
    converted
}

/// Whether a port says nothing but what Crossplane declares itself.
fn is_port(port: &Value, (name, number): (&str, u16)) -> bool {
    entries(Some(port)).all(|(field, value)| match field.as_str() {
        "name" => *value == name.into(),
        "containerPort" | "hostPort" => *value == Value::Int(number.into()),
        "protocol" => *value == "TCP".into(),
        _ => false,
    }) && port.get("name").is_some()
        && port.get("containerPort").is_some()
}

/// The object's own labels and annotations go to the service account and to the Deployment: an IAM role, for one.
fn own_metadata(config: &Value, draft: &mut Draft, name: &str) {
    for field in ["labels", "annotations"] {
        let map = config.get("metadata").and_then(|metadata| metadata.get(field));
        let own: Vec<(String, Value)> = entries(map)
            .filter(|(key, _)| !is_of_tools(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if own.is_empty() {
            continue;
        }
        let why = format!("is from metadata.{field} of ControllerConfig {name}");
        for template in ["serviceAccountTemplate", "deploymentTemplate"] {
            let path = Path::root().key("spec").key(template).key("metadata").key(field);
            draft.put(&path, Value::Map(own.clone()), rule::CONTROLLER_CONFIG, &why);
        }
    }
}

/// Annotations about the object itself, which tools put there, and its place in somebody's list of objects.
fn is_of_tools(key: &str) -> bool {
    let domain = key.split('/').next().unwrap_or_default();
    domain.ends_with("config.kubernetes.io") || domain.ends_with("config.k8s.io") || domain == "kubectl.kubernetes.io"
}

fn entries(map: Option<&Value>) -> impl Iterator<Item = &(String, Value)> {
    match map {
        Some(Value::Map(entries)) => entries.iter(),
        _ => [].iter(),
    }
}

fn items(list: &Value) -> Vec<Value> {
    match list {
        Value::Seq(items) => items.clone(),
        _ => Vec::new(),
    }
}

/// Whether Crossplane takes a field for one that is not given.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Seq(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}
