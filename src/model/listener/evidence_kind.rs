//! Kinds of evidence that a process listens on a number, and the weight of each.

use std::fmt;

use crate::model::setting::PortSetting;
use crate::model::text::transport;
use crate::word_enum::word_enum;

/// Strength of a kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Insufficient evidence: a port number without stronger evidence is not changed.
    Guess,
    /// Shows a listener, unless the text is rejected.
    Strong,
    /// Always shows a listener.
    Certain,
}

word_enum! {
    /// Evidence that a process listens on a port number, in the order of messages.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum EvidenceKind {
        /// `bind` of the config.
        Bind = "bind",
        /// Row of the catalogue, or of `programs` in the config, that matches program and version.
        Catalogue = "catalogue",
        /// Config file that the catalogue knows.
        ConfigFile = "config file",
        /// Declared container port.
        Declared = "declared",
        /// Setting whose name is typical for a listen address and whose value is an address of all interfaces:
        /// `--listen=0.0.0.0:8080`.
        AnyAddress = "any-address",
        /// Flag or variable of a scaffold, which is the template of many programs.
        Scaffold = "scaffold",
        /// Probe or lifecycle hook.
        Probe = "probe",
        /// `targetPort` with the port number, in a Service that selects the pods.
        Service = "Service",
        /// Annotation of the pods or of their Service with a port to scrape or probe.
        Annotation = "annotation",
        /// Prometheus monitor such as a `ServiceMonitor`.
        Monitor = "monitor",
        /// Setting with the name of a listen address, and a bare number or a loopback address: `PORT=8080`.
        Named = "guess",
    }
}

impl EvidenceKind {
    /// Weight of this kind of evidence.
    pub fn weight(self) -> Weight {
        match self {
            Self::Bind | Self::Catalogue | Self::ConfigFile | Self::Declared => Weight::Certain,
            Self::AnyAddress | Self::Scaffold | Self::Probe | Self::Service | Self::Annotation | Self::Monitor => {
                Weight::Strong
            }
            Self::Named => Weight::Guess,
        }
    }
}

/// Set of kinds of evidence. Small, because a large input has very many listeners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EvidenceKinds(u16);

impl EvidenceKinds {
    /// Adds a kind of evidence.
    pub fn add(&mut self, evidence_kind: EvidenceKind) {
        self.0 |= 1 << evidence_kind as u16;
    }

    /// Adds all kinds of another set.
    pub fn add_all(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns the set without a kind.
    pub fn without(self, evidence_kind: EvidenceKind) -> Self {
        Self(self.0 & !(1 << evidence_kind as u16))
    }

    /// True if the set contains a kind.
    pub fn has(self, evidence_kind: EvidenceKind) -> bool {
        self.0 & (1 << evidence_kind as u16) != 0
    }

    /// Iterates over the kinds in order.
    pub fn iter(self) -> impl Iterator<Item = EvidenceKind> {
        EvidenceKind::ALL.iter().copied().filter(move |evidence_kind| self.has(*evidence_kind))
    }

    /// Number of kinds.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// True for an empty set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for EvidenceKinds {
    /// Comma-separated names, such as `declared, probe`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(EvidenceKind::as_str).collect();
        f.write_str(&names.join(", "))
    }
}

/// Number that may belong to a listener, shown only by the name of its flag or variable. It is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// Position of the container in the pod template.
    pub container: usize,
    /// Flag or variable with the port number.
    pub setting: PortSetting,
}

impl Guess {
    /// Protocol in the value or in the name of the setting, else TCP.
    pub fn protocol(&self) -> &'static str {
        let place = &self.setting.place;
        transport::of_text(&place.text, &place.range)
            .or_else(|| transport::of_name(&self.setting.name))
            .unwrap_or("TCP")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_added_values() {
        let mut set = EvidenceKinds::default();
        for kind in [EvidenceKind::Probe, EvidenceKind::Declared, EvidenceKind::Probe] {
            set.add(kind);
        }
        assert_eq!((set.to_string().as_str(), set.len()), ("declared, probe", 2));
        assert!(set.has(EvidenceKind::Probe) && !set.has(EvidenceKind::Bind) && !set.is_empty());
        for evidence_kind in EvidenceKind::ALL {
            let mut set = EvidenceKinds::default();
            set.add(*evidence_kind);
            assert_eq!(set.iter().collect::<Vec<_>>(), [*evidence_kind]);
        }
    }
}
