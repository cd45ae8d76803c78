//! Nesting depth of shell substitutions. The parser of words tries some of them twice, as arithmetic and as a command,
//! and each time reads the inner substitutions again: deep nesting takes exponential time.

use std::sync::LazyLock;

use regex::Regex;

/// Maximum number of openings in a word without further checks, and around the substitutions that `INNERMOST` removes.
const MAX_UNCHECKED_OPENINGS: usize = 2;

/// Number of times that the innermost substitutions are removed.
const LEVELS: usize = 3;

/// Substitution, group or quoted text without nested ones, and without characters that could hide its end or open a
/// nested one.
static INNERMOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let plain = r#"(?:[^$`(){}'"\\]|\\[^$`(){}'"\\]|\$[A-Za-z0-9_@*#?])*"#;
    let awk = r#"(?:[^$`()'"\\]|\$[A-Za-z0-9_@*#?])*"#;
    Regex::new(&format!(r#"\$?\({plain}\)|\$\{{{plain}\}}|`{plain}`|"{plain}"|'{awk}'"#)).ok()
});

/// Maximum number of array elements (`${NAME[INDEX]}`) in a word: each alternative of the parser reads the index again.
const MAX_ARRAY_ELEMENTS: usize = 2;

/// Maximum number of array elements in arithmetic, which the parser reads twice: time grows with the square of the
/// number.
const ELEMENTS_IN_ARITHMETIC: usize = 50;

/// True if a word can be parsed fast.
pub(super) fn is_shallow(word: &str) -> bool {
    let elements = word.matches('[').count();
    let is_arithmetic = word.contains("$((") || word.contains("$[");
    if elements > MAX_ARRAY_ELEMENTS && word.matches("${").count() > MAX_ARRAY_ELEMENTS
        || elements > ELEMENTS_IN_ARITHMETIC && is_arithmetic
    {
        return false;
    }
    if openings(word) <= MAX_UNCHECKED_OPENINGS {
        return true;
    }
    let Some(innermost) = LazyLock::force(&INNERMOST) else { return false };
    let mut rest = word.to_owned();
    for _ in 0..LEVELS {
        // Remove quoted text first, then the substitution around it.
        for _ in 0..2 {
            rest = innermost.replace_all(&rest, "_").into_owned();
        }
        if openings(&rest) <= MAX_UNCHECKED_OPENINGS {
            return true;
        }
    }
    false
}

/// Number of characters that may open a substitution or group.
fn openings(text: &str) -> usize {
    let bytes = text.bytes();
    bytes.clone().zip(bytes.skip(1).chain([0])).filter(|pair| is_opening(*pair)).count()
}

/// True for two characters that open a substitution.
fn is_opening(pair: (u8, u8)) -> bool {
    matches!(pair, (b'(' | b'`', _) | (b'$', b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_scripts_are_not_deeply_nested() {
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
    fn deeply_nested_scripts_are_detected() {
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
