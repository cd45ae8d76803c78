//! `hostnet proxy env`: converts the changes of a `ProxyEnvironment` to values of Crossplane's chart.

use super::function::RunError;
use super::run::run;
use crate::api::{FunctionPolicy, Proxy, ProxyConfig, Unmatched};
use crate::crossplane::ProgramValues;
use crate::render::Diagnostic;
use crate::rule::{PROXY_VARIABLE, Severity};
use crate::version::ProgramVersion;
use krm::{Input, Origin};
use lossless_yaml::{NodeRef, Path, Value, document};

/// A chart value that sets environment variables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) key: &'static str,
    /// Deployment, and its list of containers, in which the value sets variables.
    deployment: &'static str,
    list: &'static str,
    /// First chart release with the value; older releases ignore it.
    since: &'static str,
}

/// Creates the description of a part of the chart's values.
const fn block(key: &'static str, deployment: &'static str, list: &'static str, since: &'static str) -> Block {
    Block { key, deployment, list, since }
}

/// All chart values that set variables; v1.14.0 is the oldest release examined (crossplane/crossplane,
/// `cluster/charts/crossplane/templates`).
pub(super) const BLOCKS: [Block; 3] = [
    block("extraEnvVarsCrossplane", "crossplane", "containers", "v1.14.0"),
    block("extraEnvVarsCrossplaneInit", "crossplane", "initContainers", "v2.0.0"),
    block("extraEnvVarsRBACManager", "crossplane-rbac-manager", "containers", "v1.14.0"),
];

/// Comment above the values.
const HEADER: &str = "\
# Values of Crossplane's chart, made by `hostnet proxy env`: `helm upgrade --values FILE`. With `--set` each comma needs a `\\` before it.
";

/// Chart values, and results of the config's run.
#[derive(Debug)]
pub struct ChartValues {
    /// YAML of the values; `None` without values, or if an error stops the run.
    pub text: Option<String>,
    /// Results of the run, without changes.
    pub results: Vec<Diagnostic>,
}

/// Reason why chart values, which are plain strings, cannot express a config; `None` if they can.
pub fn why_not(config: &ProxyConfig) -> Option<String> {
    let spec = &config.proxy.spec;
    let proxies = [("httpProxy", &spec.http_proxy), ("httpsProxy", &spec.https_proxy)];
    let (name, _) = proxies.into_iter().find(|(_, proxy)| matches!(proxy, Some(Proxy::From(_))))?;
    Some(format!(
        "`{name}` is a reference, and the values of Crossplane's chart are texts: a patch can do it, `helm template ... | hostnet patch \
         -c CONFIG --as helmrelease`"
    ))
}

/// Converts the changes in the chart's Deployments to values.
pub fn values(config: &ProxyConfig) -> Result<ChartValues, RunError> {
    let mut config = config.clone();
    // Other targets do not select objects of the chart.
    config.proxy.spec.unmatched = Unmatched::Ignore;
    config.proxy.spec.network_policy = FunctionPolicy::None;
    let crossplane = &config.proxy.spec.crossplane;
    let given = crossplane.namespace.as_deref().or_else(|| core_target_namespace(&config));
    let namespace = given.unwrap_or("crossplane-system");
    let assumed = given.is_none().then(|| assumed(&config, namespace));
    let chart = chart(namespace, crossplane.version.as_deref());
    let input = Input::read(Origin::stdin(), chart.into_bytes())?;
    let inputs = [input];
    let mut run = run(&inputs, &config, false)?;
    // Positions in the generated Deployments are meaningless to users.
    run.results.iter_mut().for_each(|result| result.place = None);
    let ([input], [splices]) = (&inputs, run.splices.as_slice()) else {
        return Ok(ChartValues { text: None, results: run.results });
    };
    let written = Input::read(input.origin().clone(), input.output(splices).into_bytes())?;
    let version = ProgramVersion::read(crossplane.version.as_deref().unwrap_or_default());
    let found = written.objects(|_, node| read_deployment(node, &version))?.into_iter().flatten();
    let (mut blocks, mut missing) = (Vec::new(), Vec::new());
    for found in found {
        match found {
            Ok(block) => blocks.push(block),
            Err(reason) => missing.push(Diagnostic::error(PROXY_VARIABLE, reason)),
        }
    }
    if !run.failed() {
        run.results.extend(missing);
        run.results.extend(assumed.filter(|_| !blocks.is_empty()));
    }
    let text = (!run.failed() && !blocks.is_empty()).then(|| format!("{HEADER}{}", document(&Value::Map(blocks))));
    Ok(ChartValues { text, results: run.results })
}

