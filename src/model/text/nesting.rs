//! How deep substitutions of a shell stand in each other. The parser of words tries some of them twice, once as arithmetic and once as a
//! command, and each of those again with what is inside: what is deep takes it forever.

use std::sync::LazyLock;

use regex::Regex;

/// How many substitutions a word may have without a closer look, and how many around those that `INNERMOST` finds.
const FEW: usize = 2;

/// How many times the innermost ones are taken out.
const LEVELS: usize = 3;

/// A substitution, a group or a quoted text that holds no other one, nothing that could hide where it ends, and nothing that could open another.
static INNERMOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let plain = r#"(?:[^$`(){}'"\\]|\\[^$`(){}'"\\]|\$[A-Za-z0-9_@*#?])*"#;
    let awk = r#"(?:[^$`()'"\\]|\$[A-Za-z0-9_@*#?])*"#;
    Regex::new(&format!(r#"\$?\({plain}\)|\$\{{{plain}\}}|`{plain}`|"{plain}"|'{awk}'"#)).ok()
});

/// How many elements of arrays (`${NAME[INDEX]}`) a word may name: each alternative of the parser reads the index again.
const ELEMENTS: usize = 2;

/// The same in arithmetic, where it is read twice: squares of the number.
const ELEMENTS_IN_ARITHMETIC: usize = 50;

/// Whether a word can be read soon.
pub(super) fn is_shallow(word: &str) -> bool {
    let elements = word.matches('[').count();
    let is_arithmetic = word.contains("$((") || word.contains("$[");
    if elements > ELEMENTS && word.matches("${").count() > ELEMENTS
        || elements > ELEMENTS_IN_ARITHMETIC && is_arithmetic
    {
        return false;
    }
    if openings(word) <= FEW {
        return true;
    }
    let Some(innermost) = LazyLock::force(&INNERMOST) else { return false };
    let mut rest = word.to_owned();
    for _ in 0..LEVELS {
        // A quoted text goes before what is around it.
        for _ in 0..2 {
            rest = innermost.replace_all(&rest, "_").into_owned();
        }
        if openings(&rest) <= FEW {
            return true;
        }
    }
    false
}

/// What may begin something that ends elsewhere.
fn openings(text: &str) -> usize {
    let bytes = text.bytes();
    bytes.clone().zip(bytes.skip(1).chain([0])).filter(|pair| is_opening(*pair)).count()
}

fn is_opening(pair: (u8, u8)) -> bool {
    matches!(pair, (b'(' | b'`', _) | (b'$', b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_shallow() {
        for word in [
            "--port=${PORT:-8080}",
            "\"$(cat \"$(dirname \"$0\")/port\")\"",
            "\"{\\\"a\\\": \\\"${A}\\\", \\\"b\\\": \\\"${B:-x}\\\", \\\"c\\\": \\\"${C}\\\", \\\"d\\\": \\\"${D}\\\", \\\"e\\\": \\\"${E}\\\"}\"",
            "$(ps | awk '{print $1}')$((1 + 2))$(id -u)`date`$(hostname -f)$(a \"b\" 'c' | d)",
        ] {
            assert!(is_shallow(word), "{word}");
        }
    }

    #[test]
    fn what_is_deep_is_not() {
        for (open, close) in [
            ("$((x) ", ")"),
            ("\"$((x) ", ")\""),
            ("${a:-", "}"),
            ("(", ")"),
            ("$[", "]"),
            ("$(a \\) ", ")"),
            ("$(a \" ) ", ""),
        ] {
            assert!(!is_shallow(&format!("{}x{}", open.repeat(30), close.repeat(30))), "{open}");
        }
    }
}
