//! Host name settings and uses in a pod spec.

use lossless_yaml::{NodeRef, Path};

/// Fields that set the host name of a pod, and commands that read the host name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostNames {
    /// `hostname`, `subdomain` and `setHostnameAsFQDN`: path and value.
    pub given: Vec<(Path, String)>,
    /// Command words that read the host name.
    pub reading: Vec<Path>,
}

impl HostNames {
    /// Reads the pod spec at `path` of its object; `None` if no field concerns host names.
    pub(super) fn read(spec: NodeRef<'_, '_>, path: &Path) -> Option<Box<Self>> {
        let given = ["hostname", "subdomain", "setHostnameAsFQDN"].into_iter().filter_map(|key| {
            let value = spec.get(key).filter(|value| value.as_bool() != Some(false))?.non_null_text()?;
            (!value.is_empty()).then(|| (path.key(key), value.to_owned()))
        });
        let names = Self { given: given.collect(), reading: host_name_reads(spec, path) };
        (!names.given.is_empty() || !names.reading.is_empty()).then(|| Box::new(names))
    }
}

/// The command words that read the host name, in containers that do not get the pod's name as `HOSTNAME`.
fn host_name_reads(spec: NodeRef<'_, '_>, path: &Path) -> Vec<Path> {
    let mut found = Vec::new();
    for (index, container) in spec.get("containers").into_iter().flat_map(NodeRef::items).enumerate() {
        let name = container.get("name").and_then(NodeRef::text);
        let path = path.key("containers").named_item(index, name);
        let variables = || container.get("env").into_iter().flat_map(NodeRef::items).enumerate();
        let name_of =
            |(_, variable): &(usize, NodeRef<'_, '_>)| variable.get("name").and_then(NodeRef::text) == Some("HOSTNAME");
        let is_set = variables().any(|variable| name_of(&variable));
        for list in ["command", "args"] {
            let words = container.get(list).into_iter().flat_map(NodeRef::items).enumerate();
            let reading = words.filter(|(_, word)| word.text().is_some_and(|text| reads_host_name(text, is_set)));
            found.extend(reading.map(|(index, _)| path.key(list).item(index)));
        }
    }
    found
}

/// True if a text of a command reads the host name: `$HOSTNAME`, `${HOSTNAME##*-}`, or the program `hostname`.
fn reads_host_name(text: &str, is_set: bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.' || c == '/' || c == '=';
    let variable = ["$HOSTNAME", "${HOSTNAME"].into_iter().any(|variable| {
        text.match_indices(variable).any(|(at, _)| {
            let next = text.get(at + variable.len()..).and_then(|rest| rest.chars().next());
            next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
        })
    });
    // At the start of a command, `hostname` is the program, not a flag or a word of a sentence.
    let starts = ["$(hostname", "`hostname"];
    let program = starts.into_iter().any(|start| {
        text.match_indices(start).any(|(at, _)| {
            text.get(at + start.len()..).and_then(|rest| rest.chars().next()).is_none_or(|c| !is_word(c))
        })
    });
    (variable && !is_set) || program
}

#[cfg(test)]
mod tests {
    use super::reads_host_name;

    #[test]
    fn texts_that_read_the_host_name_are_found() {
        for yes in ["id=${HOSTNAME##*-}", "echo $HOSTNAME", "x=$(hostname -s)", "x=`hostname`", "$HOSTNAME.web"] {
            assert!(reads_host_name(yes, false), "{yes}");
        }
        for no in ["--hostname=web", "$HOSTNAMES", "echo hostname", "$(hostnamectl)", "MY_HOSTNAME", "$(HOSTNAME)"] {
            assert!(!reads_host_name(no, false), "{no}");
        }
        assert!(!reads_host_name("id=${HOSTNAME##*-}", true) && reads_host_name("$(hostname)", true));
    }
}
