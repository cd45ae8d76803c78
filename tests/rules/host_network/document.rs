//! Rule `document`: YAML structures that prevent the change of an object.

use super::{config, deployment, ports, run};
use hostnet::kinds;
use krm::{Input, Origin};

/// A Deployment whose field `minReadySeconds` may share the number of its port.
fn manifest(port: &str, seconds: &str) -> String {
    let web = format!("      - {{name: web, args: [--port=8080], ports: [{{name: http, containerPort: {port}}}]}}\n");
    format!("{}  minReadySeconds: {seconds}\n", deployment(&web))
}

#[test]
fn a_number_that_another_field_shares_is_an_error() {
    let shared = manifest("&p 8080", "*p");
    let input = Input::read(Origin::stdin(), shared.as_str().into()).unwrap();
    let run = kinds::run(std::slice::from_ref(&input), &config(&ports("{http: 20080}")).unwrap(), true).unwrap();
    assert!(run.failed() && !run.changes && run.results.iter().all(|result| !result.is_change));
    assert_eq!(input.output(&run.splices[0]), shared);
    let errors: Vec<String> =
        run.results.iter().map(ToString::to_string).filter(|line| line.starts_with("error")).collect();
    assert!(
        errors.len() == 1
            && errors[0].starts_with(
                "error: standard input, line 10, column 7: spec.template.spec.containers[0].ports[0].containerPort"
            )
            && errors[0].contains("is shared through the anchor &p")
            && errors[0].ends_with("[document]"),
        "{errors:?}"
    );
}

/// The remedy of the message, an anchor without an alias, and a shared number that stays.
#[test]
fn numbers_that_are_not_shared_change() {
    for (port, seconds, number) in [("8080", "8080", 20080), ("&p 8080", "5", 20080), ("&p 8080", "*p", 8080)] {
        let (output, log) = run(&ports(&format!("{{http: {number}}}")), &manifest(port, seconds));
        assert!(output.contains("hostNetwork: true"), "{output}");
        assert!(!log.iter().any(|line| line.contains("[document]")), "{log:?}");
    }
}
