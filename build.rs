//! Embeds the catalogue in the binary. Tables that nearly every run needs become Rust statics; programs become JSON
//! texts by image, so that a run parses only the programs of its input.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let out = env::var("OUT_DIR")?;
    println!("cargo::rerun-if-changed=catalog");
    let mut code = String::new();
    let rollouts = read("rollouts")?;
    let known = ["group", "kind", "versions", "path", "surge", "serviceName", "workloadRef", "source"];
    let kinds = rows("workloads", &known, |row| workload_kind(row, &rollouts))?;
    writeln!(code, "pub(crate) static WORKLOADS: &[WorkloadKind] = &[{kinds}];")?;
    let left = rows("left-kinds", &["group", "kinds", "why", "source"], |row| {
        let (group, kinds, why) = (row.text("group")?, texts(row.get("kinds"))?, row.text("why")?);
        Ok(format!("LeftKind {{ group: {group}, kinds: &{kinds:?}, why: {why} }}"))
    })?;
    writeln!(code, "pub(crate) static LEFT_KINDS: &[LeftKind] = &[{left}];")?;
    operands(&mut code)?;
    let known = ["group", "kind", "template", "shown", "webhook", "since", "fixed", "makes", "target"];
    let admission = rows("admission", &known, admission_kind)?;
    writeln!(code, "pub(crate) static ADMISSION: &[Admission] = &[{admission}];")?;
    annotations(&mut code)?;
    writeln!(code, "pub(crate) static WORDS: Words = {};", words()?)?;
    let ports = rows("node-ports", &["port", "protocol", "owner", "images", "binaries", "seen"], node_port)?;
    writeln!(code, "pub(crate) static NODE_PORTS: &[NodePort] = &[{ports}];")?;
    let names = rows("image-names", &["prefix", "org", "suffix"], |row| {
        let text = |key: &str| row.get(key).as_str().unwrap_or_default();
        let org = row.get("org").as_bool().unwrap_or_default();
        Ok(format!("({:?}, {org}, {:?})", text("prefix"), text("suffix")))
    })?;
    writeln!(code, "pub(crate) static IMAGE_NAMES: &[(&str, bool, &str)] = &[{names}];")?;
    let charts =
        rows("charts", &["chart", "project"], |row| Ok(format!("({}, {})", row.text("chart")?, row.text("project")?)))?;
    writeln!(code, "pub(crate) static CHARTS: &[(&str, &str)] = &[{charts}];")?;
    let labels =
        rows("run-time-labels", &["key", "by"], |row| Ok(format!("({}, {})", row.text("key")?, row.text("by")?)))?;
    writeln!(code, "pub(crate) static RUN_TIME_LABELS: &[(&str, &str)] = &[{labels}];")?;
    let left_out = rows("not-covered", &["project", "program", "role", "why"], |row| {
        let text = |key| row.text(key);
        let (project, program, role, why) = (text("project")?, text("program")?, text("role")?, text("why")?);
        Ok(format!("NotCovered {{ project: {project}, program: {program}, role: {role}, why: {why} }}"))
    })?;
    writeln!(code, "pub(crate) static NOT_COVERED: &[NotCovered] = &[{left_out}];")?;
    let references = rows("references", &[], |row| {
        let (group, kinds, json) = (row.text("group")?, texts(row.get("kinds"))?, row.data.to_string());
        Ok(format!("ReferenceRow {{ group: {group}, kinds: &{kinds:?}, json: {json:?} }}"))
    })?;
    writeln!(code, "pub(crate) static REFERENCES: &[ReferenceRow] = &[{references}];")?;
    let known = ["to", "toDefault", "of", "ofGroup", "at", "key", "pods", "added", "global"];
    let names = rows("name-references", &known, name_reference)?;
    writeln!(code, "pub(crate) static NAME_REFERENCES: &[NameReference] = &[{names}];")?;
    redirects(&mut code)?;
    admission_policies(&mut code)?;
    let policies = rows("plugin-policies", &["group", "kinds", "form"], |row| {
        let (group, kinds) = (row.text("group")?, texts(row.get("kinds"))?);
        let form = row.get("form").as_str().ok_or_else(|| format!("{}: `form` is a text", row.data))?;
        Ok(format!("PluginPolicy {{ group: {group}, kinds: &{kinds:?}, form: PolicyForm::{form} }}"))
    })?;
    writeln!(code, "pub(crate) static PLUGIN_POLICIES: &[PluginPolicy] = &[{policies}];")?;
    let meshes = rows("meshes", &["name", "skips", "optOut", "enrollment", "proxy"], mesh)?;
    writeln!(code, "pub(crate) static MESHES: &[Mesh] = &[{meshes}];")?;
    let libraries = rows("libraries", &["name", "shownBy", "atLeast", "withOne", "unless", "opens"], library)?;
    writeln!(code, "pub(crate) static LIBRARIES: &[Library] = &[{libraries}];")?;
    let options = rows("runtimes", &["name", "role", "port", "value"], runtime_option)?;
    writeln!(code, "pub(crate) static RUNTIME_OPTIONS: &[RuntimeOption] = &[{options}];")?;
    let known = ["name", "flag", "default", "plus", "enabledBy", "value", "setBy"];
    let followers = rows("followers", &known, follower)?;
    writeln!(code, "pub(crate) static FOLLOWERS: &[Follower] = &[{followers}];")?;
    let known = ["pods", "images", "ranges", "first", "last", "default"];
    let ranges = rows("operator-ranges", &known, operator_range)?;
    writeln!(code, "pub(crate) static OPERATOR_RANGES: &[OperatorRange] = &[{ranges}];")?;
    let generators =
        rows("generators", &["madeBy", "name", "namespace", "until", "where", "change", "isSource"], generator)?;
    writeln!(code, "pub(crate) static GENERATORS: &[Generator] = &[{generators}];")?;
    let known = "group kind strategy settings maxSurge maxUnavailable perNode not optional fullSurge template";
    let known: Vec<&str> = known.split(' ').collect();
    let rollouts = rows("rollouts", &known, rollout)?;
    writeln!(code, "pub(crate) static ROLLOUTS: &[RolloutKind] = &[{rollouts}];")?;
    let known = ["group", "kind", "workload", "of", "notAnnotated", "where", "steps", "weight", "templates", "what"];
    let copies = rows("second-copies", &known, second_copy)?;
    writeln!(code, "pub(crate) static SECOND_COPIES: &[SecondCopyKind] = &[{copies}];")?;
    let known = ["group", "kind", "target", "fewest", "most", "fewestByDefault", "mostByDefault", "pinnedBy"];
    let autoscalers = rows("autoscalers", &known, autoscaler)?;
    writeln!(code, "pub(crate) static AUTOSCALERS: &[AutoscalerKind] = &[{autoscalers}];")?;
    let known = ["group", "kind", "onlyIf", "annotation", "workload", "ports", "config", "always"];
    let sidecars = rows("sidecars", &known, sidecar)?;
    writeln!(code, "pub(crate) static SIDECARS: &[SidecarKind] = &[{sidecars}];")?;
    let known = ["by", "annotation", "kind", "container", "unless", "opens"];
    let annotated = rows("annotated-sidecars", &known, annotated_sidecar)?;
    writeln!(code, "pub(crate) static ANNOTATED_SIDECARS: &[AnnotatedSidecar] = &[{annotated}];")?;
    proxy(&mut code)?;
    registries(&mut code)?;
    package_kinds(&mut code)?;
    programs(&mut code)?;
    fs::write(Path::new(&out).join("catalog.rs"), code)?;
    Ok(())
}

