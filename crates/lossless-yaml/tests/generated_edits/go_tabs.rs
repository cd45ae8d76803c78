//! A tab at each position of some texts, compared with Go's readers.

use lossless_yaml::Tree;

use test_programs::go_readers::refusals;

const TEXTS: [&str; 15] = [
    "a: b\nc:\n  d: e\n  f: g\nh: i\n",
    "a: \"b\"\nc:\n  d: 'e'\n  f: \"g\"\nh: i\n",
    "a: b c\n  d e\n   f\nc: d\n",
    "a: \"b c\n  d e\n   f\"\nc: d\n",
    "a:\n- b\n- c: d\n  e: f\n-\n  g: h\n- - i\n  - j\n",
    "a: # one\n  b: c # two\n  # three\nd: e # four\n# five\n",
    "a: |\n  b\n\n  c\n\n# d\ne: >\n\n  f\n  g\n",
    "a: |2\n  b\n   c\nd: >-\n  e\nf: g\n",
    "a:\n  b: |2\n\n    c\n\n     d\n  e: |1\n   f\n",
    "a: [b, {c: d}, \"e\"]\nf: {g: h, i: [j]}\n",
    "a: [b,\n  {c: d,\n  e: f},\n  'g'\n  ]\nh: {\n  i: j\n  }\n",
    "a: &b c\nd: *b\ne: !!str f\ng: &h\n  i: j\n",
    "? a\n: b\n? c\n: - d\n  - e\n",
    "---\na: b\n...\n",
    "a:\nb: ~\nc:\n- d:\n- e\n",
];

/// If our reader accepts a tab, Go's readers accept it too or the text is not editable; and a text that Go's readers
/// accept is editable.
#[test]
fn a_tab_is_editable_exactly_if_go_accepts_it() {
    let mut texts = Vec::new();
    for text in TEXTS {
        for at in 0..=text.len() {
            for added in ["\t", " \t", "\t\n", " \t\n", "\n\t", "\t# x\n", "  \t ", "   \t\n"] {
                let text = format!("{}{added}{}", &text[..at], &text[at..]);
                texts.extend([text.replace('\n', "\r\n"), text]);
            }
        }
    }
    let read: Vec<(&str, Option<String>)> = texts
        .iter()
        .filter_map(|text| {
            Some((text.as_str(), Tree::parse(text).ok()?.go_parse_error().map(|error| error.to_string())))
        })
        .collect();
    let all: Vec<&str> = read.iter().map(|(text, _)| *text).collect();
    let Some(refused) = refusals(&all) else { return };
    let (mut missed, mut needless) = (Vec::new(), Vec::new());
    for ((text, ours), go) in read.iter().zip(refused) {
        match (ours, go) {
            // Go's reader also refuses a key without text, which a line break creates in some of these texts.
            (None, Some(go)) if !go.contains("did not find expected key") => missed.push(format!("{text:?}: {go}")),
            (Some(ours), None) => needless.push(format!("{text:?}: {ours}")),
            _ => {}
        }
    }
    assert!(all.len() > 1_000, "{}", all.len());
    super::assert_judged_alike(all.len(), &missed, &needless);
}
