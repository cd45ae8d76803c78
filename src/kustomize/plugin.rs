//! kustomize's legacy exec plugins: an executable in the plugin home, the config as a file, plain
//! documents on standard input and output.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use krm::files::has_kustomization;
use krm::new_file::{NewFile, Readable, folder_of, remove_leftovers};
use krm::shown_path;

/// Group and version of the config kinds, which are folder names in the plugin home.
const GROUP_VERSION: &str = "hostnet.dev/v1alpha1";

/// Environment variable that only kustomize sets, for exec plugins.
const CALLED_BY_KUSTOMIZE: &str = "KUSTOMIZE_PLUGIN_CONFIG_ROOT";

/// Returns the config file if kustomize runs hostnet as an exec plugin. `args` are all arguments,
/// starting with the program name.
pub fn config_of_call(args: &[OsString]) -> Option<PathBuf> {
    plugin_config_argument(args, std::env::var_os(CALLED_BY_KUSTOMIZE).is_some())
}

/// Path of the config if kustomize started the program as a plugin.
fn plugin_config_argument(args: &[OsString], called_by_kustomize: bool) -> Option<PathBuf> {
    match args {
        // kustomize passes an absolute path, never a command.
        [_, config] if called_by_kustomize => Some(PathBuf::from(config)).filter(|config| config.is_absolute()),
        _ => None,
    }
}

/// Returns the folder of the build that runs this function, from the arguments of the calling kustomize or kubectl; `None`
/// if they are not known, as outside of Linux.
pub fn folder_of_build() -> Option<PathBuf> {
    let process = Path::new("/proc").join(parent_id()?.to_string());
    let arguments = fs::read(process.join("cmdline")).ok()?;
    let arguments: Vec<&str> = str::from_utf8(&arguments).ok()?.split('\0').collect();
    build_argument(&arguments, |argument| has_kustomization(&process.join("cwd").join(argument)))
        .map(|argument| process.join("cwd").join(argument))
}

/// The argument of kustomize or kubectl that names a folder with a kustomization; `.` without such an argument.
fn build_argument<'a>(arguments: &[&'a str], has_kustomization: impl Fn(&str) -> bool) -> Option<&'a str> {
    let is_kustomize = |argument: &&str| {
        let name = argument.rsplit('/').next().unwrap_or_default();
        name == "kustomize" || name.starts_with("kubectl")
    };
    let mut arguments = arguments.iter().copied();
    arguments.find(is_kustomize)?;
    let is_folder = |argument: &&str| !argument.is_empty() && !argument.starts_with('-') && has_kustomization(argument);
    arguments.rev().find(is_folder).or_else(|| Some(".").filter(|folder| has_kustomization(folder)))
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have no id of the parent process")]
fn parent_id() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent_id() -> Option<u32> {
    None
}

/// Removes characters that kustomize would misprint from a message: kustomize uses the message of a failed
/// plugin as a format string with `%` (v5.4.0 to v5.7.1), and quotes messages from below a component
/// again.
pub fn plain(message: &str) -> String {
    message.replace('%', " percent").replace('"', "'")
}

/// Copies the program `exe` to the plugin path of each kind below the plugin home `dir`, and returns
/// the paths. An existing copy is replaced atomically, even while it runs.
///
/// ```no_run
/// # use std::path::Path;
/// let exe = std::env::current_exe()?;
/// hostnet::kustomize::plugin::install(Path::new("plugins"), &exe, &["HostNetwork"])?;
/// // plugins/hostnet.dev/v1alpha1/hostnetwork/HostNetwork
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn install(dir: &Path, exe: &Path, kinds: &[&str]) -> io::Result<Vec<PathBuf>> {
    kinds.iter().map(|kind| copy_program(exe, path_of(dir, kind))).collect()
}

/// Returns the plugin path of a kind below the plugin home.
pub fn path_of(home: &Path, kind: &str) -> PathBuf {
    home.join(GROUP_VERSION).join(kind.to_lowercase()).join(kind)
}

/// Copies the program `exe` to the folder `dir` as `kubectl-hostnet`, which kubectl runs as `kubectl hostnet` if the
/// folder is in the `PATH`. Returns the path of the copy, which is replaced atomically, even while it runs.
///
/// # Errors
/// The folder or the copy cannot be written, or `exe` cannot be read.
pub fn install_for_kubectl(dir: &Path, exe: &Path) -> io::Result<PathBuf> {
    copy_program(exe, dir.join("kubectl-hostnet"))
}

fn copy_program(exe: &Path, path: PathBuf) -> io::Result<PathBuf> {
    let folder = folder_of(&path);
    let at = |path: &Path, error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", shown_path(path)));
    fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    remove_leftovers(folder);
    let mut program = File::open(exe).map_err(|error| at(exe, error))?;
    let copy = |file: &mut File| {
        io::copy(&mut program, file)?;
        make_executable(file)
    };
    let copied = NewFile::write(path.clone(), Readable::ByOwner, copy).and_then(NewFile::persist);
    copied.map_err(|error| at(&path, error))?;
    Ok(path)
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_by_kustomize_are_plugin_calls() {
        let config = tempfile::NamedTempFile::new().unwrap();
        let call = ["hostnet".into(), config.path().as_os_str().to_owned()];
        assert_eq!(plugin_config_argument(&call, true).as_deref(), Some(config.path()));
        assert_eq!(plugin_config_argument(&call, false), None);
        assert_eq!(plugin_config_argument(&["hostnet".into(), "schema".into()], true), None);
        // A missing file is reported as a missing config.
        let gone = ["hostnet".into(), "/no/such/config".into()];
        assert_eq!(plugin_config_argument(&gone, true).as_deref(), Some(Path::new("/no/such/config")));
        assert_eq!(plugin_config_argument(&["hostnet".into()], true), None);
    }

    #[test]
    fn the_folder_of_a_build_is_an_argument() {
        let folder = |call: &str, folders: &[&str]| {
            build_argument(&call.split(' ').collect::<Vec<_>>(), |argument| folders.contains(&argument))
                .map(str::to_owned)
        };
        let folders = ["over", "build", "."];
        assert_eq!(folder("/usr/bin/kustomize build over --enable-alpha-plugins", &folders).as_deref(), Some("over"));
        assert_eq!(
            folder("kubectl kustomize --enable-alpha-plugins over -o out.yaml", &folders).as_deref(),
            Some("over")
        );
        assert_eq!(folder("/bin/sh /opt/kustomize build", &["."]).as_deref(), Some("."));
        assert_eq!(folder("kustomize build https://example.com/over", &["over"]), None);
        assert_eq!(folder("kpt fn render over", &folders), None);
    }

    #[test]
    fn an_installed_plugin_runs() {
        let home = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let paths = install(home.path(), Path::new("/bin/true"), &["HostNetwork"]).unwrap();
            assert_eq!(paths, [home.path().join("hostnet.dev/v1alpha1/hostnetwork/HostNetwork")]);
            assert!(std::process::Command::new(&paths[0]).status().unwrap().success());
        }
        let error = install(home.path(), Path::new("/no/such"), &["HostNetwork"]).unwrap_err();
        assert!(error.to_string().starts_with("/no/such: "), "{error}");
    }
}
