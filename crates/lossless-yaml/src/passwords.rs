//! Removal of passwords from displayed text.

use std::borrow::Cow;
use std::ops::Range;

/// Replaces the passwords of URLs in a text by `***` (`http://NAME:PASSWORD@HOST`, also without a scheme).
///
/// ```
/// use lossless_yaml::without_passwords;
/// assert_eq!(without_passwords("a 'http://me:s3:@cret@proxy:3128/' b"), "a 'http://me:***@proxy:3128/' b");
/// assert_eq!(without_passwords("me:secret@proxy,http://you:secret@proxy"), "me:***@proxy,http://you:***@proxy");
/// assert_eq!(without_passwords("r.io/o/p:v1@sha256:00 a@b:80"), "r.io/o/p:v1@sha256:00 a@b:80");
/// ```
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    let ranges = passwords(text);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str("***");
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the ranges of passwords, in order.
pub(super) fn passwords(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    let mut start = 0;
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>')) {
        find_in_word(word, start, &mut found);
        // Separators may be longer than one byte; the length of this separator comes from the text.
        start +=
            word.len() + text.get(start + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    found
}

fn find_in_word(word: &str, start: usize, found: &mut Vec<Range<usize>>) {
    if !word.contains('@') {
        return;
    }
    let schemes: Vec<usize> = word.match_indices("://").map(|(at, _)| at).collect();
    let first = schemes.first().copied().unwrap_or(word.len());
    // The text before the first scheme may be a list of entries without a scheme.
    let mut from = 0;
    for entry in word.get(..first).unwrap_or_default().split(',') {
        if !entry.contains('/') {
            find_in_authority(entry, start + from, found);
        }
        from += entry.len() + 1;
    }
    for (index, at) in schemes.iter().enumerate() {
        let (from, end) = (at + 3, schemes.get(index + 1).copied().unwrap_or(word.len()));
        find_in_authority(word.get(from..end).unwrap_or_default(), start + from, found);
    }
}

/// Records the password of `NAME:PASSWORD@HOST`. Text before the digest of an image is not a password.
fn find_in_authority(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let Some((user, host)) = text.rsplit_once('@') else { return };
    let is_digest = ["sha256:", "sha512:"].iter().any(|algorithm| host.starts_with(algorithm));
    if let Some(colon) = user.find(':').filter(|_| !is_digest && !host.is_empty()) {
        found.push(start + colon + 1..start + user.len());
    }
}
