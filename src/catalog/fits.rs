//! Which program fits a container: by the end of its image's path, and by words of its command (P0).

use super::Program;

impl Program {
    /// Whether the words of a command (command and args, in order) are those of this program.
    pub fn fits<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> bool {
        let mut before = "";
        self.command.iter().all(|wanted| {
            words.any(|word| {
                let value = before.starts_with('-') && before != "--";
                before = word;
                word == wanted || (!value && is_same_file(word, wanted))
            })
        })
    }

    /// Whether this and another program fit the same container, and nothing tells which of them it is.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let image = self.images.iter().any(|image| other.images.contains(image));
        let fits = |one: &Self, other: &Self| one.fits(other.command.iter().map(String::as_str));
        image && self.command.len() == other.command.len() && (fits(self, other) || fits(other, self))
    }
}

/// Whether two words are one file, of which one or both say the folder. A flag that holds a path is none; neither is what
/// follows a flag, which may be its value.
fn is_same_file(word: &str, wanted: &str) -> bool {
    let flag = |word: &str| word.starts_with('-');
    !flag(word) && !flag(wanted) && !base(word).is_empty() && base(word) == base(wanted)
}

fn base(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, base)| base)
}

/// How many path segments of an image are those of one of these ends of paths; of several the most.
pub fn shared_segments(ends: &[impl AsRef<str>], path: &str) -> Option<usize> {
    let fits = |end: &&str| path.strip_suffix(*end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    ends.iter().map(AsRef::as_ref).filter(fits).map(|end| end.split('/').count()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_compared_by_whole_segments() {
        assert_eq!(shared_segments(&["controller", "karpenter/controller"], "aws/karpenter/controller"), Some(2));
        assert_eq!(shared_segments(&["controller"], "example.com/my-controller"), None);
        assert_eq!(shared_segments(&["karpenter/controller"], "karpenter/controller"), Some(2));
        assert_eq!(shared_segments(&[] as &[&str], "web"), None);
    }

    #[test]
    fn a_command_is_compared_without_folders() {
        let program: Program = serde_json::from_str(
            r#"{"name": "p", "images": [], "command": ["/usr/local/bin/manager", "start"], "listeners": []}"#,
        )
        .unwrap();
        let fits = |words: &[&str]| program.fits(words.iter().copied());
        assert!(fits(&["/usr/local/bin/manager", "start"]));
        assert!(fits(&["tini", "--", "manager", "--x=y", "start"]));
        assert!(fits(&["./manager", "start"]));
        assert!(!fits(&["start", "manager"]));
        assert!(!fits(&["--config=/etc/manager", "start"]));
        assert!(!fits(&["--config", "/etc/manager", "start"]));
        assert!(!fits(&["/usr/local/bin/manager/", "start"]));
    }
}
