//! Writes the page `docs/development/truth.md`.

use std::fmt::Write as _;

use super::classify::{Item, Verdict};
use super::learned::{Learned, learned};
use super::programs::Program;
use crate::support::generated::wrapped;

/// A program with its items that are not right.
pub(crate) struct Row {
    name: String,
    version: String,
    listeners: usize,
    pub(crate) items: Vec<(Item, Vec<&'static str>)>,
}

impl Row {
    pub(crate) fn for_program(program: &Program) -> Self {
        Self::with(program, &Learned::new())
    }

    /// Returns the row of a program whose config has the entries of `hostnet learn`.
    pub(crate) fn with_learned(program: &Program) -> Self {
        Self::with(program, &learned(program))
    }

    fn with(program: &Program, learned: &Learned) -> Self {
        Self {
            name: program.name.clone(),
            version: program.truth.version.clone(),
            listeners: program.listeners(),
            items: program.items(learned),
        }
    }

    /// Returns the worst verdict of its items.
    pub(crate) fn verdict(&self) -> Verdict {
        self.items.iter().map(|(item, _)| item.verdict).max().unwrap_or(Verdict::Right)
    }

    /// Lists the items that are not right, grouped by reason.
    fn groups(&self) -> Vec<String> {
        let mut groups: Vec<(Verdict, String, Vec<&str>)> = Vec::new();
        let is_kept = |what: &str| self.items.iter().any(|(item, _)| item.what == what && item.why == KEPT);
        for (item, runs) in self.items.iter().filter(|(item, _)| item.why != "refused" || !is_kept(&item.what)) {
            let short = SHORT.into_iter().find(|(why, _)| *why == item.why);
            let why = format!("({}): {}", runs.join(", "), short.map_or(item.why.as_str(), |(_, short)| short));
            match groups.iter_mut().find(|(verdict, known, _)| *verdict == item.verdict && *known == why) {
                Some((_, _, all)) => all.push(&item.what),
                None => groups.push((item.verdict, why, vec![&item.what])),
            }
        }
        let text = |(verdict, why, all): (Verdict, String, Vec<&str>)| {
            let verdict = if verdict == self.verdict() { String::new() } else { format!("{verdict}: ") };
            format!("{verdict}{} {why}", all.join(", "))
        };
        groups.into_iter().map(text).collect()
    }

    /// Lists the items that are not right, one per line, with their messages.
    pub(crate) fn lines(&self) -> String {
        let mut text = format!("{}\n", self.name);
        for (item, runs) in &self.items {
            let detail = if item.detail.is_empty() { String::new() } else { format!(": {}", item.detail) };
            let _ = writeln!(text, "{}: {} ({}): {}{detail}", item.verdict, item.what, runs.join(", "), item.why);
        }
        text
    }
}

/// Returns the numbers of programs that are right, loud, and silently wrong.
pub(crate) fn counts(rows: &[Row]) -> [usize; 3] {
    [Verdict::Right, Verdict::Loud, Verdict::Silent]
        .map(|verdict| rows.iter().filter(|row| row.verdict() == verdict).count())
}

const HEAD: &str = "\
# The truth set

Programs of clusters whose listeners were read from their source, and the result of `hostnet` for the manifests of their
projects. The README of [tests/corpus/truth](../../tests/corpus/truth) explains the files of a program. A test makes
this page (`make generated` writes it):

```sh
cargo test --test corpus truth::    # compares it, and fails when a program is silently wrong
```

Each program runs with `ports: auto`, with `ports: keep`, and once for each number that a container listens on, with
another number for this listener alone. The test starts no program: it reads the manifest before and after with another
YAML reader, and derives from flags, variables and config files which ports the process binds. Each listener, each
similar text that is no listener, and each field that refers to a listener is

- **right**: the listener moved whole (set, declared with its host port, with all references), or its number cannot be
  set and a warning reports that it keeps its number; the bytes of other texts stay;
- **loud**: something did not change, and a warning or an error names the number and the workload. A listener that
  nothing in the manifest shows is loud if a result names its container as missing in the catalogue; a guess is loud if
  a result has the line to write;
- **silently wrong**: anything else.

A program has the verdict of its worst item.

";

/// The reason for a listener that keeps its number with `ports: auto`.
const KEPT: &str = "keeps its number, though the program's port could be set; reported";

/// Short names for frequent reasons.
const SHORT: [(&str, &str); 2] =
    [(KEPT, "kept"), ("no evidence shows it, and a message names the container as missing in the catalogue", "unseen")];

/// Returns the number of items that are not right with `ports: auto`.
fn left(rows: &[Row]) -> usize {
    let items = rows.iter().flat_map(|row| &row.items);
    items.filter(|(_, runs)| runs.contains(&"auto")).count()
}

/// Returns the page. `learned` are the programs with the entries of `hostnet learn`.
pub(crate) fn page(rows: &[Row], learned: &[Row]) -> String {
    let [right, loud, silent] = counts(rows);
    let listeners: usize = rows.iter().map(|row| row.listeners).sum();
    let mut text = HEAD.to_owned();
    let _ = writeln!(
        text,
        "{} programs with {listeners} listeners: **{right} right, {loud} loud, {silent} silently wrong**.\n",
        rows.len()
    );
    let [right, loud, silent] = counts(learned);
    let _ = writeln!(
        text,
        "With the `bind` lines that `hostnet learn` reads from the help of each program: **{right} right, {loud} loud, \
         {silent} silently\nwrong**. With `ports: auto` {} items are left with a warning, and {} without these lines.\n",
        left(learned),
        left(rows)
    );
    let (right, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.verdict() == Verdict::Right);
    let names: Vec<String> = right.iter().map(|row| format!("{} {}", row.name, row.version)).collect();
    text.push_str(&wrapped(&format!("Right: {}.", names.join(", ")), ""));
    let _ = writeln!(
        text,
        "\n[A table](../../tests/corpus/truth/loud.md) has the {} others, with each listener that is not right.",
        others.len()
    );
    text
}

/// Returns the table of programs that are not right, for the folder of the test.
pub(crate) fn loud(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Programs of the truth set that are not right\n\n\
         The wrong listeners of each program, and the runs in which they are wrong. *kept*: it keeps its number with a warning,\n\
         though the program's port could be set, and another requested number is refused or reported; *unseen*: no evidence\n\
         shows it, and a message names the container as missing in the catalogue.\n\n\
         | program | version | listeners that are not right |\n|---|---|---|\n",
    );
    for row in rows.iter().filter(|row| row.verdict() != Verdict::Right) {
        let why = row.groups().join("<br>").replace('|', "\\|");
        let silent = if row.verdict() == Verdict::Silent { "**silently wrong** " } else { "" };
        let _ = writeln!(text, "| {} | {} | {silent}{why} |", row.name, row.version);
    }
    text
}
