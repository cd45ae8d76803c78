//! Replacement of every kind of value by every other kind, in every position.

use super::{EditError, Op, Path, Value, edit_text, map, seq};

/// Texts around a value, and the path of the value.
const HOLDERS: [(&str, &str); 10] = [
    ("", ""),
    ("---", ""),
    ("--- # c\n", ""),
    ("k:", "k"),
    ("j: 1\nk:", "k"),
    ("a:\n- k:", "a.0.k"),
    ("- ", "0"),
    ("- - ", "0.0"),
    ("? k\n:", "k"),
    ("{k: ", "k"),
];
const PROPERTIES: [&str; 5] = ["", "&a ", "!!str ", "! ", "&a !!str "];
const GAPS: [&str; 7] = ["", " ", "\n  ", " \n\n  ", " # c\n  ", "\n  # c\n  ", "\n\n  # c\n\n  # d\n  "];
const VALUES: [&str; 17] = [
    "",
    "text",
    "two\n  lines",
    "\"quoted\"",
    "'single'",
    "|\n    block\n",
    "> # c\n    folded\n",
    "|-\n\n    block",
    "{}",
    "[]",
    "{a: 1}",
    "[\n  a]",
    "a: 1",
    "a: 1\n  b: 2",
    "- a\n  - b",
    "a:\n    b: c",
    "# no value",
];
const ENDS: [&str; 9] = ["", "\n", " # e\n", "\n# e\n", "\n  # e\n", "\n\n...\n", " #e\n  # e\n\n# f\n", "\r\n", "}\n"];

/// A failed verification is an internal error, so the writer must support or reject each of these positions.
#[test]
fn edits_of_values_at_every_place_pass_verification() {
    let new = [
        Value::Null,
        "x".into(),
        "two\nlines\n".into(),
        "a?b".into(),
        ":x".into(),
        1_u16.into(),
        map(&[]),
        seq(&[]),
        map(&[("n", "x".into()), ("m", seq(&["y"]))]),
        seq(&["y", "z"]),
    ];
    let mut texts = Vec::new();
    for (holder, path) in HOLDERS {
        for before in GAPS {
            for property in PROPERTIES {
                // Without an anchor or tag there is only one gap.
                for gap in GAPS.iter().filter(|gap| !property.is_empty() || gap.is_empty()) {
                    let starts = VALUES.iter().map(|value| format!("{holder}{before}{property}{gap}{value}"));
                    let all = starts.flat_map(|start| ENDS.map(|end| format!("{start}{end}")));
                    texts.extend(all.map(|text| (text, super::at(path))));
                }
            }
        }
    }
    // All combinations take two minutes, so each selected text gets one value; each position still gets several values.
    let (mut edited, mut wrong) = (0, Vec::new());
    for ((text, path), new) in texts.iter().step_by(7).zip(new.iter().cycle()) {
        let set = Op::Set { path: path.clone(), value: new.clone() };
        match edit_text(text, 0, &Path::root(), &[set]) {
            Err(EditError::Internal(why)) => wrong.push(format!("{text:?}: {new:?}: {why}")),
            result => edited += usize::from(result.is_ok()),
        }
    }
    assert!(edited > 5_000, "{edited}");
    assert!(wrong.is_empty(), "{} edits are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
