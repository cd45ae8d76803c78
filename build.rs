//! Embeds the catalogue in the binary. Tables that nearly every run needs become Rust statics; programs become JSON
//! texts by image, so that a run parses only the programs of its input.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Files of the catalogue that are one list: name, static, and name of the shape of its rows.
const LISTS: &[(&str, &str, &str)] = &[
    ("workloads", "WORKLOADS", "WorkloadKind"),
    ("left-kinds", "LEFT_KINDS", "LeftKind"),
    ("operands", "OPERANDS", "Operand"),
    ("host-network-fields", "HOST_NETWORK_FIELDS", "HostNetworkField"),
    ("admission", "ADMISSION", "Admission"),
    ("node-ports", "NODE_PORTS", "NodePort"),
    ("image-names", "IMAGE_NAMES", "image_names"),
    ("charts", "CHARTS", "charts"),
    ("run-time-labels", "RUN_TIME_LABELS", "run_time_labels"),
    ("not-covered", "NOT_COVERED", "NotCovered"),
    ("network-drivers", "NETWORK_DRIVERS", "NetworkDriver"),
    ("references", "REFERENCES", "ReferenceRow"),
    ("name-references", "NAME_REFERENCES", "NameReference"),
    ("plugin-policies", "PLUGIN_POLICIES", "PluginPolicy"),
    ("meshes", "MESHES", "Mesh"),
    ("libraries", "LIBRARIES", "Library"),
    ("runtimes", "RUNTIME_OPTIONS", "RuntimeOption"),
    ("followers", "FOLLOWERS", "Follower"),
    ("operator-ranges", "OPERATOR_RANGES", "OperatorRange"),
    ("generators", "GENERATORS", "Generator"),
    ("rollouts", "ROLLOUTS", "RolloutKind"),
    ("second-copies", "SECOND_COPIES", "SecondCopyKind"),
    ("autoscalers", "AUTOSCALERS", "AutoscalerKind"),
    ("sidecars", "SIDECARS", "SidecarKind"),
    ("annotated-sidecars", "ANNOTATED_SIDECARS", "AnnotatedSidecar"),
];

/// Files of the catalogue with several tables: name, and the statics as fields of a shape.
const FILES: &[(&str, &str)] = &[
    (
        "annotations",
        "ANNOTATIONS@scraped:list HOOKS@hooks:list POD_NETWORK@podNetwork:[PluginAnnotation] REFUSING@refusing:[RefusingMark] \
         HEALTH_CHECKS@healthChecks:[HealthCheck]",
    ),
    (
        "redirects",
        "REDIRECT_WORDS@words:list REDIRECT_VARIABLES@variables:list REDIRECTORS@containers:[Redirector] \
         REDIRECT_VALIDATORS@validators:[Redirector]",
    ),
    (
        "admission-policies",
        "ADMISSION_KINDS@kinds:[kinds] ADMISSION_UNREAD@unread:[unread] ADMISSION_EXEMPT@exempt:[exempt] \
         ADMISSION_CONSTRAINTS@constraints:[constraints] REFUSING_SCCS@refusingSccs:list",
    ),
    (
        "proxy",
        "CROSSPLANE_IMAGE_WORDS@imageWords:list CROSSPLANE_CONTAINER_NAMES@containerNames:list \
         CROSSPLANE_POD_LABELS@podLabels:pairs DIALERS@containers:[Dialer] BUILT_IN_HOSTS@builtInHosts:[built_in_hosts] \
         OTHER_PORTS@otherPorts:ports GRPC_VERSIONS@grpc:[GrpcVersion] GO_VERSIONS@go:[GoVersion]",
    ),
    (
        "registries",
        "DEFAULT_REGISTRIES@defaults:[DefaultRegistry] IMAGE_REWRITES@rewriteImage CA_BUNDLE@caBundle OWN_IMAGE@ownImage \
         LOCAL_IS_HTTPS@localIsHttps:list PUBLIC_REGISTRIES@public:list IMAGE_FLAGS@imageFlags:list \
         IMAGE_VARIABLES@imageVariables:list CACHE_BY_DIGEST@cacheByDigest CACHE_FOLDER@cacheFolder",
    ),
    (
        "package-kinds",
        "KNOWN_KINDS@known:[KnownKinds] PACKAGE_LINTERS@linters:[PackageLinter] REFUSED_FIELDS@refused:[RefusedField] \
         PACKAGE_SCHEMES@schemes:[schemes]",
    ),
];

