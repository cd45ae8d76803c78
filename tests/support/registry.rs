//! A local image registry of go-containerregistry on the loopback interface, and crane, which fills it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{find_program, not_run, run, text};

/// A registry that stops when this value is dropped.
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
    /// Starts an empty registry. Returns `None`, and prints a note, if crane is missing.
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
        // Drains its log, so that the process does not block on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, crane, host: format!("127.0.0.1:{port}") })
    }

    /// Starts an empty registry of Debian's docker-registry, which stores its blobs in a folder. Returns `None`, and
    /// prints a note, if it or crane is missing.
    #[allow(dead_code, reason = "one crate of tests needs it")]
    pub(crate) fn from_docker(folder: &Path) -> Option<Self> {
        let (Some(crane), Some(program)) = (find_program("crane"), find_program("docker-registry")) else {
            not_run("docker-registry or crane is missing (a package of Debian, and `make tools`)");
            return None;
        };
        // docker-registry does not accept port 0, so a port is chosen that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = format!("127.0.0.1:{port}");
        let config = folder.join("registry.yaml");
        let blobs = folder.join("blobs");
        let text = format!(
            "version: 0.1\nlog: {{level: error, accesslog: {{disabled: true}}}}\nstorage: {{filesystem: {{rootdirectory: '{}'}}}}\nhttp: {{addr: '{host}'}}\n",
            blobs.display()
        );
        std::fs::write(&config, text).unwrap();
        let mut command = Command::new(&program);
        command.args(["serve", config.to_str().unwrap()]).env("OTEL_TRACES_EXPORTER", "none");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let registry = Self { child, crane, host };
        for _ in 0..600 {
            if std::net::TcpStream::connect(&registry.host).is_ok() {
                return Some(registry);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("docker-registry does not listen on {}", registry.host);
    }

    /// Runs crane and returns its output.
    pub(crate) fn crane(&self, arguments: &[&str]) -> String {
        let output = run(Command::new(&self.crane).args(arguments), b"");
        assert!(output.status.success(), "crane {arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).trim().to_owned()
    }

    /// Pushes an OCI layout and returns its reference, `HOST/NAME`.
    pub(crate) fn push(&self, layout: &Path, name: &str) -> String {
        let reference = format!("{}/{name}", self.host);
        self.crane(&["push", layout.to_str().unwrap(), &reference]);
        reference
    }

    pub(crate) fn digest(&self, reference: &str) -> String {
        self.crane(&["digest", reference])
    }
}
