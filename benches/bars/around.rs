//! What a run costs beside others: `kustomize build` with hostnet beside one with a function that changes nothing, and `pin` beside `apply`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::manifests::two_ports;
use super::measure::{find_program, median};
use super::{Inputs, Table};

/// Deployments of the kustomization.
const DEPLOYMENTS: u16 = 1_000;
/// `kustomize build` with hostnet, as a multiple of that with a function that changes nothing.
const KUSTOMIZE: f64 = 1.03;
/// `pin` of a thousand numbers, as a multiple of one `apply`.
const PIN: f64 = 2.0;
/// Pairs of runs. Odd, so that the median is one of them.
const ROUNDS: usize = 9;

const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: around}
spec:
  targets:
  - {select: {kind: Deployment}, ports: auto}
  portPool: 20000-29999
";

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    table.at_most("kustomize build of 1,000 Deployments, with hostnet / with `cat`", kustomize(inputs), KUSTOMIZE);
    table.at_most("pin of 1,000 numbers / apply", pin(inputs), PIN);
}

/// Turn by turn: what else the machine does then slows both.
fn kustomize(inputs: &Inputs<'_>) -> f64 {
    let program = find_program("kustomize").expect("kustomize, which `make tools` installs");
    let folder = inputs.folder.join("kustomize");
    let cat = find_program("cat").expect("cat");
    for (function, binary) in [("hostnet", inputs.tools.hostnet.as_path()), ("cat", cat.as_path())] {
        let folder = folder.join(function);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(binary, folder.join("function")).unwrap();
        std::fs::write(folder.join("all.yaml"), deployments(DEPLOYMENTS)).unwrap();
        std::fs::write(folder.join("kustomization.yaml"), "resources: [all.yaml]\ntransformers: [hostnet.yaml]\n")
            .unwrap();
        let annotation =
            "metadata:\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./function}";
        std::fs::write(
            folder.join("hostnet.yaml"),
            CONFIG.replace("metadata: {name: around}", &format!("{annotation}\n  name: around")),
        )
        .unwrap();
    }
    let time = |function: &str| {
        let mut build = Command::new(&program);
        build.args(["build", "--enable-alpha-plugins", "--enable-exec", "."]).current_dir(folder.join(function));
        let start = Instant::now();
        let output = build.stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let moved = String::from_utf8_lossy(&output.stdout).matches("hostNetwork: true").count();
        assert_eq!(moved, if function == "hostnet" { usize::from(DEPLOYMENTS) } else { 0 });
        start.elapsed()
    };
    median((0..ROUNDS).map(|_| time("hostnet").as_secs_f64() / time("cat").as_secs_f64()))
}

/// Each run pins all numbers anew.
fn pin(inputs: &Inputs<'_>) -> f64 {
    let (input, config) = (inputs.folder.join("pinned.yaml"), inputs.folder.join("pin.yaml"));
    // Two numbers each.
    std::fs::write(&input, deployments(DEPLOYMENTS / 2)).unwrap();
    let time = |command: &str| -> Duration {
        std::fs::write(&config, CONFIG).unwrap();
        let hostnet = &inputs.tools.hostnet;
        inputs.tools.once(&input, &[hostnet, Path::new(command), Path::new("-c"), &config]).processor
    };
    let ratios = (0..ROUNDS).map(|_| time("pin").as_secs_f64() / time("apply").as_secs_f64());
    let ratio = median(ratios.collect::<Vec<_>>().into_iter());
    time("pin");
    let pinned = std::fs::read_to_string(&config).unwrap();
    assert_eq!(pinned.lines().filter(|line| line.contains("Deployment/")).count(), 2 * usize::from(DEPLOYMENTS / 2));
    ratio
}

fn deployments(count: u16) -> String {
    (0..count).map(|index| two_ports(&format!("web-{index}"), "http", 10_000 + index) + "---\n").collect()
}
