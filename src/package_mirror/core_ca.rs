//! The CA certificates with which Crossplane's core verifies the mirror: a ConfigMap mounted in its container, as by
//! the chart's `registryCaBundleConfig`.
//!
//! Source: crossplane/crossplane@v2.3.4 and @v1.20.11 `cluster/charts/crossplane/templates/deployment.yaml`;
//! `cmd/crossplane/core/core.go`, `CABundlePath`.

use super::ca_data::CaData;
use super::core_env::{EnvFromValue, VARIABLE, resolve_env_from};
use super::core_facts::{CHART_VALUE, CoreChartFacts, CoreContainer};
use super::writer::Writer;
use crate::api::MirrorCa;
use crate::catalog::CA_BUNDLE_SINCE;
use crate::crossplane::flag;
use crate::model::ObjectId;
use crate::model::pod::{Container, PodTemplate};
use crate::rule::{self, Severity};
use lossless_yaml::Value;

/// The flag with the path of the certificate file; it overrides the variable.
const FLAG: &str = "--ca-bundle-path";

/// The namespace that Crossplane's documentation installs the chart into.
const NAMESPACE: &str = "crossplane-system";

/// Candidate names of the new volume, the chart's first, and candidate mount paths.
const VOLUMES: [&str; 2] = ["ca-certs", "registry-ca-certs"];
const MOUNTS: [&str; 2] = ["/certs", "/registry-certs"];

/// Adds the config's certificates to the core, or reports how to add them.
pub(super) fn write(writer: &mut Writer<'_>) {
    let Some(ca) = &writer.rules.config.mirror.spec.ca else { return };
    let since = CA_BUNDLE_SINCE;
    if writer.core.version().has(since) == Some(false) {
        let message = format!("`ca`: the core of Crossplane supports a bundle of certificates from {since} on");
        return writer.add_finding(Severity::Error, rule::PACKAGE_REGISTRY, message, None);
    }
    let mut namespaces = Vec::new();
    let mut all_have_it = true;
    for (id, containers) in &writer.facts.core_containers {
        for core in containers {
            all_have_it &= set_or_check_ca_in_container(writer, ca, *id, core);
        }
        namespaces.push(writer.meta(*id).and_then(|meta| meta.namespace.clone()));
    }
    for (id, chart) in &writer.facts.core_charts {
        all_have_it &= in_chart(writer, ca, *id, chart);
        namespaces.push(chart.namespace.clone());
    }
    if namespaces.is_empty() {
        all_have_it = false;
        let message = format!(
            "`ca`: Crossplane's core is not in the input, so this run cannot add the certificates of the mirror to it: set the value of its chart `{}`",
            chart_value(ca)
        );
        writer.add_finding(Severity::Info, rule::PACKAGE_REGISTRY, message, None);
    }
    let known = namespaces.into_iter().flatten().next();
    let namespace = writer.rules.config.mirror.spec.crossplane.namespace.clone().or(known);
    let namespace = namespace.as_deref().unwrap_or(NAMESPACE);
    report_unusable_ca(writer, ca, namespace);
    if !all_have_it {
        config_map(writer, ca, namespace);
    }
}

/// Reports a ConfigMap of the input from which the core cannot read certificates.
///
/// Source: crossplane/crossplane@2d040d2d `cmd/crossplane/core/certs.go`, `ParseCertificatesFromPath`.
fn report_unusable_ca(writer: &mut Writer<'_>, ca: &MirrorCa, namespace: &str) {
    let is_here = |data: &&CaData| data.namespace.as_deref().is_none_or(|other| other == namespace);
    let found = writer.facts.ca_data.iter().filter(|data| data.name == ca.name).filter(is_here);
    let found: Vec<Option<String>> = found.map(|data| data.obstacle(&ca.key)).collect();
    let Some(Some(reason)) = found.first().filter(|_| found.iter().all(Option::is_some)) else { return };
    let message =
        format!("ConfigMap {namespace}/{}, which `ca` names: {reason}. Correct `ca` or the ConfigMap", ca.name);
    writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, None);
}

