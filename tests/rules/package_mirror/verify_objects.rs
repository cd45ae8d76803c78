//! `hostnet mirror verify` for packages with objects that the CRDs of a release refuse.

use super::verify_text::package_of;
use crate::support::run::hostnet;

const META: &str = "apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: platform}\n";

/// The output without digest, and the exit code, for a Configuration with an object of `apiextensions.crossplane.io`.
fn verified(version: &str, kind: &str, spec: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let content = format!(
        "{META}---\napiVersion: apiextensions.crossplane.io/{version}\nkind: {kind}\nmetadata: {{name: dbs}}\nspec: {spec}\n"
    );
    package_of(&content).lay(&folder.path().join("mirror"));
    let run = hostnet(folder.path(), &[&["mirror", "verify"], arguments, &["oci:mirror"]].concat(), b"");
    let text = run.text();
    let lines = text.lines().filter(|line| !line.contains("digest:"));
    format!("{}\nexit code {}", lines.collect::<Vec<_>>().join("\n"), run.code.unwrap())
}

/// True if a release refuses the object.
fn is_refused(release: &str, version: &str, kind: &str, spec: &str) -> bool {
    let output = verified(version, kind, spec, &["--crossplane", release]);
    let is_refused = output.contains(": refuses: cannot establish control of object: ");
    assert_eq!(output.ends_with("exit code 1"), is_refused, "{output}");
    is_refused
}

#[test]
fn native_compositions_are_refused_from_v2_on() {
    insta::assert_snapshot!(verified("v1", "Composition", "{mode: Resources, resources: [{name: a}]}", &[]), @r#"
    oci:mirror (Configuration)
      Crossplane v1.14 to v1.20: installs
      Crossplane v2.0 and v2.1, v2.2 and later: refuses: cannot establish control of object: Composition.apiextensions.crossplane.io "dbs" is invalid: spec.mode: Unsupported value: "Resources": supported values: "Pipeline"
      warning: the CRDs of Crossplane v2.0 and v2.1 refuse objects of package.yaml: Composition dbs: spec.mode: Unsupported value: "Resources": supported values: "Pipeline"
      warning: the CRDs of Crossplane v2.2 and later refuse objects of package.yaml: Composition dbs: spec.mode: Unsupported value: "Resources": supported values: "Pipeline"
    exit code 1
    "#);
    let refused = |release: &str, spec: &str| is_refused(release, "v1", "Composition", spec);
    // `Resources` was the default mode up to v1.20.
    for spec in
        ["{resources: [{name: a}]}", "{mode: Resources, resources: [{name: a}]}", "{mode: Pipeline, pipeline: []}"]
    {
        assert!(refused("v2.0.0", spec) && refused("v2.3.4", spec), "{spec}");
        assert!(!refused("v1.20.11", spec), "{spec}");
    }
    for spec in [
        "{mode: Pipeline, pipeline: [{step: a}]}",
        "{pipeline: [{step: a}], resources: []}",
        "{mode: '', pipeline: [{}]}",
    ] {
        assert!(!refused("v2.3.4", spec), "{spec}");
    }
}

#[test]
fn claims_of_other_scopes_are_refused_from_v2_on() {
    let claim = "{claimNames: {kind: Db, plural: dbs}}";
    insta::assert_snapshot!(verified("v2", "CompositeResourceDefinition", claim, &["--crossplane", "v2.3.4"]), @r#"
    oci:mirror (Configuration)
      Crossplane v2.3.4: refuses: cannot establish control of object: CompositeResourceDefinition.apiextensions.crossplane.io "dbs" is invalid: spec: Invalid value: "object": Claims aren't supported in apiextensions.crossplane.io/v2
      warning: the CRDs of Crossplane v2.3.4 refuse objects of package.yaml: CompositeResourceDefinition dbs: spec: Invalid value: "object": Claims aren't supported in apiextensions.crossplane.io/v2
    exit code 1
    "#);
    let refused =
        |release: &str, version: &str, spec: &str| is_refused(release, version, "CompositeResourceDefinition", spec);
    for (version, spec) in [
        ("v1", "{scope: Namespaced, claimNames: {kind: Db}}"),
        ("v1", "{scope: Cluster, connectionSecretKeys: [user]}"),
        ("v1", "{scope: Other}"),
        ("v2", "{connectionSecretKeys: [user]}"),
        ("v2", "{scope: LegacyCluster}"),
    ] {
        assert!(refused("v2.0.0", version, spec), "{spec}");
        // v1.20 drops the scope, and its parser has no v2.
        assert!(version == "v2" || !refused("v1.20.11", version, spec), "{spec}");
    }
    for (version, spec) in [
        ("v1", claim),
        ("v1", "{scope: LegacyCluster, claimNames: {kind: Db}, connectionSecretKeys: [user]}"),
        ("v1", "{scope: Cluster, claimNames: null}"),
        ("v2", "{scope: Cluster, claimNames: null, connectionSecretKeys: []}"),
    ] {
        assert!(!refused("v2.3.4", version, spec), "{spec}");
    }
}