fn admission_kind(row: &Row<'_>) -> Result<String> {
    let text = |key| row.text(key);
    let optional = |key: &str| -> Result<String> {
        row.data.get(key).map_or(Ok("None".to_owned()), |_| Ok(format!("Some({})", row.text(key)?)))
    };
    let (group, kind, template, shown) = (text("group")?, text("kind")?, text("template")?, text("shown")?);
    let (webhook, since, fixed, makes) = (text("webhook")?, text("since")?, text("fixed")?, optional("makes")?);
    Ok(format!(
        "Admission {{ group: {group}, kind: {kind}, template: {template}, shown: {shown}, webhook: {webhook}, since: {since}, fixed: \
         {fixed}, makes: {makes} }}"
    ))
}

fn workload_kind(row: &Row<'_>, rollouts: &Value) -> Result<String> {
    let (group, kind, path) = (row.text("group")?, row.text("kind")?, row.text("path")?);
    let versions = row.data.get("versions").map_or(Ok(Vec::new()), texts)?;
    let workload_ref = row.data.get("workloadRef").map(|_| row.text("workloadRef")).transpose()?;
    let workload_ref = workload_ref.map_or_else(|| "None".to_owned(), |path| format!("Some({path})"));
    let flag = |key: &str| {
        let flag = row.data.get(key).and_then(Value::as_bool);
        flag.ok_or_else(|| format!("{kind}, {path}: `{key}` is true or false, and never left out"))
    };
    let (surges, service_name) = (flag("surge")?, flag("serviceName")?);
    let is_in = |rollout: &Value| {
        let is = |key: &str| rollout.get(key) == row.data.get(key);
        let template = rollout.get("template").and_then(Value::as_str);
        is("group") && is("kind")
            || template.is_some_and(|key| path.trim_matches('"').split('.').any(|step| step == key))
    };
    if surges != rollouts.as_array().is_some_and(|rows| rows.iter().any(is_in)) {
        return Err(format!("{kind}, {path}: with `surge: true` rollouts.yaml has a row of the kind, else none").into());
    }
    Ok(format!(
        "WorkloadKind {{ group: {group}, kind: {kind}, versions: &{versions:?}, path: {path}, workload_ref: {workload_ref}, \
         service_name: {service_name} }}"
    ))
}

fn operands(code: &mut String) -> Result<()> {
    let operands = rows("operands", &["group", "kind", "runs", "elsewhere", "through", "source"], |row| {
        let (group, kind, runs) = (row.text("group")?, row.text("kind")?, row.text("runs")?);
        let is_elsewhere = row.data.get("elsewhere").and_then(Value::as_bool).unwrap_or_default();
        let through = row.data.get("through").map_or(Ok(Vec::new()), texts)?;
        row.text("source")?;
        Ok(format!(
            "Operand {{ group: {group}, kind: {kind}, runs: {runs}, is_elsewhere: {is_elsewhere}, through: &{through:?} }}"
        ))
    })?;
    writeln!(code, "pub(crate) static OPERANDS: &[Operand] = &[{operands}];")?;
    let fields = rows("host-network-fields", &["group", "kind", "path", "value", "not", "source"], |row| {
        let (group, kind) = (row.text("group")?, row.text("kind")?);
        let path = row.data.get("path").map_or(Ok(Vec::new()), texts)?;
        let (value, not) = (row.get("value").as_str(), row.get("not").as_str());
        row.text("source")?;
        Ok(format!(
            "HostNetworkField {{ group: {group}, kind: {kind}, path: &{path:?}, value: {value:?}, not: {not:?} }}"
        ))
    })?;
    writeln!(code, "pub(crate) static HOST_NETWORK_FIELDS: &[HostNetworkField] = &[{fields}];")?;
    Ok(())
}

