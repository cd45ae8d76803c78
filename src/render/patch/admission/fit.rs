//! The condition of a policy: the object matches the plan, before or after its changes.

use std::collections::BTreeSet;

use super::super::guard::FOLLOWS;
use super::change::{Change, is_changed};
use super::element::Elements;
use super::literal::{contains, equals_expression, field, literal, one_of};
use crate::render::policy::text;
use lossless_yaml::{NodeRef, Path, Step, Value};

/// Value of a missing field, which the API server may write (kubernetes v1.37 `pkg/apis/core/v1/defaults.go` and
/// `pkg/apis/apps/v1/defaults.go`).
fn default(path: &Path) -> Value {
    let keys: Vec<&str> = path
        .steps()
        .into_iter()
        .filter_map(|step| if let Step::Key(key) = step { Some(key.as_ref()) } else { None })
        .collect();
    match keys.as_slice() {
        [.., "dnsPolicy"] => Value::from("ClusterFirst"),
        [.., "hostNetwork"] => Value::Bool(false),
        [.., "strategy", "rollingUpdate", "maxSurge" | "maxUnavailable"] => Value::from("25%"),
        [.., "updateStrategy", "rollingUpdate", "maxSurge"] => Value::Int(0),
        [.., "updateStrategy", "rollingUpdate", "maxUnavailable"] => Value::Int(1),
        [.., "strategy" | "updateStrategy", "type"] => Value::from("RollingUpdate"),
        _ => Value::Null,
    }
}

/// A condition on the value at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    /// The list element exists.
    Exists,
    /// The value is one of these; `absent` is the value of a missing field.
    OneOf { absent: Value, values: Vec<Value> },
    /// The image has this name, with any tag and digest.
    Image(String),
    /// Ports have no other numbers than these of each protocol.
    Ports(Vec<(String, Vec<Value>)>),
    /// The value differs from all of these.
    NoneOf(Vec<Value>),
    /// No field of a list element has one of these numbers.
    NoPort {
        /// Keys of each field.
        fields: Vec<Vec<Step>>,
        /// Old numbers.
        numbers: Vec<Value>,
    },
    /// Requires that only words in `known` have one of these numbers.
    Words {
        /// Old numbers.
        numbers: BTreeSet<i64>,
        /// Words that may have these numbers.
        known: Vec<Value>,
    },
    /// A flag occurs this many times.
    Flag {
        /// The flag, with its dashes.
        flag: String,
        /// Number of words with the flag.
        count: usize,
    },
    /// Requires that only variables in `names` have one of these numbers.
    Variables {
        /// Old numbers.
        numbers: BTreeSet<i64>,
        /// Names of variables that may have these numbers.
        names: Vec<Value>,
    },
    /// Containers that are not in the plan are allowed in a pod on the host network.
    Others {
        /// Names of the known containers.
        names: Vec<Value>,
        /// New numbers, which no other container may have.
        numbers: Vec<Value>,
        /// True for init containers, which in addition must not have the capability to redirect traffic.
        is_init: bool,
    },
    /// No sysctl of the network, which the API server refuses on the host network.
    NoNetworkSysctls,
    /// The list has these elements, or no elements that contradict them.
    Appended(Vec<Value>),
    /// The value equals this value.
    Is(Value),
    /// The list has these elements.
    Contains(Vec<Value>),
}

/// Conditions of changes.
pub(super) fn tests(object: NodeRef<'_, '_>, changes: &[Change]) -> Vec<(Path, Test)> {
    let test = |change: &Change| match change {
        Change::Append { list, values } => (list.clone(), Test::Appended(values.clone())),
        Change::Put { path, .. } if matches!(path.last(), Some(Step::Item { .. })) => (path.clone(), Test::Exists),
        Change::Put { path, old, new } => (path.clone(), old_or_new(object, path, old.as_ref(), new)),
    };
    changes.iter().map(test).chain(rollout(changes)).collect()
}

/// Conditions for a change of a rolling update: the strategy is still a rolling update, and its
/// other number is not 0, which would forbid the new number.
///
/// Source: kubernetes v1.37 `pkg/apis/apps/validation/validation.go` (`rollingUpdate` with `Recreate`; both numbers 0).
fn rollout(changes: &[Change]) -> Vec<(Path, Test)> {
    let mut tests = Vec::new();
    for change in changes {
        let (Some(Step::Key(key)), Some(above)) = (change.path().last(), change.path().parent()) else { continue };
        let strategy =
            above.parent().filter(|_| matches!(above.last(), Some(Step::Key(key)) if key == "rollingUpdate"));
        let Some(strategy) = strategy else { continue };
        let kind = strategy.key("type");
        if !is_changed(changes, &kind) {
            let absent = default(&kind);
            tests.push((kind, Test::OneOf { values: vec![absent.clone()], absent }));
        }
        let other = if key == "maxSurge" { "maxUnavailable" } else { "maxSurge" };
        if !is_changed(changes, &above.key(other)) {
            tests.push((above.key(other), Test::NoneOf(vec![Value::Int(0), Value::from("0%")])));
        }
    }
    tests
}