/// Shapes of rows: a struct of `src/catalog`, or a tuple if its name is in lower case, with its fields.
///
/// A field is written `NAME@KEY:KIND`. Without `@KEY` the key is the name in camel case, without `:KIND` the value is a
/// text. Other kinds are `list` (of texts), `flag`, `number`, `port`, `ports`, `pair` (`KEY=VALUE`), `pairs`, `lists`
/// (`LIST[].FIELD`), `map` (of texts), `meta` (a label or an annotation), `row` (all of the row, as JSON), `any`,
/// `[SHAPE]` for rows, `(SHAPE)` for one row, and the name of an enum for one of its variants. A key that the row may
/// lack has a kind that ends in `?`, or in `=` and a default: a text, or `@` and the key that has the value instead. A
/// field that starts with `-` is checked and left out.
const SHAPES: &[(&str, &str)] = &[
    ("Admission", "group kind template shown webhook since fixed makes:text? -target:any?"),
    ("AnnotatedPort", "number@port:port protocol:text=TCP annotation@number:text? only_if:list?"),
    (
        "AnnotatedSidecar",
        "by annotation value:text? kind:text? named:flag? objects:text? container unless:text? opens:[AnnotatedPort]",
    ),
    (
        "AutoscalerKind",
        "group kind target fewest:text? most fewest_by_default:number most_by_default:number? pinned_by:text?",
    ),
    ("DefaultRegistry", "since registry"),
    ("Dialer", "name images:list command:list dials:DialScope"),
    ("Follower", "name flag default:port plus:port enabled_by value set_by"),
    ("FullSurge", "field@path:text= what unless:text="),
    ("Generator", "made_by name:meta namespace:meta? until:text? labels@where:map? change is_source:flag?"),
    ("GoVersion", "go crossplane:list"),
    ("GrpcVersion", "grpc compares:Compares crossplane:list"),
    ("HealthCheck", "key kinds:list target_type"),
    ("HostNetworkField", "group kind path:list? value:text? not:text? -source"),
    ("KnownKinds", "group version kinds:list since taken_since:text=@since"),
    ("LeftKind", "group kinds:list why -source:any?"),
    ("Library", "name shown_by:list at_least:number with_one:list? unless:list? opens:[OpenPort]"),
    (
        "Mesh",
        "name skips:flag opt_out enrollment:[MeshKey] proxy_names@proxy.names:list? proxy_images@proxy.images:list?",
    ),
    ("MeshKey", "at:MeshPlace key joins:list leaves:list=*"),
    (
        "NameReference",
        "to to_default:text= of:list of_group:text= at:list? key:text= pods:list? added:flag? global:flag?",
    ),
    ("NetworkDriver", "driver parameter:text? effect"),
    ("NodePort", "port:port protocol:text=TCP owner images:list? binaries:list? seen:NodePortUse"),
    ("NotCovered", "project program role why"),
    ("OpenPort", "number@port:port name env:text? arg:text? value:text={port} unless_probed:flag?"),
    ("Operand", "group kind field:text? runs is_elsewhere@elsewhere:flag? through:list? -source"),
    ("OperatorRange", "pods images:list ranges:text? first:list? last:list? default:text?"),
    ("PackageLinter", "package group kind since error"),
    ("PluginAnnotation", "key gives of_namespace:flag?"),
    ("PluginPolicy", "group kinds:list form:PolicyForm"),
    ("Redirector", "owner names:list images:list words:list?"),
    ("ReferenceRow", "group kinds:list json:row"),
    ("RefusedField", "group kind version since field accepts:list unless:(unless)? error"),
    ("RefusingMark", "key at:MarkPlace value:text= label:text= starts:flag? why"),
    ("RoleWords", "role words:list"),
    (
        "RolloutKind",
        "group kind strategy settings:text= max_surge:text= max_unavailable:text= per_node:flag? other_types@not:list? \
         is_optional@optional:flag? full_surge:[FullSurge]? template:text=",
    ),
    ("RuntimeOption", "name role port value:text?"),
    (
        "SecondCopyKind",
        "group kind workload:text? of:text? not_annotated:pair? field@where steps:text? weight:text? templates:text? what",
    ),
    ("SidecarKind", "group kind only_if:pair? annotation:text? workload:text? ports:lists config:text? always:ports?"),
    ("Transport", "protocol names:list words:list commands:list"),
    (
        "Words",
        "listen:list other:list advertised:list dialled:list servers:list clients:list listen_urls:list own_addresses:list \
         not_ports:list end_in_port:list hosts:list host_labels:list service_labels:list remotes:list public_names:list \
         protocols:list general:list products:list aspects:list outbound:list counters:list option_ends:list \
         own_options:list common_images:list transports:[Transport] roles:[RoleWords]",
    ),
    ("WorkloadKind", "group kind versions:list? path workload_ref:text? service_name:flag -surge:flag -source:any?"),
    ("built_in_hosts", "images:list hosts:list"),
    ("charts", "chart project"),
    ("constraints", "kind parameters:list"),
    ("exempt", "engine namespaces:list"),
    ("image_names", "prefix:text= org:flag? suffix:text="),
    ("kinds", "group kinds:list"),
    ("run_time_labels", "key by"),
    ("schemes", "since name"),
    ("unless", "field is:list"),
    ("unread", "group words:list"),
];

