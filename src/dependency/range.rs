//! Parses versions and version ranges like Masterminds/semver, with which Crossplane compares dependencies. The
//! library accepts more than Semantic Versioning (`v1`, `1.x`), and differs from Rust's crates.

use std::cmp::Ordering;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A release of Masterminds/semver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Library {
    /// v1.5.0.
    Old,
    /// v3.4.0.
    #[default]
    New,
}

/// A version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    /// Major, minor, patch.
    numbers: [u64; 3],
    /// The pre-release part after `-`; may be empty.
    pre: String,
    /// True if the text has all three numbers in canonical form.
    is_whole: bool,
}

/// A constraint: an operator, and a version with possible wildcards.
#[derive(Debug)]
struct Constraint {
    operator: String,
    version: Version,
    /// The position of the first wildcard; 3 without wildcard.
    open: usize,
}

/// A version with wildcards. Source: Masterminds/semver@v3.4.0 and @v1.5.0 `constraints.go`, `cvRegex`.
const OPEN: &str = r"v?([0-9|xX*]+)(\.[0-9|xX*]+)?(\.[0-9|xX*]+)?(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?";

/// The operators, in the library's order; the same for both releases.
const OPERATORS: &str = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^";

/// The compiled patterns of the library; `None` for an invalid pattern, which a test excludes.
struct Forms {
    version: Regex,
    one: Regex,
    find: Regex,
    all: Regex,
    hyphen: Regex,
}

static FORMS: LazyLock<Option<Forms>> = LazyLock::new(|| {
    let version = r"^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?$";
    let all = format!(r"^(\s*({OPERATORS})\s*({OPEN})\s*)((?:\s+|,\s*)({OPERATORS})\s*({OPEN})\s*)*$");
    Some(Forms {
        version: Regex::new(version).ok()?,
        one: Regex::new(&format!(r"^\s*({OPERATORS})\s*({OPEN})\s*$")).ok()?,
        find: Regex::new(&format!(r"({OPERATORS})\s*({OPEN})")).ok()?,
        all: Regex::new(&all).ok()?,
        hyphen: Regex::new(&format!(r"\s*({OPEN})\s+-\s+({OPEN})\s*")).ok()?,
    })
});

/// True if a version is in a range as Crossplane packages write them (`>=v1.2.0, <v2.0.0 || v3.x`); `None` if one of
/// them is invalid.
///
/// ```
/// use hostnet::dependency::{Library, in_range};
/// let has = |range, version| in_range(range, version, Library::New);
/// assert_eq!((has(">=v2.0.0", "v2.3.4"), has("v1.2.0", "v1.3.0"), has("two", "v1.0.0")), (Some(true), Some(false), None));
/// ```
pub fn in_range(range: &str, version: &str, library: Library) -> Option<bool> {
    let version = read(version, library)?;
    let alternatives = alternatives(range, library).ok()?;
    Some(alternatives.iter().any(|all| {
        let has_pre = all.iter().any(|one| !one.version.pre.is_empty());
        all.iter().all(|one| match library {
            Library::Old => one.holds_in_old(&version),
            Library::New => (version.pre.is_empty() || has_pre) && one.holds(&version),
        })
    }))
}

/// The library's error for an invalid range; `None` for a valid range. The old release separates constraints by commas
/// only, the new one also by blanks.
///
/// ```
/// use hostnet::dependency::{Library, range_error};
/// let error = |library| range_error(">=v1.20.0 <v2.0.0", library);
/// assert_eq!(error(Library::Old).as_deref(), Some("improper constraint: >=v1.20.0 <v2.0.0"));
/// assert_eq!(error(Library::New), None);
/// ```
pub fn range_error(range: &str, library: Library) -> Option<String> {
    alternatives(range, library).err()
}

/// Versions at which a range may begin or end, as major, minor and patch numbers; unsorted, empty for an invalid range.
///
/// ```
/// use hostnet::dependency::{Library, boundaries};
/// let found = boundaries(">=v1.17.1, <v2.0.0", Library::Old);
/// assert!(found.contains(&[1, 17, 1]) && found.contains(&[2, 0, 0]));
/// ```
pub fn boundaries(range: &str, library: Library) -> Vec<[u64; 3]> {
    let all = alternatives(range, library).unwrap_or_default();
    let around = |one: &Constraint| {
        let [major, minor, patch] = one.version.numbers;
        let (next_major, next_minor) = (major.saturating_add(1), minor.saturating_add(1));
        let next_patch = patch.saturating_add(1);
        [[major, minor, patch], [major, minor, next_patch], [major, next_minor, 0], [major, 0, 0], [next_major, 0, 0]]
    };
    all.iter().flatten().flat_map(around).collect()
}

