//! `make bench`: limits for speed and memory of hostnet.
//!
//! All numbers of one run come from one machine and the same inputs, and only ratios count. A missed limit gives the
//! exit code 1. `cargo bench --bench bars -- generate 10000` prints generated objects for inspection or profiling, `--
//! ten` the ten small items. Single parts: `-- real` for rendered charts, `-- large` for generated objects, `-- start`
//! for short runs, `-- map` for `hostnet ports --all`, `-- shapes` for inputs of one shape, `-- many` for ten and a
//! thousand targets or objects, `-- around` for kustomize and `pin`, `-- releases` for the script of `hostnet charts`.

// A benchmark prints its results, and stops at the first unexpected value.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod around;
mod generate;
#[path = "../../tests/support/manifests.rs"]
#[allow(dead_code, reason = "a measure needs some of it")]
mod manifests;
mod many;
mod map;
#[path = "../../tests/support/material_folders.rs"]
mod material_folders;
mod measure;
mod positions;
mod real;
mod releases;
mod shapes;

use generate::{CONFIG, resource_list, stream, ten_small, written_by_hand};
use measure::{Run, Tools, median};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Minimum processor time of `kpt fn source`, as a multiple of hostnet's.
const FASTER: f64 = 15.0;
/// Peak memory, as a multiple of the input.
const MEMORY: f64 = 1.8;
/// Peak memory of any input of 1 MB, in MB.
const MEMORY_OF_SHAPES: f64 = 200.0;
/// Time per item of the largest input, as a multiple of the time of the smallest one: 1 is linear growth.
const LINEAR: f64 = 1.3;
/// Limit: time of a short run, as a multiple of a static C program that does nothing.
const START: f64 = 2.5;
/// Limit: time and peak memory for an input of one shape, as multiples of half the size. 2 is linear, 4 is quadratic.
const DOUBLED: f64 = 3.0;
/// Like `DOUBLED`, for a shape whose output grows with its pairs: 4 is quadratic.
const DOUBLED_PAIRS: f64 = 4.5;
/// Pairs of runs. Odd, so that the median is a measured value.
const ROUNDS: usize = 5;
/// Pairs of starts.
const STARTS: usize = 1_001;

/// Table of the measured ratios and their limits.
#[derive(Default)]
struct Table {
    missed: bool,
}

impl Table {
    fn at_least(&mut self, what: &str, ratio: f64, bar: f64) {
        self.row(what, ratio, ">=", bar, ratio >= bar);
    }

    fn at_most(&mut self, what: &str, ratio: f64, bar: f64) {
        self.row(what, ratio, "<=", bar, ratio <= bar);
    }

    /// Prints a ratio without a limit.
    #[allow(clippy::unused_self, reason = "a row of the table as the others")]
    fn for_information(&self, what: &str, ratio: f64) {
        println!("| {what:<66} | {ratio:>7.2} | {:<8} | {:<6} |", "", "");
    }

    fn row(&mut self, what: &str, ratio: f64, relation: &str, bar: f64, holds: bool) {
        println!("| {what:<66} | {ratio:>7.2} | {relation} {bar:>5.2} | {:<6} |", if holds { "ok" } else { "MISSED" });
        self.missed |= !holds;
    }
}

/// The files of one run.
struct Inputs<'a> {
    tools: Tools,
    folder: &'a Path,
    config: PathBuf,
}