fn annotations(code: &mut String) -> Result<()> {
    let data = read("annotations")?;
    let annotations = Row { data: &data, known: &["scraped", "hooks", "podNetwork", "refusing", "healthChecks"] };
    annotations.check()?;
    writeln!(code, "pub(crate) static ANNOTATIONS: &[&str] = &{:?};", texts(annotations.get("scraped"))?)?;
    writeln!(code, "pub(crate) static HOOKS: &[&str] = &{:?};", texts(annotations.get("hooks"))?)?;
    let network = list(annotations.get("podNetwork"), &["key", "gives", "ofNamespace"], |row| {
        let (key, gives) = (row.text("key")?, row.text("gives")?);
        let of_namespace = row.data.get("ofNamespace").and_then(Value::as_bool).unwrap_or_default();
        Ok(format!("PluginAnnotation {{ key: {key}, gives: {gives}, of_namespace: {of_namespace} }}"))
    })?;
    writeln!(code, "pub(crate) static POD_NETWORK: &[PluginAnnotation] = &[{network}];")?;
    let refusing = list(annotations.get("refusing"), &["key", "at", "value", "label", "starts", "why"], |row| {
        let (key, why) = (row.text("key")?, row.text("why")?);
        let at = match row.get("at").as_str() {
            Some("annotation") => "Annotation",
            Some("label") => "Label",
            Some("nodeLabel") => "NodeLabel",
            Some("serviceAccount") => "ServiceAccount",
            Some("image") => "Image",
            _ => {
                return Err(format!("{key}: `at` is one of annotation, label, nodeLabel, serviceAccount, image").into());
            }
        };
        let optional = |name: &str| if row.data.get(name).is_some() { row.text(name) } else { Ok("\"\"".to_owned()) };
        let (value, label) = (optional("value")?, optional("label")?);
        let starts = row.data.get("starts").and_then(Value::as_bool).unwrap_or_default();
        Ok(format!(
            "RefusingMark {{ key: {key}, at: MarkPlace::{at}, value: {value}, label: {label}, starts: {starts}, why: {why} }}"
        ))
    })?;
    writeln!(code, "pub(crate) static REFUSING: &[RefusingMark] = &[{refusing}];")?;
    let checks = list(annotations.get("healthChecks"), &["key", "kinds", "targetType"], |row| {
        let (key, kinds, target_type) = (row.text("key")?, texts(row.get("kinds"))?, row.text("targetType")?);
        Ok(format!("HealthCheck {{ key: {key}, kinds: &{kinds:?}, target_type: {target_type} }}"))
    })?;
    writeln!(code, "pub(crate) static HEALTH_CHECKS: &[HealthCheck] = &[{checks}];")?;
    Ok(())
}

fn redirects(code: &mut String) -> Result<()> {
    let redirects = Row { data: &read("redirects")?, known: &["words", "variables", "containers", "validators"] };
    redirects.check()?;
    writeln!(code, "pub(crate) static REDIRECT_WORDS: &[&str] = &{:?};", texts(redirects.get("words"))?)?;
    writeln!(code, "pub(crate) static REDIRECT_VARIABLES: &[&str] = &{:?};", texts(redirects.get("variables"))?)?;
    for (name, key) in [("REDIRECTORS", "containers"), ("REDIRECT_VALIDATORS", "validators")] {
        let rows = list(redirects.get(key), &["owner", "names", "images", "words"], |row| {
            let (owner, names, images) = (row.text("owner")?, texts(row.get("names"))?, texts(row.get("images"))?);
            let words = row.data.get("words").map_or(Ok(Vec::new()), texts)?;
            Ok(format!("Redirector {{ owner: {owner}, names: &{names:?}, images: &{images:?}, words: &{words:?} }}"))
        })?;
        writeln!(code, "pub(crate) static {name}: &[Redirector] = &[{rows}];")?;
    }
    Ok(())
}

fn admission_policies(code: &mut String) -> Result<()> {
    let file = Row {
        data: &read("admission-policies")?,
        known: &["kinds", "unread", "exempt", "constraints", "refusingSccs"],
    };
    file.check()?;
    for (table, of, names) in [
        ("kinds", "group", "kinds"),
        ("unread", "group", "words"),
        ("exempt", "engine", "namespaces"),
        ("constraints", "kind", "parameters"),
    ] {
        let row = |row: &Row<'_>| Ok(format!("({}, &{:?})", row.text(of)?, texts(row.get(names))?));
        let (name, rows) = (table.to_uppercase(), list(file.get(table), &[of, names], row)?);
        writeln!(code, "pub(crate) static ADMISSION_{name}: &[(&str, &[&str])] = &[{rows}];")?;
    }
    writeln!(code, "pub(crate) static REFUSING_SCCS: &[&str] = &{:?};", texts(file.get("refusingSccs"))?)?;
    Ok(())
}

fn registries(code: &mut String) -> Result<()> {
    let row = Row {
        data: &read("registries")?,
        known: &[
            "defaults",
            "rewriteImage",
            "caBundle",
            "ownImage",
            "localIsHttps",
            "public",
            "imageFlags",
            "imageVariables",
            "cacheByDigest",
            "cacheFolder",
        ],
    };
    row.check()?;
    let defaults = list(row.get("defaults"), &["since", "registry"], |row| {
        Ok(format!("DefaultRegistry {{ since: {}, registry: {} }}", row.text("since")?, row.text("registry")?))
    })?;
    writeln!(code, "pub(crate) static DEFAULT_REGISTRIES: &[DefaultRegistry] = &[{defaults}];")?;
    writeln!(code, "pub(crate) static IMAGE_REWRITES: &str = {};", row.text("rewriteImage")?)?;
    writeln!(code, "pub(crate) static CA_BUNDLE: &str = {};", row.text("caBundle")?)?;
    writeln!(code, "pub(crate) static OWN_IMAGE: &str = {};", row.text("ownImage")?)?;
    writeln!(code, "pub(crate) static LOCAL_IS_HTTPS: &[&str] = &{:?};", texts(row.get("localIsHttps"))?)?;
    writeln!(code, "pub(crate) static PUBLIC_REGISTRIES: &[&str] = &{:?};", texts(row.get("public"))?)?;
    writeln!(code, "pub(crate) static IMAGE_FLAGS: &[&str] = &{:?};", texts(row.get("imageFlags"))?)?;
    writeln!(code, "pub(crate) static IMAGE_VARIABLES: &[&str] = &{:?};", texts(row.get("imageVariables"))?)?;
    writeln!(code, "pub(crate) static CACHE_BY_DIGEST: &str = {};", row.text("cacheByDigest")?)?;
    writeln!(code, "pub(crate) static CACHE_FOLDER: &str = {};", row.text("cacheFolder")?)?;
    Ok(())
}

