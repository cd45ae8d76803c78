//! Index of the values of settings, to find the values that contain a position of a text.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::text::TextPlace;
use lossless_yaml::Path;

/// Ranges of texts, each with a port number. Two ranges of a text are nested or disjoint.
#[derive(Debug, Default)]
pub(in crate::model) struct Spans(BTreeMap<Path, Vec<Span>>);

#[derive(Debug)]
struct Span {
    range: Range<usize>,
    number: usize,
    /// Position of the smallest range that contains this range.
    parent: Option<usize>,
}

impl Spans {
    /// Indexes the ranges of positions.
    pub(in crate::model) fn new<'p>(places: impl Iterator<Item = (usize, &'p TextPlace)>) -> Self {
        let mut spans: BTreeMap<Path, Vec<Span>> = BTreeMap::new();
        for (number, place) in places {
            let span = Span { range: place.range.clone(), number, parent: None };
            spans.entry(place.path.clone()).or_default().push(span);
        }
        for list in spans.values_mut() {
            // Outer ranges first.
            list.sort_by_key(|span| (span.range.start, usize::MAX - span.range.end, span.number));
            let mut open: Vec<(usize, usize)> = Vec::new();
            for (position, span) in list.iter_mut().enumerate() {
                while open.last().is_some_and(|(end, _)| *end < span.range.end) {
                    open.pop();
                }
                span.parent = open.last().map(|(_, parent)| *parent);
                open.push((span.range.end, position));
            }
        }
        Self(spans)
    }

    /// Numbers of all ranges that contain a position.
    pub(in crate::model) fn containing(&self, place: &TextPlace) -> impl Iterator<Item = usize> {
        let spans = self.0.get(&place.path).map_or(&[][..], Vec::as_slice);
        let nearest = spans.partition_point(|span| span.range.start <= place.range.start).checked_sub(1);
        let all = std::iter::successors(nearest.and_then(|at| spans.get(at)), |span| spans.get(span.parent?));
        all.filter(|span| place.range.end <= span.range.end).map(|span| span.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, range: Range<usize>) -> TextPlace {
        TextPlace { path: Path::dotted(path), text: "".into(), range }
    }

    #[test]
    fn exactly_the_ranges_that_contain_an_offset_are_found() {
        let places =
            [("a", 0..50), ("a", 2..10), ("a", 4..6), ("a", 12..20), ("a", 12..20), ("b", 0..4), ("a", 60..60)];
        let places: Vec<TextPlace> = places.into_iter().map(|(path, range)| place(path, range)).collect();
        let spans = Spans::new(places.iter().enumerate());
        for path in ["a", "b", "c"] {
            for start in 0..62 {
                for end in start..62 {
                    let here = place(path, start..end);
                    let is_around = |place: &TextPlace| {
                        place.path == here.path && place.range.start <= start && end <= place.range.end
                    };
                    let expected: Vec<usize> = (0..places.len()).filter(|&at| is_around(&places[at])).collect();
                    let mut found: Vec<usize> = spans.containing(&here).collect();
                    found.sort_unstable();
                    assert_eq!(found, expected, "{here:?}");
                }
            }
        }
    }
}
