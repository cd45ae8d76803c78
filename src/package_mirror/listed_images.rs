//! Lists images, and texts that may be images.

use std::collections::BTreeSet;

use super::core;
use super::hints::SCHEME;
use super::image_field::{ImageEvidence, ImageField};
use super::list::{ListedKind, Lister};
use crate::model::{Meta, Object, ObjectId};
use oci::name::ImageRef;

impl Lister<'_> {
    /// Adds the images of an object; texts that may be images below a `from` become unknown facts.
    pub(super) fn images(&mut self, id: ObjectId, object: &Object, fields: &[ImageField]) {
        for field in fields {
            let user = field.user(&object.meta);
            if field.is_image() {
                self.image(&field.image, user);
                continue;
            }
            let is_below = self.rules.is_some_and(|rules| rules.image_in_mirror(&field.image).is_some());
            // A package that the core installs is listed as a package.
            let is_package = || {
                core::packages_installed_by(id, object)
                    .iter()
                    .any(|installed| installed.path.is_same_place(&field.path))
            };
            match field.evidence {
                ImageEvidence::Unread if is_below || self.rules.is_none() => {
                    self.unknown.insert(format!("{user}: the version of the image `{}`", field.image));
                }
                ImageEvidence::Form if is_below && !is_package() => {
                    self.unknown.insert(format!("{user}: whether its value `{}` is an image", field.image));
                }
                _ => {}
            }
        }
    }

    /// Adds an image, and returns the source under which it is listed.
    pub(super) fn image(&mut self, image: &str, user: String) -> Option<String> {
        let reference = ImageRef::split(image);
        let Some(name) = reference.pulled_name() else {
            self.unknown.insert(format!("{user}: the image `{image}`, which is filled in later"));
            return None;
        };
        let source = format!("{name}{}", reference.suffix(image));
        self.add(ListedKind::Image, source.clone(), user);
        Some(source)
    }

    /// Adds artifacts of an object; those without a version, which its controller chooses, become unknown facts.
    pub(super) fn artifacts(&mut self, meta: &Meta, artifacts: &BTreeSet<String>) {
        for artifact in artifacts {
            let target = self.rules.and_then(|rules| rules.image_in_mirror(artifact));
            if self.rules.is_some() && target.is_none() {
                continue;
            }
            let image = ImageRef::split(artifact);
            let has_path = artifact.contains('/');
            if has_path && (image.tag.is_some() || image.digest.is_some()) {
                self.image(artifact, meta.to_string());
                continue;
            }
            let to = target.map(|target| format!(" (in the mirror {SCHEME}{target})")).unwrap_or_default();
            self.unknown.insert(format!("{meta}: the versions of {SCHEME}{artifact}{to} that it pulls"));
        }
    }
}
