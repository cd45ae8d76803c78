//! Finds `package.yaml` in an image like Crossplane, including the checks of each release.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read};
use std::ops::ControlFlow;

use super::check_options::Depth;
use super::era::{ERAS, Era};
use super::image::PackageImage;
use oci::{Blob, Descriptor, Entry, Fault, Flattened, Packing, clean_path, digest_of_reader, unpacked, visit_entries};

/// The file that makes an image a package.
const FILE: &str = "package.yaml";

/// The layer annotation that marks the package content.
pub(super) const ANNOTATION: &str = "io.crossplane.xpkg";

/// The annotation's value for the layer with `package.yaml`.
pub(super) const BASE: &str = "base";

/// Maximum size of the file in bytes.
/// Source: crossplane-runtime@v2.3.3 `pkg/xpkg/client.go`, `maxPackageSize`.
const FILE_LIMIT: u64 = 200 << 20;

/// Maximum number of layers of an image, up to v2.1.
/// Source: crossplane/crossplane@v1.20.11 `internal/controller/pkg/revision/imageback.go`, `maxLayers`.
const MAX_LAYERS: usize = 256;

/// The file `package.yaml` in an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageFile {
    /// The position of its layer, in manifest order.
    pub(super) layer: usize,
    /// The path of the file in the layer.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// The reason for a truncated file.
    pub(super) cut: Option<String>,
}

/// The error of Crossplane, and details that it does not report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LookupError {
    /// The error message.
    pub(super) message: String,
    /// The cause, if the message omits it.
    pub(super) cause: Option<String>,
}

impl LookupError {
    fn with_message(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None }
    }
}

/// Positions of layers annotated as base, in manifest order.
pub(super) fn bases(image: &PackageImage<'_>) -> Vec<usize> {
    let layers = image.manifest.layers.iter().enumerate();
    layers
        .filter(|(_, layer)| layer.annotations.get(ANNOTATION).is_some_and(|value| value == BASE))
        .map(|(at, _)| at)
        .collect()
}

/// Finds the file like the releases of an era.
pub(super) fn find(image: &PackageImage<'_>, era: &Era, depth: Depth) -> Result<PackageFile, LookupError> {
    if era.validates { checked(image, era, depth) } else { unchecked(image) }
}

/// Reads package.yaml from the annotated layer, or from all layers without annotation; digests are verified before
/// reading.
fn checked(image: &PackageImage<'_>, era: &Era, depth: Depth) -> Result<PackageFile, LookupError> {
    let count = image.manifest.layers.len();
    if count > MAX_LAYERS {
        return Err(LookupError::with_message(format!(
            "package has {count} layers, but only {MAX_LAYERS} are allowed"
        )));
    }
    let is_match = |name: &str| if era.is_exact { name == FILE } else { base_name(name) == FILE };
    let bases = bases(image);
    let Some(first) = bases.first().copied() else {
        validate_all(image, depth)
            .map_err(|error| LookupError::with_message(format!("invalid package image: {error}")))?;
        return match find_file_in_flattened_image(image, era, is_match) {
            (Ok(found), _) => Ok(found),
            (Err(end), checked) => Err(not_found(checked, false, &end.error)),
        };
    };
    validate(image, first).map_err(|error| LookupError::with_message(format!("invalid package layer: {error}")))?;
    if bases.len() > 1 {
        return Err(LookupError::with_message("package is invalid due to multiple annotated base layers"));
    }
    match find_file_in_layer(image, first, era, is_match) {
        (Ok(found), _) => Ok(found),
        (Err(error), checked) => Err(not_found(checked, true, &error)),
    }
}

/// Error about a missing package.yaml.
fn not_found(checked: usize, is_annotated: bool, end: &ReadError) -> LookupError {
    LookupError::with_message(format!(
        "couldn't find \"{FILE}\" file after checking {checked} files in the archive (annotated layer: {is_annotated}): {end}"
    ))
}

/// Searches the first base layer, or all layers without annotation, without verification.
fn unchecked(image: &PackageImage<'_>) -> Result<PackageFile, LookupError> {
    let era = &ERAS[2];
    let is_match = |name: &str| base_name(name) == FILE;
    let Some(first) = bases(image).first().copied() else {
        return find_file_in_flattened_image(image, era, is_match).0.map_err(|end| match end.is_passed_on {
            true => LookupError::with_message(format!("cannot read package contents: {}", end.error)),
            false => {
                let cause = Some(end.error).filter(|error| *error != ReadError::End);
                LookupError { message: NOT_FOUND.to_owned(), cause: cause.map(|error| error.to_string()) }
            }
        });
    };
    let layer = image.manifest.layers.get(first).ok_or_else(|| LookupError::with_message(NOT_FOUND))?;
    if let Err(error) = open(image, layer, era) {
        return Err(LookupError::with_message(format!("cannot uncompress layer: {error}")));
    }
    find_file_in_layer(image, first, era, is_match).0.map_err(|error| match error {
        ReadError::End => LookupError::with_message(NOT_FOUND),
        error => LookupError::with_message(format!("cannot read package contents: {error}")),
    })
}

