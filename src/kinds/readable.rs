//! Skips unreadable documents of inputs, for commands that report on readable ones.

use krm::{Form, Input, ReadError, template_error};
use lossless_yaml::NodeRef;

/// Start of a comment with code of ytt.
const YTT: &str = "#@ ";

/// Maximum number of unreadable documents skipped per input.
const MAX_SKIPPED: usize = 20;

/// Replaces unreadable documents by blanks, and removes inputs that have unreadable documents and no readable object.
/// Returns the inputs and the errors, in reading order.
pub fn readable(inputs: Vec<Input>) -> (Vec<Input>, Vec<ReadError>) {
    let (mut kept, mut errors) = (Vec::with_capacity(inputs.len()), Vec::new());
    for mut input in inputs {
        match read_documents(&mut input, |input| input.objects(|_, _| ())) {
            (_, of_input) if of_input.is_empty() => kept.push(input),
            (found, of_input) => {
                errors.extend(of_input);
                kept.extend(found.filter(|objects| !objects.is_empty()).map(|_| input));
            }
        }
    }
    (kept, errors)
}

/// Calls `read` until it succeeds, and replaces an unreadable document by blanks after each error. Returns the result,
/// `None` if the remaining documents are unreadable too, and all errors.
pub(super) fn read_documents<T>(
    input: &mut Input,
    read: impl Fn(&Input) -> Result<T, ReadError>,
) -> (Option<T>, Vec<ReadError>) {
    let mut errors = Vec::new();
    for _ in 0..MAX_SKIPPED {
        let error = match read(input) {
            Ok(found) => return (Some(found), errors),
            Err(error) => error,
        };
        let rest = blank_out_document(input, &error);
        errors.push(error);
        match rest {
            Some(rest) => *input = rest,
            None => break,
        }
    }
    (None, errors)
}

/// Replaces documents that are templates and not manifests by blanks, and removes inputs without other documents.
/// Returns an error for each template.
pub fn without_templates(inputs: &mut Vec<Input>) -> Vec<ReadError> {
    let mut errors = Vec::new();
    inputs.retain_mut(|input| {
        if template(input).is_none() {
            return true;
        }
        let (found, of_input) = read_documents(input, |input| match template(input) {
            None => Ok(()),
            Some(line) => {
                let mut error = ReadError::for_run(template_error(input.text()));
                (error.place, error.position) = (input.origin().to_string(), Some((line, 1)));
                Err(error)
            }
        });
        errors.extend(of_input);
        found.is_some() && input.holds_objects()
    });
    errors
}

/// Line of the first `{{ ... }}` in place of a value, which YAML parses as a mapping with a mapping as its key, or of the
/// first value that ytt fills in: a null with a comment (`name: #@ data.values.name`).
pub fn template(input: &Input) -> Option<usize> {
    if !input.text().contains("{{") && !input.text().contains(YTT) {
        return None;
    }
    let is_ytt = |key: NodeRef<'_, '_>, value: NodeRef<'_, '_>| {
        let after = key.tree().text().get(key.span().end..).filter(|_| value.is_null());
        after.is_some_and(|after| after.trim_start_matches(['"', '\'', ':', ' ']).starts_with(YTT))
    };
    let look = |place: krm::ObjectPlace<'_>, object: NodeRef<'_, '_>| {
        let is_template = |(key, value)| NodeRef::is_mapping(key) && key.raw().starts_with('{') || is_ytt(key, value);
        object.descendants().find(|node| node.entries().any(is_template)).map(|node| place.line_of(node))
    };
    input.objects(look).ok()?.into_iter().flatten().min()
}

/// Replaces the document that contains the error by blanks; `None` if it is the only document.
fn blank_out_document(input: &Input, error: &ReadError) -> Option<Input> {
    let (line, _) = error.position?;
    if input.form() != Form::Stream || input.is_json() {
        return None;
    }
    let starts = |text: &str| text == "---" || text.starts_with("--- ") || text.starts_with("---\t");
    let lines: Vec<&str> = input.text().split_inclusive('\n').collect();
    let is_start = |line: &&str| starts(line.trim_end_matches(['\n', '\r']));
    let first = lines.get(..line)?.iter().rposition(is_start).unwrap_or_default();
    let end = lines.get(line..)?.iter().position(is_start).map_or(lines.len(), |after| line + after);
    let blank = |(index, text): (usize, &&str)| {
        let is_blank = (first..end).contains(&index) && !(index == first && is_start(text));
        if is_blank { "\n".to_owned() } else { (*text).to_owned() }
    };
    let text: String = lines.iter().enumerate().map(blank).collect();
    let rest = Input::read(input.origin().clone(), text.into_bytes()).ok()?;
    (rest.text() != input.text()).then_some(rest)
}
