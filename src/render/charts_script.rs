//! The POSIX shell script of `hostnet charts`, which renders charts and kustomizations that the manifests refer to.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::kustomize::build_needs::build_flags;
use crate::model::text::fnv_1a;
use crate::releases::{Build, Operand, Release, Rendered, Renderer, Values};
use krm::{escape_line, shell_operand, shell_path, shell_word};
use lossless_yaml::one_line;

/// Settings of the script.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Output folder of the script.
    pub to: &'a str,
    /// Kubernetes version for `helm template`.
    pub kube_version: Option<&'a str>,
}

/// A script and its counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChartsScript {
    /// Text of the script.
    pub text: String,
    /// Number of Helm releases.
    pub releases: usize,
    /// Number of kustomize builds.
    pub builds: usize,
    /// Number of objects that other programs render.
    pub others: usize,
    /// Objects that the script does not render, each with the reason.
    pub left: Vec<String>,
    /// Number of these objects that could be rendered if the input were complete and correct.
    pub failed: usize,
    /// Objects with an incomplete render, each with the missing part.
    pub remarks: Vec<String>,
}

const HEAD: &str = r#"# Run it in the folder in which `hostnet charts` was called. After a failure it continues, and exits with 1 at the end.
# HELM_FLAGS and KUSTOMIZE_FLAGS are added to each call. Values that are not in the input, such as those of Secrets, are read from the
# folder VALUES (default: values). Log in to private registries first: helm registry login.
set -eu
HELM_FLAGS=${HELM_FLAGS-}
KUSTOMIZE_FLAGS=${KUSTOMIZE_FLAGS-}
VALUES=${VALUES-values}
rendered=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# keep FILE OBJECT COMMAND...: a file that is there is whole, and begins with the place of its object.
keep() {
  file=$to/$1
  object=$2
  shift 2
  if "$@" >"$work/output"; then
    {
      [ -z "$object" ] || printf '# hostnet charts: %s\n' "$object"
      cat "$work/output"
    } >"$work/whole"
    mv "$work/whole" "$file"
    rendered=$((rendered + 1))
  else
    rm -f "$file"
    echo "not rendered: $file" >&2
    failed=$((failed + 1))
  fi
}

# gather FILE OBJECT PATH... [--components PATH...] [--field=LINE...] [--flags=FLAGS]: builds these files and folders with one kustomization,
# as Flux does for a folder without one, or with components and other fields of the object.
gather() {
  all=$work/gathered
  gathered=$1
  of=$2
  shift 2
  rm -rf "$all"
  mkdir "$all"
  echo 'resources:' >"$all/kustomization.yaml"
  count=0
  flags=
  for path in "$@"; do
    case $path in
    --flags=*) flags=${path#--flags=} && continue ;;
    --components) echo 'components:' >>"$all/kustomization.yaml" && continue ;;
    --field=*) printf '%s\n' "${path#--field=}" >>"$all/kustomization.yaml" && continue ;;
    esac
    count=$((count + 1))
    name=$count.yaml
    if [ -d "$path" ]; then
      ln -s "$(CDPATH='' cd "$path" && pwd -P)" "$all/$name"
    else
      cp "$path" "$all/$name" || :
    fi
    echo "- $name" >>"$all/kustomization.yaml"
  done
  keep "$gathered" "$of" kustomize build $flags $KUSTOMIZE_FLAGS "$all"
}

# given FILE WHAT: whether somebody has put the values there.
given() {
  [ ! -f "$VALUES/$1" ] || return 0
  echo "$2 is not in the input: rendered without it. Put it into $VALUES/$1" >&2
  return 1
}
"#;

const END: &str = r#"
echo "$rendered rendered into $to, $failed not" >&2
[ "$failed" -eq 0 ]
"#;

