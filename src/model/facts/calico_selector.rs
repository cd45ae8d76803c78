//! Evaluates Calico selectors: `has(app) && role in {'a', 'b'}`.
//!
//! Source: projectcalico/calico `libcalico-go/lib/selector/parser/parser.go` and `tokenizer/tokenizer.go`.

use super::scope::{LabelValue, three_valued_and};

/// Maximum nesting of parentheses.
const MAX_DEPTH: usize = 32;

/// True if a selector matches these labels; `None` if undecidable or malformed.
pub(super) fn selects<'l>(text: &str, label: impl Fn(&str) -> LabelValue<'l>) -> Option<bool> {
    let mut reader = Reader { rest: text, label };
    if reader.is_at_end() {
        return Some(true);
    }
    let selected = reader.any_of(0).ok()?;
    if reader.is_at_end() { selected } else { None }
}

struct Reader<'t, F> {
    rest: &'t str,
    label: F,
}

/// Error for a malformed selector.
struct Malformed;

type Answer = Result<Option<bool>, Malformed>;

impl<'t, 'l, F: Fn(&str) -> LabelValue<'l>> Reader<'t, F> {
    /// True if only blanks remain.
    fn is_at_end(&self) -> bool {
        self.rest.trim_start().is_empty()
    }

    /// Skips a token; false if another token follows.
    fn consume(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips a token; an error if another token follows.
    fn require(&mut self, token: &str) -> Result<(), Malformed> {
        if self.consume(token) { Ok(()) } else { Err(Malformed) }
    }

    /// Evaluates operands joined by `||`.
    fn any_of(&mut self, depth: usize) -> Answer {
        let mut all = self.all_of(depth)?;
        while self.consume("||") {
            all = three_valued_or(all, self.all_of(depth)?);
        }
        Ok(all)
    }

    /// Evaluates operands joined by `&&`.
    fn all_of(&mut self, depth: usize) -> Answer {
        let mut all = self.operation(depth)?;
        while self.consume("&&") {
            all = three_valued_and(all, self.operation(depth)?);
        }
        Ok(all)
    }

    /// Evaluates `!`, parentheses, a function such as `has(label)`, or a comparison.
    fn operation(&mut self, depth: usize) -> Answer {
        let mut negated = false;
        while self.consume("!") {
            negated = !negated;
        }
        let found = if self.consume("(") {
            if depth == MAX_DEPTH {
                return Err(Malformed);
            }
            let inner = self.any_of(depth + 1)?;
            self.require(")")?;
            inner
        } else if self.consume("all(") {
            self.require(")")?;
            Some(true)
        } else if self.consume("global(") {
            // `global()` selects objects without a namespace, so it never selects pods.
            self.require(")")?;
            Some(false)
        } else if self.consume("has(") {
            let label = self.name()?;
            self.require(")")?;
            match label {
                LabelValue::Is(_) => Some(true),
                LabelValue::Absent => Some(false),
                LabelValue::Unknown => None,
            }
        } else {
            let label = self.name()?;
            self.comparison(label)?
        };
        Ok(found.map(|found| found != negated))
    }

    /// Parses a label key, and returns the label's value.
    fn name(&mut self) -> Result<LabelValue<'l>, Malformed> {
        let rest = self.rest.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        let (name, after) = rest.split_at_checked(rest.find(|c| !is_part(c)).unwrap_or(rest.len())).ok_or(Malformed)?;
        self.rest = after;
        if name.is_empty() { Err(Malformed) } else { Ok((self.label)(name)) }
    }

