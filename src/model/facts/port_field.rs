//! Port fields: values outside of pod templates that are ports of pods.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::naming::NamingContext;
use crate::model::pod::{Scalar, TCP};
use crate::model::text::{listen_value, may_become_port, port};
use lossless_yaml::{NodeRef, Path, is_string};

/// Value of an object that is a port of the pods that the object applies to.
#[derive(Debug, Clone)]
pub struct PortField {
    /// Path of the value in the object.
    pub path: Path,
    /// Whole value, as written.
    pub value: Scalar,
    /// Byte range of the number in the value; in an address it is only a part of the value.
    pub range: Range<usize>,
    /// Number, name or placeholder of the port.
    pub port: FieldPort,
    /// `TCP`, `UDP` or `SCTP`; `None` for any protocol.
    pub protocol: Option<Cow<'static, str>>,
    /// Pods that the field applies to.
    pub applies_to: Arc<AppliesTo>,
    /// Effect on the field when a listener of these pods moves.
    pub effect: Effect,
}

/// Port that a field refers to: a number, a name or a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPort {
    /// A number, or a range of them that a policy opens.
    Numbers(RangeInclusive<u16>),
    /// Name of a declared port. Only target ports of Services are read by name; other named references need no edit.
    Named,
    /// Placeholder of any tool, such as `${PORT}`.
    Later,
    /// Text that only some parsers read as a number (`0x1F90`).
    Unreadable,
}

/// Effect on a port field when a listener with this number moves.
#[derive(Debug, Clone)]
pub enum Effect {
    /// The field gets the new number, if all workloads that `Count` selects move to it.
    Follows(Count),
    /// The field is in a rule of a policy that opens the port; the rule also opens the new number.
    Opens(Arc<PolicyRule>),
    /// The field is in a rule of a policy that may be for other pods; it is only reported.
    MayOpen(Arc<PolicyRule>),
    /// The field is a target port of a Service; the index is the position of the port in `spec.ports`.
    Target(usize),
    /// The field is never edited; it is reported with this text.
    Reported(String),
    /// The field is never edited. It is reported with this text, unless its number is a port of the Service that is
    /// named nearest to the field.
    ReportedUnlessOwn(String, NamingContext),
    /// The field blocks the move of the listener, for this reason.
    Blocks(String),
}

/// Ports of one protocol in a rule of a policy.
#[derive(Debug, Clone)]
pub struct PolicyRule {
    /// All numbers that the rule has for the protocol of the field.
    pub open: Vec<RangeInclusive<u16>>,
    /// Number of all ports in the rule, with named ports and other protocols.
    pub count: usize,
    /// True if the rule denies the ports.
    pub denies: bool,
}

impl FieldPort {
    /// Parses a value, with the byte range of its number; `None` for a port name or an empty value.
    pub(crate) fn parse(text: &str) -> Option<(Self, Range<usize>)> {
        let whole = 0..text.len();
        if let Some(number) = port(text) {
            Some((Self::Numbers(number..=number), whole))
        } else if let Some((_, number)) = listen_value(text).filter(|_| text.contains(':')) {
            Some((Self::Numbers(number.port..=number.port), number.range))
        } else if may_become_port(text) {
            Some((Self::Later, whole))
        } else {
            (!text.is_empty() && !is_string(text)).then_some((Self::Unreadable, whole))
        }
    }

    /// True if the port is this number, or a range that contains it.
    pub fn has(&self, number: u16) -> bool {
        matches!(self, Self::Numbers(numbers) if numbers.contains(&number))
    }
}

impl PortField {
    /// Reads a TCP port that follows the listener; `None` for a name or a value that is not a scalar.
    pub(crate) fn read(node: NodeRef<'_, '_>, path: Path, applies_to: &Arc<AppliesTo>) -> Option<Self> {
        let value = Scalar::read(node).filter(|value| !value.is_null())?;
        let (port, range) = FieldPort::parse(&value.text)?;
        let applies_to = Arc::clone(applies_to);
        Some(Self { path, value, range, port, protocol: Some(TCP), applies_to, effect: Effect::Follows(Count::Having) })
    }

    /// Reads a number that is reported with this text and never edited; any protocol if `protocol` is `None`.
    pub(crate) fn report_only(
        path: Path,
        number: u16,
        protocol: Option<Cow<'static, str>>,
        description: String,
        applies_to: &Arc<AppliesTo>,
    ) -> Self {
        let value = Scalar::string(&number.to_string());
        let (range, port) = (0..value.text.len(), FieldPort::Numbers(number..=number));
        let (applies_to, effect) = (Arc::clone(applies_to), Effect::Reported(description));
        Self { path, value, range, port, protocol, applies_to, effect }
    }

    /// Replaces the effect of the field.
    pub(crate) fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// True if the field has this number, for this protocol or for all protocols.
    pub fn names(&self, number: u16, protocol: &str) -> bool {
        self.port.has(number) && self.protocol.as_ref().is_none_or(|field_protocol| field_protocol == protocol)
    }

    /// True if the field is reported but never edited.
    pub fn is_only_reported(&self) -> bool {
        matches!(self.effect, Effect::Reported(_) | Effect::ReportedUnlessOwn(..))
    }

    /// True if the field belongs to a metrics monitor.
    pub(crate) fn is_metrics_monitor_field(&self) -> bool {
        matches!(self.effect, Effect::Follows(Count::Declaring))
    }

    /// True if the number is the whole value.
    pub fn is_whole(&self) -> bool {
        self.range == (0..self.value.text.len())
    }
}

/// Command outside of pod templates that runs in pods.
#[derive(Debug, Clone)]
pub struct PodCommand {
    /// Path of the command list.
    pub path: Path,
    /// Words of the command.
    pub words: Vec<String>,
    /// Pods in which the command runs.
    pub applies_to: Arc<AppliesTo>,
}

/// Port fields and commands of an object that apply to pods of other objects.
#[derive(Debug, Clone, Default)]
pub struct PortFields {
    /// Fields.
    pub fields: Vec<PortField>,
    /// Commands.
    pub commands: Vec<PodCommand>,
}

/// Selects the workloads that must all move to the same number, so that a reference stays correct.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Count {
    /// All workloads, because a probe runs in each pod.
    #[default]
    All,
    /// Workloads that declare the number or listen on it.
    Having,
    /// Workloads that declare the number.
    Declaring,
}
