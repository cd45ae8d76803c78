//! Words of a command line that may be the host that it dials: `ssh user@example.com`, `rsync example.com::module`,
//! `scp example.com:/file`.

use std::collections::HashMap;

use super::words::{container_words, is_flag};
use crate::model::pod::Container;

/// Words with a host in the commands of a container, by command line.
#[derive(Debug)]
pub(in crate::model) struct HostsByCommand(HashMap<usize, Vec<(String, String)>>);

impl HostsByCommand {
    pub(super) fn for_container(container: &Container) -> Self {
        let mut found: HashMap<usize, Vec<(String, String)>> = HashMap::new();
        for word in container_words(container).iter().filter(|word| !is_flag(word.text())) {
            if let Some(host) = host_of(word.text()) {
                found.entry(word.command).or_default().push((word.text().to_owned(), host.to_owned()));
            }
        }
        Self(found)
    }

    /// Returns the first word of a command line with another host than the pod.
    pub(in crate::model) fn of_command(&self, command: usize, is_another: impl Fn(&str) -> bool) -> Option<String> {
        let mut words = self.0.get(&command).into_iter().flatten();
        words.find(|(_, host)| is_another(host)).map(|(word, _)| word.clone())
    }
}

/// Host of `user@host`, `host::module` and `host:/path`.
fn host_of(word: &str) -> Option<&str> {
    let word = word.split_once("://").map_or(word, |(_, rest)| rest);
    let (user, rest) = word.split_once('@').map_or((None, word), |(user, rest)| (Some(user), rest));
    let (host, path) = rest.split_once(':').map_or((rest, None), |(host, path)| (host, Some(path)));
    let is_path = path.is_some_and(|path| path.starts_with([':', '/']));
    let is_host = host.starts_with(|c: char| c.is_ascii_alphanumeric())
        && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    (is_host && (is_path || user.is_some_and(|user| !user.is_empty()))).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn users_modules_and_paths_mark_a_word_as_a_host() {
        for word in
            ["me@example.com", "example.com::a", "example.com:/a", "me@example.com:/a", "ssh://me@example.com:22"]
        {
            assert_eq!(host_of(word), Some("example.com"), "{word}");
        }
        for word in ["example.com", "example.com:80", "a=b@c d", "@example.com", "a:b", "$(A)@$(B)", "::1"] {
            assert_eq!(host_of(word), None, "{word}");
        }
    }
}
