//! The version of a program that the input installs: the tag of its image, also in the values of its chart, else the
//! version of the chart.

use super::Model;
use crate::dependency::chart_version;
use crate::model::Meta;
use crate::model::pod::{Container, PodTemplate};
use crate::version::ProgramVersion;
use krm::escape_line;
use oci::name::ImageRef;

/// Version of a program, from the image of a container that `is_match` accepts; else from an object that installs one of
/// these charts. Returned with the source of the version, for messages.
pub fn version_of(
    model: &Model,
    is_match: impl Fn(&Meta, &PodTemplate, &Container) -> bool,
    charts: &[&str],
) -> Option<(ProgramVersion, String)> {
    let mut of_images = model.workloads().filter_map(|(_, object, template)| {
        template.running().find_map(|(_, container)| {
            let image = ImageRef::split(&container.image);
            let is_match = is_match(&object.meta, template, container);
            let version = image.tag.filter(|_| is_match).map(ProgramVersion::read).filter(ProgramVersion::is_known)?;
            Some((version, format!("the image of {}", object.meta)))
        })
    });
    let mut of_charts = model.helm_releases().filter_map(|(_, meta, release)| {
        let chart = model.resolved_chart_source(release);
        let text = chart.version().filter(|_| charts.contains(&chart.name()));
        let tag = release.image_tag.as_deref().filter(|_| charts.contains(&chart.name()));
        if let Some(version) = tag.map(ProgramVersion::read).filter(ProgramVersion::is_known) {
            return Some((version, format!("`image.tag` in the values of {meta}")));
        }
        let text = text?;
        let version = chart_version(text);
        let range =
            if ProgramVersion::read(text).is_known() { String::new() } else { format!(" {}", escape_line(text)) };
        version.is_known().then(|| (version, format!("the chart version{range} of {meta}")))
    });
    of_images.next().or_else(|| of_charts.next())
}