/// `registryCaBundleConfig: {name: registry-ca, key: ca.crt}`
fn chart_value(ca: &MirrorCa) -> String {
    format!("{CHART_VALUE}: {{name: {}, key: {}}}", ca.name, ca.key)
}

/// True if the container has the certificates already.
fn set_or_check_ca_in_container(writer: &mut Writer<'_>, ca: &MirrorCa, id: ObjectId, core: &CoreContainer) -> bool {
    let model = writer.model;
    let template = model.object(id).and_then(|object| object.templates().get(core.template));
    let Some((template, container)) = template.and_then(|found| Some((found, found.containers.get(core.container)?)))
    else {
        return true;
    };
    let label = format!("{}: container {}", writer.display_name(id), container.name);
    let by_flag = flag(container, &[FLAG]);
    let namespace = writer.meta(id).and_then(|meta| meta.namespace.as_deref());
    let text = |value: &Value| if let Value::Str(file) = value { Some(file.clone()) } else { None };
    let (by, file) = match (by_flag, &core.variable) {
        (Some(file), _) => (format!("`{FLAG}`"), Some(file)),
        (None, Some(value)) => (format!("`{VARIABLE}`"), text(value)),
        (None, None) => match resolve_env_from(&core.env_from, &writer.facts.env_data, (namespace, VARIABLE)) {
            EnvFromValue::Set(key, source, value) => (format!("`{key}` in {source} of `envFrom`"), text(value)),
            EnvFromValue::Unset => {
                add(writer, ca, id, core, (container, &label));
                return false;
            }
            EnvFromValue::Unknown(source) => {
                let message = format!(
                    "{label}: {source} of its `envFrom` is not in the input: the new variable `{VARIABLE}` would \
                     override the same variable in {source}, with its certificates. Add {source} to the input"
                );
                add(writer, ca, id, core, (container, &label));
                writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, Some(id));
                return false;
            }
        },
    };
    let found = file.as_deref().and_then(|file| bundle(template, container, file));
    if found.as_ref().is_some_and(|(name, key)| (name, key) == (&ca.name, &ca.key)) {
        return true;
    }
    let current_source = match (found, file) {
        (Some((name, key)), _) => format!("key {key} of ConfigMap {name}"),
        (None, Some(file)) => format!("`{file}`, which is not a key of a ConfigMap in its volumes"),
        (None, None) => "a value from elsewhere".to_owned(),
    };
    let message = format!(
        "{label} reads the certificates of registries from {current_source} ({by}), and the config names key {} of \
         ConfigMap {}: the core reads only one file, so add the mirror's certificates to that file and name it in \
         `ca`, or remove {by}",
        ca.key, ca.name
    );
    writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, Some(id));
    false
}

/// The ConfigMap and the key that a container sees as a file.
fn bundle(template: &PodTemplate, container: &Container, file: &str) -> Option<(String, String)> {
    let seen = template.seen_config_maps(container).into_iter();
    let seen = seen.filter_map(|(source, mount)| {
        let path = mount.inside(file)?;
        Some((mount.path.len(), source.config_map.clone(), source.key(&path)?.to_owned()))
    });
    seen.max_by_key(|(length, ..)| *length).map(|(_, name, key)| (name, key))
}

