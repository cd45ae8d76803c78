//! Detection of inputs that are not manifests, with an error that names the remedy.

use super::escape::escape_line;
use lossless_yaml::{NodeRef, template_output};

/// First bytes of archives and compressed files, with the format names.
const ARCHIVES: [(&[u8], &str); 6] = [
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
];

/// Offset of the magic string in the header of a tar archive.
const TAR_MAGIC_RANGE: std::ops::Range<usize> = 257..262;

/// Error and remedy for a file that SOPS encrypted.
pub(super) const SOPS_ENCRYPTED_ERROR: &str = "this is encrypted by SOPS: give the output of `sops --decrypt FILE`";

/// Error and remedy for a template, such as one of a chart.
pub fn template_error(text: &str) -> String {
    let output = template_output(text);
    format!("this is a template and not a manifest: give {output}, or list the file in `.krmignore`")
}

/// Returns the error for bytes of an archive; `None` for other bytes.
pub(super) fn archive(bytes: &[u8]) -> Option<String> {
    let known = ARCHIVES.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| *name);
    let name = known.or_else(|| (bytes.get(TAR_MAGIC_RANGE) == Some(b"ustar".as_slice())).then_some("tar"))?;
    Some(format!(
        "this is an archive ({name}) and not a manifest: unpack it and give the files, or, if it is a chart, the output of `helm \
         template NAME FILE`"
    ))
}

/// Returns the error for a text that another program wrote instead of a manifest; `None` for other texts.
pub(super) fn non_manifest_reason(text: &str) -> Option<&'static str> {
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
            "this is kubectl's message that it found no objects: check its namespace and selector, or add `--all-namespaces`",
        );
    }
    let first = text.lines().next().unwrap_or_default();
    if FAILURES.iter().any(|start| first.starts_with(start)) && !text.contains("apiVersion") {
        return Some(
            "this is the error message of a command and not a manifest: correct what it names, and repeat the command",
        );
    }
    if ["404: Not Found", "404 page not found"].contains(&first.trim_end()) {
        return Some("this is the answer of a web server for a missing page and not a manifest: check the URL");
    }
    let columns =
        || first.split_whitespace().all(|word| word.bytes().all(|b| b.is_ascii_uppercase() || b"-()".contains(&b)));
    if (first.starts_with("NAME ") || first.starts_with("NAMESPACE ")) && columns() {
        return Some("this is a table of kubectl and not a manifest: add `-o yaml` to the command");
    }
    None
}

/// Starts of the error messages of kubectl, Helm and kustomize.
const FAILURES: [&str; 5] =
    ["Error: ", "Error from server", "error: ", "The connection to the server ", "Unable to connect to the server"];

/// Returns the error for an answer of the API server that looks like an object but is an error or a table; `None` for
/// other documents.
pub(super) fn answer(root: NodeRef<'_, '_>) -> Option<String> {
    match group_and_kind(root)? {
        ("", "Status") if text(root, "status") == Some("Failure") => {
            let message =
                text(root, "message").map(|message| format!(": {}", escape_line(message))).unwrap_or_default();
            Some(format!(
                "this is an error of the API server and not a manifest{message}. Repeat the command that printed it"
            ))
        }
        ("meta.k8s.io", "Table") => {
            let message =
                "this is a table of the API server and not a manifest: get the objects, as `kubectl get -o yaml` does";
            Some(message.to_owned())
        }
        _ => None,
    }
}

/// Error and remedy for a Helmfile.
pub(super) const HELMFILE: &str =
    "this is a Helmfile and not a manifest: give the output of `helmfile --file FILE template`";

/// True for a Helmfile: releases with charts, and no object.
pub(super) fn is_helmfile(root: NodeRef<'_, '_>) -> bool {
    let is_release = |item: NodeRef<'_, '_>| text(item, "name").is_some() && text(item, "chart").is_some();
    root.get("kind").is_none() && root.get("releases").is_some_and(|releases| releases.items().any(is_release))
}

/// True for a kustomization by its group and kind, whatever its file.
pub(super) fn is_kustomize_kind(root: NodeRef<'_, '_>) -> bool {
    matches!(group_and_kind(root), Some(("kustomize.config.k8s.io", "Kustomization" | "Component")))
}

fn group_and_kind<'t>(root: NodeRef<'t, '_>) -> Option<(&'t str, &'t str)> {
    let (group, _) = text(root, "apiVersion")?.rsplit_once('/').unwrap_or_default();
    Some((group, text(root, "kind")?))
}

fn text<'t>(root: NodeRef<'t, '_>, key: &str) -> Option<&'t str> {
    root.get(key).and_then(NodeRef::non_null_text)
}
