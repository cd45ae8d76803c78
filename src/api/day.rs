//! Calendar days, on which suppressions expire.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::Date;

/// A calendar day; ordered by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(Date);

impl Day {
    /// Parses `2027-03-31`; `None` if it is not a calendar day.
    ///
    /// ```
    /// use hostnet::api::Day;
    /// assert!(Day::read("2027-03-31") > Day::read("2026-12-31"));
    /// assert_eq!(Day::read("2027-02-29"), None);
    /// assert_eq!(Day::read("20270331T1"), None);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        // The parser reads other notations, too.
        let is_hyphen = |at| matches!(at, 4 | 7);
        let mut bytes = text.bytes().enumerate();
        let is_day = bytes.all(|(at, byte)| if is_hyphen(at) { byte == b'-' } else { byte.is_ascii_digit() });
        Some(Self(text.parse().ok().filter(|_| is_day && text.len() == 10)?))
    }

    /// The day this many days after 1970-01-01.
    ///
    /// ```
    /// use hostnet::api::Day;
    /// assert_eq!(Some(Day::after_1970(0)), Day::read("1970-01-01"));
    /// assert_eq!(Some(Day::after_1970(20_513)), Day::read("2026-03-01"));
    /// ```
    pub fn after_1970(days: u64) -> Self {
        Self(Date::constant(1970, 1, 1).saturating_add(Duration::from_secs(days.saturating_mul(86_400))))
    }

    /// The current day in UTC.
    pub fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::after_1970(since.as_secs() / 86_400)
    }
}
