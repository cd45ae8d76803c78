//! Gaps between the entries of a flow collection: white space, comments and one comma.

use super::lines;
use super::shape;

/// Returns the offset of the comma.
pub(super) fn comma(gap: &str) -> Option<usize> {
    lines::find_outside_comments(gap, 0, gap.len(), b",")
}

/// Returns the end of the first line; `None` without a line break.
fn first_break(gap: &str) -> Option<usize> {
    gap.find(['\n', '\r'])
}

/// Returns the start of the last line, including the line break before it; `None` without a line break.
fn last_line(gap: &str) -> Option<usize> {
    let line = lines::line_start(gap, gap.len());
    first_break(gap).map(|_| line - lines::break_before(gap, line).len())
}

/// Returns the text before an offset if it is at the start of the line: blanks, with or without a comma. `None` if
/// there is other text.
pub(super) fn blanks_before(text: &str, at: usize) -> Option<&str> {
    let before = lines::part(text, 0..at);
    let after = before.trim_end_matches([' ', '\t']);
    let start = after.strip_suffix(',').unwrap_or(after).trim_end_matches([' ', '\t']).len();
    // Check only blanks and a comma, because a large text may be a single line.
    let starts_line = start == 0 || lines::part(text, 0..start).ends_with(['\n', '\r', '\u{feff}']);
    (starts_line && lines::line_start(text, start) == start).then(|| lines::part(text, start..at))
}

/// Returns the blanks at the start of a line.
pub(super) fn blanks(line: &str) -> &str {
    lines::part(line, 0..lines::skip_blanks(line, 0))
}

/// The gap without its comma.
fn without_comma(gap: &str) -> String {
    let Some(at) = comma(gap) else { return gap.to_owned() };
    let (before, after) = (lines::part(gap, 0..at), lines::part(gap, at + 1..gap.len()));
    let Some(line) = last_line(before) else { return format!("{before}{after}") };
    // If the comma starts a line, remove the blanks after it too, and the whole line if it is otherwise empty.
    let after = after.trim_start_matches([' ', '\t']);
    let alone = after.starts_with(['\n', '\r']);
    format!("{}{after}", if alone { lines::part(before, 0..line) } else { before })
}

/// Joins the gaps around removed entries to one gap with a comma if one is needed. Comments on separate lines and
/// comments on the lines of kept entries are kept. `from` and `next` are true if a kept entry precedes or follows,
/// false for a bracket. A single gap is returned unchanged.
pub(super) fn joined(gaps: &[&str], from: bool, next: bool) -> String {
    let (Some((last, before)), Some(first)) = (gaps.split_last(), gaps.first()) else { return String::new() };
    let Some(above) = before.iter().rev().find_map(|gap| last_line(gap).map(|line| lines::part(gap, line..gap.len())))
    else {
        // All removed entries are on the line of the preceding entry or bracket.
        return match (from, first_break(last).is_some()) {
            _ if before.is_empty() => (*last).to_owned(),
            (true, _) => (*last).to_owned(),
            (false, true) => without_comma(last),
            (false, false) => (*first).to_owned(),
        };
    };
    let head = match first_break(first) {
        Some(end) => lines::part(first, 0..end),
        None if from => "",
        None => first,
    };
    // Blank lines and comments above removed entries.
    let below = |gap: &&str| {
        let below = without_comma(lines::part(gap, first_break(gap)?..gap.len()));
        last_line(&below).map(|end| lines::part(&below, 0..end).to_owned())
    };
    let kept: String = before.iter().filter_map(below).collect();
    let commented = head.contains('#') || !kept.is_empty();
    let tail = match first_break(last) {
        Some(end) => lines::part(last, end..last.len()).to_owned(),
        None if next => above.to_owned(),
        None if commented => without_comma(above),
        None => without_comma(last),
    };
    let needed = from && (next || comma(last).is_some());
    let (own, of_next) = (comma(head).is_some(), comma(&tail).is_some());
    let head = if own && (!needed || of_next) { without_comma(head) } else { head.to_owned() };
    let tail = if needed { tail } else { without_comma(&tail) };
    if !needed || own || of_next {
        return format!("{head}{kept}{tail}");
    }
    // If the comma is alone on its line, keep it on that line.
    let alone = first_break(first).zip(last_line(first)).map(|(from, to)| lines::part(first, from..to));
    match alone.filter(|line| comma(line).is_some()) {
        Some(line) => format!("{head}{line}{}{tail}", before.iter().skip(1).filter_map(below).collect::<String>()),
        None => format!(",{head}{kept}{tail}"),
    }
}

