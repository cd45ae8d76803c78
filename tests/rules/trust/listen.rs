//! Listen settings: with one more source of the number, they move completely with the declared port, or a message gives
//! the reason. A guess is left unchanged and listed.

use crate::trust::client::differing;
use crate::trust::count::{Count, Verdict};
use crate::trust::manifest::{CONTAINER, Container, Manifest, Output, in_shell};
use crate::trust::run::{ASKED, Done, Form as Ports, run};
use crate::trust::table::{Form, Row, Texts};

/// A number that no row has.
const MARK: u16 = 65_001;

/// The surroundings of a row: sources of the number in addition to its own texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// The container declares the numbers.
    Declared,
    /// A Service, a probe and an annotation also have the number.
    Referred,
    /// No port declares the number; a probe has it.
    Probed,
    /// No port declares the number; the Service of the pods has it as its target.
    Targeted,
    /// No port declares the number; the annotation for scraping has it.
    Scraped,
    /// Only the row's texts have the number.
    Alone,
    /// Another workload and its Service also have the number.
    Coincidence,
    /// The container is the second of the pod.
    Second,
    /// The variables come from a ConfigMap, the arguments are part of a script.
    Moved,
    /// Each variable comes from a key of a ConfigMap.
    Keys,
}

const ALL: [Around; 10] = [
    Around::Declared,
    Around::Referred,
    Around::Probed,
    Around::Targeted,
    Around::Scraped,
    Around::Alone,
    Around::Coincidence,
    Around::Second,
    Around::Moved,
    Around::Keys,
];

impl Around {
    fn declares(self) -> bool {
        !matches!(self, Self::Probed | Self::Targeted | Self::Scraped | Self::Alone)
    }
}

/// Judges a row in all surroundings, each under these forms of `ports`.
pub(crate) fn judge(row: &Row, forms: &dyn Fn(usize) -> Vec<Ports>, count: &mut Count) {
    for (turn, around) in ALL.into_iter().enumerate() {
        let Some((manifest, texts)) = manifest(row, around) else { continue };
        let text = manifest.text();
        for ports in forms(turn) {
            let key = if around.declares() { "http".to_owned() } else { row.numbers()[0].to_string() };
            let done = run(&text, ports, &key);
            let case = Case { row, around, ports, texts: &texts, done: &done };
            let mut verdict = case.verdict();
            if around == Around::Declared && verdict.word == "moved" && run(&done.text, ports, &key).text != done.text {
                verdict = Verdict::new("false", "a second run changes something");
            }
            if matches!(verdict.word, "false" | "silent") {
                verdict.why += &format!("; reported: {}", done.messages());
            }
            count.note(format!("{:?} {around:?}", row.form), ports.name(), &row.name(), &verdict);
        }
    }
}

/// The texts of a row in these surroundings; `None` if the texts cannot have that form.
fn placed(around: Around, texts: Texts) -> Option<Texts> {
    if !matches!(around, Around::Moved | Around::Keys) {
        return Some(texts);
    }
    let plain = |texts: &[String]| texts.iter().all(|text| !text.contains("=@") && !text.contains(['\n', '$']));
    let Texts { command, args, env, map } = texts;
    if args.is_empty() && command.is_empty() && map.is_empty() && plain(&env) {
        Some(Texts { map: env, ..Texts::default() })
    } else if around == Around::Moved && env.is_empty() && command.is_empty() && map.is_empty() && plain(&args) {
        Some(in_shell(&args))
    } else {
        None
    }
}

fn manifest(row: &Row, around: Around) -> Option<(Manifest, Texts)> {
    let texts = placed(around, row.filled(|number| number, |number| number))?;
    let numbers = row.numbers();
    let number = numbers[0];
    let mut manifest = Manifest::default();
    let keys = around == Around::Keys;
    let mut app = Container { name: CONTAINER, texts: texts.clone(), keys, ..Container::default() };
    if around.declares() {
        app.ports = ["http", "second", "third"].into_iter().zip(numbers).collect();
    }
    match around {
        Around::Declared | Around::Alone | Around::Moved | Around::Keys => {}
        Around::Referred => {
            app.probe = Some(number);
            manifest.target = Some(number);
            manifest.scraped = Some(number);
        }
        Around::Probed => app.probe = Some(number),
        Around::Targeted => manifest.target = Some(number),
        Around::Scraped => manifest.scraped = Some(number),
        Around::Coincidence => manifest.neighbour = Some(("ledger".to_owned(), number)),
        Around::Second => {
            let mut first = Container { name: "main", ..Container::default() };
            first.listens(7171, Some(":"));
            first.ports[0].0 = "main";
            manifest.containers.push(first);
        }
    }
    manifest.containers.push(app);
    Some((manifest, texts))
}