/// The newest version in a range that Crossplane would select itself; `None` if no version matches or the range is
/// invalid.
///
/// Source: crossplane/crossplane@v1.20.11 and @v2.3.4 `internal/controller/pkg/resolver/reconciler.go`,
/// `findDependencyVersionToInstall`.
pub fn newest<'t>(range: &str, tags: impl Iterator<Item = &'t str>, library: Library) -> Option<&'t str> {
    let known = tags.filter_map(|tag| Some((tag, read(tag, library)?)));
    let whole = known.filter(|(_, version)| version.is_whole || library == Library::Old);
    let in_range = whole.filter(|(tag, _)| in_range(range, tag, library) == Some(true));
    in_range.max_by(|(_, one), (_, other)| one.compare(other)).map(|(tag, _)| tag)
}

fn read(text: &str, library: Library) -> Option<Version> {
    let found = FORMS.as_ref()?.version.captures(text)?;
    let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
    let number = |at: usize| {
        let digits = part(at).trim_start_matches('.');
        if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() }
    };
    let numbers = [number(1)?, number(2)?, number(3)?];
    let pre = part(5).to_owned();
    let has_zero = |identifier: &str| {
        identifier.len() > 1 && identifier.starts_with('0') && identifier.bytes().all(|byte| byte.is_ascii_digit())
    };
    if library == Library::New && pre.split('.').any(has_zero) {
        return None;
    }
    let [major, minor, patch] = numbers;
    let whole = format!("{major}.{minor}.{patch}{}{}", part(4), part(7));
    Some(Version { numbers, pre, is_whole: text.strip_prefix('v').unwrap_or(text) == whole })
}

/// The constraints of a range, grouped by the alternatives around `||`; errors are the library's.
fn alternatives(range: &str, library: Library) -> Result<Vec<Vec<Constraint>>, String> {
    let improper = |part: &str| format!("improper constraint: {part}");
    let forms = FORMS.as_ref().ok_or_else(|| improper(range))?;
    let end = if library == Library::New { " " } else { "" };
    let mut text = range.to_owned();
    for found in forms.hyphen.captures_iter(range) {
        let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
        text = text.replacen(part(0), &format!(">= {}, <= {}{end}", part(1), part(11)), 1);
    }
    // The library reports this for numbers such as `x3`, which match the pattern.
    let unread = if library == Library::New { "constraint parser error" } else { "constraint Parser Error" };
    let one = |text: &str| {
        let found = forms.one.captures(text).ok_or_else(|| improper(text))?;
        constraint(&found, library).ok_or_else(|| unread.to_owned())
    };
    let constraints = |part: &str| -> Result<Vec<Constraint>, String> {
        match library {
            Library::Old => part.split(',').map(one).collect(),
            Library::New if !forms.all.is_match(part) => Err(improper(part)),
            Library::New => forms.find.find_iter(part).map(|found| one(found.as_str())).collect(),
        }
    };
    text.split("||").map(constraints).collect()
}

/// Parses a constraint of a range.
fn constraint(found: &Captures<'_>, library: Library) -> Option<Constraint> {
    let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
    let is_open = |at: usize| matches!(part(at).trim_start_matches('.'), "x" | "X" | "*");
    let (major, minor, patch, pre) = (part(3), part(4), part(5), part(6));
    let (open, version) = if is_open(3) {
        (0, if library == Library::New { format!("0.0.0{pre}") } else { "0.0.0".to_owned() })
    } else if is_open(4) || minor.is_empty() {
        (1, format!("{major}.0.0{pre}"))
    } else if is_open(5) || patch.is_empty() && library == Library::New {
        (2, format!("{major}{minor}.0{pre}"))
    } else {
        (3, part(2).to_owned())
    };
    Some(Constraint { operator: part(1).to_owned(), version: read(&version, library)?, open })
}

impl Version {
    /// Compares versions, as the library does.
    fn compare(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_pre(&self.pre, &other.pre),
        })
    }
}

