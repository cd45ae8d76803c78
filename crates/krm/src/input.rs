//! An input: text, form and positions of its objects.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::chunk::{self, Chunk};
use super::document::Document;
use super::error::{self, ReadError};
use super::list_frame::ListKind;
use super::place::Origin;
use super::renaming::Layer;
use super::results::ResultsAppend;
use super::warning::InputWarning;
use super::{envelope, not_manifest, split};
use lossless_yaml::ParseError;

/// Form of the input; the output has the same form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Input of a KRM function, with functionConfig and results.
    ResourceList,
    /// `kind: List`
    List,
    /// One document.
    Single,
    /// Several documents, or none.
    Stream,
}

/// The text of one input.
///
/// Holds the bytes and the ranges of documents and items; trees exist only during [`Self::objects`].
#[derive(Debug)]
pub struct Input {
    pub(super) origin: Origin,
    pub(super) text: String,
    form: Form,
    json: bool,
    config: Option<Range<usize>>,
    pub(super) below: Option<ResultsAppend>,
    warnings: Vec<InputWarning>,
    pub(super) documents: Vec<Document>,
    /// True if removed objects are kept and marked as local instead.
    pub(super) keeps_objects: bool,
    /// Kustomizations that may list the file.
    pub(super) layers: Arc<Vec<Layer>>,
    /// True if kustomize runs hostnet as a plugin.
    is_of_kustomize: bool,
    pub(super) layout: OnceLock<Layout>,
}

/// Final units, with the number of objects before each unit.
#[derive(Debug)]
pub(super) struct Layout {
    pub units: Vec<Chunk>,
    /// Index of the first object of each unit, followed by the total number of objects.
    pub firsts: Vec<usize>,
}

impl Layout {
    /// Returns the number of objects.
    pub(super) fn objects(&self) -> usize {
        self.firsts.last().copied().unwrap_or_default()
    }

    /// Returns the unit of an object and the index of the object in that unit.
    pub(super) fn unit_of(&self, object: usize) -> Option<(usize, usize)> {
        let after = self.firsts.partition_point(|&first| first <= object);
        let unit = after.checked_sub(1).filter(|&unit| unit < self.units.len())?;
        Some((unit, object - self.firsts.get(unit)?))
    }
}

