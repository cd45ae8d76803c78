//! Packages and their runtime configs, read with `serde_yaml` and without the product's code.

use serde::Deserialize as _;
use serde_yaml::Value;

/// Returns the objects of a stream; `None` if the stream is not YAML.
pub(crate) fn objects(stream: &str) -> Option<Vec<Value>> {
    let documents = serde_yaml::Deserializer::from_str(stream);
    let objects: Result<Vec<Value>, _> = documents.map(Value::deserialize).collect();
    Some(objects.ok()?.into_iter().filter(|object| !object.is_null()).collect())
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns kind, namespace and name.
pub(crate) fn id(object: &Value) -> (String, String, String) {
    let metadata = &object["metadata"];
    (text(&object["kind"]).to_owned(), text(&metadata["namespace"]).to_owned(), text(&metadata["name"]).to_owned())
}

/// True if an object has this kind, in the API group of packages.
pub(crate) fn is(object: &Value, kind: &str) -> bool {
    object["kind"] == kind && text(&object["apiVersion"]).starts_with("pkg.crossplane.io/")
}

/// Returns the Providers with a package.
pub(crate) fn providers(objects: &[Value]) -> impl Iterator<Item = &Value> {
    objects.iter().filter(|object| is(object, "Provider") && object["spec"]["package"].is_string())
}

pub(crate) fn find<'o>(objects: &'o [Value], kind: &str, name: &str) -> Option<&'o Value> {
    objects.iter().find(|object| is(object, kind) && object["metadata"]["name"] == name)
}

/// Returns the name of a package's runtime config, as Crossplane v2.2 determines it.
pub(crate) fn runtime_name<'o>(objects: &'o [Value], package: &'o Value) -> &'o str {
    let image = text(&package["spec"]["package"]);
    let length = |config: &Value| {
        let prefixes = config["spec"]["matchImages"].as_sequence().into_iter().flatten();
        prefixes.map(|image| text(&image["prefix"])).filter(|prefix| image.starts_with(prefix)).map(str::len).max()
    };
    let choosing = objects.iter().filter(|object| is(object, "ImageConfig") && !object["spec"]["runtime"].is_null());
    let chosen = choosing.filter_map(|config| Some((length(config)?, config))).max_by_key(|(length, _)| *length);
    let named = match chosen {
        Some((_, config)) => &config["spec"]["runtime"]["configRef"]["name"],
        None => &package["spec"]["runtimeConfigRef"]["name"],
    };
    named.as_str().unwrap_or("default")
}

/// A key of a mapping or an index of a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Key(Value),
    At(usize),
}

/// Returns every scalar with its path.
pub(crate) fn scalars(value: &Value) -> Vec<(Vec<Step>, &Value)> {
    let below = |step: Step, value| {
        scalars(value).into_iter().map(move |(path, value)| ([vec![step.clone()], path].concat(), value))
    };
    match value {
        Value::Mapping(map) => map.iter().flat_map(|(key, value)| below(Step::Key(key.clone()), value)).collect(),
        Value::Sequence(items) => {
            items.iter().enumerate().flat_map(|(index, value)| below(Step::At(index), value)).collect()
        }
        scalar => vec![(Vec::new(), scalar)],
    }
}

pub(crate) fn at<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::At(index) => value.get(index),
    })
}

/// Formats a path as `spec.env[0].name`.
pub(crate) fn dotted(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Key(key) => format!(".{}", text(key)),
        Step::At(index) => format!("[{index}]"),
    };
    path.iter().map(step).collect::<String>().trim_start_matches('.').to_owned()
}
