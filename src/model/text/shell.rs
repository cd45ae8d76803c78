//! Words of shell scripts, read by a shell parser that handles quotes, variables and defaults. Each part of a word
//! keeps its position in the script.

use std::ops::Range;
use std::sync::Arc;

use brush_parser::word::{Parameter, ParameterExpr, WordPiece, WordPieceWithSource};
use brush_parser::{ParserOptions, Token, TokenizerOptions};

use super::here_document;
use super::nesting::is_shallow;
use super::word::Word;
use lossless_yaml::Path;

/// Maximum size of a script. Larger scripts, and scripts with more than `MAX_BRACKETS` brackets, are not read; a
/// number in them still blocks a move, because nothing explains it.
const MAX_SCRIPT_BYTES: usize = 1024 * 1024;

const MAX_BRACKETS: usize = 4_000;

/// Maximum depth at which the commands of substitutions are read: a nested command is part of every substitution around
/// it, and is read again for each of them.
const MAX_DEPTH: usize = 5;

/// Maximum number of digits of an entry of the directory stack (`~+N`).
const MAX_DIRECTORY_DIGITS: usize = 9;

/// Maximum number of brackets on the stack of the current thread. The parser recurses at each bracket, including quoted
/// ones; more brackets get a thread with a larger stack.
const MAX_BRACKETS_IN_THREAD: usize = 20;

const STACK_OF_A_BRACKET: usize = 64 * 1024;

/// Script that is read into words.
struct Script<'s> {
    path: &'s Path,
    whole: &'s Arc<str>,
    /// Text with blanks for line continuations, which the parser skips without counting, and for here-documents.
    joined: &'s str,
    /// Number of the current command.
    command: usize,
    /// Number of substitutions around the current command.
    depth: usize,
    words: Vec<Word>,
}

/// Returns the words of a script; empty if the script cannot be read. `command` is the number of its first command.
pub(in crate::model) fn script_words(path: &Path, whole: &Arc<str>, command: usize) -> Vec<Word> {
    let brackets = whole.bytes().zip(whole.bytes().skip(1)).filter(|pair| is_opening(*pair)).count();
    if whole.len() > MAX_SCRIPT_BYTES || brackets > MAX_BRACKETS {
        return Vec::new();
    }
    let Some(joined) = here_document::blanked(&whole.replace("\\\n", "  ")) else { return Vec::new() };
    let read = || {
        let mut script = Script { path, whole, joined: &joined, command, depth: 0, words: Vec::new() };
        script.read(0..whole.len());
        script.words
    };
    if brackets <= MAX_BRACKETS_IN_THREAD {
        return read();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(brackets * STACK_OF_A_BRACKET);
        thread.spawn_scoped(scope, read).ok().and_then(|thread| thread.join().ok()).unwrap_or_default()
    })
}

/// True if a word has `~`, `~+` or `~-` with a number that overflows an integer: the parser panics at it.
fn has_large_directory(word: &str) -> bool {
    word.split('~').skip(1).any(|rest| {
        let number = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        number.bytes().take_while(u8::is_ascii_digit).count() > MAX_DIRECTORY_DIGITS
    })
}

/// True for two characters that open a substitution.
fn is_opening(pair: (u8, u8)) -> bool {
    matches!(pair, (_, b'(' | b'`') | (b'$', b'{' | b'[') | (b'`', _))
}

