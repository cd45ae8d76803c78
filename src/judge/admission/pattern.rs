//! Evaluation of Kyverno patterns on host fields.
//!
//! Source: kyverno/kyverno@111e07bbe pkg/engine/validate/validate.go, pkg/engine/anchor/handlers.go (anchors) and
//! pkg/engine/pattern/pattern.go (operators in strings).

use super::answer::Answer;
use super::read::{glob, names_host_fields, scalar};
use super::subject::{ContainerPorts, HOST_DNS, Subject};
use lossless_yaml::Value;

/// Position in the object that a pattern is compared with.
#[derive(Clone, Copy)]
enum PatternPosition<'p> {
    /// Above the pod spec; these keys lead from here to the pod spec.
    Above(&'p [String]),
    Spec,
    Container(&'p ContainerPorts<'p>),
    Port(u16),
}

/// Value under a key of the object.
enum Child<'p> {
    One(PatternPosition<'p>),
    Each(Vec<PatternPosition<'p>>),
    /// A host field with its value.
    Host(String),
    /// A missing host field or list.
    Absent,
    /// Another field.
    Other,
}

/// True if an object matches a pattern.
pub(super) fn matches_object(subject: Subject<'_, '_>, pattern: &Value) -> Answer {
    let spec = subject.spec();
    evaluate_mapping(subject, pattern, PatternPosition::Above(&spec))
}

/// Resolves a key of a pattern at a position in the object.
fn resolve_key<'p>(subject: Subject<'p, 'p>, place: PatternPosition<'p>, key: &str) -> Child<'p> {
    match (place, key) {
        (PatternPosition::Above([first, rest @ ..]), key) if first == key => {
            Child::One(if rest.is_empty() { PatternPosition::Spec } else { PatternPosition::Above(rest) })
        }
        (PatternPosition::Spec, "hostNetwork") if subject.pods.host_network => Child::Host("true".to_owned()),
        (PatternPosition::Spec, "hostNetwork") => Child::Absent,
        (PatternPosition::Spec, "dnsPolicy") if subject.pods.host_dns => Child::Host(HOST_DNS.to_owned()),
        (PatternPosition::Spec, list) => match subject.pods.list(list) {
            Some(containers) if containers.is_empty() => Child::Absent,
            Some(containers) => Child::Each(containers.into_iter().map(PatternPosition::Container).collect()),
            None => Child::Other,
        },
        (PatternPosition::Container(own), "ports") if own.host_ports.is_empty() => Child::Absent,
        (PatternPosition::Container(own), "ports") => {
            Child::Each(own.host_ports.iter().copied().map(PatternPosition::Port).collect())
        }
        (PatternPosition::Port(port), "hostPort") => Child::Host(port.to_string()),
        // These fields are absent here: the pod spec of this kind has another path.
        (PatternPosition::Above(_), "hostNetwork" | "containers" | "initContainers" | "ephemeralContainers") => {
            Child::Absent
        }
        _ => Child::Other,
    }
}

/// True if a position in the object has the keys of a pattern. If a condition in `( )` is false, the other keys are
/// ignored.
fn evaluate_mapping(subject: Subject<'_, '_>, pattern: &Value, place: PatternPosition<'_>) -> Answer {
    let Value::Map(entries) = pattern else { return Answer::unknown(names_host_fields(pattern)) };
    let (mut conditions, mut rest) = (Vec::new(), Vec::new());
    for (written, pattern) in entries {
        let (anchor, key) = anchor(written);
        let child = resolve_key(subject, place, key);
        let answer = evaluate_entry(subject, anchor, &child, pattern, || names_host_fields(pattern));
        let list = if matches!(anchor, Some('(' | '<')) { &mut conditions } else { &mut rest };
        list.push(answer);
    }
    Answer::any([Answer::all(conditions).not(), Answer::all(rest)])
}

