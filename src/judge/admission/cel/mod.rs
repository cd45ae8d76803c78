//! Evaluation of CEL conditions on the host fields of pods. Values that depend on most other fields are unknown.

mod expression;

use std::cell::Cell;

use expression::Expression;

use super::answer::Answer;
use super::read::{is_host_text, items, text};
use super::subject::{ContainerPorts, HOST_DNS, KnownLabels, Subject};
use crate::model::Model;
use crate::model::text::Labels;
use lossless_yaml::Value as Field;

/// Maximum number of evaluation steps; the lists of an expression may grow with each variable.
const MAX_STEPS: u32 = 200_000;
/// Maximum depth of variables that refer to other variables.
const MAX_DEPTH: usize = 64;

/// Evaluation context: the evaluated object, and the variables of the policy.
pub(super) struct Context<'c> {
    model: &'c Model,
    subject: Subject<'c, 'c>,
    variables: Vec<(&'c str, Option<Expression>, bool)>,
    spec: Vec<String>,
    left: Cell<u32>,
}

impl<'c> Context<'c> {
    /// Creates a context with the variables of a list of `name` and `expression`.
    pub(super) fn new(model: &'c Model, subject: Subject<'c, 'c>, variables: &'c [Field]) -> Self {
        let variables = variables.iter().filter_map(|variable| {
            let expression = text(variable, &["expression"])?;
            Some((text(variable, &["name"])?, Expression::parse(expression), is_host_text(expression)))
        });
        Self { model, subject, variables: variables.collect(), spec: subject.spec(), left: Cell::new(MAX_STEPS) }
    }

    /// Evaluates an expression.
    pub(super) fn answer(&self, expression: &str) -> Answer {
        let parsed = Expression::parse(expression);
        let names_host = || is_host_text(expression) || self.leads_to_host(expression);
        match parsed {
            None => Answer::unknown(names_host()),
            Some(parsed) => self.value(&parsed, &Bound::None, 0).answer(),
        }
    }

    /// Evaluates a list of conditions with `expression`, which must all be true.
    pub(super) fn all(&self, list: &Field, keys: &[&str]) -> Answer {
        let expressions = items(list, keys).iter().filter_map(|item| text(item, &["expression"]));
        Answer::all(expressions.map(|expression| self.answer(expression)))
    }

    /// True if the text of an expression contains the name of a variable that depends on host fields. Used for
    /// expressions that cannot be parsed.
    fn leads_to_host(&self, expression: &str) -> bool {
        self.variables.iter().any(|(name, _, names_host)| *names_host && expression.contains(name))
    }

