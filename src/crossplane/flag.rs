//! Command-line flags of Crossplane's core.

use crate::model::pod::Container;

/// The value of a flag of a container, under any of its names.
pub(crate) fn flag(container: &Container, names: &[&str]) -> Option<String> {
    flag_of_words(container.words().map(|(.., word)| word), names)
}

/// The value of a flag, `--flag=value`, `--flag value` or `-fvalue`, under any of its names. The last flag counts, as in
/// the core.
pub(super) fn flag_of_words<'w>(words: impl Iterator<Item = &'w str>, names: &[&str]) -> Option<String> {
    let mut found = None;
    let mut is_next = false;
    for word in words {
        if std::mem::take(&mut is_next) {
            found = Some(word.to_owned());
            continue;
        }
        is_next = names.contains(&word);
        if let Some((name, value)) = word.split_once('=')
            && names.contains(&name)
        {
            found = Some(value.to_owned());
            continue;
        }
        let short = names.iter().filter(|name| name.len() == 2).find_map(|name| word.strip_prefix(name));
        if let Some(value) = short.filter(|value| !value.is_empty()) {
            found = Some(value.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_form_of_a_flag_counts() {
        for (words, value) in [
            ("core start --registry=a.io", Some("a.io")),
            ("core start --registry a.io", Some("a.io")),
            ("core start -r a.io", Some("a.io")),
            ("core start -ra.io", Some("a.io")),
            ("core start -ra.io --registry=b.io", Some("b.io")),
            ("core start --registries=a.io --rotate", None),
            ("core start --cache -r", None),
        ] {
            let found = flag_of_words(words.split(' '), &["--registry", "-r"]);
            assert_eq!(found.as_deref(), value, "{words}");
        }
    }
}