fn package_kinds(code: &mut String) -> Result<()> {
    let data = read("package-kinds")?;
    let row = Row { data: &data, known: &["known", "linters", "refused", "schemes"] };
    row.check()?;
    let known = list(row.get("known"), &["group", "version", "kinds", "since", "takenSince"], |row| {
        let (group, version, since) = (row.text("group")?, row.text("version")?, row.text("since")?);
        let kinds = texts(row.get("kinds"))?;
        let taken = if row.data.get("takenSince").is_some() { row.text("takenSince")? } else { since.clone() };
        Ok(format!(
            "KnownKinds {{ group: {group}, version: {version}, kinds: &{kinds:?}, since: {since}, taken_since: {taken} }}"
        ))
    })?;
    writeln!(code, "pub(crate) static KNOWN_KINDS: &[KnownKinds] = &[{known}];")?;
    let linters = list(row.get("linters"), &["package", "group", "kind", "since", "error"], |row| {
        let text = |key| row.text(key);
        let (package, group, kind, since) = (text("package")?, text("group")?, text("kind")?, text("since")?);
        let error = text("error")?;
        Ok(format!(
            "PackageLinter {{ package: {package}, group: {group}, kind: {kind}, since: {since}, error: {error} }}"
        ))
    })?;
    writeln!(code, "pub(crate) static PACKAGE_LINTERS: &[PackageLinter] = &[{linters}];")?;
    let keys = ["group", "kind", "version", "since", "field", "accepts", "unless", "error"];
    let refused = list(row.get("refused"), &keys, |row| {
        let text = |key| row.text(key);
        let (group, kind, version, since) = (text("group")?, text("kind")?, text("version")?, text("since")?);
        let (field, accepts, error) = (text("field")?, texts(row.get("accepts"))?, text("error")?);
        let unless = match row.data.get("unless") {
            Some(unless) => {
                let unless = Row { data: unless, known: &["field", "is"] };
                unless.check()?;
                format!("Some(({}, &{:?}))", unless.text("field")?, texts(unless.get("is"))?)
            }
            None => "None".to_owned(),
        };
        Ok(format!(
            "RefusedField {{ group: {group}, kind: {kind}, version: {version}, since: {since}, field: {field}, \
             accepts: &{accepts:?}, unless: {unless}, error: {error} }}"
        ))
    })?;
    writeln!(code, "pub(crate) static REFUSED_FIELDS: &[RefusedField] = &[{refused}];")?;
    let schemes = list(row.get("schemes"), &["since", "name"], |row| {
        Ok(format!("({}, {})", row.text("since")?, row.text("name")?))
    })?;
    writeln!(code, "pub(crate) static PACKAGE_SCHEMES: &[(&str, &str)] = &[{schemes}];")?;
    Ok(())
}

fn proxy(code: &mut String) -> Result<()> {
    let data = read("proxy")?;
    let proxy = Row {
        data: &data,
        known: &["containers", "grpc", "go", "imageWords", "containerNames", "podLabels", "builtInHosts", "otherPorts"],
    };
    proxy.check()?;
    let evidence = |key| texts(proxy.get(key));
    let (image_words, container_names) = (evidence("imageWords")?, evidence("containerNames")?);
    let labels: Option<Vec<_>> = evidence("podLabels")?.into_iter().map(|label| label.split_once('=')).collect();
    let labels = labels.ok_or("catalog/proxy.yaml: a label of `podLabels` has the form KEY=VALUE")?;
    writeln!(code, "pub(crate) static CROSSPLANE_IMAGE_WORDS: &[&str] = &{image_words:?};")?;
    writeln!(code, "pub(crate) static CROSSPLANE_CONTAINER_NAMES: &[&str] = &{container_names:?};")?;
    writeln!(code, "pub(crate) static CROSSPLANE_POD_LABELS: &[(&str, &str)] = &{labels:?};")?;
    let containers = list(proxy.get("containers"), &["name", "images", "command", "dials"], |row| {
        let (name, images, command) = (row.text("name")?, texts(row.get("images"))?, texts(row.get("command"))?);
        let Some(dials @ ("Everything" | "ApiServer")) = row.get("dials").as_str() else {
            return Err(format!("{}: `dials` is Everything or ApiServer", row.data).into());
        };
        Ok(format!("Dialer {{ name: {name}, images: &{images:?}, command: &{command:?}, dials: DialScope::{dials} }}"))
    })?;
    writeln!(code, "pub(crate) static DIALERS: &[Dialer] = &[{containers}];")?;
    let hosts = list(proxy.get("builtInHosts"), &["images", "hosts"], |row| {
        Ok(format!("(&{:?}, &{:?})", texts(row.get("images"))?, texts(row.get("hosts"))?))
    })?;
    writeln!(code, "pub(crate) static BUILT_IN_HOSTS: &[(&[&str], &[&str])] = &[{hosts}];")?;
    let ports = proxy.get("otherPorts").as_array().ok_or("catalog/proxy.yaml: `otherPorts` is not a list")?;
    let ports: Option<Vec<u16>> =
        ports.iter().map(|port| port.as_u64().and_then(|port| port.try_into().ok())).collect();
    let ports = ports.ok_or("catalog/proxy.yaml: an element of `otherPorts` is not a port")?;
    writeln!(code, "pub(crate) static OTHER_PORTS: &[u16] = &{ports:?};")?;
    let versions = list(proxy.get("grpc"), &["grpc", "compares", "crossplane"], |row| {
        let (grpc, crossplane) = (row.text("grpc")?, texts(row.get("crossplane"))?);
        let Some(compares @ ("Addresses" | "Names")) = row.get("compares").as_str() else {
            return Err(format!("{}: `compares` is Addresses or Names", row.data).into());
        };
        Ok(format!("GrpcVersion {{ grpc: {grpc}, compares: Compares::{compares}, crossplane: &{crossplane:?} }}"))
    })?;
    writeln!(code, "pub(crate) static GRPC_VERSIONS: &[GrpcVersion] = &[{versions}];")?;
    let versions = list(proxy.get("go"), &["go", "crossplane"], |row| {
        let (go, crossplane) = (row.text("go")?, texts(row.get("crossplane"))?);
        Ok(format!("GoVersion {{ go: {go}, crossplane: &{crossplane:?} }}"))
    })?;
    writeln!(code, "pub(crate) static GO_VERSIONS: &[GoVersion] = &[{versions}];")?;
    Ok(())
}