    /// Evaluates an expression; unknown after a limit of steps or of nested calls.
    fn value(&self, expression: &Expression, bound: &Bound<'_, 'c>, depth: usize) -> Value<'c> {
        let Some(left) = self.left.get().checked_sub(1).filter(|_| depth < MAX_DEPTH * 8) else {
            return Value::Unknown(true);
        };
        self.left.set(left);
        let value = |expression: &Expression| self.value(expression, bound, depth + 1);
        match expression {
            Expression::Name(name) => bound.get(name).unwrap_or_else(|| Self::name(name)),
            Expression::Text(text) => Value::Text(text.clone()),
            Expression::Number(number) => Value::Number(*number, false),
            Expression::Flag(flag) => Value::Answer(Answer::plain(*flag)),
            Expression::Null => Value::Absent(false),
            Expression::List(elements) => Value::List(elements.iter().map(value).collect()),
            Expression::Field(target, name) => match &**target {
                Expression::Name(own) if own == "variables" && bound.get(own).is_none() => self.variable(name, depth),
                target => self.field(value(target), name),
            },
            Expression::Element(target, index) => match value(index) {
                Value::Text(name) => self.field(value(target), &name),
                index => Value::Unknown(value(target).names_host() || index.names_host()),
            },
            Expression::Not(inner) => Value::Answer(value(inner).answer().not()),
            Expression::Binary("||", one, other) => {
                Value::Answer(Answer::any([one, other].map(|operand| value(operand).answer())))
            }
            Expression::Binary("&&", one, other) => {
                Value::Answer(Answer::all([one, other].map(|operand| value(operand).answer())))
            }
            Expression::Binary("+", one, other) => value(one).plus(value(other)),
            Expression::Binary(operator, one, other) => Value::Answer(value(one).compare(operator, &value(other))),
            Expression::If(condition, yes, no) => {
                let condition = value(condition).answer();
                match condition.value {
                    Some(answer) => value(if answer { yes } else { no }),
                    None => Value::Unknown(condition.names_host() || value(yes).names_host() || value(no).names_host()),
                }
            }
            Expression::Call(None, function, arguments) => match (function.as_str(), arguments.as_slice()) {
                ("has", [argument]) => Value::Answer(value(argument).has_value()),
                ("size", [argument]) => value(argument).size(),
                ("string" | "int" | "dyn" | "bool", [argument]) => value(argument),
                (_, arguments) => Value::Unknown(arguments.iter().any(|argument| value(argument).names_host())),
            },
            Expression::Call(Some(target), function, arguments) => {
                self.call(value(target), function, arguments, bound, depth)
            }
        }
    }

    /// Evaluates a method or macro call.
    fn call(
        &self,
        target: Value<'c>,
        function: &str,
        arguments: &[Expression],
        bound: &Bound<'_, 'c>,
        depth: usize,
    ) -> Value<'c> {
        let value = |expression: &Expression| self.value(expression, bound, depth + 1);
        let of_each = |name: &str, body: &Expression, element: &Value<'c>| {
            let bound = Bound::Name(name.to_owned(), element.clone(), bound);
            self.value(body, &bound, depth + 1).answer()
        };
        match (target, function, arguments) {
            (Value::Absent(_), "orValue", [other]) => value(other),
            (target, "orValue", [_]) => target,
            (target, "hasValue", []) => Value::Answer(target.has_value()),
            (target, "value", []) => target,
            (target, "size", []) => target.size(),
            (Value::List(elements), "all", [Expression::Name(name), body]) => {
                Value::Answer(Answer::all(elements.iter().map(|element| of_each(name, body, element))))
            }
            (Value::List(elements), "exists", [Expression::Name(name), body]) => {
                Value::Answer(Answer::any(elements.iter().map(|element| of_each(name, body, element))))
            }
            (Value::List(elements), "filter", [Expression::Name(name), body]) => {
                let mut kept = Vec::new();
                for element in elements {
                    match of_each(name, body, &element).value {
                        Some(true) => kept.push(element),
                        Some(false) => {}
                        None => return Value::Unknown(true),
                    }
                }
                Value::List(kept)
            }
            (Value::Text(own), "startsWith" | "endsWith" | "contains", [other]) => match (function, value(other)) {
                ("startsWith", Value::Text(other)) => Value::Answer(Answer::plain(own.starts_with(&other))),
                ("endsWith", Value::Text(other)) => Value::Answer(Answer::plain(own.ends_with(&other))),
                (_, Value::Text(other)) => Value::Answer(Answer::plain(own.contains(&other))),
                _ => Value::Unknown(false),
            },
            (target, _, [Expression::Name(name), body]) => {
                let bound = Bound::Name(name.clone(), Value::Unknown(false), bound);
                let body = self.value(body, &bound, depth + 1);
                Value::Unknown(target.names_host() || body.names_host())
            }
            (target, _, arguments) => {
                Value::Unknown(target.names_host() || arguments.iter().any(|argument| value(argument).names_host()))
            }
        }
    }

    /// Value of a global variable of CEL, such as `object`.
    fn name(name: &str) -> Value<'c> {
        match name {
            "object" => Value::Object(0),
            "request" => Value::Request,
            "namespaceObject" => Value::Namespace,
            _ => Value::Unknown(is_host_text(name)),
        }
    }

    /// Value of a variable of the policy (`variables.NAME`).
    fn variable(&self, name: &str, depth: usize) -> Value<'c> {
        // Gatekeeper's name for the object.
        if name == "anyObject" {
            return Value::Object(0);
        }
        match self.variables.iter().find(|(known, ..)| *known == name) {
            Some((_, Some(expression), _)) => self.value(expression, &Bound::None, depth + 8),
            Some((.., names_host)) => Value::Unknown(*names_host),
            None => Value::Unknown(is_host_text(name)),
        }
    }

    /// The value of a field of `object`, of the pod spec, of a container or of another known value.
    fn field(&self, target: Value<'c>, name: &str) -> Value<'c> {
        let pods = self.subject.pods;
        match (target, name) {
            (Value::Object(depth), name) if self.spec.get(depth).is_some_and(|key| key == name) => {
                if depth + 1 == self.spec.len() { Value::Spec } else { Value::Object(depth + 1) }
            }
            // In other kinds the pod spec has another path.
            (Value::Object(_), "hostNetwork" | "containers" | "initContainers" | "template" | "jobTemplate")
            | (Value::Spec, "template" | "jobTemplate") => Value::Absent(false),
            (Value::Object(0), "kind") => Value::Text(self.subject.gvk().2.to_owned()),
            (Value::Object(0), "metadata") => Value::Metadata,
            (Value::Metadata, "name") => Value::Text(self.subject.name()),
            (Value::Metadata | Value::Request, "namespace") => self.namespace(),
            (Value::Metadata, "labels") => Value::from(self.subject.labels()),
            (Value::Metadata, "annotations") => Value::from(self.subject.annotations()),
            (Value::Namespace, "metadata") => Value::NamespaceMetadata,
            (Value::NamespaceMetadata, "name") => self.namespace(),
            (Value::NamespaceMetadata, "labels") => match pods.namespace() {
                Some(namespace) => Value::from(KnownLabels::for_namespace(self.model, namespace)),
                None => Value::Unknown(false),
            },
            (Value::Request, "operation") => Value::Text("CREATE".to_owned()),
            (Value::Request, "object") => Value::Object(0),
            (Value::Labels(labels, is_whole), key) => match labels.get(key) {
                Some(value) => Value::Text(value.to_owned()),
                None if is_whole => Value::Absent(false),
                None => Value::Unknown(false),
            },
            (Value::Spec, "hostNetwork") => {
                if pods.host_network {
                    Value::Answer(Answer::depends_on_host(true))
                } else {
                    Value::Absent(false)
                }
            }
            (Value::Spec, "dnsPolicy") if pods.host_dns => Value::HostDns,
            (Value::Spec, "dnsPolicy") => Value::Unknown(false),
            (Value::Spec, list) => match pods.list(list) {
                Some(containers) if containers.is_empty() => Value::Absent(false),
                Some(containers) => Value::List(containers.into_iter().map(Value::Container).collect()),
                None => Value::Unknown(false),
            },
            (Value::Container(own), "ports") => match own.host_ports.as_slice() {
                [] => Value::Absent(false),
                ports => Value::List(ports.iter().map(|port| Value::Port(*port)).collect()),
            },
            (Value::Container(own), "name") => Value::Text(own.container.name.clone()),
            (Value::Container(own), "image") => Value::Text(own.container.image.clone()),
            (Value::Port(port), "hostPort") => Value::Number(i64::from(port), true),
            (Value::Unknown(names_host), name) => Value::Unknown(names_host || is_host_text(name)),
            (_, name) => Value::Unknown(is_host_text(name)),
        }
    }

    /// Namespace of the pods.
    fn namespace(&self) -> Value<'c> {
        let namespace = self.subject.pods.namespace();
        namespace.map_or(Value::Unknown(false), |namespace| Value::Text(namespace.to_owned()))
    }
}

