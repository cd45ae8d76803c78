//! Command-line flags of Crossplane's core.

use crate::model::pod::Container;

/// The value of a flag, `--flag=value` or `--flag value`, under any of its names. The last flag counts, as in the core.
pub(crate) fn flag(container: &Container, names: &[&str]) -> Option<String> {
    let mut found = None;
    let mut is_next = false;
    for (.., word) in container.words() {
        if std::mem::take(&mut is_next) {
            found = Some(word.to_owned());
            continue;
        }
        is_next = names.contains(&word);
        if let Some((name, value)) = word.split_once('=')
            && names.contains(&name)
        {
            found = Some(value.to_owned());
        }
    }
    found
}
