//! What a disk, a host or another program can do to a run (docs/development/faults.md): no file is ever half of one, a file that was not written is
//! said, and what a killed run leaves behind is gone after the next.
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
