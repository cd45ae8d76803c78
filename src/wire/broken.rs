//! Inputs that hold no manifest: what they are, and what to give instead.

use super::error::ReadError;
use super::input::{Form, Input};
use super::shown::shown;
use crate::yaml::NodeRef;

/// How many characters of a line a message quotes.
const QUOTED: usize = 60;

/// The first bytes of archives and compressed files, with their names.
const ARCHIVES: [(&[u8], &str); 6] = [
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
];

/// Where the header of a tar archive has its mark.
const TAR: std::ops::Range<usize> = 257..262;

/// The start of each value that SOPS encrypted.
const SOPS: &str = "ENC[AES256_GCM,";

/// What to do about a file that SOPS encrypted.
const DECRYPT: &str = "this is encrypted by SOPS: give what `sops --decrypt FILE` prints";

/// What to do about a template.
pub(super) const TEMPLATE: &str =
    "this is a template and not a manifest yet: give what is made of it, such as `helm template NAME CHART` prints";

/// The fault of bytes that are an archive.
pub(super) fn archive(bytes: &[u8]) -> Option<String> {
    let known = ARCHIVES.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| *name);
    let name = known.or_else(|| (bytes.get(TAR) == Some(b"ustar".as_slice())).then_some("tar"))?;
    Some(format!(
        "this is an archive ({name}) and not a manifest: unpack it and give the files, or, if it is a chart, what `helm template NAME FILE` \
         prints"
    ))
}

/// The fault of a text that another program wrote in place of a manifest.
pub(super) fn no_manifest(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let second = text.strip_prefix('<').and_then(|rest| rest.chars().next());
    if second.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '!' | '?')) {
        return Some(
            "this is a page (HTML or XML) and not a manifest, of a sign-in or an error perhaps: give the raw file, as \
             `curl --fail --location URL` prints it",
        );
    }
    if text.starts_with("version https://git-lfs.github.com/spec/") {
        return Some("this is a pointer of git-lfs and not the file itself: run `git lfs pull`");
    }
    if text.starts_with("No resources found") {
        return Some(
            "this is the answer of kubectl that it found nothing: see which namespace and selector it was asked for, or add \
             `--all-namespaces`",
        );
    }
    None
}

impl Input {
    /// True if the input holds an object, or is a list that may hold some. Reads as little of it as shows that; an input that cannot be
    /// read counts too.
    #[must_use]
    pub fn holds_objects(&self) -> bool {
        if matches!(self.form(), Form::ResourceList | Form::List) {
            return true;
        }
        if !self.text().contains("apiVersion") {
            return false;
        }
        // An answer that ends the reading: there is an object.
        match self.objects_without(|_| None, |_, _| None::<()>) {
            Ok(None) | Err(_) => true,
            Ok(Some(_)) => self.has_empty_list(),
        }
    }

    /// True for a stream that has an empty list among its documents.
    fn has_empty_list(&self) -> bool {
        let Ok(tree) = crate::yaml::Tree::parse(self.text()) else { return false };
        tree.roots().any(|root| {
            root.is_mapping() && root.get("kind").and_then(NodeRef::text) == Some("List") && root.get("items").is_some()
        })
    }

    /// The error about an input without an object.
    #[must_use]
    pub fn no_objects(&self) -> ReadError {
        let text = self.text();
        let content = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '-', '.']));
        let message = match content {
            None if text.trim_start_matches('\u{feff}').trim().is_empty() => {
                "there is no Kubernetes object in it: it is empty. Did the command that writes it fail?".to_owned()
            }
            None => "there is no Kubernetes object in it: it holds comments only".to_owned(),
            Some(_) if self.is_encrypted() => DECRYPT.to_owned(),
            Some(_) if text.contains("{{") => TEMPLATE.to_owned(),
            Some(line) => {
                let quoted: String = line.chars().take(QUOTED).collect();
                let more = if quoted.len() < line.len() { "…" } else { "" };
                format!(
                    "there is no Kubernetes object in it (`apiVersion` and `kind`); it starts with `{}{more}`. If it holds the values of a \
                     Helm chart, give what `helm template` prints of the chart with them",
                    shown(&quoted)
                )
            }
        };
        ReadError::of_input(self.origin().to_string(), message)
    }

    /// True if SOPS encrypted a part of the text.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.text().contains(SOPS) && self.text().contains("sops")
    }

    /// Counts the objects whose `data` alone is encrypted by SOPS, as that of Secrets is: the rest of them is read.
    ///
    /// # Errors
    ///
    /// An object of which more is encrypted.
    pub fn encrypted(&self) -> Result<usize, ReadError> {
        if !self.is_encrypted() {
            return Ok(0);
        }
        let look = |place: super::Place<'_>, object: NodeRef<'_, '_>| {
            let is_data = |key: &str| matches!(key, "data" | "stringData" | "binaryData");
            let holds = |wanted: bool| {
                let own = object.entries().filter(|(key, _)| {
                    let key = key.text().unwrap_or_default();
                    key != "sops" && is_data(key) == wanted
                });
                own.map(|(_, value)| value).any(is_secret)
            };
            (place.line, object.get("sops").is_some() && holds(false), object.get("sops").is_some() && holds(true))
        };
        // A fault of the input is reported by whoever reads it whole.
        let found = self.objects(look).unwrap_or_default();
        if let Some((line, ..)) = found.iter().find(|(_, other, _)| *other) {
            let place = self.origin().to_string();
            return Err(ReadError { place, position: Some((*line, 1)), message: DECRYPT.to_owned(), excerpt: None });
        }
        Ok(found.iter().filter(|(_, _, data)| *data).count())
    }
}

/// True if a scalar below a node is a value that SOPS encrypted.
fn is_secret(node: NodeRef<'_, '_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.text().is_some_and(|text| text.starts_with(SOPS)) {
            return true;
        }
        open.extend(node.children());
    }
    false
}
