//! `ports` of a target: `keep`, `auto`, or numbers by name, number or role.

use std::fmt;

use schemars::json_schema;
use serde::de::{self, MapAccess, Unexpected, Visitor};

use super::written_forms::written_forms;

/// A port number, 1 to 65535.
pub type Port = std::num::NonZeroU16;

/// The new numbers of the listeners of a target.
///
/// ```yaml
/// ports: keep
/// ports: auto
/// ports: {webhook: 20443, manager/health: auto, 8080: keep}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ports {
    /// Every listener keeps its number.
    #[default]
    Keep,
    /// Every movable listener gets a number of the pool.
    Auto,
    /// Numbers by key, in written order. Listeners without a key keep their numbers.
    Map(Vec<(String, PortChoice)>),
}

/// The value of one key of [`Ports::Map`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortChoice {
    /// The listener keeps its number.
    Keep,
    /// The listener gets a number of the pool.
    Auto,
    /// The listener moves to this number.
    Number(Port),
}

const KEEP: &str = "keep";
const AUTO: &str = "auto";
const PORT_EXPECTED: &str = "a port from 1 to 65535, `auto` or `keep`";

struct PortsVisitor;

impl<'de> Visitor<'de> for PortsVisitor {
    type Value = Ports;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "`auto`, `keep`, or a mapping from port name, number or role to a port from 1 to 65535, `auto` or `keep`",
        )
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Ports, E> {
        match text {
            KEEP => Ok(Ports::Keep),
            AUTO => Ok(Ports::Auto),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ports, A::Error> {
        let mut ports: Vec<(String, PortChoice)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if ports.iter().any(|(known, _)| *known == key) {
                return Err(de::Error::custom(format!("port key `{key}` is given twice")));
            }
            ports.push((key, map.next_value()?));
        }
        Ok(Ports::Map(ports))
    }
}

struct ChoiceVisitor;

impl Visitor<'_> for ChoiceVisitor {
    type Value = PortChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PORT_EXPECTED)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<PortChoice, E> {
        u16::try_from(number)
            .ok()
            .and_then(Port::new)
            .map(PortChoice::Number)
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<PortChoice, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<PortChoice, E> {
        match text {
            KEEP => Ok(PortChoice::Keep),
            AUTO => Ok(PortChoice::Auto),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

written_forms!(Ports, PortsVisitor, |generator| {
    let choice = generator.subschema_for::<PortChoice>();
    json_schema!({
        "description": "`keep` (default), `auto`, or a mapping. A key is PORT, CONTAINER/PORT or TEMPLATE/CONTAINER/PORT, where PORT is a declared \
            port name, else a number, else a role (webhook, metrics, health, grpc, pprof ...).",
        "oneOf": [
            {"enum": [AUTO, KEEP]},
            {"type": "object", "additionalProperties": choice},
        ],
    })
});

written_forms!(PortChoice, ChoiceVisitor, |_| {
    json_schema!({
        "description": PORT_EXPECTED,
        "oneOf": [
            {"enum": [AUTO, KEEP]},
            {"type": "integer", "minimum": 1, "maximum": 65535},
        ],
    })
});