/// Compares pre-release parts from left to right: numbers by value and before texts, fewer parts before more.
fn compare_pre(own: &str, other: &str) -> Ordering {
    let (mut own, mut other) = (own.split('.'), other.split('.'));
    loop {
        let (own, other) = match (own.next(), other.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(own), Some(other)) => (own, other),
        };
        let order = match (own.parse::<u64>(), other.parse::<u64>()) {
            _ if own == other => Ordering::Equal,
            // Different spellings of one number compare as `Less`, in either order of the operands.
            (Ok(own), Ok(other)) => own.cmp(&other).then(Ordering::Less),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => own.cmp(other),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl Constraint {
    /// True if a version satisfies the constraint; pre-releases only if the constraint includes pre-releases.
    fn holds(&self, version: &Version) -> bool {
        let (order, [major, minor, patch]) = (version.compare(&self.version), version.numbers);
        let [own_major, own_minor, own_patch] = self.version.numbers;
        match self.operator.as_str() {
            "!=" => self.differs(version),
            ">" => match self.open {
                3 => order == Ordering::Greater,
                _ if major != own_major => major > own_major,
                1 => false,
                2 => minor > own_minor,
                _ => order == Ordering::Greater,
            },
            "<" => order == Ordering::Less,
            ">=" | "=>" => order != Ordering::Less,
            "<=" | "=<" => {
                if self.open == 3 {
                    return order != Ordering::Greater;
                }
                major < own_major || major == own_major && (self.open == 1 || minor <= own_minor)
            }
            "~" | "~>" => self.matches_tilde(version),
            "^" => {
                if order == Ordering::Less {
                    false
                } else if own_major > 0 || self.open == 1 {
                    major == own_major
                } else if major > 0 {
                    false
                } else if own_minor > 0 || self.open == 2 {
                    minor == own_minor
                } else {
                    minor == 0 && patch == own_patch
                }
            }
            _ if self.open < 3 => self.matches_tilde(version),
            _ => order == Ordering::Equal,
        }
    }

    /// `~`: equal major and minor numbers, up to the first wildcard.
    fn matches_tilde(&self, version: &Version) -> bool {
        let ([major, minor, _], [own_major, own_minor, _]) = (version.numbers, self.version.numbers);
        let is_any = self.version.numbers == [0; 3] && !matches!(self.open, 1 | 2);
        version.compare(&self.version) != Ordering::Less
            && (is_any || major == own_major && (self.open == 1 || minor == own_minor))
    }

    /// `!=`
    fn differs(&self, version: &Version) -> bool {
        let ([major, minor, patch], [own_major, own_minor, own_patch]) = (version.numbers, self.version.numbers);
        if self.open < 3 {
            if own_major != major || own_minor != minor && self.open != 1 {
                return true;
            }
            if self.open == 1 {
                return false;
            }
            if own_patch != patch && self.open != 2 {
                return true;
            }
            if self.open == 2 {
                return compare_pre(&version.pre, &self.version.pre) != Ordering::Equal;
            }
        }
        version.compare(&self.version) != Ordering::Equal
    }

    /// Like `holds`, for the old release: pre-releases satisfy only constraints that have a pre-release, and `!=`
    /// without wildcards; fewer operators support wildcards.
    fn holds_in_old(&self, version: &Version) -> bool {
        let order = version.compare(&self.version);
        let ([major, minor, _], [own_major, own_minor, _]) = (version.numbers, self.version.numbers);
        let is_before = !version.pre.is_empty() && self.version.pre.is_empty();
        let is_below = || major <= own_major && (minor <= own_minor || self.open == 1);
        match self.operator.as_str() {
            "!=" if self.open == 3 => order != Ordering::Equal,
            _ if is_before => false,
            "!=" => own_major != major || own_minor != minor && self.open != 1,
            ">" => order == Ordering::Greater,
            "<" if self.open < 3 => is_below(),
            "<" => order == Ordering::Less,
            ">=" | "=>" => order != Ordering::Less,
            "<=" | "=<" if self.open < 3 => is_below(),
            "<=" | "=<" => order != Ordering::Greater,
            "~" | "~>" => self.matches_tilde(version),
            "^" => order != Ordering::Less && major == own_major,
            _ if self.open < 3 => self.matches_tilde(version),
            _ => order == Ordering::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        assert!(FORMS.is_some());
    }

    /// Common mistakes in ranges, in both releases.
    #[test]
    fn range_libraries_of_the_releases_differ() {
        for (range, version, old, new) in [
            (">=v1.0.0, <v2.0.0", "v1.9.9", Some(true), Some(true)),
            (">=v1.0.0 <v2.0.0", "v1.9.9", None, Some(true)),
            ("<2", "v2.5.0", Some(true), Some(false)),
            (">1", "v1.5.0", Some(true), Some(false)),
            ("^0.2.3", "v0.3.0", Some(true), Some(false)),
            (">=v1.0.0-0, <v2.0.0", "v1.5.0-rc.1", Some(false), Some(true)),
            ("v1.2", "v1.2.3", Some(false), Some(true)),
            ("1.0.0 - 2.0.0", "v1.5.0", Some(true), Some(true)),
            ("", "v1.0.0", None, None),
            (">=v1", "v1", Some(true), Some(true)),
            (">=v1.0.0", "latest", None, None),
        ] {
            let both = [Library::Old, Library::New].map(|library| in_range(range, version, library));
            assert_eq!(both, [old, new], "{range} {version}");
        }
        let tags = ["v1", "v1.0.0", "v1.10.0", "v1.9.0", "v2", "latest"];
        let newest = |range, library| newest(range, tags.into_iter(), library);
        assert_eq!(newest(">=v1.0.0", Library::New), Some("v1.10.0"), "a tag that moves does not count");
        assert_eq!((newest(">=v1.0.0", Library::Old), newest("<v1", Library::New)), (Some("v2"), None));
    }
}
