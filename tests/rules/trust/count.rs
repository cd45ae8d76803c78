//! Verdicts, counted.

use std::collections::BTreeMap;

/// Counts of verdicts by surroundings and form of `ports`, and the details of unexpected verdicts.
#[derive(Debug, Default)]
pub(crate) struct Count {
    numbers: BTreeMap<(String, &'static str), BTreeMap<&'static str, usize>>,
    explanations: BTreeMap<&'static str, Vec<String>>,
}

/// The verdict for a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) word: &'static str,
    /// Explanation for the report: the fault, or the messages of the run.
    pub(crate) why: String,
}

impl Verdict {
    pub(crate) fn new(word: &'static str, why: impl Into<String>) -> Self {
        Self { word, why: why.into() }
    }
}

impl Count {
    /// Counts a verdict and keeps its explanation.
    pub(crate) fn note(&mut self, place: impl Into<String>, form: &'static str, row: &str, verdict: &Verdict) {
        let place = place.into();
        if !verdict.why.is_empty() {
            self.explanations
                .entry(verdict.word)
                .or_default()
                .push(format!("{row} [{place}, {form}]: {}", verdict.why));
        }
        *self.numbers.entry((place, form)).or_default().entry(verdict.word).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (key, words) in other.numbers {
            let own = self.numbers.entry(key).or_default();
            for (word, count) in words {
                *own.entry(word).or_default() += count;
            }
        }
        for (word, lines) in other.explanations {
            self.explanations.entry(word).or_default().extend(lines);
        }
    }

    /// A line of verdict counts for each kind of surroundings.
    pub(crate) fn table(&self) -> String {
        let mut places: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for ((place, _), counts) in &self.numbers {
            let own = places.entry(place).or_default();
            for (word, count) in counts {
                *own.entry(word).or_default() += count;
            }
        }
        places.into_iter().map(|(place, counts)| line(place, &counts)).collect()
    }

    /// A line of verdict counts for each kind of surroundings and form of `ports`.
    pub(crate) fn table_of_forms(&self) -> String {
        self.numbers.iter().map(|((place, form), counts)| line(&format!("{place}, {form}"), counts)).collect()
    }

    /// Panics if a row has one of these verdicts. `HOSTNET_TRUST_REPORT` names a folder for the full report.
    pub(crate) fn assert_none(&self, words: &[&'static str], printed: usize) {
        if let Ok(folder) = std::env::var("HOSTNET_TRUST_REPORT") {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            let write = |word: &str, text: String| std::fs::write(format!("{folder}/{test}.{word}.txt"), text).unwrap();
            for (word, lines) in &self.explanations {
                write(word, lines.join("\n"));
            }
            write("table", self.table());
        }
        for word in words {
            let lines = self.explanations.get(word).map_or(&[][..], Vec::as_slice);
            if !lines.is_empty() {
                eprintln!(
                    "{} are {word}; the first of them:\n{}",
                    lines.len(),
                    lines[..lines.len().min(printed)].join("\n")
                );
            }
        }
        for word in words {
            assert_eq!(self.explanations.get(word).map_or(0, Vec::len), 0, "{word}");
        }
    }
}

fn line(place: &str, counts: &BTreeMap<&str, usize>) -> String {
    let counts = counts.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>();
    format!("{place}: {}\n", counts.join(", "))
}
