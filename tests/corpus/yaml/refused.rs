//! Texts that cannot be read: each error has a place, and docs/yaml.md lists it.

use lossless_yaml::Tree;

use crate::yaml::inputs;

/// Returns one line per rejected text, with its error.
fn refused(inputs: &[inputs::Input]) -> String {
    let mut shown = String::new();
    for input in inputs {
        let Err(error) = Tree::parse(&input.text) else { continue };
        assert!(error.line > 0 && error.column > 0 && error.offset <= input.text.len(), "{}: {error}", input.name);
        shown.push_str(&format!("{}: {error}\n", input.name));
    }
    shown
}

#[test]
fn own_documents_that_are_rejected() {
    insta::assert_snapshot!(refused(&inputs::own()), @"lines.json: line 2, column 1: this line starts further left than the document, or follows its end: start all its keys at the same column, or write `---` before a new document");
}

#[test]
fn one_file_of_the_corpus_is_rejected() {
    let corpus = inputs::corpus();
    if corpus.is_empty() {
        return;
    }
    insta::assert_snapshot!(refused(&corpus), @"workloads/cert-manager__cert-manager/make/config/bind/service.yaml: line 11, column 33: text after the end of a value: remove it, or put the whole value in quotes");
}

#[test]
fn every_valid_case_of_the_test_suite_is_read() {
    insta::assert_snapshot!(refused(&inputs::suite().0), @"");
}