fn name_reference(row: &Row<'_>) -> Result<String> {
    let list = |key: &str| row.data.get(key).map_or(Ok(Vec::new()), texts);
    let text = |key: &str| row.data.get(key).and_then(Value::as_str).unwrap_or_default();
    let flag = |key: &str| row.data.get(key).and_then(Value::as_bool).unwrap_or_default();
    let (to, of, at, pods) = (row.text("to")?, texts(row.get("of"))?, list("at")?, list("pods")?);
    let (default, group, key) = (text("toDefault"), text("ofGroup"), text("key"));
    let (added, global) = (flag("added"), flag("global"));
    Ok(format!(
        "NameReference {{ to: {to}, to_default: {default:?}, of: &{of:?}, of_group: {group:?}, at: &{at:?}, key: {key:?}, pods: &{pods:?}, \
         added: {added}, global: {global} }}"
    ))
}

fn mesh(row: &Row<'_>) -> Result<String> {
    let enrollment = list(row.get("enrollment"), &["at", "key", "joins", "leaves"], |row| {
        let at = match row.get("at").as_str() {
            Some("pod label") => "PodLabel",
            Some("pod annotation") => "PodAnnotation",
            Some("namespace label") => "NamespaceLabel",
            Some("namespace annotation") => "NamespaceAnnotation",
            _ => return Err(format!("{}: `at` is a label or annotation of a pod or a namespace", row.data).into()),
        };
        let leaves = row.data.get("leaves").map_or(Ok(vec!["*"]), texts)?;
        let (key, joins) = (row.text("key")?, texts(row.get("joins"))?);
        Ok(format!("MeshKey {{ at: MeshPlace::{at}, key: {key}, joins: &{joins:?}, leaves: &{leaves:?} }}"))
    })?;
    let (name, opt_out) = (row.text("name")?, row.text("optOut")?);
    let skips = row.get("skips").as_bool().ok_or_else(|| format!("{name}: `skips` is true or false"))?;
    let none = Value::Null;
    let proxy = Row { data: row.data.get("proxy").unwrap_or(&none), known: &["names", "images"] };
    let list = |key: &str| proxy.data.get(key).map_or(Ok(Vec::new()), texts);
    let (names, images) = (list("names")?, list("images")?);
    if !proxy.data.is_null() {
        proxy.check()?;
    }
    Ok(format!(
        "Mesh {{ name: {name}, skips: {skips}, opt_out: {opt_out}, enrollment: &[{enrollment}], proxy_names: &{names:?}, proxy_images: &{images:?} }}"
    ))
}

fn generator(row: &Row<'_>) -> Result<String> {
    let key = |value: &Value| match (value["label"].as_str(), value["annotation"].as_str()) {
        (Some(label), None) => Ok(format!("MetaKey::Label({label:?})")),
        (None, Some(annotation)) => Ok(format!("MetaKey::Annotation({annotation:?})")),
        _ => Err(format!("{value}: a label or an annotation")),
    };
    let namespace = row.data.get("namespace").map(key).transpose()?;
    let namespace = namespace.map_or_else(|| "None".to_owned(), |key| format!("Some({key})"));
    let until = row.data.get("until").and_then(Value::as_str);
    let labels: Vec<(&str, &str)> = match row.data.get("where").and_then(Value::as_object) {
        Some(labels) => labels.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))).collect(),
        None => Vec::new(),
    };
    let (made_by, name, change) = (row.text("madeBy")?, key(row.get("name"))?, row.text("change")?);
    let is_source = row.data.get("isSource").and_then(Value::as_bool).unwrap_or_default();
    Ok(format!(
        "Generator {{ made_by: {made_by}, name: {name}, namespace: {namespace}, until: {until:?}, labels: &{labels:?}, change: \
         {change}, is_source: {is_source} }}"
    ))
}

fn autoscaler(row: &Row<'_>) -> Result<String> {
    let (group, kind, target) = (row.text("group")?, row.text("kind")?, row.text("target")?);
    let (fewest, most) = (row.get("fewest").as_str(), row.text("most")?);
    let fewest_by_default =
        row.get("fewestByDefault").as_u64().ok_or_else(|| format!("{}: `fewestByDefault` is a number", row.data))?;
    let (most_by_default, pinned_by) = (row.get("mostByDefault").as_u64(), row.get("pinnedBy").as_str());
    Ok(format!(
        "AutoscalerKind {{ group: {group}, kind: {kind}, target: {target}, fewest: {fewest:?}, most: {most}, \
         fewest_by_default: {fewest_by_default}, most_by_default: {most_by_default:?}, pinned_by: {pinned_by:?} }}"
    ))
}

