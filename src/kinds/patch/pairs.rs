//! Matches renders with the objects that carry their patches.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use crate::kustomize::Identity;
use crate::model::Meta;
use crate::releases::{Release, Rendered, Renderer, Values, place_of_render};
use crate::render::charts_script::{differs_by_number_only, file_names};
use krm::{Input, escape_line, shell_path, shown_path};

/// An object that another program renders, and that may carry patches for the rendered manifests.
#[derive(Debug, Clone)]
pub struct Carrier {
    /// The object and the program that renders it.
    pub rendered: Rendered,
    /// File of the object.
    pub file: PathBuf,
    /// Output file for the object in the script of `hostnet charts`.
    pub name: String,
}

impl Carrier {
    /// True for an object with a field for patches.
    pub fn holds_patches(&self) -> bool {
        self.rendered.holds_patches()
    }

    /// Helm release of the object, if any.
    pub fn release(&self) -> Option<&Release> {
        self.rendered.release()
    }
}

/// Carriers among the rendered objects of a repository, with the file names that `hostnet charts` uses. Chart folders
/// and kustomizations with charts have no place for patches.
pub fn carriers(found: Vec<Rendered>) -> Vec<Carrier> {
    let names = file_names(&found);
    let carrier = |(rendered, name): (Rendered, String)| {
        let is_rendered = matches!(rendered.by, Renderer::Helm(_) | Renderer::Kustomize(_) | Renderer::Program { .. });
        let file = rendered.file.clone().unwrap_or_else(|| PathBuf::from(&rendered.name));
        is_rendered.then_some(Carrier { rendered, file, name })
    };
    found.into_iter().zip(names).filter_map(carrier).collect()
}

/// Evidence that a render belongs to a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleaseMatch {
    /// The objects of the render have the labels of the release.
    Same,
    /// The objects of the render have the labels of this other release.
    Other(String),
    /// No evidence.
    None,
}

/// Labels of all objects of a release by Helm's conventions: release name, and chart with version.
const LABELS: [&str; 2] = ["app.kubernetes.io/instance", "helm.sh/chart"];

/// Pairs of both labels, of objects that have both; objects with only one label may have it from another tool.
fn labels(input: &Input) -> BTreeSet<(String, String)> {
    let labelled = |meta: &Meta| {
        let [instance, chart] = LABELS.map(|key| meta.labels.get(key).map(str::to_owned));
        instance.zip(chart)
    };
    // Invalid inputs are reported by the code that reads them completely.
    let found = input.objects(|_, object| labelled(&Meta::read(object))).unwrap_or_default();
    found.into_iter().flatten().collect()
}

