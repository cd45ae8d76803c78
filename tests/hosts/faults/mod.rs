//! Faults of disks, hosts and other programs during a run (docs/development/faults.md): a file is never half written,
//! the error names files that were not written, and the next run removes the temporary files of a killed run.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod host;
mod steps;
mod traced;
mod tree;

use crate::support::manifests::deployment;

/// A Deployment with one port.
fn web(name: &str, number: u16) -> String {
    let listens =
        format!("        args: [--listen=:{number}]\n        ports: [{{name: http, containerPort: {number}}}]\n");
    deployment(name, &format!("      - name: web\n        image: example.com/{name}:v1\n{listens}"))
}