fn second_copy(row: &Row<'_>) -> Result<String> {
    let (group, kind, what) = (row.text("group")?, row.text("kind")?, row.text("what")?);
    let optional = |key: &str| row.get(key).as_str();
    let (workload, field) = (optional("workload"), row.text("where")?);
    let (of, steps, weight, templates) = (optional("of"), optional("steps"), optional("weight"), optional("templates"));
    let not_annotated = optional("notAnnotated").and_then(|annotation| annotation.split_once('='));
    Ok(format!(
        "SecondCopyKind {{ group: {group}, kind: {kind}, workload: {workload:?}, of: {of:?}, not_annotated: {not_annotated:?}, field: {field}, \
         steps: {steps:?}, weight: {weight:?}, templates: {templates:?}, what: {what} }}"
    ))
}

fn sidecar(row: &Row<'_>) -> Result<String> {
    let (group, kind) = (row.text("group")?, row.text("kind")?);
    let optional = |key: &str| row.get(key).as_str();
    let only_if = optional("onlyIf").and_then(|field| field.split_once('='));
    let (annotation, workload, config) = (optional("annotation"), optional("workload"), optional("config"));
    let lists = texts(row.get("ports"))?;
    let ports: Option<Vec<(&str, &str)>> = lists.iter().map(|list| list.split_once("[].")).collect();
    let ports = ports.ok_or_else(|| format!("{kind}: `ports` has fields of lists"))?;
    let always: Vec<u64> = row.get("always").as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    Ok(format!(
        "SidecarKind {{ group: {group}, kind: {kind}, only_if: {only_if:?}, annotation: {annotation:?}, workload: {workload:?}, ports: \
         &{ports:?}, config: {config:?}, always: &{always:?} }}"
    ))
}

fn annotated_sidecar(row: &Row<'_>) -> Result<String> {
    let (by, annotation, container) = (row.text("by")?, row.text("annotation")?, row.text("container")?);
    let (kind, unless) = (row.get("kind").as_str(), row.get("unless").as_str());
    let opens = list(row.get("opens"), &["port", "protocol", "number", "onlyIf"], |row| {
        let port = row.get("port").as_u64().and_then(|port| u16::try_from(port).ok());
        let port = port.ok_or_else(|| format!("{}: `port` is a number", row.data))?;
        let protocol = row.get("protocol").as_str().unwrap_or("TCP");
        let only_if = row.data.get("onlyIf").map_or(Ok(Vec::new()), texts)?;
        let annotation = row.get("number").as_str();
        Ok(format!(
            "AnnotatedPort {{ number: {port}, protocol: {protocol:?}, annotation: {annotation:?}, only_if: &{only_if:?} }}"
        ))
    })?;
    Ok(format!(
        "AnnotatedSidecar {{ by: {by}, annotation: {annotation}, kind: {kind:?}, container: {container}, unless: {unless:?}, opens: &[{opens}] }}"
    ))
}

fn runtime_option(row: &Row<'_>) -> Result<String> {
    let (name, role, port) = (row.text("name")?, row.text("role")?, row.text("port")?);
    let value = row.data.get("value").map(|_| row.text("value")).transpose()?;
    let value = value.map_or_else(|| "None".to_owned(), |value| format!("Some({value})"));
    Ok(format!("RuntimeOption {{ name: {name}, role: {role}, port: {port}, value: {value} }}"))
}

fn library(row: &Row<'_>) -> Result<String> {
    let opens = list(row.get("opens"), &["port", "name", "env", "arg", "value", "unlessProbed"], |row| {
        let port = row.get("port").as_u64().and_then(|port| u16::try_from(port).ok());
        let (port, name) = (port.ok_or_else(|| format!("{}: `port` is a number", row.data))?, row.text("name")?);
        let (env, arg) = (row.get("env").as_str(), row.get("arg").as_str());
        let value = row.get("value").as_str().unwrap_or("{port}");
        let unless_probed = row.get("unlessProbed").as_bool().unwrap_or_default();
        Ok(format!(
            "OpenPort {{ number: {port}, name: {name}, env: {env:?}, arg: {arg:?}, value: {value:?}, unless_probed: {unless_probed} }}"
        ))
    })?;
    let (name, shown_by) = (row.text("name")?, texts(row.get("shownBy"))?);
    let at_least = row.get("atLeast").as_u64().ok_or_else(|| format!("{}: `atLeast` is a number", row.data))?;
    let optional = |key: &str| row.data.get(key).map_or(Ok(Vec::new()), texts);
    let (unless, with_one) = (optional("unless")?, optional("withOne")?);
    let counts = format!("shown_by: &{shown_by:?}, at_least: {at_least}, with_one: &{with_one:?}, unless: &{unless:?}");
    Ok(format!("Library {{ name: {name}, {counts}, opens: &[{opens}] }}"))
}

fn operator_range(row: &Row<'_>) -> Result<String> {
    let (pods, images) = (row.text("pods")?, texts(row.get("images"))?);
    let (ranges, default) = (row.get("ranges").as_str(), row.get("default").as_str());
    let names = |key: &str| row.data.get(key).map_or(Ok(Vec::new()), texts);
    let (first, last) = (names("first")?, names("last")?);
    if ranges.is_some() == (!first.is_empty() && !last.is_empty()) {
        return Err(format!("{}: give `ranges`, or `first` and `last`", row.data).into());
    }
    let ends = format!("first: &{first:?}, last: &{last:?}");
    Ok(format!(
        "OperatorRange {{ pods: {pods}, images: &{images:?}, ranges: {ranges:?}, {ends}, default: {default:?} }}"
    ))
}

