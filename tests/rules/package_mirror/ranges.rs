//! Versions and ranges, compared with the libraries that Crossplane uses.

use std::process::Command;

use hostnet::dependency::{Library, in_range};

use crate::support::{find_program, not_run, run, text};

/// Random ranges and versions, of common and of mistyped forms.
fn pairs(count: usize) -> Vec<(String, String)> {
    let mut dice = 20_261_123_u64;
    let mut chance = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).unwrap() % below
    };
    let operators = ["", "", ">=", ">=", "<", "<", "=", "!=", ">", "=>", "<=", "=<", "~", "~>", "^", "==", ">>", "~ "];
    let numbers = ["0", "1", "2", "0", "1", "x", "*", "X", "10", "01"];
    let ends = ["", "", "", "", "-0", "-rc.1", "-alpha", "-1.2", "-01", "+build", "-rc.1+b.2", "-"];
    let glues = [", ", ", ", ",", " ", " || ", "||", " - ", "  ", " , ", ",,"];
    let mut all = Vec::new();
    for _ in 0..count {
        let mut number = |is_range: bool| {
            let most = if is_range { 10 } else { 5 };
            let parts: Vec<&str> = (0..=chance(3)).map(|_| numbers[chance(most)]).collect();
            let v = ["v", "v", "", "V"][chance(if is_range { 4 } else { 3 })];
            format!("{v}{}{}", parts.join("."), ends[chance(ends.len())])
        };
        let version = number(false);
        let mut range = String::new();
        let parts: Vec<String> = (0..3).map(|_| number(true)).collect();
        for (at, part) in parts.iter().take(1 + chance(3)).enumerate() {
            if at > 0 {
                range.push_str(glues[chance(glues.len())]);
            }
            range.push_str(operators[chance(operators.len())]);
            range.push_str(part);
        }
        all.push((range, version));
    }
    for (range, version) in [
        ("", "v1.0.0"),
        (" ", "v1.0.0"),
        ("latest", "v1.0.0"),
        (">=v1.0.0", "latest"),
        ("*", "v1.0.0"),
        (">= v1.0.0 , < v2", "v1.5"),
    ] {
        all.push((range.to_owned(), version.to_owned()));
    }
    all
}

#[test]
fn versions_are_compared_like_in_crossplane() {
    let pairs = pairs(20_000);
    let lines: String = pairs.iter().map(|(range, version)| format!("{range}\x1f{version}\n")).collect();
    for (name, library) in [("xpkg-v1.20.11", Library::Old), ("xpkg", Library::New)] {
        let Some(program) = find_program(name) else {
            not_run(&format!("{name} is missing (`make tools` builds it with Go)"));
            continue;
        };
        let output = run(Command::new(program).arg("ranges"), lines.as_bytes());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let answers = text(&output.stdout);
        assert_eq!(answers.lines().count(), pairs.len());
        let mut counts = [0; 3];
        let mut differences = Vec::new();
        for ((range, version), wanted) in pairs.iter().zip(answers.lines()) {
            let (at, own) = match in_range(range, version, library) {
                Some(true) => (0, "yes"),
                Some(false) => (1, "no"),
                None => (2, "refused"),
            };
            counts[at] += 1;
            if own != wanted {
                differences.push(format!("`{range}` {version}: {own}, and the library says {wanted}"));
            }
        }
        let first: Vec<&String> = differences.iter().take(20).collect();
        assert!(first.is_empty(), "{name}: {} differences: {first:#?}", differences.len());
        assert!(counts.iter().all(|count| *count > 1_000), "{counts:?}");
    }
}