impl Inputs<'_> {
    /// A stream of this many resources in a separate folder, which kpt requires.
    fn stream(&self, items: usize) -> PathBuf {
        self.written(items, stream)
    }

    fn written(&self, items: usize, write: impl Fn(usize, &mut dyn Write) -> io::Result<()>) -> PathBuf {
        let folder = self.folder.join(items.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("all.yaml");
        let mut writer = io::BufWriter::new(std::fs::File::create(&file).unwrap());
        write(items, &mut writer).unwrap();
        writer.flush().unwrap();
        file
    }

    fn apply(&self, input: &Path) -> Run {
        self.tools.once(input, &[&self.tools.hostnet, Path::new("apply"), Path::new("-c"), &self.config])
    }

    fn kpt_source(&self, input: &Path) -> Run {
        let kpt = Path::new("kpt");
        self.tools.once(input, &[kpt, Path::new("fn"), Path::new("source"), input.parent().unwrap()])
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments == ["ten"] {
        print!("{}", ten_small());
        return ExitCode::SUCCESS;
    }
    if let [command, items] = arguments.as_slice()
        && command == "generate"
    {
        stream(items.parse().expect("a number of resources"), &mut std::io::stdout().lock()).expect("a stdout");
        return ExitCode::SUCCESS;
    }
    let scratch = tempfile::tempdir().unwrap();
    let config = scratch.path().join("config.yaml");
    std::fs::write(&config, CONFIG).unwrap();
    let inputs = Inputs { tools: Tools::build(scratch.path()), folder: scratch.path(), config };
    println!("| {:<66} | {:>7} | {:<8} | {:<6} |", "measured", "ratio", "bar", "");
    println!("|{:-<68}|--------:|----------|--------|", "");
    let mut table = Table::default();
    let only = |what: &str| arguments.is_empty() || arguments == [what];
    if only("large") {
        ten_thousand(&inputs, &mut table);
        straight_line(&inputs, &mut table);
        positions::bar(&inputs, &mut table);
    }
    if only("real") {
        real::bars(&inputs, &mut table);
    }
    if only("releases") {
        releases::bars(&inputs, &mut table);
    }
    if only("map") {
        map::bars(&inputs, &mut table);
    }
    if only("many") {
        many::bars(&inputs, &mut table);
    }
    if only("around") {
        around::bars(&inputs, &mut table);
    }
    if only("shapes") {
        doubled(&inputs, &mut table);
    }
    if only("start") {
        short_run(&inputs, &mut table);
    }
    if table.missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Compares with `kpt fn source`, which only reads and writes: pairs of runs, for objects as kustomize writes them and
/// as people write them.
fn ten_thousand(inputs: &Inputs<'_>, table: &mut Table) {
    for (style, write) in
        [("as kustomize", stream as fn(usize, &mut dyn Write) -> io::Result<()>), ("by hand", written_by_hand)]
    {
        let input = inputs.written(10_000, write);
        let bytes = std::fs::metadata(&input).unwrap().len();
        let moved =
            inputs.tools.output(&input, &[&inputs.tools.hostnet, Path::new("apply"), Path::new("-c"), &inputs.config]);
        let changed = moved.matches("hostNetwork: true").count();
        assert!((3_300..=3_400).contains(&changed), "a third of the resources should have changed, not {changed}");
        let pairs: Vec<(Run, Run)> = (0..ROUNDS).map(|_| (inputs.kpt_source(&input), inputs.apply(&input))).collect();
        let ratios = pairs.iter().map(|(kpt, ours)| kpt.processor.as_secs_f64() / ours.processor.as_secs_f64());
        table.at_least(
            &format!("kpt fn source / apply, processor time, 10,000 generated, {style}"),
            median(ratios),
            FASTER,
        );
        let peak = pairs.iter().map(|(_, ours)| ours.peak_bytes).max().unwrap();
        table.at_most(&format!("apply, peak memory / input, 10,000 generated, {style}"), ratio(peak, bytes), MEMORY);
    }
    let list = inputs.folder.join("list.yaml");
    std::fs::write(&list, resource_list(10_000)).unwrap();
    let run = inputs.tools.once(&list, &[&inputs.tools.hostnet]);
    let bytes = std::fs::metadata(&list).unwrap().len();
    table.at_most("apply, peak memory / input, a ResourceList of 10,000", ratio(run.peak_bytes, bytes), MEMORY);
}

/// Ten and a hundred times as many resources must take ten and a hundred times as long.
fn straight_line(inputs: &Inputs<'_>, table: &mut Table) {
    let per_item = |items: u32| {
        let input = inputs.stream(items as usize);
        let best = (0..ROUNDS).map(|_| inputs.apply(&input).time).min().unwrap_or(Duration::MAX);
        std::fs::remove_file(input).unwrap();
        best.as_secs_f64() / f64::from(items)
    };
    let smallest = per_item(1_000);
    table.at_most("hostnet, time per item, 10,000 / 1,000", per_item(10_000) / smallest, LINEAR);
    table.at_most("hostnet, time per item, 100,000 / 1,000", per_item(100_000) / smallest, LINEAR);
}

/// Twice the size must take about twice the time and at most twice the memory.
fn doubled(inputs: &Inputs<'_>, table: &mut Table) {
    let config = inputs.folder.join("shapes.yaml");
    std::fs::write(&config, shapes::CONFIG).unwrap();
    let input = inputs.folder.join("shape.yaml");
    let apply = [&inputs.tools.hostnet, Path::new("apply"), Path::new("-c"), &config];
    let check = [&inputs.tools.hostnet, Path::new("proxy"), Path::new("check")];
    for shape in shapes::ALL {
        let command = if shape.is_checked { &check[..] } else { &apply[..] };
        // The minimum of several runs, since other load only adds time.
        let least = |size: usize| {
            std::fs::write(&input, (shape.make)(size)).unwrap();
            let runs = inputs.tools.many(ROUNDS, &input, command);
            let time = runs.iter().map(|run| run.time).min().unwrap_or(Duration::MAX);
            (time.as_secs_f64(), runs.iter().map(|run| run.peak_bytes).min().unwrap_or(u64::MAX))
        };
        let (half, whole) = (least(shape.size / 2), least(shape.size));
        let bar = if shape.is_of_pairs { DOUBLED_PAIRS } else { DOUBLED };
        table.at_most(&format!("{}: time, n / (n/2)", shape.name), whole.0 / half.0, bar);
        table.at_most(&format!("{}: peak memory, n / (n/2)", shape.name), ratio(whole.1, half.1), bar);
        table.at_most(&format!("{}: peak memory, MB", shape.name), ratio(whole.1, 1_000_000), MEMORY_OF_SHAPES);
    }
}

/// Time from start to exit, alternating with a program that does nothing: for ten small objects, and, without a limit,
/// for ten of the large ones.
fn short_run(inputs: &Inputs<'_>, table: &mut Table) {
    let tools = &inputs.tools;
    let median_ratio = |list: &str| {
        // Alternates both programs, so that other load on the machine slows both.
        let pairs = (0..STARTS).map(|_| (tools.as_a_host(list, &tools.nothing), tools.as_a_host(list, &tools.hostnet)));
        let (nothing, ours): (Vec<_>, Vec<_>) = pairs.unzip();
        let time = |runs: &[Duration]| median(runs.iter().map(Duration::as_secs_f64));
        time(&ours) / time(&nothing)
    };
    let moved = median_ratio(&ten_small());
    table.at_most("hostnet on ten small items / a static C program that does nothing", moved, START);
    table.for_information("the same on ten items of 3.8 KB", median_ratio(&resource_list(10)));
}

#[allow(clippy::cast_precision_loss, reason = "sizes of files and processes")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
