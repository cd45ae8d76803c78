//! Rule `program-unknown`: containers of moved workloads whose programs are not in the catalogue.

use super::{deployment, infos, ports, results_of};
use insta::assert_snapshot;

fn container(image: &str) -> String {
    deployment(&format!("      - {{name: web, image: '{image}'}}\n"))
}

#[test]
fn a_moved_container_of_an_unknown_program_is_named() {
    let manifest = container("example/web:v1");
    assert_snapshot!(results_of("program-unknown", &ports("keep"), &manifest), @"info: Deployment web spec.template.spec");
    assert_snapshot!(infos(&ports("keep"), &manifest, "program-unknown"), @"Deployment shop/web: not in the catalogue: container web (example/web:v1); only listeners that the manifest shows are known. What else it listens on goes under `bind` of the target, or `programs`");
}

/// Programs of the catalogue and of the config are known, and workloads that do not move are not reported.
#[test]
fn known_programs_and_other_workloads_are_not_named() {
    let found = |spec: &str, image: &str| results_of("program-unknown", spec, &container(image));
    assert_eq!(found(&ports("keep"), "quay.io/jetstack/cert-manager-webhook:v1.21.1"), "");
    let known = "{targets: [{select: {name: web}}], programs: [{name: ours, images: [web], listeners: []}]}";
    assert_eq!(found(known, "example/web:v1"), "");
    let other = "{targets: [{select: {name: api}}], unmatched: Ignore}";
    assert_eq!(found(other, "example/web:v1"), "");
}