const NOT_FOUND: &str = "package.yaml not found in package";

/// Error of a layer, in the words of Go's reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadError {
    /// The bytes do not match a size or digest.
    Altered(String),
    /// The layer is not compressed with gzip.
    NotGzip,
    /// End of the archive.
    End,
    /// Any other error.
    Other(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Altered(message) | Self::Other(message) => message,
            Self::NotGzip => "gzip: invalid header",
            Self::End => "EOF",
        })
    }
}

/// The last element of a path, like Go's `filepath.Base`.
fn base_name(name: &str) -> &str {
    name.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

type OpenedLayer<'s> = (Packing, Box<dyn Read + 's>, Fault);

/// Opens and decompresses a layer.
fn open<'s>(image: &'s PackageImage<'_>, layer: &Descriptor, era: &Era) -> Result<OpenedLayer<'s>, ReadError> {
    let Blob { reader, fault, length, request } =
        image.store.blob(layer).map_err(|error| ReadError::Other(error.message))?;
    // Source: google/go-containerregistry@v0.21.6 `pkg/v1/remote/fetcher.go`, `fetchBlob`; v0.20.7 does not compare the
    // length.
    if let Some(length) = length.filter(|length| !era.validates && *length != layer.size) {
        let message = format!("{request}: Content-Length header {length} does not match expected size {}", layer.size);
        return Err(ReadError::Other(message));
    }
    let (packing, reader) =
        unpacked(reader, layer.size, image.store.budget()).map_err(|error| go_error(&error, &fault))?;
    Ok((packing, reader, fault))
}

