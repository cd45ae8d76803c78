//! What cannot be read: an error with its place, each in the list of docs/yaml.md.

use hostnet::yaml::{Tree, parse_lenient};

use crate::yaml_lossless::inputs;

/// One line a text that is not read as it is: its error, and whether it can be read leniently.
fn refused(inputs: &[inputs::Input]) -> String {
    let mut shown = String::new();
    for input in inputs {
        let Err(error) = Tree::parse(&input.text) else { continue };
        assert!(error.line > 0 && error.column > 0 && error.offset <= input.text.len(), "{}: {error}", input.name);
        let lenient = match parse_lenient(&input.text, |tree| tree.roots().count()) {
            Ok(documents) => format!("read-only, {documents} documents: "),
            Err(_) => String::new(),
        };
        shown.push_str(&format!("{}: {lenient}{error}\n", input.name));
    }
    shown
}

#[test]
fn two_files_of_the_corpus_are_not_read_as_they_are() {
    insta::assert_snapshot!(refused(&inputs::corpus()), @"
    workloads/cert-manager__cert-manager/make/config/bind/service.yaml: line 11, column 33: while parsing a block mapping, did not find expected key
    workloads/open-telemetry__opentelemetry-operator/tests/e2e-upgrade/upgrade-test/opentelemetry-operator-v0.86.0.yaml: read-only, 18 documents: line 68, column 23: invalid indentation in multiline quoted scalar
    ");
}

#[test]
fn every_valid_case_of_the_test_suite_is_read() {
    insta::assert_snapshot!(refused(&inputs::suite().0), @"");
}

#[test]
fn invalid_cases_of_the_test_suite_are_errors_with_a_place() {
    insta::assert_snapshot!(refused(&inputs::suite().1), @"
    236B/in.yaml: line 3, column 1: simple key expected ':'
    2CMS/in.yaml: line 3, column 10: mapping values are not allowed in this context
    2G84/00/in.yaml: line 1, column 5: while scanning a block scalar, found an indentation indicator equal to 0
    2G84/01/in.yaml: line 1, column 5: while scanning a block scalar, did not find expected comment or line break
    3HFZ/in.yaml: line 3, column 5: invalid content after document end marker
    4EJS/in.yaml: line 3, column 2: tabs disallowed within this context (block indentation)
    4H7K/in.yaml: line 2, column 13: misplaced bracket
    4HVU/in.yaml: line 4, column 3: while parsing a block mapping, did not find expected key
    4JVG/in.yaml: line 4, column 3: while parsing a block mapping, did not find expected key
    55WF/in.yaml: line 2, column 1: while parsing a quoted scalar, found unknown escape character
    5LLU/in.yaml: line 5, column 2: wrongly indented line in block scalar
    5TRB/in.yaml: line 2, column 1: while scanning a quoted scalar, found unexpected document indicator
    5U3A/in.yaml: line 1, column 6: block sequence entries are not allowed in this context
    62EZ/in.yaml: line 2, column 12: while parsing a block mapping, did not find expected key
    6JTT/in.yaml: line 2, column 1: unclosed bracket '['
    6S55/in.yaml: line 4, column 2: simple key expected ':'
    7LBH/in.yaml: line 3, column 4: invalid trailing content after double-quoted scalar
    7MNF/in.yaml: line 3, column 1: simple key expected ':'
    8XDJ/in.yaml: line 3, column 3: while parsing a block mapping, did not find expected key
    9CWY/in.yaml: line 4, column 1: simple key expected ':'
    9HCY/in.yaml: line 2, column 1: missing explicit document end marker before directive
    9JBA/in.yaml: line 2, column 13: comments must be separated from other tokens by whitespace
    9KBC/in.yaml: line 1, column 9: mapping values are not allowed in this context
    9MAG/in.yaml: line 2, column 3: unexpected EOF while parsing an implicit flow mapping
    9MMA/in.yaml: line 2, column 1: did not find expected <document start>
    9MQT/01/in.yaml: line 1, column 5: while scanning a quoted scalar, found unexpected document indicator
    B63P/in.yaml: line 2, column 1: did not find expected <document start>
    BD7L/in.yaml: line 3, column 1: while parsing a block collection, did not find expected '-' indicator
    BF9H/in.yaml: line 3, column 10: comment intercepting the multiline text
    BS4K/in.yaml: line 1, column 8: comment intercepting the multiline text
    C2SP/in.yaml: line 2, column 2: mapping values are not allowed in this context
    CML9/in.yaml: line 3, column 3: while parsing a flow sequence, expected ',' or ']'
    CQ3W/in.yaml: line 3, column 1: invalid indentation in multiline quoted scalar
    CTN5/in.yaml: line 2, column 12: unexpected EOF while parsing an implicit flow mapping
    CVW2/in.yaml: line 2, column 11: comments must be separated from other tokens by whitespace
    CXX2/in.yaml: line 1, column 14: mapping values are not allowed in this context
    D49Q/in.yaml: line 3, column 4: invalid trailing content after single-quoted scalar
    DK4H/in.yaml: line 3, column 3: illegal placement of ':' indicator
    DK95/01/in.yaml: line 2, column 1: tab cannot be used as indentation
    DK95/06/in.yaml: line 2, column 6: while scanning a plain scalar, found a tab
    DMG6/in.yaml: line 3, column 2: while parsing a block mapping, did not find expected key
    EB22/in.yaml: line 2, column 9: comment intercepting the multiline text
    EW3V/in.yaml: line 2, column 4: mapping values are not allowed in this context
    G5U8/in.yaml: line 2, column 4: plain scalar cannot start with '-' followed by ,[]{}
    G7JE/in.yaml: line 2, column 1: simple key expected ':'
    G9HC/in.yaml: line 3, column 1: simple key expected ':'
    GDY7/in.yaml: line 2, column 1: simple key expected ':'
    GT5M/in.yaml: line 2, column 1: simple key expected ':'
    H7J7/in.yaml: line 2, column 1: simple key expected ':'
    H7TQ/in.yaml: line 1, column 1: while scanning a directive, did not find expected comment or line break
    HRE5/in.yaml: line 2, column 9: while parsing a quoted scalar, found unknown escape character
    HU3P/in.yaml: line 3, column 5: mapping values are not allowed in this context
    JKF3/in.yaml: line 2, column 1: invalid indentation in multiline quoted scalar
    JY7Z/in.yaml: line 2, column 17: invalid trailing content after double-quoted scalar
    KS4U/in.yaml: line 5, column 1: did not find expected <document start>
    LHL4/in.yaml: line 2, column 1: while scanning a tag, did not find expected whitespace or line break
    MUS6/00/in.yaml: line 1, column 10: comments must be separated from other tokens by whitespace
    MUS6/01/in.yaml: line 3, column 1: missing explicit document end marker before directive
    N4JP/in.yaml: line 3, column 2: while parsing a block mapping, did not find expected key
    N782/in.yaml: line 1, column 1: unclosed bracket '['
    P2EQ/in.yaml: line 2, column 11: block sequence entries are not allowed in this context
    Q4CL/in.yaml: line 2, column 17: invalid trailing content after double-quoted scalar
    QB6E/in.yaml: read-only, 1 documents: line 3, column 1: invalid indentation in multiline quoted scalar
    QLJ7/in.yaml: line 4, column 5: the handle wasn't declared
    RHX7/in.yaml: line 3, column 1: missing explicit document end marker before directive
    RXY3/in.yaml: line 2, column 1: while scanning a quoted scalar, found unexpected document indicator
    S4GJ/in.yaml: line 2, column 9: while scanning a block scalar, did not find expected comment or line break
    S98Z/in.yaml: line 5, column 2: wrongly indented line in block scalar
    SF5V/in.yaml: line 2, column 1: duplicate version directive
    SR86/in.yaml: line 2, column 10: while parsing a block mapping, did not find expected key
    SU5Z/in.yaml: line 1, column 13: comments must be separated from other tokens by whitespace
    SU74/in.yaml: line 2, column 4: while parsing a block mapping, did not find expected key
    SY6V/in.yaml: line 1, column 9: block sequence entries are not allowed in this context
    T833/in.yaml: line 4, column 5: while parsing a flow mapping, did not find expected ',' or '}'
    TD5N/in.yaml: line 3, column 1: simple key expected ':'
    U44R/in.yaml: line 3, column 4: while parsing a block mapping, did not find expected key
    U99R/in.yaml: line 1, column 3: while scanning a tag, did not find expected whitespace or line break
    VJP3/00/in.yaml: line 3, column 1: illegal placement of ':' indicator
    W9L4/in.yaml: line 4, column 3: wrongly indented line in block scalar
    X4QW/in.yaml: line 1, column 9: comments must be separated from other tokens by whitespace
    Y79Y/000/in.yaml: line 1, column 6: a block scalar content cannot start with a tab
    Y79Y/003/in.yaml: line 2, column 2: tabs disallowed within this context (block indentation)
    Y79Y/004/in.yaml: line 1, column 3: '-' must be followed by a valid YAML whitespace
    Y79Y/005/in.yaml: line 1, column 4: '-' must be followed by a valid YAML whitespace
    Y79Y/006/in.yaml: line 1, column 3: block sequence entries are not allowed in this context
    Y79Y/007/in.yaml: line 2, column 3: block sequence entries are not allowed in this context
    Y79Y/008/in.yaml: line 1, column 6: mapping values are not allowed in this context
    Y79Y/009/in.yaml: line 2, column 6: mapping values are not allowed in this context
    YJV2/in.yaml: line 1, column 2: plain scalar cannot start with '-' followed by ,[]{}
    ZCZ6/in.yaml: line 1, column 5: mapping values are not allowed in this context
    ZL4Z/in.yaml: line 2, column 7: mapping values are not allowed in this context
    ZVH3/in.yaml: line 2, column 2: while parsing a block collection, did not find expected '-' indicator
    ZXT5/in.yaml: line 2, column 3: illegal placement of ':' indicator
    ");
}

/// Valid YAML 1.2 that is passed through but not edited, since Go would not read it back.
#[test]
fn what_only_go_refuses_is_found() {
    let mut shown = String::new();
    for input in inputs::corpus().iter().chain(&inputs::suite().0) {
        let Ok(tree) = Tree::parse(&input.text) else { continue };
        if let Some(error) = tree.go_refuses() {
            shown.push_str(&format!("{}: {error}\n", input.name));
        }
    }
    insta::assert_snapshot!(shown, @r"
    27NA/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    2LFX/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    3UYS/in.yaml: line 1, column 18: Go's YAML reader knows neither `\/` nor surrogate escapes: write the character itself
    5TYM/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    6CK3/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    6LVF/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    6WLZ/in.yaml: line 6, column 1: Go's YAML reader refuses directives: remove the line
    6ZKB/in.yaml: line 5, column 1: Go's YAML reader refuses directives: remove the line
    96NN/00/in.yaml: line 1, column 6: Go's YAML reader refuses a block whose text starts with a tab: use double quotes and \t
    96NN/01/in.yaml: line 1, column 6: Go's YAML reader refuses a block whose text starts with a tab: use double quotes and \t
    9DXL/in.yaml: line 5, column 1: Go's YAML reader refuses directives: remove the line
    9WXW/in.yaml: line 5, column 1: Go's YAML reader refuses directives: remove the line
    BEC7/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    C4HZ/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    CC74/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    DK95/07/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/02/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/03/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/04/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/05/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    MUS6/06/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    P76L/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    R4YG/in.yaml: line 9, column 3: Go's YAML reader refuses a block whose text starts with a tab: use double quotes and \t
    RTP8/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    U3C3/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    W4TN/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    Y79Y/001/in.yaml: line 1, column 6: Go's YAML reader refuses a block whose text starts with a tab: use double quotes and \t
    Z9M4/in.yaml: line 1, column 1: Go's YAML reader refuses directives: remove the line
    ");
}
