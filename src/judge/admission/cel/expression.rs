//! Parser for the CEL expressions of policies on host fields.
//!
//! Source: google/cel-spec doc/langdef.md, Syntax. Not supported: maps, messages, floating-point numbers and escapes in
//! strings.

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    Name(String),
    Text(String),
    Number(i64),
    Flag(bool),
    Null,
    List(Vec<Expression>),
    /// `a.b`, `a.?b`
    Field(Box<Expression>, String),
    /// `a[b]`, `a[?b]`
    Element(Box<Expression>, Box<Expression>),
    /// `f(a)`, `a.f(b)`
    Call(Option<Box<Expression>>, String, Vec<Expression>),
    Not(Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    If(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// Maximum length in bytes and maximum depth of an expression.
const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 64;

/// Binary operators by precedence, lowest first.
const LEVELS: [&[&str]; 5] =
    [&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">", "in"], &["+", "-"], &["*", "/", "%"]];

impl Expression {
    /// Parses an expression; `None` for syntax that is invalid or not supported.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rest: text, depth: 0 };
        let expression = (text.len() <= MAX_BYTES).then(|| parser.conditional()).flatten()?;
        parser.blanks();
        parser.rest.is_empty().then_some(expression)
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    /// Skips white space and comments.
    fn blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix("//") else { return };
            self.rest = comment.find('\n').and_then(|end| comment.get(end..)).unwrap_or_default();
        }
    }

    /// Skips blanks and a token; false if another token follows.
    fn consume(&mut self, token: &str) -> bool {
        self.blanks();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Parses an identifier.
    fn word(&mut self) -> Option<&'t str> {
        self.blanks();
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let (word, rest) = self.rest.split_at_checked(self.rest.find(is_end).unwrap_or(self.rest.len()))?;
        let is_word = word.chars().next().is_some_and(|first| !first.is_ascii_digit());
        self.rest = if is_word { rest } else { self.rest };
        is_word.then_some(word)
    }

    /// Parses an expression with an optional `? :`.
    fn conditional(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.binary(0)?;
        let expression = if self.consume("?") {
            let yes = self.conditional()?;
            let no = self.consume(":").then(|| self.conditional()).flatten()?;
            Expression::If(Box::new(condition), Box::new(yes), Box::new(no))
        } else {
            condition
        };
        self.depth -= 1;
        Some(expression)
    }

    /// Parses binary operators of this level of precedence and higher levels.
    fn binary(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    /// Parses one of these operators.
    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.blanks();
        let is_word = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let found = operators.iter().find_map(|operator| {
            let rest = self.rest.strip_prefix(operator)?;
            (*operator != "in" || !is_word(rest)).then_some((*operator, rest))
        });
        let (operator, rest) = found?;
        self.rest = rest;
        Some(operator)
    }

    /// Parses an expression with leading `!`.
    fn unary(&mut self) -> Option<Expression> {
        let mut is_negated = false;
        while self.consume("!") {
            is_negated = !is_negated;
        }
        let expression = self.postfix()?;
        Some(if is_negated { Expression::Not(Box::new(expression)) } else { expression })
    }

    /// Parses fields, calls and indexes after an expression.
    fn postfix(&mut self) -> Option<Expression> {
        let mut expression = self.primary()?;
        loop {
            if self.consume(".") {
                self.consume("?");
                let name = self.word()?.to_owned();
                let target = Box::new(expression);
                expression = match self.consume("(") {
                    true => Expression::Call(Some(target), name, self.list(")")?),
                    false => Expression::Field(target, name),
                };
            } else if self.consume("[") {
                self.consume("?");
                let index = self.conditional()?;
                expression = self.consume("]").then(|| Expression::Element(Box::new(expression), Box::new(index)))?;
            } else {
                return Some(expression);
            }
        }
    }

    /// Parses a list of expressions up to the token `end`.
    fn list(&mut self, end: &str) -> Option<Vec<Expression>> {
        let mut elements = Vec::new();
        while !self.consume(end) {
            elements.push(self.conditional()?);
            if !self.consume(",") {
                return self.consume(end).then_some(elements);
            }
        }
        Some(elements)
    }

    /// Parses a literal, a list, a name, a call of a function, or an expression in parentheses.
    fn primary(&mut self) -> Option<Expression> {
        if self.consume("(") {
            let inner = self.conditional()?;
            return self.consume(")").then_some(inner);
        }
        if self.consume("[") {
            return self.list("]").map(Expression::List);
        }
        if let Some(quote) = self.rest.chars().next().filter(|c| ['\'', '"'].contains(c)) {
            let (text, rest) = self.rest.get(1..)?.split_once(quote)?;
            self.rest = rest;
            return (!text.contains(['\\', '\n'])).then(|| Expression::Text(text.to_owned()));
        }
        if let Some(word) = self.word() {
            return Some(match word {
                "true" | "false" => Expression::Flag(word == "true"),
                "null" => Expression::Null,
                _ if self.consume("(") => Expression::Call(None, word.to_owned(), self.list(")")?),
                _ => Expression::Name(word.to_owned()),
            });
        }
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!rest.starts_with('.')).then(|| digits.parse().ok().map(Expression::Number)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn operators_bind_as_in_cel() {
        let same = |one: &str, other: &str| {
            let parsed = Expression::parse(one);
            assert!(parsed.is_some() && parsed == Expression::parse(other), "{one}");
        };
        same("a || b && !c.d == e", "(a || (b && ((!(c.d)) == e)))");
        same("a.?b.orValue([]).all(x, x in [1, 2,])", "a.b.orValue([]).all(x, (x in [1,2]))");
        same("a // why\n && b['c'] ? 1 : 2", "((a && (b['c'])) ? (1) : (2))");
        same("inner == b", "(inner) == b");
    }

    #[test]
    fn unsupported_cel_is_not_parsed() {
        let deep = "(".repeat(10_000);
        for text in ["", "a ==", "a.b(", "'a", "{'a': 1}", "1.5", "a b", "'a\\n'", deep.as_str()] {
            assert_eq!(Expression::parse(text), None, "{text}");
        }
    }
}