fn main() -> Result<()> {
    let out = env::var("OUT_DIR")?;
    println!("cargo::rerun-if-changed=catalog");
    let mut code = String::new();
    check_surges()?;
    for (file, name, shape) in LISTS {
        let of_file = |error| format!("catalog/{file}.yaml: {error}");
        let (rows, of) = (rows(&read(file)?, shape).map_err(of_file)?, shape_type(shape)?);
        writeln!(code, "pub(crate) static {name}: &[{of}] = {rows};")?;
    }
    for (file, statics) in FILES {
        let of_file = |error| format!("catalog/{file}.yaml: {error}");
        let data = read(file)?;
        let fields: Vec<Field<'_>> = statics.split_whitespace().map(Field::new).collect();
        check_keys(&data, &fields).map_err(of_file)?;
        for field in fields {
            let (name, of, value) = (field.name, field.rust_type()?, field.literal(&data).map_err(of_file)?);
            writeln!(code, "pub(crate) static {name}: {of} = {value};")?;
        }
    }
    writeln!(code, "pub(crate) static WORDS: Words = {};", row(&read("words")?, "Words")?)?;
    programs(&mut code)?;
    fs::write(Path::new(&out).join("catalog.rs"), code)?;
    Ok(())
}

/// Checks that exactly the workload kinds with `surge: true` have a row in `rollouts.yaml`.
fn check_surges() -> Result<()> {
    let (workloads, rollouts) = (read("workloads")?, read("rollouts")?);
    for row in workloads.as_array().into_iter().flatten() {
        let steps: Vec<&str> = row["path"].as_str().unwrap_or_default().split('.').collect();
        let is_of_row = |rollout: &Value| {
            rollout["group"] == row["group"] && rollout["kind"] == row["kind"]
                || rollout["template"].as_str().is_some_and(|key| steps.contains(&key))
        };
        if row["surge"] != rollouts.as_array().is_some_and(|rows| rows.iter().any(is_of_row)) {
            return Err(format!("{row}: `surge` must be true exactly if rollouts.yaml has a row of this kind").into());
        }
    }
    Ok(())
}

/// A field of a shape.
struct Field<'f> {
    name: &'f str,
    /// Path of the key in the row.
    key: String,
    kind: &'f str,
    /// Default, or key of the default.
    default: Option<&'f str>,
    is_optional: bool,
    is_left_out: bool,
}

impl<'f> Field<'f> {
    fn new(text: &'f str) -> Self {
        let (text, is_left_out) = text.strip_prefix('-').map_or((text, false), |text| (text, true));
        let (place, kind) = text.split_once(':').unwrap_or((text, "text"));
        let (name, key) = place.split_once('@').map_or((place, None), |(name, key)| (name, Some(key)));
        let (kind, default) = kind.split_once('=').map_or((kind, None), |(kind, default)| (kind, Some(default)));
        let (kind, is_optional) = kind.strip_suffix('?').map_or((kind, false), |kind| (kind, true));
        let key = key.map_or_else(|| lower_camel(name), str::to_owned);
        Self { name, key, kind, default, is_optional, is_left_out }
    }

