//! Hostile input ends quickly in a result or an error.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use krm::{Input, Origin};

use crate::support::{read, untouched};

/// Reads a text as far as possible, and returns the outcome.
fn outcome(text: impl Into<Vec<u8>>) -> String {
    let start = Instant::now();
    let outcome = match Input::read(Origin::file("x"), text.into()) {
        Err(error) => format!("not read: {}", error.to_string().lines().next().unwrap()),
        Ok(input) => match input.objects(|_, _| ()) {
            Err(error) => format!("error: {}", error.to_string().lines().next().unwrap()),
            Ok(objects) => {
                assert_eq!(untouched(&input), input.text().as_bytes());
                format!("{} objects", objects.len())
            }
        },
    };
    assert!(start.elapsed() < Duration::from_mins(1), "{outcome} took {:?}", start.elapsed());
    outcome
}

/// Bytes of a big text: unoptimised builds use less.
const BIG: usize = if cfg!(debug_assertions) { 2 << 20 } else { 100 << 20 };

/// Count for many objects.
const MANY: usize = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

const POD: &str = "apiVersion: v1\nkind: Pod\n";

#[test]
fn odd_texts() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("NUL", b"apiVersion: v1\nkind: \"a\0b\"\n".to_vec()),
        ("lone surrogate", b"kind: \xed\xa0\x80\n".to_vec()),
        ("UTF-16", b"\xff\xfek\0i\0n\0d\0".to_vec()),
        ("UTF-16 big endian", b"\xfe\xff\0k\0i".to_vec()),
        ("half a character", b"a: b\nkind: \xc3".to_vec()),
        ("undefined alias", b"apiVersion: v1\nkind: *a\n".to_vec()),
        ("alias to itself", b"&a [*a]".to_vec()),
        ("list in itself", b"&a {kind: List, apiVersion: v1, items: [*a]}".to_vec()),
        ("items in itself", b"kind: List\nitems: &a\n- {kind: List, items: *a}\n".to_vec()),
        ("items by merge", b"x: &x {items: [1]}\nkind: List\n<<: *x\n".to_vec()),
        ("items twice", b"kind: List\nitems:\n- 1\nitems:\n- 2\n".to_vec()),
        ("items is a text", b"kind: ResourceList\nitems: none\n".to_vec()),
        ("an item is a number", b"kind: ResourceList\nitems:\n- {apiVersion: v1, kind: Pod}\n- 7\n".to_vec()),
        (
            "an item of JSON is null",
            br#"{"kind": "ResourceList", "items": [{"kind": "Pod", "apiVersion": "v1"}, null]}"#.to_vec(),
        ),
        ("an item of a List is a number", b"kind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n- 7\n".to_vec()),
        ("directive", b"%YAML 1.2\n---\napiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n".to_vec()),
        ("lone CR", b"apiVersion: v1\rkind: Pod\r---\rapiVersion: v1\rkind: Pod\r".to_vec()),
        ("byte order mark", b"\xef\xbb\xbf---\napiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Pod\n".to_vec()),
        ("byte order mark later", b"a: b\n---\n\xef\xbb\xbfkind: Pod\n".to_vec()),
        ("unclosed", b"kind: List\nitems:\n- {apiVersion: v1\n- kind: Pod\n".to_vec()),
        ("half JSON", br#"{"kind": "List", "items": [{"kind": "Pod""#.to_vec()),
        ("markers only", b"---\n---\n# x\n---".to_vec()),
        ("template", b"apiVersion: v1\nkind: Pod\n---\n{{- if .Values.on }}\nkind: X\n{{- end }}\n".to_vec()),
    ];
    let lines: Vec<String> = cases.into_iter().map(|(name, text)| format!("{name}: {}", outcome(text))).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    NUL: error: x, line 2, column 9: a control character (U+0000): remove it
    lone surrogate: not read: x, line 1, column 7: invalid UTF-8 at byte 6 (0xed)
    UTF-16: not read: x, line 1, column 1: this is UTF-16; save it as UTF-8
    UTF-16 big endian: not read: x, line 1, column 1: this is UTF-16; save it as UTF-8
    half a character: not read: x, line 2, column 7: invalid UTF-8 at byte 11 (0xc3)
    undefined alias: error: x, line 2, column 7: `*a` is an alias, and there is no `&a` before it; a text that starts with `*` needs quotes
    alias to itself: error: x, line 1, column 5: `*a` is used inside of its own anchor, which never ends: write out the value
    list in itself: error: x, line 1, column 41: `*a` is used inside of its own anchor, which never ends: write out the value
    items in itself: error: x, line 3, column 23: `*a` is used inside of its own anchor, which never ends: write out the value
    items by merge: error: x, line 1, column 1: `items` of a list cannot come from `<<`
    items twice: error: x, line 4, column 1: a second `items` in this list: parsers differ in which one they use
    items is a text: not read: x, line 2, column 8: a ResourceList has `items`, a list of objects; write `items: []` for an empty list
    an item is a number: error: x, item 2, line 4, column 3: an item of a ResourceList has to be an object with apiVersion and kind
    an item of JSON is null: error: x, item 2, line 1, column 73: an item of a ResourceList has to be an object with apiVersion and kind
    an item of a List is a number: error: x, item 2, line 4, column 3: an item of a List has to be an object with apiVersion and kind
    directive: 2 objects
    lone CR: 2 objects
    byte order mark: 2 objects
    byte order mark later: 0 objects
    unclosed: error: x, item 1, line 3, column 3: this `{` is not closed
    half JSON: error: x, line 1, column 28: this `{` is not closed
    markers only: 0 objects
    template: error: x, document 2, line 4, column 1: this is a template and not YAML yet: give the output of `helm template NAME CHART`, or list the file in `.krmignore`
    ");
}

