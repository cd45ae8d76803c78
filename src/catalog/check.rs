//! Validation of programs: of the catalogue, and of `programs` in a config.

use super::{KnownSetting, Listener, Program, WORDS};
use crate::version::ProgramVersion;

/// Roles of listeners.
pub const ROLES: [&str; 7] = ["webhook", "apiservice", "grpc", "metrics", "health", "pprof", "other"];

/// Maximum length of a port name (Kubernetes: `IANA_SVC_NAME`).
pub const MAX_NAME_LENGTH: usize = 15;

/// Returns the errors of a program; empty for a valid program.
pub fn check(program: &Program) -> Vec<String> {
    let mut wrong = Vec::new();
    if program.name.is_empty() || program.name.contains('@') {
        wrong.push(format!("`{}` is not a name for a program: a text without `@`", program.name));
    }
    for image in program.images.iter().filter(|image| image.is_empty() || image.contains([':', '@'])) {
        wrong.push(format!("image `{image}`: the end of a path, without tag and digest"));
    }
    wrong.extend(check_package(program));
    if program.config.as_ref().is_some_and(|file| file.arg.is_none() && file.path.is_none()) {
        wrong.push("`config` names no file: give `arg`, the flag that names it, or `path`".to_owned());
    }
    for listener in &program.listeners {
        let row = row(listener);
        wrong.extend(check_listener(program, listener).into_iter().map(|problem| format!("{row}: {problem}")));
    }
    wrong
}

/// Errors about fields that only packages may have, or that packages must not have.
fn check_package(program: &Program) -> Vec<String> {
    let mut wrong = Vec::new();
    for image in &program.images {
        let start = image.strip_suffix('*').unwrap_or(image);
        let has_start = !start.is_empty() && !start.ends_with('/');
        if start.contains('*') || (start != image && !(program.package.is_some() && has_start)) {
            wrong.push(format!("image `{image}`: a `*` is the end of a package's name, as in `provider-aws-*`"));
        }
    }
    if program.package.is_none() && !program.dependencies.is_empty() {
        wrong.push("`dependencies` without `package`: only packages install others".to_owned());
    }
    for name in program.dependencies.iter().filter(|name| name.is_empty() || name.contains(['/', ':', '@', '*'])) {
        wrong.push(format!("dependency `{name}`: the last segment of the package's path, without tag and digest"));
    }
    for image in program.without_dependencies.iter().filter(|image| !program.images.contains(image)) {
        wrong.push(format!("`withoutDependencies: {image}`: no entry of `images`"));
    }
    if program.package.is_some() && (program.images.is_empty() || !program.command.is_empty()) {
        wrong.push("a package is known by its `images` alone: give them, and no `command`".to_owned());
    }
    wrong
}

/// Display name of a listener.
fn row(listener: &Listener) -> String {
    let name = listener.names.first().map_or("without name", String::as_str);
    format!("listener {} ({name})", listener.role)
}

