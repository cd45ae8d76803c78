//! Other uses of a variable that sets the port number of a listener: changing the variable would wrongly change them
//! too.

use std::collections::HashMap;

use super::words::container_words;
use crate::model::pod::Container;
use crate::model::text::{Form, Name, Word, form_of_host, host_of, is_loopback_end, variable_in_host};
use lossless_yaml::Path;

/// Texts of a container that expand variables: words, and values of variables.
#[derive(Debug)]
pub(in crate::model) struct Uses<'c> {
    container: &'c Container,
    words: Vec<Word>,
    /// Texts by the start of the variable names in them; words first, then values.
    by_name: HashMap<String, Vec<usize>>,
}

impl<'c> Uses<'c> {
    pub(in crate::model) fn for_container(container: &'c Container) -> Self {
        let words = container_words(container);
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        let values = container.env.iter().map(|var| var.value.unwrap_or_default());
        for (index, text) in words.iter().map(Word::text).chain(values).enumerate() {
            for name in names(text) {
                let texts = by_name.entry(name.to_owned()).or_default();
                if texts.last() != Some(&index) {
                    texts.push(index);
                }
            }
        }
        Self { container, words, by_name }
    }

    /// Texts with a variable in the address of another program (`--db=db:$(PORT)`), or as a port that is not a listener
    /// (`--target-port=$(PORT)`): path and text. `is_own` is true for host names of the workload's pods.
    pub(in crate::model) fn other_uses(&self, variable: &str, is_own: &dyn Fn(&str) -> bool) -> Vec<(Path, String)> {
        let texts = self.by_name.get(start(variable)).into_iter().flatten();
        texts.filter_map(|&index| self.other_use_in(index, variable, is_own)).collect()
    }

    /// Returns path and text of the argument or variable at this index if it uses `variable` for another purpose.
    fn other_use_in(&self, index: usize, variable: &str, is_own: &dyn Fn(&str) -> bool) -> Option<(Path, String)> {
        let Some(word) = self.words.get(index) else {
            let var = self.container.env.get(index - self.words.len()).filter(|var| var.name != variable)?;
            let value = var.value?;
            return is_other_use(self.container, var.name, value, variable, is_own)
                .then(|| (self.container.env_path(var.index), format!("{}={value}", var.name)));
        };
        let flag = |text: &str| text.starts_with('-') && !text.contains('=');
        let text = word.text();
        let before = index.checked_sub(1).and_then(|index| self.words.get(index)).map(Word::text);
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !name.contains(['$', ':', '/']) => (name, value),
            _ => (before.filter(|before| flag(before)).unwrap_or_default(), text),
        };
        is_other_use(self.container, name, value, variable, is_own)
            .then(|| (word.path().clone(), word.as_written().to_owned()))
    }
}

/// Starts of the variable names in a text: letters, digits and underscores after `$`, `$(` and `${`.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('$').filter_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        Some(start(rest.strip_prefix(['(', '{']).unwrap_or(rest)))
    })
}

/// Leading part of a text that can be the name of a variable.
fn start(name: &str) -> &str {
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
    name.get(..end).unwrap_or_default()
}

/// True if a value expands the variable at a position that is not an own setting of the listener.
fn is_other_use(container: &Container, name: &str, value: &str, variable: &str, is_own: &dyn Fn(&str) -> bool) -> bool {
    let forms = [format!("$({variable})"), format!("${{{variable}}}"), format!("${variable}")];
    let mut uses = forms.iter().flat_map(|form| value.match_indices(form.as_str()).map(move |(at, _)| (at, form)));
    uses.any(|(at, form)| {
        let rest = value.get(at + form.len()..).and_then(|rest| rest.chars().next());
        // `$PORT` is not a part of `$PORTS`.
        let whole = form.ends_with([')', '}']) || !rest.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let head = value.get(..at).unwrap_or_default();
        let peer = || host_of(value, at).is_some_and(is_own);
        whole
            && !is_loopback_end(head)
            && !peer()
            && (Name::new(name).has_other_program_word() || is_elsewhere(container, head))
    })
}

/// True if the text before a port is another host. A variable whose value is not in the manifest (`$(POD_IP)`) and
/// a variable with a listen address may be the pod itself.
fn is_elsewhere(container: &Container, head: &str) -> bool {
    let Some(host) = head.strip_suffix(':') else { return false };
    let host = host.rsplit(['/', '@', ',', '"', '\'']).next().unwrap_or_default();
    let is_own = |host: &str| form_of_host(host).is_some();
    let given = variable_in_host(host).and_then(|name| container.env_var(name));
    !given.is_some_and(|(_, var)| var.value.is_none_or(is_own)) && form_of_host(host) != Some(Form::AnyAddress)
}