impl Script<'_> {
    /// Reads a range of the text as a script.
    fn read(&mut self, range: Range<usize>) {
        let Some(text) = self.joined.get(range.clone()) else { return };
        let Ok(tokens) = brush_parser::uncached_tokenize_str(text, &TokenizerOptions::default()) else { return };
        let bytes = Offsets::new(text);
        for token in &tokens {
            match token {
                Token::Operator(operator, _) if !operator.contains(['<', '>']) => self.command += 1,
                Token::Operator(..) => {}
                Token::Word(word, span) => {
                    let start = range.start + bytes.byte(span.start.index);
                    let written = start..start + word.len();
                    if self.whole.get(written.clone()) == Some(word) {
                        self.word(word, written);
                    }
                }
            }
        }
        self.command += 1;
    }

    /// Reads a word of a command, and then the commands in its substitutions.
    fn word(&mut self, text: &str, written: Range<usize>) {
        let mut word = Word::empty(self.path.clone(), self.whole, written.clone(), self.command);
        if !is_shallow(text) || has_large_directory(text) {
            word.push_expanded_text(OTHER);
            self.words.push(word);
            return;
        }
        let Ok(pieces) = brush_parser::word::parse(text, &ParserOptions::default()) else { return };
        let mut nested = Vec::new();
        self.pieces(&pieces, written.start, &mut word, &mut nested);
        self.words.push(word);
        if self.depth == MAX_DEPTH {
            return;
        }
        for range in nested {
            // The text of a substitution is a separate command.
            let before = self.command;
            self.command += 1_000;
            self.depth += 1;
            self.read(range);
            self.depth -= 1;
            self.command = before;
        }
    }

    /// Appends the pieces of a word; `nested` gets the ranges of its command substitutions.
    fn pieces(&self, pieces: &[WordPieceWithSource], start: usize, word: &mut Word, nested: &mut Vec<Range<usize>>) {
        for piece in pieces {
            let written = start + piece.start_index..start + piece.end_index;
            let inside = |open: usize, close: usize| written.start + open..written.end.saturating_sub(close);
            match &piece.piece {
                WordPiece::Text(_) => word.push_literal(written),
                WordPiece::SingleQuotedText(_) => word.push_literal(inside(1, 1)),
                WordPiece::DoubleQuotedSequence(inner) => self.pieces(inner, start, word, nested),
                WordPiece::EscapeSequence(text) => word.push_expanded_text(text.trim_start_matches('\\')),
                WordPiece::ParameterExpansion(expression) => self.expansion(expression, written, word),
                WordPiece::CommandSubstitution(name) if is_name(name) => word.push_expanded_text(&format!("$({name})")),
                WordPiece::CommandSubstitution(_) => {
                    nested.push(inside(2, 1));
                    word.push_expanded_text(OTHER);
                }
                WordPiece::BackquotedCommandSubstitution(_) => {
                    nested.push(inside(1, 1));
                    word.push_expanded_text(OTHER);
                }
                _ => word.push_expanded_text(OTHER),
            }
        }
    }

    /// `$NAME` and `${NAME}` stay variables; `${NAME:-8080}` becomes its default.
    fn expansion(&self, expression: &ParameterExpr, written: Range<usize>, word: &mut Word) {
        match expression {
            ParameterExpr::Parameter { parameter: Parameter::Named(name), indirect: false } => {
                word.push_expanded_text(&format!("$({name})"));
            }
            ParameterExpr::UseDefaultValues { default_value: Some(value), indirect: false, .. }
            | ParameterExpr::AssignDefaultValues { default_value: Some(value), indirect: false, .. } => {
                let end = written.end.saturating_sub(1);
                let range = end.saturating_sub(value.len())..end;
                let plain = !value.contains(['$', '`', '\'', '"', '\\']);
                if plain && self.whole.get(range.clone()) == Some(value) {
                    word.push_literal(range);
                } else {
                    word.push_expanded_text(OTHER);
                }
            }
            _ => word.push_expanded_text(OTHER),
        }
    }
}

/// Placeholder for a part of a word whose text is unknown.
const OTHER: &str = "\u{fffd}";

/// True for a text that can be the name of a variable.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Byte positions of the characters that the parser counts.
struct Offsets(Option<Vec<usize>>);

impl Offsets {
    fn new(text: &str) -> Self {
        Self((!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect()))
    }

    /// Byte offset of the character at an index.
    fn byte(&self, index: usize) -> usize {
        match &self.0 {
            None => index,
            Some(starts) => starts.get(index).or(starts.last()).copied().unwrap_or_default(),
        }
    }
}

