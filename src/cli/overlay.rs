//! `hostnet init --overlay`: writes a kustomization that builds another one and runs the config as a transformer.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};

use krm::{files, in_place, shown_path};
use lossless_yaml::{Value, document};

/// File name of the config in the overlay.
const CONFIG: &str = "hostnet.yaml";
const KUSTOMIZATION: &str = "kustomization.yaml";

/// Folder that the overlay builds: the only path, with a kustomization.
pub(super) fn base(paths: &[PathBuf]) -> anyhow::Result<&Path> {
    let [base] = paths else { bail!("--overlay builds one kustomization: give its folder as PATH") };
    if !files::has_kustomization(base) {
        bail!("{}: it has no kustomization, and --overlay builds one: give its folder as PATH", shown_path(base));
    }
    Ok(base)
}

/// Writes the overlay into a folder; fails if one of its files exists.
pub(super) fn write(folder: &Path, base: &Path, config: &str) -> anyhow::Result<()> {
    let absolute = |path: &Path| path.canonicalize().with_context(|| shown_path(path));
    let base = absolute(base)?;
    // The deepest existing parent of the folder.
    let there = folder.ancestors().find(|path| path.exists()).filter(|path| !path.as_os_str().is_empty());
    if absolute(there.unwrap_or(Path::new(".")))?.starts_with(&base) {
        let (folder, base) = (shown_path(folder), shown_path(&base));
        bail!(
            "{folder} is inside of {base}, and kustomize cannot build a folder from inside of it: give another --overlay DIR"
        );
    }
    std::fs::create_dir_all(folder).with_context(|| shown_path(folder))?;
    let here = absolute(folder)?;
    let resource = relative(&here, &base);
    let Some(resource) = resource.to_str() else { bail!("{}: its path is not UTF-8", shown_path(&base)) };
    let list = |entry: &str| Value::Seq(vec![entry.into()]);
    let kustomization = document(&Value::map([
        ("apiVersion", "kustomize.config.k8s.io/v1beta1".into()),
        ("kind", "Kustomization".into()),
        ("resources", list(resource)),
        ("transformers", list(CONFIG)),
    ]));
    for name in files::KUSTOMIZATIONS.iter().chain([&CONFIG]) {
        let path = folder.join(name);
        if path.exists() {
            bail!(
                "{} already exists and is not overwritten: remove it, or give another --overlay DIR",
                shown_path(&path)
            );
        }
    }
    for (name, text) in [(CONFIG, config), (KUSTOMIZATION, kustomization.as_str())] {
        let path = folder.join(name);
        match in_place::create(&path, text) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!("{} already exists", shown_path(&path)),
            created => created.with_context(|| shown_path(&path))?,
        }
    }
    Ok(())
}

/// Relative path between two folders; both are absolute and without symlinks.
pub(super) fn relative(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(to.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_between_folders() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/overlay", "/a/base"), "../base");
        assert_eq!(way("/a/b/c", "/a"), "../..");
        assert_eq!(way("/a", "/a/b"), "b");
    }
}
