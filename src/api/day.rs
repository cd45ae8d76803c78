//! Calendar days, on which suppressions expire.

use std::time::{SystemTime, UNIX_EPOCH};

/// A calendar day; ordered by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: u32,
    month: u32,
    day: u32,
}

impl Day {
    /// Parses `2027-03-31`; `None` if it is not a calendar day.
    ///
    /// ```
    /// use hostnet::api::Day;
    /// assert!(Day::read("2027-03-31") > Day::read("2026-12-31"));
    /// assert_eq!(Day::read("2027-02-29"), None);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut number = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(|b| b.is_ascii_digit()))?;
            part.parse::<u32>().ok()
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u32::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (parts.next().is_none() && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }

    /// The day this many days after 1970-01-01.
    ///
    /// ```
    /// use hostnet::api::Day;
    /// assert_eq!(Some(Day::after_1970(0)), Day::read("1970-01-01"));
    /// assert_eq!(Some(Day::after_1970(20_513)), Day::read("2026-03-01"));
    /// ```
    #[must_use]
    pub fn after_1970(days: u64) -> Self {
        // Years start in March, so that a leap day is the last day of its year; 400 years are one era.
        let days = days + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Self { year: number(year + era * 400 + next), month: number(month), day: number(day) }
    }

    /// The current day in UTC.
    #[must_use]
    pub fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::after_1970(since.as_secs() / 86_400)
    }
}
