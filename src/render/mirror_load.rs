//! The script of `hostnet mirror script --load`, for the POSIX shell: it loads the images that nodes run into the
//! nodes.

use crate::package_mirror::Listing;
use crate::render::mirror_script::{CopyRoute, Tool, WANTED, quoted, unreadable_reason};
use oci::name::ImageRef;

/// The program that loads archives of images into nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Loader {
    /// `kind load`, for a kind cluster.
    Kind,
    /// `ctr -n k8s.io images import`, on each node with containerd, also for RKE2.
    Ctr,
    /// `k3s ctr images import`, on each node of k3s.
    K3s,
}

/// The first lines of the script. Functions check each command themselves, because the shell ignores `set -e` within
/// `||`.
const HEAD: &str = "\
# Only the nodes then have the images. Crossplane's core still reads each package from its registry, or from its cache with
# `packagePullPolicy: Never`. Pods take an image of the node unless their imagePullPolicy is Always.
# It may be run again, and loads everything again. The exit code is 1 when something was not loaded.
# More arguments: COPY_FLAGS for each copy, LOOK_FLAGS for each request of a digest.
";

const SETTINGS: &str = "\
set -eu
COPY_FLAGS=${COPY_FLAGS-}
LOOK_FLAGS=${LOOK_FLAGS-}
failed=0
work=$(mktemp -d)
";

/// The index with the image's names for containerd: `io.containerd.image.name`, once with tag and once with digest.
const INDEX: &str = r#"
# index NAME TAG: writes the index of the layout, by which containerd gives the image its names.
index() {
  manifest=$work/image/blobs/sha256/${want#sha256:}
  size=$(wc -c <"$manifest") || return 1
  compact=$(tr -d '[:space:]' <"$manifest") || return 1
  case $compact in
  *application/vnd.docker.distribution.manifest.list.v2+json*) type=application/vnd.docker.distribution.manifest.list.v2+json ;;
  *'"manifests":['*) type=application/vnd.oci.image.index.v1+json ;;
  *application/vnd.docker.distribution.manifest.v2+json*) type=application/vnd.docker.distribution.manifest.v2+json ;;
  *) type=application/vnd.oci.image.manifest.v1+json ;;
  esac
  entry='{"mediaType":"%s","digest":"%s","size":%d,"annotations":{"io.containerd.image.name":"%s"}}'
  {
    printf '{"schemaVersion":2,"manifests":['
    [ -z "$2" ] || printf "$entry," "$type" "$want" "$size" "$1:$2"
    printf "$entry" "$type" "$want" "$size" "$1@$want"
    printf ']}\n'
  } >"$work/image/index.json"
}
"#;

const ONE: &str = r#"
# one KIND NAME TAG DIGEST NAME_ON_THE_NODE
one() {
  wanted "$1" "$2" "$3" "$4" || return 1
  rm -rf "$work/image" "$work/image.tar" || return 1
  save "$2@$want" "$work/image" || return 1
  index "$5" "$3" || return 1
  tar -C "$work/image" -cf "$work/image.tar" . || return 1
  load || return 1
  echo "loaded: $5${3:+:$3} $want"
}
"#;

/// Loads the images on each node of `NODES` by ssh; without `NODES`, on this machine.
const ON_NODES: &str = r#"
load() {
  if [ -z "$NODES" ]; then
    $SUDO $CTR -n k8s.io images import - <"$work/image.tar"
    return
  fi
  for node in $NODES; do
    $SSH "$node" $SUDO $CTR -n k8s.io images import - <"$work/image.tar" || return 1
  done
}
"#;

impl Loader {
    /// Comments about the environment variables that the loader reads.
    fn settings(self) -> &'static str {
        match self {
            Self::Kind => "# The cluster is that of KIND_CLUSTER_NAME, else `kind`.\n",
            Self::Ctr => {
                "\
# NODES are the nodes, reached by SSH (default: ssh); without NODES this machine is the node. SUDO=sudo where root is needed.
# For RKE2: CTR='/var/lib/rancher/rke2/bin/ctr --address /run/k3s/containerd/containerd.sock'
"
            }
            Self::K3s => {
                "# NODES are the nodes, reached by SSH (default: ssh); without NODES this machine is the node. SUDO=sudo where root is needed.\n"
            }
        }
    }

    /// Shell function that loads an image into the nodes.
    fn load(self) -> &'static str {
        match self {
            Self::Kind => "load() { kind load image-archive \"$work/image.tar\"; }\n",
            Self::Ctr | Self::K3s => ON_NODES,
        }
    }
}

/// Entries that cannot be loaded, each with the reason.
pub fn not_loaded(listing: &Listing) -> Vec<String> {
    let run = listing.entries.iter().filter(|entry| entry.is_run);
    run.filter_map(|entry| Some(format!("{} {}", entry.source, unreadable_reason(entry)?))).collect()
}

/// A script that loads all images that nodes run, under the names that pods use.
pub fn script(listing: &Listing, tool: Tool, loader: Loader) -> String {
    let name = tool.as_str();
    let mut text =
        format!("#!/bin/sh\n# Loads images into nodes with {name}. Written by `hostnet mirror script --load`.\n{HEAD}");
    text.push_str(loader.settings());
    text.push_str(SETTINGS);
    let programs = match loader {
        Loader::Kind => vec![name, "kind"],
        Loader::Ctr | Loader::K3s => {
            let ctr = if loader == Loader::K3s { "k3s ctr" } else { "ctr" };
            text.push_str(&format!("NODES=${{NODES-}}\nSSH=${{SSH-ssh}}\nSUDO=${{SUDO-}}\nCTR=${{CTR-{ctr}}}\n"));
            vec![name]
        }
    };
    for program in programs {
        text.push_str(&format!(
            "command -v {program} >/dev/null || {{ echo \"{program} is missing\" >&2; exit 1; }}\n"
        ));
    }
    text.push_str(tool.digest_function());
    text.push_str("trap 'rm -rf \"$work\" ${raw:+\"$raw\"}' EXIT\n");
    text.push_str(tool.copies(CopyRoute::Save("")));
    text.push_str(WANTED);
    text.push_str(INDEX);
    text.push_str(loader.load());
    text.push_str(ONE);
    text.push('\n');
    let entries = listing.entries.iter().filter(|entry| entry.is_run && ImageRef::read(&entry.source).is_ok());
    for listed in entries {
        let source = ImageRef::split(&listed.source);
        let tag = match (source.tag, source.digest) {
            (None, None) => "latest",
            (tag, _) => tag.unwrap_or_default(),
        };
        let there = listed.target.as_deref().map_or(source.name, |target| ImageRef::split(target).name);
        let digest = listed.digest.as_deref().unwrap_or_default();
        let words = ["image", source.name, tag, digest, there].map(quoted);
        text.push_str(&format!("one {} || failed=$((failed + 1))\n", words.join(" ")));
    }
    text.push_str("\nif [ \"$failed\" -gt 0 ]; then\n  echo \"$failed not loaded\" >&2\n  exit 1\nfi\n");
    text
}
