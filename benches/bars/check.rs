//! `hostnet check` over what `kubectl get -A -o yaml` prints of a cluster, against a program that only parses the same bytes to events.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use super::cluster::dump;
use super::measure::{Run, median};
use super::{Inputs, Table, ratio};

/// Pods, `ReplicaSets`, Deployments and Services: 65 MB.
const OBJECTS: usize = 10_000;

/// Processor time as a multiple of that of the parser alone.
const PROCESSOR: f64 = 1.5;
/// Peak memory as a multiple of the input.
const MEMORY: f64 = 3.0;

/// Runs of each. Odd, so that the median is one of them.
const ROUNDS: usize = 5;

/// What is found does not end the measurement.
const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetworkCheck\nspec: {failOn: Never}\n";

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    let file = inputs.folder.join("cluster.yaml");
    let mut writer = BufWriter::new(File::create(&file).unwrap());
    dump(OBJECTS, &mut writer).unwrap();
    writer.flush().unwrap();
    let bytes = std::fs::metadata(&file).unwrap().len();
    let config = inputs.folder.join("check.yaml");
    std::fs::write(&config, CONFIG).unwrap();
    // Beside the binary that is measured, and built alike.
    let scan = std::env::var_os("HOSTNET_SCAN_BIN").expect("HOSTNET_SCAN_BIN, which `make bench` sets");
    let scan = Path::new(&scan);
    let command = [&inputs.tools.hostnet, Path::new("check"), Path::new("-c"), &config, Path::new("-")];
    let said = inputs.tools.output(&file, &command);
    assert!(said.contains("10000 objects") && said.contains("rollout-surge 1"), "{said}");
    let pairs: Vec<(Run, Run)> =
        (0..ROUNDS).map(|_| (inputs.tools.once(&file, &[scan]), inputs.tools.once(&file, &command))).collect();
    let ratios = pairs.iter().map(|(scan, ours)| ours.processor.as_secs_f64() / scan.processor.as_secs_f64());
    table.at_most("check, processor time / parsing to events, a dump of 10,000", median(ratios), PROCESSOR);
    let peak = pairs.iter().map(|(_, ours)| ours.peak_bytes).max().unwrap();
    table.at_most("check, peak memory / input, a dump of 10,000", ratio(peak, bytes), MEMORY);
    println!("| {:<66} | {:>7.1} | {:<8} | {:<6} |", "the dump, in MB", ratio(bytes, 1_000_000), "", "");
}