fn follower(row: &Row<'_>) -> Result<String> {
    let number = |key: &str| {
        let number = row.get(key).as_u64().and_then(|number| u16::try_from(number).ok());
        number.ok_or_else(|| format!("{}: `{key}` is a number", row.data))
    };
    let (default, plus) = (number("default")?, number("plus")?);
    let (name, flag, enabled_by) = (row.text("name")?, row.text("flag")?, row.text("enabledBy")?);
    let (value, set_by) = (row.text("value")?, row.text("setBy")?);
    let by = format!("enabled_by: {enabled_by}, value: {value}, set_by: {set_by}");
    Ok(format!("Follower {{ name: {name}, flag: {flag}, default: {default}, plus: {plus}, {by} }}"))
}

fn rollout(row: &Row<'_>) -> Result<String> {
    let (group, kind, strategy) = (row.text("group")?, row.text("kind")?, row.text("strategy")?);
    let optional = |key: &str| row.data.get(key).map_or(Ok("\"\"".to_owned()), |_| row.text(key));
    let (settings, template) = (optional("settings")?, optional("template")?);
    let flag = |key: &str| row.data.get(key).map_or(Some(false), Value::as_bool);
    let (Some(per_node), Some(is_optional)) = (flag("perNode"), flag("optional")) else {
        return Err(format!("{kind}: `perNode` and `optional` are true or false").into());
    };
    let (surge, unavailable) = (optional("maxSurge")?, optional("maxUnavailable")?);
    let types = row.data.get("not").map_or(Ok(Vec::new()), texts)?;
    let none = Value::Array(Vec::new());
    let full_surge = list(row.data.get("fullSurge").unwrap_or(&none), &["path", "what", "unless"], |row| {
        let unless = row.data.get("unless").and_then(Value::as_str).unwrap_or_default();
        let path = row.data.get("path").and_then(Value::as_str).unwrap_or_default();
        Ok(format!("FullSurge {{ field: {path:?}, what: {}, unless: {unless:?} }}", row.text("what")?))
    })?;
    Ok(format!(
        "RolloutKind {{ group: {group}, kind: {kind}, strategy: {strategy}, settings: {settings}, max_surge: {surge}, \
         max_unavailable: {unavailable}, per_node: {per_node}, other_types: &{types:?}, is_optional: {is_optional}, full_surge: &[{full_surge}], template: {template} }}"
    ))
}

fn words() -> Result<String> {
    let data = read("words")?;
    let words = Row {
        data: &data,
        known: &[
            "listen",
            "other",
            "advertised",
            "dialled",
            "servers",
            "clients",
            "listenUrls",
            "ownAddresses",
            "notPorts",
            "endInPort",
            "hosts",
            "hostLabels",
            "serviceLabels",
            "remotes",
            "publicNames",
            "protocols",
            "general",
            "products",
            "aspects",
            "outbound",
            "counters",
            "optionEnds",
            "ownOptions",
            "transports",
            "commonImages",
            "roles",
        ],
    };
    words.check()?;
    let roles = list(words.get("roles"), &["role", "words"], |row| {
        Ok(format!("RoleWords {{ role: {}, words: &{:?} }}", row.text("role")?, texts(row.get("words"))?))
    })?;
    let transports = list(words.get("transports"), &["protocol", "names", "words", "commands"], |row| {
        let [names, words, commands] = ["names", "words", "commands"].map(|key| texts(row.get(key)));
        let (protocol, names, words, commands) = (row.text("protocol")?, names?, words?, commands?);
        Ok(format!(
            "Transport {{ protocol: {protocol}, names: &{names:?}, words: &{words:?}, commands: &{commands:?} }}"
        ))
    })?;
    let mut code = String::from("Words { ");
    for (field, key) in [
        ("listen", "listen"),
        ("other", "other"),
        ("advertised", "advertised"),
        ("dialled", "dialled"),
        ("servers", "servers"),
        ("clients", "clients"),
        ("listen_urls", "listenUrls"),
        ("own_addresses", "ownAddresses"),
        ("not_ports", "notPorts"),
        ("end_in_port", "endInPort"),
        ("hosts", "hosts"),
        ("host_labels", "hostLabels"),
        ("service_labels", "serviceLabels"),
        ("remotes", "remotes"),
        ("public_names", "publicNames"),
        ("protocols", "protocols"),
        ("general", "general"),
        ("products", "products"),
        ("aspects", "aspects"),
        ("outbound", "outbound"),
        ("counters", "counters"),
        ("option_ends", "optionEnds"),
        ("own_options", "ownOptions"),
        ("common_images", "commonImages"),
    ] {
        write!(code, "{field}: &{:?}, ", texts(words.get(key))?)?;
    }
    Ok(format!("{code}transports: &[{transports}], roles: &[{roles}] }}"))
}

fn node_port(row: &Row<'_>) -> Result<String> {
    let port = row.get("port").as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
    let port = port.ok_or("a node port has a port from 1 to 65535")?;
    let protocol = row.data.get("protocol").map_or(Ok("TCP"), |value| value.as_str().ok_or("a protocol is a text"))?;
    let images = row.data.get("images").map_or(Ok(Vec::new()), texts)?;
    let binaries = row.data.get("binaries").map_or(Ok(Vec::new()), texts)?;
    let seen = match row.get("seen").as_str() {
        Some("always") => "Always",
        Some("often") => "Often",
        _ => return Err(format!("node port {port} is seen `always` or `often`").into()),
    };
    let owner = row.text("owner")?;
    Ok(format!(
        "NodePort {{ port: {port}, protocol: {protocol:?}, owner: {owner}, images: &{images:?}, binaries: &{binaries:?}, seen: \
         NodePortUse::{seen} }}"
    ))
}