/// Formats a read error like Go; a fault of the blob takes precedence.
fn go_error(error: &io::Error, fault: &Fault) -> ReadError {
    if let Some(fault) = fault.borrow().clone() {
        return ReadError::Altered(fault);
    }
    ReadError::Other(match error.kind() {
        io::ErrorKind::UnexpectedEof => "unexpected EOF".to_owned(),
        _ => error.to_string(),
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads a file of a layer, and the error that stopped the read.
fn read_file(entry: &mut impl Read, fault: &Fault) -> (Vec<u8>, Option<String>) {
    let mut bytes = Vec::new();
    let cut = entry.take(FILE_LIMIT).read_to_end(&mut bytes).err().map(|error| go_error(&error, fault).to_string());
    (bytes, cut)
}

/// Searches one layer. Returns the file or the error, and the number of entries read.
fn find_file_in_layer(
    image: &PackageImage<'_>,
    at: usize,
    era: &Era,
    is_match: impl Fn(&str) -> bool,
) -> (Result<PackageFile, ReadError>, usize) {
    let Some(layer) = image.manifest.layers.get(at) else { return (Err(ReadError::End), 0) };
    let (_, reader, fault) = match open(image, layer, era) {
        Ok(opened) => opened,
        Err(error) => return (Err(error), 0),
    };
    let mut checked = 0;
    let found = visit_entries(reader, |entry| {
        let name = text(&entry.path_bytes());
        if is_match(&name) {
            let (bytes, cut) = read_file(entry, &fault);
            return ControlFlow::Break(PackageFile { layer: at, name, bytes, cut });
        }
        checked += 1;
        ControlFlow::Continue(())
    });
    let found = found.map_err(|error| go_error(&error, &fault));
    (found.and_then(|found| found.ok_or(ReadError::End)), checked)
}

/// Error that ends a search of all layers; `ReadError::End` after the last layer.
struct End {
    error: ReadError,
    /// True if Go's reader receives this error; otherwise it receives the end of an archive.
    is_passed_on: bool,
}

/// Searches the flattened image, from the top layer down.
fn find_file_in_flattened_image(
    image: &PackageImage<'_>,
    era: &Era,
    is_match: impl Fn(&str) -> bool,
) -> (Result<PackageFile, End>, usize) {
    let mut flattened = Flattened::new(era.uses_new_flattening());
    let mut checked = 0;
    let end = |error: ReadError, is_passed_on| Err(End { error, is_passed_on });
    for (at, layer) in image.manifest.layers.iter().enumerate().rev() {
        let (_, reader, fault) = match open(image, layer, era) {
            Ok(opened) => opened,
            Err(error) => return (end(error, false), checked),
        };
        let ended = visit_entries(reader, |entry| {
            let name = text(&entry.path_bytes());
            let kind = entry.header().entry_type();
            let link =
                entry.link_name_bytes().filter(|_| kind.is_symlink() || kind.is_hard_link()).map(|link| text(&link));
            let shown = flattened.visible_name(Entry { name: &name, is_folder: kind.is_dir(), link: link.as_deref() });
            let Some(shown) = shown else { return ControlFlow::Continue(()) };
            if is_match(&shown) {
                let (bytes, cut) = read_file(entry, &fault);
                return ControlFlow::Break(Ok(PackageFile { layer: at, name: shown, bytes, cut }));
            }
            checked += 1;
            // Holes of a sparse file may have any size, and are not stored in the archive.
            if !kind.is_gnu_sparse()
                && let Err(error) = io::copy(entry, &mut io::sink())
            {
                return ControlFlow::Break(end(go_error(&error, &fault), true));
            }
            ControlFlow::Continue(())
        });
        match ended {
            Ok(None) => {}
            Ok(Some(found)) => return (found, checked),
            Err(error) => return (end(go_error(&error, &fault), false), checked),
        }
    }
    (end(ReadError::End, false), checked)
}

/// All occurrences of the file, hidden or not, from the top layer: layer and path.
pub(super) fn anywhere(image: &PackageImage<'_>) -> Vec<(usize, String)> {
    let layers = (0..image.manifest.layers.len()).rev();
    let found = layers.filter_map(|at| {
        let (found, _) = find_file_in_layer(image, at, &ERAS[0], |name| base_name(&clean_path(name)) == FILE);
        found.ok().map(|found| (at, found.name))
    });
    found.collect()
}

/// Reads a whole layer, and compares size and digests with manifest and config.
/// Source: google/go-containerregistry@v0.20.7 `pkg/v1/validate/layer.go`.
pub(super) fn validate(image: &PackageImage<'_>, at: usize) -> Result<(), ReadError> {
    let Some(layer) = image.manifest.layers.get(at) else { return Ok(()) };
    let (packing, reader, fault) = open(image, layer, &ERAS[0])?;
    if image.store.is_as_pushed() && packing != Packing::Gzip {
        return Err(ReadError::NotGzip);
    }
    let mut reader = digest_of_reader(reader);
    let names = distinct_names(&mut reader).map_err(|error| match error {
        DuplicateName::Named(name) => ReadError::Other(format!("duplicate file path: {name}")),
        DuplicateName::Broken(error) => go_error(&error, &fault),
    });
    names?;
    io::copy(&mut reader, &mut io::sink()).map_err(|error| go_error(&error, &fault))?;
    if let Some(fault) = fault.borrow().clone() {
        return Err(ReadError::Altered(fault));
    }
    if !image.store.is_as_pushed() {
        return Ok(());
    }
    let config = image.config().map_err(|error| ReadError::Other(error.message.clone()))?;
    let first = image.manifest.layers.iter().position(|other| other.digest == layer.digest).unwrap_or(at);
    let got = reader.digest();
    match config.rootfs.diff_ids.get(first) {
        None => Err(ReadError::Other(format!("unknown blob {}", layer.digest))),
        Some(message) if *message != got => {
            let message = format!("mismatched diffid: DiffID()={message}, SHA256(Gunzip(Compressed()))={got}");
            Err(ReadError::Altered(message))
        }
        Some(_) => Ok(()),
    }
}

enum DuplicateName {
    Named(String),
    Broken(io::Error),
}

/// Error for two files of one name in an archive.
fn distinct_names(reader: &mut impl Read) -> Result<(), DuplicateName> {
    let mut names = HashSet::new();
    let twice = visit_entries(reader, |entry| match text(&entry.path_bytes()) {
        name if names.contains(&name) => ControlFlow::Break(name),
        name => {
            names.insert(name);
            ControlFlow::Continue(())
        }
    });
    match twice.map_err(DuplicateName::Broken)? {
        Some(name) => Err(DuplicateName::Named(name)),
        None => Ok(()),
    }
}

/// Validates all layers; unless the depth is `Full`, checks only their existence and compression.
fn validate_all(image: &PackageImage<'_>, depth: Depth) -> Result<(), String> {
    for (at, layer) in image.manifest.layers.iter().enumerate() {
        let result = match depth {
            Depth::Full => validate(image, at),
            Depth::Needed if layer.media_type.ends_with("zstd") => Err(ReadError::NotGzip),
            Depth::Needed => image.store.has(layer).map_err(|error| ReadError::Other(error.message)),
        };
        result.map_err(|error| format!("validating layers: {error}"))?;
    }
    image.config().map(drop).map_err(|error| format!("validating config: {}", error.message))
}
