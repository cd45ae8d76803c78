//! Every container with proxy variables, and everybody whom it is known to dial.

use super::core::{Crossplane, is_core};
use super::effective::{Effective, Seen};
use super::explain::Host;
use super::facts::ProxyFacts;
use super::functions::reader;
use super::judge::{Reached, Whom, is_wrong, reached};
use super::objects::Objects;
use super::required::METADATA;
use super::variables::Variables;
use crate::api::{ApiServerHosts, MetadataService, ProxyConfig, Route};
use crate::catalog::{Compares, PackageKind};
use crate::crossplane::named;
use crate::image::ImageRef;
use crate::model::facts::Package;
use crate::model::{Meta, Model, ObjectId};
use crate::no_proxy::Range;
use crate::rule::Severity;
use crate::yaml::{Path, Value};

/// How one container reaches one destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The object.
    pub object: ObjectId,
    /// `Deployment shop/web, container web`
    pub who: String,
    /// What is dialled: `function function-x`, `the API server`.
    pub whom: String,
    /// The host and the port, where these are known.
    pub host: Option<String>,
    /// How it is reached.
    pub reached: Reached,
    /// Why.
    pub why: String,
    /// How it has to be reached.
    pub wanted: Route,
    /// How bad it is; none when it is as it should be.
    pub severity: Option<Severity>,
    /// The entry of `NO_PROXY` that would make it right.
    pub add: Option<String>,
}

/// Judges the containers of a model that have an `HTTPS_PROXY` or an `HTTP_PROXY`.
#[must_use]
pub fn check(model: &Model, facts: &ProxyFacts, config: Option<&ProxyConfig>) -> Vec<Row> {
    let mut checker =
        Checker { model, facts, config, crossplane: Crossplane::of(model, facts, config), rows: Vec::new() };
    for (id, object, template) in model.workloads() {
        for (position, container) in template.containers.iter().enumerate() {
            let Some(variables) = facts.container(id.object, id.template, position) else { continue };
            let who = format!("{}, container {}", object.meta, container.name);
            let namespace = object.meta.namespace.as_deref();
            checker.container(id.object, &who, namespace, variables, is_core(container));
        }
    }
    for (id, meta, package) in model.packages() {
        checker.package(id, meta, package);
    }
    checker.rows
}

struct Checker<'m> {
    model: &'m Model,
    facts: &'m ProxyFacts,
    config: Option<&'m ProxyConfig>,
    crossplane: Crossplane,
    rows: Vec<Row>,
}

