//! A `HostNetworkCheck` that was read, and what its types alone cannot refuse.

use super::document::Document;
use super::host_network_check::{HostNetworkCheck, Nodes};
use super::read::ConfigError;
use super::suggest::{closest_word, unknown};
use crate::rule;
use crate::yaml::Path;

/// A `HostNetworkCheck` that was read, and where its parts are.
#[derive(Debug, Clone)]
pub struct CheckConfig {
    /// Its content.
    pub check: HostNetworkCheck,
    document: Document,
}

impl CheckConfig {
    pub(super) fn new(check: HostNetworkCheck, document: Document) -> Result<Self, ConfigError> {
        let config = Self { check, document };
        config.validate()?;
        Ok(config)
    }

    /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it.
    #[must_use]
    pub fn place_of(&self, path: &Path) -> String {
        self.document.place_of(path)
    }

    fn validate(&self) -> Result<(), ConfigError> {
        let spec = &self.check.spec;
        for id in spec.rules.keys() {
            self.known_rule(id, &Path::dotted("spec.rules").key(id.clone()))?;
        }
        for (index, suppress) in spec.suppress.iter().enumerate() {
            let path = Path::dotted("spec.suppress").item(index);
            self.known_rule(&suppress.rule, &path.key("rule"))?;
            if !may_be_suppressed(&suppress.rule) {
                let message = format!("`{}` cannot be suppressed: what it is about was not judged", suppress.rule);
                return Err(self.document.error_at(&path.key("rule"), message));
            }
            if suppress.reason.trim().is_empty() {
                let message = "`reason` is missing: say why this is accepted, for whoever reads it next year";
                return Err(self.document.error_at(&path.key("reason"), message));
            }
            if let Some(until) = &suppress.until
                && Day::read(until).is_none()
            {
                let message = format!("`{until}` is not a day; write it as `2027-03-31`");
                return Err(self.document.error_at(&path.key("until"), message));
            }
        }
        let versions = [
            ("kubernetes", &spec.versions.kubernetes),
            ("openkruise", &spec.versions.openkruise),
            ("crossplane", &spec.versions.crossplane),
        ];
        for (key, version) in versions {
            if let Some(version) = version.as_ref().filter(|version| !is_version(version)) {
                let message = format!("`{version}` is not a version; write it as `v1.33` or `v1.8.4`");
                return Err(self.document.error_at(&Path::dotted("spec.versions").key(key), message));
            }
        }
        self.validate_nodes()
    }

    fn validate_nodes(&self) -> Result<(), ConfigError> {
        let path = Path::dotted("spec.nodes");
        let none = "there has to be a node; leave `nodes` out when you do not know how many there are";
        match &self.check.spec.nodes {
            Some(Nodes::Count(0)) => Err(self.document.error_at(&path, none)),
            Some(Nodes::Groups(groups)) if groups.is_empty() => Err(self.document.error_at(&path, none)),
            Some(Nodes::Groups(groups)) => match groups.iter().position(|group| group.count == 0) {
                Some(index) => Err(self.document.error_at(&path.item(index).key("count"), none)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn known_rule(&self, id: &str, path: &Path) -> Result<(), ConfigError> {
        let known: Vec<&str> = rule::checked().map(|rule| rule.id).collect();
        if known.contains(&id) {
            return Ok(());
        }
        let message = match (rule::find(id), closest_word(id, &known)) {
            (Some(_), _) => format!("rule `{id}` is not one of `hostnet check`: known are {}", known.join(", ")),
            (None, Some(near)) => format!("unknown rule `{id}`: did you mean `{near}`? `hostnet explain` lists all"),
            (None, None) => unknown("rule", id, &known),
        };
        Err(self.document.error_at(path, message))
    }
}

impl super::Positions for CheckConfig {
    fn error_at(&self, path: &Path, message: String) -> ConfigError {
        self.document.error_at(path, message)
    }
}

/// Whether findings of a rule may be suppressed: not what says that something was not judged at all.
#[must_use]
pub fn may_be_suppressed(id: &str) -> bool {
    !matches!(id, "document" | "config" | "unused-ignore")
}

/// `v1.33`, `1.8.4`, `v1.9.0-alpha1`.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = numbers.split('.').collect();
    (2..=3).contains(&parts.len()) && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

/// A day of the calendar; days compare as they follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: u32,
    month: u32,
    day: u32,
}

impl Day {
    /// Reads `2027-03-31`; none when it is not a day of the calendar.
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

    /// The day so many days after 1970-01-01.
    ///
    /// ```
    /// use hostnet::api::Day;
    /// assert_eq!(Some(Day::after_1970(0)), Day::read("1970-01-01"));
    /// assert_eq!(Some(Day::after_1970(20_513)), Day::read("2026-03-01"));
    /// ```
    #[must_use]
    pub fn after_1970(days: u64) -> Self {
        // Years are counted from March on, so that the day that some have more is their last one; 400 of them are an era.
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
}
