//! Text fields of an object that contain an image.

use crate::model::Meta;
use lossless_yaml::Path;
use oci::name::ImageRef;

/// The evidence that a text is an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImageEvidence {
    /// The field `image` of a container or a volume.
    Field,
    /// The value of an argument or variable with a name of the catalogue.
    Name,
    /// The form of the text.
    Form,
    /// A field `image` of an unknown kind, whose controller runs it.
    Unread,
    /// The field `image` of a container in an object of an unknown kind.
    Container,
}

/// A text that contains an image.
#[derive(Debug, Clone)]
pub(super) struct ImageField {
    pub(super) path: Path,
    /// The text before the image: `--sidecar-image=`, or empty.
    pub(super) before: String,
    pub(super) image: String,
    /// The part of the object that has the image: `container web`; `None` for the image of the whole object.
    pub(super) part: Option<String>,
    pub(super) evidence: ImageEvidence,
}

impl ImageField {
    /// True for an image of an unknown kind, which is listed and not edited.
    pub(super) fn is_of_unknown_kind(&self) -> bool {
        matches!(self.evidence, ImageEvidence::Unread | ImageEvidence::Container)
    }

    /// True if the text is certainly an image.
    pub(super) fn is_image(&self) -> bool {
        let image = || ImageRef::split(&self.image);
        match self.evidence {
            ImageEvidence::Field | ImageEvidence::Container => true,
            ImageEvidence::Name => image().registry.is_some() || is_versioned(&image()),
            // Another field may hold the tag.
            ImageEvidence::Unread => image().tag.is_some() || image().digest.is_some(),
            ImageEvidence::Form => false,
        }
    }

    /// `Deployment shop/web: container web`
    pub(super) fn user(&self, meta: &Meta) -> String {
        match &self.part {
            Some(part) => format!("{meta}: {part}"),
            None => meta.to_string(),
        }
    }
}

/// True for an image with a digest, or with a tag that is not a port: `busybox:1.36`, not `redis:6379`.
pub(super) fn is_versioned(image: &ImageRef<'_>) -> bool {
    image.digest.is_some() || image.tag.is_some_and(|tag| !tag.bytes().all(|byte| byte.is_ascii_digit()))
}
