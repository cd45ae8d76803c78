//! Puts the catalogue into the binary. Tables that nearly every run needs become Rust statics; programs become JSON text,
//! kept apart by image, so that only those that an input holds are read at all.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let out = env::var("OUT_DIR")?;
    println!("cargo::rerun-if-changed=catalog");
    let mut code = String::new();
    let kinds = rows("workloads", &["group", "kind", "path"], |row| {
        Ok(format!(
            "WorkloadKind {{ group: {}, kind: {}, path: {} }}",
            row.text("group")?,
            row.text("kind")?,
            row.text("path")?
        ))
    })?;
    writeln!(code, "pub(crate) static WORKLOADS: &[WorkloadKind] = &[{kinds}];")?;
    writeln!(code, "pub(crate) static ANNOTATIONS: &[&str] = &{:?};", texts(&read("annotations")?)?)?;
    writeln!(code, "pub(crate) static WORDS: Words = {};", words()?)?;
    let ports = rows("node-ports", &["port", "protocol", "owner", "images", "seen"], node_port)?;
    writeln!(code, "pub(crate) static NODE_PORTS: &[NodePort] = &[{ports}];")?;
    programs(&mut code)?;
    fs::write(Path::new(&out).join("catalog.rs"), code)?;
    Ok(())
}

fn words() -> Result<String> {
    let data = read("words")?;
    let words = Row { data: &data, known: &["listen", "other", "roles"] };
    words.check()?;
    let roles = list(words.get("roles"), &["role", "words"], |row| {
        Ok(format!("RoleWords {{ role: {}, words: &{:?} }}", row.text("role")?, texts(row.get("words"))?))
    })?;
    let (listen, other) = (texts(words.get("listen"))?, texts(words.get("other"))?);
    Ok(format!("Words {{ listen: &{listen:?}, other: &{other:?}, roles: &[{roles}] }}"))
}

fn node_port(row: &Row<'_>) -> Result<String> {
    let port = row.get("port").as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
    let port = port.ok_or("a node port has a port from 1 to 65535")?;
    let protocol = row.data.get("protocol").map_or(Ok("TCP"), |value| value.as_str().ok_or("a protocol is a text"))?;
    let images = row.data.get("images").map_or(Ok(Vec::new()), texts)?;
    let seen = match row.get("seen").as_str() {
        Some("always") => "Always",
        Some("often") => "Often",
        _ => return Err(format!("node port {port} is seen `always` or `often`").into()),
    };
    let owner = row.text("owner")?;
    Ok(format!(
        "NodePort {{ port: {port}, protocol: {protocol:?}, owner: {owner}, images: &{images:?}, seen: Seen::{seen} }}"
    ))
}

fn programs(code: &mut String) -> Result<()> {
    let mut files: Vec<_> = fs::read_dir("catalog/programs")?.collect::<std::result::Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    writeln!(code, "pub(crate) static PROGRAMS: &[(&str, &[&str], &str)] = &[")?;
    for file in files {
        let data = parse(&file.path())?;
        for program in data.as_array().ok_or("a file of catalog/programs is a list of programs")? {
            let name = program["name"].as_str().ok_or("a program has a name")?;
            let images = texts(&program["images"]).map_err(|_| format!("{name} has images"))?;
            writeln!(code, "    ({name:?}, &{images:?}, {:?}),", program.to_string())?;
        }
    }
    writeln!(code, "];")?;
    Ok(())
}

/// A mapping of the data, and the keys that it may have.
struct Row<'v> {
    data: &'v Value,
    known: &'v [&'v str],
}

impl Row<'_> {
    fn check(&self) -> Result<()> {
        let row = self.data.as_object().ok_or_else(|| format!("{} is no mapping", self.data))?;
        match row.keys().find(|key| !self.known.contains(&key.as_str())) {
            Some(key) => Err(format!("{}: unknown key `{key}`, known are {}", self.data, self.known.join(", ")).into()),
            None => Ok(()),
        }
    }

    /// A value, null where there is none.
    fn get(&self, key: &str) -> &Value {
        self.data.get(key).unwrap_or(&Value::Null)
    }

    /// A text, as Rust writes it.
    fn text(&self, key: &str) -> Result<String> {
        let text = self.get(key).as_str().ok_or_else(|| format!("{}: `{key}` is no text", self.data))?;
        Ok(format!("{text:?}"))
    }
}

/// The rows of a file, each as Rust code.
fn rows(file: &str, known: &[&str], code: impl Fn(&Row<'_>) -> Result<String>) -> Result<String> {
    list(&read(file)?, known, code).map_err(|error| format!("catalog/{file}.yaml: {error}").into())
}

fn list(data: &Value, known: &[&str], code: impl Fn(&Row<'_>) -> Result<String>) -> Result<String> {
    let mut text = String::new();
    for data in data.as_array().ok_or_else(|| format!("{data} is no list"))? {
        let row = Row { data, known };
        row.check()?;
        writeln!(text, "{},", code(&row)?)?;
    }
    Ok(text)
}

fn texts(data: &Value) -> Result<Vec<&str>> {
    let list = data.as_array().ok_or_else(|| format!("{data} is no list"))?;
    list.iter().map(|item| item.as_str().ok_or_else(|| format!("{item} is no text").into())).collect()
}

fn read(file: &str) -> Result<Value> {
    parse(&Path::new("catalog").join(format!("{file}.yaml")))
}

fn parse(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path)?;
    serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", path.display()).into())
}
