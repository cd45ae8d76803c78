//! Resolves the listener that a text refers to, if several listeners have the same port number.

use std::borrow::Cow;

use crate::model::listener::Listener;
use crate::model::pod::TCP;

/// Listener to which a text refers, if several listeners of a pod have the port number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) enum ListenerMatch {
    /// The reference is to this listener.
    Own,
    /// Listener of another protocol.
    Another,
    /// Unknown: this listener, or listeners with these protocols.
    Either(Vec<Cow<'static, str>>),
}

/// Protocol of a listener, and protocols of other listeners in the pod with the same port number.
#[derive(Debug)]
pub(in crate::model) struct Transports<'l> {
    own: &'l str,
    others: Vec<Cow<'static, str>>,
}

impl<'l> Transports<'l> {
    /// Protocols of a listener; `twins` are all listeners of the pod with the same port number.
    pub(in crate::model) fn new<'t>(twins: impl Iterator<Item = &'t Listener>, listener: &'l Listener) -> Self {
        let mut others: Vec<_> =
            twins.map(|other| other.protocol.clone()).filter(|other| *other != listener.protocol).collect();
        others.sort_unstable();
        others.dedup();
        Self { own: &listener.protocol, others }
    }

    /// TCP port whose number no other listener of the pod has.
    pub(in crate::model) fn tcp() -> Transports<'static> {
        Transports { own: "TCP", others: Vec::new() }
    }

    /// Decides to which listener a text refers; `transport` returns the protocol of the text, if
    /// known. A declared port without a protocol is TCP, whatever the process uses. So a text with
    /// another protocol still refers to the port if no other listener has the number.
    pub(in crate::model) fn listener_of(&self, transport: impl FnOnce() -> Option<&'static str>) -> ListenerMatch {
        if self.own == TCP && self.others.is_empty() {
            return ListenerMatch::Own;
        }
        match transport() {
            Some(transport) if transport == self.own => ListenerMatch::Own,
            Some(transport) if self.own != TCP || self.others.iter().any(|other| other == transport) => {
                ListenerMatch::Another
            }
            _ if self.others.is_empty() => ListenerMatch::Own,
            _ => ListenerMatch::Either(self.others.clone()),
        }
    }
}
