#!/usr/bin/env bash
# Compares the behaviour of two programs: prints one checksum per folder of manifests, over all outputs and results,
# without message texts.
#
#   tests/outputs.sh BINARY [FOLDER]...    > before.txt
#
# Run it with the programs before and after a change, and compare the two lists: a change that only moves code leaves
# all checksums equal. `diff <(KEEP=1 tests/outputs.sh OLD tests) <(KEEP=1 tests/outputs.sh NEW tests)` lists the files
# that differ.
set -euo pipefail

binary=$(realpath "$1")
shift
if [ "$#" -eq 0 ]; then
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  set -- examples kustomization-tests tests
  for folder in charts flux packages workloads; do
    [ ! -d "../shared/corpus/$folder" ] || set -- "$@" "../shared/corpus/$folder"
  done
fi

config=$(mktemp)
trap 'rm -f "$config"' EXIT
cat > "$config" <<'YAML'
apiVersion: hostnet.dev/v1alpha1
kind: HostNetwork
metadata: {name: all}
spec:
  unmatched: Ignore
  targets: [{select: {kind: '.+'}, ports: auto}]
  exclude: [{group: pkg.crossplane.io, kind: '.*Config|Configuration|.*Revision|Lock'}]
YAML

# Prints a checksum of a file's exit code, output, and results: severity, place and rule of each result, without its
# message.
one() {
  local file=$1 code=0 out results
  results=$({ out=$("$binary" apply -c "$config" < "$file" | sha256sum; exit "${PIPESTATUS[0]}") || code=$?; echo "$code $out" >&3; } 3>&1 2>&1 |
    sed -E 's/^(error|warning|info): ([^ ]*).*\[([a-z-]+)\]$/\1 \2 \3/')
  printf '%s %s\n' "$(printf '%s' "$results" | sha256sum | cut -c1-16)" "$file"
}

for folder in "$@"; do
  lines=$(find -L "$folder" -name '*.yaml' -o -name '*.yml' -o -name '*.json' | LC_ALL=C sort | while read -r file; do one "$file"; done)
  if [ -n "${KEEP:-}" ]; then
    printf '%s\n' "$lines"
  else
    printf '%s %6d %s\n' "$(printf '%s' "$lines" | sha256sum | cut -c1-16)" "$(printf '%s\n' "$lines" | wc -l)" "$folder"
  fi
done
