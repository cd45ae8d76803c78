//! A single run of the program.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use hostnet::api::HostNetworkConfig;
use hostnet::kinds;
use hostnet::render::Diagnostic;
use hostnet::rule::Severity;
use krm::{Input, Origin};

use crate::trust::manifest::{Output, WORKLOAD};

/// The number in an explicit config.
pub(crate) const ASKED: u16 = 20080;

/// The value of `ports` in the config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `ports: auto`
    Auto,
    /// `ports: keep`
    Keep,
    /// `ports: {KEY: auto}`
    Mapping,
    /// `ports: {KEY: 20080}`
    Explicit,
}

pub(crate) const FORMS: [Form; 4] = [Form::Auto, Form::Keep, Form::Mapping, Form::Explicit];

impl Form {
    fn ports(self, key: &str) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Keep => "keep".to_owned(),
            Self::Mapping => format!("{{{key}: auto}}"),
            Self::Explicit => format!("{{{key}: {ASKED}}}"),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Keep => "keep",
            Self::Mapping => "mapping",
            Self::Explicit => "number",
        }
    }

    /// True if `ports` names the number itself.
    pub(crate) fn names_it(self) -> bool {
        matches!(self, Self::Mapping | Self::Explicit)
    }
}

/// The results of a run.
pub(crate) struct Done {
    /// `None` if an error stopped the run.
    pub(crate) output: Option<Output>,
    /// The bytes of the output.
    pub(crate) text: String,
    /// The messages other than changes.
    log: Vec<Diagnostic>,
}

/// Rules whose messages name a number without its setting.
const BESIDE: [&str; 5] = ["node-port", "network-policy", "host-port", "dns-policy", "pod-forbids"];

impl Done {
    /// True if a warning or an error names one of these words.
    pub(crate) fn warns(&self, words: &[String]) -> bool {
        self.log.iter().any(|log| log.severity != Severity::Info && names(log, words))
    }

    /// True if one result of any severity names all of these words.
    pub(crate) fn lists(&self, words: &[String]) -> bool {
        self.log.iter().any(|log| words.iter().all(|word| names(log, std::slice::from_ref(word))))
    }

    /// The messages, for the report.
    pub(crate) fn messages(&self) -> String {
        let line = |log: &Diagnostic| format!("{:?} [{}] {}", log.severity, log.rule, log.message);
        self.log.iter().map(line).collect::<Vec<_>>().join(" | ")
    }
}

/// True if a result contains one of the words as a whole word.
fn names(log: &Diagnostic, words: &[String]) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let has = |word: &String| {
        log.message.match_indices(word.as_str()).any(|(at, _)| {
            let end = at + word.len();
            !part(log.message[..at].chars().next_back()) && !part(log.message[end..].chars().next())
        })
    };
    !BESIDE.contains(&log.rule) && words.iter().any(has)
}

/// Runs hostnet over a manifest; `key` is the key of a mapping.
pub(crate) fn run(manifest: &str, form: Form, key: &str) -> Done {
    let input = Input::read(Origin::stdin(), manifest.into()).unwrap();
    let done = kinds::run(std::slice::from_ref(&input), config(form, key), true).unwrap();
    let failed = done.failed();
    let mut bytes = Vec::new();
    input.write(&done.splices[0], &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let output = (!failed).then(|| Output::read(&text));
    Done { output, text, log: done.results.into_iter().filter(|result| !result.is_change).collect() }
}

/// The config for a form, parsed once.
fn config(form: Form, key: &str) -> &'static HostNetworkConfig {
    static READ: LazyLock<Mutex<BTreeMap<String, &'static HostNetworkConfig>>> = LazyLock::new(Mutex::default);
    let ports = form.ports(key);
    let mut read = READ.lock().unwrap();
    read.entry(ports.clone()).or_insert_with(|| {
        let spec = format!("{{targets: [{{select: {{kind: Deployment, name: {WORKLOAD}}}, ports: {ports}}}]}}");
        let text = format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {spec}}}");
        Box::leak(Box::new(HostNetworkConfig::read(&text, "hostnet.yaml", 1).unwrap()))
    })
}
