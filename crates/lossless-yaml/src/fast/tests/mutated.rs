//! Manifests with random changes. Most of the results are not YAML, which only granit may report.

use super::material::corpora;
use super::{Read, check};

/// Number of texts; `HOSTNET_YAML_MUTATIONS` overrides it.
const MUTATIONS: u64 = 20_000;

/// Maximum length of a text; longer ones take longer and have no other forms.
const MAX_TEXT_BYTES: usize = 3_000;

/// Pieces of text that affect the parsing of lines.
const FRAGMENTS: [&str; 72] = [
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "- ",
    "-",
    "- - ",
    "\n- ",
    "\n  - ",
    "\n-\n",
    "\n  -\n",
    "---\n",
    "\n---\n",
    "\n--- ",
    "\n...\n",
    ":",
    ": ",
    ":\n",
    "a: ",
    "\na:",
    "\n  a: b",
    "a : b",
    "\"a\": b",
    "\n'a': b\n",
    " # c",
    "\n# c\n",
    "\n  # c\n",
    "#",
    "|\n",
    "|-\n    ",
    "|+\n\n  ",
    ">\n  ",
    ">-\n  a\n   b\n  c\n\n  d\n",
    ">+\n",
    "|2\n   ",
    "|\n      \n   a\n",
    "\"",
    "'",
    "''",
    "\\",
    "\\n",
    "\\x41",
    "\\u00e9",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "[]",
    "{}",
    "[a, b]",
    "{a: b}",
    "{a: [1, {b: c}], d: 'e'}",
    "? ",
    "?",
    "&a ",
    "*a",
    "!t ",
    "%",
    "@",
    "`",
    "\t",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "é",
    "~",
    "<<: ",
];

/// Texts that combine the forms that the fast parser supports.
const SEEDS: [&str; 9] = [
    "# head\n---\na: 1\nb:\n- x\n- y: z\n  w: \"q\"\n-\n- - n\n  - m\nc:\n  - {k: v, l: [a, 'b', \"c\"]}\n  - []\n",
    "- a: |\n    one\n\n     two\n    three\n  b: >-\n    fold\n    ed\n\n      more\n    back\n\n  c: |+\n    keep\n\n\n  d: x # end\n",
    "  - key: value\n    other:\n    nested:\n        deep: [a, {b: c}, -1, --d, :e]\n    list:\n    - :80\n    - --flag=a:b#c\n    - 'it''s'\n    - \"tab\\tnew\\nline\"\n",
    "a:\n  plain on its own line\nb:\n  \"quoted\"\nc:\n  - on\n  -   spaced: out\n      far: away\nd:\n  {flow: [on, its, own]}\ne:\n  |\n  text\n",
    "é: ü\nlong key with spaces: http://x:80/y?z=1&a=b#c\n\"q k\" : v\n'single': {}\n? x\n: y\n",
    "a: >\n\n  first\n  second\n\n\n  third\n   spaced\n  last\n# comment\nb: >+\n  x\n\nc: |-\n  only\n",
    "a: {}\nb: []\nc: [ a , b ]\nd: { a: b , \"c\": d, 'e' : f }\ne: [[], {}, [[a]], {a: {b: c}}]\nf: [a, ]\n",
    "a:\n  b: 'one\n  two\n\nthree'\n  c:\n  - \"four\n five: six\"\n  - 7\nd: \"# eight\n- nine\" # ten\n",
    "kind: List\nitems:\n- kind: Pod\n  spec:\n    containers:\n    - name: a   # the one\n      args:\n      - -v\n\n      # more\n      - \"--x\"\n",
];

/// Random numbers by `SplitMix64`, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn pick<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }

    /// Returns a random offset between two characters.
    fn place(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
    }

    fn change(&mut self, text: &mut String, other: &str) {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let (one, another) = (self.below(lines.len()), self.below(lines.len()));
        let at = self.place(text);
        match self.below(8) {
            0 | 1 => text.insert_str(at, self.pick(&FRAGMENTS)),
            2 => {
                let end = (at..=text.len()).filter(|&end| text.is_char_boundary(end)).nth(self.below(4));
                text.replace_range(at..end.unwrap_or(at), self.pick(&FRAGMENTS));
            }
            3 => {
                let end = (at..=text.len()).filter(|&end| text.is_char_boundary(end)).nth(self.below(6));
                text.replace_range(at..end.unwrap_or(at), "");
            }
            4 if !lines.is_empty() => {
                let indent = " ".repeat(self.below(7));
                lines[one] = format!("{indent}{}", lines[one].trim_start_matches(' '));
                *text = lines.concat();
            }
            5 if !lines.is_empty() => {
                let line = lines[one].clone();
                lines.insert(another, line);
                *text = lines.concat();
            }
            6 if !lines.is_empty() => {
                lines.remove(one);
                *text = lines.concat();
            }
            _ => {
                let foreign: Vec<&str> = other.split_inclusive('\n').collect();
                if !foreign.is_empty() && !lines.is_empty() {
                    lines.insert(one, self.pick(&foreign).to_owned());
                    *text = lines.concat();
                }
            }
        }
    }
}

#[test]
fn changed_manifests_are_read_as_granit_reads_them() {
    let corpora = corpora();
    let real = corpora.iter().flat_map(|corpus| &corpus.documents).filter(|text| text.len() < MAX_TEXT_BYTES);
    let real: Vec<&str> = real.map(String::as_str).collect();
    let count = std::env::var("HOSTNET_YAML_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(MUTATIONS);
    let mut same = 0_u64;
    for number in 0..count {
        let mut dice = Dice(number);
        let texts = if dice.below(2) == 0 { &SEEDS[..] } else { &real[..] };
        let (mut text, other) = (dice.pick(texts).to_owned(), dice.pick(texts));
        for _ in 0..dice.below(5) {
            dice.change(&mut text, other);
        }
        same += u64::from(check(&text) == Read::Same);
    }
    // If the fast parser declined all texts, the test would be useless.
    assert!(same * 5 > count, "only {same} of {count} texts were read");
    println!("{same} of {count} texts were read");
}