/// Values that macros bind to names, the innermost macro first.
enum Bound<'b, 'c> {
    None,
    Name(String, Value<'c>, &'b Bound<'b, 'c>),
}

impl<'c> Bound<'_, 'c> {
    fn get(&self, name: &str) -> Option<Value<'c>> {
        let mut here = self;
        while let Self::Name(own, value, outer) = here {
            if own == name {
                return Some(value.clone());
            }
            here = outer;
        }
        None
    }
}

/// CEL value, possibly unknown.
#[derive(Clone)]
enum Value<'c> {
    /// The object, or the mapping at this depth on the path to its pod spec.
    Object(usize),
    Request,
    Metadata,
    Namespace,
    NamespaceMetadata,
    /// Labels or annotations, and true if the list is complete.
    Labels(Labels, bool),
    Spec,
    Container(&'c ContainerPorts<'c>),
    Port(u16),
    Answer(Answer),
    /// Number, and true if it is a host port of the pod or a count of host ports.
    Number(i64, bool),
    Text(String),
    /// The `dnsPolicy` of pods on the host network.
    HostDns,
    List(Vec<Value<'c>>),
    /// Absent field, and true if it is a host field.
    Absent(bool),
    /// Unknown, and true if it depends on host fields.
    Unknown(bool),
}