impl Input {
    /// Checks that the bytes are UTF-8 text, detects the form and splits the text into pieces.
    /// Objects are parsed later.
    ///
    /// ```
    /// use krm::{Form, Input, Origin};
    /// let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}\n";
    /// let input = Input::read(Origin::stdin(), list.into()).unwrap();
    /// assert_eq!(input.form(), Form::List);
    /// ```
    pub fn read(origin: Origin, bytes: Vec<u8>) -> Result<Self, ReadError> {
        if let Some(message) = not_manifest::archive(&bytes) {
            return Err(ReadError::for_input(origin.to_string(), message));
        }
        let text = String::from_utf8(bytes).map_err(|error| not_text(&origin, &error))?;
        if let Some(message) = not_manifest::non_manifest_reason(&text) {
            return Err(ReadError::for_input(origin.to_string(), message));
        }
        if origin.path().is_none() && text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Err(ReadError::for_input(origin.to_string(), error::EMPTY));
        }
        let documents = chunk::documents(&text);
        let json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
        let single = documents.len() == 1 && (json || split::can_cut(&text));
        let form = if single { Form::Single } else { Form::Stream };
        let mut input = Self {
            origin,
            text,
            form,
            json,
            config: None,
            below: None,
            warnings: Vec::new(),
            documents,
            keeps_objects: false,
            layers: Arc::default(),
            is_of_kustomize: false,
            layout: OnceLock::new(),
        };
        input.read_envelope()?;
        Ok(input)
    }

    fn read_envelope(&mut self) -> Result<(), ReadError> {
        let [document] = self.documents.as_slice() else { return Ok(()) };
        let Some(envelope) = envelope::read(&self.text, document) else { return Ok(()) };
        if let Some(offset) = envelope.no_items {
            // A host would read an output without `items` as "delete everything".
            return Err(ReadError::at(self.origin.to_string(), &self.text, offset, error::NO_ITEMS));
        }
        self.form = match envelope.kind {
            ListKind::ResourceList => Form::ResourceList,
            ListKind::List => Form::List,
        };
        self.config = envelope.config;
        self.below = envelope.below;
        self.warnings.extend(envelope.warning);
        Ok(())
    }

    /// Marks the input as sent by kustomize to its exec plugin.
    pub fn from_kustomize(mut self) -> Self {
        self.is_of_kustomize = true;
        self
    }

    /// True if kustomize sent the input to its exec plugin. Objects that kustomize sends to other
    /// functions carry annotations that identify it.
    pub fn is_of_kustomize(&self) -> bool {
        self.is_of_kustomize
    }

    /// Sets the kustomizations that may list this file.
    pub(super) fn with_layers(mut self, layers: &Arc<Vec<Layer>>) -> Self {
        self.layers = Arc::clone(layers);
        self
    }

    /// Returns the origin of the text.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the form of the text.
    pub fn form(&self) -> Form {
        self.form
    }

    /// True if the text is JSON or starts like JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the text as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of pieces that are parsed independently (documents or list items),
    /// estimated from the lines.
    pub fn pieces(&self) -> usize {
        let items = |document: &Document| document.list.as_ref().map_or(1, |list| list.items.len());
        self.documents.iter().map(items).sum()
    }

    /// Returns the warning about the envelope, if any.
    pub fn warnings(&self) -> &[InputWarning] {
        &self.warnings
    }

    /// Returns the functionConfig of a ResourceList exactly as in the input: YAML or JSON, a block with indentation.
    ///
    /// ```
    /// use krm::{Input, Origin};
    /// let list = "kind: ResourceList\nitems: []\nfunctionConfig:\n  kind: HostNetwork\n";
    /// let input = Input::read(Origin::stdin(), list.into()).unwrap();
    /// assert_eq!(input.function_config(), Some("  kind: HostNetwork"));
    /// ```
    pub fn function_config(&self) -> Option<&str> {
        self.text.get(self.config.clone()?)
    }

    /// Returns the positions of all objects; reads the objects first if necessary.
    pub(super) fn layout(&self) -> Result<&Layout, ReadError> {
        if self.layout.get().is_none() {
            self.objects(|_, _| ())?;
        }
        self.layout.get().ok_or_else(|| ReadError::for_input(self.origin.to_string(), "the input was not read"))
    }

    pub(super) fn parse_error(&self, unit: &Chunk, error: &ParseError) -> ReadError {
        let at = unit.range.start + error.offset;
        // If a list was read as a whole, the item is found by the position of the error.
        let items = self.documents.get(unit.document).and_then(|document| document.list.as_ref());
        let item = unit.part.item().or_else(|| {
            let items = &items?.items;
            let item = items.partition_point(|item| item.start <= at);
            items.last().filter(|last| at <= last.end).map(|_| item).filter(|&item| item > 0)
        });
        self.error_at(unit, item, error.offset, &error.message)
    }

    pub(super) fn error_at(&self, unit: &Chunk, item: Option<usize>, offset: usize, message: &str) -> ReadError {
        ReadError::at(self.name(unit.document, item), &self.text, unit.range.start + offset, message)
    }

    /// Formats a position for messages: the input, the document if there are several, the item if any.
    pub(super) fn name(&self, document: usize, item: Option<usize>) -> String {
        let document = if self.documents.len() > 1 { format!(", document {}", document + 1) } else { String::new() };
        let item = item.map_or_else(String::new, |item| format!(", item {item}"));
        format!("{}{document}{item}", self.origin)
    }
}

/// Error about bytes that are not UTF-8.
fn not_text(origin: &Origin, error: &std::string::FromUtf8Error) -> ReadError {
    let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
    let message = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "this is UTF-16; save it as UTF-8".to_owned(),
        _ => format!("invalid UTF-8 at byte {at} (0x{:02x})", bytes.get(at).copied().unwrap_or_default()),
    };
    let line_end = bytes.get(at..).unwrap_or_default().iter().take(200).position(|&b| b == b'\n').unwrap_or(200);
    let shown = String::from_utf8_lossy(bytes.get(..(at + line_end).min(bytes.len())).unwrap_or_default());
    ReadError::at(origin.to_string(), &shown, at, message)
}