/// Compares a render with a carrier's release: by the file name that `hostnet charts` uses, else by labels. The
/// instance label of a chart may start with the release name: traefik's chart appends the namespace.
pub fn evidence(input: &Input, carrier: &Carrier) -> ReleaseMatch {
    let Some(release) = carrier.release() else { return ReleaseMatch::None };
    let name = input.origin().path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    match name.as_deref().and_then(|name| Some((name, name.strip_prefix("helmrelease_")?.strip_suffix(".yaml")?))) {
        Some((name, _)) if *name == carrier.name => return ReleaseMatch::Same,
        Some((_, other)) => {
            let (namespace, other) = other.rsplit_once('_').unwrap_or(("", other));
            let of_namespace =
                if other == release.name { format!(" in the namespace {namespace}") } else { String::new() };
            return ReleaseMatch::Other(format!("{other}{of_namespace}"));
        }
        None => {}
    }
    let labels = labels(input);
    let is_same = |(instance, _): &(String, String)| {
        instance.strip_prefix(release.name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    match labels.first() {
        _ if labels.iter().any(is_same) => ReleaseMatch::Same,
        Some((instance, _)) => ReleaseMatch::Other(instance.clone()),
        None => ReleaseMatch::None,
    }
}

/// Namespace of a render's objects if it differs from the namespace of the release, so that no patch would match.
/// `None` if an object is or may be in the release's namespace, if the values name the other namespace, or if the
/// release's namespace is unknown.
fn other_namespace(input: &Input, carrier: &Carrier) -> Option<String> {
    let release = carrier.release()?;
    let own = release.namespace.as_deref()?;
    let name = input.origin().path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    // The script of `hostnet charts` renders into the namespace that the file's name has.
    if place_of_render(input.text()).is_some() && name.as_deref() == Some(carrier.name.as_str()) {
        return None;
    }
    let namespaces = input.objects(|_, object| {
        let meta = Meta::read(object);
        // Helm puts an object of these groups without a namespace into the namespace of the release.
        let is_namespaced =
            NAMESPACED.contains(&meta.gvk.group.as_str()) && !Identity::from_meta(&meta).is_cluster_scoped();
        (meta.namespace.is_some() || is_namespaced).then_some(meta.namespace)
    });
    let namespaces: BTreeSet<String> = namespaces.ok()?.into_iter().flatten().collect::<Option<_>>()?;
    let is_named = |values: &Values| match values {
        Values::Text { text, .. } | Values::Set(_, text) => names_namespace(text, &namespaces),
        Values::File(path) => fs::read_to_string(path).is_ok_and(|text| names_namespace(&text, &namespaces)),
        Values::Missing { .. } => false,
    };
    let is_other = !namespaces.contains(own) && !release.values.iter().any(is_named);
    namespaces.first().filter(|_| is_other).cloned()
}

/// API groups whose kinds are in namespaces, except for Kubernetes' own cluster-scoped kinds.
const NAMESPACED: [&str; 3] = ["", "apps", "batch"];

/// True for values with a line such as `namespaceOverride: shop` that has one of these namespaces.
fn names_namespace(values: &str, namespaces: &BTreeSet<String>) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut lines = values.lines().filter(|line| line.to_lowercase().contains("namespace"));
    lines.any(|line| line.split(|c| !is_part(c)).any(|word| namespaces.contains(word)))
}

/// The sentence about a render in another namespace than its release.
fn wrong_namespace(input: &Input, carrier: &Carrier) -> Option<String> {
    let other = other_namespace(input, carrier)?;
    let own = escape_line(carrier.release()?.namespace.as_deref()?);
    Some(format!(
        "{}: its objects are in the namespace {}, and {} in {} installs into {own}, so no patch would match: render it with \
         `helm template -n {own}`, or by the script of `hostnet charts`",
        input.origin(),
        escape_line(&other),
        carrier.rendered.object(),
        shown_path(&carrier.file)
    ))
}

/// Refuses renders in another namespace than the release that gets their patches.
///
/// # Errors
///
/// A sentence for each of these renders.
pub fn refuse_other_namespaces<'c>(pairs: impl Iterator<Item = (&'c Input, &'c Carrier)>) -> Result<(), Vec<String>> {
    let errors: Vec<String> = pairs.filter_map(|(input, carrier)| wrong_namespace(input, carrier)).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Finds the carrier of each input: the object named in its first line, else the object whose `hostnet charts` output
/// file it is, else the only carrier whose release its labels name.
///
/// # Errors
///
/// A sentence for each input without a carrier, with labels of another release of the folder, or whose carrier has
/// another render.
pub fn pair<'c>(inputs: &[Input], carriers: &'c [Carrier]) -> Result<Vec<&'c Carrier>, Vec<String>> {
    let (mut pairs, mut errors): (Vec<&Carrier>, Vec<String>) = (Vec::new(), Vec::new());
    let mut taken: HashMap<(&Path, &str), String> = HashMap::new();
    for input in inputs {
        let name = input.origin().path().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let is_named = |carrier: &&Carrier| Some(&carrier.name) == name.as_ref();
        let found = match place_of_render(input.text()) {
            Some((path, position)) => {
                let path = path.canonicalize().ok();
                let is_match = |carrier: &&Carrier| {
                    carrier.rendered.position() == position
                        && path.is_some()
                        && carrier.file.canonicalize().ok() == path
                };
                let own: Vec<&Carrier> = carriers.iter().filter(is_match).collect();
                let found = own.iter().copied().find(is_named).or_else(|| own.first().copied());
                // The path is relative to the folder of the first run.
                found.or_else(|| carriers.iter().find(is_named))
            }
            None => carriers.iter().find(is_named).or_else(|| labelled(input, carriers)),
        };
        let Some(carrier) = found else {
            let source = place_of_render(input.text()).map(|(file, _)| file).filter(|file| file.is_file());
            let is_of_carrier = |file: &PathBuf| carriers.iter().any(|carrier| is_same_file(&carrier.file, file));
            if let Some(file) = source.filter(|file| !is_of_carrier(file)) {
                errors.push(format!(
                    "{}: its first line names {}, and --into has no release in that file: give --into {}, or a folder with it",
                    input.origin(),
                    shown_path(&file),
                    shell_path(&file)
                ));
                continue;
            }
            errors.push(format!(
                "{}: no release of the folder is rendered into a file of this name, and its labels name no release: name it as \
                 `hostnet charts` does, or give --into the file of its release",
                input.origin()
            ));
            continue;
        };
        if place_of_render(input.text()).is_some()
            && name.as_ref().is_some_and(|name| is_scripted(name) && !differs_by_number_only(name, &carrier.name))
        {
            errors.push(format!(
                "{}: its first line names {} in {}, but its file name is that of another object: run the script of `hostnet charts` again, into an empty folder",
                input.origin(),
                carrier.rendered.object(),
                shown_path(&carrier.file)
            ));
            continue;
        }
        if let Some(other) = release_of_other_carrier(input, carrier, carriers) {
            errors.push(format!(
                "{}: its labels name the release {other}, but {} is a different release",
                input.origin(),
                carrier.rendered.object()
            ));
            continue;
        }
        let place = (carrier.file.as_path(), carrier.name.as_str());
        if let Some(first) = taken.insert(place, input.origin().to_string()) {
            let object = carrier.rendered.object();
            errors.push(format!("{}: {object} has a render already, {first}: give one of them", input.origin()));
            continue;
        }
        pairs.push(carrier);
    }
    if errors.is_empty() { Ok(pairs) } else { Err(errors) }
}

/// True for a file name of the script of `hostnet charts`: kind, namespace and name.
fn is_scripted(name: &str) -> bool {
    let mut parts = name.split('_');
    parts.next().is_some_and(|kind| kind.chars().all(|c| c.is_ascii_lowercase())) && parts.count() > 1
}

/// The only carrier whose release the render's labels name.
fn labelled<'c>(input: &Input, carriers: &'c [Carrier]) -> Option<&'c Carrier> {
    let labels = labels(input);
    let is_match = |carrier: &&Carrier| {
        carrier.release().is_some_and(|release| labels.iter().any(|(instance, _)| *instance == release.name))
    };
    let mut found = carriers.iter().filter(is_match);
    found.next().filter(|_| found.next().is_none())
}

/// Release of another carrier that the render's labels name; `None` if they name the given carrier.
pub fn release_of_other_carrier(input: &Input, carrier: &Carrier, carriers: &[Carrier]) -> Option<String> {
    let release = carrier.release()?;
    let labels = labels(input);
    if labels.iter().any(|(instance, _)| *instance == release.name) {
        return None;
    }
    let others: BTreeSet<&str> =
        carriers.iter().filter_map(Carrier::release).map(|other| other.name.as_str()).collect();
    labels.into_iter().map(|(instance, _)| instance).find(|instance| others.contains(instance.as_str()))
}
