//! Commands and flags that contain the number of the listener and dial another host, or the pod itself.

use super::{changes, deployment, ports};

fn web(container: &str) -> String {
    let declared = "        ports: [{name: db, containerPort: 5432}]\n";
    changes(&ports("auto"), &deployment(&format!("      - name: web\n{declared}{container}")))
}

fn script(script: &str) -> String {
    web(&format!(
        "        command: [sh, -c]\n        args:\n        - |\n          {}\n",
        script.replace('\n', "\n          ")
    ))
}

/// The new lines of the script.
fn changed(log: &str) -> Vec<&str> {
    log.lines().filter_map(|line| line.strip_prefix("+          ")).collect()
}

#[test]
fn a_port_dialled_by_another_command_is_not_the_listener() {
    for client in [
        "pg_dump --host=prod.db.example.com --port=5432 app > /dump",
        "pg_dump --port 5432 --host prod.db.example.com app",
        "psql -h prod -p 5432 -c x",
        "clickhouse-client --port 5432 -h prod --query x",
    ] {
        for listener in ["exec postgres -p 5432", "exec web --listen=:5432"] {
            let log = script(&format!("{client}\n{listener}"));
            let changed = changed(&log);
            assert!(changed.len() == 1 && changed[0].starts_with("exec "), "{client}, {listener}: {log}");
        }
    }
}

#[test]
fn a_command_that_dials_the_pod_itself_follows() {
    for client in ["psql -p 5432 -c x", "psql -h localhost -p 5432 -c x", "psql --host=127.0.0.1 --port=5432"] {
        let log = script(&format!("{client}\nexec postgres -p 5432"));
        assert_eq!(changed(&log).len(), 2, "{client}: {log}");
    }
}

#[test]
fn a_command_that_may_dial_another_host_stops_the_move() {
    for client in [
        "ssh -p 5432 -N tunnel@bastion.example.com &",
        "rsync --port=5432 rsync.example.com::mod /data",
        "scp -P 5432 backup:/a b",
    ] {
        let log = script(&format!("{client}\nexec web -p 5432"));
        assert!(changed(&log).is_empty() && log.contains("5432"), "{client}: {log}");
    }
}

/// After `--listen`, `--host` and `--port` name the server that the program dials.
#[test]
fn a_host_and_a_port_next_to_a_listen_address_belong_together() {
    let log = web("        args: ['--listen=:5432', '--backend=example.com', '--port=5432']\n");
    assert!(
        log.contains("'--backend=example.com', '--port=5432']\n") && !log.contains("+        args: ['--listen=:5432'"),
        "{log}"
    );
    assert!(log.lines().any(|line| line.starts_with("+        args") && line.ends_with("'--port=5432']")), "{log}");
    let own = web("        args: ['--host=example.com', '--port=5432']\n");
    assert!(!own.contains("+        args: ['--host=example.com', '--port=5432']"), "{own}");
}

#[test]
fn a_probe_of_another_host_stays() {
    let probe = |command: &str| {
        web(&format!("        args: ['--port=5432']\n        readinessProbe: {{exec: {{command: [{command}]}}}}\n"))
    };
    for stays in ["redis-cli, -h, upstream.example.com, -p, '5432', ping", "pg_isready, '--host=db', '--port=5432'"] {
        let log = probe(stays);
        assert!(!log.contains("-        readinessProbe"), "{stays}: {log}");
    }
    for moves in
        ["pg_isready, -p, '5432'", "pg_isready, -h, localhost, -p, '5432'", "pg_isready, '--host=web', '--port=5432'"]
    {
        let log = probe(moves);
        assert!(log.contains("-        readinessProbe"), "{moves}: {log}");
    }
}

/// The kubelet or a shell expands variables in commands of probes and hooks.
#[test]
fn a_variable_used_by_a_probe_or_hook_stops_the_move() {
    for command in
        ["[curl, 'http://localhost:$(WEB)/']", "[sh, -c, 'curl localhost:$WEB']", "[sh, -c, 'curl localhost:${WEB}']"]
    {
        for place in ["readinessProbe: {exec: {command: C}}", "lifecycle: {preStop: {exec: {command: C}}}"] {
            let place = place.replace('C', command);
            let log = web(&format!(
                "        args: ['--listen=:5432']\n        env: [{{name: WEB, value: '5432'}}]\n        {place}\n"
            ));
            assert!(log.contains("WEB") && !log.contains("+        args"), "{place}: {log}");
        }
    }
}

#[test]
fn a_name_that_ends_in_port_is_reported() {
    for text in [
        "args: ['--listen=:5432', '--httpport=5432']",
        "args: ['--listen=:5432']\n        env: [{name: PGPORT, value: '5432'}]",
        "args: ['--listen=:5432']\n        env: [{name: WEBPORT0, value: '5432'}]",
    ] {
        let log = web(&format!("        {text}\n"));
        assert!(!log.contains("+        args"), "{text}: {log}");
    }
    for text in ["--cache-support=5432", "--transport=5432", "--export=5432"] {
        let log = web(&format!("        args: ['--listen=:5432', '{text}']\n"));
        assert!(log.contains("+        args"), "{text}: {log}");
    }
}
