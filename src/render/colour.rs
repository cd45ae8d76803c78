//! Terminal colours for messages and diffs.

use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const INFO: Style = AnsiColor::Cyan.on_default().bold();
const QUIET: Style = Style::new().dimmed();
const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const HUNK: Style = AnsiColor::Cyan.on_default();
const HEAD: Style = Style::new().bold();

/// Colours the severity at the start of each line and the rule in brackets at its end.
///
/// ```
/// use hostnet::render::colour::messages;
/// assert_eq!(messages("error: no [config]\n"), "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m no \u{1b}[2m[config]\u{1b}[0m\n");
/// ```
pub fn messages(text: &str) -> String {
    text.split_inclusive('\n').map(message).collect()
}

/// Colours the severity in a line of a message.
fn message(line: &str) -> String {
    let known = [("error:", ERROR), ("warning:", WARNING), ("info:", INFO)];
    let Some((rest, word, style)) =
        known.iter().find_map(|(word, style)| Some((line.strip_prefix(word)?, word, style)))
    else {
        return line.to_owned();
    };
    let body = rest.trim_end_matches('\n');
    let end = rest.get(body.len()..).unwrap_or_default();
    let rule = body.rfind(" [").filter(|_| body.ends_with(']')).and_then(|at| body.split_at_checked(at + 1));
    match rule {
        Some((body, rule)) => format!("{style}{word}{style:#}{body}{QUIET}{rule}{QUIET:#}{end}"),
        None => format!("{style}{word}{style:#}{rest}"),
    }
}

/// Colours the first line of a table, which names the columns.
///
/// ```
/// use hostnet::render::colour::table;
/// assert_eq!(table("NAME  PORT\nweb   8080\n"), "\u{1b}[1mNAME  PORT\u{1b}[0m\nweb   8080\n");
/// ```
pub fn table(text: &str) -> String {
    match text.split_once('\n') {
        Some((columns, rows)) if !columns.is_empty() => format!("{HEAD}{columns}{HEAD:#}\n{rows}"),
        _ => text.to_owned(),
    }
}

/// Colours a unified diff like git.
pub fn diff(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(plain.len() + plain.len() / 4);
    // Remaining old and new lines of the hunk: a line such as `--- a` may belong to the hunk.
    let mut left = (0usize, 0usize);
    for line in plain.split_inclusive(|byte| *byte == b'\n') {
        let style = match (line.first(), left) {
            (_, (0, 0)) => match hunk(line) {
                Some(lines) => {
                    left = lines;
                    Some(HUNK)
                }
                None => Some(HEAD).filter(|_| !line.starts_with(b"\\")),
            },
            (Some(b'-'), _) => {
                left.0 = left.0.saturating_sub(1);
                Some(OLD)
            }
            (Some(b'+'), _) => {
                left.1 = left.1.saturating_sub(1);
                Some(NEW)
            }
            (Some(b'\\'), _) => None,
            _ => {
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
                None
            }
        };
        let Some(style) = style else {
            out.extend_from_slice(line);
            continue;
        };
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        out.extend_from_slice(style.render().to_string().as_bytes());
        out.extend_from_slice(body);
        out.extend_from_slice(style.render_reset().to_string().as_bytes());
        out.extend_from_slice(line.get(body.len()..).unwrap_or_default());
    }
    out
}

/// Numbers of old and new lines in a hunk header such as `@@ -6,10 +6,12 @@`.
fn hunk(line: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix("@@ -")?;
    let (old, rest) = text.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let lines = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((lines(old)?, lines(new)?))
}

#[cfg(test)]
mod tests {
    use super::{diff, messages};

    #[test]
    fn lines_of_a_hunk_that_look_like_file_headers_are_lines() {
        let plain = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n\\ No newline at end of file\n--- a/y\n";
        let shown = String::from_utf8(diff(plain.as_bytes())).unwrap().replace('\u{1b}', "^");
        assert_eq!(
            shown,
            "^[1m--- a/x^[0m\n^[1m+++ b/x^[0m\n^[36m@@ -1,2 +1,2 @@^[0m\n a\n^[31m--- b^[0m\n^[32m+++ c^[0m\n\
             \\ No newline at end of file\n^[1m--- a/y^[0m\n"
        );
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        assert_eq!(
            messages("8 workloads moved, 0 warnings\n  | error: x\n"),
            "8 workloads moved, 0 warnings\n  | error: x\n"
        );
    }
}
