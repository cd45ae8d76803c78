//! Texts of commands and scripts that read the host name of their pod.

use super::lines::is_comment;
use super::number::is_word;

/// Variable with the host name, which shells set.
pub const HOST_NAME_VARIABLE: &str = "HOSTNAME";

/// Programs, files and functions that give the host name. A substitution starts the program `hostname`: elsewhere the
/// word is a flag, or a word of a sentence.
const SOURCES: [&str; 6] = ["$(hostname", "`hostname", "uname -n", "/etc/hostname", "gethostname(", "os.hostname("];

/// Way in which a text reads the host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostNameRead {
    /// From a program, a file or a function.
    Source,
    /// From the variable `HOSTNAME`, unless the pod sets this variable.
    Variable,
}

/// Returns the lines, counted from 1, that read the host name; lines that are comments are left out. A variable
/// `HOSTNAME` that the text itself sets is not read from the pod.
pub fn host_name_reads(text: &str) -> impl Iterator<Item = (usize, HostNameRead)> {
    let lines = || text.lines().enumerate().filter(|(_, line)| !is_comment(line));
    let is_set = lines().any(|(_, line)| sets_variable(line));
    lines().filter_map(move |(index, line)| {
        let read = match SOURCES.iter().any(|source| has_source(line, source)) {
            true => HostNameRead::Source,
            false => (!is_set && has_variable(line)).then_some(HostNameRead::Variable)?,
        };
        Some((index + 1, read))
    })
}

/// True if a text contains one of the sources as a word of its own: `uname -n`, but not `funcname -n`, and `$(hostname
/// -s)`, but not `$(hostname-of web)`.
fn has_source(text: &str, source: &str) -> bool {
    let after = |at: usize| text.get(at + source.len()..).and_then(|after| after.chars().next());
    let before = |at: usize| text.get(..at).and_then(|before| before.chars().next_back());
    let is_before = |c: char| is_word(c) && c != '.';
    let starts_inside = |at: usize| source.starts_with(char::is_alphabetic) && before(at).is_some_and(is_before);
    let ends_inside = |at: usize| !source.ends_with('(') && after(at).is_some_and(|c| is_word(c) || "/=".contains(c));
    text.match_indices(source).any(|(at, _)| !starts_inside(at) && !ends_inside(at))
}

/// True if a text has the variable: `$HOSTNAME.web`, `${HOSTNAME##*-}`, but not `$HOSTNAMES`.
fn has_variable(text: &str) -> bool {
    let variables = ["$HOSTNAME", "${HOSTNAME"].into_iter();
    let mut rests = variables.flat_map(|start| text.match_indices(start).map(|(at, _)| text.get(at + start.len()..)));
    rests.any(|rest| !rest.unwrap_or_default().starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// True if a line sets the variable to a text without its former value.
fn sets_variable(line: &str) -> bool {
    let assignment = "HOSTNAME=";
    line.match_indices(assignment).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let rest = line.get(at + assignment.len()..).unwrap_or_default();
        let value = rest.split([';', '&', '|']).next().unwrap_or_default();
        before.is_none_or(|c| c.is_whitespace() || c == ';') && !value.contains(HOST_NAME_VARIABLE)
    })
}

#[cfg(test)]
mod tests {
    use super::{HostNameRead, host_name_reads};

    fn reads(text: &str) -> Vec<(usize, HostNameRead)> {
        host_name_reads(text).collect()
    }

    #[test]
    fn texts_that_read_the_host_name_are_found() {
        for text in ["id=${HOSTNAME##*-}", "echo $HOSTNAME", "$HOSTNAME.web", "HOSTNAME=${HOSTNAME%%.*}"] {
            assert_eq!(reads(text), [(1, HostNameRead::Variable)], "{text}");
        }
        for text in [
            "x=$(hostname -s)",
            "[[ `hostname` =~ -([0-9]+)$ ]]",
            "cat /etc/hostname",
            "x=$(uname -n)",
            "socket.gethostname()",
        ] {
            assert_eq!(reads(text), [(1, HostNameRead::Source)], "{text}");
        }
        assert_eq!(reads("#!/bin/sh\nid=$(hostname)\n"), [(2, HostNameRead::Source)]);
    }

    #[test]
    fn other_texts_do_not_read_it() {
        let texts = ["--hostname=web", "$HOSTNAMES", "echo hostname", "$(hostnamectl)", "MY_HOSTNAME", "$(HOSTNAME)"];
        let others =
            ["# $(hostname)", "HOSTNAME=$POD_NAME; echo $HOSTNAME", "funcname -n", "/etc/hostnames", "uname -nr"];
        for text in texts.into_iter().chain(others) {
            assert_eq!(reads(text), [], "{text}");
        }
    }
}