/// Conditions that hold after the changes.
pub(super) fn conditions_after_changes(changes: &[Change]) -> Vec<(Path, Test)> {
    let test = |change: &Change| match change {
        Change::Append { list, values } => (list.clone(), Test::Contains(values.clone())),
        Change::Put { path, new, .. } => (path.clone(), Test::Is(new.clone())),
    };
    changes.iter().map(test).collect()
}

/// The old or the new value. A missing value may also have the default that the API server writes into the field, or
/// the value of the sibling field that it follows.
fn old_or_new(object: NodeRef<'_, '_>, path: &Path, old: Option<&Value>, new: &Value) -> Test {
    let key = match path.last() {
        Some(Step::Key(key)) => key.as_ref(),
        _ => "",
    };
    let absent = default(path);
    let mut values = vec![old.unwrap_or(&absent).clone()];
    if let Some((_, source)) = FOLLOWS.into_iter().find(|(field, _)| *field == key) {
        let source = path.parent().and_then(|parent| object.lookup(&parent.key(source))?.to_value());
        values.extend([Some(absent.clone()), source].into_iter().flatten());
    }
    values.push(new.clone());
    let mut known: Vec<Value> = Vec::new();
    values.retain(|value| {
        !known.contains(value) && {
            known.push(value.clone());
            true
        }
    });
    Test::OneOf { absent, values }
}

/// Expression that is true if all tests hold.
pub(super) fn expression(elements: &Elements<'_, '_>, tests: &[(Path, Test)]) -> Result<String, String> {
    let steps: Vec<(Vec<&Step>, &Test)> = tests.iter().map(|(path, test)| (path.steps(), test)).collect();
    let tests = steps.iter().map(|(steps, test)| (steps.as_slice(), *test)).collect();
    Ok(all(elements, "object", &Path::root(), 1, tests)?.join(" &&\n"))
}

/// A test with the remaining steps of its path.
type RemainingTest<'t> = (&'t [&'t Step], &'t Test);

/// Expressions for the tests below `base`, the value at the path `prefix`; tests inside of a list element share an
/// expression.
fn all(
    elements: &Elements<'_, '_>,
    base: &str,
    prefix: &Path,
    depth: usize,
    tests: Vec<RemainingTest<'_>>,
) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let mut groups: Vec<(Path, String, Vec<RemainingTest<'_>>)> = Vec::new();
    for (steps, test) in tests {
        let keys = steps.iter().take_while(|step| matches!(step, Step::Key(_))).count();
        let (keys, rest) = steps.split_at(keys);
        let (path, at) = keys.iter().fold((prefix.clone(), base.to_owned()), |(path, at), step| match step {
            Step::Key(key) => (path.step((*step).clone()), field(&at, key)),
            Step::Item { .. } => (path, at),
        });
        match rest.split_first() {
            // A list element always exists, so its test needs no optional access.
            None if keys.is_empty() => out.extend(test.element_expression(&at)?),
            None => out.extend(test.expression(&at)?),
            Some((item, rest)) => {
                let path = path.step((*item).clone());
                match groups.iter_mut().find(|(known, ..)| known.is_same_place(&path)) {
                    Some((.., tests)) => tests.push((rest, test)),
                    None => groups.push((path, format!("{at}.orValue([])"), vec![(rest, test)])),
                }
            }
        }
    }
    for (path, list, tests) in groups {
        let (index, element) = (format!("i{depth}"), format!("e{depth}"));
        let found = elements.predicate(&path, &index, &element, &list)?;
        let inside = all(elements, &element, &path, depth + 1, tests)?;
        let inside = if inside.is_empty() { "true".to_owned() } else { inside.join(" &&\n").replace('\n', "\n  ") };
        out.push(format!("{list}.transformList({index}, {element}, {found},\n  {inside}) == [true]"));
    }
    Ok(out)
}

