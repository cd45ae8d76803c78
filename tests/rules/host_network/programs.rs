//! Programs of containers, the setting of a port among several, and `programs` in the config.

use super::{changes, deployment};
use crate::support::results::{brief, worded};
use insta::assert_snapshot;

/// A spec that moves `port` and has these programs.
fn spec(port: &str, programs: &str) -> String {
    format!(
        "{{targets: [{{select: {{kind: Deployment, name: web}}, ports: {{{port}: 20080}}}}], programs: [{programs}]}}"
    )
}

/// The flag or variable added for listener `http`, or the message.
fn added(programs: &str, container: &str) -> String {
    let web =
        deployment(&format!("      - name: web\n{container}        ports: [{{name: http, containerPort: 8080}}]\n"));
    let text = changes(&spec("http", programs), &web);
    let line = |line: &&str| line.contains("20080") && !line.contains("containerPort");
    let found: Vec<&str> = text.lines().filter(line).map(|line| line.trim_start_matches(['+', '-', ' '])).collect();
    found.join("\n")
}

/// A program with one listener, set by a flag with the program's name.
fn program(name: &str, images: &str, command: &str) -> String {
    format!(
        "{{name: {name}, images: [{images}], command: [{command}], \
         listeners: [{{role: other, names: [http], default: 8080, settings: [{{arg: --{name}-port}}]}}]}}"
    )
}

#[test]
fn the_image_with_more_segments_is_the_program() {
    let programs = [program("one", "controller", ""), program("two", "shop/controller", "")].join(", ");
    let web = |image: &str| format!("        image: {image}\n        args: [run]\n");
    assert_eq!(added(&programs, &web("example.com/shop/controller:v1")), "args: [run, --two-port=20080]");
    assert_eq!(added(&programs, &web("example.com/other/controller@sha256:00")), "args: [run, --one-port=20080]");
    assert!(
        added(&programs, &web("example.com/shop-controller:v1")).contains("neither the manifest nor the catalogue")
    );
}

#[test]
fn the_program_with_the_most_command_words_wins() {
    let programs = [
        program("all", "shop", ""),
        program("web", "shop", "serve"),
        program("cart", "shop", "/bin/shop, serve, cart"),
    ];
    let programs = programs.join(", ");
    let web = |command: &str| format!("        image: shop:v1\n        command: [{command}]\n        args: [x]\n");
    assert_eq!(added(&programs, &web("shop, check")), "args: [x, --all-port=20080]");
    assert_eq!(added(&programs, &web("shop, serve")), "args: [x, --web-port=20080]");
    assert_eq!(added(&programs, &web("/usr/local/bin/shop, serve, cart")), "args: [x, --cart-port=20080]");
    assert_eq!(added(&programs, &web("--shop=/bin/shop, serve, cart")), "args: [x, --web-port=20080]");
}

#[test]
fn the_words_of_a_script_show_the_program_too() {
    let programs = [program("web", "shop", "serve"), program("cart", "shop", "cart")].join(", ");
    let script = "        image: shop:v1\n        command: [sh, -c, \"exec shop serve --web-port=8080\"]\n";
    let moved = "command: [sh, -c, \"exec shop serve --web-port=20080\"]";
    assert_eq!(added(&programs, script), moved);
    let untold = script.replace(" --web-port=8080", "");
    assert!(
        added(&programs, &untold).contains("`--web-port=20080` cannot be added: the container runs a shell script")
    );
}

#[test]
fn a_flag_turns_a_listener_off() {
    let row = program("web", "shop", "").replace("default: 8080", "default: 8080, disabledBy: [--tls, --file]");
    let web = |args: &str| format!("        image: shop:v1\n        args: [{args}]\n");
    assert_eq!(added(&row, &web("run")), "args: [run, --web-port=20080]");
    assert_eq!(added(&row, &web("run, --tls=false")), "args: [run, --tls=false, --web-port=20080]");
    for off in ["--tls", "--file=/etc/x"] {
        assert!(added(&row, &web(off)).contains("neither the manifest nor the catalogue"), "{off}");
    }
}

#[test]
fn a_listener_of_another_protocol_is_different() {
    let row = program("web", "shop", "").replace("default: 8080", "default: 8080, protocol: UDP");
    let log = added(&row, "        image: shop:v1\n        args: [run]\n");
    assert!(log.contains("neither the manifest nor the catalogue"), "the declared port is TCP's: {log}");
}

#[test]
fn of_two_programs_that_match_equally_neither_is_chosen() {
    let programs = [program("a", "shop", "serve"), program("b", "shop", "work")].join(", ");
    let log = added(&programs, "        image: shop:v1\n        command: [serve, work]\n        args: [x]\n");
    assert!(log.contains("neither the manifest nor the catalogue"), "{log}");
}

