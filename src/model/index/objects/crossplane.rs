//! Crossplane's packages of an input, and the objects that configure them.

use super::Objects;
use crate::model::facts::{ChartPlace, ControllerConfig, HelmRelease, ImageConfig, Object, Package};
use crate::model::id::ObjectId;
use crate::model::meta::Meta;
use lossless_yaml::Value;

impl Objects {
    /// Crossplane's packages with a runtime.
    pub fn packages(&self) -> impl Iterator<Item = (ObjectId, &Meta, &Package)> {
        self.views(&self.crossplane, Object::package)
    }

    /// The first `DeploymentRuntimeConfig` of this name, whole.
    pub fn runtime_config(&self, name: &str) -> Option<(ObjectId, &Value)> {
        self.runtime_configs_named(name).next()
    }

    /// All `DeploymentRuntimeConfig`s of this name, whole: overlays of several environments may use one name.
    pub fn runtime_configs_named(&self, name: &str) -> impl Iterator<Item = (ObjectId, &Value)> {
        let ids = self.runtime_configs.get(name).into_iter().flatten();
        self.views(ids, Object::runtime_config).map(|(id, _, config)| (id, config))
    }

    /// The `ControllerConfig` of this name.
    pub fn controller_config(&self, name: &str) -> Option<(ObjectId, &ControllerConfig)> {
        let id = *self.controller_configs.get(name)?;
        Some((id, self.objects.get(id)?.controller_config()?))
    }

    /// The `ImageConfig`s.
    pub fn image_configs(&self) -> impl Iterator<Item = (ObjectId, &Meta, &ImageConfig)> {
        self.views(&self.image_configs, Object::image_config)
    }

    /// Charts that other programs install, each with its object.
    pub fn helm_releases(&self) -> impl Iterator<Item = (ObjectId, &Meta, &HelmRelease)> {
        self.charts().filter(|(.., release)| release.place != ChartPlace::Source)
    }

    /// The object with the name and version of the chart of a release: the source that it references, else the release.
    pub fn resolved_chart_source<'m>(&'m self, release: &'m HelmRelease) -> &'m HelmRelease {
        let ChartPlace::Reference(kind, namespace, name) = &release.place else { return release };
        let key = (kind.clone(), namespace.clone(), name.clone());
        let source = self.chart_sources.get(&key).and_then(|id| self.objects.get(*id)?.helm_releases());
        source.and_then(|source| source.first()).unwrap_or(release)
    }

    /// Helm releases of Crossplane's charts.
    fn charts(&self) -> impl Iterator<Item = (ObjectId, &Meta, &HelmRelease)> {
        let all = self.views(&self.crossplane, Object::helm_releases);
        all.flat_map(|(id, meta, releases)| releases.iter().map(move |release| (id, meta, release)))
    }
}
