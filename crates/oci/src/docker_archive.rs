//! Reads archives of `docker save`, and packages of `crossplane xpkg build`, which use the same format.
//!
//! Source: google/go-containerregistry@v0.21.6 `pkg/v1/tarball`; crossplane/crossplane@v2.3.4 `cmd/crank/xpkg/push.go`,
//! which converts labels of an image's config to layer annotations.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Deserialize;

use super::archive::Archive;
use super::budget::Budget;
use super::checked::{Fault, digest_of};
use super::layout::MANIFEST_LIMIT;
use super::manifest::{Descriptor, ImageFile};
use super::store::{Blob, Root, Store, StoreError};

/// The prefix of labels that become layer annotations; a colon and the layer digest follow.
const LAYER_LABEL: &str = "io.crossplane.xpkg";

/// An image in an archive. A manifest is generated only on push, so file names serve as digests until then.
#[derive(Debug)]
pub struct DockerArchive {
    files: Archive,
    display_name: String,
    /// True if labels become annotations, as in `crossplane xpkg push`.
    is_package: bool,
    budget: Rc<Budget>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    config: String,
    #[serde(default)]
    layers: Vec<String>,
}

impl DockerArchive {
    /// Creates the image of an archive; `display_name` is the source as written.
    pub fn new(files: Archive, display_name: &str, is_package: bool, budget: Rc<Budget>) -> Self {
        Self { files, display_name: display_name.to_owned(), is_package, budget }
    }

    /// Reads a file of the archive.
    fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        match self.files.read(name, MANIFEST_LIMIT) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(StoreError::permanent(format!("{name} is not in the archive"))),
            Err(error) => Err(StoreError::permanent(format!("{name}: {error}"))),
        }
    }

    /// Size of a file of the archive.
    fn size(&self, name: &str) -> u64 {
        self.files.open(name).ok().flatten().map(|(_, size)| size).unwrap_or_default()
    }
}

/// The digest that a file name contains, as in archives of go-containerregistry; else the name.
fn digest_in(name: &str) -> String {
    let hex = name.strip_suffix(".tar.gz").or_else(|| name.strip_prefix("blobs/sha256/")).unwrap_or(name);
    let is_digest = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    if is_digest { format!("sha256:{hex}") } else { name.to_owned() }
}

impl Store for DockerArchive {
    fn root(&self) -> Result<Root, StoreError> {
        let entries: Vec<Entry> = serde_json::from_slice(&self.bytes("manifest.json")?)
            .map_err(|error| StoreError::permanent(format!("manifest.json: {error}")))?;
        let [entry] = entries.as_slice() else {
            return Err(StoreError::permanent(format!(
                "the archive has {} images; save one of them into a separate archive",
                entries.len()
            )));
        };
        let config = self.bytes(&entry.config)?;
        let labels = serde_json::from_slice::<ImageFile>(&config).unwrap_or_default().config.labels;
        let layer = |name: &String| {
            let label = labels.get(&format!("{LAYER_LABEL}:{}", digest_in(name))).filter(|_| self.is_package);
            let annotations: BTreeMap<&str, &String> = label.map(|value| (LAYER_LABEL, value)).into_iter().collect();
            serde_json::json!({"digest": name, "size": self.size(name), "annotations": annotations})
        };
        let layers: Vec<serde_json::Value> = entry.layers.iter().map(layer).collect();
        let manifest = serde_json::json!({
            "config": {"digest": entry.config, "size": config.len()},
            "layers": layers,
        });
        let bytes = manifest.to_string().into_bytes();
        Ok(Root { digest: digest_of(&bytes), bytes, media_type: String::new() })
    }

    fn manifest(&self, descriptor: &Descriptor) -> Result<Vec<u8>, StoreError> {
        self.bytes(&descriptor.digest)
    }

    fn blob<'s>(&'s self, descriptor: &Descriptor) -> Result<Blob<'s>, StoreError> {
        match self.files.open(&descriptor.digest) {
            Ok(Some((reader, _))) => Ok(Blob { reader, fault: Fault::default(), length: None, request: String::new() }),
            Ok(None) => Err(StoreError::permanent(format!("{} is not in the archive", descriptor.digest))),
            Err(error) => Err(StoreError::permanent(format!("{}: {error}", descriptor.digest))),
        }
    }

    fn budget(&self) -> &Rc<Budget> {
        &self.budget
    }

    fn display_name(&self) -> &str {
        &self.display_name
    }

    fn is_as_pushed(&self) -> bool {
        false
    }
}