#[test]
fn the_first_setting_of_the_version_is_added() {
    let row = "{name: shop, images: [shop], listeners: [{role: other, names: [http], default: 8080, \
               settings: [{config: port, since: v1.0.0}, {arg: --new-port, since: v3.0.0}, {env: SHOP_PORT, since: v2.0.0}]}], \
               config: {arg: --config}}";
    let web = |tag: &str| format!("        image: shop:{tag}\n        args: [x]\n");
    assert_eq!(added(row, &web("v3.1.0")), "args: [x, --new-port=20080]");
    assert_eq!(added(row, &web("v2.1.0")), "name: SHOP_PORT, value: \"20080\"");
    assert_snapshot!(worded(added(row, &web("v1.1.0"))), @r#"error: standard input:13:17: Deployment shop/web, container web, port http (8080): cannot move to 20080: shop reads it from `port` of its config file, and no flag names that file; `--new-port` of shop does not exist before v3.0.0, and this is v1.1.0; `SHOP_PORT` of shop does not exist before v2.0.0, and this is v1.1.0. Write `http: keep`, or leave it out of `ports`. If you know the flag (or variable: `env`), add to the target `bind: [{container: web, port: http, number: 8080, arg: --FLAG-8080}]`, with `value: ":{port}"` for an address [port-setting]"#);
    assert_snapshot!(added(row, &web("latest")), @r#"name: SHOP_PORT, value: "20080""#);
    // One of the settings exists, but its value is not a number.
    assert_snapshot!(worded(added(row, "        image: shop:v3.1.0\n        args: [x]\n        env: [{name: SHOP_PORT, valueFrom: {fieldRef: {fieldPath: a}}}]\n")), @"error: standard input:14:17: Deployment shop/web, container web, port http (8080): cannot move to 20080: `SHOP_PORT` is a value from elsewhere, not a port number. Write `http: keep`, or leave it out of `ports`. Write the number as the `value` of `SHOP_PORT`, without `valueFrom` [port-setting]");
}

#[test]
fn versions_before_the_oldest_known_one_are_unknown() {
    let row = "{name: shop, images: [shop], listeners: [{role: other, names: [http], default: 8080, \
               settings: [{arg: --new-port, since: '<=v3.0.0'}]}]}";
    let web = |tag: &str| format!("        image: shop:{tag}\n        args: [x]\n");
    assert_eq!(added(row, &web("v3.0.0")), "args: [x, --new-port=20080]");
    let log = added(row, &web("v2.9.0"));
    assert!(log.contains("`--new-port` of shop exists at least since v3.0.0, and this is v2.9.0"), "{log}");
    let log = added(row, &web("latest"));
    assert!(
        log.contains("the version of shop is unknown, and flag `--new-port` exists at least since v3.0.0"),
        "{log}"
    );
}

#[test]
fn a_scaffolds_flag_has_its_role_and_is_never_added() {
    let web = "      - name: manager
        image: example/operator:v1
        args: [--metrics-bind-address=:8443, --shop-web=8082]
        ports: [{name: https, containerPort: 8443}]
";
    let own = "{name: mine, images: [], listeners: [{role: health, names: [probe], default: 8081, settings: [{arg: --shop-web}]}]}";
    assert_snapshot!(changes(&spec("metrics", own), &deployment(web)), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--metrics-bind-address=:8443, --shop-web=8082]
    -        ports: [{name: https, containerPort: 8443}]
    +        args: [--metrics-bind-address=:20080, --shop-web=8082]
    +        ports: [{name: https, containerPort: 20080, hostPort: 20080}, {name: shop-web, containerPort: 8082, hostPort: 8082}]
    ");
    assert_snapshot!(brief(changes(&spec("health", own), &deployment(web))), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [--metrics-bind-address=:8443, --shop-web=8082]
    -        ports: [{name: https, containerPort: 8443}]
    +        args: [--metrics-bind-address=:8443, --shop-web=20080]
    +        ports: [{name: https, containerPort: 8443, hostPort: 8443}, {name: shop-web, containerPort: 20080, hostPort: 20080}]
    warning: node-port Deployment shop/web spec.template.spec.containers[0].ports[0] (13:17, 8443)
    ");
    let named = "{targets: [{select: {name: web}, program: kubebuilder-v4, ports: {metrics: 20080}}]}";
    assert_snapshot!(worded(changes(named, &deployment("      - name: manager\n        args: [x]\n        ports: [{name: metrics, containerPort: 8443}]\n"))), @r#"error: standard input:12:17: Deployment shop/web, container manager, port metrics (8443): cannot move to 20080: `kubebuilder-v4` is a scaffold, so it is unknown if this program has `--metrics-bind-address`. Write `metrics: keep`, or leave it out of `ports`. If that setting sets the port, add to the target `bind: [{container: manager, port: metrics, number: 8443, arg: --metrics-bind-address, value: ":{port}"}]` [port-setting]"#);
}

#[test]
fn a_program_of_the_config_wins() {
    let core = "        image: crossplane/crossplane:v1.19.0\n        args: [core, start]\n";
    let web =
        deployment(&format!("      - name: web\n{core}        ports: [{{name: webhooks, containerPort: 9443}}]\n"));
    let row = |name: &str| {
        format!(
            "{{name: {name}, images: [crossplane], listeners: [{{role: webhook, names: [webhooks], default: 9443, \
             settings: [{{arg: --mine-port}}]}}]}}"
        )
    };
    let ours = "args: [core, start, --mine-port=20080]";
    for programs in [row("crossplane"), row("mine")] {
        let text = changes(&spec("webhook", &programs), &web);
        assert!(text.contains(ours), "{text}");
    }
}

#[test]
fn a_contradictory_program_is_an_error_of_the_config() {
    let error = |programs: &str| {
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec:\n  targets: [{{select: {{name: web}}}}]\n  programs:\n{programs}"
        );
        hostnet::api::HostNetworkConfig::read(&config, "hostnet.yaml", 1).unwrap_err().to_string()
    };
    assert_snapshot!(error("  - name: web\n    images: [web]\n    listeners:\n    - {role: http, names: [http], default: 80, fixed: true}\n"), @r#"
        hostnet.yaml:6:5: program `web`: listener http (http): unknown role `http`: known are `webhook`, `apiservice`, `grpc`, `metrics`, `health`, `pprof`, `other`, and several joined by `+`
          |
        6 |   - name: web
          |     ^
    "#);
    assert_snapshot!(error("  - name: web\n    images: [web]\n    listeners:\n    - {role: other, names: [http], default: 80}\n"), @r#"
        hostnet.yaml:6:5: program `web`: listener other (http): its setting is missing: give `settings`, or `fixed: true` if it has none
          |
        6 |   - name: web
          |     ^
    "#);
    assert_snapshot!(error("  - name: web\n    images: [web]\n    listeners:\n    - {role: other, names: [http], settings: [{env: HTTP}, {config: port}], value: '8'}\n"), @r#"
        hostnet.yaml:6:5: program `web`: listener other (http): the value of `HTTP` is `8`, expected a text with one `{port}`; listener other (http): variable `HTTP` has no word of an address (port, addr, listen, bind, host, url, server …), and so it is not read; listener other (http): `port` has no file: give `config: {arg: --config}` next to `listeners`; listener other (http): the value of `port` is `8`, expected a text with one `{port}`
          |
        6 |   - name: web
          |     ^
    "#);
    let of_listener = |rest: &str| {
        error(&format!("  - {{name: a, images: [web], listeners: [{{role: other, names: [http], {rest}}}]}}\n"))
    };
    for rest in [
        "default: 80, defaultSince: v1.0.0, settings: [{arg: --port}]",
        "default: 80, formerDefault: 81, settings: [{arg: --port}]",
        "defaultSince: v1.0.0, formerDefault: 81, settings: [{arg: --port}]",
    ] {
        let message = of_listener(rest);
        assert!(message.contains("`defaultSince` and `formerDefault` belong together"), "{message}");
    }
    let message = of_listener("default: 80, defaultSince: new, formerDefault: 81, settings: [{arg: --port}]");
    assert!(message.contains("`since: new` is not a version"), "{message}");
    let message = of_listener("default: 80, settings: [{arg: --port, wins: true}, {env: PORT, wins: true}]");
    assert!(message.contains("`PORT`: `wins` is for one flag or variable"), "{message}");
    assert_snapshot!(error("  - {name: a, images: [web], listeners: []}\n  - {name: a, images: [b], listeners: []}\n"), @r#"
        hostnet.yaml:7:12: a second program `a`: give each its own name
          |
        7 |   - {name: a, images: [b], listeners: []}
          |            ^
    "#);
    // Two lines of advice of messages, pasted as they are.
    assert_snapshot!(error("  - {name: a, images: [a], notListen: [B], listeners: []}\n  - {name: a, images: [a], notListen: [C], listeners: []}\n"), @"
    hostnet.yaml:7:12: a second program `a`: write one, with `notListen: [B, C]`
      |
    7 |   - {name: a, images: [a], notListen: [C], listeners: []}
      |            ^
    ");
    assert_snapshot!(error("  - {name: a, images: [web], listeners: []}\n  - {name: b, images: [b, web], listeners: []}\n"), @r#"
        hostnet.yaml:7:23: programs `a` and `b` have the same image, and cannot be distinguished: give each its `command`
          |
        7 |   - {name: b, images: [b, web], listeners: []}
          |                       ^
    "#);
    assert_snapshot!(error("  - {name: a, images: [web], listners: []}\n"), @r#"
        hostnet.yaml:6:30: unknown field `listners`: did you mean `listeners`? Known are `name`, `images`, `package`, `dependencies`, `withoutDependencies`, `command`, `alone`, `noCmd`, `registers`, `config`, `notListen`, `listeners`
          |
        6 |   - {name: a, images: [web], listners: []}
          |                              ^
    "#);
}

#[test]
fn only_a_package_has_patterns_and_dependencies() {
    let error = |program: &str| {
        let config = format!(
            "apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nspec:\n  targets: [{{select: {{name: web}}}}]\n  programs: [{{name: a, {program}, listeners: []}}]"
        );
        hostnet::api::HostNetworkConfig::read(&config, "hostnet.yaml", 1)
            .map_or_else(|error| error.to_string(), |_| "fine".to_owned())
    };
    assert_eq!(
        error(
            "package: Provider, images: ['acme/provider-shop-*', provider-shop], dependencies: [provider-family-shop]"
        ),
        "fine"
    );
    assert_snapshot!(error("images: ['shop-*']"), @r#"
        hostnet.yaml:5:14: program `a`: image `shop-*`: a `*` is the end of a package's name, as in `provider-aws-*`
          |
        5 |   programs: [{name: a, images: ['shop-*'], listeners: []}]
          |              ^
    "#);
    assert_snapshot!(error("package: Provider, images: ['shop/*', 'shop-*/x', '*-shop', '*']"), @r#"
        hostnet.yaml:5:14: program `a`: image `shop/*`: a `*` is the end of a package's name, as in `provider-aws-*`; image `shop-*/x`: a `*` is the end of a package's name, as in `provider-aws-*`; image `*-shop`: a `*` is the end of a package's name, as in `provider-aws-*`; image `*`: a `*` is the end of a package's name, as in `provider-aws-*`
          |
        5 |   programs: [{name: a, package: Provider, images: ['shop/*', 'shop-*/x', '*-shop', '*'], listeners: []}]
          |              ^
    "#);
    assert_snapshot!(error("images: [shop], dependencies: [family]"), @r#"
        hostnet.yaml:5:14: program `a`: `dependencies` without `package`: only packages install others
          |
        5 |   programs: [{name: a, images: [shop], dependencies: [family], listeners: []}]
          |              ^
    "#);
    assert_snapshot!(error("package: Provider, images: [shop], dependencies: ['acme/family', 'family:v1', 'family-*']"), @r#"
        hostnet.yaml:5:14: program `a`: dependency `acme/family`: the last segment of the package's path, without tag and digest; dependency `family:v1`: the last segment of the package's path, without tag and digest; dependency `family-*`: the last segment of the package's path, without tag and digest
          |
        5 |   programs: [{name: a, package: Provider, images: [shop], dependencies: ['acme/family', 'family:v1', 'family-*'],
          |              ^
    "#);
    assert_snapshot!(error("package: Function, images: []"), @r#"
        hostnet.yaml:5:14: program `a`: a package is known by its `images` alone: give them, and no `command`
          |
        5 |   programs: [{name: a, package: Function, images: [], listeners: []}]
          |              ^
    "#);
    assert_snapshot!(error("package: Function, images: [shop], command: [serve]"), @r#"
        hostnet.yaml:5:14: program `a`: a package is known by its `images` alone: give them, and no `command`
          |
        5 |   programs: [{name: a, package: Function, images: [shop], command: [serve], listeners: []}]
          |              ^
    "#);
    assert_snapshot!(error("package: Configuration, images: [shop]"), @r#"
        hostnet.yaml:5:33: `Configuration` is not a value of `package`: it takes `Provider`, `Function`
          |
        5 |   programs: [{name: a, package: Configuration, images: [shop], listeners: []}]
          |                                 ^
    "#);
}

#[test]
fn a_package_is_the_program_of_a_container_only_if_the_target_names_it() {
    let package = program("shop", "shop", "").replacen("{name", "{package: Provider, name", 1);
    let web = "        image: example.com/shop:v1.0.0\n        args: [x]\n";
    assert!(added(&package, web).contains("neither the manifest nor the catalogue"));
    let web = deployment(&format!("      - name: web\n{web}        ports: [{{name: http, containerPort: 8080}}]\n"));
    let named = format!(
        "{{targets: [{{select: {{name: web}}, program: shop, ports: {{http: 20080}}}}], programs: [{package}]}}"
    );
    assert!(changes(&named, &web).contains("args: [x, --shop-port=20080]"));
}

#[test]
fn a_port_that_crossplane_declares_and_no_program_opens_is_a_phantom() {
    let ports = "      - name: web\n        image: x\n        ports: [{name: metrics, containerPort: 8080}]\n";
    let reported = |program: &str| {
        let spec = format!("{{targets: [{{select: {{name: web}}, program: {program}, ports: {{metrics: 20080}}}}]}}");
        changes(&spec, &deployment(ports))
    };
    assert!(
        reported("function-auto-ready@v0.6.4").contains("containerPort: 20080"),
        "{}",
        reported("function-auto-ready@v0.6.4")
    );
    assert!(
        reported("function-auto-ready@v0.7.0").contains("cannot move to 20080"),
        "{}",
        reported("function-auto-ready@v0.7.0")
    );
}

#[test]
fn a_target_may_name_a_program_of_the_config() {
    let web = deployment(
        "      - name: web\n        image: x\n        args: [x]\n        ports: [{name: http, containerPort: 8080}]\n",
    );
    let spec = |name: &str| {
        format!(
            "{{targets: [{{select: {{name: web}}, program: {name}, ports: {{http: 20080}}}}], programs: [{}]}}",
            program("shop", "shop", "")
        )
    };
    assert_snapshot!(changes(&spec("shop"), &web), @"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        args: [x]
    -        ports: [{name: http, containerPort: 8080}]
    +        args: [x, --shop-port=20080]
    +        ports: [{name: http, containerPort: 20080, hostPort: 20080}]
    ");
    let config = format!("{{apiVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {}}}", spec("shopp"));
    let config = hostnet::api::HostNetworkConfig::read(&config, "hostnet.yaml", 1).unwrap();
    assert_snapshot!(hostnet::host_network::Targets::compile(&config).unwrap_err(), @r#"
        hostnet.yaml:1:103: unknown program `shopp`: did you mean `shop`? `hostnet catalog` lists the programs of the catalogue
          |
        1 | piVersion: hostnet.dev/v1alpha1, kind: HostNetwork, spec: {targets: [{select: {name: web}, program: shopp, ports: {http: 20080}}], pr...
          |                                                                                                     ^
    "#);
}

/// The listeners of a container with these arguments, whose program `shop` has this row.
fn listeners(row: &str, args: &str) -> String {
    let web = deployment(&format!("      - {{name: web, image: shop:v1, args: [{args}]}}\n"));
    let program = format!("{{name: shop, images: [shop], {row}}}");
    super::numbers(&format!("{{targets: [{{select: {{name: web}}}}], programs: [{program}]}}"), &web)
}

#[test]
fn a_listener_that_is_off_does_not_count() {
    let row = "listeners: [{role: other, names: [http], default: 7000, settings: [{arg: --web}], off: ['0', '']}]";
    assert_snapshot!(listeners(row, "--web=0, --workers=3"), @"");
    assert_snapshot!(listeners(row, "--workers=0"), @"shop/Deployment/web/http 7000");
    assert_snapshot!(listeners(row, "--web=:7001, --workers=0"), @"shop/Deployment/web/http 7001");
}

#[test]
fn not_listen_of_a_program_excludes_a_flag() {
    let row = "listeners: [], notListen: [--extra-port]";
    assert_snapshot!(listeners(row, "--extra-port=:7000, --web-port=:7001"), @"shop/Deployment/web/web 7001");
}

#[test]
fn a_flag_of_the_catalogue_needs_no_word_of_listening() {
    let row = "listeners: [{role: other, names: [http], default: 8080, settings: [{arg: --web}]}]";
    let args = |args: &str| {
        added(
            &format!("{{name: shop, images: [shop], {row}}}"),
            &format!("        image: shop:v1\n        args: [{args}]\n"),
        )
    };
    assert_snapshot!(args("'--web=:8080', --workers=8080"), @"args: ['--web=:20080', --workers=8080]");
    // Another setting with the same number moves too.
    assert_snapshot!(args("'--web=:8080', '--bind-addr=:8080'"), @"args: ['--web=:20080', '--bind-addr=:20080']");
}

#[test]
fn a_flag_of_a_scaffold_has_its_role_with_programs_of_the_config() {
    let web = "      - {name: web, args: ['--health-probe-bind-address=:7001'], ports: [{name: debug, containerPort: 7001}]}\n";
    let spec = spec("health", &program("shop", "shop", ""));
    assert_snapshot!(super::numbers(&spec, &deployment(web)), @"shop/Deployment/web/debug 7001 -> 20080 Config");
}

#[test]
fn programs_of_the_config_replace_catalogue_programs_of_the_same_name() {
    let core = "        image: crossplane/crossplane:v1.20.0\n        args: [core, start]\n";
    let web =
        deployment(&format!("      - name: web\n{core}        ports: [{{name: webhooks, containerPort: 9443}}]\n"));
    let text = changes(&spec("webhook", &program("shop", "shop", "")), &web);
    assert!(text.contains("WEBHOOK_PORT"), "{text}");
    // A scaffold's flag wins over a probe.
    let probed = "      - name: web\n        args: [--metrics-bind-address=:8443]\n        readinessProbe: {tcpSocket: {port: 8443}}\n";
    let text = changes(&spec("metrics", &program("shop", "shop", "")), &deployment(probed));
    assert!(text.contains("--metrics-bind-address=:20080"), "{text}");
}

#[test]
fn a_short_flag_and_its_number_may_be_one_argument() {
    let memcached = |args: &str| {
        let container = format!(
            "      - name: web\n        image: memcached:1.6.39\n        args: [{args}]\n        ports: [{{name: memcached, containerPort: 11211}}]\n"
        );
        changes("{targets: [{select: {name: web}, ports: {memcached: 20080}}]}", &deployment(&container))
    };
    for args in ["-p11211", "-p 11211", "-p, '11211'"] {
        let log = memcached(args);
        assert!(log.contains(&format!("args: [{}]", args.replace("11211", "20080"))), "{log}");
    }
    // `-u` is the user of the process, whatever its number.
    for args in ["-u11211", "-u 11211", "-u, '11211'"] {
        let log = memcached(args);
        assert!(log.contains(&format!("args: [{args}, --port=20080]")), "{log}");
    }
    // No program has such a flag, so its meaning is unknown.
    assert!(memcached("'--port 11211'").starts_with("error: "), "{}", memcached("'--port 11211'"));
}

/// Versions of a release channel compare only with versions of that channel.
#[test]
fn a_release_channel_has_versions_of_its_own() {
    let program = "{name: web, images: [shop/web], listeners: [{role: other, names: [http], default: 8080, settings: [{arg: --web-port, \
                   since: edge-24.2.1}]}]}";
    let web = |tag: &str| added(program, &format!("        image: example.com/shop/web:{tag}\n        args: [run]\n"));
    for newer in ["edge-24.2.1", "edge-24.10.3", "edge-25.8.5"] {
        assert_eq!(web(newer), "args: [run, --web-port=20080]", "{newer}");
    }
    assert!(web("edge-23.11.4").contains("does not exist before edge-24.2.1, and this is edge-23.11.4"));
    for other in ["stable-2.14.0", "v25.8.5"] {
        let message = format!(
            "flag `--web-port` of web was added in edge-24.2.1, and {other} cannot be compared with edge-24.2.1"
        );
        assert!(web(other).contains(&message), "{other}");
    }
    assert!(web("release-v1.16.2").contains("and release-v1.16.2 cannot be compared"));
    for unknown in ["edge-latest", "edge"] {
        assert!(web(unknown).contains("the version of web is unknown"), "{unknown}");
    }
}

/// The version after `program: NAME@` is parsed or refused, never ignored.
#[test]
fn a_version_of_a_program_that_cannot_be_compared_is_an_error() {
    let program = "{name: web, images: [shop/web], listeners: [{role: other, names: [http], default: 8080, settings: [{arg: --web-port, \
                   since: edge-24.2.1}]}]}";
    let web = "      - {name: web, image: \"example.com/shop/web:stable-2.14.0\", args: [run], ports: [{name: http, containerPort: 8080}]}\n";
    let with = |version: &str| {
        format!(
            "{{targets: [{{select: {{name: web}}, program: web@{version}, ports: {{http: 20080}}}}], programs: [{program}]}}"
        )
    };
    assert!(changes(&with("edge-25.8.5"), &deployment(web)).contains("--web-port=20080"));
    for version in ["latest", "2024.1.1", "VERSION"] {
        let config = super::config(&with(version)).unwrap();
        let input = super::Input::read(super::Origin::stdin(), deployment(web).into()).unwrap();
        let error = super::kinds::run(std::slice::from_ref(&input), &config, false).unwrap_err().to_string();
        assert!(error.contains(&format!("`{version}` is not a version that can be compared")), "{error}");
    }
    let unreadable = super::config(&with("v1.0.0").replace("edge-24.2.1", "someday")).unwrap_err();
    assert!(unreadable.contains("`since: someday` is not a version"), "{unreadable}");
}

/// Variables show a library that opens ports by itself.
#[test]
fn the_ports_of_a_library_are_a_warning_with_the_lines_that_declare_them() {
    let web = |image: &str, env: &[&str], ports: &str| {
        let env: String = env.iter().map(|name| format!("{{name: {name}, value: x}}, ")).collect();
        deployment(&format!(
            "      - {{name: web, image: {image}, env: [{env}{{name: WEBHOOK_PORT, value: '8443'}}], ports: [{{name: https, containerPort: 8443}}{ports}]}}\n"
        ))
    };
    let reported = |spec: &str, manifest: &str| {
        let (_, log) = super::run(spec, manifest);
        log.into_iter().filter(|line| line.ends_with("[program-unknown]")).collect::<Vec<_>>().join("\n")
    };
    let spec = "{targets: [{select: {name: web}, ports: auto}]}";
    let marks = ["METRICS_DOMAIN", "CONFIG_OBSERVABILITY_NAME"];
    let plain = web("example.com/shop/web:v1", &marks, "");
    assert_snapshot!(worded(reported(spec, &plain)), @"warning: standard input:10:9: Deployment shop/web, container web: the program is not in the catalogue. Its variables belong to knative.dev/pkg, which may also listen on 8008 (profiling), 8080 (probes), 9090 (metrics). Without a hostPort, other pods may take these ports of the node: if the program listens there, add to the target `bind: [{container: web, port: profiling, number: 8008, env: PROFILING_PORT}, {container: web, port: probes, number: 8080, fixed: true}, {container: web, port: metrics, number: 9090, env: METRICS_PROMETHEUS_PORT}]` [program-unknown]");
    let bound = "{targets: [{select: {name: web}, ports: auto, bind: [{container: web, port: profiling, number: 8008, env: PROFILING_PORT}, \
                 {container: web, port: metrics, number: 9090, env: METRICS_PROMETHEUS_PORT}]}]}";
    let declared = web("example.com/shop/web:v1", &marks, ", {name: probes, containerPort: 8080}");
    assert_eq!(reported(bound, &declared), "", "the lines of the message declare all of them");
    // A declared port of the library keeps its number too, and the message names the variable of the library.
    let metrics = web(
        "example.com/shop/web:v1",
        &marks,
        ", {name: metrics, containerPort: 9090}, {name: own, containerPort: 9095}",
    );
    let (_, log) = super::run(spec, &metrics);
    let log: Vec<String> = log.into_iter().filter(|line| line.ends_with("[port-setting]")).collect();
    assert_snapshot!(worded(log.join("\n")), @r#"warning: standard input:10:9: Deployment shop/web: 2 ports keep their numbers: container web, port metrics (9090): its container does not set `METRICS_PROMETHEUS_PORT`, which sets this port in programs with knative.dev/pkg (its variables show that library); container web, port own (9095): neither the manifest nor the catalogue shows the setting of its number. If you know the variable, add to the target `bind: [{container: web, port: metrics, number: 9090, env: METRICS_PROMETHEUS_PORT}, {container: web, port: own, number: 9095, env: NAME_9095}]`, with `value: ":{port}"` for an address, or `fixed: true` in place of the name if the number never changes. Or read it from the help of the program: `docker run --rm example.com/shop/web:v1 --help 2>&1 | hostnet learn -c hostnet.yaml shop/web/web MANIFESTS` [port-setting]"#);
    // Any two of the variables show the library, also from a ConfigMap of the input.
    for env in [
        ["METRICS_DOMAIN", "CONFIG_LOGGING_NAME"],
        ["CONFIG_LOGGING_NAME", "CONFIG_OBSERVABILITY_NAME"],
        ["METRICS_DOMAIN", "CONFIG_LEADERELECTION_NAME"],
    ] {
        assert_eq!(reported(spec, &web("example.com/shop/web:v1", &env, "")), reported(spec, &plain), "{env:?}");
    }
    let from =
        web("example.com/shop/web:v1", &[], "").replace("env: [", "envFrom: [{configMapRef: {name: env}}], env: [");
    let map = |data: &str| {
        format!(
            "{from}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: env, namespace: shop}}\ndata: {{{data}}}\n"
        )
    };
    let both = map("METRICS_DOMAIN: a, CONFIG_LOGGING_NAME: b, PROFILING_PORT: '8009'");
    assert!(
        reported(spec, &both).contains("may also listen on 8080 (probes), 9090 (metrics)"),
        "{}",
        reported(spec, &both)
    );
    assert_eq!(reported(spec, &map("METRICS_DOMAIN: a")), "");
    // CONFIG_OBSERVABILITY_NAME is a variable of this library alone.
    for (env, is_shown) in [
        (&["CONFIG_OBSERVABILITY_NAME"][..], true),
        (&["SYSTEM_NAMESPACE", "WEBHOOK_SECRET_NAME"], true),
        (&["SYSTEM_NAMESPACE"], false),
        (&["WEBHOOK_NAME", "WEBHOOK_SECRET_NAME"], false),
    ] {
        assert_eq!(!reported(spec, &web("example.com/shop/web:v1", env, "")).is_empty(), is_shown, "{env:?}");
    }
    // An empty address is not off for the metrics of controller-runtime.
    for (words, is_shown) in [
        ("--metrics-bind-address=", true),
        ("--metrics-bind-address=0", false),
        ("--metrics-bind-address, ':9090'", false),
        ("--health-probe-bind-address=", false),
    ] {
        let manifest = deployment(&format!("      - {{name: web, args: [--listen=:9443, {words}]}}\n"));
        assert_eq!(reported(spec, &manifest).contains("8080 (metrics)"), is_shown, "{words}");
    }
    for (image, env) in [
        ("example.com/shop/web:v1", &marks[..1]),
        ("example.com/shop/web:v1", &[]),
        ("gcr.io/knative-releases/knative.dev/serving/cmd/webhook:v1.12.0", &marks[..]),
    ] {
        assert_eq!(reported(spec, &web(image, env, "")), "", "{image} {env:?}");
    }
}

/// Nothing is known about the listeners of an unknown program whose manifest shows no port.
#[test]
fn an_unknown_program_without_any_port_is_a_warning() {
    let reported = |spec: &str, container: &str| {
        let (_, log) = super::run(spec, &deployment(&format!("      - {{name: web, {container}}}\n")));
        log.into_iter().filter(|line| line.ends_with("[program-unknown]")).collect::<Vec<_>>().join("\n")
    };
    let spec = "{targets: [{select: {name: web}, ports: auto}]}";
    assert_snapshot!(worded(reported(spec, "image: example.com/shop/web:v1")), @"warning: standard input:9:7: Deployment shop/web: moves to the host network, but none of its ports is known, because the catalogue does not have the programs of container web (example.com/shop/web:v1). Other pods may take the node ports on which these programs listen, for metrics or health: declare the ports under `ports` of the container. If a program listens on no port, write under `programs` `- {name: web, images: [web], listeners: []}` [program-unknown]");
    assert!(!reported(spec, "image: '${IMAGE}'").contains("under `programs`"), "no row can name the image");
    let known =
        "{targets: [{select: {name: web}, ports: auto}], programs: [{name: web, images: [web], listeners: []}]}";
    assert_eq!(reported(known, "image: example.com/shop/web:v1"), "", "the row of the message");
    for container in [
        "image: example.com/shop/web:v1, ports: [{containerPort: 8080}]",
        "image: example.com/shop/web:v1, args: ['--listen=:8080']",
        "image: longhornio/longhorn-manager:v1.6.2, command: [longhorn-manager, deploy-driver]",
    ] {
        assert_eq!(reported(spec, container), "", "{container}");
    }
}

/// A flag that switches a listener off makes its declared port free; a probe or another text shows that something listens.
#[test]
fn a_declared_port_of_a_listener_that_is_off_always_moves() {
    let programs = "{name: shop, images: [shop], listeners: [{role: webhook, names: [hook], default: 9443, fixed: true, enabledBy: {arg: --hooks, \
                    default: false}}, {role: metrics, names: [https, metrics], off: ['0'], settings: [{arg: --metrics}]}]}";
    let spec = format!("{{targets: [{{select: {{name: web}}, ports: auto}}], programs: [{programs}]}}");
    let log = |args: &str, more: &str| {
        let ports = "ports: [{name: hook, containerPort: 9443}, {name: https, containerPort: 8443}]";
        let web = format!("      - name: web\n        image: shop:v1\n        args: [{args}]\n        {ports}\n{more}");
        changes(&spec, &deployment(&web))
    };
    let off = log("--hooks=false, --metrics=0", "");
    assert!(!off.contains("warning") && !off.contains("hostPort: 9443") && !off.contains("hostPort: 8443"), "{off}");
    // On, by default off without a flag, probed, and with the number in another flag.
    let probe = "        readinessProbe: {httpGet: {port: 9443}}\n";
    for (args, more) in [
        ("--hooks, --metrics=0", ""),
        ("--metrics=0", ""),
        ("--hooks=false, --metrics=0", probe),
        ("--hooks=false, --metrics=0, --to=9443", ""),
    ] {
        let kept = log(args, more);
        assert!(kept.contains("hostPort: 9443") && kept.contains("warning"), "{args}: {kept}");
    }
}

/// A program with listeners whose flags the manifest does not set: the declared port may be one of them.
#[test]
fn a_port_of_a_known_program_may_have_one_of_its_settings() {
    let proxy = |args: &str| {
        let web = format!(
            "      - name: web\n        image: quay.io/oauth2-proxy/oauth2-proxy:v7.15.3\n{args}        ports: [{{name: web, containerPort: 6000}}]\n"
        );
        changes("{targets: [{select: {name: web}, ports: auto}]}", &deployment(&web))
    };
    assert_snapshot!(worded(proxy("")), @r#"
    +      hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet
    -        ports: [{name: web, containerPort: 6000}]
    +        ports: [{name: web, containerPort: 6000, hostPort: 6000}]
    warning: standard input:12:17: Deployment shop/web, container web, port web (6000): keeps its number: no setting of the manifest has its number, and the catalogue has `OAUTH2_PROXY_HTTP_ADDRESS` (http), `OAUTH2_PROXY_METRICS_ADDRESS` (metrics), `OAUTH2_PROXY_METRICS_SECURE_ADDRESS` (metrics-tls) of oauth2-proxy. If that setting sets the port, add to the target `bind: [{container: web, port: web, number: 6000, env: OAUTH2_PROXY_HTTP_ADDRESS, value: "0.0.0.0:{port}"}]`. Or read it from the help of the program: `docker run --rm quay.io/oauth2-proxy/oauth2-proxy:v7.15.3 --help 2>&1 | hostnet learn -c hostnet.yaml shop/web/web MANIFESTS` [port-setting]
    "#);
    // A listener that the manifest sets or switches off is none of them.
    let set = proxy("        args: [--http-address=0.0.0.0:4180, --metrics-secure-address=-]\n");
    assert!(set.contains("the catalogue has `--metrics-address` (metrics) of oauth2-proxy"), "{set}");
}

/// Every version has a setting of the first release.
#[test]
fn an_unknown_version_has_the_settings_of_the_first_release() {
    let lws = "      - name: manager\n        image: a.example/lws/lws:main\n        command: [/manager]\n        ports: [{name: health, containerPort: 8081}]\n        \
               readinessProbe: {httpGet: {port: 8081}}\n";
    let log = changes("{targets: [{select: {name: web}, ports: {health: 20081}}]}", &deployment(lws));
    assert!(log.contains("--health-probe-bind-address=:20081") && !log.contains("error"), "{log}");
}

/// A tag that Flux fills in shows no version, but its default may.
#[test]
fn a_version_that_is_filled_in_later_is_named_with_its_default() {
    let programs = "programs: [{name: old, images: [shop/old], listeners: [{role: webhook, names: [webhook], default: 9443, settings: \
                    [{arg: --port, since: v1.2.0}]}]}]";
    let log = |tag: &str| {
        let container =
            format!("name: web, image: 'shop/old:{tag}', args: [run], ports: [{{name: webhook, containerPort: 9443}}]");
        super::run(&super::all_and(programs), &super::deployment(&format!("      - {{{container}}}\n"))).1.join("\n")
    };
    let default = log("${TAG:=v1.3.0}");
    assert!(default.contains("because the tag `${TAG:=v1.3.0}` of its image is filled in later"), "{default}");
    assert!(default.contains("`program: old@v1.3.0` if the default of the tag"), "{default}");
    let without = log("${TAG}");
    assert!(without.contains("the tag `${TAG}` of its image") && !without.contains("if the default"), "{without}");
    let latest = log("latest");
    assert!(latest.contains("the version of old is unknown, and") && !latest.contains("filled in later"), "{latest}");
    assert_eq!(log("v1.3.0"), "");
}

/// The port of the proxy's own endpoints moves too; 0 is no server.
#[test]
fn kube_rbac_proxy_has_two_servers() {
    let moved = |image: &str, port: u16| {
        let manifest = deployment(&format!(
            "      - {{name: proxy, image: '{image}', args: ['--secure-listen-address=:8443', '--proxy-endpoints-port={port}'], ports: [{{name: https, containerPort: 8443}}]}}\n"
        ));
        changes(super::ALL, &manifest)
    };
    let proxy = "quay.io/brancz/kube-rbac-proxy:v0.19.1";
    let added = |log: String, text: &str| log.lines().any(|line| line.starts_with('+') && line.contains(text));
    assert!(!added(moved(proxy, 8888), "port=8888"), "{}", moved(proxy, 8888));
    assert!(added(moved(proxy, 0), "port=0"), "{}", moved(proxy, 0));
}