#[test]
fn invalid_cases_of_the_test_suite_are_errors_with_a_place() {
    let suite = inputs::suite().1;
    if suite.is_empty() {
        return;
    }
    insta::assert_snapshot!(refused(&suite), @r#"
    236B/in.yaml: line 3, column 1: a key without `:`: write it after the key, on the same line
    2CMS/in.yaml: line 3, column 3: `is` above is text, and this line continues it: start the line at the column of the other keys, or write `:` after the text above
    2G84/00/in.yaml: line 1, column 5: this is not YAML: while scanning a block scalar, found an indentation indicator equal to 0
    2G84/01/in.yaml: line 1, column 5: text after `|` or `>`: write it on the next line, deeper than the key
    3HFZ/in.yaml: line 3, column 5: this is not YAML: invalid content after document end marker
    4EJS/in.yaml: line 3, column 1: a tab: YAML is indented with spaces; write spaces in its place
    4H7K/in.yaml: line 2, column 13: this bracket closes nothing: remove it, or put the text in quotes
    4HVU/in.yaml: line 4, column 3: a list item among keys: indent it deeper than the key that it belongs to, and remove any other value of the key
    4JVG/in.yaml: line 4, column 3: this line starts at column 3, and the lines above at column 1: start it at the column of the other keys
    55WF/in.yaml: line 2, column 1: a `\` in double quotes begins an escape, and no such escape exists: write `\\`, or use single quotes
    5LLU/in.yaml: line 5, column 2: an empty line before a text is indented deeper than the text: remove its spaces
    5TRB/in.yaml: line 2, column 1: a quote that opens here is not closed: write it again after the text
    5U3A/in.yaml: line 1, column 6: `- ` is not allowed here: write the items of a list on separate lines, below the key
    62EZ/in.yaml: line 2, column 12: text after the end of a value: remove it, or put the whole value in quotes
    6JTT/in.yaml: line 2, column 1: this `[` is not closed
    6S55/in.yaml: line 4, column 2: a key without `:`: write it after the key, on the same line
    7LBH/in.yaml: line 3, column 4: text after the end of a quoted text that starts on the line above: close the quote there, or remove this text
    7MNF/in.yaml: line 3, column 1: a key without `:`: write it after the key, on the same line
    8XDJ/in.yaml: line 3, column 3: this line starts at column 3, and the lines above at column 1: start it at the column of the other keys
    9CWY/in.yaml: line 4, column 1: a key without `:`: write it after the key, on the same line
    9HCY/in.yaml: line 2, column 1: this is not YAML: missing explicit document end marker before directive
    9JBA/in.yaml: line 2, column 13: write a space before `#`
    9KBC/in.yaml: line 1, column 9: a `:` is not expected here: put the text in quotes if it contains one
    9MAG/in.yaml: line 2, column 3: the `[` on this line is not closed: write `,` or `]` before this
    9MMA/in.yaml: line 2, column 1: this line starts further left than the document, or follows its end: start all its keys at the same column, or write `---` before a new document
    9MQT/01/in.yaml: line 1, column 5: a quote that opens here is not closed: write it again after the text
    B63P/in.yaml: line 2, column 1: this line starts further left than the document, or follows its end: start all its keys at the same column, or write `---` before a new document
    BD7L/in.yaml: line 3, column 1: the lines above are items of a list, and this line does not start with `- `: add `- `, or start the line at the column of the list's key
    BF9H/in.yaml: line 3, column 10: this is not YAML: comment intercepting the multiline text
    BS4K/in.yaml: line 1, column 8: this is not YAML: comment intercepting the multiline text
    C2SP/in.yaml: line 2, column 1: `[23` above is text, and this line continues it: start the line at the column of the other keys, or write `:` after the text above
    CML9/in.yaml: line 3, column 3: the `[` 2 lines above is not closed: write `,` or `]` before this
    CQ3W/in.yaml: line 2, column 6: a quote that opens here is not closed: write it again after the text
    CTN5/in.yaml: line 2, column 12: the `[` on this line is not closed: write `,` or `]` before this
    CVW2/in.yaml: line 2, column 11: write a space before `#`
    CXX2/in.yaml: line 1, column 14: a `:` is not expected here: put the text in quotes if it contains one
    D49Q/in.yaml: line 3, column 4: text after the end of a quoted text that starts on the line above: close the quote there, or remove this text
    DK4H/in.yaml: line 3, column 3: `[ key` above is text, and this line continues it: start the line at the column of the other keys, or write `:` after the text above
    DK95/06/in.yaml: line 3, column 3: a tab: YAML is indented with spaces; write spaces in its place
    DMG6/in.yaml: line 3, column 2: this line starts at column 2, and the lines above at column 3 or 1: start it at the column of the other keys
    EB22/in.yaml: line 2, column 9: this is not YAML: comment intercepting the multiline text
    EW3V/in.yaml: line 2, column 2: this line is indented deeper than `k1: v1` above, which has a value already: start both at the same column
    G7JE/in.yaml: line 2, column 1: a key without `:`: write it after the key, on the same line
    G9HC/in.yaml: line 3, column 1: a key without `:`: write it after the key, on the same line
    GDY7/in.yaml: line 2, column 1: a key without `:`: write it after the key, on the same line
    GT5M/in.yaml: line 2, column 1: a key without `:`: write it after the key, on the same line
    H7J7/in.yaml: line 2, column 1: a key without `:`: write it after the key, on the same line
    H7TQ/in.yaml: line 1, column 1: this is not YAML: while scanning a directive, did not find expected comment or line break
    HRE5/in.yaml: line 2, column 9: a `\` in double quotes begins an escape, and no such escape exists: write `\\`, or use single quotes
    HU3P/in.yaml: line 3, column 3: `word1 word2` above is text, and this line continues it: start the line at the column of the other keys, or write `:` after the text above
    JKF3/in.yaml: line 2, column 5: text after the end of a quoted text that starts on the line above: close the quote there, or remove this text
    JY7Z/in.yaml: line 2, column 17: text after a closing quote: remove it, or put the whole value in quotes
    KS4U/in.yaml: line 5, column 1: this line starts further left than the document, or follows its end: start all its keys at the same column, or write `---` before a new document
    LHL4/in.yaml: line 2, column 1: this is not YAML: while scanning a tag, did not find expected whitespace or line break
    MUS6/00/in.yaml: line 1, column 10: write a space before `#`
    MUS6/01/in.yaml: line 3, column 1: this is not YAML: missing explicit document end marker before directive
    N4JP/in.yaml: line 3, column 2: this line starts at column 2, and the lines above at column 3 or 1: start it at the column of the other keys
    N782/in.yaml: line 1, column 1: this `[` is not closed
    P2EQ/in.yaml: line 2, column 11: `- ` is not allowed here: write the items of a list on separate lines, below the key
    Q4CL/in.yaml: line 2, column 17: text after a closing quote: remove it, or put the whole value in quotes
    QLJ7/in.yaml: line 4, column 5: this is not YAML: the handle wasn't declared
    RHX7/in.yaml: line 3, column 1: this is not YAML: missing explicit document end marker before directive
    RXY3/in.yaml: line 2, column 1: a quote that opens here is not closed: write it again after the text
    S4GJ/in.yaml: line 2, column 9: text after `|` or `>`: write it on the next line, deeper than the key
    S98Z/in.yaml: line 5, column 2: an empty line before a text is indented deeper than the text: remove its spaces
    SF5V/in.yaml: line 2, column 1: this is not YAML: duplicate version directive
    SR86/in.yaml: line 2, column 10: text after the end of a value: remove it, or put the whole value in quotes
    SU5Z/in.yaml: line 1, column 13: write a space before `#`
    SU74/in.yaml: line 2, column 4: text after the end of a value: remove it, or put the whole value in quotes
    SY6V/in.yaml: line 1, column 9: `- ` is not allowed here: write the items of a list on separate lines, below the key
    T833/in.yaml: line 4, column 5: the `{` 2 lines above is not closed: write `,` or `}` before this
    TD5N/in.yaml: line 3, column 1: a key without `:`: write it after the key, on the same line
    U44R/in.yaml: line 3, column 4: this line starts at column 4, and the lines above at column 3 or 1: start it at the column of the other keys
    U99R/in.yaml: line 1, column 3: this is not YAML: while scanning a tag, did not find expected whitespace or line break
    VJP3/00/in.yaml: line 3, column 1: the `{` 2 lines above is not closed: write `,` or `}` before this
    W9L4/in.yaml: line 4, column 3: an empty line before a text is indented deeper than the text: remove its spaces
    X4QW/in.yaml: line 1, column 9: write a space before `#`
    Y79Y/000/in.yaml: line 2, column 1: a tab: YAML is indented with spaces; write spaces in its place
    Y79Y/003/in.yaml: line 2, column 1: a tab: YAML is indented with spaces; write spaces in its place
    Y79Y/004/in.yaml: line 1, column 3: write a space after `-`
    Y79Y/005/in.yaml: line 1, column 4: write a space after `-`
    Y79Y/006/in.yaml: line 1, column 3: `- ` is not allowed here: write the items of a list on separate lines, below the key
    Y79Y/007/in.yaml: line 2, column 3: `- ` is not allowed here: write the items of a list on separate lines, below the key
    Y79Y/008/in.yaml: line 1, column 6: a `:` is not expected here: put the text in quotes if it contains one
    Y79Y/009/in.yaml: line 2, column 1: this line is indented deeper than `? key:` above, which has a value already: start both at the same column
    ZCZ6/in.yaml: line 1, column 5: a second `: ` in one line: put the value in quotes if it contains one, or write the key on a separate line
    ZL4Z/in.yaml: line 2, column 7: a second `: ` in one line: put the value in quotes if it contains one, or write the key on a separate line
    ZVH3/in.yaml: line 2, column 2: the lines above are items of a list, and this line does not start with `- `: add `- `, or start the line at the column of the list's key
    ZXT5/in.yaml: line 2, column 3: `[ "key"` above is text, and this line continues it: start the line at the column of the other keys, or write `:` after the text above
    "#);
}

/// Valid YAML 1.2 that is passed through but not edited, because Go would reject it.
#[test]
fn texts_that_only_go_rejects_are_found() {
    let (corpus, suite) = (inputs::corpus(), inputs::suite().0);
    if corpus.is_empty() || suite.is_empty() {
        return;
    }
    let mut shown = String::new();
    for input in corpus.iter().chain(&suite) {
        let Ok(tree) = Tree::parse(&input.text) else { continue };
        if let Some(error) = tree.go_parse_error() {
            shown.push_str(&format!("{}: {error}\n", input.name));
        }
    }
    insta::assert_snapshot!(shown, @r"
    27NA/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    2JQS/in.yaml: line 1, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    2LFX/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    3UYS/in.yaml: line 1, column 18: Go's YAML reader knows neither `\/` nor surrogate escapes: write the character itself
    4ABK/in.yaml: line 4, column 14: Go's YAML reader reads this `:` as part of a text: put the text in quotes, or write a space after it
    4MUZ/01/in.yaml: line 2, column 1: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    4MUZ/02/in.yaml: line 2, column 1: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    58MP/in.yaml: line 1, column 5: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    5MUD/in.yaml: line 3, column 3: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    5T43/in.yaml: line 2, column 11: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    5TYM/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    652Z/in.yaml: line 1, column 3: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    6BCT/in.yaml: line 3, column 4: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    6CK3/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    6LVF/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    6M2F/in.yaml: line 3, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    6WLZ/in.yaml: line 6, column 1: Go's YAML reader refuses directives: remove the line
    6ZKB/in.yaml: line 5, column 1: Go's YAML reader refuses directives: remove the line
    96NN/00/in.yaml: line 2, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    96NN/01/in.yaml: line 2, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    9DXL/in.yaml: line 5, column 1: Go's YAML reader refuses directives: remove the line
    9SA2/in.yaml: line 4, column 8: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    9WXW/in.yaml: line 5, column 1: Go's YAML reader refuses directives: remove the line
    A2M4/in.yaml: line 2, column 4: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    BEC7/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    C4HZ/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    CC74/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    CFD4/in.yaml: line 1, column 5: Go's YAML reader refuses an empty key: write a name in quotes
    DBG4/in.yaml: line 8, column 5: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    DFF7/in.yaml: line 5, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    DK95/00/in.yaml: line 2, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    DK95/03/in.yaml: line 1, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    DK95/04/in.yaml: line 2, column 1: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    DK95/07/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    FRK4/in.yaml: line 2, column 9: Go's YAML reader reads this `:` as part of a text: put the text in quotes, or write a space after it
    HM87/00/in.yaml: line 1, column 2: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    HM87/01/in.yaml: line 1, column 2: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    JR7V/in.yaml: line 4, column 5: Go's YAML reader reads this character as an indicator, not as text: write the text in quotes
    K3WX/in.yaml: line 3, column 3: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    M2N8/00/in.yaml: line 1, column 5: Go's YAML reader refuses an empty key: write a name in quotes
    MUS6/02/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/03/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/04/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/05/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/06/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    NHX8/in.yaml: line 1, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    NJ66/in.yaml: line 4, column 7: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    NKF9/in.yaml: line 3, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    P76L/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    PW8X/in.yaml: line 4, column 3: Go's YAML reader refuses an empty key: write a name in quotes
    R4YG/in.yaml: line 10, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    RTP8/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    S3PD/in.yaml: line 2, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    SM9W/01/in.yaml: line 1, column 1: Go's YAML reader refuses an empty key: write a name in quotes
    U3C3/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    UKK6/00/in.yaml: line 1, column 3: Go's YAML reader refuses an empty key: write a name in quotes
    UT92/in.yaml: line 3, column 3: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    VJP3/01/in.yaml: line 3, column 2: Go's YAML reader refuses a key of several lines in a flow collection: write it on one line
    W4TN/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    Y79Y/001/in.yaml: line 2, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    Y79Y/010/in.yaml: line 1, column 2: Go's YAML reader refuses a tab here: write spaces, or remove it; in a text that starts with a tab, use double quotes and \t
    Z9M4/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    ");
}

/// Line numbers do not depend on the kind of line breaks.
#[test]
fn errors_do_not_depend_on_line_endings() {
    let (valid, invalid) = inputs::suite();
    let own = inputs::own();
    for input in own.iter().chain(&valid).chain(&invalid).filter(|input| !input.text.contains('\r')) {
        let error =
            |line_end: &str| Tree::parse(&input.text.replace('\n', line_end)).err().map(|error| error.to_string());
        for line_end in ["\r\n", "\r"] {
            assert_eq!(error(line_end), error("\n"), "{}, {line_end:?}", input.name);
        }
    }
}
