//! A registry of go-containerregistry on the loopback interface, and crane, which fills it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{find_program, not_run, run, text};

/// A registry that ends with this value.
pub(crate) struct LocalRegistry {
    child: Child,
    crane: PathBuf,
    /// `127.0.0.1:PORT`
    pub(crate) host: String,
}

impl Drop for LocalRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl LocalRegistry {
    /// An empty one; none where crane is missing, which is said.
    pub(crate) fn start() -> Option<Self> {
        let Some(crane) = find_program("crane") else {
            not_run("crane is missing (`make tools` builds it with Go)");
            return None;
        };
        let mut command = Command::new(&crane);
        command.args(["registry", "serve", "--address", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let port = lines.find_map(|line| Some(line.rsplit_once("serving on port ")?.1.to_owned())).unwrap();
        // What it says of requests is read, so that it can go on.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, crane, host: format!("127.0.0.1:{port}") })
    }

    /// Runs crane, and answers what it prints.
    pub(crate) fn crane(&self, arguments: &[&str]) -> String {
        let output = run(Command::new(&self.crane).args(arguments), b"");
        assert!(output.status.success(), "crane {arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).trim().to_owned()
    }

    /// Pushes an OCI layout, and answers the reference: `HOST/NAME`.
    pub(crate) fn push(&self, layout: &Path, name: &str) -> String {
        let reference = format!("{}/{name}", self.host);
        self.crane(&["push", layout.to_str().unwrap(), &reference]);
        reference
    }

    pub(crate) fn digest(&self, reference: &str) -> String {
        self.crane(&["digest", reference])
    }
}
