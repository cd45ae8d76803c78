//! The output of `hostnet mirror script`: a script for the POSIX shell that copies the listed images.

use crate::model::text::short_hash;
use crate::package_mirror::{Listed, ListedKind, Listing};
use crate::word_enum::word_enum;
use krm::may_have_placeholder;
use oci::name::ImageRef;

word_enum! {
    /// The program that copies.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Tool {
        /// crane of go-containerregistry.
        Crane = "crane",
        /// regctl of regclient.
        Regctl = "regctl",
        /// skopeo.
        Skopeo = "skopeo",
    }
}

/// Source and destination of the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyRoute<'d> {
    /// From registry to registry.
    Direct,
    /// From registries into this folder, an OCI layout for each entry.
    Save(&'d str),
    /// From such a folder into registries.
    Load(&'d str),
}

/// The first lines of all scripts. Functions check each command themselves, because the shell ignores `set -e` within
/// `||`.
const HEAD: &str = "\
# After a failure, run it again: entries that exist already are not copied again. The exit code is 1 if an entry was not copied.
# More arguments: COPY_FLAGS for each copy, LOOK_FLAGS for each request of a digest.
set -eu
COPY_FLAGS=${COPY_FLAGS-}
LOOK_FLAGS=${LOOK_FLAGS-}
failed=0
";

/// Shell function that finds the digest to copy. A missing signature is not an error.
pub(super) const WANTED: &str = r#"
# wanted KIND NAME TAG DIGEST: sets $want, the digest to copy; empty where there is nothing to copy.
wanted() {
  want=$4
  [ -z "$want" ] || return 0
  if want=$(look "$2:$3"); then return 0; fi
  want=
  [ "$1" = signature ] || return 1
  echo "is not there: $2:$3"
}
"#;

const DIRECT: &str = r#"
# one KIND NAME TAG DIGEST NAME_IN_THE_MIRROR ENTRY
one() {
  wanted "$1" "$2" "$3" "$4" || return 1
  [ -n "$want" ] || return 0
  to=$5@$want
  [ -z "$3" ] || to=$5:$3
  if [ "$(look "$to" 2>/dev/null || :)" = "$want" ]; then
    echo "is there: $to"
    return 0
  fi
  copy "$2@$want" "$to" || return 1
  compare "$to"
}
"#;

const SAVE: &str = r#"
# one KIND NAME TAG DIGEST NAME_IN_THE_MIRROR ENTRY: the digest is written last, so an entry with one is whole.
one() {
  wanted "$1" "$2" "$3" "$4" || return 1
  [ -n "$want" ] || return 0
  if [ -f "$folder/$6.digest" ] && [ "$(cat "$folder/$6.digest")" = "$want" ]; then
    echo "is there: $6"
    return 0
  fi
  rm -rf "$folder/$6" "$folder/$6.digest" || return 1
  save "$2@$want" "$folder/$6" || return 1
  echo "$want" >"$folder/$6.digest.part" && mv "$folder/$6.digest.part" "$folder/$6.digest" || return 1
  echo "saved: $2${3:+:$3} $want"
}
"#;

const LOAD: &str = r#"
# one KIND NAME TAG DIGEST NAME_IN_THE_MIRROR ENTRY
one() {
  if [ ! -f "$folder/$6.digest" ]; then
    if [ "$1" = signature ]; then return 0; fi
    echo "$folder has no complete $6" >&2
    return 1
  fi
  want=$(cat "$folder/$6.digest")
  if [ -n "$4" ] && [ "$4" != "$want" ]; then
    echo "$6 is $want in $folder, and should be $4" >&2
    return 1
  fi
  to=$5@$want
  [ -z "$3" ] || to=$5:$3
  if [ "$(look "$to" 2>/dev/null || :)" = "$want" ]; then
    echo "is there: $to"
    return 0
  fi
  load "$folder/$6" "$to" || return 1
  compare "$to"
}
"#;

const COMPARE_FUNCTION: &str = r#"
# compare REFERENCE: what is there now has to be what was wanted.
compare() {
  got=$(look "$1") || return 1
  if [ "$got" != "$want" ]; then
    echo "$1 is $got, and should be $want" >&2
    return 1
  fi
  echo "copied: $1 $want"
}
"#;

impl Tool {
    /// Shell function `look REFERENCE`, which prints the digest of a manifest; the shell splits the flags.
    pub(super) fn digest_function(self) -> &'static str {
        match self {
            Self::Crane => "look() { crane digest $LOOK_FLAGS \"$1\"; }\n",
            Self::Regctl => "look() { regctl image digest $LOOK_FLAGS \"$1\"; }\n",
            Self::Skopeo => {
                "raw=$(mktemp)\n\
                 trap 'rm -f \"$raw\"' EXIT\n\
                 look() {\n  \
                   skopeo inspect --raw $LOOK_FLAGS \"docker://$1\" >\"$raw\" || return 1\n  \
                   sum=$(sha256sum <\"$raw\") || return 1\n  \
                   echo \"sha256:${sum%% *}\"\n\
                 }\n"
            }
        }
    }

    /// The shell function that copies all platforms with unchanged manifests: it uses neither
    /// crane's default format nor a Docker archive.
    pub(super) fn copies(self, way: CopyRoute<'_>) -> &'static str {
        match (self, way) {
            (Self::Crane, CopyRoute::Direct) => "copy() { crane copy $COPY_FLAGS \"$1\" \"$2\"; }\n",
            (Self::Crane, CopyRoute::Save(_)) => "save() { crane pull --format=oci $COPY_FLAGS \"$1\" \"$2\"; }\n",
            (Self::Crane, CopyRoute::Load(_)) => "load() { crane push $COPY_FLAGS \"$1\" \"$2\"; }\n",
            (Self::Regctl, CopyRoute::Direct) => "copy() { regctl image copy $COPY_FLAGS \"$1\" \"$2\"; }\n",
            (Self::Regctl, CopyRoute::Save(_)) => {
                "save() { regctl image copy $COPY_FLAGS \"$1\" \"ocidir://$2:image\"; }\n"
            }
            (Self::Regctl, CopyRoute::Load(_)) => {
                "load() { regctl image copy $COPY_FLAGS \"ocidir://$1:image\" \"$2\"; }\n"
            }
            (Self::Skopeo, CopyRoute::Direct) => {
                "copy() { skopeo copy --quiet --all --preserve-digests $COPY_FLAGS \"docker://$1\" \"docker://$2\"; }\n"
            }
            (Self::Skopeo, CopyRoute::Save(_)) => {
                // skopeo may write a manifest in Docker's format but cannot find that manifest afterwards, so the
                // manifest is inspected immediately.
                "save() {\n  \
                   skopeo copy --quiet --all --preserve-digests $COPY_FLAGS \"docker://$1\" \"oci:$2:image\" &&\n  \
                   skopeo inspect --raw \"oci:$2:image\" >/dev/null\n\
                 }\n"
            }
            (Self::Skopeo, CopyRoute::Load(_)) => {
                "load() { skopeo copy --quiet --all --preserve-digests $COPY_FLAGS \"oci:$1:image\" \"docker://$2\"; }\n"
            }
        }
    }
}

/// Reason why an entry is not a valid image name; `None` for a valid name.
pub(super) fn unreadable_reason(entry: &Listed) -> Option<String> {
    let wrong = ImageRef::read(&entry.source).err()?;
    Some(match may_have_placeholder(&entry.source) {
        true => "is not a reference until its placeholders are filled in".to_owned(),
        false => format!("is not an image reference: {}", wrong.why()),
    })
}

/// Entries that are not valid image names and are not already reported as unknown, each with the reason.
pub fn unreadable(listing: &Listing) -> Vec<String> {
    let is_named = |entry: &Listed| listing.unknown.iter().any(|unknown| unknown.contains(&*entry.source));
    let with_reason = |entry: &Listed| Some(format!("{} {}", entry.source, unreadable_reason(entry)?));
    listing.entries.iter().filter(|entry| !is_named(entry)).filter_map(with_reason).collect()
}

/// Entries that cannot be copied, each with the reason.
pub fn not_copied(listing: &Listing) -> Vec<String> {
    let why = |entry: &Listed| {
        if let Some(reason) = unreadable_reason(entry) {
            return Some(reason);
        }
        entry.target.is_none().then(|| "has no place in a mirror: no rule of the config matches it".to_owned())
    };
    listing.entries.iter().filter_map(|entry| Some(format!("{} {}", entry.source, why(entry)?))).collect()
}

/// A script that copies all entries that have a target.
pub fn script(listing: &Listing, tool: Tool, way: CopyRoute<'_>) -> String {
    let entries: Vec<&Listed> = listing
        .entries
        .iter()
        .filter(|entry| entry.target.is_some() && ImageRef::read(&entry.source).is_ok())
        .collect();
    let action = match way {
        CopyRoute::Direct => "Copies packages and images into the mirror",
        CopyRoute::Save(_) => "Copies packages and images into a folder, for a site without access to their registries",
        CopyRoute::Load(_) => "Copies packages and images from a folder into the mirror",
    };
    let mut text =
        format!("#!/bin/sh\n# {action} with {}. Written by `hostnet mirror script`.\n{HEAD}\n", tool.as_str());
    if let CopyRoute::Save(folder) | CopyRoute::Load(folder) = way {
        // A name that begins with a hyphen is an argument to the tools.
        let here = if folder.starts_with('-') { "./" } else { "" };
        text.push_str(&format!("folder={}\n", quoted(&format!("{here}{folder}"))));
    }
    if matches!(way, CopyRoute::Save(_)) {
        text.push_str("mkdir -p \"$folder\"\n");
    }
    text.push_str(&format!("command -v {0} >/dev/null || {{ echo \"{0} is missing\" >&2; exit 1; }}\n", tool.as_str()));
    text.push_str(tool.digest_function());
    text.push_str(tool.copies(way));
    match way {
        CopyRoute::Direct => text.extend([WANTED, COMPARE_FUNCTION, DIRECT]),
        CopyRoute::Save(_) => text.extend([WANTED, SAVE]),
        CopyRoute::Load(_) => text.extend([COMPARE_FUNCTION, LOAD]),
    }
    text.push('\n');
    for listed in entries {
        let (source, target) = (ImageRef::split(&listed.source), listed.target.as_deref().map(ImageRef::split));
        let tag = match (source.tag, source.digest) {
            (None, None) => "latest",
            (tag, _) => tag.unwrap_or_default(),
        };
        let digest = listed.digest.as_deref().unwrap_or_default();
        let kind = if listed.kind == ListedKind::Signature { "signature" } else { "image" };
        let name = target.map_or("", |target| target.name);
        let words = [kind, source.name, tag, digest, name, &entry(&listed.source)].map(quoted);
        text.push_str(&format!("one {} || failed=$((failed + 1))\n", words.join(" ")));
    }
    text.push_str("\nif [ \"$failed\" -gt 0 ]; then\n  echo \"$failed not copied\" >&2\n  exit 1\nfi\n");
    text
}

/// The folder name of an entry: the readable end of the reference, and a hash of the whole reference.
fn entry(source: &str) -> String {
    let end = source.rsplit('/').next().unwrap_or_default();
    let end = end.split('@').next().unwrap_or_default().replace(':', "-");
    format!("{end}-{}", short_hash(source))
}

/// Quotes a text as one word for the shell, if needed.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:@+".contains(&b);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{entry, quoted};

    #[test]
    fn shell_words_are_quoted() {
        assert_eq!(quoted("a b'c$d"), r"'a b'\''c$d'");
        assert_eq!((quoted(""), quoted("a.io/b:v1@sha256:0")), ("''".to_owned(), "a.io/b:v1@sha256:0".to_owned()));
    }

    #[test]
    fn entries_of_one_name_are_distinguished() {
        assert_ne!(entry("a.io/b/c:v1"), entry("a.io/d/c:v1"));
        assert!(entry("a.io/b/c:v1@sha256:0").starts_with("c-v1-"), "{}", entry("a.io/b/c:v1@sha256:0"));
    }
}
