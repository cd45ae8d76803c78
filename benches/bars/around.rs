//! Time of `kustomize build` with hostnet as a function and in a pipe, and time of `pin` compared with `apply`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::manifests::two_ports;
use super::measure::{find_program, median};
use super::real::{self, CONFIG as REAL};
use super::{Inputs, Table};

/// Objects of the kustomizations, and rounds: a build of 1,000 takes ten seconds.
const OBJECTS: [(usize, usize); 2] = [(200, 9), (1_000, 3)];
/// Number of Deployments whose ports `pin` records.
const DEPLOYMENTS: u16 = 1_000;
/// Limit: time of `kustomize build` with hostnet, as a multiple of a build with a function that copies its input.
const KUSTOMIZE: f64 = 1.15;
/// Limit: time of `kustomize build` piped into hostnet, as a multiple of the build alone.
const PIPE: f64 = 1.10;
/// Limit: time of `pin` for a thousand numbers, as a multiple of one `apply`.
const PIN: f64 = 2.0;
/// Pairs of runs. Odd, so that the median is a measured value.
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
    let one = real::one_copy(inputs.folder);
    for (objects, rounds) in OBJECTS {
        let [hostnet, copy, pipe, alone] = builds(inputs, &real::text(&one, objects), rounds);
        let ratio = |these: &[f64], those: &[f64]| median(these.iter().zip(those).map(|(this, that)| this / that));
        let what = format!("kustomize build of {objects} objects of charts");
        table.at_most(&format!("{what}, hostnet / a function that copies"), ratio(&hostnet, &copy), KUSTOMIZE);
        table.at_most(&format!("{what}, piped into hostnet / the build alone"), ratio(&pipe, &alone), PIPE);
    }
    table.at_most("pin of 1,000 numbers / apply", pin(inputs), PIN);
}

/// Seconds of builds with hostnet as a function, with `cat` as a function, piped into hostnet, and alone, in turns.
fn builds(inputs: &Inputs<'_>, objects: &str, rounds: usize) -> [Vec<f64>; 4] {
    let kustomize = find_program("kustomize").expect("kustomize, which `make tools` installs");
    let cat = find_program("cat").expect("cat");
    let folder = |name: &str| inputs.folder.join("kustomize").join(name);
    for (name, function) in [("hostnet", Some(inputs.tools.hostnet.as_path())), ("copy", Some(&cat)), ("alone", None)] {
        let folder = folder(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("all.yaml"), objects).unwrap();
        let transformers = function.map_or("", |_| "transformers: [hostnet.yaml]\n");
        std::fs::write(folder.join("kustomization.yaml"), format!("resources: [all.yaml]\n{transformers}")).unwrap();
        if let Some(function) = function {
            std::fs::copy(function, folder.join("function")).unwrap();
        }
        let metadata = "metadata:\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./function}\n  name: real";
        std::fs::write(folder.join("hostnet.yaml"), REAL.replace("metadata: {name: real}", metadata)).unwrap();
    }
    std::fs::write(folder("alone").join("config.yaml"), REAL).unwrap();
    let time = |name: &str, script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(folder(name));
        shell.env("KUSTOMIZE", &kustomize).env("HOSTNET", &inputs.tools.hostnet);
        let start = Instant::now();
        let output = shell.output().unwrap();
        let time = start.elapsed().as_secs_f64();
        let on_host = String::from_utf8_lossy(&output.stdout).matches("hostNetwork: true").count();
        assert!(on_host > 0, "{name}: {}", String::from_utf8_lossy(&output.stderr));
        (time, on_host)
    };
    let build = "\"$KUSTOMIZE\" build --enable-alpha-plugins --enable-exec .";
    let pipe = format!("{build} | \"$HOSTNET\" apply -c config.yaml");
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        let runs = [time("hostnet", build), time("copy", build), time("alone", &pipe), time("alone", build)];
        let [hostnet, copy, pipe, alone] = runs.map(|(_, on_host)| on_host);
        assert!(hostnet > copy && pipe == hostnet && alone == copy, "{runs:?}");
        times.iter_mut().zip(runs).for_each(|(times, (time, _))| times.push(time));
    }
    times
}

/// Each run pins all numbers again.
fn pin(inputs: &Inputs<'_>) -> f64 {
    let (input, config) = (inputs.folder.join("pinned.yaml"), inputs.folder.join("pin.yaml"));
    // Each Deployment has two numbers.
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
