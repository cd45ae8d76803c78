//! Ports of nodes that operators of the input give to pods that they create.

use std::fmt::{self, Display, Formatter};
use std::ops::RangeInclusive;

use crate::catalog::{self, OPERATOR_RANGES};
use crate::model::pod::{Container, PodTemplate};
use crate::model::setting::{Setting, settings};
use crate::model::{Meta, Model};
use oci::name::ImageRef;

/// Range of ports of an operator of the input.
pub(crate) struct OperatorRange<'m> {
    /// Numbers of the range.
    pub(crate) numbers: RangeInclusive<u16>,
    pods: &'static str,
    /// Workload of the operator.
    pub(crate) operator: &'m Meta,
}

impl Display for OperatorRange<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.numbers.start(), self.numbers.end());
        write!(f, "the ports of nodes that {} gives to {} ({first}-{last})", self.operator, self.pods)
    }
}

/// Returns the ranges of all operators of the input.
pub(crate) fn operator_ranges(model: &Model) -> Vec<OperatorRange<'_>> {
    let mut found = Vec::new();
    for (_, object, template) in model.workloads() {
        for (_, container) in template.running() {
            let image = ImageRef::split(&container.image).last_segment();
            let row = OPERATOR_RANGES.iter().find(|row| row.images.contains(&image));
            found.extend(row.into_iter().flat_map(|row| ranges(row, container)).map(|(pods, numbers)| OperatorRange {
                numbers,
                pods,
                operator: &object.meta,
            }));
        }
    }
    found
}

/// Returns the range with a port, unless another object made the pods: the operator may be that object.
pub(crate) fn range_with<'r, 'm>(
    ranges: &'r [OperatorRange<'m>],
    template: &PodTemplate,
    number: u16,
) -> Option<&'r OperatorRange<'m>> {
    ranges.iter().find(|range| template.owner.is_none() && range.numbers.contains(&number))
}

/// Ranges of an operator by the flags and variables of its container, or its default.
fn ranges(row: &catalog::OperatorRange, container: &Container) -> Vec<(&'static str, RangeInclusive<u16>)> {
    let settings = settings(container);
    let value = |name: &&str| value_of(&settings, name);
    let ends = row.first.iter().find_map(value).zip(row.last.iter().find_map(value));
    let list = ends.map(|(first, last)| format!("{first}-{last}"));
    let list = list.or_else(|| row.ranges.and_then(|name| value(&name)).or(row.default).map(str::to_owned));
    list.iter().flat_map(|list| list.split(',')).filter_map(range).map(|range| (row.pods, range)).collect()
}

/// Value of the last flag, or of the variable, with this name.
fn value_of<'s>(settings: &'s [Setting], name: &str) -> Option<&'s str> {
    settings.iter().rev().find(|setting| setting.name == name)?.value.as_deref()
}

/// Reads `20000-25000`, or a single number. `KubeBlocks` also takes ranges that end in 65536.
fn range(text: &str) -> Option<RangeInclusive<u16>> {
    let number = |text: &str| text.trim().parse::<u32>().ok().map(|number| u16::try_from(number).unwrap_or(u16::MAX));
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = number(first)?..=number(last)?;
    (!range.is_empty()).then_some(range)
}
