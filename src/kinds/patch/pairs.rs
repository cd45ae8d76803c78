//! Which render belongs to which release: the object that carries its patches.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::kinds::charts::charts;
use crate::model::Meta;
use crate::releases::{By, Rendered};
use crate::render::charts_script::file_names;
use crate::wire::Input;

/// An object that is rendered, and may carry patches for what is rendered from it.
#[derive(Debug, Clone)]
pub struct Carrier {
    /// What is rendered from it.
    pub rendered: Rendered,
    /// Its file.
    pub file: PathBuf,
    /// The position of its document in the file.
    pub document: usize,
    /// False for what is rendered from an object that another one makes.
    is_own: bool,
    /// The file into which the script of `hostnet charts` renders it.
    pub name: String,
}

impl Carrier {
    /// True for an object with a place for patches: a `HelmRelease`, a Kustomization of Flux, an Application that builds a kustomization.
    #[must_use]
    pub fn holds_patches(&self) -> bool {
        match &self.rendered.by {
            By::Helm(_) => self.rendered.kind == "HelmRelease",
            By::Kustomize(_) => self.is_own,
            By::Program { .. } | By::Operator { .. } | By::Nothing(_) => false,
        }
    }
}

/// The objects of a repository that are rendered, with the names of the files that `hostnet charts` gives them.
#[must_use]
pub fn carriers(inputs: &[Input], root: PathBuf) -> Vec<Carrier> {
    let found = charts(inputs, root);
    let names = file_names(&found.iter().map(|one| &one.rendered).collect::<Vec<_>>());
    let carrier = |(one, name): (crate::kinds::charts::Found, String)| {
        Some(Carrier { rendered: one.rendered, file: one.file?, document: one.document, is_own: one.is_own, name })
    };
    found.into_iter().zip(names).filter_map(carrier).collect()
}

/// What a render says of the release that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// Its objects have the labels of the release.
    Same,
    /// Its objects have the labels of this other release.
    Other(String),
    /// Nothing.
    None,
}

/// The labels that Helm's own conventions give all objects of a release: name of the release, and chart with version.
const LABELS: [&str; 2] = ["app.kubernetes.io/instance", "helm.sh/chart"];

/// What the objects of a render say of the release. Objects with one of the two labels only do not count: other tools write them too.
#[must_use]
pub fn evidence(input: &Input, release: &str) -> Evidence {
    let labelled = |meta: &Meta| {
        let [instance, chart] = LABELS.map(|key| meta.labels.get(key));
        instance.zip(chart).map(|(instance, _)| instance.to_owned())
    };
    // A fault of the input is reported by whoever reads it whole.
    let found = input.objects(|_, object| labelled(&Meta::of(object))).unwrap_or_default();
    let releases: BTreeSet<String> = found.into_iter().flatten().collect();
    match releases.first() {
        _ if releases.contains(release) => Evidence::Same,
        Some(other) => Evidence::Other(other.clone()),
        None => Evidence::None,
    }
}

/// The carrier of each input: the one into whose file `hostnet charts` renders, else the only one whose release its labels name.
///
/// # Errors
///
/// A sentence for each input that has none, or that its labels give to another release.
pub fn pair<'c>(inputs: &[Input], carriers: &'c [Carrier]) -> Result<Vec<&'c Carrier>, Vec<String>> {
    let (mut pairs, mut errors) = (Vec::new(), Vec::new());
    for input in inputs {
        let name =
            input.origin().path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
        let release = |carrier: &Carrier| match &carrier.rendered.by {
            By::Helm(release) => Some(release.name.clone()),
            _ => None,
        };
        let named = carriers.iter().find(|carrier| Some(&carrier.name) == name.as_ref());
        let labelled = || {
            let is_it = |carrier: &&Carrier| {
                release(carrier).is_some_and(|release| evidence(input, &release) == Evidence::Same)
            };
            let mut found = carriers.iter().filter(is_it);
            found.next().filter(|_| found.next().is_none())
        };
        let Some(carrier) = named.or_else(labelled) else {
            errors.push(format!(
                "{}: no release of the folder is rendered into a file of this name, and its labels name none: name it as `hostnet charts` \
                 does, or give --into the file of its release",
                input.origin()
            ));
            continue;
        };
        if let Some(Evidence::Other(other)) = release(carrier).map(|release| evidence(input, &release)) {
            errors.push(format!(
                "{}: its labels are those of the release {other}, and {} is another one",
                input.origin(),
                carrier.rendered.object()
            ));
            continue;
        }
        pairs.push(carrier);
    }
    if errors.is_empty() { Ok(pairs) } else { Err(errors) }
}
