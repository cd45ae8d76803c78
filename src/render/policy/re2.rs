//! Finds features of a config's regular expressions that RE2, used by the API server's CEL, lacks.
//!
//! Source: github.com/google/re2/wiki/Syntax, and Go's `regexp/syntax` (`parse.go`), which the API server is compiled
//! with.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassSet, ClassSetItem, ClassUnicodeKind, Flag, Flags, FlagsItemKind, GroupKind,
    HexLiteralKind, Literal, LiteralKind, Repetition, Visitor, visit,
};

/// RE2's limit of repetitions, multiplied over nested parts.
const MAX_REPETITIONS: u32 = 1000;

/// Returns the first feature that RE2 lacks; `None` if RE2 accepts the pattern.
pub(super) fn lacks(pattern: &str) -> Option<&'static str> {
    // Invalid patterns are rejected earlier.
    let ast = Parser::new().parse(pattern).ok()?;
    visit(&ast, FeatureCheck { pattern, repeated: vec![1] }).err()
}

/// Visitor of a pattern's syntax tree.
struct FeatureCheck<'p> {
    pattern: &'p str,
    /// Product of the repetitions of the enclosing parts, outermost first.
    repeated: Vec<u32>,
}

impl Visitor for FeatureCheck<'_> {
    type Output = ();
    type Err = &'static str;

    fn finish(self) -> Result<(), Self::Err> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::Flags(set) => flags(&set.flags),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(set) => flags(set),
                GroupKind::CaptureIndex(_) | GroupKind::CaptureName { .. } => Ok(()),
            },
            Ast::Literal(one) => literal(one),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::StartLine
                | AssertionKind::EndLine
                | AssertionKind::StartText
                | AssertionKind::EndText
                | AssertionKind::WordBoundary
                | AssertionKind::NotWordBoundary => Ok(()),
                _ => Err("word boundaries such as `\\b{start}` and `\\<`"),
            },
            Ast::ClassUnicode(class) => unicode(&class.kind),
            Ast::ClassBracketed(class) => match class.kind {
                ClassSet::BinaryOp(_) => Err(OPERATIONS),
                ClassSet::Item(_) => Ok(()),
            },
            Ast::Repetition(repetition) => self.repeat(repetition),
            Ast::Empty(_) | Ast::Dot(_) | Ast::ClassPerl(_) | Ast::Alternation(_) | Ast::Concat(_) => Ok(()),
        }
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if matches!(ast, Ast::Repetition(_)) {
            self.repeated.pop();
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(one) => literal(one),
            ClassSetItem::Range(range) => literal(&range.start).and_then(|()| literal(&range.end)),
            ClassSetItem::Unicode(class) => unicode(&class.kind),
            ClassSetItem::Bracketed(_) => Err("nested character classes such as `[a[b]]`"),
            ClassSetItem::Empty(_) | ClassSetItem::Ascii(_) | ClassSetItem::Perl(_) | ClassSetItem::Union(_) => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &regex_syntax::ast::ClassSetBinaryOp) -> Result<(), Self::Err> {
        Err(OPERATIONS)
    }
}

const OPERATIONS: &str = "set operations on character classes (`&&`, `--`, `~~`)";

impl FeatureCheck<'_> {
    /// Checks the limits of RE2 for a repetition; nested repetitions multiply.
    fn repeat(&mut self, repetition: &Repetition) -> Result<(), &'static str> {
        if matches!(*repetition.ast, Ast::Repetition(_)) {
            return Err("a repeated repetition such as `a**`");
        }
        let span = &repetition.op.span;
        let written = self.pattern.get(span.start.offset..span.end.offset).unwrap_or_default();
        if written.contains(char::is_whitespace) {
            return Err("repetitions such as `{ 2 }`");
        }
        // For `{2,5}` the larger number counts.
        let numbers = written.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<u32>().ok());
        let times = numbers.max().unwrap_or(1).max(1);
        let all = self.repeated.last().copied().unwrap_or(1).saturating_mul(times);
        self.repeated.push(all);
        if all > MAX_REPETITIONS { Err("more than 1000 repetitions") } else { Ok(()) }
    }
}

/// Error for flags that RE2 does not have.
fn flags(flags: &Flags) -> Result<(), &'static str> {
    let is_known = |kind: &FlagsItemKind| {
        let known = [Flag::CaseInsensitive, Flag::MultiLine, Flag::DotMatchesNewLine, Flag::SwapGreed];
        !matches!(kind, FlagsItemKind::Flag(flag) if !known.contains(flag))
    };
    if flags.items.iter().all(|item| is_known(&item.kind)) {
        Ok(())
    } else {
        Err("flags other than `i`, `m`, `s` and `U`")
    }
}

/// Error for characters in a notation that RE2 does not have.
fn literal(literal: &Literal) -> Result<(), &'static str> {
    match &literal.kind {
        LiteralKind::HexFixed(kind) | LiteralKind::HexBrace(kind) if *kind != HexLiteralKind::X => {
            Err("characters written as `\\u` and `\\U`")
        }
        _ => Ok(()),
    }
}

/// Allows categories of one or two letters, such as `Lu`. RE2's longer names are scripts, whose characters do not occur
/// in object names.
fn unicode(kind: &ClassUnicodeKind) -> Result<(), &'static str> {
    let is_category = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(|first| first.is_ascii_uppercase()) && chars.all(|rest| rest.is_ascii_lowercase())
    };
    match kind {
        ClassUnicodeKind::OneLetter(_) => Ok(()),
        ClassUnicodeKind::Named(name) if name.len() <= 2 && is_category(name) => Ok(()),
        ClassUnicodeKind::Named(_) | ClassUnicodeKind::NamedValue { .. } => {
            Err("classes such as `\\p{Lowercase}` and `\\p{sc=Greek}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lacks;

    #[test]
    fn patterns_that_re2_reads_alike_are_accepted() {
        for pattern in [
            "web|api",
            "[a-z-]+",
            "(?i)web",
            "(?i:web)-\\d+",
            "\\pL\\p{Lu}",
            "a{2,1000}?",
            "[[:alpha:]&-]",
            "(?P<a>x)\\b",
            "(a{10}){10}",
            "\\x41\\x{41}\\.",
            "^web$",
            "(a*)*",
            ".*",
        ] {
            assert_eq!(lacks(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn features_missing_in_re2_are_reported() {
        for pattern in [
            "(?x) web",
            "(?x: web)",
            "(?-u:a)",
            "(?R)a",
            "[a-z&&[^x]]+",
            "[a-z--x]",
            "[a-z~~x]",
            "[a[b]]",
            "\\b{start}web",
            "\\<web",
            "a**",
            "a{2}{3}",
            "a{ 2 }",
            "a{1001}",
            "(a{100}){11}",
            "\\u0041",
            "[\\u{41}]",
            "\\p{Lowercase}",
            "[\\p{sc=Greek}]",
        ] {
            assert!(lacks(pattern).is_some(), "{pattern}");
        }
    }
}
