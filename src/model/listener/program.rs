//! Programs of the catalogue that run in a container.

use std::sync::Arc;

use super::hints::Hints;
use super::role::Role;
use crate::catalog::{self, PackageKind, Program, ProgramMatch, best_match};
use crate::model::facts::{Package, package};
use crate::model::meta::Meta;
use crate::model::pod::Container;
use crate::model::setting::settings;
use crate::version::ProgramVersion;
use oci::name::ImageRef;

/// Returns the program of a container in the catalogue or config, and its version.
///
/// The most specific image wins, then a program of the config, then the program with the most command words; `None` if
/// two programs are still equal. The program that the target names, with the version in the target, counts for
/// containers whose image shows it; if no image in the target shows it, for containers whose image shows no program.
pub fn program_of(container: &Container, meta: &Meta, hints: &Hints) -> Option<(Arc<Program>, ProgramVersion)> {
    let package = PackageKind::from_meta(meta).filter(|_| container.name == package::CONTAINER);
    let shown = program_of_image(&container.image, package, hints, |program| {
        fits(container, program) && !contradicts_program(container, program)
    });
    let Some((named, version)) = &hints.program else { return shown };
    let is_meant = match &shown {
        Some((program, _)) => program.name == named.name,
        None => !hints.is_program_shown && fits(container, named),
    };
    if is_meant { Some((Arc::clone(named), version.clone())) } else { shown }
}

/// Returns a row of `programs` for a program without listeners that the catalogue does not know, with a flag or variable
/// in `notListen`, if there is one.
pub fn program_row(container: &Container, not_listen: Option<&str>) -> String {
    let image = ImageRef::split(&container.image).last_segment();
    let program = Some(image).filter(|image| !image.is_empty()).unwrap_or(&container.name);
    let not_listen = not_listen.map(|name| format!("notListen: [{name}], ")).unwrap_or_default();
    format!("{{name: {program}, images: [{program}], {not_listen}listeners: []}}")
}

/// Returns the program of a package in the catalogue, whatever its runtime config adds.
pub fn program_of_package(package: &Package) -> Option<(Arc<Program>, ProgramVersion)> {
    let any = |program: &Program| program.command.is_empty();
    program_of_image(&package.image, Some(package.kind), &Hints::default(), any)
}

/// True if the catalogue has a program of the image, whatever command the program needs.
pub fn is_image_of_catalogue(image: &str) -> bool {
    let image = ImageRef::split(image).name;
    !is_common_image_name(image) && catalog::programs_of_image(image, None).next().is_some()
}

/// Returns the best match for an image, and its version; `None` if two match equally.
fn program_of_image(
    image: &str,
    package: Option<PackageKind>,
    hints: &Hints,
    fits: impl Fn(&Program) -> bool,
) -> Option<(Arc<Program>, ProgramVersion)> {
    let ImageRef { name: image, tag, .. } = ImageRef::split(image);
    let own = hints.programs.iter().filter(|program| program.package == package);
    let own = own.filter_map(|program| Some((best_match(&program.images, image)?, true, Arc::clone(program))));
    let replaced = |program: &Program| hints.programs.iter().any(|configured| configured.name == program.name);
    // Many projects have an image named `controller`, so the segment before it or a word of the command must match too.
    let common = is_common_image_name(image);
    let is_specific = |(shared, program): &(ProgramMatch, Arc<Program>)| {
        !common || shared.segments > 1 || !program.command.is_empty() || package.is_some()
    };
    let known =
        catalog::programs_of_image(image, package).filter(|(_, program)| !replaced(program)).filter(is_specific);
    let known = known.map(|(shared, program)| (shared, false, program));
    let mut fitting: Vec<_> = own.chain(known).filter(|(_, _, program)| fits(program)).collect();
    let rank =
        |(shared, is_own, program): &(ProgramMatch, bool, Arc<Program>)| (*shared, *is_own, program.command.len());
    fitting.sort_by_key(rank);
    let best = fitting.pop()?;
    if fitting.last().is_some_and(|next| rank(next) == rank(&best)) {
        return None;
    }
    let version = tag.map_or(ProgramVersion::unknown(), ProgramVersion::read_release);
    Some((best.2, version))
}

/// True if command and subcommand of a container match a program, also if a shell script starts it.
fn fits(container: &Container, program: &Program) -> bool {
    let of_script = |(_, _, script): (_, _, &str)| program.fits(script.split_ascii_whitespace());
    program.fits(container.words().map(|(_, _, word)| word)) || container.script().is_some_and(of_script)
}

/// True if the declared ports of a container contradict a program that matches only one common segment of the image: a
/// default port of the program has the name of another role, and no flag or variable of the program is set. A missing
/// port contradicts nothing.
pub(super) fn contradicts_program(container: &Container, program: &Program) -> bool {
    let path = ImageRef::split(&container.image).name;
    let one_segment = best_match(&program.images, path).is_some_and(|shared| shared.segments == 1);
    if !one_segment || !is_common_image_name(path) {
        return false;
    }
    let settings = settings(container);
    let all = program.listeners.iter().flat_map(|listener| &listener.settings);
    if all.into_iter().any(|known| settings.iter().any(|setting| setting.name == known.name())) {
        return false;
    }
    program.listeners.iter().any(|listener| {
        let role = Role::from_catalog(&listener.role);
        container.ports.iter().flatten().any(|port| {
            let name = port.name.as_deref().unwrap_or_default();
            let other =
                Role::from_name(name).is_some_and(|named| named != role && !listener.role.contains(named.as_str()));
            port.number().is_some_and(|number| listener.is_default(number))
                && other
                && !listener.names.iter().any(|n| n == name)
        })
    })
}

/// True if many programs have images with this last segment.
fn is_common_image_name(image: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or_default();
    catalog::WORDS.common_images.contains(&last)
}