/// Builds the script for these objects.
pub fn script(all: &[Rendered], settings: Settings<'_>) -> ChartsScript {
    let mut made = ChartsScript::default();
    let to = shell_operand(settings.to);
    let _ = write!(
        made.text,
        "#!/bin/sh\n# Renders the manifests that other programs create from objects of the input. Written by `hostnet charts`.\n{HEAD}\nto={to}\nmkdir -p \"$to\"\n"
    );
    let names = file_names(all);
    for (rendered, file) in all.iter().zip(&names) {
        let object = rendered.object();
        let place = shell_word(&document_place(rendered)).into_owned();
        let (what, remarks): (_, &[String]) = match &rendered.by {
            Renderer::Helm(release) => match release.chart.obstacle() {
                Some(why) => (Err(why), &[]),
                None => (Ok(&mut made.releases), &release.remarks),
            },
            Renderer::Kustomize(build) => (Ok(&mut made.builds), &build.remarks),
            Renderer::Program { .. } => (Ok(&mut made.others), &[]),
            Renderer::Operator { what, .. } => (Err(format!("{what} is visible only in the cluster")), &[]),
            Renderer::Directory { why, .. } | Renderer::Foreign(why) | Renderer::Nothing(why) => {
                (Err(why.clone()), &[])
            }
        };
        match what {
            Ok(count) => *count += 1,
            Err(why) => {
                let _ = writeln!(made.text, "\n# {object}\n# not rendered: {}", escape_line(&why));
                made.left.push(format!("{object}: {why}"));
                made.failed += usize::from(matches!(
                    rendered.by,
                    Renderer::Helm(_) | Renderer::Directory { .. } | Renderer::Nothing(_)
                ));
                continue;
            }
        }
        let mut text = format!("\n# {object}\n");
        for remark in remarks {
            let _ = writeln!(text, "# {}", escape_line(remark));
            made.remarks.push(format!("{object}: {remark}"));
        }
        match &rendered.by {
            Renderer::Helm(release) => write_release(&mut text, release, &object, (file, &place), settings),
            Renderer::Kustomize(build) => write_build(&mut text, build, (file, &place)),
            Renderer::Program { command, operand: Operand::Name(name), .. } => {
                let _ = writeln!(text, "keep {file} {place} {command} {}", shell_operand(name));
            }
            Renderer::Program { command, operand: Operand::Object(object), .. } => {
                write_file(&mut text, "object.yaml", object);
                let _ = writeln!(text, "keep {file} {place} {command} \"$work/object.yaml\"");
            }
            Renderer::Operator { .. } | Renderer::Directory { .. } | Renderer::Foreign(_) | Renderer::Nothing(_) => {}
        }
        made.text.push_str(&text);
    }
    made.text.push_str(END);
    made
}

/// Writes the commands that render one release.
fn write_release(
    text: &mut String,
    release: &Release,
    object: &str,
    (file, place): (&str, &str),
    settings: Settings<'_>,
) {
    let (reference, options) = release.chart.reference();
    let mut words = vec![shell_operand(&release.name), shell_operand(&reference)];
    words.extend(options.into_iter().flat_map(|(option, value)| [option.to_owned(), shell_operand(value)]));
    words.extend(release.namespace.iter().flat_map(|namespace| ["--namespace".to_owned(), shell_operand(namespace)]));
    words
        .extend(settings.kube_version.iter().flat_map(|version| ["--kube-version".to_owned(), shell_operand(version)]));
    words.extend(release.crds.then(|| "--include-crds".to_owned()));
    if release.chart.has_dependencies {
        let _ = writeln!(text, "helm dependency build {} >&2 || :", shell_operand(&release.chart.chart));
    }
    let _ = writeln!(text, "set -- {}", words.join(" "));
    for (index, values) in release.values.iter().enumerate() {
        match values {
            Values::Text { from, text: values } => {
                let file = format!("{index}.yaml");
                let _ = writeln!(text, "# {}", escape_line(from));
                write_file(text, &file, values);
                let _ = writeln!(text, "set -- \"$@\" --values \"$work/{file}\"");
            }
            Values::File(path) => {
                let _ = writeln!(text, "set -- \"$@\" --values {}", shell_path(path));
            }
            Values::Set(flag, value) => {
                let _ = writeln!(text, "set -- \"$@\" {flag} {}", shell_word(value));
            }
            Values::Missing { what, file, path } => {
                let file = shell_word(&safe(file)).into_owned();
                let what = shell_word(&format!("{object}: {}", escape_line(what))).into_owned();
                let add = match path {
                    None => format!("--values \"$VALUES\"/{file}"),
                    Some(path) => format!("--set {}\"=$(cat \"$VALUES\"/{file})\"", shell_word(path)),
                };
                let _ = writeln!(text, "if given {file} {what}; then set -- \"$@\" {add}; fi");
            }
        }
    }
    let _ = writeln!(text, "keep {file} {place} helm template \"$@\" $HELM_FLAGS");
}

