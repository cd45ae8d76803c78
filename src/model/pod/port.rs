//! Declared ports of a container.

use std::borrow::Cow;

use super::protocol::protocol;
use super::scalar::{Scalar, Typed};
use crate::model::text::{is_template, may_be_filled_in};
use lossless_yaml::NodeRef;

/// A declared port of a container.
#[derive(Debug, Clone)]
pub struct ContainerPort {
    /// Name of the port.
    pub name: Option<String>,
    /// `containerPort` as written; a placeholder such as `${PORT}` or `{{ port }}` is not a number.
    pub container_port: Option<Scalar>,
    /// `hostPort` as written.
    pub host_port: Option<Scalar>,
    /// `hostIP` as written; empty if absent.
    pub host_ip: Box<str>,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Cow<'static, str>,
}

impl ContainerPort {
    /// Port number, if from 1 to 65535.
    pub fn number(&self) -> Option<u16> {
        self.container_port.as_ref().and_then(number)
    }

    /// True if the number may be filled in later, in the form of any tool.
    pub fn is_filled_in_later(&self) -> bool {
        self.number().is_none() && self.container_port.as_ref().is_some_and(|scalar| may_be_filled_in(&scalar.text))
    }

    /// Host port, if from 1 to 65535.
    pub fn host_number(&self) -> Option<u16> {
        self.host_port.as_ref().and_then(number)
    }
}

/// The scalar as a port number.
fn number(scalar: &Scalar) -> Option<u16> {
    match scalar.typed {
        Typed::Int(number) => u16::try_from(number).ok().filter(|number| *number > 0),
        _ => None,
    }
}

/// The text of a template, which is no scalar for YAML.
fn template(node: NodeRef<'_, '_>) -> Option<Scalar> {
    is_template(node).then(|| Scalar { text: node.raw().into(), typed: Typed::Template })
}

pub(in crate::model) fn container_port(node: NodeRef<'_, '_>) -> ContainerPort {
    let scalar = |key: &str| node.get(key).and_then(Scalar::read);
    ContainerPort {
        name: node.get("name").and_then(NodeRef::non_empty_text).map(str::to_owned),
        container_port: scalar("containerPort").or_else(|| template(node.get("containerPort")?)),
        host_port: scalar("hostPort"),
        host_ip: node.get("hostIP").and_then(NodeRef::non_null_text).unwrap_or_default().into(),
        protocol: protocol(node.get("protocol").and_then(NodeRef::non_empty_text)),
    }
}
