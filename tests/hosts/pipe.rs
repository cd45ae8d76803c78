//! `hostnet apply` between two programs, for each input format.

use crate::cases::{EXAMPLE, Failures, HOSTNET, canonical, cases, host, refusals, unmoved};
use crate::support::{project, run, text};
use std::path::Path;
use std::process::{Command, Output};

fn apply(config: &Path, input: &str) -> Output {
    run(Command::new(HOSTNET).args(["apply", "-c"]).arg(config), input.as_bytes())
}

#[test]
fn the_example_keeps_every_other_byte() {
    let folder = project().join(EXAMPLE);
    let input = std::fs::read_to_string(folder.join("base/crossplane.yaml")).unwrap();
    let want = std::fs::read_to_string(folder.join("want.yaml")).unwrap();
    let output = apply(&folder.join("hostnet.yaml"), &input);
    let mut failures = Failures::default();
    failures.compare("pipe", &want, &text(&output.stdout));
    failures.end();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let again = apply(&folder.join("hostnet.yaml"), &want);
    assert!(again.stdout == want.as_bytes(), "its own output must come back unchanged");
}

/// The pipe of the project's README: kustomize renders, hostnet moves.
#[test]
fn every_render_moves_in_a_pipe() {
    let Some(kustomize) = host("kustomize") else { return };
    let mut failures = Failures::default();
    for case in cases().iter().filter(|case| !case.renames_afterwards()) {
        let output = apply(&case.config(), &unmoved(&kustomize, &case.folder));
        if output.status.success() {
            failures.compare(&case.name, &canonical(&case.want), &canonical(&text(&output.stdout)));
        } else {
            failures.add(format!("{}: {}\n{}", case.name, output.status, text(&output.stderr)));
        }
    }
    for case in refusals() {
        failures.add(case.not_refused(&apply(&case.config(), &unmoved(&kustomize, &case.folder))));
    }
    failures.end();
}

/// Applies edits to the input as the user wrote it, including flow mappings; only the expected lines change.
#[test]
fn sources_keep_their_style() {
    let config = project().join("kustomization-tests/probes/hostnet.yaml");
    let input = std::fs::read_to_string(project().join("kustomization-tests/probes/input.yaml")).unwrap();
    let output = apply(&config, &input);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let moved = text(&output.stdout);
    let diff = similar::TextDiff::from_lines(&input, &moved);
    insta::assert_snapshot!(diff.unified_diff().context_radius(0), @r#"
    @@ -15 +15 @@
    -        prometheus.io/port: "8080"
    +        prometheus.io/port: "22080"
    @@ -19,0 +20,2 @@
    +      hostNetwork: true
    +      dnsPolicy: ClusterFirstWithHostNet
    @@ -24 +26 @@
    -        - --port=8080
    +        - --port=22080
    @@ -26 +28 @@
    -        - :8081
    +        - :22081
    @@ -28,2 +30,2 @@
    -        - {name: http, containerPort: 8080}
    -        - {name: health, containerPort: 8081}
    +        - {name: http, containerPort: 22080, hostPort: 22080}
    +        - {name: health, containerPort: 22081, hostPort: 22081}
    @@ -31 +33 @@
    -          tcpSocket: {port: 8080}
    +          tcpSocket: {port: 22080}
    @@ -33 +35 @@
    -          httpGet: {path: /live, port: 8081}
    +          httpGet: {path: /live, port: 22081}
    @@ -38 +40 @@
    -            httpGet: {path: /drain, port: 8081}
    +            httpGet: {path: /drain, port: 22081}
    @@ -41 +43 @@
    -        args: [--grpc-port=9000]
    +        args: [--grpc-port=22900]
    @@ -43 +45 @@
    -        - {name: grpc, containerPort: 9000}
    +        - {name: grpc, containerPort: 22900, hostPort: 22900}
    @@ -45 +47 @@
    -          grpc: {port: 9000}
    +          grpc: {port: 22900}
    @@ -48 +50 @@
    -            command: [/bin/grpc_health_probe, "-addr=127.0.0.1:9000"]
    +            command: [/bin/grpc_health_probe, "-addr=127.0.0.1:22900"]
    "#);
}