/// Mistakes in the row of a listener.
fn check_listener(program: &Program, listener: &Listener) -> Vec<String> {
    let mut wrong = Vec::new();
    for role in listener.role.split('+').filter(|role| !ROLES.contains(role)) {
        let roles = ROLES.map(|role| format!("`{role}`")).join(", ");
        wrong.push(format!("unknown role `{role}`: known are {roles}, and several joined by `+`"));
    }
    if listener.names.is_empty() {
        wrong.push("`names` is empty: the first one is given to a port that is not declared".to_owned());
    }
    for name in listener.names.iter().filter(|name| name.is_empty() || name.len() > MAX_NAME_LENGTH) {
        wrong.push(format!("`{name}` is not a name for a port: 1 to {MAX_NAME_LENGTH} characters"));
    }
    if !["TCP", "UDP", "SCTP"].contains(&listener.protocol.as_str()) {
        wrong.push(format!("protocol `{}`: one of `TCP`, `UDP` and `SCTP`", listener.protocol));
    }
    if listener.default == Some(0) {
        wrong.push(
            "`default` is 0: a port is 1 to 65535; leave it out when it listens only when a port is set".to_owned(),
        );
    }
    if listener.default_since.is_some() != listener.former_default.is_some()
        || listener.former_default.is_some_and(|former| former == 0 || listener.default.is_none())
    {
        wrong.push("`defaultSince` and `formerDefault` belong together, and to a `default`".to_owned());
    }
    wrong.extend(invalid_releases(listener.default_since.as_deref(), None));
    for flag in listener.disabled_by.iter().filter(|flag| !flag.starts_with('-') || flag.contains('=')) {
        wrong.push(format!("`disabledBy: {flag}`: a flag is written with its dashes and without a value"));
    }
    match (listener.fixed, listener.phantom, listener.settings.is_empty()) {
        (true, true, _) => wrong.push("`fixed` and `phantom`: give one".to_owned()),
        (false, ..) if listener.why.is_some() => {
            wrong.push("`why` needs `fixed: true`, whose reason it gives".to_owned());
        }
        (true, _, false) => wrong.push("`fixed` and `settings` contradict each other: leave one out".to_owned()),
        (_, true, false) => wrong.push("`phantom` and `settings` contradict each other: leave one out".to_owned()),
        (false, false, true) => {
            wrong.push("its setting is missing: give `settings`, or `fixed: true` if it has none".to_owned());
        }
        _ => {}
    }
    wrong.extend(invalid_releases(listener.since.as_deref(), listener.until.as_deref()));
    for (index, known) in listener.settings.iter().enumerate() {
        wrong.extend(check_setting(program, listener, known));
        if known.wins && (known.config.is_some() || listener.settings.iter().take(index).any(|other| other.wins)) {
            wrong.push(format!("`{}`: `wins` is for one flag or variable", known.name()));
        }
        if listener.settings.iter().take(index).any(|earlier| earlier.name() == known.name()) {
            wrong.push(format!("`{}` is set twice", known.name()));
        }
    }
    wrong
}

/// Reasons why `since` and `until` do not bound releases: a text that is not a version, and a last release before the
/// first.
fn invalid_releases(since: Option<&str>, until: Option<&str>) -> Option<String> {
    for (key, version) in [("since", since), ("until", until)] {
        if let Some(version) = version.filter(|version| !ProgramVersion::read_release(version).is_known()) {
            return Some(format!(
                "`{key}: {version}` is not a version: expected one such as `v1.2.3` or `edge-25.8.5`"
            ));
        }
    }
    let (since, until) = (since?, until?);
    (ProgramVersion::read_release(since).has(until) != Some(false))
        .then(|| format!("`until: {until}` is not after `since: {since}`: no release has it"))
}

/// Mistakes in one setting of a listener.
fn check_setting(program: &Program, listener: &Listener, known: &KnownSetting) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = known.name();
    wrong.extend(invalid_releases(known.known_since(), known.until.as_deref()).map(|why| format!("`{name}`: {why}")));
    if [&known.arg, &known.env, &known.config].into_iter().flatten().count() != 1 {
        wrong.push("each entry of `settings` has one of `arg`, `env` and `config`".to_owned());
    }
    if known.config.is_some() && program.config.is_none() {
        wrong.push(format!("`{name}` has no file: give `config: {{arg: --config}}` next to `listeners`"));
    }
    if known.arg.as_ref().is_some_and(|arg| !arg.starts_with('-') || arg.contains('=')) {
        wrong.push(format!("`{name}`: a flag is written with its dashes and without a value"));
    }
    let value = known.value.as_ref().unwrap_or(&listener.value);
    if value.matches("{port}").count() != 1 {
        wrong.push(format!("the value of `{name}` is `{value}`, expected a text with one `{{port}}`"));
    }
    let env = known.env.as_deref().unwrap_or("port").to_lowercase();
    if !WORDS.may_be_address(&env) {
        wrong.push(format!(
            "variable `{name}` has no word of an address (port, addr, listen, bind, host, url, server …), and so it is not read"
        ));
    }
    if program.not_listen.iter().any(|known| known == name) {
        wrong.push(format!("`{name}` is in `notListen` and in `settings`"));
    }
    wrong
}