    /// Evaluates the operator after a label.
    fn comparison(&mut self, label: LabelValue<'_>) -> Answer {
        let compare = |is_match: &dyn Fn(&str) -> bool, absent| match label {
            LabelValue::Is(value) => Some(is_match(value)),
            LabelValue::Absent => Some(absent),
            LabelValue::Unknown => None,
        };
        if self.consume("==") {
            let wanted = self.literal()?;
            return Ok(compare(&|value| value == wanted, false));
        }
        if self.consume("!=") {
            let other = self.literal()?;
            return Ok(compare(&|value| value != other, true));
        }
        if self.consume("contains") {
            let part = self.literal()?;
            return Ok(compare(&|value| value.contains(part), false));
        }
        if self.consume("starts") {
            self.require("with")?;
            let start = self.literal()?;
            return Ok(compare(&|value| value.starts_with(start), false));
        }
        if self.consume("ends") {
            self.require("with")?;
            let end = self.literal()?;
            return Ok(compare(&|value| value.ends_with(end), false));
        }
        let negated = self.consume("not");
        self.require("in")?;
        let set = self.set()?;
        Ok(compare(&|value| set.contains(&value) != negated, negated))
    }

    /// Parses a set such as `{"a", "b"}`.
    fn set(&mut self) -> Result<Vec<&'t str>, Malformed> {
        self.require("{")?;
        let mut set = Vec::new();
        while !self.consume("}") {
            set.push(self.literal()?);
            if !self.consume(",") {
                self.require("}")?;
                break;
            }
        }
        Ok(set)
    }

    /// Parses a text in quotes.
    fn literal(&mut self) -> Result<&'t str, Malformed> {
        let rest = self.rest.trim_start();
        let quoted = ['\'', '"'].into_iter().find_map(|quote| rest.strip_prefix(quote)?.split_once(quote));
        let (literal, after) = quoted.ok_or(Malformed)?;
        self.rest = after;
        Ok(literal)
    }
}

/// Logical OR of two answers; `None` if the result depends on an unknown answer.
fn three_valued_or(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    three_valued_and(one.map(|value| !value), other.map(|value| !value)).map(|neither| !neither)
}

#[cfg(test)]
mod tests {
    use super::{LabelValue, selects};

    /// Evaluates a selector for pods with `app: web`; `later` is a label known only to the cluster.
    fn web(text: &str) -> Option<bool> {
        selects(text, |key| match key {
            "app" => LabelValue::Is("web"),
            "later" => LabelValue::Unknown,
            _ => LabelValue::Absent,
        })
    }

    #[test]
    fn operators_select_as_they_do_in_calico() {
        for text in [
            "",
            " ",
            "all()",
            "all( )",
            "app == 'web'",
            "app==\"web\"",
            "app != 'x'",
            "other != 'x'",
            "has(app)",
            "has( app )",
            "!has(other)",
            "!!has(app)",
            "app in {'x', 'web'}",
            "app in {'web',}",
            "app not in {'x'}",
            "app notin {}",
            "other not in {'x'}",
            "app contains 'e'",
            "app starts with 'w'",
            "app ends with 'b'",
            "(app == 'x' || all()) && has(app)",
            "app == 'x' && has(app) || all()",
            "!(app == 'x')",
            "has(later) || all()",
            "!global()",
        ] {
            assert_eq!(web(text), Some(true), "{text}");
        }
        for text in [
            "app == 'x'",
            "app != 'web'",
            "other == 'x'",
            "has(other)",
            "!has(app)",
            "!all()",
            "app in {}",
            "app in {'x'}",
            "other in {'x'}",
            "app not in {'web'}",
            "other contains 'x'",
            "other starts with ''",
            "app ends with 'w'",
            "global()",
            "has(later) && global()",
        ] {
            assert_eq!(web(text), Some(false), "{text}");
        }
    }

    #[test]
    fn invalid_selectors_and_unknown_labels_are_undecided() {
        let deep = format!("{}all(){}", "(".repeat(40), ")".repeat(40));
        for text in [
            "has(later)",
            "later == 'x'",
            "!(later in {'x'})",
            "has(later) && all()",
            "app = 'web'",
            "app == web",
            "app == 'web",
            "has(",
            "has()",
            "all() all()",
            "(all()",
            "app",
            "&& all()",
            "app in 'web'",
            "app starts 'w'",
            "\u{e9} == 'x'",
            &deep,
        ] {
            assert_eq!(web(text), None, "{text}");
        }
    }
}