impl Test {
    /// Expression for the optional value `at`; `None` if nothing is left to test.
    fn expression(&self, at: &str) -> Result<Option<String>, String> {
        Ok(Some(match self {
            Self::Exists | Self::NoPort { .. } => return Ok(None),
            Self::OneOf { absent, values } => {
                if values.iter().any(|value| matches!(value, Value::Map(_) | Value::Seq(_))) {
                    let any: Vec<String> =
                        values.iter().map(|value| equals_expression(at, value)).collect::<Result<_, String>>()?;
                    return Ok(Some(format!("({})", any.join(" || "))));
                }
                // The comparison would not compile with a value of type `null`; `dyn` hides the
                // type.
                let absent = if *absent == Value::Null { "dyn(null)".to_owned() } else { literal(absent)? };
                one_of(&format!("{at}.orValue({absent})"), values)?
            }
            Self::Image(name) => {
                let pattern = format!("^{}(:[^/]*)?(@.*)?$", regex::escape(name));
                format!("{at}.orValue(\"\").matches({})", text(&pattern))
            }
            Self::Ports(all) => {
                let of_protocol = |(protocol, numbers): &(String, Vec<Value>)| {
                    let number = one_of("p.?containerPort.orValue(dyn(null))", numbers)?;
                    Ok(format!("p.?protocol.orValue(\"TCP\") == {} && {number}", text(protocol)))
                };
                let any: Vec<String> = all.iter().map(of_protocol).collect::<Result<_, String>>()?;
                format!(
                    "{at}.orValue([]).all(p, {})",
                    if any.is_empty() { "false".to_owned() } else { any.join(" || ") }
                )
            }
            Self::NoneOf(values) => format!("!({})", one_of(&format!("{at}.orValue(dyn(null))"), values)?),
            Self::Words { numbers, known } => {
                format!("{at}.orValue([]).all(x, !x.matches({}) || {})", pattern(numbers), one_of("x", known)?)
            }
            Self::Flag { flag, count } => {
                let (flag, with_value) = (text(flag), text(&format!("{flag}=")));
                format!("{at}.orValue([]).filter(x, x == {flag} || x.startsWith({with_value})).size() == {count}")
            }
            Self::Variables { numbers, names } => {
                let value = format!("v.?value.orValue(\"\").matches({})", pattern(numbers));
                format!("{at}.orValue([]).all(v, !{value} || {})", one_of("v.?name.orValue(\"\")", names)?)
            }
            Self::Others { names, numbers, is_init } => {
                let number = one_of("p.?containerPort.orValue(dyn(null))", numbers)?;
                let fits = "p.?hostPort.orValue(dyn(0)) in [dyn(0), p.?containerPort.orValue(dyn(0))]";
                let redirects = "!(\"NET_ADMIN\" in c.?securityContext.?capabilities.?add.orValue([])) && ";
                let redirects = if *is_init { redirects } else { "" };
                format!(
                    "{at}.orValue([]).all(c, {} ||\n  {redirects}c.?ports.orValue([]).all(p, {fits} && !({number})))",
                    one_of("c.?name.orValue(\"\")", names)?
                )
            }
            Self::NoNetworkSysctls => {
                format!("{at}.orValue([]).all(s, !s.?name.orValue(\"\").startsWith(\"net.\"))")
            }
            Self::Appended(values) => return appended(at, values),
            Self::Is(value) => equals_expression(at, value)?,
            Self::Contains(values) => {
                let all: Vec<String> = values.iter().map(|value| exists(at, value)).collect::<Result<_, String>>()?;
                all.join(" && ")
            }
        }))
    }

    /// Expression for the list element `at`; `None` if it need only exist.
    fn element_expression(&self, at: &str) -> Result<Option<String>, String> {
        match self {
            Self::Is(value) => Ok(Some(format!("{at} == {}", literal(value)?))),
            Self::NoPort { fields, numbers } => {
                let of_field = |keys: &Vec<Step>| {
                    keys.iter().fold(at.to_owned(), |at, step| match step {
                        Step::Key(key) => field(&at, key),
                        Step::Item { .. } => at,
                    })
                };
                let fields: Vec<String> = fields.iter().map(of_field).collect();
                let number = one_of("p.orValue(dyn(null))", numbers)?;
                Ok(Some(format!("[{}].all(p, !({number}))", fields.join(", "))))
            }
            _ => Ok(None),
        }
    }
}

/// Pattern of a text that has one of these numbers.
fn pattern(numbers: &BTreeSet<i64>) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    text(&format!("(^|[^0-9])({})([^0-9]|$)", numbers.join("|")))
}

/// Expression that is true if a list has this element.
fn exists(at: &str, value: &Value) -> Result<String, String> {
    let found = match value {
        Value::Map(entries) => contains("x", entries)?,
        value => format!("x == {}", literal(value)?),
    };
    Ok(format!("{at}.orValue([]).exists(x, {found})"))
}

/// Expression that is true if no element of a list contradicts the appended ones: a flag with another value, an element
/// of the same name with other content.
fn appended(at: &str, values: &[Value]) -> Result<Option<String>, String> {
    let mut all = Vec::new();
    for (position, value) in values.iter().enumerate() {
        match value {
            Value::Map(entries) => {
                let Some(name) = value.get("name") else { continue };
                let same = equals_expression("x.?name", name)?;
                all.push(format!("{at}.orValue([]).all(x, !({same}) || {})", contains("x", entries)?));
            }
            Value::Str(word) if word.starts_with('-') => {
                let next =
                    values.get(position + 1).filter(|next| !matches!(next, Value::Str(next) if next.starts_with('-')));
                let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
                let (flag, with_value) = (text(flag), text(&format!("{flag}=")));
                let is_other = format!("x != {flag} && !x.startsWith({with_value})");
                let own = match next {
                    Some(next) => {
                        format!("x == {flag} && {at}.orValue([])[?i + 1].orValue(dyn(null)) == {}", literal(next)?)
                    }
                    None => format!("x == {}", literal(value)?),
                };
                all.push(format!("{at}.orValue([]).all(i, x, {is_other} || {own})"));
            }
            _ => {}
        }
    }
    Ok((!all.is_empty()).then(|| all.join(" &&\n")))
}
