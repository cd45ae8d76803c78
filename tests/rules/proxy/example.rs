//! Runs the commands of `examples/proxy-environment`, and compares their output with the page.

use std::process::Command;

use crate::support::{project, run, text};

/// The commands of the README that start with `hostnet`.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter(|line| line.starts_with("hostnet ")).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_page_print_the_shown_output() {
    let folder = project().join("examples/proxy-environment");
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let path = std::env::join_paths(
        std::iter::once(std::path::Path::new(env!("CARGO_BIN_EXE_hostnet")).parent().unwrap().to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.unwrap();
    let printed: Vec<(String, String, Option<i32>)> = commands(&readme)
        .into_iter()
        .map(|command| {
            let output = run(Command::new("sh").args(["-c", &command]).current_dir(&folder).env("PATH", &path), b"");
            (command, text(&output.stdout) + &text(&output.stderr), output.status.code())
        })
        .collect();
    assert_eq!(printed.len(), 5, "{printed:#?}");
    assert!(readme.contains(printed[0].1.trim_end()), "{}", printed[0].1);
    assert!(
        printed[1].2 == Some(1) && printed[1].1.contains("Add to NO_PROXY: .crossplane-system"),
        "{}",
        printed[1].1
    );
    assert!(
        printed[2].1.contains("+          value: localhost,127.0.0.1,.svc,.cluster.local,10.0.0.0/8,.example.com"),
        "{}",
        printed[2].1
    );
    assert!(printed[3].2 == Some(0) && !printed[3].1.contains("error"), "{}", printed[3].1);
    assert!(printed[4].1.contains("postRenderers:"), "{}", printed[4].1);
}

#[test]
fn the_page_of_the_rule_quotes_the_error_of_grpc() {
    let page = std::fs::read_to_string(project().join("docs/rules/proxy-reach.md")).unwrap();
    assert!(page.contains("failed to do connect handshake, response: \\\"HTTP/1.1 403 Forbidden"), "{page}");
    let printed = commands(&page).into_iter().map(|command| {
        let command = command.replace("hostnet ", concat!(env!("CARGO_BIN_EXE_hostnet"), " "));
        text(&run(Command::new("sh").args(["-c", &command]), b"").stdout)
    });
    let [first, second] = printed.collect::<Vec<_>>().try_into().unwrap();
    assert!(first.starts_with("proxy: no entry matches function-auto-ready.crossplane-system:9443"), "{first}");
    assert!(second.starts_with("direct: the entry `.crossplane-system` matches"), "{second}");
}

#[test]
fn the_output_is_the_file_want_yaml() {
    let folder = project().join("examples/proxy-environment");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hostnet"));
    let output = run(command.args(["apply", "-c", "hostnet.yaml", "base/crossplane.yaml"]).current_dir(&folder), b"");
    assert_eq!(
        text(&output.stdout),
        std::fs::read_to_string(folder.join("want.yaml")).unwrap(),
        "{}",
        text(&output.stderr)
    );
}
