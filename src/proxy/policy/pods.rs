//! The pods at one end of a connection, as selectors see them.

use crate::model::facts::Requirements;
use crate::model::facts::package::{REVISION, package_of_revision};
use crate::model::text::Labels;
use crate::no_proxy::Range;

/// Pods of a workload or a package.
#[derive(Debug, Clone)]
pub(in crate::proxy) struct Pods {
    pub(in crate::proxy) namespace: String,
    pub(in crate::proxy) namespace_labels: Labels,
    pub(in crate::proxy) labels: Labels,
    /// The package that they run: Crossplane gives them the name of its revision too, which is the package's and a hash.
    pub(in crate::proxy) package: Option<String>,
    /// The ranges of pods' addresses, where these are known.
    pub(in crate::proxy) ranges: Vec<Range>,
}

impl Pods {
    /// Whether a selector selects them. One that names a revision of their package is taken for one that names the current one.
    pub(super) fn are_selected_by(&self, selector: &Requirements) -> bool {
        let is_own = |revision: &&str| package_of_revision(revision) == self.package.as_deref();
        let asked = selector.values(REVISION).find(is_own);
        let revision = self.package.as_deref().map(|package| asked.unwrap_or(package));
        selector.matched_by(|key| self.labels.get(key).or_else(|| revision.filter(|_| key == REVISION)))
    }
}
