//! Ranges of port numbers: `20000-29999`, or one number.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;
use serde::de::{self, Unexpected, Visitor};

use super::ports::Port;
use super::written_forms::written_forms;

/// Port numbers from a first to a last number, both included.
///
/// ```
/// use hostnet::api::PortRange;
/// let pool: PortRange = "20000-29999".parse().unwrap();
/// assert!(pool.contains(29999) && !pool.contains(30000));
/// assert_eq!(pool.len(), 10_000);
/// assert!("9-1".parse::<PortRange>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    first: Port,
    last: Port,
}

impl PortRange {
    /// The default pool of `ports: auto`: above popular default ports and below node ports of Services and the
    /// ephemeral client ports (the kernel's `ip_local_port_range`).
    pub const POOL: Self = Self::new(20_000, 29_999);

    const fn new(first: u16, last: u16) -> Self {
        match (Port::new(first), Port::new(last)) {
            (Some(first), Some(last)) => Self { first, last },
            _ => Self { first: Port::MIN, last: Port::MAX },
        }
    }

    /// True if the range contains the number.
    pub fn contains(self, port: u16) -> bool {
        (self.first.get()..=self.last.get()).contains(&port)
    }

    /// The first number.
    pub fn first(self) -> u16 {
        self.first.get()
    }

    /// The last number.
    pub fn last(self) -> u16 {
        self.last.get()
    }

    /// The number of ports; never 0.
    #[expect(clippy::len_without_is_empty, reason = "a range has at least one number")]
    pub fn len(self) -> u32 {
        u32::from(self.last.get() - self.first.get()) + 1
    }

    /// The number at a position, counted from 0, wrapping around at the end.
    pub fn nth(self, position: u32) -> u16 {
        let offset = u16::try_from(position % self.len()).unwrap_or_default();
        self.first.get().saturating_add(offset)
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.last == self.first { Ok(()) } else { write!(f, "-{}", self.last) }
    }
}

/// The error for an invalid port range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a range of ports: expected FIRST-LAST, such as 20000-29999, or one number, from 1 to 65535")]
pub struct NoRange(String);

impl FromStr for PortRange {
    type Err = NoRange;

    fn from_str(text: &str) -> Result<Self, NoRange> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let port = |text: &str| text.trim().parse::<Port>().map_err(|_| NoRange(text.to_owned()));
        let range = Self {
            first: port(first).map_err(|_| NoRange(text.to_owned()))?,
            last: port(last).map_err(|_| NoRange(text.to_owned()))?,
        };
        if range.first <= range.last { Ok(range) } else { Err(NoRange(text.to_owned())) }
    }
}

struct RangeVisitor;

impl Visitor<'_> for RangeVisitor {
    type Value = PortRange;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a range of ports, such as 20000-29999, or one port")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<PortRange, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<PortRange, E> {
        let port = u16::try_from(number).ok().filter(|port| *port > 0);
        port.map(|port| PortRange::new(port, port)).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<PortRange, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

written_forms!(PortRange, RangeVisitor, |_| {
    json_schema!({
        "description": "Ports from a first to a last one, such as 20000-29999, or one port.",
        "oneOf": [
            {"type": "string", "pattern": "^[0-9]{1,5}(-[0-9]{1,5})?$"},
            {"type": "integer", "minimum": 1, "maximum": 65535},
        ],
    })
});
