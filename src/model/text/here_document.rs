//! Here-documents of shell scripts (`cat <<EOF`), which are input of a command and not words. They are blanked out
//! before the script is parsed: some of them make the parser loop forever or panic.

use std::collections::VecDeque;

/// Delimiter: the line that ends a here-document.
struct HereDocumentEnd<'s> {
    text: &'s str,
    /// True for `<<-`, which ignores tabs before the delimiter.
    tabs: bool,
}

/// Replaces all here-documents of a script by blanks, so that all other positions stay the same. `None` if a delimiter
/// is unusual, or a here-document has no end.
pub(super) fn blanked(script: &str) -> Option<String> {
    let mut blanked = String::with_capacity(script.len());
    let mut open: VecDeque<HereDocumentEnd<'_>> = VecDeque::new();
    for line in script.split_inclusive('\n') {
        if let Some(mark) = open.front() {
            let text = line.strip_suffix('\n').unwrap_or(line);
            if mark.text == if mark.tabs { text.trim_start_matches('\t') } else { text } {
                open.pop_front();
            }
            push_blanks(&mut blanked, line);
        } else {
            open.extend(push_line(&mut blanked, line)?);
        }
    }
    open.is_empty().then_some(blanked)
}

/// Adds a line of commands without the delimiters in it, and returns the delimiters.
fn push_line<'s>(blanked: &mut String, line: &'s str) -> Option<Vec<HereDocumentEnd<'s>>> {
    let is_comment = line.trim_start().starts_with('#');
    let (mut marks, mut arithmetic) = (Vec::new(), [("((", "))", false), ("$[", "]", false)]);
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        let (before, run) = rest.split_at_checked(at)?;
        blanked.push_str(before);
        // The brackets in `arithmetic` contain no `<`, so each text between two `<` is searched separately.
        for (opening, closing, open) in &mut arithmetic {
            *open = is_open(before, opening, closing, *open);
        }
        let after = run.trim_start_matches('<');
        let (signs, _) = run.split_at_checked(run.len() - after.len())?;
        rest = after;
        match signs.len() {
            // File (`<`) or here-string (`<<<`).
            1 | 3 => blanked.push_str(signs),
            2 => {
                push_blanks(blanked, signs);
                // Bit shift, or comment.
                if is_comment || arithmetic.iter().any(|(.., open)| *open) {
                    continue;
                }
                let (mark, after) = mark(after)?;
                push_blanks(blanked, rest.get(..rest.len() - after.len())?);
                marks.push(mark);
                rest = after;
            }
            _ => return None,
        }
    }
    blanked.push_str(rest);
    Some(marks)
}

/// True if a bracket is open at the end of a text; `was_open` if it was open at the start.
fn is_open(text: &str, opening: &str, closing: &str, was_open: bool) -> bool {
    match (text.rfind(opening), text.rfind(closing)) {
        (None, None) => was_open,
        (opened, closed) => opened > closed,
    }
}

/// Returns the delimiter after `<<`, and the text after it. The delimiter is a plain word, a quoted word, or a word
/// after `\`.
fn mark(rest: &str) -> Option<(HereDocumentEnd<'_>, &str)> {
    let tabs = rest.starts_with('-');
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
    let quote = rest.chars().next().filter(|c| ['"', '\''].contains(c));
    let word = quote.and_then(|quote| rest.strip_prefix(quote)).or(rest.strip_prefix('\\')).unwrap_or(rest);
    let after = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_-.+%!@".contains(c));
    let text = word.get(..word.len() - after.len()).filter(|text| !text.is_empty())?;
    let end = quote.map_or(Some(after), |quote| after.strip_prefix(quote))?;
    let ends = end.is_empty() || end.starts_with([' ', '\t', '\n', ';', '&', '|', '<', '>', ')']);
    ends.then_some((HereDocumentEnd { text, tabs }, end))
}

/// Adds a blank for each byte of a text, and keeps line breaks.
fn push_blanks(blanked: &mut String, text: &str) {
    blanked.extend(text.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
}

#[cfg(test)]
mod tests {
    use super::blanked;

    #[test]
    fn here_documents_are_blanked_and_offsets_stay() {
        for (script, left) in [
            ("cat <<EOF >a\n8080\nEOF\nweb\n", "cat       >a\n    \n   \nweb\n"),
            ("cat <<-'E' | b\n\té\n\tE\nweb", "cat        | b\n   \n  \nweb"),
            ("a << \"E_1\";b\nE_1\n", "a         ;b\n   \n"),
            ("a <<\\E <<F\n1\nE\n2\nF\nb", "a         \n \n \n \n \nb"),
            ("a <b <<<\"$c\" d", "a <b <<<\"$c\" d"),
            ("a $((1<<3)) b", "a $((1  3)) b"),
            ("((a)); b <<E\n1\nE\n", "((a)); b    \n \n \n"),
            ("# <<EOF\na", "#   EOF\na"),
        ] {
            assert_eq!(blanked(script).as_deref(), Some(left), "{script}");
        }
    }

    #[test]
    fn here_documents_with_odd_delimiters_or_no_end_are_not_read() {
        for script in [
            "a <<E",
            "a <<E\nb",
            "a <<\"\"\n\n",
            "a <<\n",
            "a <<$(b\n",
            "a <<`a`\n`a`\n",
            "a <<E$(\nE$(\n",
            "a <<E\r\nE\r\n",
            "a <<\"E\"$(a\nE\n",
            "a <<<<E\nE\n",
            "a <<<<<\"\"",
            "a <<E\n E\n",
            "a <<-E\n E\n",
            "a <<E}\nE}\n",
        ] {
            assert_eq!(blanked(script), None, "{script}");
        }
    }
}
