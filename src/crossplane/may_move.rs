//! Decides if a package can get its own runtime config, and if that config may declare ports.

use super::draft::Draft;
use super::maker::{Candidate, Maker};
use super::runtime_config;
use super::template::{duplicate_port, package_ports, pods_of};
use crate::api::{PortChoice, Ports, workload_of};
use crate::catalog::PackageKind;
use crate::model::index::object_key;
use crate::rule::{self, Severity};
use crate::xpkg::certain_refusal;
use lossless_yaml::Path;

impl<'m> Maker<'m, '_> {
    /// Decides if a package can move: `None` if it cannot, else true if its runtime config may declare ports.
    pub(super) fn may_move(&mut self, candidate: Candidate<'m>) -> Option<bool> {
        let Candidate { meta, package, .. } = candidate;
        let functions = self.terms.moves.as_ref().map(|moves| moves.functions);
        if package.kind == PackageKind::Function && functions.is_some_and(|functions| !functions.may_move()) {
            self.report_recorded_numbers(candidate);
            if self.report_target_numbers(candidate) {
                return None;
            }
            let message = format!(
                "{meta} stays in the pod network: Crossplane dials port 9443 of a Function's own pod, so on the host network a node \
                 can run only one. `crossplane: {{functions: OnePerNode}}` in the spec moves it anyway"
            );
            self.add_finding(candidate, Severity::Info, rule::FUNCTION, message);
            return None;
        }
        if let Some(refusal) = certain_refusal(&package.image).filter(|_| self.core.validates_names()) {
            let message = format!(
                "{meta}: `spec.package` `{}` is refused by the API server with {}: {refusal}",
                package.image,
                self.core.display_name()
            );
            self.warn(candidate.id, rule::CROSSPLANE_VERSION, message);
        }
        if !self.core.has_runtime_configs() {
            let (cannot, instead) = match functions {
                Some(_) => ("move", ", and a ControllerConfig cannot set `hostNetwork`"),
                None => ("get variables", ""),
            };
            let message = format!(
                "{meta} cannot {cannot}: {} has no DeploymentRuntimeConfig, which came with v1.14.0{instead}. Upgrade Crossplane, or \
                 put the package under `exclude`",
                self.core.display_name()
            );
            self.add_finding(candidate, Severity::Error, rule::CROSSPLANE_VERSION, message);
            return None;
        }
        if self.core.has_ports() {
            return Some(true);
        }
        let version = self.core.display_name();
        match candidate.ports {
            Ports::Map(map) if map.iter().any(|(_, choice)| matches!(choice, PortChoice::Number(_))) => {
                let message = format!(
                    "{meta}: its ports cannot move: {version} adds its own ports to the ports of a runtime config; \
                     v1.19.0 is the first version that uses the runtime config's ports. Upgrade Crossplane, or write \
                     `ports: keep`"
                );
                self.add_finding(candidate, Severity::Error, rule::CROSSPLANE_VERSION, message);
                return None;
            }
            Ports::Keep => {}
            Ports::Auto | Ports::Map(_) => {
                let message = format!(
                    "{meta}: keeps its ports: {version} adds its own ports to the ports of a runtime config; v1.19.0 \
                     is the first version that uses the runtime config's ports. Only hostNetwork and dnsPolicy can be \
                     set"
                );
                self.add_finding(candidate, Severity::Warning, rule::CROSSPLANE_VERSION, message);
            }
        }
        Some(false)
    }

    /// Reports recorded numbers of a Function that stays in the pod network.
    fn report_recorded_numbers(&mut self, candidate: Candidate<'m>) {
        let Some(moves) = &self.terms.moves else { return };
        let own = object_key(candidate.meta);
        let start = format!("{own}/");
        let near = moves.assigned.range(start.clone()..).take_while(|(key, _)| key.starts_with(&start));
        for (key, number) in near.filter(|(key, _)| workload_of(key) == own) {
            let message = format!(
                "{}: {number} of `{key}` in `assigned` has no effect: the Function stays in the pod network. Remove the entry",
                candidate.meta
            );
            self.add_finding(candidate, Severity::Warning, rule::PORT_ASSIGNED, message);
        }
    }

    /// Reports port numbers of a target for a Function that stays in the pod network; true if such numbers exist.
    fn report_target_numbers(&mut self, candidate: Candidate<'m>) -> bool {
        let Candidate { meta, .. } = candidate;
        let Ports::Map(map) = candidate.ports else { return false };
        let mut drops = false;
        for (key, choice) in map {
            let PortChoice::Number(number) = choice else { continue };
            let mut defaults = package_ports(PackageKind::Function).into_iter();
            let port = port_of(key);
            let default = defaults.find(|(name, default)| port == *name || port == default.to_string());
            if default.is_some_and(|(_, default)| default == number.get()) {
                continue;
            }
            let Some((name, default)) = default else {
                drops |= self.report_undeclared_port_number(candidate, key, number.get());
                continue;
            };
            drops = true;
            let (severity, reason) = match name {
                "grpc" => (Severity::Error, "Crossplane always dials port 9443 of a Function's own pod"),
                _ => (Severity::Warning, "the Function stays in the pod network"),
            };
            let message = format!(
                "{meta}, port {name} ({default}): cannot move to {}: {reason}. Leave `{key}` out of `ports`, or put the Function under `exclude`",
                number.get()
            );
            self.add_finding(candidate, severity, rule::FUNCTION, message);
        }
        drops
    }

    /// Reports a number for a port that Crossplane does not declare; false if the key may belong to another package or
    /// workload of the target.
    fn report_undeclared_port_number(&mut self, candidate: Candidate<'m>, key: &str, number: u16) -> bool {
        let Candidate { meta, .. } = candidate;
        let (severity, reason) = if self.declares(candidate, key) {
            (Severity::Warning, "the Function stays in the pod network")
        } else if candidate.only_functions {
            (Severity::Error, "the Function has no such port, and stays in the pod network")
        } else {
            return false;
        };
        let message = format!(
            "{meta}, port {key}: cannot move to {number}: {reason}. Leave `{key}` out of `ports`, or put the Function under `exclude`"
        );
        self.add_finding(candidate, severity, rule::FUNCTION, message);
        true
    }

    /// True if the package's runtime config declares a port of this name or number.
    fn declares(&self, candidate: Candidate<'m>, key: &str) -> bool {
        let Candidate { id, meta, package, .. } = candidate;
        let named = runtime_config::chosen_runtime_config(self.model, &self.core, package);
        let pods = self.model.runtime_config(named.name);
        let pods = pods.and_then(|(_, value)| pods_of(self.namespace, id, value, meta, package));
        let containers = pods.iter().flat_map(|pods| &pods.containers);
        let mut ports = containers.flat_map(|container| container.ports.iter().flatten());
        let port = port_of(key);
        ports.any(|declared| {
            declared.name.as_deref() == Some(port) || declared.number().is_some_and(|number| number.to_string() == port)
        })
    }

    /// Reports a package whose runtime config repeats a port that Crossplane declares; returns `None` for it.
    pub(super) fn refuse_duplicate_declaration(
        &mut self,
        candidate: Candidate<'m>,
        draft: &Draft,
        container: &Path,
    ) -> Option<()> {
        let Candidate { meta, package, .. } = candidate;
        let Some(port) = duplicate_port(draft, container, package.kind) else { return Some(()) };
        let message = format!(
            "{meta} is not changed: {} declares ports webhook (9443; of a Function grpc) and metrics (8080) in \
             addition to the ports of a runtime config, and that config also declares port {port}, so that its \
             Deployment would have a name or a number twice. Remove that port, or upgrade Crossplane to v1.19.0",
            self.core.display_name()
        );
        self.add_finding(candidate, candidate.severity(), rule::CROSSPLANE_VERSION, message);
        None
    }
}

/// The port name of a key, without an optional container name.
fn port_of(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}