/// Position of the script in the words of a command: `sh -c SCRIPT`, `bash -euo pipefail -c SCRIPT`,
/// `tini -- sh -e -c SCRIPT`.
pub fn script_of<'w>(words: impl Iterator<Item = &'w str>) -> Option<usize> {
    let is_shell = |word: &str| matches!(word.rsplit('/').next(), Some("sh" | "bash" | "ash" | "dash" | "zsh" | "ksh"));
    let is_letters = |word: &str| word.starts_with(['-', '+']) && !word.starts_with("--");
    let mut words = words.enumerate().skip_while(|(_, word)| !is_shell(word)).skip(1);
    loop {
        match words.next()?.1 {
            // The name of an option follows: `-o pipefail`, `-euo pipefail`.
            word if is_letters(word) && word.ends_with(['o', 'O']) => _ = words.next(),
            word if is_letters(word) && word.starts_with('-') && word.ends_with('c') => break,
            word if word.starts_with(['-', '+']) => {}
            _ => return None,
        }
    }
    words.find(|(_, word)| *word != "--").map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(script: &str) -> Vec<String> {
        let whole: Arc<str> = script.into();
        script_words(&Path::root(), &whole, 0).iter().map(|word| word.text().to_owned()).collect()
    }

    /// Returns the command number of each word.
    fn commands(script: &str) -> Vec<usize> {
        let whole: Arc<str> = script.into();
        script_words(&Path::root(), &whole, 0).iter().map(|word| word.command).collect()
    }

    #[test]
    fn quotes_are_removed_and_variables_kept() {
        assert_eq!(
            words(r#"P=8080; exec web --port="$P" 'a b' "--x"=${Y} \; "c\"d" # no 9090"#),
            ["P=8080", "exec", "web", "--port=$(P)", "a b", "--x=$(Y)", ";", "c\"d"]
        );
        assert_eq!(words("web --port \"${PORT:-8080}\" --a=${B:=9}"), ["web", "--port", "8080", "--a=9"]);
        assert_eq!(words("web --port=$(PORT) `date` $((1+2))"), ["web", "--port=$(PORT)", OTHER, "date", OTHER]);
        assert_eq!(words("web '"), [""; 0]);
    }

    #[test]
    fn commands_end_at_operators_and_line_breaks() {
        assert_eq!(commands("a b; c && d | e\nf > g &\n"), [0, 0, 1, 2, 3, 4, 4]);
        assert_eq!(words("x $(nc -z localhost 80) y"), ["x", OTHER, "nc", "-z", "localhost", "80", "y"]);
    }

    #[test]
    fn a_backslash_continues_a_line() {
        let script: Arc<str> = "exec web \\\n  --port=80 \\\n  --x='a \\\n b' \\\n  --y=\"$P\"\nnext".into();
        let words = script_words(&Path::root(), &script, 0);
        let texts: Vec<&str> = words.iter().map(Word::text).collect();
        assert_eq!(texts, ["exec", "web", "--port=80", "--y=$(P)", "next"]);
        assert!(words.iter().take(4).all(|word| word.command == 0) && words[4].command == 1);
        assert_eq!(script.get(words[2].place(7..9).unwrap().range), Some("80"));
    }

    #[test]
    fn comments_and_here_documents_are_no_words_of_a_command() {
        assert_eq!(
            words("cat > /etc/x <<END\nlisten 8080;\né\nEND\nweb --port=1"),
            ["cat", "/etc/x", "web", "--port=1"]
        );
    }

    #[test]
    fn parts_of_a_command_keep_their_offsets() {
        let script: Arc<str> = "é; web --port=\"80\"'80' --listen \":${P:-9090}\"".into();
        let words = script_words(&Path::root(), &script, 0);
        let place = |index: usize, text: &str| {
            let word: &Word = &words[index];
            let at = word.text().find(text).unwrap();
            word.place(at..at + text.len()).map(|place| script.get(place.range).unwrap().to_owned())
        };
        assert_eq!(place(2, "--port="), Some("--port=".to_owned()));
        // `"80"'80'` is 8080, written in two parts.
        assert_eq!(place(2, "8080"), None);
        assert_eq!(place(4, "9090"), Some("9090".to_owned()));
    }

    #[test]
    fn tilde_with_a_large_number_is_not_read() {
        for sign in ["", "+", "-"] {
            let large = "1".repeat(40);
            assert_eq!(words(&format!("web ~{sign}{large} --port=80")), ["web", OTHER, "--port=80"]);
            assert_eq!(words(&format!("web x:~{sign}{large}/b --port=80")), ["web", OTHER, "--port=80"]);
            assert_eq!(words(&format!("web ~{sign}3/x --port=80")).last().map(String::as_str), Some("--port=80"));
        }
    }

    #[test]
    fn nested_substitutions_are_read_to_a_limited_depth() {
        let nested = |count: usize| format!("{}web 80{}", "$(".repeat(count), ")".repeat(count));
        assert_eq!(words(&nested(MAX_DEPTH)).last().map(String::as_str), Some("80"));
        assert!(words(&nested(MAX_DEPTH + 1)).iter().all(|word| word == OTHER));
    }

    /// The parser recurses at each bracket: scripts with too many of them are skipped, fast and without a crash.
    #[test]
    fn too_deep_or_too_long_scripts_are_not_read() {
        for (open, close) in
            [("$(", ")"), ("${a:-", "}"), ("\"$(", ")\""), ("`", "`"), ("<(", ")"), ("$((", "))"), ("(", ")")]
        {
            for count in [MAX_BRACKETS / 2, 100_000] {
                for script in [open.repeat(count), format!("{}x{}", open.repeat(count), close.repeat(count))] {
                    let _ = words(&script);
                }
            }
        }
        assert_eq!(words(&"a ".repeat(MAX_SCRIPT_BYTES)), [""; 0]);
    }

    /// Brackets inside arithmetic, and substitutions that the parser tries in two ways: read fast, or skipped.
    #[test]
    fn ambiguous_scripts_are_parsed_in_limited_time() {
        let around = ["", "$((", "\"", "${a:-", "$(", "$[", "\"$((", "$((x) ", "a[", "@("];
        let open = [
            "(",
            "$((x) ",
            "\"$((x) ",
            "$[",
            "\"$[",
            "a[",
            "${a[",
            "@(a|",
            "$(case x in a) ",
            "${a/$((",
            "\"${a:-\"",
            "$(a \") ",
            "((",
            "$(( (",
            "`$(",
        ];
        let close = ["", ")", "))", ")\"", "]", "}", "\"}\"", "]}", ")}"];
        let start = std::time::Instant::now();
        for (around, open) in around.iter().flat_map(|around| open.map(|open| (around, open))) {
            for (close, count) in close.iter().flat_map(|close| [5, 9, 300].map(|count| (close, count))) {
                let _ = words(&format!(
                    "web {around}{}80{}{}",
                    open.repeat(count),
                    close.repeat(count),
                    [")", "))", "\"", "}"].concat()
                ));
                let _ = words(&format!("web {around}{}80{}", open.repeat(count), close.repeat(count)));
            }
        }
        assert!(start.elapsed() < std::time::Duration::from_mins(1), "{:?}", start.elapsed());
    }

    /// Without the blanks, the parser would loop forever or panic at these.
    #[test]
    fn here_documents_do_not_reach_the_parser() {
        for script in [
            "<<\"\";b/$(d}${P<; ",
            "<<<<<\"\";b/$(d}${P<; ",
            "<\\\n<\"\";b/$(d}${P<; ",
            "<<$(\u{c} p ",
            "<<'' $(<<E p ",
            "x=c(w << $( ;b/$(d}${P<; ",
            "x <<\r;b/$(d}${P<; ",
            "$(date!)\")a \"a$(dat<< p \"a$(date!)\")a <$[POR[]z]a$(:(1,) 2O $((1+) 2|hostPort:8080}",
        ] {
            let _ = words(script);
        }
        assert_eq!(
            words(
                "${P['P['p \"a$(date!)\")grep \"aiot \"a$(dat<<\tp \"a$(date!)\")grep \"aiot <$[POR[]z]80}80 $(:(1,) 2O $((1+) 2|"
            ),
            [""; 0]
        );
    }
}
