//! Protocol with which a text dials a port, to distinguish TCP and UDP ports of a pod with the same number.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::word::{TextPlace, Word};
use super::words::words;
use crate::catalog;
use lossless_yaml::Path;

/// Protocol in the address around a number: a scheme (`udp://HOST:N`, `udp:HOST:N`, `/dev/udp/HOST/N`), or a suffix
/// (`N/udp`).
pub(in crate::model) fn of_text(text: &str, number: &Range<usize>) -> Option<&'static str> {
    let before = text.get(..number.start)?;
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '=' | '"' | '\'' | '(' | '<' | '>');
    let item = before.rsplit(ends).next().unwrap_or_default();
    let device = item.strip_prefix("/dev/").and_then(|rest| rest.split_once('/'));
    let scheme = item.split_once("://").or_else(|| item.split_once(':')).or(device).map(|(scheme, _)| scheme);
    scheme.and_then(of_name).or_else(|| of_parameters(before, text.get(number.end..)?)).or_else(|| {
        let word = text.get(number.end..)?.strip_prefix('/')?;
        let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
        let (word, rest) = word.split_at_checked(end)?;
        // In a longer path such as `8080/tcp/x` the word is not the suffix of a protocol.
        let named = |row: &&catalog::Transport| row.names.contains(&word);
        let row = catalog::WORDS.transports.iter().find(named);
        row.filter(|_| !rest.starts_with(['/', '.', '-', '_'])).map(|row| row.protocol)
    })
}

/// Protocol in the parameters of an address, as in `0.0.0.0:5353 udp reuseport` of Kong.
fn of_parameters(before: &str, after: &str) -> Option<&'static str> {
    let parameters =
        after.split([',', ';', '\n']).next().filter(|text| before.ends_with(':') && text.starts_with(' '))?;
    let mut words = parameters.split_whitespace();
    let row = words.find_map(|word| catalog::WORDS.transports.iter().find(|row| row.names.contains(&word)))?;
    Some(row.protocol)
}

/// Protocol in the words of the name of a flag, variable or scheme; `None` if the words have several.
pub(in crate::model) fn of_name(name: &str) -> Option<&'static str> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let only = |list: fn(&catalog::Transport) -> &'static [&'static str]| {
        let mut rows = catalog::WORDS.transports.iter().filter(|row| has(list(row)));
        (rows.next(), rows.next().is_some())
    };
    match (only(|row| row.names), only(|row| row.words)) {
        ((None, _), (Some(row), false)) | ((Some(row), false), _) => Some(row.protocol),
        _ => None,
    }
}

/// Protocols of command lines, by the program that dials: `nc -u`, `curl`.
#[derive(Debug, Default)]
pub(in crate::model) struct Commands {
    /// Words of each text in order, each with its command line.
    words: HashMap<Path, Vec<(Range<usize>, usize)>>,
    by_line: HashMap<usize, &'static str>,
}

impl Commands {
    pub(in crate::model) fn new(words: &[Word]) -> Self {
        let mut lines: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        let mut places: HashMap<Path, Vec<(Range<usize>, usize)>> = HashMap::new();
        for word in words {
            lines.entry(word.command).or_default().push(word.text());
            places.entry(word.path().clone()).or_default().push((word.whole_place().range, word.command));
        }
        for words in places.values_mut() {
            words.sort_by_key(|(range, _)| range.start);
        }
        let by_line = lines.into_iter().filter_map(|(line, words)| Some((line, transport_of_command(&words)?)));
        Self { words: places, by_line: by_line.collect() }
    }

    /// Protocol of the command line at a position.
    pub(in crate::model) fn protocol_at(&self, place: &TextPlace) -> Option<&'static str> {
        let words = self.words.get(&place.path)?;
        let after = words.partition_point(|(range, _)| range.start <= place.range.start);
        let (_, line) = words.get(after.checked_sub(1)?)?;
        self.by_line.get(line).copied()
    }
}

/// Protocol that a command's program or flags show.
fn transport_of_command(words: &[&str]) -> Option<&'static str> {
    let runs = |program: &str| words.iter().any(|word| word.rsplit('/').next() == Some(program));
    let has = |flag: &str| words.iter().any(|word| is_flag(word, flag));
    let rows = || catalog::WORDS.transports.iter().flat_map(|row| row.commands.iter().map(move |words| (row, *words)));
    let with_flag =
        |(_, command): &(_, &str)| command.split_once(' ').is_some_and(|(run, flag)| runs(run) && has(flag));
    let row = rows().find(with_flag).or_else(|| rows().find(|(_, command)| runs(command)));
    row.map(|(row, _)| row.protocol)
}

/// True if a word is the flag, or combines short flags with it: `-zu` contains `-u`.
fn is_flag(word: &str, flag: &str) -> bool {
    let letter = flag.strip_prefix('-').filter(|rest| rest.len() == 1);
    let cluster = word.strip_prefix('-').filter(|rest| rest.bytes().all(|b| b.is_ascii_alphabetic()));
    word == flag || letter.zip(cluster).is_some_and(|(letter, cluster)| cluster.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transport_of(text: &str) -> Option<&'static str> {
        let start = text.find("8125").unwrap();
        of_text(text, &(start..start + 4))
    }

    #[test]
    fn the_scheme_shows_the_transport() {
        for udp in [
            "udp://localhost:8125",
            "x=udp://localhost:8125/",
            "udp:[::1]:8125",
            "localhost:8125/udp",
            ">/dev/udp/localhost/8125",
            "0.0.0.0:8125 reuseport udp, 0.0.0.0:1 tcp",
        ] {
            assert_eq!(transport_of(udp), Some("UDP"), "{udp}");
        }
        for tcp in [
            "http://localhost:8125/udp",
            "udp://a:1,tcp://localhost:8125",
            "/dev/tcp/localhost/8125",
            "TCP4:localhost:8125",
        ] {
            assert_eq!(transport_of(tcp), Some("TCP"), "{tcp}");
        }
        for none in [
            "localhost:8125",
            "localhost:8125 ssl, udp",
            "8125 udp",
            "udp://a:1 localhost:8125",
            "localhost:8125/udp/x",
            "gelf://localhost:8125",
            "8125",
        ] {
            assert_eq!(transport_of(none), None, "{none}");
        }
    }

    #[test]
    fn the_name_shows_the_transport() {
        assert_eq!(of_name("STATSD_PORT"), Some("UDP"));
        assert_eq!(of_name("STATSD_TCP_PORT"), Some("TCP"));
        assert_eq!(of_name("--http-udp-port"), Some("UDP"));
        assert_eq!((of_name("TCP_UDP_PORT"), of_name("STATSD_HTTP"), of_name("PORT")), (None, None, None));
    }

    #[test]
    fn the_command_shows_the_transport() {
        assert_eq!(transport_of_command(&["until", "/bin/nc", "-zu", "localhost"]), Some("UDP"));
        assert_eq!(transport_of_command(&["nc", "-z", "localhost"]), Some("TCP"));
        assert_eq!(transport_of_command(&["curl", "-u", "me:secret"]), Some("TCP"));
        assert_eq!(transport_of_command(&["web", "-u"]), None);
    }
}
