//! Values of releases in ConfigMaps and in `HelmChartConfig` objects of k3s.

use std::fs;
use std::path::{Path, PathBuf};

use super::kustomization::{Behavior, Content};
use super::objects::nearest;
use super::repository::{ConfigMapText, Repository};
use super::variables::{PostBuild, Variables};

/// A key of a generated ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Generated {
    /// No generator creates the ConfigMap.
    Unknown,
    /// The ConfigMap has no such key, or its file cannot be read.
    Absent,
    Text(String),
}

impl Generated {
    fn text(self) -> Option<String> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

impl Repository<'_> {
    /// Value of a ConfigMap key: from a ConfigMap that the build generates, else from the nearest ConfigMap of the
    /// input. `folders` are the kustomizations from the object's own kustomization to the outermost one of its build.
    pub(super) fn config_map(
        &self,
        (namespace, name): (Option<&str>, &str),
        key: &str,
        (file, folders): (Option<&Path>, &[PathBuf]),
    ) -> Option<String> {
        let of_build = |with_others| self.generated((namespace, name), key, (file, folders), with_others);
        let generated = of_build(false);
        if generated != Generated::Unknown {
            return generated.text();
        }
        match self.config_map_data(namespace, name, file) {
            Some(data) => data.iter().find(|(known, _)| known == key).map(|(_, text)| text.clone()),
            None => of_build(true).text(),
        }
    }

    /// Data of the ConfigMap that is nearest to a file.
    fn config_map_data(
        &self,
        namespace: Option<&str>,
        name: &str,
        file: Option<&Path>,
    ) -> Option<&Vec<(String, String)>> {
        // A ConfigMap without a namespace is applied in the release's namespace.
        let is_match = |config_map: &ConfigMapText| {
            config_map.namespace.is_none() || namespace.is_none() || config_map.namespace.as_deref() == namespace
        };
        let named = self.config_maps.get(name).into_iter().flatten().filter(|(_, config_map)| is_match(config_map));
        nearest(named.map(|(file, config_map)| (*file, config_map.data.as_ref())), file)
    }

    /// Variables of a Kustomization of Flux in a namespace.
    pub(super) fn variables(&self, post_build: &PostBuild, namespace: Option<&str>, file: Option<&Path>) -> Variables {
        let data = post_build.config_maps.iter().filter_map(|name| self.config_map_data(namespace, name, file));
        post_build.variables(data.cloned())
    }

    /// Value of a key of a generated ConfigMap; with `with_others` also from other kustomizations that these
    /// kustomizations list.
    fn generated(
        &self,
        (namespace, name): (Option<&str>, &str),
        key: &str,
        (file, folders): (Option<&Path>, &[PathBuf]),
        with_others: bool,
    ) -> Generated {
        let own = file.and_then(Path::parent).filter(|_| folders.is_empty()).map(Path::to_owned);
        let is_other = |folder: &PathBuf| {
            let kustomization = self.kustomization(folder);
            let other = kustomization.as_ref().and_then(|kustomization| kustomization.namespace.as_deref());
            !folders.contains(folder) && (other.is_none() || namespace.is_none() || other == namespace)
        };
        let mut found = Generated::Unknown;
        for folder in own.iter().chain(folders) {
            if found == Generated::Unknown && with_others {
                let others = self.listed(folder).into_iter().filter(is_other);
                let others = others.map(|other| self.generated_by(&other, name, key, Generated::Unknown));
                let mut others = others.filter(|other| *other != Generated::Unknown);
                let first = others.next().filter(|first| others.all(|other| other == *first));
                found = first.unwrap_or(Generated::Unknown);
            }
            found = self.generated_by(folder, name, key, found);
        }
        found
    }

    /// Value of a key after the generators of a kustomization.
    fn generated_by(&self, folder: &Path, name: &str, key: &str, before: Generated) -> Generated {
        let Some(kustomization) = self.kustomization(folder) else { return before };
        let mut config_maps = kustomization.config_maps.iter();
        let Some(config_map) = config_maps.find(|config_map| config_map.name == name) else { return before };
        match config_map.data.iter().find(|(known, _)| known == key) {
            Some((_, Content::Text(text))) => Generated::Text(text.clone()),
            Some((_, Content::File(path))) => {
                self.text_below_root(&folder.join(path)).map_or(Generated::Absent, Generated::Text)
            }
            None if config_map.behavior == Behavior::Merge => before,
            None => Generated::Absent,
        }
    }

    /// Text of a file of the repository.
    fn text_below_root(&self, file: &Path) -> Option<String> {
        let root = self.root.as_ref()?;
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let is_below = file.canonicalize().ok()?.starts_with(root.canonicalize().ok()?);
        fs::read_to_string(file).ok().filter(|_| is_below)
    }

    /// Values that a `HelmChartConfig` adds to the `HelmChart` with this name.
    pub(super) fn chart_config(&self, namespace: Option<&str>, name: &str) -> Option<String> {
        let is_match = |(known_namespace, known, _): &&(Option<String>, String, String)| {
            known_namespace.as_deref() == namespace && known == name
        };
        self.chart_configs.iter().find(is_match).map(|(.., text)| text.clone())
    }

    /// True if the input has the `HelmChart` with this name.
    pub(super) fn has_helm_chart(&self, namespace: Option<&str>, name: &str) -> bool {
        self.helm_charts.iter().any(|(known_namespace, known)| known_namespace.as_deref() == namespace && known == name)
    }
}
