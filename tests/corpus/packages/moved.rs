//! Checks of packages on the host network.

use std::collections::BTreeMap;

use serde_yaml::Value;

use crate::packages::objects::{find, id, providers, runtime_name};

/// Returns the problems of the Providers in an output; all of them should have moved.
pub(crate) fn faults(objects: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut owners = BTreeMap::new();
    let mut users: BTreeMap<&str, usize> = BTreeMap::new();
    for package in providers(objects) {
        let (_, _, name) = id(package);
        let runtime = runtime_name(objects, package);
        *users.entry(runtime).or_default() += 1;
        if !package["spec"]["controllerConfigRef"].is_null() {
            faults.push(format!("{name} has a ControllerConfig still"));
        }
        let Some(config) = find(objects, "DeploymentRuntimeConfig", runtime) else {
            faults.push(format!("{name} has runtime config {runtime}, which is not there"));
            continue;
        };
        let pod = &config["spec"]["deploymentTemplate"]["spec"]["template"]["spec"];
        if pod["hostNetwork"] != true || pod["dnsPolicy"] != "ClusterFirstWithHostNet" {
            faults.push(format!("{name} is not on the host network"));
        }
        let containers = pod["containers"].as_sequence().into_iter().flatten();
        let Some(container) = containers.into_iter().find(|container| container["name"] == "package-runtime") else {
            faults.push(format!("{name} has no container"));
            continue;
        };
        let ports: Vec<&Value> = container["ports"].as_sequence().into_iter().flatten().collect();
        for declared in ["webhook", "metrics"] {
            if !ports.iter().any(|port| port["name"] == declared) {
                faults.push(format!("{name} leaves {declared} to Crossplane's number"));
            }
        }
        for port in ports {
            if port["containerPort"] != port["hostPort"] {
                faults.push(format!("{name}: {port:?}"));
            }
            let number = port["containerPort"].as_u64().unwrap_or_default();
            if let Some(other) = owners.insert(number, name.clone()) {
                faults.push(format!("{name} and {other} are both on {number}"));
            }
        }
    }
    faults.extend(users.iter().filter(|(_, users)| **users > 1).map(|(name, _)| format!("{name} is not one's alone")));
    faults
}
