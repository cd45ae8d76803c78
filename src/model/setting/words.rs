//! Words of a container's commands.

use std::sync::Arc;

use crate::model::pod::Container;
use crate::model::text::{Word, script_of, script_words};
use lossless_yaml::Path;

/// Returns the words of the command of a container, in order.
pub(in crate::model) fn container_words(container: &Container) -> Vec<Word> {
    let script = container.script().map(|(list, index, _)| (list, index));
    let words = container
        .words()
        .map(|(list, index, text)| (container.word_path(list, index), text, script == Some((list, index))));
    read_words(words)
}

/// Returns the words of the command of a probe or hook.
pub(in crate::model) fn exec_words(path: &Path, command: &[String]) -> Vec<Word> {
    let script = script_of(command.iter().map(String::as_str));
    let words = command.iter().enumerate();
    read_words(words.map(|(index, text)| (path.item(index), text.as_str(), script == Some(index))))
}

/// Reads the words of a command; shell scripts are split into words.
fn read_words<'w>(elements: impl Iterator<Item = (Path, &'w str, bool)>) -> Vec<Word> {
    let mut words = Vec::new();
    for (path, text, is_script) in elements {
        if is_script {
            let whole: Arc<str> = text.into();
            words.extend(script_words(&path, &whole, 1));
        } else {
            words.push(Word::whole(path, text, 0));
        }
    }
    words
}

/// True for a text that starts like a flag: `-p`, `--port`.
pub(in crate::model) fn is_flag(text: &str) -> bool {
    // `-1` is a number.
    let rest = text.trim_start_matches('-');
    match text.len() - rest.len() {
        0 => false,
        1 => rest.starts_with(|c: char| c.is_alphabetic()),
        _ => rest.starts_with(|c: char| c.is_alphanumeric()),
    }
}

/// Returns the words of a variable with options: `JAVA_OPTS="-Dserver.port=8080 -Xmx1g"`.
pub(in crate::model) fn option_words(path: &Path, whole: &Arc<str>, command: usize) -> Vec<Word> {
    let may_be = whole.contains('-') && !whole.contains(['"', '\'', '\n']);
    if !may_be || !whole.split_whitespace().any(is_flag) {
        return Vec::new();
    }
    let start = whole.as_ptr() as usize;
    let words = whole.split_whitespace().map(|word| {
        let at = word.as_ptr() as usize - start;
        Word::part(path.clone(), whole, at..at + word.len(), command)
    });
    words.collect()
}