    /// Type of a static or of a part of a tuple.
    fn rust_type(&self) -> Result<String> {
        Ok(match self.kind {
            "text" => "&str".to_owned(),
            "list" => "&[&str]".to_owned(),
            "flag" => "bool".to_owned(),
            "ports" => "&[u16]".to_owned(),
            "pairs" => "&[(&str, &str)]".to_owned(),
            kind => match kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
                Some(shape) => format!("&[{}]", shape_type(shape)?),
                None => return Err(format!("{kind} has no type").into()),
            },
        })
    }

    /// The value of a row as a Rust literal.
    fn literal(&self, row: &Value) -> Result<String> {
        if self.kind == "row" {
            return Ok(format!("{:?}", row.to_string()));
        }
        let value = |key: &str| row.pointer(&format!("/{}", key.replace('.', "/"))).filter(|value| !value.is_null());
        let other = self.default.and_then(|default| default.strip_prefix('@'));
        let is_list = matches!(self.kind, "list" | "ports" | "map") || self.kind.starts_with('[');
        match value(&self.key).or_else(|| value(other?)) {
            Some(value) => {
                let code = literal(self.kind, value).map_err(|error| format!("{row}: `{}`: {error}", self.key))?;
                let is_some = self.is_optional && !is_list && self.kind != "flag";
                Ok(if is_some { format!("Some({code})") } else { code })
            }
            None => match (self.default, self.kind) {
                (Some(default), "list") => Ok(format!("&[{default:?}]")),
                (Some(default), _) if other.is_none() => Ok(format!("{default:?}")),
                _ if !self.is_optional => Err(format!("{row}: `{}` is missing", self.key).into()),
                (_, "flag") => Ok("false".to_owned()),
                _ => Ok(if is_list { "&[]" } else { "None" }.to_owned()),
            },
        }
    }
}

/// A value of the catalogue as a Rust literal.
fn literal(kind: &str, value: &Value) -> Result<String> {
    let text = || value.as_str().ok_or("must be a text");
    let texts = || texts(value);
    let split = |separator: &str| {
        let halves: Option<Vec<_>> = texts()?.into_iter().map(|text| text.split_once(separator)).collect();
        halves.ok_or_else(|| Box::<dyn Error>::from(format!("each text must contain `{separator}`")))
    };
    Ok(match kind {
        "any" => String::new(),
        "text" => format!("{:?}", text()?),
        "list" => format!("&{:?}", texts()?),
        "flag" => value.as_bool().ok_or("must be true or false")?.to_string(),
        "number" => value.as_u64().ok_or("must be a number")?.to_string(),
        "port" => port(value)?.to_string(),
        "ports" => {
            let ports: Result<Vec<u16>> = value.as_array().ok_or("must be a list")?.iter().map(port).collect();
            format!("&{:?}", ports?)
        }
        "pair" => format!("{:?}", text()?.split_once('=').ok_or("must have the form KEY=VALUE")?),
        "pairs" => format!("&{:?}", split("=")?),
        "lists" => format!("&{:?}", split("[].")?),
        "map" => {
            let entries = value.as_object().ok_or("must be a mapping")?.iter();
            let entries: Option<Vec<_>> = entries.map(|(key, value)| Some((key, value.as_str()?))).collect();
            format!("&{:?}", entries.ok_or("its values must be texts")?)
        }
        "meta" => match (value["label"].as_str(), value["annotation"].as_str()) {
            (Some(label), None) => format!("MetaKey::Label({label:?})"),
            (None, Some(annotation)) => format!("MetaKey::Annotation({annotation:?})"),
            _ => return Err("must have `label` or `annotation`, and not both".into()),
        },
        kind => match kind.as_bytes() {
            [b'[', shape @ .., b']'] => rows(value, std::str::from_utf8(shape)?)?,
            [b'(', shape @ .., b')'] => row(value, std::str::from_utf8(shape)?)?,
            // A variant of an enum, which the compiler checks.
            _ => format!("{kind}::{}", text()?.split(' ').map(capitalized).collect::<String>()),
        },
    })
}

