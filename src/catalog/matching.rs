//! Matching of programs to containers, by the end of the image path and by words of the command.

use super::Program;

impl Program {
    /// True if the words of a command (command and args, in order) contain the command words of this program, in this
    /// order.
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

    /// True if both programs match the same containers, so that the catalogue cannot distinguish them.
    pub fn is_like(&self, other: &Self) -> bool {
        // The longer of two matching patterns wins, so only equal patterns are ambiguous.
        let image = self.package == other.package && self.images.iter().any(|image| other.images.contains(image));
        let fits = |one: &Self, other: &Self| one.fits(other.command.iter().map(String::as_str));
        image && self.command.len() == other.command.len() && (fits(self, other) || fits(other, self))
    }
}

/// True if two words name the same file, ignoring directories. Flags are not files, even if they contain a path.
fn is_same_file(word: &str, wanted: &str) -> bool {
    let flag = |word: &str| word.starts_with('-');
    !flag(word) && !flag(wanted) && !base(word).is_empty() && base(word) == base(wanted)
}

/// Last segment of an image path.
fn base(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, base)| base)
}

/// Specificity of a match between an image path and a pattern; greater is more specific.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramMatch {
    /// Number of path segments in the pattern.
    pub segments: usize,
    /// True if the last segment matches completely, false for a pattern that ends in `*`.
    pub whole: bool,
    /// Length of the last segment of the pattern in bytes, without `*`.
    pub length: usize,
}

/// Most specific match of these path suffixes with an image path; `None` without a match.
pub fn best_match(ends: &[impl AsRef<str>], path: &str) -> Option<ProgramMatch> {
    ends.iter().filter_map(|end| shared(end.as_ref(), path)).max()
}

/// True for a container that has one of these names, or whose image's path (without tag and digest) has one of these
/// suffixes.
pub(super) fn is_container(names: &[&str], ends: &[&str], name: &str, path: &str) -> bool {
    names.contains(&name) || best_match(ends, path).is_some()
}

/// Match of a catalogue image with the end of an image path.
fn shared(end: &str, path: &str) -> Option<ProgramMatch> {
    let (end, whole) = end.strip_suffix('*').map_or((end, true), |start| (start, false));
    let compared = if whole {
        // Rejects most of the hundreds of suffixes.
        if end.bytes().next_back() != path.bytes().next_back() {
            return None;
        }
        path
    } else {
        let rest = base(path).strip_prefix(base(end)).filter(|rest| !rest.is_empty())?;
        path.strip_suffix(rest)?
    };
    let before = compared.strip_suffix(end)?;
    let fits = before.is_empty() || before.ends_with('/');
    fits.then(|| ProgramMatch { segments: end.split('/').count(), whole, length: base(end).len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_compared_by_whole_segments() {
        let segments = |ends: &[&str], path| best_match(ends, path).map(|shared| shared.segments);
        assert_eq!(segments(&["controller", "karpenter/controller"], "aws/karpenter/controller"), Some(2));
        assert_eq!(segments(&["controller"], "example.com/my-controller"), None);
        assert_eq!(segments(&["karpenter/controller"], "karpenter/controller"), Some(2));
        assert_eq!(segments(&["karpenter/controller"], "controller"), None);
        assert_eq!(segments(&[], "web"), None);
    }

    #[test]
    fn a_star_matches_the_rest_of_a_name() {
        let fits = |end: &str, path: &str| best_match(&[end], path).is_some();
        assert!(fits("provider-aws-*", "xpkg.upbound.io/upbound/provider-aws-s3"));
        assert!(fits("upbound/provider-aws-*", "xpkg.upbound.io/upbound/provider-aws-s3"));
        assert!(!fits("provider-aws-*", "xpkg.upbound.io/upbound/provider-aws"));
        assert!(!fits("provider-aws-*", "xpkg.upbound.io/upbound/provider-aws-"));
        assert!(!fits("upbound/provider-aws-*", "example.com/mirror/provider-aws-s3"));
        assert!(!fits("provider-aws-*", "provider-aws-s3/web"));
    }

    #[test]
    fn more_segments_then_whole_names_then_longer_prefixes_win() {
        let path = "example.com/upbound/provider-gcp-beta-run";
        let matches = |end: &str| best_match(&[end], path).unwrap();
        let least_first =
            ["provider-gcp-*", "provider-gcp-beta-*", "provider-gcp-beta-run", "upbound/provider-*"].map(matches);
        assert!(least_first.is_sorted_by(|one, other| one < other), "{least_first:?}");
        assert_eq!(best_match(&["provider-gcp-*", "provider-gcp-beta-*"], path), Some(matches("provider-gcp-beta-*")));
    }

    #[test]
    fn packages_do_not_match_programs_of_containers() {
        let program = |package: &str| -> Program {
            let text = format!(r#"{{"name": "p", "images": ["p"], "package": {package}, "listeners": []}}"#);
            serde_json::from_str(&text).unwrap()
        };
        assert!(program("null").is_like(&program("null")));
        assert!(program(r#""Provider""#).is_like(&program(r#""Provider""#)));
        assert!(!program(r#""Provider""#).is_like(&program("null")));
        assert!(!program(r#""Provider""#).is_like(&program(r#""Function""#)));
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
