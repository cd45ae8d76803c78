//! All of a cluster in one text: what it costs against `cat`, which only moves the bytes, and against kpt.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::generate::{CONFIG_OF_NONE, kubectl_list, stream, written_by_hand};
use super::measure::Run;
use super::{Inputs, Table, ratio};

const RESOURCES: usize = 100_000;

/// Processor time as a multiple of that of `cat` into a pipe, when nothing is selected and when a third changes.
const NOTHING: f64 = 4.0;
const A_THIRD: f64 = 16.0;
/// Peak memory as a multiple of the input.
const MEMORY_OF_NOTHING: f64 = 1.15;
const MEMORY_OF_A_THIRD: f64 = 1.4;

/// Runs of each.
const ROUNDS: usize = 5;

/// How the same resources are written.
type Style = (&'static str, fn(usize, &mut dyn Write) -> io::Result<()>);

const STYLES: [Style; 3] =
    [("as kustomize", |n, to| stream(n, to)), ("as kubectl", kubectl_list), ("by hand", written_by_hand)];

pub(crate) fn bars(inputs: &Inputs<'_>, table: &mut Table) {
    let none = inputs.folder.join("none.yaml");
    std::fs::write(&none, CONFIG_OF_NONE).unwrap();
    for (style, write) in STYLES {
        let file = written(inputs, write);
        let bytes = std::fs::metadata(&file).unwrap().len();
        let with = |config: &Path| {
            let command = [&inputs.tools.hostnet, Path::new("apply"), Path::new("-c"), config];
            inputs.tools.once(&file, &command)
        };
        // Turn by turn: what else the machine does then slows all.
        let alone = |program: &Path| inputs.tools.once(&file, &[program]);
        let runs: Vec<[Run; 4]> = (0..ROUNDS)
            .map(|_| [alone(Path::new("cat")), with(&none), with(&inputs.config), alone(&inputs.tools.hold)])
            .collect();
        std::fs::remove_file(&file).unwrap();
        // The least of several runs: what else the machine does only adds to it.
        let least = |which: usize| runs.iter().map(|run| run[which].processor).min().unwrap().as_secs_f64();
        let against_cat = |which: usize| least(which) / least(0);
        let peak = |which: usize| runs.iter().map(|run| run[which].peak_bytes).max().unwrap();
        let row = |what: &str| format!("{what}, 100,000 {style}");
        table.for_information(&row("a C program that holds all of it, processor time / cat"), against_cat(3));
        table.at_most(&row("nothing selected, processor time / cat"), against_cat(1), NOTHING);
        table.at_most(&row("a third changed, processor time / cat"), against_cat(2), A_THIRD);
        table.at_most(&row("nothing selected, peak memory / input"), ratio(peak(1), bytes), MEMORY_OF_NOTHING);
        table.at_most(&row("a third changed, peak memory / input"), ratio(peak(2), bytes), MEMORY_OF_A_THIRD);
    }
}

fn written(inputs: &Inputs<'_>, write: impl Fn(usize, &mut dyn Write) -> io::Result<()>) -> PathBuf {
    let file = inputs.folder.join("dump.yaml");
    let mut writer = BufWriter::new(File::create(&file).unwrap());
    write(RESOURCES, &mut writer).unwrap();
    writer.flush().unwrap();
    file
}