impl Checker<'_> {
    fn container(&mut self, object: ObjectId, who: &str, namespace: Option<&str>, variables: &Variables, core: bool) {
        let known = Objects::of(self.model, self.facts, namespace);
        let effective = Effective::of(variables, &known);
        if effective.https.is_none() && effective.http.is_none() {
            return;
        }
        let row = |whom: String, host: Option<String>, reached: Reached, why: String| Row {
            object,
            who: who.to_owned(),
            whom,
            host,
            reached,
            why,
            wanted: Route::Any,
            severity: None,
            add: None,
        };
        let mut rows = Vec::new();
        if effective.https.is_some() {
            let (whom, add) = self.api_server(&effective);
            for whom in whom {
                let (how, why) = reached(&effective, &whom);
                let host = match &whom {
                    Whom::ApiServer(address) => address.clone(),
                    Whom::Host(host) => Some(host.name.clone()),
                    Whom::Addresses(_) => None,
                };
                let add = add.clone().or_else(|| host.clone());
                rows.push(wants(row("the API server".to_owned(), host, how, why), Route::Direct, Severity::Error, add));
            }
            if core {
                for (whom, name, host, add) in self.functions() {
                    // A version that is not known may be one that compares no address.
                    let sure = !matches!(whom, Whom::Addresses(_)) || self.crossplane.compares().is_some();
                    let severity = if sure { Severity::Error } else { Severity::Warning };
                    let (how, why) = reached(&effective, &whom);
                    let why = format!("{why}; {}", self.compared());
                    rows.push(wants(row(name, host, how, why), Route::Direct, severity, add));
                }
                for host in self.registries() {
                    let inside = self.is_inside(&host);
                    let wanted = if inside { Route::Direct } else { Route::Any };
                    let whom = Whom::Host(Host { scheme: "https", name: host.clone(), port: Some(443) });
                    let (how, why) = reached(&effective, &whom);
                    let row = row("a registry of packages".to_owned(), Some(host.clone()), how, why);
                    rows.push(wants(row, wanted, Severity::Warning, Some(host)));
                }
            }
        }
        for destination in self.config.iter().flat_map(|config| &config.proxy.spec.destinations) {
            let Ok(host) = Host::read(&destination.host) else { continue };
            if (if host.scheme == "http" { &effective.http } else { &effective.https }).is_none() {
                continue;
            }
            let (how, why) = reached(&effective, &Whom::Host(host.clone()));
            let row = row("a destination of the config".to_owned(), Some(destination.host.clone()), how, why);
            rows.push(wants(row, destination.wanted, Severity::Error, Some(host.name)));
        }
        self.rows.extend(rows);
    }

    /// The API server as the container finds it, and the entry that excludes it.
    fn api_server(&self, effective: &Effective) -> (Vec<Whom>, Option<String>) {
        let cluster = self.config.map(|config| &config.proxy.spec.cluster);
        if let Some(ApiServerHosts::Hosts(hosts)) = cluster.map(|cluster| &cluster.api_server) {
            let hosts =
                hosts.iter().map(|host| Whom::Host(Host { scheme: "https", name: host.clone(), port: Some(443) }));
            return (hosts.collect(), None);
        }
        let own = match &effective.service_host {
            Some(Seen::Text(host)) if !host.contains('$') => Some(host.clone()),
            _ => None,
        };
        // The Service of the API server has the first address of the range.
        let first = || Some(Range::read(cluster?.services.first()?)?.first_host().to_string());
        let add = "$(KUBERNETES_SERVICE_HOST)".to_owned();
        (vec![Whom::ApiServer(own.or_else(first))], Some(add))
    }

    /// The functions of the input, each with what it is called, its host, and the entry that excludes it; where there is none, any.
    fn functions(&self) -> Vec<(Whom, String, Option<String>, Option<String>)> {
        let Some(namespace) = self.crossplane.namespace.as_deref() else { return Vec::new() };
        let functions = self.model.packages().filter(|(_, _, package)| package.kind == PackageKind::Function);
        let mut names: Vec<(String, String)> = functions
            .map(|(_, meta, package)| (format!("function {}", meta.name), self.service(meta, package)))
            .collect();
        if names.is_empty() {
            names.push(("any function".to_owned(), "function".to_owned()));
        }
        let cluster = self.config.map(|config| &config.proxy.spec.cluster);
        let ranges = cluster.map(|cluster| {
            let nodes = cluster.nodes.iter().filter(|_| self.crossplane.functions_on_nodes);
            cluster.pods.iter().chain(nodes).cloned().collect::<Vec<_>>()
        });
        let ranges = ranges.unwrap_or_default();
        let mut found = Vec::new();
        for (name, service) in names {
            let host = format!("{service}.{namespace}");
            let shown = Some(format!("{host}:9443"));
            if self.crossplane.compares() != Some(Compares::Addresses) {
                let whom = Whom::Host(Host { scheme: "https", name: host, port: Some(9443) });
                found.push((whom, name.clone(), shown.clone(), Some(format!(".{namespace}"))));
            }
            if self.crossplane.compares() != Some(Compares::Names) {
                let add =
                    if ranges.is_empty() { "the range of the pods' addresses".to_owned() } else { ranges.join(",") };
                found.push((Whom::Addresses(ranges.clone()), name, shown, Some(add)));
            }
        }
        found
    }

    /// What the core compares, for a person.
    fn compared(&self) -> String {
        match self.crossplane.compares() {
            Some(Compares::Names) => format!("{} compares the name", reader(self.crossplane.version())),
            Some(Compares::Addresses) => format!("{} compares the address of the pod", reader(self.crossplane.version())),
            None => "Crossplane from v1.20 on compares the name, and before that the address of the pod; nothing says the version".to_owned(),
        }
    }

    /// The name of a function's Service: that of the package, unless its runtime config says another.
    fn service(&self, meta: &Meta, package: &Package) -> String {
        let config = self.model.runtime_config(named(self.model, &self.crossplane.core, package).name);
        match config.and_then(|(_, value)| value.lookup(&Path::dotted("spec.serviceTemplate.metadata.name"))) {
            Some(Value::Str(name)) => name.clone(),
            _ => meta.name.clone(),
        }
    }

    /// The hosts of packages' images, and of those that ImageConfigs put in their place.
    fn registries(&self) -> Vec<String> {
        let images = self.model.packages().map(|(_, _, package)| package.image.as_str());
        let rewritten = self.model.image_configs().filter_map(|(_, _, config)| config.rewrite.as_deref());
        let mut hosts: Vec<String> = images.chain(rewritten).filter_map(registry).collect();
        hosts.sort();
        hosts.dedup();
        hosts
    }

    /// Whether a host is surely one of the cluster.
    fn is_inside(&self, host: &str) -> bool {
        let cluster = self.config.map(|config| &config.proxy.spec.cluster);
        let domain = cluster.map_or("cluster.local", |cluster| cluster.domain.as_str());
        let in_range = |ip| {
            let ranges = cluster.into_iter().flat_map(|cluster| [&cluster.pods, &cluster.services, &cluster.nodes]);
            ranges.flatten().filter_map(|range| Range::read(range)).any(|range| range.contains(ip))
        };
        ["svc", domain].into_iter().any(|end| host.ends_with(&format!(".{end}"))) || host.parse().is_ok_and(in_range)
    }

    /// A package's container, through its runtime config or its ControllerConfig.
    fn package(&mut self, id: ObjectId, meta: &Meta, package: &Package) {
        let core = &self.crossplane.core;
        let list = |value: &Value, path: &str, index: Option<usize>| {
            let at = |field: &str| {
                let path = Path::dotted(path);
                let path = index.map_or(path.clone(), |index| path.item(index)).key(field.to_owned());
                value.lookup(&path)
            };
            Variables::of(at("env"), at("envFrom"))
        };
        let old = package.controller_config.as_deref().filter(|_| !core.lacks_controller_configs());
        let variables = if let Some((_, config)) = old.and_then(|name| self.model.controller_config(name)) {
            list(&config.object, "spec", None)
        } else {
            let Some((_, value)) = self.model.runtime_config(named(self.model, core, package).name) else { return };
            let containers = "spec.deploymentTemplate.spec.template.spec.containers";
            let Some(Value::Seq(all)) = value.lookup(&Path::dotted(containers)) else { return };
            let own = Value::from(crate::model::facts::package::CONTAINER);
            let Some(index) = all.iter().position(|container| container.get("name") == Some(&own)) else { return };
            list(value, containers, Some(index))
        };
        let namespace = self.crossplane.namespace.clone();
        let first = self.rows.len();
        self.container(id, &meta.to_string(), namespace.as_deref(), &variables, false);
        let wanted = self.config.map_or(MetadataService::Direct, |config| config.proxy.spec.metadata_service);
        if self.rows.len() > first && package.kind == PackageKind::Provider && wanted == MetadataService::Direct {
            let known = Objects::of(self.model, self.facts, namespace.as_deref());
            let effective = Effective::of(&variables, &known);
            if effective.http.is_none() {
                return;
            }
            let host = Host { scheme: "http", name: METADATA[0].to_owned(), port: Some(80) };
            let (how, why) = reached(&effective, &Whom::Host(host));
            let row = Row {
                object: id,
                who: meta.to_string(),
                whom: "the cloud's metadata service".to_owned(),
                host: Some(METADATA[0].to_owned()),
                reached: how,
                why,
                wanted: Route::Any,
                severity: None,
                add: None,
            };
            self.rows.push(wants(row, Route::Direct, Severity::Warning, Some(METADATA[0].to_owned())));
        }
    }
}

fn wants(row: Row, wanted: Route, severity: Severity, add: Option<String>) -> Row {
    let wrong = is_wrong(row.reached, wanted);
    let add = add.filter(|_| wrong && wanted == Route::Direct);
    Row { wanted, severity: wrong.then_some(severity), add, ..row }
}

/// The host of an image's registry, where the image names one.
fn registry(image: &str) -> Option<String> {
    let path = ImageRef::of(image).name;
    let (first, _) = path.split_once('/')?;
    let host = first.split(':').next().unwrap_or(first);
    (first.contains(['.', ':']) || first == "localhost").then(|| host.to_owned())
}
