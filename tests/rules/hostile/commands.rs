//! Suggested commands and printed scripts do not execute text of a manifest or a config.

use super::{mirror, run_over};

#[test]
fn words_of_a_release_are_quoted() {
    let release = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: r, namespace: n}\nspec: {url: 'https://a.io/$(id)'}\n---\n\
                   apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: '$(touch a)', namespace: 'n;id'}\n\
                   spec: {chart: {spec: {chart: cert-manager, version: \"1'; id; '\", sourceRef: {kind: HelmRepository, name: r, namespace: n}}}}\n";
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: h}\nspec: {targets: [{select: {kind: Deployment, name: x}, ports: auto}]}\n";
    let run = run_over(&[("m.yaml", release), ("h.yaml", config)], &["apply", "--check", "-c", "h.yaml", "m.yaml"]);
    let want =
        r"helm template '$(touch a)' cert-manager --repo 'https://a.io/$(id)' --version '1'\''; id; '\''' -n 'n;id'`";
    assert!(run.stderr.contains(want), "{}", run.stderr);
}

#[test]
fn a_path_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a $(id); b'c";
    std::fs::create_dir(folder.path().join(name)).unwrap();
    std::fs::write(folder.path().join(name).join("kustomization.yaml"), "resources: []\n").unwrap();
    let run = crate::support::run::hostnet(folder.path(), &["mirror", "list", name], b"");
    assert!(run.stderr.contains(r"`hostnet mirror list --build 'a $(id); b'\''c'` reads its build"), "{}", run.stderr);
}

#[test]
fn the_script_for_kind_has_an_address() {
    for to in
        ["1$(id)127.0.0.1:5000", "172.18.0.5$(id):5000", "127.0.0.1:5000", "8.8.8.8:5000", "172.18.0.5:0", "172.18.0.5"]
    {
        let run = run_over(&[("mirror.yaml", &mirror(to))], &["mirror", "node-config", "-c", "mirror.yaml", "--kind"]);
        assert_eq!((run.code, run.text().as_str()), (Some(1), ""), "{to}");
    }
    let run = run_over(
        &[("mirror.yaml", &mirror("172.18.0.5:5000"))],
        &["mirror", "node-config", "-c", "mirror.yaml", "--kind"],
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
