//! A `ProxyEnvironment` in hosts that `kustomization-tests` does not cover: Flux's HelmRelease, Helm's post-renderer,
//! and patches of two kinds for one input.

use std::path::Path;
use std::process::Command;

use crate::cases::{HOSTNET, canonical, command, copy, host};
use crate::support::material::material;
use crate::support::{project, run, text};
use crate::typed::deserialize_all;

const EXAMPLE: &str = "examples/proxy-environment";

fn hostnet(folder: &Path, arguments: &[&str], stdin: &str) -> String {
    let output = run(Command::new(HOSTNET).args(arguments).current_dir(folder), stdin.as_bytes());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The Deployment of the example, as a chart renders it. Packages are not part of the chart.
fn chart() -> String {
    let base = std::fs::read_to_string(project().join(EXAMPLE).join("base/crossplane.yaml")).unwrap();
    base.split("---\n").filter(|document| document.contains("kind: Deployment\n")).collect::<Vec<_>>().join("---\n")
}

#[test]
fn post_renderers_of_a_helm_release_make_the_same_objects() {
    let Some(fluxbuild) = host("fluxbuild") else { return };
    let folder = tempfile::tempdir().unwrap();
    let config = project().join(EXAMPLE).join("hostnet.yaml");
    let config = config.to_str().unwrap();
    let chart = chart();
    let printed = hostnet(folder.path(), &["patch", "--as", "helmrelease", "-c", config], &chart);
    let (_, renderers) = printed.split_once("\nspec:\n").unwrap();
    let release = folder.path().join("release.yaml");
    let object = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec:\n  interval: 1h\n  chart: {spec: {chart: crossplane, sourceRef: {kind: HelmRepository, name: crossplane}}}\n";
    std::fs::write(&release, format!("{object}{renderers}")).unwrap();
    let post_render = |chart: &str| {
        run(Command::new(&fluxbuild).args(["helm-post-render", "--helmrelease"]).arg(&release), chart.as_bytes())
    };
    let patched = post_render(&chart);
    assert!(patched.status.success(), "{}", text(&patched.stderr));
    let patched = text(&patched.stdout);
    assert_eq!(canonical(&patched), canonical(&hostnet(folder.path(), &["apply", "-c", config], &chart)));
    assert!(patched.contains(".crossplane-system,10.244.0.0/16"), "{patched}");
    deserialize_all(&patched);
    let with_policy =
        std::fs::read_to_string(config).unwrap().replace("spec:\n", "spec:\n  networkPolicy: Functions\n");
    std::fs::write(folder.path().join("policy.yaml"), with_policy).unwrap();
    let policy = hostnet(folder.path(), &["apply", "-c", "policy.yaml"], &chart);
    assert_eq!(deserialize_all(&policy), deserialize_all(&patched) + 1, "the policy is of its type");
    // If the chart has another list, the upgrade fails, so that no change of the list is lost.
    let upgraded = post_render(&chart.replace("10.0.0.0/8", "10.0.0.0/9"));
    assert!(
        !upgraded.status.success() && text(&upgraded.stderr).contains("testing value"),
        "{}",
        text(&upgraded.stderr)
    );
}

#[test]
fn helm_post_renders_with_the_plugin() {
    let Some(program) = host("helm") else { return };
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    copy(&project().join("examples/helm-post-renderer"), folder.path());
    let config = "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: p}\nspec: {httpsProxy: 'http://p:3128', targets: [{select: {name: tagger}}]}\n";
    std::fs::write(folder.path().join("hostnet.yaml"), config).unwrap();
    let helm = |arguments: &[&str]| {
        let mut command = command(&program);
        for (variable, own) in
            [("HELM_DATA_HOME", "data"), ("HELM_CONFIG_HOME", "config"), ("HELM_CACHE_HOME", "cache")]
        {
            command.env(variable, home.path().join(own));
        }
        let output = run(command.args(arguments).current_dir(folder.path()), b"");
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    helm(&["plugin", "install", "plugin"]);
    let render = ["template", "tagger", "chart", "--namespace", "tagger"];
    let plain = helm(&render);
    let rendered =
        helm(&[&render[..], &["--post-renderer", "hostnet", "--post-renderer-args", "hostnet.yaml"]].concat());
    assert_eq!(canonical(&rendered), canonical(&hostnet(folder.path(), &["apply", "-c", "hostnet.yaml"], &plain)));
    assert!(rendered.contains("NO_PROXY") && !plain.contains("NO_PROXY"));
    deserialize_all(&rendered);
}

const NETWORK: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata: {name: h}\nspec: {crossplane: {version: v2.3.4}, targets: [{select: {kind: Provider}, ports: auto}, {select: {name: crossplane}, ports: auto}]}\n";
const PROXY: &str = "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {name: p}\nspec: {httpsProxy: 'http://p:3128', crossplane: {version: v2.3.4}, targets: [{select: {kind: Provider}}, {select: {name: crossplane}}]}\n";
const INPUT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: crossplane, namespace: crossplane-system}\nspec:\n  selector: {matchLabels: {app: crossplane}}\n  template:\n    metadata: {labels: {app: crossplane}}\n    spec:\n      containers:\n      - name: crossplane\n        image: xpkg.crossplane.io/crossplane/crossplane:v2.3.4\n        args: [core, start]\n        ports: [{name: webhooks, containerPort: 9443}]\n";
const PROVIDER: &str =
    "---\napiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: p}\nspec: {package: 'example.com/p:v1'}\n";

/// Builds patches of both kinds as components over one base. The patches of the second kind are made from the build
/// with the first (`from_build`), or from the input. Returns the build or its error.
fn both(input: &str, from_build: bool) -> Option<Result<String, String>> {
    let kustomize = host("kustomize")?;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |name: &str, content: &str| {
        let path = at.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    };
    let build = |name: &str| run(command(&kustomize).arg("build").arg(at.join(name)), b"");
    write("network.yaml", NETWORK);
    write("proxy.yaml", PROXY);
    write("base/input.yaml", input);
    write("base/kustomization.yaml", "resources: [input.yaml]\n");
    let component = |config: &str, name: &str, from: &str| {
        hostnet(at, &["patch", "--as", "component", "-c", config, "--output-dir", name], from);
    };
    component("network.yaml", "network", &text(&build("base").stdout));
    write("first/kustomization.yaml", "resources: [../base]\ncomponents: [../network]\n");
    let first = build("first");
    assert!(first.status.success(), "{}", text(&first.stderr));
    let from = if from_build { first.stdout } else { build("base").stdout };
    component("proxy.yaml", "proxy", &text(&from));
    write("all/kustomization.yaml", "resources: [../base]\ncomponents: [../network, ../proxy]\n");
    let all = build("all");
    Some(if all.status.success() { Ok(text(&all.stdout)) } else { Err(text(&all.stderr)) })
}

#[test]
fn patches_of_the_second_kind_are_made_from_the_build_with_the_first() {
    let input = format!("{INPUT}{PROVIDER}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("network.yaml"), NETWORK).unwrap();
    std::fs::write(folder.path().join("proxy.yaml"), PROXY).unwrap();
    let moved = hostnet(folder.path(), &["apply", "-c", "network.yaml"], &input);
    let applied = hostnet(folder.path(), &["apply", "-c", "proxy.yaml"], &moved);
    let Some(built) = both(&input, true) else { return };
    assert_eq!(canonical(&built.unwrap()), canonical(&applied));
}

/// If patches of both kinds are made from the same input, the build fails instead of silently losing a change.
#[test]
fn patches_of_both_kinds_from_one_input_fail() {
    let Some(package) = both(&format!("{INPUT}{PROVIDER}"), false) else { return };
    let why = package.unwrap_err();
    assert!(why.contains("hostnet-p"), "{why}");
    // The patches of the second kind do not expect the list of variables that the first kind adds.
    let of_core = both(INPUT, false).unwrap();
    let why = of_core.unwrap_err();
    assert!(why.contains("/env"), "{why}");
}

/// Crossplane's own chart, rendered with the values, gives the same variables as `apply` on a render without them.
#[test]
fn the_real_chart_renders_the_values_as_apply_does() {
    let Some(helm) = host("helm") else { return };
    let config = |version: &str, containers: &str| {
        format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: ProxyEnvironment\nmetadata: {{name: p}}\nspec: {{httpsProxy: 'http://p:3128', httpProxy: \
             'http://u:p%23$(x)@p:3128', literalCredentials: Warn, noProxy: [.example.com, '${{MORE}}', 'fd00::/8'], cluster: {{pods: [10.244.0.0/16]}}, crossplane: \
             {{version: {version}, namespace: xp}}, targets: [{{select: {{namespace: xp, name: crossplane.*}}{containers}}}]}}\n"
        )
    };
    for (version, containers) in [
        ("v1.14.5", ""),
        ("v1.20.11", ", containers: [crossplane]"),
        ("v2.3.4", ""),
        ("v2.3.4", ", containers: [crossplane]"),
    ] {
        let Some(chart) = material(&format!("charts/crossplane-{version}")) else { continue };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("proxy.yaml"), config(version, containers)).unwrap();
        let render = |more: &[&str]| {
            let mut arguments = vec!["template", "crossplane", chart.to_str().unwrap(), "--namespace", "xp", "--set"];
            let tag = format!("image.tag={version}");
            arguments.push(&tag);
            arguments.extend(more);
            let output = run(Command::new(&helm).args(&arguments).current_dir(folder.path()), b"");
            assert!(output.status.success(), "{}", text(&output.stderr));
            text(&output.stdout)
        };
        let values = hostnet(folder.path(), &["proxy", "env", "-c", "proxy.yaml", "--as", "helm-values"], "");
        std::fs::write(folder.path().join("values.yaml"), &values).unwrap();
        let by_values = variables(&render(&["--values", "values.yaml"]));
        let applied = variables(&hostnet(folder.path(), &["apply", "-c", "proxy.yaml"], &render(&[])));
        assert_eq!(by_values, applied, "{version} {containers}");
        let of_core = &by_values["crossplane/crossplane"];
        assert!(of_core["NO_PROXY"].contains(".xp,10.244.0.0/16") && of_core.len() > 10, "{of_core:?}");
        let manager = &by_values["crossplane-rbac-manager/crossplane"];
        assert_eq!(manager.contains_key("NO_PROXY"), !containers.is_empty(), "{manager:?}");
    }
}

/// Returns the variables of every container with their values, by Deployment and container.
fn variables(stream: &str) -> std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>> {
    let mut all = std::collections::BTreeMap::new();
    for document in serde_yaml::Deserializer::from_str(stream) {
        let object: serde_json::Value = serde::Deserialize::deserialize(document).unwrap();
        if object["kind"] != "Deployment" {
            continue;
        }
        for list in ["initContainers", "containers"] {
            for container in object["spec"]["template"]["spec"][list].as_array().into_iter().flatten() {
                let env = container["env"].as_array().into_iter().flatten();
                let env = env.map(|one| {
                    let value = one["value"].as_str().map_or_else(|| one["valueFrom"].to_string(), str::to_owned);
                    (one["name"].as_str().unwrap().to_owned(), value)
                });
                let name =
                    format!("{}/{}", object["metadata"]["name"].as_str().unwrap(), container["name"].as_str().unwrap());
                all.insert(name, env.collect());
            }
        }
    }
    all
}
