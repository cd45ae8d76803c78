//! What is between the entries of a flow collection: blanks, comments, and one comma.

use super::lines;
use super::shape;

/// Where the comma is.
pub(super) fn comma(gap: &str) -> Option<usize> {
    lines::find_outside_comments(gap, 0, gap.len(), b",")
}

/// Where the first line ends; none when there is no other.
fn first_break(gap: &str) -> Option<usize> {
    gap.find(['\n', '\r'])
}

/// The last line, with the break before it; none when there is no break.
fn last_line(gap: &str) -> Option<usize> {
    let line = lines::line_start(gap, gap.len());
    first_break(gap).map(|_| line - lines::break_before(gap, line).len())
}

/// What stands before an offset on its line, when that starts the line: blanks, or a comma between blanks.
pub(super) fn lead(text: &str, at: usize) -> Option<&str> {
    let before = lines::part(text, 0..at);
    let behind = before.trim_end_matches([' ', '\t']);
    let start = behind.strip_suffix(',').unwrap_or(behind).trim_end_matches([' ', '\t']).len();
    // Only what may be the lead is looked at: all of a large text may be one line.
    let starts_line = start == 0 || lines::part(text, 0..start).ends_with(['\n', '\r', '\u{feff}']);
    (starts_line && lines::line_start(text, start) == start).then(|| lines::part(text, start..at))
}

/// The blanks that a line starts with.
pub(super) fn blanks(line: &str) -> &str {
    lines::part(line, 0..lines::skip_blanks(line, 0))
}

fn without_comma(gap: &str) -> String {
    let Some(at) = comma(gap) else { return gap.to_owned() };
    let (before, behind) = (lines::part(gap, 0..at), lines::part(gap, at + 1..gap.len()));
    let Some(line) = last_line(before) else { return format!("{before}{behind}") };
    // Of a comma that starts a line the blanks behind go too, and the line when nothing else is on it.
    let behind = behind.trim_start_matches([' ', '\t']);
    let alone = behind.starts_with(['\n', '\r']);
    format!("{}{behind}", if alone { lines::part(before, 0..line) } else { before })
}

/// What is left of some gaps, and one comma where it is needed, when the entries between them go: comments on lines of
/// their own, and those on the lines of what stays. `from` and `next` are whether entries are before and behind, or
/// brackets. A single gap stays as it is.
pub(super) fn joined(gaps: &[&str], from: bool, next: bool) -> String {
    let (Some((last, before)), Some(first)) = (gaps.split_last(), gaps.first()) else { return String::new() };
    let Some(above) = before.iter().rev().find_map(|gap| last_line(gap).map(|line| lines::part(gap, line..gap.len())))
    else {
        // All that goes is on the line of what is before.
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
    // Blank lines and comments above what goes.
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
    // A comma on a line of its own stays there.
    let alone = first_break(first).zip(last_line(first)).map(|(from, to)| lines::part(first, from..to));
    match alone.filter(|line| comma(line).is_some()) {
        Some(line) => format!("{head}{line}{}{tail}", before.iter().skip(1).filter_map(below).collect::<String>()),
        None => format!(",{head}{kept}{tail}"),
    }
}

/// A gap with new entries at its start. `own_line` is the break and the blanks before an entry that starts its line; with
/// `leads` a comma starts a line too. `comma` divides entries of one line.
pub(super) fn behind(gap: &str, new: &[String], own_line: Option<&str>, leads: bool, comma: &str) -> String {
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
            // The entry before gets a comma, and the last one has one when it had.
            out.push_str(if at.is_none() { "," } else { "" });
            out.push_str(lines::part(gap, 0..end));
            out.extend([own_line, &new.join(&format!(",{own_line}"))]);
            out.push_str(if at.is_none() { "" } else { "," });
            out.push_str(lines::part(gap, end..gap.len()));
        }
        // Where lines are used at all, the bracket's own line keeps its bracket.
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

/// A gap with entries at the end of its first line, each on a line that a comma starts.
fn push_leading(out: &mut String, gap: &str, end: usize, line: &str, new: &[String]) {
    out.push_str(lines::part(gap, 0..end));
    out.extend(new.iter().flat_map(|new| [line, ", ", new]));
    out.push_str(lines::part(gap, end..gap.len()));
}

/// A gap with new entries at its end, above the comments that belong to the entry behind it. `leads` is whether the first
/// entry is one of several whose commas start their lines.
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