fn write_build(text: &mut String, build: &Build, (file, place): (&str, &str)) {
    if !build.generated.is_empty() {
        let mut paths: Vec<String> = build.generated.iter().map(|path| shell_path(path)).collect();
        if !build.components.is_empty() {
            paths.push("--components".to_owned());
            paths.extend(build.components.iter().map(|path| shell_path(path)));
        }
        for (field, value) in &build.fields {
            paths.push(shell_word(&format!("--field={field}: {}", one_line(value))).into_owned());
        }
        let folders =
            build.generated.iter().chain(&build.components).filter(|path| path.is_dir()).map(PathBuf::as_path);
        let flags = build_flags(folders, build.has_charts);
        if !flags.is_empty() {
            paths.push(shell_word(&format!("--flags={}", flags.trim())).into_owned());
        }
        let _ = writeln!(text, "gather {file} {place} \\\n  {}", paths.join(" \\\n  "));
        return;
    }
    let flags = build_flags([build.folder.as_path()], build.has_charts);
    let _ = writeln!(text, "keep {file} {place} kustomize build {flags}$KUSTOMIZE_FLAGS {}", shell_path(&build.folder));
}

/// Path and position of an object's document; empty if the path has a line break.
fn document_place(rendered: &Rendered) -> String {
    let path = rendered.file.as_deref().and_then(Path::to_str).filter(|path| !path.chars().any(char::is_control));
    path.map(|path| format!("{path}#{}", rendered.position())).unwrap_or_default()
}

/// Writes the lines that put a text into a file of the script's temporary folder.
fn write_file(script: &mut String, file: &str, content: &str) {
    let end = delimiter(content);
    let line = if content.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(script, "cat >\"$work/{file}\" <<'{end}'\n{content}{line}{end}");
}

/// Heredoc delimiter that is not a line of the text.
fn delimiter(text: &str) -> String {
    let mut end = "END_OF_VALUES".to_owned();
    while text.lines().any(|line| line == end) {
        end.push('_');
    }
    end
}

/// Output file of each object, such as `helmrelease_shop_web.yaml`. Kubernetes names have no underscore, so the parts
/// stay distinct.
pub fn file_names(all: &[Rendered]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let file = |rendered: &Rendered| {
        let namespace = rendered.namespace.as_deref().unwrap_or_default();
        let name = rendered.name.trim_start_matches("./").replace('/', "-");
        let stem = safe(&format!("{}_{namespace}_{name}", rendered.kind.to_lowercase()));
        let mut name = format!("{stem}.yaml");
        let mut count = 2;
        while !taken.insert(name.clone()) {
            name = format!("{stem}_{count}.yaml");
            count += 1;
        }
        name
    };
    all.iter().map(file).collect()
}

/// True if two file names differ by no more than the number that the script adds to equal names.
pub fn differs_by_number_only(name: &str, other: &str) -> bool {
    let stem = |name: &'_ str| {
        let stem = name.strip_suffix(".yaml").unwrap_or(name);
        let numbered = stem.rsplit_once('_').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        numbered.map_or(stem, |(stem, _)| stem).to_owned()
    };
    name == other || stem(name) == stem(other)
}

/// File name for a text: letters, digits, dots, hyphens and underscores; a hash is appended if other characters were
/// replaced.
fn safe(text: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let kept: String = text.chars().filter(|c| is_safe(*c)).take(200).collect();
    if kept == text { kept } else { format!("{kept}_{:08x}", fnv_1a(text) & 0xffff_ffff) }
}