/// Inserts new entries at the start of a gap. `own_line` is the line break and the blanks before an entry that starts
/// its line. `leads` is true if commas start the lines. `comma` separates entries on one line.
pub(super) fn after(gap: &str, new: &[String], own_line: Option<&str>, leads: bool, comma: &str) -> String {
    let at = self::comma(gap);
    let mut out = String::new();
    match (first_break(gap), at, own_line) {
        // The comma starts the line of the next entry.
        (Some(end), Some(at), _) if at > end => {
            let line = last_line(lines::part(gap, 0..at)).unwrap_or(end);
            push_leading(&mut out, gap, end, lines::part(gap, line..at), new);
        }
        (Some(end), None, Some(own_line)) if leads => push_leading(&mut out, gap, end, own_line, new),
        (Some(end), at, Some(own_line)) => {
            // The entry before the gap gets a comma; the last entry has one only if the gap had one.
            out.push_str(if at.is_none() { "," } else { "" });
            out.push_str(lines::part(gap, 0..end));
            out.extend([own_line, &new.join(&format!(",{own_line}"))]);
            out.push_str(if at.is_none() { "" } else { "," });
            out.push_str(lines::part(gap, end..gap.len()));
        }
        // With one entry per line, the closing bracket stays on its line.
        (None, None, Some(own_line)) => {
            out.extend(new.iter().flat_map(|new| [",", own_line, new]));
            out.push_str(gap);
        }
        (_, _, None) | (None, Some(_), _) => {
            out.extend(new.iter().flat_map(|new| [comma, new]));
            out.push_str(gap);
        }
    }
    out
}

/// Inserts entries after the first line of a gap, each on a line that starts with a comma.
fn push_leading(out: &mut String, gap: &str, end: usize, line: &str, new: &[String]) {
    out.push_str(lines::part(gap, 0..end));
    out.extend(new.iter().flat_map(|new| [line, ", ", new]));
    out.push_str(lines::part(gap, end..gap.len()));
}

/// Inserts new entries at the end of a gap, above the comments that belong to the following entry. `leads` is true if
/// the new entries precede the first entry of a collection whose lines start with commas.
pub(super) fn above(
    gap: &str,
    new: &[String],
    leads: bool,
    line_break: impl Fn() -> &'static str,
    comma: &str,
) -> String {
    let Some(start) = last_line(gap) else {
        return new.iter().fold(gap.to_owned(), |gap, new| format!("{gap}{new}{comma}"));
    };
    let line = lines::part(gap, start..gap.len());
    if leads {
        return format!("{gap}{}", new.iter().map(|new| format!("{new}{line}, ")).collect::<String>());
    }
    if let Some(at) = self::comma(line) {
        let lead = lines::part(line, 0..at);
        let new: String = new.iter().map(|new| format!("{lead}, {new}")).collect();
        return format!("{}{new}{line}", lines::part(gap, 0..start));
    }
    let floor = first_break(gap).map_or(0, |end| end + 1);
    let top = shape::comment_block_above(gap, gap.len(), floor);
    let blanks = line.trim_start_matches(['\n', '\r']);
    let line_break = line_break();
    let new: String = new.iter().map(|new| format!("{blanks}{new},{line_break}")).collect();
    format!("{}{new}{}", lines::part(gap, 0..top), lines::part(gap, top..gap.len()))
}