#[test]
fn big_texts() {
    let bomb = (1..10).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| {
        let before = n - 1;
        format!(
            "{text}a{n}: &a{n} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"
        )
    });
    let lists = (1..10).fold("a0: &a0 {kind: List, items: [{kind: Pod, apiVersion: v1}]}\n".to_owned(), |text, n| {
        let before = n - 1;
        format!("{text}a{n}: &a{n} {{kind: List, items: [*a{before}, *a{before}, *a{before}, *a{before}]}}\n")
    });
    let cases: Vec<(&str, String)> = vec![
        ("many [", "[".repeat(MANY)),
        ("many {\"a\":", r#"{"a":"#.repeat(MANY)),
        ("many closed", format!("{}{}", "[".repeat(MANY), "]".repeat(MANY))),
        ("many -", "- ".repeat(MANY)),
        ("many ?", "? ".repeat(MANY)),
        ("deep mapping", (0..2_000).fold(String::new(), |text, n| format!("{text}{}a:\n", " ".repeat(n)))),
        ("lists in lists", format!("{}{}", "{kind: List, items: [".repeat(300), "]}".repeat(300))),
        ("alias bomb", format!("{POD}{bomb}")),
        ("bomb of lists", format!("{lists}kind: List\nitems: [*a9]\n")),
        ("a big scalar", format!("{POD}a: {}\n", "x".repeat(BIG))),
        ("a big block", format!("{POD}a: |\n{}", "  line\n".repeat(BIG / 7))),
        ("only line ends", format!("{POD}{}", "\n".repeat(BIG))),
        ("a long broken line", format!("{POD}a: {{{}", "x".repeat(BIG))),
        ("many documents", format!("{POD}---\n").repeat(MANY)),
        ("many broken lists", "kind: List\nitems:\n- a\n]\n---\n".repeat(MANY)),
        (
            "many lists read as a whole",
            "kind: List\nitems:\n- &a {apiVersion: v1, kind: Pod}\n- *a\n---\n".repeat(MANY),
        ),
        ("many comments", format!("kind: List\nitems:\n{}- {{apiVersion: v1, kind: Pod}}\n", "# c\n".repeat(MANY))),
        ("many keys", (0..MANY).fold(POD.to_owned(), |text, n| text + &format!("k{n}: v\n"))),
        ("many anchors", (0..MANY).fold(POD.to_owned(), |text, n| text + &format!("k{n}: &a{n} v\n"))),
    ];
    let lines: Vec<String> = cases.into_iter().map(|(name, text)| format!("{name}: {}", outcome(text))).collect();
    let lines = lines.join("\n").replace(&format!("{} objects", 2 * MANY), "{TWICE} objects");
    insta::assert_snapshot!(lines.replace(&format!("{MANY} objects"), "{MANY} objects"), @r#"
    many [: error: x, line 1, column 1001: more than 1000 lists and mappings inside each other
    many {"a":: error: x, line 1, column 5001: more than 1000 lists and mappings inside each other
    many closed: error: x, line 1, column 1001: more than 1000 lists and mappings inside each other
    many -: error: x, line 1, column 2001: more than 1000 lists and mappings inside each other
    many ?: error: x, line 1, column 2001: more than 1000 lists and mappings inside each other
    deep mapping: error: x, line 1001, column 1001: more than 1000 lists and mappings inside each other
    lists in lists: 0 objects
    alias bomb: error: x, line 9, column 10: aliases up to here expand to more than 100000 values: write out the value of `*a5`
    bomb of lists: error: x, line 8, column 30: aliases up to here expand to more than 100000 values: write out the value of `*a6`
    a big scalar: 1 objects
    a big block: 1 objects
    only line ends: 1 objects
    a long broken line: error: x, line 3, column 4: this `{` is not closed
    many documents: {MANY} objects
    many broken lists: error: x, document 1, line 4, column 1: this bracket closes nothing: remove it, or put the text in quotes
    many lists read as a whole: {TWICE} objects
    many comments: 1 objects
    many keys: 1 objects
    many anchors: 1 objects
    "#);
}

/// A reader that closes the pipe after this many bytes.
struct Closing(usize);

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer whose last bytes fail when they are flushed.
struct Unflushed;

impl Write for Unflushed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn incomplete_output_is_an_error() {
    let input = read(POD);
    for taken in 0..POD.len() {
        assert!(input.write(&[], &mut Closing(taken)).is_err());
    }
    assert!(input.write(&[], &mut Closing(POD.len())).is_ok());
    assert!(input.write(&[], &mut Unflushed).is_err());
    #[cfg(target_os = "linux")]
    assert!(input.write(&[], &mut std::fs::File::create("/dev/full").unwrap()).is_err());
}

#[test]
fn empty_standard_input_is_an_error() {
    for empty in ["", "\n \n", "\u{feff}"] {
        let error = Input::read(Origin::stdin(), empty.into()).unwrap_err();
        let want =
            "standard input: nothing to read: the input is empty. Did the command before this one in the pipe fail?";
        assert_eq!(error.to_string(), want);
        // An empty file is valid.
        assert_eq!(outcome(empty), "0 objects");
    }
    assert_eq!(Input::read(Origin::stdin(), "# nothing is enabled\n".into()).unwrap().objects(|_, _| ()), Ok(vec![]));
}