fn rows(list: &Value, shape: &str) -> Result<String> {
    let mut code = String::from("&[");
    for data in list.as_array().ok_or_else(|| format!("{list} is not a list"))? {
        writeln!(code, "{},", row(data, shape)?)?;
    }
    Ok(code + "]")
}

/// A row as a struct or a tuple.
fn row(data: &Value, shape: &str) -> Result<String> {
    let fields = fields_of(shape)?;
    check_keys(data, &fields)?;
    let mut code = Vec::new();
    for field in &fields {
        let literal = field.literal(data)?;
        if !field.is_left_out {
            code.push(if is_tuple(shape) { literal } else { format!("{}: {literal}", field.name) });
        }
    }
    let code = code.join(", ");
    Ok(if is_tuple(shape) { format!("({code})") } else { format!("{shape} {{ {code} }}") })
}

/// Refuses unknown keys of a mapping. A type that parses the whole row defines its keys.
fn check_keys(data: &Value, fields: &[Field<'_>]) -> Result<()> {
    if fields.iter().any(|field| field.kind == "row") {
        return Ok(());
    }
    for (key, value) in data.as_object().ok_or_else(|| format!("{data} is not a mapping"))? {
        let start = format!("{key}.");
        let keys: Vec<String> = match fields.iter().any(|field| field.key.starts_with(&start)) {
            true => value.as_object().into_iter().flatten().map(|(below, _)| format!("{start}{below}")).collect(),
            false => vec![key.clone()],
        };
        if let Some(key) = keys.iter().find(|key| !fields.iter().any(|field| field.key == **key)) {
            return Err(format!("{data}: unknown key `{key}`").into());
        }
    }
    Ok(())
}

fn fields_of(shape: &str) -> Result<Vec<Field<'static>>> {
    let (_, fields) = SHAPES.iter().find(|(name, _)| *name == shape).ok_or_else(|| format!("no shape {shape}"))?;
    Ok(fields.split_whitespace().map(Field::new).collect())
}

fn shape_type(shape: &str) -> Result<String> {
    if !is_tuple(shape) {
        return Ok(shape.to_owned());
    }
    let types: Result<Vec<String>> = fields_of(shape)?.iter().map(Field::rust_type).collect();
    Ok(format!("({})", types?.join(", ")))
}

fn is_tuple(shape: &str) -> bool {
    shape.starts_with(|c: char| c.is_ascii_lowercase())
}

fn capitalized(word: &str) -> String {
    word.get(..1).map(str::to_ascii_uppercase).unwrap_or_default() + word.get(1..).unwrap_or_default()
}

/// `to_default` as `toDefault`.
fn lower_camel(name: &str) -> String {
    let mut words = name.split('_');
    words.next().unwrap_or_default().to_owned() + &words.map(capitalized).collect::<String>()
}

fn port(value: &Value) -> Result<u16> {
    let number = value.as_u64().and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| format!("{value} is not a port").into())
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
            let images = texts(&program["images"])?;
            if images.is_empty() {
                scaffolds.push_str(&scaffold(program));
            }
            writeln!(
                rows,
                "Source {{ project: {project:?}, head: {head:?}, name: {}, images: &{images:?}, package: {}, json: {:?}, yaml: {text:?} }},",
                literal("text", &program["name"])?,
                Field::new("package:PackageKind?").literal(program)?,
                program.to_string()
            )?;
        }
    }
    writeln!(code, "pub(crate) static PROGRAMS: &[Source] = &[{rows}];")?;
    writeln!(code, "pub(crate) static SCAFFOLDS: &[(&str, &str, &str)] = &[{scaffolds}];")?;
    Ok(())
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

fn texts(data: &Value) -> Result<Vec<&str>> {
    let list = data.as_array().ok_or_else(|| format!("{data} is not a list"))?;
    list.iter().map(|item| item.as_str().ok_or_else(|| format!("{item} is not a text").into())).collect()
}

fn read(file: &str) -> Result<Value> {
    let path = Path::new("catalog").join(format!("{file}.yaml"));
    serde_saphyr::from_str(&fs::read_to_string(&path)?).map_err(|error| format!("{}: {error}", path.display()).into())
}
