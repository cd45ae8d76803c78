//! Starts and measures programs with a small C program: the child cannot inherit its peak memory, and starts are as
//! cheap as possible.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One run of a program.
pub(crate) struct Run {
    pub(crate) time: Duration,
    /// User and system time.
    pub(crate) processor: Duration,
    pub(crate) peak_bytes: u64,
}

/// The programs of a measurement.
pub(crate) struct Tools {
    /// The static binary that `make static` builds.
    pub(crate) hostnet: PathBuf,
    /// A static C program whose `main` returns 0.
    pub(crate) nothing: PathBuf,
    spawn: PathBuf,
}

impl Tools {
    /// Finds the binary and compiles the C programs.
    pub(crate) fn build(folder: &Path) -> Self {
        let hostnet = std::env::var_os("HOSTNET_STATIC_BIN").expect("HOSTNET_STATIC_BIN, which `make bench` sets");
        let compile = |name: &str| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/bars").join(name).with_extension("c");
            let program = folder.join(name);
            let mut gcc = Command::new("gcc");
            let status = gcc.args(["-O2", "-static", "-o"]).arg(&program).arg(source).status();
            assert!(status.expect("gcc").success(), "gcc failed on {name}.c");
            program
        };
        // Measures copies of both programs, as an installation creates them: the linker writes a file in small pieces,
        // which need several times as many pages in the page cache.
        let copy = |from: &Path, name: &str| {
            let to = folder.join(name);
            std::fs::copy(from, &to).unwrap();
            to
        };
        let nothing = copy(&compile("nothing"), "nothing.installed");
        Self { hostnet: copy(Path::new(&hostnet), "hostnet.installed"), nothing, spawn: compile("spawn") }
    }

    /// Runs a program once with this file as standard input; its output is read from a pipe and discarded.
    pub(crate) fn once(&self, input: &Path, command: &[&Path]) -> Run {
        self.many(1, input, command).pop().expect("a run")
    }

    /// One run that may end with exit code 1: `check` and `apply` have findings.
    pub(crate) fn judged(&self, input: &Path, command: &[&Path]) -> Run {
        self.runs(1, "1", input, command).pop().expect("a run")
    }

    /// Runs in a row. A run that fails ends the measurement.
    pub(crate) fn many(&self, runs: usize, input: &Path, command: &[&Path]) -> Vec<Run> {
        self.runs(runs, "0", input, command)
    }

    fn runs(&self, runs: usize, highest_code: &str, input: &Path, command: &[&Path]) -> Vec<Run> {
        let mut spawn = Command::new(&self.spawn);
        spawn.arg(runs.to_string()).arg(highest_code).arg(input).args(command);
        let output = spawn.output().expect("the program that starts programs");
        // Reports on large inputs are long, so they are only printed if a run fails.
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?} failed on {}: {log}", input.display());
        let lines = String::from_utf8(output.stdout).unwrap();
        let run = |line: &str| {
            let numbers: Vec<u64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            let [time, processor, kibibytes] = numbers[..] else { panic!("three numbers, not {line}") };
            let (time, processor) = (Duration::from_nanos(time), Duration::from_nanos(processor));
            Run { time, processor, peak_bytes: kibibytes * 1024 }
        };
        lines.lines().map(run).collect()
    }

    /// Time from start to exit, with pipes as in kustomize and kpt: the input is written and the whole output is read.
    #[allow(clippy::unused_self, reason = "one way to start programs")]
    pub(crate) fn as_a_host(&self, input: &str, program: &Path) -> Duration {
        let start = Instant::now();
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // A program that ends without reading is not a failure of the host.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        start.elapsed()
    }

    /// Standard output of a program.
    #[allow(clippy::unused_self, reason = "one way to start programs")]
    pub(crate) fn output(&self, input: &Path, command: &[&Path]) -> String {
        let (program, arguments) = command.split_first().expect("a program");
        let stdin = std::fs::File::open(input).unwrap();
        let output = Command::new(program).args(arguments).stdin(stdin).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The median.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The path of a program in `.tools/bin`, or else on the `PATH`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::iter::once(tools).chain(std::env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(name)).filter(|program| program.is_file()))
}
