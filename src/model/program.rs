//! Which program of the catalogue runs in a container (P0).

use std::sync::Arc;

use super::Meta;
use super::listener::Hints;
use super::pod::Container;
use super::version::ProgramVersion;
use crate::catalog::{self, Program};

/// The catalogue's program of a container, and its version.
#[must_use]
pub fn program_of(container: &Container, meta: &Meta, hints: &Hints) -> Option<(Arc<Program>, ProgramVersion)> {
    let (name, tag) = image_parts(&container.image);
    let version = || match tag {
        Some(tag) => ProgramVersion::read(tag),
        None => meta.labels.get("app.kubernetes.io/version").map_or(ProgramVersion::unknown(), ProgramVersion::read),
    };
    if let Some((program, version)) = &hints.program {
        return fits(container, program).then(|| (Arc::clone(program), version.clone()));
    }
    catalog::programs_of_image(name).find(|program| fits(container, program)).map(|program| (program, version()))
}

/// Whether command and subcommand of a container are those of a program.
fn fits(container: &Container, program: &Program) -> bool {
    let mut words = container.words().map(|(_, _, word)| word);
    program.command.iter().all(|wanted| words.any(|word| word == wanted))
}

/// The last path segment of an image and its tag.
fn image_parts(image: &str) -> (&str, Option<&str>) {
    let image = image.split('@').next().unwrap_or_default();
    let last = image.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        Some((name, tag)) => (name, Some(tag)),
        None => (last, None),
    }
}
