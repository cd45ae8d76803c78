//! Visible numbers (P1): what a container's command, arguments and variables tell it to listen on.

use std::ops::Range;

use super::pod::Container;
use super::text::{Host, Number, listen_value, listen_variable};
use crate::yaml::Path;

/// A part of a scalar that holds a port number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// The scalar's path in the object.
    pub path: Path,
    /// The scalar's whole text.
    pub text: String,
    /// The digits, in bytes of the text.
    pub range: Range<usize>,
}

/// A flag or variable of a container that holds a listen address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    /// The flag with its dashes, or the variable.
    pub name: String,
    /// Where it listens.
    pub host: Host,
    /// The number.
    pub port: u16,
    /// Whether it is written with a colon (`:N`, `HOST:N`), as only an address is.
    pub address: bool,
    /// Whether it is a variable.
    pub env: bool,
    /// Where the number stands.
    pub place: TextPlace,
}

/// A flag and its value, wherever they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The flag with its dashes.
    pub name: String,
    /// The value, where there is one.
    pub value: Option<String>,
    /// The value's scalar and its range there; the flag's own when there is no value.
    pub place: TextPlace,
}

/// A word of a command: a whole element of a list, or a word of a script.
pub(super) struct Word {
    path: Path,
    whole: String,
    range: Range<usize>,
}

impl Word {
    pub(super) fn text(&self) -> &str {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }

    /// The path of the element that it is, or that it is a part of.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn part(&self, from: usize) -> TextPlace {
        TextPlace { path: self.path.clone(), text: self.whole.clone(), range: self.range.start + from..self.range.end }
    }
}

/// The flags of a container: `--flag=V`, `--flag V`, `-f V`, also in the script of a shell.
#[must_use]
pub fn flags(container: &Container) -> Vec<Flag> {
    flags_of(&container_words(container))
}

/// The flags of a probe's or hook's command.
#[must_use]
pub fn exec_flags(path: &Path, command: &[String]) -> Vec<Flag> {
    let shell = command.first().is_some_and(|word| word.ends_with("sh"));
    let words: Vec<Word> = command
        .iter()
        .enumerate()
        .flat_map(|(index, text)| {
            let path = path.item(index);
            if shell && !text.starts_with('-') { script_words(&path, text) } else { vec![whole(&path, text)] }
        })
        .collect();
    flags_of(&words)
}

fn whole(path: &Path, text: &str) -> Word {
    Word { path: path.clone(), whole: text.to_owned(), range: 0..text.len() }
}

/// The words of a container's command, in order.
pub(super) fn container_words(container: &Container) -> Vec<Word> {
    let script = container.script().map(|(list, index, _)| (list, index));
    container
        .words()
        .flat_map(|(list, index, text)| {
            let path = container.word_path(list, index);
            if script == Some((list, index)) { script_words(&path, text) } else { vec![whole(&path, text)] }
        })
        .collect()
}

/// The words of a script: parts between blanks, without the quotes around them.
fn script_words(path: &Path, script: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = 0;
    for piece in script.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')')) {
        let trimmed = piece.trim_matches(|c| c == '"' || c == '\'');
        if !trimmed.is_empty() {
            let from = start + piece.find(trimmed).unwrap_or(0);
            words.push(Word { path: path.clone(), whole: script.to_owned(), range: from..from + trimmed.len() });
        }
        start += piece.len() + 1;
    }
    words
}

fn flags_of(words: &[Word]) -> Vec<Flag> {
    let mut flags = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = word.text();
        if !text.starts_with('-') {
            continue;
        }
        if let Some((name, value)) = text.split_once('=') {
            let from = text.len() - value.len();
            flags.push(Flag { name: name.to_owned(), value: Some(value.to_owned()), place: word.part(from) });
            continue;
        }
        let next = words.get(index + 1).filter(|next| !next.text().starts_with('-'));
        flags.push(Flag {
            name: text.to_owned(),
            value: next.map(|next| next.text().to_owned()),
            place: next.map_or_else(|| word.part(0), |next| next.part(0)),
        });
    }
    flags
}

