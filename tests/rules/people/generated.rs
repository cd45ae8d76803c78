//! Completions and man pages, loaded and formatted by the programs that use them.

use std::path::Path;
use std::process::Command;

use crate::support::run::hostnet;
use crate::support::{find_program, not_run, run, text};

fn generated(arguments: &[&str]) -> String {
    let run = hostnet(Path::new("."), arguments, b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.text()
}

/// Path of a shell; a note reports a missing shell.
fn shell(name: &str) -> Option<std::path::PathBuf> {
    let found = find_program(name);
    if found.is_none() {
        not_run(&format!("{name} is not installed"));
    }
    found
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let script = generated(&["completions", "bash"]);
    let Some(bash) = shell("bash") else { return };
    let ask = "
complete_line() { COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _hostnet hostnet \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"; echo \"${COMPREPLY[*]}\"; }
complete_line 'hostnet ap'
complete_line 'hostnet apply --in'
complete_line 'hostnet ports --output m'
complete_line 'hostnet completions z'
";
    let output = run(Command::new(bash).args(["--norc", "-s"]), format!("{script}\n{ask}").as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "apply\n--in-place\nmarkdown\nzsh\n", "{}", text(&output.stderr));
}

#[test]
fn zsh_loads_its_completions() {
    let script = generated(&["completions", "zsh"]);
    let Some(zsh) = shell("zsh") else { return };
    let load = format!(
        "autoload -Uz compinit && compinit -u -D\n{script}\ncompdef _hostnet hostnet && print ${{_comps[hostnet]}}\n"
    );
    let output = run(Command::new(zsh).args(["-f", "-s"]), load.as_bytes());
    assert!(output.status.success() && text(&output.stdout).contains("_hostnet"), "{}", text(&output.stderr));
}

#[test]
fn fish_completes_commands() {
    let script = generated(&["completions", "fish"]);
    let Some(fish) = shell("fish") else { return };
    let ask = format!("{script}\ncomplete --do-complete 'hostnet ap'\n");
    let output = run(Command::new(fish).arg("--no-config"), ask.as_bytes());
    assert!(text(&output.stdout).starts_with("apply"), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn powershell_has_completions() {
    assert!(
        generated(&["completions", "powershell"]).contains("Register-ArgumentCompleter -Native -CommandName 'hostnet'")
    );
}

#[test]
fn man_formats_every_page() {
    let folder = tempfile::tempdir().unwrap();
    let run_man = hostnet(folder.path(), &["man", "--output-dir", "man1"], b"");
    assert_eq!(run_man.code, Some(0), "{}", run_man.stderr);
    let mut pages: Vec<_> =
        std::fs::read_dir(folder.path().join("man1")).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    let names: Vec<_> = pages.iter().map(|page| page.file_name().unwrap().to_str().unwrap()).collect();
    assert!(names.contains(&"hostnet.1") && names.contains(&"hostnet-apply.1"), "{names:?}");
    let main = std::fs::read(folder.path().join("man1/hostnet.1")).unwrap();
    assert_eq!(generated(&["man"]).into_bytes(), main);
    let Some(groff) = shell("groff") else { return };
    for page in pages {
        let output = run(Command::new(&groff).args(["-man", "-Tutf8", "-ww", "-P-cbou"]).arg(&page), b"");
        let (shown, log) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && log.is_empty(), "{}: {log}", page.display());
        assert!(shown.contains("NAME") && shown.contains("Examples:"), "{}: {shown}", page.display());
    }
}

#[test]
fn the_version_is_printed_by_three_commands() {
    let version = generated(&["version"]);
    assert_eq!(version, format!("hostnet {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(version, generated(&["--version"]));
    assert_eq!(version, generated(&["-V"]));
}

/// The help of a command shows two examples of its use.
#[test]
fn every_command_has_two_examples() {
    let help = generated(&["--help"]);
    let commands = help.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap();
    let mut count = 0;
    for name in commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let name = name.split_whitespace().next().unwrap();
        if name == "help" {
            continue;
        }
        let help = generated(&[name, "--help"]);
        let examples = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{name}: {help}")).1;
        let examples: Vec<&str> = examples.lines().filter(|line| line.starts_with("  ")).collect();
        assert!(
            examples.len() >= 2
                && examples.iter().all(|line| line.contains(&format!("hostnet {name}")) || name == "version"),
            "{name}: {examples:?}"
        );
        count += 1;
    }
    assert!(count >= 13, "{help}");
}
