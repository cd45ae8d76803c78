//! Checks of the objects in an input: presence, readability, SOPS encryption.

use memchr::memmem;

use super::document::Document;
use super::error::ReadError;
use super::escape::escape_line;
use super::input::{Form, Input};
use super::not_manifest::{self, HELMFILE, SOPS_ENCRYPTED_ERROR, is_helmfile, template_error};
use super::objects;
use super::place::ObjectPlace;
use lossless_yaml::{LineCounter, NodeRef, Tree};

/// Number of characters of a line that a message quotes.
const QUOTED: usize = 60;

/// Prefix of a value encrypted by SOPS.
const SOPS: &str = "ENC[AES256_GCM,";

impl Input {
    /// True if the input contains an object, or is a list that may contain one. Reads only as much
    /// as necessary; also true for an input that cannot be read.
    pub fn holds_objects(&self) -> bool {
        if matches!(self.form(), Form::ResourceList | Form::List) {
            return true;
        }
        // JSON may escape letters of the key.
        if !self.text().contains("apiVersion") && !self.text().contains('\\') {
            return false;
        }
        !self.is_without_objects() || self.has_empty_list()
    }

    /// True for an input without any object; false for an input that cannot be read. The search stops at the first object.
    fn is_without_objects(&self) -> bool {
        matches!(self.object_batches(|_, _| None::<()>), Ok(Some(_)))
    }

    /// True for a stream whose objects are all kustomizations of kustomize.
    pub fn is_kustomization(&self) -> bool {
        let only = |_: ObjectPlace<'_>, node: NodeRef<'_, '_>| not_manifest::is_kustomize_kind(node).then_some(());
        self.form() != Form::ResourceList && matches!(self.object_batches(only), Ok(Some(found)) if !found.is_empty())
    }

    /// True for a list without items, as `kubectl get` prints it if it finds no object, and for a ResourceList without
    /// items.
    pub fn is_empty_list(&self) -> bool {
        // Most inputs name no list, so they are not searched again. JSON may escape letters of the kind.
        let may_be_list = || self.text().contains("List") || self.text().contains('\\');
        match self.form() {
            Form::List | Form::ResourceList => self.is_without_objects(),
            _ => may_be_list() && self.is_without_objects() && self.has_empty_list(),
        }
    }

    /// True for a stream with an empty list among its documents.
    fn has_empty_list(&self) -> bool {
        let Ok(tree) = Tree::parse(self.text()) else { return false };
        tree.roots().any(|root| {
            let is_list = || root.get("kind").and_then(NodeRef::text) == Some("List") && root.get("items").is_some();
            root.is_mapping() && (is_list() || objects::is_empty_list(root))
        })
    }

    /// Returns the lines of the documents that have content, but no object and no list, such as an error page between
    /// manifests, or an object without `apiVersion` or with an empty `kind`. Includes elements of an array of objects
    /// that are not objects. Documents that cannot be read are reported elsewhere.
    pub fn documents_without_object(&self) -> Vec<usize> {
        if self.form() != Form::Stream {
            return Vec::new();
        }
        let fields = TypeFields::new();
        let lines = |document: &Document| {
            let text = self.text().get(document.range.clone())?;
            if document.list.is_some() || fields.are_written(text) {
                return None;
            }
            let tree = Tree::parse(text).ok()?;
            let mut lines = LineCounter::new(tree.text(), document.line);
            let without = objects::without_object(&tree);
            Some(without.into_iter().map(|offset| lines.line(offset)).collect::<Vec<_>>())
        };
        self.documents.iter().filter_map(lines).flatten().collect()
    }

