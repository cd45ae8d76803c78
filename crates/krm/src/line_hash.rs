//! Line fingerprints for code scanning sites: a hash of a line and the text after it, so that edits
//! of earlier lines do not change it.
//!
//! Source: github/codeql-action@7e8d897 `src/fingerprints.ts`. It hashes the 100 UTF-16 units from
//! the start of a line, without tabs and spaces, with one kind of line end, and with a unit 65535
//! for the end of the file: a polynomial in 37 modulo 2^64. Equal hashes of a file are numbered,
//! starting with 1.

use std::collections::{BTreeMap, HashMap};

/// Number of UTF-16 units that are hashed for a line.
const HASHED_UTF16_UNITS: usize = 100;

/// Returns fingerprints such as `271789c17abda88f:1` for lines counted from 1. A text has one line
/// more than line ends.
///
/// ```
/// use krm::line_hashes;
/// let hashes = line_hashes("\ta\nb", [2]);
/// assert_eq!(hashes, line_hashes("a\r\n b", [2]));
/// ```
pub fn line_hashes(text: &str, wanted: impl IntoIterator<Item = usize>) -> BTreeMap<usize, String> {
    let mut hashes: BTreeMap<usize, String> = wanted.into_iter().map(|line| (line, String::new())).collect();
    let Some((&last, _)) = hashes.last_key_value() else { return hashes };
    let (units, starts) = units(text);
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for (line, start) in (1..=last).zip(starts) {
        let of_line =
            units.get(start..).unwrap_or_default().iter().copied().chain(std::iter::repeat(0)).take(HASHED_UTF16_UNITS);
        let hash = of_line.fold(0_u64, |hash, unit| hash.wrapping_mul(37).wrapping_add(u64::from(unit)));
        let count = seen.entry(hash).or_default();
        *count += 1;
        if let Some(slot) = hashes.get_mut(&line) {
            *slot = format!("{hash:x}:{count}");
        }
    }
    hashes.retain(|_, hash| !hash.is_empty());
    hashes
}

/// Returns the hashed UTF-16 units and the index of the first unit of each line.
fn units(text: &str) -> (Vec<u16>, Vec<usize>) {
    let (mut units, mut starts) = (Vec::with_capacity(text.len()), vec![0]);
    let mut before = 0;
    for unit in text.encode_utf16() {
        let follows_return = std::mem::replace(&mut before, unit) == u16::from(b'\r');
        match u8::try_from(unit) {
            Ok(b' ' | b'\t') => {}
            Ok(b'\n') if follows_return => {}
            Ok(b'\n' | b'\r') => {
                units.push(u16::from(b'\n'));
                starts.push(units.len());
            }
            _ => units.push(unit),
        }
    }
    units.push(u16::MAX);
    (units, starts)
}

#[cfg(test)]
mod tests {
    use super::line_hashes;

    /// Texts and hashes of the tests of the action.
    #[test]
    fn hashes_match_those_of_the_upload_action() {
        let hashes = |text: &str| line_hashes(text, 1..100).into_values().collect::<Vec<_>>();
        assert_eq!(hashes(""), ["c129715d7a2bc9a3:1"]);
        let four = ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"];
        assert_eq!(hashes(" a\nb\n  \t\tc\n d"), four);
        let seven = [
            "e9496ae3ebfced30:1",
            "fb7c023a8b9ccb3f:1",
            "ce8ba1a563dcdaca:1",
            "e20e36e16fcb0cc8:1",
            "b3edc88f2938467e:1",
            "c8e28b0b4002a3a0:1",
            "c129715d7a2bc9a3:1",
        ];
        for end in ["\n", "\r", "\r\n"] {
            let text = " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n".replace('\n', end);
            assert_eq!(hashes(&text), seven, "{end:?}");
        }
    }

    #[test]
    fn equal_lines_are_numbered() {
        let text = "x\n".repeat(200);
        let hashes = line_hashes(&text, [1, 2, 140]);
        assert_eq!(hashes[&1].split_once(':').unwrap().0, hashes[&2].split_once(':').unwrap().0);
        assert!(hashes[&1].ends_with(":1") && hashes[&2].ends_with(":2") && hashes[&140].ends_with(":140"));
    }
}
