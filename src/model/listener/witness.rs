//! Witnesses: what shows that a process listens on a number, and how much each is worth.

use std::fmt;

use crate::model::setting::PortSetting;

/// How much a witness is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Alone it shows nothing: what only guesses speak for is left alone.
    Guess,
    /// It shows a listener.
    Strong,
    /// It shows a listener, and nothing speaks against it.
    Certain,
}

/// What shows that a process listens on a number. In the order in which they are named to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness {
    /// `bind` of the config.
    Bind,
    /// A row of the catalogue, or of `programs` in the config, that fits program and version.
    Catalogue,
    /// A config file that the catalogue knows.
    ConfigFile,
    /// A declared container port.
    Declared,
    /// A listen name with a host that stands for all addresses of the pod.
    AnyAddress,
    /// A flag or variable of a scaffold, of which many programs are made.
    Scaffold,
    /// A probe or a lifecycle hook.
    Probe,
    /// A Service that leads to the pods has the number as its target port.
    Service,
    /// An annotation that has the port scraped or probed.
    Annotation,
    /// A monitor of Prometheus.
    Monitor,
    /// A listen name with a number alone or a loopback address.
    Named,
}

impl Witness {
    /// All witnesses, in their order.
    pub const ALL: [Self; 11] = [
        Self::Bind,
        Self::Catalogue,
        Self::ConfigFile,
        Self::Declared,
        Self::AnyAddress,
        Self::Scaffold,
        Self::Probe,
        Self::Service,
        Self::Annotation,
        Self::Monitor,
        Self::Named,
    ];

    /// How much it is worth.
    #[must_use]
    pub fn weight(self) -> Weight {
        match self {
            Self::Bind | Self::Catalogue | Self::ConfigFile | Self::Declared => Weight::Certain,
            Self::AnyAddress | Self::Scaffold | Self::Probe | Self::Service | Self::Annotation | Self::Monitor => {
                Weight::Strong
            }
            Self::Named => Weight::Guess,
        }
    }

    /// What tables call it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Catalogue => "catalogue",
            Self::ConfigFile => "config file",
            Self::Declared => "declared",
            Self::AnyAddress => "any-address",
            Self::Scaffold => "scaffold",
            Self::Probe => "probe",
            Self::Service => "Service",
            Self::Annotation => "annotation",
            Self::Monitor => "monitor",
            Self::Named => "guess",
        }
    }
}

/// A set of witnesses: small, since a large input has very many listeners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Witnesses(u16);

impl Witnesses {
    /// Adds one.
    pub fn add(&mut self, witness: Witness) {
        self.0 |= 1 << witness as u16;
    }

    /// Adds all of another set.
    pub fn add_all(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// The set with one more.
    #[must_use]
    pub fn with(mut self, witness: Witness) -> Self {
        self.add(witness);
        self
    }

    /// The set without one.
    #[must_use]
    pub fn without(self, witness: Witness) -> Self {
        Self(self.0 & !(1 << witness as u16))
    }

    /// Whether one is in it.
    #[must_use]
    pub fn has(self, witness: Witness) -> bool {
        self.0 & (1 << witness as u16) != 0
    }

    /// Those in it, in their order.
    pub fn iter(self) -> impl Iterator<Item = Witness> {
        Witness::ALL.into_iter().filter(move |witness| self.has(*witness))
    }

    /// How many are in it.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether none is in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Witnesses {
    /// `declared, probe`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Witness::as_str).collect();
        f.write_str(&names.join(", "))
    }
}

/// A number that may be a listener's, for which only its flag's or variable's name speaks: it is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// The container, by its position in the template's.
    pub container: usize,
    /// The flag or variable, and its number.
    pub setting: PortSetting,
    /// The name that the port would get.
    pub label: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_added() {
        let set = Witnesses::default().with(Witness::Probe).with(Witness::Declared).with(Witness::Probe);
        assert_eq!((set.to_string().as_str(), set.len()), ("declared, probe", 2));
        assert!(set.has(Witness::Probe) && !set.has(Witness::Bind) && !set.is_empty());
        for witness in Witness::ALL {
            assert_eq!(Witnesses::default().with(witness).iter().collect::<Vec<_>>(), [witness]);
        }
    }
}