/// Namespace of a target of Crossplane's core, where the chart is installed.
fn core_target_namespace(config: &ProxyConfig) -> Option<&str> {
    let is_plain = |text: &&str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let selects = config.proxy.spec.targets.iter().map(|target| &target.select);
    let of_core = selects.filter(|select| select.name.as_deref() == Some("crossplane"));
    of_core.filter_map(|select| select.namespace.as_deref()).find(is_plain)
}

/// Result about the assumed namespace.
fn assumed(config: &ProxyConfig, namespace: &str) -> Diagnostic {
    let place = config.place_of(&Path::root().key("spec"));
    let message = format!(
        "{place}: the namespace of the chart's release is not known, so {namespace} is assumed: the entry `.{namespace}` excludes \
         only the functions of that namespace. Write `crossplane: {{namespace: {namespace}}}` in the spec"
    );
    Diagnostic { severity: Severity::Warning, ..Diagnostic::error(PROXY_VARIABLE, message) }
}

/// Values that set the variables of a Deployment; the error is a reason why a container's variables cannot be set.
fn read_deployment(node: NodeRef<'_, '_>, version: &ProgramVersion) -> Vec<Result<(String, Value), String>> {
    let name = node.lookup(&Path::dotted("metadata.name")).and_then(NodeRef::text).unwrap_or_default();
    let of_list = |list: &'static str| {
        let container = node.lookup(&Path::dotted("spec.template.spec").key(list).item(0))?;
        let variables: Vec<(String, Value)> = (container.get("env")?.items())
            .filter_map(|item| Some((item.get("name")?.text()?.to_owned(), item.get("value")?.text()?.into())))
            .collect();
        if variables.is_empty() {
            return None;
        }
        let block = BLOCKS.iter().find(|block| block.deployment == name && block.list == list);
        if let Some(block) = block.filter(|block| version.has(block.since) != Some(false)) {
            return Some(Ok((block.key.to_owned(), Value::Map(variables))));
        }
        let since = block.map(|block| format!(" (`{}` came with {})", block.key, block.since)).unwrap_or_default();
        let container = container.get("name").and_then(NodeRef::text).unwrap_or_default();
        Some(Err(format!(
            "Deployment {name}: the chart has no value for the variables of container {container}{since}: leave it out of `containers`, or make a \
             patch, `helm template ... | hostnet patch -c CONFIG --as helmrelease`"
        )))
    };
    ["containers", "initContainers"].into_iter().filter_map(of_list).collect()
}

/// Deployments of the chart that a target may select.
fn chart(namespace: &str, version: Option<&str>) -> String {
    chart_deployments_with_env(namespace, version, &ProgramValues::default())
}

/// Deployments of the chart, with arguments and variables set by its values.
pub(super) fn chart_deployments_with_env(namespace: &str, version: Option<&str>, values: &ProgramValues) -> String {
    let tag = version.map(|version| format!(":{version}")).unwrap_or_default();
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let env = |deployment: &str, list: &str| {
        let found = BLOCKS.iter().find(|block| (block.deployment, block.list) == (deployment, list));
        let entry = |(name, value): &(String, String)| format!("{{name: {}, value: {}}}", text(name), text(value));
        let variables = found.map(|block| values.variables(block.key)).unwrap_or_default();
        variables.iter().map(entry).collect::<Vec<_>>().join(", ")
    };
    let image = text(&format!("xpkg.crossplane.io/crossplane/crossplane{tag}"));
    // `args` are arguments of the core alone.
    let args = |program: &str| {
        let words = values.args.iter().flatten().filter(|_| program == "core");
        words.map(|word| format!(", {}", text(word))).collect::<String>()
    };
    let container =
        |name: &str, args: &str, env: &str| format!("{{name: {name}, image: {image}, args: [{args}], env: [{env}]}}");
    let deployment = |name: &str, program: &str| {
        let labels = format!(
            "{{app: {name}, release: crossplane, app.kubernetes.io/name: crossplane, app.kubernetes.io/instance: crossplane, \
             app.kubernetes.io/part-of: crossplane, app.kubernetes.io/component: cloud-infrastructure-controller, \
             app.kubernetes.io/managed-by: Helm}}"
        );
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {}, labels: {labels}}}\nspec: \
             {{template: {{metadata: {{labels: {labels}}}, spec: {{initContainers: [{}], containers: [{}]}}}}}}\n",
            text(namespace),
            container("crossplane-init", &format!("{program}, init"), &env(name, "initContainers")),
            container("crossplane", &format!("{program}, start{}", args(program)), &env(name, "containers")),
        )
    };
    [deployment("crossplane", "core"), deployment("crossplane-rbac-manager", "rbac")].join("---\n")
}