impl From<KnownLabels> for Value<'_> {
    fn from(known: KnownLabels) -> Self {
        Self::Labels(known.labels, known.is_whole)
    }
}

impl Value<'_> {
    /// Converts the value to the result of a condition.
    fn answer(self) -> Answer {
        match self {
            Self::Answer(answer) => answer,
            other => Answer::unknown(other.names_host()),
        }
    }

    /// True if the value depends on host fields.
    fn names_host(&self) -> bool {
        match self {
            Self::Unknown(names_host) | Self::Absent(names_host) | Self::Number(_, names_host) => *names_host,
            Self::Answer(answer) => answer.names_host(),
            Self::List(elements) => elements.iter().any(Self::names_host),
            Self::Port(_) | Self::HostDns => true,
            _ => false,
        }
    }

    /// Result of the macro `has`.
    fn has_value(&self) -> Answer {
        match self {
            Self::Absent(_) => Answer::FALSE,
            Self::Unknown(names_host) => Answer::unknown(*names_host),
            Self::Answer(answer) if answer.names_host() => Answer::depends_on_host(true),
            Self::Number(_, true) | Self::HostDns => Answer::depends_on_host(true),
            _ => Answer::TRUE,
        }
    }

    /// Result of the function `size`.
    fn size(self) -> Self {
        match self {
            Self::List(elements) => {
                let names_host = elements.iter().any(|element| matches!(element, Self::Container(_) | Self::Port(_)));
                Self::Number(i64::try_from(elements.len()).unwrap_or(i64::MAX), names_host)
            }
            // A port has at least one field.
            Self::Port(_) => Self::Number(1, false),
            other => Self::Unknown(other.names_host()),
        }
    }

    /// Result of the operator `+`.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::List(mut one), Self::List(other)) => {
                one.extend(other);
                Self::List(one)
            }
            (Self::Text(one), Self::Text(other)) => Self::Text(one + &other),
            (one, other) => Self::Unknown(one.names_host() || other.names_host()),
        }
    }

    /// Compares two values; unknown for types that an operator does not support here.
    fn compare(&self, operator: &str, other: &Self) -> Answer {
        let unknown = || Answer::unknown(self.names_host() || other.names_host());
        let tagged =
            |value: bool, is_host: bool| if is_host { Answer::depends_on_host(value) } else { Answer::plain(value) };
        match (self, operator, other) {
            (_, "!=", _) => self.compare("==", other).not(),
            (_, "in", Self::List(elements)) => Answer::any(elements.iter().map(|element| self.compare("==", element))),
            (Self::Text(key), "in", Self::Labels(labels, is_whole)) => match labels.get(key) {
                None if !is_whole => Answer::OTHER,
                found => Answer::plain(found.is_some()),
            },
            (Self::Answer(one), "==", Self::Answer(other)) => match (one.value, other.value) {
                (_, Some(true)) => *one,
                (_, Some(false)) => one.not(),
                (Some(true), _) => *other,
                (Some(false), _) => other.not(),
                (None, None) => unknown(),
            },
            (Self::HostDns, "==", Self::Text(text)) | (Self::Text(text), "==", Self::HostDns) => {
                Answer::depends_on_host(text == HOST_DNS)
            }
            (Self::Text(one), "==", Self::Text(other)) => Answer::plain(one == other),
            (own, "==", Self::Absent(_)) => own.has_value().not(),
            (Self::Number(one, a), operator, Self::Number(other, b)) => {
                let is_host = *a || *b;
                match operator {
                    "==" => tagged(one == other, is_host),
                    "<" => tagged(one < other, is_host),
                    "<=" => tagged(one <= other, is_host),
                    ">" => tagged(one > other, is_host),
                    ">=" => tagged(one >= other, is_host),
                    _ => unknown(),
                }
            }
            _ => unknown(),
        }
    }
}
