//! The used parts of manifests, indexes and configs of images. Like in Go, missing fields are empty.
//!
//! Source: opencontainers/image-spec@v1.1.1 `manifest.md`, `image-index.md`, `config.md`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// A manifest of one image.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Manifest {
    /// The image's config.
    pub config: Descriptor,
    /// The layers, lowest first.
    #[serde(deserialize_with = "nullable")]
    pub layers: Vec<Descriptor>,
}

/// An index: manifests of one image for several platforms.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Index {
    /// The manifests.
    #[serde(deserialize_with = "nullable")]
    pub manifests: Vec<Descriptor>,
}

/// A reference to a blob or manifest.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Descriptor {
    /// The media type; may be empty.
    #[serde(deserialize_with = "nullable")]
    pub media_type: String,
    /// The digest, `sha256:…`.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
    /// Annotations.
    #[serde(deserialize_with = "nullable")]
    pub annotations: BTreeMap<String, String>,
    /// The platform of the image; set only in an index.
    pub platform: Option<Platform>,
}

/// A platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Platform {
    /// `linux`
    pub os: String,
    /// `amd64`
    pub architecture: String,
}

/// An image's config.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ImageFile {
    /// The command configuration.
    #[serde(deserialize_with = "nullable")]
    pub config: Running,
    /// The layers.
    pub rootfs: RootFs,
    /// The operating system.
    #[serde(deserialize_with = "nullable")]
    pub os: String,
    /// The processor architecture.
    #[serde(deserialize_with = "nullable")]
    pub architecture: String,
}

/// The command configuration of an image.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Running {
    /// Labels.
    #[serde(deserialize_with = "nullable")]
    pub labels: BTreeMap<String, String>,
    /// The entrypoint.
    #[serde(deserialize_with = "nullable")]
    pub entrypoint: Vec<String>,
    /// The arguments of the entrypoint; if there is no entrypoint, the command.
    #[serde(deserialize_with = "nullable")]
    pub cmd: Vec<String>,
}

/// The layers of an image.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RootFs {
    /// The digests of the unpacked layers.
    #[serde(deserialize_with = "nullable")]
    pub diff_ids: Vec<String>,
}

/// Media types of indexes.
const INDEXES: [&str; 2] =
    ["application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json"];

impl Index {
    /// Parses an index; `None` if the bytes are not an index. Without a media type the content decides.
    ///
    /// # Errors
    /// If the bytes should be an index and are invalid.
    pub fn read(bytes: &[u8], media_type: &str) -> Result<Option<Self>, serde_json::Error> {
        let is_index = if media_type.is_empty() {
            let value: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
            let message = value.get("mediaType").and_then(serde_json::Value::as_str);
            message.map_or_else(|| value.get("manifests").is_some(), |message| INDEXES.contains(&message))
        } else {
            INDEXES.contains(&media_type)
        };
        is_index.then(|| serde_json::from_slice(bytes)).transpose()
    }

    /// The number of images without a platform.
    pub fn unnamed(&self) -> usize {
        self.manifests.iter().filter(|manifest| manifest.platform.is_none()).count()
    }

    /// The named platforms of the images, without attestations, which have an unknown platform.
    pub fn platforms(&self) -> Vec<Platform> {
        let all = self.manifests.iter().filter_map(|manifest| manifest.platform.clone());
        all.filter(|platform| platform.os != "unknown").collect()
    }
}

impl Descriptor {
    /// The reason why Crossplane's library rejects a digest; `None` for a valid digest.
    ///
    /// Source: google/go-containerregistry@v0.21.6 `pkg/v1/hash.go`, `parse`.
    pub fn digest_fault(&self) -> Option<String> {
        let text = self.digest.as_str();
        let Some((algorithm, hex)) =
            text.split_once(':').filter(|(algorithm, hex)| !algorithm.is_empty() && !hex.is_empty())
        else {
            return Some(format!("cannot parse hash: \"{text}\""));
        };
        if let Some(other) = hex.chars().find(|c| !matches!(c, '0'..='9' | 'a'..='f')) {
            return Some(format!("found non-hex character in hash: {other}"));
        }
        if algorithm != "sha256" {
            return Some(format!("unsupported hash: \"{algorithm}\""));
        }
        (hex.len() != 64).then(|| format!("wrong number of hex digits for {algorithm}: {hex}"))
    }
}

impl Manifest {
    /// True for a manifest without config and layers, which is probably another kind of document.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.config.digest.is_empty()
    }
}

impl std::fmt::Display for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.os, self.architecture)
    }
}

/// Treats `null` like a missing field.
fn nullable<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(from)?.unwrap_or_default())
}
