//! A text of an object that holds an image.

use crate::model::Meta;
use lossless_yaml::Path;
use oci::name::ImageRef;

/// How sure it is that a text is an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// It is the field `image`, or that of a volume.
    Field,
    /// It is the value of an argument or a variable that the catalogue knows by its name.
    Name,
    /// It looks like one.
    Form,
    /// It is a field `image` of an object whose kind is not known here: its controller runs it.
    Unread,
}

/// A text that holds an image.
#[derive(Debug, Clone)]
pub(super) struct ImageField {
    pub(super) path: Path,
    /// What stands before the image in the text: `--sidecar-image=`, or nothing.
    pub(super) before: String,
    pub(super) image: String,
    /// The part of the object that has it: `container web`; none when the image is that of the object.
    pub(super) part: Option<String>,
    pub(super) says: Says,
}

impl ImageField {
    /// Whether it surely is an image, whose registry is written or is known to be left out.
    pub(super) fn is_image(&self) -> bool {
        let image = || ImageRef::of(&self.image);
        match self.says {
            Says::Field => true,
            Says::Name => image().registry.is_some(),
            // Another field may hold the tag.
            Says::Unread => image().tag.is_some() || image().digest.is_some(),
            Says::Form => false,
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