    /// Returns the error for an input without objects.
    pub fn no_objects_error(&self) -> ReadError {
        // A parse error is more specific.
        if let Err(error) = self.objects(|_, _| ()) {
            return error;
        }
        let text = self.text();
        let first = Tree::parse(text).ok().and_then(|tree| tree.roots().find_map(not_manifest::answer));
        if let Some(message) = first {
            return ReadError::for_input(self.origin().to_string(), message);
        }
        let content = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '-', '.']));
        let message = match content {
            None if text.trim_start_matches('\u{feff}').trim().is_empty() => {
                "it has no Kubernetes object: it is empty. Did the command that writes it fail?".to_owned()
            }
            None => "it has no Kubernetes object, only comments".to_owned(),
            Some(_) if self.is_helmfile() => HELMFILE.to_owned(),
            Some(_) if self.is_encrypted() => SOPS_ENCRYPTED_ERROR.to_owned(),
            Some(_) if text.contains("{{") => template_error(text),
            Some(line) => {
                let quoted: String = line.chars().take(QUOTED).collect();
                let more = if quoted.len() < line.len() { "…" } else { "" };
                let remedy = match self.may_be_values() {
                    true => {
                        ". If it is a values file of a Helm chart, give the output of `helm template` with these values"
                    }
                    false => "",
                };
                let quoted = escape_line(&quoted);
                format!(
                    "it has no Kubernetes object (`apiVersion` and `kind`); it starts with `{quoted}{more}`{remedy}"
                )
            }
        };
        ReadError::for_input(self.origin().to_string(), message)
    }

    /// True for a file with a mapping whose name or folder shows that it has values of a chart.
    fn may_be_values(&self) -> bool {
        let is_mapping = || Tree::parse(self.text()).ok().is_some_and(|tree| tree.roots().any(NodeRef::is_mapping));
        if self.text().trim_start().starts_with('{') || !is_mapping() {
            return false;
        }
        self.origin().path().is_some_and(|file| {
            let mut names = file.iter().rev().take(2);
            names.any(|name| name.to_string_lossy().to_lowercase().contains("values"))
                || file.with_file_name("Chart.yaml").exists()
        })
    }

    /// True if the text is a Helmfile, also with templates in quoted values.
    pub fn is_helmfile(&self) -> bool {
        let holds = |word: &str| memmem::find(self.text().as_bytes(), word.as_bytes()).is_some();
        let read = || Tree::parse(self.text()).ok().is_some_and(|tree| tree.roots().any(is_helmfile));
        holds("releases:") && holds("chart:") && !self.holds_objects() && read()
    }

    /// True if SOPS encrypted a part of the text.
    pub fn is_encrypted(&self) -> bool {
        let holds = |mark: &str| memmem::find(self.text().as_bytes(), mark.as_bytes()).is_some();
        holds(SOPS) && holds("sops")
    }

    /// True if SOPS encrypted a whole object, or the whole file as one text. False for encrypted values of another
    /// program, such as secrets of Talos or variables of Ansible: SOPS keeps the keys, and no key is `kind`.
    pub fn may_hide_objects(&self) -> bool {
        if !self.is_encrypted() {
            return false;
        }
        let Ok(tree) = Tree::parse(self.text()) else { return true };
        tree.roots().any(|root| {
            let is_type = root.get("apiVersion").is_some() || root.get("kind").is_some();
            let is_text = root.entries().all(|(key, _)| matches!(key.text(), Some("data" | "sops")));
            root.is_mapping() && root.get("sops").is_some() && (is_type || is_text)
        })
    }

    /// Counts the objects in which SOPS encrypted only `data`, `stringData` and `binaryData`, as in Secrets; the rest
    /// of these objects is read.
    ///
    /// # Errors
    ///
    /// An object with other encrypted fields.
    pub fn encrypted(&self) -> Result<usize, ReadError> {
        if !self.is_encrypted() {
            return Ok(0);
        }
        let look = |place: ObjectPlace<'_>, object: NodeRef<'_, '_>| {
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
        // Errors of the input are reported when the whole input is read.
        let found = self.objects(look).unwrap_or_default();
        if let Some((line, ..)) = found.iter().find(|(_, other, _)| *other) {
            let place = self.origin().to_string();
            return Err(ReadError {
                place,
                position: Some((*line, 1)),
                message: SOPS_ENCRYPTED_ERROR.to_owned(),
                excerpt: None,
            });
        }
        Ok(found.iter().filter(|(_, _, data)| *data).count())
    }
}

/// Search for the two fields of an object's type at the start of lines, faster than a parser.
struct TypeFields([memmem::Finder<'static>; 2]);

impl TypeFields {
    fn new() -> Self {
        Self(["apiVersion:", "kind:"].map(memmem::Finder::new))
    }

    /// True if a document certainly has both fields, each with a value that is a plain string. False means unknown.
    fn are_written(&self, document: &str) -> bool {
        self.0.iter().all(|field| {
            let starts_line = |at: usize| at == 0 || document.as_bytes().get(at - 1) == Some(&b'\n');
            let mut starts = field.find_iter(document.as_bytes()).filter(|at| starts_line(*at));
            starts.any(|at| document.get(at + field.needle().len()..).is_some_and(has_plain_string_value))
        })
    }
}

/// True for the text after a key whose value is a plain string, by its first word.
fn has_plain_string_value(text: &str) -> bool {
    let line = text.strip_prefix(' ').and_then(|value| value.lines().next()).unwrap_or_default();
    let word = line.split_ascii_whitespace().next().unwrap_or_default();
    let is_keyword = || ["null", "true", "false"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword));
    word.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_keyword()
}

/// True if a scalar below a node is encrypted by SOPS.
fn is_secret(node: NodeRef<'_, '_>) -> bool {
    node.descendants().any(|node| node.text().is_some_and(|text| text.starts_with(SOPS)))
}
