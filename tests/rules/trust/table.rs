//! The tables: groups of rows, and the numbers in their texts.

use std::path::Path;

use serde::Deserialize;

/// Rows of one software, as written in a table. Each entry of a list is a row; `mixed` has rows with texts of several
/// lists.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Group {
    of: String,
    /// The Service and workload that own the port.
    to: Option<String>,
    /// The row itself does not show that the number belongs to another program.
    #[serde(default)]
    alone: bool,
    /// The name of an `alone` row contains the name of `to`.
    #[serde(default)]
    named: bool,
    /// The texts name a port of the pod itself.
    #[serde(default)]
    own: bool,
    #[serde(default)]
    form: Form,
    #[serde(default)]
    env: Vec<Vec<String>>,
    #[serde(default)]
    map: Vec<Vec<String>>,
    #[serde(default)]
    args: Vec<Vec<String>>,
    #[serde(default)]
    command: Vec<Vec<String>>,
    #[serde(default)]
    script: Vec<String>,
    #[serde(default)]
    mixed: Vec<Texts>,
}

/// The evidence for a listener in the text of a listen setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Form {
    /// A listen name with an any-address value.
    Any,
    /// A name of a scaffold in the catalogue.
    Scaffold,
    /// A listen name with a bare number or a loopback address: without another source it is a guess.
    #[default]
    Bare,
    /// `Bare` next to a host that may be the program's own public name: without another source it does not count.
    Public,
    /// A text without a listen name: an operand, a word of a script, a part of a longer value.
    Unnamed,
}

/// The texts of a row by their places in a container. A variable is `NAME=VALUE`, with `@FIELD`, `@secret` or `@map`
/// for a value from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Texts {
    pub(crate) command: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<String>,
    /// Keys of a ConfigMap that the container reads by `envFrom`.
    pub(crate) map: Vec<String>,
}

/// A row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) of: String,
    pub(crate) to: Option<String>,
    pub(crate) alone: bool,
    pub(crate) named: bool,
    pub(crate) own: bool,
    pub(crate) form: Form,
    texts: Texts,
}

/// The rows of a table.
pub(crate) fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/rules/trust/{name}.yaml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let groups: Vec<Group> = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    groups.into_iter().flat_map(Group::rows).collect()
}

impl Group {
    fn rows(self) -> Vec<Row> {
        let env = self.env.into_iter().map(|env| Texts { env, ..Texts::default() });
        let map = self.map.into_iter().map(|map| Texts { map, ..Texts::default() });
        let args = self.args.into_iter().map(|args| Texts { args, ..Texts::default() });
        let command = self.command.into_iter().map(|command| Texts { command, ..Texts::default() });
        let script = self.script.into_iter().map(|script| Texts {
            command: vec!["/bin/sh".to_owned(), "-c".to_owned()],
            args: vec![script],
            ..Texts::default()
        });
        let all = env.chain(map).chain(args).chain(command).chain(script).chain(self.mixed);
        let row = |texts| Row {
            of: self.of.clone(),
            to: self.to.clone(),
            alone: self.alone,
            named: self.named,
            own: self.own,
            form: self.form,
            texts,
        };
        all.map(row).collect()
    }
}

impl Row {
    /// The name of the row in the report.
    pub(crate) fn name(&self) -> String {
        let Texts { command, args, env, map } = &self.texts;
        let all: Vec<_> = command.iter().chain(args).chain(env).chain(map).map(String::as_str).collect();
        format!("{}: {}", self.of, all.join(" ")).replace('\n', "⏎")
    }

    /// The texts, with their numbers in brackets.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The numbers that move, each once, in the order of the texts.
    pub(crate) fn numbers(&self) -> Vec<u16> {
        let Texts { command, args, env, map } = &self.texts;
        let mut numbers = Vec::new();
        for text in env.iter().chain(map).chain(command).chain(args) {
            for piece in pieces(text) {
                if let Piece::Moves(number) = piece
                    && !numbers.contains(&number)
                {
                    numbers.push(number);
                }
            }
        }
        numbers
    }

    /// The texts with new numbers: `moves` gives those for `<8080>`, `stays` those for `<=8080>`, which always stays.
    pub(crate) fn filled(&self, moves: impl Fn(u16) -> u16, stays: impl Fn(u16) -> u16) -> Texts {
        let fill = |texts: &[String]| texts.iter().map(|text| fill(text, &moves, &stays)).collect();
        Texts {
            command: fill(&self.texts.command),
            args: fill(&self.texts.args),
            env: fill(&self.texts.env),
            map: fill(&self.texts.map),
        }
    }
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    /// `<8080>`
    Moves(u16),
    /// `<=8080>`
    Stays(u16),
}

fn fill(text: &str, moves: impl Fn(u16) -> u16, stays: impl Fn(u16) -> u16) -> String {
    let piece = |piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Moves(number) => moves(number).to_string(),
        Piece::Stays(number) => stays(number).to_string(),
    };
    pieces(text).into_iter().map(piece).collect()
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(start) = rest[from..].find('<').map(|at| from + at) {
        let inner = rest[start + 1..].split_once('>').map_or("", |(inner, _)| inner);
        let digits = inner.strip_prefix('=').unwrap_or(inner);
        let Some(number) = digits.parse().ok().filter(|_| !digits.starts_with('+')) else {
            from = start + 1;
            continue;
        };
        pieces.push(Piece::Text(&rest[..start]));
        pieces.push(if digits == inner { Piece::Moves(number) } else { Piece::Stays(number) });
        rest = &rest[start + inner.len() + 2..];
        from = 0;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

#[test]
fn numbers_are_in_brackets() {
    let filled = fill("a <80> <=81> <b 2>&1 <<EOF <80>", |_| 90, |number| number);
    assert_eq!(filled, "a 90 81 <b 2>&1 <<EOF 90");
}
