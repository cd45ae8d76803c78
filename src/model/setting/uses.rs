//! Other uses of a variable that sets the port number of a listener: changing the variable would wrongly change them
//! too.

use std::collections::HashMap;

use super::words::container_words;
use crate::model::pod::Container;
use crate::model::text::{Form, Name, TextPlace, Word, form_of_host, host_of, is_loopback_end, variable_in_host};
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

    /// Words that calculate another number from a variable: `$((PORT+1))`, `expr $PORT + 1`, `let M=PORT+1`,
    /// `${PORT%3}4`. Path and text of each.
    pub(in crate::model) fn calculations(&self, variable: &str) -> Vec<(Path, String)> {
        let (mut command, mut program, mut found) = (usize::MAX, "", Vec::new());
        for word in &self.words {
            let written = word.as_written();
            if word.command != command {
                (command, program) = (word.command, written);
            }
            let is_argument = matches!(program, "expr" | "let") && has_identifier(written, variable);
            let is_calculated = || arithmetic(written).any(|inside| has_identifier(inside, variable));
            if is_argument || is_calculated() || takes_part_of(written, variable) {
                found.push((word.path().clone(), written.to_owned()));
            }
        }
        found
    }

    /// Variable that a script sets at this position, as in `PORT=8080`.
    pub(in crate::model) fn assigned_at(&self, place: &TextPlace) -> Option<&str> {
        let is_here = |word: &&Word| {
            let whole = word.whole_place();
            whole.path == place.path && whole.range.contains(&place.range.start)
        };
        let (name, _) = self.words.iter().find(is_here)?.text().split_once('=')?;
        (start(name) == name).then_some(name)
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

/// Arithmetic expressions of a text: inside of `$((` and `))`, or of `$[` and `]`.
fn arithmetic(text: &str) -> impl Iterator<Item = &str> {
    [("$((", "))"), ("$[", "]")]
        .into_iter()
        .flat_map(move |(open, close)| text.split(open).skip(1).filter_map(move |rest| rest.split(close).next()))
}

/// True if a text expands a part of a variable: `${PORT%3}`, `${PORT#9}`, `${PORT/4/5}`, `${PORT:1}`.
fn takes_part_of(text: &str, name: &str) -> bool {
    text.split("${").skip(1).filter_map(|rest| rest.strip_prefix(name)).any(|rest| {
        let slice = rest.strip_prefix(':').and_then(|rest| rest.trim_start().chars().next());
        rest.starts_with(['%', '#', '/']) || slice.is_some_and(|c| c.is_ascii_digit())
    })
}

/// True if a text has the name of a variable as a whole word.
fn has_identifier(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
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
