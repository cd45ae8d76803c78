//! Many copies of the rendered charts of four projects: compared with `kpt fn source`, which only reads and prints
//! them, and each command with ten times as many objects.

use std::path::Path;
use std::process::Command;

use super::material_folders::material_folders;
use super::measure::{Run, find_program, median};
use super::{Inputs, MEMORY, ROUNDS, Table, ratio};

const CHARTS: [&str; 4] = ["cert-manager", "crossplane-v2.3-metrics-on", "gatekeeper", "kruise-1.9.0-alpha.3"];

/// Objects of the measured inputs.
const OBJECTS: [usize; 3] = [200, 1_333, 10_000];

/// Minimum processor time of `kpt fn source`, as a multiple of hostnet's.
const FASTER: f64 = 20.0;
/// Maximum processor time of a check, as a multiple of `kpt fn source`'s.
const CHECK: f64 = 0.1;
/// Maximum growth of the time as a power of the number of objects: 1 is linear.
const EXPONENT: f64 = 1.2;

/// Text in the names of one copy, which each copy replaces by its number.
const COPY: &str = "copy-number";

/// Moves all workloads.
pub(crate) const CONFIG: &str = "apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: real}
spec:
  targets:
  - {select: {kind: Deployment}, ports: auto}
  - {select: {kind: DaemonSet}, ports: auto}
  portPool: 10000-32000
";

/// Commands that read standard input, with the config if the command uses one.
const COMMANDS: [(&str, &[&str]); 7] = [
    ("apply", &["apply", "-c", "CONFIG"]),
    ("check", &["check", "-"]),
    ("ports without a config", &["ports", "-"]),
    ("ports", &["ports", "-c", "CONFIG", "-"]),
    ("ports --all -o html", &["ports", "--all", "-c", "CONFIG", "-o", "html", "-"]),
    ("init", &["init", "--to", "-", "-"]),
    ("patch", &["patch", "--as", "kustomization", "-c", "CONFIG", "-"]),
];

/// Objects of all charts, with [`COPY`] in their names.
pub(crate) fn one_copy(folder: &Path) -> Vec<String> {
    let kustomize = find_program("kustomize").expect("kustomize, which `make tools` installs");
    let build = |chart: &str| {
        let renders = material_folders().into_iter().map(|folder| folder.join("corpus/charts").join(chart));
        let render = renders.into_iter().find(|render| render.is_dir()).expect("charts, which `make material` renders");
        let folder = folder.join("render").join(chart);
        std::fs::create_dir_all(&folder).unwrap();
        let text = std::fs::read_to_string(render.join("default.yaml")).unwrap();
        // kustomize adds no suffix to the names of Namespaces.
        let namespaces: Vec<&str> = text.split("\n---\n").filter_map(|object| name_of(object, "Namespace")).collect();
        let renamed = namespaces.iter().fold(text.clone(), |text, name| text.replace(name, &format!("{name}-{COPY}")));
        std::fs::write(folder.join("all.yaml"), renamed).unwrap();
        let namespace = if namespaces.is_empty() { format!("namespace: {chart}-{COPY}\n") } else { String::new() };
        let kustomization = format!("resources: [all.yaml]\nnameSuffix: -{COPY}\n{namespace}");
        std::fs::write(folder.join("kustomization.yaml"), kustomization).unwrap();
        let output = Command::new(&kustomize).arg("build").arg(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // kustomize adds no suffix to the names of custom resource definitions either.
    let own = |object: &str| match name_of(object, "CustomResourceDefinition") {
        Some(name) => object.replacen(&format!("\n  name: {name}\n"), &format!("\n  name: {name}-{COPY}\n"), 1),
        None => object.to_owned(),
    };
    CHARTS.iter().flat_map(|chart| build(chart).split("\n---\n").map(own).collect::<Vec<_>>()).collect()
}

/// Name of an object of a kind without namespace.
fn name_of<'o>(object: &'o str, kind: &str) -> Option<&'o str> {
    let name = object.contains(&format!("\nkind: {kind}\n")).then(|| object.split_once("\n  name: "))??.1;
    name.lines().next()
}

/// Text of this many objects.
pub(crate) fn text(one: &[String], objects: usize) -> String {
    let copies = (0..).flat_map(|copy: usize| one.iter().map(move |object| object.replace(COPY, &copy.to_string())));
    copies.take(objects).map(|object| format!("---\n{}\n", object.trim_end())).collect()
}

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    let config = inputs.folder.join("real.yaml");
    std::fs::write(&config, CONFIG).unwrap();
    let one = one_copy(inputs.folder);
    let run = |arguments: &[&str], input: &Path| {
        let config = config.to_str().expect("a path in UTF-8");
        let arguments = arguments.iter().map(|argument| if *argument == "CONFIG" { config } else { argument });
        let command: Vec<&Path> =
            std::iter::once(inputs.tools.hostnet.as_path()).chain(arguments.map(Path::new)).collect();
        inputs.tools.judged(input, &command)
    };
    let stream = |objects: usize| inputs.written(objects, |items, to| to.write_all(text(&one, items).as_bytes()));
    let inputs_of_charts = OBJECTS.map(&stream);
    for (objects, input) in OBJECTS.into_iter().zip(&inputs_of_charts) {
        let [(_, apply), (_, check), ..] = COMMANDS;
        let runs: Vec<[Run; 3]> =
            (0..ROUNDS).map(|_| [inputs.kpt_source(input), run(apply, input), run(check, input)]).collect();
        let seconds = |run: &Run| run.processor.as_secs_f64();
        let faster = median(runs.iter().map(|[kpt, apply, _]| seconds(kpt) / seconds(apply)));
        table.at_least(&format!("kpt fn source / apply, processor time, {objects} objects of charts"), faster, FASTER);
        if objects == 10_000 {
            let checked = median(runs.iter().map(|[kpt, _, check]| seconds(check) / seconds(kpt)));
            table.at_most(
                &format!("check / kpt fn source, processor time, {objects} objects of charts"),
                checked,
                CHECK,
            );
            let bytes = std::fs::metadata(input).unwrap().len();
            let peak = runs.iter().map(|[_, apply, _]| apply.peak_bytes).max().unwrap();
            table.at_most(
                &format!("apply, peak memory / input, {objects} objects of charts"),
                ratio(peak, bytes),
                MEMORY,
            );
        }
    }
    let (few, [.., many]) = (stream(1_000), &inputs_of_charts);
    for (name, arguments) in COMMANDS {
        let least = |input: &Path| {
            let runs = (0..ROUNDS).map(|_| run(arguments, input).processor.as_secs_f64());
            runs.fold(f64::MAX, f64::min)
        };
        let exponent = (least(many) / least(&few)).log10();
        table.at_most(&format!("{name}: exponent of processor time, 1,000 to 10,000 objects"), exponent, EXPONENT);
    }
}
