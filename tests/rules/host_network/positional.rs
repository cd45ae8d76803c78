//! Arguments without a flag that are an address of all interfaces.

use super::{deployment, run};

const AUTO: &str = "{targets: [{select: {name: web}, ports: auto}]}";

fn container(lines: &str) -> String {
    deployment(&format!("      - name: web\n        image: example.com/web:v1\n        {lines}\n"))
}

#[test]
fn an_address_sets_a_declared_port() {
    for args in ["serve, ':9443'", "serve, '0.0.0.0:9443'", "':9443'", "serve, ':9443', --port=9443"] {
        let manifest = container(&format!("args: [{args}]\n        ports: [{{name: https, containerPort: 9443}}]"));
        let (output, log) = run(AUTO, &manifest);
        assert!(!output.contains("9443") && output.contains("hostPort: "), "{args}: {log:?}");
    }
}

#[test]
fn an_address_without_a_declared_port_is_a_guess() {
    let (output, log) = run(AUTO, &container("args: [serve, ':9443']"));
    assert!(output.contains("[serve, ':9443']"));
    let guess = log.iter().find(|line| line.contains("[port-guess]")).unwrap();
    assert!(guess.contains("`bind: [{container: web, port: listen, number: 9443, fixed: true}]`"), "{guess}");
}

/// Addresses of other programs, names of files, and words of a script that may look for the address.
#[test]
fn similar_arguments_set_no_port() {
    for lines in ["args: [serve, 'redis:9443']", "args: [serve, '9443:9443']", "args: [serve, '/data:9443']"] {
        let (_, log) = run(AUTO, &container(lines));
        assert!(log.iter().all(|line| !line.contains("9443")), "{lines}: {log:?}");
    }
    let script = "command: [sh, -c, 'web & until ss -lnt src | grep :9443; do sleep 1; done']";
    let (output, log) =
        run(AUTO, &container(&format!("{script}\n        ports: [{{name: https, containerPort: 9443}}]")));
    assert!(output.contains("grep :9443"));
    assert!(log.iter().any(|line| line.contains("keeps its number")), "{log:?}");
}