/// Every listen value of a container, whatever its flag or variable is called.
#[must_use]
pub fn visible(container: &Container) -> Vec<Visible> {
    let mut found: Vec<Visible> = Vec::new();
    for flag in flags(container) {
        let Some(value) = &flag.value else { continue };
        if let Some((host, number)) = listen_value(value) {
            found.push(of_value(flag.name, host, &number, value, false, &flag.place));
        } else if let Some((host, variable)) = listen_variable(value)
            && let Some((index, var)) = container.env_var(variable)
            && let Some((_, number)) = var.value.as_deref().and_then(listen_value)
        {
            let text = var.value.as_deref().unwrap_or_default().to_owned();
            let place = TextPlace { path: container.env_path(index), range: 0..text.len(), text: text.clone() };
            found.push(of_value(flag.name, host, &number, &text, true, &place));
        }
    }
    for var in &container.env {
        let Some(text) = &var.value else { continue };
        if let Some((host, number)) = listen_value(text) {
            let place = TextPlace { path: container.env_path(var.index), text: text.to_string(), range: 0..text.len() };
            found.push(of_value(var.name.to_string(), host, &number, text, true, &place));
        }
    }
    // Variables that a script sets for what it starts: `PORT=8080 exec server`.
    if let Some((list, index, script)) = container.script() {
        for word in script_words(&container.word_path(list, index), script) {
            if let Some((name, value)) = word.text().split_once('=')
                && !name.starts_with('-')
                && let Some((host, number)) = listen_value(value)
            {
                let place = word.part(name.len() + 1);
                found.push(of_value(name.to_owned(), host, &number, value, true, &place));
            }
        }
    }
    found
}

/// `place` is where the value stands; the number stands inside the value.
fn of_value(name: String, host: Host, number: &Number, value: &str, env: bool, place: &TextPlace) -> Visible {
    let start = place.range.start;
    Visible {
        name,
        host,
        port: number.port,
        address: value.contains(':'),
        env,
        place: TextPlace {
            path: place.path.clone(),
            text: place.text.clone(),
            range: start + number.range.start..start + number.range.end,
        },
    }
}

/// Whether a boolean flag is on: `--flag`, `--flag=true`; none when it is not given.
#[must_use]
pub fn switch(flags: &[Flag], name: &str) -> Option<bool> {
    let flag = flags.iter().rev().find(|flag| flag.name.trim_start_matches('-') == name.trim_start_matches('-'))?;
    Some(!matches!(flag.value.as_deref(), Some("false" | "False" | "0")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags with their values, and the text at each one's place.
    fn said(flags: Vec<Flag>) -> Vec<String> {
        let of = |flag: Flag| {
            let there = flag.place.text.get(flag.place.range).unwrap_or_default().to_owned();
            format!("{} {} at {there}", flag.name, flag.value.unwrap_or_default())
        };
        flags.into_iter().map(of).collect()
    }

    fn exec(command: &[&str]) -> Vec<String> {
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        said(exec_flags(&Path::root(), &command))
    }

    #[test]
    fn words_of_a_script_end_at_blanks_and_operators_and_lose_their_quotes() {
        let script = "a --b=1;c --d '2'|e\t--f \"3\" && (g --h 4)&\n--i=é --j=5 --k";
        let expected =
            ["--b 1 at 1", "--d 2 at 2", "--f 3 at 3", "--h 4 at 4", "--i é at é", "--j 5 at 5", "--k  at --k"];
        assert_eq!(exec(&["sh", "-c", script])[1..], expected);
        assert_eq!(exec(&["/bin/bash", "-c", "web --b=1"])[1..], ["--b 1 at 1"]);
        assert_eq!(
            exec(&["check", "--a=1", "web --b=1", "--c", "--d", "2"]),
            ["--a 1 at 1", "--c  at --c", "--d 2 at 2"]
        );
    }

    #[test]
    fn a_switch_is_on_unless_it_is_said_to_be_off() {
        let on = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            switch(&exec_flags(&Path::root(), &words), "--x")
        };
        assert_eq!((on(&["a"]), on(&["a", "--y"])), (None, None));
        assert_eq!(
            (on(&["a", "--x"]), on(&["a", "-x=true"]), on(&["a", "--x=1"])),
            (Some(true), Some(true), Some(true))
        );
        for off in ["--x=false", "--x=False", "--x=0"] {
            assert_eq!(on(&["a", "--x", off]), Some(false), "{off}");
        }
        assert_eq!(on(&["a", "--x=false", "--x"]), Some(true));
    }
}
