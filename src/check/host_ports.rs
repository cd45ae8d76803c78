//! `host-port`: every declared port of a running container has the host port that it is.

use super::{Broken, Workload};
use crate::plan::rule;

pub(super) fn check(workload: Workload<'_>) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (_, container) in workload.template.running() {
        for (index, port) in container.ports.iter().flatten().enumerate() {
            let Some(number) = port.number() else { continue };
            if port.host_number() != Some(number) {
                let shown = port.host_port.as_ref().map_or("absent", |host| host.text.as_str());
                broken.push(Broken {
                    rule: rule::HOST_PORT,
                    path: Some(container.port_path(index).key("hostPort")),
                    message: format!(
                        "container {}: hostPort is {shown} and containerPort {number}; on the host network they are one",
                        container.name
                    ),
                });
            }
        }
    }
    broken
}
