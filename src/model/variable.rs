//! Other uses of a variable that tells a listener its number: what would move with it, and must not.

use super::dialled::host_of;
use super::evidence::{Form, Name, Word, container_words, form_of_host};
use super::pod::Container;
use super::text::is_loopback_end;
use crate::yaml::Path;

/// Texts of a container where the variable is a part of somebody else's address (`--db=db:$(PORT)`), or told as a port
/// that is not listened on (`--target-port=$(PORT)`): their paths, and what stands there.
///
/// `is_own` says whether a host is a name of the workload's pods.
pub(super) fn astray(container: &Container, variable: &str, is_own: &dyn Fn(&str) -> bool) -> Vec<(Path, String)> {
    let mut found = Vec::new();
    let words = container_words(container);
    let flag = |text: &str| text.starts_with('-') && !text.contains('=');
    for (index, word) in words.iter().enumerate() {
        let text = word.text();
        let before = index.checked_sub(1).and_then(|index| words.get(index)).map(Word::text);
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !name.contains(['$', ':', '/']) => (name, value),
            _ => (before.filter(|before| flag(before)).unwrap_or_default(), text),
        };
        if is_astray(container, name, value, variable, is_own) {
            found.push((word.path().clone(), word.as_written().to_owned()));
        }
    }
    for var in container.env.iter().filter(|var| *var.name != *variable) {
        let Some(value) = &var.value else { continue };
        if is_astray(container, &var.name, value, variable, is_own) {
            found.push((container.env_path(var.index), format!("{}={value}", var.name)));
        }
    }
    found
}

fn is_astray(container: &Container, name: &str, value: &str, variable: &str, is_own: &dyn Fn(&str) -> bool) -> bool {
    let forms = [format!("$({variable})"), format!("${{{variable}}}"), format!("${variable}")];
    let mut uses = forms.iter().flat_map(|form| value.match_indices(form.as_str()).map(move |(at, _)| (at, form)));
    uses.any(|(at, form)| {
        let rest = value.get(at + form.len()..).and_then(|rest| rest.chars().next());
        // `$PORT` is no part of `$PORTS`.
        let whole = form.ends_with([')', '}']) || !rest.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let head = value.get(..at).unwrap_or_default();
        let peer = || host_of(value, at).is_some_and(is_own);
        whole && !is_loopback_end(head) && !peer() && (Name::of(name).names_another() || is_elsewhere(container, head))
    })
}

/// Whether what stands before a port is the host of somebody else. One that comes from elsewhere (`$(POD_IP)`) may be the
/// pod itself.
fn is_elsewhere(container: &Container, head: &str) -> bool {
    let Some(host) = head.strip_suffix(':') else { return false };
    let host = host.rsplit(['/', '@', ',', '"', '\'']).next().unwrap_or_default();
    let given = host.strip_prefix("$(").and_then(|host| host.strip_suffix(')'));
    let given = given.and_then(|name| container.env_var(name)).is_some_and(|(_, var)| var.value.is_none());
    !given && form_of_host(host) != Some(Form::AnyAddress)
}
