//! Flags and variables of runtimes and of agents inside of a process, in `catalog/runtimes.yaml`.

use super::{deployment, run};

const AUTO: &str = "{targets: [{select: {name: web}, ports: auto}]}";

/// The number in place of 9404 after the run, and the log, for a container with these lines.
fn moved(lines: &str) -> (Option<String>, Vec<String>) {
    let container = format!("      - name: web\n        image: example.com/web:v1\n        {lines}\n");
    let (output, log) = run(AUTO, &deployment(&container));
    let declared = output.lines().find_map(|line| line.trim().strip_prefix("hostPort: "));
    let is_whole = declared.is_some_and(|number| output.matches(number).count() == 3 && !output.contains("9404"));
    (declared.filter(|_| is_whole).map(str::to_owned), log)
}

#[test]
fn options_of_runtimes_set_ports() {
    for lines in [
        "args: ['-javaagent:/opt/jmx_prometheus_javaagent.jar=9404:/etc/config.yaml', -jar, app.jar]",
        "command: [java, '-javaagent:/opt/jmx.jar=0.0.0.0:9404:/etc/config.yml']",
        "command: [sh, -c, 'exec java -javaagent:/jmx.jar=9404:config.yaml -jar app.jar']",
        "env: [{name: JAVA_TOOL_OPTIONS, value: '-Xmx1g -javaagent:/jmx.jar=9404:/config.yaml'}]",
        "args: ['-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:9404']",
        "env: [{name: JDK_JAVA_OPTIONS, value: '-agentlib:jdwp=transport=dt_socket,address=9404,server=y'}]",
        "args: ['-Xrunjdwp:server=y,transport=dt_socket,address=9404,suspend=n']",
        "env: [{name: JAVA_TOOL_OPTIONS, value: '-Dcom.sun.management.jmxremote.port=9404'}]",
        "args: ['-javaagent:/opt/jolokia.jar=port=9404,host=0.0.0.0']",
        "env: [{name: Kestrel__Endpoints__Http__Url, value: 'http://0.0.0.0:9404'}]",
        "command: [node, '--inspect=0.0.0.0:9404', app.js]",
        "env: [{name: NODE_OPTIONS, value: '--inspect=9404 --max-old-space-size=512'}]",
        "env: [{name: OTEL_EXPORTER_PROMETHEUS_PORT, value: '9404'}]",
        "env: [{name: ASPNETCORE_URLS, value: 'http://+:9404'}]",
        "env: [{name: ASPNETCORE_HTTP_PORTS, value: '9404'}]",
        "env: [{name: MANAGEMENT_SERVER_PORT, value: '9404'}]",
        "args: [--management.server.port=9404]",
        "env: [{name: JAVA_TOOL_OPTIONS, value: '-Dmanagement.server.port=9404'}]",
        "env: [{name: QUARKUS_MANAGEMENT_PORT, value: '9404'}]",
    ] {
        let (number, log) = moved(lines);
        assert!(number.is_some(), "{lines}: {log:?}");
    }
}

#[test]
fn similar_options_set_no_port() {
    for lines in [
        "args: ['-agentlib:jdwp=transport=dt_socket,server=n,address=ide:9404']",
        "args: ['-agentlib:jdwp=transport=dt_socket,address=localhost:9404']",
        "args: ['-javaagent:/apm.jar=server=apm:9404']",
        "args: ['-javaagent:/opt/jolokia.jar=discoveryAgentUrl=http://agent:9404']",
        "env: [{name: JAVA_TOOL_OPTIONS, value: '-Dcom.sun.management.jmxremote.password.file=/9404'}]",
        "env: [{name: Kestrel__Certificates__Default__Path, value: '/9404'}]",
        "args: ['-javaagent:/jmx.jar=collector:9404:/config.yaml']",
        "args: [--inspector=/var/lib/9404]",
        "command: [node, --inspect, '9404.js']",
    ] {
        let (number, log) = moved(lines);
        assert_eq!(number, None, "{lines}");
        assert!(log.iter().all(|line| !line.contains("9404")), "{lines}: {log:?}");
    }
}

/// Options that may be for another program are only a guess.
#[test]
fn options_for_another_program_are_a_guess() {
    let (number, log) = moved("env: [{name: RUNNER_OPTS, value: '-javaagent:/jmx.jar=9404:/config.yaml'}]");
    assert_eq!(number, None);
    assert!(log.iter().any(|line| line.contains("9404") && line.contains("[port-guess]")), "{log:?}");
}

#[test]
fn each_address_of_a_list_is_a_port() {
    for (name, value) in [
        ("ASPNETCORE_URLS", "https://+:8443;http://+:9404"),
        ("ASPNETCORE_URLS", "https://*:8443;http://localhost:9404"),
        ("ASPNETCORE_HTTP_PORTS", "8443;9404"),
    ] {
        let web = format!(
            "      - name: web\n        env: [{{name: {name}, value: '{value}'}}]\n        ports: [{{name: https, containerPort: 8443}}]\n"
        );
        let (output, log) = run(AUTO, &deployment(&web));
        assert!(!output.contains("9404") && !output.contains("8443"), "{name} {value}: {log:?}");
        assert_eq!(output.matches("hostPort").count(), 2, "{output}");
    }
}

/// A flag with an address of all interfaces may have a second address, and then holds a list.
#[test]
fn a_flag_with_two_addresses_sets_two_ports() {
    for args in [
        "--addr=:8181, '--addr=127.0.0.1:9404'",
        "'--addr=127.0.0.1:9404', --addr=:8181",
        "'--addr=127.0.0.1:9404,:8181'",
    ] {
        let (output, log) =
            run(AUTO, &deployment(&format!("      - name: opa\n        image: o/opa:v1\n        args: [{args}]\n")));
        assert!(!output.contains("9404") && output.matches("hostPort").count() == 2, "{args}: {log:?}");
    }
    // The last of two numbers overrides the first, a URL may be dialled, and another command is another process.
    for args in [
        "--port=9404, --port=8181",
        "--addr=:8181, '--addr=http://127.0.0.1:9404'",
        "--addr=:8181, '--peer-addr=127.0.0.1:9404'",
    ] {
        let (output, _) =
            run(AUTO, &deployment(&format!("      - name: opa\n        image: o/opa:v1\n        args: [{args}]\n")));
        assert!(output.contains("9404"), "{args}");
    }
    let script = "command: [sh, -c, 'web --addr=:8181 & web-cli --addr=127.0.0.1:9404']";
    assert!(
        run(AUTO, &deployment(&format!("      - name: web\n        image: o/web:v1\n        {script}\n")))
            .0
            .contains("9404")
    );
}