fn programs(code: &mut String) -> Result<()> {
    let mut files: Vec<_> = fs::read_dir("catalog/programs")?.collect::<std::result::Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    let (mut rows, mut scaffolds) = (String::new(), String::new());
    for file in files {
        let path = file.path();
        let project = path.file_stem().and_then(OsStr::to_str).ok_or("a file's name is a project's")?;
        let text = fs::read_to_string(&path)?;
        let (head, entries) = entries(&text);
        for text in entries {
            // Entries are printed one by one, so each must be valid alone: without anchors of other entries.
            let data: Value =
                serde_saphyr::from_str(text).map_err(|error| format!("{}: {error}\n{text}", path.display()))?;
            let [program] = data.as_array().map(Vec::as_slice).unwrap_or_default() else {
                return Err(format!("{}: no program\n{text}", path.display()).into());
            };
            let row = Row { data: program, known: &[] };
            let images = texts(row.get("images"))?;
            if images.is_empty() {
                scaffolds.push_str(&scaffold(program));
            }
            writeln!(
                rows,
                "Source {{ project: {project:?}, head: {head:?}, name: {}, images: &{images:?}, package: {}, json: {:?}, yaml: {text:?} }},",
                row.text("name")?,
                package(&row)?,
                program.to_string()
            )?;
        }
    }
    writeln!(code, "pub(crate) static PROGRAMS: &[Source] = &[{rows}];")?;
    writeln!(code, "pub(crate) static SCAFFOLDS: &[(&str, &str, &str)] = &[{scaffolds}];")?;
    Ok(())
}

/// The package kind of a program.
fn package(program: &Row<'_>) -> Result<&'static str> {
    match program.data.get("package").map(Value::as_str) {
        None => Ok("None"),
        Some(Some("Provider")) => Ok("Some(PackageKind::Provider)"),
        Some(Some("Function")) => Ok("Some(PackageKind::Function)"),
        Some(_) => Err(format!("{}: `package` is `Provider` or `Function`", program.data).into()),
    }
}

/// Splits a file into the text before its first entry, and the entries with the comments above them.
fn entries(text: &str) -> (&str, Vec<&str>) {
    let mut starts = Vec::new();
    let (mut at, mut comment) = (0, None);
    for line in text.split_inclusive('\n') {
        if line.starts_with("- ") {
            // The comment at the start of a file belongs to the whole file.
            starts.push(if starts.is_empty() { at } else { comment.unwrap_or(at) });
        }
        comment = if line.starts_with('#') { comment.or(Some(at)) } else { None };
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let texts = starts.iter().zip(ends).filter_map(|(start, end)| text.get(*start..end)).collect();
    (starts.first().and_then(|first| text.get(..*first)).unwrap_or_default(), texts)
}

/// Flags and variables of a scaffold, each with the scaffold's name and the role of its listener.
fn scaffold(program: &Value) -> String {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut code = String::new();
    let scaffold = program.get("name").and_then(Value::as_str).unwrap_or_default();
    for listener in list(program, "listeners") {
        let role = listener.get("role").and_then(Value::as_str).unwrap_or_default();
        for known in list(&listener, "settings") {
            let name = ["arg", "env"].into_iter().find_map(|key| known.get(key).and_then(Value::as_str));
            code.extend(name.map(|name| format!("({scaffold:?}, {name:?}, {role:?}), ")));
        }
    }
    code
}

/// A mapping of the data, with its allowed keys.
struct Row<'v> {
    data: &'v Value,
    known: &'v [&'v str],
}

impl Row<'_> {
    fn check(&self) -> Result<()> {
        let row = self.data.as_object().ok_or_else(|| format!("{} is not a mapping", self.data))?;
        match row.keys().find(|key| !self.known.contains(&key.as_str())) {
            Some(key) => Err(format!("{}: unknown key `{key}`, known are {}", self.data, self.known.join(", ")).into()),
            None => Ok(()),
        }
    }

    /// Returns a value; null if missing.
    fn get(&self, key: &str) -> &Value {
        self.data.get(key).unwrap_or(&Value::Null)
    }

    /// Returns a text as a Rust literal.
    fn text(&self, key: &str) -> Result<String> {
        let text = self.get(key).as_str().ok_or_else(|| format!("{}: `{key}` is not a text", self.data))?;
        Ok(format!("{text:?}"))
    }
}

/// Returns the rows of a file as Rust code.
fn rows(file: &str, known: &[&str], code: impl Fn(&Row<'_>) -> Result<String>) -> Result<String> {
    list(&read(file)?, known, code).map_err(|error| format!("catalog/{file}.yaml: {error}").into())
}

fn list(data: &Value, known: &[&str], code: impl Fn(&Row<'_>) -> Result<String>) -> Result<String> {
    let mut text = String::new();
    for data in data.as_array().ok_or_else(|| format!("{data} is not a list"))? {
        let row = Row { data, known };
        // Without known keys, the type that parses the row defines the schema.
        if !known.is_empty() {
            row.check()?;
        }
        writeln!(text, "{},", code(&row)?)?;
    }
    Ok(text)
}

fn texts(data: &Value) -> Result<Vec<&str>> {
    let list = data.as_array().ok_or_else(|| format!("{data} is not a list"))?;
    list.iter().map(|item| item.as_str().ok_or_else(|| format!("{item} is not a text").into())).collect()
}

fn read(file: &str) -> Result<Value> {
    parse(&Path::new("catalog").join(format!("{file}.yaml")))
}

fn parse(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path)?;
    serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", path.display()).into())
}