/// Adds the volume, its mount and the variable, as the chart does.
fn add(writer: &mut Writer<'_>, ca: &MirrorCa, id: ObjectId, core: &CoreContainer, (at, label): (&Container, &str)) {
    let volumes = core.volumes.as_deref().unwrap_or_default();
    let volume = VOLUMES.into_iter().find(|name| volumes.iter().all(|volume| volume != name));
    let mounts = core.mounts.as_deref().unwrap_or_default();
    let is_free = |place: &&str| mounts.iter().all(|mount| mount.trim_end_matches('/') != *place);
    let (Some(volume), Some(place)) = (volume, MOUNTS.into_iter().find(is_free)) else {
        let message = format!(
            "{label}: the names or mount paths that hostnet uses for the mirror's certificates are taken: set the chart value `{}`",
            chart_value(ca)
        );
        return writer.add_finding(Severity::Error, rule::PACKAGE_REGISTRY, message, Some(id));
    };
    let text = |text: &str| Value::from(text);
    let item = Value::map([("key", text(&ca.key)), ("path", text(&ca.key))]);
    let source = Value::map([("name", text(&ca.name)), ("items", Value::Seq(vec![item]))]);
    let file = format!("{place}/{}", ca.key);
    let added = [
        (at.path.key("env"), at.env_len, [("name", text(VARIABLE)), ("value", text(&file))]),
        (
            at.path.key("volumeMounts"),
            core.mounts.as_ref().map(Vec::len),
            [("name", text(volume)), ("mountPath", text(place))],
        ),
        (core.pod.key("volumes"), core.volumes.as_ref().map(Vec::len), [("name", text(volume)), ("configMap", source)]),
    ];
    for (list, length, entry) in added {
        match length {
            Some(length) => writer.put(id, list.item(length), None, Value::map(entry), rule::PACKAGE_REGISTRY),
            None => {
                let old = core.nulls.contains(&list).then_some(Value::Null);
                writer.put(id, list, old, Value::Seq(vec![Value::map(entry)]), rule::PACKAGE_REGISTRY);
            }
        }
    }
}

/// True if the values of the chart name the certificates already.
fn in_chart(writer: &mut Writer<'_>, ca: &MirrorCa, id: ObjectId, chart: &CoreChartFacts) -> bool {
    let label = writer.display_name(id);
    let message = match &chart.ca {
        _ if chart.sets_variable => format!(
            "{label}: `extraEnvVarsCrossplane` sets `{VARIABLE}`, and the core reads only one file: add the mirror's certificates to that file, or \
             write `{}` in its place",
            chart_value(ca)
        ),
        Some((name, key)) if (name, key) == (&ca.name, &ca.key) => return true,
        Some((name, key)) => format!(
            "{label}: `{CHART_VALUE}` names key {key} of ConfigMap {name}, and the config key {} of ConfigMap {}: the core reads \
             only one file, so add the mirror's certificates to that ConfigMap and name it in `ca`, or write `{}`",
            ca.key,
            ca.name,
            chart_value(ca)
        ),
        None => format!(
            "{label}: the core does not know the certificates of the mirror: add `{}` to {}",
            chart_value(ca),
            chart.values
        ),
    };
    writer.add_finding(Severity::Warning, rule::PACKAGE_REGISTRY, message, Some(id));
    false
}

/// Reports that the ConfigMap has to exist in the core's namespace before the changed core starts.
fn config_map(writer: &mut Writer<'_>, ca: &MirrorCa, namespace: &str) {
    let metas = writer.model.objects().iter().map(|object| &object.meta);
    let own = metas.filter(|meta| meta.gvk.group.is_empty() && meta.gvk.kind == "ConfigMap" && meta.name == ca.name);
    let found: Vec<Option<&str>> = own.map(|meta| meta.namespace.as_deref()).collect();
    let message = match found.iter().flatten().next() {
        _ if found.contains(&Some(namespace)) || found.contains(&None) => return,
        Some(other) => format!(
            "ConfigMap {} is in namespace {other}, and the core reads only objects of its own namespace, {namespace}: create it there \
             too",
            ca.name
        ),
        None => format!(
            "ConfigMap {namespace}/{0} is not in the input: it must exist before the core starts: `kubectl create configmap {0} --namespace \
             {namespace} --from-file={1}=FILE`",
            ca.name, ca.key
        ),
    };
    let severity = if found.is_empty() { Severity::Info } else { Severity::Warning };
    writer.add_finding(severity, rule::PACKAGE_REGISTRY, message, None);
}
