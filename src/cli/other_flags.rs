//! Tips for flags of kubectl, kustomize and helm that this program lacks.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Flags, and the tip for each.
const TIPS: [(&[&str], &str); 7] = [
    (
        &["--dry-run"],
        "`hostnet apply --diff` shows what would change, and `hostnet apply --check` exits with 1 if something would",
    ),
    (
        &["-f", "--filename", "--file", "-R", "--recursive"],
        "give files and folders as PATH, without a flag: `hostnet check manifests/`; a folder is read with all folders in it",
    ),
    (
        &["-n", "--namespace", "-A", "--all-namespaces", "-l", "--selector"],
        "all objects of the input are read: choose workloads by `select` in the config, or choose objects by `kubectl get -n NAMESPACE -o yaml`",
    ),
    (
        &["--context", "--kubeconfig", "--cluster", "-s", "--server"],
        "this command opens no connection to a cluster: `kubectl get deployments,services -A -o yaml | hostnet check -` reads objects of one",
    ),
    (
        &["-k", "--kustomize"],
        "pipe the build: `kustomize build FOLDER | hostnet check -`; commands with the flag `--build` build a folder of PATH",
    ),
    (&["--set", "--values"], "render the chart first: `helm template NAME CHART --values FILE | hostnet check -`"),
    (&["-i", "--write", "--fix"], "`hostnet apply --in-place` changes files"),
];

/// Adds the tip for an unknown flag of another program to clap's error.
pub(super) fn with_tip(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let flag = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(given)) => given.split(['=', ' ']).next().unwrap_or_default().to_owned(),
        _ => return error,
    };
    if let Some((_, tip)) = TIPS.iter().find(|(flags, _)| flags.contains(&flag.as_str())) {
        // The tip replaces clap's suggestion of a similar flag.
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(*tip)]));
    }
    error
}
