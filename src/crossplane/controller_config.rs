//! Converts a ControllerConfig to a runtime config, field by field as Crossplane v1.20 applies it
//! (`internal/controller/pkg/revision/runtime_override_options.go` at v1.20, `DeploymentForControllerConfig` and
//! `ServiceAccountWithControllerConfig`).

use super::draft::Draft;
use crate::rule;
use lossless_yaml::{Path, Value};

/// The destination of a field of a ControllerConfig's `spec`.
enum Destination {
    /// Fields below `spec` of the runtime config; each gets the value.
    Fields(&'static [&'static str]),
    /// A field of the container that runs the package.
    Container(&'static str),
    /// A list of the package container; elements are appended, and replaced if they have the same value of this key.
    ContainerList(&'static str, &'static str),
    /// A list below `spec`; elements are appended, and replaced if they have the same value of this key.
    List(&'static str, &'static str),
    /// Labels and annotations of the pods.
    PodMetadata,
    /// A field of the package, which overrides the runtime config.
    Package(&'static str),
}

/// Every field of a ControllerConfig's `spec` (`apis/pkg/v1alpha1/config.go` at v1.20).
const FIELDS: [(&str, Destination); 21] = [
    ("metadata", Destination::PodMetadata),
    ("replicas", Destination::Fields(&["deploymentTemplate.spec.replicas"])),
    ("image", Destination::Container("image")),
    ("nodeSelector", Destination::Fields(&["deploymentTemplate.spec.template.spec.nodeSelector"])),
    (
        "serviceAccountName",
        Destination::Fields(&[
            "deploymentTemplate.spec.template.spec.serviceAccountName",
            "serviceAccountTemplate.metadata.name",
        ]),
    ),
    ("nodeName", Destination::Fields(&["deploymentTemplate.spec.template.spec.nodeName"])),
    ("podSecurityContext", Destination::Fields(&["deploymentTemplate.spec.template.spec.securityContext"])),
    ("securityContext", Destination::Container("securityContext")),
    ("imagePullSecrets", Destination::Package("packagePullSecrets")),
    ("imagePullPolicy", Destination::Package("packagePullPolicy")),
    ("affinity", Destination::Fields(&["deploymentTemplate.spec.template.spec.affinity"])),
    ("tolerations", Destination::Fields(&["deploymentTemplate.spec.template.spec.tolerations"])),
    ("priorityClassName", Destination::Fields(&["deploymentTemplate.spec.template.spec.priorityClassName"])),
    ("runtimeClassName", Destination::Fields(&["deploymentTemplate.spec.template.spec.runtimeClassName"])),
    ("resources", Destination::Container("resources")),
    ("args", Destination::Container("args")),
    ("envFrom", Destination::Container("envFrom")),
    ("env", Destination::ContainerList("env", "name")),
    ("ports", Destination::Container("ports")),
    ("volumes", Destination::List("deploymentTemplate.spec.template.spec.volumes", "name")),
    ("volumeMounts", Destination::ContainerList("volumeMounts", "mountPath")),
];

/// Variables that Crossplane sets on every package. They override a runtime config's variables, but not a
/// ControllerConfig's.
const CROSSPLANE_SET_VARIABLES: [&str; 9] = [
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

/// Results of a conversion to apply or report.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    /// Fields to set on the package, with their values.
    pub(crate) package: Vec<(&'static str, Value)>,
    /// Variables that Crossplane overrides after the conversion.
    pub(crate) overruled: Vec<&'static str>,
}

/// Fields of a ControllerConfig that a runtime config cannot express and that the conversion would lose.
pub(crate) fn unknown_fields(config: &Value) -> Vec<String> {
    let object: &[&str] = &["apiVersion", "kind", "metadata", "spec", "status"];
    let spec = FIELDS.map(|(field, _)| field);
    let unknown = |path: &str, known: &[&str]| {
        let fields = config.lookup(&Path::dotted(path)).into_iter().flat_map(Value::entries);
        let unknown = fields.filter(|(field, _)| !known.contains(&field.as_str()));
        unknown.map(|(field, _)| format!("{path}.{field}").trim_start_matches('.').to_owned()).collect::<Vec<_>>()
    };
    [unknown("", object), unknown("spec", &spec), unknown("spec.metadata", &["annotations", "labels"])].concat()
}

/// Applies a ControllerConfig to a runtime config. `container` is the path of the package container. `own_ports` are
/// the ports that Crossplane always declares; equal ports are left out.
pub(crate) fn apply_controller_config(
    config: &Value,
    draft: &mut Draft,
    container: &Path,
    name: &str,
    own_ports: &[(&str, u16)],
) -> Converted {
    let mut converted = Converted::default();
    let spec = Path::root().key("spec");
    copy_own_metadata(config, draft, name);
    for (field, to) in FIELDS {
        let Some(value) = config.get("spec").and_then(|spec| spec.get(field)).filter(|value| !is_empty(value)) else {
            continue;
        };
        let reason = format!("is from spec.{field} of ControllerConfig {name}");
        let mut put = |path: &Path, value: &Value| draft.put(path, value.clone(), rule::CONTROLLER_CONFIG, &reason);
        match to {
            Destination::Fields(paths) => {
                for path in paths {
                    put(&spec.join(&Path::dotted(path)), value);
                }
            }
            Destination::Container("ports") if !own_ports.is_empty() => {
                let is_own = |port: &&Value| own_ports.iter().any(|own_port| is_port(port, *own_port));
                let ports = value.items().iter().filter(|port| !is_own(port)).cloned();
                draft.append(&container.key(field), ports.collect(), rule::CONTROLLER_CONFIG, &reason);
            }
            Destination::Container(key) => put(&container.key(key), value),
            Destination::PodMetadata => {
                let metadata = spec.join(&Path::dotted("deploymentTemplate.spec.template.metadata"));
                // Like Crossplane, replace annotations but merge labels.
                if let Some(annotations) = value.get("annotations").filter(|map| !is_empty(map)) {
                    put(&metadata.key("annotations"), annotations);
                }
                for (key, label) in value.get("labels").into_iter().flat_map(Value::entries) {
                    put(&metadata.key("labels").key(key.clone()), label);
                }
            }
            Destination::ContainerList(list, key) => {
                draft.merge(&container.key(list), key, value.items().to_vec(), rule::CONTROLLER_CONFIG, &reason);
            }
            Destination::List(path, key) => {
                let list = spec.join(&Path::dotted(path));
                draft.merge(&list, key, value.items().to_vec(), rule::CONTROLLER_CONFIG, &reason);
            }
            Destination::Package(field) => converted.package.push((field, value.clone())),
        }
        if field == "env" {
            let names: Vec<Value> = value.items().iter().filter_map(|variable| variable.get("name").cloned()).collect();
            converted.overruled =
                CROSSPLANE_SET_VARIABLES.into_iter().filter(|name| names.contains(&Value::from(*name))).collect();
        }
    }
    converted
}

/// True if a port repeats a port that Crossplane declares and sets no other field.
fn is_port(port: &Value, (name, number): (&str, u16)) -> bool {
    port.entries().iter().all(|(field, value)| match field.as_str() {
        "name" => *value == name.into(),
        "containerPort" | "hostPort" => *value == Value::Int(number.into()),
        "protocol" => *value == "TCP".into(),
        _ => false,
    }) && port.get("name").is_some()
        && port.get("containerPort").is_some()
}

/// Copies labels and annotations of the object to the service account and the Deployment, for example an IAM role.
fn copy_own_metadata(config: &Value, draft: &mut Draft, name: &str) {
    for field in ["labels", "annotations"] {
        let map = config.get("metadata").and_then(|metadata| metadata.get(field));
        let own = map.into_iter().flat_map(Value::entries).filter(|(key, _)| !is_set_by_tools(key)).cloned();
        let own: Vec<(String, Value)> = own.collect();
        if own.is_empty() {
            continue;
        }
        let reason = format!("is from metadata.{field} of ControllerConfig {name}");
        for template in ["serviceAccountTemplate", "deploymentTemplate"] {
            let path = Path::root().key("spec").key(template).key("metadata").key(field);
            draft.put(&path, Value::Map(own.clone()), rule::CONTROLLER_CONFIG, &reason);
        }
    }
}

/// True for annotations that tools add about the object itself, such as its inventory entry.
fn is_set_by_tools(key: &str) -> bool {
    let domain = key.split('/').next().unwrap_or_default();
    domain.ends_with("config.kubernetes.io") || domain.ends_with("config.k8s.io") || domain == "kubectl.kubernetes.io"
}

/// True if Crossplane treats the value as missing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Seq(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}
