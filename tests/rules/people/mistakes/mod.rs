//! A hundred mistakes of users: each error has the position, the cause, and the correct form.

mod arguments;
mod configs;
mod hosts;
mod inputs;

use crate::support::run::hostnet;

/// A mistake: the files, the arguments and the standard input of the call.
struct Mistake {
    name: &'static str,
    files: Vec<(&'static str, String)>,
    arguments: Vec<&'static str>,
    stdin: String,
}

impl Mistake {
    fn new(name: &'static str, arguments: &[&'static str]) -> Self {
        Self { name, files: Vec::new(), arguments: arguments.to_vec(), stdin: String::new() }
    }

    fn file(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.files.push((name, text.into()));
        self
    }

    fn stdin(mut self, text: impl Into<String>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Exit code and standard error of a run.
    fn reported(&self) -> (Option<i32>, String) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in &self.files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let run = hostnet(folder.path(), &self.arguments, self.stdin.as_bytes());
        let is_list = self.stdin.contains("kind: ResourceList");
        assert!(is_list || run.code == Some(0) || run.text().is_empty(), "{}: {}", self.name, run.text());
        (run.code, run.stderr)
    }
}

/// Raw messages of serde and of YAML parsers.
const RAW: [&str; 14] = [
    "invalid type",
    "invalid value:",
    "expected sequence",
    "expected mapping",
    "expected string",
    "expected scalar",
    "while parsing",
    "while scanning",
    "did not find",
    "not allowed in this context",
    "disallowed",
    "invalid u16",
    "variant",
    "serde",
];

#[test]
fn a_hundred_mistakes_name_the_line_to_write() {
    let all: Vec<Mistake> =
        [configs::all(), arguments::all(), inputs::all(), hosts::all()].into_iter().flatten().collect();
    assert!(all.len() >= 100, "there are {}", all.len());
    let (mut transcript, mut wrong) = (String::new(), Vec::new());
    for mistake in &all {
        let (code, log) = mistake.reported();
        if (code == Some(0)) == log.contains("error: ") || !log.contains("error: ") && !log.contains("warning: ") {
            wrong.push(format!("{} passes: {log}", mistake.name));
        }
        wrong.extend(
            RAW.iter().filter(|raw| log.contains(**raw)).map(|raw| format!("{}: `{raw}`: {log}", mistake.name)),
        );
        transcript.push_str(&format!("## {}\n\n    hostnet {}\n\n{log}\n", mistake.name, mistake.arguments.join(" ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    insta::assert_snapshot!("mistakes", transcript);
}
