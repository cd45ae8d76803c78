//! Objects of the inputs to which other objects refer by name.

use std::path::Path;

use super::resource_set::{documents, embedded, is_template};
use krm::Input;
use lossless_yaml::{NodeRef, Tree};

/// Data of an object.
pub(super) struct RepositoryObject<'i, T> {
    pub(super) file: Option<&'i Path>,
    /// True for an object in the templates of a `ResourceSet`.
    pub(super) is_embedded: bool,
    pub(super) data: T,
}

/// Reads objects of inputs that contain one of these words, also objects in the templates of a `ResourceSet`.
pub(super) fn objects<'i, T: Send>(
    inputs: &'i [Input],
    words: &[&str],
    read: fn(NodeRef<'_, '_>) -> Option<T>,
) -> Vec<RepositoryObject<'i, T>> {
    let mut found = Vec::new();
    for input in inputs.iter().filter(|input| words.iter().any(|word| input.text().contains(word))) {
        let all = |object: NodeRef<'_, '_>| {
            let inner = embedded(object).into_iter().filter(|(_, inner)| !is_template(*inner));
            let inner = inner.map(|(_, inner)| (true, inner));
            let all = [(false, object)].into_iter().chain(inner);
            let all = all.filter_map(|(is_embedded, object)| Some((is_embedded, read(object)?)));
            let of_text = documents(object).into_iter().filter(|document| !document.is_template);
            let of_text =
                of_text.filter_map(|document| Some((true, read(Tree::parse(&document.text).ok()?.root(0)?)?)));
            all.chain(of_text).collect::<Vec<_>>()
        };
        // Invalid inputs are reported by the caller.
        let read = input.objects(|_, object| all(object)).unwrap_or_default().into_iter().flatten();
        found.extend(read.map(|(is_embedded, data)| RepositoryObject {
            file: input.origin().path(),
            is_embedded,
            data,
        }));
    }
    found
}

/// The candidate nearest to a file; `None` if several different candidates are equally near.
pub(super) fn nearest<'c, T: PartialEq>(
    candidates: impl Iterator<Item = (Option<&'c Path>, T)>,
    file: Option<&Path>,
) -> Option<T> {
    let shared = |candidate: Option<&Path>| {
        let pairs = candidate.zip(file).map(|(candidate, file)| candidate.components().zip(file.components()));
        pairs.map_or(0, |pairs| pairs.take_while(|(step, file)| step == file).count())
    };
    let mut best: Option<(usize, T, bool)> = None;
    for (candidate, value) in candidates {
        let near = shared(candidate);
        match &mut best {
            Some((known, _, _)) if near < *known => {}
            Some((known, first, is_one)) if near == *known => *is_one &= *first == value,
            _ => best = Some((near, value, true)),
        }
    }
    best.filter(|(.., is_one)| *is_one).map(|(_, value, _)| value)
}
