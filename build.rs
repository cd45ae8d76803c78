//! Puts the catalogue into the binary: every YAML file of `catalog/` becomes JSON text, which is cheap to read at run
//! time, and programs are kept apart by image so that only those that an input holds are read at all.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    println!("cargo::rerun-if-changed=catalog");
    let mut code = String::new();
    for name in ["workloads", "words", "annotations"] {
        let data = read(&Path::new("catalog").join(format!("{name}.yaml")))?;
        writeln!(code, "pub(crate) const {}: &str = {:?};", name.to_uppercase(), data.to_string())?;
    }
    let mut files: Vec<_> = fs::read_dir("catalog/programs")?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    writeln!(code, "pub(crate) const PROGRAMS: &[(&str, &[&str], &str)] = &[")?;
    for file in files {
        let data = read(&file.path())?;
        for program in data.as_array().ok_or("a file of catalog/programs is a list of programs")? {
            let name = program["name"].as_str().ok_or("a program has a name")?;
            let images = program["images"].as_array().ok_or_else(|| format!("{name} has images"))?;
            let images: Vec<_> = images.iter().filter_map(Value::as_str).collect();
            writeln!(code, "    ({name:?}, &{images:?}, {:?}),", program.to_string())?;
        }
    }
    writeln!(code, "];")?;
    fs::write(Path::new(&out).join("catalog.rs"), code)?;
    Ok(())
}

fn read(path: &Path) -> Result<Value, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    serde_saphyr::from_str(&text).map_err(|error| format!("{}: {error}", path.display()).into())
}
