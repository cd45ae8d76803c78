//! Converts a scalar's bytes to its value according to the YAML specification, independent of the crate's code.

use lossless_yaml::{Kind, NodeRef, Style};

/// Returns the value that a node's bytes represent.
pub(crate) fn cook(node: NodeRef<'_, '_>) -> String {
    let raw = node.raw().replace("\r\n", "\n").replace('\r', "\n");
    match node.kind() {
        Kind::Scalar(Style::Plain) => fold(&raw),
        Kind::Scalar(Style::SingleQuoted) => fold(unquoted(&raw, '\'')).replace("''", "'"),
        Kind::Scalar(Style::DoubleQuoted) => double(unquoted(&raw, '"')),
        Kind::Scalar(Style::Literal) => block(&raw, parent_indent(node), false),
        Kind::Scalar(Style::Folded) => block(&raw, parent_indent(node), true),
        _ => String::new(),
    }
}

fn unquoted(raw: &str, quote: char) -> &str {
    raw.strip_prefix(quote).and_then(|raw| raw.strip_suffix(quote)).expect("quotes at both ends")
}

/// Folds lines of a flow scalar: one line break becomes a blank, n breaks become n - 1.
fn fold(raw: &str) -> String {
    let lines: Vec<&str> = raw.split('\n').collect();
    let last = lines.len() - 1;
    let mut text = String::new();
    let mut empty = 0;
    for (index, line) in lines.iter().enumerate() {
        let line = if index > 0 { line.trim_start_matches([' ', '\t']) } else { line };
        let line = if index < last { line.trim_end_matches([' ', '\t']) } else { line };
        if index > 0 {
            if line.is_empty() && index < last {
                empty += 1;
                continue;
            }
            text.push_str(&if empty == 0 { " ".to_owned() } else { "\n".repeat(empty) });
            empty = 0;
        }
        text.push_str(line);
    }
    text
}

/// Reads double-quoted text. Escapes are replaced by private characters during folding.
fn double(raw: &str) -> String {
    let mut protected = String::new();
    let mut escaped = Vec::new();
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            protected.push(c);
            continue;
        }
        let code = chars.next().expect("an escape has a letter");
        let text = match code {
            '\n' => {
                // Removes the line break and the blanks of the next line; empty lines in between remain line breaks.
                let mut breaks = 0;
                while let Some(&next) = chars.peek() {
                    match next {
                        ' ' | '\t' => {}
                        '\n' => breaks += 1,
                        _ => break,
                    }
                    chars.next();
                }
                "\n".repeat(breaks)
            }
            '0' => "\0".into(),
            'a' => "\u{7}".into(),
            'b' => "\u{8}".into(),
            't' | '\t' => "\t".into(),
            'n' => "\n".into(),
            'v' => "\u{b}".into(),
            'f' => "\u{c}".into(),
            'r' => "\r".into(),
            'e' => "\u{1b}".into(),
            'N' => "\u{85}".into(),
            '_' => "\u{a0}".into(),
            'L' => "\u{2028}".into(),
            'P' => "\u{2029}".into(),
            'x' | 'u' | 'U' => {
                let count = match code {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits: String = chars.by_ref().take(count).collect();
                char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).expect("no surrogates here").to_string()
            }
            other => other.to_string(),
        };
        escaped.push(text);
        protected.push('\u{f8ff}');
    }
    let mut texts = escaped.into_iter();
    fold(&protected).chars().fold(String::new(), |mut text, c| {
        if c == '\u{f8ff}' {
            text.push_str(&texts.next().unwrap());
        } else {
            text.push(c);
        }
        text
    })
}

/// Returns the column of the block collection that contains a node; -1 at the top level.
fn parent_indent(node: NodeRef<'_, '_>) -> i64 {
    let Some(parent) = node.parent() else { return -1 };
    let text = &node.tree().text()[..parent.span().start];
    let line = text.rsplit(['\n', '\r']).next().unwrap();
    i64::try_from(line.trim_start_matches('\u{feff}').chars().count()).unwrap()
}

fn block(raw: &str, parent: i64, folded: bool) -> String {
    let (header, body) = raw.split_once('\n').unwrap_or((raw, ""));
    let indicators = header.split([' ', '\t', '#']).next().unwrap();
    let digit = indicators.chars().find_map(|c| c.to_digit(10));
    let blanks = |line: &str| line.chars().take_while(|&c| c == ' ').count();
    // The last line counts even without a line break.
    let lines: Vec<&str> = body.lines().collect();
    let shown = lines.iter().find(|line| line.len() > blanks(line)).map_or(usize::MAX, |line| blanks(line));
    let indent = digit.map_or(shown, |digit| usize::try_from(parent.max(0) + i64::from(digit)).unwrap());
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent.min(blanks(line))..).unwrap()).collect();
    let Some(last) = lines.iter().rposition(|line| !line.is_empty()) else {
        return if indicators.contains('+') { "\n".repeat(lines.len()) } else { String::new() };
    };
    let mut text = String::new();
    let mut above: Option<&str> = None;
    let mut breaks = 0;
    for line in &lines[..=last] {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        let spaced = |line: &str| line.starts_with([' ', '\t']);
        match above {
            None => text.push_str(&"\n".repeat(breaks)),
            Some(above) if folded && !spaced(above) && !spaced(line) => {
                text.push_str(&if breaks == 0 { " ".to_owned() } else { "\n".repeat(breaks) });
            }
            Some(_) => text.push_str(&"\n".repeat(breaks + 1)),
        }
        text.push_str(line);
        above = Some(line);
        breaks = 0;
    }
    match () {
        () if indicators.contains('-') => {}
        () if indicators.contains('+') => text.push_str(&"\n".repeat(lines.len() - last)),
        () => text.push('\n'),
    }
    text
}
