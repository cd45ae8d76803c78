//! Lines about objects that were not read, shortened to one screen.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

/// Maximum number of kinds in the line that counts the omitted objects.
const NAMED_KINDS: usize = 2;

/// Assumed terminal width.
const COLUMNS: usize = 100;

/// Number of terminal rows of a line.
pub(super) fn rows(line: &str) -> usize {
    line.chars().count().div_ceil(COLUMNS).max(1)
}

/// Kind of the object that a line names first; empty for a line that begins with a file or a command.
fn kind(line: &str) -> &str {
    let first = line.split_once(' ').map_or(line, |(first, _)| first);
    if first.bytes().all(|byte| byte.is_ascii_alphanumeric()) { first } else { "" }
}

/// One line per object, as many as fit into this number of terminal rows. Each kind has its first line before any kind
/// has a second one; the last line counts the omitted objects, and names their most frequent kinds.
///
/// ```
/// use hostnet::render::not_read::shortened;
/// let lines: Vec<String> = ["A a", "A b", "A c", "B d"].map(|object| format!("{object}: not in the input")).into();
/// assert_eq!(shortened(&lines, 4).lines().count(), 4);
/// assert_eq!(
///     shortened(&lines, 3),
///     "not read: A a: not in the input\nnot read: B d: not in the input\nnot read: 2 more (2 A): -v shows all\n"
/// );
/// ```
pub fn shortened(lines: &[String], room: usize) -> String {
    let all: Vec<String> = lines.iter().map(|line| format!("not read: {line}")).collect();
    if all.iter().map(|line| rows(line)).sum::<usize>() <= room {
        return all.iter().map(|line| format!("{line}\n")).collect();
    }
    let mut kinds = HashSet::new();
    let (first, further): (Vec<usize>, Vec<usize>) =
        (0..lines.len()).partition(|&index| lines.get(index).is_some_and(|line| kinds.insert(kind(line))));
    // The last row is for the line that counts.
    let mut left = room.saturating_sub(1);
    let fits = |index: &usize| {
        let needed = all.get(*index).map_or(0, |line| rows(line));
        let fits = needed <= left;
        left = if fits { left - needed } else { 0 };
        fits
    };
    let mut shown: Vec<usize> = first.into_iter().chain(further).take_while(fits).collect();
    shown.sort_unstable();
    let mut text: String = shown.iter().filter_map(|&index| all.get(index)).map(|line| format!("{line}\n")).collect();
    let mut omitted: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, line) in lines.iter().enumerate().filter(|(index, _)| shown.binary_search(index).is_err()) {
        *omitted.entry(kind(line)).or_default() += 1;
    }
    let more: usize = omitted.values().sum();
    omitted.remove("");
    let mut counts: Vec<(&str, usize)> = omitted.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts.truncate(NAMED_KINDS);
    let others = more - counts.iter().map(|(_, count)| count).sum::<usize>();
    let named = counts.iter().map(|(kind, count)| format!("{count} {kind}"));
    let named: Vec<String> = named.chain((others > 0).then(|| format!("{others} other"))).collect();
    let _ = writeln!(text, "not read: {more} more ({}): -v shows all", named.join(", "));
    text
}