/// Evaluates one entry of a pattern; `anchor` is the character of its anchor, such as `X` or `^`.
fn evaluate_entry(
    subject: Subject<'_, '_>,
    anchor: Option<char>,
    child: &Child<'_>,
    pattern: &Value,
    names_host: impl Fn() -> bool,
) -> Answer {
    match (anchor, child) {
        (_, Child::Other) => Answer::unknown(names_host()),
        (Some('X'), Child::Absent) => Answer::TRUE,
        (Some('X'), Child::Host(_)) => Answer::depends_on_host(false),
        (Some('X'), _) => Answer::unknown(names_host()),
        (Some('(' | '<'), Child::Absent) => Answer::FALSE,
        // A rejection because of a missing field does not depend on host fields.
        (_, Child::Absent) => Answer::TRUE,
        (_, Child::Host(value)) => match accepts(pattern, value) {
            Some(accepts) => Answer::depends_on_host(accepts),
            None => Answer::UNREAD,
        },
        (_, Child::One(place)) => evaluate_mapping(subject, pattern, *place),
        (anchor, Child::Each(places)) => {
            let Value::Seq(patterns) = pattern else { return Answer::unknown(names_host()) };
            let one = |pattern: &Value| {
                let each = places.iter().map(|place| evaluate_mapping(subject, pattern, *place));
                if anchor == Some('^') { Answer::any(each) } else { Answer::all(each) }
            };
            Answer::all(patterns.iter().map(one))
        }
    }
}

/// Splits a key into anchor and name: `(key)`, `=(key)`, `X(key)`, `^(key)`, `<(key)`, `+(key)`.
fn anchor(written: &str) -> (Option<char>, &str) {
    let inner = |text: &'_ str| text.strip_suffix(')').and_then(|text| text.find('(').map(|at| (at, at + 1)));
    match (written.chars().next(), inner(written)) {
        (Some('('), Some((0, from))) => (Some('('), written.get(from..written.len() - 1).unwrap_or_default()),
        (Some(kind @ ('=' | 'X' | '^' | '<' | '+')), Some((1, from))) => {
            (Some(kind), written.get(from..written.len() - 1).unwrap_or_default())
        }
        _ => (None, written),
    }
}

/// True if a scalar pattern accepts a value; `None` if the pattern cannot be evaluated.
pub(super) fn accepts(pattern: &Value, value: &str) -> Option<bool> {
    let pattern = match pattern {
        Value::Null => return Some(matches!(value, "false" | "0")),
        Value::Str(text) if text.contains("{{") => return None,
        pattern => scalar(pattern)?,
    };
    let all = |either: &str| {
        either.split('&').try_fold(true, |all, condition| Some(accepts_condition(condition.trim(), value)? && all))
    };
    pattern.split('|').try_fold(false, |any, either| Some(all(either)? || any))
}

/// Matches a value with a comparison, a range or a wildcard; `None` if the value has to be a number and is not.
fn accepts_condition(condition: &str, value: &str) -> Option<bool> {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    for operator in [">=", "<=", ">", "<"] {
        if let Some(bound) = condition.strip_prefix(operator) {
            let (value, bound) = number(value).zip(number(bound))?;
            return Some(match operator {
                ">=" => value >= bound,
                "<=" => value <= bound,
                ">" => value > bound,
                _ => value < bound,
            });
        }
    }
    if let Some(other) = condition.strip_prefix('!') {
        return accepts_condition(other.trim(), value).map(|accepts| !accepts);
    }
    let range = |text: &str, dash: &str| text.split_once(dash).and_then(|(low, high)| number(low).zip(number(high)));
    if let Some((low, high)) = range(condition, "!-") {
        return number(value).map(|value| value < low || value > high);
    }
    if let Some((low, high)) = range(condition, "-") {
        return number(value).map(|value| (low..=high).contains(&value));
    }
    Some(glob(condition, value))
}

#[cfg(test)]
mod tests {
    use super::{accepts, anchor};
    use lossless_yaml::Value;

    #[test]
    fn anchors_are_stripped_from_keys() {
        for (written, wanted) in
            [("=(a)", (Some('='), "a")), ("(a)", (Some('('), "a")), ("X(a)", (Some('X'), "a")), ("a", (None, "a"))]
        {
            assert_eq!(anchor(written), wanted);
        }
        for odd in ["", "(", ")", "=", "=(", "a(b)", "=(a"] {
            assert_eq!(anchor(odd), (None, odd));
        }
    }

    #[test]
    fn operators_of_patterns() {
        let accepts = |pattern: &str, value: &str| accepts(&Value::from(pattern), value);
        for (pattern, value) in [
            ("false", "false"),
            ("!true", "false"),
            ("0 | 5000-6000", "5500"),
            (">4000 & <5000", "4500"),
            ("*", "true"),
        ] {
            assert_eq!(accepts(pattern, value), Some(true), "{pattern} {value}");
        }
        for (pattern, value) in [("false", "true"), ("5000-6000", "20080"), ("5000!-6000", "5500"), ("0", "80")] {
            assert_eq!(accepts(pattern, value), Some(false), "{pattern} {value}");
        }
        assert_eq!(accepts("{{ allowed }}", "80"), None);
    }
}