struct Case<'c> {
    row: &'c Row,
    around: Around,
    ports: Ports,
    texts: &'c Texts,
    done: &'c Done,
}

impl Case<'_> {
    /// True if another source besides the row's texts shows this one of its numbers.
    fn shown(&self, index: usize) -> bool {
        self.around.declares() || index == 0 && self.around != Around::Alone
    }

    /// True if only the row's texts show the number, and only as a guess.
    fn guess(&self, index: usize) -> bool {
        self.row.form == Form::Bare && !self.shown(index)
    }

    /// True if hostnet need not recognize the number as a listener's.
    fn unknown(&self, index: usize) -> bool {
        matches!(self.row.form, Form::Unnamed | Form::Public) && !self.shown(index)
    }

    fn verdict(&self) -> Verdict {
        let Some(output) = &self.done.output else { return self.stopped() };
        let declared: Vec<u16> = output.ports(CONTAINER).iter().filter_map(|port| u16::try_from(port.1).ok()).collect();
        let Some(numbers) = self.numbers(output, &declared) else {
            let word = if self.stays(output) { "silent" } else { "false" };
            let now = differing(self.texts, &output.texts(self.texts));
            return Verdict::new(word, format!("half: {now}, declared {declared:?}"));
        };
        let mut moved = false;
        for (index, (old, new)) in numbers.iter().enumerate() {
            if old == new {
                if let Some(verdict) = self.kept(index, *old, &declared) {
                    return verdict;
                }
                continue;
            }
            moved |= index == 0;
            if self.ports == Ports::Keep {
                return Verdict::new("false", format!("{old} became {new}"));
            }
            if self.guess(index) || self.row.form == Form::Public && !self.shown(index) {
                return Verdict::new("false", format!("the guess {old} became {new}"));
            }
            if declared.contains(old) || !declared.contains(new) {
                return Verdict::new("silent", format!("assigned {new}, declared {declared:?}"));
            }
            if index == 0 && self.ports == Ports::Explicit && *new != ASKED {
                return Verdict::new("false", format!("asked for {ASKED}, got {new}"));
            }
        }
        let name = output.ports(CONTAINER).into_iter().find(|port| port.1 == u64::from(numbers[0].1));
        let allowed = [numbers[0].1.to_string(), name.map(|port| port.0).unwrap_or_default()];
        if let Some(reference) = output.references().iter().find(|reference| !allowed.contains(reference)) {
            return Verdict::new("silent", format!("a reference is {reference}, not one of {allowed:?}"));
        }
        if let Some(port) = output.ports(CONTAINER).iter().find(|port| port.2 != Some(port.1)) {
            return Verdict::new("silent", format!("host port {:?} of port {}", port.2, port.1));
        }
        if moved {
            return Verdict::new("moved", "");
        }
        let word = match (self.ports, self.guess(0), self.unknown(0)) {
            (_, true, _) => "listed",
            (_, _, true) => "left",
            (Ports::Keep, ..) => "kept",
            _ => "loud",
        };
        Verdict::new(word, if word == "loud" { self.done.messages() } else { String::new() })
    }

    /// The fault of a number that did not move; `None` if it was kept correctly.
    fn kept(&self, index: usize, number: u16, declared: &[u16]) -> Option<Verdict> {
        let asked = index == 0 || self.ports == Ports::Auto;
        if self.guess(index) {
            if declared.contains(&number) {
                return Some(Verdict::new("false", format!("the guess {number} is declared")));
            }
            let names = self.names(number);
            let listed = names.iter().any(|name| self.done.lists(&[number.to_string(), name.clone()]))
                || names.is_empty() && self.done.lists(&[number.to_string()]);
            return (!listed).then(|| Verdict::new("silent", format!("no result lists {number} of {names:?}")));
        }
        if self.unknown(index) {
            return None;
        }
        let mut words = self.names(number);
        words.push(number.to_string());
        if self.done.warns(&words) {
            return None;
        }
        if self.ports == Ports::Keep || !asked {
            return (!declared.contains(&number)).then(|| Verdict::new("silent", format!("{number} is not declared")));
        }
        Some(Verdict::new("silent", format!("{number} is kept without a word")))
    }

    /// An error stopped the run.
    fn stopped(&self) -> Verdict {
        if !self.ports.names_it() {
            return Verdict::new("false", "an error where nothing was asked for");
        }
        let number = self.row.numbers()[0];
        let mut words = self.names(number);
        words.push(number.to_string());
        if !self.done.warns(&words) {
            return Verdict::new("silent", "the error does not name it");
        }
        if self.guess(0) {
            let words = [number.to_string(), "bind".to_owned()];
            let log = self.done.lists(&words);
            return if log { Verdict::new("listed", "") } else { Verdict::new("silent", "the error has no `bind`") };
        }
        let word = if self.unknown(0) { "left" } else { "loud" };
        Verdict::new(word, if word == "loud" { self.done.messages() } else { String::new() })
    }

    /// The old and the new number of each listener of the row, if the output contains its complete texts.
    fn numbers(&self, output: &Output, declared: &[u16]) -> Option<Vec<(u16, u16)>> {
        let old = self.row.numbers();
        let now = output.texts(self.texts);
        let mut found: Vec<Vec<u16>> = vec![Vec::new()];
        for number in &old {
            let choices = std::iter::once(*number).chain(declared.iter().copied());
            found = choices.flat_map(|new| found.iter().map(move |known| [&known[..], &[new]].concat())).collect();
        }
        let is_whole = |new: &Vec<u16>| {
            let moved = |number| old.iter().position(|known| *known == number).map_or(number, |index| new[index]);
            placed(self.around, self.row.filled(moved, |number| number)).is_some_and(|texts| texts == now)
        };
        found.into_iter().find(is_whole).map(|new| old.into_iter().zip(new).collect())
    }

    /// True if the texts that must stay are unchanged, as far as the output shows.
    fn stays(&self, output: &Output) -> bool {
        let now = output.texts(self.texts);
        let marked = self.row.filled(|_| 0, |number| number);
        let before = |texts: &Texts| -> Vec<String> {
            [&texts.command, &texts.args, &texts.env, &texts.map].into_iter().flatten().cloned().collect()
        };
        let Some(marked) = placed(self.around, marked) else { return true };
        // A text without a moving number is unchanged.
        let all = before(&marked).into_iter().zip(before(self.texts)).zip(before(&now));
        all.into_iter().all(|((marked, old), now)| marked != old || now == old)
    }

    /// The flags and variables with this number, and those that expand such a variable.
    fn names(&self, number: u16) -> Vec<String> {
        let marked = self.row.filled(|known| if known == number { MARK } else { 1 }, |_| 1);
        let mark = MARK.to_string();
        let Texts { command, args, env, map } = &marked;
        let mut names = Vec::new();
        for (name, value) in env.iter().chain(map).filter_map(|text| text.split_once('=')) {
            if value.contains(&mark) {
                names.push(name.to_owned());
            }
        }
        let variables = names.clone();
        let has =
            |word: &str| word.contains(&mark) || variables.iter().any(|name| word.contains(&format!("$({name})")));
        let words: Vec<&str> = command.iter().chain(args).flat_map(|text| text.split_whitespace()).collect();
        for (index, word) in words.iter().enumerate().filter(|(_, word)| has(word)) {
            let before = index.checked_sub(1).map(|index| words[index]);
            let name = if word.starts_with('-') { word.split('=').next() } else { before };
            // `-c` before a script belongs to the shell.
            names
                .extend(name.filter(|name| name.starts_with('-') && !matches!(*name, "-c" | "-ec")).map(str::to_owned));
        }
        names
    }
}
