//! YAML forms that the fast parser supports, and forms that it declines.

use super::{Read, check};

#[test]
fn the_forms_of_manifests_are_read() {
    for text in [
        "a: b\n",
        "a: b",
        "# c\n\n---  # c\na:\n",
        "a:\n- b\n-\nc:\n  - d\n",
        "- a: b\n  c: d\n-   e: f\n    g: h\n- - i\n",
        "  - a: b\n    c: d\n",
        "a: |\n  x\n\n   y\nb: >-\n  x\n  y\nc: |+\n  x\n\n",
        "a: |-\n  x",
        "a: {}\nb: [ 'x', \"y\", {c: [d]}, ] # e\n",
        "\"a\": 'it''s'\n'b' : \"x\\ty\"\n",
        "a:\n  b\nc:\n  [d]\ne:\n  |\n  f\n",
        "a: b#c:d, [e]\nf: --g\nh: :80\n",
        "é: 🦀\n",
        "a: b\n  c\n\n   - d # e\nf:\n  g\n  h\n",
        "a: 'b\n\n  # c'\nd: \"e \\\n   f\\n\n  g\"\n",
        "a: 'b\nc'\nd:\n  e: \"f\n\n  g\n # h\ni: j\" # k\n  l: m\n",
        "a: [b, # c\n# d\n  {e: f,\ng: [\n]}\n]\n",
    ] {
        assert_eq!(check(text), Read::Same, "{text:?}");
    }
}

#[test]
fn everything_else_is_left_to_granit() {
    for text in [
        "",
        "# c\n",
        "a",
        "[a]",
        "{\"a\": 1}\n",
        "|\n a\n",
        "--- a\n",
        "a: b\n---\nc: d\n",
        "a: b\n...\n",
        "%YAML 1.2\n---\na: b\n",
        "a: &b c\n",
        "a: *b\n",
        "a: !t b\n",
        "? a\n: b\n",
        "a: b\n  c: d\n",
        "a: 'b\n  c': d\n",
        "a: 'b\nc': d\n",
        "a: 'b\n---\nc'\n",
        "a: 'b\n... c'\n",
        "a: [b\n  c]\n",
        "a: [b,\n---\n]\n",
        "a: [b: c]\n",
        "a: {b}\n",
        "a:\tb\n",
        "a: b\r\n",
        "a: \"\u{85}\"\n",
        "\u{feff}a: b\n",
        "a: |2\n   b\n",
        "a: |\nb: c\n",
        "a: |\n    \n  b\n",
        "a: b: c\n",
        "a: - b\n",
        "a: @b\n",
        "a: \"\\x+1\"\n",
        "a:\n  b: c\n d: e\n",
        "- a\nb: c\n",
    ] {
        assert_eq!(check(text), Read::Declined, "{text:?}");
    }
}

/// granit rejects keys of more than 1,024 characters, and more than 1,000 levels.
#[test]
fn very_long_keys_and_very_deep_collections_are_left_to_granit() {
    for (count, read) in [(990, Read::Same), (1_030, Read::Declined), (100_000, Read::Declined)] {
        assert_eq!(check(&format!("{}: b\n", "a".repeat(count))), read, "{count}");
        assert_eq!(check(&format!("x: {{{}: b}}\n", "a".repeat(count))), read, "{count}");
    }
    for (count, read) in [(150, Read::Same), (1_100, Read::Declined), (100_000, Read::Declined)] {
        assert_eq!(check(&format!("a: {}{}\n", "[".repeat(count), "]".repeat(count))), read, "{count}");
        assert_eq!(check(&format!("{}a\n", "- ".repeat(count))), read, "{count}");
    }
}

/// Large counts of one form need neither stack nor a second pass.
#[test]
fn long_repetitions_are_read() {
    for text in [
        format!("a: [\n{}]\n", "# c\n".repeat(100_000)),
        format!("{}a: b\n", "# c\n".repeat(100_000)),
        format!("a: b\n{}c: d\n", "\n".repeat(100_000)),
        format!("a: |\n  b\n{}  c\n", "\n".repeat(100_000)),
        format!("a: [{}]\n", "{}, ".repeat(100_000)),
        format!("a: {}\n", "b ".repeat(100_000)),
        format!("a: '{}'\n", "''".repeat(100_000)),
    ] {
        assert_eq!(check(&text), Read::Same, "{:?}", text.get(..20));
    }
}
