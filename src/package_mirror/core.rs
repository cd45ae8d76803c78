//! Crossplane's core: the packages that its init container installs, and its namespace.

use crate::crossplane::is_crossplane;
use crate::model::pod::{Container, PodTemplate};
use crate::model::{Model, Object, ObjectId};
use lossless_yaml::Path;

/// The flags of the core's init container that name packages.
/// Source: crossplane/crossplane@v1.20.11 and @v2.3.4 `cmd/crossplane/core/init.go`.
const FLAGS: [(&str, &str); 3] =
    [("--provider", "Provider"), ("--configuration", "Configuration"), ("--function", "Function")];

/// Packages that the core's init container installs, in one word of its arguments.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    pub(super) object: ObjectId,
    pub(super) container: String,
    /// The word's path, and the word.
    pub(super) path: Path,
    pub(super) word: String,
    /// The text before the packages in the word: `--provider=`, or empty.
    pub(super) before: String,
    pub(super) kind: &'static str,
}

impl Installed {
    /// The packages of the word: one, or several with commas between.
    pub(super) fn packages(&self) -> impl Iterator<Item = &str> {
        self.word.get(self.before.len()..).unwrap_or_default().split(',')
    }

    /// The word with renamed packages; `None` if no name changes.
    pub(super) fn renamed(&self, name: impl Fn(&str) -> String) -> Option<String> {
        let names: Vec<String> = self.packages().map(name).collect();
        let word = format!("{}{}", self.before, names.join(","));
        (word != self.word).then_some(word)
    }
}

/// True for a container that runs the core itself, not its RBAC manager or its init command.
pub(super) fn runs_core_process(template: &PodTemplate, container: &Container) -> bool {
    let mut words = container.words().map(|(.., word)| word).skip_while(|word| word.ends_with("crossplane"));
    is_crossplane(template, container)
        && words.next().is_none_or(|word| word == "core")
        && words.next().is_none_or(|word| word != "init")
}

/// The packages that init containers of Crossplane install, in reading order.
pub(super) fn installed(model: &Model) -> Vec<Installed> {
    let objects = model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
    objects.flat_map(|(id, object)| packages_installed_by(id, object)).collect()
}

/// The packages that init containers of one object install.
pub(super) fn packages_installed_by(id: ObjectId, object: &Object) -> Vec<Installed> {
    let mut found = Vec::new();
    let containers = object
        .templates()
        .iter()
        .flat_map(|template| template.containers.iter().filter(|container| is_crossplane(template, container)));
    for container in containers {
        let mut kind_of_next = None;
        for (list, index, word) in container.words() {
            let (flag, has_value) = word.split_once('=').map_or((word, false), |(flag, _)| (flag, true));
            let of_flag = FLAGS.iter().find(|(known, _)| *known == flag).map(|(_, kind)| *kind);
            let (kind, before) = match (kind_of_next.take(), of_flag) {
                (Some(kind), _) => (kind, String::new()),
                (None, Some(kind)) if has_value => (kind, format!("{flag}=")),
                (None, of_flag) => {
                    kind_of_next = of_flag;
                    continue;
                }
            };
            let path = container.word_path(list, index);
            let container = container.name.clone();
            found.push(Installed { object: id, container, path, word: word.to_owned(), before, kind });
        }
    }
    found
}

/// The namespace of the core; `None` if the core is not in the input.
pub(super) fn namespace(model: &Model) -> Option<String> {
    model.workloads().find_map(|(_, object, template)| {
        template
            .running()
            .any(|(_, container)| is_crossplane(template, container))
            .then(|| object.meta.namespace.clone())?
    })
}
